#include "app/pricing/value/controls/controls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/controls/control_kinds.h"
#include "app/pricing/base/market_shock.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "app/pricing/value/stored_price.h"
#include "models/math/constants.h"
#include "models/math/exact.h"

/* Returns about the most that a path brings of one unit: what the trade turns on (trade_stake()),
 * each spot five deviations up, where one path of three million comes. In float, that the last bit
 * of a library's function decides no error. */
static double most_of_path(const struct market *market, const struct trade *trade)
{
    double most = trade->strike;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        double up = 5.0 * asset_volatility(asset, trade->expiry) * sqrt(trade->expiry);
        most += fabs(trade_weight(trade, i)) * asset->spot * (float)exact_exp2(up / LN2);
    }
    return most;
}

static enum status make_room(struct controls *controls, int n)
{
    size_t room = (size_t)n * (1 + CONTROLS_MAX) + 1;
    *controls = (struct controls){.n_trades = n};
    controls->trades = malloc(room * sizeof *controls->trades);
    controls->control = malloc(room * sizeof *controls->control);
    controls->uncontrolled = calloc((size_t)n + 1, sizeof *controls->uncontrolled);
    controls->first = malloc((room + 1) * sizeof *controls->first);
    bool there = controls->trades && controls->control && controls->uncontrolled && controls->first;
    return there ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Adds the control that has been made of a kind, unless its value is not known. */
static enum status add_control(struct controls *controls, const struct control_making *making,
                               const char *kind)
{
    const struct trade *made = &making->trade;
    struct trade *trade = &controls->trades[controls->n_trades + controls->n];
    double value = making->value, stake = trade_stake(making->market, made), *weights = NULL;
    if (isnan(value) && !control_closed_form(making->market, made, &value)) return STATUS_OK;
    *trade = *made;
    if (made->weights == making->weights) {
        size_t size = sizeof *weights * (size_t)trade_n_assets(made);
        if (!(weights = malloc(size))) return STATUS_NO_MEMORY;
        trade->weights = memcpy(weights, making->weights, size);
    }
    controls->control[controls->n++] =
        (struct control){.kind = kind,
                         .known = {value, 1e-12 * (fabs(value) + stake)},
                         .most = most_of_path(making->market, made),
                         .weights = weights};
    return STATUS_OK;
}

enum status controls_find(const struct market *market, int n_trades, const struct trade *trades,
                          struct controls *controls)
{
    MUST(make_room(controls, n_trades));
    memcpy(controls->trades, trades, sizeof *trades * (size_t)n_trades);
    for (int i = 0; i < n_trades; i++) {
        int end = trade_has_paths(&trades[i]) ? controls->n + CONTROLS_MAX : 0;
        struct control_making making = {.market = market, .target = &controls->trades[i]};
        controls->first[i] = n_trades + controls->n;
        for (const struct control_kind *kind = control_kinds; kind->name && controls->n < end;
             kind++)
            if (control_make(kind, &making)) MUST(add_control(controls, &making, kind->name));
        controls->uncontrolled[i] = controls->first[i] == n_trades + controls->n;
    }
    for (int i = n_trades; i <= n_trades + controls->n; i++)
        controls->first[i] = n_trades + controls->n;
    return STATUS_OK;
}

void controls_free(struct controls *controls)
{
    for (int i = 0; i < controls->n; i++) free(controls->control[i].weights);
    free(controls->trades);
    free(controls->control);
    free(controls->uncontrolled);
    free(controls->first);
    *controls = (struct controls){0};
}

/* ---- the plan -------------------------------------------------------------------------------- */

enum status controls_plan(const struct controls *controls, const struct market *market,
                          const struct plan_settings *settings, struct plan *plan,
                          struct refusal *refusals)
{
    enum status status = STATUS_OK;
    const struct contrast value = {1, {{0, 1.0}}};
    const struct scenario today = {.market = market};
    const struct contrast_list contrast_list = {
        .n_contrasts = 1, .contrasts = &value, .scenarios = {1, &today}};
    size_t n = (size_t)controls->n_trades + (size_t)controls->n;
    struct refusal *all = calloc(n + 1, sizeof *all);
    bool *in = calloc(n + 1, sizeof *in);
    struct plan_settings with_controls = *settings;
    *plan = (struct plan){0};
    with_controls.in = in;
    with_controls.followers = controls->first;
    if (!all || !in) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < n; i++)
        in[i] = i >= (size_t)controls->n_trades || !controls->uncontrolled[i];
    TRY(plan_contrasts(&contrast_list, (int)n, controls->trades, &with_controls, plan, all));
    for (int i = 0; i < controls->n_trades; i++)
        if (in[i]) refusals[i] = all[i];
done:
    free(all);
    free(in);
    return status;
}

