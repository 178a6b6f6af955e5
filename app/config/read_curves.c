#include "app/config/read_market.h"

#include <math.h>
#include <stdlib.h>

#include "app/config/values.h"

static const struct value_range curve_time = {RANGE_ABOVE, 0, 100};
static const struct value_range any_rate = {RANGE_ANY, 0, 0};
static const struct value_range volatility_range = {RANGE_ABOVE, 0, 10};

enum { CURVE_TIMES, CURVE_VALUES };

/* The groups { times; zero_rates }, { times; yields } and { times; vols }. */
static const struct key rate_keys[] = {
    [CURVE_TIMES] = {.name = "times", .kind = KEY_KIND_DEFERRED},
    [CURVE_VALUES] = {.name = "zero_rates", .kind = KEY_KIND_DEFERRED},
};
static const struct key yield_keys[] = {
    [CURVE_TIMES] = {.name = "times", .kind = KEY_KIND_DEFERRED},
    [CURVE_VALUES] = {.name = "yields", .kind = KEY_KIND_DEFERRED},
};
static const struct key volatility_keys[] = {
    [CURVE_TIMES] = {.name = "times", .kind = KEY_KIND_DEFERRED},
    [CURVE_VALUES] = {.name = "vols", .kind = KEY_KIND_DEFERRED},
};
const struct key_table rate_curve = {"curve", 2, rate_keys, "times zero_rates"};
const struct key_table yield_curve = {"dividend_curve", 2, yield_keys, "times yields"};
static const struct key_table volatility_table = {"volatility", 2, volatility_keys, "times vols"};

/* Times and values of a curve, both allocated; `times` NULL after a complaint. */
struct curve {
    int n;
    double *times, *values;
    const config_setting_t *at_values;
};

static void curve_free(struct curve *curve)
{
    free(curve->times);
    free(curve->values);
    *curve = (struct curve){0};
}

static struct curve read_curve(struct reader *reader, const config_setting_t *at,
                               const struct key_table *table, struct value_range range)
{
    struct curve curve = {0};
    struct found_keys found;
    int n_values = 0;
    read_group(reader, table, at, NULL, &found);
    curve.at_values = found.at[CURVE_VALUES];
    if (!found.at[CURVE_TIMES] || !found.at[CURVE_VALUES]) return curve;
    const char *name = table->keys[CURVE_VALUES].name;
    curve.times = read_times(reader, found.at[CURVE_TIMES], "times", curve_time, &curve.n);
    curve.values = read_numbers(reader, found.at[CURVE_VALUES], name, range, &n_values);
    if (curve.times && curve.values && n_values != curve.n) {
        complain(reader, curve.at_values, "%s must be as many as times: got %d for %d times", name,
                 n_values, curve.n);
        curve_free(&curve);
    }
    if (!curve.times || !curve.values) curve_free(&curve);
    return curve;
}

static void note(struct reader *reader, enum status status)
{
    if (status == STATUS_NO_MEMORY) reader->status = status;
}

void read_rates(struct reader *reader, const config_setting_t *at, const struct key_table *table,
                double rate, struct term_structure *term)
{
    static const double one_year = 1.0;
    if (!at) {
        note(reader, term_from_rates(term, 1, &one_year, &rate));
        return;
    }
    struct curve curve = read_curve(reader, at, table, any_rate);
    note_per_cent(reader, curve.at_values, table->keys[CURVE_VALUES].name, curve.n, curve.values,
                  DOUBTFUL_RATE);
    if (curve.times) note(reader, term_from_rates(term, curve.n, curve.times, curve.values));
    curve_free(&curve);
}

static void read_flat_volatility(struct reader *reader, const config_setting_t *at,
                                 struct term_structure *variance)
{
    static const double one_year = 1.0;
    double volatility;
    int later;
    if (!read_number(reader, at, "volatility", volatility_range, &volatility)) return;
    note_per_cent(reader, at, "volatility", 1, &volatility, DOUBTFUL_VOLATILITY);
    note(reader, term_from_volatilities(variance, 1, &one_year, &volatility, &later));
}

