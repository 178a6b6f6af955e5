/* What an asset did between the dates of a simulated path: its farthest points, drawn by their
 * exact law, and the probability that it stayed within bounds (Beaglehole, Dybvig and Zhou 1997;
 * Karatzas and Shreve 1991, section 2.8). Log spot is a Brownian bridge between jumps. */
#ifndef PRICER_VALIDATION_REFERENCE_WATCH_H
#define PRICER_VALIDATION_REFERENCE_WATCH_H

#include <gsl/gsl_rng.h>

/* The farthest point of an asset from today on, or the probability that it stayed strictly within
 * bounds, which may be 0 and infinite. */
enum watch_kind { WATCH_HIGHEST, WATCH_LOWEST, WATCH_SURVIVES };

struct watch {
    enum watch_kind kind;
    int asset;
    double lower, upper; /* of survives */
};

/* A bridge between two log spots. */
struct watched_bridge {
    double from, to, variance;
};

/* Returns what a watch says of a path that begins at log spot x, where today's spot is fixed: a log
 * spot, or a probability. */
double watch_begin(const struct watch *watch, double x, double today);

/* Returns what it says after a moment at x, or after a bridge; so far it said `said`. */
double watch_point(const struct watch *watch, double x, double said);
double watch_bridge(const struct watch *watch, const struct watched_bridge *bridge, double said,
                    gsl_rng *rng);

#endif
