#include "validation/reference/joint_paths.h"

#include <math.h>

#include <gsl/gsl_randist.h>

/* Operations: about half a second, a second */
static const double WORK = 1e8, WORK_INEXACT = 1.6e8, PART_COST = 10.0;
static const double ROOM = 64e6; /* bytes of the paths that are held at a time */
static const double NEAR = 1e-9; /* years, within which a step ends on a date */
enum {
    COMPARED = 4, /* one sample in so many is taken again on longer steps */
    GRID = 128,   /* steps of a life where a watch is not exact between dates */
    SAMPLES_MOST = 500000,
    SAMPLES_LEAST = 1000
};

/* ---- dates ----------------------------------------------------------------------------------- */

/* Tells whether watches need steps between the dates: where one bridge is exact and there is but
 * one of them, they do not. */
static bool needs_grid(const struct joint_view *view, const struct multi_asset *assets)
{
    if (view->n_watches != 1) return view->n_watches > 1;
    return multi_asset_at(assets, view->watches[0].asset)->model != MODEL_BLACK_SCHOLES;
}

static enum status choose_dates(struct joint_paths *paths, const struct multi_asset *assets)
{
    const struct joint_view *view = &paths->view;
    double *breaks = NULL, end = view->times[view->n - 1];
    int n_breaks = 0, n_grid = needs_grid(view, assets) ? GRID : 0, n = 0;
    enum status status = STATUS_OK;
    if (view->n_watches) TRY(multi_asset_breaks(assets, end, &breaks, &n_breaks));
    TRY(effort_array(assets->effort, (size_t)(view->n + n_breaks + n_grid), sizeof *paths->dates,
                     &paths->dates));
    for (int i = 0; i < view->n; i++) paths->dates[n++] = view->times[i];
    for (int i = 0; i < n_breaks; i++) paths->dates[n++] = breaks[i];
    for (int i = 1; i < n_grid; i++) paths->dates[n++] = i * end / n_grid;
    paths->trade.observations = (struct schedule){false, n, paths->dates};
    paths->trade.expiry = end;
done:
    effort_free(breaks);
    return status;
}

/* ---- what happens between dates -------------------------------------------------------------- */

static double *said_at(const struct joint_paths *paths, int level, int sign, int watch)
{
    return paths->said + ((level * SIGNS + sign) * paths->view.n_watches + watch) * SAMPLES;
}

/* Lets all watches of an asset see a bridge of one sample. */
static void see_bridge(struct joint_paths *paths, const struct joint_move *move, int sample,
                       struct watched_bridge bridge)
{
    for (int w = 0; w < paths->view.n_watches; w++) {
        const struct watch *watch = &paths->view.watches[w];
        if (watch->asset != move->asset) continue;
        double *said = &said_at(paths, (int)move->level, move->sign, w)[sample];
        *said = watch_bridge(watch, &bridge, *said, paths->other);
    }
}

/* Sees a part of a step. The jumps of a part come together, at a uniform time. */
static void see_move(void *context, const struct joint_move *move)
{
    struct joint_paths *paths = context;
    for (int b = 0; b < move->n; b++) {
        double jump = move->jumps ? move->jumps[b] : 0.0, to = move->to[b].x;
        double went = move->moves[b].move, variance = fmax(move->moves[b].variance, 0.0),
               from = to - jump - went;
        if (jump != 0.0) {
            double share = gsl_rng_uniform(paths->other);
            double middle = from + share * went +
                            sqrt(variance * share * (1.0 - share)) *
                                gsl_ran_gaussian_ziggurat(paths->other, 1.0);
            see_bridge(paths, move, b, (struct watched_bridge){from, middle, variance * share});
            from = middle + jump;
            variance *= 1.0 - share;
        }
        see_bridge(paths, move, b, (struct watched_bridge){from, to, variance});
    }
}

/* Begins the watches, or sees where a step has ended: a dividend is off the spot by now. */
static void see_points(struct joint_paths *paths, bool begin)
{
    for (int level = 0; level < paths->levels; level++)
        for (int way = 0; way < SIGNS * paths->view.n_watches; way++) {
            int sign = way % SIGNS, w = way / SIGNS;
            const struct watch *watch = &paths->view.watches[w];
            const struct step_state *at =
                several_walks(&paths->several, (enum level)level, sign, watch->asset);
            double *said = said_at(paths, level, sign, w);
            for (int b = 0; b < paths->abreast; b++)
                said[b] = begin ? watch_begin(watch, at[b].x, log(paths->view.today[watch->asset]))
                                : watch_point(watch, at[b].x, said[b]);
        }
}

