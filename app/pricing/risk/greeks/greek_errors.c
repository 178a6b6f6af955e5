#include "app/pricing/risk/greeks/greek_errors.h"

#include <limits.h>
#include <math.h>

#include "app/pricing/base/estimate.h"
#include "app/pricing/risk/greeks/greek_trades.h"
#include "app/pricing/risk/greeks/sensitivities.h"
#include "app/pricing/value/exercise/exercise_dates.h"
#include "models/dynamics/coefficients.h"
#include "models/market/surface.h"
#include "models/payoffs/payoff_definition.h"
#include "models/payoffs/product_numbers.h"
#include "models/payoffs/scripted.h"

/* ---- crossings ------------------------------------------------------------------------------- */

/* Money per unit that moves one for one with the asset where the payoff has not turned away from
 * it. */
static double money_on(const struct market *market, const struct trade *trade, int asset)
{
    double money = 0.0;
    if (trade->hit && trade->knock == KNOCK_OUT) return 0.0;
    switch ((enum product)trade->product) {
    case PRODUCT_CLIQUET:
    case PRODUCT_AUTOCALLABLE: return trade->notional;
    case PRODUCT_SCRIPT: money = binding_largest(trade_binding(trade), true); break;
    case PRODUCT_VARIANCE_SWAP:
    case PRODUCT_TOUCH: return 0.0;
    case PRODUCT_DIGITAL:
        if (trade->payout != PAYOUT_ASSET) return 0.0;
        break;
    case PRODUCT_EUROPEAN:
    case PRODUCT_ASIAN:
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
    case PRODUCT_LOOKBACK:
    case PRODUCT_FORWARD_START:
    case PRODUCT_BASKET:
    case PRODUCT_SPREAD:
    case PRODUCT_AMERICAN:
#define PAYOFF(NAME, ...) case PRODUCT_##NAME:
#include "models/payoffs/linear.def"
#undef PAYOFF
    case N_PRODUCTS: break;
    }
    if (trade_n_assets(trade) > 1 && trade->kind == BASKET_GEOMETRIC &&
        trade->product != PRODUCT_SPREAD)
        return trade->strike;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        int a = trade_asset(trade, i);
        if (a == asset || asset < 0)
            money = fmax(money, fabs(trade_weight(trade, i)) * market->assets[a].spot);
    }
    return money;
}

/* Deviations of the normal of a path that is seldom in the money. */
#define SELDOM 3.0

/* What a path on which the payoff has just turned brings to a slope in something of an asset (-1:
 * of any); of spots, for a relative move of 1. */
static double turn_of_slope(const struct market *market, const struct trade *trade,
                            enum slope slope, int asset, double first_date)
{
    double money = money_on(market, trade, asset), t = trade->expiry;
    int seen = asset >= 0 ? asset : trade_asset(trade, 0);
    double sigma = asset_volatility(&market->assets[seen], t);
    switch (slope_rows[slope].growth) {
    case GROWTH_MONEY: return money;
    case GROWTH_VOLATILITY: return money * SELDOM * sqrt(t);
    case GROWTH_RATE: return money * t;
    case GROWTH_AMOUNT: return money / market->assets[seen].spot;
    case GROWTH_TIME: return money * SELDOM * sigma / (2.0 * sqrt(first_date));
    case GROWTH_SHAPE: break;
    case GROWTH_NOTHING: return 0.0;
    }
    /* A relative move of 1 of a parameter; of a correlation a move of 1 */
    struct shock shock = {.kind = slope_rows[slope].shock, .target = seen};
    double size = 1.0;
    if (shock.kind > SHOCK_NOTHING)
        size = fabs(shocked_value(market, &shock).value) +
               parameter_ranges[shock.kind - SHOCK_PARAMETERS].floor;
    return money * SELDOM * sigma * sqrt(t) / size;
}

