/* Greeks of early exercise, held against differences of prices by finite differences, of two assets
 * by convolutions: right within errors that are small. With --long over 40 seeds, under more
 * models. */
#define MARKET                                                                                     \
    "market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0.05; },"           \
    "{ name = 'USD'; curve = { times = [0.5, 1.0]; zero_rates = [0.0, 0.05]; }; },"                \
    "{ name = 'GBP'; curve = { times = [0.25, 0.5, 1.0]; zero_rates = [0.03, 0.03, 0.03]; }; },"   \
    "{ name = 'LOW'; rate = 0.02; } ); assets = ("                                                 \
    "{ name = 'E'; currency = 'GBP'; spot = 100.0; volatility = 0.25;"                             \
    "  cash_dividends = ( { time = 0.3; amount = 3.0; }, { time = 0.8; amount = 3.0; } ); },"      \
    "{ name = 'F'; currency = 'GBP'; spot = 100.0; volatility = 0.3;"                              \
    "  cash_dividends = ( { time = 0.5; amount = 2.0; } ); },"                                     \
    "{ name = 'Z'; currency = 'USD'; spot = 100.0; volatility = 0.25; },"                          \
    "{ name = 'Y'; currency = 'EUR'; spot = 100.0; volatility = 0.25;  dividend_curve = { "        \
    "times = [0.5, 1.0]; yields = [0.0, 0.06]; }; },"                                              \
    "{ name = 'A'; currency = 'EUR'; spot = 100.0; volatility = 0.2; },"                           \
    "{ name = 'D'; currency = 'EUR'; spot = 100.0; volatility = 0.25;"                             \
    "  cash_dividends = ( { time = 0.3; amount = 2.0; }, { time = 0.8; amount = 2.0; } ); },"      \
    "{ name = 'H'; currency = 'EUR'; spot = 100.0; model = 'heston';"                              \
    "  heston = { v0 = 0.04; kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.7; }; },"               \
    "{ name = 'M'; currency = 'EUR'; spot = 100.0; model = 'merton'; volatility = 0.2;"            \
    "  jumps = { intensity = 0.3; mean = -0.15; stdev = 0.15; }; },"                               \
    "{ name = 'V'; currency = 'EUR'; spot = 100.0; model = 'local_vol'; volatility = {"            \
    "  times = [0.25, 1.0]; strikes = [80.0, 100.0, 120.0];"                                       \
    "  vols = ([0.3, 0.25, 0.22], [0.28, 0.24, 0.22]); }; },"                                      \
    "{ name = 'P'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.04;"                         \
    "  volatility = 0.15; },"                                                                      \
    "{ name = 'S'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.04;"                         \
    "  volatility = 0.3; },"                                                                       \
    "{ name = 'W'; currency = 'EUR'; spot = 100.0; volatility = 0.35; },"                          \
    "{ name = 'I'; currency = 'EUR'; spot = 100.0; model = 'heston';"                              \
    "  heston = { v0 = 0.04; kappa = 1.5; theta = 0.06; xi = 0.6; rho = -0.7; }; },"               \
    "{ name = 'J'; currency = 'EUR'; spot = 100.0; model = 'heston';"                              \
    "  heston = { v0 = 0.09; kappa = 1.0; theta = 0.06; xi = 0.5; rho = -0.5; }; },"               \
    "{ name = 'X'; currency = 'EUR'; spot = 105.0; volatility = 0.2; },"                           \
    "{ name = 'R'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.03; model = 'historical';"   \
    "  volatility = 0.25; history = { block = 1; returns = [-0.03, -0.02, -0.01, 0.0, 0.0, 0.01, " \
    "  0.02, 0.03]; }; },"                                                                         \
    "{ name = 'T'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.03; volatility = 0.25; },"   \
    "{ name = 'L'; currency = 'LOW'; spot = 100.0; dividend_yield = 0.04; model = 'heston';"       \
    "  heston = { v0 = 0.09; kappa = 1.0; theta = 0.09; xi = 1.0; rho = -0.3; }; },"               \
    "{ name = 'K'; currency = 'EUR'; spot = 100.0; volatility = 0.2; cash_dividends = ("           \
    "  { time = 0.3; amount = 3.0; }, { time = 0.9; amount = 3.0; }, { time = 1.4; amount = 3.0; " \
    "},"                                                                                           \
    "  { time = 2.3; amount = 3.0; } ); },"                                                        \
    "{ name = 'B1'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.1; volatility = 0.2; },"    \
    "{ name = 'B2'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.1; volatility = 0.2; },"    \
    "{ name = 'B3'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.1; volatility = 0.2; },"    \
    "{ name = 'Q'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.01; model = 'heston';"       \
    "  heston = { v0 = 0.04; kappa = 0.5; theta = 0.04; xi = 0.5; rho = -0.7; }; },"               \
    "{ name = 'N'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.01; volatility = 0.35; },"   \
    "{ name = 'U'; currency = 'EUR'; spot = 50.0; dividend_yield = 0.04; volatility = 0.15; } );"  \
    "correlations = ( { assets = ['P', 'S']; value = 0.5; },"                                      \
    "{ assets = ['N', 'U']; value = -0.4; },"                                                      \
    "{ assets = ['I', 'J']; value = 0.5; },"                                                       \
    "{ assets = ['E', 'F']; value = 0.5; },"                                                       \
    "{ assets = ['W', 'X']; value = 0.2; } ); };\n"
