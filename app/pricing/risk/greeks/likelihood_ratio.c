#include "app/pricing/risk/greeks/likelihood_ratio.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdlib.h>

#include "app/pricing/base/market_shock.h"
#include "app/pricing/risk/greeks/sensitivities.h"
#include "models/math/constants.h"

bool has_likelihood_ratio(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    return trade->product == PRODUCT_DIGITAL && asset->model == MODEL_BLACK_SCHOLES &&
           !asset->n_dividends && trade->quanto < 0;
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
    double bump = slope_to == SLOPE_TIME     ? passed
                  : shock.kind == SHOCK_SPOT ? 1e-5 * market->assets[shock.target].spot
                                             : 1e-5;
    TRY(shock_market(market, passed == 0.0, &shock, &up, why));
    shock.amount = -shock.amount;
    TRY(shock_market(market, passed == 0.0, &shock, &down, why));
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

/* Of z = (x ln 2 - m) / s into powers of x = log2 S. */
static void weigh(struct trade *trade, const struct lognormal_law *law, const double c[3])
{
    double a = LN2 / law->stdev, b = -law->mean / law->stdev;
    trade->score[0] = c[0] + b * (c[1] + b * c[2]) - 1.0;
    trade->score[1] = a * (c[1] + 2.0 * b * c[2]);
    trade->score[2] = a * a * c[2];
}

/* Tells whether a trade's Greek comes from here. */
static bool is_scored(const struct market *market, const struct trade *trade,
                      const struct sensitivity *s)
{
    return greek_rows[s->greek].method == METHOD_LIKELIHOOD &&
           has_likelihood_ratio(market, trade) && trade_depends(market, trade, s);
}

/* Adds a copy with the score of a column. */
static enum status add_copy(const struct market *market, const struct trade *trade,
                            struct sensitivity *s, struct greek_trades *copies)
{
    struct trade *copy = &copies->trades[copies->n];
    const struct lognormal_law law = law_of(market, trade, trade->expiry);
    double c[3];
    enum status status = score_of(market, trade, s, c, &s->left_out);
    if (status) return status == STATUS_NO_MEMORY ? status : STATUS_OK;
    *copy = *trade;
    weigh(copy, &law, c);
    copies->n++;
    return STATUS_OK;
}

enum status likelihood_copies(const struct market *market, int n_trades, const struct trade *trades,
                              struct risk *risk, struct greek_trades *copies)
{
    size_t room = 1;
    for (int s = 0; s < risk->n_sensitivities; s++)
        for (int i = 0; i < n_trades; i++)
            room += is_scored(market, &trades[i], &risk->sensitivities[s]);
    copies->trades = malloc(room * sizeof *copies->trades);
    copies->rows = malloc(room * sizeof *copies->rows);
    copies->columns = malloc(room * sizeof *copies->columns);
    if (!copies->trades || !copies->rows || !copies->columns) return STATUS_NO_MEMORY;
    for (int s = 0; s < risk->n_sensitivities; s++)
        for (int i = 0; i < n_trades; i++) {
            if (!is_scored(market, &trades[i], &risk->sensitivities[s])) continue;
            copies->rows[copies->n] = i, copies->columns[copies->n] = s;
            MUST(add_copy(market, &trades[i], &risk->sensitivities[s], copies));
        }
    return STATUS_OK;
}
