#!/usr/bin/env bash
# scripts/from-ore: what it makes of a portfolio and a market is priced, and the prices are those of
# closed forms that read the XML's numbers and the quotes by themselves; what it cannot express is
# one line each, with file and line.

command -v python3 >/dev/null || { echo "no python3"; exit 77; }
source validation/tests/folder.sh
cp inputs/ore/portfolio.xml inputs/ore/market.csv "$there"
script=$PWD/scripts/from-ore
cd "$there"
# converts STATUS LINES ARGUMENTS...: runs the script, and holds its status and how many lines say
# what was not converted.
converts() {
    ends "$1" "$script" "${@:3}"
    [[ $(grep -c 'not converted' err) == "$2" ]] || fail "${*:3}: not $2 lines: $(cat err)"
}
says() {
    grep -qE -- "$1" err || fail "no line like '$1' in: $(cat err)"
}
price() { ends 0 "$PRICER" --engine=cpu --quiet --paths=65536 --output=prices.csv "$1"; }

# ---- the example: fourteen rows of thirteen trades, and nine lines

converts 1 9 portfolio.xml market.csv book.cfg
grep -q '^book.cfg: 13 of 14 trades, 2 assets, 2 currencies; 9 lines' out || fail "what it says at the end: $(cat out)"
says "^portfolio.xml:[0-9]+: not converted: trade 'SWAP': trade type Swap$"
says "^portfolio.xml:[0-9]+: not converted: trade 'FX-CALL': the premium"
says "^market.csv:20: not converted: FX_OPTION/RATE_LNVOL/EUR/USD/3M/25RR: --fx-smile"
says "^market.csv:28: not converted: FX_FWD/RATE/EUR/USD/6M: "
says "^market.csv:6: note: ZERO/RATE/EUR/EUR-ESTR/A365F/3M: zero rates are taken as continuously compounded"
grep -q '2026-12-18;2027-01-18;2027-02-18;2027-03-18;2027-04-19;2027-05-18' book.csv || fail "the dates of the average: $(grep ASIAN book.csv)"
grep -q 'times = \["2027-02-22", "2027-05-20", "2027-11-22", "2028-11-20"\]; disc' book.cfg || fail "dates of tenors: $(cat book.cfg)"
price book.cfg

# The same trades by closed forms: curves log-linear in discount factors, total variance linear in
# time. Barriers are held where all is flat, below.
cat >closed.py <<'PYTHON'
import csv, datetime, math, sys
N = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))
today = datetime.date(2026, 11, 20)
years = lambda text: (datetime.date.fromisoformat(text) - today).days / 365
# Pillars: the tenors of the market's file, moved off weekends by hand.
at = {"3M": years("2027-02-22"), "6M": years("2027-05-20"), "1Y": years("2027-11-22"), "2Y": years("2028-11-20")}
quotes = {}
for line in open(sys.argv[1]):
    if not line.startswith("#"):
        _, name, value = line.strip().split(",")
        quotes[name] = float(value)
def grown(t, points):  # piecewise linear from 0 at 0; the slope of the first and the last piece goes on
    points = [(0.0, 0.0)] + sorted(points)
    for (a, x), (b, y) in zip(points, points[1:]):
        if t <= b or (b, y) == points[-1]:
            return x + (y - x) * (t - a) / (b - a)
def accrued(prefix, amount):
    found = [(at[n[len(prefix):].split("/")[0]], n) for n in quotes if n.startswith(prefix) and not n.endswith(("RR", "BF"))]
    return lambda t: grown(t, [(T, amount(T, quotes[n])) for T, n in found])
