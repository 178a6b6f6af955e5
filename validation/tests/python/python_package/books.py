"""What the tests of the Python package share: the command, and books made in Python."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pricer

ROOT = Path(__file__).resolve().parents[4]
COMMAND = os.environ["PRICER"]
BOOK = str(ROOT / "inputs/book.cfg")


def command_digest(*arguments: str, text: str | None = None) -> str:
    """Returns the digest that the command finds."""
    ran = subprocess.run(
        [COMMAND, "--engine=cpu", *arguments], input=text, capture_output=True, text=True
    )
    assert ran.returncode in (0, 1), ran.stderr
    return re.findall(r"digest ([0-9a-f]{16})", ran.stdout)[-1]


def market(**more: object) -> pricer.Market:
    return pricer.Market(
        {"EUR": 0.025, "USD": {"curve": {"times": ["1Y", "5Y"], "zero_rates": [0.04, 0.037]}}},
        {
            "SX5E": {"currency": "EUR", "spot": 4850.0, "volatility": 0.18, "dividend_yield": 0.028},
            "DAX": {"currency": "EUR", "spot": 18000, "volatility": 0.17},
            "EURUSD": {
                "currency": "USD",
                "foreign_currency": "EUR",
                "spot": 1.09,
                "volatility": 0.08,
            },
        },
        {("SX5E", "DAX"): 0.9},
        valuation_date="2026-11-20",
        **more,
    )


def call(id: str | None = None, **keys: object) -> pricer.Trade:
    keys = {"asset": "SX5E", "option": "call", "strike": 4900.0, "expiry": 1.0, **keys}
    return pricer.european(id, **keys)


def every_product() -> list[pricer.Trade]:
    """Returns a trade of each product."""
    one = {"asset": "SX5E", "expiry": 1.0}
    two = {"assets": ["SX5E", "DAX"], "expiry": 1.0}
    option = {"option": "call", "strike": 4900.0}
    watched = {"knock": "out", "monitoring": "continuous"}
    return [
        pricer.european("EUR", **one, **option),
        pricer.digital("DIG", **one, **option, payout="cash", cash=10),
        pricer.asian(
            "ASN", **one, **option, averaging="arithmetic", strike_type="fixed", fixings=12
        ),
        pricer.barrier("BAR", **one, **option, **watched, barrier=4000, direction="down"),
        pricer.double_barrier("DBL", **one, **option, **watched, lower=4000, upper=6000),
        pricer.touch(
            "TCH", **one, touch="no", lower=3500, upper=6500, monitoring=12, cash=1e3
        ),
        pricer.lookback("LBK", **one, option="put", strike_type="floating", monitoring=52),
        pricer.forward_start("FWD", **one, option="call", start=0.25, strike_ratio=1.0),
        pricer.basket(
            "BSK", **two, kind="average", weights=[0.5, 0.1], option="call", strike=4300.0
        ),
        pricer.spread("SPR", **two, weights=[4, -1.0], option="call", strike=500),
        pricer.cliquet(
            "CLQ",
            **one,
            reset_times=[0, 0.25, 0.5, 0.75],
            local_floor=-0.02,
            local_cap=0.03,
            global_floor=0.0,
            notional=1000.0,
        ),
        pricer.variance_swap(
            "VAR", **one, strike_volatility=0.2, fixings=12, notional=10000.0, tags={"desk": "A"}
        ),
        pricer.autocallable(
            "AUT",
            assets=["SX5E", "DAX"],
            expiry=3.0,
            observation_times=[1.0, 2.0, 3.0],
            call_level=1.0,
            coupon=0.08,
            coupon_level=0.7,
            memory=True,
            protection_level=0.6,
            notional=100.0,
        ),
        pricer.american("AME", **one, option="put", strike=4900.0, exercise=12),
        pricer.forward("FOR", **one, strike=4900.0),
        pricer.future("FUT", **one, strike=4900.0),
        pricer.position("POS", asset="SX5E", quantity=-3.0),
        pricer.cash("CSH", currency="EUR", amount=1000.0),
        pricer.premium("PRE", currency="EUR", amount=-250.0, pay_date=0.01),
        pricer.fee("FEE", currency="EUR", amount=-25.0),
    ]
