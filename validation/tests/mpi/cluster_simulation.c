#include "validation/tests/mpi/cluster_simulation.h"

#include <stdlib.h>

#include "app/mpi/dealer.h"
#include "validation/tests/dice.h"

enum { KEY = 7, PATIENCE = 3 };

/* What happens at a moment. */
enum happening { RANGE_ARRIVES, RANGE_IS_DONE, ANSWER_ARRIVES, LIMIT_IS_OVER };

struct event {
    double time;
    enum happening what;
    struct deal deal;
};

struct simulated {
    const struct cluster *cluster;
    struct cluster_run *run;
    struct dealer *dealer;
    int n, room;
    struct event *events;          /* [n] a heap, the first to come on top */
    double free;                   /* when rank 0 has dealt with the letters so far */
    double *free_at;               /* [rank] when it has done what it was dealt */
    double *speed;                 /* [rank] */
    bool *dead;                    /* [rank] */
    int *late;                     /* [rank] ranges that were dealt again */
    unsigned char *seen, *counted; /* [piece] times that it came back; that it counted */
    uint64_t dice;
    bool failed;
};

/* Uniform between 0 and 1: a step of Vigna's splitmix64. */
static double chance(struct simulated *sim)
{
    uint64_t z = sim->dice += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* ---- events, the first to come on top -------------------------------------------------------- */

static void put(struct simulated *sim, struct event event)
{
    if (sim->n == sim->room) {
        int room = 2 * sim->room + 64;
        struct event *larger = realloc(sim->events, (size_t)room * sizeof *larger);
        sim->failed |= !larger;
        if (!larger) return;
        sim->events = larger;
        sim->room = room;
    }
    int i = sim->n++;
    for (; i && sim->events[(i - 1) / 2].time > event.time; i = (i - 1) / 2)
        sim->events[i] = sim->events[(i - 1) / 2];
    sim->events[i] = event;
}

static struct event next(struct simulated *sim)
{
    struct event first = sim->events[0], last = sim->events[--sim->n];
    int i = 0;
    for (int child; (child = 2 * i + 1) < sim->n; i = child) {
        if (child + 1 < sim->n && sim->events[child + 1].time < sim->events[child].time) child++;
        if (sim->events[child].time >= last.time) break;
        sim->events[i] = sim->events[child];
    }
    sim->events[i] = last;
    return first;
}

/* Sends a message, which may be lost or come twice, each time after a delay of its own. */
static void post(struct simulated *sim, double time, enum happening what, const struct deal *deal)
{
    const struct cluster *cluster = sim->cluster;
    int times = 1;
    if (deal->rank && chance(sim) < cluster->lost) times = 0, sim->run->lost++;
    else if (deal->rank && chance(sim) < cluster->double_) times = 2, sim->run->doubled++;
    for (int i = 0; i < times; i++) {
        double delay = deal->rank ? cluster->latency * (0.5 + chance(sim)) : 0.0;
        put(sim, (struct event){time + delay, what, *deal});
    }
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

/* Keeps rank 0 busy for a while, from a moment on; returns when it is done. */
static double work(struct simulated *sim, double time, double seconds)
{
    sim->free = (sim->free > time ? sim->free : time) + seconds;
    sim->run->busy += seconds;
    return sim->free;
}

static void deal_to(struct simulated *sim, int rank, double time)
{
    struct deal deal;
    while (dealer_deal(sim->dealer, rank, 0, time, &deal)) {
        double sent = rank ? work(sim, time, sim->cluster->message) : time;
        sim->run->ranges++;
        post(sim, sent, RANGE_ARRIVES, &deal);
        put(sim, (struct event){sent + sim->cluster->limit, LIMIT_IS_OVER, deal});
    }
}

static void take(struct simulated *sim, double time, const struct deal *deal)
{
    struct deal dealt;
    const struct cluster *cluster = sim->cluster;
    double pieces = (double)(deal->end - deal->first);
    if (deal->rank) time = work(sim, time, cluster->message + pieces * cluster->piece_taken);
    for (uint64_t p = deal->first; p < deal->end; p++) sim->seen[p] += sim->seen[p] < 255;
    if (dealer_done(sim->dealer, deal->rank, deal->id, time, &dealt)) {
        for (uint64_t p = dealt.first; p < dealt.end; p++) sim->counted[p]++;
        sim->late[deal->rank] = 0;
    }
    if (!dealer_missing(sim->dealer, KEY)) sim->run->seconds = time;
    deal_to(sim, deal->rank, time);
}

/* Deals again what has not come back in time; who is late again and again gets nothing more. */
static void be_late(struct simulated *sim, double time, const struct deal *deal)
{
    if (!deal->rank || !dealer_take_back(sim->dealer, deal->id)) return;
    sim->run->again++;
    if (++sim->late[deal->rank] >= PATIENCE) dealer_lose(sim->dealer, deal->rank);
    for (int r = 0; r < sim->cluster->ranks; r++) deal_to(sim, r, time);
}

/* ---- the others ------------------------------------------------------------------------------ */

static void compute(struct simulated *sim, double time, const struct deal *deal)
{
    const struct cluster *cluster = sim->cluster;
    int rank = deal->rank;
    if (sim->dead[rank]) return;
    if (rank && chance(sim) < cluster->deaths) {
        sim->dead[rank] = true;
        sim->run->deaths++;
        return;
    }
    double seconds = (double)(deal->end - deal->first) * cluster->piece / sim->speed[rank];
    seconds *= 1.0 + cluster->spread * (chance(sim) - 0.5);
    if (time < sim->free_at[rank]) time = sim->free_at[rank];
    sim->free_at[rank] = time + seconds;
    put(sim, (struct event){time + seconds, RANGE_IS_DONE, *deal});
}

static void happen(struct simulated *sim, const struct event *event)
{
    switch (event->what) {
    case RANGE_ARRIVES: compute(sim, event->time, &event->deal); break;
    case RANGE_IS_DONE: post(sim, event->time, ANSWER_ARRIVES, &event->deal); break;
    case ANSWER_ARRIVES: take(sim, event->time, &event->deal); break;
    case LIMIT_IS_OVER: be_late(sim, event->time, &event->deal); break;
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

static bool begin(struct simulated *sim)
{
    const struct cluster *cluster = sim->cluster;
    size_t ranks = (size_t)cluster->ranks, pieces = (size_t)cluster->pieces + 1;
    sim->dealer = dealer_begin(cluster->ranks);
    sim->free_at = calloc(ranks, sizeof *sim->free_at);
    sim->speed = calloc(ranks, sizeof *sim->speed);
    sim->dead = calloc(ranks, sizeof *sim->dead);
    sim->late = calloc(ranks, sizeof *sim->late);
    sim->seen = calloc(pieces, 1);
    sim->counted = calloc(pieces, 1);
    return sim->dealer && sim->free_at && sim->speed && sim->dead && sim->late && sim->seen &&
           sim->counted;
}

static void judge(struct simulated *sim)
{
    sim->run->once = !dealer_missing(sim->dealer, KEY);
    for (uint64_t p = 0; p < sim->cluster->pieces; p++) {
        sim->run->once &= sim->counted[p] == 1;
        sim->run->twice += sim->seen[p] > 1;
    }
}

static void end(struct simulated *sim)
{
    dealer_end(sim->dealer);
    free(sim->events);
    free(sim->free_at);
    free(sim->speed);
    free(sim->dead);
    free(sim->late);
    free(sim->seen);
    free(sim->counted);
}

bool cluster_simulate(const struct cluster *cluster, struct cluster_run *run)
{
    struct simulated sim = {.cluster = cluster, .run = run, .dice = cluster->seed};
    const struct dealt_job job = {
        .key = KEY, .n = cluster->pieces, .cost = 1.0, .most = cluster->pieces};
    *run = (struct cluster_run){.seconds = 0.0};
    bool made = begin(&sim) && !dealer_open(sim.dealer, &job);
    for (int r = 0; made && r < cluster->ranks; r++) {
        sim.speed[r] = 1.0 + cluster->spread * (chance(&sim) - 0.5);
        run->power += sim.speed[r];
        made = !dealer_join(sim.dealer, r, KEY, cluster->at_once, cluster->least);
    }
    for (int r = 0; made && r < cluster->ranks; r++) deal_to(&sim, r, 0.0);
    while (made && sim.n && !sim.failed && dealer_missing(sim.dealer, KEY)) {
        struct event event = next(&sim);
        happen(&sim, &event);
    }
    if (made) judge(&sim);
    end(&sim);
    return made && !sim.failed;
}
