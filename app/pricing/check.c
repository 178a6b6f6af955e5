#include "app/pricing/check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/ranked_check.h"
#include "app/pricing/stored_check.h"
#include "app/pricing/digest.h"
#include "models/base/clock.h"
#include "app/pricing/exercise/exercise_upper.h"
#include "models/base/stop.h"
#include "models/observables/accrual_period.h"
#include "validation/reference/reference.h"

enum { MOST_THREADS = 256, SAMPLE_OF = 10 };
#define FEW_JUMPS 16.0 /* on all paths together */

void check_begin(void)
{
    reference_begin();
}

/* ---- judging --------------------------------------------------------------------------------- */

double check_limit(int n)
{
    if (n < 1) n = 1;
    double level = -expm1(log1p(-1e-3) / n), low = 4.0, high = 40.0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (erfc(middle / sqrt(2.0)) > level) low = middle;
        else high = middle;
    }
    return low;
}

/* Returns roughly the most that one path pays: of an option without bound, what it turns on. */
static double largest_payment(const struct market *market, const struct trade *trade)
{
    return trade_pays_cash(trade) ? fabs(trade->cash) : trade_stake(market, trade);
}

/* Returns the standard error of the mean of one unit if the reference is right: as many paths pay
 * as make its price. The size of a payment is m = sum x^2 / sum x over the paths, and over one more
 * that pays the most (those seen may be few, or none): sqrt((m r - r^2) / n). */
static double implied_error(const struct tally *unit, double reference, double largest)
{
    double sum = unit->n * unit->mean + largest;
    double squares = fma(unit->n * unit->mean, unit->mean, unit->m2) + largest * largest;
    double variance = reference * (squares / sum - reference);
    return variance > 0.0 ? sqrt(variance / unit->n) : 0.0;
}

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

/* Tells whether the reference lies in the interval of an early exercise, whose price is biased
 * towards less and its upper bound towards more; for a quantity below 0 the other way round. */
static bool within_bounds(const struct trade *trade, double limit, const struct estimate *estimate)
{
    double sign = trade->quantity < 0.0 ? -1.0 : 1.0;
    double above = sign * (estimate->reference - estimate->price);
    double below = sign * (estimate->upper - estimate->reference);
    return above >= -limit * hypot(estimate->std_error, estimate->reference_error) &&
           below >= -limit * hypot(estimate->upper_error, estimate->reference_error);
}

/* Tells whether the interval of an early exercise is so wide that a reference within it says
 * nothing. */
static bool too_wide(const struct trade *trade, double width, const struct estimate *estimate)
{
    double sign = trade->quantity < 0.0 ? -1.0 : 1.0;
    return isfinite(estimate->upper) &&
           sign * (estimate->upper - estimate->price) > width * fabs(estimate->price);
}

/* Tells whether the price is the mean of a few replicates (kernels/replicates.h), not of paths or
 * pairs of them. */
static bool replicated(const struct estimate *estimate)
{
    return estimate->paths > 2.0 * estimate->unit.n;
}

/* Returns what one more point of each replicate that pays would add to the mean, where the size of
 * a payment is known: no closer can points know the price. 0 for all else. */
static double lattice_unit(const struct trade *trade, const struct estimate *estimate)
{
    if (!replicated(estimate) || !trade_pays_cash(trade)) return 0.0;
    return fabs(trade->cash) * estimate->unit.n / estimate->paths;
}

/* Returns the sample of paths that an estimate stands for; nothing is known of their spread within
 * a replicate. */
static struct tally path_sample(const struct estimate *estimate)
{
    if (!replicated(estimate)) return estimate->unit;
    return (struct tally){.n = estimate->paths, .mean = estimate->unit.mean};
}

double check_deviate(const struct estimate *estimate)
{
    double freedom = estimate->unit.n - 1.0, z = estimate->z;
    if (!replicated(estimate) || isinf(z)) return z;
    return copysign(sqrt(freedom * log1p(z * z / freedom)), z) * (8.0 * freedom + 1.0) /
           (8.0 * freedom + 3.0);
}

/* Tells whether a price that too few paths support is further from its reference than chance
 * explains. The payments of a few paths may be missing. By Poisson's law 32 that are missing are
 * beyond 4.4 of its deviations wherever they are beyond 5 of the sample's, and of 256 the two are
 * next to the same. */
static bool is_doubtful(const struct trade *trade, double largest, const struct estimate *estimate)
{
    double distance = (estimate->price - estimate->reference) / trade->quantity;
    return estimate->unit.n * fabs(distance) > (fabs(estimate->z) > 5.0 ? 32.0 : 256.0) * largest;
}

enum verdict check_judge(const struct trade *trade, double largest, double limit,
                         struct estimate *estimate, bool *rare)
{
    double distance = estimate->price - estimate->reference;
    double error = hypot(estimate->std_error, estimate->reference_error);
    *rare = false;
    estimate->z = distance == 0.0 ? 0.0 : distance / error;
    if (product_has(trade->product, EARLY_EXERCISE) && isfinite(estimate->upper))
        return within_bounds(trade, limit, estimate) ? VERDICT_OK : VERDICT_DISAGREES;
    if (fabs(check_deviate(estimate)) <= limit) return VERDICT_OK;
    if (!product_has(trade->product, PAYS_ONE_WAY) || trade->quantity == 0.0)
        return VERDICT_DISAGREES;
    struct tally unit = path_sample(estimate);
    double implied = implied_error(&unit, estimate->reference / trade->quantity, largest);
    implied = fabs(trade->quantity) * fmax(implied, lattice_unit(trade, estimate) / limit);
    if (estimate->control[0]) implied /= sqrt(estimate->variance_ratio);
    error = hypot(fmax(estimate->std_error, implied), estimate->reference_error);
    *rare = fabs(distance) <= limit * error;
    estimate->doubtful = *rare && is_doubtful(trade, largest, estimate);
    return *rare ? VERDICT_UNCHECKED : VERDICT_DISAGREES;
}

