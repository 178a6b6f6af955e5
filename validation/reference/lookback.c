/* Lookbacks: the law of the extreme of spot over the rest of the life, built from expiry back to
 * today.
 *
 * With sign +1 for a maximum and -1 for a minimum let h(t) = max over s >= t of
 * sign * log(S(s) / S(t)). Going back over an interval in which sign * log S moves by x,
 *
 *     on dates      h' = max(0, x + h),
 *     continuously  h' = max(highest point of the interval, x + h).
 *
 * The first has an atom at 0 and a density above (Lindley 1952; Andersen 1953): a quadrature. The
 * second is a reflected Brownian motion, of known transition density: one interval for each
 * constant ratio of drift to variance. The interval next to today is a closed form in h, so that
 * flat terms have no quadrature at all and give the formulas of Goldman, Sosin and Gatto (1979) and
 * Conze and Viswanathan (1991) (Haug 2007, section 4.15).
 *
 * Every payoff is an option on the extreme to come, struck at what it must pass to count, and
 * forwards; but a floating strike whose last date comes before expiry is an option that may end
 * worthless, and is priced from today on: see option_on_rest(). */
#include <math.h>

#include <gsl/gsl_math.h>

#include "validation/reference/methods.h"
#include "validation/reference/panels.h"

/* The option on the extreme to come: E[(M - strike)+] for sign +1, E[(strike - m)+] for sign -1;
 * `forward` asks for the mean of the extreme itself instead (dates only). */
struct lookback_extreme {
    double sign, spot, strike;
    bool forward, continuous;
    /* A floating strike whose dates end before expiry: y is carried from today on, from `start`
     * after the `first` increments */
    bool early;
    int first;
    double start;
    /* In the order of time; on dates one more, from the last of them to expiry */
    struct log_increment *increments;
    int n;
    struct effort *effort;
};

static double drift_of(const struct lookback_extreme *extreme, int increment)
{
    return extreme->sign * extreme->increments[increment].drift;
}

/* Prices the option looked at on dates, from h on the first of them: the first move is still to
 * come. */
static double option_on_dates(double h, const void *context)
{
    const struct lookback_extreme *extreme = context;
    double variance = extreme->increments[0].variance;
    double forward =
        extreme->spot * exp(extreme->increments[0].drift + 0.5 * variance + extreme->sign * h);
    if (extreme->forward) return forward;
    return black(extreme->sign > 0.0 ? OPTION_CALL : OPTION_PUT, forward, extreme->strike,
                 variance);
}

/* The reflected motion from h over an interval (Harrison 1985, section 1.8): with c = h + drift,
 * a = drift / variance,
 *
 *     P(h' > u) = Phi((c - u) / s) + exp(2 a u) Phi(-(u + c) / s),
 *
 * of which reflected_density() is the slope in u. */
/* In operations (effort.h). */
static const double REFLECTED_COST = 8.0;

static double reflected_density(double h, double u, const struct motion *interval)
{
    double s = sqrt(interval->variance), c = h + interval->drift,
           twice = 2.0 * interval->drift / interval->variance;
    double down = (u - c) / s, up = (u + c) / s, root = sqrt(2.0 * M_PI) * s;
    double direct = exp(-0.5 * down * down) / root, image = twice * u - 0.5 * up * up;
    if (up > 0.0 && image < -45.0) return direct;
    return direct + exp(image) / root - twice * exp(twice * u + normal_log_cdf(-up));
}

/* Returns the integral over u > k of exp(b u) Phi(-(u + c) / s), by parts; by quadrature where b is
 * near 0 and the parts cancel. */
