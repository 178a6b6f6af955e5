#include "app/pricing/risk/greeks/greek_pools.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdlib.h>

#include "app/pricing/risk/greeks/greek_trades.h"
#include "app/pricing/risk/greeks/greek_errors.h"
#include "app/pricing/value/linear_value.h"
#include "models/dynamics/historical.h"
#include "models/payoffs/payoff_definition.h"
#include "models/payoffs/scripted.h"
#include "models/base/order.h"

bool pool_has(const struct greek_pool *pool, enum greek greek)
{
    enum slope first = greek_rows[greek].first;
    bool of_spot = first == SLOPE_SPOT || first == SLOPE_TIME;
    return pool->greeks == POOL_OF_ALL || (pool->greeks == POOL_OF_SPOTS) == of_spot;
}

/* Products that pay at a jump of the spot, where they look at it on dates (at every moment the
 * bridge makes barriers smooth) and no conditional expectation stands for them, and early exercise,
 * which a path takes or leaves, where it is not on the same paths under all bumps. */
static bool payoff_jumps(const struct market *market, const struct trade *trade)
{
    if (conditional_pivot(market, trade) > 0.0 || has_same_exercise(market, trade)) return false;
    return trade_has(trade, JUMPS | EARLY_EXERCISE) ||
           (product_has(trade->product, JUMPS_ON_DATES) && !trade->monitoring.continuous);
}

