/* The tables of the keys of a book, which lead to one another from that of its file on: what a
 * group or a list of groups may hold is named by the key that holds it. */
#ifndef PRICER_APP_CONFIG_TABLES_H
#define PRICER_APP_CONFIG_TABLES_H

#include "app/config/reader.h"

extern const struct key_table root_table, calendar_table, settings_table;
extern const struct key_table market_table, asset_table, pair_table;
extern const struct key_table rate_curve, yield_curve, basis_curve, forward_table, point_table;
extern const struct key_table volatility_table, surface_table, delta_table, dividend_table;
extern const struct key_table cross_table, heston_table, jump_table, history_table;
extern const struct key_table trade_table, date_rule_table;
extern const struct key_table risk_table, scenario_table, grid_table, past_days_table;

/* Makes the row of a list of times, or of a rule for dates. */
#define KEY_TIMES(text)                                                                            \
    KEY_DEFERRED("times", FORM_TIMES | FORM_GROUP, text, .table = &date_rule_table)

#endif
