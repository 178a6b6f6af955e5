#include "app/pricing/value/stored_price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/value/ranked_price.h"
#include "models/base/clock.h"

/* A section is a few units, priced by one call of the engine and made safe at once: as many as take
 * about a second, where there is a store, and as the tallies of their batches have room for. A unit
 * is what is stored under one digest: a group, the groups that are simulated side by side, or a
 * scenario set. */

struct work {
    const struct store *store;
    bool stored; /* the store remembers */
    const struct engine *engine;
    const struct plan *plan;
    const struct engine_options *options;
    struct tally *tallies;        /* [measure, or scenario][trade] */
    double *totals;               /* [chunk][measure][total]; NULL where the plan has none */
    uint64_t totals_digest;       /* where totals are stored */
    uint64_t key;                 /* of the plan among ranks */
    struct engine_report *report; /* sums over the sections */
    struct message *why;
    char kind[RECORD_KIND];
    struct plan section; /* the units of the section that is being priced */
    size_t of_batch;     /* tallies of one batch of them, and their path-steps */
    double steps;
    uint64_t done, total; /* path-steps of the units that are finished, and of all */
};

/* The engine that was at work, as results name it. */
struct worker {
    char kernel[sizeof((struct engine_report *)0)->kernel],
        device[sizeof((struct engine_report *)0)->device];
};

/* ---- units ----------------------------------------------------------------------------------- */

/* Returns the plan of the unit that begins with a group. Its groups stay the plan's; its tallies do
 * not depend on totals, and it has none. */
static struct plan plan_part_at(const struct plan *plan, int group)
{
    struct plan unit = *plan;
    unit.groups = plan->groups + group;
    unit.n_groups = plan_unit_size(plan, group);
    unit.n_totals = 0;
    return unit;
}

static size_t count_tallies(const struct plan *unit)
{
    size_t n = 0;
    for (int g = 0; g < unit->n_groups; g += scenario_set_size(unit, g))
        n += scenario_set_tallies(unit, g);
    return n;
}

/* Takes the tallies of a unit from what is stored; *there tells whether they are. */
static enum status recall_unit(const struct work *work, const struct plan *unit, bool *there)
{
    void *content;
    size_t n, at = 0;
    enum status status =
        store_recall(work->store, work->kind, digest_plan(unit), &content, &n, work->why);
    const struct tally *stored = content;
    *there = !status && content && n == count_tallies(unit) * sizeof *stored;
    for (int g = 0; *there && g < unit->n_groups; g += scenario_set_size(unit, g))
        for (size_t p = 0; p < scenario_set_tallies(unit, g); p++)
            work->tallies[scenario_set_tally_index(unit, g, p)] = stored[at++];
    free(content);
    return status;
}

