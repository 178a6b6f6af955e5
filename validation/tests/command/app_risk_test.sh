#!/usr/bin/env bash
# Greeks, scenarios and value at risk as a night's batch meets them: files, exit statuses, and
# complaints about the past.
. validation/tests/test.sh

book() {
    cat <<END
settings = { paths = 8192; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.03; }, { name = "USD"; rate = 0.04; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; },
  { name = "U"; currency = "USD"; spot = 50.0; volatility = 0.3; } ); };
book = { trades = (
  { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; },
  { id = "u"; type = "european"; asset = "U"; option = "put"; strike = 50.0; expiry = 1.0; } ); };
risk = { currency = "EUR"; greeks = [ "delta", "theta" ];
  scenarios = ( { name = "down, all"; shocks = ( { asset = "*"; spot = -0.1; } ); } );
  historical = { file = "past.csv"; horizon_days = 1; confidence = [0.9]; }; };
END
}

past() {
    awk 'BEGIN {
        print "date,A,A:volatility,EUR:rate"
        for (day = 1; day <= 28; day++)
            printf "2026-10-%02d,%d,0.2%d,%.2f\n", day, 100 + day * 7 % 11, day % 3, (day % 4 - 1.5) / 100
    }'
}

first_days() {
    past | sed -n 1,3p
}

# past_refused LINE: the past is refused with this complaint alone.
past_refused() { refused 2 "$there/past.csv:$1" --quiet "$there/book.cfg"; }

book >"$there/book.cfg"
past >"$there/past.csv"
"$pricer" --quiet --engine=cpu --output="$there/one.csv" --output="$there/one.json" "$there/book.cfg" 2>"$there/err" ||
    fail "a book with a past: exit status $?"
left_out="book.cfg:2: currency 'USD': note: no FX rate leads from it to EUR: totals leave out 1 trade"
grep '^u,' "$there/one.csv" | grep -qF "$left_out" || fail "the note of a trade without FX rate: $(grep '^u,' "$there/one.csv")"
grep '^a,' "$there/one.csv" | grep -qF "$left_out" && fail "a note of a trade that is in the totals"
head -1 "$there/one.csv" | grep -qF ',delta:A,delta_se:A,delta:U,delta_se:U,theta,theta_se,"pnl:down, all","pnl_se:down, all"' ||
    fail "columns: $(head -1 "$there/one.csv")"
grep '^a,' "$there/one.csv" | grep -qE ',0\.[0-9]+,0\.00[0-9]+,,,-[0-9.]+,' || fail "row: $(grep '^a,' "$there/one.csv")"
python3 - "$there/one.json" <<'END' || fail "the JSON file"
import json, sys
risk = json.load(open(sys.argv[1]))["risk"]
total = [t for t in risk["tails"] if t.get("total") == "total"][0]
days = sorted(-d["totals"][0]["value"] for d in risk["days"])
assert len(days) == 27 and risk["days"][0]["name"] == "2026-10-02"
assert total["var"] == days[24] and total["shortfall"] > total["var"] > 0 and total["var_error"] > 0
assert all(d["totals"][0] == dict(d["totals"][1], by="total", of="total") for d in risk["days"])
assert {g["name"] for g in risk["greeks"]} == {"delta:A", "delta:U", "theta"}
assert len(risk["tails"]) == 2 + 1 + 2
END
"$pricer" --engine=cpu --check=none "$there/book.cfg" 2>/dev/null | grep -qF "$left_out" || fail "no note below the table"
"$pricer" --engine=cpu --strict "$there/book.cfg" 2>"$there/err" && fail "a strict book whose totals leave out a trade"
grep -qF "${left_out/note: /}" "$there/err" || fail "a strict book: $(<"$there/err")"
# Threads change no bit, and neither does a database that remembers the work.
"$pricer" --quiet --engine=cpu --threads=3 --output="$there/three.csv" --output="$there/three.db" "$there/book.cfg" 2>/dev/null
cmp "$there/one.csv" "$there/three.csv" || fail "threads changed a bit"