static double first_date_of(const struct trade *trade)
{
    double first = trade_first_date(trade);
    if (first <= 0.0) return 1.0; /* nothing depends on it */
    for (int s = 0; s < N_SCHEDULES; s++) {
        const struct schedule *schedule = trade_schedule(trade, s);
        for (int i = 0; i < schedule->n; i++)
            if (schedule->times[i] > 0.0) first = fmin(first, schedule->times[i]);
    }
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

static double pillar_distance_of(const struct market *market, const struct trade *trade)
{
    double least = HUGE_VAL;
    const struct currency *paid = &market->currencies[trade_currency(market, trade)];
    if (has_linear_value(trade)) least = years_to_pillar(&paid->rate, trade, least);
    for (int i = 0; i < trade_n_involved(trade); i++) {
        const struct asset *asset = &market->assets[trade_involved(trade, i)];
        const struct currency *own = &market->currencies[asset->currency];
        least = years_to_pillar(i < trade_n_assets(trade) ? &own->rate : &paid->rate, trade, least);
        least = years_to_pillar(quoted_yield(asset), trade, least);
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

/* Tells whether a trade takes an extreme that begins at today's spot. Its second slope jumps there,
 * and a difference over h is off by h / 4 times that jump. */
static bool begins_at_spot(const struct trade *trade)
{
    const struct program *program = trade->scripted ? &trade->scripted->program : NULL;
    for (int i = 0; program && i < program->n_inputs; i++)
        if ((program->inputs[i].kind == INPUT_HIGHEST || program->inputs[i].kind == INPUT_LOWEST) &&
            program->inputs[i].from == 0.0)
            return true;
    if (trade->product != PRODUCT_LOOKBACK || !trade->monitoring.continuous) return false;
    bool highest = (trade->option == OPTION_CALL) != (trade->strike_type == STRIKE_FLOATING);
    double level = level_of_lookback(trade), spot = trade->today[0];
    return level == 0.0 || (highest ? level <= spot : level >= spot);
}

/* Half the distance, rounded down to a power of two, so that trades that are about as near share
 * their bumps; HUGE_VAL where no bump goes as far. */
static double max_spot_bump_of(const struct market *market, const struct trade *trade,
                               double watched)
{
    double bump =
        fmin(0.5 * fmin(nearest_level(market, trade), watched), first_look_bump(market, trade));
    return bump < LARGEST_BUMP ? exp2(floor(log2(bump))) : HUGE_VAL;
}

/* ---- sizes of bumps -------------------------------------------------------------------------- */

/* The noise of an asset beside that of another one, over its own: where it is small, so is the
 * spread of their ratio, in which spreads and digitals turn. */
#define LITTLE_NOISE 0.3
static double narrowed(double correlation)
{
    double noise = sqrt(1.0 - correlation * correlation);
    return fmin(1.0, fmax(noise, 0.1 * LITTLE_NOISE) / LITTLE_NOISE);
}

/* Dates so many days away are not within the first one. */
#define DAYS_MORE (1.0 + 2.0 * HISTORICAL_NEAR)

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
    sizes.spot *= of_paths * narrowed(pool->correlation);
    sizes.volatility *= narrowed(pool->correlation);
    /* The root of a realised variance is as wide as this, over its mean. */
    int squares = pool->turns.squares;
    if (squares) sizes.volatility = fmin(sizes.volatility, 0.1 * of_paths / sqrt(2.0 * squares));
    if (pool->jumps) sizes.delta = sizes.spot;
    sizes.max_spot = of_paths * pool->turns.gamma;
    sizes.max_delta = of_paths * pool->turns.delta;
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
    /* Of past returns a day has one: a part of it that passes would leave all of it, and less. */
    if (pool->day > 0.0 && pool->first_date > DAYS_MORE * pool->day)
        sizes.time = pool->day / pool->first_date;
    return sizes;
}

/* The width of bumps for deltas beside an extreme that begins at today's spot, over that of others:
 * what they are off by falls as their width, and the error of a jump rises as its root. */
#define AT_EXTREME 0.1

/* ---- pools of one trade ---------------------------------------------------------------------- */

static const struct turns no_turns = {HUGE_VAL, HUGE_VAL, HUGE_VAL, 0, false};

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

/* Takes the assets of the trade, in the market's order, and what the pool has of them. */
static void take_assets(const struct market *market, struct greek_pool *pool)
{
    pool->n_assets = trade_n_assets(pool->first);
    for (int i = 0; i < pool->n_assets; i++) {
        int at = i, a = trade_asset(pool->first, i);
        const struct asset *asset = &market->assets[a];
        pool->on_tables |= model_takes(asset->model, TAKES_SURFACE);
        if (model_takes(asset->model, TAKES_JUMPS))
            pool->intensity = fmax(pool->intensity, asset->jumps.intensity);
        if (model_takes(asset->model, TAKES_HISTORY))
            pool->day = fmax(pool->day, asset->history.interval);
        for (; at && pool->assets[at - 1] > a; at--) pool->assets[at] = pool->assets[at - 1];
        pool->assets[at] = a;
        for (int j = 0; j < i; j++)
            pool->correlation =
                fmax(pool->correlation,
                     fabs(market->correlation[a * market->n_assets + trade_asset(pool->first, j)]));
    }
}

/* Makes the pool that a trade is in, as if it were alone there. */
static enum status make_lone_pool(const struct market *market, const struct trade *trade,
                                  struct greek_pool *pool)
{
    bool linear = !trade_has_paths(trade);
    double last = linear ? trade_last_date(trade) : trade->expiry;
    if (last <= 0.0) last = 1.0;
    double seen = linear ? last : last_seen(trade);
    *pool = (struct greek_pool){.first = trade,
                                .linear = linear,
                                .currency = trade_currency(market, trade),
                                .quanto = trade->expired ? (struct quanto){0} : trade->quanto,
                                /* those within a factor of 16 share a pool */
                                .years = pow(16.0, (int)lround(log2(seen) / 4.0)),
                                .jumps = !linear && payoff_jumps(market, trade),
                                .same_exercise = !linear && has_same_exercise(market, trade),
                                .decides = !linear && trade_has(trade, DECIDES),
                                .exercised = trade_has(trade, EARLY_EXERCISE | DECIDES),
                                .by_likelihood = !linear && has_likelihood_ratio(market, trade),
                                .by_slopes = !linear && has_slopes_at_exercise(market, trade),
                                .turns = no_turns,
                                .first_date = first_date_of(trade),
                                .last_date = last,
                                .last_payment = last + trade->payment_lag,
                                .to_pillar = pillar_distance_of(market, trade),
                                .steps_at_pillars = !linear && steps_at_pillars_of(trade)};
    take_assets(market, pool);
    pool->within_day = !linear && last <= DAYS_MORE * pool->day;
    /* The bumps that the pool would have without turns are the widest. */
    const struct bump_sizes sizes = pool_bump_sizes(pool, 1 << 20);
    double root = sqrt(pool->years);
    const struct turns widest = {root * sizes.delta, root * sizes.spot, HUGE_VAL, 0, false};
    if (!linear) MUST(turns_find(market, trade, pool->years, widest, &pool->turns));
    pool->max_spot_bump = max_spot_bump_of(market, trade, pool->turns.watched);
    if ((pool->jumps || pool->on_tables) && !linear && begins_at_spot(trade))
        pool->turns.delta = fmin(pool->turns.delta, AT_EXTREME * widest.delta);
    return STATUS_OK;
}

/* Compares all that trades of a pool have in common but levels. */
static int compare_keys(const struct greek_pool *a, const struct greek_pool *b)
{
    int quanto = quanto_compare(&a->quanto, &b->quanto);
    if (a->n_assets != b->n_assets) return a->n_assets - b->n_assets;
    for (int i = 0; i < a->n_assets; i++)
        if (a->assets[i] != b->assets[i]) return a->assets[i] - b->assets[i];
    if (a->linear != b->linear) return a->linear - b->linear;
    if (a->linear && a->currency != b->currency) return a->currency - b->currency;
    if (quanto != 0) return quanto;
    if (a->years != b->years) return compare_doubles(a->years, b->years);
    if (a->jumps != b->jumps) return a->jumps - b->jumps;
    if (a->same_exercise != b->same_exercise) return a->same_exercise - b->same_exercise;
    if (a->within_day != b->within_day) return a->within_day - b->within_day;
    if (a->decides != b->decides) return a->decides - b->decides;
    if (a->turns.squares != b->turns.squares) return a->turns.squares - b->turns.squares;
    if (a->turns.leads != b->turns.leads) return a->turns.leads - b->turns.leads;
    if (a->by_slopes != b->by_slopes) return a->by_slopes - b->by_slopes;
    return a->by_likelihood - b->by_likelihood;
}

static int compare_levels(const struct greek_pool *a, const struct greek_pool *b)
{
    int spot = compare_doubles(a->max_spot_bump, b->max_spot_bump),
        delta = compare_doubles(a->turns.delta, b->turns.delta);
    return spot ? spot : delta ? delta : compare_doubles(a->turns.gamma, b->turns.gamma);
}

static int compare_pools(const void *a, const void *b)
{
    const struct greek_pool *p = a, *q = b;
    int keys = compare_keys(p, q), levels = compare_levels(p, q);
    return keys ? keys : levels ? levels : (p->first > q->first) - (p->first < q->first);
}

/* ---- pools of several ------------------------------------------------------------------------ */

/* Joins n pools of one trade, those of `order`, whose Greeks take so many paths. */
static void join_pools(int n, const struct greek_pool *lone, int *order, enum pool_greeks greeks,
                       struct greek_pool *pool)
{
    *pool = *lone;
    pool->greeks = greeks;
    pool->n = n;
    pool->trades = order;
    for (int i = 1; i < n; i++) {
        pool->first_date = fmin(pool->first_date, lone[i].first_date);
        pool->last_date = fmax(pool->last_date, lone[i].last_date);
        pool->last_payment = fmax(pool->last_payment, lone[i].last_payment);
        pool->to_pillar = fmin(pool->to_pillar, lone[i].to_pillar);
        pool->steps_at_pillars |= lone[i].steps_at_pillars;
        pool->exercised |= lone[i].exercised;
    }
    if (greeks != POOL_OF_REST) return;
    pool->max_spot_bump = pool->turns.delta = pool->turns.gamma = HUGE_VAL;
}

/* Joins pools that differ in levels alone. */
static void join_levels(int n, const struct greek_pool *lone, int *order, struct greek_pools *pools)
{
    bool one = !compare_levels(&lone[0], &lone[n - 1]);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !compare_levels(&lone[i], &lone[end]);) end++;
        join_pools(end - i, lone + i, order + i, one ? POOL_OF_ALL : POOL_OF_SPOTS,
                   &pools->pools[pools->n++]);
    }
    if (!one) join_pools(n, lone, order, POOL_OF_REST, &pools->pools[pools->n++]);
}

