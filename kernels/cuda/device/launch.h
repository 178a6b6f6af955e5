/* What the host part of the CUDA engine (C) and the kernels (CUDA C) say to each other. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_LAUNCH_H
#define PRICER_KERNELS_CUDA_DEVICE_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda/device/shape_contract.h"
#include "kernels/plan.h"
#include "models/math/philox.h"
#include "models/math/tally.h"

#ifdef __cplusplus
#define PRICER_C extern "C"
#else
#define PRICER_C
#endif

/* The most blocks that CUDA takes as a grid's second number. */
enum { GRID_SECOND_MOST = 65535 };

/* The register sum of a group: the sum that is observed at every step from the first on, the
 * longest such. Kernels keep it in a register, and its observations are not among the group's on
 * the device. steps is 0 where there is none. */
struct register_sum {
    int steps, slot, row;
    double initial;
};

/* The facts of a launch; filled where the host asks for it. */
struct launch_facts {
    int registers, shared_bytes, block;
    double occupancy;
};

/* Finds them for blocks of so many threads, with so many bytes of dynamic shared memory. */
PRICER_C cudaError_t find_launch_facts(const void *kernel, int block, size_t shared,
                                       struct launch_facts *facts);

/* One asset of a group of several, as the device has it: 16 bytes. */
struct device_underlying {
    int model, factor, coefficient; /* as in struct underlying */
    int unused;                     /* makes it one 16-byte load */
};

/* The Sobol points that a group's normals come from, in device memory. */
struct launch_points {
    const struct sobol_dimension *dimensions; /* [n]; NULL: Philox draws them */
    int n, n_steps;
    const struct bridge_node *nodes; /* [n_steps] */
    const double *scales;            /* [n_steps] */
};

/* One launch of a path kernel: `paths` paths of a group from `first_path` on. All pointers are
 * device memory. */
struct path_launch {
    /* [step] of a group that is simulated plainly: read as double2 */
    const struct gaussian_step *steps;
    /* [observation] packed (PACKED_STEP_SHIFT), and one more of no step */
    const struct observation *observations;
    const double *initial;        /* [slot] */
    const struct result *results; /* [result] */
    /* [step and factor, then bridge][path] of doubles; of floats as path code reads them */
    const void *normals;
    double *observed; /* [row][path] */
    struct register_sum register_sum;
    struct path_state start; /* of the first asset, today */
    size_t paths;            /* a multiple of CHUNK_PATHS */
    uint64_t first_path, seed;
    struct philox_keys keys; /* of the seed: a kernel reads them as constants */
    uint32_t stream;         /* Philox stream of the group's first asset */
    int n_steps, n_slots, n_results;
    int bridge_row; /* first row, or four, of `normals` that is a bridge's */

    /* what other groups than plain ones need */
    const double *coefficients;                  /* [step][width], aligned to 16 bytes */
    const float *table;                          /* the group's lookup */
    const struct dividend *dividends;            /* [dividend], and one more of no step */
    const struct device_underlying *underlyings; /* [underlying] */
    const struct path_state *starts;             /* [underlying] */
    const double *loadings;                      /* [underlying / LOADINGS][underlying][LOADINGS] */
    enum model model;                            /* of the first asset */
    int n_underlyings, n_factors, width;
    int state_width; /* doubles of a path_state that a path keeps: 1, x alone, or 3 */

    bool antithetic; /* normals are drawn in pairs of paths (kernels/plan.h), and by these points */
    struct launch_points points;

    struct launch_facts *facts; /* host memory, filled by the launch; may be NULL */
};

/* On the device the first 32 bits of an observation are its kind, its underlying and its step, from
 * these bits on; so a path needs no table of steps. */
enum {
    PACKED_UNDERLYING_SHIFT = 6,
    PACKED_STEP_SHIFT = 11,
    PACKED_STEPS_MAX = (1 << (32 - PACKED_STEP_SHIFT)) - 2
};

/* Loadings are kept by tiles of so many underlyings: those of one tile on one normal lie
 * together. */
enum { LOADINGS = 4 };

/* The state that a path kernel keeps for a group: template argument RECORD, a sum of these. */
enum record {
    RECORD_SUM = 1, /* a register sum over every step */
    /* Observables in shared memory, changed by the observations of each step */
    RECORD_OBSERVATIONS = 2
};

