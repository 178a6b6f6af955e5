#include "kernels/cuda/host/device_parts.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/specialise.h"
#include "models/base/stop.h"

size_t take_room(size_t *used, size_t bytes)
{
    size_t at = (*used + 255) / 256 * 256;
    *used = at + bytes;
    return at;
}

static size_t strikes_bytes(const struct strike_strip *strip)
{
    return sizeof *strip->strikes * (size_t)(strip->n_strikes + strip->depth);
}

/* The strike strip as the device has it; its pointers are offsets into the inputs until the inputs
 * have a place. */
static void lay_out_strip(const struct strike_strip *strip, struct strike_strip *laid_out,
                          size_t *used)
{
    *laid_out = *strip;
    laid_out->strikes = (double *)take_room(used, strikes_bytes(strip));
    laid_out->first = (int *)take_room(used, sizeof *strip->first * (size_t)strip->n_cells);
    laid_out->payoffs =
        (struct strip_payoff *)take_room(used, sizeof *strip->payoffs * (size_t)strip->n_payoffs);
}

static enum status lay_out_strips(const struct group *group, struct device_layout *layout,
                                  size_t *used)
{
    layout->strips = calloc((size_t)group->n_strips + 1, sizeof *layout->strips);
    if (!layout->strips) return STATUS_NO_MEMORY;
    layout->at_strips = take_room(used, sizeof *layout->strips * (size_t)group->n_strips);
    for (int l = 0; l < group->n_strips; l++) {
        const int bins = group->strips[l].n_strikes + 1;
        lay_out_strip(&group->strips[l], &layout->strips[l], used);
        if (bins > layout->most_bins) layout->most_bins = bins;
    }
    return STATUS_OK;
}

static void copy_strip(const struct strike_strip *strip, struct strike_strip *laid_out, char *to,
                       char *on_device)
{
    size_t strikes = (size_t)laid_out->strikes, first = (size_t)laid_out->first,
           payoffs = (size_t)laid_out->payoffs;
    memcpy(to + strikes, strip->strikes, strikes_bytes(strip));
    memcpy(to + first, strip->first, sizeof *strip->first * (size_t)strip->n_cells);
    memcpy(to + payoffs, strip->payoffs, sizeof *strip->payoffs * (size_t)strip->n_payoffs);
    laid_out->strikes = (double *)(on_device + strikes);
    laid_out->first = (int *)(on_device + first);
    laid_out->payoffs = (struct strip_payoff *)(on_device + payoffs);
}

/* The group's part of the points of a plan. */
static void lay_out_points(const struct plan *plan, const struct group *group,
                           struct device_layout *layout, size_t *used)
{
    int n = group_normals(group);
    if (!plan->points) return;
    layout->n_dimensions = n < plan->points->n ? n : plan->points->n;
    layout->dimensions =
        take_room(used, sizeof(struct sobol_dimension) * (size_t)layout->n_dimensions);
    layout->nodes = take_room(used, sizeof(struct bridge_node) * (size_t)group->bridge.n);
    layout->scales = take_room(used, sizeof(double) * (size_t)group->bridge.n);
}

static void copy_points(const struct plan *plan, const struct group *group,
                        const struct device_layout *layout, char *to)
{
    const struct bridge *bridge = &group->bridge;
    if (!plan->points || !bridge->n) return;
    memcpy(to + layout->dimensions, plan->points->dimensions,
           sizeof(struct sobol_dimension) * (size_t)layout->n_dimensions);
    memcpy(to + layout->nodes, bridge->nodes, sizeof *bridge->nodes * (size_t)bridge->n);
    memcpy(to + layout->scales, bridge->scales, sizeof *bridge->scales * (size_t)bridge->n);
}

/* What moves the group's paths. */
static void lay_out_paths(const struct group *group, struct device_layout *layout, size_t *used)
{
    size_t n = (size_t)group->n_underlyings;
    layout->coefficients =
        take_room(used, sizeof(double) * (size_t)group->n_steps * (size_t)group->width);
    layout->table = take_room(used, sizeof(float) * (size_t)group->lookup.n);
    layout->dividends = take_room(used, sizeof(struct dividend) * (size_t)(group->n_dividends + 1));
    layout->underlyings = take_room(used, sizeof(struct device_underlying) * n);
    layout->starts = take_room(used, sizeof(struct path_state) * n);
    layout->loadings = take_room(used, sizeof(double) * loadings_count(group));
}

