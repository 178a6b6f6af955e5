#include "app/pricing/risk/greeks/sensitivities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/payoffs/payoff_definition.h"

/* ---- what a trade depends on ----------------------------------------------------------------- */

static bool is_on(const struct trade *trade, int asset)
{
    for (int i = 0; i < trade_n_assets(trade); i++)
        if (trade_asset(trade, i) == asset) return true;
    return false;
}

/* A quanto depends on the volatility of its FX rate and on its correlations, not on its spot. */
static bool depends_on_volatility(const struct trade *trade, int asset)
{
    return is_on(trade, asset) || (trade->quanto == asset && !trade->expired);
}

static bool depends_on_rate(const struct market *market, const struct trade *trade, int currency)
{
    if (trade_currency(market, trade) == currency) return true;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (asset->currency == currency || asset->foreign_currency == currency) return true;
    }
    return false;
}

bool trade_sees_shock(const struct market *market, const struct trade *trade,
                      const struct shock *shock)
{
    switch (shock->kind) {
    case SHOCK_SPOT:
    case SHOCK_YIELD:
    case SHOCK_CASH_DIVIDEND:
    case SHOCK_FALLS: return is_on(trade, shock->target);
    case SHOCK_VOLATILITY:
    case SHOCK_FITTED:
    case SHOCK_LEGS:
    case SHOCK_QUOTE: return depends_on_volatility(trade, shock->target);
    case SHOCK_RATE: return depends_on_rate(market, trade, shock->target);
    case SHOCK_CORRELATION:
        return depends_on_volatility(trade, shock->target) &&
               depends_on_volatility(trade, shock->other);
    case SHOCK_NOTHING: return true;
#define PARAMETER(NAME, ...) case SHOCK_##NAME:
#include "models/market/parameters.def"
#undef PARAMETER
    case N_SHOCKS: break;
    }
    return depends_on_volatility(trade, shock->target) &&
           !market->assets[shock->target].fitted.surface.n_times &&
           model_takes(market->assets[shock->target].model,
                       parameter_ranges[shock->kind - SHOCK_PARAMETERS].group);
}

bool trade_depends(const struct market *market, const struct trade *trade,
                   const struct sensitivity *s)
{
    const struct greek_row *row = &greek_rows[s->greek];
    struct shock first = sensitivity_shock(s, row->first, 0.0),
                 second = sensitivity_shock(s, row->second, 0.0);
    return trade_sees_shock(market, trade, &first) && trade_sees_shock(market, trade, &second);
}

/* ---- the list -------------------------------------------------------------------------------- */

struct sensitivity_listing {
    const struct market *market;
    int n_trades;
    const struct trade *trades;
    unsigned greeks;
    struct risk *risk;
};

/* "delta:SX5E", "vega:SX5E@0.5", "vega:SX5E@0.5/4850", "vega:EURCHF@0.5/rr25",
 * "cross_gamma:SX5E:DAX"; allocated. */
static char *name_of(const struct market *market, const struct sensitivity *s)
{
    char name[640]; /* two names and words between them */
    int n = snprintf(name, sizeof name, "%s", greek_rows[s->greek].column);
    if (s->asset >= 0)
        n += snprintf(name + n, sizeof name - (size_t)n, ":%s", market->assets[s->asset].name);
    if (s->other >= 0)
        n += snprintf(name + n, sizeof name - (size_t)n, ":%s", market->assets[s->other].name);
    if (s->currency >= 0)
        n += snprintf(name + n, sizeof name - (size_t)n, ":%s",
                      market->currencies[s->currency].name);
    if (!isnan(s->bucket)) n += snprintf(name + n, sizeof name - (size_t)n, "@%.6g", s->bucket);
    if (!isnan(s->strike)) n += snprintf(name + n, sizeof name - (size_t)n, "/%.6g", s->strike);
    if (greek_rows[s->greek].scope == SCOPE_QUOTE)
        snprintf(name + n, sizeof name - (size_t)n, "/%s", sensitivity_other(market, s));
    return strdup(name);
}

/* Tells whether a Greek of an asset is asked for (-1: of none). Of volatilities that are quoted at
 * strikes vega_quote is vega_strike. */
static bool is_asked(const struct sensitivity_listing *listing, enum greek greek, int asset)
{
    bool by_delta = asset >= 0 && listing->market->assets[asset].quotes.values;
    if (greek == GREEK_VEGA_QUOTE && !by_delta) return false;
    if (greek == GREEK_VEGA_STRIKE && !by_delta && listing->greeks >> GREEK_VEGA_QUOTE & 1)
        return true;
    return listing->greeks >> greek & 1;
}

/* Adds a column where some trade depends on it. */
static enum status add(const struct sensitivity_listing *listing, struct sensitivity s)
{
    struct risk *risk = listing->risk;
    bool any = false;
    if (!is_asked(listing, s.greek, s.asset)) return STATUS_OK;
    for (int i = 0; i < listing->n_trades && !any; i++)
        any = trade_depends(listing->market, &listing->trades[i], &s);
    if (!any) return STATUS_OK;
    struct sensitivity *larger =
        realloc(risk->sensitivities, (size_t)(risk->n_sensitivities + 1) * sizeof *larger);
    if (!larger) return STATUS_NO_MEMORY;
    risk->sensitivities = larger;
    s.name = name_of(listing->market, &s);
    if (!s.name) return STATUS_NO_MEMORY;
    larger[risk->n_sensitivities++] = s;
    return STATUS_OK;
}

