#include "app/plan/requests.h"

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

/* Of what requests that are equal have in common, the end aside, which not all of them have. */
static uint64_t hash_of(const struct request *request)
{
    uint64_t hash = mix((uint64_t)request->what + 1, request->dates.n);
    hash = mix(mix(hash, request->lower), request->upper);
    for (int i = 0; i < request->dates.n && !request->dates.continuous; i++)
        hash = mix(hash, request->dates.times[i]);
    return hash;
}

static int *bucket_of(const struct requests *requests, const struct request *request)
{
    return &requests->first[hash_of(request) & (uint64_t)(requests->room - 1)];
}

int requests_find(const struct requests *requests, const struct observable *observables,
                  const struct request *request)
{
    int i = requests->room ? *bucket_of(requests, request) : -1;
    while (i >= 0 && !request_equal(&observables[i].request, request)) i = requests->next[i];
    return i;
}

static void enter(struct requests *requests, const struct observable *observables, int i)
{
    int *bucket = bucket_of(requests, &observables[i].request);
    requests->next[i] = *bucket;
    *bucket = i;
}

static enum status grow(struct requests *requests, const struct observable *observables)
{
    int room = requests->room ? 2 * requests->room : 64;
    int *first = malloc(sizeof *first * (size_t)room);
    int *next = malloc(sizeof *next * (size_t)room);
    if (!first || !next) {
        free(first);
        free(next);
        return STATUS_NO_MEMORY;
    }
    for (int i = 0; i < room; i++) first[i] = -1;
    free(requests->first);
    free(requests->next);
    *requests = (struct requests){requests->n, room, first, next};
    for (int i = 0; i < requests->n; i++) enter(requests, observables, i);
    return STATUS_OK;
}

enum status requests_add(struct requests *requests, const struct observable *observables)
{
    if (requests->n == requests->room && grow(requests, observables)) return STATUS_NO_MEMORY;
    enter(requests, observables, requests->n++);
    return STATUS_OK;
}

/* The last of all is the last of its bucket. */
void requests_forget_last(struct requests *requests, const struct observable *observables)
{
    int last = --requests->n;
    *bucket_of(requests, &observables[last].request) = requests->next[last];
}

void requests_free(struct requests *requests)
{
    free(requests->first);
    free(requests->next);
    *requests = (struct requests){0};
}