/* ---- one round ------------------------------------------------------------------------------- */

struct controls_pricing {
    const struct controls_job *job;
    struct controlled_price *prices;
    struct plan part;               /* the groups of a round; each of their payoffs is a total */
    int *totals;                    /* [trade] its total; -1: it is not in the round */
    double *quantities;             /* [trade] of which one unit is priced */
    double *means;                  /* [chunk][total] */
    struct control_sample *samples; /* [n_trades] */
    uint64_t path_steps;            /* that are done */
};

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    const struct controls_pricing *pricing = context;
    const struct engine_options *options = pricing->job->options;
    uint64_t all = plan_path_steps(pricing->job->plan), steps = pricing->path_steps + done;
    (void)total;
    options->progress(options->progress_context, steps, steps < all ? all : steps);
}

/* Prices the groups of a round, each of whose payoffs is a total. */
static enum status price_round(void *context, const struct plan *plan,
                               const struct engine_options *options, struct tally *tallies,
                               struct engine_report *report, struct message *why)
{
    struct controls_pricing *pricing = context;
    struct plan *part = &pricing->part;
    *part = *plan;
    part->totals = pricing->totals, part->quantities = pricing->quantities;
    for (int i = 0; i < plan->n_trades; i++) pricing->totals[i] = -1;
    for (int g = 0; g < plan->n_groups; g++)
        for (int p = 0; p < plan->groups[g].n_payoffs; p++)
            pricing->totals[plan->groups[g].trades[p]] = part->n_totals++;
    free(pricing->means);
    pricing->means =
        calloc((size_t)(part->paths / CHUNK_PATHS) * chunk_totals(part) + 1, sizeof(double));
    if (!pricing->means) return STATUS_NO_MEMORY;
    const struct plan_pricing round = {
        pricing->job->store, pricing->job->engine, part, options, tallies, pricing->means};
    MUST(stored_price(&round, report, why));
    pricing->path_steps += plan_path_steps(part);
    return STATUS_OK;
}

/* The controls of a trade that are in the plan. */
struct present {
    int n;
    const struct control *control[CONTROLS_MAX];
    struct known_mean known[CONTROLS_MAX];
    int total[CONTROLS_MAX];
};

static struct present find_present(const struct controls_pricing *pricing, int trade)
{
    const struct controls *controls = pricing->job->controls;
    struct present present = {.n = 0};
    for (int i = controls->first[trade]; i < controls->first[trade + 1]; i++) {
        if (pricing->totals[i] < 0) continue;
        present.control[present.n] = &controls->control[i - controls->n_trades];
        present.known[present.n] = present.control[present.n]->known;
        present.total[present.n++] = pricing->totals[i];
    }
    return present;
}

/* ---- what no path has shown ------------------------------------------------------------------ */

/* A sample cannot show what none of its paths does: a call and its European that differ on one path
 * of 30,000 leave next to nothing on most samples, and so is the error. About the most that one
 * path brings, over the paths, is therefore added to the squared error, unless MANY_DECIDE paths or
 * more decide what the first few of the controls leave of the trade. A trade that is itself decided
 * by fewer than FEW_DECIDE has no controls. A script may differ from its controls anywhere: its
 * error is never below three times ten deviations of a path over n. (docs/method.md, 7.2, has why,
 * and what was measured. A. Agresti and B. A. Coull, The American Statistician 52 (1998) 119-126,
 * add what was not seen.) */
#define FEW_DECIDE 16.0
#define MANY_DECIDE 64.0
#define SCRIPT_DEVIATIONS 30.0

/* Tells whether many paths decide what is left of the trade, whichever of the controls are used. */
static bool many_decide(const struct control_sample *sample, const struct controlled *controlled)
{
    for (int n = 0; n <= controlled->n; n++)
        if (!(control_sample_deciding(sample, controlled, n) >= MANY_DECIDE)) return false;
    return true;
}

