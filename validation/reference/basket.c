/* Options at one date on several spots that are jointly lognormal then: baskets and spreads.
 *
 * Given all spots but one, the option on that one is Black's, whatever the kind of the basket: on a
 * sum the others move the strike; the best of them and the last is the best of them and a call on
 * the last struck there. So n assets take an integral over n - 1 normals of a smooth function:
 * nested Gauss-Legendre rules for two and three assets, halved until they agree. The last asset is
 * the one whose own noise, given the others, moves the basket most. Of a sum of more than three,
 * what is integrated in closed form is rather the direction in which it grows (J. Choi, Sum of all
 * Black-Scholes-Merton models, Journal of Futures Markets 38 (2018) 627-644): Gauss-Hermite rules
 * do for the others. Where these do not agree, and for the best and worst of more than three, Sobol
 * points with random digital shifts. Closed forms: the geometric basket, and the spread without
 * strike (W. Margrabe, Journal of Finance 33 (1978) 177-186). */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort_double.h>

#include "models/payoffs/product_numbers.h"
#include "validation/reference/methods.h"

/* A basket at its date, its assets arranged so that the last one is integrated in closed form. */
struct basket_law {
    int n;
    enum option option;
    enum basket_kind kind;
    double strike;
    double weight[TRADE_ASSETS_MAX], forward[TRADE_ASSETS_MAX];
    square covariance, root;
    double discount;
    struct effort *effort;
};

/* Finds the law with one asset as the last one. Returns the money moved by the noise that it has of
 * its own. */
static double law_with_last(const struct problem *problem, int last, struct basket_law *law)
{
    const struct multi_asset *assets = &problem->assets;
    const struct trade *trade = problem->trade;
    double t = trade->expiry;
    int n = assets->n, order[TRADE_ASSETS_MAX];
    for (int i = 0; i < n; i++) order[i] = i == n - 1 ? last : i == last ? n - 1 : i;
    *law =
        (struct basket_law){.n = n,
                            .option = trade->option,
                            .kind = trade->product == PRODUCT_SPREAD ? BASKET_AVERAGE : trade->kind,
                            .strike = trade->strike,
                            .discount = asset_discount(assets, t),
                            .effort = assets->effort};
    for (int i = 0; i < n; i++) {
        law->weight[i] = assets->weight[order[i]];
        law->forward[i] = asset_forward(assets, order[i], t);
        for (int j = 0; j < n; j++)
            law->covariance[i][j] = asset_covariance(assets, order[i], order[j], 0.0, t);
    }
    multi_asset_root(n, law->covariance, law->root);
    return fabs(law->weight[n - 1]) * law->forward[n - 1] * law->root[n - 1][n - 1];
}

/* Finds the law with the asset last whose own noise moves most money. */
static void law_of(const struct problem *problem, struct basket_law *law)
{
    int last = problem->assets.n - 1;
    double most = law_with_last(problem, last, law);
    for (int i = 0; i < problem->assets.n - 1; i++) {
        double noise = law_with_last(problem, i, law);
        if (noise > most * (1.0 + 1e-9)) most = noise, last = i;
    }
    law_with_last(problem, last, law);
}

/* Returns E max(+-(weight * X - strike), 0), X lognormal; a weight of any sign. */
static double weighted_black(enum option option, double weight, double forward, double strike,
                             double variance)
{
    if (weight > 0.0) return weight * black(option, forward, strike / weight, variance);
    enum option other = option == OPTION_CALL ? OPTION_PUT : OPTION_CALL;
    if (weight < 0.0) return -weight * black(other, forward, strike / weight, variance);
    return option_payoff(option, 0.0, strike);
}

/* Returns the mean of the i-th log spot at the first normals, of which so many are given. */
static double log_spot(const struct basket_law *law, int i, const double *z, int given)
{
    double x = log(law->forward[i]) - 0.5 * law->covariance[i][i];
    for (int j = 0; j <= i && j < given; j++) x += law->root[i][j] * z[j];
    return x;
}

