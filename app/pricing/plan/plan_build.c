#include "app/pricing/plan/plan_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/group_draft.h"
#include "app/pricing/plan/time_grid.h"
#include "kernels/replicates.h"
#include "models/base/stop.h"
#include "models/base/order.h"
#include "models/payoffs/payoff_definition.h"

/* ---- the order in which trades join groups --------------------------------------------------- */

static int compare_schedules(const struct schedule *a, const struct schedule *b)
{
    if (a->continuous != b->continuous) return a->continuous ? -1 : 1;
    if (a->n != b->n) return a->n - b->n;
    for (int i = 0; i < a->n; i++)
        if (a->times[i] != b->times[i]) return compare_doubles(a->times[i], b->times[i]);
    return 0;
}

/* A trade with its assets in increasing order. */
struct trade_order {
    const struct trade *trade;
    int assets[UNDERLYINGS_MAX];
};

static int compare_assets(const struct trade_order *a, const struct trade_order *b)
{
    for (int i = 0; i < a->trade->n_assets && i < b->trade->n_assets; i++)
        if (a->assets[i] != b->assets[i]) return a->assets[i] - b->assets[i];
    if (a->trade->n_assets != b->trade->n_assets) return a->trade->n_assets - b->trade->n_assets;
    return quanto_compare(&a->trade->quanto, &b->trade->quanto);
}

/* Trades that can share paths side by side, those with few dates first, then by all that shapes
 * their paths; the id settles what is left. */
static int compare_trade_orders(const void *p, const void *q)
{
    const struct trade *a = ((const struct trade_order *)p)->trade,
                       *b = ((const struct trade_order *)q)->trade;
    int order = compare_assets(p, q);
    for (int i = 0; i < N_SCHEDULES && !order; i++)
        order = compare_schedules(trade_schedule(a, i), trade_schedule(b, i));
    if (!order) order = compare_doubles(a->expiry, b->expiry);
    if (!order) order = compare_doubles(a->pivot, b->pivot);
    if (!order) order = (int)a->product - (int)b->product;
    if (!order) order = compare_doubles(a->barrier, b->barrier);
    if (!order) order = compare_doubles(a->lower, b->lower);
    if (!order) order = compare_doubles(a->upper, b->upper);
    if (!order) order = compare_doubles(a->strike, b->strike);
    if (!order) order = strcmp(a->id, b->id);
    if (!order) order = a->slope_of - b->slope_of;
    return order;
}

static void sort_assets(struct trade_order *leader)
{
    for (int i = 0; i < leader->trade->n_assets; i++) {
        int asset = leader->trade->assets[i], at = i;
        for (; at > 0 && leader->assets[at - 1] > asset; at--)
            leader->assets[at] = leader->assets[at - 1];
        leader->assets[at] = asset;
    }
}

/* The trades that are in the plan and follow no other, in order; *n of them. NULL without
 * memory. */
static struct trade_order *sorted_trades(int n_trades, const struct trade *trades,
                                         const struct plan_settings *settings, int *n)
{
    int leaders = settings->followers ? settings->followers[0] : n_trades;
    struct trade_order *order = malloc(sizeof *order * (size_t)(leaders + 1));
    *n = 0;
    for (int i = 0; order && i < leaders; i++) {
        if ((settings->in && !settings->in[i]) || !trade_has_paths(&trades[i])) continue;
        order[*n].trade = &trades[i];
        sort_assets(&order[(*n)++]);
    }
    if (order) qsort(order, (size_t)*n, sizeof *order, compare_trade_orders);
    return order;
}

/* ---- groups ---------------------------------------------------------------------------------- */

void group_programs_free(int n, struct group_program *programs)
{
    for (int p = 0; p < n; p++) {
        if (programs[p].part) free(programs[p].part->code);
        free(programs[p].part);
        free(programs[p].inputs);
        free(programs[p].coefficients);
    }
}

