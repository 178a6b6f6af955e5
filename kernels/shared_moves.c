#include "kernels/shared_moves.h"

#include <stdlib.h>
#include <string.h>

#include "models/observables/observable.h"

bool has_moves(const struct group *group, int underlying)
{
    enum model model = group->underlyings[underlying].model;
    if (model != MODEL_HESTON && model != MODEL_BATES) return false;
    for (int i = 0; i < group->n_observations; i++) {
        const struct observation *t = &group->observations[i];
        if (t->underlying == underlying &&
            observation_reads(t->kind) & (READS_CLOCK | READS_VARIANCE))
            return false;
    }
    return true;
}

/* Returns whether underlying u has the same moves in two groups alike: by all coefficients but the
 * growth, from the same variance, by the same noise. */
static bool has_same_moves(const struct group *a, const struct group *b, int u)
{
    const struct underlying *x = &a->underlyings[u], *y = &b->underlyings[u];
    size_t row = (size_t)(u * a->n_underlyings), noise = sizeof *a->loadings * (size_t)(u + 1);
    size_t compared = (size_t)model_coefficients(x->model) - HESTON_GROWTH - 1;
    if (memcmp(&x->start.v, &y->start.v, sizeof x->start.v)) return false;
    if (memcmp(a->loadings + row, b->loadings + row, noise)) return false;
    for (int j = 0; j < a->n_steps; j++) {
        size_t at = (size_t)j * (size_t)a->width + (size_t)x->coefficient + HESTON_GROWTH + 1;
        if (memcmp(a->coefficients + at, b->coefficients + at, sizeof *a->coefficients * compared))
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
    int n = groups->n_underlyings, all = groups->n_markets * n, moved = 0;
    bool moves[UNDERLYINGS_MAX];
    *shared = (struct shared_moves){.n = 0};
    for (int u = 0; u < n; u++) moved += moves[u] = has_moves(groups, u);
    if (groups->n_markets < 2 || !moved) return STATUS_OK;
    shared->movers = malloc(sizeof *shared->movers * (size_t)all);
    shared->mover_of = malloc(sizeof *shared->mover_of * (size_t)all);
    if (!shared->movers || !shared->mover_of) return STATUS_NO_MEMORY;
    for (int u = 0; u < n; u++)
        for (int m = 0; m < groups->n_markets; m++)
            shared->mover_of[m * n + u] = moves[u] ? find_mover(groups, m, u, shared) : -1;
    if (4 * shared->n > 3 * groups->n_markets * moved) shared_moves_free(shared);
    return STATUS_OK;
}

void shared_moves_free(struct shared_moves *shared)
{
    free(shared->movers);
    free(shared->mover_of);
    *shared = (struct shared_moves){.n = 0};
}
