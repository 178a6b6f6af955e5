#include "models/dynamics/local_vol_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/dynamics/local_vol.h"
#include "models/market/surface.h"

#define LOG2_E 1.4426950408889634
#define ROOT_HALF 0.70710678118654752
#define PI 3.1415926535897932
#define TABLE_REACH 5.0 /* standard deviations each way that cells cover */
#define LAW_REACH 8.0   /* and that the law of the start is known over */

enum {
    CELLS = 384,      /* of each function */
    LEAST_NODES = 800 /* of the law and of the local volatility at a step's start */
};
#define NODES_APART 0.2 /* of z, at most */

/* ---- the law of Y at a date ---------------------------------------------------------------------- */

struct law {
    double below, above; /* Prob(Y < k), Prob(Y > k): each keeps its digits where it is small */
    double density;      /* of Y */
};

static struct law law_at(const struct implied_surface *surface, double k, double t)
{
    struct variance_at at = surface_variance(surface, k, t);
    double s = sqrt(at.w), d2 = -k / s - 0.5 * s, lean = at.w_k / (2.0 * s);
    double n = exp(-0.5 * d2 * d2) / sqrt(2.0 * PI);
    return (struct law){.below = 0.5 * erfc(d2 * ROOT_HALF) + n * lean,
                        .above = 0.5 * erfc(-d2 * ROOT_HALF) - n * lean,
                        .density = fmax(surface_density(&at, k), 0.0) * n / s};
}

/* The k below which (is_below) or above which the law at t has this probability: Newton's method on its
 * logarithm between bounds that close in. `start` is a first guess. */
static double quantile(const struct implied_surface *surface, double t, double probability, int is_below,
                       double start)
{
    double low = -HUGE_VAL, high = HUGE_VAL, k = start, sign = is_below ? 1.0 : -1.0;
    double step = sqrt(surface_variance(surface, 0.0, t).w);
    for (int i = 0; i < 100; i++) {
        struct law law = law_at(surface, k, t);
        double tail = fmax(is_below ? law.below : law.above, 1e-300), excess = sign * log(tail / probability);
        if (excess > 0.0) high = k;
        else low = k;
        double next = k - excess * tail / law.density;
        if (!(next > low && next < high) || fabs(next - k) > step) {
            if (isinf(low)) next = k - step;
            else if (isinf(high)) next = k + step;
            else next = 0.5 * (low + high);
        }
        if (fabs(next - k) < 1e-13 * step) return next;
        k = next;
    }
    return k;
}

/* Log-moneyness that the law at t exceeds as a standard normal number exceeds `score`. */
static double score_place(const struct implied_surface *surface, double t, double score)
{
    double start = score * sqrt(surface_variance(surface, 0.0, t).w);
    return quantile(surface, t, 0.5 * erfc(fabs(score) * ROOT_HALF), score < 0.0, start);
}

/* ---- P ------------------------------------------------------------------------------------------- */

/* G at log-moneyness k: Gauss's two points on each part of the step between two expiries of the surface,
 * where Dupire's variance jumps in time. */
static double step_deviation(const struct implied_surface *surface, const struct leg *leg, double k)
{
    const double node = 0.5 / sqrt(3.0);
    double from = leg->from, sum = 0.0;
    for (int i = 0; i <= surface->n_times; i++) {
        double until = i < surface->n_times ? fmin(surface->smiles[i].time, leg->to) : leg->to;
        if (until <= from) continue;
        double middle = 0.5 * (from + until), length = until - from;
        sum += 0.5 * length *
               (surface_local_variance(surface, k, middle - node * length) +
                surface_local_variance(surface, k, middle + node * length));
        from = until;
    }
    return sqrt(sum);
}

/* A function known at four equal distances or more. */
struct sampled {
    int n;
    double low, apart;
    const double *value;
};

