#include "validation/reference/reference_scenario.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a market of its own --------------------------------------------------------------------- */

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    if (copy && bytes) memcpy(copy, from, bytes);
    return copy;
}

static enum status copy_curve(struct term_structure *curve)
{
    size_t bytes = sizeof(double) * (size_t)curve->n;
    curve->time = copy_of(curve->time, bytes);
    curve->accrued = copy_of(curve->accrued, bytes);
    return curve->time && curve->accrued ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Copies an asset, into lists of its own; all of them are its own where memory ends as well. */
static enum status copy_asset(struct asset *asset)
{
    size_t vols = (size_t)asset->surface.n_times * (size_t)asset->surface.n_strikes;
    enum status yield = copy_curve(&asset->yield), variance = copy_curve(&asset->variance);
    asset->surface.vols = copy_of(asset->surface.vols, vols * sizeof *asset->surface.vols);
    asset->dividends =
        copy_of(asset->dividends, (size_t)asset->n_dividends * sizeof *asset->dividends);
    return yield || variance || !asset->surface.vols || !asset->dividends ? STATUS_NO_MEMORY
                                                                          : STATUS_OK;
}

static enum status copy_market(const struct market *from, struct market *to)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)from->n_assets;
    *to = *from;
    to->correlation =
        copy_of(from->correlation, from->correlation ? n * n * sizeof *to->correlation : 0);
    to->currencies = copy_of(from->currencies, (size_t)from->n_currencies * sizeof *to->currencies);
    to->assets = copy_of(from->assets, n * sizeof *to->assets);
    if (!to->currencies) to->n_currencies = 0;
    if (!to->assets) to->n_assets = 0;
    if (!to->correlation || !to->currencies || !to->assets) status = STATUS_NO_MEMORY;
    for (int c = 0; c < to->n_currencies; c++)
        if (copy_curve(&to->currencies[c].rate)) status = STATUS_NO_MEMORY;
    for (int a = 0; a < to->n_assets; a++)
        if (copy_asset(&to->assets[a])) status = STATUS_NO_MEMORY;
    return status;
}

