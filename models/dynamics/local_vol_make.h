/* How a step's tables are made: the laws at both ends, P and Q (local_vol_table.h). */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_MAKE_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_MAKE_H

#include <stdlib.h>

#include "models/dynamics/local_vol_marginal.h"

/* ---- laws and P ------------------------------------------------------------------------------ */

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

/* Makes the laws at the start and the end of a step. */
PLAN_CODE void local_vol_laws(struct local_vol_work *work, const struct tabled_step *step)
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
    find_fades(variance, spacing, width);
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
            add_variances(&date, early, late, nodes, 0.5 * length, deviation);
        }
        from = until;
    }
    WAIT();
    local_widths(deviation, nodes->spacing, work->room);
    spread(deviation, nodes->spacing, work->room->score, work->room);
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
    find_drifts(nodes, deviation, inverse, phi, p);
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

/* Makes P at the start's places, 0 at `origin`, of a step that does not begin today. */
PLAN_CODE void local_vol_transform(struct local_vol_work *work, const struct tabled_step *step)
{
    step_deviations(work, step);
    lamperti(work);
}

/* ---- tables ---------------------------------------------------------------------------------- */

#define TABLE_REACH 5.0 /* standard deviations each way that cells cover */

/* Lays low and high end of so many equal cells that reach from low to high, nearly, laid out from
 * `origin`. */
PLAN_CODE void lay_cells(struct parabolas *parabolas, int n, double low, double high, double origin)
{
    double width = grid_length((high - low) / n);
    parabolas->low = aligned(0.5 * (low + high - n * width), width, origin);
    parabolas->high = parabolas->low + n * width;
}

/* Chooses where P is 0: near Y = 0, at one of places so far apart that a small move of the market
 * changes none. */
PLAN_CODE double choose_origin(const struct local_vol_work *work, const struct tabled_step *step)
{
    double spread =
        sqrt(surface_variance(work->surface, 0.0, step->from > 0.0 ? step->from : step->to).w);
    return aligned(0.0, grid_length(4.0 * spread), work->unit_spot);
}

/* Lays the ends of P's cells in Y, over the law at the step's start, and its line. Today, where Y
 * is 0, any line through the origin will do: this one has a slope for the clock. */
PLAN_CODE void lay_p(struct parabolas *p, const struct local_vol_work *work,
                     const struct tabled_step *step)
{
    const struct marginal *start = work->start;
    p->low = -1.0, p->high = 1.0;
    if (step->from > 0.0) {
        double low = marginal_score_quantile(start, -TABLE_REACH, work->room);
        double high = marginal_reach(work->surface, step->from, TABLE_REACH);
        struct sampled sampled = {NODES, start->nodes->low, 1.0 / start->nodes->spacing,
                                  work->room->p};
        lay_cells(p, P_CELLS, low, high, work->unit_spot);
        p->start = sampled_at(&sampled, p->low);
        p->slope = (sampled_at(&sampled, p->high) - p->start) / (p->high - p->low);
        p->start -= p->slope * p->low;
    } else {
        p->slope = 1.0 / sqrt(surface_variance(work->surface, 0.0, step->to).w);
        p->start = -p->slope * work->origin;
    }
}

/* Lays the range of u that P and TABLE_REACH deviations of z reach. */
PLAN_CODE void lay_q(struct parabolas *q, const struct parabolas *p, const struct tabled_step *step)
{
    int today = !(step->from > 0.0);
    double low = today ? 0.0 : p->slope * p->low, high = today ? 0.0 : p->slope * p->high;
    low = p->start - sqrt(low * low + TABLE_REACH * TABLE_REACH);
    high = p->start + sqrt(high * high + TABLE_REACH * TABLE_REACH);
    lay_cells(q, Q_CELLS, low, high, 0.0);
}

/* Places as local_vol_step() finds them, from coefficients that are floats. */
struct positions {
    double p, p_start; /* of x */
    float q, still, still_start;
};

/* Makes the pieces such that the floats are exact: else all paths would be off the table's places
 * in the same way. */
PLAN_CODE struct positions settle(struct parabolas *p, struct parabolas *q,
                                  const struct tabled_step *step, double log_from, double drift)
{
    const double p_last = LOCAL_VOL_P_ROWS - 1, q_last = LOCAL_VOL_Q_ROWS - 1;
    int today = !(step->from > 0.0);
    double p_cells = P_CELLS / (p->high - p->low), middle = 0.5 * (q->low + q->high);
    struct positions at = {.q = (float)(Q_CELLS / (q->high - q->low) / q_last)};
    double width = 1.0 / ((double)at.q * q_last);
    if (today) { /* there is one place */
        at.p_start = 0.5;
    } else {
        at.p = p_cells / LOG2_E / p_last;
        at.p_start = (0.5 - (p->low + log_from) * p_cells) / p_last;
        at.still = (float)(p->slope / LOG2_E * (double)at.q / at.p);
        double slope = (double)at.still * at.p * LOG2_E / (double)at.q, change = slope - p->slope;
        p->slope = slope, p->start -= change * 0.5 * (p->low + p->high);
    }
    double still = today ? p->start - drift
                         : p->start - p->slope * log_from - drift; /* u where x and y are 0 */
    double from = 0.5 / q_last - (double)at.still * at.p_start;
    at.still_start = (float)(from + (still - middle + 0.5 * Q_CELLS * width) * (double)at.q);
    q->low = still - ((double)at.still_start - from) / (double)at.q;
    q->high = q->low + Q_CELLS * width;
    return at;
}

