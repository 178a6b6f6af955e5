#include "validation/reference/watch.h"

#include <math.h>
#include <stdbool.h>

/* Exponents beyond are probabilities of nothing. */
static const double FAR = 40.0;

/* Returns the probability of staying above 0, or with a finite width between 0 and it, from x to y
 * over a variance: a sum over reflections. */
static double stays(double x, double y, double width, double variance)
{
    if (x <= 0.0 || y <= 0.0 || x >= width || y >= width) return 0.0;
    if (variance <= 0.0) return 1.0;
    double sum = 1.0 - exp(-2.0 * x * y / variance);
    if (!isfinite(width)) return sum;
    if (variance > FAR * width * width) return 0.0;
    int terms = 1 + (int)ceil(sqrt(0.5 * FAR * variance) / width);
    for (int k = 1; k <= terms; k++) {
        double kw = k * width;
        for (int sign = -1; sign <= 1; sign += 2) {
            double to = sign * kw;
            sum += exp(-2.0 * to * (to + y - x) / variance);
            sum -= exp(-2.0 * (to + x) * (to + y) / variance);
        }
    }
    return fmin(fmax(sum, 0.0), 1.0);
}

static double direction(const struct watch *watch)
{
    return watch->kind == WATCH_HIGHEST ? 1.0 : -1.0;
}

static bool is_inside(const struct watch *watch, double x)
{
    return x > log(watch->lower) && x < log(watch->upper);
}

double watch_begin(const struct watch *watch, double x, double today)
{
    if (watch->kind == WATCH_SURVIVES)
        return is_inside(watch, x) && is_inside(watch, today) ? 1.0 : 0.0;
    return watch->kind == WATCH_HIGHEST ? fmax(x, today) : fmin(x, today);
}

double watch_point(const struct watch *watch, double x, double said)
{
    if (watch->kind == WATCH_SURVIVES) return is_inside(watch, x) ? said : 0.0;
    return watch->kind == WATCH_HIGHEST ? fmax(x, said) : fmin(x, said);
}

double watch_bridge(const struct watch *watch, const struct watched_bridge *bridge, double said,
                    gsl_rng *rng)
{
    double x = bridge->from, y = bridge->to, variance = bridge->variance;
    if (watch->kind == WATCH_SURVIVES) {
        if (said <= 0.0) return 0.0;
        double low = watch->lower > 0.0 ? log(watch->lower) : -INFINITY, high = log(watch->upper);
        if (isfinite(low)) return said * stays(x - low, y - low, high - low, variance);
        return said * (isfinite(high) ? stays(high - x, high - y, INFINITY, variance) : 1.0);
    }
    double sign = direction(watch), end = fmax(sign * x, sign * y), so_far = sign * said;
    double ahead = so_far - sign * x, after = so_far - sign * y;
    if (variance <= 0.0 || (ahead > 0.0 && after > 0.0 && 2.0 * ahead * after > FAR * variance))
        return sign * fmax(so_far, end);
    double move = y - x, drawn = log(gsl_rng_uniform_pos(rng));
    double farthest = 0.5 * (sign * (x + y) + sqrt(move * move - 2.0 * variance * drawn));
    return sign * fmax(so_far, farthest);
}
