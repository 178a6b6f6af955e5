#include "models/dynamics/local_vol_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/dynamics/local_vol_lanes.h"
#include "models/dynamics/local_vol_work.h"
#include "models/math/plan_functions.h"

#define TABLE_REACH 5.0 /* standard deviations each way that cells cover */

enum { P_ROWS = LOCAL_VOL_P_ROWS, Q_ROWS = LOCAL_VOL_Q_ROWS };

/* Lays low and high end of so many equal cells that reach from low to high, nearly, laid out from
 * `origin`. */
static void lay_cells(struct parabolas *parabolas, int n, double low, double high, double origin)
{
    double width = grid_length((high - low) / n);
    parabolas->low = aligned(0.5 * (low + high - n * width), width, origin);
    parabolas->high = parabolas->low + n * width;
}

/* Chooses where P is 0: near Y = 0, at one of places so far apart that a small move of the market
 * changes none. */
static double choose_origin(const struct local_vol_work *work, const struct tabled_step *step)
{
    double spread =
        sqrt(surface_variance(work->surface, 0.0, step->from > 0.0 ? step->from : step->to).w);
    return aligned(0.0, grid_length(4.0 * spread), work->unit_spot);
}

/* Lays the ends of P's cells in Y, over the law at the step's start, and its line. Today, where Y
 * is 0, any line through the origin will do: this one has a slope for the clock. */
