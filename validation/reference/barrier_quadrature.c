/* Barriers, double barriers and touches: the distribution of the living paths, carried forward from date to
 * date.
 *
 * Between the dates of a discrete schedule a path moves freely and is cut at the walls on each date; under
 * continuous monitoring it is watched, and the dates are those at which the ratio of drift to variance
 * changes, so that flat terms need no date at all and the price is the closed form (Reiner and Rubinstein
 * 1991; Kunitomo and Ikeda 1992). The first stretch and the last one are closed forms always; those between
 * are Gauss-Legendre quadratures of smooth functions.
 *
 * Cash at the hit, any rate, any number of walls: with P(t) the probability of a hit up to t, D the discount
 * factor and f the forward rate,  E[D(hit); hit <= T] = D(T) P(T) + integral of f(t) D(t) P(t) dt  by parts.
 * On a discrete schedule it is a sum over the dates. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_integration.h>

#include "validation/reference/gaussian.h"
#include "validation/reference/methods.h"
#include "validation/reference/panels.h"
#include "validation/reference/strip.h"

/* A watched path: legs from today to expiry, the walls looked at on the dates between them or throughout. */
struct watch {
    const struct terms *terms;
    struct strip strip;
    struct leg *legs;
    int n;
    bool continuous;
    bool cut_at_expiry; /* expiry is a date of the schedule */
};

/* What becomes of the paths. */
struct fate {
    double option; /* expected payoff of the option to those alive, undiscounted */
    double alive;  /* probability */
    double at_hit; /* value today of 1 paid at the hit */
};

/* What is asked of the fate. */
struct question {
    bool option, at_hit;
    enum option kind;
    double strike;
};

static struct stretch stretch_of(const struct watch *watch, int leg)
{
    const struct leg *l = &watch->legs[leg];
    return (struct stretch){&watch->strip, watch->strip.sign * l->drift, l->variance, watch->continuous};
}

/* Panels over where the living can be after legs 0..leg, with room for payoffs that grow like spot. */
static struct panels panels_after(const struct watch *watch, int leg, double width)
{
    double start = strip_distance(&watch->strip, watch->terms->spot);
    double mean = start, variance = 0.0;
    for (int i = 0; i <= leg; i++) {
        mean += watch->strip.sign * watch->legs[i].drift;
        variance += watch->legs[i].variance;
    }
    double reach = GAUSSIAN_CUT * sqrt(variance) + variance;
    return panels_between(0.0, watch->strip.width, mean - reach, mean + reach, width);
}

/* One segment of constant rate within leg `leg`, for the integral over the time of the hit. */
struct segment {
    const struct watch *watch;
    const struct distribution *living; /* at the start of the leg */
    int leg;
    double from, to, rate;
};

/* The integrand in w, t = from + (to - from) w^2: after a kink P is a smooth function of the root of time. */
static double hit_integrand(double w, void *context)
{
    const struct segment *segment = context;
    const struct watch *watch = segment->watch;
    double t = segment->from + (segment->to - segment->from) * w * w;
    struct stretch stretch = stretch_of(watch, segment->leg);
    double share =
        (terms_variance(watch->terms, t) - terms_variance(watch->terms, watch->legs[segment->leg].from)) /
        stretch.variance;
    if (!(share > 0.0)) return 0.0;
    stretch.drift *= share;
    stretch.variance *= share;
    struct claim claim = {.stretch = &stretch};
    if (effort_spend(watch->terms->effort, segment->living->n * strip_cost(&stretch))) return NAN;
    double hit = 1.0 - distribution_mean(segment->living, strip_alive, &claim);
    return segment->rate * terms_discount(watch->terms, t) * hit * 2.0 * w * (segment->to - segment->from);
}

/* The last leg in closed form from each point. */
static void last_leg(const struct watch *watch, const struct distribution *living,
                     const struct question *question, struct fate *fate)
{
    struct stretch stretch = stretch_of(watch, watch->n - 1);
    struct claim claim = {&stretch, question->kind, question->strike, watch->cut_at_expiry};
    fate->alive = distribution_mean(living, strip_alive, &claim);
    fate->option = question->option ? distribution_mean(living, strip_option, &claim) : 0.0;
}

/* The integral of f D P over time as the living are carried forward; under continuous monitoring alone. */
struct hits {
    double *breaks; /* [n] of the curves */
    int n;
    gsl_integration_workspace *work;
    double integral, error;
    struct effort *effort;
};

static enum status hits_open(struct hits *hits, const struct watch *watch)
{
    hits->effort = watch->terms->effort;
    enum status status = terms_breaks(watch->terms, watch->legs[watch->n - 1].to, &hits->breaks, &hits->n);
    if (status) return status;
    hits->work = gsl_integration_workspace_alloc(200);
    return hits->work ? STATUS_OK : STATUS_NO_MEMORY;
}

static void hits_close(struct hits *hits)
{
    if (hits->work) gsl_integration_workspace_free(hits->work);
    effort_free(hits->breaks);
}

