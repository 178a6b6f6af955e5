#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/csv_reader.h"
#include "app/config/dates.h"
#include "app/config/read_risk.h"
#include "app/config/tables.h"
#include "app/config/values.h"

enum { COLUMNS_MAX = 3 * 4096 };

/* What a column holds. */
struct past_column {
    enum shock_kind kind;
    int target;
    bool noted; /* one note a column */
};

/* The file while it is read. */
struct past_levels {
    struct reader *reader;
    struct past_column *columns; /* beside the date */
    struct dated_rows rows;
};

/* ---- the first row --------------------------------------------------------------------------- */

static bool suffix_is(const char *name, const char *suffix, size_t *length)
{
    size_t n = strlen(name), m = strlen(suffix);
    *length = n - m;
    return n > m && !strcmp(name + n - m, suffix);
}

static bool find_column(const struct reader *reader, const char *name, struct past_column *column)
{
    char word[NAME_BYTES + 1] = "";
    size_t length = strlen(name);
    *column = (struct past_column){SHOCK_SPOT, EVERY, false};
    if (suffix_is(name, ":volatility", &length)) column->kind = SHOCK_VOLATILITY;
    else if (suffix_is(name, ":rate", &length)) column->kind = SHOCK_RATE;
    else length = strlen(name);
    if (length >= sizeof word) return false;
    memcpy(word, name, length);
    column->target = names_find(
        column->kind == SHOCK_RATE ? &reader->currency_names : &reader->asset_names, word);
    return column->target >= 0;
}

static void refuse_column(struct reader *reader, const char *name)
{
    char hint[HINT_ROOM];
    struct nearest nearest = {.wanted = name};
    for (int i = 0; i < reader->n_assets; i++)
        if (reader->assets[i].name) nearest_try(&nearest, reader->assets[i].name);
    complain(reader, NULL,
             "column '%.*s' is no asset of the market, ASSET:volatility or CURRENCY:rate%s",
             text_bytes(name, 2 * NAME_CHARACTERS), name, nearest_hint(&nearest, hint));
}

static void read_header(struct past_levels *past, const struct csv_row *row)
{
    struct reader *reader = past->reader;
    dated_rows_begin(&past->rows, reader, row, COLUMNS_MAX);
    past->columns = reader_array(reader, (size_t)row->n, sizeof *past->columns);
    for (int i = 0; past->columns && i < past->rows.n_columns; i++) {
        struct past_column *column = &past->columns[i];
        const char *name = row->fields[i + 1];
        if (!find_column(reader, name, column)) refuse_column(reader, name);
        for (int j = 0; j < i; j++)
            if (column->target >= 0 && past->columns[j].kind == column->kind &&
                past->columns[j].target == column->target)
                complain(reader, NULL, "column '%.64s' is there twice: leave one out", name);
    }
}

/* ---- the other rows -------------------------------------------------------------------------- */

/* Notes a rate or a volatility that was perhaps meant as per cent. */
static void note_level(struct past_levels *past, int c, double level)
{
    struct past_column *column = &past->columns[c];
    bool doubtful = (column->kind == SHOCK_RATE && fabs(level) > DOUBTFUL_RATE) ||
                    (column->kind == SHOCK_VOLATILITY && level > DOUBTFUL_VOLATILITY);
    if (!doubtful || column->noted) return;
    column->noted = true;
    doubt(past->reader, NULL, "column %d: %.10g is %.10g %%: %.10g %% is written %.10g", c + 2,
          level, in_percent(level), level, level / 100.0);
}

static void read_level(struct past_levels *past, int c, const char *text, double *level)
{
    char *end;
    bool rate = past->columns[c].kind == SHOCK_RATE;
    errno = 0;
    *level = strtod(text, &end);
    bool good = *text && !*end && isfinite(*level) && (rate || *level > 0.0) && fabs(*level) < 1e15;
    if (good) note_level(past, c, *level);
    if (good) return;
    complain(past->reader, NULL, "column %d must be a number%s, got '%.40s'", c + 2,
             rate ? "" : " > 0", text);
    *level = 1.0;
}

