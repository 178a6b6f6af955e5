#!/usr/bin/env bash
# A decision of a script looks at the variance that its paths make, and so does its reference: a put
# on ten dates under heston is worth what finite differences find (QuantLib 1.29), and is ok. Without
# the variance both are 4 % less.
. validation/tests/test.sh

cat >"$there/book.cfg" <<'BOOK'
market = {
  currencies = ( { name = "EUR"; rate = 0.05; } );
  assets = (
    { name = "ACME"; currency = "EUR"; spot = 100.0; dividend_yield = 0.02; model = "heston";
      heston = { v0 = 0.01; kappa = 0.5; theta = 0.09; xi = 1.0; rho = 0.5; }; } );
};
book = { trades = (
  { id = "put"; asset = "ACME"; expiry = 1.0; strike = 110.0; when = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
    script = """
      product put(asset s; dates when; date expiry; number strike)
        each t in when
          exercise holder pays max(strike - s(t), 0)
    """; } ); };
BOOK
"$pricer" --quiet --engine=cpu --paths=131072 --output="$there/prices.csv" "$there/book.cfg" || fail "exit status $?"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { for (i = split("price reference", column, " "); i; i--) {
          off = $at[column[i]] / 10.692 - 1
          print column[i] " is off by " 100 * off " %"
          if (off < -0.015 || off > 0.01) bad = 1
      } }
    END { exit bad || NR != 2 }' "$there/prices.csv" || fail "it is worth 10.692"

((failures == 0)) || exit 1
echo "decisions look at variances"
