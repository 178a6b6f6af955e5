/* Schedules: a number of dates, a list of times, or a rule { from; to; every; calendar; roll; stub
 * } whose periods have them at their ends. */
#ifndef PRICER_APP_CONFIG_READ_SCHEDULES_H
#define PRICER_APP_CONFIG_READ_SCHEDULES_H

#include "app/config/reader.h"

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

/* Reads one date, before today or after it, and not after `expiry`. */
bool read_date_until(struct reader *reader, const config_setting_t *at, double expiry,
                     double *years);

/* Reads a rule for dates after today as times, into an allocated array; NULL after a complaint. The
 * caller frees. */
double *read_rule_times(struct reader *reader, const config_setting_t *at, int *n);

#endif
