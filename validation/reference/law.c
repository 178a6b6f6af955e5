#include "validation/reference/law.h"

#include <math.h>
#include <stdio.h>

#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>

#include "validation/reference/gaussian.h"

enum status law_between(const struct problem *problem, double from, double to, struct law *law,
                        struct message *why)
{
    const struct asset *asset = problem->asset;
    *law = (struct law){.from = from, .to = to};
    switch (asset->model) {
    case MODEL_BLACK_SCHOLES:
    case MODEL_MERTON: law->variance = terms_leg(&problem->terms, from, to).variance; break;
    case MODEL_HESTON:
    case MODEL_BATES: law->heston = &asset->heston; break;
    default:
        snprintf(why->text, sizeof why->text, "no characteristic function under %s",
                 model_name(asset->model));
        return STATUS_FAILED;
    }
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) law->jumps = &asset->jumps;
    return STATUS_OK;
}

/* log(1 + z) / z, also where z is small. */
static double complex log1p_ratio(double complex z)
{
    if (cabs(z) < 1e-3) {
        double complex sum = 0.0;
        for (int n = 8; n >= 1; n--) sum = 1.0 / n - z * sum;
        return sum;
    }
    return clog(1.0 + z) / z;
}

/* (1 - exp(-a t)) / a for real a of any sign. */
static double faded(double a, double t)
{
    return fabs(a * t) < 1e-12 ? t : -expm1(-a * t) / a;
}

/* ln E exp(i u ln X), Heston (1993). With b = kappa - i rho xi u, d^2 = b^2 + xi^2 (u^2 + i u) and the root
 * that Albrecher, Mayer, Schoutens and Tistaert (2007) call the little trap, written so that nothing is
 * divided by xi: h = (b - d) / xi^2 = -(u^2 + i u) / (b + d),   z = xi^2 h (1 - e^{-d t}) / (2 d), E =
 * exp(kappa theta (h t - 2 log(1 + z) / xi^2) + D v),   D = (b + d) z / (xi^2 (1 + z)) where 1 - g e^{-d t} =
 * (1 + z) 2 d / (b + d), g = (b - d) / (b + d). The variance v at the start of the growth is v0, or a
 * multiple of a non-central chi-square of known moment generating function: under the measure of the asset it
 * reverts at kappa - rho xi (Kruse and Noegel 2005, forward starts). */
static double complex heston_exponent(const struct law *law, double complex u)
{
    const struct heston *p = law->heston;
    double t = law->to - law->from, xi2 = p->xi * p->xi;
    double complex b = p->kappa - I * p->rho * p->xi * u, q = u * u + I * u;
    double complex d = csqrt(b * b + xi2 * q);
    double complex h = -q / (b + d), left = 1.0 - cexp(-d * t);
    double complex w = h * left / (2.0 * d), z = xi2 * w; /* 1 - g e^{-dt} over 1 - g is 1 + z */
    double complex constant = p->kappa * p->theta * (h * t - 2.0 * w * log1p_ratio(z));
    double complex slope = w * (b + d) / (1.0 + z);
    if (law->from <= 0.0) return constant + slope * p->v0;
    double reversion = p->kappa - p->rho * p->xi, scale = 0.5 * faded(reversion, law->from);
    double complex y = -scale * slope; /* times xi^2: minus the argument that the chi-square sees */
    double complex moment = -2.0 * p->kappa * p->theta * y * log1p_ratio(xi2 * y);
    return constant + moment + slope * p->v0 * exp(-reversion * law->from) / (1.0 + xi2 * y);
}

static double jump_compensation(const struct jumps *jumps)
{
    return expm1(jumps->mean + 0.5 * jumps->stdev * jumps->stdev);
}

/* ln E exp(i u ln X) of the jumps, compensated (Merton 1976). */
static double complex jump_exponent(const struct law *law, double complex u)
{
    const struct jumps *jumps = law->jumps;
    double complex growth = cexp(I * u * jumps->mean - 0.5 * jumps->stdev * jumps->stdev * u * u);
    return jumps->intensity * (law->to - law->from) * (growth - 1.0 - I * u * jump_compensation(jumps));
}

double complex law_characteristic(const struct law *law, double complex u)
{
    double complex exponent = -0.5 * law->variance * (u * u + I * u);
    if (law->heston) exponent += heston_exponent(law, u);
    if (law->jumps) exponent += jump_exponent(law, u);
    return cexp(exponent);
}