/* What such a path brings to a Greek. */
static double turn_of_greek(const struct market *market, const struct trade *trade,
                            const struct sensitivity *sensitivity, double bump, double first_date)
{
    int asset = sensitivity->asset >= 0 ? sensitivity->asset : trade_asset(trade, 0);
    const struct greek_row *row = &greek_rows[sensitivity->greek];
    bool first = row->second == SLOPE_NOTHING;
    enum slope slope = first ? row->first : row->second;
    bool spot = slope == SLOPE_SPOT || slope == SLOPE_OTHER_SPOT;
    double over = first ? 1.0 : bump; /* of what it is the slope in first */
    return turn_of_slope(market, trade, slope, sensitivity->asset, first_date) /
           (spot ? market->assets[asset].spot * over : over);
}

double greek_crossing(const struct market *market, const struct trade *trade,
                      const struct sensitivity *sensitivity, const struct contrast *contrast,
                      double bump, double first_date)
{
    double least = HUGE_VAL;
    if (trade->pivot > 0.0 || !trade_has_paths(trade)) return 0.0;
    for (int i = 0; i < contrast->n_terms; i++)
        least = fmin(least, fabs(contrast->terms[i].weight));
    double jump = has_same_exercise(market, trade) ? 0.0 : payoff_jump(market, trade);
    return fmax(jump * least, turn_of_greek(market, trade, sensitivity, bump, first_date));
}

double pnl_crossing(const struct market *market, const struct trade *trade, int n,
                    const struct shock *shocks)
{
    static const enum slope slopes[] = {[SHOCK_SPOT] = SLOPE_SPOT,
                                        [SHOCK_VOLATILITY] = SLOPE_VOLATILITY,
                                        [SHOCK_LEGS] = SLOPE_VOLATILITY,
                                        [SHOCK_RATE] = SLOPE_RATE};
    double turn = 0.0;
    if (!trade_has_paths(trade)) return 0.0;
    for (int m = 0; m < n; m++) {
        const struct shock *shock = &shocks[m];
        int asset = shock->kind == SHOCK_RATE ? EVERY : shock->target;
        if (trade_sees_shock(market, trade, shock))
            turn += fabs(shock->amount) *
                    turn_of_slope(market, trade, slopes[shock->kind], asset, trade->expiry);
    }
    return fmax(turn, payoff_jump(market, trade));
}

double error_with_crossings(double std_error, double crossing, double n)
{
    return hypot(std_error, crossing * sqrt(CROSSINGS_ASSUMED) / n);
}

/* ---- tables ---------------------------------------------------------------------------------- */

#define ROUGHNESS 1e-6
#define ROUGHNESS_STEP 0.02 /* years, whose deviation is d */

/* The mean of squared second differences on one date, k between two deviations on either side. */
static double squares_on(const struct implied_surface *surface, double t)
{
    double deviation = sqrt(surface_variance(surface, 0.0, t).w), sum = 0.0, total = 0.0;
    double d = sqrt(ROUGHNESS_STEP * surface_local_variance(surface, 0.0, t));
    for (int i = -20; i <= 20; i++) {
        double score = 0.1 * i, k = score * deviation, weight = exp(-0.5 * score * score);
        double bend = log(surface_local_variance(surface, k + d, t)) +
                      log(surface_local_variance(surface, k - d, t)) -
                      2.0 * log(surface_local_variance(surface, k, t));
        total += weight, sum += weight * bend * bend;
    }
    return sum / total;
}

double surface_roughness(const struct market *market, int asset, double years)
{
    enum { DATES = 16 };
    struct implied_surface surface;
    struct message why;
    double sum = 0.0;
    if (!model_takes(market->assets[asset].model, TAKES_SURFACE)) return 0.0;
    if (surface_make(&surface, market, asset, &why)) return 0.0;
    for (int i = 0; i < DATES; i++) sum += squares_on(&surface, years * (i + 0.5) / DATES) / DATES;
    surface_free(&surface);
    return isfinite(sum) ? sqrt(sum) : 0.0;
}

/* Tables are those of an asset's spot, surface, rates and dates; under a cross gamma's four markets
 * every table is met once with either sign. */
