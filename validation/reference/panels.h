/* A distribution on a line, held as masses at points: Gauss-Legendre nodes on panels of equal
 * width, and single atoms.
 *
 * A step of a path sends it to a new one by a transition density. */
#ifndef PRICER_VALIDATION_REFERENCE_PANELS_H
#define PRICER_VALIDATION_REFERENCE_PANELS_H

#include "models/base/status.h"
#include "validation/reference/multi_asset.h"

enum { PANEL_NODES = 12 };

/* Resolutions, in panels a deviation: of a value, and of one that tells its error. Twelve nodes on
 * a panel of two deviations integrate the product to 1e-15 of it, on one of two and a half to
 * 1e-13. */
#define PANELS_FINE 0.5
#define PANELS_COARSE 0.4

struct panels {
    double low, width; /* of the first panel; width of each */
    int count;
};

/* The density that one panel gives another `least` to `most` panels farther on: [panels apart -
 * least][from node][to node]. Steps of a regular schedule share it. */
struct panel_kernels {
    double width, offset, variance;
    int least, most;
    double (*block)[PANEL_NODES][PANEL_NODES];
};

struct distribution {
    struct panels panels;
    int n;                /* points: count * PANEL_NODES, and one more where there is an atom */
    double *point, *mass; /* [n]; points on panels increase, the atom comes last */
    struct panel_kernels kernels; /* of the last move to it */
};

/* Panels of about `width` over [max(lows), min(highs)]; ends that are walls are met exactly, and no
 * panel lies beyond one. Empty (count 0) where the interval is. */
struct panels panels_between(double wall_low, double wall_high, double soft_low, double soft_high,
                             double width);

/* Finds panel widths for n increments: the distribution after increment i (i < n - 1) lies between
 * increments i and i + 1. `resolution` is in panels per deviation. Widths differ by powers of two
 * only, so that increments of a regular schedule share one. */
void panels_widths(const struct log_increment *increments, int n, double resolution,
                   double *widths);

/* Puts all mass at one point. Here and below also what effort.h returns. */
enum status distribution_at(struct effort *effort, double point, struct distribution *all);
void distribution_free(struct distribution *d);

/* How a point moves: by drift + sqrt(variance) * normal. */
struct motion {
    double drift, variance;
    /* At walls that kill or reflect: the transition density; else NULL */
    double (*density)(double from, double to, const struct motion *motion);
    const void *context; /* of the density */
    double cost;         /* operations of one */
    /* What falls at or below zero is gathered there: of a motion without walls */
    bool atom_at_zero;
};

/* Sends one through a motion onto panels; what falls elsewhere is lost. What `to` was, which may be
 * `from`, is freed. Where this fails it is left as it is; STATUS_FAILED where it would need too
 * many nodes. */
enum status distribution_move(struct effort *effort, const struct distribution *from,
                              const struct motion *motion, struct panels panels,
                              struct distribution *to);

/* Expected value of a function. */
typedef double payoff(double point, const void *context);
double distribution_mean(const struct distribution *d, payoff *function, const void *context);

#endif
