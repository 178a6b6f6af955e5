/* The kinds of controls, and how each is made of a trade. Used by controls.c alone. */
#ifndef PRICER_APP_CONTROLS_MAKE_H
#define PRICER_APP_CONTROLS_MAKE_H

#include <stdbool.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* A control of a trade being made. */
struct making {
    const struct market *market;
    const struct trade *of;
    struct trade trade;               /* the control */
    double weights[TRADE_ASSETS_MAX]; /* of a basket: the trade's, where `is_basket` */
    bool is_basket;
    double value; /* of one unit, discounted; NaN: known_value() has it */
};

struct control_kind {
    const char *name;
    bool (*make)(struct making *making);
};

/* Makes the control of `making->of`, or returns false: the trade has none of this kind. */
bool control_make(const struct control_kind *kind, struct making *making);

/* The kinds, ended by a row without name; at most CONTROLS_MAX of them fit one trade. */
extern const struct control_kind control_kinds[];

#endif
