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
static void need(struct reader *reader, enum trade_key key, const char *reason)
{
    if (!given(reader, key))
        complain(reader, reader->group, "%s is missing: %s %s must have it", key_name(key),
                 reader->rules.owner, reason);
}

/* Complains that `key` may not be given because of `reason`. */
static void refuse(struct reader *reader, enum trade_key key, const char *reason)
{
    if (given(reader, key))
        complain(reader, reader->found.at[key], "%s contradicts %s: leave one of the two out",
                 key_name(key), reason);
}

static void check_lower_upper(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    if (!good(reader, KEY_LOWER) || !good(reader, KEY_UPPER) || trade->lower < trade->upper) return;
    complain(reader, reader->found.at[KEY_UPPER], "upper must be > lower %.10g, got %.10g",
             trade->lower, trade->upper);
}

/* Options on what cannot fall below zero. */
static void check_strike(struct reader *reader)
{
    double strike;
    if (good(reader, KEY_STRIKE))
        read_number(reader, reader->found.at[KEY_STRIKE], (struct value_range){RANGE_ABOVE, 0, 0},
                    &strike);
}

/* Checks that a strike is given unless it floats: then it is the average or the extreme itself. */
static void check_strike_type(struct reader *reader)
{
    check_strike(reader);
    if (!good(reader, KEY_STRIKE_TYPE)) return;
    if (reader->trade->strike_type == STRIKE_FIXED)
        need(reader, KEY_STRIKE, "with strike_type = \"fixed\"");
    else refuse(reader, KEY_STRIKE, "strike_type = \"floating\"");
}

static void check_european(struct reader *reader)
{
    check_strike(reader);
}

static void check_lookback(struct reader *reader)
{
    check_strike_type(reader);
}

static void check_digital(struct reader *reader)
{
    check_strike(reader);
    if (good(reader, KEY_PAYOUT) && reader->trade->payout == PAYOUT_ASSET)
        refuse(reader, KEY_CASH, "payout = \"asset\"");
}

/* Checks a barrier and when its rebate is paid: a knock-in that never knocks in is known to be one
 * at expiry only, a knock-out pays its rebate when it is hit unless the book says otherwise. */
static void check_barrier(struct reader *reader)
{
    struct trade *trade = reader->trade;
    check_strike(reader);
    if (!good(reader, KEY_KNOCK)) return;
    if (!given(reader, KEY_REBATE_AT))
        trade->pay_at = trade->knock == KNOCK_OUT ? PAY_AT_HIT : PAY_AT_EXPIRY;
    else if (good(reader, KEY_REBATE_AT) && trade->knock == KNOCK_IN && trade->pay_at == PAY_AT_HIT)
        complain(
            reader, reader->found.at[KEY_REBATE_AT],
            "rebate_at = \"hit\" contradicts knock = \"in\", whose rebate is paid at \"expiry\"");
}

static void check_double_barrier(struct reader *reader)
{
    check_strike(reader);
    check_lower_upper(reader);
}

/* Checks that there is one barrier with its direction, or two barriers, and when it pays. */
static void check_touch(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    if (given(reader, KEY_LOWER) || given(reader, KEY_UPPER)) {
        need(reader, KEY_LOWER, "with upper");
        need(reader, KEY_UPPER, "with lower");
        refuse(reader, KEY_BARRIER, "lower and upper");
        refuse(reader, KEY_DIRECTION, "lower and upper");
    } else if (given(reader, KEY_BARRIER) || given(reader, KEY_DIRECTION)) {
        need(reader, KEY_BARRIER, "with direction");
        need(reader, KEY_DIRECTION, "with barrier");
    } else {
        complain(reader, reader->group,
                 "barrier is missing: a touch must have barrier and direction, or lower and upper");
    }
    check_lower_upper(reader);
    if (!good(reader, KEY_TOUCH)) return;
    if (trade->touch == TOUCH_ONE) need(reader, KEY_PAY_AT, "with touch = \"one\"");
    else if (good(reader, KEY_PAY_AT) && trade->pay_at == PAY_AT_HIT)
        complain(reader, reader->found.at[KEY_PAY_AT],
                 "pay_at = \"hit\" contradicts touch = \"no\", which pays at \"expiry\"");
}

/* ---- past of a trade ------------------------------------------------------------------------- */

static void read_past(struct reader *reader)
{
    read_group(reader, &past_tables[reader->trade->product], reader->found.at[KEY_PAST],
               reader->trade);
}

