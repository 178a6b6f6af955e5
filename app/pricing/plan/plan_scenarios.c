#include "app/pricing/plan/plan_scenarios.h"

#include <stdlib.h>
#include <string.h>

/* Tells whether they draw the same indices: those of historical depend on two of its
 * coefficients. */
static bool same_indices(const struct group *a, const struct group *b)
{
    for (int u = 0; u < a->n_underlyings; u++) {
        size_t at = (size_t)a->underlyings[u].coefficient;
        for (int j = 0; j < a->n_steps && draws_indices(&a->underlyings[u]);
             j++, at += (size_t)a->width)
            if (a->coefficients[at + HISTORICAL_TURN] != b->coefficients[at + HISTORICAL_TURN] ||
                a->coefficients[at + HISTORICAL_LAST] != b->coefficients[at + HISTORICAL_LAST])
                return false;
    }
    return true;
}

/* Tells whether two groups have the same trades, in the same order. */
static bool same_trades(const struct group *a, const struct group *b)
{
    return a->n_payoffs == b->n_payoffs &&
           !memcmp(a->trades, b->trades, sizeof *a->trades * (size_t)a->n_payoffs);
}

/* Tells whether two groups differ in numbers alone. */
static bool same_shape(const struct group *a, const struct group *b)
{
    if (a->n_underlyings != b->n_underlyings || a->width != b->width || a->n_steps != b->n_steps)
        return false;
    if (a->n_observations != b->n_observations || a->n_slots != b->n_slots ||
        a->n_rows != b->n_rows || a->n_payoff_rows != b->n_payoff_rows)
        return false;
    if (a->n_results != b->n_results || a->n_pairs != b->n_pairs || !same_trades(a, b))
        return false;
    if (a->n_dividends != b->n_dividends || a->n_single != b->n_single ||
        a->n_strips != b->n_strips)
        return false;
    for (int u = 0; u < a->n_underlyings; u++)
        if (a->underlyings[u].asset != b->underlyings[u].asset ||
            a->underlyings[u].model != b->underlyings[u].model)
            return false;
    if (memcmp(a->times, b->times, sizeof *a->times * (size_t)a->n_steps) || !same_indices(a, b))
        return false;
    if (memcmp(a->first_observation, b->first_observation, sizeof(int) * ((size_t)a->n_steps + 1)))
        return false;
    for (int i = 0; i < a->n_observations; i++) {
        const struct observation *p = &a->observations[i], *q = &b->observations[i];
        if (p->kind != q->kind || p->underlying != q->underlying || p->slot != q->slot ||
            p->source != q->source)
            return false;
    }
    return true;
}

/* ---- scenario sets --------------------------------------------------------------------------- */

/* Takes trades that some scenario refuses out of all of them; whether there were any. */
static bool take_out_refused(int n_trades, const struct refusal *refusals, bool *in)
{
    bool any = false;
    for (int i = 0; i < n_trades; i++) {
        bool out = in[i] && refusals[i].why.text[0];
        in[i] &= !out;
        any |= out;
    }
    return any;
}

/* Refuses trades of group a that group b lacks. */
static void refuse_lacking(const struct group *a, const struct group *b, struct refusal *refusals)
{
    for (int p = 0; p < a->n_payoffs; p++) {
        int q = 0;
        while (q < b->n_payoffs && b->trades[q] != a->trades[p]) q++;
        if (q == b->n_payoffs)
            say_why(STATUS_FAILED, &refusals[a->trades[p]].why,
                    "its paths cannot be shared with other trades in the same way under every "
                    "scenario");
    }
}

/* Refuses trades that two scenarios put into different groups, of the first such groups. (All
 * trades are in both, in the same order, so groups that begin alike differ by what one of them
 * lacks.) */
static void refuse_misplaced(int n, const struct plan *plans, struct refusal *refusals)
{
    for (int s = 1; s < n; s++)
        for (int g = 0; g < plans[0].n_groups && g < plans[s].n_groups; g++) {
            const struct group *a = &plans[0].groups[g], *b = &plans[s].groups[g];
            if (same_trades(a, b)) continue;
            refuse_lacking(a, b, refusals);
            refuse_lacking(b, a, refusals);
            return;
        }
}

static void free_each(int n, struct plan *plans)
{
    for (int s = 0; s < n; s++) plan_free(&plans[s]);
}

/* Builds the scenarios' plans over and over, until all have the same trades in the same groups. */
static enum status agree(const struct scenario_list *list, int n_trades, const struct trade *trades,
                         const struct plan_settings *settings, struct plan *plans,
                         struct refusal *refusals)
{
    enum status status = STATUS_OK;
    bool *in = calloc((size_t)n_trades + 1, sizeof *in), again = true;
    struct plan_settings contrast_settings = *settings;
    contrast_settings.in = in;
    contrast_settings.path_by_path = true;
    contrast_settings.antithetic = contrast_settings.points = false;
    if (!in) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < n_trades; i++) in[i] = !settings->in || settings->in[i];
    forget_refusals(n_trades, refusals);
    while (again) {
        free_each(list->n, plans);
        TRY(plans_build(list->n, list->scenarios, n_trades, trades, &contrast_settings, plans,
                        refusals));
        again = take_out_refused(n_trades, refusals, in);
        if (again) continue;
        refuse_misplaced(list->n, plans, refusals);
        again = take_out_refused(n_trades, refusals, in);
    }
