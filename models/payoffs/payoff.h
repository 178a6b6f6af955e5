/* A trade as the engines see it: which observables of its path it reads, and the numbers of its
 * formula.
 *
 * NAME_value(payoff, a, b, c) of each formula gives the discounted value of one unit on one path,
 * from the observables named by `rows`; NAME_define() fills the structure. Both stand in
 * models/payoffs/NAME.h. */
#ifndef PRICER_MODELS_PAYOFFS_PAYOFF_H
#define PRICER_MODELS_PAYOFFS_PAYOFF_H

/* A payoff: a formula, its numbers, and the rows that it reads. */
struct payoff {
    int formula; /* enum formula (product_numbers.h): which NAME_value() */
    int rows[3]; /* rows of the observables it reads; an unused one repeats the first */
    double k[8]; /* strike, discount factor, ... as the formula names them */
};

#endif
