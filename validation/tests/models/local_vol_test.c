/* Whether local_vol's steps give the surface back: by quadrature over the steps of the production
 * code itself, and by simulation with the project's normals. */
#include "validation/tests/local_vol_markets.h"

/* With one volatility for all, a path is black_scholes's on the same normals. */
TEST(a_flat_surface_is_black_scholes)
{
    struct fixture f;
    static struct steps steps;
    flat(&f);
    make_steps(&steps, &f.market, 1.3, 0.02);
    for (uint64_t path = 0; path < 500; path++) {
        struct path_state local = {.x = log2(100.0)}, exact = local;
        double clock = 0.0;
        for (int i = 0; i < steps.n; i++) {
            double h = steps.times[i + 1] - steps.times[i], variance = 0.04 * h;
            double z =
                (double)normal_from_bits(philox_block(1, path, 0, (uint32_t)i).word0, normal_cubic);
            double c[2] = {(0.02 * h - 0.5 * variance) * LOG2_E, sqrt(variance) * LOG2_E};
            local_vol_step(steps.c[i], steps.lookup.table, &local, &z);
            black_scholes_step(c, NULL, &exact, &z);
            clock += c[1] * c[1];
        }
        assert_true(fabs(local.x - exact.x) < 3e-6);
        assert_true(fabs(local.clock / clock - 1.0) < 1e-5);
    }
    free_steps(&steps);
    fixture_end(&f);
}

/* Paid in another currency, ln S drifts by minus correlation times both volatilities. */
TEST(a_quanto_drifts)
{
    struct fixture f;
    struct lookup lookup = {0};
    double own[WIDTH], paid[WIDTH], z = 0.3, h = 0.05;
    flat(&f);
    struct time_step time_step = {0.4, 0.4 + h, -1}, quanto = {0.4, 0.4 + h, 1};
    assert_ok(local_vol_coefficients(&f.market, 0, &time_step, own, &lookup, &said));
    assert_ok(local_vol_coefficients(&f.market, 0, &quanto, paid, &lookup, &said));
    struct path_state a = {.x = log2(103.0)}, b = a;
    local_vol_step(own, lookup.table, &a, &z);
    local_vol_step(paid, lookup.table, &b, &z);
    assert_true(fabs((b.x - a.x) / LOG2_E - 0.4 * 0.2 * 0.1 * h) < 1e-8); /* floats */
    f.assets[1].model = MODEL_HESTON;
    assert_int_equal(local_vol_coefficients(&f.market, 0, &quanto, paid, &lookup, &said),
                     STATUS_FAILED);
    assert_non_null(strstr(said.text, "black_scholes"));
    lookup_forget(&lookup);
    free(lookup.table);
    fixture_end(&f);
}

/* Mean of S'/F' over S/F, and variance of ln S, over one step from one place. */
static void one_step(const struct fixture *f, const struct time_step *time_step, double y,
                     double *growth, double *variance)
{
    enum { POINTS = 65 };
    struct lookup lookup = {0};
    double c[WIDTH], total = 0.0, sum = 0.0, squares = 0.0, mean = 0.0;
    double start = surface_log_forward(&f->market, 0, time_step->from),
           end = surface_log_forward(&f->market, 0, time_step->to);
    assert_ok(local_vol_coefficients(&f->market, 0, time_step, c, &lookup, &said));
    for (int q = 0; q < POINTS; q++) {
        double z = 6.4 * (2.0 * q / (POINTS - 1) - 1.0), weight = exp(-0.5 * z * z);
        struct path_state state = {.x = (start + y) * LOG2_E};
        local_vol_step(c, lookup.table, &state, &z);
        double move = state.x / LOG2_E - end - y;
        total += weight, sum += weight * move, squares += weight * move * move,
            mean += weight * exp(move);
    }
    *growth = mean / total;
    *variance = squares / total - sum / total * sum / total;
    lookup_forget(&lookup);
    free(lookup.table);
}

/* What European options cannot see: from every place a step has the forward for its mean and
 * Dupire's variance for its own, to a relative error of first order in the step: on average over
 * places, for the spline through quotes bends at each of them. */
