#include "app/pricing/risk/pnl/value_at_risk.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "app/pricing/base/student.h"

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
    double error = sqrt(squares / (count * (count - 1.0)));
    return (struct pnl){mean, n > 1 ? student_factor(WIDTH, count - 1.0) * error : HUGE_VAL};
}

static enum status block_errors(const struct sorted_losses *s, const struct past_days *past,
                                struct value_at_risk *value_at_risk)
{
    int n = past->n_blocks;
    double *var = calloc(2 * (size_t)n + 1, sizeof *var), *shortfall = var + n;
    if (!var) return STATUS_NO_MEMORY;
    for (int b = 0; b < n; b++) {
        const double *pnl = past->blocks + (size_t)b * (size_t)s->n;
        var[b] = pnl[s->losses[s->k - 1].day];
        for (int rank = s->k; rank <= s->n; rank++)
            shortfall[b] += shortfall_weight(s, rank) * pnl[s->losses[rank - 1].day];
    }
    value_at_risk->var_error = blocks_mean((size_t)n, var).std_error;
    value_at_risk->shortfall_error = blocks_mean((size_t)n, shortfall).std_error;
    free(var);
    return STATUS_OK;
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

static enum status fill(const struct sorted_losses *s, const struct past_days *past,
                        struct value_at_risk *value_at_risk)
{
    int low, high;
    value_at_risk->var = s->losses[s->k - 1].loss;
    for (int rank = s->k; rank <= s->n; rank++)
        value_at_risk->shortfall += shortfall_weight(s, rank) * s->losses[rank - 1].loss;
    value_at_risk->var_error = past->days[s->losses[s->k - 1].day].std_error;
    for (int rank = s->k; rank <= s->n; rank++)
        value_at_risk->shortfall_error +=
            shortfall_weight(s, rank) * past->days[s->losses[rank - 1].day].std_error;
    if (past->n_blocks) MUST(block_errors(s, past, value_at_risk));
    find_ranks(s->n, s->confidence, &low, &high);
    value_at_risk->var_low = loss_at(s, low) - WIDTH * value_at_risk->var_error;
    value_at_risk->var_high = loss_at(s, high) + WIDTH * value_at_risk->var_error;
    fill_shortfall_ends(s, value_at_risk);
    return STATUS_OK;
}

/* Sorts losses [n] and finds the rank of value at risk; free s->losses. STATUS_NO_MEMORY. */
static enum status sort_losses(int n, const double *losses, double confidence,
                               struct sorted_losses *s)
{
    *s = (struct sorted_losses){.n = n, .confidence = confidence};
    s->losses = malloc(((size_t)n + 1) * sizeof *s->losses);
    if (!s->losses) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) s->losses[i] = (struct loss){losses[i], i};
    qsort(s->losses, (size_t)n, sizeof *s->losses, compare_losses);
    s->k = (int)ceil(n * confidence - 1e-9);
    return STATUS_OK;
}

/* Returns the losses of days; NULL without memory. The caller frees them. */
static double *losses_of(const struct past_days *past)
{
    double *losses = malloc(((size_t)past->n + 1) * sizeof *losses);
    for (int i = 0; losses && i < past->n; i++)
        losses[i] = 0.0 - past->days[i].value; /* never -0 */
    return losses;
}

static bool has_days(const struct past_days *past)
{
    for (int i = 0; i < past->n; i++)
        if (!isfinite(past->days[i].value)) return false;
    return past->n > 0;
}

enum status value_at_risk_make(const struct past_days *past, double confidence,
                               struct value_at_risk *value_at_risk)
{
    enum status status = STATUS_OK;
    struct sorted_losses s = {0};
    *value_at_risk = (struct value_at_risk){confidence, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!has_days(past)) return STATUS_OK;
    double *losses = losses_of(past);
    if (!losses) return STATUS_NO_MEMORY;
    *value_at_risk = (struct value_at_risk){.confidence = confidence};
    TRY(sort_losses(past->n, losses, confidence, &s));
    TRY(fill(&s, past, value_at_risk));
done:
    free(losses);
    free(s.losses);
    return status;
}

/* ---- what a part brings ---------------------------------------------------------------------- */

enum status tail_weights_make(int n, const double *losses, double confidence, double *var,
                              double *shortfall)
{
    struct sorted_losses s;
    enum status status = sort_losses(n, losses, confidence, &s);
    for (int rank = 1; !status && rank <= n; rank++) {
        int day = s.losses[rank - 1].day;
        var[day] = rank == s.k;
        shortfall[day] = shortfall_weight(&s, rank);
    }
    free(s.losses);
    return status;
}

/* A number that is linear in the days of a whole and of its part. */
struct linear_making {
    const struct past_days *whole, *part;
    double *room; /* [block] */
};

/* Takes minus the sum over days of what the whole makes by its weights and the part by its own. */
static void take(const struct linear_making *making, const double *whole_weights,
                 const double *part_weights, double *value, double *std_error)
{
    const struct past_days *whole = making->whole, *part = making->part;
    int n = whole->n;
    double sum = 0.0;
    for (int d = 0; d < n; d++)
        sum += whole_weights[d] * whole->days[d].value + part_weights[d] * part->days[d].value;
    *value = 0.0 - sum;
    for (int b = 0; b < whole->n_blocks; b++) {
        making->room[b] = 0.0;
        for (int d = 0, at = b * n; d < n; d++, at++)
            making->room[b] +=
                whole_weights[d] * whole->blocks[at] + part_weights[d] * part->blocks[at];
    }
    *std_error = blocks_mean((size_t)whole->n_blocks, making->room).std_error;
}

enum status risk_contribution_make(const struct past_days *whole, const struct past_days *part,
                                   double confidence, struct risk_contribution *contribution)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)whole->n;
    *contribution = (struct risk_contribution){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!has_days(whole) || !has_days(part)) return STATUS_OK;
    double *losses = losses_of(whole);
    double *zero = calloc(5 * n + (size_t)whole->n_blocks + 1, sizeof *zero);
    if (!losses || !zero) TRY(STATUS_NO_MEMORY);
    /* Weights of days in the tail of the whole, and of the book without the part */
    double *var = zero + n, *shortfall = var + n, *rest_var = shortfall + n,
           *rest_shortfall = rest_var + n;
    const struct linear_making making = {whole, part, rest_shortfall + n};
    TRY(tail_weights_make(whole->n, losses, confidence, var, shortfall));
    take(&making, zero, var, &contribution->component_var, &contribution->component_var_error);
    take(&making, zero, shortfall, &contribution->component_shortfall,
         &contribution->component_shortfall_error);
    for (size_t d = 0; d < n; d++) losses[d] += part->days[d].value;
    TRY(tail_weights_make(whole->n, losses, confidence, rest_var, rest_shortfall));
    /* weights times the whole, less those of the rest times the whole less the part */
    for (size_t d = 0; d < n; d++) {
        var[d] -= rest_var[d];
        shortfall[d] -= rest_shortfall[d];
    }
    take(&making, var, rest_var, &contribution->incremental_var,
         &contribution->incremental_var_error);
    take(&making, shortfall, rest_shortfall, &contribution->incremental_shortfall,
         &contribution->incremental_shortfall_error);
done:
    free(losses);
    free(zero);
    return status;
}
