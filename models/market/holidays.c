#include "models/market/holidays.h"

#include <stddef.h>
#include <string.h>

/* A day as the rules look at it. */
struct looked_at {
    long number;
    int year, month, day;
    enum weekday weekday;
    int after_easter; /* days since Easter Sunday of its year; below 0 before it */
};

/* Returns Easter Sunday of the Gregorian calendar (J. Meeus, Astronomical Algorithms, 2nd ed. 1998,
 * chapter 8). */
static long easter(int year)
{
    int a = year % 19, b = year / 100, c = year % 100, g = (b - (b + 8) / 25 + 1) / 3;
    int h = (19 * a + b - b / 4 - g + 15) % 30;
    int l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    int n = h + l - 7 * ((a + 11 * h + 22 * l) / 451) + 114;
    return day_number(year, n / 31, n % 31 + 1);
}

static struct looked_at look_at(long number)
{
    struct written_day w = day_written(number);
    return (struct looked_at){
        number, w.year, w.month, w.day, day_weekday(number), (int)(number - easter(w.year))};
}

static bool on(const struct looked_at *at, int month, int day)
{
    return at->month == month && at->day == day;
}

/* Tells whether it is the n-th such weekday of the month, or with n = 0 the last. */
static bool is_nth(const struct looked_at *at, int month, int n, enum weekday weekday)
{
    if (at->month != month || at->weekday != weekday) return false;
    return n ? (at->day + 6) / 7 == n : at->day + 7 > days_in_month(at->year, month);
}

/* Tells whether it is a fixed day, or the Friday before where that is a Saturday, or the Monday
 * after where it is a Sunday. The day after and before are in its month. */
static bool is_nearest(const struct looked_at *at, int month, int day)
{
    return on(at, month, day) || (at->weekday == FRIDAY && on(at, month, day - 1)) ||
           (at->weekday == MONDAY && on(at, month, day + 1));
}

/* Days that a calendar has once. */
struct single_day {
    int year, month, day;
};

static bool is_one_of(const struct looked_at *at, const struct single_day *days)
{
    for (; days->year; days++)
        if (days->year == at->year && on(at, days->month, days->day)) return true;
    return false;
}

enum { GOOD_FRIDAY = -2, EASTER_MONDAY = 1, ASCENSION = 39, WHIT_MONDAY = 50 };

static bool is_good_friday_or_easter_monday(const struct looked_at *at)
{
    return at->after_easter == GOOD_FRIDAY || at->after_easter == EASTER_MONDAY;
}

/* ---- the calendars --------------------------------------------------------------------------- */

static bool is_no_holiday(const struct looked_at *at)
{
    (void)at;
    return false;
}

/* European Central Bank, long-term calendar of TARGET closing days, 14 December 2000. */
static bool is_of_target(const struct looked_at *at)
{
    static const struct single_day once[] = {{2001, 12, 31}, {0}};
    return on(at, 1, 1) || is_good_friday_or_easter_monday(at) || on(at, 5, 1) || on(at, 12, 25) ||
           on(at, 12, 26) || is_one_of(at, once);
}

/* New York Stock Exchange, rule 7.2: New Year's Day of a Saturday is not made up for. Days of
 * mourning, of the attacks of 2001 and of the storm of 2012 are those on which it was closed. */
static bool is_of_nyse(const struct looked_at *at)
{
    static const struct single_day once[] = {{2001, 9, 11},
                                             {2001, 9, 12},
                                             {2001, 9, 13},
                                             {2001, 9, 14},
                                             {2004, 6, 11},
                                             {2007, 1, 2},
                                             {2012, 10, 29},
                                             {2012, 10, 30},
                                             {2018, 12, 5},
                                             {2025, 1, 9},
                                             {0}};
    return on(at, 1, 1) || (at->weekday == MONDAY && on(at, 1, 2)) || is_nth(at, 1, 3, MONDAY) ||
           is_nth(at, 2, 3, MONDAY) || at->after_easter == GOOD_FRIDAY ||
           is_nth(at, 5, 0, MONDAY) || (at->year >= 2022 && is_nearest(at, 6, 19)) ||
           is_nearest(at, 7, 4) || is_nth(at, 9, 1, MONDAY) || is_nth(at, 11, 4, THURSDAY) ||
           is_nearest(at, 12, 25) || is_one_of(at, once);
}

