#include "kernels/cuda/host/device_moves.h"

#include <string.h>

/* Returns whether the kernels have code for the moves of such a group: all its underlyings have
 * moves, under Heston. */
static bool can_share(const struct group *group)
{
    if (group->n_pairs || group->n_underlyings > SHAPE_UNDERLYINGS) return false;
    for (int u = 0; u < group->n_underlyings; u++)
        if (group->underlyings[u].model != MODEL_HESTON || !has_moves(group, u) ||
            group->underlyings[u].factor != u * model_factors(MODEL_HESTON))
            return false;
    return true;
}

enum status device_moves_find(const struct group *groups, struct shared_moves *shared)
{
    *shared = (struct shared_moves){.n = 0};
    return can_share(groups) ? shared_moves_find(groups, shared) : STATUS_OK;
}

size_t device_moves_bytes(const struct group *group, const struct shared_moves *shared)
{
    size_t fours = (size_t)(group->n_steps + NORMALS_TOGETHER - 1) / NORMALS_TOGETHER;
    return (size_t)shared->n * fours * sizeof(float[NORMALS_TOGETHER]);
}

void device_mover_copy(const struct group *groups, const struct mover *mover,
                       const double *coefficients, struct device_mover *to)
{
    const struct group *group = &groups[mover->market];
    const struct underlying *underlying = &group->underlyings[mover->underlying];
    *to = (struct device_mover){.coefficients = coefficients + underlying->coefficient,
                                .width = group->width,
                                .underlying = mover->underlying,
                                .variance = underlying->start.v};
    memcpy(to->loadings, group->loadings + mover->underlying * group->n_underlyings,
           sizeof *group->loadings * (size_t)(mover->underlying + 1));
}
