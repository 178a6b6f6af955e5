/* What a reference may take: work and memory are counted, a signal ends it at once, and what is too
 * much is refused by its count, the same on every machine. */
#include <stdatomic.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "validation/tests/every_model.h"
#include "models/base/stop.h"
#include "validation/tests/reference/reference_several.h"
#include "validation/tests/with_references.h"
#include "validation/tests/test.h"

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void *released;

static void note_release(void *object)
{
    released = object;
}

TEST(work_and_memory_are_counted)
{
    struct effort effort = effort_full(NULL);
    double *array, *other;
    assert_ok(effort_spend(&effort, 1e9));
    assert_true(effort.work == EFFORT_WORK - 1e9);
    assert_ok(effort_array(&effort, 1000, &array));
    assert_true(effort.memory <= EFFORT_MEMORY - 8000.0);
    for (int i = 0; i < 1000; i++) assert_true(array[i] == 0.0);
    for (int i = 0; i < 3; i++) assert_ok(effort_array(&effort, 10, &other));
    effort_free(array);
    effort_free(NULL);
    assert_true(effort.memory < EFFORT_MEMORY - 240.0 && effort.memory > EFFORT_MEMORY - 8000.0);
    assert_int_equal(effort_own(&effort, NULL, note_release), STATUS_NO_MEMORY);
    assert_ok(effort_own(&effort, &effort, note_release));
    effort_end(&effort);
    assert_true(effort.memory == EFFORT_MEMORY); /* given back */
    assert_ptr_equal(released, &effort);
    assert_false(effort_refused(&effort));
    assert_int_equal(effort_take(&effort, (size_t)1 << 60, 1000, &other), STATUS_FAILED);
    assert_null(other);
    assert_true(effort_refused(&effort));
    assert_string_equal(
        effort.why.text,
        "the reference would need at least 1.15e+15 MB of memory; its budget is 512 MB");
    assert_int_equal(effort_spend(&effort, 1.0), STATUS_FAILED); /* and ever after */
    effort_forgive(&effort);
    assert_ok(effort_foresee(&effort, 1e9));
    assert_int_equal(effort_foresee(&effort, 3e9), STATUS_FAILED);
    assert_true(effort_refused(&effort));
    assert_string_equal(effort.why.text,
                        "the reference would take at least 4e+09 operations; its budget is 2e+09");
    effort_forgive(&effort);
    assert_int_equal(effort_spend(&effort, NAN), STATUS_FAILED);
}

/* ---- a signal -------------------------------------------------------------------------------- */

static atomic_int stopped;

static int asked(void *context)
{
    (void)context;
    return atomic_load(&stopped);
}

static const struct stop stop = {.asked = asked};
static double stopped_at;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
    stopped_at = processor_seconds();
}

TEST(a_signal_before_it_ends_every_reference)
{
    static struct every_model book;
    int n = 0;
    stopped = 1;
    for (int set = 0; set < 2; set++) {
        every_model_make(&book);
        (set ? every_model_add_baskets : every_model_add_products)(&book);
        for (int i = 0; i < book.n_trades; i++, n++) {
            struct effort effort = effort_full(&stop);
            struct reference out;
            struct message why;
            enum status status =
                reference_price(&book.market, &book.trades[i], 1, &effort, &out, &why);
            if (status != STATUS_INTERRUPTED)
                fail_msg("'%s': status %d: %s", book.trades[i].id, (int)status, why.text);
        }
        every_model_free(&book);
    }
    assert_true(n > 50);
}

/* Half a second of processor time is more than a quarter of what an idle machine may need to end a
 * run. */
static void ends_within(const char *what, const struct market *market, const struct trade *trade,
                        timer_t timer)
{
    for (int i = 1; i <= 3; i++) {
        struct effort effort = effort_full(&stop);
        struct reference out;
        struct message why = {""};
        struct itimerspec at = {.it_value = {0, i * 20000000}};
        stopped = 0;
        timer_settime(timer, 0, &at, NULL);
        enum status status = reference_price(market, trade, 1, &effort, &out, &why);
        double late = processor_seconds() - stopped_at;
        if (status != STATUS_INTERRUPTED || late > 0.5)
            fail_msg("%s: status %d, %.2f s after the signal: %s", what, (int)status, late,
                     why.text);
    }
}

static struct schedule many_dates(int n)
{
    double *times = malloc((size_t)n * sizeof *times);
    for (int i = 0; i < n; i++) times[i] = (i + 1.0) / n;
    return (struct schedule){false, n, times};
}

