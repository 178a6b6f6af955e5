#include "validation/reference/joint_paths.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>

/* Operations: some tenths of a second */
static const double WORK = 1e8, WORK_INEXACT = 1.6e8, PART_COST = 10.0;
static const double ROOM = 64e6; /* bytes of the paths that are held at a time */
static const double NEAR = 1e-9; /* years, within which a step ends on a date */
enum {
    COMPARED = 4, /* one sample in so many is taken again on longer steps */
    GRID = 64,    /* steps of a life where a watch is not exact between dates */
    SAMPLES_MOST = 500000,
    SAMPLES_LEAST = 1000,
    SAMPLES_FEW = 8192,
    STOPS_MOST = 64, /* dates that all steps stop at */
    PART_LEAST = 64,
    SAMPLES_TRUSTED = 16384 /* that an error is trusted of */
};
/* More says nothing to the check of a price: the error is that of so many paths without
 * controls. */
static const double PATHS_ENOUGH = 16777216.0;

/* A move from the date before to this one. */
struct joint_step {
    double from, time;
    int parts;         /* fine; none where the dates are one */
    int first, passed; /* columns that it passes over */
    double dividend[TRADE_ASSETS_MAX];
    struct step_parts parts_of_step[N_LEVELS][TRADE_ASSETS_MAX];
    square root; /* of the correlations of the spots' noises */
};

/* ---- dates ----------------------------------------------------------------------------------- */

/* Tells whether watches need steps between the dates: where one bridge is exact and there is but
 * one of them, they do not. */
static bool needs_grid(const struct joint_view *view, const struct multi_asset *assets)
{
    enum model model = asset_at(assets, view->n_watches ? view->watches[0].asset : 0)->model;
    if (assets->n == 1 && model == MODEL_HISTORICAL) return false; /* its steps are days */
    bool bridge = model == MODEL_BLACK_SCHOLES || model == MODEL_MERTON;
    return view->closely || (view->n_watches > 0 && !bridge);
}

static double end_of(const struct joint_view *view)
{
    return view->times[view->n - 1];
}

/* Days of the past that asset i's noise is drawn by. */
static int days_of(const struct joint_paths *paths, int i)
{
    const struct resample *past = paths->steppers[i].past;
    return past ? (int)(end_of(&paths->view) / past->day) : 0;
}

/* Expiries of asset i's surface, where its variance jumps: within a step the noise of another one
 * is not its own's. */
static int expiries_of(const struct joint_paths *paths, int i)
{
    bool alone = paths->assets->n == 1 && !paths->steppers[i].fx;
    return alone ? 0 : asset_at(paths->assets, i)->surface.n_times;
}

/* Lists the dates of steps, increasing: those that are shown, of watches, of dividends, of
 * surfaces, and days of the past. */
static enum status list_dates(struct joint_paths *paths, double **dates)
{
    const struct multi_asset *assets = paths->assets;
    const struct joint_view *view = &paths->view;
    double *breaks = NULL, *all, end = end_of(view);
    int n_breaks = 0, n_grid = needs_grid(view, assets) ? GRID : paths->chords;
    if (view->n_watches || paths->chords) MUST(asset_breaks(assets, end, &breaks, &n_breaks));
    size_t most = (size_t)(view->n + n_breaks + n_grid), count = 0;
    for (int i = 0; i < assets->n; i++)
        most +=
            (size_t)(asset_at(assets, i)->n_dividends + expiries_of(paths, i) + days_of(paths, i));
    MUST(effort_array(assets->effort, most, &all));
    for (int i = 0; i < view->n; i++)
        if (!paths->chords || i == 0 || i == view->n - 1) all[count++] = view->times[i];
    for (int i = 0; i < n_breaks; i++) all[count++] = breaks[i];
    for (int i = 1; i < n_grid; i++) all[count++] = i * end / n_grid;
    for (int i = 0; i < assets->n; i++) {
        const struct asset *asset = asset_at(assets, i);
        for (int d = 0; d < asset->n_dividends; d++)
            if (asset->dividends[d].time <= end) all[count++] = asset->dividends[d].time;
        for (int e = 0; e < expiries_of(paths, i); e++)
            if (asset->surface.times[e] <= end) all[count++] = asset->surface.times[e];
        for (int d = 1; d <= days_of(paths, i); d++)
            all[count++] = fmin(d * paths->steppers[i].past->day, end);
    }
    *dates = all;
    paths->n = dates_sort(all, count, end);
    return STATUS_OK;
}

