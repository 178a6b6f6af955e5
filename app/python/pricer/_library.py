"""The functions of libpricer (pricer.h), by ctypes of the standard library.

The library is looked for in the environment variable PRICER_LIBRARY, in this package (as a wheel
has it), in the lib folder that this package is installed in, then where the system looks. ctypes
lets go of the GIL during every call.
"""

from __future__ import annotations

import ctypes
import glob
import os
from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int64
from ctypes import c_size_t, c_uint, c_uint64, c_void_p
from types import SimpleNamespace
from typing import Any

NAME = "libpricer.so.0"

Progress = CFUNCTYPE(None, c_void_p, c_char_p, c_uint64, c_uint64)
Note = CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class Options(Structure):
    """struct pricer_options."""

    _fields_ = [
        ("size", c_size_t),
        ("engine", c_char_p),
        ("kernel", c_char_p),
        ("check", c_char_p),
        ("threads", c_int),
        ("n_gpus", c_int),
        ("gpus", POINTER(c_int)),
        ("paths", c_int64),
        ("seed", c_int64),
        ("dry", c_int),
        ("prefix", c_char_p),
        ("context", c_void_p),
        ("progress", Progress),
        ("note", Note),
        ("stop", c_void_p),
    ]


class FitRow(Structure):
    """struct pricer_fit."""

    _fields_ = [
        ("size", c_size_t),
        ("n", c_int),
        ("names", c_char_p * 8),
        ("values", c_double * 8),
        ("errors", c_double * 8),
        ("rmse", c_double),
        ("largest", c_double),
        ("checked", c_double),
    ]


class KeyRow(Structure):
    """struct pricer_key."""

    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("forms", c_uint),
        ("required", c_int),
        ("instead_of", c_char_p),
        ("fallback", c_char_p),
        ("meaning", c_char_p),
        ("words", c_char * 256),
        ("range", c_char * 64),
    ]


def _candidates() -> list[str]:
    named = os.environ.get("PRICER_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.abspath(__file__))
    lib = os.path.dirname(os.path.dirname(os.path.dirname(here)))  # lib/python3/dist-packages
    installed = [os.path.join(here, NAME), os.path.join(lib, NAME)]
    installed += sorted(glob.glob(os.path.join(glob.escape(lib), "*-linux-gnu", NAME)))
    return [path for path in installed if os.path.exists(path)] + [NAME]


def _load() -> ctypes.CDLL:
    why: list[str] = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            why.append(str(error))
    raise ImportError(
        f"{NAME} is not found: install it, or name it in PRICER_LIBRARY ({'; '.join(why)})"
    )


LIBRARY = _load()
LIBC = ctypes.CDLL(None)

# Each function, what it returns and what it takes; p is a handle, a book or results.
_p, _pp, _s, _i = c_void_p, POINTER(c_void_p), c_char_p, c_int
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "status_text": (_s, _i),
    "version": (_s,),
    "open": (_i, POINTER(Options), _pp),
    "close": (None, _p),
    "message": (_s, _p),
    "message_file": (_s, _p),
    "message_line": (_i, _p),
    "book_load": (_i, _p, _s, _i, POINTER(_s), _pp),
    "book_read": (_i, _p, _s, _s, _i, POINTER(_s), _pp),
    "book_print": (_i, _p, _s, _s, _i, POINTER(_s), _p),
    "book_set": (_i, _p, _s, c_double),
    "market": (_i, _p, _i, _s, _i, POINTER(c_double), POINTER(c_double), POINTER(c_double)),
    "calibrate": (_i, _p, _s, _s, POINTER(FitRow)),
    "implied_volatility": (c_double, _i, c_double, c_double, c_double, c_double),
    "book_free": (None, _p),
    "keys": (_i, _s),
    "key": (_i, _s, _i, POINTER(KeyRow)),
    "products": (_i,),
    "product": (_s, _i),
    "plan": (_i, _p, _p, _pp),
    "plan_print": (_i, _p, _p),
    "explain": (_i, _p, _s, _p),
    "price": (_i, _p),
    "set_number": (_i, _p, _s, c_double),
    "risk": (_i, _p),
    "results_free": (None, _p),
    "troubles": (_i, _p),
    "digest": (c_uint64, _p),
    "engine": (_s, _p),
    "kernel": (_s, _p),
    "device": (_s, _p),
    "greeks": (_i, _p),
    "greek_name": (_s, _p, _i),
    "scenarios": (_i, _p),
    "scenario_name": (_s, _p, _i),
    "table_rows": (c_int64, _p, _i),
    "table_columns": (_i, _i),
    "table_column": (_s, _i, _i),
    "table_is_text": (_i, _i, _i),
    "snapshot_take": (_i, _p, _i, _pp),
    "snapshot_column": (_p, _p, _s, POINTER(c_int64)),
    "snapshot_text_column": (_p, _p, _s, POINTER(c_int64)),
    "snapshot_free": (None, _p),
}


def _declared(name: str) -> Any:
    function = getattr(LIBRARY, "pricer_" + name)
    function.restype, *function.argtypes = _FUNCTIONS[name]
    return function


# The functions, each under its name without pricer_.
call: Any = SimpleNamespace(**{name: _declared(name) for name in _FUNCTIONS})


def text(value: bytes | None) -> str:
    """Returns a text of the library, "" for none."""
    return value.decode("utf-8", "replace") if value else ""


def version() -> str:
    """Returns the version of the library that runs."""
    return text(call.version())
