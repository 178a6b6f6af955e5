/* A payoff as a program: straight-line code in static single assignment over what a path shows.
 *
 * A program reads inputs (log2 of spots on dates, and what the bridge between them says) and
 * coefficients (numbers of its trade, discount factors), and has one value: all that one unit of
 * the trade pays on this path, discounted to today. Every engine runs the same instructions in the
 * same order on the functions of operations.def, so that all give the same bits. What has passed
 * of a trade is in its coefficients: the compiler runs it.
 *
 * Operands are registers: after SSA the compiler gives each value one, and a register is used again
 * when its value has been read for the last time. An instruction never writes a register that it
 * reads. */
#ifndef PRICER_MODELS_PROGRAMS_PROGRAM_H
#define PRICER_MODELS_PROGRAMS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "models/base/status.h"
#include "models/programs/policy.h"
#include "models/scripts/script.h"

enum operation {
    OPERATION_INPUT,       /* to = input `at` of the path */
    OPERATION_COEFFICIENT, /* to = coefficient `at` */
#define OPERATION(NAME, ...) OPERATION_##NAME,
#include "models/programs/operations.def"
#undef OPERATION
    /* to = a, whether decision `at` is to exercise; where the run follows another one: what that
     * one decided on the path. The last one that writes a register */
    OPERATION_DECIDE,
    OPERATION_OUTPUT, /* output `at` of the path = a; left out where nobody asks for outputs */
    OPERATION_KEEP,   /* row `at` of the program's = a; only in what a plan makes of programs */
    OPERATION_END,    /* the value of the program is a; the last instruction, and only that */
    N_OPERATIONS
};

enum {
    PROGRAM_INSTRUCTIONS_MOST = 1 << 16,
    PROGRAM_REGISTERS_MOST = 384,
    PROGRAM_INPUTS_MOST = 4096 /* rows of a group are bounded likewise (kernels/plan.h) */
};

/* An instruction: one 16-byte load. */
struct instruction {
    uint16_t operation;
    uint16_t to, a, b, c; /* registers; unused operands are 0 */
    uint16_t spare;       /* 0 */
    uint32_t at;          /* of an input, a coefficient, an output */
} __attribute__((aligned(16)));

/* What a program sees of a path. */
enum input_kind {
    INPUT_SPOT,     /* log2 S of the asset at `date` */
    INPUT_PRICE,    /* S of the asset at `date`: program_exp2() of that */
    INPUT_VARIANCE, /* v of the asset's ln S at `date`, a year; of a model that remembers it */
    INPUT_HIGHEST,  /* log2 of the greatest S at any moment from `from` to `date` */
    INPUT_LOWEST,
    INPUT_SURVIVAL /* probability that S stays in (lower, upper) at every moment of that */
};

struct program_input {
    enum input_kind kind;
    int asset;           /* which of the trade's assets (trade_asset()) */
    double date;         /* years from today, > 0 */
    double from;         /* of what is watched: years from today; 0: from today on */
    double lower, upper; /* INPUT_SURVIVAL: prices; 0 and HUGE_VAL where there is none */
};

/* A number of a program that the plan fills in for its market. */
enum coefficient_kind {
    COEFFICIENT_NUMBER,    /* .number */
    COEFFICIENT_DISCOUNT,  /* discount factor of what is fixed at .number years (>= 0) */
    COEFFICIENT_TODAY,     /* spot of asset .index that is fixed today (spot_today()) */
    COEFFICIENT_LOG_TODAY, /* log2 of that */
    /* A discount factor, and number .index of decision .decision, fitted before the run: of the
     * market that policies are those of */
    COEFFICIENT_POLICY_DISCOUNT,
    COEFFICIENT_POLICY
};

/* Tells whether a kind is a discount factor. */
static inline bool is_discount(enum coefficient_kind kind)
{
    return kind == COEFFICIENT_DISCOUNT || kind == COEFFICIENT_POLICY_DISCOUNT;
}

struct program_coefficient {
    enum coefficient_kind kind;
    int index, decision;
    double number;
};

/* A payment, for people to read: its date and where the script states it. */
struct program_flow {
    double years; /* when it is fixed */
    struct script_place place;
    bool certain; /* whatever the path does it is `amount`, before discounting */
    double amount;
};

/* A decision of the holder or the issuer, in order of dates. Outputs `first_output` + 0, 1, 2 are
 * whether the trade is still alive there, what exercise is worth today, and what was paid before
 * (worth today); then its n_features, the numbers that the policy is fitted on: what exercise is
 * worth, log2 of the spots, states that are read later, variances that paths remember, as far as
 * they vary. Exercised where alive and (holder: worth > continuation, issuer: worth <
 * continuation), the continuation being the sum over the terms of its polynomial
 * (models/programs/policy.h). */
struct program_decision {
    double years;
    bool issuer;
    bool only_gains; /* of a holder: neither worth nor what is left is ever negative, and nothing is
                        never taken */
    int n_features, first_output;
    int8_t spots[POLICY_FEATURES_MOST]; /* [asset] the feature that is its log2 S; -1: none is */
    int n_terms, first_coefficient;
    struct script_place place;
};

/* Immutable when it is made; a trade owns it, plans point to it. */
struct program {
    int n_instructions;
    struct instruction *code; /* [n_instructions] the last is OPERATION_END; owned */
    int n_registers, n_outputs;
    int n_inputs;
    struct program_input *inputs; /* [n_inputs] no two alike; owned */
    int n_coefficients;
    struct program_coefficient *coefficients; /* [n_coefficients]; owned */
    int n_flows;
    struct program_flow *flows; /* [n_flows] still to come, in order of dates; owned */
    int n_decisions;
    struct program_decision *decisions; /* [n_decisions]; owned */
    bool jumps;                         /* its value may jump on a path that moves a little */
    bool one_way; /* it never pays a negative amount, as far as that can be told */
    bool closely; /* what it watches between dates is made something of together */
    double jump;  /* money of a unit that it may jump by, roughly; 0 where it does not */
    bool ended;   /* it has stopped already: nothing is left but what is `paid` */
    int blind;   /* line of the script that watches from before today, which is not seen; 0: none */
    int crowded; /* line of the script that decides by fewer numbers than it might; 0: none */
    int doubtful; /* line of the script that is the first that may make no number; 0: none */
};

/* What an operation is. */
struct operation_kind {
    const char *name;
    int operands;
    bool writes; /* a register */
    bool jumps;  /* where its operands move a little */
};
extern const struct operation_kind operation_kinds[N_OPERATIONS];

/* Returns a number of the policy by which nobody exercises: the constant term of what waiting is
 * worth is infinite, all others are 0. */
double policy_of_nobody(const struct program *program,
                        const struct program_coefficient *coefficient);

/* Checks that the program can be run: every operand has been written, every index is in range, the
 * limits hold, END is last. STATUS_OK, or STATUS_FAILED and `why`. */
enum status program_verify(const struct program *program, struct message *why);

void program_free(struct program *program);

#endif
