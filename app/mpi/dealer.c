#include "app/mpi/dealer.h"

#include <math.h>
#include <stdlib.h>

/* Pieces from `next` on, and those that came back undone. */
struct open_job {
    struct dealt_job job;
    uint64_t next, missing;
    int n_back, room_back;
    struct range {
        uint64_t first, end;
    } * back; /* [n_back] */
};

struct dealt_rank {
    bool lost;
    int busy; /* ranges that it has */
    int n_joins, room_joins;
    struct join {
        uint64_t key, least;
        int at_once;
    } * joins;                                        /* [n_joins] */
    double cost[N_RANKS_WORK], seconds[N_RANKS_WORK]; /* of what it has done */
};

struct dealer {
    int n_ranks;
    struct dealt_rank *ranks; /* [n_ranks] */
    int n_jobs, room_jobs;
    struct open_job *jobs; /* [n_jobs] the oldest first */
    int n_deals, room_deals;
    struct deal *deals; /* [n_deals] that are out, the oldest first */
    uint64_t last_id;
};

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Makes room for one more after n. */
static bool has_room(void **array, int n, int *room, size_t size)
{
    if (n < *room) return true;
    int more = 2 * *room + 8;
    void *larger = realloc(*array, (size_t)more * size);
    if (!larger) return false;
    *array = larger;
    *room = more;
    return true;
}

struct dealer *dealer_begin(int n)
{
    struct dealer *dealer = calloc(1, sizeof *dealer);
    struct dealt_rank *ranks = calloc((size_t)n, sizeof *ranks);
    if (!dealer || !ranks) {
        free(dealer);
        free(ranks);
        return NULL;
    }
    *dealer = (struct dealer){.n_ranks = n, .ranks = ranks};
    return dealer;
}

void dealer_end(struct dealer *dealer)
{
    if (!dealer) return;
    for (int r = 0; r < dealer->n_ranks; r++) free(dealer->ranks[r].joins);
    for (int j = 0; j < dealer->n_jobs; j++) free(dealer->jobs[j].back);
    free(dealer->ranks);
    free(dealer->jobs);
    free(dealer->deals);
    free(dealer);
}

static struct open_job *find_job(const struct dealer *dealer, uint64_t key)
{
    for (int j = 0; j < dealer->n_jobs; j++)
        if (dealer->jobs[j].job.key == key) return &dealer->jobs[j];
    return NULL;
}

enum status dealer_open(struct dealer *dealer, const struct dealt_job *job)
{
    if (!has_room((void **)&dealer->jobs, dealer->n_jobs, &dealer->room_jobs, sizeof *dealer->jobs))
        return STATUS_NO_MEMORY;
    dealer->jobs[dealer->n_jobs++] = (struct open_job){.job = *job, .missing = job->n};
    return STATUS_OK;
}

static void remove_deal(struct dealer *dealer, int d)
{
    dealer->ranks[dealer->deals[d].rank].busy--;
    for (int i = d + 1; i < dealer->n_deals; i++) dealer->deals[i - 1] = dealer->deals[i];
    dealer->n_deals--;
}

void dealer_close(struct dealer *dealer, uint64_t key)
{
    struct open_job *job = find_job(dealer, key);
    for (int d = dealer->n_deals - 1; d >= 0; d--)
        if (dealer->deals[d].key == key) remove_deal(dealer, d);
    if (!job) return;
    free(job->back);
    for (; job + 1 < dealer->jobs + dealer->n_jobs; job++) job[0] = job[1];
    dealer->n_jobs--;
}

/* ---- who can do what ------------------------------------------------------------------------- */

enum status dealer_join(struct dealer *dealer, int rank, uint64_t key, int at_once, uint64_t least)
{
    struct dealt_rank *of = &dealer->ranks[rank];
    if (!has_room((void **)&of->joins, of->n_joins, &of->room_joins, sizeof *of->joins))
        return STATUS_NO_MEMORY;
    of->joins[of->n_joins++] = (struct join){key, least, at_once};
    return STATUS_OK;
}

static int find_join(const struct dealt_rank *rank, uint64_t key)
{
    int k = 0;
    while (k < rank->n_joins && rank->joins[k].key != key) k++;
    return k < rank->n_joins ? k : -1;
}

bool dealer_leave(struct dealer *dealer, int rank, uint64_t key)
{
    struct dealt_rank *of = &dealer->ranks[rank];
    int k = find_join(of, key);
    if (k >= 0) of->joins[k] = of->joins[--of->n_joins];
    return k >= 0;
}

/* Tells whether a rank has room: one range more than it does at a time, which waits for it there,
 * while that is no loss to another. */