#include "validation/tests/pricing/risk_book.h"

enum { MOST_TRADES = 6, MOST_COLUMNS = 16, SEEDS = 40 };

#define ON_ONE "american: id asset option strike exercise expiry\n"
#define ON_TWO "american: id assets weights kind option strike exercise expiry\n"

/* Those of the issue of vega and rho: in the money on daily dates, at any time, few dates. */
#define DAILY ON_ONE "in_the_money A put 110 250 1\n"
#define LOGNORMAL DAILY "quarterly A put 105 4 1\n"
#define EVERY                                                                                      \
    ON_ONE "at_any_time A put 110 american 1\n"                                                    \
           "five_years  A put 100 250      5\n"                                                    \
           "dividends   D put 105 american 1\n"                                                    \
           "heston      H put 100 50       1\n"                                                    \
           "merton      M put 105 4        1\n"                                                    \
           "local_vol   V put 105 50       1\n"

/* On two assets that are not alike; those of the worst are not in the order of the market. */
#define SEVERAL                                                                                    \
    ON_TWO "best_of_two  ['P','S'] [1,1] best_of   call 110 12 1\n"                                \
           "worst_of_two ['S','P'] [1,1] worst_of  put  95  12 1\n"                                \
           "sum_of_two   ['P','S'] [1,1] average   put  200 12 1\n"                                \
           "mean_of_two  ['P','S'] [1,1] geometric put  100 6  1\n"

/* Its boundary of exercise turns one way under one asset and another under the other: one cubic for
 * both had deltas 3 %, gammas 6 % and cross gammas 7 % off. */
#define UNLIKE ON_TWO "worst_of_unlike ['W','X'] [1,1] worst_of put 100 8 2\n"

/* ---- the truth ------------------------------------------------------------------------------- */

static double price_under(const struct book *book, int trade, int n_shocks,
                          const struct reference_shock *shocks)
{
    return reference_under(book, trade, n_shocks, shocks).price;
}

/* A difference over shocks of +-h, per h or h squared; in two if there is a second target. */
static double quotient(const struct book *book, int trade, struct reference_shock of, int other,
                       bool second, double h)
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        double up = i % 2 ? -h : h, beside = i / 2 ? -h : h;
        struct reference_shock shocks[2] = {of, of};
        shocks[0].amount = up, shocks[1].amount = beside, shocks[1].target = other;
        if (other < 0 && i / 2) break;
        sum += (second && up * beside < 0.0 && other >= 0) || (!second && up < 0.0)
                   ? -price_under(book, trade, other < 0 ? 1 : 2, shocks)
                   : price_under(book, trade, other < 0 ? 1 : 2, shocks);
    }
    if (other >= 0) return sum / (4.0 * h * h);
    return second ? (sum - 2.0 * price_under(book, trade, 0, NULL)) / (h * h) : sum / (2.0 * h);
}

