/* What one key of a trade says of another, product by product, and defaults that depend on other
 * keys. */
#include "app/config/read_trades.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"
#include "models/market/days.h"

static const char *key_name(enum trade_key key)
{
    return trade_table.keys[key].name;
}

/* Complains that `key` is needed because of `reason`. */
static void need(struct trade_reading *reading, enum trade_key key, const char *reason)
{
    if (!given(reading, key))
        complain(reading->reader, reading->group, "%s is missing: %s %s must have it",
                 key_name(key), reading->rules.owner, reason);
}

/* Complains that `key` may not be given because of `reason`. */
static void refuse(struct trade_reading *reading, enum trade_key key, const char *reason)
{
    if (given(reading, key))
        complain(reading->reader, reading->found.at[key],
                 "%s contradicts %s: leave one of the two out", key_name(key), reason);
}

static void check_lower_upper(struct trade_reading *reading)
{
    const struct trade *trade = reading->trade;
    if (!good(reading, KEY_LOWER) || !good(reading, KEY_UPPER) || trade->lower < trade->upper)
        return;
    complain(reading->reader, reading->found.at[KEY_UPPER],
             "upper must be > lower %.10g, got %.10g", trade->lower, trade->upper);
}

/* Options on what cannot fall below zero. */
static void check_strike(struct trade_reading *reading)
{
    double strike;
    if (good(reading, KEY_STRIKE))
        read_number(reading->reader, reading->found.at[KEY_STRIKE],
                    (struct value_range){RANGE_ABOVE, 0, 0}, &strike);
}

/* Checks that a strike is given unless it floats: then it is the average or the extreme itself. */
static void check_strike_type(struct trade_reading *reading)
{
    check_strike(reading);
    if (!good(reading, KEY_STRIKE_TYPE)) return;
    if (reading->trade->strike_type == STRIKE_FIXED)
        need(reading, KEY_STRIKE, "with strike_type = \"fixed\"");
    else refuse(reading, KEY_STRIKE, "strike_type = \"floating\"");
}

static void check_european(struct trade_reading *reading)
{
    check_strike(reading);
}

static void check_lookback(struct trade_reading *reading)
{
    check_strike_type(reading);
}

static void check_digital(struct trade_reading *reading)
{
    check_strike(reading);
    if (good(reading, KEY_PAYOUT) && reading->trade->payout == PAYOUT_ASSET)
        refuse(reading, KEY_CASH, "payout = \"asset\"");
}

/* Checks a barrier and when its rebate is paid: a knock-in that never knocks in is known to be one
 * at expiry only, a knock-out pays its rebate when it is hit unless the book says otherwise. */
static void check_barrier(struct trade_reading *reading)
{
    struct trade *trade = reading->trade;
    check_strike(reading);
    if (!good(reading, KEY_KNOCK)) return;
    if (!given(reading, KEY_REBATE_AT))
        trade->pay_at = trade->knock == KNOCK_OUT ? PAY_AT_HIT : PAY_AT_EXPIRY;
    else if (good(reading, KEY_REBATE_AT) && trade->knock == KNOCK_IN &&
             trade->pay_at == PAY_AT_HIT)
        complain(
            reading->reader, reading->found.at[KEY_REBATE_AT],
            "rebate_at = \"hit\" contradicts knock = \"in\", whose rebate is paid at \"expiry\"");
}

static void check_double_barrier(struct trade_reading *reading)
{
    check_strike(reading);
    check_lower_upper(reading);
}

/* Checks that there is one barrier with its direction, or two barriers. */
static void check_touch_barriers(struct trade_reading *reading)
{
    if (given(reading, KEY_LOWER) || given(reading, KEY_UPPER)) {
        need(reading, KEY_LOWER, "with upper");
        need(reading, KEY_UPPER, "with lower");
        refuse(reading, KEY_BARRIER, "lower and upper");
        refuse(reading, KEY_DIRECTION, "lower and upper");
    } else if (given(reading, KEY_BARRIER) || given(reading, KEY_DIRECTION)) {
        need(reading, KEY_BARRIER, "with direction");
        need(reading, KEY_DIRECTION, "with barrier");
    } else {
        complain(reading->reader, reading->group,
                 "barrier is missing: a touch must have barrier and direction, or lower and upper");
    }
    check_lower_upper(reading);
}

