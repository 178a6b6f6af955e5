#define _DEFAULT_SOURCE /* madvise */
#include "app/pricing/value/exercise/policy_makers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "app/pricing/value/exercise/exercise_lanes.h"
#include "app/pricing/value/exercise/exercise_regression.h"
#include "models/math/sobol.h"

enum {
    FIT_LEAST = 32, /* paths a term that a regression must have; with fewer it drops to fewer terms,
                       then to none */
    ALIKE = 16 /* range of the first feature, in errors of the mean value, below which all decide
                  alike */
};

/* Deviations of waiting within which a decision is close. */
#define CLOSE 0.05
/* The same for cubics of an asset that leads, where 10 terms must be told apart along the line on
 * which the decision turns: more of CLOSE; and less for what these leave, since waiting differs
 * little from exercise far beyond that line, where a cubic is off by more. */
#define LEADER_CLOSE 8.0
#define LEADER_CLOSER 0.25
#define CLOSE_LEAST 1000.0 /* paths' weights that a regression on close ones must have, */
#define ALL_LEAST                                                                                  \
    5000.0 /* and that of all terms on the closest, or it is a square of f: a cubic                \
              would exercise far from the line what should wait */
#define LEADER_LEAST 100.0 /* weight that an asset's own policy has against that of all */

/* An exercise while threads share the chunks of its paths: what it sees of them, then the fit of
 * one date after the other. */
struct path_fit {
    const struct fit_setup *setup;
    const struct exercise *exercise;
    int n_assets;            /* whose growth is one number each: those of a best or worst, or one */
    struct seen_date *seen;  /* [chunk][date] */
    double *sums;            /* [chunk][date][asset] of prices over the strike */
    double *values;          /* [path] of the policy so far, discounted to today, */
    double *waits;           /* [path] and of waiting for the last date, hedged likewise */
    double farthest;         /* how far from today's log2 S chunks after the first may begin */
    int first;               /* chunk of those that threads share */
    int d;                   /* the date that is fitted */
    double sign;             /* 1 for a call, -1 for a put */
    struct fitted_date date; /* as the next sums look at it */
    struct fitted_date
        due;     /* the date after it, which no value follows yet; p = NULL: there is none */
    bool hedged; /* the next sums are over values that are hedged */
    float slopes[EXERCISE_TERMS];
    double growth[UNDERLYINGS_MAX];
    bool rests; /* sums under leaders are of what is left of their cubics */
    /* [chunk][n_sums] of all paths, or under each leader; those of the first chunk become those of
     * all chunks */
    struct policy_moments *moments;
    int n_sums;
    struct leader_sums *leads; /* [chunk][leader], likewise */
};

static struct seen_date *seen_at(const struct path_fit *fit, int chunk, int date)
{
    return &fit->seen[chunk * fit->exercise->n_dates + date];
}

static double *sums_at(const struct path_fit *fit, int chunk, int date)
{
    return fit->sums + (size_t)(chunk * fit->exercise->n_dates + date) * (size_t)fit->n_assets;
}

static double *values_of_chunk(const struct path_fit *fit, int c)
{
    return fit->values + (size_t)c * CHUNK_PATHS;
}

static double *waits_of_chunk(const struct path_fit *fit, int c)
{
    return fit->waits + (size_t)c * CHUNK_PATHS;
}

/* ---- what the exercise sees of paths --------------------------------------------------------- */

/* A chunk of paths that pass. */
struct passing {
    const struct path_fit *fit;
    int chunk, d; /* d: the date that is seen next */
    double lane_sums[UNDERLYINGS_MAX * MOMENT_LANES];
};

