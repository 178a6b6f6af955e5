/* Letters between the ranks, by MPI. One thread sends and receives. */
#ifndef PRICER_APP_MPI_POST_H
#define PRICER_APP_MPI_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "models/base/bytes.h"

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
    struct letter *next;
};

/* Letters in order; begin as {0}. */
struct letters {
    struct letter *first, *last;
};

/* Messages on their way; begin as {0}, and free what is owned at the end. */
struct post {
    int n, room;
    struct sending *sendings; /* [n] owned */
};

/* Begins to send a letter and frees it. STATUS_NO_MEMORY; STATUS_ENGINE where it is too long. */
enum status post_send(struct post *post, struct letter *letter);

/* Returns the next letter that has arrived, NULL where none has, or with STATUS_NO_MEMORY. */
enum status post_receive(struct letter **letter);

/* Frees what has been sent; tells whether all has. */
bool post_all_sent(struct post *post);

/* Makes an empty letter; NULL without memory. */
struct letter *letter_new(enum letter_kind kind, int rank, uint64_t key, uint64_t id,
                          int64_t number);
void letter_free(struct letter *letter);

void letters_put(struct letters *letters, struct letter *letter);

/* Takes the first letter with a key off the list; any where key is 0; NULL where there is none. */
struct letter *letters_take(struct letters *letters, uint64_t key);

#endif
