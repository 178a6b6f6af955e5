#include "validation/reference/growth_law.h"

#include <math.h>

#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>

#include "validation/reference/gaussian.h"

struct growth_interval growth_interval_between(const struct problem *problem, double from,
                                               double to, double weight, double tilt)
{
    enum model model = problem->asset->model;
    bool known = model == MODEL_BLACK_SCHOLES || model == MODEL_MERTON;
    double variance =
        known && to > from ? asset_increment(&problem->assets, 0, from, to).variance : 0.0;
    return (struct growth_interval){to - from, variance, weight, tilt};
}

/* Returns log(1 + z) / z, also where z is small. */
static double complex log1p_ratio(double complex z)
{
    if (cabs(z) >= 1e-3) return clog(1.0 + z) / z;
    double complex sum = 0.0;
    for (int n = 8; n >= 1; n--) sum = 1.0 / n - z * sum;
    return sum;
}

/* Returns (1 - exp(-d t)) / d, also where d is small. */
static double complex faded(double complex d, double t)
{
    double complex y = d * t;
    if (cabs(y) >= 1e-3) return (1.0 - cexp(-y)) / d;
    return t * (1.0 - y / 2.0 * (1.0 - y / 3.0 * (1.0 - y / 4.0 * (1.0 - y / 5.0))));
}

/* Adds a to `*sum` and returns B', where over an interval of t years
 *
 *     E exp(z ln growth + B v(t)) = exp(a + B' v(0))
 *
 * (Heston 1993; the exponent B at the end is what the intervals behind it ask). In time they solve
 * the Riccati equations dB/dt = xi^2 B^2 / 2 - b B - q / 2 and da/dt = kappa theta B. With
 * b = kappa - rho xi z, q = z - z^2, d^2 = b^2 + xi^2 q, Re d >= 0 (the little trap of Albrecher,
 * Mayer, Schoutens and Tistaert 2007), h = (b - d) / xi^2 and E = (1 - e^{-d t}) / d,
 *
 *     a = kappa theta (h t - 2 / xi^2 log(1 + xi^2 w)),   w = (h - B) E / 2,
 *     B' = (B (1 + e^{-d t}) - (q + b B) E) / (2 (1 + xi^2 w)),
 *
 * in which nothing is divided by xi that may be small. */
static double complex heston_interval(const struct heston *p, double t, double complex z,
                                      double complex B, double complex *sum)
{
    double xi2 = p->xi * p->xi;
    double complex b = p->kappa - p->rho * p->xi * z, q = z - z * z, d = csqrt(b * b + xi2 * q);
    double complex h = 0.0, E = faded(d, t);
    if (creal(b) < 0.0) h = (b - d) / xi2;
    else if (cabs(b + d) > 0.0) h = -q / (b + d);
    double complex w = 0.5 * (h - B) * E, y = xi2 * w;
    *sum += p->kappa * p->theta * (h * t - 2.0 * w * log1p_ratio(y));
    return 0.5 * (B * (1.0 + cexp(-d * t)) - (q + b * B) * E) / (1.0 + y);
}

/* Returns ln E exp(z ln growth) a year of the jumps, compensated (Merton 1976). */
static double complex jump_exponent(const struct jumps *jumps, double complex z)
{
    double variance = jumps->stdev * jumps->stdev, mean = expm1(jumps->mean + 0.5 * variance);
    double complex growth = cexp(z * jumps->mean + 0.5 * jumps->stdev * jumps->stdev * z * z);
    return jumps->intensity * (growth - 1.0 - z * mean);
}

/* Returns ln E* Y^z, backwards from the last interval. */
static double complex log_moment(const struct growth_law *law, double complex z)
{
    double complex sum = 0.0, B = 0.0;
    for (int i = law->n - 1; i >= 0; i--) {
        const struct growth_interval *interval = &law->intervals[i];
        double complex at = interval->tilt + interval->weight * z;
        if (interval->years <= 0.0) continue;
        sum -= 0.5 * interval->variance * (at - at * at);
        if (law->heston) B = heston_interval(law->heston, interval->years, at, B, &sum);
        if (law->jumps) sum += interval->years * jump_exponent(law->jumps, at);
    }
    return law->heston ? sum + B * law->heston->v0 : sum;
}

struct growth_law growth_law_of(const struct problem *problem,
                                const struct growth_interval *intervals, int n)
{
    const struct asset *asset = problem->asset;
    struct growth_law law = {.n = n, .intervals = intervals, .effort = problem->assets.effort};
    if (asset->model == MODEL_HESTON || asset->model == MODEL_BATES) law.heston = &asset->heston;
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) law.jumps = &asset->jumps;
    law.log_mean = creal(log_moment(&law, 1.0));
    return law;
}

double complex growth_law_characteristic(const struct growth_law *law, double complex u)
{
    return cexp(log_moment(law, I * u) - I * u * law->log_mean);
}

