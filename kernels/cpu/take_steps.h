/* Steps of PATH_LANES paths side by side: every model, correlated normals, cash dividends. Part of
 * simulate.c, whose builds vectorise the loops over lanes. */
#ifndef PRICER_KERNELS_CPU_TAKE_STEPS_H
#define PRICER_KERNELS_CPU_TAKE_STEPS_H

#include "kernels/cpu/heston_lanes.h"

/* NAME_step() on every lane. Normals are [factor][PATH_DRAWS][PATH_LANES] from those of this step
 * on, the first of them in place of `first` where that is given (correlated with other assets). */
#define STEP_LANES(name, factors, FIRST)                                                           \
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)                                      \
    {                                                                                              \
        struct path_state s = {path[l], 0.0, 0.0};                                                 \
        double z[factors];                                                                         \
        z[0] = (double)FIRST[l];                                                                   \
        for (int f = 1; f < factors; f++) z[f] = (double)normals[f * PATH_DRAWS * PATH_LANES + l]; \
        if (varies) s.v = path[ROW_V * PATH_LANES + l];                                            \
        if (keeps) s.clock = path[ROW_CLOCK * PATH_LANES + l];                                     \
        name##_step(c, table, &s, z);                                                              \
        path[l] = s.x;                                                                             \
        if (varies) path[ROW_V * PATH_LANES + l] = s.v;                                            \
        if (keeps) path[ROW_CLOCK * PATH_LANES + l] = s.clock;                                     \
    }

#define MODEL(NAME, name, factors, coefficients, traits, ...)                                      \
    static void step_##name(const double *step_coefficients, const float *table,                   \
                            const double *first, const float *normals, bool clocked, double *path) \
    {                                                                                              \
        const bool varies = ((traits)&REMEMBERS_VARIANCE) != 0;                                    \
        const bool keeps = ((traits)&REMEMBERS_CLOCK) && clocked;                                  \
        double c[coefficients];                                                                    \
        for (int i = 0; i < coefficients; i++) c[i] = step_coefficients[i];                        \
        if (MODEL_##NAME == MODEL_HESTON || MODEL_##NAME == MODEL_BATES) {                         \
            step_heston_lanes(MODEL_##NAME, step_coefficients, first, normals, keeps, path);       \
            return;                                                                                \
        }                                                                                          \
        if (first) {                                                                               \
            STEP_LANES(name, factors, first)                                                       \
        } else {                                                                                   \
            STEP_LANES(name, factors, normals)                                                     \
        }                                                                                          \
    }
#include "models/dynamics/models.def"
#undef MODEL

typedef void step_function(const double *, const float *, const double *, const float *, bool,
                           double *);

static step_function *const steps[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients, ...) [MODEL_##NAME] = step_##name,
#include "models/dynamics/models.def"
#undef MODEL
};

/* Makes the normals of one step's spot of underlying u, correlated with those before it. */
static void correlate(const struct group *group, int u, const float *normals, double *w)
{
    const double *loading = group->loadings + (size_t)u * (size_t)group->n_underlyings;
    for (int i = 0; i <= u; i++) {
        const float *z = normals + (size_t)group->underlyings[i].factor * PATH_DRAWS * PATH_LANES;
        double weight = loading[i];
        if (i == 0)
            for (int l = 0; l < PATH_LANES; l++) w[l] = weight * (double)z[l];
        else
            for (int l = 0; l < PATH_LANES; l++) w[l] = fma(weight, (double)z[l], w[l]);
    }
}

/* Takes step j of every underlying but those that are `still`, if any; `normals` are those of this
 * step. Clocks run where something reads them. */
static void step_lanes(const struct group *group, int j, const float *normals, bool clocked,
                       const bool *still, double *paths)
{
    _Alignas(64) double w[PATH_LANES];
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *underlying = &group->underlyings[u];
        const double *c =
            group->coefficients + (size_t)j * (size_t)group->width + underlying->coefficient;
        bool alone = group->n_underlyings == 1;
        if (still && still[u]) continue;
        if (!alone) correlate(group, u, normals, w);
        steps[underlying->model](c, group->lookup.table, alone ? NULL : w,
                                 normals + (size_t)underlying->factor * PATH_DRAWS * PATH_LANES,
                                 clocked, SLOT(paths, PATH_ROWS * u));
    }
}

static void pay_dividend(const struct dividend *dividend, double *paths)
{
    double amount = dividend->amount, *x = SLOT(paths, PATH_ROWS * dividend->underlying);
    for (int l = 0; l < PATH_LANES; l++) x[l] = after_dividend(x[l], amount);
}

/* Tells whether an observation of the group reads its underlying's clock. */
static bool reads_clock(const struct group *group)
{
    for (int i = 0; i < group->n_observations; i++)
        if (observation_reads(group->observations[i].kind) & READS_CLOCK) return true;
    return false;
}

/* Begins PATH_LANES paths: where they are today, and what they remember. */
static void begin_lanes(const struct group *group, double *paths, double *state)
{
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct path_state *start = &group->underlyings[u].start;
        double *path = SLOT(paths, PATH_ROWS * u);
        for (int l = 0; l < PATH_LANES; l++) {
            path[ROW_X * PATH_LANES + l] = start->x;
            path[ROW_V * PATH_LANES + l] = start->v;
            path[ROW_CLOCK * PATH_LANES + l] = start->clock;
        }
    }
    for (int s = 0; s < group->n_slots; s++)
        for (int l = 0; l < PATH_LANES; l++) SLOT(state, s)[l] = group->initial[s];
}

#endif
