#include "app/pricing/value/exercise/exercise_upper.h"

#include <math.h>
#include <stdlib.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/base/piece.h"
#include "app/pricing/value/exercise/exercise_steps.h"
#include "kernels/threads.h"
#include "models/payoffs/product_numbers.h"

/* Exercises, then sides of trades whose scripts decide, whose bounds threads of a team share. */
struct uppers {
    const struct plan *plan;
    const struct upper_options *options;
    uint64_t digest; /* the plan's, where bounds are stored */
    int n;
    struct exercise *exercises; /* [n] */
    int n_deciders;
    struct decider *deciders; /* [n_deciders] */
    struct tally *tallies;    /* [trade] */
    struct tally *lowers;     /* [trade] */
    struct team *team;
};

/* ---- the bound ------------------------------------------------------------------------------- */

/* An exercise while threads share its blocks of PATH_LANES paths. */
struct dual {
    struct valuation valuation;
    struct tally *tallies; /* [block] */
};

/* Makes the tally of max(h - M) over the paths of block b. */
static void bound_block(void *context, int b)
{
    struct dual *dual = context;
    const struct exercise *exercise = dual->valuation.exercise;
    struct step_scratch *step_scratch = scratch_of_block(&dual->valuation, b);
    struct states states = step_scratch->states;
    double averages[PATH_LANES] = {0}, values[PATH_LANES], martingale[PATH_LANES] = {0},
           best[PATH_LANES];
    uint64_t first = (uint64_t)b * PATH_LANES;
    begin_states(exercise->group, states.rows);
    for (int l = 0; l < PATH_LANES; l++) best[l] = -HUGE_VAL;
    for (int k = 0; k < exercise->n_dates; k++) {
        const struct observation *t = exercise->dates[k];
        bool last = k == exercise->n_dates - 1;
        average_values(&dual->valuation, first, k, step_scratch, states.rows, averages);
        simulate_states(&dual->valuation, first, k, step_scratch, &states);
        if (asked_to_stop(dual->valuation.stop)) return;
        values_of(&dual->valuation, k, &states, values);
        for (int l = 0; l < PATH_LANES; l++) {
            double gain = t->c[2] * exercise_gain(t, states.f[l]);
            gain = last && gain < 0.0 ? 0.0 : gain;
            martingale[l] += values[l] - averages[l];
            best[l] = fmax(best[l], gain - martingale[l]);
        }
    }
    for (int l = 0; l < PATH_LANES; l++) dual->tallies[b] = tally_add(dual->tallies[b], best[l]);
}

/* Fits the value of one exercise, and bounds it. */
static enum status bound_exercise(const struct uppers *uppers, const struct exercise *exercise,
                                  struct tally *bound)
{
    enum status status = STATUS_OK;
    const struct stop *stop = uppers->options->stop;
    struct tally tallies[UPPER_MOST_PATHS / PATH_LANES] = {{0}};
    uint64_t seed = uppers->plan->seed; /* turned to any two but the run's and its fit's */
    struct dual dual = {.valuation = {.exercise = exercise,
                                      .draws = {.seed = seed ^ 0xd1b54a32d192ed03u},
                                      .stop = stop,
                                      .team = uppers->team},
                        .tallies = tallies};
    int blocks =
        affordable_states(UPPER_STEPS, exercise, UPPER_LEAST_PATHS, UPPER_MOST_PATHS) / PATH_LANES;
    TRY(valuation_fit(&dual.valuation));
    dual.valuation.draws.seed = seed ^ 0x8cb92ba72f3d8dd7u;
    TRY(valuation_blocks(&dual.valuation, blocks));
    team_loop(uppers->team, blocks, bound_block, &dual);
    if (asked_to_stop(stop)) TRY(STATUS_INTERRUPTED);
    for (int b = 0; b < blocks; b++) *bound = tally_merge(*bound, tallies[b]);
done:
    valuation_free(&dual.valuation);
    return status;
}

