/* The contract between what is to be priced and who prices it: a plan in, tallies out.
 *
 * A plan is a pure value, complete before anything runs: engines add nothing to it that could
 * change a price. Paths are cut into chunks of CHUNK_PATHS; each payoff's values over a chunk are
 * added in one fixed order (kernels/tally_order.h) to a tally, chunk tallies are merged in index
 * order within a batch of BATCH_CHUNKS, and batch tallies in index order. Threads, blocks, streams
 * and devices take whole batches, so none of them can change a bit. */
#ifndef PRICER_KERNELS_PLAN_H
#define PRICER_KERNELS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/bridge.h"
#include "kernels/strike_strip.h"
#include "models/dynamics/dynamics.h"
#include "models/market/market.h"
#include "models/market/quanto.h"
#include "models/dynamics/coefficients.h"
#include "models/observables/observables.h"
#include "models/math/sobol.h"
#include "models/payoffs/payoff.h"
#include "models/programs/program.h"

enum {
    CHUNK_PATHS = 1024, /* paths of one tally; the number of paths is a multiple of it */
    /* Of an antithetic chunk: the later half takes the negated normals of these */
    PAIR_PATHS = CHUNK_PATHS / 2,
    BATCH_CHUNKS = 16, /* chunks merged into one batch tally; the last batch may be shorter */
    BATCH_PATHS = CHUNK_PATHS * BATCH_CHUNKS,
    PATH_LANES = 256,      /* paths that a processor simulates side by side; a divisor of
                              CHUNK_PATHS */
    FEW_LANES = 32,        /* that it takes at a time where some need more work than others */
    GROUP_SLOTS = 24,      /* most slots of observable state that a walk carries, */
    GROUP_ROWS = 4096,     /* most rows of a group that has programs or chains, */
    GROUP_STEPS = 1 << 20, /* most steps, */
    GROUP_BYTES = 1 << 29, /* and most memory that its steps and looks are laid out in */
    /* Most instructions of a program that is compiled for a GPU: 80 kB of machine code, of 57 bytes
     * each; of more the instruction cache would not hold the loop */
    PROGRAM_COMPILED_MOST = 1400,
    STRIP_PAYOFFS_MIN = 16, /* payoffs on one date from which on a strike strip pays */
    STRIP_CHUNKS = 4        /* chunks over which a strip's bins are summed path by path */
};

/* Philox streams of a path: the number of its asset for the first normal of each step,
 * FACTOR_STREAM more for each further one, BRIDGE_STREAM more for the bridges between them. (Below
 * 2^30, so that cuRAND can name it by its 64-bit offset.) */
#define FACTOR_STREAM 0x00010000u
#define BRIDGE_STREAM 0x20000000u
#define PADDING_STREAM 0x30000000u /* of dimensions that Sobol points do not have */

enum {
    UNDERLYINGS_MAX = 32,
    MARKETS_MAX = 16 /* of a plan */
};

/* The row to which a slot goes when its path has ended. */
struct result {
    int slot;
    int row;
};

/* One asset of a group. */
struct underlying {
    int asset;  /* index into the market */
    int stream; /* Philox stream of its first factor: its asset, or that whose indices it shares */
    enum model model;        /* which NAME_step() */
    int factor;              /* first of its normals of a step; model_factors() of them */
    int coefficient;         /* first of its coefficients of a step; model_coefficients() of them */
    struct path_state start; /* today */
};

/* A look at a path that has ended, by way of the rows that its walk has left. */
struct look {
    struct observation seen; /* its slots are those of its chain */
    int x;                   /* row of the underlying's log2 S at the date */
    int drawn[2];            /* rows of the normals of the bridge to it; -1: it draws none */
    int clock;               /* row of the underlying's clock there; -1: it reads none */
};

/* Observables of which one reads another, or one by itself: their looks, in order of step, then of
 * dependence, change slots that begin as `initial` and go to rows at the end. */