/* Adds to the error of a price what no path has shown. */
static void add_unseen(const struct trade *trade, const struct present *present,
                       const struct control_sample *sample, struct tally paths,
                       struct controlled *controlled)
{
    double values = controlled->price.n, scale = values * (values - 1.0);
    double most = fabs(trade->rebate); /* that one path brings of what the controls leave */
    for (int u = 0; u < controlled->n; u++)
        most += fabs(controlled->beta[u]) * present->control[controlled->used[u] - 1]->most;
    double unseen = most / paths.n;
    double least = SCRIPT_DEVIATIONS * tally_standard_error(paths) / sqrt(paths.n);
    if (!many_decide(sample, controlled)) controlled->price.m2 += unseen * unseen * scale;
    if (trade->scripted) controlled->price.m2 = fmax(controlled->price.m2, least * least * scale);
}

/* Adds the round's chunks to the sample of a trade of the book, and prices it by all so far. */
static struct tally take_round(void *context, int trade, struct tally paths)
{
    struct controls_pricing *pricing = context;
    const struct plan *part = &pricing->part;
    const struct controls *controls = pricing->job->controls;
    struct controlled_price *price = &pricing->prices[trade];
    struct control_sample *sample = &pricing->samples[trade];
    double values[1 + CONTROLS_MAX];
    if (trade >= controls->n_trades) return (struct tally){0};
    const struct present present = find_present(pricing, trade);
    for (uint64_t c = 0; c < part->paths / CHUNK_PATHS; c++) {
        const double *means = pricing->means + c * chunk_totals(part);
        values[0] = means[pricing->totals[trade]];
        for (int i = 0; i < present.n; i++) values[1 + i] = means[present.total[i]];
        control_sample_add(sample, present.n, values);
    }
    *price = (struct controlled_price){.unit = paths,
                                       .plain = paths,
                                       .paths = (double)(part->first_path + part->paths),
                                       .variance_ratio = NAN};
    struct controlled controlled = control_sample_price(sample, present.n, present.known);
    if (!controlled.n || !(control_sample_deciding(sample, &controlled, 0) >= FEW_DECIDE))
        return paths;
    add_unseen(&controls->trades[trade], &present, sample, paths, &controlled);
    double plain = tally_standard_error(paths), left = tally_standard_error(controlled.price);
    /* Of paths: better known than what chunks say */
    if (!(left < plain)) return paths;
    price->unit = controlled.price;
    price->variance_ratio = plain * plain / (left * left);
    for (int u = 0, at = 0; u < controlled.n && at < CONTROL_NAMES; u++)
        at += snprintf(price->control + at, (size_t)(CONTROL_NAMES - at), "%s%s", u ? "+" : "",
                       present.control[controlled.used[u] - 1]->kind);
    return price->unit;
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* Returns the group after the last of the slice that begins with group `first`. */
static int slice_end(const struct plan *plan, int first)
{
    uint64_t payoffs = 0, limit = SLICE_BYTES / sizeof(double) / (plan->paths / CHUNK_PATHS);
    int past = first;
    do payoffs += (uint64_t)plan->groups[past++].n_payoffs;
    while (past < plan->n_groups && payoffs + (uint64_t)plan->groups[past].n_payoffs <= limit);
    return past;
}

enum status controls_price(const struct controls_job *job, struct controlled_price *prices,
                           struct engine_report *report, struct message *why)
{
    enum status status = STATUS_OK;
    struct controls_pricing pricing = {.job = job, .prices = prices};
    struct engine_options options = *job->options;
    const struct plan_pricer pricer = {price_round, &pricing, &options, report};
    struct accuracy accuracy = job->accuracy;
    size_t n = (size_t)job->plan->n_trades + 1;
    struct tally *tallies = calloc(n, sizeof *tallies);
    double *paths = calloc(n, sizeof *paths);
    accuracy.sample = take_round, accuracy.context = &pricing;
    if (options.progress) options.progress = show_progress, options.progress_context = &pricing;
    pricing.totals = malloc(n * sizeof *pricing.totals);
    pricing.quantities = malloc(n * sizeof *pricing.quantities);
    pricing.samples = calloc((size_t)job->controls->n_trades + 1, sizeof *pricing.samples);
    if (!tallies || !paths || !pricing.totals || !pricing.quantities || !pricing.samples)
        TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < job->plan->n_trades; i++) pricing.quantities[i] = 1.0;
    struct plan slice = *job->plan;
    for (int first = 0, past; first < job->plan->n_groups; first = past) {
        past = slice_end(job->plan, first);
        slice.groups = job->plan->groups + first, slice.n_groups = past - first;
        TRY(rounds_price(&pricer, &slice, &accuracy, tallies, paths, why));
    }
done:
    free(tallies);
    free(paths);
    free(pricing.totals);
    free(pricing.quantities);
    free(pricing.means);
    free(pricing.samples);
    return status;
}
