#include "app/risk/bumps.h"

#include <math.h>
#include <stdlib.h>

#include "app/risk/sensitivities.h"
#include "models/dynamics/coefficients.h"

struct packing {
    const struct market *market;
    const struct unit *unit;
    struct bump_sizes sizes;
    bool exercised; /* whether policies of today's market are wanted everywhere */
    bool stepped;   /* whether paths have steps between the dates of trades, cuts or where curves turn */
    int n;
    struct bundle *bundles;
    enum status status;
};

/* ---- into bundles -------------------------------------------------------------------------------------- */

/* What a Greek asks of the bundle that it goes into. */
struct wish {
    int views, measures;
    bool today; /* one of its terms is today's value */
    bool later; /* its views move time: what shares steps with them has more of them between its dates */
};

static bool has_room(const struct bundle *bundle, struct wish wish)
{
    return bundle->later == wish.later && (bundle->today || !wish.today) &&
           bundle->n_views + wish.views <= MARKETS_MAX &&
           bundle->n_measures + wish.measures <= BUNDLE_MEASURES;
}

/* The first bundle with room, or a new one. */
static struct bundle *room_for(struct packing *packing, struct wish wish)
{
    wish.today |= packing->exercised;
    for (int b = 0; b < packing->n; b++)
        if (has_room(&packing->bundles[b], wish)) return &packing->bundles[b];
    struct bundle *larger = realloc(packing->bundles, (size_t)(packing->n + 1) * sizeof *larger);
    if (!larger) {
        packing->status = STATUS_NO_MEMORY;
        return NULL;
    }
    packing->bundles = larger;
    larger[packing->n] = (struct bundle){.today = wish.today, .later = wish.later, .n_views = wish.today};
    return &larger[packing->n++];
}

static int add_view(struct bundle *bundle, struct view view)
{
    bundle->views[bundle->n_views] = view;
    return bundle->n_views++;
}

static void add_measure(struct bundle *bundle, int sensitivity, double bump, struct measure measure)
{
    bundle->measures[bundle->n_measures] = measure;
    bundle->sensitivity[bundle->n_measures] = sensitivity;
    bundle->bump[bundle->n_measures++] = bump;
}

/* ---- differences --------------------------------------------------------------------------------------- */

static struct measure first_difference(int up, int down, double bump)
{
    double weight = 1.0 / (2.0 * bump);
    return (struct measure){2, {{up, weight}, {down, -weight}}};
}

static struct measure second_difference(int up, int down, double bump)
{
    double weight = 1.0 / (bump * bump);
    return (struct measure){3, {{up, weight}, {0, -2.0 * weight}, {down, weight}}};
}

static struct view moved(enum moved what, int of, int other, int date, double amount)
{
    return (struct view){.n_moves = 1, .moves = {{what, of, other, date, amount}}};
}

/* Views up and down by `amount`, and their difference over 2 `bump`. */
static void add_central(struct packing *packing, int sensitivity, struct move move, double bump)
{
    struct bundle *bundle = room_for(packing, (struct wish){.views = 2, .measures = 1});
    if (!bundle) return;
    int up = add_view(bundle, moved(move.what, move.of, move.other, move.date, move.amount));
    int down = add_view(bundle, moved(move.what, move.of, move.other, move.date, -move.amount));
    add_measure(bundle, sensitivity, bump, first_difference(up, down, bump));
}

/* ---- one sensitivity ----------------------------------------------------------------------------------- */

/* The bump of a spot over the spot. */
static double relative_bump(const struct packing *packing, double size, int asset)
{
    double years = packing->unit->years;
    double spread = asset_volatility(&packing->market->assets[asset], years) * sqrt(years);
    return fmin(size * spread, fmin(packing->unit->reach, LARGEST_BUMP));
}

/* Delta and gamma from the same two views; either may be -1, not wanted of them. */
static void add_spot(struct packing *packing, double size, int asset, int delta, int gamma)
{
    double relative = relative_bump(packing, size, asset),
           bump = relative * packing->market->assets[asset].spot;
    struct bundle *bundle = room_for(packing, (struct wish){.views = 2, .measures = 2, .today = gamma >= 0});
    if (!bundle) return;
    int up = add_view(bundle, moved(MOVED_SPOT, asset, EVERY, EVERY, relative));
    int down = add_view(bundle, moved(MOVED_SPOT, asset, EVERY, EVERY, -relative));
    if (delta >= 0) add_measure(bundle, delta, bump, first_difference(up, down, bump));
    if (gamma >= 0) add_measure(bundle, gamma, bump, second_difference(up, down, bump));
}

static void add_volatility(struct packing *packing, const struct sensitivity *s, int index, int date)
{
    double level = asset_volatility(&packing->market->assets[s->asset], packing->unit->years);
    double bump = packing->sizes.volatility * level;
    add_central(packing, index, (struct move){MOVED_VOLATILITY, s->asset, EVERY, date, bump}, bump);
}

/* Time that passes brings every date nearer. */
static void add_theta(struct packing *packing, int index)
{
    double bump = packing->sizes.time * packing->unit->first_date;
    struct bundle *bundle =
        room_for(packing, (struct wish){.views = 2, .measures = 1, .later = packing->stepped});
    if (!bundle) return;
    int later = add_view(bundle, (struct view){.time_passed = bump});
    int earlier = add_view(bundle, (struct view){.time_passed = -bump});
    add_measure(bundle, index, bump, first_difference(later, earlier, bump));
}

