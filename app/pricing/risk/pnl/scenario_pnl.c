#include "app/pricing/risk/pnl/scenario_pnl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/risk/pnl/value_at_risk.h"
#include "app/pricing/risk/greeks/greek_errors.h"
#include "app/pricing/risk/greeks/sensitivities.h"
#include "models/payoffs/payoff_definition.h"

/* Most payoffs of a job's plan, unless one scenario beside today has more: half of what a pipeline
 * plans at once, so that one job of a large book is planned while another runs. */
enum { JOB_PAYOFFS = PAYOFFS_PLANNED / 2 };

/* Some of the scenarios, valued together. */
struct pnl_job {
    int first, n;
    struct contrast contrasts[MARKETS_MAX]; /* the value today, then their P&L */
    bool any;                               /* trades are moved */
    struct revaluation revaluation;         /* under today's market, then theirs */
};

struct pnl_jobs {
    const struct valuer *valuer;
    struct pnl_request asked;
    int *total_of;      /* [trade] its cell; -1 where it is left out; owned */
    double *quantities; /* [trade] owned */
    int at_once;        /* scenarios of a job */
    struct scenario_pnl *pnl_table;
    struct pnl_job job[JOBS_AT_ONCE];
};

/* Returns the FX rate of a currency in scenario s (from 0); today's where it differs by rounding
 * alone. */
static double rate_then(const struct pnl_jobs *jobs, const struct pnl_job *job, int s, int currency,
                        double today)
{
    double then =
        conversion_rate(job->revaluation.scenarios[s + 1].market, currency, jobs->asked.currency);
    return fabs(then - today) <= 1e-12 * today ? today : then;
}

/* ---- which trades ---------------------------------------------------------------------------- */

/* Tells whether a scenario moves what the trade depends on. */
static bool is_moved_in(const struct pnl_jobs *jobs, int scenario, int trade)
{
    const struct scenario_request *request = &jobs->asked.scenarios[scenario];
    for (int m = 0; m < request->n_shocks; m++)
        if (request->shocks[m].amount != 0.0 &&
            trade_sees_shock(jobs->valuer->market, &jobs->valuer->trades[trade],
                             &request->shocks[m]))
            return true;
    return false;
}

static bool is_moved(const struct pnl_jobs *jobs, const struct pnl_job *job, int trade)
{
    const struct market *today = jobs->valuer->market;
    const struct trade *t = &jobs->valuer->trades[trade];
    int currency = trade_currency(today, t);
    double rate = conversion_rate(today, currency, jobs->asked.currency);
    for (int s = 0; s < job->n; s++) {
        if (is_moved_in(jobs, job->first + s, trade)) return true;
        if (!isnan(rate) && rate_then(jobs, job, s, currency, rate) != rate) return true;
    }
    return false;
}

/* ---- what it brought ------------------------------------------------------------------------- */

/* Says that a trade cannot be valued in a scenario; once for all of them where today is why. */
static void note_refusal(const struct pnl_jobs *jobs, const struct pnl_job *job, int scenario,
                         int index, const char *why)
{
    const struct trade *trade = &jobs->valuer->trades[index];
    struct complaints *notes = &jobs->pnl_table->notes;
    double value, error;
    bool valued_today =
        revaluation_value(&job->revaluation, 0, index, 0.0, &value, &error) && isfinite(value);
    if (valued_today)
        complaints_add(notes, trade->line, "%s:%d: trade '%s' cannot be valued in '%s': %s",
                       trade->file, trade->line, trade->id, jobs->asked.scenarios[scenario].name,
                       why);
    else if (!jobs->asked.lost_today[index])
        complaints_add(notes, trade->line,
                       "%s:%d: trade '%s' cannot be valued today, nor in any scenario or on any "
                       "past day: %s",
                       trade->file, trade->line, trade->id, why);
    jobs->asked.lost_today[index] = !valued_today;
}

/* What the few paths that count may bring to the means of an aggregate: nobody knows whether the
 * trades' go together or not. */
struct crossings {
    double together, squares;
};

/* Adds a trade's, in its currency, to those of its aggregates [aggregate] in scenario s. */
static void add_crossing(const struct pnl_jobs *jobs, const struct pnl_job *job, int s, int trade,
                         double crossing, struct crossings *sums)
{
    const struct aggregation *aggregation = jobs->asked.aggregation;
    if (crossing == 0.0 || jobs->total_of[trade] < 0) return;
    int currency = trade_currency(jobs->valuer->market, &jobs->valuer->trades[trade]);
    double money = crossing * conversion_rate(job->revaluation.scenarios[s + 1].market, currency,
                                              jobs->asked.currency);
    for (int way = 0; way < aggregation->n_ways; way++) {
        int aggregate =
            aggregation->aggregate_of[(size_t)way * (size_t)aggregation->n_trades + (size_t)trade];
        sums[aggregate].together += money;
        sums[aggregate].squares += money * money;
    }
}

