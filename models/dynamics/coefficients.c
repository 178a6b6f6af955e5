#include "models/dynamics/coefficients.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "models/dynamics/dynamics.h"
#include "models/dynamics/historical_table.h"
#include "models/dynamics/local_vol_table.h"
#include "models/math/constants.h"
#include "models/math/exact.h"
#include "models/math/plan_functions.h"

#define XI_LEAST 1e-7         /* below it the variance is taken as deterministic */
#define MEAN_LEAST 1e-15      /* of v': keeps 1/m a float where theta = 0 */
#define TAIL_LEAST 0x1p-33    /* a probability that 32 bits do not resolve */
#define ROUNDING (1.0 + 1e-9) /* of a step that is as long as it may be */

/* ---- curves ---------------------------------------------------------------------------------- */

/* Returns the total variance that a curve accrues over the step. */
static double variance_over(const struct term_structure *variance,
                            const struct time_step *time_step)
{
    double v0 = term_accrued(variance, time_step->from), v = term_accrued(variance, time_step->to);
    return v - v0 > 0.0 ? v - v0 : 0.0;
}

/* Returns the first of the curve's dates after t, `end` where that comes sooner. */
static double next_pillar(const struct term_structure *term, double t, double end)
{
    int i = 0;
    while (i < term->n && term->time[i] <= t) i++;
    return i < term->n && term->time[i] < end ? term->time[i] : end;
}

/* Returns the integral over the step of the product of two volatilities, each constant between the
 * dates of its curve; of the second alone where there is no first. */
static double product_over(const struct term_structure *first, const struct term_structure *second,
                           const struct time_step *time_step)
{
    double sum = 0.0;
    for (double t = time_step->from, next; t < time_step->to; t = next) {
        next = next_pillar(second, t, time_step->to);
        if (first) next = next_pillar(first, t, next);
        struct time_step piece = {.from = t, .to = next};
        sum +=
            sqrt((first ? variance_over(first, &piece) : next - t) * variance_over(second, &piece));
    }
    return sum;
}

double model_covariance(const struct market *market, int asset, int other,
                        const struct time_step *time_step)
{
    double correlation =
        asset == other ? 1.0 : market->correlation[asset * market->n_assets + other];
    return correlation * product_over(&market->assets[asset].variance,
                                      &market->assets[other].variance, time_step);
}

/* ---- quanto ---------------------------------------------------------------------------------- */

/* How the asset moves under the measure of the time_step: with the noise of `fx` where fx is not
 * NULL. */
struct measure {
    const struct asset *fx;
    double correlation;
};

static enum status refuse_quanto(const struct asset *asset, const struct asset *fx,
                                 const char *because, struct message *why)
{
    snprintf(why->text, sizeof why->text, "'%s' cannot be paid in the currency of '%s': %s",
             asset->name, fx->name, because);
    return STATUS_FAILED;
}

/* Makes the measure of fx's own currency, money of its foreign currency being worth fx: growth of
 * an asset of the foreign currency falls by correlation times both volatilities (Hull, Options,
 * Futures and Other Derivatives, "quantos"); an asset of fx's own currency keeps its growth. */
static enum status measure_of(const struct market *market, int index,
                              const struct time_step *time_step, struct measure *measure,
                              struct message *why)
{
    *measure = (struct measure){0};
    if (time_step->quanto < 0) return STATUS_OK;
    const struct asset *asset = &market->assets[index], *fx = &market->assets[time_step->quanto];
    if (fx->foreign_currency < 0) return refuse_quanto(asset, fx, "that is not an FX rate", why);
    if (asset->currency == fx->currency) return STATUS_OK;
    if (asset->currency != fx->foreign_currency)
        return refuse_quanto(asset, fx, "the FX rate is not one of the asset's currency", why);
    if (fx->model != MODEL_BLACK_SCHOLES)
        return refuse_quanto(asset, fx, "the FX rate must have the model black_scholes", why);
    measure->fx = fx;
    measure->correlation = market->correlation[index * market->n_assets + time_step->quanto];
    return STATUS_OK;
}

/* Returns what the growth of an asset with deterministic volatility loses over the step. */
static double quanto_loss(const struct asset *asset, const struct measure *measure,
                          const struct time_step *time_step)
{
    if (!measure->fx) return 0.0;
    return measure->correlation * product_over(&asset->variance, &measure->fx->variance, time_step);
}