/* Returns the value at the date, given the first n - 1 assets by their normals. */
static double conditional_option(const struct basket_law *law, const double *z)
{
    int last = law->n - 1;
    double sum = 0.0, best = -INFINITY, worst = INFINITY; /* of the weighted spots */
    for (int i = 0; i < last; i++) {
        double part = law->weight[i] * exp(log_spot(law, i, z, last));
        sum += part;
        best = fmax(best, part);
        worst = fmin(worst, part);
    }
    /* The law of the last asset given those */
    double v = law->root[last][last] * law->root[last][last],
           f = exp(log_spot(law, last, z, last) + 0.5 * v), k = law->strike, w = law->weight[last];
    bool call = law->option == OPTION_CALL;
    if (law->kind == BASKET_AVERAGE) return weighted_black(law->option, w, f, k - sum, v);
    if (law->n == 1) return weighted_black(law->option, w, f, k, v);
    if (law->kind == BASKET_BEST_OF) {
        if (call) return fmax(best - k, 0.0) + weighted_black(OPTION_CALL, w, f, fmax(best, k), v);
        if (best >= k) return 0.0;
        return weighted_black(OPTION_PUT, w, f, k, v) - weighted_black(OPTION_PUT, w, f, best, v);
    }
    if (!call) return fmax(k - worst, 0.0) + weighted_black(OPTION_PUT, w, f, fmin(worst, k), v);
    if (worst <= k) return 0.0;
    return weighted_black(OPTION_CALL, w, f, k, v) - weighted_black(OPTION_CALL, w, f, worst, v);
}

/* An integrand over n - 1 standard normals. */
typedef double integrand(const void *context, const double *z);

static double option_given(const void *context, const double *z)
{
    const struct basket_law *law = context;
    if (effort_spend(law->effort, 8.0 + law->n * (1.0 + law->n / 16.0))) return NAN;
    return conditional_option(law, z);
}

/* ---- Nested Gauss-Legendre rules */

enum { NODES = 12 };

struct panel_rule {
    const struct basket_law *law;
    double width; /* of a panel, in deviations, at most */
    double node[NODES], weight[NODES];
    long points;
};

/* Finds where the function of the k-th normal bends: a spot meets the strike, or the best or worst
 * of those before it. */
static int bends(const struct basket_law *law, int k, const double *z, double *at)
{
    double w = law->weight[k], slope = law->root[k][k], levels[TRADE_ASSETS_MAX + 1];
    int n = 0, found = 0;
    if (law->kind == BASKET_AVERAGE || slope <= 0.0 || w == 0.0) return 0;
    levels[n++] = law->strike;
    for (int i = 0; i < k; i++) levels[n++] = law->weight[i] * exp(log_spot(law, i, z, k));
    double mean = log_spot(law, k, z, k);
    for (int i = 0; i < n; i++)
        if (levels[i] / w > 0.0) at[found++] = (log(levels[i] / w) - mean) / slope;
    gsl_sort(at, 1, (size_t)found);
    return found;
}

/* Returns the integral over the normals k, k + 1, ..., n - 2 at given ones before them. */
static double integrate_from(struct panel_rule *rule, int k, double *z)
{
    const struct basket_law *law = rule->law;
    if (k == law->n - 1) {
        rule->points++;
        return option_given(law, z);
    }
    double shift = 0.0, edges[TRADE_ASSETS_MAX + 3], sum = 0.0;
    for (int i = k; i < law->n; i++) shift = fmax(shift, fabs(law->root[i][k]));
    double low = -GAUSSIAN_CUT - shift, high = GAUSSIAN_CUT + shift;
    int n = bends(law, k, z, edges + 1) + 2;
    edges[0] = low;
    edges[n - 1] = high;
    for (int e = 0; e + 1 < n; e++) {
        double from = fmin(fmax(edges[e], low), high), to = fmin(fmax(edges[e + 1], low), high);
        int panels = (int)ceil((to - from) / rule->width);
        for (int p = 0; p < panels; p++) {
            double width = (to - from) / panels;
            for (int j = 0; j < NODES; j++) {
                z[k] = from + (p + rule->node[j]) * width;
                double density = gsl_ran_ugaussian_pdf(z[k]);
                sum += rule->weight[j] * width * density * integrate_from(rule, k + 1, z);
            }
        }
    }
    return sum;
}

