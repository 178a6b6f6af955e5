/* Prices by all ranks of a run: its pieces are batches of paths, or groups. */
#include "app/pricing/value/stored_price.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/plan_build.h"
#include "kernels/merge.h"
#include "models/base/clock.h"

/* Bytes that come back of a range, at most, where it can be cut that small. */
#define RANGE_BYTES 0x2000000u

/* A section under way. Its pieces are batches of all groups; or, where few batches would keep no
 * device busy, parts of its groups, each with all batches: what comes back of those is merged. */
struct ranked_section {
    const struct plan_pricing *pricing;
    const struct plan *section;
    uint64_t parts;               /* that the groups are cut into; 0: pieces are batches */
    uint64_t cost;                /* of the groups; the leader's */
    struct batch_range all;       /* of the section; the leader's; tallies where they are batches */
    bool continues;               /* the totals hold what sections before have added */
    struct engine_report *report; /* of the leader's own ranges, or of a follower's */
    uint64_t taken, done;         /* ranges; path-steps */
};

enum status tallies_put(const struct plan *groups, const struct tally *tallies, struct bytes *to)
{
    for (int g = 0; g < groups->n_groups; g += scenario_set_size(groups, g))
        for (size_t p = 0; p < scenario_set_tallies(groups, g); p++)
            MUST(bytes_add(to, &tallies[scenario_set_tally_index(groups, g, p)], sizeof *tallies));
    return STATUS_OK;
}