/* Returns the mean of the spot's own normal over the step. */
static double quanto_shift(const struct measure *measure, const struct time_step *time_step)
{
    if (!measure->fx) return 0.0;
    return -measure->correlation * product_over(NULL, &measure->fx->variance, time_step) /
           sqrt(time_step->to - time_step->from);
}

/* ---- growth ---------------------------------------------------------------------------------- */

struct growth {
    double rate, yield;
};

static struct growth growth_over(const struct market *market, const struct asset *asset,
                                 const struct time_step *time_step)
{
    const struct term_structure *rate = &market->currencies[asset->currency].rate;
    double r0 = term_accrued(rate, time_step->from),
           q0 = term_accrued(&asset->yield, time_step->from);
    double r = term_accrued(rate, time_step->to), q = term_accrued(&asset->yield, time_step->to);
    return (struct growth){r - r0, q - q0};
}

/* ---- black_scholes --------------------------------------------------------------------------- */

static enum status black_scholes_coefficients(const struct market *market, int index,
                                              const struct time_step *time_step, double *c,
                                              struct lookup *lookup, struct message *why)
{
    (void)lookup;
    const struct asset *asset = &market->assets[index];
    struct measure measure;
    enum status status = measure_of(market, index, time_step, &measure, why);
    if (status) return status;
    struct growth growth = growth_over(market, asset, time_step);
    double variance = variance_over(&asset->variance, time_step),
           loss = quanto_loss(asset, &measure, time_step);
    c[0] = (growth.rate - growth.yield - 0.5 * variance - loss) / LN2;
    c[1] = sqrt(variance) / LN2;
    return STATUS_OK;
}

/* ---- merton ---------------------------------------------------------------------------------- */

/* Returns the t with P(Z > t) = tail, 0 < tail < 1: Newton's method on the logarithm of P, which is
 * concave, so that from the second iterate on t falls monotonically to the root. */
static double normal_tail_quantile(double tail)
{
    double t = 0.0;
    for (int i = 0; i < 100; i++) {
        double p = 0.5 * exact_erfc(t * 0.707106781186547524401);
        double density = 0.398942280401432677940 * exact_exp(-0.5 * t * t);
        double change = exact_log(p / tail) * p / density;
        t += change;
        if (fabs(change) < 1e-13) break;
    }
    return t;
}

/* Fills threshold[k - 1] with what a normal exceeds with probability P(N >= k), N of Poisson's law
 * with this mean. */
static void jump_thresholds(double mean, double *threshold)
{
    for (int k = 1; k <= JUMP_THRESHOLDS; k++) {
        double term = exp(-mean), tail = 0.0;
        for (int j = 1; j <= k; j++) term *= mean / j;
        for (int j = k; j < k + 30; j++, term *= mean / j) tail += term;
        threshold[k - 1] = tail < TAIL_LEAST ? HUGE_VAL : normal_tail_quantile(tail);
    }
}

/* Returns what the growth loses to the mean of the jumps. */
static double jump_compensation(const struct jumps *jumps, const struct time_step *time_step)
{
    return jumps->intensity * expm1(jumps->mean + 0.5 * jumps->stdev * jumps->stdev) *
           (time_step->to - time_step->from);
}

static enum status check_jumps(const struct asset *asset, const struct time_step *time_step,
                               struct message *why)
{
    double expected = asset->jumps.intensity * (time_step->to - time_step->from);
    if (expected <= JUMPS_A_STEP * ROUNDING) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "'%s': a step of %.6g years is too long for %g jumps a year", asset->name,
             time_step->to - time_step->from, asset->jumps.intensity);
    return STATUS_FAILED;
}

static enum status merton_coefficients(const struct market *market, int index,
                                       const struct time_step *time_step, double *c,
                                       struct lookup *lookup, struct message *why)
{
    (void)lookup;
    enum status status = STATUS_OK;
    const struct asset *asset = &market->assets[index];
    struct measure measure;
    TRY(check_jumps(asset, time_step, why));
    TRY(measure_of(market, index, time_step, &measure, why));
    struct growth growth = growth_over(market, asset, time_step);
    double variance = variance_over(&asset->variance, time_step);
    double loss =
        quanto_loss(asset, &measure, time_step) + jump_compensation(&asset->jumps, time_step);
    c[MERTON_DRIFT] = (growth.rate - growth.yield - 0.5 * variance - loss) / LN2;
    c[MERTON_VOLATILITY] = sqrt(variance) / LN2;
    c[MERTON_JUMP_MEAN] = asset->jumps.mean / LN2;
    c[MERTON_JUMP_VARIANCE] = asset->jumps.stdev * asset->jumps.stdev / (LN2 * LN2);
    jump_thresholds(asset->jumps.intensity * (time_step->to - time_step->from),
                    c + MERTON_THRESHOLD);
done:
    return status;
}

