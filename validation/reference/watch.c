#include "validation/reference/watch.h"

#include <math.h>

/* Returns exp(-x); beyond so much it is the probability of nothing. */
static const double FAR = 40.0;
static double nearby(double x)
{
    return x < FAR ? exp(-x) : 0.0;
}

/* Returns the probability of staying above 0, or with a finite width between 0 and it, from x to y
 * over a variance: a sum over reflections. */
static double stays(double x, double y, double width, double variance)
{
    if (x <= 0.0 || y <= 0.0 || x >= width || y >= width) return 0.0;
    if (variance <= 0.0) return 1.0;
    double scale = 2.0 / variance, sum = 1.0 - nearby(scale * x * y);
    if (!isfinite(width)) return sum;
    if (variance > FAR * width * width) return 0.0;
    int terms = 1 + (int)ceil(sqrt(0.5 * FAR * variance) / width);
    for (int k = 1; k <= terms; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double to = sign * k * width;
            sum += nearby(scale * to * (to + y - x)) - nearby(scale * (to + x) * (to + y));
        }
    return fmin(fmax(sum, 0.0), 1.0);
}

double watch_none(const struct watch *watch)
{
    if (watch->kind == WATCH_SURVIVES) return 1.0;
    return watch->kind == WATCH_HIGHEST ? -INFINITY : INFINITY;
}

double watch_bridge(const struct watch *watch, double x, double y, double variance, double said,
                    gsl_rng *rng)
{
    if (watch->kind == WATCH_SURVIVES) {
        double low = watch->low, high = watch->high;
        if (said <= 0.0 || (low == -INFINITY && high == INFINITY)) return said;
        if (low == -INFINITY) return said * stays(high - x, high - y, INFINITY, variance);
        return said * stays(x - low, y - low, high - low, variance);
    }
    double sign = watch->kind == WATCH_HIGHEST ? 1.0 : -1.0, seen = sign * said;
    double room_before = seen - sign * x, room_after = seen - sign * y;
    if (variance <= 0.0 ||
        (room_before > 0.0 && room_after > 0.0 && 2.0 * room_before * room_after > FAR * variance))
        return sign * fmax(seen, sign * (room_before < room_after ? x : y));
    double move = y - x, drawn = log(gsl_rng_uniform_pos(rng));
    double farthest = 0.5 * (sign * (x + y) + sqrt(move * move - 2.0 * variance * drawn));
    return sign * fmax(seen, farthest);
}
