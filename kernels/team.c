#include "kernels/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Looks for work, or for the end of a call, before a thread sleeps: some tens of microseconds, or
 * a hundred and more on processors that take long breaths. */
enum {
    LOOKS = 3000,
    LINE = 64,      /* bytes of a line of the cache */
    CALLS_MOST = 64 /* loops under way at once; others are done by their callers */
};

static inline void take_a_breath(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* A loop that is under way, or room for one. Rounds are odd while one is. Who takes a piece does so
 * by exchanging a word that has the round in it, so that what was read of a loop before holds, and
 * nobody need wait for those who look at it: the words of a round that is over are not exchanged.
 * What threads write lies apart, a line of the cache each: a line that all of them write takes each
 * as long as a small piece. */
struct team_call {
    _Alignas(LINE) atomic_bool taken; /* by a caller */
    atomic_uint round;
    _Atomic(team_piece *) piece;
    _Atomic(void *) context;
    atomic_int n;
    _Atomic(struct team_call *) within; /* the one that a piece of calls for it; NULL: none */
    const struct team *team;
    _Alignas(LINE) atomic_uint_fast64_t next; /* the round, 32 bits, and the first piece that
                                               * nobody has begun */
    _Alignas(LINE) atomic_int left;           /* pieces that are not done */
    _Alignas(LINE) atomic_bool sleeps;        /* the caller, until they are or it can help: */
    pthread_cond_t all_done;
};

/* What a thread found a loop to be in a round. */
struct seen_call {
    unsigned round;
    int n;
    team_piece *piece;
    void *context;
};

/* What a thread of the team tells the others: whether it looks for work. */
struct member {
    _Alignas(LINE) atomic_bool looks;
};

struct team {
    struct team_call calls[CALLS_MOST];
    _Alignas(LINE) atomic_int n_calls;
    _Alignas(LINE) atomic_int asleep; /* threads */
    int woken;                        /* that sleep no more, and do not know it yet */
    atomic_int numbers;               /* given to threads */
    atomic_int started;               /* threads that were asked for, */
    int room;                         /* at most */
    struct member *members;           /* [room] */
    pthread_mutex_t lock;             /* of sleep, and of: */
    pthread_cond_t work;              /* there are pieces, or the end */
    atomic_bool ending;
    int n_ids;
    pthread_t *ids; /* [n_ids] of those that were started */
};

/* Of this thread in its team; 0: it is a caller. */
static _Thread_local int number;

/* The call that this thread does a piece of. */
static _Thread_local struct team_call *doing;

static void *take_part(void *argument);

/* Starts a thread; where none can be had, who is there does the work. */
static void start_one(struct team *team)
{
    pthread_t id;
    if (atomic_fetch_add(&team->started, 1) >= team->room) {
        atomic_fetch_sub(&team->started, 1);
        return;
    }
    if (pthread_create(&id, NULL, take_part, team)) return;
    pthread_mutex_lock(&team->lock);
    team->ids[team->n_ids++] = id;
    pthread_mutex_unlock(&team->lock);
}

/* Wakes a thread that has no work, once. */
static void wake_one(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    if (atomic_load(&team->asleep)) {
        atomic_fetch_sub(&team->asleep, 1);
        team->woken++;
        pthread_cond_signal(&team->work);
    }
    pthread_mutex_unlock(&team->lock);
}

/* Finds who sleeps until a call is done that this one is within. */
static struct team_call *sleeping_caller(struct team_call *call)
{
    for (call = atomic_load(&call->within); call; call = atomic_load(&call->within))
        if (atomic_load(&call->sleeps)) return call;
    return NULL;
}

static void wake_caller(struct team *team, struct team_call *call)
{
    if (!call || !atomic_exchange(&call->sleeps, false)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&call->all_done);
    pthread_mutex_unlock(&team->lock);
}

/* Looks at a call; false where it is not under way, or another one is by now. */
static bool see_call(struct team_call *call, struct seen_call *seen)
{
    seen->round = atomic_load(&call->round);
    seen->n = atomic_load(&call->n);
    seen->piece = atomic_load(&call->piece), seen->context = atomic_load(&call->context);
    return seen->round % 2 && atomic_load(&call->round) == seen->round;
}

/* Takes the next piece in order; -1: there is none. */
static int next_piece(struct team_call *call, const struct seen_call *seen)
{
    uint_fast64_t next = atomic_load(&call->next);
    while (next >> 32 == seen->round && (int)(uint32_t)next < seen->n)
        if (atomic_compare_exchange_weak(&call->next, &next, next + 1)) return (int)(uint32_t)next;
    return -1;
}

/* Counts pieces that nobody has begun. */
static int pieces_waiting(struct team_call *call, const struct seen_call *seen)
{
    uint_fast64_t next = atomic_load(&call->next);
    return next >> 32 == seen->round ? seen->n - (int)(uint32_t)next : 0;
}

static int threads_looking(const struct team *team)
{
    int looking = 0;
    for (int i = 0; i < team->room; i++) looking += atomic_load(&team->members[i].looks);
    return looking;
}

/* Wakes a thread, or starts one. */
static void wake_or_start(struct team *team, struct team_call *call)
{
    if (atomic_load(&team->asleep) > 0) wake_one(team);
    else if (atomic_load(&team->started) < team->room) start_one(team);
    else wake_caller(team, sleeping_caller(call));
}

/* Wakes up to two threads, who wake two each, where more pieces wait than threads look for work. */
static void ask_for_help(struct team *team, struct team_call *call, const struct seen_call *seen)
{
    if (!atomic_load(&team->asleep) && atomic_load(&team->started) >= team->room &&
        !sleeping_caller(call))
        return;
    int wanted = pieces_waiting(call, seen) - threads_looking(team);
    for (int k = 0; k < 2 && k < wanted; k++) wake_or_start(team, call);
}

/* Does pieces of a call until nobody has to begin one; whether there was one. */
static bool do_pieces(struct team *team, struct team_call *call, const struct seen_call *seen)
{
    bool found = false;
    for (int i; (i = next_piece(call, seen)) >= 0; found = true) {
        struct team_call *outer = doing;
        doing = call;
        seen->piece(seen->context, i);
        doing = outer;
        if (atomic_fetch_sub(&call->left, 1) != 1 || !atomic_load(&call->sleeps)) continue;
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&call->all_done);
        pthread_mutex_unlock(&team->lock);
    }
    return found;
}

