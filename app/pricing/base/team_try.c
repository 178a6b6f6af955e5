#include "app/pricing/base/team_try.h"

#include <stdatomic.h>

struct trial {
    try_piece *piece;
    void *context;
    int n;
    atomic_int next, status;
    struct message why; /* of the first failure */
};

static void try_one(void *context, int i)
{
    struct trial *trial = context;
    struct message why = {""};
    int none = STATUS_OK;
    if (atomic_load(&trial->status)) return;
    enum status status = trial->piece(trial->context, i, &why);
    if (status && atomic_compare_exchange_strong(&trial->status, &none, (int)status))
        trial->why = why;
}

/* Does pieces that nobody has begun, one after the other. */
static void try_next(void *context, int line)
{
    struct trial *trial = context;
    (void)line;
    for (int i; (i = atomic_fetch_add(&trial->next, 1)) < trial->n;) try_one(trial, i);
}

enum status team_try(struct team *team, int n, int at_once, try_piece *piece, void *context,
                     struct message *why)
{
    struct trial trial = {.piece = piece, .context = context, .n = n};
    team_loop(team, n < at_once ? n : at_once, try_next, &trial);
    enum status status = (enum status)atomic_load(&trial.status);
    if (status) *why = trial.why;
    return status;
}
