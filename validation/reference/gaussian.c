#include "validation/reference/gaussian.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_erf.h>

double option_payoff(enum option option, double price, double strike)
{
    return fmax(option == OPTION_CALL ? price - strike : strike - price, 0.0);
}

double normal_cdf(double x)
{
    return gsl_cdf_ugaussian_P(x);
}

double normal_log_cdf(double x)
{
    if (x > -5.0) return log(gsl_cdf_ugaussian_P(x));
    if (x < -1e8) return -INFINITY;
    return gsl_sf_log_erfc(-x * M_SQRT1_2) - M_LN2;
}

double normal_between(double exponent, double a, double b)
{
    if (!(b > a)) return 0.0;
    if (a > 0.0) { /* both on the right: the same mass from the left tail, where differences keep
                      their digits */
        double mirrored = -b;
        b = -a;
        a = mirrored;
    }
    if (b > -5.0) return exp(exponent) * (gsl_cdf_ugaussian_P(b) - gsl_cdf_ugaussian_P(a));
    return exp(exponent + normal_log_cdf(b)) - exp(exponent + normal_log_cdf(a));
}

double black(enum option option, double forward, double strike, double variance)
{
    double sign = option == OPTION_CALL ? 1.0 : -1.0;
    if (strike <= 0.0 || variance <= 0.0 || forward <= 0.0)
        return fmax(sign * (forward - strike), 0.0);
    double deviation = sqrt(variance);
    double d1 = log(forward / strike) / deviation + 0.5 * deviation, d2 = d1 - deviation;
    return sign * (forward * normal_cdf(sign * d1) - strike * normal_cdf(sign * d2));
}

double black_exercise(enum option option, double forward, double strike, double variance)
{
    double sign = option == OPTION_CALL ? 1.0 : -1.0;
    if (strike <= 0.0 || variance <= 0.0) return sign * (forward - strike) > 0.0 ? 1.0 : 0.0;
    double deviation = sqrt(variance);
    return normal_cdf(sign * (log(forward / strike) / deviation - 0.5 * deviation));
}

enum status adaptive_integral(gsl_function function, double from, double to, int rule,
                              size_t intervals, double absolute, double relative,
                              struct bounded_value *integral)
{
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(intervals);
    if (!work) return STATUS_NO_MEMORY;
    gsl_integration_qag(&function, from, to, absolute, relative, intervals, rule, work,
                        &integral->value, &integral->error);
    gsl_integration_workspace_free(work);
    return STATUS_OK;
}

bool solve_positive(size_t n, double *system, double *right)
{
    gsl_matrix_view matrix = gsl_matrix_view_array(system, n, n);
    gsl_vector_view answer = gsl_vector_view_array(right, n);
    return !gsl_linalg_cholesky_decomp1(&matrix.matrix) &&
           !gsl_linalg_cholesky_svx(&matrix.matrix, &answer.vector);
}

enum status legendre_rule(size_t n, double *nodes, double *weights)
{
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(n);
    if (!rule) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        gsl_integration_glfixed_point(0.0, 1.0, i, &nodes[i], &weights[i], rule);
    gsl_integration_glfixed_table_free(rule);
    return STATUS_OK;
}
