/* Any product but american under any model, by simulation: the last resort, and the cross-check of
 * the other methods. joint_paths.h walks; here is what a trade pays on what its dates show. Between
 * them continuous monitoring has the farthest point, or the probability that no wall was met; a hit
 * is then in the middle of the time between two dates: a bias of (rate * time)^2 / 24 of what is
 * paid.
 *
 * Payoffs stand here and not as texts for script_walk.h: with what binds trades to their texts
 * these have as many lines, take three times the operations a date, and leave nothing that the walk
 * of scripts is compared with. */
#include <math.h>
#include <string.h>

#include "models/payoffs/product_numbers.h"
#include "validation/reference/joint_paths.h"

/* What a date is to the trade; a sum of these. */
enum role { FIXING = 1, LOOK = 2, RESET = 4, START = 8, OBSERVATION = 16 };

enum { HIT_DATES = 64 }; /* of a life, between which hits are told apart */

struct shown_date {
    int roles;
    double discount, hit; /* from the date; from where a hit is paid that it shows */
};

struct simulation {
    const struct problem *problem;
    const struct trade *trade;
    const struct multi_asset *assets;
    double *times;            /* [n] increasing, the last one is the expiry */
    struct shown_date *dates; /* [n] */
    int n, n_fixings;
    bool watched;
    double lower, upper; /* walls */
    struct watch watch;  /* whether it is or not */
    bool logs;           /* those of fixings matter */
    bool certain;        /* there is but one path */
    bool geometric;      /* the geometric Asian of the same terms is the second value */
};

/* ---- dates ----------------------------------------------------------------------------------- */

/* Gives a role to n of the dates, increasing. */
static void mark_dates(struct simulation *s, int n, const double *dates, int role)
{
    for (int i = 0, k = 0; i < n; i++) {
        while (k + 1 < s->n && s->times[k + 1] <= dates[i]) k++;
        s->dates[k].roles |= role;
    }
}

/* Lists what the trade looks at, one date for what falls together. */
static enum status list_dates(struct simulation *s)
{
    enum { SCHEDULES = 4 };
    static const int roles[SCHEDULES] = {FIXING, LOOK, RESET, OBSERVATION};
    const struct trade *trade = s->trade;
    const struct schedule *schedules[SCHEDULES] = {&trade->fixings, &trade->monitoring,
                                                   &trade->resets, &trade->observations};
    bool hits = s->watched && s->watch.kind == WATCH_SURVIVES && trade->pay_at == PAY_AT_HIT,
         starts = trade->start > 0.0;
    double *listed[SCHEDULES], end = trade->expiry;
    int n[SCHEDULES];
    size_t count = 0, most = HIT_DATES + 2;
    for (int k = 0; k < SCHEDULES; k++) {
        MUST(schedule_dates(s->assets, schedules[k], end, &listed[k], &n[k]));
        most += (size_t)n[k];
    }
    s->n_fixings = n[0];
    MUST(effort_array(s->assets->effort, most, &s->dates));
    MUST(effort_array(s->assets->effort, most, &s->times));
    for (int k = 0; k < SCHEDULES; k++)
        for (int i = 0; i < n[k]; i++) s->times[count++] = listed[k][i];
    for (int i = 1; hits && i < HIT_DATES; i++) s->times[count++] = i * end / HIT_DATES;
    if (starts) s->times[count++] = trade->start;
    s->times[count++] = end;
    s->n = dates_sort(s->times, count, end);
    for (int k = 0; k < SCHEDULES; k++) mark_dates(s, n[k], listed[k], roles[k]);
    mark_dates(s, starts, &trade->start, START);
    mark_dates(s, 1, &end, RESET);
    for (int i = 0; i < s->n; i++) {
        double time = s->times[i], before = i ? s->times[i - 1] : 0.0;
        s->dates[i].discount = asset_discount(s->assets, time);
        s->dates[i].hit = asset_discount(s->assets, s->watched ? 0.5 * (before + time) : time);
    }
    return STATUS_OK;
}

static double spot_of(const struct simulation *s)
{
    return asset_at(s->assets, 0)->spot;
}

static bool is_inside(const struct simulation *s, double spot)
{
    return spot > s->lower && spot < s->upper;
}

