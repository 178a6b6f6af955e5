/* A run of a book, from its plan to its results. */
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/check.h"
#include "app/pricing/base/digest.h"
#include "app/pricing/risk/greeks/greek_check.h"
#include "app/api/handle.h"
#include "app/config/reader.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "app/pricing/risk/risk_make.h"
#include "app/pricing/value/make_estimates.h"
#include "app/pricing/value/rounds.h"
#include "app/pricing/value/stored_price.h"
#include "app/pricing/value/exercise/exercise_policy.h"
#include "kernels/threads.h"
#include "models/base/clock.h"

/* ---- the engine and its kernel --------------------------------------------------------------- */

/* Says, once a handle, that GPUs were named for an engine that uses none. */
static void note_unused_gpus(struct pricer_results *run)
{
    struct pricer *pricer = run->pricer;
    if (!pricer->options.n_gpus || pricer->engine_noted || !strcmp(run->engine->name, "cuda"))
        return;
    pricer_notify(pricer, PRICER_NOTE_ENGINE, "GPUs not used: the engine is cpu");
    pricer->engine_noted = true;
}

/* Chooses the engine that the settings name, or the first that is ready; then a note, one a handle,
 * says what is wrong with a better one. */
static enum status choose_engine(struct pricer_results *run)
{
    const struct settings *settings = &run->book->settings;
    bool any = !strcmp(settings->engine, "auto");
    for (int i = 0; engines[i]; i++) {
        struct message why = {""};
        run->engine = engines[i];
        if (!any && strcmp(settings->engine, engines[i]->name)) continue;
        enum status status = engines[i]->ready(&why);
        run->pricer->why.text[0] = '\0';
        if (!status) {
            note_unused_gpus(run);
            return STATUS_OK;
        }
        if (!any)
            return pricer_say(run->pricer, status, "%s%s", settings->engine_location, why.text);
        char line[sizeof why.text + 32];
        snprintf(line, sizeof line, "GPU not used: %s", why.text);
        if (!run->pricer->engine_noted && !strcmp(engines[i]->name, "cuda"))
            pricer_notify(run->pricer, PRICER_NOTE_ENGINE, line);
        run->pricer->engine_noted = true;
        run->pricer->why = why;
    }
    return STATUS_NO_ENGINE; /* the loader knows their names */
}

/* Waits for the devices that are starting, and chooses the engine and its kernel. */
static enum status choose(struct pricer_results *run)
{
    double began = seconds_now();
    pricer_await(run->pricer);
    run->phases.start = seconds_now() - began;
    MUST(choose_engine(run));
    const struct settings *settings = &run->book->settings;
    if (!strcmp(settings->kernel, "auto") || engine_kernel(run->engine, settings->kernel))
        return STATUS_OK;
    char names[sizeof(struct message)] = "";
    for (const struct kernel_row *row = run->engine->kernels; row->name; row++)
        list_word(names, sizeof names, ", ", row->name);
    return pricer_say(run->pricer, STATUS_BAD_INPUT,
                      "%sthe %s engine has no kernel '%s'; its kernels are %s",
                      settings->kernel_location, run->engine->name, settings->kernel, names);
}

/* ---- progress and the request to end --------------------------------------------------------- */

static void report_progress(void *context, uint64_t done, uint64_t total)
{
    const struct pricer_results *run = context;
    const struct pricer_options *options = &run->pricer->options;
    if (options->progress) options->progress(options->context, run->phase, done, total);
}

/* Begins a phase, or ends it (NULL). */
static void enter(struct pricer_results *run, const char *phase)
{
    run->phase = phase;
    report_progress(run, 0, 0);
}

static enum status go_on(const struct pricer_results *run)
{
    return asked_to_stop(&run->pricer->stop) ? STATUS_INTERRUPTED : STATUS_OK;
}

/* ---- the plan -------------------------------------------------------------------------------- */

struct plan_settings session_plan_settings(const struct pricer_results *run)
{
    const struct settings *settings = &run->book->settings;
    bool plain = run->pricer->plain;
    return (struct plan_settings){.paths = (uint64_t)settings->paths,
                                  .seed = settings->seed,
                                  .max_step = settings->max_step,
                                  .antithetic = settings->antithetic && !plain,
                                  .points = settings->sampler == SAMPLER_SOBOL && !plain,
                                  .stop = &run->pricer->stop,
                                  .team = run->engine_options.team};
}

