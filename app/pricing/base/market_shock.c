#include "app/pricing/base/market_shock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/market/delta_quotes.h"

/* ---- a market of one's own ------------------------------------------------------------------- */

static void *copy_of(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

/* What shocks can change is copied; names, returns and strikes that are quoted are shared. */
static enum status copy_asset(const struct asset *from, struct asset *to)
{
    size_t vols = (size_t)from->surface.n_times * (size_t)from->surface.n_strikes;
    *to = *from;
    to->yield = to->variance = (struct term_structure){0};
    to->dividends = copy_of(from->dividends, (size_t)from->n_dividends * sizeof *to->dividends);
    to->surface.vols = copy_of(from->surface.vols, vols * sizeof(double));
    if (from->quotes.values) {
        to->quotes.values = copy_of(from->quotes.values, vols * sizeof(double));
        to->surface.strikes =
            to->quotes.values ? copy_of(from->surface.strikes, vols * sizeof(double)) : NULL;
    }
    if (!to->dividends || !to->surface.vols || (from->quotes.values && !to->surface.strikes))
        return STATUS_NO_MEMORY;
    MUST(term_copy(&to->yield, &from->yield));
    if (from->variance.n) MUST(term_copy(&to->variance, &from->variance));
    return STATUS_OK;
}

/* Begins with what is the other market's. */
static enum status share_market(const struct market *from, struct shocked_market *to)
{
    size_t currencies = (size_t)from->n_currencies, assets = (size_t)from->n_assets;
    struct market *market = &to->market;
    *to = (struct shocked_market){.market = *from};
    market->currencies = copy_of(from->currencies, currencies * sizeof *market->currencies);
    market->assets = copy_of(from->assets, assets * sizeof *market->assets);
    to->owns_rate = calloc(currencies + 1, sizeof *to->owns_rate);
    to->owns_asset = calloc(assets + 1, sizeof *to->owns_asset);
    bool there = market->currencies && market->assets && to->owns_rate && to->owns_asset;
    return there ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Makes a currency's rates, or an asset, the market's own, if they are not. */
static enum status own_rate(struct shocked_market *shocked, int c)
{
    struct currency *currency = &shocked->market.currencies[c];
    const struct term_structure shared = currency->rate;
    if (shocked->owns_rate[c]) return STATUS_OK;
    shocked->owns_rate[c] = true;
    currency->rate = (struct term_structure){0};
    return term_copy(&currency->rate, &shared);
}

static enum status own_asset(struct shocked_market *shocked, int a)
{
    const struct asset shared = shocked->market.assets[a];
    if (shocked->owns_asset[a]) return STATUS_OK;
    shocked->owns_asset[a] = true;
    return copy_asset(&shared, &shocked->market.assets[a]);
}

void shocked_market_free(struct shocked_market *shocked)
{
    struct market *market = &shocked->market;
    for (int c = 0; shocked->owns_rate && c < market->n_currencies; c++)
        if (shocked->owns_rate[c]) term_free(&market->currencies[c].rate);
    for (int a = 0; shocked->owns_asset && a < market->n_assets; a++) {
        if (!shocked->owns_asset[a]) continue;
        if (market->assets[a].quotes.values) free(market->assets[a].surface.strikes);
        free(market->assets[a].quotes.values);
        free(market->assets[a].surface.vols);
        free(market->assets[a].dividends);
        term_free(&market->assets[a].yield);
        term_free(&market->assets[a].variance);
    }
    if (shocked->owns_correlation) free(market->correlation);
    free(market->currencies);
    free(market->assets);
    free(shocked->owns_rate);
    free(shocked->owns_asset);
    *shocked = (struct shocked_market){0};
}

/* ---- the moves ------------------------------------------------------------------------------- */

static enum status shock_spot(struct asset *asset, double amount, struct message *why)
{
    asset->spot *= 1.0 + amount;
    if (asset->spot > 0.0 && isfinite(asset->spot)) return STATUS_OK;
    if (isfinite(asset->spot))
        return say_why(STATUS_BAD_INPUT, why, "the spot of '%s' would be %.10g", asset->name,
                       asset->spot);
    return say_why(STATUS_BAD_INPUT, why, "the spot of '%s' would be beyond the range of a double",
                   asset->name);
}

static enum status volatility_lost(const struct asset *asset, double t, double volatility,
                                   struct message *why)
{
    return say_why(STATUS_BAD_INPUT, why, "the volatility of '%s' to %.6g years would be %.6g",
                   asset->name, t, volatility);
}

static enum status shift_term(struct asset *asset, const struct shock *shock, struct message *why)
{
    struct term_structure *term = &asset->variance;
    for (int i = 0; i < term->n; i++) {
        if (shock->date != EVERY && shock->date != i) continue;
        double volatility = sqrt(term->accrued[i] / term->time[i]) + shock->amount;
        if (!(volatility > 0.0)) return volatility_lost(asset, term->time[i], volatility, why);
        term->accrued[i] = volatility * volatility * term->time[i];
    }
    for (int i = 1; i < term->n; i++)
        if (term->accrued[i] < term->accrued[i - 1])
            return say_why(STATUS_BAD_INPUT, why,
                           "the total variance of '%s' would fall from %.6g to %.6g years",
                           asset->name, term->time[i - 1], term->time[i]);
    term->beyond = term->accrued[term->n - 1] / term->time[term->n - 1];
    return STATUS_OK;
}

static enum status shift_surface(struct asset *asset, const struct shock *shock,
                                 struct message *why)
{
    struct surface *surface = &asset->surface;
    for (int i = 0; i < surface->n_times; i++) {
        if (shock->date != EVERY && shock->date != i) continue;
        for (int j = 0; j < surface->n_strikes; j++) {
            if (shock->at != EVERY && shock->at != j) continue;
            double *volatility = &surface->vols[i * surface->n_strikes + j];
            *volatility += shock->amount;
            if (!(*volatility > 0.0))
                return volatility_lost(asset, surface->times[i], *volatility, why);
        }
    }
    return STATUS_OK;
}

static enum status shock_heston(struct asset *asset, const struct shock *shock, struct message *why)
{
    if (!model_takes(asset->model, TAKES_HESTON))
        return say_why(STATUS_BAD_INPUT, why, "the model %s of '%s' has no volatility to move",
                       model_name(asset->model), asset->name);
    double today = sqrt(asset->heston.v0) + shock->amount,
           later = sqrt(asset->heston.theta) + shock->amount;
    if (today < 0.0 || later < 0.0) return volatility_lost(asset, 0.0, fmin(today, later), why);
    asset->heston.v0 = today * today;
    asset->heston.theta = later * later;
    return STATUS_OK;
}

void parameter_moves(const struct asset *asset, const struct shock *shock,
                     double moves[N_PARAMETERS])
{
    const struct surface *quotes = &asset->fitted.surface;
    const int n = quotes->n_times * quotes->n_strikes;
    for (int p = 0; p < N_PARAMETERS; p++) {
        double slope = 0.0;
        for (int q = 0; q < n && model_takes(asset->model, parameter_ranges[p].group); q++) {
            bool moved = (shock->date == EVERY || shock->date == q / quotes->n_strikes) &&
                         (shock->at == EVERY || shock->at == q % quotes->n_strikes);
            if (moved) slope += asset->fitted.slopes[p * n + q];
        }
        moves[p] = slope * shock->amount;
    }
}

/* Adds `amount` to the zero rates of a curve on all its dates, or on one of those of `dates`, which
 * may be another curve's. */
static enum status shift_curve(struct term_structure *curve, const struct term_structure *dates,
                               int date, double amount)
{
    struct term_structure move = {0};
    if (date == EVERY) {
        for (int i = 0; i < curve->n; i++) curve->accrued[i] += amount * curve->time[i];
        curve->beyond += amount;
        return STATUS_OK;
    }
    double *rates = calloc((size_t)dates->n, sizeof *rates);
    if (!rates) return STATUS_NO_MEMORY;
    rates[date] = amount;
    enum status status = term_from_rates(&move, dates->n, dates->time, rates);
    free(rates);
    if (status) return status;
    for (int i = 0; i < curve->n; i++) curve->accrued[i] += term_accrued(&move, curve->time[i]);
    curve->beyond += move.beyond;
    term_free(&move);
    return STATUS_OK;
}

/* An FX rate carries the foreign currency's rates as its yield. */
static enum status shock_rates(struct shocked_market *shocked, int currency,
                               const struct shock *shock)
{
    struct market *market = &shocked->market;
    MUST(own_rate(shocked, currency));
    struct term_structure *rate = &market->currencies[currency].rate;
    MUST(shift_curve(rate, rate, shock->date, shock->amount));
    for (int a = 0; a < market->n_assets; a++) {
        if (market->assets[a].foreign_currency != currency) continue;
        MUST(own_asset(shocked, a));
        MUST(shift_curve(&market->assets[a].yield, rate, shock->date, shock->amount));
    }
    return STATUS_OK;
}

static enum status shock_dividend(struct asset *asset, const struct shock *shock,
                                  struct message *why)
{
    struct cash_dividend *dividend = &asset->dividends[shock->date];
    dividend->amount += shock->amount;
    if (dividend->amount > 0.0) return STATUS_OK;
    return say_why(STATUS_BAD_INPUT, why, "the cash dividend of '%s' in %.6g years would be %.6g",
                   asset->name, dividend->time, dividend->amount);
}

static enum status move_parameter(struct asset *asset, enum parameter parameter, double amount,
                                  struct message *why)
{
    double *value = asset_parameter(asset, parameter);
    *value += amount;
    if (*value >= parameter_ranges[parameter].least && *value <= parameter_ranges[parameter].most)
        return STATUS_OK;
    return say_why(STATUS_BAD_INPUT, why, "a parameter of the model of '%s' would be %.6g",
                   asset->name, *value);
}

static enum status remake_cross(const struct market *market, struct asset *asset,
                                struct message *why)
{
    cross_variance(market->assets, &asset->cross, &asset->variance);
    return asset->variance.accrued[0] > 0.0
               ? STATUS_OK
               : volatility_lost(asset, asset->variance.time[0], 0.0, why);
}

/* Moves what an asset owns: of a model that was fitted to its volatilities the parameters. */
static enum status shock_asset(struct shocked_market *shocked, int a, const struct shock *shock,
                               struct message *why)
{
    MUST(own_asset(shocked, a));
    struct asset *asset = &shocked->market.assets[a];
    double moves[N_PARAMETERS] = {0.0};
    bool fitted = shock->kind == SHOCK_FITTED && asset->fitted.surface.n_times;
    if (fitted) parameter_moves(asset, shock, moves);
    else if (shock->kind > SHOCK_NOTHING) moves[shock->kind - SHOCK_PARAMETERS] = shock->amount;
    if (shock->kind == SHOCK_QUOTE) {
        asset->quotes.values[shock->date * asset->surface.n_strikes + shock->at] += shock->amount;
        return delta_smile(&shocked->market, asset, shock->date, why);
    }
    if (shock->kind == SHOCK_LEGS) return remake_cross(&shocked->market, asset, why);
    if (shock->kind == SHOCK_CASH_DIVIDEND) return shock_dividend(asset, shock, why);
    if (shock->kind == SHOCK_FALLS) return asset_move_falls(asset, shock->amount);
    if (shock->kind == SHOCK_YIELD)
        return shift_curve(&asset->yield, quoted_yield(asset), shock->date, shock->amount);
    if (shock->kind == SHOCK_VOLATILITY || (shock->kind == SHOCK_FITTED && !fitted))
        return asset->surface.n_times ? shift_surface(asset, shock, why)
               : asset->variance.n    ? shift_term(asset, shock, why)
                                      : shock_heston(asset, shock, why);
    for (int p = 0; p < N_PARAMETERS; p++)
        if (moves[p] != 0.0) MUST(move_parameter(asset, (enum parameter)p, moves[p], why));
    return STATUS_OK;
}

static enum status shock_correlation(struct shocked_market *shocked, const struct shock *shock)
{
    struct market *market = &shocked->market;
    size_t n = (size_t)market->n_assets, i = (size_t)shock->target, j = (size_t)shock->other;
    if (!shocked->owns_correlation) {
        double *correlation = copy_of(market->correlation, n * n * sizeof *correlation);
        if (!correlation) return STATUS_NO_MEMORY;
        market->correlation = correlation;
        shocked->owns_correlation = true;
    }
    double value = fmin(fmax(market->correlation[i * n + j] + shock->amount, -1.0), 1.0);
    market->correlation[i * n + j] = market->correlation[j * n + i] = value;
    return STATUS_OK;
}

static enum status apply(struct shocked_market *shocked, const struct shock *shock,
                         struct message *why)
{
    struct market *market = &shocked->market;
    if (shock->kind == SHOCK_CORRELATION) return shock_correlation(shocked, shock);
    int n = shock->kind == SHOCK_RATE ? market->n_currencies : market->n_assets;
    for (int i = 0; i < n; i++) {
        if (shock->target != EVERY && shock->target != i) continue;
        if (shock->kind == SHOCK_SPOT) MUST(shock_spot(&market->assets[i], shock->amount, why));
        else if (shock->kind == SHOCK_RATE) MUST(shock_rates(shocked, i, shock));
        else MUST(shock_asset(shocked, i, shock, why));
    }
    return STATUS_OK;
}

enum status shock_market(const struct market *from, int n, const struct shock *shocks,
                         struct shocked_market *to, struct message *why)
{
    MUST(share_market(from, to));
    for (int i = 0; i < n; i++) MUST(apply(to, &shocks[i], why));
    return STATUS_OK;
}

struct bounded shocked_value(const struct market *market, const struct shock *shock)
{
    size_t n = (size_t)market->n_assets;
    if (shock->kind == SHOCK_CORRELATION)
        return (struct bounded){
            market->correlation[(size_t)shock->target * n + (size_t)shock->other], -1.0, 1.0};
    if (shock->kind <= SHOCK_NOTHING) return (struct bounded){0.0, -HUGE_VAL, HUGE_VAL};
    enum parameter parameter = (enum parameter)(shock->kind - SHOCK_PARAMETERS);
    const struct parameter_range *row = &parameter_ranges[parameter];
    return (struct bounded){*asset_parameter(&market->assets[shock->target], parameter), row->least,
                            row->most};
}

/* ---- volatilities ---------------------------------------------------------------------------- */

int volatility_dates(const struct asset *asset)
{
    const struct surface *quotes = quoted_surface(asset);
    return quotes->n_times ? quotes->n_times : asset->variance.n;
}

double volatility_date(const struct asset *asset, int date)
{
    const struct surface *quotes = quoted_surface(asset);
    return quotes->n_times ? quotes->times[date] : asset->variance.time[date];
}

/* Of a surface: the quote nearest to the spot in the row next to t. */
static double surface_at_the_money(const struct asset *asset, double t)
{
    const struct surface *surface = &asset->surface;
    int i = 0, j = 0;
    while (i + 1 < surface->n_times && surface->times[i] < t) i++;
    while (j + 1 < surface->n_strikes && surface_strike(surface, i, j) < asset->spot) j++;
    return surface->vols[i * surface->n_strikes + j];
}

double asset_volatility(const struct asset *asset, double t)
{
    double jump_variance = asset->jumps.intensity * (asset->jumps.mean * asset->jumps.mean +
                                                     asset->jumps.stdev * asset->jumps.stdev);
    double variance;
    if (asset->surface.n_times) return surface_at_the_money(asset, t);
    if (asset->variance.n) variance = term_accrued(&asset->variance, t) / t;
    else {
        struct variance_law law = variance_law(asset);
        double fade = -expm1(-law.pull * t) / (law.pull * t);
        variance = law.usual + (law.today - law.usual) * fade;
    }
    return sqrt(variance + jump_variance);
}
