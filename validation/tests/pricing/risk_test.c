/* Greeks, profit and loss and value at risk against closed forms, and the honesty of their error
 * bars. */
#include "app/pricing/risk/pnl/value_at_risk.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/pricing/risk_book.h"

/* ---- books ----------------------------------------------------------------------------------- */

#define EUROPEANS                                                                                  \
    "european: id asset  option strike expiry quantity\n"                                          \
    "          ac A      call   105    1      -\n"                                                 \
    "          ap A      put    95     0.1    -2\n"                                                \
    "          bc B      call   50     0.7    3\n"                                                 \
    "          fx EURUSD put    1.12   0.5    40\n"

#define AMERICAN                                                                                   \
    "american: id       asset option strike exercise expiry\n"                                     \
    "          american A     put    100    12       1\n"

#define OTHERS                                                                                     \
    "digital: id      asset option strike payout cash expiry\n"                                    \
    "         digital A     put    100    cash   10   1\n"                                         \
    "         asset   B     call   55     asset  -    1.5\n"                                       \
    "asian: id        asset option averaging strike_type strike fixings expiry\n"                  \
    "       geometric A     call   geometric fixed       100    12      1\n"                       \
    "barrier: id      asset option strike barrier direction knock monitoring expiry\n"             \
    "         barrier A     call   100    85      down      out   continuous 1\n"                  \
    "touch: id    asset touch barrier direction cash pay_at monitoring expiry\n"                   \
    "       touch A     one   120     up        10   expiry continuous 1\n"                        \
    "lookback: id       asset option strike_type strike monitoring expiry\n"                       \
    "          lookback A     call   fixed       100    continuous 1\n"                            \
    "forward_start: id      asset option start strike_ratio expiry\n"                              \
    "               forward B     call   0.5   1            1.5\n"                                 \
    "spread: id       assets    weights option strike expiry\n"                                    \
    "        exchange ['A','B'] [1,-2]  call   0      1\n"                                         \
    "basket: id    assets    kind     weights option strike expiry\n"                              \
    "        worst ['A','B'] worst_of [1,2]   call   90     1\n"                                   \
    "american: id       asset option strike exercise expiry\n"                                     \
    "          american A     put    100    12       1\n"                                          \
    "variance_swap: id       asset strike_volatility fixings notional expiry\n"                    \
    "               variance B     0.25              12      100      1\n"

/* ---- Greeks ---------------------------------------------------------------------------------- */

/* Every Greek of every trade has a reference and lies within 4 standard errors of it; those of
 * smooth payoffs have small ones: 0.002 for a delta at 2^20 paths, which is 0.004 at 2^18. */
TEST(test_greeks)
{
    struct night night;
    int checked = 0;
    make_checked_night("paths = 262144;" GREEKS, EUROPEANS OTHERS, "", &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 0; i < night.book.n_trades; i++) {
            const struct greek_value *greek = risk_greek(&night.risk, s, i);
            const struct trade *trade = &night.book.trades[i];
            if (isnan(greek->value) || !strcmp(greek->method, "after expiry")) continue;
            assert_good(&night, s, i, !isnan(greek->reference));
            if (greek->reference == 0.0 && fabs(greek->value) < greek->reference_error) continue;
            assert_good(&night, s, i, fabs(greek->z) < 4.0);
            bool jumps = trade->product == PRODUCT_DIGITAL || trade->product == PRODUCT_AMERICAN;
            if (night.risk.sensitivities[s].greek == GREEK_DELTA && !jumps)
                assert_true(greek->std_error <= 0.004 * fabs(trade->quantity));
            checked++;
        }
    assert_true(checked > 100);
    assert_string_equal(greek_named(&night.risk, "gamma:A", 4)->method, "likelihood ratio");
    assert_true(isnan(greek_named(&night.risk, "delta:B", 0)->value));
    free_night(&night);
}

