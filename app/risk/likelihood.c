#include "app/risk/likelihood.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/risk/move.h"
#include "app/risk/sensitivities.h"
#include "models/payoffs/recipe.h"

#define LN2 0.693147180559945309417

bool has_likelihood(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    return trade->product == PRODUCT_DIGITAL && asset->model == MODEL_BLACK_SCHOLES && !asset->n_dividends &&
           trade->quanto < 0;
}

/* ---- the law of ln S(T) -------------------------------------------------------------------------------- */

struct law {
    double mean, stdev, log_discount;
};

static struct law law_of(const struct market *market, const struct trade *trade, double expiry)
{
    const struct asset *asset = &market->assets[trade->asset];
    double rate = term_accrued(&market->currencies[asset->currency].rate, expiry);
    double variance = term_accrued(&asset->variance, expiry);
    double drift = rate - term_accrued(&asset->yield, expiry) - 0.5 * variance;
    return (struct law){log(asset->spot) + drift, sqrt(variance), -rate};
}

/* How the law changes with what the sensitivity moves, by central differences of small moves. */
static enum status slope_of(const struct market *market, const struct trade *trade,
                            const struct sensitivity *s, struct law *slope, struct message *why)
{
    enum status status = STATUS_OK;
    struct moved_market up = {0}, down = {0};
    const struct asset *asset = s->asset >= 0 ? &market->assets[s->asset] : NULL;
    struct move move = {MOVED_SPOT, s->asset, EVERY, EVERY, 1e-5};
    double bump = asset ? 1e-5 * asset->spot : 1e-5, passed = 0.0;
    if (s->greek == GREEK_VEGA || s->greek == GREEK_VEGA_BUCKET) {
        bump = 1e-5;
        move = (struct move){MOVED_VOLATILITY, s->asset, EVERY, EVERY, bump};
        if (s->greek == GREEK_VEGA_BUCKET) move.date = bucket_date(asset, s);
    } else if (s->greek == GREEK_RHO) move = (struct move){MOVED_RATE, s->currency, EVERY, EVERY, bump};
    else if (s->greek == GREEK_THETA) passed = bump = 1e-5 * trade->expiry;
    TRY(market_move(market, passed == 0.0, &move, &up, why));
    move.amount = -move.amount;
    TRY(market_move(market, passed == 0.0, &move, &down, why));
    struct law a = law_of(&up.market, trade, trade->expiry - passed);
    struct law b = law_of(&down.market, trade, trade->expiry + passed);
    *slope = (struct law){(a.mean - b.mean) / (2.0 * bump), (a.stdev - b.stdev) / (2.0 * bump),
                          (a.log_discount - b.log_discount) / (2.0 * bump)};
done:
    moved_market_free(&up);
    moved_market_free(&down);
    return status;
}

/* The score as c[0] + c[1] z + c[2] z^2. */
static enum status score_of(const struct market *market, const struct trade *trade,
                            const struct sensitivity *s, double c[3], struct message *why)
{
    const struct law law = law_of(market, trade, trade->expiry);
    double spot = market->assets[trade->asset].spot, scale = 1.0 / (spot * spot * law.stdev * law.stdev);
    struct law slope = {0};
    c[0] = -scale;
    c[1] = -law.stdev * scale;
    c[2] = scale;
    if (s->greek == GREEK_GAMMA) return STATUS_OK;
    enum status status = slope_of(market, trade, s, &slope, why);
    c[2] = slope.stdev / law.stdev;
    c[1] = slope.mean / law.stdev;
    c[0] = slope.log_discount - c[2];
    return status;
}

/* Of z = (x ln 2 - m) / s into powers of x = log2 S. */
static void weigh(struct trade *trade, const struct law *law, const double c[3])
{
    double a = LN2 / law->stdev, b = -law->mean / law->stdev;
    trade->score[0] = c[0] + b * (c[1] + b * c[2]) - 1.0;
    trade->score[1] = a * (c[1] + 2.0 * b * c[2]);
    trade->score[2] = a * a * c[2];
}

/* ---- trades to be scored ------------------------------------------------------------------------------- */

/* A trade of the book under one sensitivity. */
struct scored {
    int trade, sensitivity;
};

/* Copies of the book's trades with the score of a sensitivity in each, to be priced together: each is a trade
 * of its own, and those of one asset see the same paths. */
struct scoring {
    int n;
    struct trade *trades;  /* [n] */
    struct scored *scored; /* [n] what each of them is */
};

static enum status scoring_make(const struct valuer *valuer, struct risk *risk, struct scoring *scoring)
{
    const struct market *market = valuer->market;
    size_t most = (size_t)valuer->n_trades * (size_t)risk->n_sensitivities + 1;
    *scoring = (struct scoring){.trades = malloc(most * sizeof *scoring->trades),
                                .scored = malloc(most * sizeof *scoring->scored)};
    if (!scoring->trades || !scoring->scored) return STATUS_NO_MEMORY;
    for (int s = 0; s < risk->n_sensitivities; s++)
        for (int i = 0; i < valuer->n_trades; i++) {
            const struct trade *trade = &valuer->trades[i];
            struct sensitivity *of = &risk->sensitivities[s];
            double c[3];
            if (!has_likelihood(market, trade) || !trade_depends(market, trade, of)) continue;
            const struct law law = law_of(market, trade, trade->expiry);
            enum status status = score_of(market, trade, of, c, &of->left_out);
            if (status == STATUS_NO_MEMORY) return status;
            if (status) continue; /* there may be no market a little to the side */
            scoring->trades[scoring->n] = *trade;
            weigh(&scoring->trades[scoring->n], &law, c);
            scoring->scored[scoring->n++] = (struct scored){i, s};
        }
    return STATUS_OK;
}

static void scoring_free(struct scoring *scoring)
{
    free(scoring->trades);
    free(scoring->scored);
}

/* ---- their prices -------------------------------------------------------------------------------------- */

static void take(const struct valuer *valuer, const struct scoring *scoring, const struct findings *findings,
                 struct risk *risk)
{
    for (int i = 0; i < scoring->n; i++) {
        size_t row = (size_t)scoring->scored[i].sensitivity * (size_t)risk->n_trades;
        struct greek_value *greek = &risk->greeks[row + (size_t)scoring->scored[i].trade];
        if (findings_value(valuer, findings, 0, i, &greek->value, &greek->std_error))
            greek->method = "likelihood ratio";
    }
}

enum status likelihood_make(const struct valuer *valuer, struct risk *risk, struct message *why)
{
    enum status status = STATUS_OK;
    const struct scenario today = {.market = valuer->market};
    const struct measure value = {1, {{0, 1.0}}};
    const struct revaluation asked = {NULL, 1, &today, {.n_measures = 1, .measures = &value}};
    struct valuer of_scores = *valuer;
    struct scoring scoring = {0};
    struct prepared prepared = {0};
    struct findings findings = {0};
    TRY(scoring_make(valuer, risk, &scoring));
    of_scores.n_trades = scoring.n;
    of_scores.trades = scoring.trades;
    if (!scoring.n) goto done;
    TRY(revalue_prepare(&of_scores, &asked, &prepared, why));
    TRY(revalue_run(&of_scores, &prepared, &findings, why));
    take(&of_scores, &scoring, &findings, risk);
done:
    scoring_free(&scoring);
    prepared_free(&prepared);
    findings_free(&findings);
    return status;
}
