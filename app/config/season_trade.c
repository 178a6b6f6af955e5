/* What has passed of a trade: as it states it in its group `past`, by `extreme` or `hit`, or else
 * from the closes of its assets on the days of its schedule. */
#include <math.h>

#include "app/config/dates.h"
#include "app/config/csv_reader.h"
#include "app/config/read_trades.h"
#include "app/config/values.h"
#include "models/market/days.h"

/* ---- what a trade states --------------------------------------------------------------------- */

static const struct key count_keys[] = {
    KEY_FIELD("count", COUNT, struct trade, past_count, "fixings taken", FROM(1, 1000000)),
    KEY_FIELD("average", NUMBER, struct trade, past_average,
              "of them, of the averaging of the trade", ABOVE(0, 0)),
};
static const struct key level_keys[] = {
    KEY_FIELD("level", NUMBER, struct trade, past_level,
              "spot at the last date that the trade counts from", ABOVE(0, 0)),
    KEY_FIELD("returns", NUMBER, struct trade, past_returns,
              "sum of the returns of the periods that have ended, as they were clipped",
              .fallback = "0", .doubtful = DOUBTFUL_FRACTION),
};
static const struct key variance_keys[] = {
    KEY_FIELD("years", NUMBER, struct trade, past_years, "that have passed", ABOVE(0, 100)),
    KEY_FIELD("variance", NUMBER, struct trade, past_variance, "realised in them, a year",
              FROM(0, 100)),
    KEY_FIELD("level", NUMBER, struct trade, past_level,
              "spot at the last fixing; that of today where not given", ABOVE(0, 0)),
};
static const struct key observed_keys[] = {
    KEY_FIELD("observations", COUNT, struct trade, past_observations,
              "that were made, none of which called it", FROM(1, 100000)),
    KEY_FIELD("missed", COUNT, struct trade, past_missed, "coupons missed since one was paid",
              FROM(0, 100000), .fallback = "0"),
};

const struct key_table past_tables[N_PRODUCTS] = {
    [PRODUCT_ASIAN] = KEY_TABLE("past", count_keys, .required = "count average"),
    [PRODUCT_FORWARD_START] = {"past", 1, level_keys, .required = "level"},
    [PRODUCT_CLIQUET] = KEY_TABLE("past", level_keys, .required = "level"),
    [PRODUCT_VARIANCE_SWAP] = KEY_TABLE("past", variance_keys, .required = "years variance"),
    [PRODUCT_AUTOCALLABLE] = KEY_TABLE("past", observed_keys, .required = "observations"),
};

/* ---- from closes ----------------------------------------------------------------------------- */

/* Returns the close of the trade's i-th asset on a day; NaN where there is none, after a complaint
 * about the first. */
static double close_of(struct reader *reader, int i, long day)
{
    char date[DATE_ROOM];
    int asset = reader->trade->assets[i];
    double close = fixings_close(reader->fixings, asset, day);
    if (isnan(close) && !reader->unfixed) {
        reader->unfixed = true;
        complain(reader, reader->group, "%s has no fixing of '%s' on %s: add it, or state the past",
                 reader->fixings->name, reader->assets[asset].name, date_write(day, date));
    }
    if (reader->seasoned) note_past_close(reader, i, close);
    return close;
}

static double first_close(struct reader *reader, int passed)
{
    return close_of(reader, 0, reader->rule.passed[passed]);
}

static void season_asian(struct reader *reader)
{
    struct trade *trade = reader->trade;
    int n = reader->rule.n_passed;
    bool geometric = trade->averaging == AVERAGING_GEOMETRIC;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double close = first_close(reader, i);
        sum += geometric ? log(close) : close;
    }
    trade->past_count = n;
    if (n) trade->past_average = geometric ? exp(sum / n) : sum / n;
}

