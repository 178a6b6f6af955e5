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

/* Of the weekdays: any. Of the years: the last that there may be. */
enum { ANY = SATURDAY + 1, LATEST = 9999 };

/* Days after Easter Sunday. */
enum {
    MAUNDY_THURSDAY = -3,
    GOOD_FRIDAY = -2,
    EASTER_MONDAY = 1,
    ASCENSION = 39,
    WHIT_MONDAY = 50
};

/* A day on which a calendar is closed: in the years from..to such a weekday of first..last of the
 * month or, with month 0, of the days after Easter; or days that are listed, "0101 0403". */
struct holiday_rule {
    int from, to, weekday, month, first, last;
    const char *listed; /* NULL for none */
};

/* clang-format off */
static const struct {
    const char *name;
    int first, last; /* years that it knows */
    bool of_japan;
    const struct holiday_rule *rules; /* [that end with years 0] */
} calendars[] = {
#define CALENDAR(name, first, last) {#name, first, last, false, (const struct holiday_rule[]) {
#define JAPAN(name, first, last) {#name, first, last, true, (const struct holiday_rule[]) {
#define END {0}}},
#define FOR(from, to, weekday, month, first, last) {from, to, weekday, month, first, last, NULL},
#define SINCE(year, ...) FOR(year, LATEST, __VA_ARGS__)
#define UNTIL(year, ...) FOR(0, year, __VA_ARGS__)
#define ON(...) FOR(0, LATEST, __VA_ARGS__)
#define DAY(month, day) ON(ANY, month, day, day)
#define MOVED(month, day) DAY(month, day) ON(MONDAY, month, day + 1, day + 1)
#define LATER(month, day) DAY(month, day) ON(MONDAY, month, day + 1, day + 2)
#define NEAREST(month, day) MOVED(month, day) ON(FRIDAY, month, day - 1, day - 1)
#define NTH(n, weekday, month) ON(weekday, month, 7 * n - 6, 7 * n)
#define EASTER(n) ON(ANY, 0, n, n)
#define CHRISTMAS_AND_BOXING_DAY \
    DAY(12, 25) DAY(12, 26) ON(MONDAY, 12, 27, 28) ON(TUESDAY, 12, 27, 28)
#define IN(year, days) {year, year, ANY, 0, 0, 0, days},
#include "models/market/holidays.def"
};
/* clang-format on */
_Static_assert(sizeof calendars / sizeof *calendars == HOLIDAY_RULES, "see holidays.h");

static bool has_rule(const struct holiday_rule *rules, const struct looked_at *at)
{
    const char written[] = {(char)('0' + at->month / 10), (char)('0' + at->month % 10),
                            (char)('0' + at->day / 10), (char)('0' + at->day % 10), '\0'};
    for (const struct holiday_rule *r = rules; r->to; r++) {
        int day = r->month ? at->day : at->after_easter;
        if (at->year < r->from || at->year > r->to) continue;
        if (r->listed ? strstr(r->listed, written) != NULL
                      : (!r->month || at->month == r->month) && day >= r->first && day <= r->last &&
                            (r->weekday == ANY || at->weekday == (enum weekday)r->weekday))
            return true;
    }
    return false;
}

/* ---- Japan ----------------------------------------------------------------------------------- */

/* Returns the day of an equinox in Japan: of March from `first` = 20.8431, of September from
 * 23.2488 (the Hydrographic Department's formula for 1980 to 2099, which the almanac of the
 * National Astronomical Observatory has borne out so far). */
static int equinox(int year, double first)
{
    return (int)(first + 0.242194 * (year - 1980)) - (year - 1980) / 4;
}

/* Tells whether a day has a holiday's name, and is none for the days beside it alone. */
static bool is_named(const struct holiday_rule *rules, long number)
{
    struct looked_at at = look_at(number);
    return has_rule(rules, &at) || (at.month == 3 && at.day == equinox(at.year, 20.8431)) ||
           (at.month == 9 && at.day == equinox(at.year, 23.2488));
}

/* Tells whether a named holiday of a Sunday is made up for on this day: the next one, from 2007 on
 * the next one that is no holiday. */
static bool is_substitute(const struct holiday_rule *rules, const struct looked_at *at)
{
    long before = at->number - 1;
    if (at->year < 2007) return at->weekday == MONDAY && is_named(rules, before);
    for (; is_named(rules, before); before--)
        if (day_weekday(before) == SUNDAY) return true;
    return false;
}

/* The Act on National Holidays, and 31 December to 3 January, on which banks and the exchange are
 * closed. A day between two holidays is one too (article 3, 3). */
static bool is_of_japan(const struct holiday_rule *rules, const struct looked_at *at)
{
    return (at->month == 12 && at->day == 31) || (at->month == 1 && at->day <= 3) ||
           is_named(rules, at->number) || is_substitute(rules, at) ||
           (is_named(rules, at->number - 1) && is_named(rules, at->number + 1));
}

const char *holiday_rule_name(int rule)
{
    return calendars[rule].name;
}

/* ---- days off and on ------------------------------------------------------------------------- */

struct holidays or_weekends(struct holidays holidays)
{
    if (!holidays.bits) holidays.bits = 1; /* the first of holidays.def */
    return holidays;
}

bool is_holiday(struct holidays holidays, long day)
{
    if (!holidays.bits) return false;
    struct looked_at at = look_at(day);
    if (at.weekday == SATURDAY || at.weekday == SUNDAY) return true;
    for (int i = 0; holidays.bits >> i; i++) {
        if (!(holidays.bits >> i & 1)) continue;
        const struct holiday_list *list =
            i < HOLIDAY_RULES ? NULL : &holidays.lists[i - HOLIDAY_RULES];
        if (list                    ? day_place(list->n, list->days, day) >= 0
            : calendars[i].of_japan ? is_of_japan(calendars[i].rules, &at)
                                    : has_rule(calendars[i].rules, &at))
            return true;
    }
    return false;
}

int holidays_unknown(struct holidays holidays, long day, int *first, int *last)
{
    int year = day_written(day).year;
    for (int i = 0; holidays.bits >> i; i++) {
        if (!(holidays.bits >> i & 1)) continue;
        const struct holiday_list *list =
            i < HOLIDAY_RULES ? NULL : &holidays.lists[i - HOLIDAY_RULES];
        if (list && !list->n) continue;
        *first = list ? day_written(list->days[0]).year : calendars[i].first;
        *last = list ? day_written(list->days[list->n - 1]).year : calendars[i].last;
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
