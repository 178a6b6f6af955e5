#!/usr/bin/env bash
# What a person is told: with its place, as many lines as can be read, and numbers that are numbers.
. validation/tests/test.sh

# says TEXT: a line of standard error is this one.
says() {
    grep -qxF -- "$1" "$there/err" || fail "no '$1'"
}

# ---- a kernel and an engine that there are not, by file and line

sed '1i settings = {\n  engine = "cpu";\n  kernel = "optimised"; };' inputs/first.cfg >"$there/kernel.cfg"
kernels='the cpu engine has no kernel .*; its kernels are auto, optimized, baseline'
run 2 "$there/kernel.cfg"
grep -q "^$there/kernel.cfg:3: $kernels" "$there/err" || fail "the kernel of a book"
run 2 --set settings.kernel=wide "$there/kernel.cfg"
grep -q "\-\-set settings.kernel=wide: $kernels" "$there/err" || fail "the kernel of --set"
run 2 --kernel=wide "$there/kernel.cfg"
grep -q "^pricer: --kernel: $kernels" "$there/err" || fail "the kernel of the command line"
run 0 --kernel=plain --paths=1024 --check=none --quiet "$there/kernel.cfg"
sed 's/"cpu"/"gpu"/' "$there/kernel.cfg" >"$there/engine.cfg"
run 2 "$there/engine.cfg"
says "$there/engine.cfg:2: engine must be \"auto\", \"cuda\" or \"cpu\", got \"gpu\""
if ! "$pricer" --engine=cuda --plan inputs/first.cfg >/dev/null 2>&1; then
    sed 's/"cpu"/"cuda"/' "$there/kernel.cfg" >"$there/engine.cfg"
    run 3 "$there/engine.cfg"
    grep -q "^$there/engine.cfg:2: ." "$there/err" || fail "the engine of a book"
fi

# ---- very many complaints

market='market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; } ); };'
echo "$market book = { trades_file = \"bad.csv\"; };" >"$there/many.cfg"
awk 'BEGIN { print "id,type,asset,option,strike,expiry"; for (i = 1; i <= 5000; i++) print "T" i ",european,A,put,-1,1" }' >"$there/bad.csv"
run 2 "$there/many.cfg"
[[ $(wc -l <"$there/err") == 101 ]] || fail "$(wc -l <"$there/err") lines of 5000 complaints"
says "$there/bad.csv:101: trade 'T100': strike must be > 0, got -1"
says '... and 4900 more (--all-errors shows them all)'
run 2 --all-errors "$there/many.cfg"
[[ $(wc -l <"$there/err") == 5000 ]] || fail "--all-errors: $(wc -l <"$there/err") lines"
head -n 101 "$there/bad.csv" >"$there/some.csv" && mv "$there/some.csv" "$there/bad.csv"
run 2 "$there/many.cfg"
[[ $(wc -l <"$there/err") == 100 ]] || fail "$(wc -l <"$there/err") lines of 100 complaints"

# What stops the book is told once, behind a trade that is refused too.
printf 'id,type,asset,option,strike,expiry\nT1,european,A,put,-1,1\nT2,european,A,put,90\n' >"$there/bad.csv"
run 2 "$there/many.cfg"
says "$there/bad.csv:3: the row has 5 fields, the first line 6: each row must have as many"
[[ $(wc -l <"$there/err") == 2 ]] || fail "not told once: $(cat "$there/err")"

# ---- numbers beyond the range of a double, and errors that are not known

numberless() {
    ! grep -nEi '(^|[^a-z])-?(inf|nan)([^a-z]|$)' "$@" >"$there/found" || fail "$*: $(head -n 3 "$there/found")"
}
cat >"$there/beyond.cfg" <<'BOOK'
settings = { paths = 1024; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; },
  { name = "Z"; currency = "EUR"; spot = 1e306; volatility = 0.2; dividend_yield = 1e308; } ); };