static enum status by_quadrature(const struct basket_law *law, struct reference *out)
{
    struct panel_rule rule = {.law = law, .width = 2.0};
    double z[TRADE_ASSETS_MAX], before = NAN, value = NAN;
    long most = law->n == 2 ? 200000 : 1000000; /* points, over all rules */
    MUST(legendre_rule(NODES, rule.node, rule.weight));
    long growth = law->n == 2 ? 2 : 4, step = 0;
    do {
        long spent = rule.points;
        before = value;
        value = integrate_from(&rule, 0, z);
        step = (rule.points - spent) * growth;
        rule.width *= 0.5;
        MUST(effort_spend(law->effort, 1.0));
    } while (!(fabs(value - before) <= 1e-12 * fabs(value)) && rule.points + step <= most);
    reference_found(out, law->discount * value, law->discount * fabs(value - before), "quadrature");
    return STATUS_OK;
}

/* ---- Sums integrated along the direction in which they grow */

/* Log spots as along * z1 + across * (z2, ..., zn): a sum whose every term moves the same way with
 * z1 meets its strike at one z1, and is integrated over it in closed form. */
struct basket_ray {
    const struct basket_law *law;
    double along[TRADE_ASSETS_MAX];
    square across; /* [asset][n - 1], most important first */
};

/* Across = root of covariance - along along', by its eigenvectors. */
static enum status ray_across(struct basket_ray *ray)
{
    const struct basket_law *law = ray->law;
    size_t n = (size_t)law->n;
    square rest, vectors;
    double values[TRADE_ASSETS_MAX];
    gsl_matrix_view rest_view = gsl_matrix_view_array_with_tda(*rest, n, n, TRADE_ASSETS_MAX);
    gsl_matrix_view vectors_view = gsl_matrix_view_array_with_tda(*vectors, n, n, TRADE_ASSETS_MAX);
    gsl_vector_view values_view = gsl_vector_view_array(values, n);
    gsl_eigen_symmv_workspace *space = gsl_eigen_symmv_alloc(n);
    if (!space) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            rest[i][j] = law->covariance[i][j] - ray->along[i] * ray->along[j];
    int failed =
        gsl_eigen_symmv(&rest_view.matrix, &values_view.vector, &vectors_view.matrix, space);
    gsl_eigen_symmv_free(space);
    if (failed) return STATUS_FAILED;
    gsl_eigen_symmv_sort(&values_view.vector, &vectors_view.matrix, GSL_EIGEN_SORT_VAL_DESC);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j + 1 < n; j++)
            ray->across[i][j] = vectors[i][j] * sqrt(fmax(values[j], 0.0));
    return STATUS_OK;
}

/* Scales `along` to root * a unit vector. Whether it can. */
static bool scale_along(struct basket_ray *ray)
{
    const struct basket_law *law = ray->law;
    double unit[TRADE_ASSETS_MAX], squares = 0.0;
    for (int i = 0; i < law->n; i++) {
        unit[i] = ray->along[i];
        for (int j = 0; j < i; j++) unit[i] -= law->root[i][j] * unit[j];
        if (law->root[i][i] <= 0.0) return false;
        unit[i] /= law->root[i][i];
        squares += unit[i] * unit[i];
    }
    for (int i = 0; i < law->n; i++) ray->along[i] /= sqrt(squares);
    return true;
}

/* Makes the ray along the gradient of the sum, turned a little where some term would fall while the
 * sum grows. `*found` is false where there is no such direction. */
