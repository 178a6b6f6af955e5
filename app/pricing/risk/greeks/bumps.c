#include "app/pricing/risk/greeks/bumps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/risk/greeks/sensitivities.h"
#include "models/dynamics/coefficients.h"

struct bump_sets {
    const struct market *market;
    const struct greek_pool *pool;
    struct bump_sizes sizes;
    bool exercised; /* whether policies of today's market are wanted everywhere */
    bool several;   /* assets */
    double spread;  /* the least of ln S of an asset, to the last date; 0: of none */
    bool begins;    /* whether early exercise begins to pay where a curve turns */
    bool stepped; /* whether paths have steps between the dates of trades, cuts or where curves turn
                   */
    int n;
    struct bump_set *sets;
    enum status status;
};

/* ---- into bump sets -------------------------------------------------------------------------- */

/* What a Greek asks of the bump set that it goes into. */
struct bump_set_needs {
    int scenarios;
    bool today; /* one of its terms is today's value */
    bool later; /* its scenarios move time: what shares steps with them has more of them between its
                   dates */
};

static bool has_room(const struct bump_set *set, struct bump_set_needs needs)
{
    int more = needs.scenarios + (needs.today && !set->today);
    return set->later == needs.later &&
           set->n_scenarios + more <= MARKETS_MAX; /* contrasts are never more */
}

/* Puts today before the scenarios that are there. */
static void add_today(struct bump_set *set)
{
    memmove(set->scenarios + 1, set->scenarios,
            sizeof *set->scenarios * (size_t)set->n_scenarios++);
    set->scenarios[0] = (struct bump_scenario){0};
    set->today = true;
    for (int i = 1; i < set->n_scenarios; i++)
        if (set->scenarios[i].partner) set->scenarios[i].partner++;
    for (int c = 0; c < set->n_contrasts; c++)
        for (int t = 0; t < set->contrasts[c].n_terms; t++) set->contrasts[c].terms[t].scenario++;
}

/* The first bump set with room, or a new one. */
static struct bump_set *room_for(struct bump_sets *sets_in_making, struct bump_set_needs needs)
{
    needs.today |= sets_in_making->exercised;
    for (int b = 0; b < sets_in_making->n; b++) {
        struct bump_set *set = &sets_in_making->sets[b];
        if (!has_room(set, needs)) continue;
        if (needs.today && !set->today) add_today(set);
        return set;
    }
    struct bump_set *larger =
        realloc(sets_in_making->sets, (size_t)(sets_in_making->n + 1) * sizeof *larger);
    if (!larger) {
        sets_in_making->status = STATUS_NO_MEMORY;
        return NULL;
    }
    sets_in_making->sets = larger;
    larger[sets_in_making->n] =
        (struct bump_set){.today = needs.today, .later = needs.later, .n_scenarios = needs.today};
    return &larger[sets_in_making->n++];
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
    up.partner = set->n_scenarios + 2;
    down.partner = set->n_scenarios + 1;
    at[0] = add_scenario(set, up);
    at[1] = add_scenario(set, down);
}

/* ---- differences ----------------------------------------------------------------------------- */

static struct contrast first_difference(int up, int down, double bump)
{
    double weight = 1.0 / (2.0 * bump);
    return (struct contrast){2, {{up, weight}, {down, -weight}}};
}

static struct contrast second_difference(int up, int down, double bump)
{
    double weight = 1.0 / (bump * bump);
    return (struct contrast){3, {{up, weight}, {0, -2.0 * weight}, {down, weight}}};
}

/* ---- one sensitivity ------------------------------------------------------------------------- */

double pool_spot_bump(const struct market *market, const struct greek_pool *pool, double size,
                      double most, int asset)
{
    double deviations = fmin(size * sqrt(pool->years), most);
    return fmin(deviations * asset_volatility(&market->assets[asset], pool->years),
                fmin(pool->max_spot_bump, LARGEST_BUMP));
}

/* The scenario on one side of a bump, by `size` of what is moved there: `size` times `unit` of what
 * its Greek is the slope of. */
struct bump {
    struct bump_scenario up;
    double size, unit;
    bool later; /* as of struct bump_set_needs */
};

static struct bump shock_bump(struct shock shock, double unit)
{
    return (struct bump){{.n_shocks = 1, .shocks = {shock}}, shock.amount, unit, false};
}

