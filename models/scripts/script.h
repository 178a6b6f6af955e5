/* A payoff as a script states it, after its text was read: every name is known, every type is
 * checked. docs/scripts.md has the language.
 *
 * A script is a header, whose parameters a trade gives, and statements. It runs date by date: the
 * blocks of all `each` and `at` in the order of their dates, and on one date in the order of the
 * text. What it assigns is kept from date to date.
 *
 * Two things walk this tree and share nothing else: the compiler, which makes a program of it
 * (models/scripts/compile.h), and the reference, which runs it as it stands
 * (validation/reference/script_walk.c). */
#ifndef PRICER_MODELS_SCRIPTS_SCRIPT_H
#define PRICER_MODELS_SCRIPTS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/base/status.h"

enum {
    SCRIPT_TEXT_MOST = 1 << 20, /* bytes of a script */
    SCRIPT_DEPTH_MOST = 64,     /* expressions and blocks within one another */
    SCRIPT_TERMS_MOST = 1024,   /* height of an expression's tree, as of a + b + c + ... */
    SCRIPT_NAME_MOST = 63,      /* bytes of a name */
    SCRIPT_PARAMETERS_MOST = 40,
    SCRIPT_ERRORS_MOST = 20 /* that one reading tells */
};

/* A place in the text; both from 1. */
struct script_place {
    int line, column;
};

/* What a name of a script is. The first ones are parameters. */
enum symbol_kind {
    SYMBOL_ASSET,  /* the one asset of the trade */
    SYMBOL_ASSETS, /* all its assets */
    SYMBOL_DATE,
    SYMBOL_DATES,  /* increasing */
    SYMBOL_NUMBER, /* `number`, `fraction` and `money` of the header */
    SYMBOL_FLAG,
    SYMBOL_CHOICE, /* one word of several; its value is the number of the word, from 0 */
    SYMBOL_STATE,  /* what the script assigns: a number or a flag */
    SYMBOL_LOOP    /* a date of an `each`, an asset of a `for`, either of a fold */
};

enum value_type { VALUE_NUMBER, VALUE_FLAG, VALUE_DATE, VALUE_ASSET };

/* A name. Parameters come first, in the order of the header. */
struct script_symbol {
    enum symbol_kind kind;
    enum value_type type; /* of one value: of dates VALUE_DATE, of a choice VALUE_NUMBER */
    char name[SCRIPT_NAME_MOST + 1];
    struct script_place place;
    /* `number call[observations]`, a state `number taken[basket]`: the parameter (assets or dates)
     * that it has a value for each of; a loop: the parameter whose members it takes; -1: one value.
     * Where a parameter is over another, a book gives one number for all, or a list */
    int over;
    bool money;    /* parameter: in the currency of the trade */
    bool fraction; /* parameter: 0.05 stands for 5 %, and 5 perhaps as well */
    bool read;     /* parameter: an expression or a loop reads it */
    bool has_default;
    /* the default of a parameter: a number, a flag (0, 1), the number of a word; `spot`: each
     * asset's spot of today, fixed there */
    double fallback;
    bool fallback_spot;
    int first_word, n_words; /* choice: of script.words */
};

/* Expressions, by the index of their node; -1 where there is none. */
enum expression_kind {
    EXPRESSION_NUMBER,  /* .number */
    EXPRESSION_FLAG,    /* true, false: .number 1, 0 */
    EXPRESSION_SYMBOL,  /* .symbol: a number, flag, choice, date, state or loop variable */
    EXPRESSION_ELEMENT, /* .symbol[a]: a parameter or state over assets or dates; a is a loop
                           variable, or the asset or date parameter */
    EXPRESSION_SPOT,    /* a(b): the spot of asset a at date b; a of type asset, b of type date */
    EXPRESSION_TODAY,   /* the spot of asset a that is fixed today: spot(a) */
    /* number of one number */
    EXPRESSION_NEGATE,
    EXPRESSION_ABS,
    EXPRESSION_EXP,
    EXPRESSION_LOG,
    EXPRESSION_SQRT,
    EXPRESSION_NORMAL_CDF, /* normal(x) */
    /* number of two numbers */
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_POWER, /* a ^ b */
    EXPRESSION_MIN,
    EXPRESSION_MAX,
    /* flag of two numbers, or of two dates (known before paths are) */
    EXPRESSION_LESS,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_GREATER,
    EXPRESSION_GREATER_EQUAL,
    EXPRESSION_EQUAL,
    EXPRESSION_NOT_EQUAL,
    /* of flags */
    EXPRESSION_NOT,
    EXPRESSION_AND,
    EXPRESSION_OR,
    EXPRESSION_IF, /* b if a else c: of numbers or of flags */
    /* over .symbol (a loop variable, whose `over` is assets or dates): body a, where b (a flag; -1:
     * all). Of no member: sum 0, product 1, any false, all true, count 0, mean 0,
     * min +inf, max -inf */
    EXPRESSION_SUM,
    EXPRESSION_PRODUCT,
    EXPRESSION_FOLD_MIN,
    EXPRESSION_FOLD_MAX,
    EXPRESSION_MEAN,
    EXPRESSION_COUNT, /* number of members where b; a is -1 */
    EXPRESSION_ANY,
    EXPRESSION_ALL,
    /* known before paths are */
    EXPRESSION_SIZE,  /* size(set): members of parameter .symbol */
    EXPRESSION_YEARS, /* years(a, b): from date a to date b; .number: by which enum day_count */
    EXPRESSION_INDEX, /* index(a): place of a loop variable among the members, from 1 */
    EXPRESSION_FIRST, /* first(a), last(a): flags, of a loop variable */
    EXPRESSION_LAST,
    EXPRESSION_PREVIOUS, /* previous(a, b): the date before loop date a in its list, b for the first
                          */
    /* of asset a at any moment after today up to date b: highest(s, t), lowest(s, t) */
    EXPRESSION_HIGHEST,
    EXPRESSION_LOWEST,
    /* survives(s, lower = x, upper = y, until = t): probability, given what the path shows on its
     * dates, that asset a (node a) stays strictly above number b and strictly below number c at
     * every moment after today up to date d; b and c are known before paths are, -1 where there is
     * none */
    EXPRESSION_SURVIVES
};