/* A Greek: the error that it may have at 2^20 paths, of itself, on one asset and on several; how
 * far its reference may be off; and what is left of the policy of several at the fewest paths. */
struct wanted {
    enum greek greek;
    enum reference_shock_kind what;
    double size, most_error, most_of_several, doubt, policy;
};

static const struct wanted all_wanted[] = {
    {GREEK_DELTA, REFERENCE_SHOCK_SPOT, 0.01, 0.002, 0.006, 5e-4, 0.004},
    {GREEK_GAMMA, REFERENCE_SHOCK_SPOT, 0.03, 0.01, 0.02, 5e-3, 0.008},
    {GREEK_VEGA, REFERENCE_SHOCK_VOLATILITY, 0.01, 0.005, 0.006, 1e-3, 0.004},
    {GREEK_RHO, REFERENCE_SHOCK_RATE, 0.005, 0.003, 0.004, 1e-3, 0.008},
    {GREEK_CROSS_GAMMA, REFERENCE_SHOCK_SPOT, 0.03, 0.0, 0.02, 5e-3, 0.01}};
enum { WANTED = sizeof all_wanted / sizeof *all_wanted };

static const struct wanted *wanted_of(const struct sensitivity *on)
{
    for (int w = 0; w < WANTED; w++)
        if (all_wanted[w].greek == on->greek) return &all_wanted[w];
    fail();
    return NULL;
}

/* A difference over the Greek's size and one over half of it, extrapolated. */
static double truth_of(const struct book *book, int trade, const struct sensitivity *on)
{
    const struct wanted *wanted = wanted_of(on);
    const struct asset *assets = book->market.assets;
    bool second = greek_rows[on->greek].second != SLOPE_NOTHING;
    bool rate = wanted->what == REFERENCE_SHOCK_RATE, spot = wanted->what == REFERENCE_SHOCK_SPOT;
    const struct reference_shock of = {wanted->what, rate ? on->currency : on->asset, -1, -1, -1, 0,
                                       0.0};
    int other = on->greek == GREEK_CROSS_GAMMA ? on->other : -1;
    double wide = quotient(book, trade, of, other, second, wanted->size),
           narrow = quotient(book, trade, of, other, second, 0.5 * wanted->size),
           unit = spot ? assets[on->asset].spot : 1.0;
    if (spot && second) unit *= assets[other < 0 ? on->asset : other].spot;
    return (4.0 * narrow - wide) / (3.0 * unit);
}

/* ---- seeds ----------------------------------------------------------------------------------- */

/* What is known of a Greek of a trade, over some seeds. */
struct column {
    bool there;
    double truth, sum, squares, errors;
    int covered; /* within 1.96 errors */
};

static void add_seed(const struct greek_value *greek, double doubt, struct column *column)
{
    double off = greek->value - column->truth, error = hypot(greek->std_error, doubt);
    column->sum += off;
    column->squares += off * off / (error * error);
    column->errors += greek->std_error * greek->std_error;
    column->covered += fabs(off) < 1.96 * error;
    assert_true(fabs(off) < 4.5 * error);
}

/* The mean is within 4 of its own errors of the truth, the variance of z is 1, about 95 of 100 are
 * within 1.96 errors, and these are small. */
static void judge(const struct trade *trade, const struct sensitivity *on,
                  const struct column *column, uint64_t paths, int seeds)
{
    const struct wanted *wanted = wanted_of(on);
    double error = sqrt(column->errors / seeds), mean = column->sum / seeds,
           size = fabs(column->truth);
    double of_million = error / size * sqrt((double)paths / 1048576.0);
    bool several = trade_n_assets(trade) > 1;
    print_message("%-15s %-15s %11.6g: mean off by %+.3f %%, error %.3f %%, at 2^20 paths %.3f %%, "
                  "z^2 %.2f, %d of %d covered\n",
                  trade->id, on->name, column->truth, 100.0 * mean / size, 100.0 * error / size,
                  100.0 * of_million, column->squares / seeds, column->covered, seeds);
    double doubt = wanted->doubt + (several ? wanted->policy : 0.0);
    assert_true(fabs(mean) < 4.0 * error / sqrt(seeds) + doubt * size);
    assert_true(of_million < (several ? wanted->most_of_several : wanted->most_error));
    if (seeds >= SEEDS) assert_true(column->squares / seeds < 2.0);
    if (seeds >= SEEDS) assert_true(column->covered >= seeds * 80 / 100); /* 5e-3 by chance */
}

