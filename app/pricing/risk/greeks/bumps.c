#include "app/pricing/risk/greeks/bumps.h"

#include <math.h>
#include <string.h>

#include "app/pricing/risk/greeks/sensitivities.h"
#include "app/pricing/risk/greeks/greek_trades.h"
#include "models/base/grow.h"
#include "models/dynamics/coefficients.h"
#include "models/dynamics/historical.h"
#include "models/market/correlation.h"

/* The bump sets of a pool while they are made, with room for the next one. */
struct bump_making {
    const struct market *market;
    const struct greek_pool *pool;
    struct bump_sets *sets;
};

/* Makes room for one more. */
static enum status make_room(struct bump_sets *sets)
{
    return grow_array(&sets->list, &sets->room, sets->n + 1, sizeof *sets->list);
}

/* ---- into bump sets -------------------------------------------------------------------------- */

/* Puts today before the scenarios that are there. */
static void add_today(struct bump_set *set)
{
    memmove(set->scenarios + 1, set->scenarios,
            sizeof *set->scenarios * (size_t)set->n_scenarios++);
    set->scenarios[0] = (struct bump_scenario){0};
    set->today = true;
    for (int i = 1; i < set->n_scenarios; i++)
        if (set->scenarios[i].scenario.partner) set->scenarios[i].scenario.partner++;
    for (int c = 0; c < set->n_contrasts; c++)
        for (int t = 0; t < set->contrasts[c].n_terms; t++) set->contrasts[c].terms[t].scenario++;
}

/* Returns the first bump set with room for so many scenarios, or a new one. `today`: one of the
 * terms of their Greek is today's value; `later`: they move time: what shares steps with them has
 * more of them between its dates. */
static struct bump_set *room_for(struct bump_making *making, int scenarios, bool today, bool later)
{
    struct bump_sets *sets = making->sets;
    today |= making->pool->exercised;
    for (struct bump_set *set = sets->list; set < sets->list + sets->n; set++) {
        int n = set->n_scenarios + scenarios + (today && !set->today);
        if (set->later != later || n > MARKETS_MAX) continue; /* contrasts are never more */
        if (today && !set->today) add_today(set);
        return set;
    }
    sets->list[sets->n] = (struct bump_set){.today = today, .later = later, .n_scenarios = today};
    return &sets->list[sets->n++];
}

static int add_scenario(struct bump_set *set, struct bump_scenario scenario)
{
    set->scenarios[set->n_scenarios] = scenario;
    return set->n_scenarios++;
}

static void add_contrast(struct bump_set *set, int sensitivity, double bump,
                         struct contrast contrast)
{
    set->contrasts[set->n_contrasts] = contrast;
    set->sensitivity[set->n_contrasts] = sensitivity;
    set->bump[set->n_contrasts++] = bump;
}

/* The same of two that exercise on the same paths. */
static void add_partners(struct bump_set *set, struct bump_scenario up, struct bump_scenario down,
                         int at[2])
{
    up.scenario.partner = set->n_scenarios + 2;
    down.scenario.partner = set->n_scenarios + 1;
    at[0] = add_scenario(set, up);
    at[1] = add_scenario(set, down);
}

static struct contrast first_difference(int up, int down, double bump)
{
    double weight = 1.0 / (2.0 * bump);
    return (struct contrast){2, {{up, weight}, {down, -weight}}};
}

/* ---- one sensitivity ------------------------------------------------------------------------- */

/* The scenario on one side of a bump, by `size` of what is moved there: `size` times `unit` of what
 * its Greek is the slope of. */
struct bump {
    struct bump_scenario up;
    double size, unit;
    bool later; /* as of room_for() */
};

static struct bump shock_bump(struct shock shock, double unit)
{
    return (struct bump){{.n_shocks = 1, .shocks = {shock}}, shock.amount, unit, false};
}

/* That of a delta alone, or of gammas. */
static struct bump spot_bump(const struct bump_making *making, int asset, bool delta)
{
    const struct greek_pool *pool = making->pool;
    const struct bump_sizes *sizes = &pool->sizes;
    const struct asset *bumped = &making->market->assets[asset];
    double size = (delta ? sizes->delta : sizes->spot) * sqrt(pool->years);
    double deviations = fmin(size, delta ? sizes->max_delta : sizes->max_spot);
    double relative = fmin(deviations * asset_volatility(bumped, pool->years),
                           fmin(pool->max_spot_bump, LARGEST_BUMP));
    return shock_bump((struct shock){SHOCK_SPOT, asset, EVERY, EVERY, EVERY, relative},
                      bumped->spot);
}