/* Returns the correlation of two spots' noises over a step: where both variances are known it comes
 * of their covariance. */
static double correlation_between(const struct joint_paths *paths, int i, int j, double from,
                                  double to)
{
    const struct multi_asset *assets = paths->assets;
    const struct market *market = assets->market;
    double covariance = asset_covariance(assets, i, j, from, to);
    double product =
        asset_covariance(assets, i, i, from, to) * asset_covariance(assets, j, j, from, to);
    if (i == j) return 1.0;
    if (product > 0.0) return covariance / sqrt(product);
    return market->correlation[assets->index[i] * market->n_assets + assets->index[j]];
}

static enum status step_between(struct joint_paths *paths, double longest, struct joint_step *step)
{
    const struct multi_asset *assets = paths->assets;
    const struct joint_view *view = &paths->view;
    double from = step->from, to = step->time;
    square correlation;
    MUST(effort_spend(assets->effort, 3.0 * assets->n * assets->n * asset_cost(assets) +
                                          assets->n * assets->n * assets->n / 8.0));
    if (to > from) {
        double parts = isfinite(longest) ? fmax(ceil((to - from) / longest), 1.0) : 1.0;
        MUST(effort_spend(assets->effort, paths->levels * parts));
        step->parts = paths->levels * (int)parts;
    }
    while (step->first < view->n && view->times[step->first] <= from + NEAR) step->first++;
    while (step->first + step->passed < view->n &&
           view->times[step->first + step->passed] < to - NEAR)
        step->passed++;
    for (int i = 0; i < assets->n; i++) {
        const struct asset *asset = asset_at(assets, i);
        for (int j = 0; j < assets->n; j++)
            correlation[i][j] = correlation_between(paths, i, j, from, to);
        for (int level = FINE; step->parts && level < paths->levels; level++)
            MUST(stepper_parts(&paths->steppers[i], from, to, step->parts / (1 + level),
                               &step->parts_of_step[level][i]));
        for (int d = 0; d < asset->n_dividends; d++)
            if (fabs(asset->dividends[d].time - to) <= 1e-12 * paths->steps[paths->n - 1].time)
                step->dividend[i] += asset->dividends[d].amount;
    }
    multi_asset_root(assets->n, correlation, step->root);
    return STATUS_OK;
}

/* ---- assets ---------------------------------------------------------------------------------- */

/* Assets whose pasts are equally long and cut alike are drawn together, day for day. */
static int twin_of(const struct joint_paths *paths, int i)
{
    const struct history *history = &asset_at(paths->assets, i)->history;
    for (int j = 0; paths->steppers[i].past && j < i; j++) {
        const struct history *other = &asset_at(paths->assets, j)->history;
        if (other->n == history->n && other->interval == history->interval &&
            other->block == history->block)
            return j;
    }
    return -1;
}

/* Makes the steppers of the assets. Returns in `*longest` how long a part of a step may be. */
static enum status make_steppers(struct joint_paths *paths, double *longest)
{
    const struct multi_asset *assets = paths->assets;
    bool past = false, local = false, jumps = false;
    for (int i = 0; i < assets->n; i++) {
        struct stepper *stepper = &paths->steppers[i];
        MUST(stepper_make(assets, i, end_of(&paths->view), stepper));
        paths->twin[i] = twin_of(paths, i);
        *longest = fmin(*longest, stepper->longest);
        if (stepper->past) past = true;
        if (stepper->local) local = true;
        if (stepper->jumps) jumps = true;
    }
    bool alone = assets->n == 1 && paths->steppers[0].local && !paths->steppers[0].fx;
    /* Days are not cut, and one step is exact by itself */
    if (past || alone) *longest = INFINITY;
    /* Parts of a simulation, thirty-two for each market of a Greek, would make their tables anew */
    if (local && !jumps && !paths->part && isfinite(*longest) && paths->view.n > STOPS_MOST &&
        !paths->view.n_watches && !paths->view.variances)
        paths->chords = (int)ceil(end_of(&paths->view) / *longest - NEAR);
    return STATUS_OK;
}

