#include "app/config/dates.h"

#include <string.h>

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days before 1 January of a year, counted from year 0 of the Gregorian calendar. */
static long days_before(int year)
{
    long past = year - 1;
    return 365L * year + past / 4 - past / 100 + past / 400;
}

static int two_digits(const char *text)
{
    return 10 * (text[0] - '0') + text[1] - '0';
}

bool date_read(const char *text, long *day)
{
    static const char shape[] = "dddd-dd-dd";
    if (strlen(text) != strlen(shape)) return false;
    for (int i = 0; shape[i]; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (shape[i] == 'd' ? !digit : text[i] != '-') return false;
    }
    int year = 100 * two_digits(text) + two_digits(text + 2), month = two_digits(text + 5);
    int of_month = two_digits(text + 8);
    if (year < 1900 || year > 2199 || month < 1 || month > 12) return false;
    if (of_month < 1 || of_month > days_in_month(year, month)) return false;
    long days = days_before(year) - days_before(1970) + of_month - 1;
    for (int m = 1; m < month; m++) days += days_in_month(year, m);
    *day = days;
    return true;
}

const char *date_weekend(long day)
{
    long weekday = (day % 7 + 7 + 4) % 7; /* 1 January 1970 was a Thursday; 0 is a Sunday */
    return weekday == 0 ? "Sunday" : weekday == 6 ? "Saturday" : NULL;
}

double date_years(long from, long to)
{
    return (double)(to - from) / 365.0;
}
