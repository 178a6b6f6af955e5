/* The other end of the value of a trade whose script decides, by duality.
 *
 * With H_k what the trade pays in all where it is exercised at decision k and not before, H what it
 * pays where it never is, and M a martingale that begins at 0, the holder's value is at most
 *
 *     E[ max(max over the decisions k that are allowed of (H_k - M_k), H - M) ],
 *
 * and the issuer's at least the same of the least (L. C. G. Rogers 2002; exercise_upper.h). M is
 * that of the fitted policy's own value (L. Andersen and M. Broadie 2004): with Q_k the value of
 * going on by the policy from k, and A_k = H_k where the policy exercises, Q_k where it does not,
 *
 *     M_k - M_j = A_k - Q_j   from one allowed decision j to the next one k,
 *
 * A = H behind the last. The sum begins with A_1 - price, so that the bound less the price is
 *
 *     E[ max(H_k - N_k, ..., H - N) ],   N = A_1 + (A_2 - Q_1) + ...,
 *
 * which is 0 on each path where nothing is better than the policy. Q_k is an average over inner
 * paths to the end, whose noise moves the bound outwards only.
 *
 * Where both decide the value is that of a game (Y. Kifer, Game options, Finance and Stochastics 4
 * (2000) 443-463): no more than the holder's best against any policy of the issuer, no less than
 * the issuer's against any of the holder. So each side has its bound, with the decisions of the
 * other by the fitted policy.
 *
 * There is none where a decision reads extremes or survival, or steps are drawn from history (they
 * need more than the state to go on), or where it takes too much work. */
#include "app/pricing/value/exercise/exercise_upper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/piece.h"
#include "app/pricing/plan/time_grid.h"
#include "app/pricing/value/exercise/exercise_steps.h"
#include "models/payoffs/scripted.h"
#include "models/programs/operations.h"

enum {
    POINTS_LEAST = 32, /* inner paths of a state, PATH_LANES at most, */
    PATHS_MOST = 4096, /* and outer ones, PATH_LANES at least, */
    OPERATIONS = 32    /* that take as long as a step of an asset does */
};

/* Steps that they may take together. */
#define WORK_MOST 3e7

/* Philox keys: the run's with these bits turned. */
#define OUTER_KEY 0xd1b54a32d192ed03u
#define INNER_KEY 0x8cb92ba72f3d8dd7u

/* The bound of one side of a trade, while threads share its blocks of PATH_LANES paths. */
struct gap {
    const struct decider *decider;
    const struct program *program;
    int input_steps[PROGRAM_INPUTS_MOST]; /* [input] at whose end it is read */
    int underlyings[PROGRAM_INPUTS_MOST]; /* [input] of the group */
    int *steps;                           /* [decision] after which it is made; -1: today */
    int last;                             /* step that is read */
    double *coefficients; /* [decision + 1][coefficient]: the side does not exercise before that
                           * decision, from it on by the policy */
    struct draws outer, inner;
    const struct stop *stop;
    struct tally *tallies; /* [block] */
};

/* Working memory of a block. */
struct gap_block {
    const struct gap *gap;
    struct step_scratch step_scratch;
    double *room;              /* owned: all that follows is within it */
    double *rows, *inner_rows; /* [input, then decision][CHUNK_PATHS] of which PATH_LANES count */
    double *states;            /* [decision][underlying][PATH_ROWS][PATH_LANES] */
    double *registers;         /* [register][PATH_LANES] */
    double *outputs;           /* [output][PATH_LANES] where nobody exercises */
    double *going_on, *taken;  /* [decision][PATH_LANES] by the policy */
    uint32_t allowed[PATH_LANES]; /* paths on which a decision is */
};

static const double *output_of(const struct gap_block *block, int decision, int which)
{
    int first = block->gap->program->decisions[decision].first_output;
    return block->outputs + (size_t)(first + which) * PATH_LANES;
}

/* ---- walks ----------------------------------------------------------------------------------- */