/* Sees columns of a best-of or worst-of. */
static void see_leaders(struct passing *passing, int column, const double *const *x)
{
    const struct path_fit *fit = passing->fit;
    const struct exercise *exercise = fit->exercise;
    const double *of_part[UNDERLYINGS_MAX];
    int d = passing->d, n = fit->n_assets * MOMENT_LANES;
    const struct shown_paths shown = {.date = exercise->dates[d],
                                      .n_parts = fit->n_assets,
                                      .parts = exercise->parts + exercise->first_part[d],
                                      .x = of_part,
                                      .column = column};
    struct seen_date *seen = seen_at(fit, passing->chunk, d);
    double *sums = sums_at(fit, passing->chunk, d);
    for (int p = 0; p < shown.n_parts; p++) of_part[p] = x[shown.parts[p]->underlying];
    for (int i = 0; column == 0 && i < n; i++) passing->lane_sums[i] = 0.0;
    exercise_lanes()->see(&shown, passing->lane_sums, seen, d ? seen - 1 : NULL,
                          d ? exercise->dates[d - 1]->c[1] : 0.0);
    for (int i = 0; column + PATH_LANES == CHUNK_PATHS && i < n; i++)
        sums[i / MOMENT_LANES] += passing->lane_sums[i];
}

static void see_columns(void *context, int step, int column, const double *const *x,
                        const double *f, const double *g)
{
    struct passing *passing = context;
    const struct path_fit *fit = passing->fit;
    int d = passing->d;
    if (fit->exercise->steps[d] != step) return;
    struct seen_date *seen = seen_at(fit, passing->chunk, d);
    if (fit->n_assets > 1) see_leaders(passing, column, x);
    for (int l = 0; fit->n_assets == 1 && l < PATH_LANES; l++)
        seen->f[column + l] = (float)f[l], seen->g[column + l] = (float)g[l];
    if (column + PATH_LANES == CHUNK_PATHS) passing->d++;
}

/* Follows one price, whose feature says what becomes of it. */
static void follow_one(const struct path_fit *fit, int chunk)
{
    int n = fit->exercise->n_dates;
    for (int d = 0; d < n; d++) {
        struct seen_date *seen = seen_at(fit, chunk, d);
        double *sum = sums_at(fit, chunk, d);
        for (int i = 0; i < CHUNK_PATHS; i++) {
            seen->first[i] = seen->second[i] = d + 1 < n ? 1.0f + seen[1].f[i] : 0.0f;
            seen->of_first[i] = seen->of_second[i] = 0;
            *sum += 1.0 + (double)seen->f[i];
        }
    }
}

/* Where the paths of chunks begin apart, each asset's begin anywhere up to one and a half
 * deviations of its last date to where exercise gains: few that begin today come where it is
 * decided early. Returns one and a half deviations of log2 S, S the price that leads on a date. */
static double farthest_start(const struct seen_date *seen)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < CHUNK_PATHS; i++) {
        double x = exact_log2(1.0 + (double)seen->f[i]);
        sum += x, squares += x * x;
    }
    return 1.5 * sqrt(fmax(squares / CHUNK_PATHS - sum / CHUNK_PATHS * (sum / CHUNK_PATHS), 0.0));
}

/* Moves where the paths of a chunk begin by a Sobol point of those up to `farthest` up, or down. */
static void move_start(double farthest, int chunk, struct group *group, struct underlying *moved)
{
    for (int u = 0; u < group->n_underlyings; u++) {
        struct sobol_dimension dimension = sobol_published(u);
        moved[u] = group->underlyings[u];
        moved[u].start.x += farthest * 0x1p-32 * (double)sobol_word(&dimension, (uint32_t)chunk);
    }
    group->underlyings = moved;
}

/* Watches a chunk; of those that begin apart the first one finds how far. */
static enum status watch_chunk(void *context, int i, struct message *why)
{
    struct path_fit *fit = context;
    const struct exercise *exercise = fit->exercise;
    const struct fit_setup *setup = fit->setup;
    int chunk = fit->first + i, last = exercise->n_dates - 1;
    struct underlying moved[UNDERLYINGS_MAX];
    struct group group = *exercise->group; /* alone, up to the last date */
    struct passing passing = {.fit = fit, .chunk = chunk};
    const struct path_watcher watcher = {see_columns, &passing,
                                         fit->n_assets > 1 ? -1 : exercise->slot};
    const struct plan alone = {.seed = setup->plan.seed,
                               .paths = (uint64_t)exercise->chunks * CHUNK_PATHS,
                               .antithetic = setup->plan.antithetic,
                               .n_scenarios = 1,
                               .n_groups = 1,
                               .groups = &group};
    group.scenario_set = 0;
    group.n_steps = exercise->steps[last] + 1;
    if (asked_to_stop(setup->options.stop)) return STATUS_INTERRUPTED;
    if (chunk && exercise->starts_differ) move_start(fit->farthest, chunk, &group, moved);
    MUST(setup->engine->watch(&alone, &setup->options, 0, (uint64_t)chunk, &watcher, why));
    if (fit->n_assets == 1) follow_one(fit, chunk);
    if (!chunk && exercise->starts_differ)
        fit->farthest = exercise->dates[0]->c[0] * farthest_start(seen_at(fit, 0, last));
    return STATUS_OK;
}

