"""Today's market of ORE: the quotes, and the currencies and assets that are made of them."""
import math
import re

from dates import CALENDARS, add_period, read_date, roll
from said import NotConverted, stop

DAY_COUNTS = {  # ORE's names, and those of a book
    **dict.fromkeys(("A360", "Actual/360", "ACT/360"), "ACT/360"),
    **dict.fromkeys(("A365", "A365F", "Actual/365", "Actual/365 (fixed)"), "ACT/365F"),
    **dict.fromkeys(("T360", "30/360", "30/360 (Bond Basis)", "ACT/nACT"), "30/360"),
    **dict.fromkeys(("ActActISDA", "ActualActual (ISDA)", "ACT/ACT", "ACT"), "ACT/ACT"),
}
SMILE_QUOTES = ("25RR", "25BF", "10RR", "10BF")


class Quote:
    def __init__(self, name, value, line):
        self.name, self.value, self.line = name, value, line
        self.parts, self.used = name.split("/"), False


class Market:
    """Today's quotes, and the currencies and assets that trades have asked for."""

    def __init__(self, path, options, lines):
        self.path, self.options, self.lines = path, options, lines
        self.currencies, self.assets, self.refusals = {}, {}, {}
        self.quotes, self.kinds = {}, {}
        rows = self.read_rows()
        dates = sorted({date for date, _ in rows})
        self.today = options["date"]
        if self.today is None:
            if len(dates) != 1:
                stop(f"{path} has quotes of {len(dates)} dates: --date=DATE says which are today's")
            self.today = dates[0]
        for date, quote in rows:
            if date != self.today:
                continue
            if quote.name in self.quotes:
                self.say(quote, "was quoted before on that date: the first quote is taken")
                continue
            self.quotes[quote.name] = quote
            self.kinds.setdefault("/".join(quote.parts[:2]), []).append(quote)
        if not self.quotes:
            stop(f"{path} has no quotes of {self.today}")

    def read_rows(self):
        rows = []
        try:
            with open(self.path, encoding="utf-8-sig") as file:
                for line, text in enumerate(file, 1):
                    fields = [f for f in re.split(r"[,;\t ]+", text.strip()) if f]
                    if not fields or fields[0].startswith("#") or (line == 1 and fields[0].lower() == "date"):
                        continue
                    date = read_date(fields[0])
                    try:
                        value = float(fields[2]) if len(fields) == 3 else math.nan
                    except ValueError:
                        value = math.nan
                    if date is None or not math.isfinite(value):
                        self.lines.add(self.path, line, f"a line is a date, a name and a number, got '{text.strip()[:60]}'")
                    else:
                        rows.append((date, Quote(fields[1], value, line)))
        except (OSError, UnicodeDecodeError) as error:
            stop(f"cannot read {self.path}: {getattr(error, 'strerror', None) or 'no UTF-8'}")
        return rows

    def say(self, quote, why, note=False):
        self.lines.add(self.path, quote.line, f"{quote.name}: {why}", note)

    def of(self, kind, *names):
        """Returns the quotes of a kind about what is named, and counts them as used."""
        found = [q for q in self.kinds.get(kind, []) if tuple(q.parts[2:2 + len(names)]) == names]
        for q in found:
            q.used = True
        return found

    def when(self, quote, text):
        """Returns the date of a tenor or date in a quote's name, or None."""
        match = re.fullmatch(r"(\d+)([DWMY])", text)
        if match:  # as the user guide says of DISCOUNT: "using a weekend only calendar"
            day = roll(add_period(self.today, int(match[1]), match[2]), "following", CALENDARS["WeekendsOnly"])
        else:
            day = read_date(text)
        if day is None or day <= self.today:
            self.say(quote, f"'{text}' is neither a tenor nor a date after {self.today}")
            return None
        return day

    def dated(self, quotes, place):
        """Returns date -> quote of those whose part at the place is a date, in order."""
        found = {}
        for q in quotes:
            day = self.when(q, q.parts[place])
            if day in found:
                self.say(q, f"another quote is for {day} too: the first is taken")
            elif day is not None:
                found[day] = q
        return dict(sorted(found.items()))

    def once(self, table, name, make):
        """Makes a currency or an asset once; what cannot be made says the same each time."""
        if not re.fullmatch(r'[^"\\\x00-\x1f\x7f]{1,64}', name):
            raise NotConverted(0, f"'{name[:64]}' is no name that a book can have")
        if name in self.refusals:
            raise NotConverted(0, self.refusals[name])
        if name not in table:
            try:
                table[name] = make()
            except NotConverted as refusal:
                self.refusals[name] = refusal.text
                raise
        return name

    # ---- a currency

    def currency(self, name):
        return self.once(self.currencies, name, lambda: self.make_currency(name))

    def make_currency(self, name):
        quotes = self.of("DISCOUNT/RATE", name) + self.of("ZERO/RATE", name)
        curves = sorted({q.parts[3] for q in quotes if len(q.parts) > 4})
        chosen = self.options["curve"].get(name)
        if name in self.options["rate"]:
            return f"rate = {self.options['rate'][name]!r};"
        if chosen is None and len(curves) == 1:
            chosen = curves[0]
        if chosen not in curves:
            if curves:
                raise NotConverted(0, f"currency {name} has several curves, {', '.join(curves)}: --curve={name}=ID says which discounts")
            raise NotConverted(0, f"currency {name} has no DISCOUNT or ZERO quotes (rates of deposits and swaps would have to be "
                                  f"bootstrapped): --rate={name}=RATE gives a flat rate")
        kinds = [[q for q in quotes if q.parts[0] == kind and q.parts[3] == chosen] for kind in ("DISCOUNT", "ZERO")]
        for q in kinds[1] if kinds[0] else []:
            self.say(q, f"the curve has DISCOUNT quotes, which are taken")
        if kinds[0]:
            points = self.dated(kinds[0], -1)
            return curve("curve", points, "discount_factors")
        counts = {q.parts[4] for q in kinds[1]}
        if len(counts) > 1 or not counts <= set(DAY_COUNTS) or any(len(q.parts) != 6 for q in kinds[1]):
            raise NotConverted(0, f"currency {name}: zero rates counted by {', '.join(sorted(counts))}: a book knows "
                                  f"A365F, A360, 30/360 and ActActISDA, one a curve")
        self.say(kinds[1][0], "zero rates are taken as continuously compounded; ORE's conventions.xml may say otherwise", note=True)
        return curve("curve", self.dated(kinds[1], -1), "zero_rates", f'day_count = "{DAY_COUNTS[counts.pop()]}"; ')

    # ---- an equity

    def equity(self, name, currency):
        return self.once(self.assets, name, lambda: self.make_equity(name, currency))

    def make_equity(self, name, currency):
        spots = self.of("EQUITY/PRICE", name) + self.of("EQUITY_SPOT/PRICE", name)
        spot = next((q for q in spots if q.parts[3:] == [currency]), None)
        if spot is None:
            other = spots[0].parts[3] if spots and len(spots[0].parts) == 4 else None
            raise NotConverted(0, f"{name} is quoted in {other}, the trade is in {currency}: a quanto needs a correlation that "
                                  f"ORE's market does not quote" if other else f"no quote EQUITY/PRICE/{name}/{currency}")
        self.currency(currency)
        return (f'currency = "{currency}"; spot = {spot.value!r};' + self.yields(name, currency, spot)
                + self.equity_volatility(name, currency))

    def yields(self, name, currency, spot):
        """Returns the dividend yields of an equity, or its forwards."""
        dividends = self.dated(self.of("EQUITY_DIVIDEND/RATE", name, currency), 4)
        forwards = self.dated(self.of("EQUITY_FWD/PRICE", name, currency), 4)
        if dividends:
            for q in forwards.values():
                self.say(q, "there are EQUITY_DIVIDEND quotes, which are taken")
            self.say(next(iter(dividends.values())), "yields are taken as continuously compounded, ACT/365F", note=True)
            return "\n      " + curve("dividend_curve", dividends, "yields")
        if forwards:
            return "\n      " + curve("forwards", forwards, "prices")
        self.say(spot, "no EQUITY_DIVIDEND and no EQUITY_FWD quotes: the dividend yield is 0", note=True)
        return ""

    def equity_volatility(self, name, currency):
        """Returns a surface where quotes by strike fill a grid, else the volatilities at the money."""
        money, grid = [], {}
        for q in self.of("EQUITY_OPTION/RATE_LNVOL", name, currency):
            strike = q.parts[5:]
            if strike in (["ATMF"], ["ATM"], ["ATM", "AtmFwd"], ["ATM", "AtmSpot"]):
                money.append(q)
            elif len(strike) in (1, 2) and re.fullmatch(r"\d+(\.\d*)?", strike[0]) and strike[1:] in ([], ["C"]):
                day = self.when(q, q.parts[4])
                if day is not None:
                    grid.setdefault(day, {}).setdefault(float(strike[0]), q)
            else:
                self.say(q, "a strike is ATMF, ATM or a number, of calls; moneyness and puts are not read")
        for q in self.of("EQUITY_OPTION/PRICE", name, currency):
            self.say(q, "premiums are not read, volatilities are")
        strikes = sorted(set().union(*grid.values())) if grid else []
        if len(strikes) > 1 and all(len(row) == len(strikes) for row in grid.values()):
            for q in money:
                self.say(q, "there is a surface by strike, which is taken", note=True)
            rows = ",\n                 ".join("[" + ", ".join(repr(row[k].value) for k in strikes) + "]" for _, row in sorted(grid.items()))
            return (f'\n      model = "local_vol";\n      volatility = {{ times = {days(sorted(grid))}; strikes = {strikes};\n'
                    f"        vols = ( {rows} ); }};")
        for row in grid.values():
            for q in row.values():
                self.say(q, f"a surface needs two strikes, and every strike at every expiry; {name} has {len(strikes)} in all")
        points = self.dated(sorted(money, key=lambda q: q.parts[5:] not in (["ATMF"], ["ATM", "AtmFwd"])), 4)
        if not points:
            raise NotConverted(0, f"no volatilities EQUITY_OPTION/RATE_LNVOL/{name}/{currency}/EXPIRY/ATMF, nor a full grid of strikes")
        return volatility(points)

    # ---- an exchange rate

    def pair(self, foreign, domestic):
        return self.once(self.assets, foreign + domestic, lambda: self.make_pair(foreign, domestic))

    def make_pair(self, foreign, domestic):
        straight, turned = self.of("FX/RATE", foreign, domestic), self.of("FX/RATE", domestic, foreign)
        if not straight and not turned:
            raise NotConverted(0, f"no quote FX/RATE/{foreign}/{domestic}, nor the other way round")
        spot = straight[0].value if straight else 1.0 / turned[0].value
        if not straight:
            self.say(turned[0], f"{foreign}{domestic} is made of it, as 1 over the quote", note=True)
        self.currency(domestic)
        self.currency(foreign)
        for kind in ("FX_FWD/RATE", "FXFWD/RATE"):
            for q in self.of(kind, foreign, domestic) + self.of(kind, domestic, foreign):
                self.say(q, "ORE's conventions.xml says by what points are divided; the forward of the two curves is taken")
        return (f'currency = "{domestic}"; foreign_currency = "{foreign}"; spot = {spot!r};' + self.pair_volatility(foreign, domestic))

    def pair_volatility(self, foreign, domestic):
        """Returns a smile by delta where it is asked for and complete, else volatilities at the money."""
        quotes = self.of("FX_OPTION/RATE_LNVOL", foreign, domestic)
        turned = self.of("FX_OPTION/RATE_LNVOL", domestic, foreign)
        by_strike = {}
        for q in quotes or turned:
            by_strike.setdefault("/".join(q.parts[5:]), []).append(q)
        money = self.dated(by_strike.pop("ATM", []), 4)
        if not money:
            raise NotConverted(0, f"no volatilities FX_OPTION/RATE_LNVOL/{foreign}/{domestic}/EXPIRY/ATM")
        smile = {name: self.dated(by_strike.pop(name, []), 4) for name in SMILE_QUOTES}
        for rest in by_strike.values():
            for q in rest:
                self.say(q, "a strike is ATM, 25RR, 25BF, 10RR or 10BF")
        wanted = [name for name in SMILE_QUOTES if smile[name]]
        conventions = self.options["smile"]
        why = (None if not wanted else "--fx-smile says what it is of: ORE has it in conventions.xml" if not conventions
               else "a smile is read where it is quoted the way the trades have the pair" if not quotes
               else "a smile needs 25RR and 25BF, and 10RR and 10BF both or neither, at every expiry of ATM"
               if wanted not in (list(SMILE_QUOTES[:2]), list(SMILE_QUOTES)) or any(list(smile[n]) != list(money) for n in wanted) else None)
        if not wanted or why:
            for points in smile.values():
                for q in points.values():
                    self.say(q, why)
            return volatility(money)
        keys = "".join(f"        {n[2:].lower()}{n[:2]} = {[q.value for q in smile[n].values()]};\n" for n in wanted)
        delta, premium, butterfly = conventions
        return (f'\n      model = "local_vol";\n      volatility = {{ times = {days(money)}; atm = {[q.value for q in money.values()]};\n{keys}'
                f'        delta = "{delta}"; premium_adjusted = {"true" if premium == "adjusted" else "false"}; butterfly = "{butterfly}"; }};')

    def say_unused(self):
        """Counts the quotes that no trade has asked for, by their kind."""
        unused = {kind: n for kind, quotes in self.kinds.items() if (n := sum(not q.used for q in quotes))}
        if unused:
            text = ", ".join(f"{n} {kind}" for kind, n in sorted(unused.items()))
            self.lines.add(self.path, 1, f"quotes that no converted trade needs: {text}", note=True)


def days(points):
    return "[" + ", ".join(f'"{day}"' for day in points) + "]"


def curve(key, points, values, more=""):
    return f"{key} = {{ times = {days(points)}; {values} = {[q.value for q in points.values()]}; {more}}};"


def volatility(points):
    if len(points) == 1:
        return f"\n      volatility = {next(iter(points.values())).value!r};"
    return "\n      " + curve("volatility", points, "vols")
