#include "app/pricing/risk/greeks/greek_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/judge.h"
#include "app/pricing/base/digest.h"
#include "app/pricing/base/piece.h"
#include "app/pricing/base/student.h"
#include "app/pricing/risk/greeks/bumps.h"
#include "app/pricing/risk/greeks/greek_errors.h"
#include "models/base/stop.h"
#include "models/math/tally.h"
#include "models/payoffs/product_numbers.h"
#include "validation/reference/reference.h"

struct greek_check_work {
    const struct greek_check *check;
    struct risk *risk;
    /* [trade] the pools of its Greeks: those of spots, and all others */
    const struct greek_pool *(*pools)[2];
};

/* ---- a difference quotient ------------------------------------------------------------------- */

/* References whose error is that of arithmetic. */
static bool is_exact(const char *method)
{
    static const char *const methods[] = {"closed form", "quadrature", "convolution", "fourier",
                                          "finite differences"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strncmp(method, methods[i], strlen(methods[i])) &&
            strchr(",", method[strlen(methods[i])]))
            return true;
    return false;
}

/* Tells whether a trade's reference is had in parts, which tell the error of what is made of them.
 */
static bool is_in_parts(const struct trade *trade, const char *method)
{
    return trade->product == PRODUCT_SCRIPT && !strcmp(method, "monte carlo");
}

/* Adds what the reference knows a shock by: those of the parameters in place of one of quotes that
 * a model was fitted to. Returns how many. */
static int add_reference_shocks(const struct market *market, const struct shock *shock,
                                struct reference_shock *to)
{
    static const enum reference_shock_kind words[] = {
        [SHOCK_SPOT] = REFERENCE_SHOCK_SPOT,
        [SHOCK_VOLATILITY] = REFERENCE_SHOCK_VOLATILITY,
        [SHOCK_QUOTE] = REFERENCE_SHOCK_QUOTE,
        [SHOCK_FITTED] = REFERENCE_SHOCK_VOLATILITY,
        [SHOCK_RATE] = REFERENCE_SHOCK_RATE,
        [SHOCK_YIELD] = REFERENCE_SHOCK_YIELD,
        [SHOCK_CASH_DIVIDEND] = REFERENCE_SHOCK_CASH_DIVIDEND,
        [SHOCK_CORRELATION] = REFERENCE_SHOCK_CORRELATION,
#define PARAMETER(NAME, ...) [SHOCK_##NAME] = REFERENCE_SHOCK_PARAMETER,
#include "models/market/parameters.def"
#undef PARAMETER
    };
    if (shock->kind == SHOCK_FALLS) return 0; /* which the years that pass bring nearer */
    const struct asset *asset = shock->kind == SHOCK_FITTED ? &market->assets[shock->target] : NULL;
    double moves[N_PARAMETERS];
    *to = (struct reference_shock){words[shock->kind], shock->target,
                                   shock->other,       shock->date,
                                   shock->at,          (int)shock->kind - SHOCK_PARAMETERS,
                                   shock->amount};
    if (!asset || !asset->fitted.surface.n_times) return 1;
    parameter_moves(asset, shock, moves);
    for (int p = 0; p < N_PARAMETERS; p++)
        to[p] = (struct reference_shock){
            REFERENCE_SHOCK_PARAMETER, shock->target, -1, EVERY, EVERY, p, moves[p]};
    return N_PARAMETERS;
}

/* The reference's price in a view, which it makes of today's market by its own code; a part of it
 * where that is not 0. `error` is that of a quadrature, if it is known from a view next to it, else
 * 0. STATUS_FAILED where there is none. */
static enum status price_scenario(const struct greek_check_work *work, int index,
                                  const struct bump_scenario *scenario, int part, double error,
                                  struct reference *reference)
{
    struct reference_shock shocks[BUMP_SHOCKS * N_PARAMETERS];
    int n_shocks = 0;
    for (int m = 0; m < scenario->n_shocks; m++)
        n_shocks +=
            add_reference_shocks(work->check->market, &scenario->shocks[m], &shocks[n_shocks]);
    const struct reference_scenario seen = {n_shocks, shocks, scenario->scenario.time_passed, part};
    struct message why;
    struct effort effort = effort_full(work->check->stop);
    effort.errors_known = error > 0.0;
    enum status status = reference_scenario_price(
        work->check->market, &seen, &work->check->trades[index], &effort, reference, &why);
    reference->error = fmax(reference->error, error);
    if (!status && !part && !is_exact(reference->method)) status = STATUS_FAILED;
    bool ends = status == STATUS_NO_MEMORY || status == STATUS_INTERRUPTED;
    return ends || !status ? status : STATUS_FAILED;
}

