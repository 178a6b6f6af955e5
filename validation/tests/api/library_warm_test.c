/* A run that follows its market: after a number was changed, what lives on it is priced again, and
 * every digest is that of a fresh run. */
#include <stdatomic.h>

#include "validation/tests/api/api_run.h"

static atomic_ullong steps_done; /* of the last pricing */

static void progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)context;
    if (phase && !strcmp(phase, "pricing") && !done && !total) steps_done = 0;
    if (phase && !strcmp(phase, "pricing") && total) steps_done = total;
}

static struct pricer *open_pricer(const char *check, int64_t paths)
{
    struct pricer_options options = cpu_options();
    options.threads = 0;
    options.check = check;
    options.paths = paths;
    options.progress = progress;
    return open_with(options);
}

/* Prices the book of a file. */
static struct run begin(struct pricer *pricer, const char *path, int n, const char *const *sets)
{
    struct run run = {.pricer = pricer};
    assert_done(pricer, pricer_book_load(pricer, path, n, sets, &run.book));
    assert_done(pricer, pricer_plan(pricer, run.book, &run.results));
    assert_done(pricer, pricer_price(run.results));
    return run;
}

/* The sums of trades are the same, of the same assets and tags. */
static void compare_totals(struct pricer_results *a, struct pricer_results *b)
{
    int64_t n, of_b;
    assert_int_equal(pricer_table_rows(a, PRICER_TABLE_TOTALS),
                     pricer_table_rows(b, PRICER_TABLE_TOTALS));
    for (int c = 0; c < pricer_table_columns(PRICER_TABLE_TOTALS); c++) {
        const char *name = pricer_table_column(PRICER_TABLE_TOTALS, c);
        const double *x = pricer_column(a, PRICER_TABLE_TOTALS, name, &n);
        const double *y = pricer_column(b, PRICER_TABLE_TOTALS, name, &of_b);
        for (int64_t i = 0; x && i < n; i++) assert_true(same(x[i], y[i]));
        const char *const *mine = pricer_text_column(a, PRICER_TABLE_TOTALS, name, &n);
        const char *const *theirs = pricer_text_column(b, PRICER_TABLE_TOTALS, name, &of_b);
        for (int64_t i = 0; mine && i < n; i++) assert_string_equal(mine[i], theirs[i]);
    }
}

/* All that is said of trades is the same. */
static void compare(struct pricer_results *a, struct pricer_results *b, const char *what)
{
    if (pricer_digest(a) != pricer_digest(b)) fail_msg("%s: another digest", what);
    assert_int_equal(pricer_trades(a), pricer_trades(b));
    for (int t = 0; t < pricer_trades(a); t++) {
        const char *mine = pricer_trade_message(a, t), *theirs = pricer_trade_message(b, t);
        for (int c = PRICER_QUANTITY; c <= PRICER_UPPER_ERROR; c++)
            if (!same(pricer_number(a, c, t), pricer_number(b, c, t)))
                fail_msg("%s: %s, column %d: %.17g, not %.17g", what, pricer_trade_id(a, t), c,
                         pricer_number(a, c, t), pricer_number(b, c, t));
        assert_int_equal(pricer_trade_status(a, t), pricer_trade_status(b, t));
        assert_string_equal(mine ? mine : "", theirs ? theirs : "");
    }
    compare_totals(a, b);
}

static void compare_greeks(struct pricer_results *a, struct pricer_results *b)
{
    assert_int_equal(pricer_greeks(a), pricer_greeks(b));
    for (int g = 0; g < pricer_greeks(a); g++)
        for (int t = 0; t < pricer_trades(a); t++)
            assert_true(same(pricer_greek(a, g, t).value, pricer_greek(b, g, t).value));
}

/* ---- every asset of the books ---------------------------------------------------------------- */

/* The names and spots of the assets of a book, as its text has them. */
struct assets {
    int n;
    char names[64][64];
    double spots[64];
};

static void find_assets(const char *path, struct assets *assets)
{
    FILE *file = fopen(path, "r");
    char line[4096];
    assets->n = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *spot = strstr(line, "spot = "), *name = strstr(line, "name = \"");
        if (!spot || !name || !strstr(line, "currency = ")) continue;
        assert_int_equal(sscanf(name, "name = \"%63[^\"]", assets->names[assets->n]), 1);
        assert_int_equal(sscanf(spot, "spot = %lf", &assets->spots[assets->n]), 1);
        assets->n++;
    }
    fclose(file);
}

