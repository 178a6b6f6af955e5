#include "app/config/fixings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"

enum { COLUMNS_MAX = 4096 };

struct fixings_reading {
    struct reader *reader;
    struct fixings *fixings;
};

static void read_header(struct fixings_reading *reading, const struct csv_row *row)
{
    struct reader *reader = reading->reader;
    struct fixings *fixings = reading->fixings;
    fixings->name = reader->source->files[reader->row.file];
    fixings->closes.unnamed = "a day that is not before it";
    dated_rows_begin(&fixings->closes, reader, row, COLUMNS_MAX);
    fixings->assets = reader_array(reader, (size_t)row->n, sizeof *fixings->assets);
    for (int c = 0; fixings->assets && c < fixings->closes.n_columns; c++) {
        fixings->assets[c] = names_find(&reader->asset_names, row->fields[c + 1]);
        for (int b = 0; b < c; b++)
            if (!strcmp(row->fields[b + 1], row->fields[c + 1]))
                complain(reader, NULL, "column '%.64s' is given twice: leave one out",
                         row->fields[c + 1]);
    }
}

static double read_close(struct reader *reader, int column, const char *text)
{
    char *end;
    double close = strtod(text, &end);
    if (!*text) return NAN;
    if (!*end && isfinite(close) && close > 0.0) return close;
    complain(reader, NULL, "column %d must be a number > 0 or empty, got '%.40s'", column + 2,
             text);
    return NAN;
}

static bool take_row(void *context, const struct csv_row *row)
{
    struct fixings_reading *reading = context;
    struct dated_rows *closes = &reading->fixings->closes;
    if (!row->number) read_header(reading, row);
    double *day =
        row->number && closes->n_columns ? dated_rows_add(closes, reading->reader, row) : NULL;
    for (int c = 0; day && c < closes->n_columns; c++)
        day[c] = read_close(reading->reader, c, row->fields[c + 1]);
    return !reading->reader->status;
}

void fixings_read(struct reader *reader, const config_setting_t *at, struct fixings *fixings)
{
    struct fixings_reading reading = {.reader = reader, .fixings = fixings};
    int before = reader->complaints->n;
    bool named = read_text(reader, at);
    if (named) need_date(reader, at, "fixings need");
    if (named) csv_read_file(reader, at, &(struct csv_taker){take_row, &reading, true, true});
    fixings->faulty = reader->complaints->n > before;
}

void fixings_free(struct fixings *fixings)
{
    dated_rows_free(&fixings->closes);
    free(fixings->assets);
    *fixings = (struct fixings){0};
}

double fixings_close(const struct fixings *fixings, int asset, long day)
{
    const struct dated_rows *closes = &fixings->closes;
    int row = day_place(closes->n_days, closes->days, day), column = 0;
    while (column < closes->n_columns && fixings->assets[column] != asset) column++;
    if (row < 0 || column == closes->n_columns) return NAN;
    return closes->levels[(size_t)row * (size_t)closes->n_columns + (size_t)column];
}