static void check_forward_start(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    read_past(reader);
    if (!good(reader, KEY_START) || !good(reader, KEY_EXPIRY)) return;
    if (trade->start < 0.0) {
        if (!reader->fixings) need(reader, KEY_PAST, "whose start is before today");
        return;
    }
    if (trade->start > 0.0 && given(reader, KEY_PAST))
        complain(reader, reader->found.at[KEY_PAST],
                 "past contradicts start %.10g, which is still to come: leave one of the two out",
                 trade->start);
    if (trade->start >= trade->expiry)
        complain(reader, reader->found.at[KEY_START],
                 "start must be before expiry %.10g, got %.10g", trade->expiry, trade->start);
    else if (!times_are_distinct(trade->start, trade->expiry))
        complain(reader, reader->found.at[KEY_START],
                 "start must be at least %g years (half a minute) before expiry %.15g, got %.15g",
                 TIMES_APART, trade->expiry, trade->start);
}

static void check_asian(struct reader *reader)
{
    check_strike_type(reader);
    read_past(reader);
}

static void check_variance_swap(struct reader *reader)
{
    read_past(reader);
    note_variance(reader, reader->found.at[KEY_PAST], "past.variance",
                  reader->trade->past_variance);
}

/* ---- several assets -------------------------------------------------------------------------- */

/* Reads one number for each asset into an allocated list, which holds `value` for each where the
 * key is not given; NULL after a complaint, or without assets. */
static double *read_per_asset(struct reader *reader, enum trade_key key, struct value_range range,
                              double value)
{
    const config_setting_t *at = reader->found.at[key];
    int n = 0, n_assets = reader->trade->n_assets;
    double *values = NULL;
    if (at) values = read_numbers(reader, at, range, &n);
    else if (n_assets) values = reader_array(reader, (size_t)n_assets, sizeof *values);
    for (int i = 0; !at && values && i < n_assets; i++) values[i] = value;
    if (!at || !values || !n_assets || n == n_assets) return values;
    complain(reader, at, "%s must be as many as assets: got %d for %d assets", key_name(key), n,
             n_assets);
    free(values);
    return NULL;
}

/* Reads the weights of a basket: only a sum can do with negative ones. */
static void read_weights(struct reader *reader)
{
    struct trade *trade = reader->trade;
    if (!good(reader, KEY_KIND)) return;
    bool is_sum = trade->kind == BASKET_AVERAGE;
    struct value_range range = {is_sum ? RANGE_NOT : RANGE_ABOVE, 0, 0};
    trade->weights = read_per_asset(reader, KEY_WEIGHTS, range,
                                    is_sum && trade->n_assets ? 1.0 / trade->n_assets : 1.0);
}

static void check_basket(struct reader *reader)
{
    read_weights(reader);
    if (good(reader, KEY_KIND) && reader->trade->kind != BASKET_AVERAGE) check_strike(reader);
}

static void check_spread(struct reader *reader)
{
    struct trade *trade = reader->trade;
    if (trade->n_assets && trade->n_assets != 2)
        complain(reader, reader->found.at[KEY_ASSETS], "assets of a spread must be two, got %d",
                 trade->n_assets);
    if (trade->n_assets != 2) return;
    trade->weights =
        read_per_asset(reader, KEY_WEIGHTS, (struct value_range){RANGE_NOT, 0, 0}, 1.0);
    if (!trade->weights) return;
    if (!given(reader, KEY_WEIGHTS)) trade->weights[1] = -1.0;
    if (trade->weights[0] * trade->weights[1] > 0.0)
        complain(
            reader, reader->found.at[KEY_WEIGHTS],
            "weights of a spread must have opposite signs, got %.10g and %.10g; a sum is a basket",
            trade->weights[0], trade->weights[1]);
}

/* Checks that an american is on one `asset`, or on a basket of `assets`. */
static void check_american(struct reader *reader)
{
    check_strike(reader);
    if (!given(reader, KEY_ASSETS)) {
        refuse(reader, KEY_KIND, "asset");
        refuse(reader, KEY_WEIGHTS, "asset");
        return;
    }
    if (reader->trade->n_assets == 1)
        complain(reader, reader->found.at[KEY_ASSETS],
                 "assets of an american must be two or more: write asset for one");
    need(reader, KEY_KIND, "with assets");
    read_weights(reader);
    const struct trade *trade = reader->trade;
    for (int i = 0; trade->weights && i < trade->n_assets; i++) {
        if (trade->weights[i] > 0.0) continue;
        complain(
            reader, reader->found.at[KEY_WEIGHTS],
            "weights of an american must be > 0, got %.10g: its decisions look at the sum alone; "
            "type = \"american_spread\" looks at each asset",
            trade->weights[i]);
        break;
    }
}

/* ---- several dates --------------------------------------------------------------------------- */

static void check_floor_and_cap(struct reader *reader, enum trade_key floor_key, double *floor,
                                enum trade_key cap_key, double *cap)
{
    if (!given(reader, floor_key)) *floor = -HUGE_VAL;
    if (!given(reader, cap_key)) *cap = HUGE_VAL;
    if (good(reader, floor_key) && good(reader, cap_key) && *floor > *cap)
        complain(reader, reader->found.at[cap_key], "%s must be >= %s %.10g, got %.10g",
                 key_name(cap_key), key_name(floor_key), *floor, *cap);
}

