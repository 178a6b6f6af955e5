#include "app/pricing/value/check.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/ranked_check.h"
#include "app/pricing/value/stored_check.h"
#include "app/pricing/base/digest.h"
#include "app/pricing/value/judge.h"
#include "models/base/clock.h"
#include "app/pricing/value/exercise/exercise_upper.h"
#include "models/base/stop.h"
#include "models/observables/accrual_period.h"
#include "validation/reference/reference.h"

enum { MOST_THREADS = 256, SAMPLE_OF = 10, TURNS = CHECK_FIFTH - CHECK_FIRST + 1 };

void check_begin(void)
{
    reference_begin();
}

/* Tells whether a trade is one of those that are looked at. */
static bool is_in(const struct check_options *options, int trade)
{
    return !options->only || options->only[trade];
}

/* ---- which trades ---------------------------------------------------------------------------- */

/* Returns a number of the trade's own: neither its place in the book nor the other trades change
 * it. */
static uint64_t lot(uint64_t seed, const struct trade *trade)
{
    uint64_t mixed = digest_text(digest_integer(DIGEST_BEGIN, seed), trade->id);
    /* The low bits of FNV-1a are its worst */
    mixed = (mixed ^ (mixed >> 33)) * 0xff51afd7ed558ccdu;
    return mixed ^ (mixed >> 33);
}

/* Tells whether the mode looks at a trade, which may be the first of its product in the book's
 * sample. */
static bool is_drawn(const struct check_options *options, const struct trade *trade, bool first)
{
    switch (options->mode) {
    case CHECK_ALL: return true;
    case CHECK_NONE: return false;
    case CHECK_SAMPLE: return first || lot(options->seed, trade) % SAMPLE_OF == 0;
    case CHECK_FIRST:
    case CHECK_SECOND:
    case CHECK_THIRD:
    case CHECK_FOURTH:
    case CHECK_FIFTH: break;
    }
    return lot(0, trade) % TURNS == (uint64_t)(options->mode - CHECK_FIRST);
}

/* Fills todo [n] with the trades to be checked and returns how many. */
static int choose(int n, const struct trade *trades, const struct check_options *options,
                  const struct estimate *estimates, int *todo)
{
    int chosen = 0, first[N_PRODUCTS];
    for (int p = 0; p < N_PRODUCTS; p++) first[p] = -1;
    for (int i = 0; i < n; i++) {
        int *least = &first[trades[i].product];
        if (estimates[i].verdict == VERDICT_FAILED) continue;
        if (*least < 0 || lot(options->seed, &trades[i]) < lot(options->seed, &trades[*least]))
            *least = i;
    }
    for (int i = 0; i < n; i++) {
        if (estimates[i].verdict == VERDICT_FAILED) continue;
        if (!is_in(options, i)) continue;
        if (is_drawn(options, &trades[i], first[trades[i].product] == i)) todo[chosen++] = i;
    }
    return chosen;
}

enum status check_sample_share(int n, const struct trade *trades, uint64_t seed,
                               const struct estimate *estimates, const double *seconds,
                               double *share)
{
    const struct check_options sample = {.mode = CHECK_SAMPLE, .seed = seed};
    double all = 0.0, chosen = 0.0;
    int *todo = malloc(sizeof *todo * (size_t)(n + 1));
    if (!todo) return STATUS_NO_MEMORY;
    int n_chosen = choose(n, trades, &sample, estimates, todo);
    for (int i = 0; i < n; i++) all += seconds[i];
    for (int i = 0; i < n_chosen; i++) chosen += seconds[todo[i]];
    *share = all > 0.0 ? chosen / all : 0.0;
    free(todo);
    return STATUS_OK;
}

/* ---- upper bounds of early exercise ---------------------------------------------------------- */

/* Returns about what exercise of one unit at any moment is worth more than on the dates that stand
 * for it: a fifth of what the strike earns, or the assets yield, from one to the next
 * (models/observables/accrual_period.c). */
static double between_dates(const struct market *market, const struct trade *trade)
{
    const struct currency *paid = &market->currencies[trade_currency(market, trade)];
    double accrued = fabs(term_accrued(&paid->rate, trade->expiry));
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        accrued = fmax(accrued, fabs(term_accrued(&asset->yield, trade->expiry)));
    }
    double part = exercise_spacing(trade->expiry) / trade->expiry;
    return trade->exercise.continuous ? 0.2 * accrued * part * trade->strike : 0.0;
}