done:
    free(in);
    return status;
}

/* Takes the groups of the scenarios' plans as scenario sets. */
static void join_groups(const struct scenario_list *list, struct plan *plans, struct plan *plan)
{
    int n = list->n;
    for (int g = 0; g < plans[0].n_groups; g++) {
        struct group *groups = &plan->groups[plan->n_groups];
        for (int s = 0; s < n; s++) {
            const struct scenario *scenario = &list->scenarios[s];
            groups[s] = plans[s].groups[g];
            plans[s].groups[g] = (struct group){0};
            groups[s].n_markets = 0;
            groups[s].borrows_policies = s && !scenario->fit_policies;
            groups[s].to_partner = scenario->partner ? scenario->partner - 1 - s : 0;
            groups[s].follows = scenario->follows - 1;
        }
        for (int s = 0, end = 0; s < n; s = end) {
            for (end = s + 1; end < n && same_shape(&groups[s], &groups[end]);) end++;
            groups[s].n_markets = end - s;
        }
        for (int s = 0; s < n; s++)
            for (int p = 0; p < groups[s].n_payoffs; p++) groups[s].trades[p] += s * plan->n_trades;
        groups[0].scenario_set = n;
        plan->n_groups += n;
    }
}

static enum status copy_wanted(const struct contrast_list *wanted, struct plan *plan)
{
    size_t contrasts = (size_t)wanted->n_contrasts, trades = (size_t)plan->n_trades;
    plan->n_contrasts = wanted->n_contrasts;
    plan->n_totals = wanted->n_totals;
    plan->contrasts = malloc(sizeof *plan->contrasts * contrasts);
    plan->totals = malloc(sizeof *plan->totals * (trades + 1));
    plan->quantities = malloc(sizeof *plan->quantities * (trades + 1));
    if (!plan->contrasts || !plan->totals || !plan->quantities) return STATUS_NO_MEMORY;
    memcpy(plan->contrasts, wanted->contrasts, sizeof *plan->contrasts * contrasts);
    for (size_t i = 0; i < trades; i++) {
        plan->totals[i] = wanted->n_totals ? wanted->totals[i] : -1;
        plan->quantities[i] = wanted->n_totals ? wanted->quantities[i] : 0.0;
    }
    return STATUS_OK;
}

enum status plan_contrasts(const struct contrast_list *wanted, int n_trades,
                           const struct trade *trades, const struct plan_settings *settings,
                           struct plan *plan, struct refusal *refusals)
{
    enum status status = STATUS_OK;
    struct plan plans[MARKETS_MAX] = {{0}};
    int n = wanted->scenarios.n;
    *plan = (struct plan){.n_trades = n_trades, .n_scenarios = n};
    TRY(agree(&wanted->scenarios, n_trades, trades, settings, plans, refusals));
    plan->seed = plans[0].seed;
    plan->paths = plans[0].paths;
    plan->groups = calloc((size_t)n * (size_t)plans[0].n_groups + 1, sizeof *plan->groups);
    if (!plan->groups) TRY(STATUS_NO_MEMORY);
    join_groups(&wanted->scenarios, plans, plan);
    TRY(copy_wanted(wanted, plan));
done:
    free_each(n, plans);
    if (status) plan_free(plan);
    return status;
}

/* ---- a part of a plan made anew -------------------------------------------------------------- */

static bool has_moved(const struct group *group, const bool *moved)
{
    return moved[group->trades[0]];
}

/* Compares as trades are ordered that join groups (plan_build.c): by assets, then by measure. */
static int compare_groups(const struct group *a, const struct group *b)
{
    for (int u = 0; u < a->n_underlyings && u < b->n_underlyings; u++)
        if (a->underlyings[u].asset != b->underlyings[u].asset)
            return a->underlyings[u].asset - b->underlyings[u].asset;
    if (a->n_underlyings != b->n_underlyings) return a->n_underlyings - b->n_underlyings;
    return quanto_compare(&a->quanto, &b->quanto);
}

int plan_moved_groups(const struct plan *plan, const bool *moved, struct group *groups)
{
    int n = 0;
    for (int g = 0; g < plan->n_groups; g++)
        if (has_moved(&plan->groups[g], moved)) groups[n++] = plan->groups[g];
    return n;
}

enum status plan_splice(struct plan *plan, const bool *moved, struct plan *part)
{
    size_t room = (size_t)plan->n_groups + (size_t)part->n_groups + 1;
    struct group *all = malloc(room * sizeof *all), *gone = malloc(room * sizeof *gone);
    int n = 0, p = 0;
    if (!all || !gone) {
        free(all);
        free(gone);
        return STATUS_NO_MEMORY;
    }
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        if (has_moved(group, moved)) continue;
        while (p < part->n_groups && compare_groups(&part->groups[p], group) < 0)
            all[n++] = part->groups[p++];
        all[n++] = *group;
    }
    while (p < part->n_groups) all[n++] = part->groups[p++];
    part->n_groups = plan_moved_groups(plan, moved, gone);
    free(part->groups);
    part->groups = gone;
    free(plan->groups);
    plan->groups = all;
    plan->n_groups = n;
    double *jumps = plan->jumps;
    plan->jumps = part->jumps;
    part->jumps = jumps;
    plan_free(part);
    return STATUS_OK;
}