static void check_touch(struct trade_reading *reading)
{
    const struct trade *trade = reading->trade;
    check_touch_barriers(reading);
    if (!good(reading, KEY_TOUCH)) return;
    if (trade->touch == TOUCH_ONE) need(reading, KEY_PAY_AT, "with touch = \"one\"");
    else if (good(reading, KEY_PAY_AT) && trade->pay_at == PAY_AT_HIT)
        complain(reading->reader, reading->found.at[KEY_PAY_AT],
                 "pay_at = \"hit\" contradicts touch = \"no\", which pays at \"expiry\"");
}

/* ---- past of a trade ------------------------------------------------------------------------- */

static void read_past(struct trade_reading *reading)
{
    struct found_keys found;
    if (given(reading, KEY_PAST))
        read_group(reading->reader, &past_tables[reading->trade->product],
                   reading->found.at[KEY_PAST], reading->trade, &found);
}

static void check_forward_start(struct trade_reading *reading)
{
    const struct trade *trade = reading->trade;
    read_past(reading);
    if (!good(reading, KEY_START) || !good(reading, KEY_EXPIRY)) return;
    if (trade->start < 0.0) {
        if (!reading->reader->fixings) need(reading, KEY_PAST, "whose start is before today");
        return;
    }
    if (trade->start > 0.0 && given(reading, KEY_PAST))
        complain(reading->reader, reading->found.at[KEY_PAST],
                 "past contradicts start %.10g, which is still to come: leave one of the two out",
                 trade->start);
    if (trade->start >= trade->expiry)
        complain(reading->reader, reading->found.at[KEY_START],
                 "start must be before expiry %.10g, got %.10g", trade->expiry, trade->start);
    else if (!times_are_distinct(trade->start, trade->expiry))
        complain(reading->reader, reading->found.at[KEY_START],
                 "start must be at least %g years (half a minute) before expiry %.15g, got %.15g",
                 TIMES_APART, trade->expiry, trade->start);
}

static void check_asian(struct trade_reading *reading)
{
    check_strike_type(reading);
    read_past(reading);
}

static void check_variance_swap(struct trade_reading *reading)
{
    read_past(reading);
}

/* ---- several assets -------------------------------------------------------------------------- */

/* Reads one number for each asset into an allocated list; NULL where the key is not given, or after
 * a complaint. */
static double *read_per_asset(struct trade_reading *reading, enum trade_key key,
                              struct value_range range)
{
    const config_setting_t *at = reading->found.at[key];
    int n = 0, n_assets = reading->trade->n_assets;
    double *values = at ? read_numbers(reading->reader, at, range, &n) : NULL;
    if (!values || !n_assets || n == n_assets) return values;
    complain(reading->reader, at, "%s must be as many as assets: got %d for %d assets",
             key_name(key), n, n_assets);
    free(values);
    return NULL;
}

/* Returns the list read, or where it was not given one that holds `value` for each asset. */
static double *or_equal(struct trade_reading *reading, enum trade_key key, double *values,
                        double value)
{
    int n = reading->trade->n_assets;
    if (given(reading, key) || !n) return values;
    values = reader_array(reading->reader, (size_t)n, sizeof *values);
    for (int i = 0; values && i < n; i++) values[i] = value;
    return values;
}