usd = accrued("DISCOUNT/RATE/USD/USD-SOFR/", lambda T, v: -math.log(v))
eur = accrued("ZERO/RATE/EUR/EUR-ESTR/A365F/", lambda T, v: v * T)
dividends = accrued("EQUITY_DIVIDEND/RATE/RIC:.SPX/USD/", lambda T, v: v * T)
spx_variance = accrued("EQUITY_OPTION/RATE_LNVOL/RIC:.SPX/USD/", lambda T, v: v * v * T)
fx_variance = accrued("FX_OPTION/RATE_LNVOL/EUR/USD/", lambda T, v: v * v * T)
def black(S, K, expiry, q, variance, what):
    t = years(expiry)
    D, Q, s = math.exp(-usd(t)), math.exp(-q(t)), math.sqrt(variance(t))
    d1 = math.log(S * Q / D / K) / s + s / 2
    d2 = d1 - s
    return {"call": S * Q * N(d1) - K * D * N(d2), "put": K * D * N(-d2) - S * Q * N(-d1), "forward": S * Q - K * D,
            "cash call": D * N(d2), "asset put": S * Q * N(-d1)}[what]
spx = lambda K, expiry, what: black(6710, K, expiry, dividends, spx_variance, what)
fx = lambda K, what: black(1.162, K, "2027-05-20", eur, fx_variance, what)
expected = {
    "EQ-CALL": 100 * spx(6800, "2027-11-19", "call"), "EQ-DIGITAL": 100000 * spx(7000, "2027-05-20", "cash call"),
    "EQ-FWD-call": 20 * spx(6750, "2027-05-20", "call"), "EQ-FWD-put": -20 * spx(6750, "2027-05-20", "put"),
    "FX-CALL": 1e6 * fx(1.18, "call"), "FX-PUT": -1e6 * fx(1.13, "put"), "FX-DIGITAL": 50000 * fx(1.15, "asset put")}
if len(sys.argv) > 2:  # all is flat: Reiner and Rubinstein (1991), and a touch paid at expiry
    def values(S, K, H, expiry, q, variance, direction):
        t = years(expiry)
        r, y, s = usd(t) / t, q(t) / t, math.sqrt(variance(t))
        mu = (r - y) / (s * s / t) - 0.5
        D, Q = math.exp(-r * t), math.exp(-y * t)
        A = lambda f, k: f * (S * Q * N(f * (math.log(S / k) / s + (1 + mu) * s)) - K * D * N(f * (math.log(S / k) / s + mu * s)))
        C = lambda f, e, k: f * (S * Q * (H / S) ** (2 * mu + 2) * N(e * (math.log(k / S) / s + (1 + mu) * s))
                                 - K * D * (H / S) ** (2 * mu) * N(e * (math.log(k / S) / s + mu * s)))
        d = math.log(S / H) / s
        touched = N(-direction * (d + mu * s)) + (H / S) ** (2 * mu) * N(-direction * (d - mu * s)) if direction > 0 else \
            N(d + mu * s) + (H / S) ** (2 * mu) * N(d - mu * s)
        return A, C, D * touched
    A, C, _ = values(6710, 6700, 5400, "2027-11-19", dividends, spx_variance, 1)
    # A down-and-in put with the barrier below the strike: B - C + D of Haug (2007), table 4-17.
    expected["EQ-KI"] = -100 * (A(-1, 5400) - C(-1, 1, 5400 * 5400 / 6700) + C(-1, 1, 5400))
    A, C, _ = values(1.162, 1.15, 1.24, "2027-05-20", eur, fx_variance, -1)
    # An up-and-out call with the barrier above the strike: A - B + C - D.
    expected["FX-KO"] = 1e6 * (A(1, 1.15) - A(1, 1.24) + C(1, -1, 1.24 * 1.24 / 1.15) - C(1, -1, 1.24))
    expected["FX-TOUCH"] = 100000 * values(1.162, 1, 1.21, "2027-05-20", eur, fx_variance, -1)[2]
rows = {row["trade_id"]: row for row in csv.DictReader(open("prices.csv"))}
bad = 0
for trade, value in expected.items():
    price, error = float(rows[trade]["price"]), float(rows[trade]["std_error"])
    if abs(price - value) > 4 * error or error > 0.02 * abs(value):
        print(f"FAILED: {trade}: {price:.8g} +- {error:.2g}, closed form {value:.8g}")
        bad = 1
print(f"{len(expected)} of {len(rows)} prices beside closed forms")
sys.exit(bad)
PYTHON
python3 closed.py market.csv || fail "prices of the example"

