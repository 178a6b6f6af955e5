#include "app/command/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command/calibrate.h"
#include "app/pricing/check.h"
#include "app/config/book.h"
#include "app/pricing/controls/controls_price.h"
#include "app/database/journal.h"
#include "app/pricing/digest.h"
#include "app/pricing/estimate.h"
#include "app/command/run_journal.h"
#include "app/output/bench.h"
#include "app/output/output_file.h"
#include "app/output/results_file.h"
#include "app/output/results_table.h"
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "app/command/progress.h"
#include "app/report/report.h"
#include "app/pricing/rounds.h"
#include "app/pricing/greeks/greek_check.h"
#include "app/pricing/risk_make.h"
#include "app/command/result_rows.h"
#include "kernels/engine.h"
#include "kernels/exercise_policy.h"
#include "models/base/stop.h"

/* Everything a run makes; the first error and its line win. */
struct book_run {
    const struct options *options;
    const volatile int *stop;
    struct book book;
    const struct engine *engine;
    struct engine_options engine_options;
    struct engine_report report;
    struct plan plan;
    struct controls controls; /* control variates, where they are asked for, and: */
    struct plan controlled;   /* the trades that have any; `plan` is then of the others */
    struct controlled_price *controlled_prices; /* [n_trades] */
    uint64_t plan_digest;
    struct refusal *refusals;   /* [n_trades] */
    struct tally *tallies;      /* [n_trades] */
    double *paths;              /* [n_trades] that they took */
    struct estimate *estimates; /* [n_trades] */
    double *check_seconds;      /* [n_trades] that the check of each took */
    struct journal journal;     /* off without a database */
    struct store store;         /* the journal, to pricing */
    struct risk risk;
    struct complaints risk_notes; /* what could not be valued */
    struct result_rows rows;
    struct progress progress;
    struct phases phases;
    struct message why;
};

/* ---- the book -------------------------------------------------------------------------------- */

enum { COMPLAINTS_SHOWN = 100 }; /* of a list: nobody reads more at once */

static void print_complaints(const struct options *options, const struct complaints *complaints)
{
    bool all = options->all_errors || complaints->n <= COMPLAINTS_SHOWN;
    int n = all ? complaints->n : COMPLAINTS_SHOWN;
    for (int i = 0; i < n; i++) fprintf(stderr, "%s\n", complaints->list[i].line);
    if (!all) fprintf(stderr, "... and %d more (--all-errors shows them all)\n", complaints->n - n);
    if (complaints->lost)
        fprintf(stderr, "pricer: no memory for %d more complaints\n", complaints->lost);
}

/* The book's own number is checked where it is read. */
static enum status check_paths(struct book_run *run)
{
    const struct settings *settings = &run->book.settings;
    if (!settings->control_variates || settings->paths >= CONTROL_PATHS) return STATUS_OK;
    snprintf(run->why.text, sizeof run->why.text,
             "--paths must be at least %d with control_variates = true, got %lld", CONTROL_PATHS,
             (long long)settings->paths);
    return STATUS_BAD_INPUT;
}

static enum status load_book(struct book_run *run)
{
    const struct options *options = run->options;
    struct complaints complaints = {0};
    double began = seconds_now();
    enum status status =
        book_load_set(options->book, options->n_sets, options->sets, &run->book, &complaints);
    print_complaints(options, &complaints);
    if (!options->quiet) print_complaints(options, &run->book.notes);
    complaints_free(&complaints);
    if (!status) options_apply(options, &run->book.settings);
    run->phases.load = seconds_now() - began;
    return status ? status : check_paths(run);
}

static enum status check_outputs(struct book_run *run)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < run->options->n_outputs; i++)
        TRY(output_check(run->options->outputs[i], &run->why));
    if (run->options->database) TRY(database_possible(run->options->database, &run->why));
    if (run->options->resume) TRY(database_resumable(run->options->resume, &run->why));
    if (run->options->report) TRY(output_file_possible(run->options->report, &run->why));
done:
    return status;
}

static enum status refuse_output(const struct book_run *run, const char *option, const char *path,
                                 struct message *why)
{
    if (!output_file_is_one_of(path, run->book.n_files, run->book.files)) return STATUS_OK;
    snprintf(why->text, sizeof why->text, "--%s: %.400s is a file that the book is read from",
             option, path);
    return STATUS_BAD_INPUT;
}

