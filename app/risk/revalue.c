#include "app/risk/revalue.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/exercise.h"

/* The measures alone: what trades are worth under each scenario is not asked for. */
static enum status keep_measures(const struct plan *plan, const struct tally *rows, struct findings *findings)
{
    size_t skipped = (size_t)plan->n_scenarios * (size_t)plan->n_trades;
    size_t n = (size_t)plan->n_measures * (size_t)plan->n_trades;
    findings->tallies = malloc((n + 1) * sizeof *findings->tallies);
    if (!findings->tallies) return STATUS_NO_MEMORY;
    memcpy(findings->tallies, rows + skipped, n * sizeof *rows);
    return STATUS_OK;
}

static enum status run_plan(const struct valuer *valuer, struct plan *plan, struct findings *findings,
                            struct message *why)
{
    enum status status = STATUS_OK;
    struct engine_report report = {0};
    struct engine_options options = *valuer->options;
    options.progress = NULL; /* the whole run has one bar */
    struct tally *rows = calloc((size_t)plan_tallies(plan) + 1, sizeof *rows);
    findings->n_chunks = plan->paths / CHUNK_PATHS;
    if (plan->n_totals)
        findings->totals = calloc((size_t)findings->n_chunks * chunk_totals(plan) + 1, sizeof(double));
    if (!rows || (plan->n_totals && !findings->totals)) TRY(STATUS_NO_MEMORY);
    TRY(exercise_fit(plan, valuer->options->threads, why));
    if (plan->n_groups)
        TRY(journal_price(valuer->journal, valuer->engine, plan, &options, rows, findings->totals, &report,
                          why));
    TRY(keep_measures(plan, rows, findings));
done:
    free(rows);
    return status;
}

enum status revalue(const struct valuer *valuer, const struct revaluation *asked, struct findings *findings,
                    struct message *why)
{
    enum status status = STATUS_OK;
    struct plan plan = {0};
    struct plan_settings settings = valuer->settings;
    settings.in = asked->in;
    *findings = (struct findings){0};
    findings->refusals = calloc((size_t)valuer->n_trades + 1, sizeof *findings->refusals);
    if (!findings->refusals) TRY(STATUS_NO_MEMORY);
    TRY(plan_measures(asked->n_scenarios, asked->scenarios, &asked->measuring, valuer->n_trades,
                      valuer->trades, &settings, &plan, findings->refusals));
    TRY(run_plan(valuer, &plan, findings, why));
done:
    plan_free(&plan);
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

void say_progress(const struct valuer *valuer, int done, int total)
{
    if (valuer->progress) valuer->progress(valuer->progress_context, (uint64_t)done, (uint64_t)total);
}