# One pillar a curve: all is flat, and the barriers have closed forms. Nothing of the smile is left.
awk -F, '/^#/ || $2 ~ "/1Y$" || $2 ~ "/1Y/ATMF?$" || $2 ~ "^(EQUITY/PRICE|FX/RATE)/"' market.csv >flat.csv
converts 1 2 portfolio.xml flat.csv barriers.cfg
price barriers.cfg
python3 closed.py flat.csv flat || fail "prices of the flat market"

# ---- conventions of the smile, curves, rates, dates

converts 1 3 --fx-smile=spot,unadjusted,smile portfolio.xml market.csv smile.cfg
grep -q 'rr25 = \[-0.0055, -0.006, -0.0065\]' smile.cfg || fail "the smile: $(cat smile.cfg)"
sed 's#USD-SOFR/1Y#USD-OIS/1Y#' market.csv >curves.csv
converts 2 15 portfolio.xml curves.csv none.cfg
says "currency USD has several curves, USD-OIS, USD-SOFR: --curve=USD=ID says which discounts"
[[ ! -e none.cfg ]] || fail "a book was written where no trade was converted"
converts 1 9 --curve=USD=USD-SOFR portfolio.xml curves.csv chosen.cfg
converts 1 9 --rate=USD=0.036 portfolio.xml curves.csv rates.cfg
grep -q 'name = "USD"; rate = 0.036;' rates.cfg || fail "a flat rate: $(cat rates.cfg)"
{ cat market.csv; sed -n 's/^2026-11-20,EQ/2026-11-19,EQ/p' market.csv; } >days.csv
converts 2 0 portfolio.xml days.csv none.cfg
says 'days.csv has quotes of 2 dates: --date=DATE says which'
converts 1 9 --date=2026-11-20 portfolio.xml days.csv today.cfg
sed 's/,/ /g; s/2026-11-20/20261120/' market.csv >market.txt # as ORE's own files are written
converts 1 9 portfolio.xml market.txt text.cfg
cmp -s <(sed 1d book.cfg) <(sed '1d; s/text.csv/book.csv/' text.cfg) || fail "a market by blanks is not one by commas"

# ---- the other trade types, the other quotes: each becomes the row it should