/* Takes the highest close of a fixed call and a floating put, else the lowest. */
static void season_lookback(struct reader *reader)
{
    struct trade *trade = reader->trade;
    bool highest = (trade->option == OPTION_CALL) == (trade->strike_type == STRIKE_FIXED);
    for (int i = 0; i < reader->rule.n_passed; i++) {
        double close = first_close(reader, i);
        if (!i || (highest ? close > trade->extreme : close < trade->extreme))
            trade->extreme = close;
    }
}

bool touches(const struct trade *trade, double close)
{
    if (trade->barrier > 0.0)
        return trade->direction == DIRECTION_UP ? close >= trade->barrier : close <= trade->barrier;
    return close <= trade->lower || close >= trade->upper;
}

static void season_barrier(struct reader *reader)
{
    struct trade *trade = reader->trade;
    bool touch = trade->product == PRODUCT_TOUCH;
    for (int i = 0; i < reader->rule.n_passed && !trade->hit; i++) {
        reader->hit_day = reader->rule.passed[i];
        reader->hit_close = first_close(reader, i);
        trade->hit = touches(trade, reader->hit_close);
        if (trade->hit && trade->pay_at == PAY_AT_HIT)
            owe(reader, reader->hit_day, touch ? trade->cash : trade->rebate);
    }
}

static void season_forward_start(struct reader *reader)
{
    struct trade *trade = reader->trade;
    if (trade->start >= 0.0 || trade->start_in_years) return;
    trade->past_level = close_of(reader, 0, reader->valuation_day + lround(365.0 * trade->start));
}

static void season_cliquet(struct reader *reader)
{
    struct trade *trade = reader->trade;
    for (int i = 0; i < reader->rule.n_passed; i++) {
        double close = first_close(reader, i);
        if (i)
            trade->past_returns +=
                fmin(fmax(close / trade->past_level - 1.0, trade->local_floor), trade->local_cap);
        trade->past_level = close;
    }
}

/* Tells whether a rule of the trade began on a day that has passed. */
static bool has_begun(const struct reader *reader)
{
    return reader->rule.n && reader->rule.days[0] < reader->valuation_day;
}

static void season_variance_swap(struct reader *reader)
{
    struct trade *trade = reader->trade;
    const struct schedule_days *rule = &reader->rule;
    double sum = 0.0;
    if (!has_begun(reader)) {
        if (rule->n_passed)
            complain(reader, reader->group,
                     "fixings cannot tell when the swap began: write fixing_times as a rule with "
                     "from, or state the past");
        return;
    }
    trade->past_level = close_of(reader, 0, rule->days[0]);
    for (int i = 0; i < rule->n_passed; i++) {
        double close = first_close(reader, i), move = log(close / trade->past_level);
        sum += move * move;
        trade->past_level = close;
    }
    trade->past_years = date_years(rule->days[0], reader->valuation_day);
    trade->past_variance = sum / trade->past_years;
}

/* Returns the coupon of an observation that has passed, as a fraction of the notional. */
static double coupon_of(struct reader *reader, int passed)
{
    const config_setting_t *count = reader->found.at[KEY_COUPON_DAY_COUNT],
                           *coupon = reader->found.at[KEY_COUPON];
    int by;
    if (!count || passed >= reader->rule.n || !read_choice(reader, count, day_count_words, &by))
        return reader->trade->coupon;
    return setting_number(coupon) * day_count_years((enum day_count)by, reader->rule.days[passed],
                                                    reader->rule.days[passed + 1]);
}

