#include "validation/reference/panels.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>

#include "validation/reference/gaussian.h"

/* More panels than this would take seconds a step. */
enum { MOST_PANELS = 2500 };

static int panel_count(double length, double width)
{
    double count = ceil(length / width - 1e-9);
    return count < 1.0 ? 1 : count > MOST_PANELS ? MOST_PANELS + 1 : (int)count;
}

struct panels panels_between(double wall_low, double wall_high, double soft_low, double soft_high,
                             double width)
{
    double low = fmax(wall_low, soft_low), high = fmin(wall_high, soft_high);
    if (!(high > low)) return (struct panels){0};
    int count = panel_count(high - low, width);
    double span = count * width;
    if (soft_high < wall_high && low + span <= wall_high) return (struct panels){low, width, count};
    if (soft_low > wall_low && wall_high - span >= wall_low)
        return (struct panels){wall_high - span, width, count};
    count = panel_count(wall_high - wall_low, width); /* from wall to wall */
    return (struct panels){wall_low, (wall_high - wall_low) / count, count};
}

void panels_widths(const struct leg *legs, int n, double resolution, double *widths)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, sqrt(legs[i].variance));
    for (int i = 0; i + 1 < n; i++) {
        double deviation = sqrt(fmin(legs[i].variance, legs[i + 1].variance));
        int doublings = (int)floor(log2(deviation / least) + 1e-6);
        widths[i] = ldexp(least, doublings) / resolution;
    }
}

void distribution_free(struct distribution *d)
{
    free(d->point);
    free(d->mass);
    *d = (struct distribution){0};
}

/* Points and, as masses, the weights of the quadrature. */
static enum status distribution_on(struct panels panels, bool atom, struct distribution *d)
{
    *d = (struct distribution){.panels = panels, .n = panels.count * PANEL_NODES + atom};
    if (panels.count > MOST_PANELS) return STATUS_FAILED;
    d->point = calloc((size_t)d->n + 1, sizeof *d->point);
    d->mass = calloc((size_t)d->n + 1, sizeof *d->mass);
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(PANEL_NODES);
    if (!d->point || !d->mass || !rule) {
        if (rule) gsl_integration_glfixed_table_free(rule);
        distribution_free(d);
        return STATUS_NO_MEMORY;
    }
    for (int j = 0; j < PANEL_NODES; j++) {
        double node, weight;
        gsl_integration_glfixed_point(0.0, 1.0, (size_t)j, &node, &weight, rule);
        for (int p = 0; p < panels.count; p++) {
            d->point[p * PANEL_NODES + j] = panels.low + (p + node) * panels.width;
            d->mass[p * PANEL_NODES + j] = weight * panels.width;
        }
    }
    gsl_integration_glfixed_table_free(rule);
    return STATUS_OK;
}

enum status distribution_at(struct distribution *all, double point)
{
    enum status status = distribution_on((struct panels){0}, true, all);
    if (status) return status;
    all->point[0] = point;
    all->mass[0] = 1.0;
    return STATUS_OK;
}

static double normal_density(double distance, double variance)
{
    return exp(-0.5 * distance * distance / variance) / sqrt(2.0 * M_PI * variance);
}

/* Density at the points of `to` of what comes from points first..end-1 of `from`, one pair at a time. */
static void spread_pairs(const struct distribution *from, int first, int end, double drift, double variance,
                         const struct distribution *to, double *density)
{
    double reach = (GAUSSIAN_CUT + 0.5) * sqrt(variance);
    int points = to->panels.count * PANEL_NODES;
    for (int i = 0; i < points; i++) {
        double sum = 0.0;
        while (first < end && from->point[first] + drift < to->point[i] - reach) first++;
        for (int j = first; j < end && from->point[j] + drift <= to->point[i] + reach; j++)
            sum += from->mass[j] * normal_density(to->point[i] - from->point[j] - drift, variance);
        density[i] += sum;
    }
}

/* The kernel between two panels of equal width depends on how far apart they are alone: block[from node][to
 * node]. */
typedef double block[PANEL_NODES][PANEL_NODES];

