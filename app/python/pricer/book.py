"""A book: a market, trades on it, and how they are priced."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._plan_text import plan_text
from ._session import Choices, Session, Sets, Source
from ._text import assignments, number, quoted, written
from .errors import BadInput, BookWarning, Complaint
from .market import Market
from .results import Results
from .trade import trade_text

Progress = Callable[[str, int, int], Any]


class Book:
    """A market and the trades on it.

    market: a Market; trades: what the functions of products return, or dicts of keys
    settings, risk: dicts of the keys of these groups (docs/book-format.md)

    `Book.load` takes a file in their place, `Book.read` a text. A book that has been priced stays
    warm: it is not read again while neither it nor the options of `price` change.
    """

    def __init__(
        self,
        market: Market,
        trades: Iterable[Mapping[str, Any]],
        *,
        settings: Mapping[str, Any] | None = None,
        risk: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        if isinstance(trades, Mapping):
            trades = [trades]
        lines = [market._text()]
        lines.append("book = {")
        if name is not None:
            lines.append(f"name = {quoted(name, 'name')};")
        lines.append("trades = (")
        lines.append(",\n".join(trade_text(one, i + 1) for i, one in enumerate(trades)) + " );")
        lines.append("};")
        groups = {name: keys for name, keys in (("settings", settings), ("risk", risk)) if keys}
        lines.append(assignments(groups, between="\n"))
        self._begin(Source(None, name or "book", "\n".join(lines)))

    def _begin(self, source: Source) -> None:
        self._source = source
        self._sets: Sets = {}
        self._warm: list[Session] = []
        self.complaints: list[Complaint] = []

    @classmethod
    def load(cls, path: str | os.PathLike[str], sets: Mapping[str, Any] | None = None) -> Book:
        """Takes a book's file, with those that it includes; what is wrong with it is raised here.
        It is not looked at again while the book is warm.

        sets: values in place of the file's: {"settings.paths": 4096}
        """
        book = cls.__new__(cls)
        book._begin(Source(os.fspath(path), "", ""))
        book._set_all(sets)
        book._put_back(book._take(Choices(), book._sets))  # what is wrong is raised here
        return book

    @classmethod
    def read(cls, text: str, name: str = "book", sets: Mapping[str, Any] | None = None) -> Book:
        """Takes a book as a text, which `name` stands for in messages. It includes no file."""
        book = cls.__new__(cls)
        book._begin(Source(None, name, text))
        book._set_all(sets)
        book._put_back(book._take(Choices(), book._sets))  # what is wrong is raised here
        return book

    def _set_all(self, sets: Mapping[str, Any] | None) -> None:
        for path, value in (sets or {}).items():
            self.set(path, value)

    # ---- what it says

    @property
    def text(self) -> str:
        """The book as a file, but for what `set` has changed."""
        if self._source.path is not None:
            with open(self._source.path, encoding="utf-8") as file:
                return file.read()
        return self._source.text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as a file, which the command `pricer` prices alike."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text + "\n")

    def set(self, path: str, value: Any) -> None:
        """Puts a value in the place of another: book.set("market.assets[SX5E].volatility", 0.2).

        The next pricing is of the trades alone that live on it, where it is a number of the market.
        """
        single = number(value, path)
        if single is not None:
            self._sets[path] = single
        else:
            self._sets[path] = value if isinstance(value, str) else written(value, path)

    def set_spot(self, asset: str, spot: float) -> None:
        """Moves the spot of an asset."""
        self.set(f"market.assets[{asset}].spot", float(spot))

    # ---- pricing

    def _take(self, choices: Choices, sets: Sets) -> Session:
        """Takes a session for these choices that is warm, or opens one."""
        try:
            while True:
                session = self._warm.pop()
                if session.key == (self._source, choices) and session.changes(sets) is not None:
                    return session
        except IndexError:  # other threads may take them too
            return self._open(choices, sets)

    def _open(self, choices: Choices, sets: Sets) -> Session:
        """Opens a session, and warns of what the library says."""
        session = Session(self._source, choices, sets)
        self.complaints = list(session.complaints)
        for complaint in self.complaints:
            if complaint.kind != "engine":
                warnings.warn(BookWarning(complaint), stacklevel=4)
        return session

    def _put_back(self, session: Session) -> None:
        self._warm.append(session)

    def price(
        self,
        *,
        paths: int | None = None,
        seed: int | None = None,
        engine: str | None = None,
        kernel: str | None = None,
        check: str | None = None,
        threads: int | None = None,
        gpus: Iterable[int] | None = None,
        greeks: Iterable[str] | None = None,
        scenarios: Any = None,
        progress: Progress | None = None,
    ) -> Results:
        """Prices the book and returns its results.

        paths, seed, engine ("auto", "cuda", "cpu"), kernel, check ("all", "sample", "none", "1/5" to "5/5"): go
            before what the book says
        threads: of the CPU; gpus: their numbers
        greeks: ["delta", "vega", ...]; scenarios: {"crash": [{"asset": "*", "spot": -0.1}]}: in
            place of those in the group risk of the book
        progress: called with phase, done and total

        A trade that cannot be priced is a row of the results and stops no other. Raises what
        pricer.Error is the family of; KeyboardInterrupt ends the pricing within a second.
        """
        choices = Choices(
            paths, seed, engine, kernel, check, threads, tuple(gpus or ()) or None, bool(progress)
        )
        sets = dict(self._sets)
        if greeks is not None:
            sets["risk.greeks"] = written([greeks] if isinstance(greeks, str) else greeks)
        if scenarios is not None:
            sets["risk.scenarios"] = written(scenario_list(scenarios))
        session = self._take(choices, sets)
        try:
            found = session.price(sets, progress)
        except BadInput:
            if not session.changes(sets):
                raise
            session = self._open(choices, sets)  # says what is wrong with a change, or takes it
            found = session.price(sets, progress)
        results = Results(session, found)
        self._put_back(session)
        return results

    def plan(self, **choices: Any) -> str:
        """Returns the plan for a person to read: which trades share paths, by which kernel."""
        chosen, sets = Choices(**choices), dict(self._sets)
        warm = self._take(chosen, sets)
        # A change is priced by the warm session later, and planned by one of its own here.
        session = self._open(chosen, sets) if warm.changes(sets) else warm
        planned = plan_text(session.plan())
        self._put_back(warm)
        return planned

    def __repr__(self) -> str:
        return f"<pricer.Book {self._source.path or self._source.name}>"


def scenario_list(scenarios: Any) -> list[dict[str, Any]]:
    """Returns scenarios as the book has them, of a dict of names with shocks."""
    if not isinstance(scenarios, Mapping):
        return [dict(one) for one in scenarios]
    shocks = {name: [of] if isinstance(of, Mapping) else list(of) for name, of in scenarios.items()}
    return [{"name": name, "shocks": of} for name, of in shocks.items()]