static void group_free(struct group *group)
{
    free(group->underlyings);
    free(group->loadings);
    free(group->coefficients);
    free(group->lookup.table);
    free(group->dividends);
    free(group->times);
    bridge_free(&group->bridge);
    free(group->first_observation);
    free(group->observations);
    free(group->initial);
    free(group->results);
    free(group->chains);
    free(group->looks);
    free(group->look_initial);
    free(group->look_results);
    free(group->survival_sets);
    free(group->gates);
    free(group->payoffs);
    free(group->trades);
    for (int l = 0; l < group->n_strips; l++) {
        free(group->strips[l].strikes);
        free(group->strips[l].first);
        free(group->strips[l].payoffs);
    }
    free(group->strips);
    group_programs_free(group->n_programs, group->programs);
    free(group->programs);
    free(group->prices);
}

/* A group in the making: a draft, then what it becomes. */
struct group_making {
    struct group_draft draft;
    struct group group;
    struct tabled_group made; /* it, whose trades are refused where its status is STATUS_FAILED */
};

struct plan_building {
    const struct market *market;
    const struct trade *trades;
    int n_trades;
    struct plan_settings settings;
    struct market aged, laid; /* today's as trades and steps see it, where time passes */
    struct group_draft draft; /* that is being filled */
    int n, room;
    struct group_making *groups; /* [n] whose drafts are full */
    char *
        *refused; /* [n_trades] why a trade is in no draft; NULL: it is in one, or not looked at */
    struct plan *plan;
    struct refusal *refusals; /* [n_trades] may be NULL */
    enum status status;
};

