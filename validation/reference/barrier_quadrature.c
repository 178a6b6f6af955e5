/* Barriers, double barriers and touches: the distribution of the living paths, carried forward from
 * date to date.
 *
 * Between the dates of a discrete schedule a path moves freely and is cut at the walls on each
 * date; under continuous monitoring it is watched, and the dates are those at which the ratio of
 * drift to variance changes, so that flat terms need no date at all and the price is the closed
 * form (Reiner and Rubinstein 1991; Kunitomo and Ikeda 1992). The first interval and the last one
 * are closed forms always; those between are Gauss-Legendre quadratures of smooth functions.
 *
 * Other models and cash dividends, under continuous monitoring: finite differences between walls.
 *
 * Cash at the hit, any rate, any number of walls: with P(t) the probability of a hit up to t, D the
 * discount factor and f the forward rate,  E[D(hit); hit <= T] = D(T) P(T) + integral of f(t) D(t)
 * P(t) dt  by parts. On a discrete schedule it is a sum over the dates. */
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_math.h>

#include "models/payoffs/product_numbers.h"
#include "models/payoffs/trade.h"
#include "validation/reference/methods.h"
#include "validation/reference/panels.h"
#include "validation/reference/reference_american.h"

/* Log spot against one barrier or two, over one interval of constant drift per variance: densities
 * and expectations in closed form by images.
 *
 * The coordinate is the distance from the barrier into the living side, y = sign * log(S / level),
 * so that a path lives for 0 < y < width: a down barrier has sign +1 and infinite width, an up
 * barrier -1, two barriers +1 at the lower one and width log(upper / lower). */

/* A corridor between one or two barriers. */
struct corridor {
    double sign, level, width;
};

/* A watched path: increments from today to expiry, the walls looked at on the dates between them,
 * or throughout: a path that touches one is gone. */
struct barrier_monitoring {
    const struct trade *trade;
    const struct multi_asset *assets;
    struct corridor corridor;
    struct log_increment *increments;
    int n;
    bool continuous;
    bool cut_at_expiry; /* those outside the corridor at the expiry are dead */
    bool at_hit;        /* what is paid at the hit is asked for */
};

/* An interval: y moves by drift + sqrt(variance) * normal; variance > 0. */
struct corridor_interval {
    const struct barrier_monitoring *monitoring;
    double drift, variance;
};

static double corridor_distance(const struct corridor *corridor, double spot)
{
    return corridor->sign * log(spot / corridor->level);
}

/* Tells whether the variance leaves less than exp(-98) of the paths alive between two walls. */
static bool is_fatal(const struct corridor_interval *interval)
{
    double width = interval->monitoring->corridor.width;
    return interval->variance > 20.0 * width * width;
}

/* Images of x in the walls (Cox and Miller 1965, section 5.7; Kunitomo and Ikeda 1992): the density
 * of the living is sum over k of  exp(a (c - x)) phi(y - c - drift) [c = x + 2 k width]  -  the
 * same with c = -x + 2 k width, a = drift / variance. Farther ones than this many widths are below
 * 1e-17 of the first. */
static int farthest_image(const struct corridor_interval *interval)
{
    double width = interval->monitoring->corridor.width;
    if (!interval->monitoring->continuous || isinf(width) || is_fatal(interval)) return 0;
    return 1 + (int)ceil(0.5 * sqrt(1.0 + 81.0 * interval->variance / (width * width)));
}

/* Operations (effort.h) that a density or an expectation takes at most. */
static double corridor_cost(const struct corridor_interval *interval)
{
    return 4.0 * (2.0 * farthest_image(interval) + 1.0) * (1.0 + interval->monitoring->continuous);
}

/* Tells whether no path is alive, or as good as none. */
static bool all_dead(double x, const struct corridor_interval *interval)
{
    return interval->monitoring->continuous &&
           (x <= 0.0 || x >= interval->monitoring->corridor.width || is_fatal(interval));
}

/* Returns the density at y of the paths that start at x and are alive: of a motion with context
 * struct corridor_interval. */
