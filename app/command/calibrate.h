/* `pricer --calibrate=heston BOOK.cfg`: every implied surface of a book fitted, shown and written
 * as a file that a book can include. */
#ifndef PRICER_APP_COMMAND_CALIBRATE_H
#define PRICER_APP_COMMAND_CALIBRATE_H

#include <stdbool.h>

#include "models/market/market.h"
#include "models/base/status.h"

struct calibrate_options {
    const char *model; /* "heston" or "bates" */
    const char *book;  /* its path, from which the names of the files are made */
    int n_files;
    char *const *files; /* [n_files] what the book is read from: never written */
    int n_outputs;
    const char *const
        *outputs; /* [n_outputs] as of --output: .cfg files, one for each asset that has a
                   * surface, in the order of the book; .csv files, each of all quotes */
    bool quiet;   /* nothing on standard output */
    const volatile int *stop; /* NULL: never */
};

/* Fits them all. An asset whose fit fails is reported in one line on standard error, the others are
 * fitted and written, and *trouble says so. STATUS_BAD_INPUT and one sentence where no asset has a
 * surface, a surface is too small or the outputs are not such; STATUS_FILE, STATUS_INTERRUPTED,
 * STATUS_NO_MEMORY. */
enum status calibrate(const struct market *market, const struct calibrate_options *options,
                      bool *trouble, struct message *why);

#endif
