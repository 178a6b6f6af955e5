/* Two searches from each of a few starts, by Levenberg and Marquardt's method (GSL's
 * multifit_nlinear).
 *
 * The first is on differences of value over the vega of the market: to first order those of
 * volatility, smooth wherever the search may stray, but wrong by a lot in the wings of short
 * expiries. The second, from the best ends of the first, is on the implied volatilities themselves.
 * Every used quote has the same weight. */
#include "app/pricing/calibration/model_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>

const struct parameter_row parameter_rows[N_PARAMETERS] = {
    [PARAMETER_HESTON_V0] = {"v0", 1e-5, 4.0, true},
    [PARAMETER_HESTON_KAPPA] = {"kappa", 0.01, 50.0, true},
    [PARAMETER_HESTON_THETA] = {"theta", 1e-5, 4.0, true},
    [PARAMETER_HESTON_XI] = {"xi", 0.02, 10.0, true},
    [PARAMETER_HESTON_RHO] = {"rho", -0.999, 0.999, false},
    [PARAMETER_JUMP_INTENSITY] = {"intensity", 1e-3, 20.0, true},
    [PARAMETER_JUMP_MEAN] = {"mean", -1.0, 1.0, false},
    [PARAMETER_JUMP_STDEV] = {"stdev", 1e-3, 1.0, true},
};

enum { POLISHED = 2, ROUGH_ITERATIONS = 40, FINE_ITERATIONS = 400, ROUND = 25, STARTS_MAX = 16 };

/* A search is at rest where the residuals are this near to a right angle with every column of the
 * Jacobian, or vanish, or where a ROUND of iterations lowers the root mean square error by a share
 * of ROUND_SHARE only: along a valley that the surface leaves flat, as kappa against theta where
 * there is one expiry. */
#define REST_COSINE 1e-4
#define ROUND_SHARE 1e-3
#define NO_RESIDUAL 1e-5 /* a tenth of a basis point, root mean square */
#define BOUND_SHARE 1e-3 /* of the range between a parameter's bounds */

int fit_parameters(enum model model)
{
    return model == MODEL_BATES ? N_PARAMETERS : N_HESTON_PARAMETERS;
}

/* ---- from a parameter to a number without bounds, and back ----------------------------------- */

/* Returns the share of the way between the bounds, 0 to 1. */
static double share_of(int i, double value)
{
    const struct parameter_row *row = &parameter_rows[i];
    if (row->logarithmic) return log(value / row->low) / log(row->high / row->low);
    return (value - row->low) / (row->high - row->low);
}

static double to_free(int i, double value)
{
    double share = fmin(fmax(share_of(i, value), 1e-6), 1.0 - 1e-6);
    return log(share / (1.0 - share));
}

/* Returns the parameter that a free number stands for, and its derivative by that number. */
static double from_free(int i, double x, double *slope)
{
    const struct parameter_row *row = &parameter_rows[i];
    double share = 1.0 / (1.0 + exp(-x)), steep = share * (1.0 - share);
    double range = row->logarithmic ? log(row->high / row->low) : row->high - row->low;
    double value = row->logarithmic ? row->low * exp(range * share) : row->low + range * share;
    *slope = steep * range * (row->logarithmic ? value : 1.0);
    return value;
}

/* ---- residuals ------------------------------------------------------------------------------- */

struct fit_search {
    const struct surface_quotes *quotes;
    int n_parameters;
    bool on_volatilities; /* else on values over vega */
    double *values;       /* [quotes->n] */
    double *gradient;     /* [quotes->n][n_parameters] */
};

static void read_point(const struct fit_search *search, const gsl_vector *x, double *parameters,
                       double *slopes)
{
    for (int i = 0; i < search->n_parameters; i++)
        parameters[i] = from_free(i, gsl_vector_get(x, (size_t)i), &slopes[i]);
}

