#!/usr/bin/env bash
# A signal ends a run within a second of processor time, whatever trade it works on: books of one
# slow trade, with the signal in the middle of pricing, of its reference and of the references of
# its Greeks; several threads; and a calibration.
. validation/tests/test.sh
ticks=$(getconf CLK_TCK)

# dates N: times of N dates up to a year.
dates() {
    awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) printf "%s%.9g", (i > 1 ? ", " : ""), i / n }'
}

cat >"$there/market.cfg" <<'BOOK'
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.03; } ); assets = (
  { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; }, { name = "B"; currency = "EUR"; spot = 100; volatility = 0.3; },
  { name = "H"; currency = "EUR"; spot = 100; model = "heston"; heston = { v0 = 0.04; kappa = 1.5; theta = 0.04; xi = 0.3; rho = -0.7; }; },
  { name = "J"; currency = "EUR"; spot = 100; model = "merton"; volatility = 0.2; jumps = { intensity = 300; mean = 0; stdev = 0.001; }; },
  { name = "L"; currency = "EUR"; spot = 100; model = "local_vol"; volatility = { times = [0.5, 2]; strikes = [80, 100, 120];
    vols = ( [0.22, 0.2, 0.19], [0.21, 0.2, 0.195] ); }; } ); };
BOOK

# centiseconds PID: of processor time that it has had so far.
centiseconds() {
    awk -v ticks="$ticks" '{ sub(/.*\) /, ""); print int(100 * ($12 + $13) / ticks) }' "/proc/$1/stat" 2>/dev/null || echo 0
}

# stopped SECONDS ARGUMENTS...: SIGTERM so long of processor time after the start. One that ends
# before it is none that is slow.
stopped() {
    local after=$1 code=0 at before taken
    shift
    "$pricer" --engine=cpu --threads=1 "$@" >"$there/out" 2>"$there/err" &
    while [[ -d /proc/$! && $(centiseconds $!) -lt $after ]]; do sleep 0.02; done
    at=$(centiseconds $!)
    children
    before=$spent
    kill -s TERM $! 2>/dev/null || true
    wait $! || code=$?
    children
    taken=$((spent - before))
    [[ $code == 143 && $((taken - at)) -le 100 ]] || fail "$*: exit status $code, $((taken - at)) hundredths of a second after the signal"
}

# Sets `spent` to the hundredths of a second of processor time of all that has ended; in a shell of
# its own `times` would know of no children.
children() {
    times >"$there/times"
    spent=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 6000 * part[1] + 100 * part[2] } print int(sum) }' "$there/times")
}

n=0
while IFS=';' read -r after trade; do
    [[ -n $trade ]] || continue
    n=$((n + 1))
    book=$there/$n.cfg
    trade=${trade//;/; }
    { cat "$there/market.cfg"; echo "book = { trades = ( { id = \"T\"; $trade } ); };"; } | tr '|' ';' >"$book"
    stopped "$after" --paths=1024 "$book"
done <<BOOKS
40;type = "asian"| asset = "A"| option = "call"| averaging = "arithmetic"| strike_type = "fixed"| strike = 100| fixings = 10000| expiry = 1|
40;type = "double_barrier"| asset = "A"| option = "call"| strike = 100| lower = 80| upper = 130| knock = "out"| monitoring = 10000| expiry = 1|
40;type = "american"| assets = ["A", "B"]| kind = "average"| option = "put"| strike = 100| exercise = "american"| expiry = 1|
80;type = "american"| asset = "H"| option = "put"| strike = 100| exercise = 500| expiry = 1|
40;type = "autocallable"| assets = ["A", "H", "L"]| notional = 100| observation_times = [$(dates 250)]| call_level = 1.3| coupon = 0.01| protection_level = 0.6| expiry = 1|
40;type = "asian"| asset = "L"| option = "call"| averaging = "arithmetic"| strike_type = "fixed"| strike = 100| fixings = 1000| expiry = 1|
40;type = "lookback"| asset = "J"| option = "call"| strike_type = "fixed"| strike = 100| monitoring = "continuous"| expiry = 1|
BOOKS

# The fit of a policy by value functions whose inner paths have many steps.
{ cat "$there/market.cfg"; cat <<'BOOK'
book = { trades = ( { id = "T"; type = "american"; assets = ["A", "L"]; kind = "worst_of"; option = "put"; strike = 100; exercise = 2; expiry = 1; } ); };
BOOK
} >"$there/steps.cfg"
stopped 250 --paths=1024 --set=settings.max_step=0.0002 "$there/steps.cfg"

# Threads read what the signal's handler writes: the thread sanitizer looks on.
stopped 40 --threads=3 --check=none --paths=100000000 "$there/7.cfg"

# The references of Greeks: all of them are of one trade.
{ cat "$there/market.cfg"; cat <<'BOOK'
book = { trades = ( { id = "T"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100;
  fixings = 2000; expiry = 1; } ); };
risk = { greeks = ["delta", "gamma", "vega", "rho", "theta"]; };
BOOK
} >"$there/greeks.cfg"
stopped 100 --paths=1024 "$there/greeks.cfg"
cat >"$there/fit.cfg" <<'BOOK'
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.03; } ); assets = ( { name = "L"; currency = "EUR"; spot = 100; model = "local_vol";
  volatility = { times = [0.25, 0.5, 1, 2]; strikes = [70, 80, 90, 100, 110, 120, 130]; vols = (
    [0.31, 0.27, 0.23, 0.2, 0.19, 0.188, 0.187], [0.29, 0.26, 0.225, 0.2, 0.191, 0.189, 0.188], [0.27, 0.245, 0.22, 0.202, 0.195, 0.192, 0.19],
    [0.255, 0.235, 0.218, 0.205, 0.198, 0.195, 0.194] ); }; } ); };
book = { trades = ( { id = "T"; type = "european"; asset = "L"; option = "call"; strike = 100; expiry = 1; } ); };
BOOK
stopped 5 --calibrate=bates --output="$there/fitted.cfg" "$there/fit.cfg"

# Files go together: a signal after the first is in place leaves no report of yesterday beside it.
scripts/make-book 2000 >"$there/many.cfg"
echo yesterday | tee "$there/prices.csv" >"$there/night.html"
"$pricer" --engine=cpu --paths=8192 --check=none --quiet --output="$there/prices.csv" --report="$there/night.html" "$there/many.cfg" 2>/dev/null &
pid=$!
while [[ $(head -c 9 "$there/prices.csv") == yesterday ]] && kill -0 $pid 2>/dev/null; do :; done
kill -TERM $pid 2>/dev/null || true
wait $pid || true
[[ $(head -c 9 "$there/night.html") != yesterday ]] || fail "a report of yesterday beside prices of today"
exit $((failures > 0))
