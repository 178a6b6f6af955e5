"""The package is typed: mypy finds nothing in it, and finds what is wrong in a user's program."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from books import ROOT

WRONG = """
import pricer
pricer.european(asset="A", option="kall", strike=1.0, expiry="1Y")
pricer.european(asset="A", option="put", strike="1.0", expiry=1.0)
pricer.european(asset="A", option="put", expiry=1.0)
pricer.Book(3, [])
right = pricer.asian(asset="A", option="put", averaging="geometric", strike_type="fixed",
                     strike=3, fixings=12, expiry=1)
digest: str = pricer.Book.load("book.cfg").price(paths=4096, greeks=["delta"]).digest
"""


def test_the_package_has_no_type_errors_and_those_of_a_program_are_found(tmp_path):
    command = shutil.which("mypy")
    if not command:
        pytest.skip("no mypy")
    program = tmp_path / "program.py"
    program.write_text(WRONG)
    options = ["--strict", "--python-version=3.9", f"--cache-dir={tmp_path}/cache"]
    files = ["pricer", "make_wheel.py", "make_stub.py", str(program)]
    ran = subprocess.run(
        [command, *options, *files], capture_output=True, text=True, cwd=ROOT / "app/python"
    )
    errors = [line.split(": error: ")[0] for line in ran.stdout.splitlines() if ": error: " in line]
    assert errors == [f"{program}:{line}" for line in (3, 4, 5, 6)], ran.stdout + ran.stderr