/* ---- sums over paths ------------------------------------------------------------------------- */

/* Sums over the paths of a chunk: before it they follow the policy of the date after this one,
 * where that is due, and are hedged up to it. */
static void sum_chunk(void *context, int c)
{
    const struct path_fit *fit = context;
    const struct seen_date *seen = seen_at(fit, c, fit->d);
    double *values = values_of_chunk(fit, c);
    const struct path_sample sample = {CHUNK_PATHS, seen->f, seen->g, values};
    if (fit->due.p) exercise_lanes()->exercise_paths(seen + 1, &fit->due, values);
    if (fit->hedged) {
        exercise_lanes()->hedge(seen, &fit->date, fit->slopes, fit->growth, values);
        exercise_lanes()->hedge(seen, &fit->date, fit->slopes, fit->growth, waits_of_chunk(fit, c));
    }
    exercise_lanes()->moments(&sample, &fit->date, &fit->moments[c]);
}

static void add_moments(const struct policy_moments *part, struct policy_moments *total)
{
    for (int a = 0; a < MOMENT_POWERS; a++)
        for (int b = 0; a + b < MOMENT_POWERS; b++) {
            total->powers[a][b] += part->powers[a][b];
            total->value_powers[a][b] += part->value_powers[a][b];
        }
    total->squares += part->squares;
    total->lowest = fmin(total->lowest, part->lowest);
    total->highest = fmax(total->highest, part->highest);
}

/* Adds the sums of all chunks, in their order, to those of the first. */
static void add_chunks(const struct path_fit *fit)
{
    for (int i = fit->n_sums; i < fit->exercise->chunks * fit->n_sums; i++)
        add_moments(&fit->moments[i], &fit->moments[i % fit->n_sums]);
}

/* Sums over the paths of all chunks, in their order, that have sign f > 0; over all where the sign
 * is 0. With weights where p is not NULL. */
static const struct policy_moments *sum_paths(struct path_fit *fit, double sign, const float *p)
{
    fit->date.sign = sign, fit->date.p = p;
    fit->n_sums = 1;
    team_loop(fit->setup->options.team, fit->exercise->chunks, sum_chunk, fit);
    add_chunks(fit);
    fit->due.p = NULL, fit->hedged = false;
    return fit->moments;
}

/* Returns the deviation of what is regressed, in money. */
static double deviation_of(const struct policy_moments *sums)
{
    double n = sums->powers[0][0], mean = sums->value_powers[0][0] / n;
    return sqrt(fmax(sums->squares / n - mean * mean, 0.0));
}

/* ---- hedges ---------------------------------------------------------------------------------- */

/* Finds the growth [asset] of prices to the next date, by the means of all paths; false where a
 * price is not above 0 on the mean. */
static bool find_growth(struct path_fit *fit)
{
    for (int a = 0; a < fit->n_assets; a++) {
        double here = 0.0, then = 0.0;
        for (int c = 0; c < fit->exercise->chunks; c++) {
            here += sums_at(fit, c, fit->d)[a];
            then += sums_at(fit, c, fit->d + 1)[a];
        }
        if (!(here > 0.0 && then > 0.0)) return false;
        fit->growth[a] = then / here;
    }
    return true;
}

/* ---- where each asset leads ------------------------------------------------------------------ */

