#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/dynamics/dynamics.h"
#include "models/dynamics/model_coefficients.h"
#include "models/dynamics/step_measure.h"
#include "models/math/constants.h"
#include "models/math/exact.h"

#define SAME_BLOCK                                                                                 \
    1e-12 /* of a volatility: more than rounding, and less than a price would show                 \
           */

double historical_stdev(const struct history *history, double *mean)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < history->n; i++) sum += history->returns[i];
    *mean = sum / history->n;
    for (int i = 0; i < history->n; i++) {
        double d = history->returns[i] - *mean;
        squares += d * d;
    }
    return sqrt(squares / history->n);
}

/* ---- a step --------------------------------------------------------------------------------- */

/* Says how the index of a step follows: the first of a day has the day's. A step within rounding of
 * nothing leaves the next one to be the first. */
static enum historical_turn historical_turn(const struct history *history, double from, double to)
{
    if (from == 0.0) return HISTORICAL_START;
    if (from == to || from > floor(from)) return HISTORICAL_SAME;
    return fmod(from, history->block) == 0.0 ? HISTORICAL_START : HISTORICAL_NEXT;
}

/* Fills all but the table and what the drift makes up for, which historical_path() adds. */
enum status historical_coefficients(const struct market *market, int index,
                                    const struct time_step *time_step, double *c,
                                    struct lookup *lookup, struct message *why)
{
    (void)lookup;
    const struct asset *asset = &market->assets[index];
    double interval = asset->history.interval;
    double from = historical_days(time_step->from, interval),
           to = historical_days(time_step->to, interval);
    struct time_step day = {.from = floor(from) * interval, .to = (floor(from) + 1.0) * interval};
    struct measure measure;
    MUST(measure_of(market, index, time_step, &measure, why));
    if (measure.fx)
        MUST(refuse_quanto(asset, measure.fx,
                           "past returns that are drawn again have no correlation with it", why));
    if (to > floor(from) + 1.0)
        return say_why(STATUS_FAILED, why,
                       "'%s': a step from %.6g to %.6g years is not within one day", asset->name,
                       time_step->from, time_step->to);
    double variance = variance_over(&asset->variance, &day);
    for (int i = 0; i < HISTORICAL_COEFFICIENTS; i++) c[i] = 0.0;
    c[HISTORICAL_DRIFT] = growth_over(market, asset, time_step) / LN2;
    c[HISTORICAL_VOLATILITY] = sqrt(variance) / LN2 * (to - from);
    c[HISTORICAL_CLOCK] = variance / (LN2 * LN2) * (to - from);
    c[HISTORICAL_TURN] = historical_turn(&asset->history, from, to);
    return STATUS_OK;
}

