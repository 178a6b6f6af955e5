/* Compiled once for each row of models/base/builds.def, with TABLE_LANES set to the name of its
 * functions' table. Products and sums are separate operations, so every build rounds alike. */
#include "models/dynamics/local_vol_lanes.h"

#include <math.h>

#include "models/dynamics/local_vol_work.h"
#include "models/math/constants.h"
#include "models/math/plan_inline.h"

enum { P_ROWS = LOCAL_VOL_P_ROWS, AVERAGED = 16, TOGETHER = 64 };

/* ---- the law and its variances --------------------------------------------------------------- */

/* Finds how many deviations the places are away, d2 / sqrt(2), and w's root. */
static void find_scores(const struct date_between *date, const struct variance_at *early,
                        const struct variance_at *late, const struct nodes *nodes, double *score,
                        struct variance_at *at)
{
    for (int i = 0; i < NODES; i++) {
        at[i] = variance_between(date, &early[i], &late[i]);
        double over = 1.0 / sqrt(at[i].w);
        score[i] = -node_at(nodes, i) * over - 0.5 * sqrt(at[i].w);
    }
}

/* Turns scores into exp(-score^2 / 2). */
static void find_powers(const double *score, double *power)
{
    struct {
        double y[NODES], low[NODES];
    } squares;
    for (int i = 0; i < NODES; i++) {
        struct power_of_square square = power_of_square(fabs(score[i]) * ROOT_HALF);
        squares.y[i] = square.y, squares.low[i] = square.low;
    }
    for (int i = 0; i < NODES; i++) power[i] = power_of_e(squares.y[i], squares.low[i]);
}

static void make_law(const struct date_between *date, const struct variance_at *early,
                     const struct variance_at *late, struct marginal *law)
{
    const struct date_between between = *date;
    const double low = law->nodes->low, spacing = law->nodes->spacing;
    double score[NODES], power[NODES];
    struct variance_at at[NODES];
    find_scores(&between, early, late, law->nodes, score, at);
    find_powers(score, power);
    _Pragma("GCC ivdep") for (int i = 0; i < NODES; i++)
    {
        double d2 = score[i], over = 1.0 / sqrt(at[i].w), n = NORMAL_PEAK * power[i];
        double tail = 0.5 * erfc_above(fabs(d2) * ROOT_HALF, power[i]), rest = 1.0 - tail;
        double lean = 0.5 * n * at[i].w_k * over,
               density = surface_density(&at[i], low + i * spacing);
        law->below[i] = (d2 > 0.0 ? tail : rest) + lean;
        law->above[i] = (d2 > 0.0 ? rest : tail) - lean;
        law->density[i] = density > 0.0 ? density * n * over : 0.0;
    }
}

static void add_variances(const struct date_between *date, const struct variance_at *early,
                          const struct variance_at *late, const struct nodes *nodes, double weight,
                          double *sums)
{
    const struct date_between between = *date;
    const double low = nodes->low, spacing = nodes->spacing;
    _Pragma("GCC ivdep") for (int i = 0; i < NODES; i++)
    {
        struct variance_at at = variance_between(&between, &early[i], &late[i]);
        sums[i] += weight * local_variance(&at, low + i * spacing, between.t);
    }
}

static void find_fades(const double *variance, double spacing, double *fade)
{
    double y[NODES];
    for (int i = 0; i < NODES; i++) y[i] = power_clamped(-spacing * sqrt(1.0 / variance[i]));
    for (int i = 0; i < NODES; i++) fade[i] = power_of_e(y[i], 0.0);
}

/* Adds to averages of `value` within AVERAGED places of `middle` their part of those by kernels so
 * wide that two places are `spacing` in widths: by the normal density, and by one of sixth order,
 * which leaves smooth functions what they are but has negative weights. Parts fall in a line.
 * Values reach NODES places further than averages [NODES]. */
static void add_averages(const double *value, int middle, double spacing, double *plain,
                         double *sixth)
{
    int reach = (int)fmin(ceil(5.0 / spacing), NODES - AVERAGED);
    double sum[2 * AVERAGED], sharp[2 * AVERAGED], weight = 1.0, all = 1.0, all_sharp = 15.0;
    double ratio = power_of_e(power_clamped(-0.5 * spacing * spacing), 0.0), fall = ratio * ratio;
    const double *from = value + middle - AVERAGED;
    for (int i = 0; i < 2 * AVERAGED; i++) sum[i] = from[i], sharp[i] = 15.0 * from[i];
    for (int k = 1; k <= reach; k++) {
        double x2 = k * spacing * k * spacing;
        weight *= ratio, ratio *= fall;
        double sharper = weight * (15.0 - (10.0 - x2) * x2);
        const double *below = from - k, *above = from + k;
        for (int i = 0; i < 2 * AVERAGED; i++) {
            double pair = below[i] + above[i];
            sum[i] += weight * pair, sharp[i] += sharper * pair;
        }
        all += 2.0 * weight, all_sharp += 2.0 * sharper;
    }
    for (int i = middle < AVERAGED ? AVERAGED - middle : 0;
         i < 2 * AVERAGED && middle - AVERAGED + i < NODES; i++) {
        double part = 1.0 - fabs((double)(i - AVERAGED) / AVERAGED);
        plain[middle - AVERAGED + i] += part * sum[i] / all;
        sixth[middle - AVERAGED + i] += part * sharp[i] / all_sharp;
    }
}

