/* Steps of PATH_LANES paths side by side under Heston, with Bates' jumps. Part of simulate.c, whose
 * builds vectorise the loops over lanes.
 *
 * A step is a long chain: root after division after root, each waiting for the one before. A
 * processor works on the next lanes meanwhile, but only on those that are near enough in its row of
 * instructions, and of a whole step these are two vectors. So a step is three loops with short
 * chains, one after the other over all lanes, and what they hand on stays in the nearest cache. */
#ifndef PRICER_KERNELS_CPU_HESTON_LANES_H
#define PRICER_KERNELS_CPU_HESTON_LANES_H

/* What the loops of a step hand on, [PATH_LANES] each. */
struct heston_lanes {
    /* The spot's own noise, v before the step; struct heston_prospect; struct heston_move */
    _Alignas(64) float w[PATH_LANES], v[PATH_LANES];
    int quadratic[PATH_LANES];
    float m[PATH_LANES], s2[PATH_LANES], a[PATH_LANES], alpha2[PATH_LANES], alpha[PATH_LANES];
    float drift[PATH_LANES], variance[PATH_LANES], z[PATH_LANES];
    const float *own, *other; /* noises, of the spot and the other one */
};

/* Makes what the quadratic-exponential scheme knows before its normals. Returns whether all lanes
 * allow its shorter form. */
static bool find_prospects(const double *c, const double *v, struct heston_lanes *lanes)
{
    int all = 1;
    for (int l = 0; l < PATH_LANES; l++) {
        const struct heston_prospect prospect = heston_prospect_of(c, (float)v[l]);
        all &= prospect.quadratic;
        lanes->v[l] = (float)v[l];
        lanes->m[l] = prospect.m;
        lanes->s2[l] = prospect.s2;
        lanes->quadratic[l] = prospect.quadratic;
        lanes->a[l] = prospect.a;
        lanes->alpha2[l] = prospect.alpha2;
        lanes->alpha[l] = prospect.alpha;
    }
    return all;
}

/* Makes the move of every lane; moves v, and clocks where there are any (else NULL). Each call has
 * one form and clocks or none: a loop with a branch is not vectorised. */
static inline __attribute__((always_inline)) void move_lanes(const double *c, const bool truncated,
                                                             const bool all, double *v,
                                                             double *clock,
                                                             struct heston_lanes *lanes)
{
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)
    {
        struct path_state s = {0.0, truncated ? v[l] : (double)lanes->v[l], 0.0};
        const struct heston_prospect known = {lanes->m[l], lanes->s2[l],     lanes->quadratic[l],
                                              lanes->a[l], lanes->alpha2[l], lanes->alpha[l],
                                              all};
        const float w = lanes->own[l], u = lanes->other[l];
        if (clock) s.clock = clock[l];
        const struct heston_move move = truncated
                                            ? heston_full_truncation(c, &s, w, u)
                                            : heston_quadratic_exponential(c, &known, &s, w, u);
        v[l] = s.v;
        if (clock) clock[l] = s.clock;
        lanes->drift[l] = move.drift;
        lanes->variance[l] = move.variance;
        lanes->z[l] = move.z;
    }
}

/* Makes what log2 S of every lane moves by in one step beside its growth, from its own noise
 * `first` where that is given (correlated with other assets) and its normals
 * [factor][PATH_DRAWS][PATH_LANES] from those of this step on. */
static void make_move_lanes(const double *step_coefficients, const double *first,
                            const float *normals, double *v, double *clock, float *moves)
{
    struct heston_lanes lanes;
    double c[HESTON_COEFFICIENTS];
    for (int i = 0; i < HESTON_COEFFICIENTS; i++) c[i] = step_coefficients[i];
    for (int l = 0; first && l < PATH_LANES; l++) lanes.w[l] = (float)first[l];
    lanes.own = first ? lanes.w : normals, lanes.other = normals + PATH_DRAWS * PATH_LANES;
    const bool truncated = heston_float(c, HESTON_SCHEME) == (float)HESTON_FULL_TRUNCATION;
    const bool all = !truncated && find_prospects(c, v, &lanes);
    if (truncated && clock) move_lanes(c, true, false, v, clock, &lanes);
    else if (truncated) move_lanes(c, true, false, v, NULL, &lanes);
    else if (all && clock) move_lanes(c, false, true, v, clock, &lanes);
    else if (all) move_lanes(c, false, true, v, NULL, &lanes);
    else if (clock) move_lanes(c, false, false, v, clock, &lanes);
    else move_lanes(c, false, false, v, NULL, &lanes);
    for (int l = 0; l < PATH_LANES; l++) {
        const struct heston_move move = {lanes.drift[l], lanes.variance[l], lanes.z[l]};
        moves[l] = heston_moved_by(&move);
    }
}

/* Makes the jumps of one step under Bates, of the same. */
static void make_jumps(const double *step_coefficients, const float *normals, double *jumps)
{
    const float *count = normals + 2 * PATH_DRAWS * PATH_LANES,
                *size = normals + 3 * PATH_DRAWS * PATH_LANES;
    double c[BATES_COEFFICIENTS];
    for (int i = 0; i < BATES_COEFFICIENTS; i++) c[i] = step_coefficients[i];
    for (int l = 0; l < PATH_LANES; l++) {
        const double z[4] = {0.0, 0.0, (double)count[l], (double)size[l]};
        jumps[l] = bates_jumps(c, z);
    }
}

/* Takes a step under Heston or Bates. */
static void step_heston_lanes(enum model model, const double *step_coefficients,
                              const double *first, const float *normals, bool keeps, double *path)
{
    _Alignas(64) float moves[PATH_LANES];
    _Alignas(64) double jumps[PATH_LANES];
    const double growth = step_coefficients[HESTON_GROWTH];
    make_move_lanes(step_coefficients, first, normals, path + ROW_V * PATH_LANES,
                    keeps ? path + ROW_CLOCK * PATH_LANES : NULL, moves);
    for (int l = 0; l < PATH_LANES; l++) path[l] = heston_moved(path[l], growth, (double)moves[l]);
    if (model != MODEL_BATES) return;
    make_jumps(step_coefficients, normals, jumps);
    for (int l = 0; l < PATH_LANES; l++) path[l] += jumps[l];
}

#endif
