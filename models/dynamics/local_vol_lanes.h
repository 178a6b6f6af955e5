/* What local_vol's tables do at many places at once: where P lies and what the law says there, Q's
 * quantiles, averages of variances.
 *
 * local_vol_lanes.c is compiled once for each row of models/base/builds.def; the builds give the
 * same bits. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_LANES_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_LANES_H

#include "models/dynamics/local_vol.h"
#include "models/dynamics/local_vol_marginal.h"

/* One function of a step: linear plus the cells' rows, in the units of local_vol.h. */
struct parabolas {
    double low, high; /* of the argument */
    double slope, start;
    float *rows; /* [cells + 2][2] */
};

/* A row is a parabola in one of equal cells. */
/* Places where a function is asked for in each cell, and its cells and places. */
enum {
    IN_CELL = 5,
    P_CELLS = LOCAL_VOL_P_ROWS - 2,
    Q_CELLS = LOCAL_VOL_Q_ROWS - 2,
    P_PLACES = IN_CELL * P_CELLS,
    Q_PLACES = IN_CELL * Q_CELLS
};

/* Returns the value of a row at t: what local_vol_step() makes of it. */
PLAN_CODE double row_value(const float *row, double t)
{
    return row[0] + (row[1] + (double)local_vol_curve(row[1]) * t) * t;
}

/* Tells where in its cell a value is: -0.5 is the low end, 0.5 the high one. */
PLAN_CODE double within_cell(int j)
{
    return (j - 0.5 * (IN_CELL - 1)) / IN_CELL;
}

/* The lattice on which P + z is convolved: places of u are `each` apart on it, those of z `stride`.
 */
struct lattice {
    int each, stride, reach; /* reach: strides to NORMAL_REACH */
    int n;
    double low, spacing;
    double *probability; /* [n] of P below or above, by the sign of u */
    double *weight;      /* [2 reach + 1] of z */
};

/* P's rows as they are read at a place: less v, a + b t + c t^2 at t of the row. */
struct p_row {
    double middle, b, c, half_b, quarter_c;
};

/* Places that are worked on side by side. */
enum { P_ROWS = LOCAL_VOL_P_ROWS, TOGETHER = 64 };

/* Windows of places that are averaged by one kernel, about every AVERAGED-th; and how many averages
 * a vector loop, or a thread of a GPU, makes at a time. */
enum { AVERAGED = 16, WINDOW = 2 * AVERAGED, WINDOWS = NODES / AVERAGED + 1 };
#ifdef __CUDACC__
enum { SIDE_BY_SIDE = 1 };
#else
enum { SIDE_BY_SIDE = WINDOW };
#endif

/* Where P is some v. */
struct p_roots {
    double a[TOGETHER], b[TOGETHER], c[TOGETHER], row[TOGETHER];
};

/* Where cubics are `wanted`, and the interval that each is of. */
struct searches {
    double interval[TOGETHER];
    double rise[TOGETHER], start[TOGETHER], end[TOGETHER], wanted[TOGETHER];
    double t[TOGETHER], low[TOGETHER], high[TOGETHER], open[TOGETHER];
};

/* Rows of some cells, side by side; values and densities [place in its cell][cell]. */
struct cells {
    double value[IN_CELL][TOGETHER], density[IN_CELL][TOGETHER];
    double a[3][TOGETHER]; /* of parabolas */
    float middle[TOGETHER], slope[TOGETHER];
};

enum { LATTICE_ROOM = 16384 }; /* points of a lattice; who makes larger ones finds room for them */

/* What functions of a build change most often while they run: on a GPU in a block's shared
 * memory. */
struct table_tray {
    struct p_row rows[LOCAL_VOL_P_ROWS];
    struct p_roots roots;
    double probability[TOGETHER];
    struct searches searches;
    struct cells cells;
    double asked;
};