/* Tells whether it is the holiday of early May or that of late May, which jubilees have moved. */
static bool is_bank_holiday_of_may(const struct looked_at *at)
{
    int y = at->year;
    if (y == 2020 ? on(at, 5, 8) : is_nth(at, 5, 1, MONDAY)) return true;
    if (y == 2002 || y == 2012) return on(at, 6, 4);
    return y == 2022 ? on(at, 6, 2) : is_nth(at, 5, 0, MONDAY);
}

/* Bank holidays of England and Wales: Banking and Financial Dealings Act 1971 and the royal
 * proclamations under it, as gov.uk/bank-holidays lists them. */
static bool is_of_london(const struct looked_at *at)
{
    static const struct single_day once[] = {
        {2002, 6, 3}, {2011, 4, 29}, {2012, 6, 5}, {2022, 6, 3}, {2022, 9, 19}, {2023, 5, 8}, {0}};
    bool monday = at->weekday == MONDAY, tuesday = at->weekday == TUESDAY;
    return on(at, 1, 1) || (monday && (on(at, 1, 2) || on(at, 1, 3))) ||
           is_good_friday_or_easter_monday(at) || is_bank_holiday_of_may(at) ||
           is_nth(at, 8, 0, MONDAY) || on(at, 12, 25) || on(at, 12, 26) ||
           ((monday || tuesday) && (on(at, 12, 27) || on(at, 12, 28))) || is_one_of(at, once);
}

/* Bank holidays of Zurich: those of the Swiss interbank clearing, 1 May and 2 January. */
static bool is_of_zurich(const struct looked_at *at)
{
    return on(at, 1, 1) || on(at, 1, 2) || is_good_friday_or_easter_monday(at) ||
           at->after_easter == ASCENSION || at->after_easter == WHIT_MONDAY || on(at, 5, 1) ||
           on(at, 8, 1) || on(at, 12, 25) || on(at, 12, 26);
}

/* Returns the day of an equinox in Japan: of March from `first` = 20.8431, of September from
 * 23.2488 (the Hydrographic Department's formula for 1980 to 2099, which the almanac of the
 * National Astronomical Observatory has borne out so far). */
static int equinox(int year, double first)
{
    return (int)(first + 0.242194 * (year - 1980)) - (year - 1980) / 4;
}

/* Tells whether it is a holiday of Japan's Act on National Holidays (1948, as amended to 2018) by
 * name, and not for the days beside it. */
static bool is_named_in_japan(long number)
{
    static const struct single_day once[] = {{2019, 4, 30},
                                             {2019, 5, 1},
                                             {2019, 5, 2},
                                             {2019, 10, 22},
                                             {2020, 7, 23},
                                             {2020, 7, 24},
                                             {2020, 8, 10},
                                             {2021, 7, 22},
                                             {2021, 7, 23},
                                             {2021, 8, 8},
                                             {0}};
    struct looked_at at = look_at(number);
    int y = at.year;
    bool games = y == 2020 || y == 2021; /* which moved three holidays */
    switch (at.month) {
    case 1: return at.day == 1 || is_nth(&at, 1, 2, MONDAY);
    case 2: return at.day == 11 || (at.day == 23 && y >= 2020);
    case 3: return at.day == equinox(y, 20.8431);
    case 4: return at.day == 29 || is_one_of(&at, once);
    case 5: return at.day == 3 || (at.day == 4 && y >= 2007) || at.day == 5 || is_one_of(&at, once);
    case 7:
        if (games) return is_one_of(&at, once);
        return y >= 2003 ? is_nth(&at, 7, 3, MONDAY) : at.day == 20;
    case 8: return games ? is_one_of(&at, once) : at.day == 11 && y >= 2016;
    case 9:
        return at.day == equinox(y, 23.2488) ||
               (y >= 2003 ? is_nth(&at, 9, 3, MONDAY) : at.day == 15);
    case 10: return (!games && is_nth(&at, 10, 2, MONDAY)) || is_one_of(&at, once);
    case 11: return at.day == 3 || at.day == 23;
    case 12: return at.day == 23 && y <= 2018;
    default: return false;
    }
}

