#include "kernels/cuda/device_parts.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/specialise.h"
#include "kernels/cuda/stretches.h"
#include "models/math/stop.h"

size_t take_room(size_t *used, size_t bytes)
{
    size_t at = (*used + 255) / 256 * 256;
    *used = at + bytes;
    return at;
}

static size_t strikes_bytes(const struct ladder *ladder)
{
    return sizeof *ladder->strikes * (size_t)(ladder->n_strikes + ladder->depth);
}

/* The ladder as the device has it; its pointers are offsets into the inputs until the inputs have a place. */
static void place_ladder(const struct ladder *ladder, struct ladder *placed, size_t *used)
{
    *placed = *ladder;
    placed->strikes = (double *)take_room(used, strikes_bytes(ladder));
    placed->first = (int *)take_room(used, sizeof *ladder->first * (size_t)ladder->n_cells);
    placed->payoffs =
        (struct ladder_payoff *)take_room(used, sizeof *ladder->payoffs * (size_t)ladder->n_payoffs);
}

static void copy_ladder(const struct ladder *ladder, struct ladder *placed, char *to, char *on_device)
{
    size_t strikes = (size_t)placed->strikes, first = (size_t)placed->first,
           payoffs = (size_t)placed->payoffs;
    memcpy(to + strikes, ladder->strikes, strikes_bytes(ladder));
    memcpy(to + first, ladder->first, sizeof *ladder->first * (size_t)ladder->n_cells);
    memcpy(to + payoffs, ladder->payoffs, sizeof *ladder->payoffs * (size_t)ladder->n_payoffs);
    placed->strikes = (double *)(on_device + strikes);
    placed->first = (int *)(on_device + first);
    placed->payoffs = (struct ladder_payoff *)(on_device + payoffs);
}

/* The group's part of the points of a plan. */
static void place_points(const struct plan *plan, const struct group *group, struct group_place *place,
                         size_t *used)
{
    int n = group_normals(group);
    if (!plan->points) return;
    place->n_dimensions = n < plan->points->n ? n : plan->points->n;
    place->dimensions = take_room(used, sizeof(struct sobol_dimension) * (size_t)place->n_dimensions);
    place->places = take_room(used, sizeof(struct bridge_place) * (size_t)group->bridge.n);
    place->scales = take_room(used, sizeof(double) * (size_t)group->bridge.n);
}

static void copy_points(const struct plan *plan, const struct group *group, const struct group_place *place,
                        char *to)
{
    const struct bridge *bridge = &group->bridge;
    if (!plan->points || !bridge->n) return;
    memcpy(to + place->dimensions, plan->points->dimensions,
           sizeof(struct sobol_dimension) * (size_t)place->n_dimensions);
    memcpy(to + place->places, bridge->places, sizeof *bridge->places * (size_t)bridge->n);
    memcpy(to + place->scales, bridge->scales, sizeof *bridge->scales * (size_t)bridge->n);
}

/* What moves the group's paths. */
static void place_paths(const struct group *group, struct group_place *place, size_t *used)
{
    size_t n = (size_t)group->n_underlyings;
    place->coefficients = take_room(used, sizeof(double) * (size_t)group->n_steps * (size_t)group->width);
    place->table = take_room(used, sizeof(float) * (size_t)group->lookup.n);
    place->dividends = take_room(used, sizeof(struct dividend) * (size_t)(group->n_dividends + 1));
    place->underlyings = take_room(used, sizeof(struct placed_underlying) * n);
    place->starts = take_room(used, sizeof(struct path_state) * n);
    place->loadings = take_room(used, sizeof(double) * loadings_placed(group));
}

static void copy_paths(const struct group *group, const struct group_place *place, char *to)
{
    memcpy(to + place->coefficients, group->coefficients,
           sizeof(double) * (size_t)group->n_steps * (size_t)group->width);
    if (group->lookup.n)
        memcpy(to + place->table, group->lookup.table, sizeof(float) * (size_t)group->lookup.n);
    copy_dividends(group, (void *)(to + place->dividends));
    copy_underlyings(group, (void *)(to + place->underlyings), (void *)(to + place->starts));
    copy_loadings(group, (void *)(to + place->loadings));
}

