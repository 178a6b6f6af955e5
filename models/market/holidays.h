/* The days on which markets are closed, by rule or by list, and moving dates off them.
 *
 * The rules hold from 2000 to 2050, as far as holidays have been announced. They name the source
 * that they follow in holidays.c. */
#ifndef PRICER_MODELS_MARKET_HOLIDAYS_H
#define PRICER_MODELS_MARKET_HOLIDAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/market/days.h"

/* Calendars by rule, in the order of their rows in holidays.c. */
enum { HOLIDAY_RULES = 7, HOLIDAY_LISTS_MAX = 32 };

/* Returns the name of a rule as books write it: "TARGET". */
const char *holiday_rule_name(int rule);

/* A calendar of days that are listed, beside weekends. */
struct holiday_list {
    char *name;
    int n;
    long *days; /* [n] increasing */
};

/* Calendars taken together: a holiday of one is a holiday of all. */
struct holidays {
    uint64_t of;                      /* bit i: rule i; bit HOLIDAY_RULES + i: list i; 0: none */
    const struct holiday_list *lists; /* not owned */
};

/* Tells whether a day is a holiday or, where there is any calendar, of a weekend. */
bool is_holiday(struct holidays holidays, long day);

/* Where a date on a holiday goes: a modified one stays in its month. In the order of
 * day_roll_words. */
enum day_roll {
    ROLL_NONE,
    ROLL_FOLLOWING,
    ROLL_MODIFIED_FOLLOWING,
    ROLL_PRECEDING,
    ROLL_MODIFIED_PRECEDING
};
extern const char day_roll_words[];

long roll_day(struct holidays holidays, enum day_roll roll, long day);

/* Returns the n-th day after a day that is no holiday. */
long add_business_days(struct holidays holidays, long day, int n);

#endif
