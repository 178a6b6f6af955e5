#include "kernels/cuda/host/shared_moves.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/device_group.h"

/* Returns whether the kernels have code for the moves of such a group, and for what looks at it:
 * moves tell nothing of variances and clocks. */
static bool can_share(const struct group *group)
{
    if (group->n_alike < 2 || group->n_pairs || group->n_underlyings > SHAPE_UNDERLYINGS)
        return false;
    for (int u = 0; u < group->n_underlyings; u++)
        if (group->underlyings[u].model != MODEL_HESTON ||
            group->underlyings[u].factor != u * model_factors(MODEL_HESTON))
            return false;
    return !group_reads(group, READS_CLOCK | READS_VARIANCE);
}

/* Returns whether underlying u has the same moves in two groups alike: by all coefficients but the
 * growth, from the same variance, by the same noise. */
static bool has_same_moves(const struct group *a, const struct group *b, int u)
{
    const struct underlying *x = &a->underlyings[u], *y = &b->underlyings[u];
    size_t row = (size_t)(u * a->n_underlyings), noise = sizeof *a->loadings * (size_t)(u + 1);
    if (memcmp(&x->start.v, &y->start.v, sizeof x->start.v)) return false;
    if (memcmp(a->loadings + row, b->loadings + row, noise)) return false;
    for (int j = 0; j < a->n_steps; j++) {
        size_t at = (size_t)j * (size_t)a->width + (size_t)x->coefficient + HESTON_GROWTH + 1;
        if (memcmp(a->coefficients + at, b->coefficients + at,
                   sizeof *a->coefficients * (HESTON_COEFFICIENTS - HESTON_GROWTH - 1)))
            return false;
    }
    return true;
}

/* Returns the mover that underlying u of a market moves by: a known one, or the next. */
static int find_mover(const struct group *groups, int market, int u, struct shared_moves *shared)
{
    for (int w = 0; w < shared->n; w++)
        if (shared->movers[w].underlying == u &&
            has_same_moves(&groups[shared->movers[w].market], &groups[market], u))
            return w;
    shared->movers[shared->n] = (struct mover){market, u};
    return shared->n++;
}

enum status shared_moves_find(const struct group *groups, struct shared_moves *shared)
{
    int n = groups->n_underlyings, all = groups->n_alike * n;
    *shared = (struct shared_moves){.n = 0};
    if (!can_share(groups)) return STATUS_OK;
    shared->movers = malloc(sizeof *shared->movers * (size_t)all);
    shared->of = malloc(sizeof *shared->of * (size_t)all);
    if (!shared->movers || !shared->of) return STATUS_NO_MEMORY;
    for (int m = 0; m < groups->n_alike; m++)
        for (int u = 0; u < n; u++) shared->of[m * n + u] = find_mover(groups, m, u, shared);
    if (4 * shared->n > 3 * all) shared_moves_free(shared);
    return STATUS_OK;
}

void shared_moves_free(struct shared_moves *shared)
{
    free(shared->movers);
    free(shared->of);
    *shared = (struct shared_moves){.n = 0};
}

size_t shared_moves_bytes(const struct group *group, const struct shared_moves *shared)
{
    size_t fours = (size_t)(group->n_steps + NORMALS_TOGETHER - 1) / NORMALS_TOGETHER;
    return (size_t)shared->n * fours * sizeof(float[NORMALS_TOGETHER]);
}

void shared_moves_copy(const struct group *groups, const struct mover *mover,
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
