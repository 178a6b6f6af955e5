/* Control variates: the mean of a simulated value, given the exact means of others simulated beside it
 * (Glasserman 2004, section 4.1). The coefficients are those of the regression on the same paths: a bias of
 * the order of 1 / paths. */
#ifndef PRICER_VALIDATION_REFERENCE_CONTROLS_H
#define PRICER_VALIDATION_REFERENCE_CONTROLS_H

enum { CONTROLS_MAX = 6 };

/* Running means and sums of products of deviations of value 0, the simulated one, and values 1..n, the
 * controls. */
struct controls {
    int n;
    double known[CONTROLS_MAX + 1]; /* exact mean of each control; [0] unused */
    double mean[CONTROLS_MAX + 1], product[CONTROLS_MAX + 1][CONTROLS_MAX + 1];
    double peak[CONTROLS_MAX + 1]; /* the largest of the squares that add up to product[i][i] */
    double count;
};

void controls_add(struct controls *controls, const double *values);

/* The mean with the controls' help, and its standard error (0 for a single path). A control that ends more
 * than four deviations from its known mean shows a bias of the simulation: what it corrected is added to the
 * error. So it is of a control whose deviation is the work of a few paths: how its mean is off then tells of
 * the paths that were not drawn, and the regression does not know what those would pay. */
void controls_result(const struct controls *controls, double *mean, double *error);

#endif