#define MOST_SHARPER 0.6 /* of an average */

static void spread(double *variance, double spacing, const double *width)
{
    double inverse[3 * NODES], plain[NODES] = {0}, sixth[NODES] = {0};
    for (int i = 0; i < NODES; i++) inverse[NODES + i] = 1.0 / variance[i];
    for (int i = 0; i < NODES; i++) inverse[i] = inverse[NODES];
    for (int i = 2 * NODES; i < 3 * NODES; i++) inverse[i] = inverse[2 * NODES - 1];
    for (int middle = 0; middle < NODES + AVERAGED; middle += AVERAGED)
        add_averages(inverse + NODES, middle, spacing / width[middle < NODES ? middle : NODES - 1],
                     plain, sixth);
    for (int i = 0; i < NODES; i++) {
        double sharper = sixth[i] / plain[i] - 1.0, part = sharper / MOST_SHARPER;
        variance[i] =
            1.0 / (plain[i] * (1.0 + sharper / sqrt(sqrt(1.0 + part * part * part * part))));
    }
}

/* ---- P --------------------------------------------------------------------------------------- */

static void find_drifts(const struct nodes *nodes, const double *deviation, const double *inverse,
                        const double *phi, double *p)
{
    const double low = nodes->low, spacing = nodes->spacing;
    const struct sampled g = {NODES, low, 1.0 / spacing, deviation};
    _Pragma("GCC ivdep") for (int i = 0; i < NODES; i++)
    {
        double y = low + i * spacing, here = deviation[i];
        double rise_there = 0.5 * (sampled_at(&g, y + here) - sampled_at(&g, y - here));
        double drift = -0.25 * (here * here + rise_there); /* -(G + G') G / 4 */
        p[i] = phi[i] + 0.5 * drift * (inverse[i] + 1.0 / sampled_at(&g, y + drift));
    }
}

static void find_cells(const struct marginal *start, const double *p_nodes,
                       const struct parabolas *p, double *value, double *density)
{
    const struct parabolas line = *p;
    const double spacing = (line.high - line.low) / P_PLACES;
    const struct sampled sampled = {NODES, start->nodes->low, 1.0 / start->nodes->spacing, p_nodes};
    const struct sampled start_density = {NODES, sampled.low, sampled.per, start->density};
    _Pragma("GCC ivdep") for (int i = 0; i < P_PLACES; i++)
    {
        double y = line.low + (i + 0.5) * spacing, here = sampled_at(&start_density, y);
        value[i] = sampled_at(&sampled, y) - (line.start + line.slope * y);
        density[i] = here > 0.0 ? here : 0.0;
    }
}

/* ---- Prob(P < v) ----------------------------------------------------------------------------- */

/* P's rows as they are read at a place: less v, a + b t + c t^2 at t of the row. */
struct p_row {
    double middle, b, c, half_b, quarter_c;
};

static void read_rows(const struct parabolas *p, struct p_row *read)
{
    double width = (p->high - p->low) / P_CELLS, line = p->slope * width;
    for (int i = 0; i < P_ROWS; i++) {
        double middle = p->start + p->slope * (p->low + (i - 0.5) * width);
        double b = line + p->rows[2 * i + 1], c = local_vol_curve(p->rows[2 * i + 1]);
        read[i] = (struct p_row){middle + p->rows[2 * i], b, c, 0.5 * b, 0.25 * c};
    }
}

/* Where P is some v. */
struct p_roots {
    double a[TOGETHER], b[TOGETHER], c[TOGETHER], row[TOGETHER];
};

/* Finds the rows in which P is v, which does not fall from place to place: the search begins and
 * ends on `row`. */
static void find_rows(const struct p_row *rows, const struct lattice *lattice, int first, int n,
                      int *row, struct p_roots *roots)
{
    int at = *row;
    for (int i = 0; i < n; i++) {
        double v = lattice->low + (first + i) * lattice->spacing;
        while (at < P_ROWS - 1 &&
               !(rows[at].middle - v + rows[at].half_b + rows[at].quarter_c > 0.0))
            at++;
        roots->a[i] = rows[at].middle - v, roots->b[i] = rows[at].b, roots->c[i] = rows[at].c;
        roots->row[i] = at;
    }
    *row = at;
}

