/* The rows of a run's results, and the facts beside them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/check.h"
#include "app/api/handle.h"
#include "models/base/clock.h"
#include "models/payoffs/payoff_definition.h"

/* Makes the rows of the results: the priced trades of a book with, between them, the others, which
 * get rows without numbers in the risk. STATUS_NO_MEMORY. */
static enum status make_rows(struct pricer_results *run)
{
    enum status status = STATUS_OK;
    const struct book *book = run->book;
    struct results *results = &run->shown.results;
    int n = results->n = book->n_trades + book->n_unpriced, *row_of = NULL;
    results->trades = book->trades;
    results->estimates = run->priced.estimates;
    if (!book->n_unpriced) return STATUS_OK;
    struct trade *trades = run->shown.joined_trades = calloc((size_t)n, sizeof *trades);
    struct estimate *estimates = run->shown.joined_estimates = calloc((size_t)n, sizeof *estimates);
    row_of = calloc((size_t)n, sizeof *row_of);
    if (!trades || !estimates || !row_of) TRY(STATUS_NO_MEMORY);
    for (int row = 0, priced = 0, unpriced = 0; row < n; row++) {
        if (unpriced < book->n_unpriced && book->unpriced[unpriced].row == row) {
            const struct unpriced_trade *aside = &book->unpriced[unpriced++];
            double nothing = aside->expired ? 0.0 : NAN;
            trades[row] = aside->trade;
            estimates[row] = estimate_unchecked(nothing, nothing);
            estimates[row].verdict = aside->expired ? VERDICT_EXPIRED : VERDICT_REFUSED;
            estimates[row].message = aside->message;
        } else {
            row_of[priced] = row;
            trades[row] = book->trades[priced];
            estimates[row] = run->priced.estimates[priced++];
        }
    }
    results->trades = trades;
    results->estimates = estimates;
    TRY(risk_spread(&run->risked.risk, n, row_of));
done:
    free(row_of);
    return status;
}

/* Tells whether a trade is priced with what a note is about. */
static bool is_about(const struct market *market, const struct trade *trade, int row,
                     const struct subject *about)
{
    if (about->kind == ABOUT_BOOK) return true;
    if (about->kind == ABOUT_TRADE) return about->number == row;
    if (about->kind == ABOUT_CURRENCY && trade_currency(market, trade) == about->number)
        return true;
    for (int i = 0; i < trade->n_assets + trade->quanto.n; i++) {
        int at = i < trade->n_assets ? trade->assets[i] : trade->quanto.fx[i - trade->n_assets];
        const struct asset *asset = &market->assets[at];
        if (about->kind == ABOUT_ASSET
                ? about->number == at
                : about->number == asset->currency || about->number == asset->foreign_currency)
            return true;
    }
    return false;
}

static enum status join_notes(struct pricer_results *run)
{
    const struct book *book = run->book;
    const struct results *results = &run->shown.results;
    if (!book->notes.n) return STATUS_OK;
    char **notes = run->shown.notes = calloc((size_t)results->n + 1, sizeof *notes);
    if (!notes) return STATUS_NO_MEMORY;
    for (int k = 0; k < book->notes.n; k++) {
        const struct complaint *note = &book->notes.list[k];
        bool one = note->about.kind == ABOUT_TRADE;
        for (int i = one ? note->about.number : 0; i < results->n; i++) {
            if (!is_about(&book->market, &results->trades[i], i, &note->about)) continue;
            size_t used = notes[i] ? strlen(notes[i]) : 0, more = strlen(note->line);
            char *longer = realloc(notes[i], used + more + 3);
            if (!longer) return STATUS_NO_MEMORY;
            sprintf(longer + used, "%s%s", used ? "; " : "", note->line);
            notes[i] = longer;
            if (one) break;
        }
    }
    return STATUS_OK;
}

