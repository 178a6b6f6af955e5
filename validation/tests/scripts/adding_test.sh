#!/usr/bin/env bash
# Follows the recipes of docs/adding.md in a copy of the tree: a model that remembers a variance, a
# payoff that jumps, a Greek and a column. The compiler asks by name for what the rows do not say;
# then the program prices with all four.
source validation/tests/folder.sh
copy=$there

mkdir "$copy/validation"
cp -r CMakeLists.txt models kernels app scripts "$copy"
cp -r validation/reference "$copy/validation"
cd "$copy"

# ---- the rows

echo 'MODEL(TWIN, twin, 2, 10, REMEMBERS_CLOCK | REMEMBERS_VARIANCE, TAKES_HESTON)' >>models/dynamics/models.def
echo 'PAYOFF(LEAP, leap, "option strike cash", "", JUMPS | PAYS_ONE_WAY | PAYS_CASH)' >>models/payoffs/payoffs.def
echo 'GREEK(VANNA, vanna, vanna, SPOT, VOLATILITY, ASSET, BUMPS, "1 % of spot and 1 vol point")' >>app/pricing/base/greeks.def
sed -i '/^#undef COLUMN/i PRICE_COLUMN(unit_price, number_field(estimate->price / trade->quantity, AS_GIVEN), \
    ON_PAGE | ON_TERMINAL, "a unit", "the price of one", "unit_price REAL")' app/api/columns.def

# asks FILE WORD: the file does not compile, and the compiler names what is missing.
asks() {
    local said
    if said=$(${CC:-cc} -std=c11 -D_XOPEN_SOURCE=700 -Wall -Werror=switch -fsyntax-only -I. "$1" 2>&1); then
        fail "$1 compiles without $2"
    elif ! grep -q "$2" <<<"$said"; then fail "$1 does not ask for $2: $said"; fi
}
asks models/dynamics/coefficients.c twin_coefficients
asks models/dynamics/coefficients.c twin_longest
asks models/payoffs/payoff_definition.c leap_define
asks models/payoffs/jump.c PRODUCT_LEAP
asks app/config/trade_rules.c check_leap
asks app/config/owed_cash.c PRODUCT_LEAP
asks app/pricing/risk/greeks/greek_errors.c PRODUCT_LEAP
asks app/pricing/value/controls/control_kinds.c PRODUCT_LEAP
asks validation/reference/fixed_today.c PRODUCT_LEAP
asks validation/reference/simulation.c PRODUCT_LEAP
sed 's/\(MODEL(HESTON.*\)TAKES_HESTON/\1TAKES_VOLATILITY/' models/dynamics/models.def >models.def
mv models/dynamics/models.def kept && mv models.def models/dynamics/models.def
asks models/market/market.c 'variance_law() has to say'
mv kept models/dynamics/models.def

# ---- what they ask for

cat >models/dynamics/twin.h <<'C'
#ifndef PRICER_MODELS_DYNAMICS_TWIN_H
#define PRICER_MODELS_DYNAMICS_TWIN_H

#include "models/dynamics/heston.h"

enum { TWIN_COEFFICIENTS = HESTON_COEFFICIENTS };

/* Heston's equations under another name. */
HOST_DEVICE void twin_step(const double *c, const float *table, struct path_state *s,
                           const double *z)
{
    heston_step(c, table, s, z);
}

#endif
C
sed -i 's|#include "models/dynamics/merton.h"|&\n#include "models/dynamics/twin.h"|' models/dynamics/dynamics.h
sed -i 's|^coefficients_function |&twin_coefficients, |; s|^longest_function |&twin_longest, |' \
    models/dynamics/model_coefficients.h
cat >models/dynamics/twin_coefficients.c <<'C'
#include "models/dynamics/model_coefficients.h"

enum status twin_coefficients(const struct market *market, int index,
                              const struct time_step *time_step, double *c, struct lookup *lookup,
                              struct message *why)
{
    return heston_coefficients(market, index, time_step, c, lookup, why);
}

double twin_longest(const struct asset *asset, double date, double max_step)
{
    return heston_longest(asset, date, max_step);
}
C

cat >models/payoffs/leap.h <<'C'
#ifndef PRICER_MODELS_PAYOFFS_LEAP_H
#define PRICER_MODELS_PAYOFFS_LEAP_H

#include "models/payoffs/payoff_definition.h"

/* D (s (S - K) + C) where s (S - K) > 0, else 0. k: 0 sign s, 1 strike K, 2 discount factor D, 3 cash C. */
HOST_DEVICE double leap_value(const struct payoff *p, double a, double b, double c)
{
    (void)b, (void)c;
    double gain = p->k[0] * (path_exp2(a) - p->k[1]);
    return gain > 0.0 ? p->k[2] * (gain + p->k[3]) : 0.0;
}