/* Tells whether a named holiday of a Sunday is made up for on this day: the next one, from 2007 on
 * the next one that is no holiday. */
static bool is_substitute(const struct looked_at *at)
{
    long before = at->number - 1;
    if (at->year < 2007) return at->weekday == MONDAY && is_named_in_japan(before);
    for (; is_named_in_japan(before); before--)
        if (day_weekday(before) == SUNDAY) return true;
    return false;
}

/* The Act on National Holidays, and 31 December to 3 January, on which banks and the exchange are
 * closed. A day between two holidays is one too (article 3, 3). */
static bool is_of_tokyo(const struct looked_at *at)
{
    return on(at, 12, 31) || (at->month == 1 && at->day <= 3) || is_named_in_japan(at->number) ||
           is_substitute(at) ||
           (is_named_in_japan(at->number - 1) && is_named_in_japan(at->number + 1));
}

/* Holidays of Sweden (lag 1989:253 om allmanna helgdagar: the national day has been one since 2005,
 * in place of Whit Monday) and the eves on which the exchange is closed. */
static bool is_of_stockholm(const struct looked_at *at)
{
    bool midsummer = at->month == 6 && at->weekday == FRIDAY && at->day >= 19 && at->day <= 25;
    return on(at, 1, 1) || on(at, 1, 6) || is_good_friday_or_easter_monday(at) || on(at, 5, 1) ||
           at->after_easter == ASCENSION || midsummer ||
           (at->year < 2005 ? at->after_easter == WHIT_MONDAY : on(at, 6, 6)) ||
           (at->month == 12 && (at->day == 31 || (at->day >= 24 && at->day <= 26)));
}

static const struct {
    const char *name;
    bool (*is_holiday)(const struct looked_at *at);
} rules[] = {
    {"weekends", is_no_holiday},    {"TARGET", is_of_target}, {"NYSE", is_of_nyse},
    {"London", is_of_london},       {"Zurich", is_of_zurich}, {"Tokyo", is_of_tokyo},
    {"Stockholm", is_of_stockholm},
};
enum { BY_RULE = sizeof rules / sizeof *rules }; /* the others are by year, in holidays.def */

/* clang-format off */
static const struct {
    const char *name;
    int first, last;         /* years */
    const char *const *days; /* [last - first + 1] "0101 0403" */
} by_year[] = {
#define CALENDAR(name, first, last) {#name, first, last, (const char *const[]) {
#define YEAR(days) days,
#define END }},
#include "models/market/holidays.def"
};
/* clang-format on */
_Static_assert(BY_RULE + sizeof by_year / sizeof *by_year == HOLIDAY_RULES, "see holidays.h");

/* Tells whether the i-th calendar by year has the day. */
static bool is_by_year(int i, const struct looked_at *at)
{
    if (at->year < by_year[i].first || at->year > by_year[i].last) return false;
    const char written[] = {(char)('0' + at->month / 10), (char)('0' + at->month % 10),
                            (char)('0' + at->day / 10), (char)('0' + at->day % 10), '\0'};
    return strstr(by_year[i].days[at->year - by_year[i].first], written) != NULL;
}