/* Tells whether it is for a piece of another call that this one is; of any call, where that is
 * NULL. It is so of a call from which a piece is taken after that: it was under way meanwhile. */
static bool is_within(struct team_call *call, const struct team_call *outer)
{
    while (call && call != outer) call = atomic_load(&call->within);
    return call == outer || !outer;
}

/* Does pieces of the calls within `outer` that have some, with help for them where this thread has
 * been `woken`; whether one had. */
static bool find_work(struct team *team, const struct team_call *outer, bool woken)
{
    bool found = false;
    struct seen_call seen;
    for (int c = 0; c < CALLS_MOST; c++) {
        struct team_call *call = &team->calls[c];
        if (!see_call(call, &seen) || !is_within(call, outer)) continue;
        if (woken) ask_for_help(team, call, &seen);
        found |= do_pieces(team, call, &seen);
    }
    return found;
}

/* Looks for a call beyond the first `calls` for a while, which finds it sooner than a thread wakes.
 */
static void look_for_work(struct team *team, int calls)
{
    atomic_bool *looks = &team->members[number - 1].looks;
    atomic_store(looks, true);
    for (int i = 0; i < LOOKS && atomic_load(&team->n_calls) == calls; i++) take_a_breath();
    atomic_store(looks, false);
}

/* Sleeps until there may be work. What came before this thread counted as asleep it looks for
 * itself; whoever comes later wakes it. */
static void sleep_without_work(struct team *team, int calls)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->asleep, 1);
    while (!team->woken && atomic_load(&team->n_calls) == calls && !atomic_load(&team->ending))
        pthread_cond_wait(&team->work, &team->lock);
    if (team->woken) team->woken--;
    else atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->lock);
}

static void *take_part(void *argument)
{
    struct team *team = argument;
    bool woken = true;
    number = atomic_fetch_add(&team->numbers, 1) + 1;
    while (!atomic_load(&team->ending)) {
        int calls = atomic_load(&team->n_calls);
        bool found = find_work(team, NULL, woken);
        woken = false;
        if (found) continue;
        look_for_work(team, calls);
        if (find_work(team, NULL, false)) continue;
        sleep_without_work(team, calls);
        woken = true;
    }
    return NULL;
}

