/* Markets and trades as desks write them: tenors, day counts, discount factors, and what the core
 * is given for them. */
#include "validation/tests/config/config_books.h"

#define RATE "rate = 0.03;" /* of USD, in most tests */

/* Loads a book dated 2026-11-20, a Friday, with USD from `currency`. */
static void read_book(const char *currency, const char *asset, const char *trade)
{
    load_written(
        "valuation_date = '2026-11-20';\nmarket = { correlation_default = 0; "
        "currencies = ( { name = 'EUR'; rate = 0.02; },\n{ name = 'USD'; "
        "%s } );\nassets = ( { name = 'A'; currency = 'USD'; spot = 100; volatility = 0.2; %s } ); "
        "};\nbook = { trades = (\n{ id = 'T'; %s %s } ); };\n",
        currency, asset, strstr(trade, "assets") ? "" : "asset = 'A';", trade);
}

static const char european[] = "type = 'european'; option = 'put'; strike = 100; expiry = '6M';";

TEST(tenors_are_years)
{
    read_book("curve = { times = ['1M', '2Y']; zero_rates = [0.03, 0.04]; };", "", european);
    const struct term_structure *rate = &book.market.currencies[1].rate;
    assert_number(rate->time[0], 30 / 365.0); /* to 2026-12-20 */
    assert_number(rate->time[1], 731 / 365.0);
    assert_number(book.trades[0].expiry, 181 / 365.0); /* to 2027-05-20 */
    assert_true(book.trades[0].expiry_in_years);       /* it moves with the valuation date */
    assert_int_equal(book.notes.n, 0);
}

/* Tenors of a trade roll off the holidays of its asset: 2027-03-20 is a Saturday. With days to spot
 * they are those of an option on an exchange rate, for the asset's own curves too. */
TEST(tenors_lead_to_business_days)
{
    read_book(RATE, "calendar = 'TARGET';",
              "type = 'european'; option = 'put'; strike = 100; expiry = '4M';");
    assert_number(book.trades[0].expiry, 122 / 365.0);
    assert_int_equal(book.notes.n, 0);
    read_book(RATE,
              "calendar = 'TARGET+NYSE'; foreign_currency = 'EUR'; spot_days = 2; "
              "forwards = { times = ['1M', '2M']; prices = [100.1, 100.3]; };",
              "type = 'european'; option = 'put'; strike = 100; expiry = '2M';");
    assert_number(book.market.assets[0].yield.time[0], 32 / 365.0); /* 2026-12-22 */
    assert_number(book.market.assets[0].yield.time[1], 62 / 365.0);
    assert_number(book.trades[0].expiry, 62 / 365.0); /* 2027-01-21 */
}

/* What accrues to the last date of a curve. */
static double accrued_at_end(const char *curve)
{
    read_book(curve, "", european);
    const struct term_structure *rate = &book.market.currencies[1].rate;
    return rate->accrued[rate->n - 1];
}

/* 2026-11-20 to 2028-11-20: 731 days, 24 months, 42 + 365 days and 324 of a leap year. */
TEST(rates_accrue_by_their_day_count)
{
    static const struct {
        const char *count;
        double years;
    } counts[] = {{"ACT/365F", 731 / 365.0},
                  {"ACT/360", 731 / 360.0},
                  {"30/360", 2.0},
                  {"ACT/ACT", 407 / 365.0 + 324 / 366.0}};
    for (int i = 0; i < 4; i++) {
        char curve[200];
        snprintf(curve, sizeof curve,
                 "curve = { times = ['1Y', '2Y']; zero_rates = [0.03, 0.04]; day_count = '%s'; };",
                 counts[i].count);
        assert_true(fabs(accrued_at_end(curve) - 0.04 * counts[i].years) < 1e-16);
    }
}

TEST(discount_factors_are_what_they_say)
{
    double accrued =
        accrued_at_end("curve = { times = [0.5, '2Y']; discount_factors = [1.001, 0.93]; };");
    assert_true(fabs(exp(-accrued) - 0.93) < 1e-15);
}

#define AVERAGE                                                                                    \
    "type = 'asian'; option = 'call'; averaging = 'arithmetic'; strike_type = 'floating'; "
#define ASIAN(rule) AVERAGE "fixing_times = { " rule " }; "
#define CLIQUET(rule) "type = 'cliquet'; notional = 1; reset_times = { " rule " }; "

/* The dates of a schedule, as days from 2026-11-20. Saturdays 02-20 and 03-20 roll where there is a
 * calendar. */