void scenario_market_free(struct market *moved)
{
    for (int c = 0; c < moved->n_currencies; c++) term_free(&moved->currencies[c].rate);
    for (int a = 0; a < moved->n_assets; a++) {
        term_free(&moved->assets[a].yield);
        term_free(&moved->assets[a].variance);
        free(moved->assets[a].surface.vols);
        free(moved->assets[a].dividends);
    }
    free(moved->currencies);
    free(moved->assets);
    free(moved->correlation);
    *moved = (struct market){0};
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* Returns a total variance to t whose volatility rises by `rise`; negative where there is none. */
static double raised_variance(double variance, double t, double rise)
{
    double volatility = sqrt(variance / t) + rise;
    return volatility > 0.0 ? volatility * volatility * t : -1.0;
}

/* Raises the total variance to each date; it must not fall. Beyond the last one the volatility to
 * it goes on. */
static bool raise_curve(struct term_structure *variance, int date, double rise)
{
    double before = 0.0;
    for (int i = 0; i < variance->n; i++) {
        double *accrued = &variance->accrued[i];
        if (date < 0 || date == i) *accrued = raised_variance(*accrued, variance->time[i], rise);
        if (*accrued < before) return false;
        before = *accrued;
    }
    variance->beyond = before / variance->time[variance->n - 1];
    return true;
}

static bool raise_surface(struct surface *surface, int date, int strike, double rise)
{
    for (int i = 0; i < surface->n_times * surface->n_strikes; i++) {
        if (date >= 0 && i / surface->n_strikes != date) continue;
        if (strike >= 0 && i % surface->n_strikes != strike) continue;
        surface->vols[i] += rise;
        if (surface->vols[i] <= 0.0) return false;
    }
    return true;
}

/* Raises the volatility today and in the long run. */
static bool raise_heston(struct heston *heston, double rise)
{
    double today = sqrt(heston->v0) + rise, later = sqrt(heston->theta) + rise;
    heston->v0 = today * today;
    heston->theta = later * later;
    return today >= 0.0 && later >= 0.0;
}

static bool raise_volatility(struct asset *asset, const struct reference_shock *shock)
{
    if (asset->surface.n_times)
        return raise_surface(&asset->surface, shock->date, shock->strike, shock->amount);
    if (asset->variance.n) return raise_curve(&asset->variance, shock->date, shock->amount);
    return raise_heston(&asset->heston, shock->amount);
}

/* Returns what accrues to t of a zero rate of 1 to one of n dates and of 0 to the others: a
 * triangle, whose side goes on after the last date. */
static double accrued_of_date(int n, const double *dates, int date, double t)
{
    double top = dates[date], before = date ? dates[date - 1] : 0.0;
    if (t <= top || date == n - 1) return top * fmax(t - before, 0.0) / (top - before);
    double line = top * (dates[date + 1] - t) / (dates[date + 1] - top);
    return date == n - 2 ? line : fmax(line, 0.0);
}

/* Raises a rate by `rise` at all times, or to one of the dates that another curve has. */
static void raise_rate(struct term_structure *curve, const struct term_structure *dates, int date,
                       double rise)
{
    int last = curve->n - 1;
    double end = curve->time[last];
    curve->beyond += date < 0 ? rise
                              : rise *
                                    (accrued_of_date(dates->n, dates->time, date, end + 1e4) -
                                     accrued_of_date(dates->n, dates->time, date, end)) /
                                    1e4;
    for (int i = 0; i <= last; i++)
        curve->accrued[i] +=
            rise * (date < 0 ? curve->time[i]
                             : accrued_of_date(dates->n, dates->time, date, curve->time[i]));
}

/* Moves what belongs to one asset; false where it cannot be. */
static bool raise_of_asset(struct asset *asset, const struct reference_shock *shock)
{
    switch (shock->what) {
    case REFERENCE_SHOCK_SPOT: asset->spot += asset->spot * shock->amount; break;
    case REFERENCE_SHOCK_VOLATILITY: return raise_volatility(asset, shock);
    case REFERENCE_SHOCK_YIELD:
        raise_rate(&asset->yield, &asset->yield, shock->date, shock->amount);
        break;
    case REFERENCE_SHOCK_CASH_DIVIDEND:
        asset->dividends[shock->date].amount += shock->amount;
        return asset->dividends[shock->date].amount > 0.0;
    case REFERENCE_SHOCK_PARAMETER: {
        const struct parameter_range *row = &parameter_ranges[shock->parameter];
        double *value = asset_parameter(asset, (enum parameter)shock->parameter);
        *value += shock->amount;
        return *value >= row->least && *value <= row->most;
    }
    case REFERENCE_SHOCK_RATE:
    case REFERENCE_SHOCK_CORRELATION: break;
    }
    return asset->spot > 0.0 && isfinite(asset->spot);
}

static bool apply(struct market *market, const struct reference_shock *shock)
{
    bool all = shock->target < 0, exists = true;
    int n = market->n_assets;
    if (shock->what == REFERENCE_SHOCK_CORRELATION) {
        double *one = &market->correlation[shock->target * n + shock->other];
        *one = fmax(-1.0, fmin(1.0, *one + shock->amount));
        market->correlation[shock->other * n + shock->target] = *one;
        return true;
    }
    for (int c = 0; shock->what == REFERENCE_SHOCK_RATE && c < market->n_currencies; c++) {
        struct term_structure *rate = &market->currencies[c].rate;
        if (all || c == shock->target) raise_rate(rate, rate, shock->date, shock->amount);
    }
    for (int a = 0; a < n; a++) {
        struct asset *asset = &market->assets[a];
        int foreign = asset->foreign_currency; /* its rate is the yield of an exchange rate */
        if (shock->what == REFERENCE_SHOCK_RATE) {
            if (foreign >= 0 && (all || foreign == shock->target))
                raise_rate(&asset->yield, &market->currencies[foreign].rate, shock->date,
                           shock->amount);
        } else if (all || a == shock->target) exists &= raise_of_asset(asset, shock);
    }
    return exists;
}

enum status scenario_market(const struct market *today, const struct reference_scenario *scenario,
                            struct market *moved, struct message *why)
{
    enum status status = copy_market(today, moved);
    for (int i = 0; !status && i < scenario->n; i++)
        if (!apply(moved, &scenario->shocks[i])) {
            snprintf(why->text, sizeof why->text,
                     "the reference has no market as far away as that");
            status = STATUS_FAILED;
        }
    for (int a = 0; a < moved->n_assets; a++)
        for (int d = 0; !status && d < moved->assets[a].n_dividends; d++)
            moved->assets[a].dividends[d].time -= scenario->years;
    return status;
}

/* ---- a trade some time later ----------------------------------------------------------------- */

void age_trade(double years, struct trade *trade)
{
    if (trade->product == PRODUCT_VARIANCE_SWAP) {
        /* Its variance is one of all its years, those that have passed included */
        double all = trade->past_years + trade->expiry, share = (all - years) / all;
        trade->notional *= share;
        trade->strike_volatility /= sqrt(share);
    }
    if (trade->expiry > 0.0) trade->expiry -= years;
    if (trade->start > 0.0) trade->start -= years;
}
