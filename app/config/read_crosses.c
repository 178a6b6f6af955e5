/* Exchange rates made of two others, { of = ["EURUSD", "USDJPY"]; correlation; }, and composites,
 * { of = ["SPX", "EURUSD"]; correlation; }: their spot, and their volatility where a correlation is
 * given; and notes on rates that contradict one another. */
#include <math.h>

#include "app/config/read_market.h"
#include "app/config/setting_path.h"
#include "app/config/values.h"

#define SPOTS_AGREE 1e-3        /* of themselves: a stated spot and that of the legs */
#define VOLATILITIES_AGREE 0.01 /* of themselves: those of one rate, and of it turned round */
#define CORRELATIONS_AGREE 0.1  /* with a third asset */

/* A cross while it is read. */
struct cross_reading {
    struct reader *reader;
    const config_setting_t *at_legs;
    struct cross cross;
};

static const struct key cross_keys[] = {
    KEY_DEFERRED(
        "of", FORM_TEXTS,
        "the two that it is made of, listed before it: exchange rates, or an asset and the "
        "rate that converts it"),
    KEY_FIELD("correlation", NUMBER, struct cross_reading, cross.correlation,
              "of the two: the volatility is then made of theirs", FROM(-1, 1)),
};
const struct key_table cross_table = KEY_TABLE("cross", cross_keys, .required = "of");

/* ---- the legs -------------------------------------------------------------------------------- */

/* Finds the two legs among the assets before; false after a complaint. */
static bool find_legs(struct cross_reading *reading)
{
    struct reader *reader = reading->reader;
    const config_setting_t *at = reading->at_legs;
    char got[VALUE_ROOM];
    if (!config_setting_is_list(at) || config_setting_length(at) != 2) {
        complain(reader, at,
                 "of must be a list of two assets, [\"EURUSD\", \"USDJPY\"] or [\"SPX\", "
                 "\"EURUSD\"], got %s",
                 show_value(at, got));
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const config_setting_t *leg = element_of(at, i);
        const char *name = read_text(reader, leg);
        int index = name ? names_find(&reader->asset_names, name) : -1;
        if (!name) return false;
        if (index < 0) {
            complain(reader, leg, "of '%.64s' must be listed before this asset", name);
            return false;
        }
        reading->cross.legs[i] = index;
    }
    return true;
}

static const struct asset *leg_of(const struct asset *assets, const struct cross *cross, int i)
{
    return &assets[cross->legs[i]];
}

/* Sets the power of leg i such that it leads from one currency to another; 0 where it does not. */
static bool leads(const struct asset *assets, struct cross *cross, int i, int from, int to)
{
    const struct asset *leg = leg_of(assets, cross, i);
    cross->power[i] = leg->foreign_currency == from && leg->currency == to   ? 1.0
                      : leg->foreign_currency == to && leg->currency == from ? -1.0
                                                                             : 0.0;
    return cross->power[i] != 0.0;
}

/* Tells whether the legs lead from the foreign currency to that of the asset, in either order, and
 * sets their powers. A share or an index leads from itself, -1, to its currency. */
static bool lead_to(const struct asset *assets, struct cross *cross, const struct asset *asset)
{
    for (int first = 0; first < 2; first++)
        for (int end = 0; end < 2; end++) {
            const struct asset *leg = leg_of(assets, cross, first);
            int c = end ? leg->currency : leg->foreign_currency;
            if (c >= 0 && leads(assets, cross, first, asset->foreign_currency, c) &&
                leads(assets, cross, 1 - first, c, asset->currency))
                return true;
        }
    return false;
}

/* The same, with a complaint where they do not, or where a leg pays cash: what it is worth in the
 * currency of the asset goes with the rate. */
