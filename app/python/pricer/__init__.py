"""Prices of equity and FX derivatives by Monte Carlo, beside independent references.

    import pricer
    results = pricer.Book.load("inputs/book.cfg").price(engine="cpu")
    print(results.digest, results["EU-01"].price)

A function for each product (pricer.european, ...) makes trades; pricer.Market and pricer.Book put
them together. docs/python.md has the reference and a tutorial.
"""

from __future__ import annotations

from . import products
from ._library import version
from ._market_read import Fit, calibrate, implied_vol
from ._report import diff
from .book import Book, Trades
from .errors import BadCall, BadInput, BookWarning, Complaint, EngineError, Error, Failed, FileError
from .errors import NoAttribute, NoEngine, NoMemory, NotThere, Stopped
from .market import Market
from .products import *  # noqa: F403
from .results import Price, Results
from .tables import Table, Value
from .trade import Script, Trade

__version__ = version()
__all__ = [
    "BadCall",
    "BadInput",
    "Book",
    "BookWarning",
    "Complaint",
    "EngineError",
    "Error",
    "Failed",
    "FileError",
    "Fit",
    "Market",
    "NoAttribute",
    "NoEngine",
    "NoMemory",
    "NotThere",
    "Price",
    "Results",
    "Script",
    "Stopped",
    "Table",
    "Trade",
    "Trades",
    "Value",
    "calibrate",
    "diff",
    "implied_vol",
    "version",
]
__all__ += products.__all__
