/* The market and the trade elsewhere: what a reference makes of a scenario, by its own hand. */
#include "validation/reference/methods.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <string.h>

/* ---- a market of its own --------------------------------------------------------------------- */

/* Puts a copy that is owned in the place of n things, of which `array` has the address. */
#define copy_array(owner, n, array) copy_things(owner, (size_t)(n), sizeof **(array), array)
static enum status copy_things(struct effort *owner, size_t n, size_t size, void *array)
{
    void *from, *to;
    memcpy(&from, array, sizeof from);
    MUST(effort_take(owner, n, size, array));
    memcpy(&to, array, sizeof to);
    if (n) memcpy(to, from, n * size);
    return STATUS_OK;
}

static enum status copy_asset(struct effort *owner, struct asset *asset)
{
    struct surface *surface = &asset->surface;
    int vols = surface->n_times * surface->n_strikes;
    MUST(copy_array(owner, asset->yield.n, &asset->yield.accrued));
    MUST(copy_array(owner, asset->variance.n, &asset->variance.accrued));
    MUST(copy_array(owner, vols, &surface->vols));
    if (asset->quotes.values) {
        MUST(copy_array(owner, vols, &surface->strikes));
        MUST(copy_array(owner, vols, &asset->quotes.values));
    }
    return copy_array(owner, asset->n_dividends, &asset->dividends);
}

static enum status copy_market(struct effort *owner, const struct market *from, struct market *to)
{
    int n = from->n_assets;
    *to = *from;
    MUST(copy_array(owner, from->correlation ? n * n : 0, &to->correlation));
    MUST(copy_array(owner, from->n_currencies, &to->currencies));
    MUST(copy_array(owner, n, &to->assets));
    for (int c = 0; c < to->n_currencies; c++) {
        struct term_structure *rate = &to->currencies[c].rate;
        MUST(copy_array(owner, rate->n, &rate->accrued));
    }
    for (int a = 0; a < to->n_assets; a++) MUST(copy_asset(owner, &to->assets[a]));
    return STATUS_OK;
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

/* Returns what accrues to t of a zero rate of 1 to all dates (-1), or to one of the curve's and of
 * 0 to the others: a triangle, whose side goes on after the last date. */
static double accrued_of_date(const struct term_structure *curve, int date, double t)
{
    const double *dates = curve->time;
    int n = curve->n;
    if (date < 0) return t;
    double top = dates[date], before = date ? dates[date - 1] : 0.0;
    if (t <= top || date == n - 1) return top * fmax(t - before, 0.0) / (top - before);
    double line = top * (dates[date + 1] - t) / (dates[date + 1] - top);
    return date == n - 2 ? line : fmax(line, 0.0);
}

/* Raises a rate by `rise` at all times, or to one of the dates that another curve has. */
static void raise_rate(struct term_structure *curve, const struct term_structure *dates, int date,
                       double rise)
{
    double end = curve->time[curve->n - 1], late = accrued_of_date(dates, date, end + 1e4);
    curve->beyond += date < 0 ? rise : rise * (late - accrued_of_date(dates, date, end)) / 1e4;
    for (int i = 0; i < curve->n; i++)
        curve->accrued[i] += rise * accrued_of_date(dates, date, curve->time[i]);
}

/* Moves what belongs to one asset; false where it cannot be. */
static bool raise_of_asset(struct asset *asset, const struct reference_shock *shock)
{
    switch (shock->what) {
    case REFERENCE_SHOCK_SPOT: asset->spot += asset->spot * shock->amount; break;
    case REFERENCE_SHOCK_VOLATILITY: return raise_volatility(asset, shock);
    case REFERENCE_SHOCK_YIELD:
        raise_rate(&asset->yield, quoted_yield(asset), shock->date, shock->amount);
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
    case REFERENCE_SHOCK_QUOTE:
        asset->quotes.values[shock->date * asset->surface.n_strikes + shock->strike] +=
            shock->amount;
        break;
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

/* Brings proportional dividends nearer: what the yield has of them accrues sooner. */
static enum status move_falls(struct effort *owner, double years, struct asset *asset)
{
    struct term_structure moved = asset->falls, yield = asset->yield;
    if (!moved.n || years == 0.0) return STATUS_OK;
    MUST(copy_array(owner, moved.n, &moved.time));
    for (int i = 0; i < moved.n; i++) moved.time[i] -= years;
    MUST(effort_array(owner, yield.n + moved.n, &yield.time));
    MUST(effort_array(owner, yield.n + moved.n, &yield.accrued));
    yield.n = 0;
    for (int i = 0, j = 0; i < asset->yield.n || j < moved.n;) {
        bool first = j == moved.n || (i < asset->yield.n && asset->yield.time[i] < moved.time[j]);
        double t = first ? asset->yield.time[i++] : moved.time[j++];
        if (t <= 0.0 || (yield.n && t == yield.time[yield.n - 1])) continue;
        yield.time[yield.n] = t;
        yield.accrued[yield.n++] = curve_accrued(&asset->yield, t) -
                                   curve_accrued(&asset->falls, t) + curve_accrued(&moved, t);
    }
    asset->yield = yield;
    return STATUS_OK;
}

enum status scenario_market(const struct market *today, const struct reference_scenario *scenario,
                            struct effort *owner, struct market *moved)
{
    MUST(copy_market(owner, today, moved));
    for (int i = 0; i < scenario->n; i++) {
        const struct reference_shock *shock = &scenario->shocks[i];
        if (!apply(moved, shock))
            return effort_fail(owner, "the reference has no market as far away as that");
        if (shock->what == REFERENCE_SHOCK_QUOTE)
            MUST(quoted_smile(moved, shock->target, shock->date, owner));
    }
    for (int a = 0; a < moved->n_assets; a++) {
        MUST(move_falls(owner, scenario->years, &moved->assets[a]));
        for (int d = 0; d < moved->assets[a].n_dividends; d++)
            moved->assets[a].dividends[d].time -= scenario->years;
    }
    return STATUS_OK;
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