static double tail_integral(double b, double c, double s, double k)
{
    enum { NODES = 16 };
    if (fabs(b) * s > 1e-3) {
        double far = normal_log_cdf((-c + b * s * s - k) / s), near = normal_log_cdf(-(c + k) / s);
        return (exp(-b * c + 0.5 * b * b * s * s + far) - exp(b * k + near)) / b;
    }
    double end = fmax(k, -c) + 9.0 * s, sum = 0.0, node[NODES], weight[NODES];
    int count = (int)ceil((end - k) / s);
    if (legendre_rule(NODES, node, weight)) return NAN;
    for (int p = 0; p < count; p++)
        for (int j = 0; j < NODES; j++) {
            double width = (end - k) / count, u = k + (p + node[j]) * width;
            sum += weight[j] * width * exp(b * u + normal_log_cdf(-(u + c) / s));
        }
    return sum;
}

/* Prices the option watched at every moment: from h, E[(extreme - strike)+] = integral over u > k
 * of spot exp(sign u) P(h' > u), k the strike's distance from spot, not below 0: the strike is at
 * spot or beyond. */
static double option_watched(double h, const void *context)
{
    const struct lookback_extreme *extreme = context;
    double v = extreme->increments[0].variance, s = sqrt(v), sign = extreme->sign,
           drift = drift_of(extreme, 0);
    double k = fmax(sign * log(extreme->strike / extreme->spot), 0.0), c = h + drift;
    double direct = exp(sign * c + 0.5 * v) * normal_cdf((c + sign * v - k) / s) -
                    exp(sign * k) * normal_cdf((c - k) / s);
    return extreme->spot * (sign * direct + tail_integral(sign + 2.0 * drift / v, c, s, k));
}

/* Returns the value, per unit of S(t), of a floating strike whose last date t comes before expiry.
 * With y = sign * log(extreme / S) on a date, the value is that of S(t) times an option on the
 * growth from t to expiry, struck at exp(sign y). S(t) is taken as numeraire (Geman, El Karoui and
 * Rochet 1995): each move of log S then gains its variance in its mean, and over a move of sign *
 * log S by x, y' = max(0, y - x). */
static double option_on_rest(double y, const void *context)
{
    const struct lookback_extreme *extreme = context;
    const struct log_increment *rest = &extreme->increments[extreme->n];
    enum option option = extreme->sign > 0.0 ? OPTION_PUT : OPTION_CALL;
    return black(option, exp(rest->drift + 0.5 * rest->variance), exp(extreme->sign * y),
                 rest->variance);
}

/* Returns the mean of y' - y over an increment with S(t) as numeraire. */
static double early_drift(const struct lookback_extreme *extreme, int increment)
{
    return -drift_of(extreme, increment) - extreme->sign * extreme->increments[increment].variance;
}

/* Finds the first increments that leave y certain: to the first date where nothing was seen before
 * it, and those without variance. */
static void find_start(struct lookback_extreme *extreme)
{
    double y = extreme->forward ? -INFINITY : extreme->sign * log(extreme->strike / extreme->spot);
    int i = 0;
    for (; i < extreme->n && (isinf(y) || extreme->increments[i].variance <= 0.0); i++)
        y = fmax(0.0, y + early_drift(extreme, i));
    extreme->first = i;
    extreme->start = y;
}

/* Counts the moves that are no closed form. */
static int moves_of(const struct lookback_extreme *extreme)
{
    return extreme->early ? extreme->n - extreme->first : extreme->n - 1;
}

/* Carries the distribution of h from expiry back to today, or of y (`early`) forward from its value
 * after the first increments, and finds the value: of the option, or per unit of S(t). */