TEST(a_signal_in_the_middle_ends_the_longest)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct schedule dates = many_dates(10000), some = many_dates(2000);
    struct several s;
    struct fixture f;
    timer_t timer;
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer), 0);
    several_three(&s);
    struct trade asian = several_trade(&s, PRODUCT_ASIAN, 1, 1.0, 100.0);
    asian.fixings = dates;
    ends_within("asian", &s.market, &asian, timer);
    struct trade barrier = several_trade(&s, PRODUCT_DOUBLE_BARRIER, 1, 1.0, 100.0);
    barrier.lower = 80.0, barrier.upper = 130.0, barrier.monitoring = dates;
    ends_within("double barrier", &s.market, &barrier, timer);
    struct trade lookback = several_trade(&s, PRODUCT_LOOKBACK, 1, 1.0, 100.0);
    lookback.monitoring = dates;
    ends_within("lookback", &s.market, &lookback, timer);
    struct trade american = several_trade(&s, PRODUCT_AMERICAN, 2, 1.0, 100.0);
    american.option = OPTION_PUT, american.exercise.continuous = true;
    s.weights[0] = s.weights[1] = 0.5;
    ends_within("american on two assets", &s.market, &american, timer);
    american.n_assets = 1, american.exercise = some, s.weights[0] = 1.0;
    ends_within("american", &s.market, &american, timer);
    struct trade note = several_trade(&s, PRODUCT_AUTOCALLABLE, 3, 1.0, 0.0);
    note.observations = some, note.notional = 100.0, note.call_level = 1.3, note.coupon = 0.01;
    ends_within("autocallable", &s.market, &note, timer);
    s.assets[0].model = MODEL_HESTON;
    s.assets[0].variance.n = 0;
    s.assets[0].heston =
        (struct heston){.v0 = 0.04, .kappa = 1.0, .theta = 0.05, .xi = 0.5, .rho = -0.7};
    american.exercise.continuous = true;
    ends_within("american under heston", &s.market, &american, timer);
    asian.averaging = AVERAGING_GEOMETRIC;
    ends_within("geometric asian under heston", &s.market, &asian, timer);
    fixture_model(&f, MODEL_LOCAL_VOL);
    asian.averaging = AVERAGING_ARITHMETIC, asian.fixings = some;
    ends_within("asian under local_vol", &f.market, &asian, timer);
    timer_delete(timer);
    free(dates.times);
    free(some.times);
}

/* ---- what is too much ------------------------------------------------------------------------ */

/* Refused twice by the same words, and early. */
static void refuses(const char *what, const struct market *market, const struct trade *trade,
                    const char *expected)
{
    struct message why[2];
    struct reference out;
    double began = processor_seconds();
    for (int i = 0; i < 2; i++) {
        int status = (int)reference_price(market, trade, 1, NULL, &out, &why[i]);
        if (status != STATUS_FAILED || strncmp(why[i].text, expected, strlen(expected)))
            fail_msg("%s: status %d: %s", what, status, why[i].text);
    }
    assert_string_equal(why[0].text, why[1].text);
    print_message("%s: %s\n", what, why[0].text);
    assert_true(processor_seconds() - began < 10.0);
}

TEST(what_is_too_much_is_refused_by_its_count)
{
    struct schedule dates = many_dates(100000), some = many_dates(10000);
    struct several s;
    struct fixture f;
    several_three(&s);
    struct trade american = several_trade(&s, PRODUCT_AMERICAN, 1, 1.0, 100.0);
    american.option = OPTION_PUT, american.exercise = dates;
    refuses("american", &s.market, &american, "the reference would take at least ");
    struct trade note = several_trade(&s, PRODUCT_AUTOCALLABLE, 3, 1.0, 0.0);
    note.observations = dates, note.notional = 100.0, note.call_level = 1.3, note.coupon = 0.01;
    refuses("autocallable", &s.market, &note, "the reference would need at least ");
    fixture_model(&f, MODEL_LOCAL_VOL);
    struct trade asian = several_trade(&s, PRODUCT_ASIAN, 1, 1.0, 100.0);
    asian.fixings = some;
    refuses("asian under local_vol", &f.market, &asian, "the reference would need at least ");
    free(dates.times);
    free(some.times);
}

/* The geometric average says nearly all of an arithmetic one: a simulation ends where its error is
 * far below that of any price, on whatever machine. */
