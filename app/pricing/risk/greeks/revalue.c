#include "app/pricing/risk/greeks/revalue.h"

#include <math.h>
#include <stdlib.h>

#include "app/pricing/risk/greeks/greek_errors.h"
#include "app/pricing/value/exercise/exercise_policy.h"
#include "app/pricing/value/linear_value.h"
#include "app/pricing/value/stored_price.h"

enum status revaluation_add(struct revaluation *revaluation, int n, const struct shock *shocks,
                            struct scenario scenario)
{
    struct shocked_market *shocked = &revaluation->markets[revaluation->n_scenarios];
    const struct market *today = revaluation->valuer.market;
    enum status status = shock_market(today, n, shocks, shocked, &revaluation->why_lost);
    scenario.market = status ? today : &shocked->market;
    revaluation->lost[revaluation->n_scenarios] = status != STATUS_OK;
    revaluation->scenarios[revaluation->n_scenarios++] = scenario;
    return status;
}

/* ---- one call -------------------------------------------------------------------------------- */

/* Adds what needs no path to what paths found, of the whole and of each chunk. */
static void add_linear(struct revaluation *revaluation)
{
    const struct plan *plan = &revaluation->plan;
    const struct valuer *valuer = &revaluation->valuer;
    size_t n = (size_t)valuer->n_trades;
    for (size_t i = 0; i < n; i++) {
        const struct trade *trade = &valuer->trades[i];
        bool in = !revaluation->in || revaluation->in[i];
        if (!in || !has_linear_value(trade) || revaluation->refusals[i].why.text[0]) continue;
        for (size_t c = 0; c < (size_t)plan->n_contrasts; c++) {
            double value = linear_contrast(revaluation->scenarios, &plan->contrasts[c], trade);
            struct tally *tally = &revaluation->tallies[c * n + i];
            if (!trade_has_paths(trade)) tally->n = (double)plan->paths;
            tally->mean += value;
            if (!plan->n_totals || plan->totals[i] < 0) continue;
            size_t at = c * (size_t)plan->n_totals + (size_t)plan->totals[i];
            for (uint64_t k = 0; k < revaluation->n_chunks; k++)
                revaluation->totals[k * chunk_totals(plan) + at] += plan->quantities[i] * value;
        }
    }
}

enum status revaluation_prepare(struct revaluation *revaluation, struct message *why)
{
    const struct valuer *valuer = &revaluation->valuer;
    struct plan_settings settings = valuer->settings;
    settings.in = revaluation->in;
    revaluation->contrasts.scenarios =
        (struct scenario_list){revaluation->n_scenarios, revaluation->scenarios};
    revaluation->refusals = calloc((size_t)valuer->n_trades + 1, sizeof *revaluation->refusals);
    if (!revaluation->refusals) return STATUS_NO_MEMORY;
    MUST(plan_contrasts(&revaluation->contrasts, valuer->n_trades, valuer->trades, &settings,
                        &revaluation->plan, revaluation->refusals));
    return exercise_fit(&cpu_engine, valuer->options, valuer->policies, &revaluation->plan, why);
}

/* Runs the plan and frees it. */
static enum status run_plan(struct revaluation *revaluation, struct message *why)
{
    enum status status = STATUS_OK;
    const struct valuer *valuer = &revaluation->valuer;
    struct plan *plan = &revaluation->plan;
    struct engine_report report = {0};
    struct engine_options options = *valuer->options;
    size_t totals = (size_t)(plan->paths / CHUNK_PATHS) * chunk_totals(plan);
    options.progress = NULL; /* the whole run has one bar */
    options.everywhere = false;
    revaluation->n_chunks = plan->paths / CHUNK_PATHS;
    revaluation->tallies = calloc((size_t)plan_tallies(plan) + 1, sizeof(struct tally));
    if (plan->n_totals) revaluation->totals = calloc(totals + 1, sizeof(double));
    if (!revaluation->tallies || (plan->n_totals && !revaluation->totals)) TRY(STATUS_NO_MEMORY);
    const struct plan_pricing pricing = {.store = valuer->store,
                                         .engine = valuer->engine,
                                         .plan = plan,
                                         .options = &options,
                                         .tallies = revaluation->tallies,
                                         .totals = revaluation->totals};
    if (plan->n_groups) TRY(stored_price(&pricing, &report, why));
    add_linear(revaluation);
done:
    plan_free(plan);
    return status;
}

/* ---- contrast by contrast -------------------------------------------------------------------- */

/* A call that values one contrast, under the markets of another call: those of its terms, those
 * that they follow, and today's. */
