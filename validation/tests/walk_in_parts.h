/* A plan whose batches are walked in parts, as several machines would, for tests of engines. */
#ifndef PRICER_VALIDATION_TESTS_WALK_IN_PARTS_H
#define PRICER_VALIDATION_TESTS_WALK_IN_PARTS_H

#include <stdlib.h>

#include "kernels/merge.h"

enum { WALK_PARTS = 3 };

/* Does what engine_price() does, the last part first. */
static inline enum status walk_in_parts(const struct engine *engine, const struct plan *plan,
                                        const struct engine_options *options, struct tally *tallies,
                                        double *totals, struct message *why)
{
    enum status status = STATUS_OK;
    struct batch_range parts[WALK_PARTS] = {{0}};
    struct engine_report report = {.kernel = ""};
    uint64_t batches = plan_batches(plan);
    for (int i = WALK_PARTS - 1; i >= 0; i--) {
        struct batch_range *part = &parts[i];
        part->first = batches * (uint64_t)i / WALK_PARTS;
        part->end = batches * (uint64_t)(i + 1) / WALK_PARTS;
        if (plan->n_totals) part->totals = totals + part->first * BATCH_CHUNKS * chunk_totals(plan);
        part->tallies = malloc(sizeof *part->tallies * (range_tallies(plan, part) + 1));
        if (!part->tallies) TRY(STATUS_NO_MEMORY);
        TRY(engine->walk(plan, options, part, &report, why));
    }
    merge_batches(plan, parts, WALK_PARTS, tallies);
done:
    for (int i = 0; i < WALK_PARTS; i++) free(parts[i].tallies);
    return status;
}

#endif