/* By the cubic through the four nearest. */
static double sampled_at(const struct sampled *f, double y)
{
    double place = (y - f->low) / f->apart;
    int i = (int)fmin(fmax(floor(place), 1.0), f->n - 3);
    double t = fmin(fmax(place - i, -1.0), 2.0), before = t + 1.0, after = t - 1.0, last = t - 2.0;
    const double *v = f->value + i;
    return -v[-1] * t * after * last / 6.0 + v[0] * before * after * last / 2.0 -
           v[1] * before * t * last / 2.0 + v[2] * before * t * after / 6.0;
}

/* The normal distribution is tabled for the many thousand times that a step asks it. */
enum { NORMAL_REACH = 9, NORMAL_PARTS = 64, NORMAL_ROWS = 2 * NORMAL_REACH * NORMAL_PARTS + 1 };

/* A step's start: nodes from 8 deviations below to 8 above, P at each and the weight of the law there. */
struct start {
    int n;
    double low, apart; /* of the nodes, in Y */
    double *p;         /* [node] P, 0 at Y = 0 */
    double *weight;    /* [node] probability */
    double
        *normal; /* [2 NORMAL_REACH NORMAL_PARTS + 1][2] Prob(z > d) and its slope, d from -NORMAL_REACH on */
    double *numbers; /* what they lie in; owned */
};

/* P = phi(D) from the deviations at the nodes: phi by trapezoids, its value at D from the slopes at both
 * ends. */
static void lamperti(struct start *start, const double *deviation, double *phi)
{
    struct sampled g = {start->n, start->low, start->apart, deviation};
    phi[0] = 0.0;
    for (int i = 1; i < start->n; i++)
        phi[i] = phi[i - 1] + 0.5 * start->apart * (1.0 / deviation[i - 1] + 1.0 / deviation[i]);
    for (int i = 0; i < start->n; i++) {
        double y = start->low + i * start->apart, here = deviation[i];
        double slope = (sampled_at(&g, y + here) - sampled_at(&g, y - here)) / (2.0 * here);
        double drift = -0.25 * here * (here + slope);
        start->p[i] = phi[i] + 0.5 * drift * (1.0 / here + 1.0 / sampled_at(&g, y + drift));
        double rise = i ? phi[i] - phi[i - 1] : 0.0;
        if (i)
            start->p[i] = fmin(fmax(start->p[i], start->p[i - 1] + 0.5 * rise), start->p[i - 1] + 2.0 * rise);
    }
    struct sampled p = {start->n, start->low, start->apart, start->p};
    double origin = sampled_at(&p, 0.0);
    for (int i = 0; i < start->n; i++) start->p[i] -= origin;
}

static enum status make_start(struct start *start, const struct implied_surface *surface,
                              const struct leg *leg)
{
    double low = score_place(surface, leg->from, -LAW_REACH),
           high = score_place(surface, leg->from, LAW_REACH);
    double wanted = (high - low) / (NODES_APART * step_deviation(surface, leg, 0.0));
    start->n = (int)fmin(fmax(ceil(wanted), LEAST_NODES), 20000.0) + 1;
    start->low = low, start->apart = (high - low) / (start->n - 1);
    start->numbers = malloc(((size_t)start->n * 4 + 2 * NORMAL_ROWS) * sizeof *start->numbers);
    if (!start->numbers) return STATUS_NO_MEMORY;
    start->p = start->numbers, start->weight = start->numbers + start->n;
    double *deviation = start->numbers + 2 * (size_t)start->n, total = 0.0;
    for (int i = 0; i < start->n; i++) {
        double k = low + i * start->apart;
        deviation[i] = step_deviation(surface, leg, k);
        start->weight[i] = law_at(surface, k, leg->from).density;
        total += start->weight[i];
    }
    for (int i = 0; i < start->n; i++) start->weight[i] /= total;
    lamperti(start, deviation, deviation + start->n);
    start->normal = start->numbers + 4 * (size_t)start->n;
    for (int i = 0; i < NORMAL_ROWS; i++) {
        double d = (double)i / NORMAL_PARTS - NORMAL_REACH;
        start->normal[2 * i] = 0.5 * erfc(d * ROOT_HALF);
        start->normal[2 * i + 1] = -exp(-0.5 * d * d) / (sqrt(2.0 * PI) * NORMAL_PARTS);
    }
    return STATUS_OK;
}