/* Every path kernel is launched by a function of this kind, with `block` threads a block (0: its
 * own choice). */
typedef cudaError_t path_launch_function(const struct path_launch *path_launch, enum record record,
                                         int block, cudaStream_t stream);

/* The classes of groups: one asset under Black and Scholes; one asset under another model, or with
 * cash dividends; several assets. A rung has a launch for each. */
enum group_class { GROUP_PLAIN, GROUP_MODEL, GROUP_MULTI_ASSET, N_GROUP_CLASSES };

#define RUNG(name, idea, width, plain, model, multi_asset)                                         \
    PRICER_C path_launch_function launch_##plain;
#include "kernels/cuda/rungs/rungs.def"
#undef RUNG

PRICER_C path_launch_function launch_model_baseline;
PRICER_C path_launch_function launch_model_plain;
PRICER_C path_launch_function launch_model_gather;
PRICER_C path_launch_function launch_multi_asset_baseline;
PRICER_C path_launch_function launch_multi_asset_plain;

/* Where the normals of one factor lie among stored ones: that of step j in row first + j * stride
 * of doubles, or in the fours first + j / NORMALS_TOGETHER * stride of floats
 * (kernels/cuda/device/normals.cu). */
struct normal_place {
    int first, stride;
};

/* Fills a place with normals, `width` bytes each, float or double: draws 0 .. rows - 1 of a Philox
 * stream of each path of the launch, and the places behind with those of the streams of its next
 * factors, n_factors in all. Antithetic: of the later half of each chunk they are those of the half
 * before, negated. */
PRICER_C cudaError_t draw_normals(void *normals, int width, struct normal_place place, int rows,
                                  int n_factors, uint32_t philox_stream,
                                  const struct path_launch *path_launch, cudaStream_t stream);

/* Fills a place with the indices of an asset whose coefficients of step j are at coefficients + j *
 * width in device memory: models/dynamics/historical.h. Its words are draws of a Philox stream or,
 * of step j, the launch's points in the number `dimension` of those of the step. */
PRICER_C cudaError_t draw_indices(void *indices, int width, struct normal_place place,
                                  int dimension, const struct path_launch *path_launch,
                                  uint32_t philox_stream, const double *coefficients,
                                  cudaStream_t stream);

/* Fills the place of a factor with the normals that the launch's points give over their bridge. */
PRICER_C cudaError_t draw_bridge(void *normals, int width, struct normal_place place, int factor,
                                 const struct path_launch *path_launch, cudaStream_t stream);

/* Fills a place with the normals of n dimensions from `dimension` on. */
PRICER_C cudaError_t draw_dimensions(void *normals, int width, struct normal_place place,
                                     int dimension, int n, const struct path_launch *path_launch,
                                     cudaStream_t stream);

/* The moves of one underlying of type Heston under one market: what its steps add to log2 S beside
 * the growth, which several markets may share (kernels/shared_moves.h). Pointers are
 * device memory. */
struct device_mover {
    const double *coefficients; /* of the first step: the underlying's own, */
    int width;                  /* and those of the next are so many further on */
    int underlying;             /* number u: its noise is of the underlyings 0 to u */
    double variance;            /* today */
    double loadings[UNDERLYINGS_MAX];
};

/* Makes the moves [mover][steps / NORMALS_TOGETHER][path][NORMALS_TOGETHER] of so many movers,
 * which are in the order of their underlyings: those of steps past the last are 0. The launch's
 * normals are floats, of two factors an underlying. */
PRICER_C cudaError_t make_moves(const struct device_mover *movers, int n_movers,
                                const struct path_launch *path_launch, float *moves,
                                cudaStream_t stream);

/* Paths of a block that looks back one by one. */
enum { LOOK_BLOCK = 128, WARP_LANES = 32 };

/* Returns how many chains a warp takes at a time on tiles of so many paths, and so a set has. */
HOST_DEVICE int look_set_width(int tile_paths)
{
    return WARP_LANES / tile_paths;
}

