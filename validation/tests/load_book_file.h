/* Reads a book from a file as tests want it: nothing of its tree is kept. */
#ifndef PRICER_VALIDATION_TESTS_LOAD_BOOK_FILE_H
#define PRICER_VALIDATION_TESTS_LOAD_BOOK_FILE_H

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

#endif