static enum status bound_one(void *context, int i, struct bytes *made, struct message *why)
{
    const struct uppers *uppers = context;
    struct tally bound = {0};
    if (i < uppers->n) MUST(bound_exercise(uppers, &uppers->exercises[i], &bound));
    else
        MUST(program_gap(&uppers->deciders[i - uppers->n], uppers->plan->seed,
                         uppers->options->stop, uppers->team, &bound, why));
    return bytes_add(made, &bound, sizeof bound);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Tells whether a payoff is the right to this exercise: it reads the row that the exercise's slot
 * goes to. */
static bool payoff_reads(const struct group *group, const struct payoff *payoff, int slot)
{
    for (int r = 0; r < group->n_results; r++)
        if (group->results[r].slot == slot && group->results[r].row == payoff->rows[0])
            return payoff->formula == FORMULA_AMERICAN;
    return false;
}

/* Tells whether any trade with this exercise is wanted, and hands the bound, if there is one, to
 * those that are. */
static bool hand_out(const struct uppers *uppers, const struct exercise *exercise,
                     const struct tally *bound)
{
    const struct group *group = exercise->group;
    const bool *wanted = uppers->options->wanted;
    bool any = false;
    if (!group_has_states(group)) return false;
    for (int p = 0; p < group->n_payoffs; p++) {
        int trade = group->trades[p];
        if (trade >= uppers->plan->n_trades || (wanted && !wanted[trade])) continue;
        if (!payoff_reads(group, &group->payoffs[p], exercise->slot)) continue;
        if (bound) uppers->tallies[trade] = *bound;
        any = true;
    }
    return any;
}

/* Finds the sides of the wanted trades whose scripts decide and that can be bounded: of one trade
 * the holder's first. */
static enum status find_deciders(struct uppers *uppers)
{
    const struct plan *plan = uppers->plan;
    uppers->deciders = malloc(sizeof *uppers->deciders * (2 * (size_t)plan->n_trades + 1));
    if (!uppers->deciders) return STATUS_NO_MEMORY;
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        const struct group_program *run = group->programs + group->n_shared;
        for (int p = 0; p < group->n_payoffs; p++) {
            int trade = group->trades[p];
            if (group->payoffs[p].formula != FORMULA_SCRIPT) continue;
            const double *coefficients = run++->coefficients;
            if (trade >= plan->n_trades) continue;
            if (uppers->options->wanted && !uppers->options->wanted[trade]) continue;
            struct tally *bound = &uppers->tallies[trade];
            for (int issuer = 0; issuer < 2; issuer++) {
                const struct decider decider = {group, &uppers->options->trades[trade],
                                                coefficients, issuer, bound};
                if (!program_gap_possible(&decider)) continue;
                uppers->deciders[uppers->n_deciders++] = decider;
                bound = &uppers->lowers[trade];
            }
        }
    }
    return STATUS_OK;
}

/* Leaves trades without ends of which one takes too much work. */
static void leave_out_halves(struct uppers *uppers)
{
    for (int i = 1; i < uppers->n_deciders; i++) {
        const struct decider *first = &uppers->deciders[i - 1], *second = &uppers->deciders[i];
        if (first->trade != second->trade) continue;
        if (!(first->bound->n > 0.0 && second->bound->n > 0.0))
            *first->bound = *second->bound = (struct tally){0};
    }
}

static enum status take(void *context, int i, struct bytes *made, struct message *why)
{
    struct uppers *uppers = context;
    struct tally bound;
    (void)why;
    if (!bytes_read(made, &bound, sizeof bound)) return STATUS_ENGINE;
    if (i < uppers->n) hand_out(uppers, &uppers->exercises[i], &bound);
    else *uppers->deciders[i - uppers->n].bound = bound;
    return STATUS_OK;
}

static uint64_t digest_of(void *context, int i)
{
    const struct uppers *uppers = context;
    return digest_integer(uppers->digest, (uint64_t)i);
}

enum status exercise_upper(const struct plan *plan, const struct upper_options *options,
                           struct tally *tallies, struct tally *lowers, struct message *why)
{
    enum status status = STATUS_OK;
    int n = 0, fitted, *which = NULL;
    struct uppers uppers = {.plan = plan, .options = options, .tallies = tallies, .lowers = lowers};
    for (int i = 0; i < plan->n_trades; i++) tallies[i] = lowers[i] = (struct tally){0};
    TRY(exercises_find(plan, &uppers.n, &fitted, &uppers.exercises));
    TRY(find_deciders(&uppers));
    which = malloc(((size_t)(uppers.n + uppers.n_deciders) + 1) * sizeof *which);
    if (!which) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < uppers.n; i++)
        if (hand_out(&uppers, &uppers.exercises[i], NULL)) which[n++] = i;
    for (int i = 0; i < uppers.n_deciders; i++) which[n++] = uppers.n + i;
    if (options->store && options->store->keep) uppers.digest = digest_plan(plan);
    uppers.team = team_begin(thread_count(options->threads));
    const struct pieces bounds = {.kind = "upper bound",
                                  .n = n,
                                  .which = which,
                                  .context = &uppers,
                                  .make = bound_one,
                                  .team = uppers.team,
                                  .take = take,
                                  .digest = digest_of,
                                  .store = options->store,
                                  .ranks = options->ranks,
                                  .key = digest_text(DIGEST_BEGIN, "ends of intervals"),
                                  .least = 1,
                                  .most = (uint64_t)team_threads(uppers.team),
                                  .stop = options->stop};
    TRY(pieces_make(&bounds, why));
    leave_out_halves(&uppers);
done:
    team_end(uppers.team);
    free(which);
    free(uppers.deciders);
    exercises_free(uppers.n, uppers.exercises);
    return status;
}
