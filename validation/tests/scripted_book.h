/* A book of trades whose payoffs are programs written by hand: some beside the product that they
 * state, some that share what they compute, some made of random instructions. Notes on several
 * assets are script_book_test's, which compiles them. */
#ifndef PRICER_VALIDATION_TESTS_SCRIPTED_BOOK_H
#define PRICER_VALIDATION_TESTS_SCRIPTED_BOOK_H

#include "models/payoffs/scripted.h"
#include "validation/tests/every_product.h"

enum {
    SCRIPTED_PAIRS = 5, /* trades 2 i, a product, and 2 i + 1, a program that states the same */
    SCRIPTED_RANDOM = 16,
    SCRIPTED_TRADES = 2 * SCRIPTED_PAIRS + 4 + SCRIPTED_RANDOM
};

struct scripted_book {
    struct every_product base; /* its market */
    const struct market *market;
    int n_trades;
    struct trade trades[SCRIPTED_TRADES];
};

/* Fills it; free with scripted_book_free. */
void scripted_book_make(struct scripted_book *book, uint64_t seed);
void scripted_book_free(struct scripted_book *book);

/* Returns an option on the average of n fixings to `expiry` as a program; free with trade_free. */
struct trade scripted_average(const char *id, int asset, int n, double strike, double expiry);

/* Returns the sum of n inputs as a program, on three assets; free with trade_free. */
struct trade scripted_sum(const char *id, int n, const struct program_input *inputs);

#endif