const char *holiday_rule_name(int rule)
{
    return rule < BY_RULE ? rules[rule].name : by_year[rule - BY_RULE].name;
}

/* ---- days off and on ------------------------------------------------------------------------- */

bool is_holiday(struct holidays holidays, long day)
{
    if (!holidays.of) return false;
    struct looked_at at = look_at(day);
    if (at.weekday == SATURDAY || at.weekday == SUNDAY) return true;
    for (int i = 0; holidays.of >> i; i++) {
        if (!(holidays.of >> i & 1)) continue;
        const struct holiday_list *list =
            i < HOLIDAY_RULES ? NULL : &holidays.lists[i - HOLIDAY_RULES];
        if (list          ? day_place(list->n, list->days, day) >= 0
            : i < BY_RULE ? rules[i].is_holiday(&at)
                          : is_by_year(i - BY_RULE, &at))
            return true;
    }
    return false;
}

int holidays_unknown(struct holidays holidays, long day, int *first, int *last)
{
    int year = day_written(day).year;
    for (int i = 0; holidays.of >> i; i++) {
        if (!(holidays.of >> i & 1) || i < BY_RULE) continue;
        const struct holiday_list *list =
            i < HOLIDAY_RULES ? NULL : &holidays.lists[i - HOLIDAY_RULES];
        if (list && !list->n) continue;
        *first = list ? day_written(list->days[0]).year : by_year[i - BY_RULE].first;
        *last = list ? day_written(list->days[list->n - 1]).year : by_year[i - BY_RULE].last;
        if (year < *first || year > *last) return i;
    }
    return -1;
}

/* Returns the first day from `day` on that is no holiday, one way or the other. A list may hold
 * every day: past a year it gives up. */
static long first_open(struct holidays holidays, long day, int way)
{
    long end = day + 366 * way;
    while (day != end && is_holiday(holidays, day)) day += way;
    return day;
}

const char day_roll_words[] = "none following modified_following preceding modified_preceding";

long roll_day(struct holidays holidays, enum day_roll roll, long day)
{
    bool modified = roll == ROLL_MODIFIED_FOLLOWING || roll == ROLL_MODIFIED_PRECEDING;
    int way = roll == ROLL_FOLLOWING || roll == ROLL_MODIFIED_FOLLOWING ? 1 : -1;
    if (roll == ROLL_NONE) return day;
    long open = first_open(holidays, day, way);
    if (modified && day_written(open).month != day_written(day).month)
        open = first_open(holidays, day, -way);
    return open;
}

long add_business_days(struct holidays holidays, long day, int n)
{
    for (int i = 0; i < n; i++) day = first_open(holidays, day + 1, 1);
    for (int i = 0; i > n; i--) day = first_open(holidays, day - 1, -1);
    return day;
}

long tenor_business_day(struct holidays holidays, struct tenor tenor, long start)
{
    return roll_day(holidays, tenor.months ? ROLL_MODIFIED_FOLLOWING : ROLL_FOLLOWING,
                    tenor_day(tenor, start));
}

/* Returns the last business day of a day's month. */
static long last_of_month(struct holidays holidays, long day)
{
    struct written_day at = day_written(day);
    long last = day_number(at.year, at.month, days_in_month(at.year, at.month));
    return roll_day(holidays, ROLL_PRECEDING, last);
}

long exchange_expiry(struct holidays holidays, int spot_days, struct tenor tenor, long today)
{
    if (tenor.imm || (!tenor.months && tenor.days < 7))
        return tenor_business_day(holidays, tenor, today);
    long spot = add_business_days(holidays, today, spot_days);
    bool from_end = tenor.months && !tenor.days && spot == last_of_month(holidays, spot);
    long delivery = from_end ? last_of_month(holidays, tenor_day(tenor, spot))
                             : tenor_business_day(holidays, tenor, spot);
    return add_business_days(holidays, delivery, -spot_days);
}
