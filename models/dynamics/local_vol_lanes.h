/* What local_vol's tables do at many places at once: what the law says there, averages of
 * variances, where P lies, Q's quantiles. Products and sums are separate operations, so every build
 * rounds alike. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_LANES_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_LANES_H

#include <math.h>

#include "models/dynamics/local_vol_room.h"
#include "models/math/constants.h"
#include "models/math/plan_inline.h"

/* ---- the law and its variances --------------------------------------------------------------- */

/* Finds how many deviations the places are away, d2 / sqrt(2), and w's root. */
PLAN_CODE void find_scores(const struct date_between *date, const struct variance_at *early,
                           const struct variance_at *late, const struct nodes *nodes, double *score,
                           struct variance_at *at)
{
    EACH (i, NODES) {
        at[i] = variance_between(date, &early[i], &late[i]);
        double over = 1.0 / sqrt(at[i].w);
        score[i] = -node_at(nodes, i) * over - 0.5 * sqrt(at[i].w);
    }
}

/* Turns scores into exp(-score^2 / 2). */
PLAN_CODE void find_powers(const double *score, double *low, double *power)
{
    EACH (i, NODES) {
        struct power_of_square square = power_of_square(fabs(score[i]) * ROOT_HALF);
        power[i] = square.y, low[i] = square.low;
    }
    EACH (i, NODES) power[i] = power_of_e(power[i], low[i]);
}

/* Makes a law from an expiry's total variances at its places, or from those of two. */
PLAN_CODE void make_law(const struct date_between *date, const struct variance_at *early,
                        const struct variance_at *late, struct marginal *law,
                        struct table_room *room)
{
    const struct date_between between = *date;
    const double low = law->nodes->low, spacing = law->nodes->spacing;
    double *score = room->score, *power = room->power;
    double *below = law->below, *above = law->above, *densities = law->density;
    struct variance_at *at = room->at;
    find_scores(&between, early, late, law->nodes, score, at);
    find_powers(score, room->low, power);
    EACH (i, NODES) {
        double d2 = score[i], over = 1.0 / sqrt(at[i].w), n = NORMAL_PEAK * power[i];
        double tail = 0.5 * erfc_above(fabs(d2) * ROOT_HALF, power[i]), rest = 1.0 - tail;
        double lean = 0.5 * n * at[i].w_k * over,
               density = surface_density(&at[i], low + i * spacing);
        below[i] = (d2 > 0.0 ? tail : rest) + lean;
        above[i] = (d2 > 0.0 ? rest : tail) - lean;
        densities[i] = density > 0.0 ? density * n * over : 0.0;
    }
    WAIT();
}

/* Adds `weight` times Dupire's variances at the places [NODES] on the date. */
PLAN_CODE void add_variances(const struct date_between *date, const struct variance_at *early,
                             const struct variance_at *late, const struct nodes *nodes,
                             double weight, double *sums)
{
    const struct date_between between = *date;
    const double low = nodes->low, spacing = nodes->spacing;
    EACH (i, NODES) {
        struct variance_at at = variance_between(&between, &early[i], &late[i]);
        sums[i] += weight * local_variance(&at, low + i * spacing, &between);
    }
}

/* Makes a unit's move in widths of each place fade: exp(-spacing / sqrt(variance)), [NODES]. */
PLAN_CODE void find_fades(const double *variance, double spacing, double *fade)
{
    EACH (i, NODES) fade[i] = power_clamped(-spacing * sqrt(1.0 / variance[i]));
    EACH (i, NODES) fade[i] = power_of_e(fade[i], 0.0);
    WAIT();
}

/* Finds averages of `value` at SIDE_BY_SIDE places of a window, from `place` of it on, by kernels
 * so wide that two places are `spacing` in widths: by the normal density, and by one of sixth
 * order, which leaves smooth functions what they are but has negative weights. Each is its part,
 * which falls in a line from the middle. Values reach NODES - AVERAGED places further. */