/* Begins the team of a call; lacking memory for one the call does without. A device that starts
 * keeps cores busy: with a thread on each of them all threads would wait for those that have none.
 */
static void begin_team(struct pricer_results *run)
{
    enum { MANY = 8, FOR_DEVICES = 2 };
    int threads = thread_count(run->engine_options.threads);
    bool starting = run->pricer->waking && !run->pricer->options.threads;
    if (starting && threads >= MANY) threads -= FOR_DEVICES;
    run->engine_options.team = team_begin(threads);
}

static void end_team(struct pricer_results *run)
{
    team_end(run->engine_options.team);
    run->engine_options.team = NULL;
}

/* Makes the plan, or two: of the trades with control variates, and of the others. */
static enum status plan_book(struct pricer_results *run)
{
    const struct book *book = run->book;
    const struct plan_settings settings = session_plan_settings(run);
    struct plan_settings others = settings;
    struct pricer *pricer = run->pricer;
    bool controlled = book->settings.control_variates && !pricer->plain;
    if (controlled)
        MUST(controls_find(&book->market, book->n_trades, book->trades, &run->planned.controls));
    others.in = run->planned.controls.uncontrolled;
    run->planned.policies = piece_memory_begin();
    if (!run->planned.policies) return STATUS_NO_MEMORY;
    MUST(plan_build(&book->market, book->n_trades, book->trades, &others, &run->planned.plan,
                    run->planned.refusals));
    if (!pricer->options.dry)
        MUST(exercise_fit(&cpu_engine, &run->engine_options, run->planned.policies,
                          &run->planned.plan, &pricer->why));
    if (controlled)
        MUST(controls_plan(&run->planned.controls, &book->market, &settings,
                           &run->planned.controlled, run->planned.refusals));
    return STATUS_OK;
}

/* Tells whether the plan is still to be digested: a follower, which writes nothing, need not. */
static bool lacks_digest(const struct pricer_results *run)
{
    return !run->planned.digested && !ranks_follow(run->engine_options.ranks);
}

uint64_t session_plan_digest(struct pricer_results *run)
{
    if (!lacks_digest(run)) return run->planned.digest;
    run->planned.digest = digest_plan(&run->planned.plan);
    if (run->book->settings.control_variates && !run->pricer->plain)
        run->planned.digest =
            digest_integer(run->planned.digest, digest_plan(&run->planned.controlled));
    run->planned.digested = true;
    return run->planned.digest;
}

static enum status make_plan(struct pricer_results *run)
{
    double began = seconds_now();
    size_t n = (size_t)run->book->n_trades + 1;
    run->planned.refusals = calloc(n, sizeof *run->planned.refusals);
    run->priced.tallies = calloc(n, sizeof *run->priced.tallies);
    run->priced.paths = calloc(n, sizeof *run->priced.paths);
    run->priced.estimates = calloc(n, sizeof *run->priced.estimates);
    run->priced.controlled = calloc(n, sizeof *run->priced.controlled);
    run->priced.check_seconds = calloc(n, sizeof *run->priced.check_seconds);
    if (!run->planned.refusals || !run->priced.tallies || !run->priced.paths ||
        !run->priced.estimates || !run->priced.controlled || !run->priced.check_seconds)
        return STATUS_NO_MEMORY;
    begin_team(run);
    enum status status = plan_book(run);
    end_team(run);
    run->phases.plan = seconds_now() - began;
    return status;
}

/* Bytes that the tallies of batches may take which wait to be merged, of all that is priced at a
 * time: 100,000 trades have 2.4 MB of a batch. A GPU has them twice, and the inputs of as many
 * trades. */
#define TALLY_BYTES ((size_t)1 << 26)

enum status session_plan(struct pricer_results *run)
{
    bool waking = run->pricer->waking; /* then the plan is made while devices start */
    MUST(go_on(run));
    if (!waking) MUST(choose(run));
    run->engine_options = run->pricer->engine_options;
    run->engine_options.kernel = run->book->settings.kernel;
    run->engine_options.everywhere = run->book->settings.target_stderr > 0.0;
    run->engine_options.progress = report_progress;
    run->engine_options.progress_context = run;
    run->engine_options.tally_bytes = TALLY_BYTES;
    MUST(make_plan(run));
    if (waking) MUST(choose(run));
    return go_on(run);
}

/* ---- what prices are made of ----------------------------------------------------------------- */

