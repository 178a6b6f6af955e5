#include "validation/reference/several.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>

/* ---- dates ----------------------------------------------------------------------------------- */

/* Days of the past that asset i's noise is drawn by, before the end. */
static int days_of(const struct several *several, int i, double end)
{
    const struct resample *past = several->steppers[i].past;
    return past ? (int)(end / past->day) : 0;
}

/* Lists the dates asked for, those of dividends and days, increasing. */
static enum status list_dates(struct several *several, int n, const double *asked, double **dates)
{
    size_t most = (size_t)n, count = 0;
    double end = gsl_stats_max(asked, 1, most), *all;
    for (int i = 0; i < several->assets.n; i++)
        most += (size_t)(asset_at(&several->assets, i)->n_dividends + days_of(several, i, end));
    MUST(effort_array(several->assets.effort, most, &all));
    for (int i = 0; i < n; i++) all[count++] = asked[i];
    for (int i = 0; i < several->assets.n; i++) {
        const struct asset *asset = asset_at(&several->assets, i);
        for (int d = 0; d < asset->n_dividends; d++)
            if (asset->dividends[d].time <= end) all[count++] = asset->dividends[d].time;
        for (int d = 1; d <= days_of(several, i, end); d++)
            all[count++] = fmin(d * several->steppers[i].past->day, end);
    }
    *dates = all;
    several->n = dates_sort(all, count, end);
    return STATUS_OK;
}

/* Returns the correlation of two spots' noises over a step: where both variances are known it comes
 * of their covariance. */
static double correlation_between(const struct several *several, int i, int j, double from,
                                  double to)
{
    const struct multi_asset *assets = &several->assets;
    const struct market *market = assets->market;
    double covariance = asset_covariance(assets, i, j, from, to);
    double product =
        asset_covariance(assets, i, i, from, to) * asset_covariance(assets, j, j, from, to);
    if (i == j) return 1.0;
    if (product > 0.0) return covariance / sqrt(product);
    return market->correlation[assets->index[i] * market->n_assets + assets->index[j]];
}

static enum status step_between(struct several *several, double from, double longest,
                                struct joint_step *step)
{
    const struct multi_asset *assets = &several->assets;
    double to = step->time;
    square correlation;
    MUST(effort_spend(assets->effort, 3.0 * assets->n * assets->n * asset_cost(assets) +
                                          assets->n * assets->n * assets->n / 8.0));
    if (to > from) {
        int parts = isfinite(longest) ? (int)fmax(ceil((to - from) / longest), 1.0) : 1;
        step->parts = several->exact ? parts : 2 * parts;
    }
    for (int i = 0; i < assets->n; i++) {
        const struct asset *asset = asset_at(assets, i);
        for (int j = 0; j < assets->n; j++)
            correlation[i][j] = correlation_between(several, i, j, from, to);
        for (int level = FINE; step->parts && level <= (several->exact ? FINE : COARSE); level++)
            MUST(stepper_parts(&several->steppers[i], from, to, step->parts / (1 + level),
                               &step->parts_of_step[level][i]));
        for (int d = 0; d < asset->n_dividends; d++)
            if (fabs(asset->dividends[d].time - to) <= 1e-12 * several->steps[several->n - 1].time)
                step->dividend[i] += asset->dividends[d].amount;
    }
    multi_asset_root(assets->n, correlation, step->root);
    return STATUS_OK;
}

/* ---- assets ---------------------------------------------------------------------------------- */

/* Assets whose pasts are equally long and cut alike are drawn together, day for day. */
static int twin_of(const struct several *several, int i)
{
    const struct history *history = &asset_at(&several->assets, i)->history;
    for (int j = 0; several->steppers[i].past && j < i; j++) {
        const struct history *other = &asset_at(&several->assets, j)->history;
        if (other->n == history->n && other->interval == history->interval &&
            other->block == history->block)
            return j;
    }
    return -1;
}

enum status several_make(const struct multi_asset *assets, int n, const double *asked,
                         struct several *several)
{
    double *dates = NULL, longest = INFINITY, end = gsl_stats_max(asked, 1, (size_t)n);
    bool past = false;
    struct effort *effort = assets->effort;
    several->assets = *assets;
    for (int i = 0; i < assets->n; i++) {
        struct stepper *stepper = &several->steppers[i];
        MUST(stepper_make(&several->assets, i, end, stepper));
        several->twin[i] = twin_of(several, i);
        longest = fmin(longest, stepper->longest);
        if (stepper->past) past = true;
    }
    bool alone = assets->n == 1 && several->steppers[0].local && !several->steppers[0].fx;
    /* Days are not cut, and one step is exact by itself */
    if (past || alone) longest = INFINITY;
    several->exact = !isfinite(longest);
    MUST(list_dates(several, n, asked, &dates));
    for (int i = 0; i < assets->n; i++)
        if (several->steppers[i].local)
            MUST(transitions_room(several->steppers[i].local, several->n - 2.0));
    MUST(effort_array(effort, several->n, &several->steps));
    for (int i = 0; i < several->n; i++) several->steps[i].time = dates[i];
    double left = effort->work;
    for (int i = 0; i < several->n; i++) {
        MUST(step_between(several, i ? dates[i - 1] : 0.0, longest, &several->steps[i]));
        several->parts += several->steps[i].parts;
        MUST(effort_foresee_rest(effort, left, i + 1, several->n - 1 - i));
    }
    size_t tracks = (size_t)assets->n;
    MUST(effort_array(effort, 3 * tracks, &several->draws));
    return effort_array(effort, N_LEVELS * SIGNS * tracks * SAMPLES, &several->states);
}

/* ---- moves ----------------------------------------------------------------------------------- */

