#!/usr/bin/env python3
"""Turn a table of published option prices into books that the pricer reads.

    from-published.py TABLE.csv [FOLDER]

TABLE.csv has the columns id, source, instrument, model, params ("key=value;..."), expected, tolerance. Written to
FOLDER are published.{cfg,csv} and published-long.{cfg,csv}; the second pair holds the averages over 50 dates or more.
On standard output: how many rows of each instrument were used, and how many not.
README.md says what is used, what is not, and why.
"""
import collections
import csv
import math
import sys

PATHS = 262144
LEVY_TOLERANCE = "1.5e-2"   # Levy's lognormal average is an approximation: this far from the truth at most
LEVY_WORSE = ("ASIAN-LEVY-012", "ASIAN-LEVY-013")   # but these two are further: 4.2e-2 and 1.54e-2
LEAST_TOLERANCE = "1e-9"    # below this a tolerance would only measure the rounding of a sum over the paths
LONG_SCHEDULE = 50          # averages over so many dates go to the second book

Market = collections.namedtuple("Market", "rate dividend_yield volatility spot")
Leg = collections.namedtuple("Leg", "market fields")     # one trade; fields are (key, text) pairs
Case = collections.namedtuple("Case", "id source expected tolerance legs comment")


def number(text):
    """The source's own digits as a libconfig float; fractions such as 365/365 are divided."""
    if "/" in text:
        numerator, denominator = text.split("/")
        return repr(float(numerator) / float(denominator))
    return text if any(c in text for c in ".e") else text + ".0"


def exact(value):
    """A computed number, to the last bit."""
    return repr(float(value))


def array(times):
    text = (("%.12f" % t).rstrip("0") for t in times)
    return "[" + ", ".join(t + "0" if t.endswith(".") else t for t in text) + "]"


def quoted(text):
    return '"%s"' % text


def market(p):
    return Market(number(p["r"]), number(p["q"]), number(p["sigma"]), number(p["S"]))


def trade(of, type_, *fields):
    """A leg. A field's value is libconfig text; pairs whose value is None are left out."""
    return Leg(of, [("type", quoted(type_))] + [f for f in fields if f[1] is not None])


def option(p):
    return ("option", quoted(p["type"]))


def strike(p, key="K"):
    return ("strike", number(p[key]))


def expiry(p):
    return ("expiry", number(p["T"]))


CONTINUOUS = ("monitoring", quoted("continuous"))


def monitoring(p):
    return ("monitoring", p["monitor_dates"]) if "monitor_dates" in p else CONTINUOUS


# ---------------------------------------------------------------------------------------------- one exercise, no path

def european(p, of=None):
    return [trade(of or market(p), "european", option(p), strike(p), expiry(p))]


def american_without_premium(p):
    """A call without dividends, or a put without interest, is never exercised early: it is European."""
    call = p["type"] == "call"
    never_early = float(p["q"]) <= 0 if call else float(p["r"]) <= 0 <= float(p["q"])
    return european(p) if never_early else None


def exchange(p):
    """Margrabe: in units of the second asset, a call on the first; the second one's yield is the rate."""
    s1, s2, rho = float(p["sigma1"]), float(p["sigma2"]), float(p["rho"])
    of = Market(number(p["q2"]), number(p["q1"]), exact(math.sqrt(s1 * s1 + s2 * s2 - 2 * rho * s1 * s2)),
                exact(float(p["Q1"]) * float(p["S1"])))
    return [trade(of, "european", ("option", quoted("call")),
                  ("strike", exact(float(p["Q2"]) * float(p["S2"]))), expiry(p))]


def quanto_market(p):
    """Paid at a fixed rate of 1: the drift becomes r_for - q - rho sigma sigma_fx, the discounting stays domestic."""
    adjusted = (float(p["r_dom"]) - float(p["r_for"]) + float(p["q"])
                + float(p["rho"]) * float(p["sigma"]) * float(p["sigma_fx"]))
    return Market(number(p["r_dom"]), exact(round(adjusted, 15)), number(p["sigma"]), number(p["S"]))


def digital_cash(p, of=None, option_type=None, quantity=None):
    return trade(of or market(p), "digital", ("option", quoted(option_type or p["type"])), strike(p),
                 ("payout", quoted("cash")), ("cash", number(p["cash"])), expiry(p), ("quantity", quantity))


def digital_asset(p):
    return [trade(market(p), "digital", option(p), strike(p), ("payout", quoted("asset")), expiry(p))]


