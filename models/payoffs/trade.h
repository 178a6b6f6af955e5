/* A trade as its book states it: the keys of every product, of which a trade uses those in its row
 * of payoffs.def. */
#ifndef PRICER_MODELS_PAYOFFS_TRADE_H
#define PRICER_MODELS_PAYOFFS_TRADE_H

#include <stdbool.h>

#include "models/market/quanto.h"

struct asset;
struct binding;
struct scripted;

/* The traits of a product. */
enum product_trait {
    PAYS_EITHER_WAY = 0,
    PAYS_ONE_WAY = 1,   /* no path pays a negative amount */
    PAYS_CASH = 2,      /* pays `cash`, where `payout` does not say the asset */
    JUMPS = 4,          /* what it pays jumps at a level of the spot, */
    JUMPS_ON_DATES = 8, /* or only where its monitoring is not continuous */
    EARLY_EXERCISE = 16,
    OVER_INITIAL_SPOTS = 32, /* its basket is of spots over `initial` */
    LOOKS_AT_EXPIRY = 64,    /* as well as on the dates of its schedule */
    MARKED_DAILY = 128,      /* gains are paid from day to day: they are not discounted */
    ON_NO_ASSET = 256,       /* it is money of a currency */
    DECIDES = 512,           /* its program has decisions of the holder or the issuer */
    WATCHES_CLOSELY = 1024   /* its program makes something of what it watches together */
};

enum option { OPTION_CALL, OPTION_PUT };
enum payout { PAYOUT_CASH, PAYOUT_ASSET };
enum averaging { AVERAGING_ARITHMETIC, AVERAGING_GEOMETRIC };
enum strike_type { STRIKE_FIXED, STRIKE_FLOATING };
enum direction { DIRECTION_NONE, DIRECTION_UP, DIRECTION_DOWN };
enum knock { KNOCK_OUT, KNOCK_IN };
enum pay_at { PAY_AT_EXPIRY, PAY_AT_HIT };
enum touch_kind { TOUCH_ONE, TOUCH_NO };
enum basket_kind { BASKET_AVERAGE, BASKET_GEOMETRIC, BASKET_BEST_OF, BASKET_WORST_OF };

enum { TRADE_ASSETS_MAX = 32 };

/* Years between two times of a book at least, and from today to the first: half a minute. Nearer
 * ones are refused where they are read, so that the times of one schedule are different steps of
 * its paths (dates within 1e-9 years of one another share a step). */
#define TIMES_APART 1e-6

/* Years within which a time of a trade is its expiry: a second, for the last digits of files. */
#define TIMES_MEET (1.0 / (365.0 * 86400.0))

/* Dates on which a path is looked at: `continuous` means at every moment up to expiry, n is then
 * 0. */
struct schedule {
    bool continuous;
    int n;
    double *times; /* [n] years from today, >= 0, increasing; owned */
};

/* What a desk sorts its trades by: desk = "EQD". */
struct tag {
    char *name, *value; /* owned */
};

/* A payment that has been fixed and is still to come. */
struct payment {
    double years; /* from today; 0: today */
    double amount;
};

/* Prices are in the asset's currency (with a quanto, in that which its FX rates share); times in
 * years from today. Keys a product does not use are zero. */
struct trade {
    char *id;
    const char *file; /* of the book; not owned */
    int line;
    int product;  /* enum product (product_numbers.h) */
    int asset;    /* index into market.assets; the first one of several; -1: it is on none */
    int n_assets; /* 1, or more where the book writes `assets` */
    int *assets;  /* [n_assets] indices into market.assets, no two alike; owned */
    /* [n_assets] the spots that what is fixed today is fixed at, wherever the market moves; NULL:
     * those of the market that the trade is priced in; owned */
    double *today;
    struct quanto quanto; /* what money of its assets is paid through, one for one */
    int currency;         /* of a trade on no asset: index into market.currencies */
    double quantity;      /* units held; negative when sold */
    double expiry;        /* > 0; of a linear product 0 where it has none */
    double amount;        /* of money, which a unit brings at `expiry` */
    int n_owed;
    struct payment *owed; /* [n_owed] of a unit, beside what is still open; owned */
    /* Why nothing but `owed` is left of it: "expired 2026-11-20 ..."; NULL while it lives; owned */
    char *expired;
    /* What its past has made of it: "knocked out on 2026-09-21 by a close of 5589"; NULL: nothing;
     * owned */
    char *past_event;
    int n_tags;
    struct tag *tags; /* [n_tags] no two of the same name; owned */
    /* The book gives years, which come no nearer, not a date */
    bool expiry_in_years, start_in_years;
    /* What fixes a payment is so many business days before it, and so many years */
    int settlement_days;
    double payment_lag;
    double pivot; /* years: the date whose normal is integrated out (margins.h); 0 but for Greeks */
    /* american on several assets: what tells whether it is exercised is kept apart from what that
     * brings (exercise.h); false but for Greeks */
    bool exercise_apart;
    /* american: 1 + which of its assets' slope at exercise (exercise.h) it pays in place of its
     * gain; 0 but for Greeks */
    int slope_of;

