/* Control variates of a book: trades whose value is known exactly, valued on the paths of another
 * trade.
 *
 * geometric  of an arithmetic Asian the same on the geometric average (A. G. Z. Kemna and A. C. F.
 * Vorst, Journal of Banking and Finance 14 (1990) 113-129); of a basket the same on a geometric
 * mean that weighs each asset as today's spots do. Under black_scholes. vanilla    the European
 * option with the trade's expiry and its strike, or the level that it turns on. Under black_scholes
 * and merton: of the other models' schemes the bias is not far below a standard error. forward the
 * asset at expiry; of an Asian the average; of several assets the weighted sum of those whose
 *            forwards are known, of a spread each. Under every model but local_vol, whose tables
 * move the forward by some 1e-5 of it. With cash dividends before the expiry under black_scholes,
 * where the spot is far above them; the other kinds have none then.
 *
 * In another currency than an asset's there are those of black_scholes and merton, and a forward of
 * no average and no sum. Early exercise has none. */
#ifndef PRICER_APP_PRICING_CONTROLS_CONTROLS_H
#define PRICER_APP_PRICING_CONTROLS_CONTROLS_H

#include <stdbool.h>

#include "app/pricing/controls/control_sample.h"
#include "models/market/market.h"
#include "models/base/status.h"
#include "models/payoffs/trade.h"

/* A control: of which kind, and what one unit of it is worth, discounted. */
struct control {
    const char *kind; /* "geometric", "vanilla" or "forward"; static */
    struct known_mean known;
};

/* The book's trades and, behind them, the controls. */
struct controls {
    int n_trades, n;
    struct trade *trades;    /* [n_trades + n]; what they point to is the book's, but for: */
    struct control *control; /* [n] that of trades[n_trades + i] */
    double **weights;        /* [n] of a basket, owned; NULL of the others */
    bool *uncontrolled;      /* [n_trades] has none */
    int *first; /* [n_trades + n + 1] index among the trades of the first control of each */
};

/* Finds the controls of the trades; free with controls_free, whatever is returned. The book must
 * outlive them. STATUS_NO_MEMORY. */
enum status controls_find(const struct market *market, int n_trades, const struct trade *trades,
                          struct controls *controls);
void controls_free(struct controls *controls);

/* Returns how many a trade has. */
static inline int controls_of(const struct controls *controls, int trade)
{
    return controls->first[trade + 1] - controls->first[trade];
}

#endif
