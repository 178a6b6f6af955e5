/* script: a payoff that a program states. The engine has run the program when it values payoffs:
 * its value is a row (struct group_program of kernels/plan.h). */
#ifndef PRICER_MODELS_PAYOFFS_SCRIPTED_H
#define PRICER_MODELS_PAYOFFS_SCRIPTED_H

#include "models/payoffs/payoff_definition.h"

/* a = the value of the program on the path. */
HOST_DEVICE double script_value(const struct payoff *p, double a, double b, double c)
{
    (void)p, (void)b, (void)c;
    return a;
}

#ifndef __CUDACC__
#include "models/programs/program.h"

/* What a trade has whose payoff is a script. */
struct scripted {
    const struct script *script; /* not owned */
    struct binding binding;      /* what the trade gives the script; owned */
    struct program program;      /* that the two come to; owned */
};

/* Releases it and what it owns; NULL is nothing. */
void scripted_free(struct scripted *scripted);

/* Returns what the program has of the traits of a product: JUMPS, PAYS_ONE_WAY, DECIDES,
 * WATCHES_CLOSELY. */
int scripted_traits(const struct scripted *scripted);

/* Makes coefficients [program->n_coefficients] of the trade's program, for a market; a decision is
 * never taken yet. */
void scripted_coefficients(const struct market *market, const struct trade *trade,
                           double *coefficients);

/* A program asks for as many functionals as it has inputs, one at least, so that there are paths:
 * payoff_functional() makes them. */
static inline void script_define(const struct market *market, const struct trade *trade,
                                 struct payoff_definition *definition)
{
    (void)market;
    int n = trade->scripted->program.n_inputs;
    definition->n_functionals = n ? n : 1;
}

/* Returns the functional that input i of the trade's program asks for, and of a program without
 * inputs the spot at expiry. It points into the program, or the trade. */
struct functional scripted_functional(const struct trade *trade, int i);

/* Returns functional i of a definition. */
static inline struct functional payoff_functional(const struct payoff_definition *definition, int i)
{
    return definition->trade->scripted ? scripted_functional(definition->trade, i)
                                       : definition->functionals[i];
}
#endif

#endif
