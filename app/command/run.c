#include "app/command/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/api/handle.h"
#include "app/output/bench.h"
#include "app/output/output_file.h"
#include "models/base/clock.h"

enum { NOTES_SHOWN = 100 };

/* The notes of one call of the library, of which a hundred of a kind are shown, as nobody reads
 * more at once. Begin with `options` alone; notes_end leaves it so. */
struct notes {
    const struct options *options;
    enum pricer_note kind; /* of the last, and: */
    int n;                 /* how many there were of it */
    int n_told;            /* complaints of the last call, these: */
    struct message told[NOTES_SHOWN];
};

/* Says how many were not shown. */
static void notes_end(struct notes *notes)
{
    if (notes->n > NOTES_SHOWN && !notes->options->all_errors)
        fprintf(stderr, "... and %d more (--all-errors shows them all)\n", notes->n - NOTES_SHOWN);
    notes->n = 0;
}

/* Shows a note, unless it is one of too many. */
static void notes_show(struct notes *notes, enum pricer_note kind, const char *line)
{
    bool complaint = kind == PRICER_NOTE_COMPLAINT;
    if (notes->options->quiet && !complaint) return;
    if (kind != notes->kind) notes_end(notes);
    notes->kind = kind;
    if (notes->n++ >= NOTES_SHOWN && !notes->options->all_errors) return;
    if (complaint && notes->n_told < NOTES_SHOWN)
        snprintf(notes->told[notes->n_told++].text, sizeof notes->told->text, "%s", line);
    fprintf(stderr, "%s%s\n", kind == PRICER_NOTE_ENGINE ? "pricer: " : "", line);
}

/* Tells whether the message of the last call was one of its complaints, whose list it ends. */
static bool notes_include(struct notes *notes, const char *message)
{
    bool included = false;
    while (notes->n_told)
        if (!strcmp(notes->told[--notes->n_told].text, message)) included = true;
    return included;
}

/* A bar with the time left, only where a person looks at it, and never with --quiet. */
struct progress_bar {
    bool visible;
    const char *label;
    double began; /* seconds */
    double drawn; /* when it was drawn last */
    bool shown;   /* there is a bar on the terminal */
};

enum { BAR_WIDTH = 40 };

/* Starts a bar; `label` (static) stands before it. */
static void progress_begin(struct progress_bar *progress, const char *label, bool quiet)
{
    *progress = (struct progress_bar){
        .visible = !quiet && is_terminal(STDERR_FILENO), .label = label, .began = seconds_now()};
    progress->drawn = progress->began;
}

/* Writes "1:07:30", "2:05" or "8 s". */
static void write_duration(char *text, size_t room, double seconds)
{
    long left = seconds < 1e7 ? (long)(seconds + 0.5) : 10000000;
    if (left >= 3600)
        snprintf(text, room, "%ld:%02ld:%02ld", left / 3600, left / 60 % 60, left % 60);
    else if (left >= 60) snprintf(text, room, "%ld:%02ld", left / 60, left % 60);
    else snprintf(text, room, "%ld s", left);
}

/* Draws it, at most ten times a second. `context` is the struct progress_bar. Not thread safe. */
static void progress_show(void *context, uint64_t done, uint64_t total)
{
    struct progress_bar *progress = context;
    double now = seconds_now();
    if (!progress->visible || now - progress->drawn < 0.1 || done == 0 || done >= total) return;
    double part = (double)done / (double)total;
    char bar[BAR_WIDTH + 1], left[32];
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(part * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    write_duration(left, sizeof left, (now - progress->began) * (1.0 - part) / part);
    fprintf(stderr, "\r%-8s [%s] %3.0f%%  %s left\033[K", progress->label, bar, 100.0 * part, left);
    fflush(stderr);
    progress->drawn = now;
    progress->shown = true;
}

/* Wipes it away. */
static void progress_end(struct progress_bar *progress)
{
    if (progress->shown) fprintf(stderr, "\r\033[K");
    progress->shown = false;
}

/* What a run holds; the first error and its line win. */
struct book_run {
    const struct options *options;
    const struct stop *signals;
    struct stop ending; /* by a signal, or when the time is over */
    double end;         /* of seconds_now() */
    struct pricer *pricer;
    struct pricer_book *book;
    struct pricer_results *results;
    struct journal journal; /* off without a database */
    struct notes notes;
    struct progress_bar progress;
    struct message why;
};

/* ---- what the library tells ------------------------------------------------------------------ */

static void show_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    struct book_run *run = context;
    if (!phase) progress_end(&run->progress);
    else if (!total) progress_begin(&run->progress, phase, run->options->quiet);
    else progress_show(&run->progress, done, total);
}