def gap(p):
    """S - K_payoff where S > K_trigger is a call struck at the trigger, less K_payoff - K_trigger in cash."""
    assert p["type"] == "call"
    less = {**p, "K": p["K_trigger"], "cash": exact(float(p["K_payoff"]) - float(p["K_trigger"]))}
    return [trade(market(p), "european", option(p), strike(p, "K_trigger"), expiry(p)),
            digital_cash(less, quantity="-1.0")]


def forward_start(p, of=None):
    return [trade(of or market(p), "forward_start", option(p), ("start", number(p.get("t1") or p["reset"])),
                  ("strike_ratio", number(p["moneyness"])), expiry(p))]


# ----------------------------------------------------------------------------------------------------------- averages

def schedule(p):
    """The n dates t_first .. t_last. A date at time 0 fixes today's spot: of many, it is written as a past fixing."""
    n, first, last = int(p["n_fixings"]), float(number(p["t_first"])), float(number(p["t_last"]))
    assert abs(last - float(number(p["T"]))) < 1e-9
    if abs(first * n - last) < 1e-9:
        return [("fixings", str(n))]
    if first == 0 and n >= LONG_SCHEDULE:
        return [("fixings", str(n - 1)), past(1, number(p["S"]))]
    return [("fixing_times", array([first + i * (last - first) / (n - 1) for i in range(n)]))]


def past(count, average):
    return ("past", "{ count = %d; average = %s; }" % (count, average))


def asian(p, averaging, strike_type):
    return [trade(market(p), "asian", option(p), ("averaging", quoted(averaging)), ("strike_type", quoted(strike_type)),
                  strike(p) if strike_type == "fixed" else ("strike", None), expiry(p), *schedule(p))]


def geometric_floating(p):
    """QuantLib counts this one's time from the first fixing: the spot is that fixing, all else is t_first sooner."""
    first = float(p["t_first"])
    shifted = {key: exact(round(float(p[key]) - first, 15)) for key in ("t_first", "t_last", "T")}
    return asian({**p, **shifted}, "geometric", "floating")


def asian_continuous(p, averaging, spacing):
    """Midpoints: the midpoint rule's error is of second order in the spacing, far below the row's tolerance."""
    left = float(p.get("T_remaining") or p["T"])
    n, gone = round(left / spacing), round(float(p.get("elapsed", 0)) / spacing)
    times = [(i + 0.5) * spacing for i in range(n)]
    return [trade(market(p), "asian", option(p), ("averaging", quoted(averaging)), ("strike_type", quoted("fixed")),
                  strike(p), ("expiry", number(p.get("T_remaining") or p["T"])), ("fixing_times", array(times)),
                  past(gone, number(p["running_avg"])) if gone else ("past", None))]


# ----------------------------------------------------------------------------------------------- barriers and touches

def barrier(p, of=None):
    direction = "down" if p["barrier_type"].startswith("Down") else "up"
    knock = "in" if p["barrier_type"].endswith("In") else "out"
    rebate = float(p["rebate"]) != 0
    return [trade(of or market(p), "barrier", option(p), strike(p), ("barrier", number(p["B"])),
                  ("direction", quoted(direction)), ("knock", quoted(knock)), monitoring(p),
                  ("rebate", number(p["rebate"]) if rebate else None),
                  ("rebate_at", quoted("hit" if knock == "out" else "expiry") if rebate else None), expiry(p))]


def soft_barrier(p):
    return barrier({**p, "B": p["U"], "rebate": "0"}) if p["U"] == p["L"] else None


def barrier_heston(p):
    """Variance starting at its mean with next to no volatility: Black-Scholes, to the order of xi squared."""
    assert p["v0"] == p["theta"] and float(p["xi"]) <= 0.001 and float(p["rho"]) == 0
    return barrier(p, Market(number(p["r"]), number(p["q"]), exact(math.sqrt(float(p["v0"]))), number(p["S"])))


def double_barrier(p, of=None):
    knock = {"KnockOut": "out", "KnockIn": "in"}[p["barrier_type"]]
    return [trade(of or market(p), "double_barrier", option(p), strike(p), ("lower", number(p["L"])),
                  ("upper", number(p["U"])), ("knock", quoted(knock)), monitoring(p), expiry(p))]


def touch(p, kind, cash, pay_at="expiry", quantity=None):
    level = ([("lower", number(p["L"])), ("upper", number(p["U"]))] if "L" in p else
             [("barrier", number(p["barrier"])), ("direction", quoted("up" if p["type"] == "call" else "down"))])
    return trade(market(p), "touch", ("touch", quoted(kind)), *level, ("cash", number(cash)),
                 ("pay_at", quoted(pay_at)), monitoring(p), expiry(p), ("quantity", quantity))


