#include "validation/reference/reference.h"
#include "models/payoffs/product_numbers.h"

#include <gsl/gsl_errno.h>

#include <math.h>
#include <stdio.h>

#include "validation/reference/methods.h"
#include "validation/reference/multi_asset.h"
#include "validation/reference/asset_curves.h"
#include "validation/reference/fixed_today.h"
#include "validation/reference/reference_scenario.h"
#include "validation/reference/script_walk.h"

static enum status reference_script(const struct problem *problem, struct reference *out,
                                    struct message *why)
{
    return reference_script_walk(problem, trade_binding(problem->trade), out, why);
}

/* What a method takes beside trades on one asset without cash dividends; a sum of these. */
enum method_needs { NEEDS_PLAIN = 0, NEEDS_DIVIDENDS = 1, NEEDS_SEVERAL = 2, NEEDS_QUANTO = 4 };

enum { ANY_MODEL = N_MODELS };

/* The methods, best first: a trade takes the first row that fits its product, the model of its
 * first asset and what it needs. */
static const struct {
    enum product product;
    int model; /* enum model, or ANY_MODEL */
    int takes;
    method *method;
} rows[] = {
    {PRODUCT_EUROPEAN, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_at_expiry},
    {PRODUCT_DIGITAL, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_at_expiry},
    {PRODUCT_ASIAN, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_asian},
    {PRODUCT_BARRIER, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_barrier},
    {PRODUCT_DOUBLE_BARRIER, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_double_barrier},
    {PRODUCT_TOUCH, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_touch},
    {PRODUCT_LOOKBACK, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_lookback},
    {PRODUCT_FORWARD_START, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_forward_start},
    {PRODUCT_EUROPEAN, MODEL_MERTON, NEEDS_QUANTO, reference_at_expiry},
    {PRODUCT_DIGITAL, MODEL_MERTON, NEEDS_QUANTO, reference_at_expiry},
    {PRODUCT_FORWARD_START, MODEL_MERTON, NEEDS_QUANTO, reference_forward_start},
    {PRODUCT_EUROPEAN, MODEL_HESTON, NEEDS_PLAIN, reference_at_expiry_fourier},
    {PRODUCT_DIGITAL, MODEL_HESTON, NEEDS_PLAIN, reference_at_expiry_fourier},
    {PRODUCT_FORWARD_START, MODEL_HESTON, NEEDS_PLAIN, reference_forward_start_fourier},
    {PRODUCT_EUROPEAN, MODEL_BATES, NEEDS_PLAIN, reference_at_expiry_fourier},
    {PRODUCT_DIGITAL, MODEL_BATES, NEEDS_PLAIN, reference_at_expiry_fourier},
    {PRODUCT_FORWARD_START, MODEL_BATES, NEEDS_PLAIN, reference_forward_start_fourier},
    {PRODUCT_EUROPEAN, MODEL_LOCAL_VOL, NEEDS_PLAIN, reference_european_surface},
    {PRODUCT_DIGITAL, MODEL_LOCAL_VOL, NEEDS_PLAIN, reference_digital_surface},
    {PRODUCT_ASIAN, MODEL_MERTON, NEEDS_QUANTO, reference_asian_fourier},
    {PRODUCT_ASIAN, MODEL_HESTON, NEEDS_PLAIN, reference_asian_fourier},
    {PRODUCT_ASIAN, MODEL_BATES, NEEDS_PLAIN, reference_asian_fourier},
    {PRODUCT_EUROPEAN, MODEL_BLACK_SCHOLES, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_dividends},
    {PRODUCT_DIGITAL, MODEL_BLACK_SCHOLES, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_dividends},
    {PRODUCT_CLIQUET, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_cliquet},
    {PRODUCT_CLIQUET, MODEL_MERTON, NEEDS_QUANTO, reference_cliquet},
    {PRODUCT_VARIANCE_SWAP, MODEL_BLACK_SCHOLES, NEEDS_QUANTO, reference_variance_swap},
    {PRODUCT_VARIANCE_SWAP, MODEL_MERTON, NEEDS_QUANTO, reference_variance_swap},
    {PRODUCT_VARIANCE_SWAP, MODEL_HESTON, NEEDS_PLAIN, reference_variance_swap_fourier},
    {PRODUCT_VARIANCE_SWAP, MODEL_BATES, NEEDS_PLAIN, reference_variance_swap_fourier},
    {PRODUCT_EUROPEAN, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_DIGITAL, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_ASIAN, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_BARRIER, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_DOUBLE_BARRIER, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_TOUCH, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_LOOKBACK, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_FORWARD_START, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_CLIQUET, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_VARIANCE_SWAP, ANY_MODEL, NEEDS_QUANTO | NEEDS_DIVIDENDS, reference_by_simulation},
    {PRODUCT_BASKET, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO, reference_basket},
    {PRODUCT_BASKET, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO | NEEDS_SEVERAL, reference_basket},
    {PRODUCT_SPREAD, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO | NEEDS_SEVERAL, reference_basket},
    {PRODUCT_AUTOCALLABLE, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO, reference_autocallable},
    {PRODUCT_AUTOCALLABLE, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO | NEEDS_SEVERAL,
     reference_autocallable},
    {PRODUCT_FORWARD, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO, reference_forward},
    {PRODUCT_FUTURE, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO, reference_forward},
    {PRODUCT_POSITION, ANY_MODEL, NEEDS_DIVIDENDS, reference_forward},
    {PRODUCT_AMERICAN, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO, reference_american},
    {PRODUCT_AMERICAN, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO | NEEDS_SEVERAL,
     reference_american},
    {PRODUCT_SCRIPT, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO, reference_script},
    {PRODUCT_SCRIPT, ANY_MODEL, NEEDS_DIVIDENDS | NEEDS_QUANTO | NEEDS_SEVERAL, reference_script},
};

