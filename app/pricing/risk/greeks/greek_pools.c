#include "app/pricing/risk/greeks/greek_pools.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdlib.h>

#include "app/pricing/risk/greeks/conditional.h"
#include "app/pricing/risk/greeks/crossings.h"
#include "app/pricing/risk/greeks/likelihood_ratio.h"
#include "app/pricing/risk/greeks/slopes.h"
#include "app/pricing/risk/greeks/table_roughness.h"
#include "app/pricing/value/linear_value.h"
#include "models/payoffs/payoff_definition.h"
#include "models/payoffs/scripted.h"

/* ---- keys ------------------------------------------------------------------------------------ */

struct pool_key {
    int trade, n_assets, currency, quanto, span;
    bool linear, jumps, same_exercise, decides, by_likelihood, by_slopes, on_tables;
    double max_spot_bump;
    struct turns turns;
    double alike, intensity;
    int assets[TRADE_ASSETS_MAX]; /* increasing */
    double first_date, last_date, to_pillar;
};

bool can_exercise_alike(const struct market *market, const struct trade *trade)
{
    bool alike = product_has(trade->product, EARLY_EXERCISE);
    for (int i = 0; i < trade_n_assets(trade); i++) {
        enum model model = market->assets[trade_asset(trade, i)].model;
        alike &= !model_takes(model, TAKES_HISTORY) &&
                 (trade_n_assets(trade) == 1 || !model_takes(model, TAKES_SURFACE));
    }
    return alike;
}

bool pool_has(const struct greek_pool *pool, enum greek greek)
{
    enum slope first = greek_rows[greek].first;
    bool of_spot = first == SLOPE_SPOT || first == SLOPE_TIME;
    return pool->greeks == POOL_OF_ALL || (pool->greeks == POOL_OF_SPOTS) == of_spot;
}

bool pool_leaves_out(const struct greek_pool *pool, enum greek greek)
{
    if (pool->by_likelihood && greek_rows[greek].method == METHOD_LIKELIHOOD) return true;
    return pool->by_slopes && is_of_spots(greek);
}

/* Products that pay at a jump of the spot, where they look at it on dates (at every moment the
 * bridge makes barriers smooth) and no conditional expectation stands for them, and early exercise,
 * which a path takes or leaves, where it is not on the same paths under all bumps. */
static bool payoff_jumps(const struct market *market, const struct trade *trade)
{
    if (conditional_pivot(market, trade) > 0.0 || can_exercise_alike(market, trade)) return false;
    return trade_has(trade, JUMPS | EARLY_EXERCISE) ||
           (product_has(trade->product, JUMPS_ON_DATES) && !trade->monitoring.continuous);
}

static void take_first(const struct schedule *schedule, double *first)
{
    for (int i = 0; i < schedule->n; i++)
        if (schedule->times[i] > 0.0) *first = fmin(*first, schedule->times[i]);
}

static double first_date_of(const struct trade *trade)
{
    double first = trade_first_date(trade);
    if (first <= 0.0) return 1.0; /* nothing depends on it */
    for (int i = 0; i < N_SCHEDULES; i++) take_first(trade_schedule(trade, i), &first);
    if (trade->start > 0.0) first = fmin(first, trade->start);
    return first;
}

/* ---- where curves turn ----------------------------------------------------------------------- */

#define NO_DISTANCE 1e-9 /* years: a date is at a curve's pillars */

/* The least distance of a trade's date, or of today, to a curve's pillar. */
static double years_to_pillar(const struct term_structure *curve, const struct trade *trade,
                              double least)
{
    const double ends[] = {0.0,
                           trade->start,
                           trade->expiry,
                           trade->expiry + trade->payment_lag,
                           trade_first_date(trade),
                           trade_last_date(trade)};
    const struct schedule all_ends = {.n = 6, .times = (double *)ends};
    for (int s = 0; s <= N_SCHEDULES; s++) {
        const struct schedule *dates = s ? trade_schedule(trade, s - 1) : &all_ends;
        for (int i = 0, c = 0; curve->n > 1 && i < dates->n; i++) {
            while (c + 1 < curve->n && curve->time[c + 1] <= dates->times[i]) c++;
            for (int next = c; next < curve->n && next <= c + 1; next++) {
                double distance = fabs(curve->time[next] - dates->times[i]);
                if (distance > NO_DISTANCE) least = fmin(least, distance);
            }
        }
    }
    return least;
}