static struct accuracy accuracy_of(struct pricer_results *run)
{
    const struct settings *settings = &run->book->settings;
    return (struct accuracy){.target = settings->target_stderr,
                             .max_paths = (uint64_t)settings->max_paths,
                             .log = &run->priced.rounds};
}

/* Prices a plan, or a part of it, through the store. */
static enum status price_plan(void *context, const struct plan *plan,
                              const struct engine_options *options, struct tally *tallies,
                              struct engine_report *report, struct message *why)
{
    struct pricer_results *run = context;
    const struct plan_pricing pricing = {.store = &run->store,
                                         .engine = run->engine,
                                         .plan = plan,
                                         .options = options,
                                         .tallies = tallies};
    return stored_price(&pricing, report, why);
}

static enum status price_controlled(struct pricer_results *run)
{
    const struct controls_job job = {.controls = &run->planned.controls,
                                     .plan = &run->planned.controlled,
                                     .accuracy = accuracy_of(run),
                                     .engine = run->engine,
                                     .options = &run->engine_options,
                                     .store = &run->store};
    enum status status =
        controls_price(&job, run->priced.controlled, &run->report, &run->pricer->why);
    for (int i = 0; !status && i < run->book->n_trades; i++) {
        const struct controlled_price *price = &run->priced.controlled[i];
        if (price->paths == 0.0) continue;
        run->priced.tallies[i] = price->unit;
        run->priced.paths[i] = price->paths;
    }
    return status;
}

/* Tells whether a trade is to be priced. */
static bool is_due(const struct pricer_results *run, int trade)
{
    return !run->planned.moved || run->planned.moved[trade];
}

/* Makes the estimates of the trades that moved, or of all. */
static enum status make_estimates(struct pricer_results *run)
{
    const struct priced *priced = &run->priced;
    for (int i = 0; i < run->book->n_trades; i++) {
        const struct controlled_price *controlled = &priced->controlled[i];
        struct estimate *estimate = &priced->estimates[i];
        if (!is_due(run, i)) continue;
        MUST(estimates_make(&run->book->market, 1, &run->book->trades[i], &priced->tallies[i],
                            &run->planned.refusals[i], estimate));
        estimate->paths = priced->paths[i];
        if (!controlled->control[0]) continue;
        memcpy(estimate->control, controlled->control, sizeof controlled->control);
        estimate->variance_ratio = controlled->variance_ratio;
    }
    return STATUS_OK;
}

/* ---- groups and their routes ----------------------------------------------------------------- */

int session_groups(const struct pricer_results *run)
{
    return run->planned.plan.n_groups + run->planned.controlled.n_groups;
}

struct run_group session_group(const struct pricer_results *run, int i)
{
    bool controlled = i >= run->planned.plan.n_groups;
    const struct plan *plan = controlled ? &run->planned.controlled : &run->planned.plan;
    int index = controlled ? i - run->planned.plan.n_groups : i;
    return (struct run_group){plan, index, &plan->groups[index],
                              controlled ? run->planned.controls.trades : run->book->trades};
}

enum status session_route(struct pricer_results *run, const struct run_group *group,
                          struct route *route)
{
    return run->engine->route(group->plan, group->index, &run->engine_options, route,
                              &run->pricer->why);
}

/* Counts the groups by the way that they are simulated in. */
static enum status count_routes(struct pricer_results *run)
{
    struct planned *planned = &run->planned;
    int n_groups = session_groups(run);
    free(planned->routes);
    planned->n_routes = 0;
    planned->routes = calloc((size_t)n_groups + 1, sizeof *planned->routes);
    if (!planned->routes) return STATUS_NO_MEMORY;
    for (int g = 0; g < n_groups; g++) {
        const struct run_group group = session_group(run, g);
        struct route route;
        int i = 0;
        MUST(session_route(run, &group, &route));
        while (i < planned->n_routes && (strcmp(planned->routes[i].route.kernel, route.kernel) ||
                                         strcmp(planned->routes[i].route.why, route.why)))
            i++;
        if (i == planned->n_routes) planned->routes[planned->n_routes++].route = route;
        planned->routes[i].groups++;
    }
    return STATUS_OK;
}

/* ---- prices ---------------------------------------------------------------------------------- */

/* Prices the trades without control variates that moved, or all, round by round, and then those
 * with control variates: they are planned anew, and so all are priced, where anything moves. */