    enum option option;
    enum payout payout;
    enum averaging averaging;
    enum strike_type strike_type;
    enum direction direction;
    enum knock knock;
    enum pay_at pay_at; /* of a touch's cash, or of a barrier's rebate (`rebate_at`) */
    enum touch_kind touch;
    double strike;
    double cash;
    /* digital: what the weight of a path has beside 1, by powers of log2 S; 0 but for Greeks */
    double score[3];
    /* and its control: which part of what would be paid is taken off all paths, and its mean */
    double score_control[2];
    /* a touch with lower and upper has no barrier (0), and the other way round */
    double barrier, lower, upper;
    double rebate;
    bool hit;            /* the barrier has been touched already */
    double start;        /* forward start date */
    double strike_ratio; /* forward start: strike over spot at `start` */
    /* lookback: highest (put floating, call fixed) or lowest spot so far; 0 where not given */
    double extreme;
    int past_count;      /* asian: fixings already taken */
    double past_average; /* and their average (of the trade's own averaging kind) */

#define SCHEDULE(name) struct schedule name;
#include "models/payoffs/schedules.def"
#undef SCHEDULE

    enum basket_kind kind; /* basket; american on several assets */
    double *weights; /* [n_assets] basket, spread, american on several; owned; NULL for one asset */
    double notional; /* cliquet, variance_swap (money per unit of variance), autocallable */

    /* Of returns; -HUGE_VAL, HUGE_VAL where not given */
    double local_floor, local_cap, global_floor, global_cap;
    double past_returns; /* and of the periods that have ended: the sum of theirs, as clipped */
    /* forward_start, cliquet, variance_swap: spot at the start, the last reset, the last fixing; 0
     * where there was none */
    double past_level;

    double strike_volatility; /* variance_swap: annual */
    /* And what has passed of it: years, realised variance a year; 0 if none */
    double past_years, past_variance;

    /* [n_assets] spots that its levels refer to; owned, or `today` where they are those */
    double *initial;
    double call_level, coupon_level, protection_level; /* fractions of `initial` */
    double coupon; /* fraction of notional per observation, or a year where there are years */
    /* [observations.n] of which each is the coupon; NULL: a coupon is that of an observation;
     * owned. Without memory only: what is missed is counted in observations */
    double *coupon_years;
    bool memory; /* an observation that pays also pays the missed ones */

    /* autocallable: made already, and coupons missed since one was paid */
    int past_observations, past_missed;

    /* Of PRODUCT_SCRIPT; NULL: none (models/payoffs/scripted.h). Copies of the trade point to the
     * same; owned */
    struct scripted *scripted;
};

/* Returns the index into the market of the trade's i-th asset. */
static inline int trade_asset(const struct trade *trade, int i)
{
    return trade->n_assets > 1 ? trade->assets[i] : trade->asset;
}

/* Returns the weight of that asset. */
static inline double trade_weight(const struct trade *trade, int i)
{
    return trade->weights ? trade->weights[i] : 1.0;
}

/* Returns how many assets the trade lives on: none where nothing but money is left. */
static inline int trade_n_assets(const struct trade *trade)
{
    if (trade->asset < 0 || trade->expired) return 0;
    return trade->n_assets > 1 ? trade->n_assets : 1;
}

/* Returns how many assets its price depends on: those that it lives on, and behind them the
 * exchange rates of its quanto, which may be one of those; and the index of the i-th into the
 * market. */
static inline int trade_n_involved(const struct trade *trade)
{
    return trade_n_assets(trade) + trade->quanto.n;
}

static inline int trade_involved(const struct trade *trade, int i)
{
    int n = trade_n_assets(trade);
    return i < n ? trade_asset(trade, i) : trade->quanto.fx[i - n];
}

/* Tells whether paths are to be simulated for the trade. */
bool trade_has_paths(const struct trade *trade);

/* Tells whether it is known what the trade is on, and so its currency: of a refused one it may not
 * be. */
static inline bool trade_is_known(const struct trade *trade)
{
    return trade->asset < 0 ? trade->currency >= 0 : trade->n_assets > 0;
}

/* Returns the years to the trade's first date after today, or its last one: of those that it may
 * end at and those that it is owed something at; 0 where there is none. */
double trade_first_date(const struct trade *trade);
double trade_last_date(const struct trade *trade);

/* Returns the name of a product as a book writes it, and the keys it takes, separated by blanks. */
const char *product_name(int product);
const char *product_required_keys(int product);
const char *product_optional_keys(int product);

/* Returns what tables call the type of a trade: its product, or the name of its script. */
const char *trade_type(const struct trade *trade);

/* Tells whether the row of the product has one of the traits. */
bool product_has(int product, int traits);

/* Returns what the trade gives its script; NULL where it has none. */
const struct binding *trade_binding(const struct trade *trade);

/* Tells whether the product of the trade, or its program, has one of the traits. */
bool trade_has(const struct trade *trade, int traits);

/* Returns the value of the trade's tag of that name; NULL where it has none. */
const char *trade_tag(const struct trade *trade, const char *name);

/* Fixes what is fixed today at the spots of these assets, where the trade has room for them. */
void trade_fix_today(struct trade *trade, const struct asset *assets);

enum {
#define SCHEDULE(name) SCHEDULE_OF_##name,
#include "models/payoffs/schedules.def"
#undef SCHEDULE
    N_SCHEDULES
};

/* Returns the trade's i-th list of dates: that of row i of schedules.def. */
const struct schedule *trade_schedule(const struct trade *trade, int i);

/* Releases what the trade owns (id, tags, schedules, lists of assets). */
void trade_free(struct trade *trade);

#endif
