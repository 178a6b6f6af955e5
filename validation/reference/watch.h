/* What an asset did between the dates of a simulated path: its farthest points, drawn by their
 * exact law, and the probability that it stayed within bounds (Beaglehole, Dybvig and Zhou 1997;
 * Karatzas and Shreve 1991, section 2.8). Log spot is a Brownian bridge between jumps. */
#ifndef PRICER_VALIDATION_REFERENCE_WATCH_H
#define PRICER_VALIDATION_REFERENCE_WATCH_H

#include <gsl/gsl_rng.h>

/* The farthest point of an asset from some day on, or the probability that it stayed strictly
 * within bounds. */
enum watch_kind { WATCH_HIGHEST, WATCH_LOWEST, WATCH_SURVIVES };

struct watch {
    enum watch_kind kind;
    int asset;
    double low, high; /* of survives: logs, or infinite */
    double begin;     /* years from the day of pricing; 0: today */
};

/* Returns what a watch says before anything is seen: a log spot, or a probability. */
double watch_none(const struct watch *watch);

/* Returns what it says after a bridge from x to y, log spots, over a variance (0: the two alone);
 * so far it said `said`. */
double watch_bridge(const struct watch *watch, double x, double y, double variance, double said,
                    gsl_rng *rng);

#endif