static enum status price_plans(struct pricer_results *run)
{
    const struct plan_pricer plan_pricer = {price_plan, run, &run->engine_options, &run->report};
    const struct accuracy accuracy = accuracy_of(run);
    const struct plan *plan = &run->planned.plan;
    struct plan part = *plan;
    struct group *groups = malloc(((size_t)plan->n_groups + 1) * sizeof *groups);
    enum status status = groups ? STATUS_OK : STATUS_NO_MEMORY;
    if (groups && run->planned.moved) {
        part.groups = groups;
        part.n_groups = plan_moved_groups(plan, run->planned.moved, groups);
    }
    if (groups && part.n_groups)
        status = rounds_price(&plan_pricer, &part, &accuracy, run->priced.tallies,
                              run->priced.paths, &run->pricer->why);
    free(groups);
    return status || !run->planned.controlled.n_groups ? status : price_controlled(run);
}

/* Numbers from which on the digest of a plan takes a thread of its own. */
enum { LARGE_PLAN = 1 << 20 };

static bool plan_is_large(const struct plan *plan)
{
    size_t numbers = 0;
    for (int g = 0; g < plan->n_groups; g++)
        numbers += (size_t)plan->groups[g].lookup.n +
                   (size_t)plan->groups[g].n_steps * (size_t)plan->groups[g].width;
    return numbers > LARGE_PLAN;
}

/* What goes on while paths are simulated: they, first, and the digest of a plan that is large. */
struct pricing {
    struct pricer_results *run;
    enum status status;
};

static void price_side(void *context, int side)
{
    struct pricing *pricing = context;
    if (side) session_plan_digest(pricing->run);
    else pricing->status = price_plans(pricing->run);
}

/* Forgets what the trades had come to that are to be priced again. */
static void forget_moved(struct pricer_results *run)
{
    struct priced *priced = &run->priced;
    round_log_free(&priced->rounds);
    for (int t = 0; run->planned.moved && t < run->book->n_trades; t++) {
        if (!run->planned.moved[t]) continue;
        priced->tallies[t] = (struct tally){0};
        priced->paths[t] = priced->check_seconds[t] = 0.0;
        free(priced->estimates[t].message);
        priced->estimates[t].message = NULL;
    }
}

static enum status price(struct pricer_results *run)
{
    struct pricing pricing = {.run = run};
    bool beside = !run->begun && lacks_digest(run) && plan_is_large(&run->planned.plan);
    double began = seconds_now(), start = run->report.start;
    if (!run->begun)
        snprintf(run->report.kernel, sizeof run->report.kernel, "%s", run->engine_options.kernel);
    forget_moved(run);
    enter(run, "pricing");
    begin_team(run);
    team_loop(run->engine_options.team, beside ? 2 : 1, price_side, &pricing);
    end_team(run);
    enter(run, NULL);
    start = run->report.start - start;
    run->phases.start += start;
    run->phases.gpu_busy = run->report.busy;
    run->phases.price = seconds_now() - began - start;
    return pricing.status ? pricing.status : make_estimates(run);
}

/* ---- the check ------------------------------------------------------------------------------- */

/* Notes the trades that are to be checked whatever the mode, and that nobody prices. `list` has
 * each after a comma; NULL: none. */
static void note_unknown(const struct pricer_results *run, const char *list)
{
    for (const char *at = list; at; at = strchr(at + 1, ',')) {
        char line[512];
        int i = 0, n = (int)strcspn(at + 1, ",");
        while (i < run->book->n_trades &&
               (strncmp(run->book->trades[i].id, at + 1, (size_t)n) || run->book->trades[i].id[n]))
            i++;
        if (i < run->book->n_trades) continue;
        snprintf(line, sizeof line, "%scheck: '%.*s' is no trade that is priced",
                 run->pricer->options.prefix ? run->pricer->options.prefix : "", n, at + 1);
        pricer_notify(run->pricer, PRICER_NOTE_REMARK, line);
    }
}

static enum status check_trades(struct pricer_results *run)
{
    const struct book *book = run->book;
    const char *check = run->pricer->options.check;
    const char *also = check ? strchr(check, ',') : NULL;
    struct check_options options = {.plan = &run->planned.plan,
                                    .store = &run->store,
                                    .mode = book->settings.check,
                                    .also = also,
                                    .only = run->planned.moved,
                                    .seed = book->settings.seed,
                                    .exercise_width = book->settings.exercise_width,
                                    .threads = run->engine_options.threads,
                                    .progress = report_progress,
                                    .progress_context = run,
                                    .stop = &run->pricer->stop,
                                    .ranks = run->engine_options.ranks,
                                    .seconds = run->priced.check_seconds};
    double began = seconds_now();
    note_unknown(run, also);
    enter(run, "checking");
    enum status status = check_book(&book->market, book->n_trades, book->trades, &options,
                                    run->priced.estimates, &run->pricer->why);
    enter(run, NULL);
    run->phases.check = seconds_now() - began;
    return status;
}

