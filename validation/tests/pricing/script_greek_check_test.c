/* Greeks of scripts beside those of their references: the references' lie within their errors of
 * the exact ones of products that pay the same, and a Greek that is off by a quarter is found.
 * Second slopes of what is decided are those of american. */
#include "validation/tests/price_trades.h"
#include "validation/tests/pricing/risk_book.h"

#define CALL(id, asset)                                                                            \
    "{ id = '" id "'; type = 'european'; asset = '" asset                                          \
    "'; option = 'call'; strike = 100.0; expiry = 1.0; },"                                         \
    "{ id = '" id                                                                                  \
    " script'; script = 'product c(asset s; date expiry; number strike)\\n  at expiry\\n    pay "  \
    "max(s(expiry) - strike, 0)'; asset = '" asset                                                 \
    "'; strike = 100.0; expiry = 1.0; quantity = -2; }"

#define DIGITAL                                                                                    \
    ",{ id = 'digital'; type = 'digital'; asset = 'A'; option = 'put'; strike = 100.0; "           \
    "payout = 'cash'; cash = 10.0; expiry = 1.0; },"                                               \
    "{ id = 'digital script'; script = 'product d(asset s; date expiry; number strike; "           \
    "money cash)\\n  at expiry\\n    if s(expiry) < strike: pay cash'; asset = 'A'; "              \
    "strike = 100.0; cash = 10.0; expiry = 1.0; quantity = -2; }"

#define PUT(id, asset)                                                                             \
    ",{ id = '" id "'; type = 'american'; asset = '" asset "'; option = 'put'; strike = 100.0; "   \
    "exercise_times = [0.25, 0.5, 0.75, 1.0]; expiry = 1.0; },"                                    \
    "{ id = '" id " script'; script = 'product p(asset s; dates when; date expiry; "               \
    "number strike)\\n  each t in when\\n    exercise holder pays max(strike - s(t), 0)\\n  at "   \
    "expiry\\n    pay max(strike - s(expiry), 0)'; asset = '" asset "'; strike = 100.0; "          \
    "when = [0.25, 0.5, 0.75]; expiry = 1.0; quantity = -2; }"

/* Trades 2 i, and -2 of the same as a script. */
#define TRADES CALL("call", "A") DIGITAL PUT("put", "A") "," CALL("heston", "H")
#define RISK "risk = { greeks = ['delta', 'gamma', 'vega', 'rho', 'theta']; };"

/* Fails unless a number of a script's Greek is -2 times the product's before it. */
static void assert_twice(const struct night *night, int column, int trade, double script,
                         double product, double error)
{
    if (!(fabs(script + 2.0 * product) <= error))
        fail_msg("%s of %s: %g, not %g +- %g", night->risk.sensitivities[column].name,
                 night->book.trades[trade].id, script, -2.0 * product, error);
}

TEST(test_references)
{
    struct night night;
    int compared = 0, checked = 0;
    make_checked_night("paths = 65536;", TRADES, RISK, &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 0; i < night.risk.n_trades; i += 2) {
            const struct greek_value *exact = risk_greek(&night.risk, s, i),
                                     *script = risk_greek(&night.risk, s, i + 1);
            if (isnan(exact->reference)) continue;
            double error = hypot(script->reference_error, 2.0 * exact->reference_error);
            assert_twice(&night, s, i + 1, script->reference, exact->reference,
                         4.0 * error + 2e-3 * fabs(script->reference));
            compared++;
            checked += isfinite(script->z);
        }
    print_message("%d Greeks, %d of them checked\n", compared, checked);
    assert_int_equal(compared, 20);
    assert_true(checked >= 15);
    assert_int_equal(night.risk.n_disagree, 0);
    free_night(&night);
}

#define WORST                                                                                      \
    ",{ id = 'worst'; type = 'american'; assets = ['A', 'B']; kind = 'worst_of'; "                 \
    "weights = [1.0, 2.0]; option = 'put'; strike = 100.0; exercise_times = [0.25, 0.5, 0.75, "    \
    "1.0]; expiry = 1.0; },"                                                                       \
    "{ id = 'worst script'; script = 'product w(assets two; dates when; date expiry; "             \
    "number strike, weight[two])\\n  each t in when\\n    exercise holder pays max(strike - "      \
    "min(weight[a] * a(t) for a in two), 0)\\n  at expiry\\n    pay max(strike - min(weight[a] * " \
    "a(expiry) for a in two), 0)'; assets = ['A', 'B']; weight = [1.0, 2.0]; strike = 100.0; "     \
    "when = [0.25, 0.5, 0.75]; expiry = 1.0; quantity = -2; }"

