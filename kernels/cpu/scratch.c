#include "kernels/cpu/simulate.h"

#include <stdlib.h>

/* Room that the groups of a plan need at most. */
struct needs {
    size_t markets, slots, underlyings, normals, movers, moves, rows, bins, registers;
};

static size_t larger(size_t a, int b)
{
    return (size_t)b > a ? (size_t)b : a;
}

/* Counts the rows of a scenario set's groups, or of one group. */
static int scenario_set_rows(const struct plan *plan, int g)
{
    int rows = 0;
    for (int s = 0; s < scenario_set_size(plan, g); s++) rows += plan->groups[g + s].n_rows;
    return rows;
}

static struct needs needs_of(const struct plan *plan, const struct shared_moves *shared)
{
    struct needs most = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        int markets = plan->n_contrasts && group->n_markets > 1 ? group->n_markets : 1;
        int movers = shared ? shared[g].n : 0;
        int steps = steps_together(group, markets, movers);
        int drawn =
            plan->points ? (group->n_steps + PATH_DRAWS - 1) / PATH_DRAWS * PATH_DRAWS : steps;
        most.markets = larger(most.markets, markets);
        most.slots = larger(most.slots, markets * (group->n_slots + group->chain_slots));
        most.underlyings = larger(most.underlyings, markets * group->n_underlyings);
        most.normals = larger(most.normals, drawn * group->n_factors);
        most.movers = larger(most.movers, movers);
        most.moves = larger(most.moves, movers * steps);
        most.rows = larger(most.rows, scenario_set_rows(plan, g));
        most.bins = larger(most.bins, group_bins(group));
        for (int p = 0; p < group->n_programs; p++)
            most.registers = larger(most.registers, group->programs[p].program->n_registers);
    }
    return most;
}

static void *room_for(size_t n, size_t size)
{
    return aligned_alloc(64, (n * size + 63) / 64 * 64);
}

enum status scratch_make(const struct plan *plan, const struct shared_moves *shared,
                         struct path_scratch *scratch)
{
    struct needs most = needs_of(plan, shared);
    *scratch = (struct path_scratch){
        .lanes = room_for(most.markets, sizeof(struct lanes)),
        .state = room_for(most.slots * PATH_LANES, sizeof(double)),
        .paths = room_for(most.underlyings * PATH_ROWS * PATH_LANES, sizeof(double)),
        .normals = room_for(most.normals * PATH_LANES, sizeof(float)),
        .shared = shared,
        .moves = room_for(most.moves * PATH_LANES, sizeof(float)),
        .jumps = room_for(most.moves * PATH_LANES, sizeof(double)),
        .variances = room_for(most.movers * PATH_LANES, sizeof(double)),
        .observed = room_for(most.rows * CHUNK_PATHS, sizeof(double)),
        .registers = room_for(most.registers * PATH_LANES, sizeof(double)),
        .bins =
            room_for(3 * most.bins,
                     sizeof(struct strike_bin)), /* of a batch, of a few chunks, beyond strikes */
    };
    bool all = scratch->lanes && scratch->state && scratch->paths && scratch->normals &&
               scratch->moves && scratch->jumps && scratch->variances && scratch->observed &&
               scratch->registers && scratch->bins;
    return all ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status scratch_make_step(const struct plan *plan, struct path_scratch *scratch)
{
    size_t slots = 1, underlyings = 1, factors = 1;
    for (int g = 0; g < plan->n_groups; g++) {
        slots = larger(slots, plan->groups[g].n_slots);
        underlyings = larger(underlyings, plan->groups[g].n_underlyings);
        factors = larger(factors, plan->groups[g].n_factors);
    }
    *scratch = (struct path_scratch){
        .state = room_for(slots * PATH_LANES, sizeof(double)),
        .paths = room_for(underlyings * PATH_ROWS * PATH_LANES, sizeof(double)),
        .normals = room_for(factors * PATH_DRAWS * PATH_LANES, sizeof(float)),
    };
    return scratch->state && scratch->paths && scratch->normals ? STATUS_OK : STATUS_NO_MEMORY;
}

void scratch_free(struct path_scratch *scratch)
{
    free(scratch->lanes);
    free(scratch->state);
    free(scratch->paths);
    free(scratch->normals);
    free(scratch->moves);
    free(scratch->jumps);
    free(scratch->variances);
    free(scratch->observed);
    free(scratch->registers);
    free(scratch->bins);
    *scratch = (struct path_scratch){0};
}