static enum status ray_of(const struct basket_law *law, struct basket_ray *ray, bool *found)
{
    const double least = 0.01; /* of its deviation, that a term moves along the ray at least */
    double variance = 0.0, money[TRADE_ASSETS_MAX];
    *ray = (struct basket_ray){.law = law};
    *found = law->kind == BASKET_AVERAGE;
    for (int i = 0; i < law->n; i++) money[i] = law->weight[i] * law->forward[i];
    for (int i = 0; i < law->n; i++) {
        for (int j = 0; j < law->n; j++) ray->along[i] += law->covariance[i][j] * money[j];
        variance += ray->along[i] * money[i];
    }
    if (!*found || variance <= 0.0) return STATUS_OK;
    for (int i = 0; i < law->n; i++) {
        double sign = money[i] < 0.0 ? -1.0 : 1.0, deviation = sqrt(law->covariance[i][i]);
        ray->along[i] = sign * fmax(sign * ray->along[i] / sqrt(variance), least * deviation);
    }
    *found = scale_along(ray);
    return *found ? ray_across(ray) : STATUS_OK;
}

/* Returns the z1 at which sum of part * exp(along z1 - along^2 / 2) = strike; infinite where there
 * is none. */
static double ray_meets(const struct basket_ray *ray, const double *part)
{
    double low = -40.0, high = 40.0, z = 0.0;
    for (int iteration = 0; iteration < 200; iteration++) {
        double value = -ray->law->strike, slope = 0.0;
        for (int i = 0; i < ray->law->n; i++) {
            double v = ray->along[i], term = part[i] * exp(v * z - 0.5 * v * v);
            value += term;
            slope += v * term;
        }
        if (value > 0.0) high = z;
        else low = z;
        if (effort_spend(ray->law->effort, ray->law->n)) return NAN;
        double next = z - value / slope;
        if (fabs(next - z) < 1e-12) return next;
        z = next > low && next < high ? next : 0.5 * (low + high);
        if (high - low < 1e-12) break;
    }
    return z > 39.9 ? INFINITY : z < -39.9 ? -INFINITY : z;
}

static double option_along(const void *context, const double *z)
{
    const struct basket_ray *ray = context;
    const struct basket_law *law = ray->law;
    double part[TRADE_ASSETS_MAX], sign = law->option == OPTION_CALL ? 1.0 : -1.0, sum = 0.0;
    for (int i = 0; i < law->n; i++) {
        double x = 0.0, variance = 0.0;
        for (int j = 0; j < law->n - 1; j++) {
            x += ray->across[i][j] * z[j];
            variance += ray->across[i][j] * ray->across[i][j];
        }
        part[i] = law->weight[i] * law->forward[i] * exp(x - 0.5 * variance);
    }
    double meets = ray_meets(ray, part);
    for (int i = 0; i < law->n; i++) sum += part[i] * normal_cdf(sign * (ray->along[i] - meets));
    return sign * (sum - law->strike * normal_cdf(-sign * meets));
}

/* ---- Products of Gauss-Hermite rules */

enum { HERMITE_MOST = 30, HERMITE_POINTS = 150000 };

/* Chooses the nodes of each dimension across a ray, more where the deviation is greater, as many as
 * `points` allow. */
static void hermite_sizes(const struct basket_ray *ray, double points, int *sizes)
{
    int dimensions = ray->law->n - 1;
    double length[TRADE_ASSETS_MAX];
    for (int j = 0; j < dimensions; j++) {
        double sum = 0.0;
        for (int i = 0; i < ray->law->n; i++) sum += ray->across[i][j] * ray->across[i][j];
        length[j] = sqrt(sum);
        sizes[j] = 2;
    }
    for (double scale = 1.0; scale < HERMITE_MOST && length[0] > 0.0; scale *= 1.02) {
        int tried[TRADE_ASSETS_MAX];
        double product = 1.0;
        for (int j = 0; j < dimensions; j++) {
            tried[j] = 2 + (int)fmin(scale * length[j] / length[0], points);
            product *= tried[j];
        }
        if (product > points) return;
        for (int j = 0; j < dimensions; j++) sizes[j] = tried[j];
    }
}