/* The last price of a scenario, which several Greeks ask for, and how many times as large as the
 * set's its bumps were; 0: there is none. */
struct last_price {
    double scale;
    struct reference reference;
};

/* A trade in the scenarios of a bump set, and the prices of the wide and of the narrow bumps. */
struct scenario_prices {
    const struct greek_check_work *work;
    int index; /* of the trade */
    const struct bump_set *set;
    double error; /* of the first price */
    struct last_price last[MARKETS_MAX][2];
};

/* Finds the price of a scenario whose bumps are `scale` times as large. */
static enum status scaled_price(struct scenario_prices *prices, int s, bool narrow, double scale,
                                struct reference *reference)
{
    struct bump_scenario scenario = prices->set->scenarios[s];
    bool today = !scenario.n_shocks && scenario.scenario.time_passed == 0.0;
    struct last_price *last = &prices->last[s][narrow && !today];
    for (int k = 0; k < scenario.n_shocks; k++) scenario.shocks[k].amount *= scale;
    scenario.scenario.time_passed *= scale;
    if (last->scale != (today ? 1.0 : scale))
        MUST(price_scenario(prices->work, prices->index, &scenario, 0, prices->error,
                            &last->reference));
    if (prices->error == 0.0) prices->error = last->reference.error;
    last->scale = today ? 1.0 : scale;
    *reference = last->reference;
    return STATUS_OK;
}

/* A measure of the reference's prices and what is left of their errors in it: if each may be of
 * either sign, and if all are of one. */
struct quotient {
    double value, independent, common;
};

/* Finds it, bumps `scale` times as large, half as large where it is narrow. */
static enum status find_quotient(struct scenario_prices *prices, int m, double scale, bool narrow,
                                 struct quotient *found)
{
    const struct contrast *contrast = &prices->set->contrasts[m];
    int greek = prices->work->risk->sensitivities[prices->set->sensitivity[m]].greek;
    bool second = greek_rows[greek].second != SLOPE_NOTHING;
    *found = (struct quotient){0};
    if (narrow) scale *= 0.5;
    for (int i = 0; i < contrast->n_terms; i++) {
        const struct contrast_term *term = &contrast->terms[i];
        double weight = term->weight / (second ? scale * scale : scale);
        struct reference reference;
        MUST(scaled_price(prices, term->scenario, narrow, scale, &reference));
        found->value += weight * reference.price;
        found->independent += fabs(weight) * reference.error;
        found->common += weight * reference.error;
    }
    return STATUS_OK;
}

/* What is left of the errors of the prices in the narrow quotient. Prices of markets that are next
 * to each other share most of theirs, a grid's or a surface's, which a difference takes out but for
 * how it grows; what they do not share makes the quotients of two sizes differ. A thousandth is
 * allowed for beside. It is no more than if nothing were shared. */
static double quotient_error(const struct quotient *wide, const struct quotient *narrow)
{
    double shared = fmax(fabs(wide->common), fabs(narrow->common));
    double alone = fabs(narrow->value - wide->value) + 1e-3 * narrow->independent;
    return 2.0 * fmin(narrow->independent, shared + alone);
}

/* Prices of references are good to about their error: what a rate or a date moves them by must be
 * more, half the way to the first date at most, and what slopes of early exercise do, whose
 * references are grids: but where a rate changes its sign they turn. */
static double reference_scale(const struct bump_scenario *scenario, const struct greek_pool *pool,
                              bool slope)
{
    double passed = fabs(scenario->scenario.time_passed);
    if (passed > 0.0) return fmin(5.0, 0.5 * pool->first_date / passed);
    bool rate = scenario->n_shocks &&
                (scenario->shocks[0].kind == SHOCK_RATE || scenario->shocks[0].kind == SHOCK_YIELD);
    if (slope && pool->same_exercise) return rate ? 1.0 : 5.0;
    return rate ? 10.0 : 1.0;
}

