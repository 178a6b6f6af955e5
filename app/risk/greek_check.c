#include "app/risk/greek_check.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "app/check.h"
#include "app/risk/bumps.h"
#include "kernels/clock.h"
#include "kernels/cpu/scratch.h"
#include "models/math/stop.h"
#include "validation/reference/reference.h"

struct work {
    const struct greek_check *check;
    struct risk *risk;
    const struct units *units;
    const int *unit_of; /* [trade] */
    atomic_int next, status;
};

/* ---- a difference quotient ----------------------------------------------------------------------------- */

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
static struct view scaled(struct view view, double scale)
{
    for (int m = 0; m < view.n_moves; m++) view.moves[m].amount *= scale;
    view.time_passed *= scale;
    return view;
}

/* The reference's price in a view, which it makes of today's market by its own code. STATUS_FAILED where
 * there is none. */
static enum status price_view(const struct work *work, int index, const struct view *view,
                              struct reference *reference)
{
    static const enum reference_moved words[] = {[MOVED_SPOT] = REFERENCE_SPOT,
                                                 [MOVED_VOLATILITY] = REFERENCE_VOLATILITY,
                                                 [MOVED_RATE] = REFERENCE_RATE,
                                                 [MOVED_CORRELATION] = REFERENCE_CORRELATION};
    struct reference_move moves[sizeof view->moves / sizeof *view->moves];
    const struct reference_view seen = {view->n_moves, moves, view->time_passed};
    struct message why;
    struct effort effort = effort_full(work->check->stop);
    for (int m = 0; m < view->n_moves; m++) {
        const struct move *move = &view->moves[m];
        moves[m] =
            (struct reference_move){words[move->what], move->of, move->other, move->date, move->amount};
    }
    enum status status = reference_view_price(work->check->market, &seen, &work->check->trades[index], 1,
                                              &effort, reference, &why);
    if (!status && !is_exact(reference->method)) status = STATUS_FAILED;
    bool ends = status == STATUS_NO_MEMORY || status == STATUS_INTERRUPTED;
    return ends || !status ? status : STATUS_FAILED;
}

/* The measure of the reference's prices, bumps `scale` times as large; `error` bounds what is left of theirs.
 */
static enum status quotient(const struct work *work, int index, const struct bundle *bundle, int m,
                            double scale, double *value, double *error)
{
    enum status status = STATUS_OK;
    const struct measure *measure = &bundle->measures[m];
    bool second = measure->n_terms > 2;
    *value = *error = 0.0;
    for (int i = 0; i < measure->n_terms; i++) {
        const struct measure_term *term = &measure->terms[i];
        const struct view view = scaled(bundle->views[term->scenario], scale);
        double weight = term->weight / (second ? scale * scale : scale);
        struct reference reference;
        TRY(price_view(work, index, &view, &reference));
        *value += weight * reference.price;
        *error += fabs(weight) * reference.error;
    }
done:
    return status;
}

/* Prices of references are good to about their error: what a rate or a date moves them by must be more. */
static double reference_scale(const struct view *view)
{
    if (view->time_passed != 0.0) return 5.0;
    return view->n_moves && view->moves[0].what == MOVED_RATE ? 10.0 : 1.0;
}

/* How far a bump's own difference may be from the derivative, beside all errors: a thousandth. */
#define BUMP_BIAS 1e-3

/* The bias of the price's own bump, from what halving the reference's, `scale` times as large, has changed:
 * it goes with the bump's square, of a difference to one side with the bump. No more is allowed for than
 * BUMP_BIAS of the Greek. */
static double bias_of_bump(double gain, double scale, bool one_sided, double greek)
{
    double bias = one_sided ? 2.0 * fabs(gain) / scale : 4.0 * fabs(gain) / (scale * scale);
    return fmin(bias, BUMP_BIAS * fabs(greek));
}

