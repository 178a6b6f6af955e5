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


def mypy(tmp_path, *arguments):
    command = shutil.which("mypy")
    if not command:
        pytest.skip("no mypy")
    options = ["--strict", "--python-version=3.9", f"--cache-dir={tmp_path}/cache"]
    return subprocess.run(
        [command, *options, *arguments], capture_output=True, text=True, cwd=ROOT / "app/python"
    )


def test_the_package_has_no_type_errors(tmp_path):
    ran = mypy(tmp_path, "pricer", "make_wheel.py", "make_stub.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_program_s_errors_are_found(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WRONG)
    said = mypy(tmp_path, str(program)).stdout
    lines = [line.split(":")[1] for line in said.splitlines() if ": error: " in line]
    assert lines == ["3", "4", "5", "6"], said
