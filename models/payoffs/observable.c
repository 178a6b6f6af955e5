#include "models/payoffs/observable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LN2 0.693147180559945309417
#define PI 3.14159265358979323846

static const struct {
    int slots, uses;
} kinds[N_TOUCHES] = {
#define OBSERVABLE(NAME, name, slots, uses) [TOUCH_##NAME] = {slots, uses},
#include "models/payoffs/observables.def"
#undef OBSERVABLE
};

int touch_slots(int on)
{
    return kinds[on].slots;
}

bool touch_draws(int on)
{
    return on == TOUCH_BRIDGE_HIGH || on == TOUCH_BRIDGE_LOW;
}

/* ---- what the market accrues over one period ----------------------------------------------------- */

struct period {
    double years, rate, yield, variance; /* accrued over the period, no unit but years */
    double discount;                     /* factor from today to its end */
};

static double accrued(const struct term_structure *term, double from, double to)
{
    return term_accrued(term, to) - (from > 0.0 ? term_accrued(term, from) : 0.0);
}

static struct period period_of(const struct market *market, int asset, double from, double to)
{
    const struct asset *a = &market->assets[asset];
    const struct term_structure *rate = &market->currencies[a->currency].rate;
    return (struct period){to - from, accrued(rate, from, to), accrued(&a->yield, from, to),
                           accrued(&a->variance, from, to), exact_exp2(-term_accrued(rate, to) / LN2)};
}

/* Exponents p >= q of the martingale exp(-r t) S^p of a period (see touch_pay_at_hit), or p +- i q where
 * `wave`. */
struct roots {
    double p, q;
    bool wave;
};

static struct roots period_roots(const struct period *period)
{
    double v = period->variance, drift = period->rate - period->yield - 0.5 * v;
    double square = drift * drift + 2.0 * v * period->rate, least = 1e-12 * (drift * drift + v * v);
    if (square < -least) return (struct roots){-drift / v, sqrt(-square) / v, true};
    double root = sqrt(square > least ? square : least);
    return (struct roots){(-drift + root) / v, (-drift - root) / v, false};
}

/* ---- dates --------------------------------------------------------------------------------------- */

