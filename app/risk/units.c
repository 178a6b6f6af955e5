#include "app/risk/units.h"

#include <math.h>
#include <stdlib.h>

#include "app/risk/conditional.h"
#include "app/risk/likelihood.h"

/* ---- keys ---------------------------------------------------------------------------------------------- */

struct place {
    int trade, n_assets, quanto, span;
    bool jumps, scored, tabled;
    double reach;
    int assets[TRADE_ASSETS_MAX]; /* increasing */
    double first_date, last_date, turn;
};

/* Products that pay at a jump of the spot, where they look at it on dates (at every moment the bridge makes
 * barriers smooth) and no conditional expectation stands for them, and early exercise, which a path takes or
 * leaves. */
static bool payoff_jumps(const struct market *market, const struct trade *trade)
{
    if (conditional_pivot(market, trade) > 0.0) return false;
    switch (trade->product) {
    case PRODUCT_DIGITAL:
    case PRODUCT_AUTOCALLABLE:
    case PRODUCT_AMERICAN: return true;
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
    case PRODUCT_TOUCH: return !trade->monitoring.continuous;
    default: return false;
    }
}

static void take_first(const struct schedule *schedule, double *first)
{
    for (int i = 0; i < schedule->n; i++)
        if (schedule->times[i] > 0.0) *first = fmin(*first, schedule->times[i]);
}

static double first_date_of(const struct trade *trade)
{
    double first = trade->expiry;
    const struct schedule *schedules[] = {&trade->fixings, &trade->monitoring, &trade->resets,
                                          &trade->observations, &trade->exercise};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) take_first(schedules[i], &first);
    if (trade->start > 0.0) first = fmin(first, trade->start);
    return first;
}

/* ---- where curves turn --------------------------------------------------------------------------------- */

#define NO_DISTANCE 1e-9 /* years: a date is where a curve turns */