bool steps_at_pillars_of(const struct trade *trade)
{
    return trade->monitoring.continuous || trade_n_assets(trade) > 1;
}

static double pillar_distance_of(const struct market *market, const struct trade *trade)
{
    double least = HUGE_VAL;
    const struct currency *paid = &market->currencies[trade_currency(market, trade)];
    if (has_linear_value(trade)) least = years_to_pillar(&paid->rate, trade, least);
    for (int i = 0; i <= trade_n_assets(trade); i++) {
        int a = i < trade_n_assets(trade) ? trade_asset(trade, i) : trade->quanto;
        if (a < 0) continue;
        const struct asset *asset = &market->assets[a];
        least = years_to_pillar(&market->currencies[asset->currency].rate, trade, least);
        least = years_to_pillar(&asset->yield, trade, least);
        least = years_to_pillar(&asset->variance, trade, least);
    }
    return least;
}

/* ---- levels that are watched at every moment ------------------------------------------------- */

/* The level at which the value of a lookback turns: the extreme so far, or a fixed strike if that
 * lies beyond it. */
static double level_of_lookback(const struct trade *trade)
{
    bool floating = trade->strike_type == STRIKE_FLOATING,
         highest = (trade->option == OPTION_CALL) != floating;
    double strike = floating ? 0.0 : trade->strike;
    if (highest || trade->extreme == 0.0) return fmax(trade->extreme, strike);
    return strike > 0.0 ? fmin(trade->extreme, strike) : trade->extreme;
}

/* How far the spot is from a level, over the spot; HUGE_VAL where it is at it, or where there is no
 * level. */
static double distance_to(double level, double spot)
{
    double distance = fabs(level / spot - 1.0);
    return level > 0.0 && level < HUGE_VAL && distance > 0.0 ? distance : HUGE_VAL;
}

/* A value that turns or ends at a level of today's spot has no differences across it. */
static double nearest_level(const struct market *market, const struct trade *trade)
{
    if (!trade->monitoring.continuous || trade->hit || !trade_has_paths(trade)) return HUGE_VAL;
    double spot = market->assets[trade->asset].spot;
    if (trade->product == PRODUCT_LOOKBACK) return distance_to(level_of_lookback(trade), spot);
    return fmin(distance_to(trade->barrier, spot),
                fmin(distance_to(trade->lower, spot), distance_to(trade->upper, spot)));
}

/* Half a deviation to the first date of a lookback that looks on dates, where its level is within a
 * few of them: the second slope there is a tail of the law to that date. */
static double first_look_bump(const struct market *market, const struct trade *trade)
{
    if (trade->product != PRODUCT_LOOKBACK || trade->monitoring.continuous ||
        !trade_has_paths(trade))
        return HUGE_VAL;
    const struct asset *asset = &market->assets[trade->asset];
    double t = first_date_of(trade), deviation = asset_volatility(asset, t) * sqrt(t);
    double distance = distance_to(level_of_lookback(trade), asset->spot);
    return distance < 5.0 * deviation ? 0.5 * deviation : HUGE_VAL;
}

/* Half the distance, rounded down to a power of two, so that trades that are about as near share
 * their bumps; HUGE_VAL where no bump goes as far. */
static double max_spot_bump_of(const struct market *market, const struct trade *trade,
                               double watched)
{
    double most =
        fmin(0.5 * fmin(nearest_level(market, trade), watched), first_look_bump(market, trade));
    return most < LARGEST_BUMP ? exp2(floor(log2(most))) : HUGE_VAL;
}

/* ---- keys of a trade ------------------------------------------------------------------------- */

static const struct turns no_turns = {HUGE_VAL, HUGE_VAL, HUGE_VAL, 0};

