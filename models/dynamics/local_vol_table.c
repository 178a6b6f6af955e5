#include "models/dynamics/local_vol_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/dynamics/local_vol.h"
#include "models/dynamics/local_vol_marginal.h"

#define LOG2_E 1.4426950408889634
#define ROOT_HALF 0.70710678118654752
#define MOST_SHARPER 0.6 /* of an average */
#define TABLE_REACH 5.0  /* standard deviations each way that cells cover */

enum {
    P_ROWS = LOCAL_VOL_P_ROWS,
    Q_ROWS = LOCAL_VOL_Q_ROWS,
    P_CELLS = P_ROWS - 2,
    Q_CELLS = Q_ROWS - 2,
    IN_CELL = 5, /* places where a function is asked for in each */
    P_PLACES = IN_CELL * P_CELLS,
    Q_PLACES = IN_CELL * Q_CELLS
};

/* ---- what an asset's steps share ------------------------------------------------------------- */

/* The laws at a step's start and end, on places of their own or the same; and P at the start's
 * places. What was laid for the last step and serves the next is not laid again. */
struct local_vol_work {
    const struct implied_surface *surface;
    double unit_spot; /* Y of a spot of 1: layouts are aligned to it, that they may stay where
                         today's spot moves */
    struct nodes nodes[2];
    struct marginal marginals[2];
    struct marginal *start, *end;            /* start: NULL today */
    double deviation[NODES], inverse[NODES]; /* G, 1 / G */
    double phi[NODES];
    double p[NODES]; /* P */
    double origin;   /* Y where P is 0 */
};

