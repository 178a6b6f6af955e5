"""Pricing lets other threads run, several price at once, and may be interrupted."""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from books import BOOK, call, market

import pricer


def long_book() -> pricer.Book:
    asian = {"option": "call", "averaging": "arithmetic", "strike_type": "fixed", "strike": 4900}
    trade = pricer.asian("A", asset="SX5E", fixings=252, expiry=1.0, **asian)
    return pricer.Book(market(), trade)


def test_eight_threads_give_the_digest_of_one():
    wanted = pricer.Book.load(BOOK).price(engine="cpu", paths=1024).digest
    shared = pricer.Book.load(BOOK)

    def price(own: bool) -> str:
        book = pricer.Book.load(BOOK) if own else shared
        return book.price(engine="cpu", paths=1024, threads=1).digest

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(price, [False, True] * 8)) == {wanted}


def test_other_threads_run_meanwhile():
    ticks = 0
    ended = threading.Event()

    def price() -> None:
        long_book().price(engine="cpu", paths=1 << 20, check="none", threads=1)
        ended.set()

    thread = threading.Thread(target=price)
    thread.start()
    while not ended.wait(0.002):
        ticks += 1
    thread.join()
    assert ticks > 20, "no other thread ran while a book was priced"


def test_keyboard_interrupt_ends_the_pricing():
    book = long_book()
    wanted = book.price(engine="cpu", paths=1024).digest
    begun = time.monotonic()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        book.price(engine="cpu", paths=1 << 34, check="none")
    assert time.monotonic() - begun < 20  # alone it takes two seconds; without the stop, an hour
    assert book.price(engine="cpu", paths=1024).digest == wanted


def test_keyboard_interrupt_while_the_pricing_begins(monkeypatch):
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    book = long_book()
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        book.price(engine="cpu", paths=1 << 34, check="none")
    for thread in threading.enumerate():
        if thread.name == "pricer":
            thread.join(10)
            assert not thread.is_alive(), "the pricing goes on"


def test_nothing_is_released_as_the_interpreter_ends():
    """A daemon thread may be inside the library then."""
    program = """
import sys
import pricer
book = pricer.Book.load(sys.argv[1])
book.price(engine="cpu", paths=1024, check="none")
pricer._library.call.close = lambda handle: print("closed")
"""
    command = [sys.executable, "-c", program, BOOK]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b""


def test_the_end_of_the_interpreter_ends_what_threads_price():
    """The library must not call back afterwards."""
    program = """
import atexit, sys, threading
atexit.register(lambda: print("under way:", len(pricer._session._under_way)))
import pricer
begun = threading.Event()
book = pricer.Book.load(sys.argv[1])
told = dict(progress=lambda *at: begun.set())
threading.Thread(target=lambda: book.price(engine="cpu", paths=1 << 34, **told), daemon=True).start()
begun.wait()
assert pricer._session._under_way
"""
    command = [sys.executable, "-c", program, BOOK]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"under way: 0\n"


def test_progress_is_told():
    told = []
    pricer.Book.load(BOOK).price(engine="cpu", paths=1024, progress=lambda *at: told.append(at))
    assert {phase for phase, _, _ in told} >= {"pricing", "checking"}
    assert all(isinstance(done, int) and done <= total for _, done, total in told if total)


def test_an_exception_of_progress_ends_the_pricing():
    def refuse(phase: str, done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        long_book().price(engine="cpu", paths=1 << 34, check="none", progress=refuse)


def test_an_exception_at_the_end_of_progress_is_raised():
    """The library looks no more at the request to end then, and tells of no error."""
    told: list[tuple[str, int, int]] = []
    book = pricer.Book(market(), call())
    options = {"engine": "cpu", "paths": 1024, "check": "none", "greeks": ["delta"]}
    book.price(**options, progress=lambda *at: told.append(at))

    def refuse(*_: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise RuntimeError("at the end")

    left = len(told)
    with pytest.raises(RuntimeError, match="at the end"):
        book.price(**options, progress=refuse)
    assert left == 0


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_does_not_grow():
    """PRICER_PRICES=100000 is the whole measure; 0 where the sanitizers keep what is freed."""
    prices = int(os.environ.get("PRICER_PRICES", "5000"))
    if not prices:
        pytest.skip("memory that is freed is kept")
    book = pricer.Book(market(), [call(strike=4000.0 + 10 * i) for i in range(8)])
    wanted = book.price(engine="cpu", paths=1024, check="none", threads=1).digest

    def price_often(times: int) -> int:
        for i in range(times):
            results = book.price(engine="cpu", paths=1024, check="none", threads=1)
            assert results.digest == wanted
            if i % 3 == 0:  # and of books that are opened and closed
                pricer.Book(market(), call()).price(engine="cpu", paths=1024, check="none")
        gc.collect()
        return resident()

    before = price_often(prices // 4)
    after = price_often(prices - prices // 4)
    print(f"{after - before} bytes more")
    assert after - before < 1 << 20, f"{before} bytes were resident, then {after}"