struct lone_contrast {
    struct revaluation call;
    struct contrast contrast;
    int origin[MARKETS_MAX]; /* [n_scenarios] which scenario of the other call each is */
};
_Static_assert(2 * CONTRAST_TERMS + 1 <= MARKETS_MAX, "there is room for them");

/* Returns which scenario of it one of the other call is; it comes behind the one that it follows.
 */
static int take_scenario(const struct revaluation *all, int scenario, struct lone_contrast *lone)
{
    struct scenario taken = all->scenarios[scenario];
    for (int s = 0; s < lone->call.n_scenarios; s++)
        if (lone->origin[s] == scenario) return s;
    if (taken.follows) taken.follows = 1 + take_scenario(all, taken.follows - 1, lone);
    lone->origin[lone->call.n_scenarios] = scenario;
    lone->call.scenarios[lone->call.n_scenarios] = taken;
    return lone->call.n_scenarios++;
}

/* Takes a contrast of all, for one trade. In an American's call the first market is today's, whose
 * policies the others borrow. */
static void take_contrast(const struct revaluation *all, int contrast, int trade,
                          struct lone_contrast *lone)
{
    struct contrast *taken = &lone->contrast;
    *taken = all->contrasts.contrasts[contrast];
    if (trade_has(&all->valuer.trades[trade], EARLY_EXERCISE | DECIDES))
        take_scenario(all, 0, lone);
    for (int t = 0; t < taken->n_terms; t++)
        taken->terms[t].scenario = take_scenario(all, taken->terms[t].scenario, lone);
    for (int s = 0; s < lone->call.n_scenarios; s++) { /* partners are terms of one contrast */
        int *partner = &lone->call.scenarios[s].partner;
        if (*partner) *partner = 1 + take_scenario(all, *partner - 1, lone);
    }
}

static enum status value_contrast(struct revaluation *all, int contrast, int trade,
                                  struct message *why)
{
    enum status status = STATUS_OK;
    struct lone_contrast lone = {.call = {.valuer = all->valuer, .contrasts = all->contrasts}};
    size_t n_trades = (size_t)all->valuer.n_trades, n = (size_t)all->contrasts.n_totals,
           contrasts = (size_t)all->contrasts.n_contrasts;
    lone.call.in = calloc(n_trades + 1, sizeof *lone.call.in);
    if (!lone.call.in) TRY(STATUS_NO_MEMORY);
    lone.call.in[trade] = true;
    take_contrast(all, contrast, trade, &lone);
    lone.call.contrasts.n_contrasts = 1;
    lone.call.contrasts.contrasts = &lone.contrast;
    TRY(revaluation_prepare(&lone.call, why));
    if (lone.call.refusals[trade].why.text[0]) goto done;
    TRY(run_plan(&lone.call, why));
    /* What was found of it has its place among what all were asked for. */
    all->tallies[(size_t)contrast * n_trades + (size_t)trade] = lone.call.tallies[trade];
    for (uint64_t c = 0; all->totals && c < all->n_chunks; c++)
        for (size_t t = 0; t < n; t++)
            all->totals[(c * contrasts + (size_t)contrast) * n + t] += lone.call.totals[c * n + t];
done:
    revaluation_free(&lone.call);
    return status;
}

enum status revaluation_run(struct revaluation *revaluation, struct message *why)
{
    MUST(run_plan(revaluation, why));
    for (int t = 0; t < revaluation->valuer.n_trades; t++)
        for (int m = 0; m < revaluation->contrasts.n_contrasts; m++)
            if (revaluation->refusals[t].why.text[0]) MUST(value_contrast(revaluation, m, t, why));
    return STATUS_OK;
}

bool revaluation_value(const struct revaluation *revaluation, int contrast, int trade,
                       double crossing, double *value, double *std_error)
{
    const struct valuer *valuer = &revaluation->valuer;
    struct tally tally =
        revaluation->tallies[(size_t)contrast * (size_t)valuer->n_trades + (size_t)trade];
    double quantity = valuer->trades[trade].quantity;
    bool valued = tally.n > 0.0;
    double error = error_with_crossings(tally_standard_error(tally), crossing, tally.n);
    *value = valued ? quantity * tally.mean + 0.0 : NAN; /* never -0 */
    *std_error = valued ? fabs(quantity) * error : NAN;
    return valued;
}

void revaluation_free(struct revaluation *revaluation)
{
    for (int s = 0; s < MARKETS_MAX; s++) shocked_market_free(&revaluation->markets[s]);
    plan_free(&revaluation->plan);
    free(revaluation->in);
    free(revaluation->refusals);
    free(revaluation->tallies);
    free(revaluation->totals);
    *revaluation = (struct revaluation){0};
}