bool tallies_take(const struct plan *groups, struct bytes *from, struct tally *tallies)
{
    bool there = true;
    for (int g = 0; g < groups->n_groups; g += scenario_set_size(groups, g))
        for (size_t p = 0; p < scenario_set_tallies(groups, g); p++)
            there &=
                bytes_read(from, &tallies[scenario_set_tally_index(groups, g, p)], sizeof *tallies);
    return there;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Parts of the groups for each rank, of which a GPU takes a quarter at a time, and batches for each
 * rank, of as many as fill its device, from which on pieces are batches. */
enum { PARTS_A_RANK = 256, FILLS_A_RANK = 4 };

/* A group, or a scenario set, longer than an eighth of what a rank has to do is cut by batches. */
enum { UNITS_A_RANK = 8 };

/* Returns about how long a path of them takes. */
static uint64_t unit_cost(const struct plan *section, int g)
{
    uint64_t cost = 1;
    for (int i = 0; i < plan_unit_size(section, g); i++)
        cost +=
            group_asset_steps(&section->groups[g + i]) + (uint64_t)section->groups[g + i].n_single;
    return cost;
}

/* Finds the cost of the section, and how many parts its groups are to be cut into; 0: they are not.
 */
static void count_parts(struct ranked_section *work)
{
    const struct plan *section = work->section;
    uint64_t n = (uint64_t)work->pricing->options->ranks->n, longest = 0;
    for (int g = 0; g < section->n_groups; g += plan_unit_size(section, g)) {
        uint64_t unit = unit_cost(section, g);
        work->cost += unit;
        if (unit > longest) longest = unit;
    }
    bool few = plan_batches(section) < FILLS_A_RANK * n * work->pricing->engine->fill;
    bool many = work->cost && longest * UNITS_A_RANK * n <= work->cost;
    work->parts = few && many && !section->n_totals ? PARTS_A_RANK * n : 0;
}

/* What pieces first .. end - 1 are: some groups of the section, and batches of them. */
struct section_part {
    struct plan groups; /* which remain the plan's */
    struct batch_range batches;
};

/* Finds them: of parts the groups that begin in that part of the section's cost. */
static struct section_part find_pieces(const struct ranked_section *work, uint64_t first,
                                       uint64_t end)
{
    const struct plan *section = work->section;
    struct section_part pieces = {*section, {.first = first, .end = end}};
    int first_group = 0, end_group = 0;
    uint64_t before = 0;
    if (!work->parts) return pieces;
    for (int g = 0; g < section->n_groups; g += plan_unit_size(section, g)) {
        uint64_t piece = before * work->parts / work->cost;
        if (piece < first) first_group = g + plan_unit_size(section, g);
        if (piece < end) end_group = g + plan_unit_size(section, g);
        before += unit_cost(section, g);
    }
    pieces.groups.groups += first_group;
    pieces.groups.n_groups = end_group - first_group;
    pieces.batches = (struct batch_range){.end = plan_batches(section)};
    return pieces;
}

/* ---- what a rank is told --------------------------------------------------------------------- */

/* Groups of a section are copies of the plan's, in its order; what they point to is the same. */
static bool is_group(const struct group *a, const struct group *b)
{
    return a->underlyings == b->underlyings;
}

/* Adds which groups of the plan a part of a section has, and -1. */
static enum status put_groups(const struct plan *plan, const struct plan *section,
                              struct bytes *told)
{
    const int end = -1;
    for (int g = 0, s = 0; s < section->n_groups; g++) {
        if (!is_group(&plan->groups[g], &section->groups[s])) continue;
        MUST(bytes_add(told, &g, sizeof g));
        s++;
    }
    return bytes_add(told, &end, sizeof end);
}

static size_t totals_of(const struct plan *plan, uint64_t first, uint64_t end)
{
    const struct batch_range range = {.first = first, .end = end};
    return (size_t)(range_paths(plan, &range) / CHUNK_PATHS) * chunk_totals(plan);
}

static double *totals_at(const struct plan *plan, double *totals, uint64_t batch)
{
    return totals + batch * BATCH_CHUNKS * chunk_totals(plan);
}

static enum status describe(void *context, uint64_t first, uint64_t end, struct bytes *told)
{
    const struct ranked_section *work = context;
    const struct plan *plan = work->pricing->plan;
    const struct section_part pieces = find_pieces(work, first, end);
    const uint64_t head[3] = {pieces.batches.first, pieces.batches.end, work->parts > 0};
    double *totals = work->continues ? work->all.totals : NULL;
    bool continues = totals != NULL;
    MUST(bytes_add(told, head, sizeof head));
    MUST(put_groups(plan, &pieces.groups, told));
    MUST(bytes_add(told, &continues, sizeof continues));
    if (continues)
        MUST(bytes_add(told, totals_at(plan, totals, first),
                       sizeof *totals * totals_of(plan, first, end)));
    return STATUS_OK;
}

/* ---- what it makes of it --------------------------------------------------------------------- */

/* Reads those groups into a plan of them, which the caller frees. */
static enum status take_groups(const struct plan *plan, struct bytes *told, struct plan *part)
{
    int g;
    *part = *plan;
    part->n_groups = 0;
    part->groups = malloc(sizeof *part->groups * ((size_t)plan->n_groups + 1));
    if (!part->groups) return STATUS_NO_MEMORY;
    while (bytes_read(told, &g, sizeof g)) {
        if (g < 0) return STATUS_OK;
        if (g >= plan->n_groups || part->n_groups == plan->n_groups) return STATUS_FAILED;
        part->groups[part->n_groups++] = plan->groups[g];
    }
    return STATUS_FAILED;
}

/* Merges the batches of a part, all of them, and adds the tallies of its groups. */
static enum status add_merged(const struct plan *part, const struct batch_range *range,
                              struct bytes *made)
{
    struct tally *merged = calloc((size_t)plan_tallies(part) + 1, sizeof *merged);
    if (!merged) return STATUS_NO_MEMORY;
    merge_batches(part, range, 1, merged);
    enum status status = tallies_put(part, merged, made);
    free(merged);
    return status;
}

/* Walks the range and adds report, tallies and totals to what is made. */
static enum status simulate_range(const struct plan_pricing *pricing, const struct plan *part,
                                  bool merges, struct batch_range *range, struct bytes *made,
                                  struct message *why)
{
    enum status status = STATUS_OK;
    struct engine_report report = {.kernel = ""};
    struct engine_options options = *pricing->options;
    size_t tallies = range_tallies(part, range),
           totals = range->totals ? totals_of(part, range->first, range->end) : 0;
    options.progress = NULL;
    range->tallies = malloc(sizeof *range->tallies * (tallies + 1));
    if (!range->tallies) TRY(STATUS_NO_MEMORY);
    TRY(pricing->engine->walk(part, &options, range, &report, why));
    TRY(bytes_add(made, &report, sizeof report));
    if (merges) TRY(add_merged(part, range, made));
    else TRY(bytes_add(made, range->tallies, sizeof *range->tallies * tallies));
    TRY(bytes_add(made, range->totals, sizeof *range->totals * totals));
done:
    free(range->tallies);
    return status;
}

static enum status make(void *context, struct bytes *told, struct bytes *made, struct message *why)
{
    enum status status = STATUS_OK;
    const struct ranked_section *work = context;
    uint64_t head[3] = {0, 0, 0};
    struct plan part = {0};
    struct batch_range range = {0};
    bool continues = false, complete = bytes_read(told, head, sizeof head);
    TRY(take_groups(work->pricing->plan, told, &part));
    complete &= bytes_read(told, &continues, sizeof continues) && head[0] < head[1] &&
                head[1] <= plan_batches(&part);
    range.first = head[0], range.end = head[1];
    if (complete && part.n_totals) {
        size_t n = totals_of(&part, range.first, range.end);
        if (!(range.totals = calloc(n + 1, sizeof *range.totals))) TRY(STATUS_NO_MEMORY);
        if (continues) complete = bytes_read(told, range.totals, sizeof *range.totals * n);
    }
    if (!complete) TRY(STATUS_FAILED);
    TRY(simulate_range(work->pricing, &part, head[2] > 0, &range, made, why));
done:
    if (status == STATUS_NO_MEMORY && !why->text[0])
        snprintf(why->text, sizeof why->text, "not enough memory for the tallies");
    free(part.groups);
    free(range.totals);
    return status;
}

/* ---- what the leader takes ------------------------------------------------------------------- */

/* Reads the tallies of some batches into those of all: of each group, or scenario set, in turn,
 * batch by batch. */
static bool take_batches(const struct ranked_section *work, const struct batch_range *batches,
                         struct bytes *made)
{
    const struct plan *section = work->section;
    struct tally *of_set = work->all.tallies;
    bool there = true;
    for (int g = 0; g < section->n_groups; g += scenario_set_size(section, g)) {
        size_t n = scenario_set_tallies(section, g);
        there &= bytes_read(made, of_set + batches->first * n,
                            sizeof *of_set * n * (size_t)(batches->end - batches->first));
        of_set += n * (size_t)work->all.end;
    }
    return there;
}

static void take_report(struct ranked_section *work, const struct engine_report *one)
{
    struct engine_report *report = work->report;
    if (!report->kernel[0]) memcpy(report->kernel, one->kernel, sizeof report->kernel);
    if (!report->device[0]) memcpy(report->device, one->device, sizeof report->device);
    if (!work->taken) report->start = one->start; /* of the range that is back first */
    report->normals += one->normals;
    report->paths += one->paths;
    report->payoffs += one->payoffs;
    report->busy += one->busy;
}

static enum status take(void *context, uint64_t first, uint64_t end, struct bytes *made,
                        struct message *why)
{
    struct ranked_section *work = context;
    const struct engine_options *options = work->pricing->options;
    const struct plan *section = work->section;
    const struct section_part pieces = find_pieces(work, first, end);
    uint64_t batches = pieces.batches.end - pieces.batches.first;
    struct engine_report report;
    bool there = bytes_read(made, &report, sizeof report);
    if (there)
        there = work->parts ? tallies_take(&pieces.groups, made, work->pricing->tallies)
                            : take_batches(work, &pieces.batches, made);
    if (there && work->all.totals)
        there = bytes_read(made, totals_at(section, work->all.totals, first),
                           sizeof(double) * totals_of(section, first, end));
    if (!there) {
        snprintf(why->text, sizeof why->text, "tallies of %llu batches came back in part",
                 (unsigned long long)batches);
        return STATUS_ENGINE;
    }
    take_report(work, &report);
    work->taken++;
    work->done += plan_path_steps(&pieces.groups) / work->all.end * batches;
    if (options->progress)
        options->progress(options->progress_context, work->done, plan_path_steps(section));
    return STATUS_OK;
}

/* ---- results everywhere ---------------------------------------------------------------------- */

static size_t all_totals(const struct plan_pricing *pricing)
{
    return pricing->totals ? totals_of(pricing->plan, 0, plan_batches(pricing->plan)) : 0;
}

/* Merges the batches of the section, all of which are there. */
static void merge_section(const struct ranked_section *work)
{
    if (work->all.end && !work->parts)
        merge_batches(work->section, &work->all, 1, work->pricing->tallies);
}

static enum status put_result(void *context, struct bytes *result)
{
    const struct ranked_section *work = context;
    const struct plan_pricing *pricing = work->pricing;
    merge_section(work);
    MUST(bytes_add(result, pricing->tallies,
                   sizeof *pricing->tallies * (size_t)plan_tallies(pricing->plan)));
    return bytes_add(result, pricing->totals, sizeof *pricing->totals * all_totals(pricing));
}

static enum status take_result(void *context, struct bytes *result)
{
    const struct ranked_section *work = context;
    const struct plan_pricing *pricing = work->pricing;
    bool there = bytes_read(result, pricing->tallies,
                            sizeof *pricing->tallies * (size_t)plan_tallies(pricing->plan)) &&
                 bytes_read(result, pricing->totals, sizeof *pricing->totals * all_totals(pricing));
    return there ? STATUS_OK : STATUS_FAILED;
}

/* ---- the job --------------------------------------------------------------------------------- */

static struct ranks_job job_of(struct ranked_section *work, uint64_t key)
{
    const struct plan_pricing *pricing = work->pricing;
    return (struct ranks_job){.key = key,
                              .at_once = pricing->engine->calls,
                              .least = pricing->engine->fill,
                              .everywhere = pricing->options->everywhere,
                              .stop = pricing->options->stop,
                              .context = work,
                              .describe = describe,
                              .make = make,
                              .take = take,
                              .put_result = put_result,
                              .take_result = take_result};
}

/* Returns the pieces of a range, at most, by the bytes of one on the mean. */
static uint64_t max_pieces(const struct plan *section, uint64_t n)
{
    const struct batch_range one = {.end = 1};
    size_t of_batch = sizeof(struct tally) * range_tallies(section, &one) +
                      sizeof(double) * BATCH_CHUNKS * chunk_totals(section);
    size_t bytes = of_batch * (size_t)plan_batches(section) / (size_t)(n + !n) + 1;
    return bytes < RANGE_BYTES ? RANGE_BYTES / bytes : 1;
}

enum status ranked_price(const struct plan_pricing *pricing, uint64_t key,
                         const struct plan *section, bool last, struct engine_report *report,
                         struct message *why)
{
    enum status status = STATUS_OK;
    const struct ranks *ranks = pricing->options->ranks;
    double began = seconds_now();
    struct ranked_section work = {.pricing = pricing,
                                  .section = section,
                                  .all = {.end = section->n_groups ? plan_batches(section) : 0,
                                          .totals = section->n_totals ? pricing->totals : NULL},
                                  .continues = section->n_groups &&
                                               !is_group(pricing->plan->groups, section->groups),
                                  .report = report};
    struct ranks_job job = job_of(&work, key);
    count_parts(&work);
    size_t tallies = work.parts ? 0 : range_tallies(section, &work.all);
    work.all.tallies = malloc(sizeof *work.all.tallies * (tallies + 1));
    if (!work.all.tallies) TRY(STATUS_NO_MEMORY);
    job.n = work.parts ? work.parts : work.all.end;
    job.most = max_pieces(section, job.n);
    job.last = last;
    TRY(ranks->share(ranks->context, &job, why));
    merge_section(&work);
done:
    if (status == STATUS_NO_MEMORY && !why->text[0])
        snprintf(why->text, sizeof why->text, "not enough memory for the tallies");
    report->total = seconds_now() - began;
    free(work.all.tallies);
    return status;
}

enum status ranked_follow(const struct plan_pricing *pricing, uint64_t key, struct message *why)
{
    const struct ranks *ranks = pricing->options->ranks;
    struct engine_report report = {.kernel = ""};
    struct ranked_section work = {.pricing = pricing, .section = pricing->plan, .report = &report};
    const struct ranks_job job = job_of(&work, key);
    return ranks->share(ranks->context, &job, why);
}
