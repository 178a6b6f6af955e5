/* CSV files that a book names, their rows as RFC 4180 has them, by libcsv. */
#ifndef PRICER_APP_CONFIG_CSV_READER_H
#define PRICER_APP_CONFIG_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "app/config/reader.h"

/* A row of the file while its fields are read. */
struct csv_row {
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
    bool headed;   /* a file without rows is refused */
    bool anywhere; /* a file that a draft or the command line names need not lie beside the book */
};

/* Reads the file, beside the book, that a setting names by a key; complains where it cannot be
 * read. Its text has a byte order mark or none, its lines end in LF, CR LF or CR; blank lines are
 * no rows. Blanks around a field that has no quotes are not part of it. Complaints of the taker,
 * and one where the text breaks the rules, stand at its lines. */
void csv_read_file(struct reader *reader, const config_setting_t *at,
                   const struct csv_taker *taker);

/* Tells whether a row has as many fields as the first line, `n`; complains otherwise. */
bool csv_row_is_even(struct reader *reader, const struct csv_row *row, int n);

/* ---- numbers by date, `date,SX5E,EURUSD`, one row a day -------------------------------------- */

struct dated_rows {
    int n_columns, n_days, day_room, level_room;
    long *days;     /* [n_days] since 1970-01-01, increasing */
    double *levels; /* [day][column] */
    /* What complaints call the day before one that does not increase, and which is left out then;
     * NULL: its date, and the day stays */
    const char *unnamed;
};

/* Reads the first row, which has at most that many columns beside the date; complains of another
 * one, and leaves no columns then. */
void dated_rows_begin(struct dated_rows *rows, struct reader *reader, const struct csv_row *row,
                      int most);

/* Adds the day of a row, and returns the place of its levels; NULL after a complaint, or without
 * memory, or columns: of such rows no more than the date is looked at. */
double *dated_rows_add(struct dated_rows *rows, struct reader *reader, const struct csv_row *row);

void dated_rows_free(struct dated_rows *rows);

#endif