static void copy_paths(const struct group *group, const struct device_layout *layout, char *to)
{
    memcpy(to + layout->coefficients, group->coefficients,
           sizeof(double) * (size_t)group->n_steps * (size_t)group->width);
    if (group->lookup.n)
        memcpy(to + layout->table, group->lookup.table, sizeof(float) * (size_t)group->lookup.n);
    copy_dividends(group, (void *)(to + layout->dividends));
    copy_underlyings(group, (void *)(to + layout->underlyings), (void *)(to + layout->starts));
    copy_loadings(group, (void *)(to + layout->loadings));
}

size_t tallies_from(const struct plan *plan, int g)
{
    return plan->n_contrasts && !plan->groups[g].scenario_set ? 0 : scenario_set_tallies(plan, g);
}

int launched_together(const struct plan *plan, int g)
{
    return plan->groups[g].scenario_set ? plan->groups[g].scenario_set : plan->groups[g].n_alike;
}

/* Returns the rows of a group that are there: what a tile is simulated for leaves no others, and
 * programs have the last. */
static size_t rows_there(const struct group *group, const struct device_layout *layout)
{
    const bool few = layout->looks.looks.simulates && !group->n_programs;
    return (size_t)(few ? group->n_result_rows : group->n_rows);
}

size_t rows_before_next(const struct group *group, const struct device_layout *layout)
{
    return layout->in_turn ? (size_t)group->n_payoff_rows : rows_there(group, layout);
}

size_t launched_rows(const struct plan *plan, const struct device *device, int g)
{
    size_t before = 0, rows = 0;
    for (int s = 0; s < launched_together(plan, g); s++) {
        const struct group *group = &plan->groups[g + s];
        const struct device_layout *layout = &device->layouts[g + s];
        const size_t end = before + rows_there(group, layout);
        if (end > rows) rows = end;
        before += rows_before_next(group, layout);
    }
    return rows;
}

static void lay_out_totals(const struct group *group, struct device_layout *layout, size_t *used)
{
    layout->totals = take_room(used, sizeof(int) * (size_t)group->n_payoffs);
    layout->quantities = take_room(used, sizeof(double) * (size_t)group->n_payoffs);
}

static void copy_totals(const struct plan *plan, const struct group *group,
                        const struct device_layout *layout, char *to)
{
    for (int p = 0; p < group->n_payoffs; p++) {
        ((int *)(to + layout->totals))[p] = plan->totals[group->trades[p]];
        ((double *)(to + layout->quantities))[p] = plan->quantities[group->trades[p]];
    }
}

/* Finds the moves that groups alike share, unless those of one batch, with the normals that they
 * are made of, would take more than a quarter of the device's memory. */
static enum status find_moves(struct device_job *job, const struct group *groups,
                              struct shared_moves *shared)
{
    enum status status = device_moves_find(groups, shared);
    size_t free_bytes = 0, all_bytes = 0;
    if (status || !shared->n) return status;
    size_t bytes = normals_bytes(groups, sizeof(float)) + device_moves_bytes(groups, shared);
    CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (bytes * BATCH_PATHS * MOST_STREAMS > all_bytes / 4) shared_moves_free(shared);
done:
    return status;
}

/* Finds what groups alike share, and the shape of what is left to be simulated. As shape_make(). */
static enum status find_shape(struct device_job *job, const struct group *groups,
                              struct device_layout *layout)
{
    enum status status = find_moves(job, groups, &layout->shared_moves);
    if (status) return status;
    return shape_make(groups->n_alike, groups, step_source(job->rung, layout->shared_moves.n),
                      specialised_architecture(), &layout->shape);
}

/* Requests for path code, and the first group of those that each is for. */
struct code_requests {
    int n;
    int *first;                      /* [n] */
    struct kernel_request *requests; /* [n] */
};

