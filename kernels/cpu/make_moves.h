/* Moves that markets share (kernels/shared_moves.h), for PATH_LANES paths side by side: made for
 * each mover, added up under each market. Part of simulate.c, whose builds vectorise the loops over
 * lanes. */
#ifndef PRICER_KERNELS_CPU_MAKE_MOVES_H
#define PRICER_KERNELS_CPU_MAKE_MOVES_H

#include "kernels/cpu/draw_lanes.h"
#include "kernels/cpu/take_steps.h"

/* Makes the moves of one step, of an underlying's coefficients `of_step`, from its own noise w and
 * its normals [factor][PATH_DRAWS][PATH_LANES] from those of this step on. */
static void make_moves(const double *of_step, const double *w, const float *normals, double *v,
                       float *moves)
{
    const float *own = normals + PATH_DRAWS * PATH_LANES;
    double c[HESTON_COEFFICIENTS];
    for (int i = 0; i < HESTON_COEFFICIENTS; i++) c[i] = of_step[i];
    look_ahead(v, c);
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)
    {
        struct path_state s = {0.0, v[l], 0.0};
        const double z[2] = {w[l], (double)own[l]};
        moves[l] = heston_log_move(c, &s, z);
        v[l] = s.v;
    }
}

/* Makes the jumps of one step under Bates, of the same. */
static void make_jumps(const double *of_step, const float *normals, double *jumps)
{
    const float *count = normals + 2 * PATH_DRAWS * PATH_LANES,
                *size = normals + 3 * PATH_DRAWS * PATH_LANES;
    double c[BATES_COEFFICIENTS];
    for (int i = 0; i < BATES_COEFFICIENTS; i++) c[i] = of_step[i];
    for (int l = 0; l < PATH_LANES; l++) {
        const double z[4] = {0.0, 0.0, (double)count[l], (double)size[l]};
        jumps[l] = bates_jumps(c, z);
    }
}

/* Begins with the variances of today. */
static void begin_moves(const struct group *groups, const struct shared_moves *shared,
                        double *variances)
{
    for (int w = 0; w < shared->n; w++) {
        const struct mover *mover = &shared->movers[w];
        double v = groups[mover->market].underlyings[mover->underlying].start.v;
        for (int l = 0; l < PATH_LANES; l++) SLOT(variances, w)[l] = v;
    }
}

/* Makes the moves of an underlying over the steps from `first` to before `end`, whose normals these
 * are. */
static void move_underlying(const struct group *group, int u, int first, int end, float *normals,
                            double *v, float *moves, double *jumps)
{
    const struct underlying *underlying = &group->underlyings[u];
    _Alignas(64) double w[PATH_LANES];
    for (int j = first; j < end; j++, moves += PATH_LANES, jumps += PATH_LANES) {
        const double *c =
            group->coefficients + (size_t)j * (size_t)group->width + underlying->coefficient;
        const float *z = of_step(group, 0, j - first, normals),
                    *own = of_step(group, underlying->factor, j - first, normals);
        if (group->n_underlyings > 1) correlate(group, u, z, w);
        else
            for (int l = 0; l < PATH_LANES; l++) w[l] = (double)own[l];
        make_moves(c, w, own, v, moves);
        if (underlying->model == MODEL_BATES) make_jumps(c, own, jumps);
    }
}

/* Moves the underlyings of a market over step j by the movers `of` them: `d` steps after the first
 * of the `n` whose moves are there. */
static void add_moves(const struct group *group, const int *of, int j, int d, int n,
                      const struct path_scratch *scratch, double *paths)
{
    const double *c = group->coefficients + (size_t)j * (size_t)group->width;
    for (int u = 0; u < group->n_underlyings; u++) {
        const double growth = c[group->underlyings[u].coefficient + HESTON_GROWTH];
        double *x = SLOT(paths, PATH_ROWS * u);
        if (of[u] < 0) continue;
        const float *move = scratch->moves + ((size_t)of[u] * (size_t)n + (size_t)d) * PATH_LANES;
        const double *jump = scratch->jumps + ((size_t)of[u] * (size_t)n + (size_t)d) * PATH_LANES;
        if (group->underlyings[u].model == MODEL_BATES)
            for (int l = 0; l < PATH_LANES; l++)
                x[l] = heston_moved(x[l], growth, (double)move[l]) + jump[l];
        else
            for (int l = 0; l < PATH_LANES; l++) x[l] = heston_moved(x[l], growth, (double)move[l]);
    }
}

#endif