/* Tells whether hardly a jump was drawn on all paths, and the distance is no more than what those
 * that were not drawn may bring: a path without jumps and one with them differ by about the most
 * that one path pays. An error that has seen no jump knows of none. */
static bool jumps_are_missing(const struct market *market, const struct trade *trade, double limit,
                              const struct estimate *estimate)
{
    double distance = fabs(estimate->price - estimate->reference), jumping = 0.0;
    double error = hypot(estimate->std_error, estimate->reference_error);
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (model_takes(asset->model, TAKES_JUMPS))
            jumping += asset->jumps.intensity * trade->expiry;
    }
    double may_bring = jumping * fabs(trade->quantity) * largest_payment(market, trade);
    return jumping * estimate->paths < FEW_JUMPS && distance <= limit * error + may_bring;
}

/* Says that the interval of an early exercise holds the reference, but is too wide to tell. */
static enum status say_wide(double width, struct estimate *estimate)
{
    char text[160], share[48] = "";
    double wide = fabs(estimate->upper - estimate->price) / fabs(estimate->price);
    if (isfinite(wide)) /* which it is not of a price of 0 */
        snprintf(share, sizeof share, ", %.3g %% of the price wide,", 100.0 * wide);
    snprintf(text, sizeof text, "interval [%.6g, %.6g]%s is no check: exercise_width is %g %%",
             fmin(estimate->price, estimate->upper), fmax(estimate->price, estimate->upper), share,
             100.0 * width);
    estimate->verdict = VERDICT_UNCHECKED;
    return estimate_say(estimate, text);
}

/* Tells whether a trade is one of those that are looked at. */
static bool is_in(const struct check_options *options, int trade)
{
    return !options->only || options->only[trade];
}

static enum status judge(const struct market *market, int n, const struct trade *trades,
                         const struct check_options *options, struct estimate *estimates)
{
    double width = options->exercise_width;
    int checked = 0;
    bool rare;
    for (int i = 0; i < n; i++) checked += estimates[i].reference_method[0] != '\0';
    double limit = check_limit(checked);
    for (int i = 0; i < n; i++) {
        struct estimate *estimate = &estimates[i];
        char text[160];
        if (!estimate->reference_method[0] || !is_in(options, i)) continue;
        estimate->verdict =
            check_judge(&trades[i], largest_payment(market, &trades[i]), limit, estimate, &rare);
        bool unseen = estimate->verdict == VERDICT_DISAGREES &&
                      jumps_are_missing(market, &trades[i], limit, estimate);
        if (unseen) estimate->verdict = VERDICT_UNCHECKED;
        if (estimate->verdict == VERDICT_OK) {
            if (too_wide(&trades[i], width, estimate) && say_wide(width, estimate))
                return STATUS_NO_MEMORY;
            continue;
        }
        if (unseen)
            snprintf(text, sizeof text,
                     "too few paths jump to compare with the reference (z = %.2f)", estimate->z);
        else if (isinf(estimate->z)) /* as of payoffs that are certain */
            snprintf(text, sizeof text,
                     "the reference is another number, and neither has an error");
        else if (isfinite(estimate->upper))
            snprintf(text, sizeof text,
                     "the reference is not in the interval [%.6g, %.6g] (z = %.2f)",
                     fmin(estimate->price, estimate->upper), fmax(estimate->price, estimate->upper),
                     estimate->z);
        else
            snprintf(text, sizeof text,
                     estimate->doubtful ? "too few paths pay to compare with the reference, and "
                                          "too many are missing for "
                                          "chance (z = %.2f)"
                     : rare ? "too few paths pay to compare with the reference (z = %.2f)"
                            : "%.2f standard errors from the reference; %.2f are allowed",
                     estimate->z, limit);
        if (estimate_say(estimate, text)) return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
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
    for (int i = 0; i < n && options->mode != CHECK_NONE; i++) {
        bool drawn = options->mode == CHECK_ALL || lot(options->seed, &trades[i]) % SAMPLE_OF == 0;
        if (estimates[i].verdict == VERDICT_FAILED) continue;
        if (!is_in(options, i)) continue;
        if (drawn || first[trades[i].product] == i) todo[chosen++] = i;
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

/* Says of whose reference the machine had too little memory: less than every reference may take. */
static void name_trade(const struct trade *trade, struct message *why)
{
    snprintf(why->text, sizeof why->text, "%s:%d: trade '%s': not enough memory for its reference",
             trade->file ? trade->file : "book", trade->line, trade->id);
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
        if (status == STATUS_NO_MEMORY && !why.text[0])
            name_trade(&work->trades[work->todo[i]], &why);
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
    if (status == STATUS_NO_MEMORY) name_trade(trade, failure);
    if (status && status != STATUS_FAILED) return status;
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
    TRY(judge(market, n, trades, options, estimates));
done:
    free(work.todo);
    pthread_mutex_destroy(&work.progress_lock);
    return status;
}