/* Digitals in the money, each before the one out of it that makes up what is certain. */
#define DEEP                                                                                       \
    "digital: id asset option strike payout cash expiry\n"                                         \
    "         a  A     call   97     cash   10   0.004\n"                                          \
    "         b  A     put    97     cash   10   0.004\n"                                          \
    "         c  A     call   95     asset  -    0.01\n"                                           \
    "         d  A     put    95     asset  -    0.01\n"                                           \
    "         e  B     put    95     cash   10   1\n"                                              \
    "         f  B     call   95     cash   10   1\n"

/* A digital deep in the money is what is certain less one out of the money: its Greeks have no
 * larger errors, and none is beyond 4 of them. */
TEST(test_deep_digitals)
{
    struct night night;
    int compared = 0;
    make_checked_night("paths = 65536;" GREEKS, DEEP, "", &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 0; i < night.book.n_trades; i++) {
            const struct greek_value *greek = risk_greek(&night.risk, s, i);
            if (isnan(greek->reference)) continue;
            assert_good(&night, s, i, fabs(greek->z) < 4.0);
            if (i % 2 == 0)
                assert_good(&night, s, i,
                            greek->std_error <=
                                1.01 * risk_greek(&night.risk, s, i + 1)->std_error);
            compared += i % 2 == 0;
        }
    assert_true(compared >= 3 * 4);
    free_night(&night);
}

/* Greeks of a put on a surface, planted wrong by a fifth. The reference of its delta is good enough
 * to find it; that of its gamma, which magnifies what a surface is smoothed by, is not: it checks
 * nothing and is not counted, unless the two are far apart. */
TEST(test_wrong_greeks)
{
    static const char *const names[] = {"delta:DAX", "vega:DAX", "gamma:DAX", "gamma:DAX"};
    static const double factors[] = {1.2, 1.2, 1.2, 100.0};
    static const int checked[] = {3, 3, 3, 4};
    struct book book;
    read_file("inputs/desk.cfg", &book);
    int n_trades = book.n_trades;
    assert_string_equal(book.trades[0].id, "DX-01");
    book.n_trades = 1;
    book.settings.paths = 262144;
    book.risk.greeks = 1u << GREEK_DELTA | 1u << GREEK_GAMMA | 1u << GREEK_VEGA | 1u << GREEK_THETA;
    for (int i = 0; i < 4; i++) {
        struct risk risk;
        make(&book, 1, &risk);
        struct greek_value *wrong = NULL;
        for (int s = 0; s < risk.n_sensitivities; s++)
            if (!strcmp(risk.sensitivities[s].name, names[i])) wrong = risk_own_greek(&risk, s, 0);
        assert_non_null(wrong);
        wrong->value *= factors[i];
        check(&book, &risk);
        struct greek_counts counts = greeks_count(&risk);
        print_greek(book.trades[0].id, names[i], wrong, wrong->value / factors[i]);
        assert_int_equal(counts.all, 4);
        assert_true(isfinite(wrong->reference));
        bool vague = factors[i] < 2.0 && names[i][0] == 'g';
        assert_int_equal(isnan(wrong->z), vague);
        assert_int_equal(counts.beyond, !vague);
        assert_int_equal(counts.checked, checked[i]);
        risk_free(&risk);
    }
    book.n_trades = n_trades;
    book_free(&book);
}

/* ---- profit and loss ------------------------------------------------------------------------- */

static double closed_form(const struct market *market, const struct trade *trade)
{
    return trade->quantity * reference_for(market, trade).price;
}

/* What a trade makes in a scenario, by the references' prices; in the reporting currency EUR where
 * asked. */
static double exact_pnl(const struct book *book, int i, const struct scenario_request *scenario,
                        bool in_eur)
{
    struct shocked_market shocked;
    const struct trade *trade = &book->trades[i];
    assert_ok(shock_market(&book->market, scenario->n_shocks, scenario->shocks, &shocked, &said));
    bool convert = in_eur && trade->asset == 2;
    double then =
        closed_form(&shocked.market, trade) / (convert ? shocked.market.assets[2].spot : 1.0);
    double today =
        closed_form(&book->market, trade) / (convert ? book->market.assets[2].spot : 1.0);
    shocked_market_free(&shocked);
    return then - today;
}

