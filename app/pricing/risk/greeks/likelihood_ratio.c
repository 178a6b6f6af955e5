#include "app/pricing/risk/greeks/likelihood_ratio.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/market_shock.h"
#include "app/pricing/risk/greeks/sensitivities.h"
#include "models/math/constants.h"
#include "models/payoffs/payoff_definition.h"

bool has_likelihood_ratio(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    return trade->product == PRODUCT_DIGITAL && asset->model == MODEL_BLACK_SCHOLES &&
           !asset->n_dividends && trade->quanto < 0;
}

/* ---- the law of ln S(T) ---------------------------------------------------------------------- */

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
                  : shock.what == SHOCK_SPOT ? 1e-5 * market->assets[shock.target].spot
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

/* ---- trades to be scored --------------------------------------------------------------------- */

/* A trade of the book under one sensitivity. */
struct likelihood_row {
    int trade, sensitivity;
};

/* Copies of the book's trades with the score of a sensitivity in each, to be priced together: each
 * is a trade of its own, and those of one asset see the same paths. */
struct likelihood_jobs {
    struct valuer valuer; /* of the copies */
    struct risk *risk;
    int n;
    struct trade *trades;          /* [n] */
    struct likelihood_row *scored; /* [n] what each of them is */
    struct prepared prepared;
    struct findings findings;
};

/* Tells whether a trade's Greek comes from here. */
static bool is_scored(const struct valuer *valuer, const struct trade *trade,
                      const struct sensitivity *sensitivity)
{
    return greek_rows[sensitivity->greek].method == METHOD_LIKELIHOOD &&
           has_likelihood_ratio(valuer->market, trade) &&
           trade_depends(valuer->market, trade, sensitivity);
}

static size_t count_scores(const struct valuer *valuer, const struct risk *risk)
{
    size_t n = 0;
    for (int s = 0; s < risk->n_sensitivities; s++)
        for (int i = 0; i < valuer->n_trades; i++)
            n += is_scored(valuer, &valuer->trades[i], &risk->sensitivities[s]);
    return n;
}

static enum status score_trades(const struct valuer *valuer, struct likelihood_jobs *scoring)
{
    const struct market *market = valuer->market;
    for (int s = 0; s < scoring->risk->n_sensitivities; s++)
        for (int i = 0; i < valuer->n_trades; i++) {
            const struct trade *trade = &valuer->trades[i];
            struct sensitivity *sensitivity = &scoring->risk->sensitivities[s];
            double c[3];
            if (!is_scored(valuer, trade, sensitivity)) continue;
            const struct lognormal_law law = law_of(market, trade, trade->expiry);
            enum status status = score_of(market, trade, sensitivity, c, &sensitivity->left_out);
            if (status == STATUS_NO_MEMORY) return status;
            if (status) continue; /* there may be no market a little to the side */
            scoring->trades[scoring->n] = *trade;
            weigh(&scoring->trades[scoring->n], &law, c);
            scoring->scored[scoring->n++] = (struct likelihood_row){i, s};
        }
    return STATUS_OK;
}

/* ---- their prices: one job ------------------------------------------------------------------- */

static enum status prepare_scores(void *context, int i, struct message *why)
{
    struct likelihood_jobs *scoring = context;
    const struct scenario today = {.market = scoring->valuer.market};
    const struct contrast value = {1, {{0, 1.0}}};
    const struct revaluation asked = {NULL, 1, &today, {.n_contrasts = 1, .contrasts = &value}};
    (void)i;
    return revalue_prepare(&scoring->valuer, &asked, &scoring->prepared, why);
}

static enum status run_scores(void *context, int i, struct message *why)
{
    struct likelihood_jobs *scoring = context;
    (void)i;
    return revalue_run(&scoring->valuer, &scoring->prepared, &scoring->findings, why);
}

static enum status finish_scores(void *context, int unused, struct message *why)
{
    const struct likelihood_jobs *scoring = context;
    struct risk *risk = scoring->risk;
    (void)unused;
    (void)why;
    for (int i = 0; i < scoring->n; i++) {
        const struct likelihood_row *row = &scoring->scored[i];
        struct greek_value *greek = risk_own_greek(risk, row->sensitivity, row->trade);
        if (greek && findings_value(&scoring->valuer, &scoring->findings, 0, i, 0.0, &greek->value,
                                    &greek->std_error))
            greek->method = "likelihood ratio";
    }
    return STATUS_OK;
}

static const struct job_stages score_stages = {prepare_scores, run_scores, finish_scores};

enum status likelihood_begin(const struct valuer *valuer, struct risk *risk,
                             struct likelihood_jobs **scoring, struct job_series *series)
{
    enum status status = STATUS_OK;
    size_t most = count_scores(valuer, risk) + 1;
    struct likelihood_jobs *new = *scoring = calloc(1, sizeof **scoring);
    if (!new) return STATUS_NO_MEMORY;
    new->risk = risk;
    new->trades = malloc(most * sizeof *new->trades);
    new->scored = malloc(most * sizeof *new->scored);
    if (!new->trades || !new->scored) TRY(STATUS_NO_MEMORY);
    TRY(score_trades(valuer, new));
    new->valuer = *valuer;
    new->valuer.n_trades = new->n;
    new->valuer.trades = new->trades;
    *series = (struct job_series){new->n > 0, &score_stages, new, (uint64_t) new->n};
done:
    return status;
}

void likelihood_end(struct likelihood_jobs *scoring)
{
    if (!scoring) return;
    free(scoring->trades);
    free(scoring->scored);
    prepared_free(&scoring->prepared);
    findings_free(&scoring->findings);
    free(scoring);
}
