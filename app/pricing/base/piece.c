#include "app/pricing/base/piece.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "models/base/clock.h"

/* ---- loops that may fail --------------------------------------------------------------------- */

struct trial {
    try_piece *piece;
    void *context;
    int n;
    atomic_int next, status;
    struct message why; /* of the first failure */
};

static void try_one(void *context, int i)
{
    struct trial *trial = context;
    struct message why = {""};
    int none = STATUS_OK;
    if (atomic_load(&trial->status)) return;
    enum status status = trial->piece(trial->context, i, &why);
    if (status && atomic_compare_exchange_strong(&trial->status, &none, (int)status))
        trial->why = why;
}

/* Does pieces that nobody has begun, one after the other. */
static void try_next(void *context, int line)
{
    struct trial *trial = context;
    (void)line;
    for (int i; (i = atomic_fetch_add(&trial->next, 1)) < trial->n;) try_one(trial, i);
}

enum status team_try(struct team *team, int n, int at_once, try_piece *piece, void *context,
                     struct message *why)
{
    struct trial trial = {.piece = piece, .context = context, .n = n};
    team_loop(team, n < at_once ? n : at_once, try_next, &trial);
    enum status status = (enum status)atomic_load(&trial.status);
    if (status) *why = trial.why;
    return status;
}

/* ---- what is remembered ---------------------------------------------------------------------- */

struct remembered {
    struct remembered *next;
    uint64_t digest;
    bool there; /* else it is being made */
    struct bytes content;
};

struct piece_memory {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct remembered *first;
};

struct piece_memory *piece_memory_begin(void)
{
    struct piece_memory *memory = malloc(sizeof *memory);
    if (memory)
        *memory = (struct piece_memory){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};
    return memory;
}

void piece_memory_end(struct piece_memory *memory)
{
    if (!memory) return;
    for (struct remembered *next, *piece = memory->first; piece; piece = next) {
        next = piece->next;
        bytes_free(&piece->content);
        free(piece);
    }
    free(memory);
}

/* Returns where the piece of a digest is linked; a link to NULL where there is none. */
static struct remembered **find(struct piece_memory *memory, uint64_t digest)
{
    struct remembered **at = &memory->first;
    while (*at && (*at)->digest != digest) at = &(*at)->next;
    return at;
}

/* What becomes of a question for a piece. */
enum answer {
    ANSWER_KNOWN, /* here is its content */
    ANSWER_YOURS, /* nobody has it: make it, then remember it or forget it */
    ANSWER_MADE   /* another thread is making it */
};

/* Asks for the content of a piece; with `wait` set never answers ANSWER_MADE, but waits. Whoever
 * has pieces to remember does not wait before that. */
static enum answer ask(struct piece_memory *memory, uint64_t digest, bool wait,
                       struct bytes *content)
{
    enum answer answer = ANSWER_YOURS;
    pthread_mutex_lock(&memory->lock);
    struct remembered *piece;
    while ((piece = *find(memory, digest)) && !piece->there && wait)
        pthread_cond_wait(&memory->changed, &memory->lock);
    if (piece && !piece->there) answer = ANSWER_MADE;
    if (piece && piece->there && !bytes_add(content, piece->content.at, piece->content.n))
        answer = ANSWER_KNOWN;
    if (!piece && (piece = malloc(sizeof *piece))) {
        *piece = (struct remembered){.next = memory->first, .digest = digest};
        memory->first = piece;
    }
    pthread_mutex_unlock(&memory->lock);
    return answer;
}

/* Remembers the content of a piece that was this caller's to make; NULL: it was not made, and the
 * next one to ask is to make it. */
static void remember(struct piece_memory *memory, uint64_t digest, const struct bytes *content)
{
    pthread_mutex_lock(&memory->lock);
    struct remembered **at = find(memory, digest), *piece = *at;
    bool waits = piece && !piece->there;
    if (waits) piece->there = content && !bytes_add(&piece->content, content->at, content->n);
    if (waits && !piece->there) {
        *at = piece->next;
        free(piece);
    }
    pthread_cond_broadcast(&memory->changed);
    pthread_mutex_unlock(&memory->lock);
}

/* ---- in this process ------------------------------------------------------------------------- */

struct made_piece {
    struct bytes content;
    double seconds; /* that it took */
};

