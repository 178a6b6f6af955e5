/* The library by its door alone: handles at the same time, a stop, errors with their place, a
 * store, and what was never asked for. */
#include <pthread.h>
#include <stdatomic.h>

#include "validation/tests/api/api_run.h"

/* What the life of a handle finds. */
struct job {
    int64_t seed;
    uint64_t digest;
    int troubles, trades;
    double delta;
};

static const char text[] =
    "settings = { paths = 8192; engine = 'cpu'; greeks = ['delta']; };\n" ONE_ASSET SPOT_DOWN
    "book = { trades = (" CALL "," AMERICAN "); };\n";

/* A handle's whole life: a book made in memory, prices, a moved spot, risk, a table. */
static void *live(void *context)
{
    struct job *job = context;
    struct pricer_options options = PRICER_OPTIONS;
    struct pricer_draft *draft;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    options.threads = 2;
    options.seed = job->seed;
    options.engine = "cpu";
    options.paths = 2048;
    struct pricer *pricer = open_with(options);
    struct run run = {.pricer = pricer};
    assert_done(pricer, pricer_draft_new(pricer, &draft));
    assert_done(pricer, pricer_draft_number(draft, "market.currencies[EUR].rate", 0.03));
    assert_done(pricer, pricer_draft_text(draft, "market.assets[A].currency", "EUR"));
    assert_done(pricer, pricer_draft_number(draft, "market.assets[A].spot", 100.0));
    assert_done(pricer, pricer_draft_number(draft, "market.assets[A].volatility", 0.2));
    assert_done(pricer, pricer_draft_text(draft, "settings.greeks[0]", "delta"));
    assert_done(pricer, pricer_draft_text(draft, "book.trades[t].type", "american"));
    assert_done(pricer, pricer_draft_text(draft, "book.trades[t].asset", "A"));
    assert_done(pricer, pricer_draft_text(draft, "book.trades[t].option", "put"));
    assert_done(pricer, pricer_draft_number(draft, "book.trades[t].strike", 100.0));
    assert_done(pricer, pricer_draft_whole(draft, "book.trades[t].exercise", 12));
    assert_done(pricer, pricer_draft_number(draft, "book.trades[t].expiry", 1.0));
    assert_done(pricer, pricer_book_make(draft, "draft", &run.book));
    assert_done(pricer, pricer_plan(pricer, run.book, &run.results));
    assert_done(pricer, pricer_price(run.results));
    assert_done(pricer, pricer_set_spot(run.results, "A", 95.0));
    assert_done(pricer, pricer_price(run.results));
    assert_done(pricer, pricer_risk(run.results));
    job->digest = pricer_digest(run.results);
    job->trades = pricer_trades(run.results);
    job->troubles = pricer_troubles(run.results);
    assert_done(pricer, pricer_arrow(run.results, PRICER_TABLE_GREEKS, &stream));
    pricer_draft_free(draft);
    end_and_close(&run);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    job->delta = ((const double *)batch.children[5]->buffers[1])[0];
    batch.release(&batch);
    stream.release(&stream);
    return NULL;
}

/* Handles of two kinds in eight threads find what they find one after the other. */
TEST(eight_threads_give_the_digest_of_one)
{
    enum { N = 8 };
    struct job alone[2] = {{.seed = 7}, {.seed = 8}}, together[N];
    pthread_t threads[N];
    for (int i = 0; i < 2; i++) {
        live(&alone[i]);
        assert_int_equal(alone[i].trades, 1);
        assert_int_equal(alone[i].troubles, 0);
        assert_true(alone[i].delta < -0.2 && alone[i].delta > -0.9);
    }
    assert_true(alone[0].digest != alone[1].digest);
    for (int i = 0; i < N; i++) together[i] = (struct job){.seed = alone[i % 2].seed};
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, live, &together[i]), 0);
    for (int i = 0; i < N; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < N; i++) {
        assert_true(together[i].digest == alone[i % 2].digest);
        assert_true(together[i].delta == alone[i % 2].delta);
    }
}

/* ---- callbacks ------------------------------------------------------------------------------- */

/* What callbacks are told. */
struct told {
    atomic_int asked;
    int stop_after;
    int complaints, remarks, engine, begun, over;
    char complaint[512];
};

