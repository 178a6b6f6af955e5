#include "app/pricing/base/risk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/market/delta_quotes.h"

#define GREEK(NAME, name, column, first, second, scope, method, step)                              \
    [GREEK_##NAME] = {#name,         #column,         SLOPE_##first, SLOPE_##second,               \
                      SCOPE_##scope, METHOD_##method, step},
const struct greek_row greek_rows[N_GREEKS] = {
#include "app/pricing/base/greeks.def"
};
#undef GREEK

#define SLOPE(NAME, unit, shock, target, growth, step)                                             \
    [SLOPE_##NAME] = {unit, SHOCK_##shock, offsetof(struct sensitivity, target), GROWTH_##growth,  \
                      step},
const struct slope_row slope_rows[N_SLOPES] = {
#include "app/pricing/base/slopes.def"
};
#undef SLOPE

const char *sensitivity_other(const struct market *market, const struct sensitivity *s)
{
    if (greek_rows[s->greek].scope == SCOPE_QUOTE) return delta_quote_names[s->at];
    return s->other < 0 ? NULL : market->assets[s->other].name;
}

struct shock sensitivity_shock(const struct sensitivity *s, enum slope slope, double amount)
{
    const struct slope_row *row = &slope_rows[slope];
    return (struct shock){row->shock, *(const int *)((const char *)s + row->target),
                          s->other,   s->date,
                          s->at,      amount};
}

/* ---- Greeks ---------------------------------------------------------------------------------- */

static const struct greek_value no_greek = {NAN, NAN, NAN, NAN, NAN, NAN, ""};

enum status risk_lay_out_greeks(struct risk *risk,
                                bool (*depends)(const void *context, int sensitivity, int trade),
                                const void *context)
{
    struct greek_table *table = &risk->greeks;
    size_t n = 0;
    for (int i = 0; i < risk->n_trades; i++)
        for (int s = 0; s < risk->n_sensitivities; s++) n += depends(context, s, i);
    table->first = malloc(((size_t)risk->n_trades + 1) * sizeof *table->first);
    table->sensitivity = malloc((n + 1) * sizeof *table->sensitivity);
    table->values = malloc((n + 1) * sizeof *table->values);
    if (!table->first || !table->sensitivity || !table->values) return STATUS_NO_MEMORY;
    n = 0;
    for (int i = 0; i < risk->n_trades; i++) {
        table->first[i] = n;
        for (int s = 0; s < risk->n_sensitivities; s++)
            if (depends(context, s, i)) table->sensitivity[n++] = s;
    }
    table->first[risk->n_trades] = n;
    for (size_t k = 0; k < n; k++) table->values[k] = no_greek;
    return STATUS_OK;
}

struct greek_value *risk_own_greek(const struct risk *risk, int sensitivity, int trade)
{
    const struct greek_table *table = &risk->greeks;
    if (!table->first) return NULL;
    size_t low = table->first[trade], end = table->first[trade + 1], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->sensitivity[middle] < sensitivity) low = middle + 1;
        else high = middle;
    }
    return low < end && table->sensitivity[low] == sensitivity ? &table->values[low] : NULL;
}

const struct greek_value *risk_greek(const struct risk *risk, int sensitivity, int trade)
{
    const struct greek_value *greek = risk_own_greek(risk, sensitivity, trade);
    return greek ? greek : &no_greek;
}

/* ---- more trades ----------------------------------------------------------------------------- */

/* Rows [m][trade] of structs of `size` bytes, which are doubles. */
struct risk_rows {
    void *rows; /* the address of a pointer to them */
    int m;
    size_t size;
};

/* Replaces rows [m][n_trades] by rows [m][n], begun with NaN. */
static enum status spread(const struct risk_rows *all, int n_trades, int n, const int *row_of)
{
    const double nan = NAN;
    int m = all->m;
    size_t size = all->size, bytes = (size_t)m * (size_t)n * size;
    char *from, *to;
    memcpy(&from, all->rows, sizeof from);
    if (!from) return STATUS_OK;
    to = malloc(bytes + 1);
    if (!to) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < bytes; i += sizeof nan) memcpy(to + i, &nan, sizeof nan);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n_trades; i++)
            memcpy(to + ((size_t)k * (size_t)n + (size_t)row_of[i]) * size,
                   from + ((size_t)k * (size_t)n_trades + (size_t)i) * size, size);
    free(from);
    memcpy(all->rows, &to, sizeof to);
    return STATUS_OK;
}

/* Gives the trades their rows of Greeks; row_of increases, so that the table stays in order. */
static enum status spread_greeks(struct risk *risk, int n, const int *row_of)
{
    struct greek_table *table = &risk->greeks;
    if (!table->first) return STATUS_OK;
    size_t *first = malloc(((size_t)n + 1) * sizeof *first);
    if (!first) return STATUS_NO_MEMORY;
    for (int row = 0, i = 0; row <= n; row++) {
        first[row] = table->first[i];
        if (i < risk->n_trades && row_of[i] == row) i++;
    }
    free(table->first);
    table->first = first;
    return STATUS_OK;
}

enum status risk_spread(struct risk *risk, int n, const int *row_of)
{
    const struct risk_rows all[] = {
        {&risk->scenarios, risk->n_scenarios, sizeof *risk->scenarios},
        {&risk->days, risk->n_days, sizeof *risk->days},
        {&risk->values_at_risk, risk->n_confidences, sizeof *risk->values_at_risk}};
    MUST(spread_greeks(risk, n, row_of));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        MUST(spread(&all[i], risk->n_trades, n, row_of));
    for (int c = 0; risk->values_at_risk && c < risk->n_confidences; c++)
        for (int i = 0; i < n; i++)
            risk->values_at_risk[(size_t)c * (size_t)n + (size_t)i].confidence =
                risk->aggregates[0].values_at_risk[c].confidence;
    risk->n_trades = n;
    return STATUS_OK;
}

static void free_names(int n, char **names)
{
    for (int i = 0; names && i < n; i++) free(names[i]);
    free(names);
}

void risk_free(struct risk *risk)
{
    for (int i = 0; i < risk->n_sensitivities; i++) free(risk->sensitivities[i].name);
    for (int i = 0; i < risk->n_aggregates; i++) {
        free(risk->aggregates[i].by);
        free(risk->aggregates[i].name);
        free(risk->aggregates[i].contributions);
        free(risk->aggregates[i].scenarios);
        free(risk->aggregates[i].days);
        free(risk->aggregates[i].values_at_risk);
    }
    free_names(risk->n_scenarios, risk->scenario_names);
    free_names(risk->n_days, risk->day_names);
    free(risk->sensitivities);
    free(risk->greeks.first);
    free(risk->greeks.sensitivity);
    free(risk->greeks.values);
    free(risk->scenarios);
    free(risk->days);
    free(risk->values_at_risk);
    free(risk->aggregates);
    *risk = (struct risk){0};
}