/* No result takes the place of the book, or of what belongs to it. */
static enum status spare_inputs(struct book_run *run)
{
    enum status status = STATUS_OK;
    const struct options *options = run->options;
    for (int i = 0; i < options->n_outputs; i++)
        TRY(refuse_output(run, "output", options->outputs[i], &run->why));
    if (options->report) TRY(refuse_output(run, "report", options->report, &run->why));
done:
    return status;
}

/* ---- the engine and its kernel --------------------------------------------------------------- */

/* Devices wake up while the book is read, unless the command line rules them out. */
static void wake_engines(const struct book_run *run)
{
    const char *only = run->options->engine;
    for (int i = 0; engines[i]; i++)
        if (engines[i]->wake && !run->options->plan && (!only || strcmp(only, "cpu")))
            engines[i]->wake();
}

/* Waits for devices that still wake up. */
static void await_engines(struct book_run *run)
{
    double began = seconds_now();
    struct message why = {""};
    for (int i = 0; engines[i]; i++)
        if (engines[i]->wake) engines[i]->ready(&why);
    run->phases.start = seconds_now() - began;
}

/* The first engine that is ready; one line says what is wrong with a better one. */
static enum status choose_ready_engine(struct book_run *run)
{
    for (int i = 0; engines[i]; i++) {
        struct message why = {""};
        run->engine = engines[i];
        if (!engines[i]->ready(&why)) return STATUS_OK;
        if (!run->options->quiet && !strcmp(engines[i]->name, "cuda"))
            fprintf(stderr, "pricer: GPU not used: %s\n", why.text);
        run->why = why;
    }
    return STATUS_NO_ENGINE;
}

/* Tells of a setting like any complaint, with its place in the book or the option that it is from.
 */
static enum status refuse_setting(const char *location, enum status status, struct message *why)
{
    bool of_book = location[0] && strncmp(location, "--", 2);
    fprintf(stderr, "%s%s%s\n", of_book ? "" : "pricer: ", location, why->text);
    why->text[0] = '\0';
    return status;
}

static enum status choose_engine(struct book_run *run)
{
    const struct settings *settings = &run->book.settings;
    if (!strcmp(settings->engine, "auto")) return choose_ready_engine(run);
    for (int i = 0; engines[i]; i++) {
        run->engine = engines[i];
        if (strcmp(settings->engine, engines[i]->name)) continue;
        enum status status = engines[i]->ready(&run->why);
        return status ? refuse_setting(settings->engine_location, status, &run->why) : STATUS_OK;
    }
    return STATUS_NO_ENGINE; /* the loader knows their names */
}

static enum status check_kernel(struct book_run *run)
{
    const struct settings *settings = &run->book.settings;
    if (!strcmp(settings->kernel, "auto") || engine_kernel(run->engine, settings->kernel))
        return STATUS_OK;
    struct message *why = &run->why;
    int length =
        snprintf(why->text, sizeof why->text, "the %s engine has no kernel '%s'; its kernels are",
                 run->engine->name, settings->kernel);
    for (const struct kernel_row *row = run->engine->kernels; row->name; row++)
        if (length < (int)sizeof why->text)
            length += snprintf(why->text + length, sizeof why->text - (size_t)length, "%s %s",
                               row == run->engine->kernels ? "" : ",", row->name);
    return refuse_setting(settings->kernel_location, STATUS_BAD_INPUT, why);
}

static int thread_count(const struct options *options)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return options->threads > 0 ? options->threads : cores > 0 ? (int)cores : 1;
}

static void set_engine_options(struct book_run *run)
{
    const struct options *options = run->options;
    struct engine_options *to = &run->engine_options;
    *to = (struct engine_options){.kernel = run->book.settings.kernel,
                                  .threads = thread_count(options),
                                  .n_gpus = options->n_gpus > 0 ? options->n_gpus : 0,
                                  .progress = progress_show,
                                  .progress_context = &run->progress,
                                  .stop = run->stop};
    for (int i = 0; i < to->n_gpus; i++) to->gpus[i] = options->gpus[i];
}

/* Whether a signal has asked for the end. */
static enum status go_on(const struct book_run *run)
{
    return asked_to_stop(run->stop) ? STATUS_INTERRUPTED : STATUS_OK;
}

/* ---- plan, price, check ---------------------------------------------------------------------- */