static bool find_powers(struct cross_reading *reading, const struct asset *asset)
{
    struct reader *reader = reading->reader;
    const struct currency *currencies = reader->currencies;
    const struct asset *legs[] = {leg_of(reader->assets, &reading->cross, 0),
                                  leg_of(reader->assets, &reading->cross, 1)};
    const char *to = currencies[asset->currency].name;
    bool lead = lead_to(reader->assets, &reading->cross, asset);
    if (!lead && asset->foreign_currency >= 0)
        complain(reader, reading->at_legs,
                 "of must be two exchange rates that lead from %s to %s, as '%s' and '%s' do not",
                 currencies[asset->foreign_currency].name, to, legs[0]->name, legs[1]->name);
    else if (!lead)
        complain(
            reader, reading->at_legs,
            "of must be an asset and an exchange rate between its currency and %s, as '%s' and "
            "'%s' are not%s",
            to, legs[0]->name, legs[1]->name,
            legs[0]->foreign_currency >= 0 && legs[1]->foreign_currency >= 0
                ? ": two exchange rates need foreign_currency"
                : "");
    for (int i = 0; i < 2 && lead; i++)
        if (legs[i]->n_dividends) {
            complain(reader, reading->at_legs,
                     "of '%s' has cash_dividends, whose worth in %s goes with '%s': write them as "
                     "proportional_dividends or forwards",
                     legs[i]->name, to, legs[1 - i]->name);
            return false;
        }
    return lead;
}

static double spot_of_legs(const struct asset *assets, const struct cross *cross)
{
    return cross_level(cross, leg_of(assets, cross, 0)->spot, leg_of(assets, cross, 1)->spot);
}

/* ---- what is made of them -------------------------------------------------------------------- */

/* Makes the variance of the cross on the dates of both legs. */
static void make_variance(const struct cross_reading *reading, const config_setting_t *at,
                          struct asset *asset)
{
    struct reader *reader = reading->reader;
    const struct cross *cross = &asset->cross;
    struct term_structure *variance = &asset->variance;
    enum status status = term_sum(variance, &leg_of(reader->assets, cross, 0)->variance,
                                  &leg_of(reader->assets, cross, 1)->variance);
    if (status) reader->status = status;
    cross_variance(reader->assets, cross, variance);
    if (!variance->n || variance->accrued[0] > 0.0) return;
    complain(reader, at, "correlation leaves the cross no volatility: it must be %s",
             cross->correlation > 0.0 ? "less" : "more");
    term_free(variance);
}

void read_cross(struct reader *reader, const config_setting_t *group, const config_setting_t *at,
                struct asset *asset)
{
    struct cross_reading reading = {.reader = reader};
    const config_setting_t *volatility = member_of(group, "volatility"),
                           *spot = member_of(group, "spot");
    uint64_t read = read_group(reader, &cross_table, at, &reading);
    reading.at_legs = member_of(at, "of");
    const config_setting_t *correlation = member_of(at, "correlation");
    bool good = reading.at_legs && (!correlation || read_well(&cross_table, read, "correlation"));
    if (!good || !find_legs(&reading) || !find_powers(&reading, asset)) return;
    const struct asset *a = leg_of(reader->assets, &reading.cross, 0),
                       *b = leg_of(reader->assets, &reading.cross, 1);
    if (!(a->spot > 0.0 && b->spot > 0.0)) return; /* complained of */
    if (!correlation) reading.cross.correlation = NAN;
    asset->cross = reading.cross;
    bool lognormal = a->model == MODEL_BLACK_SCHOLES && b->model == MODEL_BLACK_SCHOLES &&
                     asset->model == MODEL_BLACK_SCHOLES;
    double made = spot_of_legs(reader->assets, &asset->cross);
    if (!spot) asset->spot = made;
    else if (!(fabs(asset->spot / made - 1.0) <= SPOTS_AGREE))
        complain(reader, spot,
                 "spot %.10g is %.3g %% from the %.10g that '%s' and '%s' make: leave it out, or "
                 "bring it within %g %%",
                 asset->spot, 100.0 * (asset->spot / made - 1.0), made, a->name, b->name,
                 100.0 * SPOTS_AGREE);
    if (correlation && volatility)
        complain(
            reader, correlation,
            "correlation contradicts volatility, which it would make: leave one of the two out");
    else if (correlation && !lognormal)
        complain(reader, correlation,
                 "correlation makes a volatility of those of '%s' and '%s', which with this asset "
                 "must have model = \"black_scholes\": under others give volatility in its place",
                 a->name, b->name);
    else if (correlation && a->variance.n && b->variance.n)
        make_variance(&reading, correlation, asset);
}

