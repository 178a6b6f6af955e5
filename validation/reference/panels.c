#include "validation/reference/panels.h"

#include <math.h>

#include <gsl/gsl_math.h>

#include "validation/reference/gaussian.h"

/* More panels than this would take seconds a step. */
enum { MOST_PANELS = 2500 };

/* Pairs of nodes in two panels; multiplications that take as long as an operation. */
enum { BLOCK = PANEL_NODES * PANEL_NODES, PRODUCTS = 16 };

static int panel_count(double length, double width)
{
    double count = ceil(length / width - 1e-9);
    return count < 1.0 ? 1 : count <= MOST_PANELS ? (int)count : MOST_PANELS + 1;
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

void panels_widths(const struct log_increment *increments, int n, double resolution, double *widths)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, sqrt(increments[i].variance));
    for (int i = 0; i + 1 < n; i++) {
        double deviation = sqrt(fmin(increments[i].variance, increments[i + 1].variance));
        double doublings = floor(log2(deviation / least) + 1e-6);
        widths[i] = least > 0.0 ? ldexp(least, (int)doublings) / resolution : 0.0;
    }
}

void distribution_free(struct distribution *d)
{
    effort_free(d->point);
    effort_free(d->mass);
    effort_free(d->kernels.block);
    *d = (struct distribution){0};
}

/* Makes the points and, as masses, the weights of the quadrature. */
static enum status distribution_on(struct effort *effort, struct panels panels, bool atom,
                                   struct distribution *d)
{
    double node[PANEL_NODES], weight[PANEL_NODES];
    *d = (struct distribution){.panels = panels, .n = panels.count * PANEL_NODES + atom};
    if (panels.count > MOST_PANELS) return STATUS_FAILED;
    MUST(legendre_rule(PANEL_NODES, node, weight));
    MUST(effort_array(effort, d->n + 1, &d->point));
    MUST(effort_array(effort, d->n + 1, &d->mass));
    for (int p = 0; p < panels.count; p++)
        for (int j = 0; j < PANEL_NODES; j++) {
            d->point[p * PANEL_NODES + j] = panels.low + (p + node[j]) * panels.width;
            d->mass[p * PANEL_NODES + j] = weight[j] * panels.width;
        }
    return STATUS_OK;
}

enum status distribution_at(struct effort *effort, double point, struct distribution *all)
{
    MUST(distribution_on(effort, (struct panels){0}, true, all));
    all->point[0] = point;
    all->mass[0] = 1.0;
    return STATUS_OK;
}

static double normal_density(double distance, double variance)
{
    return exp(-0.5 * distance * distance / variance) / sqrt(2.0 * M_PI * variance);
}

/* Adds the density at the points of `to` of what comes from those of `from`, in increasing order,
 * one pair at a time. Nothing worth counting comes from farther above than drift and reach of the
 * normal law; at walls, nor from farther below than twice the drift and that reach. */
static enum status move_pairs(struct effort *effort, const struct distribution *from,
                              const struct motion *motion, const struct distribution *to,
                              double *density)
{
    double drift = motion->drift, variance = motion->variance;
    double reach = (GAUSSIAN_CUT + 0.5) * sqrt(variance),
           below = reach + (motion->density ? 2.0 * fabs(drift) : drift);
    int points = to->panels.count * PANEL_NODES, first = 0;
    for (int i = 0; i < points; i++) {
        double y = to->point[i], sum = 0.0;
        while (first < from->n && from->point[first] < y - below) first++;
        int j = first;
        for (; j < from->n && from->point[j] <= y - drift + reach; j++)
            sum += from->mass[j] * (motion->density
                                        ? motion->density(from->point[j], y, motion)
                                        : normal_density(y - from->point[j] - drift, variance));
        density[i] += sum;
        MUST(effort_spend(effort, 1.0 + (j - first) * (motion->density ? motion->cost : 1.0)));
    }
    return STATUS_OK;
}

static void apply_block(double block[PANEL_NODES][PANEL_NODES], const double *restrict mass,
                        double *restrict density)
{
    for (int j = 0; j < PANEL_NODES; j++)
        for (int i = 0; i < PANEL_NODES; i++) density[i] += block[j][i] * mass[j];
}

