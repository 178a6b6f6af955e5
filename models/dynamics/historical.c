#include "models/dynamics/historical.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/dynamics/historical_table.h"
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

/* ---- the table ------------------------------------------------------------------------------- */

/* Appends z and sets *first to where it begins; the table stays a whole number of rows of four. */
static enum status append_table(const struct asset *asset, struct lookup *lookup, int *first,
                                struct message *why)
{
    const struct history *history = &asset->history;
    double mean, stdev = historical_stdev(history, &mean);
    int begin = (lookup->n + 3) / 4 * 4, end = begin + (history->n + 3) / 4 * 4;
    if (!(stdev > 0.0)) {
        snprintf(why->text, sizeof why->text, "'%s': the returns of the past do not differ",
                 asset->name);
        return STATUS_FAILED;
    }
    if (end > lookup->room) {
        float *larger = realloc(lookup->table, (size_t)end * sizeof *larger);
        if (!larger) return STATUS_NO_MEMORY;
        lookup->table = larger, lookup->room = end;
    }
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
        snprintf(why->text, sizeof why->text,
                 "'%s': a block of past returns moves the spot out of the range of a double",
                 asset->name);
        TRY(STATUS_FAILED);
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
