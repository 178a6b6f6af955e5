/* Autocallables on the worst of some assets: one asset by recursive quadrature, several by
 * simulation.
 *
 * One lognormal asset: from the last observation backwards the value of a living note is a function
 * of log spot, and with memory also of the coupons missed, in which it is linear: value = alone +
 * missed * owed. Over a step it is the integral against a normal density, by Gauss-Legendre rules
 * on panels that end at the levels where it jumps. */
#include "validation/reference/reference_autocallable.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort_double.h>

#include "validation/reference/gaussian.h"
#include "validation/reference/multi_asset.h"

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

enum { NODES = 12, LEVELS = 3 };

/* Values at the points of one observation, seen from that date before its payment. */
struct value_layer {
    int n;
    double *point, *weight; /* log spot; of the quadrature */
    double *alone, *owed;
};

struct autocallable_note {
    const struct trade *trade;
    struct asset_curves curves;
    double *dates; /* [n] observations after today */
    int n;
    double level[LEVELS]; /* log spots, increasing */
    double panels;        /* a deviation of the shorter step beside a layer */
};

static void layer_free(struct value_layer *layer)
{
    effort_free(layer->point);
    *layer = (struct value_layer){0};
}

/* Panels of a width on an interval; where there are more than any budget of memory holds, as many
 * as it refuses. */
static int panels_on(double length, double width)
{
    return length > 0.0 ? (int)fmin(ceil(length / width), 1e7) : 0;
}

/* Returns the step that ends at observation i; i = n is the one to the expiry. */
static struct log_increment note_step(const struct autocallable_note *note, int i)
{
    double from = i ? note->dates[i - 1] : 0.0,
           to = i < note->n ? note->dates[i] : note->trade->expiry;
    return asset_increment(&note->curves, from, to);
}

/* Makes the points of observation i: panels over all that the spot may reach, cut at the levels. */
static enum status layer_of(const struct autocallable_note *note, int i, struct value_layer *layer)
{
    struct log_increment all = asset_increment(&note->curves, 0.0, note->dates[i]);
    double mean = log(note->curves.spot) + all.drift,
           reach = (GAUSSIAN_CUT + 1.0) * sqrt(all.variance);
    double variance = note_step(note, i).variance, next = note_step(note, i + 1).variance;
    if (i + 1 < note->n || next > 0.0) variance = fmin(variance, next);
    double width = sqrt(variance) / note->panels, edges[LEVELS + 2], *all_points;
    int most = 0;
    for (int e = 0; e < LEVELS + 2; e++) {
        double edge = e ? e <= LEVELS ? note->level[e - 1] : mean + reach : mean - reach;
        edges[e] = fmin(fmax(edge, mean - reach), mean + reach);
        if (e) most += panels_on(edges[e] - edges[e - 1], width) * NODES;
    }
    enum status status =
        effort_array(note->curves.effort, (size_t)most * 4 + 1, sizeof *all_points, &all_points);
    if (status) return status;
    *layer = (struct value_layer){0, all_points, all_points + most, all_points + 2 * most,
                                  all_points + 3 * most};
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(NODES);
    if (!rule) return STATUS_NO_MEMORY;
    for (int e = 0; e + 1 < LEVELS + 2; e++) {
        int panels = panels_on(edges[e + 1] - edges[e], width);
        for (int p = 0; p < panels * NODES; p++) {
            double panel = (edges[e + 1] - edges[e]) / panels, low = edges[e] + p / NODES * panel;
            gsl_integration_glfixed_point(low, low + panel, (size_t)(p % NODES),
                                          &layer->point[layer->n], &layer->weight[layer->n], rule);
            layer->n++;
        }
    }
    gsl_integration_glfixed_table_free(rule);
    return STATUS_OK;
}

/* Returns the value at x, after the last observation, of what is paid at the expiry, not
 * discounted: notional * (1 - P(worst < protection) + E[worst; worst < protection]). */
static double redemption_after(const struct autocallable_note *note, double x)
{
    const struct trade *trade = note->trade;
    struct log_increment increment = note_step(note, note->n);
    double mean = x + increment.drift - log(trade->initial[0]),
           level = log(trade->protection_level);
    if (increment.variance <= 0.0) return autocallable_redeems(trade, exp(mean));
    double deviation = sqrt(increment.variance), d = (level - mean) / deviation;
    double part = exp(mean + 0.5 * increment.variance) * normal_cdf(d - deviation);
    return trade->notional * (1.0 - normal_cdf(d) + part);
}

/* Finds what a living note is worth at x just after observation i: alone, and for each coupon that
 * is owed. */
