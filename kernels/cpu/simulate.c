/* Compiled once for each row of builds.def, with SIMULATE_BUILD set to its name.
 * Every loop over lanes is simple enough for the compiler to vectorise, and every operation is
 * exact in the sense of exact.h, so the builds differ in speed alone. */
#include "kernels/cpu/simulate.h"

#include <string.h>

#include "kernels/cpu/normals_avx2.h"
#include "kernels/cpu/normals_avx512.h"
#include "kernels/run_program.h"
#include "kernels/tally_order.h"
#include "models/dynamics/dividend.h"
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "models/observables/observable.h"
#include "models/payoffs/products.h"
#include "models/payoffs/trade.h"

#include "kernels/cpu/draw_lanes.h"
#include "kernels/cpu/make_moves.h"
#include "kernels/cpu/observe_lanes.h"
#include "kernels/cpu/survive_lanes.h"
#include "kernels/cpu/tally_lanes.h"
#include "kernels/cpu/take_steps.h"

/* ---- paths ----------------------------------------------------------------------------------- */

/* Begins paths of a group, which move by these movers and have the `place`-th of the places side by
 * side for what they remember. */
static void begin(const struct group *group, const int *movers, int place,
                  const struct path_scratch *scratch, double *observed, struct lanes *lanes)
{
    size_t before = (size_t)place * PATH_LANES;
    lanes->group = group;
    lanes->movers = movers;
    for (int u = 0; movers && u < group->n_underlyings; u++) lanes->moved[u] = movers[u] >= 0;
    lanes->clocked = reads_clock(group);
    lanes->paths = scratch->paths + before * (size_t)(PATH_ROWS * group->n_underlyings);
    lanes->state = scratch->state + before * (size_t)group->n_slots;
    lanes->observed = observed;
    lanes->dividend = 0;
    lanes->bridge_block = UINT32_MAX;
    begin_lanes(group, lanes->paths, lanes->state);
}

/* Observes the end of step j. */
static void observe(const struct plan *plan, uint64_t first_path, int j, const float *normals,
                    struct lanes *lanes)
{
    const struct group *group = lanes->group;
    for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
        const struct observation *t = &group->observations[i];
        int pair = t->pair < 0 ? 0 : 2 * (t->pair % 2);
        if (t->pair >= 0 && (uint32_t)t->pair / 2 != lanes->bridge_block) {
            lanes->bridge_block = (uint32_t)t->pair / 2;
            draw_bridges(plan, group, first_path, lanes->bridge_block, lanes->bridges);
        }
        const float *drawn = t->pair < 0 ? normals : lanes->bridges[pair];
        const double *path = SLOT(lanes->paths, PATH_ROWS * t->underlying);
        struct observation_inputs inputs = {path,
                                            SLOT(path, ROW_V),
                                            SLOT(path, ROW_CLOCK),
                                            drawn,
                                            drawn + PATH_LANES,
                                            SLOT(lanes->state, t->source),
                                            group->lookup.table};
        double *state = observation_in_row(t->kind)
                            ? lanes->observed + (size_t)t->slot * CHUNK_PATHS
                            : SLOT(lanes->state, t->slot);
        observe_kind(t->kind, t, &inputs, state);
    }
}

static void take_steps(const struct plan *plan, uint64_t first_path, const struct step_range *range,
                       const struct path_scratch *scratch, struct lanes *lanes)
{
    const struct group *group = lanes->group;
    const bool *moved = lanes->movers ? lanes->moved : NULL;
    for (int j = range->first; j < range->end; j++) {
        const float *z = step_normals(group, 0, j - range->first, range->normals);
        step_lanes(group, j, z, lanes->clocked, moved, lanes->paths);
        if (moved) add_moves(group, lanes->movers, j, range, scratch, lanes->paths);
        for (; lanes->dividend < group->n_dividends && group->dividends[lanes->dividend].step == j;
             lanes->dividend++)
            pay_dividend(&group->dividends[lanes->dividend], lanes->paths);
        observe(plan, first_path, j, range->normals, lanes);
    }
}

#define ROW(r) (lanes->observed + (size_t)(r)*CHUNK_PATHS)

/* Takes a look of a chain. */
static void take_look(struct lanes *lanes, const struct look *look)
{
    const struct observation *t = &look->seen;
    struct observation_inputs inputs = {.x = ROW(look->x),
                                        .clock = look->clock < 0 ? NULL : ROW(look->clock),
                                        .z0 = lanes->bridges[0],
                                        .z1 = lanes->bridges[1],
                                        .source = SLOT(lanes->state, t->source)};
    for (int z = 0; z < 2 && look->drawn[z] >= 0; z++)
        for (int l = 0; l < PATH_LANES; l++) lanes->bridges[z][l] = (float)ROW(look->drawn[z])[l];
    observe_kind(t->kind, t, &inputs, SLOT(lanes->state, t->slot));
}