/* ---- samples --------------------------------------------------------------------------------- */

static double *shown_at(const struct joint_paths *paths, int level, int sign, int sample)
{
    return paths->shown +
           (size_t)((level * SIGNS + sign) * paths->abreast + sample) * paths->record;
}

/* Writes down what a date shows of a sample. Today no rounding may take a spot across its level. */
static void note_sample(const struct joint_paths *paths, int column, int level, int sign, int b)
{
    const struct joint_view *view = &paths->view;
    const struct multi_asset *assets = &paths->several.assets;
    double *shown = shown_at(paths, level, sign, b), *watched = shown + view->n * assets->n;
    for (int i = 0; i < assets->n; i++)
        shown[column * assets->n + i] =
            view->times[column] <= 0.0
                ? multi_asset_at(assets, i)->spot
                : exp(several_walks(&paths->several, (enum level)level, sign, i)[b].x);
    for (int w = 0; w < view->n_watches; w++) {
        double said = said_at(paths, level, sign, w)[b];
        watched[w * view->n + column] = view->watches[w].kind == WATCH_SURVIVES ? said : exp(said);
    }
}

static void note_date(const struct joint_paths *paths, int column, int n, int compared)
{
    for (int level = 0; level < paths->levels; level++)
        for (int sign = 0; sign < SIGNS; sign++)
            for (int b = 0; b < (level == FINE ? n : compared); b++)
                note_sample(paths, column, level, sign, b);
}

/* Counts the operations of a sample's steps. */
static double steps_cost(const struct joint_paths *paths)
{
    const struct several *several = &paths->several;
    double watches = 0.5 * paths->view.n_watches / several->assets.n;
    return PART_COST * (several->exact ? 2.0 : 2.5) * (1.0 + watches) * several->assets.n *
               (several->parts + 1.0) +
           2.0 * (double)paths->record;
}

enum status joint_paths_take(struct joint_paths *paths, int n, int compared)
{
    struct several *several = &paths->several;
    const struct joint_view *view = &paths->view;
    enum status status = STATUS_OK;
    several_begin(several);
    see_points(paths, true);
    for (int s = 0, column = 0; s < several->n; s++) {
        TRY(effort_spend(several->assets.effort, steps_cost(paths) / several->n * n));
        several_step(several, s, n, compared, paths->rng);
        see_points(paths, false);
        while (column < view->n && view->times[column] < several->steps[s].time - NEAR) column++;
        if (column < view->n && view->times[column] < several->steps[s].time + NEAR)
            note_date(paths, column, n, compared);
    }
done:
    return status;
}

enum status joint_paths_pay(const struct joint_paths *paths, enum level level, int sample,
                            joint_value *value, void *context, double *mean)
{
    enum status status = STATUS_OK;
    double paid[SIGNS];
    for (int sign = 0; sign < SIGNS; sign++) {
        const double *shown = shown_at(paths, (int)level, sign, sample);
        TRY(value(context, shown, shown + paths->view.n * paths->several.assets.n, &paid[sign]));
    }
    *mean = 0.5 * (paid[0] + paid[1]);
done:
    return status;
}

/* ---- the mean -------------------------------------------------------------------------------- */

/* Chooses the assets whose spots at the end are controls: of the others the mean is not known so
 * simply. Under local volatility the grid of its steps moves them by some 1e-5, which pairs of
 * opposite paths, whose spots hardly vary, would blow up. */
static void choose_controls(struct joint_paths *paths)
{
    const struct several *several = &paths->several;
    int n = 0;
    for (int i = 0; i < several->assets.n && n < MEAN_CONTROLS_MAX; i++) {
        const struct asset *asset = multi_asset_at(&several->assets, i);
        if (asset->n_dividends > 0 || several->steppers[i].fx || several->steppers[i].local)
            continue;
        paths->spot_of_control[n++] = i;
        paths->controls.known[n] =
            asset->spot * exp(multi_asset_growth(&several->assets, i, paths->trade.expiry));
    }
    paths->controls.n = n;
}