# of TYPE ID DATA: a trade.
of() {
    echo "<Trade id=\"$2\"><TradeType>$1</TradeType><${1}Data>$3</${1}Data></Trade>"
}
exercise='<ExerciseDates><ExerciseDate>2027-05-20</ExerciseDate></ExerciseDates>'
long="<OptionData><LongShort>L</LongShort>$exercise</OptionData>"
call="<OptionData><LongShort>Long</LongShort><OptionType>Call</OptionType>$exercise"
paid='<PaymentData><Dates><Date>2027-05-24</Date></Dates></PaymentData>'
levels() { echo "<BarrierData><Type>$1</Type><Levels>$(printf '<Level>%s</Level>' "${@:2}")</Levels></BarrierData>"; }
acme='<Name>ACME</Name><Currency>EUR</Currency><Strike>50</Strike><Quantity>10</Quantity>'
cash='<PayoffCurrency>EUR</PayoffCurrency><PayoffAmount>1000</PayoffAmount><Name>ACME</Name>'
yen='<BoughtCurrency>EUR</BoughtCurrency><BoughtAmount>1000</BoughtAmount><SoldCurrency>JPY</SoldCurrency><SoldAmount>180000</SoldAmount>'
rules() { echo "<ObservationDates><Rules><StartDate>$1</StartDate><EndDate>$2</EndDate><Tenor>$3</Tenor>$4</Rules></ObservationDates>"; }
{
    echo '<Portfolio>'
    of EquityOption lagged "$call$paid</OptionData>$acme"
    of EquityDoubleBarrierOption corridor "$call</OptionData>$(levels KnockOut 40 70)$acme"
    of EquityTouchOption touch "$long$(levels DownAndIn 42)$cash"
    of EquityDoubleTouchOption untouched "$long$(levels KnockOut 40 62)$cash"
    of EquityAsianOption floating "<Currency>EUR</Currency><Quantity>2</Quantity><Underlying><Type>Equity</Type><Name>ACME</Name></Underlying>
        $call<PayoffType>AverageStrike</PayoffType><PayoffType2>Geometric</PayoffType2></OptionData>
        $(rules 2027-04-01 2027-05-20 2W '<Calendar>TARGET</Calendar><Convention>MF</Convention><Rule>Backward</Rule><RemoveFirstDate>true</RemoveFirstDate>')"
    of FxAsianOption monthly "<Currency>JPY</Currency><Quantity>1000</Quantity><Strike>178</Strike><Underlying><Type>FX</Type><Name>ECB-EUR-JPY</Name></Underlying>
        $call<PayoffType>Asian</PayoffType></OptionData>
        <ObservationDates><Dates><Dates><Date>2027-03-19</Date><Date>20270420</Date></Dates></Dates></ObservationDates>"
    of FxForward forward "<ValueDate>2027-05-20</ValueDate>$yen"
    of FxBarrierOption rebate "$call</OptionData>${yen}$(levels UpAndIn 195 | sed 's#</BarrierData>#<Rebate>5000</Rebate><OverrideTriggered>false</OverrideTriggered></BarrierData>#')<StartDate>2026-01-02</StartDate>"
    of FxEuropeanBarrierOption last "$call</OptionData>${yen}$(levels DownAndOut 185 | sed 's#</BarrierData>#<Rebate>3000</Rebate></BarrierData>#')"
    of EquityEuropeanBarrierOption end "$call</OptionData>$(levels UpAndIn 55)$acme"
    echo '</Portfolio>'
} >others.xml
cat >others.txt <<'QUOTES'
2026-11-20 ZERO/RATE/EUR/E/A360/1Y 0.02
2026-11-20 DISCOUNT/RATE/JPY/J/1Y 0.992
2026-11-20 EQUITY/PRICE/ACME/EUR 50
2026-11-20 EQUITY_FWD/PRICE/ACME/EUR/1Y 50.6
2026-11-20 EQUITY_OPTION/RATE_LNVOL/ACME/EUR/6M/40 0.26
2026-11-20 EQUITY_OPTION/RATE_LNVOL/ACME/EUR/6M/50 0.24
2026-11-20 EQUITY_OPTION/RATE_LNVOL/ACME/EUR/6M/60/C 0.23
2026-11-20 EQUITY_OPTION/RATE_LNVOL/ACME/EUR/1Y/40 0.25
2026-11-20 EQUITY_OPTION/RATE_LNVOL/ACME/EUR/1Y/50 0.235
2026-11-20 EQUITY_OPTION/RATE_LNVOL/ACME/EUR/1Y/60 0.225
2026-11-20 FX/RATE/JPY/EUR 0.0055
2026-11-20 FX_OPTION/RATE_LNVOL/JPY/EUR/1Y/ATM 0.1
QUOTES
converts 0 0 others.xml others.txt all.cfg
says '^others.txt:11: note: FX/RATE/JPY/EUR: EURJPY is made of it, as 1 over the quote$'
# row ID COLUMN=VALUE...: fields of a row of the trades that were written.
row() {
    local id=$1 pair
    shift
    for pair; do
        awk -F, -v id="$id" -v name="${pair%%=*}" -v value="${pair#*=}" '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
            $1 == id { right = (at ? $at : "") == value }
            END { exit !right }' all.csv || fail "$id: not $pair: $(sed -n 1p all.csv) $(grep "^$id," all.csv)"
    done
}
row lagged type=european option=call strike=50 expiry=2027-05-20 quantity=10 settlement_days=2
row corridor type=double_barrier lower=40 upper=70 knock=out monitoring=continuous
row touch type=touch touch=one direction=down barrier=42 pay_at=expiry cash=1000 quantity=1
row untouched type=touch touch=no lower=40 upper=62
# Backward from 20 May by two weeks; the first date goes; 6 May is no holiday of TARGET.
row floating type=asian averaging=geometric strike_type=floating strike= 'fixing_times=2027-04-08;2027-04-22;2027-05-06;2027-05-20' quantity=2
row monthly asset=EURJPY strike=178 'fixing_times=2027-03-19;2027-04-20' quantity=1000
row forward-put option=put quantity=-1000 strike=180
row last type=barrier monitoring='2027-05-20;' barrier=185 direction=down knock=out rebate=3 rebate_at=expiry
row end monitoring='2027-05-20;' direction=up knock=in rebate=
row rebate knock=in rebate=5 rebate_at=expiry hit=false
grep -q 'strikes = \[40.0, 50.0, 60.0\]' all.cfg || fail "the surface: $(cat all.cfg)"
grep -q 'forwards = { times = \["2027-11-22"\]; prices = \[50.6\]' all.cfg || fail "the forwards: $(cat all.cfg)"
grep -q 'name = "EURJPY"; currency = "JPY"; foreign_currency = "EUR"; spot = 181.8181' all.cfg || fail "the turned rate: $(cat all.cfg)"
grep -q 'day_count = "ACT/360"' all.cfg || fail "the day count: $(cat all.cfg)"
price all.cfg