/* The Greeks of a book in all that they are slopes in. */
static void check_greeks(const char *trades, uint64_t paths, int seeds)
{
    struct book book;
    static struct column columns[MOST_TRADES][MOST_COLUMNS];
    char settings[160];
    memset(columns, 0, sizeof columns);
    snprintf(settings, sizeof settings,
             "paths = %d; greeks = ['delta', 'gamma', 'vega', 'rho', 'cross_gamma'];", (int)paths);
    load(settings, trades, "", &book);
    assert_true(book.n_trades <= MOST_TRADES);
    for (int seed = 1; seed <= seeds; seed++) {
        struct risk risk = {0};
        make(&book, (uint64_t)seed, &risk);
        assert_true(risk.n_sensitivities <= MOST_COLUMNS);
        for (int t = 0; t < book.n_trades; t++)
            for (int s = 0; s < risk.n_sensitivities; s++) {
                struct column *column = &columns[t][s];
                const struct sensitivity *on = &risk.sensitivities[s];
                const struct greek_value *greek = risk_greek(&risk, s, t);
                if (isnan(greek->value)) continue;
                if (!column->there) column->truth = truth_of(&book, t, on);
                column->there = true;
                add_seed(greek, wanted_of(on)->doubt * column->truth, column);
                if (seed == seeds) judge(&book.trades[t], on, column, paths, seeds);
            }
        risk_free(&risk);
    }
    book_free(&book);
}

TEST(greeks_are_right)
{
    check_greeks(DAILY, 1 << 16, 1);
}

/* Greeks of UNLIKE, by convolutions; with --long these are made again. */
static const struct {
    const char *name;
    double value;
} unlike_truths[] = {{"delta:W", -0.312301}, {"gamma:W", 0.0083255},         {"vega:W", 47.0444},
                     {"delta:X", -0.140702}, {"gamma:X", 0.0075376},         {"vega:X", 26.379},
                     {"rho:EUR", -93.5204},  {"cross_gamma:W:X", -0.0026987}};
enum { UNLIKE_TRUTHS = sizeof unlike_truths / sizeof *unlike_truths };
#define UNLIKE_GREEKS "greeks = ['delta', 'gamma', 'vega', 'rho', 'cross_gamma'];"

/* All assets, all Greeks. */
TEST(unlike_assets_have_both_greeks)
{
    struct night night;
    make_night_by(1, "paths = 262144; " UNLIKE_GREEKS, UNLIKE, "", &night);
    assert_int_equal(night.risk.n_sensitivities, UNLIKE_TRUTHS);
    for (int i = 0; i < UNLIKE_TRUTHS; i++) {
        const struct greek_value *greek = greek_named(&night.risk, unlike_truths[i].name, 0);
        double truth = unlike_truths[i].value;
        bool second = greek->bump > 0.0 && strstr(unlike_truths[i].name, "gamma");
        print_greek("unlike", unlike_truths[i].name, greek, truth);
        assert_true(fabs(greek->value - truth) < 3.5 * greek->std_error);
        assert_true(greek->std_error < (second ? 0.06 : 0.02) * fabs(truth));
    }
    free_night(&night);
}

LONG_TEST(unlike_truths_are_right_long)
{
    struct night night;
    make_night_by(1, "paths = 1024; " UNLIKE_GREEKS, UNLIKE, "", &night);
    for (int i = 0; i < UNLIKE_TRUTHS; i++)
        for (int s = 0; s < night.risk.n_sensitivities; s++)
            if (!strcmp(night.risk.sensitivities[s].name, unlike_truths[i].name))
                assert_true(fabs(truth_of(&night.book, 0, &night.risk.sensitivities[s]) /
                                     unlike_truths[i].value -
                                 1.0) < 1e-3);
    free_night(&night);
}

