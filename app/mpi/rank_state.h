/* The ranks of a run as processes of MPI, and what each holds of it. The process's first thread
 * alone speaks to MPI (pump.c): it sends what other threads put into its queue and hands them what
 * arrives; on rank 0 others deal (leading.c). No message waits for another one, so that any
 * transport will do. */
#ifndef PRICER_APP_MPI_RANK_STATE_H
#define PRICER_APP_MPI_RANK_STATE_H

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "kernels/ranks.h"
#include "models/base/bytes.h"

/* How a run ends that cannot go on, as app/command/run.h has it. */
enum { EXIT_BAD_INPUT = 2, EXIT_MACHINE = 3 };

/* ---- letters between the ranks (post.c) ------------------------------------------------------ */

enum letter_kind {
    LETTER_HELLO,  /* a follower has read the book: its digest is the key */
    LETTER_JOIN,   /* it can do ranges of the key, `number` at a time, and needs `id` pieces of
                       each to keep busy */
    LETTER_DONE,   /* the range with the id is done: status and what was made, or why not */
    LETTER_SIGNAL, /* it got the signal `number` */
    LETTER_FAIL,   /* it cannot go on: status, and why */
    LETTER_BYE,    /* its program has ended */
    LETTER_DEAL,   /* the leader deals a range of the key, with an id */
    LETTER_OVER,   /* it has no more of the key; the result */
    LETTER_ALIVE,  /* it is there */
    LETTER_END     /* the run is over */
};

struct letter {
    enum letter_kind kind;
    int rank; /* who it is to, or from */
    uint64_t key, id;
    int64_t number;
    struct bytes body;
    uint64_t first, end; /* pieces that its body is about: not sent */
    MPI_Request request; /* of one on its way */
    struct letter *next;
};

/* Letters in order; begin as {0}. */
struct letters {
    struct letter *first, *last;
};

/* Begins to send a letter, which is owned, and puts it to those on their way. STATUS_NO_MEMORY;
 * STATUS_ENGINE where it is too long. */
enum status post_send(struct letters *post, struct letter *letter);

/* Gives the next letter that has arrived, NULL where none has, or with STATUS_NO_MEMORY. */
enum status post_receive(struct letter **letter);

/* Frees what has been sent; tells whether all has. */
bool post_all_sent(struct letters *post);

/* Makes an empty letter; NULL without memory. */
struct letter *letter_new(enum letter_kind kind, int rank, uint64_t key, uint64_t id,
                          int64_t number);
void letter_free(struct letter *letter);

void letters_put(struct letters *letters, struct letter *letter);

/* Takes the first letter with a key off the list; any where key is 0; NULL where there is none. */
struct letter *letters_take(struct letters *letters, uint64_t key);

/* ---- a run ----------------------------------------------------------------------------------- */

enum { HELPERS_MAX = 8 }; /* threads of a rank that do ranges of one job, but for the first */

/* A range of the pieces of a job, in the hands of a rank, or back from one that is lost. */
struct range {
    uint64_t id, first, end;
    int rank;
    struct led_job *led;
    struct range *next;
};

/* A job that the leader shares, on the stack of the thread that does. */
struct led_job {
    struct mpi_ranks *ranks;
    const struct ranks_job *job;
    uint64_t next_piece, missing; /* never dealt from there on; pieces that have not come back */
    struct range *out, *back;     /* owned */
    uint64_t pieces;              /* of ranges that were done, and how long ranks were at them */
    double seconds;
    struct letters arrived; /* what followers made, to be taken */
    bool released;          /* followers have been told that it is over */
    enum status status;
    struct message why;
    struct led_job *next;
};

/* What the leader knows of a rank. */
struct rank_place {
    uint64_t digest; /* of the book that it has read; 0: not heard yet */
    bool lost;
    int busy;             /* ranges that it has */
    double since;         /* it got the first of them, or ended one */
    struct letters joins; /* jobs that it can do ranges of */
};

struct mpi_ranks {
    struct ranks shared;                   /* what pricing is given, where n > 1 */
    int local, n_local;                    /* this rank among those of its host, and their number */
    int sharing;                           /* ranks on the cores of this one, itself included */
    char (*hosts)[MPI_MAX_PROCESSOR_NAME]; /* [n] */
    pthread_mutex_t lock;                  /* of all below */
    pthread_cond_t changed, to_pump; /* anything, for the program; something to send, or the end */
    struct letters out, post, in;    /* to be sent; on their way; of a follower: dealt, and over */
    struct rank_place *places;       /* [n] */
    struct led_job *led;             /* the oldest first */
    struct letters overs;    /* of jobs that are over: how many followers are to be told yet, and
                              * the result where they need it */
    int making;              /* ranges that a follower does right now */
    uint64_t n_dealt, n_own; /* ranges; those of rank 0 */
    int heard, byes; /* followers that have said which book they have; whose program has ended */
    bool finished, ended, signal_told; /* the program here; the run; of a follower */
    int signal;                        /* that a follower got */
    double limit, finished_at;
    double alive;       /* when the leader last said so, or a follower last heard */
    enum status failed; /* of the whole run, and why */
    struct message why;
};

/* Begins, and learns where the ranks are; MPI is initialised. A rank that takes longer than `limit`
 * seconds to do a range, or to read the book, ends the run. NULL without memory. */
struct mpi_ranks *mpi_ranks_begin(double limit);
void mpi_ranks_end(struct mpi_ranks *ranks);

/* Sends and receives until the program's thread, on this rank and on rank 0, has ended. False where
 * it cannot go on, after one line that says why: then all ranks are to be aborted. */
bool mpi_ranks_pump(struct mpi_ranks *ranks);

/* Returns how many seconds the others may take to end when the run is over. */
double mpi_ranks_patience(const struct mpi_ranks *ranks);

/* Says that the program's thread has ended. */
void mpi_ranks_finish(struct mpi_ranks *ranks);

/* ---- under the lock -------------------------------------------------------------------------- */

/* Ends the run with what a rank says, unless it ends already: no text is lack of memory. */
void state_fail(struct mpi_ranks *ranks, enum status status, int rank, const char *text);

/* Puts a letter into the queue; NULL, or a status, is lack of memory. */
void state_send(struct mpi_ranks *ranks, struct letter *letter, enum status status);

/* Takes a letter that has arrived, which is owned. */
void state_take_in(struct mpi_ranks *ranks, struct letter *letter);

/* Returns the time that many seconds from now. */
struct timespec state_later(double seconds);

/* Waits until anything changes, for so many seconds at most. */
void state_wait(struct mpi_ranks *ranks, double seconds);

/* Returns why the run ends. */
enum status state_ending(const struct mpi_ranks *ranks, struct message *why);

/* Shares a job: the leader's side, without the lock. */
enum status leading_share(struct mpi_ranks *ranks, const struct ranks_job *job,
                          struct message *why);

/* Takes from a rank what it has, to be dealt again, and deals nothing more to it. */
void leading_lose(struct mpi_ranks *ranks, int rank);

/* Take what a follower has sent: the letter is owned. */
void leading_take_join(struct mpi_ranks *ranks, struct letter *letter);
void leading_take_done(struct mpi_ranks *ranks, struct letter *letter);

#endif