PLAN_CODE void average(const double *value, int place, double spacing, double *plain, double *sixth)
{
    int reach = (int)fmin(ceil(5.0 / spacing), (double)(NODES - AVERAGED));
    double sum[SIDE_BY_SIDE], sharp[SIDE_BY_SIDE], weight = 1.0, all = 1.0, all_sharp = 15.0;
    double ratio = power_of_e(power_clamped(-0.5 * spacing * spacing), 0.0), fall = ratio * ratio;
    for (int i = 0; i < SIDE_BY_SIDE; i++) sum[i] = value[i], sharp[i] = 15.0 * value[i];
    for (int k = 1; k <= reach; k++) {
        double x2 = k * spacing * k * spacing;
        weight *= ratio, ratio *= fall;
        double sharper = weight * (15.0 - (10.0 - x2) * x2);
        const double *below = value - k, *above = value + k;
        for (int i = 0; i < SIDE_BY_SIDE; i++) {
            double pair = below[i] + above[i];
            sum[i] += weight * pair, sharp[i] += sharper * pair;
        }
        all += 2.0 * weight, all_sharp += 2.0 * sharper;
    }
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        double part = 1.0 - fabs((double)(place + i - AVERAGED) / AVERAGED);
        plain[i] = part * sum[i] / all, sixth[i] = part * sharp[i] / all_sharp;
    }
}

/* Averages values by kernels that are laid about each AVERAGED-th place and serve as many places on
 * either side. */
PLAN_CODE void find_averages(const double *value, double spacing, const double *width,
                             struct table_room *room)
{
    EACH (piece, WINDOWS * WINDOW / SIDE_BY_SIDE) {
        int first = piece * SIDE_BY_SIDE, middle = first / WINDOW * AVERAGED;
        average(value + middle - AVERAGED + first % WINDOW, first % WINDOW,
                spacing / width[middle < NODES ? middle : NODES - 1], room->plain + first,
                room->sixth + first);
    }
    WAIT();
}

#define MOST_SHARPER 0.6 /* of an average */

/* Averages variances [NODES] from place to place, by kernels as wide as `width` has it there:
 * that of sixth order, which leaves smooth functions what they are, kept near the normal
 * density's. */
PLAN_CODE void spread(double *variance, double spacing, const double *width,
                      struct table_room *room)
{
    double *inverse = room->inverses;
    EACH (i, 3 * NODES) {
        int place = i < NODES ? 0 : i < 2 * NODES ? i - NODES : NODES - 1;
        inverse[i] = 1.0 / variance[place];
    }
    WAIT();
    find_averages(inverse + NODES, spacing, width, room);
    EACH (i, NODES) {
        int above = (i / AVERAGED + 1) * WINDOW + i % AVERAGED, below = above - WINDOW + AVERAGED;
        double plain = room->plain[below] + room->plain[above];
        double sixth = room->sixth[below] + room->sixth[above];
        double sharper = sixth / plain - 1.0, part = sharper / MOST_SHARPER;
        variance[i] = 1.0 / (plain * (1.0 + sharper / sqrt(sqrt(1.0 + part * part * part * part))));
    }
    WAIT();
}

/* ---- P --------------------------------------------------------------------------------------- */

/* Finds what P is at the places: phi, which is there, and its slopes 1 / G at both ends of how
 * far the drift of a step goes, with G's slope from G around [NODES]. */
PLAN_CODE void find_drifts(const struct nodes *nodes, const double *deviation,
                           const double *inverse, const double *phi, double *p)
{
    const double low = nodes->low, spacing = nodes->spacing;
    const struct sampled g = {NODES, low, 1.0 / spacing, deviation};
    EACH (i, NODES) {
        double y = low + i * spacing, here = deviation[i];
        double rise_there = 0.5 * (sampled_at(&g, y + here) - sampled_at(&g, y - here));
        double drift = -0.25 * (here * here + rise_there); /* -(G + G') G / 4 */
        p[i] = phi[i] + 0.5 * drift * (inverse[i] + 1.0 / sampled_at(&g, y + drift));
    }
    WAIT();
}

