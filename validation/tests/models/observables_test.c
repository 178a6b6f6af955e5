/* Touches, recipes and payoffs on paths made by hand, against payoffs worked out here in other
 * ways. */
#include <gsl/gsl_linalg.h>

#include "models/observables/observable.h"
#include "models/observables/accrual_period.h"
#include "models/payoffs/products.h"
#include "validation/tests/every_product.h"
#include "validation/tests/test.h"

#define LN2 0.693147180559945309417
#define PI 3.14159265358979323846
#define PATH_ERROR                                                                                 \
    1e-8 /* of a value: what path_exp2 of a spot may leave in a difference of spots */

static void assert_close(double got, double wanted, double relative)
{
    if (fabs(got - wanted) <= relative * fmax(1e-3, fabs(wanted))) return;
    fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static struct every_product book;

static int make_book(void **state)
{
    (void)state;
    every_product_make(&book, 0.0);
    return 0;
}

static int free_book(void **state)
{
    (void)state;
    every_product_free(&book);
    return 0;
}

/* ---- a path at a time ------------------------------------------------------------------------ */

typedef void observe_function(const struct observation *, double, double, double, struct memory *);

static const struct observable_kind {
    observe_function *observe;
    int reads, coefficients;
} kinds[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                         \
    [OBSERVATION_##NAME] = {observe_##name, reads, coefficients},
#include "models/observables/observables.def"
#undef OBSERVABLE
};

static void observe(int kind, const struct observation *t, double x, struct memory *m)
{
    kinds[kind].observe(t, x, 0.0, 0.0, m);
}

typedef double value_function(const struct payoff *, double, double, double);

static value_function *const value_of[N_FORMULAS] = {
#define PAYOFF(NAME, name, ...) [FORMULA_##NAME] = name##_value,
#include "models/payoffs/formulas.def"
#undef PAYOFF
};

/* What ln S of every asset is moved by at each date: spread(t) z, of slope `late` beyond the pivot.
 */
static struct {
    double z, pivot, late;
    const struct term_structure *variance; /* of one asset; NULL: spread(t) = late on all dates */
} lift;

static double lift_at(double t)
{
    if (!lift.variance || t >= lift.pivot) return lift.late * lift.z;
    return term_accrued(lift.variance, t) / lift.late * lift.z;
}

/* The spot of an asset on path number `path`: any smooth function does. */
static double spot_at(const struct market *market, int path, int asset, double t)
{
    double up = sin(1.7 * path + 0.9 * asset) * t, wave = sin((5.0 + asset) * t + path);
    return market->assets[asset].spot * exp(0.25 * up + 0.12 * (wave - sin(path)) + lift_at(t));
}

struct placed {
    double date;
    int asset;
    struct observation observation;
};

/* The plan's order: date, kind, observable, asset. */
static int compare_placed(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;
    if (fabs(p->date - q->date) > 1e-9) return p->date < q->date ? -1 : 1;
    if (p->observation.kind != q->observation.kind)
        return (int)p->observation.kind - (int)q->observation.kind;
    if (p->observation.slot != q->observation.slot)
        return p->observation.slot - q->observation.slot;
    return p->asset - q->asset;
}

enum { PLACES = 4096, TABLE = 20000 };

static struct observable laid[3];
static struct placed places[PLACES];
static float table[TABLE];
static bool keep_table; /* a policy made by hand; else nobody exercises before the last date */

static int lay(const struct market *market, const struct payoff_definition *definition)
{
    int n = 0, floats = 0;
    for (int i = 0; i < definition->n_functionals; i++) {
        struct observable *o = &laid[i];
        assert_ok(observable_lay_out(market, &definition->functionals[i], 0.02, o, &said));
        int within = definition->functionals[i].within;
        o->slot = within ? laid[within].slot + 2 : OBSERVABLE_SLOTS * i;
        o->table = floats;
        floats += o->n_table;
        assert_true(floats <= TABLE);
        for (int k = 0; k < o->n_table && !keep_table; k++)
            table[o->table + k] =
                k % (o->n_table / o->n_dates) || k + o->n_table / o->n_dates == o->n_table
                    ? 0.0f
                    : EXERCISE_NEVER;
        for (int k = 0; k < o->n_dates * o->n_parts; k++) {
            struct placed *p = &places[n++];
            *p =
                (struct placed){.date = o->dates[k / o->n_parts], .observation = {.slot = o->slot}};
            assert_ok(observation_make(market, o, k / o->n_parts, k % o->n_parts, &p->observation,
                                       &said));
            p->asset = observation_asset(o, k % o->n_parts);
            if (definition->functionals[i].source >= 0)
                p->observation.source = laid[definition->functionals[i].source].slot;
        }
    }
    assert_true(n <= PLACES);
    qsort(places, (size_t)n, sizeof *places, compare_placed);
    return n;
}

/* Value of one unit of the trade on a path. */
static double value_on_path(const struct market *market, const struct trade *trade, int path)
{
    double state[3 * OBSERVABLE_SLOTS];
    struct payoff_definition definition;
    payoff_define(market, trade, &definition);
    int n = lay(market, &definition);
    for (int i = 0; i < definition.n_functionals; i++)
        memcpy(state + OBSERVABLE_SLOTS * i, laid[i].initial, sizeof laid[i].initial);
    for (int k = 0; k < n; k++) {
        const struct observation *t = &places[k].observation;
        double *own = state + t->slot;
        struct memory m = {.a = own[0], .b = own[1], .c = own[2], .d = own[3], .table = table};
        if (kinds[t->kind].reads & READS_SOURCE)
            m.source_a = state[t->source], m.source_b = state[t->source + 1];
        observe(t->kind, t, exact_log2(spot_at(market, path, places[k].asset, places[k].date)), &m);
        own[0] = m.a, own[1] = m.b, own[2] = m.c, own[3] = m.d;
    }
    double seen[3];
    for (int s = 0; s < 3; s++) { /* a row within another observable is that one's second slot */
        int row = definition.payoff.rows[s], within = definition.functionals[row].within;
        seen[s] = state[OBSERVABLE_SLOTS * (within ? within : row) + (within > 0)];
    }
    for (int i = 0; i < definition.n_functionals; i++) free(laid[i].dates);
    return value_of[definition.payoff.formula](&definition.payoff, seen[0], seen[1], seen[2]);
}

/* ---- the payoffs, worked out from the book's words ------------------------------------------- */

static double discount(const struct market *market, const struct trade *trade, double t)
{
    return exp(-term_accrued(&market->currencies[market->assets[trade->asset].currency].rate, t));
}

static double weighted(const struct market *market, const struct trade *t, int path, int i,
                       double date)
{
    return (t->weights ? t->weights[i] : 1.0) * spot_at(market, path, t->assets[i], date);
}

static double basket_price(const struct market *market, const struct trade *t, int path,
                           double date)
{
    double sum = 0.0, product = 1.0, weights = 0.0, best = 0.0, worst = HUGE_VAL;
    for (int i = 0; i < t->n_assets; i++) {
        double part = weighted(market, t, path, i, date), weight = t->weights ? t->weights[i] : 1.0;
        sum += part;
        weights += weight;
        product *= pow(part / weight, weight);
        best = fmax(best, part);
        worst = fmin(worst, part);
    }
    double price[] = {sum, pow(product, 1.0 / weights), best, worst};
    return price[t->n_assets > 1 ? t->kind : BASKET_AVERAGE];
}

static double exercised(const struct trade *t, double price)
{
    return fmax(0.0, t->option == OPTION_CALL ? price - t->strike : t->strike - price);
}

static double expected_basket(const struct market *market, const struct trade *t, int path)
{
    return discount(market, t, t->expiry) * exercised(t, basket_price(market, t, path, t->expiry));
}

static double expected_cliquet(const struct market *market, const struct trade *t, int path)
{
    double sum = 0.0;
    for (int i = 0; i < t->resets.n; i++) {
        double to = i + 1 < t->resets.n ? t->resets.times[i + 1] : t->expiry;
        double gain = spot_at(market, path, t->asset, to) /
                          spot_at(market, path, t->asset, t->resets.times[i]) -
                      1.0;
        sum += fmin(fmax(gain, t->local_floor), t->local_cap);
    }
    return t->notional * fmin(fmax(sum, t->global_floor), t->global_cap) *
           discount(market, t, t->expiry);
}

static double expected_variance_swap(const struct market *market, const struct trade *t, int path)
{
    double sum = t->past_variance * t->past_years, last = market->assets[t->asset].spot;
    for (int i = 0; i < t->fixings.n; i++) {
        double spot = spot_at(market, path, t->asset, t->fixings.times[i]);
        sum += pow(log(spot / last), 2.0);
        last = spot;
    }
    double realised = sum / (t->past_years + t->expiry);
    return t->notional * (realised - pow(t->strike_volatility, 2.0)) *
           discount(market, t, t->expiry);
}

static double worst_level(const struct market *market, const struct trade *t, int path, double date)
{
    double worst = HUGE_VAL;
    for (int i = 0; i < t->n_assets; i++)
        worst = fmin(worst, spot_at(market, path, t->assets[i], date) / t->initial[i]);
    return worst;
}

static double expected_autocallable(const struct market *market, const struct trade *t, int path)
{
    double value = 0.0, worst;
    int missed = 0;
    for (int i = 0; i < t->observations.n; i++) {
        double date = t->observations.times[i], paid = t->notional * discount(market, t, date);
        worst = worst_level(market, t, path, date);
        if (worst >= t->coupon_level) {
            value += paid * t->coupon * (t->memory ? 1 + missed : 1);
            missed = 0;
        } else {
            missed++;
        }
        if (worst >= t->call_level) return value + paid;
    }
    worst = worst_level(market, t, path, t->expiry);
    return value + t->notional * discount(market, t, t->expiry) *
                       (worst < t->protection_level ? worst : 1.0);
}

/* Before a policy is fitted: held to the last date. */
static double expected_american(const struct market *market, const struct trade *t, int path)
{
    double last = t->exercise.times[t->exercise.n - 1];
    return discount(market, t, last) * exercised(t, basket_price(market, t, path, last));
}

TEST(products_pay_what_the_book_says)
{
    static double (*const expected[N_PRODUCTS])(const struct market *, const struct trade *,
                                                int) = {
        [PRODUCT_BASKET] = expected_basket,
        [PRODUCT_SPREAD] = expected_basket,
        [PRODUCT_CLIQUET] = expected_cliquet,
        [PRODUCT_VARIANCE_SWAP] = expected_variance_swap,
        [PRODUCT_AUTOCALLABLE] = expected_autocallable,
        [PRODUCT_AMERICAN] = expected_american};
    int met[N_PRODUCTS] = {0}, paid[N_PRODUCTS] = {0};
    for (int i = 0; i < book.n_trades; i++) {
        const struct trade *trade = &book.trades[i];
        if (!expected[trade->product] || trade->pivot > 0.0 || trade->slope_of) continue;
        met[trade->product]++;
        for (int path = 0; path < 40; path++) {
            double wanted = expected[trade->product](&book.market, trade, path);
            paid[trade->product] += wanted != 0.0;
            assert_close(value_on_path(&book.market, trade, path), wanted, PATH_ERROR);
        }
    }
    for (int p = 0; p < N_PRODUCTS; p++)
        if (expected[p]) assert_true(met[p] >= 2 && paid[p] >= 20);
}

/* Paths must meet every branch of an autocallable, or the test above proves little. */
TEST(autocallables_meet_every_end)
{
    int called = 0, repaid = 0, lost = 0;
    for (int i = 0; i < book.n_trades; i++) {
        const struct trade *t = &book.trades[i];
        if (t->product != PRODUCT_AUTOCALLABLE) continue;
        for (int path = 0; path < 40; path++) {
            bool early = false;
            for (int k = 0; k < t->observations.n; k++)
                early |=
                    worst_level(&book.market, t, path, t->observations.times[k]) >= t->call_level;
            bool low = worst_level(&book.market, t, path, t->expiry) < t->protection_level;
            called += early, lost += !early && low, repaid += !early && !low;
        }
    }
    assert_true(called > 4 && repaid > 4 && lost > 4);
}

/* ---- one normal left open -------------------------------------------------------------------- */

/* Standard deviation at the pivot of the move that all assets make together, and the normal of the
 * path: of the portfolio of weights w = C^-1 1 / (1' C^-1 1), which has the least variance. */
static double normal_of_path(const struct market *market, const struct trade *trade, int path,
                             double *spread)
{
    enum { MOST = 3 };
    int n = trade_n_assets(trade), sign;
    double c[MOST * MOST], ones[MOST] = {1.0, 1.0, 1.0}, y[MOST], sum = 0.0, above = 0.0;
    for (int i = 0; i < n * n; i++) {
        int a = trade_asset(trade, i / n), b = trade_asset(trade, i % n);
        double from = 0.0, covariance = 0.0;
        for (int d = 1; d <= 1000; d++) { /* volatilities change within the period */
            double to = trade->pivot * d / 1000.0;
            covariance += sqrt((term_accrued(&market->assets[a].variance, to) -
                                term_accrued(&market->assets[a].variance, from)) *
                               (term_accrued(&market->assets[b].variance, to) -
                                term_accrued(&market->assets[b].variance, from)));
            from = to;
        }
        c[i] = covariance * (a == b ? 1.0 : market->correlation[a * market->n_assets + b]);
    }
    gsl_matrix_view matrix = gsl_matrix_view_array(c, (size_t)n, (size_t)n);
    gsl_vector_view right = gsl_vector_view_array(ones, (size_t)n),
                    solution = gsl_vector_view_array(y, (size_t)n);
    gsl_permutation *order = gsl_permutation_alloc((size_t)n);
    gsl_linalg_LU_decomp(&matrix.matrix, order, &sign);
    gsl_linalg_LU_solve(&matrix.matrix, order, &right.vector, &solution.vector);
    gsl_permutation_free(order);
    for (int i = 0; i < n; i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        double grown = term_accrued(&market->currencies[asset->currency].rate, trade->pivot) -
                       term_accrued(&asset->yield, trade->pivot) -
                       0.5 * term_accrued(&asset->variance, trade->pivot);
        above +=
            y[i] *
            (log(spot_at(market, path, trade_asset(trade, i), trade->pivot) / asset->spot) - grown);
        sum += y[i];
    }
    *spread = 1.0 / sqrt(sum);
    return above * *spread;
}

/* The mean of the trade without its pivot over that normal, the path moving with it: a sum of 2400
 * terms, which is off by a jump times a part of 1 / 200 times a density. */
static double mean_by_sum(const struct market *market, const struct trade *trade, int path)
{
    struct trade plain = *trade;
    double spread, of_path, sum = 0.0;
    memset(&lift, 0, sizeof lift);
    of_path = normal_of_path(market, trade, path, &spread);
    plain.pivot = 0.0;
    lift.late = spread;
    lift.pivot = trade->pivot;
    if (trade->product != PRODUCT_AUTOCALLABLE)
        lift.variance = &market->assets[trade->asset].variance;
    for (int i = 0; i < 2400; i++) {
        double z = (i + 0.5) / 200.0 - 6.0;
        lift.z = z - of_path;
        sum += value_on_path(market, &plain, path) * exp(-0.5 * z * z) / (200.0 * sqrt(2.0 * PI));
    }
    memset(&lift, 0, sizeof lift);
    return sum;
}

TEST(open_normals_are_integrated_out)
{
    int met = 0, between = 0;
    for (int i = 0; i < book.n_trades; i++) {
        const struct trade *trade = &book.trades[i];
        double size = trade->product == PRODUCT_AUTOCALLABLE ? trade->notional
                      : trade->product == PRODUCT_TOUCH      ? trade->cash
                                                             : 0.2 * trade->strike;
        if (!(trade->pivot > 0.0)) continue;
        for (int path = 0; path < 3; path++) {
            double mean = value_on_path(&book.market, trade, path);
            double sum = mean_by_sum(&book.market, trade, path);
            if (!(fabs(mean - sum) <= 2e-3 * size))
                fail_msg("%s, path %d: %.9g, by the sum %.9g", trade->id, path, mean, sum);
            between += mean > 0.02 * size && mean < 0.9 * size;
            met++;
        }
    }
    assert_true(met >= 80 && between >= 40);
}

/* ---- baskets --------------------------------------------------------------------------------- */

TEST(baskets_begin_with_the_first_of_the_market)
{
    int seen = 0;
    for (int i = 0; i < book.n_trades; i++) {
        struct trade *trade = &book.trades[i];
        struct payoff_definition definition;
        struct observable o;
        struct observation t;
        int asset, last = -1;
        if (trade->product != PRODUCT_BASKET) continue;
        payoff_define(&book.market, trade, &definition);
        assert_ok(observable_lay_out(&book.market, &definition.functionals[0], 0.02, &o, &said));
        assert_int_equal(o.n_parts, 3);
        for (int part = 0; part < o.n_parts; part++) {
            assert_ok(observation_make(&book.market, &o, 0, part, &t, &said));
            asset = observation_asset(&o, part);
            assert_int_equal(t.kind, o.kind + (part > 0));
            assert_true(asset > last);
            last = asset;
        }
        free(o.dates);
        seen++;
        if (trade->kind == BASKET_AVERAGE) continue;
        trade->weights[1] =
            trade->kind == BASKET_GEOMETRIC ? -trade->weights[0] - trade->weights[2] : 0.0;
        assert_ok(observable_lay_out(&book.market, &definition.functionals[0], 0.02, &o, &said));
        enum status refused = STATUS_OK;
        for (int part = 0; part < o.n_parts && !refused; part++)
            refused = observation_make(&book.market, &o, 0, part, &t, &said);
        assert_int_equal(refused, STATUS_FAILED);
        assert_non_null(strstr(said.text, "weight"));
        free(o.dates);
    }
    assert_int_equal(seen, 8);
}

TEST(second_best_and_second_worst)
{
    double x[4] = {3.0, 5.0, 4.5, 4.75}, w[4] = {0.5, -0.25, 1.0, 0.0};
    struct memory top = {0}, bottom = {0}, best = {0}, worst = {0};
    for (int i = 0; i < 4; i++) {
        struct observation t = {.c = {w[i], 1.0}}, of_best = {.c = {w[i], i}};
        observe(i ? OBSERVATION_TOP_OF_MORE : OBSERVATION_TOP_OF, &t, x[i], &top);
        observe(i ? OBSERVATION_BOTTOM_OF_MORE : OBSERVATION_BOTTOM_OF, &t, x[i], &bottom);
        observe(i ? OBSERVATION_BEST_OF_MORE : OBSERVATION_BEST_OF, &of_best, x[i], &best);
        observe(i ? OBSERVATION_WORST_OF_MORE : OBSERVATION_WORST_OF, &of_best, x[i], &worst);
    }
    assert_true(top.a == 5.5 && top.b == 4.75);
    assert_true(bottom.a == 3.5 && bottom.b == 4.75);
    assert_true(best.a == 5.5 && best.b == 2.0);
    assert_true(worst.a == 3.5 && worst.b == 0.0);
    struct observation half = {.c = {1.0, 0.5}};
    observe(OBSERVATION_TOP_OF, &half, 3.0, &top);
    assert_true(top.a == 2.5);
    observe(OBSERVATION_SUM_OF, &half, 4.0, &bottom);
    assert_true(bottom.a == 4.0);
    observe(OBSERVATION_SHARE_OF, &half, 4.0, &bottom);
    observe(OBSERVATION_SHARE_OF_MORE, &half, 6.0, &bottom);
    assert_true(bottom.a == 12.0 && bottom.b == 4.0 / 12.0);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

/* Where the clock tells the variance that black_scholes knows beforehand, the kinds agree. */
TEST(clocks_agree_with_known_variance)
{
    static const int pairs[4][2] = {{OBSERVATION_BRIDGE_HIGH, OBSERVATION_CLOCK_HIGH},
                                    {OBSERVATION_BRIDGE_LOW, OBSERVATION_CLOCK_LOW},
                                    {OBSERVATION_BARRIER, OBSERVATION_CLOCK_BARRIER},
                                    {OBSERVATION_STRIP, OBSERVATION_CLOCK_STRIP}};
    double moved[4] = {0.0};
    for (int p = 0; p < 4; p++) {
        bool survival = p >= 2;
        struct memory known = {.a = survival ? 1.0 : 6.0, .b = survival ? 0.0 : 6.0, .c = 6.0},
                      clock = known;
        clock.c = survival ? 6.0 : 0.0;
        for (int i = 1; i <= 12; i++) {
            double v = 0.002 * (1 + i % 3), x = 6.0 + 0.05 * sin(3.0 * i), z0 = sin(i),
                   z1 = cos(2.0 * i);
            struct observation t = {.c = {5.9, 0.0, 0.2}};
            clock.clock += v;
            if (!survival) t.c[0] = v;
            else t.c[1] = -2.0 / (LN2 * v), t.c[3] = 40.0;
            double before = known.a;
            kinds[pairs[p][0]].observe(&t, x, z0, z1, &known);
            kinds[pairs[p][1]].observe(&t, x, z0, z1, &clock);
            assert_close(clock.a, known.a, 1e-9);
            assert_close(clock.b, known.b, 1e-9);
            moved[p] += fabs(known.a - before);
        }
        assert_true(moved[p] > 0.01);
    }
}

/* No variance since the last look: only a path that has crossed has touched. */
TEST(clocks_that_stand_still)
{
    struct observation t = {.c = {5.0, 0.0, 2.0}};
    for (int strip = 0; strip < 2; strip++) {
        int on = strip ? OBSERVATION_CLOCK_STRIP : OBSERVATION_CLOCK_BARRIER;
        struct memory m = {.a = 0.75, .c = 6.0, .d = 0.04, .clock = 0.04};
        kinds[on].observe(&t, 5.5, 0.3, 0.3, &m);
        assert_true(m.a == 0.75 && m.b == 0.0 && m.c == 5.5);
        kinds[on].observe(&t, 4.9, 0.3, 0.3, &m);
        assert_true(m.a == 0.0 && m.b == 0.75);
    }
    struct memory high = {.a = 6.0, .b = 6.0, .c = 0.04, .clock = 0.04};
    observe_clock_high(&t, 6.5, 1.0, 1.0, &high);
    assert_close(high.a, 6.5, 1e-12);
}

/* A look with more variance than the strip is wide: next to nothing survives, and what does is a
 * probability. */
TEST(strips_in_one_long_look)
{
    struct observation t = {.c = {5.0, 0.0, 0.5}};
    for (int i = 0; i < 3 * 36; i++) {
        double v = 0.01 * pow(1.3, i % 36), from = 0.15 * (i / 36) + 0.17, to = from - 0.05;
        struct memory m = {.a = 1.0, .c = 5.0 + from, .clock = v};
        observe_clock_strip(&t, 5.0 + to, 0.0, 0.0, &m);
        assert_true(m.a >= 0.0 && m.a <= 1.0);
        double exact = 0.0, w = 0.5, lived; /* the other series: images against eigenfunctions */
        for (int k = 1; k < 60; k++)
            exact += 2.0 / w * sin(k * PI * from / w) * sin(k * PI * to / w) *
                     exp(-0.5 * pow(k * PI / w, 2.0) * v);
        lived = exact / (exp(-0.5 * 0.05 * 0.05 / v) / sqrt(2.0 * PI * v));
        assert_true(fabs(m.a - lived) < 5e-5);
    }
}

/* ---- dates ----------------------------------------------------------------------------------- */

static struct functional barrier_functional(const struct trade *trade, enum functional_kind what,
                                            double end)
{
    return (struct functional){.kind = what,
                               .trade = trade,
                               .dates = {.continuous = true},
                               .end = end,
                               .lower = 80.0,
                               .upper = HUGE_VAL,
                               .source = -1};
}

/* Index of a date, -1 where it is not there. */
static int find(const double *dates, int n, double date)
{
    for (int i = 0; i < n; i++)
        if (fabs(dates[i] - date) < 1e-12) return i;
    return -1;
}

TEST(looks_of_other_models_and_dividends)
{
    struct cash_dividend dividends[3] = {{0.25, 1.0}, {0.75, 1.0}, {1.5, 1.0}};
    struct trade trade = {.product = PRODUCT_BARRIER, .n_assets = 1, .expiry = 0.9};
    struct asset *asset = &book.assets[0];
    asset->n_dividends = 3;
    asset->dividends = dividends;
    for (int model = MODEL_BLACK_SCHOLES; model <= MODEL_MERTON; model++) {
        asset->model = (enum model)model;
        struct functional survival = barrier_functional(&trade, FUNCTIONAL_SURVIVAL, 0.9),
                          payment = survival;
        struct observable o, paid;
        struct observation t = {0}, before = {0};
        payment.kind = FUNCTIONAL_PAYMENT_AT_HIT;
        assert_ok(observable_lay_out(&book.market, &survival, 0.04, &o, &said));
        assert_ok(observable_lay_out(&book.market, &payment, 0.04, &paid, &said));
        bool known = model == MODEL_BLACK_SCHOLES;
        assert_int_equal(o.kind, known ? OBSERVATION_BARRIER : OBSERVATION_CLOCK_BARRIER);
        assert_int_equal(o.n_dates, paid.n_dates);
        assert_memory_equal(o.dates, paid.dates, sizeof(double) * (size_t)o.n_dates);
        int drop = find(o.dates, o.n_dates, 0.25);
        assert_true(drop > 0 && find(o.dates, o.n_dates, 0.25 - BEFORE_DIVIDEND) == drop - 1);
        assert_true(find(o.dates, o.n_dates, 0.75) > 0 &&
                    find(o.dates, o.n_dates, 0.9) == o.n_dates - 1);
        for (int i = 0; i < o.n_dates; i++) {
            double from = i ? o.dates[i - 1] : 0.0;
            assert_true(o.dates[i] > from && (known || o.dates[i] - from <= 0.04 + 1e-12));
        }
        assert_ok(observation_make(&book.market, &paid, drop, 0, &t, &said));
        assert_ok(observation_make(&book.market, &paid, drop - 1, 0, &before, &said));
        assert_int_equal(t.kind, OBSERVATION_PAY_ON_DATE);
        assert_int_equal(before.kind, known ? OBSERVATION_PAY_AT_HIT : OBSERVATION_PAY_ON_DATE);
        double from = drop > 1 ? o.dates[drop - 2] : 0.0, to = o.dates[drop - 1];
        double middle =
            sqrt(discount(&book.market, &trade, from) * discount(&book.market, &trade, to));
        if (!known) assert_close(before.c[0], middle, 1e-12);
        free(o.dates);
        free(paid.dates);
    }
}

/* A quanto: the drift under the measure of the money that is paid, and its discount factor. */
TEST(quanto_periods)
{
    struct trade trade = {
        .product = PRODUCT_BARRIER, .asset = 0, .n_assets = 1, .quanto = {1, {1}}, .expiry = 0.9};
    book.correlation[0 * 5 + 1] = book.correlation[1 * 5 + 0] = 0.4;
    book.assets[1].foreign_currency = 0; /* money of 1 for one unit of that of 0 */
    struct functional functional = barrier_functional(&trade, FUNCTIONAL_SURVIVAL, 0.9);
    struct accrual_period quanto = accrual_between(&book.market, &functional, 0.3, 0.8);
    trade.quanto.n = 0;
    struct accrual_period plain = accrual_between(&book.market, &functional, 0.3, 0.8);
    double v0 = 0.25 * 0.25 * 0.8 - 0.28 * 0.28 * 0.3, v1 = 0.18 * 0.18 * 0.8 - 0.17 * 0.17 * 0.3;
    assert_close(plain.drift, 0.028 * 0.8 - 0.020 * 0.3 - (0.022 * 0.8 - 0.010 * 0.3) - 0.5 * v0,
                 1e-12);
    assert_close(quanto.drift - plain.drift, -0.4 * sqrt(v0 * v1), 1e-12);
    assert_close(quanto.discount, exp(-0.041 * 0.8), 1e-12);
    assert_close(plain.discount, exp(-0.028 * 0.8), 1e-12);
    /* An asset in the currency paid is not shifted; one paid through a rate turned round is by the
     * opposite. The third rate is of two currencies: both share the first one. */
    trade.quanto = (struct quanto){1, {1}};
    int own = book.assets[0].currency;
    book.assets[0].currency = book.assets[1].currency;
    struct accrual_period idle = accrual_between(&book.market, &functional, 0.3, 0.8);
    trade.quanto.n = 0;
    plain = accrual_between(&book.market, &functional, 0.3, 0.8);
    assert_close(idle.drift, plain.drift, 1e-15);
    struct asset second = book.assets[2];
    book.assets[2].currency = own, book.assets[2].foreign_currency = 2;
    trade.quanto = (struct quanto){2, {1, 2}};
    struct accrual_period turned = accrual_between(&book.market, &functional, 0.3, 0.8);
    assert_close(turned.drift - plain.drift, 0.4 * sqrt(v0 * v1), 1e-12);
    assert_close(turned.discount, exp(-0.028 * 0.8), 1e-12);
    book.assets[0].currency = own, book.assets[2] = second;
}

/* ---- early exercise -------------------------------------------------------------------------- */

#define LED 0.03 /* what waiting is worth more under each asset than under the one before */

/* The slope, in today's spot of the asset that it is of, of what exercise at a price brings. */
static double slope_on(const struct market *market, const struct trade *t, int path, double date,
                       double price)
{
    int asset = t->slope_of - 1;
    double part = weighted(market, t, path, asset, date);
    if (part != price) return 0.0; /* another leads */
    return (t->option == OPTION_CALL ? 1.0 : -1.0) * discount(market, t, date) * part /
           market->assets[t->assets[asset]].spot;
}

/* A policy by hand: exercise where the gain is at least `least` of the strike plus `slope` times
 * the second feature. */
static double exercised_at_first(const struct market *market, const struct trade *t, int path,
                                 double least, double slope)
{
    for (int i = 0; i < t->exercise.n; i++) {
        double date = t->exercise.times[i], price = basket_price(market, t, path, date),
               second = t->strike, more = 0.0;
        bool two = t->n_assets > 1 && t->kind >= BASKET_BEST_OF;
        if (two) { /* the second one of three is neither the best nor the worst */
            double sum = 0.0, least_part = HUGE_VAL, most_part = 0.0;
            for (int a = 0; a < 3; a++) {
                double part = weighted(market, t, path, a, date);
                sum += part;
                least_part = fmin(least_part, part), most_part = fmax(most_part, part);
            }
            second = sum - least_part - most_part;
            for (int a = 0; a < 3; a++) /* the asset that leads, in the order of the market */
                if (weighted(market, t, path, a, date) ==
                    (t->kind == BASKET_BEST_OF ? most_part : least_part))
                    for (int other = 0; other < 3; other++)
                        more += LED * (t->assets[other] < t->assets[a]);
        }
        if (t->n_assets == 2 && t->exercise_apart) { /* the share of the first in the market */
            int first = t->assets[1] < t->assets[0];
            second += t->strike * weighted(market, t, path, first, date) / price;
        }
        double gain = exercised(t, price) / t->strike,
               waiting = least + more + slope * (second / t->strike - 1.0);
        bool last = i == t->exercise.n - 1;
        if (!(gain > 0.0 && (last || gain >= waiting))) continue;
        if (!t->slope_of) return gain * t->strike * discount(market, t, date);
        return slope_on(market, t, path, date, price);
    }
    return 0.0;
}

TEST(exercise_follows_its_policy)
{
    int early = 0, slopes = 0;
    for (int i = 0; i < book.n_trades; i++) {
        const struct trade *trade = &book.trades[i];
        if (trade->product != PRODUCT_AMERICAN) continue;
        for (int path = 0; path < 40; path++) {
            struct trade apart = *trade;
            bool leads = trade->n_assets > 1 && trade->kind >= BASKET_BEST_OF;
            apart.exercise_apart = path % 2 && trade->n_assets > 1;
            int leaders = leads ? trade->n_assets : apart.exercise_apart;
            int terms = leader_terms(&apart);
            memset(table, 0, sizeof table);
            for (int date = 0; date < trade->exercise.n - 1; date++) {
                float *p = table + date * (EXERCISE_TERMS + terms * leaders);
                p[0] = 0.0625f, p[4] = 0.25f;
                for (int a = 0; leads && a < leaders; a++)
                    p[EXERCISE_TERMS + terms * a] = (float)(LED * a);
            }
            double wanted = exercised_at_first(&book.market, &apart, path, 0.0625, 0.25);
            early += wanted != expected_american(&book.market, trade, path);
            slopes += trade->slope_of && wanted != 0.0;
            keep_table = true;
            assert_close(value_on_path(&book.market, &apart, path), wanted, PATH_ERROR);
            keep_table = false;
        }
    }
    assert_true(early > 20 && slopes > 20);
}

TEST(the_cubic_and_its_terms)
{
    static const float p[EXERCISE_TERMS] = {0.5f,  -1.25f, 2.0f,  0.75f, 3.0f,
                                            -0.5f, 1.5f,   -2.0f, 0.25f, 1.0f};
    for (double f = -0.9; f < 1.0; f += 0.3)
        for (double g = -0.8; g < 1.0; g += 0.4) {
            double terms[EXERCISE_TERMS], sum = 0.0;
            exercise_terms(f, g, terms);
            for (int k = 0; k < EXERCISE_TERMS; k++) sum += (double)p[k] * terms[k];
            assert_close(exercise_continuation(p, f, g), sum, 1e-13);
            double other = p[0] + p[1] * f + p[2] * pow(f, 2) + p[3] * pow(f, 3) + p[4] * g +
                           p[5] * f * g + p[6] * f * f * g + p[7] * g * g + p[8] * f * g * g +
                           p[9] * pow(g, 3);
            assert_close(sum, other, 1e-13);
        }
}

TEST(exercise_that_sees_the_variance)
{
    struct asset *asset = &book.assets[0];
    asset->model = MODEL_HESTON;
    asset->heston = (struct heston){.v0 = 0.04, .theta = 0.0625, .kappa = 1.0};
    struct trade trade = {.product = PRODUCT_AMERICAN,
                          .n_assets = 1,
                          .expiry = 1.0,
                          .strike = 100.0,
                          .option = OPTION_PUT,
                          .exercise = {.continuous = true}};
    struct payoff_definition definition;
    struct observable o;
    struct observation t = {0};
    payoff_define(&book.market, &trade, &definition);
    assert_int_equal(definition.functionals[1].source, 0);
    assert_ok(observable_lay_out(&book.market, &definition.functionals[1], 0.02, &o, &said));
    assert_int_equal(o.kind, OBSERVATION_EXERCISE_VARIANCE);
    assert_int_equal(o.n_dates, 513);
    assert_true(o.dates[0] < 1e-5 && o.dates[1] == 1.0 / 512 && o.dates[512] == 1.0);
    assert_int_equal(o.n_table, 513 * EXERCISE_TERMS);
    o.table = 8;
    memset(table, 0, sizeof table);
    table[18 + 4] = 0.8f; /* the second date: waiting is worth 0.8 times the second feature */
    assert_ok(observation_make(&book.market, &o, 1, 0, &t, &said));
    assert_true(t.c[5] == 18.0);
    struct memory m = {.b = 1.0, .source_a = 90.0, .v = 0.08, .table = table};
    observe_exercise_variance(&t, 0.0, 0.0, 0.0, &m);
    assert_true(m.a == 0.0 && m.b == 1.0); /* 0.1 < 0.105 */
    m.v = 0.07;
    observe_exercise_variance(&t, 0.0, 0.0, 0.0, &m); /* 0.1 > 0.047 */
    assert_close(m.a, 10.0 * discount(&book.market, &trade, 1.0 / 512), 1e-12);
    assert_true(m.b == 0.0);
    m = (struct memory){.b = 1.0, .source_a = 101.0, .v = 0.01, .table = table};
    observe_exercise_variance(&t, 0.0, 0.0, 0.0,
                              &m); /* waiting is said to be worth less than nothing */
    assert_true(m.a == 0.0 && m.b == 1.0);
    free(o.dates);
}

/* ---- sharing --------------------------------------------------------------------------------- */

TEST(requests_are_shared_where_all_is_the_same)
{
    int shared = 0;
    for (int i = 0; i < book.n_trades; i++) {
        struct trade other = book.trades[i];
        struct payoff_definition one, two;
        double weights[TRADE_ASSETS_MAX];
        other.quantity = 7.0;
        payoff_define(&book.market, &book.trades[i], &one);
        payoff_define(&book.market, &other, &two);
        for (int r = 0; r < one.n_functionals; r++)
            assert_true(functional_equal(&one.functionals[r], &two.functionals[r]));
        int last = one.n_functionals - 1;
        if (other.product == PRODUCT_AMERICAN) other.strike += 1.0;
        else if (other.product == PRODUCT_AUTOCALLABLE) other.coupon += 0.01;
        else if (other.product == PRODUCT_CLIQUET) other.local_floor -= 0.01;
        else if (other.product == PRODUCT_BASKET) {
            memcpy(weights, other.weights, sizeof(double) * (size_t)other.n_assets);
            weights[1] *= 1.5;
            other.weights = weights;
        } else continue;
        payoff_define(&book.market, &other, &two);
        assert_false(functional_equal(&one.functionals[last], &two.functionals[last]));
        shared++;
    }
    assert_true(shared >= 15);
}

/* Coefficients beyond those that the table has for a kind change nothing. */
TEST(coefficients_are_as_many_as_the_table_says)
{
    static const float policy[64] = {0.3f, 0.2f, 0.1f};
    for (int on = 0; on < N_OBSERVATION_KINDS; on++) {
        struct memory found[2];
        for (int k = 0; k < 2; k++) {
            struct observation observation = {.kind = (uint16_t)on};
            for (int i = 0; i < 6; i++)
                observation.c[i] = i < kinds[on].coefficients ? 1.0 + i : k ? NAN : 0.0;
            found[k] = (struct memory){.a = 0.5,
                                       .b = 0.75,
                                       .c = 1.5,
                                       .d = 0.1,
                                       .source_a = 2.0,
                                       .source_b = 3.0,
                                       .clock = 0.4,
                                       .v = 0.2,
                                       .table = policy};
            kinds[on].observe(&observation, 1.25, 0.3, -0.7, &found[k]);
        }
        assert_memory_equal(&found[0].a, &found[1].a, 4 * sizeof(double));
        for (int i = 0; i < 4; i++) assert_true(isfinite((&found[1].a)[i]));
    }
}

ALL_TESTS_EACH(observables_test, make_book, free_book)
