#include "app/pricing/risk/greeks/revalue.h"

#include <math.h>
#include <stdlib.h>

#include "app/pricing/risk/greeks/crossings.h"
#include "app/pricing/value/exercise/exercise_policy.h"
#include "app/pricing/value/linear_value.h"

/* Finds what needs no path of the trades that have such a part. */
static enum status find_linear(const struct valuer *valuer, const struct revaluation *asked,
                               struct prepared *prepared)
{
    size_t n = (size_t)valuer->n_trades, m = (size_t)asked->contrast_list.n_contrasts;
    for (size_t i = 0; i < n; i++) {
        const struct trade *trade = &valuer->trades[i];
        if ((asked->in && !asked->in[i]) || !has_linear_value(trade)) continue;
        if (!prepared->linear) prepared->linear = calloc(n * m + 1, sizeof *prepared->linear);
        if (!prepared->linear) return STATUS_NO_MEMORY;
        for (size_t c = 0; c < m; c++)
            prepared->linear[c * n + i] =
                linear_contrast(asked->scenarios, &asked->contrast_list.contrasts[c], trade);
    }
    return STATUS_OK;
}

/* Adds it to what paths found, of the whole and of each chunk. */
static void add_linear(const struct valuer *valuer, const struct prepared *prepared,
                       struct findings *findings)
{
    const struct plan *plan = &prepared->plan;
    size_t n = (size_t)valuer->n_trades;
    for (size_t i = 0; i < n && prepared->linear; i++) {
        const struct trade *trade = &valuer->trades[i];
        if ((prepared->in && !prepared->in[i]) || !has_linear_value(trade) ||
            findings->refusals[i].why.text[0])
            continue;
        for (size_t c = 0; c < (size_t)plan->n_contrasts; c++) {
            double value = prepared->linear[c * n + i];
            struct tally *tally = &findings->tallies[c * n + i];
            if (!trade_has_paths(trade)) tally->n = (double)plan->paths;
            tally->mean += value;
            if (!plan->n_totals || plan->totals[i] < 0) continue;
            size_t at = c * (size_t)plan->n_totals + (size_t)plan->totals[i];
            for (uint64_t k = 0; k < findings->n_chunks; k++)
                findings->totals[k * chunk_totals(plan) + at] += plan->quantities[i] * value;
        }
    }
}

enum status revalue_prepare(const struct valuer *valuer, const struct revaluation *asked,
                            struct prepared *prepared, struct message *why)
{
    enum status status = STATUS_OK;
    struct plan_settings settings = valuer->settings;
    struct contrast_list wanted = asked->contrast_list;
    wanted.scenarios = (struct scenario_list){asked->n_scenarios, asked->scenarios};
    settings.in = asked->in;
    *prepared = (struct prepared){0};
    prepared->refusals = calloc((size_t)valuer->n_trades + 1, sizeof *prepared->refusals);
    if (!prepared->refusals) TRY(STATUS_NO_MEMORY);
    TRY(plan_contrasts(&wanted, valuer->n_trades, valuer->trades, &settings, &prepared->plan,
                       prepared->refusals));
    TRY(exercise_fit(&cpu_engine, valuer->options, valuer->policies, &prepared->plan, why));
    prepared->in = asked->in;
    TRY(find_linear(valuer, asked, prepared));
done:
    return status;
}

void prepared_free(struct prepared *prepared)
{
    plan_free(&prepared->plan);
    free(prepared->refusals);
    free(prepared->linear);
    *prepared = (struct prepared){0};
}

enum status revalue_run(const struct valuer *valuer, struct prepared *prepared,
                        struct findings *findings, struct message *why)
{
    enum status status = STATUS_OK;
    const struct plan *plan = &prepared->plan;
    struct engine_report report = {0};
    struct engine_options options = *valuer->options;
    options.progress = NULL; /* the whole run has one bar */
    options.everywhere = false;
    *findings =
        (struct findings){.n_chunks = plan->paths / CHUNK_PATHS,
                          .tallies = calloc((size_t)plan_tallies(plan) + 1, sizeof(struct tally)),
                          .refusals = prepared->refusals};
    prepared->refusals = NULL;
    if (plan->n_totals)
        findings->totals =
            calloc((size_t)findings->n_chunks * chunk_totals(plan) + 1, sizeof(double));
    if (!findings->tallies || (plan->n_totals && !findings->totals)) TRY(STATUS_NO_MEMORY);
    if (plan->n_groups)
        TRY(stored_price(valuer->store, valuer->engine, plan, &options, findings->tallies,
                         findings->totals, &report, why));
    add_linear(valuer, prepared, findings);
done:
    if (status) findings_free(findings);
    return status;
}

void findings_free(struct findings *findings)
{
    free(findings->tallies);
    free(findings->totals);
    free(findings->refusals);
    *findings = (struct findings){0};
}

bool findings_value(const struct valuer *valuer, const struct findings *findings, int contrast,
                    int trade, double crossing, double *value, double *std_error)
{
    struct tally tally =
        findings->tallies[(size_t)contrast * (size_t)valuer->n_trades + (size_t)trade];
    double quantity = valuer->trades[trade].quantity;
    *value = tally.n > 0.0 ? quantity * tally.mean : NAN;
    *std_error = tally.n > 0.0 ? fabs(quantity) * error_with_crossings(tally_standard_error(tally),
                                                                       crossing, tally.n)
                               : NAN;
    return tally.n > 0.0;
}
