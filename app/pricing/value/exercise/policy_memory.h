/* Policies of early exercise that were fitted before in the same run, by what they were fitted to:
 * the plans of a run's Greeks and scenarios share their first market, and so its policies. A policy
 * is fitted once; whoever asks for one that another thread is fitting waits for it. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_POLICY_MEMORY_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_POLICY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct policy_memory;

/* NULL without memory. */
struct policy_memory *policy_memory_begin(void);

/* Accepts NULL. */
void policy_memory_end(struct policy_memory *memory);

/* What became of a question for a policy. */
enum policy_answer {
    POLICY_KNOWN, /* the numbers are in `policy` */
    POLICY_YOURS, /* nobody has it: fit it, then policy_memory_keep() or policy_memory_forget() */
    POLICY_MADE   /* another thread is fitting it */
};

/* Asks for the n numbers of the policy with a key; with `wait` set never answers POLICY_MADE, but
 * waits. Whoever has policies to keep does not wait before that. Without memory POLICY_YOURS.
 * Thread safe, as the others. */
enum policy_answer policy_memory_ask(struct policy_memory *memory, uint64_t key, size_t n,
                                     bool wait, float *policy);

/* Keeps a policy that was this caller's to fit. */
void policy_memory_keep(struct policy_memory *memory, uint64_t key, size_t n, const float *policy);

/* Says that it was not fitted after all: the next one to ask is to do it. */
void policy_memory_forget(struct policy_memory *memory, uint64_t key);

#endif
