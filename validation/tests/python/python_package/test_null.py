"""NULL where a function of pricer.h takes a pointer is a status, or what is not there: no crash."""

from __future__ import annotations

import ctypes
import math
import re
from ctypes import byref, c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p

import pytest
from books import ROOT, call, market

import pricer
from pricer._library import LIBC, LIBRARY, KeyRow

HEADER = (ROOT / "app/api/pricer.h").read_text(encoding="utf-8")
FUNCTIONS = re.findall(r"^PRICER_API ([^;]+?) ?(\*?)(pricer_\w+)\(([^;]*)\);", HEADER, re.M)
OWN = ctypes.CDLL(LIBRARY._name)  # whose types are this file's


class FiveNumbers(ctypes.Structure):
    _fields_ = [(name, c_double) for name in "abcde"]


def parameters(text: str) -> list[tuple[str, str]]:
    """Returns the type and the name of each parameter."""
    parts = [" ".join(part.split()) for part in text.split(",")]
    split = [re.match(r"(.*?)(\w+)$", part) for part in parts if part not in ("", "void")]
    return [(found[1].strip(), found[2]) for found in split if found]


def restype(kind: str, star: str) -> object:
    if star or "*" in kind:
        return c_void_p
    kinds = {"double": c_double, "int64_t": c_int64, "uint64_t": c_uint64, "void": None}
    return FiveNumbers if kind == "struct pricer_value" else kinds.get(kind, c_int)


@pytest.fixture(scope="module")
def live():
    """The objects that functions take, by the names of their types."""
    book = pricer.Book(market(), call(), settings={"paths": 1024, "engine": "cpu"})
    book.price(check="none")
    held = book._warm[0]._held
    made = {"struct pricer *": held.handle, "struct pricer_book *": held.book}
    made["struct pricer_results *"] = held.results
    for name, of, more in (("draft_new", held.handle, ()), ("snapshot_take", held.results, (0,))):
        place = c_void_p()
        assert not getattr(LIBRARY, "pricer_" + name)(of, *more, byref(place))
        made[f"struct pricer_{name.split('_')[0]} *"] = place
    return book, made


def given(kind: str, name: str, live: dict[str, c_void_p]) -> object:
    """Returns a good argument of a type."""
    kind = kind.replace("const ", "").replace("*const", "*")
    if kind in live:
        return live[kind]
    if kind == "FILE *":
        return c_void_p(LIBC.tmpfile())
    if kind == "char *":
        return c_char_p(b"market")
    if kind.startswith("char *"):
        return (c_char_p * 1)(b"settings.paths=1024")
    if kind == "struct pricer_key *":
        return byref(KeyRow(size=ctypes.sizeof(KeyRow)))
    if kind == "double":
        return c_double(1.0)
    if "*" in kind:
        return byref((c_void_p * 64)())
    return c_int64(1) if kind == "int64_t" else c_int(1 if name in ("n", "n_sets") else 0)


def test_every_pointer_of_every_function_may_be_null(live):
    LIBC.tmpfile.restype = c_void_p
    assert len(FUNCTIONS) >= 63
    tried = 0
    for kind, star, name, text in FUNCTIONS:
        function = getattr(OWN, name)
        function.restype = restype(kind, star)
        takes = parameters(text)
        for null, (of, argument) in enumerate(takes):
            if "*" not in of:
                continue
            if name.endswith(("_free", "_close")):
                assert function(None) is None
                continue
            if (name, argument) in (("pricer_open", "options"), ("pricer_book_print", "text"), ("pricer_market", "strikes")):
                continue
            arguments = [given(*one, live[1]) for one in takes]
            arguments[null] = None
            found, tried = function(*arguments), tried + 1
            where = f"{name}, {argument}"
            if kind == "enum pricer_status":
                assert found == 1, where
                if null and name != "pricer_open":  # else there is no handle to ask
                    said = LIBRARY.pricer_message(live[1]["struct pricer *"]).decode()
                    pattern = f"{argument}? is NULL: a pointer must be given"
                    assert re.fullmatch(pattern, said), f"{where}: {said}"
            elif name == "pricer_message":
                assert b"NULL" in ctypes.string_at(found)
            elif name == "pricer_trade_status":
                assert found == 3
            elif isinstance(found, FiveNumbers):
                assert math.isnan(found.a), where
            elif isinstance(found, float):
                assert math.isnan(found), where
            else:
                assert found in (None, 0, -1), where
    assert tried > 80