/* Notes why a trade is in no draft. */
static enum status note_refused(struct plan_building *building, int trade,
                                const struct message *why)
{
    free(building->refused[trade]);
    building->refused[trade] = strdup(why->text);
    return building->refused[trade] ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Keeps the draft as that of the plan's next group, and begins another. */
static enum status keep_draft(struct plan_building *building)
{
    struct group_draft *draft = &building->draft;
    if (grow_array(&building->groups, &building->room, building->n + 1, sizeof *building->groups))
        return STATUS_NO_MEMORY;
    building->groups[building->n++] = (struct group_making){.draft = *draft};
    *draft = group_draft_like(draft);
    return STATUS_OK;
}

/* Begins a draft on the paths of another one, whose walk carries all that it remembers. */
static void begin_walk(const struct group_draft *other, struct group_draft *draft)
{
    draft->n_assets = other->n_assets;
    draft->quanto = other->quanto;
    memcpy(draft->assets, other->assets, sizeof draft->assets);
    draft->walks = true;
}

/* Adds a trade to a draft whose walk carries all, or to the next one. */
static enum status add_walked(struct plan_building *building, const struct group_draft *back, int p)
{
    const struct trade *trade = &building->trades[back->trades[p]];
    struct group_draft *draft = &building->draft;
    struct message why;
    bool fits;
    MUST(group_draft_add(draft, trade, back->trades[p], &fits, &why));
    if (fits) return STATUS_OK;
    MUST(keep_draft(building));
    begin_walk(back, draft);
    return group_draft_add(draft, trade, back->trades[p], &fits, &why);
}

/* Parts the draft, at which it does not pay to look back, into those whose walks carry what they
 * remember; where a trade has more than a walk carries, it is kept as it is. */
static enum status part_draft(struct plan_building *building)
{
    enum status status = STATUS_OK;
    struct group_draft back = building->draft, *draft = &building->draft;
    const int kept = building->n;
    *draft = group_draft_like(&back);
    begin_walk(&back, draft);
    for (int p = 0; p < back.n_payoffs && !status; p++) status = add_walked(building, &back, p);
    if (!status) status = keep_draft(building);
    if (status != STATUS_FAILED) {
        group_draft_free(&back);
        return status;
    }
    while (building->n > kept) group_draft_free(&building->groups[--building->n].draft);
    group_draft_free(draft);
    *draft = back;
    return keep_draft(building);
}

/* Keeps what the draft comes to, if it has any trade. Trades that follow others stay with them. */
static enum status close_draft(struct plan_building *building)
{
    struct group_draft *draft = &building->draft;
    bool parts =
        draft_looks_back(draft) && !looking_back_pays(draft) && !building->settings.followers;
    if (draft->n_payoffs) return parts ? part_draft(building) : keep_draft(building);
    group_draft_free(draft);
    return STATUS_OK;
}

/* Adds what follows trade `index`; *fit: whether there was room for all. STATUS_NO_MEMORY. */
static enum status add_followers(struct plan_building *building, int index, bool *fit)
{
    const int *followers = building->settings.followers;
    *fit = true;
    for (int i = followers ? followers[index] : 0; followers && i < followers[index + 1]; i++) {
        bool fits = true;
        struct message why;
        if (building->settings.in && !building->settings.in[i]) continue;
        why.text[0] = '\0';
        free(building->refused[i]);
        building->refused[i] = NULL;
        enum status status =
            group_draft_add(&building->draft, &building->trades[i], i, &fits, &why);
        if (status == STATUS_NO_MEMORY) return status;
        if (!status && !fits)
            snprintf(why.text, sizeof why.text, "there is no room for it beside its trade");
        if (why.text[0]) MUST(note_refused(building, i, &why));
        if (!fits) *fit = false;
    }
    return STATUS_OK;
}

/* Adds a trade and what follows it to the draft, which is made a group first where that lacks room;
 * a trade that cannot be simulated is refused, and what follows it stays out. STATUS_NO_MEMORY. */
static enum status add_trade(struct plan_building *building, const struct trade_order *leader)
{
    struct group_draft *draft = &building->draft;
    int index = (int)(leader->trade - building->trades);
    bool shares_paths =
        draft->n_assets == leader->trade->n_assets &&
        !quanto_compare(&draft->quanto, &leader->trade->quanto) &&
        !memcmp(draft->assets, leader->assets, sizeof(int) * (size_t)draft->n_assets);
    if (!shares_paths) MUST(close_draft(building));
    for (;;) {
        const struct group_draft_size before = group_draft_size(draft);
        struct message why;
        bool fits = false;
        why.text[0] = '\0';
        draft->n_assets = leader->trade->n_assets;
        draft->quanto = leader->trade->quanto;
        memcpy(draft->assets, leader->assets, sizeof(int) * (size_t)draft->n_assets);
        enum status status = group_draft_add(draft, leader->trade, index, &fits, &why);
        if (status == STATUS_FAILED) return note_refused(building, index, &why);
        MUST(status);
        if (fits) MUST(add_followers(building, index, &fits));
        if (fits || !before.n_payoffs) return STATUS_OK;
        group_draft_cut(draft, before);
        MUST(close_draft(building));
    }
}

/* Whole chunks; of points, as many for each replicate, and a power of two. */
static uint64_t rounded_paths(const struct plan_settings *settings)
{
    uint64_t paths = CHUNK_PATHS * REPLICATES;
    if (!settings->points) return (settings->paths + CHUNK_PATHS - 1) / CHUNK_PATHS * CHUNK_PATHS;
    while (paths < settings->paths) paths *= 2;
    return paths;
}

/* The market of the assets of trades that are in the plan, or their quantos, as time passes. */
static enum status age_for_trades(const struct plan_building *building, const struct ageing *ageing,
                                  struct market *aged)
{
    const struct market *market = building->market;
    const bool *in = building->settings.in;
    bool *wanted = calloc((size_t)market->n_assets + 1, sizeof *wanted);
    if (!wanted) return STATUS_NO_MEMORY;
    for (int i = 0; i < building->n_trades; i++) {
        const struct trade *trade = &building->trades[i];
        if (in && !in[i]) continue;
        for (int a = 0; a < trade_n_involved(trade); a++) wanted[trade_involved(trade, a)] = true;
    }
    enum status status = age_market(ageing, market, wanted, aged);
    free(wanted);
    return status;
}

static enum status begin_building(struct plan_building *building)
{
    const struct market *market = building->market;
    const struct plan_settings *settings = &building->settings;
    const struct ageing ageing = ageing_anywhere(settings->time_passed);
    const struct ageing around = {.after = HUGE_VAL, .around = settings->time_around};
    struct group_draft *draft = &building->draft;
    struct plan *plan = building->plan;
    size_t n = (size_t)building->n_trades + 1;
    *draft = (struct group_draft){
        .settings = settings, .market = market, .stepped = market, .aged = market};
    *plan = (struct plan){.seed = settings->seed,
                          .paths = rounded_paths(settings),
                          .antithetic = settings->antithetic,
                          .replicates = settings->points ? REPLICATES : 0,
                          .n_trades = building->n_trades,
                          .n_scenarios = 1};
    building->refused = calloc(n, sizeof *building->refused);
    if (plan->replicates) plan->jumps = calloc(n, sizeof *plan->jumps); /* for their errors */
    if (!building->refused || (plan->replicates && !plan->jumps)) return STATUS_NO_MEMORY;
    for (int i = 0; plan->jumps && i < plan->n_trades; i++)
        plan->jumps[i] = payoff_jump(market, &building->trades[i]);
    if (settings->time_passed != 0.0) {
        MUST(age_for_trades(building, &ageing, &building->aged));
        draft->aged = &building->aged;
    }
    if (settings->time_around > 0.0) {
        MUST(age_for_trades(building, &around, &building->laid));
        draft->stepped = &building->laid;
    }
    return STATUS_OK;
}

static enum status fill_drafts(struct plan_building *building)
{
    enum status status = STATUS_OK;
    int n = 0;
    struct trade_order *order =
        sorted_trades(building->n_trades, building->trades, &building->settings, &n);
    if (!order) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        if (asked_to_stop(building->settings.stop)) TRY(STATUS_INTERRUPTED);
        TRY(add_trade(building, &order[i]));
    }
    TRY(close_draft(building));
done:
    free(order);
    return status;
}

