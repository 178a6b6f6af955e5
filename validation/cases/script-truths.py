#!/usr/bin/env python3
"""Prices of the library's scripts by other means, as a book and a list of cases: scripts.cfg, scripts.csv.

    script-truths.py [FOLDER]

A truth is a closed form or an integral where there is one (`exact`), else a simulation of this file's own
(`simulated`: lognormal spots drawn exactly on the dates, PCG64, 2^22 paths; its tolerance is four standard
errors). Each payoff is written here from the terms of the product, not from its script. Trades that have been
running (live-...) read CLOSES, which scripts-closes.csv repeats: there a path begins with what was seen, and
what was paid is worth nothing any more. Needs numpy, scipy.
"""
import datetime
import sys

import numpy as np
from scipy import integrate, special, stats

PATHS, BLOCK = 1 << 22, 1 << 16
phi = stats.norm.cdf

# name: currency, rate, spot, yield, volatility; DRIFTLESS's log spot has no drift
ASSETS = {
    "SHARE": ("USD", 0.04, 100.0, 0.01, 0.25),
    "DRIFTLESS": ("USD", 0.04, 100.0, 0.02, 0.2),
    "EURUSD": ("USD", 0.04, 1.16, 0.025, 0.09),
    "NORTH": ("EUR", 0.025, 50.0, 0.03, 0.22),
    "SOUTH": ("EUR", 0.025, 80.0, 0.02, 0.28),
    "WEST": ("EUR", 0.025, 20.0, 0.0, 0.35),
    "HAUG-90": ("USD6", 0.06, 90.0, 0.0, 0.2),
    "HAUG-110": ("USD6", 0.06, 110.0, 0.0, 0.3),
    "HAUG-100": ("USD6", 0.06, 100.0, 0.0, 0.1),
    "Q1": ("USD5", 0.05, 100.0, 0.01, 0.30),
    "Q2": ("USD5", 0.05, 100.0, 0.05, 0.35),
    "Q3": ("USD5", 0.05, 100.0, 0.04, 0.25),
    "Q4": ("USD5", 0.05, 100.0, 0.03, 0.20),
}
CORRELATIONS = {("NORTH", "SOUTH"): 0.6, ("NORTH", "WEST"): 0.3, ("SOUTH", "WEST"): 0.4,
                ("Q1", "Q2"): 0.5, ("Q1", "Q3"): 0.3, ("Q1", "Q4"): 0.1,
                ("Q2", "Q3"): 0.2, ("Q2", "Q4"): 0.4, ("Q3", "Q4"): 0.6}
TODAY = "2026-11-20"
CLOSES = {  # by date and asset
    "2026-05-20": {"NORTH": 47.0, "SOUTH": 52.0, "WEST": 19.0, "SHARE": 104.0, "EURUSD": 1.12},
    "2026-08-20": {"NORTH": 46.0, "SOUTH": 46.0, "WEST": 24.0, "SHARE": 112.0, "EURUSD": 1.19},
    "2026-09-21": {"NORTH": 48.0, "SOUTH": 70.0, "WEST": 22.0, "SHARE": 103.5, "EURUSD": 1.13},
    "2026-10-20": {"NORTH": 51.0, "SOUTH": 82.0, "WEST": 21.0, "SHARE": 94.0, "EURUSD": 1.17},
    "2026-11-10": {"NORTH": 49.5, "SOUTH": 79.0, "WEST": 20.5, "SHARE": 91.0, "EURUSD": 1.165},
}
CASES = []


# ---- closed forms

def forward(asset, t):
    _, r, s, q, _ = ASSETS[asset]
    return s * np.exp((r - q) * t)


def discount(asset, t):
    return np.exp(-ASSETS[asset][1] * t) if t >= 0 else 0.0


def years(date):
    return (datetime.date.fromisoformat(date) - datetime.date.fromisoformat(TODAY)).days / 365


def dated(dates):
    return "[" + ", ".join('"%s"' % date for date in dates) + "]"


def black(f, k, deviation, side=1):
    """Undiscounted call (side 1) or put (-1)."""
    d = np.log(f / k) / deviation + deviation / 2
    return side * (f * phi(side * d) - k * phi(side * (d - deviation)))


def option(asset, k, t, side=1):
    return discount(asset, t) * black(forward(asset, t), k, ASSETS[asset][4] * np.sqrt(t), side)


def below(asset, k, t):
    """Probability that the spot is below k at t."""
    v = ASSETS[asset][4] * np.sqrt(t)
    return phi((np.log(k / forward(asset, t)) + v * v / 2) / v) if t > 0 else float(ASSETS[asset][2] < k)


def seen_at(asset, t, value, *turns):
    """Worth today of value(spot at t), a function of arrays; `turns` are spots where it jumps or bends."""
    f, v = forward(asset, t), ASSETS[asset][4] * np.sqrt(t)
    edges = sorted({-9.0, 9.0} | {float((np.log(k / f) + v * v / 2) / v) for k in turns})
    total = 0.0
    for a, b in zip(edges, edges[1:]):
        z, w = special.roots_legendre(400)
        z = (a + b) / 2 + (b - a) / 2 * z
        total += np.sum(w * value(f * np.exp(v * z - v * v / 2)) * np.exp(-z * z / 2)) * (b - a) / 2
    return discount(asset, t) * total / np.sqrt(2 * np.pi)


def later(asset, s, k, t, side=1):
    """Worth of an option where the spot is s, t years before its expiry."""
    _, r, _, q, v = ASSETS[asset]
    return np.exp(-r * t) * black(s * np.exp((r - q) * t), k, v * np.sqrt(t), side)


def returns(asset, n, step, value):
    """Mean of value(sum of n squared log returns over step years): a noncentral chi-squared."""
    _, r, _, q, v = ASSETS[asset]
    m = (r - q - v * v / 2) * step
    law = stats.ncx2(n, n * m * m / (v * v * step)) if m else stats.chi2(n)
    return integrate.quad(lambda x: value(v * v * step * x) * law.pdf(x), 0, law.ppf(1 - 1e-13), limit=500,
                          epsabs=1e-13, points=[law.ppf(p) for p in (0.01, 0.3, 0.7, 0.99)])[0]


def square(asset, step):
    """Mean of one squared log return."""
    _, r, _, q, v = ASSETS[asset]
    return v * v * step + ((r - q - v * v / 2) * step) ** 2