enum status local_vol_work_make(const struct implied_surface *surface, double spot,
                                struct local_vol_work **work)
{
    enum status status = STATUS_OK;
    struct local_vol_work *new = *work = calloc(1, sizeof *new);
    if (!new) return STATUS_NO_MEMORY;
    new->surface = surface;
    new->unit_spot = -log(spot);
    TRY(nodes_make(&new->nodes[0], surface));
    TRY(nodes_make(&new->nodes[1], surface));
done:
    return status;
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

static void lay_laws(struct local_vol_work *work, const struct tabled_step *step)
{
    work->start = step->from > 0.0 ? law_at(work, step->from, step->laid_from, NULL) : NULL;
    work->end = law_at(work, step->to, step->laid_to, work->start);
}

/* ---- P --------------------------------------------------------------------------------------- */

/* Finds how far a path moves about each place within the step: G, with 1 / G^2 averaged over the
 * places near by, whose weights fall as exp(-distance in deviations). */
static void local_widths(const double *variance, double spacing, double *width)
{
    double sums[NODES], counts[NODES], sum = 0.0, count = 0.0;
    for (int i = 0; i < NODES; i++) {
        double inverse = 1.0 / variance[i], fade = exp(-spacing * sqrt(inverse));
        sums[i] = sum = fade * sum + inverse, counts[i] = count = fade * count + 1.0;
        width[i] = fade;
    }
    sum = count = 0.0; /* of the places above */
    for (int i = NODES - 1; i >= 0; i--) {
        double fade = width[i];
        width[i] = fmax(sqrt((counts[i] + fade * count) / (sums[i] + fade * sum)), spacing);
        sum = fade * sum + 1.0 / variance[i], count = fade * count + 1.0;
    }
}

/* Adds to averages within BLOCK places of `middle` their part of those by kernels so wide that two
 * places are `apart` in widths: by the normal density, and by one of sixth order, which leaves
 * smooth functions what they are but has negative weights. Parts fall in a line. Values reach NODES
 * places further than averages.
 */
enum { BLOCK = 16 };

static void add_averages(const double *value, int middle, double spacing, double *plain,
                         double *sixth)
{
    int reach = (int)fmin(ceil(5.0 / spacing), NODES - BLOCK);
    double sum[2 * BLOCK], sharp[2 * BLOCK], weight = 1.0, all = 1.0, all_sharp = 15.0;
    double ratio = exp(-0.5 * spacing * spacing), fall = ratio * ratio;
    const double *from = value + middle - BLOCK;
    for (int i = 0; i < 2 * BLOCK; i++) sum[i] = from[i], sharp[i] = 15.0 * from[i];
    for (int k = 1; k <= reach; k++) {
        double x2 = k * spacing * k * spacing;
        weight *= ratio, ratio *= fall;
        double sharper = weight * (15.0 - (10.0 - x2) * x2);
        const double *below = from - k, *above = from + k;
        for (int i = 0; i < 2 * BLOCK; i++) {
            double pair = below[i] + above[i];
            sum[i] += weight * pair, sharp[i] += sharper * pair;
        }
        all += 2.0 * weight, all_sharp += 2.0 * sharper;
    }
    for (int i = middle < BLOCK ? BLOCK - middle : 0; i < 2 * BLOCK && middle - BLOCK + i < NODES;
         i++) {
        double part = 1.0 - fabs((double)(i - BLOCK) / BLOCK);
        plain[middle - BLOCK + i] += part * sum[i] / all;
        sixth[middle - BLOCK + i] += part * sharp[i] / all_sharp;
    }
}

/* Averages G^2 from place to place, as a path meets it that moves by a deviation within the step:
 * the time that it spends about a place goes as 1 / G^2 (the speed measure), so it is that which is
 * averaged, by a kernel as wide as the path moves there: the one of sixth order, kept within
 * MOST_SHARPER of the plain one. */
static void spread_over_time(struct local_vol_work *work)
{
    double spacing = work->start->nodes->spacing, width[NODES], inverse[3 * NODES];
    double plain[NODES] = {0}, sixth[NODES] = {0};
    local_widths(work->deviation, spacing, width);
    for (int i = 0; i < 3 * NODES; i++)
        inverse[i] = 1.0 / work->deviation[i < NODES ? 0 : i < 2 * NODES ? i - NODES : NODES - 1];
    for (int middle = 0; middle < NODES + BLOCK; middle += BLOCK)
        add_averages(inverse + NODES, middle, spacing / width[middle < NODES ? middle : NODES - 1],
                     plain, sixth);
    for (int i = 0; i < NODES; i++) {
        double sharper = sixth[i] / plain[i] - 1.0, part = sharper / MOST_SHARPER;
        work->deviation[i] =
            1.0 / (plain[i] * (1.0 + sharper / sqrt(sqrt(1.0 + part * part * part * part))));
    }
}

/* Finds G at every place by Gauss's two points on each part of the step between two expiries of the
 * surface, where Dupire's variance jumps in time. */
static void step_deviations(struct local_vol_work *work, const struct tabled_step *step)
{
    const double gauss = 0.5 / sqrt(3.0);
    const struct implied_surface *surface = work->surface;
    struct nodes *nodes = work->start->nodes;
    double from = step->from;
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
            for (int i = 0; i < NODES; i++) {
                struct variance_at at = variance_between(&date, &early[i], &late[i]);
                work->deviation[i] += 0.5 * length * local_variance(&at, node_at(nodes, i), t);
            }
        }
        from = until;
    }
    spread_over_time(work);
    for (int i = 0; i < NODES; i++) work->deviation[i] = sqrt(work->deviation[i]);
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* A function known at four equal distances or more. */
struct sampled {
    int n;
    double low, per; /* how many of them a unit */
    const double *value;
};

/* Interpolates by the cubic through the four nearest. */
static double sampled_at(const struct sampled *f, double y)
{
    double place = (y - f->low) * f->per;
    int i = (int)clamp(place, 1.0, f->n - 3);
    double t = clamp(place - i, -1.0, 2.0), before = t + 1.0, after = t - 1.0, last = t - 2.0;
    const double *v = f->value + i;
    double inner = after * last, outer = before * t;
    return 0.5 * (v[0] * before * inner - v[1] * outer * last) +
           (1.0 / 6.0) * (v[2] * outer * after - v[-1] * t * inner);
}

/* Makes P = phi(D) from the deviations at the places: phi by trapezoids, its value at D from the
 * slopes at both ends. */
