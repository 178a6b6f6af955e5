#include "kernels/cuda/host/group_route.h"

#include "kernels/cuda/host/device_group.h"
#include "kernels/cuda/host/device_parts.h"

/* Asset-steps of a group from which path code of its own is worth the second in which it is
 * compiled: two seconds of the general ones. */
#define COMPILED_FROM 1e11

/* Bytes of the stored normals of one batch that no device is asked for. */
#define NORMALS_MOST 0x1p33

const char *way_name(enum path_way way)
{
    static const char *const names[N_WAYS] = {
#define WAY(NAME, name, why) [WAY_##NAME] = name,
        WAYS(WAY)
#undef WAY
    };
    return names[way];
}

const char *way_reason(enum path_way way)
{
    static const char *const reasons[N_WAYS] = {
#define WAY(NAME, name, why) [WAY_##NAME] = why,
        WAYS(WAY)
#undef WAY
    };
    return reasons[way];
}

/* Returns whether the rung may simulate a group by path code of the group's own: under one market,
 * on Philox paths. A sum under local volatility has a kernel that keeps the tables in shared
 * memory. */
static bool may_be_specialised(const struct plan *plan, const struct group *group,
                               const struct rung *rung, bool sum_alone)
{
    bool takes = (rung->takes & TAKES_SCENARIOS_PATH_CODE) == TAKES_SCENARIOS_PATH_CODE;
    bool tabled = group->n_underlyings == 1 && group->underlyings[0].model == MODEL_LOCAL_VOL;
    return takes && rung->variant.value[SETTING_PATH_CODE] != PATH_CODE_GENERAL &&
           plan->n_scenarios == 1 && draws_philox(plan) && !(tabled && sum_alone);
}

static enum path_way general_way(const struct group *group, const struct rung *rung, bool sum_alone)
{
    int width = normal_width(rung, GROUP_PLAIN);
    switch (classify_group(group)) {
    case GROUP_MULTI_ASSET: return WAY_MULTI_ASSET;
    case GROUP_MODEL: return WAY_MODEL;
    case GROUP_PLAIN:
        if (!sum_alone) return width ? WAY_RUNG : WAY_TILES;
        return group->n_alike > 1 && (rung->takes & TAKES_SCENARIOS) && width != sizeof(double)
                   ? WAY_SCENARIOS
                   : WAY_RUNG;
    case N_GROUP_CLASSES: break;
    }
    return WAY_RUNG;
}

struct group_route group_route(const struct plan *plan, int g, const struct rung *rung)
{
    const struct group *group = &plan->groups[g];
    const struct register_sum sum = find_register_sum(group);
    bool sum_alone = record_of(group, &sum) == RECORD_SUM;
    enum path_way general = general_way(group, rung, sum_alone);
    if (!may_be_specialised(plan, group, rung, sum_alone))
        return (struct group_route){general, general, false};
    double steps = (double)group_asset_steps(group) * (double)plan->paths;
    double normals =
        (double)group_normals(group) * BATCH_PATHS * normal_width(rung, classify_group(group));
    return (struct group_route){WAY_SPECIALISED, general,
                                rung->variant.value[SETTING_PATH_CODE] == PATH_CODE_SPECIALISED ||
                                    steps >= COMPILED_FROM || normals > NORMALS_MOST};
}