/* Adds one leg, curve segment by curve segment. */
static enum status hits_within(struct hits *hits, const struct watch *watch,
                               const struct distribution *living, int leg)
{
    const struct leg *l = &watch->legs[leg];
    double from = l->from;
    for (int i = 0; i < hits->n && from < l->to; i++) {
        double to = fmin(hits->breaks[i], l->to), value = 0.0, bound = 0.0;
        if (to <= from) continue;
        double rate =
            log(terms_discount(watch->terms, from) / terms_discount(watch->terms, to)) / (to - from);
        struct segment segment = {watch, living, leg, from, to, rate};
        gsl_function function = {hit_integrand, &segment};
        if (fabs(rate) > 1e-14)
            gsl_integration_qag(&function, 0.0, 1.0, 1e-12, 1e-11, 200, GSL_INTEG_GAUSS21, hits->work, &value,
                                &bound); /* its complaint about rounding is in the bound */
        enum status status = effort_spend(hits->effort, 1.0);
        if (status) return status;
        if (!isfinite(value) || !(bound < 1e-6)) return STATUS_FAILED;
        hits->integral += value;
        hits->error += bound;
        from = to;
    }
    return STATUS_OK;
}

/* The living at the end of a leg that is not the last, in place of those at its start. */
static enum status advance(const struct watch *watch, int leg, double width, struct distribution *living)
{
    struct stretch stretch = stretch_of(watch, leg);
    struct panels panels = panels_after(watch, leg, width);
    struct distribution next = {0};
    struct effort *effort = watch->terms->effort;
    enum status status;
    if (watch->continuous)
        status = distribution_send(effort, living, strip_density, &stretch, strip_cost(&stretch),
                                   stretch.drift, stretch.variance, panels, &next);
    else status = distribution_spread(effort, living, stretch.drift, stretch.variance, panels, false, &next);
    if (status) {
        distribution_free(&next);
        return status;
    }
    distribution_free(living);
    *living = next;
    return STATUS_OK;
}

/* Carries the living from leg to leg to expiry. `*error` gets what the integral over time says of itself. */
static enum status carry(const struct watch *watch, const struct question *question, double resolution,
                         struct fate *fate, double *error)
{
    double alive = 1.0, expiry = watch->legs[watch->n - 1].to, *widths = NULL;
    struct distribution living = {0};
    struct hits hits = {0};
    enum status status = STATUS_OK;
    bool timed = question->at_hit && watch->continuous;
    *fate = (struct fate){0};
    TRY(effort_array(watch->terms->effort, (size_t)watch->n, sizeof *widths, &widths));
    panels_widths(watch->legs, watch->n, resolution, widths);
    TRY(distribution_at(watch->terms->effort, strip_distance(&watch->strip, watch->terms->spot), &living));
    if (timed) TRY(hits_open(&hits, watch));
    double before = effort_left(watch->terms->effort);
    for (int leg = 0; leg + 1 < watch->n; leg++) {
        if (timed) TRY(hits_within(&hits, watch, &living, leg));
        TRY(advance(watch, leg, widths[leg], &living));
        TRY(effort_foresee_rest(watch->terms->effort, before, leg + 1, watch->n - 2 - leg));
        double left = distribution_mass(&living);
        fate->at_hit += terms_discount(watch->terms, watch->legs[leg].to) * (alive - left);
        alive = left;
    }
    if (timed) TRY(hits_within(&hits, watch, &living, watch->n - 1));
    last_leg(watch, &living, question, fate);
    fate->at_hit += terms_discount(watch->terms, expiry) * (alive - fate->alive);
    if (timed) fate->at_hit = terms_discount(watch->terms, expiry) * (1.0 - fate->alive) + hits.integral;
    *error = hits.error;
done:
    hits_close(&hits);
    distribution_free(&living);
    effort_free(widths);
    return status;
}

/* The fate at two resolutions: the finer one, and the difference as its error, each in its own unit. */
static enum status watch_fate(const struct watch *watch, const struct question *question, struct fate *fate,
                              struct fate *error)
{
    struct fate coarse;
    double integral = 0.0;
    *error = (struct fate){0};
    enum status status = carry(watch, question, 2.0 / 3.0, fate, &integral);
    if (!status && watch->n > 1) {
        integral = 0.0;
        coarse = *fate;
        status = carry(watch, question, 0.5, &coarse, &integral);
        error->option = fabs(fate->option - coarse.option);
        error->alive = fabs(fate->alive - coarse.alive);
        error->at_hit = fabs(fate->at_hit - coarse.at_hit);
    }
    error->at_hit += integral;
    return status;
}

/* Legs between the dates of the schedule after today, and on to expiry. */
static enum status watch_dates(struct watch *watch, const struct trade *trade, const double *dates, int n)
{
    enum status status = effort_array(watch->terms->effort, (size_t)n + 1, sizeof *watch->legs, &watch->legs);
    if (status) return status;
    watch->n = terms_legs(watch->terms, dates, n, watch->legs);
    double last = watch->n ? watch->legs[watch->n - 1].to : 0.0;
    watch->cut_at_expiry = last >= trade->expiry;
    if (!watch->cut_at_expiry) watch->legs[watch->n++] = terms_leg(watch->terms, last, trade->expiry);
    return STATUS_OK;
}

