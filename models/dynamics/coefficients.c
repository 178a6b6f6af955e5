#include "models/dynamics/coefficients.h"

#include <math.h>

#include "models/dynamics/dynamics.h"
#include "models/dynamics/local_vol_table.h"
#include "models/dynamics/model_coefficients.h"
#include "models/dynamics/step_measure.h"
#include "models/math/constants.h"
#include "models/math/exact.h"

double model_covariance(const struct market *market, int asset, int other,
                        const struct time_step *time_step)
{
    double correlation =
        asset == other ? 1.0 : market->correlation[asset * market->n_assets + other];
    return correlation * product_over(&market->assets[asset].variance,
                                      &market->assets[other].variance, time_step);
}

enum status diffusion_coefficients(const struct market *market, int index,
                                   const struct time_step *time_step, double loss, double *c,
                                   struct message *why)
{
    const struct asset *asset = &market->assets[index];
    struct measure measure;
    MUST(measure_of(market, index, time_step, &measure, why));
    double variance = variance_over(&asset->variance, time_step);
    loss += quanto_loss(asset, &measure, time_step);
    c[0] = (growth_over(market, asset, time_step) - 0.5 * variance - loss) / LN2;
    c[1] = sqrt(variance) / LN2;
    return STATUS_OK;
}

static enum status black_scholes_coefficients(const struct market *market, int index,
                                              const struct time_step *time_step, double *c,
                                              struct lookup *lookup, struct message *why)
{
    (void)lookup;
    return diffusion_coefficients(market, index, time_step, 0.0, c, why);
}

static coefficients_function *const model_coefficients_of[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients, ...) [MODEL_##NAME] = name##_coefficients,
#include "models/dynamics/models.def"
#undef MODEL
};

#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    _Static_assert(factors <= MODEL_FACTORS_MAX && coefficients <= MODEL_COEFFICIENTS_MAX &&       \
                       (int)NAME##_COEFFICIENTS <= coefficients,                                   \
                   #name);
#include "models/dynamics/models.def"
#undef MODEL

enum status model_step_coefficients(const struct market *market, int asset,
                                    const struct time_step *time_step, double *c,
                                    struct lookup *lookup, struct message *why)
{
    return model_coefficients_of[market->assets[asset].model](market, asset, time_step, c, lookup,
                                                              why);
}

enum status model_path_coefficients(const struct asset *asset, int n_steps, int width, double *c,
                                    struct lookup *lookup, struct message *why)
{
    if (asset->model != MODEL_HISTORICAL) return STATUS_OK;
    return historical_path(asset, n_steps, (size_t)width, c, lookup, why);
}

void lookup_forget(struct lookup *lookup)
{
    local_vol_forget(lookup->paths);
    lookup->paths = NULL;
    lookup->later = NULL;
}

static double black_scholes_longest(const struct asset *asset, double date, double max_step)
{
    (void)asset, (void)date, (void)max_step;
    return HUGE_VAL;
}

static double local_vol_longest(const struct asset *asset, double date, double max_step)
{
    (void)asset, (void)date;
    return max_step;
}

double model_longest_step(const struct asset *asset, double date, double max_step)
{
    static longest_function *const longest[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients, ...) [MODEL_##NAME] = name##_longest,
#include "models/dynamics/models.def"
#undef MODEL
    };
    return longest[asset->model](asset, date, max_step);
}

size_t model_step_bytes(enum model model)
{
    static const size_t bytes[N_MODELS] = {[MODEL_LOCAL_VOL] = 2 * LOCAL_VOL_ROWS * sizeof(float)};
    return bytes[model];
}

void model_begin(const struct asset *asset, struct path_state *state)
{
    *state = (struct path_state){.x = exact_log2(asset->spot), .v = variance_law(asset).today};
}