/* Says between which walls a path lives, and which extreme a lookback is paid by. */
static void choose_watch(struct simulation *s)
{
    const struct trade *trade = s->trade;
    bool up = trade->direction == DIRECTION_UP ||
              (trade->direction == DIRECTION_NONE && trade->barrier > spot_of(s));
    bool highest = (trade->strike_type == STRIKE_FIXED) == (trade->option == OPTION_CALL);
    s->watched = trade->monitoring.continuous;
    s->lower = trade->lower;
    s->upper = trade->upper > 0.0 ? trade->upper : INFINITY;
    if (trade->barrier > 0.0) *(up ? &s->upper : &s->lower) = trade->barrier;
    s->watch = (struct watch){WATCH_SURVIVES, 0, .low = log(s->lower), .high = log(s->upper)};
    if (trade->product == PRODUCT_LOOKBACK) s->watch.kind = highest ? WATCH_HIGHEST : WATCH_LOWEST;
}

/* ---- what is paid ---------------------------------------------------------------------------- */

/* What a path has shown of the first asset. */
struct seen {
    double last, start, extreme;
    double sum, log_sum, squares; /* over the fixings to come; of moves of log spot between them */
    double returns;               /* clipped, between resets */
    double alive, hit;            /* probability of no hit; discounted, of a hit where it is paid */
};

/* Returns the discount from the hit that a date shows. Where nothing is random spots move evenly.
 */
static double hit_discount(const struct simulation *s, int k, double before, double spot)
{
    double from = k ? s->times[k - 1] : 0.0, wall = spot >= s->upper ? s->upper : s->lower;
    if (k == 0 && s->watched && !is_inside(s, before)) return 1.0;
    if (!s->certain || !s->watched || before == spot) return s->dates[k].hit;
    double share = fmin(fmax(log(wall / before) / log(spot / before), 0.0), 1.0);
    return asset_discount(s->assets, from + share * (s->times[k] - from));
}

static void see(const struct simulation *s, const double *spots, const double *watched,
                struct seen *seen)
{
    const struct trade *trade = s->trade;
    double sign = s->watch.kind == WATCH_HIGHEST ? 1.0 : -1.0, reset = trade->past_level,
           log_fixed =
               s->logs ? log(trade->past_level > 0.0 ? trade->past_level : spot_of(s)) : 0.0;
    bool survives = s->watch.kind == WATCH_SURVIVES;
    *seen = (struct seen){.last = spot_of(s),
                          .start = spot_of(s),
                          .extreme = trade->extreme > 0.0 ? trade->extreme : -sign * INFINITY,
                          .returns = trade->past_returns,
                          .alive = trade->hit ? 0.0 : 1.0};
    for (int k = 0; k < s->n; k++) {
        double spot = spots[k * s->assets->n], alive = seen->alive;
        int roles = s->dates[k].roles;
        if (roles & FIXING) seen->sum += spot;
        if (roles & FIXING && s->logs) {
            double log_spot = log(spot), move = log_spot - log_fixed;
            seen->log_sum += log_spot;
            seen->squares += move * move;
            log_fixed = log_spot;
        }
        if (roles & START) seen->start = spot;
        if (roles & RESET && reset > 0.0)
            seen->returns += fmin(fmax(spot / reset - 1.0, trade->local_floor), trade->local_cap);
        if (roles & RESET) reset = spot;
        if (s->watched && survives) seen->alive = fmin(alive, watched[k]);
        else if (survives && roles & LOOK && !is_inside(s, spot)) seen->alive = 0.0;
        else if (s->watched || roles & LOOK)
            seen->extreme =
                sign * fmax(sign * seen->extreme, sign * (s->watched ? watched[k] : spot));
        if (alive > seen->alive)
            seen->hit += (alive - seen->alive) * hit_discount(s, k, seen->last, spot);
        seen->last = spot;
    }
}

static double asian_pays(const struct simulation *s, const struct seen *seen,
                         enum averaging averaging)
{
    const struct trade *trade = s->trade;
    double count = trade->past_count, total = count + s->n_fixings;
    double average = (seen->sum + count * trade->past_average) / total;
    if (averaging == AVERAGING_GEOMETRIC)
        average =
            exp((seen->log_sum + (count > 0.0 ? count * log(trade->past_average) : 0.0)) / total);
    if (trade->strike_type == STRIKE_FIXED)
        return option_payoff(trade->option, average, trade->strike);
    return option_payoff(trade->option, seen->last, average);
}

/* Returns the realised variance a year, what has passed included: (past variance * past years + sum
 * of squared moves of log spot) / (past years + expiry), less the strike's. */