#ifndef __CUDACC__
static inline void leap_define(const struct market *market, const struct trade *trade,
                               struct payoff_definition *definition)
{
    double *k = definition->payoff.k;
    definition_add_spot(definition, &trade->expiry);
    k[0] = option_sign(trade->option);
    k[1] = trade->strike;
    k[2] = discount_factor(market, trade, trade->expiry);
    k[3] = trade->cash;
}
#endif

#endif
C
sed -i 's|#include "models/payoffs/touch.h"|#include "models/payoffs/leap.h"\n&|' models/payoffs/products.h
sed -i 's|^static void check_digital|static void check_leap(struct reader *reader)\n{\n    check_strike(reader);\n}\n\n&|' \
    app/config/trade_rules.c
sed -i 's|^    case PRODUCT_DIGITAL:|    case PRODUCT_LEAP: return discount * fabs(trade->cash);\n&|' models/payoffs/jump.c
sed -i 's|^    case PRODUCT_ASIAN:|    case PRODUCT_LEAP: return option_pays(trade, spot, trade->strike);\n&|' app/config/owed_cash.c
sed -i 's|^    case PRODUCT_EUROPEAN:|    case PRODUCT_LEAP:\n&|' app/pricing/risk/greeks/greek_errors.c app/pricing/value/controls/control_kinds.c \
    validation/reference/fixed_today.c
sed -i 's|^    case PRODUCT_AMERICAN:|    case PRODUCT_LEAP:\n&|' validation/reference/simulation.c

# ---- the program

export CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1 # where ccache compiles, a second run finds the first
cmake -S . -B build -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O0 -Wno-cpp" -DPRICER_CUDA=OFF \
    -DBUILD_TESTING=OFF >build.log 2>&1 &&
    cmake --build build -j "$(nproc)" --target pricer >>build.log 2>&1 || {
    grep -E 'error|Error' -A4 build.log | head -40
    exit 1
}

# run NAME [OPTION...]: prices NAME.cfg into NAME.csv, NAME.json and NAME.db.
run() {
    build/pricer --quiet --engine=cpu --output="$1.csv" --output="$1.json" --output="$1.db" "${@:2}" "$1.cfg" ||
        fail "$1: exit status $?"
}

# holds WHAT EXPRESSION
holds() {
    awk "BEGIN { exit !($2) }" || fail "$1: $2"
}

# ---- the model: Heston's prices and Greeks, to the bit

for model in heston twin; do
    cat >"$model.cfg" <<BOOK
settings = { paths = 2048; greeks = [ "delta", "vega" ]; };
market = { correlation_default = 0;
  currencies = ( { name = "EUR"; rate = 0.03; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100; model = "$model";
               heston = { v0 = 0.04; kappa = 1.5; theta = 0.06; xi = 0.6; rho = -0.7; }; },
             { name = "B"; currency = "EUR"; spot = 100; volatility = 0.2; } );
  correlations = ( { assets = [ "A", "B" ]; value = 0.5; } );
};
book = { trades = (
  { id = "call"; type = "european"; asset = "A"; option = "call"; strike = 100; expiry = 1.0; },
  { id = "asian"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100; fixings = 12; expiry = 1.0; },
  { id = "put"; type = "american"; asset = "A"; option = "put"; strike = 105; exercise = 6; expiry = 1.0; },
  { id = "out"; type = "barrier"; asset = "A"; option = "call"; strike = 95; barrier = 80; direction = "down"; knock = "out"; monitoring = "continuous"; expiry = 1.0; },
  { id = "both"; type = "basket"; assets = [ "A", "B" ]; kind = "worst_of"; option = "put"; strike = 100; expiry = 1.0; }
); };
BOOK
    run "$model" --check=none
done
[[ $(wc -l <twin.csv) == 6 ]] || fail "the rows of the twin: $(cat twin.csv)"
sed 's/twin/heston/g' twin.csv | diff heston.csv - || fail "the twin's prices are not Heston's"
holds "the variance is there" "$(cell twin.csv call price) > 5 && $(cell twin.csv call vega:A) > 10"

# ---- the payoff, the Greek and the column, beside Black and Scholes

