#include "models/market/term_structure.h"

#include <stdlib.h>
#include <string.h>

double term_accrued(const struct term_structure *term, double t)
{
    int last = term->n - 1;
    if (t >= term->time[last]) return term->accrued[last] + term->beyond * (t - term->time[last]);
    int i = 0;
    while (t >= term->time[i]) i++;
    double t0 = i ? term->time[i - 1] : 0.0, a0 = i ? term->accrued[i - 1] : 0.0;
    return a0 + (term->accrued[i] - a0) * ((t - t0) / (term->time[i] - t0));
}

/* Makes room for n dates, which are `time` where that is not NULL. */
static enum status term_allocate(struct term_structure *term, int n, const double *time)
{
    size_t bytes = (size_t)n * sizeof(double);
    *term = (struct term_structure){.n = n, .time = malloc(bytes), .accrued = malloc(bytes)};
    if (!term->time || !term->accrued) {
        term_free(term);
        return STATUS_NO_MEMORY;
    }
    if (time) memcpy(term->time, time, bytes);
    return STATUS_OK;
}

enum status term_from_rates(struct term_structure *term, int n, const double *time,
                            const double *rate)
{
    MUST(term_allocate(term, n, time));
    for (int i = 0; i < n; i++) term->accrued[i] = rate[i] * time[i];
    term->beyond = n > 1
                       ? (term->accrued[n - 1] - term->accrued[n - 2]) / (time[n - 1] - time[n - 2])
                       : rate[0];
    return STATUS_OK;
}

enum status term_sum(struct term_structure *sum, const struct term_structure *a,
                     const struct term_structure *b)
{
    MUST(term_allocate(sum, a->n + b->n, NULL));
    sum->n = 0;
    for (int i = 0, j = 0; i < a->n || j < b->n;) {
        bool both = i < a->n && j < b->n, first = j == b->n || (both && a->time[i] <= b->time[j]);
        double time = first ? a->time[i] : b->time[j];
        if (both && a->time[i] == b->time[j]) j++;
        if (first) i++;
        else j++;
        sum->time[sum->n] = time;
        sum->accrued[sum->n++] = term_accrued(a, time) + term_accrued(b, time);
    }
    sum->beyond = a->beyond + b->beyond;
    return STATUS_OK;
}

enum status term_add(struct term_structure *term, double part, const struct term_structure *other)
{
    struct term_structure scaled = {0}, sum;
    enum status status = term_copy(&scaled, other);
    for (int i = 0; i < scaled.n && !status; i++) scaled.accrued[i] *= part;
    scaled.beyond *= part;
    if (!status) status = term_sum(&sum, term, &scaled);
    term_free(&scaled);
    if (status) return status;
    term_free(term);
    *term = sum;
    return STATUS_OK;
}

enum status term_from_volatilities(struct term_structure *term, int n, const double *time,
                                   const double *volatility, int *at)
{
    MUST(term_allocate(term, n, time));
    for (int i = 0; i < n; i++) {
        term->accrued[i] = volatility[i] * volatility[i] * time[i];
        if (i && term->accrued[i] < term->accrued[i - 1]) {
            *at = i;
            term_free(term);
            return STATUS_BAD_INPUT;
        }
    }
    term->beyond = volatility[n - 1] * volatility[n - 1];
    return STATUS_OK;
}

bool term_equal(const struct term_structure *a, const struct term_structure *b)
{
    size_t bytes = (size_t)a->n * sizeof(double);
    return a->n == b->n && a->beyond == b->beyond &&
           (!bytes || (!memcmp(a->time, b->time, bytes) && !memcmp(a->accrued, b->accrued, bytes)));
}

enum status term_copy(struct term_structure *to, const struct term_structure *from)
{
    MUST(term_allocate(to, from->n, from->time));
    memcpy(to->accrued, from->accrued, (size_t)from->n * sizeof(double));
    to->beyond = from->beyond;
    return STATUS_OK;
}

void term_free(struct term_structure *term)
{
    free(term->time);
    free(term->accrued);
    *term = (struct term_structure){0};
}