/* Returns a sensitivity of all dates and strikes of what it moves. */
static struct sensitivity of_all(enum greek greek, int asset, int other, int currency)
{
    return (struct sensitivity){greek, asset, other, currency, EVERY, EVERY, NAN, NAN, NULL, {""}};
}

/* Adds the columns of one date: all of its strikes or quotes, or itself. */
static enum status add_date(const struct sensitivity_listing *listing, struct sensitivity s,
                            int date, double years)
{
    s.date = date, s.bucket = years;
    bool strikes = greek_rows[s.greek].scope == SCOPE_STRIKE;
    if (!strikes && greek_rows[s.greek].scope != SCOPE_QUOTE) return add(listing, s);
    const struct surface *surface = quoted_surface(&listing->market->assets[s.asset]);
    for (s.at = 0; s.at < surface->n_strikes; s.at++) {
        if (strikes) s.strike = surface_strike(surface, date, s.at);
        MUST(add(listing, s));
    }
    return STATUS_OK;
}

static enum status add_dates(const struct sensitivity_listing *listing, struct sensitivity s)
{
    const struct market *market = listing->market;
    enum greek_scope scope = greek_rows[s.greek].scope;
    if (!is_asked(listing, s.greek, s.asset)) return STATUS_OK;
    if (scope == SCOPE_RATE_DATE || scope == SCOPE_YIELD_DATE) {
        const struct term_structure *curve = s.currency >= 0
                                                 ? &market->currencies[s.currency].rate
                                                 : quoted_yield(&market->assets[s.asset]);
        for (int i = 0; i < curve->n; i++) MUST(add_date(listing, s, i, curve->time[i]));
        return STATUS_OK;
    }
    const struct asset *asset = &market->assets[s.asset];
    int n = scope == SCOPE_DIVIDEND ? asset->n_dividends
            : scope == SCOPE_STRIKE ? quoted_surface(asset)->n_times
                                    : volatility_dates(asset);
    for (int i = 0; i < n; i++)
        MUST(add_date(listing, s, i,
                      scope == SCOPE_DIVIDEND ? asset->dividends[i].time
                                              : volatility_date(asset, i)));
    return STATUS_OK;
}

/* Adds the columns of every Greek of one asset, or currency, the other -1; of the book where both
 * are. */
static enum status add_all(const struct sensitivity_listing *listing, int asset, int currency)
{
    for (int g = 0; g < N_GREEKS; g++) {
        struct sensitivity s = of_all((enum greek)g, asset, -1, currency);
        enum greek_scope scope = greek_rows[g].scope;
        bool wanted = asset >= 0      ? scope <= SCOPE_DIVIDEND
                      : currency >= 0 ? scope == SCOPE_CURRENCY || scope == SCOPE_RATE_DATE
                                      : scope == SCOPE_BOOK;
        bool whole = scope == SCOPE_ASSET || scope == SCOPE_CURRENCY || scope == SCOPE_BOOK;
        if (wanted) MUST(whole ? add(listing, s) : add_dates(listing, s));
    }
    return STATUS_OK;
}

/* ---- pairs of assets that stand in one trade ------------------------------------------------- */

/* Marks the pairs of a trade, its quanto's FX rate counted as an asset: [low][high]. */
static void mark_pairs(const struct trade *trade, int n_assets, bool *pairs)
{
    int assets[TRADE_ASSETS_MAX + 1], n = 0;
    for (int i = 0; i < trade_n_assets(trade); i++) assets[n++] = trade_asset(trade, i);
    if (trade->quanto >= 0 && !is_on(trade, trade->quanto)) assets[n++] = trade->quanto;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            pairs[assets[i] * n_assets + assets[j]] |= assets[i] < assets[j];
}

static enum status add_pairs(const struct sensitivity_listing *listing)
{
    enum status status = STATUS_OK;
    int n = listing->market->n_assets;
    bool *pairs = calloc((size_t)n * (size_t)n + 1, sizeof *pairs);
    if (!pairs) return STATUS_NO_MEMORY;
    for (int i = 0; i < listing->n_trades; i++) mark_pairs(&listing->trades[i], n, pairs);
    for (int g = 0; g < N_GREEKS; g++)
        for (int p = 0; p < n * n && greek_rows[g].scope == SCOPE_PAIR; p++)
            if (pairs[p]) TRY(add(listing, of_all((enum greek)g, p / n, p % n, -1)));
done:
    free(pairs);
    return status;
}

enum status sensitivities_list(const struct market *market, int n_trades,
                               const struct trade *trades, unsigned greeks, struct risk *risk)
{
    const struct sensitivity_listing listing = {market, n_trades, trades, greeks, risk};
    bool paired = false;
    for (int g = 0; g < N_GREEKS; g++)
        paired |= greek_rows[g].scope == SCOPE_PAIR && greeks >> g & 1;
    for (int a = 0; a < market->n_assets; a++) MUST(add_all(&listing, a, -1));
    for (int c = 0; c < market->n_currencies; c++) MUST(add_all(&listing, -1, c));
    MUST(add_all(&listing, -1, -1));
    if (paired) MUST(add_pairs(&listing));
    return STATUS_OK;
}
