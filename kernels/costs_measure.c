/* Costs of a device: the built-in ones, each in proportion to the time of a plan that is bound by
 * the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/costs.h"

enum { STEPS = 128, PATHS = 1 << 20, ALIKE = 8 };

/* A plan of one kind of group, simulated under `alike` markets. Its groups share all arrays. */
struct probe_plan {
    struct plan plan;
    struct group groups[ALIKE];
    struct underlying underlying;
    double *coefficients;             /* [step][width]; owned */
    int *first_observation;           /* [step + 1]; owned */
    struct observation *observations; /* [observation]; owned */
    struct result result;
    double initial[2], loading;
};

enum probed_record { PROBED_SUM, PROBED_END, PROBED_OBSERVATIONS };

static void probe_free(struct probe_plan *probe)
{
    free(probe->coefficients);
    free(probe->first_observation);
    free(probe->observations);
    *probe = (struct probe_plan){.coefficients = NULL};
}

/* A sum over every step; a sum of the last; barriers on every date. */
static void add_observations(struct probe_plan *probe, enum probed_record kind)
{
    int n = 0;
    for (int j = 0; j < STEPS; j++) {
        probe->first_observation[j] = n;
        if (kind == PROBED_END && j + 1 < STEPS) continue;
        struct observation observation = {
            .kind = kind == PROBED_OBSERVATIONS ? OBSERVATION_FENCE : OBSERVATION_SUM, .pair = -1};
        observation.c[0] = 6.0, observation.c[1] = 7.0;
        probe->observations[n++] = observation;
    }
    probe->first_observation[STEPS] = n;
    probe->groups[0].n_observations = n;
    probe->groups[0].n_slots = kind == PROBED_OBSERVATIONS ? 2 : 1;
    probe->initial[0] = kind == PROBED_OBSERVATIONS ? 1.0 : 0.0;
}

/* A year of daily steps from a spot of 100. */
static enum status add_coefficients(struct probe_plan *probe, enum model model, struct message *why)
{
    enum status status = STATUS_OK;
    static const double one = 1.0, rate = 0.03, volatility = 0.2;
    struct lookup none = {0};
    struct currency currency = {0};
    struct asset asset = {.spot = 100.0,
                          .foreign_currency = -1,
                          .model = model,
                          .heston = {0.04, 1.5, 0.04, 0.5, -0.7, SCHEME_QUADRATIC_EXPONENTIAL}};
    struct market market = {1, &currency, 1, &asset, &probe->loading};
    int at = 0, width = model_coefficients(model);
    TRY(term_from_rates(&currency.rate, 1, &one, &rate));
    TRY(term_from_rates(&asset.yield, 1, &one, &rate));
    if (model == MODEL_BLACK_SCHOLES)
        TRY(term_from_volatilities(&asset.variance, 1, &one, &volatility, &at));
    model_begin(&asset, &probe->underlying.start);
    for (int j = 0; j < STEPS; j++) {
        const struct time_step time_step = {j / 252.0, (j + 1) / 252.0, -1};
        TRY(model_step_coefficients(&market, 0, &time_step,
                                    probe->coefficients + (size_t)j * (size_t)width, &none, why));
    }
done:
    term_free(&currency.rate);
    term_free(&asset.yield);
    term_free(&asset.variance);
    free(none.table);
    return status;
}

