/* Texts and numbers of CSV and JSON, byte by byte. */
#include "models/base/text.h"
#include "app/output/results.h"
#include "models/base/json_text.h"
#include "validation/tests/test.h"

/* What a writer makes of a text. */
static const char *written(void (*write)(FILE *, const char *), const char *text)
{
    static char buffer[256];
    memset(buffer, 0, sizeof buffer);
    FILE *out = fmemopen(buffer, sizeof buffer, "w");
    assert_non_null(out);
    write(out, text);
    fclose(out);
    return buffer;
}

/* ---- characters ------------------------------------------------------------------------------ */

/* Writes a code point in UTF-8. */
static void encode(unsigned point, char text[5])
{
    int n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned firsts[] = {0, 0, 0xC0, 0xE0, 0xF0};
    memset(text, 0, 5);
    for (int i = n - 1; i > 0; i--, point >>= 6) text[i] = (char)(0x80 | (point & 0x3F));
    text[0] = (char)(firsts[n] | point);
}

TEST(characters_that_nobody_sees_are_none)
{
    static const unsigned unseen[] = {
        0x01,   0x0A,   0x1F,    0x7F,    0x80,    0x9F,    0xAD,    0x34F,   0x61C,
        0x180E, 0x200B, 0x200C,  0x200D,  0x200E,  0x200F,  0x2028,  0x2029,  0x202A,
        0x202E, 0x2060, 0x2066,  0x2069,  0x206F,  0x3164,  0xFE0F,  0xFEFF,  0xFFF9,
        0xFFFE, 0xFFFF, 0x1FFFF, 0x110BD, 0x1D173, 0xE0001, 0xE007F, 0xE0100, 0x10FFFF};
    static const unsigned seen[] = {
        0x20,   0x41,   0x7E,   0xA0,   0xE9,   0x301,  0x3B1,  0x5D0,   0x627,   0x939,
        0x1100, 0x1680, 0x2009, 0x2010, 0x2027, 0x202F, 0x205F, 0x20AC,  0x3000,  0x4E00,
        0xAC00, 0xE000, 0xFDF0, 0xFE10, 0xFF21, 0xFFFC, 0xFFFD, 0x1F600, 0x20000, 0x10FFFD};
    char text[5], name[TEXT_FAULT_ROOM], wanted[TEXT_FAULT_ROOM];
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        encode(unseen[i], text);
        assert_int_equal(text_character(text), 0);
        assert_ptr_equal(text_fault(text), text);
        snprintf(wanted, sizeof wanted, "U+%04X", unseen[i]);
        assert_string_equal(text_name_fault(text, name), wanted);
        assert_int_equal(text_bytes(text, 1), strlen(text));
    }
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        encode(seen[i], text);
        assert_int_equal(text_character(text), strlen(text));
        assert_null(text_fault(text));
    }
}

TEST(texts_are_cut_between_characters)
{
    char name[TEXT_FAULT_ROOM];
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
    static const int ends[] = {0, 1, 3, 6, 10, 11, 11};
    for (int i = 0; i < 7; i++) assert_int_equal(text_bytes(text, i), ends[i]);
    assert_int_equal(text_bytes("\xff\xff\xc3", 2), 2);
    assert_string_equal(text_name_fault("\xff", name), "byte 0xFF");
    assert_string_equal(text_name_fault("\xed\xa0\x80", name), "byte 0xED"); /* a surrogate */
    assert_string_equal(text_fault("ab\xc3"), "\xc3");
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

TEST(csv_quotes_and_guards)
{
    assert_string_equal(written(csv_text, ""), "");
    assert_string_equal(written(csv_text, "plain text"), "plain text");
    assert_string_equal(written(csv_text, "a,b"), "\"a,b\"");
    assert_string_equal(written(csv_text, "a\"b"), "\"a\"\"b\"");
    assert_string_equal(written(csv_text, "a\nb"), "\"a\nb\"");
    assert_string_equal(written(csv_text, "=1+1"), "'=1+1");
    assert_string_equal(written(csv_text, "+1"), "'+1");
    assert_string_equal(written(csv_text, "-1"), "'-1");
    assert_string_equal(written(csv_text, "@x"), "'@x");
    assert_string_equal(written(csv_text, "\tx"), "'\tx");
    assert_string_equal(written(csv_text, "\rx"), "\"'\rx\"");
    assert_string_equal(written(csv_text, "=a,\"b"), "\"'=a,\"\"b\"");
    assert_string_equal(written(csv_text, "a=b"), "a=b");
}

TEST(json_escapes)
{
    assert_string_equal(written(json_text, "plain"), "\"plain\"");
    assert_string_equal(written(json_text, "a\"b\\c/"), "\"a\\\"b\\\\c/\"");
    assert_string_equal(written(json_text, "\t\n\x01\x7f"), "\"\\u0009\\u000a\\u0001\\u007f\"");
    assert_string_equal(written(json_text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
                        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

TEST(json_replaces_what_is_no_utf8)
{
    assert_string_equal(written(json_text, "a\xff"), "\"a\\ufffd\"");
    assert_string_equal(written(json_text, "\xc3"), "\"\\ufffd\"");            /* cut short */
    assert_string_equal(written(json_text, "\xe2\x82"), "\"\\ufffd\\ufffd\""); /* the same */
    assert_string_equal(written(json_text, "\xc0\xaf"), "\"\\ufffd\\ufffd\""); /* overlong */
    assert_string_equal(written(json_text, "\xed\xa0\x80"),
                        "\"\\ufffd\\ufffd\\ufffd\""); /* a surrogate */
}

/* What a writer makes of a number. */
static const char *number(void (*write)(FILE *, double), double value)
{
    static char buffer[64];
    memset(buffer, 0, sizeof buffer);
    FILE *out = fmemopen(buffer, sizeof buffer, "w");
    assert_non_null(out);
    write(out, value);
    fclose(out);
    return buffer;
}

TEST(numbers_read_back)
{
    const double values[] = {0.1, 1.0 / 3.0, 1e300, 4.9e-324, -0.0, 123456789.123456789, 0.1 + 0.2};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double csv = strtod(number(csv_number, values[i]), NULL),
               json = strtod(number(json_number, values[i]), NULL);
        assert_memory_equal(&csv, &values[i], sizeof csv);
        assert_memory_equal(&json, &values[i], sizeof json);
    }
    assert_string_equal(number(csv_number, NAN), "");
    assert_string_equal(number(csv_number, -INFINITY), "");
    assert_string_equal(number(json_number, NAN), "null");
    assert_string_equal(number(json_number, INFINITY), "null");
}

ALL_TESTS(app_text_test)
