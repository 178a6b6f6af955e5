#include "app/plan/scenarios.h"

#include <stdlib.h>
#include <string.h>

/* Whether two groups differ in numbers alone. */
static bool same_shape(const struct group *a, const struct group *b)
{
    if (a->n_underlyings != b->n_underlyings || a->width != b->width || a->n_steps != b->n_steps)
        return false;
    if (a->n_touches != b->n_touches || a->n_slots != b->n_slots || a->n_rows != b->n_rows) return false;
    if (a->n_results != b->n_results || a->n_payoffs != b->n_payoffs || a->n_pairs != b->n_pairs)
        return false;
    if (a->n_dividends != b->n_dividends || a->n_single != b->n_single || a->n_ladders != b->n_ladders)
        return false;
    for (int u = 0; u < a->n_underlyings; u++)
        if (a->underlyings[u].asset != b->underlyings[u].asset ||
            a->underlyings[u].model != b->underlyings[u].model)
            return false;
    if (memcmp(a->times, b->times, sizeof *a->times * (size_t)a->n_steps)) return false;
    if (memcmp(a->first_touch, b->first_touch, sizeof(int) * ((size_t)a->n_steps + 1))) return false;
    for (int i = 0; i < a->n_touches; i++) {
        const struct touch *p = &a->touches[i], *q = &b->touches[i];
        if (p->on != q->on || p->underlying != q->underlying || p->slot != q->slot || p->of != q->of)
            return false;
    }
    return !memcmp(a->trades, b->trades, sizeof *a->trades * (size_t)a->n_payoffs);
}

static bool same_shapes(const struct plan *a, const struct plan *b)
{
    if (a->n_groups != b->n_groups) return false;
    for (int g = 0; g < a->n_groups; g++)
        if (!same_shape(&a->groups[g], &b->groups[g])) return false;
    return true;
}

/* Takes group g of a plan as that of scenario s. */
static void take_group(struct plan *plan, struct plan *from, int g, int s, int alike)
{
    struct group *group = &plan->groups[plan->n_groups++];
    *group = from->groups[g];
    group->alike = alike;
    for (int p = 0; p < group->n_payoffs; p++) group->trades[p] += s * plan->n_trades;
    from->groups[g] = (struct group){0};
}

/* Groups of the scenarios that have the first one's shape side by side, then the groups of the others. */
static void interleave(int n, struct plan *of, struct plan *plan)
{
    bool with_first[SCENARIOS_MAX];
    int alike = 0;
    for (int s = 0; s < n; s++) alike += with_first[s] = same_shapes(&of[0], &of[s]);
    for (int g = 0; g < of[0].n_groups; g++) {
        int first = plan->n_groups;
        for (int s = 0; s < n; s++)
            if (with_first[s]) take_group(plan, &of[s], g, s, plan->n_groups == first ? alike : 0);
    }
    for (int s = 0; s < n; s++)
        for (int g = 0; g < of[s].n_groups && !with_first[s]; g++) take_group(plan, &of[s], g, s, 1);
}

enum status plan_scenarios(int n, const struct market *const *markets, int n_trades,
                           const struct trade *trades, const struct plan_settings *settings,
                           struct plan *plan, struct refusal *refusals)
{
    enum status status = STATUS_OK;
    struct plan of[SCENARIOS_MAX] = {{0}};
    struct refusal *others = calloc((size_t)n_trades + 1, sizeof *others);
    size_t groups = 1;
    *plan = (struct plan){.n_trades = n_trades, .n_scenarios = n};
    if (!others) return STATUS_NO_MEMORY;
    for (int s = 0; s < n; s++) {
        TRY(plan_build(markets[s], n_trades, trades, settings, &of[s], s ? others : refusals));
        groups += (size_t)of[s].n_groups;
    }
    plan->seed = of[0].seed;
    plan->paths = of[0].paths;
    plan->groups = calloc(groups, sizeof *plan->groups);
    if (!plan->groups) TRY(STATUS_NO_MEMORY);
    interleave(n, of, plan);
done:
    for (int s = 0; s < n; s++) plan_free(&of[s]);
    free(others);
    return status;
}
