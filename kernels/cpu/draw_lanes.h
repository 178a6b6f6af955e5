/* Random numbers of PATH_LANES paths side by side: words, normals, indices, from Philox blocks or
 * Sobol points. Part of simulate.c, whose builds vectorise the loops over lanes. */
#ifndef PRICER_KERNELS_CPU_DRAW_LANES_H
#define PRICER_KERNELS_CPU_DRAW_LANES_H

/* Draws the words of one Philox block for PATH_LANES paths from first_path on. */
static void draw_words(uint64_t seed, uint64_t first_path, uint32_t stream, uint32_t block,
                       uint32_t (*words)[PATH_LANES])
{
#if defined PRICER_NORMALS_AVX512
    draw_words_avx512(seed, first_path, stream, block, PATH_LANES, &words[0][0]);
#else
    uint32_t path_low = (uint32_t)first_path, path_high = (uint32_t)(first_path >> 32);
    for (uint32_t l = 0; l < PATH_LANES; l++) {
        struct philox_words counter = {block, stream, path_low + l, path_high};
        struct philox_words w = philox4x32_10(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
        words[0][l] = w.word0;
        words[1][l] = w.word1;
        words[2][l] = w.word2;
        words[3][l] = w.word3;
    }
#endif
}

/* Draws the four normals of one Philox block for PATH_LANES paths from first_path on (a multiple of
 * PATH_LANES). */
static void draw_block(uint64_t seed, uint64_t first_path, uint32_t stream, uint32_t block,
                       float (*normals)[PATH_LANES])
{
#if defined PRICER_NORMALS_AVX512
    draw_block_avx512(seed, first_path, stream, block, PATH_LANES, &normals[0][0]);
#elif defined PRICER_NORMALS_AVX2
    draw_block_avx2(seed, first_path, stream, block, PATH_LANES, &normals[0][0]);
#else
    uint32_t words[PATH_DRAWS][PATH_LANES];
    draw_words(seed, first_path, stream, block, words);
    const uint32_t *flat = &words[0][0];
    float *out = &normals[0][0];
    for (int i = 0; i < PATH_DRAWS * PATH_LANES; i++)
        out[i] = normal_from_bits(flat[i], normal_cubic);
#endif
}

/* Makes normals of PATH_LANES words. */
static void normals_of_words(const uint32_t *words, float *normals)
{
#if defined PRICER_NORMALS_AVX512
    normals_from_bits_avx512(words, normals, PATH_LANES);
#elif defined PRICER_NORMALS_AVX2
    for (int l = 0; l < PATH_LANES; l += 8)
        _mm256_storeu_ps(normals + l,
                         normals_avx2(_mm256_loadu_si256((const __m256i *)(words + l))));
#else
    for (int l = 0; l < PATH_LANES; l++) normals[l] = normal_from_bits(words[l], normal_cubic);
#endif
}

/* ---- Sobol points, and the normals of their steps over the bridge ---------------------------- */

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

/* Tells whether the paths have the normals of the half before them, turned round: of antithetic
 * paths the later half of a chunk has. */
static bool turned(const struct plan *plan, uint64_t first_path)
{
    return plan->antithetic && (first_path & PAIR_PATHS);
}

/* Draws the four normals of one Philox block of the paths' own. */
static void draw_normal_lanes(const struct plan *plan, uint64_t first_path, uint32_t stream,
                              uint32_t block, float (*normals)[PATH_LANES])
{
    bool turn = turned(plan, first_path);
    draw_block(plan->seed, turn ? first_path - PAIR_PATHS : first_path, stream, block, normals);
    float *z = &normals[0][0];
    for (int i = 0; turn && i < PATH_DRAWS * PATH_LANES; i++) z[i] = -z[i];
}

/* Draws the words of the first factor of steps 4 block .. 4 block + 3 of an underlying. */
static void draw_step_words(const struct plan *plan, const struct group *group,
                            const struct underlying *underlying, uint64_t first_path, int block,
                            uint32_t (*words)[PATH_LANES])
{
    bool turn = turned(plan, first_path);
    int factor = factor_number(group, underlying, 0);
    for (int d = 0; plan->points && d < PATH_DRAWS; d++)
        point_words(plan, (PATH_DRAWS * block + d) * group->n_factors + factor, first_path,
                    words[d]);
    if (plan->points) return;
    draw_words(plan->seed, turn ? first_path - PAIR_PATHS : first_path,
               factor_stream(underlying, 0), (uint32_t)block, words);
    uint32_t *word = &words[0][0];
    for (int i = 0; turn && i < PATH_DRAWS * PATH_LANES; i++) word[i] = ~word[i];
}

/* Draws the indices of steps 4 block .. 4 block + 3 in the place of normals: historical.h. The
 * last of the four are those of the step before. */
static void draw_index_lanes(const struct plan *plan, const struct group *group,
                             const struct underlying *underlying, uint64_t first_path, int block,
                             float (*indices)[PATH_LANES])
{
    const float *before = indices[PATH_DRAWS - 1];
    uint32_t words[PATH_DRAWS][PATH_LANES];
    bool drawn = false;
    for (int d = 0; d < PATH_DRAWS && PATH_DRAWS * block + d < group->n_steps;
         before = indices[d++]) {
        const double *c = group->coefficients + underlying->coefficient +
                          (size_t)(PATH_DRAWS * block + d) * (size_t)group->width;
        const float last = (float)c[HISTORICAL_LAST];
        float *index = indices[d];
        if (c[HISTORICAL_TURN] == HISTORICAL_START) {
            if (!drawn) draw_step_words(plan, group, underlying, first_path, block, words);
            drawn = true;
            for (int l = 0; l < PATH_LANES; l++) index[l] = historical_start(words[d][l], last);
        } else if (c[HISTORICAL_TURN] == HISTORICAL_NEXT) {
            for (int l = 0; l < PATH_LANES; l++) index[l] = historical_next(before[l], last);
        } else {
            for (int l = 0; l < PATH_LANES; l++) index[l] = before[l];
        }
    }
}

/* Draws the normals of every step from Sobol points. */
static void draw_points(const struct plan *plan, const struct group *group, uint64_t first_path,
                        float *normals)
{
    int blocks = (group->n_steps + PATH_DRAWS - 1) / PATH_DRAWS;
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *underlying = &group->underlyings[u];
        const float *before = NULL; /* the first step starts */
        for (int b = 0; draws_indices(underlying) && b < blocks; b++) {
            float *block_normals = step_normals(group, underlying->factor, b * PATH_DRAWS, normals);
            float *last = block_normals + (PATH_DRAWS - 1) * PATH_LANES;
            if (b > 0) memcpy(last, before, sizeof(float) * PATH_LANES);
            draw_index_lanes(plan, group, underlying, first_path, b,
                             (float(*)[PATH_LANES])block_normals);
            before = last;
        }
        for (int f = 0; !draws_indices(underlying) && f < model_factors(underlying->model); f++)
            bridge_factor(plan, group, first_path, underlying->factor + f, normals);
    }
}

