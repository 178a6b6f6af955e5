/* What an unquoted word of a book is, and how to write it so that every libconfig reads it alike. */
#ifndef PRICER_APP_CONFIG_WORD_H
#define PRICER_APP_CONFIG_WORD_H

#include <stdbool.h>
#include <stddef.h>

enum { WORD_ROOM = 160 }; /* characters of a written word, with quotes, mark and zero */

enum word_kind { WORD_TEXT, WORD_INTEGER, WORD_HEXADECIMAL, WORD_FLOAT, WORD_TRUTH };

/* What a word is. Integers may end in L or LL; true and false in letters of either case are truths. */
enum word_kind word_kind(const char *word);

/* Writes a value for libconfig: numbers without leading zeros (1.7 would read them as octal) and with L where
 * they carry it; what libconfig would misread as a text in quotes that begins with its enum mark. `length` <=
 * SCAN_WORD. */
void word_write(const char *word, size_t length, char out[WORD_ROOM]);

/* Whether it may be a key: a letter or *, then letters, digits, - _ *; neither true nor false. */
bool word_is_key(const char *word, size_t length);

#endif
