/* Model prices of the quotes of a surface: characteristic functions of Heston and Bates, with their
 * derivatives by every parameter. */
#include "app/pricing/calibration/surface_quotes.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>

/* Heston (1993), as in Albrecher, Mayer, Schoutens and Tistaert (The little Heston trap, Wilmott,
 * January 2007), so that the logarithm stays on its main branch. With h = 1/2 + i u, q = u^2 + 1/4,
 * b = kappa - rho xi h, d^2 = b^2 + xi^2 q, E = e^{-d t}, M = d (1 + E) + b (1 - E): exponent = v0
 * D + theta C,  D = -q (1 - E) / M,  C = kappa / xi^2 ((b - d) t - 2 ln(M / (2 d))). The
 * derivatives by kappa, xi and rho follow by the chain rule; that they pay in a calibration is the
 * point of Y. Cui, S. del Bano Rollin and G. Germano, Full and fast calibration of the Heston
 * stochastic volatility model, European Journal of Operational Research 263 (2017) 625-638. */
struct riccati {
    double q, t;
    double complex b, d, E, M, C, D;
};

static struct riccati riccati_at(const double *p, double t, double u)
{
    double kappa = p[PARAMETER_HESTON_KAPPA], xi = p[PARAMETER_HESTON_XI],
           rho = p[PARAMETER_HESTON_RHO];
    struct riccati r = {.q = u * u + 0.25, .t = t, .b = kappa - rho * xi * (0.5 + I * u)};
    r.d = csqrt(r.b * r.b + xi * xi * r.q);
    r.E = cexp(-r.d * t);
    r.M = r.d * (1.0 + r.E) + r.b * (1.0 - r.E);
    r.D = -r.q * (1.0 - r.E) / r.M;
    r.C = kappa / (xi * xi) * ((r.b - r.d) * t - 2.0 * clog(r.M / (2.0 * r.d)));
    return r;
}

/* Returns the derivative of v0 D + theta kappa / xi^2 (...), kappa / xi^2 held, in the direction
 * that moves b by `b_by` and xi by `xi_by`. */
static double complex riccati_moved(const struct riccati *r, const double *p, double complex b_by,
                                    double xi_by)
{
    double xi = p[PARAMETER_HESTON_XI],
           scale = p[PARAMETER_HESTON_THETA] * p[PARAMETER_HESTON_KAPPA] / (xi * xi);
    double complex d_by = (r->b * b_by + xi * r->q * xi_by) / r->d, E_by = -r->t * r->E * d_by;
    double complex M_by = d_by * (1.0 + r->E) + r->d * E_by + b_by * (1.0 - r->E) - r->b * E_by;
    double complex D_by = r->q * (E_by + (1.0 - r->E) * M_by / r->M) / r->M;
    double complex L_by = (b_by - d_by) * r->t - 2.0 * (M_by / r->M - d_by / r->d);
    return p[PARAMETER_HESTON_V0] * D_by + scale * L_by;
}

static double complex heston_exponent(const double *p, double t, double u, double complex *gradient)
{
    struct riccati r = riccati_at(p, t, u);
    double complex h = 0.5 + I * u, drift = p[PARAMETER_HESTON_THETA] * r.C;
    if (gradient) {
        double kappa = p[PARAMETER_HESTON_KAPPA], xi = p[PARAMETER_HESTON_XI],
               rho = p[PARAMETER_HESTON_RHO];
        gradient[PARAMETER_HESTON_V0] = r.D;
        gradient[PARAMETER_HESTON_THETA] = r.C;
        gradient[PARAMETER_HESTON_KAPPA] = drift / kappa + riccati_moved(&r, p, 1.0, 0.0);
        gradient[PARAMETER_HESTON_XI] = -2.0 * drift / xi + riccati_moved(&r, p, -rho * h, 1.0);
        gradient[PARAMETER_HESTON_RHO] = riccati_moved(&r, p, -xi * h, 0.0);
    }
    return p[PARAMETER_HESTON_V0] * r.D + drift;
}

/* Jumps of Merton (1976), as D. Bates (Jumps and stochastic volatility, Review of Financial Studies
 * 9 (1996) 69-107) adds them: intensity t (E e^{h J} - 1 - h (E e^J - 1)), J normal. */
static double complex jump_exponent(const double *p, double t, double u, double complex *gradient)
{
    double mean = p[PARAMETER_JUMP_MEAN], stdev = p[PARAMETER_JUMP_STDEV],
           rate = p[PARAMETER_JUMP_INTENSITY] * t;
    double complex h = 0.5 + I * u, growth = cexp(h * (mean + 0.5 * h * stdev * stdev));
    double log_growth = mean + 0.5 * stdev * stdev;
    double complex one = growth - 1.0 - h * expm1(log_growth);
    if (gradient) {
        gradient[PARAMETER_JUMP_INTENSITY] = t * one;
        gradient[PARAMETER_JUMP_MEAN] = rate * h * (growth - exp(log_growth));
        gradient[PARAMETER_JUMP_STDEV] = rate * h * stdev * (h * growth - exp(log_growth));
    }
    return rate * one;
}

/* Computes the characteristic function of an expiry at its nodes, then its derivatives by every
 * parameter: real and imaginary parts in rows of `work`. */
static void make_rows(const struct expiry_nodes *expiry, double t, int n, const double *parameters,
                      bool derived, double *work)
{
    int n_nodes = expiry->n_nodes;
    for (int node = 0; node < n_nodes; node++) {
        double complex gradient[N_PARAMETERS] = {0};
        double complex *slopes = derived ? gradient : NULL;
        double complex exponent = heston_exponent(parameters, t, expiry->u[node], slopes);
        if (n > N_HESTON_PARAMETERS)
            exponent += jump_exponent(parameters, t, expiry->u[node], slopes);
        double complex phi = cexp(exponent);
        work[node] = creal(phi);
        work[n_nodes + node] = cimag(phi);
        for (int i = 0; derived && i < n; i++) {
            double complex by = phi * gradient[i];
            work[(2 * i + 2) * n_nodes + node] = creal(by);
            work[(2 * i + 3) * n_nodes + node] = cimag(by);
        }
    }
}

static double sum_of(const struct expiry_nodes *expiry, int strike, const double *real)
{
    int n = expiry->n_nodes;
    const double *imaginary = real + n;
    const double *cosines = expiry->cosines + (size_t)strike * (size_t)n;
    const double *sines = expiry->sines + (size_t)strike * (size_t)n;
    double sums[NODE_LANES] = {0.0}, sum = 0.0;
    for (int i = 0; i < n; i += NODE_LANES)
        for (int j = 0; j < NODE_LANES; j++)
            sums[j] += cosines[i + j] * real[i + j] + sines[i + j] * imaginary[i + j];
    for (int j = 0; j < NODE_LANES; j++) sum += sums[j];
    return sum;
}

void model_values(const struct surface_quotes *quotes, int n_parameters, const double *parameters,
                  double *values, double *gradient)
{
    for (int i = 0; i < quotes->n_times; i++) {
        const struct expiry_nodes *expiry = &quotes->expiries[i];
        int first = i * quotes->n_strikes;
        double t = quotes->list[first].time;
        make_rows(expiry, t, n_parameters, parameters, gradient != NULL, quotes->work);
        for (int j = 0; j < quotes->n_strikes; j++) {
            values[first + j] = expiry->bases[j] - sum_of(expiry, j, quotes->work);
            for (int p = 0; gradient && p < n_parameters; p++)
                gradient[(first + j) * n_parameters + p] =
                    -sum_of(expiry, j, quotes->work + (2 * p + 2) * expiry->n_nodes);
        }
    }
}
