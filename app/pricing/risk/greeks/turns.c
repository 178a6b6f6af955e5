#include "app/pricing/risk/greeks/greek_pools.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "app/pricing/base/market_shock.h"
#include "app/pricing/risk/greeks/greek_trades.h"
#include "models/base/grow.h"
#include "models/market/surface.h"
#include "models/math/constants.h"
#include "models/payoffs/product_numbers.h"
#include "models/payoffs/scripted.h"
#include "models/programs/operations.h"

/* A level and a date at which a trade looks at it. Distances are of ln S, over a volatility of a
 * year: so is a deviation, the root of the years. */
struct dated_level {
    double deviation, distance;
    int n; /* dates next to one another that look at it count together */
};

struct dated_levels {
    const struct market *market;
    const struct trade *trade;
    double years; /* that bumps are made for */
    bool jumps;   /* the value jumps at its levels, else it bends there */
    int n, room;
    struct dated_level *list; /* [n]; owned */
    enum status status;
};

/* ---- levels ---------------------------------------------------------------------------------- */

static void add_dated_level(struct dated_levels *levels, double years, double distance)
{
    double deviation = sqrt(years);
    struct dated_level *last = levels->n ? &levels->list[levels->n - 1] : NULL;
    if (levels->status || !(years > 0.0) || !isfinite(distance)) return;
    if (last && last->distance == distance && deviation >= last->deviation &&
        deviation < 1.05 * last->deviation) {
        last->n++;
        return;
    }
    levels->status = grow_array(&levels->list, &levels->room, levels->n + 1, sizeof *levels->list);
    if (!levels->status) levels->list[levels->n++] = (struct dated_level){deviation, distance, 1};
}

/* By how much cash dividends make an asset fall to a date. */
static double dropped(const struct asset *asset, double years)
{
    double sum = 0.0;
    for (int i = 0; i < asset->n_dividends && asset->dividends[i].time <= years; i++)
        sum += asset->dividends[i].amount;
    return sum;
}

/* Adds a level of an asset that is looked at on some dates. */
static void add_level(struct dated_levels *levels, const struct schedule *dates, int asset,
                      double level)
{
    const struct asset *observed = &levels->market->assets[asset];
    double volatility = asset_volatility(observed, levels->years);
    for (int i = 0; level > 0.0 && i < dates->n; i++) {
        double of_today = level + dropped(observed, dates->times[i]);
        add_dated_level(levels, dates->times[i], log(of_today / observed->spot) / volatility);
    }
}

/* Of a barrier that is watched at every moment, the spots that a cash dividend throws beyond it. */
static void add_drops(struct dated_levels *levels, int asset, double barrier, double until)
{
    const struct asset *observed = &levels->market->assets[asset];
    for (int i = 0; i < observed->n_dividends && observed->dividends[i].time <= until; i++) {
        const struct schedule date = {.n = 1, .times = &observed->dividends[i].time};
        add_level(levels, &date, asset, barrier);
    }
}

static void add_barriers(struct dated_levels *levels)
{
    const struct trade *trade = levels->trade;
    const double barriers[] = {trade->barrier, trade->lower, trade->upper};
    for (int i = 0; i < 3 && !trade->hit; i++)
        if (trade->monitoring.continuous)
            add_drops(levels, trade->asset, barriers[i], trade->expiry);
        else add_level(levels, &trade->monitoring, trade->asset, barriers[i]);
}

static void add_calls(struct dated_levels *levels)
{
    const struct trade *trade = levels->trade;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        double initial = trade->initial ? trade->initial[i] : spot_today(levels->market, trade, i);
        int asset = trade_asset(trade, i);
        add_level(levels, &trade->observations, asset, initial * trade->call_level);
        if (trade->coupon_level != trade->call_level)
            add_level(levels, &trade->observations, asset, initial * trade->coupon_level);
    }
}

/* Of a cliquet the floor and the cap of the period that is running. */
static void add_running_period(struct dated_levels *levels)
{
    const struct trade *trade = levels->trade;
    double level = trade->past_level, end = trade->expiry;
    for (int i = trade->resets.n - 1; i >= 0; i--)
        if (trade->resets.times[i] > 0.0) end = trade->resets.times[i];
        else level = spot_today(levels->market, trade, 0);
    const struct schedule dates = {.n = 1, .times = &end};
    add_level(levels, &dates, trade->asset, level * (1.0 + trade->local_floor));
    add_level(levels, &dates, trade->asset, level * (1.0 + trade->local_cap));
}