static bool moves_tables(const struct market *market, const struct trade *trade,
                         const struct sensitivity *s)
{
    const struct greek_row *row = &greek_rows[s->greek];
    enum shock_kind kind = slope_rows[row->first].shock;
    bool moves = false;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (!model_takes(asset->model, TAKES_SURFACE)) continue;
        if (kind == SHOCK_RATE)
            moves |= asset->currency == s->currency || asset->foreign_currency == s->currency;
        else moves |= kind == SHOCK_NOTHING || s->asset == trade_asset(trade, i);
    }
    return moves && row->second != SLOPE_OTHER_SPOT && kind != SHOCK_CORRELATION;
}

/* What eps is a part of. */
static double amount(const struct market *market, const struct trade *trade)
{
    double spread = 0.0;
    if (trade_pays_cash(trade)) return fabs(trade->cash);
    if (trade->notional != 0.0) return fabs(trade->notional);
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        double weight = trade->weights ? fabs(trade->weights[i]) : 1.0;
        if (model_takes(asset->model, TAKES_SURFACE))
            spread +=
                weight * asset->spot * asset_volatility(asset, trade->expiry) * sqrt(trade->expiry);
    }
    return spread;
}

/* Of eps, what is left where a European option or a digital is hardly ever decided: beyond the
 * strike lies little of the law whose errors it sees. (In the money an option is the forward, which
 * tables make as rough, and one out of the money.) */
static double share_decided(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    bool digital = trade->product == PRODUCT_DIGITAL;
    if (trade->strike <= 0.0 || !(digital || trade->product == PRODUCT_EUROPEAN)) return 1.0;
    double d = log(trade->strike / asset->spot) /
               (asset_volatility(asset, trade->expiry) * sqrt(trade->expiry));
    if (trade->option == OPTION_PUT) d = -d;
    if (!digital) d = fmax(d, 0.0);
    return exp(-0.5 * d * d);
}

static double number_of_steps(const struct market *market, const struct trade *trade,
                              double max_step)
{
    double n = 1.0;
    for (int i = 0; i < trade_n_assets(trade); i++)
        n = fmax(n, trade->expiry / model_longest_step(&market->assets[trade_asset(trade, i)],
                                                       trade->expiry, max_step));
    for (int i = 0; i < N_SCHEDULES; i++) n = fmax(n, (double)trade_schedule(trade, i)->n);
    return n;
}

double contrast_roughness(const struct market *market, const struct trade *trade, double roughness,
                          double max_step, const struct sensitivity *s,
                          const struct contrast *contrast)
{
    double squares = 0.0;
    if (roughness == 0.0 || !moves_tables(market, trade, s)) return 0.0;
    for (int i = 0; i < contrast->n_terms; i++)
        squares = fma(contrast->terms[i].weight, contrast->terms[i].weight, squares);
    return ROUGHNESS * roughness * sqrt(number_of_steps(market, trade, max_step) * squares) *
           amount(market, trade) * share_decided(market, trade);
}

/* ---- policies -------------------------------------------------------------------------------- */

/* What a policy of exercise on several assets, or of a program, adds to the error of a Greek,
 * measured against convolutions (exercise_greeks_test), or against exercise on one asset, over
 * seeds: variance, over that of the Greek's own paths
 * where it is fitted on as many, and what it leaves out of a Greek where it is fitted on
 * FIT_CHUNKS. Both fall with more paths. */
#define POLICY_VARIANCE 0.25
static const double policy_bias = 0.004, policy_bias_of_rates = 0.015,
                    policy_bias_of_programs = 0.008;

/* What a policy on several assets leaves of a slope in the rate, or yield, to a date: whose
 * decision is next to indifferent moves interest from date to date, so it is a share of the strike
 * times the years to the date. By a lattice, of quarterly, monthly and daily dates: of a basket
 * 0.03 % at most, with cash dividends 0.28 % over seeds, of the best or worst of two 1.9 %, with
 * cash dividends 5.4 %. */
