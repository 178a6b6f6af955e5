/* The path code that simulates a group on a device: decided here and nowhere else. */
#ifndef PRICER_KERNELS_CUDA_HOST_GROUP_ROUTE_H
#define PRICER_KERNELS_CUDA_HOST_GROUP_ROUTE_H

#include "kernels/cuda/host/device.h"

/* WAY(NAME, "name", "why a group goes this way"). Ways of one rung give the same bits. */
#define WAYS(X)                                                                                    \
    X(RUNG, "its own", "one asset under black_scholes, in the way that gives the kernel its name") \
    X(MODEL, "model", "one asset under another model, or one whose variance is observed")          \
    X(MULTI_ASSET, "multi-asset", "several assets")                                                \
    X(SCENARIOS, "scenarios", "markets of one path, of which each keeps one sum: in registers")    \
    X(TILES, "tiles", "one asset with observations: some steps at a time, from pages")             \
    X(SPECIALISED, "specialised", "path code compiled for the group's own shape")

enum path_way {
#define WAY(NAME, name, why) WAY_##NAME,
    WAYS(WAY)
#undef WAY
        N_WAYS
};

struct group_route {
    enum path_way way;
    enum path_way general; /* the way without path code of the group's own */
    bool compile; /* such code is compiled where there is none yet: that pays, or it must be */
};

/* Returns whether the plan's paths are Philox paths, each by itself: no points, no antithetic
 * pairs. */
static inline bool draws_philox(const struct plan *plan)
{
    return !plan->antithetic && !plan->points && !plan->replicates;
}

/* Returns the way of group `g`, from the plan and the rung alone. A group that is alike to one
 * before it is simulated with that one. */
struct group_route group_route(const struct plan *plan, int g, const struct rung *rung);

const char *way_name(enum path_way way);
const char *way_reason(enum path_way way);

#endif
