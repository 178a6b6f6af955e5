/* Greeks of scripts beside those of their references: the references' lie within their errors of
 * the exact ones of products that pay the same, and a Greek that is off by a quarter is found.
 * Second slopes of what is decided are those of american. */
#define _XOPEN_SOURCE 700
#include "validation/tests/pricing/risk_book.h"

#define CALL(id, asset)                                                                            \
    "{ id = \"" id "\"; type = \"european\"; asset = \"" asset "\"; option = \"call\"; strike = "  \
    "100.0; expiry = 1.0; },"                                                                      \
    "{ id = \"" id " script\"; script = \"product c(asset s; date expiry; number strike)\\n  at "  \
    "expiry\\n    pay max(s(expiry) - strike, 0)\"; asset = \"" asset "\"; strike = 100.0; "       \
    "expiry = 1.0; quantity = -2; }"

#define DIGITAL                                                                                    \
    ",{ id = \"digital\"; type = \"digital\"; asset = \"A\"; option = \"put\"; strike = 100.0; "   \
    "payout = \"cash\"; cash = 10.0; expiry = 1.0; },"                                             \
    "{ id = \"digital script\"; script = \"product d(asset s; date expiry; number strike; money "  \
    "cash)\\n  at expiry\\n    if s(expiry) < strike: pay cash\"; asset = \"A\"; strike = 100.0; " \
    "cash = 10.0; expiry = 1.0; quantity = -2; }"

#define PUT                                                                                        \
    ",{ id = \"put\"; type = \"american\"; asset = \"A\"; option = \"put\"; strike = 100.0; "      \
    "exercise_times = [0.25, 0.5, 0.75, 1.0]; expiry = 1.0; },"                                    \
    "{ id = \"put script\"; script = \"product p(asset s; dates when; date expiry; number "        \
    "strike)\\n  each t in when\\n    exercise holder pays max(strike - s(t), 0)\\n  at "          \
    "expiry\\n    pay max(strike - s(expiry), 0)\"; asset = \"A\"; strike = 100.0; when = [0.25, " \
    "0.5, 0.75]; expiry = 1.0; quantity = -2; }"

/* Trades 2 i, and -2 of the same as a script. */
#define TRADES CALL("call", "A") DIGITAL PUT "," CALL("heston", "H")
#define RISK "risk = { greeks = [\"delta\", \"gamma\", \"vega\", \"rho\", \"theta\"]; };"

TEST(test_references)
{
    struct book book;
    struct risk risk;
    int compared = 0, checked = 0;
    load("paths = 65536;", TRADES, RISK, &book);
    make(&book, 1, &risk);
    check(&book, &risk);
    for (int s = 0; s < risk.n_sensitivities; s++)
        for (int i = 0; i < risk.n_trades; i += 2) {
            const struct greek_value *exact = risk_greek(&risk, s, i),
                                     *script = risk_greek(&risk, s, i + 1);
            if (isnan(exact->reference)) continue;
            double error = hypot(script->reference_error, 2.0 * exact->reference_error);
            double distance = script->reference + 2.0 * exact->reference;
            if (!(fabs(distance) <= 4.0 * error + 2e-3 * fabs(script->reference)))
                fail_msg("%s of %s: %g +- %g, not %g", risk.sensitivities[s].name,
                         book.trades[i + 1].id, script->reference, script->reference_error,
                         -2.0 * exact->reference);
            compared++;
            checked += isfinite(script->z);
        }
    print_message("%d Greeks, %d of them checked\n", compared, checked);
    assert_int_equal(compared, 20);
    assert_true(checked >= 15);
    assert_int_equal(risk.n_disagree, 0);
    risk_free(&risk);
    book_free(&book);
}

#define WORST                                                                                      \
    ",{ id = \"worst\"; type = \"american\"; assets = [\"A\", \"B\"]; kind = \"worst_of\"; "       \
    "weights = [1.0, 2.0]; option = \"put\"; strike = 100.0; "                                     \
    "exercise_times = [0.25, 0.5, 0.75, 1.0]; expiry = 1.0; },"                                    \
    "{ id = \"worst script\"; script = \"product w(assets two; dates when; date expiry; number "   \
    "strike, weight[two])\\n  each t in when\\n    exercise holder pays max(strike - "             \
    "min(weight[a] * a(t) for a in two), 0)\\n  at expiry\\n    pay max(strike - min(weight[a] * " \
    "a(expiry) for a in two), 0)\"; assets = [\"A\", \"B\"]; weight = [1.0, 2.0]; strike = "       \
    "100.0; when = [0.25, 0.5, 0.75]; expiry = 1.0; quantity = -2; }"

/* Where each market decides for itself the errors are 20 times as large as american's. */
TEST(test_second_slopes)
{
    struct book book;
    struct risk risk;
    int compared = 0;
    load("paths = 65536;", CALL("call", "A") PUT WORST,
         "risk = { greeks = [\"gamma\", \"cross_gamma\"]; };", &book);
    make(&book, 1, &risk);
    for (int s = 0; s < risk.n_sensitivities; s++)
        for (int i = 2; i < risk.n_trades; i += 2) {
            const struct greek_value *american = risk_greek(&risk, s, i),
                                     *script = risk_greek(&risk, s, i + 1);
            if (isnan(american->value)) continue;
            double error = hypot(script->std_error, 2.0 * american->std_error);
            if (!(fabs(script->value + 2.0 * american->value) <= 3.0 * error) ||
                !(script->std_error <= 2.0 * 2.0 * american->std_error))
                fail_msg("%s of %s: %g +- %g, not %g +- %g", risk.sensitivities[s].name,
                         book.trades[i + 1].id, script->value, script->std_error,
                         -2.0 * american->value, 2.0 * american->std_error);
            compared++;
        }
    assert_int_equal(compared, 4);
    risk_free(&risk);
    book_free(&book);
}

/* Vega and delta have references that are good to much less than a quarter. */
TEST(test_wrong)
{
    struct book book;
    struct risk risk;
    load("paths = 262144;", CALL("call", "A") DIGITAL,
         "risk = { greeks = [\"delta\", \"vega\"]; };", &book);
    make(&book, 1, &risk);
    for (int s = 0; s < risk.n_sensitivities; s++)
        for (int i = 1; i < risk.n_trades; i += 2) {
            struct greek_value *greek = risk_own_greek(&risk, s, i);
            if (greek) greek->value *= 1.25;
        }
    check(&book, &risk);
    assert_int_equal(greeks_count(&risk).checked, 2 * risk.n_trades);
    assert_int_equal(greeks_count(&risk).beyond, risk.n_trades);
    assert_int_equal(risk.n_disagree, risk.n_trades);
    risk_free(&risk);
    book_free(&book);
}

TEST_MAIN(script_greek_check_test)
{
    reference_begin();
    return run_own_tests("script_greek_check_test", false, NULL, NULL);
}
