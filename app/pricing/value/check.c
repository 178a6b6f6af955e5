#include "app/pricing/value/check.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/value/judge.h"
#include "app/pricing/base/piece.h"
#include "models/base/clock.h"
#include "app/pricing/value/exercise/exercise_upper.h"
#include "models/base/stop.h"
#include "models/observables/accrual_period.h"
#include "validation/reference/reference.h"

enum { SAMPLE_OF = 10, TURNS = CHECK_FIFTH - CHECK_FIRST + 1 };

void check_begin(void)
{
    reference_begin();
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
    if (options->mode >= CHECK_FIRST)
        return lot(0, trade) % TURNS == (uint64_t)(options->mode - CHECK_FIRST);
    if (options->mode == CHECK_SAMPLE) return first || lot(options->seed, trade) % SAMPLE_OF == 0;
    return options->mode == CHECK_ALL;
}

/* Tells whether a list of ids, each after a comma, has one. */
static bool is_listed(const char *list, const char *id)
{
    size_t n = strlen(id);
    for (const char *at = list; at; at = strchr(at + 1, ','))
        if (!strncmp(at + 1, id, n) && strchr(",", at[1 + n])) return true;
    return false;
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
        if (options->only && !options->only[i]) continue;
        if (is_drawn(options, &trades[i], first[trades[i].product] == i) ||
            is_listed(options->also, trades[i].id))
            todo[chosen++] = i;
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

/* Says the ends of the interval in a message: `end` and the other one. */
static enum status say_interval(double end, struct estimate *estimate)
{
    char text[80];
    int digits = 6;
    if (estimate->std_error > 0.0)
        digits = (int)fmin(
            fmax(ceil(log10(fabs(estimate->price) / estimate->std_error)) + 2.0, 4.0), 12.0);
    snprintf(text, sizeof text, "interval [%.*g, %.*g]", digits, fmin(end, estimate->upper), digits,
             fmax(end, estimate->upper));
    return estimate_say(estimate, text);
}

/* Bounds the trades with early exercise among todo [chosen], which take an equal share of the time.
 */
static enum status bound_exercises(const struct market *market, int n, const struct trade *trades,
                                   const struct check_options *options, int chosen, const int *todo,
                                   struct estimate *estimates, struct message *why)
{
    enum status status = STATUS_OK;
    int count = 0;
    bool *wanted = calloc((size_t)n + 1, sizeof *wanted);
    struct tally *uppers = calloc(2 * (size_t)n + 1, sizeof *uppers), *lowers = uppers + n;
    const struct upper_options how = {.trades = trades,
                                      .wanted = wanted,
                                      .threads = options->threads,
                                      .stop = options->stop,
                                      .store = options->store,
                                      .ranks = options->ranks};
    if (!wanted || !uppers) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < chosen; i++)
        count += wanted[todo[i]] = trade_has(&trades[todo[i]], EARLY_EXERCISE | DECIDES);
    double began = seconds_now();
    if (count || options->ranks) TRY(exercise_upper(options->plan, &how, uppers, lowers, why));
    double seconds = (seconds_now() - began) * options->threads;
    for (int i = 0; i < n; i++) {
        if (wanted[i] && options->seconds) options->seconds[i] += seconds / count;
        if (uppers[i].n == 0.0) continue;
        bool decides = trade_has(&trades[i], DECIDES); /* whose tally is of what is to be added */
        double added = decides ? estimates[i].std_error : 0.0;
        estimates[i].upper =
            trades[i].quantity * uppers[i].mean + (decides ? estimates[i].price : 0.0);
        estimates[i].upper_error =
            hypot(added, fabs(trades[i].quantity) * hypot(tally_standard_error(uppers[i]),
                                                          between_dates(market, &trades[i])));
        TRY(say_interval(estimates[i].price + trades[i].quantity * lowers[i].mean, &estimates[i]));
    }
done:
    free(wanted);
    free(uppers);
    return status;
}

/* ---- references ------------------------------------------------------------------------------ */

/* A reference, as it is stored and passed on; where there is none, the reason follows. */
struct found_reference {
    double price, error;           /* of one unit */
    char method[REFERENCE_METHOD]; /* "" where there is none */
};

struct check_work {
    const struct market *market;
    const struct trade *trades;
    const struct check_options *options;
    struct estimate *estimates;
    int n, done; /* trades to be checked */
};

