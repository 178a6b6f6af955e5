/* The tokens of a book's file, one after the other, into the text for libconfig. */
#ifndef PRICER_APP_CONFIG_LEXER_H
#define PRICER_APP_CONFIG_LEXER_H

#include <stdbool.h>

#include "app/config/source.h"

enum {
    LEXER_DEPTH = 32,      /* brackets within brackets */
    LEXER_KEYS = 256,      /* keys of one group: libconfig searches them one by one */
    LEXER_TOKEN = 128,     /* characters of a number or a key */
    LEXER_STRING = 4096,   /* characters of a text in quotes */
    LEXER_SCRIPT = 1 << 20 /* and of the key `script` */
};

enum previous_token {
    PREVIOUS_OPEN,
    PREVIOUS_KEY,
    PREVIOUS_EQUALS,
    PREVIOUS_VALUE,
    PREVIOUS_COMMA,
    PREVIOUS_END
};

/* An open bracket; frame 0 is the file itself, a group. */
struct open_bracket {
    char open; /* { [ or ( */
    struct location location;
    int n_keys;
    size_t key_at[LEXER_KEYS]; /* where the key stands in source->text, ended by a blank */
    struct location key_location[LEXER_KEYS];
    size_t id_at, id_length; /* the group's `id`, where it has one */
};

/* The state of the lexer: where it reads, where it writes, and what is open. */
struct lexer {
    struct source *source;
    struct complaints *complaints;
    const char *at, *end; /* of the file being read */
    struct location location;
    bool line_begun; /* something other than blanks stands on this line already */
    struct open_bracket frames[LEXER_DEPTH];
    int depth; /* the innermost frame */
    enum previous_token previous;
    /* One that is written only when a value follows: libconfig 1.5 refuses `1, )` */
    bool comma_pending;
    bool stopped; /* no sense in reading on */
    bool faulty;  /* read on for more errors, but do not parse */
    enum status status;
    /* Puts the file of an `@include "path"` in place by calling lexer_read for it. */
    void (*include)(struct lexer *lexer, const char *path, size_t length);
    void *files; /* for `include` */
};

void lexer_begin(struct lexer *lexer, struct source *source, struct complaints *complaints);

/* Scans one file's text; files that include one another nest. */
void lexer_read(struct lexer *lexer, int file, const char *text, size_t length);

/* Says, after the last file, which bracket is still open. */
void lexer_end(struct lexer *lexer);

/* Complains at the current location and stops the lexer. */
void lexer_fail(struct lexer *lexer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