/* Sums over the paths of a chunk that each asset leads, of what is left of the cubic of all. */
static void lead_chunk(void *context, int c)
{
    const struct path_fit *fit = context;
    int n = fit->exercise->n_leaders;
    exercise_lanes()->lead(seen_at(fit, c, fit->d), values_of_chunk(fit, c), &fit->date, n,
                           &fit->leads[c * n]);
}

/* Finds what waiting is worth more where an asset leads, p = a + b f + c g, from the sums of its
 * paths. */
static void fit_leader(const struct leader_sums *sums, float *p)
{
    double rows[LEADER_TERMS * LEADER_TERMS] = {0.0}, x[LEADER_TERMS];
    struct banded m = {LEADER_TERMS, LEADER_TERMS - 1, rows, x};
    double scale = sums->terms[0][0];
    if (!(scale > 0.0)) return;
    for (int i = 0; i < LEADER_TERMS; i++) {
        x[i] = sums->rests[i];
        for (int j = 0; j <= i; j++) *banded_entry(&m, i, j) = sums->terms[i][j];
        *banded_entry(&m, i, i) *= 1.0 + LEADER_LEAST / scale;
    }
    if (!banded_solve(&m)) return;
    for (int i = 0; i < LEADER_TERMS; i++) p[i] = (float)x[i];
}

/* Sums over the paths of a chunk that each asset leads, weighted by how close they are to a
 * decision: what waiting brought, or where `rests`, what that is over the asset's own cubic. */
static void sum_led(void *context, int c)
{
    const struct path_fit *fit = context;
    const struct seen_date *seen = seen_at(fit, c, fit->d);
    const double *value = values_of_chunk(fit, c);
    int n = fit->exercise->n_leaders;
    float f[CHUNK_PATHS], g[CHUNK_PATHS], cubic[EXERCISE_TERMS];
    double values[CHUNK_PATHS];
    struct path_sample led = {0, f, g, values};
    struct fitted_date date = fit->date;
    date.p = cubic;
    for (int a = 0; a < n; a++, led.n = 0) {
        const float *leader_cubic = fit->date.p + EXERCISE_TERMS * (1 + a);
        for (int i = 0; i < EXERCISE_TERMS; i++)
            cubic[i] = fit->rests ? fit->date.p[i] + leader_cubic[i] : fit->date.p[i];
        for (int i = 0; i < CHUNK_PATHS; i++) {
            if (seen->of_first[i] != a) continue;
            double waiting = exercise_continuation(cubic, (double)seen->f[i], (double)seen->g[i]);
            f[led.n] = seen->f[i], g[led.n] = seen->g[i];
            values[led.n++] = fit->rests ? value[i] - date.strike_value * waiting : value[i];
        }
        exercise_lanes()->moments(&led, &date, &fit->moments[c * n + a]);
    }
}

/* Fits the cubic of each asset that leads, where enough of its paths are close to a decision, from
 * what was found with fewer terms: a Greek is off by what the policy is off where the decision
 * turns. The cubic is regressed on a wide band about that, along which ten terms can be told apart,
 * and once more on what is left in a narrow one. */
static void fit_leader_cubics(struct path_fit *fit, float *p)
{
    int n = fit->exercise->n_leaders;
    double near = fit->date.near;
    fit->n_sums = n;
    for (int a = 0; a < n; a++) { /* terms 1, f, g, where a cubic has them */
        float *leader_cubic = p + EXERCISE_TERMS * (1 + a);
        leader_cubic[4] = leader_cubic[2], leader_cubic[2] = 0.0f;
    }
    for (int pass = 0; pass < 2; pass++) {
        fit->rests = pass;
        fit->date.near =
            near * (pass ? LEADER_CLOSER * chunks_narrow(fit->exercise->chunks) : LEADER_CLOSE);
        team_loop(fit->setup->options.team, fit->exercise->chunks, sum_led, fit);
        add_chunks(fit);
        for (int a = 0; a < n; a++) {
            float found[EXERCISE_TERMS], *leader_cubic = p + EXERCISE_TERMS * (1 + a);
            double weight = fit->moments[a].powers[0][0];
            int terms = pass && weight < ALL_LEAST ? 3 : EXERCISE_TERMS;
            if (weight < CLOSE_LEAST ||
                !regress(&fit->moments[a], fit->date.strike_value, terms, found))
                continue;
            for (int i = 0; i < EXERCISE_TERMS; i++)
                leader_cubic[i] = found[i] + (pass ? leader_cubic[i] : -p[i]);
        }
    }
}