static uint64_t digest_of(void *context, int index)
{
    const struct check_work *work = context;
    const struct trade *trade = &work->trades[index];
    uint64_t digest = digest_integer(DIGEST_BEGIN, lot(work->options->seed, trade));
    return digest_trade(digest_text(digest, trade->id), work->market, trade);
}

static enum status make_reference(void *context, int index, struct bytes *made, struct message *why)
{
    const struct check_work *work = context;
    const struct trade *trade = &work->trades[index];
    struct effort effort = effort_full(work->options->stop);
    struct found_reference found;
    struct reference reference;
    memset(&found, 0, sizeof found);
    enum status status = reference_price(work->market, trade, lot(work->options->seed, trade),
                                         &effort, &reference, why);
    if (status == STATUS_NO_MEMORY) /* less than every reference may take */
        snprintf(why->text, sizeof why->text,
                 "%s:%d: trade '%s': not enough memory for its reference",
                 trade->file ? trade->file : "book", trade->line, trade->id);
    if (status && status != STATUS_FAILED) return status;
    if (!status) {
        found.price = reference.price, found.error = reference.error;
        snprintf(found.method, sizeof found.method, "%s", reference.method);
    }
    MUST(bytes_add(made, &found, sizeof found));
    return found.method[0] ? STATUS_OK : bytes_add(made, why->text, strlen(why->text) + 1);
}

static enum status take_reference(void *context, int index, struct bytes *content,
                                  struct message *why)
{
    struct check_work *work = context;
    const struct trade *trade = &work->trades[index];
    struct estimate *estimate = &work->estimates[index];
    struct found_reference found;
    (void)why;
    if (!bytes_read(content, &found, sizeof found)) return STATUS_ENGINE;
    if (work->options->progress)
        work->options->progress(work->options->progress_context, (uint64_t)++work->done,
                                (uint64_t)work->n);
    if (!found.method[0]) return estimate_add(estimate, (const char *)content->at + content->read);
    estimate->reference = trade->quantity * found.price;
    estimate->reference_error = fabs(trade->quantity) * found.error;
    memcpy(estimate->reference_method, found.method, sizeof found.method);
    return STATUS_OK;
}

/* Takes a reference that an earlier run kept of the same trade in the same market. */
static enum status take_kept(void *context, int index, struct bytes *content, struct message *why)
{
    const struct check_work *work = context;
    char *method = work->estimates[index].reference_method;
    MUST(take_reference(context, index, content, why));
    if (*method) strncat(method, REFERENCE_KEPT, REFERENCE_METHOD - 1 - strlen(method));
    return STATUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

enum status check_book(const struct market *market, int n, const struct trade *trades,
                       const struct check_options *options, struct estimate *estimates,
                       struct message *why)
{
    enum status status = STATUS_OK;
    struct check_work work = {
        .market = market, .trades = trades, .options = options, .estimates = estimates};
    struct team *team = team_begin(options->threads);
    int *todo = malloc(sizeof *todo * (size_t)(n + 1));
    if (!todo) TRY(STATUS_NO_MEMORY);
    work.n = choose(n, trades, options, estimates, todo);
    if (options->plan)
        TRY(bound_exercises(market, n, trades, options, work.n, todo, estimates, why));
    struct pieces references = {.kind = REFERENCE_PIECE,
                                .n = work.n,
                                .which = todo,
                                .context = &work,
                                .make = make_reference,
                                .team = team,
                                .take = take_reference,
                                .digest = digest_of,
                                .store = options->store,
                                .ranks = options->ranks,
                                .key = digest_text(DIGEST_BEGIN, "references"),
                                .least = (uint64_t)options->threads,
                                .most = 64 * (uint64_t)options->threads,
                                .stop = options->stop,
                                .seconds = options->seconds};
    struct pieces kept = references;
    kept.kind = KEPT_REFERENCE_PIECE, kept.take = take_kept;
    if (!ranks_follow(options->ranks)) TRY(pieces_recall(&kept, &references.n, todo, why));
    TRY(pieces_make(&references, why));
    if (ranks_follow(options->ranks)) goto done;
    TRY(judge_prices(market, n, trades, options->only, options->exercise_width, estimates));
    for (int i = 0; i < n; i++) /* of what is over by its barrier the error is known */
        if (estimate_is_unseen(&estimates[i]) && !estimates[i].message &&
            !(trades[i].hit && trades[i].knock == KNOCK_OUT))
            TRY(estimate_say(&estimates[i], "no path pays: how far the price is off is not known"));
done:
    team_end(team);
    free(todo);
    return status;
}