/* Tells whether an option on one asset may be exercised on a date: where the spot may be by then
 * what that brings is more than the european option is worth. */
static bool may_be_exercised(const struct market *market, const struct trade *trade, double years)
{
    const struct asset *asset = &market->assets[trade->asset];
    double sign = trade->option == OPTION_CALL ? 1.0 : -1.0, left = trade->expiry - years;
    double volatility = asset_volatility(asset, trade->expiry), deviation = volatility * sqrt(left);
    double spot = asset->spot * exp(sign * 4.0 * volatility * sqrt(years)), strike = trade->strike;
    double growth = surface_log_forward(market, trade->asset, trade->expiry) - log(asset->spot);
    double d = (log(spot / strike) + growth) / deviation + 0.5 * deviation;
    double european =
        sign * discount_factor(market, trade, trade->expiry) *
        (spot * exp(growth) * normal_cdf(sign * d) - strike * normal_cdf(sign * (d - deviation)));
    return asset->n_dividends || !(sign * (spot - strike) < european);
}

/* Of an early exercise nobody knows the critical level yet: it may be here on its first date. */
static void add_exercise(struct dated_levels *levels)
{
    const struct trade *trade = levels->trade;
    double first = HUGE_VAL;
    for (int i = trade->exercise.n - 1; i >= 0; i--)
        if (trade->exercise.times[i] > 0.0) first = trade->exercise.times[i];
    if (trade_n_assets(trade) == 1 && first < trade->expiry &&
        may_be_exercised(levels->market, trade, first))
        add_dated_level(levels, first, 0.0);
}

/* ---- levels of a script ---------------------------------------------------------------------- */

/* What is known of a register on a flat path: its value, the last date that it looks at (0: none),
 * and whether it looks at every moment. */
struct flat_value {
    double value, date;
    bool watches;
    int squares; /* of which it is a sum: those of returns */
};

/* A run of the program on flat paths, whose spots lie at one distance from today's on all dates. */
struct flat_run {
    struct dated_levels *levels;
    const struct program *program;
    double *coefficients;    /* [coefficient] owned */
    double distance, before; /* of this path, and of the one before it */
    int shifted;             /* the trade's asset that lies a little higher; -1: none */
    double (*compared)[2];   /* [instruction] what each compares, on the path before; owned */
    struct turns *turns;
    struct flat_value seen[PROGRAM_REGISTERS_MOST];
};

/* How much higher, in ln S. */
#define SHIFT 0.01

static struct flat_value see_input(const struct flat_run *run, const struct program_input *input)
{
    const struct market *market = run->levels->market;
    const struct asset *asset = &market->assets[trade_asset(run->levels->trade, input->asset)];
    double shift = input->asset == run->shifted ? SHIFT : 0.0;
    double grown =
        asset->spot * exp(run->distance * asset_volatility(asset, run->levels->years) + shift);
    double level = exact_log2(fmax(grown - dropped(asset, input->date), 1e-6 * asset->spot));
    switch (input->kind) {
    case INPUT_SPOT: return (struct flat_value){level, input->date, false, 0};
    case INPUT_PRICE: return (struct flat_value){program_exp2(level), input->date, false, 0};
    case INPUT_HIGHEST:
    case INPUT_LOWEST: return (struct flat_value){level, 0.0, true, 0};
    case INPUT_VARIANCE:
    case INPUT_SURVIVAL: break;
    }
    return (struct flat_value){1.0, 0.0, false, 0};
}

/* Takes what an instruction compares: between two paths where it changes its sign there is a level.
 */
static void compare(struct flat_run *run, double *before, double now, const struct flat_value *seen)
{
    double was = *before, width = run->distance - run->before;
    *before = now;
    if (isnan(run->before) || !isfinite(was) || !isfinite(now) || (was <= 0.0) == (now <= 0.0))
        return;
    double distance = run->before + width * was / (was - now);
    const struct asset *first = &run->levels->market->assets[run->levels->trade->asset];
    double moved = fabs(distance) * asset_volatility(first, run->levels->years);
    if (seen->date > 0.0) add_dated_level(run->levels, seen->date, distance);
    else if (seen->watches && moved > 1e-6) run->turns->watched = fmin(run->turns->watched, moved);
}

