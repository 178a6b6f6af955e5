#include "validation/reference/corridor.h"

#include <math.h>

#include <gsl/gsl_math.h>

#include "validation/reference/gaussian.h"

/* After this many times the square of the width less than exp(-98) of the paths is alive. */
static const double MOST_VARIANCE = 20.0;

double corridor_distance(const struct corridor *corridor, double spot)
{
    return corridor->sign * log(spot / corridor->level);
}

/* Images of x in the walls (Cox and Miller 1965, section 5.7; Kunitomo and Ikeda 1992): the density
 * of the living is sum over k of  exp(a (c - x)) phi(y - c - drift) [c = x + 2 k width]  -  the
 * same with c = -x + 2 k width, a = drift / variance. Farther ones than this many widths are below
 * 1e-17 of the first. */
static int farthest_image(const struct corridor_interval *interval)
{
    double width = interval->corridor->width;
    if (!interval->watched || isinf(width) || interval->variance > MOST_VARIANCE * width * width)
        return 0;
    return 1 + (int)ceil(0.5 * sqrt(1.0 + 81.0 * interval->variance / (width * width)));
}

double corridor_cost(const struct corridor_interval *interval)
{
    return 4.0 * (2.0 * farthest_image(interval) + 1.0) * (1.0 + interval->watched);
}

/* Tells whether no path is alive, or as good as none. */
static bool all_dead(double x, const struct corridor_interval *interval)
{
    double width = interval->corridor->width;
    if (!interval->watched) return false;
    return x <= 0.0 || x >= width || interval->variance > MOST_VARIANCE * width * width;
}

double corridor_density(double x, double y, const void *context)
{
    const struct corridor_interval *interval = context;
    if (all_dead(x, interval)) return 0.0;
    double ratio = interval->drift / interval->variance, sum = 0.0;
    int farthest = farthest_image(interval);
    for (int k = -farthest; k <= farthest; k++) {
        double shift = k ? 2.0 * k * interval->corridor->width : 0.0;
        for (int image = 0; image <= interval->watched; image++) {
            double centre = (image ? -x : x) + shift, distance = y - centre - interval->drift;
            double power = ratio * (centre - x) - 0.5 * distance * distance / interval->variance;
            if (power > -45.0) sum += image ? -exp(power) : exp(power);
        }
    }
    return sum / sqrt(2.0 * M_PI * interval->variance);
}

/* Returns the integral over low < y < high of (money * exp(sign y) + cash) times the density. */
static double corridor_integral(double x, const struct corridor_interval *interval, double low,
                                double high, double money, double cash)
{
    if (all_dead(x, interval) || !(high > low)) return 0.0;
    double ratio = interval->drift / interval->variance, deviation = sqrt(interval->variance),
           sum = 0.0;
    double sign = interval->corridor->sign, lift = sign * interval->variance;
    int farthest = farthest_image(interval);
    for (int k = -farthest; k <= farthest; k++) {
        double shift = k ? 2.0 * k * interval->corridor->width : 0.0;
        for (int image = 0; image <= interval->watched; image++) {
            double centre = (image ? -x : x) + shift, mean = centre + interval->drift;
            double weight = ratio * (centre - x), term = 0.0;
            if (cash != 0.0)
                term += cash *
                        normal_between(weight, (low - mean) / deviation, (high - mean) / deviation);
            if (money != 0.0)
                term += money * normal_between(weight + sign * mean + 0.5 * interval->variance,
                                               (low - mean - lift) / deviation,
                                               (high - mean - lift) / deviation);
            sum += image ? -term : term;
        }
    }
    return sum;
}

double corridor_option(double x, const void *context)
{
    const struct claim *claim = context;
    const struct corridor *corridor = claim->interval->corridor;
    bool bounded = claim->cut || claim->interval->watched;
    double low = bounded ? 0.0 : -INFINITY, high = bounded ? corridor->width : INFINITY;
    double at_strike = corridor_distance(corridor, claim->strike),
           sign = claim->option == OPTION_CALL ? 1.0 : -1.0;
    if (sign * corridor->sign > 0.0) /* pays above the strike's distance */
        low = fmax(low, at_strike);
    else high = fmin(high, at_strike);
    return corridor_integral(x, claim->interval, low, high, sign * corridor->level,
                             -sign * claim->strike);
}

double corridor_alive(double x, const void *context)
{
    const struct claim *claim = context;
    bool bounded = claim->cut || claim->interval->watched;
    if (!bounded) return 1.0;
    return corridor_integral(x, claim->interval, 0.0, claim->interval->corridor->width, 0.0, 1.0);
}