TEST(a_simulation_ends_where_its_error_is_enough)
{
    struct fixture f;
    double times[6];
    fixture_flat(&f, 100.0, 0.03, 0.0, 0.2);
    f.asset.model = MODEL_MERTON;
    f.asset.jumps = (struct jumps){.intensity = 0.4, .mean = -0.1, .stdev = 0.15};
    struct trade trade = fixture_trade(PRODUCT_ASIAN, 100.0);
    trade.averaging = AVERAGING_ARITHMETIC;
    trade.fixings = fixture_dates(times, 6, 0.2, 1.0);
    struct effort effort = effort_full(NULL);
    struct reference out;
    assert_ok(reference_price(&f.market, &trade, 1, &effort, &out, &said));
    assert_string_equal(out.method, "monte carlo");
    assert_true(EFFORT_WORK - effort.work < 3e7);
    assert_true(out.error < 0.004); /* a payoff has a standard deviation of about 12 */
}

/* A corridor a millionth of a deviation wide asked for gigabytes, and one of a hundred-thousandth
 * for minutes. */
TEST(a_narrow_corridor_is_cheap)
{
    struct schedule dates = many_dates(252);
    struct several s;
    several_three(&s);
    for (double width = 1e-2; width > 1e-9; width *= 0.1) {
        struct trade touch = several_trade(&s, PRODUCT_TOUCH, 1, 1.0, 0.0);
        struct effort effort = effort_full(NULL);
        struct reference out;
        touch.lower = 100.0 * (1.0 - width), touch.upper = 100.0 * (1.0 + width);
        touch.monitoring = dates, touch.touch = TOUCH_ONE, touch.cash = 10.0,
        touch.pay_at = PAY_AT_EXPIRY;
        assert_ok(reference_price(&s.market, &touch, 1, &effort, &out, &said));
        if (width < 1e-3) assert_close(out.price, 10.0 * exp(-0.03), 1e-9);
        assert_true(effort.work > EFFORT_WORK - 1e7);
    }
    free(dates.times);
}

/* Floor and cap of a period were drawn together for ever where both are losses, as of a cliquet
 * whose period has begun above today's spot and that hardly moves. */
TEST(a_cliquet_of_certain_losses_ends)
{
    double reset = 1.25;
    struct several s;
    several_three(&s);
    struct trade cliquet = several_trade(&s, PRODUCT_CLIQUET, 1, 2.5, 0.0);
    cliquet.resets = (struct schedule){false, 1, &reset};
    cliquet.local_floor = -0.2, cliquet.local_cap = 0.02, cliquet.notional = 100.0;
    cliquet.global_floor = -0.3, cliquet.global_cap = INFINITY;
    cliquet.past_level = 130.0;
    for (double volatility = 0.2; volatility > 1e-9; volatility *= 0.01) {
        struct effort effort = effort_full(NULL);
        struct reference out;
        double accrued = volatility * volatility, year = 1.0;
        s.assets[0].variance = (struct term_structure){1, &year, &accrued, accrued};
        assert_ok(reference_price(&s.market, &cliquet, 1, &effort, &out, &said));
        print_message("volatility %g: %.6f +- %.2g, %s\n", volatility, out.price, out.error,
                      out.method);
        assert_true(out.price > -30.0 && out.price < 5.0);
    }
}

/* The steps of a variance near zero are so short that their number was no int, and one of them took
 * minutes without a look at the stop flag. */
TEST(steps_without_number_are_refused)
{
    struct several s;
    several_three(&s);
    for (int i = 0; i < 2; i++) {
        s.assets[i].model = MODEL_HESTON;
        s.assets[i].variance = (struct term_structure){0};
        s.assets[i].heston =
            (struct heston){.v0 = 0.04, .kappa = 1.0, .theta = 0.04, .xi = 0.5, .rho = -0.5};
    }
    struct trade spread = several_trade(&s, PRODUCT_SPREAD, 2, 1.0, 0.0);
    for (double theta = 2e-10; theta > 1e-300; theta *= 1e-30) {
        struct effort effort = effort_full(NULL);
        struct reference out;
        s.assets[0].heston.theta = theta;
        assert_int_equal(reference_price(&s.market, &spread, 1, &effort, &out, &said),
                         STATUS_FAILED);
        assert_non_null(strstr(said.text, "operations; its budget is"));
        assert_true(effort.work > EFFORT_WORK - 1e7);
    }
}

ALL_TESTS_BETWEEN(reference_effort_test, begin_references, NULL)
