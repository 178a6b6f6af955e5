"""The trades: what they have in common, and one function a product."""
import datetime
import re

from elements import Element
from said import NotConverted
from schedule import schedule


class Trade:
    """A <Trade> while it is read: its data and the market it looks into."""

    def __init__(self, element, data, market, lines, path):
        self.element, self.data, self.market, self.lines, self.path = element, data, market, lines, path
        self.id = element.attributes.get("id", "")

    def note(self, line, text):
        self.lines.add(self.path, line, f"trade '{self.id}': {text}", note=True)

    def side(self, element):
        text = element.word("LongShort")
        if text not in ("Long", "L", "Short", "S"):
            raise NotConverted(element.need("LongShort").line, f"<LongShort> must be Long or Short, got '{text}'")
        return 1.0 if text[0] == "L" else -1.0

    def option(self, styles=("European",), needs_type=True):
        """Reads <OptionData>: side, option, style, expiry, days to the payment."""
        o = self.data.need("OptionData")
        self.sign = self.side(o)
        self.kind = o.word("OptionType", "" if not needs_type else None).lower()
        self.style = o.word("Style", "European")
        if self.style not in styles:
            raise NotConverted(o.need("Style").line, f"<Style> must be {' or '.join(styles)} here, got '{self.style}'")
        if needs_type and self.kind not in ("call", "put"):
            raise NotConverted(o.need("OptionType").line, f"<OptionType> must be Call or Put, got '{o.word('OptionType')}'")
        self.at_expiry = o.word("PayOffAtExpiry", "true").lower() in ("true", "y", "1", "yes")
        dates = o.need("ExerciseDates")
        self.expiry = dates.date("ExerciseDate")
        for tag in ("Premiums", "PremiumAmount"):
            premium = o.child(tag)
            if premium is not None:
                premium.ignore_all()
                self.lines.add(self.path, premium.line, f"trade '{self.id}': the premium; the trade is priced without it")
        o.ignore("Settlement", "AutomaticExercise", "PremiumCurrency", "PremiumPayDate", "SettlementMethod")
        self.row = {"id": self.id, "expiry": str(self.expiry)}
        payment = o.child("PaymentData")
        if payment is not None:
            dates = payment.child("Dates")
            if dates is None:
                raise NotConverted(payment.line, "<PaymentData> by rules: give <Dates>, from which days of settlement are counted")
            self.settle(dates, "Date")
        return o

    def settle(self, element, tag):
        """Reads the day of payment: as business days from the expiry, with weekends alone."""
        paid = element.date(tag)
        if paid < self.expiry or paid.weekday() >= 5:
            raise NotConverted(element.need(tag).line, f"<{tag}> must be a day of the week from the expiry on, got {paid}")
        between = (self.expiry + datetime.timedelta(days=i + 1) for i in range((paid - self.expiry).days))
        lag = sum(day.weekday() < 5 for day in between)
        if lag:
            self.row["settlement_days"] = lag

    def asset(self, make):
        """Asks the market for an asset; what it lacks is a line about the trade."""
        try:
            self.row["asset"] = make()
        except NotConverted as refusal:
            raise NotConverted(refusal.line or self.element.line, refusal.text) from None

    def equity(self, currency):
        """Reads <Name> or <Underlying>."""
        u = self.data.child("Underlying")
        if u is None:
            name = self.data.word("Name")
        else:
            if u.word("Type", "Equity") != "Equity" or u.number("Weight", 1) != 1:
                raise NotConverted(u.line, "<Underlying> must be one equity, with a weight of 1")
            name, kind = u.word("Name"), u.word("IdentifierType", "")
            u.ignore("Currency", "Exchange")
            long = f"{kind or 'RIC'}:{name}"
            quoted = [n for n in ([long] if kind else [name, long])
                      if self.market.of("EQUITY/PRICE", n) or self.market.of("EQUITY_SPOT/PRICE", n)]
            name = quoted[0] if quoted else long if kind else name
        self.asset(lambda: self.market.equity(name, currency))

    def strike(self, currency):
        """Reads <Strike> or <StrikeData> of an equity's trade."""
        s = self.data.child("StrikeData")
        if s is not None:
            s = s.child("StrikePrice") or s
            value, other = s.number("Value"), s.word("Currency", currency)
        else:
            s = self.data
            value, other = s.number("Strike"), s.word("StrikeCurrency", currency)
        if other != currency:
            raise NotConverted(s.line, f"the strike is in {other}, the payment in {currency}: write a composite option on an asset with `cross`")
        self.row["strike"] = value

    def vanilla_terms(self):
        """Reads asset, strike and quantity of an option on an equity or an exchange rate."""
        d = self.data
        if self.is_fx:
            bought, sold = d.number("BoughtAmount"), d.number("SoldAmount")
            self.asset(lambda: self.market.pair(d.word("BoughtCurrency"), d.word("SoldCurrency")))
            self.row.update(strike=sold / bought, quantity=self.sign * bought)
        else:
            self.equity(d.word("Currency"))
            self.strike(d.word("Currency"))
            self.row["quantity"] = self.sign * d.number("Quantity")

    def cash_terms(self):
        """Reads asset and payoff of a digital or a touch; returns whether it pays the foreign currency."""
        d = self.data
        if self.is_fx:
            foreign, domestic = d.word("ForeignCurrency"), d.word("DomesticCurrency")
            paid = d.word("PayoffCurrency", domestic)
            if paid not in (foreign, domestic):
                raise NotConverted(d.need("PayoffCurrency").line, f"paid in {paid}: {foreign} or {domestic} would do")
            self.asset(lambda: self.market.pair(foreign, domestic))
            return paid == foreign
        self.equity(d.word("PayoffCurrency"))
        return False

    def barrier(self, types, style="American"):
        """Reads <BarrierData>, watched at any moment or at expiry alone (the styles American and
        European); returns its type of those allowed, and its levels."""
        b = self.data.need("BarrierData")
        kind = b.word("Type")
        if kind not in types:
            raise NotConverted(b.need("Type").line, f"<Type> must be {', '.join(types)} here, got '{kind}'")
        if b.word("Style", style) != style:
            raise NotConverted(b.need("Style").line, f"the barrier of this trade type is {style}, got '{b.word('Style')}'")
        levels = b.need("Levels")
        values = []
        for level in levels.children:
            one = Element("Levels", level.line, {})
            one.children = [level]
            values.append(one.number("Level"))
        wanted = 2 if kind.startswith("Knock") else 1
        if len(values) != wanted:
            raise NotConverted(levels.line, f"{kind} has {wanted} <Level>, got {len(values)}")
        b.ignore("StrictComparison", "RebateCurrency", "RebatePayTime")  # the last two: of a rebate
        self.rebate = b.number("Rebate", 0)
        self.rebate_line = b.line
        self.row["monitoring"] = "continuous" if style == "American" else f"{self.expiry};"
        start, touched = self.data.child("StartDate"), b.child("OverrideTriggered")
        if touched is not None:
            self.row["hit"] = "true" if touched.text.strip().lower() in ("true", "y", "1", "yes") else "false"
        elif start is not None and self.data.date("StartDate") < self.market.today:
            raise NotConverted(start.line, f"whether the barrier was touched since {self.data.date('StartDate')} is in ORE's fixings: "
                                           "say <OverrideTriggered> true or false in <BarrierData>")
        self.data.ignore("Calendar", "FXIndex", "EQIndex")
        return kind, values


