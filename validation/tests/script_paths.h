/* Made-up paths for programs of scripts, one instruction at a time: what every engine has to give.
 */
#ifndef PRICER_VALIDATION_TESTS_SCRIPT_PATHS_H
#define PRICER_VALIDATION_TESTS_SCRIPT_PATHS_H

#include "models/programs/program.h"

/* A note on the worst of a basket, with memory where it is asked for. */
#define AUTOCALLABLE_SCRIPT                                                                        \
    "product autocallable(assets basket; dates observations; date expiry;\n"                       \
    "    number call, coupon, floor = 0, coupon_at = -inf; flag memory = false;\n"                 \
    "    money notional; number initial[basket] = spot)\n"                                         \
    "  number missed = 0\n"                                                                        \
    "  each t in observations\n"                                                                   \
    "    worst = min(a(t) / initial[a] for a in basket)\n"                                         \
    "    missed = missed + 1\n"                                                                    \
    "    if worst >= coupon_at: pay notional * coupon * (missed if memory else 1); missed = 0\n"   \
    "    if worst >= call: pay notional; stop\n"                                                   \
    "  at expiry\n"                                                                                \
    "    worst = min(a(expiry) / initial[a] for a in basket)\n"                                    \
    "    pay notional * (worst if worst < floor else 1)\n"

enum { SCRIPT_TODAY = 100 }; /* each asset's spot today */

/* Returns a number in (0, 1) of a path and what is looked at. */
double script_chance(uint64_t path, uint64_t what, double when);

/* Returns what an input of a path shows. */
double script_input(uint64_t path, const struct program_input *input);

/* Returns the discount factor of a payment. */
double script_discount(double years);

/* Returns a coefficient; those of policies by chance, of `seed`. */
double script_coefficient(uint64_t seed, const struct program_coefficient *coefficient);

/* Returns the value of a program of its inputs and coefficients, and its outputs: [n_outputs]. */
double script_run_on(const struct program *program, const double *inputs,
                     const double *coefficients, double *outputs);

/* Returns the same on a path of these. */
double script_run(const struct program *program, uint64_t seed, uint64_t path, double *outputs);

#endif
