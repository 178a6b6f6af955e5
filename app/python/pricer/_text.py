"""Values of Python as a book's file writes them (docs/book-format.md)."""

from __future__ import annotations

import datetime
import math
import numbers
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from .errors import BadCall, BadInput

_KEY = re.compile(r"[A-Za-z*][-A-Za-z0-9_*]*\Z")
_INT = 2**31


def plain(value: Any) -> Any:
    """Returns a value without numpy: its scalars as Python's, its arrays and what is gone through
    once as lists."""
    if isinstance(value, (bytes, str)):
        return value
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":  # else nanoseconds as integers
        value = value.astype("datetime64[s]")
    for method in ("tolist", "to_list"):
        convert = getattr(value, method, None)
        if callable(convert):
            return convert()
    if isinstance(value, Iterator):
        return list(value)
    return value


def checked(value: str, what: str) -> str:
    """Returns a text that the library can be given: UTF-8 without a zero."""
    if not isinstance(value, str):
        raise BadCall(f"{what} must be a text, got {value!r}")
    if "\0" in value:
        raise BadInput(f"{what} must be a text without a zero character, got {value[:60]!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadInput(f"{what} must be a text of UTF-8, got {value[:60]!r}") from None
    return value


def whole(value: Any, what: str, least: int, most: int) -> int:
    """Returns a whole number within a range."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise BadCall(f"{what} must be a whole number, got {value!r}")
    if not least <= int(value) <= most:
        raise BadInput(f"{what} must be {least} to {most}, got {value}")
    return int(value)


def _scalar(value: Any, where: str) -> str | None:
    """Returns the text of a plain value; None for what is none."""
    if isinstance(value, str):
        return quoted(value, where)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        try:
            day = value.date()
            day.isoformat()
        except ValueError:
            raise BadInput(f"{where} must be a date, got {value!r}") from None
        if value.time() != datetime.time():
            raise BadInput(f"{where} must be a date without a time of day, got {value}")
        value = day
    if isinstance(value, datetime.date):
        return f'"{value.isoformat()}"'
    if isinstance(value, numbers.Integral):
        whole_number = int(value)
        if not -(2**63) <= whole_number < 2**63:
            raise BadInput(f"{where} must fit 64 bits as a whole number, or be a float")
        return str(whole_number) if -_INT <= whole_number < _INT else f"{whole_number}L"
    if isinstance(value, numbers.Real) or hasattr(value, "__float__"):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise BadInput(f"{where} must be a number: {error}") from None
        if not math.isfinite(number):
            raise BadInput(f"{where} must be a finite number, got {number}")
        return repr(number)
    return None


def number(value: Any, where: str) -> float | None:
    """Returns a value that is a finite number as Python's; None for what is none."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    if isinstance(value, numbers.Integral) and abs(int(value)) >= 2**63:
        raise BadInput(f"{where} must fit 64 bits as a whole number, or be a float")
    if not math.isfinite(value):
        raise BadInput(f"{where} must be a finite number, got {float(value)}")
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def quoted(value: str, where: str) -> str:
    """Returns a text in quotes: of one line, but that of a script."""
    checked(value, where)
    if where != "script" and ("\n" in value or "\r" in value):
        raise BadInput(f"{where} must be a text of one line, got {value!r}")
    text = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'


def _list(values: list[Any], where: str) -> str:
    """Returns a list: of plain values in [ ], of groups and lists in ( )."""
    parts = [written(value, where) for value in values]
    nested = any(part[0] in "{[(" for part in parts)
    return ("( {} )" if nested else "[{}]").format(", ".join(parts))


def written(value: Any, where: str = "value") -> str:
    """Returns a value as the book's file has it; `where` is its key, for messages."""
    value = plain(value)
    scalar = _scalar(value, where)
    if scalar is not None:
        return scalar
    try:
        return _nested(value, where)
    except RecursionError:
        raise BadInput(f"{where} must not hold itself") from None


def _nested(value: Any, where: str) -> str:
    """Returns the text of a list or a dict."""
    if isinstance(value, Mapping):
        return group(value)
    if isinstance(value, (bytes, bytearray, Set)):
        raise BadInput(f"{where} must be a text or an ordered list, got {value!r}")
    if isinstance(value, Iterable):
        return _list(list(value), where)
    raise BadInput(f"{where} must be a number, a text, a date, a list or a dict, got {value!r}")


def group(keys: Mapping[str, Any]) -> str:
    """Returns { key = value; ... }; keys that are None are left out."""
    return "{ " + assignments(keys) + " }"


def assignments(keys: Mapping[str, Any], between: str = " ") -> str:
    """Returns key = value; ... of a group without its braces."""
    parts = []
    for key, value in keys.items():
        if not isinstance(key, str) or not _KEY.match(key):
            raise BadInput(f"a key must be a name, got {key!r}")
        if value is not None:
            parts.append(f"{key} = {written(value, key)};")
    return between.join(parts)