/* Expiries within a factor of 16 share a pool: powers of 16 years. */
static int span_of(double expiry)
{
    return (int)lround(log2(expiry) / 4.0);
}

static double years_of(int span)
{
    return pow(16.0, span);
}

/* The last date that decides what is paid at the expiry, or before it. */
static double last_seen(const struct trade *trade)
{
    double last = 0.0;
    if (trade->product == PRODUCT_ASIAN && trade->strike_type == STRIKE_FIXED && trade->fixings.n)
        last = trade->fixings.times[trade->fixings.n - 1];
    for (int i = 0; trade->scripted && i < trade->scripted->program.n_inputs; i++)
        last = fmax(last, trade->scripted->program.inputs[i].date);
    return last > 0.0 ? last : trade->expiry;
}

static double size_of_correlation(const struct market *market, int a, int b)
{
    return fabs(market->correlation[(size_t)a * (size_t)market->n_assets + (size_t)b]);
}

static enum status find_turns(const struct market *market, const struct trade *trade,
                              struct pool_key *key)
{
    double years = years_of(key->span);
    const struct greek_pool pool = {.years = years,
                                    .first_date = key->first_date,
                                    .jumps = key->jumps,
                                    .same_exercise = key->same_exercise,
                                    .on_tables = key->on_tables,
                                    .alike = key->alike};
    const struct bump_sizes sizes = pool_bump_sizes(&pool, 1 << 20);
    const struct turns widest = {sqrt(years) * sizes.delta, sqrt(years) * sizes.spot, HUGE_VAL, 0};
    return turns_find(market, trade, years, widest, &key->turns);
}

static enum status make_pool_key(const struct market *market, const struct trade *trade, int index,
                                 struct pool_key *key)
{
    enum status status = STATUS_OK;
    bool linear = !trade_has_paths(trade);
    double last = linear ? trade_last_date(trade) : trade->expiry;
    if (last <= 0.0) last = 1.0;
    *key = (struct pool_key){.trade = index,
                             .linear = linear,
                             .currency = trade_currency(market, trade),
                             .n_assets = trade_n_assets(trade),
                             .quanto = trade->expired ? -1 : trade->quanto,
                             .span = span_of(linear ? last : last_seen(trade)),
                             .jumps = !linear && payoff_jumps(market, trade),
                             .same_exercise = !linear && can_exercise_alike(market, trade),
                             .decides = !linear && trade_has(trade, DECIDES),
                             .by_likelihood = !linear && has_likelihood_ratio(market, trade),
                             .by_slopes = !linear && has_slopes_at_exercise(market, trade),
                             .turns = no_turns,
                             .first_date = first_date_of(trade),
                             .last_date = last,
                             .to_pillar = pillar_distance_of(market, trade)};
    for (int i = 0; i < key->n_assets; i++) {
        int at = i, asset = trade_asset(trade, i);
        key->on_tables |= model_takes(market->assets[asset].model, TAKES_SURFACE);
        if (model_takes(market->assets[asset].model, TAKES_JUMPS))
            key->intensity = fmax(key->intensity, market->assets[asset].jumps.intensity);
        for (; at && key->assets[at - 1] > asset; at--) key->assets[at] = key->assets[at - 1];
        key->assets[at] = asset;
        for (int j = 0; j < i; j++)
            key->alike =
                fmax(key->alike, size_of_correlation(market, asset, trade_asset(trade, j)));
    }
    if (!linear) TRY(find_turns(market, trade, key));
    key->max_spot_bump = max_spot_bump_of(market, trade, key->turns.watched);
done:
    return status;
}

static int compare_keys(const struct pool_key *a, const struct pool_key *b)
{
    if (a->n_assets != b->n_assets) return a->n_assets - b->n_assets;
    for (int i = 0; i < a->n_assets; i++)
        if (a->assets[i] != b->assets[i]) return a->assets[i] - b->assets[i];
    if (a->linear != b->linear) return a->linear - b->linear;
    if (a->linear && a->currency != b->currency) return a->currency - b->currency;
    if (a->quanto != b->quanto) return a->quanto - b->quanto;
    if (a->span != b->span) return a->span - b->span;
    if (a->jumps != b->jumps) return a->jumps - b->jumps;
    if (a->same_exercise != b->same_exercise) return a->same_exercise - b->same_exercise;
    if (a->decides != b->decides) return a->decides - b->decides;
    if (a->turns.squares != b->turns.squares) return a->turns.squares - b->turns.squares;
    if (a->by_slopes != b->by_slopes) return a->by_slopes - b->by_slopes;
    return a->by_likelihood - b->by_likelihood;
}

