/* Days of the calendar against the C library's, and tenors as desks count them. */
#define _DEFAULT_SOURCE /* timegm */

#include <time.h>

#include "app/config/dates.h"
#include "models/market/days.h"
#include "validation/tests/test.h"

static long day_of(const char *text)
{
    long day = 0;
    assert_true(date_read(text, &day));
    return day;
}

/* Every day of 1900 to 2199. */
TEST(days_are_those_of_the_c_library)
{
    long first = day_of("1900-01-01"), last = day_of("2199-12-31");
    assert_int_equal(last - first, 109572); /* 300 years, 73 leap days, less one */
    for (long day = first; day <= last; day++) {
        time_t seconds = (time_t)day * 86400;
        struct tm *at = gmtime(&seconds);
        struct written_day written = day_written(day);
        assert_int_equal(written.year, at->tm_year + 1900);
        assert_int_equal(written.month, at->tm_mon + 1);
        assert_int_equal(written.day, at->tm_mday);
        assert_int_equal(day_weekday(day), at->tm_wday);
        assert_int_equal(day_number(written.year, written.month, written.day), day);
    }
}

static void assert_leads(const char *tenor, const char *from, const char *to)
{
    char got[DATE_ROOM];
    long day = 0;
    assert_true(date_or_tenor_read(tenor, day_of(from), (struct holidays){0}, 0, &day));
    if (day != day_of(to))
        fail_msg("%s from %s: %s, not %s", tenor, from, date_write(day, got), to);
}

/* Months keep the day or take the last of a shorter month, whatever they pass. */
TEST(tenors_lead_to_their_days)
{
    assert_leads("ON", "2026-12-31", "2027-01-01");
    assert_leads("10D", "2028-02-25", "2028-03-06");
    assert_leads("1W", "2026-11-20", "2026-11-27");
    assert_leads("1M", "2027-01-31", "2027-02-28");
    assert_leads("1M", "2028-01-31", "2028-02-29");
    assert_leads("18M", "2026-11-20", "2028-05-20");
    assert_leads("6M", "2026-08-31", "2027-02-28");
    assert_leads("2Y", "2028-02-29", "2030-02-28");
    assert_leads("1Y6M", "2026-11-20", "2028-05-20");
    assert_leads("2M2W", "2026-11-20", "2027-02-03");
    assert_leads("2027-06-18", "2026-11-20", "2027-06-18");
}

/* Third Wednesdays as CME's calendar of Eurodollar and SOFR futures has them for 2026 and 2027. */
TEST(imm_dates_are_third_wednesdays)
{
    assert_leads("IMM", "2026-11-20", "2026-12-16");
    assert_leads("IMM", "2026-12-15", "2026-12-16");
    assert_leads("IMM", "2026-12-16", "2027-03-17");
    assert_leads("IMM2", "2026-12-16", "2027-06-16");
    assert_leads("IMM4", "2026-11-20", "2027-09-15");
    assert_leads("IMM5", "2026-11-20", "2027-12-15");
}

TEST(other_texts_are_no_tenors)
{
    static const char *const texts[] = {
        "",     "6",      "M",    "6m",     "0M",   "06M", "6M1Y", "6M6M", "-6M", "6 M",
        "6.5M", "10000D", "IMM0", "IMM401", "IMMx", "imm", "ONE",  "6MM",  "6M ", "2027-13-01"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        long day;
        if (date_or_tenor_read(texts[i], 0, (struct holidays){0}, 0, &day))
            fail_msg("\"%s\" was read", texts[i]);
    }
}

static void assert_years(enum day_count count, const char *from, const char *to, double years)
{
    double got = day_count_years(count, day_of(from), day_of(to));
    if (!(fabs(got - years) < 1e-14)) fail_msg("%s to %s: %.17g, not %.17g", from, to, got, years);
}

/* The periods of ISDA's memorandum "EMU and market conventions: recent developments" (November
 * 1998), with its fractions by the ISDA method, written as days over the length of their years. */
TEST(act_act_is_that_of_isda)
{
    assert_years(ACT_ACT, "2003-11-01", "2004-05-01", 61.0 / 365.0 + 121.0 / 366.0);
    assert_years(ACT_ACT, "1999-02-01", "1999-07-01", 150.0 / 365.0);
    assert_years(ACT_ACT, "1999-07-01", "2000-07-01", 184.0 / 365.0 + 182.0 / 366.0);
    assert_years(ACT_ACT, "2002-08-15", "2003-07-15", 334.0 / 365.0);
    assert_years(ACT_ACT, "2003-07-15", "2004-01-15", 170.0 / 365.0 + 14.0 / 366.0);
    assert_years(ACT_ACT, "1999-07-30", "2000-01-30", 155.0 / 365.0 + 29.0 / 366.0);
    assert_years(ACT_ACT, "2000-01-30", "2000-06-30", 152.0 / 366.0);
    assert_years(ACT_ACT, "1999-11-30", "2000-04-30", 32.0 / 365.0 + 120.0 / 366.0);
}

/* Days of 30/360 (bond basis) as ISDA's table of examples to section 4.16(f) has them. */
TEST(thirty_360_is_that_of_isda)
{
    assert_years(THIRTY_360, "2006-08-31", "2007-02-28", 178 / 360.0);
    assert_years(THIRTY_360, "2007-02-28", "2007-08-31", 183 / 360.0);
    assert_years(THIRTY_360, "2007-08-31", "2008-02-29", 179 / 360.0);
    assert_years(THIRTY_360, "2008-02-26", "2009-02-28", 362 / 360.0);
    assert_years(THIRTY_360, "2006-01-31", "2006-02-28", 28 / 360.0);
    assert_years(THIRTY_360, "2006-01-30", "2006-03-31", 60 / 360.0);
    assert_years(THIRTY_360, "2006-02-28", "2006-03-31", 33 / 360.0);
    assert_years(THIRTY_360, "2006-05-15", "2006-05-31", 16 / 360.0);
}

/* Month ends, leap days and others by QuantLib's day counters, in the order of the enum. */
TEST(day_counts_are_those_of_quantlib)
{
    char line[128], from[11], to[11];
    double years[4];
    int rows = 0;
    FILE *table = fopen("validation/cases/day-counts.csv", "r");
    assert_non_null(table);
    assert_true(fgets(line, sizeof line, table));
    for (; fgets(line, sizeof line, table); rows++) {
        assert_int_equal(sscanf(line, "%10[^,],%10[^,],%lf,%lf,%lf,%lf", from, to, &years[0],
                                &years[1], &years[2], &years[3]),
                         6);
        for (int i = 0; i < 4; i++) assert_years((enum day_count)i, from, to, years[i]);
    }
    fclose(table);
    assert_int_equal(rows, 1000);
}

TEST(the_others_count_days)
{
    assert_years(ACT_360, "2027-01-01", "2028-01-01", 365.0 / 360.0);
    assert_years(ACT_365F, "2028-01-01", "2029-01-01", 366.0 / 365.0);
}

ALL_TESTS(market_days_test)