/* Returns the standard error of a total of one trade alone, in scenario s: the trade's own. Where
 * its FX rate moves as well, that of its value is added, as if both went together. */
static double lone_error(const struct pnl_jobs *jobs, const struct pnl_job *job, int s, int trade)
{
    const struct market *market = jobs->valuer->market;
    size_t row = (size_t)(job->first + s) * (size_t)jobs->valuer->n_trades;
    int currency = trade_currency(market, &jobs->valuer->trades[trade]);
    double today = conversion_rate(market, currency, jobs->asked.currency),
           then = rate_then(jobs, job, s, currency, today), value, error_today = 0.0;
    if (then != today) revaluation_value(&job->revaluation, 0, trade, 0.0, &value, &error_today);
    return then * jobs->pnl_table->trades[row + (size_t)trade].std_error +
           fabs(then - today) * error_today;
}

static enum status take_trades(const struct pnl_jobs *jobs, const struct pnl_job *job)
{
    const struct revaluation *revaluation = &job->revaluation;
    const struct scenario_pnl *table = jobs->pnl_table;
    size_t n = (size_t)jobs->valuer->n_trades, n_sums = (size_t)table->n_aggregates;
    struct crossings *sums = calloc((size_t)job->n * n_sums + 1, sizeof *sums);
    if (!sums) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const struct trade *trade = &jobs->valuer->trades[i];
        for (int s = 0; s < job->n; s++) {
            const struct scenario_request *request = &jobs->asked.scenarios[job->first + s];
            struct pnl *pnl = &table->trades[(size_t)(job->first + s) * n + i];
            *pnl = (struct pnl){0.0, 0.0};
            if (!is_moved_in(jobs, job->first + s, (int)i)) continue;
            double crossing =
                pnl_crossing(jobs->valuer->market, trade, request->n_shocks, request->shocks);
            if (!revaluation_value(revaluation, s + 1, (int)i, crossing, &pnl->value,
                                   &pnl->std_error)) {
                note_refusal(jobs, job, job->first + s, (int)i, revaluation->refusals[i].why.text);
            } else if (!isfinite(pnl->value)) {
                note_refusal(jobs, job, job->first + s, (int)i,
                             "its profit is beyond the range of a double");
                *pnl = (struct pnl){NAN, NAN};
            } else {
                double paths = revaluation->tallies[(size_t)(s + 1) * n + i].n;
                add_crossing(jobs, job, s, (int)i, trade->quantity * crossing / paths,
                             sums + (size_t)s * n_sums);
            }
        }
    }
    for (size_t i = 0; i < (size_t)job->n * n_sums; i++) {
        size_t a = i % n_sums, s = i / n_sums, at = a * (size_t)table->n + (size_t)job->first + s;
        double *error = &table->aggregates[at].std_error,
               crossing = fmax(fabs(sums[i].together), sqrt(sums[i].squares));
        *error = table->lone[a] >= 0 ? lone_error(jobs, job, (int)s, table->lone[a])
                                     : error_with_crossings(*error, crossing, 1.0);
    }
    free(sums);
    return table->notes.lost ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Returns a + b; 0 where they cancel but for rounding. */
static double sum_of(double a, double b)
{
    double sum = a + b;
    return fabs(sum) <= 1e-12 * fabs(a) ? 0.0 : sum;
}

/* Adds the P&L of a total, a cell of trades, in scenario s to those of its aggregates, chunk by
 * chunk, in the reporting currency: sums [aggregate][chunk]. */
static void add_total(const struct pnl_jobs *jobs, const struct pnl_job *job, int total, int s,
                      double *sums)
{
    const struct aggregation *aggregation = jobs->asked.aggregation;
    const struct market *market = jobs->valuer->market;
    size_t n = (size_t)jobs->asked.aggregation->n_cells,
           n_chunks = (size_t)job->revaluation.n_chunks;
    int first = aggregation->first[total];
    int currency = trade_currency(market, &jobs->valuer->trades[first]);
    double today = conversion_rate(market, currency, jobs->asked.currency);
    if (isnan(today)) return;
    double then = rate_then(jobs, job, s, currency, today);
    for (size_t c = 0; c < n_chunks; c++) {
        const double *chunk = job->revaluation.totals + c * (size_t)(job->n + 1) * n;
        double pnl = sum_of(then * chunk[(size_t)(s + 1) * n + (size_t)total],
                            (then - today) * chunk[total]);
        for (int way = 0; way < aggregation->n_ways; way++) {
            size_t at = (size_t)way * (size_t)aggregation->n_trades + (size_t)first;
            sums[(size_t)aggregation->aggregate_of[at] * n_chunks + c] += pnl;
        }
    }
}

