/* Scripts of products that have references of their own: both agree. */
#include "validation/tests/script_paths.h"
#include "validation/tests/reference/reference_scripts.h"
#include "validation/tests/reference/reference_several.h"
#include "validation/tests/with_references.h"

static const char EUROPEAN[] = "product european(asset s; date expiry; number strike)\n"
                               "  at expiry\n"
                               "    pay max(s(expiry) - strike, 0)\n";

static struct trade option_trade(enum product product, double strike)
{
    struct trade trade = fixture_trade(product, strike);
    trade.n_assets = 1;
    trade.cash = 1.0;
    return trade;
}

/* ---- one asset ------------------------------------------------------------------------------- */

TEST(a_european_under_each_model)
{
    for (int m = 0; m < N_MODELS; m++) {
        struct fixture f;
        struct trade trade = option_trade(PRODUCT_EUROPEAN, 95.0);
        fixture_model(&f, (enum model)m);
        scripted_read(EUROPEAN, 1);
        scripted_numbers("expiry=1 strike=95");
        print_message("%s: ", model_name(f.asset.model));
        assert_agrees(&f.market, &trade);
    }
}

static const char ASIAN[] = "product asian(asset s; dates fixings; date expiry; number strike)\n"
                            "  number total = 0\n"
                            "  each t in fixings\n"
                            "    total = total + s(t)\n"
                            "  at expiry\n"
                            "    pay max(total / size(fixings) - strike, 0)\n";

/* Fixings before today are closes of the binding, today's is today's spot. */
TEST(an_asian_with_a_past)
{
    struct fixture f;
    struct trade trade = option_trade(PRODUCT_ASIAN, 97.0);
    double ahead[] = {0.0, 0.25, 0.6, 1.0}, dates[] = {-0.4, -0.1, 0.0, 0.25, 0.6, 1.0},
           closes[] = {90.0, 104.0, NAN, NAN, NAN, NAN};
    fixture_bent(&f, 100.0);
    trade.fixings = (struct schedule){false, 4, ahead};
    trade.past_count = 2;
    trade.past_average = 97.0;
    scripted_read(ASIAN, 1);
    scripted_list("fixings", 6, dates)->closes = closes;
    scripted_numbers("expiry=1 strike=97");
    assert_agree(scripted_price(&f.market, &trade), fixture_price(&f, &trade));
    struct reference out;
    struct message why;
    closes[1] = NAN;
    assert_int_equal(scripted_try(&f.market, &trade, &out, &why), STATUS_FAILED);
    print_message("%s\n", why.text);
    assert_non_null(strstr(why.text, "line 4: the close of asset 1 on date 2 of 'fixings'"));
}

static const char PAYMENT_DATES[] =
    "product dates(asset s; dates fixings; date early, late, expiry)\n"
    "  each t in fixings\n"
    "    if index(t) == 1: pay 3 at early\n"
    "    else: pay s(t) at late\n";

/* The branch that a date does not take pays before that date, and never does. */
TEST(each_fixing_has_a_payment_date_of_its_own)
{
    struct fixture f;
    double dates[] = {0.5, 1.0};
    fixture_flat(&f, 100.0, 0.03, 0.01, 0.2);
    struct trade trade = option_trade(PRODUCT_EUROPEAN, 0.0);
    scripted_read(PAYMENT_DATES, 1);
    scripted_list("fixings", 2, dates);
    scripted_numbers("early=0.6 late=1 expiry=1");
    struct reference exact = {.price = 3.0 * exp(-0.03 * 0.6) + 100.0 * exp(-0.01),
                              .method = "by hand"};
    assert_agree(scripted_price(&f.market, &trade), exact);
}

static const char CLIQUET[] =
    "product cliquet(asset s; dates resets; date start, expiry; number low, high, floor;\n"
    "                money notional)\n"
    "  number level = 0\n"
    "  number total = 0\n"
    "  at start\n"
    "    level = s(start)\n"
    "  each t in resets\n"
    "    total = total + min(max(s(t) / level - 1, low), high)\n"
    "    level = s(t)\n"
    "  at expiry\n"
    "    pay notional * max(total, floor)\n";