static double variance_pays(const struct trade *trade, const struct seen *seen)
{
    double realised = (trade->past_variance * trade->past_years + seen->squares) /
                      (trade->past_years + trade->expiry);
    return trade->notional * (realised - trade->strike_volatility * trade->strike_volatility);
}

static double note_pays(const struct simulation *s, const double *spots)
{
    struct autocallable_state note = {.missed = s->trade->past_missed};
    double paid = 0.0, worst = INFINITY;
    for (int i = 0; i < s->n; i++, spots += s->assets->n) {
        worst = INFINITY;
        for (int a = 0; a < s->assets->n; a++) worst = fmin(worst, spots[a] / s->trade->initial[a]);
        if (s->dates[i].roles & OBSERVATION)
            paid += s->dates[i].discount * autocallable_pays(s->trade, worst, &note);
        if (note.called) return paid;
    }
    return paid + s->dates[s->n - 1].discount * autocallable_redeems(s->trade, worst);
}

/* Returns the value today of what a path pays. A hit before today has been paid; one today pays at
 * once. */
static double path_value(const struct simulation *s, const double *spots, const struct seen *seen)
{
    const struct trade *trade = s->trade;
    double spot = seen->last, end = s->dates[s->n - 1].discount;
    double option = end * option_payoff(trade->option, spot, trade->strike);
    double hit = trade->pay_at == PAY_AT_HIT ? seen->hit : end * (1.0 - seen->alive);
    const double *basket = spots + (s->n - 1) * s->assets->n;
    switch ((enum product)trade->product) {
    case PRODUCT_EUROPEAN: return option;
    case PRODUCT_DIGITAL:
        if (option <= 0.0) return 0.0;
        return end * (trade->payout == PAYOUT_CASH ? trade->cash : spot);
    case PRODUCT_ASIAN: return end * asian_pays(s, seen, trade->averaging);
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
        if (trade->knock == KNOCK_IN)
            return (1.0 - seen->alive) * option + trade->rebate * end * seen->alive;
        return seen->alive * option + trade->rebate * hit;
    case PRODUCT_TOUCH: return trade->cash * (trade->touch == TOUCH_NO ? end * seen->alive : hit);
    case PRODUCT_LOOKBACK:
        if (trade->strike_type == STRIKE_FIXED)
            return end * option_payoff(trade->option, seen->extreme, trade->strike);
        return end * option_payoff(trade->option, spot, seen->extreme);
    case PRODUCT_FORWARD_START:
        return end * option_payoff(trade->option, spot, trade->strike_ratio * seen->start);
    case PRODUCT_CLIQUET:
        return end * trade->notional *
               fmin(fmax(seen->returns, trade->global_floor), trade->global_cap);
    case PRODUCT_VARIANCE_SWAP: return end * variance_pays(trade, seen);
    case PRODUCT_BASKET:
    case PRODUCT_SPREAD:
        return end *
               option_payoff(trade->option,
                             multi_asset_basket(s->assets,
                                                trade->product == PRODUCT_SPREAD ? BASKET_AVERAGE
                                                                                 : trade->kind,
                                                basket),
                             trade->strike);
    case PRODUCT_AUTOCALLABLE: return note_pays(s, spots);
    case PRODUCT_AMERICAN: /* which has methods of its own, as the others here have */
    case PRODUCT_FORWARD:
    case PRODUCT_FUTURE:
    case PRODUCT_POSITION:
    case PRODUCT_CASH:
    case PRODUCT_PREMIUM:
    case PRODUCT_FEE:
    case PRODUCT_SCRIPT:
    case N_PRODUCTS: break;
    }
    return NAN;
}

static enum status pays(void *context, const double *spots, const double *watched, double *values)
{
    const struct simulation *s = context;
    struct seen seen;
    see(s, spots, watched, &seen);
    values[0] = path_value(s, spots, &seen);
    if (s->geometric) values[1] = asian_pays(s, &seen, AVERAGING_GEOMETRIC);
    return STATUS_OK;
}

/* ---- controls -------------------------------------------------------------------------------- */

/* Finds the mean at expiry of what another trade on the same asset pays, in a market without its
 * cash dividends. Whether it can. */