def already_hit(p):
    above = float(p["S"]) >= float(p["barrier"])
    return above if p["type"] == "call" else float(p["S"]) <= float(p["barrier"])


def touch_asset_at_hit(p):
    """The asset at the hit is worth the barrier; where it is hit already, the spot."""
    return [touch(p, "one", p["S"] if already_hit(p) else p["barrier"], "hit")]


def touch_asset_at_expiry(p):
    """S = (S - B)+ - (B - S)+ + B on the paths that count: two barrier options struck at B, and B in cash. Of a
    knock-out, the option on the far side of B is worth nothing and is left out."""
    into = p["knock_in"] == "true"
    side = "Up" if p["type"] == "call" else "Down"
    legs = []
    for kind, quantity in (("call", "1.0"), ("put", "-1.0")):
        if into or kind == ("put" if side == "Up" else "call"):
            leg = barrier({**p, "barrier_type": side + ("In" if into else "Out"), "B": p["barrier"],
                           "K": p["barrier"], "type": kind, "rebate": "0"})[0]
            leg.fields.append(("quantity", quantity))
            legs.append(leg)
    return legs + [touch(p, "one" if into else "no", p["barrier"])]


def double_touch(p):
    if p["barrier_type"] not in ("KnockOut", "KnockIn"):
        return None                                       # one barrier before the other: see double_touch_pair
    outside = not float(p["L"]) < float(p["S"]) < float(p["U"])
    if p["barrier_type"] == "KnockIn" and outside:
        return None                                       # the source then gives the cash without discounting
    return [touch(p, "no" if p["barrier_type"] == "KnockOut" else "one", p["cash"])]


def double_touch_pair(p):
    """Lower before upper plus upper before lower, each paid at its hit: either of them, paid at the hit."""
    return [touch(p, "one", p["cash"], "hit")]


def digital_barrier(p):
    """Cash if the barrier is (not) touched and the digital ends in the money.

    Beyond the strike's side of the barrier the event is that of a plain digital or of a touch. On the near side the
    reflection principle gives the touched part as digitals on an asset at the mirrored spot B^2/S."""
    down, into = p["barrier_type"].startswith("Down"), p["barrier_type"].endswith("In")
    s, b, k = float(p["S"]), float(p["B"]), float(p["K"])
    call = p["type"] == "call"
    p = {**p, "barrier": p["B"]}
    level = {**p, "type": "put" if down else "call"}      # touch() takes the direction from the type
    if (s <= b) if down else (s >= b):                    # touched already
        return [digital_cash(p)] if into else [touch(level, "no", p["cash"])]
    no_touch, one_touch = touch(level, "no", p["cash"]), touch(level, "one", p["cash"])
    sigma = float(p["sigma"])
    power = 2 * (float(p["r"]) - float(p["q"])) / (sigma * sigma) - 1
    mirror = Market(number(p["r"]), number(p["q"]), number(p["sigma"]), exact(b * b / s))

    def mirrored(option_type, sign):
        return digital_cash(p, mirror, option_type, exact(sign * (b / s) ** power))

    def minus(leg):
        return Leg(leg.market, leg.fields + [("quantity", "-1.0")])

    inner = "call" if down else "put"                     # the digital on the alive side of the strike
    beyond = (k <= b) if down else (k >= b)               # the strike lies at the barrier or past it
    if p["type"] == inner:
        if beyond:
            return [digital_cash(p), minus(no_touch)] if into else [no_touch]
        return [mirrored(inner, 1)] if into else [digital_cash(p), mirrored(inner, -1)]
    if beyond:
        return [digital_cash(p)] if into else barrier({**p, "rebate": "0"})    # alive paths never reach the strike
    if into:
        return [one_touch, mirrored(inner, -1)]
    return [no_touch, minus(digital_cash(p, None, inner)), mirrored(inner, 1)]


# ---------------------------------------------------------------------------------------------------------- lookbacks

def lookback(p, strike_type):
    return [trade(market(p), "lookback", option(p), ("strike_type", quoted(strike_type)),
                  strike(p) if strike_type == "fixed" else ("strike", None), CONTINUOUS,
                  ("extreme", number(p["minmax_so_far"])), expiry(p))]


