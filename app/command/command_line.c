#include "app/command/command_line.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/command/run.h"
#include "app/output/output_file.h"
#include "app/pricing/value/check.h"
#include "kernels/engine.h"

/* The number of the signal that asks the run to end, written by its handler while threads read it.
 */
static volatile int signalled;

static void take_signal(int number)
{
    __atomic_store_n(&signalled, number, __ATOMIC_RELAXED);
}

static int asked(void *context)
{
    const struct ranks *ranks = context;
    int signal_number = __atomic_load_n(&signalled, __ATOMIC_RELAXED);
    return ranks ? ranks->ended(ranks->context, signal_number) : signal_number;
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

static void about_version(FILE *out)
{
    fprintf(out, "pricer %s (commit %s), engines: %scpu\n", PRICER_VERSION, PRICER_COMMIT,
            PRICER_HAVE_CUDA ? "cuda " : "");
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
            struct plan nothing = {0}; /* without paths */
            struct engine_options options = {.kernel = row->name, .threads = 1};
            struct engine_report report = {.total = 0.0};
            bool runs =
                !ready && !engine_price(engines[e], &nothing, &options, NULL, NULL, &report, &why);
            fprintf(out, "  %-16s %s%s\n", row->name, row->idea,
                    runs || ready ? "" : " (cannot run here)");
        }
    }
}

static int print_about(void (*about)(FILE *out))
{
    struct message why = {""};
    about(stdout);
    enum status status = output_flush_stdout(&why);
    return status ? run_failed(status, &why, 0) : EXIT_AGREED;
}

/* Does what the options say, by all ranks where there is a book to be priced. */
static int obey(struct options *options, const struct ranks *ranks)
{
    const struct stop stop = {.asked = asked, .context = (void *)(uintptr_t)ranks};
    bool alone = options->help || options->version || options->list_kernels || options->plan ||
                 options->explain || options->compile || options->bench || options->calibrate;
    if (ranks_follow(ranks) && alone) return EXIT_AGREED;
    if (options->help) return print_about(options_help);
    if (options->version) return print_about(about_version);
    if (options->list_kernels) return print_about(about_kernels);
    options->ranks = alone ? NULL : ranks;
    if (ranks_follow(ranks)) options_follow(options);
    return run_command(options, &stop);
}

int command_line(int argc, char **argv, const struct ranks *ranks)
{
    struct options options = {0};
    struct message why = {""};
    set_signals();
    check_begin();
    bool diff = argc > 1 && !strcmp(argv[1], "diff");
    if (diff) return ranks_follow(ranks) ? EXIT_AGREED : diff_runs(argc - 2, argv + 2);
    enum status status = options_read(argc, argv, &options, &why);
    if (status && ranks_follow(ranks)) status = STATUS_OK, options.help = true; /* rank 0 says it */
    int result = status ? run_failed(status, &why, 0) : obey(&options, ranks);
    options_free(&options);
    return result;
}
