/* What an unquoted token of a book is, and how to write it so that every libconfig reads it
 * alike. */
#ifndef PRICER_APP_CONFIG_TOKEN_H
#define PRICER_APP_CONFIG_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum { TOKEN_ROOM = 160 }; /* characters of a written token, with quotes, mark and zero */

enum token_kind { TOKEN_TEXT, TOKEN_INTEGER, TOKEN_HEXADECIMAL, TOKEN_FLOAT, TOKEN_TRUTH };

/* Returns what a token is. Integers may end in L or LL; true and false in letters of either case
 * are truths. */
enum token_kind token_kind(const char *token);

/* Writes a value for libconfig: numbers without leading zeros (1.7 would read them as octal) and
 * with L where they carry it; what libconfig would misread as a text in quotes that begins with its
 * enum text_mark. `length` <= LEXER_TOKEN. */
void token_write(const char *token, size_t length, char out[TOKEN_ROOM]);

/* Tells whether it may be a key: a letter or *, then letters, digits, - _ *; neither true nor
 * false. */
bool token_is_key(const char *token, size_t length);

#endif