/* Returns the residual of a quote in volatility, and what a change of its value makes of it. */
static double residual_of(const struct fit_search *search, int at, double *by_value)
{
    const struct quote *quote = &search->quotes->list[at];
    double value = search->values[at];
    *by_value = 1.0 / quote->vega;
    if (!isfinite(value)) return 10.0;
    if (!search->on_volatilities) return (value - quote->value) / quote->vega;
    double volatility = black_implied(quote->k, quote->time, value);
    *by_value = 1.0 / fmax(black_vega(quote->k, quote->time, volatility), 1e-3 * quote->vega);
    return volatility - quote->volatility;
}

/* Finds the residuals of the quotes that are used, or their derivatives; the other is NULL. */
static int evaluate(const gsl_vector *x, const struct fit_search *search, gsl_vector *f,
                    gsl_matrix *J)
{
    double parameters[N_PARAMETERS], slopes[N_PARAMETERS], by_value;
    size_t row = 0;
    int n = search->n_parameters;
    read_point(search, x, parameters, slopes);
    model_values(search->quotes, n, parameters, search->values, J ? search->gradient : NULL);
    for (int at = 0; at < search->quotes->n; at++) {
        if (!search->quotes->list[at].used) continue;
        double residual = residual_of(search, at, &by_value);
        if (f) gsl_vector_set(f, row, residual);
        for (int i = 0; J && i < n; i++) {
            double slope = by_value * search->gradient[at * n + i] * slopes[i];
            gsl_matrix_set(J, row, (size_t)i, isfinite(slope) ? slope : 0.0);
        }
        row++;
    }
    return GSL_SUCCESS;
}

static int residuals(const gsl_vector *x, void *search, gsl_vector *f)
{
    return evaluate(x, search, f, NULL);
}

static int jacobian(const gsl_vector *x, void *search, gsl_matrix *J)
{
    return evaluate(x, search, NULL, J);
}

/* ---- one search ------------------------------------------------------------------------------ */

/* Where a search ended. */
struct search_end {
    double parameters[N_PARAMETERS], errors[N_PARAMETERS];
    double squares; /* sum of squared residuals */
    bool at_rest;
};

static bool at_bound(int i, double value)
{
    double share = share_of(i, value);
    return share < BOUND_SHARE || share > 1.0 - BOUND_SHARE;
}

/* Returns the largest cosine between the residuals and a column of the Jacobian, of parameters
 * within their bounds. */
static double steepest(const gsl_vector *f, gsl_matrix *J, const struct search_end *end)
{
    double largest = 0.0, length = gsl_blas_dnrm2(f);
    for (size_t i = 0; i < J->size2; i++) {
        gsl_vector_view column = gsl_matrix_column(J, i);
        double along = 0.0, size = gsl_blas_dnrm2(&column.vector);
        if (at_bound((int)i, end->parameters[i]) || !(size > 0.0)) continue;
        gsl_blas_ddot(f, &column.vector, &along);
        largest = fmax(largest, fabs(along) / (size * length));
    }
    return largest;
}

/* Sets standard errors from the covariance s^2 (J'J)^-1, s^2 the residual variance, taken to the
 * parameters themselves (delta method). */
static enum status set_errors(gsl_matrix *J, const double *slopes, struct search_end *end)
{
    size_t n = J->size2;
    gsl_matrix *covariance = gsl_matrix_alloc(n, n);
    if (!covariance) return STATUS_NO_MEMORY;
    double variance = end->squares / (double)(J->size1 - n);
    bool known = !gsl_multifit_nlinear_covar(J, 1e-10, covariance);
    for (size_t i = 0; i < n; i++) {
        double squared = known ? gsl_matrix_get(covariance, i, i) : 0.0;
        end->errors[i] = squared > 0.0 ? slopes[i] * sqrt(variance * squared) : NAN;
    }
    gsl_matrix_free(covariance);
    return STATUS_OK;
}