struct chain {
    int first_look, n_looks; /* of the group's looks */
    int first_slot, n_slots; /* of `look_initial` */
    int first_result, n_results;
    bool survives; /* it is in a survival set */
};

/* Chains that are probabilities of surviving barriers under a clock, clock_barriers and
 * clock_strips, and what pay_on_date pays of them, that look at the same dates from the same start,
 * each at barriers that stay: what a date says of how far the path can have come serves them all.
 */
enum { CHAINS_TOGETHER = 8 };

struct alive_between {
    double low, high; /* log2 S; infinite: on that side always */
};

struct survival_set {
    int n, chains[CHAINS_TOGETHER];
    struct alive_between limits[CHAINS_TOGETHER]; /* without a chain: infinite */
};

/* Whether a path stayed between two levels on dates that several such observables share: by its
 * extremes there, which chains have left in rows. Has the bits of the fence that it stands for. */
struct gate {
    int lowest, highest; /* rows of log2 S; -1: no level on that side */
    double low, high;    /* log2 of the levels */
    double alive;        /* 1, or 0 where the path was outside before */
    int row;
};

/* A cash dividend: at the end of a step, after the model's own move and before any observation, the
 * spot of an underlying falls by `amount`, but to no less than FLOOR_AFTER_DIVIDEND of itself. */
struct dividend {
    int step, underlying;
    double amount;
};

/* A row of prices: S of what another row has log2 S of. */
struct price_row {
    int log_row, row;
};

/* A program that engines run on every path when it has ended, before payoffs are valued. */
struct group_program {
    const struct program *program; /* of the trade, which outlives the plan; or `part` */
    /* What the plan has made of one: of its own are its code and, without a list, its inputs;
     * owned; NULL: nothing */
    struct program *part;
    int *inputs;          /* [program->n_inputs] rows; owned */
    double *coefficients; /* [program->n_coefficients] under the group's market; owned */
    int row;              /* that its value goes to */
    int decided;          /* row of its first decision; those of the others follow */
};

/* Trades that share their paths: the same assets, each with its model, one measure, one grid of
 * dates.
 *
 * A step of a path: the first normals z of the underlyings become w[u] = sum over i <= u of
 * loadings[u][i] z[i] (in order of i, by fma, from loadings[u][0] z[0]); then each underlying takes
 * its step. */
struct group {
    int n_underlyings;
    struct underlying *underlyings; /* [underlying] by increasing asset */
    struct quanto quanto; /* the FX rates whose measure it is; none: that of the assets' currency */
    /* [underlying][underlying] lower triangular, times its transpose the correlation */
    double *loadings;
    int n_factors;        /* normals of a step */
    int width;            /* coefficients of a step */
    double *coefficients; /* [step][width] */
    struct lookup lookup; /* what they refer to */
    int n_dividends;
    struct dividend *dividends; /* [dividend] in order of step */
    /* Groups from this one on, itself included, that are the same trades under other markets: alike
     * in all but numbers, so that they can be simulated side by side on one set of normals; 0 on
     * all but the first */
    int n_markets;
    /* In a plan with contrasts: the group's trades under scenario 0, 1, ... are this group and
     * those after it, n_scenarios in all, whatever their shape; 0 on all but the first */
    int scenario_set;
    /* Takes the policies of early exercise from the first group of its scenario set */
    bool borrows_policies;
    /* Groups from this one on to that of its scenario's partner (app/pricing/plan/
     * plan_scenarios.h); 0: none */
    int to_partner;
    /* An earlier group of its scenario set, which decides itself, whose decisions its programs
     * take; -1: they make their own */
    int follows;
    int n_steps; /* dates of the grid after today */
    /* [step] years from today to the end of each step; where time has passed
     * (app/pricing/plan/plan_build.h) still those of before */
    double *times;
    /* From Sobol points to the normals of the steps; empty where none are drawn */
    struct bridge bridge;
    /* [step + 1] observations of a step: first_observation[j] .. first_observation[j + 1] - 1 */
    int *first_observation;
    int n_observations;
    struct observation *observations; /* [observation] in order of step, then of dependence */
    int n_pairs;                      /* pairs of bridge normals a path draws */
    int n_slots;                      /* doubles of observable state of a path */
    double *initial;                  /* [slot] their value today */
    int n_rows;        /* numbers of a path that payoffs and programs read: row r of path p is
                          observed[r][p] */
    int n_payoff_rows; /* those that payoffs read, which are the first */
    int n_results;
    /* [result] slots to be stored into rows; spots are written to their row when observed */
    struct result *results;
    /* Where a path remembers more than GROUP_SLOTS numbers, the walk leaves in rows what is looked
     * at on each date, no slots are left, and chains look when it has ended */
    int n_chains;
    int n_result_rows; /* rows before those that are left for looks alone */
    struct chain *chains;
    int n_looks;
    struct look *looks;
    double *look_initial;
    struct result *look_results;
    int chain_slots; /* the most of one chain */
    int n_survival_sets;
    struct survival_set *survival_sets;
    int n_gates;
    struct gate *gates; /* [gate] made when all chains have looked */
    int n_payoffs;
    /* The first payoffs are valued path by path, those from here on on strike strips */
    int n_single;
    struct payoff *payoffs; /* [payoff] with `rows` naming rows */
    /* [payoff] index of the trade in the book; n_trades more for each scenario before the
     * group's */
    int *trades;
    int n_strips;
    struct strike_strip *strips;
    int n_prices;
    struct price_row *prices; /* [price] made when a path has ended, before programs run */
    int n_programs;
    int n_shared;
    /* [program] first n_shared that make what others read, from what paths remember alone; then in
     * the order of the payoffs that read them */
    struct group_program *programs;
};

