#!/usr/bin/env bash
# What a run writes: the columns of CSV and JSON, numbers that read back, complete files or none,
# and the same bits from every order of the trades, number of threads and CPU kernel.
. validation/tests/test.sh

columns=trade_id,type,assets,model,currency,quantity,price,std_error,paths,engine,kernel,reference,reference_error
columns+=,reference_method,z,status,message,upper,upper_error,control,variance_ratio,note

market='market = {
  currencies = ( { name = "EUR"; rate = 0.025; } );
  assets = ( { name = "SX5E"; currency = "EUR"; spot = 4850; dividend_yield = 0.028; volatility = 0.18; },
             { name = "ACME"; currency = "EUR"; spot = 100; volatility = 0.3; },
             { name = "WILD"; currency = "EUR"; spot = 100; volatility = 9.0; } ); };'

# One trade a line, so that the order can be changed.
cat >"$there/trades" <<'TRADES'
{ id = "call"; type = "european"; asset = "SX5E"; option = "call"; strike = 4900; expiry = 1.0; }
{ id = "put"; type = "european"; asset = "SX5E"; option = "put"; strike = 4900; expiry = 1.0; quantity = -25; }
{ id = "x,\"y\""; type = "european"; asset = "ACME"; option = "call"; strike = 110; expiry = 0.5; }
{ id = "=1+1"; type = "digital"; asset = "ACME"; option = "put"; strike = 100; payout = "cash"; expiry = 0.5; }
{ id = "asian"; type = "asian"; asset = "SX5E"; option = "call"; averaging = "geometric"; strike_type = "floating"; expiry = 2.0; fixings = 24; }
{ id = "out"; type = "barrier"; asset = "ACME"; option = "call"; strike = 95; barrier = 80; direction = "down"; knock = "out"; monitoring = "continuous"; expiry = 1.0; }
{ id = "touch"; type = "touch"; asset = "ACME"; touch = "one"; barrier = 130; direction = "up"; cash = 10; pay_at = "hit"; monitoring = 12; expiry = 1.0; }
{ id = "back"; type = "lookback"; asset = "SX5E"; option = "put"; strike_type = "floating"; monitoring = "continuous"; expiry = 0.5; }
{ id = "wild"; type = "european"; asset = "WILD"; option = "call"; strike = 100; expiry = 60.0; }
TRADES

# book NAME COMMAND: a book of the trades as COMMAND orders them.
book() {
    { echo "$market" && echo 'book = { trades = (' && "${@:2}" "$there/trades" | sed '$!s/$/,/' && echo '); };'; } \
        >"$there/$1.cfg"
}

# run NAME BOOK OPTIONS...: leaves NAME.csv, NAME.json and the table NAME.txt; the book's wild trade
# makes it exit 1.
run() {
    local name=$1 code=0
    "$pricer" --engine=cpu --paths=32768 --output="$there/$name.csv" --output="$there/$name.json" "${@:3}" \
        "$there/$2.cfg" >"$there/$name.txt" 2>"$there/$name.err" || code=$?
    [[ $code == 1 ]] || fail "$name: exit status $code: $(cat "$there/$name.err")"
}

digest() { digest_of "$there/$1.txt"; }

book straight cat
book reverse tac
run straight straight

# ---- the shape of the CSV

csv=$there/straight.csv
[[ $(head -n 1 "$csv") == "$columns" ]] || fail "columns: $(head -n 1 "$csv")"
[[ $(wc -l <"$csv") == 10 ]] || fail "rows: $(cat "$csv")"
[[ $(sed -n 2p "$csv") == call,european,SX5E,black_scholes,EUR,1,*,32768,cpu,*,'closed form',*,ok,,,,,, ]] ||
    fail "first row: $(sed -n 2p "$csv")"
[[ $(sed -n 4p "$csv") == '"x,""y""",european,ACME,'* ]] || fail "quotes: $(sed -n 4p "$csv")"
[[ $(sed -n 5p "$csv") == "'=1+1,digital,"* ]] || fail "a formula: $(sed -n 5p "$csv")"
[[ $(sed -n 10p "$csv") == wild,european,WILD,black_scholes,EUR,1,,,0,cpu,*,,,,,failed,*range* ]] ||
    fail "a failed trade: $(sed -n 10p "$csv")"
awk -F, 'NR > 1 && !/^"x/ && NF != 22 { bad = 1 } END { exit bad }' "$csv" || fail "fields of a row"
awk -F, '$1 == "put" && $6 == -25 && $7 < 0 && $8 > 0 && $12 < 0 && $13 > 0 { found = 1 } END { exit !found }' "$csv" ||
    fail "a short position has a negative price, and errors that are positive"
# z is what its formula gives.
awk -F, 'NR > 1 && !/^"x/ && $16 == "ok" {
    z = ($7 - $12) / sqrt($8 * $8 + $13 * $13)
    if (z - $15 > 1e-6 || $15 - z > 1e-6) bad = 1
} END { exit bad }' "$csv" || fail "z"
[[ $(stat -c %a "$csv") == 600 ]] || fail "a book is confidential, its results are not: $(stat -c %a "$csv")"

# ---- the JSON says the same