/* Some pieces that are being made here. */
struct making {
    const struct pieces *pieces;
    const int *which;
    bool takes;              /* each as soon as it is made */
    struct made_piece *made; /* [n] */
    pthread_mutex_t lock;    /* of taking */
};

/* Takes a piece, and keeps it for later. */
static enum status take_and_keep(const struct pieces *pieces, int i, struct bytes *content,
                                 double seconds, struct message *why)
{
    if (pieces->seconds) pieces->seconds[i] += seconds;
    MUST(pieces->take(pieces->context, i, content, why));
    if (pieces->memory) remember(pieces->memory, pieces->digest(pieces->context, i), content);
    if (pieces->store)
        MUST(store_keep(pieces->store, pieces->kind, pieces->digest(pieces->context, i),
                        content->at, content->n, why));
    return STATUS_OK;
}

static enum status make_one(void *context, int p, struct message *why)
{
    struct making *making = context;
    const struct pieces *pieces = making->pieces;
    struct made_piece *made = &making->made[p];
    double began = seconds_now();
    if (asked_to_stop(pieces->stop)) return STATUS_INTERRUPTED;
    MUST(pieces->make(pieces->context, making->which[p], &made->content, why));
    made->seconds = seconds_now() - began;
    if (!making->takes) return STATUS_OK;
    pthread_mutex_lock(&making->lock);
    enum status status =
        take_and_keep(pieces, making->which[p], &made->content, made->seconds, why);
    pthread_mutex_unlock(&making->lock);
    bytes_free(&made->content);
    return status;
}

static void making_free(struct making *making, int n)
{
    for (int p = 0; making->made && p < n; p++) bytes_free(&making->made[p].content);
    free(making->made);
    pthread_mutex_destroy(&making->lock);
}

/* Makes n pieces here. Release with making_free() in any case. */
static enum status make_here(const struct pieces *pieces, int n, const int *which, bool takes,
                             struct making *making, struct message *why)
{
    *making = (struct making){.pieces = pieces, .which = which, .takes = takes};
    pthread_mutex_init(&making->lock, NULL);
    making->made = calloc((size_t)n + 1, sizeof *making->made);
    if (!making->made) return STATUS_NO_MEMORY;
    int at_once = pieces->at_once ? pieces->at_once : team_threads(pieces->team);
    return team_try(pieces->team, n, at_once, make_one, making, why);
}

/* ---- by all ranks ---------------------------------------------------------------------------- */

/* Some of the pieces, on their way through the ranks. */
struct sharing {
    const struct pieces *pieces;
    const int *which; /* the leader's */
};

/* What a piece is preceded by, from rank to rank. */
struct piece_head {
    double seconds;
    size_t n;
};

static enum status describe(void *context, uint64_t first, uint64_t end, struct bytes *told)
{
    const struct sharing *sharing = context;
    return bytes_add(told, sharing->which + first, sizeof(int) * (size_t)(end - first));
}

static enum status make_told(void *context, struct bytes *told, struct bytes *made,
                             struct message *why)
{
    enum status status = STATUS_OK;
    const struct sharing *sharing = context;
    size_t n = told->n / sizeof(int);
    struct making making;
    int *which = malloc(told->n + 1);
    if (!which) return STATUS_NO_MEMORY;
    bytes_read(told, which, n * sizeof *which);
    TRY(make_here(sharing->pieces, (int)n, which, false, &making, why));
    for (size_t p = 0; p < n; p++) {
        const struct made_piece *one = &making.made[p];
        const struct piece_head head = {one->seconds, one->content.n};
        TRY(bytes_add(made, &head, sizeof head));
        TRY(bytes_add(made, one->content.at, one->content.n));
    }
done:
    making_free(&making, (int)n);
    free(which);
    return status;
}

static enum status take_made(void *context, uint64_t first, uint64_t end, struct bytes *made,
                             struct message *why)
{
    const struct sharing *sharing = context;
    for (uint64_t p = first; p < end; p++) {
        struct piece_head head;
        if (!bytes_read(made, &head, sizeof head) || head.n > made->n - made->read)
            return STATUS_ENGINE;
        struct bytes content = {.at = made->at + made->read, .n = head.n};
        MUST(take_and_keep(sharing->pieces, sharing->which[p], &content, head.seconds, why));
        made->read += head.n;
    }
    return STATUS_OK;
}

