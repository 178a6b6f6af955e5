#include "validation/tests/fault_sweep.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 128 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool counting;
static struct fault fault_now;
static long calls, holds[N_HELD];
static const char *failed_now;

/* Every name that was counted. */
static struct seen {
    const char *name;
    bool failed;
} seen[NAMES];
static int n_seen;

void fault_begin(struct fault fault)
{
    fault_now = fault;
    calls = 0;
    failed_now = NULL;
    counting = true;
}

long fault_end(const char **failed)
{
    counting = false;
    if (failed) *failed = failed_now;
    return calls;
}

static struct seen *find(const char *name)
{
    for (int i = 0; i < n_seen; i++)
        if (!strcmp(seen[i].name, name)) return &seen[i];
    return NULL;
}

static void note(const char *name, bool failed)
{
    struct seen *of = find(name);
    if (!of && n_seen < NAMES) *(of = &seen[n_seen++]) = (struct seen){name, false};
    if (of && failed) of->failed = true;
}

enum fault_verdict fault_at(const char *name)
{
    enum fault_verdict verdict = FAULT_NONE;
    pthread_mutex_lock(&lock);
    if (counting && (!fault_now.only || !strcmp(fault_now.only, name))) {
        long call = ++calls;
        bool here =
            fault_now.at && (call == fault_now.at || (fault_now.onwards && call > fault_now.at));
        if (here) verdict = fault_now.hidden ? FAULT_HIDDEN : FAULT_FAILS;
        if (here && call == fault_now.at) failed_now = name;
        note(name, verdict == FAULT_FAILS);
    }
    pthread_mutex_unlock(&lock);
    return verdict;
}

bool fault_was_called(const char *name)
{
    return find(name) != NULL;
}

bool fault_has_failed(const char *name)
{
    const struct seen *of = find(name);
    return of && of->failed;
}

void fault_hold(enum held held, int more)
{
    pthread_mutex_lock(&lock);
    holds[held] += more;
    pthread_mutex_unlock(&lock);
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->results);
    *outcome = (struct outcome){0};
}

const char *outcome_wrong(const struct sweep *sweep, const struct outcome *outcome)
{
    int lines_of_success = sweep->may_do_without ? 1 : 0;
    if (outcome->status != 0 && outcome->status != 3) return "the exit status";
    if (outcome->status == 3 && outcome->lines != 1) return "not one line";
    if (outcome->status == 0 && outcome->lines > lines_of_success)
        return "lines, and all is said to be well";
    if (outcome->lines && strncmp(outcome->line, "pricer: ", 8))
        return "a line that is not the program's";
    const char *right = sweep->clean.results;
    bool same = right && outcome->results && !strcmp(outcome->results, right);
    if (outcome->status == 0 && !same) return "other results";
    if (outcome->status == 3 && !outcome->results_stay) return "the results of yesterday are gone";
    /* Calls of an engine may overlap or not, and what is kept for the next run is that of all or of
     * one: so much more than the first is no leak yet, and what leaks does so in each of hundreds
     * of runs. */
    long most = sweep->calls > 1 ? sweep->calls : 1;
    for (int h = 0; h < N_HELD; h++)
        if (outcome->held[h] > most * sweep->clean.held[h]) return "something is not given back";
    return NULL;
}

static void make(struct sweep *sweep, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    sweep->run(sweep->context, outcome);
    memcpy(outcome->held, holds, sizeof holds);
    sweep->runs++;
}

static void complain(struct sweep *sweep, const char *when, const struct fault *fault,
                     const char *failed, const struct outcome *outcome, const char *what)
{
    sweep->failures++;
    printf("FAILED: %s, %s call %ld%s (%s%s): %s: status %d, %d lines: %s; held %ld %ld %ld %ld\n",
           sweep->name, when, fault->at, fault->onwards ? " and all from there" : "",
           fault->hidden ? "hidden, " : "", failed ? failed : "none", what, outcome->status,
           outcome->lines, outcome->line, outcome->held[HELD_EVENT], outcome->held[HELD_STREAM],
           outcome->held[HELD_MEMORY], outcome->held[HELD_PINNED]);
}

/* What is made once, as the first run does it, is not among the calls of the second. */
long sweep_begin(struct sweep *sweep)
{
    struct outcome first;
    make(sweep, &first);
    outcome_free(&first);
    fault_begin((struct fault){0});
    make(sweep, &sweep->clean);
    long n = fault_end(NULL);
    const char *wrong = outcome_wrong(sweep, &sweep->clean);
    if (!wrong && sweep->clean.status) wrong = "it fails";
    if (wrong) complain(sweep, "without a fault", &(struct fault){0}, NULL, &sweep->clean, wrong);
    return n;
}

void sweep_hold(struct sweep *sweep)
{
    fault_begin((struct fault){0});
    make(sweep, &sweep->clean);
    fault_end(NULL);
}

bool sweep_run(struct sweep *sweep, struct fault fault)
{
    struct outcome outcome;
    const char *failed;
    fault_begin(fault);
    make(sweep, &outcome);
    fault_end(&failed);
    const char *wrong = outcome_wrong(sweep, &outcome);
    if (!wrong && !failed && (outcome.status || outcome.lines)) wrong = "it does not work again";
    if (wrong) complain(sweep, fault.at ? "with" : "after", &fault, failed, &outcome, wrong);
    outcome_free(&outcome);
    return failed != NULL;
}

bool sweep_fault(struct sweep *sweep, struct fault fault)
{
    bool reached = sweep_run(sweep, fault);
    sweep_run(sweep, (struct fault){.only = fault.only});
    return reached;
}

void sweep_calls(struct sweep *sweep, long most, long step)
{
    for (long n = 1; n <= most; n += step) {
        sweep_fault(sweep, (struct fault){.at = n});
        sweep_fault(sweep, (struct fault){.at = n + step / 2, .onwards = true});
    }
}

void sweep_end(struct sweep *sweep)
{
    outcome_free(&sweep->clean);
}