/* What one step is made in. */
struct table_room {
    struct table_tray *tray;
    /* Of the laws at its start and end, and of P */
    double grown[2][NODES], below[2][NODES], above[2][NODES], density[2][NODES];
    struct variance_at smiles[2][SMILES][NODES];
    double deviation[NODES], inverse[NODES], phi[NODES], p[NODES];
    /* Of values at Q's places */
    double value[Q_PLACES], weight[Q_PLACES], error[Q_PLACES];
    double lattice[LATTICE_ROOM];
    /* Of functions, while they run */
    double score[NODES], power[NODES], low[NODES];
    struct variance_at at[NODES];
    double inverses[3 * NODES], plain[WINDOWS * WINDOW], sixth[WINDOWS * WINDOW];
};

/* All of one build. */
struct local_vol_lanes {
    /* Makes a law from an expiry's total variances at its places, or from those of two. */
    void (*law)(const struct date_between *date, const struct variance_at *early,
                const struct variance_at *late, struct marginal *law, struct table_room *room);

    /* Adds `weight` times Dupire's variances at the places [NODES] on the date. */
    void (*variances)(const struct date_between *date, const struct variance_at *early,
                      const struct variance_at *late, const struct nodes *nodes, double weight,
                      double *sums);

    /* Makes a unit's move in widths of each place fade: exp(-spacing / sqrt(variance)), [NODES]. */
    void (*fades)(const double *variance, double spacing, double *fade);

    /* Averages variances [NODES] from place to place, by kernels as wide as `width` has it there:
     * that of sixth order, which leaves smooth functions what they are, kept near the normal
     * density's. */
    void (*spread)(double *variance, double spacing, const double *width, struct table_room *room);

    /* Finds what P is at the places: phi, which is there, and its slopes 1 / G at both ends of how
     * far the drift of a step goes, with G's slope from G around [NODES]. */
    void (*drifts)(const struct nodes *nodes, const double *deviation, const double *inverse,
                   const double *phi, double *p);

    /* Finds P, less its line, and the law's density in IN_CELL parts of each of P's cells. */
    void (*cells)(const struct marginal *start, const double *p_nodes, const struct parabolas *p,
                  double *value, double *density);

    /* Makes the parabolas nearest to IN_CELL values in each cell, in the middles of as many parts
     * of it: a bend within a cell stays in it. Where values plus `line` a cell, which increase,
     * rise so suddenly that the parabola would fall, it is made straighter. What a row's digits
     * cannot hold is made up for in its middle, so that no cell is off on average, with these
     * weights of the values: the density of the paths. rows[n_cells + 2][2], the first and the last
     * of them constants. */
    void (*rows)(int n_cells, const double *value, const double *density, double line, float *rows,
                 struct table_room *room);

    /* Finds Prob(P(Y) < v) (is_below), or > v, at the places v `first` to `last` of the lattice, P
     * as its rows have it. */
    void (*starts)(const struct lattice *lattice, const struct parabolas *p,
                   const struct marginal *start, int first, int last, int is_below,
                   struct table_room *room);

    /* Sums over z for the places of u from `begin` on: z by z, which is the quicker order. */
    void (*sums)(const struct lattice *lattice, int begin, int end, double *sum);

    /* Turns n probabilities into the places below (is_below) or above which the law has them:
     * marginal_probability()'s inverse, to 1e-8 of an interval. `from` is the interval of places in
     * which the search begins and ends. */
    void (*quantiles)(const struct marginal *law, int n, int is_below, int *from, double *value,
                      struct table_room *room);

    /* Finds how far Q's rows are off at the n places of u whose values, less a line, are these: as
     * a part of a path's price there, times its price over the forward. */
    void (*errors)(int n, const double *value, const struct parabolas *q, double first,
                   double spacing, double *error);
};

/* LANES(law) is the function of the last build that this processor can run; on a GPU, where
 * local_vol_lanes.c is part of the file, its own. */
#ifdef __CUDACC__
#define LANES(name) lanes_##name
#else
#define LANES(name) (local_vol_fastest()->name)

#define BUILD(name, idea, supported) extern const struct local_vol_lanes local_vol_##name;
#include "models/base/builds.def"
#undef BUILD

static inline const struct local_vol_lanes *local_vol_fastest(void)
{
    const struct local_vol_lanes *found = 0;
#define BUILD(name, idea, supported)                                                               \
    if (supported) found = &local_vol_##name;
#include "models/base/builds.def"
#undef BUILD
    return found;
}
#endif

#endif
