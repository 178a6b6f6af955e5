#include "validation/tests/scripts/direct_walk.h"

#include <math.h>
#include <stdlib.h>

#include "models/programs/policy.h"
#include "validation/reference/script_walk.h"
#include "validation/tests/script_paths.h"

enum { DECISIONS_MOST = 256, PARAMETERS_MOST = 64 };

/* Years by which all dates lie later for the reference, so that its paths begin before them. */
static const double later = 4.0;

/* What is counted of the payments: those before today, as they are; those from today on, by their
 * value. All of a trade that is over is before today. */
enum counted { PAID, VALUED };

/* A walk and how its decisions are taken: by what the program has put out, or as the time before.
 */
struct walked {
    struct direct *direct;
    struct script_walk walk;
    bool over, again;
    bool decided[DECISIONS_MOST];
};

static double now(const struct walked *walked)
{
    return walked->walk.dates[walked->walk.date].years - later;
}

static const struct script_statement *statement_at(const struct script *script,
                                                   struct script_place place)
{
    const struct script_statement *s = script->statements;
    while (s->kind != STATEMENT_EXERCISE || s->place.line != place.line ||
           s->place.column != place.column)
        s++;
    return s;
}

/* Finds the program's decision of one that the walk has come to; NULL: it has none. */
static const struct program_decision *decision_of(const struct walked *walked,
                                                  const struct script_decision *decision)
{
    const struct program *program = walked->direct->program;
    const struct script *script = walked->walk.script;
    for (int i = 0; i < program->n_decisions; i++) {
        const struct program_decision *d = &program->decisions[i];
        long statement = statement_at(script, d->place) - script->statements;
        if (fabs(d->years - now(walked)) < 1e-9 && d->issuer == decision->issuer &&
            walked->walk.event->first_decision + walked->walk.ordinal[statement] - 1 ==
                decision->number)
            return d;
    }
    return NULL;
}

static void note(struct direct *direct, double put_out, double here)
{
    direct->wrong = fmax(direct->wrong, fabs(put_out - here));
}

/* Decides as the program's policy does, by the features that it has put out. */
static bool by_policy(struct walked *walked, const struct script_decision *decision)
{
    struct direct *direct = walked->direct;
    const struct script *script = walked->walk.script;
    const struct program_decision *d = decision_of(walked, decision);
    if (!d) direct->wrong = HUGE_VAL;
    if (!d) return false;
    const struct program_coefficient *numbers =
        &direct->program->coefficients[d->first_coefficient];
    const double *outputs = &direct->outputs[d->first_output];
    double z[POLICY_FEATURES_MOST], terms[POLICY_TERMS_MOST], going_on = 0.0;
    int n = d->n_features;
    for (int i = 0; i < n; i++)
        z[i] = (outputs[3 + i] - script_coefficient(direct->seed, &numbers[2 * i])) *
               script_coefficient(direct->seed, &numbers[2 * i + 1]);
    policy_fill_terms(n, z, terms);
    for (int i = 0; i < d->n_terms; i++)
        going_on += terms[i] * script_coefficient(direct->seed, &numbers[2 * n + i]);
    note(direct, outputs[0], 1.0);
    note(direct, outputs[1], decision->known[0]);
    note(direct, outputs[2], decision->paid);
    if (fabs(decision->known[0] - going_on) < 1e-9 * (1.0 + fabs(going_on))) direct->close = true;
    /* where it pays nothing it is not exercised, unless it never pays anything else: that is told
     * by compile_test.c */
    const struct script_expression *gain =
        &script->expressions[statement_at(script, d->place)->value];
    if (decision->known[0] == 0.0 && gain->kind != EXPRESSION_NUMBER) direct->close = true;
    return (d->issuer ? -1.0 : 1.0) * (decision->known[0] - going_on) > 0.0;
}

/* Before today nothing was exercised, or it would be no trade; one that is over was in its end. */
static bool decide(void *context, const struct script_decision *decision)
{
    struct walked *walked = context;
    const struct script_walk *walk = &walked->walk;
    const struct binding *binding = walked->direct->binding;
    if (decision->number >= DECISIONS_MOST) abort();
    bool *decided = &walked->decided[decision->number];
    if (walked->again) return *decided;
    if (walked->over)
        *decided = now(walked) + 1e-9 > binding->bound[walk->script->expiry].values[0] &&
                   (decision->issuer ? -1.0 : 1.0) * decision->known[0] > 0.0;
    else *decided = now(walked) >= -1e-9 && by_policy(walked, decision);
    return *decided;
}

