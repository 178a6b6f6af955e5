/* What finds faults that are badly taken must find them: runs that make calls of a library of their
 * own, some of which do the wrong thing when one fails. (gpu_faults_test does the same to the CUDA
 * engine.) */
#include "validation/tests/fault_sweep.h"
#include "validation/tests/test.h"

/* What a run does where its third call fails. */
enum badness {
    ENDS_WELL,
    SWALLOWS, /* goes on, with other results */
    SAYS_NOTHING,
    SAYS_TWO_LINES,
    SAYS_ANYTHING, /* not in the words of the program */
    WRONG_STATUS,
    KEEPS, /* what it had made */
    LOSES, /* the results of yesterday */
    STAYS_BROKEN,
    N_BADNESSES
};

struct toy {
    enum badness badness;
    bool broken;
};

static void say(struct outcome *outcome, enum badness badness)
{
    outcome->status = badness == WRONG_STATUS ? 1 : 3;
    outcome->lines = badness == SAYS_NOTHING ? 0 : badness == SAYS_TWO_LINES ? 2 : 1;
    snprintf(outcome->line, sizeof outcome->line, "%s: work: out of order",
             badness == SAYS_ANYTHING ? "oh" : "pricer");
    outcome->results_stay = badness != LOSES;
}

/* Five calls; the second makes an event, which is given back at the end. */
static void run_toy(void *context, struct outcome *outcome)
{
    static const char *const names[] = {"work", "make", "work", "copy", "work"};
    struct toy *toy = context;
    enum badness badness = ENDS_WELL;
    bool failed = toy->broken, swallowed = false, made = false;
    for (int i = 0; i < 5 && !failed; i++) {
        enum fault_verdict verdict = fault_at(names[i]);
        if (verdict == FAULT_FAILS && i == 2) badness = toy->badness;
        swallowed |= verdict == FAULT_HIDDEN || (verdict == FAULT_FAILS && badness == SWALLOWS);
        failed = verdict == FAULT_FAILS && !swallowed;
        if (i == 1 && !failed) fault_hold(HELD_EVENT, 1), made = true;
    }
    toy->broken |= badness == STAYS_BROKEN;
    if (made && badness != KEEPS) fault_hold(HELD_EVENT, -1);
    if (failed) say(outcome, badness);
    else outcome->results = strdup(swallowed ? "2" : "1");
}

/* Failures that a sweep finds in such runs. */
static int failures_of(enum badness badness, long *calls)
{
    struct toy toy = {.badness = badness};
    struct sweep sweep = {.name = "toy", .run = run_toy, .context = &toy};
    *calls = sweep_begin(&sweep);
    sweep_calls(&sweep, *calls, 1);
    sweep_end(&sweep);
    return sweep.failures;
}

static void faults_that_are_badly_taken_are_found(void **state)
{
    long calls;
    for (enum badness badness = ENDS_WELL; badness < N_BADNESSES; badness++) {
        int failures = failures_of(badness, &calls);
        assert_int_equal(calls, 5);
        if (badness == ENDS_WELL) assert_int_equal(failures, 0);
        else assert_true(failures > 0);
    }
    assert_true(fault_was_called("work") && fault_has_failed("work") && fault_has_failed("copy"));
    assert_false(fault_was_called("rest") || fault_has_failed("rest"));
    (void)state;
}

/* A call that is not made and says that it was shows in the results. */
static void hidden_faults_are_found(void **state)
{
    struct toy toy = {.badness = ENDS_WELL};
    struct sweep sweep = {.name = "toy", .run = run_toy, .context = &toy};
    sweep_begin(&sweep);
    assert_true(sweep_fault(&sweep, (struct fault){.at = 1, .only = "copy", .hidden = true}));
    assert_int_equal(sweep.failures, 1);
    assert_false(sweep_fault(&sweep, (struct fault){.at = 2, .only = "copy", .hidden = true}));
    assert_int_equal(sweep.failures, 1);
    sweep_end(&sweep);
    (void)state;
}

TESTS(fault_sweep_test, cmocka_unit_test(faults_that_are_badly_taken_are_found),
      cmocka_unit_test(hidden_faults_are_found))