/* Finds Y from the roots, and what the law says there. */
static inline __attribute__((always_inline)) void
find_probabilities(const struct p_roots *roots, const struct parabolas *p,
                   const struct marginal *start, int is_below, double *probability)
{
    const double low = p->low, width = (p->high - p->low) / P_CELLS;
    const double from = start->nodes->low, spacing = start->nodes->spacing;
    const double *tail = is_below ? start->below : start->above, *density = start->density;
    _Pragma("GCC ivdep") for (int i = 0; i < TOGETHER; i++)
    {
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

static void find_starts(const struct lattice *lattice, const struct parabolas *p,
                        const struct marginal *start, int first, int last, int is_below)
{
    struct p_row rows[P_ROWS];
    struct p_roots roots = {.a = {0.0}};
    double probability[TOGETHER];
    int row = 0;
    read_rows(p, rows);
    for (int i = first; i <= last; i += TOGETHER) {
        int n = last - i + 1 < TOGETHER ? last - i + 1 : TOGETHER;
        find_rows(rows, lattice, i, n, &row, &roots);
        if (is_below) find_probabilities(&roots, p, start, 1, probability);
        else find_probabilities(&roots, p, start, 0, probability);
        for (int j = 0; j < n; j++) lattice->probability[i + j] = probability[j];
    }
}

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

/* ---- quantiles ------------------------------------------------------------------------------- */

/* Where cubics are `wanted`, and the interval that each is of. */
struct searches {
    double interval[TOGETHER];
    double rise[TOGETHER], start[TOGETHER], end[TOGETHER], wanted[TOGETHER];
    double t[TOGETHER], low[TOGETHER], high[TOGETHER], open[TOGETHER];
};

/* Begins from the cubics whose slopes are the inverses of their own. */
static void begin_searches(struct searches *f)
{
    for (int i = 0; i < TOGETHER; i++) {
        double part = f->wanted[i] / f->rise[i], rest = 1.0 - part;
        double start = 3.0 * f->start[i] > f->rise[i] ? f->rise[i] / f->start[i] : 3.0;
        double end = 3.0 * f->end[i] > f->rise[i] ? f->rise[i] / f->end[i] : 3.0;
        f->t[i] = part * (part * (1.0 + 2.0 * rest) + rest * (start * rest - end * part));
        f->low[i] = 0.0, f->high[i] = 1.0;
    }
}

/* Goes on by a step of Newton's method between bounds that close in, to 1e-8; whether one is left.
 */
static int go_on(struct searches *f)
{
    double left = 0.0;
    for (int i = 0; i < TOGETHER; i++) {
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
    for (int i = 0; i < TOGETHER; i++) left = f->open[i] > left ? f->open[i] : left;
    return left > 0.0;
}

/* Finds the intervals in which the law has some probabilities, and begins the searches there. */
static void find_intervals(const struct marginal *law, int n, int is_below, int *from,
                           const double *value, struct searches *searches)
{
    const double *tail = is_below ? law->below : law->above;
    double sign = is_below ? 1.0 : -1.0;
    int at = *from;
    for (int i = 0; i < n; i++) {
        while (at < NODES - 2 && sign * (value[i] - tail[at + 1]) > 0.0) at++;
        while (at > 0 && sign * (value[i] - tail[at]) < 0.0) at--;
        struct cubic cubic = cubic_of(tail, law->density, law->nodes->spacing, at, is_below);
        searches->rise[i] = cubic.rise, searches->start[i] = cubic.start;
        searches->end[i] = cubic.end, searches->wanted[i] = sign * (value[i] - tail[at]);
        searches->interval[i] = at;
    }
    *from = at;
}

static void find_quantiles(const struct marginal *law, int n, int is_below, int *from,
                           double *value)
{
    struct searches searches = {.rise = {0.0}};
    const double low = law->nodes->low, spacing = law->nodes->spacing;
    for (; n > 0; n -= TOGETHER, value += TOGETHER) {
        int some = n < TOGETHER ? n : TOGETHER;
        find_intervals(law, some, is_below, from, value, &searches);
        begin_searches(&searches);
        for (int i = 0; i < TOGETHER; i++)
            searches.open[i] =
                (i < some) & (searches.wanted[i] > 0.0) & (searches.wanted[i] < searches.rise[i])
                    ? 1.0
                    : 0.0;
        for (int k = 0; k < 60 && go_on(&searches); k++) continue;
        for (int i = 0; i < some; i++) {
            double wanted = searches.wanted[i], here = low + searches.interval[i] * spacing,
                   there = low + (searches.interval[i] + 1.0) * spacing;
            double inside = here + spacing * searches.t[i];
            value[i] = !(wanted > 0.0) ? here : wanted >= searches.rise[i] ? there : inside;
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows of some cells, side by side; values and densities [place in its cell][cell]. */
struct cells {
    double value[IN_CELL][TOGETHER], density[IN_CELL][TOGETHER];
    double a[3][TOGETHER]; /* of parabolas */
    float middle[TOGETHER], slope[TOGETHER];
};

/* The parabolas nearest to the cells' values, by least squares. */
#define MEAN_SQUARE                                                                                \
    ((IN_CELL * IN_CELL - 1) / (12.0 * IN_CELL * IN_CELL)) /* of a value's place in its cell */
#define MEAN_FOURTH (MEAN_SQUARE * (3 * IN_CELL * IN_CELL - 7) / (20.0 * IN_CELL * IN_CELL))

static void nearest_parabolas(struct cells *cells)
{
    for (int i = 0; i < TOGETHER; i++) {
        double mean = 0.0, first = 0.0, second = 0.0;
#pragma GCC unroll 5
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
static void straighten(struct cells *cells, double line)
{
    for (int i = 0; i < TOGETHER; i++) {
        double most = (1.0 - LEAST_SLOPE) * (cells->a[1][i] + line), bend = cells->a[2][i];
        double straight = copysign(most, bend), less = (bend - straight) * MEAN_SQUARE;
        int falls = fabs(bend) > most;
        cells->a[0][i] = falls ? cells->a[0][i] + less : cells->a[0][i];
        cells->a[2][i] = falls ? straight : bend;
    }
}

/* Sets the rows of the parabolas, each number the nearest that there is. */
static void set_rows(struct cells *cells)
{
    const double least =
        0x1p-100; /* keeps the curve's bits from making a number that is not normal */
    const int below = 32 - LOCAL_VOL_CURVE_BITS;
    for (int i = 0; i < TOGETHER; i++) {
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
static void centre_rows(struct cells *cells)
{
    for (int i = 0; i < TOGETHER; i++) {
        const float row[2] = {cells->middle[i], cells->slope[i]};
        double error = 0.0, all = 0.0;
#pragma GCC unroll 5
        for (int j = 0; j < IN_CELL; j++) {
            double density = cells->density[j][i];
            error += density * (cells->value[j][i] - row_value(row, within_cell(j)));
            all += density;
        }
        float centred = (float)(row[0] + error / all);
        cells->middle[i] = all > 0.0 ? centred : row[0];
    }
}

/* Makes a row that is constant. */
static void set_constant(float *row, double value)
{
    struct cells cells = {.a = {{value}}};
    set_rows(&cells);
    row[0] = cells.middle[0], row[1] = cells.slope[0];
}

static void make_rows(int n_cells, const double *value, const double *density, double line,
                      float *rows)
{
    struct cells cells = {.value = {{0.0}}};
    for (int first = 0; first < n_cells; first += TOGETHER) {
        int n = n_cells - first < TOGETHER ? n_cells - first : TOGETHER;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < IN_CELL; j++) {
                cells.value[j][i] = value[IN_CELL * (first + i) + j];
                cells.density[j][i] = density[IN_CELL * (first + i) + j];
            }
        nearest_parabolas(&cells);
        straighten(&cells, line);
        set_rows(&cells);
        centre_rows(&cells);
        for (int i = 0; i < n; i++) {
            rows[2 * (first + i + 1)] = cells.middle[i];
            rows[2 * (first + i + 1) + 1] = cells.slope[i];
        }
    }
    set_constant(rows, row_value(rows + 2, -0.5));
    set_constant(rows + 2 * (n_cells + 1), row_value(rows + 2 * n_cells, 0.5));
}

static void find_errors(int n, const double *value, const struct parabolas *q, double first,
                        double spacing, double *error)
{
    const struct parabolas line = *q;
    double y[Q_PLACES];
    for (int i = 0; i < n; i++)
        y[i] = power_clamped(line.start + line.slope * (first + i * spacing) + value[i] / LOG2_E);
    for (int i = 0; i < n; i++) error[i] = power_of_e(y[i], 0.0);
    for (int i = 0; i < n / IN_CELL; i++)
        for (int j = 0; j < IN_CELL; j++)
            error[IN_CELL * i + j] *=
                row_value(line.rows + 2 * (1 + i), within_cell(j)) - value[IN_CELL * i + j];
}

const struct local_vol_lanes TABLE_LANES = {.law = make_law,
                                            .variances = add_variances,
                                            .fades = find_fades,
                                            .spread = spread,
                                            .drifts = find_drifts,
                                            .cells = find_cells,
                                            .rows = make_rows,
                                            .starts = find_starts,
                                            .sums = add_up,
                                            .quantiles = find_quantiles,
                                            .errors = find_errors};