/* Days end on dates of the grid: app/pricing/plan/time_grid.c. */
double historical_longest(const struct asset *asset, double date, double max_step)
{
    (void)asset, (void)date, (void)max_step;
    return HUGE_VAL;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Appends z and sets *first to where it begins; the table stays a whole number of rows of four. */
static enum status append_table(const struct asset *asset, struct lookup *lookup, int *first,
                                struct message *why)
{
    const struct history *history = &asset->history;
    double mean, stdev = historical_stdev(history, &mean);
    int begin = (lookup->n + 3) / 4 * 4, end = begin + (history->n + 3) / 4 * 4;
    if (!(stdev > 0.0))
        return say_why(STATUS_FAILED, why, "'%s': the returns of the past do not differ",
                       asset->name);
    MUST(grow_array(&lookup->table, &lookup->room, end, sizeof *lookup->table));
    memset(lookup->table + lookup->n, 0, sizeof *lookup->table * (size_t)(end - lookup->n));
    for (int i = 0; i < history->n; i++)
        lookup->table[begin + i] = (float)((history->returns[i] - mean) / stdev);
    lookup->n = end;
    *first = begin;
    return STATUS_OK;
}

/* ---- the mean of a block --------------------------------------------------------------------- */

/* Adds sums[s] += volatility * z[(s + day) mod n]: the step of every block, by the index s of its
 * first day. */
static void add_moves(int n, const float *z, int day, double volatility, double *sums)
{
    int shift = day % n;
    for (int s = 0; s < n - shift; s++) sums[s] += volatility * (double)z[s + shift];
    for (int s = n - shift; s < n; s++) sums[s] += volatility * (double)z[s + shift - n];
}

static double log2_mean(int n, const double *sums)
{
    double sum = 0.0;
    for (int s = 0; s < n; s++) sum += exact_exp2(sums[s]);
    return exact_log2(sum / n);
}

/* Writes log2 M at the end of each step of a block of `n_steps`. */
static enum status block_means(const struct history *history, const float *z, const double *c,
                               int n_steps, size_t width, double *means)
{
    int day = 0;
    double *sums = calloc((size_t)history->n, sizeof *sums);
    if (!sums) return STATUS_NO_MEMORY;
    for (int j = 0; j < n_steps; j++, c += width) {
        double volatility = c[HISTORICAL_VOLATILITY];
        day += c[HISTORICAL_TURN] == HISTORICAL_NEXT;
        if (volatility > 0.0) add_moves(history->n, z, day, volatility, sums);
        means[j] = volatility > 0.0 ? log2_mean(history->n, sums) : j ? means[j - 1] : 0.0;
    }
    free(sums);
    return STATUS_OK;
}

/* Steps of the block that begins with step j. */
static int block_steps(const double *c, size_t width, int j, int n_steps)
{
    int end = j + 1;
    while (end < n_steps && c[(size_t)end * width + HISTORICAL_TURN] != HISTORICAL_START) end++;
    return end - j;
}

/* Tells whether the first `n` steps of two blocks are alike. */
static bool same_steps(const double *a, const double *b, size_t width, int n)
{
    for (int j = 0; j < n; j++, a += width, b += width) {
        double difference = fabs(a[HISTORICAL_VOLATILITY] - b[HISTORICAL_VOLATILITY]);
        if (a[HISTORICAL_TURN] != b[HISTORICAL_TURN] ||
            difference > SAME_BLOCK * a[HISTORICAL_VOLATILITY])
            return false;
    }
    return true;
}

/* Takes from each drift what the moves of its block add to log2 of the mean of the spot. A block
 * like the one before has its means. */
static enum status compensate(const struct asset *asset, const float *z, int n_steps, size_t width,
                              double *c, struct message *why)
{
    enum status status = STATUS_OK;
    double *means = malloc(sizeof *means * (size_t)(n_steps + 1));
    if (!means) TRY(STATUS_NO_MEMORY);
    for (int j = 0, known = 0, before = 0, n; j < n_steps; before = j, j += n) {
        double *block = c + (size_t)j * width;
        n = block_steps(c, width, j, n_steps);
        if (n > known || !same_steps(block, c + (size_t)before * width, width, n)) {
            TRY(block_means(&asset->history, z, block, n, width, means));
            known = n;
        }
        for (int i = 0; i < n; i++)
            block[(size_t)i * width + HISTORICAL_DRIFT] -= means[i] - (i ? means[i - 1] : 0.0);
        if (isfinite(means[n - 1])) continue;
        TRY(say_why(STATUS_FAILED, why,
                    "'%s': a block of past returns moves the spot out of the range of a double",
                    asset->name));
    }
done:
    free(means);
    return status;
}

enum status historical_path(const struct asset *asset, int n_steps, size_t width, double *c,
                            struct lookup *lookup, struct message *why)
{
    int first = 0;
    MUST(append_table(asset, lookup, &first, why));
    for (int j = 0; j < n_steps; j++) {
        c[(size_t)j * width + HISTORICAL_FIRST] = first;
        c[(size_t)j * width + HISTORICAL_LAST] = asset->history.n - 1;
    }
    return compensate(asset, lookup->table + first, n_steps, width, c, why);
}