static enum status store_unit(const struct work *work, const struct plan *unit)
{
    size_t at = 0, n = count_tallies(unit);
    struct tally *content = malloc((n + 1) * sizeof *content);
    if (!content) return STATUS_NO_MEMORY;
    for (int g = 0; g < unit->n_groups; g += scenario_set_size(unit, g))
        for (size_t p = 0; p < scenario_set_tallies(unit, g); p++)
            content[at++] = work->tallies[scenario_set_tally_index(unit, g, p)];
    enum status status = store_keep(work->store, work->kind, digest_plan(unit), content,
                                    n * sizeof *content, work->why);
    free(content);
    return status;
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* Totals are sums over the groups in their order, so that only the last state of them can be gone
 * on from: it holds groups 0 to n - 1. What was stored of later groups is not used. */
static size_t totals_size(const struct plan *plan)
{
    return sizeof(double) * (size_t)(plan->paths / CHUNK_PATHS) * chunk_totals(plan);
}

static enum status store_totals(const struct work *work, int n_groups)
{
    size_t size = totals_size(work->plan);
    int64_t n = n_groups;
    char *content = malloc(sizeof n + size);
    if (!content) return STATUS_NO_MEMORY;
    memcpy(content, &n, sizeof n);
    memcpy(content + sizeof n, work->totals, size);
    enum status status =
        store_keep(work->store, "totals", work->totals_digest, content, sizeof n + size, work->why);
    free(content);
    return status;
}

/* Recalls the totals that are stored, of the first *n_groups groups. */
static enum status recall_totals(const struct work *work, int *n_groups)
{
    void *content;
    size_t n, size = totals_size(work->plan);
    int64_t groups = 0;
    enum status status =
        store_recall(work->store, "totals", work->totals_digest, &content, &n, work->why);
    if (content && n == sizeof groups + size) {
        memcpy(&groups, content, sizeof groups);
        memcpy(work->totals, (const char *)content + sizeof groups, size);
    }
    *n_groups = (int)groups;
    free(content);
    return status;
}

/* Recalls all units of the first groups: false where one is missing. */
static enum status recall_first(const struct work *work, int n_groups, bool *all)
{
    enum status status = STATUS_OK;
    *all = true;
    for (int g = 0; *all && g < n_groups;) {
        const struct plan unit = plan_part_at(work->plan, g);
        TRY(recall_unit(work, &unit, all));
        g += unit.n_groups;
    }
done:
    return status;
}

/* Recalls how many groups are there for good, totals and all: those from there on are priced. */
static enum status recall_state(struct work *work, int *n_groups)
{
    enum status status = STATUS_OK;
    bool all;
    *n_groups = 0;
    if (!work->totals) return STATUS_OK;
    TRY(recall_totals(work, n_groups));
    TRY(recall_first(work, *n_groups, &all));
    if (all) return STATUS_OK;
    *n_groups = 0;
    memset(work->totals, 0, totals_size(work->plan));
done:
    return status;
}

/* ---- who works ------------------------------------------------------------------------------- */

static enum status recall_worker(const struct work *work)
{
    void *content;
    size_t n;
    enum status status = store_recall(work->store, "worker", 0, &content, &n, work->why);
    const struct worker *worker = content;
    if (worker && n == sizeof *worker) {
        memcpy(work->report->kernel, worker->kernel, sizeof worker->kernel);
        memcpy(work->report->device, worker->device, sizeof worker->device);
    }
    free(content);
    return status;
}

static enum status store_worker(const struct work *work)
{
    struct worker worker;
    memset(&worker, 0, sizeof worker);
    memcpy(worker.kernel, work->report->kernel, sizeof worker.kernel);
    memcpy(worker.device, work->report->device, sizeof worker.device);
    return store_keep(work->store, "worker", 0, &worker, sizeof worker, work->why);
}

/* ---- sections -------------------------------------------------------------------------------- */

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    const struct work *work = context;
    (void)total;
    work->options->progress(work->options->progress_context, work->done + done, work->total);
}

static void add_report(struct engine_report *sum, const struct engine_report *one)
{
    struct engine_report all = *one;
    all.normals += sum->normals;
    all.paths += sum->paths;
    all.payoffs += sum->payoffs;
    all.start += sum->start;
    all.busy += sum->busy;
    all.total += sum->total;
    *sum = all;
}

static struct ranked_plan ranked_plan_of(const struct work *work,
                                         const struct engine_options *options)
{
    return (struct ranked_plan){.engine = work->engine,
                                .plan = work->plan,
                                .options = options,
                                .key = work->key,
                                .tallies = work->tallies,
                                .totals = work->totals};
}

/* Prices the section by all ranks, or by this process alone. */
static enum status price_here(const struct work *work, const struct engine_options *options,
                              int end, struct engine_report *report)
{
    const struct ranked_plan ranked = ranked_plan_of(work, options);
    if (options->ranks)
        return ranked_price(&ranked, &work->section, end == work->plan->n_groups, report,
                            work->why);
    return engine_price(work->engine, &work->section, options, work->tallies, work->totals, report,
                        work->why);
}

/* Lets the followers go on, all that is left of the plan being there. */
static enum status release_followers(const struct work *work)
{
    struct engine_report none = {.kernel = ""};
    if (!work->options->ranks) return STATUS_OK;
    return price_here(work, work->options, work->plan->n_groups, &none);
}

/* Makes the section safe, whose last group is the one before group `end` of the plan. */
static enum status store_section(const struct work *work, int end)
{
    enum status status = STATUS_OK;
    for (int g = 0; g < work->section.n_groups;) {
        const struct plan unit = plan_part_at(&work->section, g);
        TRY(store_unit(work, &unit));
        g += unit.n_groups;
    }
    if (work->totals) TRY(store_totals(work, end));
    TRY(store_worker(work));
    TRY(store_flush(work->store, work->why));
done:
    return status;
}

/* Prices the section, up to group `end` of the plan. */
static enum status price_section(struct work *work, int end)
{
    enum status status = STATUS_OK;
    struct engine_report report = *work->report;
    struct engine_options options = *work->options;
    report.normals = report.paths = report.payoffs = report.start = report.busy = report.total =
        0.0;
    options.progress_context = work;
    if (options.progress) options.progress = show_progress;
    TRY(price_here(work, &options, end, &report));
    add_report(work->report, &report);
    if (work->stored) TRY(store_section(work, end));
    work->done += plan_path_steps(&work->section);
    work->section.n_groups = 0;
    work->of_batch = 0;
    work->steps = 0.0;
done:
    return status;
}