static const double STAGE_COST =
    15.0; /* of a stage's part in a characteristic function, in operations */

/* What an inversion integrates over u > 0: the difference between the law and a normal law. */
struct fourier_inversion {
    const struct growth_law *law;
    double variance; /* of the normal law */
    double log_k;
    double shift; /* characteristic functions are taken at u - i shift */
    bool option;  /* the kernel of an option, else that of a probability */
};

static double inversion_value(double u, void *context)
{
    const struct fourier_inversion *inversion = context;
    if (effort_spend(inversion->law->effort, STAGE_COST * (1.0 + inversion->law->n))) return NAN;
    double complex at = u - I * inversion->shift;
    double complex difference = growth_law_characteristic(inversion->law, at) -
                                cexp(-0.5 * inversion->variance * (at * at + I * at));
    difference *= cexp(-I * u * inversion->log_k);
    return inversion->option ? creal(difference) / (u * u + 0.25) : cimag(difference) / u;
}

/* Returns more than what lies beyond u, the characteristic functions falling. */
static double inversion_tail(const struct fourier_inversion *inversion, double u)
{
    double complex at = u - I * inversion->shift;
    double size = cabs(growth_law_characteristic(inversion->law, at)) +
                  cabs(cexp(-0.5 * inversion->variance * (at * at + I * at)));
    return inversion->option ? size / u : size;
}

/* Returns the integral over (0, infinity), panel after panel of doubling width, each by adaptive
 * Gauss-Kronrod. */
static struct bounded_value invert(const struct fourier_inversion *inversion)
{
    enum { ROOM = 400, PANELS = 26 };
    struct bounded_value sum = {0.0, 0.0};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(ROOM);
    if (!workspace) return (struct bounded_value){NAN, NAN};
    gsl_function function = {inversion_value, (void *)inversion};
    double from = 0.0, tail = INFINITY;
    for (int panel = 0; panel < PANELS && tail > 1e-15 && !isnan(sum.value); panel++) {
        double to = panel ? 2.0 * from : 2.0, value = 0.0, error = 0.0;
        gsl_integration_qag(&function, from, to, 1e-14, 1e-13, ROOM, GSL_INTEG_GAUSS61, workspace,
                            &value, &error);
        sum.value += value;
        sum.error += error;
        tail = inversion_tail(inversion, to);
        from = to;
    }
    sum.error += tail;
    gsl_integration_workspace_free(workspace);
    return sum;
}

static bool is_normal(const struct growth_law *law)
{
    return !law->heston && !law->jumps;
}

/* Returns the variance of the normal law with mean of log -variance / 2 that is taken out: that of
 * the law itself, exactly, where it is normal. */
static double normal_variance(const struct growth_law *law)
{
    const double h = 1e-3;
    double sum = 0.0;
    if (!is_normal(law)) return fmax(-2.0 * cimag(growth_law_characteristic(law, h)) / h, 0.0);
    for (int i = 0; i < law->n; i++)
        sum += law->intervals[i].weight * law->intervals[i].weight * law->intervals[i].variance;
    return sum;
}

/* Lewis (2000): E max(X - k, 0) = 1 - sqrt(k) / pi * integral over u > 0 of Re[k^{-iu} phi(u -
 * i/2)] / (u^2 + 1/4), of which the normal law's part is Black's formula; the difference alone is
 * integrated (Andersen and Piterbarg 2010, section 8.4). */
struct bounded_value growth_law_option(const struct growth_law *law, enum option option, double k)
{
    double variance = normal_variance(law), known = black(option, 1.0, k, variance);
    if (is_normal(law) || k <= 0.0) return (struct bounded_value){known, 0.0};
    struct fourier_inversion inversion = {law, variance, log(k), 0.5, true};
    struct bounded_value integral = invert(&inversion);
    double scale = sqrt(k) / M_PI;
    return (struct bounded_value){known - scale * integral.value, scale * integral.error};
}

/* Finds the probability by Gil-Pelaez (1951): P(X > k) = 1/2 + integral of Im[k^{-iu} phi(u)] / u
 * over u > 0, over pi; the normal law's part known, as above. Weighted by X, phi(u - i) takes the
 * place of phi(u). */
struct bounded_value growth_law_exercise(const struct growth_law *law, enum option option, double k,
                                         bool weighted)
{
    double variance = normal_variance(law);
    double known = black_exercise(option, weighted ? exp(variance) : 1.0, k, variance);
    if (is_normal(law) || k <= 0.0) return (struct bounded_value){known, 0.0};
    struct fourier_inversion inversion = {law, variance, log(k), weighted ? 1.0 : 0.0, false};
    struct bounded_value integral = invert(&inversion);
    double sign = option == OPTION_CALL ? 1.0 : -1.0;
    return (struct bounded_value){known + sign * integral.value / M_PI, integral.error / M_PI};
}
