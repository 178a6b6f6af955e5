"""A function for each product, made of the library's table of keys: its parameters are the keys."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from ._keys import Key, product_keys, product_names, refuse_unknown
from .errors import BadCall
from .trade import Trade

__all__ = product_names()


def _signature(required: list[Key], optional: list[Key]) -> inspect.Signature:
    only = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("id", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    parameters += [inspect.Parameter(key.name, only) for key in required]
    parameters += [inspect.Parameter(key.name, only, default=None) for key in optional]
    return inspect.Signature(parameters, return_annotation=Trade)


def _docstring(product: str, keys: list[Key]) -> str:
    article = "an" if product[0] in "aeiou" else "a"
    lines = [f"Makes {article} {product}, which docs/book-format.md or docs/scripts.md defines.", ""]
    lines.append("id: unique in the book; called after its place where not given")
    for key in keys:
        said = f"{key.name}: {key.described()}"
        lines.append(textwrap.fill(said, 98, subsequent_indent="    "))
    return "\n".join(lines)


def _make(product: str) -> Callable[..., Trade]:
    required, optional = product_keys(product)
    signature = _signature(required, optional)

    def make(*arguments: Any, **keys: Any) -> Trade:
        refuse_unknown(product, keys)
        try:
            given = signature.bind(*arguments, **keys)
        except TypeError as error:
            raise BadCall(f"{product}() {error}") from None
        return Trade(product, **given.arguments)

    make.__name__ = make.__qualname__ = product
    make.__module__ = "pricer"
    make.__doc__ = _docstring(product, required + optional)
    make.__signature__ = signature  # type: ignore[attr-defined]
    return make


for _product in __all__:
    globals()[_product] = _make(_product)
