/* Baskets, spreads and autocallables by simulation on GSL's Mersenne twister, for what no
 * quadrature takes: several assets on several dates, cash dividends, jumps, variances that are not
 * known beforehand.
 *
 * Each path is taken twice, with its numbers and their opposites; the mean of the two is one
 * sample. The spots at the end, where their means are known, are controls. What the length of the
 * steps does is measured: some samples are taken again on steps twice as long, driven by the same
 * noise, and move by -D. The truth is then D / 3 farther on for a scheme of order two, and D for
 * one of order one; the price is moved by D / 2, and D / 2 is in its error. */
#include <math.h>
#include <stdlib.h>

#include "validation/reference/gaussian.h"
#include "models/payoffs/product_numbers.h"
#include "validation/reference/reference_autocallable.h"
#include "validation/reference/mean_controls.h"
#include "validation/reference/several.h"

static const double WORK = 8e6,
                    WORK_INEXACT = 1.2e7; /* moves of an asset: about half a second, and a second */
static const double PART_COST = 10.0;     /* of a move, in operations (effort.h) */
enum { COMPARED = 4 };                    /* one sample in so many is taken again on longer steps */

/* What a path has paid, discounted. */
struct path_outcome {
    double value;
    struct autocallable_state note;
};

/* Assets whose spots at the end are controls: of the others the mean is not known so simply. */
struct spot_controls {
    int n, asset[MEAN_CONTROLS_MAX];
};

/* Samples side by side. */
struct sampling {
    struct several *several;
    struct spot_controls spots;
    struct path_outcome outcome[N_LEVELS][SIGNS][SAMPLES];
    /* [0] its value; means of both signs of the spots at the end */
    double control[SAMPLES][MEAN_CONTROLS_MAX + 1];
};

static void observe(const struct several *several, const struct joint_step *step,
                    const double *spots, struct path_outcome *outcome)
{
    const struct trade *trade = several->trade;
    bool end = several_same_date(step->time, trade->expiry, trade);
    double worst = INFINITY, discount = multi_asset_discount(&several->assets, step->time);
    for (int i = 0; i < several->assets.n; i++) worst = fmin(worst, spots[i] / trade->initial[i]);
    if (step->observed)
        outcome->value += discount * autocallable_pays(trade, worst, &outcome->note);
    if (end && !outcome->note.called)
        outcome->value += discount * autocallable_redeems(trade, worst);
}

static double option_value(const struct several *several, const double *spots)
{
    const struct trade *trade = several->trade;
    enum basket_kind kind = trade->product == PRODUCT_SPREAD ? BASKET_AVERAGE : trade->kind;
    double basket = multi_asset_basket(&several->assets, kind, spots);
    return multi_asset_discount(&several->assets, trade->expiry) *
           option_payoff(trade->option, basket, trade->strike);
}

static struct spot_controls spots_of(const struct several *several, struct mean_controls *controls)
{
    struct spot_controls spots = {0};
    double expiry = several->trade->expiry;
    for (int i = 0; i < several->assets.n && spots.n < MEAN_CONTROLS_MAX; i++) {
        const struct asset *asset = multi_asset_at(&several->assets, i);
        if (asset->n_dividends > 0 || several->steppers[i].fx) continue;
        spots.asset[spots.n++] = i;
        controls->known[spots.n] =
            asset->spot * exp(multi_asset_growth(&several->assets, i, expiry));
    }
    controls->n = spots.n;
    return spots;
}

/* Notes what a date means to some paths of one level and sign. */
static void look(struct sampling *sampling, int s, enum level level, int sign, int n)
{
    const struct several *several = sampling->several;
    const struct joint_step *step = &several->steps[s];
    bool today = step->time <= 0.0; /* where no rounding may take a spot across its level */
    bool note = several->trade->product == PRODUCT_AUTOCALLABLE;
    for (int b = 0; b < n; b++) {
        struct path_outcome *outcome = &sampling->outcome[level][sign][b];
        double spots[TRADE_ASSETS_MAX];
        if (note && outcome->note.called) continue;
        for (int i = 0; i < several->assets.n; i++)
            spots[i] = today ? multi_asset_at(&several->assets, i)->spot
                             : exp(several_walks(several, level, sign, i)[b].x);
        if (note) observe(several, step, spots, outcome);
        else outcome->value = option_value(several, spots);
    }
}

