/* European options, digitals, forward starts, geometric Asians and variance swaps by the law of a
 * product of growths: Black's formula (1976) where it is normal, else by Fourier
 * inversion; of the first two under local volatility by the surface (implied.h). Forwards, futures,
 * positions and money. Rates and yields enter through forwards and discount factors alone.
 */
#include <complex.h>
#include <math.h>

#include <gsl/gsl_math.h>

#include "models/payoffs/product_numbers.h"
#include "validation/reference/implied.h"
#include "validation/reference/methods.h"

/* The law of a product of growths of a spot, under Black-Scholes, Merton, Heston and Bates, as its
 * characteristic function, and options on it by Fourier inversion.
 *
 * A path is cut into intervals from today on. The growth of an interval is taken over its forward,
 * so its expectation is 1 and rates and yields play no part. The law is that of Y = product of
 * growth^weight, under the measure that has the product of growth^tilt as its density (tilt 0 or
 * 1): a spot has weight 1 throughout; a forward start has tilt 1 up to its start and weight 1 from
 * there, E[S(start) f(Y)] = F(start) E*[f(Y)]; a geometric average has falling weights. */

struct growth_interval {
    double years, variance; /* of the part whose variance is known: Black-Scholes, Merton */
    double weight, tilt;
};

/* The law of a product of growths of a spot. */
struct growth_law {
    const struct heston *heston; /* NULL for none */
    const struct jumps *jumps;   /* NULL for none */
    int n;
    /* [n] in the order of time; the caller's, who keeps them alive */
    const struct growth_interval *intervals;
    double log_mean; /* ln E* Y: the law below is that of X = Y / E* Y */
    struct effort *effort;
};

/* Returns an interval of the path. */
static struct growth_interval growth_interval_between(const struct problem *problem, double from,
                                                      double to, double weight, double tilt)
{
    enum model model = problem->asset->model;
    bool known = model == MODEL_BLACK_SCHOLES || model == MODEL_MERTON;
    double variance =
        known && to > from ? asset_increment(&problem->assets, 0, from, to).variance : 0.0;
    return (struct growth_interval){to - from, variance, weight, tilt};
}

/* Returns log(1 + z) / z, also where z is small. */
static double complex log1p_ratio(double complex z)
{
    if (cabs(z) >= 1e-3) return clog(1.0 + z) / z;
    double complex sum = 0.0;
    for (int n = 8; n >= 1; n--) sum = 1.0 / n - z * sum;
    return sum;
}

/* Returns (1 - exp(-d t)) / d, also where d is small. */
static double complex faded(double complex d, double t)
{
    double complex y = d * t;
    if (cabs(y) >= 1e-3) return (1.0 - cexp(-y)) / d;
    return t * (1.0 - y / 2.0 * (1.0 - y / 3.0 * (1.0 - y / 4.0 * (1.0 - y / 5.0))));
}

/* Adds a to `*sum` and returns B', where over an interval of t years
 *
 *     E exp(z ln growth + B v(t)) = exp(a + B' v(0))
 *
 * (Heston 1993; the exponent B at the end is what the intervals behind it ask). In time they solve
 * the Riccati equations dB/dt = xi^2 B^2 / 2 - b B - q / 2 and da/dt = kappa theta B. With
 * b = kappa - rho xi z, q = z - z^2, d^2 = b^2 + xi^2 q, Re d >= 0 (the little trap of Albrecher,
 * Mayer, Schoutens and Tistaert 2007), h = (b - d) / xi^2 and E = (1 - e^{-d t}) / d,
 *
 *     a = kappa theta (h t - 2 / xi^2 log(1 + xi^2 w)),   w = (h - B) E / 2,
 *     B' = (B (1 + e^{-d t}) - (q + b B) E) / (2 (1 + xi^2 w)),
 *
 * in which nothing is divided by xi that may be small. */
