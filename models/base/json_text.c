#include "models/base/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>

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

void json_key(FILE *out, const char *name, int *n)
{
    fputs((*n)++ ? ", " : "", out);
    json_text(out, name);
    fputs(": ", out);
}

void json_print(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (; *format; format++) {
        if (*format != '%') {
            putc(*format == '\'' ? '"' : *format, out);
            continue;
        }
        while (*++format == 'l') continue;
        switch (*format) {
        case 's': json_text(out, va_arg(values, const char *)); break;
        case 'g': json_number(out, va_arg(values, double)); break;
        case 'd': fprintf(out, "%d", va_arg(values, int)); break;
        case 'u': fprintf(out, "%" PRIu64, va_arg(values, uint64_t)); break;
        case 'x': fprintf(out, "\"%016" PRIx64 "\"", va_arg(values, uint64_t)); break;
        }
    }
    va_end(values);
}