/* Chains of one observable of one kind, and of one that reads it on each of its dates, that have
 * code of their own: ROW(KIND, kind of the reader; N_OBSERVATION_KINDS: none). */
#define LOOK_KINDS(ROW)                                                                            \
    ROW(OBSERVATION_SUM, N_OBSERVATION_KINDS)                                                      \
    ROW(OBSERVATION_LOG_SUM, N_OBSERVATION_KINDS)                                                  \
    ROW(OBSERVATION_HIGH, N_OBSERVATION_KINDS)                                                     \
    ROW(OBSERVATION_LOW, N_OBSERVATION_KINDS)                                                      \
    ROW(OBSERVATION_BRIDGE_HIGH, N_OBSERVATION_KINDS)                                              \
    ROW(OBSERVATION_BRIDGE_LOW, N_OBSERVATION_KINDS)                                               \
    ROW(OBSERVATION_RETURNS, N_OBSERVATION_KINDS)                                                  \
    ROW(OBSERVATION_SQUARES, N_OBSERVATION_KINDS)                                                  \
    ROW(OBSERVATION_FENCE, N_OBSERVATION_KINDS)                                                    \
    ROW(OBSERVATION_FENCE, OBSERVATION_PAY_ON_DATE)                                                \
    ROW(OBSERVATION_BARRIER, N_OBSERVATION_KINDS)                                                  \
    ROW(OBSERVATION_BARRIER, OBSERVATION_PAY_AT_HIT)                                               \
    ROW(OBSERVATION_STRIP, N_OBSERVATION_KINDS)                                                    \
    ROW(OBSERVATION_STRIP, OBSERVATION_PAY_AT_HIT)                                                 \
    ROW(OBSERVATION_MARGIN, N_OBSERVATION_KINDS)                                                   \
    ROW(OBSERVATION_REST, N_OBSERVATION_KINDS)

#define LOOK_NUMBER(KIND, READER) ((KIND) << 8 | (READER))

/* Chains of one row of LOOK_KINDS, as many as a set has at most, on the device: numbers of a chain
 * beside those of the next. Rows are those of the tile; places without a chain have no dates. */
struct look_set {
    int kind, reader;      /* enum observation_kind */
    int n, most;           /* chains; dates of one of them at most */
    const int *dates;      /* [chain] how many */
    const int *x;          /* [date][chain] */
    const int *drawn;      /* [date][2][chain], of kinds that draw */
    const double *c;       /* [date][coefficient of the kind, then of the reader][chain] */
    const double *initial; /* [slot, likewise][chain] */
    const int *rows;       /* [2][chain] where the first slots go, among all rows */
};

/* Kinds of a clock that have code of their own where a chain is one such observable: ROW(KIND). */
#define EXTREME_LOOK_KINDS(ROW) ROW(OBSERVATION_CLOCK_HIGH) ROW(OBSERVATION_CLOCK_LOW)

/* Chains that are in no set: those of a survival set of the group, or any other, alone. */
enum { SURVIVAL = -2, ANY_KINDS = -1 };

struct lone_chains {
    int kind; /* of EXTREME_LOOK_KINDS; SURVIVAL, ANY_KINDS */
    int n;
    struct chain chains[CHAINS_TOGETHER];
    struct alive_between limits[CHAINS_TOGETHER]; /* of a survival set */
};

/* A row of a tile that payoffs or programs read too. */
struct written_row {
    int in_tile, row;
};

/* The looks of a group, on the device. */
struct device_looks {
    /* Whether the tile is simulated where it is looked at: then its rows are the steps, then the
     * normals of the bridges between them, and nothing is read but what these take */
    bool simulates;
    int n_drawn; /* of these normals */
    int n_written;
    const struct written_row *written; /* [n_written] */
    const struct look_set *sets;       /* [n_sets] the dearest first */
    const int *tile_rows;              /* [n_tile_rows] the rows that the sets read */
    int n_sets, n_tile_rows, tile_paths;
    /* chains that are in no set, and what they name */
    int n_lone, n_slots; /* the most of one chain */
    const struct lone_chains *lone;
    const struct look *looks;
    const double *initial;
    const struct result *results;
    int n_gates;
    const struct gate *gates;
};