/* Lays out a group, all but its tables. */
static void lay_out_group(void *context, int i)
{
    struct group_making *making = ((struct group_making **)context)[i];
    struct group_draft *draft = &making->draft;
    struct group *group = &making->group;
    struct tabled_group *made = &making->made;
    *made = (struct tabled_group){.market = draft->market, .group = group};
    made->status = group_draft_finish(draft, group, &made->why);
    if (!made->status && draft->settings->points)
        made->status = bridge_make(group->n_steps, group->times, &group->bridge);
    made->steps = draft->tabled;
    draft->tabled = (struct tabled_steps){0};
    if (made->status != STATUS_FAILED) group_draft_free(draft); /* else its trades are told */
}

/* Says why a trade is in no group, unless a plan before said so. */
static void refuse(const struct plan_building *building, int trade, const char *why)
{
    struct message *to = building->refusals ? &building->refusals[trade].why : NULL;
    if (to && !to->text[0]) snprintf(to->text, sizeof to->text, "%s", why);
}

/* Finds the last date that a trade looks at. STATUS_NO_MEMORY. */
static enum status find_last_look(const struct plan_building *building, int trade, double *last)
{
    struct group_draft draft = group_draft_like(&building->draft);
    const struct trade *looks = &building->trades[trade];
    struct message why;
    bool fits;
    draft.n_assets = looks->n_assets;
    draft.quanto = looks->quanto;
    memcpy(draft.assets, looks->assets, sizeof(int) * (size_t)looks->n_assets);
    enum status status = group_draft_add(&draft, looks, trade, &fits, &why);
    *last = draft.last;
    group_draft_free(&draft);
    return status;
}

/* Refuses the trades of a group whose assets cannot be simulated over its dates: those that look
 * where they cannot go. Takes them out of `in`; *again: there are others, to be planned anew. */
static enum status refuse_group(const struct plan_building *building,
                                const struct group_making *making, bool *in, bool *again)
{
    bool made = making->group.trades != NULL;
    int n = made ? making->group.n_payoffs : making->draft.n_payoffs;
    const int *trades = made ? making->group.trades : making->draft.trades;
    for (int i = 0; i < n; i++) {
        double last = making->made.fails;
        if (last > 0.0) MUST(find_last_look(building, trades[i], &last));
        in[trades[i]] = last < making->made.fails - SAME_DATE;
        *again |= in[trades[i]];
        if (!in[trades[i]]) refuse(building, trades[i], making->made.why.text);
    }
    return STATUS_OK;
}

/* Gives the plan its groups; of those that cannot be simulated trades are refused. */
static enum status take_groups(struct plan_building *building, bool *in, bool *again)
{
    struct plan *plan = building->plan;
    plan->groups = malloc(sizeof *plan->groups * ((size_t)building->n + 1));
    if (!plan->groups) return STATUS_NO_MEMORY;
    for (int i = 0; i < building->n_trades; i++)
        if (building->refused[i]) refuse(building, i, building->refused[i]);
    for (int g = 0; g < building->n; g++) {
        struct group_making *making = &building->groups[g];
        if (making->made.status == STATUS_FAILED) {
            MUST(refuse_group(building, making, in, again));
            continue;
        }
        MUST(making->made.status);
        plan->groups[plan->n_groups++] = making->group;
        making->group = (struct group){0};
    }
    return STATUS_OK;
}