static int compare_dates(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int add_pillars(const struct term_structure *term, double end, double *dates, int n)
{
    for (int i = 0; i < term->n && term->time[i] < end; i++) dates[n++] = term->time[i];
    return n;
}

/* A payment at the hit of a strip weighs paths by 2^(p x): periods are cut so that this stays near 1 within
 * each. */
enum { MOST_CUTS = 256 };

static int period_cuts(const struct market *market, int asset, double from, double to)
{
    struct period period = period_of(market, asset, from, to);
    struct roots roots = period_roots(&period);
    double steepest = fmax(fabs(roots.p), fabs(roots.q)), cuts = ceil(steepest * steepest * period.variance);
    return cuts < 1.0 ? 1 : cuts > MOST_CUTS ? MOST_CUTS : (int)cuts;
}

/* Dates of continuous monitoring: the pillars of all curves before the end, and the end, so that rate, yield
 * and variance accrue evenly within each period. */
static enum status continuous_dates(const struct market *market, int asset, struct observable *o)
{
    const struct asset *a = &market->assets[asset];
    const struct term_structure *rate = &market->currencies[a->currency].rate;
    double end = o->request.end,
           *pillars = malloc(sizeof(double) * (size_t)(rate->n + a->yield.n + a->variance.n + 1));
    bool strip = o->request.lower > 0.0 && o->request.upper < HUGE_VAL && o->request.what >= OBSERVE_SURVIVAL;
    int n = 0, most = strip ? MOST_CUTS : 1;
    if (!pillars) return STATUS_NO_MEMORY;
    n = add_pillars(rate, end, pillars, n);
    n = add_pillars(&a->yield, end, pillars, n);
    n = add_pillars(&a->variance, end, pillars, n);
    qsort(pillars, (size_t)n, sizeof(double), compare_dates);
    pillars[n++] = end;
    o->dates = malloc(sizeof(double) * (size_t)n * (size_t)most);
    if (!o->dates) {
        free(pillars);
        return STATUS_NO_MEMORY;
    }
    double from = 0.0;
    for (int i = 0; i < n; i++) {
        if (pillars[i] - from < 1e-9) continue;
        int cuts = strip ? period_cuts(market, asset, from, pillars[i]) : 1;
        for (int j = 1; j < cuts; j++) o->dates[o->n_dates++] = from + (pillars[i] - from) * j / cuts;
        o->dates[o->n_dates++] = pillars[i];
        from = pillars[i];
    }
    free(pillars);
    return STATUS_OK;
}

static enum status scheduled_dates(struct observable *o)
{
    const struct schedule *dates = &o->request.dates;
    o->dates = malloc(sizeof(double) * (size_t)(dates->n + 1));
    if (!o->dates) return STATUS_NO_MEMORY;
    for (int i = 0; i < dates->n; i++)
        if (dates->times[i] > 0.0) o->dates[o->n_dates++] = dates->times[i];
    return STATUS_OK;
}

/* ---- kinds and initial states -------------------------------------------------------------------- */

static int kind_of(const struct request *r)
{
    bool continuous = r->dates.continuous, strip = r->lower > 0.0 && r->upper < HUGE_VAL;
    switch (r->what) {
    case OBSERVE_SPOT: return TOUCH_SPOT;
    case OBSERVE_SUM: return TOUCH_SUM;
    case OBSERVE_LOG_SUM: return TOUCH_LOG_SUM;
    case OBSERVE_HIGH: return continuous ? TOUCH_BRIDGE_HIGH : TOUCH_HIGH;
    case OBSERVE_LOW: return continuous ? TOUCH_BRIDGE_LOW : TOUCH_LOW;
    case OBSERVE_SURVIVAL: return !continuous ? TOUCH_FENCE : strip ? TOUCH_STRIP : TOUCH_BARRIER;
    case OBSERVE_PAYMENT_AT_HIT: return continuous ? TOUCH_PAY_AT_HIT : TOUCH_PAY_ON_DATE;
    }
    return TOUCH_SPOT;
}

static void initial_state(const struct request *r, double spot, double *state)
{
    double x = exact_log2(spot);
    bool fixed_today = r->dates.continuous || (r->dates.n && r->dates.times[0] <= 0.0);
    bool dead_today = fixed_today && (spot <= r->lower || spot >= r->upper);
    switch (r->what) {
    case OBSERVE_SPOT: break;
    case OBSERVE_SUM: state[0] = fixed_today ? spot : 0.0; break;
    case OBSERVE_LOG_SUM: state[0] = fixed_today ? x : 0.0; break;
    case OBSERVE_HIGH: state[0] = fixed_today ? x : -1000.0, state[1] = x; break;
    case OBSERVE_LOW: state[0] = fixed_today ? x : 1000.0, state[1] = x; break;
    case OBSERVE_SURVIVAL: state[0] = r->hit || dead_today ? 0.0 : 1.0, state[2] = x; break;
    case OBSERVE_PAYMENT_AT_HIT: state[0] = dead_today && !r->hit ? 1.0 : 0.0; break;
    }
}

enum status observable_lay_out(const struct market *market, int asset, const struct request *request,
                               struct observable *observable, struct message *why)
{
    (void)why;
    *observable = (struct observable){.request = *request, .on = kind_of(request), .of = -1};
    initial_state(request, market->assets[asset].spot, observable->initial);
    if (request->dates.continuous) return continuous_dates(market, asset, observable);
    return scheduled_dates(observable);
}

bool request_equal(const struct request *a, const struct request *b)
{
    if (a->what != b->what || a->dates.continuous != b->dates.continuous || a->dates.n != b->dates.n)
        return false;
    if (a->lower != b->lower || a->upper != b->upper || a->hit != b->hit) return false;
    if (a->dates.continuous) return a->end == b->end;
    return !memcmp(a->dates.times, b->dates.times, sizeof(double) * (size_t)a->dates.n);
}

/* ---- coefficients -------------------------------------------------------------------------------- */

/* Terms of the strip's series (touch_strip) beyond the first that matter to 2^-60: those left out are under
 * exp(-2 (K w)^2 / V), w in units of ln. */
static enum status strip_terms(double variance, double width, double *terms, struct message *why)
{
    double w = width * LN2;
    *terms = fmax(1.0, ceil(sqrt(60.0 * LN2 * variance / 2.0) / w));
    if (*terms <= 1000.0) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "the barriers are too close together for the volatility (ratio upper / lower "
             "%.6g)",
             exp2(width));
    return STATUS_FAILED;
}

