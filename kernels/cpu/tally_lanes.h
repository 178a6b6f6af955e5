/* From what the paths of a chunk remember to tallies: payoffs path by path, then strike strips.
 * Part of simulate.c, whose builds vectorise the loops over lanes. */
#ifndef PRICER_KERNELS_CPU_TALLY_LANES_H
#define PRICER_KERNELS_CPU_TALLY_LANES_H

#define PAYOFF(NAME, name, ...)                                                                    \
    static void values_##name(const struct payoff *payoff, const double *observed, double *values) \
    {                                                                                              \
        const struct payoff p = *payoff;                                                           \
        const double *a = observed + (size_t)p.rows[0] * CHUNK_PATHS;                              \
        const double *b = observed + (size_t)p.rows[1] * CHUNK_PATHS;                              \
        const double *c = observed + (size_t)p.rows[2] * CHUNK_PATHS;                              \
        _Pragma("GCC ivdep") for (int i = 0; i < CHUNK_PATHS; i++) values[i] =                     \
            name##_value(&p, a[i], b[i], c[i]);                                                    \
    }
#include "models/payoffs/formulas.def"
#undef PAYOFF

typedef void values_function(const struct payoff *, const double *, double *);

static values_function *const payoff_values[N_FORMULAS] = {
#define PAYOFF(NAME, name, ...) [FORMULA_##NAME] = values_##name,
#include "models/payoffs/formulas.def"
#undef PAYOFF
};

/* Returns the tally of a chunk's n values: CHUNK_PATHS, or PAIR_PATHS. */
static struct tally tally_values(const double *values, int n)
{
    _Alignas(64) double sum[TALLY_LANES] = {0}, squares[TALLY_LANES] = {0};
    double centre = values[0];
    for (int r = 0; r < n / TALLY_LANES; r++)
        for (int l = 0; l < TALLY_LANES; l++) {
            struct tally_sums lane = {sum[l], squares[l]};
            lane = tally_sums_take(lane, values[r * TALLY_LANES + l], centre);
            sum[l] = lane.sum;
            squares[l] = lane.squares;
        }
    for (int half = TALLY_LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) {
            sum[l] += sum[l + half];
            squares[l] += squares[l + half];
        }
    return tally_of_sums((struct tally_sums){sum[0], squares[0]}, centre, n);
}

/* Returns the tally of a chunk's values, of which antithetic ones become those of pairs. */
static struct tally tally_chunk(const struct plan *plan, const double *values)
{
    _Alignas(64) double pairs[PAIR_PATHS];
    if (!plan->antithetic) return tally_values(values, CHUNK_PATHS);
    for (int i = 0; i < PAIR_PATHS; i++) pairs[i] = tally_pair(values[i], values[PAIR_PATHS + i]);
    return tally_values(pairs, PAIR_PATHS);
}

/* ---- strike strips --------------------------------------------------------------------------- */

/* A bin as one vector: its three additions are one instruction. */
typedef double bin_vector __attribute__((vector_size(sizeof(struct strike_bin)), may_alias));

/* Adds the chunk's paths to the bins of one strike strip: strike_bin_add() of {1, D, D^2}. */
static void fill_bins(const struct strike_strip *strip, const double *observed,
                      struct strike_bin *bins)
{
    _Alignas(64) double spots[CHUNK_PATHS];
    _Alignas(64) int bin_of_path[CHUNK_PATHS]; /* cells, then bins: strike_bin_of() on every path */
    const double *x = observed + (size_t)strip->row * CHUNK_PATHS;
    const struct strike_strip l = *strip;
    for (int i = 0; i < CHUNK_PATHS; i++) spots[i] = path_exp2(x[i]);
    for (int i = 0; i < CHUNK_PATHS; i++) bin_of_path[i] = l.first[strip_cell(&l, x[i])];
    for (int d = 0; d < l.depth; d++)
        for (int i = 0; i < CHUNK_PATHS; i++)
            bin_of_path[i] += spots[i] > l.strikes[bin_of_path[i]];
    for (int i = 0; i < CHUNK_PATHS; i++) {
        double difference = spots[i] - l.centre;
        bin_vector *bin = (bin_vector *)&bins[bin_of_path[i]];
        *bin += (bin_vector){1.0, difference, difference * difference, 0.0};
    }
}

/* Tallies of a strip's payoffs over `paths` paths: puts and the like from the bins below their
 * strikes, then calls from those above, each added from the outermost bin inwards. */
static void tally_strip(const struct strike_strip *strip, const struct strike_bin *bins,
                        struct strike_bin *beyond, double paths, struct tally *tallies)
{
    for (int above = 0; above < 2; above++) {
        struct strike_bin sums = {0};
        for (int i = 0; i < strip->n_strikes; i++) { /* beyond[strike] */
            int strike = above ? strip->n_strikes - 1 - i : i;
            sums = strike_bin_add(sums, bins[above ? strike + 1 : strike]);
            beyond[strike] = sums;
        }
        for (int p = 0; p < strip->n_payoffs; p++)
            if (strip->payoffs[p].above == above)
                tallies[p] =
                    strip_tally(strip->payoffs[p], beyond[strip->payoffs[p].strike], paths);
    }
}

/* Adds the bins of the last chunks to those of the batch and empties them. */
static void close_tile(const struct group *group, struct strike_bin *bins)
{
    int n = group_bins(group);
    bin_vector *batch = (bin_vector *)bins, *tile = (bin_vector *)(bins + n);
    for (int b = 0; b < n; b++) {
        batch[b] += tile[b];
        tile[b] = (bin_vector){0};
    }
}

static void tally_strips(const struct group *group, struct path_scratch *scratch, double paths,
                         struct tally *tallies)
{
    struct strike_bin *bins = scratch->bins;
    for (int l = 0; l < group->n_strips; l++) {
        const struct strike_strip *strip = &group->strips[l];
        tally_strip(strip, bins, scratch->bins + 2 * group_bins(group), paths,
                    tallies + strip->first_payoff);
        bins += strip->n_strikes + 1;
    }
}

#endif
