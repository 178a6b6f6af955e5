#include "app/command/run_outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/command/progress.h"
#include "app/output/output_file.h"
#include "app/output/results_file.h"
#include "app/output/results_table.h"
#include "app/pricing/handle.h"
#include "app/report/report.h"

enum status check_outputs(const struct options *options, struct message *why)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < options->n_outputs; i++) TRY(output_check(options->outputs[i], why));
    if (options->database) TRY(database_possible(options->database, why));
    if (options->resume) TRY(database_resumable(options->resume, why));
    if (options->report) TRY(output_file_possible(options->report, why));
done:
    return status;
}

static enum status refuse_output(const struct book *book, const char *option, const char *path,
                                 struct message *why)
{
    if (!output_file_is_one_of(path, book->n_files, book->files)) return STATUS_OK;
    snprintf(why->text, sizeof why->text, "--%s: %.400s is a file that the book is read from",
             option, path);
    return STATUS_BAD_INPUT;
}

enum status spare_inputs(const struct options *options, const struct pricer_book *book,
                         struct message *why)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < options->n_outputs; i++)
        TRY(refuse_output(&book->book, "output", options->outputs[i], why));
    if (options->report) TRY(refuse_output(&book->book, "report", options->report, why));
done:
    return status;
}

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return is_terminal(STDOUT_FILENO) && !(no_colour && no_colour[0]);
}

enum status write_outputs(const struct options *options, struct pricer_results *run,
                          const struct stop *stop, struct journal *journal, int exit_status,
                          struct message *why)
{
    enum status status = STATUS_OK;
    const struct results *results = session_results(run);
    for (int i = 0; i < options->n_outputs; i++)
        TRY(output_write(options->outputs[i], results, stop, why));
    if (options->report) TRY(report_write(options->report, results, stop, why));
    if (!options->quiet) table_write(stdout, results, wants_colour());
    TRY(output_flush_stdout(why));
    TRY(journal_finish(journal, results, exit_status, why));
done:
    return status;
}
