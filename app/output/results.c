#include "app/output/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/payoffs/payoff_definition.h"

double results_rate(const struct results *results, int trade)
{
    if (!results_currency(results, trade)[0]) return NAN;
    int from = trade_currency(results->market, &results->trades[trade]);
    return conversion_rate(results->market, from, results->currency);
}

void money_add(struct money_total *total, double rate, double value, double std_error)
{
    if (isnan(rate)) {
        total->left_out++;
        return;
    }
    total->n++;
    total->value += rate * value;
    total->error += rate * std_error;
}

struct money_total results_greek(const struct results *results, int sensitivity, int aggregate)
{
    size_t n = (size_t)results->sums->aggregation.n;
    return results->sums->greeks[(size_t)sensitivity * n + (size_t)aggregate];
}

const struct aggregate *results_aggregate(const struct results *results, int i)
{
    const struct risk *risk = results->risk;
    const struct aggregation *aggregation = &results->sums->aggregation;
    const struct aggregate_name *name = &aggregation->names[i];
    for (int a = 0; risk && a < risk->n_aggregates; a++) {
        int at = (i + a) % risk->n_aggregates; /* mostly the same place */
        if (!strcmp(risk->aggregates[at].name, name->name) &&
            !strcmp(risk->aggregates[at].by, aggregation->ways[name->way]))
            return &risk->aggregates[at];
    }
    return NULL;
}

bool results_is_over(const struct results *results, int index)
{
    const struct estimate *estimate = &results->estimates[index];
    return estimate->verdict == VERDICT_EXPIRED && estimate->price == 0.0 &&
           results->trades[index].expiry != 0.0;
}

void results_count(const struct results *results, int *counts)
{
    for (int v = 0; v < N_VERDICTS; v++) counts[v] = 0;
    for (int i = 0; i < results->n; i++) counts[results->estimates[i].verdict]++;
}

int results_shown(const struct results *results, enum column_trait place, int *columns)
{
    int places = (int)place;
    const char *first = "";           /* currency that any trade is paid in */
    bool filled[N_COLUMNS] = {false}; /* some trade has something to show there */
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    int n = 0;
    for (int i = 0; i < results->n; i++) {
        const char *currency = results_currency(results, i);
        if (!first[0]) first = currency;
        if (place == ON_TERMINAL && currency[0] && strcmp(first, currency)) places |= WHERE_MIXED;
        results_row(results, i, &names, fields);
        for (int c = 0; c < N_COLUMNS; c++)
            filled[c] = filled[c] || fields[c].text || isfinite(fields[c].number);
    }
    for (int c = 0; c < N_COLUMNS; c++) {
        int traits = result_columns[c].traits;
        if (traits & places && (filled[c] || !(traits & WHERE_ANY))) columns[n++] = c;
    }
    return n;
}

const char *const greek_numbers[GREEK_NUMBERS] = {"value",           "std_error", "reference",
                                                  "reference_error", "z",         "bump"};

int risk_columns(const struct risk *risk)
{
    return risk ? 2 * (risk->n_sensitivities + risk->n_scenarios) : 0;
}

void risk_column_name(const struct risk *risk, int column, char name[RISK_NAME_ROOM])
{
    int pair = column / 2, scenario = pair - risk->n_sensitivities;
    const char *se = column % 2 ? "_se" : "";
    if (scenario >= 0) {
        snprintf(name, RISK_NAME_ROOM, "pnl%s:%s", se, risk->scenario_names[scenario]);
        return;
    }
    const char *greek = risk->sensitivities[pair].name;
    int word = (int)strcspn(greek, ":");
    snprintf(name, RISK_NAME_ROOM, "%.*s%s%s", word, greek, se, greek + word);
}

double risk_column_value(const struct risk *risk, int column, int trade)
{
    int pair = column / 2, scenario = pair - risk->n_sensitivities;
    size_t n = (size_t)risk->n_trades, at = (size_t)trade;
    if (scenario >= 0) {
        const struct pnl *pnl = &risk->scenarios[(size_t)scenario * n + at];
        return column % 2 ? pnl->std_error : pnl->value;
    }
    const struct greek_value *greek = risk_greek(risk, pair, trade);
    return column % 2 ? greek->std_error : greek->value;
}
