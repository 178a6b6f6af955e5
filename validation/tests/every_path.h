/* Plans in which paths are asked to remember everything that they can, for tests of `observe`. */
#ifndef PRICER_VALIDATION_TESTS_EVERY_PATH_H
#define PRICER_VALIDATION_TESTS_EVERY_PATH_H

#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_policy.h"
#include "app/pricing/plan/plan_build.h"
#include "validation/tests/every_book.h"
#include "validation/tests/load_book_file.h"
#include "validation/tests/watched_book.h"

/* Called with each plan, by its name; returns how many checks failed. */
typedef int plan_check(const char *name, const struct market *market, struct plan *plan);

static plan_check *every_path_check;
static bool every_path_antithetic;

/* Checks the plans of a book's parts and of all of it. */
static inline int check_book_paths(const struct shown_book *book)
{
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    int failed = 0;
    for (int part = 0; part <= BOOK_PARTS; part++) {
        const struct plan_settings settings = {.paths = 3 * CHUNK_PATHS,
                                               .seed = 20261122,
                                               .max_step = 0.1,
                                               .antithetic = every_path_antithetic,
                                               .in = trades_of_part(book->n_trades, part)};
        struct plan plan;
        if (plan_build(book->market, book->n_trades, book->trades, &settings, &plan, refusals))
            return 1;
        failed += every_path_check(book->name, book->market, &plan);
        plan_free(&plan);
    }
    return failed;
}

/* Loads a script under heston whose decision sees the variance of its path. Free with book_free. */
static inline void decided_book_load(struct book *book)
{
    struct complaints complaints = {0};
    static const char text[] =
        "market = { currencies = ( { name = 'EUR'; rate = 0.05; } ); assets = ( { name = 'V'; "
        "currency = 'EUR'; spot = 100.0; model = 'heston'; heston = { v0 = 0.04; kappa = 2.0; "
        "theta = 0.04; xi = 0.4; rho = -0.7; }; } ); }; book = { trades = ( { id = 'put'; asset = "
        "'V'; strike = 100.0; when = [0.25, 0.5, 0.75]; expiry = 1.0; script = 'product p(asset s; "
        "dates when; date expiry; number strike)\\n  each t in when\\n    exercise holder pays "
        "max(strike - s(t), 0)\\n  at expiry\\n    pay max(strike - s(expiry), 0)'; } ); };";
    if (book_load_text(text, book, &complaints)) abort();
}

/* Checks the shared books, two whose looks come when paths have ended, and a decision that sees a
 * variance. */
static inline int check_every_path(plan_check *check)
{
    static const char *const names[3] = {"watched", "clocked", "decided"};
    struct book books[3];
    int failed = 0;
    watched_book_load(false, &books[0]);
    watched_book_load(true, &books[1]);
    decided_book_load(&books[2]);
    every_path_check = check;
    for (int antithetic = 0; antithetic < 2; antithetic++) {
        every_path_antithetic = antithetic;
        failed += check_every_book(check_book_paths);
        for (int i = 0; i < 3; i++)
            failed += check_book_paths(&(struct shown_book){names[i], &books[i].market,
                                                            books[i].n_trades, books[i].trades});
    }
    for (int i = 0; i < 3; i++) book_free(&books[i]);
    return failed;
}

/* Copies all tables of the plan's groups into `copy` [tables_size()], or back. */
static inline size_t tables_size(const struct plan *plan)
{
    size_t n = 1;
    for (int g = 0; g < plan->n_groups; g++) n += (size_t)plan->groups[g].lookup.n;
    return n;
}

static inline void copy_tables(const struct plan *plan, float *copy, bool back)
{
    for (int g = 0; g < plan->n_groups; copy += plan->groups[g++].lookup.n) {
        size_t bytes = sizeof *copy * (size_t)plan->groups[g].lookup.n;
        if (bytes && back) memcpy(plan->groups[g].lookup.table, copy, bytes);
        else if (bytes) memcpy(copy, plan->groups[g].lookup.table, bytes);
    }
}

static inline bool has_early_exercise(const struct plan *plan)
{
    for (int g = 0; g < plan->n_groups; g++)
        for (int i = 0; i < plan->groups[g].n_observations; i++)
            if (observation_is_exercise(plan->groups[g].observations[i].kind)) return true;
    return false;
}

/* Fits the plan's policies twice, each engine beginning with the tables as they are, and leaves
 * those of the second. Whether they are the same, and not those of before where there is early
 * exercise. */
static inline bool same_policies(const struct engine *one, const struct engine *other,
                                 struct plan *plan, struct message *why)
{
    const struct engine_options options = {.kernel = "auto", .threads = 2};
    size_t n = tables_size(plan);
    float *before = calloc(n, sizeof *before), *first = calloc(n, sizeof *first),
          *second = calloc(n, sizeof *second);
    bool same = before && first && second;
    if (same) {
        copy_tables(plan, before, false);
        same &= !exercise_fit(one, &options, NULL, plan, why);
        copy_tables(plan, first, false);
        copy_tables(plan, before, true);
        same &= !exercise_fit(other, &options, NULL, plan, why);
        copy_tables(plan, second, false);
        same &= !memcmp(first, second, n * sizeof *first);
        if (has_early_exercise(plan)) same &= memcmp(before, first, n * sizeof *first) != 0;
    }
    free(before);
    free(first);
    free(second);
    return same;
}

/* Room for the rows of the plan's largest group on all its paths. */
static inline size_t most_rows(const struct plan *plan)
{
    size_t most = 1;
    for (int g = 0; g < plan->n_groups; g++)
        if ((size_t)plan->groups[g].n_rows > most) most = (size_t)plan->groups[g].n_rows;
    return most * (size_t)plan->paths;
}

#endif
