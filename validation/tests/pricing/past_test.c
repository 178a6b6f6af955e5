/* A trade of before and the same trade with its past stated are one: along a path that is certain,
 * the value today is that of later, discounted. */
#include "validation/tests/price_trades.h"
#include "validation/tests/with_references.h"
#include "validation/tests/written_book.h"

/* The spot rises from 100 by 2 % a year, give or take a volatility of a hundredth of a percent. */
static double spot(double t)
{
    return 100.0 * exp(0.02 * t);
}

static const double LATER = 0.6;

/* Numbers of that path: the spots of the dates 0.25 and 0.5, their mean, what the second is above
 * the first, and the variance of both until LATER. */
#define FIRST "100.5012520859401"
#define SECOND "101.00501670841679"
#define MEAN "100.75313439717844"
#define RETURN "0.00501252085940096"
#define VARIANCE "8.333333333333334e-05"

/* A trade as it is at any time, as it is today and as it is at LATER, when the dates 0.25 and 0.5
 * have passed. */
struct pair {
    const char *always, *before, *after;
};

#define NOTE                                                                                       \
    "type = 'autocallable'; assets = ['A']; call_level = 1.0; coupon = 0.05; "                     \
    "protection_level = 0.5; notional = 100.0; "
#define MEMORY NOTE "initial = [102.0]; coupon_level = 0.994; memory = true; "

static const struct pair pairs[] = {
    {"type = 'asian'; asset = 'A'; option = 'call'; averaging = 'arithmetic'; "
     "strike_type = 'fixed'; strike = 99.0;",
     "fixing_times = [0.25, 0.5, 0.75, 1.0];",
     "fixing_times = [0.15, 0.4]; past = { count = 2; average = " MEAN "; };"},
    {"type = 'asian'; asset = 'A'; option = 'call'; averaging = 'arithmetic'; "
     "strike_type = 'floating';",
     "fixing_times = [0.25, 0.5];",
     "fixing_times = []; past = { count = 2; average = " MEAN "; };"},
    {"type = 'forward_start'; asset = 'A'; option = 'call'; strike_ratio = 0.99;", "start = 0.5;",
     "start = -0.1; past = { level = " SECOND "; };"},
    {"type = 'forward_start'; asset = 'A'; option = 'put'; strike_ratio = 1.05;", "start = 0.25;",
     "past = { level = " FIRST "; };"},
    {"type = 'cliquet'; asset = 'A'; local_cap = 0.0045; notional = 1000.0;",
     "reset_times = [0.25, 0.5, 0.75];",
     "reset_times = [0.15]; past = { level = " SECOND "; returns = 0.0045; };"},
    {"type = 'cliquet'; asset = 'A'; global_floor = 0.001; notional = 1000.0;",
     "reset_times = [0.25, 0.5];",
     "reset_times = []; past = { level = " SECOND "; returns = " RETURN "; };"},
    {"type = 'variance_swap'; asset = 'A'; strike_volatility = 0.001; notional = 1e6;",
     "fixing_times = [0.25, 0.5, 0.75, 1.0];",
     "fixing_times = [0.15, 0.4]; past = { years = 0.6; variance = " VARIANCE "; level = " SECOND
     "; };"},
    {"type = 'variance_swap'; asset = 'A'; strike_volatility = 0.001; notional = 1e6;",
     "fixing_times = [0.25, 0.5];",
     "fixing_times = []; past = { years = 0.6; variance = " VARIANCE "; };"},
    {MEMORY, "observation_times = [0.25, 0.5, 0.75, 1.0];",
     "observation_times = [0.15, 0.4]; past = { observations = 2; missed = 2; };"},
    {MEMORY, "observation_times = [0.25, 0.5];",
     "observation_times = []; past = { observations = 2; missed = 2; };"},
    {"type = 'lookback'; asset = 'A'; option = 'call'; strike_type = 'floating';",
     "monitoring = [0.25, 0.5, 0.75];", "monitoring = [0.15]; extreme = " FIRST ";"},
    {"type = 'lookback'; asset = 'A'; option = 'call'; strike_type = 'floating';",
     "monitoring = [0.25, 0.5];", "monitoring = []; extreme = " FIRST ";"},
    {"type = 'barrier'; asset = 'A'; option = 'call'; strike = 99.0; barrier = 100.8; "
     "direction = 'up'; knock = 'in';",
     "monitoring = [0.25, 0.5, 0.75];", "monitoring = [0.15]; hit = true;"},
    {"type = 'double_barrier'; asset = 'A'; option = 'call'; strike = 99.0; lower = 99.0; "
     "upper = 101.2; knock = 'out';",
     "monitoring = [0.25, 0.5];", "monitoring = []; hit = false;"},
    {"type = 'touch'; asset = 'A'; touch = 'one'; barrier = 100.8; direction = 'up'; "
     "cash = 10.0; pay_at = 'expiry';",
     "monitoring = [0.25, 0.5, 0.75];", "monitoring = []; hit = true;"}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Reads the book of all pairs, whose trades live 1.25 years from today on, as they are LATER or
 * today. */
static void load(bool later, struct book *book)
{
    const double today = later ? LATER : 0.0;
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    fprintf(file,
            "market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0.03; } ); "
            "assets = ( { name = 'A'; currency = 'EUR'; spot = %.17g; dividend_yield = 0.01; "
            "volatility = 0.0001; } ); };\nbook = { trades = (\n",
            spot(today));
    for (int i = 0; i < PAIRS; i++)
        fprintf(file, "{ id = '%d'; expiry = %.17g; %s %s},\n", i, 1.25 - today, pairs[i].always,
                later ? pairs[i].after : pairs[i].before);
    fputs(" ); };\n", file);
    assert_int_equal(fclose(file), 0);
    read_written(text, book);
}

TEST(test_before_and_after)
{
    const struct plan_settings settings = {.paths = 4096, .seed = 1, .max_step = 0.02};
    struct book books[2];
    struct tally tallies[2][PAIRS];
    for (int b = 0; b < 2; b++) {
        load(b, &books[b]);
        price_trades(&books[b].market, PAIRS, books[b].trades, &settings, tallies[b]);
    }
    double discount = exp(-0.03 * LATER);
    for (int i = 0; i < PAIRS; i++) {
        double values[2], references[2];
        for (int b = 0; b < 2; b++) {
            values[b] = (b ? discount : 1.0) * tallies[b][i].mean;
            references[b] =
                (b ? discount : 1.0) * reference_for(&books[b].market, &books[b].trades[i]).price;
        }
        double tolerance = 2e-3 + 2e-4 * fabs(values[0]);
        assert_true(values[0] > 0.1);
        if (!(fabs(values[0] - values[1]) <= tolerance &&
              fabs(values[0] - references[0]) <= tolerance &&
              fabs(values[0] - references[1]) <= tolerance))
            fail_msg("pair %d, %s: %.9g and %.9g, references %.9g and %.9g", i,
                     product_name(books[0].trades[i].product), values[0], values[1], references[0],
                     references[1]);
    }
    for (int b = 0; b < 2; b++) book_free(&books[b]);
}

ALL_TESTS_BETWEEN(past_test, begin_references, NULL)