/* A basket that pays cash dividends is next to indifferent where it may be exercised: what a policy
 * is off there goes from one date of the curve to the next. The truths are of a lattice in both
 * spots, 512 x 512 (1024 x 1024: the same). The best and the worst are no better than their errors
 * say. */
TEST(rho_buckets_of_cash_dividends_are_right)
{
    static const double truths[][3] = {
        {-0.1745, -2.8217, -61.740}, {-0.1747, -7.5426, -48.7985}, {0.1906, 3.2946, 48.3506}};
    static const double most[] = {0.1, 0.2, 0.6};
    static const char *const names[] = {"rho:GBP@0.25", "rho:GBP@0.5", "rho:GBP@1"};
    struct night night;
    make_night_by(2, "paths = 65536; greeks = ['rho_bucket'];",
                  ON_TWO "sum   ['E','F'] [0.5,0.5] average  put  105 4        1\n"
                         "worst ['E','F'] [1,1]     worst_of put  95  12       1\n"
                         "best  ['E','F'] [1,1]     best_of  call 105 american 1\n",
                  "", &night);
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 3; i++) {
            const struct greek_value *greek = greek_named(&night.risk, names[i], t);
            double off = greek->value - truths[t][i];
            print_greek(night.book.trades[t].id, names[i], greek, truths[t][i]);
            assert_true(fabs(off) < 3.5 * greek->std_error);
            assert_true(t || greek->std_error < most[i] + 0.01 * fabs(truths[t][i]));
        }
    free_night(&night);
}

/* Variances say of a basket what its price does not: its policy is fitted to what waiting brought.
 * Value functions of the price alone had a delta 3 % off. The truth is of prices at spots 3 away,
 * 2^20 paths, each with its own policy. */
TEST(a_basket_under_heston_is_right)
{
    struct night night;
    make_night_by(3, "paths = 65536; greeks = ['delta'];",
                  ON_TWO "heston ['I','J'] [0.5,0.5] average put 108 12 1\n", "", &night);
    double delta = greek_named(&night.risk, "delta:I", 0)->value;
    print_message("delta %.4f\n", delta);
    assert_true(fabs(delta + 0.2858) < 0.005);
    free_night(&night);
}

/* The program's own check finds the same: delta and gamma on several assets share their markets. */
TEST(the_check_agrees)
{
    struct night night;
    make_night_by(1, "paths = 16384; greeks = ['delta', 'gamma', 'rho'];",
                  ON_TWO "best_of_two ['P','S'] [1,1] best_of call 110 3 1\n", "", &night);
    check(&night.book, &night.risk);
    int compared = 0;
    for (int s = 0; s < night.risk.n_sensitivities; s++) {
        const struct greek_value *greek = risk_greek(&night.risk, s, 0);
        if (isnan(greek->value)) continue;
        double error = hypot(greek->std_error, greek->reference_error);
        assert_true(fabs(greek->value - greek->reference) < 4.0 * error);
        assert_true(error < 0.1 * fabs(greek->value) || greek->reference_error > greek->std_error);
        compared++;
    }
    assert_int_equal(compared, 5); /* of two assets, and the one rate */
    free_night(&night);
}

/* A rate, or a yield, of 0 until half a year, at which all exercise at once. */
TEST(theta_is_right_where_exercise_begins)
{
    struct night night;
    make_night_by(1, "paths = 65536; greeks = ['theta'];",
                  ON_ONE "rate  Z put  100 american 1\n"
                         "yield Y call 100 american 1\n",
                  "", &night);
    check(&night.book, &night.risk);
    for (int t = 0; t < 2; t++) {
        const struct greek_value *greek = greek_named(&night.risk, "theta", t);
        double error = hypot(greek->std_error, greek->reference_error);
        print_greek(night.book.trades[t].id, "theta", greek, greek->reference);
        assert_true(fabs(greek->value - greek->reference) < 4.0 * error);
        assert_true(error < 0.3 * fabs(greek->reference));
    }
    free_night(&night);
}