static double complex heston_interval(const struct heston *p, double t, double complex z,
                                      double complex B, double complex *sum)
{
    double xi2 = p->xi * p->xi;
    double complex b = p->kappa - p->rho * p->xi * z, q = z - z * z, d = csqrt(b * b + xi2 * q);
    double complex h = 0.0, E = faded(d, t);
    if (creal(b) < 0.0) h = (b - d) / xi2;
    else if (cabs(b + d) > 0.0) h = -q / (b + d);
    double complex w = 0.5 * (h - B) * E, y = xi2 * w;
    *sum += p->kappa * p->theta * (h * t - 2.0 * w * log1p_ratio(y));
    return 0.5 * (B * (1.0 + cexp(-d * t)) - (q + b * B) * E) / (1.0 + y);
}

/* Returns ln E exp(z ln growth) a year of the jumps, compensated (Merton 1976). */
static double complex jump_exponent(const struct jumps *jumps, double complex z)
{
    double variance = jumps->stdev * jumps->stdev, mean = expm1(jumps->mean + 0.5 * variance);
    double complex growth = cexp(z * jumps->mean + 0.5 * jumps->stdev * jumps->stdev * z * z);
    return jumps->intensity * (growth - 1.0 - z * mean);
}

/* Returns ln E* Y^z, backwards from the last interval. */
static double complex log_moment(const struct growth_law *law, double complex z)
{
    double complex sum = 0.0, B = 0.0;
    for (int i = law->n - 1; i >= 0; i--) {
        const struct growth_interval *interval = &law->intervals[i];
        double complex at = interval->tilt + interval->weight * z;
        if (interval->years <= 0.0) continue;
        sum -= 0.5 * interval->variance * (at - at * at);
        if (law->heston) B = heston_interval(law->heston, interval->years, at, B, &sum);
        if (law->jumps) sum += interval->years * jump_exponent(law->jumps, at);
    }
    return law->heston ? sum + B * law->heston->v0 : sum;
}

/* Makes the law, under one of those models. */
static struct growth_law growth_law_of(const struct problem *problem,
                                       const struct growth_interval *intervals, int n)
{
    const struct asset *asset = problem->asset;
    struct growth_law law = {.n = n, .intervals = intervals, .effort = problem->assets.effort};
    if (asset->model == MODEL_HESTON || asset->model == MODEL_BATES) law.heston = &asset->heston;
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) law.jumps = &asset->jumps;
    law.log_mean = creal(log_moment(&law, 1.0));
    return law;
}

/* Returns E* exp(i u ln X). Defined where E* X^(-Im u) is finite; -1 <= Im u <= 0 always is. */
static double complex growth_law_characteristic(const struct growth_law *law, double complex u)
{
    return cexp(log_moment(law, I * u) - I * u * law->log_mean);
}

static const double STAGE_COST =
    15.0; /* of a stage's part in a characteristic function, in operations */

/* What an inversion integrates over u > 0: the difference between the law and a normal law. */
struct fourier_inversion {
    const struct growth_law *law;
    double variance; /* of the normal law */
    double log_k;
    double shift; /* characteristic functions are taken at u - i shift */
    bool option;  /* the kernel of an option, else that of a probability */
};

static double inversion_value(double u, void *context)
{
    const struct fourier_inversion *inversion = context;
    if (effort_spend(inversion->law->effort, STAGE_COST * (1.0 + inversion->law->n))) return NAN;
    double complex at = u - I * inversion->shift;
    double complex difference = growth_law_characteristic(inversion->law, at) -
                                cexp(-0.5 * inversion->variance * (at * at + I * at));
    difference *= cexp(-I * u * inversion->log_k);
    return inversion->option ? creal(difference) / (u * u + 0.25) : cimag(difference) / u;
}

/* Returns more than what lies beyond u, the characteristic functions falling. */
static double inversion_tail(const struct fourier_inversion *inversion, double u)
{
    double complex at = u - I * inversion->shift;
    double size = cabs(growth_law_characteristic(inversion->law, at)) +
                  cabs(cexp(-0.5 * inversion->variance * (at * at + I * at)));
    return inversion->option ? size / u : size;
}