static double bias_of_date(const struct market *market, const struct trade *trade, double years)
{
    bool on_paths = trade->kind == BASKET_BEST_OF || trade->kind == BASKET_WORST_OF, paid = false;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        paid |= asset->n_dividends > 0;
        on_paths |= model_has(asset->model, REMEMBERS_VARIANCE); /* policies are fitted */
    }
    double share = on_paths ? (paid ? 0.05 : 0.02) : paid ? 0.003 : 0.001;
    return share * trade->strike * fmin(years, trade->expiry) * fabs(trade->quantity);
}

/* And one on an asset that jumps, however many paths there are: of a quarterly put under Merton, by
 * convolutions, delta is 0.12 % off at 2^19 and 2^22 paths. */
static const double policy_bias_of_jumps = 0.0013;

/* Returns what slopes by rates and yields on several assets are off by where several jumps fall
 * between two dates: of a put on the average of two with four dates, by convolutions, 4 % at 20
 * jumps a year, where this is 5 %. */
static double bias_of_many_jumps(const struct market *market, const struct trade *trade)
{
    const struct schedule *exercise = &trade->exercise;
    int dates = exercise->continuous || exercise->n > 50 ? 50 : exercise->n + 1;
    double between = 0.0;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (model_takes(asset->model, TAKES_JUMPS))
            between = fmax(between, asset->jumps.intensity * trade->expiry / dates);
    }
    return 0.08 * between / (2.0 + between);
}

/* And of a program, whatever its paths, by what says of an asset what comes: its spot alone, a
 * variance as well, a surface or jumps, past returns in blocks of days. */
struct program_bias {
    double spot, variance, bent, returns;
    /* Of an american on past returns, beside that of what blocks say: of a put of a year, by a
     * lattice and by policies of every market's own */
    double american;
};

/* In a second slope, over seeds and kinds of puts, it is at most 2.6 % off where features say all
 * of what comes, 4 % under heston and bates. Under local_vol each market fits its own: over seeds
 * that of a compound that is sold has a deviation of 19 %, of a callable note 38, of others 4 to
 * 11. */
static const struct program_bias second_slope_bias = {0.025, 0.04, 0.25, 0.55, 0.0};

/* In a first slope puts under heston and bates, xi 0.4 and 0.5, strikes 90 to 115, are up to 2.4 %
 * off in delta, 6.4 in rho, 8.5 in a vega deep in the money, 19 in a theta that is not small. A
 * compound that is sold and one that may be given up on three dates are up to 4 % off on a surface
 * with a skew and under merton. 0: no more than policy_bias_of_programs.
 *
 * Of past returns those of the block that has begun say what comes next. Puts of a year, strikes 95
 * to 115, ten dates, blocks of 3 to 20 days of two histories, against dynamic programs that know
 * the index of the day: the root of the mean square of what they are off by, of programs and of
 * americans alike; prices are 4 to 19 % too low. With blocks of one day all is within 1.1 % (second
 * slopes 3 %), as where the spot says all. */
static const struct program_bias first_slope_biases[] = {
    [GROWTH_NOTHING] = {0.0, 0.025, 0.04, 0.13, 0.02},
    [GROWTH_MONEY] = {0.0, 0.025, 0.04, 0.13, 0.02},
    [GROWTH_AMOUNT] = {0.0, 0.025, 0.04, 0.13, 0.02},
    [GROWTH_RATE] = {0.0, 0.06, 0.04, 0.36, 0.15},
    [GROWTH_VOLATILITY] = {0.0, 0.06, 0.04, 0.54, 0.08},
    [GROWTH_SHAPE] = {0.0, 0.06, 0.04, 0.54, 0.08},
    [GROWTH_TIME] = {0.0, 0.2, 0.04, 0.54, 0.08}};

/* Returns what an exercise on the best or worst leaves where its two features do not tell the
 * state: on three assets, or under variances. Of a put on the best or a call on the worst, whose
 * decision turns where the second asset comes close, on 4 to 24 dates deltas are up to 7 % off on
 * three to five assets, vegas 17 %, rhos 7 %, deltas 5 % and rhos 8 % on two under heston; of a put
 * on the worst of two under heston deltas are up to 6 % off, rhos 2 %. (By dynamic programs and own
 * simulations.) */