/* ---- heston ---------------------------------------------------------------------------------- */

/* What the quadratic-exponential scheme makes of a step of dt years, in the letters of heston.h. */
struct exponential_step {
    double rho, rest2;   /* rho, 1 - rho^2 */
    double left, g1, g2; /* 1 - exp(-kappa dt) and the weights of the integral */
    double q;            /* xi^2 (1 - exp(-kappa dt)) / kappa */
    double tilt;         /* A */
};

/* Returns g2 = 1/(1 - exp(-y)) - 1/y, y = kappa dt; its series where the difference would cancel
 * (error 1e-12). */
static double weight_after(double y)
{
    return y < 0.05 ? 0.5 + y / 12.0 - y * y * y / 720.0 : -1.0 / expm1(-y) - 1.0 / y;
}

static struct exponential_step exponential_step(const struct heston *heston, double dt)
{
    struct exponential_step s;
    bool random = heston->xi >= XI_LEAST;
    double xi2 = random ? heston->xi * heston->xi : 0.0;
    double slope = random ? heston->rho / heston->xi : 0.0;
    s.rho = random ? heston->rho : 0.0;
    s.rest2 = 1.0 - s.rho * s.rho;
    s.left = -expm1(-heston->kappa * dt);
    s.g2 = random ? 0.5 : weight_after(heston->kappa * dt);
    s.g1 = 1.0 - s.g2;
    s.q = xi2 * s.left / heston->kappa;
    s.tilt = slope + s.g2 * dt * (heston->kappa * slope - 0.5 + 0.5 * s.rest2);
    return s;
}

static bool tilt_is_small(const struct heston *heston, double dt)
{
    struct exponential_step s = exponential_step(heston, dt);
    return fabs(s.tilt) * s.q <= HESTON_TILT * ROUNDING;
}

static void set_heston(double *c, enum heston_float which, double value)
{
    set_float_of_pairs(c + HESTON_PAIRS, (int)which, value);
}

static void exponential_coefficients(const struct heston *heston, double dt, double shift,
                                     double *c)
{
    struct exponential_step s = exponential_step(heston, dt);
    double level = heston->theta * s.left;
    set_heston(c, HESTON_RHO, s.rho);
    set_heston(c, HESTON_REST, sqrt(s.rest2));
    set_heston(c, HESTON_VARIANCE_SHIFT, s.rho * shift);
    set_heston(c, HESTON_SPOT_SHIFT, sqrt(s.rest2) * shift);
    set_heston(c, HESTON_CHANGE, -s.left);
    set_heston(c, HESTON_LEVEL, level > MEAN_LEAST ? level : MEAN_LEAST);
    set_heston(c, HESTON_SPREAD, s.q * (1.0 - s.left));
    set_heston(c, HESTON_SPREAD_LEVEL, 0.5 * s.q * level);
    set_heston(c, HESTON_A, s.tilt);
    set_heston(c, HESTON_A_SQUARE, 0.5 * s.tilt * s.tilt);
    set_heston(c, HESTON_A_LOG2, s.tilt / LN2);
    set_heston(c, HESTON_CLOCK_BEFORE, s.g1 * dt / (LN2 * LN2));
    set_heston(c, HESTON_CLOCK_AFTER, s.g2 * dt / (LN2 * LN2));
    set_heston(c, HESTON_REST_SQUARE, s.rest2);
}

static void truncation_coefficients(const struct heston *heston, double dt, double shift, double *c)
{
    set_heston(c, HESTON_SCHEME, 1.0);
    set_heston(c, HESTON_RHO, heston->rho);
    set_heston(c, HESTON_REST, sqrt(1.0 - heston->rho * heston->rho));
    set_heston(c, HESTON_VARIANCE_SHIFT, heston->rho * shift);
    set_heston(c, HESTON_SPOT_SHIFT, shift);
    set_heston(c, HESTON_CHANGE, -heston->kappa * dt);
    set_heston(c, HESTON_LEVEL, heston->kappa * heston->theta * dt);
    set_heston(c, HESTON_SPREAD, heston->xi * sqrt(dt));
    set_heston(c, HESTON_CLOCK_BEFORE, dt / (LN2 * LN2));
}