static void lamperti(struct local_vol_work *work)
{
    const struct nodes *nodes = work->start->nodes;
    const double *deviation = work->deviation;
    struct sampled g = {NODES, nodes->low, 1.0 / nodes->spacing, deviation};
    double *phi = work->phi, *p = work->p;
    phi[0] = 0.0;
    for (int i = 0; i < NODES; i++) work->inverse[i] = 1.0 / deviation[i];
    for (int i = 1; i < NODES; i++)
        phi[i] = phi[i - 1] + 0.5 * nodes->spacing * (work->inverse[i - 1] + work->inverse[i]);
    for (int i = 0; i < NODES; i++) {
        double y = node_at(nodes, i), here = deviation[i];
        double rise_there = 0.5 * (sampled_at(&g, y + here) - sampled_at(&g, y - here));
        double drift = -0.25 * (here * here + rise_there); /* -(G + G') G / 4 */
        p[i] = phi[i] + 0.5 * drift * (work->inverse[i] + 1.0 / sampled_at(&g, y + drift));
        double rise = i ? phi[i] - phi[i - 1] : 0.0;
        if (i) p[i] = clamp(p[i], p[i - 1] + 0.5 * rise, p[i - 1] + 2.0 * rise);
    }
    struct sampled sampled = {NODES, nodes->low, 1.0 / nodes->spacing, p};
    double origin = sampled_at(&sampled, work->origin);
    for (int i = 0; i < NODES; i++) p[i] -= origin;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* One function of a step: linear plus cells, in the units of local_vol.h. */
struct parabolas {
    double low, high; /* of the argument */
    double slope, start;
};

/* Sets the row of a parabola, each number the nearest that there is. */
static void set_row(float *row, const double *a)
{
    const double least =
        0x1p-100; /* keeps the curve's bits from making a number that is not normal */
    const int below = 32 - LOCAL_VOL_CURVE_BITS;
    uint32_t curve =
        fabs(a[2]) < least ? 0 : (bits_of_float((float)a[2]) + (1u << (below - 1))) >> below;
    uint32_t slope = bits_of_float((float)(fabs(a[1]) < least ? copysign(least, a[1]) : a[1]));
    uint32_t rounded = (slope - curve + (1u << (LOCAL_VOL_CURVE_BITS - 1))) >> LOCAL_VOL_CURVE_BITS;
    row[0] = (float)a[0];
    row[1] = float_of_bits(rounded << LOCAL_VOL_CURVE_BITS | curve);
}

/* Returns the value of a row at t: what local_vol_step() makes of it. */
static double row_value(const float *row, double t)
{
    return row[0] + (row[1] + (double)local_vol_curve(row[1]) * t) * t;
}

/* Tells where in its cell a value is: -0.5 is the low end, 0.5 the high one. */
static double within_cell(int j)
{
    return (j - 0.5 * (IN_CELL - 1)) / IN_CELL;
}

/* Moves a row's middle so that it is right on average over the cell, in which paths have this
 * density. */
static void centre_row(float *row, const double *value, const double *density)
{
    double error = 0.0, all = 0.0;
    for (int j = 0; j < IN_CELL; j++) {
        error += density[j] * (value[j] - row_value(row, within_cell(j))), all += density[j];
    }
    if (all > 0.0) row[0] = (float)(row[0] + error / all);
}

#define LEAST_SLOPE 0.1 /* of a cell's mean one */

/* The parabola nearest to a cell's values, by least squares. */
#define MEAN_SQUARE                                                                                \
    ((IN_CELL * IN_CELL - 1) / (12.0 * IN_CELL * IN_CELL)) /* of a value's place in its cell */
#define MEAN_FOURTH (MEAN_SQUARE * (3 * IN_CELL * IN_CELL - 7) / (20.0 * IN_CELL * IN_CELL))

static void nearest_parabola(const double *value, double *a)
{
    double mean = 0.0, first = 0.0, second = 0.0;
    for (int j = 0; j < IN_CELL; j++) {
        double t = within_cell(j), part = value[j] / IN_CELL;
        mean += part, first += part * t, second += part * t * t;
    }
    a[2] = (second - MEAN_SQUARE * mean) / (MEAN_FOURTH - MEAN_SQUARE * MEAN_SQUARE);
    a[1] = first / MEAN_SQUARE;
    a[0] = mean - MEAN_SQUARE * a[2];
}

/* Makes the parabolas nearest to IN_CELL values in each cell, in the middles of as many parts of
 * it: a bend within a cell stays in it. Where values plus `line` a cell, which increase, rise so
 * suddenly that the parabola would fall, it is made straighter. What a row's digits cannot hold is
 * made up for in its middle, so that no cell is off on average, with these weights of the values:
 * the density of the paths. rows[n_cells + 2][2], the first and the last of them constants. */
static void cell_rows(int n_cells, const double *value, const double *density, double line,
                      float *rows)
{
    for (int i = 0; i < n_cells; i++) {
        const double *v = value + IN_CELL * i;
        double a[3];
        nearest_parabola(v, a);
        double most = (1.0 - LEAST_SLOPE) * (a[1] + line); /* that it may fall towards an end */
        if (fabs(a[2]) > most) {
            double straight = copysign(most, a[2]);
            a[0] += (a[2] - straight) * MEAN_SQUARE, a[2] = straight;
        }
        float *row = rows + 2 * (i + 1);
        set_row(row, a);
        centre_row(row, v, density + IN_CELL * i);
    }
    const double first[3] = {row_value(rows + 2, -0.5)};
    const double last[3] = {row_value(rows + 2 * n_cells, 0.5)};
    set_row(rows, first);
    set_row(rows + 2 * (n_cells + 1), last);
}

/* ---- a step ---------------------------------------------------------------------------------- */

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
    *p = (struct parabolas){.low = -1.0, .high = 1.0};
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
                   const struct tabled_step *step, float *rows)
{
    double value[P_PLACES] = {0}, density[P_PLACES] = {0}, spacing = (p->high - p->low) / P_PLACES;
    const struct marginal *start = work->start;
    if (step->from > 0.0) {
        struct sampled sampled = {NODES, start->nodes->low, 1.0 / start->nodes->spacing, work->p};
        struct sampled of_start = {NODES, sampled.low, sampled.per, start->density};
        for (int i = 0; i < P_PLACES; i++) {
            double y = p->low + (i + 0.5) * spacing;
            value[i] = sampled_at(&sampled, y) - (p->start + p->slope * y);
            density[i] = fmax(sampled_at(&of_start, y), 0.0);
        }
    }
    cell_rows(P_CELLS, value, density, p->slope * IN_CELL * spacing, rows);
}

