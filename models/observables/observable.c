#include "models/observables/observable.h"

#include <math.h>
#include <string.h>

#include "models/math/constants.h"
#include "models/observables/accrual_period.h"
#include "models/observables/pivot.h"

static const struct {
    int slots, reads;
} kinds[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [OBSERVATION_##NAME] = {slots, reads},
#include "models/observables/observables.def"
#undef OBSERVABLE
};

int observation_slots(int kind)
{
    return kinds[kind].slots;
}

int observation_reads(int kind)
{
    return kinds[kind].reads;
}

bool observation_draws(int kind)
{
    return kind == OBSERVATION_BRIDGE_HIGH || kind == OBSERVATION_BRIDGE_LOW ||
           kind == OBSERVATION_CLOCK_HIGH || kind == OBSERVATION_CLOCK_LOW ||
           kind == OBSERVATION_DRAWN_FIRST || kind == OBSERVATION_DRAWN_SECOND;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* What an observable takes of its trade beside the functional's own numbers; a sum of these. */
enum trade_terms {
    TAKES_NOTHING = 0,
    TAKES_BASKET = 1, /* its assets, one after the other on each date */
    TAKES_PAYMENT = 2,
    TAKES_LEVEL = 4, /* of the past */
    TAKES_RETURNS = 8,
    TAKES_CALLS = 16,
    TAKES_EXERCISE = 32,
    TAKES_PIVOT = 64
};

/* Of each functional the kind of its observable: on dates; at every moment, where the variance is
 * known beforehand; where it is not (0: as on dates). A survival of two barriers is a strip. */
static const struct {
    int terms;
    uint16_t on_dates, always, clocked;
} functionals[] = {
    [FUNCTIONAL_SPOT] = {TAKES_NOTHING, OBSERVATION_SPOT},
    [FUNCTIONAL_VARIANCE] = {TAKES_NOTHING, OBSERVATION_VARIANCE},
    [FUNCTIONAL_SUM] = {TAKES_NOTHING, OBSERVATION_SUM},
    [FUNCTIONAL_LOG_SUM] = {TAKES_NOTHING, OBSERVATION_LOG_SUM},
    [FUNCTIONAL_HIGH] = {TAKES_NOTHING, OBSERVATION_HIGH, OBSERVATION_BRIDGE_HIGH,
                         OBSERVATION_CLOCK_HIGH},
    [FUNCTIONAL_LOW] = {TAKES_NOTHING, OBSERVATION_LOW, OBSERVATION_BRIDGE_LOW,
                        OBSERVATION_CLOCK_LOW},
    [FUNCTIONAL_SURVIVAL] = {TAKES_NOTHING, OBSERVATION_FENCE, OBSERVATION_BARRIER,
                             OBSERVATION_CLOCK_BARRIER},
    [FUNCTIONAL_PAYMENT_AT_HIT] = {TAKES_PAYMENT, OBSERVATION_PAY_ON_DATE, OBSERVATION_PAY_AT_HIT},
    [FUNCTIONAL_SUM_OF] = {TAKES_BASKET, OBSERVATION_SUM_OF},
    [FUNCTIONAL_LOG_OF] = {TAKES_BASKET, OBSERVATION_LOG_OF},
    [FUNCTIONAL_TOP_OF] = {TAKES_BASKET, OBSERVATION_TOP_OF},
    [FUNCTIONAL_BOTTOM_OF] = {TAKES_BASKET, OBSERVATION_BOTTOM_OF},
    [FUNCTIONAL_BEST_OF] = {TAKES_BASKET, OBSERVATION_BEST_OF},
    [FUNCTIONAL_WORST_OF] = {TAKES_BASKET, OBSERVATION_WORST_OF},
    [FUNCTIONAL_RETURNS] = {TAKES_LEVEL | TAKES_RETURNS, OBSERVATION_RETURNS},
    [FUNCTIONAL_SQUARES] = {TAKES_LEVEL, OBSERVATION_SQUARES},
    [FUNCTIONAL_CALLS] = {TAKES_PAYMENT | TAKES_CALLS, OBSERVATION_AUTOCALL},
    [FUNCTIONAL_EXERCISE] = {TAKES_PAYMENT | TAKES_EXERCISE, OBSERVATION_EXERCISE},
    [FUNCTIONAL_MARGIN] = {TAKES_PIVOT, OBSERVATION_MARGIN},
    [FUNCTIONAL_REST] = {TAKES_NOTHING, OBSERVATION_REST},
    [FUNCTIONAL_OPEN_WORST] = {TAKES_BASKET, OBSERVATION_OPEN_WORST},
    [FUNCTIONAL_OPEN_CALLS] = {TAKES_PAYMENT | TAKES_CALLS, OBSERVATION_OPEN_CALLS},
};

static bool is_basket(const struct functional *r)
{
    return functionals[r->kind].terms & TAKES_BASKET;
}

/* Tells whether v of the one asset is the second feature of exercise.h. */
static bool exercise_reads_variance(const struct market *market, const struct trade *trade)
{
    return trade_n_assets(trade) == 1 &&
           model_has(market->assets[trade->asset].model, REMEMBERS_VARIANCE);
}

/* Tells whether the first asset's share of an average of two is: for Greeks, where prices tell all.
 */
static bool exercise_reads_share(const struct market *market, const struct trade *trade)
{
    if (!trade->exercise_apart || trade_n_assets(trade) != 2 || trade->kind != BASKET_AVERAGE)
        return false;
    for (int i = 0; i < 2; i++) {
        enum model model = market->assets[trade_asset(trade, i)].model;
        if (model_has(model, REMEMBERS_VARIANCE) || model_takes(model, TAKES_HISTORY)) return false;
    }
    return true;
}

static int kind_of_exercise(const struct market *market, const struct trade *trade)
{
    bool slope = trade->slope_of > 0;
    if (exercise_reads_variance(market, trade))
        return slope ? OBSERVATION_EXERCISE_SLOPE_VARIANCE : OBSERVATION_EXERCISE_VARIANCE;
    if (exercise_is_apart(trade))
        return slope                   ? OBSERVATION_EXERCISE_SLOPE_APART
               : trade->exercise_apart ? OBSERVATION_EXERCISE_APART
                                       : OBSERVATION_EXERCISE_LED;
    return slope ? OBSERVATION_EXERCISE_SLOPE : OBSERVATION_EXERCISE;
}

static int kind_of(const struct market *market, const struct functional *r)
{
    int on_dates = functionals[r->kind].on_dates;
    if (r->kind == FUNCTIONAL_EXERCISE) return kind_of_exercise(market, r->trade);
    if (r->kind == FUNCTIONAL_SUM_OF && !r->within && exercise_reads_share(market, r->trade))
        return OBSERVATION_SHARE_OF;
    if (!r->dates.continuous) return on_dates;
    bool clock = clocked(market, r);
    if (r->kind == FUNCTIONAL_SURVIVAL && is_strip(r))
        return clock ? OBSERVATION_CLOCK_STRIP : OBSERVATION_STRIP;
    int always = clock ? functionals[r->kind].clocked : functionals[r->kind].always;
    return always ? always : on_dates;
}

/* ---- parts of a basket ----------------------------------------------------------------------- */

/* Returns which of the trade's assets comes `part`-th in the market: the order in which they are
 * observed. */
static int asset_of_part(const struct trade *trade, int part)
{
    for (int i = 0; i < trade_n_assets(trade); i++)
        if (basket_part(trade, i) == part) return i;
    return 0;
}

int observation_asset(const struct observable *o, int part)
{
    const struct functional *r = &o->functional;
    return trade_asset(r->trade, is_basket(r) ? asset_of_part(r->trade, part) : r->asset);
}

static double initial_spot(const struct market *market, const struct trade *trade, int i)
{
    return trade->initial ? trade->initial[i] : spot_today(market, trade, i);
}

/* Returns what a basket's observation is to be told of the trade's i-th asset. The geometric mean
 * of one asset is the asset, which is summed as any basket of one (basket_functional). */
static double part_number(const struct market *market, const struct functional *r, int i)
{
    const struct trade *trade = r->trade;
    double weight = trade_weight(trade, i), sum = 0.0;
    for (int j = 0; j < trade_n_assets(trade); j++) sum += trade_weight(trade, j);
    if (product_has(trade->product, OVER_INITIAL_SPOTS))
        return -exact_log2(initial_spot(market, trade, i));
    if (r->kind == FUNCTIONAL_SUM_OF)
        return trade->kind == BASKET_GEOMETRIC ? weight / sum : weight;
    return r->kind == FUNCTIONAL_LOG_OF ? weight / sum : exact_log2(weight);
}

static enum status basket_observation(const struct market *market, const struct observable *o,
                                      int date, int part, struct observation *t,
                                      struct message *why)
{
    _Static_assert(OBSERVATION_SUM_OF_MORE == OBSERVATION_SUM_OF + 1 &&
                       OBSERVATION_SHARE_OF_MORE == OBSERVATION_SHARE_OF + 1 &&
                       OBSERVATION_LOG_OF_MORE == OBSERVATION_LOG_OF + 1 &&
                       OBSERVATION_TOP_OF_MORE == OBSERVATION_TOP_OF + 1 &&
                       OBSERVATION_BOTTOM_OF_MORE == OBSERVATION_BOTTOM_OF + 1 &&
                       OBSERVATION_BEST_OF_MORE == OBSERVATION_BEST_OF + 1 &&
                       OBSERVATION_WORST_OF_MORE == OBSERVATION_WORST_OF + 1 &&
                       OBSERVATION_OPEN_WORST_MORE == OBSERVATION_OPEN_WORST + 1,
                   "the kind for further assets stands after that for the first");
    int i = asset_of_part(o->functional.trade, part);
    const char *name = market->assets[observation_asset(o, part)].name;
    t->kind = (uint16_t)(part ? o->kind + 1 : o->kind);
    t->c[0] = part_number(market, &o->functional, i);
    bool leads =
        o->functional.kind == FUNCTIONAL_BEST_OF || o->functional.kind == FUNCTIONAL_WORST_OF;
    t->c[1] = leads ? (double)(part * leader_terms(o->functional.trade)) : 1.0;
    if (o->kind == OBSERVATION_OPEN_WORST)
        return open_worst_observation(market, o, date, i, t, why);
    if (isfinite(t->c[0])) return STATUS_OK;
    return say_why(STATUS_FAILED, why,
                   "the weight %.6g of %s cannot be used in this kind of basket",
                   trade_weight(o->functional.trade, i), name ? name : "an asset");
}

/* ---- payments at the hit --------------------------------------------------------------------- */

/* Counts the terms of the strip's series (observe_strip) beyond the first that matter to 2^-60:
 * those left out are under exp(-2 (K w)^2 / V), w in units of ln. */
static enum status strip_terms(double variance, double width, double *terms, struct message *why)
{
    double w = width * LN2;
    *terms = fmax(1.0, ceil(sqrt(60.0 * LN2 * variance / 2.0) / w));
    if (*terms <= 1000.0) return STATUS_OK;
    return say_why(
        STATUS_FAILED, why,
        "the barriers are too close together for the volatility (ratio upper / lower %.6g)",
        exp2(width));
}

static enum status pay_at_hit_observation(const struct functional *r,
                                          const struct accrual_period *period,
                                          struct observation *t, struct message *why)
{
    struct roots roots = accrual_roots(period);
    bool lower = r->lower > 0.0, upper = r->upper < HUGE_VAL;
    double low = exact_log2(lower ? r->lower : r->upper),
           high = exact_log2(upper ? r->upper : r->lower);
    double width = high - low;
    if (roots.wave) {
        double angle = roots.q * LN2 * width, sine, cosine;
        exact_sincospi(angle / PI, &sine, &cosine);
        if (angle > HALF_WAVE && fabs(sine) < 0.01) { /* next to no wave is 1 on both barriers */
            return say_why(STATUS_FAILED, why,
                           "the rate is such that paying at the hit has no formula");
        }
        double b = angle > 0.0 ? (exact_exp2(-roots.p * width) - cosine) / sine : 0.0;
        double c[6] = {period->discount, period->discount * b, roots.p, roots.q * LN2 / PI, low};
        t->kind = OBSERVATION_PAY_AT_HIT_WAVE;
        memcpy(t->c, c, sizeof c);
        return STATUS_OK;
    }
    t->kind = OBSERVATION_PAY_AT_HIT;
    if (lower && upper) {
        double u = exact_exp2(-roots.p * width), v = exact_exp2(roots.q * width),
               both = 1.0 / (1.0 - u * v);
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

/* ---- autocallable ---------------------------------------------------------------------------- */

static double log_level(double level)
{
    return level > 0.0 ? exact_log2(level) : -HUGE_VAL;
}

/* Makes the observation of a date, which is the trade's own of this number, or none of them
 * (-1). */
static void calls_observation(const struct market *market, const struct trade *trade, double date,
                              int number, bool end, struct observation *t)
{
    double discount = discount_factor(market, trade, date);
    bool observed = number >= 0;
    double years = observed && trade->coupon_years ? trade->coupon_years[number] : 1.0;
    t->kind = end ? OBSERVATION_AUTOCALL_END : OBSERVATION_AUTOCALL;
    t->c[0] = observed ? log_level(trade->call_level) : HUGE_VAL;
    t->c[1] = observed ? log_level(trade->coupon_level) : HUGE_VAL;
    t->c[2] = discount * trade->coupon * years;
    t->c[3] = discount;
    t->c[4] = trade->memory;
    t->c[5] = log_level(trade->protection_level);
}

/* Makes the observation of the i-th date. The last date is the expiry; it is an observation if it
 * was not added to them. */
static void calls_observation_of(const struct market *market, const struct observable *o, int i,
                                 struct observation *t)
{
    const struct schedule *observations = &o->functional.dates;
    int today = 0; /* observations that are not on the dates */
    while (today < observations->n && observations->times[today] <= 0.0) today++;
    calls_observation(market, o->functional.trade, o->dates[i],
                      i + today < observations->n ? i + today : -1, i == o->n_dates - 1, t);
}

/* Makes an observation of today at today's spots. */
static void calls_today(const struct market *market, const struct trade *trade, struct memory *m)
{
    struct observation t = {0};
    m->source_a = HUGE_VAL;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        double spot = spot_today(market, trade, i);
        double level = exact_log2(spot) - exact_log2(initial_spot(market, trade, i));
        m->source_a = level < m->source_a ? level : m->source_a;
    }
    calls_observation(market, trade, 0.0, 0, false, &t);
    observe_autocall(&t, 0.0, 0.0, 0.0, m);
}

/* ---- early exercise -------------------------------------------------------------------------- */

static void exercise_observation(const struct market *market, const struct observable *o, int i,
                                 struct observation *t)
{
    static const int modes[] = {[FUNCTIONAL_SUM_OF] = EXERCISE_MONEY,
                                [FUNCTIONAL_LOG_OF] = EXERCISE_LOG,
                                [FUNCTIONAL_TOP_OF] = EXERCISE_TWO_LOGS,
                                [FUNCTIONAL_BOTTOM_OF] = EXERCISE_TWO_LOGS};
    const struct trade *trade = o->functional.trade;
    struct variance_law law = variance_law(&market->assets[trade->asset]);
    double usual = fmax(law.today, law.usual);
    t->c[0] = option_sign(trade->option);
    t->c[1] = 1.0 / trade->strike;
    t->c[2] = trade->strike * discount_factor(market, trade, o->dates[i]);
    t->c[3] =
        exercise_reads_share(market, trade) ? EXERCISE_SHARE : modes[basket_functional(trade)];
    t->c[4] = !exercise_sees_variance(o->kind) ? t->c[1] : usual > 0.0 ? 1.0 / sqrt(usual) : 1.0;
    t->c[5] = o->table + i * (o->n_table / o->n_dates);
}

/* ---- laying out ------------------------------------------------------------------------------ */

/* Returns the returns so far, up to the reset or the fixing of today where there is one. */
static struct memory periods_today(const struct market *market, const struct functional *r,
                                   bool fixed_today)
{
    const struct trade *trade = r->trade;
    double fixed = exact_log2(spot_today(market, trade, r->asset));
    struct memory m = {.b = trade->past_level > 0.0 ? exact_log2(trade->past_level) : fixed};
    struct observation t = {.c = {trade->local_floor, trade->local_cap, trade->past_level > 0.0}};
    if (r->kind == FUNCTIONAL_RETURNS) m.a = trade->past_returns;
    if (!fixed_today) return m;
    if (r->kind == FUNCTIONAL_RETURNS) observe_returns(&t, fixed, 0.0, 0.0, &m);
    else observe_squares(&t, fixed, 0.0, 0.0, &m);
    return m;
}

static bool beyond_barrier(const struct functional *r, double spot)
{
    return spot <= r->lower || spot >= r->upper;
}

/* Fills the state of what is watched at every moment from a later date on, whose first look sees a
 * path that comes from nowhere: it has the spot as both extremes, and is dead beyond a barrier. The
 * variance to that look is next to nothing (VARIANCE_TO_BEGIN; variance_clock.h takes less than
 * nothing for that). */
#define VARIANCE_TO_BEGIN 1e-20
static void state_before(const struct functional *r, double low, double high, double *state)
{
    bool extreme = r->kind != FUNCTIONAL_SURVIVAL, down = isfinite(low), up = isfinite(high);
    double nowhere = r->kind == FUNCTIONAL_HIGH ? -1000.0 : 1000.0;
    double within = down && up ? 0.5 * (low + high) : down ? low + 1.0 : high - 1.0;
    state[0] = extreme ? nowhere : 1.0;
    state[1] = extreme ? nowhere : 0.0;
    state[2] = extreme ? 1e300 : within;
    state[3] = extreme ? 0.0 : 1e300;
}

/* Fills the state of today. Today's date, and the first moment of continuous monitoring, see
 * today's spot, which no scenario moves. A spot that is somewhere else begins there at once: what
 * is monitored at every moment sees that too, a date does not. */
static void initial_state(const struct market *market, const struct functional *r, double *state)
{
    double spot = market->assets[trade_asset(r->trade, r->asset)].spot, x = exact_log2(spot);
    double fixing = spot_today(market, r->trade, r->asset), fixed = exact_log2(fixing);
    bool always = r->dates.continuous,
         fixed_today = always || (r->dates.n && r->dates.times[0] <= 0.0);
    bool dead_today =
        (fixed_today && beyond_barrier(r, fixing)) || (always && beyond_barrier(r, spot));
    double high = always && x > fixed ? x : fixed, low = always && x < fixed ? x : fixed;
    struct memory calls = {.b = 1.0, .c = r->trade->past_missed}, periods;
    switch (r->kind) {
    case FUNCTIONAL_SUM: state[0] = fixed_today ? fixing : 0.0; break;
    case FUNCTIONAL_LOG_SUM: state[0] = fixed_today ? fixed : 0.0; break;
    case FUNCTIONAL_HIGH: state[0] = fixed_today ? high : -1000.0, state[1] = x; break;
    case FUNCTIONAL_LOW: state[0] = fixed_today ? low : 1000.0, state[1] = x; break;
    case FUNCTIONAL_SURVIVAL: state[0] = r->hit || dead_today ? 0.0 : 1.0, state[2] = x; break;
    case FUNCTIONAL_PAYMENT_AT_HIT:
        state[0] = dead_today && !r->hit ? discount_factor(market, r->trade, 0.0) : 0.0;
        break;
    case FUNCTIONAL_RETURNS:
    case FUNCTIONAL_SQUARES:
        periods = periods_today(market, r, fixed_today);
        state[0] = periods.a, state[1] = periods.b;
        break;
    case FUNCTIONAL_CALLS:
        if (fixed_today) calls_today(market, r->trade, &calls);
        state[0] = calls.a, state[1] = calls.b, state[2] = calls.c;
        break;
    case FUNCTIONAL_OPEN_CALLS:
        if (fixed_today) calls_today(market, r->trade, &calls);
        state[0] = calls.a, state[1] = calls.b > 0.0 ? 1000.0 : -1000.0, state[2] = calls.b;
        break;
    case FUNCTIONAL_EXERCISE: state[1] = 1.0; break;
    case FUNCTIONAL_MARGIN: state[0] = r->hit || dead_today ? -1000.0 : 1000.0; break;
    case FUNCTIONAL_SPOT: /* this and the next are written at their dates */
    case FUNCTIONAL_VARIANCE:
    case FUNCTIONAL_SUM_OF:
    case FUNCTIONAL_LOG_OF:
    case FUNCTIONAL_TOP_OF:
    case FUNCTIONAL_BOTTOM_OF:
    case FUNCTIONAL_BEST_OF:
    case FUNCTIONAL_WORST_OF:
    case FUNCTIONAL_OPEN_WORST:
    case FUNCTIONAL_REST: break;
    }
}

/* Returns how many numbers the policy of a date of exercise has. */
static int policy_numbers(const struct trade *trade)
{
    bool leads = trade->kind == BASKET_BEST_OF || trade->kind == BASKET_WORST_OF;
    if (!exercise_is_apart(trade)) return EXERCISE_TERMS;
    return EXERCISE_TERMS + leader_terms(trade) * (leads ? trade_n_assets(trade) : 1);
}

void observable_begin(const struct market *market, struct observable *observable)
{
    if (observable->functional.begin > 0.0)
        state_before(&observable->functional, observable->low, observable->high,
                     observable->initial);
    else initial_state(market, &observable->functional, observable->initial);
}

enum status observable_lay_out(const struct market *market, const struct functional *functional,
                               double max_step, struct observable *observable, struct message *why)
{
    double lower = functional->lower, upper = functional->upper;
    *observable = (struct observable){.functional = *functional,
                                      .kind = kind_of(market, functional),
                                      .n_parts = 1,
                                      .low = lower > 0.0 ? exact_log2(lower) : -HUGE_VAL,
                                      .high = upper < HUGE_VAL ? exact_log2(upper) : HUGE_VAL,
                                      .source = -1,
                                      .within = -1};
    if (is_basket(functional)) observable->n_parts = trade_n_assets(functional->trade);
    observable_begin(market, observable);
    enum status status = functional_dates(market, functional, max_step, &observable->dates,
                                          &observable->n_dates, why);
    if (functional->kind == FUNCTIONAL_EXERCISE)
        observable->n_table = observable->n_dates * policy_numbers(functional->trade);
    return status;
}

/* ---- the same observable --------------------------------------------------------------------- */

static bool same_assets(const struct trade *a, const struct trade *b)
{
    if (trade_n_assets(a) != trade_n_assets(b) || quanto_compare(&a->quanto, &b->quanto))
        return false;
    for (int i = 0; i < trade_n_assets(a); i++) {
        if (trade_asset(a, i) != trade_asset(b, i) || trade_weight(a, i) != trade_weight(b, i))
            return false;
        if (!a->initial != !b->initial || (a->initial && a->initial[i] != b->initial[i]))
            return false;
    }
    return true;
}

/* Tells whether two notes of as many observations pay for the same years at each. */
static bool same_years(const struct trade *a, const struct trade *b)
{
    if (!a->coupon_years || !b->coupon_years) return a->coupon_years == b->coupon_years;
    return a->observations.n == b->observations.n &&
           !memcmp(a->coupon_years, b->coupon_years, sizeof(double) * (size_t)a->observations.n);
}

static bool same_calls(const struct trade *a, const struct trade *b)
{
    return same_years(a, b) && a->call_level == b->call_level &&
           a->coupon_level == b->coupon_level && a->coupon == b->coupon &&
           a->protection_level == b->protection_level && a->memory == b->memory &&
           a->past_missed == b->past_missed;
}

/* Tells whether two observables take the same from their trades beside the functionals' own
 * numbers. */
static bool same_terms(const struct functional *a, const struct functional *b)
{
    const struct trade *s = a->trade, *t = b->trade;
    int terms = functionals[a->kind].terms;
    if ((terms & TAKES_PAYMENT || a->dates.continuous) && s->payment_lag != t->payment_lag)
        return false;
    bool same_exercise = s->kind == t->kind && s->option == t->option && s->strike == t->strike &&
                         s->payment_lag == t->payment_lag && !s->slope_of == !t->slope_of &&
                         s->exercise_apart == t->exercise_apart;
    if (terms & TAKES_BASKET)
        return same_assets(s, t) && s->exercise_apart == t->exercise_apart &&
               (!a->within || same_exercise) &&
               (s->kind == BASKET_GEOMETRIC) == (t->kind == BASKET_GEOMETRIC) &&
               product_has(s->product, OVER_INITIAL_SPOTS) ==
                   product_has(t->product, OVER_INITIAL_SPOTS);
    if (terms & (TAKES_CALLS | TAKES_EXERCISE) && !same_assets(s, t)) return false;
    if (terms & TAKES_CALLS && !same_calls(s, t)) return false;
    if (terms & TAKES_EXERCISE && !same_exercise) return false;
    if (terms & TAKES_LEVEL && s->past_level != t->past_level) return false;
    if (terms & TAKES_RETURNS &&
        !(s->local_floor == t->local_floor && s->local_cap == t->local_cap &&
          s->past_returns == t->past_returns))
        return false;
    return !(terms & TAKES_PIVOT) || s->pivot == t->pivot;
}

bool functional_equal(const struct functional *a, const struct functional *b)
{
    if (a->kind != b->kind || a->within != b->within ||
        a->dates.continuous != b->dates.continuous || a->dates.n != b->dates.n)
        return false;
    if (a->lower != b->lower || a->upper != b->upper || a->hit != b->hit || a->begin != b->begin)
        return false;
    if (trade_asset(a->trade, a->asset) != trade_asset(b->trade, b->asset)) return false;
    if (quanto_compare(&a->trade->quanto, &b->trade->quanto) || !same_terms(a, b)) return false;
    if (has_end(a) != has_end(b) || (has_end(a) && a->end != b->end)) return false;
    if (a->dates.continuous && a->trade->scripted != b->trade->scripted) return false;
    if (a->dates.continuous)
        return product_has(a->trade->product, EARLY_EXERCISE) ==
               product_has(b->trade->product, EARLY_EXERCISE);
    return !a->dates.n ||
           !memcmp(a->dates.times, b->dates.times, sizeof(double) * (size_t)a->dates.n);
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* Tells whether a payment monitored continuously is not made by the formula of pay_at_hit: where
 * the path was looked at, a cash dividend took it through the barrier, or the model's variance is
 * not known beforehand; the time of the hit is then taken to be the middle of the period. */
static bool pays_on_date(const struct market *market, const struct observable *o, int i)
{
    return clocked(market, &o->functional) || dividend_at(market, &o->functional, o->dates[i]);
}

static enum status payment_observation(const struct market *market, const struct observable *o,
                                       int i, struct observation *t, struct message *why)
{
    struct accrual_period period =
        accrual_between(market, &o->functional, i ? o->dates[i - 1] : 0.0, o->dates[i]);
    if (o->functional.dates.continuous && !pays_on_date(market, o, i))
        return pay_at_hit_observation(&o->functional, &period, t, why);
    t->kind = OBSERVATION_PAY_ON_DATE;
    t->c[0] = period.discount;
    if (o->functional.dates.continuous) {
        double before = discount_factor(market, o->functional.trade, i ? o->dates[i - 1] : 0.0);
        t->c[0] = sqrt(before * period.discount);
    }
    return STATUS_OK;
}

/* Returns the variance from the date before the i-th to it. */
static double variance_before(const struct market *market, const struct observable *o, int i)
{
    if (!i && o->functional.begin > 0.0) return VARIANCE_TO_BEGIN;
    return accrued_variance(market, &o->functional, i ? o->dates[i - 1] : 0.0, o->dates[i]);
}

/* Fills a survival's levels, and where it is watched at every moment what its bridges need. */
static enum status survival_observation(const struct market *market, const struct observable *o,
                                        int i, struct observation *t, struct message *why)
{
    bool strip = is_strip(&o->functional);
    t->c[0] = o->functional.lower > 0.0 ? o->low : o->high;
    if (o->kind == OBSERVATION_FENCE) t->c[0] = o->low, t->c[1] = o->high;
    else if (strip) t->c[2] = o->high - o->low;
    if (o->kind == OBSERVATION_FENCE || clocked(market, &o->functional)) return STATUS_OK;
    double variance = variance_before(market, o, i);
    t->c[1] = -2.0 * LN2 / variance;
    return strip ? strip_terms(variance, t->c[2], &t->c[3], why) : STATUS_OK;
}

enum status observation_make(const struct market *market, const struct observable *o, int i,
                             int part, struct observation *t, struct message *why)
{
    const struct functional *r = &o->functional;
    t->kind = (uint16_t)o->kind;
    switch (r->kind) {
    case FUNCTIONAL_SPOT: /* this and the next have no coefficients */
    case FUNCTIONAL_VARIANCE:
    case FUNCTIONAL_SUM:
    case FUNCTIONAL_LOG_SUM:
    case FUNCTIONAL_SQUARES: break;
    case FUNCTIONAL_HIGH:
    case FUNCTIONAL_LOW:
        if (o->kind == OBSERVATION_BRIDGE_HIGH || o->kind == OBSERVATION_BRIDGE_LOW)
            t->c[0] = variance_before(market, o, i) / (LN2 * LN2);
        break;
    case FUNCTIONAL_SURVIVAL: return survival_observation(market, o, i, t, why);
    case FUNCTIONAL_PAYMENT_AT_HIT: return payment_observation(market, o, i, t, why);
    case FUNCTIONAL_SUM_OF:
    case FUNCTIONAL_LOG_OF:
    case FUNCTIONAL_TOP_OF:
    case FUNCTIONAL_BOTTOM_OF:
    case FUNCTIONAL_BEST_OF:
    case FUNCTIONAL_WORST_OF:
    case FUNCTIONAL_OPEN_WORST: return basket_observation(market, o, i, part, t, why);
    case FUNCTIONAL_RETURNS:
        t->c[0] = r->trade->local_floor;
        t->c[1] = r->trade->local_cap;
        t->c[2] = i || r->trade->past_level > 0.0 || (r->dates.n && r->dates.times[0] <= 0.0);
        break;
    case FUNCTIONAL_CALLS: calls_observation_of(market, o, i, t); break;
    case FUNCTIONAL_OPEN_CALLS:
        calls_observation_of(market, o, i, t);
        return open_calls_observation(market, o, t, why);
    case FUNCTIONAL_EXERCISE: exercise_observation(market, o, i, t); break;
    case FUNCTIONAL_MARGIN: return margin_observation(market, o, i, t, why);
    case FUNCTIONAL_REST: return rest_observation(market, o, i, t, why);
    }
    return STATUS_OK;
}
