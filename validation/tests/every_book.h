/* The shared books, one after the other: every product, then every model with every product, with
 * baskets and with sums. */
#ifndef PRICER_VALIDATION_TESTS_EVERY_BOOK_H
#define PRICER_VALIDATION_TESTS_EVERY_BOOK_H

#include "validation/tests/every_model.h"
#include "validation/tests/every_product.h"

/* A book while it is shown. */
struct shown_book {
    const char *name;
    const struct market *market;
    int n_trades;
    const struct trade *trades;
};

/* Is shown a book; returns how many checks failed. */
typedef int book_check(const struct shown_book *book);

/* Shows the books of every model, and returns how many checks failed. */
static inline int check_models(book_check *check)
{
    static const struct {
        const char *name;
        void (*add)(struct every_model *);
    } books[] = {{"models", every_model_add_products},
                 {"baskets", every_model_add_baskets},
                 {"sums", every_model_add_sums}};
    static struct every_model book;
    int failed = 0;
    for (int i = 0; i < 3; i++) {
        every_model_make(&book);
        books[i].add(&book);
        failed +=
            check(&(struct shown_book){books[i].name, &book.market, book.n_trades, book.trades});
        every_model_free(&book);
    }
    return failed;
}

/* Shows all books, and returns how many checks failed. */
static inline int check_every_book(book_check *check)
{
    static struct every_product book;
    every_product_make(&book, 0.0);
    int failed = check(&(struct shown_book){"products", &book.market, book.n_trades, book.trades});
    every_product_free(&book);
    return failed + check_models(check);
}

#endif