/* The largest error of a reference that checks a Greek, as a share of it. */
#define VAGUE 0.1

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

/* A reference's Greek of one unit, what is left of its error, and the bias of the price's bump. */
struct greek_reference {
    int sensitivity;
    double value, error, bias;
};

/* Tells whether the trade has ended before what the sensitivity moves. */
static bool is_before(const struct greek_check_work *work, int index, const struct greek_pool *pool,
                      int sensitivity)
{
    return trade_is_before(work->check->market, pool, &work->check->trades[index],
                           &work->risk->sensitivities[sensitivity]);
}

/* Finds it; STATUS_FAILED where there is none. */
static enum status find_reference(struct scenario_prices *prices, const struct greek_pool *pool,
                                  int m, struct greek_reference *found)
{
    const struct bump_set *set = prices->set;
    const struct contrast *contrast = &set->contrasts[m];
    double scale =
        reference_scale(&set->scenarios[contrast->terms[0].scenario], pool, contrast->n_terms == 2);
    struct quotient wide, narrow;
    bool one_sided = contrast->n_terms == 2 && contrast->terms[1].scenario == 0;
    MUST(find_quotient(prices, m, scale, false, &wide));
    MUST(find_quotient(prices, m, scale, true, &narrow));
    double gain = (narrow.value - wide.value) / (one_sided ? 1.0 : 3.0);
    double value = narrow.value + gain;
    *found = (struct greek_reference){.sensitivity = set->sensitivity[m],
                                      .value = value,
                                      .error = 0.1 * fabs(gain) + quotient_error(&wide, &narrow),
                                      .bias = bias_of_bump(gain, scale, one_sided, value)};
    return STATUS_OK;
}

/* ---- a mean of quotients --------------------------------------------------------------------- */

/* What the parts of a simulation have come to: the quotient, and what more paths would leave of its
 * error. */
struct quotients {
    struct tally value, bias;
    double paths;
};

/* Prices one part in all scenarios of a set and adds it to the quotients of each contrast. A
 * scenario that has no price leaves no number; STATUS_FAILED where the first one has none: the
 * effort for it is that for all. */
static enum status add_part(const struct greek_check_work *work, int index,
                            const struct bump_set *set, int part, struct quotients *quotients)
{
    struct reference prices[MARKETS_MAX] = {0};
    for (int s = 0; s < set->n_scenarios; s++) {
        enum status status = price_scenario(work, index, &set->scenarios[s], part, 0.0, &prices[s]);
        if (status == STATUS_FAILED && s) prices[s].price = NAN;
        else if (status) return status;
    }
    for (int m = 0; m < set->n_contrasts; m++) {
        const struct contrast *contrast = &set->contrasts[m];
        double value = 0.0, bias = 0.0;
        for (int i = 0; i < contrast->n_terms; i++) {
            const struct reference *price = &prices[contrast->terms[i].scenario];
            value += contrast->terms[i].weight * price->price;
            bias += contrast->terms[i].weight * price->bias;
            quotients[m].paths += price->paths / contrast->n_terms;
        }
        quotients[m].value = tally_add(quotients[m].value, value);
        quotients[m].bias = tally_add(quotients[m].bias, bias);
    }
    return STATUS_OK;
}

/* Finds the Greeks of a set by the price's own bumps, whose bias both sides have, from the parts of
 * a simulation: all scenarios of a part have the same paths. */
