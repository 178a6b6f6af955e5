/* The order in which scenarios are cut into plans: a grid's by volatility, everything else as it
 * stands in the book. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "app/pricing/pnl/scenario_order.h"

enum { SPOTS = 13, VOLATILITIES = 7, CELLS = SPOTS * VOLATILITIES, BESIDE = 2, DAYS = 40 };

static void expect_book_order(int n, const struct scenario_request *requests)
{
    int order[DAYS + CELLS];
    scenario_order(n, requests, order);
    for (int i = 0; i < n; i++) assert_int_equal(order[i], i);
}

/* Spot after spot with every volatility, between scenarios that shock other things. */
static void test_grid(void **state)
{
    (void)state;
    struct shock shocks[CELLS][2], rate = {SHOCK_RATE, EVERY, EVERY, EVERY, 0.01};
    struct scenario_request requests[CELLS + 2 * BESIDE];
    int order[CELLS + 2 * BESIDE], n = 0;
    for (int i = 0; i < BESIDE; i++)
        requests[n++] = (struct scenario_request){.n_shocks = 1, .shocks = &rate};
    for (int c = 0; c < CELLS; c++) {
        double spot = 0.05 * (c / VOLATILITIES - 6), volatility = 0.01 * (c % VOLATILITIES - 3);
        shocks[c][0] = (struct shock){SHOCK_SPOT, EVERY, EVERY, EVERY, spot};
        shocks[c][1] = (struct shock){SHOCK_VOLATILITY, EVERY, EVERY, EVERY, volatility};
        requests[n++] = (struct scenario_request){.n_shocks = 2, .shocks = shocks[c]};
    }
    for (int i = 0; i < BESIDE; i++)
        requests[n++] = (struct scenario_request){.n_shocks = 1, .shocks = &rate};
    scenario_order(n, requests, order);
    for (int i = 0; i < BESIDE; i++) {
        assert_int_equal(order[i], i);
        assert_int_equal(order[BESIDE + CELLS + i], BESIDE + CELLS + i);
    }
    for (int i = 0; i < CELLS; i++)
        assert_int_equal(order[BESIDE + i], BESIDE + i % SPOTS * VOLATILITIES + i / SPOTS);
}

/* Past days move everything, each by its own amounts. */
static void test_days(void **state)
{
    (void)state;
    struct shock shocks[DAYS][2];
    struct scenario_request requests[DAYS];
    for (int d = 0; d < DAYS; d++) {
        shocks[d][0] = (struct shock){SHOCK_SPOT, 0, EVERY, EVERY, 0.001 * d};
        shocks[d][1] = (struct shock){SHOCK_VOLATILITY, 0, EVERY, EVERY, 0.002 * (20 - d)};
        requests[d] = (struct scenario_request){.n_shocks = 2, .shocks = shocks[d]};
    }
    expect_book_order(DAYS, requests);
}

/* Scenarios that walk the same but shock different assets see different trades. */
static void test_other_targets(void **state)
{
    (void)state;
    struct shock shocks[DAYS];
    struct scenario_request requests[DAYS];
    for (int i = 0; i < DAYS; i++) {
        enum shock_kind what = i % 3 == 2 ? SHOCK_VOLATILITY : SHOCK_SPOT;
        shocks[i] = (struct shock){what, i % 3, EVERY, EVERY, 0.01};
        requests[i] = (struct scenario_request){.n_shocks = 1, .shocks = &shocks[i]};
    }
    expect_book_order(DAYS, requests);
    for (int i = 0; i < DAYS; i++) shocks[i] = (struct shock){SHOCK_SPOT, 0, EVERY, EVERY, 0.1};
    expect_book_order(DAYS, requests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid), cmocka_unit_test(test_days),
                                       cmocka_unit_test(test_other_targets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