static enum status add_sample(struct joint_paths *paths, const struct joint_payoff *payoff,
                              int sample, bool compared)
{
    enum status status = STATUS_OK;
    double values[MEAN_CONTROLS_MAX + 1], other;
    TRY(joint_paths_pay(paths, FINE, sample, payoff->value, payoff->context, &values[0]));
    for (int c = 0; c < paths->controls.n; c++) {
        double spots = 0.0;
        for (int sign = 0; sign < SIGNS; sign++)
            spots += exp(
                several_walks(&paths->several, FINE, sign, paths->spot_of_control[c])[sample].x);
        values[c + 1] = 0.5 * spots;
    }
    mean_controls_add(&paths->controls, values);
    if (payoff->other) {
        TRY(joint_paths_pay(paths, FINE, sample, payoff->other, payoff->context, &other));
        other -= values[0];
        mean_controls_add(&paths->gap, &other);
    }
    if (compared) {
        TRY(joint_paths_pay(paths, COARSE, sample, payoff->value, payoff->context, &other));
        other = values[0] - other;
        mean_controls_add(&paths->moves, &other);
    }
done:
    return status;
}

/* Adds half of a mean difference to an error; returns the difference. */
static double widen(const struct mean_controls *difference, double *error)
{
    double mean, own;
    mean_controls_result(difference, &mean, &own);
    *error = hypot(*error, 0.5 * hypot(mean, own));
    return mean;
}

enum status joint_paths_mean(struct joint_paths *paths, const struct joint_payoff *payoff,
                             struct reference *out)
{
    enum status status = STATUS_OK;
    struct effort *effort = paths->several.assets.effort;
    bool inexact = paths->levels > 1;
    double values = 1.0 + (payoff->other != NULL) + (paths->levels - 1.0) / COMPARED;
    double pays = SIGNS * values * payoff->cost, cost = steps_cost(paths) + pays;
    /* An eighth of what is left, where that is less */
    double most = fmin(inexact ? WORK_INEXACT : WORK, 0.125 * effort_left(effort)) / cost;
    long samples = (long)fmax(fmin(most, SAMPLES_MOST), SAMPLES_LEAST);
    TRY(effort_foresee(effort, cost * (double)samples));
    choose_controls(paths);
    for (long left = samples; left > 0; left -= paths->abreast) {
        int n = left < paths->abreast ? (int)left : paths->abreast;
        int compared = inexact ? (n + COMPARED - 1) / COMPARED : 0;
        TRY(joint_paths_take(paths, n, compared));
        TRY(effort_spend(effort, pays * n));
        for (int b = 0; b < n; b++) TRY(add_sample(paths, payoff, b, b < compared));
    }
    mean_controls_result(&paths->controls, &out->price, &out->error);
    out->error = fmax(out->error, payoff->most / paths->controls.count);
    out->method = "monte carlo";
    if (payoff->other) widen(&paths->gap, &out->error);
    if (inexact) out->price += 0.5 * widen(&paths->moves, &out->error);
done:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

enum status joint_paths_make(const struct problem *problem, const struct joint_view *view,
                             struct joint_paths *paths, struct message *why)
{
    struct multi_asset assets;
    struct effort *effort = problem->curves.effort;
    enum status status = STATUS_OK;
    paths->view = *view;
    paths->trade = *problem->trade;
    paths->problem = *problem;
    paths->problem.trade = &paths->trade;
    TRY(multi_asset_of(problem->market, problem->trade, effort, &assets, why));
    TRY(choose_dates(paths, &assets));
    TRY(several_make(&paths->problem, &paths->several, why));
    if (view->n_watches) paths->several.watch = see_move;
    paths->several.watcher = paths;
    paths->levels = paths->several.exact ? 1 : N_LEVELS;
    paths->record = (size_t)(view->n * (assets.n + view->n_watches));
    double bytes = 8.0 * SIGNS * paths->levels * (double)paths->record;
    paths->abreast = (int)fmax(fmin(SAMPLES, ROOM / bytes), 1.0);
    TRY(effort_array(effort, (size_t)(N_LEVELS * SIGNS * view->n_watches * SAMPLES),
                     sizeof *paths->said, &paths->said));
    TRY(effort_array(effort, (size_t)(paths->levels * SIGNS * paths->abreast) * paths->record,
                     sizeof *paths->shown, &paths->shown));
    paths->rng = gsl_rng_alloc(gsl_rng_mt19937);
    paths->other = gsl_rng_alloc(gsl_rng_ranlxd2);
    if (!paths->rng || !paths->other) TRY(STATUS_NO_MEMORY);
    gsl_rng_set(paths->rng, (unsigned long)(problem->seed ^ problem->seed >> 32));
    gsl_rng_set(paths->other, (unsigned long)(problem->seed + 1));
done:
    return status;
}

void joint_paths_free(struct joint_paths *paths)
{
    several_free(&paths->several);
    effort_free(paths->dates);
    effort_free(paths->said);
    effort_free(paths->shown);
    if (paths->rng) gsl_rng_free(paths->rng);
    if (paths->other) gsl_rng_free(paths->other);
}
