#include "app/command/run.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/api/handle.h"
#include "app/output/bench.h"
#include "app/output/output_file.h"
#include "app/output/results_file.h"
#include "app/output/results_table.h"
#include "app/output/text_table.h"
#include "app/report/report.h"
#include "models/base/clock.h"

/* ---- what a run leaves behind ---------------------------------------------------------------- */

enum status read_stored_run(const char *argument, const char *text, struct stored_run *night,
                            struct message *why)
{
    const char *colon = strrchr(text, ':');
    size_t length = strlen(text);
    if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
        strlen(colon) < 16) {
        length = (size_t)(colon - text);
        night->run = strtoll(colon + 1, NULL, 10);
    }
    if (length < 4 || strncmp(text + length - 3, ".db", 3) || (colon && night->run < 1))
        return say_why(STATUS_BAD_INPUT, why, "%s: FILE.db or FILE.db:RUN, got '%.300s'", argument,
                       text);
    night->path = strndup(text, length);
    return night->path ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Tells whether two paths lead to one database, which may come to be. */
static bool is_same_database(const char *path, const char *other)
{
    return !strcmp(path, other) || output_file_is(path, other);
}

/* Finds out whether the run that the report compares with is there: the run before this one, in the
 * database that this one goes into, may be none. */
static enum status check_since(const struct options *options, struct message *why)
{
    enum status status = STATUS_OK;
    struct stored_run since = {0};
    TRY(read_stored_run("--since", options->since, &since, why));
    if (since.run || !is_same_database(since.path, options->database))
        TRY(stored_run_find(&since, why));
done:
    free(since.path);
    return status;
}

/* Finds out before the work whether all outputs could be written. STATUS_FILE, STATUS_BAD_INPUT and
 * one line; STATUS_NO_MEMORY. */
static enum status check_outputs(const struct options *options, struct message *why)
{
    for (int i = 0; i < options->n_outputs; i++) MUST(output_check(options->outputs[i], why));
    if (options->database) MUST(database_possible(options->database, why));
    if (options->report) MUST(report_possible(options->report, options->charts, why));
    if (options->since) MUST(check_since(options, why));
    return STATUS_OK;
}

static enum status refuse_output(const struct book *book, const char *option, const char *path,
                                 struct message *why)
{
    if (!output_file_is_one_of(path, book->n_files, book->files)) return STATUS_OK;
    return say_why(STATUS_BAD_INPUT, why, "--%s: %.400s is a file that the book is read from",
                   option, path);
}

/* Refuses a folder of results one of whose files is the book's. */
static enum status refuse_folder(const struct book *book, const char *folder, struct message *why)
{
    char path[PATH_ROOM];
    for (int i = 0; i < N_LONG_FILES; i++) {
        MUST(long_file_name(folder, i, path, why));
        MUST(refuse_output(book, "output", path, why));
    }
    return STATUS_OK;
}

/* Refuses a folder of charts where a picture is the book's, or leads to a file of it. */
static enum status refuse_charts(const struct book *book, const char *folder, struct message *why)
{
    enum status status = STATUS_OK;
    char path[PATH_ROOM];
    DIR *found = opendir(folder);
    for (struct dirent *entry; found && (entry = readdir(found));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".svg")) continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        TRY(refuse_output(book, "charts", path, why));
    }
done:
    if (found) closedir(found);
    return status;
}

/* Tells whether trades are sorted by something: by asset, or by a tag that one of them has. */
static bool is_way(const struct book *book, const char *by)
{
    if (!strcmp(by, "asset")) return true;
    for (int i = 0; i < book->n_trades; i++)
        if (trade_tag(&book->trades[i], by)) return true;
    return false;
}

/* Refuses results in the place of the book, or of what belongs to it, and a --by that no trade is
 * sorted by. STATUS_BAD_INPUT and one line. */
static enum status check_request(const struct options *options, const struct pricer_book *book,
                                 struct message *why)
{
    for (int i = 0; i < options->n_outputs; i++)
        MUST(output_is_folder(options->outputs[i])
                 ? refuse_folder(&book->book, options->outputs[i], why)
                 : refuse_output(&book->book, "output", options->outputs[i], why));
    if (options->report) MUST(refuse_output(&book->book, "report", options->report, why));
    if (options->charts) MUST(refuse_charts(&book->book, options->charts, why));
    for (int i = 0; i < options->n_bys; i++)
        if (!is_way(&book->book, options->bys[i]))
            MUST(say_why(
                STATUS_BAD_INPUT, why,
                "--by=%.64s: no trade has that tag; --by takes asset, or a tag that trades have",
                options->bys[i]));
    return STATUS_OK;
}

/* Tells whether results themselves go to standard output. */
static bool is_on_stdout(const struct options *options)
{
    for (int i = 0; i < options->n_outputs; i++)
        if (output_is_stdout(options->outputs[i])) return true;
    return false;
}

/* Writes the report of a run that is complete in its database, with what has changed since another
 * one. */
