/* Moves that markets share. Under Heston and Bates what a step adds to log2 S beside its growth, a
 * move, depends on no spot and no rate: groups alike move by the same wherever these alone are
 * bumped, and on the underlyings that a bump of a volatility or a correlation leaves alone. Engines
 * make each move once and add it up under every market that has it. */
#ifndef PRICER_KERNELS_SHARED_MOVES_H
#define PRICER_KERNELS_SHARED_MOVES_H

#include "kernels/plan.h"
#include "models/base/status.h"

/* A mover: the underlying of a market that it is taken from. */
struct mover {
    int market, underlying;
};

struct shared_moves {
    int n;                /* movers; 0: every market moves by itself */
    struct mover *movers; /* [n] in the order of their underlyings; owned */
    int *mover_of;        /* [market][underlying] the mover that it moves by; -1: itself; owned */
};

/* Tells whether an underlying has moves that can be made beforehand: they leave no variance and no
 * clock for observations to read. */
bool has_moves(const struct group *group, int underlying);

/* Finds the movers of groups alike, from the first of `groups` on; none where they would save less
 * than a quarter of the steps that have moves. STATUS_NO_MEMORY. Release with shared_moves_free
 * whatever is returned. */
enum status shared_moves_find(const struct group *groups, struct shared_moves *shared);
void shared_moves_free(struct shared_moves *shared);

#endif
