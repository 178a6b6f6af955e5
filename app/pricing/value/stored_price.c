#include "app/pricing/value/stored_price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/plan/plan_build.h"
#include "kernels/replicates.h"
#include "models/base/clock.h"

/* A section is a few units, priced by one call of the engine and made safe at once: as many as take
 * about a second, where there is a store, and as the tallies of their batches have room for. A unit
 * is what is stored under one digest: a group, the groups that are simulated side by side, or a
 * scenario set. */

struct work {
    struct plan_pricing pricing;
    bool stored;                  /* the store remembers */
    uint64_t totals_digest;       /* where totals are stored */
    uint64_t key;                 /* of the plan among ranks */
    struct engine_report *report; /* sums over the sections */
    struct message *why;
    char kind[RECORD_KIND];
    struct plan section;  /* the units of the section that is being priced */
    size_t batch_tallies; /* tallies of one batch of them, and their path-steps */
    double steps;
    uint64_t done, total; /* path-steps of the units that are finished, and of all */
    /* The seconds that a section is to take, and path-steps: a first guess, then as many as do */
    double wanted_seconds, wanted_steps;
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

static const struct batch_range one_batch = {.end = 1};

/* Takes the tallies of a unit from what is stored; *there tells whether they are. */
static enum status recall_unit(const struct work *work, const struct plan *unit, bool *there)
{
    void *content;
    size_t n;
    enum status status =
        store_recall(work->pricing.store, work->kind, digest_plan(unit), &content, &n, work->why);
    struct bytes stored = {.at = content, .n = n};
    *there = !status && content && n == range_tallies(unit, &one_batch) * sizeof(struct tally) &&
             tallies_take(unit, &stored, work->pricing.tallies);
    free(content);
    return status;
}

static enum status store_unit(const struct work *work, const struct plan *unit)
{
    enum status status = STATUS_OK;
    struct bytes content = {0};
    TRY(tallies_put(unit, work->pricing.tallies, &content));
    TRY(store_keep(work->pricing.store, work->kind, digest_plan(unit), content.at, content.n,
                   work->why));
done:
    bytes_free(&content);
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
    size_t size = totals_size(work->pricing.plan);
    int64_t n = n_groups;
    char *content = malloc(sizeof n + size);
    if (!content) return STATUS_NO_MEMORY;
    memcpy(content, &n, sizeof n);
    memcpy(content + sizeof n, work->pricing.totals, size);
    enum status status = store_keep(work->pricing.store, "totals", work->totals_digest, content,
                                    sizeof n + size, work->why);
    free(content);
    return status;
}

/* Recalls the totals that are stored, of the first *n_groups groups. */
static enum status recall_totals(const struct work *work, int *n_groups)
{
    void *content;
    size_t n, size = totals_size(work->pricing.plan);
    int64_t groups = 0;
    enum status status =
        store_recall(work->pricing.store, "totals", work->totals_digest, &content, &n, work->why);
    if (content && n == sizeof groups + size) {
        memcpy(&groups, content, sizeof groups);
        memcpy(work->pricing.totals, (const char *)content + sizeof groups, size);
    }
    *n_groups = (int)groups;
    free(content);
    return status;
}

/* Recalls how many groups are there for good, totals and all: those from there on are priced. */
static enum status recall_state(struct work *work, int *n_groups)
{
    bool all = true;
    *n_groups = 0;
    if (!work->pricing.totals) return STATUS_OK;
    MUST(recall_totals(work, n_groups));
    for (int g = 0; all && g < *n_groups;) {
        const struct plan unit = plan_part_at(work->pricing.plan, g);
        MUST(recall_unit(work, &unit, &all));
        g += unit.n_groups;
    }
    if (all) return STATUS_OK;
    *n_groups = 0;
    memset(work->pricing.totals, 0, totals_size(work->pricing.plan));
    return STATUS_OK;
}

/* ---- who works ------------------------------------------------------------------------------- */

static enum status recall_worker(const struct work *work)
{
    void *content;
    size_t n;
    enum status status = store_recall(work->pricing.store, "worker", 0, &content, &n, work->why);
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
    return store_keep(work->pricing.store, "worker", 0, &worker, sizeof worker, work->why);
}

/* ---- sections -------------------------------------------------------------------------------- */

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    const struct work *work = context;
    const struct engine_options *options = work->pricing.options;
    (void)total;
    options->progress(options->progress_context, work->done + done, work->total);
}

/* Prices the section, up to group `end` of the plan, by all ranks, or by this process alone. */
static enum status price_here(struct work *work, int end, struct engine_report *report)
{
    struct plan_pricing pricing = work->pricing;
    struct engine_options options = *pricing.options;
    options.progress_context = work;
    if (options.progress) options.progress = show_progress;
    pricing.options = &options;
    if (options.ranks)
        return ranked_price(&pricing, work->key, &work->section, end == pricing.plan->n_groups,
                            report, work->why);
    return engine_price(pricing.engine, &work->section, &options, pricing.tallies, pricing.totals,
                        report, work->why);
}

