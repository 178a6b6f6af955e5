/* Every call of the CUDA runtime is failed in turn, once alone and once with all after it, while
 * small books are priced as main does it: the exit status is right, one line says why, the file of
 * yesterday is untouched, nothing is kept, and the next run in the same process gives the results
 * of before.
 *
 * Beside them the first run of a process, and what only --bench asks of the device: there the first
 * call of each name that is called nowhere else, with --every of each. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "validation/tests/load_book_file.h"
#include "app/pricing/plan/plan_build.h"
#include "kernels/engine.h"
#include "validation/reference/reference.h"
#include "validation/tests/cuda_faults/fault_ways.h"

#define BOOKS "validation/faults/book/"
#define ASIAN BOOKS "asian.cfg"

static const struct way small_way = {{"--engine=cuda", BOOKS "checked.cfg", NULL}, false};
static const struct way specialised_way = {
    {"--engine=cuda", "--kernel=fused:specialised", ASIAN, NULL}, false};

static const char *const names[] = {
#define CALL(name, parameters, arguments, error) #name,
#define WAIT(name, parameters, arguments, error) #name,
#define MAKE(name, parameters, arguments, error, what) #name,
#define RELEASE(name, parameters, arguments, error, what) #name,
#include "validation/tests/cuda_faults/cuda_faults.def"
};
enum { N_NAMES = sizeof names / sizeof *names };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int tell(const struct sweep *sweep, double began)
{
    printf("%s: %d runs, %d badly taken, %.1f s\n", sweep->name, sweep->runs, sweep->failures,
           seconds() - began);
    return sweep->failures;
}

/* ---- books ----------------------------------------------------------------------------------- */

/* Fails every step-th of the first `most` calls; 0: of all. */
static int sweep_way(const char *name, const struct way *way, bool may_do_without, long most,
                     long step)
{
    double began = seconds();
    struct sweep sweep = {.name = name,
                          .run = run_way,
                          .context = (void *)way,
                          .may_do_without = may_do_without,
                          .calls = cuda_engine.calls};
    long calls = sweep_begin(&sweep);
    printf("%s: %ld calls\n", name, calls);
    if (calls < 20) sweep.failures++;
    sweep_calls(&sweep, most && most < calls ? most : calls, step);
    sweep_end(&sweep);
    return tell(&sweep, began);
}

static int sweep_books(void)
{
    const struct way stored = {{"--engine=cuda", "--kernel=optimized", BOOKS "checked.cfg", NULL},
                               false};
    const struct way risk = {{"--engine=cuda", BOOKS "risk.cfg", NULL}, false};
    const struct way apart = {{"--engine=cuda", "--kernel=fused:general", ASIAN, NULL}, false};
    const struct way together = {{"--engine=cuda", ASIAN, NULL}, false};
    const struct way best = {{"--engine=auto", BOOKS "checked.cfg", NULL}, true};
    int failures = sweep_way("a small book", &small_way, false, 0, 1);
    failures += sweep_way("stored normals", &stored, false, 0, 1);
    /* First those that walk side by side, which takes more streams: a run whose path code is not
     * found falls back on that. */
    failures += sweep_way("scenarios side by side", &apart, false, 0, 1);
    failures += sweep_way("scenarios walked together", &specialised_way, false, 0, 1);
    failures += sweep_way("together if path code is found", &together, false, 0, 1);
    failures += sweep_way("Greeks, scenarios and a past", &risk, false, 0, 1);
    return failures + sweep_way("any engine", &best, true, 12, 1);
}

/* ---- the first run of a process, which makes what later ones find ---------------------------- */

/* The first run with the first call of that name failing, then one without a fault, which says what
 * is right. Calls that load path code are those of a book that is walked by such. */
static int be_cold(const char *name)
{
    bool code = !strncmp(name, "cudaLibrary", 11);
    const struct way *way = code ? &specialised_way : &small_way;
    struct sweep sweep = {.name = "the first run", .run = run_way, .context = (void *)way};
    struct outcome first = {0};
    const char *failed;
    fault_begin((struct fault){.at = 1, .only = name});
    run_way(sweep.context, &first);
    fault_end(&failed);
    sweep_begin(&sweep);
    const char *wrong = outcome_wrong(&sweep, &first);
    if (wrong)
        printf("FAILED: the first run, %s: %s: status %d: %s\n", name, wrong, first.status,
               first.line);
    outcome_free(&first);
    sweep_end(&sweep);
    return wrong || sweep.failures || !failed;
}

