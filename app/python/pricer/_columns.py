"""Columns of numbers: numpy's arrays where numpy is, else memoryviews of doubles."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

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


def column(numbers: Iterable[float]) -> Any:
    """Returns a column of doubles."""
    made = array("d", numbers)
    return memoryview(made) if numpy is None else numpy.frombuffer(made, dtype=numpy.float64)


def records(fields: Sequence[str], rows: Sequence[tuple[float, ...]], row: Any) -> Any:
    """Returns a structured array of doubles of these fields; without numpy a list of `row`s."""
    if numpy is None:
        return [row(*numbers) for numbers in rows]
    made = numpy.array(rows, dtype=numpy.float64).reshape(len(rows), len(fields))
    return made.view([(field, numpy.float64) for field in fields]).reshape(len(rows))
