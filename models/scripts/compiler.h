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

/* A member of a parameter: of assets, its index; of dates, its years from today, too. */
struct script_member {
    double years;
    int parameter, index;
};

/* What has been asked for of an asset between dates; or its spot of date `from`, asked for on a
 * later one, whose value is none. */
struct seen_watch {
    struct program_input input;
    int value;
};

/* What decisions must know, since it is read after them: found by one run, used by the next. */
struct awaited {
    int states[COMPILE_STATES_MOST]; /* `work` where a part reads it last, before it assigns it */
    int n_watches;
    struct seen_watch *watches; /* [n_watches] those of the run before; owned */
    int owed;                   /* the last part of the run before that may pay less than nothing */
};

/* Numbers and flags are values, by their index in `values`. */
struct compiler {
    const struct binding *binding;
    const struct script *script;
    struct values values;
    struct program *program;
    struct script_past *past;
    struct message *why;
    enum status status; /* the first that went wrong */
    int work;           /* what was run so far */

    struct script_member
        *places; /* [n_symbols] of loops, dates, assets; of states the first; owned */
    int n_states, states[COMPILE_STATES_MOST];
    struct awaited *awaited;
    int assigned[COMPILE_STATES_MOST]; /* the last part that does, whatever the path */
    int part;                          /* of all runs of blocks: each, or up to an `exercise` */

    int n_watches;
    struct seen_watch *watches; /* [n_watches] owned */
    bool crowded;               /* a decision has had no room for a feature */
    int owed;                   /* the last part that may pay less than nothing */
    int n_last;
    struct last_decision *last; /* [n_last] of the last date, where that has passed; owned */

    double typical; /* size of an amount that the script pays */
    double now;     /* date of the block; -infinity before the first */
    bool passed;    /* it is past: everything is known */
    bool over;      /* so is the script's last date */
    bool left;      /* where the conditions around are met, the script has stopped */
    bool ended;     /* it has on every path */
    int alive;      /* flag: it has not stopped on this path */
    int under;      /* flag: the conditions of the `if`s around are met */
    int total;      /* all that was paid, discounted; -1: nothing */
    double jump;    /* the largest amount that hangs on what a path does, roughly */
};

/* A decision of a last date that is over. */
struct last_decision {
    int n_payments; /* before it */
    double years, amount;
    bool issuer;
};

#define NEEDS_TODAY                                                                                \
    "what has passed must be known, but it hangs on the spot of today: give the number"

/* Says what is wrong on this line, unless something was before. */
__attribute__((format(printf, 3, 4))) void compile_fail(struct compiler *compiler, int line,
                                                        const char *format, ...);
/* Counts one piece of work. False: something went wrong, or it is too much. */
bool compile_work(struct compiler *compiler, int line);
/* Adds an item to a list of *n, `array` being the address of the pointer to it. */
#define compile_append(compiler, array, n, ...)                                                    \
    compile_add(compiler, array, n, __VA_ARGS__, sizeof **(array))
void compile_add(struct compiler *compiler, void *array, int *n, const void *item, size_t size);

static inline int compile_operation(struct compiler *compiler, enum operation operation, int a,
                                    int b)
{
    return value_of(&compiler->values, operation, a, b, 0);
}

/* Returns the number of a parameter's members; 1 where it is none (-1). */
static inline int compile_members(const struct compiler *compiler, int parameter)
{
    return parameter >= 0 ? compiler->binding->bound[parameter].n : 1;
}

/* Expressions, of numbers and flags, and of dates and assets. */
int compile_value(struct compiler *compiler, int expression);
struct script_member compile_place(struct compiler *compiler, int expression);
/* Sets a loop to its member `i`. */
void compile_set_loop(struct compiler *compiler, int symbol, int i);
/* Returns where a state's value stands. */
int compile_state(struct compiler *compiler, int symbol, int subscript);

/* Returns log2 of the farthest point to one side, or the probability to survive, as the kind of
 * input says. */
int compile_watch(struct compiler *compiler, const struct program_input *whole);

/* Runs a `pay`; adds what is paid where the flag `when` is set to the total. */
void compile_pay(struct compiler *compiler, const struct script_statement *statement);
void compile_payment(struct compiler *compiler, int when, int amount, double years,
                     struct script_place place);
/* The script stops where the flag is set. */
void compile_stop(struct compiler *compiler, int flag);
/* Returns what an amount of a date is worth today. */
int compile_discounted(struct compiler *compiler, int amount, double years,
                       enum coefficient_kind kind);
void compile_exercise(struct compiler *compiler, const struct script_statement *statement);
/* Takes the decisions of a last date that is over, from the last one back: each where it is better
 * than all that was paid after it. */
void compile_last_decisions(struct compiler *compiler);
/* Returns about the most that a value changes where one comparison turns; infinity where that is
 * not known. What the program needs is marked. */
double compile_jump(struct compiler *compiler, int value);
/* Tells whether what the program watches is to be looked at closely. What it needs is marked. */
bool compile_watched(struct compiler *compiler);
/* Makes the program's code, inputs and coefficients of the values. */
void emit_program(struct compiler *compiler);

#endif
