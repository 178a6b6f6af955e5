"""Books loaded, read and made in Python are the command's."""

from __future__ import annotations

import copy
import datetime
import gc
import inspect
import math
import pickle
import subprocess
import sys

import pytest
from books import BOOK, COMMAND, ROOT, call, command_digest, every_product, market

import pricer
from pricer import tables
from pricer.tables import numpy


def test_the_digest_of_a_file_is_the_command_s():
    results = pricer.Book.load(BOOK).price(paths=4096, engine="cpu")
    assert results.digest == command_digest("--paths=4096", BOOK)
    assert len(results) == 75 and results.troubles == 0
    assert results.engine == "cpu" and results["EU-01"].currency == "EUR"


@pytest.mark.filterwarnings("ignore::pricer.BookWarning")
def test_every_product_is_priced_as_the_command_does(tmp_path):
    trades = every_product()
    library = sorted(path.stem for path in (ROOT / "models/payoffs").glob("*.pay"))
    assert [trade["type"] for trade in trades] + library == pricer.products.__all__
    book = pricer.Book(market(), trades, settings={"paths": 16384}, name="all products")
    results = book.price(engine="cpu")
    assert {row.status for row in results} <= {"ok", "unchecked"}, list(results)
    book.save(tmp_path / "all.cfg")
    assert results.digest == command_digest(str(tmp_path / "all.cfg"))
    assert results.digest == pricer.Book.read(book.text).price(engine="cpu").digest


def test_scripts_take_a_date_for_each_of_a_list():
    text = """
        product later(asset s; dates seen; date expiry, paid[seen]; number amount[seen])
          each t in seen: pay amount[t] * years(t, paid[t], ACT/360) at paid[t]
    """
    today = datetime.date(2026, 11, 20)
    seen = [today + datetime.timedelta(days) for days in (30, 60)]
    paid = [today + datetime.timedelta(days) for days in (40, 96)]
    keys = {"asset": "SX5E", "seen": seen, "paid": paid, "expiry": paid[-1], "amount": [36.0, 10.0]}
    result = pricer.Book(market(), [pricer.Script(text, **keys)]).price(engine="cpu", paths=1024)
    assert result.price[0] == pytest.approx(sum(math.exp(-0.025 * days / 365) for days in (40, 96)))
    with pytest.raises(pricer.BadInput, match="paid must .*: got 1 for 2 dates"):
        pricer.Book(market(), [pricer.Script(text, **{**keys, "paid": paid[:1]})]).price(engine="cpu")


def test_scripts_are_trades(tmp_path, monkeypatch):
    text = """
        product cliff(asset s; date expiry; number strike; choice option(call | put))
          at expiry: pay max(s(expiry) - strike if option == call else strike - s(expiry), 0)
    """
    (tmp_path / "cliff.pay").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    keys = {"asset": "SX5E", "expiry": 1.0, "strike": 4900.0, "option": "put"}
    scripts = [pricer.Script(script, **keys) for script in (text, "cliff.pay")]
    tarf = pricer.tarf(asset="SX5E", fixings=[0.5, 1.0], expiry=1.0, strike=4900.0, target=300.0)
    book = pricer.Book(market(), [pricer.european(**keys), *scripts, tarf])
    results = book.price(engine="cpu", paths=4096)
    assert [row.type for row in results] == ["european", "cliff", "cliff", "tarf"]
    assert results.price[1] == results.price[2] == pytest.approx(results.price[0], rel=1e-9)
    read = pricer.Book.read(pricer.Book(market(), [pricer.european(**keys), scripts[0]]).text)
    european, script = read.price(engine="cpu", paths=4096).price
    assert script == pytest.approx(european, rel=1e-9)
    explained = read.explain("trade 2", engine="cpu")
    assert "trade trade 2: cliff\n" in explained and "at expiry: pay max" in explained
    assert "spot of SX5E at 2027-11-20" in read.explain("trade 1", engine="cpu")
    with pytest.raises(pricer.BadInput, match="no trade 'trade 3' .* did you mean 'trade 1'"):
        read.explain("trade 3", engine="cpu")


