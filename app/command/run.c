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
#include "app/output/results.h"
#include "app/output/text_table.h"
#include "app/report/report.h"
#include "models/base/clock.h"

enum { NOTES_SHOWN = 100, BAR_WIDTH = 40, TIME_IS_OVER = -1 };

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
    int verdict;            /* the exit status, unless the run fails */
    struct message why;

    /* Notes of a call of the library, of which a hundred of a kind are shown, as nobody reads more
     * at once */
    enum pricer_note note_kind; /* of the last, and: */
    int n_notes;                /* how many there were of it */
    int n_told;                 /* complaints of the call, these: */
    struct message told[NOTES_SHOWN];

    /* A bar with the time left, only where a person looks at it, and never with --quiet */
    struct {
        bool visible;
        const char *label;
        double began; /* seconds */
        double drawn; /* when it was drawn last */
        bool shown;   /* there is a bar on the terminal */
    } bar;
};

/* ---- what a run tells ------------------------------------------------------------------------ */

/* Tells whether the stream is a terminal that understands more than text. `descriptor` as of
 * isatty. */
static bool is_terminal(int descriptor)
{
    const char *term = getenv("TERM");
    return isatty(descriptor) && term && strcmp(term, "dumb") != 0;
}

/* Ends the notes of a kind: says how many were not shown. */
static void end_notes(struct book_run *run)
{
    if (run->n_notes > NOTES_SHOWN && !run->options->all_errors)
        fprintf(stderr, "... and %d more (--all-errors shows them all)\n",
                run->n_notes - NOTES_SHOWN);
    run->n_notes = 0;
}

/* Shows a note, unless it is one of too many. */
static void show_note(void *context, enum pricer_note kind, const char *line)
{
    struct book_run *run = context;
    bool complaint = kind == PRICER_NOTE_COMPLAINT;
    if (ranks_follow(run->options->ranks)) return; /* rank 0 shows the same */
    if (run->options->quiet && !complaint) return;
    if (kind != run->note_kind) end_notes(run);
    run->note_kind = kind;
    if (run->n_notes++ >= NOTES_SHOWN && !run->options->all_errors) return;
    if (complaint && run->n_told < NOTES_SHOWN)
        snprintf(run->told[run->n_told++].text, sizeof run->told->text, "%s", line);
    fprintf(stderr, "%s%s\n", kind == PRICER_NOTE_ENGINE ? "pricer: " : "", line);
}

/* Ends a call of the library: takes its message, unless it was told as a note. One about a place in
 * the book is told as a complaint. */