/* Takes n samples, the first `compared` ones on both levels of steps. */
static enum status take_samples(struct sampling *sampling, int n, int compared, double part_cost,
                                gsl_rng *rng)
{
    struct several *several = sampling->several;
    enum status status = STATUS_OK;
    several_begin(several);
    for (int level = 0; level < N_LEVELS; level++)
        for (int sign = 0; sign < SIGNS; sign++)
            for (int b = 0; b < SAMPLES; b++)
                sampling->outcome[level][sign][b] =
                    (struct path_outcome){.note.missed = several->trade->past_missed};
    TRY(effort_spend(several->assets.effort, part_cost * n));
    for (int s = 0; s < several->n; s++) {
        TRY(effort_spend(several->assets.effort,
                         (part_cost * several->steps[s].parts + several->assets.n) * n));
        several_step(several, s, n, compared, rng);
        bool last = s == several->n - 1;
        if (!last &&
            !(several->steps[s].observed && several->trade->product == PRODUCT_AUTOCALLABLE))
            continue;
        for (int sign = 0; sign < SIGNS; sign++) {
            look(sampling, s, FINE, sign, n);
            look(sampling, s, COARSE, sign, compared);
        }
    }
    for (int c = 0; c < sampling->spots.n; c++) {
        const struct step_state *up = several_walks(several, FINE, 0, sampling->spots.asset[c]),
                                *down = several_walks(several, FINE, 1, sampling->spots.asset[c]);
        for (int b = 0; b < n; b++)
            sampling->control[b][c + 1] = 0.5 * (exp(up[b].x) + exp(down[b].x));
    }
done:
    return status;
}

/* Returns the mean of both signs. */
static double sample_value(const struct sampling *sampling, enum level level, int b)
{
    return 0.5 * (sampling->outcome[level][0][b].value + sampling->outcome[level][1][b].value);
}

static enum status simulate(struct several *several, gsl_rng *rng, struct reference *out)
{
    enum status status = STATUS_OK;
    struct effort *effort = several->assets.effort;
    struct mean_controls controls = {0}, moves = {0};
    struct sampling *sampling;
    double moved, error, work = several->exact ? WORK : WORK_INEXACT;
    long samples = (long)(0.5 * work / ((several->parts + 1) * several->assets.n));
    samples = samples > 500000 ? 500000 : samples < 1000 ? 1000 : samples;
    double part_cost = PART_COST * (several->exact ? 2.0 : 2.5) * several->assets.n;
    TRY(effort_array(effort, 1, sizeof *sampling, &sampling));
    sampling->several = several;
    sampling->spots = spots_of(several, &controls);
    TRY(effort_foresee(
        effort, (part_cost * (several->parts + 1.0) + several->n * several->assets.n) * samples));
    for (long left = samples; left > 0; left -= SAMPLES) {
        int n = left < SAMPLES ? (int)left : SAMPLES, compared = several->exact ? 0 : n / COMPARED;
        TRY(take_samples(sampling, n, compared, part_cost, rng));
        for (int b = 0; b < n; b++) {
            sampling->control[b][0] = sample_value(sampling, FINE, b);
            mean_controls_add(&controls, sampling->control[b]);
            moved = sampling->control[b][0] - sample_value(sampling, COARSE, b);
            if (b < compared) mean_controls_add(&moves, &moved);
        }
    }
    mean_controls_result(&controls, &out->price, &out->error);
    out->method = "monte carlo";
    if (several->exact) goto done;
    mean_controls_result(&moves, &moved, &error);
    out->price += 0.5 * moved;
    out->error = hypot(out->error, 0.5 * hypot(moved, error));
done:
    effort_free(sampling);
    return status;
}

enum status reference_by_paths(const struct problem *problem, struct reference *out,
                               struct message *why)
{
    struct several *several = NULL;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    enum status status = rng ? STATUS_OK : STATUS_NO_MEMORY;
    TRY(status);
    TRY(effort_array(problem->curves.effort, 1, sizeof *several, &several));
    TRY(several_make(problem, several, why));
    gsl_rng_set(rng, (unsigned long)(problem->seed ^ problem->seed >> 32));
    TRY(simulate(several, rng, out));
done:
    if (several) several_free(several);
    effort_free(several);
    if (rng) gsl_rng_free(rng);
    return status;
}
