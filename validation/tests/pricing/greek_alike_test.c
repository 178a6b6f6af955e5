/* Greeks of what turns on the ratio of two assets that hardly move apart: held against Margrabe's
 * formula (1978), for a spread as a product and as a script, and for a digital on it; of an asset
 * that hardly moves at all, and of one that jumps. */
#define MARKET                                                                                     \
    "market = { currencies = ( { name = 'EUR'; rate = 0.02; } ); assets = ("                       \
    "{ name = 'A'; currency = 'EUR'; spot = 100.0; volatility = 0.2; },"                           \
    "{ name = 'B'; currency = 'EUR'; spot = 100.0; volatility = 0.21; },"                          \
    "{ name = 'P'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.02; volatility = "           \
    "0.005; },"                                                                                    \
    "{ name = 'J'; currency = 'EUR'; spot = 100.0; model = 'merton'; volatility = 0.18; "          \
    "jumps = { intensity = 0.6; mean = -0.1; stdev = 0.12; }; },"                                  \
    "{ name = 'N'; currency = 'EUR'; spot = 100.0; model = 'local_vol'; volatility = { "           \
    "times = [0.5, 0.5027, 1.0]; strikes = [100.0]; vols = ( [0.2], [0.25], [0.22] ); }; } );"     \
    "correlations = ( { assets = ['A', 'B']; value = 0.998; }, "                                   \
    "{ assets = ['A', 'N']; value = 0.8; }, { assets = ['B', 'N']; value = 0.8; } ); };\n"
#include "validation/tests/pricing/risk_book.h"

#define APART "sum(a(expiry) * (1 if index(a) == 1 else -1) for a in both)"
#define TRADES                                                                                     \
    "{ id = 'spread'; type = 'spread'; assets = ['A', 'B']; option = 'call'; expiry = "            \
    "1.0; },"                                                                                      \
    "{ id = 'script'; assets = ['A', 'B']; expiry = 1.0; script = '''\n"                           \
    "product exchange(assets both; date expiry)\n  at expiry\n    pay max(" APART ", 0)\n'''; },"  \
    "{ id = 'digital'; assets = ['A', 'B']; expiry = 1.0; script = '''\n"                          \
    "product better(assets both; date expiry)\n  at expiry\n    if " APART " >= 0: pay 10\n'''; }"

/* What a value depends on. */
struct at {
    double a, b, sigma, correlation;
};

static double spread_of(struct at at)
{
    return sqrt(at.sigma * at.sigma + 0.21 * 0.21 - 2.0 * at.correlation * at.sigma * 0.21);
}

static double exchange(struct at at)
{
    double s = spread_of(at), d = log(at.a / at.b) / s + 0.5 * s;
    return at.a * normal_below(d) - at.b * normal_below(d - s);
}

static double better(struct at at)
{
    double drift = 0.5 * (0.21 * 0.21 - at.sigma * at.sigma);
    return 10.0 * exp(-0.02) * normal_below((log(at.a / at.b) + drift) / spread_of(at));
}

static double slope(double (*value)(struct at), enum greek greek)
{
    struct at up = {100.0, 100.0, 0.2, 0.998}, down = up;
    double h = greek == GREEK_DELTA ? 0.01 : 1e-5;
    double *moved[] = {&up.a, &down.a};
    if (greek == GREEK_VEGA) moved[0] = &up.sigma, moved[1] = &down.sigma;
    if (greek == GREEK_CORRELATION) moved[0] = &up.correlation, moved[1] = &down.correlation;
    *moved[0] += h;
    *moved[1] -= h;
    return (value(up) - value(down)) / (2.0 * h);
}

static double cross_gamma(double (*value)(struct at))
{
    const double h = 0.02;
    struct at up = {100.0 + h, 100.0 + h, 0.2, 0.998}, across = up;
    struct at down = {100.0 - h, 100.0 - h, 0.2, 0.998}, other = down;
    across.b = 100.0 - h;
    other.b = 100.0 + h;
    return (value(up) - value(across) - value(other) + value(down)) / (4.0 * h * h);
}