/* Looks back at paths that have ended. */
static void look_back_lanes(struct lanes *lanes)
{
    const struct group *group = lanes->group;
    for (int s = 0; s < group->n_survival_sets; s++)
        survive_lanes(group, &group->survival_sets[s], lanes->observed);
    for (const struct chain *c = group->chains; c < group->chains + group->n_chains; c++) {
        if (c->survives) continue;
        for (int s = 0; s < c->n_slots; s++)
            for (int l = 0; l < PATH_LANES; l++)
                SLOT(lanes->state, s)[l] = group->look_initial[c->first_slot + s];
        for (int i = 0; i < c->n_looks; i++) take_look(lanes, &group->looks[c->first_look + i]);
        for (int r = c->first_result; r < c->first_result + c->n_results; r++)
            memcpy(ROW(group->look_results[r].row), SLOT(lanes->state, group->look_results[r].slot),
                   sizeof(double) * PATH_LANES);
    }
}

/* Makes the gates from the extremes that chains have left in rows. */
static void gate_lanes(const struct lanes *lanes)
{
    const struct group *group = lanes->group;
    for (const struct gate *g = group->gates; g < group->gates + group->n_gates; g++) {
        double *alive = ROW(g->row);
        for (int l = 0; l < PATH_LANES; l++) alive[l] = g->alive;
        if (g->lowest >= 0)
            for (int l = 0; l < PATH_LANES; l++)
                alive[l] = ROW(g->lowest)[l] > g->low ? alive[l] : 0.0;
        if (g->highest >= 0)
            for (int l = 0; l < PATH_LANES; l++)
                alive[l] = ROW(g->highest)[l] < g->high ? alive[l] : 0.0;
    }
}

/* Hands what the paths remember to the payoffs, and runs programs on it. */
static void end_lanes(struct lanes *lanes, const struct path_scratch *scratch)
{
    const struct group *group = lanes->group;
    const int programs = scratch->late ? group->n_shared : group->n_programs;
    look_back_lanes(lanes);
    gate_lanes(lanes);
    for (const struct result *r = group->results; r < group->results + group->n_results; r++)
        memcpy(ROW(r->row), SLOT(lanes->state, r->slot), sizeof(double) * PATH_LANES);
    for (const struct price_row *p = group->prices; p < group->prices + group->n_prices; p++) {
        const double *x = ROW(p->log_row);
        double *prices = ROW(p->row);
        for (int l = 0; l < PATH_LANES; l++) prices[l] = program_exp2(x[l]);
    }
    for (const struct group_program *run = group->programs; run < group->programs + programs; run++)
        run_program(run, lanes->observed, NULL, scratch->registers, ROW(run->row), NULL);
}

/* Makes the moves of all movers over the steps, from the variances of today or of the steps before.
 */
static void make_all_moves(const struct group *groups, const struct shared_moves *shared,
                           const struct step_range *range, const struct path_scratch *scratch)
{
    for (int w = 0; w < shared->n; w++) {
        const struct mover *mover = &shared->movers[w];
        const struct group *group = &groups[mover->market];
        size_t at = (size_t)w * (size_t)range->room * PATH_LANES;
        double *variances = SLOT(scratch->variances, w);
        for (int l = 0; range->first == 0 && l < PATH_LANES; l++)
            variances[l] = group->underlyings[mover->underlying].start.v;
        move_underlying(group, mover->underlying, range, variances, scratch->moves + at,
                        scratch->jumps + at);
    }
}

/* Simulates PATH_LANES paths of n groups alike on one draw, by the moves that they share; of what
 * is observed the first of them is the first column. Groups take some steps in turn, each in a
 * place of its own; where these are all steps, one place is enough for all. */
static void simulate_lanes(const struct plan *plan, const struct group *groups, int n,
                           const struct shared_moves *shared, uint64_t first_path,
                           struct path_scratch *scratch)
{
    const int together = steps_together(groups, n, shared->n), n_steps = groups->n_steps,
              rows = groups->n_rows * CHUNK_PATHS;
    if (plan->points) draw_points(plan, groups, first_path, scratch->normals);
    int j = 0;
    do {
        struct step_range range = {.first = j, .room = together};
        range.end = j + together < n_steps ? j + together : n_steps;
        if (simulation_stopped(scratch)) return;
        range.normals = normals_from(plan, groups, first_path, j, range.end, scratch->normals);
        make_all_moves(groups, shared, &range, scratch);
        for (int m = 0; m < n; m++) {
            int place = together < n_steps ? m : 0;
            struct lanes *lanes = &scratch->lanes[place];
            if (j == 0)
                begin(&groups[m], shared->n ? shared->mover_of + m * groups->n_underlyings : NULL,
                      place, scratch, scratch->observed + (size_t)m * (size_t)rows, lanes);
            take_steps(plan, first_path, &range, scratch, lanes);
            if (range.end == n_steps) end_lanes(lanes, scratch);
        }
        j += together;
    } while (j < n_steps);
}