static int stop(void *context)
{
    struct told *told = context;
    return atomic_fetch_add(&told->asked, 1) >= told->stop_after;
}

static void note(void *context, enum pricer_note kind, const char *line)
{
    struct told *told = context;
    told->engine += kind == PRICER_NOTE_ENGINE;
    if (kind != PRICER_NOTE_COMPLAINT) return;
    if (!told->complaints++) strncpy(told->complaint, line, sizeof told->complaint - 1);
}

static void progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    struct told *told = context;
    told->begun += phase && !done && !total;
    told->over += !phase;
}

static struct pricer *open_told(struct told *told)
{
    struct pricer_options options = PRICER_OPTIONS;
    options.engine = "cpu";
    options.context = told;
    options.stop = stop;
    options.note = note;
    options.progress = progress;
    return open_with(options);
}

/* However late it asks, a stop ends the run with its status, and the handle serves another. */
TEST(stop_ends_a_run)
{
    struct told told = {.stop_after = 1 << 30};
    struct pricer *pricer = open_told(&told);
    struct pricer_book *book = read_book(pricer, text, 0, NULL);
    struct pricer_results *results;
    int stopped = 0;
    for (int after = 0; after < 1 << 20; after = 4 * after + 1) {
        told.asked = 0;
        told.stop_after = after;
        enum pricer_status status = pricer_plan(pricer, book, &results);
        if (!status) status = pricer_price(results);
        if (!status) status = pricer_risk(results);
        if (status) {
            assert_int_equal(status, PRICER_INTERRUPTED);
            assert_string_equal(pricer_message(pricer), pricer_status_text(PRICER_INTERRUPTED));
            assert_int_equal(pricer_message_line(pricer), 0);
            if (results) assert_int_equal(pricer_trades(results), 0);
            stopped++;
        } else assert_int_equal(pricer_trades(results), 2);
        pricer_results_free(results);
        if (!status) break;
    }
    assert_true(stopped >= 3);
    assert_int_equal(told.begun, told.over);
    assert_true(told.begun >= 3);
    pricer_book_free(book);
    pricer_close(pricer);
}

/* ---- errors ---------------------------------------------------------------------------------- */

TEST(errors_have_their_place)
{
    struct told told = {.stop_after = 1 << 30};
    struct pricer *pricer = open_told(&told);
    struct pricer_book *book;
    char *wrong =
        quoted("settings = {\n  pahts = 4;\n};\n" ONE_ASSET "book = { trades = (" CALL "); };");
    assert_refused(pricer_book_read(pricer, "wrong", wrong, 0, NULL, &book));
    free(wrong);
    assert_null(book);
    assert_string_equal(pricer_message_file(pricer), "wrong");
    assert_int_equal(pricer_message_line(pricer), 2);
    assert_non_null(strstr(pricer_message(pricer), "wrong:2: "));
    assert_non_null(strstr(pricer_message(pricer), "pahts"));
    assert_string_equal(told.complaint, pricer_message(pricer));
    assert_int_equal(pricer_book_load(pricer, "/nowhere/book.cfg", 0, NULL, &book),
                     PRICER_BAD_INPUT);
    assert_non_null(strstr(pricer_message(pricer), "/nowhere/book.cfg"));
    assert_int_equal(pricer_message_line(pricer), 0);
    const char *sets[] = {"settings.kernel=\"nope\""};
    book = read_book(pricer, text, 1, sets);
    assert_string_equal(pricer_message(pricer), "");
    struct pricer_results *results;
    assert_refused(pricer_plan(pricer, book, &results));
    assert_null(results);
    assert_non_null(strstr(pricer_message(pricer), "no kernel 'nope'"));
    pricer_results_free(results);
    pricer_book_free(book);
    pricer_close(pricer);
}

