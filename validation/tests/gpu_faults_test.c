/* Every call of the CUDA runtime is failed in turn, once alone and once with all after it, while small books
 * are priced as main does it: the exit status is right, one line says why, the file of yesterday is
 * untouched, nothing is kept, and the next run in the same process gives the results of before.
 *
 *     gpu_faults_test            every call of a book without risk numbers, some of the others
 *     gpu_faults_test --every    all of them */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/options.h"
#include "app/run.h"
#include "kernels/engine.h"
#include "validation/reference/reference.h"
#include "validation/tests/fault_sweep.h"

enum { SECONDS = 100 /* of one run at most */, ARGUMENTS = 16 };

static char folder[] = P_tmpdir "/gpu_faults_test_XXXXXX";
static char results[256], errors[256], table[256];

/* ---- a run as main makes it ---------------------------------------------------------------------------- */

/* A way of running the program. */
struct way {
    const char *arguments[ARGUMENTS]; /* of the command line but the output, ended by NULL */
    bool digest; /* of its results only the digest counts: engines are named in the others */
};

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t n = file ? getdelim(&text, &room, '\0', file) : -1;
    if (file) fclose(file);
    if (n < 0) free(text);
    return n < 0 ? NULL : text;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file) fputs(text, file), fclose(file);
}

/* Sends a descriptor to a file, and returns what it was before. */
static int send(int descriptor, const char *path)
{
    int before = dup(descriptor), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(to, descriptor);
    close(to);
    return before;
}

static void send_back(int descriptor, int before)
{
    dup2(before, descriptor);
    close(before);
}

static int run_program(const struct way *way)
{
    char output[sizeof results + 16], *argv[ARGUMENTS + 2] = {(char *)"pricer", output};
    int argc = 2;
    static const volatile int stop;
    struct options options = {0};
    struct message why = {""};
    snprintf(output, sizeof output, "--output=%s", results);
    for (int i = 0; way->arguments[i]; i++) argv[argc++] = (char *)way->arguments[i];
    enum status status = options_read(argc, argv, &options, &why);
    int code = status ? run_failed(status, &why, 0) : run(&options, &stop);
    options_free(&options);
    return code;
}

/* Notes on the book are no reasons. */
static void look_at_errors(struct outcome *outcome)
{
    char *text = text_of(errors), *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        if (strstr(line, ": note: ")) continue;
        if (!outcome->lines++) snprintf(outcome->line, sizeof outcome->line, "%s", line);
    }
    free(text);
}

static void look_at_results(const struct way *way, struct outcome *outcome)
{
    char *text = text_of(results);
    outcome->results_stay = text && !strcmp(text, "yesterday\n");
    if (outcome->results_stay || !way->digest) outcome->results = text;
    if (outcome->results) return;
    free(text);
    char *said = text_of(table), *digest = said ? strstr(said, "; digest ") : NULL;
    outcome->results = digest ? strdup(digest) : NULL;
    free(said);
}

static void run_way(void *context, struct outcome *outcome)
{
    const struct way *way = context;
    write_text(results, "yesterday\n");
    fflush(stdout);
    int out = send(STDOUT_FILENO, table), err = send(STDERR_FILENO, errors);
    alarm(SECONDS);
    outcome->status = run_program(way);
    alarm(0);
    fflush(stdout);
    send_back(STDOUT_FILENO, out);
    send_back(STDERR_FILENO, err);
    look_at_errors(outcome);
    look_at_results(way, outcome);
}

/* ---- what only measures the device --------------------------------------------------------------------- */

static enum status measure(struct message *why)
{
    const struct engine_options options = {.kernel = "auto"};
    struct engine_ceilings ceilings;
    struct engine_guide guide;
    enum status status = cuda_engine.measure_ceilings(&options, &ceilings, why);
    return status ? status : cuda_engine.measure_guide(&options, &guide, why);
}

/* A status with a reason is a run that failed with one line. */
static void run_measures(void *context, struct outcome *outcome)
{
    struct message why = {""};
    (void)context;
    alarm(SECONDS);
    enum status status = measure(&why);
    alarm(0);
    outcome->status = status ? 3 : 0;
    outcome->lines = why.text[0] != '\0';
    if (status) snprintf(outcome->line, sizeof outcome->line, "pricer: %.480s", why.text);
    outcome->results = strdup("measured");
    outcome->results_stay = true;
}