static enum status check_measure(const struct work *work, int index, const struct bundle *bundle, int m,
                                 struct greek_value *greek)
{
    const struct measure *measure = &bundle->measures[m];
    double scale = reference_scale(&bundle->views[measure->terms[0].scenario]);
    double wide, narrow, wide_error, narrow_error, quantity = work->check->trades[index].quantity;
    bool one_sided = measure->n_terms == 2 && measure->terms[1].scenario == 0;
    enum status status = quotient(work, index, bundle, m, scale, &wide, &wide_error);
    if (!status) status = quotient(work, index, bundle, m, 0.5 * scale, &narrow, &narrow_error);
    if (status) return status == STATUS_FAILED ? STATUS_OK : status;
    double gain = (narrow - wide) / (one_sided ? 1.0 : 3.0);
    greek->reference = quantity * (narrow + gain);
    greek->reference_error = fabs(quantity) * (0.1 * fabs(gain) + 2.0 * narrow_error);
    double distance = greek->value - greek->reference;
    double bias = fabs(quantity) * bias_of_bump(gain, scale, one_sided, narrow + gain);
    greek->z =
        distance == 0.0 ? 0.0 : distance / hypot(hypot(greek->std_error, bias), greek->reference_error);
    return STATUS_OK;
}

/* ---- the book ------------------------------------------------------------------------------------------ */

static enum status check_trade(const struct work *work, int index)
{
    enum status status = STATUS_OK;
    const struct greek_check *check = work->check;
    struct risk *risk = work->risk;
    struct bundle *bundles = NULL;
    int n = 0;
    if (!is_exact(check->estimates[index].reference_method)) return STATUS_OK;
    TRY(bumps_make(check->market, check->trades, &work->units->units[work->unit_of[index]], risk,
                   check->paths, &n, &bundles));
    for (int b = 0; b < n; b++)
        for (int m = 0; m < bundles[b].n_measures; m++) {
            size_t at = (size_t)bundles[b].sensitivity[m] * (size_t)risk->n_trades + (size_t)index;
            if (!isnan(risk->greeks[at].value))
                TRY(check_measure(work, index, &bundles[b], m, &risk->greeks[at]));
        }
done:
    free(bundles);
    return status;
}

static void *check_some(void *argument)
{
    struct work *work = argument;
    while (!atomic_load(&work->status)) {
        int index = atomic_fetch_add(&work->next, 1);
        if (index >= work->risk->n_trades) break;
        double began = seconds_now();
        enum status status = asked_to_stop(work->check->stop) ? STATUS_INTERRUPTED : check_trade(work, index);
        if (work->check->seconds) work->check->seconds[index] += seconds_now() - began;
        if (status) atomic_store(&work->status, (int)status);
    }
    return NULL;
}

/* All Greeks share one limit, as all prices do. */
static enum status judge(const struct greek_check *check, struct risk *risk, struct complaints *notes)
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
        complaints_add(notes, trade->line, "%s:%d: trade '%s': %s is %.6g, %s %.6g; %.2f are allowed",
                       trade->file, trade->line, trade->id,
                       risk->sensitivities[i / (size_t)risk->n_trades].name, greek->value, far,
                       greek->reference, limit);
    }
    return notes->lost ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status greeks_check(const struct greek_check *check, struct risk *risk, struct complaints *notes)
{
    enum status status = STATUS_OK;
    struct units units = {0};
    int *unit_of = calloc((size_t)risk->n_trades + 1, sizeof *unit_of);
    if (!unit_of) TRY(STATUS_NO_MEMORY);
    TRY(units_make(check->market, risk->n_trades, check->trades, &units));
    for (int u = 0; u < units.n; u++)
        for (int i = 0; i < units.units[u].n; i++) unit_of[units.units[u].trades[i]] = u;
    struct work work = {.check = check, .risk = risk, .units = &units, .unit_of = unit_of};
    run_on_threads(check->threads, check_some, &work);
    TRY((enum status)atomic_load(&work.status));
    TRY(judge(check, risk, notes));
done:
    units_free(&units);
    free(unit_of);
    return status;
}
