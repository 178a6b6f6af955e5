"""Numbers of a book's market are those of formulas."""

from __future__ import annotations

import math

import pytest
from books import call, market

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