# A trade that only a bump or a scenario puts out of reach: a line each, and what else there is is
# valued. With this volatility the barriers are apart enough by a hair. A trade that is out of reach
# today has one line for all scenarios and days.
printf 'date,A\n2026-10-01,100\n2026-10-02,101\n2026-10-05,100\n2026-10-06,102\n' >"$there/few.csv"
cat >"$there/edge.cfg" <<'END'
settings = { paths = 32768; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.02; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };
book = { trades = (
  { id = "t"; type = "touch"; asset = "A"; touch = "one"; lower = 99.95436; upper = 100.04566; cash = 1.0; pay_at = "hit";
    monitoring = "continuous"; expiry = 1.0; },
  { id = "e"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; },
  { id = "never"; type = "touch"; asset = "A"; touch = "one"; lower = 99.99; upper = 100.01; cash = 1.0; pay_at = "hit";
    monitoring = "continuous"; expiry = 1.0; } ); };
risk = { historical = { file = "few.csv"; confidence = [0.9]; }; greeks = [ "delta", "gamma" , "vega" ];
  scenarios = ( { name = "calm"; shocks = ( { asset = "A"; spot = 0.01; } ); },
                { name = "storm"; shocks = ( { asset = "A"; volatility = 0.05; } ); } ); };
END
run 1 --quiet --engine=cpu --output="$there/edge.csv" "$there/edge.cfg"
why='the barriers are too close together for the volatility (ratio upper / lower'
cat >"$there/wanted" <<END
$there/edge.cfg:5: note: trade 't' has no vega:A: under bumps $why 1.00091)
$there/edge.cfg:8: note: trade 'never' has no delta:A, gamma:A, vega:A: under bumps $why 1.0002)
$there/edge.cfg:5: trade 't' cannot be valued in 'storm': $why 1.00091)
$there/edge.cfg:8: trade 'never' cannot be valued today, nor in any scenario or on any past day: $why 1.0002)
$there/edge.cfg:8: trade 'never' failed: $why 1.0002)
END
cmp "$there/err" "$there/wanted" || fail "a trade out of reach: $(<"$there/err")"
grep '^t,' "$there/edge.csv" | awk -F, '{ exit !($(NF - 3) != "" && $NF == "") }' || fail "the calm suffered: $(<"$there/edge.csv")"
grep '^e,' "$there/edge.csv" | awk -F, '{ exit !($NF > 0 && $(NF - 1) != 0) }' || fail "another trade suffered: $(<"$there/edge.csv")"

printf 'date,A,X\n2026-10-01,1,1\n' >"$there/past.csv"
past_refused "1: column 'X' is no asset of the market, ASSET:volatility or CURRENCY:rate; did you mean 'A'?"
printf 'day,A\n' >"$there/past.csv"
past_refused "1: the first line must be date,ASSET,... of at most 12288 columns, got 'day'"
{ first_days; echo '2026-10-03,0,0.2,0.01'; } >"$there/past.csv"
past_refused "4: column 2 must be a number > 0, got '0'"
{ first_days; echo '2026-10-02,1,0.2,0.01'; } >"$there/past.csv"
past_refused "4: dates must increase, got 2026-10-02 after 2026-10-02"
{ first_days; echo '3.10.2026,1,0.2,0.01'; } >"$there/past.csv"
past_refused "4: date must be as 2027-06-18, got '3.10.2026'"
{ first_days; echo '2026-10-03,1,0.2'; } >"$there/past.csv"
past_refused "4: the row has 3 fields, the first line 4: each row must have as many"

# A shock that leaves no market: said when the book is read.
past >"$there/past.csv"
book | sed 's/spot = -0.1;/volatility = -0.25;/' >"$there/book.cfg"
run 2 --quiet "$there/book.cfg"
says "scenario 'down, all': the volatility of 'A' to 1 years would be -0.05"