/* Returns the number of normals of a path: [step][factor], then two for each pair of its
 * bridges. */
static inline int group_normals(const struct group *group)
{
    return group->n_steps * group->n_factors + 2 * group->n_pairs;
}

/* Returns the number of steps of all its assets on a path, in which speed is counted. */
static inline uint64_t group_asset_steps(const struct group *group)
{
    return (uint64_t)group->n_steps * (uint64_t)group->n_underlyings;
}

/* Tells whether the group is one asset under Black and Scholes without cash dividends, which every
 * kernel simulates itself. */
static inline bool group_is_plain(const struct group *group)
{
    return group->n_underlyings == 1 && group->underlyings[0].model == MODEL_BLACK_SCHOLES &&
           !group->n_dividends;
}

/* Returns the Philox stream of factor `f` of an underlying. */
static inline uint32_t factor_stream(const struct underlying *underlying, int f)
{
    return (uint32_t)underlying->stream + (uint32_t)f * FACTOR_STREAM;
}

/* Returns its number among the normals of a step: indices that are shared are those of the first to
 * have them. */
static inline int factor_number(const struct group *group, const struct underlying *underlying,
                                int f)
{
    const struct underlying *first = group->underlyings;
    while (first->stream != underlying->stream) first++;
    return first->factor + f;
}

/* Tells whether an index stands in the place of the underlying's normal:
 * models/dynamics/historical.h. */
static inline bool draws_indices(const struct underlying *underlying)
{
    return underlying->model == MODEL_HISTORICAL;
}

/* Returns the number of bins of all strike strips of a group, strip after strip. */
static inline int group_bins(const struct group *group)
{
    int bins = 0;
    for (int l = 0; l < group->n_strips; l++) bins += group->strips[l].n_strikes + 1;
    return bins;
}

/* A number of one path: weights times its values under some scenarios, such as their difference.
 * The sum begins with the first product and takes the others by fma, in the order of the terms.
 * Since the scenarios share their normals, the error of its mean is that of the differences. */
enum { CONTRAST_TERMS = 4 };

/* A term of a contrast. */
struct contrast_term {
    int scenario;
    double weight;
};

struct contrast {
    int n_terms; /* 1 to CONTRAST_TERMS */
    struct contrast_term terms[CONTRAST_TERMS];
};

