/* Sobol points for WALK_LANES paths side by side, and the normals of their steps over the bridge. Part of
 * walk.c, whose builds vectorise the loops over lanes. */
#ifndef PRICER_KERNELS_CPU_POINTS_H
#define PRICER_KERNELS_CPU_POINTS_H

/* Words of one dimension for the points from that of first_path (a multiple of WALK_LANES) on. */
static void point_words(const struct plan *plan, int dimension, uint64_t first_path, uint32_t *words)
{
    if (dimension >= plan->points->n) {
        uint32_t drawn[WALK_DRAWS][WALK_LANES];
        draw_words(plan->seed, first_path, PADDING_STREAM, (uint32_t)(dimension / WALK_DRAWS), drawn);
        memcpy(words, drawn[dimension % WALK_DRAWS], sizeof drawn[0]);
        return;
    }
    const struct sobol_dimension *of = &plan->points->dimensions[dimension];
    words[0] = sobol_word(of, (uint32_t)first_path);
    for (int b = 0; 1 << b < WALK_LANES; b++)
        for (int l = 0; l < 1 << b; l++) words[(1 << b) + l] = words[l] ^ of->vectors[b];
}

/* Normals of one dimension. */
static void point_normals(const struct plan *plan, int dimension, uint64_t first_path, float *normals)
{
    _Alignas(64) uint32_t words[WALK_LANES];
    point_words(plan, dimension, first_path, words);
    normals_of_words(words, normals);
}

/* Where the normals of a factor in step j stand in [block of steps][factor][WALK_DRAWS][WALK_LANES]. */
static float *of_step(const struct group *group, int factor, int j, float *normals)
{
    size_t row = (size_t)(j / WALK_DRAWS) * (size_t)group->n_factors + (size_t)factor;
    return normals + (row * WALK_DRAWS + (size_t)(j % WALK_DRAWS)) * WALK_LANES;
}

/* The normals of every step of one factor (kernels/bridge.h). */
static void bridge_factor(const struct plan *plan, const struct group *group, uint64_t first_path, int factor,
                          float *normals)
{
    _Alignas(64) double stack[BRIDGE_DEPTH][WALK_LANES], passed[WALK_LANES] = {0};
    _Alignas(64) float drawn[WALK_LANES];
    int depth = 0, step = 0;
    for (const struct bridge_place *p = group->bridge.places; p < group->bridge.places + group->bridge.n;
         p++) {
        const struct bridge_place place = *p;
        const double *top = depth ? stack[depth - 1] : passed;
        double *placed = stack[depth++];
        point_normals(plan, place.rank * group->n_factors + factor, first_path, drawn);
        for (int l = 0; l < WALK_LANES; l++)
            placed[l] = bridge_value(&place, passed[l], top[l], (double)drawn[l]);
        for (int i = 0; i < place.passes; i++, step++) {
            const double scale = group->bridge.scales[step], *next = stack[--depth];
            float *to = of_step(group, factor, step, normals);
            for (int l = 0; l < WALK_LANES; l++) {
                to[l] = bridge_normal(scale, passed[l], next[l]);
                passed[l] = next[l];
            }
        }
    }
}

#endif