/* How much work a section is: a first guess, then what takes the time that a section should. */
struct pace {
    double seconds; /* that a section should take */
    double steps;   /* path-steps of the next one */
};

static enum status price_measured(struct work *work, int end, struct pace *pace)
{
    double began = seconds_now(), steps = work->steps;
    enum status status = price_section(work, end);
    double seconds = seconds_now() - began;
    double wanted = seconds > 0.0 ? steps / seconds * pace->seconds : 0.0;
    if (wanted > 4.0 * pace->steps) wanted = 4.0 * pace->steps;
    if (wanted > 0.0) pace->steps = wanted;
    return status;
}

/* Adds the unit to the section. */
static void add_plan_part(struct work *work, const struct plan *unit)
{
    memcpy(work->section.groups + work->section.n_groups, unit->groups,
           sizeof *unit->groups * (size_t)unit->n_groups);
    work->section.n_groups += unit->n_groups;
    work->of_batch += count_tallies(unit);
    work->steps += (double)plan_path_steps(unit);
}

/* Tells whether the tallies of the section's batches leave no room for those of a unit: one alone
 * has room. */
static bool is_full(const struct work *work, const struct plan *unit)
{
    size_t most = work->options->tally_bytes,
           bytes = sizeof(struct tally) * (size_t)plan_batches(unit);
    return most && work->section.n_groups && bytes * (work->of_batch + count_tallies(unit)) > most;
}

/* How fast sections are at first; without a store they may take as long as they like. */
static struct pace first_pace(const struct work *work)
{
    bool device = work->engine->wake != NULL;
    struct pace pace = {device ? 4.0 : 1.0, device ? 0x1p36 : 0x1p25};
    if (!work->stored) pace = (struct pace){INFINITY, INFINITY};
    else if (work->store->first_steps > 0.0) pace.steps = work->store->first_steps;
    return pace;
}

/* Finds out whether the unit at a group is stored, `held` groups being there for good. */
static enum status find_unit(const struct work *work, const struct plan *unit, int group, int held,
                             bool *there)
{
    *there = group < held;
    return work->stored && !work->totals ? recall_unit(work, unit, there) : STATUS_OK;
}

static enum status price_plan_parts(struct work *work)
{
    enum status status = STATUS_OK;
    struct pace pace = first_pace(work);
    int held = 0, g = 0;
    if (work->stored) TRY(recall_state(work, &held));
    while (g < work->plan->n_groups) {
        const struct plan unit = plan_part_at(work->plan, g);
        bool there;
        TRY(find_unit(work, &unit, g, held, &there));
        if (!there && (work->steps >= pace.steps || is_full(work, &unit)))
            TRY(price_measured(work, g, &pace));
        if (there) work->done += plan_path_steps(&unit);
        else add_plan_part(work, &unit);
        g += unit.n_groups;
    }
    /* Without a store an empty plan is priced, too */
    if (work->section.n_groups || !work->stored) TRY(price_section(work, g));
    else TRY(release_followers(work));
done:
    return status;
}

/* Does what the leader asks for. */
static enum status follow(const struct work *work)
{
    const struct ranked_plan ranked = ranked_plan_of(work, work->options);
    return ranked_follow(&ranked, work->why);
}

enum status stored_price(const struct store *store, const struct engine *engine,
                         const struct plan *plan, const struct engine_options *options,
                         struct tally *tallies, double *totals, struct engine_report *report,
                         struct message *why)
{
    enum status status = STATUS_OK;
    struct work work = {.store = store,
                        .stored = store && store->keep,
                        .engine = engine,
                        .plan = plan,
                        .options = options,
                        .tallies = tallies,
                        .totals = plan->n_totals ? totals : NULL,
                        .report = report,
                        .why = why,
                        .section = *plan,
                        .total = plan_path_steps(plan)};
    arithmetic_name(engine->name, options->kernel, sizeof work.kind, work.kind);
    if (work.stored && work.totals) work.totals_digest = digest_text(digest_plan(plan), work.kind);
    if (options->ranks) work.key = digest_text(digest_plan_for_run(plan, options->team), work.kind);
    if (ranks_follow(options->ranks)) return follow(&work);
    work.section.n_groups = 0;
    work.section.groups = malloc(sizeof *work.section.groups * ((size_t)plan->n_groups + 1));
    if (!work.section.groups) return STATUS_NO_MEMORY;
    if (work.stored) TRY(recall_worker(&work));
    TRY(price_plan_parts(&work));
done:
    free(work.section.groups);
    return status;
}