def test_signatures_are_the_keys():
    signature = inspect.signature(pricer.european)
    assert list(signature.parameters)[:5] == ["id", "asset", "expiry", "option", "strike"]
    assert signature.parameters["strike"].default is inspect.Parameter.empty
    assert signature.parameters["quantity"].default is None
    with pytest.raises(TypeError, match=r"european\(\) missing a required argument: 'strike'"):
        pricer.european(asset="SX5E", option="call", expiry=1.0)
    with pytest.raises(TypeError, match="strik"):
        call(strik=3.0)
    for product in pricer.products.__all__:
        function = getattr(pricer, product)
        assert function.__doc__ and function.__name__ == product
        for key in inspect.signature(function).parameters:
            line = [line for line in function.__doc__.splitlines() if line.startswith(f"{key}: ")]
            assert line and len(line[0]) > len(key) + 2, f"{product} says nothing of {key}"


def test_the_stub_is_current():
    script = ROOT / "app/python/make_stub.py"
    checked = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_dates_tenors_and_years_are_the_same_expiry():
    days = [1.0, "1Y", "2027-11-20", datetime.date(2027, 11, 20), datetime.datetime(2027, 11, 20)]
    book = pricer.Book(market(), [call(expiry=day) for day in days])
    with pytest.warns(pricer.BookWarning, match="Saturday"):
        results = book.price(engine="cpu", paths=1024)
    assert len(set(results.price)) == 1 and results.price[0] > 100.0
    assert results.ids == ["trade 1", "trade 2", "trade 3", "trade 4", "trade 5"]


def test_lists_may_be_tuples_ranges_and_arrays():
    def asian(times):
        keys = {"option": "call", "averaging": "arithmetic", "strike_type": "fixed"}
        return pricer.asian(
            asset="SX5E", strike=4900, fixing_times=times, expiry=1.0, id="A", **keys
        )

    lists = [[0.25, 0.5, 1], (0.25, 0.5, "1Y"), (x / 4 for x in (1, 2, 4))]
    if numpy is not None:
        lists.append(numpy.array([0.25, 0.5, 1.0]))
    digests = {
        pricer.Book(market(), asian(times)).price(engine="cpu", paths=1024).digest
        for times in lists
    }
    assert len(digests) == 1


def test_nested_lists_and_groups():
    smile = {"times": [0.5, 1], "strikes": (80, 100, 120.5), "vols": [[0.24, 0.2, 0.19]] * 2}
    if numpy is not None:
        smile["vols"] = numpy.array(smile["vols"])
    assets = {"A": {"currency": "EUR", "spot": 100, "model": "local_vol", "volatility": smile}}
    live = pricer.asian(
        asset="A",
        option="call",
        averaging="arithmetic",
        strike_type="fixed",
        strike=99,
        fixing_times=[],
        past={"count": 3, "average": 101.5},
        expiry=0.5,
    )
    results = pricer.Book(pricer.Market({"EUR": 0.0}, assets), live).price(engine="cpu", paths=1024)
    assert results.price[0] == pytest.approx(2.5)


def test_a_quanto_of_three_currencies():
    assets = {
        name: {"currency": currency, "spot": 100.0, "volatility": 0.2}
        for name, currency in (("A", "EUR"), ("B", "USD"), ("C", "JPY"))
    }
    for quoted, spot in (("USD", 1.1), ("JPY", 165.0)):
        rate = {"currency": quoted, "foreign_currency": "EUR", "spot": spot, "volatility": 0.1}
        assets["EUR" + quoted] = rate
    pairs = {("A", "B"): 0.6, ("A", "C"): 0.5, ("B", "C"): 0.4}
    pairs.update({("B", "EURUSD"): -0.3, ("C", "EURJPY"): 0.4})
    three = pricer.Market({"EUR": 0.02, "USD": 0.04, "JPY": 0.0}, assets, pairs)

    def priced(fx):
        keys = {"assets": ["A", "B", "C"], "kind": "worst_of", "option": "put", "strike": 95.0}
        trade = pricer.basket("W", expiry=1.0, quanto={"fx": fx}, **keys)
        return pricer.Book(three, trade).price(engine="cpu", paths=4096)

    digests = {priced(fx).digest for fx in (["EURUSD", "EURJPY"], ("EURJPY", "EURUSD"))}
    assert len(digests) == 1
    assert priced(["EURUSD", "EURJPY"]).currency == ["EUR"]
    with pytest.raises(pricer.BadInput, match="fx lacks a rate of JPY and USD: 'C' is in JPY"):
        priced("EURUSD")


def test_a_forward_start_that_has_begun():
    keys = {"asset": "SX5E", "option": "call", "strike_ratio": 1.05, "expiry": 0.75}
    begun = pricer.forward_start("F", start=None, past={"level": 4800.0}, **keys)
    results = pricer.Book(market(), begun).price(engine="cpu", paths=16384)
    assert results.status == ["ok"] and results.price[0] > 0


