/* Reads a book from a libconfig file, and what belongs to it from the files beside it. */
#ifndef PRICER_APP_CONFIG_LOAD_BOOK_H
#define PRICER_APP_CONFIG_LOAD_BOOK_H

#include "app/pricing/book.h"
#include "models/base/status.h"

/* Reads the book at `path`. The caller frees it with book_free, and `complaints` (begun as {0})
 * with complaints_free. `complaints` holds every error found, one line each as `file:line: trade
 * 'T7': strike must be > 0, got -5`. An error in a trade's own keys leaves that trade unpriced
 * (settings.on_bad_trade); any other, an unreadable file included, and a book without a trade left,
 * is STATUS_BAD_INPUT: then `book` is empty. STATUS_NO_MEMORY. */
enum status book_load(const char *path, struct book *book, struct complaints *complaints);

/* Does the same with `n_sets` values put in place of the file's, each `PATH=VALUE` as of
 * `--set`. */
enum status book_load_set(const char *path, int n_sets, const char *const *sets, struct book *book,
                          struct complaints *complaints);

/* Does the same from `text`, under the name `path`, where it is not NULL: it includes no other
 * file. */
enum status book_read(const char *path, const char *text, int n_sets, const char *const *sets,
                      struct book *book, struct complaints *complaints);

#endif
