#include "app/config/read_market.h"

#include <math.h>
#include <stdlib.h>

#include "app/config/values.h"
#include "models/market/days.h"

static const struct value_range curve_time = {RANGE_ABOVE, 0, 100};
static const struct value_range any_rate = {RANGE_ANY, 0, 0};
static const struct value_range factor_range = {RANGE_ABOVE, 0, 0};
static const struct value_range volatility_range = {RANGE_ABOVE, 0, 10};

/* Times and values of a curve, both allocated; `times` NULL after a complaint. */
struct curve {
    int n;
    double *times, *values;
    const config_setting_t *at_times, *at_values;
    const config_setting_t *at_day_count; /* NULL where not given: ACT/365F */
    enum day_count day_count;
    bool has_factors; /* the values are discount factors */
    double scale;     /* of forward points, in one unit of money */
};

/* The groups { times; zero_rates }, { times; yields } and { times; vols }: the values are row 1. */
static const struct key rate_keys[] = {
    KEY_TIMES("increasing"),
    KEY_DEFERRED("zero_rates", FORM_NUMBERS, "per year, continuously compounded"),
    KEY_FIELD("day_count", CHOICE, struct curve, day_count,
              "how the years of the zero rates are counted; the times are then dates or tenors",
              .words = day_count_words, .fallback = "ACT/365F"),
    KEY_DEFERRED("discount_factors", FORM_NUMBERS, "of money at the times, for money today",
                 .same_as = "zero_rates"),
};
static const struct key yield_keys[] = {
    KEY_TIMES("increasing"),
    KEY_DEFERRED("yields", FORM_NUMBERS, "per year, continuously compounded"),
    KEY_FIELD("day_count", CHOICE, struct curve, day_count,
              "how the years of the yields are counted; the times are then dates or tenors",
              .words = day_count_words, .fallback = "ACT/365F"),
};
static const struct key forward_keys[] = {
    KEY_TIMES("increasing"),
    KEY_DEFERRED("prices", FORM_NUMBERS, "forward prices at the times"),
};
static const struct key point_keys[] = {
    KEY_TIMES("increasing"),
    KEY_DEFERRED("points", FORM_NUMBERS, "the forward is the spot and points over scale"),
    KEY_FIELD("scale", NUMBER, struct curve, scale, "of the points", ABOVE(0, 1e9),
              .fallback = "10000"),
};
static const struct key volatility_keys[] = {
    KEY_TIMES("increasing"),
    KEY_DEFERRED("vols", FORM_NUMBERS,
                 "Black volatilities to the times; total variance must not fall"),
};
const struct key_table rate_curve = KEY_TABLE("curve", rate_keys, .required = "times zero_rates");
const struct key_table basis_curve =
    KEY_TABLE("basis_curve", yield_keys, .required = "times yields");
const struct key_table forward_table =
    KEY_TABLE("forwards", forward_keys, .required = "times prices");
const struct key_table point_table =
    KEY_TABLE("forward_points", point_keys, .required = "times points");
const struct key_table yield_curve =
    KEY_TABLE("dividend_curve", yield_keys, .required = "times yields");
const struct key_table volatility_table = KEY_TABLE(
    "volatility", volatility_keys, .required = "times vols", .alternative = &surface_table);

static void curve_free(struct curve *curve)
{
    free(curve->times);
    free(curve->values);
    *curve = (struct curve){0};
}

static struct curve read_curve(struct reader *reader, const config_setting_t *at,
                               const struct key_table *table, struct value_range range)
{
    struct curve curve = {.scale = 10000.0, .at_times = member_of(at, "times")};
    const config_setting_t *factors =
        table == &rate_curve ? member_of(at, "discount_factors") : NULL;
    int n_values;
    uint64_t good = read_group(reader, table, at, &curve);
    curve.has_factors = factors;
    curve.at_values = factors ? factors : member_of(at, table->keys[1].name);
    if (factors) range = factor_range;
    if (read_well(table, good, "day_count")) curve.at_day_count = member_of(at, "day_count");
    if (!curve.at_times || !curve.at_values) return curve;
    curve.times = read_times(reader, curve.at_times, curve_time, &curve.n);
    curve.values = read_numbers(reader, curve.at_values, range, &n_values);
    if (curve.times && curve.values && n_values != curve.n) {
        complain_key(reader, curve.at_values, "must be as many as times: got %d for %d times",
                     n_values, curve.n);
        curve_free(&curve);
    }
    if (!curve.times || !curve.values) curve_free(&curve);
    return curve;
}

