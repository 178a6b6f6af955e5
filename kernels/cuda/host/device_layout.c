#include "kernels/cuda/host/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/specialise.h"
#include "models/observables/observable.h"

size_t take_room(size_t *used, size_t bytes)
{
    size_t at = (*used + 255) / 256 * 256;
    *used = at + bytes;
    return at;
}

struct input_place take_input(struct device *device, size_t bytes)
{
    const size_t at = take_room(&device->input_bytes, bytes);
    if (!device->memory) return (struct input_place){0};
    return (struct input_place){device->host_inputs + at, device->memory + at};
}

void *put_input(struct device *device, const void *from, size_t bytes)
{
    const struct input_place place = take_input(device, bytes);
    if (place.host && from) memcpy(place.host, from, bytes);
    return place.device;
}

size_t tallies_from(const struct plan *plan, int g)
{
    return plan->n_contrasts && !plan->groups[g].scenario_set ? 0 : scenario_set_tallies(plan, g);
}

/* ---- the ways -------------------------------------------------------------------------------- */

/* Finds the moves that groups alike share, unless those of one batch, with the normals that they
 * are made of, would take more than a quarter of the device's memory. */
static enum status find_moves(struct device *device, const struct group *groups,
                              struct shared_moves *shared)
{
    size_t free_bytes = 0, all_bytes = 0;
    MUST(device_moves_find(groups, shared));
    if (!shared->n) return STATUS_OK;
    size_t bytes = normals_bytes(groups, sizeof(float)) + device_moves_bytes(groups, shared);
    CUDA_MUST(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (bytes * BATCH_PATHS * MOST_STREAMS > all_bytes / 4) shared_moves_free(shared);
    return STATUS_OK;
}

/* Makes the request of groups alike, where their route asks for path code and they have a shape:
 * else it has no source. */
static enum status make_request(struct device *device, int g, struct device_layout *layout,
                                struct kernel_request *request)
{
    const struct group *groups = &device->plan->groups[g];
    const struct group_route route = group_route(device->plan, g, device->rung);
    struct shape *shape = &layout->shape;
    layout->way = route.general;
    if (route.way != WAY_SPECIALISED) return STATUS_OK;
    double share = (double)range_paths(device->plan, &device->range) / (double)device->plan->paths;
    enum status status = find_moves(device, groups, &layout->shared_moves);
    if (status) return status;
    status =
        shape_make(groups->n_markets, groups, step_source(device->rung, layout->shared_moves.n),
                   specialised_architecture(), shape);
    if (status == STATUS_FAILED) { /* a shape that the template does not have */
        shared_moves_free(&layout->shared_moves);
        return STATUS_OK;
    }
    if (status) return status;
    *request = (struct kernel_request){.layout = layout,
                                       .source = shape_source(groups, shape),
                                       .block = shape->block,
                                       .shared = shape_shared(shape, shape->block),
                                       .steps = share * route.steps};
    return request->source ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Makes the request of a structure of programs, unless it is interpreted: the user wants its code,
 * or it is compiled while they are interpreted. */
static enum status request_program(const struct device *device, struct program_structure *structure,
                                   struct kernel_request *request)
{
    const bool wanted = device->rung->code == PATH_CODE_SPECIALISED;
    if (!compiles_programs(device->rung) || !program_compiles(structure->program)) return STATUS_OK;
    *request = (struct kernel_request){.structure = structure,
                                       .source = program_source(structure->program),
                                       .block = PROGRAM_BLOCK,
                                       .steps = wanted ? HUGE_VAL : structure->work,
                                       .later = !wanted};
    return request->source ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Takes what a request found. STATUS_ENGINE where the user asked for compiled code and it cannot be
 * had. */
static enum status take_code(struct device *device, const struct kernel_request *request)
{
    struct device_layout *layout = request->layout;
    if (request->structure) request->structure->code = request->entry;
    else {
        layout->kernel = request->kernel;
        if (layout->kernel) layout->way = WAY_SPECIALISED;
        else shared_moves_free(&layout->shared_moves);
        if (request->status == STATUS_NO_MEMORY) return STATUS_NO_MEMORY;
    }
    if (device->rung->code != PATH_CODE_SPECIALISED || !request->status) return STATUS_OK;
    device->why = request->why;
    return STATUS_ENGINE;
}

/* Gives groups alike the way of the first of them: they share their normals. */
static void share_way(const struct device *device, int g, struct device_layout *first)
{
    const struct plan *plan = device->plan;
    for (int s = 0; s < plan->groups[g].n_markets; s++) {
        const struct group *group = &plan->groups[g + s];
        first[s].way = first->way;
        first[s].in_turn = first->way != WAY_SPECIALISED && plan->n_scenarios > 1 &&
                           group->n_payoff_rows < group->n_rows && !device->options->timed;
        if (first->way != WAY_SPECIALISED) first[s].width = sizeof(double);
        else first[s].width = first->shape.source == STEPS_DRAW ? 0 : sizeof(float);
    }
}

/* Chooses the ways of all groups, and finds the code that they and their programs have. */
static enum status find_code(struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = device->plan;
    const size_t most = (size_t)plan->n_groups + (size_t)device->structures.n + 1;
    int n = 0;
    struct kernel_request *requests = calloc(most, sizeof *requests);
    if (!requests) return STATUS_NO_MEMORY;
    for (int g = 0; g < plan->n_groups; g += plan->groups[g].n_markets) {
        TRY(make_request(device, g, &device->layouts[g], &requests[n]));
        n += requests[n].source != NULL;
    }
    for (int i = 0; i < device->structures.n; i++) {
        TRY(request_program(device, device->structures.list[i], &requests[n]));
        n += requests[n].source != NULL;
    }
    TRY(specialised_find(n, requests, device->options));
    for (int i = 0; i < n; i++) TRY(take_code(device, &requests[i]));
    for (int g = 0; g < plan->n_groups; g += plan->groups[g].n_markets)
        share_way(device, g, &device->layouts[g]);
done:
    for (int i = 0; i < n; i++) free(requests[i].source);
    free(requests);
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool reads_slot(const struct group *group, int step, int slot)
{
    int observations = 0;
    for (int i = group->first_observation[step]; i < group->first_observation[step + 1]; i++)
        observations +=
            group->observations[i].kind == OBSERVATION_SUM && group->observations[i].slot == slot;
    return observations == 1;
}

/* Whether another observable reads it: then it has to be where that one looks. */
static bool is_read(const struct group *group, int slot)
{
    for (int i = 0; i < group->n_observations; i++)
        if (observation_reads(group->observations[i].kind) & READS_SOURCE &&
            group->observations[i].source == slot)
            return true;
    return false;
}

/* Returns the sum that every step from the first on observes, the longest such, of a group of one
 * asset; steps is 0 where there is none. */
static struct register_sum find_register_sum(const struct group *group)
{
    struct register_sum register_sum = {0};
    if (group->n_underlyings > 1) return register_sum;
    for (int i = 0; group->n_steps && i < group->first_observation[1]; i++) {
        int slot = group->observations[i].slot, steps = 0, all = 0;
        if (group->observations[i].kind != OBSERVATION_SUM || is_read(group, slot)) continue;
        while (steps < group->n_steps && reads_slot(group, steps, slot)) steps++;
        for (int j = steps; j < group->n_steps; j++) all += reads_slot(group, j, slot);
        if (!all && steps > register_sum.steps)
            register_sum = (struct register_sum){.steps = steps, .slot = slot};
    }
    for (int r = 0; register_sum.steps && r < group->n_results; r++)
        if (group->results[r].slot == register_sum.slot) register_sum.row = group->results[r].row;
    if (register_sum.steps) register_sum.initial = group->initial[register_sum.slot];
    return register_sum;
}

/* Returns what the group's path kernel has to keep. */
static enum record record_of(const struct group *group, const struct register_sum *register_sum)
{
    if (!register_sum->steps) return RECORD_OBSERVATIONS;
    bool alone = group->n_rows == 1 && register_sum->steps == group->n_steps;
    return alone ? RECORD_SUM : (enum record)(RECORD_SUM | RECORD_OBSERVATIONS);
}

/* Says what the host knows of a group's paths. */
static void describe_paths(const struct plan *plan, const struct group *group,
                           struct device_layout *layout)
{
    const struct underlying *first = &group->underlyings[0];
    const bool general = layout->way != WAY_SPECIALISED;
    const struct register_sum register_sum =
        general ? find_register_sum(group) : (struct register_sum){0};
    if (general) layout->group_class = classify_group(group);
    layout->record = record_of(group, &register_sum);
    layout->path_launch =
        (struct path_launch){.register_sum = register_sum,
                             .start = first->start,
                             .seed = plan->seed,
                             .keys = philox_keys(plan->seed),
                             .stream = factor_stream(first, 0),
                             .n_steps = group->n_steps,
                             .n_slots = group->n_slots,
                             .n_results = group->n_results - (register_sum.steps > 0),
                             .bridge_row = bridge_row(group, layout->width),
                             .model = first->model,
                             .n_underlyings = group->n_underlyings,
                             .n_factors = group->n_factors,
                             .width = group->width,
                             .state_width = general ? state_width(group) : 0,
                             .antithetic = plan->antithetic};
}

/* Gives groups that are launched together their rows. What a tile is simulated for leaves no rows
 * but results, and programs have the last. */
static void lay_out_rows(const struct plan *plan, int g, struct device_layout *layouts)
{
    size_t before = 0;
    for (int s = 0; s < plan_unit_size(plan, g); s++) {
        const struct group *group = &plan->groups[g + s];
        struct device_layout *layout = &layouts[g + s];
        const bool few = layout->way == WAY_TILE && !group->n_programs;
        layout->first_row = before;
        layout->end_row = before + (size_t)(few ? group->n_result_rows : group->n_rows);
        before = layout->in_turn ? before + (size_t)group->n_payoff_rows : layout->end_row;
    }
}

/* Packs kind, underlying and step into the first 32 bits. */
static void pack_observation(struct observation *observation, unsigned kind, unsigned underlying,
                             unsigned step)
{
    _Static_assert(N_OBSERVATION_KINDS <= 1 << PACKED_UNDERLYING_SHIFT, "a kind has so many bits");
    _Static_assert(UNDERLYINGS_MAX <= 1 << (PACKED_STEP_SHIFT - PACKED_UNDERLYING_SHIFT),
                   "an underlying so many");
    uint32_t packed = kind | underlying << PACKED_UNDERLYING_SHIFT | step << PACKED_STEP_SHIFT;
    memcpy(observation, &packed, sizeof packed);
}

/* Puts what general kernels look at: observations and results without those of the register sum,
 * and one more observation of no step. */
static void put_observations(struct device *device, const struct group *group,
                             struct path_launch *paths)
{
    const int sum = paths->register_sum.steps ? paths->register_sum.slot : -1;
    const struct input_place observations =
                                 take_input(device, sizeof *group->observations *
                                                        (size_t)(group->n_observations + 1)),
                             results = take_input(device, sizeof *group->results *
                                                              (size_t)group->n_results);
    struct observation *observation = observations.host;
    struct result *result = results.host;
    paths->observations = observations.device;
    paths->results = results.device;
    if (!observation) return;
    for (int j = 0; j < group->n_steps; j++)
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
            const struct observation *t = &group->observations[i];
            if (t->kind == OBSERVATION_SUM && t->slot == sum) continue;
            *observation = *t;
            pack_observation(observation++, t->kind, t->underlying, (unsigned)j);
        }
    *observation = (struct observation){.pair = -1};
    pack_observation(observation, 0, 0, PACKED_STEPS_MAX + 1);
    for (int r = 0; r < group->n_results; r++)
        if (group->results[r].slot != sum) *result++ = group->results[r];
}

/* Puts the group's part of the points of a plan. */
static void put_points(const struct plan *plan, struct device *device, const struct group *group,
                       struct launch_points *points)
{
    const struct bridge *bridge = &group->bridge;
    int n = group_normals(group);
    if (!plan->points) return;
    if (n > plan->points->n) n = plan->points->n;
    *points = (struct launch_points){.n = n, .n_steps = group->n_steps};
    points->dimensions = PUT_INPUT(device, plan->points->dimensions, n);
    points->nodes = PUT_INPUT(device, bridge->nodes, bridge->n);
    points->scales = PUT_INPUT(device, bridge->scales, bridge->n);
    if (!n) *points = (struct launch_points){0};
}

/* Writes the loadings by tiles, zero where there are none; returns how many numbers that are.
 * Without `to` that alone. */
static size_t write_loadings(const struct group *group, double *to)
{
    const int n = group->n_underlyings;
    size_t at = 0;
    for (int first = 0; first < n; first += LOADINGS)
        for (int i = 0; i < n; i++)
            for (int u = first; u < first + LOADINGS; u++, at++)
                if (to) to[at] = u < n && i <= u ? group->loadings[u * n + i] : 0.0;
    return at;
}

/* Puts the cash dividends, and one more of no step. */
static const struct dividend *put_dividends(struct device *device, const struct group *group)
{
    const size_t bytes = sizeof *group->dividends * (size_t)group->n_dividends,
                 more = sizeof *group->dividends;
    const struct input_place place = take_input(device, bytes + more);
    struct dividend *dividends = place.host;
    if (dividends && bytes) memcpy(dividends, group->dividends, bytes);
    if (dividends) dividends[group->n_dividends] = (struct dividend){.step = INT32_MAX};
    return place.device;
}

/* Puts what moves the group's paths. */
static void put_paths(struct device *device, const struct group *group, struct path_launch *paths)
{
    const size_t n = (size_t)group->n_underlyings;
    paths->coefficients =
        PUT_INPUT(device, group->coefficients, (size_t)group->n_steps * (size_t)group->width);
    paths->steps = (const void *)paths->coefficients;
    paths->table = PUT_INPUT(device, group->lookup.table, group->lookup.n);
    paths->dividends = put_dividends(device, group);
    const struct input_place underlyings = take_input(device, sizeof *paths->underlyings * n);
    const struct input_place starts = take_input(device, sizeof *paths->starts * n);
    const struct input_place loadings =
        take_input(device, sizeof *paths->loadings * write_loadings(group, NULL));
    paths->underlyings = underlyings.device;
    paths->starts = starts.device;
    paths->loadings = loadings.device;
    for (size_t u = 0; starts.host && u < n; u++) {
        const struct underlying *from = &group->underlyings[u];
        ((struct device_underlying *)underlyings.host)[u] =
            (struct device_underlying){(int)from->model, from->factor, from->coefficient, 0};
        ((struct path_state *)starts.host)[u] = from->start;
    }
    write_loadings(group, loadings.host);
}

/* Puts which totals the payoffs of a scenario set are counted in. */
static void put_totals(const struct plan *plan, struct device *device, const struct group *group,
                       struct device_layout *layout)
{
    const size_t n = (size_t)group->n_payoffs;
    const struct input_place totals = take_input(device, sizeof *layout->totals * n);
    const struct input_place quantities = take_input(device, sizeof *layout->quantities * n);
    layout->totals = totals.device;
    layout->quantities = quantities.device;
    for (size_t p = 0; totals.host && p < n; p++) {
        ((int *)totals.host)[p] = plan->totals[group->trades[p]];
        ((double *)quantities.host)[p] = plan->quantities[group->trades[p]];
    }
}

static void put_strips(struct device *device, const struct group *group,
                       struct strip_launch *strips)
{
    const struct input_place place =
        take_input(device, sizeof *group->strips * (size_t)group->n_strips);
    *strips = (struct strip_launch){place.device, group->n_strips, 0};
    for (int l = 0; l < group->n_strips; l++) {
        struct strike_strip strip = group->strips[l];
        const int bins = strip.n_strikes + 1;
        strip.strikes = PUT_INPUT(device, strip.strikes, strip.n_strikes + strip.depth);
        strip.first = PUT_INPUT(device, strip.first, strip.n_cells);
        strip.payoffs = PUT_INPUT(device, strip.payoffs, strip.n_payoffs);
        if (place.host) ((struct strike_strip *)place.host)[l] = strip;
        if (bins > strips->most_bins) strips->most_bins = bins;
    }
}

/* Puts the movers of the groups alike from g on, whose coefficients all have a place by then. */
static void put_movers(struct device *device, int g)
{
    struct device_layout *layouts = &device->layouts[g];
    const struct shared_moves *shared = &layouts->shared_moves;
    const struct input_place place =
        take_input(device, sizeof(struct device_mover) * (size_t)shared->n);
    struct device_mover *movers = place.host;
    layouts->movers = place.device;
    for (int w = 0; movers && w < shared->n; w++) {
        const int market = shared->movers[w].market, u = shared->movers[w].underlying;
        const struct group *group = &device->plan->groups[g + market];
        const struct underlying *underlying = &group->underlyings[u];
        movers[w] = (struct device_mover){.coefficients = layouts[market].path_launch.coefficients +
                                                          underlying->coefficient,
                                          .width = group->width,
                                          .underlying = u,
                                          .variance = underlying->start.v};
        memcpy(movers[w].loadings, group->loadings + u * group->n_underlyings,
               sizeof *group->loadings * (size_t)(u + 1));
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

void put_inputs(struct device *device)
{
    const struct plan *plan = device->plan;
    device->input_bytes = 0;
    if (plan->n_contrasts)
        device->contrasts = PUT_INPUT(device, plan->contrasts, plan->n_contrasts);
    put_instructions(device);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct device_layout *layout = &device->layouts[g];
        struct path_launch *paths = &layout->path_launch;
        layout->records =
            PUT_INPUT(device, layout->shape.records,
                      (size_t)layout->shape.n_markets * shape_records(group, &layout->shape));
        if (layout->way != WAY_SPECIALISED) put_observations(device, group, paths);
        put_points(plan, device, group, &paths->points);
        put_paths(device, group, paths);
        paths->initial = PUT_INPUT(device, group->initial, group->n_slots);
        layout->payoffs = PUT_INPUT(device, group->payoffs, group->n_payoffs);
        if (group->scenario_set) put_totals(plan, device, group, layout);
        put_strips(device, group, &layout->strips);
        put_looks(device, group, &layout->looks);
        layout->prices = PUT_INPUT(device, group->prices, group->n_prices);
        put_programs(device, group, layout);
    }
    for (int g = 0; g < plan->n_groups; g++) put_movers(device, g);
}

enum status lay_out_inputs(struct device *device)
{
    const struct plan *plan = device->plan;
    size_t before = 0;
    device->layouts = calloc((size_t)plan->n_groups, sizeof *device->layouts);
    if (!device->layouts) return STATUS_NO_MEMORY;
    for (int g = 0; g < plan->n_groups; g++)
        MUST(list_programs(device, &plan->groups[g], &device->layouts[g]));
    MUST(find_code(device));
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct device_layout *layout = &device->layouts[g];
        layout->before = before;
        before += tallies_from(plan, g);
        MUST(lay_out_looks(group, !device->rows && draws_in_tiles(plan, group, device->rung),
                           &layout->looks));
        if (layout->looks.looks.simulates) layout->way = WAY_TILE, layout->width = 0;
        describe_paths(plan, group, layout);
    }
    for (int g = 0; g < plan->n_groups; g += plan_unit_size(plan, g))
        lay_out_rows(plan, g, device->layouts);
    put_inputs(device);
    return STATUS_OK;
}
