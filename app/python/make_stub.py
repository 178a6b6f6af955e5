#!/usr/bin/env python3
"""Makes pricer/products.pyi, the stub of what products.py makes of the library's table of keys.

    make_stub.py           writes it
    make_stub.py --check   says whether it is current
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from pricer._keys import Key, product_keys, product_names  # noqa: E402

STUB = HERE / "pricer/products.pyi"
TYPES = {  # of the forms that a key may have; a group is of numbers or of texts
    "number": "float",
    "whole": "int",
    "text": "str",
    "boolean": "bool",
    "time": "Time",
    "date": "Time",
    "numbers": "Sequence[float]",
    "texts": "Sequence[str]",
    "times": "Sequence[Time]",
    "rows": "Sequence[Sequence[float]]",
    "group": "Mapping[str, Any]",
    "groups": "Sequence[Mapping[str, Any]]",
}


def annotation(key: Key) -> str:
    words = "Literal[" + ", ".join(json.dumps(word) for word in key.words) + "]"
    kinds = [words if form == "text" and key.words else TYPES[form] for form in key.forms]
    return kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"


def stub() -> str:
    text = "# app/python/make_stub.py writes this.\n"
    text += "from collections.abc import Mapping, Sequence\n"
    text += "from typing import Any, Literal, Optional, Union\n\n"
    text += "from .trade import Time, Trade\n\n"
    text += "__all__ = [\n" + "".join(f'    "{name}",\n' for name in product_names()) + "]\n"
    for product in product_names():
        required, optional = product_keys(product)
        text += f"\ndef {product}(\n    id: Optional[str] = None,\n    *,\n"
        for key in required:
            text += f"    {key.name}: {annotation(key)},\n"
        for key in optional:
            text += f"    {key.name}: Optional[{annotation(key)}] = None,\n"
        text += ") -> Trade: ...\n"
    return text


def main() -> int:
    text = stub()
    if STUB.exists() and STUB.read_text(encoding="utf-8") == text:
        return 0
    if sys.argv[1:] == ["--check"]:
        print("pricer/products.pyi is not current: app/python/make_stub.py writes it")
        return 1
    STUB.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