static enum status called(struct book_run *run, enum pricer_status status)
{
    bool follows = ranks_follow(run->options->ranks), told = false;
    end_notes(run);
    if (!status || (!run->pricer && !follows)) return (enum status)status;
    const char *message = pricer_message(run->pricer);
    while (!follows && run->n_told) told |= !strcmp(run->told[--run->n_told].text, message);
    if (told) return (enum status)status;
    if (!follows && pricer_message_line(run->pricer)) fprintf(stderr, "%s\n", message);
    else snprintf(run->why.text, sizeof run->why.text, "%s", message);
    return (enum status)status;
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

/* Starts a bar; `label` (static) stands before it. */
static void begin_bar(struct book_run *run, const char *label)
{
    bool visible = !run->options->quiet && is_terminal(STDERR_FILENO);
    double now = seconds_now();
    run->bar.visible = visible, run->bar.label = label, run->bar.shown = false;
    run->bar.began = run->bar.drawn = now;
}

/* Draws the bar, at most ten times a second. */
static void draw_bar(void *context, uint64_t done, uint64_t total)
{
    struct book_run *run = context;
    double now = seconds_now();
    if (!run->bar.visible || now - run->bar.drawn < 0.1 || done == 0 || done >= total) return;
    double part = (double)done / (double)total;
    char bar[BAR_WIDTH + 1], left[32];
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(part * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    write_duration(left, sizeof left, (now - run->bar.began) * (1.0 - part) / part);
    fprintf(stderr, "\r%-8s [%s] %3.0f%%  %s left\033[K", run->bar.label, bar, 100.0 * part, left);
    fflush(stderr);
    run->bar.drawn = now;
    run->bar.shown = true;
}

static void wipe_bar(struct book_run *run)
{
    if (run->bar.shown) fprintf(stderr, "\r\033[K");
    run->bar.shown = false;
}

static void show_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    if (!phase) wipe_bar(context);
    else if (!total) begin_bar(context, phase);
    else draw_bar(context, done, total);
}

/* Tells whether the run is to end: the number of a signal, or TIME_IS_OVER. */
static int asked(void *context)
{
    const struct book_run *run = context;
    int signal = run->signals->asked ? run->signals->asked(run->signals->context) : 0;
    if (signal || !run->options->max_time) return signal;
    return seconds_now() > run->end ? TIME_IS_OVER : 0;
}

/* ---- before the work ------------------------------------------------------------------------- */

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

/* Finds out before the work whether all outputs could be written, and the run be found that the
 * report compares with: where that is the one before this, in the same database, there may be none.
 * STATUS_FILE, STATUS_BAD_INPUT and one line; STATUS_NO_MEMORY. */
static enum status check_outputs(const struct options *options, struct message *why)
{
    enum status status = STATUS_OK;
    struct stored_run since = {0};
    for (int i = 0; i < options->n_outputs; i++) MUST(output_check(options->outputs[i], why));
    if (options->database) MUST(database_possible(options->database, why));
    if (options->report) MUST(report_possible(options->report, options->charts, why));
    if (!options->since) return STATUS_OK;
    TRY(read_stored_run("--since", options->since, &since, why));
    if (since.run || !is_same_database(since.path, options->database))
        TRY(stored_run_find(&since, why));
done:
    free(since.path);
    return status;
}

static enum status refuse_output(struct book_run *run, const char *option, const char *path)
{
    const struct book *book = &run->book->book;
    if (!output_file_is_one_of(path, book->n_files, book->files)) return STATUS_OK;
    return say_why(STATUS_BAD_INPUT, &run->why, "--%s: %.400s is a file that the book is read from",
                   option, path);
}

/* Refuses a folder of results one of whose files is the book's. */
static enum status refuse_folder(struct book_run *run, const char *folder)
{
    char path[PATH_ROOM];
    for (int i = 0; i < N_LONG_FILES; i++) {
        MUST(long_file_name(folder, i, path, &run->why));
        MUST(refuse_output(run, "output", path));
    }
    return STATUS_OK;
}

/* Refuses a folder of charts where a picture is the book's, or leads to a file of it. */
static enum status refuse_charts(struct book_run *run, const char *folder)
{
    enum status status = STATUS_OK;
    char path[PATH_ROOM];
    DIR *found = opendir(folder);
    for (struct dirent *entry; found && (entry = readdir(found));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".svg")) continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        TRY(refuse_output(run, "charts", path));
    }
done:
    if (found) closedir(found);
    return status;
}

/* Refuses results in the place of the book, or of what belongs to it, and a --by that no trade is
 * sorted by. STATUS_BAD_INPUT and one line. */
static enum status check_request(struct book_run *run)
{
    const struct options *options = run->options;
    const struct book *book = &run->book->book;
    for (int i = 0; i < options->n_outputs; i++)
        MUST(output_is_folder(options->outputs[i])
                 ? refuse_folder(run, options->outputs[i])
                 : refuse_output(run, "output", options->outputs[i]));
    if (options->report) MUST(refuse_output(run, "report", options->report));
    if (options->charts) MUST(refuse_charts(run, options->charts));
    for (int i = 0; i < options->n_bys; i++) {
        int t = 0;
        while (t < book->n_trades && !trade_tag(&book->trades[t], options->bys[i])) t++;
        if (t == book->n_trades && strcmp(options->bys[i], "asset"))
            MUST(say_why(
                STATUS_BAD_INPUT, &run->why,
                "--by=%.64s: no trade has that tag; --by takes asset, or a tag that trades have",
                options->bys[i]));
    }
    return STATUS_OK;
}

/* Sees that all of options->ranks have read the same book and that there is something to do for
 * each, and has the handle share what it does with them. STATUS_BAD_INPUT and one line. */
