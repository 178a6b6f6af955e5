#include "app/risk/profits.h"

#include <math.h>
#include <stdlib.h>

#include "app/risk/apart.h"
#include "app/risk/conversion.h"
#include "app/risk/flips.h"
#include "app/risk/sensitivities.h"
#include "models/payoffs/recipe.h"

enum { AT_ONCE = MARKETS_MAX - 1 }; /* beside today */

/* Some of the scenarios, valued together. */
struct some {
    int first, n;
    struct moved_market moved[MARKETS_MAX];
    struct scenario scenarios[MARKETS_MAX]; /* today, then they */
    struct measure measures[MARKETS_MAX];   /* the value today, then their P&L */
    bool any, *in;                          /* [trade] */
    struct prepared prepared;
    struct findings findings;
};

struct profit_jobs {
    const struct valuer *valuer;
    struct profits_asked asked;
    struct profits *profits;
    struct some some[JOBS_AT_ONCE];
};

/* The FX rate of a currency in scenario s (from 0); today's where it differs by rounding alone. */
static double rate_then(const struct profit_jobs *jobs, const struct some *some, int s, int currency,
                        double today)
{
    double then = conversion_rate(&some->moved[s + 1].market, currency, jobs->asked.currency);
    return fabs(then - today) <= 1e-12 * today ? today : then;
}

/* ---- which trades -------------------------------------------------------------------------------------- */

/* Whether a scenario moves what the trade depends on. */
static bool is_moved_in(const struct profit_jobs *jobs, int scenario, int trade)
{
    const struct scenario_request *request = &jobs->asked.scenarios[scenario];
    for (int m = 0; m < request->n_moves; m++)
        if (trade_moves(jobs->valuer->market, &jobs->valuer->trades[trade], &request->moves[m])) return true;
    return false;
}

static bool is_moved(const struct profit_jobs *jobs, const struct some *some, int trade)
{
    const struct market *today = jobs->valuer->market;
    const struct trade *t = &jobs->valuer->trades[trade];
    int currency = trade_currency(today, t);
    double rate = conversion_rate(today, currency, jobs->asked.currency);
    for (int s = 0; s < some->n; s++) {
        if (is_moved_in(jobs, some->first + s, trade)) return true;
        if (!isnan(rate) && rate_then(jobs, some, s, currency, rate) != rate) return true;
    }
    return false;
}

static void choose_trades(const struct profit_jobs *jobs, struct some *some)
{
    some->any = false;
    for (int i = 0; i < jobs->valuer->n_trades; i++) some->any |= some->in[i] = is_moved(jobs, some, i);
}

/* ---- what it brought ----------------------------------------------------------------------------------- */

static void tell_refused(const struct profit_jobs *jobs, int scenario, const struct trade *trade,
                         const char *why)
{
    complaints_add(&jobs->profits->notes, trade->line, "%s:%d: trade '%s' cannot be valued in '%s': %s",
                   trade->file, trade->line, trade->id, jobs->asked.scenarios[scenario].name, why);
}

static enum status take_trades(const struct profit_jobs *jobs, const struct some *some,
                               const struct findings *findings)
{
    const bool *in = some->in;
    size_t n = (size_t)jobs->valuer->n_trades;
    for (size_t i = 0; i < n; i++) {
        const struct trade *trade = &jobs->valuer->trades[i];
        for (int s = 0; s < some->n; s++) {
            struct pnl *pnl = &jobs->profits->trades[(size_t)(some->first + s) * n + i];
            *pnl = (struct pnl){0.0, 0.0};
            if (!in[i]) continue;
            bool moved = is_moved_in(jobs, some->first + s, (int)i);
            double flip = moved ? flip_of_profit(jobs->valuer->market, trade) : 0.0;
            if (!findings_value(jobs->valuer, findings, s + 1, (int)i, flip, &pnl->value, &pnl->std_error)) {
                tell_refused(jobs, some->first + s, trade, findings->refusals[i].why.text);
            } else if (!isfinite(pnl->value)) {
                tell_refused(jobs, some->first + s, trade, "its profit is beyond the range of a double");
                *pnl = (struct pnl){NAN, NAN};
            }
        }
    }
    return jobs->profits->notes.lost ? STATUS_NO_MEMORY : STATUS_OK;
}

