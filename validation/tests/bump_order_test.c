/* The order of the markets of a bump set: today, those that differ from it in spots alone, then the
 * others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "app/pricing/greeks/bumps.h"
#include "app/pricing/greeks/sensitivities.h"
#include "validation/tests/every_product.h"

enum { PATHS = 1 << 16 };

static bool moves_spots_alone(const struct bump_scenario *scenario)
{
    if (scenario->time_passed != 0.0) return false;
    for (int m = 0; m < scenario->n_shocks; m++)
        if (scenario->shocks[m].what != SHOCK_SPOT) return false;
    return true;
}

/* Returns how many markets of several assets' spots the set has. */
static int check_set(const struct bump_set *set)
{
    int spots = 0, assets = 0, last = EVERY;
    while (spots < set->n_scenarios && moves_spots_alone(&set->scenarios[spots])) spots++;
    for (int s = spots; s < set->n_scenarios; s++)
        assert_false(moves_spots_alone(&set->scenarios[s]));
    for (int s = set->today; s < spots; s++) {
        assets += set->scenarios[s].shocks[0].target != last;
        last = set->scenarios[s].shocks[0].target;
    }
    return assets > 1 ? spots : 0;
}

static void spots_come_first(void **state)
{
    (void)state;
    static struct every_product book;
    struct greek_pools pools;
    struct risk risk = {0};
    int several = 0;
    every_product_make(&book, 0.0);
    assert_int_equal(sensitivities_list(&book.market, book.n_trades, book.trades, ~0u, &risk),
                     STATUS_OK);
    assert_int_equal(greek_pools_make(&book.market, book.n_trades, book.trades, &pools), STATUS_OK);
    for (int p = 0; p < pools.n; p++) {
        struct bump_set *sets = NULL;
        int n = 0;
        assert_int_equal(
            bumps_make(&book.market, book.trades, &pools.pools[p], &risk, PATHS, false, &n, &sets),
            STATUS_OK);
        for (int i = 0; i < n; i++) several += check_set(&sets[i]);
        free(sets);
    }
    assert_true(several > 0);
    greek_pools_free(&pools);
    risk_free(&risk);
    every_product_free(&book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spots_come_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
