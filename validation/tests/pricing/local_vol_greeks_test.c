/* Differences of prices under local_vol's steps: the Greeks are the surface's, and their errors
 * count the tables. */
#include "validation/tests/local_vol_markets.h"
#include "models/payoffs/product_numbers.h"

/* The value today of a call, by quadrature so fine that what is left of a difference is the tables'
 * own: both the first step's only place and the payoff's kink ask for many z. */
static double fine_call(const struct fixture *f, double strike, double expiry)
{
    static const struct points points = {.first = POINTS_MOST, .between = 129, .last = 3001};
    static struct steps s;
    double reach = 10.0 * asset_volatility(&f->assets[0], expiry) * sqrt(expiry), values[2];
    double forward = exp(surface_log_forward(&f->market, 0, expiry)), k = strike / forward;
    const struct grid grid = grid_between(NODES, -reach, reach);
    make_steps(&s, &f->market, expiry, 0.02);
    expectations(f, &s, &grid, &points, 1, &k, values);
    free_steps(&s);
    double call = k >= 1.0 ? values[0] : values[0] + values[1] - k; /* else it is a put */
    return exp(-term_accrued(&f->currencies[0].rate, expiry)) * forward * call;
}

/* The same by Black's formula at the surface's volatility. */
static double exact_call(const struct fixture *f, double strike, double expiry)
{
    struct implied_surface surface;
    assert_ok(surface_make(&surface, &f->market, 0, &said));
    double forward = exp(surface_log_forward(&f->market, 0, expiry));
    double volatility = surface_volatility(&surface, log(strike / forward), expiry);
    surface_free(&surface);
    return exp(-term_accrued(&f->currencies[0].rate, expiry)) *
           black_option(1.0, forward, strike, volatility * sqrt(expiry));
}

typedef double value_function(const struct fixture *, double, double);

/* The value with the spot up by this part of itself, and the rate by so much. */
static double moved(value_function *value, const struct fixture *f, double strike, double expiry,
                    double spot, double rate)
{
    struct fixture there = *f;
    double accrued[TIMES_MAX], *kept = there.currencies[0].rate.accrued;
    struct term_structure *curve = &there.currencies[0].rate;
    for (int i = 0; i < curve->n; i++) accrued[i] = kept[i] + rate * curve->time[i];
    curve->accrued = accrued, curve->beyond += rate;
    there.market.currencies = there.currencies, there.market.assets = there.assets;
    there.assets[0].surface.times = there.times, there.assets[0].surface.strikes = there.strikes;
    there.assets[0].surface.vols = there.vols;
    there.assets[0].spot *= 1.0 + spot;
    return value(&there, strike, expiry);
}

enum { DELTA, GAMMA, RHO, DIFFERENCES };

/* How far bumps go: of the spot over itself, narrow for delta and wide for gamma, and of the rate.
 */
struct bumped_by {
    double narrow, wide, rate;
};

/* Bumps of 2^20 paths. */
static struct bumped_by bumps_for(const struct fixture *f, const struct greek_pool *pool)
{
    struct bump_sizes sizes = pool_bump_sizes(pool, 1 << 20);
    double deviation = asset_volatility(&f->assets[0], pool->years) * sqrt(pool->years);
    return (struct bumped_by){sizes.delta * deviation, sizes.spot * deviation, sizes.rate};
}

static void differences(value_function *value, const struct fixture *f, double strike,
                        double expiry, struct bumped_by by, double greeks[DIFFERENCES])
{
    double spot = f->assets[0].spot, today = moved(value, f, strike, expiry, 0.0, 0.0);
    greeks[DELTA] = (moved(value, f, strike, expiry, by.narrow, 0.0) -
                     moved(value, f, strike, expiry, -by.narrow, 0.0)) /
                    (2.0 * by.narrow * spot);
    greeks[GAMMA] = (moved(value, f, strike, expiry, by.wide, 0.0) - 2.0 * today +
                     moved(value, f, strike, expiry, -by.wide, 0.0)) /
                    (by.wide * by.wide * spot * spot);
    greeks[RHO] = (moved(value, f, strike, expiry, 0.0, by.rate) -
                   moved(value, f, strike, expiry, 0.0, -by.rate)) /
                  (2.0 * by.rate);
}

/* Delta, gamma and rho as the program takes them at 2^20 paths: tables made anew for each market
 * move prices as Black's formula does, strikes keeping their volatilities. Gamma to 1 %, delta and
 * rho to 0.05 %. */