/* Finds where P as its rows have it is v, which is not below what was asked for before; the search
 * begins and ends on `row`. */
static double start_place(const struct parabolas *p, const float *rows, double v, int *row)
{
    double width = (p->high - p->low) / P_CELLS, line = p->slope * width, a, b, c;
    for (int i = *row;; i++) {
        double middle = p->start + p->slope * (p->low + (i - 0.5) * width);
        a = middle + rows[2 * i] - v, b = line + rows[2 * i + 1],
        c = local_vol_curve(rows[2 * i + 1]);
        *row = i;
        if (i == P_ROWS - 1 || a + 0.5 * b + 0.25 * c > 0.0) break;
    }
    double root = b * b - 4.0 * a * c, t = -2.0 * a / (b + (root > 0.0 ? sqrt(root) : 0.0));
    if (t < -0.5 && *row > 0) t = -0.5;
    if (t > 0.5 && *row < P_ROWS - 1) t = 0.5;
    return p->low + (*row - 0.5 + t) * width;
}

#define NORMAL_REACH 7.0
#define NORMAL_APART 0.5 /* the trapezoidal rule for normal z converges faster than any power */

/* The lattice on which P + z is convolved: places of u are `each` apart on it, those of z `stride`.
 */
struct lattice {
    int each, stride, reach; /* reach: strides to NORMAL_REACH */
    int n;
    double low, spacing;
    double *probability; /* [n] of P below or above, by the sign of u */
    double *weight;      /* [2 reach + 1] of z */
};