/* A volatility at one strike may be moved so far that the density between the strikes, over the
 * lognormal one, changes by about a tenth: a natural spline through a w that rises by 2 sigma t of
 * the move there bends by four times that over the square of the distance to the next strike. */
static double max_at_strike(const struct surface *surface, int i, int j, double level)
{
    double distance = HUGE_VAL, strike = surface_strike(surface, i, j);
    for (int next = j - 1; next <= j + 1; next += 2)
        if (next >= 0 && next < surface->n_strikes)
            distance = fmin(distance, fabs(log(surface_strike(surface, i, next) / strike)));
    return 0.025 * distance * distance / (level * surface->times[i]);
}

/* Returns how far a parameter of a model is bumped. */
static double parameter_bump(const struct bump_making *making, int asset, enum parameter parameter)
{
    const struct shock shock = {.kind = (enum shock_kind)(SHOCK_PARAMETERS + (int)parameter),
                                .target = asset};
    return making->pool->sizes.correlation *
           (fabs(shocked_value(making->market, &shock).value) + parameter_ranges[parameter].floor);
}

/* Returns how far quotes are moved that a model was fitted to: no parameter goes further than bumps
 * of its own. */
static double fitted_bump(const struct bump_making *making, const struct shock *shock)
{
    const struct asset *asset = &making->market->assets[shock->target];
    struct shock one = *shock;
    double moves[N_PARAMETERS],
        bump = making->pool->sizes.volatility * asset_volatility(asset, making->pool->years);
    one.amount = 1.0;
    parameter_moves(asset, &one, moves);
    for (int p = 0; p < N_PARAMETERS; p++)
        if (moves[p] != 0.0)
            bump = fmin(bump,
                        parameter_bump(making, shock->target, (enum parameter)p) / fabs(moves[p]));
    return bump;
}

/* Returns how far volatilities are moved. A single one moves alone, and of a quote by delta, but at
 * the money, where all of a smile moves, a part of the smile does, whose strikes are next to one
 * another. */
static double volatility_bump(const struct bump_making *making, const struct shock *shock)
{
    const struct asset *asset = &making->market->assets[shock->target];
    bool quote = shock->kind == SHOCK_QUOTE;
    if (!quote && asset->fitted.surface.n_times) return fitted_bump(making, shock);
    double level = asset_volatility(asset, making->pool->years),
           bump = making->pool->sizes.volatility * level;
    for (int j = 0; j < asset->surface.n_strikes; j++)
        if (quote ? shock->at != QUOTE_ATM : shock->at == j)
            bump = fmin(bump, max_at_strike(&asset->surface, shock->date, j, level));
    return bump;
}

/* Tells whether a forward rate next to 0, or below, is followed by one above it before a date.
 * Until then nobody exercises and then many do at once: dates that time moves across it need
 * policies of their own, as today's say what the dates of today do. */
static bool begins_to_pay(const struct term_structure *curve, double size, double last)
{
    bool none = false;
    for (int i = 0; i < curve->n && (!i || curve->time[i - 1] < last); i++) {
        double years = curve->time[i] - (i ? curve->time[i - 1] : 0.0);
        double accrued = curve->accrued[i] - (i ? curve->accrued[i - 1] : 0.0);
        if (none && accrued > size * years) return true;
        none |= accrued <= size * years;
    }
    return false;
}

/* Tells it of the rate of the pool's trades, which puts are exercised for, and of the yields of
 * their assets, which calls are. */
static bool exercise_begins(const struct bump_making *making)
{
    const struct market *market = making->market;
    const struct greek_pool *pool = making->pool;
    double size = pool->sizes.rate, last = pool->last_date;
    for (int i = 0; i < pool->n_assets && pool->same_exercise; i++) {
        const struct asset *asset = &market->assets[pool->assets[i]];
        if (begins_to_pay(quoted_yield(asset), size, last) ||
            begins_to_pay(&market->currencies[asset->currency].rate, size, last))
            return true;
    }
    return false;
}

/* Returns the correlation of two assets, and between which values the correlations of the pool's
 * other assets leave room for it: by the rows of the factor in which the two come last. */