/* A plan with contrasts is made of scenario sets, and has no strike strips: a contrast needs each
 * value of each path. Its paths are Philox paths, each by itself, whatever the book's are
 * (plan_contrasts).
 *
 * Totals are sums over trades: of a contrast's means over one chunk, each times the trade's
 * quantity, from 0 by fma, in the order of the scenario sets and of the payoffs of each. So the
 * chunks are a sample of the total. */
struct plan {
    uint64_t seed;
    uint64_t paths; /* a multiple of CHUNK_PATHS, and of that times the replicates */
    /* Paths that runs before it took (of each replicate): these are other ones */
    uint64_t first_path;
    bool antithetic; /* the values of a chunk are means of pairs of paths, z and -z */
    /* Randomised replicates of Sobol points that the paths are shared among, to be run one after
     * the other (kernels/replicates.h); 0: Philox paths */
    int replicates;
    /* Of the replicate that is run: the engine draws its paths from these; their number is then the
     * low half of a path's. NULL: Philox */
    const struct sobol_points *points;
    int n_trades;
    /* [n_trades] money by which a unit's payoff may jump; NULL without replicates; owned */
    double *jumps;
    int n_scenarios; /* markets that the trades are priced under: 1, or more */
    int n_groups;
    struct group *groups;
    int n_contrasts;            /* 0: none */
    struct contrast *contrasts; /* [n_contrasts]; owned */
    int n_totals;               /* 0: none; with contrasts alone */
    int *totals;                /* [trade] the total that the trade is counted in, or -1; owned */
    double *quantities;         /* [trade]; owned */
};

/* Returns the number of tallies of a trade: one for each contrast; without contrasts one for each
 * scenario. */
static inline int plan_rows(const struct plan *plan)
{
    return plan->n_contrasts ? plan->n_contrasts : plan->n_scenarios;
}

/* Returns the number of tallies of the plan: [contrast, or scenario][trade]. */
static inline int plan_tallies(const struct plan *plan)
{
    return plan_rows(plan) * plan->n_trades;
}

/* Returns the number of groups from `g` on whose payoffs are valued together: a scenario set, or
 * one. */
static inline int scenario_set_size(const struct plan *plan, int g)
{
    return plan->groups[g].scenario_set ? plan->groups[g].scenario_set : 1;
}

/* Returns the number of groups from `g` on that are simulated or valued together. */
static inline int plan_unit_size(const struct plan *plan, int g)
{
    int set = scenario_set_size(plan, g), markets = plan->groups[g].n_markets;
    return markets > set ? markets : set;
}

/* Returns the number of tallies of one batch of them: [contrast][payoff] of a scenario set,
 * [payoff] of a group. */
static inline size_t scenario_set_tallies(const struct plan *plan, int g)
{
    int rows = plan->groups[g].scenario_set ? plan_rows(plan) : 1;
    return (size_t)rows * (size_t)plan->groups[g].n_payoffs;
}

/* Returns where tally p of them belongs among those of the plan. */
static inline size_t scenario_set_tally_index(const struct plan *plan, int g, size_t p)
{
    size_t n = (size_t)plan->groups[g].n_payoffs;
    return p / n * (size_t)plan->n_trades + (size_t)plan->groups[g].trades[p % n];
}

/* Returns the number of totals of one chunk: [contrast][total]. */
static inline size_t chunk_totals(const struct plan *plan)
{
    return (size_t)plan->n_contrasts * (size_t)plan->n_totals;
}

/* Returns the number of batches of the plan, and chunks of one of them. */
static inline uint64_t plan_batches(const struct plan *plan)
{
    return (plan->paths + BATCH_PATHS - 1) / BATCH_PATHS;
}

static inline int plan_batch_chunks(const struct plan *plan, uint64_t batch)
{
    uint64_t left = plan->paths - batch * BATCH_PATHS;
    return (int)(left < BATCH_PATHS ? left / CHUNK_PATHS : BATCH_CHUNKS);
}

#endif