struct script_expression {
    enum expression_kind kind;
    enum value_type type;
    struct script_place place;
    int a, b, c, d; /* children */
    int from;       /* and of what is watched the date that it begins on; -1: today */
    int symbol;
    int height; /* of its tree */
    double number;
};

/* Statements, by the index of their node; a block is its first statement and the `next` of each. */
enum statement_kind {
    STATEMENT_ASSIGN, /* symbol[subscript] = value; subscript -1: one value */
    STATEMENT_EACH,   /* each symbol in its `over` (dates): body; outermost only */
    STATEMENT_AT,     /* at date (expression): body; outermost only */
    STATEMENT_FOR,    /* for symbol in its `over` (assets): body */
    STATEMENT_IF,     /* if value: body; otherwise */
    STATEMENT_PAY,    /* pay value at date (-1: the date of the block) */
    STATEMENT_STOP,   /* nothing of this script runs any more on this path */
    /* exercise holder pays value: he takes `value` at the block's date in place of all that would
     * still be paid, where that is better for him; what was paid before is his. The issuer pays it
     * where that is better for the issuer */
    STATEMENT_EXERCISE
};

struct script_statement {
    enum statement_kind kind;
    struct script_place place;
    int next; /* -1: the last of its block */
    int symbol, subscript, value, date;
    int body, otherwise; /* first statements of blocks; -1 */
    bool issuer;
};

/* Owned by whoever read it, through script_free; a trade only points to it. */
struct script {
    char name[SCRIPT_NAME_MOST + 1]; /* of the product */
    char *text;                      /* as it was read; owned */
    int n_parameters, n_symbols;
    struct script_symbol *symbols; /* [n_symbols] the parameters first; owned */
    int n_words;
    char (*words)[SCRIPT_NAME_MOST + 1]; /* [n_words] of choices; owned */
    int n_expressions, n_statements;
    struct script_expression *expressions; /* owned */
    struct script_statement *statements;   /* owned */
    int first;  /* of the outermost block: assignments that begin a state, `each` and `at` */
    int asset;  /* the parameter of kind SYMBOL_ASSET or SYMBOL_ASSETS; -1: none */
    int expiry; /* the date parameter that is called `expiry`; always there */
};

/* What is wrong with a script, and what would be right. */
struct script_error {
    struct script_place place;
    char text[240];
};

struct script_errors {
    int n;
    struct script_error list[SCRIPT_ERRORS_MOST];
};

/* Reads a script of `length` bytes. STATUS_OK; STATUS_FAILED with at least one error, in the order
 * of the text (the first of each line whose characters are wrong; else the first of the header;
 * else of each statement), `script` then being empty; STATUS_NO_MEMORY. Free with script_free.
 * Bounded: time and memory grow with the text alone. */
enum status script_read(const char *text, size_t length, struct script *script,
                        struct script_errors *errors);
void script_free(struct script *script);

/* What a trade gives a parameter. */
struct bound {
    /* [n] a number, flag or choice: one value, or one for each member of its `over`; dates: years
     * from today, increasing, negative where they have passed. Asset, assets: n members, no values.
     * NaN: the default `spot` of an asset. Owned by whoever made the binding */
    int n;
    double *values;
    /* of dates with any <= 0: [date][asset] the closes of those that have passed, NaN where none is
     * known; of a date of today NaN, where it is not given. NULL: none has passed */
    double *closes;
};

/* All that a trade gives a script: [script.n_parameters]. */
struct binding {
    const struct script *script;
    int n_assets;
    long day;           /* today's number, which day counts need; 0: not known */
    uint64_t variances; /* bit a: the model of asset a has paths remember its variance */
    struct bound *bound;
    const double *today; /* [n_assets] spots that are fixed today; NULL: not known; not owned */
};

/* Tells whether paths remember a variance of an asset, which decisions look at. */
static inline bool binding_has_variance(const struct binding *binding, int asset)
{
    return binding->variances >> asset & 1;
}

/* Returns the size of the largest number, finite, that is given to the parameters in money, or to
 * those that are in none; 0 where there is none. */
double binding_largest(const struct binding *binding, bool money);

/* Releases what the binding owns. */
void binding_free(struct binding *binding);

#endif