/* That of a delta alone, or of gammas. */
static struct bump spot_bump(const struct bump_sets *sets_in_making, int asset, bool delta)
{
    const struct bump_sizes *sizes = &sets_in_making->sizes;
    double relative = pool_spot_bump(sets_in_making->market, sets_in_making->pool,
                                     delta ? sizes->delta : sizes->spot,
                                     delta ? sizes->most_delta : sizes->most_spot, asset);
    return shock_bump((struct shock){SHOCK_SPOT, asset, EVERY, EVERY, EVERY, relative},
                      sets_in_making->market->assets[asset].spot);
}

/* A volatility at one strike may be moved so far that the density between the strikes, over the
 * lognormal one, changes by about a tenth: a natural spline through a w that rises by 2 sigma t of
 * the move there bends by four times that over the square of the distance to the next strike. */
static double most_at_strike(const struct surface *surface, int i, int j, double level)
{
    double distance = HUGE_VAL, strike = surface_strike(surface, i, j);
    for (int next = j - 1; next <= j + 1; next += 2)
        if (next >= 0 && next < surface->n_strikes)
            distance = fmin(distance, fabs(log(surface_strike(surface, i, next) / strike)));
    return 0.025 * distance * distance / (level * surface->times[i]);
}

static double volatility_bump(const struct bump_sets *sets_in_making, const struct shock *shock)
{
    const struct asset *asset = &sets_in_making->market->assets[shock->target];
    double level = asset_volatility(asset, sets_in_making->pool->years),
           bump = sets_in_making->sizes.volatility * level;
    return shock->at == EVERY
               ? bump
               : fmin(bump, most_at_strike(&asset->surface, shock->date, shock->at, level));
}

/* Where a rate is next to 0 an early exercise turns there: above it waiting costs interest, below
 * it brings some. Then each side has its own policy. */
static bool rate_turns(const struct bump_sets *sets_in_making, int currency)
{
    const struct term_structure *curve = &sets_in_making->market->currencies[currency].rate;
    double size = sets_in_making->sizes.rate, years = sets_in_making->pool->last_date;
    return sets_in_making->pool->same_exercise && fabs(term_accrued(curve, years)) <= size * years;
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
static bool exercise_begins(const struct bump_sets *sets_in_making, const struct trade *trade)
{
    const struct market *market = sets_in_making->market;
    double size = sets_in_making->sizes.rate, last = sets_in_making->pool->last_date;
    if (!sets_in_making->pool->same_exercise) return false;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (begins_to_pay(&asset->yield, size, last) ||
            begins_to_pay(&market->currencies[asset->currency].rate, size, last))
            return true;
    }
    return false;
}

/* Next to 1 the spread of a ratio of two assets goes with the root of what is left to it: a bump is
 * a small part of that, but at 1 itself. */
static double correlation_bump(const struct bump_sets *sets_in_making, const struct shock *shock)
{
    double size = sets_in_making->sizes.correlation,
           left = 1.0 - fabs(shocked_value(sets_in_making->market, shock).value),
           part = sets_in_making->pool->jumps ? 0.25 : 0.1;
    return left > 1e-6 ? fmin(size, part * left) : size;
}

/* A rate moves forwards by itself times the years: where spots hardly move, as a pegged rate of
 * exchange, no more than a tenth of their spread. */
static double rate_bump(const struct bump_sets *sets_in_making)
{
    double size = sets_in_making->sizes.rate, spread = sets_in_making->spread;
    return spread > 0.0 ? fmin(size, 0.1 * spread / sets_in_making->pool->last_date) : size;
}

/* How far a shock other than of a spot moves. */
static double shock_size(const struct bump_sets *sets_in_making, const struct shock *shock)
{
    const struct bump_sizes *sizes = &sets_in_making->sizes;
    const struct market *market = sets_in_making->market;
    switch (shock->what) {
    case SHOCK_VOLATILITY: return volatility_bump(sets_in_making, shock);
    case SHOCK_RATE:
    case SHOCK_YIELD: return rate_bump(sets_in_making);
    case SHOCK_CASH_DIVIDEND:
        return sizes->correlation * market->assets[shock->target].dividends[shock->date].amount;
    case SHOCK_CORRELATION: return correlation_bump(sets_in_making, shock);
#define PARAMETER(NAME, ...) case SHOCK_##NAME:
#include "models/market/parameters.def"
#undef PARAMETER
        return sizes->correlation * (fabs(shocked_value(market, shock).value) +
                                     parameter_ranges[shock->what - SHOCK_PARAMETERS].floor);
    case SHOCK_SPOT:
    case SHOCK_NOTHING:
    case N_SHOCKS: break;
    }
    return 0.0;
}

