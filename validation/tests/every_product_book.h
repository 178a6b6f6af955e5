/* A book of every product that lives as long as the tests of a file:
 * ALL_TESTS_BETWEEN(NAME, make_book, free_book). */
#ifndef PRICER_VALIDATION_TESTS_EVERY_PRODUCT_BOOK_H
#define PRICER_VALIDATION_TESTS_EVERY_PRODUCT_BOOK_H

#include "validation/tests/every_product.h"
#include "validation/tests/with_references.h"

static struct every_product book;

static inline int make_book(void **state)
{
    every_product_make(&book, 0.0);
    return begin_references(state);
}

static inline int free_book(void **state)
{
    (void)state;
    every_product_free(&book);
    return 0;
}

#endif
