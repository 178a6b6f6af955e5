/* What is fixed today, written into the trade as if it had been stated by the book. */
#ifndef PRICER_VALIDATION_REFERENCE_FIXED_TODAY_H
#define PRICER_VALIDATION_REFERENCE_FIXED_TODAY_H

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* A trade without a date at time 0: its past says what that date saw. Its lists are those of the
 * book's. */
struct trade_fixed_today {
    struct trade trade;
    double paid;  /* money that changes hands today, whatever comes */
    bool certain; /* nothing of the trade is open: what is left pays `last` at its expiry */
    double last;
};

/* States what today's spots fix: the fixings, resets, observations and looks at a barrier of a date
 * at time 0, the strike of a forward start that has started, the levels that a variance swap counts
 * from, and what is watched at every moment from today on. The market is that of today, whatever
 * scenario the trade is priced in. The right to exercise is no fixing: it is left. */
void fix_today(const struct market *today, const struct trade *trade,
               struct trade_fixed_today *stated);

#endif
