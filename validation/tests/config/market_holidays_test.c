/* Calendars by rule against lists of holidays, and dates that are moved off them. */
#include "app/config/dates.h"
#include "models/market/date_rule.h"
#include "validation/tests/test.h"

static long day_of(const char *text)
{
    long day = 0;
    assert_true(date_read(text, &day));
    return day;
}

static struct holidays calendar(const char *name)
{
    for (int i = 0; i < HOLIDAY_RULES; i++)
        if (!strcmp(holiday_rule_name(i), name)) return (struct holidays){.bits = 1u << i};
    fail_msg("no calendar %s", name);
    return (struct holidays){0};
}

enum { ROW_ROOM = 300 };

/* Writes the days from Monday to Friday of a year that are holidays, as " 0101 0403". */
static const char *list_year(struct holidays holidays, int year, char text[ROW_ROOM])
{
    size_t length = 0;
    text[0] = '\0';
    for (long day = day_number(year, 1, 1); day < day_number(year + 1, 1, 1); day++) {
        struct written_day at = day_written(day);
        if (date_weekend(day) || !is_holiday(holidays, day)) continue;
        length += (size_t)snprintf(text + length, ROW_ROOM - length, " %02d%02d", at.month % 100,
                                   at.day % 100);
    }
    return text;
}

TEST(holidays_are_those_of_the_table)
{
    char line[ROW_ROOM], name[32], got[ROW_ROOM];
    int year, used, rows = 0;
    FILE *table = fopen("validation/cases/holidays.txt", "r");
    assert_non_null(table);
    while (fgets(line, sizeof line, table)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') continue;
        assert_int_equal(sscanf(line, "%31s %d%n", name, &year, &used), 2);
        if (strcmp(list_year(calendar(name), year, got), line + used))
            fail_msg("%s %d: got %s, wanted %s", name, year, got, line + used);
        rows++;
    }
    fclose(table);
    assert_int_equal(rows, 643);
}

/* Beyond the years that it lists a calendar says so. */
TEST(years_that_a_calendar_does_not_list_are_unknown)
{
    int first, last;
    struct holidays seoul = calendar("Seoul"), both = seoul;
    both.bits |= calendar("TARGET").bits;
    assert_int_equal(holidays_unknown(seoul, day_of("2026-12-31"), &first, &last), -1);
    assert_true(holidays_unknown(both, day_of("2027-01-04"), &first, &last) > 0);
    assert_int_equal(first, 2004);
    assert_int_equal(last, 2026);
    assert_int_equal(holidays_unknown(calendar("TARGET"), day_of("2099-01-01"), &first, &last), -1);
    assert_true(holidays_unknown(seoul, day_of("2003-12-31"), &first, &last) > 0);
}

static void assert_rolls(struct holidays holidays, enum day_roll roll, const char *from,
                         const char *to)
{
    char got[DATE_ROOM];
    long day = roll_day(holidays, roll, day_of(from));
    if (day != day_of(to)) fail_msg("%s rolls to %s, not %s", from, date_write(day, got), to);
}

/* 2027-01-31 is a Sunday, 2027-03-26 Good Friday, 2027-03-28 Easter. */
TEST(dates_roll_off_holidays)
{
    struct holidays target = calendar("TARGET"), both = target, none = {0};
    assert_rolls(target, ROLL_NONE, "2027-01-31", "2027-01-31");
    assert_rolls(target, ROLL_FOLLOWING, "2027-01-31", "2027-02-01");
    assert_rolls(target, ROLL_MODIFIED_FOLLOWING, "2027-01-31", "2027-01-29");
    assert_rolls(target, ROLL_PRECEDING, "2027-01-31", "2027-01-29");
    assert_rolls(target, ROLL_PRECEDING, "2027-05-01", "2027-04-30");
    assert_rolls(target, ROLL_MODIFIED_PRECEDING, "2027-05-01", "2027-05-03");
    assert_rolls(target, ROLL_FOLLOWING, "2027-03-26", "2027-03-30");
    assert_rolls(target, ROLL_FOLLOWING, "2027-05-31", "2027-05-31");
    both.bits |= calendar("London").bits;
    assert_rolls(both, ROLL_FOLLOWING, "2027-05-31", "2027-06-01"); /* bank holiday of late May */
    assert_rolls(none, ROLL_FOLLOWING, "2027-01-31", "2027-01-31");
    assert_int_equal(add_business_days(target, day_of("2027-03-24"), 2), day_of("2027-03-30"));
    assert_int_equal(add_business_days(target, day_of("2027-03-27"), 1), day_of("2027-03-30"));
    assert_int_equal(add_business_days(none, day_of("2027-03-26"), 2), day_of("2027-03-28"));
}