/* Returns the sum over dimension j and those after it. */
static double hermite_sum(const struct basket_ray *ray,
                          gsl_integration_fixed_workspace *const *rules, int j, double *z)
{
    if (j == ray->law->n - 1) return option_along(ray, z);
    double sum = 0.0;
    size_t n = gsl_integration_fixed_n(rules[j]);
    for (size_t k = 0; k < n; k++) {
        z[j] = gsl_integration_fixed_nodes(rules[j])[k];
        sum += gsl_integration_fixed_weights(rules[j])[k] * hermite_sum(ray, rules, j + 1, z);
    }
    return sum / sqrt(2.0 * M_PI);
}

static enum status hermite_mean(const struct basket_ray *ray, const int *sizes, int less,
                                double *mean)
{
    gsl_integration_fixed_workspace *rules[TRADE_ASSETS_MAX] = {NULL};
    int dimensions = ray->law->n - 1;
    double z[TRADE_ASSETS_MAX];
    enum status status = STATUS_OK;
    for (int j = 0; j < dimensions; j++) {
        size_t n = (size_t)(sizes[j] - less);
        rules[j] =
            gsl_integration_fixed_alloc(gsl_integration_fixed_hermite, n, 0.0, 0.5, 0.0, 0.0);
        if (!rules[j]) TRY(STATUS_NO_MEMORY);
    }
    *mean = hermite_sum(ray, rules, 0, z);
done:
    for (int j = 0; j < dimensions; j++)
        if (rules[j]) gsl_integration_fixed_free(rules[j]);
    return status;
}

/* Prices by products of Gauss-Hermite rules; the bound on the error is how far the price is from
 * that by rules with one node less in every dimension. `*found` is false where that is too far. */
static enum status by_hermite(const struct basket_ray *ray, struct reference *out, bool *found)
{
    double coarse, fine, points = 1.0;
    int sizes[TRADE_ASSETS_MAX];
    *found = false;
    hermite_sizes(ray, HERMITE_POINTS, sizes);
    for (int j = 0; j < ray->law->n - 1; j++) points *= sizes[j];
    if (points > HERMITE_POINTS) return STATUS_OK;
    MUST(hermite_mean(ray, sizes, 1, &coarse));
    MUST(hermite_mean(ray, sizes, 0, &fine));
    double discount = ray->law->discount;
    reference_found(out, discount * fine, discount * fabs(fine - coarse), "quadrature");
    *found = fabs(fine - coarse) <= 2e-5 * fabs(fine);
    return STATUS_OK;
}

/* ---- Sobol points with random digital shifts */

enum { SHIFTS = 32, POINTS = 16384 };

static const double BITS =
    1073741824.0; /* 2^30: a point of GSL's sequence is a whole number of its parts */

/* Returns the mean of the integrand over the sequence with random bits flipped, the same of all
 * points: it stays a net, and each point is uniform (Matousek, Journal of Complexity 14 (1998)
 * 527-556). */
static double shifted_mean(int dimensions, integrand *function, const void *context,
                           gsl_qrng *sequence, gsl_rng *rng)
{
    double u[TRADE_ASSETS_MAX] = {0}, z[TRADE_ASSETS_MAX], sum = 0.0;
    unsigned long flip[TRADE_ASSETS_MAX];
    for (int i = 0; i < dimensions; i++) flip[i] = gsl_rng_uniform_int(rng, (unsigned long)BITS);
    gsl_qrng_init(sequence);
    for (int p = 0; p < POINTS; p++) {
        /* GSL leaves out the origin, without which the points are no net */
        if (p) gsl_qrng_get(sequence, u);
        for (int i = 0; i < dimensions; i++) {
            unsigned long bits = (unsigned long)(u[i] * BITS) ^ flip[i];
            z[i] = gsl_cdf_ugaussian_Pinv(((double)bits + gsl_rng_uniform_pos(rng)) / BITS);
        }
        sum += function(context, z);
    }
    return sum / POINTS;
}

