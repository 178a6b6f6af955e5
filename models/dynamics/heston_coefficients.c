#include <math.h>
#include <stdbool.h>

#include "models/dynamics/dynamics.h"
#include "models/dynamics/model_coefficients.h"
#include "models/dynamics/step_measure.h"
#include "models/math/constants.h"

#define XI_LEAST 1e-7    /* below it the variance is taken as deterministic */
#define MEAN_LEAST 1e-15 /* of v': keeps 1/m a float where theta = 0 */

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
    return fabs(s.tilt) * s.q <= HESTON_TILT * STEP_ROUNDING;
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
    return say_why(STATUS_FAILED, why,
                   "'%s': a step of %.6g years is too long for the quadratic-exponential scheme "
                   "with xi = %g, rho = %g",
                   asset->name, dt, asset->heston.xi, asset->heston.rho);
}

enum status heston_coefficients(const struct market *market, int index,
                                const struct time_step *time_step, double *c, struct lookup *lookup,
                                struct message *why)
{
    (void)lookup;
    const struct asset *asset = &market->assets[index];
    double dt = time_step->to - time_step->from;
    struct measure measure;
    MUST(check_tilt(asset, dt, why));
    MUST(measure_of(market, index, time_step, &measure, why));
    bool truncated = asset->heston.scheme == SCHEME_FULL_TRUNCATION;
    for (int i = 0; i < HESTON_COEFFICIENTS; i++) c[i] = 0.0;
    c[HESTON_GROWTH] = growth_over(market, asset, time_step) / LN2;
    if (truncated)
        truncation_coefficients(&asset->heston, dt, quanto_shift(&measure, time_step), c);
    else exponential_coefficients(&asset->heston, dt, quanto_shift(&measure, time_step), c);
    return STATUS_OK;
}

/* Returns the longest step to a date: on the way to a near one so short that the variance of v over
 * it, xi^2 v dt, is not far from a third of v^2, but of FEWEST to ENOUGH in all. Of a call of 10
 * days, half a deviation out of the money, with v0 = 0.0225 and xi = 2, one step is 12.7 % off,
 * four 1.75 %, eight 0.4 % and sixteen 0.1 %. */
#define NEAR_DATE 0.64 /* years: ENOUGH steps of 0.02 */
static double longest_to(const struct heston *heston, double date)
{
    enum { FEWEST = 4, ENOUGH = 32 };
    double variance = fmax(heston->v0, 0.1 * heston->theta);
    double wanted = heston->xi * heston->xi * date / (0.3 * variance);
    if (date >= NEAR_DATE) return HUGE_VAL;
    return date / (wanted > FEWEST ? fmin(wanted, ENOUGH) : FEWEST); /* no variance: FEWEST */
}

/* Returns how long a step may be: Euler's v' = v + kappa (theta - v) dt passes theta where kappa dt
 * > 1, and flies apart beyond 2. The trapezoid of quadratic-exponential steps knows no kappa dt:
 * with kappa 50 and xi 1 steps of 1/kappa are 0.8 % off on a call and 2.7 % on a variance swap. */
#define FAST 5.0 /* a year: a slower variance is left to max_step */
double heston_longest(const struct asset *asset, double date, double max_step)
{
    double step = fmin(fmin(max_step, 50.0), longest_to(&asset->heston, date));
    if (asset->heston.scheme == SCHEME_FULL_TRUNCATION)
        step = fmin(step, 1.0 / asset->heston.kappa);
    if (asset->heston.scheme == SCHEME_QUADRATIC_EXPONENTIAL && asset->heston.xi >= XI_LEAST &&
        asset->heston.kappa > FAST)
        step = fmin(step, 0.125 / asset->heston.kappa);
    if (asset->heston.scheme == SCHEME_QUADRATIC_EXPONENTIAL)
        while (!tilt_is_small(&asset->heston, step)) step *= 0.9;
    return step;
}

double heston_square_ends(const struct heston *heston)
{
    double xi2 = heston->xi * heston->xi, a = 2.0 * heston->rho * heston->xi - heston->kappa;
    double square =
        a * a -
        2.0 * xi2; /* of the difference of the roots of xi^2 B^2 / 2 + a B + 1, times xi^4 / 4 */
    bool none = heston->v0 == 0.0 && heston->theta == 0.0;
    if (none || heston->xi < XI_LEAST) return HUGE_VAL;
    if (square < 0.0) return 2.0 * atan2(sqrt(-square), a) / sqrt(-square);
    if (a < 0.0) return HUGE_VAL; /* B rises to a root and stays */
    double root = sqrt(square);
    return root < 1e-6 * a ? 2.0 / a : log((a + root) / (a - root)) / root;
}