static void end_building(struct plan_building *building)
{
    for (int g = 0; g < building->n; g++) {
        group_draft_free(&building->groups[g].draft);
        group_free(&building->groups[g].group);
        free(building->groups[g].made.steps.steps);
    }
    group_draft_free(&building->draft);
    free(building->groups);
    for (int i = 0; building->refused && i < building->n_trades; i++) free(building->refused[i]);
    free(building->refused);
    aged_market_free(&building->aged);
    aged_market_free(&building->laid);
}

static void draft_plan(void *context, int i)
{
    struct plan_building *building = (struct plan_building *)context + i;
    building->status = begin_building(building);
    if (!building->status) building->status = fill_drafts(building);
}

/* Lays out the groups of all plans and makes their tables. */
static enum status make_groups(int n, struct plan_building *buildings)
{
    enum status status = STATUS_OK;
    int room = 1, n_groups = 0;
    for (int i = 0; i < n; i++) room += buildings[i].n;
    struct group_making **all = malloc(sizeof *all * (size_t)room);
    struct tabled_group **tabled = malloc(sizeof *tabled * (size_t)room);
    int n_tabled = 0;
    if (!all || !tabled) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < n; i++)
        for (int g = 0; g < buildings[i].n; g++) all[n_groups++] = &buildings[i].groups[g];
    team_loop(buildings->settings.team, n_groups, lay_out_group, all);
    for (int i = 0; i < n_groups; i++)
        if (!all[i]->made.status && all[i]->made.steps.n) tabled[n_tabled++] = &all[i]->made;
    TRY(surface_tables_make(n_tabled, tabled, &buildings->settings));
done:
    free(all);
    free(tabled);
    return status;
}

/* Builds the plans of trades that are `in`. Takes those out that cannot be simulated; *again:
 * trades that could be are in no group. */
static enum status build_plans(int n, const struct scenario *scenarios, struct plan_building *whole,
                               struct plan *plans, bool *in, bool *again)
{
    enum status status = STATUS_OK;
    struct plan_building *buildings = calloc((size_t)n, sizeof *buildings);
    *again = false;
    if (!buildings) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        buildings[i] = *whole;
        buildings[i].market = scenarios[i].market;
        buildings[i].settings.time_passed = scenarios[i].time_passed;
        buildings[i].settings.in = in;
        buildings[i].plan = &plans[i];
    }
    team_loop(whole->settings.team, n, draft_plan, buildings);
    for (int i = 0; i < n; i++) TRY(buildings[i].status);
    TRY(make_groups(n, buildings));
    for (int i = 0; i < n; i++) TRY(take_groups(&buildings[i], in, again));
done:
    for (int i = 0; i < n; i++) end_building(&buildings[i]);
    for (int i = 0; i < n && (status || *again); i++) plan_free(&plans[i]);
    free(buildings);
    return status;
}

enum status plans_build(int n, const struct scenario *scenarios, int n_trades,
                        const struct trade *trades, const struct plan_settings *settings,
                        struct plan *plans, struct refusal *refusals)
{
    enum status status = STATUS_OK;
    struct plan_building whole = {
        .n_trades = n_trades, .trades = trades, .settings = *settings, .refusals = refusals};
    struct plan_settings *all = &whole.settings;
    bool *in = malloc((size_t)n_trades + 1), again = true;
    if (!all->n_scenarios) {
        all->scenarios = scenarios;
        all->n_scenarios = n;
    }
    for (int i = 0; i < n; i++) {
        plans[i] = (struct plan){0};
        all->time_ahead = fmax(all->time_ahead, -scenarios[i].time_passed);
        all->time_around = fmax(all->time_around, fabs(scenarios[i].time_passed));
    }
    if (!in) return STATUS_NO_MEMORY;
    for (int i = 0; i < n_trades; i++) in[i] = !settings->in || settings->in[i];
    while (again && !status) status = build_plans(n, scenarios, &whole, plans, in, &again);
    free(in);
    return status;
}

void forget_refusals(int n_trades, struct refusal *refusals)
{
    for (int i = 0; i < n_trades; i++)
        if (refusals[i].why.text[0]) refusals[i].why.text[0] = '\0';
}