/* A total's P&L in scenario s, chunk by chunk, in the reporting currency: added to that of the book and of
 * its asset, sums [aggregate][chunk]. */
static void add_total(const struct profit_jobs *jobs, const struct some *some,
                      const struct findings *findings, int total, int s, double *sums)
{
    size_t n = (size_t)jobs->asked.totals->n, n_chunks = (size_t)findings->n_chunks;
    const struct total *of = &jobs->asked.totals->totals[total];
    double today = conversion_rate(jobs->valuer->market, of->currency, jobs->asked.currency);
    double then = rate_then(jobs, some, s, of->currency, today);
    for (size_t c = 0; c < n_chunks; c++) {
        const double *chunk = findings->totals + c * (size_t)(some->n + 1) * n;
        double profit = then * chunk[(size_t)(s + 1) * n + (size_t)total] + (then - today) * chunk[total];
        sums[c] += profit;
        sums[(size_t)of->aggregate * n_chunks + c] += profit;
    }
}

/* Mean and standard error over chunks; and the blocks. sums [chunk]. */
static void take_sums(const struct profit_jobs *jobs, int aggregate, int scenario, uint64_t n_chunks,
                      const double *sums)
{
    struct profits *profits = jobs->profits;
    double mean = 0.0, squares = 0.0;
    for (uint64_t c = 0; c < n_chunks; c++) mean += sums[c] / (double)n_chunks;
    for (uint64_t c = 0; c < n_chunks; c++) squares += (sums[c] - mean) * (sums[c] - mean);
    double n = (double)n_chunks, error = n > 1.0 ? sqrt(squares / (n * (n - 1.0))) : HUGE_VAL;
    profits->aggregates[aggregate * profits->n + scenario] = (struct pnl){mean, error};
    uint64_t per_block = n_chunks / (uint64_t)profits->n_blocks;
    for (int b = 0; b < profits->n_blocks; b++) {
        double *block = &profits->blocks[(size_t)(aggregate * profits->n_blocks + b) * (size_t)profits->n];
        for (uint64_t c = 0; c < per_block; c++)
            block[scenario] += sums[(uint64_t)b * per_block + c] / (double)per_block;
    }
}

static enum status take_totals(const struct profit_jobs *jobs, const struct some *some,
                               const struct findings *findings)
{
    size_t n_chunks = (size_t)findings->n_chunks, n = (size_t)jobs->profits->n_aggregates * n_chunks;
    double *sums = calloc(n + 1, sizeof *sums);
    if (!sums) return STATUS_NO_MEMORY;
    for (int s = 0; s < some->n; s++) {
        for (size_t i = 0; i < n; i++) sums[i] = 0.0;
        for (int t = 0; t < jobs->asked.totals->n; t++) add_total(jobs, some, findings, t, s, sums);
        for (int a = 0; a < jobs->profits->n_aggregates; a++)
            take_sums(jobs, a, some->first + s, n_chunks, sums + (size_t)a * n_chunks);
    }
    free(sums);
    return STATUS_OK;
}

/* ---- some scenarios ------------------------------------------------------------------------------------ */

static enum status make_markets(const struct profit_jobs *jobs, struct some *some, struct message *why)
{
    enum status status = STATUS_OK;
    some->scenarios[0] = (struct scenario){.market = jobs->valuer->market, .fit_policies = true};
    some->measures[0] = (struct measure){1, {{0, 1.0}}};
    for (int s = 0; s < some->n; s++) {
        const struct scenario_request *request = &jobs->asked.scenarios[some->first + s];
        struct moved_market *moved = &some->moved[s + 1];
        TRY(market_move(jobs->valuer->market, request->n_moves, request->moves, moved, why));
        some->scenarios[s + 1] = (struct scenario){.market = &moved->market, .fit_policies = true};
        some->measures[s + 1] = (struct measure){2, {{s + 1, 1.0}, {0, -1.0}}};
    }
done:
    return status;
}

static void empty_some(struct some *some)
{
    for (int s = 0; s < MARKETS_MAX; s++) moved_market_free(&some->moved[s]);
    prepared_free(&some->prepared);
    findings_free(&some->findings);
}

static struct revaluation asked_of(const struct profit_jobs *jobs, const struct some *some)
{
    return (struct revaluation){.in = some->in,
                                .n_scenarios = some->n + 1,
                                .scenarios = some->scenarios,
                                .measuring = {some->n + 1, some->measures, jobs->asked.totals->n,
                                              jobs->asked.totals->of, jobs->asked.totals->quantities}};
}

