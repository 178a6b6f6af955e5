/* While tables of local volatility are made, whoever asks for it is told of all other groups, which
 * are complete to the last bit; the plan is the same one. */
#include "app/pricing/base/digest.h"
#include "app/pricing/plan/plan_build.h"
#include "models/dynamics/coefficients.h"
#include "validation/tests/every_model.h"
#include "validation/tests/test.h"

enum { THREADS = 3, MOST_GROUPS = 256 };

/* The digests of groups, each by itself. */
struct told {
    int calls, n;
    uint64_t digests[MOST_GROUPS];
};

static uint64_t digest_of(const struct plan *plan, int g)
{
    struct plan one = *plan;
    one.groups = &plan->groups[g], one.n_groups = 1;
    return digest_plan(&one);
}

static void note(void *context, struct plan *laid)
{
    struct told *told = context;
    told->calls++, told->n = laid->n_groups;
    assert_in_range(laid->n_groups, 1, MOST_GROUPS);
    for (int g = 0; g < laid->n_groups; g++) told->digests[g] = digest_of(laid, g);
}

static bool has_tables(const struct group *group)
{
    for (int u = 0; u < group->n_underlyings; u++)
        if (model_takes(group->underlyings[u].model, TAKES_SURFACE)) return true;
    return false;
}

TEST(all_others_are_told)
{
    static struct every_model book;
    static struct refusal refusals[128];
    struct told told = {.calls = 0};
    struct plan alone, plan;
    struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 7, .max_step = 0.05};
    int tabled = 0, next = 0;
    every_model_make(&book);
    every_model_add_products(&book);
    assert_in_range(book.n_trades, 1, 128);
    assert_ok(plan_build(&book.market, book.n_trades, book.trades, &settings, &alone, refusals));
    settings.meanwhile = note, settings.meanwhile_context = &told;
    settings.team = team_begin(THREADS);
    assert_ok(plan_build(&book.market, book.n_trades, book.trades, &settings, &plan, refusals));
    assert_true(digest_plan(&alone) == digest_plan(&plan));
    for (int g = 0; g < plan.n_groups; g++)
        if (has_tables(&plan.groups[g])) tabled++;
        else assert_true(next < told.n && told.digests[next++] == digest_of(&plan, g));
    assert_int_equal(told.calls, 1);
    assert_int_equal(next, told.n);
    assert_true(tabled > 0);
    plan_free(&alone);
    plan_free(&plan);
    team_end(settings.team);
    every_model_free(&book);
}

ALL_TESTS(plan_meanwhile_test)
