#include "kernels/cpu/scratch.h"

#include <stdlib.h>

/* Room that the groups of a plan need at most. */
struct needs {
    size_t slots, underlyings, normals, rows, bins;
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

/* Counts the normals that are there at once, for one lane: all, where groups alike keep them or
 * points bring them. */
static int lane_normals(const struct plan *plan, const struct group *group)
{
    bool all = plan->points || (plan->n_contrasts && keeps_normals(group));
    int sets = all ? (group->n_steps + PATH_DRAWS - 1) / PATH_DRAWS : 1;
    return sets * group->n_factors * PATH_DRAWS;
}

static struct needs needs_of(const struct plan *plan)
{
    struct needs most = {1, 1, 1, 1, 1};
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        most.slots = larger(most.slots, group->n_slots);
        most.underlyings = larger(most.underlyings, group->n_underlyings);
        most.normals = larger(most.normals, lane_normals(plan, group));
        most.rows = larger(most.rows, scenario_set_rows(plan, g));
        most.bins = larger(most.bins, group_bins(group));
    }
    return most;
}

static void *room_for(size_t n, size_t size)
{
    return aligned_alloc(64, (n * size + 63) / 64 * 64);
}

enum status scratch_make(const struct plan *plan, struct path_scratch *scratch)
{
    struct needs most = needs_of(plan);
    *scratch = (struct path_scratch){
        .state = room_for(most.slots * PATH_LANES, sizeof(double)),
        .paths = room_for(most.underlyings * PATH_ROWS * PATH_LANES, sizeof(double)),
        .normals = room_for(most.normals * PATH_LANES, sizeof(float)),
        .observed = room_for(most.rows * CHUNK_PATHS, sizeof(double)),
        .bins =
            room_for(3 * most.bins,
                     sizeof(struct strike_bin)), /* of a batch, of a few chunks, beyond strikes */
    };
    bool all =
        scratch->state && scratch->paths && scratch->normals && scratch->observed && scratch->bins;
    return all ? STATUS_OK : STATUS_NO_MEMORY;
}

void scratch_free(struct path_scratch *scratch)
{
    free(scratch->state);
    free(scratch->paths);
    free(scratch->normals);
    free(scratch->observed);
    free(scratch->bins);
    *scratch = (struct path_scratch){0};
}
