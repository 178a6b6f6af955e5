#define _GNU_SOURCE /* vasprintf */

#include "models/base/text.h"

#include <stdarg.h>
#include <stdio.h>

/* Returns the bytes that a first byte promises, 0 where it cannot begin a character. */
static int promised_length(unsigned char first)
{
    if (first < 0x80) return first != 0;
    if (first < 0xC2) return 0;
    if (first < 0xE0) return 2;
    if (first < 0xF0) return 3;
    return first < 0xF5 ? 4 : 0;
}

/* Tells whether the second byte is within its bounds, which are narrower after some first ones:
 * overlong forms, surrogates, beyond U+10FFFF. */
static int second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return 1;
    }
}

int text_decode(const char *text, unsigned *point)
{
    const unsigned char *p = (const unsigned char *)text;
    int n = promised_length(p[0]);
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (n > 1 && !second_fits(p[0], p[1])) return 0;
    *point = n < 2 ? p[0] : p[0] & (0x7Fu >> n);
    for (int i = 1; i < n; i++) *point = *point << 6 | (p[i] & 0x3Fu);
    return n;
}

/* Code points that nobody sees, or that turn the others around: general categories Cc, Cf, Zl and
 * Zp of Unicode 15, what its property Default_Ignorable_Code_Point adds (joiners, fillers,
 * variation selectors, tags), and noncharacters. */
static const struct {
    unsigned first, last;
} unseen[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},
    {0x0600, 0x0605},   {0x061C, 0x061C},   {0x06DD, 0x06DD},   {0x070F, 0x070F},
    {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x115F, 0x1160},   {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
    {0x3164, 0x3164},   {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD},
    {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF},
};

static int is_seen(unsigned point)
{
    for (unsigned i = 0; i < sizeof unseen / sizeof *unseen && point >= unseen[i].first; i++)
        if (point <= unseen[i].last) return 0;
    return (point & 0xFFFE) != 0xFFFE;
}

int text_character(const char *text)
{
    unsigned point;
    int n = text_decode(text, &point);
    return n && is_seen(point) ? n : 0;
}

int text_bytes(const char *text, int most)
{
    const char *end = text;
    unsigned point;
    for (int i = 0; i < most && *end; i++) {
        int n = text_decode(end, &point);
        end += n ? n : 1;
    }
    return (int)(end - text);
}

const char *text_fault(const char *text)
{
    for (int n; *text; text += n)
        if (!(n = text_character(text))) return text;
    return 0;
}

const char *text_name_fault(const char *fault, char name[TEXT_FAULT_ROOM])
{
    unsigned point;
    if (text_decode(fault, &point)) snprintf(name, TEXT_FAULT_ROOM, "U+%04X", point);
    else snprintf(name, TEXT_FAULT_ROOM, "byte 0x%02X", (unsigned char)*fault);
    return name;
}

char *text_print(const char *format, ...)
{
    char *text;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    return length < 0 ? NULL : text;
}
