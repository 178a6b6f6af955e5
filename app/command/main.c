/* pricer: prices a book of equity and FX derivatives by Monte Carlo and checks every price. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/command/diff.h"
#include "app/command/options.h"
#include "app/command/run.h"
#include "app/output/output_file.h"
#include "app/pricing/check.h"
#include "kernels/engine.h"
#include "models/base/stop.h"

/* The number of the signal that asks the run to end, written by its handler while threads read it.
 */
static volatile int signalled;

static void take_signal(int number)
{
    __atomic_store_n(&signalled, number, __ATOMIC_RELAXED);
}

static int asked(void *context)
{
    (void)context;
    return __atomic_load_n(&signalled, __ATOMIC_RELAXED);
}

/* Lets the first signal ask for the end, and a second one end the program at once. A full disk and
 * a closed pipe are errors like any other. */
static void set_signals(void)
{
    struct sigaction ask = {.sa_handler = take_signal, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &ask, NULL);
    sigaction(SIGTERM, &ask, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

/* Prints version, commit and engines of the build. */
static void about_version(FILE *out)
{
    fprintf(out, "pricer %s (commit %s), engines: %scpu\n", PRICER_VERSION, PRICER_COMMIT,
            PRICER_HAVE_CUDA ? "cuda " : "");
}

/* Tells whether a kernel can run here, asked by a plan without paths. */
static enum status kernel_runs(const struct engine *engine, const char *kernel, struct message *why)
{
    struct plan nothing = {0};
    struct engine_options options = {.kernel = kernel, .threads = 1};
    struct engine_report report = {.total = 0.0};
    return engine_price(engine, &nothing, &options, NULL, NULL, &report, why);
}

/* Prints the kernels of every engine, one line each, and whether this machine can run them. */
static void about_kernels(FILE *out)
{
    for (int e = 0; engines[e]; e++) {
        struct message why = {""};
        enum status ready = engines[e]->ready(&why);
        fprintf(out, "%s%s%s\n", engines[e]->name, ready ? ": cannot run here: " : "",
                ready ? why.text : "");
        for (const struct kernel_row *row = engines[e]->kernels; row->name; row++) {
            bool runs = !ready && !kernel_runs(engines[e], row->name, &why);
            fprintf(out, "  %-16s %s%s\n", row->name, row->idea,
                    runs || ready ? "" : " (cannot run here)");
        }
    }
}

static int tell(void (*about)(FILE *out))
{
    struct message why = {""};
    about(stdout);
    enum status status = output_flush_stdout(&why);
    return status ? run_failed(status, &why, 0) : EXIT_AGREED;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct message why = {""};
    int result;
    set_signals();
    check_begin();
    if (argc > 1 && !strcmp(argv[1], "diff")) return diff_runs(argc - 2, argv + 2);
    enum status status = options_read(argc, argv, &options, &why);
    if (status) result = run_failed(status, &why, 0);
    else if (options.help) result = tell(options_help);
    else if (options.version) result = tell(about_version);
    else if (options.list_kernels) result = tell(about_kernels);
    else result = run(&options, &(struct stop){.asked = asked});
    options_free(&options);
    return result;
}