static double corridor_density(double x, double y, const struct motion *motion)
{
    const struct corridor_interval *interval = motion->context;
    if (all_dead(x, interval)) return 0.0;
    double ratio = interval->drift / interval->variance, sum = 0.0;
    int farthest = farthest_image(interval);
    for (int k = -farthest; k <= farthest; k++) {
        double shift = k ? 2.0 * k * interval->monitoring->corridor.width : 0.0;
        for (int image = 0; image <= interval->monitoring->continuous; image++) {
            double centre = (image ? -x : x) + shift, distance = y - centre - interval->drift;
            double power = ratio * (centre - x) - 0.5 * distance * distance / interval->variance;
            if (power > -45.0) sum += image ? -exp(power) : exp(power);
        }
    }
    return sum / sqrt(2.0 * M_PI * interval->variance);
}

/* Returns the integral over low < y < high of (money * exp(sign y) + cash) times the density. */
static double corridor_integral(double x, const struct corridor_interval *interval, double low,
                                double high, double money, double cash)
{
    if (all_dead(x, interval) || !(high > low)) return 0.0;
    double ratio = interval->drift / interval->variance, deviation = sqrt(interval->variance),
           sum = 0.0;
    double sign = interval->monitoring->corridor.sign, lift = sign * interval->variance;
    int farthest = farthest_image(interval);
    for (int k = -farthest; k <= farthest; k++) {
        double shift = k ? 2.0 * k * interval->monitoring->corridor.width : 0.0;
        for (int image = 0; image <= interval->monitoring->continuous; image++) {
            double centre = (image ? -x : x) + shift, mean = centre + interval->drift;
            double weight = ratio * (centre - x), term = 0.0;
            if (cash != 0.0)
                term += cash *
                        normal_between(weight, (low - mean) / deviation, (high - mean) / deviation);
            if (money != 0.0)
                term += money * normal_between(weight + sign * mean + 0.5 * interval->variance,
                                               (low - mean - lift) / deviation,
                                               (high - mean - lift) / deviation);
            sum += image ? -term : term;
        }
    }
    return sum;
}

/* Finds, from x and undiscounted, the expected payoff of the option on the spot at the end of an
 * interval to paths that are alive then, and the probability of being alive. `payoff`s with context
 * struct corridor_interval. */
static double corridor_option(double x, const void *context)
{
    const struct corridor_interval *interval = context;
    const struct corridor *corridor = &interval->monitoring->corridor;
    const struct trade *trade = interval->monitoring->trade;
    bool bounded = interval->monitoring->cut_at_expiry;
    double low = bounded ? 0.0 : -INFINITY, high = bounded ? corridor->width : INFINITY;
    double at_strike = corridor_distance(corridor, trade->strike),
           sign = trade->option == OPTION_CALL ? 1.0 : -1.0;
    if (sign * corridor->sign > 0.0) /* pays above the strike's distance */
        low = fmax(low, at_strike);
    else high = fmin(high, at_strike);
    return corridor_integral(x, interval, low, high, sign * corridor->level, -sign * trade->strike);
}

static double corridor_alive(double x, const void *context)
{
    const struct corridor_interval *interval = context;
    if (!interval->monitoring->cut_at_expiry) return 1.0;
    return corridor_integral(x, interval, 0.0, interval->monitoring->corridor.width, 0.0, 1.0);
}

/* What becomes of the paths. */
struct barrier_outcome {
    double option; /* expected payoff of the option to those alive, undiscounted */
    double alive;  /* probability */
    double at_hit; /* value today of 1 paid at the hit */
    bool exact;    /* by a closed form */
};

static struct corridor_interval interval_of(const struct barrier_monitoring *monitoring,
                                            int increment)
{
    const struct log_increment *l = &monitoring->increments[increment];
    return (struct corridor_interval){monitoring, monitoring->corridor.sign * l->drift,
                                      l->variance};
}

/* One segment of constant rate within increment `increment`, for the integral over the time of the
 * hit. */
struct hit_segment {
    const struct barrier_monitoring *monitoring;
    const struct distribution *living; /* at the start of the increment */
    int increment;
    double from, to, rate;
};

/* Returns the integrand in w, t = from + (to - from) w^2: after a kink P is a smooth function of
 * the root of time. */