TEST(options_out_of_range_are_refused)
{
    struct pricer_options bad[4] = {PRICER_OPTIONS, PRICER_OPTIONS, PRICER_OPTIONS, PRICER_OPTIONS};
    bad[0].engine = "gpu";
    bad[1].check = "some";
    bad[2].n_gpus = 65;
    bad[3].paths = -1;
    for (int i = 0; i < 4; i++) {
        struct pricer *pricer;
        assert_refused(pricer_open(&bad[i], &pricer));
        assert_non_null(pricer);
        assert_true(strlen(pricer_message(pricer)) > 5);
        pricer_close(pricer);
    }
    for (int s = PRICER_OK; s <= PRICER_FAILED + 1; s++)
        assert_true(strlen(pricer_status_text((enum pricer_status)s)) > 5);
}

/* Why no GPU is used is told once, however many plans a handle makes. */
TEST(an_engine_is_told_of_once)
{
    struct told told = {0};
    struct pricer_options options = PRICER_OPTIONS;
    options.engine = "auto", options.context = &told, options.note = note;
    struct run run = plan_text(open_with(options), text, 0, NULL);
    struct pricer_results *again;
    assert_int_equal(told.engine, strcmp(pricer_engine(run.results), "cuda") != 0);
    assert_done(run.pricer, pricer_plan(run.pricer, run.book, &again));
    assert_int_equal(told.engine, strcmp(pricer_engine(again), "cuda") != 0);
    pricer_results_free(again);
    end_and_close(&run);
}

/* Calls out of turn are refused or have nothing to do, and what is not there is NaN, NULL or 0. */
TEST(calls_have_their_turn)
{
    struct told told = {.stop_after = 1 << 30};
    struct run run = plan_text(open_told(&told), text, 0, NULL);
    struct pricer_results *results = run.results;
    assert_refused(pricer_risk(results));
    assert_int_equal(pricer_trades(results), 0);
    assert_true(isnan(pricer_number(results, PRICER_PRICE, 0)));
    assert_int_equal(pricer_price(results), PRICER_OK);
    assert_int_equal(pricer_greeks(results), 0);
    int begun = told.begun; /* phases: a second pricing has nothing to do */
    assert_int_equal(pricer_price(results), PRICER_OK);
    assert_int_equal(told.begun, begun);
    assert_int_equal(pricer_risk(results), PRICER_OK);
    assert_refused(pricer_risk(results));
    assert_int_equal(pricer_trades(results), 2);
    assert_string_equal(pricer_trade_id(results, 1), "a");
    assert_string_equal(pricer_trade_currency(results, 1), "EUR");
    assert_int_equal(pricer_trade_status(results, 0), PRICER_TRADE_OK);
    assert_true(fabs(pricer_number(results, PRICER_Z, 0)) < 4.0);
    assert_true(pricer_number(results, PRICER_STD_ERROR, 0) > 0.0);
    assert_null(pricer_trade_id(results, 2));
    assert_true(isnan(pricer_number(results, PRICER_PRICE, -1)));
    assert_string_equal(pricer_greek_name(results, 0), "delta:A");
    assert_null(pricer_greek_name(results, 1));
    assert_string_equal(pricer_scenario_name(results, 0), "down");
    double total = pricer_scenario(results, 0, -1).value, sum = 0.0;
    for (int i = 0; i < 2; i++) sum += pricer_scenario(results, 0, i).value;
    assert_true(fabs(total - sum) < 1e-9 * fabs(sum));
    assert_true(isnan(pricer_scenario(results, 0, 2).value));
    end_and_close(&run);
}

/* ---- a store --------------------------------------------------------------------------------- */

enum { PIECES = 256 };

/* Pieces in memory. */
struct memory_store {
    pthread_mutex_t lock;
    int n, found, refused; /* refused: calls of keep_later */
    struct {
        char kind[64];
        uint64_t digest;
        void *content;
        size_t n;
    } pieces[PIECES];
};

static int recall(void *context, const char *kind, uint64_t digest, void **content, size_t *n,
                  char *why, size_t room)
{
    struct memory_store *store = context;
    (void)why;
    (void)room;
    *content = NULL;
    pthread_mutex_lock(&store->lock);
    for (int i = 0; i < store->n && !*content; i++) {
        if (store->pieces[i].digest != digest || strcmp(store->pieces[i].kind, kind)) continue;
        *content = malloc(store->pieces[i].n + 1);
        memcpy(*content, store->pieces[i].content, store->pieces[i].n);
        *n = store->pieces[i].n;
        store->found++;
    }
    pthread_mutex_unlock(&store->lock);
    return PRICER_OK;
}

