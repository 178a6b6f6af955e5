/* The results database: what is written reads back to the bit, and work that is stored is not done
 * again and gives the same bits. Files that are not ours are left alone: database_failures_test.sh
 * sees to it. */
#define _DEFAULT_SOURCE /* mkstemps */

#include <sys/stat.h>

#include "app/pricing/value/check.h"
#include "app/pricing/value/exercise/exercise_upper.h"
#include "app/database/journal.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/made_up_night.h"
#include "validation/tests/pricing/whole_price.h"

static char path[] = P_tmpdir "/pricer-database-XXXXXX.db";

static void remove_file(void)
{
    char other[sizeof path + 8];
    const char *const ends[] = {"", "-journal"};
    int descriptor = strstr(path, "XXXXXX") ? mkstemps(path, 3) : -1;
    if (descriptor >= 0) close(descriptor);
    for (int i = 0; i < 2; i++) {
        snprintf(other, sizeof other, "%s%s", path, ends[i]);
        unlink(other);
    }
}

static int begin(void **state)
{
    remove_file();
    return make_book(state);
}

static int end(void **state)
{
    remove_file();
    return free_book(state);
}

/* ---- a run that is made up ------------------------------------------------------------------- */

/* One night's results; two of its trades have the numbers and words that are hard to keep. */
static struct stored_run night;

static void make_up(void)
{
    static const struct route_count routes[] = {{{"fused, tiles", "observed"}, 3},
                                                {{"fused, model", "heston"}, 1}};
    static char no_paths[] = "no paths", its[] = "it's";
    night_free(&night);
    night_make(&night);
    night.assets[0].spot = 100.1;
    night.trades[0].expiry = 1.0;
    night.trades[0].quantity = 1.0 / 3.0;
    night.estimates[0] = (struct estimate){.unit = {1024, 0.1, 0.2},
                                           .price = 0.1 + 0.2,
                                           .std_error = 1e-300,
                                           .reference = nextafter(0.3, 1.0),
                                           .reference_error = 5e-324,
                                           .z = -0.0,
                                           .reference_method = "closed form",
                                           .upper = NAN,
                                           .upper_error = INFINITY};
    night.trades[6].id = its;
    night.estimates[6].reference_method[0] = '\0';
    night.estimates[6].message = no_paths;
    for (int i = 0; i < night.risk.n_days * NIGHT_TRADES; i++)
        night.risk.days[i] = (struct pnl){i + 1.0 / 3.0, i + 1.0 / 7.0};
    night.risk.values_at_risk[NIGHT_TRADES + 1].var /= 3.0; /* of the second confidence alone */
    night.results.manifest.seed = INT64_MAX;
    night.results.manifest.plan_digest = 0xfedcba9876543210u;
    night.results.manifest.n_routes = 2;
    night.results.manifest.routes = routes;
}

/* ---- what is read back ----------------------------------------------------------------------- */

/* The first row of a query; the caller ends the statement. */
static struct statement first_row(const struct database *database, const char *sql)
{
    struct statement row = statement_begin(database, sql, &said);
    if (!statement_next(&row)) fail_msg("%s: %s", sql, row.status ? said.text : "no row");
    return row;
}

