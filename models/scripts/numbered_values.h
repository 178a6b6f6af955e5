/* The values of a program while it is compiled: each is computed once (value numbering), and
 * constants are folded. */
#ifndef PRICER_MODELS_SCRIPTS_NUMBERED_VALUES_H
#define PRICER_MODELS_SCRIPTS_NUMBERED_VALUES_H

#include "models/programs/program.h"

/* What is known of a value. */
enum {
    KNOWN_CONSTANT = 1,
    KNOWN_VARIES = 2,       /* from path to path */
    KNOWN_NOT_NEGATIVE = 4, /* >= 0, or no number */
    KNOWN_PRICE = 8,        /* a number, finite and > 0 */
    KNOWN_LIVE = 16,        /* the program needs it (emit.c) */
    KNOWN_DECIDES = 32      /* compares exercise with what going on is worth */
};

/* A value, by its index, which is larger than those of its operands. What it is stands before
 * `uses`. */
struct node {
    double number; /* of a coefficient its number; of an input its date */
    int at;        /* of an input its asset; of an output its number */
    int from;      /* of an input the constant that is where it begins */
    /* operands; of a coefficient its kind, index and decision; of an input its kind, and the
     * constants that are its lower and its upper bound */
    int operation, a, b, c;
    int uses, place, known; /* the first two: emit.c */
    int next;               /* of those with its hash; -1: the last */
};

enum { VALUES_MOST = 8 * PROGRAM_INSTRUCTIONS_MOST };

/* Begins as all 0, and value_constant(values, 0.0). */
struct values {
    int n, room, n_hashes;
    struct node *nodes; /* [n] the first is the constant 0; owned */
    int *newest;        /* [n_hashes] node of each hash; -1: none; owned */
    enum status status; /* the first that went wrong; values are then 0 */
};

/* Each returns the index of a value, and 0 where something has gone wrong: STATUS_NO_MEMORY, or
 * STATUS_FAILED where there are more than VALUES_MOST. */
int value_constant(struct values *values, double number);
int value_coefficient(struct values *values, enum coefficient_kind kind, int index, int decision,
                      double number);
int value_input(struct values *values, const struct program_input *input);
/* The node that is like this one, which is added where there is none: nothing is simplified. */
int value_numbered(struct values *values, struct node node);
/* Unused operands are 0. */
int value_of(struct values *values, enum operation operation, int a, int b, int c);
/* Returns a value that is known before paths are, by the spots of today (NULL: not known); NaN
 * where it is not. *work counts what is looked at, and ends it. */
double value_today(const struct values *values, int node, const double *today, int *work);
/* Returns log2 of a value: of what is made of prices without a logarithm. */
int value_log2(struct values *values, int x);
/* Writes output `at`, makes decision `at` of flag a, or ends the program. */
int value_result(struct values *values, enum operation operation, int a, int at);

static inline bool value_known(const struct values *values, int node, int bits)
{
    return (values->nodes[node].known & bits) == bits;
}

/* Tells whether a value is this constant. */
static inline bool value_is(const struct values *values, int node, double number)
{
    return value_known(values, node, KNOWN_CONSTANT) && values->nodes[node].number == number;
}

#endif
