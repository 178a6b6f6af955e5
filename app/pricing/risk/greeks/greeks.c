#include "app/pricing/risk/greeks/greeks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/risk/greeks/bumps.h"
#include "app/pricing/risk/greeks/greek_trades.h"
#include "app/pricing/risk/greeks/greek_errors.h"
#include "app/pricing/risk/greeks/sensitivities.h"
#include "models/base/text.h"

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Trades whose Greeks come from the same bump sets: those of a pool, or copies of some. */
struct bumped_trades {
    const struct greek_pool *pool;
    const char *method; /* of copies; NULL: they are the pool's own trades */
    struct greek_trades trades;
    struct bump_sets sets; /* owned */
};

/* One bump set of some of them. Where a curve turns those that have dates there are valued by
 * themselves under time that passes: they would widen the errors of the others, whose volatility
 * would turn as well. */
struct greek_job {
    const struct bumped_trades *bumped;
    const struct bump_set *set;
    bool at_pillars, elsewhere; /* takes those that have such dates, and those that have none */
};

struct greek_jobs {
    struct valuer valuer; /* of the book */
    struct risk *risk;
    char **refused; /* [n_trades] why some bumps of each cannot be valued; NULL: all can; owned */
    struct greek_pools pools;
    int n_bumped;
    struct bumped_trades *bumped; /* [n_bumped] owned */
    int n;
    struct greek_job *jobs;                 /* [n] owned */
    struct revaluation calls[JOBS_AT_ONCE]; /* of jobs that are under way */
};

/* ---- a job: what is asked -------------------------------------------------------------------- */

/* Chooses the trades of a job that does not take all. */
static enum status choose_trades(const struct greek_job *job, bool **in)
{
    const struct greek_trades *trades = &job->bumped->trades;
    if (job->at_pillars && job->elsewhere) return STATUS_OK;
    *in = malloc(((size_t)trades->n + 1) * sizeof **in);
    if (!*in) return STATUS_NO_MEMORY;
    for (int t = 0; t < trades->n; t++)
        (*in)[t] = steps_at_pillars_of(&trades->trades[t]) ? job->at_pillars : job->elsewhere;
    return STATUS_OK;
}

static enum status prepare_job(void *context, int i, struct message *why)
{
    struct greek_jobs *jobs = context;
    const struct greek_job *job = &jobs->jobs[i];
    const struct bump_set *set = job->set;
    struct revaluation *call = &jobs->calls[i % JOBS_AT_ONCE];
    *call = (struct revaluation){
        .valuer = jobs->valuer,
        .contrasts = {.n_contrasts = set->n_contrasts, .contrasts = set->contrasts}};
    /* Its trades alone, so that it is no larger than its pool */
    call->valuer.n_trades = job->bumped->trades.n;
    call->valuer.trades = job->bumped->trades.trades;
    MUST(choose_trades(job, &call->in));
    for (int v = 0; v < set->n_scenarios; v++) {
        const struct bump_scenario *bump = &set->scenarios[v];
        enum status status = revaluation_add(call, bump->n_shocks, bump->shocks, bump->scenario);
        if (status == STATUS_NO_MEMORY) return status;
    }
    return revaluation_prepare(call, why);
}

static enum status run_job(void *context, int i, struct message *why)
{
    return revaluation_run(&((struct greek_jobs *)context)->calls[i % JOBS_AT_ONCE], why);
}

/* ---- a job: what was found ------------------------------------------------------------------- */

/* Returns the column that a contrast of trade i is for; -1: there is none. */
static int column_of(const struct risk *risk, const struct greek_job *job, int contrast, int i)
{
    const struct greek_trades *trades = &job->bumped->trades;
    const struct trade *trade = &trades->trades[i];
    if (trades->places[i].column >= 0) return trades->places[i].column;
    if (!trade->slope_of) return job->set->sensitivity[contrast];
    return slope_column(risk, trade_asset(trade, trade->slope_of - 1),
                        slope_moved(job->set, contrast));
}