static enum status check_tilt(const struct asset *asset, double dt, struct message *why)
{
    if (asset->heston.scheme != SCHEME_QUADRATIC_EXPONENTIAL || tilt_is_small(&asset->heston, dt))
        return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "'%s': a step of %.6g years is too long for the quadratic-exponential scheme with xi "
             "= %g, rho = %g",
             asset->name, dt, asset->heston.xi, asset->heston.rho);
    return STATUS_FAILED;
}

static enum status heston_coefficients(const struct market *market, int index,
                                       const struct time_step *time_step, double *c,
                                       struct lookup *lookup, struct message *why)
{
    (void)lookup;
    enum status status = STATUS_OK;
    const struct asset *asset = &market->assets[index];
    double dt = time_step->to - time_step->from;
    struct measure measure;
    TRY(check_tilt(asset, dt, why));
    TRY(measure_of(market, index, time_step, &measure, why));
    struct growth growth = growth_over(market, asset, time_step);
    bool truncated = asset->heston.scheme == SCHEME_FULL_TRUNCATION;
    for (int i = 0; i < HESTON_COEFFICIENTS; i++) c[i] = 0.0;
    c[HESTON_GROWTH] = (growth.rate - growth.yield) / LN2;
    if (truncated)
        truncation_coefficients(&asset->heston, dt, quanto_shift(&measure, time_step), c);
    else exponential_coefficients(&asset->heston, dt, quanto_shift(&measure, time_step), c);
done:
    return status;
}

/* ---- bates ----------------------------------------------------------------------------------- */

static enum status bates_coefficients(const struct market *market, int index,
                                      const struct time_step *time_step, double *c,
                                      struct lookup *lookup, struct message *why)
{
    enum status status = STATUS_OK;
    const struct asset *asset = &market->assets[index];
    double expected = asset->jumps.intensity * (time_step->to - time_step->from);
    TRY(check_jumps(asset, time_step, why));
    TRY(heston_coefficients(market, index, time_step, c, lookup, why));
    for (int i = HESTON_COEFFICIENTS; i < BATES_COEFFICIENTS; i++) c[i] = 0.0;
    c[HESTON_GROWTH] -= jump_compensation(&asset->jumps, time_step) / LN2;
    c[BATES_JUMP_MEAN] = asset->jumps.mean / LN2;
    c[BATES_JUMP_VARIANCE] = asset->jumps.stdev * asset->jumps.stdev / (LN2 * LN2);
    jump_thresholds(expected, c + BATES_THRESHOLD);
done:
    return status;
}

/* ---- historical ------------------------------------------------------------------------------ */

/* Says how the index of a step follows: the first of a day has the day's. A step within rounding of
 * nothing leaves the next one to be the first. */
static enum historical_turn historical_turn(const struct history *history, double from, double to)
{
    if (from == 0.0) return HISTORICAL_START;
    if (from == to || from > floor(from)) return HISTORICAL_SAME;
    return fmod(from, history->block) == 0.0 ? HISTORICAL_START : HISTORICAL_NEXT;
}

/* Fills all but the table and what the drift makes up for, which historical_path() adds. */
static enum status historical_coefficients(const struct market *market, int index,
                                           const struct time_step *time_step, double *c,
                                           struct lookup *lookup, struct message *why)
{
    (void)lookup;
    enum status status = STATUS_OK;
    const struct asset *asset = &market->assets[index];
    double interval = asset->history.interval;
    double from = historical_days(time_step->from, interval),
           to = historical_days(time_step->to, interval);
    struct time_step day = {.from = floor(from) * interval, .to = (floor(from) + 1.0) * interval};
    struct measure measure;
    TRY(measure_of(market, index, time_step, &measure, why));
    if (measure.fx)
        TRY(refuse_quanto(asset, measure.fx,
                          "past returns that are drawn again have no correlation with it", why));
    if (to > floor(from) + 1.0) {
        snprintf(why->text, sizeof why->text,
                 "'%s': a step from %.6g to %.6g years is not within one day", asset->name,
                 time_step->from, time_step->to);
        TRY(STATUS_FAILED);
    }
    struct growth growth = growth_over(market, asset, time_step);
    double variance = variance_over(&asset->variance, &day);
    for (int i = 0; i < HISTORICAL_COEFFICIENTS; i++) c[i] = 0.0;
    c[HISTORICAL_DRIFT] = (growth.rate - growth.yield) / LN2;
    c[HISTORICAL_VOLATILITY] = sqrt(variance) / LN2 * (to - from);
    c[HISTORICAL_CLOCK] = variance / (LN2 * LN2) * (to - from);
    c[HISTORICAL_TURN] = historical_turn(&asset->history, from, to);
done:
    return status;
}