/* ---- batches --------------------------------------------------------------------------------- */

static void observe_chunk(const struct plan *plan, const struct group *group, uint64_t chunk,
                          struct path_scratch *scratch)
{
    static const struct shared_moves none;
    struct path_scratch column_scratch = *scratch;
    uint64_t first_path = plan->first_path + chunk * CHUNK_PATHS;
    for (int column = 0; column < CHUNK_PATHS;
         column += PATH_LANES, column_scratch.observed += PATH_LANES)
        simulate_lanes(plan, group, 1, &none, first_path + (uint64_t)column, &column_scratch);
}

/* Values a payoff on the paths of a chunk, that of a script by its program `run`; `followed` as
 * run_program has them. */
static void value_payoff(const struct payoff *payoff, const struct group_program *run,
                         double *observed, const double *followed, double *registers,
                         double *values)
{
    if (payoff->formula != FORMULA_SCRIPT) payoff_values[payoff->formula](payoff, observed, values);
    else
        for (int column = 0; column < CHUNK_PATHS; column += PATH_LANES)
            run_program(run, observed + column, followed ? followed + column : NULL, registers,
                        values + column, NULL);
}

static void simulate_chunk(const struct plan *plan, const struct group *group, uint64_t chunk,
                           struct path_scratch *scratch, struct tally *tallies)
{
    _Alignas(64) double values[CHUNK_PATHS];
    struct strike_bin *bins = scratch->bins + group_bins(group);
    const struct group_program *run = group->programs + group->n_shared;
    struct path_scratch late = *scratch;
    late.late = true;
    observe_chunk(plan, group, chunk, &late);
    if (simulation_stopped(scratch)) return;
    for (int p = 0; p < group->n_single; p++) {
        const struct payoff *payoff = &group->payoffs[p];
        value_payoff(payoff, run, scratch->observed, NULL, scratch->registers, values);
        run += payoff->formula == FORMULA_SCRIPT;
        tallies[p] = tally_merge(tallies[p], tally_chunk(plan, values));
    }
    for (int l = 0; l < group->n_strips; l++) {
        fill_bins(&group->strips[l], scratch->observed, bins);
        bins += group->strips[l].n_strikes + 1;
    }
}

static void simulate_batch(const struct plan *plan, const struct group *group, uint64_t batch,
                           struct path_scratch *scratch, struct tally *tallies)
{
    int chunks = plan_batch_chunks(plan, batch);
    for (int p = 0; p < group->n_payoffs; p++) tallies[p] = (struct tally){0};
    for (int b = 0; b < 2 * group_bins(group); b++) scratch->bins[b] = (struct strike_bin){0};
    for (int c = 0; c < chunks; c++) {
        simulate_chunk(plan, group, batch * BATCH_CHUNKS + (uint64_t)c, scratch, tallies);
        if ((c + 1) % STRIP_CHUNKS == 0 || c + 1 == chunks) close_tile(group, scratch->bins);
    }
    tally_strips(group, scratch, (double)chunks * CHUNK_PATHS, tallies);
}

/* ---- scenario sets --------------------------------------------------------------------------- */

/* Simulates PATH_LANES paths of every group of the scenario set from group g on, each into rows of
 * its own; those alike side by side. */
static void simulate_scenario_set(const struct plan *plan, int g, uint64_t first_path, int column,
                                  const struct path_scratch *scratch)
{
    struct path_scratch column_scratch = *scratch;
    int end = g + plan->n_scenarios;
    column_scratch.observed += column;
    column_scratch.late = true;
    for (int n; g < end; g += n) {
        n = plan->groups[g].n_markets;
        simulate_lanes(plan, &plan->groups[g], n, &scratch->shared[g], first_path, &column_scratch);
        for (int m = 0; m < n; m++)
            column_scratch.observed += (size_t)plan->groups[g + m].n_rows * CHUNK_PATHS;
    }
}