static enum status meet_ranks(struct book_run *run)
{
    const struct options *options = run->options;
    const struct ranks *ranks = options->ranks;
    const struct book *book = &run->book->book;
    const struct settings *settings = &book->settings;
    int64_t batches = (settings->paths + BATCH_PATHS - 1) / BATCH_PATHS;
    uint64_t digest = identity_make(book, options->n_sets, options->sets, settings->engine, 0);
    MUST(ranks->compare(ranks->context, digest, &run->why));
    run->pricer->engine_options.ranks = ranks;
    if (batches < ranks->n && !ranks->rank && !options->quiet)
        fprintf(stderr,
                "pricer: note: %d ranks, but %lld paths are %lld batches of %d: %lld ranks at "
                "most have paths to simulate\n",
                ranks->n, (long long)settings->paths, (long long)batches, BATCH_PATHS,
                (long long)batches);
    return STATUS_OK;
}

/* ---- the database ---------------------------------------------------------------------------- */

/* Opens the journal that the options ask for, where the results then keep their pieces, and leaves
 * it off where they ask for none. Where the run to be resumed is complete, journal.row says so.
 * STATUS_BAD_INPUT, STATUS_FILE and one line; STATUS_NO_MEMORY. */
static enum status begin_journal(struct book_run *run)
{
    const struct options *options = run->options;
    const struct book *book = &run->book->book;
    struct journal *journal = &run->journal;
    if (!options->database) return STATUS_OK;
    const struct manifest *manifest = &session_results(run->results)->manifest;
    uint64_t identity = identity_make(book, options->n_sets, options->sets, manifest->engine,
                                      manifest->plan_digest);
    if (options->resume && !access(options->resume, F_OK)) {
        MUST(journal_resume(options->resume, identity, journal, &run->why));
        if (!journal->row.run) journal_close(journal);
    }
    if (!journal->row.run)
        MUST(journal_begin(options->database, manifest, &book->market, identity, journal,
                           &run->why));
    run->results->store = journal_store(journal);
    return STATUS_OK;
}

static void say_not_written(const char *path)
{
    fprintf(stderr, "pricer: %s is not written: the run is complete and nothing is priced again\n",
            path);
}

/* Says that the run was complete before, and what it came to. STATUS_FILE and one line. */
static enum status show_complete(struct book_run *run)
{
    const struct options *options = run->options;
    const struct run_row *row = &run->journal.row;
    run->verdict = row->exit_status;
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
    return output_flush_stdout(&run->why);
}

/* ---- what a run does ------------------------------------------------------------------------- */

/* Writes the report of a run that is complete in its database, with what has changed since another
 * one. */
static enum status report_change(struct book_run *run, const struct results *results)
{
    enum status status = STATUS_OK;
    const struct options *options = run->options;
    struct changes changes = {0};
    int64_t this = run->journal.row.run;
    struct stored_run nights[2] = {{0}, {.path = strdup(options->database), .run = this}};
    if (!nights[1].path) TRY(STATUS_NO_MEMORY);
    TRY(read_stored_run("--since", options->since, &nights[0], &run->why));
    bool before = !nights[0].run && is_same_database(nights[0].path, nights[1].path);
    if (before) TRY(run_before(&run->journal.database, this, &nights[0].run, &run->why));
    if (before && !nights[0].run)
        fprintf(stderr, "note: %s has no run before this one: the report shows no change\n",
                options->database);
    else TRY(changes_between(nights, &changes, &run->why));
    TRY(report_write(options->report, options->charts, results, &changes, &run->ending, &run->why));
done:
    free(changes.rows);
    free(nights[0].path);
    free(nights[1].path);
    return status;
}

/* Writes all that was asked for. STATUS_FILE and one line, STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
static enum status write_outputs(struct book_run *run)
{
    const struct options *options = run->options;
    const struct results *results = session_results(run->results);
    const struct stop *ending = &run->ending; /* the first file in place, the others follow */
    bool on_stdout = false;                   /* results themselves are */
    for (int i = 0; i < options->n_outputs; i++, ending = NULL) {
        MUST(output_write(options->outputs[i], results, ending, &run->why));
        on_stdout |= output_is_stdout(options->outputs[i]);
    }
    if (options->report && !options->since)
        MUST(report_write(options->report, options->charts, results, NULL, ending, &run->why));
    const char *no_colour = getenv("NO_COLOR");
    bool colour = is_terminal(STDOUT_FILENO) && !(no_colour && no_colour[0]);
    const struct table_look look = {colour, terminal_width(), options->n_bys, options->bys};
    if (!options->quiet && !on_stdout) table_write(stdout, results, &look);
    else if (!ranks_follow(options->ranks)) troubles_write(stderr, results, false);
    MUST(output_flush_stdout(&run->why));
    MUST(journal_finish(&run->journal, results, run->verdict, &run->why));
    return options->since ? report_change(run, results) : STATUS_OK;
}

