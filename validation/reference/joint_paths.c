#include "validation/reference/joint_paths.h"

#include <math.h>

#include <gsl/gsl_randist.h>

/* Operations: about half a second, a second */
static const double WORK = 1e8, WORK_INEXACT = 1.6e8, PART_COST = 10.0;
static const double ROOM = 64e6; /* bytes of the paths that are held at a time */
static const double NEAR = 1e-9; /* years, within which a step ends on a date */
enum {
    COMPARED = 4, /* one sample in so many is taken again on longer steps */
    GRID = 64,    /* steps of a life where a watch is not exact between dates */
    SAMPLES_MOST = 500000,
    SAMPLES_LEAST = 1000,
    PART_LEAST = 64,
    SAMPLES_TRUSTED = 16384 /* that an error is trusted of */
};
/* More says nothing to the check of a price: the error is that of so many paths without
 * controls. */
static const double PATHS_ENOUGH = 16777216.0;

/* ---- dates ----------------------------------------------------------------------------------- */

/* Tells whether watches need steps between the dates: where one bridge is exact and there is but
 * one of them, they do not. */
static bool needs_grid(const struct joint_view *view, const struct multi_asset *assets)
{
    enum model model = asset_at(assets, view->n_watches ? view->watches[0].asset : 0)->model;
    if (assets->n == 1 && model == MODEL_HISTORICAL) return false; /* its steps are days */
    bool bridge = model == MODEL_BLACK_SCHOLES || model == MODEL_MERTON;
    return view->n_watches > 1 || (view->n_watches == 1 && !bridge);
}

static double end_of(const struct joint_view *view)
{
    return view->times[view->n - 1];
}

/* Lists the dates of steps: those that are shown, and of watches. */
static enum status choose_dates(const struct joint_view *view, const struct multi_asset *assets,
                                double **dates, int *n)
{
    double *breaks = NULL, *all = NULL;
    int n_breaks = 0, n_grid = needs_grid(view, assets) ? GRID : 0;
    if (view->n_watches) MUST(asset_breaks(assets, end_of(view), &breaks, &n_breaks));
    MUST(effort_array(assets->effort, view->n + n_breaks + n_grid, &all));
    for (int i = 0; i < view->n; i++) all[(*n)++] = view->times[i];
    for (int i = 0; i < n_breaks; i++) all[(*n)++] = breaks[i];
    for (int i = 1; i < n_grid; i++) all[(*n)++] = i * end_of(view) / n_grid;
    *dates = all;
    return STATUS_OK;
}

/* ---- what happens between dates -------------------------------------------------------------- */

static double *said_at(const struct joint_paths *paths, int level, int sign, int watch)
{
    return paths->said + ((level * SIGNS + sign) * paths->view.n_watches + watch) * SAMPLES;
}

/* Lets all watches of an asset see a bridge of one sample. */
static void see_bridge(struct joint_paths *paths, const struct joint_move *move, int sample,
                       double from, double to, double variance)
{
    for (int w = 0; w < paths->view.n_watches; w++) {
        const struct watch *watch = &paths->view.watches[w];
        if (watch->asset != move->asset) continue;
        double *said = &said_at(paths, (int)move->level, move->sign, w)[sample];
        *said = watch_bridge(watch, from, to, variance, *said, paths->other);
    }
}

/* Sees a part of a step: bridges between jumps, which come at independent uniform times, here in
 * increasing order, and are normal given their sum. */
static void see_sample(struct joint_paths *paths, const struct joint_move *move, int b)
{
    const struct jumps *law = paths->several.steppers[move->asset].jumps;
    gsl_rng *rng = paths->other;
    int left = move->jump ? (int)move->jumps[b] : 0;
    /* What is still to come: jumps, the continuous move, its variance, and a share of the time */
    double jumps = left ? move->jump[b] : 0.0, went = move->moves[b].move,
           variance = fmax(move->moves[b].variance, 0.0), x = move->to[b].x - jumps - went;
    for (; left > 0; left--) {
        double share = 1.0 - pow(gsl_rng_uniform_pos(rng), 1.0 / left);
        double moved = share * went +
                       sqrt(variance * share * (1.0 - share)) * gsl_ran_gaussian_ziggurat(rng, 1.0);
        double jump = jumps / left +
                      law->stdev * sqrt(1.0 - 1.0 / left) * gsl_ran_gaussian_ziggurat(rng, 1.0);
        see_bridge(paths, move, b, x, x + moved, variance * share);
        x += moved + jump;
        jumps -= jump;
        went -= moved;
        variance *= 1.0 - share;
    }
    see_bridge(paths, move, b, x, move->to[b].x, variance);
}

static void see_move(void *context, const struct joint_move *move)
{
    for (int b = 0; b < move->n; b++) see_sample(context, move, b);
}