/* The least distance of a trade's date, or of today, to where a curve turns. */
static double distance_to_turn(const struct term_structure *curve, const struct trade *trade, double least)
{
    const struct schedule *schedules[] = {&trade->fixings, &trade->monitoring, &trade->resets,
                                          &trade->observations, &trade->exercise};
    const double ends[] = {0.0, trade->start, trade->expiry};
    const struct schedule all_ends = {.n = 3, .times = (double *)ends};
    for (size_t s = 0; s <= sizeof schedules / sizeof *schedules; s++) {
        const struct schedule *dates = s ? schedules[s - 1] : &all_ends;
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

bool has_curve_dates(const struct trade *trade)
{
    return trade->monitoring.continuous || trade_n_assets(trade) > 1;
}

static double turn_of(const struct market *market, const struct trade *trade)
{
    double least = HUGE_VAL;
    for (int i = 0; i <= trade_n_assets(trade); i++) {
        int a = i < trade_n_assets(trade) ? trade_asset(trade, i) : trade->quanto;
        if (a < 0) continue;
        const struct asset *asset = &market->assets[a];
        least = distance_to_turn(&market->currencies[asset->currency].rate, trade, least);
        least = distance_to_turn(&asset->yield, trade, least);
        least = distance_to_turn(&asset->variance, trade, least);
    }
    return least;
}

/* ---- levels that are watched at every moment ----------------------------------------------------------- */

/* The level at which the value of a lookback turns: the extreme so far, or a fixed strike if that lies beyond
 * it. */
static double turn_of_lookback(const struct trade *trade)
{
    bool floating = trade->strike_type == STRIKE_FLOATING,
         highest = (trade->option == OPTION_CALL) != floating;
    double strike = floating ? 0.0 : trade->strike;
    if (highest || trade->extreme == 0.0) return fmax(trade->extreme, strike);
    return strike > 0.0 ? fmin(trade->extreme, strike) : trade->extreme;
}

/* How far the spot is from a level, over the spot; HUGE_VAL where it is at it, or where there is no level. */
static double distance_to(double level, double spot)
{
    double distance = fabs(level / spot - 1.0);
    return level > 0.0 && level < HUGE_VAL && distance > 0.0 ? distance : HUGE_VAL;
}

/* A value that turns or ends at a level of today's spot has no differences across it. */
static double nearest_level(const struct market *market, const struct trade *trade)
{
    double spot = market->assets[trade->asset].spot;
    if (!trade->monitoring.continuous || trade->hit) return HUGE_VAL;
    if (trade->product == PRODUCT_LOOKBACK) return distance_to(turn_of_lookback(trade), spot);
    return fmin(distance_to(trade->barrier, spot),
                fmin(distance_to(trade->lower, spot), distance_to(trade->upper, spot)));
}

/* Half the distance, rounded down to a power of two, so that trades that are about as near share their bumps;
 * HUGE_VAL where no bump goes as far. */
static double reach_of(const struct market *market, const struct trade *trade)
{
    double half = 0.5 * nearest_level(market, trade);
    return half < LARGEST_BUMP ? exp2(floor(log2(half))) : HUGE_VAL;
}

/* ---- keys of a trade ----------------------------------------------------------------------------------- */

/* Expiries within a factor of 16 share a unit: powers of 16 years. */
static int span_of(double expiry)
{
    return (int)lround(log2(expiry) / 4.0);
}

static void make_place(const struct market *market, const struct trade *trade, int index, struct place *place)
{
    *place = (struct place){.trade = index,
                            .n_assets = trade_n_assets(trade),
                            .quanto = trade->quanto,
                            .span = span_of(trade->expiry),
                            .jumps = payoff_jumps(market, trade),
                            .scored = has_likelihood(market, trade),
                            .reach = reach_of(market, trade),
                            .first_date = first_date_of(trade),
                            .last_date = trade->expiry,
                            .turn = turn_of(market, trade)};
    for (int i = 0; i < place->n_assets; i++) {
        int at = i, asset = trade_asset(trade, i);
        place->tabled |= market->assets[asset].model == MODEL_LOCAL_VOL;
        for (; at && place->assets[at - 1] > asset; at--) place->assets[at] = place->assets[at - 1];
        place->assets[at] = asset;
    }
}

static int compare_keys(const struct place *a, const struct place *b)
{
    if (a->n_assets != b->n_assets) return a->n_assets - b->n_assets;
    for (int i = 0; i < a->n_assets; i++)
        if (a->assets[i] != b->assets[i]) return a->assets[i] - b->assets[i];
    if (a->quanto != b->quanto) return a->quanto - b->quanto;
    if (a->span != b->span) return a->span - b->span;
    if (a->jumps != b->jumps) return a->jumps - b->jumps;
    if (a->reach != b->reach) return a->reach < b->reach ? -1 : 1;
    return a->scored - b->scored;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int keys = compare_keys(p, q);
    return keys ? keys : p->trade - q->trade;
}

/* ---- units --------------------------------------------------------------------------------------------- */

static void part(int n, const struct trade *trades, const struct place *places, struct units *units)
{
    for (int i = 0; i < n; i++) {
        units->order[i] = places[i].trade;
        if (!i || compare_keys(&places[i - 1], &places[i]))
            units->units[units->n++] = (struct unit){.trades = units->order + i,
                                                     .years = pow(16.0, places[i].span),
                                                     .first_date = places[i].first_date,
                                                     .turn = HUGE_VAL,
                                                     .jumps = places[i].jumps,
                                                     .reach = places[i].reach,
                                                     .scored = places[i].scored,
                                                     .tabled = places[i].tabled};
        struct unit *unit = &units->units[units->n - 1];
        unit->n++;
        unit->first_date = fmin(unit->first_date, places[i].first_date);
        unit->last_date = fmax(unit->last_date, places[i].last_date);
        unit->turn = fmin(unit->turn, places[i].turn);
        unit->laid |= has_curve_dates(&trades[places[i].trade]);
    }
}

enum status units_make(const struct market *market, int n_trades, const struct trade *trades,
                       struct units *units)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)n_trades + 1;
    struct place *places = malloc(n * sizeof *places);
    *units = (struct units){.units = calloc(n, sizeof *units->units), .order = calloc(n, sizeof(int))};
    if (!places || !units->units || !units->order) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < n_trades; i++) make_place(market, &trades[i], i, &places[i]);
    qsort(places, (size_t)n_trades, sizeof *places, compare_places);
    part(n_trades, trades, places, units);
done:
    free(places);
    if (status) units_free(units);
    return status;
}

void units_free(struct units *units)
{
    free(units->units);
    free(units->order);
    *units = (struct units){0};
}

struct bump_sizes unit_sizes(const struct unit *unit, uint64_t paths)
{
    static const struct bump_sizes smooth = {0.02, 0.001, 0.01, 1e-4, 0.01, 0.01};
    static const struct bump_sizes jumping = {0.05, 0.05, 0.05, 2e-3, 0.05, 0.1};
    static const struct bump_sizes tabled = {0.05, 0.01, 0.02, 1e-3, 0.01, 0.1};
    struct bump_sizes sizes = unit->jumps ? jumping : unit->tabled ? tabled : smooth;
    double of_paths = pow((double)paths / 1048576.0, -0.2);
    sizes.spot *= fmin(fmax(of_paths, 0.5), 2.0);
    if (unit->jumps) sizes.delta = sizes.spot;
    sizes.time = fmin(sizes.time, 1.0 / (365.0 * unit->first_date));
    if (!unit->jumps || unit->laid) sizes.time = fmin(sizes.time, 0.1 * unit->turn / unit->first_date);
    return sizes;
}