def test_settings_and_options():
    book = pricer.Book(market(), call(), settings={"paths": 2048, "seed": 7})
    one = book.price(engine="cpu")
    assert one.paths[0] == 2048
    assert book.price(engine="cpu", paths=4096).paths[0] == 4096
    assert book.price(engine="cpu", seed=8).digest != one.digest
    assert book.price(engine="cpu", kernel="plain").kernel == "plain"
    assert book.price(engine="cpu", check="none").status == ["unchecked"]
    assert book.price(engine="cpu", threads=1).digest == one.digest


def test_spots_move():
    fresh = market()
    fresh.set_spot("SX5E", 4900.0)
    book = pricer.Book(market(), [call(), call(asset="DAX", strike=18000.0)])
    before = book.price(engine="cpu", paths=1024)
    book.set_spot("SX5E", 4900.0)
    moved = book.price(engine="cpu", paths=1024)
    wanted = pricer.Book(fresh, [call(), call(asset="DAX", strike=18000.0)])
    assert moved.digest == wanted.price(engine="cpu", paths=1024).digest != before.digest
    assert moved.price[1] == before.price[1]
    loaded = pricer.Book.load(BOOK, sets={"settings.paths": 1024})
    loaded.set_spot("SX5E", 5000)
    arguments = ["--paths=1024", "--set=market.assets[SX5E].spot=5000", BOOK]
    assert loaded.price(engine="cpu").digest == command_digest(*arguments)


class Watched:
    """Counts the calls of the library."""

    def __init__(self, monkeypatch):
        self.calls = []
        for name in ("open", "plan", "set_number", "price"):
            monkeypatch.setattr(pricer._library.call, name, self.counting(name))

    def counting(self, name):
        function = getattr(pricer._library.call, name)

        def count(*arguments):
            self.calls.append(name)
            return function(*arguments)

        return count

    def since(self):
        calls, self.calls = self.calls, []
        return calls


def two_assets(spot=4850.0, vol=0.18):
    moved = market()
    moved.assets["SX5E"].update(spot=spot, volatility=vol)
    return pricer.Book(moved, [call("A"), call("B", asset="DAX", strike=18000.0)])


OPTIONS = {"engine": "cpu", "paths": 4096, "greeks": ["delta"]}


def test_a_warm_book_prices_what_lives_on_a_change(monkeypatch):
    watched = Watched(monkeypatch)
    book = two_assets()
    first = book.price(**OPTIONS)
    assert watched.since() == ["open", "plan", "price"]
    assert book.price(**OPTIONS).digest == first.digest
    assert watched.since() == ["plan", "price"]  # nothing has changed: all of it, warm
    book.set_spot("SX5E", 4850.0)
    assert watched.since() == ["open"]  # a book that changes are tried on
    for spot, vol in ((4900.0, 0.18), (4900.0, 0.21), (4850.0, 0.18)):
        book.set_spot("SX5E", spot)
        book.set("market.assets[SX5E].volatility", vol)
        warm = book.price(**OPTIONS)
        assert "open" not in watched.calls and "plan" not in watched.calls
        assert watched.since()[-1] == "price"
        fresh = two_assets(spot, vol).price(**OPTIONS)
        watched.since()
        assert warm.digest == fresh.digest and warm["B"][:10] == first["B"][:10]
        assert repr(warm.greeks) == repr(fresh.greeks) and len(warm.greeks) == 2
    assert warm.digest == first.digest


def test_a_setting_that_the_book_lacks_is_no_other_book(monkeypatch):
    watched, book = Watched(monkeypatch), two_assets()
    first = book.price(**OPTIONS)
    watched.since()
    book.set("settings.seed", 7)
    warm = book.price(**OPTIONS)
    assert watched.since() == ["open", "set_number", "price"]
    assert first.digest != warm.digest == book.price(**OPTIONS, seed=7).digest


def test_earlier_results_stay_as_they_were():
    book = two_assets()
    before = book.price(**OPTIONS)
    price, column, delta = before["A"].price, before.price, before.greeks["delta:SX5E"][0][0]
    book.set_spot("SX5E", 5200.0)
    assert book.price(**OPTIONS)["A"].price > price + 100.0
    assert before["A"].price == before.price[0] == column[0] == price
    assert before.greeks["delta:SX5E"][0][0] == delta