/* Makes the contrast of each path from its values [scenario][CHUNK_PATHS]. */
static void contrast_values(const struct contrast *contrast, const double (*values)[CHUNK_PATHS],
                            double *contrasted)
{
    for (int t = 0; t < contrast->n_terms; t++) {
        double weight = contrast->terms[t].weight;
        const double *scenario_values = values[contrast->terms[t].scenario];
        if (t == 0)
            for (int i = 0; i < CHUNK_PATHS; i++) contrasted[i] = weight * scenario_values[i];
        else
            for (int i = 0; i < CHUNK_PATHS; i++)
                contrasted[i] = fma(weight, scenario_values[i], contrasted[i]);
    }
}

static void tally_scenario_set(const struct plan *plan, const struct group *groups,
                               const struct path_scratch *scratch, struct tally *tallies,
                               double *means)
{
    _Alignas(64) double values[MARKETS_MAX][CHUNK_PATHS], contrasted[CHUNK_PATHS];
    int n = groups->n_payoffs;
    for (int p = 0, script = 0; p < n; p++) {
        double *rows[MARKETS_MAX + 1] = {scratch->observed};
        struct tally *to = tallies + p;
        for (int s = 0; s < plan->n_scenarios; s++) {
            const struct group *group = &groups[s];
            value_payoff(&group->payoffs[p], group->programs + group->n_shared + script, rows[s],
                         group->follows < 0 ? NULL : rows[group->follows], scratch->registers,
                         values[s]);
            rows[s + 1] = rows[s] + (size_t)group->n_rows * CHUNK_PATHS;
        }
        script += groups->payoffs[p].formula == FORMULA_SCRIPT;
        for (int m = 0; m < plan->n_contrasts; m++, to += n) {
            contrast_values(&plan->contrasts[m], (const double(*)[CHUNK_PATHS])values, contrasted);
            struct tally chunk = tally_values(contrasted, CHUNK_PATHS);
            *to = tally_merge(*to, chunk);
            means[(size_t)m * (size_t)n + (size_t)p] = chunk.mean;
        }
    }
}

static void simulate_set_batch(const struct plan *plan, int first, uint64_t batch,
                               struct path_scratch *scratch, struct tally *tallies, double *means)
{
    const struct group *groups = &plan->groups[first];
    size_t n = scenario_set_tallies(plan, first),
           contrasted = (size_t)plan->n_contrasts * (size_t)groups->n_payoffs;
    int chunks = plan_batch_chunks(plan, batch);
    for (size_t i = 0; i < n; i++) tallies[i] = (struct tally){0};
    for (int c = 0; c < chunks; c++) {
        uint64_t path = plan->first_path + (batch * BATCH_CHUNKS + (uint64_t)c) * CHUNK_PATHS;
        for (int column = 0; column < CHUNK_PATHS; column += PATH_LANES)
            simulate_scenario_set(plan, first, path + (uint64_t)column, column, scratch);
        if (simulation_stopped(scratch)) return;
        tally_scenario_set(plan, groups, scratch, tallies, means + (size_t)c * contrasted);
    }
}

/* ---- paths that are watched ------------------------------------------------------------------ */

/* Finds what an exercise that is observed by `t` in step j sees: first what it reads, asset after
 * asset. */
static void features_of_lanes(const struct group *group, int j, const struct observation *t,
                              struct path_scratch *scratch, double *f, double *g)
{
    const float *drawn = scratch->normals; /* looked at by none of these */
    struct observation_inputs inputs = {.z0 = drawn, .z1 = drawn, .table = group->lookup.table};
    for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
        const struct observation *part = &group->observations[i];
        if (observation_in_row(part->kind) || part->slot != t->source) continue;
        inputs.x = SLOT(scratch->paths, PATH_ROWS * part->underlying);
        inputs.v = SLOT(inputs.x, ROW_V);
        inputs.clock = SLOT(inputs.x, ROW_CLOCK);
        inputs.source = SLOT(scratch->state, part->source);
        observe_lanes[part->kind](part, &inputs, SLOT(scratch->state, part->slot));
    }
    const double *source = SLOT(scratch->state, t->source);
    const double *v = SLOT(scratch->paths, PATH_ROWS * t->underlying) + ROW_V * PATH_LANES;
    const struct observation seen = *t;
    for (int l = 0; l < PATH_LANES; l++) {
        struct memory m = {.source_a = source[l], .source_b = source[PATH_LANES + l], .v = v[l]};
        f[l] = exercise_first(&seen, &m);
        g[l] = exercise_second(&seen, &m);
        if (exercise_sees_variance(seen.kind)) g[l] = exercise_variance_second(&seen, &m);
    }
}