static struct bounded correlation_bounds(const struct bump_making *making,
                                         const struct shock *shock)
{
    const struct market *market = making->market;
    const struct greek_pool *pool = making->pool;
    struct bounded now = shocked_value(market, shock);
    double block[TRADE_ASSETS_MAX * TRADE_ASSETS_MAX],
        loadings[TRADE_ASSETS_MAX * TRADE_ASSETS_MAX];
    int assets[TRADE_ASSETS_MAX], n = 0;
    for (int i = 0; i < pool->n_assets; i++)
        if (pool->assets[i] != shock->target && pool->assets[i] != shock->other)
            assets[n++] = pool->assets[i];
    if (!n || n + 2 > TRADE_ASSETS_MAX) return now;
    assets[n++] = shock->target, assets[n++] = shock->other;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            block[i * n + j] = market->correlation[assets[i] * market->n_assets + assets[j]];
    if (correlation_loadings(n, block, loadings, NULL) != STATUS_OK) return now;
    const double *first = loadings + (n - 2) * n, *second = first + n;
    double middle = 0.0, left = 1.0;
    for (int k = 0; k < n - 2; k++) {
        middle = fma(first[k], second[k], middle);
        left = fma(-second[k], second[k], left);
    }
    double room = first[n - 2] * sqrt(fmax(left, 0.0));
    return (struct bounded){now.value, fmax(middle - room, -1.0), fmin(middle + room, 1.0)};
}

/* Next to 1, or to the last value that the others leave room for, the spread of what a correlation
 * makes goes with the root of what is left: a bump is a small part of that, but at the end itself.
 */
static double correlation_bump(const struct bump_making *making, const struct shock *shock)
{
    const struct bounded now = correlation_bounds(making, shock);
    double part = making->pool->jumps ? 0.25 : 0.1, to_one = 1.0 - fabs(now.value),
           left = fmin(now.most - now.value, now.value - now.least),
           size = fmin(making->pool->sizes.correlation, 0.25 * (now.most - now.least));
    if (to_one > 1e-6) size = fmin(size, part * to_one);
    return left > 1e-6 && size > 0.5 * left ? part * left : size;
}

/* A rate moves forwards by itself times the years: where spots hardly move, as a pegged rate of
 * exchange, no more than a tenth of the least spread of one to the last date. */
static double rate_bump(const struct bump_making *making)
{
    const struct greek_pool *pool = making->pool;
    double volatility = HUGE_VAL;
    for (int i = 0; i < pool->n_assets && !pool->linear; i++)
        volatility = fmin(volatility, asset_volatility(&making->market->assets[pool->assets[i]],
                                                       pool->last_date));
    double spread = volatility < HUGE_VAL ? volatility * sqrt(pool->last_date) : 0.0;
    return spread > 0.0 ? fmin(pool->sizes.rate, 0.1 * spread / pool->last_date) : pool->sizes.rate;
}

/* How far a shock other than of a spot moves. */
static double shock_size(const struct bump_making *making, const struct shock *shock)
{
    const struct bump_sizes *sizes = &making->pool->sizes;
    const struct market *market = making->market;
    switch (shock->kind) {
    case SHOCK_VOLATILITY:
    case SHOCK_FITTED:
    case SHOCK_QUOTE: return volatility_bump(making, shock);
    case SHOCK_RATE:
    case SHOCK_YIELD: return rate_bump(making);
    case SHOCK_CASH_DIVIDEND:
        return sizes->correlation * market->assets[shock->target].dividends[shock->date].amount;
    case SHOCK_CORRELATION: return correlation_bump(making, shock);
#define PARAMETER(NAME, ...) case SHOCK_##NAME:
#include "models/market/parameters.def"
#undef PARAMETER
        return parameter_bump(making, shock->target,
                              (enum parameter)(shock->kind - SHOCK_PARAMETERS));
    case SHOCK_SPOT:
    case SHOCK_FALLS:
    case SHOCK_LEGS: /* of scenarios alone */
    case SHOCK_NOTHING:
    case N_SHOCKS: break;
    }
    return 0.0;
}

/* Brings every date nearer. Between the dates of trades paths may have steps, cuts or where curves
 * turn. */