/* Draws the normals of steps 4 block .. 4 block + 3. */
static void draw_steps(const struct plan *plan, const struct group *group, uint64_t first_path,
                       int block, float *normals)
{
    for (int u = 0; u < group->n_underlyings; u++)
        for (int f = 0; f < model_factors(group->underlyings[u].model); f++) {
            float *factor_normals =
                normals + (size_t)(group->underlyings[u].factor + f) * PATH_DRAWS * PATH_LANES;
            if (draws_indices(&group->underlyings[u])) {
                draw_index_lanes(plan, group, &group->underlyings[u], first_path, block,
                                 (float(*)[PATH_LANES])factor_normals);
                continue;
            }
            draw_normal_lanes(plan, first_path, factor_stream(&group->underlyings[u], f),
                              (uint32_t)block, (float(*)[PATH_LANES])factor_normals);
        }
}

/* Returns the normals of the steps from `first` to before `end`, `first` a multiple of PATH_DRAWS:
 * those of points are there, others are drawn. */
static float *normals_from(const struct plan *plan, const struct group *group, uint64_t first_path,
                           int first, int end, float *normals)
{
    if (plan->points) return step_normals(group, 0, first, normals);
    for (int j = first; j < end; j += PATH_DRAWS)
        draw_steps(plan, group, first_path, j / PATH_DRAWS,
                   step_normals(group, 0, j - first, normals));
    return normals;
}

/* Draws block `block` of the normals of bridges between dates. */
static void draw_bridges(const struct plan *plan, const struct group *group, uint64_t first_path,
                         uint32_t block, float (*bridges)[PATH_LANES])
{
    int dimension = group->n_steps * group->n_factors + PATH_DRAWS * (int)block;
    uint32_t stream = (uint32_t)group->underlyings[0].asset | BRIDGE_STREAM;
    for (int d = 0; plan->points && d < PATH_DRAWS; d++)
        point_normals(plan, dimension + d, first_path, bridges[d]);
    if (!plan->points) draw_normal_lanes(plan, first_path, stream, block, bridges);
}

#endif
