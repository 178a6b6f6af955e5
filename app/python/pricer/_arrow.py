"""A table as a stream of the Arrow C data interface, which pandas, polars, DuckDB and others read.

https://arrow.apache.org/docs/format/CDataInterface.html and its CStreamInterface.html: a schema, an
array of as many children as there are columns, and a stream that gives both. Each structure is
released by the function that it points to, wherever its consumer has moved it: its private_data is
a number under which _HELD keeps what it points to until then.
"""

from __future__ import annotations

import ctypes
import errno
import itertools
import math
from array import array
from collections.abc import Callable, Mapping
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, addressof, c_char_p, c_int, c_int64
from ctypes import c_void_p, cast, pointer, py_object, pythonapi
from typing import Any

_NULLABLE = 2  # ARROW_FLAG_NULLABLE
_NAME = b"arrow_array_stream"


class Schema(Structure):
    """struct ArrowSchema."""


class Array(Structure):
    """struct ArrowArray."""


class Stream(Structure):
    """struct ArrowArrayStream."""


Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", c_void_p),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", c_void_p),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", c_void_p),
    ("get_next", c_void_p),
    ("get_last_error", c_void_p),
    ("release", c_void_p),
    ("private_data", c_void_p),
]

_HELD: dict[int, Any] = {}
_numbers = itertools.count(1)


def _hold(what: Any) -> int:
    number = next(_numbers)
    _HELD[number] = what
    return number


def _release(structure: Any) -> None:
    """Releases a structure, with those of its children that nobody has moved away."""
    for i in range(getattr(structure, "n_children", 0)):
        child = structure.children[i].contents
        if child.release:
            _release(child)
    _HELD.pop(structure.private_data, None)
    structure.release = None


_release_schema = CFUNCTYPE(None, POINTER(Schema))(lambda at: _release(at.contents))
_release_array = CFUNCTYPE(None, POINTER(Array))(lambda at: _release(at.contents))
_release_stream = CFUNCTYPE(None, POINTER(Stream))(lambda at: _release(at.contents))
_RELEASES = {Schema: cast(_release_schema, c_void_p), Array: cast(_release_array, c_void_p)}


def _finish(structure: Any, children: list[Any], held: Any) -> Any:
    """Gives a structure its children and what releases it."""
    kind = type(structure)
    structure.n_children = len(children)
    structure.children = (POINTER(kind) * len(children))(*(pointer(child) for child in children))
    structure.private_data = _hold((held, children, structure.children))
    structure.release = _RELEASES[kind]
    return structure


# ---- columns


def _schema(columns: Mapping[str, Any]) -> Any:
    made = []
    for name, values in columns.items():
        kind, encoded = b"u" if isinstance(values, list) else b"g", name.encode()
        made.append((Schema(format=kind, name=encoded, flags=_NULLABLE), encoded))
    children = [_finish(child, [], encoded) for child, encoded in made]
    return _finish(Schema(format=b"+s", name=b""), children, None)


def _bits(nulls: list[bool]) -> bytes:
    """Returns the validity of a column: a bit each, the lowest first."""
    bits = bytearray((len(nulls) + 7) // 8)
    for i, null in enumerate(nulls):
        bits[i >> 3] |= (not null) << (i & 7)
    return bytes(bits)


def _buffers(values: Any) -> tuple[list[bytes | None], int]:
    """Returns the buffers of a column, and how many nulls it has: None among texts, else NaN."""
    if isinstance(values, list):
        nulls = [value is None for value in values]
        encoded = [value.encode() if value is not None else b"" for value in values]
        ends = array("i", itertools.accumulate(map(len, encoded), initial=0))
        contents = [ends.tobytes(), b"".join(encoded)]
    else:
        nulls = list(map(math.isnan, values))
        contents = [values.tobytes()]
    return [_bits(nulls) if any(nulls) else None, *contents], sum(nulls)


def _column(values: Any) -> tuple[Any, Any]:
    """Returns the array of a column, to be finished, and what it points to."""
    contents, nulls = _buffers(values)
    kept = [one and ctypes.create_string_buffer(one, len(one)) for one in contents]
    pointers = (c_void_p * len(kept))(*(addressof(one) if one else None for one in kept))
    made = Array(length=len(values), null_count=nulls, n_buffers=len(kept), buffers=pointers)
    return made, (kept, pointers)


def _array(columns: Mapping[str, Any]) -> Any:
    made_children = [_column(values) for values in columns.values()]  # all, before one is held
    children = [_finish(child, [], held) for child, held in made_children]
    pointers = (c_void_p * 1)(None)
    length = children[0].length if children else 0
    made = Array(length=length, n_buffers=1, buffers=pointers)
    return _finish(made, children, pointers)


# ---- the stream


def _move(structure: Any, to: int) -> None:
    ctypes.memmove(to, addressof(structure), ctypes.sizeof(structure))


def _get_schema(stream: Any, out: int) -> None:
    _move(_schema(_HELD[stream.contents.private_data][0]), out)


def _get_next(stream: Any, out: int) -> None:
    held = _HELD[stream.contents.private_data]
    columns, held[0:] = held[1], [held[0], None]
    if columns is None:  # the table was given: an array that is released ends the stream
        ctypes.memset(out, 0, ctypes.sizeof(Array))
    else:
        _move(_array(columns), out)


def _told(give: Callable[[Any, int], None], kind: Any) -> Any:
    """Returns a function of the stream that tells an exception, which C does not see, by a number
    of errno; what it would have filled is released then."""

    def told(stream: Any, out: int) -> int:
        try:
            give(stream, out)
        except BaseException as error:
            ctypes.memset(out, 0, ctypes.sizeof(kind))
            return errno.EOVERFLOW if isinstance(error, OverflowError) else errno.ENOMEM
        return 0

    return CFUNCTYPE(c_int, POINTER(Stream), c_void_p)(told)


_get_schema_function = _told(_get_schema, Schema)
_get_next_function = _told(_get_next, Array)
_get_last_error = CFUNCTYPE(c_void_p, POINTER(Stream))(lambda stream: None)

# Functions of our own: what others declare of those of pythonapi is shared by all.
_capsule_new = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
_capsule_pointer = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", pythonapi))


def _drop(capsule: int) -> None:
    """Releases the stream of a capsule that goes, where no consumer has moved it away."""
    at = _capsule_pointer(capsule, _NAME)
    stream = Stream.from_address(at)
    if stream.release:
        _release(stream)
    _HELD.pop(-at, None)


_drop_function = PYFUNCTYPE(None, c_void_p)(_drop)


def stream_capsule(columns: Mapping[str, Any]) -> Any:
    """Returns a table as a PyCapsule of a stream that gives it in one piece."""
    stream = Stream(
        get_schema=cast(_get_schema_function, c_void_p),
        get_next=cast(_get_next_function, c_void_p),
        get_last_error=cast(_get_last_error, c_void_p),
        release=cast(_release_stream, c_void_p),
        private_data=_hold([columns, columns]),
    )
    at = addressof(stream)
    _HELD[-at] = stream  # the structure itself goes with the capsule
    return _capsule_new(at, _NAME, cast(_drop_function, c_void_p))
