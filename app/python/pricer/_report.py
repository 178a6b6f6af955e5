"""What the command `pricer` makes: the report, for which it prices the book again, to the same
digest, and the difference of two runs in results databases."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

from ._session import set_texts
from ._text import checked
from .errors import BadCall, BadInput, Error, Failed, FileError

if TYPE_CHECKING:
    from ._session import Choices, Sets, Source

_OPTIONS = ("paths", "seed", "engine", "kernel", "check", "threads")
_BAD_INPUT = 2  # exit statuses of the command: docs/book-format.md


def command() -> str:
    """Returns the path of the command: that of PRICER_COMMAND, or the one of the PATH."""
    named = os.environ.get("PRICER_COMMAND") or shutil.which("pricer")
    if not named:
        raise FileError(
            "this is made by the command `pricer`, which is not there: install it, or name it in "
            "PRICER_COMMAND"
        )
    return named


def _arguments(source: Source, choices: Choices, sets: Sets, path: str) -> list[str]:
    arguments = [command(), f"--report={path}"]
    for option in _OPTIONS:
        value = getattr(choices, option)
        if value is not None:
            arguments.append(f"--{option}={value}")
    if choices.gpus:
        arguments.append("--gpus=" + ",".join(map(str, choices.gpus)))
    for one in set_texts(sets):
        arguments += ["--set", one]
    return [*arguments, source.path if source.path is not None else "-"]


def _run(arguments: list[str], given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command; raises what it says where it fails."""
    try:
        ran = subprocess.run(
            arguments, input=given, capture_output=True, text=True, encoding="utf-8"
        )
    except OSError as error:
        raise FileError(f"{arguments[0]}: cannot be run: {error.strerror}") from None
    said = ran.stderr.strip().splitlines()
    if ran.returncode not in (0, 1):
        made: type[Error] = BadInput if ran.returncode == _BAD_INPUT else Failed
        raise made(said[0] if said else f"pricer ended with status {ran.returncode}")
    return ran


def _file(path: str | os.PathLike[str]) -> str:
    """Returns a path as an argument that is no option."""
    try:
        return os.path.join(os.curdir, checked(os.fspath(path), "a database"))
    except TypeError:
        raise BadCall(f"a database must be a path, got {path!r}") from None


def diff(
    before: str | os.PathLike[str], after: str | os.PathLike[str] | None = None
) -> tuple[str, Any]:
    """Tells what changed between two runs of results databases, FILE.db or FILE.db:RUN, as `pricer
    diff` does: its text, and what its JSON file has. `after` None: the last two runs of one file.
    The command `pricer` must be installed (or named in the environment, PRICER_COMMAND)."""
    files = [_file(one) for one in (before, after) if one is not None]
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "change.json")
        ran = _run([command(), "diff", f"--output={output}", *files])
        with open(output, encoding="utf-8") as file:
            return ran.stdout, json.load(file)


def write_report(source: Source, choices: Choices, sets: Sets, digest: str, path: str) -> None:
    """Writes the report of a book; raises where the command fails or finds another digest."""
    ran = _run(_arguments(source, choices, sets, path), source.text if source.path is None else None)
    found = re.findall(r"digest ([0-9a-f]{16})", ran.stdout)
    if found[-1:] != [digest]:
        raise Failed(f"the command found digest {found[-1:]}, the library {digest}: is it as new?")
