/* Days of the Gregorian calendar, counted from 1970-01-01, and the terms that desks count in. */
#ifndef PRICER_MODELS_MARKET_DAYS_H
#define PRICER_MODELS_MARKET_DAYS_H

#include <stdbool.h>

/* A day of the calendar as it is written. */
struct written_day {
    int year, month, day; /* months and days from 1 */
};

enum weekday { SUNDAY, MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY };

/* Returns how many days a month has. */
int days_in_month(int year, int month);

/* Returns the days from 1970-01-01 to a day of the calendar, and the day so many days after. */
long day_number(int year, int month, int day);
struct written_day day_written(long number);

enum weekday day_weekday(long number);

/* Returns the same day of another month, or the last of it where it is shorter. */
long day_add_months(long number, int months);

/* A length of time as desks write it: months, then days; or the IMM-th third Wednesday of March,
 * June, September or December. */
struct tenor {
    int months, days;
    int imm; /* 0: none */
};

/* Reads "6M", "18M", "2Y", "1W", "10D", "1Y6M", "ON" (a day), "IMM" (the next), "IMM2" (the one
 * after). False where it is none. */
bool tenor_read(const char *text, struct tenor *tenor);

/* Returns the day that a tenor leads to from `start`, without regard to holidays. */
long tenor_day(struct tenor tenor, long start);

/* Returns the place of a day among increasing days [n]; -1 where it is none of them. */
int day_place(int n, const long *days, long day);

/* How years are counted between two days (ISDA, 2006 Definitions, section 4.16): in the order of
 * day_count_words. */
enum day_count { ACT_365F, ACT_360, THIRTY_360, ACT_ACT };
extern const char day_count_words[];

/* Returns the years from one day to another, which is not before it. */
double day_count_years(enum day_count count, long from, long to);

#endif
