/* How long a plan takes with each of a few kernels of the CUDA engine, and which of them `auto`
 * means.
 *
 * Time is taken to be a sum: so many of each row of costs.def, times what one of them costs with
 * the kernel. Phases are added, although two streams overlap them. The choice changes no bit of a
 * price: every candidate gives the same. docs/method.md has the predictions beside measured times.
 */
#ifndef PRICER_KERNELS_COSTS_H
#define PRICER_KERNELS_COSTS_H

#include "kernels/engine.h"

enum cost {
#define COST(NAME, name, probe) COST_##NAME,
#include "kernels/costs.def"
#undef COST
    N_COSTS
};

/* CANDIDATE(NAME, "kernel"): the first is taken where no other is clearly faster. */
#define CANDIDATES(X)                                                                              \
    X(FUSED, "fused")                                                                              \
    X(OPTIMIZED, "optimized")                                                                      \
    X(OPTIMIZED_DOUBLE, "optimized:double")                                                        \
    X(BATCH_SHARED, "batch-shared")

enum candidate {
#define CANDIDATE(NAME, kernel) CANDIDATE_##NAME,
    CANDIDATES(CANDIDATE)
#undef CANDIDATE
        N_CANDIDATES
};

struct costs {
    double seconds[N_CANDIDATES][N_COSTS]; /* of one of each; >= 0 */
};

/* Plans made to be timed: drawing a normal; a sum alone; the same under eight markets; a step of a
 * path of which one date is kept; a barrier on every date; a path under heston. */
enum probe {
    PROBE_NONE,
    PROBE_DRAW,
    PROBE_SUM,
    PROBE_MORE,
    PROBE_STEP,
    PROBE_BARRIER,
    PROBE_HESTON,
    N_PROBES
};

struct probes {
    double seconds[N_CANDIDATES][N_PROBES]; /* 0 where there is nothing to time */
};

/* Measured on one H200 (docs/method.md): what is used until a device's own are known. */
extern const struct costs costs_built_in;
extern const struct probes probes_built_in;

/* A row's name, "step" for one, and a candidate's as `--kernel` takes it. */
extern const char *const cost_names[N_COSTS];
extern const char *const candidate_kernels[N_CANDIDATES];

/* How many of each the plan has, on all its paths. */
void costs_count(const struct plan *plan, double counts[N_COSTS]);

/* Seconds of pricing on one device. */
double costs_predict(const struct costs *costs, enum candidate candidate, const struct plan *plan);

/* The candidate that is fastest for the plan: the first, unless another is predicted to take less
 * than CLEARLY of its time. */
#define CLEARLY 0.9
enum candidate costs_choose(const struct costs *costs, const struct plan *plan);

/* Measures the costs of the first device that the options name: times every probe with every
 * candidate by timed runs of the engine, and puts the built-in costs in proportion. What the engine
 * says when it fails, and STATUS_NO_MEMORY; `costs` are then the built-in ones. */
enum status costs_measure(const struct engine *engine, const struct engine_options *options,
                          struct costs *costs, struct message *why);

/* The times of the probes alone, and the costs that follow from them. */
enum status costs_probe(const struct engine *engine, const struct engine_options *options,
                        struct probes *probes, struct message *why);
void costs_scale(const struct probes *probes, struct costs *costs);

#endif
