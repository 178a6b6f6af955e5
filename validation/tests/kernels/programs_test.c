/* Programs on the paths of the CPU engine: those that state a product pay what it pays, on every
 * path; random ones have the bits of an interpreter that takes one path at a time, whatever build,
 * number of threads or scenario runs them; what a group cannot hold is refused. */
#include "app/pricing/base/digest.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "app/pricing/plan/group_draft.h"
#include "kernels/replicates.h"
#include "validation/tests/dice.h"
#include "validation/tests/formulas.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/scripted_book.h"

static struct scripted_book book;
static struct tally expected[SCRIPTED_TRADES];

/* Fills tallies [replicate][plan_tallies]. */
static enum status run(const struct plan *plan, const char *kernel, int threads,
                       struct tally *tallies)
{
    struct engine_options options = {.kernel = kernel, .threads = threads};
    struct engine_report report = {.kernel = ""};
    const struct plan_pricer pricer = {
        .price = price_on_cpu, .options = &options, .report = &report};
    return replicates_run(&pricer, plan, tallies, &said);
}

static const struct plan_settings usual = {
    .paths = BATCH_PATHS + CHUNK_PATHS, .seed = 20261120, .max_step = 0.1};

static int make_book(void **state)
{
    (void)state;
    struct plan plan;
    int n_shared = 0;
    scripted_book_make(&book, 36);
    plan_trades(book.market, book.n_trades, book.trades, &usual, &plan);
    for (int g = 0; g < plan.n_groups; g++) n_shared += plan.groups[g].n_shared;
    int failed = !n_shared || run(&plan, "auto", 1, expected) != STATUS_OK;
    plan_free(&plan);
    return failed;
}

static int free_book(void **state)
{
    (void)state;
    scripted_book_free(&book);
    return 0;
}

/* ---- one path at a time ---------------------------------------------------------------------- */

static double value_of_program(const struct group_program *run, double *rows, size_t paths,
                               size_t path)
{
    double registers[PROGRAM_REGISTERS_MOST];
    for (int r = 0; r < PROGRAM_REGISTERS_MOST; r++) registers[r] = NAN;
    for (const struct instruction *i = run->program->code;; i++) {
        if (i->operation == OPERATION_INPUT)
            registers[i->to] = rows[(size_t)run->inputs[i->at] * paths + path];
        else if (i->operation == OPERATION_COEFFICIENT) registers[i->to] = run->coefficients[i->at];
        else if (i->operation == OPERATION_END) return registers[i->a];
        else if (i->operation == OPERATION_KEEP)
            rows[(size_t)run->inputs[i->at] * paths + path] = registers[i->a];
        else if (i->operation == OPERATION_DECIDE) registers[i->to] = registers[i->a];
        else if (i->operation != OPERATION_OUTPUT)
            registers[i->to] =
                operate(i->operation, registers[i->a], registers[i->b], registers[i->c]);
    }
}

/* Puts the value of each trade of the group on each path into values [trade][path]. */
static void take_values(const struct plan *plan, int g, double *rows, double *values)
{
    const struct engine_options options = {.kernel = "auto", .threads = 2};
    const struct group *group = &plan->groups[g];
    const struct chunk_range all = {.end = plan->paths / CHUNK_PATHS, .rows = rows};
    size_t paths = (size_t)plan->paths;
    assert_ok(cpu_engine.observe(plan, &options, g, &all, &said));
    for (int p = 0; p < group->n_payoffs; p++)
        for (size_t i = 0; i < paths; i++)
            values[(size_t)group->trades[p] * paths + i] =
                payoff_of_rows(&group->payoffs[p], rows, paths, i);
    for (int p = 0; p < group->n_programs; p++)
        for (size_t i = 0; i < paths; i++)
            assert_true(rows[(size_t)group->programs[p].row * paths + i] ==
                        value_of_program(&group->programs[p], rows, paths, i));
}

