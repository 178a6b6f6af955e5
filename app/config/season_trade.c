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

/* Returns the close of the trade's i-th asset on a day; NaN where there is none. Complains of the
 * first that is missing to a past that is taken from closes. */
static double close_of(struct reader *reader, int i, long day)
{
    char date[DATE_ROOM];
    int asset = reader->trade->assets[i];
    double close = fixings_close(reader->fixings, asset, day);
    const char *weekend = date_weekend(day);
    if (isnan(close) && reader->seasoned && !reader->unfixed)
        complain(reader, reader->group,
                 "%s has no fixing of '%s' on %s%s%s: add it, or state the past",
                 reader->fixings->name, reader->assets[asset].name, date_write(day, date),
                 weekend ? ", a " : "", weekend ? weekend : "");
    if (isnan(close)) reader->unfixed = true;
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

/* Tells whether closes show what the trade states: there are dates that have passed. */
static bool closes_tell(const struct reader *reader)
{
    enum product product = reader->trade->product;
    if (product == PRODUCT_VARIANCE_SWAP) return has_begun(reader);
    return product == PRODUCT_FORWARD_START || reader->rule.n_passed;
}

#define PAST_AGREES 0.01  /* of the stated */
#define LEAST_RETURN 0.01 /* nearer to 0, returns agree as this one does */

/* Notes numbers that are not those of the closes. With a close missing some of those are NaN, and
 * contradict nothing. */
static void note_numbers(struct reader *reader, const config_setting_t *at,
                         const struct trade *stated, const struct trade *seen)
{
    /* Dates that are not listed may have seen an extreme further out, and other returns */
    bool highest = (stated->option == OPTION_CALL) == (stated->strike_type == STRIKE_FIXED),
         further = highest ? stated->extreme > seen->extreme : stated->extreme < seen->extreme,
         listed = reader->rule.n || reader->rule.n_passed > 1, known = !reader->unfixed;
    const struct {
        const char *name;
        double stated, seen, least;
    } rows[] = {
        {"average", stated->past_average, seen->past_average, 0.0},
        {"extreme", stated->extreme, further ? stated->extreme : seen->extreme, 0.0},
        {"level", stated->past_level, stated->past_level > 0.0 ? seen->past_level : 0.0, 0.0},
        {"returns", stated->past_returns, listed && known ? seen->past_returns : NAN, LEAST_RETURN},
        {"years", stated->past_years, seen->past_years, 0.0},
        {"variance", stated->past_variance, seen->past_variance, 0.0},
        {"missed", stated->past_missed, known ? seen->past_missed : NAN, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fabs(rows[i].seen - rows[i].stated) >
            PAST_AGREES * fmax(fabs(rows[i].stated), rows[i].least))
            doubt(reader, at, "%s %.10g is not the %.10g that closes of %s make", rows[i].name,
                  rows[i].stated, rows[i].seen, reader->fixings->name);
}

void note_contradiction(struct reader *reader)
{
    struct trade *trade = reader->trade;
    const struct trade stated = *trade;
    const config_setting_t *at = stated_past(reader);
    char date[DATE_ROOM];
    if (!at || !has_season(reader) || reader->fixings->faulty || complains(reader) ||
        !closes_tell(reader))
        return;
    trade->hit = false;
    trade->past_returns = 0.0;
    trade->past_missed = 0;
    seasons[trade->product](reader);
    const struct trade seen = *trade;
    *trade = stated;
    trade->owed = seen.owed; /* which may have grown; nothing is owed anew */
    if (!reader->called) note_numbers(reader, at, &stated, &seen);
    else if (!reader->unfixed)
        doubt(reader, at, "observations called nothing, and a close of %s on %s does",
              reader->fixings->name, date_write(reader->called, date));
    if (seen.hit && !stated.hit)
        doubt(reader, at, "hit is false, and a past close of %s touches", reader->fixings->name);
    if (stated.hit && !seen.hit && !reader->unfixed && !touches(trade, trade->today[0]))
        doubt(reader, at, "hit is true, and no past close of %s touches", reader->fixings->name);
    reader->called = 0;
    reader->expired = reader->unfixed = false;
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
    const char *also = seasons[trade->product] && !reader->fixings
                           ? ", or fixings = \"FILE.csv\"; at the book's outermost level"
                           : "";
    int stated = trade->product == PRODUCT_ASIAN ? trade->past_count : trade->past_observations;
    if (!said && !reader->rule.n_passed)
        complain_key(reader, reader->found.at[key],
                     "begins before the valuation date %s: %s must say what was seen%s",
                     reader->valuation_date, saw, also);
    else if (!said)
        complain_key(reader, reader->found.at[key],
                     "has %d date%s before the valuation date %s: %s must say what was seen%s",
                     reader->rule.n_passed, reader->rule.n_passed == 1 ? "" : "s",
                     reader->valuation_date, saw, also);
    else if (counts && stated && stated != reader->rule.n_passed)
        complain(reader, reader->found.at[KEY_PAST],
                 "%s must be %d, the dates of %s before the valuation date %s, got %d",
                 trade->product == PRODUCT_ASIAN ? "count" : "observations", reader->rule.n_passed,
                 name, reader->valuation_date, stated);
}