static void check_cliquet(struct reader *reader)
{
    struct trade *trade = reader->trade;
    const struct schedule *resets = &trade->resets;
    read_past(reader);
    check_floor_and_cap(reader, KEY_LOCAL_FLOOR, &trade->local_floor, KEY_LOCAL_CAP,
                        &trade->local_cap);
    check_floor_and_cap(reader, KEY_GLOBAL_FLOOR, &trade->global_floor, KEY_GLOBAL_CAP,
                        &trade->global_cap);
    if (resets->n && resets->times[resets->n - 1] >= trade->expiry)
        complain(reader, reader->found.at[KEY_RESET_TIMES],
                 "reset_times must be before expiry %.10g, got %.10g", trade->expiry,
                 resets->times[resets->n - 1]);
}

/* Makes a coupon a year one of each observation, for the period that ends there: one for all where
 * the periods are as long, those that have passed too; memory wants those to come so. */
static void take_coupon_years(struct reader *reader)
{
    struct trade *trade = reader->trade;
    const config_setting_t *at = reader->found.at[KEY_COUPON_DAY_COUNT];
    int count, n = trade->observations.n;
    if (!at || !read_choice(reader, at, day_count_words, &count) ||
        !good(reader, KEY_OBSERVATION_TIMES))
        return;
    if (!reader->rule.n) {
        complain(reader, at,
                 "coupon_day_count needs a rule for observation_times, whose periods it counts: { "
                 "every = \"3M\"; }");
        return;
    }
    int all = reader->rule.n, passed = reader->rule.n_passed;
    int first = trade->memory && n ? passed : 0, other = first;
    const long *days = reader->rule.days;
    double *years = reader_array(reader, (size_t)all, sizeof *years);
    for (int i = 0; years && i < all; i++)
        years[i] = day_count_years((enum day_count)count, days[i], days[i + 1]);
    while (years && other < all && years[other] == years[first]) other++;
    if (years && other == all) trade->coupon *= years[first];
    else if (years && n && trade->memory)
        complain(reader, at,
                 "coupon_day_count makes periods of %.10g and %.10g years: with memory = true they "
                 "must be as long, as \"30/360\" without a calendar counts them",
                 years[first], years[other]);
    else if (years && n) {
        trade->coupon_years = memmove(years, years + passed, sizeof(double) * (size_t)n);
        return;
    }
    free(years);
}

/* Checks what has passed of a note that no observation has called. */
static void check_autocallable(struct reader *reader)
{
    struct trade *trade = reader->trade;
    const config_setting_t *past = reader->found.at[KEY_PAST];
    take_coupon_years(reader);
    if (!given(reader, KEY_COUPON_LEVEL)) trade->coupon_level = trade->call_level;
    read_past(reader);
    if (past) need(reader, KEY_INITIAL, "with past");
    if (trade->past_missed > trade->past_observations && trade->past_observations)
        complain(reader, past, "missed must be at most observations %d, got %d",
                 trade->past_observations, trade->past_missed);
    if (trade->past_missed && !trade->memory)
        complain(reader, past,
                 "missed contradicts memory = false: coupons that are missed are lost, leave "
                 "missed out");
    trade->initial = trade->today;
    if (given(reader, KEY_INITIAL))
        trade->initial =
            read_per_asset(reader, KEY_INITIAL, (struct value_range){RANGE_ABOVE, 0, 0}, 0.0);
}

/* Checks that the mean of a quanto is known: by volatilities of the asset and of the rate. */
static void check_forward(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    if (!trade->assets || trade->asset < 0) return;
    int rate = quanto_rate(reader->assets, &trade->quanto, trade->asset);
    if (rate < 0) return;
    const struct asset *asset = &reader->assets[trade->asset], *fx = &reader->assets[rate];
    if (asset->model == MODEL_BLACK_SCHOLES && fx->model == MODEL_BLACK_SCHOLES) return;
    complain(reader, reader->found.at[KEY_QUANTO],
             "quanto must be left out: the mean of '%s' paid at '%s' is exact with the model "
             "black_scholes of both alone",
             asset->name, fx->name);
}

void check_rules(struct reader *reader)
{
    static void (*const rules[N_PRODUCTS])(struct reader *) = {
#define PAYOFF(NAME, name, ...) [PRODUCT_##NAME] = check_##name,
#include "models/payoffs/payoffs.def"
#undef PAYOFF
        [PRODUCT_FORWARD] = check_forward,
        [PRODUCT_FUTURE] = check_forward,
    };
    if (reader->trade->product < N_PRODUCTS && rules[reader->trade->product])
        rules[reader->trade->product](reader);
}
