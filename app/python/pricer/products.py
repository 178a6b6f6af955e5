"""A function for each product, made of the table of keys (products.json): its parameters are the
product's keys. docs/book-format.md describes them."""

from __future__ import annotations

import inspect
import json
import os
import textwrap
from collections.abc import Callable
from typing import Any

from .trade import Trade

with open(os.path.join(os.path.dirname(__file__), "products.json"), encoding="utf-8") as _file:
    _TABLE = json.load(_file)

__all__ = list(_TABLE["products"])


def _signature(required: list[str], optional: list[str]) -> inspect.Signature:
    only = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("id", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    parameters += [inspect.Parameter(key, only) for key in required]
    parameters += [inspect.Parameter(key, only, default=None) for key in optional]
    return inspect.Signature(parameters, return_annotation=Trade)


def _said(about: str, first: str = "", rest: str = "    ") -> str:
    return textwrap.fill(about, 98, initial_indent=first, subsequent_indent=rest)


def _docstring(product: str, keys: list[str]) -> str:
    descriptions = _TABLE["descriptions"][product]
    lines = [_said(descriptions[""], rest=""), "", "id: unique in the book"]
    lines += [_said(f"{key}: {descriptions[key]}") for key in keys]
    return "\n".join(lines)


def _make(product: str) -> Callable[..., Trade]:
    required, optional = (_TABLE["products"][product][part] for part in ("required", "optional"))
    signature = _signature(required, optional)

    def make(*arguments: Any, **keys: Any) -> Trade:
        try:
            given = signature.bind(*arguments, **keys)
        except TypeError as error:
            raise TypeError(f"{product}() {error}") from None
        return Trade(product, **given.arguments)

    make.__name__ = make.__qualname__ = product
    make.__module__ = "pricer"
    make.__doc__ = _docstring(product, required + optional)
    make.__signature__ = signature  # type: ignore[attr-defined]
    return make


for _product in __all__:
    globals()[_product] = _make(_product)
