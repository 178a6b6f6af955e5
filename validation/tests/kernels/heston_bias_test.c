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
#include <gsl/gsl_errno.h>

#include "app/pricing/plan/plan_build.h"
#include "kernels/engine.h"
#include "models/math/tally.h"
#include "models/payoffs/product_numbers.h"
#include "validation/reference/reference.h"
#include "validation/tests/test.h"

enum { N_STRIKES = 3 };

enum { SV_I, CASE_1, CASE_2, CASE_3, N_CASES };

/* Spot is 100. */
static const struct {
    const char *name;
    double rate, expiry;
    struct heston heston;
} cases[N_CASES] = {
    [SV_I] = {"SV-I", 0.05, 5.0, {.v0 = 0.09, .kappa = 2.0, .theta = 0.09, .xi = 1.0, .rho = -0.3}},
    [CASE_1] = {"1 (SV-II)",
                0.0,
                10.0,
                {.v0 = 0.04, .kappa = 0.5, .theta = 0.04, .xi = 1.0, .rho = -0.9}},
    [CASE_2] = {"2", 0.0, 15.0, {.v0 = 0.04, .kappa = 0.3, .theta = 0.04, .xi = 0.9, .rho = -0.5}},
    [CASE_3] = {"3", 0.0, 5.0, {.v0 = 0.09, .kappa = 1.0, .theta = 0.09, .xi = 1.0, .rho = -0.3}},
};

static const double strikes[N_STRIKES] = {70.0, 100.0, 140.0};

/* Published: bias of a call on case 1 struck at 100 under full truncation, to half a unit of the
 * last digit. */
static const struct published {
    int steps;
    double bias;
} published[] = {{1, 6.371}, {2, 3.710}, {4, 2.041}};
static const double HALF_A_DIGIT = 0.0005;

/* ---- market and trades ----------------------------------------------------------------------- */

struct fixture {
    struct market market;
    struct currency currency;
    struct asset asset;
    double correlation;
    int only[1]; /* the list of a trade on one asset */
    struct trade puts[N_STRIKES];
};

/* Puts: their bias is that of the calls, the spot being a martingale under both schemes, and their
 * payoff is bounded. */
static void set_up(struct fixture *f, int which, enum heston_scheme scheme)
{
    static char name[] = "HESTON", money[] = "EUR";
    static const char *const ids[N_STRIKES] = {"70", "100", "140"};
    const double year = 1.0, none = 0.0;
    *f = (struct fixture){.correlation = 1.0};
    f->currency.name = money;
    f->asset =
        (struct asset){.name = name, .foreign_currency = -1, .spot = 100.0, .model = MODEL_HESTON};
    f->asset.heston = cases[which].heston;
    f->asset.heston.scheme = scheme;
    assert_ok(term_from_rates(&f->currency.rate, 1, &year, &cases[which].rate));
    assert_ok(term_from_rates(&f->asset.yield, 1, &year, &none));
    f->market = (struct market){1, &f->currency, 1, &f->asset, &f->correlation};
    for (int k = 0; k < N_STRIKES; k++)
        f->puts[k] = (struct trade){.id = (char *)ids[k],
                                    .product = PRODUCT_EUROPEAN,
                                    .n_assets = 1,
                                    .assets = f->only,
                                    .quanto = -1,
                                    .quantity = 1.0,
                                    .option = OPTION_PUT,
                                    .strike = strikes[k],
                                    .expiry = cases[which].expiry};
}

static void tear_down(struct fixture *f)
{
    term_free(&f->currency.rate);
    term_free(&f->asset.yield);
}

static double exact_put(const struct fixture *f, int k)
{
    struct reference reference;
    gsl_set_error_handler_off(); /* as the application does: failures are return codes */
    enum status status = reference_price(&f->market, &f->puts[k], 1, NULL, &reference, &said);
    if (status) print_message("%s\n", said.text);
    assert_ok(status);
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
    tear_down(&f);
    set_up(&f, CASE_1, SCHEME_QUADRATIC_EXPONENTIAL);
    assert_true(fabs(exact_put(&f, 1) + call_less_put(CASE_1, 100.0) - 13.0847) < 5.1e-5);
    tear_down(&f);
}

/* ---- through the engine ---------------------------------------------------------------------- */

struct bias {
    double value, error;
};

static void engine_biases(int which, enum heston_scheme scheme, int steps, uint64_t paths,
                          struct bias *biases)
{
    struct fixture f;
    struct plan plan;
    struct refusal refusals[N_STRIKES];
    struct tally tallies[N_STRIKES];
    struct engine_report report;
    memset(refusals, 0, sizeof refusals);
    set_up(&f, which, scheme);
    const struct plan_settings settings = {.paths = paths, .seed = 1, .max_step = 1.0 / steps};
    assert_ok(plan_build(&f.market, N_STRIKES, f.puts, &settings, &plan, refusals));
    assert_int_equal(plan.n_groups, 1);
    assert_int_equal(plan.groups[0].n_steps, (int)(steps * cases[which].expiry));
    assert_ok(engine_price(&cpu_engine, &plan, &(struct engine_options){.kernel = "auto"}, tallies,
                           NULL, &report, &said));
    for (int k = 0; k < N_STRIKES; k++)
        biases[k] =
            (struct bias){tallies[k].mean - exact_put(&f, k), tally_standard_error(tallies[k])};
    plan_free(&plan);
    tear_down(&f);
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

ALL_TESTS(heston_bias_test)