static struct plan_settings plan_settings_of(const struct book_run *run)
{
    const struct settings *settings = &run->book.settings;
    bool plain = run->options->bench; /* kernels are timed on what they are for: Philox paths */
    return (struct plan_settings){.paths = (uint64_t)settings->paths,
                                  .seed = settings->seed,
                                  .max_step = settings->max_step,
                                  .antithetic = settings->antithetic && !plain,
                                  .points = settings->sampler == SAMPLER_SOBOL && !plain,
                                  .stop = run->stop};
}

/* The plan, or two: of the trades with control variates, and of the others. */
static enum status plan_book(struct book_run *run)
{
    enum status status = STATUS_OK;
    const struct book *book = &run->book;
    const struct plan_settings settings = plan_settings_of(run);
    struct plan_settings others = settings;
    bool controlled = book->settings.control_variates && !run->options->bench;
    if (controlled) TRY(controls_find(&book->market, book->n_trades, book->trades, &run->controls));
    others.in = run->controls.uncontrolled;
    TRY(plan_build(&book->market, book->n_trades, book->trades, &others, &run->plan,
                   run->refusals));
    if (!run->options->plan)
        TRY(exercise_fit(&run->plan, run->engine_options.threads, run->stop, &run->why));
    run->plan_digest = digest_plan(&run->plan);
    if (!controlled) return STATUS_OK;
    TRY(controls_plan(&run->controls, &book->market, &settings, &run->controlled, run->refusals));
    run->plan_digest = digest_integer(run->plan_digest, digest_plan(&run->controlled));
done:
    return status;
}

static enum status make_plan(struct book_run *run)
{
    double began = seconds_now();
    size_t n = (size_t)run->book.n_trades + 1;
    run->refusals = calloc(n, sizeof *run->refusals);
    run->tallies = calloc(n, sizeof *run->tallies);
    run->paths = calloc(n, sizeof *run->paths);
    run->estimates = calloc(n, sizeof *run->estimates);
    run->controlled_prices = calloc(n, sizeof *run->controlled_prices);
    run->check_seconds = calloc(n, sizeof *run->check_seconds);
    if (!run->refusals || !run->tallies || !run->paths || !run->estimates ||
        !run->controlled_prices || !run->check_seconds)
        return STATUS_NO_MEMORY;
    enum status status = plan_book(run);
    run->phases.plan = seconds_now() - began;
    return status;
}

static struct accuracy accuracy_of(const struct settings *settings)
{
    return (struct accuracy){settings->target_stderr, (uint64_t)settings->max_paths};
}

/* A plan, or a part of it, through the store. */
static enum status price_plan(void *context, const struct plan *plan,
                              const struct engine_options *options, struct tally *tallies,
                              struct engine_report *report, struct message *why)
{
    struct book_run *run = context;
    return stored_price(&run->store, run->engine, plan, options, tallies, NULL, report, why);
}

/* The trades with control variates. */
static enum status price_controlled(struct book_run *run)
{
    const struct controls_job job = {.controls = &run->controls,
                                     .plan = &run->controlled,
                                     .accuracy = accuracy_of(&run->book.settings),
                                     .engine = run->engine,
                                     .options = &run->engine_options,
                                     .store = &run->store};
    enum status status = controls_price(&job, run->controlled_prices, &run->report, &run->why);
    for (int i = 0; !status && i < run->book.n_trades; i++) {
        const struct controlled_price *price = &run->controlled_prices[i];
        if (price->paths == 0.0) continue;
        run->tallies[i] = price->unit;
        run->paths[i] = price->paths;
    }
    return status;
}

static enum status make_estimates(struct book_run *run)
{
    int n = run->book.n_trades;
    enum status status =
        estimates_make(n, run->book.trades, run->tallies, run->refusals, run->estimates);
    for (int i = 0; !status && i < n; i++) {
        const struct controlled_price *price = &run->controlled_prices[i];
        run->estimates[i].paths = run->paths[i];
        if (!price->control[0]) continue;
        memcpy(run->estimates[i].control, price->control, sizeof price->control);
        run->estimates[i].variance_ratio = price->variance_ratio;
    }
    return status;
}

static enum status price(struct book_run *run)
{
    enum status status = STATUS_OK;
    const struct plan_pricer pricer = {price_plan, run};
    const struct accuracy accuracy = accuracy_of(&run->book.settings);
    double began = seconds_now();
    snprintf(run->report.kernel, sizeof run->report.kernel, "%s", run->engine_options.kernel);
    progress_begin(&run->progress, "pricing", run->options->quiet);
    if (run->plan.n_groups)
        status = rounds_price(&pricer, &run->plan, &run->engine_options, &accuracy, run->tallies,
                              run->paths, &run->report, &run->why);
    if (!status && run->controlled.n_groups) status = price_controlled(run);
    progress_end(&run->progress);
    TRY(status);
    TRY(make_estimates(run));
done:
    run->phases.start += run->report.start;
    run->phases.gpu_busy = run->report.busy;
    run->phases.price = seconds_now() - began - run->report.start;
    return status;
}

