#include "validation/reference/transition.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

/* In deviations: what the grid covers on either side, of the implied volatility there, and a
 * step. */
static const double COVERED = 5.5, REACH = 7.0;
static const double LEAST = 1e-12;                  /* a probability that is as good as 0 */
static const double FARTHEST = -7.0344838253011321; /* the normal below which it lies */
enum { GAPS = 500, LEAST_PARTS = 8, IMPLICIT = 4 };
enum {
    OUTERMOST = 5,
    A_DEVIATION = 10,
    MIDDLE = OUTERMOST * A_DEVIATION,
    NORMALS = 2 * MIDDLE + 1
}; /* from -5 to 5 */

/* One part of a step: coefficients of dV/dt = down V[i-1] - (down + up) V[i] + up V[i+1]. */
struct transition_part {
    double dt, down[GAPS + 1], up[GAPS + 1];
};

/* Probabilities of ending below LANES nodes next to each other are carried together. */
enum { LANES = 8, ROW = (GAPS + LANES) / LANES * LANES };

typedef double lanes[LANES];

/* What building one table needs. */
struct transition_work {
    int parts;
    struct transition_part *part; /* [parts] */
    double most[GAPS + 1];        /* greatest local variance of a node over the step */
    double *probability;          /* [node where it begins][ROW: node below which it ends] */
    lanes value[GAPS + 3], right[GAPS + 3];
    double factor[GAPS + 3];
};

/* ---- probabilities --------------------------------------------------------------------------- */

static void part_of(const struct implied *implied, const struct transition *table, double from,
                    double to, struct transition_work *work, struct transition_part *part)
{
    double d = table->gap;
    part->dt = to - from;
    for (int i = 0; i <= GAPS; i++) {
        double variance = implied_local_variance(implied, table->low + i * d, 0.5 * (from + to));
        part->down[i] = 0.5 * variance * (1.0 / (d * d) + 0.5 / d);
        part->up[i] = 0.5 * variance * (1.0 / (d * d) - 0.5 / d);
        work->most[i] = fmax(work->most[i], variance);
    }
}

/* Solves (1 - share dt L) V = (1 + (dt - share dt) L) V on nodes first..last; V is 1 before and 0
 * behind them. value[i + 1] is node i's. */
static void back(struct transition_work *work, const struct transition_part *part, double dt,
                 double share, int first, int last)
{
    lanes *v = work->value + 1, *right = work->right + 1;
    double *factor = work->factor + 1, old = (1.0 - share) * dt, new = share *dt;
    for (int l = 0; l < LANES; l++) {
        v[first - 1][l] = 1.0;
        v[last + 1][l] = right[first - 1][l] = 0.0;
    }
    factor[first - 1] = 0.0;
    for (int i = first; i <= last; i++) {
        double down = part->down[i], up = part->up[i], before = i > first ? new *down : 0.0;
        double pivot = 1.0 / (1.0 + new *(down + up) - before *factor[i - 1]);
        double edge = i > first ? 0.0 : new *down, below = old *down, above = old *up,
               middle = 1.0 - below - above;
        factor[i] = new *up *pivot;
        for (int l = 0; l < LANES; l++)
            right[i][l] = (middle * v[i][l] + below * v[i - 1][l] + above * v[i + 1][l] + edge +
                           before * right[i - 1][l]) *
                          pivot;
    }
    for (int l = 0; l < LANES; l++) v[last][l] = right[last][l];
    for (int i = last - 1; i >= first; i--)
        for (int l = 0; l < LANES; l++) v[i][l] = right[i][l] + factor[i] * v[i + 1][l];
}

/* Returns how many nodes away from node j the step may begin and end there. */
static int reach_of(const struct transition_work *work, int j, double years, double gap)
{
    double variance = work->most[j];
    int reach = 0, seen = 0;
    for (int again = 0; again < 3; again++) {
        reach = (int)fmin(ceil(REACH * sqrt(variance * years) / gap) + 3.0, GAPS);
        for (; seen < reach; seen++) {
            int low = j - seen - 1 > 0 ? j - seen - 1 : 0,
                high = j + seen + 1 < GAPS ? j + seen + 1 : GAPS;
            if (work->most[low] > variance) variance = work->most[low];
            if (work->most[high] > variance) variance = work->most[high];
        }
    }
    return reach;
}

/* Returns V at the end of a step, so many nodes behind that below which it is to end. The step from
 * 1 to 0 as nodes see it is one that is smeared over a variance of gap^2 / 6, which what stands
 * beside it takes away. */
static double begin(int behind)
{
    double beside = 1.0 / 24.0;
    return behind == 0 ? 0.5 : behind == -1 ? 1.0 + beside : behind == 1 ? -beside : behind < 0;
}

/* Finds the probabilities of ending below nodes j, j + 1, ..., backwards over the parts; the first
 * ones, where V has a jump, by implicit steps (Rannacher 1984), until it is wider than a gap. */
