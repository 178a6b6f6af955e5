/* What an unquoted token of a book is, and the setting that it becomes. */
#include "app/config/lexer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Returns the base of an integer, which may end in L or LL; 0 where it is none. */
static int integer_base(const char *token)
{
    bool hexadecimal = token[0] == '0' && (token[1] == 'x' || token[1] == 'X');
    const char *first = token + (hexadecimal ? 2 : *token == '-' || *token == '+');
    const char *end = first + strspn(first, hexadecimal ? DIGITS "abcdefABCDEF" : DIGITS);
    bool empty = end == first;
    if (*end == 'L') end++;
    if (*end == 'L') end++;
    if (empty || *end) return 0;
    return hexadecimal ? 16 : 10;
}

/* Tells whether it is a decimal number, with a point or an exponent. */
static bool is_float(const char *token)
{
    char *end;
    if (token[strspn(token, DIGITS "+-.eE")] || !strpbrk(token, ".eE")) return false;
    strtod(token, &end);
    return end > token && !*end;
}

static bool is_truth(const char *token, size_t length)
{
    return (length == 4 && !strncasecmp(token, "true", 4)) ||
           (length == 5 && !strncasecmp(token, "false", 5));
}

/* Adds a text, behind a mark where that is none of 0. */
static config_setting_t *add_text(config_setting_t *parent, const char *name, char mark,
                                  const char *token)
{
    config_setting_t *at = config_setting_add(parent, name, CONFIG_TYPE_STRING);
    char marked[LEXER_TOKEN + 2];
    snprintf(marked, sizeof marked, "%c%s", mark, token);
    if (at) config_setting_set_string(at, mark ? marked : token);
    return at;
}

static config_setting_t *add_float(config_setting_t *parent, const char *name, const char *token)
{
    config_setting_t *at = config_setting_add(parent, name, CONFIG_TYPE_FLOAT);
    if (at) config_setting_set_float(at, strtod(token, NULL));
    return at;
}

static config_setting_t *add_integer(config_setting_t *parent, const char *name, const char *token,
                                     bool book)
{
    errno = 0;
    long long value = strtoll(token, NULL, integer_base(token));
    bool wide = strchr(token, 'L'), narrow = !wide && value >= INT_MIN && value <= INT_MAX;
    if (book && (errno || !(wide || narrow))) return add_text(parent, name, TEXT_MARK_WIDE, token);
    if (errno) return add_float(parent, name, token);
    config_setting_t *at =
        config_setting_add(parent, name, narrow ? CONFIG_TYPE_INT : CONFIG_TYPE_INT64);
    if (at && narrow) config_setting_set_int(at, (int)value);
    else if (at) config_setting_set_int64(at, value);
    return at;
}

config_setting_t *token_add(config_setting_t *parent, const char *name, const char *token,
                            bool book)
{
    if (is_truth(token, strlen(token))) {
        config_setting_t *at = config_setting_add(parent, name, CONFIG_TYPE_BOOL);
        if (at) config_setting_set_bool(at, token[0] == 't' || token[0] == 'T');
        return at;
    }
    if (is_float(token)) return add_float(parent, name, token);
    if (integer_base(token)) return add_integer(parent, name, token, book);
    return add_text(parent, name, book ? TEXT_MARK_BARE : '\0', token);
}

bool token_is_key(const char *token, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(LETTERS "*", token[i]) && (!i || !strchr(DIGITS "-_", token[i]))) return false;
    return length && !is_truth(token, length); /* which libconfig reads as a value */
}
