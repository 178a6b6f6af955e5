/* The rows of a run's results, and the facts beside them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/check.h"
#include "app/api/handle.h"
#include "models/base/clock.h"
#include "models/payoffs/payoff_definition.h"

/* Returns the estimate of a trade that was set aside. */
static struct estimate unpriced_estimate(const struct unpriced_trade *unpriced)
{
    struct estimate estimate =
        estimate_unchecked(unpriced->expired ? 0.0 : NAN, unpriced->expired ? 0.0 : NAN);
    estimate.verdict = unpriced->expired ? VERDICT_EXPIRED : VERDICT_REFUSED;
    estimate.message = unpriced->message;
    return estimate;
}

/* Puts the unpriced trades between those of `estimates`, which are of book->trades, and gives them
 * rows without numbers in `risk`. STATUS_NO_MEMORY. The caller frees with result_rows_free,
 * whatever is returned. */
static enum status make_rows(const struct book *book, const struct estimate *estimates,
                             struct risk *risk, struct result_rows *rows)
{
    enum status status = STATUS_OK;
    int n = book->n_trades + book->n_unpriced, *row_of = NULL;
    *rows = (struct result_rows){.n = n, .trades = book->trades, .estimates = estimates};
    if (!book->n_unpriced) return STATUS_OK;
    rows->trades = rows->joined_trades = calloc((size_t)n, sizeof *rows->joined_trades);
    rows->estimates = rows->joined_estimates = calloc((size_t)n, sizeof *rows->joined_estimates);
    row_of = calloc((size_t)n, sizeof *row_of);
    if (!rows->joined_trades || !rows->joined_estimates || !row_of) TRY(STATUS_NO_MEMORY);
    for (int row = 0, priced = 0, unpriced = 0; row < n; row++) {
        if (unpriced < book->n_unpriced && book->unpriced[unpriced].row == row) {
            rows->joined_trades[row] = book->unpriced[unpriced].trade;
            rows->joined_estimates[row] = unpriced_estimate(&book->unpriced[unpriced++]);
        } else {
            row_of[priced] = row;
            rows->joined_trades[row] = book->trades[priced];
            rows->joined_estimates[row] = estimates[priced++];
        }
    }
    TRY(risk_spread(risk, n, row_of));
done:
    free(row_of);
    return status;
}

/* Tells whether a trade is priced with what a note is about. */
static bool is_about(const struct market *market, const struct trade *trade, int row,
                     const struct subject *about)
{
    switch (about->kind) {
    case ABOUT_BOOK: return true;
    case ABOUT_TRADE: return about->number == row;
    case ABOUT_ASSET:
    case ABOUT_CURRENCY: break;
    }
    for (int i = 0; i <= trade->n_assets; i++) {
        int asset = i < trade->n_assets ? trade->assets[i] : trade->quanto;
        if (asset < 0) continue;
        if (about->kind == ABOUT_ASSET && about->number == asset) return true;
        if (about->kind == ABOUT_CURRENCY &&
            (about->number == market->assets[asset].currency ||
             about->number == market->assets[asset].foreign_currency))
            return true;
    }
    return false;
}

/* Joins the notes of each row. STATUS_NO_MEMORY. */
static enum status join_notes(const struct book *book, struct result_rows *rows)
{
    if (!book->notes.n || !(rows->notes = calloc((size_t)rows->n + 1, sizeof *rows->notes)))
        return book->notes.n ? STATUS_NO_MEMORY : STATUS_OK;
    for (int k = 0; k < book->notes.n; k++) {
        const struct complaint *note = &book->notes.list[k];
        bool one = note->about.kind == ABOUT_TRADE;
        for (int i = one ? note->about.number : 0; i < rows->n; i++) {
            if (!is_about(&book->market, &rows->trades[i], i, &note->about)) continue;
            size_t used = rows->notes[i] ? strlen(rows->notes[i]) : 0, more = strlen(note->line);
            char *longer = realloc(rows->notes[i], used + more + 3);
            if (!longer) return STATUS_NO_MEMORY;
            sprintf(longer + used, "%s%s", used ? "; " : "", note->line);
            rows->notes[i] = longer;
            if (one) break;
        }
    }
    return STATUS_OK;
}

