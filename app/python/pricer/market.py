"""The market of a book: currencies, assets and correlations, as docs/book-format.md has them."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Iterable, Mapping
from typing import Any, Union

from ._text import group, plain, written
from .errors import BadCall, BadInput

Date = Union[str, datetime.date]
Groups = Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]


def _named(groups: Any, only: str, what: str) -> dict[str, dict[str, Any]]:
    """Returns groups by their names; a plain value is that of the key `only`."""
    if not isinstance(groups, Iterable) or isinstance(groups, (str, bytes)):
        raise BadCall(f"{what}: a dict of names must be given, got {groups!r}")
    if not isinstance(groups, Mapping):
        groups = {_name_of(entry, what): entry for entry in groups}
    made = {}
    for name, keys in groups.items():
        keys = plain(keys)
        if not isinstance(keys, Mapping):
            if not only:
                raise BadInput(f"{what} '{name}' must be a dict of its keys, got {keys!r}")
            keys = {only: keys}
        made[name] = {"name": name, **keys}
    return made


def _name_of(keys: Any, what: str) -> str:
    if isinstance(keys, Mapping) and isinstance(keys.get("name"), str):
        return str(keys["name"])
    raise BadInput(f"{what} must be a dict with a name, got {keys!r}")


def _pairs(correlations: Any) -> list[dict[str, Any]]:
    try:
        if not isinstance(correlations, Mapping):
            return [dict(pair) for pair in correlations]
        return [{"assets": list(pair), "value": value} for pair, value in correlations.items()]
    except (TypeError, ValueError):
        raise BadCall(f"correlations must be a dict of pairs, got {correlations!r}") from None


class Market:
    """A market on a date.

    currencies: a dict of names, each with its rate or the keys of a currency:
        {"EUR": 0.025, "USD": {"curve": {"times": ["1Y"], "zero_rates": [0.04]}}}
    assets: a dict of names, each with the keys of an asset:
        {"SX5E": {"currency": "EUR", "spot": 4850.0, "volatility": 0.18}}
    correlations: a dict of pairs: {("SX5E", "DAX"): 0.9}
    valuation_date: a date, needed where trades or curves have dates or tenors
    calendars: a dict of names, each with the CSV file of its holidays

    Lists of dicts with a name, as a book's file has them, are taken as well. `set_spot` and the
    dicts `currencies` and `assets` may change a market; a book takes what it is when it is made.
    """

    def __init__(
        self,
        currencies: Groups,
        assets: Groups,
        correlations: Any = (),
        *,
        valuation_date: Date | None = None,
        calendars: Groups = (),
    ) -> None:
        self.currencies = _named(currencies, "rate", "currency")
        self.assets = _named(assets, "", "asset")
        self.correlations = _pairs(correlations)
        self.calendars = _named(calendars, "file", "calendar")
        self.valuation_date = valuation_date

    def set_spot(self, asset: str, spot: float) -> None:
        """Moves the spot of an asset."""
        if asset not in self.assets:
            raise BadInput(f"asset '{asset}' is no asset of the market")
        self.assets[asset]["spot"] = spot

    def copy(self) -> Market:
        """Returns a market that may be changed by itself."""
        return copy.deepcopy(self)

    def _text(self) -> str:
        """Returns the part of a book's file that the market is."""
        lines = []
        if self.valuation_date is not None:
            lines.append(f"valuation_date = {written(self.valuation_date, 'valuation_date')};")
        if self.calendars:
            lines.append(_rows("calendars", self.calendars.values()))
        lines.append("market = {")
        lines.append(_rows("currencies", self.currencies.values()))
        lines.append(_rows("assets", self.assets.values()))
        if self.correlations:
            lines.append(_rows("correlations", self.correlations))
        lines.append("};")
        return "\n".join(lines)

    def __repr__(self) -> str:
        day = f" of {self.valuation_date}" if self.valuation_date else ""
        return f"<pricer.Market{day}: {', '.join(self.currencies)}; {', '.join(self.assets)}>"


def _rows(name: str, groups: Iterable[Mapping[str, Any]]) -> str:
    return f"{name} = (\n" + ",\n".join("  " + group(keys) for keys in groups) + " );"