static void value_after(const struct autocallable_note *note, int i, double x,
                        const struct value_layer *next, double *alone, double *owed)
{
    struct log_increment increment = note_step(note, i + 1);
    double discount =
        asset_discount(&note->curves, increment.to) / asset_discount(&note->curves, increment.from);
    *alone = *owed = 0.0;
    if (i + 1 == note->n) {
        *alone = discount * redemption_after(note, x);
        return;
    }
    double mean = x + increment.drift, scale = discount / sqrt(2.0 * M_PI * increment.variance);
    double reach = (GAUSSIAN_CUT + 0.5) * sqrt(increment.variance);
    for (int j = 0; j < next->n; j++) {
        double away = next->point[j] - mean;
        if (away < -reach) continue;
        if (away > reach) break;
        double density = scale * next->weight[j] * exp(-0.5 * away * away / increment.variance);
        *alone += density * next->alone[j];
        *owed += density * next->owed[j];
    }
}

/* Finds the values at observation i before its payment. */
static enum status value_layer(const struct autocallable_note *note, int i,
                               const struct value_layer *next, struct value_layer *layer)
{
    enum status status = STATUS_OK;
    const struct trade *trade = note->trade;
    for (int p = 0; p < layer->n; p++) {
        double worst = exp(layer->point[p]) / trade->initial[0], alone = 0.0, owed = 0.0;
        struct autocallable_state state = {.observations = i};
        double paid = autocallable_pays(trade, worst, &state);
        if (!state.called) value_after(note, i, layer->point[p], next, &alone, &owed);
        layer->alone[p] = paid + alone + state.missed * owed;
        layer->owed[p] = worst >= trade->coupon_level ? trade->coupon * trade->notional : owed;
        TRY(effort_spend(note->curves.effort, state.called ? 1.0 : next->n + 10.0));
    }
done:
    return status;
}

/* Finds the value today at a resolution; `points` is the work it took. */
static enum status note_value(const struct autocallable_note *note, double *value)
{
    struct value_layer next = {0}, layer = {0};
    enum status status = STATUS_OK;
    double owed = 0.0;
    for (int i = note->n - 1; i >= 0; i--) {
        TRY(layer_of(note, i, &layer));
        TRY(value_layer(note, i, &next, &layer));
        layer_free(&next);
        next = layer;
        layer = (struct value_layer){0};
    }
    value_after(note, -1, log(note->curves.spot), &next, value, &owed);
    *value += note->trade->past_missed * owed;
done:
    layer_free(&next);
    layer_free(&layer);
    return status;
}

/* Panels of a layer times reach of a step, over all steps: pairs of points. */
static double note_work(const struct autocallable_note *note)
{
    double pairs = 0.0;
    for (int i = 0; i < note->n; i++) {
        double all = sqrt(asset_variance(&note->curves, note->dates[i]));
        struct log_increment before = note_step(note, i), after = note_step(note, i + 1);
        double width =
            sqrt(fmin(before.variance, after.variance > 0.0 ? after.variance : before.variance));
        double points = 19.0 * all / width * note->panels * NODES;
        pairs += points * 18.0 * sqrt(before.variance) / width * note->panels * NODES;
    }
    return pairs;
}

static enum status note_of(const struct problem *problem, struct autocallable_note *note,
                           struct message *why)
{
    const struct trade *trade = problem->trade;
    *note = (struct autocallable_note){.trade = trade, .curves = problem->curves, .panels = 0.5};
    double levels[LEVELS] = {trade->call_level, trade->coupon_level, trade->protection_level};
    for (int l = 0; l < LEVELS; l++)
        note->level[l] = levels[l] > 0.0 ? log(levels[l] * trade->initial[0]) : -1e300;
    gsl_sort(note->level, 1, LEVELS);
    return schedule_dates(note->curves.effort, &trade->observations, trade->expiry, &note->dates,
                          &note->n, why);
}

/* Tells whether every step has a variance, as the densities want it; the one from the last
 * observation may be empty. */
static bool steps_have_variance(const struct autocallable_note *note)
{
    for (int i = 0; i < note->n; i++)
        if (note->dates[i] <= 0.0 || note_step(note, i).variance <= 0.0) return false;
    return true;
}

enum status reference_autocallable(const struct problem *problem, struct reference *out,
                                   struct message *why)
{
    struct multi_asset assets;
    struct autocallable_note note = {0};
    enum status status = STATUS_OK;
    double coarse, fine;
    TRY(multi_asset_of(problem->market, problem->trade, problem->curves.effort, &assets, why));
    if (assets.n > 1 || !multi_asset_is_normal(&assets, problem->trade->expiry))
        return reference_by_simulation(problem, out, why);
    TRY(note_of(problem, &note, why));
    note.panels = 0.75;
    if (!steps_have_variance(&note) || note_work(&note) > 2e8) {
        TRY(reference_by_simulation(problem, out, why));
        goto done;
    }
    TRY(note_value(&note, &fine));
    note.panels = 0.5;
    TRY(note_value(&note, &coarse));
    out->price = fine;
    out->error = fabs(fine - coarse) + 1e-14 * fabs(fine);
    out->method = "quadrature";
done:
    effort_free(note.dates);
    return status;
}
