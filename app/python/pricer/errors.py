"""What goes wrong, as exceptions of one family, and what the library says of a book."""

from __future__ import annotations

import re

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+): (?P<rest>.*)$", re.DOTALL)
_SET = re.compile(r"^--set [^=]*=.*?: ")  # in place of file and line, of a value that was set
_WHO = re.compile(r"^(?P<what>trade|asset|currency|scenario|grid|calendar) '(?P<who>[^']*)': ")
_KEY = re.compile(
    r"^(?:note: )?(?:unknown key '(?P<unknown>[^']+)'"
    r"|(?P<key>[a-z][a-z0-9_]*) (?:must|is|are|contradicts|needs|makes?|has|have|lies?|stands?|['\"]))"
)


class Complaint:
    """A line that the library says of a book, and its parts.

    `text` is the line; `file`, `line`, `trade` and `key` are None where it names none; `kind` is
    "complaint", "remark" or "engine" (why a better engine is not used).
    """

    def __init__(self, text: str, kind: str = "complaint") -> None:
        self.text = text
        self.kind = kind
        self.file: str | None = None
        self.line: int | None = None
        self.trade: str | None = None
        self.key: str | None = None
        place = _PLACE.match(text)
        rest = _SET.sub("", text)
        if place:
            self.file, self.line, rest = place["file"], int(place["line"]), place["rest"]
        who = _WHO.match(rest)
        if who:
            self.trade = who["who"] if who["what"] == "trade" else None
            rest = rest[who.end() :]
        key = _KEY.match(rest)
        if key:
            self.key = key["unknown"] or key["key"]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Complaint({self.text!r}, {self.kind!r})"


class Error(Exception):
    """What every exception of this package is.

    `file`, `line`, `trade` and `key` say where in the book, None where nowhere; `complaints` are
    all that the library said in the call.
    """

    def __init__(self, message: str, complaints: tuple[Complaint, ...] = ()) -> None:
        super().__init__(message)
        place = Complaint(str(message))
        self.complaints = complaints
        self.file = place.file
        self.line = place.line
        self.trade = place.trade
        self.key = place.key if isinstance(self, BadInput) else None

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would put it in quotes


class BadInput(Error, ValueError):
    """An option, the book, or a value in it is wrong."""


class BadCall(BadInput, TypeError):
    """An argument is of the wrong kind, missing, or unknown."""


class NotThere(BadInput, KeyError, IndexError):
    """Nothing has this name, or this place."""


class NoAttribute(Error, AttributeError):
    """There is no such attribute."""


class NoMemory(Error, MemoryError):
    """An allocation failed."""


class NoEngine(Error):
    """The engine asked for cannot run on this machine."""


class EngineError(Error):
    """The engine or the machine failed while it ran."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class Stopped(Error):
    """The pricing was asked to stop."""


class Failed(Error):
    """A computation did not reach its result."""


class BookWarning(UserWarning):
    """What the library says of a book that it prices all the same; `complaint` has its parts."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.text)
        self.complaint = complaint


# By enum pricer_status.
BY_STATUS: tuple[type[Error], ...] = (Error, BadInput, NoMemory, NoEngine, EngineError, FileError, Stopped, Failed)