def test_columns_are_copied_when_they_are_asked_for(monkeypatch):
    book, copied = two_assets(), []

    def copy(snapshot: object, name: bytes, n: object) -> int:
        copied.append(name)
        return column(snapshot, name, n)

    column = tables.call.snapshot_column
    monkeypatch.setattr(tables.call, "snapshot_column", copy)
    before = book.price(**OPTIONS)
    book.set_spot("SX5E", 5200.0)
    after = book.price(**OPTIONS)
    assert len(before) == len(after) == before.tables["prices"].n_rows
    assert not copied
    del book
    gc.collect()
    assert before.price[0] < after.price[0] and before.price[1] == after.price[1]
    assert before.price is before.price and copied == [b"price"] * 2
    assert before.ids == after.ids and before.ids is not after.ids
    if not isinstance(before.price, memoryview):
        again = pickle.loads(pickle.dumps(before))
        assert repr(list(again)) == repr(list(before)) and repr(again.greeks) == repr(before.greeks)


def test_a_change_that_is_wrong(monkeypatch):
    book = two_assets()
    digest = book.price(**OPTIONS).digest
    with pytest.raises(pricer.BadInput, match="spot must be > 0, got -5"):
        book.set_spot("SX5E", -5.0)
    assert book.price(**OPTIONS).digest == digest
    with pytest.raises(pricer.BadInput, match="spot must be a finite number"):
        book.set_spot("SX5E", float("nan"))
    book.set_spot("SX5E", 4850.0)
    assert book.price(**OPTIONS).digest == digest
    book.set("book.trades[A].strike", 5000)  # no number of the market: the book is read anew
    watched = Watched(monkeypatch)
    moved = book.price(**OPTIONS)
    assert "open" in watched.calls and moved["A"].price < 300 and moved.digest != digest
    with pytest.raises(pricer.BadInput, match="nothing"):
        book.set("settings.nothing", 3)
    assert book.price(**OPTIONS).digest == moved.digest
    book.set({"market.assets[SX5E].spot": 4900.0, "market.assets[DAX].spot": 17000.0})
    with pytest.raises(pricer.BadInput, match="spot must be > 0"):
        book.set({"market.assets[SX5E].spot": 4800.0, "market.assets[DAX].spot": 0})
    book.set({"market.assets[SX5E].spot": 4850.0, "market.assets[DAX].spot": 18000.0})
    assert book.price(**OPTIONS).digest == moved.digest


def test_trades_are_listed_added_and_dropped(tmp_path):
    book = two_assets()
    wanted = book.price(**OPTIONS)
    assert len(book) == 2 and book.trades.ids == ["A", "B"] and "A" in book and "C" not in book
    assert book.trades["B"]["strike"] == 18000.0 and book.trades[0] == call("A")
    book.add(call("C", strike=5000.0))
    assert book.price(**OPTIONS).ids == ["A", "B", "C"] and "3 trades" in repr(book)
    with pytest.raises(pricer.BadInput, match="'A' is taken"):
        book.add(call("A"))
    with pytest.raises(pricer.NotThere, match="no trade 'D'"):
        book.drop("C", "D")
    book.drop("C")
    assert book.price(**OPTIONS).digest == wanted.digest
    with pytest.raises(pricer.BadInput, match="last one"):
        book.drop("A", "B")
    loaded = pricer.Book.load(BOOK)
    assert len(loaded) == 75 and loaded.trades["EU-01"]["type"] == "european"
    digest = loaded.price(engine="cpu", paths=1024).digest
    edited = copy.copy(loaded)
    edited.add(loaded.trades["EU-01"].but(id="new"))
    assert len(edited) == 76 and len(loaded) == 75
    edited.drop("new")
    assert edited.price(engine="cpu", paths=1024).digest == digest


@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_copies_and_pickles_of_books(through):
    for book in (two_assets(), pricer.Book.load(BOOK), pricer.Book.read(two_assets().text)):
        book.set("settings.seed", 7)
        digest = book.price(engine="cpu", paths=1024).digest
        again = through(book)
        assert again.price(engine="cpu", paths=1024).digest == digest
        again.set("settings.seed", 8)
        assert again.price(engine="cpu", paths=1024).digest != digest
        assert book.price(engine="cpu", paths=1024).digest == digest


def test_what_was_set_is_saved(tmp_path):
    for book in (two_assets(), pricer.Book.load(BOOK), pricer.Book.read(two_assets().text)):
        first = book.trades[0]["id"]
        book.set({"settings.paths": 2048, f"book.trades[{first}].quantity": 3})
        assert book.trades[first]["quantity"] == 3
        digest = book.price(engine="cpu", check="none").digest
        book.save(tmp_path / "set.cfg")
        assert command_digest("--check=none", str(tmp_path / "set.cfg")) == digest
        book.set("book.trades[0].quantity", 4)
        book.drop(first)
        assert book.trades[0].get("quantity") != 4