def double_knock_out(asset, k, low, high, t, terms=30):
    """Worth of a call with two barriers, and the probability that neither is touched, by images."""
    _, r, s, q, v = ASSETS[asset]
    m, sd = (r - q - v * v / 2), v * np.sqrt(t)
    x, width = np.log(s), np.log(high / low)

    def part(a, b, power):
        """Integral of exp(power y) times the density of y = ln S among living paths, from a to b."""
        total = 0.0
        for n in range(-terms, terms + 1):
            for sign, start in ((1, x + 2 * n * width), (-1, 2 * np.log(low) - x + 2 * n * width)):
                weight = np.exp(m * (start - x) / (v * v))
                mean = start + m * t
                shift = np.exp(power * mean + power * power * sd * sd / 2)
                total += sign * weight * shift * (phi((b - mean) / sd - power * sd) - phi((a - mean) / sd - power * sd))
        return total
    a, b = np.log(max(k, low)), np.log(high)
    return np.exp(-r * t) * (part(a, b, 1) - k * part(a, b, 0)), part(np.log(low), b, 0)


def alive_through(asset, barrier, sides, begin, end, worth):
    """Mean of worth(spot at end) among paths that do not cross the barrier between begin and end, and begin on one
    of its sides (1: above): densities of killed paths by images, integrated by Gauss and Legendre."""
    _, r, s, q, v = ASSETS[asset]
    m, far = r - q - v * v / 2, 12 * v * np.sqrt(end)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    total = 0.0
    for side in sides:
        y, w = (nodes + 1) * far / 2, weights * far / 2      # distances from the barrier
        x = np.log(barrier) + side * y
        start = stats.norm.pdf(x, np.log(s) + m * begin, v * np.sqrt(begin)) * w
        move, sd = side * m * (end - begin), v * np.sqrt(end - begin)
        to, at = y[None, :], y[:, None]
        density = stats.norm.pdf(to, at + move, sd) - np.exp(-2 * side * m * at / (v * v)) * stats.norm.pdf(to, move - at, sd)
        total += start @ density @ (w * worth(np.exp(x)))
    return total


def exercised_alive(asset, barrier, side, times, rebate, gain):
    """Worth of the best exercise on the times (the last is the expiry), each worth gain(spot), while the spot stays on
    one side of the barrier (1: above); a touch pays the rebate on the next time. Backwards by the same densities."""
    _, r, s, q, v = ASSETS[asset]
    m, far = r - q - v * v / 2, 8 * v * np.sqrt(times[-1])
    nodes, weights = np.polynomial.legendre.leggauss(1500)
    y, w = (nodes + 1) * far / 2, weights * far / 2          # distances from the barrier
    spots, worth = barrier * np.exp(side * y), None
    for begin, end in reversed(list(zip([0] + times[:-1], times))):
        at = y[:, None] if begin else np.array([[side * np.log(s / barrier)]])
        move, sd = side * m * (end - begin), v * np.sqrt(end - begin)
        density = stats.norm.pdf(y, at + move, sd) - np.exp(-2 * side * m * at / (v * v)) * stats.norm.pdf(y, move - at, sd)
        here = np.maximum(gain(spots), 0 if worth is None else worth)
        worth = np.exp(-r * (end - begin)) * (density @ (w * here) + rebate * (1 - density @ w))
    return float(worth[0])


def exchanged(given, taken, times):
    """Worth of the best exchange of one asset for another on the times: an option on their ratio, counted in what is
    given, whose yield is then the rate (Margrabe 1978). Backwards by the densities of the ratio."""
    (_, _, s, rate, v), (_, _, t, yields, u) = ASSETS[given], ASSETS[taken]
    variance = v * v + u * u - 2 * v * u * CORRELATIONS[given, taken]
    nodes, weights = np.polynomial.legendre.leggauss(2000)
    far = 9 * np.sqrt(variance * times[-1])
    y, w, worth = np.log(t / s) + nodes * far, weights * far, None
    for begin, end in reversed(list(zip([0] + times[:-1], times))):
        at = y[:, None] if begin else np.array([[np.log(t / s)]])
        passed = end - begin
        density = stats.norm.pdf(y, at + (rate - yields - variance / 2) * passed, np.sqrt(variance * passed))
        here = np.maximum(np.maximum(np.exp(y) - 1, 0), 0 if worth is None else worth)
        worth = np.exp(-rate * passed) * (density @ (w * here))
    return s * float(worth[0])


def touched_first(asset, low, high, up, t, at_hit):
    """Worth of 1 where that barrier is touched before the other one and before t: what it is worth without an end,
    less the eigenfunctions of the strip (of those paid at t the same with no rate on the way)."""
    _, r, s, q, v = ASSETS[asset]
    m, w, x = r - q - v * v / 2, np.log(high / low), np.log(s / low)
    rate, to = (r if at_hit else 0.0), (w - x if up else -x)
    g = np.sqrt(2 * rate / v ** 2 + (m / v ** 2) ** 2)
    inside, n = (x if up else w - x), np.arange(1, 400)
    decay = rate + m * m / (2 * v * v) + (n * np.pi * v / w) ** 2 / 2
    late = np.pi * v * v / w ** 2 * np.sum((-1.0) ** (n + 1) * n * np.sin(n * np.pi * inside / w) * np.exp(-decay * t) / decay)
    return np.exp(m * to / v ** 2) * (np.sinh(g * inside) / np.sinh(g * w) - late) * (1 if at_hit else np.exp(-r * t))


# ---- simulation