TEST(each_step_is_a_martingale_with_dupires_variance)
{
    void (*const make[2])(struct fixture *) = {equity, exchange_rate};
    const double most[2] = {0.008, 0.025};
    for (int m = 0; m < 2; m++) {
        struct fixture f;
        make[m](&f);
        const struct implied_surface *s = surface_of(&f);
        double drift[3] = {0}, excess[3] = {0};
        enum { PLACES = 31 };
        for (int l = 0; l < 3; l++) {
            double h = 0.08 / pow(2.0, l), deviation = sqrt(surface_variance(s, 0.0, 0.6).w);
            struct time_step time_step = {0.6, 0.6 + h, -1};
            for (int i = 0; i < PLACES; i++) {
                double y = deviation * (0.1 * i - 1.5), growth, variance;
                double local = h * surface_local_variance(s, y, 0.6 + 0.5 * h);
                one_step(&f, &time_step, y, &growth, &variance);
                drift[l] += fabs(growth - 1.0) / local / PLACES;
                excess[l] += fabs(variance / local - 1.0) / PLACES;
            }
            print_message(
                "steps of %.2f: drift %.4f of the variance, variance off by %.4f of itself\n", h,
                drift[l], excess[l]);
        }
        assert_true(drift[2] < most[m] && drift[2] < drift[1] && drift[1] < drift[0]);
        assert_true(excess[0] < 0.04 && excess[1] < 0.6 * excess[0] && excess[2] < 0.6 * excess[1]);
        fixture_end(&f);
    }
}

/* European options pin the law of every date down, so the variance of moves between dates is right
 * where a step's mean is: an error d in it adds -2 E[Y d]. Held to a part of the step's variance,
 * on rough quotes too. */
TEST(moves_between_dates_have_their_variance)
{
    const struct {
        const char *name;
        void (*make)(struct fixture *);
        double most;
    } markets[3] = {
        {"equity", equity, 5e-4}, {"exchange rate", exchange_rate, 2e-3}, {"DAX", dax, 9e-3}};
    const double dates[2] = {0.5, 0.9};
    enum { PLACES = 121 };
    for (int m = 0; m < 3; m++)
        for (int e = 0; e < 2; e++) {
            struct fixture f;
            struct time_step time_step = {dates[e], dates[e] + 0.02, -1};
            double excess = 0.0, all = 0.0;
            markets[m].make(&f);
            const struct implied_surface *s = surface_of(&f);
            double w = surface_variance(s, 0.0, time_step.from).w;
            for (int i = 0; i < PLACES; i++) {
                double y = -0.5 * w + sqrt(w) * 0.05 * (i - PLACES / 2), growth, variance;
                double density = law_density(s, y, time_step.from);
                one_step(&f, &time_step, y, &growth, &variance);
                excess -= 2.0 * density * y * (growth - 1.0);
                all += density * 0.02 * surface_local_variance(s, y, time_step.from + 0.01);
            }
            print_message(
                "%-14s date %.1f: variance of a step's move too large by %.5f of itself\n",
                markets[m].name, dates[e], excess / all);
            assert_true(fabs(excess / all) < markets[m].most);
            fixture_end(&f);
        }
}

/* The least slope of rows first .. last over that of their function's line: of its
 * parabolas, at both ends. */
static double least_slope(const float *table, int first, int last, double per_cell, double line)
{
    double least = HUGE_VAL;
    for (int r = first; r <= last; r++)
        for (int end = -1; end <= 1; end += 2) {
            double slope =
                (double)local_vol_correction(local_vol_row(table, r), 0.5f * (float)end).slope;
            least = fmin(least, (line + slope * per_cell) / line);
        }
    return least;
}

/* P and Q increase everywhere, even where a rough surface leaves hardly any density. */
TEST(tables_increase)
{
    static struct steps steps;
    struct fixture f;
    double p = HUGE_VAL, q = HUGE_VAL;
    dax(&f);
    make_steps(&steps, &f.market, 1.9, 0.02);
    for (int i = 0; i < steps.n; i++) {
        const double *c = steps.c[i];
        int first = local_vol_first(c) + LOCAL_VOL_ROW_ZERO, of_q = first + LOCAL_VOL_P_ROWS,
            end = first + LOCAL_VOL_ROWS;
        p = fmin(p, least_slope(steps.lookup.table, first, of_q - 1,
                                (double)local_vol_float(c, LOCAL_VOL_P_CELLS),
                                (double)local_vol_float(c, LOCAL_VOL_P_SLOPE)));
        q = fmin(q, least_slope(steps.lookup.table, of_q, end - 1,
                                (double)local_vol_float(c, LOCAL_VOL_Q_CELLS),
                                (double)local_vol_float(c, LOCAL_VOL_Q_SLOPE)));
    }
    print_message("least slope of P %.3f, of Q %.3f of their lines\n", p, q);
    assert_true(p > 0.05 && q > 0.02);
    free_steps(&steps);
    fixture_end(&f);
}