static void show_note(void *context, enum pricer_note kind, const char *line)
{
    struct book_run *run = context;
    if (ranks_follow(run->options->ranks)) return; /* rank 0 shows the same */
    notes_show(&run->notes, kind, line);
}

enum { TIME_IS_OVER = -1 };

/* Tells whether the run is to end: the number of a signal, or TIME_IS_OVER. */
static int asked(void *context)
{
    const struct book_run *run = context;
    int signal = run->signals->asked ? run->signals->asked(run->signals->context) : 0;
    if (signal || !run->options->max_time) return signal;
    return seconds_now() > run->end ? TIME_IS_OVER : 0;
}

/* Ends a call of the library: takes its message, unless it was told as a note. One about a place in
 * the book is told as a complaint. */
static enum status called(struct book_run *run, enum pricer_status status)
{
    bool follows = ranks_follow(run->options->ranks);
    notes_end(&run->notes);
    if (!status || (!run->pricer && !follows)) return (enum status)status;
    const char *message = pricer_message(run->pricer);
    if (!follows && notes_include(&run->notes, message)) return (enum status)status;
    if (!follows && pricer_message_line(run->pricer)) fprintf(stderr, "%s\n", message);
    else snprintf(run->why.text, sizeof run->why.text, "%s", message);
    return (enum status)status;
}

/* ---- what a run can do ----------------------------------------------------------------------- */

static enum status open_library(struct book_run *run)
{
    struct pricer_options to = run->options->library;
    to.context = run;
    to.progress = show_progress;
    to.note = show_note;
    to.stop = asked;
    return called(run, pricer_open(&to, &run->pricer));
}

static enum status print_plan(struct book_run *run, int *verdict)
{
    const char *trade = run->options->explain;
    MUST(called(run, trade ? pricer_explain(run->results, trade, stdout)
                           : pricer_plan_print(run->results, stdout)));
    *verdict = pricer_troubles(run->results) ? EXIT_TROUBLE : EXIT_AGREED;
    return output_flush_stdout(&run->why);
}

static enum status compile_book(struct book_run *run, int *verdict)
{
    int n = 0;
    MUST(called(run, pricer_compile(run->results, run->options->compile, &n)));
    printf("%d kernels compiled for compute capability %.1f\n", n, run->options->compile / 10.0);
    *verdict = EXIT_AGREED;
    return output_flush_stdout(&run->why);
}

static enum status price_book(struct book_run *run, int *verdict)
{
    MUST(run_journal_begin(run->options, run->results, &run->journal, &run->why));
    if (run->journal.row.complete)
        return run_journal_complete(run->options, &run->journal.row, verdict, &run->why);
    MUST(called(run, pricer_price(run->results)));
    MUST(called(run, pricer_risk(run->results)));
    *verdict = pricer_troubles(run->results) ? EXIT_TROUBLE : EXIT_AGREED;
    return write_outputs(run->options, run->results, &run->ending, &run->journal, *verdict,
                         &run->why);
}

/* Sees that all of options->ranks have read the same book and that there is something to do for
 * each, and has the handle share what it does with them. STATUS_BAD_INPUT and one line. */
static enum status meet_ranks(const struct options *options, struct pricer *pricer,
                              const struct pricer_book *book, struct message *why)
{
    const struct ranks *ranks = options->ranks;
    const struct settings *settings = &book->book.settings;
    int64_t batches = (settings->paths + BATCH_PATHS - 1) / BATCH_PATHS;
    uint64_t digest =
        identity_make(&book->book, options->n_sets, options->sets, settings->engine, 0);
    MUST(ranks->compare(ranks->context, digest, why));
    pricer->engine_options.ranks = ranks;
    if (batches >= ranks->n) return STATUS_OK;
    if (!ranks->rank && !options->quiet)
        fprintf(stderr,
                "pricer: note: %d ranks, but %lld paths are %lld batches of %d: %lld ranks at "
                "most have paths to simulate\n",
                ranks->n, (long long)settings->paths, (long long)batches, BATCH_PATHS,
                (long long)batches);
    return STATUS_OK;
}

/* Times every kernel of the engine on the plan, and writes what came out; *verdict is the exit
 * status. */