/* Where each market decides for itself the errors are 20 times as large as american's. */
TEST(test_second_slopes)
{
    struct night night;
    int compared = 0;
    make_night("paths = 65536;", CALL("call", "A") PUT("put", "A") WORST,
               "risk = { greeks = ['gamma', 'cross_gamma']; };", &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 2; i < night.risk.n_trades; i += 2) {
            const struct greek_value *american = risk_greek(&night.risk, s, i),
                                     *script = risk_greek(&night.risk, s, i + 1);
            if (isnan(american->value)) continue;
            assert_twice(&night, s, i + 1, script->value, american->value,
                         3.0 * hypot(script->std_error, 2.0 * american->std_error));
            assert_true(script->std_error <= 2.0 * 2.0 * american->std_error);
            compared++;
        }
    assert_int_equal(compared, 4);
    free_night(&night);
}

/* A decision sees what variance its path has: without, it is worth 1.4 % less under heston. */
TEST(test_variance)
{
    struct book book;
    struct plan plan;
    struct tally tallies[2];
    const struct plan_settings settings = {.paths = 1 << 18, .seed = 1, .max_step = 0.02};
    read_written(text_of("market = { currencies = ( { name = 'EUR'; rate = 0.05; } );"
                         "assets = ( { name = 'V'; currency = 'EUR'; spot = 100.0; model = "
                         "'heston'; heston = { v0 = 0.04; kappa = 2.0; theta = 0.04; xi = 0.4; "
                         "rho = -0.7; }; } ); }; book = { trades = ( %s ); };",
                         PUT("put", "V") + 1),
                 &book);
    plan_trades(&book.market, 2, book.trades, &settings, &plan);
    fit_policies(&plan, 2);
    price_plan(&plan, "auto", 2, tallies);
    double put = tallies[0].mean, script = tallies[1].mean;
    print_message("put %g, script %g\n", put, script);
    assert_true(fabs(script / put - 1.0) < 0.006);
    plan_free(&plan);
    book_free(&book);
}

#define TOUCH(id)                                                                                  \
    "{ id = '" id "'; type = 'touch'; touch = 'one'; asset = 'A'; barrier = 110.0; direction = "   \
    "'up'; pay_at = 'hit'; cash = 10.0; monitoring = [0.25, 0.5, 0.75, 1.0]; expiry = 1.0; },"
#define DECIDING(id, begin, block)                                                                 \
    "{ id = '" id "'; asset = 'A'; when = [0.25, 0.5, 0.75]; expiry = 1.0; quantity = -2; "        \
    "script = 'product p(asset s; dates when; date expiry)\\n  " begin                             \
    "each t in when\\n    " block "\\n  at expiry\\n    pay 10 if s(expiry) >= 110 else 0'; }"

/* What exercise brings, or going on, may jump where the market moves: a touch that is looked at on
 * dates, as what its holder may take on them. */
TEST(test_jumping_decisions)
{
    struct night night;
    make_night("paths = 65536;",
               TOUCH("touch")
                   DECIDING("amount", "",
                            "exercise holder pays (10 if s(t) >= 110 else 0)") "," TOUCH("again")
                       DECIDING("state", "number due = 0\\n  ",
                                "due = 10 if s(t) >= 110 else 0\\n    "
                                "exercise holder pays due"),
               "risk = { greeks = ['delta', 'vega', 'rho', 'theta']; };", &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 0; i < night.risk.n_trades; i += 2) {
            const struct greek_value *touch = risk_greek(&night.risk, s, i),
                                     *script = risk_greek(&night.risk, s, i + 1);
            if (isnan(touch->value)) continue;
            assert_twice(&night, s, i + 1, script->value, touch->value,
                         3.5 * hypot(script->std_error, 2.0 * touch->std_error));
        }
    free_night(&night);
}

/* Vega and delta have references that are good to much less than a quarter. */
TEST(test_wrong)
{
    struct night night;
    make_night("paths = 262144;", CALL("call", "A") DIGITAL,
               "risk = { greeks = ['delta', 'vega']; };", &night);
    int n = night.risk.n_trades;
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 1; i < n; i += 2) {
            struct greek_value *greek = risk_own_greek(&night.risk, s, i);
            if (greek) greek->value *= 1.25;
        }
    check(&night.book, &night.risk);
    assert_int_equal(greeks_count(&night.risk).checked, 2 * n);
    assert_int_equal(greeks_count(&night.risk).beyond, n);
    assert_int_equal(night.risk.n_disagree, n);
    free_night(&night);
}

ALL_TESTS_BETWEEN(script_greek_check_test, begin_references, NULL)