/* Finds P, less its line, and the law's density in IN_CELL parts of each of P's cells. */
PLAN_CODE void find_cells(const struct marginal *start, const double *p_nodes,
                          const struct parabolas *p, double *value, double *density)
{
    const struct parabolas line = *p;
    const double spacing = (line.high - line.low) / P_PLACES;
    const struct sampled sampled = {NODES, start->nodes->low, 1.0 / start->nodes->spacing, p_nodes};
    const struct sampled start_density = {NODES, sampled.low, sampled.per, start->density};
    EACH (i, P_PLACES) {
        double y = line.low + (i + 0.5) * spacing, here = sampled_at(&start_density, y);
        value[i] = sampled_at(&sampled, y) - (line.start + line.slope * y);
        density[i] = here > 0.0 ? here : 0.0;
    }
    WAIT();
}

/* ---- Prob(P < v) ----------------------------------------------------------------------------- */

PLAN_CODE void read_rows(const struct parabolas *p, struct p_row *read)
{
    double width = (p->high - p->low) / P_CELLS, line = p->slope * width;
    EACH (i, P_ROWS) {
        double middle = p->start + p->slope * (p->low + (i - 0.5) * width);
        double b = line + p->rows[2 * i + 1], c = local_vol_curve(p->rows[2 * i + 1]);
        read[i] = (struct p_row){middle + p->rows[2 * i], b, c, 0.5 * b, 0.25 * c};
    }
    WAIT();
}

/* Finds the rows in which P is v, which does not fall from place to place, from `row` on. */
PLAN_CODE void find_rows(const struct p_row *rows, const struct lattice *lattice, int first, int n,
                         int row, struct p_roots *roots)
{
    EACH (i, n) {
        double v = lattice->low + (first + i) * lattice->spacing;
        while (row < P_ROWS - 1 &&
               !(rows[row].middle - v + rows[row].half_b + rows[row].quarter_c > 0.0))
            row++;
        roots->a[i] = rows[row].middle - v, roots->b[i] = rows[row].b, roots->c[i] = rows[row].c;
        roots->row[i] = row;
    }
}

/* Finds Y from the roots, and what the law says there. */
PLAN_CODE __attribute__((always_inline)) void find_probabilities(const struct p_roots *roots,
                                                                 const struct parabolas *p,
                                                                 const struct marginal *start,
                                                                 int is_below, double *probability)
{
    const double low = p->low, width = (p->high - p->low) / P_CELLS;
    const double from = start->nodes->low, spacing = start->nodes->spacing;
    const double *tail = is_below ? start->below : start->above, *density = start->density;
    EACH (i, TOGETHER) {
        double a = roots->a[i], b = roots->b[i], c = roots->c[i], row = roots->row[i];
        double root = b * b - 4.0 * a * c, t = -2.0 * a / (b + (root > 0.0 ? sqrt(root) : 0.0));
        t = (t < -0.5) & (row > 0.0) ? -0.5 : t;
        t = (t > 0.5) & (row < P_ROWS - 1) ? 0.5 : t;
        double place = (low + (row - 0.5 + t) * width - from) / spacing;
        double inside = place > 0.0 ? place : 0.0;
        int at = (int)(inside < NODES - 2 ? inside : NODES - 2);
        struct cubic cubic = cubic_of(tail, density, spacing, at, is_below);
        double rise = cubic_at(&cubic, place - at);
        double within = is_below ? tail[at] + rise : tail[at] - rise;
        double beyond = place < NODES - 1 ? within : is_below ? 1.0 : 0.0;
        probability[i] = place <= 0.0 ? is_below ? 0.0 : 1.0 : beyond;
    }
}

/* Finds Prob(P(Y) < v) (is_below), or > v, at the places v `first` to `last` of the lattice, P
 * as its rows have it. */
PLAN_CODE void find_starts(const struct lattice *lattice, const struct parabolas *p,
                           const struct marginal *start, int first, int last, int is_below,
                           struct table_room *room)
{
    double *probability = room->tray->probability;
    int row = 0;
    read_rows(p, room->tray->rows);
    for (int i = first; i <= last; i += TOGETHER) {
        int n = last - i + 1 < TOGETHER ? last - i + 1 : TOGETHER;
        find_rows(room->tray->rows, lattice, i, n, row, &room->tray->roots);
        if (is_below) find_probabilities(&room->tray->roots, p, start, 1, probability);
        else find_probabilities(&room->tray->roots, p, start, 0, probability);
        EACH (j, n) lattice->probability[i + j] = probability[j];
        WAIT();
        row = (int)room->tray->roots.row[n - 1];
        WAIT();
    }
}

