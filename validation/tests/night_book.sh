#!/usr/bin/env bash
# Sourced by tests: a book of one night.

# make_night FILE PATHS MORE-SETTINGS: two assets, one of them by Heston's model; early exercise,
# Greeks, scenarios and a past.
make_night() {
    cat >"$1" <<END
settings = { paths = $2; $3 };
market = { currencies = ( { name = "EUR"; rate = 0.03; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; },
  { name = "H"; currency = "EUR"; spot = 50.0; model = "heston";
    heston = { v0 = 0.04; kappa = 2.0; theta = 0.05; xi = 0.4; rho = -0.6; }; } ); };
book = { trades = (
  { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; },
  { id = "x"; type = "american"; asset = "A"; option = "put"; strike = 105.0; expiry = 1.0; exercise = 6; },
  { id = "y"; type = "american"; asset = "H"; option = "put"; strike = 52.0; expiry = 0.5; exercise = 4; },
  { id = "h"; type = "asian"; asset = "H"; option = "call"; averaging = "arithmetic"; strike_type = "fixed";
    strike = 50.0; fixings = 12; expiry = 1.0; } ); };
risk = { currency = "EUR"; paths = 32768; greeks = [ "delta", "gamma", "vega", "rho" ];
  grids = ( { name = "market"; asset = "*"; spots = [ -0.2, -0.1, 0.0, 0.1, 0.2 ]; volatilities = [ 0.0, 0.05, 0.1, 0.15 ]; } );
  historical = { file = "past.csv"; confidence = [0.75]; }; };
END
    awk 'BEGIN { print "date,A,H"; for (day = 1; day <= 9; day++) printf "2026-10-0%d,%d,%d\n", day, 90 + day * 7 % 11, 50 + day * 5 % 13 }' \
        >"${1%/*}/past.csv"
}