TEST(a_cliquet_that_begins_today)
{
    struct fixture f;
    double resets[] = {0.0, 0.25, 0.5, 0.75}, ends[] = {0.25, 0.5, 0.75, 1.0};
    struct trade trade = option_trade(PRODUCT_CLIQUET, 0.0);
    fixture_bent(&f, 100.0);
    trade.resets = (struct schedule){false, 4, resets};
    trade.notional = 1000.0;
    trade.local_floor = -0.02, trade.local_cap = 0.05;
    trade.global_floor = 0.01, trade.global_cap = HUGE_VAL;
    scripted_read(CLIQUET, 1);
    scripted_list("resets", 4, ends);
    scripted_numbers("start=0 expiry=1 low=-0.02 high=0.05 floor=0.01 notional=1000");
    assert_agrees(&f.market, &trade);
}

/* ---- between dates --------------------------------------------------------------------------- */

static const char BARRIER[] =
    "product barrier(asset s; date expiry; number strike, low = 0, high = inf)\n"
    "  at expiry\n"
    "    pay max(s(expiry) - strike, 0) * survives(s, lower = low, upper = high, until = expiry)\n";

/* One bound is met exactly from date to date, two by reflections, jumps in between. */
TEST(barriers_by_survival)
{
    static const struct {
        double low, high;
        enum model model;
    } cases[] = {{85.0, 0.0, MODEL_BLACK_SCHOLES},
                 {0.0, 130.0, MODEL_BLACK_SCHOLES},
                 {80.0, 140.0, MODEL_BLACK_SCHOLES},
                 {85.0, 0.0, MODEL_MERTON},
                 {85.0, 0.0, MODEL_HESTON}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        double low = cases[i].low, high = cases[i].high;
        struct trade trade =
            option_trade(low > 0.0 && high > 0.0 ? PRODUCT_DOUBLE_BARRIER : PRODUCT_BARRIER, 100.0);
        fixture_bent(&f, 100.0);
        f.asset.model = cases[i].model;
        f.asset.jumps = (struct jumps){1.0, -0.05, 0.1};
        f.asset.heston =
            (struct heston){.v0 = 0.04, .kappa = 1.0, .theta = 0.04, .xi = 0.3, .rho = -0.5};
        if (f.asset.model == MODEL_HESTON) f.asset.variance.n = 0;
        trade.knock = KNOCK_OUT;
        trade.direction = low > 0.0 ? DIRECTION_DOWN : DIRECTION_UP;
        trade.monitoring.continuous = true;
        if (trade.product == PRODUCT_BARRIER) trade.barrier = low > 0.0 ? low : high;
        else trade.lower = low, trade.upper = high, trade.direction = DIRECTION_NONE;
        scripted_read(BARRIER, 1);
        scripted_numbers("expiry=1 strike=100");
        scripted_list("low", 1, &low);
        if (high > 0.0) scripted_list("high", 1, &high);
        assert_agrees(&f.market, &trade);
    }
}

static const char LOOKBACK[] = "product lookback(asset s; date expiry)\n"
                               "  at expiry\n"
                               "    pay highest(s, expiry) - s(expiry)\n";

TEST(a_lookback_by_its_highest)
{
    struct fixture f;
    struct trade trade = option_trade(PRODUCT_LOOKBACK, 0.0);
    fixture_bent(&f, 100.0);
    trade.option = OPTION_PUT;
    trade.strike_type = STRIKE_FLOATING;
    trade.monitoring.continuous = true;
    scripted_read(LOOKBACK, 1);
    scripted_numbers("expiry=1");
    assert_agrees(&f.market, &trade);
}

/* ---- several assets -------------------------------------------------------------------------- */

TEST(an_autocallable_on_the_worst_of_three)
{
    struct several m;
    double dates[] = {0.25, 0.5, 0.75, 1.0}, levels[] = {105.0, 100.0, 110.0};
    several_three(&m);
    struct trade trade = several_trade(&m, PRODUCT_AUTOCALLABLE, 3, 1.0, 0.0);
    trade.observations = (struct schedule){false, 4, dates};
    trade.call_level = 1.0, trade.coupon_level = 0.8, trade.protection_level = 0.7;
    trade.coupon = 0.02, trade.notional = 1000.0, trade.memory = true;
    trade.initial = levels;
    trade.payment_lag = 0.01;
    scripted_read(AUTOCALLABLE_SCRIPT, 3);
    scripted_list("observations", 4, dates);
    scripted_list("initial", 3, levels);
    scripted_numbers("expiry=1 call=1 coupon=0.02 floor=0.7 coupon_at=0.8 memory=1 notional=1000");
    assert_agrees(&m.market, &trade);
}