/* Writes what the program reads of the paths at the end of a step. */
static void read_step(const struct gap_block *block, int step, double *rows)
{
    const struct program *program = block->gap->program;
    const double *paths = block->step_scratch.lanes.paths;
    for (int i = 0; i < program->n_inputs; i++) {
        if (block->gap->input_steps[i] != step) continue;
        enum input_kind kind = program->inputs[i].kind;
        size_t row = kind == INPUT_VARIANCE ? ROW_V : ROW_X;
        const double *from =
            paths + ((size_t)block->gap->underlyings[i] * PATH_ROWS + row) * PATH_LANES;
        double *to = rows + (size_t)i * CHUNK_PATHS;
        for (int l = 0; l < PATH_LANES; l++)
            to[l] = kind == INPUT_PRICE ? program_exp2(from[l]) : from[l];
    }
}

/* Tells whether the side makes decision k. */
static bool is_own(const struct gap *gap, int k)
{
    return gap->program->decisions[k].issuer == gap->decider->issuer;
}

/* Runs the program on rows where the side does not exercise before decision k; outputs may be
 * NULL. */
static void run_from(const struct gap_block *block, int k, double *rows, double *values,
                     double *outputs)
{
    const struct program *program = block->gap->program;
    int inputs[PROGRAM_INPUTS_MOST];
    for (int i = 0; i < program->n_inputs; i++) inputs[i] = i;
    const struct group_program run = {.program = program,
                                      .inputs = inputs,
                                      .coefficients = block->gap->coefficients +
                                                      (size_t)k * (size_t)program->n_coefficients,
                                      .decided = program->n_inputs};
    program_lanes()(&run, rows, block->registers, values, outputs);
}

/* Copies the states of the paths to those of the decisions that are made after a step. */
static void note_states(const struct gap_block *block, int step)
{
    size_t n = state_numbers(block->gap->decider->group);
    for (int k = 0; k < block->gap->program->n_decisions; k++)
        if (block->gap->steps[k] == step)
            memcpy(block->states + (size_t)k * n, block->step_scratch.lanes.paths,
                   n * sizeof(double));
}

/* Walks the outer paths of block b, and finds what becomes of them where the side never exercises,
 * and what the policy says at each of its decisions. Values [PATH_LANES] are those without
 * exercise. */
static void walk_outer(struct gap_block *block, int b, double *values)
{
    const struct gap *gap = block->gap;
    const struct group *group = gap->decider->group;
    struct step_scratch *scratch = &block->step_scratch;
    const struct program *program = gap->program;
    begin_states(group, scratch->lanes.paths);
    note_states(block, -1);
    for (int j = 0; j <= gap->last && !asked_to_stop(gap->stop); j++) {
        draw_paths(&gap->outer, (uint64_t)b * PATH_LANES, j, scratch);
        scratch->lanes.step(group, j, scratch->words, scratch->lanes.scratch, NULL);
        read_step(block, j, block->rows);
        note_states(block, j);
    }
    for (int k = 0; k < program->n_decisions; k++) {
        if (!is_own(gap, k)) continue;
        run_from(block, k, block->rows, values, NULL);
        memcpy(block->taken + (size_t)k * PATH_LANES,
               block->rows + (size_t)(program->n_inputs + k) * CHUNK_PATHS,
               PATH_LANES * sizeof(double));
    }
    run_from(block, program->n_decisions, block->rows, values, block->outputs);
}

/* Finds what going on after decision k is worth to the paths allowed [from .. from + n - 1], which
 * the lanes share. */
