/* Baskets, spreads and autocallables by simulation on GSL's Mersenne twister, for what no quadrature takes:
 * several assets on several dates, cash dividends, jumps, variances that are not known beforehand.
 *
 * Each path is taken twice, with its numbers and their opposites; the mean of the two is one sample. The
 * spots at the end, where their means are known, are controls. What the length of the steps does is measured:
 * some samples are taken again on steps twice as long, driven by the same noise, and move by -D. The truth is
 * then D / 3 farther on for a scheme of order two, and D for one of order one; the price is moved by D / 2,
 * and D / 2 is in its error. */
#include <math.h>
#include <stdlib.h>

#include "validation/reference/autocallable.h"
#include "validation/reference/controls.h"
#include "validation/reference/several.h"

static const double WORK = 8e6,
                    WORK_INEXACT = 1.2e7; /* moves of an asset: about half a second, and a second */
static const double PART_COST = 10.0;     /* of a move, in operations (effort.h) */
enum { COMPARED = 4 };                    /* one sample in so many is taken again on longer steps */

/* What a path has paid, discounted, and where it ended. */
struct outcome {
    double spots[TRADE_ASSETS_MAX], value;
    struct autocallable_state note;
};

static void observe(const struct several *several, const struct step *step, struct outcome *outcome)
{
    const struct trade *trade = several->trade;
    if (trade->product != PRODUCT_AUTOCALLABLE || outcome->note.called) return;
    bool end = several_same_date(step->time, trade->expiry, trade);
    double worst = INFINITY, discount = multi_asset_discount(&several->assets, step->time);
    if (!step->observed && !end) return;
    for (int i = 0; i < several->assets.n; i++) worst = fmin(worst, outcome->spots[i] / trade->initial[i]);
    if (step->observed) outcome->value += discount * autocallable_pays(trade, worst, &outcome->note);
    if (end && !outcome->note.called) outcome->value += discount * autocallable_redeems(trade, worst);
}

static double option_value(const struct several *several, const double *spots)
{
    const struct trade *trade = several->trade;
    enum basket_kind kind = trade->product == PRODUCT_SPREAD ? BASKET_AVERAGE : trade->kind;
    double basket = multi_asset_basket(&several->assets, kind, spots);
    double gain = trade->option == OPTION_CALL ? basket - trade->strike : trade->strike - basket;
    return multi_asset_discount(&several->assets, trade->expiry) * fmax(gain, 0.0);
}

static void take_path(const struct several *several, enum level level, double sign, struct outcome *outcome)
{
    struct walk walks[TRADE_ASSETS_MAX];
    const struct draw *draw = several->draws;
    *outcome = (struct outcome){.note.missed = several->trade->past_missed};
    several_begin(several, walks);
    for (int s = 0; s < several->n; s++) {
        several_step(several, s, level, sign, &draw, walks);
        if (!several->steps[s].observed && s < several->n - 1) continue;
        bool today = several->steps[s].time <= 0.0; /* where no rounding may take a spot across its level */
        for (int i = 0; i < several->assets.n; i++)
            outcome->spots[i] = today ? multi_asset_at(&several->assets, i)->spot : exp(walks[i].x);
        observe(several, &several->steps[s], outcome);
    }
    if (several->trade->product != PRODUCT_AUTOCALLABLE)
        outcome->value = option_value(several, outcome->spots);
}

/* Assets whose spots at the end are controls: of the others the mean is not known so simply. */
struct spots {
    int n, asset[CONTROLS_MAX];
};

static struct spots spots_of(const struct several *several, struct controls *controls)
{
    struct spots spots = {0};
    double expiry = several->trade->expiry;
    for (int i = 0; i < several->assets.n && spots.n < CONTROLS_MAX; i++) {
        const struct asset *asset = multi_asset_at(&several->assets, i);
        if (asset->n_dividends > 0 || several->walkers[i].fx) continue;
        spots.asset[spots.n++] = i;
        controls->known[spots.n] = asset->spot * exp(multi_asset_growth(&several->assets, i, expiry));
    }
    controls->n = spots.n;
    return spots;
}

/* One sample; `*moved` receives what longer steps would change, if it is asked for. */
static void take_sample(const struct several *several, const struct spots *spots, struct controls *controls,
                        double *moved)
{
    struct outcome up, down;
    double values[CONTROLS_MAX + 1];
    take_path(several, FINE, 1.0, &up);
    take_path(several, FINE, -1.0, &down);
    values[0] = 0.5 * (up.value + down.value);
    for (int c = 0; c < spots->n; c++)
        values[c + 1] = 0.5 * (up.spots[spots->asset[c]] + down.spots[spots->asset[c]]);
    controls_add(controls, values);
    if (!moved) return;
    take_path(several, COARSE, 1.0, &up);
    take_path(several, COARSE, -1.0, &down);
    *moved = values[0] - 0.5 * (up.value + down.value);
}

static enum status simulate(struct several *several, gsl_rng *rng, struct reference *out)
{
    enum status status = STATUS_OK;
    struct effort *effort = several->assets.effort;
    struct controls controls = {0}, moves = {0};
    struct spots spots = spots_of(several, &controls);
    double moved, error, work = several->exact ? WORK : WORK_INEXACT;
    long samples = (long)(0.5 * work / ((several->parts + 1) * several->assets.n));
    samples = samples > 500000 ? 500000 : samples < 1000 ? 1000 : samples;
    double cost = PART_COST * (several->exact ? 2.0 : 2.5) * (several->parts + 1.0) * several->assets.n +
                  several->n * several->assets.n;
    TRY(effort_foresee(effort, cost * samples));
    for (long i = 0; i < samples; i++) {
        TRY(effort_spend(effort, cost));
        bool compared = !several->exact && i % COMPARED == 0;
        several_draw(several, rng);
        take_sample(several, &spots, &controls, compared ? &moved : NULL);
        if (compared) controls_add(&moves, &moved);
    }
    controls_result(&controls, &out->price, &out->error);
    out->method = "monte carlo";
    if (several->exact) return STATUS_OK;
    controls_result(&moves, &moved, &error);
    out->price += 0.5 * moved;
    out->error = hypot(out->error, 0.5 * hypot(moved, error));
done:
    return status;
}

enum status reference_by_paths(const struct problem *problem, struct reference *out, struct message *why)
{
    struct several *several = NULL;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    enum status status = rng ? STATUS_OK : STATUS_NO_MEMORY;
    TRY(status);
    TRY(effort_array(problem->terms.effort, 1, sizeof *several, &several));
    TRY(several_make(problem, several, why));
    gsl_rng_set(rng, (unsigned long)(problem->seed ^ problem->seed >> 32));
    TRY(simulate(several, rng, out));
done:
    if (several) several_free(several);
    effort_free(several);
    if (rng) gsl_rng_free(rng);
    return status;
}
