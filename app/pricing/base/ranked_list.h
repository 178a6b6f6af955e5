/* Some of the things of a list that every rank has, each done by some rank. */
#ifndef PRICER_APP_PRICING_BASE_RANKED_LIST_H
#define PRICER_APP_PRICING_BASE_RANKED_LIST_H

#include "kernels/ranks.h"

/* Things 0, 1, ... of a list; the functions know what they are. */
struct ranked_list {
    const struct ranks *ranks;
    uint64_t key;         /* of all that decides what becomes of them */
    int n;                /* things that are to be done: the leader's, as is */
    const int *which;     /* [n] of the list */
    uint64_t least, most; /* things that one rank does at a time */
    bool last;            /* no others of this key follow */
    const struct stop *stop;
    void *context;

    /* Does n things of the list and adds what became of each, in their order. */
    enum status (*make)(void *context, int n, const int *which, struct bytes *made,
                        struct message *why);
    /* Takes what became of one: the leader's. */
    enum status (*take)(void *context, int i, struct bytes *made, struct message *why);
    /* Followers need what these pass on, where they are not NULL */
    enum status (*tell)(void *context, struct bytes *result);
    enum status (*hear)(void *context, struct bytes *result);
};

/* Has all ranks do them; a follower does what the leader asks for. Errors are those of the
 * functions and of ranks->share(). */
enum status ranked_list_share(const struct ranked_list *list, struct message *why);

/* The same, where list->ranks may be NULL: then it is done here, at once. */
enum status ranked_list_do(const struct ranked_list *list, struct message *why);

#endif
