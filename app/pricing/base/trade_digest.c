#include "app/pricing/base/trade_digest.h"

#include <string.h>

#include "app/pricing/base/digest.h"
#include "models/payoffs/payoff_definition.h"
#include "models/scripts/script.h"

static uint64_t digest_list(uint64_t digest, int n, const double *values)
{
    digest = digest_integer(digest, values ? (uint64_t)n + 1 : 0);
    for (int i = 0; values && i < n; i++) digest = digest_number(digest, values[i]);
    return digest;
}

/* ---- the market ------------------------------------------------------------------------------ */

static uint64_t digest_curve(uint64_t digest, const struct term_structure *curve)
{
    digest = digest_list(digest, curve->n, curve->time);
    return digest_list(digest, curve->n, curve->accrued);
}

static uint64_t digest_rate(uint64_t digest, const struct market *market, int currency)
{
    return currency < 0 ? digest_integer(digest, 0)
                        : digest_curve(digest, &market->currencies[currency].rate);
}

static uint64_t digest_asset(uint64_t digest, const struct market *market,
                             const struct asset *asset)
{
    const struct heston *heston = &asset->heston;
    const struct surface *surface = &asset->surface;
    int n = surface->n_times * surface->n_strikes;
    const double model[] = {asset->spot,         asset->model,       heston->v0,
                            heston->kappa,       heston->theta,      heston->xi,
                            heston->rho,         heston->scheme,     asset->jumps.intensity,
                            asset->jumps.mean,   asset->jumps.stdev, asset->history.interval,
                            asset->history.block};
    digest = digest_list(digest, (int)(sizeof model / sizeof *model), model);
    digest = digest_rate(digest, market, asset->currency);
    digest = digest_rate(digest, market, asset->foreign_currency);
    digest = digest_curve(digest, &asset->yield);
    digest = digest_curve(digest, &asset->variance);
    digest = digest_list(digest, surface->n_times, surface->times);
    digest =
        digest_list(digest, surface->strikes_by_time ? n : surface->n_strikes, surface->strikes);
    digest = digest_list(digest, n, surface->vols);
    digest = digest_list(digest, asset->history.n, asset->history.returns);
    digest = digest_integer(digest, (uint64_t)asset->n_dividends);
    for (int i = 0; i < asset->n_dividends; i++) {
        digest = digest_number(digest, asset->dividends[i].time);
        digest = digest_number(digest, asset->dividends[i].amount);
    }
    return digest;
}

/* Digests the assets of a trade and the FX rate of its quanto, and what is between them. */
static uint64_t digest_assets(uint64_t digest, const struct market *market,
                              const struct trade *trade)
{
    int n = trade_n_assets(trade), on[TRADE_ASSETS_MAX + 1];
    for (int i = 0; i < n; i++) on[i] = trade_asset(trade, i);
    if (trade->quanto >= 0) on[n++] = trade->quanto;
    for (int i = 0; i < n; i++) {
        digest = digest_asset(digest, market, &market->assets[on[i]]);
        for (int j = 0; j < i; j++)
            digest = digest_number(digest, market->correlation[on[i] * market->n_assets + on[j]]);
    }
    return digest_rate(digest, market, trade_currency(market, trade));
}

/* ---- the terms ------------------------------------------------------------------------------- */

static uint64_t digest_script(uint64_t digest, const struct binding *binding)
{
    digest = digest_text(digest, binding->script->text);
    for (int p = 0; p < binding->script->n_parameters; p++) {
        const struct bound *bound = &binding->bound[p];
        digest = digest_list(digest, bound->n, bound->values);
        digest = digest_list(digest, bound->n * binding->n_assets, bound->closes);
    }
    return digest;
}

/* What a trade points to is digested by content, and all else as it lies in memory. */
uint64_t digest_trade(uint64_t digest, const struct market *market, const struct trade *trade)
{
    struct trade plain;
    memcpy(&plain, trade, sizeof plain); /* padding and all */
    plain.id = NULL, plain.file = NULL, plain.line = 0, plain.quantity = 0.0;
    plain.tags = NULL, plain.n_tags = 0, plain.owed = NULL, plain.expired = NULL;
    plain.assets = NULL, plain.today = NULL, plain.weights = NULL, plain.initial = NULL;
    plain.coupon_years = NULL, plain.scripted = NULL;
    plain.asset = plain.currency = 0, plain.quanto = trade->quanto < 0;
    for (int i = 0; i < N_SCHEDULES; i++) {
        const struct schedule *dates = trade_schedule(trade, i);
        digest = digest_list(digest, dates->n, dates->times);
        ((struct schedule *)(void *)trade_schedule(&plain, i))->times = NULL;
    }
    digest = digest_bytes(digest, &plain, sizeof plain);
    digest = digest_list(digest, trade->n_assets, trade->today);
    digest = digest_list(digest, trade->n_assets, trade->weights);
    digest = digest_list(digest, trade->n_assets, trade->initial);
    digest = digest_list(digest, trade->observations.n, trade->coupon_years);
    for (int i = 0; i < trade->n_owed; i++) {
        digest = digest_number(digest, trade->owed[i].years);
        digest = digest_number(digest, trade->owed[i].amount);
    }
    if (trade->scripted) digest = digest_script(digest, trade_binding(trade));
    return digest_assets(digest, market, trade);
}
