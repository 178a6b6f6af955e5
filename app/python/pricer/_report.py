"""The report, which the command `pricer` writes: it prices the book again, to the same digest."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from ._session import set_texts
from .errors import BadInput, Error, Failed, FileError

if TYPE_CHECKING:
    from ._session import Choices, Sets, Source

_OPTIONS = ("paths", "seed", "engine", "kernel", "check", "threads")
_BAD_INPUT = 2  # exit statuses of the command: docs/book-format.md


def command() -> str:
    """Returns the path of the command: that of PRICER_COMMAND, or the one of the PATH."""
    named = os.environ.get("PRICER_COMMAND") or shutil.which("pricer")
    if not named:
        raise FileError(
            "a report is written by the command `pricer`, which is not there: install it, or name "
            "it in PRICER_COMMAND"
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


def write_report(source: Source, choices: Choices, sets: Sets, digest: str, path: str) -> None:
    """Writes the report of a book; raises where the command fails or finds another digest."""
    ran = subprocess.run(
        _arguments(source, choices, sets, path),
        input=None if source.path is not None else source.text,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    said = ran.stderr.strip().splitlines()
    if ran.returncode not in (0, 1):
        made: type[Error] = BadInput if ran.returncode == _BAD_INPUT else Failed
        raise made(said[0] if said else f"pricer ended with status {ran.returncode}")
    found = re.findall(r"digest ([0-9a-f]{16})", ran.stdout)
    if found[-1:] != [digest]:
        raise Failed(f"the command found digest {found[-1:]}, the library {digest}: is it as new?")