TEST(programs_pay_what_products_pay)
{
    const struct plan_settings settings = {
        .paths = 4 * CHUNK_PATHS, .seed = 20261120, .max_step = 0.02};
    struct plan plan;
    size_t paths = settings.paths, most = 1;
    plan_trades(book.market, 2 * SCRIPTED_PAIRS, book.trades, &settings, &plan);
    for (int g = 0; g < plan.n_groups; g++)
        if ((size_t)plan.groups[g].n_rows > most) most = (size_t)plan.groups[g].n_rows;
    double *rows = malloc(most * paths * sizeof *rows),
           *values = malloc(SCRIPTED_TRADES * paths * sizeof *values);
    assert_true(rows && values);
    for (int g = 0; g < plan.n_groups; g++) take_values(&plan, g, rows, values);
    for (int i = 0; i < SCRIPTED_PAIRS; i++) {
        const double *product = values + (size_t)(2 * i) * paths, *program = product + paths;
        double notional = fmax(book.trades[2 * i].notional, book.trades[2 * i].strike), sum = 0.0;
        for (size_t path = 0; path < paths; path++) {
            sum += product[path];
            if (fabs(program[path] - product[path]) <= 1e-12 * notional) continue;
            fail_msg("%s, path %zu: %.17g, as a program %.17g", book.trades[2 * i].id, path,
                     product[path], program[path]);
        }
        assert_true(sum > 0.0);
    }
    free(rows);
    free(values);
    plan_free(&plan);
}

/* ---- values that programs share -------------------------------------------------------------- */

enum { VARIANTS = 3, SHARED_PATHS = 64 };

/* Makes variant v of a program: the last of its numbers differ. */
static struct program variant_of(const struct program *program, int v)
{
    struct program made = *program;
    size_t bytes = sizeof *made.coefficients * (size_t)made.n_coefficients;
    made.coefficients = malloc(bytes + 1);
    memcpy(made.coefficients, program->coefficients, bytes);
    for (int i = made.n_coefficients * 3 / 4; i < made.n_coefficients; i++)
        made.coefficients[i].number += v;
    return made;
}

static struct group_program run_of(const struct program *program, int row)
{
    struct group_program run = {.program = program,
                                .inputs = malloc(sizeof(int) * ((size_t)program->n_inputs + 1)),
                                .coefficients =
                                    malloc(sizeof(double) * ((size_t)program->n_coefficients + 1)),
                                .row = row};
    for (int i = 0; i < program->n_inputs; i++) run.inputs[i] = i;
    for (int i = 0; i < program->n_coefficients; i++)
        run.coefficients[i] = program->coefficients[i].number;
    return run;
}

/* Variants of all programs of the book, on rows of numbers by chance: each comes to the same bits
 * when it reads what it shares with others. */
TEST(sharing_changes_no_bit)
{
    static struct program programs[VARIANTS * SCRIPTED_TRADES];
    static double expected_values[VARIANTS * SCRIPTED_TRADES][SHARED_PATHS];
    struct group group = {.programs = malloc(sizeof *group.programs * VARIANTS * SCRIPTED_TRADES)};
    struct dice dice = {.state = 5};
    int n = 0, before = 0, after = 0;
    for (int i = 0; i < book.n_trades; i++)
        for (int v = 0; book.trades[i].scripted && v < VARIANTS; v++, n++) {
            programs[n] = variant_of(&book.trades[i].scripted->program, v);
            if (programs[n].n_inputs > group.n_rows) group.n_rows = programs[n].n_inputs;
            before += programs[n].n_instructions;
        }
    double *rows = malloc(sizeof *rows * GROUP_ROWS * SHARED_PATHS);
    for (int i = 0; i < group.n_rows * SHARED_PATHS; i++) rows[i] = dice_real(&dice, 4.0, 8.0);
    for (int p = 0; p < n; p++) {
        group.programs[p] = run_of(&programs[p], group.n_rows++);
        for (size_t i = 0; i < SHARED_PATHS; i++)
            expected_values[p][i] = value_of_program(&group.programs[p], rows, SHARED_PATHS, i);
    }
    group.n_programs = n;
    assert_ok(share_values(&group));
    assert_true(group.n_shared > 0 && group.n_programs == n + group.n_shared);
    for (int p = 0; p < group.n_programs; p++) {
        const struct group_program *run = &group.programs[p];
        after += run->program->n_instructions;
        for (size_t i = 0; i < SHARED_PATHS; i++) {
            double value = value_of_program(run, rows, SHARED_PATHS, i);
            if (p < group.n_shared) rows[(size_t)run->row * SHARED_PATHS + i] = value;
            else assert_memory_equal(&value, &expected_values[p - group.n_shared][i], sizeof value);
        }
    }
    assert_true(after < before * 2 / 3);
    group_programs_free(group.n_programs, group.programs);
    free(group.programs);
    free(rows);
    for (int p = 0; p < n; p++) free(programs[p].coefficients);
}