static enum status bench_book(const struct options *options, struct pricer_results *run,
                              int *verdict, struct message *why)
{
    enum status status = STATUS_OK;
    struct progress_bar progress;
    struct bench bench = {.engine = run->engine,
                          .options = run->engine_options,
                          .plan = run->planned.plan,
                          .market = &run->book->market,
                          .trades = run->book->trades,
                          .ladder = !strcmp(options->bench, "ladder"),
                          .patience = 40.0};
    bench.options.progress = progress_show;
    bench.options.progress_context = &progress;
    progress_begin(&progress, "trying", options->quiet);
    status = bench_begin(&bench, why);
    progress_end(&progress);
    TRY(status);
    if (!options->quiet) bench_head(stdout, &bench);
    TRY(output_flush_stdout(why));
    progress_begin(&progress, "timing", options->quiet);
    status = bench_time(&bench, why);
    progress_end(&progress);
    TRY(status);
    for (int i = 0; i < options->n_outputs; i++)
        TRY(output_file_write(options->outputs[i], bench_csv, &bench, NULL, why));
    if (!options->quiet) bench_table(stdout, &bench);
    TRY(output_flush_stdout(why));
    *verdict = bench_disagrees(&bench) ? EXIT_TROUBLE : EXIT_AGREED;
done:
    bench_free(&bench);
    return status;
}

static enum status use_book(struct book_run *run, int *verdict)
{
    const struct options *options = run->options;
    if (!options->calibrate) MUST(check_outputs(options, &run->why));
    MUST(open_library(run));
    MUST(called(run, pricer_book_load(run->pricer, options->book, options->n_sets, options->sets,
                                      &run->book)));
    if (options->calibrate)
        return calibrate_book(options, run->book, &run->ending, verdict, &run->why);
    if (options->ranks) MUST(meet_ranks(options, run->pricer, run->book, &run->why));
    MUST(check_request(options, run->book, &run->why));
    run->pricer->plain =
        options->bench != NULL; /* kernels are timed on Philox paths, without controls */
    MUST(called(run, pricer_plan(run->pricer, run->book, &run->results)));
    if (options->plan || options->explain) MUST(print_plan(run, verdict));
    else if (options->compile) MUST(compile_book(run, verdict));
    else if (options->bench) MUST(bench_book(options, run->results, verdict, &run->why));
    else MUST(price_book(run, verdict));
    return STATUS_OK;
}

int run_failed(enum status status, const struct message *why, int signal)
{
    if (status == STATUS_INTERRUPTED && signal == TIME_IS_OVER) {
        fprintf(stderr, "pricer: stopped: the time of --max-time is over\n");
        return EXIT_TIME;
    }
    if (status == STATUS_INTERRUPTED) {
        fprintf(stderr, "pricer: stopped by signal %d\n", signal);
        return 128 + signal;
    }
    if (why->text[0]) fprintf(stderr, "pricer: %s\n", why->text);
    else if (status == STATUS_NO_MEMORY) fprintf(stderr, "pricer: not enough memory\n");
    return status == STATUS_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_MACHINE;
}

int run_command(const struct options *options, const struct stop *stop)
{
    int verdict = EXIT_AGREED;
    struct book_run run = {.options = options,
                           .signals = stop,
                           .end = seconds_now() + options->max_time,
                           .notes = {.options = options}};
    run.ending = (struct stop){asked, &run};
    enum status status = use_book(&run, &verdict);
    bool resumable = run.journal.on || options->resume; /* or stopped before it was opened again */
    journal_close(&run.journal);
    pricer_results_free(run.results);
    pricer_book_free(run.book);
    pricer_close(run.pricer);
    if (!status) return verdict;
    if (options->ranks) options->ranks->fail(options->ranks->context, status, &run.why);
    if (ranks_follow(options->ranks)) return EXIT_MACHINE;
    size_t n = strlen(run.why.text);
    if (status == STATUS_FILE && options->ranks) /* the file may be there on another host */
        snprintf(run.why.text + n, sizeof run.why.text - n, " (on %s, where rank 0 runs)",
                 options->ranks->host);
    int result = run_failed(status, &run.why, asked(&run));
    if (status == STATUS_INTERRUPTED && resumable)
        fprintf(stderr,
                "pricer: %s keeps what is priced: the same command with --resume=%s %s goes on\n",
                options->database, options->database,
                options->resume ? "again" : "in place of its --output");
    return result;
}