static double bias_of_unseen(const struct market *market, const struct trade *trade,
                             enum growth growth)
{
    bool variance = trade_takes(market, trade, TAKES_HESTON), put = trade->option == OPTION_PUT,
         worst = trade->kind == BASKET_WORST_OF,
         turns = worst ? !put : trade->kind == BASKET_BEST_OF && put;
    if (trade_n_assets(trade) < 3 && !variance) return 0.0;
    if (growth == GROWTH_RATE) return turns ? 0.05 : variance ? 0.025 : 0.0;
    if (turns && (growth == GROWTH_VOLATILITY || growth == GROWTH_SHAPE)) return 0.12;
    return turns || (variance && worst) ? 0.04 : 0.0;
}

/* Returns the error that the decision of an exercise on the best or worst leaves where two assets
 * meet, on which it turns within a day's move, however many paths there are: of a delta a share of
 * the asset's weight. By lattices, of puts on the best and calls on the worst of two unlike assets
 * deltas on 25, 50, 100 and 250 dates a year are up to 0.007, 0.011, 0.028 and 0.043 off, and rho 8
 * %, of others deltas 0.008. Gammas are right, and vegas on 50 dates. */
static double error_of_meeting(const struct trade *trade, int dates, const struct sensitivity *s,
                               double value)
{
    enum slope first = greek_rows[s->greek].first;
    bool best = trade->kind == BASKET_BEST_OF, turns = best == (trade->option == OPTION_PUT);
    double share = fmin(dates / 150.0, 1.0), off = turns ? 0.025 : 0.004, weight = 0.0;
    if (!best && trade->kind != BASKET_WORST_OF) return 0.0;
    if (first == SLOPE_RATE) return turns ? 0.03 * share * fabs(value) : 0.0;
    for (int i = 0; i < trade_n_assets(trade) && first == SLOPE_SPOT; i++)
        if (trade_asset(trade, i) == s->asset) weight = trade_weight(trade, i);
    return off * share * fabs(weight * trade->quantity);
}

static double largest_bias(const struct market *market, const struct trade *trade,
                           const struct program_bias *biases)
{
    double bias = biases->spot;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        enum model model = asset->model;
        bias = fmax(bias, asset->history.block > 1                          ? biases->returns
                          : model_takes(model, TAKES_HESTON)                ? biases->variance
                          : model_takes(model, TAKES_SURFACE | TAKES_JUMPS) ? biases->bent
                                                                            : 0.0);
    }
    return bias;
}

/* Returns what the first decision of a program adds where it is near. Its level is off by what a
 * fit leaves, and the closer spots are on its date, the more paths that puts on the wrong side: of
 * puts on 0.003 and 0.5 years that are next to indifferent vega and rho are up to 37 % off, delta 3
 * %; on 0.02 years 9 % and 1 %. */
static double bias_of_near_decision(const struct market *market, const struct trade *trade,
                                    enum growth growth)
{
    bool of_spots = growth == GROWTH_NOTHING || growth == GROWTH_MONEY || growth == GROWTH_AMOUNT;
    double years = trade->scripted->program.decisions[0].years, volatility = 0.0;
    for (int i = 0; i < trade_n_assets(trade); i++)
        volatility = fmax(volatility,
                          asset_volatility(&market->assets[trade_asset(trade, i)], trade->expiry));
    double spread = volatility * sqrt(years);
    return spread > 0.0 ? fmin((of_spots ? 0.00025 : 0.0025) / spread, 1.0) : 0.0;
}

