#include "app/config/read_risk.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/csv_reader.h"
#include "app/config/dates.h"
#include "app/config/values.h"

/* ---- lists that grow ------------------------------------------------------------------------- */

/* Returns room for one more scenario at the end of the list; NULL without memory. */
static struct scenario_request *scenario_add(struct reader *reader, int *n,
                                             struct scenario_request **list)
{
    int room = *n;
    if (!reader_grow(reader, list, &room, *n + 1, sizeof **list)) return NULL;
    (*list)[*n] = (struct scenario_request){0};
    return &(*list)[(*n)++];
}

void shock_add(struct reader *reader, struct scenario_request *scenario, struct shock shock)
{
    int room = scenario->n_shocks;
    if (reader_grow(reader, &scenario->shocks, &room, room + 1, sizeof shock))
        scenario->shocks[scenario->n_shocks++] = shock;
}

static void take_name(struct reader *reader, const config_setting_t *at, const char *name,
                      struct scenario_request *scenario, struct names *names)
{
    scenario->name = reader_copy(reader, name);
    if (names_find(names, name) >= 0)
        complain(reader, at, "name '%s' is taken by another scenario: give it another", name);
    else if (scenario->name) note_memory(reader, names_add(names, scenario->name, 0));
}

/* ---- shocks ---------------------------------------------------------------------------------- */

#define DOUBTFUL_SHOCK 2.0 /* of a spot, relative, or of a volatility */

static const struct value_range spot_range = {RANGE_ABOVE, -1, 100};
static const struct value_range volatility_range = {RANGE_FROM, -5, 5};

struct shock_values {
    double spot, volatility, rate;
};

static const struct key shock_keys[] = {
    KEY_DEFERRED("asset", FORM_TEXT, "an asset, or a pattern of names: *, S*, [AB]*"),
    KEY_DEFERRED("currency", FORM_TEXT, "a currency whose rates move, or a pattern of names",
                 .same_as = "asset"),
    KEY_FIELD("spot", NUMBER, struct shock_values, spot,
              "relative move of the spot: -0.1 is 10 % down", ABOVE(-1, 100),
              .doubtful = DOUBTFUL_SHOCK),
    KEY_FIELD("volatility", NUMBER, struct shock_values, volatility,
              "absolute move of all volatilities: 0.05 is five points up", FROM(-5, 5),
              .doubtful = DOUBTFUL_SHOCK),
    KEY_FIELD("rate", NUMBER, struct shock_values, rate,
              "absolute move of all rates of a currency: 0.01 is one point up", FROM(-1, 1),
              .doubtful = DOUBTFUL_RATE),
};
static const struct key_table shock_table = KEY_TABLE("a shock", shock_keys, .required = "asset");

/* Tells whether a pattern that an asset's name fits leaves it to the legs that make what is moved,
 * for it fits one of them too. */
static bool is_left_to_legs(const struct reader *reader, const char *pattern, enum shock_kind kind,
                            const struct asset *asset)
{
    bool made = kind == SHOCK_VOLATILITY ? has_crossed_volatility(asset) : is_cross(asset);
    for (int leg = 0; made && leg < 2; leg++)
        if (!fnmatch(pattern, reader->assets[asset->cross.legs[leg]].name, 0)) return true;
    return false;
}

/* Adds a move of every asset (or currency) whose name fits the pattern; a cross goes with its legs.
 */
static void shock_matching(struct reader *reader, const config_setting_t *at, enum shock_kind kind,
                           double amount, struct scenario_request *scenario)
{
    bool is_rate = kind == SHOCK_RATE;
    const char *pattern = read_text(reader, at);
    int n = is_rate ? reader->n_currencies : reader->n_assets, matches = 0;
    if (!pattern) return;
    if (!strpbrk(pattern, "*?[")) {
        int index = read_reference(reader, at, is_rate);
        if (index >= 0)
            shock_add(reader, scenario, (struct shock){kind, index, EVERY, EVERY, EVERY, amount});
        return;
    }
    for (int i = 0; i < n; i++) {
        const char *name = market_name(reader, is_rate, i);
        if (!name || fnmatch(pattern, name, 0)) continue;
        matches++;
        if (!is_rate && is_left_to_legs(reader, pattern, kind, &reader->assets[i])) continue;
        shock_add(reader, scenario, (struct shock){kind, i, EVERY, EVERY, EVERY, amount});
    }
    if (n && !matches)
        complain_key(reader, at, "\"%s\" fits the name of none in the market", pattern);
}