TEST(test_alike)
{
    double (*const values[])(struct at) = {exchange, exchange, better};
    struct night night;
    make_night_by(2, "paths = 262144;", TRADES,
                  "risk = { greeks = ['delta', 'vega', 'cross_gamma', 'correlation']; };", &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++) {
        const struct sensitivity *on = &night.risk.sensitivities[s];
        for (int t = 0; t < night.book.n_trades && on->asset == 0; t++)
            assert_exact(&night, s, t,
                         on->greek == GREEK_CROSS_GAMMA ? cross_gamma(values[t])
                                                        : slope(values[t], on->greek));
    }
    free_night(&night);
}

/* A digital on what hardly moves in five years, which a rate moves by as much as its spread. */
TEST(test_pegged)
{
    struct night night;
    make_night_by(
        2, "paths = 262144;",
        "{ id = 'pegged'; asset = 'P'; expiry = 5.0; script = '''\n"
        "product digital(asset s; date expiry)\n  at expiry\n    if s(expiry) >= 100: pay 10\n"
        "'''; }",
        "risk = { greeks = ['rho', 'yield']; };", &night);
    double d = 0.5 * 0.005 * sqrt(5.0), density = exp(-0.5 * d * d) / sqrt(2.0 * acos(-1.0));
    double forward = 10.0 * exp(-0.1) * density * sqrt(5.0) / 0.005; /* slope in what it grows by */
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        assert_exact(&night, s, 0,
                     night.risk.sensitivities[s].greek == GREEK_YIELD
                         ? -forward
                         : forward - 50.0 * exp(-0.1) * normal_below(-d));
    free_night(&night);
}

/* Merton's series (1976) of a digital at a level, discounted. */
static double jumping_digital(double level, double t)
{
    double drift = 0.02 - 0.6 * expm1(-0.1 + 0.5 * 0.12 * 0.12) - 0.5 * 0.18 * 0.18, sum = 0.0;
    for (int n = 0; n < 40; n++) {
        double spread = sqrt(0.18 * 0.18 * t + n * 0.12 * 0.12);
        double weight = exp(-0.6 * t + n * log(0.6 * t) - lgamma(n + 1.0));
        sum += weight * normal_below((log(100.0 / level) + drift * t - 0.1 * n) / spread);
    }
    return exp(-0.02 * t) * sum;
}

/* Time moves by a part of what is left to a coupon of two days, though spots jump. */
TEST(test_jumping)
{
    struct night night;
    make_night_by(
        2, "paths = 262144;",
        "{ id = 'coupons'; asset = 'J'; expiry = 4.0; seen = [0.0055, 4.0]; script = '''\n"
        "product coupons(asset s; dates seen; date expiry)\n"
        "  each t in seen\n    if s(t) >= 100.6: pay 5\n'''; }",
        "risk = { greeks = ['theta']; };", &night);
    double wanted = 0.0, h = 1e-5;
    for (int i = 0; i < 2; i++) {
        double t = i ? 4.0 : 0.0055;
        wanted += 5.0 * (jumping_digital(100.6, t - h) - jumping_digital(100.6, t + h)) / (2.0 * h);
    }
    assert_exact(&night, 0, 0, wanted);
    free_night(&night);
}

/* A shares little with what a day of news makes of N: it moves that day as on any other. */
TEST(test_news)
{
    static const double years[] = {0.5, 0.0027, 0.4973};
    static const double variance[] = {0.02, 0.0625 * 0.5027 - 0.02, 0.0484 - 0.0625 * 0.5027};
    double shared = 0.0;
    struct night night;
    for (int i = 0; i < 3; i++) shared += 0.2 * sqrt(years[i] * variance[i]);
    make_night_by(2, "paths = 131072;",
                  "{ id = 'news'; type = 'spread'; assets = ['A', 'N']; option = 'call'; "
                  "expiry = 1.0; }",
                  "risk = { greeks = ['correlation']; };", &night);
    double spread = sqrt(0.04 + 0.0484 - 1.6 * shared), half = 0.5 * spread;
    double vega = 100.0 * exp(-0.5 * half * half) / sqrt(2.0 * acos(-1.0));
    assert_exact(&night, 0, 0, -vega * shared / spread);
    const struct reference reference = reference_for(&night.book.market, &night.book.trades[0]);
    double exact = 100.0 * (normal_below(half) - normal_below(-half));
    print_message("reference %g +- %g, to be %g\n", reference.price, reference.error, exact);
    assert_true(fabs(reference.price - exact) < 4.0 * reference.error);
    assert_true(reference.error < 0.01 * exact);
    free_night(&night);
}

ALL_TESTS(greek_alike_test)
