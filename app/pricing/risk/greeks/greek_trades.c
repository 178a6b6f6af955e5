#include "app/pricing/risk/greeks/greek_trades.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "app/pricing/base/market_shock.h"
#include "app/pricing/risk/greeks/greek_errors.h"
#include "app/pricing/risk/greeks/sensitivities.h"
#include "models/base/grow.h"
#include "models/market/correlation.h"
#include "models/math/constants.h"
#include "models/math/normal_cdf.h"
#include "models/payoffs/payoff_definition.h"
#include "models/payoffs/product_numbers.h"

enum status greek_trades_add(const struct trade *trade, int row, int column,
                             struct greek_trades *trades)
{
    int n = trades->n + 1, room = trades->room;
    MUST(grow_array(&trades->trades, &room, n, sizeof *trades->trades));
    MUST(grow_array(&trades->places, &trades->room, n, sizeof *trades->places));
    trades->trades[trades->n] = *trade;
    trades->places[trades->n++] = (struct greek_place){row, column};
    return STATUS_OK;
}

void greek_trades_free(struct greek_trades *trades)
{
    free(trades->trades);
    free(trades->places);
    *trades = (struct greek_trades){0};
}

bool trade_takes(const struct market *market, const struct trade *trade, int group)
{
    bool takes = false;
    for (int i = 0; i < trade_n_assets(trade); i++)
        takes |= model_takes(market->assets[trade_asset(trade, i)].model, group);
    return takes;
}

bool has_same_exercise(const struct market *market, const struct trade *trade)
{
    return product_has(trade->product, EARLY_EXERCISE) &&
           !trade_takes(market, trade, TAKES_HISTORY) &&
           (trade_n_assets(trade) == 1 || !trade_takes(market, trade, TAKES_SURFACE));
}

bool steps_at_pillars_of(const struct trade *trade)
{
    return trade->monitoring.continuous || trade_n_assets(trade) > 1;
}

/* Tells whether an asset of a trade pays a cash dividend before the expiry. */
static bool pays_dividends(const struct market *market, const struct trade *trade)
{
    bool pays = false;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        pays |= asset->n_dividends && asset->dividends[0].time <= trade->expiry;
    }
    return pays;
}

/* ---- assets that are one --------------------------------------------------------------------- */

/* Tells whether two assets of a trade move alike on all paths. */
static bool move_alike(const struct market *market, const struct trade *trade, int a, int b)
{
    const struct asset *one = &market->assets[a], *other = &market->assets[b];
    if (one->model != MODEL_BLACK_SCHOLES || other->model != MODEL_BLACK_SCHOLES) return false;
    if (market->correlation[a * market->n_assets + b] != 1.0 || one->currency != other->currency)
        return false;
    for (int k = 1; k <= 4; k++) {
        double t = 0.25 * k * trade->expiry;
        if (term_accrued(&one->variance, t) != term_accrued(&other->variance, t) ||
            term_accrued(&one->yield, t) != term_accrued(&other->yield, t))
            return false;
    }
    return !pays_dividends(market, trade);
}

bool moves_with_another(const struct market *market, const struct trade *trade, int asset,
                        int other)
{
    bool found = false;
    for (int j = 0; j < trade_n_assets(trade) && !found; j++) {
        int b = trade_asset(trade, j);
        found = b != asset && (other < 0 || b == other) && move_alike(market, trade, asset, b);
    }
    return found;
}

/* What an asset of a trade is worth there. */
static double worth(const struct market *market, const struct trade *trade, int asset)
{
    double worth = 0.0;
    for (int i = 0; i < trade_n_assets(trade); i++)
        if (trade_asset(trade, i) == asset)
            worth = trade_weight(trade, i) * market->assets[asset].spot;
    return worth;
}

bool leads_with_another(const struct market *market, const struct trade *trade, int asset,
                        int other)
{
    bool leads = trade->kind == BASKET_BEST_OF || trade->kind == BASKET_WORST_OF, found = false;
    double own = worth(market, trade, asset);
    if (trade->product != PRODUCT_BASKET && trade->product != PRODUCT_AMERICAN) return false;
    for (int j = 0; j < trade_n_assets(trade) && leads; j++) {
        int b = trade_asset(trade, j);
        found |= (other < 0 || b == other) && moves_with_another(market, trade, asset, b) &&
                 fabs(own - worth(market, trade, b)) < 1e-9 * own;
    }
    return found;
}

/* ---- conditional expectations ---------------------------------------------------------------- */

