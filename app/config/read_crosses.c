/* Exchange rates made of two others, { of = ["EURUSD", "USDJPY"]; correlation; }: the spot, and the
 * volatility where a correlation is given; and notes on rates that contradict one another. */
#include <math.h>

#include "app/config/read_market.h"
#include "app/config/setting_path.h"
#include "app/config/values.h"

#define SPOTS_AGREE 1e-3        /* of themselves: a stated spot and that of the legs */
#define VOLATILITIES_AGREE 0.01 /* of themselves: those of one rate, and of it turned round */
#define CORRELATIONS_AGREE 0.1  /* with a third asset */

/* A cross while it is read: X = A^power[0] B^power[1]. */
struct cross {
    struct reader *reader;
    const config_setting_t *at_legs;
    double correlation; /* of the two legs */
    const struct asset *legs[2];
    double power[2]; /* 1 or -1 */
};

static const struct key cross_keys[] = {
    KEY_DEFERRED("of", FORM_TEXTS, "the two exchange rates that it is made of, listed before it"),
    KEY_FIELD("correlation", NUMBER, struct cross, correlation,
              "of the two: the volatility is then made of theirs", FROM(-1, 1)),
};
const struct key_table cross_table = KEY_TABLE("cross", cross_keys, .required = "of");

/* ---- the legs -------------------------------------------------------------------------------- */

/* Finds the two exchange rates among the assets before; false after a complaint. */
static bool find_legs(struct cross *cross)
{
    struct reader *reader = cross->reader;
    const config_setting_t *at = cross->at_legs;
    char got[VALUE_ROOM];
    if (!config_setting_is_list(at) || config_setting_length(at) != 2) {
        complain(reader, at,
                 "of must be a list of two exchange rates [\"EURUSD\", \"USDJPY\"], got %s",
                 show_value(at, got));
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const config_setting_t *leg = element_of(at, i);
        const char *name = read_text(reader, leg);
        int index = name ? names_find(&reader->asset_names, name) : -1;
        if (!name) return false;
        if (index < 0 || reader->assets[index].foreign_currency < 0) {
            complain(reader, leg,
                     "of '%.64s' must be an exchange rate that is listed before this asset", name);
            return false;
        }
        cross->legs[i] = &reader->assets[index];
    }
    return true;
}

/* Sets the power of leg i such that it leads from one currency to another; 0 where it does not. */
static bool leads(struct cross *cross, int i, int from, int to)
{
    const struct asset *leg = cross->legs[i];
    cross->power[i] = leg->foreign_currency == from && leg->currency == to   ? 1.0
                      : leg->foreign_currency == to && leg->currency == from ? -1.0
                                                                             : 0.0;
    return cross->power[i] != 0.0;
}

/* Tells whether the legs lead from the foreign currency to that of the asset, in either order, and
 * sets their powers. */
static bool lead_to(struct cross *cross, const struct asset *asset)
{
    for (int first = 0; first < 2; first++)
        for (int end = 0; end < 2; end++) {
            const struct asset *leg = cross->legs[first];
            int c = end ? leg->currency : leg->foreign_currency;
            if (leads(cross, first, asset->foreign_currency, c) &&
                leads(cross, 1 - first, c, asset->currency))
                return true;
        }
    return false;
}

/* The same, with a complaint where they do not. */
static bool find_powers(struct cross *cross, const struct asset *asset)
{
    if (lead_to(cross, asset)) return true;
    complain(cross->reader, cross->at_legs,
             "of must be two exchange rates that lead from %s to %s, as '%s' and '%s' do not",
             cross->reader->currencies[asset->foreign_currency].name,
             cross->reader->currencies[asset->currency].name, cross->legs[0]->name,
             cross->legs[1]->name);
    return false;
}

/* Finds all of a cross that its group says; false after a complaint. */
static bool find_cross(struct reader *reader, const config_setting_t *at, const struct asset *asset,
                       struct cross *cross)
{
    *cross = (struct cross){.reader = reader, .at_legs = member_of(at, "of")};
    return find_legs(cross) && find_powers(cross, asset);
}

static double spot_of_legs(const struct cross *cross)
{
    double spot = 1.0;
    for (int i = 0; i < 2; i++)
        spot = cross->power[i] > 0.0 ? spot * cross->legs[i]->spot : spot / cross->legs[i]->spot;
    return spot;
}

/* ---- what is made of them -------------------------------------------------------------------- */

/* Returns what accrues of the cross from one date to another, over which both legs' variances
 * accrue evenly: V = A + B + 2 rho sqrt(A B), with the sign of their powers. */
static double cross_variance(const struct cross *cross, double from, double to)
{
    double variances[2];
    for (int i = 0; i < 2; i++) {
        const struct term_structure *leg = &cross->legs[i]->variance;
        variances[i] =
            fmax(term_accrued(leg, to) - (from > 0.0 ? term_accrued(leg, from) : 0.0), 0.0);
    }
    return variances[0] + variances[1] +
           2.0 * cross->correlation * cross->power[0] * cross->power[1] *
               sqrt(variances[0] * variances[1]);
}

