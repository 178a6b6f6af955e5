/* Results as columns, held against the same numbers one by one and against the files of results. */
#include "validation/tests/api/api_run.h"

static const char text[] =
    "valuation_date = '2026-11-20';"
    "settings = { paths = 4096; engine = 'cpu'; greeks = ['delta', 'vega_bucket', 'cross_gamma']; "
    "};"
    "market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0.03; } ); assets = "
    "("
    "{ name = 'A'; currency = 'EUR'; spot = 100.0; volatility = 0.2; },"
    "{ name = 'B'; currency = 'EUR'; spot = 50.0; model = 'heston'; "
    "heston = { v0 = 0.04; kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.7; }; } ); };" SPOT_DOWN
    "book = { trades = ("
    "{ id = 'c'; type = 'european'; asset = 'A'; option = 'call'; strike = 100.0; expiry = 1.0; "
    "tags = { desk = 'EQD'; }; },"
    "{ id = 'b'; type = 'basket'; assets = ['A', 'B']; kind = 'average'; option = 'put'; "
    "strike = 75.0; expiry = 1.0; }," REFUSED "); };";

static struct run begin(bool priced, bool risked)
{
    struct run run = plan_text(open_with((struct pricer_options)PRICER_OPTIONS), text, 0, NULL);
    if (priced) assert_done(run.pricer, pricer_price(run.results));
    if (risked) assert_done(run.pricer, pricer_risk(run.results));
    return run;
}

static const double *numbers(struct run *run, enum pricer_table table, const char *name, int64_t *n)
{
    const double *column = pricer_column(run->results, table, name, n);
    if (!column) fail_msg("no column %s", name);
    return column;
}

static const char *const *texts(struct run *run, enum pricer_table table, const char *name,
                                int64_t *n)
{
    const char *const *column = pricer_text_column(run->results, table, name, n);
    if (!column) fail_msg("no column %s", name);
    return column;
}

TEST(columns_of_prices)
{
    static const struct {
        const char *name;
        enum pricer_column column;
    } columns[] = {{"quantity", PRICER_QUANTITY},
                   {"price", PRICER_PRICE},
                   {"std_error", PRICER_STD_ERROR},
                   {"paths", PRICER_PATHS},
                   {"reference", PRICER_REFERENCE},
                   {"reference_error", PRICER_REFERENCE_ERROR},
                   {"z", PRICER_Z},
                   {"upper", PRICER_UPPER},
                   {"upper_error", PRICER_UPPER_ERROR}};
    struct run run = begin(true, false);
    int64_t n;
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        const double *column = numbers(&run, PRICER_TABLE_PRICES, columns[c].name, &n);
        assert_int_equal(n, 3);
        for (int t = 0; t < n; t++)
            assert_true(same(column[t], pricer_number(run.results, columns[c].column, t)));
    }
    const char *const *assets = texts(&run, PRICER_TABLE_PRICES, "assets", &n);
    assert_string_equal(assets[1], "A+B");
    assert_string_equal(texts(&run, PRICER_TABLE_PRICES, "model", &n)[1], "black_scholes+heston");
    assert_string_equal(texts(&run, PRICER_TABLE_PRICES, "status", &n)[2], "refused");
    assert_string_equal(texts(&run, PRICER_TABLE_PRICES, "message", &n)[2],
                        pricer_trade_message(run.results, 2));
    assert_null(texts(&run, PRICER_TABLE_PRICES, "message", &n)[0]);
    assert_ptr_equal(assets, texts(&run, PRICER_TABLE_PRICES, "assets", &n));
    assert_null(pricer_column(run.results, PRICER_TABLE_PRICES, "assets", &n));
    assert_null(pricer_text_column(run.results, PRICER_TABLE_PRICES, "price", &n));
    assert_null(pricer_column(run.results, (enum pricer_table)99, "price", &n));
    assert_int_equal(n, 0);
    assert_string_equal(texts(&run, PRICER_TABLE_TAGS, "value", &n)[0], "EQD");
    assert_int_equal(n, 1);
    end_and_close(&run);
}

