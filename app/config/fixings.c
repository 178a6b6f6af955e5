#include "app/config/fixings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/csv_reader.h"
#include "app/config/dates.h"
#include "app/config/values.h"
#include "models/base/grow.h"

enum { COLUMNS_MAX = 4096 };

struct fixings_reading {
    struct reader *reader;
    struct fixings *fixings;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void read_header(struct fixings_reading *reading, const struct csv_row *row)
{
    struct reader *reader = reading->reader;
    struct fixings *fixings = reading->fixings;
    if (strcmp(row->fields[0], "date") || row->n < 2 || row->n > COLUMNS_MAX + 1) {
        complain(reader, NULL,
                 "the first line must be date,ASSET,... of at most %d columns, got '%.40s'",
                 COLUMNS_MAX, row->fields[0]);
        return;
    }
    fixings->assets = malloc((size_t)row->n * sizeof *fixings->assets);
    if (!fixings->assets) {
        reader->status = STATUS_NO_MEMORY;
        return;
    }
    fixings->n_columns = row->n - 1;
    for (int c = 0; c < fixings->n_columns; c++) {
        fixings->assets[c] = names_find(&reader->asset_names, row->fields[c + 1]);
        for (int b = 0; b < c; b++)
            if (!strcmp(row->fields[b + 1], row->fields[c + 1]))
                complain(reader, NULL, "column '%.64s' is given twice: leave one out",
                         row->fields[c + 1]);
    }
}

static bool grow(struct fixings_reading *reading)
{
    struct fixings *fixings = reading->fixings;
    if (fixings->n_days < fixings->room) return true;
    int room = 2 * fixings->room + 256;
    long *days = realloc(fixings->days, (size_t)room * sizeof *days);
    if (days) fixings->days = days;
    double *closes =
        realloc(fixings->closes, (size_t)room * (size_t)fixings->n_columns * sizeof *closes);
    if (closes) fixings->closes = closes;
    if (days && closes) fixings->room = room;
    else reading->reader->status = STATUS_NO_MEMORY;
    return days && closes;
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

static void read_day(struct fixings_reading *reading, const struct csv_row *row)
{
    struct reader *reader = reading->reader;
    struct fixings *fixings = reading->fixings;
    long day;
    if (row->n != fixings->n_columns + 1)
        complain(reader, NULL,
                 "the row has %d fields, the first line %d: each row must have as many", row->n,
                 fixings->n_columns + 1);
    else if (!date_read(row->fields[0], &day))
        complain(reader, NULL, "date must be as 2027-06-18, got '%.40s'", row->fields[0]);
    else if (fixings->n_days && day <= fixings->days[fixings->n_days - 1])
        complain(reader, NULL, "dates must increase, got %.10s after a day that is not before it",
                 row->fields[0]);
    else if (grow(reading)) {
        double *closes = fixings->closes + (size_t)fixings->n_days * (size_t)fixings->n_columns;
        for (int c = 0; c < fixings->n_columns; c++)
            closes[c] = read_close(reader, c, row->fields[c + 1]);
        fixings->days[fixings->n_days++] = day;
    }
}

static bool take_row(void *context, const struct csv_row *row)
{
    struct fixings_reading *reading = context;
    if (!row->number) read_header(reading, row);
    else if (reading->fixings->n_columns) read_day(reading, row);
    return !reading->reader->status;
}

/* ---- the file -------------------------------------------------------------------------------- */

void fixings_read(struct reader *reader, const config_setting_t *at, struct fixings *fixings)
{
    struct fixings_reading reading = {.reader = reader, .fixings = fixings};
    const char *why = NULL, *path = read_text(reader, at, "fixings");
    size_t length;
    int file, before = reader->complaints->n;
    fixings->faulty = true;
    if (!path) return;
    if (reader->dated == DATED_NOT)
        complain(reader, at,
                 "fixings need a valuation date: write valuation_date = \"2026-11-20\";");
    char *text = config_setting_get_hook(at)
                     ? source_read_other(reader->source, path, &file, &length, &why)
                     : source_read_beside(reader->source, path, &file, &length, &why);
    if (text) {
        fixings->name = reader->source->files[file];
        csv_read(reader, file, text, length, &(struct csv_taker){take_row, &reading, true});
    } else if (why) complain(reader, at, "fixings \"%.200s\" cannot be read: %s", path, why);
    else reader->status = STATUS_NO_MEMORY;
    fixings->faulty = reader->complaints->n > before;
    free(text);
}

void fixings_free(struct fixings *fixings)
{
    free(fixings->days);
    free(fixings->assets);
    free(fixings->closes);
    *fixings = (struct fixings){0};
}

double fixings_close(const struct fixings *fixings, int asset, long day)
{
    int row = day_place(fixings->n_days, fixings->days, day), column = 0;
    while (column < fixings->n_columns && fixings->assets[column] != asset) column++;
    if (row < 0 || column == fixings->n_columns) return NAN;
    return fixings->closes[(size_t)row * (size_t)fixings->n_columns + (size_t)column];
}

void passed_add(struct reader *reader, long day)
{
    struct passed_days *passed = &reader->passed;
    if (grow_array(&passed->days, &passed->room, passed->n + 1, sizeof *passed->days))
        reader->status = STATUS_NO_MEMORY;
    else passed->days[passed->n++] = day;
}