static enum status report_change(const struct options *options, const struct results *results,
                                 int64_t run, const struct stop *stop, struct message *why)
{
    enum status status = STATUS_OK;
    const char *database = options->database;
    struct changes changes = {0};
    struct stored_run nights[2] = {{0}, {.path = strdup(database), .run = run}};
    if (!nights[1].path) TRY(STATUS_NO_MEMORY);
    TRY(read_stored_run("--since", options->since, &nights[0], why));
    bool first = false;
    if (!nights[0].run && is_same_database(nights[0].path, nights[1].path)) {
        TRY(run_before(database, run, &nights[0].run, why));
        first = !nights[0].run;
    }
    if (first)
        fprintf(stderr, "note: %s has no run before this one: the report shows no change\n",
                database);
    else TRY(changes_between(nights, &changes, why));
    TRY(report_write(options->report, options->charts, results, &changes, stop, why));
done:
    free(changes.rows);
    free(nights[0].path);
    free(nights[1].path);
    return status;
}

/* Tells whether the stream is a terminal that understands more than text. `descriptor` as of
 * isatty. */
static bool is_terminal(int descriptor)
{
    const char *term = getenv("TERM");
    return isatty(descriptor) && term && strcmp(term, "dumb") != 0;
}

/* Writes them all. STATUS_FILE and one line, STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
static enum status write_outputs(const struct options *options, struct pricer_results *run,
                                 const struct stop *stop, struct journal *journal, int exit_status,
                                 struct message *why)
{
    const struct results *results = session_results(run);
    for (int i = 0; i < options->n_outputs; i++)
        MUST(output_write(options->outputs[i], results, stop, why));
    if (options->report && !options->since)
        MUST(report_write(options->report, options->charts, results, NULL, stop, why));
    const char *no_colour = getenv("NO_COLOR");
    bool colour = is_terminal(STDOUT_FILENO) && !(no_colour && no_colour[0]);
    const struct table_look look = {colour, terminal_width(), options->n_bys, options->bys};
    if (!options->quiet && !is_on_stdout(options)) table_write(stdout, results, &look);
    else if (!ranks_follow(options->ranks)) troubles_write(stderr, results, false);
    MUST(output_flush_stdout(why));
    MUST(journal_finish(journal, results, exit_status, why));
    if (options->since) MUST(report_change(options, results, journal->row.run, stop, why));
    return STATUS_OK;
}

/* ---- the database ---------------------------------------------------------------------------- */

/* Opens the journal that the options ask for, where the results then keep their pieces, and leaves
 * it off where they ask for none. Where the run to be resumed is complete, journal->row says so.
 * STATUS_BAD_INPUT, STATUS_FILE and one line; STATUS_NO_MEMORY. */
static enum status run_journal_begin(const struct options *options, struct pricer_results *results,
                                     struct journal *journal, struct message *why)
{
    uint64_t identity;
    const struct book *book = results->book;
    if (!options->database) return STATUS_OK;
    const struct manifest *manifest = &session_results(results)->manifest;
    identity = identity_make(book, options->n_sets, options->sets, manifest->engine,
                             manifest->plan_digest);
    if (options->resume && !access(options->resume, F_OK)) {
        MUST(journal_resume(options->resume, identity, journal, why));
        if (!journal->row.run) journal_close(journal);
    }
    if (!journal->row.run)
        MUST(journal_begin(options->database, manifest, &book->market, identity, journal, why));
    results->store = journal_store(journal);
    return STATUS_OK;
}

static void say_not_written(const char *path)
{
    fprintf(stderr, "pricer: %s is not written: the run is complete and nothing is priced again\n",
            path);
}

/* Says that the run was complete before, and what it came to: its exit status goes to *verdict.
 * STATUS_FILE and one line. */
static enum status run_journal_complete(const struct options *options, const struct run_row *row,
                                        int *verdict, struct message *why)
{
    *verdict = row->exit_status;
    for (int i = 0; i < options->n_outputs; i++) say_not_written(options->outputs[i]);
    if (options->report) say_not_written(options->report);
    if (options->charts) say_not_written(options->charts);
    if (options->quiet) return STATUS_OK;
    printf("run %" PRId64 " of %s (begun %s UTC) is complete, nothing is left to do:", row->run,
           options->resume, row->began);
    for (int v = 0, n = 0; v < N_VERDICTS; v++)
        if (row->counts[v])
            printf("%s %d %s", n++ ? "," : "", row->counts[v], verdict_name((enum verdict)v));
    printf("; digest %s\n", row->results);
    return output_flush_stdout(why);
}

/* ---- what a run tells ------------------------------------------------------------------------ */

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

/* Shows a note, unless it is one of too many. */
static void show_note(void *context, enum pricer_note kind, const char *line)
{
    struct book_run *run = context;
    struct notes *notes = &run->notes;
    bool complaint = kind == PRICER_NOTE_COMPLAINT;
    if (ranks_follow(run->options->ranks)) return; /* rank 0 shows the same */
    if (notes->options->quiet && !complaint) return;
    if (kind != notes->kind) notes_end(notes);
    notes->kind = kind;
    if (notes->n++ >= NOTES_SHOWN && !notes->options->all_errors) return;
    if (complaint && notes->n_told < NOTES_SHOWN)
        snprintf(notes->told[notes->n_told++].text, sizeof notes->told->text, "%s", line);
    fprintf(stderr, "%s%s\n", kind == PRICER_NOTE_ENGINE ? "pricer: " : "", line);
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
