#include <stdlib.h>

#include "app/mpi/rank_state.h"
#include "models/base/clock.h"

/* Ranges of the pieces of jobs are dealt to ranks, so that each piece counts exactly once, whatever
 * becomes of ranks and messages. Ranges are small at first, until it is known how long they take,
 * then a quarter of an equal part of what is left: who is slow takes fewer of them. */
enum { FIRST_PART = 64, LATER_PART = 4 };

/* Seconds that a range should take at most, so that a rank which hangs is found. */
#define LONGEST 30.0

static struct led_job *find_led(const struct mpi_ranks *ranks, uint64_t key)
{
    struct led_job *led = ranks->led;
    while (led && led->job->key != key) led = led->next;
    return led;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Returns how many pieces of a job nobody has. */
static uint64_t undealt(const struct led_job *led)
{
    uint64_t left = led->job->n - led->next_piece;
    for (const struct range *r = led->back; r; r = r->next) left += r->end - r->first;
    return left;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the pieces of a range that keeps a rank busy with `least` of them. */
static uint64_t size_for(const struct mpi_ranks *ranks, int rank, const struct led_job *led,
                         uint64_t least)
{
    uint64_t n = (uint64_t)ranks->shared.n, fair = (led->job->n + n - 1) / n;
    uint64_t left = undealt(led), held = 0;
    for (const struct range *r = led->out; r; r = r->next)
        if (r->rank == rank) held += r->end - r->first;
    uint64_t size = left / n / (led->seconds > 0.0 ? LATER_PART : FIRST_PART);
    double longest = led->seconds > 0.0 ? LONGEST * (double)led->pieces / led->seconds : 0x1p60;
    if ((double)size > longest) size = (uint64_t)longest;
    if (size < least) size = least;
    size = least_of(least_of(size ? size : 1, led->job->most ? led->job->most : 1), left);
    return held < fair ? least_of(size, fair - held) : 0;
}

/* Returns the pieces of a job that a rank is to be dealt now: 0 where it cannot do any, or is busy.
 * While many are left, one range more lies ready for it, so that it need not wait for a letter. */
static uint64_t pieces_for(const struct mpi_ranks *ranks, int rank, const struct led_job *led)
{
    const struct rank_place *place = &ranks->places[rank];
    const struct letter *join = place->joins.first;
    int64_t at_once = led->job->at_once;
    uint64_t least = led->job->least;
    if (rank) {
        while (join && join->key != led->job->key) join = join->next;
        if (!join) return 0;
        at_once = join->number, least = join->id;
    }
    uint64_t size = size_for(ranks, rank, led, least);
    if (rank && undealt(led) > 2 * (uint64_t)ranks->shared.n * size) at_once++;
    return place->busy < at_once ? size : 0;
}

/* Takes a range off a job: one that came back undone goes first. NULL without memory. */
static struct range *cut_range(struct led_job *led, uint64_t size)
{
    struct range *range = led->back;
    if (range) {
        led->back = range->next;
        return range;
    }
    if (!(range = malloc(sizeof *range))) return NULL;
    *range = (struct range){.first = led->next_piece, .end = led->next_piece + size};
    led->next_piece += size;
    return range;
}

/* Deals a rank the next range of a job; where that is NULL of any, those that others wait for and
 * the oldest first. NULL where there is nothing for it, or it is busy. */
static struct range *deal_range(struct mpi_ranks *ranks, int rank, const struct led_job *only)
{
    struct rank_place *place = &ranks->places[rank];
    struct led_job *chosen = NULL;
    uint64_t size = 0;
    for (struct led_job *led = ranks->led; led && !place->lost; led = led->next) {
        if (only && led != only) continue;
        if (chosen && (chosen->job->everywhere || !led->job->everywhere)) continue;
        uint64_t pieces = pieces_for(ranks, rank, led);
        if (pieces) chosen = led, size = pieces;
    }
    struct range *range = chosen ? cut_range(chosen, size) : NULL;
    if (chosen && !range) state_fail(ranks, STATUS_NO_MEMORY, 0, "");
    if (!range) return NULL;
    range->id = ++ranks->n_dealt;
    range->rank = rank, range->led = chosen;
    range->next = chosen->out, chosen->out = range;
    if (!place->busy++) place->since = seconds_now();
    return range;
}

/* Takes from the ranges that are out the one that a rank has done, which is owned. NULL where it
 * does not count: it came before, or was taken from the rank. */
static struct range *range_done(struct mpi_ranks *ranks, struct led_job *led, int rank, uint64_t id)
{
    struct range **at = &led->out, *range;
    struct rank_place *place = &ranks->places[rank];
    double now = seconds_now();
    while (*at && ((*at)->id != id || (*at)->rank != rank)) at = &(*at)->next;
    if (!(range = *at)) return NULL;
    *at = range->next;
    led->missing -= range->end - range->first;
    led->pieces += range->end - range->first;
    led->seconds += now - place->since;
    place->since = now;
    place->busy--;
    return range;
}

void leading_lose(struct mpi_ranks *ranks, int rank)
{
    struct rank_place *place = &ranks->places[rank];
    place->lost = true;
    for (struct letter *join; (join = letters_take(&place->joins, 0));) letter_free(join);
    for (struct led_job *led = ranks->led; led; led = led->next)
        for (struct range **at = &led->out, *range; (range = *at);) {
            if (range->rank != rank) {
                at = &range->next;
                continue;
            }
            *at = range->next;
            range->next = led->back, led->back = range;
        }
}

static void free_ranges(struct range *ranges)
{
    for (struct range *next; ranges; ranges = next) {
        next = ranges->next;
        free(ranges);
    }
}

/* ---- dealing --------------------------------------------------------------------------------- */

/* Tells a follower that a job is over. */
static void send_over(struct mpi_ranks *ranks, int rank, struct letter *over)
{
    struct letter *letter = letter_new(LETTER_OVER, rank, over->key, 0, 0);
    enum status status =
        letter ? bytes_add(&letter->body, over->body.at, over->body.n) : STATUS_NO_MEMORY;
    state_send(ranks, letter, status);
    over->number--;
}

/* Keeps what is said of a job that is over while there are followers to be told. */
static void keep_over(struct mpi_ranks *ranks, struct letter *over)
{
    if (over && over->number) letters_put(&ranks->overs, over);
    else letter_free(over);
}

/* Lets all followers go on, with the result where they need it. */
static void end_job(struct mpi_ranks *ranks, struct led_job *led)
{
    const struct ranks_job *job = led->job;
    struct letter *over = letter_new(LETTER_OVER, 0, job->key, 0, ranks->shared.n - 1);
    enum status status = over ? STATUS_OK : STATUS_NO_MEMORY;
    if (!status && job->everywhere) status = job->put_result(job->context, &over->body);
    led->released = true;
    if (!led->status) led->status = status;
    for (int r = 1; !status && r < ranks->shared.n; r++) {
        struct letter *join = letters_take(&ranks->places[r].joins, job->key);
        if (join) send_over(ranks, r, over);
        letter_free(join);
    }
    if (status && over) over->number = 0;
    keep_over(ranks, over);
}

/* Lets followers go on who need nothing of a job, when there is no more of it to be dealt. */
static void end_if_dealt(struct mpi_ranks *ranks, struct led_job *led)
{
    const struct ranks_job *job = led->job;
    if (job->last && !job->everywhere && !led->released && !led->status && !undealt(led))
        end_job(ranks, led);
}

/* Deals to a follower what it has room for. */
static void deal_to(struct mpi_ranks *ranks, int rank)
{
    for (struct range *range; (range = deal_range(ranks, rank, NULL));) {
        const struct ranks_job *job = range->led->job;
        struct letter *letter = letter_new(LETTER_DEAL, rank, job->key, range->id, 0);
        enum status status =
            letter ? job->describe(job->context, range->first, range->end, &letter->body)
                   : STATUS_NO_MEMORY;
        state_send(ranks, letter, status);
        end_if_dealt(ranks, range->led);
    }
}

/* ---- the leader's share ---------------------------------------------------------------------- */

/* Does a range on this rank, and puts what is made beside what arrives from others. */
static void do_own(struct mpi_ranks *ranks, struct led_job *led, struct range *range)
{
    const struct ranks_job *job = led->job;
    struct message why = {""};
    struct bytes told = {0};
    struct letter *made = letter_new(LETTER_DONE, 0, job->key, range->id, 0);
    enum status status = STATUS_NO_MEMORY;
    if (made) status = job->describe(job->context, range->first, range->end, &told);
    end_if_dealt(ranks, led);
    pthread_mutex_unlock(&ranks->lock);
    if (!status) status = job->make(job->context, &told, &made->body, &why);
    bytes_free(&told);
    pthread_mutex_lock(&ranks->lock);
    ranks->n_own++;
    range_done(ranks, led, 0, range->id);
    if (!status) {
        made->first = range->first, made->end = range->end;
        letters_put(&led->arrived, made);
    } else {
        letter_free(made);
        if (!led->status) led->status = status, led->why = why;
    }
    free(range);
    pthread_cond_broadcast(&ranks->changed); /* the rank has room for another range, too */
}

/* Takes what was made of a range, without the lock. */
static void take_letter(struct mpi_ranks *ranks, struct led_job *led, struct letter *letter)
{
    const struct ranks_job *job = led->job;
    struct message why = {""};
    enum status status = (enum status)letter->number;
    if (!status) {
        pthread_mutex_unlock(&ranks->lock);
        status = job->take(job->context, letter->first, letter->end, &letter->body, &why);
        pthread_mutex_lock(&ranks->lock);
        if (status && !led->status) led->status = status, led->why = why;
    } else state_fail(ranks, status, letter->rank, (const char *)letter->body.at);
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
    struct range *range;
    struct letter *letter = letters_take(&led->arrived, 0);
    if (letter) take_letter(ranks, led, letter);
    else if (ranks->failed) led->status = state_ending(ranks, &led->why);
    else if ((range = deal_range(ranks, 0, led))) do_own(ranks, led, range);
    else if (!led->missing) return false;
    else wait_a_while(ranks, led);
    return !led->status;
}

/* Does ranges of a job beside the thread that leads it, until all are dealt. */
static void *help(void *argument)
{
    struct led_job *led = argument;
    struct mpi_ranks *ranks = led->ranks;
    pthread_mutex_lock(&ranks->lock);
    while (!led->status && undealt(led)) {
        struct range *range = deal_range(ranks, 0, led);
        if (range) do_own(ranks, led, range);
        else state_wait(ranks, 0.05);
    }
    pthread_mutex_unlock(&ranks->lock);
    return NULL;
}

enum status leading_share(struct mpi_ranks *ranks, const struct ranks_job *job, struct message *why)
{
    struct led_job led = {.ranks = ranks, .job = job, .missing = job->n}, **at = &ranks->led;
    pthread_t helpers[HELPERS_MAX];
    int n = 0;
    pthread_mutex_lock(&ranks->lock);
    while (find_led(ranks, job->key)) pthread_cond_wait(&ranks->changed, &ranks->lock);
    while (*at) at = &(*at)->next;
    *at = &led;
    for (int r = 1; r < ranks->shared.n; r++) deal_to(ranks, r);
    while (n < job->at_once - 1 && n < HELPERS_MAX && (uint64_t)n + 1 < job->n &&
           !pthread_create(&helpers[n], NULL, help, &led))
        n++;
    while (!led.status && go_on(ranks, &led)) continue;
    pthread_mutex_unlock(&ranks->lock);
    for (int i = 0; i < n; i++) pthread_join(helpers[i], NULL);
    pthread_mutex_lock(&ranks->lock);
    if (!led.status && job->last && !led.released) end_job(ranks, &led);
    for (at = &ranks->led; *at != &led;) at = &(*at)->next;
    *at = led.next;
    for (const struct range *r = led.out; r; r = r->next) ranks->places[r->rank].busy--;
    free_ranges(led.out);
    free_ranges(led.back);
    for (struct letter *l; (l = letters_take(&led.arrived, 0));) letter_free(l);
    pthread_cond_broadcast(&ranks->changed);
    pthread_mutex_unlock(&ranks->lock);
    if (led.status) *why = led.why;
    return led.status;
}

/* ---- letters that arrive --------------------------------------------------------------------- */

void leading_take_join(struct mpi_ranks *ranks, struct letter *letter)
{
    int rank = letter->rank;
    struct letter *over = letters_take(&ranks->overs, letter->key);
    if (!over && !ranks->finished) {
        letters_put(&ranks->places[rank].joins, letter);
        deal_to(ranks, rank);
        return;
    }
    if (!ranks->finished) send_over(ranks, rank, over);
    keep_over(ranks, over);
    letter_free(letter);
}

void leading_take_done(struct mpi_ranks *ranks, struct letter *letter)
{
    int rank = letter->rank;
    struct led_job *led = find_led(ranks, letter->key);
    struct range *range = led ? range_done(ranks, led, rank, letter->id) : NULL;
    if (range) {
        letter->first = range->first, letter->end = range->end;
        letters_put(&led->arrived, letter);
        pthread_cond_broadcast(&ranks->changed);
    } else letter_free(letter);
    free(range);
    deal_to(ranks, rank);
}
