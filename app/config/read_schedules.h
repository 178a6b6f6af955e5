/* Schedules: a number of dates, a list of times, or a rule { from; to; every; calendar; roll; stub
 * } whose periods have them at their ends. */
#ifndef PRICER_APP_CONFIG_READ_SCHEDULES_H
#define PRICER_APP_CONFIG_READ_SCHEDULES_H

#include "app/config/reader.h"

/* Reads a schedule up to `expiry`, in one of the forms named: "continuous", "count" (N equally
 * spaced dates), "times" (a list or a rule), "american" (continuous as well), "begins" (the dates
 * of a rule are those at which its periods begin). `passed` is how many dates of a rule are before
 * today: they are left out. */
bool read_schedule(struct reader *reader, const config_setting_t *at, const char *name,
                   const char *forms, double expiry, struct schedule *schedule, int *passed);

/* Reads a rule for dates after today as times, into an allocated array; NULL after a complaint. The
 * caller frees. */
double *read_rule_times(struct reader *reader, const config_setting_t *at, const char *name,
                        int *n);

/* The keys of a rule. */
extern const struct key_table date_rule_table;

#endif
