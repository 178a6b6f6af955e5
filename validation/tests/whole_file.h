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

/* Puts into a row of a table what \n, \\ and \xNN in it stand for, in place. Returns its length:
 * there may be zero bytes in it. */
static inline size_t unescape(char *row)
{
    size_t length = 0;
    for (char *p = row; *p; length++) {
        unsigned byte = (unsigned char)*p;
        int used = 1;
        if (p[0] == '\\' && p[1] == 'n') byte = '\n', used = 2;
        else if (p[0] == '\\' && p[1] == '\\') byte = '\\', used = 2;
        else if (p[0] == '\\' && p[1] == 'x' && sscanf(p + 2, "%2x", &byte) == 1) used = 4;
        row[length] = (char)byte;
        p += used;
    }
    row[length] = '\0';
    return length;
}

#endif
