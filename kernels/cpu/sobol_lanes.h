/* Sobol points for PATH_LANES paths side by side, and the normals of their steps over the bridge.
 * Part of simulate.c, whose builds vectorise the loops over lanes. */
#ifndef PRICER_KERNELS_CPU_SOBOL_LANES_H
#define PRICER_KERNELS_CPU_SOBOL_LANES_H

/* Makes the words of one dimension for the points from that of first_path (a multiple of
 * PATH_LANES) on. */
static void point_words(const struct plan *plan, int dimension, uint64_t first_path,
                        uint32_t *words)
{
    if (dimension >= plan->points->n) {
        uint32_t drawn[PATH_DRAWS][PATH_LANES];
        draw_words(plan->seed, first_path, PADDING_STREAM, (uint32_t)(dimension / PATH_DRAWS),
                   drawn);
        memcpy(words, drawn[dimension % PATH_DRAWS], sizeof drawn[0]);
        return;
    }
    const struct sobol_dimension *sobol = &plan->points->dimensions[dimension];
    words[0] = sobol_word(sobol, (uint32_t)first_path);
    for (int b = 0; 1 << b < PATH_LANES; b++)
        for (int l = 0; l < 1 << b; l++) words[(1 << b) + l] = words[l] ^ sobol->vectors[b];
}

/* Makes the normals of one dimension. */
static void point_normals(const struct plan *plan, int dimension, uint64_t first_path,
                          float *normals)
{
    _Alignas(64) uint32_t words[PATH_LANES];
    point_words(plan, dimension, first_path, words);
    normals_of_words(words, normals);
}

/* Returns where the normals of a factor in step j stand in [block of
 * steps][factor][PATH_DRAWS][PATH_LANES]. */
static float *step_normals(const struct group *group, int factor, int j, float *normals)
{
    size_t row = (size_t)(j / PATH_DRAWS) * (size_t)group->n_factors + (size_t)factor;
    return normals + (row * PATH_DRAWS + (size_t)(j % PATH_DRAWS)) * PATH_LANES;
}

/* Makes the normals of every step of one factor (kernels/bridge.h). */
static void bridge_factor(const struct plan *plan, const struct group *group, uint64_t first_path,
                          int factor, float *normals)
{
    _Alignas(64) double stack[BRIDGE_DEPTH][PATH_LANES], passed[PATH_LANES] = {0};
    _Alignas(64) float drawn[PATH_LANES];
    int depth = 0, step = 0;
    for (const struct bridge_node *p = group->bridge.nodes;
         p < group->bridge.nodes + group->bridge.n; p++) {
        const struct bridge_node node = *p;
        const double *top = depth ? stack[depth - 1] : passed;
        double *known = stack[depth++];
        point_normals(plan, node.rank * group->n_factors + factor, first_path, drawn);
        for (int l = 0; l < PATH_LANES; l++)
            known[l] = bridge_value(&node, passed[l], top[l], (double)drawn[l]);
        for (int i = 0; i < node.passes; i++, step++) {
            const double scale = group->bridge.scales[step], *next = stack[--depth];
            float *to = step_normals(group, factor, step, normals);
            for (int l = 0; l < PATH_LANES; l++) {
                to[l] = bridge_normal(scale, passed[l], next[l]);
                passed[l] = next[l];
            }
        }
    }
}

#endif