/* Fits what waiting is worth more where each asset leads, behind the policy p of all. */
static void fit_leaders(struct path_fit *fit, float *p)
{
    const struct exercise *exercise = fit->exercise;
    int n = exercise->n_leaders;
    fit->date.p = p;
    team_loop(fit->setup->options.team, exercise->chunks, lead_chunk, fit);
    for (int a = 0; a < n; a++) {
        struct leader_sums *all = &fit->leads[a];
        for (const struct leader_sums *of = all + n; of < fit->leads + exercise->chunks * n;
             of += n)
            for (int i = 0; i < LEADER_TERMS; i++) {
                all->rests[i] += of->rests[i];
                for (int j = 0; j <= i; j++) all->terms[i][j] += of->terms[i][j];
            }
        fit_leader(all, p + EXERCISE_TERMS + a * exercise->leader_terms);
    }
    if (exercise->leader_terms == EXERCISE_TERMS) fit_leader_cubics(fit, p);
}

/* ---- date after date ------------------------------------------------------------------------- */

/* Tells whether the first feature hardly differs from path to path, so that a regression on it is
 * noise: the error of its values, s sqrt(terms / n) with s the deviation of what it is fitted to,
 * is more than the feature has to say. (A first date that stands for today is one.) */
static bool all_alike(const struct policy_moments *sums, double unit)
{
    double deviation = deviation_of(sums) / unit;
    return sums->highest - sums->lowest < ALIKE * deviation / sqrt(sums->powers[0][0]);
}

/* Fits the policy of a date, p, twice: by all paths that gain, then by those that the first fit
 * puts close to a decision; then what is left where each asset leads. */
static void fit_date(struct path_fit *fit, float *p)
{
    const struct policy_moments *sums = sum_paths(fit, fit->sign, NULL);
    double unit = fit->date.strike_value, n = sums->powers[0][0];
    if (n < FIT_LEAST) return; /* the table says that nobody exercises */
    if (all_alike(sums, unit)) {
        double gains = fit->sign * sums->powers[1][0], waiting = sums->value_powers[0][0] / unit;
        decide_for_all(!(gains < waiting), p);
    } else if (regress_up_to(sums, unit, fit->date.two, n / FIT_LEAST, p)) {
        float first[EXERCISE_TERMS];
        memcpy(first, p, sizeof first);
        fit->date.near = CLOSE * deviation_of(sums) / unit;
        if (fit->date.near > 0.0 && sum_paths(fit, fit->sign, first)->powers[0][0] >= CLOSE_LEAST)
            regress_up_to(sums, unit, fit->date.two, sums->powers[0][0] / FIT_LEAST, p);
        if (fit->date.near > 0.0 && fit->exercise->n_leaders) fit_leaders(fit, p);
    }
    fit->due = fit->date, fit->due.p = p;
}

/* Sets what the paths of a chunk are worth on the last date. */
static void begin_chunk(const struct path_fit *fit, int c)
{
    const struct observation *end = fit->exercise->dates[fit->d];
    double *values = values_of_chunk(fit, c);
    for (int i = 0; i < CHUNK_PATHS; i++) {
        double gain = exercise_gain(end, (double)seen_at(fit, c, fit->d)->f[i]);
        values[i] = gain > 0.0 ? end->c[2] * gain : 0.0;
    }
    memcpy(waits_of_chunk(fit, c), values, CHUNK_PATHS * sizeof *values);
}

/* Leaves the last date alone to exercise on where the policies bring less than that, by more than
 * two standard errors. Where waiting is worth little more than exercise on every date, as of calls
 * without dividends, a regression cannot tell which is more, and many dates of chance cost 0.6 % of
 * a best-of call, 7 % of its rho. */