/* A vega on past returns, which add up to nearly a normal law, is that of one: over three seeds 2 %
 * less, and 23 % where bumped markets have today's policy. */
TEST(several_on_past_returns_have_policies_of_their_own)
{
    double apart = 0.0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct night night;
        make_night_by(seed, "paths = 65536; greeks = ['vega'];",
                      ON_TWO "returns ['A','R'] [0.3,0.7] geometric put 108 6 0.125\n"
                             "normal  ['A','T'] [0.3,0.7] geometric put 108 6 0.125\n",
                      "", &night);
        const struct greek_value *returns = greek_named(&night.risk, "vega:R", 0),
                                 *normal = greek_named(&night.risk, "vega:T", 1);
        print_greek("returns", "vega", returns, normal->value);
        apart += (returns->value / normal->value - 1.0) / 3.0;
        free_night(&night);
    }
    assert_true(fabs(apart) < 0.1);
}

/* Andersen's third set (Journal of Computational Finance 11(3), 2008), whose variance is mostly
 * next to 0: by finite differences on 600 by 160 points, 300 steps (QuantLib 1.29,
 * FdHestonVanillaEngine). Values of going on by three points of the variance's normal had rho 13 %
 * too high, with errors of 0.2 %. */
TEST(a_variance_next_to_zero)
{
    static const struct {
        const char *name;
        double truth, most;
    } greeks[] = {
        {"delta:L", 0.6481, 0.003}, {"rho:LOW", 39.913, 0.003}, {"yield:L", -47.039, 0.003}};
    struct night night;
    make_night_by(1, "paths = 262144; greeks = ['delta', 'rho', 'yield'];",
                  ON_ONE "low L call 96 5 1\n", "", &night);
    for (int i = 0; i < 3; i++) {
        const struct greek_value *greek = greek_named(&night.risk, greeks[i].name, 0);
        print_greek("low", greeks[i].name, greek, greeks[i].truth);
        double off = fabs(greek->value - greeks[i].truth);
        assert_true(off < 3.0 * greek->std_error + greeks[i].most * fabs(greeks[i].truth));
    }
    free_night(&night);
}

/* A put at any time where the variance comes near 0, by finite differences on 300 by 120 points,
 * 200 steps (QuantLib 1.29): with 16 nodes of the variance rho was 2 to 3 % too large. */
TEST(a_put_at_any_time_near_zero)
{
    struct night night;
    make_night_by(1, "paths = 262144; greeks = ['rho'];", ON_ONE "near Q put 104 american 1\n", "",
                  &night);
    const struct greek_value *rho = greek_named(&night.risk, "rho:EUR", 0);
    print_greek("near", "rho", rho, -21.713);
    assert_true(fabs(rho->value + 21.713) < 0.012 * 21.713);
    free_night(&night);
}

/* Greeks of a trade, and what they are. */
struct known_greek {
    const char *name;
    double truth;
};

/* Returns the mean square of z of Greeks of a book's one trade, over some seeds. */
static double squares_of_z(const char *settings, const char *trade, int seeds, int n,
                           const struct known_greek *greeks)
{
    double squares = 0.0;
    for (int seed = 1; seed <= seeds; seed++) {
        struct night night;
        make_night_by((uint64_t)seed, settings, trade, "", &night);
        for (int i = 0; i < n; i++) {
            const struct greek_value *greek = greek_named(&night.risk, greeks[i].name, 0);
            double z = (greek->value - greeks[i].truth) / greek->std_error;
            print_greek(night.book.trades[0].id, greeks[i].name, greek, greeks[i].truth);
            squares += z * z / (n * seeds);
        }
        free_night(&night);
    }
    print_message("mean square of z %.2f\n", squares);
    return squares;
}

/* A put on the best of two unlike assets, by a dynamic program on 768 points of each. With policies
 * from paths vega of the second was up to 80 % off, 30 of its errors, and another by each seed. */
