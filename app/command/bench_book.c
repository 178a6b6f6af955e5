#include "app/command/run.h"

#include <stdio.h>
#include <string.h>

#include "app/command/notes.h"
#include "app/output/bench.h"
#include "app/output/output_file.h"
#include "app/api/handle.h"

void plan_for_bench(struct pricer *pricer)
{
    pricer->plain = true;
}

enum status bench_book(const struct options *options, struct pricer_results *run, int *verdict,
                       struct message *why)
{
    enum status status = STATUS_OK;
    struct progress progress;
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