/* ---- every model ----------------------------------------------------------------------------- */

typedef enum status coefficients_function(const struct market *, int, const struct time_step *,
                                          double *, struct lookup *, struct message *);

static coefficients_function *const model_coefficients_of[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients, ...) [MODEL_##NAME] = name##_coefficients,
#include "models/dynamics/models.def"
#undef MODEL
};

#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    _Static_assert(factors <= MODEL_FACTORS_MAX && coefficients <= MODEL_COEFFICIENTS_MAX, #name); \
    enum { NAME##_ROW = coefficients };
#include "models/dynamics/models.def"
#undef MODEL
_Static_assert((int)LOCAL_VOL_COEFFICIENTS <= (int)LOCAL_VOL_ROW, "models.def");
_Static_assert((int)HESTON_COEFFICIENTS <= (int)HESTON_ROW, "models.def");
_Static_assert((int)BATES_COEFFICIENTS <= (int)BATES_ROW, "models.def");
_Static_assert((int)MERTON_COEFFICIENTS <= (int)MERTON_ROW, "models.def");
_Static_assert((int)HISTORICAL_COEFFICIENTS <= (int)HISTORICAL_ROW, "models.def");

enum status model_step_coefficients(const struct market *market, int asset,
                                    const struct time_step *time_step, double *c,
                                    struct lookup *lookup, struct message *why)
{
    return model_coefficients_of[market->assets[asset].model](market, asset, time_step, c, lookup,
                                                              why);
}

enum status model_path_coefficients(const struct market *market, int asset, int n_steps, int width,
                                    double *c, struct lookup *lookup, struct message *why)
{
    const struct asset *drawn_asset = &market->assets[asset];
    if (drawn_asset->model != MODEL_HISTORICAL) return STATUS_OK;
    return historical_path(drawn_asset, n_steps, (size_t)width, c, lookup, why);
}

void lookup_forget(struct lookup *lookup)
{
    local_vol_forget(lookup->paths);
    lookup->paths = NULL;
    lookup->later = NULL;
}

/* Returns how long a step may be: Euler's v' = v + kappa (theta - v) dt passes theta where kappa dt
 * > 1, and flies apart beyond 2. */
static double heston_longest(const struct asset *asset, double max_step)
{
    double step = max_step < 50.0 ? max_step : 50.0;
    if (asset->heston.scheme == SCHEME_FULL_TRUNCATION)
        step = fmin(step, 1.0 / asset->heston.kappa);
    if (asset->heston.scheme == SCHEME_QUADRATIC_EXPONENTIAL)
        while (!tilt_is_small(&asset->heston, step)) step *= 0.9;
    return step;
}

static double jumps_longest(const struct asset *asset)
{
    return asset->jumps.intensity > 0.0 ? JUMPS_A_STEP / asset->jumps.intensity : HUGE_VAL;
}

static double black_scholes_longest(const struct asset *asset, double max_step)
{
    (void)asset, (void)max_step;
    return HUGE_VAL;
}

static double local_vol_longest(const struct asset *asset, double max_step)
{
    (void)asset;
    return max_step;
}

static double merton_longest(const struct asset *asset, double max_step)
{
    (void)max_step;
    return jumps_longest(asset);
}

/* Days end on dates of the grid: app/pricing/plan/time_grid.c. */
static double historical_longest(const struct asset *asset, double max_step)
{
    (void)asset, (void)max_step;
    return HUGE_VAL;
}

static double bates_longest(const struct asset *asset, double max_step)
{
    return fmin(heston_longest(asset, max_step), jumps_longest(asset));
}

double model_longest_step(const struct asset *asset, double max_step)
{
    static double (*const longest[N_MODELS])(const struct asset *, double) = {
#define MODEL(NAME, name, factors, coefficients, ...) [MODEL_##NAME] = name##_longest,
#include "models/dynamics/models.def"
#undef MODEL
    };
    return longest[asset->model](asset, max_step);
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