static enum status read_end(struct fit_search *search, gsl_multifit_nlinear_workspace *workspace,
                            bool slow, struct search_end *end)
{
    double slopes[N_PARAMETERS];
    gsl_vector *f = gsl_multifit_nlinear_residual(workspace);
    gsl_matrix *J = gsl_multifit_nlinear_jac(workspace);
    read_point(search, gsl_multifit_nlinear_position(workspace), end->parameters, slopes);
    gsl_blas_ddot(f, f, &end->squares);
    end->at_rest = slow || sqrt(end->squares / (double)f->size) < NO_RESIDUAL ||
                   steepest(f, J, end) < REST_COSINE;
    return set_errors(J, slopes, end);
}

/* Iterates until GSL sees no way on, at most `limit` times, or a round brings next to nothing: true
 * then. */
static bool iterate(gsl_multifit_nlinear_workspace *workspace, int limit)
{
    const gsl_vector *f = gsl_multifit_nlinear_residual(workspace);
    double before = gsl_blas_dnrm2(f);
    for (int left = limit; left > 0; left -= ROUND) {
        int info = 0, round = left < ROUND ? left : ROUND;
        /* Its verdict is not asked beyond that: no progress is what the best point shows, too. */
        if (gsl_multifit_nlinear_driver((size_t)round, 1e-10, 1e-12, 0.0, NULL, NULL, &info,
                                        workspace) != GSL_EMAXITER)
            return false;
        double after = gsl_blas_dnrm2(f);
        if (round == ROUND && after > (1.0 - ROUND_SHARE) * before) return true;
        before = after;
    }
    return false;
}

/* Seeks from `end` as the start, and leaves in `end` where that led. */
static enum status seek(struct fit_search *search, int limit, struct search_end *end,
                        int *iterations)
{
    enum status status = STATUS_OK;
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    size_t n = (size_t)search->n_parameters, n_used = (size_t)search->quotes->n_used;
    gsl_multifit_nlinear_fdf functions = {
        .f = residuals, .df = jacobian, .n = n_used, .p = n, .params = search};
    gsl_multifit_nlinear_workspace *workspace =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, n_used, n);
    gsl_vector *x = gsl_vector_alloc(n);
    if (!workspace || !x) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < n; i++) gsl_vector_set(x, i, to_free((int)i, end->parameters[i]));
    if (gsl_multifit_nlinear_init(x, &functions, workspace)) TRY(STATUS_NO_MEMORY);
    bool slow = iterate(workspace, limit);
    *iterations += (int)gsl_multifit_nlinear_niter(workspace);
    TRY(read_end(search, workspace, slow, end));
done:
    gsl_vector_free(x);
    if (workspace) gsl_multifit_nlinear_free(workspace);
    return status;
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Makes the starts: variance now from the shortest expiry and in the long run from the longest; the
 * others as markets have them. */
static int heston_starts(const struct surface_quotes *quotes, struct search_end *starts)
{
    static const double table[][3] = {/* kappa, xi, rho */
                                      {2.0, 0.5, -0.7}, {0.5, 0.3, -0.5}, {6.0, 1.5, -0.6},
                                      {2.0, 0.5, 0.0},  {6.0, 0.8, 0.3},  {1.0, 1.0, -0.8}};
    enum { N = sizeof table / sizeof *table };
    double near = quote_at_the_money(quotes, 0)->volatility,
           far = quote_at_the_money(quotes, quotes->n_times - 1)->volatility;
    for (int i = 0; i < N; i++) {
        double *p = starts[i].parameters;
        p[PARAMETER_HESTON_V0] = near * near;
        p[PARAMETER_HESTON_KAPPA] = table[i][0];
        p[PARAMETER_HESTON_THETA] = far * far;
        p[PARAMETER_HESTON_XI] = table[i][1];
        p[PARAMETER_HESTON_RHO] = table[i][2];
    }
    return N;
}

/* Jumps on top of the best of Heston, so that the fit is never worse; jumps that take a part of the
 * variance over; and jumps on the first of Heston's own starts. */