static double hit_integrand(double w, void *context)
{
    const struct hit_segment *segment = context;
    const struct barrier_monitoring *monitoring = segment->monitoring;
    double t = segment->from + (segment->to - segment->from) * w * w;
    struct corridor_interval interval = interval_of(monitoring, segment->increment);
    double share =
        (asset_variance(monitoring->assets, 0, t) -
         asset_variance(monitoring->assets, 0, monitoring->increments[segment->increment].from)) /
        interval.variance;
    if (!(share > 0.0)) return 0.0;
    interval.drift *= share;
    interval.variance *= share;
    if (effort_spend(monitoring->assets->effort, segment->living->n * corridor_cost(&interval)))
        return NAN;
    double hit = 1.0 - distribution_mean(segment->living, corridor_alive, &interval);
    return segment->rate * asset_discount(monitoring->assets, t) * hit * 2.0 * w *
           (segment->to - segment->from);
}

/* Adds the integral of f D P over the time of one increment, curve segment by curve segment, to
 * what is paid at the hit, and its bound to `*error`; under continuous monitoring alone. */
static enum status add_hits(const struct barrier_monitoring *monitoring,
                            const struct distribution *living, int increment, double *at_hit,
                            double *error)
{
    const struct log_increment *l = &monitoring->increments[increment];
    const struct multi_asset *assets = monitoring->assets;
    double from = l->from, *breaks = NULL;
    int n = 0;
    MUST(asset_breaks(assets, l->to, &breaks, &n));
    for (int i = 0; i < n; i++) {
        double to = breaks[i];
        struct bounded_value hits = {0.0, 0.0};
        if (to <= from) continue;
        double rate = log(asset_discount(assets, from) / asset_discount(assets, to)) / (to - from);
        struct hit_segment segment = {monitoring, living, increment, from, to, rate};
        if (fabs(rate) > 1e-14)
            MUST(adaptive_integral((gsl_function){hit_integrand, &segment}, 0.0, 1.0,
                                   GSL_INTEG_GAUSS21, 200, 1e-10, 1e-9, &hits));
        MUST(effort_spend(assets->effort, 1.0));
        if (!isfinite(hits.value) || !(hits.error < 1e-6)) return STATUS_FAILED;
        *at_hit += hits.value;
        *error += hits.error;
        from = to;
    }
    return STATUS_OK;
}

/* Finds the living at the end of an increment that is not the last, in place of those at its start,
 * on panels over where they can be, with room for payoffs that grow like spot. */
static enum status advance(const struct barrier_monitoring *monitoring, int increment, double width,
                           struct distribution *living)
{
    struct corridor_interval interval = interval_of(monitoring, increment);
    struct log_increment all =
        asset_increment(monitoring->assets, 0, 0.0, monitoring->increments[increment].to);
    double start = corridor_distance(&monitoring->corridor, asset_at(monitoring->assets, 0)->spot),
           mean = start + monitoring->corridor.sign * all.drift,
           reach = GAUSSIAN_CUT * sqrt(all.variance) + all.variance;
    struct panels panels =
        panels_between(0.0, monitoring->corridor.width, mean - reach, mean + reach, width);
    const struct motion motion = {.drift = interval.drift,
                                  .variance = interval.variance,
                                  .density = monitoring->continuous ? corridor_density : NULL,
                                  .context = &interval,
                                  .cost = corridor_cost(&interval)};
    return distribution_move(monitoring->assets->effort, living, &motion, panels, living);
}

/* Carries the living from increment to increment to expiry. `*error` gets what the integral over
 * time says of itself. */
