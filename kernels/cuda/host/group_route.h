/* The rung of a plan, and the path code that simulates a group on a device: decided here; that a
 * shape cannot be had is found where the inputs are laid out (kernels/cuda/host/device_layout.c).
 */
#ifndef PRICER_KERNELS_CUDA_HOST_GROUP_ROUTE_H
#define PRICER_KERNELS_CUDA_HOST_GROUP_ROUTE_H

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/host/shape.h"
#include "kernels/engine.h"

/* Which path code: that for every group, or the one that is compiled for the group's shape
 * (kernels/cuda/host/specialise.h). Where nothing is said, the latter where it is there or pays. */
enum path_code { PATH_CODE_OWN, PATH_CODE_GENERAL, PATH_CODE_SPECIALISED };

/* A path kernel: a row of rungs.def, and what was said of its path code. */
struct rung {
    const char *name;
    path_launch_function *launch[N_GROUP_CLASSES];
    int width; /* bytes of a stored normal it reads; 0: it draws its own */
    enum path_code code;
};

/* Returns whether a rung has path code: others read doubles. */
static inline bool has_path_code(const struct rung *rung)
{
    return rung->width != sizeof(double);
}

/* Ways of one rung but `baseline` give the same bits. */
enum path_way {
    WAY_OWN,   /* by the kernel that gives the rung its name */
    WAY_PLAIN, /* as `plain` does */
    WAY_TILE,  /* in shared memory, where all its trades look at it */
    WAY_SPECIALISED,
    N_WAYS
};

struct group_route {
    enum path_way way;
    enum path_way general; /* the way without path code of the group's own */
    double steps;          /* asset-steps that it is wanted for; HUGE_VAL: it must be */
};

/* Finds the rung that runs the plan: the kernel that the options name, but for `fused`, which
 * cannot draw what are no Philox paths. STATUS_BAD_INPUT with one line where there is no such
 * kernel. */
enum status choose_rung(const struct plan *plan, const struct engine_options *options,
                        struct rung *rung, struct message *why);

/* Tells whether a tile of the group's paths is simulated where it is looked at, if that has room:
 * of Philox paths, by the rungs that take the fastest way. */
bool draws_in_tiles(const struct plan *plan, const struct group *group, const struct rung *rung);

/* Returns the way of group `g`, from the plan and the rung alone. */
struct group_route group_route(const struct plan *plan, int g, const struct rung *rung);

/* Returns where path code of a rung has the numbers of its steps from, where so many movers are
 * shared. */
enum step_source step_source(const struct rung *rung, int movers);

/* Tells whether the programs of a rung's groups are compiled, too. */
bool compiles_programs(const struct rung *rung);

#endif