/* Takes the difference that an instruction turns on; of those that are two in one, both. */
static void compare_operands(struct flat_run *run, const struct instruction *code,
                             const struct flat_value *result)
{
    const enum operation operation = (enum operation)code->operation;
    double a = run->seen[code->a].value, b = run->seen[code->b].value, c = run->seen[code->c].value;
    double *before = run->compared[code - run->program->code];
    if (operation == OPERATION_ABS) compare(run, &before[0], a, result);
    if (operation == OPERATION_MIN || operation == OPERATION_MAX ||
        operation == OPERATION_MIN_MAX || operation_kinds[operation].jumps)
        compare(run, &before[0], a - b, result);
    const int squares[] = {run->seen[code->a].squares, run->seen[code->b].squares};
    for (int k = 0; k < 2 && operation_kinds[operation].jumps; k++)
        if (squares[k] > run->turns->squares) run->turns->squares = squares[k];
    if (operation == OPERATION_MIN_MAX) compare(run, &before[1], c - fmax(a, b), result);
    if (operation == OPERATION_MAX_SUBTRACT) compare(run, &before[0], c - (a - b), result);
}

static double operate(enum operation operation, double a, double b, double c)
{
    switch (operation) {
#define OPERATION(NAME, name, operands, bends, text)                                               \
    case OPERATION_##NAME:                                                                         \
        return text;
#include "models/programs/operations.def"
#undef OPERATION
    case OPERATION_DECIDE: return 0.0; /* it goes on */
    case OPERATION_INPUT:
    case OPERATION_COEFFICIENT:
    case OPERATION_OUTPUT:
    case OPERATION_KEEP:
    case OPERATION_END:
    case N_OPERATIONS: break;
    }
    return a;
}

/* Returns of how many squares the result of an operation is a sum. */
static int squares_in(enum operation operation, const struct flat_value *const operands[3])
{
    const struct flat_value *a = operands[0], *b = operands[1], *c = operands[2];
    bool square = a == b && a->date > 0.0;
    int squares = 0;
    if (operation == OPERATION_MULTIPLY && square) return 1;
    if (operation == OPERATION_MULTIPLY_ADD && square) return 1 + c->squares;
    if (operation == OPERATION_ADD) return a->squares + b->squares;
    for (int k = 0; k < operation_kinds[operation].operands; k++)
        if (operands[k]->squares > squares) squares = operands[k]->squares;
    return operation_kinds[operation].jumps ? 0 : squares;
}

/* Returns what is known of the result of an operation. Of two that are alike on flat paths, as the
 * highest so far and the next spot, the earlier one is taken: its law is the narrower. */
static struct flat_value see_result(const struct flat_run *run, const struct instruction *code)
{
    const enum operation operation = (enum operation)code->operation;
    const struct flat_value *a = &run->seen[code->a], *b = &run->seen[code->b],
                            *c = &run->seen[code->c];
    const struct flat_value *const operands[] = {a, b, c};
    struct flat_value seen = {operate(operation, a->value, b->value, c->value), 0.0, false,
                              squares_in(operation, operands)};
    for (int k = 0; k < operation_kinds[operation].operands; k++) {
        seen.date = fmax(seen.date, operands[k]->date);
        seen.watches |= operands[k]->watches;
    }
    if ((operation == OPERATION_MIN || operation == OPERATION_MAX) && a->value == b->value)
        seen.date = fmin(a->date, b->date);
    return seen;
}

static void run_flat(struct flat_run *run)
{
    const struct program *program = run->program;
    for (const struct instruction *code = program->code; code->operation != OPERATION_END; code++) {
        struct flat_value seen = {0};
        if (code->operation == OPERATION_INPUT) seen = see_input(run, &program->inputs[code->at]);
        else if (code->operation == OPERATION_COEFFICIENT) seen.value = run->coefficients[code->at];
        else {
            seen = see_result(run, code);
            compare_operands(run, code, &seen);
        }
        if (operation_kinds[code->operation].writes) run->seen[code->to] = seen;
    }
}

/* Makes a run for the program of a trade, whose levels and turns it will add to. Free with
 * flat_run_free, whatever is returned. STATUS_NO_MEMORY. */