/* Each in a process of its own. */
static int sweep_first_runs(const char *test)
{
    static const char *const made_once[] = {
        "cudaGetDeviceCount",  "cudaGetDeviceProperties", "cudaFree",
        "cudaMalloc",          "cudaMallocHost",          "cudaStreamCreateWithFlags",
        "cudaLibraryLoadData", "cudaLibraryGetKernel"};
    enum { N = sizeof made_once / sizeof *made_once };
    double began = seconds();
    int failures = 0;
    fflush(stdout);
    for (int i = 0; i < N; i++) {
        int status = 1;
        pid_t child = fork();
        if (!child) execl("/proc/self/exe", test, test, "--cold", made_once[i], (char *)NULL);
        if (child < 0 || waitpid(child, &status, 0) < 0 || status) {
            printf("FAILED: the first run, %s: status %x\n", made_once[i], status);
            failures++;
        }
    }
    printf("first runs: %d, %d badly taken, %.1f s\n", N, failures, seconds() - began);
    return failures;
}

/* ---- the engine alone ------------------------------------------------------------------------ */

/* What is priced, and by which kernel. */
struct asked {
    const struct plan *plan;
    const char *kernel;
};

/* A timed run; a status with a reason is one that failed with one line. */
static void run_engine(void *context, struct outcome *outcome)
{
    const struct asked *asked = context;
    const struct engine_options options = {.kernel = asked->kernel, .timed = true};
    struct engine_report report = {.kernel = ""};
    struct message why = {""};
    struct tally tally;
    enum status status =
        engine_price(&cuda_engine, asked->plan, &options, &tally, NULL, &report, &why);
    outcome->status = status ? 3 : 0;
    outcome->lines = why.text[0] != '\0';
    if (status) snprintf(outcome->line, sizeof outcome->line, "pricer: %.480s", why.text);
    outcome->results = strdup("measured");
    outcome->results_stay = true;
}

/* The first call of each of these names that no other sweep has failed, or of each, and one run
 * without a fault. */
static void sweep_names(struct sweep *sweep, int n, const char *const *of, bool every)
{
    sweep_hold(sweep);
    for (int i = 0; i < n; i++)
        if (fault_was_called(of[i]) && (every || !fault_has_failed(of[i])))
            sweep_run(sweep, (struct fault){.at = 1, .only = of[i]});
    sweep_run(sweep, (struct fault){0});
    sweep_end(sweep);
}

/* Kernels and settings, timed as --bench does it: each, or those that it takes to fail what only
 * they call. */
static int sweep_timed(bool every)
{
    static const char *const of[] = {"cudaFuncGetAttributes", "cudaFuncSetAttribute",
                                     "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"};
    double began = seconds();
    struct book book;
    struct complaints complaints = {0};
    struct refusal refusal;
    struct plan plan;
    struct asked asked = {.plan = &plan};
    struct sweep sweep = {.name = "timed runs", .run = run_engine, .context = &asked};
    const struct plan_settings settings = {.paths = 1024, .seed = 1, .max_step = 0.02};
    if (book_load(BOOKS "asian.cfg", &book, &complaints)) return 1;
    if (plan_build(&book.market, book.n_trades, book.trades, &settings, &plan, &refusal)) return 1;
    for (int k = 0; cuda_engine.settings[k]; k++) {
        asked.kernel = cuda_engine.settings[k];
        sweep_names(&sweep, 3, of, every);
    }
    plan_free(&plan);
    book_free(&book);
    return tell(&sweep, began);
}

/* ---- faults that nobody is told of ----------------------------------------------------------- */

/* Work that is not done, and said to be, must be found: by other results than those of the same
 * seed. Runs of another seed in between leave nothing of the right ones on the device. */
static int sweep_hidden(void)
{
    static const char *const hidden[] = {"__cudaLaunchKernel", "cudaLaunchKernel",
                                         "cudaMemcpyAsync"};
    const struct way other_seed = {{"--engine=cuda", "--seed=8", BOOKS "checked.cfg", NULL}, false};
    struct sweep sweep = {.name = "hidden", .run = run_way, .context = (void *)&small_way};
    int tried = 0, found = 0;
    sweep_begin(&sweep);
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        struct outcome other = {0}, outcome = {0};
        const char *failed;
        run_way((void *)&other_seed, &other);
        fault_begin((struct fault){.at = 1, .only = hidden[i], .onwards = true, .hidden = true});
        run_way(sweep.context, &outcome);
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

/* ---- */

static void report_names(void)
{
    for (int i = 0; i < N_NAMES; i++)
        if (!fault_has_failed(names[i])) printf("not failed in this process: %s\n", names[i]);
}

int gpu_faults_test(int argc, char **argv)
{
    bool every = argc > 1 && !strcmp(argv[1], "--every"),
         cold = argc > 2 && !strcmp(argv[1], "--cold");
    struct message why = {""};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!cold && cuda_engine.ready(&why)) {
        printf("skipped: %s\n", why.text);
        return 77;
    }
    ways_begin();
    reference_begin();
    int failures = 0;
    if (cold) failures = be_cold(argv[2]);
    else {
        failures += sweep_books() + sweep_first_runs(argv[0]) + sweep_timed(every);
        failures += sweep_hidden();
        report_names();
        printf("%d badly taken\n", failures);
    }
    ways_end();
    return failures ? 1 : 0;
}
