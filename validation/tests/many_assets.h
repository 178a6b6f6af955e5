/* Books on 1 to 32 assets under one model, for tests of path code of many assets. */
#ifndef PRICER_VALIDATION_TESTS_MANY_ASSETS_H
#define PRICER_VALIDATION_TESTS_MANY_ASSETS_H

#include "validation/tests/load_book_file.h"

enum { MANY_ASSETS_MOST = 32, MANY_ASSETS_TRADES = 2 };

/* Correlations: all the same; each another; zero but in three families; zero or nearly, with one
 * that is perfect. */
enum many_correlations { CORRELATED_HALF, CORRELATED_ANYHOW, CORRELATED_IN_FAMILIES, TWO_THE_SAME };

/* Loads a book of a worst-of autocallable and, of 2 to 24 assets, a basket on all of n assets, each
 * with the keys of `model`. Free with book_free. */
void many_assets_load(int n, const char *model, enum many_correlations how, struct book *book);

#endif
