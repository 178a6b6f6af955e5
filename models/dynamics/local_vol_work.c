#include "models/dynamics/local_vol_work.h"

#include <math.h>

#include "models/dynamics/local_vol_lanes.h"
#include "models/math/each.h"
#include "models/math/plan_functions.h"

PLAN_FUNCTION void local_vol_work_begin(struct local_vol_work *work,
                                        const struct implied_surface *surface, double unit_spot,
                                        struct table_room *room)
{
    *work = (struct local_vol_work){.surface = surface, .unit_spot = unit_spot, .room = room};
    for (int i = 0; i < 2; i++) {
        work->nodes[i].grown = room->grown[i];
        work->nodes[i].smiles = room->smiles[i][0];
        work->marginals[i].below = room->below[i];
        work->marginals[i].above = room->above[i];
        work->marginals[i].density = room->density[i];
    }
}

/* Returns the places that are laid for a date, of which `other` are not to be taken. */
PLAN_CODE struct nodes *places_for(struct local_vol_work *work, double laid,
                                   const struct nodes *other)
{
    for (int i = 0; i < 2; i++)
        if (work->nodes[i].laid == laid) return &work->nodes[i];
    struct nodes *nodes = &work->nodes[other == &work->nodes[0]];
    nodes_lay(nodes, work->surface, laid, work->unit_spot);
    return nodes;
}

/* Makes the law at t on places that are laid for a date; `other` stays what it is. */
PLAN_CODE struct marginal *law_at(struct local_vol_work *work, double t, double laid,
                                  const struct marginal *other)
{
    for (int i = 0; i < 2; i++) {
        struct marginal *known = &work->marginals[i];
        if (known->nodes && known->t == t && known->laid == laid && known->nodes->laid == laid)
            return known;
    }
    struct marginal *law = &work->marginals[other == &work->marginals[0]];
    marginal_lay(law, places_for(work, laid, other ? other->nodes : NULL), work->surface, t,
                 work->room);
    return law;
}

PLAN_FUNCTION void local_vol_laws(struct local_vol_work *work, const struct tabled_step *step)
{
    work->start = step->from > 0.0 ? law_at(work, step->from, step->laid_from, NULL) : NULL;
    work->end = law_at(work, step->to, step->laid_to, work->start);
}

/* Finds how far a path moves about each place within the step: G, with 1 / G^2 averaged over the
 * places near by, whose weights fall as exp(-distance in deviations). */
PLAN_CODE void local_widths(const double *variance, double spacing, struct table_room *room)
{
    double *width = room->score, *inverse = room->inverse;
    double *sums = room->plain, *counts = room->sixth, *sums_above = room->power,
           *counts_above = room->low;
    LANES(fades)(variance, spacing, width);
    EACH (i, NODES) inverse[i] = 1.0 / variance[i];
    WAIT();
    if (ONCE) {
        double sum = 0.0, count = 0.0;
        for (int i = 0; i < NODES; i++) {
            sums[i] = sum = width[i] * sum + inverse[i];
            counts[i] = count = width[i] * count + 1.0;
        }
        sum = count = 0.0; /* of the places above */
        for (int i = NODES - 1; i >= 0; i--) {
            sums_above[i] = sum, counts_above[i] = count;
            sum = width[i] * sum + inverse[i], count = width[i] * count + 1.0;
        }
    }
    WAIT();
    EACH (i, NODES)
        width[i] = fmax(
            sqrt((counts[i] + width[i] * counts_above[i]) / (sums[i] + width[i] * sums_above[i])),
            spacing);
    WAIT();
}

/* Finds G at every place by Gauss's two points on each part of the step between two expiries of the
 * surface, where Dupire's variance jumps in time.
 *
 * G^2 is averaged from place to place, as a path meets it that moves by a deviation within the
 * step: the time that it spends about a place goes as 1 / G^2 (the speed measure), so it is that
 * which is averaged, by a kernel as wide as the path moves there. */
PLAN_CODE void step_deviations(struct local_vol_work *work, const struct tabled_step *step)
{
    const double gauss = 0.5 / sqrt(3.0);
    const struct implied_surface *surface = work->surface;
    struct nodes *nodes = work->start->nodes;
    double from = step->from, *deviation = work->room->deviation;
    EACH (i, NODES) deviation[i] = 0.0;
    for (int j = 0; j <= surface->n_times; j++) {
        double until = j < surface->n_times ? fmin(surface->smiles[j].time, step->to) : step->to;
        if (until <= from) continue;
        double length = until - from;
        for (int side = -1; side <= 1; side += 2) {
            double t = 0.5 * (from + until) + side * gauss * length;
            struct date_between date = surface_date(surface, t);
            const struct variance_at *early = nodes_smile(nodes, surface, date.early);
            const struct variance_at *late = nodes_smile(nodes, surface, date.late);
            LANES(variances)(&date, early, late, nodes, 0.5 * length, deviation);
        }
        from = until;
    }
    WAIT();
    local_widths(deviation, nodes->spacing, work->room);
    LANES(spread)(deviation, nodes->spacing, work->room->score, work->room);
    EACH (i, NODES) deviation[i] = sqrt(deviation[i]);
}

/* Makes P = phi(D) from the deviations at the places: phi by trapezoids, its value at D from the
 * slopes at both ends. */
PLAN_CODE void lamperti(struct local_vol_work *work)
{
    const struct nodes *nodes = work->start->nodes;
    const double *deviation = work->room->deviation;
    double *inverse = work->room->inverse, *phi = work->room->phi, *p = work->room->p;
    EACH (i, NODES) inverse[i] = 1.0 / deviation[i];
    WAIT();
    EACH (i, NODES) phi[i] = i ? 0.5 * nodes->spacing * (inverse[i - 1] + inverse[i]) : 0.0;
    WAIT();
    for (int i = 1; ONCE && i < NODES; i++) phi[i] += phi[i - 1];
    WAIT();
    LANES(drifts)(nodes, deviation, inverse, phi, p);
    for (int i = 1; ONCE && i < NODES; i++) {
        double rise = phi[i] - phi[i - 1];
        p[i] = clamp(p[i], p[i - 1] + 0.5 * rise, p[i - 1] + 2.0 * rise);
    }
    WAIT();
    struct sampled sampled = {NODES, nodes->low, 1.0 / nodes->spacing, p};
    double origin = sampled_at(&sampled, work->origin);
    WAIT();
    EACH (i, NODES) p[i] -= origin;
    WAIT();
}

PLAN_FUNCTION void local_vol_transform(struct local_vol_work *work, const struct tabled_step *step)
{
    step_deviations(work, step);
    lamperti(work);
}