static struct bump time_bump(const struct bump_making *making)
{
    const struct greek_pool *pool = making->pool;
    double passed = pool->sizes.time * pool->first_date;
    const struct scenario later = {.time_passed = passed, .fit_policies = exercise_begins(making)};
    bool steps = pool->steps_at_pillars && pool->to_pillar < HUGE_VAL;
    struct bump_scenario up = {.scenario = later};
    for (int i = 0; i < pool->n_assets; i++) {
        const struct asset *asset = &making->market->assets[pool->assets[i]];
        if (!pool->linear) steps |= model_longest_step(asset, HUGE_VAL, 1.0) < HUGE_VAL;
        if (asset->falls.n && !up.n_shocks)
            up.shocks[up.n_shocks++] =
                (struct shock){SHOCK_FALLS, EVERY, EVERY, EVERY, EVERY, passed};
    }
    return (struct bump){up, passed, 1.0, steps};
}

static struct bump bump_of(const struct bump_making *making, const struct sensitivity *s,
                           enum slope slope)
{
    struct shock shock = sensitivity_shock(s, slope, 0.0);
    if (slope == SLOPE_TIME) return time_bump(making);
    if (shock.kind == SHOCK_SPOT) return spot_bump(making, shock.target, false);
    if (shock.kind == SHOCK_NOTHING) return (struct bump){0};
    shock.amount = shock_size(making, &shock);
    struct bump bump = shock_bump(shock, 1.0);
    const struct greek_pool *pool = making->pool;
    /* Where nothing moves an exercise on several assets to the same paths under both markets (past
     * returns, surfaces), today's policy is too far from the best one: each side has its own. */
    if (pool->exercised && !pool->decides && !pool->same_exercise && pool->n_assets > 1)
        bump.up.scenario.fit_policies = true;
    if (shock.kind != SHOCK_RATE || !pool->same_exercise) return bump;
    /* Where a rate is next to 0 an early exercise turns there: above it waiting costs interest,
     * below it brings some. Then each side has its own policy. */
    const struct term_structure *curve = &making->market->currencies[s->currency].rate;
    double years = pool->last_date, near = pool->sizes.rate * years;
    bump.up.scenario.fit_policies = fabs(term_accrued(curve, years)) <= near;
    return bump;
}

/* Returns the scenario on the other side of a bump. */
static struct bump_scenario opposite_of(struct bump_scenario scenario)
{
    for (int i = 0; i < scenario.n_shocks; i++) scenario.shocks[i].amount *= -1.0;
    scenario.scenario.time_passed = 0.0 - scenario.scenario.time_passed;
    return scenario;
}

/* Tells whether paths under bumped markets take the decisions that they take under today's. Where
 * the value jumps the other side of a jump may call for the other decision: each market decides for
 * itself, by today's policy. */
static bool takes_todays_decisions(const struct greek_pool *pool)
{
    return pool->decides && !pool->jumps;
}

/* Adds scenarios up and down, their difference as column `first` and their second difference as
 * `second`; either may be -1, not wanted. */
static void add_differences(struct bump_making *making, const struct bump *by, int first,
                            int second)
{
    double bump = by->size * by->unit;
    struct bump_scenario up = by->up, down = opposite_of(up);
    struct bump_set *set = room_for(making, 2, second >= 0, by->later);
    int at[2];
    if (second < 0 && !up.scenario.fit_policies) {
        up.scenario.follows = down.scenario.follows = takes_todays_decisions(making->pool);
        add_partners(set, up, down, at);
    } else {
        at[0] = add_scenario(set, up);
        at[1] = add_scenario(set, down);
    }
    if (first >= 0) add_contrast(set, first, bump, first_difference(at[0], at[1], bump));
    double weight = 1.0 / (bump * bump);
    const struct contrast bend = {3, {{at[0], weight}, {0, -2.0 * weight}, {at[1], weight}}};
    if (second >= 0) add_contrast(set, second, bump, bend);
}

/* Adds the difference of two slopes, each of them that of partners, times a weight: their scenarios
 * have the first shock of a middle further up and down by `half`. Programs take the decisions of
 * the middle. */
