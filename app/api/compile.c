/* Path code that is compiled ahead: that of a book's prices, and of its Greeks, scenarios and past,
 * whose plans are made as if they were to be run. */
#include <stdio.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/pricing/risk/risk_make.h"
#include "kernels/team.h"
#include "kernels/threads.h"

struct compiling {
    const struct kernel_compiler *compiler;
    struct compilation *compilation;
};

/* Adds what another engine would walk the range by; its tallies are empty. */
static enum status walk_for_kernels(const struct plan *plan, const struct engine_options *options,
                                    const struct batch_range *range, struct engine_report *report,
                                    struct message *why)
{
    const struct compiling *compiling = options->stand_in;
    (void)report;
    memset(range->tallies, 0, range_tallies(plan, range) * sizeof *range->tallies);
    return compiling->compiler->add(compiling->compilation, plan, why);
}

/* Adds what Greeks, scenarios and the past are simulated by. */
static enum status add_risk(struct pricer_results *run, const struct engine *engine,
                            struct compiling *compiling)
{
    struct engine stand_in = *engine;
    struct risk risk = {0};
    struct complaints notes = {0};
    if (!risk_is_asked(&run->book->risk)) return STATUS_OK;
    stand_in.walk = walk_for_kernels;
    stand_in.calls = 1;
    run->engine_options.stand_in = compiling;
    enum status status = session_make_risk(run, &stand_in, &risk, &notes);
    run->engine_options.stand_in = NULL;
    risk_free(&risk);
    complaints_free(&notes);
    return status;
}

enum pricer_status pricer_compile(struct pricer_results *results, int architecture, int *n)
{
    enum status status = STATUS_OK;
    const struct engine *const *engine = engines;
    if (n) *n = 0;
    if (pricer_begin_with(pricer_of(results), "n", n)) return PRICER_BAD_INPUT;
    struct message *why = &results->pricer->why;
    while (*engine && !(*engine)->compiler) engine++;
    if (!*engine)
        return pricer_end(results->pricer,
                          pricer_say(results->pricer, STATUS_NO_ENGINE,
                                     "nothing is to be compiled: built without CUDA"));
    const struct kernel_compiler *compiler = (*engine)->compiler;
    struct engine_options options = results->engine_options;
    struct compiling compiling = {compiler, compiler->begin(architecture)};
    if (!compiling.compilation) return pricer_end(results->pricer, STATUS_NO_MEMORY);
    TRY(compiler->add(compiling.compilation, &results->planned.plan, why));
    TRY(compiler->add(compiling.compilation, &results->planned.controlled, why));
    TRY(add_risk(results, *engine, &compiling));
    options.team = team_begin(thread_count(options.threads));
    status = compiler->compile(compiling.compilation, &options, n, why);
    team_end(options.team);
done:
    compiler->end(compiling.compilation);
    return pricer_end(results->pricer, status);
}