cat >leap.cfg <<'BOOK'
settings = { paths = 131072; greeks = [ "delta", "gamma", "vega", "vanna" ]; };
market = { correlation_default = 0;
  currencies = ( { name = "EUR"; rate = 0.03; } );
  assets = ( { name = "B"; currency = "EUR"; spot = 100; volatility = 0.2; } );
};
book = { trades = (
  { id = "call"; type = "european"; asset = "B"; option = "call"; strike = 110; expiry = 1.0; quantity = -3; },
  { id = "one"; type = "european"; asset = "B"; option = "call"; strike = 110; expiry = 1.0; },
  { id = "digital"; type = "digital"; asset = "B"; option = "call"; strike = 110; payout = "cash"; cash = 20; expiry = 1.0; },
  { id = "leap"; type = "leap"; asset = "B"; option = "call"; strike = 110; cash = 20; expiry = 1.0; }
); };
BOOK
run leap --check=all
build/pricer --engine=cpu --report=leap.html leap.cfg >leap.txt 2>leap.err || fail "the report: $(cat leap.err)"

holds "the leap is a call and a digital" \
    "($(cell leap.csv leap price) - $(cell leap.csv one price) - $(cell leap.csv digital price)) ^ 2 < 1e-18"
for greek in delta vega; do
    far="$(cell leap.csv leap $greek:B) - $(cell leap.csv one $greek:B) - $(cell leap.csv digital $greek:B)" room=0
    for trade in leap one digital; do room="$room + $(cell leap.csv $trade ${greek}_se:B) ^ 2"; done
    holds "so is its $greek" "($far) ^ 2 < 16 * ($room)"
done

# d Delta / d sigma = -phi(d1) d2 / sigma of a call, and phi(d2) D C / S / sigma^2 (d1 d2 - 1) /
# sqrt(T) of a digital.
read -r call digital < <(awk 'BEGIN {
    s = 0.2; d1 = (log(100 / 110) + 0.03 + s * s / 2) / s; d2 = d1 - s; root = sqrt(8 * atan2(1, 1))
    print -exp(-d1 * d1 / 2) / root * d2 / s, exp(-0.03) * 20 * exp(-d2 * d2 / 2) / root / (100 * s * s) * (d1 * d2 - 1) }')
near() {
    holds "vanna of the $1" "($(cell leap.csv "$1" vanna:B) - $2) ^ 2 < (4 * $(cell leap.csv "$1" vanna_se:B) + 0.03 * $3) ^ 2"
    holds "and its error" "$(cell leap.csv "$1" vanna_se:B) < 0.2 * $3"
}
near one "$call" "$call"
near digital "($digital)" 2
near leap "($call + $digital)" 2

grep -q ',note,unit_price,' leap.csv || fail "CSV has no column unit_price"
holds "a unit's price" "($(cell leap.csv call unit_price) * -3 - $(cell leap.csv call price)) ^ 2 < 1e-20"
[[ $(grep -c '"unit_price": [0-9]' leap.json) == 4 ]] || fail "JSON has no unit_price"
head -n 1 leap.txt | grep -q 'status *a unit$' || fail "the terminal has no unit_price: $(head -n 1 leap.txt)"
grep -q '<th scope="col" class="n" title="the price of one">a unit</th>' leap.html || fail "the report has no unit_price"
if command -v sqlite3 >/dev/null; then
    [[ $(sqlite3 leap.db 'SELECT count(*) FROM prices WHERE unit_price > 0') == 4 ]] || fail "the database has no unit_price"
    bumps="SELECT group_concat(DISTINCT bump) FROM greeks JOIN sensitivities USING (run, sensitivity) JOIN trades USING (run, trade)
        WHERE greek IN ('delta', 'gamma') AND id ="
    [[ $(sqlite3 leap.db "$bumps 'one'") == *,* ]] || fail "a smooth payoff has the bumps of one that jumps"
    [[ $(sqlite3 leap.db "$bumps 'leap'") != *,* ]] || fail "a payoff that jumps has the bumps of a smooth one"
    vanna=$(sqlite3 leap.db "SELECT count(*) FROM greeks JOIN sensitivities USING (run, sensitivity)
        WHERE greek = 'vanna' AND method = 'central difference' AND (reference IS NULL OR abs(z) < 5)")
    [[ $vanna == 4 ]] || fail "vannas: $vanna"
    [[ $(sqlite3 twin.db "SELECT group_concat(value) FROM inputs WHERE input LIKE 'heston%'") == \
        $(sqlite3 heston.db "SELECT group_concat(value) FROM inputs WHERE input LIKE 'heston%'") ]] || fail "the inputs of the twin"
fi

[[ $failures == 0 ]] && echo "a model, a payoff, a Greek and a column by the recipes: $(cell leap.csv leap price), vanna $(cell leap.csv leap vanna:B)"