static enum status make_lattice(struct lattice *lattice, const struct parabolas *q,
                                const struct parabolas *p)
{
    double u_apart = (q->high - q->low) / (Q_PLACES);
    double spread = 0.1 * p->slope * (p->high - p->low); /* a deviation of P */
    double most = fmax(NORMAL_APART * spread / sqrt(1.0 + spread * spread) * 1.5, 0.005);
    if (most > NORMAL_APART) most = NORMAL_APART;
    lattice->each = (int)ceil(u_apart / most);
    lattice->spacing = u_apart / lattice->each;
    lattice->stride = (int)fmax(floor(most / lattice->spacing), 1.0);
    lattice->reach = (int)ceil(NORMAL_REACH / (lattice->stride * lattice->spacing));
    int margin = lattice->reach * lattice->stride;
    lattice->low = q->low + 0.5 * u_apart - margin * lattice->spacing;
    lattice->n = (Q_PLACES - 1) * lattice->each + 1 + 2 * margin;
    lattice->probability =
        malloc(((size_t)lattice->n + 2 * (size_t)lattice->reach + 1) * sizeof(double));
    if (!lattice->probability) return STATUS_NO_MEMORY;
    lattice->weight = lattice->probability + lattice->n;
    double total = 0.0;
    for (int i = 0; i <= 2 * lattice->reach; i++) {
        double z = (i - lattice->reach) * lattice->stride * lattice->spacing;
        total += lattice->weight[i] = exp(-0.5 * z * z);
    }
    for (int i = 0; i <= 2 * lattice->reach; i++) lattice->weight[i] /= total;
    return STATUS_OK;
}

/* Sums over z for the places of u from `begin` on: z by z, which is the quicker order. */
static void add_up(const struct lattice *lattice, int begin, int end, double *restrict sum)
{
    for (int m = begin; m < end; m++) sum[m] = 0.0;
    for (int i = 0; i <= 2 * lattice->reach; i++) {
        const double *restrict g = lattice->probability + i * lattice->stride;
        const double weight = lattice->weight[i];
        if (lattice->each == 1)
            for (int m = begin; m < end; m++) sum[m] += weight * g[m];
        else
            for (int m = begin; m < end; m++) sum[m] += weight * g[m * lattice->each];
    }
}

/* Computes Prob(P(Y) + z < u), u < 0, or > u, u > 0, at Q's places: below and above are laid one
 * after the other. */
static void convolve(const struct lattice *lattice, const struct local_vol_work *work,
                     const struct parabolas *q, const struct parabolas *p, const float *p_rows,
                     double *probability)
{
    const struct marginal *start = work->start;
    double u_apart = lattice->spacing * lattice->each, first = q->low + 0.5 * u_apart;
    int m = 0;
    for (int is_below = 1; is_below >= 0; is_below--) {
        int end = Q_PLACES, row = 0;
        if (is_below) end = (int)fmin(fmax(ceil(-first / u_apart), 0.0), end);
        if (end <= m) continue;
        int last = (end - 1) * lattice->each + 2 * lattice->reach * lattice->stride;
        for (int i = m * lattice->each; i <= last; i++)
            lattice->probability[i] = marginal_probability(
                start, start_place(p, p_rows, lattice->low + i * lattice->spacing, &row), is_below);
        add_up(lattice, m, end, probability);
        m = end;
    }
}

/* Makes Q in Y at IN_CELL places a cell, times log2 e, less its line; its rows. *moved: by how much
 * they move the forward, as a part of it. */
