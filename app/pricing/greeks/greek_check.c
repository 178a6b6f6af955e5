#include "app/pricing/greeks/greek_check.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/check.h"
#include "app/pricing/greeks/bumps.h"
#include "models/base/clock.h"
#include "kernels/threads.h"
#include "models/base/stop.h"
#include "validation/reference/reference.h"

struct greek_check_work {
    const struct greek_check *check;
    struct risk *risk;
    const struct greek_pools *pools;
    const int *pool_of; /* [trade] */
    atomic_int next, status;
};

/* ---- a difference quotient ------------------------------------------------------------------- */

/* References whose error is that of arithmetic. */
static bool is_exact(const char *method)
{
    static const char *const methods[] = {"closed form", "quadrature", "convolution", "fourier",
                                          "finite differences"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(method, methods[i])) return true;
    return false;
}

/* The view with its bump `scale` times as large. */
static struct bump_scenario scaled(struct bump_scenario scenario, double scale)
{
    for (int m = 0; m < scenario.n_shocks; m++) scenario.shocks[m].amount *= scale;
    scenario.time_passed *= scale;
    return scenario;
}

/* The reference's price in a view, which it makes of today's market by its own code. STATUS_FAILED
 * where there is none. */
static enum status price_scenario(const struct greek_check_work *work, int index,
                                  const struct bump_scenario *scenario, struct reference *reference)
{
    static const enum reference_shock_kind words[] = {
        [SHOCK_SPOT] = REFERENCE_SHOCK_SPOT,
        [SHOCK_VOLATILITY] = REFERENCE_SHOCK_VOLATILITY,
        [SHOCK_RATE] = REFERENCE_SHOCK_RATE,
        [SHOCK_CORRELATION] = REFERENCE_SHOCK_CORRELATION};
    struct reference_shock shocks[sizeof scenario->shocks / sizeof *scenario->shocks];
    const struct reference_scenario seen = {scenario->n_shocks, shocks, scenario->time_passed};
    struct message why;
    struct effort effort = effort_full(work->check->stop);
    for (int m = 0; m < scenario->n_shocks; m++) {
        const struct shock *shock = &scenario->shocks[m];
        shocks[m] = (struct reference_shock){words[shock->what], shock->target, shock->other,
                                             shock->date, shock->amount};
    }
    enum status status = reference_scenario_price(
        work->check->market, &seen, &work->check->trades[index], 1, &effort, reference, &why);
    if (!status && !is_exact(reference->method)) status = STATUS_FAILED;
    bool ends = status == STATUS_NO_MEMORY || status == STATUS_INTERRUPTED;
    return ends || !status ? status : STATUS_FAILED;
}

/* The measure of the reference's prices, bumps `scale` times as large; `error` bounds what is left
 * of theirs.
 */
static enum status quotient(const struct greek_check_work *work, int index,
                            const struct bump_set *set, int m, double scale, double *value,
                            double *error)
{
    enum status status = STATUS_OK;
    const struct contrast *contrast = &set->contrasts[m];
    bool second = contrast->n_terms > 2;
    *value = *error = 0.0;
    for (int i = 0; i < contrast->n_terms; i++) {
        const struct contrast_term *term = &contrast->terms[i];
        const struct bump_scenario scenario = scaled(set->scenarios[term->scenario], scale);
        double weight = term->weight / (second ? scale * scale : scale);
        struct reference reference;
        TRY(price_scenario(work, index, &scenario, &reference));
        *value += weight * reference.price;
        *error += fabs(weight) * reference.error;
    }
done:
    return status;
}

/* Prices of references are good to about their error: what a rate or a date moves them by must be
 * more, half the way to the first date at most, and what slopes of early exercise do, whose
 * references are grids: but where a rate changes its sign they turn. */
static double reference_scale(const struct bump_scenario *scenario, const struct greek_pool *pool,
                              bool slope)
{
    if (scenario->time_passed != 0.0)
        return fmin(5.0, 0.5 * pool->first_date / fabs(scenario->time_passed));
    bool rate = scenario->n_shocks && scenario->shocks[0].what == SHOCK_RATE;
    if (slope && pool->same_exercise) return rate ? 1.0 : 5.0;
    return rate ? 10.0 : 1.0;
}

/* How far a bump's own difference may be from the derivative, beside all errors: a thousandth. */
#define BUMP_BIAS 1e-3

/* The bias of the price's own bump, from what halving the reference's, `scale` times as large, has
 * changed: it goes with the bump's square, of a difference to one side with the bump. No more is
 * allowed for than BUMP_BIAS of the Greek. */
static double bias_of_bump(double gain, double scale, bool one_sided, double greek)
{
    double bias = one_sided ? 2.0 * fabs(gain) / scale : 4.0 * fabs(gain) / (scale * scale);
    return fmin(bias, BUMP_BIAS * fabs(greek));
}