/* ---- builds, threads, kinds of paths --------------------------------------------------------- */

TEST(kernels_and_threads_change_no_bit)
{
    struct tally tallies[SCRIPTED_TRADES];
    struct plan plan;
    plan_trades(book.market, book.n_trades, book.trades, &usual, &plan);
    for (const struct kernel_row *row = cpu_engine.kernels; row->name; row++)
        for (int threads = 1; threads <= 2; threads++) {
            if (!strcmp(row->name, "baseline") || run(&plan, row->name, threads, tallies))
                continue; /* it has an arithmetic of its own; or not on this processor */
            for (int i = 0; i < book.n_trades; i++)
                assert_memory_equal(&tallies[i], &expected[i], sizeof expected[i]);
        }
    plan_free(&plan);
}

/* Of pairs and points, too, a program brings what its product does. */
TEST(kinds_of_paths_are_the_products)
{
    for (int kind = 0; kind < 2; kind++) {
        const struct plan_settings settings = {.paths = REPLICATES * CHUNK_PATHS,
                                               .seed = 20261120,
                                               .max_step = 0.1,
                                               .antithetic = kind == 0,
                                               .points = kind == 1};
        static struct tally tallies[REPLICATES * SCRIPTED_TRADES];
        struct plan plan;
        plan_trades(book.market, 2 * SCRIPTED_PAIRS, book.trades, &settings, &plan);
        assert_ok(run(&plan, "auto", 2, tallies));
        for (int i = 0; i < plan_runs(&plan) * 2 * SCRIPTED_PAIRS; i += 2) {
            const struct trade *product = &book.trades[i % (2 * SCRIPTED_PAIRS)];
            double money = fmax(product->notional, product->strike);
            assert_true(fabs(tallies[i].mean - tallies[i + 1].mean) <= 1e-12 * money);
            assert_true(tallies[i].m2 > 0.0);
        }
        plan_free(&plan);
    }
}

/* ---- scenarios ------------------------------------------------------------------------------- */

enum { SCENARIOS = 3 };

/* The book under three markets in one plan: the value under each, and the difference of the last
 * two. */
TEST(scenarios_change_no_bit)
{
    static struct tally alone[SCENARIOS][SCRIPTED_TRADES],
        contrasted[(1 + SCENARIOS) * SCRIPTED_TRADES];
    static struct refusal refusals[SCRIPTED_TRADES];
    struct asset assets[SCENARIOS][sizeof book.base.assets / sizeof *book.base.assets];
    struct market markets[SCENARIOS];
    struct scenario list[SCENARIOS] = {{0}};
    const struct contrast measures[1 + SCENARIOS] = {
        {2, {{2, 1.0}, {1, -1.0}}}, {1, {{0, 1.0}}}, {1, {{1, 1.0}}}, {1, {{2, 1.0}}}};
    const struct contrast_list contrasts = {
        .n_contrasts = 1 + SCENARIOS, .contrasts = measures, .scenarios = {SCENARIOS, list}};
    const struct plan_settings settings = {
        .paths = CHUNK_PATHS, .seed = 20261120, .max_step = 0.02};
    struct plan plan;
    int n = book.n_trades, alike = 0;
    for (int s = 0; s < SCENARIOS; s++) {
        markets[s] = with_spots(book.market, 1.0 + 0.02 * s, assets[s]);
        list[s].market = &markets[s];
        plan_trades(&markets[s], n, book.trades, &settings, &plan);
        assert_ok(run(&plan, "auto", 1, alone[s]));
        plan_free(&plan);
    }
    assert_ok(plan_contrasts(&contrasts, n, book.trades, &settings, &plan, refusals));
    for (int g = 0; g < plan.n_groups; g++) alike += plan.groups[g].n_markets == SCENARIOS;
    assert_true(alike == plan.n_groups / SCENARIOS);
    assert_ok(run(&plan, "auto", 1, contrasted));
    plan_free(&plan);
    for (int s = 0; s < SCENARIOS; s++)
        assert_memory_equal(alone[s], contrasted + (1 + s) * n, sizeof **alone * (size_t)n);
    for (int i = 0; i < n; i++) {
        double mean = alone[2][i].mean - alone[1][i].mean,
               size = fabs(alone[2][i].mean) + fabs(alone[1][i].mean);
        assert_true(fabs(contrasted[i].mean - mean) <= 1e-12 * size);
    }
}

