#include "app/command/run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <inttypes.h>

#include "app/output/output_file.h"
#include "app/output/results_file.h"
#include "app/output/results_table.h"
#include "app/output/text_table.h"
#include "app/api/handle.h"
#include "app/report/report.h"

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

enum status check_outputs(const struct options *options, struct message *why)
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

enum status check_request(const struct options *options, const struct pricer_book *book,
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

bool is_terminal(int descriptor)
{
    const char *term = getenv("TERM");
    return isatty(descriptor) && term && strcmp(term, "dumb") != 0;
}

enum status write_outputs(const struct options *options, struct pricer_results *run,
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

enum status run_journal_begin(const struct options *options, struct pricer_results *results,
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

enum status run_journal_complete(const struct options *options, const struct run_row *row,
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