book = { trades = (
  { id = "T1"; type = "european"; asset = "A"; option = "call"; strike = 90; expiry = 1.0; quantity = 5e306; },
  { id = "T2"; type = "european"; asset = "A"; option = "call"; strike = 100; expiry = 1.0; quantity = 1e308; },
  { id = "T3"; type = "european"; asset = "Z"; option = "call"; strike = 100; expiry = 80.0; } ); };
risk = { greeks = [ "delta", "gamma", "vega", "theta" ]; scenarios = ( { name = "up"; shocks = ( { asset = "A"; spot = 1.5; } ); } ); };
BOOK
run 1 --output="$there/o.csv" --output="$there/o.json" --report="$there/o.html" "$there/beyond.cfg"
numberless "$there/out" "$there/err"
sed 's/"seconds": {.*//; /"book"/d' "$there/o.json" >"$there/json"
numberless "$there/json"
grep -q "trade 'T1' cannot be valued in 'up': its profit is beyond the range of a double" "$there/err" || fail "a profit beyond the range"
cat >"$there/none.cfg" <<'BOOK'
settings = { paths = 1024; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; } ); };
book = { trades = (
  { id = "log"; asset = "A"; expiry = 1.0; script = "product p(asset s; date expiry)\n  at expiry\n    gain = s(expiry) / 100\n    pay max(log(gain - 1), 0)"; },
  { id = "root"; asset = "A"; expiry = 1.0; script = "product p(asset s; date expiry)\n  at expiry\n    gain = sqrt(s(expiry) - 100)\n    pay log(gain)"; },
  { id = "quotient"; asset = "A"; expiry = 1.0; script = "product p(asset s; date expiry)\n  at expiry: pay 1 / max(s(expiry) - 100, 0)"; },
  { id = "exp"; asset = "A"; expiry = 1.0; script = "product p(asset s; date expiry)\n  at expiry: pay 1e300 * (s(expiry) ^ 8)"; },
  { id = "by0"; asset = "A"; expiry = 1.0; k = 100; script = "product p(asset s; date expiry; number k)\n  at expiry\n    gain = sqrt(s(expiry))\n    pay gain / (k - 100)"; },
  { id = "log0"; asset = "A"; expiry = 1.0; k = -1; script = "product p(asset s; date expiry; number k)\n  at expiry\n    pay s(expiry) / -2 + log(k)"; },
  { id = "well"; asset = "A"; expiry = 1.0; script = "product p(asset s; date expiry)\n  at expiry: pay log(s(expiry)) + sqrt(max(s(expiry) - 100, 0)) / s(expiry)"; } ); };
BOOK
run 1 "$there/none.cfg"
none="failed: its script makes no number, or an infinite one, on some path"
may="may, by a log, a root, a power or a quotient"
while read -r line id why; do
    grep -qxF "$there/none.cfg:$line: trade '$id' $none$why" "$there/out" || fail "no number: '$id'"
done <<END
4 log : line 4 of it $may
5 root : line 3 of it $may
6 quotient : line 2 of it $may
7 exp
8 by0 : line 4 of it $may
9 log0 : line 3 of it $may
END
grep -q "^7 trades: 1 unchecked, 6 failed" "$there/out" || fail "$(tail -n 1 "$there/out")"
sed '/T3/d; s/5e306/1/; s/1e308; },/1; } ); };/; s/"Z"/"B"/; s/1e306/100/; s/dividend_yield = 1e308;//' "$there/beyond.cfg" >"$there/chunk.cfg"
run 0 "$there/chunk.cfg" # one chunk of paths: the errors of totals are not known
numberless "$there/out" "$there/err"
grep -q '^  up .*+- unknown' "$there/out" || fail "the error of one chunk: $(cat "$there/out")"
for value in 1e999 -1e999; do
    run 2 --set market.assets.[0].spot=$value "$there/chunk.cfg"
    numberless "$there/err"
done
run 2 --set market.assets.[0].spot=1e308 "$there/chunk.cfg"
numberless "$there/out" "$there/err"

end_test "complaints: all well"
