"""Every example of docs/python.md runs, one after the other, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re

from books import ROOT


def test_the_examples_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inputs").symlink_to(ROOT / "inputs")
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", page, re.M | re.S)
    names: dict[str, object] = {}
    printed, ran = "", 0
    for kind, text in blocks:
        if kind == "text":
            assert printed == text
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(text, "docs/python.md", "exec"), names)
        printed = output.getvalue()
        ran += 1
    assert ran >= 6
