#include "models/observables/pivot.h"

#include <math.h>

#include "models/dynamics/coefficients.h"
#include "models/math/constants.h"

/* ---- one asset ------------------------------------------------------------------------------- */

/* Of log2 S at a date. */
struct gaussian_law {
    double mean, stdev;
};

/* Finds the law at a date as the engines' own steps make it, by the coefficients of a single step
 * to the date. */
static enum status law_at(const struct market *market, const struct functional *r, int position,
                          double date, struct gaussian_law *law, struct message *why)
{
    int asset = trade_asset(r->trade, position);
    const struct time_step time_step = {0.0, date,
                                        quanto_rate(market->assets, &r->trade->quanto, asset)};
    double c[2];
    enum status status = model_step_coefficients(market, asset, &time_step, c, NULL, why);
    if (!status) *law = (struct gaussian_law){exact_log2(market->assets[asset].spot) + c[0], c[1]};
    return status;
}

enum status margin_observation(const struct market *market, const struct observable *o, int i,
                               struct observation *t, struct message *why)
{
    const struct functional *r = &o->functional;
    bool above = r->upper < HUGE_VAL;
    double sign = above ? 1.0 : -1.0, date = o->dates[i], pivot = r->trade->pivot;
    struct gaussian_law here, at_pivot;
    MUST(law_at(market, r, r->asset, date, &here, why));
    MUST(law_at(market, r, r->asset, pivot, &at_pivot, why));
    double to_pivot = at_pivot.stdev,
           slope = date < pivot ? here.stdev * here.stdev / to_pivot : to_pivot;
    t->c[0] = sign / slope * (above ? o->high : o->low);
    t->c[1] = -sign / slope;
    if (date != pivot) return STATUS_OK;
    t->c[2] = sign / to_pivot;
    t->c[3] = -t->c[2] * at_pivot.mean;
    return STATUS_OK;
}

enum status rest_observation(const struct market *market, const struct observable *o, int i,
                             struct observation *t, struct message *why)
{
    bool last = i == o->n_dates - 1;
    struct gaussian_law at_pivot;
    t->c[0] = last - (i == 0);
    if (i) return STATUS_OK;
    enum status status = law_at(market, &o->functional, o->functional.asset,
                                o->functional.trade->pivot, &at_pivot, why);
    if (!status) t->c[1] = at_pivot.mean + 0.5 * LN2 * at_pivot.stdev * at_pivot.stdev;
    return status;
}

/* ---- several assets -------------------------------------------------------------------------- */

/* The move that all assets make together up to the pivot: Z is the sum of weight[i] times what log2
 * of the trade's i-th asset is above its mean, and each rises by `spread` where Z rises by 1. */
struct common_move {
    double weight[TRADE_ASSETS_MAX], spread;
};

/* Finds y with C y = 1 by elimination, C [n][n] symmetric; false where it is not positive
 * definite. */
static bool solve_for_ones(int n, double C[TRADE_ASSETS_MAX][TRADE_ASSETS_MAX], double *y)
{
    for (int i = 0; i < n; i++) y[i] = 1.0;
    for (int k = 0; k < n; k++) {
        if (!(C[k][k] > 0.0)) return false;
        for (int i = k + 1; i < n; i++) {
            double times = C[i][k] / C[k][k];
            for (int j = k; j < n; j++) C[i][j] -= times * C[k][j];
            y[i] -= times * y[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) y[i] -= C[i][j] * y[j];
        y[i] /= C[i][i];
    }
    return true;
}

static enum status common_move_of(const struct market *market, const struct trade *trade,
                                  struct common_move *move, struct message *why)
{
    double C[TRADE_ASSETS_MAX][TRADE_ASSETS_MAX], sum = 0.0;
    const struct time_step time_step = {.to = trade->pivot, .quanto = -1};
    int n = trade_n_assets(trade);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i][j] =
                model_covariance(market, trade_asset(trade, i), trade_asset(trade, j), &time_step) /
                (LN2 * LN2);
    bool solved = solve_for_ones(n, C, move->weight);
    for (int i = 0; i < n; i++) sum += move->weight[i];
    if (!solved || !(sum > 0.0))
        return say_why(STATUS_FAILED, why,
                       "the correlations of its assets leave them no move in common");
    move->spread = 1.0 / sqrt(sum);
    for (int i = 0; i < n; i++) move->weight[i] *= move->spread;
    return STATUS_OK;
}

enum status open_worst_observation(const struct market *market, const struct observable *o, int i,
                                   int asset, struct observation *t, struct message *why)
{
    const struct functional *r = &o->functional;
    struct common_move move;
    struct gaussian_law law;
    MUST(common_move_of(market, r->trade, &move, why));
    t->c[0] /= move.spread;
    t->c[1] = 1.0 / move.spread;
    if (i) return STATUS_OK;
    MUST(law_at(market, r, asset, r->trade->pivot, &law, why));
    t->c[2] = move.weight[asset];
    t->c[3] = -move.weight[asset] * law.mean;
    return STATUS_OK;
}

enum status open_calls_observation(const struct market *market, const struct observable *o,
                                   struct observation *t, struct message *why)
{
    struct common_move move;
    MUST(common_move_of(market, o->functional.trade, &move, why));
    t->kind =
        t->kind == OBSERVATION_AUTOCALL_END ? OBSERVATION_OPEN_CALLS_END : OBSERVATION_OPEN_CALLS;
    t->c[0] /= move.spread;
    t->c[1] /= move.spread;
    t->c[4] = move.spread;
    t->c[5] /= move.spread;
    return STATUS_OK;
}
