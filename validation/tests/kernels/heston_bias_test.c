/* The bias of the two schemes of heston.h at few steps a year, against exact prices and against the
 * figures published for full truncation.
 *
 * SV-I and SV-II are the examples of R. Lord, R. Koekkoek and D. van Dijk, A comparison of biased
 * simulation schemes for stochastic volatility models, Quantitative Finance 10 (2010) 177-194; case
 * 1 is SV-II on other strikes. Cases 1 to 3 are those of L. Andersen, Simple and efficient
 * simulation of the Heston stochastic volatility model, Journal of Computational Finance 11(3),
 * 2008.
 *
 * The book's own road, from a plan through the CPU engine, gives the published figures and a
 * smaller bias of the quadratic-exponential scheme. */
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/with_references.h"

enum { N_STRIKES = 3 };

enum { SV_I, CASE_1, CASE_2, CASE_3, N_CASES };

/* Spot is 100. */
static const struct {
    const char *name;
    double rate, expiry;
    struct heston heston;
} cases[N_CASES] = {
    [SV_I] = {"SV-I", 0.05, 5.0, {0.09, 2.0, 0.09, 1.0, -0.3, 0}},
    [CASE_1] = {"1 (SV-II)", 0.0, 10.0, {0.04, 0.5, 0.04, 1.0, -0.9, 0}},
    [CASE_2] = {"2", 0.0, 15.0, {0.04, 0.3, 0.04, 0.9, -0.5, 0}},
    [CASE_3] = {"3", 0.0, 5.0, {0.09, 1.0, 0.09, 1.0, -0.3, 0}},
};

static const double strikes[N_STRIKES] = {70.0, 100.0, 140.0};

/* Published: bias of a call on case 1 struck at 100 under full truncation, to half a unit of the
 * last digit. */
static const struct published {
    int steps;
    double bias;
} published[] = {{1, 6.371}, {2, 3.710}, {4, 2.041}};
static const double HALF_A_DIGIT = 0.0005;

struct fixture {
    struct flat_market flat;
    struct trade puts[N_STRIKES];
};

/* Puts: their bias is that of the calls, the spot being a martingale under both schemes, and their
 * payoff is bounded. */
static void set_up(struct fixture *f, int which, enum heston_scheme scheme)
{
    flat_market_make(&f->flat, MODEL_HESTON, cases[which].rate, 0.0, 0.0);
    f->flat.asset.heston = cases[which].heston;
    f->flat.asset.heston.scheme = scheme;
    for (int k = 0; k < N_STRIKES; k++)
        f->puts[k] = option_on(0, OPTION_PUT, strikes[k], cases[which].expiry);
}

static double exact_put(const struct fixture *f, int k)
{
    const struct reference reference = reference_for(&f->flat.market, &f->puts[k]);
    assert_true(reference.error < 1e-5);
    return reference.price;
}

static double call_less_put(int which, double strike)
{
    return 100.0 - strike * exp(-cases[which].rate * cases[which].expiry);
}

/* The parameters are the published ones: they have the published prices. */
TEST(test_exact_prices)
{
    struct fixture f;
    set_up(&f, SV_I, SCHEME_QUADRATIC_EXPONENTIAL);
    assert_true(fabs(exact_put(&f, 1) + call_less_put(SV_I, 100.0) - 34.9998) < 5.1e-5);
    set_up(&f, CASE_1, SCHEME_QUADRATIC_EXPONENTIAL);
    assert_true(fabs(exact_put(&f, 1) + call_less_put(CASE_1, 100.0) - 13.0847) < 5.1e-5);
}

struct bias {
    double value, error;
};

static void engine_biases(int which, enum heston_scheme scheme, int steps, uint64_t paths,
                          struct bias *biases)
{
    struct fixture f;
    struct plan plan;
    struct tally tallies[N_STRIKES];
    set_up(&f, which, scheme);
    const struct plan_settings settings = {.paths = paths, .seed = 1, .max_step = 1.0 / steps};
    plan_trades(&f.flat.market, N_STRIKES, f.puts, &settings, &plan);
    assert_int_equal(plan.n_groups, 1);
    assert_int_equal(plan.groups[0].n_steps, (int)(steps * cases[which].expiry));
    price_plan(&plan, "auto", 0, tallies);
    for (int k = 0; k < N_STRIKES; k++)
        biases[k] =
            (struct bias){tallies[k].mean - exact_put(&f, k), tally_standard_error(tallies[k])};
    plan_free(&plan);
}

TEST(test_full_truncation_has_the_published_bias)
{
    struct bias biases[N_STRIKES];
    for (int i = 0; i < 3; i++) {
        engine_biases(CASE_1, SCHEME_FULL_TRUNCATION, published[i].steps, 1 << 19, biases);
        print_message("full truncation, %d a year: %.4f (%.4f), published %.3f\n",
                      published[i].steps, biases[1].value, biases[1].error, published[i].bias);
        assert_true(fabs(biases[1].value - published[i].bias) <=
                    4.0 * biases[1].error + HALF_A_DIGIT);
        assert_true(biases[1].error < 0.05);
    }
}

TEST(test_quadratic_exponential_has_less)
{
    struct bias less[N_STRIKES], more[N_STRIKES];
    for (int which = CASE_1; which <= CASE_3; which++) {
        engine_biases(which, SCHEME_QUADRATIC_EXPONENTIAL, 4, 1 << 18, less);
        engine_biases(which, SCHEME_FULL_TRUNCATION, 4, 1 << 18, more);
        for (int k = 0; k < N_STRIKES; k++) {
            print_message(
                "case %s, strike %g, 4 a year: %.3f (%.3f), full truncation %.3f (%.3f)\n",
                cases[which].name, strikes[k], less[k].value, less[k].error, more[k].value,
                more[k].error);
            assert_true(fabs(less[k].value) <= 0.05 + 4.0 * less[k].error);
            assert_true(more[k].value > 0.2 - 4.0 * more[k].error);
        }
    }
}

ALL_TESTS_BETWEEN(heston_bias_test, begin_references, NULL)
