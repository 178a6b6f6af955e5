/* Whether prices are right and their error bars honest, judged over many seeds: with z = (price -
 * reference) / standard error, a trade's pooled z, the sum of z over the seeds divided by its root,
 * sees a price that is wrong by far less than one error bar, and its sum of z^2, a chi-square, sees
 * a wrong error bar. 100 seeds of few paths; with --long 200 of many, and independent trades.
 *
 * Seeds are independent; trades of one seed share their paths and are not. So a trade is judged
 * over its seeds, and the book by one sum a seed, whose spread over the seeds is measured. Limits
 * are two-sided p-values of 1e-3 for all tests of a run together (Bonferroni): |pooled z| < 4.5 for
 * 76 trades, seldom enough at seeds that never change.
 *
 * A z from n values of skewness g has mean -g / (2 sqrt n) and E[z^2] = 1 + (2 g^2 + 3) / n: at the
 * long run's paths a skewness of 10 moves a pooled z by 0.28 and its mean z^2 by 0.3 %, else by 0.4
 * and 1.2 %, which is little beside the limits.
 *
 * Measured on other seeds of the long run: 12 runs of the whole book without a false alarm, pooled
 * z up to 3.1; volatilities wrong by 0.2 % seen in 54 or 55 of 76 trades and in the book's sum at t
 * = 20 to 22 (3 runs); error bars 5 % too small seen in 40 runs of 40, with p < 5e-8, too large
 * ones in all of them, and right ones never blamed. One trade's 200 z alone could not do this:
 * there 5 % moves the chi-square by one of its deviations. The short run has an eighth of the
 * paths, and its error bars are 2.8 times as wide. */
#include <gsl/gsl_cdf.h>

#include "validation/tests/every_product.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/with_references.h"

enum {
    MOST_SEEDS = 200,
    MOST_TRADES = EVERY_PRODUCT_TRADES,
    INDEPENDENT = FLAT_ASSETS_MOST,
    INDEPENDENT_PATHS = 17 * 1024
};
static const double FAMILY =
    1e-3; /* probability that a correct engine fails one of the tests of a run */
static int seeds = 100;
static uint64_t book_paths = 16384;

/* A book priced under every seed, against its references. */
struct sample {
    int n;
    double reference[MOST_TRADES];
    double error[MOST_TRADES]; /* mean standard error */
    bool exact[MOST_TRADES];   /* no spread under any seed, so no z: the price is the reference */
    double z[MOST_SEEDS][MOST_TRADES]; /* 0 where exact */
};

/* A trade's reference, whose own error must be nothing beside the pooled error bar. */
static double exact_price(const struct market *market, const struct trade *trade,
                          double standard_error)
{
    const struct reference reference = reference_for(market, trade);
    assert_true(standard_error == 0.0 || sqrt(seeds) * reference.error < 0.01 * standard_error);
    return reference.price;
}

static void compare(struct sample *sample, int seed, int trade, struct tally tally)
{
    double off = tally.mean - sample->reference[trade], error = tally_standard_error(tally);
    if (sample->exact[trade]) {
        assert_true(fabs(off) <= 1e-11 * fabs(sample->reference[trade]));
        return;
    }
    assert_true(error > 0.0);
    sample->z[seed][trade] = off / error;
}

/* Prices the trades under so many seeds from `first` on, against their references. */
static struct sample *sample_make(const struct market *market, int n, const struct trade *trades,
                                  uint64_t paths, uint64_t first)
{
    struct tally(*tallies)[MOST_TRADES] = calloc((size_t)seeds, sizeof *tallies);
    struct sample *sample = calloc(1, sizeof *sample);
    assert_true(tallies && sample && n <= MOST_TRADES);
    sample->n = n;
    for (int s = 0; s < seeds; s++) {
        const struct plan_settings settings = {
            .paths = paths, .seed = first + (uint64_t)s, .max_step = 0.02};
        price_trades(market, n, trades, &settings, tallies[s]);
        for (int i = 0; i < n; i++) sample->error[i] += tally_standard_error(tallies[s][i]) / seeds;
    }
    for (int i = 0; i < n; i++) {
        sample->exact[i] = sample->error[i] == 0.0;
        sample->reference[i] = exact_price(market, &trades[i], sample->error[i]);
        for (int s = 0; s < seeds; s++) compare(sample, s, i, tallies[s][i]);
    }
    free(tallies);
    return sample;
}

