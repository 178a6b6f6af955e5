/* Reading one value of a book. Each returns whether it was read, after a complaint where it was
 * not. */
#ifndef PRICER_APP_CONFIG_VALUES_H
#define PRICER_APP_CONFIG_VALUES_H

#include "app/config/reader.h"

/* Decimals above which a rate a year, or a volatility, is doubtful. */
#define DOUBTFUL_RATE 0.5
#define DOUBTFUL_VOLATILITY 2.0
#define DOUBTFUL_FRACTION 2.0
#define DOUBTFUL_FACTOR 10.0 /* of discount */

/* Notes the first of `n` values whose size is above `most`: a decimal that was perhaps meant as per
 * cent. `at` is the number, or the list of them. */
void note_per_cent(struct reader *reader, const config_setting_t *at, int n, const double *values,
                   double most);

/* Refuses a wrong type, or an integer that libconfig would have cut. `wanted` is "a number". False.
 */
bool refuse_type(struct reader *reader, const config_setting_t *at, const char *wanted);

bool read_number(struct reader *reader, const config_setting_t *at, struct value_range range,
                 double *value);
bool read_whole(struct reader *reader, const config_setting_t *at, struct value_range range,
                int64_t *value);
bool read_bool(struct reader *reader, const config_setting_t *at, bool *value);

/* Tells whether two times are TIMES_APART. */
bool times_are_distinct(double before, double after);

/* Reads years: a number, or an ISO date or a tenor counted from the valuation date; 0 or
 * TIMES_APART of today. */
bool read_time(struct reader *reader, const config_setting_t *at, struct value_range range,
               double *years);

/* Tells whether a setting, which may be NULL, is an ISO date, the same on every night, and which
 * day. */
bool states_date(const config_setting_t *at, long *day);

/* Days since 1970-01-01 of an ISO date, and of a date or tenor from the valuation date. */
bool read_date(struct reader *reader, const config_setting_t *at, long *day);
bool read_day_or_tenor(struct reader *reader, const config_setting_t *at, long *day);

/* Reads one of `words`, which are separated by blanks, as its index. */
bool read_choice(struct reader *reader, const config_setting_t *at, const char *words, int *value);

/* Returns the text that belongs to the setting; NULL after a complaint. A name has 1 to 64
 * printable characters. */
const char *read_text(struct reader *reader, const config_setting_t *at);
const char *read_name(struct reader *reader, const config_setting_t *at);

/* Reads the name of an asset, or of a currency, as its index, -1 after a complaint. */
int read_reference(struct reader *reader, const config_setting_t *at, bool currency);

/* Returns what asset i of the market, or currency i, is called; NULL where it has no name. */
const char *market_name(const struct reader *reader, bool currency, int i);

/* Indices of 1 to `most` different assets in a list of their names, allocated; NULL after a
 * complaint (or without memory). The caller frees. */
int *read_asset_list(struct reader *reader, const config_setting_t *at, int most, int *n);

/* Reads a list of numbers or of times, at least one, into an allocated array; NULL after a
 * complaint (or without memory). Times must increase, and so must rising numbers; they may be a
 * rule for dates. The caller frees. */
double *read_numbers(struct reader *reader, const config_setting_t *at, struct value_range range,
                     int *n);
double *read_rising(struct reader *reader, const config_setting_t *at, struct value_range range,
                    int *n);
double *read_times(struct reader *reader, const config_setting_t *at, struct value_range range,
                   int *n);

/* Returns a fraction in percent, within the range of a double. */
double in_percent(double value);

#endif