/* Moves one asset after the other: every third run, and the last, is held against a fresh one of
 * the same market. */
static int move_each(const char *path, const char *market, const char *check, int64_t paths)
{
    struct assets assets;
    struct pricer *pricer = open_pricer(check, paths);
    char texts[64][128];
    const char *sets[64];
    find_assets(market, &assets);
    assert_true(assets.n > 0);
    struct run warm = begin(pricer, path, 0, NULL);
    unsigned long long whole = steps_done, least = whole;
    for (int i = 0; i < assets.n; i++) {
        double spot = assets.spots[i] * (i % 2 ? 0.97 : 1.02);
        snprintf(texts[i], sizeof texts[i], "market.assets[%s].spot=%.17g", assets.names[i], spot);
        sets[i] = texts[i];
        assert_done(pricer, pricer_set_spot(warm.results, assets.names[i], spot));
        assert_done(pricer, pricer_price(warm.results));
        if (steps_done < least) least = steps_done;
        if (i % 3 && i + 1 < assets.n) continue;
        struct run fresh = begin(pricer, path, i + 1, sets);
        compare(warm.results, fresh.results, texts[i]);
        end(&fresh);
    }
    if (assets.n > 1) assert_true(least < whole);
    end_and_close(&warm);
    return assets.n;
}

TEST(every_asset_of_book)
{
    assert_true(move_each("inputs/book.cfg", "inputs/market/2026-11-20.cfg", "all", 4096) > 8);
}

TEST(every_asset_of_desk)
{
    assert_true(move_each("inputs/desk.cfg", "inputs/market/2002-07-05.cfg", "none", 2048) == 11);
}

TEST(every_asset_of_fx)
{
    assert_true(move_each("inputs/fx.cfg", "inputs/fx.cfg", "all", 4096) == 2);
}

/* ---- what hangs together --------------------------------------------------------------------- */

/* A cross without a spot of its own, an asset converted at a rate, quotes by delta, forwards,
 * quantos, one of them through two rates of which one is the cross, notes on the spots of today and
 * on others, correlations, an American, a refused and an expired trade. */