/* Takes a slope at exercise, found with the spot of `moved` bumped. A cross gamma is the mean of
 * two slopes, weighted by the relative moves of the spots: their variances are inversely
 * proportional to these. The weighted mean of their errors bounds its error. Under a best policy
 * both slopes have the same mean, so the error is at least half of their difference. */
static void take_slope(const struct market *market, const struct sensitivity *s, int moved,
                       const struct greek_value *found, struct greek_value *greek)
{
    const struct greek_value before = *greek;
    *greek = *found;
    if (isnan(before.value)) return;
    int other = moved == s->asset ? s->other : s->asset;
    double move = found->bump / market->assets[moved].spot,
           other_move = before.bump / market->assets[other].spot,
           share = other_move / (move + other_move);
    greek->value += share * (before.value - found->value);
    greek->std_error += share * (before.std_error - found->std_error);
    greek->std_error = fmax(greek->std_error, 0.5 * fabs(before.value - found->value));
    if (moved != s->asset) greek->bump = before.bump;
}

/* The share of a slope that its curvature may be: of one that grows as the root of a bump shrinks
 * it is 0.23, whatever the bump. */
#define MOST_CURVATURE 0.15

/* Puts the curvature that a contrast has behind it into the error of its slope; false where that
 * has no limit. */
static bool take_curvature(const struct revaluation *revaluation, const struct bump_set *set,
                           int contrast, int i, struct greek_value *found)
{
    double value, error;
    if (contrast + 1 == set->n_contrasts || set->sensitivity[contrast + 1] >= 0) return true;
    if (!revaluation_value(revaluation, contrast + 1, i, 0.0, &value, &error)) return true;
    found->std_error = hypot(found->std_error, value);
    return fabs(value) - 4.0 * error <= MOST_CURVATURE * fabs(found->value);
}

/* Tells whether a Greek is a gamma or a cross gamma. */
static bool is_second_of_spots(const struct greek_row *row)
{
    return row->first == SLOPE_SPOT &&
           (row->second == SLOPE_SPOT || row->second == SLOPE_OTHER_SPOT);
}

/* Takes a contrast of trade i as its Greek of a column. */
static void take_contrast(const struct revaluation *revaluation, const struct greek_job *job,
                          int contrast, int i, struct sensitivity *s, struct greek_value *greek)
{
    const struct market *market = revaluation->valuer.market;
    const struct greek_pool *pool = job->bumped->pool;
    const struct trade *trade = &job->bumped->trades.trades[i];
    const struct contrast *difference = &job->set->contrasts[contrast];
    double bump = job->set->bump[contrast], crossing = 0.0, rough = 0.0;
    struct greek_value found = {NAN, NAN, NAN, NAN, NAN, bump, job->bumped->method};
    if (!found.method) {
        if (trade_is_before(market, pool, trade, s)) return;
        crossing = greek_crossing(market, trade, s, difference, bump, pool->first_date);
        found.method = trade->pivot > 0.0 ? "conditional expectation" : "central difference";
    } else
        crossing = trade->slope_of
                       ? slope_crossing(difference, trade)
                       : score_crossing(market, trade, revaluation->valuer.settings.paths);
    if (!revaluation_value(revaluation, contrast, i, crossing, &found.value, &found.std_error))
        return;
    if (!trade->slope_of && !take_curvature(revaluation, job->set, contrast, i, &found)) {
        snprintf(s->left_out.text, sizeof s->left_out.text,
                 "trade '%.48s': its slope at a correlation of 1 or -1 has no limit", trade->id);
        return;
    }
    if (is_second_of_spots(&greek_rows[s->greek]) &&
        (leads_with_another(market, trade, s->asset, s->other) ||
         (pool->turns.leads && moves_with_another(market, trade, s->asset, s->other)))) {
        snprintf(s->left_out.text, sizeof s->left_out.text,
                 "trade '%.48s': of assets that are one it has no limit", trade->id);
        return;
    }
    if (trade_has_paths(trade))
        rough = fabs(trade->quantity) * contrast_roughness(market, trade, pool->roughness,
                                                           revaluation->valuer.settings.max_step, s,
                                                           difference);
    found.std_error = hypot(found.std_error, rough);
    add_policy_error(market, revaluation->valuer.settings.paths, trade, s, &found);
    if (trade->slope_of) take_slope(market, s, slope_moved(job->set, contrast), &found, greek);
    else *greek = found;
}