static int keep(void *context, const char *kind, uint64_t digest, const void *content, size_t n,
                char *why, size_t room)
{
    struct memory_store *store = context;
    (void)why;
    (void)room;
    pthread_mutex_lock(&store->lock);
    int i = store->n;
    if (i < PIECES) {
        strncpy(store->pieces[i].kind, kind, sizeof store->pieces[i].kind - 1);
        store->pieces[i].digest = digest;
        store->pieces[i].content = malloc(n + 1);
        memcpy(store->pieces[i].content, content, n);
        store->pieces[i].n = n;
        store->n++;
    }
    pthread_mutex_unlock(&store->lock);
    return PRICER_OK;
}

static int flush(void *context, char *why, size_t room)
{
    (void)context;
    (void)why;
    (void)room;
    return PRICER_OK;
}

static int no_room(void *context, const char *kind, uint64_t digest, const void *content, size_t n,
                   char *why, size_t room)
{
    (void)context;
    (void)kind;
    (void)digest;
    (void)content;
    (void)n;
    strncpy(why, "the shelf is full", room - 1);
    return PRICER_FILE;
}

static enum pricer_status price_with(const struct pricer_store *store, struct pricer *pricer,
                                     uint64_t *digest)
{
    struct run run = plan_text(pricer, text, 0, NULL);
    if (store) pricer_keep_in(run.results, store);
    enum pricer_status status = pricer_price(run.results);
    *digest = pricer_digest(run.results);
    end(&run);
    return status;
}

TEST(a_store_gives_back_what_it_keeps)
{
    struct told told = {.stop_after = 1 << 30};
    struct memory_store memory = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct pricer_store store = {&memory, recall, keep, flush};
    struct pricer *pricer = open_told(&told);
    uint64_t without, first, again;
    assert_int_equal(price_with(NULL, pricer, &without), PRICER_OK);
    assert_int_equal(price_with(&store, pricer, &first), PRICER_OK);
    assert_true(memory.n > 0 && memory.n < PIECES);
    assert_int_equal(memory.found, 0);
    int kept = memory.n;
    assert_int_equal(price_with(&store, pricer, &again), PRICER_OK);
    assert_int_equal(memory.n, kept);
    assert_true(memory.found > 0);
    assert_true(first == without && again == without);
    store = (struct pricer_store){&(struct memory_store){.lock = PTHREAD_MUTEX_INITIALIZER}, recall,
                                  no_room, flush};
    assert_int_equal(price_with(&store, pricer, &again), PRICER_FILE);
    assert_string_equal(pricer_message(pricer), "the shelf is full");
    for (int i = 0; i < memory.n; i++) free(memory.pieces[i].content);
    pricer_close(pricer);
}

/* Keeps nothing the first time, and what it is given from then on. */
static int keep_later(void *context, const char *kind, uint64_t digest, const void *content,
                      size_t n, char *why, size_t room)
{
    struct memory_store *store = context;
    pthread_mutex_lock(&store->lock);
    bool first = !store->refused++;
    pthread_mutex_unlock(&store->lock);
    return (first ? no_room : keep)(context, kind, digest, content, n, why, room);
}

/* A pricing that failed leaves its store to the next one. */
TEST(a_store_outlives_a_failure)
{
    struct told told = {.stop_after = 1 << 30};
    struct memory_store memory = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct pricer_store store = {&memory, recall, keep_later, flush};
    struct pricer *pricer = open_told(&told);
    uint64_t without;
    assert_int_equal(price_with(NULL, pricer, &without), PRICER_OK);
    struct run run = plan_text(pricer, text, 0, NULL);
    pricer_keep_in(run.results, &store);
    assert_int_equal(pricer_price(run.results), PRICER_FILE);
    int kept = memory.n;
    assert_done(pricer, pricer_price(run.results));
    assert_true(pricer_digest(run.results) == without);
    assert_true(memory.n > kept);
    assert_refused(pricer_set_spot(run.results, "A", 90.0));
    for (int i = 0; i < memory.n; i++) free(memory.pieces[i].content);
    end_and_close(&run);
}

ALL_TESTS(library_test)