static enum status carry(const struct barrier_monitoring *monitoring, double resolution,
                         struct barrier_outcome *outcome, double *error)
{
    const struct multi_asset *assets = monitoring->assets;
    double alive = 1.0, expiry = monitoring->increments[monitoring->n - 1].to, *widths = NULL;
    struct distribution living = {0};
    bool timed = monitoring->at_hit && monitoring->continuous;
    int last = monitoring->n - 1;
    *outcome = (struct barrier_outcome){0};
    *error = 0.0;
    MUST(effort_array(assets->effort, monitoring->n, &widths));
    panels_widths(monitoring->increments, monitoring->n, resolution, widths);
    MUST(distribution_at(assets->effort,
                         corridor_distance(&monitoring->corridor, asset_at(assets, 0)->spot),
                         &living));
    double before = assets->effort->work;
    for (int i = 0; i < last; i++) {
        if (timed) MUST(add_hits(monitoring, &living, i, &outcome->at_hit, error));
        MUST(advance(monitoring, i, widths[i], &living));
        MUST(effort_foresee_rest(assets->effort, before, i + 1, last - 1 - i));
        if (timed) continue;
        double left = 0.0;
        for (int p = 0; p < living.n; p++) left += living.mass[p];
        outcome->at_hit += asset_discount(assets, monitoring->increments[i].to) * (alive - left);
        alive = left;
    }
    if (timed) MUST(add_hits(monitoring, &living, last, &outcome->at_hit, error));
    struct corridor_interval end = interval_of(monitoring, last);
    outcome->alive = distribution_mean(&living, corridor_alive, &end);
    if (monitoring->trade->product != PRODUCT_TOUCH)
        outcome->option = distribution_mean(&living, corridor_option, &end);
    outcome->at_hit += asset_discount(assets, expiry) * (alive - outcome->alive);
    return STATUS_OK;
}

/* Finds the fate at two resolutions: the finer one, and the difference as its error, each in its
 * own unit. */
static enum status monitored_outcome(const struct barrier_monitoring *monitoring,
                                     struct barrier_outcome *outcome, struct barrier_outcome *error)
{
    struct barrier_outcome coarse;
    double integral = 0.0;
    *error = (struct barrier_outcome){0};
    MUST(carry(monitoring, PANELS_FINE, outcome, &integral));
    if (monitoring->n > 1 && !monitoring->assets->effort->errors_known) {
        MUST(carry(monitoring, PANELS_COARSE, &coarse, &integral));
        error->option = fabs(outcome->option - coarse.option);
        error->alive = fabs(outcome->alive - coarse.alive);
        error->at_hit = fabs(outcome->at_hit - coarse.at_hit);
    }
    error->at_hit += integral;
    return STATUS_OK;
}

/* Returns where a trade's paths live: beyond its barrier, or between its two. */
static struct corridor corridor_of(const struct problem *problem)
{
    const struct trade *trade = problem->trade;
    bool up = trade->direction == DIRECTION_UP ||
              (trade->direction == DIRECTION_NONE && trade->barrier > problem->asset->spot);
    if (trade->barrier > 0.0) return (struct corridor){up ? -1.0 : 1.0, trade->barrier, INFINITY};
    return (struct corridor){1.0, trade->lower, log(trade->upper / trade->lower)};
}

/* Tells whether no closed form moves a trade's paths from date to date. */
static bool needs_field(const struct problem *problem)
{
    const struct asset *asset = problem->asset;
    return asset->model != MODEL_BLACK_SCHOLES ||
           (asset->n_dividends > 0 && asset->dividends[0].time <= problem->trade->expiry);
}

/* Prices one thing that is paid at the end, or at the walls, by finite differences. */
static enum status field_price(const struct problem *problem, struct grid_option what, double unit,
                               double *value, double *error)
{
    struct reference found;
    what.assets = &problem->assets, what.trade = problem->trade, what.end = problem->trade->expiry;
    MUST(price_on_a_field(&what, &found));
    *value = found.price / unit, *error = found.error / unit;
    return STATUS_OK;
}

/* Finds the fate of paths that are watched at every moment. */
static enum status field_outcome(const struct problem *problem, const struct corridor *corridor,
                                 bool at_hit, struct barrier_outcome *outcome,
                                 struct barrier_outcome *error)
{
    double unit = asset_discount(&problem->assets, problem->trade->expiry);
    double near = log(corridor->level), far = near + corridor->sign * corridor->width;
    struct grid_option hit = {.wall = {fmin(near, far), fmax(near, far)}}, alive = hit,
                       option = hit;
    hit.at_wall = alive.cash = option.options = 1.0;
    const bool touch = problem->trade->product == PRODUCT_TOUCH;
    if (at_hit) MUST(field_price(problem, hit, 1.0, &outcome->at_hit, &error->at_hit));
    else if (touch || problem->trade->rebate != 0.0)
        MUST(field_price(problem, alive, unit, &outcome->alive, &error->alive));
    if (touch) return STATUS_OK;
    return field_price(problem, option, unit, &outcome->option, &error->option);
}

