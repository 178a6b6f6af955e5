#include "app/config/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/csv_reader.h"
#include "app/config/dates.h"
#include "models/market/days.h"

/* ---- dates ----------------------------------------------------------------------------------- */

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

/* ---- calendars ------------------------------------------------------------------------------- */

const char *calendar_name(const struct reader *reader, int i)
{
    if (i < HOLIDAY_RULES) return holiday_rule_name(i);
    return i - HOLIDAY_RULES < reader->n_calendars ? reader->calendars[i - HOLIDAY_RULES].name
                                                   : NULL;
}

void note_unknown_year(struct reader *reader, const config_setting_t *at, const char *what,
                       struct holidays holidays, long day)
{
    char date[DATE_ROOM];
    int first, last, i = holidays_unknown(holidays, day, &first, &last);
    if (i < 0 || reader->said_unknown >> i & 1) return;
    reader->said_unknown |= (uint64_t)1 << i;
    remark(reader, at,
           "%s %s: calendar %.64s knows no holidays but of %d to %d, and takes each day from "
           "Monday to Friday as a business day: name those of other years in calendars",
           what, date_write(day, date), calendar_name(reader, i), first, last);
}

bool read_calendar(struct reader *reader, const config_setting_t *at, struct holidays *holidays)
{
    const char *text = read_text(reader, at), *calendar;
    if (!at) return false;
    *holidays = (struct holidays){.lists = reader->calendars};
    for (size_t n; text; text = text[n] ? text + n + 1 : NULL) {
        char part[VALUE_ROOM], hint[HINT_ROOM], known[300] = "";
        struct nearest nearest = {.wanted = part};
        int i = 0;
        n = strcspn(text, "+");
        snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : sizeof part - 1), text);
        for (; (calendar = calendar_name(reader, i)) && strcmp(calendar, part); i++) {
            nearest_try(&nearest, calendar);
            list_word(known, sizeof known, ", ", calendar);
        }
        if (!calendar) {
            complain_key(reader, at,
                         "'%.64s' is no calendar: use %s, or several joined by '+'; others are "
                         "named in calendars%s",
                         part, known, nearest_hint(&nearest, hint));
            return false;
        }
        holidays->bits |= (uint64_t)1 << i;
        if (!text[n]) return true;
    }
    return false;
}

static const struct key calendar_keys[] = {
    KEY_FIELD("name", NAME, struct holiday_list, name, "by which calendar = names it"),
    KEY_DEFERRED("file", FORM_TEXT, "CSV file whose first column is date, a holiday a row"),
};
const struct key_table calendar_table =
    KEY_TABLE("a calendar", calendar_keys, .required = "name file");

void read_calendars(struct reader *reader, const config_setting_t *list)
{
    int n = list_length(reader, list, HOLIDAY_LISTS_MAX, " calendars");
    if (!n) return;
    reader->calendars = reader_array(reader, (size_t)n, sizeof *reader->calendars);
    for (int i = 0; reader->calendars && i < n; i++) {
        const config_setting_t *group = element_of(list, i), *name = member_of(group, "name");
        struct holiday_list *calendar = &reader->calendars[i];
        struct dated_file holidays = {.reader = reader};
        long order = reader->row_order;
        uint64_t good = read_group(reader, &calendar_table, group, calendar);
        if (!calendar->name) calendar->name = reader_copy(reader, "");
        if (calendar->name) reader->n_calendars++;
        if (reader->status) return;
        bool named = read_well(&calendar_table, good, "name");
        if (named && strchr(calendar->name, '+'))
            complain(reader, name, "name must be without '+', which joins calendars, got \"%.64s\"",
                     calendar->name);
        for (int j = 0; named && j < HOLIDAY_RULES + i; j++)
            if (!strcmp(calendar_name(reader, j), calendar->name))
                complain(reader, name,
                         "name '%.64s' is taken by a calendar before: give it another",
                         calendar->name);
        dated_file_read(&holidays, member_of(group, "file"), false, false);
        reader->row_order = order;
        calendar->n = holidays.n_days;
        calendar->days = holidays.days;
    }
}

void calendars_free(struct reader *reader)
{
    for (int i = 0; i < reader->n_calendars; i++) {
        free(reader->calendars[i].name);
        free(reader->calendars[i].days);
    }
    free(reader->calendars);
    reader->calendars = NULL;
    reader->n_calendars = 0;
}