static const char text[] =
    "valuation_date = '2026-11-20';settings = { paths = 4096; seed = 3; greeks = ['delta']; "
    "};market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0.03; },"
    "{ name = 'USD'; rate = 0.04; },"
    "{ name = 'GBP'; rate = 0.045; } ); assets = ({ name = 'EURUSD'; currency = 'USD'; "
    "foreign_currency = 'EUR'; spot = 1.1; volatility = 0.08; },"
    "{ name = 'GBPUSD'; currency = 'USD'; foreign_currency = 'GBP'; spot = 1.3; "
    "volatility = 0.09; },"
    "{ name = 'EURGBP'; currency = 'GBP'; foreign_currency = 'EUR'; "
    "   cross = { of = ['EURUSD', 'GBPUSD']; correlation = 0.7; }; },"
    "{ name = 'EURCHF'; currency = 'GBP'; foreign_currency = 'EUR'; spot = 0.94; "
    "model = 'local_vol';    volatility = { times = [0.25, 1.0]; atm = [0.06, 0.064]; "
    "rr25 = [-0.006, -0.01]; bf25 = [0.002, 0.003];      delta = 'spot'; "
    "premium_adjusted = true; butterfly = 'smile'; }; },"
    "{ name = 'A'; currency = 'EUR'; spot = 100.0; volatility = 0.2; },"
    "{ name = 'B'; currency = 'EUR'; spot = 50.0; volatility = 0.3; "
    "   forwards = { times = [1.0, 2.0]; prices = [51.0, 52.5]; }; },"
    "{ name = 'D'; currency = 'USD'; spot = 20.0; volatility = 0.25; },"
    "{ name = 'D_EUR'; currency = 'EUR'; cross = { of = ['D', 'EURUSD']; correlation = -0.2; }; },"
    "{ name = 'F'; currency = 'GBP'; spot = 40.0; volatility = 0.2; } ); "
    " correlations = ( { assets = ['A', 'B']; value = 0.5; },"
    "{ assets = ['A', 'EURUSD']; value = -0.3; },"
    "{ assets = ['F', 'EURGBP']; value = -0.4; } ); };book = { trades = ({ id = 'cross'; "
    "type = 'european'; asset = 'EURGBP'; option = 'call'; strike = 0.86; expiry = 1.0; },"
    "{ id = 'smile'; type = 'european'; asset = 'EURCHF'; option = 'put'; strike = 0.92; "
    "expiry = 0.5; },"
    "{ id = 'a'; type = 'asian'; asset = 'A'; option = 'call'; averaging = 'arithmetic'; "
    "strike_type = 'fixed'; strike = 100.0; fixing_times = [0.0, 0.5, 1.0]; expiry = 1.0; },"
    "{ id = 'b'; type = 'european'; asset = 'B'; option = 'call'; strike = 50.0; expiry = 1.5; },"
    "{ id = 'quanto'; type = 'european'; asset = 'A'; option = 'call'; strike = 100.0; "
    "expiry = 1.0; quanto = { fx = 'EURUSD'; }; },"
    "{ id = 'converted'; type = 'spread'; assets = ['A', 'D_EUR']; weights = [1.0, -5.0]; "
    "option = 'call'; strike = 0.0; expiry = 1.0; },"
    "{ id = 'quantos'; type = 'basket'; assets = ['A', 'D']; kind = 'average'; "
    "option = 'call'; strike = 60.0; expiry = 1.0; quanto = { fx = 'EURUSD'; }; },"
    "{ id = 'three'; type = 'basket'; assets = ['A', 'D', 'F']; kind = 'average'; "
    "option = 'call'; strike = 50.0; expiry = 1.0; quanto = { fx = ['EURUSD', 'EURGBP']; }; },"
    "{ id = 'note'; type = 'autocallable'; assets = ['A', 'B']; observation_times = [1.0, 2.0]; "
    "call_level = 1.0; coupon = 0.08; protection_level = 0.6; notional = 100.0; expiry = 2.0; },"
    "{ id = 'given'; type = 'autocallable'; assets = ['A', 'B']; initial = [100.0, 50.0]; "
    "observation_times = [1.0, 2.0]; call_level = 1.0; coupon = 0.08; protection_level = 0.6; "
    "notional = 100.0; expiry = 2.0; },"
    "{ id = 'gone'; type = 'european'; asset = 'A'; option = 'call'; strike = 9.0; "
    "expiry = '2026-11-01'; },"
    "{ id = 'bad'; type = 'european'; asset = 'A'; option = 'call'; strike = -9.0; expiry = 1.0; "
    "},"
    "{ id = 'am'; type = 'american'; asset = 'D'; option = 'put'; strike = 21.0; expiry = 1.0; "
    "exercise = 12; } ); };";

/* Changes a number, and prices what lives on it. */
static void move(struct run *run, const char *path, double value)
{
    assert_done(run->pricer, pricer_set_number(run->results, path, value));
    assert_done(run->pricer, pricer_price(run->results));
}

/* Numbers of every kind, one after the other and never taken back. */
TEST(all_that_hangs_on_a_number)
{
    static const struct {
        const char *path;
        double value;
        int moves; /* prices: a quanto has no spot, a note on spots of today no units */
    } numbers[] = {{"market.assets[EURUSD].spot", 1.15, 2},
                   {"market.assets[EURCHF].spot", 0.9, 1},
                   {"market.assets[A].spot", 108.0, 6},
                   {"market.assets[B].spot", 45.0, 1},
                   {"market.assets[D].spot", 21.5, 4},
                   {"market.assets[A].volatility", 0.25, 7},
                   {"market.assets[A].dividend_yield", 0.01, 7},
                   {"market.assets[B].forwards.prices[1]", 53.0, 3},
                   {"market.correlations[0].value", 0.2, 2},
                   {"market.correlations[1].value", 0.1, 3},
                   {"market.correlations[2].value", 0.3, 1},
                   {"market.currencies[GBP].rate", 0.05, 3},
                   {"market.assets[GBPUSD].volatility", 0.1, 2},
                   {"market.assets[D].volatility", 0.3, 4},
                   {"market.assets[D_EUR].cross.correlation", 0.4, 2},
                   {"settings.seed", 11, 11},
                   {"market.assets[EURCHF].volatility.atm[0]", 0.07, 1},
                   {"settings.paths", 6000, 11},
                   {"market.assets[A].spot", 101.0, 6}};
    enum { N = sizeof numbers / sizeof *numbers };
    struct pricer *pricer = open_pricer("none", 0);
    char texts[N][128];
    const char *sets[N];
    struct run warm = price_text(pricer, text, 0, NULL);
    for (int i = 0; i < N; i++) {
        double before[16];
        int moves = 0, trades = pricer_trades(warm.results);
        for (int t = 0; t < trades; t++) before[t] = pricer_number(warm.results, PRICER_PRICE, t);
        snprintf(texts[i], sizeof texts[i], "%s=%.17g", numbers[i].path, numbers[i].value);
        sets[i] = texts[i];
        move(&warm, numbers[i].path, numbers[i].value);
        struct run fresh = price_text(pricer, text, i + 1, sets);
        compare(warm.results, fresh.results, texts[i]);
        end(&fresh);
        for (int t = 0; t < trades; t++)
            moves += !same(before[t], pricer_number(warm.results, PRICER_PRICE, t));
        if (moves != numbers[i].moves)
            fail_msg("%s moves %d trades, not %d", texts[i], moves, numbers[i].moves);
    }
    end_and_close(&warm);
}