/* Makes rates by another day count rates by ACT/365F, which counts every time of a book. */
static void count_years(struct reader *reader, struct curve *curve)
{
    bool rule = config_setting_is_group(curve->at_times);
    if (curve->has_factors)
        complain(
            reader, curve->at_day_count,
            "day_count contradicts discount_factors, which are no rates: leave one of the two out");
    for (int i = 0; i < curve->n && !curve->has_factors; i++) {
        const config_setting_t *at = rule ? NULL : element_of(curve->at_times, i);
        if (at && config_setting_is_number(at)) {
            complain(reader, at,
                     "times must be dates or tenors in quotes like \"6M\" where there is a "
                     "day_count, got %.10g",
                     curve->times[i]);
            return;
        }
        long day = reader->valuation_day + lround(365.0 * curve->times[i]);
        curve->values[i] *=
            day_count_years(curve->day_count, reader->valuation_day, day) / curve->times[i];
    }
}

/* Makes discount factors rates, and notes the first that makes a doubtful one. */
static void take_factors(struct reader *reader, struct curve *curve)
{
    bool noted = false;
    for (int i = 0; i < curve->n; i++) {
        double factor = curve->values[i], rate = -log(factor) / curve->times[i];
        curve->values[i] = rate;
        if (noted || rate <= DOUBTFUL_RATE) continue;
        doubt(reader, element_of(curve->at_values, i),
              "discount_factors %.10g at %.6g years is a rate of %.4g %%: a rate itself is one of "
              "zero_rates",
              factor, curve->times[i], in_percent(rate));
        noted = true;
    }
}

void read_rates(struct reader *reader, const config_setting_t *at, const struct key_table *table,
                double rate, struct term_structure *term)
{
    static const double one_year = 1.0;
    if (!at) note_memory(reader, term_from_rates(term, 1, &one_year, &rate));
    if (!at) return;
    struct curve curve = read_curve(reader, at, table, any_rate);
    note_per_cent(reader, curve.at_values, curve.n, curve.values,
                  curve.has_factors ? DOUBTFUL_FACTOR : DOUBTFUL_RATE);
    if (curve.has_factors) take_factors(reader, &curve);
    if (curve.at_day_count) count_years(reader, &curve);
    if (curve.times) note_memory(reader, term_from_rates(term, curve.n, curve.times, curve.values));
    curve_free(&curve);
}

/* Notes a forward whose growth a year, or before that in all, no rate or yield makes; tells whether
 * it did. */
static bool note_growth(struct reader *reader, const config_setting_t *at, double t, double price,
                        double spot)
{
    double growth = log(price / spot);
    if (fabs(growth) <= DOUBTFUL_RATE * fmax(t, 1.0)) return false;
    doubt(reader, at, "the forward %.10g at %.6g years is %.4g times the spot, %.10g", price, t,
          price / spot, spot);
    return true;
}

#define DOUBTFUL_BASIS 0.02       /* a year: the bases of large currencies are under 0.01 */
#define DOUBTFUL_BASIS_LEAST 0.01 /* in all: over a few days one quote makes a large basis */

/* Does the same for a forward of an exchange rate that is far from `parity`, which the curves of
 * its two currencies make. */
static bool note_basis(struct reader *reader, const config_setting_t *at, double t, double price,
                       double parity, const struct asset *asset)
{
    double apart = log(price / parity);
    if (fabs(apart) <= fmax(DOUBTFUL_BASIS * t, DOUBTFUL_BASIS_LEAST)) return false;
    doubt(reader, at,
          "the forward %.10g at %.6g years is %.3g %% from the %.10g that the rates of %s and %s "
          "make: perhaps it has the wrong sign or scale",
          price, t, in_percent(expm1(apart)), parity,
          reader->currencies[asset->foreign_currency].name,
          reader->currencies[asset->currency].name);
    return true;
}