static void free_sequence(void *sequence)
{
    gsl_qrng_free(sequence);
}

/* Prices a basket of more than three assets. */
static enum status by_points(const struct basket_law *law, uint64_t seed, struct reference *out)
{
    /* Good for 40 dimensions */
    gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)(law->n - 1));
    gsl_rng *rng;
    struct basket_ray ray;
    bool along = false, found = false;
    double mean = 0.0, m2 = 0.0;
    MUST(effort_own(law->effort, sequence, free_sequence));
    MUST(effort_generator(law->effort, gsl_rng_mt19937, seed ^ seed >> 32, &rng));
    MUST(ray_of(law, &ray, &along));
    if (along) MUST(by_hermite(&ray, out, &found));
    if (found) return STATUS_OK;
    for (int s = 0; s < SHIFTS; s++) {
        double value = along ? shifted_mean(law->n - 1, option_along, &ray, sequence, rng)
                             : shifted_mean(law->n - 1, option_given, law, sequence, rng);
        double before = value - mean;
        mean += before / (s + 1);
        m2 += before * (value - mean);
        MUST(effort_spend(law->effort, 2.0 * POINTS * law->n));
    }
    reference_found(out, law->discount * mean, law->discount * sqrt(m2 / (SHIFTS - 1.0) / SHIFTS),
                    "quasi monte carlo");
    return STATUS_OK;
}

/* ---- Closed forms */

/* Returns the value at the date of a geometric basket: a product of powers of lognormals is
 * lognormal. */
static double geometric_basket(const struct basket_law *law)
{
    double total = 0.0, mean = 0.0, variance = 0.0;
    for (int i = 0; i < law->n; i++) total += law->weight[i];
    for (int i = 0; i < law->n; i++) {
        double share = law->weight[i] / total;
        mean += share * (log(law->forward[i]) - 0.5 * law->covariance[i][i]);
        for (int j = 0; j < law->n; j++)
            variance += share * law->weight[j] / total * law->covariance[i][j];
    }
    variance = fmax(variance, 0.0);
    return black(law->option, exp(mean + 0.5 * variance), law->strike, variance);
}

/* Returns that of one asset in units of the other (Margrabe 1978): weights of opposite signs, no
 * strike. */
static double exchange(const struct basket_law *law)
{
    int plus = law->weight[0] > 0.0 ? 0 : 1, minus = 1 - plus;
    double variance = law->covariance[0][0] + law->covariance[1][1] - 2.0 * law->covariance[0][1];
    return black(law->option, law->weight[plus] * law->forward[plus],
                 -law->weight[minus] * law->forward[minus], fmax(variance, 0.0));
}

enum status reference_basket(const struct problem *problem, struct reference *out)
{
    const struct multi_asset *assets = &problem->assets;
    struct basket_law law;
    MUST(effort_spend(assets->effort, pow(assets->n, 3.0) * (asset_cost(assets) + assets->n)));
    law_of(problem, &law);
    bool geometric = law.kind == BASKET_GEOMETRIC,
         exchanges = law.n == 2 && law.kind == BASKET_AVERAGE && law.strike == 0.0 &&
                     law.weight[0] * law.weight[1] < 0.0;
    if (geometric || exchanges || law.n == 1) {
        double value = geometric   ? geometric_basket(&law)
                       : exchanges ? exchange(&law)
                                   : conditional_option(&law, NULL);
        reference_found(out, law.discount * value, 0.0, "closed form");
        return STATUS_OK;
    }
    return law.n <= 3 ? by_quadrature(&law, out) : by_points(&law, problem->seed, out);
}
