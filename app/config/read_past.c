#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/csv_reader.h"
#include "app/config/dates.h"
#include "app/config/read_risk.h"
#include "app/config/values.h"

enum { COLUMNS_MAX = 3 * 4096 };

struct past_column {
    enum shock_kind kind;
    int target;
    bool noted; /* one note a column */
};

static bool find_column(const struct reader *reader, const char *name, struct past_column *column)
{
    char word[NAME_BYTES + 1] = "";
    const char *colon = strrchr(name, ':');
    size_t length = strlen(name);
    *column = (struct past_column){SHOCK_SPOT, EVERY, false};
    bool of = colon && colon > name;
    if (of && !strcmp(colon, ":volatility")) column->kind = SHOCK_VOLATILITY;
    if (of && !strcmp(colon, ":rate")) column->kind = SHOCK_RATE;
    if (column->kind != SHOCK_SPOT) length = (size_t)(colon - name);
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

static void take_head(struct dated_file *file, const struct csv_row *row, int c)
{
    struct past_column **columns = file->context;
    const char *name = row->fields[c + 1];
    if (!c) *columns = reader_array(file->reader, (size_t)row->n, sizeof **columns);
    if (!*columns) return;
    struct past_column *column = &(*columns)[c];
    if (!find_column(file->reader, name, column)) refuse_column(file->reader, name);
    for (int j = 0; j < c; j++)
        if (column->target >= 0 && (*columns)[j].kind == column->kind &&
            (*columns)[j].target == column->target)
            complain(file->reader, NULL, "column '%.64s' is there twice: leave one out", name);
}

/* Reads a level; notes a rate or a volatility that was perhaps meant as per cent. */
static double read_level(struct dated_file *file, int c, const char *text)
{
    struct past_column *column = &(*(struct past_column **)file->context)[c];
    char *end;
    bool rate = column->kind == SHOCK_RATE;
    double level = strtod(text, &end);
    if (!*text || *end || !isfinite(level) || !(rate || level > 0.0) || fabs(level) >= 1e15) {
        complain(file->reader, NULL, "column %d must be a number%s, got '%.40s'", c + 2,
                 rate ? "" : " > 0", text);
        return 1.0;
    }
    bool doubtful = (rate && fabs(level) > DOUBTFUL_RATE) ||
                    (column->kind == SHOCK_VOLATILITY && level > DOUBTFUL_VOLATILITY);
    if (doubtful && !column->noted)
        doubt(file->reader, NULL, "column %d: %.10g is %.10g %%: %.10g %% is written %.10g", c + 2,
              level, in_percent(level), level, level / 100.0);
    column->noted |= doubtful;
    return level;
}

static void add_days(const struct dated_file *file, const struct past_column *columns,
                     struct risk_request *request)
{
    struct reader *reader = file->reader;
    size_t n = (size_t)file->n_columns;
    for (int r = request->horizon_days; r < file->n_days && !reader->status; r++) {
        char date[DATE_ROOM];
        const double *then = file->levels + (size_t)(r - request->horizon_days) * n;
        const double *now = file->levels + (size_t)r * n;
        struct scenario_request *day = scenario_add(reader, &request->n_days, &request->days);
        if (!day) return;
        day->name = reader_copy(reader, date_write(file->days[r], date));
        for (int c = 0; c < file->n_columns; c++) {
            bool spot = columns[c].kind == SHOCK_SPOT;
            double amount = spot ? now[c] / then[c] - 1.0 : now[c] - then[c];
            shock_add(
                reader, day,
                (struct shock){columns[c].kind, columns[c].target, EVERY, EVERY, EVERY, amount});
        }
    }
}

static void read_past_file(struct reader *reader, const config_setting_t *at,
                           struct risk_request *request)
{
    struct past_column *columns = NULL;
    struct dated_file file = {.reader = reader,
                              .most = COLUMNS_MAX,
                              .take_head = take_head,
                              .read_level = read_level,
                              .context = &columns};
    int before = reader->complaints->n;
    dated_file_read(&file, at, false, false);
    bool good = at && reader->complaints->n == before && !reader->status;
    if (good && file.n_days <= request->horizon_days + 1)
        complain(reader, at, "file must have more than %d days for horizon_days = %d, got %d",
                 request->horizon_days + 1, request->horizon_days, file.n_days);
    else if (good) add_days(&file, columns, request);
    free(columns);
    dated_file_free(&file);
}

static const struct value_range confidence_range = {RANGE_ABOVE, 0.5, 0.9999};

static const struct key past_keys[] = {
    KEY_DEFERRED("file", FORM_TEXT,
                 "CSV file of past days: date, then a column for each asset or currency"),
    KEY_FIELD("horizon_days", COUNT, struct risk_request, horizon_days,
              "days that a move is made of", FROM(1, 250), .fallback = "1"),
    KEY_DEFERRED("confidence", FORM_NUMBERS,
                 "levels of value at risk, increasing; 0.95 and 0.99 where none are given"),
};
const struct key_table past_days_table = KEY_TABLE("historical", past_keys, .required = "file");

void read_past(struct reader *reader, const config_setting_t *group, struct risk_request *request)
{
    request->horizon_days = 1;
    request->n_confidences = 2;
    request->confidences[0] = 0.95;
    request->confidences[1] = 0.99;
    read_group(reader, &past_days_table, group, request);
    const config_setting_t *confidence = member_of(group, "confidence");
    int n;
    double *values = read_rising(reader, confidence, confidence_range, &n);
    if (n > CONFIDENCES_MAX)
        complain(reader, confidence, "confidence is limited to %d, got %d", CONFIDENCES_MAX, n);
    else if (values) request->n_confidences = n;
    for (int i = 0; values && i < request->n_confidences; i++) request->confidences[i] = values[i];
    free(values);
    read_past_file(reader, member_of(group, "file"), request);
}