/* Fills in what a path shows on each date, each spot up or down by such a part. */
static void show(const struct walked *walked, double part, double *spots, double *watched)
{
    const struct script_walk *walk = &walked->walk;
    const struct direct *direct = walked->direct;
    int n = walk->n_assets;
    for (int i = 0; i < walk->n_dates; i++) {
        const struct script_date *date = &walk->dates[i];
        const double *closes = direct->binding->bound[date->parameter].closes;
        double years = direct->binding->bound[date->parameter].values[date->member];
        for (int a = 0; a < n; a++) {
            double spot = closes ? closes[date->member * n + a] : NAN;
            if (years > 0.0)
                spot = exp2(script_input(direct->path,
                                         &(struct program_input){INPUT_SPOT, a, .date = years}));
            if (isnan(spot)) spot = SCRIPT_TODAY;
            bool up = script_chance((uint64_t)a, part > 0.0 ? 77 : 78, years) < 0.5;
            if (years > 0.0) spot *= up ? 1.0 + part : 1.0 - part;
            spots[date->column * n + a] = spot;
        }
        for (int w = 0; w < walk->n_watches; w++) {
            const struct watch *watch = &walk->watches[w];
            bool survives = watch->kind == WATCH_SURVIVES;
            struct program_input input = {.kind = survives                       ? INPUT_SURVIVAL
                                                  : watch->kind == WATCH_HIGHEST ? INPUT_HIGHEST
                                                                                 : INPUT_LOWEST,
                                          .asset = watch->asset,
                                          .date = years,
                                          .from = watch->begin,
                                          .lower = exp(watch->low),
                                          .upper = exp(watch->high)};
            double x = script_input(direct->path, &input);
            watched[w * walk->n_columns + date->column] = survives ? x : exp2(x);
        }
    }
}

/* Runs the walk, and returns what it counts. */
static double run(struct walked *walked, enum counted counted, bool again, double part)
{
    struct script_walk *walk = &walked->walk;
    double value, *spots = calloc((size_t)(walk->n_columns * walk->n_assets), sizeof *spots),
                  *watched = calloc((size_t)(walk->n_columns * walk->n_watches + 1), sizeof value);
    if (!spots || !watched) abort();
    walked->again = again;
    for (int i = 0; i < walk->n_dates; i++) {
        double years = walk->dates[i].years - later;
        bool before = walked->over || years < -1e-9;
        walk->dates[i].discount = before != (counted == PAID) ? 0.0
                                  : before                    ? 1.0
                                                              : script_discount(years);
    }
    show(walked, part, spots, watched);
    walk->decide = decide;
    walk->decider = walked;
    if (script_walk_run(walk, spots, watched, &value)) value = NAN;
    free(spots);
    free(watched);
    return value;
}

void direct_walk(struct direct *direct)
{
    const struct script *script = direct->binding->script;
    struct bound bound[PARAMETERS_MOST];
    struct binding binding = *direct->binding;
    struct effort effort = {.work = INFINITY, .memory = INFINITY};
    struct term_structure rate = {0};
    struct multi_asset assets = {.rate = &rate, .n = binding.n_assets, .effort = &effort};
    struct walked walked = {.direct = direct};
    double today[TRADE_ASSETS_MAX];
    if (script->n_parameters > PARAMETERS_MOST) abort();
    binding.bound = bound;
    binding.day -= lround(365.0 * later);
    for (int p = 0; p < script->n_parameters; p++) {
        bound[p] = direct->binding->bound[p];
        if (script->symbols[p].kind != SYMBOL_DATE && script->symbols[p].kind != SYMBOL_DATES)
            continue;
        double *dates = NULL;
        if (effort_array(&effort, bound[p].n, &dates)) abort();
        for (int i = 0; i < bound[p].n; i++) dates[i] = bound[p].values[i] + later;
        bound[p].values = dates;
    }
    for (int a = 0; a < binding.n_assets; a++) today[a] = SCRIPT_TODAY;
    if (script_walk_make(&assets, &binding, today, 0.0, &walked.walk)) abort();
    walked.over = direct->binding->bound[script->expiry].values[0] <= 0.0;
    enum counted first = walked.over ? PAID : VALUED;
    const double part = 1e-9, up = run(&walked, first, false, part),
                 down = run(&walked, first, false, -part);
    direct->wrong = 0.0;
    direct->close = false;
    double counted = run(&walked, first, false, 0.0);
    double other = run(&walked, first == PAID ? VALUED : PAID, true, 0.0);
    double moved = fmax(fabs(up - counted), fabs(down - counted));
    direct->value = walked.over ? other : counted;
    direct->paid = walked.over ? counted : other;
    direct->most = fmax(SCRIPT_TODAY, fmax(fabs(counted), fabs(other)));
    direct->close |= moved > 1e-6 * direct->most;
    direct->most = fmax(direct->most, moved / part);
    direct->wrong /= direct->most;
    effort_end(&effort);
}
