#include "app/config/values.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "models/base/text.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static bool in_range(double value, struct value_range range)
{
    if (range.rule == RANGE_ABOVE && !(value > range.low)) return false;
    if (range.rule == RANGE_FROM && !(value >= range.low)) return false;
    if (range.rule == RANGE_NOT && value == range.low) return false;
    return range.high == 0.0 || value <= range.high;
}

/* Least size of a number other than 0: products of smaller ones lose their digits. */
#define LEAST_SIZE 1e-100

static char mark_of(const config_setting_t *at)
{
    const char *text = config_setting_get_string(at);
    return text ? text_mark(text) : '\0';
}

bool refuse_type(struct reader *reader, const config_setting_t *at, const char *wanted)
{
    char got[VALUE_ROOM];
    show_value(at, got);
    if (mark_of(at) != TEXT_MARK_WIDE)
        complain_key(reader, at, "must be %s, got %s", wanted, show_value(at, got));
    else if (strchr(got, 'L'))
        complain_key(reader, at, "must be %s that fits 64 bits, got %s", wanted, got);
    else
        complain_key(reader, at, "must be %s, and an integer beyond 32 bits ends in L: %s does not",
                     wanted, got);
    return false;
}

/* Refuses a number outside its range; `unit` is empty or " years". */
static bool refuse_range(struct reader *reader, const config_setting_t *at,
                         struct value_range range, const char *unit)
{
    static const char *const rules[] = {"", ">", ">=", "other than"};
    char got[VALUE_ROOM], low[64] = "", high[48] = "";
    if (range.rule != RANGE_ANY)
        snprintf(low, sizeof low, " %s %.15g", rules[range.rule], range.low);
    if (range.high != 0.0)
        snprintf(high, sizeof high, "%s at most %.15g", low[0] ? " and" : "", range.high);
    complain_key(reader, at, "must be%s%s%s, got %s", low, high, unit, show_value(at, got));
    return false;
}

static bool read_quantity(struct reader *reader, const config_setting_t *at,
                          struct value_range range, const char *unit, double *value)
{
    if (!config_setting_is_number(at)) return refuse_type(reader, at, "a number");
    double number = setting_number(at);
    if (!isfinite(number)) return refuse_type(reader, at, "a finite number");
    if (!in_range(number, range)) return refuse_range(reader, at, range, unit);
    if (number != 0.0 && fabs(number) < LEAST_SIZE) {
        complain_key(reader, at, "must be 0 or at least %.15g in size, got %.15g", LEAST_SIZE,
                     number);
        return false;
    }
    *value = number;
    return true;
}

double in_percent(double value)
{
    return fmax(-DBL_MAX, fmin(100.0 * value, DBL_MAX));
}

void note_per_cent(struct reader *reader, const config_setting_t *at, int n, const double *values,
                   double most)
{
    for (int i = 0; values && i < n; i++) {
        if (!(fabs(values[i]) > most)) continue;
        doubt(reader, config_setting_is_list(at) ? element_of(at, i) : at,
              "%s %.10g is %.10g %%: %.10g %% is written %.10g", setting_key(at), values[i],
              in_percent(values[i]), values[i], values[i] / 100.0);
        return;
    }
}

void note_variance(struct reader *reader, const config_setting_t *at, const char *name,
                   double variance)
{
    if (sqrt(variance) > DOUBTFUL_VOLATILITY)
        doubt(reader, at,
              "%s %.10g is a variance, whose volatility is %.4g %%: one of 20 %% is written 0.04",
              name, variance, in_percent(sqrt(variance)));
}

bool read_number(struct reader *reader, const config_setting_t *at, struct value_range range,
                 double *value)
{
    return read_quantity(reader, at, range, "", value);
}