/* Finds the features at the end of a step, if there are any. */
static void find_features(const struct group *group, int step, struct path_scratch *scratch,
                          const struct lane_features *features)
{
    for (int i = group->first_observation[step]; i < group->first_observation[step + 1]; i++) {
        const struct observation *t = &group->observations[i];
        if (observation_is_exercise(t->kind) && t->slot == features->slot)
            features_of_lanes(group, step, t, scratch, features->f, features->g);
    }
}

/* Draws the normals of steps 4 block .. 4 block + 3 of a chunk; antithetic ones are those of the
 * half before, turned round, but where indices stand in their place. */
static void draw_chunk(const struct plan *plan, const struct group *group, uint64_t first_path,
                       int block, struct path_scratch *scratch)
{
    enum { BEFORE = PAIR_PATHS / PATH_LANES };
    size_t n = (size_t)group->n_factors * PATH_DRAWS * PATH_LANES;
    bool indices = false;
    for (int u = 0; u < group->n_underlyings; u++) indices |= draws_indices(&group->underlyings[u]);
    for (int c = 0; c < CHUNK_COLUMNS; c++) {
        uint64_t first = first_path + (uint64_t)c * PATH_LANES;
        float *z = scratch[c].normals;
        if (indices || !turned(plan, first)) {
            draw_steps(plan, group, first, block, z);
            continue;
        }
        const float *before = scratch[c - BEFORE].normals;
        for (size_t i = 0; i < n; i++) z[i] = -before[i];
    }
}

static void watch_chunk(const struct plan *plan, const struct group *group, uint64_t chunk,
                        struct path_scratch *scratch, const struct path_watcher *watcher)
{
    uint64_t first_path = plan->first_path + chunk * CHUNK_PATHS;
    int dividend = 0;
    for (int c = 0; c < CHUNK_COLUMNS; c++) begin_lanes(group, scratch[c].paths, scratch[c].state);
    for (int j = 0; j < group->n_steps; j++) {
        if (simulation_stopped(scratch)) return;
        if (j % PATH_DRAWS == 0) draw_chunk(plan, group, first_path, j / PATH_DRAWS, scratch);
        for (int c = 0; c < CHUNK_COLUMNS; c++)
            step_lanes(group, j, scratch[c].normals + j % PATH_DRAWS * PATH_LANES, false, NULL,
                       scratch[c].paths);
        for (; dividend < group->n_dividends && group->dividends[dividend].step == j; dividend++)
            for (int c = 0; c < CHUNK_COLUMNS; c++)
                pay_dividend(&group->dividends[dividend], scratch[c].paths);
        if (group->first_observation[j] == group->first_observation[j + 1]) continue;
        for (int c = 0; c < CHUNK_COLUMNS; c++) {
            const double *x[UNDERLYINGS_MAX];
            double f[PATH_LANES], g[PATH_LANES];
            const struct lane_features features = {watcher->slot, f, g};
            for (int u = 0; u < group->n_underlyings; u++)
                x[u] = SLOT(scratch[c].paths, PATH_ROWS * u);
            if (watcher->slot >= 0) find_features(group, j, &scratch[c], &features);
            watcher->see(watcher->context, j, c * PATH_LANES, x, f, g);
        }
    }
}

/* ---- one step, from given states by given words (lane_steps.h) ------------------- */

static void run_program_alone(const struct group_program *run, double *rows, double *registers,
                              double *value, double *outputs)
{
    run_program(run, rows, NULL, registers, value, outputs);
}

static void take_one_step(const struct group *group, int step, const uint32_t *words,
                          struct path_scratch *scratch, const struct lane_features *features)
{
    for (int k = 0; k < group->n_factors; k++)
        normals_of_words(words + (size_t)k * PATH_LANES,
                         scratch->normals + (size_t)k * PATH_DRAWS * PATH_LANES);
    step_lanes(group, step, scratch->normals, false, NULL, scratch->paths);
    for (int d = 0; d < group->n_dividends; d++)
        if (group->dividends[d].step == step) pay_dividend(&group->dividends[d], scratch->paths);
    if (features) find_features(group, step, scratch, features);
}

/* ---- the build ------------------------------------------------------------------------------- */

#define JOINED(a, b) a##b
#define TEXT(name) #name
#define NAMED(build) JOINED(simulate_, build)
#define NAME(build) TEXT(build)

const struct cpu_build NAMED(SIMULATE_BUILD) = {.name = NAME(SIMULATE_BUILD),
                                                .simulate = simulate_batch,
                                                .simulate_set = simulate_set_batch,
                                                .observe = observe_chunk,
                                                .watch = watch_chunk,
                                                .program = run_program_alone,
                                                .step = take_one_step,
                                                .draw = draw_words};
