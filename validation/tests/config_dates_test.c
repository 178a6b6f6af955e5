/* Markets and trades as desks write them: tenors, day counts, discount factors, and what the core
 * is given for them. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "validation/tests/config_books.h"

/* Loads a book dated 2026-11-20, a Friday, with USD from `currency`. */
static void read_book(const char *currency, const char *asset, const char *trade, struct book *book)
{
    char text[4000];
    snprintf(text, sizeof text,
             "valuation_date = \"2026-11-20\";\n"
             "market = { currencies = ( { name = \"EUR\"; rate = 0.02; },\n"
             "{ name = \"USD\"; %s } );\n"
             "assets = ( { name = \"A\"; currency = \"USD\"; spot = 100; volatility = 0.2; %s } ); "
             "};\n"
             "book = { trades = (\n{ id = \"T\"; asset = \"A\"; %s } ); };\n",
             currency, asset, trade);
    write_file("book.cfg", text);
    load(in_folder("book.cfg"), book);
}

static const char european[] =
    "type = \"european\"; option = \"put\"; strike = 100; expiry = \"6M\";";

static void tenors_are_years(void **state)
{
    (void)state;
    struct book book;
    read_book("curve = { times = [\"1M\", \"2Y\"]; zero_rates = [0.03, 0.04]; };", "", european,
              &book);
    const struct term_structure *rate = &book.market.currencies[1].rate;
    assert_number(rate->time[0], 30 / 365.0); /* to 2026-12-20 */
    assert_number(rate->time[1], 731 / 365.0);
    assert_number(book.trades[0].expiry, 181 / 365.0); /* to 2027-05-20 */
    assert_true(book.trades[0].expiry_in_years);       /* it moves with the valuation date */
    assert_int_equal(book.notes.n, 0);
    book_free(&book);
}

/* What accrues to the last date of a curve. */
static double accrued_at_end(const char *curve)
{
    struct book book;
    read_book(curve, "", european, &book);
    const struct term_structure *rate = &book.market.currencies[1].rate;
    double accrued = rate->accrued[rate->n - 1];
    book_free(&book);
    return accrued;
}

/* 2026-11-20 to 2028-11-20: 731 days, 24 months, 42 + 365 days and 324 of a leap year. */
static void rates_accrue_by_their_day_count(void **state)
{
    (void)state;
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
                 "curve = { times = [\"1Y\", \"2Y\"]; zero_rates = [0.03, 0.04]; day_count = "
                 "\"%s\"; };",
                 counts[i].count);
        assert_true(fabs(accrued_at_end(curve) - 0.04 * counts[i].years) < 1e-16);
    }
}

static void discount_factors_are_what_they_say(void **state)
{
    (void)state;
    double accrued =
        accrued_at_end("curve = { times = [0.5, \"2Y\"]; discount_factors = [1.001, 0.93]; };");
    assert_true(fabs(exp(-accrued) - 0.93) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenors_are_years),
        cmocka_unit_test(rates_accrue_by_their_day_count),
        cmocka_unit_test(discount_factors_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
