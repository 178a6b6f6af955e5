/* Observations of strips as a GPU makes them, which leaves out what changes no bit. */
#ifndef PRICER_VALIDATION_TESTS_LEFT_OUT_H
#define PRICER_VALIDATION_TESTS_LEFT_OUT_H

struct observation;
struct memory;

/* Makes one of kind STRIP or CLOCK_STRIP. */
void observe_leaving_out(int kind, const struct observation *t, double x, struct memory *m);

#endif
