#include "kernels/cpu/simulate.h"

#include <stdlib.h>

static size_t larger(size_t a, int b)
{
    return (size_t)b > a ? (size_t)b : a;
}

/* Counts the rows of a scenario set's groups, as many as the plan has, or of one group. */
static int scenario_set_rows(const struct plan *plan, int g)
{
    int rows = 0;
    const int end = g + scenario_set_size(plan, g);
    for (int i = g; i < end && i < plan->n_groups; i++) rows += plan->groups[i].n_rows;
    return rows;
}

static void *room_for(size_t n, size_t size)
{
    return aligned_alloc(64, (n * size + 63) / 64 * 64);
}

enum status scratch_make(const struct plan *plan, const struct shared_moves *shared,
                         struct path_scratch *scratch)
{
    size_t most_markets = 1, slots = 1, underlyings = 1, normals = 1, most_movers = 1, moves = 1,
           rows = 1, bins = 1, registers = 1; /* that a group needs */
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        int markets = plan->n_contrasts && group->n_markets > 1 ? group->n_markets : 1;
        int movers = shared ? shared[g].n : 0;
        int steps = steps_together(group, markets, movers);
        int drawn =
            plan->points ? (group->n_steps + PATH_DRAWS - 1) / PATH_DRAWS * PATH_DRAWS : steps;
        most_markets = larger(most_markets, markets);
        slots = larger(slots, markets * (group->n_slots + group->chain_slots));
        underlyings = larger(underlyings, markets * group->n_underlyings);
        normals = larger(normals, drawn * group->n_factors);
        most_movers = larger(most_movers, movers);
        moves = larger(moves, movers * steps);
        rows = larger(rows, scenario_set_rows(plan, g));
        bins = larger(bins, group_bins(group));
        for (int p = 0; p < group->n_programs; p++)
            registers = larger(registers, group->programs[p].program->n_registers);
    }
    *scratch = (struct path_scratch){
        .lanes = room_for(most_markets, sizeof(struct lanes)),
        .state = room_for(slots * PATH_LANES, sizeof(double)),
        .paths = room_for(underlyings * PATH_ROWS * PATH_LANES, sizeof(double)),
        .normals = room_for(normals * PATH_LANES, sizeof(float)),
        .shared = shared,
        .moves = room_for(moves * PATH_LANES, sizeof(float)),
        .jumps = room_for(moves * PATH_LANES, sizeof(double)),
        .variances = room_for(most_movers * PATH_LANES, sizeof(double)),
        .observed = room_for(rows * CHUNK_PATHS, sizeof(double)),
        .registers = room_for(registers * PATH_LANES, sizeof(double)),
        .bins = room_for(3 * bins, sizeof(struct strike_bin)),
    };
    bool all = scratch->lanes && scratch->state && scratch->paths && scratch->normals &&
               scratch->moves && scratch->jumps && scratch->variances && scratch->observed &&
               scratch->registers && scratch->bins;
    return all ? STATUS_OK : STATUS_NO_MEMORY;
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