/* Returns the bytes of the rows of a tile's paths; one more path keeps lanes from one bank. */
static inline size_t look_tile_bytes(int n_rows, int paths)
{
    return sizeof(double) * (size_t)n_rows * (size_t)(paths + 1);
}

/* Looks back at all paths of a launch, which it may have to simulate first, and writes the rows of
 * the chains, then those of the gates. */
PRICER_C cudaError_t look_back(const struct device_looks *looks,
                               const struct path_launch *path_launch, cudaStream_t stream);

/* Runs programs as they stand. */
PRICER_C cudaError_t interpret_programs(const struct program_launch *launch, int n_registers,
                                        cudaStream_t stream);

/* Makes n rows of prices, which programs read; `prices` is device memory. */
PRICER_C cudaError_t make_prices(const struct price_row *prices, int n, double *observed,
                                 size_t paths, cudaStream_t stream);

/* Values the first n_single payoffs on every path, or every antithetic pair, and writes their batch
 * tallies into [batch][n_payoffs]; `chunk_tallies` [chunk][n_single] is working memory. The
 * launch's first path begins a batch. */
PRICER_C cudaError_t value_payoffs(const struct payoff *payoffs, int n_single, int n_payoffs,
                                   const double *observed, size_t paths, bool antithetic,
                                   struct tally *chunk_tallies, struct tally *batch_tallies,
                                   cudaStream_t stream);

/* The payoffs of a scenario set, on the device. */
struct scenario_set_values {
    int n_contrasts, n_payoffs, n_totals;
    const struct payoff *payoffs[MARKETS_MAX]; /* [scenario][payoff] */
    const double *observed[MARKETS_MAX];       /* [scenario] rows of its group's own, [row][path] */
    const struct contrast *contrasts;          /* [contrast] */
    const int *totals;                         /* [payoff] that it is counted in, or -1 */
    const double *quantities;                  /* [payoff] */
    size_t paths;
};

/* Takes every contrast of every payoff on every path and writes tallies
 * [chunk][contrast][payoff]. */
PRICER_C cudaError_t value_scenario_set(const struct scenario_set_values *values,
                                        struct tally *chunk_tallies, cudaStream_t stream);

/* Merges them, n of each chunk, into those of batches; the first chunk begins a batch. */
PRICER_C cudaError_t merge_scenario_set(int n, unsigned n_chunks, const struct tally *chunk_tallies,
                                        struct tally *batch_tallies, cudaStream_t stream);

/* Adds the chunk means of its contrasts to totals [chunk][contrast][total], as add_totals() of
 * kernels/merge.h does. */
PRICER_C cudaError_t add_scenario_set_totals(const struct scenario_set_values *values, int n_chunks,
                                             const struct tally *chunk_tallies, double *totals,
                                             cudaStream_t stream);

/* The strike strips of a group, on the device. */
struct strip_launch {
    const struct strike_strip *strips; /* [n] with pointers into device memory */
    int n, most_bins;                  /* of one of them */
};

/* Writes the batch tallies of the strips' payoffs into the same array; `bins` is working memory of
 * STRIP_ROOM bins a batch for each bin of all strips: those of its tiles of chunks, and the sums
 * below and above strikes. */
enum { STRIP_ROOM = BATCH_CHUNKS / STRIP_CHUNKS + 2 };
PRICER_C cudaError_t value_strips(const struct strip_launch *strips, int n_payoffs,
                                  const double *observed, size_t paths, struct strike_bin *bins,
                                  struct tally *batch_tallies, cudaStream_t stream);

/* Load the kernels of the functions above, which their first launch does otherwise: the driver
 * takes some tenths of a millisecond for each. */
PRICER_C cudaError_t load_normal_kernels(void);
PRICER_C cudaError_t load_look_kernels(void);
PRICER_C cudaError_t load_program_kernels(void);
PRICER_C cudaError_t load_payoff_kernels(void);

#ifdef __CUDACC__
template <class... KERNELS>
static cudaError_t load_kernels(KERNELS... kernels)
{
    struct cudaFuncAttributes facts;
    cudaError_t error = cudaSuccess;
    ((error = error == cudaSuccess ? cudaFuncGetAttributes(&facts, kernels) : error), ...);
    return error;
}
#endif

#endif
