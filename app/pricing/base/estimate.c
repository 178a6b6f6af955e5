#include "app/pricing/base/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool estimate_is_unseen(const struct estimate *estimate)
{
    return estimate->verdict == VERDICT_UNCHECKED && estimate->unit.n > 0.0 &&
           estimate->price == 0.0 && estimate->std_error == 0.0;
}

enum status estimate_say(struct estimate *estimate, const char *text)
{
    char *copy = strdup(text);
    if (!copy) return STATUS_NO_MEMORY;
    free(estimate->message);
    estimate->message = copy;
    return STATUS_OK;
}

enum status estimate_add(struct estimate *estimate, const char *text)
{
    char *message = estimate->message;
    if (!message) return estimate_say(estimate, text);
    size_t used = strlen(message);
    char *longer = realloc(message, used + strlen(text) + 3);
    if (!longer) return STATUS_NO_MEMORY;
    sprintf(longer + used, "; %s", text);
    estimate->message = longer;
    return STATUS_OK;
}

const char *estimate_message(const struct trade *trade, const struct estimate *estimate)
{
    return estimate->message ? estimate->message : trade->past_event;
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