static enum status check_contrast(const struct greek_check_work *work, int index,
                                  const struct bump_set *set, int m, struct greek_value *greek)
{
    const struct contrast *contrast = &set->contrasts[m];
    double scale =
        reference_scale(&set->scenarios[contrast->terms[0].scenario],
                        &work->pools->pools[work->pool_of[index]], contrast->n_terms == 2);
    double wide, narrow, wide_error, narrow_error, quantity = work->check->trades[index].quantity;
    bool one_sided = contrast->n_terms == 2 && contrast->terms[1].scenario == 0;
    enum status status = quotient(work, index, set, m, scale, &wide, &wide_error);
    if (!status) status = quotient(work, index, set, m, 0.5 * scale, &narrow, &narrow_error);
    if (status) return status == STATUS_FAILED ? STATUS_OK : status;
    double gain = (narrow - wide) / (one_sided ? 1.0 : 3.0);
    greek->reference = quantity * (narrow + gain);
    greek->reference_error = fabs(quantity) * (0.1 * fabs(gain) + 2.0 * narrow_error);
    double distance = greek->value - greek->reference;
    double bias = fabs(quantity) * bias_of_bump(gain, scale, one_sided, narrow + gain);
    greek->z = distance == 0.0
                   ? 0.0
                   : distance / hypot(hypot(greek->std_error, bias), greek->reference_error);
    return STATUS_OK;
}

/* ---- the book -------------------------------------------------------------------------------- */

static enum status check_trade(const struct greek_check_work *work, int index)
{
    enum status status = STATUS_OK;
    const struct greek_check *check = work->check;
    struct risk *risk = work->risk;
    struct bump_set *sets = NULL;
    int n = 0;
    if (!is_exact(check->estimates[index].reference_method)) return STATUS_OK;
    TRY(bumps_make(check->market, check->trades, &work->pools->pools[work->pool_of[index]], risk,
                   check->paths, false, &n, &sets));
    for (int b = 0; b < n; b++)
        for (int m = 0; m < sets[b].n_contrasts; m++) {
            size_t at = (size_t)sets[b].sensitivity[m] * (size_t)risk->n_trades + (size_t)index;
            if (!isnan(risk->greeks[at].value))
                TRY(check_contrast(work, index, &sets[b], m, &risk->greeks[at]));
        }
done:
    free(sets);
    return status;
}

static void *check_some(void *argument)
{
    struct greek_check_work *work = argument;
    while (!atomic_load(&work->status)) {
        int index = atomic_fetch_add(&work->next, 1);
        if (index >= work->risk->n_trades) break;
        double began = seconds_now();
        enum status status =
            asked_to_stop(work->check->stop) ? STATUS_INTERRUPTED : check_trade(work, index);
        if (work->check->seconds) work->check->seconds[index] += seconds_now() - began;
        if (status) atomic_store(&work->status, (int)status);
    }
    return NULL;
}

/* All Greeks share one limit, as all prices do. */
static enum status judge(const struct greek_check *check, struct risk *risk,
                         struct complaints *notes)
{
    size_t n = (size_t)risk->n_sensitivities * (size_t)risk->n_trades;
    int checked = 0;
    for (size_t i = 0; i < n; i++) checked += !isnan(risk->greeks[i].z);
    double limit = check_limit(checked);
    for (size_t i = 0; i < n; i++) {
        const struct greek_value *greek = &risk->greeks[i];
        const struct trade *trade = &check->trades[i % (size_t)risk->n_trades];
        if (isnan(greek->z) || fabs(greek->z) <= limit) continue;
        risk->n_disagree++;
        char far[64] = "and neither has an error; its reference is";
        if (isfinite(greek->z))
            snprintf(far, sizeof far, "%.2f standard errors from its reference", greek->z);
        complaints_add(notes, trade->line,
                       "%s:%d: trade '%s': %s is %.6g, %s %.6g; %.2f are allowed", trade->file,
                       trade->line, trade->id, risk->sensitivities[i / (size_t)risk->n_trades].name,
                       greek->value, far, greek->reference, limit);
    }
    return notes->lost ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status greeks_check(const struct greek_check *check, struct risk *risk,
                         struct complaints *notes)
{
    enum status status = STATUS_OK;
    struct greek_pools pools = {0};
    int *pool_of = calloc((size_t)risk->n_trades + 1, sizeof *pool_of);
    if (!pool_of) TRY(STATUS_NO_MEMORY);
    TRY(greek_pools_make(check->market, risk->n_trades, check->trades, &pools));
    for (int u = 0; u < pools.n; u++)
        for (int i = 0; i < pools.pools[u].n; i++) pool_of[pools.pools[u].trades[i]] = u;
    struct greek_check_work work = {
        .check = check, .risk = risk, .pools = &pools, .pool_of = pool_of};
    run_on_threads(check->threads, check_some, &work);
    TRY((enum status)atomic_load(&work.status));
    TRY(judge(check, risk, notes));
done:
    greek_pools_free(&pools);
    free(pool_of);
    return status;
}