static enum status put_result(void *context, struct bytes *result)
{
    const struct pieces *pieces = ((const struct sharing *)context)->pieces;
    for (int i = 0; i < pieces->n; i++) MUST(pieces->pass_on(pieces->context, i, result));
    return STATUS_OK;
}

static enum status take_result(void *context, struct bytes *result)
{
    const struct pieces *pieces = ((const struct sharing *)context)->pieces;
    struct message why;
    for (int i = 0; result->n && i < pieces->n; i++)
        MUST(pieces->take(pieces->context, i, result, &why));
    return STATUS_OK;
}

/* Shares n pieces, after the `last` of which followers go on. */
static enum status share(const struct pieces *pieces, int n, const int *which, bool last,
                         struct message *why)
{
    struct sharing sharing = {pieces, which};
    const struct ranks_job job = {.key = pieces->key,
                                  .at_once = 1,
                                  .n = (uint64_t)n,
                                  .least = pieces->least,
                                  .most = pieces->most,
                                  .last = last,
                                  .everywhere = pieces->pass_on != NULL,
                                  .stop = pieces->stop,
                                  .context = &sharing,
                                  .describe = describe,
                                  .make = make_told,
                                  .take = take_made,
                                  .put_result = put_result,
                                  .take_result = take_result};
    return pieces->ranks->share(pieces->ranks->context, &job, why);
}

/* ---- all of it ------------------------------------------------------------------------------- */

enum status pieces_recall(const struct pieces *pieces, int *n, int *which, struct message *why)
{
    int missing = 0;
    for (int p = 0; pieces->store && p < *n; p++) {
        struct bytes content = {0};
        void *at;
        int i = which[p];
        MUST(store_recall(pieces->store, pieces->kind, pieces->digest(pieces->context, i), &at,
                          &content.n, why));
        content.at = at;
        if (!at || pieces->take(pieces->context, i, &content, why)) which[missing++] = i;
        free(at);
    }
    if (pieces->store) *n = missing;
    return STATUS_OK;
}

/* Takes what the store has of pieces which [n], and has the others made and stored. */
static enum status take_or_make(const struct pieces *pieces, int n, int *which, bool last,
                                struct message *why)
{
    struct making making;
    MUST(pieces_recall(pieces, &n, which, why));
    if (pieces->ranks && (n || last)) MUST(share(pieces, n, which, last, why));
    else {
        enum status status = make_here(pieces, n, which, true, &making, why);
        making_free(&making, n);
        MUST(status);
    }
    return store_flush(pieces->store, why);
}

/* Takes what the memory has of the pieces in left [n], and makes what nobody makes: those that
 * another thread does remain. Waits for others where nobody waits for this thread. */
static enum status take_remembered(const struct pieces *pieces, int *left, int *n, bool wait,
                                   struct message *why)
{
    enum status status = STATUS_OK;
    int n_made = 0, n_left = 0, *list = malloc(sizeof *list * ((size_t)*n + 1));
    if (!list) return STATUS_NO_MEMORY;
    for (int p = 0; !status && p < *n; p++) {
        struct bytes content = {0};
        enum answer answer = ask(pieces->memory, pieces->digest(pieces->context, left[p]),
                                 wait && !n_made, &content);
        if (answer == ANSWER_KNOWN) status = pieces->take(pieces->context, left[p], &content, why);
        if (answer == ANSWER_YOURS) list[n_made++] = left[p];
        if (answer == ANSWER_MADE) left[n_left++] = left[p];
        bytes_free(&content);
    }
    if (!status && n_made) status = take_or_make(pieces, n_made, list, false, why);
    for (int p = 0; status && p < n_made; p++)
        remember(pieces->memory, pieces->digest(pieces->context, list[p]), NULL);
    *n = n_left;
    free(list);
    return status;
}

enum status pieces_make(const struct pieces *pieces, struct message *why)
{
    int n = pieces->n;
    if (ranks_follow(pieces->ranks)) return share(pieces, 0, NULL, true, why);
    if (!pieces->memory) return take_or_make(pieces, n, pieces->which, true, why);
    for (bool wait = false; n; wait = true)
        MUST(take_remembered(pieces, pieces->which, &n, wait, why));
    return pieces->ranks ? share(pieces, 0, NULL, true, why) : STATUS_OK;
}
