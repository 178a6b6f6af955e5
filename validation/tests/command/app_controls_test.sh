#!/usr/bin/env bash
# Control variates as a person asks for them: the columns of every output, the digest with other
# threads and through a database, rounds to an error that counts the controls, and the refusals that
# no file is to blame for.
. validation/tests/test.sh

# price NAME OPTION...: a book on the CPU; its rows are in $there/NAME.csv, what it printed in
# $there/NAME.
price() {
    "$pricer" --engine=cpu --check=none --paths=32768 --output="$there/$1.csv" "${@:2}" >"$there/$1"
}

# of NAME COLUMN: trade and value, a line each.
of() { paste -d ' ' <(column "$there/$1.csv" trade_id) <(column "$there/$1.csv" "$2"); }

digest() { digest_of "$there/$1"; }

controls='settings.control_variates=true'
price plain inputs/book.cfg
price one --threads=1 --set "$controls" --output="$there/run.json" --report="$there/run.html" inputs/book.cfg
price two --threads=2 --set "$controls" --output="$there/run.db" inputs/book.cfg
[[ -n $(digest one) && $(digest one) == "$(digest two)" ]] || fail "digests $(digest one) and $(digest two)"
[[ $(digest one) != "$(digest plain)" ]] || fail "the same digest without controls"

cmp -s <(of one control) <(of two control) || fail "other controls with two threads"
of one control | awk '$1 == "AS-01" && $2 !~ /^geometric/ { bad = 1 } END { exit bad }' || fail "$(of one control)"
of one variance_ratio | awk '$2 != "" { n++; if ($2 <= 1) bad = 1 } $1 == "AS-01" && $2 < 100 { bad = 1 }
    END { exit bad || n < 40 }' || fail "ratios: $(of one variance_ratio)"
[[ -z $(of plain control | awk '$2 != ""') ]] || fail "controls that nobody asked for"
head -n 1 "$there/one" | grep -q 'z *status *control *ratio$' || fail "the table: $(head -n 1 "$there/one")"
head -n 1 "$there/plain" | grep -q 'std error *reference' || fail "the table without: $(head -n 1 "$there/plain")"
grep -q '"control": "geometric[^"]*", "variance_ratio": [0-9]' "$there/run.json" || fail "the JSON"
grep -q '<td>geometric' "$there/run.html" || fail "the report"
if command -v sqlite3 >/dev/null; then
    rows=$(sqlite3 "$there/run.db" 'SELECT count(*) FROM prices WHERE control IS NOT NULL AND variance_ratio > 1')
    [[ $rows == "$(of two variance_ratio | awk '$2 > 1' | wc -l)" ]] || fail "$rows rows of the database"
    [[ $(sqlite3 "$there/run.db" 'SELECT count(*) FROM prices WHERE (control IS NULL) <> (variance_ratio IS NULL)') == 0 ]] ||
        fail "a control without a ratio"
fi

# A target that one round reaches with the control, and four without it; and one that max_paths does
# not let be reached.
target='settings.target_stderr=0.02'
price rounds --set "$controls" --set "$target" inputs/asian.cfg
price more --set "$target" inputs/asian.cfg
[[ $(of rounds paths) == *' 32768' && $(of more paths | awk '{ print $2 }') -ge 131072 ]] ||
    fail "rounds: $(of rounds paths), $(of more paths)"
price stopped --set "$controls" --set settings.target_stderr=1e-9 --set settings.max_paths=100000 inputs/asian.cfg
[[ $(of stopped paths) == *' 99328' ]] || fail "stopped: $(of stopped paths)"
grep -q 'max_paths left a standard error of' "$there/stopped.csv" || fail "stopped: $(cat "$there/stopped.csv")"
grep -q "^trade '.*': max_paths left a standard error of" "$there/stopped" || fail "stopped: $(cat "$there/stopped")"
grep -q '; up to 99328 paths; ' "$there/stopped" || fail "the paths: $(cat "$there/stopped")"
"$pricer" --plan --set "$controls" inputs/asian.cfg | grep -q '^with control variates, ' || fail "the plan"

run 2 --engine=cpu --paths=31744 --set "$controls" inputs/asian.cfg
says "pricer: --paths must be >= 32768 with control_variates = true, got 31744"

# The option goes before the book.
run 2 --engine=cpu --set settings.paths=16384 --set "$controls" inputs/asian.cfg
says "pricer: --set settings.paths=16384: paths must be >= 32768 with control_variates = true, got 16384"
price wider --set settings.paths=16384 --set "$controls" inputs/asian.cfg
[[ $(of wider paths) == *' 32768' ]] || fail "wider: $(of wider paths)"