/* One lookup serves several assets and legs in any order: each step is what it is alone. */
TEST(steps_do_not_depend_on_the_ones_before)
{
    struct fixture f, other;
    struct asset both[2];
    struct lookup shared = {0};
    const struct time_step legs[4] = {
        {0.3, 0.32, -1}, {0.32, 0.34, -1}, {0.1, 0.2, -1}, {0.0, 0.05, -1}};
    equity(&f);
    exchange_rate(&other);
    both[0] = f.assets[0], both[1] = other.assets[0];
    f.market.assets = both;
    for (int i = 0; i < 8; i++) {
        struct lookup alone = {0};
        double c[WIDTH], d[WIDTH];
        int begin = shared.n;
        assert_ok(local_vol_coefficients(&f.market, i % 2, &legs[i / 2], c, &shared, &said));
        assert_ok(local_vol_coefficients(&f.market, i % 2, &legs[i / 2], d, &alone, &said));
        struct path_state s = {.x = surface_log_forward(&f.market, i % 2, legs[i / 2].from) *
                                    LOG2_E},
                          t = s;
        double z = 0.7;
        local_vol_step(c, shared.table, &s, &z);
        local_vol_step(d, alone.table, &t, &z);
        assert_int_equal(shared.n - begin, alone.n);
        assert_true(fabs(s.x - t.x) < 1e-5 && fabs(s.clock / t.clock - 1.0) < 1e-3);
        lookup_forget(&alone);
        free(alone.table);
    }
    lookup_forget(&shared);
    free(shared.table);
    f.market.assets = f.assets;
    fixture_end(&f);
    fixture_end(&other);
}

/* European options give the surface back, at quoted expiries and between, whatever the step: within
 * a fifth of a basis point where quotes are smooth, within one where they are rough. Not in
 * `full`: between two quoted expiries alone, in steps of two lengths. */
static void give_surfaces_back(bool full)
{
    struct fixture f;
    struct {
        const char *name;
        void (*make)(struct fixture *);
        double most; /* of volatility */
    } markets[3] = {
        {"equity", equity, 2e-5}, {"exchange rate", exchange_rate, 2e-5}, {"DAX", dax, 1e-4}};
    const double expiries[4] = {0.06, 0.25, 0.8, 1.9}, longest[3] = {0.08, 0.02, 0.004};
    for (int m = 0; m < 3; m++)
        for (int e = 0; e < 4; e++)
            for (int l = 0; l < 3; l++) {
                if (e == 3 && l == 1 && m == 1) continue;
                if (l == 2 && m != 2) continue; /* daily: the rough one */
                if (!full && (e != 2 || l == 2)) continue;
                markets[m].make(&f);
                double worst = round_trip(&f, expiries[e], longest[l]);
                print_message("%-14s expiry %.2f, steps of %.3f: at most %6.2f basis points\n",
                              markets[m].name, expiries[e], longest[l], 1e4 * worst);
                assert_true(fabs(worst) <
                            (expiries[e] / longest[l] < 2.0 ? 5e-4 : markets[m].most));
                fixture_end(&f);
            }
}

TEST(european_options_give_the_surface_back)
{
    give_surfaces_back(false);
}

LONG_TEST(european_options_give_the_surface_back_long)
{
    give_surfaces_back(true);
}

/* Places that the law of ln S / F leaves below or above with less than 1e-11. */
static double far_out(const struct implied_surface *surface, double t, double side)
{
    double k = 0.0, step = 0.2 * sqrt(surface_variance(surface, 0.0, t).w);
    for (double d2 = 0.0; fabs(d2) < 7.0 + side * sqrt(surface_variance(surface, k, t).w);
         k += side * step) {
        double deviation = sqrt(surface_variance(surface, k, t).w);
        d2 = -k / deviation - 0.5 * deviation;
    }
    return k;
}

