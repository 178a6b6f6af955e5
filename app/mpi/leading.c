#include <stdlib.h>

#include "app/mpi/rank_state.h"
#include "models/base/clock.h"

/* ---- dealing --------------------------------------------------------------------------------- */

static struct led_job *find_led(const struct mpi_ranks *ranks, uint64_t key)
{
    struct led_job *led = ranks->led;
    while (led && led->job->key != key) led = led->next;
    return led;
}

void leading_forget(struct over_job *over)
{
    bytes_free(&over->result);
    free(over);
}

/* Tells a follower that a job is over; true where it was the last one to be told. */
static bool send_over(struct mpi_ranks *ranks, int rank, struct over_job *over)
{
    struct letter *letter = letter_new(LETTER_OVER, rank, over->key, 0, 0);
    enum status status =
        letter ? bytes_add(&letter->body, over->result.at, over->result.n) : STATUS_NO_MEMORY;
    state_send(ranks, letter, status);
    return --over->untold == 0;
}

/* Lets all followers go on, with the result where they need it. */
static void end_job(struct mpi_ranks *ranks, struct led_job *led)
{
    const struct ranks_job *job = led->job;
    struct over_job *over = malloc(sizeof *over);
    if (over) *over = (struct over_job){.key = job->key, .untold = ranks->shared.n - 1};
    enum status status = over ? STATUS_OK : STATUS_NO_MEMORY;
    if (!status && job->everywhere) status = job->tell(job->context, &over->result);
    led->released = true;
    if (!led->status) led->status = status;
    bool forgotten = status != STATUS_OK;
    for (int r = 1; !status && r < ranks->shared.n; r++)
        if (dealer_leave(ranks->dealer, r, job->key)) forgotten = send_over(ranks, r, over);
    if (forgotten && over) leading_forget(over);
    if (!forgotten) over->next = ranks->overs, ranks->overs = over;
}

/* Lets followers go on who need nothing of a job, when there is no more of it to be dealt. */
static void end_if_dealt(struct mpi_ranks *ranks, struct led_job *led)
{
    const struct ranks_job *job = led->job;
    if (job->last && !job->everywhere && !led->released && !led->status &&
        !dealer_undealt(ranks->dealer, job->key))
        end_job(ranks, led);
}

/* Deals to a follower what it has room for. */
static void deal_to(struct mpi_ranks *ranks, int rank)
{
    struct deal deal;
    while (dealer_deal(ranks->dealer, rank, 0, seconds_now(), &deal)) {
        struct led_job *led = find_led(ranks, deal.key);
        const struct ranks_job *job = led->job;
        struct letter *letter = letter_new(LETTER_DEAL, rank, deal.key, deal.id, 0);
        enum status status = letter
                                 ? job->describe(job->context, deal.first, deal.end, &letter->body)
                                 : STATUS_NO_MEMORY;
        state_send(ranks, letter, status);
        ranks->n_dealt++;
        end_if_dealt(ranks, led);
    }
}

/* ---- the leader's share ---------------------------------------------------------------------- */

/* Takes what was made of a range, without the lock. */
static void take_made(struct mpi_ranks *ranks, struct led_job *led, uint64_t first, uint64_t end,
                      struct bytes *made)
{
    const struct ranks_job *job = led->job;
    struct message why = {""};
    pthread_mutex_unlock(&ranks->lock);
    enum status status = job->take(job->context, first, end, made, &why);
    pthread_mutex_lock(&ranks->lock);
    if (status && !led->status) led->status = status, led->why = why;
}

/* Does a range on this rank, and puts what is made beside what arrives from others. */
static void do_own(struct mpi_ranks *ranks, struct led_job *led, struct deal *deal)
{
    const struct ranks_job *job = led->job;
    struct message why = {""};
    struct bytes told = {0};
    struct letter *made = letter_new(LETTER_DONE, 0, deal->key, deal->id, 0);
    enum status status = STATUS_NO_MEMORY;
    if (made) status = job->describe(job->context, deal->first, deal->end, &told);
    end_if_dealt(ranks, led);
    pthread_mutex_unlock(&ranks->lock);
    if (!status) status = job->make(job->context, &told, &made->body, &why);
    bytes_free(&told);
    pthread_mutex_lock(&ranks->lock);
    ranks->n_dealt++, ranks->n_own++;
    dealer_done(ranks->dealer, 0, deal->id, seconds_now(), deal);
    if (!status) {
        made->first = deal->first, made->end = deal->end;
        letters_put(&led->arrived, made);
    } else {
        letter_free(made);
        if (!led->status) led->status = status, led->why = why;
    }
    pthread_cond_broadcast(&ranks->changed); /* the rank has room for another range, too */
}

static void take_letter(struct mpi_ranks *ranks, struct led_job *led, struct letter *letter)
{
    enum status status = (enum status)letter->number;
    if (!status) take_made(ranks, led, letter->first, letter->end, &letter->body);
    else state_fail(ranks, status, letter->rank, (const char *)letter->body.at);
    letter_free(letter);
}