TRANSLATIONS = {
    ("american_vanilla", "BS"): american_without_premium,
    ("exchange_option_european", "BS"): exchange,
    ("quanto_vanilla_fixed_fx", "BS"): lambda p: european(p, quanto_market(p)),
    ("quanto_forward_start", "BS"): lambda p: forward_start(p, quanto_market(p)),
    ("quanto_double_barrier_continuous", "BS"): lambda p: double_barrier(p, quanto_market(p)),
    ("digital_cash_or_nothing_european", "BS"): lambda p: [digital_cash(p)],
    ("digital_asset_or_nothing_european", "BS"): digital_asset,
    ("gap_option_european", "BS"): gap,
    ("forward_start", "BS"): forward_start,
    ("cliquet_single_reset", "BS"): forward_start,
    ("asian_arith_avgprice_discrete", "BS"): lambda p: asian(p, "arithmetic", "fixed"),
    ("asian_arith_avgstrike_discrete", "BS"): lambda p: asian(p, "arithmetic", "floating"),
    ("asian_geom_avgprice_discrete", "BS"): lambda p: asian(p, "geometric", "fixed"),
    ("asian_geom_avgstrike_discrete", "BS"): geometric_floating,
    ("asian_arith_avgprice_continuous", "BS"):
        lambda p: asian_continuous(p, "arithmetic", 0.01 if "elapsed" in p else 0.004),
    ("asian_geom_avgprice_continuous", "BS"): lambda p: asian_continuous(p, "geometric", 0.001),
    ("barrier_european_continuous", "BS"): barrier,
    ("barrier_european_continuous", "Heston"): barrier_heston,
    ("barrier_european_discrete", "BS"): barrier,
    ("soft_barrier_european_continuous", "BS"): soft_barrier,
    ("double_barrier_european_continuous", "BS"): double_barrier,
    ("double_barrier_european_discrete", "BS"): double_barrier,
    ("double_no_touch_discrete", "BS"): lambda p: [touch(p, "no", p["cash"])],
    ("double_no_touch_or_touch_cash", "BS"): double_touch,
    ("digital_barrier_cash_or_nothing", "BS"): digital_barrier,
    ("one_touch_cash_at_hit", "BS"): lambda p: [touch(p, "one", p["cash"], "hit")],
    ("one_touch_asset_at_hit", "BS"): touch_asset_at_hit,
    ("touch_cash_at_expiry", "BS"): lambda p: [touch(p, "one", p["cash"])],
    ("touch_cash_at_expiry_NO_TOUCH", "BS"): lambda p: [touch(p, "no", p["cash"])],
    ("touch_asset_at_expiry", "BS"): touch_asset_at_expiry,
    ("touch_asset_at_expiry_NO_TOUCH", "BS"): touch_asset_at_expiry,
    ("lookback_fixed_continuous", "BS"): lambda p: lookback(p, "fixed"),
    ("lookback_floating_continuous", "BS"): lambda p: lookback(p, "floating"),
}

HOW = {                                # said in the book where the trade is not the row's own product
    "american_vanilla": "never exercised early, or the European part",
    "exchange_option_european": "in units of the second asset",
    "quanto_vanilla_fixed_fx": "as an adjusted yield",
    "quanto_forward_start": "as an adjusted yield",
    "quanto_double_barrier_continuous": "as an adjusted yield",
    "gap_option_european": "a call less a digital",
    "cliquet_single_reset": "a forward start",
    "asian_geom_avgstrike_discrete": "seen from the first fixing",
    "asian_arith_avgprice_continuous": "fixed at the midpoints of short intervals",
    "asian_geom_avgprice_continuous": "fixed at the midpoints of short intervals",
    "soft_barrier_european_continuous": "both barriers the same",
    "digital_barrier_cash_or_nothing": "digitals and touches, by reflection where needed",
    "one_touch_asset_at_hit": "the asset at the hit is worth the barrier",
    "touch_asset_at_expiry": "barrier options and cash",
    "touch_asset_at_expiry_NO_TOUCH": "barrier options and cash",
}


def parameters(text):
    return dict(item.split("=", 1) for item in text.split(";") if "=" in item)


def left_out(row, ids):
    """Approximations stand back where their exact counterpart is in the table, or where they are too far off."""
    return "C-" + row["id"] in ids or row["id"] in LEVY_WORSE


