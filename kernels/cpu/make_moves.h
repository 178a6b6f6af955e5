/* Moves that markets share (kernels/shared_moves.h), for PATH_LANES paths side by side: made for
 * each mover, added up under each market. Part of simulate.c, whose builds vectorise the loops over
 * lanes. */
#ifndef PRICER_KERNELS_CPU_MAKE_MOVES_H
#define PRICER_KERNELS_CPU_MAKE_MOVES_H

#include "kernels/cpu/draw_lanes.h"
#include "kernels/cpu/take_steps.h"

/* Steps that are taken together, from `first` to before `end`; of their moves there is room for
 * `room` steps. */
struct step_range {
    int first, end, room;
    float *normals; /* [factor][PATH_DRAWS][PATH_LANES] a block of steps */
};

/* Makes the moves of an underlying over the steps. */
static void move_underlying(const struct group *group, int u, const struct step_range *range,
                            double *v, float *moves, double *jumps)
{
    const struct underlying *underlying = &group->underlyings[u];
    _Alignas(64) double w[PATH_LANES];
    for (int j = range->first; j < range->end; j++, moves += PATH_LANES, jumps += PATH_LANES) {
        const double *c =
            group->coefficients + (size_t)j * (size_t)group->width + underlying->coefficient;
        const float *z = step_normals(group, 0, j - range->first, range->normals),
                    *variance_normals =
                        step_normals(group, underlying->factor, j - range->first, range->normals);
        if (group->n_underlyings > 1) correlate(group, u, z, w);
        make_move_lanes(c, group->n_underlyings > 1 ? w : NULL, variance_normals, v, NULL, moves);
        if (underlying->model == MODEL_BATES) make_jumps(c, variance_normals, jumps);
    }
}

/* Moves the underlyings of a market over step j by the movers `mover_of` them. */
static void add_moves(const struct group *group, const int *mover_of, int j,
                      const struct step_range *range, const struct path_scratch *scratch,
                      double *paths)
{
    const double *c = group->coefficients + (size_t)j * (size_t)group->width;
    for (int u = 0; u < group->n_underlyings; u++) {
        const double growth = c[group->underlyings[u].coefficient + HESTON_GROWTH];
        double *x = SLOT(paths, PATH_ROWS * u);
        if (mover_of[u] < 0) continue;
        size_t at = (size_t)mover_of[u] * (size_t)range->room + (size_t)(j - range->first);
        const float *move = scratch->moves + at * PATH_LANES;
        const double *jump = scratch->jumps + at * PATH_LANES;
        if (group->underlyings[u].model == MODEL_BATES)
            for (int l = 0; l < PATH_LANES; l++)
                x[l] = heston_moved(x[l], growth, (double)move[l]) + jump[l];
        else
            for (int l = 0; l < PATH_LANES; l++) x[l] = heston_moved(x[l], growth, (double)move[l]);
    }
}

#endif
