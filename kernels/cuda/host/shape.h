/* The shape of a group: what path code that is compiled for it alone has as constants of the
 * compiler (specialised.cuh), and what is left to be read at a step.
 *
 * Two groups of one shape are simulated by one kernel, whatever their market, dates and levels. */
#ifndef PRICER_KERNELS_CUDA_HOST_SHAPE_H
#define PRICER_KERNELS_CUDA_HOST_SHAPE_H

#include <stdbool.h>

#include "kernels/cuda/device/shape_contract.h"
#include "kernels/plan.h"

enum {
    SHAPE_OBSERVERS = 64,
    SHAPE_CALENDARS = 32,        /* bits of a record's first word */
    SHAPE_ARGUMENT_BYTES = 32000 /* of a launch; a device takes 32,764 */
};

/* Where the steps of paths take their normals from: they draw them, they read stored ones, or the
 * moves that the normals made were made beforehand (kernels/shared_moves.h). */
enum step_source { STEPS_DRAW, STEPS_READ, STEPS_READ_MOVES };

/* The shape of a group, and of those alike under other markets: all that their path code has as
 * constants. */
struct shape {
    int n_markets, at_once; /* groups alike, and how many of them one launch simulates at most */
    enum step_source source;
    int n_factors; /* numbers that a step reads or draws: one an underlying where they are moves */
    int n_observers, n_calendars, n_constants;
    int width, stride; /* coefficients in front of a record, and all numbers of it */
    /* The sets of calendars that steps have, as bits, those of most steps first; of more than
     * SHAPE_PATTERNS_MOST no others are here */
    int n_patterns;
    uint32_t patterns[SHAPE_PATTERNS_MOST];
    bool more_patterns;
    struct observer observers[SHAPE_OBSERVERS]; /* in the order in which they look */
    double *constants;                          /* [market][n_constants]; owned */
    double *records;          /* [market][step][stride]: shape_records() of a market; owned */
    int n_register_slots;     /* slots that path code has in registers; where that is not all: */
    int place[GROUP_SLOTS];   /* of a slot among all, those in registers first */
    int paths, block, blocks; /* of a thread; threads of a block; blocks on a multiprocessor */
    enum words_place words;   /* of the next normals */
    bool spread;              /* the table of normals lies in copies */
    bool in_a_row;            /* the code of four steps is written out */
    int fours_ahead;          /* fours of stored numbers that are sent for; 0: paths draw them */
    bool records_ahead;       /* and so are the records of their steps */
};

/* Finds the shape of groups alike whose steps take their normals from there, on an architecture, as
 * 90. STATUS_FAILED where they have none (too many underlyings or observers); STATUS_NO_MEMORY.
 * Release with shape_free in any case. */
enum status shape_make(int n_markets, const struct group *groups, enum step_source source,
                       int architecture, struct shape *shape);
void shape_free(struct shape *shape);

/* Returns the bytes of shared memory of a block of so many threads. */
size_t shape_shared(const struct shape *shape, int block);

/* Returns how many numbers the records of one market are: those of whole fours of steps. */
size_t shape_records(const struct group *group, const struct shape *shape);

/* Returns the bytes of the arguments of one market. */
size_t shape_argument(const struct group *group, const struct shape *shape);

/* Writes the numbers behind the arguments of a market's group. `movers` [underlying] are those
 * whose moves it reads, of a launch of so many paths: of each it is told, bits of a whole number in
 * the place of a double, where its fours begin among those of all; NULL: it reads none. */
void shape_numbers(const struct group *group, const struct shape *shape, int market,
                   const int *movers, size_t paths, double *numbers);

/* Returns the shape as source: `struct shape` and the kernel, called WALK. Owned by the caller;
 * NULL without memory. */
char *shape_source(const struct group *group, const struct shape *shape);

#endif
