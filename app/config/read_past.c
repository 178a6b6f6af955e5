
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
    enum shock_kind what;
    int target;
    bool noted; /* one note a column */
};

/* The file while it is read. */
struct past_levels {
    struct reader *reader;
    int n_columns; /* beside the date */
    struct past_column *columns;
    int n_rows, room;
    char (*dates)[11]; /* [row] */
    double *levels;    /* [row][column] */
    long last_day;
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
    if (suffix_is(name, ":volatility", &length)) column->what = SHOCK_VOLATILITY;
    else if (suffix_is(name, ":rate", &length)) column->what = SHOCK_RATE;
    else length = strlen(name);
    if (length >= sizeof word) return false;
    memcpy(word, name, length);
    column->target = names_find(
        column->what == SHOCK_RATE ? &reader->currency_names : &reader->asset_names, word);
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
    past->columns = calloc((size_t)row->n + 1, sizeof *past->columns);
    if (!past->columns) reader->status = STATUS_NO_MEMORY;
    if (strcmp(row->fields[0], "date") || row->n < 2 || row->n > COLUMNS_MAX) {
        complain(reader, NULL,
                 "the first line must be date,ASSET,... of at most %d columns, got '%.64s'",
                 COLUMNS_MAX, row->fields[0]);
        return;
    }
    for (int i = 1; past->columns && i < row->n; i++) {
        struct past_column *column = &past->columns[past->n_columns++];
        if (!find_column(reader, row->fields[i], column)) refuse_column(reader, row->fields[i]);
        for (int j = 0; j < past->n_columns - 1; j++)
            if (column->target >= 0 && past->columns[j].what == column->what &&
                past->columns[j].target == column->target)
                complain(reader, NULL, "column '%.64s' is there twice: leave one out",
                         row->fields[i]);
    }
}

/* ---- the other rows -------------------------------------------------------------------------- */

static bool grow(struct past_levels *past)
{
    if (past->n_rows < past->room) return true;
    int room = past->room ? 2 * past->room : 256;
    void *dates = realloc(past->dates, (size_t)room * sizeof *past->dates);
    if (dates) past->dates = dates;
    void *levels =
        realloc(past->levels, (size_t)room * (size_t)past->n_columns * sizeof *past->levels);
    if (levels) past->levels = levels;
    if (!dates || !levels) past->reader->status = STATUS_NO_MEMORY;
    else past->room = room;
    return dates && levels;
}

/* Notes a rate or a volatility that was perhaps meant as per cent. */
static void note_level(struct past_levels *past, int c, double level)
{
    struct past_column *column = &past->columns[c];
    bool doubtful = (column->what == SHOCK_RATE && fabs(level) > DOUBTFUL_RATE) ||
                    (column->what == SHOCK_VOLATILITY && level > DOUBTFUL_VOLATILITY);
    if (!doubtful || column->noted) return;
    column->noted = true;
    doubt(past->reader, NULL, "column %d: %.10g is %.10g %%: %.10g %% is written %.10g", c + 2,
          level, in_percent(level), level, level / 100.0);
}

static void read_level(struct past_levels *past, int c, const char *text, double *level)
{
    char *end;
    bool rate = past->columns[c].what == SHOCK_RATE;
    errno = 0;
    *level = strtod(text, &end);
    bool good = *text && !*end && isfinite(*level) && (rate || *level > 0.0) && fabs(*level) < 1e15;
    if (good) note_level(past, c, *level);
    if (good) return;
    complain(past->reader, NULL, "column %d must be a number%s, got '%.40s'", c + 2,
             rate ? "" : " > 0", text);
    *level = 1.0;
}

static void read_day(struct past_levels *past, const struct csv_row *row)
{
    struct reader *reader = past->reader;
    long day;
    if (row->n != past->n_columns + 1) {
        complain(reader, NULL,
                 "the row has %d fields, the first line %d: each row must have as many", row->n,
                 past->n_columns + 1);
        return;
    }
    if (!date_read(row->fields[0], &day)) {
        complain(reader, NULL, "date must be as 2027-06-18, got '%.40s'", row->fields[0]);
        return;
    }
    if (past->n_rows && day <= past->last_day)
        complain(reader, NULL, "dates must increase, got %.10s after %s", row->fields[0],
                 past->dates[past->n_rows - 1]);
    if (!grow(past)) return;
    past->last_day = day;
    memcpy(past->dates[past->n_rows], row->fields[0], sizeof *past->dates);
    double *levels = past->levels + (size_t)past->n_rows++ * (size_t)past->n_columns;
    for (int c = 0; c < past->n_columns; c++) read_level(past, c, row->fields[c + 1], &levels[c]);
}

