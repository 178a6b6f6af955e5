/* Reads a book from a file or a text as tests want it: nothing of its tree is kept. */
#ifndef PRICER_VALIDATION_TESTS_LOAD_BOOK_FILE_H
#define PRICER_VALIDATION_TESTS_LOAD_BOOK_FILE_H

#include <stdlib.h>
#include <string.h>

#include "app/config/load_book.h"

/* Returns what book_read returns of the file at `path`, with `n_sets` values in place of its own.
 */
static inline enum status book_load_set(const char *path, int n_sets, const char *const *sets,
                                        struct book *book, struct complaints *complaints)
{
    const struct book_input input = {.path = path, .n_sets = n_sets, .sets = sets};
    return book_read(&input, book, complaints, NULL);
}

static inline enum status book_load(const char *path, struct book *book,
                                    struct complaints *complaints)
{
    return book_load_set(path, 0, NULL, book, complaints);
}

/* Returns what book_read returns of a text, in which ' stands for ". */
static inline enum status book_load_text(const char *text, struct book *book,
                                         struct complaints *complaints)
{
    char *quoted = strdup(text);
    if (!quoted) return STATUS_NO_MEMORY;
    for (char *at = quoted; (at = strchr(at, '\'')); at++) *at = '"';
    const struct book_input input = {.path = "text", .text = quoted};
    enum status status = book_read(&input, book, complaints, NULL);
    free(quoted);
    return status;
}

#endif