static struct bump bump_of(const struct bump_sets *sets_in_making, const struct sensitivity *s,
                           enum slope slope)
{
    double passed = sets_in_making->sizes.time * sets_in_making->pool->first_date;
    struct shock shock = sensitivity_shock(s, slope, 0.0);
    if (shock.what == SHOCK_SPOT) return spot_bump(sets_in_making, shock.target, false);
    if (slope == SLOPE_TIME) /* which brings every date nearer */
        return (struct bump){{.time_passed = passed, .fit_policies = sets_in_making->begins},
                             passed,
                             1.0,
                             sets_in_making->stepped};
    if (shock.what == SHOCK_NOTHING) return (struct bump){0};
    shock.amount = shock_size(sets_in_making, &shock);
    struct bump bump = shock_bump(shock, 1.0);
    bump.up.fit_policies = shock.what == SHOCK_RATE && rate_turns(sets_in_making, s->currency);
    return bump;
}

/* Adds scenarios up and down, their difference as column `first` and their second difference as
 * `second`; either may be -1, not wanted. */
static void add_differences(struct bump_sets *sets_in_making, const struct bump *by, int first,
                            int second)
{
    double bump = by->size * by->unit;
    struct bump_scenario opposite = by->up;
    struct bump_set *set =
        room_for(sets_in_making,
                 (struct bump_set_needs){.scenarios = 2, .today = second >= 0, .later = by->later});
    if (!set) return;
    for (int i = 0; i < opposite.n_shocks; i++) opposite.shocks[i].amount *= -1.0;
    opposite.time_passed = 0.0 - opposite.time_passed;
    int at[2];
    if (second < 0 && !by->up.fit_policies) {
        struct bump_scenario up = by->up;
        up.follows = opposite.follows = sets_in_making->pool->decides;
        add_partners(set, up, opposite, at);
    } else {
        at[0] = add_scenario(set, by->up);
        at[1] = add_scenario(set, opposite);
    }
    if (first >= 0) add_contrast(set, first, bump, first_difference(at[0], at[1], bump));
    if (second >= 0) add_contrast(set, second, bump, second_difference(at[0], at[1], bump));
}

/* Adds the gamma of an early exercise as the slope of its delta: the delta at a bump up less that
 * at a bump down, each from partners, whose difference has no paths that exercise on one side
 * alone. Of a delta elsewhere today's policy must be best there, too: it is, but under local_vol,
 * whose strikes stay where they are when the spot moves. The mean of the two deltas is column
 * `delta`, -1: of none. */
static void add_slope_of_delta(struct bump_sets *sets_in_making, const struct bump *by, int index,
                               int delta)
{
    const struct greek_pool *pool = sets_in_making->pool;
    double bump = by->size * by->unit, half = pool->jumps ? by->size : 0.5 * by->size,
           weight = 0.25 / (bump * (half * by->unit));
    struct bump_set *set =
        room_for(sets_in_making, (struct bump_set_needs){.scenarios = pool->decides ? 6 : 4});
    struct contrast contrast = {.n_terms = 4};
    if (!set) return;
    for (int side = 0; side < 2; side++) {
        struct bump_scenario middle = by->up, up, down;
        int at[2];
        middle.shocks[0].amount = side ? -by->size : by->size;
        up = down = middle;
        up.shocks[0].amount += half;
        down.shocks[0].amount -= half;
        if (pool->decides) up.follows = down.follows = 1 + add_scenario(set, middle);
        else up.fit_policies = down.fit_policies = pool->on_tables;
        add_partners(set, up, down, at);
        for (int i = 0; i < 2; i++)
            contrast.terms[2 * side + i] =
                (struct contrast_term){at[i], i == side ? weight : -weight};
    }
    add_contrast(set, index, bump, contrast);
    if (delta < 0) return;
    for (int i = 0; i < 4; i++) contrast.terms[i].weight = (i % 2 ? -0.5 : 0.5) / bump;
    add_contrast(set, delta, bump, contrast);
}

/* Slopes in two: of each the slope in the first at two places of the second, where those that
 * differ in the first alone are partners. */
