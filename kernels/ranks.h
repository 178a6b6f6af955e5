/* The processes of one run, on one machine or on many, and how they share its work. All of them
 * read the same book and make the same plans. Rank 0 leads: it cuts a job into pieces, deals ranges
 * of them to the ranks, itself among them, and takes what comes back in an order that changes no
 * bit. The others follow: they reach the same job, do what they are dealt of it, and go on.
 *
 * Pricing knows these functions; who implements them decides how the ranks speak (app/mpi). */
#ifndef PRICER_KERNELS_RANKS_H
#define PRICER_KERNELS_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/base/bytes.h"
#include "models/base/status.h"
#include "models/base/stop.h"

/* Work that every rank can do a part of. A follower sets key, at_once, least,
 * context, make and take_result alone. */
struct ranks_job {
    uint64_t key;         /* names the job: a digest of all that decides what its pieces bring */
    int at_once;          /* ranges that this process does at a time */
    uint64_t n;           /* pieces 0 .. n - 1, about as long as each other */
    uint64_t least, most; /* pieces of a range that this process needs to keep busy; that a rank
                           * may take */
    bool last;            /* no more pieces of this key follow: followers go on */
    bool everywhere; /* followers wait for what `put_result` adds when the last piece is there */
    const struct stop *stop; /* may be NULL; ends the leader's share with STATUS_INTERRUPTED */
    void *context;           /* of the functions */

    /* Adds to what a rank is told of a range: the leader's. */
    enum status (*describe)(void *context, uint64_t first, uint64_t end, struct bytes *told);
    /* Does a range that was described, by as many threads as this process may use. */
    enum status (*make)(void *context, struct bytes *told, struct bytes *made, struct message *why);
    /* Takes what was made of a range: the leader's; never twice at a time. */
    enum status (*take)(void *context, uint64_t first, uint64_t end, struct bytes *made,
                        struct message *why);
    enum status (*put_result)(void *context, struct bytes *result);
    enum status (*take_result)(void *context, struct bytes *result);
};

struct ranks {
    void *context;
    int rank, n;      /* this one, from 0, and all */
    const char *host; /* that this one is on */

    /* Shares a job, and returns when all of its pieces are taken; on a follower when the leader has
     * no more for it to do. May be called on several threads at a time, with keys that differ.
     * STATUS_INTERRUPTED where the run ends; what the functions return, with the rank that it is
     * from. */
    enum status (*share)(void *context, const struct ranks_job *job, struct message *why);

    /* Tells whether the run is to end (0: no). On the leader the number of the signal that it got,
     * `signal_number` (0: none), or that a follower has told it of; on a follower 1 when the leader
     * has ended the run, its own signal being passed on. From any thread. */
    int (*ended)(void *context, int signal_number);

    /* Says why this rank cannot go on: a follower tells the leader, which ends the run. To
     * what the leader says it adds which rank says so, where it is another one, and of lack of
     * memory always. */
    void (*fail)(void *context, enum status status, struct message *why);

    /* Compares a digest with the leader's. STATUS_BAD_INPUT and which rank has another one. */
    enum status (*compare)(void *context, uint64_t digest, struct message *why);
};

/* Tells whether this process does what another one tells it; NULL: a run is one process. */
static inline bool ranks_follow(const struct ranks *ranks)
{
    return ranks && ranks->rank > 0;
}

#endif