# ---- one function a product, of equities and of exchange rates -------------------------------------

def vanilla(trade):
    trade.option(("European", "American"))
    trade.vanilla_terms()
    if trade.style == "American":
        if trade.at_expiry:
            line = trade.data.need("OptionData").line
            raise NotConverted(line, "an American option that pays at expiry has no key here; where it pays at exercise, say "
                                     "<PayOffAtExpiry>false</PayOffAtExpiry> (ORE's default is true)")
        trade.row["exercise"] = "american"
    return [{**trade.row, "type": trade.style.lower(), "option": trade.kind}]


def forward(trade):
    """Makes a forward of a call held and a put sold at its strike."""
    d = trade.data
    trade.sign = 1.0 if trade.is_fx else trade.side(d)
    trade.expiry = d.date("ValueDate" if trade.is_fx else "Maturity")
    trade.row = {"id": trade.id, "expiry": str(trade.expiry), "type": "european"}
    d.ignore("Settlement")
    trade.vanilla_terms()
    trade.note(trade.element.line, f"a forward is a call held and a put sold: '{trade.id}-call' and '{trade.id}-put'")
    return [{**trade.row, "id": f"{trade.id}-{kind}", "option": kind, "quantity": sign * trade.row["quantity"]}
            for kind, sign in (("call", 1.0), ("put", -1.0))]


SINGLE, DOUBLE = ("UpAndOut", "DownAndOut", "UpAndIn", "DownAndIn"), ("KnockOut", "KnockIn")


def barrier(trade):
    trade.option()
    trade.vanilla_terms()
    at_expiry = "EuropeanBarrier" in trade.element.word("TradeType")
    kind, (level,) = trade.barrier(SINGLE, "European" if at_expiry else "American")
    row = {**trade.row, "type": "barrier", "option": trade.kind, "barrier": level,
           "direction": "up" if kind.startswith("Up") else "down", "knock": "out" if kind.endswith("Out") else "in"}
    if trade.rebate and not (trade.is_fx and (at_expiry or row["knock"] == "in")):
        raise NotConverted(trade.rebate_line, "a rebate of a knock-out, or of an equity: when ORE pays it is not certain")
    if trade.rebate:
        row.update(rebate=trade.rebate / abs(row["quantity"]), rebate_at="expiry")
    return [row]


def double_barrier(trade):
    trade.option()
    trade.vanilla_terms()
    kind, (lower, upper) = trade.barrier(DOUBLE)
    if trade.rebate:
        raise NotConverted(trade.rebate_line, "a rebate: double barriers have none here")
    return [{**trade.row, "type": "double_barrier", "option": trade.kind, "lower": lower, "upper": upper,
             "knock": "out" if kind == "KnockOut" else "in"}]