/* Says the ends of the interval in a message. */
static enum status say_interval(struct estimate *estimate)
{
    char text[80];
    int digits = 6;
    if (estimate->std_error > 0.0)
        digits = (int)fmin(
            fmax(ceil(log10(fabs(estimate->price) / estimate->std_error)) + 2.0, 4.0), 12.0);
    snprintf(text, sizeof text, "interval [%.*g, %.*g]", digits,
             fmin(estimate->price, estimate->upper), digits,
             fmax(estimate->price, estimate->upper));
    return estimate_say(estimate, text);
}

/* Spreads seconds evenly over the trades that are wanted. */
static void share_seconds(int n, const bool *wanted, double seconds, double *to)
{
    int count = 0;
    for (int i = 0; i < n; i++) count += wanted[i];
    for (int i = 0; to && i < n; i++)
        if (wanted[i]) to[i] += seconds / count;
}

/* Bounds the trades with early exercise among todo [chosen]. */
static enum status bound_exercises(const struct market *market, int n, const struct trade *trades,
                                   const struct check_options *options, int chosen, const int *todo,
                                   struct estimate *estimates, struct message *why)
{
    enum status status = STATUS_OK;
    bool any = false, *wanted = calloc((size_t)n + 1, sizeof *wanted);
    struct tally *uppers = calloc((size_t)n + 1, sizeof *uppers);
    const struct upper_options how = {.wanted = wanted,
                                      .threads = options->threads,
                                      .stop = options->stop,
                                      .ranks = options->ranks};
    if (!wanted || !uppers) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < chosen; i++)
        any |= wanted[todo[i]] = product_has(trades[todo[i]].product, EARLY_EXERCISE);
    double began = seconds_now();
    if (any) TRY(bound_or_recall(options->store, options->plan, &how, uppers, why));
    else TRY(bound_nothing(options->plan, &how, uppers));
    share_seconds(n, wanted, (seconds_now() - began) * options->threads, options->seconds);
    for (int i = 0; i < n; i++) {
        if (uppers[i].n == 0.0) continue;
        estimates[i].upper = trades[i].quantity * uppers[i].mean;
        estimates[i].upper_error =
            fabs(trades[i].quantity) *
            hypot(tally_standard_error(uppers[i]), between_dates(market, &trades[i]));
        TRY(say_interval(&estimates[i]));
    }
done:
    free(wanted);
    free(uppers);
    return status;
}

/* ---- the work, on threads -------------------------------------------------------------------- */

struct check_work {
    const struct market *market;
    const struct trade *trades;
    const struct check_options *options;
    struct estimate *estimates;
    int n, *todo; /* [n] trades to be checked */
    atomic_int next, done, status;
    pthread_mutex_t progress_lock; /* and of `why` */
    struct message why;            /* of the first failure */
};

/* Takes a reference, or why there is none. */
static enum status take_reference(const struct check_work *work, int index, enum status status,
                                  const struct known_reference *reference,
                                  const struct message *why)
{
    const struct trade *trade = &work->trades[index];
    struct estimate *estimate = &work->estimates[index];
    if (status == STATUS_FAILED) return estimate_say(estimate, why->text);
    if (status) return status;
    estimate->reference = trade->quantity * reference->price;
    estimate->reference_error = fabs(trade->quantity) * reference->error;
    memcpy(estimate->reference_method, reference->method, sizeof reference->method);
    return STATUS_OK;
}

static enum status check_one(const struct check_work *work, int index, struct message *failure)
{
    const struct trade *trade = &work->trades[index];
    struct known_reference reference = {0};
    struct message why = {""};
    enum status status = reference_or_recall(work->options->store, work->market, trade,
                                             lot(work->options->seed, trade), work->options->stop,
                                             &reference, &why, failure);
    return take_reference(work, index, status, &reference, &why);
}

static void say_progress(struct check_work *work)
{
    int done = atomic_fetch_add(&work->done, 1) + 1;
    if (!work->options->progress) return;
    pthread_mutex_lock(&work->progress_lock);
    work->options->progress(work->options->progress_context, (uint64_t)done, (uint64_t)work->n);
    pthread_mutex_unlock(&work->progress_lock);
}

static void fail(struct check_work *work, enum status status, const struct message *why)
{
    pthread_mutex_lock(&work->progress_lock);
    if (!atomic_exchange(&work->status, (int)status)) work->why = *why;
    pthread_mutex_unlock(&work->progress_lock);
}