#define SCENARIOS                                                                                  \
    "risk = { paths = 65536; scenarios = ("                                                        \
    "{ name = 'crash'; shocks = ( { asset = '*'; spot = -0.2; volatility = 0.1; }, "               \
    "{ currency = 'EUR'; rate = -0.01; } ); },"                                                    \
    "{ name = 'dollar'; shocks = ( { asset = 'EURUSD'; spot = 0.05; } ); } ); grids = ("           \
    "{ name = 'ladder'; asset = '?'; spots = [-0.1, 0.0, 0.1]; volatilities = [-0.05, 0.0, "       \
    "0.05]; }"                                                                                     \
    "); };"

TEST(test_scenarios)
{
    struct night night;
    make_night("paths = 65536;", EUROPEANS, SCENARIOS, &night);
    const struct risk *risk = &night.risk;
    const struct pnl *totals = risk->aggregates[0].scenarios;
    int n = risk->n_trades;
    assert_int_equal(night.book.risk.n_scenarios, 11);
    assert_string_equal(risk->scenario_names[2], "ladder spot -10% vol -5%");
    assert_string_equal(risk->aggregates[0].name, "total");
    for (int s = 0; s < risk->n_scenarios; s++) {
        double total = 0.0;
        for (int i = 0; i < n; i++) {
            struct pnl pnl = risk->scenarios[s * n + i];
            double exact = exact_pnl(&night.book, i, &night.book.risk.scenarios[s], false);
            total += exact_pnl(&night.book, i, &night.book.risk.scenarios[s], true);
            assert_true(fabs(pnl.value - exact) <= 4.0 * pnl.std_error + 1e-9);
        }
        assert_true(fabs(totals[s].value - total) <= 4.5 * totals[s].std_error + 1e-9);
    }
    /* The middle of the grid moves nothing, the dollar's rise no trade on A or B. */
    assert_true(totals[6].value == 0.0 && risk->scenarios[n].value == 0.0);
    assert_true(totals[6].std_error == 0.0);
    for (int i = 0; i < n; i++) {
        struct pnl none = risk->scenarios[6 * n + i];
        assert_true(none.value == 0.0 && !signbit(none.value) && none.std_error == 0.0);
    }
    assert_true(risk->scenarios[n + 3].value < 0.0);
    free_night(&night);
}

/* The total of an asset that has one trade has the trade's own error, from one chunk of paths as
 * well, which says nothing of the spread of others. */
TEST(test_totals_of_one_trade)
{
    struct night night;
    make_night("paths = 1024;", EUROPEANS,
               "risk = { paths = 1024; scenarios = ( { name = 'dollar'; shocks = ( "
               "{ asset = 'EURUSD'; spot = 0.05; }, { asset = 'B'; spot = -0.1; } ); } ); };",
               &night);
    const struct risk *risk = &night.risk;
    double of_fx = risk->scenarios[3].std_error;
    assert_true(isinf(risk->aggregates[0].scenarios[0].std_error));
    for (int a = 0; a < risk->n_aggregates; a++) {
        double error = risk->aggregates[a].scenarios[0].std_error;
        if (!strcmp(risk->aggregates[a].name, "B"))
            assert_true(error == risk->scenarios[2].std_error && error > 0.0);
        if (!strcmp(risk->aggregates[a].name, "EURUSD")) /* whose dollars become fewer euros */
            assert_true(error > of_fx / 1.155 && error < of_fx);
    }
    free_night(&night);
}

#define FAR(strike)                                                                                \
    "{ id = '" strike "'; type = 'european'; asset = 'A'; option = 'call'; strike = " strike       \
    "; expiry = 1.0; }"

/* P&L of calls that hardly pay, from 4096 paths, beside Black's over 200 seeds: each of them, and
 * the book's, whose trades draw the same paths, lies within its error. */