/* Notes a volatility of an asset that those of the legs of a cross do not allow. */
static void note_beyond(struct reader *reader, const config_setting_t *at,
                        const struct cross *cross, const struct asset *asset)
{
    const struct asset *legs[] = {leg_of(reader->assets, cross, 0),
                                  leg_of(reader->assets, cross, 1)};
    if (!legs[0]->variance.n || !legs[1]->variance.n) return;
    for (int i = 0; i < asset->variance.n; i++) {
        double t = asset->variance.time[i], volatility = sqrt(asset->variance.accrued[i] / t);
        double a = sqrt(term_accrued(&legs[0]->variance, t) / t),
               b = sqrt(term_accrued(&legs[1]->variance, t) / t);
        if (volatility >= fabs(a - b) * (1.0 - 1e-9) && volatility <= (a + b) * (1.0 + 1e-9))
            continue;
        remark(reader, at,
               "the volatility %.4g at %.6g years is beyond those that '%s' and '%s' allow, %.4g "
               "to %.4g, whatever their correlation",
               volatility, t, legs[0]->name, legs[1]->name, fabs(a - b), a + b);
        return;
    }
}

/* ---- rates that contradict others ------------------------------------------------------------ */

/* Returns the log of the forward over the spot. */
static double log_growth(const struct market *market, const struct asset *asset, double t)
{
    return term_accrued(&market->currencies[asset->currency].rate, t) -
           term_accrued(&asset->yield, t);
}

/* Notes what a cross and its legs say of each other: a volatility of its own that theirs do not
 * allow, another correlation, and a forward that its legs do not make, on the first such date of
 * its yield or theirs. */
static void note_cross(struct reader *reader, const config_setting_t *at,
                       const struct market *market, const struct asset *asset)
{
    const struct cross *cross = &asset->cross;
    const struct asset *legs[] = {leg_of(market->assets, cross, 0),
                                  leg_of(market->assets, cross, 1)};
    const config_setting_t *correlation = member_of(at, "correlation");
    if (member_of(config_setting_parent(at), "volatility")) note_beyond(reader, at, cross, asset);
    int a = cross->legs[0], b = cross->legs[1];
    double value = market->correlation[a * market->n_assets + b];
    if (correlation && !lacks_correlation(reader, a, b) &&
        fabs(cross->correlation - value) > SPOTS_AGREE)
        doubt(reader, correlation,
              "correlation is %.10g, and that of '%s' and '%s' among the correlations %.10g",
              cross->correlation, legs[0]->name, legs[1]->name, value);
    const struct asset *rates[] = {asset, legs[0], legs[1]};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < rates[i]->yield.n; k++) {
            double t = rates[i]->yield.time[k], apart = log_growth(market, asset, t);
            for (int leg = 0; leg < 2; leg++)
                apart -= cross->power[leg] * log_growth(market, legs[leg], t);
            if (fabs(apart) <= SPOTS_AGREE) continue;
            remark(reader, at,
                   "its forward at %.6g years is %.3g %% from that of '%s' and '%s': basis, "
                   "forwards or forward_points of its own bring them together",
                   t, 100.0 * expm1(apart), legs[0]->name, legs[1]->name);
            return;
        }
}

/* Returns what a leg adds to the log of a cross in a year for a normal of 1. */
static double deviation_by(const struct market *market, const struct cross *cross, int leg)
{
    return cross->power[leg] *
           sqrt(term_accrued(&leg_of(market->assets, cross, leg)->variance, 1.0));
}

/* Returns the covariance of what both add with the normal of asset k. */
static double covariance_with(const struct market *market, const struct cross *cross, int k)
{
    double sum = 0.0;
    for (int leg = 0; leg < 2; leg++)
        sum += deviation_by(market, cross, leg) *
               market->correlation[cross->legs[leg] * market->n_assets + k];
    return sum;
}