static enum status find_by_parts(const struct greek_check_work *work, int index,
                                 const struct greek_pool *pool, const struct bump_set *set,
                                 struct bytes *found)
{
    const struct greek_check *check = work->check;
    const struct trade *trade = &check->trades[index];
    struct quotients quotients[BUMP_SET_CONTRASTS] = {0};
    /* The mean of so many parts may lie further than that of many whose deviation is known; by so
     * much at the limit of |z| for some thousand Greeks: 5. */
    const double few_parts = student_factor(5.0, REFERENCE_PARTS - 1.0);
    for (int part = 1; part <= REFERENCE_PARTS; part++) {
        enum status status = add_part(work, index, set, part, quotients);
        if (status) return status == STATUS_FAILED ? STATUS_OK : status;
    }
    for (int m = 0; m < set->n_contrasts; m++) {
        const struct quotients *q = &quotients[m];
        if (set->sensitivity[m] < 0) continue;
        /* A part of a day of a history that passes is no part of a return: it tells nothing. */
        double passed = set->scenarios[set->contrasts[m].terms[0].scenario].scenario.time_passed;
        if (passed > 0.0 && passed < pool->day) continue;
        double crossing =
            greek_crossing(check->market, trade, &work->risk->sensitivities[set->sensitivity[m]],
                           &set->contrasts[m], set->bump[m], pool->first_date);
        double noise =
            error_with_crossings(few_parts * tally_standard_error(q->value), crossing, q->paths);
        struct greek_reference one = {.sensitivity = set->sensitivity[m],
                                      .value = q->value.mean,
                                      .error = noise + fabs(q->bias.mean)};
        if (!isfinite(one.value) || is_before(work, index, pool, one.sensitivity)) continue;
        MUST(bytes_add(found, &one, sizeof one));
    }
    return STATUS_OK;
}

/* ---- the book -------------------------------------------------------------------------------- */

/* Finds the references of a trade's Greeks of a bump set that there are; a follower, which has
 * none, of all. */
static enum status find_of_set(const struct greek_check_work *work, int index,
                               const struct greek_pool *pool, const struct bump_set *set,
                               struct bytes *found)
{
    const struct greek_check *check = work->check;
    if (is_in_parts(&check->trades[index], check->estimates[index].reference_method))
        return find_by_parts(work, index, pool, set, found);
    struct scenario_prices prices = {.work = work, .index = index, .set = set};
    for (int m = 0; m < set->n_contrasts; m++) {
        struct greek_reference one;
        if (set->sensitivity[m] < 0) continue;
        double value = risk_greek(work->risk, set->sensitivity[m], index)->value;
        if (isnan(value) && !ranks_follow(check->ranks)) continue;
        if (is_before(work, index, pool, set->sensitivity[m])) continue;
        enum status status = find_reference(&prices, pool, m, &one);
        if (status == STATUS_FAILED) continue;
        MUST(status);
        MUST(bytes_add(found, &one, sizeof one));
    }
    return STATUS_OK;
}

static enum status find_references(void *context, int index, struct bytes *found,
                                   struct message *why)
{
    enum status status = STATUS_OK;
    const struct greek_check_work *work = context;
    const struct greek_pool *const *pools = work->pools[index];
    (void)why;
    for (int k = 0; !status && k < 2 && (!k || pools[1] != pools[0]); k++) {
        struct bump_sets sets = {0};
        status = bumps_make(work->check->market, pools[k], work->risk, true, &sets);
        for (int b = 0; !status && b < sets.n; b++)
            status = find_of_set(work, index, pools[k], &sets.list[b], found);
        free(sets.list);
    }
    return status;
}

/* Sets a Greek beside its reference. One that is vague, whose error is more than the Greek's own
 * and than VAGUE of the Greek, checks nothing, unless the two are so far apart that they disagree
 * all the same. */
static void compare(const struct greek_check_work *work, int index,
                    const struct greek_reference *found)
{
    struct greek_value *greek = risk_own_greek(work->risk, found->sensitivity, index);
    double quantity = work->check->trades[index].quantity, bias = fabs(quantity) * found->bias;
    if (!greek || isnan(greek->value)) return;
    greek->reference = quantity * found->value;
    greek->reference_error = fabs(quantity) * found->error;
    double distance = greek->value - greek->reference;
    double error = hypot(hypot(greek->std_error, bias), greek->reference_error);
    double size = fmax(fabs(greek->value), fabs(greek->reference));
    bool vague = greek->reference_error > fmax(greek->std_error, VAGUE * size);
    if (distance == 0.0) greek->z = 0.0;
    else if (!vague || fabs(distance) > judge_limit(1) * error) greek->z = distance / error;
}

static enum status take(void *context, int i, struct bytes *made, struct message *why)
{
    struct greek_reference one;
    (void)why;
    while (bytes_read(made, &one, sizeof one)) compare(context, i, &one);
    return made->read == made->n ? STATUS_OK : STATUS_ENGINE;
}