TEST(test_seldom)
{
    enum { SCENARIO = 4, CALLS = 4 };
    struct book book;
    struct z_of_seeds z[SCENARIO][CALLS + 1] = {{{.largest = 0.0}}};
    double exact[SCENARIO][CALLS + 1] = {{0.0}};
    int failures = 0;
    load("paths = 4096;", FAR("170") "," FAR("200") "," FAR("240") "," FAR("241"),
         "risk = { paths = 4096; scenarios = ("
         "{ name = 'up'; shocks = ( { asset = 'A'; spot = 0.02; } ); },"
         "{ name = 'far up'; shocks = ( { asset = '*'; spot = 0.1; } ); },"
         "{ name = 'wild'; shocks = ( { asset = 'A'; volatility = 0.02; } ); },"
         "{ name = 'rates'; shocks = ( { currency = 'EUR'; rate = 0.01; } ); } ); };",
         &book);
    assert_true(book.n_trades == CALLS && book.risk.n_scenarios == SCENARIO);
    for (int s = 0; s < SCENARIO; s++)
        for (int i = 0; i < CALLS; i++) {
            exact[s][i] = exact_pnl(&book, i, &book.risk.scenarios[s], false);
            exact[s][CALLS] += exact[s][i];
        }
    for (uint64_t seed = 1; seed <= SEEDS_OF_Z; seed++) {
        struct risk risk;
        make(&book, seed, &risk);
        for (int s = 0; s < SCENARIO; s++)
            for (int i = 0; i <= CALLS; i++) {
                struct pnl pnl =
                    i < CALLS ? risk.scenarios[s * CALLS + i] : risk.aggregates[0].scenarios[s];
                add_z(&z[s][i], (pnl.value - exact[s][i]) / pnl.std_error);
            }
        risk_free(&risk);
    }
    for (int s = 0; s < SCENARIO; s++)
        for (int i = 0; i <= CALLS; i++)
            failures += !has_honest_error(&z[s][i], book.risk.scenarios[s].name,
                                          i < CALLS ? book.trades[i].id : "all");
    book_free(&book);
    assert_int_equal(failures, 0);
}

/* ---- value at risk --------------------------------------------------------------------------- */

enum { DAYS = 120, SEEDS = 200 };

/* Days of a made-up past: spots and volatilities move. */
static void make_days(struct book *book)
{
    unsigned short seed[3] = {5, 6, 7};
    book->risk.n_days = DAYS;
    book->risk.days = calloc(DAYS, sizeof *book->risk.days);
    for (int d = 0; d < DAYS; d++) {
        struct scenario_request *day = &book->risk.days[d];
        day->name = strdup("day");
        day->n_shocks = 4;
        day->shocks = calloc(4, sizeof *day->shocks);
        for (int a = 0; a < 3; a++)
            day->shocks[a] =
                (struct shock){SHOCK_SPOT, a, EVERY, EVERY, EVERY, 0.12 * (erand48(seed) - 0.5)};
        day->shocks[3] =
            (struct shock){SHOCK_VOLATILITY, 0, EVERY, EVERY, EVERY, 0.04 * (erand48(seed) - 0.5)};
    }
    book->risk.n_confidences = 2;
    book->risk.confidences[0] = 0.9;
    book->risk.confidences[1] = 0.95;
    book->risk.paths = book->settings.paths;
}

/* The interval that the simulation's error gives holds the value at risk of closed forms as often
 * as it says, and so does that of a single trade. */
TEST(test_value_at_risk)
{
    struct book book;
    struct pnl total[DAYS] = {{0}}, trade[DAYS];
    struct value_at_risk exact, exact_trade;
    int var = 0, shortfall = 0, of_trade = 0;
    load("paths = 4096;", EUROPEANS, "", &book);
    make_days(&book);
    for (int d = 0; d < DAYS; d++) {
        for (int i = 0; i < book.n_trades; i++)
            total[d].value += exact_pnl(&book, i, &book.risk.days[d], true);
        trade[d] = (struct pnl){exact_pnl(&book, 0, &book.risk.days[d], false), 0.0};
    }
    const struct past_days past = {.n = DAYS, .days = total},
                           past_trade = {.n = DAYS, .days = trade};
    assert_ok(value_at_risk_make(&past, 0.9, &exact));
    assert_ok(value_at_risk_make(&past_trade, 0.9, &exact_trade));
    for (int s = 0; s < SEEDS; s++) {
        struct risk risk;
        make(&book, 1000 + (uint64_t)s, &risk);
        const struct value_at_risk *value_at_risk = &risk.aggregates[0].values_at_risk[0],
                                   *own = &risk.values_at_risk[0];
        assert_true(value_at_risk->var_low <= exact.var && exact.var <= value_at_risk->var_high);
        var += fabs(value_at_risk->var - exact.var) <= 1.96 * value_at_risk->var_error;
        shortfall += fabs(value_at_risk->shortfall - exact.shortfall) <=
                     1.96 * value_at_risk->shortfall_error; /* both from 4 chunks */
        of_trade += fabs(own->var - exact_trade.var) <= 1.96 * own->var_error;
        risk_free(&risk);
    }
    print_message("within 95 %% intervals: %d, %d and %d of %d\n", var, shortfall, of_trade, SEEDS);
    assert_in_range(of_trade, 179, 199);
    assert_in_range(var, 179, 199);
    assert_in_range(shortfall, 179, 199);
    book_free(&book);
}