void read_forwards(struct reader *reader, const config_setting_t *at, bool points,
                   const struct term_structure *rate, struct asset *asset)
{
    const struct key_table *table = points ? &point_table : &forward_table;
    struct curve curve = read_curve(reader, at, table, points ? any_rate : factor_range);
    struct term_structure foreign = {0};
    bool noted = false;
    if (asset->foreign_currency >= 0) foreign = asset->yield;
    else term_free(&asset->yield);
    asset->yield = (struct term_structure){0};
    for (int i = 0; curve.times && i < curve.n; i++) {
        const config_setting_t *at_value = element_of(curve.at_values, i);
        double t = curve.times[i], *value = &curve.values[i], growth = term_accrued(rate, t),
               price = points ? asset->spot + *value / curve.scale : *value;
        if (price > 0.0) {
            if (!noted && foreign.n)
                noted = note_basis(reader, at_value, t, price,
                                   asset->spot * exp(growth - term_accrued(&foreign, t)), asset);
            else if (!noted) noted = note_growth(reader, at_value, t, price, asset->spot);
            *value = (growth - log(price / asset->spot)) / t;
            continue;
        }
        complain(reader, at_value,
                 "points make a forward of %.10g at %.10g years: spot + points / scale must be > 0",
                 price, t);
        curve_free(&curve);
    }
    term_free(&foreign);
    if (curve.times)
        note_memory(reader, term_from_rates(&asset->yield, curve.n, curve.times, curve.values));
    curve_free(&curve);
}

void read_basis(struct reader *reader, const config_setting_t *at, double rate, struct asset *asset)
{
    struct term_structure basis = {0};
    read_rates(reader, at, &basis_curve, rate, &basis);
    if (basis.n && asset->yield.n) note_memory(reader, term_add(&asset->yield, 1.0, &basis));
    term_free(&basis);
}

void read_volatility(struct reader *reader, const config_setting_t *at,
                     struct term_structure *variance)
{
    static const double one_year = 1.0;
    bool flat = !config_setting_is_group(at);
    double volatility;
    struct curve curve = {0};
    int i = 0;
    enum status status = STATUS_OK;
    if (!flat) {
        curve = read_curve(reader, at, &volatility_table, volatility_range);
        note_per_cent(reader, curve.at_values, curve.n, curve.values, DOUBTFUL_VOLATILITY);
    } else if (read_number(reader, at, volatility_range, &volatility)) {
        note_per_cent(reader, at, 1, &volatility, DOUBTFUL_VOLATILITY);
        status = term_from_volatilities(variance, 1, &one_year, &volatility, &i);
    }
    if (curve.times)
        status = term_from_volatilities(variance, curve.n, curve.times, curve.values, &i);
    if (status == STATUS_BAD_INPUT) { /* from which volatility on would it not fall? */
        double least = curve.values[i - 1] * sqrt(curve.times[i - 1] / curve.times[i]);
        complain(
            reader, element_of(curve.at_values, i),
            "vols make the total variance fall: at %.10g years it must be at least %.4g, got %.10g",
            curve.times[i], ceil(least * 1e4) / 1e4, curve.values[i]);
    }
    note_memory(reader, status);
    curve_free(&curve);
}

/* ---- dividends ------------------------------------------------------------------------------- */

enum { DIVIDENDS_MAX = 10000 };

static const struct key dividend_keys[] = {
    KEY_FIELD("time", TIME, struct cash_dividend, time, "when it is paid", ABOVE(0, 100)),
    KEY_FIELD("amount", NUMBER, struct cash_dividend, amount,
              "by which the spot then falls, in the currency of the asset", ABOVE(0, 0)),
};
static const struct key fraction_keys[] = {
    KEY_FIELD("time", TIME, struct cash_dividend, time, "when it is paid", ABOVE(0, 100)),
    KEY_FIELD("fraction", NUMBER, struct cash_dividend, amount,
              "of the spot, by which it then falls", ABOVE(0, 0.9)),
};
const struct key_table dividend_table =
    KEY_TABLE("a cash dividend", dividend_keys, .required = "time amount");
