/* A script while it is read: its tokens, its names, and what its functions share. One pass in the
 * order of the text makes the tree, resolves names and checks types; a statement that cannot be
 * read is told and passed over. */
#ifndef PRICER_MODELS_SCRIPTS_READING_H
#define PRICER_MODELS_SCRIPTS_READING_H

#include "models/scripts/script.h"

enum word {
    WORD_NONE,
#define WORD(NAME, text, reserved) WORD_##NAME,
#include "models/scripts/words.def"
#undef WORD
    N_WORDS
};

/* A word as it is written, and whether it can be no name. */
extern const struct script_word {
    const char *text;
    bool reserved;
} script_words[N_WORDS];

/* Kinds of tokens; a sign of one character is its own kind. */
enum {
    TOKEN_END,    /* of the script */
    TOKEN_LINE,   /* the end of a line outside brackets */
    TOKEN_INDENT, /* the next line stands further in, or further out */
    TOKEN_DEDENT,
    TOKEN_BAD, /* what was complained of already */
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER_EQUAL,
    TOKEN_EQUAL,
    TOKEN_NOT_EQUAL
};

struct token {
    int kind;
    enum word word; /* of a name; WORD_NONE: it is no word of the language */
    struct script_place place;
    int at, length; /* in the text */
    int match;      /* of ( and [: the token that closes it; -1: none */
    double number;
};

/* Types beside those of enum value_type: of an error, of which nothing more is said, and of a word
 * of a choice until it is compared with its choice. */
enum { VALUE_UNKNOWN = VALUE_ASSET + 1, VALUE_WORD };

enum {
    BUCKETS = 256, /* of names, by their hash */
    SYMBOLS_MOST = 4096,
    WORDS_MOST = 256 /* of all choices */
};

struct reading {
    struct script *script;
    struct script_errors *errors;
    enum status status; /* not STATUS_OK: lost for good */
    bool lost;          /* the statement cannot be read on; an error was told */
    int length;         /* of the text */
    bool passed_over;   /* the statement above was lost: a block below it is its own */
    int n_tokens, at;   /* `at`: the next token */
    struct token *tokens;
    int *heights;         /* [script->n_expressions] of their trees */
    int *next_symbol;     /* [script->n_symbols] of its bucket; -1 */
    int buckets[BUCKETS]; /* the last symbol of each that is in sight; -1 */
    int token_room, symbol_room, next_room, expression_room, height_room, statement_room, word_room;
    int depth;      /* of blocks and expressions */
    bool declaring; /* the value of a declaration, which stands at no date */
};

