"""Results are read as numbers, columns, Greeks, scenarios, tables and pages."""

from __future__ import annotations

import csv
import datetime
import math
import subprocess

import pytest
from books import BOOK, COMMAND, call, command_digest, market

import pricer
from pricer.tables import numpy

SHOCKS = {
    "crash": [{"asset": "*", "spot": -0.1, "volatility": 0.05}],
    "rates": {"currency": "EUR", "rate": 0.01},
}


@pytest.fixture(scope="module")
def results() -> pricer.Results:
    book = pricer.Book(market(), [call("A"), call("B", option="put", quantity=-3)])
    return book.price(engine="cpu", paths=16384, greeks=["delta", "vega"], scenarios=SHOCKS)


def test_rows(results):
    assert [row.id for row in results] == results.ids == ["A", "B"]
    assert results["B"].quantity == -3 and results[1] == results["B"]
    row = results["A"]
    assert row.status == "ok" and row.currency == "EUR" and row.message is None
    assert row.z == pytest.approx((row.price - row.reference) / row.std_error)
    assert row.note is None
    with pytest.warns(pricer.BookWarning, match="times the spot"):
        far = pricer.Book(market(), call("FAR", strike=1e6)).price(engine="cpu", paths=1024)
    assert "times the spot" in far["FAR"].note and far.note == [far[0].note]
    with pytest.raises(KeyError):
        results["C"]
    with pytest.raises(AttributeError):
        results.colour


def test_a_row_has_the_columns_of_the_library(results):
    assert list(results.tables["prices"]) == ["trade_id", *pricer.Price._fields[1:]]


@pytest.fixture(scope="module")
def night_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("night")
    days = (datetime.date(2026, 8, 1) + datetime.timedelta(i) for i in range(60))
    rows = (f"{day},{4850 + 40 * math.sin(i * i)}" for i, day in enumerate(days))
    (folder / "history.csv").write_text("\n".join(["date,SX5E", *rows]) + "\n")
    risk = {
        "greeks": ["delta", "gamma", "vega_bucket", "cross_gamma"],
        "scenarios": [{"name": name, "shocks": SHOCKS["crash"]} for name in ("crash", "again")],
        "historical": {"file": "history.csv"},
    }
    spread = pricer.spread(
        "S", assets=["SX5E", "DAX"], weights=[4, -1.0], option="call", strike=500, expiry=1
    )
    trades = [call("A", tags={"desk": "X"}), spread, call("BAD", strike=-1)]
    settings = {"paths": 4096, "check": "none"}
    pricer.Book(market(), trades, settings=settings, risk=risk).save(folder / "night.cfg")
    return folder / "night.cfg"


@pytest.fixture(scope="module")
def night(night_file) -> pricer.Results:
    with pytest.warns(pricer.BookWarning):
        book = pricer.Book.load(night_file)
    return book.price(engine="cpu")