static struct bump_set *add_slopes(struct bump_making *making,
                                   const struct bump_scenario middles[2], double half,
                                   double weight, struct contrast *contrast)
{
    bool decides = takes_todays_decisions(making->pool);
    struct bump_set *set = room_for(making, decides ? 6 : 4, false, false);
    contrast->n_terms = 4;
    for (int side = 0; side < 2; side++) {
        struct bump_scenario up = middles[side], down;
        int at[2];
        if (decides) up.scenario.follows = 1 + add_scenario(set, middles[side]);
        down = up;
        up.shocks[0].amount += half;
        down.shocks[0].amount -= half;
        add_partners(set, up, down, at);
        for (int i = 0; i < 2; i++)
            contrast->terms[2 * side + i] =
                (struct contrast_term){at[i], i == side ? weight : -weight};
    }
    return set;
}

/* Adds the gamma of an early exercise as the slope of its delta: the delta at a bump up less that
 * at a bump down, each from partners, whose difference has no paths that exercise on one side
 * alone. Of a delta elsewhere today's policy must be best there, too: it is, but under local_vol,
 * whose strikes stay where they are when the spot moves. The mean of the two deltas is column
 * `delta`, -1: of none. */
static void add_slope_of_delta(struct bump_making *making, const struct bump *by, int index,
                               int delta)
{
    const struct greek_pool *pool = making->pool;
    double bump = by->size * by->unit, half = pool->jumps ? by->size : 0.5 * by->size,
           weight = 0.25 / (bump * (half * by->unit));
    struct bump_scenario middles[2] = {by->up, opposite_of(by->up)};
    struct contrast contrast;
    for (int side = 0; side < 2; side++) middles[side].scenario.fit_policies = pool->on_tables;
    struct bump_set *set = add_slopes(making, middles, half, weight, &contrast);
    add_contrast(set, index, bump, contrast);
    for (int i = 0; i < 4; i++) contrast.terms[i].weight = (i % 2 ? -0.5 : 0.5) / bump;
    if (delta >= 0) add_contrast(set, delta, bump, contrast);
}

/* Adds a slope in two: the slope in the first at two places of the second. */
static void add_mixed(struct bump_making *making, const struct bump *a, const struct bump *b,
                      int index)
{
    double weight = 0.25 / (a->size * a->unit * b->size * b->unit);
    struct bump_scenario up = {.n_shocks = 2, .shocks = {a->up.shocks[0], b->up.shocks[0]}};
    struct contrast contrast;
    up.shocks[0].amount = 0.0;
    const struct bump_scenario middles[2] = {up, opposite_of(up)};
    struct bump_set *set = add_slopes(making, middles, a->size, weight, &contrast);
    add_contrast(set, index, a->size * a->unit, contrast);
}

/* Adds the slope in a correlation of 1 or -1, inwards: by two bumps, without the curvature between
 * them. What that comes to stands behind it, in no column: it tells how far the slope is known. */
static void add_slope_at_edge(struct bump_making *making, const struct bump_scenario *in, int index)
{
    struct bump_set *set = room_for(making, 2, true, false);
    struct bump_scenario further = *in;
    double by = in->shocks[0].amount;
    further.shocks[0].amount *= 2.0;
    int near = add_scenario(set, *in), far = add_scenario(set, further);
    add_contrast(set, index, fabs(by),
                 (struct contrast){3, {{near, 2.0 / by}, {0, -1.5 / by}, {far, -0.5 / by}}});
    add_contrast(set, -1, fabs(by),
                 (struct contrast){3, {{near, 1.0 / by}, {0, -0.5 / by}, {far, -0.5 / by}}});
}

#define LEAST_ROOM 1e-6

/* Adds a slope alone. At the edge of what a correlation or a parameter can be, only the way inwards
 * is left; where a correlation has no room at all, there is none. */