# A day of the past that leaves none: that day alone is left out, and one line says so. A past of
# such days alone is refused.
past | sed '/2026-10-10/s/,0\.2.,/,0.45,/' >"$there/past.csv"
book >"$there/book.cfg"
run 1 --quiet --output="$there/day.json" "$there/book.cfg"
says "day '2026-10-11' of the past is left out: the volatility of 'A' to 1 years would be -0.03"
[[ $(grep -c 'left out' "$there/err") == 1 ]] || fail "days left out: $(<"$there/err")"
python3 - "$there/day.json" <<'END' || fail "a day left out: the JSON file"
import json, sys
file = json.load(open(sys.argv[1]))
days = [d["name"] for d in file["risk"]["days"]]
assert len(days) == 26 and "2026-10-10" in days and "2026-10-11" not in days
assert file["risk"]["tails"] and all(t["price"] > 0 for t in file["trades"])
END
printf 'date,A:volatility\n2026-10-01,0.9\n2026-10-02,0.5\n2026-10-05,0.1\n' >"$there/past.csv"
run 2 --quiet "$there/book.cfg"
says "no day of the past can be valued: on '2026-10-05' the volatility of 'A' to 1 years would be -0.2"

# Total variance that does not grow: no volatility can fall at one date, so there is no vega, one
# line says so, and all else is there.
for product in digital european; do
    book | sed 's/spot = 100.0; volatility = 0.2;/spot = 100.0; volatility = { times = [0.25, 1.0]; vols = [0.4, 0.2]; };/
        s/"delta", "theta"/"delta", "vega", "vega_bucket"/; /historical/d; s/^  scenarios.*/};/
        s/^  { id = "a"; .*/&'"$(printf '\\n%s' '  { id = "b"; type = "european"; asset = "A"; option = "put"; strike = 90.0; expiry = 1.0; },')"'/
        s/type = "european"; asset = "A"/type = "'$product'"; payout = "cash"; asset = "A"/' >"$there/book.cfg"
    [[ $product == digital ]] || sed -i 's/payout = "cash"; //' "$there/book.cfg"
    "$pricer" --quiet --engine=cpu --output="$there/flat.csv" "$there/book.cfg" 2>"$there/err" || fail "no vega: $(<"$there/err")"
    grep '^a,' "$there/flat.csv" | grep -qE ',0\.[0-9]+,0\.00[0-9]+,,,' || fail "delta without vega: $(grep '^a,' "$there/flat.csv")"
    [[ $(<"$there/err") == "asset 'A': note: there is no vega:A"*"vega:A@1: the total variance of 'A' would fall from 0.25 to 1 years" ]] ||
        fail "$product: what is said of a vega that is left out: $(<"$there/err")"
done

# Totals convert by exchange rates that go with those that a scenario moves: a cross, or a second
# rate of a pair, that stands in the market and in no trade changes none of them.
rates() {
    cat <<END
market = { correlation_default = 0.5; currencies = ( { name = "EUR"; rate = 0.02; }, { name = "USD"; rate = 0.036; }, { name = "GBP"; rate = 0.039; } );
assets = ( $1 { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.162; volatility = 0.07; },
  { name = "GBPUSD"; currency = "USD"; foreign_currency = "GBP"; spot = 1.309; volatility = 0.08; }$2 ); };
book = { trades = ( { id = "gbp"; type = "cash"; currency = "GBP"; amount = 1e6; }, { id = "usd"; type = "cash"; currency = "USD"; amount = 1e6; } ); };
risk = { currency = "EUR"; scenarios = ( { name = "up"; shocks = ( { asset = "EURUSD"; spot = 0.05; } ); } );
  historical = { file = "past.csv"; confidence = [0.9]; }; };
END
}
awk 'BEGIN {
    print "date,EURUSD,GBPUSD"
    for (day = 1; day <= 28; day++) printf "2026-10-%02d,%d,%d\n", day, 100 + day * 7 % 11, 120 + day * 5 % 13
}' >"$there/past.csv"
# totals BEFORE AFTER: of the book with these rates before and after its own.
totals() {
    rates "$1" "$2" >"$there/rates.cfg"
    "$pricer" --engine=cpu "$there/rates.cfg" 2>/dev/null |
        sed -n '/^  up \|^Value at risk/ s/ +- [^ ;]*//gp' # errors are those of rounding
}
wanted=$(totals '' '')
[[ $wanted == *' -94623.4 '*'90%: 88218.5 '* ]] || fail "totals of two currencies: $wanted"
got=$(totals '' ', { name = "EURGBP"; currency = "GBP"; foreign_currency = "EUR"; cross = { of = ["EURUSD", "GBPUSD"]; correlation = 0.5; }; }')
[[ $got == "$wanted" ]] || fail "totals beside a cross: $got"
got=$(totals '{ name = "QUANTO"; currency = "USD"; foreign_currency = "EUR"; spot = 1.162; volatility = 0.07; },' '')
[[ $got == "$wanted" ]] || fail "totals beside a second rate of a pair: $got"