def touch(trade):
    o = trade.option(needs_type=False)
    if trade.cash_terms():
        raise NotConverted(trade.data.need("PayoffCurrency").line, "a touch that pays the foreign currency has no key here")
    double = trade.element.need("TradeType").text.find("Double") >= 0
    kind, levels = trade.barrier(DOUBLE if double else SINGLE)
    row = {**trade.row, "type": "touch", "touch": "one" if kind.endswith("In") else "no", "quantity": trade.sign,
           "cash": trade.data.number("PayoffAmount")}
    row.update({"lower": levels[0], "upper": levels[1]} if double
               else {"barrier": levels[0], "direction": "up" if kind.startswith("Up") else "down"})
    if row["touch"] == "one":
        row["pay_at"] = "expiry" if trade.at_expiry else "hit"
        if not trade.at_expiry and trade.is_fx:
            trade.note(o.line, "paid at the touch, as the trade says; ORE's guide says that it prices the payment at expiry")
    return [row]


def digital(trade):
    trade.option()
    foreign = trade.cash_terms()
    amount = trade.data.number("PayoffAmount")
    row = {**trade.row, "type": "digital", "option": trade.kind, "strike": trade.data.number("Strike"), "payout": "asset" if foreign else "cash",
           "quantity": trade.sign * (1.0 if trade.is_fx else trade.data.number("Quantity"))}
    if foreign:
        row["quantity"] *= amount
    else:
        row["cash"] = amount
    return [row]


def asian(trade):
    o = trade.option()
    d = trade.data
    floating = o.word("PayoffType")
    if floating not in ("Asian", "AverageStrike"):
        raise NotConverted(o.need("PayoffType").line, f"<PayoffType> must be Asian or AverageStrike, got '{floating}'")
    averaging = o.word("PayoffType2", "Arithmetic").lower()
    if averaging not in ("arithmetic", "geometric"):
        raise NotConverted(o.need("PayoffType2").line, f"<PayoffType2> must be Arithmetic or Geometric, got '{averaging}'")
    if trade.is_fx:
        u = d.need("Underlying")
        parts = u.word("Name").split("-")
        if u.word("Type") != "FX" or len(parts) != 3 or parts[2] != d.word("Currency"):
            raise NotConverted(u.line, "<Underlying> must be an FX of the form SOURCE-CCY1-CCY2, paid in CCY2")
        trade.asset(lambda: trade.market.pair(parts[1], parts[2]))
        strike = d.child("Strike")
        if strike is not None:
            trade.row["strike"] = d.number("Strike")
    else:
        trade.equity(d.word("Currency"))
        if d.child("Strike") is not None or d.child("StrikeData") is not None:
            trade.strike(d.word("Currency"))
    if d.child("Settlement") is not None:
        trade.settle(d, "Settlement")
    dates = schedule(d.need("ObservationDates"))
    if dates[-1] > trade.expiry:
        raise NotConverted(d.need("ObservationDates").line, f"an observation on {dates[-1]}, after the exercise on {trade.expiry}")
    past = sum(day < trade.market.today for day in dates)
    if past:
        trade.note(d.need("ObservationDates").line, f"{past} of its dates have passed: price the book with --fixings=CLOSES.csv")
    row = {**trade.row, "type": "asian", "option": trade.kind, "averaging": averaging, "quantity": trade.sign * d.number("Quantity"),
           "strike_type": "fixed" if floating == "Asian" else "floating", "fixing_times": ";".join(map(str, dates)) + (";" if len(dates) == 1 else "")}
    if floating != "Asian":
        row.pop("strike", None)
    return [row]


PRODUCTS = {"Option": vanilla, "Forward": forward, "BarrierOption": barrier, "EuropeanBarrierOption": barrier, "DoubleBarrierOption": double_barrier,
            "TouchOption": touch, "DoubleTouchOption": touch, "DigitalOption": digital, "AsianOption": asian}


def convert(element, market, lines, path):
    """Returns the rows of a trade; raises NotConverted."""
    kind = element.word("TradeType")
    match = re.fullmatch(r"(Equity|Fx)(\w+)", kind)
    if not match or match[2] not in PRODUCTS:
        raise NotConverted(element.need("TradeType").line, f"trade type {kind}")
    if not element.attributes.get("id"):
        raise NotConverted(element.line, "the trade has no id")
    data = element.need(kind + "Data")
    trade = Trade(element, data, market, lines, path)
    trade.is_fx = match[1] == "Fx"
    rows = PRODUCTS[match[2]](trade)
    left = data.unseen()
    if left is not None:
        raise NotConverted(left.line, f"<{left.tag}> is not understood")
    envelope = element.child("Envelope")
    for tag, name in (("CounterParty", "counterparty"), ("NettingSetId", "netting_set")):
        text = envelope.word(tag, "") if envelope is not None else ""
        for row in rows if text else []:
            row[f"tag.{name}"] = text
    return rows