/* Tells whether two are the same but for rounding. */
static bool kernels_alike(const struct panel_kernels *a, const struct panel_kernels *b)
{
    return a->least == b->least && a->most == b->most && a->width == b->width &&
           fabs(a->variance - b->variance) <= 1e-12 * a->variance &&
           fabs(a->offset - b->offset) <= 1e-12 * a->width;
}

/* Makes the kernels of a move from the panels of one distribution to those of another, unless it
 * has those of a like move. As far apart as the normal law reaches, and no farther than there are
 * panels; empty where that is nowhere. */
static enum status make_kernels(struct effort *effort, const struct distribution *from,
                                const struct motion *motion, struct distribution *to)
{
    double width = to->panels.width, reach = (GAUSSIAN_CUT + 0.5) * sqrt(motion->variance);
    double offset = to->panels.low - from->panels.low - motion->drift;
    double least = fmax(floor((-reach - offset) / width) - 1.0, 1.0 - from->panels.count);
    double most = fmin(ceil((reach - offset) / width) + 1.0, to->panels.count - 1.0);
    if (!(most >= least)) least = 1.0, most = 0.0;
    struct panel_kernels made = {width, offset, motion->variance, (int)least, (int)most, NULL};
    if (kernels_alike(&made, &to->kernels)) return STATUS_OK;
    effort_free(to->kernels.block);
    to->kernels = (struct panel_kernels){0};
    MUST(effort_array(effort, made.most - made.least + 1, &made.block));
    MUST(effort_spend(effort, (made.most - made.least + 1.0) * BLOCK));
    for (int apart = made.least; apart <= made.most; apart++)
        for (int j = 0; j < PANEL_NODES; j++)
            for (int i = 0; i < PANEL_NODES; i++) {
                double distance = to->point[i] - from->point[j] - motion->drift + apart * width;
                made.block[apart - made.least][j][i] = normal_density(distance, made.variance);
            }
    to->kernels = made;
    return STATUS_OK;
}

/* Does as move_pairs without walls, panel by panel, where both distributions have panels of one
 * width. */
static enum status spread_blocks(struct effort *effort, const struct distribution *from,
                                 const struct motion *motion, struct distribution *to,
                                 double *density)
{
    MUST(make_kernels(effort, from, motion, to));
    const int least = to->kernels.least, most = to->kernels.most;
    for (int p = 0; p < to->panels.count; p++) {
        int first = p - most > 0 ? p - most : 0;
        int last = p - least < from->panels.count - 1 ? p - least : from->panels.count - 1;
        for (int f = first; f <= last; f++)
            apply_block(to->kernels.block[p - f - least], from->mass + f * PANEL_NODES,
                        density + p * PANEL_NODES);
        MUST(effort_spend(effort, fmax(last - first + 1.0, 0.0) * BLOCK / PRODUCTS));
    }
    return STATUS_OK;
}

enum status distribution_move(struct effort *effort, const struct distribution *from,
                              const struct motion *motion, struct panels panels,
                              struct distribution *to)
{
    double *density = NULL;
    struct distribution made, nodes = *from, atoms = *from;
    MUST(distribution_on(effort, panels, motion->atom_at_zero, &made));
    made.kernels = to->kernels;
    to->kernels = (struct panel_kernels){0};
    int points = panels.count * PANEL_NODES, on_panels = from->panels.count * PANEL_NODES;
    bool same_width = fabs(from->panels.width - panels.width) <= 1e-12 * from->panels.width;
    MUST(effort_array(effort, points + 1, &density));
    nodes.n = on_panels, atoms.n -= on_panels, atoms.point += on_panels, atoms.mass += on_panels;
    if (on_panels && points && same_width && !motion->density)
        MUST(spread_blocks(effort, from, motion, &made, density));
    else MUST(move_pairs(effort, &nodes, motion, &made, density));
    MUST(move_pairs(effort, &atoms, motion, &made, density));
    for (int i = 0; i < points; i++) made.mass[i] *= density[i];
    for (int j = 0; motion->atom_at_zero && j < from->n; j++)
        made.mass[points] +=
            from->mass[j] * normal_cdf(-(from->point[j] + motion->drift) / sqrt(motion->variance));
    effort_free(density);
    distribution_free(to);
    *to = made;
    return STATUS_OK;
}

double distribution_mean(const struct distribution *d, payoff *function, const void *context)
{
    double sum = 0.0;
    for (int i = 0; i < d->n; i++) sum += d->mass[i] * function(d->point[i], context);
    return sum;
}
