/* The values of a program while it is compiled: each is computed once (value numbering), constants
 * are folded, and what changes no bit is simplified. */
#ifndef PRICER_MODELS_SCRIPTS_NUMBERED_VALUES_H
#define PRICER_MODELS_SCRIPTS_NUMBERED_VALUES_H

#include "models/programs/program.h"

/* What is known of a value. */
enum {
    KNOWN_CONSTANT = 1,
    KNOWN_VARIES = 2,       /* from path to path */
    KNOWN_NOT_NEGATIVE = 4, /* >= 0, or no number */
    KNOWN_PLUS = 8,         /* never -0 */
    KNOWN_LIVE = 16         /* the program needs it (emit.c) */
};

/* A value, by its index, which is larger than those of its operands. */
struct node {
    uint8_t operation, known;
    /* operands; of a coefficient its kind, index and decision; of an input its kind, and the
     * constants that are its lower and its upper bound */
    int a, b, c;
    uint32_t at;     /* of an input its asset; of an output its number */
    double number;   /* of a coefficient its number; of an input its date */
    int uses, place; /* emit.c */
};

struct values {
    int n, room, n_slots;
    struct node *nodes; /* [n] the first is the constant 0 */
    int *slots;         /* [n_slots] a hash table of them; a power of two, -1: empty */
    enum status status; /* the first that went wrong; values are then 0 */
};

enum { VALUES_MOST = 8 * PROGRAM_INSTRUCTIONS_MOST };

/* STATUS_OK or STATUS_NO_MEMORY; values_free either way. */
enum status values_make(struct values *values);
void values_free(struct values *values);

/* Each returns the index of a value, and 0 where something has gone wrong: STATUS_NO_MEMORY, or
 * STATUS_FAILED where there are more than VALUES_MOST. */
int value_constant(struct values *values, double number);
int value_coefficient(struct values *values, enum coefficient_kind kind, int index, int decision,
                      double number);
int value_input(struct values *values, const struct program_input *input);
/* Unused operands are 0. */
int value_of(struct values *values, enum operation operation, int a, int b, int c);
/* Writes output `at`. */
void value_output(struct values *values, int a, int at);

static inline bool value_known(const struct values *values, int node, int bits)
{
    return (values->nodes[node].known & bits) == bits;
}

/* Tells whether a value is this constant. */
static inline bool value_is(const struct values *values, int node, double number)
{
    return value_known(values, node, KNOWN_CONSTANT) && values->nodes[node].number == number;
}

/* How many operands an operation has: 0 for leaves. */
extern const unsigned char operation_operands[N_OPERATIONS];
/* Whether it jumps where its operands move a little. */
extern const bool operation_jumps[N_OPERATIONS];

#endif