/* Returns the integral over (0, infinity), panel after panel of doubling width. */
static struct bounded_value invert(const struct fourier_inversion *inversion)
{
    enum { PANELS = 26 };
    struct bounded_value sum = {0.0, 0.0};
    gsl_function function = {inversion_value, (void *)inversion};
    double from = 0.0, tail = INFINITY;
    for (int panel = 0; panel < PANELS && tail > 1e-15 && !isnan(sum.value); panel++) {
        double to = panel ? 2.0 * from : 2.0;
        struct bounded_value part = {NAN, NAN};
        if (adaptive_integral(function, from, to, GSL_INTEG_GAUSS61, 400, 1e-14, 1e-13, &part))
            return part;
        sum.value += part.value;
        sum.error += part.error;
        tail = inversion_tail(inversion, to);
        from = to;
    }
    sum.error += tail;
    return sum;
}

static bool is_normal(const struct growth_law *law)
{
    return !law->heston && !law->jumps;
}

/* Returns the variance of the normal law with mean of log -variance / 2 that is taken out: that of
 * the law itself, exactly, where it is normal. */
static double normal_variance(const struct growth_law *law)
{
    const double h = 1e-3;
    double sum = 0.0;
    if (!is_normal(law)) return fmax(-2.0 * cimag(growth_law_characteristic(law, h)) / h, 0.0);
    for (int i = 0; i < law->n; i++)
        sum += law->intervals[i].weight * law->intervals[i].weight * law->intervals[i].variance;
    return sum;
}

/* Lewis (2000): E max(X - k, 0) = 1 - sqrt(k) / pi * integral over u > 0 of Re[k^{-iu} phi(u -
 * i/2)] / (u^2 + 1/4), of which the normal law's part is Black's formula; the difference alone is
 * integrated (Andersen and Piterbarg 2010, section 8.4). */
static struct bounded_value growth_law_option(const struct growth_law *law, enum option option,
                                              double k)
{
    double variance = normal_variance(law), known = black(option, 1.0, k, variance);
    if (is_normal(law) || k <= 0.0) return (struct bounded_value){known, 0.0};
    struct fourier_inversion inversion = {law, variance, log(k), 0.5, true};
    struct bounded_value integral = invert(&inversion);
    double scale = sqrt(k) / M_PI;
    return (struct bounded_value){known - scale * integral.value, scale * integral.error};
}

/* Finds the probability by Gil-Pelaez (1951): P(X > k) = 1/2 + integral of Im[k^{-iu} phi(u)] / u
 * over u > 0, over pi; the normal law's part known, as above. Weighted by X, phi(u - i) takes the
 * place of phi(u). */
static struct bounded_value growth_law_exercise(const struct growth_law *law, enum option option,
                                                double k, bool weighted)
{
    double variance = normal_variance(law);
    double known = black_exercise(option, weighted ? exp(variance) : 1.0, k, variance);
    if (is_normal(law) || k <= 0.0) return (struct bounded_value){known, 0.0};
    struct fourier_inversion inversion = {law, variance, log(k), weighted ? 1.0 : 0.0, false};
    struct bounded_value integral = invert(&inversion);
    double sign = option == OPTION_CALL ? 1.0 : -1.0;
    return (struct bounded_value){known + sign * integral.value / M_PI, integral.error / M_PI};
}

static enum status state_price(const struct problem *problem, double scale,
                               struct bounded_value value, struct reference *out)
{
    enum model model = problem->asset->model;
    bool closed = model == MODEL_BLACK_SCHOLES || model == MODEL_LOCAL_VOL;
    reference_found(out, scale * value.value, fabs(scale) * value.error,
                    closed ? "closed form" : "fourier");
    return STATUS_OK;
}