def cases_of(rows):
    ids = {row["id"] for row in rows}
    used = collections.Counter()
    cases = []

    def heading(row):
        how = "Black-Scholes limit" if row["model"] == "Heston" else HOW.get(row["instrument"])
        return row["instrument"] + (", " + how if how else "")

    def add(row, legs, comment=None, **changes):
        fields = {"id": row["id"], "source": row["source"], "expected": row["expected"],
                  "tolerance": row["tolerance"], **changes}
        if "Levy lognormal APPROXIMATION" in row["params"]:
            fields["tolerance"] = LEVY_TOLERANCE
        if float(fields["tolerance"]) < float(LEAST_TOLERANCE):
            fields["tolerance"] = LEAST_TOLERANCE
        cases.append(Case(legs=legs, comment=comment or heading(row), **fields))
        used[row["instrument"], row["model"]] += 1

    pairs = {}
    for row in rows:
        p = parameters(row["params"])
        translate = TRANSLATIONS.get((row["instrument"], row["model"]))
        if translate is None or left_out(row, ids):
            continue
        if p.get("barrier_type") in ("KIKO", "KOKI"):
            other = pairs.setdefault((p["L"], p["U"], p["sigma"], p["S"]), row)
            if other is not row:
                add(row, double_touch_pair(p), "either barrier first, two rows in one",
                    id=other["id"] + row["id"].removeprefix("DBLBIN"),
                    expected=repr(round(float(other["expected"]) + float(row["expected"]), 10)), tolerance="2e-4")
                used[row["instrument"], row["model"]] += 1
            continue
        legs = translate(p)
        if legs:
            add(row, legs)
        elif "american_premium" in p:
            add(row, european(p), id=row["id"] + "-EUROPEAN",
                expected=repr(round(float(row["expected"]) - float(p["american_premium"]), 10)))
    order = list(dict.fromkeys((case.source, case.comment) for case in cases))
    return sorted(cases, key=lambda case: order.index((case.source, case.comment))), used


def names(case):
    return [case.id] if len(case.legs) == 1 else ["%s.%d" % (case.id, i + 1) for i in range(len(case.legs))]


def write_table(path, cases):
    with open(path, "w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["id", "source", "expected", "tolerance", "trades"])
        for case in cases:
            table.writerow([case.id, case.source, case.expected, case.tolerance, "+".join(names(case))])


def write_book(path, name, cases):
    markets = list(dict.fromkeys(leg.market for case in cases for leg in case.legs))
    rates = list(dict.fromkeys(m.rate for m in markets))
    asset = {m: "A%d" % (i + 1) for i, m in enumerate(markets)}
    currency = {rate: "C%d" % (i + 1) for i, rate in enumerate(rates)}
    with open(path, "w") as out:
        print("// Written by from-published.py. The expected prices are in %s.csv; README.md explains." % name,
              file=out)
        print("settings = { paths = %d; seed = 1; };\n" % PATHS, file=out)
        print("market = {\n  currencies = (", file=out)
        print(",\n".join('    { name = "%s"; rate = %s; }' % (currency[r], r) for r in rates) + " );", file=out)
        print("  assets = (", file=out)
        print(",\n".join(
            '    { name = "%s"; currency = "%s"; spot = %s; dividend_yield = %s; volatility = %s; }'
            % (asset[m], currency[m.rate], m.spot, m.dividend_yield, m.volatility) for m in markets) + " );", file=out)
        print("};\n\nbook = {\n  name = %s;\n  trades = (" % quoted(name), file=out)
        heading, last = None, cases[-1].legs[-1]
        for case in cases:
            if heading != (case.source, case.comment):
                heading = (case.source, case.comment)
                print("\n    // %s: %s" % (case.source, case.comment), file=out)
            for id_, leg in zip(names(case), case.legs):
                fields = [("id", quoted(id_)), leg.fields[0], ("asset", quoted(asset[leg.market]))] + leg.fields[1:]
                text = " ".join("%s = %s;" % f for f in fields)
                print("    { %s }%s" % (text, "" if leg is last else ","), file=out)
        print("  );\n};", file=out)


def is_long(case):
    fields = [field for leg in case.legs for field in leg.fields]
    return any(key == "fixing_times" and text.count(",") + 1 >= LONG_SCHEDULE
               or key == "fixings" and int(text) >= LONG_SCHEDULE for key, text in fields)


def main(table, folder="."):
    with open(table, newline="") as text:
        rows = list(csv.DictReader(text))
    cases, used = cases_of(rows)
    for name, long_ones in (("published", False), ("published-long", True)):
        chosen = [case for case in cases if is_long(case) == long_ones]
        write_book("%s/%s.cfg" % (folder, name), name, chosen)
        write_table("%s/%s.csv" % (folder, name), chosen)
        print("%s: %d cases, %d trades" % (name, len(chosen), sum(len(case.legs) for case in chosen)))
    for key, count in sorted(collections.Counter((r["instrument"], r["model"]) for r in rows).items()):
        print("%4d of %4d  %s %s" % (used[key], count, *key))


if __name__ == "__main__":
    main(*sys.argv[1:])
