/* A run that follows its market: what lives on a number that was changed is planned and priced
 * again, and nothing else. The plan, and so every bit, is that of a run of the book as it now
 * is. */
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_policy.h"
#include "app/api/handle.h"
#include "app/pricing/base/digest.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "kernels/threads.h"
#include "models/payoffs/payoff_definition.h"

/* ---- what the market did --------------------------------------------------------------------- */

static bool correlations_moved(const struct market *before, const struct market *now,
                               const struct trade *trade)
{
    for (int i = 0; i < trade_n_involved(trade); i++)
        for (int j = 0; j < i; j++) {
            size_t at = (size_t)trade_involved(trade, i) * (size_t)now->n_assets +
                        (size_t)trade_involved(trade, j);
            if (before->correlation[at] != now->correlation[at]) return true;
        }
    return false;
}

/* Marks in `moved` [n_trades] the trades whose price may be another in the market `now`: an asset
 * of theirs, an exchange rate of their quanto, a rate or a correlation of these is. What was
 * marked stays so. */
static enum status mark_moved(const struct market *before, const struct market *now, int n_trades,
                              const struct trade *trades, bool *moved)
{
    size_t n_assets = (size_t)now->n_assets;
    bool *assets = malloc(n_assets + 1);
    if (!assets) return STATUS_NO_MEMORY;
    for (int i = 0; i < now->n_assets; i++)
        assets[i] = digest_asset(DIGEST_BEGIN, before, &before->assets[i]) !=
                    digest_asset(DIGEST_BEGIN, now, &now->assets[i]);
    bool correlations = memcmp(before->correlation, now->correlation,
                               n_assets * n_assets * sizeof *now->correlation) != 0;
    for (int t = 0; t < n_trades; t++) {
        const struct trade *trade = &trades[t];
        for (int i = 0; i < trade_n_involved(trade); i++)
            moved[t] |= assets[trade_involved(trade, i)];
        int currency = trade_currency(now, trade);
        moved[t] |= currency >= 0 && !term_equal(&before->currencies[currency].rate,
                                                 &now->currencies[currency].rate);
        if (correlations) moved[t] |= correlations_moved(before, now, trade);
    }
    free(assets);
    return STATUS_OK;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Plans the trades that moved, and puts their groups in the place of those that they had. The
 * policies of markets that are gone are forgotten. */
static enum status plan_moved(struct pricer_results *run)
{
    enum status status = STATUS_OK;
    const struct book *book = run->book;
    struct plan part = {0};
    struct plan_settings settings = session_plan_settings(run);
    const struct scenario today = {.market = &book->market};
    settings.in = run->planned.moved;
    for (int t = 0; t < book->n_trades; t++)
        if (run->planned.moved[t]) run->planned.refusals[t].why.text[0] = '\0';
    piece_memory_end(run->planned.policies);
    run->planned.policies = piece_memory_begin();
    if (!run->planned.policies) return STATUS_NO_MEMORY;
    TRY(plans_build(1, &today, book->n_trades, book->trades, &settings, &part,
                    run->planned.refusals));
    TRY(exercise_fit(&cpu_engine, &run->engine_options, run->planned.policies, &part,
                     &run->pricer->why));
    TRY(plan_splice(&run->planned.plan, run->planned.moved, &part));
    run->planned.digested = false;
done:
    plan_free(&part);
    return status;
}

/* Begins the run anew, where all of it is to be planned. What a run that fails again is asked for
 * stays: its engine, and where its pieces are kept. */
static enum status begin_again(struct pricer_results *run)
{
    const struct pricer_results fresh = {.pricer = run->pricer,
                                         .owner = run->owner,
                                         .book = run->book,
                                         .engine = run->engine,
                                         .engine_options = run->engine_options,
                                         .store = run->store,
                                         .phases = {.load = run->phases.load},
                                         .planned.stale = true};
    session_free(run);
    *run = fresh;
    enum status status = session_plan(run);
    run->planned.stale = status != STATUS_OK;
    return status;
}

/* Takes the market and the settings that the book now has; *everything: whether all that was
 * planned is void. */
static enum status take_book(struct pricer_results *run, bool *everything)
{
    enum status status = STATUS_OK;
    struct book *book = &run->owner->book;
    struct market market = {0};
    struct settings settings;
    TRY(book_read_again(run->owner, &market, &settings, everything));
    if (!run->planned.moved)
        run->planned.moved = calloc((size_t)book->n_trades + 1, sizeof *run->planned.moved);
    if (!run->planned.moved) TRY(STATUS_NO_MEMORY);
    TRY(mark_moved(&book->market, &market, book->n_trades, book->trades, run->planned.moved));
    book_take_changes(run->owner, &market, &settings);
done:
    if (status) book_undo_changes(run->owner);
    market_free(&market);
    return status;
}

enum status session_follow(struct pricer_results *run)
{
    bool everything = false;
    if (!book_is_changed(run->owner)) return run->planned.stale ? begin_again(run) : STATUS_OK;
    MUST(take_book(run, &everything));
    risk_free(&run->risked.risk);
    run->risked.done = false;
    bool controlled = run->book->settings.control_variates && !run->pricer->plain;
    if (everything || controlled || run->planned.stale) return begin_again(run);
    run->engine_options.team = team_begin(thread_count(run->engine_options.threads));
    enum status status = plan_moved(run);
    team_end(run->engine_options.team);
    run->engine_options.team = NULL;
    run->planned.stale = status != STATUS_OK;
    return status;
}
