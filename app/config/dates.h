/* ISO dates and tenors as days, and as years on the ACT/365F count. */
#ifndef PRICER_APP_CONFIG_DATES_H
#define PRICER_APP_CONFIG_DATES_H

#include <stdbool.h>

#include "models/market/holidays.h"

/* Reads "2027-06-18", years 1900 to 2199, into days since 1970-01-01. False where it is no such
 * date. */
bool date_read(const char *text, long *day);

/* Reads the same, or a tenor counted from `start`: "6M", "2Y", "IMM". It leads to a business day
 * where there are holidays; with `spot_days` above 0 it is that of an exchange rate. */
bool date_or_tenor_read(const char *text, long start, struct holidays holidays, int spot_days,
                        long *day);

enum { DATE_ROOM = 24 };

/* Writes a day as "2027-06-18". Returns `text`. */
const char *date_write(long day, char text[DATE_ROOM]);

/* Returns "Saturday" or "Sunday", NULL on any other day. */
const char *date_weekend(long day);

/* Returns the years, ACT/365F, from one day to another. */
double date_years(long from, long to);

#endif
