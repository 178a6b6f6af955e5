#include "models/base/json_text.h"

#include <math.h>

/* Bytes of the UTF-8 character at `text`, 0 where it is none (overlong forms and surrogates are
 * none). */
static int utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte, and of the second */
        int length;
    } forms[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
                 {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                 {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    if (text[0] < 0x80) return 1;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last) continue;
        if (text[1] < forms[i].low || text[1] > forms[i].high) return 0;
        for (int k = 2; k < forms[i].length; k++)
            if ((text[k] & 0xc0) != 0x80) return 0;
        return forms[i].length;
    }
    return 0;
}

void json_text(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    putc('"', out);
    while (*at) {
        int length = utf8_length(at);
        if (*at == '"' || *at == '\\') fprintf(out, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f) fprintf(out, "\\u%04x", *at);
        else if (!length) fputs("\\ufffd", out);
        else fwrite(at, 1, (size_t)length, out);
        at += length ? length : 1;
    }
    putc('"', out);
}

void json_number(FILE *out, double number)
{
    if (isfinite(number)) fprintf(out, "%.17g", number);
    else fputs("null", out);
}