/* Makes the variance of the cross on the dates of both legs. */
static void make_variance(struct cross *cross, const config_setting_t *at, struct asset *asset)
{
    struct term_structure *variance = &asset->variance;
    enum status status = term_sum(variance, &cross->legs[0]->variance, &cross->legs[1]->variance);
    double sum = 0.0;
    if (status) cross->reader->status = status;
    for (int i = 0; i < variance->n; i++) {
        sum += cross_variance(cross, i ? variance->time[i - 1] : 0.0, variance->time[i]);
        variance->accrued[i] = sum;
    }
    if (!variance->n) return;
    double last = variance->time[variance->n - 1];
    variance->beyond = cross_variance(cross, last, last + 1.0);
    if (variance->accrued[0] > 0.0) return;
    complain(cross->reader, at, "correlation leaves the cross no volatility: it must be %s",
             cross->correlation > 0.0 ? "less" : "more");
    term_free(variance);
}

void read_cross(struct reader *reader, const config_setting_t *group, const config_setting_t *at,
                struct asset *asset)
{
    struct cross cross = {.reader = reader};
    const config_setting_t *volatility = member_of(group, "volatility"),
                           *spot = member_of(group, "spot");
    uint64_t read = read_group(reader, &cross_table, at, &cross);
    cross.at_legs = member_of(at, "of");
    const config_setting_t *correlation = member_of(at, "correlation");
    bool good = cross.at_legs && (!correlation || read_well(&cross_table, read, "correlation"));
    if (!good || !find_legs(&cross) || !find_powers(&cross, asset)) return;
    if (!(cross.legs[0]->spot > 0.0 && cross.legs[1]->spot > 0.0)) return; /* complained of */
    bool legs_vary = cross.legs[0]->variance.n && cross.legs[1]->variance.n;
    double made = spot_of_legs(&cross);
    if (!spot) asset->spot = made;
    else if (!(fabs(asset->spot / made - 1.0) <= SPOTS_AGREE))
        complain(reader, spot,
                 "spot %.10g is %.3g %% from the %.10g that '%s' and '%s' make: leave it out, or "
                 "bring it within %g %%",
                 asset->spot, 100.0 * (asset->spot / made - 1.0), made, cross.legs[0]->name,
                 cross.legs[1]->name, 100.0 * SPOTS_AGREE);
    if (correlation && volatility)
        complain(
            reader, correlation,
            "correlation contradicts volatility, which it would make: leave one of the two out");
    else if (correlation && !(legs_vary && asset->model == MODEL_BLACK_SCHOLES))
        complain(reader, correlation,
                 "correlation makes a volatility of those of '%s' and '%s', which with this asset "
                 "must have model = \"black_scholes\"",
                 cross.legs[0]->name, cross.legs[1]->name);
    else if (correlation) make_variance(&cross, correlation, asset);
}

/* Notes a volatility of an asset that those of the legs do not allow. */
static void note_beyond(const struct cross *cross, const config_setting_t *at,
                        const struct asset *asset)
{
    if (!cross->legs[0]->variance.n || !cross->legs[1]->variance.n) return;
    for (int i = 0; i < asset->variance.n; i++) {
        double t = asset->variance.time[i], volatility = sqrt(asset->variance.accrued[i] / t);
        double a = sqrt(term_accrued(&cross->legs[0]->variance, t) / t),
               b = sqrt(term_accrued(&cross->legs[1]->variance, t) / t);
        if (volatility >= fabs(a - b) * (1.0 - 1e-9) && volatility <= (a + b) * (1.0 + 1e-9))
            continue;
        remark(cross->reader, at,
               "the volatility %.4g at %.6g years is beyond those that '%s' and '%s' allow, %.4g "
               "to %.4g, whatever their correlation",
               volatility, t, cross->legs[0]->name, cross->legs[1]->name, fabs(a - b), a + b);
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
    struct cross cross;
    const config_setting_t *correlation = member_of(at, "correlation");
    if (!find_cross(reader, at, asset, &cross)) return;
    if (member_of(config_setting_parent(at), "volatility")) note_beyond(&cross, at, asset);
    int a = (int)(cross.legs[0] - reader->assets), b = (int)(cross.legs[1] - reader->assets);
    double value = market->correlation[a * market->n_assets + b];
    if (correlation && !lacks_correlation(reader, a, b) &&
        fabs(setting_number(correlation) - value) > SPOTS_AGREE)
        doubt(reader, correlation,
              "correlation is %.10g, and that of '%s' and '%s' among the correlations %.10g",
              setting_number(correlation), cross.legs[0]->name, cross.legs[1]->name, value);
    const struct asset *rates[] = {asset, cross.legs[0], cross.legs[1]};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < rates[i]->yield.n; k++) {
            double t = rates[i]->yield.time[k], apart = log_growth(market, asset, t);
            for (int leg = 0; leg < 2; leg++)
                apart -= cross.power[leg] * log_growth(market, cross.legs[leg], t);
            if (fabs(apart) <= SPOTS_AGREE) continue;
            remark(reader, at,
                   "its forward at %.6g years is %.3g %% from that of '%s' and '%s': basis, "
                   "forwards or forward_points of its own bring them together",
                   t, 100.0 * expm1(apart), cross.legs[0]->name, cross.legs[1]->name);
            return;
        }
}

