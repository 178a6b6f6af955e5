#include "app/command/run_journal.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/database/identity.h"
#include "app/output/output_file.h"
#include "app/pricing/handle.h"

enum status run_journal_begin(const struct options *options, struct pricer_results *results,
                              struct journal *journal, struct message *why)
{
    uint64_t identity;
    const struct book *book = results->book;
    const struct manifest *manifest = &session_results(results)->manifest;
    if (!options->database && !options->resume) return STATUS_OK;
    identity = identity_make(book, options->n_sets, options->sets, manifest->engine,
                             manifest->plan_digest);
    if (options->resume) return journal_resume(options->resume, identity, journal, why);
    return journal_begin(options->database, manifest, &book->market, identity, journal, why);
}

static int recall(void *context, const char *kind, uint64_t digest, void **content, size_t *n,
                  char *text, size_t room)
{
    struct message why = {""};
    const struct store store = journal_store(context);
    enum status status = store_recall(&store, kind, digest, content, n, &why);
    snprintf(text, room, "%s", why.text);
    return (int)status;
}

static int keep(void *context, const char *kind, uint64_t digest, const void *content, size_t n,
                char *text, size_t room)
{
    struct message why = {""};
    const struct store store = journal_store(context);
    enum status status = store_keep(&store, kind, digest, content, n, &why);
    snprintf(text, room, "%s", why.text);
    return (int)status;
}

static int flush(void *context, char *text, size_t room)
{
    struct message why = {""};
    const struct store store = journal_store(context);
    enum status status = store_flush(&store, &why);
    snprintf(text, room, "%s", why.text);
    return (int)status;
}

struct pricer_store run_journal_store(struct journal *journal)
{
    return (struct pricer_store){journal, recall, keep, flush};
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
    if (options->quiet) return STATUS_OK;
    printf("run %" PRId64 " of %s (begun %s UTC) is complete, nothing is left to do:", row->run,
           options->resume, row->began);
    for (int v = 0, n = 0; v < N_VERDICTS; v++)
        if (row->counts[v])
            printf("%s %d %s", n++ ? "," : "", row->counts[v], verdict_name((enum verdict)v));
    printf("; digest %s\n", row->results);
    return output_flush_stdout(why);
}