void session_free_rows(struct pricer_results *run)
{
    struct shown *shown = &run->shown;
    for (int i = 0; shown->notes && i < shown->results.n; i++) free(shown->notes[i]);
    free(shown->notes);
    free(shown->joined_trades);
    free(shown->joined_estimates);
    shown->notes = NULL;
    shown->joined_trades = NULL;
    shown->joined_estimates = NULL;
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

/* ---- the columns of the rows ----------------------------------------------------------------- */

const struct result_column result_columns[N_COLUMNS] = {
#define COLUMN(name, field, traits, heading, title) {#name, traits, heading, title, false},
#define PRICE_COLUMN(name, field, traits, heading, title, sql)                                     \
    {#name, traits, heading, title, true},
#include "app/api/columns.def"
};

int results_decimals(double number, double error)
{
    if (!(error > 1e-12 * fabs(number)) || !isfinite(error)) return 6;
    int decimals = 1 - (int)floor(log10(error));
    return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

static struct result_field text_field(const char *text)
{
    return (struct result_field){text ? text : "", NAN, AS_GIVEN};
}

/* Returns a text that there may not be; then it is as a number that there is not. */
static struct result_field optional_field(const char *text)
{
    return (struct result_field){text && text[0] ? text : NULL, NAN, AS_GIVEN};
}

static struct result_field number_field(double number, int decimals)
{
    return (struct result_field){NULL, number, decimals};
}

void results_row(const struct results *results, int index, struct joined_names *names,
                 struct result_field *fields)
{
    const struct trade *trade = &results->trades[index];
    const struct estimate *estimate = &results->estimates[index];
    int decimals = results_decimals(estimate->price, estimate->std_error);
    struct joined_names none;
    if (names) join_names(results, index, names);
    else (names = &none)->assets[0] = none.models[0] = '\0';
    const struct result_field row[N_COLUMNS] = {
#define COLUMN(name, field, traits, heading, title) field,
#include "app/api/columns.def"
    };
    for (int i = 0; i < N_COLUMNS; i++) fields[i] = row[i];
}

/* ---- the results of a run -------------------------------------------------------------------- */

const struct results *session_results(struct pricer_results *run)
{
    const struct book *book = run->book;
    struct results *results = &run->shown.results;
    results->manifest = (struct manifest){.book = book->n_files ? book->files[0] : book->name,
                                          .book_name = book->name,
                                          .valuation_date = book->valuation_date,
                                          .seed = book->settings.seed,
                                          .paths = run->planned.plan.paths,
                                          .path_steps = plan_path_steps(&run->planned.plan) +
                                                        plan_path_steps(&run->planned.controlled),
                                          .plan_digest = session_plan_digest(run),
                                          .results_digest = results->manifest.results_digest,
                                          .engine = run->engine->name,
                                          .kernel = run->report.kernel,
                                          .device = run->report.device,
                                          .threads = run->engine_options.threads,
                                          .n_routes = run->planned.n_routes,
                                          .routes = run->planned.routes,
                                          .phases = run->phases};
    results->manifest.phases.output_began = seconds_now();
    return results;
}

enum status session_make_results(struct pricer_results *run, bool with_risk)
{
    const struct book *book = run->book;
    struct results *results = &run->shown.results;
    double share;
    if (book->settings.check == CHECK_ALL) { /* what a check of a sample would have taken */
        MUST(check_sample_share(book->n_trades, book->trades, book->settings.seed,
                                run->priced.estimates, run->priced.check_seconds, &share));
        run->phases.check_sample = share * run->phases.check;
    }
    session_free_rows(run);
    *results = (struct results){.market = &book->market,
                                .notes = &book->notes,
                                .currency = book->risk.currency,
                                .risk = with_risk ? &run->risked.risk : NULL,
                                .manifest = results->manifest,
                                .sums = &run->risked.sums,
                                .rounds = &run->priced.rounds};
    MUST(make_rows(run));
    MUST(join_notes(run));
    results->trade_notes = run->shown.notes;
    const struct book_rows summed = {
        .market = results->market,
        .n = results->n,
        .trades = results->trades,
        .estimates = results->estimates,
        .currency = results->currency,
        .risk = results->risk,
        .points = book->settings.sampler == SAMPLER_SOBOL,
    };
    return book_sums_make(&summed, &run->risked.sums);
}