TEST(a_put_on_the_best_of_two)
{
    static const struct known_greek greeks[] = {
        {"delta:U", -1.0474}, {"vega:U", -3.131}, {"vega:N", 1.839}};
    assert_true(squares_of_z("paths = 131072; greeks = ['delta', 'vega'];",
                             ON_TWO "best ['N','U'] [1,2] best_of put 115 4 1\n", 4, 3,
                             greeks) < 2.0);
}

/* A put on the average of the same, likewise. With levels of the basket's price alone the lesser
 * vega was 1.75 to 1.97, the cross gamma 8 % and gammas up to 11 % off. */
TEST(a_put_on_the_average_of_two)
{
    static const struct known_greek greeks[] = {{"delta:U", -1.27167},
                                                {"gamma:U", 0.05241},
                                                {"vega:U", 1.0678},
                                                {"vega:N", 34.959},
                                                {"cross_gamma:N:U", 0.02655}};
    assert_true(squares_of_z("paths = 131072; greeks = ['delta', 'gamma', 'vega', 'cross_gamma'];",
                             ON_TWO "average ['N','U'] [1,2] average put 210 4 1\n", 2, 5,
                             greeks) < 2.0);
}

/* A put on the best of three, by a dynamic program on 112 points of each. With policies from paths
 * deltas were 1 to 4 % too small. */
TEST(a_put_on_the_best_of_three)
{
    static const char *const deltas[] = {"delta:B1", "delta:B2", "delta:B3"};
    double mean = 0.0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct night night;
        make_night_by(seed, "paths = 65536; greeks = ['delta'];",
                      ON_TWO "best ['B1','B2','B3'] [1,1,1] best_of put 115 4 1\n", "", &night);
        for (int i = 0; i < 3; i++) {
            const struct greek_value *greek = greek_named(&night.risk, deltas[i], 0);
            print_greek("three", deltas[i], greek, -0.2536);
            mean += greek->value / 9.0;
        }
        free_night(&night);
    }
    assert_true(fabs(mean + 0.2536) < 0.012 * 0.2536);
}

/* A put on the worst of two under heston, by prices at spots 2 and rates 0.005 away, 2^18 paths and
 * four seeds, each with its own policy. With policies from paths deltas were 12 and 14 % too large,
 * rho 17 % too small. */
TEST(a_put_on_the_worst_of_two_under_heston)
{
    static const struct known_greek greeks[] = {
        {"delta:I", -0.1760}, {"delta:J", -0.2466}, {"rho:EUR", -42.98}};
    assert_true(squares_of_z("paths = 65536; greeks = ['delta', 'rho'];",
                             ON_TWO "worst ['I','J'] [1,1] worst_of put 100 24 1\n", 1, 3,
                             greeks) < 3.0);
}

/* A script that is a Bermudan put beside cash dividends, by which what an asset gains has a mean:
 * its policy was regressed as if it had none, its price up to 0.7 % too low and rho 10 % off. */
TEST(a_script_beside_cash_dividends)
{
    struct night night;
    make_night_by(1, "paths = 131072; greeks = ['rho'];",
                  ON_ONE "built K put 95 12 3\n"
                         "american_spread: id assets option strike exercises expiry\n"
                         "script ['K'] put 95 "
                         "[0.25,0.5,0.75,1,1.25,1.5,1.75,2,2.25,2.5,2.75] 3\n",
                  "", &night);
    const struct greek_value *built = greek_named(&night.risk, "rho:EUR", 0),
                             *script = greek_named(&night.risk, "rho:EUR", 1);
    print_greek("script", "rho", script, built->value);
    assert_true(fabs(script->value - built->value) < script->std_error);
    free_night(&night);
}

LONG_TEST(greeks_are_right_long)
{
    check_greeks(LOGNORMAL, 1 << 16, SEEDS);
    check_greeks(EVERY, 1 << 16, SEEDS);
}

LONG_TEST(several_are_right_long)
{
    check_greeks(SEVERAL, 1 << 16, SEEDS);
    check_greeks(UNLIKE, 1 << 14, SEEDS);
    check_greeks(UNLIKE, 1 << 18, SEEDS);
}

ALL_TESTS(exercise_greeks_test)