/* Makes the steps between the dates. */
static enum status make_steps(struct joint_paths *paths, double longest)
{
    struct effort *effort = paths->assets->effort;
    double *dates = NULL;
    MUST(list_dates(paths, &dates));
    for (int i = 0; i < paths->assets->n; i++)
        if (paths->steppers[i].local) MUST(transitions_room(effort, paths->n - 2.0));
    MUST(effort_array(effort, paths->n, &paths->steps));
    double left = effort->work;
    int most = 0;
    for (int i = 0; i < paths->n; i++) {
        struct joint_step *step = &paths->steps[i];
        step->from = i ? dates[i - 1] : 0.0, step->time = dates[i];
        MUST(step_between(paths, longest, step));
        paths->parts += step->parts + step->passed;
        if (step->passed > most) most = step->passed;
        MUST(effort_foresee_rest(effort, left, i + 1, paths->n - 1 - i));
    }
    return effort_array(effort, most * paths->assets->n * SAMPLES, &paths->passed);
}

enum status joint_paths_make(const struct problem *problem, const struct joint_view *view,
                             struct joint_paths *paths)
{
    const struct multi_asset *assets = paths->assets = &problem->assets;
    struct effort *effort = assets->effort;
    double longest = INFINITY;
    paths->view = *view;
    paths->part = problem->part;
    MUST(make_steppers(paths, &longest));
    paths->levels = isfinite(longest) ? N_LEVELS : 1;
    MUST(make_steps(paths, longest));
    paths->record = (size_t)(view->n * (assets->n * (view->variances ? 2 : 1) + view->n_watches));
    double bytes = 8.0 * SIGNS * paths->levels * (double)paths->record;
    paths->abreast = (int)fmax(fmin(SAMPLES, ROOM / bytes), 1.0);
    MUST(effort_array(effort, 3 * assets->n, &paths->draws));
    MUST(effort_array(effort, N_LEVELS * SIGNS * assets->n * SAMPLES, &paths->states));
    MUST(effort_array(effort, N_LEVELS * SIGNS * view->n_watches * SAMPLES, &paths->said));
    MUST(effort_array(effort, (size_t)(paths->levels * SIGNS * paths->abreast) * paths->record,
                      &paths->shown));
    MUST(effort_generator(effort, gsl_rng_mt19937, problem->seed ^ problem->seed >> 32,
                          &paths->rng));
    return effort_generator(effort, gsl_rng_ranlxd2, problem->seed + 1, &paths->other);
}

/* Returns the states of an asset's samples, where they are now. */
static struct step_state *walks_of(const struct joint_paths *paths, int level, int sign, int asset)
{
    return paths->states + ((level * SIGNS + sign) * paths->assets->n + asset) * SAMPLES;
}

/* ---- what happens between dates -------------------------------------------------------------- */

/* Returns what a watch has said so far of [SAMPLES]; those of the next watch stand behind. */
static double *said_at(const struct joint_paths *paths, int level, int sign, int watch)
{
    return paths->said + ((level * SIGNS + sign) * paths->view.n_watches + watch) * SAMPLES;
}

/* Lets all watches of an asset that have begun see a bridge of one sample, of which the first one's
 * is said[0]. */
static void see_bridge(const struct joint_paths *paths, int asset, double *said, double from,
                       double to, double variance)
{
    for (int w = 0; w < paths->view.n_watches; w++, said += SAMPLES) {
        const struct watch *watch = &paths->view.watches[w];
        if (watch->asset == asset && watch->begin < paths->now - NEAR)
            *said = watch_bridge(watch, from, to, variance, *said, paths->other);
    }
}

/* Sees a part of a step that ended at log spot `to`: bridges between so many jumps, which come at
 * independent uniform times, here in increasing order, and are normal given their sum. */
static void see_part(const struct joint_paths *paths, int asset, double *said, double to,
                     struct step_move moved, int left)
{
    const struct jumps *law = paths->steppers[asset].jumps;
    gsl_rng *rng = paths->other;
    /* What is still to come of the jumps, the continuous move, its variance, and a share of the
     * time
     */
    double jumped = moved.jump, went = moved.move, variance = fmax(moved.variance, 0.0),
           x = to - jumped - went;
    for (; left > 0; left--) {
        double share = 1.0 - pow(gsl_rng_uniform_pos(rng), 1.0 / left);
        double now = share * went +
                     sqrt(variance * share * (1.0 - share)) * gsl_ran_gaussian_ziggurat(rng, 1.0);
        double jump = jumped / left +
                      law->stdev * sqrt(1.0 - 1.0 / left) * gsl_ran_gaussian_ziggurat(rng, 1.0);
        see_bridge(paths, asset, said, x, x + now, variance * share);
        x += now + jump;
        jumped -= jump;
        went -= now;
        variance *= 1.0 - share;
    }
    see_bridge(paths, asset, said, x, to, variance);
}