/* Complains that value i makes the total variance fall, and says from which volatility on it would
 * not. */
static void complain_falling(struct reader *reader, const struct curve *curve, int i)
{
    double least = curve->values[i - 1] * sqrt(curve->times[i - 1] / curve->times[i]);
    complain(
        reader, config_setting_get_elem((config_setting_t *)curve->at_values, (unsigned)i),
        "vols make the total variance fall: at %.10g years it must be at least %.4g, got %.10g",
        curve->times[i], ceil(least * 1e4) / 1e4, curve->values[i]);
}

void read_volatility(struct reader *reader, const config_setting_t *at,
                     struct term_structure *variance)
{
    if (!config_setting_is_group(at)) {
        read_flat_volatility(reader, at, variance);
        return;
    }
    struct curve curve = read_curve(reader, at, &volatility_table, volatility_range);
    int i = 0;
    enum status status = STATUS_OK;
    note_per_cent(reader, curve.at_values, "vols", curve.n, curve.values, DOUBTFUL_VOLATILITY);
    if (curve.times)
        status = term_from_volatilities(variance, curve.n, curve.times, curve.values, &i);
    if (status == STATUS_BAD_INPUT) complain_falling(reader, &curve, i);
    note(reader, status);
    curve_free(&curve);
}

/* ---- cash dividends -------------------------------------------------------------------------- */

enum { DIVIDENDS_MAX = 10000 };

enum { DIVIDEND_TIME, DIVIDEND_AMOUNT, N_DIVIDEND_KEYS };

static const struct key dividend_keys[N_DIVIDEND_KEYS] = {
    [DIVIDEND_TIME] = {"time",
                       KEY_KIND_TIME,
                       .offset = offsetof(struct cash_dividend, time),
                       {RANGE_ABOVE, 0, 100}},
    [DIVIDEND_AMOUNT] = {"amount",
                         KEY_KIND_NUMBER,
                         .offset = offsetof(struct cash_dividend, amount),
                         {RANGE_ABOVE, 0, 0}},
};
static const struct key_table dividend_table = {"a cash dividend", N_DIVIDEND_KEYS, dividend_keys,
                                                "time amount"};

void read_dividends(struct reader *reader, const config_setting_t *list, struct asset *asset)
{
    if (!expect_list(reader, list, "cash_dividends")) return;
    int n = config_setting_length(list);
    if (n > DIVIDENDS_MAX)
        complain(reader, list, "cash_dividends is limited to %d dividends, got %d", DIVIDENDS_MAX,
                 n);
    if (!n || n > DIVIDENDS_MAX) return;
    asset->dividends = calloc((size_t)n, sizeof *asset->dividends);
    if (!asset->dividends) reader->status = STATUS_NO_MEMORY;
    if (!asset->dividends) return;
    asset->n_dividends = n;
    double last = 0.0; /* time of the one before */
    for (int i = 0; i < n; i++) {
        struct found_keys found;
        double *time = &asset->dividends[i].time;
        const config_setting_t *group =
            config_setting_get_elem((config_setting_t *)list, (unsigned)i);
        read_group(reader, &dividend_table, group, &asset->dividends[i], &found);
        if (!found_good(&found, DIVIDEND_TIME)) continue;
        if (*time <= last)
            complain(reader, found.at[DIVIDEND_TIME],
                     "the times of cash_dividends must increase, got %.10g after %.10g", *time,
                     last);
        else if (!times_apart(last, *time))
            complain(reader, found.at[DIVIDEND_TIME],
                     "the times of cash_dividends must be at least %g years (half a minute) apart, "
                     "got %.15g "
                     "after "
                     "%.15g",
                     TIMES_APART, *time, last);
        last = *time;
    }
}
