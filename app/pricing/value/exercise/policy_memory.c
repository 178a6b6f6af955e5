#include "app/pricing/value/exercise/policy_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct kept_policy {
    struct kept_policy *next;
    uint64_t key;
    bool there; /* else it is being fitted */
    size_t n;
    float *numbers; /* [n] */
};

struct policy_memory {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct kept_policy *first;
};

struct policy_memory *policy_memory_begin(void)
{
    struct policy_memory *memory = malloc(sizeof *memory);
    if (memory)
        *memory = (struct policy_memory){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};
    return memory;
}

void policy_memory_end(struct policy_memory *memory)
{
    if (!memory) return;
    for (struct kept_policy *next, *kept = memory->first; kept; kept = next) {
        next = kept->next;
        free(kept->numbers);
        free(kept);
    }
    free(memory);
}

/* Returns where the policy of a key is linked; a link to NULL where there is none. */
static struct kept_policy **find(struct policy_memory *memory, uint64_t key)
{
    struct kept_policy **at = &memory->first;
    while (*at && (*at)->key != key) at = &(*at)->next;
    return at;
}

/* Notes that the policy of a key is being fitted. */
static void add(struct policy_memory *memory, uint64_t key)
{
    struct kept_policy *kept = malloc(sizeof *kept);
    if (!kept) return;
    *kept = (struct kept_policy){.next = memory->first, .key = key};
    memory->first = kept;
}

enum policy_answer policy_memory_ask(struct policy_memory *memory, uint64_t key, size_t n,
                                     bool wait, float *policy)
{
    enum policy_answer answer = POLICY_KNOWN;
    pthread_mutex_lock(&memory->lock);
    struct kept_policy *kept;
    while ((kept = *find(memory, key)) && !kept->there && wait)
        pthread_cond_wait(&memory->changed, &memory->lock);
    if (!kept) answer = POLICY_YOURS, add(memory, key);
    else if (!kept->there) answer = POLICY_MADE;
    else if (kept->n != n) answer = POLICY_YOURS; /* two of one key: not by accident of a hash */
    else memcpy(policy, kept->numbers, n * sizeof *policy);
    pthread_mutex_unlock(&memory->lock);
    return answer;
}

void policy_memory_keep(struct policy_memory *memory, uint64_t key, size_t n, const float *policy)
{
    float *copy = malloc(n * sizeof *copy + 1);
    if (!copy) {
        policy_memory_forget(memory, key);
        return;
    }
    memcpy(copy, policy, n * sizeof *copy);
    pthread_mutex_lock(&memory->lock);
    struct kept_policy *kept = *find(memory, key);
    if (kept && !kept->there) kept->numbers = copy, kept->n = n, kept->there = true, copy = NULL;
    pthread_cond_broadcast(&memory->changed);
    pthread_mutex_unlock(&memory->lock);
    free(copy);
}

void policy_memory_forget(struct policy_memory *memory, uint64_t key)
{
    pthread_mutex_lock(&memory->lock);
    struct kept_policy **at = find(memory, key), *kept = *at;
    if (kept && !kept->there) {
        *at = kept->next;
        free(kept);
    }
    pthread_cond_broadcast(&memory->changed);
    pthread_mutex_unlock(&memory->lock);
}
