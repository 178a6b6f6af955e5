#include "app/pricing/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/linear_value.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[N_VERDICTS] = {"ok",     "disagrees", "unchecked",
                                                  "failed", "expired",   "refused"};
    return names[verdict];
}

bool estimate_is_trouble(const struct estimate *estimate)
{
    static const bool trouble[N_VERDICTS] = {
        [VERDICT_DISAGREES] = true, [VERDICT_FAILED] = true, [VERDICT_REFUSED] = true};
    return trouble[estimate->verdict] || estimate->doubtful;
}

enum status estimate_say(struct estimate *estimate, const char *text)
{
    char *copy = strdup(text);
    if (!copy) return STATUS_NO_MEMORY;
    free(estimate->message);
    estimate->message = copy;
    return STATUS_OK;
}

static enum status fail(struct estimate *estimate, const char *why)
{
    estimate->verdict = VERDICT_FAILED;
    estimate->price = estimate->std_error = NAN;
    return estimate_say(estimate, why);
}

struct estimate estimate_unchecked(double price, double std_error)
{
    return (struct estimate){.price = price,
                             .std_error = std_error,
                             .reference = NAN,
                             .reference_error = NAN,
                             .variance_ratio = NAN,
                             .upper = NAN,
                             .upper_error = NAN,
                             .z = NAN,
                             .reference_method = "",
                             .verdict = VERDICT_UNCHECKED};
}

static enum status make_one(const struct market *market, const struct trade *trade,
                            struct tally unit, const struct refusal *refusal,
                            struct estimate *estimate)
{
    bool sure = !trade_has_paths(trade);
    if (has_linear_value(trade)) unit.mean += linear_value(market, trade, 0.0, NULL);
    *estimate = estimate_unchecked(trade->quantity * unit.mean,
                                   sure ? 0.0 : fabs(trade->quantity) * tally_standard_error(unit));
    estimate->unit = unit;
    estimate->paths = unit.n;
    if (refusal->why.text[0]) return fail(estimate, refusal->why.text);
    if (unit.n == 0.0 && !sure) return fail(estimate, "the engine gave no value");
    if (!isfinite(estimate->price) || !isfinite(estimate->std_error))
        return fail(estimate, "the price or its error is beyond the range of a double");
    return STATUS_OK;
}

enum status estimates_make(const struct market *market, int n, const struct trade *trades,
                           const struct tally *tallies, const struct refusal *refusals,
                           struct estimate *estimates)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < n; i++)
        TRY(make_one(market, &trades[i], tallies[i], &refusals[i], &estimates[i]));
done:
    return status;
}

enum status estimates_expire(int n, const struct trade *trades, struct estimate *estimates)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < n; i++) {
        if (!trades[i].expired || estimate_is_trouble(&estimates[i])) continue;
        estimates[i].verdict = VERDICT_EXPIRED;
        TRY(estimate_say(&estimates[i], trades[i].expired));
    }
done:
    return status;
}

void estimates_free(int n, struct estimate *estimates)
{
    for (int i = 0; estimates && i < n; i++) free(estimates[i].message);
    free(estimates);
}

bool trade_pays_cash(const struct trade *trade)
{
    return product_has(trade->product, PAYS_CASH) && trade->payout == PAYOUT_CASH;
}

double trade_stake(const struct market *market, const struct trade *trade)
{
    /* Of all others it is 1 */
    double spot = 0.0, cash = trade_pays_cash(trade) ? fabs(trade->cash) : 0.0;
    for (int i = 0; i < trade->n_assets; i++) {
        double weight = trade->weights ? fabs(trade->weights[i]) : 1.0;
        spot += weight * market->assets[trade->assets[i]].spot * (1.0 + fabs(trade->strike_ratio));
    }
    return spot + fabs(trade->strike) + cash + fabs(trade->rebate) + fabs(trade->past_average) +
           fabs(trade->extreme) + fabs(trade->notional) + fabs(trade->amount);
}