static void read_shock(struct reader *reader, const config_setting_t *group,
                       struct scenario_request *scenario)
{
    struct shock_values shock = {0};
    const config_setting_t *asset = member_of(group, "asset"),
                           *currency = member_of(group, "currency"),
                           *spot = member_of(group, "spot"),
                           *volatility = member_of(group, "volatility"),
                           *rate = member_of(group, "rate"), *of_asset = spot ? spot : volatility;
    read_group(reader, &shock_table, group, &shock);
    if (asset && rate && !currency)
        complain(reader, rate, "rate is of a currency: write currency in place of asset");
    if (currency && of_asset)
        complain(reader, of_asset, "%s is of an asset: write asset in place of currency",
                 config_setting_name(of_asset));
    if (asset && !of_asset && !rate)
        complain(reader, group, "spot or volatility is missing: a shock of an asset must have one");
    if (currency && !of_asset && !rate)
        complain(reader, group, "rate is missing: a shock of a currency must have it");
    if (asset && spot) shock_matching(reader, asset, SHOCK_SPOT, shock.spot, scenario);
    if (asset && volatility)
        shock_matching(reader, asset, SHOCK_VOLATILITY, shock.volatility, scenario);
    if (currency && rate) shock_matching(reader, currency, SHOCK_RATE, shock.rate, scenario);
}

/* ---- scenarios ------------------------------------------------------------------------------- */

static const struct key scenario_keys[] = {
    KEY_DEFERRED("name", FORM_TEXT, "what the scenario is called in the results"),
    KEY_DEFERRED("shocks", FORM_GROUPS, "what moves", .table = &shock_table),
};
const struct key_table scenario_table =
    KEY_TABLE("a scenario", scenario_keys, .required = "name shocks");

void read_scenarios(struct reader *reader, const config_setting_t *list,
                    struct risk_request *request, struct names *names)
{
    int n = list_length(reader, list, SCENARIOS_ASKED_MAX, "");
    for (int i = 0; i < n; i++) {
        const config_setting_t *group = element_of(list, i), *at = member_of(group, "name"),
                               *shocks = member_of(group, "shocks");
        struct scenario_request *scenario =
            scenario_add(reader, &request->n_scenarios, &request->scenarios);
        read_group(reader, &scenario_table, group, NULL);
        const char *name = read_name(reader, at);
        if (!scenario) return;
        if (name) {
            take_name(reader, at, name, scenario, names);
            snprintf(reader->prefix, sizeof reader->prefix, "scenario '%s': ", name);
        }
        bool listed = expect_list(reader, shocks);
        for (int k = 0; listed && k < config_setting_length(shocks); k++)
            read_shock(reader, element_of(shocks, k), scenario);
        reader->prefix[0] = '\0';
    }
}

/* ---- grids ----------------------------------------------------------------------------------- */

static const struct key grid_keys[] = {
    KEY_DEFERRED("name", FORM_TEXT, "begins the names of its scenarios"),
    KEY_DEFERRED("asset", FORM_TEXT, "an asset, or a pattern of names"),
    KEY_DEFERRED("spots", FORM_NUMBERS, "relative moves of the spot, increasing"),
    KEY_DEFERRED("volatilities", FORM_NUMBERS, "absolute moves of the volatilities, increasing"),
};
const struct key_table grid_table = KEY_TABLE("a grid", grid_keys, .required = "name asset spots");

