/* Chains that engines look at together. */
#include <math.h>
#include <stdlib.h>

#include "app/pricing/plan/group_draft.h"
#include "models/observables/observable.h"

/* Tells whether a chain is the probability of surviving barriers under a clock that stay where they
 * are, and what is paid on the dates of the hit, if anything. */
static bool is_survival(const struct group *group, const struct chain *chain)
{
    const struct look *first = &group->looks[chain->first_look];
    const int kind = first->seen.kind, n = chain->n_results;
    if (kind != OBSERVATION_CLOCK_BARRIER && kind != OBSERVATION_CLOCK_STRIP) return false;
    if (n > 2 || chain->n_looks % n) return false;
    for (int i = 0; i < chain->n_looks; i += n) {
        const struct observation *own = &first[i].seen, *pays = &first[i + n - 1].seen;
        if (own->kind != kind || own->slot || own->c[0] != first->seen.c[0] ||
            own->c[2] != first->seen.c[2])
            return false;
        if (n == 2 && (pays->kind != OBSERVATION_PAY_ON_DATE || pays->source ||
                       pays->slot != observation_slots(kind) || first[i + 1].x != first[i].x))
            return false;
    }
    return true;
}

/* Tells whether two of them look at the same dates from the same start. */
static bool same_dates(const struct group *group, const struct chain *a, const struct chain *b)
{
    const struct look *p = &group->looks[a->first_look], *q = &group->looks[b->first_look];
    const double *start = &group->look_initial[a->first_slot],
                 *other = &group->look_initial[b->first_slot];
    const int dates = a->n_looks / a->n_results;
    if (dates != b->n_looks / b->n_results || start[2] != other[2] || start[3] != other[3])
        return false;
    for (int d = 0; d < dates; d++, p += a->n_results, q += b->n_results)
        if (p->x != q->x || p->clock != q->clock) return false;
    return true;
}

/* Adds a chain, whose paths are alive on the side of a barrier where they start, or between two. */
static void add_chain(const struct group *group, int c, struct survival_set *set)
{
    const struct chain *chain = &group->chains[c];
    const struct observation *t = &group->looks[chain->first_look].seen;
    const bool between = t->kind == OBSERVATION_CLOCK_STRIP,
               above = group->look_initial[chain->first_slot + 2] > t->c[0];
    if (between || above) set->limits[set->n].low = t->c[0];
    if (between) set->limits[set->n].high = t->c[0] + t->c[2];
    else if (!above) set->limits[set->n].high = t->c[0];
    set->chains[set->n++] = c;
}

enum status make_survival_sets(struct group *group)
{
    group->survival_sets = malloc(sizeof *group->survival_sets * ((size_t)group->n_chains + 1));
    if (!group->survival_sets) return STATUS_NO_MEMORY;
    for (int c = 0; c < group->n_chains; c++) {
        struct chain *chain = &group->chains[c];
        struct survival_set *set = group->survival_sets, *end = set + group->n_survival_sets;
        chain->survives = is_survival(group, chain);
        if (!chain->survives) continue;
        while (set < end && (set->n == CHAINS_TOGETHER ||
                             !same_dates(group, chain, &group->chains[set->chains[0]])))
            set++;
        if (set == end) {
            set->n = 0;
            for (int i = 0; i < CHAINS_TOGETHER; i++)
                set->limits[i] = (struct alive_between){-HUGE_VAL, HUGE_VAL};
            group->n_survival_sets++;
        }
        add_chain(group, c, set);
    }
    return STATUS_OK;
}