# Scripts, of which nothing is known: a tenth of the variance is left of one asset's and of several
# assets', and errors over seeds are honest.
for book in tarf rainbow; do
    grep -v '^@include' "inputs/gallery/$book.cfg" >"$there/$book.cfg"
    price truth --paths=1048576 --seed=99 --set "$controls" "$there/$book.cfg"
    for seed in $(seq 40); do
        price run --seed="$seed" --set "$controls" "$there/$book.cfg"
        tail -n +2 "$there/run.csv"
    done | awk -F, -v columns="$(head -n 1 "$there/truth.csv")" '
        BEGIN { n = split(columns, name, ","); for (i = 1; i <= n; i++) at[name[i]] = i }
        NR == FNR { if (FNR > 1) price[$1] = $at["price"]; next }
        { z2 += ($at["price"] - price[$1]) ^ 2 / $at["std_error"] ^ 2; ratio += $at["variance_ratio"]; runs++ }
        END { print runs, z2 / runs, ratio / runs; exit !(runs == 80 && z2 / runs > 0.6 && z2 / runs < 1.5 && ratio / runs > 8) }
        ' "$there/truth.csv" - >"$there/honest" || fail "$book: runs, z^2, ratio: $(cat "$there/honest")"
done

# Where next to no path makes a difference between a trade and its control, the error counts what no
# path has shown; of a script also where its control is not quite the same. The script is held
# against the reference of the barrier option that it is.
cat >"$there/rare.cfg" <<'BOOK'
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };
book = { trades = (
  { id = "out"; type = "barrier"; asset = "A"; option = "call"; strike = 100.0; barrier = 236.3; direction = "up"; knock = "out"; monitoring = "continuous"; expiry = 1.0; },
  { id = "near"; type = "barrier"; asset = "A"; option = "call"; strike = 102.0; barrier = 256.0; direction = "up"; knock = "out"; monitoring = "continuous"; expiry = 1.0; },
  { id = "call"; type = "european"; asset = "A"; option = "call"; strike = 45.0; expiry = 1.0; },
  { id = "least"; type = "lookback"; asset = "A"; option = "call"; strike_type = "floating"; extreme = 45.0; monitoring = [0.5, 1.0]; expiry = 1.0; },
  { id = "usual"; type = "barrier"; asset = "A"; option = "call"; strike = 100.0; barrier = 160.0; direction = "up"; knock = "out"; monitoring = "continuous"; expiry = 1.0; },
  { id = "script"; type = "double_barrier_rebate"; asset = "A"; option = "call"; strike = 102.0; lower = 1.0; upper = 256.0; rebate = 0.0; expiry = 1.0; } ); };
BOOK
"$pricer" -q --engine=cpu --paths=32768 -o "$there/truths.csv" "$there/rare.cfg"
for seed in $(seq 30); do
    "$pricer" -q --engine=cpu --paths=32768 --check=none --seed="$seed" --set "$controls" -o "$there/rare.csv" "$there/rare.cfg"
    of rare control | grep -q '^usual .' || fail "seed $seed: no control of a usual barrier"
    paste -d ' ' <(of rare price) <(column "$there/rare.csv" std_error) <(column "$there/truths.csv" reference) >>"$there/far"
done
awk '$1 == "near" { near = $4 } $1 == "script" { $4 = near }
    ($2 - $4) ^ 2 > (5.5 * $3) ^ 2 { print; bad = 1 } END { exit bad || NR != 180 }' "$there/far" >"$there/further" ||
    fail "further than their errors: $(cat "$there/further")"

# What a trade pays is discounted to its settlement, and so is what a control of it pays.
cat >"$there/late.cfg" <<'BOOK'
valuation_date = "2026-11-20";
market = { currencies = ( { name = "EUR"; rate = 0.1; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; settlement_days = 7; }, { name = "B"; currency = "EUR"; spot = 50.0; volatility = 0.2; settlement_days = 7; } );
  correlation_default = 0.5; };
book = { trades = (
  { id = "call"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = "2026-12-01"; },
  { id = "out"; type = "barrier"; asset = "A"; option = "put"; strike = 100.0; barrier = 80.0; direction = "down"; knock = "out"; monitoring = "continuous"; expiry = "2026-12-01"; },
  { id = "sum"; type = "basket"; assets = ["A", "B"]; kind = "average"; weights = [1.0, 1.0]; option = "call"; strike = 150.0; expiry = "2026-12-01"; },
  { id = "script"; asset = "A"; expiry = "2026-12-01"; script = "product call(asset s; date expiry)\n  at expiry: pay max(s(expiry) - 100, 0)\n"; } ); };
BOOK
run 0 --engine=cpu --paths=32768 --set "$controls" -o "$there/late.csv" "$there/late.cfg"
[[ $(of late control) =~ "call forward".*"script vanilla+forward" ]] || fail "controls of late payments: $(of late control)"

end_test "app_controls_test: all well"