enum status reference_at_expiry(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    bool option = trade->product == PRODUCT_EUROPEAN, cash = reference_pays_cash(trade);
    double forward = asset_forward(assets, 0, trade->expiry), strike = trade->strike / forward;
    double scale = asset_discount(assets, trade->expiry) * (cash ? trade->cash : forward);
    if (problem->asset->model == MODEL_LOCAL_VOL) {
        struct implied *implied;
        MUST(implied_make(assets, 0, &implied));
        return state_price(problem, scale, implied_at_expiry(implied, trade, strike), out);
    }
    struct growth_interval all = growth_interval_between(problem, 0.0, trade->expiry, 1.0, 0.0);
    struct growth_law law = growth_law_of(problem, &all, 1);
    return state_price(problem, scale,
                       option ? growth_law_option(&law, trade->option, strike)
                              : growth_law_exercise(&law, trade->option, strike, !cash),
                       out);
}

/* Prices a forward start: S(start) leaves as the numeraire, and what is left is an option on the
 * growth from there (Rubinstein 1991; Kruse and Noegel 2005). */
enum status reference_forward_start(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    struct growth_interval intervals[] = {
        growth_interval_between(problem, 0.0, trade->start, 0.0, 1.0),
        growth_interval_between(problem, trade->start, trade->expiry, 1.0, 0.0)};
    struct growth_law law = growth_law_of(problem, intervals, 2);
    double growth =
        asset_forward(assets, 0, trade->expiry) / asset_forward(assets, 0, trade->start);
    double scale = asset_discount(assets, trade->expiry) * asset_forward(assets, 0, trade->expiry);
    return state_price(problem, scale,
                       growth_law_option(&law, trade->option, trade->strike_ratio / growth), out);
}

/* Prices geometric Asians, interval by interval between the fixings (Kemna and Vorst 1990; Kim and
 * Wee 2014 for Heston with continuous ones): a fixed strike is an option on A = product of
 * S(t_i)^(1/n), in which the growth of an interval has as its power the share of fixings at or
 * after its end. A floating one exchanges S(T) for A (Margrabe 1978): with S(T) as numeraire an
 * option on A / S(T) against 1. */
enum status reference_asian_geometric(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    bool fixed = trade->strike_type == STRIKE_FIXED;
    double *dates = NULL;
    struct growth_interval *intervals = NULL;
    int n = 0;
    MUST(schedule_dates(assets, &trade->fixings, trade->expiry, &dates, &n));
    MUST(effort_array(assets->effort, n + 1, &intervals));
    double total = trade->past_count + n, spot = log(problem->asset->spot), from = 0.0;
    double log_forward =
        (trade->past_count ? trade->past_count * log(trade->past_average) : 0.0) / total;
    for (int i = 0; i <= n; i++) {
        double to = i < n ? dates[i] : trade->expiry, weight = (n - i) / total;
        intervals[i] = growth_interval_between(problem, from, to, fixed ? weight : weight - 1.0,
                                               fixed ? 0.0 : 1.0);
        if (i < n) log_forward += (spot + asset_growth(assets, 0, to)) / total;
        from = to;
    }
    struct growth_law law = growth_law_of(problem, intervals, n + 1);
    double forward = asset_forward(assets, 0, trade->expiry),
           average = exp(log_forward + law.log_mean);
    double scale = asset_discount(assets, trade->expiry) * average;
    enum option other = trade->option == OPTION_CALL ? OPTION_PUT : OPTION_CALL;
    return state_price(problem, scale,
                       fixed ? growth_law_option(&law, trade->option, trade->strike / average)
                             : growth_law_option(&law, other, forward / average),
                       out);
}

/* ---- variance swaps -------------------------------------------------------------------------- */

/* With their own discrete fixings: notional * (realised - strike volatility^2) at expiry, where
 * realised = (past variance * past years + sum of squared moves of ln S between fixings, from the
 * last one on) / (past years + expiry). What is expected of a squared move needs no more than the
 * mean and the variance of ln growth over one interval. */

