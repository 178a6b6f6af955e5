#include "kernels/cuda/host/tiles.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int coefficients, reads;
} kinds[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                         \
    [OBSERVATION_##NAME] = {coefficients, reads},
#include "models/observables/observables.def"
#undef OBSERVABLE
};

static int units_of(const struct observation *observation)
{
    return (kinds[observation->kind].coefficients + 1) / 2;
}

static int tiles_of(const struct group *group)
{
    return (group->n_steps + TILE_STEPS - 1) / TILE_STEPS;
}

size_t pages_room(const struct group *group)
{
    size_t units = (size_t)tiles_of(group) + (size_t)group->n_steps + (size_t)group->n_observations;
    for (int i = 0; i < group->n_observations; i++)
        units += (size_t)units_of(&group->observations[i]);
    return units;
}

/* ---- the order of a tile --------------------------------------------------------------------- */

struct dated_observation {
    const struct observation *observation;
    int step; /* of the tile */
};

/* A key for each slot, then for each row; and one for all that read or are read, which is the last.
 */
struct tile_order {
    const struct group *group;
    int n_keys;
    int *first;                      /* [key + 1] where its next observation goes */
    bool *joined;                    /* [slot] */
    struct dated_observation *dated; /* observations of a tile */
};

static enum status tile_order_make(const struct group *group, struct tile_order *order)
{
    *order = (struct tile_order){.group = group, .n_keys = group->n_slots + group->n_rows + 1};
    order->first = malloc(((size_t)order->n_keys + 1) * sizeof *order->first);
    order->joined = calloc((size_t)group->n_slots + 1, sizeof *order->joined);
    order->dated = malloc(((size_t)group->n_observations + 1) * sizeof *order->dated);
    if (!order->first || !order->joined || !order->dated) return STATUS_NO_MEMORY;
    for (int i = 0; i < group->n_observations; i++) {
        const struct observation *observation = &group->observations[i];
        if (kinds[observation->kind].reads & READS_SOURCE)
            order->joined[observation->slot] = order->joined[observation->source] = true;
    }
    return STATUS_OK;
}

static void tile_order_free(struct tile_order *order)
{
    free(order->first);
    free(order->joined);
    free(order->dated);
}

static int key_of(const struct tile_order *order, const struct observation *observation)
{
    if (observation_in_row(observation->kind)) return order->group->n_slots + observation->slot;
    return order->joined[observation->slot] ? order->n_keys - 1 : observation->slot;
}

/* The observations of steps begin .. end - 1 by key, those of one key as they come; how many. */
static int sort_tile(struct tile_order *order, int begin, int end)
{
    const struct group *group = order->group;
    int *first = order->first;
    for (int k = 0; k <= order->n_keys; k++) first[k] = 0;
    for (int i = group->first_observation[begin]; i < group->first_observation[end]; i++)
        first[key_of(order, &group->observations[i]) + 1]++;
    for (int k = 0; k < order->n_keys; k++) first[k + 1] += first[k];
    for (int j = begin; j < end; j++)
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++)
            order->dated[first[key_of(order, &group->observations[i])]++] =
                (struct dated_observation){&group->observations[i], j - begin};
    return group->first_observation[end] - group->first_observation[begin];
}

/* ---- a page ---------------------------------------------------------------------------------- */

/* Touches from `first` on that are one run. */
static int run_length(const struct dated_observation *first, int left)
{
    int n = 1;
    const struct observation *observation = first->observation;
    if (observation_in_row(observation->kind) || observation->pair >= 0) return 1;
    while (n < left && n < TILE_STEPS && first[n].observation->kind == observation->kind &&
           first[n].observation->slot == observation->slot && first[n].observation->pair < 0 &&
           first[n].step > first[n - 1].step)
        n++;
    return n;
}

static void write_run(const struct dated_observation *dated, int n, int coefficients_at,
                      struct page_unit *to)
{
    const struct observation *observation = dated->observation;
    uint64_t steps = 0;
    for (int i = 0; i < n; i++) steps |= (uint64_t)dated[i].step << (4 * i);
    unsigned source =
        kinds[observation->kind].reads & READS_SOURCE ? (unsigned)observation->source : 0;
    to->word[0] = observation->kind | source << RUN_SOURCE_SHIFT |
                  (unsigned)observation->slot << RUN_SLOT_SHIFT;
    to->word[1] = (uint32_t)steps;
    to->word[2] = n == 1 ? (uint32_t)observation->pair : (uint32_t)(steps >> 32);
    to->word[3] = (unsigned)n | (unsigned)coefficients_at << RUN_COEFFICIENTS_SHIFT;
}

/* The page of steps begin .. end - 1; its units. */
static int write_page(struct tile_order *order, int begin, int end, struct page_unit *page)
{
    const struct group *group = order->group;
    int n = sort_tile(order, begin, end), n_runs = 0, run = 1 + end - begin;
    for (int i = 0; i < n; i += run_length(order->dated + i, n - i)) n_runs++;
    int coefficients_at = run + n_runs;
    page[0] = (struct page_unit){{(uint32_t)(end - begin), (uint32_t)n_runs, 0, 0}};
    memcpy(page + 1, (const struct gaussian_step *)group->coefficients + begin,
           sizeof(struct gaussian_step) * (size_t)(end - begin));
    for (int i = 0, length; i < n; i += length, run++) {
        length = run_length(order->dated + i, n - i);
        write_run(order->dated + i, length, coefficients_at, &page[run]);
        for (int t = i; t < i + length; t++) {
            const struct observation *observation = order->dated[t].observation;
            memcpy(page + coefficients_at, observation->c,
                   sizeof *page * (size_t)units_of(observation));
            coefficients_at += units_of(observation);
        }
    }
    return coefficients_at;
}

enum status copy_pages(const struct group *group, struct page_unit *pages, int *first, int *largest)
{
    enum status status = STATUS_OK;
    struct tile_order order;
    struct page_unit *before = NULL;
    *first = *largest = 0;
    TRY(tile_order_make(group, &order));
    for (int j = 0; j < group->n_steps; j += TILE_STEPS) {
        int units = write_page(
            &order, j, j + TILE_STEPS < group->n_steps ? j + TILE_STEPS : group->n_steps, pages);
        if (before) before->word[2] = (uint32_t)units;
        else *first = units;
        if (units > *largest) *largest = units;
        before = pages;
        pages += units;
    }
done:
    tile_order_free(&order);
    return status;
}