/* Sums over z for the places of u from `begin` on: z by z, which is the quicker order. */
PLAN_CODE void add_up(const struct lattice *lattice, int begin, int end, double *restrict sum)
{
    EACH (m, end - begin) sum[begin + m] = 0.0;
    for (int i = 0; i <= 2 * lattice->reach; i++) {
        const double *restrict g = lattice->probability + i * lattice->stride;
        const double weight = lattice->weight[i];
        if (lattice->each == 1)
            EACH (m, end - begin) sum[begin + m] += weight * g[begin + m];
        else
            EACH (m, end - begin) sum[begin + m] += weight * g[(begin + m) * lattice->each];
    }
    WAIT();
}

/* ---- quantiles ------------------------------------------------------------------------------- */

/* Begins from the cubics whose slopes are the inverses of their own. */
PLAN_CODE void begin_searches(struct searches *f)
{
    EACH (i, TOGETHER) {
        double part = f->wanted[i] / f->rise[i], rest = 1.0 - part;
        double start = 3.0 * f->start[i] > f->rise[i] ? f->rise[i] / f->start[i] : 3.0;
        double end = 3.0 * f->end[i] > f->rise[i] ? f->rise[i] / f->end[i] : 3.0;
        f->t[i] = part * (part * (1.0 + 2.0 * rest) + rest * (start * rest - end * part));
        f->low[i] = 0.0, f->high[i] = 1.0;
    }
}

/* Goes on by a step of Newton's method between bounds that close in, to 1e-8; whether one is left.
 */
PLAN_CODE int go_on(struct searches *f)
{
    double left = 0.0;
    EACH (i, TOGETHER) {
        const struct cubic cubic = {f->rise[i], f->start[i], f->end[i]};
        double t = f->t[i], s = 1.0 - t, excess = cubic_at(&cubic, t) - f->wanted[i];
        double slope = 6.0 * cubic.rise * t * s + cubic.start * s * (s - 2.0 * t) +
                       cubic.end * t * (t - 2.0 * s);
        double next = t - excess / slope;
        double high = excess > 0.0 ? t : f->high[i], low = excess > 0.0 ? f->low[i] : t;
        next = (next >= low) & (next <= high) ? next : 0.5 * (low + high);
        f->high[i] = high, f->low[i] = low;
        f->t[i] = f->open[i] != 0.0 ? next : t;
        f->open[i] = fabs(next - t) < 1e-4 ? 0.0 : f->open[i];
    }
    EACH (i, TOGETHER) left = f->open[i] > left ? f->open[i] : left;
    return ANY(left > 0.0);
}

/* Returns the interval in which a tail has a value, found from another one. */
PLAN_CODE int seek(const double *tail, double sign, double value, int at)
{
    while (at < NODES - 2 && sign * (value - tail[at + 1]) > 0.0) at++;
    while (at > 0 && sign * (value - tail[at]) < 0.0) at--;
    return at;
}

/* Finds the intervals of some values, each from that of the value before. On a GPU each is found
 * from the first one's: the same where neither values nor tails fall, else one thread does it. */
PLAN_CODE void seek_all(const double *tail, double sign, int n, const double *value, int from,
                        double *interval)
{
#ifdef __CUDACC__
    int first = seek(tail, sign, value[0], from), falls = 0;
    EACH (i, n) {
        int at = first;
        while (at < NODES - 2 && sign * (value[i] - tail[at + 1]) > 0.0) at++;
        falls |= i && (at > 0 && sign * (value[i] - tail[at]) < 0.0);
        falls |= i && !(sign * (value[i] - value[i - 1]) >= 0.0);
        interval[i] = at;
    }
    if (!ANY(falls)) return;
#endif
    for (int i = 0; ONCE && i < n; i++) interval[i] = from = seek(tail, sign, value[i], from);
    WAIT();
}