struct step_state *several_walks(const struct several *several, int level, int sign, int asset)
{
    return several->states + ((level * SIGNS + sign) * several->assets.n + asset) * SAMPLES;
}

/* Draws the first returns of the blocks of the past that begin with a step. They have no opposites:
 * both signs draw their own. */
static void draw_blocks(const struct several *several, const struct joint_step *step, int n,
                        gsl_rng *rng)
{
    for (int way = 0; way < SIGNS * several->assets.n; way++) {
        int sign = way / several->assets.n, i = way % several->assets.n, twin = several->twin[i];
        if (!step->parts_of_step[FINE][i].day.begins) continue;
        unsigned long most = (unsigned long)several->steppers[i].past->n;
        for (int b = 0; b < n; b++) {
            unsigned long first = twin < 0 ? gsl_rng_uniform_int(rng, most)
                                           : several_walks(several, FINE, sign, twin)[b].first;
            for (int level = 0; level < N_LEVELS; level++)
                several_walks(several, level, sign, i)[b].first = first;
        }
    }
}

/* Draws the jumps of a part: their number, and their sum less its mean. */
static void draw_jumps(const struct jumps *law, double years, int n, gsl_rng *rng,
                       struct joint_draw *draw)
{
    for (int b = 0; b < n; b++) {
        unsigned jumps = gsl_ran_poisson(rng, law->intensity * years);
        draw->jumps[b] = jumps;
        draw->jump[b] = jumps ? sqrt(jumps) * gsl_ran_gaussian_ziggurat(rng, law->stdev) : 0.0;
    }
}

/* Makes correlated normals of independent ones, from the last asset down: none needs those behind
 * it. */
static void correlate_draws(int assets, const square root, int n, struct joint_draw *draws)
{
    for (int i = assets - 1; i >= 0; i--) {
        double *normal = draws[i].normal;
        for (int b = 0; b < n; b++) normal[b] *= root[i][i];
        for (int j = 0; j < i; j++)
            for (int b = 0; b < n; b++) normal[b] += root[i][j] * draws[j].normal[b];
    }
}

/* Draws the numbers of a part of a step. */
static void draw_part(const struct several *several, const struct joint_step *step, int n,
                      gsl_rng *rng, struct joint_draw *draws)
{
    for (int i = 0; i < several->assets.n; i++) {
        const struct stepper *stepper = &several->steppers[i];
        for (int b = 0; b < n; b++) draws[i].normal[b] = gsl_ran_gaussian_ziggurat(rng, 1.0);
        for (int b = 0; stepper->heston && b < n; b++)
            draws[i].other[b] = gsl_ran_gaussian_ziggurat(rng, 1.0);
        if (stepper->jumps)
            draw_jumps(stepper->jumps, step->parts_of_step[FINE][i].years, n, rng, &draws[i]);
    }
    correlate_draws(several->assets.n, step->root, n, draws);
}

/* Joins two parts to one that is twice as long. */
static void draw_join(int assets, const struct joint_draw *first, const struct joint_draw *second,
                      int n, struct joint_draw *whole)
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

/* Takes one part of a step, by the numbers and by their opposites. */
static void move_part(const struct several *several, const struct joint_step *step,
                      enum level level, int part, int n, const struct joint_draw *draws)
{
    for (int i = 0; i < several->assets.n; i++) {
        const struct stepper *stepper = &several->steppers[i];
        const struct joint_draw *draw = &draws[i];
        struct step_move moves[SAMPLES];
        double jumps[SAMPLES];
        for (int opposite = 0; opposite < SIGNS; opposite++) {
            struct step_state *state = several_walks(several, (int)level, opposite, i);
            double sign = opposite ? -1.0 : 1.0;
            stepper_drive(stepper, &step->parts_of_step[level][i], part,
                          &(struct walks){n, state, sign, draw->normal, draw->other}, moves);
            for (int b = 0; b < n; b++) state[b].x += moves[b].move;
            for (int b = 0; stepper->jumps && b < n; b++) {
                jumps[b] = draw->jumps[b] * stepper->jumps->mean + sign * draw->jump[b];
                state[b].x += jumps[b];
            }
            if (several->watch)
                several->watch(several->watcher,
                               &(struct joint_move){level, opposite, i, n, state, moves,
                                                    stepper->jumps ? jumps : NULL, draw->jumps});
        }
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

void several_begin(struct several *several)
{
    int assets = several->assets.n;
    for (int way = 0; way < N_LEVELS * SIGNS * assets; way++) {
        const struct asset *asset = asset_at(&several->assets, way % assets);
        struct step_state state = {.x = log(asset->spot), .v = asset->heston.v0};
        for (int b = 0; b < SAMPLES; b++) several->states[way * SAMPLES + b] = state;
    }
}

void several_step(struct several *several, int s, int n, int compared, gsl_rng *rng)
{
    const struct joint_step *step = &several->steps[s];
    int assets = several->assets.n;
    struct joint_draw *draws[3] = {several->draws, several->draws + assets,
                                   several->draws + 2 * assets};
    draw_blocks(several, step, n, rng);
    for (int part = 0; part < step->parts; part++) {
        draw_part(several, step, n, rng, draws[part % 2]);
        move_part(several, step, FINE, part, n, draws[part % 2]);
        if (compared == 0 || part % 2 == 0) continue;
        draw_join(assets, draws[0], draws[1], compared, draws[2]);
        move_part(several, step, COARSE, part / 2, compared, draws[2]);
    }
    for (int way = 0; way < N_LEVELS * SIGNS * assets; way++)
        if (step->dividend[way % assets] > 0.0)
            pay_dividend(step->dividend[way % assets], n, several->states + way * SAMPLES);
}
