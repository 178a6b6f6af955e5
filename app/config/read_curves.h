/* Rates, yields and volatilities of a market, flat or by term. */
#ifndef PRICER_APP_CONFIG_READ_CURVES_H
#define PRICER_APP_CONFIG_READ_CURVES_H

#include "app/config/reader.h"

/* The tables of the groups { times; zero_rates } and { times; yields }. */
extern const struct key_table rate_curve, yield_curve;

/* Makes a term structure from the curve of `table` where `at` is given, else flat at `rate`.
 * Complaints go to the reader; after one, `term` may be empty. The caller frees it with term_free
 * in any case. */
void read_rates(struct reader *reader, const config_setting_t *at, const struct key_table *table,
                double rate, struct term_structure *term);

/* Makes total variance from a number or from a group { times; vols }. As above. */
void read_volatility(struct reader *reader, const config_setting_t *at,
                     struct term_structure *variance);

#endif
