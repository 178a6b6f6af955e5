/* Reading one value of a book. Each returns whether it was read, after a complaint where it was not
 * and was given: lists, texts and dates may be NULL. */
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

/* Notes a variance a year that is perhaps a volatility, or in per cent. */
void note_variance(struct reader *reader, const config_setting_t *at, const char *name,
                   double variance);

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

/* Shows a time as a setting states it: a date or a tenor, the date of a rule, else its years. `at`
 * is NULL where nothing states it. */
const char *show_time(const struct reader *reader, const config_setting_t *at, double years,
                      char text[VALUE_ROOM]);

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

/* ---- schedules: a number of dates, a list of times, or a rule { from; to; every; calendar; roll;
 * stub } whose periods have them at their ends ---- */

void schedule_days_free(struct schedule_days *days);

/* Reads a schedule up to `expiry`, in one of the forms that are the key's words: "continuous",
 * "count" (N equally spaced dates), "times" (a list or a rule), "american" (continuous as well),
 * "begins" (the dates of a rule are those at which its periods begin). `days` begins as {0};
 * schedule_days_free frees it, whatever is returned. */
bool read_schedule(struct reader *reader, const config_setting_t *at, const struct key *key,
                   double expiry, struct schedule *schedule, struct schedule_days *days);

/* Reads a list or a rule of dates, those before today among them, into an allocated array of years
 * from today, increasing and none after `expiry`; a list may be empty. NULL after a complaint. The
 * caller frees. */
double *read_dates(struct reader *reader, const config_setting_t *at, double expiry, int *n);

/* Tells whether a time from today is a whole number of days, and which day it then is. */
bool is_whole_day(const struct reader *reader, double years, long *day);

/* Reads one date, before today or after it, and not after `expiry`. */
bool read_date_until(struct reader *reader, const config_setting_t *at, double expiry,
                     double *years);

/* Reads a rule for dates after today as times, into an allocated array; NULL after a complaint. The
 * caller frees. */
double *read_rule_times(struct reader *reader, const config_setting_t *at, int *n);

/* ---- calendars: those by rule, and those that the book lists itself ---- */

/* Reads the list ( { name; file; }, ... ) into the reader. Complaints go to the reader;
 * calendars_free frees what was read in any case. */
void read_calendars(struct reader *reader, const config_setting_t *list);
void calendars_free(struct reader *reader);

/* Returns what calendar i is called: the rules come first; NULL past the last. */
const char *calendar_name(const struct reader *reader, int i);

/* Reads "TARGET+NYSE": a day that is a holiday of one is a holiday. False after a complaint. */
bool read_calendar(struct reader *reader, const config_setting_t *at, struct holidays *holidays);

/* Notes a day of a year that a calendar knows nothing of, and what it is the day of: once for each
 * trade and calendar. */
void note_unknown_year(struct reader *reader, const config_setting_t *at, const char *what,
                       struct holidays holidays, long day);

#endif