/* A day that is listed by hand; a list of every day rolls nowhere, and comes to an end. */
TEST(listed_days_are_holidays)
{
    long listed[800];
    struct holiday_list list = {.n = 1, .days = listed};
    struct holidays desk = {.bits = 1u << HOLIDAY_RULES, .lists = &list};
    listed[0] = day_of("2027-02-08");
    assert_true(is_holiday(desk, day_of("2027-02-08")));
    assert_true(is_holiday(desk, day_of("2027-02-06")));
    assert_false(is_holiday(desk, day_of("2027-02-09")));
    for (list.n = 0; list.n < 800; list.n++) listed[list.n] = day_of("2027-02-08") + list.n;
    roll_day(desk, ROLL_FOLLOWING, day_of("2027-02-08"));
}

static void assert_dates(struct date_rule rule, const char *every, const char *wanted)
{
    char got[600] = "", date[DATE_ROOM];
    long *days;
    int n;
    assert_true(tenor_read(every, &rule.every));
    assert_ok(date_rule_days(&rule, &n, &days));
    for (int i = 0; i < n; i++) {
        if (i) strcat(got, " ");
        strcat(got, date_write(days[i], date) + 2); /* 27-06-18 */
    }
    free(days);
    assert_string_equal(got, wanted);
}

TEST(stubs_are_where_they_are_asked_for)
{
    struct date_rule rule = {.from = day_of("2026-11-20"), .to = day_of("2027-08-31")};
    assert_dates(rule, "3M", "26-11-20 26-11-30 27-02-28 27-05-31 27-08-31");
    rule.stub = STUB_LONG_FRONT;
    assert_dates(rule, "3M", "26-11-20 27-02-28 27-05-31 27-08-31");
    rule.stub = STUB_SHORT_BACK;
    assert_dates(rule, "3M", "26-11-20 27-02-20 27-05-20 27-08-20 27-08-31");
    rule.stub = STUB_LONG_BACK;
    assert_dates(rule, "3M", "26-11-20 27-02-20 27-05-20 27-08-31");
    rule.to = day_of("2027-08-20"); /* whole periods have none */
    assert_dates(rule, "3M", "26-11-20 27-02-20 27-05-20 27-08-20");
    assert_dates(rule, "2Y", "26-11-20 27-08-20");
    rule.stub = STUB_LONG_FRONT;
    assert_dates(rule, "3M", "26-11-20 27-02-20 27-05-20 27-08-20");
    assert_dates(rule, "IMM", "26-11-20 26-12-16 27-03-17 27-06-16 27-08-20");
    assert_dates(rule, "IMM2", "26-11-20 27-03-17 27-08-20");
}

/* Days of a rule that roll onto one another are one; what has no roll stays on weekends. */
TEST(days_of_a_rule_are_business_days)
{
    struct date_rule rule = {.from = day_of("2027-03-24"),
                             .to = day_of("2027-04-03"),
                             .holidays = calendar("TARGET"),
                             .roll = ROLL_MODIFIED_FOLLOWING};
    assert_dates(rule, "1D", "27-03-24 27-03-25 27-03-30 27-03-31 27-04-01 27-04-02 27-04-05");
    rule.to_as_it_is = true;
    assert_dates(rule, "1D", "27-03-24 27-03-25 27-03-30 27-03-31 27-04-01 27-04-02 27-04-03");
    rule.roll = ROLL_NONE;
    assert_dates(rule, "4D", "27-03-24 27-03-26 27-03-30 27-04-03");
}

