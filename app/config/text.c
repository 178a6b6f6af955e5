#include "app/config/text.h"

/* Bytes that a first byte promises, 0 where it cannot begin a character. */
static int promised_length(unsigned char first)
{
    if (first < 0x80) return first >= ' ' && first != 127;
    if (first < 0xC2) return 0;
    if (first < 0xE0) return 2;
    if (first < 0xF0) return 3;
    return first < 0xF5 ? 4 : 0;
}

/* The second byte has narrower bounds after some first ones: overlong forms, surrogates, beyond U+10FFFF, and
 * the control characters U+0080 to U+009F. */
static int second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xC2: return second >= 0xA0;
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return 1;
    }
}

int text_character(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    int n = promised_length(p[0]);
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    return n < 2 || second_fits(p[0], p[1]) ? n : 0;
}