/* ---- statistics: each returns a two-sided p-value; `*value` is what a person reads ----------- */

static double pooled(const struct sample *sample, int trade, double *value)
{
    double sum = 0.0;
    for (int s = 0; s < seeds; s++) sum += sample->z[s][trade];
    *value = sum / sqrt(seeds);
    return 2.0 * gsl_cdf_ugaussian_Q(fabs(*value));
}

/* *value: per degree of freedom. */
static double chi_square(const struct sample *sample, int trade, double *value)
{
    double sum = 0.0;
    for (int s = 0; s < seeds; s++) sum += sample->z[s][trade] * sample->z[s][trade];
    *value = sum / seeds;
    return 2.0 * fmin(gsl_cdf_chisq_P(sum, seeds), gsl_cdf_chisq_Q(sum, seeds));
}

/* Of the sum over the book of z (power 1) or of z^2 (power 2) a seed, against its expectation:
 * Student's t, for the correlations of the trades are not known. */
static double whole_book(const struct sample *sample, int power, double *value)
{
    struct tally sums = {0};
    double expected = 0.0;
    for (int i = 0; i < sample->n; i++) expected += power == 2 && !sample->exact[i];
    for (int s = 0; s < seeds; s++) {
        double sum = 0.0;
        for (int i = 0; i < sample->n; i++) sum += pow(sample->z[s][i], power);
        sums = tally_add(sums, sum);
    }
    *value = (sums.mean - expected) / tally_standard_error(sums);
    double p = gsl_cdf_tdist_P(*value, seeds - 1);
    return 2.0 * fmin(p, 1.0 - p);
}

/* Of z^2 over trades that are independent: one chi-square. *value: per degree of freedom. */
static double independent_chi_square(const struct sample *sample, double *value)
{
    double sum = 0.0, freedom = (double)seeds * sample->n;
    for (int s = 0; s < seeds; s++)
        for (int i = 0; i < sample->n; i++) sum += pow(sample->z[s][i], 2.0);
    *value = sum / freedom;
    return 2.0 * fmin(gsl_cdf_chisq_P(sum, freedom), gsl_cdf_chisq_Q(sum, freedom));
}

/* ---- every product --------------------------------------------------------------------------- */

/* The most unlikely p-value that a run of one book may have: each trade has two tests, the book
 * two. */
static double least_p(const struct sample *sample)
{
    return FAMILY / (2.0 * sample->n + 2.0);
}

/* Releases the trades that have no reference as exact as the seeds need: those listed after the
 * forward start, whose references are simulated or, for early exercise, of another policy. */
static void leave_exact(struct every_product *book)
{
    int kept = 0;
    for (int i = 0; i < book->n_trades; i++) {
        struct trade *trade = &book->trades[i];
        if (trade->product <= PRODUCT_FORWARD_START) {
            book->trades[kept++] = *trade;
        } else {
            trade->id = NULL; /* the book's own */
            trade_free(trade);
        }
    }
    book->n_trades = kept;
}

/* Every product, and an option that always pays the same. */
static void book_make(struct every_product *book)
{
    every_product_make(book, 0.0);
    leave_exact(book);
    int *first = calloc(1, sizeof *first);
    assert_true(first && book->n_trades < EVERY_PRODUCT_TRADES);
    struct trade *certain = &book->trades[book->n_trades++];
    *certain = option_on(0, OPTION_CALL, 1e-6, 0.5);
    certain->product = PRODUCT_DIGITAL;
    certain->cash = 7.0;
    certain->assets = first;
}

/* One line a product: the worst of its trades. Returns how many tests failed. */
static int print_product(const struct sample *sample, const struct trade *trades, int product)
{
    int count = 0, failed = 0;
    double worst = 0.0, least = INFINITY, most = 0.0;
    for (int i = 0; i < sample->n; i++) {
        double z, chi;
        if (trades[i].product != product || sample->exact[i]) continue;
        count++;
        failed += pooled(sample, i, &z) < least_p(sample);
        failed += chi_square(sample, i, &chi) < least_p(sample);
        worst = fabs(z) > fabs(worst) ? z : worst;
        least = fmin(least, chi);
        most = fmax(most, chi);
    }
    if (!count) return 0;
    print_message("%-14s %6d %12.2f %8.3f to %.3f %7d\n", product_name(product), count, worst,
                  least, most, failed);
    return failed;
}