static enum status make_q(struct parabolas *q, const struct parabolas *p, const float *p_rows,
                          const struct local_vol_work *work, const struct tabled_step *step,
                          float *rows, double *moved)
{
    double value[Q_PLACES], density[Q_PLACES];
    *moved = 0.0;
    int today = !(step->from > 0.0), from = 0, n = Q_PLACES;
    double u_apart = (q->high - q->low) / n, first = q->low + 0.5 * u_apart;
    if (today) {
        for (int i = 0; i < n; i++) {
            double u = first + i * u_apart, z = u - p->start;
            value[i] = 0.5 * erfc((u < 0.0 ? -z : z) * ROOT_HALF);
        }
    } else {
        struct lattice lattice;
        if (make_lattice(&lattice, q, p)) return STATUS_NO_MEMORY;
        convolve(&lattice, work, q, p, p_rows, value);
        free(lattice.probability);
    }
    density[0] = density[n - 1] = 0.0;
    for (int i = 1; i < n - 1; i++) {
        double here = fabs(value[i] - value[i - 1]), there = fabs(value[i + 1] - value[i]);
        density[i] = fmin(here, there); /* one of them is from one side to the other where u is 0 */
    }
    for (int i = 0; i < n; i++)
        value[i] = marginal_quantile(work->end, value[i], first + i * u_apart < 0.0, &from);
    /* Opposite slopes, so that beyond the cells Q takes back what P did. */
    q->slope = today ? (value[n - 1] - value[0]) / (u_apart * (n - 1)) : 1.0 / p->slope;
    q->slope = (double)(float)(q->slope * LOG2_E) / LOG2_E;
    q->start = value[0] - q->slope * first;
    for (int i = 0; i < n; i++)
        value[i] = LOG2_E * (value[i] - (q->start + q->slope * (first + i * u_apart)));
    cell_rows(Q_CELLS, value, density, LOG2_E * q->slope * u_apart * IN_CELL, rows);
    for (int i = 0; i < n; i++) {
        double off = row_value(rows + 2 * (1 + i / IN_CELL), within_cell(i % IN_CELL)) - value[i];
        double y = q->start + q->slope * (first + i * u_apart) + value[i] / LOG2_E;
        *moved += density[i] * exp(y) * off / LOG2_E;
    }
    return STATUS_OK;
}

