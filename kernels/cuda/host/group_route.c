#include "kernels/cuda/host/group_route.h"

#include <math.h>

#include "kernels/cuda/host/device_group.h"
#include "kernels/cuda/host/device_parts.h"

/* Bytes of the stored normals of one batch that no device is asked for. */
#define NORMALS_MOST 0x1p33

const struct way_row ways[N_WAYS] = {
#define WAY(NAME, name, why) [WAY_##NAME] = {name, why},
    WAYS(WAY)
#undef WAY
};

/* Returns the way of a rung without path code. Rungs are kernels of one asset under Black and
 * Scholes, and `gather` of one with past returns. */
static enum path_way general_way(const struct group *group, const struct rung *rung)
{
    if (has_path_code(rung)) return WAY_PLAIN;
    if (rung->launch[GROUP_PLAIN] == launch_baseline) return WAY_OWN;
    bool gathers = rung->launch[GROUP_MODEL] == launch_model_gather;
    switch (classify_group(group)) {
    case GROUP_MULTI_ASSET: return WAY_PLAIN;
    case GROUP_MODEL: return gathers && draws_indices(&group->underlyings[0]) ? WAY_OWN : WAY_PLAIN;
    case GROUP_PLAIN: return gathers ? WAY_PLAIN : WAY_OWN;
    case N_GROUP_CLASSES: break;
    }
    return WAY_PLAIN;
}

bool draws_in_tiles(const struct plan *plan, const struct group *group, const struct rung *rung)
{
    return group->n_chains && group_is_plain(group) && has_path_code(rung) && draws_philox(plan);
}

struct group_route group_route(const struct plan *plan, int g, const struct rung *rung)
{
    const struct group *group = &plan->groups[g];
    enum path_way general = general_way(group, rung);
    if (draws_in_tiles(plan, group, rung)) return (struct group_route){WAY_TILE, general, 0.0};
    if (!has_path_code(rung) || rung->code == PATH_CODE_GENERAL || group->n_chains)
        return (struct group_route){general, general, 0.0};
    double steps = (double)group_asset_steps(group) * (double)plan->paths * group->n_alike;
    double normals = (double)group_normals(group) * BATCH_PATHS * sizeof(double);
    bool must = rung->code == PATH_CODE_SPECIALISED || normals > NORMALS_MOST;
    return (struct group_route){WAY_SPECIALISED, general, must ? HUGE_VAL : steps};
}

bool compiles_programs(const struct rung *rung)
{
    return has_path_code(rung) && rung->code != PATH_CODE_GENERAL;
}

const char *programs_way(const struct group *group, const struct rung *rung)
{
    if (!group->n_programs) return "";
    if (!compiles_programs(rung)) return "; programs interpreted";
    return rung->code == PATH_CODE_SPECIALISED ? "; programs compiled"
                                               : "; programs interpreted until compiled";
}

enum step_source step_source(const struct rung *rung, int movers)
{
    if (movers) return STEPS_READ_MOVES;
    return rung->width > 0 ? STEPS_READ : STEPS_DRAW;
}
