/* What an early exercise is worth from date to date: one-step conditional expectations, and the
 * value functions that they lead to.
 *
 * From the last date backwards, with h_k the discounted gain of exercise on date k,
 *     V_k = max(h_k, C_k),   C_k(state on k) = E[V_(k+1) | state on k]
 * (J. N. Tsitsiklis and B. Van Roy, Regression methods for pricing complex American-style options,
 * IEEE Trans. Neural Networks 12 (2001) 694-703). The expectation from a state is an average over a
 * few paths of its own to the next date, so that C_k is fitted to values with hardly any noise
 * (exercise_value.h), at states that other paths went through.
 *
 * The points are a lattice in the normals of the first dimensions and a Latin hypercube in the
 * others, with a random shift for each state (R. Cranley and T. N. L. Patterson, SIAM J. Numer.
 * Anal. 13 (1976) 904-914) and the tent map (F. J. Hickernell, Obtaining O(N^(-2 + e)) convergence
 * for lattice quadrature rules, MCQMC 2000). Each point by itself has the law of the paths, so an
 * average has the right mean.
 *
 * On the best or worst of several assets that move by different laws each that leads has a C of its
 * own: the features do not tell which asset does.
 *
 * V is exact but for the smoothing where the features that an exercise sees tell the whole state;
 * else it is an approximation. Sums have one order, draws are functions of seed, path and step. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_STEPS_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_STEPS_H

#include "kernels/cpu/lane_steps.h"
#include "app/pricing/value/exercise/exercise_dates.h"
#include "app/pricing/value/exercise/exercise_value.h"
#include "kernels/team.h"
#include "models/base/stop.h"

enum {
    FEW_POINTS = 32,   /* of an average over one step of up to four normals (half of them in the fit
                     of one), */
    MANY_POINTS = 256, /* and of more */
    FIT_STATES_ONE = 512,  /* states of a date that a function of one feature is fitted to, */
    FIT_STATES_TWO = 2048, /* of two, */
    FIT_STATES_LEAST =
        512, /* and of either where there are so many steps that inner paths take more than */
    FIT_STEPS = 1 << 24 /* asset-steps */
};

/* PATH_LANES paths on a date. */
struct states {
    double *rows;  /* [underlying][PATH_ROWS][PATH_LANES] as lane_steps.h has them */
    double *f, *g; /* [PATH_LANES] features */
};

/* Working memory of one thread. */
struct step_scratch {
    struct lane_steps lanes;
    uint32_t *words;      /* [factor][PATH_LANES] */
    struct states states; /* for whoever simulates some */
    double *f, *g;        /* [PATH_LANES] of inner paths */
};

/* Makes room for the states of a group. STATUS_NO_MEMORY; step_scratch_free after both. */
enum status step_scratch_make(const struct group *group, struct step_scratch *step_scratch);
void step_scratch_free(struct step_scratch *step_scratch);

/* States that a fit knows of every date, by blocks of PATH_LANES. */
struct known_states {
    int n, blocks;
    size_t block;  /* doubles of the rows of a block */
    double *rows;  /* [date][block]; owned, and the others are within it */
    double *f, *g; /* [date][state] features */
    double
        *gathered; /* [date][f, g, average][state] that functions are fitted to; NULL: none are */
};

static inline double *known_rows(const struct known_states *known, int date, int block)
{
    return known->rows + ((size_t)date * (size_t)known->blocks + (size_t)block) * known->block;
}

/* What the random words of paths are drawn by. */
struct draws {
    const struct group *group;
    uint64_t seed;
    uint32_t points; /* of each state, at draw_points: a power of 2 from 16 to PATH_LANES */
};