static enum status prepare_some(void *context, int i, struct message *why)
{
    enum status status = STATUS_OK;
    struct profit_jobs *jobs = context;
    struct some *some = &jobs->some[i % JOBS_AT_ONCE];
    int left = jobs->profits->n - i * AT_ONCE;
    some->first = i * AT_ONCE;
    some->n = left < AT_ONCE ? left : AT_ONCE;
    TRY(make_markets(jobs, some, why));
    choose_trades(jobs, some);
    const struct revaluation asked = asked_of(jobs, some);
    if (some->any) TRY(revalue_prepare(jobs->valuer, &asked, &some->prepared, why));
done:
    return status;
}

static enum status run_some(void *context, int i, struct message *why)
{
    struct profit_jobs *jobs = context;
    struct some *some = &jobs->some[i % JOBS_AT_ONCE];
    const struct revaluation asked = asked_of(jobs, some);
    if (!some->any) return STATUS_OK;
    enum status status = revalue_run(jobs->valuer, &some->prepared, &some->findings, why);
    return status ? status : revalue_apart(jobs->valuer, &asked, &some->findings, why);
}

static enum status finish_some(void *context, int i, struct message *why)
{
    enum status status = STATUS_OK;
    struct profit_jobs *jobs = context;
    struct some *some = &jobs->some[i % JOBS_AT_ONCE];
    (void)why;
    if (some->any) TRY(take_totals(jobs, some, &some->findings));
    TRY(take_trades(jobs, some, &some->findings));
    empty_some(some);
done:
    return status;
}

static const struct stages some_stages = {prepare_some, run_some, finish_some};

/* ---- all of them --------------------------------------------------------------------------------------- */

/* The largest number of equal blocks, up to twice PROFIT_BLOCKS, some chunks left over. */
static int count_blocks(uint64_t paths)
{
    uint64_t chunks = (paths + CHUNK_PATHS - 1) / CHUNK_PATHS;
    uint64_t per_block = chunks / PROFIT_BLOCKS > 1 ? chunks / PROFIT_BLOCKS : 1;
    return (int)(chunks / per_block);
}

static enum status allocate(struct profit_jobs *jobs)
{
    struct profits *profits = jobs->profits;
    size_t n_trades = (size_t)profits->n_trades, cells = (size_t)profits->n * n_trades;
    size_t sums = (size_t)profits->n * (size_t)profits->n_aggregates;
    profits->trades = calloc(cells + 1, sizeof *profits->trades);
    profits->aggregates = calloc(sums + 1, sizeof *profits->aggregates);
    profits->blocks = calloc(sums * (size_t)profits->n_blocks + 1, sizeof *profits->blocks);
    if (!profits->trades || !profits->aggregates || !profits->blocks) return STATUS_NO_MEMORY;
    for (int s = 0; s < JOBS_AT_ONCE; s++)
        if (!(jobs->some[s].in = calloc(n_trades + 1, sizeof(bool)))) return STATUS_NO_MEMORY;
    return STATUS_OK;
}

enum status profits_begin(const struct valuer *valuer, const struct profits_asked *asked,
                          struct profits *profits, struct profit_jobs **jobs, struct series *series)
{
    struct profit_jobs *new = *jobs = calloc(1, sizeof **jobs);
    *profits = (struct profits){.n = asked->n,
                                .n_trades = valuer->n_trades,
                                .n_aggregates = asked->n_aggregates,
                                .n_blocks = count_blocks(valuer->settings.paths)};
    if (!new) return STATUS_NO_MEMORY;
    new->valuer = valuer;
    new->asked = *asked;
    new->profits = profits;
    *series = (struct series){(asked->n + AT_ONCE - 1) / AT_ONCE, &some_stages, new};
    return allocate(new);
}

void profits_end(struct profit_jobs *jobs)
{
    if (!jobs) return;
    for (int s = 0; s < JOBS_AT_ONCE; s++) {
        empty_some(&jobs->some[s]);
        free(jobs->some[s].in);
    }
    free(jobs);
}

void profits_free(struct profits *profits)
{
    free(profits->trades);
    free(profits->aggregates);
    free(profits->blocks);
    complaints_free(&profits->notes);
    *profits = (struct profits){0};
}