/* Adds an error, in the order of the text; all but the first SCRIPT_ERRORS_MOST are dropped. */
void reading_complain(struct reading *reading, struct script_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Complains, unless at a token that was complained of, and gives the statement up. */
void reading_lose(struct reading *reading, const struct token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Gives up for want of memory. */
void reading_exhausted(struct reading *reading);

/* Makes tokens of the text: a line that stands further in begins with TOKEN_INDENT, brackets match,
 * the last is TOKEN_END. Nothing can be read on where it returns false. */
bool reading_tokens(struct reading *reading);

/* ---- tokens */

static inline const struct token *reading_next(const struct reading *reading)
{
    return &reading->tokens[reading->at];
}

/* Passes over the next token where it is of the kind, or that word. */
bool reading_accept(struct reading *reading, int kind);
bool reading_accept_word(struct reading *reading, enum word word);

/* Loses the statement at the next token. `wanted` says what should stand there. */
void reading_miss(struct reading *reading, const char *wanted);

/* Passes over it, or loses the statement. */
void reading_expect(struct reading *reading, int kind, const char *wanted);

/* Passes over the brackets that begin at the next token, if they do. */
void reading_skip_brackets(struct reading *reading);

enum { TOKEN_ROOM = SCRIPT_NAME_MOST + 16 };

/* Writes a token for people: "'worst'", "the end of the line". Returns `to`. */
const char *token_text(const struct reading *reading, const struct token *token,
                       char to[TOKEN_ROOM]);

/* Writes a name; longer ones are cut. Returns `to`. */
const char *token_name(const struct reading *reading, const struct token *token,
                       char to[SCRIPT_NAME_MOST + 1]);

/* ---- names */

/* Returns the symbol of that name that is in sight, -1 where there is none. */
int symbol_find(const struct reading *reading, const char *name);

/* Returns a new symbol in sight, `over` -1; -1 where there is no memory, or there are too many. */
int symbol_add(struct reading *reading, const struct token *name, enum symbol_kind kind, int type);

/* Takes a symbol out of sight. */
void symbol_hide(struct reading *reading, int symbol);

/* Returns which word of a choice it is, -1 where it is none. */
int word_find(const struct reading *reading, const char *name, int choice);

/* Returns the first choice that has this word, -1 where there is none. */
int choice_find(const struct reading *reading, const char *name);

/* Tells whether a token can be a new name of what is called `what`; complains where it cannot. */
bool name_is_free(struct reading *reading, const struct token *name, const char *what);

/* Tells whether the symbol is a list that can be gone through: assets or dates. */
static inline bool is_set(const struct reading *reading, int symbol)
{
    enum symbol_kind kind = reading->script->symbols[symbol].kind;
    return kind == SYMBOL_ASSETS || kind == SYMBOL_DATES;
}

/* Complains of a name that nothing has, with the nearest one, and makes it known, of type
 * VALUE_UNKNOWN. `what`: "no parameter" has it; NULL: nothing has, unless it is assigned below. */
void name_unknown(struct reading *reading, const struct token *name, const char *what);

/* Reads `NAME in SET` and returns the new symbol, which is in sight; -1 where it is lost. */
int read_loop(struct reading *reading);

/* Reads the name of a set of parameters; -1 where it is none, which is told. */
int read_set(struct reading *reading);

/* ---- the tree */

const char *type_name(int type); /* "a number" */

/* Returns the type of a node, VALUE_UNKNOWN of node -1. */
static inline int type_of(const struct reading *reading, int node)
{
    return node < 0 ? VALUE_UNKNOWN : (int)reading->script->expressions[node].type;
}

/* Returns a node whose children and symbol are -1. */
static inline struct script_expression node_of(enum expression_kind kind, int type,
                                               struct script_place place)
{
    return (struct script_expression){.kind = kind,
                                      .type = (enum value_type)type,
                                      .place = place,
                                      .a = -1,
                                      .b = -1,
                                      .c = -1,
                                      .d = -1,
                                      .symbol = -1};
}

/* Adds a node; -1 where the statement is lost. */
int push_node(struct reading *reading, struct script_expression node);

/* Adds the node of an error that was told. */
int push_unknown(struct reading *reading, struct script_place place);

/* Reads an expression; -1 where the statement is lost. */
int read_expression(struct reading *reading);

int read_atom(struct reading *reading);

/* Complains of what a path shows on a date where there is none. */
void check_dated(struct reading *reading, struct script_place place);

/* ---- functions */

bool is_function(enum word word);

/* Reads a call; the next token is the function. */
int read_call(struct reading *reading);

/* Complains of a function that there is not. */
void function_unknown(struct reading *reading, const struct token *token);

/* Reads one that has a type; `what` is what it is of. */
int read_typed(struct reading *reading, int type, const char *what);

/* Reads the subscript `[NAME]` of a symbol; -1 where there is none that fits, which is told. The
 * symbol -1: it is not made yet, and *over becomes what the subscript goes over. */
int read_subscript(struct reading *reading, int symbol, int *over);

/* Enters and leaves a block or an expression: false where that is too deep, which loses the
 * statement. */
bool reading_enter(struct reading *reading);
void reading_leave(struct reading *reading);

void read_header(struct reading *reading);
void read_body(struct reading *reading);

#endif