static bool take_row(void *context, const struct csv_row *row)
{
    struct past_levels *past = context;
    if (!row->number) read_header(past, row);
    double *levels =
        row->number && past->rows.n_columns ? dated_rows_add(&past->rows, past->reader, row) : NULL;
    for (int c = 0; levels && c < past->rows.n_columns; c++)
        read_level(past, c, row->fields[c + 1], &levels[c]);
    return !past->reader->status;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void add_days(struct past_levels *past, struct risk_request *request)
{
    const struct dated_rows *rows = &past->rows;
    size_t n = (size_t)rows->n_columns;
    for (int r = request->horizon_days; r < rows->n_days && !past->reader->status; r++) {
        char date[DATE_ROOM];
        const double *then = rows->levels + (size_t)(r - request->horizon_days) * n;
        const double *now = rows->levels + (size_t)r * n;
        struct scenario_request *day = scenario_add(past->reader, &request->n_days, &request->days);
        if (!day) return;
        day->name = reader_copy(past->reader, date_write(rows->days[r], date));
        for (int c = 0; c < rows->n_columns; c++) {
            bool spot = past->columns[c].kind == SHOCK_SPOT;
            double amount = spot ? now[c] / then[c] - 1.0 : now[c] - then[c];
            shock_add(past->reader, day,
                      (struct shock){past->columns[c].kind, past->columns[c].target, EVERY, EVERY,
                                     EVERY, amount});
        }
    }
}

static void read_past_file(struct reader *reader, const config_setting_t *at,
                           struct risk_request *request)
{
    struct past_levels past = {.reader = reader};
    int before = reader->complaints->n;
    csv_read_file(reader, at, &(struct csv_taker){take_row, &past, false, false});
    bool good = reader->complaints->n == before && !reader->status;
    if (good && past.rows.n_days <= request->horizon_days + 1)
        complain(reader, at, "file must have more than %d days for horizon_days = %d, got %d",
                 request->horizon_days + 1, request->horizon_days, past.rows.n_days);
    else if (good) add_days(&past, request);
    free(past.columns);
    dated_rows_free(&past.rows);
}

/* ---- the group ------------------------------------------------------------------------------- */

static const struct value_range confidence_range = {RANGE_ABOVE, 0.5, 0.9999};

static const struct key past_keys[] = {
    KEY_DEFERRED("file", FORM_TEXT,
                 .meaning =
                     "CSV file of past days: date, then a column for each asset or currency"),
    KEY_FIELD("horizon_days", COUNT, struct risk_request, horizon_days,
              .range = {RANGE_FROM, 1, 250}, .fallback = "1",
              .meaning = "days that a move is made of"),
    KEY_DEFERRED("confidence", FORM_NUMBERS,
                 .meaning =
                     "levels of value at risk, increasing; 0.95 and 0.99 where none are given"),
};
const struct key_table past_days_table = KEY_TABLE("historical", past_keys, .required = "file");

static void read_confidences(struct reader *reader, const config_setting_t *at,
                             struct risk_request *request)
{
    int n = 0;
    double *values = read_rising(reader, at, confidence_range, &n);
    if (n > CONFIDENCES_MAX)
        complain(reader, at, "confidence is limited to %d, got %d", CONFIDENCES_MAX, n);
    request->n_confidences = n < CONFIDENCES_MAX ? n : CONFIDENCES_MAX;
    for (int i = 0; values && i < request->n_confidences; i++) request->confidences[i] = values[i];
    free(values);
}

void read_past(struct reader *reader, const config_setting_t *group, struct risk_request *request)
{
    request->horizon_days = 1;
    request->n_confidences = 2;
    request->confidences[0] = 0.95;
    request->confidences[1] = 0.99;
    read_group(reader, &past_days_table, group, request);
    const config_setting_t *confidence = member_of(group, "confidence"),
                           *file = member_of(group, "file");
    if (confidence) read_confidences(reader, confidence, request);
    if (file) read_past_file(reader, file, request);
}