bool read_whole(struct reader *reader, const config_setting_t *at, struct value_range range,
                int64_t *value)
{
    double real = config_setting_get_float(at);
    bool is_real = config_setting_type(at) == CONFIG_TYPE_FLOAT;
    /* One such as 1e6 is a whole one, and no other was meant by it */
    if (!config_setting_is_number(at) ||
        (is_real && !(fabs(real) <= 0x1p53 && real == floor(real))))
        return refuse_type(reader, at, "a whole number");
    int64_t number = is_real ? (int64_t)real : config_setting_get_int64(at);
    if (!in_range((double)number, range)) return refuse_range(reader, at, range, "");
    *value = number;
    return true;
}

bool read_bool(struct reader *reader, const config_setting_t *at, bool *value)
{
    if (config_setting_type(at) != CONFIG_TYPE_BOOL)
        return refuse_type(reader, at, "true or false");
    *value = config_setting_get_bool(at) != 0;
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

const char *read_text(struct reader *reader, const config_setting_t *at)
{
    char got[VALUE_ROOM];
    const char *text = at ? config_setting_get_string(at) : NULL;
    if (!at || (text && !mark_of(at))) return text;
    show_value(at, got);
    if (text) complain_key(reader, at, "must be in quotes: \"%s\"", got);
    else complain_key(reader, at, "must be a text in quotes, got %s", show_value(at, got));
    return NULL;
}

const char *read_name(struct reader *reader, const config_setting_t *at)
{
    char wanted[TEXT_FAULT_ROOM];
    const char *text = read_text(reader, at), *fault = text ? text_fault(text) : NULL;
    bool fits = text && *text && !text[text_bytes(text, NAME_CHARACTERS)];
    if (!text || (fits && !fault)) return text;
    int shown = text_bytes(text, NAME_CHARACTERS + 6);
    if (fault)
        complain_key(reader, at,
                     "must be 1 to %d printable characters, got \"%.*s\", in which %s is none",
                     NAME_CHARACTERS, shown, text, text_name_fault(fault, wanted));
    else
        complain_key(reader, at, "must be 1 to %d printable characters, got \"%.*s\"",
                     NAME_CHARACTERS, shown, text);
    return NULL;
}

bool read_choice(struct reader *reader, const config_setting_t *at, const char *words, int *value)
{
    char right[600] = "", hint[HINT_ROOM], got[VALUE_ROOM];
    const char *word = config_setting_get_string(at);
    struct nearest nearest = {.wanted = word ? word + (mark_of(at) != '\0') : ""};
    int index = word ? word_index(words, nearest.wanted, strlen(nearest.wanted)) : -1;
    if (index >= 0 && mark_of(at))
        complain_key(reader, at, "must be in quotes: \"%s\"", nearest.wanted);
    else if (index >= 0) *value = index;
    for (size_t n; index < 0 && (n = next_word(&words)); words += n) {
        char known[VALUE_ROOM], quoted[VALUE_ROOM + 2];
        if (*words == '-') continue;
        snprintf(known, sizeof known, "%.*s", (int)n, words);
        snprintf(quoted, sizeof quoted, "\"%s\"", known);
        list_word(right, sizeof right, " or ", quoted);
        nearest_try(&nearest, known);
    }
    if (index < 0)
        complain_key(reader, at, "must be %s, got %s%s", right, show_value(at, got),
                     nearest_hint(&nearest, hint));
    return index >= 0 && !mark_of(at);
}

/* ---- times ----------------------------------------------------------------------------------- */

bool read_day_or_tenor(struct reader *reader, const config_setting_t *at, long *day)
{
    const char *text = read_text(reader, at);
    if (!text || reader->dated == DATED_WRONGLY) return false; /* that complaint is enough */
    if (!date_or_tenor_read(text, reader->valuation_day, reader->holidays, reader->spot_days,
                            day)) {
        complain_key(reader, at,
                     "must be a date of the calendar like \"2027-06-18\" or a tenor like \"6M\", "
                     "\"2Y\" or \"IMM\", got \"%.40s\"",
                     text);
        return false;
    }
    if (reader->dated == DATED) {
        note_unknown_year(reader, at, setting_key(at), reader->holidays, *day);
        return true;
    }
    complain_key(reader, at,
                 "\"%s\" needs a valuation date: write valuation_date = \"2026-11-20\";", text);
    return false;
}

bool states_date(const config_setting_t *at, long *day)
{
    const char *text = at ? config_setting_get_string(at) : NULL;
    return text && date_read(text, day);
}

bool read_date(struct reader *reader, const config_setting_t *at, long *day)
{
    const char *text = read_text(reader, at);
    if (!text) return false;
    if (date_read(text, day)) return true;
    complain_key(reader, at, "must be a date of the calendar like \"2027-06-18\", got \"%.40s\"",
                 text);
    return false;
}

bool times_are_distinct(double before, double after)
{
    /* As differences of two doubles are rounded */
    return after - before >= TIMES_APART * (1.0 - 1e-7);
}

bool read_time(struct reader *reader, const config_setting_t *at, struct value_range range,
               double *years)
{
    char got[VALUE_ROOM];
    long day;
    if (reader->expired) range = (struct value_range){RANGE_ANY, 0, 0};
    if (config_setting_type(at) == CONFIG_TYPE_STRING && !mark_of(at)) {
        if (!read_day_or_tenor(reader, at, &day)) return false;
        *years = date_years(reader->valuation_day, day);
        if (in_range(*years, range)) return true;
        const char *rule = *years > 0.0                ? "within 100 years of"
                           : range.rule == RANGE_ABOVE ? "after"
                                                       : "on or after";
        complain_key(reader, at, "must be %s the valuation date %s, got %s", rule,
                     reader->valuation_date, config_setting_get_string(at));
        return false;
    }
    if (!config_setting_is_number(at))
        return refuse_type(reader, at, "years, or a date in quotes like \"2027-06-18\"");
    if (!read_quantity(reader, at, range, " years", years)) return false;
    if (reader->expired || *years <= 0.0 || times_are_distinct(0.0, *years)) return true;
    complain_key(reader, at, "must be %s%g years (half a minute), got %s",
                 range.rule == RANGE_ABOVE ? ">= " : "0 or >= ", TIMES_APART, show_value(at, got));
    return false;
}

const char *show_time(const struct reader *reader, const config_setting_t *at, double years,
                      char text[VALUE_ROOM])
{
    char date[DATE_ROOM];
    if (at && config_setting_get_string(at)) return show_value(at, text);
    if (at && config_setting_is_group(at))
        snprintf(text, VALUE_ROOM, "\"%s\"",
                 date_write(reader->valuation_day + lround(365.0 * years), date));
    else snprintf(text, VALUE_ROOM, "%.10g", years);
    return text;
}

/* ---- references ------------------------------------------------------------------------------ */

const char *market_name(const struct reader *reader, bool currency, int i)
{
    return currency ? reader->currencies[i].name : reader->assets[i].name;
}

/* Hints are left out where they are not worth their time: past so many complaints and names nobody
 * reads them, and they would cost the square of the book. */
int read_reference(struct reader *reader, const config_setting_t *at, bool currency)
{
    char hint[HINT_ROOM];
    const char *text = read_text(reader, at), *known;
    const struct names *names = currency ? &reader->currency_names : &reader->asset_names;
    int index = text ? names_find(names, text) : -1;
    int n = currency ? reader->n_currencies : reader->n_assets;
    if (!text || index >= 0 || !n) return index; /* none at all: complained of already */
    struct nearest nearest = {.wanted = text};
    for (int i = 0; i < n && (reader->complaints->n < 100 || n < 100); i++)
        if ((known = market_name(reader, currency, i))) nearest_try(&nearest, known);
    complain_key(reader, at, "'%.*s' is no %s of the market%s", text_bytes(text, NAME_CHARACTERS),
                 text, currency ? "currency" : "asset", nearest_hint(&nearest, hint));
    return -1;
}

int *read_asset_list(struct reader *reader, const config_setting_t *at, int most, int *n)
{
    char got[VALUE_ROOM];
    bool is_list = config_setting_is_list(at), good = true;
    *n = is_list ? config_setting_length(at) : 0;
    if (*n < 1 || *n > most) {
        if (*n > most) snprintf(got, sizeof got, "%d", *n);
        complain_key(reader, at, "must be a list [\"A\", ...] of 1 to %d names, got %s", most,
                     *n > most ? got : show_value(at, got));
        return NULL;
    }
    int *assets = reader_array(reader, (size_t)*n, sizeof *assets);
    for (int i = 0; assets && good && i < *n; i++) {
        const config_setting_t *element = element_of(at, i);
        assets[i] = read_reference(reader, element, false);
        good = assets[i] >= 0;
        for (int j = 0; j < i && good; j++) {
            good = assets[j] != assets[i];
            if (!good)
                complain_key(reader, element, "must be different ones, got '%s' twice",
                             reader->assets[assets[i]].name);
        }
    }
    if (good) return assets;
    free(assets);
    return NULL;
}

/* ---- lists ----------------------------------------------------------------------------------- */

typedef bool read_element(struct reader *, const config_setting_t *, struct value_range, double *);

static double *read_list(struct reader *reader, const config_setting_t *at,
                         struct value_range range, int *n, read_element *read_one)
{
    char got[VALUE_ROOM];
    *n = 0;
    if (!at) return NULL;
    if (!config_setting_is_list(at) || config_setting_length(at) == 0) {
        complain_key(reader, at, "must be a list [..., ...] of at least one, got %s",
                     show_value(at, got));
        return NULL;
    }
    *n = config_setting_length(at);
    double *values = reader_array(reader, (size_t)*n, sizeof *values);
    for (int i = 0; values && i < *n; i++) {
        if (read_one(reader, element_of(at, i), range, &values[i])) continue;
        free(values);
        return NULL;
    }
    return values;
}

double *read_numbers(struct reader *reader, const config_setting_t *at, struct value_range range,
                     int *n)
{
    return read_list(reader, at, range, n, read_number);
}

/* Returns the values themselves where they increase, as `apart` by TIMES_APART; else frees them. */
static double *must_increase(struct reader *reader, const config_setting_t *at, bool apart, int n,
                             double *values)
{
    char got[VALUE_ROOM], last[VALUE_ROOM];
    bool good = true;
    for (int i = 1; values && good && i < n; i++) {
        const config_setting_t *one = element_of(at, i), *before = element_of(at, i - 1);
        good = values[i] > values[i - 1];
        if (!good)
            complain_key(reader, one, "must increase, got %s after %s",
                         show_time(reader, one, values[i], got),
                         show_time(reader, before, values[i - 1], last));
    }
    for (int i = 1; values && apart && good && i < n; i++) {
        good = times_are_distinct(values[i - 1], values[i]);
        if (!good)
            complain_key(reader, element_of(at, i),
                         "must be at least %g years (half a minute) apart, got %.15g after %.15g",
                         TIMES_APART, values[i], values[i - 1]);
    }
    if (good) return values;
    free(values);
    return NULL;
}

double *read_rising(struct reader *reader, const config_setting_t *at, struct value_range range,
                    int *n)
{
    double *numbers = read_list(reader, at, range, n, read_number);
    return must_increase(reader, at, false, *n, numbers);
}

double *read_times(struct reader *reader, const config_setting_t *at, struct value_range range,
                   int *n)
{
    if (at && config_setting_is_group(at)) return read_rule_times(reader, at, n);
    double *times = read_list(reader, at, range, n, read_time);
    return must_increase(reader, at, true, *n, times);
}
