#include "app/config/word.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/config/scan.h"
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

/* End of the L or LL of a 64-bit integer, which may be missing. */
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

static bool is_integer(const char *word)
{
    const char *first = skip_sign(word), *last = skip_digits(first);
    return last > first && !*skip_suffix(last);
}

static bool is_hexadecimal(const char *word)
{
    if (word[0] != '0' || (word[1] != 'x' && word[1] != 'X')) return false;
    size_t digits = strspn(word + 2, "0123456789abcdefABCDEF");
    return digits > 0 && !*skip_suffix(word + 2 + digits);
}

static bool is_float(const char *word)
{
    const char *p = skip_sign(word), *whole = p;
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

static bool is_truth(const char *word, size_t length)
{
    return (length == 4 && !strncasecmp(word, "true", 4)) || (length == 5 && !strncasecmp(word, "false", 5));
}

static void write_marked(enum mark mark, const char *word, char out[WORD_ROOM])
{
    snprintf(out, WORD_ROOM, "\"%c%s\"", mark, word);
}

static void write_integer(const char *word, int base, char out[WORD_ROOM])
{
    bool wide = strchr(word, 'L') != NULL;
    errno = 0;
    long long value = strtoll(word, NULL, base);
    if (errno || (!wide && (value < INT_MIN || value > INT_MAX))) write_marked(MARK_WIDE, word, out);
    else snprintf(out, WORD_ROOM, wide ? "%lldL" : "%lld", value);
}

enum word_kind word_kind(const char *word)
{
    if (is_truth(word, strlen(word))) return WORD_TRUTH;
    if (is_float(word)) return WORD_FLOAT;
    if (is_integer(word)) return WORD_INTEGER;
    return is_hexadecimal(word) ? WORD_HEXADECIMAL : WORD_TEXT;
}

void word_write(const char *text, size_t length, char out[WORD_ROOM])
{
    char word[SCAN_WORD + 1];
    memcpy(word, text, length);
    word[length] = '\0';
    switch (word_kind(word)) {
    case WORD_TRUTH:
    case WORD_FLOAT: snprintf(out, WORD_ROOM, "%s", word); return;
    case WORD_INTEGER: write_integer(word, 10, out); return;
    case WORD_HEXADECIMAL: write_integer(word, 16, out); return;
    case WORD_TEXT: write_marked(MARK_BARE, word, out); return;
    }
}

bool word_is_key(const char *word, size_t length)
{
    if (is_truth(word, length)) return false; /* libconfig reads a value */
    if (!is_letter(word[0]) && word[0] != '*') return false;
    for (size_t i = 1; i < length; i++)
        if (!is_letter(word[i]) && !is_digit(word[i]) && !strchr("-_*", word[i])) return false;
    return true;
}
