#!/usr/bin/env python3
"""Writes the wheel of the package, with the library and those that it needs inside.

    make_wheel.py LIBRARY VERSION FOLDER

The libraries of the C library's own are left out: a wheel runs where glibc is as new as here. Its
tag says linux; where auditwheel is installed, a second wheel is made, whose tag is the oldest
manylinux that its symbols allow.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OF_THE_SYSTEM = re.compile(r"(ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so)")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same tree makes the same bytes


def needed(library: Path) -> list[Path]:
    """Returns the libraries that a library needs and the system may lack."""
    said = subprocess.run(["ldd", str(library)], check=True, capture_output=True, text=True).stdout
    found = [Path(path) for path in re.findall(r"=> (/\S+)", said)]
    return [path for path in found if not OF_THE_SYSTEM.match(path.name)]


def contents(library: Path) -> dict[str, bytes]:
    """Returns the files of the wheel, but those of its metadata."""
    files = {}
    for path in sorted((HERE / "pricer").iterdir()):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            files[f"pricer/{path.name}"] = path.read_bytes()
    files["pricer/libpricer.so.0"] = library.read_bytes()
    for path in needed(library):
        files[f"pricer/{path.name}"] = path.read_bytes()
    return files


def metadata(version: str, tag: str) -> dict[str, bytes]:
    """Returns the files of the wheel's metadata, but its list of files."""
    about = (
        f"Metadata-Version: 2.1\nName: pricer\nVersion: {version}\n"
        "Summary: Monte Carlo pricing of equity and FX books on CPU and GPU\n"
        "License: GPL-3.0-or-later\nRequires-Python: >=3.9\n"
    )
    wheel = f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
    license_text = (HERE.parent.parent / "LICENSE").read_bytes()
    return {"METADATA": about.encode(), "WHEEL": wheel.encode(), "LICENSE": license_text}


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main() -> None:
    library, version, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"pricer-{version}.dist-info"
    files = contents(library)
    files.update({f"{info}/{name}": text for name, text in metadata(version, tag).items()})
    record = "".join(record_line(name, content) for name, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = folder / f"pricer-{version}-{tag}.whl"
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, content)
    os.replace(partial, path)
    print(path)
    if shutil.which("auditwheel"):
        subprocess.run(["auditwheel", "repair", "-w", str(folder), str(path)], check=True)
    else:
        print(f"no auditwheel: {path.name} has no manylinux tag", file=sys.stderr)


if __name__ == "__main__":
    main()
