"""The plan as the library prints it, by a stream in memory of the C library."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_size_t, c_void_p

from ._library import LIBC, call
from .errors import Failed, NoMemory

_open = LIBC.open_memstream
_open.restype, _open.argtypes = c_void_p, [c_void_p, c_void_p]
_close = LIBC.fclose
_close.restype, _close.argtypes = c_int, [c_void_p]
_free = LIBC.free
_free.restype, _free.argtypes = None, [c_void_p]


def plan_text(results: c_void_p) -> str:
    """Returns what pricer_plan_print() writes."""
    content, length = c_void_p(), c_size_t()
    stream = _open(byref(content), byref(length))
    if not stream:
        raise NoMemory("not enough memory")
    try:
        status = call.plan_print(results, stream)
    finally:
        closed = _close(stream)
    try:
        if status or closed:
            raise Failed("the plan could not be printed")
        return ctypes.string_at(content.value or 0, length.value).decode("utf-8", "replace")
    finally:
        _free(content)
