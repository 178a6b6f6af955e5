"""Tables of results, as the library has them: columns of numbers and of texts."""

from __future__ import annotations

import ctypes
from collections import namedtuple
from collections.abc import Iterator, Mapping
from ctypes import byref, c_int64, c_void_p
from typing import Any, NamedTuple

from ._arrow import stream_capsule
from ._library import call, text
from .errors import NoMemory

numpy: Any
try:
    import numpy
except ImportError:
    numpy = None


class Value(NamedTuple):
    """A number with its standard error and, where there is one, the same of its reference."""

    value: float
    std_error: float
    reference: float
    reference_error: float
    z: float


def numbers(content: bytes) -> Any:
    """Returns a column of doubles: an array of numpy's over these bytes, else a memoryview."""
    if numpy is None:
        return memoryview(content).cast("d")
    return numpy.frombuffer(content, dtype=numpy.float64)


def records(kind: type[Any], columns: Mapping[str, Any], n: int) -> Any:
    """Returns columns of numbers as a structured array; without numpy as a list of rows."""
    if numpy is None:
        return [kind(*row) for row in zip(*columns.values())]
    made = numpy.empty(n, dtype=[(name, numpy.float64) for name in columns])
    for name, column in columns.items():
        made[name] = column
    return made


class Table(Mapping[str, Any]):
    """A table: a mapping of names to columns, of numbers (numpy's arrays, else memoryviews; NaN is
    none) and of texts (lists; None is none). Iterate `rows()` for its rows. It is read by
    polars.DataFrame(table), pyarrow.table(table) and others."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = dict(columns)  # texts as bytes until they are asked for

    def __getitem__(self, name: str) -> Any:
        column = self._columns[name]
        if isinstance(column, tuple):
            column = self._columns[name] = _decoded(column)
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return max(map(len, self._columns.values()), default=0)

    def rows(self) -> Iterator[Any]:
        """Gives the rows, each a named tuple."""
        kind = namedtuple("Row", list(self))  # type: ignore[misc]
        return map(kind._make, zip(*(as_list(column) for column in self.values())))

    def to_pandas(self) -> Any:
        """Returns a DataFrame of pandas, which must be there."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame({name: as_list(column) for name, column in self.items()})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return stream_capsule(self)

    def __repr__(self) -> str:
        return f"<pricer.Table of {self.n_rows} rows: {', '.join(self)}>"


def as_list(column: Any) -> list[Any]:
    """Returns a column as a list."""
    return column if isinstance(column, list) else column.tolist()  # type: ignore[no-any-return]


def _decoded(column: tuple[bytes | None, ...]) -> list[str | None]:
    """Returns texts of bytes; the same ones are decoded once."""
    decoded = {one: text(one) for one in set(column) if one is not None}
    return [decoded.get(one) for one in column]  # type: ignore[arg-type]


def _texts(at: int, n: int) -> tuple[bytes | None, ...]:
    """Copies texts; those that stand in one place once."""
    places = (c_void_p * n).from_address(at)[:]
    copied = {place: ctypes.string_at(place) for place in set(places) if place}
    return tuple([copied[place] if place else None for place in places])


# Columns of the prices that no pricing of a book changes.
_FIXED = ("trade_id", "type", "assets", "model", "currency")


def read_table(results: c_void_p, table: int, fixed: dict[str, Any] | None = None) -> Table:
    """Copies a table of the library's; `fixed` keeps the columns that stay from one pricing of the
    book to the next."""
    rows = call.table_rows(results, table)
    if rows < 0:
        raise NoMemory("not enough memory for a table of results")
    columns: dict[str, Any] = {}
    for i in range(call.table_columns(table)):
        name = text(call.table_column(table, i))
        column = fixed.get(name) if fixed else None
        if column is None:
            column = _column(results, table, i, rows)
        if fixed is not None and name in _FIXED:
            fixed[name] = column
        columns[name] = column
    return Table(columns)


def _column(results: c_void_p, table: int, i: int, rows: int) -> Any:
    name, n = call.table_column(table, i), c_int64()
    if call.table_is_text(table, i):
        at = call.text_column(results, table, name, byref(n)) if rows else None
        return _texts(at, n.value) if at else ()
    at = call.column(results, table, name, byref(n)) if rows else None
    return numbers(ctypes.string_at(at, 8 * n.value) if at else b"")
