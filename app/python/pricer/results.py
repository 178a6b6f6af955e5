"""What a book comes to: prices beside their references, Greeks, scenarios."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ._arrow import stream_capsule
from ._columns import Value, column, numpy, records
from ._html import results_html
from ._library import call, text
from ._report import write_report

if TYPE_CHECKING:
    from ctypes import c_void_p

    from ._session import Session


class Price(NamedTuple):
    """The row of a trade; money is in its currency and for the whole quantity."""

    id: str
    currency: str
    status: str
    quantity: float
    price: float
    std_error: float
    paths: float
    reference: float
    reference_error: float
    z: float
    upper: float
    upper_error: float
    message: str


NUMBERS = Price._fields[3:12]  # in the order of enum pricer_column


class Results:
    """The results of a book, a sequence of rows in the order of its trades.

    results[0] and results["T7"] are a row; results.price, .std_error, .reference and the other
    numbers of a row are columns, results.prices all of them in one structured array (without numpy:
    memoryviews, and the list of rows).

    digest: equal digests mean equal bits of all prices and their errors
    greeks: by name, "delta:SX5E", the value of each trade with its error and its reference
    scenarios: by name, the profit of each trade; totals: of the whole book
    troubles: how many numbers are to be looked at before they are used
    engine, kernel, device: what it ran on
    """

    def __init__(self, session: Session, results: c_void_p) -> None:
        # All is read now, while the session is this thread's alone.
        self._of = (*session.key, dict(session.sets))
        n = call.trades(results)
        self.digest: str = f"{call.digest(results):016x}"
        self.troubles: int = call.troubles(results)
        self.engine: str = text(call.engine(results))
        self.kernel: str = text(call.kernel(results))
        self.device: str = text(call.device(results))
        self.complaints = list(session.complaints)
        self._rows = [_row(results, i) for i in range(n)]
        self._places = {row.id: i for i, row in enumerate(self._rows)}
        self.greeks = {
            text(call.greek_name(results, greek)): _values(
                call.greek(results, greek, trade) for trade in range(n)
            )
            for greek in range(call.greeks(results))
        }
        names = [text(call.scenario_name(results, i)) for i in range(call.scenarios(results))]
        self.scenarios = {
            name: _values(call.scenario(results, i, trade) for trade in range(n))
            for i, name in enumerate(names)
        }
        self.totals = {
            name: _value(call.scenario(results, i, -1)) for i, name in enumerate(names)
        }

    # ---- rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Price]:
        return iter(self._rows)

    def __getitem__(self, key: int | str) -> Price:
        return self._rows[self._places[key] if isinstance(key, str) else key]

    # ---- columns

    @property
    def ids(self) -> list[str]:
        """The identifiers of the trades."""
        return [row.id for row in self._rows]

    @property
    def prices(self) -> Any:
        """All numbers of all trades: a structured array, without numpy the list of rows."""
        if numpy is None:
            return list(self._rows)
        return records(NUMBERS, [row[3:12] for row in self._rows], None)

    def __getattr__(self, name: str) -> Any:
        if name in NUMBERS:
            return column(getattr(row, name) for row in self._rows)
        if name in Price._fields:
            return [getattr(row, name) for row in self._rows]
        raise AttributeError(f"results have no '{name}'")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *NUMBERS, "currency", "status", "message"]

    # ---- for other programs

    def table(self) -> dict[str, list[Any]]:
        """Returns all columns as lists: those of rows, then Greeks and profits with their errors."""
        made: dict[str, list[Any]] = {
            field: [row[i] for row in self._rows] for i, field in enumerate(Price._fields)
        }
        for name, values in self.greeks.items():
            made[name], made[_error_name(name)] = _both(values)
        for name, values in self.scenarios.items():
            made[f"pnl:{name}"], made[f"pnl_se:{name}"] = _both(values)
        return made

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns the table as a stream of Arrow's, for polars.DataFrame(results),
        pyarrow.table(results) and others; what is not there is null."""
        return stream_capsule(self.table())

    def to_pandas(self) -> Any:
        """Returns the table as a DataFrame of pandas, which must be there, by identifiers."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame(self.table()).set_index("id")

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report, one page of HTML. The command `pricer` does it and must be installed
        (or named in the environment, PRICER_COMMAND): it prices the book again, with the same
        options, and the digest is held against this one."""
        write_report(*self._of, self.digest, os.fspath(path))

    def _repr_html_(self) -> str:
        return results_html(self)

    def __repr__(self) -> str:
        kinds = {status: self.status.count(status) for status in self.status}
        counted = ", ".join(f"{n} {status}" for status, n in kinds.items())
        return f"<pricer.Results {len(self)} trades: {counted}; digest {self.digest}>"


def _row(results: c_void_p, i: int) -> Price:
    return Price._make(_fields(results, i))


def _fields(results: c_void_p, i: int) -> Iterator[Any]:
    """Gives the fields of a row, one after the other."""
    yield text(call.trade_id(results, i))
    yield text(call.trade_currency(results, i))
    yield text(call.trade_status_text(call.trade_status(results, i)))
    for number in range(len(NUMBERS)):
        yield call.number(results, number, i)
    yield text(call.trade_message(results, i))


def _value(value: Any) -> Value:
    return Value(value.value, value.std_error, value.reference, value.reference_error, value.z)


def _values(values: Any) -> Any:
    return records(Value._fields, [tuple(_value(value)) for value in values], Value)


def _both(values: Any) -> tuple[list[float], list[float]]:
    """Returns values and standard errors as lists."""
    if numpy is not None:
        return values["value"].tolist(), values["std_error"].tolist()
    return [value.value for value in values], [value.std_error for value in values]


def _error_name(greek: str) -> str:
    """Returns the name of a Greek's error: delta_se:SX5E, as the results' files have it."""
    kind, colon, rest = greek.partition(":")
    return f"{kind}_se{colon}{rest}"