def simulated(assets, times, payoff, seed):
    """Mean and standard error of payoff(spots by asset, each [date][path]) over PATHS paths, in blocks.
    Of times before today the spots are closes, of today today's."""
    generator = np.random.Generator(np.random.PCG64(seed))
    n, past = len(assets), [t for t in times if t <= 0]
    known = {years(date): row for date, row in CLOSES.items()}
    known[0.0] = {asset: ASSETS[asset][2] for asset in assets}
    times = times[len(past):]
    steps = np.diff([0.0] + list(times))
    matrix = np.eye(n)
    for i in range(n):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = CORRELATIONS.get((assets[i], assets[j]), CORRELATIONS.get((assets[j], assets[i]), 0))
    root, sums, squares = np.linalg.cholesky(matrix), 0.0, 0.0
    for _ in range(PATHS // BLOCK):
        z = np.einsum("ij,jtp->itp", root, generator.standard_normal((n, len(times), BLOCK)))
        spots = []
        for i, asset in enumerate(assets):
            _, r, s, q, v = ASSETS[asset]
            move = ((r - q - v * v / 2) * steps)[:, None] + v * np.sqrt(steps)[:, None] * z[i]
            seen = np.array([[known[t][asset]] * BLOCK for t in past]).reshape(len(past), BLOCK)
            spots.append(np.concatenate([seen, s * np.exp(np.cumsum(move, axis=0))]))
        value = payoff(np.array(spots))
        sums, squares = sums + value.sum(), squares + (value * value).sum()
    mean = sums / PATHS
    return mean, np.sqrt((squares / PATHS - mean * mean) / PATHS)


# ---- cases

def case(name, product, assets, keys, truth, source="computed"):
    """truth: a number; a pair of number and tolerance; or what `simulated` takes after assets and a seed."""
    CASES.append((name, product, assets.split(), keys, truth, source))


def grid(n, step):
    return [round(step * (i + 1), 10) for i in range(n)]


def listed(times):
    return "[" + ", ".join(repr(float(t)) for t in times) + "]"


def tarf_paid(target, style, side, gearing, strike, asset, times):
    def payoff(spots):
        gained, alive, total = 0.0, True, 0.0
        for t, s in zip(times, spots[0]):
            gain = side * (s - strike)
            reached = gained + np.maximum(gain, 0) >= target
            end = {"full": gain, "partial": target - gained, "none": 0.0}[style]
            total = total + alive * discount(asset, t) * np.where(reached, end, np.where(gain > 0, gain, gearing * gain))
            alive, gained = alive & ~reached, gained + np.maximum(gain, 0)
        return total
    return payoff


def notes(times, watched, starts, terms):
    """An autocallable on the worst: terms has call, coupon_at (by date), coupon, knock_in, memory, at_call, end."""
    def payoff(spots):
        performance = spots / np.array(starts(spots))[:, None, :] if callable(starts) else spots / np.array(starts)[:, None, None]
        worst = performance.min(axis=0)
        alive, missed, total, r = np.ones(worst.shape[1], bool), 0, 0.0, terms["rate"]
        hit = np.zeros(worst.shape[1], bool)
        for j in watched:
            hit |= worst[j] <= terms["knock_in"]
        for n, j in enumerate(times["observed"]):
            now = np.exp(-r * times["all"][j]) if times["all"][j] >= 0 else 0.0
            missed = missed + 1
            pays = worst[j] >= terms["coupon_at"][n]
            total = total + alive * now * pays * terms["coupon"] * (missed if terms["memory"] else 1)
            missed = np.where(pays, 0, missed)
            called = worst[j] >= terms["call"][n]
            total = total + alive * now * called * (1 + terms["at_call"] * (n + 1))
            alive = alive & ~called
        end = np.where(hit, terms["end"](worst[-1]), 1.0)
        return 100 * (total + alive * np.exp(-r * times["all"][-1]) * end)
    return payoff


def running_accumulator(spots):
    """The months of live-accumulator: delivered on two of its dates."""
    months = ["2026-09-21", "2026-10-20", "2026-11-20", "2026-12-21", "2027-01-20", "2027-02-22", "2027-03-22"]
    alive, shares, total = True, 0.0, 0.0
    for date, s in zip(months, spots[0]):
        alive = alive & (s < 107)
        shares = shares + alive * np.where(s < 93, 2, 1)
        if date in ("2026-12-21", "2027-03-22"):
            total, shares = total + discount("SHARE", years(date)) * shares * (s - 93), 0.0
    return total


YEAR, WEEKS, EIGHTHS = grid(12, 1 / 12), grid(24, 1 / 48), grid(8, 0.125)
MONTHS = WEEKS[3::4]
BASKET = "NORTH SOUTH WEST"
STARTS = [ASSETS[name][2] for name in BASKET.split()]


def himalaya(spots):
    performance, total = spots / np.array(STARTS)[:, None, None], 0.0
    for t in range(3):
        best = performance[:, t].argmax(axis=0)
        total = total + np.take_along_axis(performance[:, t], best[None], 0)[0]
        np.put_along_axis(performance, np.broadcast_to(best, (1, 3, best.size)).copy(), -1.0, 0)
    return 100 * np.exp(-0.025 * 1.5) * np.maximum(total / 3 - 1.05, 0)


def fixing_cases():
    """Target redemption forwards, accumulators, range accruals."""
    keys = "fixings = %s; expiry = 1.0; strike = 1.15; gearing = %g; target = %s;"
    strip = sum(discount("EURUSD", t) * (forward("EURUSD", t) - 1.15) for t in YEAR)
    losses = sum(option("EURUSD", 1.15, t, -1) for t in YEAR)
    case("tarf-forwards", "tarf", "EURUSD", keys % (listed(YEAR), 1, "1e6"), strip)
    case("tarf-geared", "tarf", "EURUSD", keys % (listed(YEAR), 2, "1e6"), strip - losses)
    for style in ("full", "partial", "none"):
        case("tarf-" + style, "tarf", "EURUSD", keys % (listed(YEAR), 2, "0.1") + ' at_target = "%s";' % style,
             (YEAR, tarf_paid(0.1, style, 1, 2, 1.15, "EURUSD", YEAR)))
    case("tarf-put", "tarf", "EURUSD", keys % (listed(YEAR), 1.5, "0.08") + ' option = "put";',
         (YEAR, tarf_paid(0.08, "partial", -1, 1.5, 1.15, "EURUSD", YEAR)))

    # accumulators
    keys = 'side = "%s"; fixings = %s; settlements = %s; expiry = 0.5; strike = %g; knock_out = %g; gearing = %g;'
    case("accumulator-strip", "accumulator", "SHARE", keys % ("accumulator", listed(MONTHS), listed(MONTHS), 95, 1e9, 2),
         sum(option("SHARE", 95, t) - 2 * option("SHARE", 95, t, -1) for t in MONTHS))
    case("decumulator-strip", "accumulator", "SHARE", keys % ("decumulator", listed(MONTHS), listed(MONTHS), 106, 1e-9, 3) + " quantity = 0.5;",
         0.5 * sum(option("SHARE", 106, t, -1) - 3 * option("SHARE", 106, t) for t in MONTHS))

    def accumulated(side, strike, out, gearing):
        def payoff(spots):
            s, alive, total = spots[0], True, 0.0
            for month in range(6):
                shares = 0.0
                for week in range(4 * month, 4 * month + 4):
                    alive = alive & (side * s[week] < side * out)
                    shares = shares + alive * np.where(side * s[week] < side * strike, gearing, 1)
                total = total + discount("SHARE", MONTHS[month]) * shares * side * (s[4 * month + 3] - strike)
            return total / 24
        return payoff
    case("accumulator", "accumulator", "SHARE", keys % ("accumulator", listed(WEEKS), listed(MONTHS), 93, 106, 2) + " quantity = %r;" % (1 / 24),
         (WEEKS, accumulated(1, 93, 106, 2)))
    case("decumulator", "accumulator", "SHARE", keys % ("decumulator", listed(WEEKS), listed(MONTHS), 108, 94, 2) + " quantity = %r;" % (1 / 24),
         (WEEKS, accumulated(-1, 108, 94, 2)))

    # range accrual: digitals
    case("range-accrual", "range_accrual", "SHARE",
         "fixings = %s; payments = [0.25, 0.5]; expiry = 0.5; coupon = 0.04; lower = 92.0; upper = 109.0; notional = 100.0;" % listed(WEEKS),
         sum(4 / 12 * discount("SHARE", 0.25 if i < 12 else 0.5) * (below("SHARE", 109, t) - below("SHARE", 92, t))
             for i, t in enumerate(WEEKS)))


def note_cases():
    """Autocallables."""
    _, rate, spot, _, _ = ASSETS["SHARE"]
    puts = discount("SHARE", 2) - 1.25 * option("SHARE", 90, 2, -1) / 100
    case("step-down-puts", "step_down_autocallable", "SHARE", "observations = [1.0, 2.0]; watched = [2.0]; expiry = 2.0; call = inf; "
         "coupon_at = [0.0, inf]; coupon = 0.05; knock_in = inf; strike = 0.9; gearing = 1.25; notional = 100.0;".replace("inf", "1e9"),
         100 * (puts + 0.05 * discount("SHARE", 1)))
    case("phoenix-puts", "phoenix", "SHARE", "observations = [1.0, 2.0]; watched = [2.0]; expiry = 2.0; call = 1e9; coupon = 0.05; "
         "coupon_at = 0.0; knock_in = 1e9; notional = 100.0;",
         100 * (0.05 * discount("SHARE", 1) + 1.05 * discount("SHARE", 2)) - option("SHARE", 100, 2, -1))
    f, v = np.exp(0.03 * 1.5), 0.25 * np.sqrt(1.5)
    case("forward-start-put", "forward_start_autocallable", "SHARE", "start = 0.5; observations = [1.0]; watched = [2.0]; expiry = 2.0; "
         "call = 1e9; coupon = 0.05; knock_in = 1e9; notional = 100.0;", 100 * discount("SHARE", 2) * (1 - black(f, 1.0, v, -1)))
    dates = grid(24, 1 / 8)
    common = "observations = %s; watched = %s; expiry = 3.0; notional = 100.0;"
    observed = {"all": dates, "observed": [3, 7, 11, 15, 19, 23]}
    halves = [dates[j] for j in observed["observed"]]
    call, at = [0.95, 0.95, 0.9, 0.9, 0.85, 0.85], [0.9, 0.9, 0.85, 0.85, 0.8, 0.8]
    case("step-down", "step_down_autocallable", BASKET, common % (listed(halves), listed(dates)) +
         " call = %s; coupon_at = %s; coupon = 0.06; knock_in = 0.5; strike = 0.95; gearing = 1.2;" % (listed(call), listed(at)),
         (dates, notes(observed, range(24), STARTS, {"rate": 0.025, "knock_in": 0.5, "coupon_at": at, "coupon": 0.06, "memory": True,
                                                     "call": call, "at_call": 0, "end": lambda w: 1 - 1.2 * np.maximum(0.95 - w, 0)})))
    for name, watched, memory in (("phoenix-daily", range(24), True), ("phoenix-expiry", [23], False)):
        case(name, "phoenix", BASKET, common % (listed(halves), listed([dates[j] for j in watched])) +
             " first_call = 2; call = 0.98; coupon = 0.05; coupon_at = 0.7; knock_in = 0.6; memory = %s;" % str(memory).lower(),
             (dates, notes(observed, watched, STARTS, {"rate": 0.025, "knock_in": 0.6, "coupon_at": [0.7] * 6, "coupon": 0.05, "memory": memory,
                                                       "call": [9e9] + [0.98] * 5, "at_call": 0, "end": lambda w: np.minimum(w, 1)})))
    observed = {"all": dates, "observed": [7, 11, 15, 19, 23]}
    case("forward-start", "forward_start_autocallable", "NORTH SOUTH", common % (listed(dates[j] for j in observed["observed"]), listed(dates[4:])) +
         " start = 0.5; call = 0.97; coupon = 0.045; knock_in = 0.65;",
         (dates, notes(observed, range(4, 24), lambda spots: spots[:, 3], {
             "rate": 0.025, "knock_in": 0.65, "coupon_at": [9e9] * 5, "coupon": 0, "memory": False, "call": [0.97] * 5,
             "at_call": 0.045, "end": lambda w: np.minimum(w, 1)})))


def variance_cases():
    """Variance in all its forms."""
    step = 1 / 48
    inside = [below("SHARE", 107, t) - below("SHARE", 91, t) for t in [0.0] + WEEKS[:-1]]
    keys = "start = 0.0; fixings = %s; expiry = 0.5; strike_volatility = 0.24; fixings_a_year = 48.0; notional = 1000.0;" % listed(WEEKS)
    case("variance", "corridor_variance_swap", "SHARE", keys, 1000 * discount("SHARE", 0.5) * (48 * square("SHARE", step) - 0.24 ** 2))
    case("corridor", "corridor_variance_swap", "SHARE", keys + " lower = 91.0; upper = 107.0;",
         1000 * discount("SHARE", 0.5) * (48 * square("SHARE", step) * np.mean(inside) - 0.24 ** 2))
    case("conditional", "conditional_variance_swap", "SHARE", keys + " lower = 91.0; upper = 107.0;",
         1000 * discount("SHARE", 0.5) * (48 * square("SHARE", step) - 0.24 ** 2) * np.mean(inside))
    for asset in ("SHARE", "DRIFTLESS"):
        case("capped-" + asset, "capped_variance_swap", asset, keys + " cap = 1.2;", 1000 * discount(asset, 0.5) * (
            returns(asset, 24, step, lambda x: min(48 * x / 24, (1.2 * 0.24) ** 2)) - 0.24 ** 2))
        case("volatility-" + asset, "volatility_swap", asset, keys, 1000 * discount(asset, 0.5) * (
            returns(asset, 24, step, lambda x: np.sqrt(48 * x / 24)) - 0.24))
    case("volatility-capped", "volatility_swap", "SHARE", keys + " cap = 1.1;", 1000 * discount("SHARE", 0.5) * (
        returns("SHARE", 24, step, lambda x: min(np.sqrt(48 * x / 24), 1.1 * 0.24)) - 0.24))


def barrier_cases():
    """Barriers on dates."""
    case("kiko-one-date", "kiko", "SHARE", "watched = [0.5]; expiry = 1.0; strike = 100.0; knock_in = 105.0; knock_out = 120.0; "
         'in_above = true;', seen_at("SHARE", 0.5, lambda s: ((s >= 105) & (s < 120)) * later("SHARE", s, 100, 0.5), 105, 120))

    def kiko(spots):
        s = spots[0]
        return discount("SHARE", 1) * (s.min(axis=0) <= 92) * (s.max(axis=0) < 125) * np.maximum(s[-1] - 97, 0)
    case("kiko", "kiko", "SHARE", "watched = %s; expiry = 1.0; strike = 97.0; knock_in = 92.0; knock_out = 125.0;" % listed(EIGHTHS), (EIGHTHS, kiko))
    keys = "window = %s; expiry = 1.0; strike = 100.0; barrier = %g; direction = \"%s\"; knock = \"%s\"; option = \"%s\"; rebate = %g;"
    case("window-one-date", "window_barrier", "SHARE", keys % ("[0.5]", 110, "up", "knocks_out", "call", 3),
         seen_at("SHARE", 0.5, lambda s: np.where(s < 110, later("SHARE", s, 100, 0.5), 3 * discount("SHARE", 0.5)), 110))
    case("window-in-one-date", "window_barrier", "SHARE", keys % ("[0.5]", 95, "down", "knocks_in", "put", 2),
         seen_at("SHARE", 0.5, lambda s: np.where(s <= 95, later("SHARE", s, 100, 0.5, -1), 2 * discount("SHARE", 0.5)), 95))

    def window(spots):
        s = spots[0]
        return discount("SHARE", 1) * np.where(s[2:6].max(axis=0) >= 115, 2.5, np.maximum(s[-1] - 100, 0))
    case("window", "window_barrier", "SHARE", keys % (listed(EIGHTHS[2:6]), 115, "up", "knocks_out", "call", 2.5), (EIGHTHS, window))
    keys = "watched = %s; expiry = 1.0; strike = 98.0; lower = %s; upper = %s; rebate = 4.0;"
    case("step-one-date", "step_barrier", "SHARE", keys % ("[0.5]", "[90.0]", "[118.0]"),
         seen_at("SHARE", 0.5, lambda s: np.where((s > 90) & (s < 118), later("SHARE", s, 98, 0.5), 4), 90, 118))
    low, high = [85 - i for i in range(8)], [112 + 3 * i for i in range(8)]

    def stepped(spots):
        alive, total = True, 0.0
        for t, s, a, b in zip(EIGHTHS, spots[0], low, high):
            out = (s <= a) | (s >= b)
            total = total + 4 * discount("SHARE", t) * (alive & out)
            alive = alive & ~out
        return total + discount("SHARE", 1) * alive * np.maximum(spots[0][-1] - 98, 0)
    case("step", "step_barrier", "SHARE", keys % (listed(EIGHTHS), listed(low), listed(high)), (EIGHTHS, stepped))

    def left(k, side=1):
        return lambda s: later("SHARE", s, k, 0.25, side)
    down = discount("SHARE", 0.75) * alive_through("SHARE", 95, (1,), 0.25, 0.75, left(100))
    lives = alive_through("SHARE", 105, (-1,), 0.5, 0.75, lambda s: 1 + 0 * s)
    dead = option("SHARE", 102, 1, -1) - discount("SHARE", 0.75) * alive_through("SHARE", 105, (-1,), 0.5, 0.75, left(102, -1))
    both = discount("SHARE", 0.75) * alive_through("SHARE", 100, (1, -1), 0.25, 0.75, left(90))
    keys = "watched_from = %g; watched_until = 0.75; expiry = 1.0; strike = %.1f; barrier = %.1f; %s"
    case("partial-barrier", "partial_barrier", "SHARE", keys % (0.25, 100, 95, 'direction = "down";'), down)
    case("partial-barrier-in", "partial_barrier", "SHARE",
         keys % (0.5, 102, 105, 'direction = "up"; option = "put"; knock = "knocks_in"; rebate = 3.0;'),
         dead + 3 * discount("SHARE", 1) * lives)
    case("partial-barrier-either", "partial_barrier", "SHARE", keys % (0.25, 90, 100, 'direction = "either";'), both)
    worth, lives = double_knock_out("SHARE", 98, 80, 130, 0.5)
    case("double-rebate", "double_barrier_rebate", "SHARE", "expiry = 0.5; strike = 98.0; lower = 80.0; upper = 130.0; rebate = 5.0;",
         worth + 5 * discount("SHARE", 0.5) * (1 - lives))


def lookback_cases():
    """Lookbacks."""
    haug = "lballabio/QuantLib@2a13d455:test-suite/lookbackoptions.cpp::testAnalyticContinuousPartialFloatingLookback"
    for asset, side, until, price in (("HAUG-90", "call", 0.25, 13.3402), ("HAUG-90", "call", 0.5, 14.5121), ("HAUG-110", "call", 0.5, 24.0311),
                                      ("HAUG-90", "put", 0.5, 9.5825), ("HAUG-110", "put", 0.75, 22.4976)):
        case("partial-%s-%s-%g" % (asset, side, until), "partial_lookback", asset,
             'option = "%s"; seen_until = %g; expiry = 1.0;' % (side, until), (price, 1e-4), haug)
    fixed = haug.replace("PartialFloating", "PartialFixed")
    for side, strike, begin, price in (("call", 90, 0.25, 20.2845), ("call", 110, 0.75, 3.7015), ("put", 110, 0.75, 9.1555)):
        case("partial-fixed-%s-%g" % (side, strike), "partial_fixed_lookback", "HAUG-100",
             'option = "%s"; strike = %.1f; seen_from = %g; expiry = 1.0;' % (side, strike, begin), (price, 1e-4), fixed)
    case("window-lookback-one", "window_lookback", "SHARE", "window = [1.0]; expiry = 1.0; strike = 104.0;", option("SHARE", 104, 1))
    case("window-lookback", "window_lookback", "SHARE", 'window = %s; expiry = 1.0; strike = 99.0; option = "put";' % listed(EIGHTHS[3:]),
         (EIGHTHS, lambda spots: discount("SHARE", 1) * np.maximum(99 - spots[0][3:].min(axis=0), 0)))
    case("floating-two", "floating_lookback", "SHARE", "fixings = [0.5, 1.0]; expiry = 1.0;",
         seen_at("SHARE", 0.5, lambda s: later("SHARE", s, s, 0.5)))
    case("floating", "floating_lookback", "SHARE", 'fixings = %s; expiry = 1.0; factor = 0.95; option = "put";' % listed(EIGHTHS),
         (EIGHTHS, lambda spots: discount("SHARE", 1) * np.maximum(0.95 * spots[0].max(axis=0) - spots[0][-1], 0)))


def basket_cases():
    """Baskets."""
    weights = np.array([0.8, 0.375, 1.5])
    case("basket-asian-one", "basket_asian", "SHARE", "fixings = [1.0]; expiry = 1.0; strike = 210.0; weight = [2.0];", 2 * option("SHARE", 105, 1))
    case("basket-asian", "basket_asian", BASKET, "fixings = %s; expiry = 1.0; strike = 101.0; weight = %s;" % (listed(EIGHTHS), listed(weights)),
         (EIGHTHS, lambda spots: np.exp(-0.025) * np.maximum(np.einsum("i,itp->tp", weights, spots).mean(axis=0) - 101, 0)))
    case("basket-barrier-one", "basket_barrier", "SHARE", 'watched = [0.5]; expiry = 1.0; strike = 100.0; barrier = 112.0; direction = "up"; '
         "weight = [1.0];", seen_at("SHARE", 0.5, lambda s: (s < 112) * later("SHARE", s, 100, 0.5), 112))

    def knocked_in(spots):
        level = np.einsum("i,itp->tp", weights, spots)
        return np.exp(-0.025) * (level.min(axis=0) <= 88) * np.maximum(100 - level[-1], 0)
    case("basket-barrier", "basket_barrier", BASKET, 'watched = %s; expiry = 1.0; strike = 100.0; barrier = 88.0; option = "put"; '
         'direction = "down"; knock = "knocks_in"; weight = %s;' % (listed(EIGHTHS), listed(weights)), (EIGHTHS, knocked_in))

    case("himalaya-one", "himalaya", "SHARE", "fixings = [1.0]; expiry = 1.5; notional = 100.0;", np.exp(-0.02) * option("SHARE", 100, 1))
    case("himalaya", "himalaya", BASKET, "fixings = [0.5, 1.0, 1.5]; expiry = 1.5; strike = 1.05; notional = 100.0;", ([0.5, 1.0, 1.5], himalaya))
    mountain = "lballabio/QuantLib@2a13d455:test-suite/%soption.cpp::testCached"
    case("everest-published", "everest", "Q1 Q2 Q3 Q4", "expiry = 1.0; notional = 1.0; guaranteed = 0.0;", (0.75784944, 0.015), mountain % "everest")
    case("everest", "everest", BASKET, "expiry = 2.0; notional = 100.0; guaranteed = 0.1; floor = 0.6;",
         ([2.0], lambda spots: 100 * np.exp(-0.05) * np.maximum((spots[:, 0] / np.array(STARTS)[:, None]).min(axis=0) + 0.1, 0.6)))
    case("everest-one", "everest", "SHARE", "expiry = 1.0; notional = 100.0; floor = 0.8;", 80 * discount("SHARE", 1) + option("SHARE", 80, 1))
    gap = 12 * discount("SHARE", 1) * (1 - below("SHARE", 110, 1))
    case("altiplano-one", "altiplano", "SHARE", "watched = [1.0]; expiry = 1.0; coupon = 0.12; barrier = 1.1; strike = 0.9; notional = 100.0;",
         gap + option("SHARE", 90, 1) - option("SHARE", 110, 1) - 20 * discount("SHARE", 1) * (1 - below("SHARE", 110, 1)))

    def altiplano(spots):
        performance = spots / np.array(STARTS)[:, None, None]
        hit = (performance <= 0.75).any(axis=(0, 1))
        return 100 * np.exp(-0.025) * np.where(hit, np.maximum(performance[:, -1].mean(axis=0) - 1, 0), 0.12)
    case("altiplano", "altiplano", BASKET, "watched = %s; expiry = 1.0; coupon = 0.12; barrier = 0.75; notional = 100.0;" % listed(EIGHTHS),
         (EIGHTHS, altiplano))
    four = np.array([ASSETS[a][2] for a in "Q1 Q2 Q3 Q4".split()])[:, None]
    case("atlas", "atlas", "Q1 Q2 Q3 Q4", "expiry = 1.0; strike = 0.95; lowest_out = 1.0; highest_out = 1.0; notional = 100.0;",
         ([1.0], lambda spots: 100 * np.exp(-0.05) * np.maximum(np.sort(spots[:, 0] / four, axis=0)[1:3].mean(axis=0) - 0.95, 0)))
    case("atlas-whole", "atlas", "SHARE", "expiry = 1.0; lowest_out = 0.0; highest_out = 0.0; notional = 100.0;", option("SHARE", 100, 1))
    case("rainbow", "rainbow", BASKET, 'expiry = 1.0; weight = [0.5, 0.3, 0.2]; strike = 1.02; option = "put"; notional = 100.0;',
         ([1.0], lambda spots: 100 * np.exp(-0.025) * np.maximum(1.02 - np.einsum("i,ip->p", np.array([0.2, 0.3, 0.5]), np.sort(
             spots[:, 0] / np.array(STARTS)[:, None], axis=0)), 0)))
    case("rainbow-one", "rainbow", "SHARE", "expiry = 1.0; weight = [1.1]; strike = 1.1; notional = 100.0;", 1.1 * option("SHARE", 100, 1))


def napoleon_cases():
    """Napoleon: the least of independent returns."""
    m, v = (0.04 - 0.01 - 0.25 ** 2 / 2) / 12, 0.25 / np.sqrt(12)

    def least(n):
        """Mean of max(0.08 + least of n monthly returns, 0.01)."""
        def above(x):
            return 1 - phi((np.log(1 + x) - m) / v)
        return 0.01 + integrate.quad(lambda x: above(x) ** n, 0.01 - 0.08, 1.5, epsabs=1e-13, limit=500)[0]
    case("napoleon-one", "napoleon", "SHARE", "start = 0.0; fixings = [0.5]; payments = [0.5]; expiry = 0.5; coupon = 0.08; notional = 100.0;",
         option("SHARE", 92, 0.5))
    case("napoleon", "napoleon", "SHARE", "start = 0.0; fixings = %s; payments = [0.5, 1.0]; expiry = 1.0; coupon = 0.08; floor = 0.01; "
         "notional = 100.0;" % listed(YEAR), 100 * (discount("SHARE", 0.5) + discount("SHARE", 1)) * least(6))


def running_cases():
    """Trades that have been running."""
    days = ["2026-08-20", "2026-09-21", "2026-10-20", "2026-11-20", "2026-12-21", "2027-01-20", "2027-02-22", "2027-03-22"]
    ages = [years(date) for date in days]
    case("live-tarf", "tarf", "EURUSD", 'fixings = %s; expiry = "%s"; strike = 1.15; gearing = 2.0; target = 0.12;' % (dated(days), days[-1]),
         (ages, tarf_paid(0.12, "partial", 1, 2, 1.15, "EURUSD", ages)))
    case("live-accumulator", "accumulator", "SHARE", 'fixings = %s; settlements = %s; expiry = "%s"; strike = 93.0; knock_out = 107.0; '
         "gearing = 2.0;" % (dated(days[1:]), dated(days[4::3]), days[-1]), (ages[1:], running_accumulator))
    inside = [float(1.10 <= s <= 1.18) for s in (1.19, 1.13, 1.17, 1.16)] + [
        below("EURUSD", 1.18, t) - below("EURUSD", 1.10, t) for t in ages[4:]]
    case("live-range", "range_accrual", "EURUSD", 'fixings = %s; payments = %s; expiry = "%s"; coupon = 0.05; lower = 1.1; upper = 1.18; '
         "notional = 1.0;" % (dated(days), dated([days[5], days[7]]), days[-1]),
         0.05 * (discount("EURUSD", ages[5]) * sum(inside[:6]) / 6 + discount("EURUSD", ages[7]) * sum(inside[6:]) / 2))
    quarters = ["2026-05-20", "2026-08-20", "2027-02-22", "2027-05-20", "2027-08-20"]
    terms = {"rate": 0.025, "knock_in": 0.6, "coupon_at": [0.7] * 5, "coupon": 0.03, "memory": True, "call": [9e9, 9e9] + [1.0] * 3, "at_call": 0,
             "end": lambda w: np.minimum(w, 1)}
    case("live-phoenix", "phoenix", "NORTH SOUTH", 'observations = %s; watched = %s; expiry = "%s"; initial = [50.0, 80.0]; first_call = 3; '
         "coupon = 0.03; coupon_at = 0.7; knock_in = 0.6; notional = 100.0;" % (dated(quarters), dated(quarters), quarters[-1]),
         ([years(date) for date in quarters], notes({"all": [years(date) for date in quarters], "observed": range(5)}, range(5), [50.0, 80.0], terms)))
    fixed = ["2026-08-20", "2026-12-21", "2027-03-22"]
    case("live-himalaya", "himalaya", BASKET, 'fixings = %s; expiry = "%s"; initial = [50.0, 80.0, 20.0]; strike = 1.05; notional = 100.0;' %
         (dated(fixed), fixed[-1]), ([years(date) for date in fixed], lambda spots: himalaya(spots) * np.exp(0.025 * (1.5 - years(fixed[-1])))))

    def seen_variance(spots):
        gains = np.log(spots[0][1:] / spots[0][:-1])
        counted = np.where(spots[0][:-1] <= 105, gains * gains, 0).sum(axis=0)
        return 100 * discount("SHARE", ages[-1]) * (12 * counted / len(gains) - 0.22 ** 2)
    case("live-corridor", "corridor_variance_swap", "SHARE", 'start = "%s"; fixings = %s; expiry = "%s"; strike_volatility = 0.22; '
         "upper = 105.0; fixings_a_year = 12.0; notional = 100.0;" % (days[0], dated(days[1:]), days[-1]), (ages, seen_variance))

    def worst_month(spots):
        return 100 * discount("SHARE", ages[-1]) * np.maximum(0.15 + (spots[0][1:] / spots[0][:-1] - 1).min(axis=0), 0)
    case("live-napoleon", "napoleon", "SHARE", 'start = "%s"; fixings = %s; payments = ["%s"]; expiry = "%s"; coupon = 0.15; notional = 100.0;' %
         (days[0], dated(days[1:]), days[-1], days[-1]), (ages, worst_month))
    case("live-window-out", "window_barrier", "SHARE", 'window = %s; expiry = "%s"; strike = 100.0; barrier = 110.0; direction = "up"; '
         "rebate = 4.0;" % (dated(days), days[-1]), 4 * discount("SHARE", ages[-1]))
    case("live-window-in", "window_barrier", "SHARE", 'window = %s; expiry = "%s"; strike = 100.0; barrier = 110.0; direction = "up"; '
         'knock = "knocks_in";' % (dated(days), days[-1]), option("SHARE", 100, ages[-1]))
    f, v = forward("SHARE", ages[-1]) / 1.12, 0.25 * np.sqrt(ages[-1])
    case("live-forward-start", "forward_start_autocallable", "SHARE", 'start = "%s"; observations = []; watched = ["%s"]; expiry = "%s"; '
         "coupon = 0.05; knock_in = 1.0; notional = 100.0;" % (days[0], days[-1], days[-1]),
         discount("SHARE", ages[-1]) * (100 - black(f, 100, v, -1)))
    case("live-floating", "floating_lookback", "SHARE", 'fixings = %s; expiry = "%s"; factor = 1.0; option = "put";' % (dated(days), days[-1]),
         (ages, lambda spots: discount("SHARE", ages[-1]) * (spots[0].max(axis=0) - spots[0][-1])))


def decision_cases():
    """Options on options, and notes with decisions: an integral over the spot of the one date, and 0.01 for the policy."""
    level = 100 * np.exp((0.01 - 0.04) * 0.5)
    case("chooser", "chooser", "SHARE", "chosen_on = 0.5; expiry = 1.0; strike = 100.0; level = %r;" % float(level),
         option("SHARE", 100, 1) + np.exp(-0.01 * 0.5) * option("SHARE", level, 0.5, -1))
    for on, side, price in (("call", "call", 6.0), ("put", "call", 9.0), ("call", "put", 5.0)):
        sign = 1 if side == "call" else -1

        def worth(s):
            gain = later("SHARE", s, 100, 0.5, sign) - price
            return np.maximum(gain if on == "call" else -gain, 0)
        turn = float(np.exp(optimum(lambda x: later("SHARE", np.exp(x), 100, 0.5, sign) - price)))
        case("compound-%s-%s" % (on, side), "compound", "SHARE", "decided_on = 0.5; expiry = 1.0; strike = 100.0; price = %g; "
             'sold = %s; option = "%s";' % (price, str(on == "put").lower(), side), (seen_at("SHARE", 0.5, worth, turn), 0.01))

    def linked(s, participation):
        return 100 * np.exp(-0.04) + participation * later("SHARE", s, 100, 1)
    reverse = seen_at("SHARE", 1, lambda s: np.minimum(100, 100 * np.exp(-0.04) * 1.08 - later("SHARE", s, 90, 1, -1) / 0.9), *range(60, 160, 5))
    case("callable", "callable_note", "SHARE", "coupons = [1.0, 2.0]; calls = [1.0]; expiry = 2.0; coupon = 0.08; strike = 0.9; notional = 100.0;",
         (reverse + 8 * discount("SHARE", 1), 0.01))
    case("callable-sure", "callable_note", "SHARE", "coupons = [1.0, 2.0]; calls = [1.0, 1.5]; expiry = 2.0; coupon = 0.05; strike = 0.001; "
         "notional = 100.0;", (5 * discount("SHARE", 1) + 100 * discount("SHARE", 1.5), 0.01))    # he waits: no coupon until 2
    case("puttable", "puttable_note", "SHARE", "puts = [1.0]; expiry = 2.0; participation = 0.4; put_price = 1.01; notional = 100.0;",
         (seen_at("SHARE", 1, lambda s: np.maximum(101, linked(s, 0.4)), *range(60, 160, 5)), 0.01))
    case("soft-call", "soft_call", "SHARE", "watched = [1.0]; coupons = []; calls = [1.0]; expiry = 2.0; trigger = 1.1; notional = 100.0;",
         (seen_at("SHARE", 1, lambda s: np.where(s >= 110, np.minimum(100, linked(s, 1)), linked(s, 1)), 110), 0.01))
    case("soft-call-run", "soft_call", "SHARE", "watched = [0.5, 0.75, 1.0]; coupons = []; calls = [1.0]; expiry = 2.0; trigger = 1.05; "
         "needed = 2.0; notional = 100.0;",
         ([0.5, 0.75, 1.0], lambda spots: np.exp(-0.04) * np.where(
             (spots[0][1] >= 105) & ((spots[0][0] >= 105) | (spots[0][2] >= 105)), np.minimum(100, linked(spots[0][2], 1)), linked(spots[0][2], 1))))

    def converted(s):
        goes_on = np.maximum(102 * np.exp(-0.04) + 0.8 * later("SHARE", s, 125, 1), 0.8 * s)
        return 2 + np.where(s >= 130, np.minimum(goes_on, np.maximum(100, 0.8 * s)), goes_on)
    case("convertible", "convertible", "SHARE", "coupons = [1.0, 2.0]; conversions = [1.0]; calls = [1.0]; expiry = 2.0; shares = 0.8; "
         "coupon = 0.02; trigger = 130.0; notional = 100.0;", (seen_at("SHARE", 1, converted, 125, 130, *range(140, 240, 10)), 0.01))
    keys = "exercises = [0.25, 0.5, 0.75]; expiry = 1.0; strike = %.1f; barrier = %.1f; direction = \"%s\"; option = \"put\"; rebate = %.1f;"
    for name, k, barrier, side, rebate in (("american-up", 102, 112, -1, 2), ("american-down", 110, 85, 1, 0)):
        case(name, "american_barrier", "SHARE", keys % (k, barrier, "down" if side > 0 else "up", rebate),
             (exercised_alive("SHARE", barrier, side, [0.25, 0.5, 0.75, 1.0], rebate, lambda s: np.maximum(k - s, 0)), 0.01))
    keys = "watched = %s; expiry = 0.5; lower = 88.0; upper = 110.0; wanted = \"%s\"; pay_at = \"%s\"; cash = 10.0;"
    for wanted, pay_at in (("up", "hit"), ("down", "end")):
        case("touch-" + wanted, "touch_before", "SHARE", keys % (listed(i / 80 for i in range(1, 40)), wanted, pay_at),
             (10 * touched_first("SHARE", 88, 110, wanted == "up", 0.5, pay_at == "hit"), 0.002))
    case("exchange", "american_spread", ("Q1", "Q2"), "weights = [-1.0, 1.0]; exercises = [0.25, 0.5, 0.75]; expiry = 1.0;",
         (exchanged("Q1", "Q2", [0.25, 0.5, 0.75, 1.0]), 0.02))


def optimum(f):
    """ln of the spot where f is 0."""
    from scipy import optimize
    return optimize.brentq(f, np.log(20), np.log(500), xtol=1e-13)


def main(folder):
    for write in (fixing_cases, note_cases, variance_cases, barrier_cases, lookback_cases, basket_cases, napoleon_cases, running_cases, decision_cases):
        write()
    with open(folder + "/scripts-closes.csv", "w") as closes:
        names = sorted({asset for row in CLOSES.values() for asset in row})
        closes.write("date,%s\n" % ",".join(names))
        for date, row in sorted(CLOSES.items()):
            closes.write("%s,%s\n" % (date, ",".join(repr(row[name]) for name in names)))
    with open(folder + "/scripts.cfg", "w") as book, open(folder + "/scripts.csv", "w") as cases:
        book.write("// Written by script-truths.py. The expected prices are in scripts.csv; README.md explains.\n"
                   "valuation_date = \"%s\";\nfixings = \"scripts-closes.csv\";\nsettings = { paths = 1048576; seed = 1; check = \"sample\"; };\n\nmarket = { correlation_default = 0;\n  currencies = (\n    " % TODAY)
        book.write(",\n    ".join('{ name = "%s"; rate = %r; }' % pair for pair in sorted({a[:2] for a in ASSETS.values()})))
        book.write(" );\n  assets = (\n    ")
        book.write(",\n    ".join(
            '{ name = "%s"; currency = "%s"; spot = %r; %s volatility = %r; }' %
            (name, c, s, "foreign_currency = \"EUR\";" if name == "EURUSD" else "dividend_yield = %r;" % q, v)
            for name, (c, _, s, q, v) in ASSETS.items()))
        book.write(" );\n  correlations = (\n    ")
        book.write(",\n    ".join('{ assets = ["%s", "%s"]; value = %r; }' % (*pair, value) for pair, value in CORRELATIONS.items()))
        book.write(" );\n};\n\nbook = {\n  trades = (\n")
        cases.write("id,instrument,model,rows,expected,tolerance,bias,trades,source\n")
        for i, (name, product, assets, keys, truth, source) in enumerate(CASES):
            several = product in ("step_down_autocallable", "forward_start_autocallable", "phoenix", "basket_asian", "basket_barrier", "himalaya",
                                  "callable_note", "everest", "altiplano", "atlas", "rainbow", "american_spread")
            on = "assets = [%s]" % ", ".join('"%s"' % a for a in assets) if several else 'asset = "%s"' % assets[0]
            book.write('    { id = "%s"; type = "%s"; %s; %s }%s\n' % (name, product, on, keys.strip(), "," if i + 1 < len(CASES) else ""))
            tolerance = 1e-9
            if isinstance(truth, tuple) and callable(truth[1]):
                truth, error = simulated(assets, truth[0], truth[1], 1000 + i)
                tolerance, source = 4 * error, "simulated"
            elif isinstance(truth, tuple):
                truth, tolerance = truth
            cases.write("%s,%s,BS,1,%.12g,%.3g,0,%s,%s\n" % (name, product, truth, tolerance, name, source))
            print("%-28s %14.6f %10.3g" % (name, truth, tolerance))
        book.write("  );\n};\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
