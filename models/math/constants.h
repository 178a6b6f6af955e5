/* Constants of mathematics, each written once. */
#ifndef PRICER_MODELS_MATH_CONSTANTS_H
#define PRICER_MODELS_MATH_CONSTANTS_H

#define LN2 0.693147180559945309417
#define PI 3.14159265358979323846

#endif
