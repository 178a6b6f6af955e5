#include "app/config/csv_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"

enum { COLUMNS_MAX = 4096 };

static void take_head(struct dated_file *file, const struct csv_row *row, int c)
{
    struct reader *reader = file->reader;
    struct fixings *fixings = file->context;
    const char *name = row->fields[c + 1];
    if (!c) {
        fixings->name = reader->source->files[reader->row.file];
        fixings->assets = reader_array(reader, (size_t)row->n, sizeof *fixings->assets);
        if (!fixings->assets) return;
    }
    fixings->assets[c] = names_find(&reader->asset_names, name);
    for (int b = 0; b < c; b++)
        if (!strcmp(row->fields[b + 1], name))
            complain(reader, NULL, "column '%.64s' is given twice: leave one out", name);
}

static double read_close(struct dated_file *file, int column, const char *text)
{
    char *end;
    double close = strtod(text, &end);
    if (!*text) return NAN;
    if (!*end && isfinite(close) && close > 0.0) return close;
    complain(file->reader, NULL, "column %d must be a number > 0 or empty, got '%.40s'", column + 2,
             text);
    return NAN;
}

void fixings_read(struct reader *reader, const config_setting_t *at, struct fixings *fixings)
{
    int before = reader->complaints->n;
    fixings->closes = (struct dated_file){.reader = reader,
                                          .most = COLUMNS_MAX,
                                          .unnamed = "a day that is not before it",
                                          .take_head = take_head,
                                          .read_level = read_close,
                                          .context = fixings};
    if (read_text(reader, at)) {
        need_date(reader, at, "fixings need");
        dated_file_read(&fixings->closes, at, true, true);
    }
    fixings->faulty = reader->complaints->n > before;
}

void fixings_free(struct fixings *fixings)
{
    dated_file_free(&fixings->closes);
    free(fixings->assets);
    *fixings = (struct fixings){0};
}

double fixings_close(const struct fixings *fixings, int asset, long day)
{
    const struct dated_file *closes = &fixings->closes;
    int row = day_place(closes->n_days, closes->days, day), column = 0;
    while (column < closes->n_columns && fixings->assets[column] != asset) column++;
    if (row < 0 || column == closes->n_columns) return NAN;
    return closes->levels[(size_t)row * (size_t)closes->n_columns + (size_t)column];
}