static void *check_some(void *argument)
{
    struct check_work *work = argument;
    while (!atomic_load(&work->status)) {
        if (asked_to_stop(work->options->stop)) {
            atomic_store(&work->status, STATUS_INTERRUPTED);
            break;
        }
        int i = atomic_fetch_add(&work->next, 1);
        if (i >= work->n) break;
        struct message why = {""};
        double began = seconds_now();
        enum status status = check_one(work, work->todo[i], &why);
        if (work->options->seconds) work->options->seconds[work->todo[i]] += seconds_now() - began;
        if (status) fail(work, status, &why);
        say_progress(work);
    }
    return NULL;
}

/* ---- the work, by all ranks ------------------------------------------------------------------ */

static uint64_t seed_of(void *context, int index)
{
    const struct check_work *work = context;
    return lot(work->options->seed, &work->trades[index]);
}

static enum status take_made(void *context, int index, enum status status,
                             const struct known_reference *reference, const struct message *why,
                             double seconds, struct message *failure)
{
    struct check_work *work = context;
    const struct trade *trade = &work->trades[index];
    if (work->options->seconds) work->options->seconds[index] += seconds;
    enum status kept =
        reference_keep(work->options->store, trade, seed_of(work, index), reference, why, failure);
    say_progress(work);
    return kept ? kept : take_reference(work, index, status, reference, why);
}

/* Takes what the store has, and moves the rest to the front; returns how many they are. */
static enum status recall_all(struct check_work *work, int *missing)
{
    enum status status = STATUS_OK;
    *missing = 0;
    for (int i = 0; i < work->n; i++) {
        struct known_reference reference = {0};
        struct message why = {""};
        bool there = false;
        int index = work->todo[i];
        enum status found =
            reference_recall(work->options->store, &work->trades[index], seed_of(work, index),
                             &reference, &there, &why, &work->why);
        if (there) TRY(take_reference(work, index, found, &reference, &why));
        else TRY(found);
        if (!there) work->todo[(*missing)++] = index;
        else say_progress(work);
    }
done:
    return status;
}

static enum status check_by_ranks(struct check_work *work)
{
    enum status status = STATUS_OK;
    int missing = 0;
    const struct ranked_check check = {.ranks = work->options->ranks,
                                       .market = work->market,
                                       .trades = work->trades,
                                       .stop = work->options->stop,
                                       .threads = work->options->threads,
                                       .context = work,
                                       .seed = seed_of,
                                       .take = take_made};
    if (!ranks_follow(check.ranks)) TRY(recall_all(work, &missing));
    TRY(ranked_check_share(&check, missing, work->todo, &work->why));
done:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Threads that cannot be had are done without. */
static enum status run_threads(struct check_work *work)
{
    pthread_t ids[MOST_THREADS];
    int started = 0, wanted = work->options->threads < work->n ? work->options->threads : work->n;
    if (wanted > MOST_THREADS) wanted = MOST_THREADS;
    while (started < wanted - 1 && !pthread_create(&ids[started], NULL, check_some, work))
        started++;
    check_some(work);
    for (int i = 0; i < started; i++) pthread_join(ids[i], NULL);
    return (enum status)atomic_load(&work->status);
}

enum status check_book(const struct market *market, int n, const struct trade *trades,
                       const struct check_options *options, struct estimate *estimates,
                       struct message *why)
{
    enum status status = STATUS_OK;
    struct check_work work = {
        .market = market, .trades = trades, .options = options, .estimates = estimates};
    pthread_mutex_init(&work.progress_lock, NULL);
    work.todo = malloc(sizeof *work.todo * (size_t)(n + 1));
    if (!work.todo) TRY(STATUS_NO_MEMORY);
    work.n = choose(n, trades, options, estimates, work.todo);
    if (options->plan)
        TRY(bound_exercises(market, n, trades, options, work.n, work.todo, estimates, why));
    status = options->ranks ? check_by_ranks(&work) : run_threads(&work);
    if (status) *why = work.why;
    TRY(status);
    if (ranks_follow(options->ranks)) goto done;
    TRY(store_flush(options->store, why));
    TRY(judge_prices(market, n, trades, options->only, options->exercise_width, estimates));
done:
    free(work.todo);
    pthread_mutex_destroy(&work.progress_lock);
    return status;
}