/* Finds what an option without walls pays on the mean. */
static enum status option_outcome(const struct problem *problem, double *value, double *error)
{
    const struct grid_option option = {WITHOUT_WALLS};
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    *error = 0.0;
    if (needs_field(problem))
        return field_price(problem, option, asset_discount(assets, trade->expiry), value, error);
    *value = black(trade->option, asset_forward(assets, 0, trade->expiry), trade->strike,
                   asset_variance(assets, 0, trade->expiry));
    return STATUS_OK;
}

/* Finds the fate of a trade's paths. A wall that was hit before today leaves nothing to come; one
 * that continuous monitoring finds hit today pays at once.
 * STATUS_FAILED where some increment has no variance. */
static enum status trade_outcome(const struct problem *problem, bool at_hit,
                                 struct barrier_outcome *outcome, struct barrier_outcome *error)
{
    const struct trade *trade = problem->trade;
    struct barrier_monitoring monitoring = {.trade = trade,
                                            .at_hit = at_hit,
                                            .assets = &problem->assets,
                                            .corridor = corridor_of(problem),
                                            .continuous = trade->monitoring.continuous,
                                            .cut_at_expiry = trade->monitoring.continuous};
    double start = corridor_distance(&monitoring.corridor, problem->asset->spot);
    bool outside = start <= 0.0 || start >= monitoring.corridor.width;
    *outcome = *error = (struct barrier_outcome){0};
    outcome->exact = true;
    if (trade->hit) return STATUS_OK;
    if (outside && monitoring.continuous) {
        outcome->at_hit = 1.0;
        return STATUS_OK;
    }
    if (needs_field(problem))
        return monitoring.continuous
                   ? field_outcome(problem, &monitoring.corridor, at_hit, outcome, error)
                   : STATUS_FAILED;
    if (monitoring.continuous)
        MUST(
            asset_periods(monitoring.assets, trade->expiry, &monitoring.increments, &monitoring.n));
    else {
        MUST(schedule_increments(monitoring.assets, &trade->monitoring, trade->expiry,
                                 &monitoring.increments, &monitoring.n));
        monitoring.cut_at_expiry = monitoring.increments[monitoring.n].from >= trade->expiry;
        if (!monitoring.cut_at_expiry) monitoring.n++;
    }
    for (int i = 0; i < monitoring.n; i++)
        if (monitoring.increments[i].variance <= 0.0) return STATUS_FAILED;
    MUST(monitored_outcome(&monitoring, outcome, error));
    outcome->exact = monitoring.n == 1 && !at_hit;
    return STATUS_OK;
}

/* Prices what is paid at the walls, and an option that lives or is born there: the knock-in is the
 * option less the knock-out (exact), its rebate paid at expiry if no wall was ever hit. */
enum status reference_barrier(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    double discount = asset_discount(assets, trade->expiry), rebate = trade->rebate;
    bool touch = trade->product == PRODUCT_TOUCH,
         hits_pay = touch ? trade->touch == TOUCH_ONE : trade->knock == KNOCK_OUT && rebate != 0.0,
         at_hit = hits_pay && trade->pay_at == PAY_AT_HIT;
    struct barrier_outcome outcome, error;
    MUST(trade_outcome(problem, at_hit, &outcome, &error));
    out->price = discount * outcome.option;
    out->error = discount * error.option + fabs(rebate) * (discount * error.alive + error.at_hit);
    out->method = needs_field(problem) ? "finite differences"
                  : outcome.exact      ? "closed form"
                                       : "quadrature";
    if (touch) {
        double paid = discount * (hits_pay ? 1.0 - outcome.alive : outcome.alive);
        out->price = trade->cash * (at_hit ? outcome.at_hit : paid);
        out->error = fabs(trade->cash) * (at_hit ? error.at_hit : discount * error.alive);
    } else if (trade->knock == KNOCK_IN) {
        double option, option_error;
        MUST(option_outcome(problem, &option, &option_error));
        out->price = discount * (option - outcome.option + rebate * outcome.alive);
        out->error += discount * option_error;
    } else if (rebate != 0.0) {
        out->price += at_hit ? rebate * outcome.at_hit : discount * rebate * (1.0 - outcome.alive);
    }
    return STATUS_OK;
}
