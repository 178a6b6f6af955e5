/* What the parts of the compiler share: compile_statements.c walks statements, compile_expression.c
 * expressions, compile_exercise.c decisions; emit.c makes the program. */
#ifndef PRICER_MODELS_SCRIPTS_COMPILER_H
#define PRICER_MODELS_SCRIPTS_COMPILER_H

#include "models/scripts/compile.h"
#include "models/scripts/numbered_values.h"

enum {
    COMPILE_STATES_MOST = 4096, /* numbers that a script keeps */
    COMPILE_WORK_MOST = 1 << 22 /* expressions and statements, counted as often as they are run */
};

/* Dates that are no further apart (a twentieth of a second) are one. */
#define COMPILE_SAME_DATE 1e-9

/* A number or a flag of a script. A price is kept as its logarithm, so that prices are compared and
 * the least of them is found without a power. */
struct value {
    int node; /* the number itself; -1: 2^log */
    int log;  /* log2 of the number, which is positive; -1: not kept so */
};

/* A date of a script: years from today, and which of a parameter's dates it is. */
struct date {
    double years;
    int parameter, index;
};

struct compiler {
    const struct binding *binding;
    const struct script *script;
    struct values values;
    struct program *program;
    struct script_past *past;
    struct message *why;
    enum status status; /* the first that went wrong */
    int work;           /* what was run so far */
    int room_payments, room_flows, room_decisions;

    struct date *dates; /* [n_symbols] of loops over dates: where they are; owned */
    int *members;       /* [n_symbols] of loops: which member, from 0; owned */
    int *first_state;   /* [n_symbols] of states: their first value below; owned */
    int n_states;
    struct value *states; /* [n_states] owned */

    int *last_event; /* [n_statements] of blocks: their last one; owned */
    int event;       /* which of all runs of blocks, by date */
    double typical;  /* size of an amount that the script pays */
    double now;      /* date of the block; -infinity before the first */
    bool passed;     /* it is past: everything is known */
    bool over;       /* so is the script's last date */
    bool left;       /* where the conditions around are met, the script has stopped */
    bool ended;      /* it has on every path */
    int alive;       /* flag: it has not stopped on this path */
    int under;       /* flag: the conditions of the `if`s around are met */
    int total;       /* all that was paid, discounted; -1: nothing */
    double jump;     /* the largest amount that hangs on what a path does, roughly */
    int n_decides, room_decides;
    int *decides; /* [n_decides] comparisons with what going on is worth; owned */
};

#define NEEDS_TODAY                                                                                \
    "what has passed must be known, but it hangs on the spot of today: give the number"

/* Says what is wrong on this line, unless something was before. */
__attribute__((format(printf, 3, 4))) void compile_fail(struct compiler *compiler, int line,
                                                        const char *format, ...);
/* Counts one piece of work. False: something went wrong, or it is too much. */
bool compile_work(struct compiler *compiler, int line);

/* Expressions, of numbers and flags, and of dates. */
struct value compile_value(struct compiler *compiler, int expression);
struct date compile_date(struct compiler *compiler, int expression);
/* Returns the number of a value. */
int compile_number(struct compiler *compiler, struct value value);
/* Returns a number of a flag or a number. */
static inline int compile_node(struct compiler *compiler, int expression)
{
    return compile_number(compiler, compile_value(compiler, expression));
}
/* Returns `b` where the flag is set, else `c`. */
struct value compile_select(struct compiler *compiler, int flag, struct value b, struct value c);
/* Returns the member of parameter `over` that a subscript names; 0 and a failure if there is none.
 */
int compile_member(struct compiler *compiler, int over, int subscript);
/* Sets a loop to its member `i`. */
void compile_set_loop(struct compiler *compiler, int symbol, int i);
/* Returns where a state's value stands. */
int compile_state(struct compiler *compiler, int symbol, int subscript);
/* Returns log2 of the asset's spot at the date of the block. */
struct value compile_spot(struct compiler *compiler, int asset, struct date date, int line);

/* Adds a payment, known or not, for people to read. */
void compile_flow(struct compiler *compiler, double years, struct script_place place, int amount,
                  bool certain);
/* Keeps what a date before today has paid. */
void compile_paid(struct compiler *compiler, double years, double amount);
/* Adds what is paid, discounted, to the total. */
void compile_total(struct compiler *compiler, int amount);
/* Returns what an amount of a date is worth today. */
int compile_discounted(struct compiler *compiler, int amount, double years);
void compile_exercise(struct compiler *compiler, const struct script_statement *statement);
/* Makes the program's code, inputs and coefficients of the values. */
enum status emit_program(struct compiler *compiler);

#endif