/* Spread of ln S at the pivot over the distance of the nearer barrier, as near as the dates allow.
 * With pivots after all, a half, a quarter and a tenth of the dates and at the first, the errors of
 * the gammas of eight options, on daily to quarterly dates, were at the pivot nearest to this
 * within half again of the least. */
#define SPREAD_OF_DISTANCE 0.6

static bool is_barrier(const struct trade *trade)
{
    bool touch = trade->product == PRODUCT_TOUCH;
    bool option = trade->product == PRODUCT_BARRIER || trade->product == PRODUCT_DOUBLE_BARRIER;
    if ((!touch && !option) || trade->monitoring.continuous) return false;
    if (touch && trade->touch == TOUCH_ONE && trade->pay_at == PAY_AT_HIT) return false;
    if (option && trade->rebate > 0.0 && trade->knock == KNOCK_OUT && trade->pay_at == PAY_AT_HIT)
        return false;
    return true;
}

/* Of ln S to the nearer barrier. */
static double distance(double spot, const struct trade *trade)
{
    const double barriers[] = {trade->barrier, trade->lower, trade->upper};
    double nearest = HUGE_VAL;
    for (int i = 0; i < 3; i++)
        if (barriers[i] > 0.0) nearest = fmin(nearest, fabs(log(barriers[i] / spot)));
    return nearest;
}

static double barrier_pivot(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    const struct schedule *dates = &trade->monitoring;
    double pivot = 0.0, best = HUGE_VAL, wanted = SPREAD_OF_DISTANCE * distance(asset->spot, trade);
    for (int i = 0; i < dates->n; i++) {
        double spread = sqrt(term_accrued(&asset->variance, dates->times[i])),
               off = fabs(spread - wanted);
        if (!(dates->times[i] > 0.0 && spread > 0.0 && off < best)) continue;
        best = off;
        pivot = dates->times[i];
    }
    return pivot;
}

/* Least variance of an asset's noise given those before it: bumps of correlations must leave some.
 */
#define LEAST_OWN_NOISE 0.05

static bool is_autocallable(const struct market *market, const struct trade *trade)
{
    double block[TRADE_ASSETS_MAX * TRADE_ASSETS_MAX] = {0.0},
                                    loadings[TRADE_ASSETS_MAX * TRADE_ASSETS_MAX];
    int n = trade_n_assets(trade);
    if (trade->product != PRODUCT_AUTOCALLABLE || trade->memory) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            block[i * n + j] = i == j
                                   ? 1.0
                                   : market->correlation[trade_asset(trade, i) * market->n_assets +
                                                         trade_asset(trade, j)];
    if (correlation_loadings(n, block, loadings, NULL)) return false;
    for (int i = 0; i < n; i++)
        if (loadings[i * n + i] * loadings[i * n + i] < LEAST_OWN_NOISE) return false;
    return true;
}

double conditional_pivot(const struct market *market, const struct trade *trade)
{
    for (int i = 0; i < trade_n_assets(trade); i++)
        if (market->assets[trade_asset(trade, i)].model != MODEL_BLACK_SCHOLES) return 0.0;
    if (pays_dividends(market, trade)) return 0.0;
    if (is_barrier(trade)) return barrier_pivot(market, trade);
    if (!is_autocallable(market, trade)) return 0.0;
    const struct schedule *dates = &trade->observations;
    for (int i = 0; i < dates->n; i++)
        if (dates->times[i] > 0.0) return dates->times[i];
    return trade->expiry;
}

/* ---- likelihood ratios ----------------------------------------------------------------------- */

bool has_likelihood_ratio(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    return trade->product == PRODUCT_DIGITAL && asset->model == MODEL_BLACK_SCHOLES &&
           !asset->n_dividends && !trade->quanto.n;
}

struct lognormal_law {
    double mean, stdev, log_discount;
};

static struct lognormal_law law_of(const struct market *market, const struct trade *trade,
                                   double expiry)
{
    const struct asset *asset = &market->assets[trade->asset];
    const struct term_structure *curve = &market->currencies[asset->currency].rate;
    double rate = term_accrued(curve, expiry),
           paid = term_accrued(curve, expiry + trade->payment_lag);
    double variance = term_accrued(&asset->variance, expiry);
    double drift = rate - term_accrued(&asset->yield, expiry) - 0.5 * variance;
    return (struct lognormal_law){log(asset->spot) + drift, sqrt(variance), -paid};
}

