/* What an unquoted token of a book is, and the setting that it becomes. */
#ifndef PRICER_APP_CONFIG_TOKEN_H
#define PRICER_APP_CONFIG_TOKEN_H

#include <libconfig.h>
#include <stdbool.h>
#include <stddef.h>

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
