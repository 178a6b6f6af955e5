/* Which path kernel simulates a group: said by the engines without a device, the same as they then
 * do. The CUDA part needs a build with CUDA, no GPU. */
#include "validation/tests/price_trades.h"
#include "validation/tests/written_book.h"

/* Plans a book of assets A (black_scholes), H (heston) and L (local_vol), and this trade. */
static void plan_trade(const char *trade, bool points, struct book *book, struct plan *plan)
{
    read_written(
        text_of(
            "market = { correlation_default = 0; currencies = ( { name = 'USD'; rate = 0.05; } );"
            "assets = ( { name = 'A'; currency = 'USD'; spot = 100.0; volatility = 0.2; },"
            "{ name = 'B'; currency = 'USD'; spot = 100.0; volatility = 0.2; },"
            "{ name = 'H'; currency = 'USD'; spot = 100.0; model = 'heston'; heston = { v0 = "
            "0.04; kappa = 1.5; theta = 0.04; xi = 0.3; rho = -0.7; }; } ); };"
            "book = { trades = ( { id = 't'; %s } ); };",
            trade),
        book);
    const struct plan_settings settings = {
        .paths = 16384, .seed = 1, .max_step = 0.004, .points = points};
    plan_trades(&book->market, book->n_trades, book->trades, &settings, plan);
    assert_int_equal(plan->n_groups, 1);
}

static void expect_route(const struct engine *engine, const char *trade, const char *kernel,
                         bool points, const char *expected)
{
    struct book book;
    struct plan plan;
    struct route route;
    const struct engine_options options = {.kernel = kernel};
    plan_trade(trade, points, &book, &plan);
    assert_ok(engine->route(&plan, 0, &options, &route, &said));
    assert_string_equal(route.kernel, expected);
    assert_true(strlen(route.why) > 0);
    plan_free(&plan);
    book_free(&book);
}

#define ASIAN                                                                                      \
    "type = 'asian'; asset = 'A'; option = 'call'; averaging = 'arithmetic'; strike_type "         \
    "= 'fixed'; strike = 100.0; fixings = 252; expiry = 1.0;"
#define BARRIER                                                                                    \
    "type = 'barrier'; asset = 'A'; option = 'call'; strike = 100.0; barrier = 80.0; "             \
    "direction = 'down'; knock = 'out'; monitoring = 252; expiry = 1.0;"
#define BASKET                                                                                     \
    "type = 'basket'; assets = ['A', 'B']; kind = 'average'; option = 'call'; strike = "           \
    "100.0; expiry = 1.0;"
#define HESTON "type = 'european'; asset = 'H'; option = 'call'; strike = 100.0; expiry = 1.0;"

#define SCRIPT                                                                                     \
    "script = 'product s(asset u; date expiry)\\n  at expiry: pay u(expiry)'; asset = 'A'; "       \
    "expiry = 1.0;"

TEST(the_cpu_says_its_build)
{
    struct route route;
    const struct engine_options unknown = {.kernel = "nothing"};
    expect_route(&cpu_engine, ASIAN, "plain", false, "plain");
    expect_route(&cpu_engine, BASKET, "baseline", true, "baseline");
    assert_int_equal(cpu_engine.route(NULL, 0, &unknown, &route, &said), STATUS_BAD_INPUT);
}

TEST(the_gpu_says_its_path_code)
{
    static const struct {
        const char *trade, *kernel, *expected;
        bool points;
    } rows[] = {
        {ASIAN, "auto", "fused, specialised once that pays, or plain", false},
        {ASIAN, "fused:general", "fused:general, plain", false},
        {ASIAN, "fused:specialised", "fused:specialised, specialised if it compiles, or plain",
         false},
        {ASIAN, "auto", "optimized, specialised once that pays, or plain", true},
        {BARRIER, "wide", "wide, its own", false},
        {BASKET, "optimized", "optimized, specialised once that pays, or plain", false},
        {BASKET, "baseline", "baseline, its own", false},
        {HESTON, "wide", "wide, plain", false},
        {SCRIPT, "auto",
         "fused, specialised once that pays, or plain; programs interpreted until compiled", false},
        {SCRIPT, "fused:general", "fused:general, plain; programs interpreted", false},
        {SCRIPT, "optimized:specialised",
         "optimized:specialised, specialised if it compiles, or plain; programs compiled", false},
        {SCRIPT, "wide", "wide, its own; programs interpreted", false},
    };
    struct route route;
    const struct engine_options unknown = {.kernel = "nothing"};
    if (!PRICER_HAVE_CUDA) skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_route(&cuda_engine, rows[i].trade, rows[i].kernel, rows[i].points, rows[i].expected);
    assert_int_equal(cuda_engine.route(NULL, 0, &unknown, &route, &said), STATUS_BAD_INPUT);
}

ALL_TESTS(route_test)
