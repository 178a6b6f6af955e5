/* The kinds of controls, and how each is made of a trade. Used by controls.c alone. */
#ifndef PRICER_APP_PRICING_VALUE_CONTROLS_CONTROL_KINDS_H
#define PRICER_APP_PRICING_VALUE_CONTROLS_CONTROL_KINDS_H

#include <stdbool.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* A control of a trade being made. */
struct control_making {
    const struct market *market;
    const struct trade *target;
    struct trade trade;               /* the control */
    double weights[TRADE_ASSETS_MAX]; /* of a basket, whose trade points to them */
    int leg;                          /* that the kind is of, or ALL_LEGS */
    double value; /* of one unit, discounted; NaN: control_closed_form() has it */
};

enum { ALL_LEGS = -1 };

struct control_kind {
    const char *name;
    bool (*make)(struct control_making *making);
    int leg;
};

/* Makes the control of `making->target`, or returns false: the trade has none of this kind. It is
 * none either where its value is not known. */
bool control_make(const struct control_kind *kind, struct control_making *making);

/* The kinds, ended by a row without name; at most CONTROLS_MAX of them fit one trade. */
extern const struct control_kind control_kinds[];

/* ---- known values ---------------------------------------------------------------------------- */

/* What controls are worth in closed form, by our own formulas in our own arithmetic, so that a
 * price never depends on the reference that judges it. */

/* Finds the value of one unit, discounted: of a European under black_scholes or merton, and under
 * black_scholes of an Asian on the geometric average and of a geometric basket; without cash
 * dividends, in any currency. Right to 1e-12 of what the trade turns on. Returns false where there
 * is no such formula. */
bool control_closed_form(const struct market *market, const struct trade *trade, double *value);

#endif
