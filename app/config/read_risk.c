#include "app/config/read_risk.h"

#include <string.h>

#include "app/config/tables.h"
#include "app/config/values.h"
#include "app/pricing/base/risk.h"

/* ---- Greeks ---------------------------------------------------------------------------------- */

#define GREEK(NAME, name, ...) #name " "
const char greek_words[] =
#include "app/pricing/base/greeks.def"
    "quotes";
#undef GREEK

/* The Greeks of each number that the market is quoted by. */
static const unsigned greeks_of_quotes =
    1u << GREEK_DELTA | 1u << GREEK_VEGA_BUCKET | 1u << GREEK_VEGA_STRIKE | 1u << GREEK_RHO_BUCKET |
    1u << GREEK_YIELD_BUCKET | 1u << GREEK_CASH_DIVIDEND | 1u << GREEK_CORRELATION |
#define PARAMETER(NAME, ...) 1u << GREEK_##NAME |
#include "models/market/parameters.def"
#undef PARAMETER
    1u << GREEK_THETA;

static void read_greek(struct reader *reader, const config_setting_t *word,
                       struct risk_request *request)
{
    int greek = 0;
    if (read_choice(reader, word, greek_words, &greek))
        request->greeks |= greek < N_GREEKS ? 1u << greek : greeks_of_quotes;
}

void read_greeks(struct reader *reader, const config_setting_t *list, struct risk_request *request)
{
    char got[VALUE_ROOM];
    if (config_setting_type(list) == CONFIG_TYPE_STRING) {
        read_greek(reader, list, request);
        return;
    }
    if (!config_setting_is_list(list) && config_setting_type(list) != CONFIG_TYPE_ARRAY) {
        complain(reader, list, "greeks must be \"quotes\" or a list [\"delta\", ...], got %s",
                 show_value(list, got));
        return;
    }
    for (int i = 0; i < config_setting_length(list); i++)
        read_greek(reader, element_of(list, i), request);
}

/* ---- the group ------------------------------------------------------------------------------- */

enum { RISK_GREEKS, RISK_CURRENCY, RISK_PATHS, RISK_SCENARIOS, RISK_GRIDS, RISK_HISTORICAL };

static const struct key risk_keys[] = {
    [RISK_GREEKS] =
        KEY_DEFERRED("greeks", FORM_TEXTS, .words = greek_words,
                     .meaning = "which Greeks are computed; may stand in settings as well"),
    [RISK_CURRENCY] =
        KEY_FIELD("currency", CURRENCY, struct risk_request, currency,
                  .meaning = "of totals; the first of the market where none is given"),
    [RISK_PATHS] = KEY_FIELD(
        "paths", BIG, struct risk_request, paths, .range = {RANGE_FROM, 1, 0x1p40},
        .meaning =
            "paths of scenarios and of the past; a quarter of those of the prices where not given"),
    [RISK_SCENARIOS] = KEY_DEFERRED("scenarios", FORM_GROUPS, .table = &scenario_table,
                                    .meaning = "named moves of the market, each a list of shocks"),
    [RISK_GRIDS] = KEY_DEFERRED("grids", FORM_GROUPS, .table = &grid_table,
                                .meaning = "scenarios of spot by volatility"),
    [RISK_HISTORICAL] = KEY_DEFERRED("historical", FORM_GROUP, .table = &past_days_table,
                                     .meaning = "value at risk from the moves of past days"),
};
const struct key_table risk_table = KEY_TABLE("risk", risk_keys, .required = "");

/* Tells whether there are such markets. */
static void try_shocks(struct reader *reader, const config_setting_t *at,
                       const struct market *market, int n, const struct scenario_request *scenarios)
{
    for (int i = 0; i < n && !reader->status; i++) {
        struct shocked_market shocked = {0};
        struct message why;
        enum status status =
            shock_market(market, scenarios[i].n_shocks, scenarios[i].shocks, &shocked, &why);
        if (status == STATUS_NO_MEMORY) reader->status = status;
        else if (status) complain(reader, at, "scenario '%s': %s", scenarios[i].name, why.text);
        shocked_market_free(&shocked);
    }
}

void try_risk(struct reader *reader, const config_setting_t *at, const struct market *market,
              const struct risk_request *request)
{
    try_shocks(reader, at, market, request->n_scenarios, request->scenarios);
    try_shocks(reader, at, market, request->n_days, request->days);
}

void read_risk(struct reader *reader, const config_setting_t *group, const struct market *market,
               struct risk_request *request)
{
    struct found_keys found;
    int before = reader->n_stopping;
    struct names names = {0};
    read_group(reader, &risk_table, group, request, &found);
    if (found.at[RISK_GREEKS]) read_greeks(reader, found.at[RISK_GREEKS], request);
    if (found.at[RISK_SCENARIOS]) read_scenarios(reader, found.at[RISK_SCENARIOS], request, &names);
    if (found.at[RISK_GRIDS]) read_grids(reader, found.at[RISK_GRIDS], request, &names);
    if (found.at[RISK_HISTORICAL]) read_past(reader, found.at[RISK_HISTORICAL], request);
    names_free(&names);
    if (reader->n_stopping > before || before)
        return; /* of the market too: there may be none to move */
    try_risk(reader, group, market, request);
}