static bool can_do(const struct dealer *dealer, int rank, uint64_t key)
{
    const struct dealt_rank *of = &dealer->ranks[rank];
    int k = find_join(of, key), room = 0;
    if (k >= 0) room = of->joins[k].at_once;
    if (room && rank && dealer_undealt(dealer, key) > 2 * (uint64_t)dealer->n_ranks) room++;
    return of->busy < room;
}

/* ---- how much -------------------------------------------------------------------------------- */

/* Cost a second that a rank has shown; 0: nothing yet. */
static double speed_of(const struct dealt_rank *rank, enum ranks_work work)
{
    return rank->seconds[work] > 0.0 ? rank->cost[work] / rank->seconds[work] : 0.0;
}

/* Returns the mean speed of those that have shown one: 1 where none has. */
static double mean_speed(const struct dealer *dealer, enum ranks_work work)
{
    double all = 0.0;
    int shown = 0;
    for (int r = 0; r < dealer->n_ranks; r++) {
        double speed = dealer->ranks[r].lost ? 0.0 : speed_of(&dealer->ranks[r], work);
        shown += speed > 0.0;
        all += speed;
    }
    return shown ? all / shown : 1.0;
}

/* Returns how many pieces of a range are still to be done, by the speed that its rank has shown, or
 * by the `mean`. */
static double still_out(const struct dealer *dealer, const struct deal *deal,
                        const struct dealt_job *job, double mean, double now)
{
    const struct dealt_rank *rank = &dealer->ranks[deal->rank];
    int k = find_join(rank, deal->key);
    double pieces = (double)(deal->end - deal->first), at_once = k < 0 ? 1 : rank->joins[k].at_once;
    double speed = speed_of(rank, job->work) > 0.0 ? speed_of(rank, job->work) : mean;
    double done = (now - deal->since) * speed / (at_once * job->cost);
    return done < pieces ? pieces - done : 0.0;
}

/* Returns the pieces that a rank takes beside those that it has, if all ranks are to end together:
 * who has shown no speed is as fast as the others are on average. */
static double fair_share(const struct dealer *dealer, int rank, const struct dealt_job *job,
                         double now)
{
    double mean = mean_speed(dealer, job->work), all = 0.0, own = 0.0, out = 0.0;
    double rest = (double)dealer_undealt(dealer, job->key);
    for (int r = 0; r < dealer->n_ranks; r++) {
        double speed = speed_of(&dealer->ranks[r], job->work);
        if (dealer->ranks[r].lost) continue;
        all += speed > 0.0 ? speed : mean;
        if (r == rank) own = speed > 0.0 ? speed : mean;
    }
    for (int d = 0; d < dealer->n_deals; d++) {
        if (dealer->deals[d].key != job->key) continue;
        double pieces = still_out(dealer, &dealer->deals[d], job, mean, now);
        rest += pieces;
        if (dealer->deals[d].rank == rank) out += pieces;
    }
    return rest * own / all - out;
}

/* Seconds that a range should take at most, so that a rank which hangs is found. */
#define LONGEST 30.0

/* A range is half of what the rank is to take, or what keeps it busy, where it is to take so much:
 * who has shown nothing yet gets an eighth of that half. 0: others will do the rest sooner. */
static uint64_t size_for(const struct dealer *dealer, int rank, const struct open_job *job,
                         double now)
{
    const struct dealt_job *of = &job->job;
    const struct dealt_rank *to = &dealer->ranks[rank];
    double speed = speed_of(to, of->work), share = fair_share(dealer, rank, of, now);
    double least = (double)to->joins[find_join(to, of->key)].least;
    double size = (speed > 0.0 ? 0.5 : 0.0625) * share;
    uint64_t left = dealer_undealt(dealer, of->key);
    if (to->busy && share < 1.0) return 0;
    if (size < least) size = least < share ? least : ceil(share);
    if (speed > 0.0 && of->cost * size > speed * LONGEST) size = speed * LONGEST / of->cost;
    if (size > (double)of->most) size = (double)of->most;
    if (size < 1.0) size = 1.0;
    return size < (double)left ? (uint64_t)size : left;
}

uint64_t dealer_undealt(const struct dealer *dealer, uint64_t key)
{
    const struct open_job *job = find_job(dealer, key);
    if (!job) return 0;
    uint64_t left = job->job.n - job->next;
    for (int i = 0; i < job->n_back; i++) left += job->back[i].end - job->back[i].first;
    return left;
}

uint64_t dealer_missing(const struct dealer *dealer, uint64_t key)
{
    const struct open_job *job = find_job(dealer, key);
    return job ? job->missing : 0;
}

/* ---- dealing --------------------------------------------------------------------------------- */

