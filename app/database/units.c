#include "app/database/units.h"

#include <stdlib.h>

#include "app/digest.h"

struct plan unit_at(const struct plan *plan, int group)
{
    struct plan unit = *plan;
    int bundle = plan_bundle(plan, group), alike = plan->groups[group].alike;
    unit.groups = plan->groups + group;
    unit.n_groups = alike > bundle ? alike : bundle;
    unit.n_totals = 0;
    return unit;
}

static size_t count_tallies(const struct plan *unit)
{
    size_t n = 0;
    for (int g = 0; g < unit->n_groups; g += plan_bundle(unit, g)) n += bundle_tallies(unit, g);
    return n;
}

enum status unit_recall(struct journal *journal, const char *kind, const struct plan *unit,
                        struct tally *tallies, bool *there, struct message *why)
{
    void *content;
    size_t n, at = 0;
    enum status status = journal_recall(journal, kind, digest_plan(unit), &content, &n, why);
    const struct tally *stored = content;
    *there = !status && content && n == count_tallies(unit) * sizeof *stored;
    for (int g = 0; *there && g < unit->n_groups; g += plan_bundle(unit, g))
        for (size_t p = 0; p < bundle_tallies(unit, g); p++) tallies[bundle_place(unit, g, p)] = stored[at++];
    free(content);
    return status;
}

enum status unit_store(struct journal *journal, const char *kind, const struct plan *unit,
                       const struct tally *tallies, struct message *why)
{
    size_t at = 0, n = count_tallies(unit);
    struct tally *content = malloc((n + 1) * sizeof *content);
    if (!content) return STATUS_NO_MEMORY;
    for (int g = 0; g < unit->n_groups; g += plan_bundle(unit, g))
        for (size_t p = 0; p < bundle_tallies(unit, g); p++)
            content[at++] = tallies[bundle_place(unit, g, p)];
    enum status status = journal_store(journal, kind, digest_plan(unit), content, n * sizeof *content, why);
    free(content);
    return status;
}