/* A book without settings takes one; what is none leaves it as it was. */
TEST(a_setting_that_the_book_lacks)
{
    static const char bare[] = ONE_ASSET "book = { trades = (" CALL "); };";
    const char *const set = "settings.seed=7";
    struct pricer *pricer = open_pricer("none", 4096);
    struct run warm = price_text(pricer, bare, 0, NULL);
    uint64_t digest = pricer_digest(warm.results);
    assert_int_equal(pricer_set_number(warm.results, "settings.sed", 7.0), PRICER_OK);
    assert_refused(pricer_price(warm.results));
    assert_non_null(strstr(pricer_message(pricer), "sed"));
    assert_true(pricer_digest(warm.results) == digest);
    move(&warm, "settings.seed", 7.0);
    struct run fresh = price_text(pricer, bare, 1, &set);
    compare(warm.results, fresh.results, set);
    assert_true(pricer_digest(warm.results) != digest);
    end(&fresh);
    end_and_close(&warm);
}

/* Risk is refused until the change is priced, and is then that of a fresh run. */
TEST(risk_follows)
{
    const char *const set = "market.assets[D].spot=22";
    struct pricer *pricer = open_pricer("none", 0);
    struct run warm = price_text(pricer, text, 0, NULL), fresh = price_text(pricer, text, 1, &set);
    assert_int_equal(pricer_risk(warm.results), PRICER_OK);
    assert_refused(pricer_risk(warm.results));
    assert_int_equal(pricer_set_spot(warm.results, "D", 22.0), PRICER_OK);
    assert_int_equal(pricer_price(warm.results), PRICER_OK);
    assert_int_equal(pricer_greeks(warm.results), 0);
    assert_int_equal(pricer_risk(warm.results), PRICER_OK);
    assert_int_equal(pricer_risk(fresh.results), PRICER_OK);
    assert_true(pricer_greeks(warm.results) > 3);
    compare_greeks(warm.results, fresh.results);
    end(&fresh);
    end_and_close(&warm);
}

/* ---- out of turn ----------------------------------------------------------------------------- */