/* Reads the weights of a basket: only a sum can do with negative ones. */
static void read_weights(struct trade_reading *reading)
{
    struct trade *trade = reading->trade;
    if (!good(reading, KEY_KIND)) return;
    bool is_sum = trade->kind == BASKET_AVERAGE;
    struct value_range range = {is_sum ? RANGE_NOT : RANGE_ABOVE, 0, 0};
    trade->weights = read_per_asset(reading, KEY_WEIGHTS, range);
    trade->weights = or_equal(reading, KEY_WEIGHTS, trade->weights,
                              is_sum && trade->n_assets ? 1.0 / trade->n_assets : 1.0);
}

static void check_basket(struct trade_reading *reading)
{
    read_weights(reading);
    if (good(reading, KEY_KIND) && reading->trade->kind != BASKET_AVERAGE) check_strike(reading);
}

static void check_spread(struct trade_reading *reading)
{
    struct trade *trade = reading->trade;
    if (trade->n_assets && trade->n_assets != 2)
        complain(reading->reader, reading->found.at[KEY_ASSETS],
                 "assets of a spread must be two, got %d", trade->n_assets);
    if (trade->n_assets != 2) return;
    trade->weights = read_per_asset(reading, KEY_WEIGHTS, (struct value_range){RANGE_NOT, 0, 0});
    trade->weights = or_equal(reading, KEY_WEIGHTS, trade->weights, 1.0);
    if (!trade->weights) return;
    if (!given(reading, KEY_WEIGHTS)) trade->weights[1] = -1.0;
    if (trade->weights[0] * trade->weights[1] > 0.0)
        complain(
            reading->reader, reading->found.at[KEY_WEIGHTS],
            "weights of a spread must have opposite signs, got %.10g and %.10g; a sum is a basket",
            trade->weights[0], trade->weights[1]);
}

/* Checks that an american is on one `asset`, or on a basket of `assets`. */
static void check_american(struct trade_reading *reading)
{
    check_strike(reading);
    if (!given(reading, KEY_ASSETS)) {
        refuse(reading, KEY_KIND, "asset");
        refuse(reading, KEY_WEIGHTS, "asset");
        return;
    }
    if (reading->trade->n_assets == 1)
        complain(reading->reader, reading->found.at[KEY_ASSETS],
                 "assets of an american must be two or more: write asset for one");
    need(reading, KEY_KIND, "with assets");
    read_weights(reading);
}

/* ---- several dates --------------------------------------------------------------------------- */

static void check_floor_and_cap(struct trade_reading *reading, enum trade_key floor_key,
                                double *floor, enum trade_key cap_key, double *cap)
{
    if (!given(reading, floor_key)) *floor = -HUGE_VAL;
    if (!given(reading, cap_key)) *cap = HUGE_VAL;
    if (good(reading, floor_key) && good(reading, cap_key) && *floor > *cap)
        complain(reading->reader, reading->found.at[cap_key], "%s must be >= %s %.10g, got %.10g",
                 key_name(cap_key), key_name(floor_key), *floor, *cap);
}

static void check_cliquet(struct trade_reading *reading)
{
    struct trade *trade = reading->trade;
    const struct schedule *resets = &trade->resets;
    read_past(reading);
    check_floor_and_cap(reading, KEY_LOCAL_FLOOR, &trade->local_floor, KEY_LOCAL_CAP,
                        &trade->local_cap);
    check_floor_and_cap(reading, KEY_GLOBAL_FLOOR, &trade->global_floor, KEY_GLOBAL_CAP,
                        &trade->global_cap);
    if (resets->n && resets->times[resets->n - 1] >= trade->expiry)
        complain(reading->reader, reading->found.at[KEY_RESET_TIMES],
                 "reset_times must be before expiry %.10g, got %.10g", trade->expiry,
                 resets->times[resets->n - 1]);
}