double implied_correlation(const struct market *market, int i, int k)
{
    const struct asset *asset = &market->assets[i];
    const struct cross *cross = &asset->cross;
    double variance = term_accrued(&asset->variance, 1.0);
    if (has_crossed_volatility(asset)) { /* the very sum's: the matrix stays one of a market */
        variance = 0.0;
        for (int leg = 0; leg < 2; leg++)
            variance +=
                deviation_by(market, cross, leg) * covariance_with(market, cross, cross->legs[leg]);
    }
    if (!(variance > 0.0)) return 0.0;
    return fmax(-1.0, fmin(covariance_with(market, cross, k) / sqrt(variance), 1.0));
}

/* Tells whether a trade is on asset i, or pays through it. */
static bool is_traded(const struct trade *trade, int i)
{
    bool in = false;
    for (int j = 0; j < trade_n_involved(trade); j++) in |= trade_involved(trade, j) == i;
    return in;
}

/* Notes the correlation of cross i with an asset beside it in a trade that is furthest from the one
 * that its legs imply. */
static void note_company(struct reader *reader, const config_setting_t *at,
                         const struct market *market, int i, int n_trades,
                         const struct trade *trades)
{
    const struct asset *asset = &market->assets[i],
                       *legs[] = {leg_of(market->assets, &asset->cross, 0),
                                  leg_of(market->assets, &asset->cross, 1)};
    double furthest = CORRELATIONS_AGREE, right = 0.0;
    int with = -1;
    if (!asset->variance.n || !legs[0]->variance.n || !legs[1]->variance.n) return;
    for (int t = 0; t < n_trades; t++) {
        if (!trade_n_assets(&trades[t]) || !is_traded(&trades[t], i)) continue;
        for (int j = 0; j < trade_n_involved(&trades[t]); j++) {
            int k = trade_involved(&trades[t], j);
            if (k == i || market->assets[k].model == MODEL_HISTORICAL) continue;
            double implied = implied_correlation(market, i, k),
                   apart = fabs(implied - market->correlation[i * market->n_assets + k]);
            if (apart > furthest) furthest = apart, right = implied, with = k;
        }
    }
    if (with >= 0)
        doubt(reader, at,
              "its correlation with '%s' is %.4g, and those of '%s' and '%s' with it imply %.4g",
              market->assets[with].name, market->correlation[i * market->n_assets + with],
              legs[0]->name, legs[1]->name, right);
}

/* Notes that Greeks of trades on cross i by its legs leave it where it is. */
static void note_greeks(struct reader *reader, const config_setting_t *at,
                        const struct market *market, int i, int n_trades,
                        const struct trade *trades)
{
    const struct cross *cross = &market->assets[i].cross;
    bool traded = false;
    for (int t = 0; t < n_trades && !traded; t++) traded = is_traded(&trades[t], i);
    if (traded)
        remark(reader, at,
               "Greeks of trades on it are by its own spot and volatility: those by '%s' and '%s' "
               "leave it where it is",
               leg_of(market->assets, cross, 0)->name, leg_of(market->assets, cross, 1)->name);
}

void note_crosses(struct reader *reader, const config_setting_t *group, const struct market *market,
                  int n_trades, const struct trade *trades, bool greeks)
{
    const config_setting_t *list = member_of(group, "assets");
    for (int i = 0; i < market->n_assets; i++) {
        const config_setting_t *asset = element_of(list, i), *cross = member_of(asset, "cross");
        if (!cross) continue;
        begin_subject(reader, ABOUT_ASSET, i, member_of(asset, "name"), i + 1, "the list");
        note_company(reader, cross, market, i, n_trades, trades);
        if (greeks) note_greeks(reader, cross, market, i, n_trades, trades);
    }
    end_subject(reader);
}

/* Notes a volatility and a forward of a rate that are not those of another of the same two
 * currencies: the first of each. `sign` is -1 where one is the other turned round. */