static enum status flat_run_make(struct dated_levels *levels, struct turns *turns,
                                 struct flat_run **made)
{
    const struct program *program = &levels->trade->scripted->program;
    struct flat_run *run = *made = calloc(1, sizeof *run);
    if (!run) return STATUS_NO_MEMORY;
    run->levels = levels, run->turns = turns, run->program = program;
    run->distance = run->before = NAN, run->shifted = -1;
    run->coefficients = calloc((size_t)program->n_coefficients + 1, sizeof *run->coefficients);
    run->compared = calloc((size_t)program->n_instructions, sizeof *run->compared);
    if (!run->coefficients || !run->compared) return STATUS_NO_MEMORY;
    scripted_coefficients(levels->market, levels->trade, run->coefficients);
    return STATUS_OK;
}

static void flat_run_free(struct flat_run *run)
{
    if (!run) return;
    free(run->coefficients);
    free(run->compared);
    free(run);
}

/* Distances of flat paths, in steps of half an octave on either side of today's spots. */
enum { DISTANCES = 40 };
#define FARTHEST 8.0 /* deviations of the latest date */

/* Adds the levels of a script: where its comparisons turn on flat paths, and where it may decide.
 */
static void add_levels_of_script(struct dated_levels *levels, struct turns *turns)
{
    const struct program *program = &levels->trade->scripted->program;
    struct flat_run *run = NULL;
    enum status status = flat_run_make(levels, turns, &run);
    for (int i = -DISTANCES; i <= DISTANCES && !status; i++) {
        double size = FARTHEST * sqrt(levels->years) * exp2(-0.5 * (DISTANCES - abs(i)));
        if (!i) continue;
        run->before = run->distance;
        run->distance = i < 0 ? -size : size;
        run_flat(run);
    }
    flat_run_free(run);
    if (status) levels->status = status;
    for (int d = 0; d < program->n_decisions; d++)
        if (!d || program->decisions[d].years < program->decisions[0].years)
            add_dated_level(levels, program->decisions[d].years, 0.0);
}

/* Sees whether a comparison turns on which of assets that move alike leads: what it compares is the
 * same on a flat path, and is not where one of them lies a little higher. */
static enum status see_leads(struct dated_levels *levels, struct turns *turns)
{
    const struct trade *trade = levels->trade;
    struct flat_run *level = NULL, *higher = NULL;
    enum status status = STATUS_OK;
    for (int k = 0; k < trade_n_assets(trade); k++) {
        if (!moves_with_another(levels->market, trade, trade_asset(trade, k), -1)) continue;
        if (!level) TRY(flat_run_make(levels, turns, &level));
        if (!higher) TRY(flat_run_make(levels, turns, &higher));
        level->distance = higher->distance = 0.1 * sqrt(levels->years);
        higher->shifted = k;
        run_flat(level);
        run_flat(higher);
        for (int i = 0; i < level->program->n_instructions; i++)
            for (int j = 0; j < 2; j++)
                turns->leads |= fabs(level->compared[i][j]) < 1e-6 * fabs(higher->compared[i][j]);
    }
done:
    flat_run_free(level);
    flat_run_free(higher);
    return status;
}

/* Sees the barriers that a script watches at every moment. */
static void see_survivals(struct dated_levels *levels, struct turns *turns)
{
    const struct program *program = &levels->trade->scripted->program;
    for (int i = 0; i < program->n_inputs; i++) {
        const struct program_input *input = &program->inputs[i];
        int asset = trade_asset(levels->trade, input->asset);
        const double barriers[] = {input->lower, input->upper};
        for (int k = 0; input->kind == INPUT_SURVIVAL && k < 2; k++) {
            double distance = fabs(barriers[k] / levels->market->assets[asset].spot - 1.0);
            if (!(barriers[k] > 0.0 && barriers[k] < HUGE_VAL)) continue;
            const struct schedule begin = {.n = input->from > 0.0, .times = (double *)&input->from};
            if (begin.n) add_level(levels, &begin, asset, barriers[k]);
            else if (distance > 0.0) turns->watched = fmin(turns->watched, distance);
            add_drops(levels, asset, barriers[k], input->date);
        }
    }
}

/* ---- how far bumps may go -------------------------------------------------------------------- */