static int bates_starts(const struct surface_quotes *quotes, const struct model_fit *heston,
                        struct search_end *starts)
{
    static const double table[][3] = {/* intensity, mean, stdev */
                                      {0.002, -0.1, 0.1},
                                      {0.1, -0.15, 0.15},
                                      {0.5, -0.1, 0.1},
                                      {0.2, 0.1, 0.1},
                                      {2.0, -0.05, 0.1}};
    enum { N = sizeof table / sizeof *table };
    struct search_end heston_own[STARTS_MAX];
    heston_starts(quotes, heston_own);
    for (int i = 0; i < 2 * N - 1; i++) {
        double *p = starts[i].parameters;
        memcpy(p, i < N ? heston->parameters : heston_own[0].parameters,
               N_HESTON_PARAMETERS * sizeof *p);
        memcpy(p + N_HESTON_PARAMETERS, table[i < N ? i : i - N + 1], 3 * sizeof *p);
        double jumps =
            p[PARAMETER_JUMP_INTENSITY] * (p[PARAMETER_JUMP_MEAN] * p[PARAMETER_JUMP_MEAN] +
                                           p[PARAMETER_JUMP_STDEV] * p[PARAMETER_JUMP_STDEV]);
        p[PARAMETER_HESTON_V0] = fmax(p[PARAMETER_HESTON_V0] - jumps, 0.3 * p[PARAMETER_HESTON_V0]);
        p[PARAMETER_HESTON_THETA] =
            fmax(p[PARAMETER_HESTON_THETA] - jumps, 0.3 * p[PARAMETER_HESTON_THETA]);
    }
    return 2 * N - 1;
}

/* ---- the fit --------------------------------------------------------------------------------- */

static int by_squares(const void *a, const void *b)
{
    double left = ((const struct search_end *)a)->squares,
           right = ((const struct search_end *)b)->squares;
    return (left > right) - (left < right);
}

static void keep(const struct fit_search *search, const struct search_end *end,
                 struct model_fit *fit)
{
    const struct surface_quotes *quotes = search->quotes;
    double squares = 0.0;
    fit->largest = 0.0;
    for (int i = 0; i < fit->n; i++) {
        fit->parameters[i] = end->parameters[i];
        fit->at_bound[i] = at_bound(i, end->parameters[i]);
        fit->errors[i] = fit->at_bound[i] ? NAN : end->errors[i];
    }
    model_values(quotes, fit->n, fit->parameters, search->values, NULL);
    for (int at = 0; at < quotes->n; at++) {
        const struct quote *quote = &quotes->list[at];
        fit->volatilities[at] = black_implied(quote->k, quote->time, search->values[at]);
        double miss = fit->volatilities[at] - quote->volatility;
        if (!quote->used) continue;
        squares += miss * miss;
        if (fabs(miss) < fabs(fit->largest)) continue;
        fit->largest = miss;
        fit->worst = at;
    }
    fit->rmse = sqrt(squares / quotes->n_used);
}

/* Seeks from all starts roughly, and from the best of them to the end. */
static enum status seek_all(struct fit_search *search, struct search_end *ends, int n,
                            const struct fit_options *options, struct model_fit *fit)
{
    int limit = options->iterations;
    search->on_volatilities = false;
    for (int i = 0; i < n; i++) {
        if (asked_to_stop(options->stop)) return STATUS_INTERRUPTED;
        MUST(seek(search, limit ? limit : ROUGH_ITERATIONS, &ends[i], &fit->iterations));
    }
    qsort(ends, (size_t)n, sizeof *ends, by_squares);
    search->on_volatilities = true;
    for (int i = 0; i < POLISHED; i++) {
        if (asked_to_stop(options->stop)) return STATUS_INTERRUPTED;
        MUST(seek(search, limit ? limit : FINE_ITERATIONS, &ends[i], &fit->iterations));
    }
    qsort(ends, POLISHED, sizeof *ends, by_squares);
    fit->starts += n;
    keep(search, &ends[0], fit);
    return STATUS_OK;
}