static enum status probe_make(struct probe_plan *probe, enum model model, enum probed_record kind,
                              int n_alike, struct message *why)
{
    enum status status = STATUS_OK;
    int width = model_coefficients(model);
    *probe = (struct probe_plan){.underlying = {.model = model}, .loading = 1.0};
    probe->coefficients = calloc((size_t)STEPS * (size_t)width, sizeof *probe->coefficients);
    probe->first_observation = calloc(STEPS + 1, sizeof *probe->first_observation);
    probe->observations = aligned_alloc(16, STEPS * sizeof *probe->observations);
    if (!probe->coefficients || !probe->first_observation || !probe->observations)
        return STATUS_NO_MEMORY;
    probe->groups[0] = (struct group){.n_underlyings = 1,
                                      .underlyings = &probe->underlying,
                                      .quanto = -1,
                                      .loadings = &probe->loading,
                                      .n_factors = model_factors(model),
                                      .width = width,
                                      .coefficients = probe->coefficients,
                                      .n_steps = STEPS,
                                      .first_observation = probe->first_observation,
                                      .observations = probe->observations,
                                      .initial = probe->initial,
                                      .n_rows = 1,
                                      .n_results = 1,
                                      .results = &probe->result};
    add_observations(probe, kind);
    TRY(add_coefficients(probe, model, why));
    for (int s = 1; s < n_alike; s++) probe->groups[s] = probe->groups[0];
    probe->groups[0].n_alike = n_alike;
    probe->plan = (struct plan){.seed = 1,
                                .paths = PATHS,
                                .n_scenarios = n_alike,
                                .n_groups = n_alike,
                                .groups = probe->groups};
done:
    return status;
}

/* Seconds of drawing and of simulating. (A timed run does both once before its clock.) */
static enum status probe_run(const struct probe_plan *probe, const struct engine *engine,
                             const struct engine_options *options, const char *kernel, double *draw,
                             double *walk, struct message *why)
{
    struct engine_options timed = *options;
    struct engine_report report = {.normals = 0.0};
    struct tally none = {0};
    timed.kernel = kernel;
    timed.timed = true;
    timed.progress = NULL;
    enum status status = engine->price(&probe->plan, &timed, &none, NULL, &report, why);
    *draw = report.normals;
    *walk = report.paths;
    return status;
}

static const struct {
    enum probe probe;
    enum model model;
    enum probed_record kind;
    int n_alike;
} probed[] = {{PROBE_MORE, MODEL_BLACK_SCHOLES, PROBED_SUM, ALIKE},
              {PROBE_SUM, MODEL_BLACK_SCHOLES, PROBED_SUM, 1},
              {PROBE_STEP, MODEL_BLACK_SCHOLES, PROBED_END, 1},
              {PROBE_BARRIER, MODEL_BLACK_SCHOLES, PROBED_OBSERVATIONS, 1},
              {PROBE_HESTON, MODEL_HESTON, PROBED_END, 1}};

enum { N_PROBED = sizeof probed / sizeof *probed };

enum status costs_probe(const struct engine *engine, const struct engine_options *options,
                        struct probes *probes, struct message *why)
{
    enum status status = STATUS_OK;
    struct probe_plan probe = {.coefficients = NULL};
    *probes = (struct probes){{{0}}};
    for (int p = 0; p < N_PROBED; p++) {
        TRY(probe_make(&probe, probed[p].model, probed[p].kind, probed[p].n_alike, why));
        for (int k = 0; k < N_CANDIDATES; k++) {
            double draw, *seconds = probes->seconds[k];
            TRY(probe_run(&probe, engine, options, candidate_kernels[k], &draw,
                          &seconds[probed[p].probe], why));
            if (probed[p].probe == PROBE_SUM) seconds[PROBE_DRAW] = draw;
        }
        probe_free(&probe);
    }
done:
    probe_free(&probe);
    return status;
}

void costs_scale(const struct probes *probes, struct costs *costs)
{
    static const enum probe probe_of[N_COSTS] = {
#define COST(NAME, name, probe) [COST_##NAME] = PROBE_##probe,
#include "kernels/costs.def"
#undef COST
    };
    *costs = costs_built_in;
    for (int k = 0; k < N_CANDIDATES; k++)
        for (int c = 0; c < N_COSTS; c++) {
            double was = probes_built_in.seconds[k][probe_of[c]],
                   is = probes->seconds[k][probe_of[c]];
            if (was > 0.0 && is > 0.0) costs->seconds[k][c] *= is / was;
        }
}

enum status costs_measure(const struct engine *engine, const struct engine_options *options,
                          struct costs *costs, struct message *why)
{
    struct probes probes;
    enum status status = costs_probe(engine, options, &probes, why);
    *costs = costs_built_in;
    if (!status) costs_scale(&probes, costs);
    return status;
}
