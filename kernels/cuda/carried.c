#include "kernels/cuda/carried.h"

#include <stdbool.h>

static bool touches_slot(const struct group *group, int step, int slot)
{
    for (int i = group->first_touch[step]; i < group->first_touch[step + 1]; i++)
        if (group->touches[i].on == TOUCH_SUM && group->touches[i].slot == slot) return true;
    return false;
}

struct carried_sum find_carried(const struct group *group)
{
    struct carried_sum carried = {0};
    for (int i = 0; group->n_steps && i < group->first_touch[1]; i++) {
        int slot = group->touches[i].slot, steps = 0, all = 0;
        if (group->touches[i].on != TOUCH_SUM) continue;
        while (steps < group->n_steps && touches_slot(group, steps, slot)) steps++;
        for (int j = steps; j < group->n_steps; j++) all += touches_slot(group, j, slot);
        if (!all && steps > carried.steps) carried = (struct carried_sum){.steps = steps, .slot = slot};
    }
    for (int r = 0; carried.steps && r < group->n_results; r++)
        if (group->results[r].slot == carried.slot) carried.row = group->results[r].row;
    if (carried.steps) carried.initial = group->initial[carried.slot];
    return carried;
}

enum record record_of(const struct group *group, const struct carried_sum *carried)
{
    if (!carried->steps) return RECORD_TOUCHES;
    bool alone = group->n_rows == 1 && carried->steps == group->n_steps;
    return alone ? RECORD_SUM : (enum record)(RECORD_SUM | RECORD_TOUCHES);
}

void copy_touches(const struct group *group, const struct carried_sum *carried, struct touch *touches)
{
    int n = 0;
    for (int j = 0; j < group->n_steps; j++)
        for (int i = group->first_touch[j]; i < group->first_touch[j + 1]; i++) {
            const struct touch *t = &group->touches[i];
            if (carried->steps && t->on == TOUCH_SUM && t->slot == carried->slot) continue;
            touches[n] = *t;
            touches[n++].on |= j << TOUCH_STEP_SHIFT;
        }
    touches[n] = (struct touch){.on = -1, .pair = -1};
}

void copy_results(const struct group *group, const struct carried_sum *carried, struct result *results)
{
    int n = 0;
    for (int r = 0; r < group->n_results; r++)
        if (!carried->steps || group->results[r].slot != carried->slot) results[n++] = group->results[r];
}