# A position of dollars that falls by 10 % as the dollar rises by as much has lost nothing.
cat >"$there/rates.cfg" <<'END'
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.02; }, { name = "USD"; rate = 0.036; } );
assets = ( { name = "SPX"; currency = "USD"; spot = 6710.0; volatility = 0.17; },
  { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.162; volatility = 0.07; } ); };
book = { trades = ( { id = "p"; type = "position"; asset = "SPX"; quantity = 100; } ); };
risk = { currency = "EUR"; scenarios = ( { name = "crash"; shocks = ( { asset = "*"; spot = -0.1; } ); } ); };
END
run 0 "$there/rates.cfg"
grep -qE '^  crash +0  \+- 0 EUR' "$there/out" || fail "rounding is shown as a loss: $(<"$there/out")"

# A touch that is looked at once: conditional expectations have no error there, and the bump's own
# bias is no disagreement.
cat >"$there/book.cfg" <<'EOF'
settings = { paths = 65536; greeks = ["delta", "gamma", "vega", "rho", "theta"]; };
market = { currencies = ( { name = "EUR"; rate = 0.03; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };
book = { trades = ( { id = "once"; type = "touch"; asset = "A"; touch = "no"; barrier = 90.0; direction = "down"; cash = 10.0;
                      monitoring = [1.0]; expiry = 1.0; } ); };
EOF
"$pricer" --quiet --engine=cpu "$there/book.cfg" >/dev/null 2>"$there/err" || fail "a touch looked at once: $(<"$there/err")"

# Greeks of every quote: those at strikes add to that of their date, in files and in the database,
# and the report has them by expiry and strike.
book | sed 's/volatility = 0.2; },/model = "local_vol"; volatility = { times = [0.5, 1.0, 2.0]; strikes = [80, 100, 120];\n    vols = ([0.22, 0.2, 0.19], [0.22, 0.2, 0.19], [0.22, 0.2, 0.19]); }; },/
    s/\[ "delta", "theta" \]/"quotes"/; /historical/d; s/^  scenarios.*/};/' >"$there/book.cfg"
"$pricer" --quiet --engine=cpu --output="$there/quotes/" --output="$there/quotes.db" --report="$there/quotes.html" \
    "$there/book.cfg" 2>"$there/err" || fail "quotes: $(<"$there/err")"
awk -F, '$1 == "a" && $2 == "vega_strike" { sum[$5] += $6; n++; strikes[$15] }
    $1 == "a" && $2 == "vega_bucket" { all[$5] = $6; error[$5] = $7 }
    END { for (date in all) { off = sum[date] - all[date]; if (off * off > error[date] ^ 2) exit 1 }
          exit !(n == 9 && length(strikes) == 3) }' "$there/quotes/greeks.csv" ||
    fail "vegas at strikes: $(grep '^a,vega' "$there/quotes/greeks.csv")"
! command -v sqlite3 >/dev/null ||
    [[ $(sqlite3 "$there/quotes.db" "SELECT group_concat(name) FROM sensitivities WHERE strike = 80") == \
        vega:A@0.5/80,vega:A@1/80,vega:A@2/80 ]] || fail "strikes of the database"
rows=$(tr '\n' ' ' <"$there/quotes.html" | sed 's/.*id="vega-matrix-1"//; s/<\/table.*//' | grep -o '<td' | wc -l)
[[ $rows == 16 ]] || fail "the report's vegas by expiry and strike have $rows numbers, not 4 by 4"

# A call on a quote is hedged by itself, and then nothing of its asset is left.
tr '\n' ' ' <"$there/quotes.html" | sed 's/.*id="hedge"//; s/<\/table.*//; s/<tr>/\n/g; s/<[^>]*>/|/g' >"$there/hedge"
awk -F'[|]+' '$2 ~ /^(vega|delta):A/ { seen++; off = $4 + ($2 == "vega:A@1/100")
        if (off * off > 9 * $5 * $5 || $5 > 0.2) { print; bad = 1 } }
    END { exit bad || seen < 6 }' "$there/hedge" || fail "hedges: $(<"$there/hedge")"