/* Finds the intervals in which the law has some probabilities, and begins the searches there. */
PLAN_CODE void find_intervals(const struct marginal *law, int n, int is_below, int *from,
                              const double *value, struct searches *searches)
{
    const double *tail = is_below ? law->below : law->above, *density = law->density;
    const double spacing = law->nodes->spacing, sign = is_below ? 1.0 : -1.0;
    seek_all(tail, sign, n, value, *from, searches->interval);
    EACH (i, n) {
        int at = (int)searches->interval[i];
        struct cubic cubic = cubic_of(tail, density, spacing, at, is_below);
        searches->rise[i] = cubic.rise, searches->start[i] = cubic.start;
        searches->end[i] = cubic.end, searches->wanted[i] = sign * (value[i] - tail[at]);
    }
    *from = (int)searches->interval[n - 1];
}

/* Turns n probabilities into the places below (is_below) or above which the law has them:
 * marginal_probability()'s inverse, to 1e-8 of an interval. `from` is the interval of places in
 * which the search begins and ends. */
PLAN_CODE void find_quantiles(const struct marginal *law, int n, int is_below, int *from,
                              double *value, struct table_room *room)
{
    struct searches *searches = &room->tray->searches;
    const double low = law->nodes->low, spacing = law->nodes->spacing;
    for (; n > 0; n -= TOGETHER, value += TOGETHER) {
        int some = n < TOGETHER ? n : TOGETHER;
        find_intervals(law, some, is_below, from, value, searches);
        begin_searches(searches);
        EACH (i, TOGETHER)
            searches->open[i] =
                (i < some) & (searches->wanted[i] > 0.0) & (searches->wanted[i] < searches->rise[i])
                    ? 1.0
                    : 0.0;
        for (int k = 0; k < 60 && go_on(searches); k++) continue;
        EACH (i, some) {
            double wanted = searches->wanted[i], here = low + searches->interval[i] * spacing,
                   there = low + (searches->interval[i] + 1.0) * spacing;
            double inside = here + spacing * searches->t[i];
            value[i] = !(wanted > 0.0) ? here : wanted >= searches->rise[i] ? there : inside;
        }
        WAIT();
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The parabolas nearest to the cells' values, by least squares. */
#define MEAN_SQUARE                                                                                \
    ((IN_CELL * IN_CELL - 1) / (12.0 * IN_CELL * IN_CELL)) /* of a value's place in its cell */
#define MEAN_FOURTH (MEAN_SQUARE * (3 * IN_CELL * IN_CELL - 7) / (20.0 * IN_CELL * IN_CELL))

PLAN_CODE void nearest_parabolas(struct cells *cells)
{
    EACH (i, TOGETHER) {
        double mean = 0.0, first = 0.0, second = 0.0;
#ifndef __CUDACC__
#pragma GCC unroll 5
#endif
        for (int j = 0; j < IN_CELL; j++) {
            double t = within_cell(j), part = cells->value[j][i] / IN_CELL;
            mean += part, first += part * t, second += part * t * t;
        }
        double bend = (second - MEAN_SQUARE * mean) / (MEAN_FOURTH - MEAN_SQUARE * MEAN_SQUARE);
        cells->a[2][i] = bend;
        cells->a[1][i] = first / MEAN_SQUARE;
        cells->a[0][i] = mean - MEAN_SQUARE * bend;
    }
}

#define LEAST_SLOPE 0.1 /* of a cell's mean one */

/* Makes straighter what would fall towards an end. */
PLAN_CODE void straighten(struct cells *cells, double line)
{
    EACH (i, TOGETHER) {
        double most = (1.0 - LEAST_SLOPE) * (cells->a[1][i] + line), bend = cells->a[2][i];
        double straight = copysign(most, bend), less = (bend - straight) * MEAN_SQUARE;
        int falls = fabs(bend) > most;
        cells->a[0][i] = falls ? cells->a[0][i] + less : cells->a[0][i];
        cells->a[2][i] = falls ? straight : bend;
    }
}

/* Sets the rows of the parabolas, each number the nearest that there is. */
PLAN_CODE void set_rows(struct cells *cells)
{
    const double least =
        0x1p-100; /* keeps the curve's bits from making a number that is not normal */
    const int below = 32 - LOCAL_VOL_CURVE_BITS;
    EACH (i, TOGETHER) {
        double bend = cells->a[2][i], rise = cells->a[1][i];
        uint32_t curve = (bits_of_float((float)bend) + (1u << (below - 1))) >> below;
        curve = fabs(bend) < least ? 0 : curve;
        uint32_t slope = bits_of_float((float)(fabs(rise) < least ? copysign(least, rise) : rise));
        uint32_t rounded =
            (slope - curve + (1u << (LOCAL_VOL_CURVE_BITS - 1))) >> LOCAL_VOL_CURVE_BITS;
        cells->middle[i] = (float)cells->a[0][i];
        cells->slope[i] = float_of_bits(rounded << LOCAL_VOL_CURVE_BITS | curve);
    }
}

/* Moves rows' middles so that they are right on average over their cells, in which paths have these
 * densities. */
PLAN_CODE void centre_rows(struct cells *cells)
{
    EACH (i, TOGETHER) {
        const float row[2] = {cells->middle[i], cells->slope[i]};
        double error = 0.0, all = 0.0;
#ifndef __CUDACC__
#pragma GCC unroll 5
#endif
        for (int j = 0; j < IN_CELL; j++) {
            double density = cells->density[j][i];
            error += density * (cells->value[j][i] - row_value(row, within_cell(j)));
            all += density;
        }
        float centred = (float)(row[0] + error / all);
        cells->middle[i] = all > 0.0 ? centred : row[0];
    }
}

/* Makes the parabolas nearest to IN_CELL values in each cell, in the middles of as many parts
 * of it: a bend within a cell stays in it. Where values plus `line` a cell, which increase,
 * rise so suddenly that the parabola would fall, it is made straighter. What a row's digits
 * cannot hold is made up for in its middle, so that no cell is off on average, with these
 * weights of the values: the density of the paths. rows[n_cells + 2][2], the first and the last
 * of them constants. */
PLAN_CODE void make_rows(int n_cells, const double *value, const double *density, double line,
                         float *rows, struct table_room *room)
{
    struct cells *cells = &room->tray->cells;
    for (int first = 0; first < n_cells; first += TOGETHER) {
        int n = n_cells - first < TOGETHER ? n_cells - first : TOGETHER;
        EACH (i, n)
            for (int j = 0; j < IN_CELL; j++) {
                cells->value[j][i] = value[IN_CELL * (first + i) + j];
                cells->density[j][i] = density[IN_CELL * (first + i) + j];
            }
        nearest_parabolas(cells);
        straighten(cells, line);
        set_rows(cells);
        centre_rows(cells);
        EACH (i, n) {
            rows[2 * (first + i + 1)] = cells->middle[i];
            rows[2 * (first + i + 1) + 1] = cells->slope[i];
        }
    }
    WAIT();
    /* The first and the last row are constants. */
    EACH (i, 2) {
        cells->a[0][i] = i ? row_value(rows + 2 * n_cells, 0.5) : row_value(rows + 2, -0.5);
        cells->a[1][i] = cells->a[2][i] = 0.0;
    }
    set_rows(cells);
    EACH (i, 2) {
        float *row = rows + (i ? 2 * (n_cells + 1) : 0);
        row[0] = cells->middle[i], row[1] = cells->slope[i];
    }
    WAIT();
}

/* Finds how far Q's rows are off at the n places of u whose values, less a line, are these: as
 * a part of a path's price there, times its price over the forward. */
PLAN_CODE void find_errors(int n, const double *value, const struct parabolas *q, double first,
                           double spacing, double *error)
{
    const struct parabolas line = *q;
    EACH (i, n)
        error[i] =
            power_clamped(line.start + line.slope * (first + i * spacing) + value[i] / LOG2_E);
    EACH (i, n) error[i] = power_of_e(error[i], 0.0);
    WAIT();
    EACH (i, n / IN_CELL)
        for (int j = 0; j < IN_CELL; j++)
            error[IN_CELL * i + j] *=
                row_value(line.rows + 2 * (1 + i), within_cell(j)) - value[IN_CELL * i + j];
    WAIT();
}

#endif