/* ---- Q ------------------------------------------------------------------------------------------- */

/* Prob(z > d), |d| < NORMAL_REACH: Hermite's cubic, to 1e-7 of itself. */
static double normal_above(const double *normal, double d)
{
    double place = (d + NORMAL_REACH) * NORMAL_PARTS;
    int i = (int)place;
    double t = place - i, s = 1.0 - t;
    const double *row = normal + 2 * i;
    return s * s * ((1.0 + 2.0 * t) * row[0] + t * row[1]) + t * t * ((1.0 + 2.0 * s) * row[2] - s * row[3]);
}

/* Prob(P(Y) + z < u) (is_below), or > u. */
static double convolved(const struct start *start, double u, int is_below)
{
    double sum = 0.0;
    for (int i = 0; i < start->n; i++) {
        double d = is_below ? start->p[i] - u : u - start->p[i];
        if (d <= -NORMAL_REACH) sum += start->weight[i];
        else if (d < NORMAL_REACH) sum += start->weight[i] * normal_above(start->normal, d);
    }
    return sum;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* One function of a step: linear plus cells, in the units of local_vol.h. */
struct piece {
    double low, high; /* of the argument */
    double slope, start;
    double value[CELLS + 1]; /* of the function at the cells' ends; then less the linear part */
};

static double chord(const struct piece *piece)
{
    return (piece->value[CELLS] - piece->value[0]) / (piece->high - piece->low);
}

/* Takes a line of this slope through the first value out. */
static void take_line(struct piece *piece, double slope)
{
    piece->slope = slope;
    piece->start = piece->value[0] - slope * piece->low;
    double width = (piece->high - piece->low) / CELLS;
    for (int i = 0; i <= CELLS; i++) piece->value[i] -= piece->start + slope * (piece->low + i * width);
}

/* The cubics about the middle of each cell of the natural spline through the values: rows[CELLS + 2][4], the
 * first and the last of them constants. */
static void spline_rows(const double *value, float *rows)
{
    double curve[CELLS + 1] = {0}, pivot[CELLS + 1] = {0};
    for (int i = 1; i < CELLS; i++) {
        double right = 6.0 * (value[i - 1] - 2.0 * value[i] + value[i + 1]), diagonal = 4.0 - pivot[i - 1];
        pivot[i] = 1.0 / diagonal;
        curve[i] = (right - curve[i - 1]) / diagonal;
    }
    for (int i = CELLS - 1; i >= 1; i--) curve[i] -= pivot[i] * curve[i + 1];
    for (int i = 0; i < 4; i++) rows[i] = rows[4 * (CELLS + 1) + i] = 0.0f;
    rows[0] = (float)value[0], rows[4 * (CELLS + 1)] = (float)value[CELLS];
    for (int i = 0; i < CELLS; i++) {
        double mean = 0.5 * (curve[i] + curve[i + 1]), change = curve[i + 1] - curve[i];
        float *row = rows + 4 * (i + 1);
        row[0] = (float)(0.5 * (value[i] + value[i + 1]) - 0.125 * mean);
        row[1] = (float)(value[i + 1] - value[i] - change / 24.0);
        row[2] = (float)(0.5 * mean);
        row[3] = (float)(change / 6.0);
    }
}

enum { PIECE_ROWS = CELLS + 2 };

static enum status lookup_room(struct lookup *lookup, int more)
{
    if (lookup->n + more <= lookup->room) return STATUS_OK;
    int room = 2 * lookup->room > lookup->n + more ? 2 * lookup->room : lookup->n + more;
    float *table = realloc(lookup->table, (size_t)room * sizeof *table);
    if (!table) return STATUS_NO_MEMORY;
    lookup->table = table, lookup->room = room;
    return STATUS_OK;
}

/* ---- a step -------------------------------------------------------------------------------------- */

/* P in Y over the law at the step's start; today, where Y is 0, any line through 0 will do. */
static void make_p(struct piece *p, const struct implied_surface *surface, const struct leg *leg,
                   const struct start *start)
{
    *p = (struct piece){.low = -1.0, .high = 1.0};
    if (leg->from > 0.0) {
        p->low = score_place(surface, leg->from, -TABLE_REACH),
        p->high = score_place(surface, leg->from, TABLE_REACH);
        struct sampled sampled = {start->n, start->low, start->apart, start->p};
        for (int i = 0; i <= CELLS; i++)
            p->value[i] = sampled_at(&sampled, p->low + (p->high - p->low) * i / CELLS);
    } else {
        double deviation = step_deviation(surface, leg, 0.0);
        for (int i = 0; i <= CELLS; i++) p->value[i] = (2.0 * i / CELLS - 1.0) / deviation;
    }
}

/* P at the nodes as the table has it, so that Q undoes what the table does. */
static void as_tabled(struct start *start, const struct piece *p, const float *rows)
{
    double width = (p->high - p->low) / CELLS;
    for (int i = 0; i < start->n; i++) {
        double y = start->low + i * start->apart, place = (y - p->low) / width + 0.5;
        int row = (int)fmin(fmax(floor(place + 0.5), 0.0), CELLS + 1);
        double t = fmin(fmax(place - row, -0.5), 0.5);
        const float *a = rows + 4 * row;
        start->p[i] = p->start + p->slope * y + ((a[3] * t + a[2]) * t + a[1]) * t + a[0];
    }
}

/* The range of u that P and TABLE_REACH deviations of z reach. */
static void make_q_range(struct piece *q, const struct piece *p, const struct leg *leg)
{
    double lowest = leg->from > 0.0 ? p->value[0] : 0.0, highest = leg->from > 0.0 ? p->value[CELLS] : 0.0;
    q->low = -sqrt(lowest * lowest + TABLE_REACH * TABLE_REACH);
    q->high = sqrt(highest * highest + TABLE_REACH * TABLE_REACH);
}

/* Q in Y. */
static void make_q(struct piece *q, const struct implied_surface *surface, const struct leg *leg,
                   const struct start *start)
{
    int today = !(leg->from > 0.0);
    double guess = score_place(surface, leg->to, -TABLE_REACH), before = guess;
    for (int i = 0; i <= CELLS; i++) {
        double u = q->low + (q->high - q->low) * i / CELLS;
        int below = u < 0.0;
        double probability = today ? 0.5 * erfc((below ? -u : u) * ROOT_HALF) : convolved(start, u, below);
        q->value[i] = quantile(surface, leg->to, probability, below, guess);
        guess = i ? 2.0 * q->value[i] - before : q->value[0];
        before = q->value[i];
    }
}

/* What an asset's steps share. */
struct local_vol_work {
    int asset;
    struct implied_surface surface;
    struct local_vol_work *next;
};

void local_vol_forget(struct local_vol_work *work)
{
    while (work) {
        struct local_vol_work *next = work->next;
        surface_free(&work->surface);
        free(work);
        work = next;
    }
}

/* The asset's work, made at its first step. */
static enum status find_work(const struct market *market, int asset, struct lookup *lookup,
                             struct local_vol_work **found, struct message *why)
{
    struct local_vol_work *work = lookup->work;
    while (work && work->asset != asset) work = work->next;
    *found = work;
    if (work) return STATUS_OK;
    work = malloc(sizeof *work);
    if (!work) return STATUS_NO_MEMORY;
    enum status status = surface_make(&work->surface, market, asset, why);
    if (status != STATUS_OK) {
        free(work);
        return status == STATUS_BAD_INPUT ? STATUS_FAILED : status;
    }
    work->asset = asset, work->next = lookup->work;
    *found = lookup->work = work;
    return STATUS_OK;
}

/* How far z drifts over the step: the correlation with the FX rate times the root of its variance there. */
static enum status quanto_drift(const struct market *market, int asset, const struct leg *leg, double *drift,
                                struct message *why)
{
    *drift = 0.0;
    if (leg->quanto < 0) return STATUS_OK;
    const struct asset *fx = &market->assets[leg->quanto];
    if (fx->foreign_currency != market->assets[asset].currency) return STATUS_OK;
    if (fx->model != MODEL_BLACK_SCHOLES) {
        snprintf(
            why->text, sizeof why->text,
            "asset '%s': a local_vol asset can be paid in another currency only through an FX rate of model "
            "black_scholes; '%s' is %s",
            market->assets[asset].name, fx->name, model_name(fx->model));
        return STATUS_FAILED;
    }
    double variance = term_accrued(&fx->variance, leg->to) - term_accrued(&fx->variance, leg->from);
    *drift = market->correlation[(size_t)asset * market->n_assets + leg->quanto] * sqrt(variance);
    return STATUS_OK;
}

enum status local_vol_coefficients(const struct market *market, int asset, const struct leg *leg, double *c,
                                   struct lookup *lookup, struct message *why)
{
    struct local_vol_work *work = NULL;
    struct start start = {0};
    struct piece p = {0}, q = {0};
    double drift, log_from = surface_log_forward(market, asset, leg->from);
    double log_to = surface_log_forward(market, asset, leg->to);
    enum status status = STATUS_OK;
    TRY(find_work(market, asset, lookup, &work, why));
    const struct implied_surface *surface = &work->surface;
    TRY(quanto_drift(market, asset, leg, &drift, why));
    TRY(lookup_room(lookup, 2 * 4 * PIECE_ROWS));
    if (leg->from > 0.0) TRY(make_start(&start, surface, leg));
    float *p_rows = lookup->table + lookup->n, *q_rows = p_rows + 4 * PIECE_ROWS;
    make_p(&p, surface, leg, &start);
    make_q_range(&q, &p, leg);
    take_line(&p, chord(&p));
    spline_rows(p.value, p_rows);
    as_tabled(&start, &p, p_rows);
    make_q(&q, surface, leg, &start);
    /* Opposite slopes, so that beyond the cells Q takes back what P did. */
    take_line(&q, leg->from > 0.0 ? 1.0 / p.slope : chord(&q));
    for (int i = 0; i <= CELLS; i++) q.value[i] *= LOG2_E;
    spline_rows(q.value, q_rows);

    int first = lookup->n / 4, second = first + PIECE_ROWS;
    lookup->n += 2 * 4 * PIECE_ROWS;
    /* Y = x / LOG2_E - log_from. The first cubic is row first + 1, and its middle half a cell above the low
     * end. */
    double p_cells = CELLS / (p.high - p.low), q_cells = CELLS / (q.high - q.low);
    c[0] = p_cells / LOG2_E;
    c[1] = first + 0.5 - (p.low + log_from) * p_cells;
    c[2] = p.slope / LOG2_E;
    c[3] = p.start - p.slope * log_from - drift;
    c[4] = q_cells;
    c[5] = second + 0.5 - q.low * q_cells;
    c[6] = q.slope * LOG2_E;
    c[7] = (q.start + log_to) * LOG2_E;
    c[8] = LOCAL_VOL_ROUND + first;
    c[9] = LOCAL_VOL_ROUND + (second - 1);
    c[10] = LOCAL_VOL_ROUND + (second + PIECE_ROWS - 1);
    c[11] = 0.0;
done:
    free(start.numbers);
    return status;
}
