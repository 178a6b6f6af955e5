/* Autocallables on one lognormal asset, by quadrature; what simulations pay for the worst of
 * several.
 *
 * The law of log spot over the notes that live is carried from observation to
 * observation on panels that end where notes are called; that of the coupons that they have missed,
 * in which payments are linear, on panels that end where coupons are paid. What a date pays is a
 * closed form from each point of the date before. */

#include <math.h>

#include "validation/reference/methods.h"
#include "validation/reference/panels.h"

double autocallable_pays(const struct trade *trade, double worst, struct autocallable_state *state)
{
    double paid = 0.0;
    if (worst >= trade->coupon_level) {
        double years = trade->coupon_years ? trade->coupon_years[state->observations] : 1.0;
        paid = trade->coupon * years * trade->notional * (1 + state->missed);
        state->missed = 0;
    } else if (trade->memory) {
        state->missed++;
    }
    state->observations++;
    state->called = worst >= trade->call_level;
    return state->called ? paid + trade->notional : paid;
}

double autocallable_redeems(const struct trade *trade, double worst)
{
    return worst < trade->protection_level ? trade->notional * worst : trade->notional;
}

/* One asset's note. */
struct autocallable_note {
    const struct trade *trade;
    const struct multi_asset *assets;
    int n,
        observations; /* increments; observations, one less than those unless the last pays too */
    struct log_increment *increments;  /* [n] between observations, from today to the expiry */
    struct distribution alive, missed; /* notes on a date, and the coupons that they have missed */
};

/* A level of the spot at the end of an increment. */
struct note_level {
    const struct log_increment *step;
    double spot;
};

/* Returns the probability of ending at or above the level. */
static double is_reached(double x, const void *context)
{
    const struct note_level *level = context;
    double variance = level->step->variance, forward = exp(x + level->step->drift + 0.5 * variance);
    return 1.0 - black_exercise(OPTION_PUT, forward, level->spot, variance);
}

/* Returns the mean of the spot over those that end below the level. */
static double is_below(double x, const void *context)
{
    const struct note_level *level = context;
    double variance = level->step->variance, forward = exp(x + level->step->drift + 0.5 * variance);
    return forward * black_exercise(OPTION_PUT, forward * exp(variance), level->spot, variance);
}

/* Returns the mean of what the end of increment i pays. Where the expiry is an observation, a note
 * that is called is redeemed without loss. */
static double paid_after(const struct autocallable_note *note, int i)
{
    const struct trade *trade = note->trade;
    double initial = trade->initial[0], paid = 0.0, protection = trade->protection_level;
    const struct log_increment *step = &note->increments[i];
    struct note_level coupon = {step, trade->coupon_level * initial},
                      call = {step, trade->call_level * initial};
    if (i < note->observations) {
        struct autocallable_state state = {.observations = i};
        double pays = autocallable_pays(trade, INFINITY, &state) - trade->notional;
        paid = pays * (distribution_mean(&note->alive, is_reached, &coupon) +
                       distribution_mean(&note->missed, is_reached, &coupon));
        protection = fmin(protection, trade->call_level);
    }
    if (i < note->n - 1)
        return paid + trade->notional * distribution_mean(&note->alive, is_reached, &call);
    struct note_level end = {step, protection * initial};
    return paid + trade->notional * (distribution_mean(&note->alive, is_reached, &end) +
                                     distribution_mean(&note->alive, is_below, &end) / initial);
}

/* Panels over where the spot may be below a level after increments 0..i. */
static struct panels panels_below(const struct autocallable_note *note, int i, double level,
                                  double width)
{
    struct log_increment all = asset_increment(note->assets, 0, 0.0, note->increments[i].to);
    double mean = log(asset_at(note->assets, 0)->spot) + all.drift,
           reach = GAUSSIAN_CUT * sqrt(all.variance) + all.variance;
    return panels_between(-INFINITY, log(level * note->trade->initial[0]), mean - reach,
                          mean + reach, width);
}

/* Finds what lives after the observation at the end of increment i. All that goes on without a
 * coupon has missed one. */
static enum status advance(struct autocallable_note *note, int i, double width)
{
    const struct trade *trade = note->trade;
    struct effort *effort = note->assets->effort;
    const struct log_increment *step = &note->increments[i];
    const struct motion motion = {.drift = step->drift, .variance = step->variance};
    struct distribution more = {0};
    if (trade->memory) {
        double level = fmin(trade->coupon_level, trade->call_level);
        struct panels panels = panels_below(note, i, level, width);
        MUST(distribution_move(effort, &note->alive, &motion, panels, &more));
        MUST(distribution_move(effort, &note->missed, &motion, panels, &note->missed));
        for (int p = 0; p < more.n; p++) note->missed.mass[p] += more.mass[p];
    }
    MUST(distribution_move(effort, &note->alive, &motion,
                           panels_below(note, i, trade->call_level, width), &note->alive));
    distribution_free(&more);
    return STATUS_OK;
}

/* Finds the value today at a resolution, in panels a deviation. */
static enum status note_value(struct autocallable_note *note, double resolution, double *value)
{
    struct effort *effort = note->assets->effort;
    double *widths = NULL, start = log(asset_at(note->assets, 0)->spot), left = effort->work;
    *value = 0.0;
    MUST(effort_array(effort, note->n, &widths));
    panels_widths(note->increments, note->n, resolution, widths);
    MUST(distribution_at(effort, start, &note->alive));
    MUST(distribution_at(effort, start, &note->missed));
    note->missed.mass[0] = note->trade->past_missed;
    for (int i = 0; i < note->n; i++) {
        *value += asset_discount(note->assets, note->increments[i].to) * paid_after(note, i);
        if (i < note->n - 1) MUST(advance(note, i, widths[i]));
        MUST(effort_foresee_rest(effort, left, i + 1, note->n - 1 - i));
    }
    return STATUS_OK;
}

enum status reference_autocallable(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    struct autocallable_note note = {.trade = trade, .assets = &problem->assets};
    double coarse, fine;
    MUST(schedule_increments(note.assets, &trade->observations, trade->expiry, &note.increments,
                             &note.observations));
    note.n = note.observations + (note.increments[note.observations].from < trade->expiry);
    /* Densities want a variance of every step */
    for (int i = 0; i < note.n; i++)
        if (note.increments[i].variance <= 0.0) return STATUS_FAILED;
    MUST(note_value(&note, PANELS_FINE, &fine));
    if (note.assets->effort->errors_known) coarse = fine;
    else MUST(note_value(&note, PANELS_COARSE, &coarse));
    reference_found(out, fine, fabs(fine - coarse) + 1e-14 * fabs(fine), "quadrature");
    return STATUS_OK;
}