/* A program that follows another market's decisions has the values of one that makes the same, and
 * others where these differ. */
TEST(decisions_are_followed)
{
    enum { TODAY, HIGHER, FOLLOWS_HIGHER, FOLLOWS_TODAY, MARKETS };
    static struct tally tallies[MARKETS * SCRIPTED_TRADES];
    static struct refusal refusals[SCRIPTED_TRADES];
    struct asset assets[sizeof book.base.assets / sizeof *book.base.assets];
    const struct market higher = with_spots(book.market, 1.1, assets);
    struct scenario list[MARKETS] = {
        [FOLLOWS_HIGHER] = {.follows = 1 + HIGHER}, [FOLLOWS_TODAY] = {.follows = 1 + TODAY}};
    struct contrast values[MARKETS];
    const struct contrast_list wanted = {
        .n_contrasts = MARKETS, .contrasts = values, .scenarios = {MARKETS, list}};
    const struct plan_settings settings = {
        .paths = CHUNK_PATHS, .seed = 20261120, .max_step = 0.02};
    struct plan plan;
    int n = book.n_trades, changed = 0;
    for (int s = 0; s < MARKETS; s++) {
        list[s].market = s == TODAY ? book.market : &higher;
        values[s] = (struct contrast){1, {{s, 1.0}}};
    }
    assert_int_equal(plan_contrasts(&wanted, n, book.trades, &settings, &plan, refusals),
                     STATUS_OK);
    assert_int_equal(run(&plan, "auto", 1, tallies), STATUS_OK);
    plan_free(&plan);
    assert_memory_equal(tallies + FOLLOWS_HIGHER * n, tallies + HIGHER * n,
                        sizeof *tallies * (size_t)n);
    for (int i = 0; i < n; i++) {
        bool other =
            memcmp(&tallies[FOLLOWS_TODAY * n + i], &tallies[HIGHER * n + i], sizeof *tallies) != 0;
        assert_true(!other || trade_has(&book.trades[i], DECIDES));
        changed += other;
    }
    assert_true(changed > 0);
}

/* ---- between dates --------------------------------------------------------------------------- */

/* The highest of an asset is no lower than what a path shows on any date before, nor than that
 * until an earlier date; a path that shows a spot beyond a barrier has not survived; assets have
 * bridges of their own. */