static enum status begin_fit(const struct surface_quotes *quotes, enum model model,
                             struct model_fit *fit, struct fit_search *search)
{
    int n = fit_parameters(model);
    *fit = (struct model_fit){.model = model, .n = n};
    *search = (struct fit_search){.quotes = quotes, .n_parameters = n};
    fit->volatilities = calloc((size_t)quotes->n, sizeof *fit->volatilities);
    search->values = calloc((size_t)quotes->n, sizeof *search->values);
    search->gradient = calloc((size_t)quotes->n * (size_t)n, sizeof *search->gradient);
    return fit->volatilities && search->values && search->gradient ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status fit_possible(const struct surface_quotes *quotes, enum model model, struct message *why)
{
    int n = fit_parameters(model);
    if (quotes->n_used > n) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "a surface of %d quotes that can be used is too small for the %d parameters of %s: at "
             "least %d "
             "are needed",
             quotes->n_used, n, model_name(model), n + 1);
    return STATUS_BAD_INPUT;
}

enum status fit_surface(const struct surface_quotes *quotes, enum model model,
                        const struct fit_options *options, struct model_fit *fit,
                        struct message *why)
{
    enum status status = STATUS_OK;
    struct fit_search search = {0};
    struct model_fit heston = {0};
    struct search_end ends[STARTS_MAX] = {0};
    int n;
    TRY(begin_fit(quotes, model, fit, &search));
    TRY(fit_possible(quotes, model, why));
    if (model == MODEL_BATES) TRY(fit_surface(quotes, MODEL_HESTON, options, &heston, why));
    n = model == MODEL_BATES ? bates_starts(quotes, &heston, ends) : heston_starts(quotes, ends);
    fit->starts = heston.starts;
    fit->iterations = heston.iterations;
    TRY(seek_all(&search, ends, n, options, fit));
    if (ends[0].at_rest) goto done;
    snprintf(why->text, sizeof why->text,
             "the fit of %s did not converge: after %d iterations from %d starts it still moves, "
             "at a root "
             "mean square error of %.3g volatility points",
             model_name(model), fit->iterations, fit->starts, 100.0 * fit->rmse);
    status = STATUS_FAILED;
done:
    model_fit_free(&heston);
    free(search.values);
    free(search.gradient);
    return status;
}

/* ---- slopes in the quotes -------------------------------------------------------------------- */

/* Of a singular value of the curvature, over the largest: less is what a surface does not tell. */
#define TOLD 1e-6

#define CURVATURE_STEP 1e-4 /* in free numbers */

/* The sum of squares of a fit near its least: of residuals r with the Jacobian J half of it has the
 * gradient J'r. Its curvature, the slopes of that, is scaled such that its diagonal is 1 and stands
 * in pieces, U S V' (gsl_linalg_SV_decomp). */
struct fit_valley {
    struct fit_search search;
    const struct model_fit *fit;
    gsl_vector *residuals; /* [n_used]; owned, as the next */
    gsl_matrix *jacobian;  /* [n_used][n] */
    double x[N_PARAMETERS], scale[N_PARAMETERS], singular[N_PARAMETERS];
    double u[N_PARAMETERS * N_PARAMETERS], v[N_PARAMETERS * N_PARAMETERS]; /* [n][n] */
};

/* Finds the gradient where the valley's x is. */
static void find_gradient(struct fit_valley *valley, double *gradient)
{
    const size_t n = (size_t)valley->fit->n;
    gsl_vector_view x = gsl_vector_view_array(valley->x, n),
                    to = gsl_vector_view_array(gradient, n);
    evaluate(&x.vector, &valley->search, valley->residuals, NULL);
    evaluate(&x.vector, &valley->search, NULL, valley->jacobian);
    gsl_blas_dgemv(CblasTrans, 1.0, valley->jacobian, valley->residuals, 0.0, &to.vector);
}

/* Finds the curvature by central differences, that of a parameter at its bound as if it stood
 * alone. */