static void average_inner(struct gap_block *block, int b, int k, uint32_t from, uint32_t n)
{
    const struct gap *gap = block->gap;
    const struct decider *decider = gap->decider;
    struct step_scratch *scratch = &block->step_scratch;
    const uint32_t points = gap->inner.points;
    const uint64_t number =
        ((uint64_t)b * (uint64_t)gap->program->n_decisions + (uint64_t)k) * PATH_LANES + from;
    double values[PATH_LANES];
    uint32_t path[PATH_LANES]; /* whose inner path a lane is */
    for (uint32_t l = 0; l < PATH_LANES; l++)
        path[l] = block->allowed[from + (l / points < n ? l / points : 0)];
    const size_t n_numbers = state_numbers(decider->group);
    const double *states = block->states + (size_t)k * n_numbers;
    for (size_t i = 0; i < n_numbers; i++)
        scratch->lanes.paths[i] = states[i / PATH_LANES * PATH_LANES + path[i % PATH_LANES]];
    for (int i = 0; i < gap->program->n_inputs; i++)
        for (int l = 0; gap->input_steps[i] <= gap->steps[k] && l < PATH_LANES; l++) {
            size_t row = (size_t)i * CHUNK_PATHS;
            block->inner_rows[row + (size_t)l] = block->rows[row + path[l]];
        }
    for (int j = gap->steps[k] + 1; j <= gap->last && !asked_to_stop(gap->stop); j++) {
        draw_points(&gap->inner, number, j, (j - gap->steps[k] - 1) * decider->group->n_factors,
                    scratch->words);
        scratch->lanes.step(decider->group, j, scratch->words, scratch->lanes.scratch, NULL);
        read_step(block, j, block->inner_rows);
    }
    run_from(block, k + 1, block->inner_rows, values, NULL);
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (uint32_t p = 0; p < points; p++) sum += values[i * points + p];
        block->going_on[(size_t)k * PATH_LANES + block->allowed[from + i]] = sum / points;
    }
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* Returns the most (for an issuer the least) of what exercise and none of it pay, less N. */
static double best_of(const struct gap_block *block, int l, double never)
{
    const struct program *program = block->gap->program;
    const double sign = block->gap->decider->issuer ? -1.0 : 1.0;
    double best = -HUGE_VAL, n = 0.0, before = 0.0;
    for (int k = 0; k < program->n_decisions; k++) {
        if (!is_own(block->gap, k) || output_of(block, k, 0)[l] == 0.0) continue;
        double exercised = output_of(block, k, 2)[l] + output_of(block, k, 1)[l];
        double going_on = block->going_on[(size_t)k * PATH_LANES + (size_t)l];
        bool takes = block->taken[(size_t)k * PATH_LANES + (size_t)l] != 0.0;
        n += (takes ? exercised : going_on) - before;
        best = fmax(best, sign * (exercised - n));
        before = going_on;
    }
    n += never - before;
    return sign * fmax(best, sign * (never - n));
}

static enum status block_make(const struct gap *gap, struct gap_block *block)
{
    const struct program *program = gap->program;
    size_t decisions = (size_t)program->n_decisions * PATH_LANES,
           rows = (size_t)(program->n_inputs + program->n_decisions) * CHUNK_PATHS,
           states = (size_t)program->n_decisions * state_numbers(gap->decider->group),
           registers = (size_t)program->n_registers * PATH_LANES,
           outputs = (size_t)program->n_outputs * PATH_LANES;
    *block = (struct gap_block){.gap = gap};
    block->room =
        malloc(sizeof(double) * (2 * rows + states + registers + outputs + 2 * decisions + 1));
    enum status status = step_scratch_make(gap->decider->group, &block->step_scratch);
    if (!block->room) return STATUS_NO_MEMORY;
    block->rows = block->room;
    block->inner_rows = block->rows + rows;
    block->states = block->inner_rows + rows;
    block->registers = block->states + states;
    block->outputs = block->registers + registers;
    block->going_on = block->outputs + outputs;
    block->taken = block->going_on + decisions;
    return status;
}

/* Makes the tally over the paths of block b. */
static enum status bound_block(void *context, int b, struct message *why)
{
    enum status status = STATUS_OK;
    const struct gap *gap = context;
    const uint32_t at_once = PATH_LANES / gap->inner.points;
    double never[PATH_LANES];
    struct gap_block block;
    (void)why;
    TRY(block_make(gap, &block));
    walk_outer(&block, b, never);
    for (int k = 0; k < gap->program->n_decisions; k++) {
        uint32_t n = 0;
        for (uint32_t l = 0; l < PATH_LANES; l++)
            if (is_own(gap, k) && output_of(&block, k, 0)[l] != 0.0) block.allowed[n++] = l;
        for (uint32_t i = 0; i < n; i += at_once)
            average_inner(&block, b, k, i, n - i < at_once ? n - i : at_once);
    }
    if (asked_to_stop(gap->stop)) TRY(STATUS_INTERRUPTED);
    for (int l = 0; l < PATH_LANES; l++)
        gap->tallies[b] = tally_add(gap->tallies[b], best_of(&block, l, never[l]));
done:
    step_scratch_free(&block.step_scratch);
    free(block.room);
    return status;
}