/* ---- sweeps -------------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int tell(const struct sweep *sweep, long calls, double began)
{
    printf("%s: %ld calls, %d runs, %d badly taken, %.1f s\n", sweep->name, calls, sweep->runs,
           sweep->failures, seconds() - began);
    return sweep->failures;
}

/* Fails every step-th of the first `most` calls; 0: of all. */
static int sweep_way(const char *name, const struct way *way, bool may_do_without, long most, long step)
{
    double began = seconds();
    struct sweep sweep = {
        .name = name, .run = run_way, .context = (void *)way, .may_do_without = may_do_without};
    long calls = sweep_begin(&sweep);
    if (calls < 20) printf("FAILED: %s: only %ld calls can fail\n", name, calls), sweep.failures++;
    sweep_calls(&sweep, most && most < calls ? most : calls, step);
    sweep_end(&sweep);
    return tell(&sweep, calls, began);
}

static const char *const names[] = {
#define CALL(name, parameters, arguments, error) #name,
#define MAKE(name, parameters, arguments, error, what) #name,
#define RELEASE(name, parameters, arguments, error, what) #name,
#include "validation/tests/cuda_faults.def"
};
enum { N_NAMES = sizeof names / sizeof *names };

/* Measuring the device takes its time: the first call of each name that no other sweep has failed, or of
 * each. */
static int sweep_measures(bool every)
{
    double began = seconds();
    struct sweep sweep = {.name = "ceilings and guide", .run = run_measures};
    long calls = sweep_begin(&sweep);
    for (int i = 0; i < N_NAMES; i++)
        if (every || !fault_has_failed(names[i]))
            sweep_fault(&sweep, (struct fault){.at = 1, .only = names[i]});
    sweep_end(&sweep);
    return tell(&sweep, calls, began);
}

/* Work that is not done, and said to be, must be found: by other results than those of the same seed. Runs of
 * another seed in between leave nothing of the right ones on the device. */
static int sweep_hidden(void)
{
    static const char *const hidden[] = {"__cudaLaunchKernel", "cudaLaunchKernel", "cudaMemcpyAsync"};
    const struct way first = {{"--engine=cuda", "validation/faults/book/checked.cfg", NULL}, false};
    const struct way second = {{"--engine=cuda", "--seed=8", "validation/faults/book/checked.cfg", NULL},
                               false};
    struct sweep sweep = {.name = "hidden", .run = run_way, .context = (void *)&first};
    int tried = 0, found = 0;
    sweep_begin(&sweep);
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        struct outcome other = {0}, outcome = {0};
        const char *failed;
        run_way((void *)&second, &other);
        fault_begin((struct fault){.at = 1, .only = hidden[i], .onwards = true, .hidden = true});
        run_way((void *)&first, &outcome);
        fault_end(&failed);
        tried += failed != NULL;
        found += failed && outcome_wrong(&sweep, &outcome);
        outcome_free(&other);
        outcome_free(&outcome);
    }
    sweep_end(&sweep);
    printf("hidden faults: %d of %d found\n", found, tried);
    return tried < 2 || found < tried;
}

static int report_names(void)
{
    int missing = 0;
    for (int i = 0; i < N_NAMES; i++) {
        if (fault_has_failed(names[i])) continue;
        printf("never called, so never failed: %s\n", names[i]);
        missing++;
    }
    return missing;
}

/* ---- */

static void hangs(int number)
{
    static const char text[] = "FAILED: a run hangs\n";
    (void)number;
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(2);
    _exit(1);
}

static void open_folder(void)
{
    if (!mkdtemp(folder)) exit(2);
    snprintf(results, sizeof results, "%s/results.csv", folder);
    snprintf(errors, sizeof errors, "%s/errors", folder);
    snprintf(table, sizeof table, "%s/table", folder);
}

static void remove_folder(void)
{
    unlink(results);
    unlink(errors);
    unlink(table);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    bool every = argc > 1 && !strcmp(argv[1], "--every");
    struct message why = {""};
    const struct way small = {{"--engine=cuda", "validation/faults/book/checked.cfg", NULL}, false};
    const struct way stored = {
        {"--engine=cuda", "--kernel=optimized", "validation/faults/book/checked.cfg", NULL}, false};
    const struct way risk = {{"--engine=cuda", "validation/faults/book/risk.cfg", NULL}, false};
    const struct way best = {{"--engine=auto", "validation/faults/book/checked.cfg", NULL}, true};
    if (cuda_engine.ready(&why)) {
        printf("skipped: %s\n", why.text);
        return 77;
    }
    open_folder();
    signal(SIGALRM, hangs);
    setvbuf(stdout, NULL, _IOLBF, 0);
    reference_begin();
    int failures = sweep_way("a small book", &small, false, 0, 1);
    failures += sweep_way("stored normals", &stored, false, 0, every ? 1 : 3);
    failures += sweep_way("Greeks, scenarios and a past", &risk, false, 0, every ? 1 : 7);
    failures += sweep_way("any engine", &best, true, 12, 1);
    failures += sweep_measures(every);
    failures += sweep_hidden();
    report_names();
    remove_folder();
    printf("%d badly taken\n", failures);
    return failures ? 1 : 0;
}
