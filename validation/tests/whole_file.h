/* What is in a file. */
#ifndef PRICER_VALIDATION_TESTS_WHOLE_FILE_H
#define PRICER_VALIDATION_TESTS_WHOLE_FILE_H

#include "validation/tests/test.h"

/* Returns the text of a file, which the caller frees; the test fails where it cannot be read. */
static inline char *whole_file(const char *path)
{
    char block[4096], *text = NULL;
    size_t n, length;
    FILE *file = fopen(path, "rb"), *memory = open_memstream(&text, &length);
    if (!file || !memory) fail_msg("%s cannot be read", path);
    while ((n = fread(block, 1, sizeof block, file))) fwrite(block, 1, n, memory);
    assert_int_equal(fclose(file) | fclose(memory), 0);
    return text;
}

#endif
