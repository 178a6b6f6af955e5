"""What a book comes to: prices beside their references, Greeks, scenarios, value at risk."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ._arrow import stream_capsule
from ._html import results_html
from ._library import call, text
from ._report import write_report
from .errors import NoAttribute, NotThere
from .tables import Named, Table, Value, as_list, numbers, read_table, records

if TYPE_CHECKING:
    from ctypes import c_void_p

    from ._session import Session


class Price(NamedTuple):
    """The row of a trade, with the columns of the results' files (docs/book-format.md). Money is in
    its currency and for the whole quantity."""

    id: str
    type: str
    assets: str
    model: str
    currency: str
    quantity: float
    price: float
    std_error: float
    paths: float
    reference: float
    reference_error: float
    reference_method: Optional[str]
    z: float
    status: str
    message: Optional[str]
    upper: float
    upper_error: float
    control: Optional[str]
    variance_ratio: float
    note: Optional[str]


TABLES = ("prices", "greeks", "pnl", "risk", "totals")  # the first of enum pricer_table


class Results:
    """The results of a book, a sequence of rows in the order of its trades.

    results[0] and results["T7"] are a row (Price); results.price, .std_error, .status and the
    others are columns: numbers are numpy's arrays, without numpy memoryviews, and texts lists.

    digest: equal digests mean equal bits of all prices and their errors
    troubles: how many numbers are to be looked at before they are used
    engine, kernel, device: what it ran on
    tables: by name, "prices", "greeks", "pnl", "risk" and "totals", a row for each number
    """

    def __init__(self, session: Session, results: c_void_p) -> None:
        # All is taken now, while the session is this thread's alone.
        self._of = (*session.key, dict(session.sets))
        self.digest: str = f"{call.digest(results):016x}"
        self.troubles: int = call.troubles(results)
        self.engine: str = text(call.engine(results))
        self.kernel: str = text(call.kernel(results))
        self.device: str = text(call.device(results))
        self.complaints = list(session.complaints)
        self.tables = Named(
            (name, read_table(results, i, None if i else session.fixed))
            for i, name in enumerate(TABLES)
        )
        self._greeks = _names(call.greeks, call.greek_name, results)
        self._scenarios = _names(call.scenarios, call.scenario_name, results)

    # ---- rows

    def __len__(self) -> int:
        return self.tables["prices"].n_rows

    @cached_property
    def _rows(self) -> list[Price]:
        return list(map(Price._make, self.tables["prices"].rows()))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {id: i for i, id in enumerate(self.ids)}

    def __iter__(self) -> Iterator[Price]:
        return iter(self._rows)

    def __getitem__(self, key: int | str) -> Price:
        try:
            return self._rows[self._places[key] if isinstance(key, str) else key]
        except (LookupError, TypeError):
            raise NotThere(f"the results have no row {key!r}") from None

    # ---- columns

    @property
    def ids(self) -> list[str]:
        """The identifiers of the trades."""
        return self.tables["prices"]["trade_id"]  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name in Price._fields[1:]:
            return self.tables["prices"][name]
        raise NoAttribute(f"results have no '{name}'")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *Price._fields[1:]]

    @cached_property
    def prices(self) -> Any:
        """The numbers of all trades in one structured array; without numpy the list of rows."""
        if isinstance(self.price, memoryview):
            return self._rows
        columns = self.tables["prices"].items()
        only = {name: column for name, column in columns if not isinstance(column, list)}
        return records(Price, only, len(self))

    # ---- risk

    @cached_property
    def greeks(self) -> dict[str, Any]:
        """By name, "delta:SX5E", the Values of the trades: a structured array, without numpy a
        list; NaN of a trade that does not depend on it."""
        table = self.tables["greeks"]
        parts = zip(*(table[name] for name in ("greek", "factor", "other", "bucket", "strike")))
        names = [_greek_name(*part) for part in parts]
        return self._by_trade(self._greeks, names, table["trade_id"], table, Value._fields)

    @cached_property
    def scenarios(self) -> dict[str, Any]:
        """By name the profits of the trades, as Values without a reference."""
        table, rows = self.tables["pnl"], self._profits("trade")
        of = {name: [as_list(table[name])[i] for i in rows] for name in ("value", "std_error")}
        names, ids = ([table[name][i] for i in rows] for name in ("name", "of"))
        return self._by_trade(self._scenarios, names, ids, of, ("value", "std_error"))

    @cached_property
    def totals(self) -> dict[str, Value]:
        """By name of the scenario the profit of the whole book, in its reporting currency."""
        table, nan = self.tables["pnl"], float("nan")
        return Named(
            (table["name"][i], Value(table["value"][i], table["std_error"][i], nan, nan, nan))
            for i in self._profits("total")
        )

    @property
    def risk(self) -> list[Any]:
        """Value at risk and expected shortfall of the whole book, a row for each confidence; those
        of its parts are in tables["risk"]."""
        return [row for row in self.tables["risk"].rows() if row.by == "total"]

    def _profits(self, by: str) -> list[int]:
        """Returns the rows of profits in scenarios, of totals or of trades."""
        kinds = zip(self.tables["pnl"]["kind"], self.tables["pnl"]["by"])
        return [i for i, kind in enumerate(kinds) if kind == ("scenario", by)]

    def _by_trade(
        self, names: list[str], of: list[str], ids: list[str], table: Mapping[str, Any], fields: Any
    ) -> dict[str, Any]:
        """Lays rows of a table out by name and trade, in the order of names and trades."""
        n, nan = len(self), float("nan")
        laid = {name: {field: [nan] * n for field in Value._fields} for name in names}
        for field in fields:
            for name, id, value in zip(of, ids, table[field]):
                laid[name][field][self._places[id]] = value
        return Named((name, records(Value, columns, n)) for name, columns in laid.items())

    # ---- for other programs

    def table(self) -> Table:
        """Returns a row for each trade: its prices, then Greeks and profits with their errors, each
        under the name that the command's CSV file has for it."""
        columns = dict(self.tables["prices"])
        profits = {f"pnl:{name}": values for name, values in self.scenarios.items()}
        for name, values in {**self.greeks, **profits}.items():
            kind, colon, rest = name.partition(":")
            columns[name] = _field(values, "value")
            columns[f"{kind}_se{colon}{rest}"] = _field(values, "std_error")
        return Table(columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns the table as a stream of Arrow's, for polars.DataFrame(results),
        pyarrow.table(results) and others; what is not there is null."""
        return stream_capsule(self.table())

    def to_pandas(self) -> Any:
        """Returns the table as a DataFrame of pandas, which must be there, by identifiers."""
        return self.table().to_pandas().set_index("trade_id")

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report, one page of HTML. The command `pricer` does it and must be installed
        (or named in the environment, PRICER_COMMAND): it prices the book again, with the same
        options, and the digest is held against this one."""
        write_report(*self._of, self.digest, os.fspath(path))

    def _repr_html_(self) -> str:
        return results_html(self)

    def __repr__(self) -> str:
        counted = ", ".join(f"{self.status.count(one)} {one}" for one in dict.fromkeys(self.status))
        return f"<pricer.Results {len(self)} trades: {counted}; digest {self.digest}>"


def _names(count: Any, name: Any, results: c_void_p) -> list[str]:
    return [text(name(results, i)) for i in range(count(results))]


def _greek_name(
    greek: str, factor: str | None, other: str | None, bucket: float, strike: float
) -> str:
    """Returns the name of a Greek, as `cross_gamma:SX5E:DAX`; vega_bucket is `vega:SX5E@0.5`,
    vega_strike `vega:SX5E@0.5/4850`, vega_quote `vega:EURCHF@0.5/rr25`."""
    kind = greek.removesuffix("_bucket").removesuffix("_strike").removesuffix("_quote")
    quoted = greek == "vega_quote"
    name = ":".join(part for part in (kind, factor, None if quoted else other) if part)
    name += "" if bucket != bucket else f"@{bucket:g}"
    return name + ("" if strike != strike else f"/{strike:g}") + (f"/{other}" if quoted else "")


def _field(values: Any, field: str) -> Any:
    """Returns one field of Values as a column."""
    if isinstance(values, list):
        return numbers(array("d", (getattr(value, field) for value in values)).tobytes())
    return values[field]