/* Checks the trades whose references are exact, or had in parts, by all ranks. */
static enum status check_trades(struct greek_check_work *work)
{
    struct message why = {""};
    const struct greek_check *check = work->check;
    int n = 0, *which = malloc(((size_t)work->risk->n_trades + 1) * sizeof *which);
    if (!which) return STATUS_NO_MEMORY;
    for (int i = 0; i < work->risk->n_trades && !ranks_follow(check->ranks); i++) {
        const char *method = check->estimates[i].reference_method;
        if (is_exact(method) || is_in_parts(&check->trades[i], method)) which[n++] = i;
    }
    struct team *team = team_begin(check->threads);
    const struct pieces references = {.n = n,
                                      .which = which,
                                      .context = work,
                                      .make = find_references,
                                      .team = team,
                                      .take = take,
                                      .ranks = check->ranks,
                                      .key = digest_text(DIGEST_BEGIN, "references of Greeks"),
                                      .least = (uint64_t)check->threads,
                                      .most = 64 * (uint64_t)check->threads,
                                      .stop = check->stop,
                                      .seconds = check->seconds};
    enum status status = pieces_make(&references, &why);
    team_end(team);
    free(which);
    return status;
}

struct greek_counts greeks_count(const struct risk *risk)
{
    struct greek_counts counts = {0};
    const struct greek_table *table = &risk->greeks;
    size_t n = table->first ? table->first[risk->n_trades] : 0;
    for (size_t k = 0; k < n; k++) {
        counts.all += isfinite(table->values[k].value);
        counts.checked += !isnan(table->values[k].z);
    }
    counts.limit = judge_limit(counts.checked);
    for (size_t k = 0; k < n; k++) counts.beyond += fabs(table->values[k].z) > counts.limit;
    return counts;
}

/* All Greeks share one limit, as all prices do. */
static enum status judge(const struct greek_check *check, struct risk *risk,
                         struct complaints *notes)
{
    double limit = greeks_count(risk).limit;
    for (int s = 0; s < risk->n_sensitivities; s++)
        for (int i = 0; i < risk->n_trades; i++) {
            struct greek_value *greek = risk_own_greek(risk, s, i);
            if (!greek || isnan(greek->z) || fabs(greek->z) <= limit) continue;
            const struct trade *trade = &check->trades[i];
            const char *name = risk->sensitivities[s].name;
            if (judge_few_pay(trade, &check->estimates[i])) {
                complaints_add(notes, trade->line,
                               "%s:%d: trade '%s': %s: too few paths pay to compare with the "
                               "reference (z = %.2f)",
                               trade->file, trade->line, trade->id, name, greek->z);
                greek->z = NAN;
                continue;
            }
            risk->n_disagree++;
            char distance[64] = "and neither has an error; its reference is";
            if (isfinite(greek->z))
                snprintf(distance, sizeof distance, "%.2f standard errors from its reference",
                         greek->z);
            complaints_add(notes, trade->line,
                           "%s:%d: trade '%s': %s is %.6g, %s %.6g; %.2f are allowed", trade->file,
                           trade->line, trade->id, name, greek->value, distance, greek->reference,
                           limit);
        }
    return notes->lost ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status greeks_check(const struct greek_check *check, struct risk *risk,
                         struct complaints *notes)
{
    enum status status = STATUS_OK;
    struct greek_pools pools = {0};
    const struct greek_pool *(*pools_of)[2] = calloc((size_t)risk->n_trades + 1, sizeof *pools_of);
    if (!pools_of) TRY(STATUS_NO_MEMORY);
    TRY(greek_pools_make(check->market, risk->n_trades, check->trades, check->paths, &pools));
    for (int u = 0; u < pools.n; u++) {
        const struct greek_pool *pool = &pools.pools[u];
        for (int i = 0; i < pool->n; i++) {
            if (pool->greeks != POOL_OF_REST) pools_of[pool->trades[i]][0] = pool;
            if (pool->greeks != POOL_OF_SPOTS) pools_of[pool->trades[i]][1] = pool;
        }
    }
    struct greek_check_work work = {.check = check, .risk = risk, .pools = pools_of};
    TRY(check_trades(&work));
    if (!ranks_follow(check->ranks)) TRY(judge(check, risk, notes));
done:
    greek_pools_free(&pools);
    free(pools_of);
    return status;
}
