/* What one key of a trade says of another, product by product, and defaults that depend on other keys. */
#include "app/config/trades.h"

static bool given(const struct reading *reading, enum trade_key key)
{
    return reading->found.at[key] != NULL;
}

static bool good(const struct reading *reading, enum trade_key key)
{
    return found_good(&reading->found, key);
}

static const char *key_name(enum trade_key key)
{
    return trade_table.keys[key].name;
}

/* `key` is needed because of `reason`. */
static void need(struct reading *reading, enum trade_key key, const char *reason)
{
    if (!given(reading, key))
        complain(reading->reader, reading->group, "%s is missing: %s %s must have it", key_name(key),
                 reading->owner, reason);
}

/* `key` may not be given because of `reason`. */
static void refuse(struct reading *reading, enum trade_key key, const char *reason)
{
    if (given(reading, key))
        complain(reading->reader, reading->found.at[key], "%s contradicts %s: leave one of the two out",
                 key_name(key), reason);
}

static void check_lower_upper(struct reading *reading)
{
    const struct trade *trade = reading->trade;
    if (!good(reading, KEY_LOWER) || !good(reading, KEY_UPPER) || trade->lower < trade->upper) return;
    complain(reading->reader, reading->found.at[KEY_UPPER], "upper must be > lower %.10g, got %.10g",
             trade->lower, trade->upper);
}

/* A floating strike is the average or the extreme itself. */
static void check_strike_type(struct reading *reading)
{
    if (!good(reading, KEY_STRIKE_TYPE)) return;
    if (reading->trade->strike_type == STRIKE_FIXED)
        need(reading, KEY_STRIKE, "with strike_type = \"fixed\"");
    else refuse(reading, KEY_STRIKE, "strike_type = \"floating\"");
}

static void check_digital(struct reading *reading)
{
    if (good(reading, KEY_PAYOUT) && reading->trade->payout == PAYOUT_ASSET)
        refuse(reading, KEY_CASH, "payout = \"asset\"");
}

/* A knock-in that never knocks in is known to be one at expiry only; a knock-out pays its rebate when it is
 * hit. */
static void check_barrier(struct reading *reading)
{
    struct trade *trade = reading->trade;
    if (!good(reading, KEY_KNOCK)) return;
    if (!given(reading, KEY_REBATE_AT))
        trade->pay_at = trade->knock == KNOCK_OUT ? PAY_AT_HIT : PAY_AT_EXPIRY;
    else if (good(reading, KEY_REBATE_AT) && trade->knock == KNOCK_IN && trade->pay_at == PAY_AT_HIT)
        complain(reading->reader, reading->found.at[KEY_REBATE_AT],
                 "rebate_at = \"hit\" contradicts knock = \"in\", whose rebate is paid at \"expiry\"");
}

/* One barrier with its direction, or two barriers. */
static void check_touch_barriers(struct reading *reading)
{
    if (given(reading, KEY_LOWER) || given(reading, KEY_UPPER)) {
        need(reading, KEY_LOWER, "with upper");
        need(reading, KEY_UPPER, "with lower");
        refuse(reading, KEY_BARRIER, "lower and upper");
        refuse(reading, KEY_DIRECTION, "lower and upper");
    } else if (given(reading, KEY_BARRIER) || given(reading, KEY_DIRECTION)) {
        need(reading, KEY_BARRIER, "with direction");
        need(reading, KEY_DIRECTION, "with barrier");
    } else {
        complain(reading->reader, reading->group,
                 "barrier is missing: a touch must have barrier and direction, or lower "
                 "and upper");
    }
    check_lower_upper(reading);
}

static void check_touch(struct reading *reading)
{
    const struct trade *trade = reading->trade;
    check_touch_barriers(reading);
    if (!good(reading, KEY_TOUCH)) return;
    if (trade->touch == TOUCH_ONE) need(reading, KEY_PAY_AT, "with touch = \"one\"");
    else if (good(reading, KEY_PAY_AT) && trade->pay_at == PAY_AT_HIT)
        complain(reading->reader, reading->found.at[KEY_PAY_AT],
                 "pay_at = \"hit\" contradicts touch = \"no\", which pays at \"expiry\"");
}

static void check_forward_start(struct reading *reading)
{
    const struct trade *trade = reading->trade;
    if (!good(reading, KEY_START) || !good(reading, KEY_EXPIRY) || trade->start < trade->expiry) return;
    complain(reading->reader, reading->found.at[KEY_START], "start must be before expiry %.10g, got %.10g",
             trade->expiry, trade->start);
}

void check_rules(struct reading *reading)
{
    static const struct {
        enum product product;
        void (*check)(struct reading *reading);
    } rules[] = {
        {PRODUCT_DIGITAL, check_digital},
        {PRODUCT_ASIAN, check_strike_type},
        {PRODUCT_BARRIER, check_barrier},
        {PRODUCT_DOUBLE_BARRIER, check_lower_upper},
        {PRODUCT_TOUCH, check_touch},
        {PRODUCT_LOOKBACK, check_strike_type},
        {PRODUCT_FORWARD_START, check_forward_start},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].product == reading->trade->product) rules[i].check(reading);
}