/* Begins the watches (step -1), or sees what dividends have left at the end of a step. */
static void see_points(struct joint_paths *paths, int step)
{
    const struct joint_view *view = &paths->view;
    for (int w = 0; w < view->n_watches; w++) {
        const struct watch *watch = &view->watches[w];
        int asset = watch->asset;
        if (step >= 0 && paths->several.steps[step].dividend[asset] <= 0.0) continue;
        double today = log(view->today[asset]);
        for (int way = 0; way < SIGNS * paths->levels; way++) {
            int level = way / SIGNS, sign = way % SIGNS;
            double *said = said_at(paths, level, sign, w);
            const struct step_state *at = several_walks(&paths->several, level, sign, asset);
            for (int b = 0; b < paths->abreast; b++)
                said[b] = watch_bridge(watch, at[b].x, step < 0 ? today : at[b].x, 0.0,
                                       step < 0 ? watch_none(watch) : said[b], NULL);
        }
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
            view->times[column] <= 0.0 ? asset_at(assets, i)->spot
                                       : exp(several_walks(&paths->several, level, sign, i)[b].x);
    for (int w = 0; w < view->n_watches; w++) {
        double said = said_at(paths, level, sign, w)[b];
        watched[w * view->n + column] = view->watches[w].kind == WATCH_SURVIVES ? said : exp(said);
    }
    double *variances = watched + view->n_watches * view->n + column * assets->n;
    for (int i = 0; view->variances && i < assets->n; i++)
        variances[i] = several_walks(&paths->several, level, sign, i)[b].v;
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
    double watches = 3.0 * paths->view.n_watches / several->assets.n;
    return PART_COST * (several->exact ? 2.0 : 2.5) * (1.0 + watches) * several->assets.n *
               (several->parts + 1.0) +
           2.0 * (double)paths->record;
}

enum status joint_paths_take(struct joint_paths *paths, int n, int compared)
{
    struct several *several = &paths->several;
    const struct joint_view *view = &paths->view;
    several_begin(several);
    see_points(paths, -1);
    for (int s = 0, column = 0; s < several->n; s++) {
        MUST(effort_spend(several->assets.effort, steps_cost(paths) / several->n * n));
        several_step(several, s, n, compared, paths->rng);
        see_points(paths, s);
        while (column < view->n && view->times[column] < several->steps[s].time - NEAR) column++;
        if (column < view->n && view->times[column] < several->steps[s].time + NEAR)
            note_date(paths, column, n, compared);
    }
    return STATUS_OK;
}

enum status joint_paths_pay(const struct joint_paths *paths, enum level level, int sample,
                            const struct joint_payoff *payoff, double *means)
{
    means[0] = means[1] = 0.0;
    for (int sign = 0; sign < SIGNS; sign++) {
        const double *shown = shown_at(paths, (int)level, sign, sample);
        double values[2] = {0.0, 0.0};
        MUST(payoff->value(payoff->context, shown, shown + paths->view.n * paths->several.assets.n,
                           values));
        for (int i = 0; i < 2; i++) means[i] += values[i] / SIGNS;
    }
    return STATUS_OK;
}

/* ---- the mean -------------------------------------------------------------------------------- */

static void add_control(struct joint_paths *paths, int asset, double strike, double known)
{
    if (paths->controls.n == MEAN_CONTROLS_MAX) return;
    int c = ++paths->controls.n;
    paths->asset_of[c] = asset;
    paths->strike_of[c] = strike;
    paths->controls.known[c] = known;
}

/* Chooses what is simulated beside the payoff. A quanto under a model whose variance is not known
 * beforehand moves the mean of the spot; so do dividends under local volatility, whose grid moves
 * spots by some 1e-5, which pairs of opposite paths, whose spots hardly vary, would blow up. */
static void choose_controls(struct joint_paths *paths, const struct joint_payoff *payoff)
{
    const struct several *several = &paths->several;
    if (payoff->second == SECOND_CONTROL) add_control(paths, -1, 0.0, payoff->second_mean);
    for (int i = 0; i < several->assets.n; i++) {
        const struct asset *asset = asset_at(&several->assets, i);
        bool local = several->steppers[i].local;
        if (several->steppers[i].fx || (local && asset->n_dividends)) continue;
        double growth = asset_growth(&several->assets, i, end_of(&paths->view));
        if (!local) add_control(paths, i, 0.0, asset->spot * exp(growth));
        for (int k = 0; i == 0 && k < payoff->n_calls; k++)
            add_control(paths, i, payoff->strike[k], payoff->call_mean[k]);
    }
}

static double control_of(const struct joint_paths *paths, int control, int sample)
{
    double sum = 0.0;
    for (int sign = 0; sign < SIGNS; sign++) {
        const struct step_state *state =
            &several_walks(&paths->several, FINE, sign, paths->asset_of[control])[sample];
        sum += fmax(exp(state->x + state->paid) - paths->strike_of[control], 0.0);
    }
    return sum / SIGNS;
}

static enum status add_sample(struct joint_paths *paths, const struct joint_payoff *payoff,
                              int sample, bool compared)
{
    double means[2], values[MEAN_CONTROLS_MAX + 1], other[2];
    MUST(joint_paths_pay(paths, FINE, sample, payoff, means));
    values[0] = means[0];
    for (int c = 1; c <= paths->controls.n; c++)
        values[c] = paths->asset_of[c] < 0 ? means[1] : control_of(paths, c, sample);
    mean_controls_add(&paths->controls, values);
    means[1] -= means[0];
    mean_controls_add(&paths->gap, &means[1]);
    if (compared) {
        MUST(joint_paths_pay(paths, COARSE, sample, payoff, other));
        means[0] -= other[0];
        mean_controls_add(&paths->moves, &means[0]);
    }
    return STATUS_OK;
}

/* Adds half of a mean difference to an error, and to its bias; returns the difference. */
static double widen(const struct mean_controls *difference, struct reference *out)
{
    double mean, error;
    mean_controls_result(difference, &mean, &error);
    out->error = hypot(out->error, 0.5 * hypot(mean, error));
    out->bias += 0.5 * mean;
    return mean;
}

/* Makes the estimate so far. Where next to no path pays, their spread knows nothing of the one that
 * would have. */
static void result_of(const struct joint_paths *paths, const struct joint_payoff *payoff,
                      struct reference *out)
{
    double count = paths->controls.count;
    mean_controls_result(&paths->controls, &out->price, &out->error);
    if (count > 1.0) out->error = fmax(out->error, payoff->most / (SIGNS * count));
    out->paths = SIGNS * count;
    out->bias = 0.0;
    if (payoff->second == SECOND_GAP) widen(&paths->gap, out);
    if (paths->levels > 1) out->price += 0.5 * widen(&paths->moves, out);
}

bool joint_paths_are_certain(const struct multi_asset *assets, double t)
{
    bool certain = true;
    for (int i = 0; i < assets->n; i++)
        certain = certain && asset_at(assets, i)->model == MODEL_BLACK_SCHOLES &&
                  asset_covariance(assets, i, i, 0.0, t) <= 0.0;
    return certain;
}

enum status joint_paths_mean(struct joint_paths *paths, const struct joint_payoff *payoff,
                             struct reference *out)
{
    struct effort *effort = paths->several.assets.effort;
    bool inexact = paths->levels > 1,
         certain = joint_paths_are_certain(&paths->several.assets, end_of(&paths->view));
    double pays = SIGNS * (1.0 + (paths->levels - 1.0) / COMPARED) * payoff->cost,
           cost = steps_cost(paths) + pays;
    /* An eighth of what is left, where that is less */
    double most = fmin(inexact ? WORK_INEXACT : WORK, 0.125 * effort->work) / cost;
    long samples = (long)fmax(fmin(most, SAMPLES_MOST), SAMPLES_LEAST), look_at = SAMPLES_TRUSTED;
    if (payoff->samples) samples = payoff->samples;
    /* All parts together have half of them, each a power of two: two scenarios, whose paths may
     * take a little more or less work, are to have as many */
    long part = PART_LEAST;
    while (4 * part * REFERENCE_PARTS <= samples) part *= 2;
    if (paths->part) samples = part;
    if (certain) samples = 1;
    MUST(effort_foresee(effort, cost * (double)samples));
    choose_controls(paths, payoff);
    for (long taken = 0; taken < samples; taken += paths->abreast) {
        int n = samples - taken < paths->abreast ? (int)(samples - taken) : paths->abreast;
        int compared = inexact ? (n + COMPARED - 1) / COMPARED : 0;
        if (taken >= look_at) {
            result_of(paths, payoff, out);
            double variance = SIGNS * paths->controls.product[0][0] / paths->controls.count;
            if (out->error * out->error * PATHS_ENOUGH < variance) break;
            look_at *= 2;
        }
        MUST(joint_paths_take(paths, n, compared));
        MUST(effort_spend(effort, pays * n));
        for (int b = 0; b < n; b++) MUST(add_sample(paths, payoff, b, b < compared));
    }
    result_of(paths, payoff, out);
    out->method = certain ? "deterministic path" : "monte carlo";
    return STATUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

enum status joint_paths_make(const struct problem *problem, const struct joint_view *view,
                             struct joint_paths *paths)
{
    const struct multi_asset *assets = &problem->assets;
    struct effort *effort = assets->effort;
    double *dates = NULL;
    int n = 0;
    paths->view = *view;
    paths->part = problem->part;
    MUST(choose_dates(view, assets, &dates, &n));
    MUST(several_make(assets, n, dates, &paths->several));
    if (view->n_watches) paths->several.watch = see_move;
    paths->several.watcher = paths;
    paths->levels = paths->several.exact ? 1 : N_LEVELS;
    paths->record = (size_t)(view->n * (assets->n * (view->variances ? 2 : 1) + view->n_watches));
    double bytes = 8.0 * SIGNS * paths->levels * (double)paths->record;
    paths->abreast = (int)fmax(fmin(SAMPLES, ROOM / bytes), 1.0);
    MUST(effort_array(effort, N_LEVELS * SIGNS * view->n_watches * SAMPLES, &paths->said));
    MUST(effort_array(effort, (size_t)(paths->levels * SIGNS * paths->abreast) * paths->record,
                      &paths->shown));
    MUST(effort_generator(effort, gsl_rng_mt19937, problem->seed ^ problem->seed >> 32,
                          &paths->rng));
    return effort_generator(effort, gsl_rng_ranlxd2, problem->seed + 1, &paths->other);
}