struct team *team_begin(int threads)
{
    if (threads < 2) return NULL;
    struct team *team = aligned_alloc(LINE, sizeof *team);
    struct member *members = aligned_alloc(LINE, sizeof *members * (size_t)threads);
    pthread_t *ids = malloc(sizeof *ids * (size_t)threads);
    if (!team || !members || !ids) {
        free(team);
        free(members);
        free(ids);
        return NULL;
    }
    memset(team, 0, sizeof *team);
    memset(members, 0, sizeof *members * (size_t)threads);
    team->room = threads - 1, team->ids = ids, team->members = members;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    for (int c = 0; c < CALLS_MOST; c++) {
        team->calls[c].team = team;
        pthread_cond_init(&team->calls[c].all_done, NULL);
    }
    return team;
}

int team_threads(const struct team *team)
{
    return team ? team->room + 1 : 1;
}

void team_end(struct team *team)
{
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->ending, true);
    atomic_fetch_add(&team->n_calls, 1); /* who looks for one is to see the end */
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->n_ids; i++) pthread_join(team->ids[i], NULL);
    for (int c = 0; c < CALLS_MOST; c++) pthread_cond_destroy(&team->calls[c].all_done);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    free(team->ids);
    free(team->members);
    free(team);
}

/* Takes room for a call; NULL where all is taken. */
static struct team_call *take_call(struct team *team)
{
    for (int c = 0; c < CALLS_MOST; c++)
        if (!atomic_load(&team->calls[c].taken) && !atomic_exchange(&team->calls[c].taken, true))
            return &team->calls[c];
    return NULL;
}

/* Sleeps until the pieces are done, or there is another call. */
static void sleep_until_done(struct team *team, struct team_call *call, int calls)
{
    pthread_mutex_lock(&team->lock);
    atomic_store(&call->sleeps, true);
    while (atomic_load(&call->sleeps) && atomic_load(&call->left) &&
           atomic_load(&team->n_calls) == calls)
        pthread_cond_wait(&call->all_done, &team->lock);
    atomic_store(&call->sleeps, false);
    pthread_mutex_unlock(&team->lock);
}

/* Waits until the pieces are done, and where that takes a while helps those that do them: with
 * nothing else, which might take longer than they do. */
static void wait_for_pieces(struct team *team, struct team_call *call)
{
    bool helps = false;
    for (int looks = 0, looked = 0; atomic_load(&call->left); looks++) {
        int calls = atomic_load(&team->n_calls);
        if (looks < LOOKS && !(helps && calls != looked)) {
            take_a_breath();
            continue;
        }
        helps = true, looked = calls;
        if (find_work(team, call, false)) looks = 0;
        else if (looks >= LOOKS) sleep_until_done(team, call, calls);
    }
}

/* Begins a round of a call. */
static void open_call(struct team *team, struct team_call *call, struct seen_call *seen)
{
    struct team_call *within = doing && doing->team == team ? doing : NULL;
    seen->round = atomic_load(&call->round) + 1;
    atomic_store_explicit(&call->piece, seen->piece, memory_order_release);
    atomic_store_explicit(&call->context, seen->context, memory_order_release);
    atomic_store_explicit(&call->n, seen->n, memory_order_release);
    atomic_store_explicit(&call->within, within, memory_order_release);
    atomic_store(&call->next, (uint_fast64_t)seen->round << 32);
    atomic_store(&call->left, seen->n);
    atomic_store(&call->round, seen->round);
    atomic_fetch_add(&team->n_calls, 1);
}

/* Gives the room of a call back. */
static void close_call(struct team_call *call, const struct seen_call *seen)
{
    atomic_store(&call->round, seen->round + 1);
    atomic_store(&call->taken, false);
}

void team_loop(struct team *team, int n, team_piece *piece, void *context)
{
    struct seen_call seen = {.n = n, .piece = piece, .context = context};
    struct team_call *call = team && n > 1 ? take_call(team) : NULL;
    for (int i = 0; i < n && !call; i++) piece(context, i);
    if (!call) return;
    open_call(team, call, &seen);
    ask_for_help(team, call, &seen);
    do_pieces(team, call, &seen);
    wait_for_pieces(team, call);
    close_call(call, &seen);
}