static void apply_block(block kernel, const double *restrict mass, double *restrict density)
{
    for (int j = 0; j < PANEL_NODES; j++)
        for (int i = 0; i < PANEL_NODES; i++) density[i] += kernel[j][i] * mass[j];
}

/* As spread_pairs, panel by panel, where both distributions have panels of one width. */
static enum status spread_blocks(const struct distribution *from, double drift, double variance,
                                 const struct distribution *to, double *density)
{
    double width = to->panels.width, offset = to->panels.low - from->panels.low - drift;
    double reach = (GAUSSIAN_CUT + 0.5) * sqrt(variance);
    int least = (int)floor((-reach - offset) / width) - 1, most = (int)ceil((reach - offset) / width) + 1;
    block *kernels = malloc((size_t)(most - least + 1) * sizeof *kernels);
    if (!kernels) return STATUS_NO_MEMORY;
    for (int apart = least; apart <= most; apart++)
        for (int j = 0; j < PANEL_NODES; j++)
            for (int i = 0; i < PANEL_NODES; i++) {
                double distance = to->point[i] - from->point[j] - drift + apart * width;
                kernels[apart - least][j][i] = normal_density(distance, variance);
            }
    for (int p = 0; p < to->panels.count; p++) {
        int first = p - most > 0 ? p - most : 0;
        int last = p - least < from->panels.count - 1 ? p - least : from->panels.count - 1;
        for (int f = first; f <= last; f++)
            apply_block(kernels[p - f - least], from->mass + f * PANEL_NODES, density + p * PANEL_NODES);
    }
    free(kernels);
    return STATUS_OK;
}

static bool same_width(const struct panels *a, const struct panels *b)
{
    return a->count > 0 && b->count > 0 && fabs(a->width - b->width) <= 1e-12 * a->width;
}

enum status distribution_spread(const struct distribution *from, double drift, double variance,
                                struct panels panels, bool atom_at_zero, struct distribution *to)
{
    double *density = NULL;
    enum status status = distribution_on(panels, atom_at_zero, to);
    if (status) return status;
    int points = panels.count * PANEL_NODES, on_panels = from->panels.count * PANEL_NODES;
    density = calloc((size_t)points + 1, sizeof *density);
    if (!density) TRY(STATUS_NO_MEMORY);
    if (same_width(&from->panels, &panels)) TRY(spread_blocks(from, drift, variance, to, density));
    else spread_pairs(from, 0, on_panels, drift, variance, to, density);
    spread_pairs(from, on_panels, from->n, drift, variance, to, density);
    for (int i = 0; i < points; i++) to->mass[i] *= density[i];
    if (atom_at_zero)
        for (int j = 0; j < from->n; j++)
            to->mass[points] += from->mass[j] * normal_cdf(-(from->point[j] + drift) / sqrt(variance));
done:
    free(density);
    if (status) distribution_free(to);
    return status;
}

enum status distribution_send(const struct distribution *from, transition *density, const void *context,
                              double drift, double variance, struct panels panels, struct distribution *to)
{
    enum status status = distribution_on(panels, false, to);
    if (status) return status;
    double reach = (GAUSSIAN_CUT + 0.5) * sqrt(variance);
    int first = 0;
    for (int i = 0; i < to->n; i++) {
        double y = to->point[i], sum = 0.0;
        while (first < from->n && from->point[first] < y - 2.0 * fabs(drift) - reach) first++;
        for (int j = first; j < from->n && from->point[j] <= y - drift + reach; j++)
            sum += from->mass[j] * density(from->point[j], y, context);
        to->mass[i] *= sum;
    }
    return STATUS_OK;
}

double distribution_mean(const struct distribution *d, payoff *function, const void *context)
{
    double sum = 0.0;
    for (int i = 0; i < d->n; i++) sum += d->mass[i] * function(d->point[i], context);
    return sum;
}

double distribution_mass(const struct distribution *d)
{
    double sum = 0.0;
    for (int i = 0; i < d->n; i++) sum += d->mass[i];
    return sum;
}
