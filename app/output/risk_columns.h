/* The columns that Greeks and scenarios add to the row of a trade: a value and its standard error
 * each. */
#ifndef PRICER_APP_OUTPUT_RISK_COLUMNS_H
#define PRICER_APP_OUTPUT_RISK_COLUMNS_H

#include "app/pricing/risk.h"

enum { RISK_NAME_ROOM = 640 }; /* two names and words between them */

/* Returns how many columns there are; 0 for NULL. */
int risk_columns(const struct risk *risk);

/* Writes the name of one: "delta:SX5E", "delta_se:SX5E", ..., then "pnl:crash", "pnl_se:crash",
 * ... */
void risk_column_name(const struct risk *risk, int column, char name[RISK_NAME_ROOM]);

/* Returns the number of a trade in it; NaN where there is none. */
double risk_column_value(const struct risk *risk, int column, int trade);

#endif