static enum status check(struct book_run *run)
{
    const struct book *book = &run->book;
    struct check_options options = {.plan = &run->plan,
                                    .store = &run->store,
                                    .mode = book->settings.check,
                                    .seed = book->settings.seed,
                                    .exercise_width = book->settings.exercise_width,
                                    .threads = thread_count(run->options),
                                    .progress = progress_show,
                                    .progress_context = &run->progress,
                                    .stop = run->stop,
                                    .seconds = run->check_seconds};
    double began = seconds_now();
    progress_begin(&run->progress, "checking", run->options->quiet);
    enum status status = check_book(&book->market, book->n_trades, book->trades, &options,
                                    run->estimates, &run->why);
    progress_end(&run->progress);
    run->phases.check = seconds_now() - began;
    return status;
}

/* ---- Greeks, scenarios, the past ------------------------------------------------------------- */

static enum status check_greeks(struct book_run *run)
{
    const struct book *book = &run->book;
    const struct greek_check check = {.market = &book->market,
                                      .trades = book->trades,
                                      .estimates = run->estimates,
                                      .paths = (uint64_t)book->settings.paths,
                                      .threads = thread_count(run->options),
                                      .stop = run->stop,
                                      .seconds = run->check_seconds};
    if (!run->risk.n_sensitivities || book->settings.check == CHECK_NONE) return STATUS_OK;
    return greeks_check(&check, &run->risk, &run->risk_notes);
}

static enum status value_risk(struct book_run *run)
{
    enum status status = STATUS_OK;
    const struct book *book = &run->book;
    const struct valuer valuer = {.market = &book->market,
                                  .n_trades = book->n_trades,
                                  .trades = book->trades,
                                  .engine = run->engine,
                                  .options = &run->engine_options,
                                  .settings = plan_settings_of(run),
                                  .store = &run->store,
                                  .progress = progress_show,
                                  .progress_context = &run->progress};
    double began = seconds_now();
    if (!risk_is_asked(&book->risk)) return STATUS_OK;
    progress_begin(&run->progress, "risk", run->options->quiet);
    status = risk_make(&valuer, &book->risk, &run->risk, &run->risk_notes, &run->why);
    progress_end(&run->progress);
    TRY(status);
    run->phases.risk = seconds_now() - began;
    began = seconds_now();
    TRY(check_greeks(run));
    run->phases.check += seconds_now() - began;
    print_complaints(run->options, &run->risk_notes);
done:
    return status;
}

/* What the check would have taken of a sample. */
static enum status time_sample(struct book_run *run)
{
    const struct book *book = &run->book;
    double share;
    if (book->settings.check != CHECK_ALL) return STATUS_OK;
    enum status status = check_sample_share(book->n_trades, book->trades, book->settings.seed,
                                            run->estimates, run->check_seconds, &share);
    if (!status) run->phases.check_sample = share * run->phases.check;
    return status;
}

/* ---- the results ----------------------------------------------------------------------------- */

static struct manifest manifest_of(const struct book_run *run)
{
    const struct book *book = &run->book;
    return (struct manifest){.book = run->options->book,
                             .book_name = book->name,
                             .valuation_date = book->valuation_date,
                             .seed = book->settings.seed,
                             .paths = run->plan.paths,
                             .path_steps =
                                 plan_path_steps(&run->plan) + plan_path_steps(&run->controlled),
                             .plan_digest = run->plan_digest,
                             .engine = run->engine->name,
                             .kernel = run->report.kernel,
                             .device = run->report.device,
                             .threads = thread_count(run->options),
                             .phases = run->phases};
}

static enum status make_results(struct book_run *run, struct results *results)
{
    const struct book *book = &run->book;
    const struct result_rows *rows = &run->rows;
    enum status status = result_rows_make(book, run->estimates, &run->risk, &run->rows);
    if (status) return status;
    *results = (struct results){.market = &book->market,
                                .n = rows->n,
                                .trades = rows->trades,
                                .estimates = rows->estimates,
                                .currency = book->risk.currency,
                                .risk = risk_is_asked(&book->risk) ? &run->risk : NULL,
                                .manifest = manifest_of(run)};
    results->manifest.phases.output_began = seconds_now();
    return digest_results(results->n, results->trades, results->estimates,
                          &results->manifest.results_digest);
}

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return is_terminal(STDOUT_FILENO) && !(no_colour && no_colour[0]);
}