/* Returns what the trade needs of its method: NEEDS_QUANTO where it pays in another currency than
 * its asset's, NEEDS_DIVIDENDS where an asset of it pays one before its end. */
static int needs_of(const struct market *market, const struct trade *trade)
{
    int needs = trade->n_assets > 1 ? NEEDS_SEVERAL : 0;
    if (trade->quanto >= 0 &&
        market->assets[trade->quanto].currency != market->assets[trade->asset].currency)
        needs |= NEEDS_QUANTO;
    for (int i = 0; i == 0 || i < trade->n_assets; i++) {
        const struct asset *asset = &market->assets[i ? trade->assets[i] : trade->asset];
        if (asset->n_dividends > 0 && asset->dividends[0].time <= trade->expiry)
            needs |= NEEDS_DIVIDENDS;
    }
    return needs;
}

static method *find_method(enum product product, enum model model, int needs)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].product == product &&
            (rows[i].model == ANY_MODEL || rows[i].model == (int)model) &&
            (needs & ~rows[i].takes) == 0 &&
            (needs & NEEDS_SEVERAL) == (rows[i].takes & NEEDS_SEVERAL))
            return rows[i].method;
    return NULL;
}

bool reference_pays_cash(const struct trade *trade)
{
    return trade->product == PRODUCT_TOUCH ||
           (trade->product == PRODUCT_DIGITAL && trade->payout == PAYOUT_CASH);
}

double reference_stake(const struct asset_curves *curves, const struct trade *trade)
{
    double cash = reference_pays_cash(trade) ? fabs(trade->cash) : 0.0; /* of all others it is 1 */
    double rounding = curves->spot + fabs(trade->strike) + cash + fabs(trade->rebate);
    return rounding + fabs(trade->extreme) + fabs(trade->past_average) + fabs(trade->notional);
}

void reference_begin(void)
{
    gsl_set_error_handler_off();
}

/* Adds money that is fixed, `years` later, and its rounding. */
static void add_money(const struct market *market, const struct trade *trade, double years,
                      struct reference *reference)
{
    int paid = trade->asset < 0
                   ? trade->currency
                   : market->assets[trade->quanto < 0 ? trade->asset : trade->quanto].currency;
    const struct term_structure *rate = &market->currencies[paid].rate;
    double sum = reference_money(rate, trade, years);
    reference->price += sum;
    if (sum != 0.0) reference->error += 1e-12 * fabs(sum);
}

/* Prices a trade of which nothing but such money is left. */
static void price_money(const struct market *market, const struct trade *trade, double years,
                        struct reference *reference)
{
    *reference = (struct reference){.method = "closed form"};
    add_money(market, trade, years, reference);
    reference->error += 1e-12;
}

static bool is_money(const struct trade *trade)
{
    return trade->asset < 0 || trade->expired;
}

