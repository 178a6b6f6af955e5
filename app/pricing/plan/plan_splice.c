#include "app/pricing/plan/plan_splice.h"

#include <stdlib.h>

static bool has_moved(const struct group *group, const bool *moved)
{
    return moved[group->trades[0]];
}

/* Compares as trades are ordered that join groups (plan_build.c): by assets, then by measure. */
static int compare_groups(const struct group *a, const struct group *b)
{
    for (int u = 0; u < a->n_underlyings && u < b->n_underlyings; u++)
        if (a->underlyings[u].asset != b->underlyings[u].asset)
            return a->underlyings[u].asset - b->underlyings[u].asset;
    if (a->n_underlyings != b->n_underlyings) return a->n_underlyings - b->n_underlyings;
    return a->quanto - b->quanto;
}

int plan_moved_groups(const struct plan *plan, const bool *moved, struct group *groups)
{
    int n = 0;
    for (int g = 0; g < plan->n_groups; g++)
        if (has_moved(&plan->groups[g], moved)) groups[n++] = plan->groups[g];
    return n;
}

enum status plan_splice(struct plan *plan, const bool *moved, struct plan *part)
{
    size_t room = (size_t)plan->n_groups + (size_t)part->n_groups + 1;
    struct group *all = malloc(room * sizeof *all), *gone = malloc(room * sizeof *gone);
    int n = 0, p = 0;
    if (!all || !gone) {
        free(all);
        free(gone);
        return STATUS_NO_MEMORY;
    }
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        if (has_moved(group, moved)) continue;
        while (p < part->n_groups && compare_groups(&part->groups[p], group) < 0)
            all[n++] = part->groups[p++];
        all[n++] = *group;
    }
    while (p < part->n_groups) all[n++] = part->groups[p++];
    part->n_groups = plan_moved_groups(plan, moved, gone);
    free(part->groups);
    part->groups = gone;
    free(plan->groups);
    plan->groups = all;
    plan->n_groups = n;
    double *jumps = plan->jumps;
    plan->jumps = part->jumps;
    part->jumps = jumps;
    plan_free(part);
    return STATUS_OK;
}