#define GREEK(NAME, name, column, first, second, scope, method, step)                              \
    _Static_assert(METHOD_##method != METHOD_LIKELIHOOD ||                                         \
                       (SLOPE_##first == SLOPE_SPOT && SLOPE_##second == SLOPE_SPOT) ||            \
                       (SLOPE_##first != SLOPE_OTHER_SPOT && SLOPE_##first != SLOPE_CORRELATION && \
                        SLOPE_##second == SLOPE_NOTHING),                                          \
                   #name ": score_of() does not know its likelihood ratio");
#include "app/pricing/base/greeks.def"
#undef GREEK

/* How the law changes with what the sensitivity moves, by central differences of small moves. */
static enum status slope_of(const struct market *market, const struct trade *trade,
                            const struct sensitivity *s, struct lognormal_law *slope,
                            struct message *why)
{
    enum status status = STATUS_OK;
    struct shocked_market up = {0}, down = {0};
    enum slope slope_to = greek_rows[s->greek].first;
    struct shock shock = sensitivity_shock(s, slope_to, 1e-5);
    double passed = slope_to == SLOPE_TIME ? 1e-5 * trade->expiry : 0.0;
    if (slope_to == SLOPE_TIME)
        shock = (struct shock){SHOCK_FALLS, trade->asset, EVERY, EVERY, EVERY, passed};
    double bump = slope_to == SLOPE_TIME     ? passed
                  : shock.kind == SHOCK_SPOT ? 1e-5 * market->assets[shock.target].spot
                                             : 1e-5;
    TRY(shock_market(market, 1, &shock, &up, why));
    shock.amount = -shock.amount;
    TRY(shock_market(market, 1, &shock, &down, why));
    struct lognormal_law a = law_of(&up.market, trade, trade->expiry - passed);
    struct lognormal_law b = law_of(&down.market, trade, trade->expiry + passed);
    *slope =
        (struct lognormal_law){(a.mean - b.mean) / (2.0 * bump), (a.stdev - b.stdev) / (2.0 * bump),
                               (a.log_discount - b.log_discount) / (2.0 * bump)};
done:
    shocked_market_free(&up);
    shocked_market_free(&down);
    return status;
}

/* The score as c[0] + c[1] z + c[2] z^2. */
static enum status score_of(const struct market *market, const struct trade *trade,
                            const struct sensitivity *s, double c[3], struct message *why)
{
    const struct lognormal_law law = law_of(market, trade, trade->expiry);
    double spot = market->assets[trade->asset].spot,
           scale = 1.0 / (spot * spot * law.stdev * law.stdev);
    struct lognormal_law slope = {0};
    c[0] = -scale;
    c[1] = -law.stdev * scale;
    c[2] = scale;
    if (greek_rows[s->greek].second == SLOPE_SPOT) return STATUS_OK;
    enum status status = slope_of(market, trade, s, &slope, why);
    c[2] = slope.stdev / law.stdev;
    c[1] = slope.mean / law.stdev;
    c[0] = slope.log_discount - c[2];
    return status;
}

/* Returns which part of Q w, what a path would pay in the money times its score, is to be taken off
 * all paths: the one that leaves the least variance, Cov(1 Q w, Q w) / Var(Q w). */
static double part_taken_off(const struct trade *trade, const struct lognormal_law *law,
                             const double c[3])
{
    enum { HALF = 100 }; /* z to ten deviations on both sides of where its squares lie */
    double h = trade->payout == PAYOUT_ASSET ? law->stdev : 0.0, weights = 0.0, mean = 0.0;
    double square = 0.0, mean_in = 0.0, square_in = 0.0;
    double strike = (log(trade->strike) - law->mean) / law->stdev;
    for (int i = -HALF; i <= HALF; i++) {
        double z = 2.0 * h + 0.1 * i, weight = exp(-0.5 * z * z);
        double scored = exp(h * z) * (c[0] + z * (c[1] + z * c[2]));
        bool in = trade->option == OPTION_CALL ? z > strike : z < strike;
        weights += weight;
        mean += weight * scored;
        square += weight * scored * scored;
        mean_in += in ? weight * scored : 0.0;
        square_in += in ? weight * scored * scored : 0.0;
    }
    double part = (square_in - mean_in * mean / weights) / (square - mean * mean / weights);
    return fmin(fmax(part, 0.0), 1.0); /* 0 where there is no score */
}

/* Returns the mean of D Q w; weighted with an asset that is paid z has the mean s. */
static double mean_with_score(const struct trade *trade, const struct lognormal_law *law,
                              const double c[3])
{
    bool asset = trade->payout == PAYOUT_ASSET;
    double h = asset ? law->stdev : 0.0, paid = asset ? exp(law->mean + 0.5 * h * h) : trade->cash;
    return paid * exp(law->log_discount) * (c[0] + h * c[1] + (1.0 + h * h) * c[2]);
}

/* Adds a copy with the score of a column. */
static enum status add_copy(const struct market *market, const struct trade *trade, int row,
                            int column, struct sensitivity *s, struct greek_trades *copies)
{
    struct trade copy = *trade;
    const struct lognormal_law law = law_of(market, trade, trade->expiry);
    double c[3], a = LN2 / law.stdev, b = -law.mean / law.stdev;
    enum status status = score_of(market, trade, s, c, &s->left_out);
    if (status) return status == STATUS_NO_MEMORY ? status : STATUS_OK;
    /* Of z = (x ln 2 - m) / s into powers of x = log2 S. */
    copy.score[0] = c[0] + b * (c[1] + b * c[2]) - 1.0;
    copy.score[1] = a * (c[1] + 2.0 * b * c[2]);
    copy.score[2] = a * a * c[2];
    copy.score_control[0] = part_taken_off(trade, &law, c);
    copy.score_control[1] = copy.score_control[0] * mean_with_score(trade, &law, c);
    return greek_trades_add(&copy, row, column, copies);
}

double score_crossing(const struct market *market, const struct trade *copy, uint64_t paths)
{
    const struct lognormal_law law = law_of(market, copy, copy->expiry);
    double x = log2(copy->strike), beyond = fabs(x * LN2 - law.mean) / law.stdev;
    double expected = (double)paths * normal_cdf(-beyond);
    double weight = 1.0 + copy->score[0] + x * (copy->score[1] + x * copy->score[2]);
    return fabs(weight) * payoff_jump(market, copy) * sqrt(fmin(expected / CROSSINGS_ASSUMED, 1.0));
}

enum status likelihood_copies(const struct market *market, int n_trades, const struct trade *trades,
                              struct risk *risk, struct greek_trades *copies)
{
    for (int s = 0; s < risk->n_sensitivities; s++) {
        bool by_likelihood = greek_rows[risk->sensitivities[s].greek].method == METHOD_LIKELIHOOD;
        for (int i = 0; i < n_trades && by_likelihood; i++)
            if (has_likelihood_ratio(market, &trades[i]) &&
                trade_depends(market, &trades[i], &risk->sensitivities[s]))
                MUST(add_copy(market, &trades[i], i, s, &risk->sensitivities[s], copies));
    }
    return STATUS_OK;
}

/* ---- slopes at exercise ---------------------------------------------------------------------- */

bool has_slopes_at_exercise(const struct market *market, const struct trade *trade)
{
    bool leads = trade->kind == BASKET_BEST_OF || trade->kind == BASKET_WORST_OF;
    if (!product_has(trade->product, EARLY_EXERCISE)) return false;
    if (trade_n_assets(trade) > 1 && !leads) return false;
    for (int i = 0; i < trade_n_assets(trade); i++)
        if (leads_with_another(market, trade, trade_asset(trade, i), -1)) return false;
    return !trade_takes(market, trade, TAKES_HISTORY) &&
           !trade_takes(market, trade, TAKES_SURFACE) && !pays_dividends(market, trade);
}

int slope_column(const struct risk *risk, int asset, int moved)
{
    enum slope second = moved < 0 ? SLOPE_NOTHING : moved == asset ? SLOPE_SPOT : SLOPE_OTHER_SPOT;
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct sensitivity *sensitivity = &risk->sensitivities[s];
        const struct greek_row *row = &greek_rows[sensitivity->greek];
        if (row->first != SLOPE_SPOT || row->second != second) continue;
        bool other = sensitivity->asset == moved && sensitivity->other == asset;
        if (second != SLOPE_OTHER_SPOT
                ? sensitivity->asset == asset
                : other || (sensitivity->asset == asset && sensitivity->other == moved))
            return s;
    }
    return -1;
}

double slope_crossing(const struct contrast *contrast, const struct trade *copy)
{
    return fabs(trade_weight(copy, copy->slope_of - 1) * contrast->terms[0].weight);
}

enum status slope_copies(const struct greek_trades *trades, struct greek_trades *copies)
{
    for (int i = 0; i < trades->n; i++)
        for (int a = 0; a < trade_n_assets(&trades->trades[i]); a++) {
            struct trade copy = trades->trades[i];
            copy.slope_of = 1 + a;
            MUST(greek_trades_add(&copy, trades->places[i].row, -1, copies));
        }
    return STATUS_OK;
}
