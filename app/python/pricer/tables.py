"""Tables of results, as the library has them: columns of numbers and of texts."""

from __future__ import annotations

import ctypes
import weakref
from collections import namedtuple
from collections.abc import Iterator, Mapping
from ctypes import byref, c_int64, c_void_p
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from ._arrow import stream_capsule
from ._library import call, text
from .errors import NoMemory, NotThere

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


_T = TypeVar("_T")


class Named(dict[str, _T]):
    """A dict of what results have by name, which says what there is where a name is not."""

    def __missing__(self, name: str) -> _T:
        raise NotThere(f"there is no {name!r} among {', '.join(self) or 'none'}")


class Table(Mapping[str, Any]):
    """A table: a mapping of names to columns, of numbers (numpy's arrays, else memoryviews; NaN is
    none) and of texts (lists; None is none). Iterate `rows()` for its rows. It is read by
    polars.DataFrame(table), pyarrow.table(table) and others."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns: Named[Any] = Named(columns)  # some of them _Unread until they are asked for

    def __getitem__(self, name: str) -> Any:
        column = self._columns[name]
        if isinstance(column, _Unread):
            column = self._columns[name] = column.read()
        return column

    def __getstate__(self) -> dict[str, Any]:
        return {"_columns": dict(self)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        first: Any = next(iter(self._columns.values()), ())
        rows: int = first.snapshot.n_rows if isinstance(first, _Unread) else len(first)
        return rows

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


class _Snapshot:
    """A table of the library's as it was, released with the last of its columns."""

    def __init__(self, results: c_void_p, table: int) -> None:
        self.at, self.n_rows = c_void_p(), call.table_rows(results, table)
        if self.n_rows < 0 or call.snapshot_take(results, table, byref(self.at)):
            raise NoMemory("not enough memory for a table of results")
        weakref.finalize(self, call.snapshot_free, self.at).atexit = False


# Texts of the prices that no pricing of a book changes.
_FIXED = ("trade_id", "type", "assets", "model", "currency")


class _Unread(NamedTuple):
    """A column that nobody has asked for; `fixed` keeps those that stay from one pricing of the
    book to the next."""

    snapshot: _Snapshot
    name: str
    is_text: bool
    fixed: dict[str, tuple[str | None, ...]] | None

    def read(self) -> Any:
        """Copies it."""
        if self.fixed is None or self.name not in _FIXED:
            return self._copied()
        if self.name not in self.fixed:
            self.fixed[self.name] = tuple(self._copied())
        return list(self.fixed[self.name])

    def _copied(self) -> Any:
        n, name = c_int64(), self.name.encode()
        if self.is_text:
            return _texts(call.snapshot_text_column(self.snapshot.at, name, byref(n)), n.value)
        at = call.snapshot_column(self.snapshot.at, name, byref(n))
        return numbers(ctypes.string_at(at, 8 * n.value))


def _texts(at: int, n: int) -> list[str | None]:
    """Copies texts; those that stand in one place once."""
    places = (c_void_p * n).from_address(at)[:]
    copied = {place: text(ctypes.string_at(place)) for place in set(places) if place}
    return [copied.get(place) for place in places]  # type: ignore[arg-type]


@lru_cache(maxsize=None)
def _form(table: int) -> list[tuple[str, bool]]:
    """Returns the names of a table's columns, and whether they are of texts."""
    columns = range(call.table_columns(table))
    return [
        (text(call.table_column(table, i)), bool(call.table_is_text(table, i))) for i in columns
    ]


def read_table(results: c_void_p, table: int, fixed: dict[str, Any] | None = None) -> Table:
    """Takes a table of the library's as it is now: its columns are copied when they are asked
    for."""
    snapshot = _Snapshot(results, table)
    if not snapshot.n_rows:
        return Table({name: [] if is_text else numbers(b"") for name, is_text in _form(table)})
    return Table({name: _Unread(snapshot, name, is_text, fixed) for name, is_text in _form(table)})
