#include "app/pricing/value/make_estimates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/pricing/value/linear_value.h"
#include "models/payoffs/scripted.h"

static enum status fail(struct estimate *estimate, const char *why)
{
    estimate->verdict = VERDICT_FAILED;
    estimate->price = estimate->std_error = NAN;
    return estimate_say(estimate, why);
}

/* Says of a script that a path's value is no number, and which line may be why. */
static enum status fail_script(const struct trade *trade, struct estimate *estimate)
{
    char why[160] = "its script makes no number, or an infinite one, on some path";
    int line = trade->scripted->program.doubtful;
    if (line)
        snprintf(why + strlen(why), sizeof why - strlen(why),
                 ": line %d of it may, by a log, a root, a power or a quotient", line);
    return fail(estimate, why);
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
    if (trade->scripted && !sure && !isfinite(unit.mean)) return fail_script(trade, estimate);
    if (!isfinite(estimate->price) || !isfinite(estimate->std_error))
        return fail(estimate, "the price or its error is beyond the range of a double");
    return STATUS_OK;
}

enum status estimates_make(const struct market *market, int n, const struct trade *trades,
                           const struct tally *tallies, const struct refusal *refusals,
                           struct estimate *estimates)
{
    for (int i = 0; i < n; i++)
        MUST(make_one(market, &trades[i], tallies[i], &refusals[i], &estimates[i]));
    return STATUS_OK;
}

enum status estimates_expire(int n, const struct trade *trades, struct estimate *estimates)
{
    for (int i = 0; i < n; i++) {
        if (!trades[i].expired || estimate_is_trouble(&estimates[i])) continue;
        estimates[i].verdict = VERDICT_EXPIRED;
        MUST(estimate_say(&estimates[i], trades[i].expired));
    }
    return STATUS_OK;
}