# ---- what is wrong is one line, with file and line

# changed SED STATUS LINES PATTERN: the example with a change.
changed() {
    sed "$1" portfolio.xml >changed.xml
    converts "$2" "$3" changed.xml market.csv changed.cfg
    says "$4"
}
changed 's#<TradeType>EquityForward<#<TradeType>EquitySwap<#' 1 10 "^changed.xml:29: not converted: trade 'EQ-FWD': trade type EquitySwap$"
changed '0,/<Strike>6800</s//<Strike>-1</' 1 10 "^changed.xml:13: not converted: trade 'EQ-CALL': <Strike> must be a number above 0, got '-1'$"
changed 's#<Quantity>20</Quantity>#<Quantity>20</Quantity><Fee>1</Fee>#' 1 10 "trade 'EQ-FWD': <Fee> is not understood$"
changed 's#<PayOffAtExpiry>false#<PayOffAtExpiry>true#' 1 10 "trade 'EQ-PUT-AM': an American option that pays at expiry"
changed 's#<Type>DownAndIn</Type>#<Type>DownAndIn</Type><Style>European</Style>#' 1 10 "trade 'EQ-KI': the barrier of this trade type is American, got 'European'"
changed 's#<PayoffCurrency>USD</PayoffCurrency><PayoffAmount>100000#<PayoffCurrency>EUR</PayoffCurrency><PayoffAmount>100000#' 1 11 \
    "trade 'FX-DNT': a touch that pays the foreign currency"
changed 's#<Calendar>WeekendsOnly#<Calendar>US#' 1 10 "trade 'EQ-ASIAN': calendar US: known here are"
changed 's#1.24</Level></Levels></BarrierData>#1.24</Level></Levels></BarrierData><StartDate>2026-10-01</StartDate>#' 1 12 "touched since 2026-10-01 is in ORE's fixings"
changed 's#<Tenor>1M#<Tenor>99999Y#' 1 9 "trade 'SWAP'"
sed 's#</SoldAmount>#<SoldAmount>#' portfolio.xml >broken.xml
converts 2 0 broken.xml market.csv none.cfg
says '^broken.xml:93: no well-formed XML: mismatched tag$'
[[ $(wc -l <err) == 1 ]] || fail "a broken file says more than one line: $(cat err)"

grep -v 'EQUITY/PRICE' market.csv >missing.csv
converts 1 15 portfolio.xml missing.csv fewer.cfg
says "^portfolio.xml:4: not converted: trade 'EQ-CALL': no quote EQUITY/PRICE/RIC:.SPX/USD$"
price fewer.cfg
sed 's/^2026-11-20,FX\/RATE.*/2026-11-20,FX\/RATE\/EUR\/USD,abc/' market.csv >word.csv
converts 1 10 portfolio.xml word.csv fewer.cfg
says '^word.csv:18: not converted: a line is a date, a name and a number'
converts 2 0 portfolio.xml market.csv
says '^from-ore: usage:'
converts 2 0 portfolio.xml market.csv market.cfg
says '^from-ore: the trades would go to market.csv, in the place of market.csv'
converts 2 0 --bogus portfolio.xml market.csv none.cfg
says '^from-ore: unknown option --bogus'
converts 2 0 nothing.xml market.csv none.cfg
says '^from-ore: cannot read nothing.xml: No such file'

end_test "docs_from_ore_test: prices by closed forms, every line has its place"