/* Before it is priced a run has its plan alone; tables follow what is computed. */
TEST(tables_follow_the_run)
{
    struct run run = begin(false, false);
    int64_t n;
    assert_int_equal(pricer_table_rows(run.results, PRICER_TABLE_PRICES), 0);
    assert_non_null(pricer_column(run.results, PRICER_TABLE_PRICES, "price", &n));
    assert_int_equal(pricer_table_rows(run.results, PRICER_TABLE_GROUPS), 2);
    assert_string_equal(texts(&run, PRICER_TABLE_GROUPS, "assets", &n)[1], "A+B");
    assert_true(strlen(texts(&run, PRICER_TABLE_GROUPS, "kernel", &n)[0]) > 2);
    assert_int_equal(pricer_table_rows(run.results, PRICER_TABLE_GROUP_TRADES), 2);
    assert_int_equal((int)numbers(&run, PRICER_TABLE_GROUP_TRADES, "group", &n)[1], 1);
    assert_string_equal(texts(&run, PRICER_TABLE_GROUP_TRADES, "trade_id", &n)[1], "b");
    assert_true(pricer_table_rows(run.results, PRICER_TABLE_KERNELS) > 3);
    assert_int_equal(pricer_price(run.results), PRICER_OK);
    assert_int_equal(pricer_table_rows(run.results, PRICER_TABLE_PRICES), 3);
    assert_int_equal(pricer_table_rows(run.results, PRICER_TABLE_GREEKS), 0);
    double price = numbers(&run, PRICER_TABLE_PRICES, "price", &n)[0];
    assert_int_equal(pricer_set_spot(run.results, "A", 110.0), PRICER_OK);
    assert_true(numbers(&run, PRICER_TABLE_PRICES, "price", &n)[0] == price);
    assert_int_equal(pricer_price(run.results), PRICER_OK);
    assert_true(numbers(&run, PRICER_TABLE_PRICES, "price", &n)[0] > price);
    assert_int_equal(pricer_risk(run.results), PRICER_OK);
    assert_true(pricer_table_rows(run.results, PRICER_TABLE_GREEKS) > 0);
    end_and_close(&run);
}

/* Snapshots stay as they are while the run goes on, and when all else is gone; what is the book's
 * is made once for all of them. */
TEST(snapshots_stay)
{
    struct run run = begin(true, false);
    struct pricer_snapshot *first, *second, *none;
    int64_t n;
    assert_int_equal(pricer_snapshot_take(run.results, PRICER_TABLE_PRICES, &first), PRICER_OK);
    double price = numbers(&run, PRICER_TABLE_PRICES, "price", &n)[0];
    assert_int_equal(pricer_set_spot(run.results, "A", 110.0), PRICER_OK);
    assert_int_equal(pricer_price(run.results), PRICER_OK);
    assert_int_equal(pricer_snapshot_take(run.results, PRICER_TABLE_PRICES, &second), PRICER_OK);
    assert_int_equal(pricer_snapshot_take(run.results, 99, &none), PRICER_BAD_INPUT);
    assert_null(none);
    end_and_close(&run);
    assert_true(pricer_snapshot_column(first, "price", &n)[0] == price);
    assert_true(pricer_snapshot_column(second, "price", &n)[0] > price);
    assert_int_equal(n, 3);
    assert_null(pricer_snapshot_column(second, "trade_id", &n));
    const char *const *ids = pricer_snapshot_text_column(first, "trade_id", &n);
    assert_ptr_equal(ids, pricer_snapshot_text_column(second, "trade_id", &n));
    pricer_snapshot_free(first);
    assert_string_equal(ids[2], "bad");
    assert_string_equal(pricer_snapshot_text_column(second, "assets", &n)[1], "A+B");
    assert_string_equal(pricer_snapshot_text_column(second, "status", &n)[2], "refused");
    pricer_snapshot_free(second);
    pricer_snapshot_free(NULL);
}