static enum status price_book(struct book_run *run)
{
    MUST(begin_journal(run));
    if (run->journal.row.complete) return show_complete(run);
    MUST(called(run, pricer_price(run->results)));
    MUST(called(run, pricer_risk(run->results)));
    run->verdict = pricer_troubles(run->results) ? EXIT_TROUBLE : EXIT_AGREED;
    return write_outputs(run);
}

static enum status print_plan(struct book_run *run)
{
    const char *trade = run->options->explain;
    MUST(called(run, trade ? pricer_explain(run->results, trade, stdout)
                           : pricer_plan_print(run->results, stdout)));
    run->verdict = pricer_troubles(run->results) ? EXIT_TROUBLE : EXIT_AGREED;
    return output_flush_stdout(&run->why);
}

static enum status compile_book(struct book_run *run)
{
    int n = 0;
    MUST(called(run, pricer_compile(run->results, run->options->compile, &n)));
    printf("%d kernels compiled for compute capability %.1f\n", n, run->options->compile / 10.0);
    return output_flush_stdout(&run->why);
}

/* Times every kernel of the engine on the plan, and writes what came out. */
static enum status bench_book(struct book_run *run)
{
    enum status status = STATUS_OK;
    const struct options *options = run->options;
    struct bench bench = {.engine = run->results->engine,
                          .options = run->results->engine_options,
                          .plan = run->results->planned.plan,
                          .market = &run->book->book.market,
                          .trades = run->book->book.trades,
                          .ladder = !strcmp(options->bench, "ladder"),
                          .patience = 40.0};
    bench.options.progress = draw_bar;
    bench.options.progress_context = run;
    begin_bar(run, "trying");
    status = bench_begin(&bench, &run->why);
    wipe_bar(run);
    TRY(status);
    if (!options->quiet) bench_head(stdout, &bench);
    TRY(output_flush_stdout(&run->why));
    begin_bar(run, "timing");
    status = bench_time(&bench, &run->why);
    wipe_bar(run);
    TRY(status);
    for (int i = 0; i < options->n_outputs; i++)
        TRY(output_file_write(options->outputs[i], bench_csv, &bench, NULL, &run->why));
    if (!options->quiet) bench_table(stdout, &bench);
    TRY(output_flush_stdout(&run->why));
    run->verdict = bench_disagrees(&bench) ? EXIT_TROUBLE : EXIT_AGREED;
done:
    bench_free(&bench);
    return status;
}

static enum status use_book(struct book_run *run)
{
    const struct options *options = run->options;
    struct pricer_options library = options->library;
    library.context = run;
    library.progress = show_progress;
    library.note = show_note;
    library.stop = asked;
    if (!options->calibrate) MUST(check_outputs(options, &run->why));
    MUST(called(run, pricer_open(&library, &run->pricer)));
    MUST(called(run, pricer_book_load(run->pricer, options->book, options->n_sets, options->sets,
                                      &run->book)));
    if (options->calibrate)
        return calibrate_book(options, run->book, &run->ending, &run->verdict, &run->why);
    if (options->ranks) MUST(meet_ranks(run));
    MUST(check_request(run));
    /* Kernels are timed on Philox paths, without controls. */
    run->pricer->plain = options->bench != NULL;
    MUST(called(run, pricer_plan(run->pricer, run->book, &run->results)));
    if (options->plan || options->explain) return print_plan(run);
    if (options->compile) return compile_book(run);
    return options->bench ? bench_book(run) : price_book(run);
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
    struct book_run run = {.options = options,
                           .signals = stop,
                           .end = seconds_now() + options->max_time,
                           .verdict = EXIT_AGREED};
    run.ending = (struct stop){asked, &run};
    enum status status = use_book(&run);
    bool resumable = run.journal.on || options->resume; /* or stopped before it was opened again */
    journal_close(&run.journal);
    pricer_results_free(run.results);
    pricer_book_free(run.book);
    pricer_close(run.pricer);
    if (!status) return run.verdict;
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