static void take_contrasts(const struct greek_job *job, const struct revaluation *call,
                           struct risk *risk)
{
    const struct greek_trades *trades = &job->bumped->trades;
    for (int m = 0; m < job->set->n_contrasts; m++) {
        const struct contrast *contrast = &job->set->contrasts[m];
        bool lost = false;
        for (int i = 0; i < contrast->n_terms; i++) lost |= call->lost[contrast->terms[i].scenario];
        for (int i = 0; i < trades->n; i++) {
            int column = column_of(risk, job, m, i);
            if (column < 0) continue;
            struct sensitivity *s = &risk->sensitivities[column];
            struct greek_value *greek = risk_own_greek(risk, column, trades->places[i].row);
            if (lost) s->left_out = call->why_lost;
            else if (greek) take_contrast(call, job, m, i, s, greek);
        }
    }
}

/* Keeps why bumps of a trade were refused, of its first bump set. */
static enum status take_refusals(struct greek_jobs *jobs, const struct greek_job *job,
                                 const struct refusal *refusals)
{
    const struct greek_trades *trades = &job->bumped->trades;
    for (int i = 0; i < trades->n && trades->places[i].column < 0; i++) {
        char **refused = &jobs->refused[trades->places[i].row];
        const char *why = refusals[i].why.text;
        if (why[0] && !*refused && !(*refused = strdup(why))) return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

static enum status finish_job(void *context, int i, struct message *why)
{
    enum status status = STATUS_OK;
    struct greek_jobs *jobs = context;
    struct revaluation *call = &jobs->calls[i % JOBS_AT_ONCE];
    (void)why;
    if (!ranks_follow(jobs->valuer.options->ranks)) {
        status = take_refusals(jobs, &jobs->jobs[i], call->refusals);
        take_contrasts(&jobs->jobs[i], call, jobs->risk);
    }
    revaluation_free(call);
    return status;
}

/* ---- the book -------------------------------------------------------------------------------- */

/* What comes after the last date of a trade needs no paths. */
static void take_late_dates(const struct valuer *valuer, const struct greek_pool *pool,
                            struct risk *risk)
{
    const struct greek_value none = {0.0, 0.0, 0.0, 0.0, NAN, NAN, "after expiry"};
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct sensitivity *late = &risk->sensitivities[s];
        if (!pool_has(pool, late->greek)) continue;
        if (!trade_depends(valuer->market, pool->first, late)) continue;
        for (int i = 0; i < pool->n; i++) {
            const struct trade *trade = &valuer->trades[pool->trades[i]];
            struct greek_value *greek = risk_own_greek(risk, s, pool->trades[i]);
            if (greek && trade_is_before(valuer->market, pool, trade, late)) *greek = none;
        }
    }
}

/* Keeps why the trades of a pool have no theta. */
static enum status refuse_theta(struct greek_jobs *jobs, const struct greek_pool *pool)
{
    for (int i = 0; i < pool->n && pool->within_day; i++) {
        char **refused = &jobs->refused[pool->trades[i]];
        if (!*refused && !(*refused = strdup("of time all of its dates lie within the first day of "
                                             "a history, which has one return")))
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

/* Adds a trade of a pool as bumps want it. */
static enum status add_pool_trade(const struct valuer *valuer, int row, struct greek_trades *trades)
{
    struct trade trade = valuer->trades[row];
    if (trade_has_paths(&trade)) {
        trade.pivot = conditional_pivot(valuer->market, &trade);
        trade.exercise_apart =
            trade_n_assets(&trade) > 1 && has_same_exercise(valuer->market, &trade);
    }
    return greek_trades_add(&trade, row, -1, trades);
}

/* Adds the trades of a pool, and copies of them for slopes at exercise. */
static enum status bump_pool(struct greek_jobs *jobs, const struct greek_pool *pool)
{
    const struct market *market = jobs->valuer.market;
    struct bumped_trades *bumped = &jobs->bumped[jobs->n_bumped++], *copies = bumped + 1;
    bumped->pool = pool;
    for (int i = 0; i < pool->n; i++)
        MUST(add_pool_trade(&jobs->valuer, pool->trades[i], &bumped->trades));
    MUST(bumps_make(market, pool, jobs->risk, false, &bumped->sets));
    if (!pool->by_slopes || pool->greeks == POOL_OF_REST) return STATUS_OK;
    jobs->n_bumped++;
    *copies = (struct bumped_trades){.pool = pool, .method = "exercise slope"};
    MUST(slope_bumps_make(market, pool, jobs->risk, &copies->sets));
    return copies->sets.n ? slope_copies(&bumped->trades, &copies->trades) : STATUS_OK;
}

/* Adds copies of trades with the scores of likelihood ratios, which are valued today alone. */
static enum status bump_scores(struct greek_jobs *jobs)
{
    static const struct greek_pool no_pool = {0};
    const struct valuer *valuer = &jobs->valuer;
    struct bumped_trades *scores = &jobs->bumped[jobs->n_bumped++];
    *scores = (struct bumped_trades){.pool = &no_pool, .method = "likelihood ratio"};
    MUST(likelihood_copies(valuer->market, valuer->n_trades, valuer->trades, jobs->risk,
                           &scores->trades));
    if (scores->trades.n) MUST(today_bumps_make(&scores->sets));
    return STATUS_OK;
}

/* Makes the jobs: a bump set is one, or two. */
static enum status list_jobs(struct greek_jobs *jobs)
{
    size_t room = 1;
    for (int u = 0; u < jobs->n_bumped; u++) room += 2 * (size_t)jobs->bumped[u].sets.n;
    jobs->jobs = malloc(room * sizeof *jobs->jobs);
    if (!jobs->jobs) return STATUS_NO_MEMORY;
    for (int u = 0; u < jobs->n_bumped; u++) {
        const struct bumped_trades *bumped = &jobs->bumped[u];
        const struct bump_sets *sets = &bumped->sets;
        int at_pillars = 0;
        for (int t = 0; t < bumped->trades.n; t++)
            at_pillars += steps_at_pillars_of(&bumped->trades.trades[t]);
        for (const struct bump_set *set = sets->list; set < sets->list + sets->n; set++) {
            bool split = set->later && at_pillars > 0 && at_pillars < bumped->trades.n;
            if (split) jobs->jobs[jobs->n++] = (struct greek_job){bumped, set, true, false};
            jobs->jobs[jobs->n++] = (struct greek_job){bumped, set, !split, true};
        }
    }
    return STATUS_OK;
}

static bool has_greek(const void *context, int sensitivity, int trade)
{
    const struct greek_jobs *jobs = context;
    return trade_depends(jobs->valuer.market, &jobs->valuer.trades[trade],
                         &jobs->risk->sensitivities[sensitivity]);
}

static uint64_t largest_job(const struct greek_jobs *jobs)
{
    uint64_t largest = 0;
    for (int i = 0; i < jobs->n; i++) {
        const struct greek_job *job = &jobs->jobs[i];
        uint64_t payoffs = (uint64_t)job->bumped->trades.n * (uint64_t)job->set->n_scenarios;
        if (payoffs > largest) largest = payoffs;
    }
    return largest;
}

enum status greeks_begin(const struct valuer *valuer, unsigned greeks, struct risk *risk,
                         struct greek_jobs **jobs, struct job_series *series)
{
    struct greek_jobs *new = *jobs = calloc(1, sizeof **jobs);
    if (!new) return STATUS_NO_MEMORY;
    new->valuer = *valuer;
    new->risk = risk;
    MUST(sensitivities_list(valuer->market, valuer->n_trades, valuer->trades, greeks, risk));
    new->refused = calloc((size_t)valuer->n_trades + 1, sizeof *new->refused);
    if (!new->refused) return STATUS_NO_MEMORY;
    if (!ranks_follow(valuer->options->ranks)) /* who has no Greeks */
        MUST(risk_lay_out_greeks(risk, has_greek, new));
    MUST(greek_pools_make(valuer->market, valuer->n_trades, valuer->trades, valuer->settings.paths,
                          &new->pools));
    new->bumped = calloc(2 * (size_t) new->pools.n + 1, sizeof *new->bumped);
    if (!new->bumped) return STATUS_NO_MEMORY;
    MUST(bump_scores(new));
    for (int u = 0; u < new->pools.n; u++) {
        const struct greek_pool *pool = &new->pools.pools[u];
        if (!pool->by_likelihood) take_late_dates(valuer, pool, risk);
        MUST(refuse_theta(new, pool));
        MUST(bump_pool(new, pool));
    }
    MUST(list_jobs(new));
    *series = (struct job_series){new->n, largest_job(new), new, prepare_job, run_job, finish_job};
    return STATUS_OK;
}

enum { NAMES_SHOWN = 8 };

/* The first names of columns, and how many more there are. */
struct column_names {
    int n;
    char text[NAMES_SHOWN * (2 * NAME_BYTES + 64)], more[24]; /* two assets at most, and a quote */
};

static void add_name(const char *name, struct column_names *names)
{
    size_t length = strlen(names->text), room = sizeof names->text - length;
    if (names->n++ < NAMES_SHOWN)
        snprintf(names->text + length, room, "%s%s", length ? ", " : "", name);
    else snprintf(names->more, sizeof names->more, " and %d more", names->n - NAMES_SHOWN);
}

/* Lists the columns of an asset that are left out. Returns why the first is; NULL: none is. */
static const char *list_left_out(const struct risk *risk, int asset, struct column_names *names)
{
    const char *why = NULL;
    for (int i = 0; i < risk->n_sensitivities; i++) {
        const struct sensitivity *s = &risk->sensitivities[i];
        if (s->asset != asset || !s->left_out.text[0]) continue;
        add_name(s->name, names);
        if (!why) why = s->left_out.text;
    }
    return why;
}

/* Lists the columns of a trade without a number, but those left out for all trades. */
static void list_missing(const struct risk *risk, int trade, struct column_names *names)
{
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct sensitivity *sensitivity = &risk->sensitivities[s];
        const struct greek_value *greek = risk_own_greek(risk, s, trade);
        if (greek && isnan(greek->value) && !sensitivity->left_out.text[0])
            add_name(sensitivity->name, names);
    }
}

void greeks_note(const struct greek_jobs *jobs, struct complaints *notes)
{
    const struct market *market = jobs ? jobs->valuer.market : NULL;
    for (int a = 0; jobs && a < market->n_assets; a++) {
        struct column_names names = {0};
        const char *why = list_left_out(jobs->risk, a, &names);
        if (why)
            complaints_add(notes, 0, "asset '%s': note: there is no %s%s: %s",
                           market->assets[a].name, names.text, names.more, why);
    }
    for (int t = 0; jobs && t < jobs->valuer.n_trades; t++) {
        const struct trade *trade = &jobs->valuer.trades[t];
        struct column_names names = {0};
        if (!jobs->refused[t]) continue;
        list_missing(jobs->risk, t, &names);
        if (names.n)
            complaints_add(notes, trade->line,
                           "%s:%d: note: trade '%s' has no %s%s: under bumps %s", trade->file,
                           trade->line, trade->id, names.text, names.more, jobs->refused[t]);
    }
}

void greeks_end(struct greek_jobs *jobs)
{
    if (!jobs) return;
    for (int u = 0; u < jobs->n_bumped; u++) {
        free(jobs->bumped[u].sets.list);
        greek_trades_free(&jobs->bumped[u].trades);
    }
    free(jobs->bumped);
    free(jobs->jobs);
    for (int t = 0; jobs->refused && t < jobs->valuer.n_trades; t++) free(jobs->refused[t]);
    free(jobs->refused);
    greek_pools_free(&jobs->pools);
    for (int s = 0; s < JOBS_AT_ONCE; s++) revaluation_free(&jobs->calls[s]);
    free(jobs);
}