static struct grid grid_far_out(const struct implied_surface *surface, double t)
{
    return grid_between(NODES_MOST, far_out(surface, t, -1.0), far_out(surface, t, 1.0));
}

/* A steep surface too is given back at any step length, and its forward. At the quotes, that is at
 * the formula's own volatilities: a strike between them is the spline's. */
TEST(a_steep_surface_is_given_back)
{
    static struct steps steps;
    const double expiries[2] = {1.0, 2.0}, longest[2] = {0.25, 0.02};
    const double strikes[DELTAS] = {0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2};
    for (int e = 0; e < 2; e++)
        for (int l = 0; l < 2; l++) {
            if (l > e) continue; /* the longer life alone in many steps */
            struct fixture f;
            double values[DELTAS + 1], worst = 0.0, t = expiries[e],
                                       theta = steep_vol * steep_vol * t;
            steep(&f);
            struct grid grid = grid_far_out(surface_of(&f), t);
            make_steps(&steps, &f.market, t, longest[l]);
            expectations(&f, &steps, &grid, &few_points, DELTAS, strikes, values);
            for (int d = 0; d < DELTAS; d++) {
                double exact = sqrt(ssvi(theta, steep_rho, steep_phi, log(strikes[d])) / t);
                double error = implied(strikes[d], values[d], t) - exact;
                if (fabs(error) > fabs(worst)) worst = error;
            }
            print_message("steep, expiry %.1f, steps of %.2f: at most %5.2f basis points, forward "
                          "off by %.1e\n",
                          t, longest[l], 1e4 * worst, values[DELTAS] - 1.0);
            assert_true(fabs(worst) < 1.5e-4 && fabs(values[DELTAS] - 1.0) < 6e-5);
            free_steps(&steps);
            fixture_end(&f);
        }
}

/* Where the forward is an expectation of what hardly ever happens, the tables lose it: the date and
 * the asset are named. */
TEST(what_cannot_be_followed_is_refused)
{
    static struct steps steps;
    const double ten[1] = {10.0}, strikes[3] = {50.0, 100.0, 200.0}, vols[2] = {1.5, 3.5};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        fixture_begin(&f, 100.0, 1, ten, 3, strikes);
        set_rate(&f, 0.0, 0.0);
        for (int j = 0; j < 3; j++) f.vols[j] = vols[i];
        enum status status = try_steps(&steps, &f.market, 10.0, 0.25, &said);
        print_message("%s\n", said.text);
        assert_int_equal(status, i ? STATUS_FAILED : STATUS_OK);
        if (i)
            assert_non_null(
                strstr(said.text, "asset 'INDEX': local_vol cannot follow its volatilities to 7"));
        free_steps(&steps);
        fixture_end(&f);
    }
}

/* Surfaces drawn at random: the formula with parameters up to the bounds of no arbitrage, phi
 * constant or a power of theta (Gatheral and Jacquier 2014, theorem 4.2: theta phi (1 + |rho|) <= 4
 * and theta phi^2 (1 + |rho|) <= 4, here a little beyond the second, which is not necessary). */
static double drawn(uint64_t *state, double low, double high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

static void random_surface(struct fixture *f, uint64_t *state)
{
    const double vols[5] = {0.1, 0.2, 0.3, 0.4, 0.6}, lows[4] = {10.0, 20.0, 40.0, 60.0};
    const double rate = drawn(state, -0.01, 0.06);
    double strikes[24], low = lows[(int)drawn(state, 0.0, 4.0)], high = drawn(state, 150.0, 300.0);
    double vol = vols[(int)drawn(state, 0.0, 5.0)], rho = drawn(state, -0.95, 0.95),
           gamma = drawn(state, 0.1, 0.5);
    double eta = drawn(state, 0.5, 1.0) * 2.0 / (1.0 + fabs(rho)),
           constant = drawn(state, 0.0, 2.0) < 1.0;
    double phi2 = drawn(state, 2.0, 6.0) / (2.0 * vol * vol * (1.0 + fabs(rho)));
    double phi_most = fmin(sqrt(phi2), 3.9 / (2.0 * vol * vol * (1.0 + fabs(rho))));
    for (int i = 0; i < 24; i++) strikes[i] = low * pow(high / low, i / 23.0);
    fixture_begin(f, 100.0, 8, ssvi_times, 24, strikes);
    set_rate(f, rate, 0.0);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 24; i++) {
            double t = ssvi_times[j], theta = vol * vol * t, k = log(strikes[i] / 100.0) - rate * t;
            double phi = constant != 0.0 ? phi_most
                                         : eta * pow(theta, -gamma) * pow(1.0 + theta, gamma - 1.0);
            f->vols[j * 24 + i] = sqrt(ssvi(theta, rho, phi, k) / t);
        }
    print_message("vol %.1f, rho %5.2f, %s, strikes %.0f to %.0f: ", vol, rho,
                  constant != 0.0 ? "phi constant" : "power law", low, high);
}