static enum status write_results(struct book_run *run, const struct results *results)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < run->options->n_outputs; i++)
        TRY(output_write(run->options->outputs[i], results, run->stop, &run->why));
    if (run->options->report)
        TRY(report_write(run->options->report, results, run->stop, &run->why));
    if (!run->options->quiet) table_write(stdout, results, wants_colour());
    TRY(output_flush_stdout(&run->why));
done:
    return status;
}

static int verdict_of(const struct results *results)
{
    const struct risk *risk = results->risk;
    bool trouble = false;
    for (int i = 0; i < results->n; i++) trouble |= estimate_is_trouble(&results->estimates[i]);
    if (risk) trouble |= risk->n_unvalued || risk->n_disagree;
    return trouble ? EXIT_TROUBLE : EXIT_AGREED;
}

/* ---- what a run can do ----------------------------------------------------------------------- */

static enum status price_book(struct book_run *run, int *verdict)
{
    enum status status = STATUS_OK;
    struct results results;
    const struct accuracy accuracy = accuracy_of(&run->book.settings);
    const struct manifest manifest = manifest_of(run);
    TRY(run_journal_begin(run->options, &run->book, &manifest, &run->journal, &run->why));
    if (run->journal.row.complete)
        return run_journal_complete(run->options, &run->journal.row, verdict, &run->why);
    run->store = journal_store(&run->journal);
    TRY(price(run));
    TRY(check(run));
    TRY(rounds_say(&accuracy, run->book.n_trades, run->estimates));
    TRY(value_risk(run));
    TRY(time_sample(run));
    TRY(make_results(run, &results));
    *verdict = verdict_of(&results);
    TRY(write_results(run, &results));
    TRY(journal_finish(&run->journal, &results, *verdict, &run->why));
done:
    return status;
}

static enum status print_plan(struct book_run *run, int *verdict)
{
    const struct book *book = &run->book;
    enum status status = STATUS_OK;
    TRY(plan_print(stdout, &run->plan, &book->market, book->trades, run->engine,
                   &run->engine_options, &run->why));
    if (run->controlled.n_groups) {
        printf("with control variates, each under the identifier of its trade:\n");
        TRY(plan_print(stdout, &run->controlled, &book->market, run->controls.trades, run->engine,
                       &run->engine_options, &run->why));
    }
    for (int i = 0; i < book->n_trades; i++)
        if (run->refusals[i].why.text[0])
            printf("%s:%d: trade '%s' cannot be priced: %s\n", book->trades[i].file,
                   book->trades[i].line, book->trades[i].id, run->refusals[i].why.text);
    for (int i = 0; i < book->n_unpriced; i++) {
        const struct unpriced_trade *unpriced = &book->unpriced[i];
        if (unpriced->expired)
            printf("%s:%d: trade '%s' %s\n", unpriced->trade.file, unpriced->trade.line,
                   unpriced->trade.id, unpriced->message);
        else printf("refused: %s\n", unpriced->message);
        if (!unpriced->expired) *verdict = EXIT_TROUBLE;
    }
    TRY(output_flush_stdout(&run->why));
done:
    return status;
}

static enum status write_bench(struct book_run *run, const char *path, const struct bench *bench)
{
    enum status status = STATUS_OK;
    struct output_file file = {0};
    TRY(output_file_begin(path, &file, &run->why));
    bench_csv(file.stream, bench);
    TRY(output_file_commit(&file, &run->why));
done:
    output_file_abandon(&file);
    return status;
}

/* The book under SCENARIOS_MAX markets, spots 1 % apart: what kernels that walk several at once are
 * timed on.
 */