static void lay_p(struct parabolas *p, const struct local_vol_work *work,
                  const struct tabled_step *step)
{
    const struct marginal *start = work->start;
    p->low = -1.0, p->high = 1.0;
    if (step->from > 0.0) {
        double low = marginal_score_quantile(start, -TABLE_REACH);
        double high = marginal_reach(work->surface, step->from, TABLE_REACH);
        struct sampled sampled = {NODES, start->nodes->low, 1.0 / start->nodes->spacing, work->p};
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
static void lay_q(struct parabolas *q, const struct parabolas *p, const struct tabled_step *step)
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
static struct positions settle(struct parabolas *p, struct parabolas *q,
                               const struct tabled_step *step, double log_from, double drift)
{
    const double p_last = P_ROWS - 1, q_last = Q_ROWS - 1;
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
static void make_p(const struct parabolas *p, const struct local_vol_work *work,
                   const struct tabled_step *step)
{
    const struct local_vol_lanes *lanes = local_vol_fastest();
    double value[P_PLACES] = {0}, density[P_PLACES] = {0}, spacing = (p->high - p->low) / P_PLACES;
    if (step->from > 0.0) lanes->cells(work->start, work->p, p, value, density);
    lanes->rows(P_CELLS, value, density, p->slope * IN_CELL * spacing, p->rows);
}

#define NORMAL_REACH 7.0
#define NORMAL_APART 0.5 /* the trapezoidal rule for normal z converges faster than any power */

/* The most points of a step's convolution: 8 MB, and some hundredths of a second. An ordinary step
 * takes a few thousand. */
#define MOST_POINTS 1e6

/* STATUS_FAILED where it would take more than MOST_POINTS points, or no number of them. */
static enum status make_lattice(struct lattice *lattice, const struct parabolas *q,
                                const struct parabolas *p, double *points)
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
    int margin = lattice->reach * lattice->stride;
    lattice->low = q->low + 0.5 * u_spacing - margin * lattice->spacing;
    lattice->n = (Q_PLACES - 1) * lattice->each + 1 + 2 * margin;
    lattice->probability =
        malloc(((size_t)lattice->n + 2 * (size_t)lattice->reach + 1) * sizeof(double));
    if (!lattice->probability) return STATUS_NO_MEMORY;
    lattice->weight = lattice->probability + lattice->n;
    double total = 0.0;
    for (int i = 0; i <= 2 * lattice->reach; i++) {
        double z = (i - lattice->reach) * lattice->stride * lattice->spacing;
        total += lattice->weight[i] = exact_exp(-0.5 * z * z);
    }
    for (int i = 0; i <= 2 * lattice->reach; i++) lattice->weight[i] /= total;
    return STATUS_OK;
}

/* Computes Prob(P(Y) + z < u), u < 0, or > u, u > 0, at Q's places: below and above are laid one
 * after the other. */
static void convolve(const struct lattice *lattice, const struct local_vol_work *work,
                     const struct parabolas *q, const struct parabolas *p, double *probability)
{
    double u_spacing = lattice->spacing * lattice->each, first = q->low + 0.5 * u_spacing;
    const struct local_vol_lanes *lanes = local_vol_fastest();
    int m = 0;
    for (int is_below = 1; is_below >= 0; is_below--) {
        int end = Q_PLACES;
        if (is_below) end = (int)fmin(fmax(ceil(-first / u_spacing), 0.0), end);
        if (end <= m) continue;
        int last = (end - 1) * lattice->each + 2 * lattice->reach * lattice->stride;
        lanes->starts(lattice, p, work->start, m * lattice->each, last, is_below);
        lanes->sums(lattice, m, end, probability);
        m = end;
    }
}

/* Makes Q in Y at IN_CELL places a cell, times log2 e, less its line; its rows. Says in `moves` by
 * how much they move the forward, as a part of it. STATUS_FAILED: it would take too many points. */
static enum status make_q(struct parabolas *q, const struct parabolas *p,
                          const struct local_vol_work *work, const struct tabled_step *step,
                          struct forward_moves *moves)
{
    double value[Q_PLACES], density[Q_PLACES], error[Q_PLACES];
    const struct local_vol_lanes *lanes = local_vol_fastest();
    int today = !(step->from > 0.0), from = 0, n = Q_PLACES, below = 0;
    double u_spacing = (q->high - q->low) / n, first = q->low + 0.5 * u_spacing;
    if (today) {
        for (int i = 0; i < n; i++) {
            double u = first + i * u_spacing, z = u - p->start;
            value[i] = exact_normal_tail(u < 0.0 ? -z : z);
        }
    } else {
        struct lattice lattice;
        enum status status = make_lattice(&lattice, q, p, &moves->points);
        if (status) return status;
        convolve(&lattice, work, q, p, value);
        free(lattice.probability);
    }
    density[0] = density[n - 1] = 0.0;
    for (int i = 1; i < n - 1; i++) {
        double here = fabs(value[i] - value[i - 1]), there = fabs(value[i + 1] - value[i]);
        density[i] = here < there
                         ? here
                         : there; /* one of them is from one side to the other where u is 0 */
    }
    while (below < n && first + below * u_spacing < 0.0) below++;
    lanes->quantiles(work->end, below, 1, &from, value);
    lanes->quantiles(work->end, n - below, 0, &from, value + below);
    /* Opposite slopes, so that beyond the cells Q takes back what P did. */
    q->slope = today ? (value[n - 1] - value[0]) / (u_spacing * (n - 1)) : 1.0 / p->slope;
    q->slope = (double)(float)(q->slope * LOG2_E) / LOG2_E;
    q->start = value[0] - q->slope * first;
    for (int i = 0; i < n; i++)
        value[i] = LOG2_E * (value[i] - (q->start + q->slope * (first + i * u_spacing)));
    lanes->rows(Q_CELLS, value, density, LOG2_E * q->slope * u_spacing * IN_CELL, q->rows);
    lanes->errors(n, value, q, first, u_spacing, error);
    for (int i = 0; i < n; i++) moves->rows += density[i] * error[i] / LOG2_E;
    return STATUS_OK;
}

enum status local_vol_tables(struct local_vol_work *work, const struct market *market,
                             const struct tabled_step *step, double *c, float *rows,
                             struct forward_moves *moves)
{
    struct parabolas p = {.rows = rows}, q = {.rows = rows + 2 * P_ROWS};
    double log_from = surface_log_forward(market, step->asset, step->from);
    double log_to = surface_log_forward(market, step->asset, step->to);
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
    moves->law = marginal_forward(work->end) - 1.0;

    /* Y = x / LOG2_E - log_from. The first parabola is row 1, and its middle half a cell above the
     * low end.
     */
    double p_slope = p.slope / LOG2_E, p_start = p.start - p.slope * log_from - step->drift,
           q_slope = q.slope * LOG2_E;
    const double floats[] = {[LOCAL_VOL_Q_POSITION] = at.q,
                             [LOCAL_VOL_Q_SLOPE] = q_slope,
                             [LOCAL_VOL_Q_STILL] = at.still,
                             [LOCAL_VOL_Q_STILL + 1] = at.still_start,
                             [LOCAL_VOL_P_CELLS] = P_CELLS / (p.high - p.low) / LOG2_E,
                             [LOCAL_VOL_P_SLOPE] = p_slope,
                             [LOCAL_VOL_Q_CELLS] = Q_CELLS / (q.high - q.low)};
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

void local_vol_refer(const struct tabled_step *step, double *c)
{
    c[LOCAL_VOL_FIRST] = LOCAL_VOL_ROUND + (step->first / 2 - LOCAL_VOL_ROW_ZERO);
}

#define MOST_MOVED 1e-4    /* of volatility, a year, that a forward may be off by at the money */
#define MOST_ROUNDED 1e-12 /* of the forward, however near the date is */

enum status local_vol_check(const char *asset, double t, const struct forward_moves *moves,
                            double *moved, struct message *why)
{
    double most = fmax(MOST_MOVED * NORMAL_PEAK * sqrt(t), MOST_ROUNDED); /* of the forward */
    *moved += moves->rows;
    if (moves->points != 0.0) {
        snprintf(
            why->text, sizeof why->text,
            "asset '%s': local_vol's table to %.6g years would take %.3g points, %.3g at most: "
            "its volatilities are too low or too unlike each other",
            asset, t, moves->points, MOST_POINTS);
        return STATUS_FAILED;
    }
    if (fabs(moves->law + *moved) <= most) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "asset '%s': local_vol cannot follow its volatilities to %.6g years: the mean of the "
             "spot there "
             "would be "
             "off by %.2g of itself (by %.2g from the volatilities as they are read there); they "
             "are too "
             "high, or too steep against the strike",
             asset, t, moves->law + *moved, moves->law);
    return STATUS_FAILED;
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

bool local_vol_steps_alike(const struct tabled_market *a, const struct tabled_market *b,
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