static enum status columns(struct effort *effort, struct transition_work *work, int j, double years,
                           double gap)
{
    int first = j, last = j;
    for (int l = 0; l < LANES && j + l <= GAPS; l++) {
        int reach = reach_of(work, j + l, years, gap);
        first = j + l - reach < first ? j + l - reach : first;
        last = j + l + reach > last ? j + l + reach : last;
    }
    first = first < 0 ? 0 : first;
    last = last > GAPS ? GAPS : last;
    MUST(effort_spend(effort, (last - first + 1.0) * (work->parts + IMPLICIT) * LANES));
    for (int i = first; i <= last; i++)
        for (int l = 0; l < LANES; l++) work->value[i + 1][l] = begin(i - (j + l));
    double wide = 0.0; /* variance over gap^2 */
    for (int p = work->parts - 1; p >= 0; p--) {
        const struct transition_part *part = &work->part[p];
        if (wide >= 1.0) back(work, part, part->dt, 0.5, first, last);
        else
            for (int q = 0; q < IMPLICIT; q++)
                back(work, part, part->dt / IMPLICIT, 1.0, first, last);
        wide += part->dt * (part->down[j] + part->up[j]);
    }
    double *column = work->probability + j; /* whose rows behind the last are zeros */
    for (int i = 0; i < first; i++, column += ROW)
        for (int l = 0; l < LANES; l++) column[l] = 1.0;
    for (int i = first; i <= last; i++, column += ROW)
        for (int l = 0; l < LANES; l++) column[l] = work->value[i + 1][l];
    return STATUS_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static double normal_of(double probability)
{
    if (probability <= LEAST) return FARTHEST;
    if (probability >= 1.0 - LEAST) return -FARTHEST;
    return gsl_cdf_ugaussian_Pinv(probability);
}

/* Finds where a step from node i ends, for every normal: it is straight between nodes. Between
 * normals moves are straight too; each number gives up a twelfth of how much its neighbours bend,
 * by which chords lie beside a curve in the mean. */
static void invert(const struct transition *table, const double *probability, float *end)
{
    double at[NORMALS], before = -INFINITY, here = normal_of(probability[0]);
    int j = 0;
    for (int m = 0; m < NORMALS; m++) {
        double normal = (double)m / A_DEVIATION - OUTERMOST;
        while (j < GAPS && here < normal) {
            before = here;
            here = normal_of(probability[++j]);
            if (here < before) here = before;
        }
        double share = here > before && j > 0 ? (normal - before) / (here - before) : 1.0;
        at[m] = table->low + (j - 1.0 + fmin(share, 1.0)) * table->gap;
    }
    for (int m = 0; m < NORMALS; m++) {
        double bend = m && m < NORMALS - 1 ? at[m - 1] - 2.0 * at[m] + at[m + 1] : 0.0;
        end[m] = (float)(at[m] - bend / 12.0);
    }
}

/* Returns the variance of where a step ends, from that for every normal: its middle alone would
 * leave out what skew and tails add. */
static double variance_of(const float *end)
{
    double weights = 0.0, mean = 0.0, squares = 0.0;
    for (int m = 0; m < NORMALS; m++) {
        double normal = (double)m / A_DEVIATION - OUTERMOST, weight = exp(-0.5 * normal * normal),
               off = (double)end[m] - end[MIDDLE];
        weights += weight, mean += weight * off, squares += weight * off * off;
    }
    mean /= weights;
    return squares / weights - mean * mean;
}

/* Returns the log-moneyness COVERED deviations away from the forward, on one side. */
static double cover(const struct implied *implied, double side, double t)
{
    double k = 0.0;
    for (int again = 0; again < 50; again++)
        k = side * fmax(side * k, COVERED * sqrt(implied_variance(implied, k, t)));
    return k;
}

/* Makes a grid for the end of a step, 0 on one of its nodes. STATUS_FAILED, and the
 * reason, where the surface has no deviation there, or none that ends. */
static enum status table_grid(const struct multi_asset *assets, int asset,
                              const struct implied *implied, double from, double to,
                              struct transition *table)
{
    double low = cover(implied, -1.0, to), high = cover(implied, 1.0, to);
    if (!(low < 0.0 && high > 0.0 && isfinite(low) && isfinite(high)))
        return effort_fail(assets->effort, "the volatilities leave no deviation at %.6g years", to);
    int middle = (int)fmin(fmax(GAPS * low / (low - high), 1.0), GAPS - 1.0);
    table->gap = fmax(-low / middle, high / (GAPS - middle));
    table->low = -middle * table->gap;
    table->per_gap = 1.0 / table->gap;
    table->first = from > 0.0 ? 0 : middle;
    table->n = from > 0.0 ? GAPS + 1 : 1;
    table->log_forward[0] = log(asset_own_forward(assets, asset, from));
    table->log_forward[1] = log(asset_own_forward(assets, asset, to));
    return STATUS_OK;
}

/* Cuts a step where the surface has an expiry, at which local variance jumps, and then finely
 * enough. Fills edges where there are any and returns how many parts there are. */
static int cut(const struct surface *surface, double from, double to, double *edges)
{
    int parts = 0;
    for (int e = 0; e <= surface->n_times; e++) {
        double end = e < surface->n_times ? fmin(surface->times[e], to) : to;
        if (end <= from) continue;
        double longest = fmin(fmax(0.1 * from, 1.0 / 500.0), 1.0 / 40.0);
        int n = (int)fmax(ceil((end - from) / longest - 1e-9), LEAST_PARTS);
        for (int i = 0; i < n; i++, parts++)
            if (edges) edges[parts] = from + (end - from) * i / n;
        from = end;
    }
    if (edges) edges[parts] = to;
    return parts;
}

enum status transition_make(const struct multi_asset *assets, int asset,
                            const struct implied *implied, double from, double to,
                            struct transition *step)
{
    struct transition_work *work = NULL;
    struct effort *effort = assets->effort;
    const struct surface *surface = &asset_at(assets, asset)->surface;
    int parts = cut(surface, from, to, NULL);
    double *edges = NULL;
    MUST(table_grid(assets, asset, implied, from, to, step));
    MUST(effort_array(effort, (size_t)step->n * (NORMALS + 1), &step->end));
    step->variance = step->end + (size_t)step->n * NORMALS;
    MUST(effort_array(effort, 1, &work));
    MUST(effort_array(effort, parts + 1, &edges));
    work->parts = cut(surface, from, to, edges);
    MUST(effort_array(effort, work->parts, &work->part));
    MUST(effort_array(effort, (GAPS + 1) * ROW, &work->probability));
    for (int p = 0; p < work->parts; p++) {
        MUST(effort_spend(effort, (GAPS + 1) * IMPLIED_COST));
        part_of(implied, step, edges[p], edges[p + 1], work, &work->part[p]);
    }
    for (int j = 0; j <= GAPS; j += LANES) MUST(columns(effort, work, j, to - from, step->gap));
    MUST(effort_spend(effort, step->n * (double)ROW));
    for (int i = 0; i < step->n; i++) {
        float *end = &step->end[(size_t)i * NORMALS];
        invert(step, &work->probability[(size_t)(step->first + i) * ROW], end);
        step->variance[i] = (float)variance_of(end);
    }
    effort_free(work->part);
    effort_free(work->probability);
    effort_free(work);
    return STATUS_OK;
}

enum status transitions_room(struct effort *effort, double steps)
{
    return effort_room(effort, steps * (GAPS + 1) * (NORMALS + 1) * sizeof(float));
}

/* ---- moves ----------------------------------------------------------------------------------- */

enum { AHEAD = 32 }; /* looked up together, so that their rows are fetched meanwhile */

static void move_some(const struct transition *table, int n, const double *x, const double *normal,
                      struct step_move *moves)
{
    /* The node before log spot, where it lies between that and the next one, and what is beyond the
     * outermost ones; where the normal lies between the numbers of a row */
    int node[AHEAD];
    double share[AHEAD], beyond[AHEAD], along[AHEAD];
    const float *row[AHEAD];
    for (int b = 0; b < n; b++) {
        double at = (normal[b] + OUTERMOST) * A_DEVIATION;
        int m = at > 0.0 ? at < NORMALS - 1 ? (int)at : NORMALS - 2 : 0;
        along[b] = at - m;
        double place = (x[b] - table->log_forward[0] - table->low) * table->per_gap - table->first,
               last = table->n - 1, inside = place > 0.0 ? place < last ? place : last : 0.0;
        node[b] = (int)inside;
        share[b] = inside - node[b];
        beyond[b] = (place - inside) * table->gap;
        row[b] = &table->end[(size_t)node[b] * NORMALS + (size_t)m];
        __builtin_prefetch(row[b]);
        if (share[b] > 0.0) __builtin_prefetch(row[b] + NORMALS);
    }
    for (int b = 0; b < n; b++) {
        double end = row[b][0] + along[b] * ((double)row[b][1] - row[b][0]);
        if (share[b] > 0.0) {
            const float *next = row[b] + NORMALS;
            end += share[b] * (next[0] + along[b] * ((double)next[1] - next[0]) - end);
        }
        moves[b] = (struct step_move){table->log_forward[1] + end + beyond[b] - x[b],
                                      table->variance[node[b]], 0.0};
    }
}

void transition_move(const struct transition *step, int n, const double *x, const double *normal,
                     struct step_move *moves)
{
    for (int b = 0; b < n; b += AHEAD)
        move_some(step, n - b < AHEAD ? n - b : AHEAD, x + b, normal + b, moves + b);
}
