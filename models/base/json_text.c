#include "models/base/json_text.h"

#include <inttypes.h>
#include <math.h>

#include "models/base/text.h"

/* Counts the letters of ASCII that the text begins with and that stand for themselves. */
static size_t count_plain(const char *text)
{
    size_t n = 0;
    while (text[n] >= 0x20 && text[n] < 0x7f && text[n] != '"' && text[n] != '\\') n++;
    return n;
}

void json_text(FILE *out, const char *text)
{
    putc('"', out);
    for (;;) {
        unsigned point;
        size_t plain = count_plain(text);
        fwrite(text, 1, plain, out);
        text += plain;
        if (!*text) break;
        int length = text_decode(text, &point);
        if (!length) fputs("\\ufffd", out);
        else if (point == '"' || point == '\\') fprintf(out, "\\%c", *text);
        else if (point < 0x20 || point == 0x7f) fprintf(out, "\\u%04x", point);
        else fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
    putc('"', out);
}

void json_number(FILE *out, double number)
{
    if (isfinite(number)) fprintf(out, "%.17g", number);
    else fputs("null", out);
}

/* ---- members --------------------------------------------------------------------------------- */

void json_key(FILE *out, const char *name, int *n)
{
    fputs((*n)++ ? ", " : "", out);
    json_text(out, name);
    fputs(": ", out);
}

void json_text_member(FILE *out, const char *name, const char *text, int *n)
{
    json_key(out, name, n);
    json_text(out, text);
}

void json_number_member(FILE *out, const char *name, double number, int *n)
{
    json_key(out, name, n);
    json_number(out, number);
}

void json_count_member(FILE *out, const char *name, uint64_t count, int *n)
{
    json_key(out, name, n);
    fprintf(out, "%" PRIu64, count);
}