/* The job of a key; or the most urgent, then the oldest, that a rank can do something of: so many
 * pieces. */
static struct open_job *choose_job(const struct dealer *dealer, int rank, uint64_t key, double now,
                                   uint64_t *size)
{
    struct open_job *chosen = NULL;
    for (int j = 0; j < dealer->n_jobs; j++) {
        struct open_job *job = &dealer->jobs[j];
        if (key && job->job.key != key) continue;
        if (job->next == job->job.n && !job->n_back) continue;
        if (!can_do(dealer, rank, job->job.key)) continue;
        if (chosen && (chosen->job.urgent || !job->job.urgent)) continue;
        uint64_t pieces = size_for(dealer, rank, job, now);
        if (pieces) chosen = job, *size = pieces;
    }
    return chosen;
}

/* Takes a range off a job: what came back goes first. */
static struct range take_range(struct open_job *job, uint64_t size)
{
    struct range range = {job->next, job->next};
    if (!job->n_back) {
        uint64_t left = job->job.n - job->next;
        range.end = job->next += size < left ? size : left;
        return range;
    }
    struct range *back = &job->back[job->n_back - 1];
    range.first = back->first;
    range.end = back->first + size < back->end ? back->first + size : back->end;
    back->first = range.end;
    job->n_back -= back->first == back->end;
    return range;
}

bool dealer_deal(struct dealer *dealer, int rank, uint64_t key, double now, struct deal *deal)
{
    struct dealt_rank *of = &dealer->ranks[rank];
    if (of->lost) return false;
    uint64_t size = 0;
    struct open_job *job = choose_job(dealer, rank, key, now, &size);
    if (!job || !has_room((void **)&dealer->deals, dealer->n_deals, &dealer->room_deals,
                          sizeof *dealer->deals))
        return false;
    struct range range = take_range(job, size);
    *deal = (struct deal){.id = ++dealer->last_id,
                          .key = job->job.key,
                          .first = range.first,
                          .end = range.end,
                          .rank = rank,
                          .since = now};
    dealer->deals[dealer->n_deals++] = *deal;
    of->busy++;
    return true;
}

static int find_deal(const struct dealer *dealer, uint64_t id)
{
    int d = 0;
    while (d < dealer->n_deals && dealer->deals[d].id != id) d++;
    return d < dealer->n_deals ? d : -1;
}

/* Says that the range which lay ready at a rank begins, deal d having gone. */
static void begin_next(struct dealer *dealer, int rank, int d, double now)
{
    const struct dealt_rank *of = &dealer->ranks[rank];
    int n = 0;
    for (int i = 0; i < dealer->n_deals; i++) {
        struct deal *deal = &dealer->deals[i];
        if (deal->rank != rank) continue;
        int k = find_join(of, deal->key);
        n++;
        if (i >= d && k >= 0 && n == of->joins[k].at_once) deal->since = now;
    }
}

bool dealer_done(struct dealer *dealer, int rank, uint64_t id, double now, struct deal *deal)
{
    int d = find_deal(dealer, id);
    if (d < 0 || dealer->deals[d].rank != rank) return false;
    *deal = dealer->deals[d];
    remove_deal(dealer, d);
    begin_next(dealer, rank, d, now);
    struct open_job *job = find_job(dealer, deal->key);
    struct dealt_rank *of = &dealer->ranks[rank];
    job->missing -= deal->end - deal->first;
    of->cost[job->job.work] += job->job.cost * (double)(deal->end - deal->first);
    int k = find_join(of, deal->key);
    double seconds = now > deal->since ? now - deal->since : 1e-9;
    of->seconds[job->job.work] += seconds / (k < 0 ? 1 : of->joins[k].at_once);
    return true;
}

bool dealer_take_back(struct dealer *dealer, uint64_t id)
{
    int d = find_deal(dealer, id);
    if (d < 0) return false;
    const struct deal deal = dealer->deals[d];
    struct open_job *job = find_job(dealer, deal.key);
    if (!has_room((void **)&job->back, job->n_back, &job->room_back, sizeof *job->back))
        return false;
    remove_deal(dealer, d);
    job->back[job->n_back++] = (struct range){deal.first, deal.end};
    return true;
}

void dealer_lose(struct dealer *dealer, int rank)
{
    dealer->ranks[rank].lost = true;
    dealer->ranks[rank].n_joins = 0;
    for (int d = dealer->n_deals - 1; d >= 0; d--)
        if (dealer->deals[d].rank == rank) dealer_take_back(dealer, dealer->deals[d].id);
}

bool dealer_oldest(const struct dealer *dealer, struct deal *deal)
{
    if (dealer->n_deals) *deal = dealer->deals[0];
    return dealer->n_deals > 0;
}