static void add_mixed(struct bump_sets *sets_in_making, const struct bump *a, const struct bump *b,
                      int index)
{
    double weight = 0.25 / (a->size * a->unit * b->size * b->unit);
    struct contrast contrast = {.n_terms = 4};
    bool decides = sets_in_making->pool->decides;
    struct bump_set *set =
        room_for(sets_in_making, (struct bump_set_needs){.scenarios = decides ? 6 : 4});
    if (!set) return;
    for (int side = 0; side < 2; side++) {
        struct bump_scenario up = {.n_shocks = 2, .shocks = {a->up.shocks[0], b->up.shocks[0]}},
                             down, middle;
        int at[2];
        if (side) up.shocks[1].amount *= -1.0;
        middle = up;
        middle.shocks[0].amount = 0.0;
        if (decides) up.follows = 1 + add_scenario(set, middle);
        down = up;
        down.shocks[0].amount *= -1.0;
        add_partners(set, up, down, at);
        for (int i = 0; i < 2; i++)
            contrast.terms[2 * side + i] =
                (struct contrast_term){at[i], i == side ? weight : -weight};
    }
    add_contrast(set, index, a->size * a->unit, contrast);
}

/* Adds a slope alone. At the edge of what a correlation or a parameter can be, only the way inwards
 * is left. */
