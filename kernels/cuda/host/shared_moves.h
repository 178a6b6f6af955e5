/* Moves that markets share (kernels/cuda/device/moves.cu): groups alike whose underlyings all
 * follow Heston move by the same wherever spots and rates alone are bumped, and on the underlyings
 * that a bump of a volatility or a correlation leaves alone. */
#ifndef PRICER_KERNELS_CUDA_HOST_SHARED_MOVES_H
#define PRICER_KERNELS_CUDA_HOST_SHARED_MOVES_H

#include "kernels/cuda/device/launch.h"

/* A mover: the underlying of a market that it is taken from. */
struct mover {
    int market, underlying;
};

struct shared_moves {
    int n;                /* movers; 0: every market moves by itself */
    struct mover *movers; /* [n]; owned */
    int *of;              /* [market][underlying] the mover that it moves by; owned */
};

/* Finds the movers of groups alike, from the first of `groups` on; none where the kernels have no
 * code for such moves or they would save less than a quarter of the steps. STATUS_NO_MEMORY.
 * Release with shared_moves_free whatever is returned. */
enum status shared_moves_find(const struct group *groups, struct shared_moves *shared);
void shared_moves_free(struct shared_moves *shared);

/* Returns the bytes of the moves of one path. */
size_t shared_moves_bytes(const struct group *group, const struct shared_moves *shared);

/* Writes a mover as the device has it, with the coefficients of its market's group there. */
void shared_moves_copy(const struct group *groups, const struct mover *mover,
                       const double *coefficients, struct device_mover *to);

#endif
