#include "kernels/cuda/stretches.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int coefficients, reads;
} kinds[N_TOUCHES] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [TOUCH_##NAME] = {coefficients, reads},
#include "models/payoffs/observables.def"
#undef OBSERVABLE
};

static int units_of(const struct touch *touch)
{
    return (kinds[touch->on].coefficients + 1) / 2;
}

static int stretches_of(const struct group *group)
{
    return (group->n_steps + STRETCH - 1) / STRETCH;
}

size_t pages_room(const struct group *group)
{
    size_t units = (size_t)stretches_of(group) + (size_t)group->n_steps + (size_t)group->n_touches;
    for (int i = 0; i < group->n_touches; i++) units += (size_t)units_of(&group->touches[i]);
    return units;
}

/* ---- the order of a stretch ---------------------------------------------------------------------------- */

struct dated {
    const struct touch *touch;
    int step; /* of the stretch */
};

/* A key for each slot, then for each row; and one for all that read or are read, which is the last. */
struct sorting {
    const struct group *group;
    int n_keys;
    int *first;          /* [key + 1] where its next touch goes */
    bool *joined;        /* [slot] */
    struct dated *dated; /* touches of a stretch */
};

static enum status sorting_make(const struct group *group, struct sorting *sorting)
{
    *sorting = (struct sorting){.group = group, .n_keys = group->n_slots + group->n_rows + 1};
    sorting->first = malloc(((size_t)sorting->n_keys + 1) * sizeof *sorting->first);
    sorting->joined = calloc((size_t)group->n_slots + 1, sizeof *sorting->joined);
    sorting->dated = malloc(((size_t)group->n_touches + 1) * sizeof *sorting->dated);
    if (!sorting->first || !sorting->joined || !sorting->dated) return STATUS_NO_MEMORY;
    for (int i = 0; i < group->n_touches; i++) {
        const struct touch *touch = &group->touches[i];
        if (kinds[touch->on].reads & READS_OF)
            sorting->joined[touch->slot] = sorting->joined[touch->of] = true;
    }
    return STATUS_OK;
}

static void sorting_free(struct sorting *sorting)
{
    free(sorting->first);
    free(sorting->joined);
    free(sorting->dated);
}

static int key_of(const struct sorting *sorting, const struct touch *touch)
{
    if (touch_in_row(touch->on)) return sorting->group->n_slots + touch->slot;
    return sorting->joined[touch->slot] ? sorting->n_keys - 1 : touch->slot;
}

/* The touches of steps begin .. end - 1 by key, those of one key as they come; how many. */
static int sort_stretch(struct sorting *sorting, int begin, int end)
{
    const struct group *group = sorting->group;
    int *first = sorting->first;
    for (int k = 0; k <= sorting->n_keys; k++) first[k] = 0;
    for (int i = group->first_touch[begin]; i < group->first_touch[end]; i++)
        first[key_of(sorting, &group->touches[i]) + 1]++;
    for (int k = 0; k < sorting->n_keys; k++) first[k + 1] += first[k];
    for (int j = begin; j < end; j++)
        for (int i = group->first_touch[j]; i < group->first_touch[j + 1]; i++)
            sorting->dated[first[key_of(sorting, &group->touches[i])]++] =
                (struct dated){&group->touches[i], j - begin};
    return group->first_touch[end] - group->first_touch[begin];
}

/* ---- a page -------------------------------------------------------------------------------------------- */

/* Touches from `first` on that are one run. */
static int run_length(const struct dated *first, int left)
{
    int n = 1;
    const struct touch *touch = first->touch;
    if (touch_in_row(touch->on) || touch->pair >= 0) return 1;
    while (n < left && n < STRETCH && first[n].touch->on == touch->on &&
           first[n].touch->slot == touch->slot && first[n].touch->pair < 0 &&
           first[n].step > first[n - 1].step)
        n++;
    return n;
}

static void write_run(const struct dated *dated, int n, int place, struct page_unit *to)
{
    const struct touch *touch = dated->touch;
    uint64_t steps = 0;
    for (int i = 0; i < n; i++) steps |= (uint64_t)dated[i].step << (4 * i);
    unsigned of = kinds[touch->on].reads & READS_OF ? (unsigned)touch->of : 0;
    to->word[0] = touch->on | of << RUN_OF_SHIFT | (unsigned)touch->slot << RUN_SLOT_SHIFT;
    to->word[1] = (uint32_t)steps;
    to->word[2] = n == 1 ? (uint32_t)touch->pair : (uint32_t)(steps >> 32);
    to->word[3] = (unsigned)n | (unsigned)place << RUN_PLACE_SHIFT;
}

/* The page of steps begin .. end - 1; its units. */
static int write_page(struct sorting *sorting, int begin, int end, struct page_unit *page)
{
    const struct group *group = sorting->group;
    int n = sort_stretch(sorting, begin, end), n_runs = 0, run = 1 + end - begin;
    for (int i = 0; i < n; i += run_length(sorting->dated + i, n - i)) n_runs++;
    int place = run + n_runs;
    page[0] = (struct page_unit){{(uint32_t)(end - begin), (uint32_t)n_runs, 0, 0}};
    memcpy(page + 1, (const struct step *)group->coefficients + begin,
           sizeof(struct step) * (size_t)(end - begin));
    for (int i = 0, length; i < n; i += length, run++) {
        length = run_length(sorting->dated + i, n - i);
        write_run(sorting->dated + i, length, place, &page[run]);
        for (int t = i; t < i + length; t++) {
            const struct touch *touch = sorting->dated[t].touch;
            memcpy(page + place, touch->c, sizeof *page * (size_t)units_of(touch));
            place += units_of(touch);
        }
    }
    return place;
}

enum status copy_pages(const struct group *group, struct page_unit *pages, int *first, int *largest)
{
    enum status status = STATUS_OK;
    struct sorting sorting;
    struct page_unit *before = NULL;
    *first = *largest = 0;
    TRY(sorting_make(group, &sorting));
    for (int j = 0; j < group->n_steps; j += STRETCH) {
        int units =
            write_page(&sorting, j, j + STRETCH < group->n_steps ? j + STRETCH : group->n_steps, pages);
        if (before) before->word[2] = (uint32_t)units;
        else *first = units;
        if (units > *largest) *largest = units;
        before = pages;
        pages += units;
    }
done:
    sorting_free(&sorting);
    return status;
}
