"""Numbers of a book's market, from the term structures and surfaces that it is priced with; models
fitted to these."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ._library import call, text
from ._text import checked, plain
from .errors import BadCall, BadInput, NotThere

DISCOUNT, FORWARD, VOLATILITY = range(3)  # enum pricer_market_number
Read = Callable[[int, str, "list[float]", "list[float]"], "list[float]"]


def _number(value: Any, what: str) -> float:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise BadCall(f"{what} must be a number, got {value!r}")
    return float(value)


def _points(value: Any, what: str) -> list[float]:
    value = plain(value)
    many = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
    return [_number(one, what) for one in (value if many else [value])]


def _at(read: Read, what: int, of: str, times: Any, strikes: Any = 1.0) -> Any:
    """Reads at times and strikes, of which one may be a list, or both: a number, or a list."""
    single = not any(isinstance(plain(one), list) for one in (times, strikes))
    t, k = _points(times, "t"), _points(strikes, "a strike")
    n = max(len(t), len(k))
    if {len(t), len(k)} - {1, n}:
        raise BadInput(f"as many times as strikes must be given, got {len(t)} and {len(k)}")
    values = read(what, of, t * n if len(t) == 1 else t, k * n if len(k) == 1 else k)
    return values[0] if single else values


class AssetNow:
    """An asset of a book's market: `spot`, `forward(t)`, `vol(t, k)`; t in years, or a list."""

    def __init__(self, read: Read, name: str) -> None:
        self._read, self.name = read, name

    @property
    def spot(self) -> float:
        """Today's spot."""
        return _at(self._read, FORWARD, self.name, 0.0)  # type: ignore[no-any-return]

    def forward(self, t: Any) -> Any:
        """The forward, after the cash dividends until then."""
        return _at(self._read, FORWARD, self.name, t)

    def vol(self, t: Any, k: Any) -> Any:
        """The implied volatility at a time and a strike."""
        return _at(self._read, VOLATILITY, self.name, t, k)

    def __repr__(self) -> str:
        return f"<asset {self.name}: spot {self.spot:g}>"


class Assets(Mapping[str, AssetNow]):
    """The assets of a book's market by name."""

    def __init__(self, read: Read, names: list[str]) -> None:
        self._read, self._names = read, names

    def __getitem__(self, name: str) -> AssetNow:
        if name not in self._names:
            raise NotThere(f"'{name}' is no asset of the market: {', '.join(self._names)}")
        return AssetNow(self._read, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class MarketNow:
    """The market of a book as it is set now: `assets`, `discount(currency, t)`."""

    def __init__(self, read: Read, names: list[str]) -> None:
        self._read, self.assets = read, Assets(read, names)

    def discount(self, currency: str, t: Any) -> Any:
        """What 1 of the currency paid after t years is worth today; t may be a list."""
        return _at(self._read, DISCOUNT, checked(currency, "currency"), t)

    def __repr__(self) -> str:
        return f"<market of {', '.join(self.assets)}>"


def implied_vol(
    price: float,
    *,
    forward: float,
    strike: float,
    t: float,
    option: str = "call",
    discount: float = 1.0,
) -> float:
    """Returns the volatility at which Black's formula has the price of a European option on a
    forward, t years from now; `discount` is the factor to its payment."""
    if option not in ("call", "put"):
        raise BadInput(f'option must be "call" or "put", got {option!r}')
    given = {"price": price, "forward": forward, "strike": strike, "t": t, "discount": discount}
    value, f, k, years, factor = (_number(one, name) for name, one in given.items())
    if not all(x > 0 and math.isfinite(x) for x in (f, k, years, factor)):
        raise BadInput("forward, strike, t and discount must be > 0 and finite")
    found: float = call.implied_volatility(int(option == "call"), value / factor, f, k, years)
    if math.isnan(found):
        least = max(0.0, f - k if option == "call" else k - f) * factor
        most = (f if option == "call" else k) * factor
        raise BadInput(f"price must lie between {least:g} and {most:g}, got {value:g}")
    return found


class Fit(NamedTuple):
    """A model fitted to a surface: `keys` are what a book has in the groups of its names,
    {"heston": {"v0": ...}}; `errors` the standard errors, NaN where the surface does not tell the
    parameter. The others are annual volatility: root mean square error and largest difference to
    the market, and the largest to the reference's prices of the fit."""

    model: str
    keys: dict[str, dict[str, float]]
    errors: dict[str, float]
    rmse: float
    largest: float
    checked: float


def calibrate(book: Any, asset: str, model: str = "heston") -> Fit:
    """Fits "heston" or "bates" to the implied surface of an asset of a book, as it is set now. The
    book stays as it is; the command's --calibrate finds the same."""
    if not hasattr(book, "_read_fit"):
        raise BadCall(f"book must be a pricer.Book, got {book!r}")
    row = book._read_fit(asset, model)
    names = [text(name) for name in row.names[: row.n]]
    found = dict(zip(names, row.values))
    keys = {"heston": {name: found[name] for name in names[:5]}}
    if row.n > 5:
        keys["jumps"] = {name: found[name] for name in names[5:]}
    return Fit(model, keys, dict(zip(names, row.errors)), row.rmse, row.largest, row.checked)