static void add_slope(struct bump_making *making, struct bump *by, int index)
{
    struct shock *shock = &by->up.shocks[0];
    struct bounded now = !by->up.n_shocks ? (struct bounded){0.0, -HUGE_VAL, HUGE_VAL}
                         : shock->kind == SHOCK_CORRELATION ? correlation_bounds(making, shock)
                                                            : shocked_value(making->market, shock);
    if (now.most - now.least < LEAST_ROOM) return;
    if (now.value - by->size >= now.least && now.value + by->size <= now.most) {
        add_differences(making, by, index, -1);
        return;
    }
    double inwards = now.value + by->size > now.most ? -by->size : by->size;
    shock->amount = inwards;
    if (shock->kind == SHOCK_CORRELATION) {
        add_slope_at_edge(making, &by->up, index);
        return;
    }
    struct bump_set *set = room_for(making, 1, true, false);
    int in = add_scenario(set, by->up);
    add_contrast(set, index, by->size,
                 (struct contrast){2, {{in, 1.0 / inwards}, {0, -1.0 / inwards}}});
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Adds delta or gamma. Where payoffs jump they share their scenarios, and where several assets have
 * many; elsewhere delta has smaller bumps, and no bias. */
static void add_spot(struct bump_making *making, const struct risk *risk, int index)
{
    const struct bump_sizes *sizes = &making->pool->sizes;
    const struct sensitivity *s = &risk->sensitivities[index];
    bool gamma = greek_rows[s->greek].second == SLOPE_SPOT;
    bool partners = making->pool->same_exercise, decides = making->pool->decides;
    bool same_sizes = sizes->delta == sizes->spot && sizes->max_delta == sizes->max_spot;
    bool shared = partners ? making->pool->n_assets > 1 : !decides && same_sizes;
    int other = shared ? slope_column(risk, s->asset, gamma ? -1 : s->asset) : -1;
    if (gamma != partners && other >= 0) return; /* it stands beside the other */
    struct bump by = spot_bump(making, s->asset, !gamma);
    if (gamma && (partners || decides)) add_slope_of_delta(making, &by, index, other);
    else add_differences(making, &by, gamma ? -1 : index, gamma ? index : other);
}

/* Tells whether the yields of exchange rates have the date that a rate's move begins at: then they
 * do not move before it. */
static bool yields_have(const struct market *market, int currency, double years)
{
    for (int a = 0; a < market->n_assets; a++) {
        const struct term_structure *yield = quoted_yield(&market->assets[a]);
        bool has = market->assets[a].foreign_currency != currency;
        for (int i = 0; i < yield->n && !has; i++) has = yield->time[i] == years;
        if (!has) return false;
    }
    return true;
}

/* Returns the years up to which nothing depends on what the sensitivity moves: 0 but of dates. */
static double begins_at(const struct market *market, const struct sensitivity *s)
{
    const struct asset *asset = s->asset >= 0 ? &market->assets[s->asset] : NULL;
    enum greek_scope scope = greek_rows[s->greek].scope;
    if (scope == SCOPE_DIVIDEND) return s->bucket;
    if (s->date <= 0) return 0.0; /* of all dates, or of the first */
    if (scope == SCOPE_RATE_DATE || scope == SCOPE_YIELD_DATE)
        return s->currency >= 0 ? market->currencies[s->currency].rate.time[s->date - 1]
                                : quoted_yield(asset)->time[s->date - 1];
    /* Every quote that a model was fitted to moves all of it */
    if (asset->fitted.surface.n_times) return 0.0;
    double begins = volatility_date(asset, s->date - 1), day = asset->history.interval;
    if (asset->model != MODEL_HISTORICAL) return begins;
    return floor(historical_days(begins, day)) * day; /* a day has the variance to its end */
}

/* Tells whether what a sensitivity moves matters only after the last date, or payment, of a trade
 * or of some. Total variance between two dates comes from the volatilities to both, and what
 * accrues likewise; tables are of forwards beyond the last date. */
static bool is_after(const struct market *market, const struct sensitivity *s, double last_date,
                     double last_payment, bool on_tables)
{
    enum shock_kind kind = slope_rows[greek_rows[s->greek].first].shock;
    bool rate = kind == SHOCK_RATE;
    double begins = begins_at(market, s), last = rate ? last_payment : last_date;
    bool dividend = greek_rows[s->greek].scope == SCOPE_DIVIDEND; /* which its own day is after */
    if (begins == 0.0 || begins < last || (dividend && begins == last)) return false;
    if (on_tables && (rate || kind == SHOCK_YIELD)) return false;
    return !rate || yields_have(market, s->currency, begins);
}

bool trade_is_before(const struct market *market, const struct greek_pool *pool,
                     const struct trade *trade, const struct sensitivity *s)
{
    double last = pool->linear ? trade_last_date(trade) : trade->expiry;
    return is_after(market, s, last, last + trade->payment_lag, pool->on_tables);
}

/* Time and the edge of correlations have one way each to be moved, and no second slopes. */
#define GREEK(NAME, name, column, first, second, scope, method, step)                              \
    _Static_assert(SLOPE_##second == SLOPE_NOTHING ||                                              \
                       (SLOPE_##first <= SLOPE_RATE && SLOPE_##second <= SLOPE_RATE),              \
                   #name ": add_sensitivity() does not know its bumps");
#include "app/pricing/base/greeks.def"
#undef GREEK

static void add_sensitivity(struct bump_making *making, const struct risk *risk, int index)
{
    const struct sensitivity *s = &risk->sensitivities[index];
    const struct greek_row *row = &greek_rows[s->greek];
    const struct greek_pool *pool = making->pool;
    if (is_after(making->market, s, pool->last_date, pool->last_payment, pool->on_tables)) return;
    if (row->first == SLOPE_TIME && pool->within_day) return;
    struct bump first = bump_of(making, s, row->first), second = bump_of(making, s, row->second);
    bool once = row->second == SLOPE_NOTHING;
    if (!once && row->first != row->second) add_mixed(making, &first, &second, index);
    else if (row->first == SLOPE_SPOT) add_spot(making, risk, index);
    else if (once) add_slope(making, &first, index);
    else add_differences(making, &first, -1, index);
}

/* Tells whether bumps leave a Greek of the pool to another method: likelihood ratios, or slopes at
 * exercise, which have those in spots and nothing else. */
static bool leaves_out(const struct greek_pool *pool, enum greek greek)
{
    const struct greek_row *row = &greek_rows[greek];
    if (pool->by_likelihood && row->method == METHOD_LIKELIHOOD) return true;
    return pool->by_slopes && row->first == SLOPE_SPOT &&
           (row->second == SLOPE_NOTHING || row->second == SLOPE_SPOT ||
            row->second == SLOPE_OTHER_SPOT);
}

enum status bumps_make(const struct market *market, const struct greek_pool *pool,
                       const struct risk *risk, bool all, struct bump_sets *sets)
{
    struct bump_making making = {market, pool, sets};
    for (int i = 0; i < risk->n_sensitivities; i++) {
        const struct sensitivity *s = &risk->sensitivities[i];
        if (pool_has(pool, s->greek) && trade_depends(market, pool->first, s) &&
            (all || !leaves_out(pool, s->greek))) {
            MUST(make_room(sets));
            add_sensitivity(&making, risk, i);
        }
    }
    return STATUS_OK;
}

/* ---- of copies ------------------------------------------------------------------------------- */

/* Adds the value today. */
static void add_value(struct bump_making *making)
{
    add_contrast(room_for(making, 0, true, false), -1, NAN, (struct contrast){1, {{0, 1.0}}});
}

enum status today_bumps_make(struct bump_sets *sets)
{
    static const struct greek_pool no_pool = {0};
    struct bump_making making = {NULL, &no_pool, sets};
    MUST(make_room(sets));
    add_value(&making);
    return STATUS_OK;
}

/* Adds the difference that bumps of a spot make, both sides exercised by today's policy. */
static void add_spot_difference(struct bump_making *making, int asset)
{
    const struct bump by = spot_bump(making, asset, false);
    double bump = by.size * by.unit;
    struct bump_set *set = room_for(making, 2, false, false);
    int up = add_scenario(set, by.up), down = add_scenario(set, opposite_of(by.up));
    add_contrast(set, -1, bump, first_difference(up, down, bump));
}

enum status slope_bumps_make(const struct market *market, const struct greek_pool *pool,
                             const struct risk *risk, struct bump_sets *sets)
{
    struct bump_making making = {market, pool, sets};
    bool deltas = false;
    MUST(make_room(sets));
    for (int i = 0; i < pool->n_assets; i++) deltas |= slope_column(risk, pool->assets[i], -1) >= 0;
    if (deltas) add_value(&making);
    for (int i = 0; i < pool->n_assets; i++) {
        int asset = trade_asset(pool->first, i);
        bool gammas = false;
        for (int j = 0; j < pool->n_assets; j++)
            gammas |= slope_column(risk, pool->assets[j], asset) >= 0;
        MUST(make_room(sets));
        if (gammas) add_spot_difference(&making, asset);
    }
    return STATUS_OK;
}

int slope_moved(const struct bump_set *set, int contrast)
{
    const struct bump_scenario *up = &set->scenarios[set->contrasts[contrast].terms[0].scenario];
    return up->n_shocks ? up->shocks[0].target : -1;
}
