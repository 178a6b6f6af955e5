#include "kernels/cuda/host/device_group.h"

#include <string.h>

#include "models/observables/observable.h"

int observation_coefficients(int kind)
{
    static const int coefficients[N_OBSERVATION_KINDS + 1] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [OBSERVATION_##NAME] = coefficients,
#include "models/observables/observables.def"
#undef OBSERVABLE
    };
    return coefficients[kind];
}

/* Returns whether any of its observations reads one of these: a sum of enum reads. */
static bool group_reads(const struct group *group, int reads)
{
    for (int i = 0; i < group->n_observations; i++)
        if (observation_reads(group->observations[i].kind) & reads) return true;
    return false;
}

enum group_class classify_group(const struct group *group)
{
    if (group->n_underlyings > 1) return GROUP_MULTI_ASSET;
    bool plain = group_is_plain(group) && !group_reads(group, READS_CLOCK | READS_VARIANCE);
    return plain ? GROUP_PLAIN : GROUP_MODEL;
}

int state_width(const struct group *group)
{
    bool wide = group_reads(group, READS_CLOCK | READS_VARIANCE);
    for (int u = 0; u < group->n_underlyings; u++)
        wide |= model_has(group->underlyings[u].model, REMEMBERS_CLOCK | REMEMBERS_VARIANCE);
    return wide ? 3 : 1;
}

/* ---- normals and moves ----------------------------------------------------------------------- */

int bridge_row(const struct group *group, int width)
{
    return (width == sizeof(float) ? fours_of(group->n_steps) : group->n_steps) * group->n_factors;
}

size_t normals_bytes(const struct group *group, int width)
{
    if (width != sizeof(float)) return (size_t)group_normals(group) * (size_t)width;
    int rows = bridge_row(group, width) + fours_of(2 * group->n_pairs);
    return (size_t)rows * sizeof(float[NORMALS_TOGETHER]);
}

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
    return (size_t)shared->n * (size_t)fours_of(group->n_steps) * sizeof(float[NORMALS_TOGETHER]);
}