void result_rows_free(struct result_rows *rows)
{
    for (int i = 0; rows->notes && i < rows->n; i++) free(rows->notes[i]);
    free(rows->notes);
    free(rows->joined_trades);
    free(rows->joined_estimates);
    *rows = (struct result_rows){0};
}

/* ---- what rows are called -------------------------------------------------------------------- */

const char *results_total_currency(const struct results *results)
{
    return results->market->currencies[results->currency].name;
}

const char *results_currency(const struct results *results, int index)
{
    const struct trade *trade = &results->trades[index];
    return trade_is_known(trade)
               ? results->market->currencies[trade_currency(results->market, trade)].name
               : "";
}

void join_name(char *list, size_t room, const char *name)
{
    size_t used = strlen(list);
    snprintf(list + used, room - used, "%s%s", used ? "+" : "", name);
}

void join_names(const struct results *results, int index, struct joined_names *names)
{
    const struct trade *trade = &results->trades[index];
    bool seen[N_MODELS] = {false};
    names->assets[0] = names->models[0] = '\0';
    for (int i = 0; i < trade->n_assets; i++) {
        const struct asset *asset = &results->market->assets[trade_asset(trade, i)];
        join_name(names->assets, sizeof names->assets, asset->name);
        if (!seen[asset->model])
            join_name(names->models, sizeof names->models, model_name(asset->model));
        seen[asset->model] = true;
    }
}

/* ---- the results of a run -------------------------------------------------------------------- */

/* Finds what the check would have taken of a sample. */
static enum status time_sample(struct pricer_results *run)
{
    const struct book *book = run->book;
    double share;
    if (book->settings.check != CHECK_ALL) return STATUS_OK;
    enum status status =
        check_sample_share(book->n_trades, book->trades, book->settings.seed, run->priced.estimates,
                           run->priced.check_seconds, &share);
    if (!status) run->phases.check_sample = share * run->phases.check;
    return status;
}

static struct manifest manifest_of(struct pricer_results *run)
{
    const struct book *book = run->book;
    return (struct manifest){.book = book->n_files ? book->files[0] : book->name,
                             .book_name = book->name,
                             .valuation_date = book->valuation_date,
                             .seed = book->settings.seed,
                             .paths = run->planned.plan.paths,
                             .path_steps = plan_path_steps(&run->planned.plan) +
                                           plan_path_steps(&run->planned.controlled),
                             .plan_digest = session_plan_digest(run),
                             .results_digest = run->shown.results.manifest.results_digest,
                             .engine = run->engine->name,
                             .kernel = run->report.kernel,
                             .device = run->report.device,
                             .threads = run->engine_options.threads,
                             .n_routes = run->planned.n_routes,
                             .routes = run->planned.routes,
                             .phases = run->phases};
}

const struct results *session_results(struct pricer_results *run)
{
    struct results *results = &run->shown.results;
    results->manifest = manifest_of(run);
    results->manifest.phases.output_began = seconds_now();
    return results;
}

enum status session_make_results(struct pricer_results *run, bool with_risk)
{
    enum status status = STATUS_OK;
    const struct book *book = run->book;
    TRY(time_sample(run));
    result_rows_free(&run->shown.rows);
    TRY(make_rows(book, run->priced.estimates, &run->risked.risk, &run->shown.rows));
    TRY(join_notes(book, &run->shown.rows));
    const struct book_rows summed = {
        .market = &book->market,
        .n = run->shown.rows.n,
        .trades = run->shown.rows.trades,
        .estimates = run->shown.rows.estimates,
        .currency = book->risk.currency,
        .risk = with_risk ? &run->risked.risk : NULL,
        .points = book->settings.sampler == SAMPLER_SOBOL,
    };
    TRY(book_sums_make(&summed, &run->risked.sums));
    run->shown.results = (struct results){.market = &book->market,
                                          .n = run->shown.rows.n,
                                          .trades = run->shown.rows.trades,
                                          .estimates = run->shown.rows.estimates,
                                          .notes = &book->notes,
                                          .trade_notes = run->shown.rows.notes,
                                          .currency = book->risk.currency,
                                          .risk = with_risk ? &run->risked.risk : NULL,
                                          .manifest = run->shown.results.manifest,
                                          .sums = &run->risked.sums,
                                          .rounds = &run->priced.rounds};
done:
    return status;
}