TEST(a_quanto_with_cash_dividends)
{
    for (int quanto = 0; quanto < 2; quanto++) {
        struct several m;
        struct cash_dividend dividends[] = {{0.3, 3.0}, {1.0, 2.0}};
        several_three(&m);
        m.assets[2].foreign_currency = 1; /* the exchange rate of the second currency */
        struct trade trade = several_trade(&m, PRODUCT_EUROPEAN, 1, 1.0, 90.0);
        trade.option = OPTION_CALL;
        if (quanto) m.assets[0].currency = 1, trade.quanto = (struct quanto){1, {2}};
        m.assets[0].n_dividends = 2, m.assets[0].dividends = dividends;
        scripted_read(EUROPEAN, 1);
        scripted_numbers("expiry=1 strike=90");
        assert_agrees(&m.market, &trade);
    }
}

/* ---- scenarios ------------------------------------------------------------------------------- */

static const char STARTED[] =
    "product started(asset s; date start, expiry)\n"
    "  number level = 0\n"
    "  at start\n"
    "    level = s(start)\n"
    "    pay 5\n"
    "  at expiry\n"
    "    pay years(start, expiry) * max(s(expiry) - level, 0) + s(start) - spot(s)\n";

/* What today fixes and pays stays, wherever the market goes; dates come nearer, years that are
 * counted stay. */
TEST(today_is_fixed_and_dates_come_nearer)
{
    static const char *const texts[] = {STARTED, LOOKBACK};
    struct reference_shock up = {
        .what = REFERENCE_SHOCK_SPOT, .target = -1, .date = -1, .strike = -1, .amount = -0.1};
    struct reference_scenario scenario = {1, &up, 0.2, 0};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        struct effort effort = effort_full(NULL);
        struct reference walked = {0}, exact;
        struct message why;
        struct trade trade = option_trade(i ? PRODUCT_LOOKBACK : PRODUCT_EUROPEAN, 100.0);
        effort.work = SCRIPTED_WORK;
        fixture_bent(&f, 100.0);
        if (i) {
            trade.option = OPTION_PUT;
            trade.strike_type = STRIKE_FLOATING;
            trade.monitoring.continuous = true;
        }
        scripted_read(texts[i], 1);
        scripted_numbers(i ? "expiry=1" : "start=0 expiry=1");
        struct trade scripted = scripted_trade(&trade);
        assert_ok(
            reference_scenario_price(&f.market, &scenario, &scripted, &effort, &walked, &why));
        assert_ok(reference_scenario_price(&f.market, &scenario, &trade, NULL, &exact, &why));
        if (!i) exact.price += 5.0;
        assert_agree(walked, exact);
    }
}

/* What no branch has assigned is 0, also where the other branch would have. */
TEST(a_name_is_nothing_until_it_is_assigned)
{
    struct fixture f;
    struct trade trade = option_trade(PRODUCT_DIGITAL, 100.0);
    trade.cash = 3.0;
    fixture_flat(&f, 100.0, 0.03, 0.0, 0.2);
    scripted_read("product digital(asset s; date expiry)\n"
                  "  at expiry\n"
                  "    if s(expiry) > 100: z = 3\n"
                  "    pay z\n",
                  1);
    scripted_numbers("expiry=1");
    assert_agrees(&f.market, &trade);
}

/* What is known, and what was paid before today, is no part of a price. */
TEST(a_script_that_has_stopped)
{
    struct fixture f;
    double dates[] = {-0.5, 0.5}, closes[] = {120.0, NAN};
    struct trade trade = option_trade(PRODUCT_EUROPEAN, 0.0);
    fixture_flat(&f, 100.0, 0.03, 0.0, 0.2);
    scripted_read("product called(asset s; dates calls; date expiry; number level)\n"
                  "  each t in calls\n"
                  "    if s(t) >= level: pay 100; pay 7 at expiry; stop\n"
                  "  at expiry\n"
                  "    pay s(expiry)\n",
                  1);
    scripted_list("calls", 2, dates)->closes = closes;
    scripted_numbers("expiry=1 level=110");
    struct reference out = scripted_price(&f.market, &trade);
    assert_close(out.price, 7.0 * exp(-0.03), 1e-12);
    assert_true(out.error < 1e-9);
}