static enum status plan_spot_ladder(struct book_run *run, struct plan *plan)
{
    enum status status = STATUS_OK;
    const struct book *book = &run->book;
    struct scenario ladder[SCENARIOS_MAX] = {{0}};
    struct market markets[SCENARIOS_MAX];
    size_t n = (size_t)book->market.n_assets;
    struct asset *assets = calloc(SCENARIOS_MAX * n, sizeof *assets);
    struct refusal *refusals = calloc((size_t)book->n_trades + 1, sizeof *refusals);
    const struct plan_settings settings = plan_settings_of(run);
    if (!assets || !refusals) TRY(STATUS_NO_MEMORY);
    for (int s = 0; s < SCENARIOS_MAX; s++) {
        markets[s] = book->market;
        markets[s].assets = memcpy(assets + (size_t)s * n, book->market.assets, n * sizeof *assets);
        for (size_t i = 0; i < n; i++) markets[s].assets[i].spot *= 1.0 + 0.01 * (s - 3);
        ladder[s].market = &markets[s];
    }
    TRY(plan_scenarios(SCENARIOS_MAX, ladder, book->n_trades, book->trades, &settings, plan,
                       refusals));
done:
    free(assets);
    free(refusals);
    return status;
}

static enum status bench_book(struct book_run *run, int *verdict)
{
    enum status status = STATUS_OK;
    struct bench bench = {0};
    struct plan scenarios = {0};
    TRY(plan_spot_ladder(run, &scenarios));
    progress_begin(&run->progress, "timing", run->options->quiet);
    status = bench_run(run->engine, &run->plan, &scenarios, &run->engine_options, &run->book.market,
                       run->book.trades, &bench, &run->why);
    progress_end(&run->progress);
    TRY(status);
    for (int i = 0; i < run->options->n_outputs; i++)
        TRY(write_bench(run, run->options->outputs[i], &bench));
    if (!run->options->quiet) bench_table(stdout, &bench);
    TRY(output_flush_stdout(&run->why));
    *verdict = bench_disagrees(&bench) ? EXIT_TROUBLE : EXIT_AGREED;
done:
    plan_free(&scenarios);
    bench_free(&bench);
    return status;
}

/* Fits the book's implied surfaces: no engine, no plan, no prices. */
static enum status calibrate_book(struct book_run *run, int *verdict)
{
    enum status status = STATUS_OK;
    const struct options *options = run->options;
    bool trouble = false;
    TRY(load_book(run));
    const struct calibrate_options to = {.model = options->calibrate,
                                         .book = options->book,
                                         .n_files = run->book.n_files,
                                         .files = run->book.files,
                                         .n_outputs = options->n_outputs,
                                         .outputs = options->outputs,
                                         .quiet = options->quiet,
                                         .stop = run->stop};
    TRY(calibrate(&run->book.market, &to, &trouble, &run->why));
    *verdict = trouble ? EXIT_TROUBLE : EXIT_AGREED;
done:
    return status;
}

static void release(struct book_run *run)
{
    result_rows_free(&run->rows);
    estimates_free(run->book.n_trades, run->estimates);
    journal_close(&run->journal);
    risk_free(&run->risk);
    complaints_free(&run->risk_notes);
    free(run->tallies);
    free(run->paths);
    free(run->refusals);
    free(run->controlled_prices);
    free(run->check_seconds);
    plan_free(&run->controlled);
    controls_free(&run->controls);
    plan_free(&run->plan);
    book_free(&run->book);
}

int run_failed(enum status status, const struct message *why, int signal)
{
    if (status == STATUS_INTERRUPTED) {
        fprintf(stderr, "pricer: stopped by signal %d\n", signal);
        return 128 + signal;
    }
    if (why->text[0]) fprintf(stderr, "pricer: %s\n", why->text);
    else if (status == STATUS_NO_MEMORY) fprintf(stderr, "pricer: not enough memory\n");
    return status == STATUS_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_MACHINE;
}

/* Everything that needs an engine. */
static enum status use_engine(struct book_run *run, int *verdict)
{
    enum status status = STATUS_OK;
    TRY(check_outputs(run));
    wake_engines(run);
    status = load_book(run);
    await_engines(run);
    TRY(status);
    TRY(spare_inputs(run));
    TRY(go_on(run));
    TRY(choose_engine(run));
    TRY(check_kernel(run));
    set_engine_options(run);
    TRY(make_plan(run));
    TRY(go_on(run));
    if (run->options->plan) TRY(print_plan(run, verdict));
    else if (run->options->bench) TRY(bench_book(run, verdict));
    else TRY(price_book(run, verdict));
done:
    return status;
}

int run(const struct options *options, const volatile int *stop)
{
    int verdict = EXIT_AGREED;
    struct book_run run = {.options = options, .stop = stop};
    enum status status =
        options->calibrate ? calibrate_book(&run, &verdict) : use_engine(&run, &verdict);
    release(&run);
    return status ? run_failed(status, &run.why, *stop) : verdict;
}