TEST(rules_make_lists_of_dates)
{
    static const struct {
        const char *asset, *trade, *days;
    } rows[] = {
        {"", ASIAN("from = '2026-11-20'; every = '1M';") "expiry = '2027-03-20';", " 30 61 92 120"},
        {"calendar = 'weekends';", /* 03-22 is where 03-20 goes: no stub */
         ASIAN("from = '2026-11-20'; every = '1M';") "expiry = '2027-03-22';", " 31 61 94 122"},
        {"",
         ASIAN("from = '2026-11-20'; to = '4M'; every = '2M'; calendar = 'TARGET+NYSE'; "
               "roll = 'preceding';") "expiry = 1.5;",
         " 61 119"},
        {"",
         ASIAN(
             "from = '2026-11-20'; to = '2027-03-20'; every = 'IMM'; stub = 'short_back';") "expiry"
                                                                                            " = "
                                                                                            "'2027-"
                                                                                            "03-20'"
                                                                                            ";",
         " 26 117 120"},
        /* Periods of a trade whose expiry moves: a first one of two days is joined with the next.
         */
        {"calendar = 'TARGET';",
         ASIAN("from = '2026-11-20'; every = '3M';") "expiry = '2027-02-22';", " 94"},
        {"", /* 23 days before a period of 90: more than a quarter of it */
         ASIAN("from = '2026-11-20'; every = '3M';") "expiry = '2027-03-13';", " 23 113"},
        {"", ASIAN("every = '3M';") "expiry = 0.5041095890410959;", " 95 184"},
        {"",
         ASIAN("from = '2026-11-20'; every = '3M'; stub = 'short_front';") "expiry = '2027-05-22';",
         " 2 94 183"},
        /* Periods of a cliquet begin on its reset dates. Today's is one of them; those that have
         * passed are left to what the trade says of them. */
        {"", CLIQUET("from = '2026-11-20'; every = '6M';") "expiry = '2027-11-20';", " 0 181"},
        {"",
         CLIQUET("from = '2026-05-20'; every = '6M';") "past = { level = 99; }; expiry = "
                                                       "'2027-11-20';",
         " 0 181"},
        {"",
         CLIQUET("from = '2026-05-20'; every = '1Y';") "past = { level = 99; }; expiry = "
                                                       "'2027-11-20';",
         " 0"},
        {"",
         ASIAN("from = '2026-08-20'; to = '2027-02-20'; every = '1M';") "past = { count = 2; "
                                                                        "average = 98; }; expiry = "
                                                                        "'2027-02-20';",
         " 0 30 61 92"},
        {"",
         ASIAN("from = '2026-08-20'; to = '2026-11-19'; every = '1M';") "past = { count = 3; "
                                                                        "average = 98; }; expiry = "
                                                                        "'2027-02-20';",
         ""},
        {"",
         "type = 'barrier'; option = 'call'; strike = 100; barrier = 90; direction = 'down'; "
         "knock = 'out'; monitoring = { from = '2026-10-20'; every = '1M'; }; "
         "expiry = '2027-01-20';",
         " 0 30 61"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char days[64] = "";
        read_book(RATE, rows[i].asset, rows[i].trade);
        const struct schedule *schedule = trade_schedule(&book.trades[0], SCHEDULE_OF_fixings);
        for (int s = 0; s < N_SCHEDULES && !schedule->n; s++)
            schedule = trade_schedule(&book.trades[0], s);
        for (int d = 0; d < schedule->n; d++) {
            int day = (int)lround(365.0 * schedule->times[d]);
            assert_number(schedule->times[d], day / 365.0);
            snprintf(days + strlen(days), sizeof days - strlen(days), " %d", day);
        }
        assert_string_equal(days, rows[i].days);
    }
}

/* An expiry in years may be a day but for its last digits. */
TEST(rules_end_at_an_expiry_in_years)
{
    read_book(RATE, "", ASIAN("every = '1M';") "expiry = 0.2520547945;");
    assert_int_equal(book.trades[0].fixings.n, 3);
    assert_number(book.trades[0].fixings.times[2], 0.2520547945);
}

TEST(times_within_a_second_of_the_expiry_are_the_expiry)
{
    static const char *const last[] = {"0.916666666667", "0.91666666", "0.9166666666666666"};
    for (int i = 0; i < 3; i++) {
        char trade[300];
        snprintf(trade, sizeof trade,
                 AVERAGE "fixing_times = [0.5, %s]; expiry = 0.9166666666666666;", last[i]);
        read_book(RATE, "", trade);
        assert_number(book.trades[0].fixings.times[1], 0.9166666666666666);
    }
}

static void assert_noted(const char *asset, const char *trade, const char *note)
{
    read_book(RATE, asset, trade);
    assert_note(note);
}

TEST(dates_on_holidays_are_noted)
{
#define PUT "type = 'european'; option = 'put'; strike = 100; expiry = '2027-03-26';"
    assert_noted("", PUT, NULL);
    assert_noted("calendar = 'Tokyo';", PUT, NULL);
    assert_noted("calendar = 'TARGET+NYSE+Tokyo';", PUT,
                 "book.cfg:6: trade 'T': note: expiry 2027-03-26 is a holiday of TARGET and NYSE: "
                 "perhaps 2027-03-25 before, or 2027-03-30 after");
    assert_noted(
        "calendar = 'NYSE';",
        AVERAGE "fixing_times = ['2027-01-04', '2027-01-18', '2027-03-26']; expiry = '2027-04-01';",
        "fixing_times 2027-01-18 is a holiday of NYSE: perhaps 2027-01-15 before");
    assert_noted("", "type = 'european'; option = 'put'; strike = 100; expiry = 'IMM';", NULL);
    assert_noted("", "type = 'european'; option = 'put'; strike = 100; expiry = '1D';",
                 "expiry 2026-11-21 is a Saturday: perhaps the Friday before");
}

/* Curves may have their dates from a rule too. */
TEST(rules_make_times_of_curves)
{
    read_book("curve = { times = { every = '1Y'; to = '2Y'; calendar = 'weekends'; }; "
              "zero_rates = [0.03, 0.04]; day_count = 'ACT/360'; };",
              "", european);
    const struct term_structure *rate = &book.market.currencies[1].rate;
    assert_number(rate->time[0], 367 / 365.0); /* 2027-11-20 is a Saturday */
    assert_number(rate->time[1], 731 / 365.0);
    assert_near(rate->accrued[0], 0.03 * 367 / 360.0);
}

static void assert_lag(const char *asset, const char *trade, int days)
{
    read_book(RATE, asset, trade);
    assert_number(book.trades[0].payment_lag, days / 365.0);
}

/* 2026-12-23 is a Wednesday: two business days later is the 25th, or where that is Christmas and
 * the 28th Boxing Day made up for, the 29th. */
TEST(payments_come_after_their_business_days)
{
#define CALL "type = 'european'; option = 'call'; strike = 100; expiry = "
    assert_lag("", CALL "'2026-12-23';", 0);
    assert_lag("", CALL "'2026-12-23'; settlement_days = 2;", 2);
    assert_lag("", CALL "'2026-12-23'; settlement_days = 3;", 5);
    assert_lag("calendar = 'London'; settlement_days = 2;", CALL "'2026-12-23';", 6);
    assert_lag("calendar = 'London'; settlement_days = 2;",
               CALL "'2026-12-23'; settlement_days = 0;", 0);
    assert_lag("settlement_days = 1;", CALL "1.0;", 2); /* a Saturday, to the Monday */
    assert_lag("settlement_days = 1;", CALL "0.0082191780821917804;", 1); /* 3 days, to Monday */
}

/* The forward of asset i of a market at t years. */
static double forward_at(const struct market *market, int i, double t)
{
    const struct asset *asset = &market->assets[i];
    return asset->spot * exp(term_accrued(&market->currencies[asset->currency].rate, t) -
                             term_accrued(&asset->yield, t));
}

/* Between the dates of a forward curve the yield is flat, before the first and after the last too.
 */
TEST(forwards_are_as_quoted)
{
    const char *curve = "curve = { times = ['6M', '2Y']; zero_rates = [0.02, 0.03]; };";
    read_book(curve, "forwards = { times = ['1Y', '3Y']; prices = [102, 107.5]; };", european);
    assert_true(fabs(forward_at(&book.market, 0, 1.0) - 102.0) < 1e-12);
    assert_true(fabs(forward_at(&book.market, 0, 1096 / 365.0) - 107.5) < 1e-12);
    read_book(curve,
              "foreign_currency = 'EUR'; forward_points = { times = ['3M', '1Y']; points = [-48.5, "
              "201]; };",
              european);
    assert_true(fabs(forward_at(&book.market, 0, 92 / 365.0) - 99.99515) < 1e-12);
    assert_true(fabs(forward_at(&book.market, 0, 1.0) - 100.0201) < 1e-12);
    read_book(curve,
              "foreign_currency = 'EUR'; forward_points = { times = ['1Y']; points = [50]; scale = "
              "100; };",
              european);
    assert_true(fabs(forward_at(&book.market, 0, 1.0) - 100.5) < 1e-12);
}

/* A basis stands beside the yield, or beside the foreign rate (0.02). */
TEST(a_basis_lowers_the_forward)
{
    read_book(RATE,
              "dividend_curve = { times = [1, 2]; yields = [0.01, 0.02]; }; basis_curve = { times "
              "= [0.5, 1, 3]; yields = [0.001, 0.002, 0.003]; };",
              european);
    const double times[] = {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0},
                 accrued[] = {0.0025 + 0.00025, 0.005 + 0.0005, 0.0075 + 0.00125, 0.01 + 0.002,
                              0.025 + 0.00375,  0.04 + 0.0055,  0.07 + 0.009,     0.13 + 0.016};
    for (int i = 0; i < 8; i++)
        assert_true(fabs(forward_at(&book.market, 0, times[i]) -
                         100.0 * exp(0.03 * times[i] - accrued[i])) < 1e-12);
    read_book(RATE, "foreign_currency = 'EUR'; basis = -0.004;", european);
    assert_true(fabs(forward_at(&book.market, 0, 2.0) - 100.0 * exp(2.0 * (0.03 - 0.016))) < 1e-12);
}

/* Coupons a year, ACT/360 of periods that a calendar makes unlike: 2026-11-23, 2027-05-24, 11-22
 * and 2028-05-22, the first from 2026-05-22. Equal periods make one coupon. */
TEST(coupons_are_for_the_years_of_their_periods)
{
#define NOTE                                                                                       \
    "type = 'autocallable'; assets = ['A']; call_level = 1; coupon = 0.08; "                       \
    "protection_level = 0.6; notional = 100; expiry = '2028-05-22'; coupon_day_count = "
    const double days[] = {185, 182, 182, 182};
    read_book(RATE, "calendar = 'TARGET';",
              NOTE "'ACT/360'; observation_times = { from = '2026-05-22'; every = '6M'; };");
    const struct trade *note = &book.trades[0];
    assert_int_equal(note->observations.n, 4);
    assert_number(note->coupon, 0.08);
    for (int i = 0; i < 4; i++) assert_number(note->coupon_years[i], days[i] / 360.0);
    read_book(
        "rate = 0.03;", "",
        NOTE
        "'30/360'; memory = true; observation_times = { from = '2026-11-22'; every = '6M'; };");
    assert_int_equal(book.trades[0].observations.n, 3);
    assert_null(book.trades[0].coupon_years);
    assert_number(book.trades[0].coupon, 0.04);
}

TEST(calendars_come_from_files)
{
    write_file("aside.cfg", "date,what\n2027-02-08,carnival\n2027-03-01,'strike, general'\n");
    load_written(
        "valuation_date = '2026-11-20';\ncalendars = ( { name = 'DESK'; file = 'aside.cfg'; "
        "} );\nmarket = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0; } ); "
        "assets = ( { name = 'A'; currency = 'EUR'; spot = 1; volatility = 0.2; calendar = 'DESK'; "
        "} ); };\nbook = { trades = ( { id = 'T'; asset = 'A'; type = 'european'; option = 'put'; "
        "strike = 1; expiry = '2027-03-01'; } ); };\n");
    assert_note("is a holiday of DESK: perhaps 2027-02-26");
}

/* Holidays of Mumbai are known to 2026. */
TEST(years_that_a_calendar_does_not_know_are_noted)
{
    const char *mumbai = "calendar = 'Mumbai';";
    read_book(RATE, mumbai,
              "type = 'forward'; strike = 100; expiry = '2027-03-30'; settlement_days = 2;");
    assert_note("trade 'T': note: expiry 2027-03-30: calendar Mumbai knows no holidays but");
    read_book(RATE, mumbai,
              "type = 'forward'; strike = 100; expiry = '2026-12-30'; settlement_days = 2;");
    assert_note("trade 'T': note: settlement 2027-01-01: calendar Mumbai knows no holidays");
    read_book(RATE, mumbai,
              "type = 'forward'; strike = 100; expiry = '2026-12-29'; settlement_days = 2;");
    assert_note(NULL);
}

ALL_TESTS_BETWEEN(config_dates_test, set_up, tear_down)