/* Adds the request of groups alike, where their route asks for path code and they have a shape. */
static enum status add_request(struct device_job *job, int g, struct device_layout *layout,
                               struct code_requests *code)
{
    const struct group *groups = &job->plan->groups[g];
    const struct group_route route = group_route(job->plan, g, job->rung);
    layout->way = route.general;
    if (route.way != WAY_SPECIALISED) return STATUS_OK;
    double share = (double)range_paths(job->plan, &job->range) / (double)job->plan->paths;
    enum status status = find_shape(job, groups, layout);
    if (!status) {
        const struct shape *shape = &layout->shape;
        struct kernel_request *request = &code->requests[code->n];
        *request = (struct kernel_request){.source = shape_source(groups, shape),
                                           .block = shape->block,
                                           .shared = shape_shared(shape, shape->block),
                                           .steps = share * route.steps};
        code->first[code->n++] = g;
        if (!request->source) return STATUS_NO_MEMORY;
    } else if (status == STATUS_FAILED) { /* a shape that the template does not have */
        shared_moves_free(&layout->shared_moves);
        status = STATUS_OK;
    }
    return status;
}

/* Takes what a request found. STATUS_ENGINE where the user asked for path code and it cannot be
 * had. */
static enum status take_path_code(struct device_job *job, const struct kernel_request *request,
                                  struct device_layout *layout)
{
    bool asked = job->rung->code == PATH_CODE_SPECIALISED;
    layout->kernel = request->kernel;
    if (layout->kernel) layout->way = WAY_SPECIALISED;
    else shared_moves_free(&layout->shared_moves);
    if (request->status == STATUS_NO_MEMORY || !asked || !request->status)
        return request->status == STATUS_NO_MEMORY ? STATUS_NO_MEMORY : STATUS_OK;
    job->why = request->why;
    return STATUS_ENGINE;
}

/* Gives groups alike the way of the first of them: they share their normals. */
static void share_way(const struct device_job *job, int g, struct device_layout *first)
{
    const struct plan *plan = job->plan;
    for (int s = 0; s < plan->groups[g].n_alike; s++) {
        const struct group *group = &plan->groups[g + s];
        first[s].way = first->way;
        first[s].in_turn = first->way != WAY_SPECIALISED && plan->n_scenarios > 1 &&
                           group->n_payoff_rows < group->n_rows && !job->options->timed;
        if (first->way != WAY_SPECIALISED) first[s].width = sizeof(double);
        else first[s].width = first->shape.source == STEPS_DRAW ? 0 : sizeof(float);
    }
}

/* Chooses the ways of all groups. */
static enum status choose_ways(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    size_t n = (size_t)plan->n_groups + 1;
    struct code_requests code = {.first = malloc(n * sizeof *code.first),
                                 .requests = malloc(n * sizeof *code.requests)};
    if (!code.first || !code.requests) TRY(STATUS_NO_MEMORY);
    for (int g = 0; g < plan->n_groups; g += plan->groups[g].n_alike)
        TRY(add_request(job, g, &device->layouts[g], &code));
    TRY(specialised_find(code.n, code.requests, job->options));
    for (int i = 0; i < code.n; i++)
        TRY(take_path_code(job, &code.requests[i], &device->layouts[code.first[i]]));
    for (int g = 0; g < plan->n_groups; g += plan->groups[g].n_alike)
        share_way(job, g, &device->layouts[g]);
done:
    for (int i = 0; i < code.n; i++) free(code.requests[i].source);
    free(code.first);
    free(code.requests);
    return status;
}

/* Returns the bytes of the records of a shape: of none, 0. */
static size_t record_bytes(const struct group *group, const struct shape *shape)
{
    return sizeof(double) * (size_t)shape->n_markets * shape_records(group, shape);
}

/* What a path looks at: of path code the records of its shape, of a general kernel the
 * observations.
 */
static void lay_out_observations(const struct group *group, struct device_layout *layout,
                                 size_t *used)
{
    layout->records = take_room(used, record_bytes(group, &layout->shape));
    layout->movers = take_room(used, sizeof(struct device_mover) * (size_t)layout->shared_moves.n);
    if (layout->way == WAY_SPECIALISED) return;
    layout->group_class = classify_group(group);
    layout->state_width = state_width(group);
    layout->register_sum = find_register_sum(group);
    layout->observations =
        take_room(used, sizeof *group->observations * (size_t)(group->n_observations + 1));
    layout->results = take_room(used, sizeof *group->results * (size_t)group->n_results);
}

