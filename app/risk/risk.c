#include "app/risk/risk.h"

#include <stdlib.h>

const char *greek_name(enum greek greek)
{
    static const char *const names[N_GREEKS] = {"delta", "gamma", "vega",        "vega_bucket",
                                                "rho",   "theta", "cross_gamma", "correlation"};
    return names[greek];
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
        free(risk->aggregates[i].name);
        free(risk->aggregates[i].scenarios);
        free(risk->aggregates[i].days);
        free(risk->aggregates[i].tails);
    }
    free_names(risk->n_scenarios, risk->scenario_names);
    free_names(risk->n_days, risk->day_names);
    free(risk->sensitivities);
    free(risk->greeks);
    free(risk->scenarios);
    free(risk->days);
    free(risk->tails);
    free(risk->aggregates);
    *risk = (struct risk){0};
}