static void note_twin_terms(struct reader *reader, const config_setting_t *at,
                            const struct market *market, const struct asset *asset,
                            const struct asset *twin, double sign)
{
    for (int i = 0; i < asset->variance.n && twin->variance.n; i++) {
        double t = asset->variance.time[i], own = sqrt(asset->variance.accrued[i] / t),
               other = sqrt(term_accrued(&twin->variance, t) / t);
        if (fabs(own / other - 1.0) <= VOLATILITIES_AGREE) continue;
        doubt(
            reader, at,
            "the volatility %.4g at %.6g years is not the %.4g of '%s', of the same two currencies",
            own, t, other, twin->name);
        break;
    }
    for (int i = 0; i < asset->yield.n; i++) {
        double t = asset->yield.time[i],
               apart = log_growth(market, asset, t) - sign * log_growth(market, twin, t);
        if (fabs(apart) <= SPOTS_AGREE) continue;
        doubt(reader, at,
              "its forward at %.6g years is %.3g %% from that of '%s', of the same two currencies",
              t, 100.0 * expm1(apart), twin->name);
        break;
    }
}

/* Notes another spot of the same two currencies, other volatilities and forwards, and a correlation
 * with it that is not that of one thing with itself or with its inverse. */
static void note_twin(struct reader *reader, const config_setting_t *at,
                      const struct market *market, int index, int earlier)
{
    const struct asset *asset = &market->assets[index], *twin = &market->assets[earlier];
    bool same = asset->currency == twin->currency;
    if (!same && asset->currency != twin->foreign_currency) return;
    if (asset->foreign_currency != (same ? twin->foreign_currency : twin->currency)) return;
    double spot = same ? twin->spot : 1.0 / twin->spot, right = same ? 1.0 : -1.0,
           value = market->correlation[index * market->n_assets + earlier];
    bool normals = asset->model != MODEL_HISTORICAL && twin->model != MODEL_HISTORICAL;
    if (!(fabs(asset->spot / spot - 1.0) <= SPOTS_AGREE))
        doubt(reader, at,
              "spot %.10g is %.3g %% from the %.10g that '%s' makes, of the same two "
              "currencies",
              asset->spot, 100.0 * (asset->spot / spot - 1.0), spot, twin->name);
    if (normals && !lacks_correlation(reader, index, earlier) && fabs(value - right) > SPOTS_AGREE)
        doubt(
            reader, at,
            "its correlation with '%s', of the same two currencies, is %.10g: one is the other%s, "
            "which is %g",
            twin->name, value, same ? "" : " turned round", right);
    note_twin_terms(reader, at, market, asset, twin, right);
}

enum { TRIANGLES_AMONG = 256 }; /* exchange rates: the time of it grows as their cube */

/* Notes a spot that the first two of the rates before it that lead there do not make, or a
 * volatility that theirs do not allow. */
static void note_triangle(struct reader *reader, const config_setting_t *at,
                          const struct market *market, int index)
{
    const struct asset *asset = &market->assets[index];
    struct cross cross = {0};
    for (int i = 0; i < index; i++)
        for (int j = 0; j < i && market->assets[i].foreign_currency >= 0; j++) {
            if (market->assets[j].foreign_currency < 0) continue;
            cross.legs[0] = j, cross.legs[1] = i;
            if (!lead_to(market->assets, &cross, asset)) continue;
            double spot = spot_of_legs(market->assets, &cross);
            note_beyond(reader, at, &cross, asset);
            if (fabs(asset->spot / spot - 1.0) <= SPOTS_AGREE) return;
            doubt(reader, at, "spot %.10g is %.3g %% from the %.10g that '%s' and '%s' make",
                  asset->spot, 100.0 * (asset->spot / spot - 1.0), spot, market->assets[j].name,
                  market->assets[i].name);
            return;
        }
}

void note_rates(struct reader *reader, const config_setting_t *list, const struct market *market)
{
    int n = 0;
    for (int i = 0; i < market->n_assets; i++) {
        const config_setting_t *group = element_of(list, i), *cross = member_of(group, "cross");
        bool rate = market->assets[i].foreign_currency >= 0;
        if (!rate && !cross) continue;
        begin_subject(reader, ABOUT_ASSET, i, member_of(group, "name"), i + 1, "the list");
        if (cross) note_cross(reader, cross, market, &market->assets[i]);
        else if (n++ < TRIANGLES_AMONG) note_triangle(reader, group, market, i);
        for (int j = 0; j < i && rate; j++)
            if (market->assets[j].foreign_currency >= 0) note_twin(reader, group, market, i, j);
    }
    end_subject(reader);
}