static void season_autocallable(struct reader *reader)
{
    struct trade *trade = reader->trade;
    if (!reader->rule.n_passed || !trade->initial) return;
    if (!given(reader, KEY_INITIAL)) {
        complain(reader, reader->group,
                 "initial is missing: an autocallable with observations before the valuation date "
                 "must have it");
        return;
    }
    for (int i = 0; i < reader->rule.n_passed; i++) {
        double worst = HUGE_VAL; /* of the spots over `initial` */
        for (int k = 0; k < trade->n_assets; k++) {
            double close = close_of(reader, k, reader->rule.passed[i]);
            worst = isnan(close) ? NAN : fmin(worst, close / trade->initial[k]);
        }
        double paid = worst >= trade->call_level;
        if (worst >= trade->coupon_level) paid += (1 + trade->past_missed) * coupon_of(reader, i);
        if (!isnan(worst)) owe(reader, reader->rule.passed[i], trade->notional * paid);
        if (worst >= trade->call_level) {
            reader->expired = true; /* it has paid, and is over */
            reader->called = reader->rule.passed[i];
            return;
        }
        trade->past_missed =
            trade->memory && worst < trade->coupon_level ? trade->past_missed + 1 : 0;
    }
    trade->past_observations = reader->rule.n_passed;
}

/* Products without a row see no path, or their past has to be stated. */
static void (*const seasons[N_PRODUCTS + 1])(struct reader *) = {
    [PRODUCT_ASIAN] = season_asian,
    [PRODUCT_LOOKBACK] = season_lookback,
    [PRODUCT_BARRIER] = season_barrier,
    [PRODUCT_DOUBLE_BARRIER] = season_barrier,
    [PRODUCT_TOUCH] = season_barrier,
    [PRODUCT_FORWARD_START] = season_forward_start,
    [PRODUCT_CLIQUET] = season_cliquet,
    [PRODUCT_VARIANCE_SWAP] = season_variance_swap,
    [PRODUCT_AUTOCALLABLE] = season_autocallable,
};

/* Tells whether closes say something of the trade's past. */
static bool has_season(const struct reader *reader)
{
    const struct trade *trade = reader->trade;
    return reader->fixings && reader->dated == DATED && trade->assets && seasons[trade->product];
}

/* Returns the setting that states the past of the trade; NULL: none does. */
static const config_setting_t *stated_past(const struct reader *reader)
{
    static const enum trade_key keys[] = {KEY_PAST, KEY_EXTREME, KEY_HIT};
    for (int i = 0; i < 3; i++)
        if (given(reader, keys[i])) return reader->found.at[keys[i]];
    return NULL;
}

/* Says of a trade whose barrier has been touched what became of it, when and by which close. */
static void say_hit(struct reader *reader)
{
    struct trade *trade = reader->trade;
    char text[120], date[DATE_ROOM];
    const char *became = trade->product == PRODUCT_TOUCH ? "touched"
                         : trade->knock == KNOCK_OUT     ? "knocked out"
                                                         : "knocked in";
    if (reader->hit_day)
        snprintf(text, sizeof text, "%s on %s by a close of %.10g", became,
                 date_write(reader->hit_day, date), reader->hit_close);
    else snprintf(text, sizeof text, "%s before the valuation date", became);
    trade->past_event = reader_copy(reader, text);
}

void season_trade(struct reader *reader)
{
    if (has_season(reader) && !stated_past(reader)) {
        reader->seasoned = true;
        if (!reader->fixings->faulty) seasons[reader->trade->product](reader);
    }
    if (reader->trade->hit) say_hit(reader);
}

#define PAST_AGREES 0.01 /* of the closes' own */