/* Returns the expected square of Y + `moved`. Mean and variance of Y are the first two derivatives
 * at 0 of K(z) = ln E exp(z Y), by Cauchy's integrals on a circle, on which the trapezoidal rule
 * converges geometrically: k! / (2 pi r^k) * integral of K(r e^{i a}) e^{-i k a}. Of a normal law K
 * is a polynomial, and they are exact. */
static double square_on_circle(const struct growth_law *law, double radius, double moved)
{
    enum { POINTS = 24 };
    double mean = moved, variance = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double complex turn = cexp(I * (2.0 * M_PI * i / POINTS)),
                       value = log_moment(law, radius * turn) - radius * turn * law->log_mean;
        mean += creal(value / turn) / (POINTS * radius);
        variance += 2.0 * creal(value / (turn * turn)) / (POINTS * radius * radius);
    }
    return variance + mean * mean;
}

/* Returns the expected square of the move of ln S over an interval and of what it has `moved`
 * before, on two circles, which say what the error is. */
static struct bounded_value squared_move(const struct problem *problem, double from, double to,
                                         double moved)
{
    struct growth_interval intervals[] = {growth_interval_between(problem, 0.0, from, 0.0, 0.0),
                                          growth_interval_between(problem, from, to, 1.0, 0.0)};
    struct growth_law law = growth_law_of(problem, intervals, 2);
    moved += asset_growth(&problem->assets, 0, to) - asset_growth(&problem->assets, 0, from) +
             law.log_mean;
    double value = square_on_circle(&law, 0.3, moved), other = square_on_circle(&law, 0.15, moved);
    return (struct bounded_value){value, fabs(value - other)};
}

enum status reference_variance_swap(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    double *dates = NULL, from = 0.0, sum = 0.0, error = 0.0,
           moved = log(problem->asset->spot / trade->past_level); /* since the last fixing */
    int n = 0;
    MUST(schedule_dates(&problem->assets, &trade->fixings, trade->expiry, &dates, &n));
    for (int i = 0; i < n; i++) {
        MUST(effort_spend(problem->assets.effort, 500.0));
        struct bounded_value move = squared_move(problem, from, dates[i], i ? 0.0 : moved);
        sum += move.value;
        error += move.error;
        from = dates[i];
    }
    double years = trade->past_years + trade->expiry;
    double realised = (trade->past_variance * trade->past_years + sum) / years;
    double scale = trade->notional * asset_discount(&problem->assets, trade->expiry);
    reference_found(out, scale * (realised - trade->strike_volatility * trade->strike_volatility),
                    fabs(scale) * error / years,
                    problem->asset->variance.n ? "closed form" : "fourier");
    return STATUS_OK;
}

/* ---- without options ------------------------------------------------------------------------- */

/* Prices forwards, futures and positions: the mean of a spot that pays cash dividends is its
 * forward less each of them, grown from its day on. */
enum status reference_forward(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    double to_end = asset_growth(assets, 0, trade->expiry),
           mean = problem->asset->spot * exp(to_end);
    for (int i = 0; i < problem->asset->n_dividends; i++) {
        double time = problem->asset->dividends[i].time;
        if (time <= trade->expiry)
            mean -= problem->asset->dividends[i].amount *
                    exp(to_end - asset_growth(assets, 0, fmax(time, 0.0)));
    }
    out->price = mean - trade->strike;
    if (trade->product == PRODUCT_FORWARD) out->price *= asset_discount(assets, trade->expiry);
    out->method = "closed form";
    return STATUS_OK;
}

static double of_payment(const struct term_structure *rate, double amount, double when,
                         double years)
{
    double to_come = when > 0.0 && when > years ? when - years : 0.0;
    return amount * exp(-curve_accrued(rate, to_come));
}

double reference_money(const struct term_structure *rate, const struct trade *trade, double years)
{
    double sum = 0.0;
    if (trade->asset < 0) sum = of_payment(rate, trade->amount, trade->expiry, years);
    for (int i = 0; i < trade->n_owed; i++)
        sum += of_payment(rate, trade->owed[i].amount, trade->owed[i].years, years);
    return sum;
}