/* Makes P's rows. */
PLAN_CODE void make_p(const struct parabolas *p, const struct local_vol_work *work,
                      const struct tabled_step *step)
{
    struct table_room *room = work->room;
    double spacing = (p->high - p->low) / P_PLACES;
    EACH (i, P_PLACES) room->value[i] = room->weight[i] = 0.0;
    WAIT();
    if (step->from > 0.0) find_cells(work->start, room->p, p, room->value, room->weight);
    make_rows(P_CELLS, room->value, room->weight, p->slope * IN_CELL * spacing, p->rows, room);
}

#define NORMAL_REACH 7.0
#define NORMAL_APART 0.5 /* the trapezoidal rule for normal z converges faster than any power */

/* Finds room for a lattice's numbers: more than a room has, a GPU does not find. */
PLAN_CODE double *lattice_numbers(struct table_room *room, int n)
{
    if (n <= LATTICE_ROOM) return room->lattice;
#ifdef __CUDACC__
    return NULL;
#else
    return malloc((size_t)n * sizeof(double));
#endif
}

PLAN_CODE void lattice_free(const struct table_room *room, struct lattice *lattice)
{
#ifndef __CUDACC__
    if (lattice->probability != room->lattice) free(lattice->probability);
#endif
}

/* STATUS_FAILED where it would take more than MOST_POINTS points, or no number of them;
 * STATUS_NO_MEMORY. */
PLAN_CODE enum status make_lattice(struct lattice *lattice, const struct parabolas *q,
                                   const struct parabolas *p, struct table_room *room,
                                   double *points)
{
    double u_spacing = (q->high - q->low) / (Q_PLACES);
    double spread = 0.1 * p->slope * (p->high - p->low); /* a deviation of P */
    double most = fmax(NORMAL_APART * spread / sqrt(1.0 + spread * spread) * 1.5, 0.005);
    if (most > NORMAL_APART) most = NORMAL_APART;
    *points = (Q_PLACES + 2.0 * NORMAL_REACH / u_spacing) * fmax(ceil(u_spacing / most), 1.0);
    if (!(*points <= MOST_POINTS)) return STATUS_FAILED;
    lattice->each = (int)ceil(u_spacing / most);
    lattice->spacing = u_spacing / lattice->each;
    lattice->stride = (int)fmax(floor(most / lattice->spacing), 1.0);
    lattice->reach = (int)ceil(NORMAL_REACH / (lattice->stride * lattice->spacing));
    int margin = lattice->reach * lattice->stride, weights = 2 * lattice->reach + 1;
    lattice->low = q->low + 0.5 * u_spacing - margin * lattice->spacing;
    lattice->n = (Q_PLACES - 1) * lattice->each + 1 + 2 * margin;
    lattice->probability = lattice_numbers(room, lattice->n + weights);
    if (!lattice->probability) return STATUS_NO_MEMORY;
    lattice->weight = lattice->probability + lattice->n;
    EACH (i, weights) {
        double z = (i - lattice->reach) * lattice->stride * lattice->spacing;
        lattice->weight[i] = exact_exp(-0.5 * z * z);
    }
    WAIT();
    double total = 0.0;
    for (int i = 0; i < weights; i++) total += lattice->weight[i];
    WAIT();
    EACH (i, weights) lattice->weight[i] /= total;
    WAIT();
    return STATUS_OK;
}

/* Computes Prob(P(Y) + z < u), u < 0, or > u, u > 0, at Q's places: below and above are laid one
 * after the other. */
PLAN_CODE void convolve(const struct lattice *lattice, const struct local_vol_work *work,
                        const struct parabolas *q, const struct parabolas *p, double *probability)
{
    double u_spacing = lattice->spacing * lattice->each, first = q->low + 0.5 * u_spacing;
    int m = 0;
    for (int is_below = 1; is_below >= 0; is_below--) {
        int end = Q_PLACES;
        if (is_below) end = (int)fmin(fmax(ceil(-first / u_spacing), 0.0), (double)end);
        if (end <= m) continue;
        int last = (end - 1) * lattice->each + 2 * lattice->reach * lattice->stride;
        find_starts(lattice, p, work->start, m * lattice->each, last, is_below, work->room);
        add_up(lattice, m, end, probability);
        m = end;
    }
}

/* Makes Q in Y at IN_CELL places a cell, times log2 e, less its line; its rows. Says in `moves` by
 * how much they move the forward, as a part of it. STATUS_FAILED: it would take too many points;
 * STATUS_NO_MEMORY. */
