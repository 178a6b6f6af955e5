/* Books that a test writes itself, or finds as a file; a complaint fails the test. */
#ifndef PRICER_VALIDATION_TESTS_WRITTEN_BOOK_H
#define PRICER_VALIDATION_TESTS_WRITTEN_BOOK_H

#include "validation/tests/load_book_file.h"
#include "validation/tests/test.h"

/* Writes a text as printf does. The caller frees it. */
__attribute__((format(printf, 1, 2))) static inline char *text_of(const char *format, ...)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* Fails the test unless a book was read without a complaint. */
static inline void assert_read(enum status status, struct complaints *complaints)
{
    for (int i = 0; i < complaints->n; i++) print_error("%s\n", complaints->list[i].line);
    assert_ok(status);
    assert_int_equal(complaints->n, 0);
    complaints_free(complaints);
}

/* Reads a book of a text that text_of() wrote, in which ' stands for ", and frees the text. */
static inline void read_written(char *text, struct book *book)
{
    struct complaints complaints = {0};
    enum status status = book_load_text(text, book, &complaints);
    free(text);
    assert_read(status, &complaints);
}

/* Reads the book of a file. */
static inline void read_file(const char *path, struct book *book)
{
    struct complaints complaints = {0};
    enum status status = book_load(path, book, &complaints);
    assert_read(status, &complaints);
}

#endif