/* The value functions of an exercise. */
struct valuation {
    const struct exercise *exercise;
    struct draws draws;               /* of an average's points, and of paths */
    const struct stop *stop;          /* may be NULL; ends a fit with STATUS_INTERRUPTED */
    struct team *team;                /* which shares blocks of PATH_LANES; NULL: nobody does */
    int leaders;                      /* whose functions a date has: one, or one for each asset */
    struct value_function *functions; /* [date but the last][leader] C, discounted to today */
    struct known_states known;
    int n_scratch;
    struct step_scratch *scratch; /* [n_scratch] of blocks that are done side by side */
};

/* Fits the functions of the exercise by draws of a seed; *valuation has these, of draws the seed,
 * and whom it stops for and who helps. Free with valuation_free, whatever is returned.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status valuation_fit(struct valuation *valuation);
void valuation_free(struct valuation *valuation);

/* Makes room for at least n blocks side by side. STATUS_NO_MEMORY. */
enum status valuation_blocks(struct valuation *valuation, int n);

/* Returns the working memory of block b: they share one where nobody helps. */
static inline struct step_scratch *scratch_of_block(const struct valuation *valuation, int b)
{
    return &valuation->scratch[valuation->team ? b : 0];
}

/* Finds the functions of an exercise on one asset on a grid of its states (exercise_grid.c), where
 * that is possible; the states that are known say how far it goes. STATUS_NO_MEMORY,
 * STATUS_INTERRUPTED. */
bool grid_possible(const struct exercise *exercise);
enum status grid_fit(struct valuation *valuation);

/* Simulated states of a date: their features, and averages of V on the next date. */
struct date_states {
    size_t n;
    const double *f, *g;
    const double *averages; /* NULL where the function is from a grid */
};
struct date_states valuation_states(const struct valuation *valuation, int date);

/* Gathers those that an asset leads, where each that leads has a function of its own, in their
 * order: f, g and averages, with `room` for 3 FIT_STATES_TWO. */
struct date_states valuation_led(const struct valuation *valuation, int date, int leader,
                                 double *room);

/* Computes V of date k, discounted to today, of PATH_LANES states. */
void values_of(const struct valuation *valuation, int k, const struct states *states,
               double *values);

/* Draws the words of a step of PATH_LANES paths, by the numbers first_path and so on, into the
 * scratch. */
void draw_paths(const struct draws *draws, uint64_t first_path, int step,
                const struct step_scratch *step_scratch);

/* Draws the words of a step of the inner paths of as many states as the lanes hold, by the numbers
 * first_state and so on; `dimension` is that of the first factor among those of an inner path. */
void draw_points(const struct draws *draws, uint64_t first_state, int step, int dimension,
                 uint32_t *words);

/* Returns the normal of a step, of a group of one asset, that gives the number of jumps; -1 where
 * there is none. */
int jump_factor(const struct group *group);

/* Returns the least word of it that gives `count` jumps in a step. */
uint32_t jump_word(const struct group *group, int step, int count);

/* Returns the least word whose normal is above z. */
uint32_t word_above(double z);

/* Counts the numbers of PATH_LANES states. */
static inline size_t state_numbers(const struct group *group)
{
    return (size_t)group->n_underlyings * PATH_ROWS * PATH_LANES;
}

/* Puts states [underlying][PATH_ROWS][PATH_LANES] where they are today. */
void begin_states(const struct group *group, double *rows);

/* Moves states from date k - 1 (today for 0) to date k by the draws of paths first_path and so on,
 * or not all the way where the scratch's *stop asks for the end. */
void simulate_states(const struct valuation *valuation, uint64_t first_path, int k,
                     struct step_scratch *step_scratch, struct states *states);

/* Estimates E[V_k | state on date k - 1] of PATH_LANES states, whose points are drawn by the
 * numbers first_state and so on; any numbers where the valuation's *stop asks for the end. */
void average_values(const struct valuation *valuation, uint64_t first_state, int k,
                    struct step_scratch *step_scratch, const double *rows, double *averages);

/* Turns `budget` asset-steps of inner paths into a number of states, a multiple of PATH_LANES
 * between bounds. */
int affordable_states(int budget, const struct exercise *exercise, int low, int high);

#endif
