/* A trade as its book states it: the keys of every product, of which a trade uses those in its row of
 * payoffs.def. */
#ifndef PRICER_MODELS_PAYOFFS_TRADE_H
#define PRICER_MODELS_PAYOFFS_TRADE_H

#include <stdbool.h>

enum product {
#define PAYOFF(NAME, name, required, optional) PRODUCT_##NAME,
#include "models/payoffs/payoffs.def"
#undef PAYOFF
    N_PRODUCTS
};

enum option { OPTION_CALL, OPTION_PUT };
enum payout { PAYOUT_CASH, PAYOUT_ASSET };
enum averaging { AVERAGING_ARITHMETIC, AVERAGING_GEOMETRIC };
enum strike_type { STRIKE_FIXED, STRIKE_FLOATING };
enum direction { DIRECTION_NONE, DIRECTION_UP, DIRECTION_DOWN };
enum knock { KNOCK_OUT, KNOCK_IN };
enum pay_at { PAY_AT_EXPIRY, PAY_AT_HIT };
enum touch_kind { TOUCH_ONE, TOUCH_NO };

/* Dates on which a path is looked at: `continuous` means at every moment up to expiry, n is then 0. */
struct schedule {
    bool continuous;
    int n;
    double *times; /* [n] years from today, >= 0, increasing; owned */
};

/* Prices are in the asset's currency; times in years from today. Keys a product does not use are zero. */
struct trade {
    char *id;
    const char *file; /* of the book; not owned */
    int line;
    enum product product;
    int asset;       /* index into market.assets */
    double quantity; /* units held; negative when sold */
    double expiry;   /* > 0 */

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
    double barrier, lower,
        upper; /* a touch with lower and upper has no barrier (0), and the other way round */
    double rebate;
    bool hit;            /* the barrier has been touched already */
    double start;        /* forward start date */
    double strike_ratio; /* forward start: strike over spot at `start` */
    double
        extreme; /* lookback: highest (put floating, call fixed) or lowest spot so far; 0 where not given */
    int past_count;             /* asian: fixings already taken */
    double past_average;        /* and their average (of the trade's own averaging kind) */
    struct schedule fixings;    /* asian; never continuous */
    struct schedule monitoring; /* barrier, double_barrier, touch, lookback */
};

/* Name of a product as a book writes it, and the keys it takes, separated by blanks. */
const char *product_name(enum product product);
const char *product_required_keys(enum product product);
const char *product_optional_keys(enum product product);

/* Releases what the trade owns (id, schedules). */
void trade_free(struct trade *trade);

#endif
