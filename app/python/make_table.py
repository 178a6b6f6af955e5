#!/usr/bin/env python3
"""Makes what the package knows of products, pricer/products.json, and its stub, products.pyi.

    app/python/make_table.py           writes both
    app/python/make_table.py --check   says whether both are current

The keys come from app/config/trade_keys.def and models/payoffs/payoffs.def, what is said of them
from docs/book-format.md.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOR_ALL = ["quantity", "settlement_days", "quanto", "tags"]


def read_keys() -> dict[str, dict[str, str]]:
    """Returns for each key of trades its kind, its words and the key that fills the same field."""
    text = (ROOT / "app/config/trade_keys.def").read_text(encoding="utf-8")
    keys = {}
    for row in re.finditer(r"^KEY(?:_APART)?\((\w+), (\w+), (\w+),(.*?)\)$", text, re.M | re.S):
        words = re.search(r'\.words = "([^"]*)"', row[4])
        same = re.search(r'\.same_as = "(\w+)"', row[4])
        keys[row[2]] = {
            "kind": row[3].lower(),
            "words": words[1] if words else "",
            "same_as": same[1] if same else "",
        }
    return keys


def read_products(keys: dict[str, dict[str, str]]) -> dict[str, dict[str, list[str]]]:
    """Returns for each product the keys that it must have and those that it may have."""
    text = (ROOT / "models/payoffs/payoffs.def").read_text(encoding="utf-8")
    text = text[text.index("PAYOFF(EUROPEAN") :]
    products = {}
    for row in re.finditer(r'PAYOFF\(\w+, (\w+),\s*"([^"]*)",\s*"([^"]*)"', text):
        required, optional = row[2].split(), row[3].split()
        own = list(required)
        if "assets" in optional:
            optional.insert(0, "asset")
        elif "assets" not in required:
            own.insert(0, "asset")
        for key, about in keys.items():  # one of two: neither must be there
            if about["same_as"] in own:
                own.remove(about["same_as"])
                optional[:0] = [about["same_as"], key]
        if "start" in own:  # needs not be said of a trade whose past is
            own.remove("start")
            optional.insert(0, "start")
        products[row[1]] = {"required": [*own, "expiry"], "optional": optional + FOR_ALL}
    return products


def plain(markdown: str) -> str:
    """Returns a line of Markdown without its marks."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown).replace("`", "").strip()


def section(page: str, heading: str) -> str:
    """Returns what stands under a heading of the third level."""
    found = re.search(rf"^### {re.escape(heading)}\n(.*?)(?=^##|\Z)", page, re.M | re.S)
    if not found:
        raise SystemExit(f"docs/book-format.md has no section {heading}")
    return found[1]


def read_rows(text: str) -> dict[str, str]:
    """Returns what the tables of a section say of each key."""
    said = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("| `") or len(cells) < 2:
            continue
        default = plain(cells[2]) if len(cells) > 2 else ""
        about = plain(cells[1]) + (f" (default: {default})" if default else "")
        for key in re.findall(r"`(\w+)`", cells[0]):
            said[key] = about
    return said


def read_descriptions(products: dict[str, dict[str, list[str]]]) -> dict[str, dict[str, str]]:
    """Returns for each product what it is, under "", and what its keys are."""
    page = (ROOT / "docs/book-format.md").read_text(encoding="utf-8")
    common = read_rows(section(page, "Keys of every trade"))
    said: dict[str, dict[str, str]] = {}
    for product, keys in products.items():
        text = section(page, f"`{product}`")
        rows = read_rows(text)
        about = {"": " ".join(plain(text.strip().split("\n\n")[0]).split())}
        for key in keys["required"] + keys["optional"]:
            line = rows.get(key, "required")
            line = common.get(key, "") if line == "required" else line
            elsewhere = re.match(r"as (\w+)", line)
            if elsewhere and elsewhere[1] in said:
                line = said[elsewhere[1]].get(key, line)
            about[key] = re.sub(r"(^|; )required( by .*)?(?= |$)", "", line).strip()
        said[product] = about
    return said


# What a value of each kind may be, in the stub.
TYPES = {
    "number": "float",
    "count": "int",
    "bool": "bool",
    "time": "Time",
    "asset": "str",
    "schedule": "Schedule",
}
APART = {
    "assets": "Sequence[str]",
    "weights": "Numbers",
    "initial": "Numbers",
    "coupon_day_count": "str",
    "past": "Mapping[str, float]",
    "quanto": "Mapping[str, str]",
    "tags": "Mapping[str, str]",
}


def stub(table: dict) -> str:
    """Returns the text of products.pyi: a function for each product, as products.py makes it."""
    text = (
        "# app/python/make_table.py writes this.\n"
        "from collections.abc import Mapping, Sequence\n"
        "from typing import Literal, Optional\n\n"
        "from .trade import Numbers, Schedule, Time, Trade\n\n"
        f"__all__ = {json.dumps(list(table['products']))}\n"
    )
    for product, keys in table["products"].items():
        text += f"\ndef {product}(\n    id: Optional[str] = None,\n    *,\n"
        for key in keys["required"] + keys["optional"]:
            about = table["keys"][key]
            words = [word for word in about["words"].split() if word != "-"]
            kind = APART.get(key) or TYPES.get(about["kind"])
            if about["kind"] == "choice":
                kind = "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"
            text += f"    {key}: " + (f"{kind},\n" if key in keys["required"] else f"Optional[{kind}] = None,\n")
        text += ") -> Trade: ...\n"
    return text


def main() -> int:
    keys = read_keys()
    products = read_products(keys)
    table = {"keys": keys, "products": products, "descriptions": read_descriptions(products)}
    made = {
        HERE / "pricer/products.json": json.dumps(table, indent=1) + "\n",
        HERE / "pricer/products.pyi": stub(table),
    }
    stale = [path for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        if sys.argv[1:] == ["--check"]:
            print(f"{path.relative_to(ROOT)} is not current: app/python/make_table.py writes it")
        else:
            path.write_text(made[path], encoding="utf-8")
    return int(sys.argv[1:] == ["--check"] and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
