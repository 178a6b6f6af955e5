#include "app/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "app/plan/draft.h"
#include "app/plan/ladders.h"

/* ---- the order in which trades join groups ------------------------------------------------------- */

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_schedules(const struct schedule *a, const struct schedule *b)
{
    if (a->continuous != b->continuous) return a->continuous ? -1 : 1;
    if (a->n != b->n) return a->n - b->n;
    for (int i = 0; i < a->n; i++)
        if (a->times[i] != b->times[i]) return compare_numbers(a->times[i], b->times[i]);
    return 0;
}

/* By asset, then trades with few dates first, then by all that shapes their paths; the id settles what is
 * left. */
static int compare_trades(const struct trade *a, const struct trade *b)
{
    int order = a->asset - b->asset;
    if (!order) order = compare_schedules(&a->fixings, &b->fixings);
    if (!order) order = compare_schedules(&a->monitoring, &b->monitoring);
    if (!order) order = compare_numbers(a->expiry, b->expiry);
    if (!order) order = (int)a->product - (int)b->product;
    if (!order) order = compare_numbers(a->barrier, b->barrier);
    if (!order) order = compare_numbers(a->lower, b->lower);
    if (!order) order = compare_numbers(a->upper, b->upper);
    if (!order) order = compare_numbers(a->strike, b->strike);
    if (!order) order = strcmp(a->id, b->id);
    return order;
}

static int compare_pointers(const void *a, const void *b)
{
    return compare_trades(*(const struct trade *const *)a, *(const struct trade *const *)b);
}

static const struct trade **sorted_trades(int n, const struct trade *trades)
{
    const struct trade **order = malloc(sizeof *order * (size_t)(n + 1));
    if (!order) return NULL;
    for (int i = 0; i < n; i++) order[i] = &trades[i];
    qsort(order, (size_t)n, sizeof *order, compare_pointers);
    return order;
}

/* ---- groups -------------------------------------------------------------------------------------- */

static enum status close_group(struct draft *draft, const struct market *market, struct plan *plan)
{
    if (!draft->n_payoffs) {
        draft_free(draft);
        return STATUS_OK;
    }
    struct group *more = realloc(plan->groups, sizeof *more * (size_t)(plan->n_groups + 1));
    if (!more) return STATUS_NO_MEMORY;
    plan->groups = more;
    more[plan->n_groups++] = (struct group){0};
    return draft_finish(draft, market, &more[plan->n_groups - 1]);
}

enum status plan_build(const struct market *market, int n_trades, const struct trade *trades, uint64_t paths,
                       uint64_t seed, struct plan *plan, struct refusal *refusals)
{
    enum status status = STATUS_OK;
    struct draft draft = {.asset = -1};
    *plan = (struct plan){.seed = seed, .n_trades = n_trades};
    plan->paths = (paths + CHUNK_PATHS - 1) / CHUNK_PATHS * CHUNK_PATHS;
    const struct trade **order = sorted_trades(n_trades, trades);
    if (!order) return STATUS_NO_MEMORY;
    for (int i = 0; i < n_trades; i++) {
        int index = (int)(order[i] - trades);
        bool fits = false;
        refusals[index].why.text[0] = '\0';
        if (draft.asset != order[i]->asset) TRY(close_group(&draft, market, plan));
        while (!fits) {
            draft.asset = order[i]->asset;
            status = draft_add(&draft, market, order[i], index, &fits, &refusals[index].why);
            if (status == STATUS_NO_MEMORY) goto done;
            if (status) break; /* refused: the reason is kept, the others go on */
            if (!fits) TRY(close_group(&draft, market, plan));
        }
    }
    status = close_group(&draft, market, plan);
done:
    free(order);
    draft_free(&draft);
    if (status) plan_free(plan);
    return status;
}

void plan_free(struct plan *plan)
{
    for (int g = 0; g < plan->n_groups; g++) {
        struct group *group = &plan->groups[g];
        free(group->times);
        free(group->steps);
        free(group->first_touch);
        free(group->touches);
        free(group->initial);
        free(group->results);
        free(group->payoffs);
        free(group->trades);
        for (int l = 0; l < group->n_ladders; l++) ladder_free(&group->ladders[l]);
        free(group->ladders);
    }
    free(plan->groups);
    *plan = (struct plan){0};
}

uint64_t plan_path_steps(const struct plan *plan)
{
    uint64_t steps = 0;
    for (int g = 0; g < plan->n_groups; g++) steps += plan->paths * (uint64_t)plan->groups[g].n_steps;
    return steps;
}

/* ---- for a person -------------------------------------------------------------------------------- */

static const char *const touch_names[N_TOUCHES] = {
#define OBSERVABLE(NAME, name, slots, uses) [TOUCH_##NAME] = #name,
#include "models/payoffs/observables.def"
#undef OBSERVABLE
};

static void print_group(FILE *out, int g, const struct group *group, const struct market *market,
                        const struct trade *trades)
{
    int count[N_TOUCHES] = {0};
    for (int i = 0; i < group->n_touches; i++) count[group->touches[i].on]++;
    fprintf(out,
            "group %d: %s, %s: %d trades, %d dates to %.6g years, %d observables in %d slots, %d normals a "
            "path\n",
            g + 1, market->assets[group->asset].name, model_name(market->assets[group->asset].model),
            group->n_payoffs, group->n_steps, group->n_steps ? group->times[group->n_steps - 1] : 0.0,
            group->n_rows, group->n_slots, group_normals(group));
    fprintf(out, "  touches a path:");
    for (int k = 0; k < N_TOUCHES; k++)
        if (count[k]) fprintf(out, " %s %d", touch_names[k], count[k]);
    for (int l = 0; l < group->n_ladders; l++)
        fprintf(out, "; ladder of %d payoffs on %d strikes", group->ladders[l].n_payoffs,
                group->ladders[l].n_strikes);
    fprintf(out, "\n  trades:");
    for (int i = 0; i < group->n_payoffs && i < 12; i++) fprintf(out, " %s", trades[group->trades[i]].id);
    if (group->n_payoffs > 12) fprintf(out, " and %d more", group->n_payoffs - 12);
    fprintf(out, "\n");
}

void plan_print(FILE *out, const struct plan *plan, const struct market *market, const struct trade *trades)
{
    fprintf(out, "%d trades in %d groups; %llu paths in %llu chunks of %d; seed %llu; %.3g path-steps\n",
            plan->n_trades, plan->n_groups, (unsigned long long)plan->paths,
            (unsigned long long)(plan->paths / CHUNK_PATHS), CHUNK_PATHS, (unsigned long long)plan->seed,
            (double)plan_path_steps(plan));
    for (int g = 0; g < plan->n_groups; g++) print_group(out, g, &plan->groups[g], market, trades);
}
