/* What the CPU engine's paths remember, handed out by `observe`: payoffs of these rows are the
 * prices that the engine finds, and rows of some chunks are a part of the rows of all. Policies
 * that are fitted twice are the same. */
#include "models/observables/observable.h"
#include "validation/tests/every_path.h"
#include "validation/tests/every_product_book.h"
#include "validation/tests/formulas.h"
#include "validation/tests/price_trades.h"

/* Kinds of what was observed in walks, and when they had ended. */
static bool walked[N_OBSERVATION_KINDS], looked[N_OBSERVATION_KINDS];

/* Compares the mean of each payoff over the rows with the price. */
static int check_payoffs(const char *name, const struct market *market, const struct group *group,
                         size_t paths, const double *rows, const struct tally *tallies)
{
    int failed = 0;
    for (int i = 0; i < group->n_observations; i++) walked[group->observations[i].kind] = true;
    for (int i = 0; i < group->n_looks; i++) looked[group->looks[i].seen.kind] = true;
    for (int p = 0; p < group->n_payoffs; p++) {
        const struct tally *tally = &tallies[group->trades[p]];
        double mean = 0.0, spot = market->assets[group->underlyings[0].asset].spot;
        for (size_t i = 0; i < paths; i++)
            mean += payoff_of_rows(&group->payoffs[p], rows, paths, i) / (double)paths;
        if (fabs(mean - tally->mean) <= 1e-11 * (spot + fabs(tally->mean))) continue;
        print_message("%s, trade %d: %.17g by its rows, priced at %.17g\n", name, group->trades[p],
                      mean, tally->mean);
        failed++;
    }
    return failed;
}

static int check_plan(const char *name, const struct market *market, struct plan *plan)
{
    static struct tally tallies[EVERY_PRODUCT_TRADES];
    const struct engine_options options = {.kernel = "auto", .threads = 2};
    struct engine_report report = {.kernel = ""};
    int failed = 0;
    size_t n = most_rows(plan), paths = (size_t)plan->paths;
    double *rows = malloc(n * sizeof *rows), *part = malloc(n * sizeof *part);
    assert_true(rows && part);
    assert_true(same_policies(&cpu_engine, &cpu_engine, plan, &said));
    assert_ok(engine_price(&cpu_engine, plan, &options, tallies, NULL, &report, &said));
    for (int g = 0; g < plan->n_groups; g++) {
        const struct chunk_range all = {.end = plan->paths / CHUNK_PATHS, .rows = rows},
                                 last = {.first = 2, .end = 3, .rows = part};
        assert_ok(cpu_engine.observe(plan, &options, g, &all, &said));
        memset(part, 0xff, (size_t)plan->groups[g].n_rows * CHUNK_PATHS * sizeof *part);
        assert_ok(cpu_engine.observe(plan, &options, g, &last, &said));
        for (size_t i = 0; i < (size_t)plan->groups[g].n_rows * CHUNK_PATHS; i++)
            failed += isnan(part[i]) != 0; /* every row is written */
        failed += check_payoffs(name, market, &plan->groups[g], paths, rows, tallies);
        for (size_t r = 0; r < (size_t)plan->groups[g].n_rows; r++)
            failed += memcmp(part + r * CHUNK_PATHS, rows + r * paths + 2 * CHUNK_PATHS,
                             CHUNK_PATHS * sizeof *rows) != 0;
    }
    free(rows);
    free(part);
    return failed;
}

TEST(payoffs_of_rows_are_the_prices)
{
    assert_int_equal(check_every_path(check_plan), 0);
    int n_looked = 0;
    for (int k = 0; k < N_OBSERVATION_KINDS; k++) {
        if (!walked[k]) print_message("observable %d is on no path\n", k), fail();
        n_looked += looked[k];
    }
    assert_true(n_looked >= 20); /* all but those of tables and clocks, and of single trades */
}

/* An unknown kernel is refused, and a request to end is heard. */
TEST(what_cannot_be_observed_is_said)
{
    const struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 1, .max_step = 0.1};
    struct plan plan;
    plan_trades(&book.market, book.n_trades, book.trades, &settings, &plan);
    double *rows = malloc(most_rows(&plan) * sizeof *rows);
    const struct chunk_range range = {.end = 1, .rows = rows};
    struct engine_options options = {.kernel = "nothing"};
    assert_int_equal(cpu_engine.observe(&plan, &options, 0, &range, &said), STATUS_BAD_INPUT);
    assert_true(said.text[0]);
    options = (struct engine_options){.kernel = "auto", .stop = &stop_at_once};
    assert_int_equal(cpu_engine.observe(&plan, &options, 0, &range, &said), STATUS_INTERRUPTED);
    free(rows);
    plan_free(&plan);
}

ALL_TESTS_BETWEEN(observe_test, make_book, free_book)
