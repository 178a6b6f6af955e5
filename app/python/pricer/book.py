"""A book: a market, trades on it, and how they are priced."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ._market_read import MarketNow
from ._session import READING, Choices, Session, Sets, Source, is_double
from ._text import assignments, checked, group, number, quoted, written
from .errors import BadCall, BadInput, BookWarning, Complaint, FileError, NotThere
from .market import Market
from .results import Results
from .trade import Trade, as_trade

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
        if not isinstance(market, Market):
            raise BadCall(f"market must be a pricer.Market, got {market!r}")
        if isinstance(trades, Mapping):
            trades = [trades]
        if not isinstance(trades, Iterable) or isinstance(trades, (str, bytes)):
            raise BadCall(f"trades must be a list of trades, got {trades!r}")
        lines = [market._text(), "book = {"]
        if name is not None:
            lines.append(f"name = {quoted(name, 'name')};")
        lines.append("trades = (")
        groups = {"settings": settings, "risk": risk}
        for key, keys in groups.items():
            if keys is not None and not isinstance(keys, Mapping):
                raise BadCall(f"{key} must be a dict of its keys, got {keys!r}")
        end = assignments({key: keys for key, keys in groups.items() if keys}, between="\n")
        named = [as_trade(one, i + 1) for i, one in enumerate(trades)]
        self._make("\n".join(lines), named, " );\n};\n" + end, name or "book")

    def _begin(self, source: Source, sets: Sets | None = None) -> None:
        self._source = source
        self._sets: Sets = sets or {}
        self._warm: list[Session] = []
        self._reader: Session | None = None  # that changes are tried on
        self._lock = threading.Lock()
        self._made: tuple[str, list[Trade], str] | None = None  # the text around the trades
        self.complaints: list[Complaint] = []

    def _make(self, begin: str, trades: list[Trade], end: str, name: str) -> None:
        """Becomes a book of a text with these trades, which has what was set."""
        lines = ",\n".join(map(group, trades))
        self._begin(Source(None, name, f"{begin}\n{lines}{end}"))
        self._made = (begin, trades, end)

    def _parts(self) -> tuple[str, list[Trade], str]:
        """Returns the text around the trades, and these: as it states them, with what was set."""
        made = self._made
        if made is None:
            stated = Session(self._source, READING, self._sets).stated()
            of_book = stated.pop("book", {})
            trades = [as_trade(one, i + 1) for i, one in enumerate(of_book.pop("trades", []))]
            begin = f"{assignments(stated, between=chr(10))}\nbook = {{\n{assignments(of_book)}"
            made = self._made = (begin + "\ntrades = (", trades, " );\n};\n")
        return made

    # ---- its trades

    @property
    def trades(self) -> Trades:
        """The trades, by place or by id. `add` and `drop` change them."""
        return Trades(self._parts()[1])

    def add(self, *trades: Mapping[str, Any]) -> None:
        """Adds trades behind the others; an id that is taken is refused."""
        begin, there, end = self._parts()
        named = [as_trade(one, len(there) + i + 1) for i, one in enumerate(trades)]
        taken = {one.get("id") for one in there}
        for one in named:
            if one["id"] in taken:
                raise BadInput(f"id '{one['id']}' is taken: give the trade another")
            taken.add(one["id"])
        self._edit(begin, [*there, *named], end)

    def drop(self, *ids: str) -> None:
        """Drops trades by their ids."""
        begin, there, end = self._parts()
        for id in ids:
            Trades(there)[checked(id, "id")]
        self._edit(begin, [one for one in there if one.get("id") not in ids], end)

    def _edit(self, begin: str, trades: list[Trade], end: str) -> None:
        if not trades:
            raise BadInput("a book must have a trade: this would drop the last one")
        self._make(begin, trades, end, self._name_of_text())

    def _name_of_text(self) -> str:
        """Returns the name of its text in messages: lines are those of `text`, and no file's."""
        path = self._source.path
        return self._source.name if path is None else f"{path} (its text)"

    def __len__(self) -> int:
        return len(self.trades)

    def __iter__(self) -> Iterator[Trade]:
        return iter(self.trades)

    def __contains__(self, id: object) -> bool:
        return id in self.trades

    # ---- its market

    @property
    def market(self) -> MarketNow:
        """The market as it is set now: market.assets["SX5E"].vol(1.0, 5600.0)."""
        with self._lock:
            of = self._current().stated().get("market", {}).get("assets", [])
        return MarketNow(self._read_market, [asset["name"] for asset in of])

    def _current(self) -> Session:
        """Returns the book that changes are tried on, as it is set now."""
        if self._reader is None or self._reader.sets != self._sets:
            self._reader = Session(self._source, READING, self._sets)
        return self._reader

    def _read_market(
        self, what: int, of: str, times: list[float], strikes: list[float]
    ) -> list[float]:
        with self._lock:
            return self._current().read_market(what, of, times, strikes)

    def _read_fit(self, asset: str, model: str) -> Any:
        with self._lock:
            return self._current().calibrate(asset, model)

    # ---- copies

    def __getstate__(self) -> dict[str, Any]:
        """A pickle has the text; of a file the text with its includes in place."""
        book = self if self._source.path is None else self._in_place()
        return {"source": book._source, "sets": book._sets}

    def _in_place(self) -> Book:
        """Returns the same book as one text, with its includes and what was set in place."""
        book = Book.__new__(Book)
        book._make(*self._parts(), self._name_of_text())
        return book

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._begin(Source(*state["source"]), dict(state["sets"]))

    def __copy__(self) -> Book:
        book = Book.__new__(Book)
        book._begin(self._source, dict(self._sets))
        book._made = self._made
        return book

    def __deepcopy__(self, memo: Any) -> Book:
        return self.__copy__()

    @classmethod
    def load(cls, path: str | os.PathLike[str], sets: Mapping[str, Any] | None = None) -> Book:
        """Takes a book's file, with those that it includes; what is wrong with it is raised here.
        It is not looked at again while the book is warm.

        sets: values in place of the file's: {"settings.paths": 4096}
        """
        book = cls.__new__(cls)
        name = _path(path)
        book._begin(Source(name, "", ""), _as_sets(sets or {}))
        try:
            book._reader = book._open(READING, book._sets)  # what is wrong is raised here
        except BadInput as error:
            if str(error).startswith(f"{name}: cannot be read: "):
                raise FileError(str(error), error.complaints) from None
            raise
        return book

    @classmethod
    def read(cls, text: str, name: str = "book", sets: Mapping[str, Any] | None = None) -> Book:
        """Takes a book as a text, which `name` stands for in messages. It includes no file."""
        book = cls.__new__(cls)
        source = Source(None, checked(name, "name"), checked(text, "text"))
        book._begin(source, _as_sets(sets or {}))
        book._reader = book._open(READING, book._sets)  # what is wrong is raised here
        return book

    # ---- what it says

    @property
    def text(self) -> str:
        """The book as a file. Where something was set it stands there, and so do includes."""
        if self._sets:
            return self._in_place().text
        if self._source.path is not None:
            try:
                with open(self._source.path, encoding="utf-8") as file:
                    return file.read()
            except (OSError, UnicodeDecodeError) as error:
                raise FileError(f"{self._source.path}: cannot be read: {error}") from None
        return self._source.text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as a file, which the command `pricer` prices alike."""
        written_text = self.text + "\n"
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(written_text)
        except (OSError, TypeError, ValueError) as error:
            raise FileError(f"{path!r}: cannot be written: {error}") from None

    def set(self, path: str | Mapping[str, Any], value: Any = None) -> None:
        """Puts a value in the place of another: book.set("market.assets[SX5E].volatility", 0.2);
        or several at once, of a dict. What the book cannot have is refused here, and changes
        nothing.

        The next pricing is of the trades alone that live on it, where it is a number of the market.
        """
        new = _as_sets(path if isinstance(path, Mapping) else {path: value})
        sets = {**self._sets, **new}
        with self._lock:
            if self._reader is None or not self._tried(new):
                self._reader = Session(self._source, READING, sets)
            self._reader.sets = self._sets = sets
            self._made = None

    def _tried(self, new: Sets) -> bool:
        """Tells whether the book that changes are tried on has taken a number."""
        if len(new) != 1 or self._reader is None or self._reader.sets != self._sets:
            return False
        [(path, value)] = new.items()
        return is_double(value) and self._reader.try_number(path, float(value))

    def set_spot(self, asset: str, spot: float) -> None:
        """Moves the spot of an asset."""
        single = number(spot, "spot")
        if single is None:
            raise BadCall(f"spot must be a number, got {spot!r}")
        self.set(f"market.assets[{checked(asset, 'asset')}].spot", float(single))

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
            paths, seed, engine, kernel, check, threads, _numbers(gpus), bool(progress)
        )
        choices.options()  # refuses what is wrong
        if progress is not None and not callable(progress):
            raise BadCall(f"progress must be a function, got {progress!r}")
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
        self._warm.append(session)
        return results

    def plan(self, **choices: Any) -> str:
        """Returns the plan for a person to read: which trades share paths, by which kernel."""
        return self._planned(None, choices)

    def explain(self, trade: str, **choices: Any) -> str:
        """Returns how a trade is priced: what it observes, or its script, dates and program."""
        return self._planned(checked(trade, "trade"), choices)

    def _planned(self, trade: str | None, choices: dict[str, Any]) -> str:
        try:
            chosen, sets = Choices(**choices), dict(self._sets)
        except TypeError as error:
            raise BadCall(str(error)) from None
        chosen.options()
        warm = self._take(chosen, sets)
        # A change is priced by the warm session later, and planned by one of its own here.
        session = self._open(chosen, sets) if warm.changes(sets) else warm
        planned = session.plan(trade)
        self._warm.append(warm)
        return planned

    def __repr__(self) -> str:
        said = self._source.path or self._source.name
        count = f": {len(self._made[1])} trades" if self._made else ""
        return f"<pricer.Book {said}{count}>"


class Trades(Sequence[Trade]):
    """The trades of a book: trades[0], trades["T7"], `ids`, `"T7" in trades`."""

    def __init__(self, trades: Iterable[Trade]) -> None:
        self._list = tuple(trades)

    @property
    def ids(self) -> list[str]:
        """Their ids."""
        return [one.get("id", "") for one in self._list]

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._list[self.ids.index(key) if isinstance(key, str) else key]
        except (IndexError, ValueError, TypeError):
            raise NotThere(f"the book has no trade {key!r}") from None

    def __contains__(self, key: object) -> bool:
        return key in self.ids if isinstance(key, str) else key in self._list

    def __repr__(self) -> str:
        return f"<{len(self)} trades: {', '.join(self.ids[:8])}{', ...' if len(self) > 8 else ''}>"


def _as_sets(sets: Any) -> Sets:
    """Returns values in place of others as the library takes them."""
    if not isinstance(sets, Mapping):
        raise BadCall(f"sets must be a dict of paths and values, got {sets!r}")
    made: Sets = {}
    for path, value in sets.items():
        single = number(value, checked(path, "a path"))
        if single is not None:
            made[path] = single
        else:
            made[path] = checked(value, path) if isinstance(value, str) else written(value, path)
    return made


def _path(path: Any) -> str:
    try:
        return checked(os.fsdecode(path), "path")
    except TypeError:
        raise BadCall(f"path must be the path of a file, got {path!r}") from None


def _numbers(gpus: Any) -> tuple[int, ...] | None:
    try:
        return None if gpus is None else tuple(gpus) or None
    except TypeError:
        raise BadCall(f"gpus must be a list of numbers, got {gpus!r}") from None


def scenario_list(scenarios: Any) -> list[dict[str, Any]]:
    """Returns scenarios as the book has them, of a dict of names with shocks."""
    try:
        if not isinstance(scenarios, Mapping):
            return [dict(one) for one in scenarios]
        shocks = {
            name: [of] if isinstance(of, Mapping) else list(of) for name, of in scenarios.items()
        }
    except (TypeError, ValueError):
        raise BadCall(f"scenarios must be a dict of lists of shocks, got {scenarios!r}") from None
    return [{"name": name, "shocks": of} for name, of in shocks.items()]