enum status greek_pools_make(const struct market *market, int n_trades, const struct trade *trades,
                             uint64_t paths, struct greek_pools *pools)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)n_trades + 1;
    struct greek_pool *lone = malloc(n * sizeof *lone);
    *pools = (struct greek_pools){.pools = calloc(2 * n, sizeof *pools->pools),
                                  .order = calloc(n, sizeof(int))};
    if (!lone || !pools->pools || !pools->order) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < n_trades; i++) TRY(make_lone_pool(market, &trades[i], &lone[i]));
    qsort(lone, (size_t)n_trades, sizeof *lone, compare_pools);
    for (int i = 0; i < n_trades; i++) pools->order[i] = (int)(lone[i].first - trades);
    for (int i = 0, end; i < n_trades; i = end) {
        for (end = i + 1; end < n_trades && !compare_keys(&lone[i], &lone[end]);) end++;
        join_levels(end - i, lone + i, pools->order + i, pools);
    }
    for (int u = 0; u < pools->n; u++) {
        struct greek_pool *pool = &pools->pools[u];
        pool->sizes = pool_bump_sizes(pool, paths);
        for (int i = 0; i < pool->n_assets; i++)
            pool->roughness =
                fmax(pool->roughness, surface_roughness(market, pool->assets[i], pool->last_date));
    }
done:
    free(lone);
    if (status) greek_pools_free(pools);
    return status;
}

void greek_pools_free(struct greek_pools *pools)
{
    free(pools->pools);
    free(pools->order);
    *pools = (struct greek_pools){0};
}
