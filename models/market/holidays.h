/* The days on which markets are closed, by the rules of holidays.def or by list, and moving dates
 * off them. */
#ifndef PRICER_MODELS_MARKET_HOLIDAYS_H
#define PRICER_MODELS_MARKET_HOLIDAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/market/days.h"

/* Calendars of the program, in the order of holidays.def. */
enum { HOLIDAY_RULES = 19, HOLIDAY_LISTS_MAX = 32 };

/* Returns the name of a rule as books write it: "TARGET". */
const char *holiday_rule_name(int rule);

/* A calendar of days that are listed, and weekends. */
struct holiday_list {
    char *name;
    int n;
    long *days; /* [n] increasing */
};

/* Calendars taken together: a holiday of one is a holiday of all. */
struct holidays {
    uint64_t bits;                    /* bit i: rule i; bit HOLIDAY_RULES + i: list i; 0: none */
    const struct holiday_list *lists; /* not owned */
};

/* Returns the calendars or, where there are none, that of weekends. */
struct holidays or_weekends(struct holidays holidays);

/* Tells whether a day is a holiday or, where there is any calendar, of a weekend. */
bool is_holiday(struct holidays holidays, long day);

/* Returns the first of the calendars that knows nothing of the year of a day, and the years that it
 * knows; -1 where all do. Listed calendars know the years from their first day to their last. */
int holidays_unknown(struct holidays holidays, long day, int *first, int *last);

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

/* Returns the n-th day after a day, or before it with n < 0, that is no holiday. */
long add_business_days(struct holidays holidays, long day, int n);

/* Returns the day that a tenor leads to, moved off holidays: after months within their month, after
 * days and weeks onwards. */
long tenor_business_day(struct holidays holidays, struct tenor tenor, long start);

/* Returns the expiry of an option on an exchange rate whose money comes `spot_days` business days
 * later (I. J. Clark, Foreign Exchange Option Pricing, Wiley 2011, section 1.6): weeks and months
 * count from the spot day to the delivery, from the last business day of a month to that of
 * another, and the expiry is as many business days before the delivery. */
long exchange_expiry(struct holidays holidays, int spot_days, struct tenor tenor, long today);

#endif