TEST(greeks_are_the_surfaces)
{
    void (*const make[3])(struct fixture *) = {equity, exchange_rate, dax};
    const double expiry = 0.25, place = 1.01;
    struct greek_pool pool = {.years = 0.25, .first_date = expiry, .on_tables = true};
    for (int m = 0; m < 3; m++) {
        struct fixture f;
        double greeks[2][DIFFERENCES];
        make[m](&f);
        double forward = exp(surface_log_forward(&f.market, 0, expiry));
        double deviation = asset_volatility(&f.assets[0], pool.years) * sqrt(pool.years);
        double strike = forward * pow(place, deviation / 0.1);
        for (int e = 0; e < 2; e++)
            differences(e ? exact_call : fine_call, &f, strike, expiry, bumps_for(&f, &pool),
                        greeks[e]);
        double delta = greeks[0][0] / greeks[1][0] - 1.0, gamma = greeks[0][1] / greeks[1][1] - 1.0;
        double rho = greeks[0][2] / greeks[1][2] - 1.0;
        print_message("market %d, strike %.4f: delta off by %.4f %%, gamma %.3f %%, rho %.4f %%\n",
                      m, strike, 100.0 * delta, 100.0 * gamma, 100.0 * rho);
        assert_true(fabs(delta) < 5e-4 && fabs(gamma) < 0.01 && fabs(rho) < 5e-4);
        fixture_end(&f);
    }
}

/* The part of a Greek's error that tables bring, as the program counts it. */
static double counted(const struct fixture *f, double expiry, int difference, struct bumped_by by)
{
    int asset = 0;
    const struct trade trade = {
        .product = PRODUCT_EUROPEAN, .n_assets = 1, .assets = &asset, .expiry = expiry};
    double spot = f->assets[0].spot, first = 0.5 / (by.narrow * spot), rate = 0.5 / by.rate;
    double second = 1.0 / (by.wide * by.wide * spot * spot);
    const struct {
        struct sensitivity on;
        struct contrast contrast;
    } all[DIFFERENCES] = {
        [DELTA] = {{.greek = GREEK_DELTA}, {2, {{1, first}, {2, -first}}}},
        [GAMMA] = {{.greek = GREEK_GAMMA}, {3, {{1, second}, {0, -2.0 * second}, {2, second}}}},
        [RHO] = {{.greek = GREEK_RHO}, {2, {{1, rate}, {2, -rate}}}}};
    return contrast_roughness(&f->market, &trade, surface_roughness(&f->market, 0, expiry), 0.02,
                              &all[difference].on, &all[difference].contrast);
}

/* Over a year the DAX's tables bring more to Greeks than arithmetic does: within three of the
 * errors that are counted for them. */
TEST(errors_of_greeks_count_the_tables)
{
    const struct greek_pool pool = {.years = 1.0, .first_date = 1.0, .on_tables = true};
    const char *const names[DIFFERENCES] = {"delta", "gamma", "rho"};
    struct fixture f;
    double tables[DIFFERENCES], exact[DIFFERENCES];
    dax(&f);
    struct bumped_by by = bumps_for(&f, &pool);
    differences(fine_call, &f, 4200.0, 1.0, by, tables);
    differences(exact_call, &f, 4200.0, 1.0, by, exact);
    for (int d = 0; d < DIFFERENCES; d++) {
        double error = counted(&f, 1.0, d, by), z = (tables[d] - exact[d]) / error;
        print_message("DAX, one year: %s off by %.3f %%, error %.3f %%, z %.2f\n", names[d],
                      100.0 * (tables[d] / exact[d] - 1.0), 100.0 * error / exact[d], z);
        assert_true(fabs(z) <= 3.0);
    }
    fixture_end(&f);
}

/* On smooth surfaces they are little: of a gamma, of a delta and of a rho. */
TEST(smooth_tables_bring_little_error)
{
    void (*const make[2])(struct fixture *) = {equity, exchange_rate};
    const struct greek_pool pool = {.years = 1.0, .first_date = 1.0, .on_tables = true};
    const double most[DIFFERENCES] = {[DELTA] = 2e-4, [GAMMA] = 3e-3, [RHO] = 3e-4};
    for (int m = 0; m < 2; m++) {
        struct fixture f;
        double exact[DIFFERENCES];
        make[m](&f);
        struct bumped_by by = bumps_for(&f, &pool);
        differences(exact_call, &f, f.assets[0].spot, 1.0, by, exact);
        for (int d = 0; d < DIFFERENCES; d++) {
            double part = counted(&f, 1.0, d, by) / exact[d];
            print_message("market %d, one year: error of %.4f %%\n", m, 100.0 * part);
            assert_true(part < most[d] && part > 0.0);
        }
        fixture_end(&f);
    }
}

ALL_TESTS(local_vol_greeks_test)
