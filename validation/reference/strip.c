#include "validation/reference/strip.h"

#include <math.h>

#include <gsl/gsl_math.h>

#include "validation/reference/gaussian.h"

/* After this many times the square of the width less than exp(-98) of the paths is alive. */
static const double MOST_VARIANCE = 20.0;

double strip_distance(const struct strip *strip, double spot)
{
    return strip->sign * log(spot / strip->level);
}

/* Images of x in the walls (Cox and Miller 1965, section 5.7; Kunitomo and Ikeda 1992): the density of the
 * living is sum over k of  exp(a (c - x)) phi(y - c - drift) [c = x + 2 k width]  -  the same with c = -x + 2
 * k width, a = drift / variance. Farther ones than this many widths are below 1e-17 of the first. */
static int farthest_image(const struct stretch *stretch)
{
    double width = stretch->strip->width;
    if (!stretch->watched || isinf(width) || stretch->variance > MOST_VARIANCE * width * width) return 0;
    return 1 + (int)ceil(0.5 * sqrt(1.0 + 81.0 * stretch->variance / (width * width)));
}

double strip_cost(const struct stretch *stretch)
{
    return 4.0 * (2.0 * farthest_image(stretch) + 1.0) * (1.0 + stretch->watched);
}

/* Whether no path is alive, or as good as none. */
static bool all_dead(double x, const struct stretch *stretch)
{
    double width = stretch->strip->width;
    if (!stretch->watched) return false;
    return x <= 0.0 || x >= width || stretch->variance > MOST_VARIANCE * width * width;
}

double strip_density(double x, double y, const void *context)
{
    const struct stretch *stretch = context;
    if (all_dead(x, stretch)) return 0.0;
    double ratio = stretch->drift / stretch->variance, sum = 0.0;
    int farthest = farthest_image(stretch);
    for (int k = -farthest; k <= farthest; k++) {
        double shift = k ? 2.0 * k * stretch->strip->width : 0.0;
        for (int image = 0; image <= stretch->watched; image++) {
            double centre = (image ? -x : x) + shift, distance = y - centre - stretch->drift;
            double power = ratio * (centre - x) - 0.5 * distance * distance / stretch->variance;
            if (power > -45.0) sum += image ? -exp(power) : exp(power);
        }
    }
    return sum / sqrt(2.0 * M_PI * stretch->variance);
}

/* Integral over low < y < high of (money * exp(sign y) + cash) times the density. */
static double strip_integral(double x, const struct stretch *stretch, double low, double high, double money,
                             double cash)
{
    if (all_dead(x, stretch) || !(high > low)) return 0.0;
    double ratio = stretch->drift / stretch->variance, deviation = sqrt(stretch->variance), sum = 0.0;
    double sign = stretch->strip->sign, lift = sign * stretch->variance;
    int farthest = farthest_image(stretch);
    for (int k = -farthest; k <= farthest; k++) {
        double shift = k ? 2.0 * k * stretch->strip->width : 0.0;
        for (int image = 0; image <= stretch->watched; image++) {
            double centre = (image ? -x : x) + shift, mean = centre + stretch->drift;
            double weight = ratio * (centre - x), term = 0.0;
            if (cash != 0.0)
                term += cash * normal_between(weight, (low - mean) / deviation, (high - mean) / deviation);
            if (money != 0.0)
                term +=
                    money * normal_between(weight + sign * mean + 0.5 * stretch->variance,
                                           (low - mean - lift) / deviation, (high - mean - lift) / deviation);
            sum += image ? -term : term;
        }
    }
    return sum;
}

double strip_option(double x, const void *context)
{
    const struct claim *claim = context;
    const struct strip *strip = claim->stretch->strip;
    bool bounded = claim->cut || claim->stretch->watched;
    double low = bounded ? 0.0 : -INFINITY, high = bounded ? strip->width : INFINITY;
    double at_strike = strip_distance(strip, claim->strike), sign = claim->option == OPTION_CALL ? 1.0 : -1.0;
    if (sign * strip->sign > 0.0) /* pays above the strike's distance */
        low = fmax(low, at_strike);
    else high = fmin(high, at_strike);
    return strip_integral(x, claim->stretch, low, high, sign * strip->level, -sign * claim->strike);
}

double strip_alive(double x, const void *context)
{
    const struct claim *claim = context;
    bool bounded = claim->cut || claim->stretch->watched;
    if (!bounded) return 1.0;
    return strip_integral(x, claim->stretch, 0.0, claim->stretch->strip->width, 0.0, 1.0);
}
