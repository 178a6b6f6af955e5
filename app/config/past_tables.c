/* What may have passed of a trade before today, by product: the keys of its group `past`. */
#include "app/config/read_trades.h"
#include "app/config/tables.h"

#define MEMBER(kind, member) KEY_KIND_##kind, .offset = offsetof(struct trade, member)

static const struct key count_keys[] = {
    {"count", MEMBER(COUNT, past_count), {RANGE_FROM, 1, 1000000}, .meaning = "fixings taken"},
    {"average",
     MEMBER(NUMBER, past_average),
     {RANGE_ABOVE, 0, 0},
     .meaning = "of them, of the averaging of the trade"},
};
static const struct key level_keys[] = {
    {"level",
     MEMBER(NUMBER, past_level),
     {RANGE_ABOVE, 0, 0},
     .meaning = "spot at the last date that the trade counts from"},
    {"returns", MEMBER(NUMBER, past_returns), .fallback = "0",
     .meaning = "sum of the returns of the periods that have ended, as they were clipped"},
};
static const struct key variance_keys[] = {
    {"years", MEMBER(NUMBER, past_years), {RANGE_ABOVE, 0, 100}, .meaning = "that have passed"},
    {"variance",
     MEMBER(NUMBER, past_variance),
     {RANGE_FROM, 0, 100},
     .meaning = "realised in them, a year"},
    {"level",
     MEMBER(NUMBER, past_level),
     {RANGE_ABOVE, 0, 0},
     .meaning = "spot at the last fixing; that of today where not given"},
};
static const struct key observed_keys[] = {
    {"observations",
     MEMBER(COUNT, past_observations),
     {RANGE_FROM, 1, 100000},
     .meaning = "that were made, none of which called it"},
    {"missed",
     MEMBER(COUNT, past_missed),
     {RANGE_FROM, 0, 100000},
     .fallback = "0",
     .meaning = "coupons missed since one was paid"},
};
#undef MEMBER

const struct key_table past_tables[N_PRODUCTS] = {
    [PRODUCT_ASIAN] = {"past", 2, count_keys, .required = "count average"},
    [PRODUCT_FORWARD_START] = {"past", 1, level_keys, .required = "level"},
    [PRODUCT_CLIQUET] = {"past", 2, level_keys, .required = "level"},
    [PRODUCT_VARIANCE_SWAP] = {"past", 3, variance_keys, .required = "years variance"},
    [PRODUCT_AUTOCALLABLE] = {"past", 2, observed_keys, .required = "observations"},
};