static enum status carry_extreme(const struct lookback_extreme *extreme, double resolution,
                                 double *value)
{
    struct distribution now;
    bool early = extreme->early;
    int moves = moves_of(extreme), first = extreme->first;
    double *widths = NULL, top = fmax(extreme->start, 0.0), variance = 0.0;
    MUST(distribution_at(extreme->effort, extreme->start, &now));
    MUST(effort_array(extreme->effort, extreme->n + 1, &widths));
    panels_widths(extreme->increments + first, extreme->n + early - first, resolution, widths);
    double left = extreme->effort->work;
    for (int k = 0; k < moves; k++) {
        int increment = early ? first + k : extreme->n - 1 - k;
        const struct motion step = {.drift = early ? early_drift(extreme, increment)
                                                   : drift_of(extreme, increment),
                                    .variance = extreme->increments[increment].variance,
                                    .density = extreme->continuous ? reflected_density : NULL,
                                    .cost = REFLECTED_COST,
                                    .atom_at_zero = !extreme->continuous};
        top += fmax(step.drift, 0.0);
        variance += step.variance;
        struct panels panels =
            panels_between(0.0, INFINITY, 0.0, top + GAUSSIAN_CUT * sqrt(variance) + variance,
                           widths[early ? k : increment - 1]);
        MUST(distribution_move(extreme->effort, &now, &step, panels, &now));
        MUST(effort_foresee_rest(extreme->effort, left, k + 1, moves - 1 - k));
    }
    payoff *pays = extreme->continuous ? option_watched : option_on_dates;
    *value = distribution_mean(&now, early ? option_on_rest : pays, extreme);
    return STATUS_OK;
}

/* Finds that value and a bound on its error. Of no increments nothing is to come. STATUS_FAILED
 * where one has no variance: the density would have steps. */
static enum status extreme_value(const struct lookback_extreme *extreme, double *value,
                                 double *error)
{
    int moves = moves_of(extreme), end = extreme->n + extreme->early;
    double coarse;
    *value = *error = 0.0;
    if (!end) return STATUS_OK;
    for (int i = extreme->first; i < end && !(extreme->early && !moves); i++)
        if (extreme->increments[i].variance <= 0.0) return STATUS_FAILED;
    MUST(carry_extreme(extreme, PANELS_FINE, value));
    if (!moves || extreme->effort->errors_known) return STATUS_OK;
    MUST(carry_extreme(extreme, PANELS_COARSE, &coarse));
    *error = fabs(*value - coarse);
    return STATUS_OK;
}

enum status reference_lookback(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    bool fixed = trade->strike_type == STRIKE_FIXED, known = trade->extreme > 0.0;
    double sign = fixed == (trade->option == OPTION_CALL) ? 1.0 : -1.0, value = 0.0, error = 0.0,
           reached = trade->extreme; /* the extreme so far, where it is known */
    struct lookback_extreme extreme = {.sign = sign,
                                       .spot = problem->asset->spot,
                                       .continuous = trade->monitoring.continuous,
                                       .effort = assets->effort};
    if (extreme.continuous)
        MUST(asset_periods(assets, trade->expiry, &extreme.increments, &extreme.n));
    else
        MUST(schedule_increments(assets, &trade->monitoring, trade->expiry, &extreme.increments,
                                 &extreme.n));
    if (extreme.continuous && (!known || sign * (extreme.spot - reached) > 0.0)) {
        reached = extreme.spot;
        known = true;
    }
    double certain = 0.0, unit = asset_discount(assets, trade->expiry);
    extreme.strike = reached;
    extreme.forward = !fixed && !known;
    extreme.early =
        !fixed && !extreme.continuous && extreme.increments[extreme.n].from < trade->expiry;
    if (extreme.early) {
        find_start(&extreme);
        unit *= asset_forward(assets, 0, extreme.increments[extreme.n].from);
    }
    if (fixed) { /* (M - K)+ = (so far - K)+ + (M to come - max(so far, K))+, and its mirror image
                  */
        extreme.strike = known && sign * (reached - trade->strike) > 0.0 ? reached : trade->strike;
        certain = known ? fmax(sign * (reached - trade->strike), 0.0) : 0.0;
    }
    MUST(extreme_value(&extreme, &value, &error));
    value += certain;
    if (!fixed && !extreme.early) { /* the extreme less spot, or spot less the extreme */
        double mean = extreme.forward ? value : reached + sign * value;
        value = sign * (mean - asset_forward(assets, 0, trade->expiry));
    }
    reference_found(out, unit * value, unit * error,
                    moves_of(&extreme) > 0 ? "quadrature" : "closed form");
    return STATUS_OK;
}