json=$there/straight.json
for key in version git_commit book seed paths plan_digest results_digest engine device kernel threads routes seconds; do
    grep -q "\"$key\": " "$json" || fail "the manifest has no $key"
done
grep -qF "\"results_digest\": \"$(digest straight)\"" "$json" || fail "the digest of table and JSON"
grep -qF '"trade_id": "x,\"y\""' "$json" || fail "quotes in JSON"
grep -qF '"trade_id": "wild"' "$json" && grep -qF '"price": null' "$json" || fail "null in JSON"
for key in control reference_method; do
    grep -qF "\"$key\": null" "$json" || fail "no $key is not null"
    ! grep -qF "\"$key\": \"\"" "$json" || fail "no $key is an empty text"
done
if command -v jq >/dev/null; then
    [[ $(jq -r '.trades[0] | keys_unsorted | join(",")' "$json") == "$columns" ]] || fail "keys of the JSON"
    [[ $(jq '.trades | length' "$json") == 9 ]] || fail "trades of the JSON"
    [[ $(jq -r '.manifest.seconds | keys_unsorted | join(" ")' "$json") == "load plan start price gpu_busy check risk output" ]] ||
        fail "phases of the JSON"
    # Every group of the plan is in one of the routes, and they say what --plan says.
    "$pricer" --engine=cpu --paths=32768 --plan "$there/straight.cfg" >"$there/plan" || fail "--plan"
    jq -r '.manifest.routes[] | "\(.groups) \(.kernel) (\(.why))"' "$json" >"$there/routes"
    sed -n 's/^  kernel: //p' "$there/plan" | sort | uniq -c | sed 's/^ *//' | cmp -s - "$there/routes" ||
        fail "routes: $(cat "$there/routes")"
fi
sed '/^"manifest"/,$d' "$json" | grep -oE '"(price|std_error)": [^,]*' | sed 's/.*: //; s/null//' >"$there/json.numbers"
sed 1d "$csv" | sed 's/^"[^"]*""[^"]*"""/quoted/' | awk -F, '{ print $7; print $8 }' >"$there/csv.numbers"
cmp -s "$there/json.numbers" "$there/csv.numbers" || fail "JSON and CSV have other numbers"

# ---- one answer

# Id, price and standard error of every trade, sorted.
bits() {
    sed 1d "$there/$1.csv" | sed 's/^"[^"]*""[^"]*"""/quoted/' | awk -F, '{ print $1, $7, $8, $12, $15 }' | sort
}

# same NAME: as the first run.
same() {
    [[ $(digest "$1") == "$(digest straight)" ]] || fail "$1: digest $(digest "$1"), not $(digest straight)"
    [[ $(bits "$1") == "$(bits straight)" ]] || fail "$1: other bits"
}

[[ -n $(digest straight) ]] || fail "no digest in the table: $(tail -n 1 "$there/straight.txt")"
run reverse reverse
same reverse
plan_digest() {
    grep -o '"plan_digest": "[^"]*"' "$there/$1.json"
}
[[ $(plan_digest reverse) == "$(plan_digest straight)" ]] || fail "the plan depends on the order of the trades"
for threads in 1 2 3; do
    run "threads$threads" straight --threads="$threads"
    same "threads$threads"
done
for kernel in $(sed -n '/^cpu/,$ { /cannot run here/d; s/^  \([^ ]*\) .*/\1/p }' <("$pricer" --list-kernels)); do
    run "kernel-$kernel" straight --kernel="$kernel"
    [[ $kernel == baseline ]] || same "kernel-$kernel"
done
run seed straight --seed=2
[[ $(digest seed) != "$(digest straight)" ]] || fail "another seed gives the same digest"

# ---- a large book is cut short in the table only, and never loses a trade in trouble

{
    echo "$market" && echo 'book = { trades = ('
    for i in $(seq 200); do
        echo "{ id = \"T$i\"; type = \"european\"; asset = \"ACME\"; option = \"call\"; strike = $i; expiry = 0.5; },"
    done
    tail -n 1 "$there/trades"
    echo '); };'
} >"$there/large.cfg"
run large large
[[ $(wc -l <"$there/large.csv") == 202 ]] || fail "rows of a large book"
grep -q '^T100 ' "$there/large.txt" || fail "row 100 of a large book"
! grep -q '^T101 ' "$there/large.txt" || fail "row 101 of a large book"
grep -q '^wild .*failed' "$there/large.txt" || fail "a large book loses a trade in trouble"
grep -q '^\.\.\. 100 more trades' "$there/large.txt" || fail "a large book: $(tail -n 3 "$there/large.txt")"

# Parts of a long CSV file, which threads print side by side, stand in the order of the book.
scripts/make-book 200 >"$there/many.cfg"
for threads in 1 3; do
    "$pricer" --engine=cpu --check=none --paths=1024 --threads=$threads --quiet --output="$there/many$threads.csv" \
        "$there/many.cfg"
done
cmp -s "$there/many1.csv" "$there/many3.csv" || fail "one thread and three print other files"
[[ $(cut -d, -f1 "$there/many3.csv") == $(echo trade_id && printf 'T%d\n' {1..200}) ]] ||
    fail "trades of a long file are not in the order of the book"

end_test "app_output_test: all well"