/* Whatever the surface: European options within a basis point of it, or refused with the date. */
LONG_TEST(random_surfaces_are_given_back_or_refused)
{
    static struct steps steps;
    const double expiries[3] = {0.25, 1.0, 2.0}, longest[4] = {0.25, 0.08, 0.02, 0.01};
    uint64_t draws = 12;
    int right = 0, refused = 0, arbitrage = 0;
    for (int n = 0; n < 60; n++) {
        struct fixture f;
        double strikes[DELTAS], values[DELTAS + 1];
        random_surface(&f, &draws);
        double t = expiries[(int)drawn(&draws, 0.0, 3.0)],
               step = longest[(int)drawn(&draws, 0.0, 4.0)];
        if (surface_make(&f.surface, &f.market, 0, &said)) {
            print_message("%s\n", said.text);
            f.surface = (struct implied_surface){0};
            arbitrage++;
        } else if (try_steps(&steps, &f.market, t, step, &said)) {
            print_message("%s\n", said.text);
            assert_non_null(strstr(said.text, "years: the mean of the spot"));
            free_steps(&steps);
            refused++;
        } else {
            struct grid grid = grid_far_out(&f.surface, t);
            delta_strikes(&f.surface, t, strikes);
            expectations(&f, &steps, &grid, &few_points, DELTAS, strikes, values);
            double worst = furthest_off(&f.surface, t, strikes, values);
            print_message("expiry %.2f, steps of %.2f: %5.2f basis points, forward %.1e\n", t, step,
                          1e4 * worst, values[DELTAS] - 1.0);
            assert_true(fabs(worst) < 1e-4);
            free_steps(&steps);
            right++;
        }
        fixture_end(&f);
    }
    print_message("%d right, %d refused, %d with arbitrage\n", right, refused, arbitrage);
    assert_true(right >= 30);
}

/* Simulated with the project's normals: the forward, and the clock, which is the variance that a
 * path accrues. Its mean is -2 E[ln S / F], here from the surface's own law. */
TEST(paths_accrue_the_variance_of_the_surface)
{
    enum { PATHS = 1 << 17 };
    static struct steps steps;
    struct fixture f;
    const double expiry = 1.0, spacing = 1e-3;
    struct tally clock = {0}, mean = {0};
    dax(&f);
    make_steps(&steps, &f.market, expiry, 0.02);
    double forward = surface_log_forward(&f.market, 0, expiry), expected = 0.0;
    for (uint64_t path = 0; path < PATHS; path++) {
        struct path_state s = {.x = log2(f.assets[0].spot)};
        for (int i = 0; i < steps.n; i++) {
            uint32_t word = philox_block(20, path / 2, 0, (uint32_t)i).word0;
            double z = (double)normal_from_bits(path % 2 ? ~word : word, normal_cubic);
            local_vol_step(steps.c[i], steps.lookup.table, &s, &z);
        }
        mean = tally_add(mean, exp(s.x / LOG2_E - forward));
        clock = tally_add(clock, s.clock / (LOG2_E * LOG2_E));
    }
    assert_true(fabs(mean.mean - 1.0) < 4.0 * tally_standard_error(mean));
    for (double k = -6.0; k < 4.0; k += spacing)
        expected -= 2.0 * spacing * k * law_density(surface_of(&f), k, expiry);
    print_message("accrued variance %.5f, -2 E[ln S/F] %.5f\n", clock.mean, expected);
    assert_true(fabs(clock.mean / expected - 1.0) < 0.015);
    free_steps(&steps);
    fixture_end(&f);
}

ALL_TESTS(local_vol_test)