enum status plan_build(const struct market *market, int n_trades, const struct trade *trades,
                       const struct plan_settings *settings, struct plan *plan,
                       struct refusal *refusals)
{
    const struct scenario one = {.market = market, .time_passed = settings->time_passed};
    forget_refusals(n_trades, refusals);
    return plans_build(1, &one, n_trades, trades, settings, plan, refusals);
}

void plan_free(struct plan *plan)
{
    for (int g = 0; g < plan->n_groups; g++) group_free(&plan->groups[g]);
    free(plan->groups);
    free(plan->jumps);
    free(plan->contrasts);
    free(plan->totals);
    free(plan->quantities);
    *plan = (struct plan){0};
}

uint64_t plan_path_steps(const struct plan *plan)
{
    uint64_t steps = 0, most = PATH_STEPS_MOST;
    for (int g = 0; g < plan->n_groups; g++) {
        uint64_t path_steps = group_asset_steps(&plan->groups[g]);
        steps += path_steps && plan->paths > most / path_steps ? most : plan->paths * path_steps;
        if (steps > most) return most;
    }
    return steps;
}

/* ---- for a person ---------------------------------------------------------------------------- */

static const char *const touch_names[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, uses) [OBSERVATION_##NAME] = #name,
#include "models/observables/observables.def"
#undef OBSERVABLE
};

void plan_print_group(FILE *out, const struct plan *plan, int g, const struct market *market,
                      const struct trade *trades, const struct route *route)
{
    const struct group *group = &plan->groups[g];
    int count[N_OBSERVATION_KINDS] = {0};
    for (int i = 0; i < group->n_observations; i++) count[group->observations[i].kind]++;
    for (int i = 0; i < group->n_looks; i++) count[group->looks[i].seen.kind]++;
    fprintf(out, "group %d: ", g + 1);
    for (int u = 0; u < group->n_underlyings; u++)
        fprintf(out, "%s%s, %s", u ? "; " : "", market->assets[group->underlyings[u].asset].name,
                model_name(group->underlyings[u].model));
    for (int i = 0; i < group->quanto.n; i++)
        fprintf(out, "%s%s", i ? ", " : "; quanto ", market->assets[group->quanto.fx[i]].name);
    fprintf(out,
            ": %d trades, %d dates to %.6g years, %d observables in %d slots, %d normals a "
            "path\n",
            group->n_payoffs, group->n_steps,
            group->n_steps ? group->times[group->n_steps - 1] : 0.0, group->n_rows, group->n_slots,
            group_normals(group));
    if (group->n_chains)
        fprintf(out, "  looks come when a path has ended: more than %d slots would be needed\n",
                GROUP_SLOTS);
    fprintf(out, "  touches a path:");
    for (int k = 0; k < N_OBSERVATION_KINDS; k++)
        if (count[k]) fprintf(out, " %s %d", touch_names[k], count[k]);
    if (group->n_gates) fprintf(out, "; gates %d", group->n_gates);
    for (int l = 0; l < group->n_strips; l++)
        fprintf(out, "; ladder of %d payoffs on %d strikes", group->strips[l].n_payoffs,
                group->strips[l].n_strikes);
    fprintf(out, "\n  kernel: %s (%s)", route->kernel, route->why);
    fprintf(out, "\n  trades:");
    for (int i = 0; i < group->n_payoffs && i < 12; i++)
        fprintf(out, " %s", trades[group->trades[i]].id);
    if (group->n_payoffs > 12) fprintf(out, " and %d more", group->n_payoffs - 12);
    fprintf(out, "\n");
}

void plan_print(FILE *out, const struct plan *plan)
{
    fprintf(out,
            "%d trades in %d groups; %llu paths in %llu chunks of %d; seed %llu; %.3g path-steps\n",
            plan->n_trades, plan->n_groups, (unsigned long long)plan->paths,
            (unsigned long long)(plan->paths / CHUNK_PATHS), CHUNK_PATHS,
            (unsigned long long)plan->seed, (double)plan_path_steps(plan));
    if (plan->replicates)
        fprintf(out, "Sobol points in %d replicates; Philox beyond %d normals a path\n",
                plan->replicates, SOBOL_DIMENSIONS);
    if (plan->antithetic) fprintf(out, "antithetic paths in pairs\n");
}