static enum status pay_at_hit_touch(const struct request *r, const struct period *period, struct touch *t,
                                    struct message *why)
{
    struct roots roots = period_roots(period);
    bool lower = r->lower > 0.0, upper = r->upper < HUGE_VAL;
    double low = exact_log2(lower ? r->lower : r->upper), high = exact_log2(upper ? r->upper : r->lower);
    double width = high - low;
    if (roots.wave) {
        double angle = roots.q * LN2 * width, sine, cosine;
        exact_sincospi(angle / PI, &sine, &cosine);
        if (angle > 3.0) {
            snprintf(why->text, sizeof why->text,
                     "the rate is so negative that paying at the hit has no finite value");
            return STATUS_FAILED;
        }
        double b = angle > 0.0 ? (exact_exp2(-roots.p * width) - cosine) / sine : 0.0;
        double c[6] = {period->discount, period->discount * b, roots.p, roots.q * LN2 / PI, low};
        t->on = TOUCH_PAY_AT_HIT_WAVE;
        memcpy(t->c, c, sizeof c);
        return STATUS_OK;
    }
    t->on = TOUCH_PAY_AT_HIT;
    if (lower && upper) {
        double u = exact_exp2(-roots.p * width), v = exact_exp2(roots.q * width), both = 1.0 / (1.0 - u * v);
        double c[6] = {period->discount * (1.0 - v) * both,
                       period->discount * (1.0 - u) * both,
                       roots.p,
                       roots.q,
                       high,
                       low};
        memcpy(t->c, c, sizeof c);
    } else {
        double p = fabs(roots.p) < fabs(roots.q) ? roots.p : roots.q;
        double c[6] = {period->discount, 0.0, p, 0.0, low, low};
        memcpy(t->c, c, sizeof c);
    }
    return STATUS_OK;
}

enum status observable_touch(const struct market *market, int asset, const struct observable *o, int i,
                             struct touch *t, struct message *why)
{
    struct period period = period_of(market, asset, i ? o->dates[i - 1] : 0.0, o->dates[i]);
    const struct request *r = &o->request;
    t->on = o->on;
    switch (o->on) {
    case TOUCH_BRIDGE_HIGH:
    case TOUCH_BRIDGE_LOW: t->c[0] = period.variance / (LN2 * LN2); break;
    case TOUCH_FENCE:
        t->c[0] = r->lower > 0.0 ? exact_log2(r->lower) : -HUGE_VAL;
        t->c[1] = r->upper < HUGE_VAL ? exact_log2(r->upper) : HUGE_VAL;
        break;
    case TOUCH_BARRIER:
        t->c[0] = exact_log2(r->lower > 0.0 ? r->lower : r->upper);
        t->c[1] = -2.0 * LN2 / period.variance;
        break;
    case TOUCH_STRIP:
        t->c[0] = exact_log2(r->lower);
        t->c[1] = -2.0 * LN2 / period.variance;
        t->c[2] = exact_log2(r->upper) - t->c[0];
        return strip_terms(period.variance, t->c[2], &t->c[3], why);
    case TOUCH_PAY_ON_DATE: t->c[0] = period.discount; break;
    case TOUCH_PAY_AT_HIT: return pay_at_hit_touch(r, &period, t, why);
    default: break;
    }
    return STATUS_OK;
}
