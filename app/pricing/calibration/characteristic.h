/* Characteristic functions of Heston and Bates with their derivatives by every parameter. */
#ifndef PRICER_APP_PRICING_CALIBRATION_CHARACTERISTIC_H
#define PRICER_APP_PRICING_CALIBRATION_CHARACTERISTIC_H

#include <complex.h>
#include <stdbool.h>

#include "models/market/market.h"

/* The parameters, in the order of every array of them; heston has the first five, bates all. */
enum { N_HESTON_PARAMETERS = PARAMETER_JUMP_INTENSITY };

/* Computes exponent = ln E exp((1/2 + i u) X), X the log of spot over forward after t years, of n
 * parameters (5 or 8). `gradient` (NULL: not wanted) gets [n] derivatives. kappa, xi > 0, t > 0; xi
 * above 0.01, below which digits are lost to a division by xi^2. */
double complex characteristic_exponent(int n, const double *parameters, double t, double u,
                                       double complex *gradient);

#endif
