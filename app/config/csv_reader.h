/* CSV files that a book names, their rows as RFC 4180 has them, by libcsv. */
#ifndef PRICER_APP_CONFIG_CSV_READER_H
#define PRICER_APP_CONFIG_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "app/config/reader.h"

/* A row of the file while its fields are read. */
struct csv_row {
    int line;   /* where it begins, from 1 */
    int number; /* 0: the first, which names the columns */
    int n;
    const char *const *fields; /* [n] "" where empty; they end with the call that is given them */
};

/* Takes one row after the other; whether it wants more. */
typedef bool csv_take(void *context, const struct csv_row *row);

/* Who takes the rows of a file. */
struct csv_taker {
    csv_take *take;
    void *context;
    bool headed; /* a file without rows is refused */
};

/* Reads a text, with or without a byte order mark, its lines ended by LF, CR LF or CR; blank lines
 * are no rows. Blanks around a field that has no quotes are not part of it. `file` is its number in
 * the source: complaints of the taker, and one where the text breaks the rules, stand at its
 * lines. */
void csv_read(struct reader *reader, int file, const char *text, size_t length,
              const struct csv_taker *taker);

/* Does the same with the file, beside the book, that a setting names by a key; complains where it
 * cannot be read. */
void csv_read_file(struct reader *reader, const config_setting_t *at, const char *key,
                   const struct csv_taker *taker);

#endif
