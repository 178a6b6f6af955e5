/* Texts and numbers of CSV and JSON, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/csv.h"
#include "app/output/json.h"

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

static void csv_quotes_and_guards(void **state)
{
    (void)state;
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

static void json_escapes(void **state)
{
    (void)state;
    assert_string_equal(written(json_text, "plain"), "\"plain\"");
    assert_string_equal(written(json_text, "a\"b\\c/"), "\"a\\\"b\\\\c/\"");
    assert_string_equal(written(json_text, "\t\n\x01\x7f"), "\"\\u0009\\u000a\\u0001\\u007f\"");
    assert_string_equal(written(json_text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
                        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

static void json_replaces_what_is_no_utf8(void **state)
{
    (void)state;
    assert_string_equal(written(json_text, "a\xff"), "\"a\\ufffd\"");
    assert_string_equal(written(json_text, "\xc3"), "\"\\ufffd\"");                       /* cut short */
    assert_string_equal(written(json_text, "\xe2\x82"), "\"\\ufffd\\ufffd\"");            /* the same */
    assert_string_equal(written(json_text, "\xc0\xaf"), "\"\\ufffd\\ufffd\"");            /* overlong */
    assert_string_equal(written(json_text, "\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\""); /* a surrogate */
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

static void numbers_read_back(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_quotes_and_guards),
        cmocka_unit_test(json_escapes),
        cmocka_unit_test(json_replaces_what_is_no_utf8),
        cmocka_unit_test(numbers_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
