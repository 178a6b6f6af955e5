"""Numbers of a book's market are those of formulas."""

from __future__ import annotations

import math
import re
import subprocess

import pytest
from books import COMMAND, ROOT, call, market

import pricer


def test_forwards_discounts_and_volatilities():
    book = pricer.Book(market(), call())
    asset = book.market.assets["SX5E"]
    assert list(book.market.assets) == ["SX5E", "DAX", "EURUSD"]
    assert asset.spot == pytest.approx(4850.0, rel=1e-14)
    assert asset.forward(2.0) == pytest.approx(4850.0 * math.exp(2 * (0.025 - 0.028)), rel=1e-12)
    assert asset.vol([0.5, 3.0], 5000.0) == pytest.approx([0.18, 0.18], rel=1e-12)
    assert book.market.discount("EUR", [0, 3]) == pytest.approx([1.0, math.exp(-0.075)], rel=1e-12)
    assert book.market.discount("USD", 1.0) == pytest.approx(math.exp(-0.04), rel=1e-12)
    book.set({"market.assets[SX5E].spot": 5000, "market.assets[SX5E].volatility": 0.3})
    assert asset.spot == pytest.approx(5000, rel=1e-14)
    assert asset.vol(1, 1) == pytest.approx(0.3, rel=1e-12)


def test_dividends_and_surfaces():
    smile = {"times": [0.5, 1], "strikes": [80, 100, 120], "vols": [[0.24, 0.2, 0.19]] * 2}
    assets = {
        "A": {"currency": "EUR", "spot": 100, "model": "local_vol", "volatility": smile},
        "B": {
            "currency": "EUR",
            "spot": 100,
            "volatility": 0.2,
            "cash_dividends": [{"time": 0.5, "amount": 3.0}],
        },
        "C": {
            "currency": "EUR",
            "spot": 100,
            "model": "heston",
            "heston": {"v0": 0.04, "kappa": 1.5, "theta": 0.04, "xi": 0.5, "rho": -0.7},
        },
    }
    book = pricer.Book(pricer.Market({"EUR": 0.03}, assets), call(asset="B", strike=100))
    now = book.market.assets
    assert now["A"].vol(1.0, [80, 120]) == pytest.approx([0.24, 0.19], abs=1e-6)
    wanted = 100 * math.exp(0.03) - 3 * math.exp(0.015)
    assert now["B"].forward(1.0) == pytest.approx(wanted, rel=1e-12)
    assert now["B"].forward(0.4) == pytest.approx(100 * math.exp(0.012), rel=1e-12)
    with pytest.raises(pricer.BadInput, match="priced by heston"):
        now["C"].vol(1.0, 100)


@pytest.mark.parametrize("option", ["call", "put"])
@pytest.mark.parametrize("strike", [60.0, 100.0, 170.0])
def test_implied_volatility_is_black_s(option, strike):
    forward, t, vol, discount = 100.0, 2.0, 0.25, 0.9
    root = vol * math.sqrt(t)
    d = math.log(forward / strike) / root + root / 2
    normal = [0.5 * math.erfc(-x / math.sqrt(2)) for x in (d, d - root)]
    price = discount * (forward * normal[0] - strike * normal[1])
    if option == "put":
        price -= discount * (forward - strike)
    keys = {"forward": forward, "strike": strike, "t": t, "option": option, "discount": discount}
    assert pricer.implied_vol(price, **keys) == pytest.approx(vol, rel=1e-9)
    for wrong in (-1.0, 0.0, 170.0, math.nan, math.inf, "5", None, True):
        with pytest.raises(pricer.Error):
            pricer.implied_vol(wrong, **keys)


@pytest.mark.parametrize("t", [-1.0, math.nan, math.inf, "1Y", None, True, b"1"])
def test_points_that_are_no_times(t):
    now = pricer.Book(market(), call()).market
    for read in (now.assets["DAX"].forward, lambda t: now.assets["DAX"].vol(t, 100.0)):
        with pytest.raises(pricer.Error):
            read(t)
    with pytest.raises(pricer.Error):
        now.discount("EUR", t)
    with pytest.raises(pricer.NotThere):
        now.assets["DOW"]
    with pytest.raises(pricer.BadInput, match="'GBP' is no currency"):
        now.discount("GBP", 1.0)
    with pytest.raises(pricer.BadInput):
        now.assets["DAX"].vol([1, 2], [3, 4, 5])
    with pytest.raises(pricer.BadInput, match="strikes must be > 0"):
        now.assets["DAX"].vol(1.0, 0.0)


@pytest.mark.parametrize("model", ["heston", "bates"])
def test_calibrate_is_the_command_s(model, tmp_path):
    path = ROOT / "inputs/gallery/local_vol.cfg"
    book = pricer.Book.load(path)
    name = next(iter(book.market.assets))
    fit = pricer.calibrate(book, name, model)
    output = tmp_path / "fit.cfg"
    command = [COMMAND, f"--calibrate={model}", f"--output={output}", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    written = dict(re.findall(r"(\w+) = ([-+0-9.e]+);", output.read_text(encoding="utf-8")))
    keys = {key: value for group in fit.keys.values() for key, value in group.items()}
    assert list(fit.keys) == (["heston"] if model == "heston" else ["heston", "jumps"])
    assert keys == {key: pytest.approx(float(written[key]), rel=1e-12) for key in keys}
    assert set(fit.errors) == set(keys) and 0 < fit.rmse < abs(fit.largest) and fit.checked < 1e-5
    for wrong in (("NOPE", "heston"), (name, "sabr")):
        with pytest.raises(pricer.BadInput):
            pricer.calibrate(book, *wrong)
    with pytest.raises(pricer.BadInput, match="no implied surface"):
        pricer.calibrate(pricer.Book(market(), call("A")), "SX5E")
    with pytest.raises(pricer.BadCall):
        pricer.calibrate("book.cfg", name)


def test_diff_is_the_command_s(tmp_path, monkeypatch):
    monkeypatch.setenv("PRICER_COMMAND", COMMAND)
    database = tmp_path / "night.db"
    pricer.Book(market(), [call("A"), call("B", asset="DAX", strike=18000)]).save(tmp_path / "b.cfg")
    for spot in ("4850", "4900"):
        sets = ["--set", f"market.assets[SX5E].spot={spot}", "--paths=4096", "--engine=cpu"]
        arguments = [COMMAND, *sets, f"--output={database}", str(tmp_path / "b.cfg")]
        assert subprocess.run(arguments, capture_output=True).returncode in (0, 1)
    text, changes = pricer.diff(f"{database}:1", f"{database}:2")
    said = subprocess.run([COMMAND, "diff", str(database)], capture_output=True, text=True)
    assert text == pricer.diff(database)[0] == said.stdout and "SX5E spot 4850 -> 4900" in text
    assert changes
    with pytest.raises(pricer.Error):
        pricer.diff(tmp_path / "none.db")
    with pytest.raises(pricer.BadCall):
        pricer.diff(5)
