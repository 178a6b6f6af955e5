/* Estimates from tallies, and the verdicts of the check. */
#include "app/pricing/value/check.h"
#include "app/pricing/value/judge.h"
#include "app/pricing/value/make_estimates.h"
#include "app/pricing/base/estimate.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/written_book.h"

/* ---- estimates ------------------------------------------------------------------------------- */

TEST(price_is_for_the_whole_quantity)
{
    struct trade trades[2] = {{.id = "long", .quantity = 3.0}, {.id = "short", .quantity = -4.0}};
    struct tally tallies[2] = {{101.0, 2.0, 10100.0}, {101.0, 2.0, 10100.0}};
    struct refusal refusals[2] = {{{""}}};
    struct estimate *made = calloc(2, sizeof *made);
    assert_ok(estimates_make(NULL, 2, trades, tallies, refusals, made));
    assert_true(made[0].price == 6.0 && made[0].std_error == 3.0);
    assert_true(made[1].price == -8.0 && made[1].std_error == 4.0);
    assert_int_equal(made[0].verdict, VERDICT_UNCHECKED);
    assert_true(isnan(made[0].reference) && isnan(made[0].z));
    assert_null(made[0].message);
    estimates_free(2, made);
}

TEST(failures_keep_their_reason_and_stop_nobody)
{
    struct trade trades[5];
    struct tally tallies[5] = {{10.0, 1.0, 1.0},
                               {0.0, 0.0, 0.0},
                               {10.0, NAN, 1.0},
                               {10.0, 1.0, INFINITY},
                               {10.0, 1.0, 1.0}};
    struct refusal refusals[5] = {{{""}}, {{"too wild"}}, {{""}}, {{""}}, {{""}}};
    struct estimate *made = calloc(5, sizeof *made);
    for (int i = 0; i < 5; i++)
        trades[i] = (struct trade){.id = "T", .quantity = i == 4 ? 1e308 * 10.0 : 1.0};
    assert_ok(estimates_make(NULL, 5, trades, tallies, refusals, made));
    assert_int_equal(made[0].verdict, VERDICT_UNCHECKED);
    for (int i = 1; i < 5; i++) {
        assert_int_equal(made[i].verdict, VERDICT_FAILED);
        assert_true(isnan(made[i].price) && isnan(made[i].std_error));
        assert_non_null(made[i].message);
    }
    assert_string_equal(made[1].message, "too wild");
    estimates_free(5, made);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* Limits at a family-wise level of 0.001, to two decimals. */
TEST(limit_grows_with_the_book)
{
    assert_true(judge_limit(0) == judge_limit(1));
    assert_true(fabs(judge_limit(1) - 4.0) < 1e-9);
    assert_true(fabs(judge_limit(100) - 4.42) < 0.005);
    assert_true(fabs(judge_limit(1000) - 4.89) < 0.005);
    assert_true(fabs(judge_limit(10000) - 5.33) < 0.005);
    assert_true(fabs(judge_limit(100000) - 5.73) < 0.005);
}

/* The verdict on a million paths with a unit mean and a standard deviation, against a reference. */
static enum verdict verdict_on(double largest, double quantity, double mean, double deviation,
                               double reference, double error, double *z)
{
    struct trade trade = {.id = "T", .product = PRODUCT_EUROPEAN, .quantity = quantity};
    struct estimate estimate = {.unit = {1e6, mean, deviation * deviation * 1e6}};
    estimate.price = quantity * mean;
    estimate.std_error = fabs(quantity) * tally_standard_error(estimate.unit);
    estimate.reference = quantity * reference;
    estimate.reference_error = fabs(quantity) * error;
    enum verdict verdict = judge_price(&trade, 0.0, largest, 4.0, &estimate);
    *z = estimate.z;
    return verdict;
}

/* Cases against a reference and its error: a distance decides. A deterministic payoff has no error
 * of its own: the reference's bound decides. Where hardly a path pays there is nothing to say; a
 * payoff that is zero by mistake is found all the same. */
TEST(verdicts)
{
    static const struct {
        double largest, quantity, mean, deviation, reference, error;
        enum verdict verdict;
        double z; /* NAN: of no matter */
    } cases[] = {
        {200, 1, 10, 15, 10.05, 1e-10, VERDICT_OK, -0.05 / 0.015},
        {200, -7, 10, 15, 10.05, 1e-10, VERDICT_OK, 0.05 / 0.015},
        {200, 1, 10, 15, 10.1, 1e-10, VERDICT_DISAGREES, NAN},
        {200, 1, 10, 15, 9.9, 1e-10, VERDICT_DISAGREES, NAN},
        {200, 1, 10, 15, 9.9, 0.1, VERDICT_OK, NAN},
        {200, 1, 3, 0, 3, 0, VERDICT_OK, 0.0},
        {200, 1, 3, 0, 3 + 1e-12, 2e-12, VERDICT_OK, NAN},
        {200, 1, 3, 0, 3.1, 1e-12, VERDICT_DISAGREES, NAN},
        {200, 1, 3, 0, 2.9, 1e-12, VERDICT_DISAGREES, NAN},
        {200, 1, 0, 0, 1e-5, 1e-12, VERDICT_UNCHECKED, NAN},
        {200, -9, 0, 0, 1e-5, 1e-12, VERDICT_UNCHECKED, NAN},
        {200, 1, 0, 0, 0.01, 1e-12, VERDICT_DISAGREES, NAN},
        /* One path paid next to nothing: it says as little of the size of the others. */
        {200, 1, 1e-8, 1e-5, 1e-5, 1e-12, VERDICT_UNCHECKED, NAN},
        /* Two paths of a million pay 1 where ten should: Wald's test says 5.7 standard
         * errors, the score test 2.5. */
        {1, 1, 2e-6, sqrt(2e-6), 1e-5, 1e-12, VERDICT_UNCHECKED, -8e-6 / (sqrt(2e-6) * 1e-3)},
        {1, 1, 2e-6, sqrt(2e-6), 1e-4, 1e-12, VERDICT_DISAGREES, NAN},
        /* All paths pay cash of 3 that is worth 3.3 today, and one of 1e8 should not. */
        {3, 1, 3.3, 0, 3.3 - 3.3e-8, 1e-12, VERDICT_UNCHECKED, NAN},
        {3, 1, 3.3, 0, 3.3 - 3.3e-4, 1e-12, VERDICT_DISAGREES, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double z;
        assert_int_equal(verdict_on(cases[i].largest, cases[i].quantity, cases[i].mean,
                                    cases[i].deviation, cases[i].reference, cases[i].error, &z),
                         cases[i].verdict);
        assert_true(isnan(cases[i].z) || fabs(z - cases[i].z) < 1e-4);
    }
}

/* No path of a basket, a spread or an early exercise pays less than nothing: none that paid says
 * as little. */
TEST(options_on_several_assets_pay_one_way)
{
    const enum product products[] = {PRODUCT_BASKET, PRODUCT_SPREAD, PRODUCT_AMERICAN,
                                     PRODUCT_EUROPEAN};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct trade trade = {.id = "T", .product = products[i], .quantity = 1.0};
        struct estimate estimate = {.unit = {1024, 0, 0},
                                    .paths = 1024,
                                    .reference = 8e-4,
                                    .reference_error = 1.5e-4,
                                    .upper = NAN};
        assert_int_equal(judge_price(&trade, 0.0, 23.0, 4.0, &estimate), VERDICT_UNCHECKED);
        assert_true(!estimate.doubtful);
    }
}

/* A variance swap whose jumps are so rare that none was drawn: its error knows of none. One whose
 * jumps are drawn has no such excuse, nor a price that is further away than they can bring. */
TEST(jumps_that_are_not_drawn_are_no_fault)
{
    const struct {
        double intensity, below; /* the reference */
        enum verdict verdict;
    } cases[] = {{1e-5, 0.001, VERDICT_UNCHECKED},
                 {1e-5, 0.1, VERDICT_DISAGREES},
                 {1.0, 0.001, VERDICT_DISAGREES},
                 {0.0, 0.001, VERDICT_DISAGREES}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct book book;
        read_written(
            text_of(
                "market = { currencies = ( { name = 'EUR'; rate = 0; } ); assets = ("
                "{ name = 'A'; currency = 'EUR'; spot = 100; model = 'merton'; volatility = 0.2;"
                "jumps = { intensity = %g; mean = -0.1; stdev = 0.1; }; } ); };"
                "book = { trades = ( { id = 'T'; type = 'variance_swap'; asset = 'A'; expiry = 1;"
                "fixings = 4; notional = 1000; strike_volatility = 0; } ); };",
                cases[i].intensity),
            &book);
        const struct check_options options = {.mode = CHECK_ALL, .seed = 1, .threads = 1};
        double price = 0.0;
        for (int again = 0; again < 2; again++) {
            struct estimate estimate = {.unit = {8192, price, 1e-12},
                                        .paths = 8192,
                                        .price = price,
                                        .std_error = 1e-9,
                                        .upper = NAN,
                                        .reference_method = ""};
            assert_ok(check_book(&book.market, 1, book.trades, &options, &estimate, &said));
            price = estimate.reference - cases[i].below;
            if (again) assert_int_equal(estimate.verdict, cases[i].verdict);
            if (again) print_message("%g: %s\n", cases[i].intensity, estimate.message);
            free(estimate.message);
        }
        book_free(&book);
    }
}

/* What a trade turns on is its spot, its strike and what it pays: of the cash of 1 that every trade
 * is read with nothing where it pays none, or an exchange rate of 0.006 would be checked against
 * errors as large as its price. */
TEST(default_cash_is_no_stake)
{
    int first = 0;
    struct asset asset = {.spot = 0.006};
    const struct market market = {.n_assets = 1, .assets = &asset};
    struct trade trade = {
        .product = PRODUCT_EUROPEAN, .n_assets = 1, .assets = &first, .strike = 0.005, .cash = 1.0};
    assert_true(fabs(trade_stake(&market, &trade) - 0.011) < 1e-15);
    trade.product = PRODUCT_DIGITAL;
    assert_true(fabs(trade_stake(&market, &trade) - 1.011) < 1e-15);
    trade.payout = PAYOUT_ASSET;
    assert_true(fabs(trade_stake(&market, &trade) - 0.011) < 1e-15);
}

/* Few paths may miss their reference by a few payments; where more is missing, the price is
 * trouble. */
TEST(doubtful_is_what_chance_does_not_explain)
{
    static const struct {
        double paths, paying, expected, largest; /* paths that pay 1, and that should */
        bool doubtful;
    } cases[] = {{1e6, 0, 10, 1, false},
                 {1e6, 2, 10, 1, false},
                 {1024, 0, 15, 1, false},
                 {1024, 30, 70, 1, false} /* 7.3 of the sample's errors, but disagrees */,
                 {1e6, 40, 74, 1, true},
                 {1e6, 40, 74, 2, false},
                 {1e6, 74, 40, 1, false},
                 {1e6, 1e4, 10257, 0.5, false} /* agrees */,
                 {1e6, 3250, 3505, 1, false},
                 {1e6, 3250, 3507, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double n = cases[i].paths, mean = cases[i].paying / n, reference = cases[i].expected / n;
        for (int side = -1; side <= 1; side += 2) {
            const struct trade trade = {
                .id = "T", .product = PRODUCT_EUROPEAN, .quantity = 3.0 * side};
            struct estimate estimate = {.unit = {n, mean, n * mean * (1.0 - mean)}, .paths = n};
            estimate.price = trade.quantity * mean;
            estimate.std_error = fabs(trade.quantity) * tally_standard_error(estimate.unit);
            estimate.reference = trade.quantity * reference;
            estimate.verdict = judge_price(&trade, 0.0, cases[i].largest, 4.42, &estimate);
            assert_int_equal(estimate.doubtful, cases[i].doubtful);
            assert_int_equal(estimate_is_trouble(&estimate),
                             cases[i].doubtful || estimate.verdict == VERDICT_DISAGREES);
        }
    }
}

/* A reference whose error is more than a tenth of the price and four of the price's own is no
 * check; rounding is no such error, and what is beyond chance disagrees as ever. */
TEST(a_vague_reference_checks_nothing)
{
    static const struct {
        double price, std_error, reference, error;
        enum verdict verdict;
    } cases[] = {{0.003, 0.001, -0.07, 0.8, VERDICT_UNCHECKED},
                 {3.1, 0.002, 0.37, 2.7, VERDICT_UNCHECKED},
                 {-3.1, 0.002, -0.37, 2.7, VERDICT_UNCHECKED},
                 {3.1, 0.002, 3.2, 0.3, VERDICT_OK},
                 {3.1, 0.7, 0.37, 2.7, VERDICT_OK},
                 {3.1, 0.002, 0.37, 0.5, VERDICT_DISAGREES},
                 {0.0, 0.0, 1e-12, 2e-12, VERDICT_OK}};
    struct asset asset = {.spot = 100.0};
    int first = 0;
    const struct market market = {.n_assets = 1, .assets = &asset};
    const struct trade trade = {.product = PRODUCT_VARIANCE_SWAP,
                                .quantity = 1.0,
                                .n_assets = 1,
                                .assets = &first,
                                .notional = 1.0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct estimate estimate = estimate_unchecked(cases[i].price, cases[i].std_error);
        estimate.reference = cases[i].reference;
        estimate.reference_error = cases[i].error;
        snprintf(estimate.reference_method, sizeof estimate.reference_method, "monte carlo");
        assert_ok(judge_prices(&market, 1, &trade, NULL, 1.0, &estimate));
        assert_int_equal(estimate.verdict, cases[i].verdict);
        assert_int_equal(isnan(estimate.z), cases[i].verdict == VERDICT_UNCHECKED);
        if (i == 0)
            assert_string_equal(estimate.message,
                                "the reference is no check: its error is 0.8, the price 0.003");
        free(estimate.message);
    }
}

/* ---- the whole check ------------------------------------------------------------------------- */

/* Which trades a sample of the book checks, by id: fills checked [n]. */
static void sample(const struct market *market, int n, const struct trade *trades,
                   enum check_mode mode, uint64_t seed, int threads, bool *checked)
{
    struct check_options options = {.mode = mode, .seed = seed, .threads = threads};
    struct estimate *estimates = calloc((size_t)n, sizeof *estimates);
    for (int i = 0; i < n; i++)
        estimates[i] = (struct estimate){
            .reference_method = "", .verdict = VERDICT_UNCHECKED, .unit = {2, 1, 1}};
    assert_ok(check_book(market, n, trades, &options, estimates, &said));
    for (int i = 0; i < n; i++) checked[i] = estimates[i].reference_method[0] != '\0';
    estimates_free(n, estimates);
}

TEST(sample_depends_on_seed_and_id_alone)
{
    struct book book;
    read_file("validation/cases/published.cfg", &book);
    int n = book.n_trades, chosen = 0, differences = 0;
    bool products[N_PRODUCTS] = {false}, *first = calloc((size_t)n, 1),
         *again = calloc((size_t)n, 1);
    struct trade *reversed = calloc((size_t)n, sizeof *reversed);
    for (int i = 0; i < n; i++) reversed[i] = book.trades[n - 1 - i];
    sample(&book.market, n, book.trades, CHECK_SAMPLE, 1, 2, first);
    sample(&book.market, n, reversed, CHECK_SAMPLE, 1, 1, again);
    for (int i = 0; i < n; i++) {
        assert_int_equal(first[i], again[n - 1 - i]);
        chosen += first[i];
        products[book.trades[i].product] |= first[i];
    }
    assert_in_range(chosen, n / 25, n / 4);
    for (int i = 0; i < n; i++) assert_true(products[book.trades[i].product]);
    sample(&book.market, n, book.trades, CHECK_SAMPLE, 2, 2, again);
    for (int i = 0; i < n; i++) differences += first[i] != again[i];
    assert_true(differences > 0);
    free(first);
    free(again);
    free(reversed);
    book_free(&book);
}

TEST(five_fifths_are_the_book_whatever_the_seed)
{
    struct book book;
    read_file("inputs/desk.cfg", &book);
    int n = 24; /* of whose references none takes long */
    assert_true(book.n_trades > n);
    int *times = calloc((size_t)n, sizeof *times);
    bool *drawn = calloc((size_t)n, 1);
    for (int turn = 0; turn < 5; turn++) {
        int some = 0;
        sample(&book.market, n, book.trades, (enum check_mode)(CHECK_FIRST + turn), (uint64_t)turn,
               2, drawn);
        for (int i = 0; i < n; i++) some += drawn[i];
        for (int i = 0; i < n; i++) times[i] += drawn[i];
        assert_in_range(some, 1, n / 2);
    }
    for (int i = 0; i < n; i++) assert_int_equal(times[i], 1);
    free(times);
    free(drawn);
    book_free(&book);
}

TEST(stopped_check_says_so)
{
    struct trade trade = {.id = "T", .quantity = 1.0};
    struct market market = {0};
    struct estimate estimate = {.reference_method = "", .verdict = VERDICT_UNCHECKED};
    struct check_options options = {.mode = CHECK_ALL, .threads = 4, .stop = &stop_at_once};
    assert_int_equal(check_book(&market, 1, &trade, &options, &estimate, &said),
                     STATUS_INTERRUPTED);
}

ALL_TESTS(app_estimate_test)
