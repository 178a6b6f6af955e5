/* Costs of a device: the built-in ones, each in proportion to the time of a plan that is bound by the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/costs.h"

enum { STEPS = 128, PATHS = 1 << 20, ALIKE = 8 };

/* A plan of one kind of group, walked under `alike` markets. Its groups share all arrays. */
struct probe_plan {
    struct plan plan;
    struct group groups[ALIKE];
    struct underlying underlying;
    double *coefficients;  /* [step][width]; owned */
    int *first_touch;      /* [step + 1]; owned */
    struct touch *touches; /* [touch]; owned */
    struct result result;
    double initial[2], loading;
};

enum kind { KIND_SUM, KIND_END, KIND_TOUCHES };

static void probe_free(struct probe_plan *probe)
{
    free(probe->coefficients);
    free(probe->first_touch);
    free(probe->touches);
    *probe = (struct probe_plan){.coefficients = NULL};
}

/* A sum over every step; a sum of the last; barriers on every date. */
static void add_touches(struct probe_plan *probe, enum kind kind)
{
    int n = 0;
    for (int j = 0; j < STEPS; j++) {
        probe->first_touch[j] = n;
        if (kind == KIND_END && j + 1 < STEPS) continue;
        struct touch touch = {.on = kind == KIND_TOUCHES ? TOUCH_FENCE : TOUCH_SUM, .pair = -1};
        touch.c[0] = 6.0, touch.c[1] = 7.0;
        probe->touches[n++] = touch;
    }
    probe->first_touch[STEPS] = n;
    probe->groups[0].n_touches = n;
    probe->groups[0].n_slots = kind == KIND_TOUCHES ? 2 : 1;
    probe->initial[0] = kind == KIND_TOUCHES ? 1.0 : 0.0;
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
                          .heston = {0.04, 1.5, 0.04, 0.5, -0.7, HESTON_QUADRATIC_EXPONENTIAL}};
    struct market market = {1, &currency, 1, &asset, &probe->loading};
    int at = 0, width = model_coefficients(model);
    TRY(term_from_rates(&currency.rate, 1, &one, &rate));
    TRY(term_from_rates(&asset.yield, 1, &one, &rate));
    if (model == MODEL_BLACK_SCHOLES) TRY(term_from_volatilities(&asset.variance, 1, &one, &volatility, &at));
    model_begin(&asset, &probe->underlying.start);
    for (int j = 0; j < STEPS; j++) {
        const struct leg leg = {j / 252.0, (j + 1) / 252.0, -1};
        TRY(model_step_coefficients(&market, 0, &leg, probe->coefficients + (size_t)j * (size_t)width, &none,
                                    why));
    }
done:
    term_free(&currency.rate);
    term_free(&asset.yield);
    term_free(&asset.variance);
    free(none.table);
    return status;
}

static enum status probe_make(struct probe_plan *probe, enum model model, enum kind kind, int alike,
                              struct message *why)
{
    enum status status = STATUS_OK;
    int width = model_coefficients(model);
    *probe = (struct probe_plan){.underlying = {.model = model}, .loading = 1.0};
    probe->coefficients = calloc((size_t)STEPS * (size_t)width, sizeof *probe->coefficients);
    probe->first_touch = calloc(STEPS + 1, sizeof *probe->first_touch);
    probe->touches = aligned_alloc(16, STEPS * sizeof *probe->touches);
    if (!probe->coefficients || !probe->first_touch || !probe->touches) return STATUS_NO_MEMORY;
    probe->groups[0] = (struct group){.n_underlyings = 1,
                                      .underlyings = &probe->underlying,
                                      .quanto = -1,
                                      .loadings = &probe->loading,
                                      .n_factors = model_factors(model),
                                      .width = width,
                                      .coefficients = probe->coefficients,
                                      .n_steps = STEPS,
                                      .first_touch = probe->first_touch,
                                      .touches = probe->touches,
                                      .initial = probe->initial,
                                      .n_rows = 1,
                                      .n_results = 1,
                                      .results = &probe->result};
    add_touches(probe, kind);
    TRY(add_coefficients(probe, model, why));
    for (int s = 1; s < alike; s++) probe->groups[s] = probe->groups[0];
    probe->groups[0].alike = alike;
    probe->plan = (struct plan){
        .seed = 1, .paths = PATHS, .n_scenarios = alike, .n_groups = alike, .groups = probe->groups};
done:
    return status;
}

/* Seconds of drawing and of walking. (A timed run does both once before its clock.) */
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
    enum kind kind;
    int alike;
} probed[] = {{PROBE_MORE, MODEL_BLACK_SCHOLES, KIND_SUM, ALIKE},
              {PROBE_SUM, MODEL_BLACK_SCHOLES, KIND_SUM, 1},
              {PROBE_STEP, MODEL_BLACK_SCHOLES, KIND_END, 1},
              {PROBE_TOUCH, MODEL_BLACK_SCHOLES, KIND_TOUCHES, 1},
              {PROBE_HESTON, MODEL_HESTON, KIND_END, 1}};

enum { N_PROBED = sizeof probed / sizeof *probed };

enum status costs_probe(const struct engine *engine, const struct engine_options *options,
                        struct probes *probes, struct message *why)
{
    enum status status = STATUS_OK;
    struct probe_plan probe = {.coefficients = NULL};
    *probes = (struct probes){{{0}}};
    for (int p = 0; p < N_PROBED; p++) {
        TRY(probe_make(&probe, probed[p].model, probed[p].kind, probed[p].alike, why));
        for (int k = 0; k < N_CANDIDATES; k++) {
            double draw, *seconds = probes->seconds[k];
            TRY(probe_run(&probe, engine, options, candidate_kernels[k], &draw, &seconds[probed[p].probe],
                          why));
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
            double was = probes_built_in.seconds[k][probe_of[c]], is = probes->seconds[k][probe_of[c]];
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
