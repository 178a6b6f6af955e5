/* Control variates: the mean of a simulated value, given the exact means of others simulated beside
 * it (Glasserman 2004, section 4.1). The coefficients are those of the regression on the same
 * paths: a bias of the order of 1 / paths. */
#ifndef PRICER_VALIDATION_REFERENCE_MEAN_CONTROLS_H
#define PRICER_VALIDATION_REFERENCE_MEAN_CONTROLS_H

enum { MEAN_CONTROLS_MAX = 6 };

/* Running means and sums of products of deviations of value 0, the simulated one, and values 1..n,
 * the controls. */
struct mean_controls {
    int n;
    double known[MEAN_CONTROLS_MAX + 1]; /* exact mean of each control; [0] unused */
    double mean[MEAN_CONTROLS_MAX + 1], product[MEAN_CONTROLS_MAX + 1][MEAN_CONTROLS_MAX + 1];
    /* The largest of the squares that add up to product[i][i] */
    double peak[MEAN_CONTROLS_MAX + 1];
    double count;
};

void mean_controls_add(struct mean_controls *controls, const double *values);

/* Finds the mean with the controls' help, and its standard error (0 for a single path). A control
 * that ends more than four deviations from its known mean shows a bias of the simulation: what it
 * corrected is added to the error. So it is of a control whose deviation is the work of a few
 * paths: how its mean is off then tells of the paths that were not drawn, and the regression does
 * not know what those would pay. */
void mean_controls_result(const struct mean_controls *controls, double *mean, double *error);

#endif
