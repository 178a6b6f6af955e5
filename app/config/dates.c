#include "app/config/dates.h"

#include <stdio.h>
#include <string.h>

#include "models/market/days.h"

bool date_read(const char *text, long *day)
{
    static const char shape[] = "dddd-dd-dd";
    int year, month, day_of_month;
    if (strlen(text) != strlen(shape)) return false;
    for (int i = 0; shape[i]; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (shape[i] == 'd' ? !digit : text[i] != '-') return false;
    }
    sscanf(text, "%d-%d-%d", &year, &month, &day_of_month);
    if (year < 1900 || year > 2199 || month < 1 || month > 12) return false;
    if (day_of_month < 1 || day_of_month > days_in_month(year, month)) return false;
    *day = day_number(year, month, day_of_month);
    return true;
}

bool date_or_tenor_read(const char *text, long start, struct holidays holidays, int spot_days,
                        long *day)
{
    struct tenor tenor;
    if (date_read(text, day)) return true;
    if (!tenor_read(text, &tenor)) return false;
    if (spot_days > 0) *day = exchange_expiry(holidays, spot_days, tenor, start);
    else if (holidays.bits) *day = tenor_business_day(holidays, tenor, start);
    else *day = tenor_day(tenor, start);
    return true;
}

const char *date_write(long day, char text[DATE_ROOM])
{
    struct written_day written = day_written(day);
    snprintf(text, DATE_ROOM, "%04d-%02d-%02d", written.year % 10000, written.month, written.day);
    return text;
}

const char *date_weekend(long day)
{
    enum weekday weekday = day_weekday(day);
    return weekday == SUNDAY ? "Sunday" : weekday == SATURDAY ? "Saturday" : NULL;
}

double date_years(long from, long to)
{
    return day_count_years(ACT_365F, from, to);
}