static double unit_density(double x)
{
    return NORMAL_PEAK * exp(-0.5 * x * x);
}

/* The value of a bend at distance 0, x deviations away. */
static double bend(double x)
{
    return x * normal_cdf(x) + unit_density(x);
}

/* What a difference over a bump makes of the slopes of a level, each over its size, and what it
 * should be. */
struct difference {
    double off, scale;
};

static struct difference difference_of(const struct dated_level *level, double bump, bool jumps,
                                       bool second)
{
    double s = level->deviation, x = fabs(level->distance) / s, e = bump / s;
    if (jumps && second) x = fmax(x, 1.0); /* on the level a gamma is 0, but next to it is none */
    double p = unit_density(x);
    double (*f)(double) = jumps ? normal_cdf : bend;
    double up = f(x + e), down = f(x - e), found, exact, scale;
    if (second) {
        found = (up - 2.0 * f(x) + down) / (e * e);
        exact = jumps ? -x * p : p;
        scale = fabs(exact);
    } else {
        found = (up - down) / (2.0 * e);
        exact = jumps ? p : normal_cdf(x);
        scale = p;
    }
    double units = level->n / (jumps ? (second ? s * s : s) : (second ? s : 1.0));
    return (struct difference){units * fabs(found - exact), units * scale};
}

/* How far first and second slopes of a normal law may be off at 2^20 paths, where the value bends
 * and where it jumps; and the share of a level at the expiry that counts as nothing. */
static const double most_off[2][2] = {{0.0015, 0.002}, {0.0015, 0.008}};
#define NOTHING 0.01

/* Over that, where a conditional expectation stands for a jump and has a small error. */
#define SMOOTHED 0.1

/* And where tables of local volatility make differences rough: narrow ones have large errors. */
#define ROUGH 10.0

/* Returns the widest bump that leaves a slope, `second` or first, off by a `share` of itself;
 * HUGE_VAL where `widest` does. */
static double widest_bump(const struct dated_levels *levels, double widest, double share,
                          bool second)
{
    bool jumps = levels->jumps;
    const struct dated_level at_expiry = {sqrt(levels->years), 0.0, 1};
    double nothing = NOTHING * difference_of(&at_expiry, widest, jumps, second).scale;
    for (double bump = widest; bump > 1e-4 * widest; bump *= ROOT_HALF) {
        double off = 0.0, scale = 0.0;
        for (int i = 0; i < levels->n; i++) {
            struct difference d = difference_of(&levels->list[i], bump, jumps, second);
            off += d.off;
            scale += d.scale;
        }
        if (off <= share * fmax(scale, nothing)) return bump < widest ? bump : HUGE_VAL;
    }
    return 1e-4 * widest;
}

/* Adds the levels that a trade looks at on dates. */
static void add_levels(struct dated_levels *levels, struct turns *turns)
{
    const enum product product = (enum product)levels->trade->product;
    if (product_has(product, JUMPS_ON_DATES)) add_barriers(levels);
    if (product == PRODUCT_AUTOCALLABLE) add_calls(levels);
    if (product == PRODUCT_CLIQUET) add_running_period(levels);
    if (product == PRODUCT_AMERICAN) add_exercise(levels);
    if (product != PRODUCT_SCRIPT) return;
    see_survivals(levels, turns);
    add_levels_of_script(levels, turns);
    if (!levels->status) levels->status = see_leads(levels, turns);
}

enum status turns_find(const struct market *market, const struct trade *trade, double years,
                       struct turns widest, struct turns *turns)
{
    bool jumps = trade_has(trade, JUMPS | JUMPS_ON_DATES);
    struct dated_levels levels = {.market = market, .trade = trade, .years = years, .jumps = jumps};
    double share = conditional_pivot(market, trade) > 0.0 ? SMOOTHED : 1.0;
    if (!jumps && trade_takes(market, trade, TAKES_SURFACE)) share = ROUGH;
    *turns = (struct turns){HUGE_VAL, HUGE_VAL, HUGE_VAL, 0, false};
    add_levels(&levels, turns);
    if (levels.n && !levels.status) {
        turns->delta = widest_bump(&levels, widest.delta, share * most_off[jumps][0], false);
        turns->gamma = widest_bump(&levels, widest.gamma, share * most_off[jumps][1], true);
    }
    free(levels.list);
    return levels.status;
}