static void copy_observed(const struct group *group, const struct device_layout *layout, char *to)
{
    if (layout->shape.records)
        memcpy(to + layout->records, layout->shape.records, record_bytes(group, &layout->shape));
    if (layout->way == WAY_SPECIALISED) return;
    copy_observations(group, &layout->register_sum, (void *)(to + layout->observations));
    copy_results(group, &layout->register_sum, (void *)(to + layout->results));
}

/* Copies the movers of the groups alike from g on, whose coefficients lie on the device by then. */
static void copy_movers(const struct plan *plan, const struct device *device, int g, char *to)
{
    const struct device_layout *layouts = &device->layouts[g];
    for (int w = 0; w < layouts->shared_moves.n; w++) {
        const struct mover *mover = &layouts->shared_moves.movers[w];
        device_mover_copy(&plan->groups[g], mover,
                          (const void *)(device->memory + layouts[mover->market].coefficients),
                          (struct device_mover *)(to + layouts->movers) + w);
    }
}

enum status lay_out_inputs(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    size_t before = 0;
    device->layouts = calloc((size_t)plan->n_groups, sizeof *device->layouts);
    if (!device->layouts) return STATUS_NO_MEMORY;
    if (plan->n_contrasts)
        device->contrasts =
            take_room(&device->input_bytes, sizeof(struct contrast) * (size_t)plan->n_contrasts);
    TRY(choose_ways(job, device));
    TRY(find_programs(job, device));
    TRY(find_program_code(job, device));
    lay_out_instructions(device);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct device_layout *layout = &device->layouts[g];
        size_t *used = &device->input_bytes;
        lay_out_observations(group, layout, used);
        layout->before = before;
        before += tallies_from(plan, g);
        lay_out_points(plan, group, layout, used);
        lay_out_paths(group, layout, used);
        layout->initial = take_room(used, sizeof *group->initial * (size_t)group->n_slots);
        layout->payoffs = take_room(used, sizeof *group->payoffs * (size_t)group->n_payoffs);
        if (group->scenario_set) lay_out_totals(group, layout, used);
        TRY(lay_out_strips(group, layout, used));
        TRY(lay_out_looks(group, !job->rows && draws_in_tiles(plan, group, job->rung),
                          &layout->looks, used));
        if (layout->looks.looks.simulates) layout->way = WAY_TILE, layout->width = 0;
        layout->prices = take_room(used, sizeof *group->prices * (size_t)group->n_prices);
        lay_out_programs(group, layout, used);
    }
done:
    return status;
}

void copy_inputs(const struct device_job *job, const struct device *device)
{
    const struct plan *plan = job->plan;
    if (plan->n_contrasts)
        memcpy(device->host_inputs + device->contrasts, plan->contrasts,
               sizeof *plan->contrasts * (size_t)plan->n_contrasts);
    copy_instructions(device);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct device_layout *layout = &device->layouts[g];
        char *to = device->host_inputs;
        if (group->scenario_set) copy_totals(plan, group, layout, to);
        copy_points(plan, group, layout, to);
        copy_paths(group, layout, to);
        copy_observed(group, layout, to);
        copy_movers(plan, device, g, to);
        memcpy(to + layout->initial, group->initial,
               sizeof *group->initial * (size_t)group->n_slots);
        memcpy(to + layout->payoffs, group->payoffs,
               sizeof *group->payoffs * (size_t)group->n_payoffs);
        for (int l = 0; l < group->n_strips; l++)
            copy_strip(&group->strips[l], &layout->strips[l], to, device->memory);
        memcpy(to + layout->at_strips, layout->strips,
               sizeof *layout->strips * (size_t)group->n_strips);
        copy_programs(device, group, layout);
        copy_looks(group, &layout->looks, to, device->memory);
        if (group->n_prices)
            memcpy(to + layout->prices, group->prices,
                   sizeof *group->prices * (size_t)group->n_prices);
    }
}
