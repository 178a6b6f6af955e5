#include "app/pricing/plan/observable_index.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    value += 0.0; /* -0 and 0 are equal */
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* Of what functionals that are equal have in common, the end aside, which not all of them have. */
static uint64_t hash_of(const struct functional *functional)
{
    uint64_t hash = mix((uint64_t)functional->kind + 1, functional->dates.n);
    hash = mix(mix(hash, functional->lower), functional->upper);
    for (int i = 0; i < functional->dates.n && !functional->dates.continuous; i++)
        hash = mix(hash, functional->dates.times[i]);
    return hash;
}

static int *bucket_of(const struct observable_index *index, const struct functional *functional)
{
    return &index->first[hash_of(functional) & (uint64_t)(index->room - 1)];
}

int observable_index_find(const struct observable_index *index,
                          const struct observable *observables, const struct functional *functional)
{
    int i = index->room ? *bucket_of(index, functional) : -1;
    while (i >= 0 && !functional_equal(&observables[i].functional, functional)) i = index->next[i];
    return i;
}

static void enter(struct observable_index *index, const struct observable *observables, int i)
{
    int *bucket = bucket_of(index, &observables[i].functional);
    index->next[i] = *bucket;
    *bucket = i;
}

static enum status grow(struct observable_index *index, const struct observable *observables)
{
    int room = index->room ? 2 * index->room : 64;
    int *first = malloc(sizeof *first * (size_t)room);
    int *next = malloc(sizeof *next * (size_t)room);
    if (!first || !next) {
        free(first);
        free(next);
        return STATUS_NO_MEMORY;
    }
    for (int i = 0; i < room; i++) first[i] = -1;
    free(index->first);
    free(index->next);
    *index = (struct observable_index){index->n, room, first, next};
    for (int i = 0; i < index->n; i++) enter(index, observables, i);
    return STATUS_OK;
}

enum status observable_index_add(struct observable_index *index,
                                 const struct observable *observables)
{
    if (index->n == index->room && grow(index, observables)) return STATUS_NO_MEMORY;
    enter(index, observables, index->n++);
    return STATUS_OK;
}

/* The last of all is the last of its bucket. */
void observable_index_forget_last(struct observable_index *index,
                                  const struct observable *observables)
{
    int last = --index->n;
    *bucket_of(index, &observables[last].functional) = index->next[last];
}

void observable_index_free(struct observable_index *index)
{
    free(index->first);
    free(index->next);
    *index = (struct observable_index){0};
}