void note_contradiction(struct reader *reader)
{
    struct trade *trade = reader->trade;
    const struct trade stated = *trade;
    const config_setting_t *at = stated_past(reader);
    if (!at || !has_season(reader) || reader->fixings->faulty || complains(reader) ||
        trade->product == PRODUCT_AUTOCALLABLE ||
        (trade->product == PRODUCT_VARIANCE_SWAP && !has_begun(reader)))
        return;
    reader->unfixed = true; /* a close that is missing contradicts nothing */
    trade->hit = false;
    trade->pay_at = PAY_AT_EXPIRY; /* nothing is owed anew */
    seasons[trade->product](reader);
    const struct trade seen = *trade;
    *trade = stated;
    reader->unfixed = false;
    /* Dates that are not listed may have seen an extreme further out */
    bool highest = (trade->option == OPTION_CALL) == (trade->strike_type == STRIKE_FIXED),
         further = highest ? stated.extreme > seen.extreme : stated.extreme < seen.extreme;
    const struct {
        const char *name;
        double stated, seen;
    } rows[] = {{"average", stated.past_average, seen.past_average},
                {"extreme", stated.extreme, further ? stated.extreme : seen.extreme},
                {"level", stated.past_level, seen.past_level}};
    for (int i = 0; i < 3; i++)
        if (rows[i].stated > 0.0 && fabs(rows[i].seen / rows[i].stated - 1.0) > PAST_AGREES)
            doubt(reader, at, "%s %.10g is not the %.10g that closes of %s make", rows[i].name,
                  rows[i].stated, rows[i].seen, reader->fixings->name);
    if (seen.hit && !stated.hit)
        doubt(reader, at, "hit is false, and a past close of %s touches", reader->fixings->name);
}

/* ---- dates that have passed ------------------------------------------------------------------ */

/* Notes a variance swap whose rule begins on a day to come: it counts from today's spot. */
static void note_to_begin(struct reader *reader, const config_setting_t *dates)
{
    const config_setting_t *from = member_of(dates, "from");
    long day;
    if (reader->trade->product == PRODUCT_VARIANCE_SWAP && states_date(from, &day) &&
        day > reader->valuation_day)
        doubt(reader, from,
              "from = \"%s\" is still to come, and a variance_swap counts from today's spot: a "
              "corridor_variance_swap has a start",
              config_setting_get_string(from));
}

void check_passed(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    enum trade_key key = 0; /* of its list of dates */
    while (key < N_TRADE_KEYS &&
           !(trade_table.keys[key].kind == KEY_KIND_SCHEDULE && given(reader, key)))
        key++;
    bool counts = trade->product == PRODUCT_ASIAN || trade->product == PRODUCT_AUTOCALLABLE;
    bool began = trade->product == PRODUCT_VARIANCE_SWAP && has_begun(reader);
    if (key < N_TRADE_KEYS) note_to_begin(reader, reader->found.at[key]);
    if (!(reader->rule.n_passed || began) || reader->seasoned || key == KEY_EXERCISE_TIMES) return;
    const char *name = trade_table.keys[key].name, *saw = "past = { ... }";
    bool said = given(reader, KEY_PAST);
    if (key == KEY_MONITORING) {
        saw = "extreme";
        said = trade->product != PRODUCT_LOOKBACK || given(reader, KEY_EXTREME);
        if (trade->product != PRODUCT_LOOKBACK && !given(reader, KEY_HIT))
            doubt(reader, reader->found.at[key],
                  "monitoring has dates before the valuation date %s, which are taken to have "
                  "touched nothing: write hit = false where that is so, or fixings",
                  reader->valuation_date);
    }
    int stated = trade->product == PRODUCT_ASIAN ? trade->past_count : trade->past_observations;
    if (!said && !reader->rule.n_passed)
        complain_key(reader, reader->found.at[key],
                     "begins before the valuation date %s: %s must say what was seen",
                     reader->valuation_date, saw);
    else if (!said)
        complain_key(reader, reader->found.at[key],
                     "has %d date%s before the valuation date %s: %s must say what was seen",
                     reader->rule.n_passed, reader->rule.n_passed == 1 ? "" : "s",
                     reader->valuation_date, saw);
    else if (counts && stated && stated != reader->rule.n_passed)
        complain(reader, reader->found.at[KEY_PAST],
                 "%s must be %d, the dates of %s before the valuation date %s, got %d",
                 trade->product == PRODUCT_ASIAN ? "count" : "observations", reader->rule.n_passed,
                 name, reader->valuation_date, stated);
}
