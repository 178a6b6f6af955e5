/* What may have passed of a trade before today, by product: the keys of its group `past`. */
#include "app/config/read_trades.h"
#include "app/config/tables.h"

static const struct key count_keys[] = {
    KEY_FIELD("count", COUNT, struct trade, past_count, .range = {RANGE_FROM, 1, 1000000},
              .meaning = "fixings taken"),
    KEY_FIELD("average", NUMBER, struct trade, past_average, .range = {RANGE_ABOVE, 0, 0},
              .meaning = "of them, of the averaging of the trade"),
};
static const struct key level_keys[] = {
    KEY_FIELD("level", NUMBER, struct trade, past_level, .range = {RANGE_ABOVE, 0, 0},
              .meaning = "spot at the last date that the trade counts from"),
    KEY_FIELD("returns", NUMBER, struct trade, past_returns, .fallback = "0",
              .meaning = "sum of the returns of the periods that have ended, as they were clipped"),
};
static const struct key variance_keys[] = {
    KEY_FIELD("years", NUMBER, struct trade, past_years, .range = {RANGE_ABOVE, 0, 100},
              .meaning = "that have passed"),
    KEY_FIELD("variance", NUMBER, struct trade, past_variance, .range = {RANGE_FROM, 0, 100},
              .meaning = "realised in them, a year"),
    KEY_FIELD("level", NUMBER, struct trade, past_level, .range = {RANGE_ABOVE, 0, 0},
              .meaning = "spot at the last fixing; that of today where not given"),
};
static const struct key observed_keys[] = {
    KEY_FIELD("observations", COUNT, struct trade, past_observations,
              .range = {RANGE_FROM, 1, 100000},
              .meaning = "that were made, none of which called it"),
    KEY_FIELD("missed", COUNT, struct trade, past_missed, .range = {RANGE_FROM, 0, 100000},
              .fallback = "0", .meaning = "coupons missed since one was paid"),
};

const struct key_table past_tables[N_PRODUCTS] = {
    [PRODUCT_ASIAN] = KEY_TABLE("past", count_keys, .required = "count average"),
    [PRODUCT_FORWARD_START] = {"past", 1, level_keys, .required = "level"},
    [PRODUCT_CLIQUET] = KEY_TABLE("past", level_keys, .required = "level"),
    [PRODUCT_VARIANCE_SWAP] = KEY_TABLE("past", variance_keys, .required = "years variance"),
    [PRODUCT_AUTOCALLABLE] = KEY_TABLE("past", observed_keys, .required = "observations"),
};