/* Checks the observations that have been made, none of which called the note. */
static void check_observed(struct trade_reading *reading)
{
    const struct trade *trade = reading->trade;
    const config_setting_t *at = reading->found.at[KEY_PAST];
    if (!given(reading, KEY_PAST)) return;
    read_past(reading);
    need(reading, KEY_INITIAL, "with past");
    if (trade->past_missed > trade->past_observations && trade->past_observations)
        complain(reading->reader, at, "missed must be at most observations %d, got %d",
                 trade->past_observations, trade->past_missed);
    if (trade->past_missed && !trade->memory)
        complain(reading->reader, at,
                 "missed contradicts memory = false: coupons that are missed are lost, leave "
                 "missed out");
}

/* Makes a coupon a year one of each observation, for the period that ends there: one for all where
 * the periods are as long, those that have passed too; memory wants those to come so. */
static void take_coupon_years(struct trade_reading *reading)
{
    struct trade *trade = reading->trade;
    const config_setting_t *at = reading->found.at[KEY_COUPON_DAY_COUNT];
    int count, n = trade->observations.n;
    if (!at || !read_choice(reading->reader, at, day_count_words, &count) ||
        !good(reading, KEY_OBSERVATION_TIMES))
        return;
    if (!reading->rule.n) {
        complain(reading->reader, at,
                 "coupon_day_count needs a rule for observation_times, whose periods it counts: { "
                 "every = \"3M\"; }");
        return;
    }
    int all = reading->rule.n, passed = reading->rule.n_passed;
    int first = trade->memory && n ? passed : 0, other = first;
    const long *days = reading->rule.days;
    double *years = reader_array(reading->reader, (size_t)all, sizeof *years);
    for (int i = 0; years && i < all; i++)
        years[i] = day_count_years((enum day_count)count, days[i], days[i + 1]);
    while (years && other < all && years[other] == years[first]) other++;
    if (years && other == all) trade->coupon *= years[first];
    else if (years && n && trade->memory)
        complain(reading->reader, at,
                 "coupon_day_count makes periods of %.10g and %.10g years: with memory = true they "
                 "must be as long, as \"30/360\" without a calendar counts them",
                 years[first], years[other]);
    else if (years && n) {
        trade->coupon_years = memmove(years, years + passed, sizeof(double) * (size_t)n);
        return;
    }
    free(years);
}

static void check_autocallable(struct trade_reading *reading)
{
    struct trade *trade = reading->trade;
    take_coupon_years(reading);
    if (!given(reading, KEY_COUPON_LEVEL)) trade->coupon_level = trade->call_level;
    check_observed(reading);
    trade->initial = read_per_asset(reading, KEY_INITIAL, (struct value_range){RANGE_ABOVE, 0, 0});
    if (!given(reading, KEY_INITIAL)) trade->initial = trade->today;
}

/* ---- without paths --------------------------------------------------------------------------- */

/* Checks that the mean of a quanto is known: by volatilities of the asset and of the rate. */
static void check_forward(struct trade_reading *reading)
{
    const struct reader *reader = reading->reader;
    const struct trade *trade = reading->trade;
    if (!trade->assets || trade->quanto < 0 || trade->asset < 0) return;
    const struct asset *asset = &reader->assets[trade->asset], *fx = &reader->assets[trade->quanto];
    if (asset->currency == fx->currency ||
        (asset->model == MODEL_BLACK_SCHOLES && fx->model == MODEL_BLACK_SCHOLES))
        return;
    complain(reading->reader, reading->found.at[KEY_QUANTO],
             "quanto must be left out: the mean of '%s' paid at '%s' is exact with the model "
             "black_scholes of both alone",
             asset->name, fx->name);
}

void check_rules(struct trade_reading *reading)
{
    static void (*const rules[N_PRODUCTS])(struct trade_reading *) = {
#define PAYOFF(NAME, name, ...) [PRODUCT_##NAME] = check_##name,
#include "models/payoffs/payoffs.def"
#undef PAYOFF
        [PRODUCT_FORWARD] = check_forward,
        [PRODUCT_FUTURE] = check_forward,
    };
    if (reading->trade->product < N_PRODUCTS && rules[reading->trade->product])
        rules[reading->trade->product](reading);
}
