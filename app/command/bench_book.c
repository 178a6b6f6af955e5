#include "app/command/bench_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/notes.h"
#include "app/command/run.h"
#include "app/output/bench.h"
#include "app/output/output_file.h"
#include "app/pricing/handle.h"
#include "app/pricing/plan/plan_scenarios.h"

void plan_for_bench(struct pricer *pricer)
{
    pricer->plain = true;
}

static enum status write_bench(const char *path, const struct bench *bench, struct message *why)
{
    enum status status = STATUS_OK;
    struct output_file file = {0};
    TRY(output_file_begin(path, &file, why));
    bench_csv(file.stream, bench);
    TRY(output_file_commit(&file, why));
done:
    output_file_abandon(&file);
    return status;
}

/* Plans the book under SCENARIOS_MAX markets, spots 1 % apart: what kernels that walk several at
 * once are timed on. */
static enum status plan_spot_ladder(const struct pricer_results *run, struct plan *plan)
{
    enum status status = STATUS_OK;
    const struct book *book = run->book;
    struct scenario ladder[SCENARIOS_MAX] = {{0}};
    struct market markets[SCENARIOS_MAX];
    size_t n = (size_t)book->market.n_assets;
    struct asset *assets = calloc(SCENARIOS_MAX * n, sizeof *assets);
    struct refusal *refusals = calloc((size_t)book->n_trades + 1, sizeof *refusals);
    const struct plan_settings settings = session_plan_settings(run);
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

enum status bench_book(const struct options *options, struct pricer_results *run, int *verdict,
                       struct message *why)
{
    enum status status = STATUS_OK;
    struct plan scenarios = {0};
    struct progress progress;
    struct bench bench = {.engine = run->engine,
                          .options = run->engine_options,
                          .plan = run->plan,
                          .market = &run->book->market,
                          .trades = run->book->trades,
                          .ladder = !strcmp(options->bench, "ladder")};
    if (bench.ladder) TRY(plan_spot_ladder(run, &scenarios));
    bench.scenarios = scenarios;
    bench.options.progress = progress_show;
    bench.options.progress_context = &progress;
    TRY(bench_begin(&bench, why));
    if (!options->quiet) bench_head(stdout, &bench);
    TRY(output_flush_stdout(why));
    progress_begin(&progress, "timing", options->quiet);
    status = bench_time(&bench, why);
    progress_end(&progress);
    TRY(status);
    for (int i = 0; i < options->n_outputs; i++) TRY(write_bench(options->outputs[i], &bench, why));
    if (!options->quiet) bench_table(stdout, &bench);
    TRY(output_flush_stdout(why));
    *verdict = bench_disagrees(&bench) ? EXIT_TROUBLE : EXIT_AGREED;
done:
    plan_free(&scenarios);
    bench_free(&bench);
    return status;
}