bool walk_together(const struct plan *plan, const struct device *device, int g)
{
    const struct group *group = &plan->groups[g];
    const struct group_place *place = &device->places[g];
    return group->alike > 1 && place->ground == GROUND_PLAIN &&
           record_of(group, &place->carried) == RECORD_SUM;
}

/* Whether the rung's own kernel for touches is the one that walks in stretches: it draws its own normals. */
static bool walks_stretches(const struct rung *rung, const struct group *group,
                            const struct group_place *place)
{
    return !normal_width(rung, GROUND_PLAIN) && place->ground == GROUND_PLAIN &&
           record_of(group, &place->carried) != RECORD_SUM;
}

int scenarios_wanted(const struct rung *rung)
{
    int wanted = rung->variant.of[SETTING_SCENARIOS];
    return wanted ? wanted : SCENARIOS_MAX;
}

/* The steps of groups alike, as launch_scenarios() wants them. */
static void copy_interleaved(const struct group *group, int wanted, struct step *to)
{
    for (int first = 0, n; first < group->alike; first += n) {
        n = scenarios_at_once(group->alike - first, wanted);
        for (int j = 0; j < group->n_steps; j++)
            for (int s = 0; s < n; s++) *to++ = ((const struct step *)group[first + s].coefficients)[j];
    }
}

size_t tallies_from(const struct plan *plan, int g)
{
    return plan->n_measures && !plan->groups[g].bundle ? 0 : bundle_tallies(plan, g);
}

int launched_together(const struct plan *plan, int g)
{
    return plan->groups[g].bundle ? plan->groups[g].bundle : plan->groups[g].alike;
}

static void place_totals(const struct group *group, struct group_place *place, size_t *used)
{
    place->totals = take_room(used, sizeof(int) * (size_t)group->n_payoffs);
    place->quantities = take_room(used, sizeof(double) * (size_t)group->n_payoffs);
}

static void copy_totals(const struct plan *plan, const struct group *group, const struct group_place *place,
                        char *to)
{
    for (int p = 0; p < group->n_payoffs; p++) {
        ((int *)(to + place->totals))[p] = plan->totals[group->trades[p]];
        ((double *)(to + place->quantities))[p] = plan->quantities[group->trades[p]];
    }
}

/* Asset-steps of a group from which a walk of its own is worth the second in which it is compiled: two
 * seconds of the general ones. */
#define COMPILED_FROM 1e11

/* Whether the rung may walk a group by a kernel of its own: under one market, on Philox paths. A sum under
 * local volatility has a kernel that keeps the tables in shared memory. */
static bool may_be_specialised(const struct device_job *job, const struct group *group,
                               const struct group_place *place)
{
    const struct plan *plan = job->plan;
    bool takes = (job->rung->takes & TAKES_SCENARIOS_WALK) == TAKES_SCENARIOS_WALK;
    bool tabled = group->n_underlyings == 1 && group->underlyings[0].model == MODEL_LOCAL_VOL &&
                  record_of(group, &place->carried) == RECORD_SUM;
    return takes && job->rung->variant.of[SETTING_WALK] != WALKS_GENERAL && plan->n_scenarios == 1 &&
           !plan->points && !plan->antithetic && !tabled;
}

/* Finds the group's own walk. STATUS_ENGINE where it was asked for and cannot be had. */
static enum status place_walk(struct device_job *job, const struct group *group, struct group_place *place,
                              size_t *used)
{
    place->carried = find_carried(group);
    if (!may_be_specialised(job, group, place)) return STATUS_OK;
    if (asked_to_stop(job->options->stop)) return STATUS_INTERRUPTED;
    double steps = (double)group_asset_steps(group) * (double)job->plan->paths;
    bool asked = job->rung->variant.of[SETTING_WALK] == WALKS_SPECIALISED;
    struct message why = {""};
    enum status status = shape_make(group, &place->shape);
    if (status == STATUS_FAILED) return STATUS_OK;
    if (!status)
        status =
            specialised_kernel(group, &place->shape, asked || steps >= COMPILED_FROM, &place->kernel, &why);
    if (place->kernel)
        place->records =
            take_room(used, sizeof(double) * (size_t)group->n_steps * (size_t)place->shape.stride);
    if (status == STATUS_NO_MEMORY || !asked || !status)
        return status == STATUS_NO_MEMORY ? status : STATUS_OK;
    job->why = why;
    return STATUS_ENGINE;
}