static void add_slope(struct bump_sets *sets_in_making, struct bump *by, int index)
{
    struct shock *shock = &by->up.shocks[0];
    struct bounded now = by->up.n_shocks ? shocked_value(sets_in_making->market, shock)
                                         : (struct bounded){0.0, -HUGE_VAL, HUGE_VAL};
    if (now.value - by->size >= now.least && now.value + by->size <= now.most) {
        add_differences(sets_in_making, by, index, -1);
        return;
    }
    double inwards = now.value + by->size > now.most ? -by->size : by->size;
    shock->amount = inwards;
    struct bump_set *set =
        room_for(sets_in_making, (struct bump_set_needs){.scenarios = 1, .today = true});
    if (!set) return;
    int in = add_scenario(set, by->up);
    add_contrast(set, index, by->size,
                 (struct contrast){2, {{in, 1.0 / inwards}, {0, -1.0 / inwards}}});
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Index of the asset's column of the slope in its spot and in `second`; -1 where there is none. */
static int find_column(const struct risk *risk, enum slope second, int asset)
{
    for (int i = 0; i < risk->n_sensitivities; i++) {
        const struct greek_row *row = &greek_rows[risk->sensitivities[i].greek];
        if (row->first == SLOPE_SPOT && row->second == second && row->scope == SCOPE_ASSET &&
            risk->sensitivities[i].asset == asset)
            return i;
    }
    return -1;
}

/* Adds delta or gamma. Where payoffs jump they share their scenarios, and where several assets have
 * many; elsewhere delta has smaller bumps, and no bias. */
static void add_spot(struct bump_sets *sets_in_making, const struct risk *risk, int index)
{
    const struct bump_sizes *sizes = &sets_in_making->sizes;
    const struct sensitivity *s = &risk->sensitivities[index];
    bool gamma = greek_rows[s->greek].second == SLOPE_SPOT;
    bool partners = sets_in_making->pool->same_exercise, decides = sets_in_making->pool->decides;
    bool alike = sizes->delta == sizes->spot && sizes->most_delta == sizes->most_spot;
    bool shared = partners ? sets_in_making->several : !decides && alike;
    int other = shared ? find_column(risk, gamma ? SLOPE_NOTHING : SLOPE_SPOT, s->asset) : -1;
    if (gamma != partners && other >= 0) return; /* it stands beside the other */
    struct bump by = spot_bump(sets_in_making, s->asset, !gamma);
    if (gamma && (partners || decides)) add_slope_of_delta(sets_in_making, &by, index, other);
    else add_differences(sets_in_making, &by, gamma ? -1 : index, gamma ? index : other);
}

/* Time and the edge of correlations have one way each to be moved, and no second slopes. */
#define GREEK(NAME, name, column, first, second, scope, method, step)                              \
    _Static_assert(SLOPE_##second == SLOPE_NOTHING ||                                              \
                       (SLOPE_##first <= SLOPE_RATE && SLOPE_##second <= SLOPE_RATE),              \
                   #name ": add_sensitivity() does not know its bumps");
#include "app/pricing/base/greeks.def"
#undef GREEK

static void add_sensitivity(struct bump_sets *sets_in_making, const struct risk *risk, int index)
{
    const struct sensitivity *s = &risk->sensitivities[index];
    const struct greek_row *row = &greek_rows[s->greek];
    if (pool_is_before(sets_in_making->market, sets_in_making->pool, s)) return;
    struct bump first = bump_of(sets_in_making, s, row->first),
                second = bump_of(sets_in_making, s, row->second);
    bool once = row->second == SLOPE_NOTHING;
    if (!once && row->first != row->second) add_mixed(sets_in_making, &first, &second, index);
    else if (row->first == SLOPE_SPOT) add_spot(sets_in_making, risk, index);
    else if (once) add_slope(sets_in_making, &first, index);
    else add_differences(sets_in_making, &first, -1, index);
}

/* Tells whether the yields of exchange rates have the date that a rate's move begins at: then they
 * do not move before it. */
static bool yields_have(const struct market *market, int currency, double years)
{
    for (int a = 0; a < market->n_assets; a++) {
        const struct term_structure *yield = &market->assets[a].yield;
        bool has = market->assets[a].foreign_currency != currency;
        for (int i = 0; i < yield->n && !has; i++) has = yield->time[i] == years;
        if (!has) return false;
    }
    return true;
}

/* Tells whether what a sensitivity moves matters only after the last date, or payment, of a trade
 * or of some. Total variance between two dates comes from the volatilities to both, and what
 * accrues likewise; tables are of forwards beyond the last date. */
static bool is_after(const struct market *market, const struct sensitivity *s, double last_date,
                     double last_payment, bool on_tables)
{
    enum shock_kind what = slope_rows[greek_rows[s->greek].first].shock;
    bool rate = what == SHOCK_RATE;
    double begins = sensitivity_begins(market, s);
    if (begins == 0.0 || begins < (rate ? last_payment : last_date)) return false;
    if (on_tables && (rate || what == SHOCK_YIELD)) return false;
    return !rate || yields_have(market, s->currency, begins);
}

bool pool_is_before(const struct market *market, const struct greek_pool *pool,
                    const struct sensitivity *s)
{
    return is_after(market, s, pool->last_date, pool->last_payment, pool->on_tables);
}

bool trade_is_before(const struct market *market, const struct greek_pool *pool,
                     const struct trade *trade, const struct sensitivity *s)
{
    double last = pool->linear ? trade_last_date(trade) : trade->expiry;
    return is_after(market, s, last, last + trade->payment_lag, pool->on_tables);
}

static double least_spread(const struct market *market, const struct greek_pool *pool,
                           const struct trade *trade)
{
    double least = HUGE_VAL;
    for (int i = 0; i < trade_n_assets(trade) && !pool->linear; i++)
        least =
            fmin(least, asset_volatility(&market->assets[trade_asset(trade, i)], pool->last_date));
    return least < HUGE_VAL ? least * sqrt(pool->last_date) : 0.0;
}

enum status bumps_make(const struct market *market, const struct trade *trades,
                       const struct greek_pool *pool, const struct risk *risk, uint64_t paths,
                       bool but_others, int *n, struct bump_set **sets)
{
    struct bump_sets sets_in_making = {
        .market = market, .pool = pool, .sizes = pool_bump_sizes(pool, paths)};
    sets_in_making.stepped = pool->steps_at_pillars && pool->to_pillar < HUGE_VAL;
    for (int i = 0; i < trade_n_assets(&trades[pool->trades[0]]); i++)
        sets_in_making.stepped |=
            !pool->linear &&
            model_longest_step(&market->assets[trade_asset(&trades[pool->trades[0]], i)], 1.0) <
                HUGE_VAL;
    sets_in_making.several = trade_n_assets(&trades[pool->trades[0]]) > 1;
    sets_in_making.spread = least_spread(market, pool, &trades[pool->trades[0]]);
    for (int i = 0; i < pool->n; i++)
        sets_in_making.exercised |= trade_has(&trades[pool->trades[i]], EARLY_EXERCISE | DECIDES);
    sets_in_making.begins = exercise_begins(&sets_in_making, &trades[pool->trades[0]]);
    for (int i = 0; i < risk->n_sensitivities && !sets_in_making.status; i++)
        if (pool_has(pool, risk->sensitivities[i].greek) &&
            trade_depends(market, &trades[pool->trades[0]], &risk->sensitivities[i]) &&
            !(but_others && pool_leaves_out(pool, risk->sensitivities[i].greek)))
            add_sensitivity(&sets_in_making, risk, i);
    if (sets_in_making.status) free(sets_in_making.sets);
    *n = sets_in_making.status ? 0 : sets_in_making.n;
    *sets = sets_in_making.status ? NULL : sets_in_making.sets;
    return sets_in_making.status;
}