static bool same_bits(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

/* Fails the test unless the query gives this number, to the bit. */
static void assert_number(const struct database *database, const char *sql, double wanted)
{
    struct statement row = first_row(database, sql);
    if (!same_bits(get_number(&row, 0), wanted))
        fail_msg("%s: %.17g, not %.17g", sql, get_number(&row, 0), wanted);
    statement_end(&row);
}

/* Writes the made-up run, and opens it to be read. */
static void write_made_up(struct database *database)
{
    struct journal journal;
    make_up();
    assert_ok(journal_begin(path, &night.results.manifest, &night.market, 42, &journal, &said));
    assert_ok(journal_finish(&journal, &night.results, 1, &said));
    journal_close(&journal);
    assert_ok(database_read(path, database, &said));
}

TEST(prices_read_back_to_the_bit)
{
    struct database database;
    write_made_up(&database);
    struct statement row =
        first_row(&database, "SELECT price, std_error, reference, reference_error, z, upper, "
                             "upper_error, verdict, reference_method, message, quantity, id, terms "
                             "FROM prices JOIN trades USING (run, trade) WHERE trade = 0");
    const struct estimate *first = &night.estimates[0];
    const double wanted[] = {first->price, first->std_error, first->reference,
                             first->reference_error};
    for (int i = 0; i < 4; i++) assert_true(same_bits(get_number(&row, i), wanted[i]));
    assert_true(get_number(&row, 4) == 0.0);
    assert_true(isnan(get_number(&row, 5)));
    assert_true(isinf(get_number(&row, 6)));
    assert_string_equal(get_text(&row, 7), "ok");
    assert_string_equal(get_text(&row, 8), "closed form");
    assert_null(get_text(&row, 9));
    assert_true(same_bits(get_number(&row, 10), 1.0 / 3.0));
    assert_string_equal(get_text(&row, 12), "{\"option\": \"call\", \"expiry\": 21142}");
    statement_end(&row);
    row = first_row(&database, "SELECT price, message, reference_method, id FROM prices JOIN "
                               "trades USING (run, trade) WHERE verdict = 'failed'");
    assert_true(isnan(get_number(&row, 0)));
    assert_string_equal(get_text(&row, 1), "no paths");
    assert_null(get_text(&row, 2));
    assert_string_equal(get_text(&row, 3), "it's");
    statement_end(&row);
    database_close(&database);
}

TEST(run_and_market_read_back)
{
    struct database database;
    struct stat facts;
    write_made_up(&database);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    struct statement row = first_row(&database, "SELECT seed, plan_digest, status, exit_status, "
                                                "currency, risk_seconds, valuation_date FROM runs");
    assert_true(get_integer(&row, 0) == INT64_MAX);
    assert_string_equal(get_text(&row, 1), "fedcba9876543210");
    assert_string_equal(get_text(&row, 2), "complete");
    assert_int_equal(get_integer(&row, 3), 1);
    assert_string_equal(get_text(&row, 4), "EUR");
    assert_true(get_number(&row, 5) == 0.875);
    assert_string_equal(get_text(&row, 6), "2026-11-20");
    statement_end(&row);
    row = first_row(
        &database,
        "SELECT kernel, why, groups, (SELECT count(*) FROM routes) FROM routes WHERE route = 1");
    assert_string_equal(get_text(&row, 0), "fused, model");
    assert_string_equal(get_text(&row, 1), "heston");
    assert_int_equal(get_integer(&row, 2), 1);
    assert_int_equal(get_integer(&row, 3), 2);
    statement_end(&row);
    assert_number(&database, "SELECT value FROM inputs WHERE owner = 'SX5E' AND input = 'spot'",
                  100.1);
    assert_number(&database, "SELECT max(value) FROM inputs WHERE owner = 'EUR'", 0.12 / 5.0);
    database_close(&database);
}

TEST(risk_reads_back_to_the_bit)
{
    struct database database;
    write_made_up(&database);
    const struct risk *risk = &night.risk;
    const struct aggregate *total = &risk->aggregates[0], *asset = &risk->aggregates[1];
    const struct {
        const char *sql;
        double wanted;
    } rows[] = {
        {"SELECT value FROM greeks JOIN sensitivities USING (run, sensitivity) WHERE trade = 4 AND "
         "name = 'delta:SX5E'",
         risk_greek(risk, 0, 4)->value},
        {"SELECT std_error FROM greeks WHERE sensitivity = 5 AND trade = 1",
         risk_greek(risk, 5, 1)->std_error},
        {"SELECT value FROM scenario_pnl JOIN scenarios USING (run, scenario) WHERE name = 'rates "
         "+1%' AND trade = 0",
         risk->scenarios[NIGHT_TRADES].value},
        {"SELECT std_error FROM scenario_pnl WHERE scenario = 1 AND trade = 1",
         risk->scenarios[NIGHT_TRADES + 1].std_error},
        {"SELECT value FROM day_pnl WHERE day = 2 AND trade = 1",
         risk->days[2 * NIGHT_TRADES + 1].value},
        {"SELECT std_error FROM day_pnl WHERE day = 1 AND trade = 0",
         risk->days[NIGHT_TRADES].std_error},
        {"SELECT var FROM tails WHERE confidence = 0.99 AND trade = 1",
         risk->values_at_risk[NIGHT_TRADES + 1].var},
        {"SELECT shortfall_high FROM tails WHERE trade = 1",
         risk->values_at_risk[1].shortfall_high},
        {"SELECT value FROM aggregate_scenarios JOIN aggregates USING (run, aggregate) WHERE name "
         "= 'total' AND scenario = 1",
         total->scenarios[1].value},
        {"SELECT std_error FROM aggregate_scenarios WHERE aggregate = 1 AND scenario = 0",
         asset->scenarios[0].std_error},
        {"SELECT value FROM aggregate_days WHERE day = 2", total->days[2].value},
        {"SELECT std_error FROM aggregate_days WHERE aggregate = 1 AND day = 1",
         asset->days[1].std_error},
        {"SELECT var FROM aggregate_tails WHERE confidence > 0.98", total->values_at_risk[1].var}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_number(&database, rows[i].sql, rows[i].wanted);
    int n = 0; /* a Greek that is no number has no row */
    for (int s = 0; s < risk->n_sensitivities; s++)
        for (int i = 0; i < NIGHT_TRADES; i++) n += isfinite(risk_greek(risk, s, i)->value);
    assert_in_range(n, 1, risk->n_sensitivities * NIGHT_TRADES - 1);
    assert_number(&database, "SELECT count(*) FROM greeks", n);
    database_close(&database);
}

/* ---- the journal ----------------------------------------------------------------------------- */

/* An engine that counts the groups it prices, and fails when there have been enough. */
static int priced, most;

static enum status count_and_walk(const struct plan *plan, const struct engine_options *options,
                                  const struct batch_range *range, struct engine_report *report,
                                  struct message *why)
{
    if (priced + plan->n_groups > most) return STATUS_INTERRUPTED;
    priced += plan->n_groups;
    return cpu_engine.walk(plan, options, range, report, why);
}

static const struct engine counting = {.name = "counting", .walk = count_and_walk};

/* A plan, and a journal of its prices that is begun. */
struct work {
    struct whole whole;
    struct manifest manifest;
    struct journal journal;
    struct engine_options options;
};

static const struct market no_market; /* the one of the book has no names */

/* The book's prices, or every contrast of it. */
static void begin_work(struct work *work, bool contrasts)
{
    *work = (struct work){.options = {.kernel = "auto", .threads = 1}};
    plan_book(0, contrasts, &work->whole.plan);
    price_whole(&cpu_engine, &work->whole);
    work->manifest =
        (struct manifest){.book = "b", .book_name = "b", .valuation_date = "", .engine = "cpu"};
    assert_ok(journal_begin(path, &work->manifest, &no_market, 1, &work->journal, &said));
}

static void end_work(struct work *work)
{
    journal_close(&work->journal);
    free_whole(&work->whole);
}

/* Prices so many groups at most by what the journal has. */
static enum status price_on(struct work *work, int at_most, struct engine_report *report)
{
    const struct store store = journal_store(&work->journal);
    priced = 0;
    most = at_most;
    return price_again(&store, &counting, &work->options, &work->whole, report);
}

TEST(stored_work_is_not_done_again)
{
    for (int contrasts = 0; contrasts < 2; contrasts++) {
        struct work work;
        struct engine_report report, first;
        remove_file();
        begin_work(&work, contrasts);
        assert_ok(price_on(&work, INT32_MAX, &first));
        assert_int_equal(priced, work.whole.plan.n_groups);
        journal_close(&work.journal);
        assert_ok(journal_resume(path, 1, &work.journal, &said));
        assert_ok(price_on(&work, 0, &report));
        assert_int_equal(priced, 0);
        assert_string_equal(report.kernel, first.kernel);
        assert_string_equal(report.device, first.device);
        work.options.kernel = "baseline"; /* another arithmetic: nothing of it is stored */
        assert_ok(price_on(&work, INT32_MAX, &report));
        assert_int_equal(priced, work.whole.plan.n_groups);
        end_work(&work);
    }
}

/* Stopped after some sections, again and again: what was done counts, and totals go on where they
 * were. */
TEST(stopped_work_goes_on)
{
    for (int contrasts = 0; contrasts < 2; contrasts++) {
        struct work work;
        struct engine_report report;
        int all = 0, attempts = 0;
        enum status status;
        remove_file();
        begin_work(&work, contrasts);
        work.options.tally_bytes = 1; /* with so little each unit is a section */
        do {
            if (attempts++) assert_ok(journal_resume(path, 1, &work.journal, &said));
            status = price_on(&work, work.whole.plan.n_groups / 2, &report);
            assert_true(status == STATUS_OK || status == STATUS_INTERRUPTED);
            all += priced;
            journal_close(&work.journal);
        } while (status && attempts < 50);
        assert_ok(status);
        assert_in_range(attempts, 2, 50);
        assert_int_equal(all, work.whole.plan.n_groups);
        end_work(&work);
    }
}

/* Pieces that are lost or damaged are priced again, and nothing else. */
TEST(damaged_pieces_are_priced_again)
{
    struct work work;
    struct engine_report report;
    begin_work(&work, false);
    assert_ok(price_on(&work, INT32_MAX, &report));
    assert_ok(database_do(&work.journal.database,
                          "DELETE FROM sections WHERE rowid = 3;UPDATE sections SET content "
                          "= zeroblob(length(content)) WHERE rowid IN (2, 5)",
                          &said));
    assert_ok(price_on(&work, INT32_MAX, &report));
    assert_int_equal(priced, 3);
    end_work(&work);
}

TEST(one_writer_at_a_time)
{
    struct journal first, second;
    struct message why = {""};
    make_up();
    assert_ok(journal_begin(path, &night.results.manifest, &night.market, 5, &first, &why));
    assert_ok(journal_resume(path, 5, &second, &why));
    const struct store store = journal_store(&first);
    assert_ok(store_keep(&store, "x", 1, "abc", 3, &why));
    assert_int_equal(store_flush(&store, &why), STATUS_FILE);
    assert_non_null(strstr(why.text, "taken over"));
    assert_int_equal(journal_finish(&first, &night.results, 0, &why), STATUS_FILE);
    assert_ok(journal_finish(&second, &night.results, 0, &why));
    journal_close(&first);
    journal_close(&second);
    assert_ok(journal_resume(path, 5, &second, &why));
    assert_true(second.row.complete && !second.on);
    assert_int_equal(second.row.counts[VERDICT_FAILED], 1);
    journal_close(&second);
    assert_ok(journal_resume(path, 6, &second, &why));
    assert_int_equal(second.row.run, 0); /* all are complete, and of others */
    assert_false(second.on);
    journal_close(&second);
}

/* Checks a trade; where it is `stopped` no reference is made. */
static enum status check_one(const struct store *store, const struct trade *trade, bool stopped,
                             struct estimate *estimate)
{
    const struct check_options options = {.mode = CHECK_ALL,
                                          .seed = 3,
                                          .threads = 1,
                                          .store = store,
                                          .stop = stopped ? &stop_at_once : NULL};
    *estimate = (struct estimate){.unit = {1024, 10.0, 1.0}, .price = 10.0, .std_error = 0.1};
    enum status status = check_book(&book.market, 1, trade, &options, estimate, &said);
    free(estimate->message);
    return status;
}

/* One that is stored is not made again, which would be stopped; of another strike it is another. */
TEST(references_are_recalled)
{
    struct work work;
    const struct trade *trade = NULL;
    begin_work(&work, false);
    for (int i = 0; !trade; i++)
        if (book.trades[i].product == PRODUCT_EUROPEAN) trade = &book.trades[i];
    struct trade other = *trade;
    other.strike *= 2.0;
    const struct store store = journal_store(&work.journal);
    struct estimate found, recalled;
    assert_int_equal(check_one(&store, trade, true, &found), STATUS_INTERRUPTED);
    assert_ok(check_one(&store, trade, false, &found));
    assert_ok(check_one(&store, trade, true, &recalled));
    assert_true(same_bits(found.reference, recalled.reference) &&
                same_bits(found.reference_error, recalled.reference_error));
    assert_string_equal(found.reference_method, recalled.reference_method);
    assert_int_equal(check_one(&store, &other, true, &recalled), STATUS_INTERRUPTED);
    end_work(&work);
}

/* A bound that is stored is not made again, which would be stopped. */
TEST(bounds_are_recalled)
{
    struct work work;
    begin_work(&work, false);
    int n = work.whole.plan.n_trades, trade = 0;
    bool *wanted = calloc((size_t)n, sizeof *wanted);
    struct tally *made = calloc((size_t)n, sizeof *made),
                 *recalled = calloc((size_t)n, sizeof *made),
                 *lowers = calloc((size_t)n, sizeof *made);
    assert_true(wanted && made && recalled && lowers);
    while (book.trades[trade].product != PRODUCT_AMERICAN) trade++;
    wanted[trade] = true;
    const struct store store = journal_store(&work.journal);
    struct upper_options options = {
        .wanted = wanted, .threads = 2, .stop = &stop_at_once, .store = &store};
    assert_int_equal(exercise_upper(&work.whole.plan, &options, made, lowers, &said),
                     STATUS_INTERRUPTED);
    options.stop = NULL;
    assert_ok(exercise_upper(&work.whole.plan, &options, made, lowers, &said));
    assert_true(made[trade].n > 0.0);
    options.stop = &stop_at_once;
    assert_ok(exercise_upper(&work.whole.plan, &options, recalled, lowers, &said));
    assert_memory_equal(made, recalled, (size_t)n * sizeof *made);
    free(wanted), free(made), free(recalled), free(lowers);
    end_work(&work);
}

ALL_TESTS_EACH(app_database_test, begin, end)
