/* The products and formulas by number: their rows of payoffs.def, linear.def and formulas.def. For
 * those alone who name one, so that a new row has little compiled again. A payoff that is a program
 * is no row: scripts name it (scripted.h). */
#ifndef PRICER_MODELS_PAYOFFS_PRODUCT_NUMBERS_H
#define PRICER_MODELS_PAYOFFS_PRODUCT_NUMBERS_H

enum product {
#define PAYOFF(NAME, name, ...) PRODUCT_##NAME,
#include "models/payoffs/payoffs.def"
    N_PAYOFFS, /* of those that paths pay; the others but the script have none */
    BEFORE_LINEAR = N_PAYOFFS - 1,
#include "models/payoffs/linear.def"
#undef PAYOFF
    N_TYPES, /* that a book names by `type` */
    PRODUCT_SCRIPT = N_TYPES,
    N_PRODUCTS /* and of a trade whose product is not known */
};

/* The formulas, in the order of formulas.def: a product's own has the product's number. */
enum formula {
#define PAYOFF(NAME, name, ...) FORMULA_##NAME,
#include "models/payoffs/formulas.def"
#undef PAYOFF
    N_FORMULAS
};

#endif
