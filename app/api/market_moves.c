#include "app/api/market_moves.h"

#include <stdlib.h>
#include <string.h>

#include "models/payoffs/payoff_definition.h"

static bool numbers_equal(size_t n, const double *a, const double *b)
{
    return !n || !memcmp(a, b, n * sizeof *a);
}

static bool surfaces_equal(const struct surface *a, const struct surface *b)
{
    size_t times = (size_t)a->n_times, strikes = (size_t)a->n_strikes, all = times * strikes;
    return a->n_times == b->n_times && a->n_strikes == b->n_strikes &&
           a->strikes_by_time == b->strikes_by_time && numbers_equal(times, a->times, b->times) &&
           numbers_equal(a->strikes_by_time ? all
                         : times            ? strikes
                                            : 0,
                         a->strikes, b->strikes) &&
           numbers_equal(all, a->vols, b->vols);
}

static bool dividends_equal(const struct asset *a, const struct asset *b)
{
    if (a->n_dividends != b->n_dividends) return false;
    for (int i = 0; i < a->n_dividends; i++)
        if (a->dividends[i].time != b->dividends[i].time ||
            a->dividends[i].amount != b->dividends[i].amount)
            return false;
    return true;
}

static bool laws_equal(const struct asset *a, const struct asset *b)
{
    const struct heston *x = &a->heston, *y = &b->heston;
    return a->model == b->model && x->v0 == y->v0 && x->kappa == y->kappa && x->theta == y->theta &&
           x->xi == y->xi && x->rho == y->rho && x->scheme == y->scheme &&
           a->jumps.intensity == b->jumps.intensity && a->jumps.mean == b->jumps.mean &&
           a->jumps.stdev == b->jumps.stdev;
}

static bool histories_equal(const struct history *a, const struct history *b)
{
    return a->n == b->n && a->interval == b->interval && a->block == b->block &&
           numbers_equal((size_t)a->n, a->returns, b->returns);
}

static bool assets_equal(const struct asset *a, const struct asset *b)
{
    return a->spot == b->spot && a->currency == b->currency &&
           a->foreign_currency == b->foreign_currency && laws_equal(a, b) &&
           term_equal(&a->yield, &b->yield) && term_equal(&a->variance, &b->variance) &&
           surfaces_equal(&a->surface, &b->surface) && histories_equal(&a->history, &b->history) &&
           dividends_equal(a, b);
}

static bool rate_moved(const struct market *before, const struct market *now, int currency)
{
    return currency >= 0 &&
           !term_equal(&before->currencies[currency].rate, &now->currencies[currency].rate);
}

/* Tells whether an asset, or a rate that its trades are paid at, is another. */
static bool asset_moved(const struct market *before, const struct market *now, int i)
{
    const struct asset *asset = &now->assets[i];
    return !assets_equal(&before->assets[i], asset) || rate_moved(before, now, asset->currency) ||
           rate_moved(before, now, asset->foreign_currency);
}

/* What a trade lives on: its assets, and the exchange rate of its quanto behind them. */
static int on_number(const struct trade *trade, int i)
{
    return i < trade_n_assets(trade) ? trade_asset(trade, i) : trade->quanto;
}

static bool correlations_moved(const struct market *before, const struct market *now,
                               const struct trade *trade)
{
    int n = trade_n_assets(trade) + (trade->quanto >= 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            size_t at =
                (size_t)on_number(trade, i) * (size_t)now->n_assets + (size_t)on_number(trade, j);
            if (before->correlation[at] != now->correlation[at]) return true;
        }
    return false;
}

enum status moved_trades_mark(const struct market *before, const struct market *now, int n_trades,
                              const struct trade *trades, bool *moved)
{
    size_t n_assets = (size_t)now->n_assets;
    bool *assets = malloc(n_assets + 1);
    if (!assets) return STATUS_NO_MEMORY;
    for (int i = 0; i < now->n_assets; i++) assets[i] = asset_moved(before, now, i);
    bool correlations = !numbers_equal(n_assets * n_assets, before->correlation, now->correlation);
    for (int t = 0; t < n_trades; t++) {
        const struct trade *trade = &trades[t];
        for (int i = 0; i < trade_n_assets(trade) + (trade->quanto >= 0); i++)
            moved[t] |= assets[on_number(trade, i)];
        moved[t] |= rate_moved(before, now, trade_currency(now, trade));
        if (correlations) moved[t] |= correlations_moved(before, now, trade);
    }
    free(assets);
    return STATUS_OK;
}
