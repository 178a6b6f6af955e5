#include "app/config/csv_reader.h"

#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "app/config/values.h"
#include "models/base/grow.h"

/* A row in the reading: its fields lie one behind the other in `text`, each ended by a zero. */
struct csv_reading {
    struct reader *reader;
    const struct csv_taker *taker;
    long order; /* of complaints: behind all of the book and of the files before */
    int n_rows;
    char *text;
    int length, room;
    const char **fields; /* [n_fields] made when the row is there */
    int n_fields, field_room;
    int line;   /* of the line being read */
    int row;    /* line in which the row began; 0 between rows */
    bool ended; /* no more rows are wanted, or no memory is left */
    enum status status;
};

static void stand_at(struct csv_reading *rows, int line)
{
    rows->reader->row.line = line;
    rows->reader->row_order = rows->order + line;
}

static void take_field(void *field, size_t length, void *context)
{
    struct csv_reading *rows = context;
    int n = rows->n_fields + 1;
    if (rows->ended) return;
    if (grow_array(&rows->fields, &rows->field_room, n, sizeof *rows->fields) ||
        grow_array(&rows->text, &rows->room, rows->length + (int)length + 1, 1)) {
        rows->status = STATUS_NO_MEMORY;
        rows->ended = true;
        return;
    }
    rows->n_fields++;
    memcpy(rows->text + rows->length, field, length);
    rows->text[rows->length + (int)length] = '\0';
    rows->length += (int)length + 1;
}

static void end_row(int terminator, void *context)
{
    struct csv_reading *rows = context;
    (void)terminator;
    const char *next = rows->text;
    for (int i = 0; !rows->ended && i < rows->n_fields; i++, next += strlen(next) + 1)
        rows->fields[i] = next;
    const struct csv_row row = {rows->n_rows++, rows->n_fields, rows->fields};
    stand_at(rows, rows->row);
    if (!rows->ended) rows->ended = !rows->taker->take(rows->taker->context, &row);
    rows->n_fields = 0;
    rows->length = 0;
    rows->row = 0;
}

/* ---- line by line, so that each row knows its own -------------------------------------------- */

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r\n", text[i])) return false;
    return true;
}

static enum status refuse(struct csv_reading *rows, int line, const char *reason)
{
    stand_at(rows, line);
    complain(rows->reader, NULL, "%s", reason);
    return STATUS_BAD_INPUT;
}

/* Reads a text that ends with a zero. */
static enum status read_lines(struct csv_parser *parser, struct csv_reading *rows, const char *text,
                              size_t length)
{
    for (size_t at = 0, n; at < length && !rows->ended; at += n) {
        n = strcspn(text + at, "\r\n");
        rows->line++;
        if (at + n < length && !text[at + n])
            return refuse(rows, rows->line, "a zero byte: this is not a text file");
        if (at + n < length) n += text[at + n] == '\r' && text[at + n + 1] == '\n' ? 2 : 1;
        if (!rows->row && is_blank(text + at, n)) continue;
        if (!rows->row) rows->row = rows->line;
        if (csv_parse(parser, text + at, n, take_field, end_row, rows) == n) continue;
        if (csv_error(parser) != CSV_EPARSE) return STATUS_NO_MEMORY;
        return refuse(
            rows, rows->line,
            "a '\"' within a field: put the field in quotes, and \"\" for each of its own");
    }
    int quoted_from = rows->row;
    if (rows->ended || !csv_fini(parser, take_field, end_row, rows)) return rows->status;
    if (csv_error(parser) != CSV_EPARSE) return STATUS_NO_MEMORY;
    return refuse(rows, quoted_from,
                  "a field without its closing quote in the row that begins here");
}

static enum status read_rows(struct csv_reading *rows, const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct csv_parser parser;
    size_t skipped = length >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    enum status status = read_lines(&parser, rows, text + skipped, length - skipped);
    csv_free(&parser);
    if (status || rows->n_rows || !rows->taker->headed) return status;
    return refuse(rows, 1, "the file is empty: its first line names the columns");
}

void csv_read_file(struct reader *reader, const config_setting_t *at, const struct csv_taker *taker)
{
    const char *why = NULL, *path = read_text(reader, at);
    size_t length;
    struct location begin = {.line = 1};
    if (!path) return;
    bool anywhere = taker->anywhere && config_setting_get_hook(at);
    char *text = source_read_also(reader->source, path, anywhere, &begin.file, &length, &why);
    long last = reader->source->n_lines; /* of the book; or of the files before */
    struct csv_reading rows = {.reader = reader,
                               .taker = taker,
                               .order = reader->row_order > last ? reader->row_order : last};
    if (text) {
        reader->row = begin;
        note_memory(reader, read_rows(&rows, text, length));
        reader->row.line = 0;
    } else if (why) complain_key(reader, at, "\"%.200s\" cannot be read: %s", path, why);
    else reader->status = STATUS_NO_MEMORY;
    free(rows.text);
    free(rows.fields);
    free(text);
}

