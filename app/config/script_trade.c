/* A trade that is a script. */
#include "app/config/read_trades.h"

#include <math.h>

#include "app/config/dates.h"
#include "app/config/csv_reader.h"
#include "app/config/values.h"
#include "models/payoffs/scripted.h"
#include "models/scripts/compile.h"
#include "models/base/order.h"

void read_script_keys(struct reader *reader)
{
    const struct script_keys *keys = &reader->script->keys;
    struct found_keys *found = &reader->parameters;
    const struct script *script = reader->script->script;
    struct scripted *scripted = reader->trade->scripted = reader_array(reader, 1, sizeof *scripted);
    if (scripted) {
        struct bound *bound = reader_array(reader, (size_t)script->n_parameters, sizeof *bound);
        *scripted =
            (struct scripted){.script = script, .binding = {.script = script, .bound = bound}};
    }
    read_keys(reader, &keys->table, &keys->rules, reader->group, reader->trade, found);
    for (int row = 0; row < keys->table.n; row++) {
        int common = keys->rows[row].common;
        if (common < 0) continue;
        reader->found.at[common] = found->at[row];
        if (found_good(found, row)) reader->found.good |= (uint64_t)1 << common;
    }
    if (reader->found.at[KEY_TYPE] && reader->found.at[KEY_SCRIPT])
        complain(reader, reader->found.at[KEY_SCRIPT],
                 "script contradicts type: leave one of the two out");
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct bound *bound_of(const struct reader *reader, int parameter)
{
    return &reader->trade->scripted->binding.bound[parameter];
}

static const struct script_symbol *symbol_of(const struct reader *reader, int parameter)
{
    return &reader->script->script->symbols[parameter];
}

/* Makes room for the values of a parameter; false without memory. */
static bool make_room(struct reader *reader, struct bound *bound, int n)
{
    bound->values = reader_array(reader, (size_t)n, sizeof *bound->values);
    bound->n = bound->values ? n : 0;
    return bound->values;
}

/* Reads a value for each of `n` members: one for all, or a list. */
static void read_each(struct reader *reader, const config_setting_t *at, const struct key *key,
                      const struct script_symbol *symbol, int n, struct bound *bound)
{
    /* What may be the spot of today is a spot */
    const struct value_range range = {symbol->fallback_spot ? RANGE_ABOVE : RANGE_ANY, 0, 0};
    bool list = config_setting_is_list(at), each = symbol->over >= 0;
    int given = list ? config_setting_length(at) : 1;
    /* A field of a file is a list where its column is one of a built-in product */
    bool alone = list && !each && given == 1 && reader->row.line;
    if (list && each && given != n) {
        bool assets = symbol_of(reader, symbol->over)->kind == SYMBOL_ASSETS;
        complain_key(reader, at, "must be one for all or as many as %s: got %d for %d %s",
                     assets ? "assets" : symbol_of(reader, symbol->over)->name, given, n,
                     assets ? "assets" : "dates");
        return;
    }
    if (!make_room(reader, bound, n)) return;
    for (int i = 0; i < n; i++) {
        const config_setting_t *one = (list && each) || alone ? element_of(at, i) : at;
        double *value = &bound->values[i];
        bool flag = false, good = true;
        int choice = 0;
        if (i && !list) *value = bound->values[0];
        else if (symbol->kind == SYMBOL_DATE)
            good = read_date_until(reader, one, reader->trade->expiry, value);
        else if (symbol->kind == SYMBOL_NUMBER) good = read_number(reader, one, range, value);
        else if (symbol->kind == SYMBOL_FLAG) {
            good = read_bool(reader, one, &flag);
            *value = flag;
        } else {
            good = read_choice(reader, one, key->words, &choice);
            *value = choice;
        }
        if (!good) return;
    }
    if (key->doubtful > 0.0) note_per_cent(reader, at, list ? n : 1, bound->values, key->doubtful);
}

static bool is_date(enum symbol_kind kind)
{
    return kind == SYMBOL_DATE || kind == SYMBOL_DATES;
}

/* Binds the parameter that a row of the table is. What it is over is bound before: it stands before
 * it. */
static void bind_row(struct reader *reader, int row)
{
    const struct script_keys *keys = &reader->script->keys;
    const struct script *script = reader->script->script;
    const config_setting_t *at = reader->parameters.at[row];
    int parameter = keys->rows[row].parameter;
    const struct script_symbol *symbol = symbol_of(reader, parameter);
    struct bound *bound = bound_of(reader, parameter);
    double expiry = reader->trade->expiry;
    if (!symbol->read && parameter != script->expiry && parameter != script->asset)
        doubt(reader, at ? at : reader->group, "%s is read by no line of its script", symbol->name);
    int n = symbol->over < 0 ? 1 : bound_of(reader, symbol->over)->n;
    if (parameter == script->expiry) {
        if (make_room(reader, bound, 1)) bound->values[0] = expiry;
    } else if (parameter == script->asset) bound->n = reader->trade->n_assets;
    else if (!n) return; /* complained of with what it is over */
    else if (is_date(symbol->kind)) {
        if (!at || !good(reader, KEY_EXPIRY)) return;
        if (symbol->kind == SYMBOL_DATES) bound->values = read_dates(reader, at, expiry, &bound->n);
        else read_each(reader, at, &keys->keys[row], symbol, n, bound);
    } else if (at) read_each(reader, at, &keys->keys[row], symbol, n, bound);
    else if (symbol->has_default && make_room(reader, bound, n))
        for (int i = 0; i < n; i++) /* a spot of today is told by NaN */
            bound->values[i] = symbol->fallback_spot ? NAN : symbol->fallback;
}

/* Makes all dates from today on those that the trade is fixed on, for whoever asks what dates it
 * has. */
static void take_dates(struct reader *reader)
{
    const struct script *script = reader->script->script;
    struct schedule *fixings = &reader->trade->fixings;
    int room = 0, n = 0;
    for (int p = 0; p < script->n_parameters; p++) {
        const struct bound *bound = bound_of(reader, p);
        if (!is_date(script->symbols[p].kind)) continue;
        if (!reader_grow(reader, &fixings->times, &room, fixings->n + bound->n,
                         sizeof *fixings->times))
            return;
        for (int i = 0; i < bound->n; i++)
            if (bound->values[i] >= 0.0) fixings->times[fixings->n++] = bound->values[i];
    }
    sort_doubles((size_t)fixings->n, fixings->times);
    for (int i = 0; i < fixings->n; i++)
        if (!n || fixings->times[i] > fixings->times[n - 1])
            fixings->times[n++] = fixings->times[i];
    fixings->n = n;
}

/* ---- what has passed ------------------------------------------------------------------------- */

/* Takes the closes of the dates of a parameter, if any has passed: NaN where one is not known, or
 * will be by the market that the trade is priced in. Returns how many have passed. */
static int take_closes(struct reader *reader, struct bound *bound)
{
    const struct trade *trade = reader->trade;
    int n_assets = trade->n_assets, passed = 0;
    long day;
    while (passed < bound->n && bound->values[passed] < 0.0) passed++;
    if (!bound->n || bound->values[0] > 0.0) return passed;
    bound->closes = reader_array(reader, (size_t)(bound->n * n_assets), sizeof(double));
    for (int i = 0; bound->closes && i < bound->n * n_assets; i++) {
        double years = bound->values[i / n_assets];
        bool known = years < 0.0 && reader->fixings && reader->dated == DATED &&
                     is_whole_day(reader, years, &day);
        bound->closes[i] = NAN;
        if (years == 0.0 && trade->expiry == 0.0) bound->closes[i] = trade->today[i % n_assets];
        else if (known)
            bound->closes[i] =
                fixings_close(reader->fixings, trade_asset(trade, i % n_assets), day);
    }
    return passed;
}

/* Complains of a number that is the spot of today where the trade has lived before. */
static void check_spots_of_today(struct reader *reader)
{
    const struct script_keys *keys = &reader->script->keys;
    for (int row = 0; row < keys->table.n; row++) {
        int parameter = keys->rows[row].parameter;
        if (parameter < 0 || reader->parameters.at[row] ||
            !symbol_of(reader, parameter)->fallback_spot)
            continue;
        complain(reader, reader->group,
                 "%s is missing: it would be the spot of today, and %s with dates before the "
                 "valuation date must have it",
                 keys->keys[row].name, keys->rules.owner);
    }
}

static void complain_of_close(struct reader *reader, const struct script_past *past)
{
    char date[DATE_ROOM];
    long day;
    const char *asset = reader->assets[trade_asset(reader->trade, past->missing_asset)].name;
    const char *name = symbol_of(reader, past->missing_parameter)->name;
    double years = bound_of(reader, past->missing_parameter)->values[past->missing_date];
    if (reader->dated != DATED || !is_whole_day(reader, years, &day))
        complain(reader, reader->group,
                 "%s has %.10g, before today: write it as a date, as \"2026-06-18\", so that the "
                 "book's fixings can say what '%s' was",
                 name, years, asset);
    else if (reader->fixings)
        complain(reader, reader->group, "%s has no fixing of '%s' on %s, a date of %s: add it",
                 reader->fixings->name, asset, date_write(day, date), name);
    else
        complain(reader, reader->group,
                 "%s has %s, before the valuation date %s: write fixings = \"FILE.csv\"; at the "
                 "book's outermost level, a file with the close of '%s' on that day",
                 name, date_write(day, date), reader->valuation_date, asset);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Takes what the past has left: payments on their way, or an end. */
static void take_past(struct reader *reader, const struct script_past *past)
{
    const struct program *program = &reader->trade->scripted->program;
    for (int i = 0; i < past->n_payments; i++) {
        const struct script_payment *payment = &past->payments[i];
        double amount = payment->amount;
        for (; i + 1 < past->n_payments && payment[1].years == payment->years; i++, payment++)
            amount += payment[1].amount; /* of one day */
        owe(reader, day_at(reader, payment->years), amount);
    }
    if (!past->stopped || !program->ended) return;
    reader->expired = true;
    reader->called = reader->valuation_day + lround(365.0 * past->stopped_at);
}

static void compile(struct reader *reader)
{
    struct scripted *scripted = reader->trade->scripted;
    struct script_past past = {.missing_parameter = -1};
    struct message why = {""};
    enum status status = script_compile(&scripted->binding, &scripted->program, &past, &why);
    if (status == STATUS_NO_MEMORY) reader->status = status;
    else if (status && past.missing_parameter >= 0) complain_of_close(reader, &past);
    else if (status) complain(reader, reader->group, "%s: %s", reader->script->where, why.text);
    else take_past(reader, &past);
    if (!status && scripted->program.blind)
        remark(reader, reader->group,
               "line %d of its script watches from before today: what was seen until today has to "
               "stand in a parameter of the trade",
               scripted->program.blind);
    if (!status && scripted->program.crowded)
        remark(
            reader, reader->group,
            "line %d of its script decides by %d numbers, and has more that tell what is to come: "
            "its price may be a poor bound",
            scripted->program.crowded, POLICY_FEATURES_MOST);
    script_past_free(&past);
}

void bind_script(struct reader *reader)
{
    const struct script *script = reader->script->script;
    struct binding *binding;
    bool expired = reader->expired;
    int passed = 0;
    if (reader->status || reader->dated == DATED_WRONGLY) return; /* the book is not read */
    binding = &reader->trade->scripted->binding;
    binding->n_assets = reader->trade->n_assets;
    binding->today = reader->trade->today;
    if (reader->dated == DATED) binding->day = reader->valuation_day;
    for (int i = 0; i < binding->n_assets; i++) {
        const struct asset *asset = &reader->assets[trade_asset(reader->trade, i)];
        if (model_has(asset->model, REMEMBERS_VARIANCE)) binding->variances |= UINT64_C(1) << i;
    }
    for (int row = 0; row < reader->script->keys.table.n; row++)
        if (reader->script->keys.rows[row].parameter >= 0) bind_row(reader, row);
    if (complains(reader) || reader->status) return;
    take_dates(reader);
    if (expired && paid_on(reader, day_at(reader, reader->trade->expiry)) < reader->valuation_day)
        return;
    if (reader->fixings && reader->fixings->faulty) return;
    int before = reader->complaints->n, stopping = reader->n_stopping;
    for (int p = 0; p < script->n_parameters; p++)
        if (is_date(script->symbols[p].kind)) passed += take_closes(reader, bound_of(reader, p));
    if (passed) check_spots_of_today(reader);
    if (reader->complaints->n == before && !reader->status) compile(reader);
    if (expired && reader->complaints->n > before) take_back_complaints(reader, before, stopping);
}