/* The fate of a trade's paths. A wall that was hit before today leaves nothing to come; one that is hit
 * today, under continuous monitoring or with a date at time 0, pays at once. STATUS_FAILED where some leg has
 * no variance. */
static enum status trade_fate(const struct problem *problem, struct strip strip,
                              const struct question *question, struct fate *fate, struct fate *error,
                              bool *exact, struct message *why)
{
    const struct trade *trade = problem->trade;
    struct watch watch = {
        .terms = &problem->terms, .strip = strip, .continuous = trade->monitoring.continuous};
    double start = strip_distance(&strip, problem->terms.spot), *dates = NULL;
    bool outside = start <= 0.0 || start >= strip.width, dead = false;
    int n = 0;
    enum status status = STATUS_OK;
    *fate = *error = (struct fate){0};
    *exact = true;
    if (trade->hit) goto done;
    if (!watch.continuous)
        TRY(terms_dates(problem->terms.effort, &trade->monitoring, trade->expiry, &dates, &n, why));
    if (outside && (watch.continuous || (n > 0 && dates[0] <= 0.0))) {
        fate->at_hit = 1.0;
        goto done;
    }
    if (watch.continuous) TRY(terms_periods(watch.terms, trade->expiry, &watch.legs, &watch.n, &dead));
    else TRY(watch_dates(&watch, trade, dates, n));
    for (int i = 0; i < watch.n; i++) dead = dead || watch.legs[i].variance <= 0.0;
    if (dead) TRY(STATUS_FAILED);
    *exact = watch.n == 1 && !question->at_hit;
    TRY(watch_fate(&watch, question, fate, error));
done:
    effort_free(watch.legs);
    effort_free(dates);
    return status;
}

static struct strip single_wall(const struct trade *trade, double spot)
{
    bool up =
        trade->direction == DIRECTION_UP || (trade->direction == DIRECTION_NONE && trade->barrier > spot);
    return (struct strip){up ? -1.0 : 1.0, trade->barrier, INFINITY};
}

static struct strip two_walls(const struct trade *trade)
{
    return (struct strip){1.0, trade->lower, log(trade->upper / trade->lower)};
}

/* An option that lives or is born at the walls; the knock-in is the option less the knock-out (exact), its
 * rebate paid at expiry if no wall was ever hit. */
static enum status price_knock(const struct problem *problem, struct strip strip, struct reference *out,
                               struct message *why)
{
    const struct trade *trade = problem->trade;
    const struct terms *terms = &problem->terms;
    bool at_hit = trade->knock == KNOCK_OUT && trade->pay_at == PAY_AT_HIT && trade->rebate != 0.0;
    struct question question = {true, at_hit, trade->option, trade->strike};
    struct fate fate, error;
    bool exact;
    enum status status = trade_fate(problem, strip, &question, &fate, &error, &exact, why);
    if (status == STATUS_FAILED) return reference_by_simulation(problem, out, why);
    if (status) return status;
    double discount = terms_discount(terms, trade->expiry), rebate = trade->rebate;
    out->price = discount * fate.option;
    if (trade->knock == KNOCK_IN) {
        double variance = terms_variance(terms, trade->expiry), forward = terms_forward(terms, trade->expiry);
        double option = black(trade->option, forward, trade->strike, variance);
        out->price = discount * (option - fate.option + rebate * fate.alive);
    } else if (at_hit) {
        out->price += rebate * fate.at_hit;
    } else if (rebate != 0.0) {
        out->price += discount * rebate * (1.0 - fate.alive);
    }
    out->error = discount * error.option + fabs(rebate) * (discount * error.alive + error.at_hit);
    out->method = exact ? "closed form" : "quadrature";
    return STATUS_OK;
}

enum status reference_barrier(const struct problem *problem, struct reference *out, struct message *why)
{
    return price_knock(problem, single_wall(problem->trade, problem->terms.spot), out, why);
}

enum status reference_double_barrier(const struct problem *problem, struct reference *out,
                                     struct message *why)
{
    return price_knock(problem, two_walls(problem->trade), out, why);
}

enum status reference_touch(const struct problem *problem, struct reference *out, struct message *why)
{
    const struct trade *trade = problem->trade;
    struct strip strip = trade->barrier > 0.0 ? single_wall(trade, problem->terms.spot) : two_walls(trade);
    bool at_hit = trade->touch == TOUCH_ONE && trade->pay_at == PAY_AT_HIT;
    struct question question = {.at_hit = at_hit};
    struct fate fate, error;
    bool exact;
    enum status status = trade_fate(problem, strip, &question, &fate, &error, &exact, why);
    if (status == STATUS_FAILED) return reference_by_simulation(problem, out, why);
    if (status) return status;
    double discount = terms_discount(&problem->terms, trade->expiry), paid = fate.at_hit;
    if (!at_hit) paid = discount * (trade->touch == TOUCH_ONE ? 1.0 - fate.alive : fate.alive);
    out->price = trade->cash * paid;
    out->error = fabs(trade->cash) * (at_hit ? error.at_hit : discount * error.alive);
    out->method = exact ? "closed form" : "quadrature";
    return STATUS_OK;
}
