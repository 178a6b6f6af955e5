#include "app/pricing/risk/pnl/value_at_risk.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define WIDTH 1.959963984540054 /* standard errors to either side of 95 % */
#define LEAST_BEYOND 8.0        /* days beyond the quantile, for an upper end of the shortfall */
#define ONE_SIDED 1.4           /* as WIDTH of a lower end alone, from fewer */

struct loss {
    double loss;
    int day;
};

struct sorted_losses {
    int n, k; /* k: rank of value at risk, from 1 */
    double confidence;
    struct loss *losses; /* [n] increasing */
    const struct pnl *days;
    const struct pnl_blocks *blocks;
};

static int compare_losses(const void *a, const void *b)
{
    const struct loss *p = a, *q = b;
    if (p->loss != q->loss) return p->loss < q->loss ? -1 : 1;
    return p->day - q->day;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Returns P(exactly m of n days lie below the quantile). */
static double binomial(int n, int m, double p)
{
    return exp(lgamma(n + 1.0) - lgamma(m + 1.0) - lgamma(n - m + 1.0) + m * log(p) +
               (n - m) * log1p(-p));
}

/* Ranks between which the quantile lies with 95 %; n + 1 where there is no upper one. */
static void find_ranks(int n, double p, int *low, int *high)
{
    double below = 0.0; /* P(fewer than `rank` days lie below it) */
    *low = 0;
    *high = n + 1;
    for (int rank = 1; rank <= n; rank++) {
        below += binomial(n, rank - 1, p);
        if (below <= 0.025) *low = rank;
        if (below >= 0.975) {
            *high = rank;
            return;
        }
    }
}

/* ---- errors of the simulation ---------------------------------------------------------------- */

/* Returns the weight of the day at rank r (from 1) in the shortfall. */
static double shortfall_weight(const struct sorted_losses *s, int rank)
{
    double beyond = s->n * (1.0 - s->confidence);
    if (rank > s->k) return 1.0 / beyond;
    return rank == s->k ? (s->k - s->n * s->confidence) / beyond : 0.0;
}

struct pnl blocks_mean(size_t n, const double *values)
{
    double mean = 0.0, squares = 0.0, count = (double)n;
    for (size_t i = 0; i < n; i++) mean += values[i] / count;
    for (size_t i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
    return (struct pnl){mean, n > 1 ? sqrt(squares / (count * (count - 1.0))) : HUGE_VAL};
}

static enum status block_errors(const struct sorted_losses *s, struct value_at_risk *value_at_risk)
{
    int n = s->blocks->n;
    double *var = calloc(2 * (size_t)n + 1, sizeof *var), *shortfall = var + n;
    if (!var) return STATUS_NO_MEMORY;
    for (int b = 0; b < n; b++) {
        const double *pnl = s->blocks->pnl + (size_t)b * (size_t)s->n;
        var[b] = pnl[s->losses[s->k - 1].day];
        for (int rank = s->k; rank <= s->n; rank++)
            shortfall[b] += shortfall_weight(s, rank) * pnl[s->losses[rank - 1].day];
    }
    value_at_risk->var_error = blocks_mean((size_t)n, var).std_error;
    value_at_risk->shortfall_error = blocks_mean((size_t)n, shortfall).std_error;
    free(var);
    return STATUS_OK;
}

static void day_errors(const struct sorted_losses *s, struct value_at_risk *value_at_risk)
{
    value_at_risk->var_error = s->days[s->losses[s->k - 1].day].std_error;
    value_at_risk->shortfall_error = 0.0;
    for (int rank = s->k; rank <= s->n; rank++)
        value_at_risk->shortfall_error +=
            shortfall_weight(s, rank) * s->days[s->losses[rank - 1].day].std_error;
}

/* ---- the tail -------------------------------------------------------------------------------- */

static double loss_at(const struct sorted_losses *s, int rank)
{
    if (rank < 1) return -HUGE_VAL;
    return rank > s->n ? HUGE_VAL : s->losses[rank - 1].loss;
}

/* Returns the standard error that the finite past gives the shortfall. */
static double shortfall_of_days(const struct sorted_losses *s,
                                const struct value_at_risk *value_at_risk)
{
    double beyond = s->n * (1.0 - s->confidence), variance = 0.0;
    for (int rank = s->k; rank <= s->n; rank++) {
        double excess = s->losses[rank - 1].loss - value_at_risk->shortfall;
        variance += shortfall_weight(s, rank) * excess * excess;
    }
    double depth = value_at_risk->shortfall - value_at_risk->var;
    return sqrt((variance + s->confidence * depth * depth) / beyond);
}

/* Fills the ends of the shortfall's interval: the error of the finite past times how far it may be
 * off, from few days further towards more than towards less (value_at_risk.h). */
static void fill_shortfall_ends(const struct sorted_losses *s, struct value_at_risk *value_at_risk)
{
    double beyond = s->n * (1.0 - s->confidence), of_days = shortfall_of_days(s, value_at_risk);
    double noise = WIDTH * value_at_risk->shortfall_error;
    bool enough = beyond >= LEAST_BEYOND - 1e-9;
    double less = enough ? WIDTH - 1.4 / sqrt(beyond) : ONE_SIDED;
    double more = WIDTH + 2.4 / sqrt(beyond) + 12.0 / beyond;
    value_at_risk->shortfall_low = value_at_risk->shortfall - hypot(less * of_days, noise);
    value_at_risk->shortfall_high =
        enough ? value_at_risk->shortfall + hypot(more * of_days, noise) : HUGE_VAL;
}

static enum status fill(const struct sorted_losses *s, struct value_at_risk *value_at_risk)
{
    int low, high;
    enum status status = STATUS_OK;
    value_at_risk->var = s->losses[s->k - 1].loss;
    for (int rank = s->k; rank <= s->n; rank++)
        value_at_risk->shortfall += shortfall_weight(s, rank) * s->losses[rank - 1].loss;
    if (s->blocks) TRY(block_errors(s, value_at_risk));
    else day_errors(s, value_at_risk);
    find_ranks(s->n, s->confidence, &low, &high);
    value_at_risk->var_low = loss_at(s, low) - WIDTH * value_at_risk->var_error;
    value_at_risk->var_high = loss_at(s, high) + WIDTH * value_at_risk->var_error;
    fill_shortfall_ends(s, value_at_risk);
done:
    return status;
}

/* Sorts the losses and finds the rank of value at risk. */
static void sort_losses(struct sorted_losses *s)
{
    qsort(s->losses, (size_t)s->n, sizeof *s->losses, compare_losses);
    s->k = (int)ceil(s->n * s->confidence - 1e-9);
}

enum status tail_weights_make(int n, const double *losses, double confidence, double *var,
                              double *shortfall)
{
    struct sorted_losses s = {.n = n, .confidence = confidence};
    s.losses = malloc(((size_t)n + 1) * sizeof *s.losses);
    if (!s.losses) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) s.losses[i] = (struct loss){losses[i], i};
    sort_losses(&s);
    for (int rank = 1; rank <= n; rank++) {
        int day = s.losses[rank - 1].day;
        var[day] = rank == s.k;
        shortfall[day] = shortfall_weight(&s, rank);
    }
    free(s.losses);
    return STATUS_OK;
}

enum status value_at_risk_make(int n, const struct pnl *days, double confidence,
                               const struct pnl_blocks *blocks, struct value_at_risk *value_at_risk)
{
    enum status status = STATUS_OK;
    struct sorted_losses s = {.n = n, .confidence = confidence, .days = days, .blocks = blocks};
    *value_at_risk = (struct value_at_risk){confidence, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int i = 0; i < n; i++)
        if (!isfinite(days[i].value)) return STATUS_OK;
    if (!n) return STATUS_OK;
    *value_at_risk = (struct value_at_risk){.confidence = confidence};
    s.losses = malloc((size_t)n * sizeof *s.losses);
    if (!s.losses) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) s.losses[i] = (struct loss){-days[i].value, i};
    sort_losses(&s);
    TRY(fill(&s, value_at_risk));
done:
    free(s.losses);
    return status;
}