/* Waits until something happens; not for long, for the end may be asked for. */
static void wait_a_while(struct mpi_ranks *ranks, struct led_job *led)
{
    state_wait(ranks, 0.05);
    pthread_mutex_unlock(&ranks->lock);
    bool stop = asked_to_stop(led->job->stop); /* which may look at the ranks */
    pthread_mutex_lock(&ranks->lock);
    if (stop && !led->status) led->status = STATUS_INTERRUPTED;
}

/* Does the next thing that there is to do for a job; false when all of it is there. */
static bool go_on(struct mpi_ranks *ranks, struct led_job *led)
{
    struct deal deal;
    struct letter *letter = letters_take(&led->arrived, 0);
    if (letter) take_letter(ranks, led, letter);
    else if (ranks->failed) led->status = state_ending(ranks, &led->why);
    else if (dealer_deal(ranks->dealer, 0, led->job->key, seconds_now(), &deal))
        do_own(ranks, led, &deal);
    else if (!dealer_missing(ranks->dealer, led->job->key)) return false;
    else wait_a_while(ranks, led);
    return !led->status;
}

static enum status open_job(struct mpi_ranks *ranks, struct led_job *led)
{
    const struct ranks_job *job = led->job;
    const struct dealt_job dealt = {.key = job->key,
                                    .n = job->n,
                                    .work = job->work,
                                    .cost = job->cost,
                                    .most = job->most,
                                    .urgent = job->everywhere};
    enum status status = dealer_join(ranks->dealer, 0, job->key, job->at_once, job->least);
    if (!status) status = dealer_open(ranks->dealer, &dealt);
    led->next = ranks->led;
    ranks->led = led;
    for (int r = 1; !status && r < ranks->shared.n; r++) deal_to(ranks, r);
    return status;
}

static void close_job(struct mpi_ranks *ranks, struct led_job *led)
{
    struct led_job **at = &ranks->led;
    while (*at != led) at = &(*at)->next;
    *at = led->next;
    dealer_close(ranks->dealer, led->job->key);
    dealer_leave(ranks->dealer, 0, led->job->key);
    for (struct letter *l; (l = letters_take(&led->arrived, 0));) letter_free(l);
    pthread_cond_broadcast(&ranks->changed);
}

/* Does ranges of a job beside the thread that leads it, until all are dealt. */
static void *help(void *argument)
{
    struct led_job *led = argument;
    struct mpi_ranks *ranks = led->ranks;
    struct deal deal;
    pthread_mutex_lock(&ranks->lock);
    while (!led->status && dealer_undealt(ranks->dealer, led->job->key))
        if (dealer_deal(ranks->dealer, 0, led->job->key, seconds_now(), &deal))
            do_own(ranks, led, &deal);
        else state_wait(ranks, 0.05);
    pthread_mutex_unlock(&ranks->lock);
    return NULL;
}

enum status leading_share(struct mpi_ranks *ranks, const struct ranks_job *job, struct message *why)
{
    struct led_job led = {.ranks = ranks, .job = job};
    pthread_t helpers[HELPERS_MAX];
    int n = 0;
    pthread_mutex_lock(&ranks->lock);
    while (find_led(ranks, job->key)) pthread_cond_wait(&ranks->changed, &ranks->lock);
    led.status = open_job(ranks, &led);
    while (n < job->at_once - 1 && n < HELPERS_MAX && (uint64_t)n + 1 < job->n &&
           !pthread_create(&helpers[n], NULL, help, &led))
        n++;
    while (!led.status && go_on(ranks, &led)) continue;
    pthread_mutex_unlock(&ranks->lock);
    for (int i = 0; i < n; i++) pthread_join(helpers[i], NULL);
    pthread_mutex_lock(&ranks->lock);
    if (!led.status && job->last && !led.released) end_job(ranks, &led);
    close_job(ranks, &led);
    pthread_mutex_unlock(&ranks->lock);
    if (led.status) *why = led.why;
    return led.status;
}

/* ---- letters that arrive --------------------------------------------------------------------- */

void leading_take_join(struct mpi_ranks *ranks, const struct letter *letter)
{
    struct over_job **at = &ranks->overs, *over;
    if (ranks->finished) return; /* the end is on its way */
    while (*at && (*at)->key != letter->key) at = &(*at)->next;
    over = *at;
    if (over && send_over(ranks, letter->rank, over)) {
        *at = over->next;
        leading_forget(over);
    } else if (over) return;
    else if (dealer_join(ranks->dealer, letter->rank, letter->key, (int)letter->number, letter->id))
        state_fail(ranks, STATUS_NO_MEMORY, 0, "");
    else deal_to(ranks, letter->rank);
}

/* Hands what was made of a range to who leads the job. */
void leading_take_done(struct mpi_ranks *ranks, struct letter *letter)
{
    struct deal deal;
    int rank = letter->rank;
    struct led_job *led = find_led(ranks, letter->key);
    bool counts = dealer_done(ranks->dealer, letter->rank, letter->id, seconds_now(), &deal);
    if (counts && led) {
        letter->first = deal.first, letter->end = deal.end;
        letters_put(&led->arrived, letter);
        pthread_cond_broadcast(&ranks->changed);
    } else letter_free(letter);
    deal_to(ranks, rank);
}