/* Prices a trade whose fixings are stated, in a market as it is. */
static enum status price_stated(const struct market *market, const struct trade_fixed_today *stated,
                                uint64_t seed, struct effort *effort, struct reference *reference,
                                struct message *why)
{
    const struct trade *trade = &stated->trade;
    struct effort whole = effort_full(NULL);
    const struct asset *asset = &market->assets[trade->asset];
    struct term_structure quanto = {0};
    int needs = needs_of(market, trade);
    method *find = find_method(trade->product, asset->model, needs);
    enum status status = STATUS_OK;
    why->text[0] = '\0';
    struct problem problem = {
        .curves = {&market->currencies[asset->currency].rate, &asset->yield, &asset->variance,
                   asset->spot, effort ? effort : &whole, trade->payment_lag},
        .trade = trade,
        .seed = seed,
        .market = market,
        .asset = asset,
        .today = stated->today,
        .aged = stated->aged,
    };
    if (!find) {
        snprintf(why->text, sizeof why->text, "no reference for a %s%s%s under %s%s",
                 needs & NEEDS_QUANTO ? "quanto " : "", product_name(trade->product),
                 needs & NEEDS_SEVERAL ? " on several assets" : "", model_name(asset->model),
                 needs & NEEDS_DIVIDENDS ? " with cash dividends" : "");
        TRY(STATUS_FAILED);
    }
    if (needs & NEEDS_QUANTO) {
        TRY(quanto_yield(market, trade, problem.curves.effort, &quanto, why));
        problem.curves.rate = &market->currencies[market->assets[trade->quanto].currency].rate;
        problem.curves.yield = &quanto;
    }
    if (stated->certain)
        *reference = (struct reference){
            asset_discount(&problem.curves, trade->expiry) * stated->last, 0.0, "closed form"};
    else TRY(find(&problem, reference, why));
    reference->price += stated->paid;
    double first = exp(-curve_accrued(problem.curves.rate, trade->payment_lag));
    if (trade->payment_lag > 0.0) reference->price *= first, reference->error *= first;
    TRY(effort_spend(problem.curves.effort, 0.0)); /* what was refused or stopped and is not said */
    if (!isfinite(reference->price) || !isfinite(reference->error)) {
        snprintf(why->text, sizeof why->text, "the %s reference is not a number",
                 reference->method);
        TRY(STATUS_FAILED);
    }
    reference->error += 1e-12 * (fabs(reference->price) + reference_stake(&problem.curves, trade));
done:
    if (status == STATUS_FAILED && effort_spend(problem.curves.effort, 0.0) == STATUS_INTERRUPTED)
        status = STATUS_INTERRUPTED;
    if (status == STATUS_FAILED && !effort_refused(problem.curves.effort, why) && !why->text[0])
        snprintf(why->text, sizeof why->text, "the reference came to no number");
    term_free(&quanto);
    return status;
}

enum status reference_price(const struct market *market, const struct trade *trade, uint64_t seed,
                            struct effort *effort, struct reference *reference, struct message *why)
{
    struct trade_fixed_today stated;
    *reference = (struct reference){.method = "none"};
    if (is_money(trade)) {
        price_money(market, trade, 0.0, reference);
        return STATUS_OK;
    }
    fix_today(market, trade, &stated);
    enum status status = price_stated(market, &stated, seed, effort, reference, why);
    if (!status) add_money(market, trade, 0.0, reference);
    return status;
}

enum status reference_scenario_price(const struct market *today,
                                     const struct reference_scenario *scenario,
                                     const struct trade *trade, struct effort *effort,
                                     struct reference *reference, struct message *why)
{
    enum status status = STATUS_OK;
    struct market moved = {0};
    struct trade_fixed_today stated;
    *reference = (struct reference){.method = "none"};
    if (is_money(trade)) {
        status = scenario_market(today, scenario, &moved, why);
        if (!status) price_money(&moved, trade, scenario->years, reference);
        scenario_market_free(&moved);
        return status;
    }
    fix_today(today, trade, &stated);
    stated.aged = scenario->years;
    status = age_trade(scenario->years, &stated.trade);
    if (!status) status = scenario_market(today, scenario, &moved, why);
    if (!status) status = price_stated(&moved, &stated, 1, effort, reference, why);
    if (!status) add_money(&moved, trade, scenario->years, reference);
    scenario_market_free(&moved);
    aged_trade_free(&stated.trade);
    return status;
}
