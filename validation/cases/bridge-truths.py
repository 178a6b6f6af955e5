#!/usr/bin/env python3
"""Prices of what is watched at every moment where one bridge a step is not enough, by other means, as a book and a list
of cases: bridges.cfg, bridges.csv.

    bridge-truths.py [FOLDER]

Under Merton's jumps a path is a Brownian bridge from jump to jump, whose times are drawn: exact. Of two assets what each
does between 2,000 dates is drawn by its own bridge, which leaves next to nothing of how the two go together. 2^22 paths
(2^18 of two assets), PCG64; tolerances are four standard errors. Needs numpy.
"""
import sys

import numpy as np

RATE, SPOT = 0.03, 100.0
BLOCK = 1 << 14
CASES = []


def crossed(x, y, barrier, variance, generator):
    """Whether bridges from x to y over a variance have passed a barrier, drawn by their law."""
    distance = (x - barrier) * (y - barrier)
    return (distance <= 0) | (generator.random(x.shape) < np.exp(-2 * np.maximum(distance, 0) / np.maximum(variance, 1e-30)))


def merton(volatility, intensity, mean, stdev, years, barrier, payoff, seed, paths=1 << 22):
    """Mean and error of payoff(spot at the end, whether the barrier was passed)."""
    generator = np.random.Generator(np.random.PCG64(seed))
    drift = RATE - volatility ** 2 / 2 - intensity * (np.exp(mean + stdev ** 2 / 2) - 1)
    level = np.log(barrier)
    values = []
    for _ in range(paths // BLOCK):
        n = generator.poisson(intensity * years, BLOCK)
        times = np.sort(np.where(np.arange(n.max() + 1) < n[:, None], generator.random((BLOCK, n.max() + 1)) * years, years))
        x, before, hit = np.full(BLOCK, np.log(SPOT)), np.zeros(BLOCK), np.zeros(BLOCK, bool)
        for k in range(n.max() + 1):
            passed = times[:, k] - before
            y = x + drift * passed + volatility * np.sqrt(passed) * generator.standard_normal(BLOCK)
            hit |= crossed(x, y, level, volatility ** 2 * passed, generator)
            jumps = k < n
            x = y + jumps * (mean + stdev * generator.standard_normal(BLOCK))
            hit |= (np.log(SPOT) - level) * (x - level) <= 0
            before = times[:, k]
        values.append(np.exp(-RATE * years) * payoff(np.exp(x), hit))
    values = np.concatenate(values)
    return values.mean(), values.std() / np.sqrt(paths)


def two(volatilities, correlation, years, barriers, payoff, seed, paths=1 << 18, dates=2000):
    """Mean and error of payoff(spots, whether each asset has passed its barrier)."""
    generator = np.random.Generator(np.random.PCG64(seed))
    step, values = years / dates, []
    level = np.log(np.array(barriers))[:, None]
    volatility = np.array(volatilities)[:, None]
    for _ in range(paths // BLOCK):
        x, hit = np.full((2, BLOCK), np.log(SPOT)), np.zeros((2, BLOCK), bool)
        for _ in range(dates):
            z = generator.standard_normal((2, BLOCK))
            z[1] = correlation * z[0] + np.sqrt(1 - correlation ** 2) * z[1]
            y = x + (RATE - volatility ** 2 / 2) * step + volatility * np.sqrt(step) * z
            hit |= crossed(x, y, level, volatility ** 2 * step, generator)
            x = y
        values.append(np.exp(-RATE * years) * payoff(np.exp(x), hit))
    values = np.concatenate(values)
    return values.mean(), values.std() / np.sqrt(paths)


def case(name, instrument, model, trade, truth):
    mean, error = truth
    CASES.append((name, instrument, model, mean, 4 * error, trade))
    print("%-24s %12.6f %10.2g" % (name, mean, error))


def barriers():
    for asset, intensity, days in (("RARE", 0.5, 3), ("OFTEN", 5.0, 30), ("DAILY", 20.0, 30)):
        years = days / 365
        for knock in ("out", "in"):
            barrier = round(SPOT * np.exp(-0.2 * np.sqrt(years) * 1.5), 2)

            def paid(spot, hit):
                return np.maximum(SPOT - spot, 0) * (hit if knock == "in" else ~hit)
            case("%s-%s" % (asset, knock), "barrier_european_continuous", "Merton76",
                 'type = "barrier"; asset = "%s"; option = "put"; strike = 100.0; barrier = %.2f; direction = "down"; '
                 'knock = "%s"; monitoring = "continuous"; expiry = %.16g;' % (asset, barrier, knock, years),
                 merton(0.2, intensity, -0.05, 0.08, years, barrier, paid, len(CASES)))


def together():
    for name, correlation, barrier, assets in (("close", 0.9, 70.0, ("NORTH", "SOUTH")), ("far", 0.3, 85.0, ("EAST", "WEST"))):
        keys = ('assets = ["%s", "%s"]; barrier = %.1f; expiry = 1.0; script = """\nproduct either_touches(assets two; date expiry; '
                'number barrier)\n  at expiry\n    pay 100 - 100 * product(survives(a, lower = barrier, until = expiry) for a in two)\n""";')
        case("either-" + name, "worst_of_touch", "BS", keys % (*assets, barrier),
             two((0.25, 0.25), correlation, 1.0, (barrier, barrier), lambda spots, hit: 100.0 * hit.any(axis=0), len(CASES)))


MARKET = """// Written by bridge-truths.py. The expected prices are in bridges.csv; README.md explains.
settings = { paths = 262144; seed = 1; };

market = {
  currencies = ( { name = "USD"; rate = 0.03; } );
  assets = (
    { name = "RARE"; currency = "USD"; spot = 100.0; model = "merton"; volatility = 0.2; jumps = { intensity = 0.5; mean = -0.05; stdev = 0.08; }; },
    { name = "OFTEN"; currency = "USD"; spot = 100.0; model = "merton"; volatility = 0.2; jumps = { intensity = 5.0; mean = -0.05; stdev = 0.08; }; },
    { name = "DAILY"; currency = "USD"; spot = 100.0; model = "merton"; volatility = 0.2; jumps = { intensity = 20.0; mean = -0.05; stdev = 0.08; }; },
    { name = "NORTH"; currency = "USD"; spot = 100.0; volatility = 0.25; }, { name = "SOUTH"; currency = "USD"; spot = 100.0; volatility = 0.25; },
    { name = "EAST"; currency = "USD"; spot = 100.0; volatility = 0.25; }, { name = "WEST"; currency = "USD"; spot = 100.0; volatility = 0.25; } );
  correlations = ( { assets = ["NORTH", "SOUTH"]; value = 0.9; }, { assets = ["EAST", "WEST"]; value = 0.3; } );
};

book = {
  name = "bridges";
  trades = (
"""


def main(folder="."):
    barriers()
    together()
    with open(folder + "/bridges.cfg", "w") as out:
        print(MARKET + ",\n".join('    { id = "%s"; %s }' % (name, trade) for name, _, _, _, _, trade in CASES) + "\n  );\n};", file=out)
    with open(folder + "/bridges.csv", "w") as out:
        print("id,instrument,model,rows,expected,tolerance,bias,trades,source", file=out)
        for name, instrument, model, mean, tolerance, _ in CASES:
            print("%s,%s,%s,1,%.9g,%.3g,0,%s,simulated" % (name, instrument, model, mean, tolerance, name), file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])