int group_width(const struct device_job *job, const struct device *device, int g)
{
    return device->places[g].kernel ? 0 : normal_width(job->rung, device->places[g].ground);
}

static void place_touches(const struct rung *rung, const struct group *group, struct group_place *place,
                          size_t *used)
{
    place->carried = find_carried(group);
    place->stretched = !place->kernel && walks_stretches(rung, group, place);
    if (place->stretched) {
        place->carried = (struct carried_sum){0};
        place->pages = take_room(used, sizeof(struct page_unit) * pages_room(group));
        return;
    }
    place->touches = take_room(used, sizeof *group->touches * (size_t)(group->n_touches + 1));
}

static enum status copy_touched(const struct group *group, struct group_place *place, char *to)
{
    if (place->kernel)
        memcpy(to + place->records, place->shape.records,
               sizeof(double) * (size_t)group->n_steps * (size_t)place->shape.stride);
    if (place->stretched)
        return copy_pages(group, (void *)(to + place->pages), &place->first_page, &place->largest_page);
    copy_touches(group, &place->carried, (void *)(to + place->touches));
    return STATUS_OK;
}

enum status place_inputs(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    size_t before = 0;
    device->places = calloc((size_t)plan->n_groups, sizeof *device->places);
    if (!device->places) return STATUS_NO_MEMORY;
    if (plan->n_measures)
        device->measures = take_room(&device->input_bytes, sizeof(struct measure) * (size_t)plan->n_measures);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct group_place *place = &device->places[g];
        size_t *used = &device->input_bytes;
        place->ground = ground_of(group);
        TRY(place_walk(job, group, place, used));
        place_touches(job->rung, group, place, used);
        place->before = before;
        before += tallies_from(plan, g);
        place->state_width = state_width(group);
        place_points(plan, group, place, used);
        place_paths(group, place, used);
        place->initial = take_room(used, sizeof *group->initial * (size_t)group->n_slots);
        place->results = take_room(used, sizeof *group->results * (size_t)group->n_results);
        place->payoffs = take_room(used, sizeof *group->payoffs * (size_t)group->n_payoffs);
        if (group->bundle) place_totals(group, place, used);
        if (walk_together(plan, device, g))
            place->interleaved =
                take_room(used, sizeof(struct step) * (size_t)group->n_steps * (size_t)group->alike);
        place->ladders = calloc((size_t)group->n_ladders + 1, sizeof *place->ladders);
        if (!place->ladders) return STATUS_NO_MEMORY;
        for (int l = 0; l < group->n_ladders; l++) place_ladder(&group->ladders[l], &place->ladders[l], used);
    }
done:
    return status;
}

enum status copy_inputs(const struct device_job *job, const struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    if (plan->n_measures)
        memcpy(device->host_inputs + device->measures, plan->measures,
               sizeof *plan->measures * (size_t)plan->n_measures);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct group_place *place = &device->places[g];
        char *to = device->host_inputs;
        if (group->bundle) copy_totals(plan, group, place, to);
        copy_points(plan, group, place, to);
        copy_paths(group, place, to);
        TRY(copy_touched(group, place, to));
        copy_results(group, &place->carried, (void *)(to + place->results));
        if (walk_together(plan, device, g))
            copy_interleaved(group, scenarios_wanted(job->rung), (void *)(to + place->interleaved));
        memcpy(to + place->initial, group->initial, sizeof *group->initial * (size_t)group->n_slots);
        memcpy(to + place->payoffs, group->payoffs, sizeof *group->payoffs * (size_t)group->n_payoffs);
        for (int l = 0; l < group->n_ladders; l++)
            copy_ladder(&group->ladders[l], &place->ladders[l], to, device->memory);
    }
done:
    return status;
}
