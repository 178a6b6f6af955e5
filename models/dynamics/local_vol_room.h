/* What local_vol's tables are made in: the places of a law, functions of a step, and the numbers
 * that a thread or a block of a GPU has of them. What works on these, local_vol_lanes.h,
 * local_vol_marginal.h and local_vol_make.h, is compiled once for each row of
 * models/base/builds.def and, as a part of a .cu file, for GPUs; all have the same bits. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_ROOM_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_ROOM_H

#include "models/dynamics/local_vol_table.h"
#include "models/market/surface.h"
#include "models/math/each.h"

enum { NODES = 640 }; /* places, from LAW_REACH deviations below to as many above */
#define LAW_REACH 6.5

enum { SMILES = 2 }; /* expiries whose variances are kept: a date lies between two */

/* Places for all dates from `laid` up to places_serve(laid), and the surface's expiries there. */
struct nodes {
    double laid; /* 0: not yet */
    double low, spacing;
    double *grown;              /* [NODES] exp of the places */
    struct variance_at *smiles; /* [SMILES][NODES] */
    int smile[SMILES];          /* which expiry each is, counted from 1; 0: none */
};

/* The marginal law on one date. */
struct marginal {
    struct nodes *nodes;
    double t, laid; /* the date, and that for which its places were laid */
    /* [NODES] Prob(Y < place), Prob(Y > place): each keeps its digits */
    double *below, *above;
    double *density; /* [NODES] */
};

/* Returns the place number i. */
PLAN_CODE double node_at(const struct nodes *nodes, int i)
{
    return nodes->low + i * nodes->spacing;
}

/* The cubic of an interval of places: probability from 0 to `rise` where t is 0 to 1, slopes kept
 * to what increases (F. Fritsch and R. Carlson, SIAM J. Numer. Anal. 17 (1980) 238-246). */
struct cubic {
    double rise, start, end;
};

/* Returns that of interval i, from the tail below or above its ends. */
PLAN_CODE struct cubic cubic_of(const double *tail, const double *density, double spacing, int i,
                                int is_below)
{
    double rise = is_below ? tail[i + 1] - tail[i] : tail[i] - tail[i + 1],
           most = rise > 0.0 ? 3.0 * rise : 0.0;
    double first = density[i] * spacing, second = density[i + 1] * spacing;
    return (struct cubic){rise, first < most ? first : most, second < most ? second : most};
}

PLAN_CODE double cubic_at(const struct cubic *f, double t)
{
    double s = 1.0 - t;
    return t * (f->rise * t * (1.0 + 2.0 * s) + s * (f->start * s - f->end * t));
}

/* One function of a step: linear plus the cells' rows, in the units of local_vol.h. */
struct parabolas {
    double low, high; /* of the argument */
    double slope, start;
    float *rows; /* [cells + 2][2] */
};

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

/* The most points of a step's convolution: 8 MB, and some hundredths of a second. An ordinary step
 * takes a few thousand. */
#define MOST_POINTS 1e6

/* What a thread, or the threads of a block each, keeps from step to step: the laws at a step's
 * start and end, on places of their own or the same; and P at the start's places. What was laid for
 * the last step and serves the next is not laid again. */
struct local_vol_work {
    const struct implied_surface *surface;
    double unit_spot; /* Y of a spot of 1: layouts are aligned to it, that they may stay where
                         today's spot moves */
    struct table_room *room; /* where all numbers of places are */
    struct nodes nodes[2];
    struct marginal marginals[2];
    struct marginal *start, *end; /* start: NULL today */
    double origin;                /* Y where P is 0 */
};

/* A build's make_step() (local_vol_make.h). */
typedef enum status table_build(struct local_vol_work *work, const struct tabled_step *step,
                                double log_from, double log_to, double *c, float *rows,
                                struct forward_moves *moves);

/* Begins work on a surface in a room. */
PLAN_CODE void local_vol_work_begin(struct local_vol_work *work,
                                    const struct implied_surface *surface, double unit_spot,
                                    struct table_room *room)
{
    *work = (struct local_vol_work){.surface = surface, .unit_spot = unit_spot, .room = room};
    for (int i = 0; i < 2; i++) {
        work->nodes[i].grown = room->grown[i];
        work->nodes[i].smiles = room->smiles[i][0];
        work->marginals[i].below = room->below[i];
        work->marginals[i].above = room->above[i];
        work->marginals[i].density = room->density[i];
    }
}

/* Returns x, or the end of low to high that it lies beyond. */
PLAN_CODE double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* A function known at four equal distances or more. */
struct sampled {
    int n;
    double low, per; /* how many of them a unit */
    const double *value;
};

/* Interpolates by the cubic through the four nearest. */
PLAN_CODE double sampled_at(const struct sampled *f, double y)
{
    double place = (y - f->low) * f->per;
    int i = (int)place; /* bounds of integers leave no branch */
    i = i > 1 ? i : 1, i = i < f->n - 3 ? i : f->n - 3;
    double t = clamp(place - i, -1.0, 2.0), before = t + 1.0, after = t - 1.0, last = t - 2.0;
    const double *v = f->value;
    double inner = after * last, outer = before * t;
    return 0.5 * (v[i] * before * inner - v[i + 1] * outer * last) +
           (1.0 / 6.0) * (v[i + 2] * outer * after - v[i - 1] * t * inner);
}

#endif
