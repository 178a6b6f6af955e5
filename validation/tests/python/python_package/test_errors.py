"""What goes wrong is an exception of one family, and says where."""

from __future__ import annotations

import datetime

import pytest
from books import call, market

import pricer


def test_a_book_that_is_wrong():
    with pytest.raises(pricer.BadInput) as raised:
        pricer.Book.read("settings = {\n pahts = 3; };", name="night.cfg")
    error = raised.value
    assert isinstance(error, pricer.Error) and isinstance(error, ValueError)
    assert (error.file, error.line, error.key) == ("night.cfg", 1, "market")
    assert str(error) == "night.cfg:1: market is missing: a book's file must have it"
    assert [complaint.key for complaint in error.complaints] == ["market", "book", "pahts"]
    assert error.complaints[2].line == 2


def test_a_trade_that_is_wrong_stops_no_other():
    book = pricer.Book(market(), [call("GOOD"), call("BAD", strike=-5)])
    with pytest.warns(pricer.BookWarning, match="trade 'BAD': strike must be > 0, got -5"):
        results = book.price(engine="cpu", paths=1024)
    assert results.status == ["ok", "refused"] and results.troubles == 1
    assert "strike must be > 0" in results["BAD"].message
    complaint = book.complaints[0]
    assert (complaint.trade, complaint.key, complaint.kind) == ("BAD", "strike", "complaint")


def test_what_stops_a_book_is_what_is_said():
    settings = {"antithetic": True, "control_variates": True}
    book = pricer.Book(market(), [call("BAD", strike=-5)], settings=settings)
    with pytest.raises(pricer.BadInput, match="control_variates contradicts antithetic") as raised:
        book.price(engine="cpu")
    assert raised.value.trade is None
    assert any(complaint.trade == "BAD" for complaint in raised.value.complaints)


def test_or_does_where_the_book_says_so():
    book = pricer.Book(market(), [call("BAD", strike=-5)], settings={"on_bad_trade": "stop"})
    with pytest.raises(pricer.BadInput) as raised:
        book.price(engine="cpu")
    assert (raised.value.trade, raised.value.key) == ("BAD", "strike")
    assert raised.value.file == "book" and raised.value.line > 0


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"engine": "cpu", "kernel": "wide"}, pricer.BadInput, "has no kernel 'wide'"),
        ({"engine": "abacus"}, pricer.BadInput, "engine must be auto, cuda or cpu"),
        ({"check": "some"}, pricer.BadInput, "check must be all, sample, none, or 1/5 to 5/5"),
        ({"paths": -5}, pricer.BadInput, "paths must be"),
        ({"engine": "cpu", "greeks": ["delto"]}, pricer.BadInput, "delto"),
    ],
)
def test_options_that_are_wrong(options, kind, said):
    with pytest.raises(kind, match=said):
        pricer.Book(market(), call()).price(**options)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"strike": float("nan")}, "strike must be a finite number, got nan"),
        ({"strike": object()}, "strike must be a number, a text, a date, a list or a dict"),
        ({"tags": {"de sk": "A"}}, "a key must be a name, got 'de sk'"),
        ({"tags": {"desk": "A\nB"}}, "desk must be a text of one line"),
    ],
)
def test_values_that_no_book_can_state(keys, said):
    with pytest.raises(pricer.BadInput, match=said):
        pricer.Book(market(), call(**keys))


def test_quotes_in_texts():
    book = pricer.Book(market(), call('a "quoted\\" one'))
    assert book.price(engine="cpu", paths=1024).ids == ['a "quoted\\" one']


def test_a_file_that_is_not_there(tmp_path):
    for path in (tmp_path / "none.cfg", tmp_path):
        with pytest.raises(pricer.FileError, match=f"{path}: cannot be read: "):
            pricer.Book.load(path)


def test_a_command_that_is_not_there(monkeypatch):
    results = pricer.Book(market(), call()).price(engine="cpu", paths=1024)
    for command in ("", "/none/pricer"):
        monkeypatch.setenv("PRICER_COMMAND", command)
        monkeypatch.setenv("PATH", "")
        with pytest.raises(pricer.FileError) as raised:
            results.report("night.html")
        assert raised.value.key is None


def test_what_is_set_says_where():
    book = pricer.Book(market(), call("T"))
    wrong = [("book.trades[T].strike", "T", "strike"), ("market.assets[SX5E].spot", None, "spot")]
    for path, trade, key in wrong:
        with pytest.raises(pricer.BadInput) as raised:
            book.set(path, -1)
        assert (raised.value.trade, raised.value.key) == (trade, key)


def test_markets():
    with pytest.raises(pricer.BadInput, match="'DOW' is no asset"):
        market().set_spot("DOW", 1.0)
    with pytest.raises(pricer.BadInput, match="asset 'A' must be a dict"):
        pricer.Market({"EUR": 0.0}, {"A": 3})
    other = market().copy()
    other.set_spot("DAX", 1.0)
    assert market().assets["DAX"]["spot"] == 18000 != other.assets["DAX"]["spot"]


