#include "kernels/costs.h"

#include <math.h>
#include <string.h>

const char *const cost_names[N_COSTS] = {
#define COST(NAME, name, probe) [COST_##NAME] = #name,
#include "kernels/costs.def"
#undef COST
};

const char *const candidate_kernels[N_CANDIDATES] = {
#define CANDIDATE(NAME, kernel) [CANDIDATE_##NAME] = kernel,
    CANDIDATES(CANDIDATE)
#undef CANDIDATE
};

static const int step_under[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients, ...) [MODEL_##NAME] = COST_##NAME,
#include "models/dynamics/models.def"
#undef MODEL
};

static const int sum_under[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients, ...) [MODEL_##NAME] = COST_##NAME##_SUM,
#include "models/dynamics/models.def"
#undef MODEL
};

/* ---- what a plan has ------------------------------------------------------------------------- */

static const int reads_of_kind[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [OBSERVATION_##NAME] = reads,
#include "models/observables/observables.def"
#undef OBSERVABLE
};

/* Whether a step observes the sum once. */
static bool sums_at(const struct group *group, int step, int slot)
{
    int n = 0;
    for (int i = group->first_observation[step]; i < group->first_observation[step + 1]; i++)
        n += group->observations[i].kind == OBSERVATION_SUM && group->observations[i].slot == slot;
    return n == 1;
}

/* Steps, from the first on, of the longest sum that a kernel can carry in a register: one that is
 * observed at each of them and at none after them. */
static int register_sum_steps(const struct group *group)
{
    int longest = 0;
    for (int i = 0; group->n_steps && i < group->first_observation[1]; i++) {
        int slot = group->observations[i].slot, steps = 0, later = 0;
        if (group->observations[i].kind != OBSERVATION_SUM) continue;
        while (steps < group->n_steps && sums_at(group, steps, slot)) steps++;
        for (int j = steps; j < group->n_steps; j++) later += sums_at(group, j, slot);
        if (!later && steps > longest) longest = steps;
    }
    return longest;
}

static bool needs_a_clock(const struct group *group)
{
    for (int i = 0; i < group->n_observations; i++)
        if (reads_of_kind[group->observations[i].kind] & (READS_CLOCK | READS_VARIANCE))
            return true;
    return false;
}

/* The counts of one path of a group of one asset. */
static void count_single(const struct group *group, double counts[N_COSTS])
{
    int register_sum = register_sum_steps(group),
        observations = group->n_observations - register_sum;
    bool plain = group_is_plain(group) && !needs_a_clock(group);
    bool alone = group->n_rows == 1 && register_sum == group->n_steps;
    int model = (int)group->underlyings[0].model;
    counts[COST_DRAW] = group_normals(group);
    counts[plain   ? alone ? COST_SUM : COST_STEP
           : alone ? sum_under[model]
                   : step_under[model]] = group->n_steps;
    if (alone) return;
    counts[COST_ADD] = register_sum;
    counts[COST_TOUCH] = observations;
    counts[COST_CROWD] = (double)observations * group->n_slots;
}

/* The counts of one path. */
static void count_path(const struct group *group, double counts[N_COSTS])
{
    memset(counts, 0, sizeof *counts * N_COSTS);
    if (group->n_underlyings > 1) {
        counts[COST_SEVERAL] = (double)group_asset_steps(group);
        counts[COST_DRAW_SEVERAL] = group_normals(group);
    } else {
        count_single(group, counts);
    }
    counts[COST_PAYOFF] = group->n_single;
    if (group->n_alike) return;
    counts[COST_DRAW] = counts[COST_DRAW_SEVERAL] = 0.0; /* those of a group before it */
    counts[COST_MORE] = counts[COST_SUM];
    counts[COST_SUM] = 0.0;
}

void costs_count(const struct plan *plan, double counts[N_COSTS])
{
    enum { LANES = 2, LAUNCH_PATHS = 1 << 20 };
    double paths = (double)plan->paths, held = fmin(paths, LAUNCH_PATHS) * LANES, per_path[N_COSTS];
    memset(counts, 0, sizeof *counts * N_COSTS);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        int kind = group->n_underlyings > 1 ? COST_HELD_SEVERAL : COST_HELD;
        count_path(group, per_path);
        for (int c = 0; c < N_COSTS; c++) counts[c] += paths * per_path[c];
        counts[COST_LAUNCH] += ceil(paths / LAUNCH_PATHS);
        counts[kind] = fmax(counts[kind], held * group_normals(group));
    }
}

/* ---- the choice ------------------------------------------------------------------------------ */

static double add_up(const double counts[N_COSTS], const double seconds[N_COSTS])
{
    double sum = 0.0;
    for (int c = 0; c < N_COSTS; c++) sum += counts[c] * seconds[c];
    return sum;
}

double costs_predict(const struct costs *costs, enum candidate candidate, const struct plan *plan)
{
    double counts[N_COSTS];
    costs_count(plan, counts);
    return add_up(counts, costs->seconds[candidate]);
}

enum candidate costs_choose(const struct costs *costs, const struct plan *plan)
{
    enum candidate best = 0;
    double counts[N_COSTS];
    costs_count(plan, counts);
    double least = CLEARLY * add_up(counts, costs->seconds[0]);
    for (int k = 1; k < N_CANDIDATES; k++) {
        double seconds = add_up(counts, costs->seconds[k]);
        if (seconds < least) best = (enum candidate)k, least = seconds;
    }
    return best;
}