static void find_curvature(struct fit_valley *valley)
{
    const int n = valley->fit->n;
    const bool *at_bound = valley->fit->at_bound;
    double up[N_PARAMETERS], down[N_PARAMETERS], work[N_PARAMETERS];
    for (int i = 0; i < n; i++) {
        const double x = valley->x[i];
        valley->x[i] = x + CURVATURE_STEP;
        find_gradient(valley, up);
        valley->x[i] = x - CURVATURE_STEP;
        find_gradient(valley, down);
        valley->x[i] = x;
        for (int j = 0; j < n; j++)
            valley->u[j * n + i] = at_bound[i] || at_bound[j]
                                       ? (double)(i == j)
                                       : (up[j] - down[j]) / (2.0 * CURVATURE_STEP);
    }
    for (int i = 0; i < n; i++) {
        double diagonal = fabs(valley->u[i * n + i]);
        valley->scale[i] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0;
    }
    for (int i = 0; i < n * n; i++) valley->u[i] *= valley->scale[i / n] * valley->scale[i % n];
    gsl_matrix_view u = gsl_matrix_view_array(valley->u, (size_t)n, (size_t)n),
                    v = gsl_matrix_view_array(valley->v, (size_t)n, (size_t)n);
    gsl_vector_view singular = gsl_vector_view_array(valley->singular, (size_t)n),
                    room = gsl_vector_view_array(work, (size_t)n);
    gsl_linalg_SV_decomp(&u.matrix, &v.matrix, &singular.vector, &room.vector);
    for (int i = 0; i < n; i++) /* gsl_linalg_SV_solve leaves out what is 0 */
        if (!(valley->singular[i] > TOLD * valley->singular[0])) valley->singular[i] = 0.0;
}

/* Finds how x goes with the quote whose residual is in this row, which falls as the quote rises. */
static void find_move(struct fit_valley *valley, size_t row, double *move)
{
    const size_t n = (size_t)valley->fit->n;
    double slopes[N_PARAMETERS];
    for (size_t i = 0; i < n; i++)
        slopes[i] = valley->fit->at_bound[i]
                        ? 0.0
                        : valley->scale[i] * gsl_matrix_get(valley->jacobian, row, i);
    gsl_matrix_view u = gsl_matrix_view_array(valley->u, n, n),
                    v = gsl_matrix_view_array(valley->v, n, n);
    gsl_vector_view singular = gsl_vector_view_array(valley->singular, n),
                    right = gsl_vector_view_array(slopes, n), to = gsl_vector_view_array(move, n);
    gsl_linalg_SV_solve(&u.matrix, &v.matrix, &singular.vector, &right.vector, &to.vector);
    for (size_t i = 0; i < n; i++) move[i] *= valley->scale[i];
}

enum status fit_slopes(const struct surface_quotes *quotes, const struct model_fit *fit,
                       double *slopes)
{
    enum status status = STATUS_OK;
    struct model_fit unused;
    struct fit_valley valley = {.fit = fit};
    double move[N_PARAMETERS], steep[N_PARAMETERS];
    TRY(begin_fit(quotes, fit->model, &unused, &valley.search));
    valley.search.on_volatilities = true;
    valley.residuals = gsl_vector_alloc((size_t)quotes->n_used);
    valley.jacobian = gsl_matrix_alloc((size_t)quotes->n_used, (size_t)fit->n);
    if (!valley.residuals || !valley.jacobian) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < fit->n; i++) {
        valley.x[i] = to_free(i, fit->parameters[i]);
        from_free(i, valley.x[i], &steep[i]);
    }
    find_curvature(&valley);
    find_gradient(&valley, move); /* for the Jacobian */
    for (int at = 0, row = 0; at < quotes->n; at++) {
        const bool used = quotes->list[at].used;
        if (used) find_move(&valley, (size_t)row++, move);
        for (int i = 0; i < fit->n; i++)
            slopes[i * quotes->n + at] = used ? steep[i] * move[i] : 0.0;
    }
done:
    model_fit_free(&unused);
    free(valley.search.values);
    free(valley.search.gradient);
    gsl_vector_free(valley.residuals);
    gsl_matrix_free(valley.jacobian);
    return status;
}

void model_fit_free(struct model_fit *fit)
{
    free(fit->volatilities);
    fit->volatilities = NULL;
}