static int compare_levels(const struct pool_key *a, const struct pool_key *b)
{
    const double levels[][2] = {{a->max_spot_bump, b->max_spot_bump},
                                {a->turns.delta, b->turns.delta},
                                {a->turns.gamma, b->turns.gamma}};
    for (int i = 0; i < 3; i++)
        if (levels[i][0] != levels[i][1]) return levels[i][0] < levels[i][1] ? -1 : 1;
    return 0;
}

static int compare_pool_keys(const void *a, const void *b)
{
    const struct pool_key *p = a, *q = b;
    int keys = compare_keys(p, q), levels = compare_levels(p, q);
    return keys ? keys : levels ? levels : p->trade - q->trade;
}

/* ---- pools ----------------------------------------------------------------------------------- */

/* Adds the pool of n keys, whose trades are those of `order`. */
static void add_pool(int n, const struct trade *trades, const struct pool_key *keys,
                     const int *order, enum pool_greeks greeks, struct greek_pools *pools)
{
    struct greek_pool *pool = &pools->pools[pools->n++];
    *pool = (struct greek_pool){.greeks = greeks,
                                .n = n,
                                .trades = order,
                                .years = years_of(keys->span),
                                .first_date = keys->first_date,
                                .to_pillar = HUGE_VAL,
                                .linear = keys->linear,
                                .jumps = keys->jumps,
                                .max_spot_bump =
                                    greeks == POOL_OF_REST ? HUGE_VAL : keys->max_spot_bump,
                                .turns = greeks == POOL_OF_REST ? no_turns : keys->turns,
                                .alike = keys->alike,
                                .squares = keys->turns.squares,
                                .same_exercise = keys->same_exercise,
                                .decides = keys->decides,
                                .by_likelihood = keys->by_likelihood,
                                .by_slopes = keys->by_slopes,
                                .intensity = keys->intensity,
                                .on_tables = keys->on_tables};
    for (int i = 0; i < n; i++) {
        const struct trade *trade = &trades[keys[i].trade];
        pool->first_date = fmin(pool->first_date, keys[i].first_date);
        pool->last_date = fmax(pool->last_date, keys[i].last_date);
        pool->last_payment = fmax(pool->last_payment, keys[i].last_date + trade->payment_lag);
        pool->to_pillar = fmin(pool->to_pillar, keys[i].to_pillar);
        pool->steps_at_pillars |= !keys[i].linear && steps_at_pillars_of(trade);
    }
}

/* Adds the pools of n keys that differ in levels alone. */
static void add_levels(int n, const struct trade *trades, const struct pool_key *keys,
                       const int *order, struct greek_pools *pools)
{
    bool one = !compare_levels(&keys[0], &keys[n - 1]);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !compare_levels(&keys[i], &keys[end]);) end++;
        add_pool(end - i, trades, keys + i, order + i, one ? POOL_OF_ALL : POOL_OF_SPOTS, pools);
    }
    if (!one) add_pool(n, trades, keys, order, POOL_OF_REST, pools);
}

static void form_pools(int n, const struct trade *trades, const struct pool_key *keys,
                       struct greek_pools *pools)
{
    for (int i = 0; i < n; i++) pools->order[i] = keys[i].trade;
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !compare_keys(&keys[i], &keys[end]);) end++;
        add_levels(end - i, trades, keys + i, pools->order + i, pools);
    }
}

static void take_roughness(const struct market *market, const struct trade *trades,
                           struct greek_pool *pool)
{
    const struct trade *first = &trades[pool->trades[0]]; /* all are on its assets */
    for (int i = 0; i < trade_n_assets(first); i++)
        pool->roughness = fmax(pool->roughness,
                               surface_roughness(market, trade_asset(first, i), pool->last_date));
}

