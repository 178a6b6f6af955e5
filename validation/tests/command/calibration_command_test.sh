#!/usr/bin/env bash
# pricer --calibrate: what it prints and writes, that a book takes the written file in place of its
# surface and is priced with it, and what it refuses.
. validation/tests/test.sh

# expect STATUS WORDS OPTIONS...: the exit status, and a line on standard error (- for none).
expect() {
    [[ $2 == - ]] && refused "$1" '' "${@:3}" || refused "$1" "*$2*" "${@:3}"
    [[ $(wc -l <"$there/err") -le 1 ]] || fail "${*:3}: more than one line"
}

surface='volatility = { times = [0.25, 1.0, 2.0]; strikes = [80, 90, 100, 110, 120];
    vols = ( [0.28, 0.24, 0.20, 0.19, 0.20], [0.25, 0.225, 0.205, 0.195, 0.19], [0.24, 0.222, 0.21, 0.202, 0.198] ); };'

# book NAME MODEL...: a book on two assets, the first with these keys.
book() {
    cat >"$there/$1.cfg" <<BOOK
market = {
  currencies = ( { name = "EUR"; rate = 0.03; } );
  assets = ( { name = "INDEX"; currency = "EUR"; spot = 100; dividend_yield = 0.01;
${*:2}
             },
             { name = "OTHER"; currency = "EUR"; spot = 100; volatility = 0.2; } );
};
book = { trades = (
  { id = "call"; type = "european"; asset = "INDEX"; option = "call"; strike = 105; expiry = 1.0; },
  { id = "put"; type = "european"; asset = "INDEX"; option = "put"; strike = 90; expiry = 0.25; } ); };
BOOK
}

book desk 'model = "local_vol";' "$surface"

# ---- a fit, shown, written, included and priced

for model in heston bates; do
    expect 0 - --calibrate=$model "$there/desk.cfg"
    for words in "INDEX: $model fitted to 15 of 15 quotes, 3 expiries of 5 strikes" "  kappa  " "Feller: 2 kappa theta" \
        "root mean square error" "  expiry 2.0000: o market, * model" "INDEX: written to $there/desk.$model.cfg"; do
        grep -qF -- "$words" "$there/out" || fail "$model: no '$words' in the report"
    done
    [[ $(grep -cE '^ +[0-9]\.[0-9]{4} +[0-9]+ +[0-9.]+ +[0-9.]+ +-?[0-9.]+$' "$there/out") == 15 ]] ||
        fail "$model: not a line for each of 15 quotes"
    book "with-$model" "@include \"desk.$model.cfg\""
    run 0 --engine=cpu --paths=16384 --output="$there/prices.csv" --quiet "$there/with-$model.cfg"
    [[ $(grep -c "INDEX,$model,EUR,.*,ok," "$there/prices.csv") == 2 ]] || fail "$model: $(cat "$there/prices.csv")"
    # The call lies between quotes of 20.5 % and 19.5 %, at which Black's formula says 6.8354 and
    # 6.4408.
    awk -F, '$1 == "call" { found = $12 > 6.4408 && $12 < 6.8354 } END { exit !found }' "$there/prices.csv" ||
        fail "$model: the call is priced $(grep ^call "$there/prices.csv")"
done

expect 0 - --calibrate=heston --quiet --output="$there/fit.cfg" --output="$there/fit.csv" "$there/desk.cfg"
[[ ! -s $there/out ]] || fail "--quiet printed something"
diff <(grep -v include "$there/fit.cfg") <(grep -v include "$there/desk.heston.cfg") ||
    fail "the same fit twice is not the same"
[[ $(head -1 "$there/fit.csv") == asset,model,expiry,strike,market_volatility,model_volatility,difference_bp,used ]] ||
    fail "columns of the table: $(head -1 "$there/fit.csv")"
[[ $(grep -c '^INDEX,heston,.*,yes$' "$there/fit.csv") == 15 ]] || fail "rows of the table: $(cat "$there/fit.csv")"

# ---- what is refused

book none 'volatility = 0.2;'
expect 2 "no asset of the book has an implied surface" --calibrate=heston "$there/none.cfg"
book small 'model = "local_vol"; volatility = { times = [1.0]; strikes = [80, 90, 100, 110, 120];' \
    'vols = ( [0.25, 0.225, 0.205, 0.195, 0.19] ); };'
expect 2 "asset 'INDEX': a surface of 5 quotes that can be used is too small for the 5 parameters of heston" \
    --calibrate=heston "$there/small.cfg"
[[ ! -e $there/small.heston.cfg ]] || fail "a file was written without a fit"
expect 2 "--calibrate must be heston|bates, got 'sabr'" --calibrate=sabr "$there/desk.cfg"
expect 2 "must end in .csv, .json or /" --output="$there/fit.cfg" "$there/desk.cfg"
expect 2 "must be a file that ends in .cfg or .csv" --calibrate=heston --output="$there/fit.json" "$there/desk.cfg"
expect 2 "2 files --output=FILE.cfg for 1 assets" --calibrate=heston --output="$there/a.cfg" --output="$there/b.cfg" \
    "$there/desk.cfg"
before=$(cksum <"$there/desk.cfg")
expect 2 "would take the place of" --calibrate=heston --output="$there/desk.cfg" "$there/desk.cfg"
[[ $(cksum <"$there/desk.cfg") == "$before" ]] || fail "the book was overwritten"
expect 3 "cannot write $there/nowhere/fit.cfg" --calibrate=heston --output="$there/nowhere/fit.cfg" "$there/desk.cfg"

end_test "fits are shown, written, included and priced; what cannot be fitted is refused"