/* ---- Greeks, scenarios, the past ------------------------------------------------------------- */

enum status session_make_risk(struct pricer_results *run, const struct engine *engine,
                              struct risk *risk, struct complaints *notes)
{
    const struct book *book = run->book;
    begin_team(run);
    struct plan_settings settings = session_plan_settings(run);
    settings.engine = engine, settings.options = &run->engine_options;
    const struct valuer valuer = {.market = &book->market,
                                  .n_trades = book->n_trades,
                                  .trades = book->trades,
                                  .engine = engine,
                                  .options = &run->engine_options,
                                  .settings = settings,
                                  .store = &run->store,
                                  .policies = run->planned.policies,
                                  .progress = report_progress,
                                  .progress_context = run};
    enter(run, "risk");
    enum status status = risk_make(&valuer, &book->risk, risk, notes, &run->pricer->why);
    end_team(run);
    enter(run, NULL);
    return status;
}

/* ---- the results ----------------------------------------------------------------------------- */

enum status session_price(struct pricer_results *run)
{
    const struct book *book = run->book;
    struct shown *shown = &run->shown;
    const struct accuracy accuracy = accuracy_of(run);
    MUST(count_routes(run));
    MUST(price(run));
    MUST(check_trades(run));
    for (int i = 0; i < book->n_trades; i++)
        if (is_due(run, i)) MUST(rounds_say(&accuracy, &run->priced.estimates[i]));
    MUST(estimates_expire(book->n_trades, book->trades, run->priced.estimates));
    MUST(session_make_results(run, false));
    if (!shown->by_id) shown->by_id = digest_order(shown->results.n, shown->results.trades);
    if (!shown->by_id) return STATUS_NO_MEMORY;
    shown->results.manifest.results_digest = digest_results(
        shown->results.n, shown->by_id, shown->results.trades, shown->results.estimates);
    free(run->planned.moved);
    run->planned.moved = NULL;
    return STATUS_OK;
}

enum status session_risk(struct pricer_results *run)
{
    enum status status = STATUS_OK;
    const struct book *book = run->book;
    const struct greek_check check = {.market = &book->market,
                                      .trades = book->trades,
                                      .estimates = run->priced.estimates,
                                      .paths = (uint64_t)book->settings.paths,
                                      .threads = run->engine_options.threads,
                                      .stop = &run->pricer->stop,
                                      .ranks = run->engine_options.ranks,
                                      .seconds = run->priced.check_seconds};
    struct complaints notes = {0};
    double began = seconds_now();
    if (!risk_is_asked(&book->risk)) return STATUS_OK;
    TRY(session_make_risk(run, run->engine, &run->risked.risk, &notes));
    run->phases.risk = seconds_now() - began;
    began = seconds_now();
    if (run->risked.risk.n_sensitivities && book->settings.check != CHECK_NONE)
        TRY(greeks_check(&check, &run->risked.risk, &notes));
    run->phases.check += seconds_now() - began;
    pricer_notify_all(run->pricer, PRICER_NOTE_COMPLAINT, &notes);
    TRY(session_make_results(run, true));
done:
    complaints_free(&notes);
    return status;
}

void session_free(struct pricer_results *run)
{
    session_forget_tables(run);
    result_table_let_go(run->shown.book_columns);
    free(run->shown.by_id);
    session_free_rows(run);
    book_sums_free(&run->risked.sums);
    estimates_free(run->book->n_trades, run->priced.estimates);
    risk_free(&run->risked.risk);
    free(run->planned.routes);
    free(run->priced.tallies);
    free(run->priced.paths);
    free(run->planned.refusals);
    free(run->priced.controlled);
    free(run->priced.check_seconds);
    plan_free(&run->planned.controlled);
    controls_free(&run->planned.controls);
    plan_free(&run->planned.plan);
    piece_memory_end(run->planned.policies);
    free(run->planned.moved);
    round_log_free(&run->priced.rounds);
}
