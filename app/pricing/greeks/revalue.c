#include "app/pricing/greeks/revalue.h"

#include <math.h>
#include <stdlib.h>

#include "app/pricing/greeks/crossings.h"
#include "app/pricing/exercise/exercise_policy.h"

enum status revalue_prepare(const struct valuer *valuer, const struct revaluation *asked,
                            struct prepared *prepared, struct message *why)
{
    enum status status = STATUS_OK;
    struct plan_settings settings = valuer->settings;
    settings.in = asked->in;
    *prepared = (struct prepared){0};
    prepared->refusals = calloc((size_t)valuer->n_trades + 1, sizeof *prepared->refusals);
    if (!prepared->refusals) TRY(STATUS_NO_MEMORY);
    TRY(plan_contrasts(asked->n_scenarios, asked->scenarios, &asked->contrast_list,
                       valuer->n_trades, valuer->trades, &settings, &prepared->plan,
                       prepared->refusals));
    TRY(exercise_fit(&cpu_engine, valuer->options, valuer->policies, &prepared->plan, why));
done:
    return status;
}

void prepared_free(struct prepared *prepared)
{
    plan_free(&prepared->plan);
    free(prepared->refusals);
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