/* Returns what a theta is off by on past returns.
 *
 * A day that passes takes its return with it, and one to come makes the return of the first larger,
 * in place of another one: of volatility swaps and calls, with fixings 1 to 12 days apart and
 * blocks of one and two days, thetas are off by up to DAYS_SHARE over the days that they live.
 *
 * Where a trade expires within a day of a date where volatility turns, the day takes the variances
 * on both sides of it, and is no part of a day nearer. A theta between those of both sides is known
 * to half of what parts them: it is 8 % off the mean of a day before and a day after where one
 * variance is 2.7 times the other. */
#define DAYS_SHARE 1.5

static double bias_of_days(const struct market *market, const struct trade *trade)
{
    double bias = 0.0, days = 0.0;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        const struct term_structure *variance = &asset->variance;
        double day = asset->history.interval;
        if (!model_takes(asset->model, TAKES_HISTORY)) continue;
        days = fmax(days, DAYS_SHARE * day / trade->expiry);
        for (int j = 0; j + 1 < variance->n; j++) {
            double at = variance->time[j], here = term_accrued(variance, at),
                   before = here - term_accrued(variance, fmax(at - day, 0.0)),
                   after = term_accrued(variance, at + day) - here;
            if (fabs(at - trade->expiry) < day && before + after > 0.0)
                bias = fmax(bias, 0.5 * fabs(after - before) / (before + after));
        }
    }
    return hypot(bias, days);
}

static void add_bias(double bias, struct greek_value *greek)
{
    greek->std_error = hypot(greek->std_error, bias * fabs(greek->value));
}

void add_policy_error(const struct market *market, uint64_t paths, const struct trade *trade,
                      const struct sensitivity *s, struct greek_value *greek)
{
    const struct greek_row *row = &greek_rows[s->greek];
    enum growth growth = slope_rows[row->first].growth;
    bool decides = trade_has(trade, DECIDES);
    if (product_has(trade->product, EARLY_EXERCISE) && trade_n_assets(trade) == 1 &&
        model_takes(market->assets[trade->asset].model, TAKES_JUMPS))
        add_bias(policy_bias_of_jumps, greek);
    if (product_has(trade->product, EARLY_EXERCISE) && trade_n_assets(trade) > 1 &&
        growth == GROWTH_RATE)
        add_bias(bias_of_many_jumps(market, trade), greek);
    if (growth == GROWTH_TIME) add_bias(bias_of_days(market, trade), greek);
    if (product_has(trade->product, EARLY_EXERCISE) && trade_takes(market, trade, TAKES_HISTORY)) {
        /* By a policy that sees no past returns */
        bool second = row->second != SLOPE_NOTHING;
        add_bias(first_slope_biases[growth].american, greek);
        add_bias(
            largest_bias(market, trade, second ? &second_slope_bias : &first_slope_biases[growth]),
            greek);
    }
    if (!trade->exercise_apart && !decides) return;
    if (decides && row->second != SLOPE_NOTHING) {
        add_bias(largest_bias(market, trade, &second_slope_bias), greek);
        return;
    }
    int dates = trade->exercise.continuous ? INT_MAX : trade->exercise.n;
    int chunks = decides ? FIT_CHUNKS : chunks_for_greeks(paths, dates);
    double bias = decides                 ? policy_bias_of_programs
                  : growth == GROWTH_RATE ? policy_bias_of_rates
                                          : policy_bias;
    double fitted = (double)chunks * CHUNK_PATHS;
    greek->std_error *= sqrt(1.0 + POLICY_VARIANCE * (double)paths / fitted);
    add_bias(bias * chunks_narrow(chunks), greek);
    if (!decides) add_bias(bias_of_unseen(market, trade, growth), greek);
    if (!decides && row->second == SLOPE_NOTHING)
        greek->std_error = hypot(greek->std_error, error_of_meeting(trade, dates, s, greek->value));
    if (!decides && growth == GROWTH_RATE && s->bucket > 0.0)
        greek->std_error = hypot(greek->std_error, bias_of_date(market, trade, s->bucket));
    if (!decides) return;
    add_bias(largest_bias(market, trade, &first_slope_biases[growth]), greek);
    add_bias(bias_of_near_decision(market, trade, growth), greek);
}
