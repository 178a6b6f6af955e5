"""A handle of the library with one book, which stays warm between prices."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_void_p
from typing import Any, NamedTuple

from . import errors
from ._library import LIBC, Note, Options, Progress, call, text

KINDS = ("complaint", "remark", "engine")  # by enum pricer_note

# The stop callback: it reads the text that `context` points to, "0" or "1", without the GIL, from
# any thread.
_STOP = ctypes.cast(LIBC.atoi, c_void_p)


class Source(NamedTuple):
    """Where a book comes from: a path, or a text under a name; and values in place of its own."""

    path: str | None
    name: str
    text: str
    sets: tuple[str, ...]


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
        gpus = self.gpus or ()
        return Options(
            size=ctypes.sizeof(Options),
            engine=_bytes(self.engine),
            kernel=_bytes(self.kernel),
            check=_bytes(self.check),
            threads=self.threads or 0,
            n_gpus=len(gpus),
            gpus=(c_int * len(gpus))(*gpus),
            paths=self.paths or 0,
            seed=-1 if self.seed is None else self.seed,
            stop=_STOP,
        )


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else str(value).encode()


class _Listener:
    """What the library tells in its callbacks. It knows no session, so that nothing goes round."""

    def __init__(self) -> None:
        self.complaints: list[errors.Complaint] = []
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


class Run:
    """The results of one pricing, in the library's memory, until nobody looks at it any more."""

    def __init__(self, session: Session, pointer: int) -> None:
        self.session = session
        self.pointer = pointer
        weakref.finalize(self, session.retired.append, pointer)


def _free_retired(retired: deque[int]) -> None:
    while retired:
        call.results_free(retired.popleft())


def _release(retired: deque[int], book: int | None, handle: int | None, _callbacks: Any) -> None:
    _free_retired(retired)
    call.book_free(book)
    call.close(handle)


class Session:
    """A handle and its book. One thread uses it at a time: who has it has it alone."""

    def __init__(self, source: Source, choices: Choices) -> None:
        self.key = (source, choices)
        self.retired: deque[int] = deque()  # results that are to be freed
        self._listener = _Listener()
        self._handle, self._book = c_void_p(), c_void_p()
        note = Note(self._listener.on_note)
        progress = Progress(self._listener.on_progress) if choices.told else Progress()
        try:
            self._open(choices, progress, note)
            self._load(source)
        except BaseException:
            _release(self.retired, self._book.value, self._handle.value, (progress, note))
            raise
        held = self.retired, self._book.value, self._handle.value, (progress, note, self._listener)
        weakref.finalize(self, _release, *held)

    @property
    def complaints(self) -> list[errors.Complaint]:
        """What the library has said of the book."""
        return self._listener.complaints

    def _open(self, choices: Choices, progress: Any, note: Any) -> None:
        options = choices.options()
        options.context = ctypes.addressof(self._listener.stop)
        options.progress, options.note = progress, note
        self._check(call.open(byref(options), byref(self._handle)))

    def _load(self, source: Source) -> None:
        sets = (c_char_p * len(source.sets))(*(one.encode() for one in source.sets))
        book = byref(self._book)
        if source.path is not None:
            path = os.fsencode(source.path)
            status = call.book_load(self._handle, path, len(sets), sets, book)
        else:
            name, content = source.name.encode(), source.text.encode()
            status = call.book_read(self._handle, name, content, len(sets), sets, book)
        self._check(status)

    def _check(self, status: int) -> None:
        """Raises what a status says."""
        if not status:
            return
        raised, self._listener.raised = self._listener.raised, None
        if raised:
            raise raised
        made = errors.BY_STATUS[status] if status < len(errors.BY_STATUS) else errors.Error
        said = text(call.message(self._handle)) if self._handle else ""
        raise made(said or text(call.status_text(status)), tuple(self.complaints))

    def plan(self) -> Run:
        """Plans the book."""
        self._listener.begin()
        return watched(self._plan, self._listener.stop)

    def price(self, progress: Callable[[str, int, int], Any] | None) -> Run:
        """Plans and prices the book, and values the risk that it asks for."""
        self._listener.begin(progress)
        return watched(self._price, self._listener.stop)

    def _plan(self) -> Run:
        _free_retired(self.retired)
        pointer = c_void_p()
        self._check(call.plan(self._handle, self._book, byref(pointer)))
        return Run(self, pointer.value or 0)

    def _price(self) -> Run:
        run = self._plan()
        self._check(call.price(run.pointer))
        self._check(call.risk(run.pointer))
        return run


def watched(work: Callable[[], Any], stop: Any) -> Any:
    """Does some work so that KeyboardInterrupt ends it: signals reach the main thread alone, which
    therefore waits while another thread works."""
    if threading.current_thread() is not threading.main_thread():
        return work()
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

    threading.Thread(target=go, name="pricer", daemon=True).start()
    try:
        _await(ended)
    except BaseException:
        stop.value = b"1"
        _await(ended)
        raise
    if raised:
        raise raised[0]
    return done[0]


def _await(ended: threading.Lock) -> None:
    while not ended.acquire(timeout=0.5):
        pass
