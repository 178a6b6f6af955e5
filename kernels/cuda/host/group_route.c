#include "kernels/cuda/host/group_route.h"

#include <math.h>
#include <string.h>

#include "kernels/cuda/host/device_group.h"

/* ---- rungs ----------------------------------------------------------------------------------- */

static const struct rung rungs[] = {
#define RUNG(name, idea, width, plain, model, multi_asset)                                         \
    {name,                                                                                         \
     {launch_##plain, launch_model_##model, launch_multi_asset_##multi_asset},                     \
     width,                                                                                        \
     PATH_CODE_OWN},
#include "kernels/cuda/rungs/rungs.def"
#undef RUNG
};

/* Returns whether the plan's paths are Philox paths, each by itself: no points, no antithetic
 * pairs. */
static bool draws_philox(const struct plan *plan)
{
    return !plan->antithetic && !plan->points && !plan->replicates;
}

/* Markets of a plan from which normals that are stored once for all of them are worth the room. */
enum { SHARED_FROM = 3 };

/* Returns the kernel that the options name. "auto" is fused, the fastest on every book that was
 * timed, but for the plans of Greeks and scenarios, whose markets share their normals
 * (docs/method.md, 11). */
static const char *wanted_kernel(const struct plan *plan, const struct engine_options *options)
{
    if (strcmp(options->kernel, "auto")) return options->kernel;
    return plan->n_scenarios < SHARED_FROM ? "fused" : "optimized";
}

/* Finds the rung that NAME, NAME:general or NAME:specialised means, called so. */
static enum status find_rung(const char *wanted, struct rung *found, struct message *why)
{
    size_t length = strcspn(wanted, ":");
    const char *code = wanted + length;
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        if (strlen(rungs[i].name) != length || strncmp(wanted, rungs[i].name, length)) continue;
        *found = rungs[i];
        found->name = wanted;
        if (!*code) return STATUS_OK;
        if (!strcmp(code, ":general")) found->code = PATH_CODE_GENERAL;
        if (!strcmp(code, ":specialised")) found->code = PATH_CODE_SPECIALISED;
        if (has_path_code(found) && found->code != PATH_CODE_OWN) return STATUS_OK;
        return say_why(STATUS_BAD_INPUT, why, "kernel '%s' has no setting '%s': it takes %s",
                       rungs[i].name, code + 1,
                       has_path_code(found) ? "general or specialised" : "none");
    }
    return say_why(STATUS_BAD_INPUT, why,
                   "the cuda engine has no kernel '%.*s'; --list-kernels names them", (int)length,
                   wanted);
}

enum status choose_rung(const struct plan *plan, const struct engine_options *options,
                        struct rung *rung, struct message *why)
{
    enum status status = find_rung(wanted_kernel(plan, options), rung, why);
    if (status || rung->width || draws_philox(plan)) return status;
    return find_rung("optimized", rung, why);
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Bytes of the stored normals of one batch that no device is asked for. */
#define NORMALS_MOST 0x1p33

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
    double steps = (double)group_asset_steps(group) * (double)plan->paths * group->n_markets;
    double normals = (double)group_normals(group) * BATCH_PATHS * sizeof(double);
    bool must = rung->code == PATH_CODE_SPECIALISED || normals > NORMALS_MOST;
    return (struct group_route){WAY_SPECIALISED, general, must ? HUGE_VAL : steps};
}

bool compiles_programs(const struct rung *rung)
{
    return has_path_code(rung) && rung->code != PATH_CODE_GENERAL;
}

enum step_source step_source(const struct rung *rung, int movers)
{
    if (movers) return STEPS_READ_MOVES;
    return rung->width > 0 ? STEPS_READ : STEPS_DRAW;
}
