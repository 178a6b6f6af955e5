#!/usr/bin/env bash
# Proportional dividends: a share that is paid on a date is worth what a binomial tree of 8,000 steps
# makes of it, and what forwards on both sides of the date do; its date comes nearer as time passes.
. validation/tests/test.sh

book() { # DIVIDENDS GREEKS TRADES
    printf '%s\n' 'market = { currencies = ( { name = "EUR"; rate = 0.05; } ); assets = ( { name = "A"; currency = "EUR";' \
        "spot = 100.0; volatility = 0.2; $1 } ); }; risk = { greeks = [$2]; }; book = { trades = (" "$3" '); };'
}
falls='proportional_dividends = ( { time = 0.5; fraction = 0.03; } );'
american='type = "american"; asset = "A"; exercise = "american"; expiry = 1.0;'
book "$falls" '"theta", "yield_bucket"' "{ id = \"call\"; $american option = \"call\"; strike = 90.0; },
  { id = \"put\"; $american option = \"put\"; strike = 110.0; },
  { id = \"last\"; type = \"european\"; asset = \"A\"; option = \"call\"; strike = 100.0; expiry = 1.0; },
  { id = \"day\"; type = \"forward\"; asset = \"A\"; strike = 100.0; expiry = 0.5; },
  { id = \"digital\"; type = \"digital\"; asset = \"A\"; option = \"call\"; strike = 97.0; payout = \"cash\"; cash = 10.0; expiry = 0.5; }" >"$there/tree.cfg"
"$pricer" --quiet --engine=cpu --paths=65536 --output="$there/tree.csv" "$there/tree.cfg" || fail "tree: exit status $?"
sed -i 's/"[^"]*"/text/g' "$there/tree.csv" # messages with commas

near() { # WHAT GOT WANTED WITHIN
    awk -v a="$2" -v b="$3" -v by="$4" 'BEGIN { d = a - b; exit !(a != "" && d < by && -d < by) }' || fail "$1: $2, not $3"
}
near call "$(cell "$there/tree.csv" call reference)" 14.6973 0.001
near put "$(cell "$there/tree.csv" put reference)" 13.5443 0.001
near last "$(cell "$there/tree.csv" last reference)" 8.6268 0.001
for trade in call put last; do
    [[ $(cell "$there/tree.csv" "$trade" status) == ok ]] || fail "$trade: $(<"$there/tree.csv")"
done

# A year of it is the tree's with all dates nearer; the forward of the day earns its strike alone.
near 'theta of the call' "$(cell "$there/tree.csv" call theta)" -6.42 0.25
near 'theta of the put' "$(cell "$there/tree.csv" put theta)" -0.06 1.0
near 'theta of the forward' "$(cell "$there/tree.csv" day theta)" "$(awk 'BEGIN { print -5 * exp(-0.025) }')" 1e-4
near 'theta of the digital' "$(cell "$there/tree.csv" digital theta)" -0.146 0.2
near 'yield bucket' "$(cell "$there/tree.csv" day yield:A@1)" "$(awk 'BEGIN { print -0.5 * 97 }')" 1e-3

# What is looked at on dates has the bits that forwards on both sides of the date give, but for those.
asian='{ id = "asian"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed";
  strike = 98.0; fixing_times = [0.25, 0.5, 1.0]; expiry = 1.0; }'
book "$falls" '' "$asian" >"$there/falls.cfg"
book "forwards = { times = [0.499998, 0.5, 1.0]; prices = [$(awk 'BEGIN { printf "%.17g, %.17g, %.17g",
  100 * exp(0.05 * 0.499998), 97 * exp(0.025), 97 * exp(0.05) }')]; };" '' "$asian" >"$there/forwards.cfg"
for dividends in falls forwards; do
    "$pricer" --quiet --engine=cpu --paths=16384 --output="$there/$dividends.csv" "$there/$dividends.cfg" || fail "$dividends: exit status $?"
done
near asian "$(cell "$there/falls.csv" asian price)" "$(cell "$there/forwards.csv" asian price)" 1e-9

end_test "proportional dividends"
