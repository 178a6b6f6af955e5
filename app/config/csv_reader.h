/* The rows of a CSV file, as RFC 4180 has them, by libcsv. */
#ifndef PRICER_APP_CONFIG_CSV_READER_H
#define PRICER_APP_CONFIG_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "models/base/status.h"

/* A row of the file while its fields are read. */
struct csv_row {
    int line; /* where it begins, from 1 */
    int n;
    const char *const *fields; /* [n] "" where empty; they end with the call that is given them */
};

/* Takes one row after the other; whether it wants more. */
typedef bool csv_take(void *context, const struct csv_row *row);

/* The reason why a text is no CSV. */
struct csv_fault {
    int line;
    const char *what; /* static */
};

/* Reads a text, with or without a byte order mark, its lines ended by LF, CR LF or CR; blank lines
 * are no rows. Blanks around a field that has no quotes are not part of it. STATUS_BAD_INPUT with
 * `fault` where it breaks the rules, after the rows before; STATUS_NO_MEMORY. */
enum status csv_read(const char *text, size_t length, csv_take *take, void *context,
                     struct csv_fault *fault);

#endif