bool csv_row_is_even(struct reader *reader, const struct csv_row *row, int n)
{
    if (row->n != n)
        complain(reader, NULL,
                 "the row has %d fields, the first line %d: each row must have as many", row->n, n);
    return row->n == n;
}

/* ---- numbers by date ------------------------------------------------------------------------- */

static void take_heads(struct dated_file *file, const struct csv_row *row)
{
    bool dated = !strcmp(row->fields[0], "date");
    if (!file->most && !dated)
        complain(file->reader, NULL,
                 "the first line must name the columns, date first, got '%.40s'", row->fields[0]);
    else if (file->most && !(dated && row->n >= 2 && row->n <= file->most + 1))
        complain(file->reader, NULL,
                 "the first line must be date,ASSET,... of at most %d columns, got '%.64s'",
                 file->most, row->fields[0]);
    else if (file->most) file->n_columns = row->n - 1;
    for (int c = 0; c < file->n_columns && !file->reader->status; c++)
        file->take_head(file, row, c);
}

/* Adds the day of a row; false after a complaint, or without memory. */
static bool add_day(struct dated_file *file, const struct csv_row *row)
{
    struct reader *reader = file->reader;
    char before[DATE_ROOM];
    long day, last = file->n_days ? file->days[file->n_days - 1] : 0;
    int n = file->n_days + 1;
    if (file->most && !csv_row_is_even(reader, row, file->n_columns + 1)) return false;
    if (!date_read(row->fields[0], &day)) {
        complain(reader, NULL, "date must be as 2027-06-18, got '%.40s'", row->fields[0]);
        return false;
    }
    if (file->n_days && day <= last) {
        complain(reader, NULL, "dates must increase, got %.10s after %s", row->fields[0],
                 file->unnamed ? file->unnamed : date_write(last, before));
        if (file->unnamed) return false;
    }
    if (!reader_grow(reader, &file->days, &file->day_room, n, sizeof *file->days) ||
        !reader_grow(reader, &file->levels, &file->level_room, n * file->n_columns,
                     sizeof *file->levels))
        return false;
    file->days[file->n_days++] = day;
    return true;
}

static bool take_dated_row(void *context, const struct csv_row *row)
{
    struct dated_file *file = context;
    const struct reader *reader = file->reader;
    int before = reader->complaints->n;
    if (!row->number) take_heads(file, row);
    else if ((file->n_columns || !file->most) && add_day(file, row))
        for (int c = 0; c < file->n_columns; c++)
            file->levels[(file->n_days - 1) * file->n_columns + c] =
                file->read_level(file, c, row->fields[c + 1]);
    return !reader->status && (file->most || reader->complaints->n == before);
}

void dated_file_read(struct dated_file *file, const config_setting_t *at, bool headed,
                     bool anywhere)
{
    csv_read_file(file->reader, at, &(struct csv_taker){take_dated_row, file, headed, anywhere});
}

void dated_file_free(struct dated_file *file)
{
    free(file->days);
    free(file->levels);
    *file = (struct dated_file){0};
}

/* ---- fixings --------------------------------------------------------------------------------- */

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
    const struct fixings *fixings = file->context;
    int asset = fixings->assets[column];
    char *end;
    double close = strtod(text, &end);
    if (!*text || asset < 0) return NAN;
    if (!*end && isfinite(close) && close > 0.0) return close;
    complain(file->reader, NULL, "the close of '%s' must be a number > 0 or empty, got '%.40s'",
             file->reader->assets[asset].name, text);
    return NAN;
}

void fixings_read(struct reader *reader, const config_setting_t *at, struct fixings *fixings)
{
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
    fixings->faulty = reader->n_stopping;
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
    const struct cross *cross = &closes->reader->assets[asset].cross;
    int row = day_place(closes->n_days, closes->days, day), column = 0;
    while (column < closes->n_columns && fixings->assets[column] != asset) column++;
    if (row < 0) return NAN;
    if (column < closes->n_columns)
        return closes->levels[(size_t)row * (size_t)closes->n_columns + (size_t)column];
    if (!is_cross(&closes->reader->assets[asset])) return NAN;
    return cross_level(cross, fixings_close(fixings, cross->legs[0], day),
                       fixings_close(fixings, cross->legs[1], day));
}
