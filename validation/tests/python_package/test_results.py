"""Results are read as numbers, columns, Greeks, scenarios, tables and pages."""

from __future__ import annotations

import csv
import math
import subprocess

import pytest
from books import BOOK, COMMAND, call, command_digest, market

import pricer
from pricer._columns import numpy

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
    assert row.status == "ok" and row.currency == "EUR" and row.message == ""
    assert row.z == pytest.approx((row.price - row.reference) / row.std_error)
    with pytest.raises(KeyError):
        results["C"]
    with pytest.raises(AttributeError):
        results.colour


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
        assert table[name] == [float(row[name]) for row in rows], name
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
    assert "2 ok" in repr(results)


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
