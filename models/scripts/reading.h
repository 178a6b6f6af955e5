/* A script while it is read: its tokens, its names, and what its functions share. First its
 * characters become tokens; then the header is read, then the statements: one pass in the order of
 * the text makes the tree, resolves names and checks types. Mistakes of one of the three end the
 * reading before the next. A statement is told its first mistake and passed over. */
#ifndef PRICER_MODELS_SCRIPTS_READING_H
#define PRICER_MODELS_SCRIPTS_READING_H

#include "models/scripts/script.h"

enum word {
    WORD_NONE,
#define WORD(NAME, text, reserved) WORD_##NAME,
#define FUNCTION(NAME, text, takes, gives, kind) WORD_##NAME,
#include "models/scripts/words.def"
#undef WORD
#undef FUNCTION
    N_WORDS
};

/* A word as it is written, and whether it can be no name. */
extern const struct script_word {
    const char *text;
    bool reserved;
    const char *takes; /* of a function, as words.def has it; else NULL */
    enum value_type gives;
    enum expression_kind kind;
} script_words[N_WORDS];

/* Kinds of tokens; a sign of one character is its own kind, one like <= is OR_EQUAL more. */
enum {
    TOKEN_END,    /* of the script */
    TOKEN_LINE,   /* the end of a line outside brackets */
    TOKEN_INDENT, /* the next line stands further in, or further out */
    TOKEN_DEDENT,
    TOKEN_NAME,
    TOKEN_NUMBER,
    OR_EQUAL = 256
};

struct token {
    int kind;
    enum word word; /* of a name; WORD_NONE: it is no word of the language */
    struct script_place place;
    int at, length; /* in the text */
    int match;      /* of ( and [: the token that closes it; -1: none */
    double number;
};

/* Types beside those of enum value_type: of a name whose statement was lost, of which nothing more
 * is said, and of a word of a choice until it is compared with its choice. */
enum { VALUE_UNKNOWN = VALUE_ASSET + 1, VALUE_WORD };

enum { SYMBOLS_MOST = 1024, WORDS_MOST = 256 /* of all choices */ };

struct reading {
    struct script *script;
    struct script_errors *errors;
    enum status status; /* not STATUS_OK: nothing more is read */
    bool lost;          /* the statement cannot be read on; an error was told */
    bool passed_over;   /* the statement above was lost: a block below it is its own */
    bool declaring;     /* the value of a declaration, which stands at no date */
    int length;         /* of the text */
    int depth;          /* of blocks and expressions */
    int n_tokens, at;   /* `at`: the next token */
    struct token *tokens;
    int token_room, symbol_room, expression_room, statement_room, word_room;
    bool hidden[SYMBOLS_MOST];        /* variables of loops that have ended */
    char shown[SCRIPT_NAME_MOST + 3]; /* what token_text returned */
};

/* Gives the statement up; if it was not lost before adds an error, in the order of the text.
 * Nothing is read on after SCRIPT_ERRORS_MOST. Returns -1. */
int reading_lose(struct reading *reading, struct script_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Gives the script up: it has too many of `what`. Returns -1. */
int reading_limit(struct reading *reading, struct script_place place, int most, const char *what);

/* Makes room for an element behind `n`; false without memory. `array`: as of grow_array. */
#define reading_grow(reading, array, room, n)                                                      \
    reading_room(reading, array, room, n, sizeof **(array))
bool reading_room(struct reading *reading, void *array, int *room, int n, size_t size);

/* Makes tokens of the text: a line that stands further in begins with TOKEN_INDENT, brackets match,
 * the last is TOKEN_END. Each line is told its first mistake; then the script is given up. */
void reading_tokens(struct reading *reading);

/* ---- tokens */

static inline const struct token *reading_next(const struct reading *reading)
{
    return &reading->tokens[reading->at];
}

/* Passes over the next token where it is of the kind, or that word. */
bool reading_accept(struct reading *reading, int kind);
bool reading_accept_word(struct reading *reading, enum word word);

/* Loses the statement at the next token; `wanted` says what should stand there. Returns -1. */
int reading_miss(struct reading *reading, const char *wanted);

/* Passes over that sign, or loses the statement. */
void reading_expect(struct reading *reading, char sign);

/* Returns a token for people, until the next call: "'worst'", "the end of the line". */
const char *token_text(struct reading *reading, const struct token *token);

/* Writes a name. */
void token_name(const struct reading *reading, const struct token *token,
                char to[SCRIPT_NAME_MOST + 1]);

/* Writes "; did you mean 'worst'?" with the nearest word or name, or nothing. Returns `hint`. */
const char *token_hint(const struct reading *reading, const struct token *token, char *hint);

/* ---- names */

/* Returns the symbol of that name that is in sight, -1 where there is none. */
int symbol_find(const struct reading *reading, const struct token *name);

/* Returns the symbol of that name; loses the statement where there is none (it is known from then
 * on, of type VALUE_UNKNOWN) or its type is not known: -1. */
int symbol_known(struct reading *reading, const struct token *name);

/* Returns a new symbol in sight; -1 where there is no memory, or there are too many. */
int symbol_add(struct reading *reading, const struct token *name, enum symbol_kind kind, int type,
               int over);

/* Returns which word of a choice it is, -1 where it is none. */
int word_find(const struct reading *reading, const struct token *name, int choice);

/* Returns the first choice that has this word, -1 where there is none. */
int choice_find(const struct reading *reading, const struct token *name);

/* Tells whether a token can be a new name of what is called `what`; loses where it cannot. */
bool name_is_free(struct reading *reading, const struct token *name, const char *what);

/* Tells whether the symbol is a list that can be gone through: assets or dates. */
static inline bool is_set(const struct reading *reading, int symbol)
{
    enum symbol_kind kind = reading->script->symbols[symbol].kind;
    return kind == SYMBOL_ASSETS || kind == SYMBOL_DATES;
}

/* Reads the name of such a list; -1 where it is lost. */
int read_set(struct reading *reading);

/* Reads `NAME in SET` and returns the new symbol, which is in sight, lost or not; -1: none. */
int read_loop(struct reading *reading);

/* ---- the tree */

const char *type_name(int type); /* "a number" */

/* Returns the type of a node, VALUE_UNKNOWN of node -1. */
static inline int type_of(const struct reading *reading, int node)
{
    return node < 0 ? VALUE_UNKNOWN : (int)reading->script->expressions[node].type;
}

/* Returns a node whose children and symbol are -1. */
struct script_expression node_of(enum expression_kind kind, int type, struct script_place place);

/* Adds a node; -1 where the statement is lost. */
int push_node(struct reading *reading, struct script_expression node);

/* Read an expression, one of a type, of what is called `what`, and a call of a function, which is
 * the next token; -1 where it is lost. */
int read_expression(struct reading *reading);
int read_typed(struct reading *reading, int type, const char *what);
int read_call(struct reading *reading);

/* Loses the statement where a symbol has a subscript and no list, or the reverse. */
void check_subscript(struct reading *reading, const struct token *name, int symbol);

/* Reads `[NAME]`, a member of the set `over`; -1: the variable of any loop. */
int read_subscript(struct reading *reading, int over);

/* Enters a block or an expression, one `depth` deeper: false where it is lost, or too deep. */
bool reading_enter(struct reading *reading);

void read_header(struct reading *reading);
void read_body(struct reading *reading);

#endif