TEST(wrong_changes_are_refused)
{
    static const char *const paths[] = {"market.assets[Z].spot",
                                        "market.assets[A].name",
                                        "market.assets[A]",
                                        "market.assets",
                                        "market.",
                                        "spot",
                                        "book.trades[a].strike",
                                        "risk.paths",
                                        "settings.greeks",
                                        "market.assets[A].settlement_days"};
    struct pricer *pricer = open_pricer("none", 0);
    struct run warm = price_text(pricer, text, 0, NULL);
    uint64_t digest = pricer_digest(warm.results);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (pricer_set_number(warm.results, paths[i], 2.0) != PRICER_BAD_INPUT)
            fail_msg("%s is taken", paths[i]);
        assert_non_null(strstr(pricer_message(pricer), paths[i]));
    }
    assert_int_equal(pricer_set_spot(warm.results, "A", 90.0), PRICER_OK);
    assert_int_equal(pricer_set_spot(warm.results, "B", -1.0), PRICER_OK);
    assert_int_equal(pricer_set_number(warm.results, "market.assets[A].basis", 0.01), PRICER_OK);
    assert_refused(pricer_price(warm.results));
    assert_string_equal(pricer_message(pricer),
                        "market.assets[B].spot: asset 'B': spot must be > 0, got -1");
    assert_true(pricer_digest(warm.results) == digest);
    assert_int_equal(pricer_set_spot(warm.results, "B", NAN), PRICER_OK);
    assert_refused(pricer_price(warm.results));
    assert_string_equal(pricer_message(pricer),
                        "market.assets[B].spot: asset 'B': spot must be a finite number, got nan");
    assert_int_equal(pricer_price(warm.results), PRICER_OK);
    assert_true(pricer_digest(warm.results) == digest);
    assert_int_equal(pricer_set_number(warm.results, "market.assets[A].unheard", 1.0), PRICER_OK);
    assert_refused(pricer_price(warm.results));
    assert_int_equal(pricer_set_spot(warm.results, "A", 100.0), PRICER_OK);
    assert_int_equal(pricer_price(warm.results), PRICER_OK);
    assert_true(pricer_digest(warm.results) == digest);
    struct pricer_results *other;
    assert_int_equal(pricer_plan(pricer, warm.book, &other), PRICER_OK);
    assert_refused(pricer_set_spot(warm.results, "A", 90.0));
    pricer_results_free(other);
    assert_int_equal(pricer_set_spot(warm.results, "A", 90.0), PRICER_OK);
    end_and_close(&warm);
}

/* What a trade owes that expires today is what its spots said when the book was read. */
static void expires_today(const char *strike)
{
    const char *const sets[] = {"book.trades[gone].expiry=\"2026-11-20\"", strike};
    struct run warm = price_text(open_pricer("none", 0), text, 2, sets);
    uint64_t digest = pricer_digest(warm.results);
    assert_done(warm.pricer, pricer_set_spot(warm.results, "B", 51.0));
    assert_done(warm.pricer, pricer_price(warm.results));
    assert_true(pricer_digest(warm.results) != digest);
    assert_done(warm.pricer, pricer_set_spot(warm.results, "A", 101.0));
    assert_refused(pricer_price(warm.results));
    assert_string_equal(pricer_message(warm.pricer), "trade 'gone' expires today at spots that "
                                                     "have changed: make the book anew with them");
    move(&warm, "market.assets[B].spot", 50.0);
    assert_true(pricer_digest(warm.results) == digest);
    end_and_close(&warm);
}

TEST(spots_of_what_expires_today_stay)
{
    expires_today("book.trades[gone].strike=90"); /* which owes something, and which does not */
    expires_today("book.trades[gone].strike=110");
}

/* A market that a scenario of the book cannot move is refused, and the results stay. */
TEST(scenarios_are_tried_again)
{
    static const char small[] =
        "settings = { paths = 1024; };" ONE_ASSET "risk = { scenarios = ( { name = 'calm'; shocks "
        "= ( { asset = 'A'; volatility = -0.15; } ); "
        "} ); }; book = { trades = (" CALL "); };";
    struct pricer *pricer = open_pricer("none", 0);
    struct run run = price_text(pricer, small, 0, NULL);
    uint64_t digest = pricer_digest(run.results);
    const char *path = "market.assets[A].volatility";
    assert_int_equal(pricer_set_number(run.results, path, 0.1), PRICER_OK);
    assert_refused(pricer_price(run.results));
    assert_non_null(strstr(pricer_message(pricer), "market.assets[A].volatility: scenario 'calm'"));
    assert_true(pricer_digest(run.results) == digest);
    move(&run, path, 0.16);
    assert_true(pricer_digest(run.results) != digest);
    assert_int_equal(pricer_risk(run.results), PRICER_OK);
    end_and_close(&run);
}