static void wait_if_better(struct path_fit *fit)
{
    double n = fit->exercise->chunks * CHUNK_PATHS, sum = 0.0, squares = 0.0;
    for (int c = 0; c < fit->exercise->chunks; c++) {
        double *values = values_of_chunk(fit, c);
        if (fit->due.p) exercise_lanes()->exercise_paths(seen_at(fit, c, 0), &fit->due, values);
        for (int i = 0; i < CHUNK_PATHS; i++) {
            double less = waits_of_chunk(fit, c)[i] - values[i];
            sum += less, squares += less * less;
        }
    }
    if (!(sum > 2.0 * sqrt(fmax(squares - sum * sum / n, 0.0)))) return;
    for (int d = 0; d < fit->exercise->n_dates - 1; d++)
        decide_for_all(false, exercise_policy(fit->exercise, d));
}

/* Makes room that is written once, from one end to the other, by each thread a part of its own: in
 * pages that are as large as can be had, since each is fetched from the system at the first touch
 * (without, the fit of inputs/five.cfg takes 1.4 times as long). */
static void *large_room(size_t bytes)
{
    const size_t page = (size_t)1 << 21;
    void *room = aligned_alloc(page, (bytes + page) / page * page);
#ifdef MADV_HUGEPAGE
    if (room && bytes >= page) madvise(room, (bytes + page) / page * page, MADV_HUGEPAGE);
#endif
    return room;
}

enum status policy_from_paths(const struct fit_setup *setup, const struct exercise *exercise,
                              struct message *why)
{
    enum status status = STATUS_OK;
    const struct group *group = exercise->group;
    struct path_fit fit = {.setup = setup,
                           .exercise = exercise,
                           .n_assets = exercise_leads(exercise) ? exercise_parts(exercise, 0) : 1,
                           .d = exercise->n_dates - 1,
                           .sign = exercise->dates[0]->c[0]};
    bool known_growth = !group->n_dividends && group_has_states(group);
    size_t chunks = (size_t)exercise->chunks, seen = chunks * (size_t)exercise->n_dates,
           room = chunks * ((size_t)exercise->n_leaders + 1);
    fit.seen = large_room(seen * sizeof *fit.seen);
    fit.sums = calloc(seen * (size_t)fit.n_assets, sizeof *fit.sums);
    fit.values = malloc(2 * chunks * CHUNK_PATHS * sizeof *fit.values);
    fit.moments = malloc(room * sizeof *fit.moments);
    fit.leads = malloc(room * sizeof *fit.leads);
    if (!fit.seen || !fit.sums || !fit.values || !fit.moments || !fit.leads) TRY(STATUS_NO_MEMORY);
    fit.waits = fit.values + chunks * CHUNK_PATHS;
    if (exercise->starts_differ) TRY(watch_chunk(&fit, 0, why));
    fit.first = exercise->starts_differ;
    int left = exercise->chunks - fit.first;
    TRY(team_try(setup->options.team, left, left, watch_chunk, &fit, why));
    for (int c = 0; c < exercise->chunks; c++) begin_chunk(&fit, c);
    while (fit.d-- > 0) {
        if (asked_to_stop(setup->options.stop)) TRY(STATUS_INTERRUPTED);
        fit.date = (struct fitted_date){.strike_value = exercise->dates[fit.d]->c[2],
                                        .two = exercise_has_second(exercise),
                                        .leader_terms = exercise->leader_terms};
        /* Values are hedged by the slopes of their regression on all paths: what that brings has
         * no mean as long as prices grow by what they are */
        fit.hedged = known_growth &&
                     regress(sum_paths(&fit, 0.0, NULL), fit.date.strike_value,
                             fit.date.two ? EXERCISE_TERMS : 4, fit.slopes) &&
                     find_growth(&fit);
        fit_date(&fit, exercise_policy(exercise, fit.d));
    }
    wait_if_better(&fit);
done:
    free(fit.seen);
    free(fit.sums);
    free(fit.values);
    free(fit.moments);
    free(fit.leads);
    return status;
}
