"""A trade: a product and its keys."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, Union

from ._keys import product_names, refuse_unknown
from ._text import plain
from .errors import BadInput

# Years from the valuation date, a date, or a date or a tenor as a text: "2027-06-18", "18M".
Time = Union[float, datetime.date, str]


class Trade(Mapping[str, Any]):
    """A trade as a book states it: a mapping of keys (docs/book-format.md), `type` and `id` too.

    The function of a product makes it: pricer.european(asset="SX5E", ...). One whose payoff is a
    script has that in place of a type: pricer.Script("cliff.pay", ...), or the text of one.
    It does not change; `trade.but(strike=100)` returns another one.
    """

    __slots__ = ("_keys",)

    def __init__(self, type: str | None = None, id: str | None = None, **keys: Any) -> None:
        self._keys: dict[str, Any] = {} if id is None else {"id": id}
        if type is not None:
            self._keys["type"] = type
        self._keys.update((key, plain(value)) for key, value in keys.items() if value is not None)

    def but(self, **keys: Any) -> Trade:
        """Returns this trade with other keys; None takes one away."""
        made = Trade(**{**self._keys, **keys})
        if made.get("type") in product_names():
            refuse_unknown(made["type"], keys)
        return made

    def __getitem__(self, key: str) -> Any:
        return self._keys[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        keys = ", ".join(f"{key}={value!r}" for key, value in self.items() if key != "type")
        return f"pricer.{self.get('type', 'Trade')}({keys})"


def Script(text: str, id: str | None = None, **parameters: Any) -> Trade:  # noqa: N802
    """Makes a trade whose payoff a script states, its text or a file ending in .pay."""
    return Trade(script=text, id=id, **parameters)


def as_trade(trade: Any, number: int) -> Trade:
    """Returns a trade with an id: one without is called after its place."""
    if not isinstance(trade, Mapping):
        raise BadInput(f"trade {number} must be a pricer.Trade or a dict, got {trade!r}")
    made = Trade.__new__(Trade)
    named = trade if trade.get("id") is not None else {"id": f"trade {number}", **trade}
    made._keys = {key: plain(value) for key, value in named.items() if value is not None}
    made._keys.setdefault("id", f"trade {number}")
    return made