/* What takes too long is said before it does. */
TEST(a_script_without_end_is_refused)
{
    struct several m;
    struct reference out;
    struct message why;
    double dates[250];
    several_three(&m);
    for (int i = 0; i < 250; i++) dates[i] = (i + 1) / 250.0;
    struct trade trade = several_trade(&m, PRODUCT_BASKET, 3, 1.0, 0.0);
    scripted_read("product long(assets basket; dates days; date expiry)\n"
                  "  number total = 0\n"
                  "  each t in days\n"
                  "    total = total + sum(sum(sum(sum(years(u, v) + years(w, x) for x in days)\n"
                  "                                for w in days) for v in days) for u in days)\n"
                  "  at expiry\n"
                  "    pay total\n",
                  3);
    scripted_list("days", 250, dates);
    scripted_numbers("expiry=1");
    assert_int_equal(scripted_try(&m.market, &trade, &out, &why), STATUS_FAILED);
    print_message("%s\n", why.text);
    assert_non_null(strstr(why.text, "operations; its budget is"));
}

/* ---- exercise -------------------------------------------------------------------------------- */

static const char BERMUDAN[] =
    "product bermudan(assets basket; dates exercises; date expiry; number strike)\n"
    "  each t in exercises\n"
    "    exercise holder pays max(strike - min(a(t) for a in basket), 0)\n";

/* A lower bound, not far below. */
TEST(bermudan_puts_on_one_asset_and_on_the_worst_of_two)
{
    double dates[] = {0.0, 0.25, 0.5, 0.75, 1.0};
    for (int n = 1; n <= 2; n++) {
        struct several m;
        several_three(&m);
        struct trade trade = several_trade(&m, PRODUCT_AMERICAN, n, 1.0, 105.0);
        trade.kind = n > 1 ? BASKET_WORST_OF : BASKET_AVERAGE;
        trade.option = OPTION_PUT;
        trade.exercise = (struct schedule){false, 5, dates};
        scripted_read(BERMUDAN, n);
        scripted_list("exercises", 5, dates);
        scripted_numbers("expiry=1 strike=105");
        struct reference walked = scripted_price(&m.market, &trade),
                         exact = several_price(&m, &trade);
        assert_agree(walked, exact);
        assert_true(walked.price < exact.price + 2.0 * walked.error);
    }
}

static const char CALLABLE[] =
    "product callable(asset s; dates calls; date expiry; number coupon; money notional)\n"
    "  each t in calls\n"
    "    pay notional * coupon\n"
    "    exercise issuer pays notional\n"
    "  at expiry\n"
    "    pay notional * min(s(expiry) / spot(s), 1)\n";

/* An issuer whose coupons are above every rate calls at once, and one who is to pay too much
 * never. */
TEST(an_issuer_calls_what_is_dear)
{
    struct fixture f;
    struct trade trade = option_trade(PRODUCT_EUROPEAN, 0.0);
    double dates[] = {0.25, 0.5, 0.75};
    fixture_flat(&f, 100.0, 0.03, 0.0, 1e-4);
    for (int dear = 0; dear < 2; dear++) {
        scripted_read(CALLABLE, 1);
        scripted_list("calls", 3, dates);
        scripted_numbers("expiry=1 notional=1000");
        scripted_numbers(dear ? "coupon=0.05" : "coupon=0");
        struct reference walked = scripted_price(&f.market, &trade);
        double right = dear ? 1050.0 * exp(-0.03 * 0.25) : 1000.0 * exp(-0.03);
        assert_close(walked.price, right, 0.1);
    }
}

static const char LOCKED[] = "product locked(asset s; dates q; date expiry)\n"
                             "  flag locked = false\n"
                             "  each t in q\n"
                             "    if s(t) >= 112: locked = true\n"
                             "    if locked or s(t) >= 90: pay 1.8\n"
                             "    if not last(t): exercise issuer pays 100\n"
                             "  at expiry\n"
                             "    pay 100 if locked else min(s(expiry), 100)\n";

/* An issuer's calls turn on a state that jumps: by a lattice the note is worth 92.709. */
TEST(an_issuer_calls_what_is_locked_in)
{
    struct fixture f;
    struct trade trade = option_trade(PRODUCT_EUROPEAN, 0.0);
    double dates[] = {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0};
    fixture_flat(&f, 100.0, 0.02, 0.03, 0.2);
    scripted_read(LOCKED, 1);
    scripted_list("q", 8, dates);
    scripted_numbers("expiry=2");
    struct reference walked = scripted_price(&f.market, &trade);
    print_message("%g +- %g\n", walked.price, walked.error);
    assert_true(fabs(walked.price - 92.709) < fmin(3.0 * walked.error, 0.1));
}

ALL_TESTS_BETWEEN(reference_script_test, begin_references, NULL)