static void add_cross_gamma(struct packing *packing, const struct sensitivity *s, int index)
{
    double a = relative_bump(packing, packing->sizes.spot, s->asset);
    double b = relative_bump(packing, packing->sizes.spot, s->other);
    double weight =
        0.25 / (a * packing->market->assets[s->asset].spot * b * packing->market->assets[s->other].spot);
    struct measure measure = {.n_terms = 4};
    struct bundle *bundle = room_for(packing, (struct wish){.views = 4, .measures = 1});
    if (!bundle) return;
    for (int i = 0; i < 4; i++) {
        double first = i & 1 ? -a : a, second = i & 2 ? -b : b;
        struct view view = {.n_moves = 2,
                            .moves = {{MOVED_SPOT, s->asset, EVERY, EVERY, first},
                                      {MOVED_SPOT, s->other, EVERY, EVERY, second}}};
        measure.terms[i] = (struct measure_term){add_view(bundle, view), i == 0 || i == 3 ? weight : -weight};
    }
    add_measure(bundle, index, a * packing->market->assets[s->asset].spot, measure);
}

/* At the edge of what correlations can be, only the way inwards is left. */
static void add_correlation(struct packing *packing, const struct sensitivity *s, int index)
{
    const struct market *market = packing->market;
    double today = market->correlation[(size_t)s->asset * (size_t)market->n_assets + (size_t)s->other];
    double bump = packing->sizes.correlation;
    struct move move = {MOVED_CORRELATION, s->asset, s->other, EVERY, bump};
    if (fabs(today) + bump <= 1.0) {
        add_central(packing, index, move, bump);
        return;
    }
    double inwards = today > 0.0 ? -bump : bump;
    struct bundle *bundle = room_for(packing, (struct wish){.views = 1, .measures = 1, .today = true});
    if (!bundle) return;
    int in = add_view(bundle, moved(MOVED_CORRELATION, s->asset, s->other, EVERY, inwards));
    add_measure(bundle, index, bump, (struct measure){2, {{in, 1.0 / inwards}, {0, -1.0 / inwards}}});
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Index of the asset's column of a Greek; -1 where there is none. */
static int find_column(const struct risk *risk, enum greek greek, int asset)
{
    for (int i = 0; i < risk->n_sensitivities; i++)
        if (risk->sensitivities[i].greek == greek && risk->sensitivities[i].asset == asset) return i;
    return -1;
}

/* Where payoffs jump delta and gamma share their views; elsewhere delta has smaller bumps, and no bias. */
static void add_delta(struct packing *packing, const struct risk *risk, int asset, int index)
{
    bool shares = packing->sizes.delta == packing->sizes.spot;
    add_spot(packing, packing->sizes.delta, asset, index,
             shares ? find_column(risk, GREEK_GAMMA, asset) : -1);
}

static void add_gamma(struct packing *packing, const struct risk *risk, int asset, int index)
{
    bool shares = packing->sizes.delta == packing->sizes.spot;
    if (!shares || find_column(risk, GREEK_DELTA, asset) < 0)
        add_spot(packing, packing->sizes.spot, asset, -1, index);
}

static void add_sensitivity(struct packing *packing, const struct risk *risk, int index)
{
    const struct sensitivity *s = &risk->sensitivities[index];
    switch (s->greek) {
    case GREEK_DELTA: add_delta(packing, risk, s->asset, index); break;
    case GREEK_GAMMA: add_gamma(packing, risk, s->asset, index); break;
    case GREEK_VEGA: add_volatility(packing, s, index, EVERY); break;
    case GREEK_VEGA_BUCKET:
        if (!bucket_is_late(packing->market, packing->unit, s))
            add_volatility(packing, s, index, bucket_date(&packing->market->assets[s->asset], s));
        break;
    case GREEK_RHO:
        add_central(packing, index, (struct move){MOVED_RATE, s->currency, EVERY, EVERY, packing->sizes.rate},
                    packing->sizes.rate);
        break;
    case GREEK_THETA: add_theta(packing, index); break;
    case GREEK_CROSS_GAMMA: add_cross_gamma(packing, s, index); break;
    case GREEK_CORRELATION: add_correlation(packing, s, index); break;
    case N_GREEKS: break;
    }
}

/* Total variance between two dates comes from the volatilities to both. */
bool bucket_is_late(const struct market *market, const struct unit *unit, const struct sensitivity *bucket)
{
    const struct asset *asset = &market->assets[bucket->asset];
    int date = bucket_date(asset, bucket);
    return date > 0 && volatility_date(asset, date - 1) >= unit->last_date;
}

enum status bumps_make(const struct market *market, const struct trade *trades, const struct unit *unit,
                       const struct risk *risk, uint64_t paths, int *n, struct bundle **bundles)
{
    struct packing packing = {.market = market, .unit = unit, .sizes = unit_sizes(unit, paths)};
    packing.stepped = unit->laid && unit->turn < HUGE_VAL;
    for (int i = 0; i < trade_n_assets(&trades[unit->trades[0]]); i++)
        packing.stepped |=
            model_longest_step(&market->assets[trade_asset(&trades[unit->trades[0]], i)], 1.0) < HUGE_VAL;
    for (int i = 0; i < unit->n; i++)
        packing.exercised |= trades[unit->trades[i]].product == PRODUCT_AMERICAN;
    for (int i = 0; i < risk->n_sensitivities && !packing.status; i++)
        if (trade_depends(market, &trades[unit->trades[0]], &risk->sensitivities[i]))
            add_sensitivity(&packing, risk, i);
    if (packing.status) free(packing.bundles);
    *n = packing.status ? 0 : packing.n;
    *bundles = packing.status ? NULL : packing.bundles;
    return packing.status;
}