static bool take_row(void *context, const struct csv_row *row)
{
    struct past_levels *past = context;
    if (!row->number) read_header(past, row);
    else if (past->n_columns) read_day(past, row);
    return !past->reader->status;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void add_days(struct past_levels *past, struct risk_request *request)
{
    size_t n = (size_t)past->n_columns;
    for (int r = request->horizon_days; r < past->n_rows && !past->reader->status; r++) {
        const double *then = past->levels + (size_t)(r - request->horizon_days) * n;
        const double *now = past->levels + (size_t)r * n;
        struct scenario_request *day = scenario_add(past->reader, &request->n_days, &request->days);
        if (!day) return;
        day->name = strdup(past->dates[r]);
        if (!day->name) past->reader->status = STATUS_NO_MEMORY;
        for (int c = 0; c < past->n_columns; c++) {
            bool spot = past->columns[c].what == SHOCK_SPOT;
            double amount = spot ? now[c] / then[c] - 1.0 : now[c] - then[c];
            shock_add(past->reader, day,
                      (struct shock){past->columns[c].what, past->columns[c].target, EVERY, EVERY,
                                     amount});
        }
    }
}

static void read_past_file(struct reader *reader, const config_setting_t *at,
                           struct risk_request *request)
{
    struct past_levels past = {.reader = reader};
    int before = reader->complaints->n;
    csv_read_file(reader, at, "file", &(struct csv_taker){take_row, &past, false});
    bool good = reader->complaints->n == before && !reader->status;
    if (good && past.n_rows <= request->horizon_days + 1)
        complain(reader, at, "file must have more than %d days for horizon_days = %d, got %d",
                 request->horizon_days + 1, request->horizon_days, past.n_rows);
    else if (good) add_days(&past, request);
    free(past.columns);
    free(past.dates);
    free(past.levels);
}

/* ---- the group ------------------------------------------------------------------------------- */

static const struct value_range confidence_range = {RANGE_ABOVE, 0.5, 0.9999};

enum { PAST_FILE, PAST_HORIZON, PAST_CONFIDENCE };

static const struct key past_keys[] = {
    [PAST_FILE] = KEY_DEFERRED(
        "file", FORM_TEXT,
        .meaning = "CSV file of past days: date, then a column for each asset or currency"),
    [PAST_HORIZON] = KEY_FIELD("horizon_days", COUNT, struct risk_request, horizon_days,
                               .range = {RANGE_FROM, 1, 250}, .fallback = "1",
                               .meaning = "days that a move is made of"),
    [PAST_CONFIDENCE] = KEY_DEFERRED(
        "confidence", FORM_NUMBERS,
        .meaning = "levels of value at risk, increasing; 0.95 and 0.99 where none are given"),
};
const struct key_table past_days_table = KEY_TABLE("historical", past_keys, .required = "file");

static void read_confidences(struct reader *reader, const config_setting_t *at,
                             struct risk_request *request)
{
    int n = 0;
    double *values = read_rising(reader, at, "confidence", confidence_range, &n);
    if (n > CONFIDENCES_MAX)
        complain(reader, at, "confidence is limited to %d, got %d", CONFIDENCES_MAX, n);
    request->n_confidences = n < CONFIDENCES_MAX ? n : CONFIDENCES_MAX;
    for (int i = 0; values && i < request->n_confidences; i++) request->confidences[i] = values[i];
    free(values);
}

void read_past(struct reader *reader, const config_setting_t *group, struct risk_request *request)
{
    struct found_keys found;
    request->horizon_days = 1;
    request->n_confidences = 2;
    request->confidences[0] = 0.95;
    request->confidences[1] = 0.99;
    read_group(reader, &past_days_table, group, request, &found);
    if (found.at[PAST_CONFIDENCE]) read_confidences(reader, found.at[PAST_CONFIDENCE], request);
    if (found.at[PAST_FILE]) read_past_file(reader, found.at[PAST_FILE], request);
}