/* Returns the correlation of a cross with asset k that its legs imply, by variances of a year. */
static double implied_correlation(const struct cross *cross, const struct market *market,
                                  const struct asset *asset, int k)
{
    double sum = 0.0;
    for (int leg = 0; leg < 2; leg++) {
        int a = (int)(cross->legs[leg] - market->assets);
        sum += cross->power[leg] * sqrt(term_accrued(&cross->legs[leg]->variance, 1.0)) *
               market->correlation[a * market->n_assets + k];
    }
    return fmax(-1.0, fmin(sum / sqrt(term_accrued(&asset->variance, 1.0)), 1.0));
}

/* Notes the correlation of cross i with an asset beside it in a trade that is furthest from the one
 * that its legs imply. */
static void note_company(struct reader *reader, const config_setting_t *at,
                         const struct market *market, int i, int n_trades,
                         const struct trade *trades)
{
    struct cross cross;
    const struct asset *asset = &market->assets[i];
    double furthest = CORRELATIONS_AGREE, right = 0.0;
    int with = -1;
    if (!asset->variance.n || !find_cross(reader, at, asset, &cross)) return;
    if (!cross.legs[0]->variance.n || !cross.legs[1]->variance.n) return;
    for (int t = 0; t < n_trades; t++) {
        int n = trade_n_assets(&trades[t]), last = n + (trades[t].quanto >= 0);
        bool in = trades[t].quanto == i;
        for (int j = 0; j < n; j++) in |= trade_asset(&trades[t], j) == i;
        for (int j = 0; n && in && j < last; j++) {
            int k = j < n ? trade_asset(&trades[t], j) : trades[t].quanto;
            if (k == i || market->assets[k].model == MODEL_HISTORICAL) continue;
            double implied = implied_correlation(&cross, market, asset, k),
                   apart = fabs(implied - market->correlation[i * market->n_assets + k]);
            if (apart > furthest) furthest = apart, right = implied, with = k;
        }
    }
    if (with >= 0)
        doubt(reader, at,
              "its correlation with '%s' is %.4g, and those of '%s' and '%s' with it imply %.4g",
              market->assets[with].name, market->correlation[i * market->n_assets + with],
              cross.legs[0]->name, cross.legs[1]->name, right);
}

void note_crosses(struct reader *reader, const config_setting_t *group, const struct market *market,
                  int n_trades, const struct trade *trades)
{
    const config_setting_t *list = member_of(group, "assets");
    for (int i = 0; i < market->n_assets; i++) {
        const config_setting_t *asset = element_of(list, i), *cross = member_of(asset, "cross");
        if (!cross) continue;
        begin_subject(reader, ABOUT_ASSET, i, member_of(asset, "name"), i + 1, "the list");
        note_company(reader, cross, market, i, n_trades, trades);
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
    struct cross cross = {.reader = reader};
    for (int i = 0; i < index; i++)
        for (int j = 0; j < i && market->assets[i].foreign_currency >= 0; j++) {
            if (market->assets[j].foreign_currency < 0) continue;
            cross.legs[0] = &market->assets[j], cross.legs[1] = &market->assets[i];
            if (!lead_to(&cross, asset)) continue;
            double spot = spot_of_legs(&cross);
            note_beyond(&cross, at, asset);
            if (fabs(asset->spot / spot - 1.0) <= SPOTS_AGREE) return;
            doubt(reader, at, "spot %.10g is %.3g %% from the %.10g that '%s' and '%s' make",
                  asset->spot, 100.0 * (asset->spot / spot - 1.0), spot, cross.legs[0]->name,
                  cross.legs[1]->name);
            return;
        }
}

void note_rates(struct reader *reader, const config_setting_t *list, const struct market *market)
{
    int n = 0;
    for (int i = 0; i < market->n_assets; i++) {
        const config_setting_t *group = element_of(list, i), *cross = member_of(group, "cross");
        if (market->assets[i].foreign_currency < 0) continue;
        begin_subject(reader, ABOUT_ASSET, i, member_of(group, "name"), i + 1, "the list");
        if (cross) note_cross(reader, cross, market, &market->assets[i]);
        else if (n++ < TRIANGLES_AMONG) note_triangle(reader, group, market, i);
        for (int j = 0; j < i; j++)
            if (market->assets[j].foreign_currency >= 0) note_twin(reader, group, market, i, j);
    }
    end_subject(reader);
}
