"""What the library prints, by a stream in memory of the C library."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_int, c_size_t, c_void_p

from ._library import LIBC
from .errors import NoMemory

_open = LIBC.open_memstream
_open.restype, _open.argtypes = c_void_p, [c_void_p, c_void_p]
_close = LIBC.fclose
_close.restype, _close.argtypes = c_int, [c_void_p]
_free = LIBC.free
_free.restype, _free.argtypes = None, [c_void_p]


def printed_text(write: Callable[[int], int]) -> tuple[int, str]:
    """Returns the status of a function that writes to a stream, and what it wrote."""
    content, length = c_void_p(), c_size_t()
    stream = _open(byref(content), byref(length))
    if not stream:
        raise NoMemory("not enough memory")
    try:
        status = write(stream)
    finally:
        closed = _close(stream)
    try:
        if closed:
            raise NoMemory("not enough memory")
        return status, ctypes.string_at(content.value or 0, length.value).decode("utf-8", "replace")
    finally:
        _free(content)