/* A signal ends the fits of early exercise that planning a call holds: nothing else looks at it
 * here. */
TEST(test_signal)
{
    struct book book;
    load("paths = 4096;", AMERICAN, "", &book);
    const struct engine_options options = {.kernel = "auto", .threads = 2, .stop = &stop_at_once};
    struct valuer valuer = valuer_of(&book, 1);
    valuer.options = &options;
    const struct contrast value = {1, {{0, 1.0}}};
    struct revaluation revaluation = {.valuer = valuer,
                                      .contrasts = {.n_contrasts = 1, .contrasts = &value}};
    assert_ok(revaluation_add(&revaluation, 0, NULL, (struct scenario){0}));
    assert_int_equal(revaluation_prepare(&revaluation, &said), STATUS_INTERRUPTED);
    revaluation_free(&revaluation);
    book_free(&book);
}

/* ---- the table of Greeks --------------------------------------------------------------------- */

enum { TABLE_TRADES = 5, TABLE_SENSITIVITIES = 7, TABLE_ROWS = 8 };

/* Of trade 3 there are none. */
static bool has_number(const void *context, int sensitivity, int trade)
{
    (void)context;
    return trade != 3 && (sensitivity * 5 + trade * 3) % 4 < 2;
}

static void assert_table(const struct risk *risk, const int *trade_of)
{
    for (int t = 0; t < risk->n_trades; t++)
        for (int s = 0; s < TABLE_SENSITIVITIES; s++) {
            bool there = trade_of[t] >= 0 && has_number(NULL, s, trade_of[t]);
            const struct greek_value *greek = risk_greek(risk, s, t);
            assert_ptr_equal(risk_own_greek(risk, s, t), there ? greek : NULL);
            if (there) assert_true(greek->value == 100.0 * s + trade_of[t]);
            else assert_true(isnan(greek->value) && isnan(greek->z));
        }
}

TEST(test_table_of_greeks)
{
    static const int row_of[TABLE_TRADES] = {1, 2, 4, 5, 7}, same[TABLE_TRADES] = {0, 1, 2, 3, 4},
                     spread[TABLE_ROWS] = {-1, 0, 1, -1, 2, 3, -1, 4};
    struct risk risk = {.n_trades = TABLE_TRADES};
    assert_null(risk_own_greek(&risk, 0, 0)); /* no table yet */
    risk.n_sensitivities = TABLE_SENSITIVITIES;
    risk.sensitivities = calloc(TABLE_SENSITIVITIES, sizeof *risk.sensitivities);
    assert_ok(risk_lay_out_greeks(&risk, has_number, NULL));
    assert_true(isnan(risk_greek(&risk, 0, 0)->value));
    for (int t = 0; t < TABLE_TRADES; t++)
        for (int s = 0; s < TABLE_SENSITIVITIES; s++)
            if (has_number(NULL, s, t)) risk_own_greek(&risk, s, t)->value = 100.0 * s + t;
    assert_table(&risk, same);
    assert_ok(risk_spread(&risk, TABLE_ROWS, row_of));
    assert_int_equal(risk.n_trades, TABLE_ROWS);
    assert_table(&risk, spread);
    risk_free(&risk);
}

ALL_TESTS_BETWEEN(risk_test, begin_references, NULL)
