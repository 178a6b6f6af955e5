"""A handle of the library with one book, which stays warm between prices."""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import threading
import weakref
from collections.abc import Callable
from ctypes import byref, c_char_p, c_double, c_int, c_void_p
from typing import Any, NamedTuple, Union

from . import errors
from ._library import LIBC, FitRow, Note, Options, Progress, call, text
from ._plan_text import printed_text
from ._text import checked, whole, written

KINDS = ("complaint", "remark", "engine")  # by enum pricer_note

# The stop callback: it reads the text that `context` points to, "0" or "1", without the GIL, from
# any thread.
_STOP = ctypes.cast(LIBC.atoi, c_void_p)


# Values in place of a book's own, by their paths: numbers, and others as the book has them.
Sets = dict[str, Union[float, str]]


class Source(NamedTuple):
    """Where a book comes from: a path, or a text under a name."""

    path: str | None
    name: str
    text: str


class Choices(NamedTuple):
    """The options of a handle; None is as the book says."""

    paths: int | None = None
    seed: int | None = None
    engine: str | None = None
    kernel: str | None = None
    check: str | None = None
    threads: int | None = None
    gpus: tuple[int, ...] | None = None
    told: bool = False  # whether progress is told

    def options(self) -> Options:
        """Returns them as the library takes them."""
        gpus = [whole(gpu, "gpus", 0, 2**31 - 1) for gpu in self.gpus or ()]
        return Options(
            size=ctypes.sizeof(Options),
            engine=_bytes(self.engine, "engine"),
            kernel=_bytes(self.kernel, "kernel"),
            check=_bytes(self.check, "check"),
            threads=0 if self.threads is None else whole(self.threads, "threads", 1, 1024),
            n_gpus=len(gpus),
            gpus=(c_int * len(gpus))(*gpus),
            paths=0 if self.paths is None else whole(self.paths, "paths", 1, 2**40),
            seed=-1 if self.seed is None else whole(self.seed, "seed", 0, 2**63 - 1),
            stop=_STOP,
        )


READING = Choices(engine="cpu")  # of a book that is read alone


def set_texts(sets: Sets) -> list[str]:
    """Returns values in place of others as options of the command have them: PATH=VALUE."""
    return [
        f"{path}={value if isinstance(value, str) else written(value, path)}"
        for path, value in sets.items()
    ]


def is_double(value: float | str) -> bool:
    """Tells whether a value is a number that a double holds as it is."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) <= 2**53)


def _bytes(value: str | None, what: str) -> bytes | None:
    return None if value is None else checked(value, what).encode()


class _Listener:
    """What the library tells in its callbacks. It knows no session, so that nothing goes round."""

    def __init__(self) -> None:
        self.complaints: list[errors.Complaint] = []
        self.of_the_book = 0  # how many of them were said when it was read
        self.progress: Callable[[str, int, int], Any] | None = None
        self.raised: BaseException | None = None
        self.stop = ctypes.create_string_buffer(b"0")

    def on_progress(self, _context: Any, phase: bytes | None, done: int, total: int) -> None:
        try:
            if self.progress and phase:
                self.progress(text(phase), done, total)
        except BaseException as error:  # it cannot pass through the library
            self.raised = error
            self.stop.value = b"1"

    def on_note(self, _context: Any, kind: int, line: bytes) -> None:
        self.complaints.append(errors.Complaint(text(line), KINDS[kind]))

    def begin(self, progress: Callable[[str, int, int], Any] | None = None) -> None:
        self.stop.value = b"0"
        self.raised = None
        self.progress = progress
        del self.complaints[self.of_the_book :]


class _Held:
    """What a session holds of the library's, to be released with it, and what is called back."""

    def __init__(self, *callbacks: Any) -> None:
        self.handle, self.book, self.results = c_void_p(), c_void_p(), c_void_p()
        self.callbacks = callbacks

    def free_results(self) -> None:
        call.results_free(self.results)
        self.results = c_void_p()

    def release(self) -> None:
        self.free_results()
        call.book_free(self.book)
        call.close(self.handle)


