#include "models/market/days.h"

#include <string.h>

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Counts the days before 1 January of a year from year 0 of the Gregorian calendar. */
static long days_before(int year)
{
    long past = year - 1;
    return 365L * year + past / 4 - past / 100 + past / 400;
}

long day_number(int year, int month, int day)
{
    long days = days_before(year) - days_before(1970) + day - 1;
    for (int m = 1; m < month; m++) days += days_in_month(year, m);
    return days;
}

struct written_day day_written(long number)
{
    int year = 1970 + (int)(number / 365); /* not before its year, for what follows 1970 */
    while (day_number(year, 1, 1) > number) year--;
    while (day_number(year + 1, 1, 1) <= number) year++;
    struct written_day written = {year, 1, (int)(number - day_number(year, 1, 1)) + 1};
    while (written.day > days_in_month(year, written.month))
        written.day -= days_in_month(year, written.month++);
    return written;
}

enum weekday day_weekday(long number)
{
    return (enum weekday)((number % 7 + 7 + THURSDAY) % 7); /* 1 January 1970 was a Thursday */
}

long day_add_months(long number, int months)
{
    struct written_day from = day_written(number);
    int month = 12 * from.year + from.month - 1 + months, year = month / 12;
    month = month % 12 + 1;
    int last = days_in_month(year, month);
    return day_number(year, month, from.day < last ? from.day : last);
}

/* ---- tenors ---------------------------------------------------------------------------------- */

/* Reads a whole number of 1 to `most` without a leading zero; returns what follows it, NULL where
 * there is none. */
static const char *read_count(const char *text, int most, int *count)
{
    *count = 0;
    if (*text == '0') return NULL;
    for (; *text >= '0' && *text <= '9' && *count <= most; text++)
        *count = 10 * *count + *text - '0';
    return *count >= 1 && *count <= most ? text : NULL;
}

bool tenor_read(const char *text, struct tenor *tenor)
{
    static const char units[] = "YMWD"; /* in the order in which they may follow one another */
    static const struct tenor unit_tenors[] = {
        {.months = 12}, {.months = 1}, {.days = 7}, {.days = 1}};
    static const int most[] = {200, 2400, 9999, 9999}; /* so that years stay above 0 */
    const char *rest = text, *unit = units;
    int count;
    *tenor = (struct tenor){0};
    if (!strcmp(text, "ON")) {
        tenor->days = 1;
        return true;
    }
    if (!strncmp(text, "IMM", 3)) {
        tenor->imm = 1;
        return !text[3] || ((rest = read_count(text + 3, 400, &tenor->imm)) && !*rest);
    }
    for (; *rest; rest++, unit++) {
        rest = read_count(rest, 9999, &count);
        unit = rest && *rest ? strchr(unit, *rest) : NULL;
        if (!unit || !*unit || count > most[unit - units]) return false;
        tenor->months += count * unit_tenors[unit - units].months;
        tenor->days += count * unit_tenors[unit - units].days;
    }
    return rest != text;
}

/* Returns the third Wednesday of a month. */
static long third_wednesday(int year, int month)
{
    long first = day_number(year, month, 1);
    return first + (WEDNESDAY - (int)day_weekday(first) + 7) % 7 + 14;
}

long tenor_day(struct tenor tenor, long start)
{
    if (!tenor.imm) return day_add_months(start, tenor.months) + tenor.days;
    struct written_day from = day_written(start);
    int quarter = 4 * from.year + (from.month - 1) / 3; /* its last month has the next, or had it */
    if (third_wednesday(quarter / 4, quarter % 4 * 3 + 3) <= start) quarter++;
    quarter += tenor.imm - 1;
    return third_wednesday(quarter / 4, quarter % 4 * 3 + 3);
}

/* ---- day counts ------------------------------------------------------------------------------ */

const char day_count_words[] = "ACT/365F ACT/360 30/360 ACT/ACT";

/* Counts each month as 30 days, a 31st as the 30th: of the second day only where the first is at
 * the end of its 30 days too. */
static double years_of_thirty(struct written_day from, struct written_day to)
{
    int first = from.day < 30 ? from.day : 30, last = first == 30 && to.day == 31 ? 30 : to.day;
    return (360 * (to.year - from.year) + 30 * (to.month - from.month) + last - first) / 360.0;
}

/* Counts the days in leap years as parts of 366, the others as parts of 365. */
static double years_of_their_own(int from_year, long from, int to_year, long to)
{
    long in_leap_years = 0;
    for (int year = from_year; year <= to_year; year++) {
        long begin = day_number(year, 1, 1), end = day_number(year + 1, 1, 1);
        if (is_leap(year)) in_leap_years += (end < to ? end : to) - (begin > from ? begin : from);
    }
    return (double)(to - from - in_leap_years) / 365.0 + (double)in_leap_years / 366.0;
}

double day_count_years(enum day_count count, long from, long to)
{
    struct written_day first = day_written(from), last = day_written(to);
    switch (count) {
    case ACT_365F: return (double)(to - from) / 365.0;
    case ACT_360: return (double)(to - from) / 360.0;
    case THIRTY_360: return years_of_thirty(first, last);
    case ACT_ACT: return years_of_their_own(first.year, from, last.year, to);
    }
    return 0.0;
}

int day_place(int n, const long *days, long day)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (days[middle] < day) low = middle + 1;
        else high = middle;
    }
    return low < n && days[low] == day ? low : -1;
}