/* Takes the totals of the aggregates: their means over chunks, and over each block of them. */
static enum status take_totals(const struct pnl_jobs *jobs, const struct pnl_job *job)
{
    struct scenario_pnl *table = jobs->pnl_table;
    size_t n_chunks = (size_t)job->revaluation.n_chunks, n = (size_t)table->n,
           n_aggregates = (size_t)table->n_aggregates, n_blocks = (size_t)table->n_blocks,
           per_block = n_chunks / n_blocks;
    double *sums = malloc((n_aggregates * n_chunks + 1) * sizeof *sums);
    if (!sums) return STATUS_NO_MEMORY;
    for (int i = 0; i < job->n; i++) {
        size_t s = (size_t)(job->first + i);
        memset(sums, 0, n_aggregates * n_chunks * sizeof *sums);
        for (int t = 0; t < jobs->asked.aggregation->n_cells; t++) add_total(jobs, job, t, i, sums);
        for (size_t a = 0; a < n_aggregates; a++)
            if (!isnan(table->aggregates[a * n + s].value))
                table->aggregates[a * n + s] = blocks_mean(n_chunks, sums + a * n_chunks);
        for (size_t a = 0; a < n_aggregates; a++)
            for (size_t c = 0; c < n_blocks * per_block; c++)
                table->blocks[(a * n_blocks + c / per_block) * n + s] +=
                    sums[a * n_chunks + c] / (double)per_block;
    }
    free(sums);
    return STATUS_OK;
}

/* ---- some scenarios -------------------------------------------------------------------------- */

/* Asks for the scenarios of a job. */
static enum status ask(const struct pnl_jobs *jobs, struct pnl_job *job, struct message *why)
{
    const struct scenario best = {.fit_policies = true};
    struct revaluation *revaluation = &job->revaluation;
    *revaluation = (struct revaluation){.valuer = *jobs->valuer,
                                        .contrasts = {.n_contrasts = job->n + 1,
                                                      .contrasts = job->contrasts,
                                                      .n_totals = jobs->asked.aggregation->n_cells,
                                                      .totals = jobs->total_of,
                                                      .quantities = jobs->quantities}};
    MUST(revaluation_add(revaluation, 0, NULL, best));
    job->contrasts[0] = (struct contrast){1, {{0, 1.0}}};
    for (int s = 0; s < job->n; s++) {
        const struct scenario_request *request = &jobs->asked.scenarios[job->first + s];
        enum status status = revaluation_add(revaluation, request->n_shocks, request->shocks, best);
        *why = revaluation->why_lost;
        MUST(status);
        job->contrasts[s + 1] = (struct contrast){2, {{s + 1, 1.0}, {0, -1.0}}};
    }
    return STATUS_OK;
}

static enum status prepare_pnl(void *context, int i, struct message *why)
{
    struct pnl_jobs *jobs = context;
    struct pnl_job *job = &jobs->job[i % JOBS_AT_ONCE];
    int left = jobs->pnl_table->n - i * jobs->at_once;
    job->first = i * jobs->at_once;
    job->n = left < jobs->at_once ? left : jobs->at_once;
    MUST(ask(jobs, job, why));
    job->any = false;
    job->revaluation.in = calloc((size_t)jobs->valuer->n_trades + 1, sizeof *job->revaluation.in);
    if (!job->revaluation.in) return STATUS_NO_MEMORY;
    for (int t = 0; t < jobs->valuer->n_trades; t++)
        job->any |= job->revaluation.in[t] = is_moved(jobs, job, t);
    if (job->any) MUST(revaluation_prepare(&job->revaluation, why));
    return STATUS_OK;
}

static enum status run_pnl(void *context, int i, struct message *why)
{
    struct pnl_jobs *jobs = context;
    struct pnl_job *job = &jobs->job[i % JOBS_AT_ONCE];
    return job->any ? revaluation_run(&job->revaluation, why) : STATUS_OK;
}