class Session:
    """A handle and its book. One thread uses it at a time: who has it has it alone."""

    def __init__(self, source: Source, choices: Choices, sets: Sets) -> None:
        self.key = (source, choices)
        self.sets = dict(sets)
        self.fixed: dict[str, Any] = {}  # columns of results that no pricing changes
        self._listener = _Listener()
        note = Note(self._listener.on_note)
        progress = Progress(self._listener.on_progress) if choices.told else Progress(0)
        self._held = _Held(progress, note, self._listener)
        # Not at the interpreter's exit: a daemon thread may be inside the library then.
        weakref.finalize(self, self._held.release).atexit = False
        self._open(choices, progress, note)
        self._load(source)

    @property
    def complaints(self) -> list[errors.Complaint]:
        """What the library has said of the book, and of its last pricing."""
        return self._listener.complaints

    def _open(self, choices: Choices, progress: Any, note: Any) -> None:
        options = choices.options()
        options.context = ctypes.addressof(self._listener.stop)
        options.progress, options.note = progress, note
        self._check(call.open(byref(options), byref(self._held.handle)))

    def _set_texts(self) -> Any:
        """Returns the values in place of the book's own as the library takes them."""
        texts = [one.encode() for one in set_texts(self.sets)]
        return (c_char_p * len(texts))(*texts)

    def _load(self, source: Source) -> None:
        sets = self._set_texts()
        book = byref(self._held.book)
        if source.path is not None:
            path = os.fsencode(source.path)
            status = call.book_load(self._held.handle, path, len(sets), sets, book)
        else:
            name = checked(source.name, "name").encode()
            content = checked(source.text, "text").encode()
            status = call.book_read(self._held.handle, name, content, len(sets), sets, book)
        self._listener.of_the_book = len(self._listener.complaints)
        self._check(status)

    def _check(self, status: int) -> None:
        """Raises what the callback of progress raised, or else what a status says."""
        raised, self._listener.raised = self._listener.raised, None
        if raised:
            raise raised
        if not status:
            return
        made = errors.BY_STATUS[status] if status < len(errors.BY_STATUS) else errors.Error
        said = text(call.message(self._held.handle)) if self._held.handle else ""
        raise made(said or text(call.status_text(status)), tuple(self.complaints))

    def stated(self) -> dict[str, Any]:
        """Returns what the book states, with what was set, as dicts and lists."""
        path, name, content = self.key[0]
        of = (os.fsencode(path), None) if path is not None else (name.encode(), content.encode())
        handle, sets = self._held.handle, self._set_texts()
        status, printed = printed_text(
            lambda to: int(call.book_print(handle, *of, len(sets), sets, to))
        )
        self._check(status)
        return json.loads(printed)  # type: ignore[no-any-return]

    def read_market(
        self, what: int, of: str, times: list[float], strikes: list[float]
    ) -> list[float]:
        """Returns numbers of the market at times and strikes."""
        n = len(times)
        t, k, values = (c_double * n)(*times), (c_double * n)(*strikes), (c_double * n)()
        self._listener.begin()
        self._check(call.market(self._held.book, what, of.encode(), n, t, k, values))
        return list(values)

    def calibrate(self, asset: str, model: str) -> FitRow:
        """Fits a model to the implied surface of an asset."""
        fit = FitRow(size=ctypes.sizeof(FitRow))
        of = (checked(asset, "asset").encode(), checked(model, "model").encode(), byref(fit))
        self._listener.begin()
        watched(lambda: self._check(call.calibrate(self._held.book, *of)), self._listener.stop)
        return fit

    def try_number(self, path: str, value: float) -> bool:
        """Changes a number of a book without results; tells whether it could be."""
        self._listener.begin()
        taken: bool = not call.book_set(self._held.book, path.encode(), value)
        return taken

    def plan(self, trade: str | None) -> str:
        """Plans the book; returns the plan, or how one trade is priced."""
        self._listener.begin()
        watched(self._plan, self._listener.stop)
        results = self._held.results
        status, printed = printed_text(
            lambda to: int(
                call.plan_print(results, to)
                if trade is None
                else call.explain(results, trade.encode(), to)
            )
        )
        self._check(status)
        return printed

    def changes(self, sets: Sets) -> Sets | None:
        """Returns the numbers in which other values differ from those of the last pricing; None
        where the book is to be read anew for them."""
        changed = {path: value for path, value in sets.items() if self.sets.get(path) != value}
        numbers = all(map(is_double, changed.values()))
        known = all(path in sets for path in self.sets)
        return changed if known and numbers and (self._held.results or not changed) else None

    def price(self, sets: Sets, progress: Callable[[str, int, int], Any] | None) -> c_void_p:
        """Prices the book, and values the risk that it asks for: after changes what lives on them,
        else all of it. What it returns lives until the next call."""
        changed = self.changes(sets) or {}
        self._listener.begin(progress)
        watched(lambda: self._price(changed), self._listener.stop)
        self.sets = dict(sets)
        return self._held.results

    def _plan(self) -> None:
        self._held.free_results()
        self._check(call.plan(self._held.handle, self._held.book, byref(self._held.results)))

    def _price(self, changed: Sets) -> None:
        if not changed:
            self._plan()
        for path, value in changed.items():
            self._check(call.set_number(self._held.results, path.encode(), value))
        self._check(call.price(self._held.results))
        self._check(call.risk(self._held.results))


def watched(work: Callable[[], Any], stop: Any) -> Any:
    """Does some work so that KeyboardInterrupt ends it: signals reach the main thread alone, which
    therefore waits while another thread works."""
    if threading.current_thread() is not threading.main_thread():
        return _until_exit(work, stop)
    done: list[Any] = []
    raised: list[BaseException] = []
    ended = threading.Lock()
    ended.acquire()

    def go() -> None:
        try:
            done.append(work())
        except BaseException as error:
            raised.append(error)
        finally:
            ended.release()

    thread = threading.Thread(target=go, name="pricer", daemon=True)
    try:
        thread.start()
        _await(ended)
    except BaseException:
        stop.value = b"1"
        if thread.ident is not None:  # it was started
            _await(ended)
        raise
    if raised:
        raise raised[0]
    return done[0]


# What other threads than the main one are doing: an event for its end, and what stops it.
_under_way: dict[threading.Event, Any] = {}


def _until_exit(work: Callable[[], Any], stop: Any) -> Any:
    """Does some work that ends when the interpreter does: the library must not call back then."""
    ended = threading.Event()
    _under_way[ended] = stop
    try:
        return work()
    finally:
        del _under_way[ended]
        ended.set()


@atexit.register
def _stop_all() -> None:
    for stop in list(_under_way.values()):
        stop.value = b"1"
    for ended in list(_under_way):
        ended.wait(10.0)


def _await(ended: threading.Lock) -> None:
    while not ended.acquire(timeout=0.5):
        pass
