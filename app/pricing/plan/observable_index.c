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

static int *bucket_of(const struct observable_index *index_of_observables,
                      const struct functional *functional)
{
    return &index_of_observables
                ->first[hash_of(functional) & (uint64_t)(index_of_observables->room - 1)];
}

int observable_index_find(const struct observable_index *index_of_observables,
                          const struct observable *observables, const struct functional *functional)
{
    int i = index_of_observables->room ? *bucket_of(index_of_observables, functional) : -1;
    while (i >= 0 && !functional_equal(&observables[i].functional, functional))
        i = index_of_observables->next[i];
    return i;
}

static void enter(struct observable_index *index_of_observables,
                  const struct observable *observables, int i)
{
    int *bucket = bucket_of(index_of_observables, &observables[i].functional);
    index_of_observables->next[i] = *bucket;
    *bucket = i;
}

static enum status grow(struct observable_index *index_of_observables,
                        const struct observable *observables)
{
    int room = index_of_observables->room ? 2 * index_of_observables->room : 64;
    int *first = malloc(sizeof *first * (size_t)room);
    int *next = malloc(sizeof *next * (size_t)room);
    if (!first || !next) {
        free(first);
        free(next);
        return STATUS_NO_MEMORY;
    }
    for (int i = 0; i < room; i++) first[i] = -1;
    free(index_of_observables->first);
    free(index_of_observables->next);
    *index_of_observables = (struct observable_index){index_of_observables->n, room, first, next};
    for (int i = 0; i < index_of_observables->n; i++) enter(index_of_observables, observables, i);
    return STATUS_OK;
}

enum status observable_index_add(struct observable_index *index_of_observables,
                                 const struct observable *observables)
{
    if (index_of_observables->n == index_of_observables->room &&
        grow(index_of_observables, observables))
        return STATUS_NO_MEMORY;
    enter(index_of_observables, observables, index_of_observables->n++);
    return STATUS_OK;
}

/* The last of all is the last of its bucket. */
void observable_index_forget_last(struct observable_index *index_of_observables,
                                  const struct observable *observables)
{
    int last = --index_of_observables->n;
    *bucket_of(index_of_observables, &observables[last].functional) =
        index_of_observables->next[last];
}

void observable_index_free(struct observable_index *index_of_observables)
{
    free(index_of_observables->first);
    free(index_of_observables->next);
    *index_of_observables = (struct observable_index){0};
}
