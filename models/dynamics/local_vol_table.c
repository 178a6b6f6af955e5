#include "models/dynamics/local_vol_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/dynamics/local_vol_room.h"
#include "models/math/constants.h"
#include "models/math/plan_functions.h"

#define BUILD(name, idea, supported) extern table_build local_vol_##name;
#include "models/base/builds.def"
#undef BUILD

/* Returns the last of builds.def that this processor can run. */
static table_build *fastest(void)
{
    table_build *found = NULL;
#define BUILD(name, idea, supported)                                                               \
    if (supported) found = local_vol_##name;
#include "models/base/builds.def"
#undef BUILD
    return found;
}

/* What a thread has: the work, and its room. */
struct local_vol_maker {
    struct local_vol_work work;
    struct table_room room;
    struct table_tray tray;
};

enum status local_vol_maker_make(const struct implied_surface *surface, double unit_spot,
                                 struct local_vol_maker **maker)
{
    struct local_vol_maker *new = *maker = malloc(sizeof *new);
    if (!new) return STATUS_NO_MEMORY;
    new->tray = (struct table_tray){.asked = 0.0}; /* beside what is asked for stand numbers */
    new->room.tray = &new->tray;
    local_vol_work_begin(&new->work, surface, unit_spot, &new->room);
    return STATUS_OK;
}

void local_vol_maker_free(struct local_vol_maker *maker)
{
    free(maker);
}

enum status local_vol_tables(struct local_vol_maker *maker, const struct market *market,
                             const struct tabled_step *step, double *c, float *rows,
                             struct forward_moves *moves)
{
    double log_from = surface_log_forward(market, step->asset, step->from);
    double log_to = surface_log_forward(market, step->asset, step->to);
    return fastest()(&maker->work, step, log_from, log_to, c, rows, moves);
}

#define MOST_MOVED 1e-4    /* of volatility, a year, that a forward may be off by at the money */
#define MOST_ROUNDED 1e-12 /* of the forward, however near the date is */

enum status local_vol_check(const char *asset, double t, const struct forward_moves *moves,
                            double *moved, struct message *why)
{
    double most = fmax(MOST_MOVED * NORMAL_PEAK * sqrt(t), MOST_ROUNDED); /* of the forward */
    *moved += moves->rows;
    if (moves->points != 0.0)
        return say_why(STATUS_FAILED, why,
                       "asset '%s': local_vol's table to %.6g years would take %.3g points, %.3g "
                       "at most: its volatilities are too low or too unlike each other",
                       asset, t, moves->points, MOST_POINTS);
    if (fabs(moves->law + *moved) <= most) return STATUS_OK;
    return say_why(
        STATUS_FAILED, why,
        "asset '%s': local_vol cannot follow its volatilities to %.6g years: the mean of the spot "
        "there would be off by %.2g of itself (by %.2g from the volatilities as they are read "
        "there); they are too high, or too steep against the strike",
        asset, t, moves->law + *moved, moves->law);
}

bool local_vol_alike(const struct market *a, const struct market *b, int asset)
{
    const struct asset *p = &a->assets[asset], *q = &b->assets[asset];
    const struct surface *s = &p->surface, *t = &q->surface;
    size_t times = (size_t)s->n_times, strikes = (size_t)s->n_strikes;
    if (a == b) return true;
    if (p->spot != q->spot || s->n_times != t->n_times || s->n_strikes != t->n_strikes ||
        s->strikes_by_time != t->strikes_by_time)
        return false;
    size_t rows = s->strikes_by_time ? times : 1;
    return term_equal(&p->yield, &q->yield) &&
           term_equal(&a->currencies[p->currency].rate, &b->currencies[q->currency].rate) &&
           !memcmp(s->times, t->times, times * sizeof(double)) &&
           !memcmp(s->strikes, t->strikes, rows * strikes * sizeof(double)) &&
           !memcmp(s->vols, t->vols, times * strikes * sizeof(double));
}

/* ---- steps that are the same in two markets -------------------------------------------------- */

static bool smiles_alike(const struct smile *a, const struct smile *b, int n_strikes)
{
    size_t bytes = (size_t)n_strikes * sizeof(double);
    return a->time == b->time && a->left == b->left && a->left_reach == b->left_reach &&
           a->right == b->right && a->right_reach == b->right_reach && !memcmp(a->k, b->k, bytes) &&
           !memcmp(a->w, b->w, bytes) && !memcmp(a->curve, b->curve, bytes);
}

bool local_vol_steps_alike(const struct surfaced_market *a, const struct surfaced_market *b,
                           const struct tabled_step *step)
{
    const struct implied_surface *p = a->surface, *q = b->surface;
    int asset = step->asset;
    double first = fmin(step->from > 0.0 ? step->from : step->to, step->laid_to),
           last = fmax(step->to, places_serve(step->laid_to));
    if (step->from > 0.0) {
        first = fmin(first, step->laid_from);
        last = fmax(last, places_serve(step->laid_from));
    }
    if (p->n_times != q->n_times || p->n_strikes != q->n_strikes ||
        a->market->assets[asset].spot != b->market->assets[asset].spot)
        return false;
    for (int j = surface_date(p, first).early; j <= surface_date(p, last).late; j++)
        if (!smiles_alike(&p->smiles[j], &q->smiles[j], p->n_strikes)) return false;
    return surface_log_forward(a->market, asset, step->from) ==
               surface_log_forward(b->market, asset, step->from) &&
           surface_log_forward(a->market, asset, step->to) ==
               surface_log_forward(b->market, asset, step->to);
}
