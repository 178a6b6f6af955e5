#include "kernels/cuda/carried.h"

#include <string.h>

static const int reads_of_kind[N_TOUCHES] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [TOUCH_##NAME] = reads,
#include "models/payoffs/observables.def"
#undef OBSERVABLE
};

/* Whether any of its touches reads one of these: a sum of enum reads. */
static bool group_reads(const struct group *group, int reads)
{
    for (int i = 0; i < group->n_touches; i++)
        if (reads_of_kind[group->touches[i].on] & reads) return true;
    return false;
}

enum ground ground_of(const struct group *group)
{
    if (group->n_underlyings > 1) return GROUND_SEVERAL;
    bool plain = group_is_plain(group) && !group_reads(group, READS_CLOCK | READS_VARIANCE);
    return plain ? GROUND_PLAIN : GROUND_MODEL;
}

int state_width(const struct group *group)
{
    bool wide = group_reads(group, READS_CLOCK | READS_VARIANCE);
    for (int u = 0; u < group->n_underlyings; u++) wide |= group->underlyings[u].model != MODEL_BLACK_SCHOLES;
    return wide ? 3 : 1;
}

/* ---- the carried sum ----------------------------------------------------------------------------------- */

static bool touches_slot(const struct group *group, int step, int slot)
{
    int touches = 0;
    for (int i = group->first_touch[step]; i < group->first_touch[step + 1]; i++)
        touches += group->touches[i].on == TOUCH_SUM && group->touches[i].slot == slot;
    return touches == 1;
}

/* Whether another observable reads it: then it has to be where that one looks. */
static bool is_read(const struct group *group, int slot)
{
    for (int i = 0; i < group->n_touches; i++)
        if (reads_of_kind[group->touches[i].on] & READS_OF && group->touches[i].of == slot) return true;
    return false;
}

struct carried_sum find_carried(const struct group *group)
{
    struct carried_sum carried = {0};
    if (group->n_underlyings > 1) return carried;
    for (int i = 0; group->n_steps && i < group->first_touch[1]; i++) {
        int slot = group->touches[i].slot, steps = 0, all = 0;
        if (group->touches[i].on != TOUCH_SUM || is_read(group, slot)) continue;
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

/* ---- copies for the device ----------------------------------------------------------------------------- */

/* Packs kind, underlying and step into the first 32 bits. */
static void pack_touch(struct touch *touch, unsigned on, unsigned underlying, unsigned step)
{
    uint32_t packed = on | underlying << TOUCH_UNDERLYING_SHIFT | step << TOUCH_STEP_SHIFT;
    memcpy(touch, &packed, sizeof packed);
}

void copy_touches(const struct group *group, const struct carried_sum *carried, struct touch *touches)
{
    _Static_assert(N_TOUCHES <= 1 << TOUCH_UNDERLYING_SHIFT, "a kind has so many bits");
    _Static_assert(UNDERLYINGS_MAX <= 1 << (TOUCH_STEP_SHIFT - TOUCH_UNDERLYING_SHIFT),
                   "an underlying so many");
    int n = 0;
    for (int j = 0; j < group->n_steps; j++)
        for (int i = group->first_touch[j]; i < group->first_touch[j + 1]; i++) {
            const struct touch *t = &group->touches[i];
            if (carried->steps && t->on == TOUCH_SUM && t->slot == carried->slot) continue;
            touches[n] = *t;
            pack_touch(&touches[n++], t->on, t->underlying, (unsigned)j);
        }
    touches[n] = (struct touch){.pair = -1};
    pack_touch(&touches[n], 0, 0, TOUCH_STEPS_MOST + 1);
}

void copy_results(const struct group *group, const struct carried_sum *carried, struct result *results)
{
    int n = 0;
    for (int r = 0; r < group->n_results; r++)
        if (!carried->steps || group->results[r].slot != carried->slot) results[n++] = group->results[r];
}

void copy_dividends(const struct group *group, struct dividend *dividends)
{
    for (int i = 0; i < group->n_dividends; i++) dividends[i] = group->dividends[i];
    dividends[group->n_dividends] = (struct dividend){.step = INT32_MAX};
}

void copy_underlyings(const struct group *group, struct placed_underlying *placed, struct path_state *starts)
{
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *from = &group->underlyings[u];
        placed[u] = (struct placed_underlying){(int)from->model, from->factor, from->coefficient, 0};
        starts[u] = from->start;
    }
}

size_t loadings_placed(const struct group *group)
{
    size_t n = (size_t)group->n_underlyings;
    return (n + LOADINGS - 1) / LOADINGS * n * LOADINGS;
}

void copy_loadings(const struct group *group, double *loadings)
{
    int n = group->n_underlyings;
    for (int first = 0; first < n; first += LOADINGS)
        for (int i = 0; i < n; i++)
            for (int u = first; u < first + LOADINGS; u++)
                *loadings++ = u < n && i <= u ? group->loadings[u * n + i] : 0.0;
}
