"""Results as a table for notebooks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .results import Price, Results

MOST_ROWS = 100
HEADINGS = ("id", "in", "price", "std error", "reference", "z", "status")
_GOOD = ("ok", "expired", "unchecked")


def shown(number: float, error: float) -> str:
    """Returns a number to the second digit of its error, as the command's table does."""
    if not math.isfinite(number):
        return ""
    if not (math.isfinite(error) and error > 0):
        return f"{number:.6g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{number:.{digits}f}"


def _cells(row: Price, mixed: bool) -> list[str]:
    z = f"{row.z:.2f}" if math.isfinite(row.z) else ""
    numbers = [shown(value, row.std_error) for value in (row.price, row.std_error, row.reference)]
    return [row.id, *([row.currency or ""] if mixed else []), *numbers, z, row.status]


def _line(row: Price, mixed: bool) -> str:
    colour = "" if row.status in _GOOD else " style='color:#b00020'"
    title = f" title='{escape(row.message, quote=True)}'" if row.message else ""
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row, mixed))
    return f"<tr{colour}{title}>{cells}</tr>"


def results_html(results: Results) -> str:
    """Returns the table of the results: what is in trouble first, at most a hundred rows;
    currencies where there are several."""
    rows = sorted(results, key=lambda row: row.status in _GOOD)
    mixed = len({row.currency for row in rows if row.currency}) > 1
    head = "".join(f"<th>{heading}</th>" for heading in HEADINGS if mixed or heading != "in")
    body = "".join(_line(row, mixed) for row in rows[:MOST_ROWS])
    more = f", {MOST_ROWS} shown" if len(rows) > MOST_ROWS else ""
    said = f"{len(rows)} trades{more}; {results.engine} {results.kernel}; digest {results.digest}"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(said)}</p>"
