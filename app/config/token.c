#include "app/config/token.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/config/lexer.h"
#include "app/config/source.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *skip_digits(const char *p)
{
    while (is_digit(*p)) p++;
    return p;
}

/* Returns the end of the L or LL of a 64-bit integer, which may be missing. */
static const char *skip_suffix(const char *p)
{
    if (*p == 'L') p++;
    if (*p == 'L') p++;
    return p;
}

static const char *skip_sign(const char *p)
{
    return *p == '-' || *p == '+' ? p + 1 : p;
}

static bool is_integer(const char *token)
{
    const char *first = skip_sign(token), *last = skip_digits(first);
    return last > first && !*skip_suffix(last);
}

static bool is_hexadecimal(const char *token)
{
    if (token[0] != '0' || (token[1] != 'x' && token[1] != 'X')) return false;
    size_t digits = strspn(token + 2, "0123456789abcdefABCDEF");
    return digits > 0 && !*skip_suffix(token + 2 + digits);
}

static bool is_float(const char *token)
{
    const char *p = skip_sign(token), *whole = p;
    p = skip_digits(p);
    bool digits = p > whole, point = *p == '.', exponent = false;
    if (point) {
        const char *fraction = ++p;
        p = skip_digits(p);
        digits = digits || p > fraction;
    }
    if (digits && (*p == 'e' || *p == 'E')) {
        const char *power = skip_sign(p + 1);
        p = skip_digits(power);
        exponent = p > power;
        if (!exponent) return false;
    }
    return digits && (point || exponent) && !*p;
}

static bool is_truth(const char *token, size_t length)
{
    return (length == 4 && !strncasecmp(token, "true", 4)) ||
           (length == 5 && !strncasecmp(token, "false", 5));
}

static void write_marked(enum text_mark mark, const char *token, char out[TOKEN_ROOM])
{
    snprintf(out, TOKEN_ROOM, "\"%c%s\"", mark, token);
}

static void write_integer(const char *token, int base, char out[TOKEN_ROOM])
{
    bool wide = strchr(token, 'L') != NULL;
    errno = 0;
    long long value = strtoll(token, NULL, base);
    if (errno || (!wide && (value < INT_MIN || value > INT_MAX)))
        write_marked(TEXT_MARK_WIDE, token, out);
    else snprintf(out, TOKEN_ROOM, wide ? "%lldL" : "%lld", value);
}

enum token_kind token_kind(const char *token)
{
    if (is_truth(token, strlen(token))) return TOKEN_TRUTH;
    if (is_float(token)) return TOKEN_FLOAT;
    if (is_integer(token)) return TOKEN_INTEGER;
    return is_hexadecimal(token) ? TOKEN_HEXADECIMAL : TOKEN_TEXT;
}

void token_write(const char *text, size_t length, char out[TOKEN_ROOM])
{
    char token[LEXER_TOKEN + 1];
    memcpy(token, text, length);
    token[length] = '\0';
    switch (token_kind(token)) {
    case TOKEN_TRUTH:
    case TOKEN_FLOAT: snprintf(out, TOKEN_ROOM, "%s", token); return;
    case TOKEN_INTEGER: write_integer(token, 10, out); return;
    case TOKEN_HEXADECIMAL: write_integer(token, 16, out); return;
    case TOKEN_TEXT: write_marked(TEXT_MARK_BARE, token, out); return;
    }
}

bool token_is_key(const char *token, size_t length)
{
    if (is_truth(token, length)) return false; /* libconfig reads a value */
    if (!is_letter(token[0]) && token[0] != '*') return false;
    for (size_t i = 1; i < length; i++)
        if (!is_letter(token[i]) && !is_digit(token[i]) && !strchr("-_*", token[i])) return false;
    return true;
}