static bool find_mean(const struct simulation *s, struct trade other, double *mean)
{
    struct effort *effort = s->assets->effort;
    struct market market = *s->problem->market;
    struct problem problem = *s->problem;
    struct reference exact;
    size_t size = (size_t)market.n_assets * sizeof *market.assets;
    if (effort_array(effort, market.n_assets, &market.assets)) return false;
    memcpy(market.assets, s->problem->market->assets, size);
    market.assets[other.asset].n_dividends = 0;
    other.payment_lag = 0.0;
    problem.market = &market;
    const struct trade_fixed_today stated = {.trade = other};
    bool found = !reference_stated(&problem, &stated, effort, &exact);
    if (!found) effort_forgive(effort);
    *mean = exact.price * exp(curve_accrued(s->assets->rate, other.expiry));
    return found;
}

/* Adds calls at the levels that matter to a trade on one asset, and of an arithmetic Asian the
 * geometric one. */
static void add_controls(struct simulation *s, struct joint_payoff *payoff)
{
    const struct trade *trade = s->trade;
    const struct asset *asset = asset_at(s->assets, 0);
    double forward = asset->spot * exp(asset_growth(s->assets, 0, trade->expiry));
    double levels[] = {trade->strike > 0.0 ? trade->strike : forward, trade->barrier, trade->lower,
                       trade->upper};
    bool plain = asset->n_dividends == 0 && asset->model != MODEL_LOCAL_VOL;
    struct trade other = *trade;
    if (s->assets->n > 1 || asset->model == MODEL_HISTORICAL ||
        (s->assets->fx[0] >= 0 && asset->variance.n == 0))
        return;
    other.averaging = AVERAGING_GEOMETRIC;
    s->geometric = trade->product == PRODUCT_ASIAN && trade->averaging != AVERAGING_GEOMETRIC &&
                   plain && find_mean(s, other, &payoff->second_mean);
    if (s->geometric) payoff->second = SECOND_CONTROL, s->logs = true;
    other.product = PRODUCT_EUROPEAN;
    other.option = OPTION_CALL;
    for (int i = 0; i < JOINT_LEVELS; i++) {
        int n = payoff->n_calls;
        other.strike = payoff->strike[n] = levels[i];
        if (levels[i] > 0.0 && find_mean(s, other, &payoff->call_mean[n])) payoff->n_calls++;
    }
}

/* ---- the estimate ---------------------------------------------------------------------------- */

/* Returns about the most that one path pays: what is knocked out by any spot beyond its walls at
 * the end, no more than at a wall. */
static double largest_payment(const struct simulation *s)
{
    const struct trade *trade = s->trade;
    bool barrier = trade->product == PRODUCT_BARRIER || trade->product == PRODUCT_DOUBLE_BARRIER,
         to_end = s->watched || s->dates[s->n - 1].roles & LOOK;
    double stake = reference_stake(s->problem);
    if (reference_pays_cash(trade)) return fabs(trade->cash);
    if (trade->notional != 0.0) return fabs(trade->notional);
    if (!barrier || trade->knock != KNOCK_OUT || !to_end) return stake;
    double at_walls = fmax(option_payoff(trade->option, s->lower, trade->strike),
                           option_payoff(trade->option, s->upper, trade->strike));
    return fmin(stake, fmax(at_walls, fabs(trade->rebate)));
}

enum status reference_monte_carlo(const struct problem *problem, long n_paths,
                                  struct reference *out)
{
    struct simulation s = {.problem = problem, .trade = problem->trade, .assets = &problem->assets};
    struct joint_paths *paths = NULL;
    struct joint_payoff payoff = {.value = pays, .context = &s, .samples = n_paths / SIGNS};
    struct effort *effort = problem->assets.effort;
    s.logs = s.trade->product == PRODUCT_VARIANCE_SWAP || s.trade->averaging == AVERAGING_GEOMETRIC;
    s.certain = joint_paths_are_certain(s.assets, s.trade->expiry);
    choose_watch(&s);
    MUST(list_dates(&s));
    payoff.most = largest_payment(&s);
    if (!n_paths && !s.certain) add_controls(&s, &payoff);
    payoff.cost = 4.0 + s.n * (2.0 + s.assets->n) + (s.logs ? 2.0 * s.n_fixings : 0.0);
    MUST(effort_array(effort, 1, &paths));
    const double today = spot_of(&s);
    const struct joint_view view = {
        .n = s.n, .times = s.times, .n_watches = s.watched, .watches = &s.watch, .today = &today};
    MUST(joint_paths_make(problem, &view, paths));
    return joint_paths_mean(paths, &payoff, out);
}

enum status reference_by_simulation(const struct problem *problem, struct reference *out)
{
    return reference_monte_carlo(problem, 0, out);
}