/* Adds the scenario of one cell: "NAME spot -10%", "NAME spot -10% vol +5%". */
static void add_cell(struct reader *reader, const config_setting_t *group, double spot,
                     const double *volatility, struct risk_request *request, struct names *names)
{
    char cell[NAME_BYTES + 64];
    struct scenario_request *scenario =
        scenario_add(reader, &request->n_scenarios, &request->scenarios);
    if (!scenario) return;
    int length = snprintf(cell, sizeof cell, "%s spot %+.6g%%",
                          config_setting_get_string(member_of(group, "name")), 100.0 * spot);
    if (volatility)
        snprintf(cell + length, sizeof cell - (size_t)length, " vol %+.6g%%", 100.0 * *volatility);
    take_name(reader, member_of(group, "name"), cell, scenario, names);
    shock_matching(reader, member_of(group, "asset"), SHOCK_SPOT, spot, scenario);
    if (volatility)
        shock_matching(reader, member_of(group, "asset"), SHOCK_VOLATILITY, *volatility, scenario);
}

static void read_grid(struct reader *reader, const config_setting_t *group,
                      struct risk_request *request, struct names *names)
{
    int n_spots, n_volatilities;
    const config_setting_t *spots_at = member_of(group, "spots"),
                           *volatilities_at = member_of(group, "volatilities");
    read_group(reader, &grid_table, group, NULL);
    bool good = read_name(reader, member_of(group, "name")) && member_of(group, "asset");
    double *spots = read_rising(reader, spots_at, spot_range, &n_spots),
           *volatilities = read_rising(reader, volatilities_at, volatility_range, &n_volatilities);
    note_per_cent(reader, spots_at, n_spots, spots, DOUBTFUL_SHOCK);
    note_per_cent(reader, volatilities_at, n_volatilities, volatilities, DOUBTFUL_SHOCK);
    good &= spots && (volatilities || !volatilities_at);
    for (int i = 0; good && i < n_spots; i++)
        for (int j = 0; j < (volatilities ? n_volatilities : 1); j++)
            add_cell(reader, group, spots[i], volatilities ? &volatilities[j] : NULL, request,
                     names);
    free(spots);
    free(volatilities);
}

void read_grids(struct reader *reader, const config_setting_t *list, struct risk_request *request,
                struct names *names)
{
    int n = list_length(reader, list, SCENARIOS_ASKED_MAX, "");
    for (int i = 0; i < n; i++) read_grid(reader, element_of(list, i), request, names);
}

/* ---- past days ------------------------------------------------------------------------------- */

enum {
    COLUMNS_MAX = 3 * 4096,
    STALE_DAYS = 30 /* that a past may end before the valuation date */
};

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

/* Notes a past that ends on a day to come, or long ago. */
static void note_last_day(struct reader *reader, const config_setting_t *at, long last)
{
    char date[DATE_ROOM];
    if (reader->dated != DATED) return;
    date_write(last, date);
    if (last > reader->valuation_day)
        doubt(reader, at, "the past ends on %s, after the valuation date %s", date,
              reader->valuation_date);
    else if (last < reader->valuation_day - STALE_DAYS)
        remark(reader, at, "the past ends on %s, more than %d days before the valuation date %s",
               date, STALE_DAYS, reader->valuation_date);
}

/* Notes the first move of a spot that would be doubtful as a shock. */
static void note_move(struct reader *reader, const config_setting_t *at, struct past_column *column,
                      double amount, const char *date)
{
    if (column->noted || !(fabs(amount) > DOUBTFUL_SHOCK)) return;
    column->noted = true;
    doubt(reader, at, "the spot of '%s' moves by %+.4g %% up to %s",
          reader->assets[column->target].name, in_percent(amount), date);
}

static void add_days(const struct dated_file *file, const config_setting_t *at,
                     struct past_column *columns, struct risk_request *request)
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
            if (spot) note_move(reader, at, &columns[c], amount, date);
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
    else if (good) {
        note_last_day(reader, at, file.days[file.n_days - 1]);
        add_days(&file, at, columns, request);
    }
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