static enum status finish_pnl(void *context, int i, struct message *why)
{
    enum status status = STATUS_OK;
    struct pnl_jobs *jobs = context;
    struct pnl_job *job = &jobs->job[i % JOBS_AT_ONCE];
    (void)why;
    if (ranks_follow(jobs->valuer->options->ranks)) goto done;
    if (job->any) TRY(take_totals(jobs, job));
    TRY(take_trades(jobs, job));
done:
    revaluation_free(&job->revaluation);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Makes the totals of aggregates none of whose trades is counted no numbers, and finds those that
 * count one alone. */
static void empty_uncounted(const struct pnl_jobs *jobs)
{
    enum { NONE = -1, SEVERAL = -2 };
    const struct aggregation *aggregation = jobs->asked.aggregation;
    struct scenario_pnl *table = jobs->pnl_table;
    size_t n = (size_t)table->n, all = n * (size_t)table->n_aggregates;
    for (size_t i = 0; i < all; i++) table->aggregates[i] = (struct pnl){NAN, NAN};
    for (int a = 0; a < table->n_aggregates; a++) table->lone[a] = NONE;
    for (size_t i = 0; i < (size_t)aggregation->n_ways * (size_t)table->n_trades; i++) {
        int a = aggregation->aggregate_of[i], trade = (int)(i % (size_t)table->n_trades);
        if (a < 0 || jobs->total_of[trade] < 0) continue;
        table->lone[a] = table->lone[a] == NONE ? trade : SEVERAL;
        for (size_t s = 0; s < n; s++)
            table->aggregates[(size_t)a * n + s] = (struct pnl){0.0, 0.0};
    }
}

enum status pnl_begin(const struct valuer *valuer, const struct pnl_request *asked,
                      struct scenario_pnl *pnl_table, struct job_series *series)
{
    struct pnl_jobs *jobs = calloc(1, sizeof *jobs);
    int markets = JOB_PAYOFFS / (valuer->n_trades + 1);
    if (markets > MARKETS_MAX) markets = MARKETS_MAX;
    int at_once = markets > 2 ? markets - 1 : 1; /* scenarios, beside today */
    /* The largest number of equal blocks, up to twice PNL_BLOCKS, some chunks left over */
    uint64_t chunks = (valuer->settings.paths + CHUNK_PATHS - 1) / CHUNK_PATHS;
    uint64_t per_block = chunks / PNL_BLOCKS > 1 ? chunks / PNL_BLOCKS : 1;
    size_t n = (size_t)valuer->n_trades, scenarios = (size_t)asked->n,
           n_sums = scenarios * (size_t)asked->aggregation->n;
    *pnl_table = (struct scenario_pnl){.n = asked->n,
                                       .n_trades = valuer->n_trades,
                                       .n_aggregates = asked->aggregation->n,
                                       .n_blocks = (int)(chunks / per_block),
                                       .jobs = jobs};
    if (!jobs) return STATUS_NO_MEMORY;
    *jobs = (struct pnl_jobs){.valuer = valuer,
                              .asked = *asked,
                              .total_of = malloc((n + 1) * sizeof *jobs->total_of),
                              .quantities = malloc((n + 1) * sizeof *jobs->quantities),
                              .at_once = at_once,
                              .pnl_table = pnl_table};
    *series = (struct job_series){.n = (asked->n + at_once - 1) / at_once,
                                  .payoffs = (uint64_t)n * (uint64_t)(at_once + 1),
                                  .context = jobs,
                                  .prepare = prepare_pnl,
                                  .run = run_pnl,
                                  .finish = finish_pnl};
    pnl_table->trades = calloc(scenarios * n + 1, sizeof *pnl_table->trades);
    pnl_table->aggregates = calloc(n_sums + 1, sizeof *pnl_table->aggregates);
    pnl_table->lone = malloc(((size_t)asked->aggregation->n + 1) * sizeof *pnl_table->lone);
    pnl_table->blocks = calloc(n_sums * (size_t)pnl_table->n_blocks + 1, sizeof *pnl_table->blocks);
    if (!jobs->total_of || !jobs->quantities || !pnl_table->trades || !pnl_table->aggregates ||
        !pnl_table->lone || !pnl_table->blocks)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) { /* the totals of plans are the cells */
        int paid = trade_currency(valuer->market, &valuer->trades[i]);
        bool known = !isnan(conversion_rate(valuer->market, paid, asked->currency));
        jobs->quantities[i] = valuer->trades[i].quantity;
        jobs->total_of[i] = known ? asked->aggregation->cell_of[i] : -1;
    }
    empty_uncounted(jobs);
    return STATUS_OK;
}

void scenario_pnl_free(struct scenario_pnl *pnl_table)
{
    struct pnl_jobs *jobs = pnl_table->jobs;
    if (jobs) {
        for (int s = 0; s < JOBS_AT_ONCE; s++) revaluation_free(&jobs->job[s].revaluation);
        free(jobs->total_of);
        free(jobs->quantities);
    }
    free(jobs);
    free(pnl_table->trades);
    free(pnl_table->aggregates);
    free(pnl_table->lone);
    free(pnl_table->blocks);
    complaints_free(&pnl_table->notes);
    *pnl_table = (struct scenario_pnl){0};
}