/* Makes the section safe, whose last group is the one before group `end` of the plan. */
static enum status store_section(const struct work *work, int end)
{
    for (int g = 0; g < work->section.n_groups;) {
        const struct plan unit = plan_part_at(&work->section, g);
        MUST(store_unit(work, &unit));
        g += unit.n_groups;
    }
    if (work->pricing.totals) MUST(store_totals(work, end));
    MUST(store_worker(work));
    return store_flush(work->pricing.store, work->why);
}

/* Prices the section, and makes it safe. */
static enum status price_section(struct work *work, int end)
{
    struct engine_report report = *work->report;
    double began = seconds_now();
    report.normals = report.paths = report.payoffs = report.start = report.busy = report.total =
        0.0;
    MUST(price_here(work, end, &report));
    report_add(&report, work->report);
    if (work->stored) MUST(store_section(work, end));
    double seconds = seconds_now() - began;
    double wanted = seconds > 0.0 ? work->steps / seconds * work->wanted_seconds : 0.0;
    if (wanted > 0.0) work->wanted_steps = fmin(wanted, 4.0 * work->wanted_steps);
    work->done += plan_path_steps(&work->section);
    work->section.n_groups = 0;
    work->batch_tallies = 0;
    work->steps = 0.0;
    return STATUS_OK;
}

/* Tells whether the tallies of the section's batches leave no room for those of a unit: one alone
 * has room. */
static bool is_full(const struct work *work, const struct plan *unit)
{
    size_t limit = work->pricing.options->tally_bytes,
           bytes = sizeof(struct tally) * (size_t)plan_batches(unit);
    return limit && work->section.n_groups &&
           bytes * (work->batch_tallies + range_tallies(unit, &one_batch)) > limit;
}

static enum status price_units(struct work *work)
{
    const struct plan *plan = work->pricing.plan;
    struct engine_report none = {.kernel = ""};
    bool device = work->pricing.engine->wake != NULL;
    int held = 0, g = 0; /* groups that are there for good */
    /* Without a store sections may be as large as they like */
    work->wanted_seconds = !work->stored ? INFINITY : device ? 4.0 : 1.0;
    work->wanted_steps = !work->stored ? INFINITY : device ? 0x1p36 : 0x1p25;
    if (work->stored) MUST(recall_state(work, &held));
    while (g < plan->n_groups) {
        const struct plan unit = plan_part_at(plan, g);
        bool there = g < held;
        if (work->stored && !work->pricing.totals) MUST(recall_unit(work, &unit, &there));
        if (!there && (work->steps >= work->wanted_steps || is_full(work, &unit)))
            MUST(price_section(work, g));
        g += unit.n_groups;
        if (there) {
            work->done += plan_path_steps(&unit);
            continue;
        }
        memcpy(work->section.groups + work->section.n_groups, unit.groups,
               sizeof *unit.groups * (size_t)unit.n_groups);
        work->section.n_groups += unit.n_groups;
        work->batch_tallies += range_tallies(&unit, &one_batch);
        work->steps += (double)plan_path_steps(&unit);
    }
    /* Without a store an empty plan is priced, too; with one, followers wait for the last section
     */
    if (work->section.n_groups || !work->stored) MUST(price_section(work, g));
    else if (work->pricing.options->ranks) MUST(price_here(work, g, &none));
    return STATUS_OK;
}

enum status stored_price(const struct plan_pricing *pricing, struct engine_report *report,
                         struct message *why)
{
    enum status status = STATUS_OK;
    const struct plan *plan = pricing->plan;
    const struct engine_options *options = pricing->options;
    struct work work = {.pricing = *pricing,
                        .stored = pricing->store && pricing->store->keep,
                        .report = report,
                        .why = why,
                        .section = *plan,
                        .total = plan_path_steps(plan)};
    arithmetic_name(pricing->engine->name, options->kernel, sizeof work.kind, work.kind);
    if (!plan->n_totals) work.pricing.totals = NULL;
    if (work.stored && work.pricing.totals)
        work.totals_digest = digest_text(digest_plan(plan), work.kind);
    if (options->ranks) work.key = digest_text(digest_plan(plan), work.kind);
    if (ranks_follow(options->ranks)) return ranked_follow(&work.pricing, work.key, why);
    work.section.n_groups = 0;
    work.section.groups = malloc(sizeof *work.section.groups * ((size_t)plan->n_groups + 1));
    if (!work.section.groups) return STATUS_NO_MEMORY;
    if (work.stored) TRY(recall_worker(&work));
    TRY(price_units(&work));
done:
    free(work.section.groups);
    return status;
}