static int print_sample(const char *title, const struct sample *sample, const struct trade *trades)
{
    double z, chi;
    int failed = 0;
    bool seen_z = whole_book(sample, 1, &z) < least_p(sample),
         seen_chi = whole_book(sample, 2, &chi) < least_p(sample);
    print_message("%s\n%-14s %6s %12s %17s %7s\n", title, "product", "trades", "worst pooled",
                  "mean z^2", "beyond");
    for (int p = 0; p < N_PAYOFFS; p++) failed += print_product(sample, trades, p);
    print_message("%-14s %6d %12.2f %8.2f as t       %7d\n", "the book", sample->n, z, chi,
                  seen_z + seen_chi);
    return failed + seen_z + seen_chi;
}

static void judge_every_product(void)
{
    struct every_product book;
    book_make(&book);
    struct sample *sample = sample_make(&book.market, book.n_trades, book.trades, book_paths, 1000);
    int exact = 0;
    for (int i = 0; i < sample->n; i++) exact += sample->exact[i];
    assert_int_equal(print_sample("the engine as it is", sample, book.trades), 0);
    assert_int_equal(exact, 1);
    free(sample);
    every_product_free(&book);
}

TEST(test_every_product)
{
    judge_every_product();
}

LONG_TEST(test_every_product_long)
{
    seeds = MOST_SEEDS, book_paths = 65536;
    judge_every_product();
}

/* ---- error bars: one trade on each of many assets, which share no random number -------------- */

/* Payoffs of small skewness, so that z^2 has mean 1 (see the top of the file), one of each kind in
 * turn. */
static struct trade independent_trade(int i)
{
    static double fixings[8] = {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0};
    struct trade t = option_on(i, OPTION_CALL, 100.0, 1.0);
    t.option = i / 8 % 2 ? OPTION_PUT : OPTION_CALL;
    t.cash = 10.0;
    switch (i % 8) {
    case 0: t.product = PRODUCT_EUROPEAN; break;
    case 1: t.product = PRODUCT_DIGITAL; break;
    case 2:
    case 3:
        t.product = PRODUCT_ASIAN;
        t.averaging = i % 8 == 3 ? AVERAGING_GEOMETRIC : AVERAGING_ARITHMETIC;
        t.fixings = (struct schedule){.n = 8, .times = fixings};
        break;
    case 4:
        t.product = PRODUCT_BARRIER;
        t.direction = t.option == OPTION_CALL ? DIRECTION_DOWN : DIRECTION_UP;
        t.barrier = t.option == OPTION_CALL ? 85.0 : 115.0;
        t.monitoring.continuous = true;
        break;
    case 5:
        t.product = PRODUCT_TOUCH;
        t.touch = TOUCH_NO;
        t.lower = 75.0, t.upper = 130.0;
        t.pay_at = PAY_AT_EXPIRY;
        t.monitoring.continuous = true;
        break;
    case 6:
        t.product = PRODUCT_LOOKBACK;
        t.monitoring.continuous = true;
        break;
    default:
        t.product = PRODUCT_FORWARD_START;
        t.start = 0.5;
        t.strike_ratio = 1.0;
    }
    return t;
}

/* 12800 values of z^2: their mean has a standard error of 1.25 %, and error bars 5 % too small
 * would add 10.8 %. */
LONG_TEST(test_error_bars_long)
{
    seeds = MOST_SEEDS;
    struct flat_assets flat;
    struct trade trades[INDEPENDENT];
    double value;
    flat_assets_make(&flat, INDEPENDENT, MODEL_BLACK_SCHOLES, 0.03, 0.01, 0.2);
    for (int i = 0; i < INDEPENDENT; i++) {
        flat_volatility(&flat, i, 0.18 + 0.001 * i);
        trades[i] = independent_trade(i);
    }
    struct sample *sample = sample_make(&flat.market, INDEPENDENT, trades, INDEPENDENT_PATHS, 5000);
    double p = independent_chi_square(sample, &value);
    print_message("error bars over %d independent z: mean z^2 %.4f (p %.2g)\n", seeds * INDEPENDENT,
                  value, p);
    assert_true(p > FAMILY);
    assert_int_equal(print_sample("one trade an asset", sample, trades), 0);
    free(sample);
}

ALL_TESTS_BETWEEN(statistics_test, begin_references, NULL)