/* Begins watches, today's at step -1, and sees what dividends have left at the end of a step. */
static void see_points(struct joint_paths *paths, int step)
{
    const struct joint_view *view = &paths->view;
    double now = step < 0 ? 0.0 : paths->steps[step].time;
    for (int w = 0; w < view->n_watches; w++) {
        const struct watch *watch = &view->watches[w];
        int asset = watch->asset;
        bool begins = watch->begin > 0.0 ? fabs(now - watch->begin) < NEAR : step < 0;
        bool falls = step >= 0 && paths->steps[step].dividend[asset] > 0.0;
        if (!begins && !(falls && now > watch->begin)) continue;
        double today = log(view->today[asset]);
        for (int way = 0; way < SIGNS * paths->levels; way++) {
            int level = way / SIGNS, sign = way % SIGNS;
            double *said = said_at(paths, level, sign, w);
            const struct step_state *at = walks_of(paths, level, sign, asset);
            for (int b = 0; b < paths->abreast; b++)
                said[b] = watch_bridge(watch, at[b].x, step < 0 ? today : at[b].x, 0.0,
                                       begins ? watch_none(watch) : said[b], NULL);
        }
    }
}

/* Returns what a sample shows. */
static double *shown_at(const struct joint_paths *paths, int level, int sign, int sample)
{
    return paths->shown +
           (size_t)((level * SIGNS + sign) * paths->abreast + sample) * paths->record;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* Draws the first returns of the blocks of the past that begin with a step. They have no opposites:
 * both signs draw their own. */
static void draw_blocks(const struct joint_paths *paths, const struct joint_step *step, int n)
{
    for (int way = 0; way < SIGNS * paths->assets->n; way++) {
        int sign = way / paths->assets->n, i = way % paths->assets->n, twin = paths->twin[i];
        if (!step->parts_of_step[FINE][i].day.begins) continue;
        unsigned long most = (unsigned long)paths->steppers[i].past->n;
        for (int b = 0; b < n; b++) {
            unsigned long first = twin < 0 ? gsl_rng_uniform_int(paths->rng, most)
                                           : walks_of(paths, FINE, sign, twin)[b].first;
            for (int level = 0; level < N_LEVELS; level++)
                walks_of(paths, level, sign, i)[b].first = first;
        }
    }
}

/* Draws the jumps of a part: their number, and their sum less its mean. */
static void draw_jumps(const struct jumps *law, double years, int n, gsl_rng *rng,
                       struct step_noise *draw)
{
    for (int b = 0; b < n; b++) {
        unsigned jumps = gsl_ran_poisson(rng, law->intensity * years);
        draw->jumps[b] = jumps;
        draw->jump[b] = jumps ? sqrt(jumps) * gsl_ran_gaussian_ziggurat(rng, law->stdev) : 0.0;
    }
}

/* Draws the numbers of a part of a step: independent normals, then correlated ones of them, from
 * the last asset down, for none needs those behind it. */
static void draw_part(const struct joint_paths *paths, const struct joint_step *step, int n,
                      struct step_noise *draws)
{
    gsl_rng *rng = paths->rng;
    for (int i = 0; i < paths->assets->n; i++) {
        const struct stepper *stepper = &paths->steppers[i];
        for (int b = 0; b < n; b++) draws[i].normal[b] = gsl_ran_gaussian_ziggurat(rng, 1.0);
        for (int b = 0; stepper->heston && b < n; b++)
            draws[i].other[b] = gsl_ran_gaussian_ziggurat(rng, 1.0);
        if (stepper->jumps)
            draw_jumps(stepper->jumps, step->parts_of_step[FINE][i].years, n, rng, &draws[i]);
    }
    for (int i = paths->assets->n - 1; i >= 0; i--) {
        double *normal = draws[i].normal;
        for (int b = 0; b < n; b++) normal[b] *= step->root[i][i];
        for (int j = 0; j < i; j++)
            for (int b = 0; b < n; b++) normal[b] += step->root[i][j] * draws[j].normal[b];
    }
}

/* Joins two parts to one that is twice as long. */
static void draw_join(int assets, const struct step_noise *first, const struct step_noise *second,
                      int n, struct step_noise *whole)
{
    for (int i = 0; i < assets; i++, first++, second++, whole++) {
        for (int b = 0; b < n; b++) {
            whole->normal[b] = (first->normal[b] + second->normal[b]) * M_SQRT1_2;
            whole->other[b] = (first->other[b] + second->other[b]) * M_SQRT1_2;
            whole->jump[b] = first->jump[b] + second->jump[b];
            whole->jumps[b] = first->jumps[b] + second->jumps[b];
        }
    }
}

/* Returns the fine part of a step that a date lies in which it passes over. */
static int part_at(const struct joint_paths *paths, const struct joint_step *step, int k)
{
    double along = (paths->view.times[step->first + k] - step->from) / (step->time - step->from);
    return (int)fmin(fmax(along * step->parts, 0.0), step->parts - 1.0);
}

static double *passed_at(const struct joint_paths *paths, int k, int asset)
{
    return paths->passed + (k * paths->assets->n + asset) * SAMPLES;
}

/* Adds the noise of some years to that of a part so far, which ends as a normal number. */
static void draw_add(int assets, const struct step_noise *some, double years, int n,
                     struct step_noise *sum)
{
    for (int i = 0; i < assets; i++, some++, sum++) {
        for (int b = 0; b < n; b++) {
            sum->normal[b] += sqrt(years) * some->normal[b];
            sum->other[b] += sqrt(years) * some->other[b];
        }
    }
}

/* Draws the numbers of a part from date to date that it passes over, and notes how far the noise
 * has come there, since the part before began where there is one of the same coarse part. */
static void draw_passing(const struct joint_paths *paths, const struct joint_step *step, int part,
                         int n, struct step_noise *const *draws)
{
    int assets = paths->assets->n;
    struct step_noise *sum = draws[part % 2], *some = draws[2];
    double years = (step->time - step->from) / step->parts, at = step->from + part * years;
    memset(sum, 0, sizeof *sum * (size_t)assets);
    for (int k = 0; k <= step->passed; k++) {
        bool ends = k == step->passed;
        if (!ends && part_at(paths, step, k) != part) continue;
        double now = ends ? step->from + (part + 1) * years : paths->view.times[step->first + k];
        draw_part(paths, step, n, some);
        draw_add(assets, some, fmax(now - at, 0.0), n, sum);
        at = fmax(at, now);
        for (int i = 0; !ends && i < assets; i++)
            for (int b = 0; b < n; b++)
                passed_at(paths, k, i)[b] =
                    sum[i].normal[b] + (part % 2 ? sqrt(years) * draws[0][i].normal[b] : 0.0);
    }
    for (int i = 0; i < assets; i++)
        for (int b = 0; b < n; b++) sum[i].normal[b] /= sqrt(years), sum[i].other[b] /= sqrt(years);
}

/* One part of a step that n samples take. */
struct joint_part {
    const struct joint_step *step;
    enum level level;
    int number, n;
    const struct step_noise *draws; /* [asset] */
};

/* Shows what an asset was on the dates that a part has passed over by some moves. */
static void show_passed(const struct joint_paths *paths, const struct joint_part *part, int i,
                        int sign, const struct step_move *moves)
{
    const struct joint_step *step = part->step;
    const struct step_state *states = walks_of(paths, (int)part->level, sign, i);
    const double *normal = part->draws[i].normal, *before = paths->draws[i].normal;
    double years = (step->time - step->from) / step->parts, begun = 0.0;
    if (part->level == COARSE) years *= 2.0;
    else if (part->number % 2) begun = sqrt(years);
    for (int k = 0; k < step->passed; k++) {
        double now = paths->view.times[step->first + k] - step->from,
               share = now / years - part->number;
        if (part_at(paths, step, k) / (1 + (int)part->level) != part->number) continue;
        const double *noise = passed_at(paths, k, i);
        double *shown =
            shown_at(paths, (int)part->level, sign, 0) + (step->first + k) * paths->assets->n + i;
        for (int b = 0; b < part->n; b++, shown += paths->record) {
            double bridge = noise[b] - begun * before[b] - share * sqrt(years) * normal[b],
                   deviation = sqrt(fmax(moves[b].variance, 0.0) / years);
            *shown = exp(states[b].x - (1.0 - share) * moves[b].move +
                         (sign ? -1.0 : 1.0) * deviation * bridge);
        }
    }
}

/* Takes one part of a step, by the numbers and by their opposites, and lets watches see it. */
static void move_part(const struct joint_paths *paths, const struct joint_part *part)
{
    for (int way = 0; way < SIGNS * paths->assets->n; way++) {
        int i = way / SIGNS, sign = way % SIGNS, level = (int)part->level;
        struct step_state *states = walks_of(paths, level, sign, i);
        struct step_move moves[SAMPLES];
        stepper_drive(&paths->steppers[i], &part->step->parts_of_step[level][i], part->number,
                      part->n, sign ? -1.0 : 1.0, &part->draws[i], states, moves);
        double *said = said_at(paths, level, sign, 0);
        for (int b = 0; paths->view.n_watches && b < part->n; b++)
            see_part(paths, i, said + b, states[b].x, moves[b], (int)part->draws[i].jumps[b]);
        show_passed(paths, part, i, sign, moves);
    }
}

static void pay_dividend(double amount, int n, struct step_state *states)
{
    for (int b = 0; b < n; b++) {
        double before = states[b].x;
        states[b].x = log(spot_after_dividend(exp(before), amount));
        states[b].paid += before - states[b].x;
    }
}

/* Begins the samples, all of them today. */
static void begin(struct joint_paths *paths)
{
    int assets = paths->assets->n;
    for (int way = 0; way < N_LEVELS * SIGNS * assets; way++) {
        const struct asset *asset = asset_at(paths->assets, way % assets);
        struct step_state state = {.x = log(asset->spot), .v = asset->heston.v0};
        for (int b = 0; b < SAMPLES; b++) paths->states[way * SAMPLES + b] = state;
    }
    see_points(paths, -1);
}

/* Takes n samples over a step, dividends paid, by numbers that it draws, and by their opposites;
 * the first `compared` ones on coarse steps too. */
static void take_step(struct joint_paths *paths, int s, int n, int compared)
{
    const struct joint_step *step = &paths->steps[s];
    int assets = paths->assets->n;
    paths->now = step->time;
    struct step_noise *draws[3] = {paths->draws, paths->draws + assets, paths->draws + 2 * assets};
    draw_blocks(paths, step, n);
    for (int part = 0; part < step->parts; part++) {
        if (step->passed) draw_passing(paths, step, part, n, draws);
        else draw_part(paths, step, n, draws[part % 2]);
        move_part(paths, &(struct joint_part){step, FINE, part, n, draws[part % 2]});
        if (compared == 0 || part % 2 == 0) continue;
        draw_join(assets, draws[0], draws[1], compared, draws[2]);
        move_part(paths, &(struct joint_part){step, COARSE, part / 2, compared, draws[2]});
    }
    for (int way = 0; way < N_LEVELS * SIGNS * assets; way++)
        if (step->dividend[way % assets] > 0.0)
            pay_dividend(step->dividend[way % assets], n, paths->states + way * SAMPLES);
    see_points(paths, s);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Writes down what a date shows of the samples of one level and sign. Today no rounding may take a
 * spot across its level. */
static void note_date(const struct joint_paths *paths, int column, int level, int sign, int n)
{
    const struct joint_view *view = &paths->view;
    int assets = paths->assets->n;
    for (int b = 0; b < n; b++) {
        double *shown = shown_at(paths, level, sign, b), *watched = shown + view->n * assets,
               *variances = watched + view->n_watches * view->n;
        for (int i = 0; i < assets; i++) {
            const struct step_state *at = &walks_of(paths, level, sign, i)[b];
            bool today = view->times[column] <= 0.0;
            shown[column * assets + i] = today ? asset_at(paths->assets, i)->spot : exp(at->x);
            if (view->variances) variances[column * assets + i] = at->v;
        }
        for (int w = 0; w < view->n_watches; w++) {
            double said = said_at(paths, level, sign, w)[b];
            bool survives = view->watches[w].kind == WATCH_SURVIVES;
            watched[w * view->n + column] = survives ? said : exp(said);
        }
    }
}

/* Counts the operations of a sample's steps. */
static double steps_cost(const struct joint_paths *paths)
{
    double watches = 3.0 * paths->view.n_watches / paths->assets->n;
    return PART_COST * (paths->levels > 1 ? 2.5 : 2.0) * (1.0 + watches) * paths->assets->n *
               (paths->parts + 1.0) +
           2.0 * (double)paths->record;
}

enum status joint_paths_take(struct joint_paths *paths, int n, int compared)
{
    const struct joint_view *view = &paths->view;
    begin(paths);
    for (int s = 0, column = 0; s < paths->n; s++) {
        MUST(effort_spend(paths->assets->effort, steps_cost(paths) / paths->n * n));
        take_step(paths, s, n, compared);
        while (column < view->n && view->times[column] < paths->steps[s].time - NEAR) column++;
        if (column < view->n && view->times[column] < paths->steps[s].time + NEAR)
            for (int way = 0; way < SIGNS * paths->levels; way++)
                note_date(paths, column, way / SIGNS, way % SIGNS, way < SIGNS ? n : compared);
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
        MUST(payoff->value(payoff->context, shown, shown + paths->view.n * paths->assets->n,
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
    if (payoff->second == SECOND_CONTROL) add_control(paths, -1, 0.0, payoff->second_mean);
    for (int i = 0; i < paths->assets->n; i++) {
        const struct asset *asset = asset_at(paths->assets, i);
        bool local = paths->steppers[i].local;
        if (paths->steppers[i].fx || (local && asset->n_dividends)) continue;
        double growth = asset_growth(paths->assets, i, end_of(&paths->view));
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
            &walks_of(paths, FINE, sign, paths->asset_of[control])[sample];
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

/* Adds a share of a mean difference to an error, and to its bias; returns that share. */
static double widen(const struct mean_controls *difference, double share, struct reference *out)
{
    double mean, error;
    mean_controls_result(difference, &mean, &error);
    out->error = hypot(out->error, share * hypot(mean, error));
    out->bias += share * mean;
    return share * mean;
}

/* Returns by how much of what longer steps change the price is moved, and may be off. */
static double step_share(const struct joint_paths *paths)
{
    bool near_zero = false;
    for (int i = 0; i < paths->assets->n; i++) near_zero |= paths->steppers[i].near_zero;
    return near_zero && paths->assets->n > 1 ? 1.0 : 0.5;
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
    if (payoff->second == SECOND_GAP) widen(&paths->gap, 0.5, out);
    if (paths->levels > 1) out->price += widen(&paths->moves, step_share(paths), out);
}

bool joint_paths_are_certain(const struct multi_asset *assets, double t)
{
    bool certain = true;
    for (int i = 0; i < assets->n; i++)
        certain = certain && asset_at(assets, i)->model == MODEL_BLACK_SCHOLES &&
                  asset_covariance(assets, i, i, 0.0, t) <= 0.0;
    return certain;
}

/* Returns how many samples are taken, of which each costs so many operations. */
static long samples_of(const struct joint_paths *paths, const struct joint_payoff *payoff,
                       double cost)
{
    double left = paths->assets->effort->work;
    /* An eighth of what is left, where that is less */
    double most = fmin(paths->levels > 1 ? WORK_INEXACT : WORK, 0.125 * left) / cost;
    long samples = (long)fmax(fmin(most, SAMPLES_MOST), SAMPLES_LEAST), part = PART_LEAST;
    if (payoff->samples) samples = payoff->samples;
    /* All parts together have half of them, each a power of two: two scenarios, whose paths may
     * take a little more or less work, are to have as many */
    while (4 * part * REFERENCE_PARTS <= samples) part *= 2;
    if (paths->part) return part;
    /* Where those are few, half of what is left */
    return samples < SAMPLES_FEW && !payoff->samples ? (long)fmax(0.5 * left / cost, samples)
                                                     : samples;
}

enum status joint_paths_mean(struct joint_paths *paths, const struct joint_payoff *payoff,
                             struct reference *out)
{
    struct effort *effort = paths->assets->effort;
    bool inexact = paths->levels > 1,
         certain = joint_paths_are_certain(paths->assets, end_of(&paths->view));
    double pays = SIGNS * (1.0 + (paths->levels - 1.0) / COMPARED) * payoff->cost,
           cost = steps_cost(paths) + pays;
    long samples = certain ? 1 : samples_of(paths, payoff, cost), look_at = SAMPLES_TRUSTED;
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