/* Lays out the coefficients of a policy that begins with each decision, and of none. */
static void make_coefficients(const struct gap *gap)
{
    const struct program *program = gap->program;
    for (int k = 0; k <= program->n_decisions; k++)
        for (int i = 0; i < program->n_coefficients; i++) {
            const struct program_coefficient *c = &program->coefficients[i];
            bool without =
                c->kind == COEFFICIENT_POLICY && c->decision < k && is_own(gap, c->decision);
            gap->coefficients[k * program->n_coefficients + i] =
                without ? policy_of_nobody(program, c) : gap->decider->coefficients[i];
        }
}

/* Finds the steps of inputs and decisions, and the underlyings. */
static void place_inputs(struct gap *gap)
{
    const struct program *program = gap->program;
    const struct group *group = gap->decider->group;
    for (int i = 0; i < program->n_inputs; i++) {
        gap->input_steps[i] = step_of(group, 0, program->inputs[i].date);
        int u = 0, asset = trade_asset(gap->decider->trade, program->inputs[i].asset);
        while (group->underlyings[u].asset != asset) u++;
        gap->underlyings[i] = u;
        if (gap->input_steps[i] > gap->last) gap->last = gap->input_steps[i];
    }
    for (int k = 0; k < program->n_decisions; k++) {
        double years = program->decisions[k].years;
        gap->steps[k] = years > 0.0 ? step_of(group, 0, years) : -1;
    }
}

/* Returns the work of what follows the decisions of a path, of one inner path each. */
static double inner_work(const struct gap *gap)
{
    double work = 0.0;
    for (int k = 0; k < gap->program->n_decisions; k++)
        work += !is_own(gap, k)
                    ? 0.0
                    : (double)(gap->last - gap->steps[k]) * gap->decider->group->n_underlyings +
                          (double)gap->program->n_instructions / OPERATIONS;
    return work;
}

bool program_gap_possible(const struct decider *decider)
{
    const struct program *program = &decider->trade->scripted->program;
    for (int i = 0; i < program->n_inputs; i++)
        if (program->inputs[i].kind > INPUT_VARIANCE) return false;
    for (int k = 0; k < program->n_decisions; k++)
        if (program->decisions[k].issuer == decider->issuer)
            return group_has_states(decider->group);
    return false;
}

enum status program_gap(const struct decider *decider, uint64_t seed, const struct stop *stop,
                        struct team *team, struct tally *gap, struct message *why)
{
    enum status status = STATUS_OK;
    const struct program *program = &decider->trade->scripted->program;
    const size_t sets = (size_t)program->n_decisions + 1;
    struct tally tallies[PATHS_MOST / PATH_LANES] = {{0}};
    struct gap work = {.decider = decider,
                       .program = program,
                       .last = -1,
                       .stop = stop,
                       .tallies = tallies,
                       .steps = malloc(sizeof(int) * sets),
                       .coefficients =
                           malloc(sizeof(double) * (sets * (size_t)program->n_coefficients + 1)),
                       .outer = {decider->group, seed ^ OUTER_KEY, 0},
                       .inner = {decider->group, seed ^ INNER_KEY, PATH_LANES}};
    *gap = (struct tally){0};
    if (!work.steps || !work.coefficients) TRY(STATUS_NO_MEMORY);
    place_inputs(&work);
    make_coefficients(&work);
    double paths = WORK_MOST / (inner_work(&work) * work.inner.points);
    for (; paths < PATH_LANES && work.inner.points > POINTS_LEAST; paths *= 2.0)
        work.inner.points /= 2;
    if (paths < PATH_LANES) goto done;
    int blocks = (int)(fmin(paths, PATHS_MOST) / PATH_LANES);
    TRY(team_try(team, blocks, blocks, bound_block, &work, why));
    for (int b = 0; b < blocks; b++) *gap = tally_merge(*gap, tallies[b]);
done:
    free(work.steps);
    free(work.coefficients);
    return status;
}