const struct key_table fraction_table =
    KEY_TABLE("a proportional dividend", fraction_keys, .required = "time fraction");

/* Reads a list ( { time; amount or fraction; }, ... ) whose times increase. Returns how many there
 * are; `dividends` is then the caller's to free. */
static int read_list(struct reader *reader, const config_setting_t *list,
                     const struct key_table *table, struct cash_dividend **dividends)
{
    int n = list_length(reader, list, DIVIDENDS_MAX, " dividends");
    *dividends = n ? reader_array(reader, (size_t)n, sizeof **dividends) : NULL;
    if (!*dividends) return 0;
    double last = 0.0; /* time of the one before */
    for (int i = 0; i < n; i++) {
        const config_setting_t *group = element_of(list, i);
        uint64_t good = read_group(reader, table, group, &(*dividends)[i]);
        double time = (*dividends)[i].time;
        if (!read_well(table, good, "time")) continue;
        if (time <= last)
            complain(reader, member_of(group, "time"),
                     "the times of %s must increase, got %.10g after %.10g",
                     config_setting_name(list), time, last);
        else if (!times_are_distinct(last, time))
            complain(reader, member_of(group, "time"),
                     "the times of %s must be at least %g years (half a minute) apart, "
                     "got %.15g after %.15g",
                     config_setting_name(list), TIMES_APART, time, last);
        last = time;
    }
    return n;
}

void read_dividends(struct reader *reader, const config_setting_t *list, struct asset *asset)
{
    asset->n_dividends = read_list(reader, list, &dividend_table, &asset->dividends);
    for (int i = 0; i < asset->n_dividends && asset->spot > 0.0; i++) {
        if (!(asset->dividends[i].amount > asset->spot)) continue;
        doubt(reader, member_of(element_of(list, i), "amount"),
              "amount %.10g of a cash dividend is more than the spot, %.10g",
              asset->dividends[i].amount, asset->spot);
        return;
    }
}

/* Adds the falls of an asset to its yield. One yield for all times has no date of its own. */
static enum status add_falls(struct asset *asset)
{
    struct term_structure *yield = &asset->yield;
    MUST(term_copy(&asset->steady_yield, yield));
    if (yield->n == 1) {
        yield->time[0] = asset->falls.time[0];
        yield->accrued[0] = yield->beyond * yield->time[0];
    }
    return term_add(yield, 1.0, &asset->falls);
}

void take_falls(struct reader *reader, const struct term_structure *falls, struct asset *asset)
{
    if (falls->n) note_memory(reader, term_copy(&asset->falls, falls));
    if (asset->falls.n && asset->yield.n) note_memory(reader, add_falls(asset));
}

void read_fractions(struct reader *reader, const config_setting_t *list, struct asset *asset)
{
    struct cash_dividend *dividends;
    struct term_structure *falls = &asset->falls;
    int before = reader->n_stopping, n = read_list(reader, list, &fraction_table, &dividends);
    if (!n) return;
    falls->time = reader_array(reader, 2 * (size_t)n, sizeof *falls->time);
    falls->accrued = reader_array(reader, 2 * (size_t)n, sizeof *falls->accrued);
    double fallen = 0.0;
    for (int i = 0; i < n && falls->time && falls->accrued; i++) {
        double time = dividends[i].time;
        falls->time[falls->n] = fmax(time - FALL_YEARS, 0.5 * time);
        falls->accrued[falls->n++] = fallen;
        fallen -= log1p(-dividends[i].amount);
        falls->time[falls->n] = time;
        falls->accrued[falls->n++] = fallen;
    }
    free(dividends);
    if (asset->yield.n && reader->n_stopping == before) note_memory(reader, add_falls(asset));
}