/* While a change waits to be priced, the book of results takes no others. */
TEST(a_pending_change_has_one_run)
{
    const char *const set = "market.assets[A].spot=120";
    struct pricer *pricer = open_pricer("none", 0);
    struct run warm = price_text(pricer, text, 0, NULL), fresh = price_text(pricer, text, 1, &set);
    struct pricer_results *other;
    assert_int_equal(pricer_set_spot(warm.results, "A", 120.0), PRICER_OK);
    assert_refused(pricer_plan(pricer, warm.book, &other));
    assert_null(other);
    assert_non_null(strstr(pricer_message(pricer), "a change that is not priced"));
    assert_int_equal(pricer_price(warm.results), PRICER_OK);
    compare(warm.results, fresh.results, "first of two");
    assert_int_equal(pricer_plan(pricer, warm.book, &other), PRICER_OK);
    assert_int_equal(pricer_price(other), PRICER_OK);
    compare(other, fresh.results, "second of two");
    pricer_results_free(other);
    assert_int_equal(pricer_set_spot(warm.results, "A", 100.0), PRICER_OK);
    end(&fresh);
    end_and_close(&warm);
}

/* ---- a stop ---------------------------------------------------------------------------------- */

static atomic_int asked;
static int stop_after;

static int stop(void *context)
{
    (void)context;
    return atomic_fetch_add(&asked, 1) >= stop_after;
}

/* A pricer that goes on until `stop_after` says when it stops. */
static struct pricer *open_stopping(void)
{
    struct pricer_options options = cpu_options();
    options.threads = 0;
    options.stop = stop;
    options.check = "5/5";
    stop_after = 1 << 30;
    return open_with(options);
}

/* Wherever a run is stopped that follows its market, the next call ends with the same digest. */
TEST(stopped_anywhere)
{
    const char *const set = "market.assets[A].spot=103";
    struct pricer *pricer = open_stopping();
    int stopped = 0;
    struct run fresh = price_text(pricer, text, 1, &set);
    for (int after = 0; after < 1 << 16; after = 3 * after + 1) {
        struct run warm = price_text(pricer, text, 0, NULL);
        assert_int_equal(pricer_set_spot(warm.results, "A", 103.0), PRICER_OK);
        asked = 0;
        stop_after = after;
        if (pricer_price(warm.results)) {
            stopped++;
            assert_int_equal(pricer_digest(warm.results), 0);
        }
        stop_after = 1 << 30;
        assert_int_equal(pricer_price(warm.results), PRICER_OK);
        compare(warm.results, fresh.results, "stopped");
        end(&warm);
    }
    assert_true(stopped > 3);
    end_and_close(&fresh);
}

/* A run that is stopped before it chose its engine anew still says which it has. */
TEST(stopped_at_the_door)
{
    const char *const set = "settings.seed=7";
    struct pricer *pricer = open_stopping();
    struct run warm = price_text(pricer, text, 0, NULL), fresh = price_text(pricer, text, 1, &set);
    assert_int_equal(pricer_set_number(warm.results, "settings.seed", 7), PRICER_OK);
    asked = stop_after = 0;
    assert_int_equal(pricer_price(warm.results), PRICER_INTERRUPTED);
    assert_string_equal(pricer_engine(warm.results), "cpu");
    stop_after = 1 << 30;
    assert_int_equal(pricer_price(warm.results), PRICER_OK);
    compare(warm.results, fresh.results, "stopped at the door");
    end(&fresh);
    end_and_close(&warm);
}

/* Wherever risk is stopped, it is computed by the next call, once the prices are asked for. */
TEST(risk_stopped_anywhere)
{
    struct pricer *pricer = open_stopping();
    int stopped = 0;
    struct run whole = price_text(pricer, text, 0, NULL), run = price_text(pricer, text, 0, NULL);
    assert_int_equal(pricer_risk(whole.results), PRICER_OK);
    for (int after = 0; after < 1 << 16; after = 3 * after + 1) {
        asked = 0;
        stop_after = after;
        enum pricer_status status = pricer_risk(run.results);
        stop_after = 1 << 30;
        if (!status) break;
        stopped++;
        assert_int_equal(status, PRICER_INTERRUPTED);
        assert_int_equal(pricer_greeks(run.results), 0);
        assert_int_equal(pricer_price(run.results), PRICER_OK);
        assert_true(pricer_digest(run.results) == pricer_digest(whole.results));
        assert_int_equal(pricer_greeks(run.results), 0);
    }
    assert_true(stopped > 2);
    if (!pricer_greeks(run.results)) assert_int_equal(pricer_risk(run.results), PRICER_OK);
    compare(run.results, whole.results, "risk stopped");
    compare_greeks(run.results, whole.results);
    end(&run);
    end_and_close(&whole);
}

ALL_TESTS(library_warm_test)
