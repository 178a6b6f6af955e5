#!/usr/bin/env bash
# pricer --compile writes the path code of a book's groups, for a GPU that is not there: two kernels
# a group, and one for the programs of scripts that are alike, each once, on as many threads as are asked for; SIGTERM ends it soon and keeps what is
# compiled. Exit 77 where the build has no CUDA or the machine no NVRTC.
source validation/tests/folder.sh
export XDG_CACHE_HOME=$there

# No book of inputs, whose path code the build may have compiled.
cat >"$there/book.cfg" <<'END'
settings = { paths = 1024; seed = 1; };
market = { correlation_default = 0;
  currencies = ( { name = "USD"; rate = 0.05; } );
  assets = ( { name = "A"; currency = "USD"; spot = 100.0; dividend_yield = 0.0; volatility = 0.2; },
             { name = "B"; currency = "USD"; spot = 90.0; dividend_yield = 0.0; volatility = 0.3; } );
  correlations = ( { assets = ["A", "B"]; value = 0.5; } );
};
book = { name = "one group"; trades = (
  { id = "1"; type = "basket"; assets = ["A", "B"]; kind = "best_of"; weights = [1.0, 1.0]; option = "call";
    strike = 100.0; expiry = 1.0; } ); };
END

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

said=$("$PRICER" --compile=90 "$there/book.cfg" 2>"$there/why") || {
    grep -q 'built without CUDA\|not here' "$there/why" || fail "$(cat "$there/why")"
    cat "$there/why"
    exit 77
}
groups=$("$PRICER" --plan "$there/book.cfg" 2>/dev/null | sed -nE '1s/.* in ([0-9]+) groups.*/\1/p')
[[ $said == "$((2 * groups)) kernels compiled for compute capability 9.0" ]] || fail "said: $said"
list() { stat -c '%n %Y %s' "$there"/pricer/walk_sm90_*; }
before=$(list)
[[ $(wc -l <<<"$before") == $((2 * groups)) ]] || fail "not two files a group: $before"
sleep 1.1
said_again=$("$PRICER" --compile=90 "$there/book.cfg" 2>/dev/null)
[[ $said_again == "0 kernels compiled for compute capability 9.0" ]] || fail "said again: $said_again"
[[ $(list) == "$before" ]] || fail "a kernel that was there was compiled again"
scripts/compile-ahead "$PRICER" "$there" "90;100" "$there/book.cfg"
[[ -e $there/filled ]] || fail "scripts/compile-ahead does not say that it is done"
[[ $(ls "$there/pricer" | wc -l) == $((4 * groups)) ]] || fail "not as many for another architecture"

XDG_CACHE_HOME=$there/two "$PRICER" --threads=2 --compile=90 "$there/book.cfg" >/dev/null
for file in "$there"/two/pricer/*; do
    cmp "$file" "$there/pricer/${file##*/}" || fail "two threads compile other code"
done
[[ $(ls "$there/two/pricer" | wc -l) == $((2 * groups)) ]] || fail "two threads compile other kernels"

# Greeks and scenarios have kernels of their own, for several markets at once.
cat "$there/book.cfg" - >"$there/risk.cfg" <<'END'
risk = { greeks = [ "delta", "vega" ];
  scenarios = ( { name = "up"; shocks = ( { asset = "*"; spot = 0.1; } ); },
                { name = "down"; shocks = ( { asset = "*"; spot = -0.1; } ); } ); };
END
XDG_CACHE_HOME=$there/risk "$PRICER" --compile=90 "$there/risk.cfg" >/dev/null
for file in "$there"/risk/pricer/*; do
    [[ -e $there/pricer/${file##*/} ]] || touch "$there/new_${file##*/}"
done
[[ $(ls "$there" | grep -c '^new_') -ge 1 ]] || fail "no kernel for Greeks"
[[ $(ls "$there/risk/pricer" | wc -l) -gt $((2 * groups)) ]] || fail "kernels of prices are missing"

# Programs of the same instructions have one kernel, whatever their numbers.
{ sed '/^book =/,$d' "$there/book.cfg"; cat <<'END'; } >"$there/scripts.cfg"
book = { trades = (
  { id = "1"; asset = "A"; expiry = 1.0; strike = 90.0;
    script = "product s(asset u; date expiry; number strike)\n  at expiry\n    pay max(u(expiry) - strike, 0)"; },
  { id = "2"; asset = "A"; expiry = 0.5; strike = 95.0;
    script = "product s(asset u; date expiry; number strike)\n  at expiry\n    pay max(u(expiry) - strike, 0)"; } ); };
END
said_scripts=$(XDG_CACHE_HOME=$there/scripts "$PRICER" --compile=90 "$there/scripts.cfg" 2>/dev/null)
# Their path code, of two rungs, may be among what the build has compiled.
[[ $said_scripts =~ ^[13]\ kernels\ compiled\ for\ compute\ capability\ 9.0$ ]] || fail "two scripts: $said_scripts"

# Of a hundred trades the first kernel is there long before the last.
scripts/make-book 100 >"$there/long.cfg"
XDG_CACHE_HOME=$there/ended "$PRICER" --compile=90 "$there/long.cfg" >/dev/null 2>&1 &
long=$!
until ls "$there/ended/pricer" 2>/dev/null | grep -qE '^walk_sm90_[0-9a-f]{64}$'; do
    kill -0 $long 2>/dev/null || fail "ended before the first kernel"
    sleep 0.05
done
kill -TERM $long
status=0
wait $long || status=$?
[[ $status == 143 ]] || fail "SIGTERM: exit status $status"
"$PRICER" --plan "$there/long.cfg" >"$there/plan" 2>/dev/null
[[ $(ls "$there/ended/pricer" | wc -l) -lt $(sed -nE '1s/.* in ([0-9]+) groups.*/\1/p' "$there/plan") ]] ||
    fail "SIGTERM was not heard"
echo "compile_ahead_test: $said"