/* QuantLib 1.29's Schedule(backward, modified following, TARGET) of the same terms. */
TEST(dates_are_those_of_another_library)
{
    struct date_rule rule = {.from = day_of("2026-11-20"),
                             .to = day_of("2029-11-30"),
                             .holidays = calendar("TARGET"),
                             .roll = ROLL_MODIFIED_FOLLOWING};
    assert_dates(rule, "6M",
                 "26-11-20 26-11-30 27-05-31 27-11-30 28-05-30 28-11-30 29-05-30 29-11-30");
}

static void assert_expires(const char *today, const char *tenor, const char *expiry)
{
    char got[DATE_ROOM];
    struct holidays both = calendar("TARGET");
    struct tenor length;
    both.bits |= calendar("NYSE").bits;
    assert_true(tenor_read(tenor, &length));
    long day = exchange_expiry(both, 2, length, day_of(today));
    if (day != day_of(expiry))
        fail_msg("%s from %s: %s, not %s", tenor, today, date_write(day, got), expiry);
}

/* Two business days to spot, from there to the delivery, and two back. 2026-11-20 is a Friday,
 * 2026-11-26 Thanksgiving. QuantLib 1.29's calendars lead to the same days. */
TEST(options_on_exchange_rates_expire_before_delivery)
{
    assert_expires("2026-11-20", "ON", "2026-11-23");
    assert_expires("2026-11-20", "1W", "2026-11-27"); /* delivered on 12-01 */
    assert_expires("2026-11-20", "1M", "2026-12-22"); /* on 12-24 */
    assert_expires("2026-11-20", "2M", "2027-01-21"); /* on 01-25, as the 24th is a Sunday */
    assert_expires("2027-01-27", "1M", "2027-02-24"); /* from the last of a month to the last */
    assert_expires("2027-01-27", "3M", "2027-04-28");
    assert_expires("2026-11-20", "IMM", "2026-12-16");
}

TEST(rules_without_end_are_refused)
{
    long *days;
    int n;
    struct date_rule rule = {.from = 0, .to = 200000, .every = {.days = 1}};
    assert_int_equal(date_rule_days(&rule, &n, &days), STATUS_BAD_INPUT);
    rule.to = 0;
    assert_int_equal(date_rule_days(&rule, &n, &days), STATUS_BAD_INPUT);
}

/* Prints what market_quantlib_test.sh holds against QuantLib: thirty years of every calendar, and
 * the dates of rules with stubs and from ends of months. */
static int print_dates(void)
{
    static const char *const from[] = {"2026-01-31", "2024-02-29", "2026-11-20", "2026-08-30"},
                             *const to[] = {"2029-03-13", "2030-02-28", "2029-11-30"},
                             *const every[] = {"1M", "3M", "6M", "1Y"};
    enum { FROM = sizeof from / sizeof *from, TO = sizeof to / sizeof *to, EVERY = 4 };
    char text[ROW_ROOM];
    for (int i = 0; i < HOLIDAY_RULES; i++)
        for (int year = 2000; year < 2030; year++)
            printf("holidays %s %d%s\n", holiday_rule_name(i), year,
                   list_year((struct holidays){.bits = 1u << i}, year, text));
    for (int i = 0; i < 2 * FROM * TO * EVERY; i++) {
        struct date_rule rule = {.from = day_of(from[i / 2 % FROM]),
                                 .to = day_of(to[i / 2 / FROM % TO]),
                                 .stub = i % 2 ? STUB_SHORT_BACK : STUB_SHORT_FRONT,
                                 .holidays = calendar("TARGET"),
                                 .roll = ROLL_MODIFIED_FOLLOWING};
        const char *tenor = every[i / 2 / FROM / TO];
        long *days;
        int n;
        if (!tenor_read(tenor, &rule.every) || date_rule_days(&rule, &n, &days)) return 1;
        printf("dates %s %s %s %s", from[i / 2 % FROM], to[i / 2 / FROM % TO], tenor,
               i % 2 ? "back" : "front");
        for (int d = 0; d < n; d++) printf(" %s", date_write(days[d], text));
        printf("\n");
        free(days);
    }
    return 0;
}

int market_holidays_test(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "--print")) return print_dates();
    return run_own_tests("market_holidays_test", false, NULL, NULL);
}
