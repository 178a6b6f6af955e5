#include "models/dynamics/local_vol_work.h"

#include <math.h>
#include <stdlib.h>

#include "models/dynamics/local_vol_lanes.h"
#include "models/math/plan_functions.h"

enum status local_vol_work_make(const struct implied_surface *surface, double spot,
                                struct local_vol_work **work)
{
    struct local_vol_work *new = *work = calloc(1, sizeof *new);
    if (!new) return STATUS_NO_MEMORY;
    new->surface = surface;
    new->unit_spot = -exact_log(spot);
    MUST(nodes_make(&new->nodes[0], surface));
    return nodes_make(&new->nodes[1], surface);
}

void local_vol_work_free(struct local_vol_work *work)
{
    if (!work) return;
    nodes_free(&work->nodes[0]);
    nodes_free(&work->nodes[1]);
    free(work);
}

/* Returns the places that are laid for a date, of which `other` are not to be taken. */
static struct nodes *places_for(struct local_vol_work *work, double laid, const struct nodes *other)
{
    for (int i = 0; i < 2; i++)
        if (work->nodes[i].laid == laid) return &work->nodes[i];
    struct nodes *nodes = &work->nodes[other == &work->nodes[0]];
    nodes_lay(nodes, work->surface, laid, work->unit_spot);
    return nodes;
}

/* Makes the law at t on places that are laid for a date; `other` stays what it is. */
static struct marginal *law_at(struct local_vol_work *work, double t, double laid,
                               const struct marginal *other)
{
    for (int i = 0; i < 2; i++) {
        struct marginal *known = &work->marginals[i];
        if (known->nodes && known->t == t && known->laid == laid && known->nodes->laid == laid)
            return known;
    }
    struct marginal *law = &work->marginals[other == &work->marginals[0]];
    marginal_lay(law, places_for(work, laid, other ? other->nodes : NULL), work->surface, t);
    return law;
}

void local_vol_laws(struct local_vol_work *work, const struct tabled_step *step)
{
    work->start = step->from > 0.0 ? law_at(work, step->from, step->laid_from, NULL) : NULL;
    work->end = law_at(work, step->to, step->laid_to, work->start);
}

/* Finds how far a path moves about each place within the step: G, with 1 / G^2 averaged over the
 * places near by, whose weights fall as exp(-distance in deviations). */
static void local_widths(const double *variance, double spacing, double *width)
{
    double sums[NODES], counts[NODES], sum = 0.0, count = 0.0;
    local_vol_fastest()->fades(variance, spacing, width);
    for (int i = 0; i < NODES; i++) {
        sums[i] = sum = width[i] * sum + 1.0 / variance[i];
        counts[i] = count = width[i] * count + 1.0;
    }
    sum = count = 0.0; /* of the places above */
    for (int i = NODES - 1; i >= 0; i--) {
        double fade = width[i];
        width[i] = fmax(sqrt((counts[i] + fade * count) / (sums[i] + fade * sum)), spacing);
        sum = fade * sum + 1.0 / variance[i], count = fade * count + 1.0;
    }
}

/* Finds G at every place by Gauss's two points on each part of the step between two expiries of the
 * surface, where Dupire's variance jumps in time.
 *
 * G^2 is averaged from place to place, as a path meets it that moves by a deviation within the
 * step: the time that it spends about a place goes as 1 / G^2 (the speed measure), so it is that
 * which is averaged, by a kernel as wide as the path moves there. */
static void step_deviations(struct local_vol_work *work, const struct tabled_step *step)
{
    const double gauss = 0.5 / sqrt(3.0);
    const struct implied_surface *surface = work->surface;
    struct nodes *nodes = work->start->nodes;
    double from = step->from, width[NODES];
    for (int i = 0; i < NODES; i++) work->deviation[i] = 0.0;
    for (int j = 0; j <= surface->n_times; j++) {
        double until = j < surface->n_times ? fmin(surface->smiles[j].time, step->to) : step->to;
        if (until <= from) continue;
        double length = until - from;
        for (int side = -1; side <= 1; side += 2) {
            double t = 0.5 * (from + until) + side * gauss * length;
            struct date_between date = surface_date(surface, t);
            const struct variance_at *early = nodes_smile(nodes, surface, date.early);
            const struct variance_at *late = nodes_smile(nodes, surface, date.late);
            local_vol_fastest()->variances(&date, early, late, nodes, 0.5 * length,
                                           work->deviation);
        }
        from = until;
    }
    local_widths(work->deviation, nodes->spacing, width);
    local_vol_fastest()->spread(work->deviation, nodes->spacing, width);
    for (int i = 0; i < NODES; i++) work->deviation[i] = sqrt(work->deviation[i]);
}

/* Makes P = phi(D) from the deviations at the places: phi by trapezoids, its value at D from the
 * slopes at both ends. */
static void lamperti(struct local_vol_work *work)
{
    const struct nodes *nodes = work->start->nodes;
    const double *deviation = work->deviation;
    double *phi = work->phi, *p = work->p;
    phi[0] = 0.0;
    for (int i = 0; i < NODES; i++) work->inverse[i] = 1.0 / deviation[i];
    for (int i = 1; i < NODES; i++)
        phi[i] = phi[i - 1] + 0.5 * nodes->spacing * (work->inverse[i - 1] + work->inverse[i]);
    local_vol_fastest()->drifts(nodes, deviation, work->inverse, phi, p);
    for (int i = 0; i < NODES; i++) {
        double rise = i ? phi[i] - phi[i - 1] : 0.0;
        if (i) p[i] = clamp(p[i], p[i - 1] + 0.5 * rise, p[i - 1] + 2.0 * rise);
    }
    struct sampled sampled = {NODES, nodes->low, 1.0 / nodes->spacing, p};
    double origin = sampled_at(&sampled, work->origin);
    for (int i = 0; i < NODES; i++) p[i] -= origin;
}

void local_vol_transform(struct local_vol_work *work, const struct tabled_step *step)
{
    step_deviations(work, step);
    lamperti(work);
}