def test_trades():
    trade = call("T1", tags={"desk": "EQD"})
    assert trade["tags"] == {"desk": "EQD"} and trade["type"] == "european"
    assert trade.but(strike=5000.0)["strike"] == 5000.0 and trade["strike"] == 4900.0
    assert "tags" not in trade.but(tags=None)
    assert eval(repr(trade)) == trade


def test_the_plan_is_told():
    assert "1 trades in 1 groups" in pricer.Book(market(), call()).plan(engine="cpu", paths=4096)


def test_the_plan_is_of_what_was_set_last(monkeypatch):
    book = pricer.Book(market(), call(), settings={"paths": 4096})
    book.price(engine="cpu")
    book.set("settings.paths", 16384)
    assert "; 16384 paths in" in book.plan(engine="cpu")
    watched = Watched(monkeypatch)
    assert book.price(engine="cpu").paths[0] == 16384
    assert watched.since() == ["set_number", "price"]  # it is warm still


@pytest.mark.filterwarnings("ignore::pricer.BookWarning")
@pytest.mark.parametrize("seed", [2**31, 2**53 + 1])
def test_whole_numbers_beyond_32_bits(seed, tmp_path, monkeypatch):
    wanted = pricer.Book(market(), call(), settings={"seed": seed})
    cold, warm = (pricer.Book(market(), call(), settings={"seed": 3}) for _ in range(2))
    warm.price(engine="cpu", paths=1024)
    digest = wanted.price(engine="cpu", paths=1024).digest
    for book in (cold, warm):
        book.set("settings.seed", seed)
        results = book.price(engine="cpu", paths=1024)
        assert results.digest == digest
    monkeypatch.setenv("PRICER_COMMAND", COMMAND)
    results.report(tmp_path / "report.html")  # which holds the digests against each other


def test_a_copy_of_a_market_shares_nothing():
    first = market()
    second = first.copy()
    second.currencies["USD"]["curve"]["zero_rates"][0] = 0.09
    second.correlations[0]["assets"][0] = "EURUSD"
    assert first._text() == market()._text() != second._text()


def test_trades_of_csv_files_are_trades(tmp_path):
    pricer.Book(market(), [call("OWN")], settings={"paths": 4096}).save(tmp_path / "book.cfg")
    text = (tmp_path / "book.cfg").read_text(encoding="utf-8")
    text = text.replace("trades = (", 'trades_file = ["a.csv", "b.csv"];\ntrades = (')
    (tmp_path / "book.cfg").write_text(text, encoding="utf-8")
    (tmp_path / "a.csv").write_text(
        "id,type,asset,option,strike,expiry,averaging,strike_type,fixings,past.count,past.average,"
        "tag.desk\n"
        'A-1,asian,SX5E,put,4898.123456789012,0.5,arithmetic,fixed,6,6,4797.2,"x, ""y"""\n'
        "E-1,european,SX5E,call,4900,2027-06-18,,,,,,\n",
        encoding="utf-8",
    )
    rows = "id,type,asset,option,strike,expiry,barrier,direction,knock,monitoring\n"
    row = "B-1,barrier,SX5E,call,4900,1.0,6000,up,out,0.25;0.5;1.0\n"
    (tmp_path / "b.csv").write_text(rows + row, encoding="utf-8")
    book = pricer.Book.load(tmp_path / "book.cfg")
    digest = book.price(engine="cpu").digest
    assert [trade["id"] for trade in book.trades] == ["OWN", "A-1", "E-1", "B-1"]
    assert book.trades["A-1"]["past"] == {"count": 6, "average": 4797.2}
    assert book.trades["A-1"]["tags"] == {"desk": 'x, "y"'}
    for same in (copy.copy(book), copy.deepcopy(book), pickle.loads(pickle.dumps(book))):
        assert len(same) == 4 and same.price(engine="cpu").digest == digest
    own = book.trades["B-1"]
    book.drop("B-1")
    assert len(book.price(engine="cpu")) == 3
    book.add(own)
    assert book.price(engine="cpu").digest == digest
    (tmp_path / "b.csv").write_text(rows + row.replace("4900", "1e999"), encoding="utf-8")
    with pytest.warns(pricer.BookWarning), pytest.raises(pricer.BadInput, match="row of trades_file: strike"):
        len(pricer.Book.load(tmp_path / "book.cfg"))
