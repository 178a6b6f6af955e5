/* The steps of an asset's path under local_vol, one after the other. */
#include <math.h>
#include <stdlib.h>

#include "models/dynamics/local_vol.h"
#include "models/dynamics/local_vol_table.h"
#include "models/dynamics/step_measure.h"
#include "models/base/grow.h"

/* What is known of an asset's steps so far. */
struct local_vol_path {
    int asset;
    struct tabled_step last;
    double moved; /* how far rows have moved the forward since today, as a part of it */
    /* Where tables are made at once */
    struct implied_surface surface;
    struct local_vol_maker *maker;
    struct local_vol_path *next;
};

void local_vol_forget(struct local_vol_path *path)
{
    while (path) {
        struct local_vol_path *next = path->next;
        local_vol_maker_free(path->maker);
        surface_free(&path->surface);
        free(path);
        path = next;
    }
}

/* Finds the asset's path, made at its first step. */
static enum status find_path(int asset, struct lookup *lookup, struct local_vol_path **found)
{
    struct local_vol_path *path = lookup->paths;
    while (path && path->asset != asset) path = path->next;
    if (!path && (path = calloc(1, sizeof *path))) {
        path->asset = path->last.asset = asset;
        path->next = lookup->paths;
        lookup->paths = path;
    }
    *found = path;
    return path ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Finds how far z drifts over the step: the correlation with the FX rate times the root of its
 * variance there. */
static enum status quanto_drift(const struct market *market, int asset,
                                const struct time_step *time_step, double *drift,
                                struct message *why)
{
    struct measure measure;
    *drift = 0.0;
    MUST(measure_of(market, asset, time_step, &measure, why));
    if (!measure.fx) return STATUS_OK;
    const struct term_structure *variance = &measure.fx->variance;
    *drift = measure.correlation *
             sqrt(term_accrued(variance, time_step->to) - term_accrued(variance, time_step->from));
    return STATUS_OK;
}

/* Describes what the step's tables depend on: its law at the start lies as it did at the end of the
 * step before. */
static enum status describe_step(const struct market *market, const struct local_vol_path *path,
                                 const struct time_step *time_step, struct tabled_step *step,
                                 struct message *why)
{
    double from = time_step->from, to = time_step->to;
    double laid = path->last.to == from ? path->last.laid_to : from;
    bool serves = from > 0.0 && to <= places_serve(laid);
    *step = (struct tabled_step){.asset = path->asset,
                                 .from = from,
                                 .to = to,
                                 .laid_from = from > 0.0 ? laid : 0.0,
                                 .laid_to = serves ? laid : to};
    return quanto_drift(market, path->asset, time_step, &step->drift, why);
}

/* Makes the step's tables at once. */
static enum status make_tables(const struct market *market, struct local_vol_path *path,
                               const struct tabled_step *step, struct lookup *lookup,
                               struct message *why)
{
    enum status status = STATUS_OK;
    struct forward_moves moves;
    if (!path->maker) {
        TRY(surface_make(&path->surface, market, path->asset, why));
        TRY(local_vol_maker_make(&path->surface, surface_unit_spot(market, path->asset),
                                 &path->maker));
    }
    TRY(local_vol_tables(path->maker, market, step, step->c, lookup->table + step->first, &moves));
    if (!(step->from > 0.0)) path->moved = 0.0;
    TRY(local_vol_check(market->assets[path->asset].name, step->to, &moves, &path->moved, why));
done:
    return status == STATUS_BAD_INPUT ? STATUS_FAILED : status;
}

enum status local_vol_coefficients(const struct market *market, int asset,
                                   const struct time_step *time_step, double *c,
                                   struct lookup *lookup, struct message *why)
{
    struct local_vol_path *path;
    struct tabled_step step;
    struct tabled_steps *later = lookup->later;
    MUST(find_path(asset, lookup, &path));
    MUST(describe_step(market, path, time_step, &step, why));
    MUST(grow_array(&lookup->table, &lookup->room, lookup->n + 2 * LOCAL_VOL_ROWS,
                    sizeof *lookup->table));
    step.c = c, step.first = lookup->n;
    if (later) {
        MUST(grow_array(&later->steps, &later->room, later->n + 1, sizeof *later->steps));
        later->steps[later->n++] = step;
    } else MUST(make_tables(market, path, &step, lookup, why));
    path->last = step;
    lookup->n += 2 * LOCAL_VOL_ROWS;
    return STATUS_OK;
}
