#include "app/output/risk_columns.h"

#include <stdio.h>
#include <string.h>

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
    const struct greek_value *greek = &risk->greeks[(size_t)pair * n + at];
    return column % 2 ? greek->std_error : greek->value;
}
