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

/* A file of them: who reads it, and what has been read. */
struct dated_file {
    struct reader *reader;
    int most; /* columns beside the date; 0: what stands behind it is not looked at, and the first
                 complaint ends the reading */
    /* What complaints call the day before one that does not increase, and which is left out then;
     * NULL: its date, and the day stays */
    const char *unnamed;
    /* Take the head of column c, 0 the first beside the date, and read a number of it */
    void (*take_head)(struct dated_file *file, const struct csv_row *row, int c);
    double (*read_level)(struct dated_file *file, int c, const char *text);
    void *context; /* for the two */

    int n_columns, n_days, day_room, level_room;
    long *days;     /* [n_days] since 1970-01-01, increasing */
    double *levels; /* [day][column] */
};

/* Reads the file that a setting names, as csv_read_file. Of one whose first row is not right no
 * more than that is looked at. Free days and levels with dated_file_free in any case. */
void dated_file_read(struct dated_file *file, const config_setting_t *at, bool headed,
                     bool anywhere);
void dated_file_free(struct dated_file *file);

/* ---- fixings: closes of the past by asset and date, from which what has passed of a trade is
 * derived ---- */

struct fixings {
    const char *name;         /* of the file; the source's */
    bool faulty;              /* it, or the book before its trades, is refused: it misses nothing */
    struct dated_file closes; /* NaN where there is none */
    int *assets;              /* [column] index into the market, -1 of one that it does not have */
};

/* Reads the CSV file that the setting names: `date,SX5E,EURUSD`, one row a day. Complaints go to
 * the reader. Free with fixings_free. */
void fixings_read(struct reader *reader, const config_setting_t *at, struct fixings *fixings);
void fixings_free(struct fixings *fixings);

/* Returns the close of an asset on a day, of a cross without a column that of its legs; NaN where
 * there is none. */
double fixings_close(const struct fixings *fixings, int asset, long day);

#endif