@pytest.mark.filterwarnings("ignore::pricer.BookWarning")
def test_the_tables_of_a_night_are_the_command_s_files(night, night_file, tmp_path):
    arguments = ["--engine=cpu", f"--output={tmp_path}/", str(night_file)]
    subprocess.run([COMMAND, *arguments], capture_output=True)
    for name, table in night.tables.items():
        with open(tmp_path / f"{name}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == table.n_rows > 0
        more = ("engine", "kernel", "tag.desk")  # of a file: the run's, and a table of their own
        assert [column for column in rows[0] if column not in more] == list(table), name
        for column, values in table.items():
            written = [row[column] for row in rows]
            if isinstance(values, list):
                assert [value or "" for value in values] == written, (name, column)
            else:
                wanted = [float(value) if math.isfinite(value) else "" for value in values]
                assert wanted == [value and float(value) for value in written], (name, column)


def test_a_night_by_name(night):
    names = ["delta:SX5E", "delta:DAX", "gamma:SX5E", "vega:SX5E@1", "cross_gamma:SX5E:DAX"]
    assert set(names) <= set(night.greeks) and len(night.greeks) == len(night._greeks)
    table = night.tables["greeks"]
    i = table["greek"].index("vega_bucket")
    place = night.ids.index(table["trade_id"][i])
    found = night.greeks[f"vega:{table['factor'][i]}@{table['bucket'][i]:g}"][place]
    assert (found[0], found[1]) == (table["value"][i], table["std_error"][i])
    assert math.isnan(night.greeks["delta:DAX"][0][0])  # a call on another asset
    assert list(night.totals) == list(night.scenarios) == ["crash", "again"]
    assert [row.confidence for row in night.risk] == [0.95, 0.99]
    assert all(0 < row.var <= row.shortfall for row in night.risk)


def test_the_name_of_a_quote_by_delta():
    name = pricer.results._greek_name("vega_quote", "EURCHF", "rr25", 0.5, math.nan)
    assert name == "vega:EURCHF@0.5/rr25"


def test_greeks_and_scenarios_in_place_of_a_file_s(night, night_file, tmp_path):
    up = {"up": {"asset": "*", "spot": 0.1}}
    with pytest.warns(pricer.BookWarning):
        other = pricer.Book.load(night_file).price(engine="cpu", greeks="vega", scenarios=up)
    assert list(other.greeks) == ["vega:SX5E", "vega:DAX"] and list(other.totals) == ["up"]
    assert len(other.risk) == 2 and other.digest == night.digest
    first = pricer.Book.load(BOOK).price(engine="cpu", paths=1024, check="none", greeks=["delta"])
    output = tmp_path / "out.csv"
    sets = ["--set=risk.greeks=[delta]", f"--output={output}", "--paths=1024", "--check=none"]
    subprocess.run([COMMAND, "--engine=cpu", *sets, BOOK], check=True, capture_output=True)
    written = [row["delta:SX5E"] for row in csv.DictReader(output.open())]
    found = first.table()["delta:SX5E"]
    assert [float(value or "nan") for value in written] == pytest.approx(list(found), nan_ok=True)
    assert written[0]


def test_columns(results):
    assert results.price[1] == results["B"].price and len(results.std_error) == 2
    if numpy is None:
        assert isinstance(results.price, memoryview) and results.price.format == "d"
        assert results.prices == list(results)
    else:
        assert results.price.dtype == numpy.float64
        assert results.prices["price"].tolist() == [row.price for row in results]
        assert results.prices.shape == (2,) and results.prices["z"][0] == results["A"].z


def test_greeks_and_scenarios_are_the_command_s(results, tmp_path):
    book = pricer.Book(
        market(),
        [call("A"), call("B", option="put", quantity=-3)],
        settings={"paths": 16384},
        risk={
            "greeks": ["delta", "vega"],
            "scenarios": [
                {"name": "crash", "shocks": SHOCKS["crash"]},
                {"name": "rates", "shocks": [SHOCKS["rates"]]},
            ],
        },
    )
    book.save(tmp_path / "book.cfg")
    output = tmp_path / "out.csv"
    subprocess.run(
        [COMMAND, "--engine=cpu", f"--output={output}", str(tmp_path / "book.cfg")],
        check=True,
        capture_output=True,
    )
    table = results.table()
    rows = list(csv.DictReader(output.open()))
    names = ["price", "std_error", "delta:SX5E", "delta_se:SX5E", "vega:SX5E", "pnl:crash"]
    for name in [*names, "pnl_se:crash", "pnl:rates"]:
        assert list(table[name]) == [float(row[name]) for row in rows], name
    total = sum(table["pnl:crash"])
    assert results.totals["crash"].value == pytest.approx(total) and total != 0


def test_greeks_have_errors_and_references(results):
    delta = results.greeks["delta:SX5E"]
    one = delta[0]
    names = pricer.Value._fields
    value, error, reference = one[0], one[1], one[2]
    assert names[:3] == ("value", "std_error", "reference")
    assert 0.4 < value < 0.7 and 0 < error < 0.01 and abs(value - reference) < 5 * error


def test_table_and_pages(results):
    page = results._repr_html_()
    assert page.startswith("<table") and results.digest in page and ">A<" in page
    assert f"{results['A'].reference:.0f}"[:2] in page
    assert "2 ok" in repr(results) and "<th>in</th>" not in page
    mixed = pricer.Book(market(), [call("A"), call("X", asset="EURUSD", strike=1.1)])
    page = mixed.price(engine="cpu", paths=1024)._repr_html_()
    assert "<th>in</th>" in page and "<td>EUR</td>" in page and "<td>USD</td>" in page


def test_the_page_shows_trouble_first_and_escapes():
    book = pricer.Book(market(), [call("A"), call("<b>", strike=-1.0)])
    with pytest.warns(pricer.BookWarning):
        page = book.price(engine="cpu", paths=1024)._repr_html_()
    assert "<b>" not in page and page.index("&lt;b&gt;") < page.index(">A<")


def test_pandas(results):
    pandas = pytest.importorskip("pandas")
    frame = results.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.loc["A", "price"] == results["A"].price


def test_the_report(tmp_path, monkeypatch):
    page = tmp_path / "night.html"
    results = pricer.Book.load(BOOK, sets={"settings.seed": 5}).price(engine="cpu", paths=1024)
    monkeypatch.setenv("PRICER_COMMAND", COMMAND)
    results.report(page)
    assert results.digest in page.read_text(encoding="utf-8")
    assert results.digest == command_digest("--paths=1024", "--seed=5", BOOK)
    made = pricer.Book(market(), call("ONLY")).price(engine="cpu", paths=1024, greeks=["delta"])
    made.report(page)
    assert "ONLY" in page.read_text(encoding="utf-8")
    monkeypatch.setenv("PRICER_COMMAND", "false")
    with pytest.raises(pricer.Error):
        made.report(page)
    monkeypatch.delenv("PRICER_COMMAND")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pricer.FileError, match="PRICER_COMMAND"):
        made.report(page)


def test_what_is_not_there_is_nan(results):
    assert math.isnan(results["A"].upper)
    assert math.isnan(results.totals["crash"].reference)
