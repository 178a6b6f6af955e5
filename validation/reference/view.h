/* The market and the trade elsewhere: what a reference makes of a view, by its own hand. */
#ifndef PRICER_VALIDATION_REFERENCE_VIEW_H
#define PRICER_VALIDATION_REFERENCE_VIEW_H

#include "validation/reference/reference.h"

/* Makes `moved` of today's market: moves one after the other, and cash dividends nearer by the years that
 * pass. Names, strikes of surfaces and returns of the past are shared. STATUS_FAILED (and `why`) where there
 * is no such market, STATUS_NO_MEMORY. Free with view_market_free, whatever is returned. */
enum status view_market(const struct market *today, const struct reference_view *view, struct market *moved,
                        struct message *why);
void view_market_free(struct market *moved);

/* Takes the years that pass off the dates of a trade that are to come, of which none is passed; the lists are
 * its own from then on: free with view_trade_free, whatever is returned. STATUS_NO_MEMORY. */
enum status view_trade(double years, struct trade *trade);
void view_trade_free(struct trade *trade);

#endif
