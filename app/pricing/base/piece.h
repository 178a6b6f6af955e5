/* Pieces of a run that are made once each: policies, references, upper bounds, tables. A piece has
 * a number in a list that all ranks of the run have, a digest of all that decides its content, and
 * the bytes of its content. It is remembered, or else stored, or else made by whichever rank comes
 * to it; and what is made is remembered and stored. */
#ifndef PRICER_APP_PRICING_BASE_PIECE_H
#define PRICER_APP_PRICING_BASE_PIECE_H

#include "app/pricing/base/store.h"
#include "kernels/ranks.h"
#include "kernels/team.h"

/* ---- loops that may fail --------------------------------------------------------------------- */

/* Does piece i; returns what went wrong, if anything, and may say it. */
typedef enum status try_piece(void *context, int i, struct message *why);

/* Does pieces 0 .. n - 1 as team_loop does, `at_once` of them under way at most, but none after the
 * first failure, which it returns with what that says. */
enum status team_try(struct team *team, int n, int at_once, try_piece *piece, void *context,
                     struct message *why);

/* ---- pieces ---------------------------------------------------------------------------------- */

/* What a run remembers of its pieces, by their digests. Whoever asks for a piece that another
 * thread is making waits for it. */
struct piece_memory;

/* NULL without memory. */
struct piece_memory *piece_memory_begin(void);

/* Accepts NULL. */
void piece_memory_end(struct piece_memory *memory);

struct pieces {
    const char *kind; /* in the store */
    int n;            /* pieces that are to be made */
    int *which;       /* [n] of the list. Left in no order */
    void *context;    /* of the functions */

    /* Makes a piece in this process, and fills its bytes, on any thread */
    enum status (*make)(void *context, int i, struct bytes *made, struct message *why);
    struct team *team; /* whose threads make them; NULL: the caller's does */
    int at_once;       /* that are under way, at most; 0: as many as the team has threads */

    /* Takes the content of a piece, wherever it is from: never twice at a time. A follower takes
     * what it is told, when all are made. */
    enum status (*take)(void *context, int i, struct bytes *content, struct message *why);

    /* Names a piece where it is remembered or stored, for as long as either exists */
    uint64_t (*digest)(void *context, int i);
    struct piece_memory *memory; /* may be NULL; without a store */
    const struct store *store;   /* may be NULL */

    const struct ranks *ranks; /* NULL: nobody else makes any */
    uint64_t key;              /* names the list among them */
    uint64_t least, most;      /* pieces that one rank makes at a time */
    /* Adds the content of a piece that was taken: followers take those of all, too; NULL: they need
     * none */
    enum status (*pass_on)(void *context, int i, struct bytes *content);

    const struct stop *stop; /* may be NULL */
    double *seconds;         /* [list] to which is added how long each took; may be NULL */
};

/* Takes the pieces which [*n] that the store has; the others become which [*n]. Errors are those of
 * the store. */
enum status pieces_recall(const struct pieces *pieces, int *n, int *which, struct message *why);

/* Has them all taken; a follower makes what the leader asks for. STATUS_NO_MEMORY,
 * STATUS_INTERRUPTED; errors of the functions, of the store and of ranks->share(). */
enum status pieces_make(const struct pieces *pieces, struct message *why);

#endif