TEST(bridges_go_with_dates)
{
    enum { HIGHEST, HALF, END, EARLIER, SURVIVES, OTHER, INPUTS };
    const double barrier = 108.0;
    const struct program_input inputs[INPUTS] = {
        [HIGHEST] = {.kind = INPUT_HIGHEST, .date = 1.0},
        [HALF] = {.kind = INPUT_SPOT, .date = 0.5},
        [END] = {.kind = INPUT_SPOT, .date = 1.0},
        [EARLIER] = {.kind = INPUT_HIGHEST, .date = 0.6},
        [SURVIVES] = {.kind = INPUT_SURVIVAL, .date = 1.0, .upper = barrier},
        [OTHER] = {.kind = INPUT_HIGHEST, .asset = 1, .date = 1.0}};
    const struct plan_settings settings = {.paths = 4 * CHUNK_PATHS, .seed = 3, .max_step = 10.0};
    const struct engine_options options = {.kernel = "auto"};
    struct trade trade = scripted_sum("bridges", INPUTS, inputs);
    struct plan plan;
    int beyond = 0;
    plan_trades(book.market, 1, &trade, &settings, &plan);
    const struct group *group = &plan.groups[0];
    size_t paths = (size_t)plan.paths;
    double *rows = malloc((size_t)group->n_rows * paths * sizeof *rows);
    const struct chunk_range all = {.end = plan.paths / CHUNK_PATHS, .rows = rows};
    assert_true(rows && !cpu_engine.observe(&plan, &options, 0, &all, &said));
    for (size_t i = 0; i < paths; i++) {
        double x[INPUTS];
        for (int r = 0; r < INPUTS; r++)
            x[r] = rows[(size_t)group->programs[0].inputs[r] * paths + i];
        assert_true(x[HIGHEST] >= x[HALF] && x[HIGHEST] >= x[END] && x[HIGHEST] >= x[EARLIER]);
        assert_true(x[EARLIER] >= x[HALF]);
        bool over = x[HALF] >= exact_log2(barrier);
        beyond += over;
        assert_true(over ? x[SURVIVES] == 0.0 : x[SURVIVES] < 1.0);
    }
    assert_in_range(beyond, 100, (int)paths - 100);
    for (int i = 1; i < group->n_observations; i++) {
        const struct observation *a = &group->observations[i - 1], *b = &group->observations[i];
        if (a->pair >= 0 && b->pair >= 0 && a->underlying != b->underlying)
            assert_true(a->pair != b->pair);
    }
    free(rows);
    plan_free(&plan);
    trade_free(&trade);
}

/* ---- what a plan keeps ----------------------------------------------------------------------- */

/* What a program does, and its numbers, are part of the name of a plan. */
TEST(digests_see_programs)
{
    struct plan plan;
    plan_trades(book.market, book.n_trades, book.trades, &usual, &plan);
    uint64_t before = digest_plan(&plan);
    int g = 0;
    while (!plan.groups[g].n_programs) g++;
    plan.groups[g].programs[0].coefficients[0] += 1.0;
    assert_true(digest_plan(&plan) != before);
    plan.groups[g].programs[0].coefficients[0] -= 1.0;
    assert_true(digest_plan(&plan) == before);
    struct instruction *code = plan.groups[g].programs[0].program->code;
    code[1].b++;
    assert_true(digest_plan(&plan) != before);
    code[1].b--;
    plan_free(&plan);
}

/* Groups have as many rows as they can; a program that has more inputs is refused alone. */
TEST(rows_are_bounded)
{
    enum { MANY = 5 };
    static const int fixings[MANY] = {GROUP_ROWS, 1700, GROUP_ROWS - 1, 1701, 1702};
    struct trade trades[MANY];
    struct refusal refusals[MANY];
    struct tally tallies[MANY];
    struct plan plan;
    const struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 1, .max_step = 10.0};
    for (int i = 0; i < MANY; i++) {
        char id[2] = {(char)('a' + i), '\0'};
        trades[i] = scripted_average(id, 0, fixings[i], 100.0, 1.0);
    }
    assert_ok(plan_build(book.market, MANY, trades, &settings, &plan, refusals));
    assert_string_equal(refusals[0].why.text,
                        "its script needs 4097 numbers of a path, and 4096 are the most: fewer "
                        "dates, and fewer of highest, lowest and survives, need fewer");
    for (int i = 1; i < MANY; i++) assert_string_equal(refusals[i].why.text, "");
    assert_int_equal(plan.n_groups, 3);
    for (int g = 0; g < plan.n_groups; g++) assert_in_range(plan.groups[g].n_rows, 1, GROUP_ROWS);
    assert_ok(run(&plan, "auto", 1, tallies));
    for (int i = 1; i < MANY; i++) assert_in_range((uint64_t)tallies[i].mean, 3, 9);
    plan_free(&plan);
    for (int i = 0; i < MANY; i++) trade_free(&trades[i]);
}

ALL_TESTS_BETWEEN(programs_test, make_book, free_book)