enum status local_vol_tables(struct local_vol_work *work, const struct market *market,
                             const struct tabled_step *step, double *c, float *rows,
                             struct forward_moves *moves)
{
    struct parabolas p, q;
    double log_from = surface_log_forward(market, step->asset, step->from);
    double log_to = surface_log_forward(market, step->asset, step->to);
    float *p_rows = rows, *q_rows = rows + 2 * P_ROWS;
    lay_laws(work, step);
    work->origin = choose_origin(work, step);
    if (step->from > 0.0) {
        step_deviations(work, step);
        lamperti(work);
    }
    lay_p(&p, work, step);
    lay_q(&q, &p, step);
    struct positions at = settle(&p, &q, step, log_from, step->drift);
    make_p(&p, work, step, p_rows);
    enum status status = make_q(&q, &p, p_rows, work, step, q_rows, &moves->rows);
    if (status) return status;
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
    double peak = 0.3989422804014327,
           most = fmax(MOST_MOVED * peak * sqrt(t), MOST_ROUNDED); /* of the forward */
    *moved += moves->rows;
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

/* ---- steps of a path, one after the other ---------------------------------------------------- */

/* What is known of an asset's steps so far. */
struct local_vol_path {
    int asset;
    struct tabled_step last;
    double moved; /* how far rows have moved the forward since today, as a part of it */
    /* Where tables are made at once */
    struct implied_surface surface;
    struct local_vol_work *work;
    struct local_vol_path *next;
};

void local_vol_forget(struct local_vol_path *path)
{
    while (path) {
        struct local_vol_path *next = path->next;
        local_vol_work_free(path->work);
        surface_free(&path->surface);
        free(path);
        path = next;
    }
}

/* Finds the asset's path, made at its first step. */
static enum status find_path(int asset, struct lookup *lookup, struct local_vol_path **found)
{
    struct local_vol_path *path = lookup->paths;
    while (path && path->asset != asset) path = path->next;
    if (!path && (path = calloc(1, sizeof *path))) {
        path->asset = path->last.asset = asset;
        path->next = lookup->paths;
        lookup->paths = path;
    }
    *found = path;
    return path ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Returns how far z drifts over the step: the correlation with the FX rate times the root of its
 * variance there. */
static enum status quanto_drift(const struct market *market, int asset,
                                const struct time_step *time_step, double *drift,
                                struct message *why)
{
    *drift = 0.0;
    if (time_step->quanto < 0) return STATUS_OK;
    const struct asset *fx = &market->assets[time_step->quanto];
    if (fx->foreign_currency != market->assets[asset].currency) return STATUS_OK;
    if (fx->model != MODEL_BLACK_SCHOLES) {
        snprintf(why->text, sizeof why->text,
                 "asset '%s': a local_vol asset can be paid in another currency only through an FX "
                 "rate of model "
                 "black_scholes; '%s' is %s",
                 market->assets[asset].name, fx->name, model_name(fx->model));
        return STATUS_FAILED;
    }
    double variance =
        term_accrued(&fx->variance, time_step->to) - term_accrued(&fx->variance, time_step->from);
    *drift =
        market->correlation[(size_t)asset * market->n_assets + time_step->quanto] * sqrt(variance);
    return STATUS_OK;
}

/* Describes what the step's tables depend on: its law at the start lies as it did at the end of the
 * step before. */
static enum status describe_step(const struct market *market, const struct local_vol_path *path,
                                 const struct time_step *time_step, struct tabled_step *step,
                                 struct message *why)
{
    double from = time_step->from, to = time_step->to;
    double laid = path->last.to == from ? path->last.laid_to : from;
    bool serves = from > 0.0 && to <= places_serve(laid);
    *step = (struct tabled_step){.asset = path->asset,
                                 .from = from,
                                 .to = to,
                                 .laid_from = from > 0.0 ? laid : 0.0,
                                 .laid_to = serves ? laid : to};
    return quanto_drift(market, path->asset, time_step, &step->drift, why);
}

static enum status lookup_room(struct lookup *lookup, int more)
{
    if (lookup->n + more <= lookup->room) return STATUS_OK;
    int room = 2 * lookup->room > lookup->n + more ? 2 * lookup->room : lookup->n + more;
    float *table = realloc(lookup->table, (size_t)room * sizeof *table);
    if (!table) return STATUS_NO_MEMORY;
    lookup->table = table, lookup->room = room;
    return STATUS_OK;
}

/* Keeps the step for whoever makes its tables. */
static enum status keep_step(struct tabled_steps *steps, const struct tabled_step *step)
{
    if (steps->n == steps->room) {
        int room = steps->room ? 2 * steps->room : 64;
        struct tabled_step *more = realloc(steps->steps, (size_t)room * sizeof *more);
        if (!more) return STATUS_NO_MEMORY;
        steps->steps = more, steps->room = room;
    }
    steps->steps[steps->n++] = *step;
    return STATUS_OK;
}

/* Makes the step's tables at once. */
static enum status make_tables(const struct market *market, struct local_vol_path *path,
                               const struct tabled_step *step, struct lookup *lookup,
                               struct message *why)
{
    enum status status = STATUS_OK;
    double spot = market->assets[path->asset].spot;
    struct forward_moves moves;
    if (!path->work) {
        TRY(surface_make(&path->surface, market, path->asset, why));
        TRY(local_vol_work_make(&path->surface, spot, &path->work));
    }
    TRY(local_vol_tables(path->work, market, step, step->c, lookup->table + step->first, &moves));
    if (!(step->from > 0.0)) path->moved = 0.0;
    TRY(local_vol_check(market->assets[path->asset].name, step->to, &moves, &path->moved, why));
done:
    return status == STATUS_BAD_INPUT ? STATUS_FAILED : status;
}

enum status local_vol_coefficients(const struct market *market, int asset,
                                   const struct time_step *time_step, double *c,
                                   struct lookup *lookup, struct message *why)
{
    enum status status = STATUS_OK;
    struct local_vol_path *path;
    struct tabled_step step;
    TRY(find_path(asset, lookup, &path));
    TRY(describe_step(market, path, time_step, &step, why));
    TRY(lookup_room(lookup, 2 * LOCAL_VOL_ROWS));
    step.c = c, step.first = lookup->n;
    if (lookup->later) TRY(keep_step(lookup->later, &step));
    else TRY(make_tables(market, path, &step, lookup, why));
    path->last = step;
    lookup->n += 2 * LOCAL_VOL_ROWS;
done:
    return status;
}