# Of an exchange rate they are of its quotes by delta: a file names these beside the asset, and the
# report has them in place of calls that hedge. What no smile can follow is left out.
cat >"$there/fx.cfg" <<'EOF'
settings = { paths = 4096; greeks = "quotes"; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.02; }, { name = "USD"; rate = 0.04; } );
  assets = ( { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.1; model = "local_vol";
    volatility = { times = [0.5, 0.55, 1.0]; atm = [0.1, 0.097, 0.1]; rr25 = [-0.01, -0.01, -0.01]; bf25 = [0.002, 0.002, 0.002];
      delta = "spot"; premium_adjusted = false; butterfly = "market"; }; } ); };
book = { trades = ( { id = "a"; type = "european"; asset = "EURUSD"; option = "put"; strike = 1.05; expiry = 0.8; quantity = 100; } ); };
EOF
"$pricer" --quiet --engine=cpu --output="$there/fx/" --output="$there/fx.db" --report="$there/fx.html" "$there/fx.cfg" 2>"$there/err" ||
    fail "quotes by delta: $(<"$there/err")"
[[ $(awk -F, '$2 == "vega_quote" && $15 == "" { printf "%s@%.4g ", $4, $5 }' "$there/fx/greeks.csv") == \
    'rr25@0.5 bf25@0.5 rr25@0.55 bf25@0.55 atm@1 rr25@1 bf25@1 ' ]] || fail "quotes by delta: $(grep vega "$there/fx/greeks.csv")"
[[ $(<"$there/err") == *'has no '*'vega:EURUSD@0.5/atm, vega:EURUSD@0.55/atm: under bumps asset '*'calendar arbitrage'* ]] ||
    fail "what is said of quotes that are left out: $(<"$there/err")"
! command -v sqlite3 >/dev/null ||
    [[ $(sqlite3 "$there/fx.db" "SELECT group_concat(name) FROM sensitivities WHERE other = 'rr25'") == \
        vega:EURUSD@0.5/rr25,vega:EURUSD@0.55/rr25,vega:EURUSD@1/rr25 ]] || fail "quotes of the database"
grep -q 'No calls on EURUSD are bought' "$there/fx.html" || fail "the report does not say what is not hedged"
rows=$(tr '\n' ' ' <"$there/fx.html" | sed 's/.*id="quote-matrix-1"//; s/<\/table.*//' | grep -o '<td' | wc -l)
[[ $rows == 12 ]] || fail "the report's vegas by expiry and quote have $rows numbers, not 4 by 3"

end_test "risk: files, complaints and bits are right"
