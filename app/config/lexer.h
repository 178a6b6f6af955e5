/* The tokens of a book's file, one after the other, into the tree of its settings. */
#ifndef PRICER_APP_CONFIG_LEXER_H
#define PRICER_APP_CONFIG_LEXER_H

#include <libconfig.h>
#include <stdbool.h>

#include "app/config/source.h"

enum {
    LEXER_DEPTH = 32,      /* brackets within brackets */
    LEXER_KEYS = 256,      /* keys of one group: they are searched one by one */
    LEXER_TOKEN = 128,     /* characters of a number or a key */
    LEXER_STRING = 4096,   /* characters of a text in quotes */
    LEXER_SCRIPT = 1 << 20 /* and of the key `script` */
};

/* What stands before the next token; none of the others: an open bracket or a separator. */
enum previous_token { PREVIOUS_NONE, PREVIOUS_KEY, PREVIOUS_EQUALS, PREVIOUS_VALUE };

/* An open bracket; frame 0 is the file itself, a group. */
struct open_bracket {
    char open; /* { [ or ( */
    struct location location;
    config_setting_t *setting; /* a group, or a list */
};

/* The state of the lexer: where it reads, where it writes, and what is open. */
struct lexer {
    struct source *source;
    struct complaints *complaints;
    const char *at, *end; /* of the file being read */
    struct location location;
    bool line_begun; /* something other than blanks stands on this line already */
    struct open_bracket frames[LEXER_DEPTH];
    int depth;                 /* the innermost frame */
    char key[LEXER_TOKEN + 1]; /* the last one, which a value is for; and the line of the text: */
    unsigned key_line;
    enum previous_token previous;
    bool stopped; /* no sense in reading on */
    bool faulty;  /* read on for more errors, but do not parse */
    enum status status;
    struct open_files *files; /* of source.c; NULL: `@include` is refused */
};

/* Begins with an empty tree, whose settings have as their lines those of the source's text. */
void lexer_begin(struct lexer *lexer, config_t *config, struct source *source,
                 struct complaints *complaints);

/* Scans one file's text; files that include one another nest. */
void lexer_read(struct lexer *lexer, int file, const char *text, size_t length);

/* Puts the file of an `@include "path"` in place by calling lexer_read for it. (source.c) */
void source_include(struct lexer *lexer, const char *path, size_t length);

/* Says, after the last file, which bracket is still open. */
void lexer_end(struct lexer *lexer);

/* Stop the lexer: without memory, or with a complaint at the current location. */
void lexer_no_memory(struct lexer *lexer);
void lexer_fail(struct lexer *lexer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- what an unquoted token is --------------------------------------------------------------- */

/* Adds the setting that a token stands for to a group, or without a name to a list: a number, a
 * truth, else a text. Integers may end in L or LL; true and false in letters of either case are
 * truths. In a `book` a word without quotes begins with its enum text_mark, and so does an integer
 * that does not fit its bits; a field of a CSV file is a text, and any integer a number. NULL
 * without memory. */
config_setting_t *token_add(config_setting_t *parent, const char *name, const char *token,
                            bool book);

/* Tells whether it may be a key: a letter or *, then letters, digits, - _ *; neither true nor
 * false. */
bool token_is_key(const char *token, size_t length);

#endif