enum status greek_pools_make(const struct market *market, int n_trades, const struct trade *trades,
                             struct greek_pools *pools)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)n_trades + 1;
    struct pool_key *keys = malloc(n * sizeof *keys);
    *pools = (struct greek_pools){.pools = calloc(2 * n, sizeof *pools->pools),
                                  .order = calloc(n, sizeof(int))};
    if (!keys || !pools->pools || !pools->order) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < n_trades; i++) TRY(make_pool_key(market, &trades[i], i, &keys[i]));
    qsort(keys, (size_t)n_trades, sizeof *keys, compare_pool_keys);
    form_pools(n_trades, trades, keys, pools);
    for (int i = 0; i < pools->n; i++)
        if (pools->pools[i].on_tables) take_roughness(market, trades, &pools->pools[i]);
done:
    free(keys);
    if (status) greek_pools_free(pools);
    return status;
}

void greek_pools_free(struct greek_pools *pools)
{
    free(pools->pools);
    free(pools->order);
    *pools = (struct greek_pools){0};
}

/* The noise of an asset beside that of another one, over its own: where it is small, so is the
 * spread of their ratio, in which spreads and digitals turn. */
#define LITTLE_NOISE 0.3
static double narrowed(double alike)
{
    return fmin(1.0, fmax(sqrt(1.0 - alike * alike), 0.1 * LITTLE_NOISE) / LITTLE_NOISE);
}

struct bump_sizes pool_bump_sizes(const struct greek_pool *pool, uint64_t paths)
{
    /* The last two, the largest bumps, are the pool's. */
    static const struct bump_sizes smooth = {0.02, 0.001, 0.01, 1e-4, 0.01, 0.01, 0, 0};
    static const struct bump_sizes jumping = {0.05, 0.05, 0.05, 2e-3, 0.05, 0.1, 0, 0};
    static const struct bump_sizes on_tables = {0.05, 0.01, 0.02, 1e-3, 0.01, 0.1, 0, 0};
    static const struct bump_sizes exercised = {0.02, 0.01, 0.02, 1e-3, 0.05, 0.5, 0, 0};
    static const struct bump_sizes linear = {0.02, 0.02, 0.01, 1e-5, 0.01, 0.01, 0, 0};
    struct bump_sizes sizes = pool->linear      ? linear
                              : pool->jumps     ? jumping
                              : pool->on_tables ? on_tables
                                                : smooth;
    if (pool->same_exercise) sizes = pool->on_tables ? jumping : exercised;
    double of_paths = pow((double)paths / 1048576.0, -0.2);
    of_paths = fmin(fmax(of_paths, 0.5), 2.0);
    sizes.spot *= of_paths * narrowed(pool->alike);
    sizes.volatility *= narrowed(pool->alike);
    /* The root of a realised variance is as wide as this, over its mean. */
    if (pool->squares)
        sizes.volatility = fmin(sizes.volatility, 0.1 * of_paths / sqrt(2.0 * pool->squares));
    if (pool->jumps) sizes.delta = sizes.spot;
    sizes.most_spot = of_paths * pool->turns.gamma;
    sizes.most_delta = of_paths * pool->turns.delta;
    /* Where spots jump, time moves the number of jumps on a few paths: a day, which moves it on
     * more of them, though dates pass a curve's pillars in it. Of dates within days it is as much
     * as moves it on nine paths. */
    if (pool->intensity > 0.0)
        sizes.time = fmin(
            0.5, fmax(pool->same_exercise ? 0.5 : 0.1,
                      CROSSINGS_ASSUMED / (pool->intensity * (double)paths * pool->first_date)));
    else if (!pool->jumps || pool->steps_at_pillars)
        sizes.time = fmin(sizes.time, 0.1 * pool->to_pillar / pool->first_date);
    sizes.time = fmin(sizes.time, 1.0 / (365.0 * pool->first_date));
    return sizes;
}
