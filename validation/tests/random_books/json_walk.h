/* Reads JSON (RFC 8259) strictly, and tells each value with its place. */
#ifndef PRICER_VALIDATION_TESTS_JSON_WALK_H
#define PRICER_VALIDATION_TESTS_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_TEXT, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL };

/* A value that is no object and no list. `path` is as "trades[3].price"; `text` is what stands in
 * the file, without quotes, its escapes left as they are. */
struct json_value {
    enum json_kind kind;
    const char *path, *text;
    size_t length;
    double number; /* 0 but for numbers */
};

/* Calls `tell` for each value. Returns NULL, or where the text is no longer JSON. */
const char *json_walk(const char *text, void (*tell)(void *context, const struct json_value *value),
                      void *context);

#endif