def test_a_cuda_engine_or_none():
    book = pricer.Book(market(), call())
    try:
        assert book.price(engine="cuda", paths=1024).engine == "cuda"
    except pricer.NoEngine as error:
        assert str(error).startswith("engine: ")


HUGE = 2**64 + 1024
WRONG_CALLS = [
    *(("paths", value) for value in (HUGE, -1, 0, True, 4096.5, "4096", float("nan"), b"1")),
    *(("seed", value) for value in (-1, HUGE, 1.5, False)),
    *(("threads", value) for value in (0, -1, HUGE, "two")),
    *(("gpus", value) for value in (3, [2**32], ["a"], [-1])),
    *(("engine", value) for value in (3, b"cpu", "cpu\0", "", "\udc80")),
    *(("check", value) for value in (0, "all\0", [])),
    *(("greeks", value) for value in (3, [3], ["delta\0"], object())),
    *(("scenarios", value) for value in (3, {"a": 3}, "crash", [4])),
    ("progress", 3),
]


@pytest.mark.parametrize(("option", "value"), WRONG_CALLS)
def test_options_of_a_wrong_kind(option, value):
    book = pricer.Book(market(), call())
    options = {"engine": "cpu", "paths": 1024, "check": "none"}
    wanted = book.price(**options).digest
    with pytest.raises(pricer.Error) as raised:
        book.price(**{**options, option: value})
    assert len(str(raised.value).splitlines()) == 1
    assert book.price(**options).digest == wanted


itself: list[object] = []
itself.append(itself)
WRONG_VALUES = [2**64, 10**400, b"5", {5.0}, complex(1, 2), itself, "5\0", "\ud800", object(), None]


@pytest.mark.parametrize("value", WRONG_VALUES)
def test_values_that_are_refused_at_once(value):
    book = pricer.Book(market(), call())
    wanted = book.price(engine="cpu", paths=1024).digest
    for path in ("market.assets[SX5E].spot", "settings.paths", "nowhere", "", "market.assets[\0]"):
        with pytest.raises(pricer.Error) as raised:
            book.set(path, value)
        assert len(str(raised.value).splitlines()) == 1
    assert book.price(engine="cpu", paths=1024).digest == wanted


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: pricer.Book(3, []),
        lambda: pricer.Book(market(), 3),
        lambda: pricer.Book(market(), "T"),
        lambda: pricer.Book(market(), [3]),
        lambda: pricer.Book(market(), call(), settings=3),
        lambda: pricer.Book.load(3.5),
        lambda: pricer.Book.load("a\0b"),
        lambda: pricer.Book.load("inputs/book.cfg", sets=3),
        lambda: pricer.Book.read(b"market"),
        lambda: pricer.Book.read("market = {};\0"),
        lambda: pricer.Book(market(), call()).save("/nowhere/book.cfg"),
        lambda: pricer.Book(market(), call()).set_spot("SX5E", "high"),
        lambda: pricer.Book(market(), call()).set_spot(3, 1.0),
        lambda: pricer.Book(market(), call()).plan(pahts=3),
        lambda: pricer.Book(market(), call()).trades["none"],
        lambda: pricer.Book(market(), call()).trades[7],
        lambda: pricer.european(strike=3),
        lambda: call().but(strikes=3),
        lambda: pricer.Market(3, 4),
    ],
)
def test_calls_of_a_wrong_kind(wrong):
    with pytest.raises(pricer.Error) as raised:
        wrong()
    assert len(str(raised.value).splitlines()) == 1


def test_a_key_that_a_product_has_not():
    with pytest.raises(pricer.BadCall, match="unknown key 'strikes' in european") as raised:
        pricer.european("T", asset="SX5E", option="call", strikes=4900, expiry=1.0)
    assert raised.value.key == "strikes"


def test_a_time_of_day():
    noon = datetime.datetime(2027, 11, 19, 12)
    with pytest.raises(pricer.BadInput, match="expiry must be a date without a time of day"):
        pricer.Book(market(), call(expiry=noon))


def test_what_results_do_not_have():
    results = pricer.Book(market(), call("T")).price(engine="cpu", paths=1024, check="none")
    for key in ("none", 1, 10**30, 1.5, None):
        with pytest.raises(pricer.NotThere):
            results[key]
    assert not hasattr(results, "prise")
    tables = results.tables
    for of in (results.greeks, results.scenarios, results.totals, tables, tables["prices"]):
        with pytest.raises(pricer.NotThere, match="there is no 'none' among "):
            of["none"]
        assert of.get("none") is None and "none" not in of


def test_a_list_that_is_gone_through_once_serves_two_books():
    keys = {"option": "call", "averaging": "arithmetic", "strike_type": "fixed", "strike": 4900}
    asian = pricer.asian("A", asset="SX5E", expiry=1.0, fixing_times=iter([0.5, 1.0]), **keys)
    books = [pricer.Book(market(), asian) for _ in range(2)]
    assert len({book.price(engine="cpu", paths=1024).digest for book in books}) == 1