TEST(columns_of_greeks)
{
    struct run run = begin(true, true);
    int64_t n, row = 0;
    const double *values = numbers(&run, PRICER_TABLE_GREEKS, "value", &n),
                 *errors = numbers(&run, PRICER_TABLE_GREEKS, "std_error", &n),
                 *buckets = numbers(&run, PRICER_TABLE_GREEKS, "bucket", &n);
    const char *const *ids = texts(&run, PRICER_TABLE_GREEKS, "trade_id", &n),
                      *const *greeks = texts(&run, PRICER_TABLE_GREEKS, "greek", &n),
                      *const *factors = texts(&run, PRICER_TABLE_GREEKS, "factor", &n),
                      *const *others = texts(&run, PRICER_TABLE_GREEKS, "other", &n);
    for (int t = 0; t < pricer_trades(run.results); t++)
        for (int g = 0; g < pricer_greeks(run.results); g++) {
            struct pricer_value greek = pricer_greek(run.results, g, t);
            const char *name = pricer_greek_name(run.results, g);
            if (isnan(greek.value)) continue;
            assert_true(row < n);
            assert_true(values[row] == greek.value && same(errors[row], greek.std_error));
            assert_string_equal(ids[row], pricer_trade_id(run.results, t));
            assert_non_null(strstr(name, factors[row]));
            assert_true(isnan(buckets[row]) == !strchr(name, '@'));
            assert_true((others[row] == NULL) == (strncmp(name, "cross_gamma", 11) != 0));
            assert_int_equal(strcmp(greeks[row], "vega_bucket") != 0,
                             strncmp(name, "vega", 4) != 0);
            row++;
        }
    assert_int_equal(row, n);
    assert_true(n > 4);
    end_and_close(&run);
}

/* ---- the files of results -------------------------------------------------------------------- */

/* Takes the next field of a line; NULL beyond the last. */
static char *next_field(char **at)
{
    char *field = *at, *comma = field ? strchr(field, ',') : NULL;
    if (comma) *comma = '\0';
    *at = comma ? comma + 1 : NULL;
    return field;
}

/* Holds the fields of a CSV file without quotes against the columns of the table: numbers to the
 * last bit where the file has not rounded them. */
static void compare_file(struct run *run, enum pricer_table table, const char *path, bool rounded)
{
    char line[65536];
    FILE *file = fopen(path, "r");
    int64_t row = 0, n;
    char names[64][64];
    int columns = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at; columns++) {
        char *field = next_field(&at);
        snprintf(names[columns], sizeof names[columns], "%.60s", field);
    }
    for (; fgets(line, sizeof line, file); row++) {
        char *at = line;
        line[strcspn(line, "\r\n")] = '\0';
        for (int c = 0; c < columns; c++) {
            const char *field = next_field(&at);
            assert_non_null(field);
            const double *column = pricer_column(run->results, table, names[c], &n);
            const char *const *words = pricer_text_column(run->results, table, names[c], &n);
            if (!column && !words) continue; /* engine, kernel, tags: of prices */
            assert_true(row < pricer_table_rows(run->results, table));
            if (words) assert_string_equal(words[row] ? words[row] : "", field);
            else if (!*field) assert_false(isfinite(column[row]));
            else if (!rounded && strtod(field, NULL) != column[row])
                fail_msg("%s, line %d, %s: %s, not %.17g", path, (int)row + 2, names[c], field,
                         column[row]);
        }
    }
    fclose(file);
    assert_int_equal(row, pricer_table_rows(run->results, table));
    assert_true(row > 0);
}

/* A night of desk and tails: every long file has the rows and columns of its table. */
TEST(tables_are_the_files)
{
    static const struct {
        enum pricer_table table;
        const char *file;
    } files[] = {{PRICER_TABLE_PRICES, "prices.csv"},
                 {PRICER_TABLE_GREEKS, "greeks.csv"},
                 {PRICER_TABLE_PNL, "pnl.csv"},
                 {PRICER_TABLE_RISK, "risk.csv"},
                 {PRICER_TABLE_TOTALS, "totals.csv"}};
    const char *program = getenv("PRICER");
    const char *const sets[] = {"settings.paths=2048", "risk.paths=1024"};
    char folder[] = "/tmp/library_tables_XXXXXX", line[4096], path[512];
    if (!program) skip();
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line,
             "%s --quiet --engine=cpu --check=none --set settings.paths=2048 --set risk.paths=1024 "
             "--output=%s/ inputs/night.cfg >/dev/null",
             program, folder);
    assert_true(system(line) != -1);
    struct run run = {.pricer = open_with(cpu_options())};
    assert_done(run.pricer, pricer_book_load(run.pricer, "inputs/night.cfg", 2, sets, &run.book));
    assert_done(run.pricer, pricer_plan(run.pricer, run.book, &run.results));
    assert_done(run.pricer, pricer_price(run.results));
    assert_done(run.pricer, pricer_risk(run.results));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].file);
        compare_file(&run, files[i].table, path, files[i].table == PRICER_TABLE_PRICES);
    }
    end_and_close(&run);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
}

ALL_TESTS(library_tables_test)