/* The mean of v under the measure of the asset up to `from`, under the pricing measure after it. */
static double mean_variance(const struct law *law)
{
    const struct heston *p = law->heston;
    double reversion = p->kappa - p->rho * p->xi, t = law->to - law->from;
    double v = p->v0 * exp(-reversion * law->from) + p->kappa * p->theta * faded(reversion, law->from);
    return p->theta * t + (v - p->theta) * faded(p->kappa, t);
}

double law_mean_log(const struct law *law)
{
    double mean = -0.5 * law->variance;
    if (law->heston) mean -= 0.5 * mean_variance(law);
    if (law->jumps)
        mean += law->jumps->intensity * (law->to - law->from) *
                (law->jumps->mean - jump_compensation(law->jumps));
    return mean;
}

/* What an inversion integrates over u > 0: the difference between the law and the normal law of the same
 * mean. */
struct inversion {
    const struct law *law;
    double variance; /* of the normal law */
    double log_k;
    double shift; /* characteristic functions are taken at u - i shift */
    bool option;  /* the kernel of an option, else that of a probability */
};

static double inversion_value(double u, void *context)
{
    const struct inversion *inversion = context;
    double complex at = u - I * inversion->shift;
    double complex difference =
        law_characteristic(inversion->law, at) - cexp(-0.5 * inversion->variance * (at * at + I * at));
    difference *= cexp(-I * u * inversion->log_k);
    return inversion->option ? creal(difference) / (u * u + 0.25) : cimag(difference) / u;
}

/* What lies beyond u is less than this, the characteristic functions falling. */
static double inversion_tail(const struct inversion *inversion, double u)
{
    double complex at = u - I * inversion->shift;
    double size = cabs(law_characteristic(inversion->law, at)) +
                  cabs(cexp(-0.5 * inversion->variance * (at * at + I * at)));
    return inversion->option ? size / u : size;
}

/* The integral over (0, infinity), panel after panel of doubling width, each by adaptive Gauss-Kronrod. */
static struct estimate invert(const struct inversion *inversion)
{
    enum { ROOM = 400, PANELS = 26 };
    struct estimate sum = {0.0, 0.0};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(ROOM);
    if (!workspace) return (struct estimate){NAN, NAN};
    gsl_function function = {inversion_value, (void *)inversion};
    double from = 0.0, tail = INFINITY;
    for (int panel = 0; panel < PANELS && tail > 1e-15; panel++) {
        double to = panel ? 2.0 * from : 2.0, value = 0.0, error = 0.0;
        gsl_integration_qag(&function, from, to, 1e-14, 1e-13, ROOM, GSL_INTEG_GAUSS61, workspace, &value,
                            &error);
        sum.value += value;
        sum.error += error;
        tail = inversion_tail(inversion, to);
        from = to;
    }
    sum.error += tail;
    gsl_integration_workspace_free(workspace);
    return sum;
}

/* Lewis (2000): E max(X - k, 0) = 1 - sqrt(k) / pi * integral over u > 0 of Re[k^{-iu} phi(u - i/2)] / (u^2 +
 * 1/4), of which the normal law's part is Black's formula; the difference alone is integrated (Andersen and
 * Piterbarg 2010, section 8.4). */
struct estimate law_option(const struct law *law, enum option option, double k)
{
    double variance = -2.0 * law_mean_log(law), known = black(option, 1.0, k, variance);
    struct inversion inversion = {law, variance, log(k), 0.5, true};
    struct estimate integral = {0.0, 0.0};
    if (law->heston || law->jumps) integral = invert(&inversion);
    double scale = sqrt(k) / M_PI;
    return (struct estimate){known - scale * integral.value, scale * integral.error};
}

/* Gil-Pelaez (1951): P(X > k) = 1/2 + integral of Im[k^{-iu} phi(u)] / u over u > 0, over pi; the normal
 * law's part known, as above. Weighted by X, phi(u - i) takes the place of phi(u). */
struct estimate law_exercise(const struct law *law, enum option option, double k, bool weighted)
{
    double variance = -2.0 * law_mean_log(law);
    double known = black_exercise(option, weighted ? exp(variance) : 1.0, k, variance);
    struct inversion inversion = {law, variance, log(k), weighted ? 1.0 : 0.0, false};
    struct estimate integral = {0.0, 0.0};
    if (law->heston || law->jumps) integral = invert(&inversion);
    double sign = option == OPTION_CALL ? 1.0 : -1.0;
    return (struct estimate){known + sign * integral.value / M_PI, integral.error / M_PI};
}