PLAN_CODE enum status make_q(struct parabolas *q, const struct parabolas *p,
                             const struct local_vol_work *work, const struct tabled_step *step,
                             struct forward_moves *moves)
{
    struct table_room *room = work->room;
    double *value = room->value, *density = room->weight, *error = room->error;
    int today = !(step->from > 0.0), from = 0, n = Q_PLACES, below = 0;
    double u_spacing = (q->high - q->low) / n, first = q->low + 0.5 * u_spacing;
    if (today) {
        EACH (i, n) {
            double u = first + i * u_spacing, z = u - p->start;
            value[i] = exact_normal_tail(u < 0.0 ? -z : z);
        }
        WAIT();
    } else {
        struct lattice lattice;
        enum status status = make_lattice(&lattice, q, p, room, &moves->points);
        if (status) return status;
        convolve(&lattice, work, q, p, value);
        lattice_free(room, &lattice);
    }
    /* The lesser of two differences: one of them is from one side to the other where u is 0. */
    EACH (i, n) {
        double here = i ? fabs(value[i] - value[i - 1]) : 0.0;
        double there = i < n - 1 ? fabs(value[i + 1] - value[i]) : 0.0;
        density[i] = here < there ? here : there;
    }
    below = (int)fmin(fmax(floor(-first / u_spacing) - 2.0, 0.0), (double)n); /* or a few more */
    while (below < n && first + below * u_spacing < 0.0) below++;
    WAIT();
    find_quantiles(work->end, below, 1, &from, value, room);
    find_quantiles(work->end, n - below, 0, &from, value + below, room);
    /* Opposite slopes, so that beyond the cells Q takes back what P did. */
    q->slope = today ? (value[n - 1] - value[0]) / (u_spacing * (n - 1)) : 1.0 / p->slope;
    q->slope = (double)(float)(q->slope * LOG2_E) / LOG2_E;
    q->start = value[0] - q->slope * first;
    WAIT();
    EACH (i, n) value[i] = LOG2_E * (value[i] - (q->start + q->slope * (first + i * u_spacing)));
    WAIT();
    make_rows(Q_CELLS, value, density, LOG2_E * q->slope * u_spacing * IN_CELL, q->rows, room);
    find_errors(n, value, q, first, u_spacing, error);
    EACH (i, n) error[i] = density[i] * error[i] / LOG2_E;
    WAIT();
    for (int i = 0; i < n; i++) moves->rows += error[i];
    return STATUS_OK;
}

/* Makes a step's coefficients c and rows as local_vol_tables() does, from ln of the forwards at
 * both ends. On a GPU STATUS_NO_MEMORY where the step's lattice has no room. */
PLAN_CODE enum status make_step(struct local_vol_work *work, const struct tabled_step *step,
                                double log_from, double log_to, double *c, float *rows,
                                struct forward_moves *moves)
{
    struct parabolas p = {.rows = rows}, q = {.rows = rows + 2 * P_ROWS};
    local_vol_laws(work, step);
    work->origin = choose_origin(work, step);
    if (step->from > 0.0) local_vol_transform(work, step);
    lay_p(&p, work, step);
    lay_q(&q, &p, step);
    struct positions at = settle(&p, &q, step, log_from, step->drift);
    make_p(&p, work, step);
    *moves = (struct forward_moves){0.0, 0.0, 0.0};
    enum status status = make_q(&q, &p, work, step, moves);
    if (status == STATUS_FAILED) return STATUS_OK; /* local_vol_check() says it */
    if (status) return status;
    moves->points = 0.0;
    moves->law = marginal_forward(work->end, work->room) - 1.0;

    /* Y = x / LOG2_E - log_from. The first parabola is row 1, and its middle half a cell above the
     * low end.
     */
    double p_slope = p.slope / LOG2_E, p_start = p.start - p.slope * log_from - step->drift,
           q_slope = q.slope * LOG2_E;
    float floats[LOCAL_VOL_Q_CELLS + 1] = {0.0f};
    floats[LOCAL_VOL_Q_POSITION] = at.q;
    floats[LOCAL_VOL_Q_SLOPE] = (float)q_slope;
    floats[LOCAL_VOL_Q_STILL] = at.still;
    floats[LOCAL_VOL_Q_STILL + 1] = at.still_start;
    floats[LOCAL_VOL_P_CELLS] = (float)(P_CELLS / (p.high - p.low) / LOG2_E);
    floats[LOCAL_VOL_P_SLOPE] = (float)p_slope;
    floats[LOCAL_VOL_Q_CELLS] = (float)(Q_CELLS / (q.high - q.low));
    if (!ONCE) return STATUS_OK;
    for (int i = 0; i < LOCAL_VOL_COEFFICIENTS; i++) c[i] = 0.0;
    c[LOCAL_VOL_P_POSITION] = at.p;
    c[LOCAL_VOL_P_POSITION + 1] = at.p_start;
    c[LOCAL_VOL_LINE] = p_slope * q_slope;
    c[LOCAL_VOL_LINE + 1] = p_start * q_slope + (q.start + log_to) * LOG2_E;
    for (int i = 0; i <= LOCAL_VOL_Q_CELLS; i++)
        set_float_of_pairs(c + LOCAL_VOL_PAIRS, i, floats[i]);
    local_vol_refer(step, c);
    return STATUS_OK;
}

#endif
