"""The keys of books, as the library tells them: there is one table, by which books are read."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, sizeof
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

from ._library import KeyRow, call, text
from .errors import BadCall

# The bits of enum pricer_form, from the lowest on.
FORMS = (
    *("number", "whole", "text", "boolean", "time", "date"),
    *("numbers", "texts", "times", "rows", "group", "groups"),
)


class Key(NamedTuple):
    """What a group of a book may have."""

    name: str
    forms: tuple[str, ...]  # of FORMS
    required: bool
    instead_of: str  # the key in whose place it may stand, "" for none
    fallback: str  # what it is where it is not given, "" where `meaning` says
    meaning: str
    words: tuple[str, ...]  # the texts that it may be, () for any
    range: str

    def described(self) -> str:
        """Returns what it is as one line."""
        said = [self.meaning]
        if self.words:
            said.append(" or ".join(f'"{word}"' for word in self.words))
        if self.range:
            said.append(self.range)
        if self.instead_of:
            said.append(f"in place of {self.instead_of}")
        if self.fallback:
            said.append(f"{self.fallback} where not given")
        return "; ".join(said)


def table_keys(table: str) -> list[Key]:
    """Returns the keys of a table, as "market.assets" or "book.trades[asian]"; [] of none."""
    name = table.encode()
    return [_key(name, i) for i in range(call.keys(name))]


def _key(table: bytes, i: int) -> Key:
    row = KeyRow(size=sizeof(KeyRow))
    call.key(table, i, byref(row))
    return Key(
        text(row.name),
        tuple(form for bit, form in enumerate(FORMS) if row.forms >> bit & 1),
        bool(row.required),
        text(row.instead_of),
        text(row.fallback),
        text(row.meaning),
        tuple(text(row.words).split()),
        text(row.range),
    )


def product_names() -> list[str]:
    """Returns the products of trades."""
    return [text(call.product(i)) for i in range(call.products())]


def product_keys(product: str) -> tuple[list[Key], list[Key]]:
    """Returns the keys that a trade must have and those that it may have, but `id` and `type`.
    Where one may stand in the place of another, neither must be there."""
    keys = [key for key in table_keys(f"book.trades[{product}]") if key.name not in ("id", "type")]
    replaced = {key.instead_of for key in keys}
    required = [key for key in keys if key.required and key.name not in replaced]
    return required, [key for key in keys if key not in required]


@lru_cache(maxsize=None)
def _names(product: str) -> list[str]:
    """Returns the names of all keys of a product."""
    required, optional = product_keys(product)
    return ["id", "type", *(key.name for key in required + optional)]


def refuse_unknown(product: str, keys: Iterable[str]) -> None:
    """Refuses the first key that a trade of this product cannot have."""
    known = _names(product)
    for key in keys:
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise BadCall(f"unknown key '{key}' in {product}(){hint}")
