#include "validation/reference/reference.h"
#include "models/payoffs/product_numbers.h"

#include <gsl/gsl_errno.h>

#include <math.h>

#include "validation/reference/methods.h"
#include "validation/reference/multi_asset.h"
#include "validation/reference/script_walk.h"

/* What a method takes beside trades on one asset without cash dividends, and that a trade which it
 * cannot price is simulated; a sum of these. */
enum method_traits {
    PLAIN = 0,
    DIVIDENDS = 1,
    SEVERAL = 2,
    QUANTO = 4,
    ANYTHING = DIVIDENDS | SEVERAL | QUANTO,
    OR_SIMULATED = 8
};

/* Models, as bits. */
enum {
    BLACK = 1 << MODEL_BLACK_SCHOLES,
    MERTON = 1 << MODEL_MERTON,
    FOURIER = 1 << MODEL_HESTON | 1 << MODEL_BATES,
    LOCAL = 1 << MODEL_LOCAL_VOL,
    ANY = (1 << N_MODELS) - 1
};

struct method_row {
    unsigned products; /* as bits */
    int models, traits;
    method *price;
};

/* The methods, best first: a trade takes the first row that fits its product, the models of its
 * assets and what it needs. */
#define OF(NAME) (1u << PRODUCT_##NAME)
static const struct method_row rows[] = {
    {OF(EUROPEAN) | OF(DIGITAL), BLACK | MERTON, QUANTO, reference_at_expiry},
    {OF(EUROPEAN) | OF(DIGITAL), FOURIER | LOCAL, PLAIN, reference_at_expiry},
    {OF(EUROPEAN) | OF(DIGITAL), BLACK, QUANTO | DIVIDENDS | OR_SIMULATED, reference_dividends},
    {OF(ASIAN), BLACK | MERTON, QUANTO, reference_asian},
    {OF(ASIAN), FOURIER, PLAIN, reference_asian},
    {OF(BARRIER) | OF(DOUBLE_BARRIER) | OF(TOUCH), BLACK | MERTON | FOURIER | LOCAL,
     QUANTO | DIVIDENDS | OR_SIMULATED, reference_barrier},
    {OF(LOOKBACK), BLACK, QUANTO | OR_SIMULATED, reference_lookback},
    {OF(FORWARD_START), BLACK | MERTON, QUANTO, reference_forward_start},
    {OF(FORWARD_START), FOURIER, PLAIN, reference_forward_start},
    {OF(CLIQUET), BLACK | MERTON, QUANTO | OR_SIMULATED, reference_cliquet},
    {OF(VARIANCE_SWAP), BLACK | MERTON, QUANTO, reference_variance_swap},
    {OF(VARIANCE_SWAP), FOURIER, PLAIN, reference_variance_swap},
    {OF(BASKET) | OF(SPREAD), BLACK, SEVERAL | QUANTO, reference_basket},
    {OF(AUTOCALLABLE), BLACK, QUANTO | OR_SIMULATED, reference_autocallable},
    {OF(FORWARD) | OF(FUTURE) | OF(POSITION), ANY, DIVIDENDS | QUANTO, reference_forward},
    {OF(AMERICAN), ANY, ANYTHING, reference_american},
    {OF(SCRIPT), ANY, ANYTHING, reference_script_walk},
    {OF(AMERICAN) - 1, ANY, ANYTHING, reference_by_simulation}, /* all that come before it */
};
#undef OF

/* What a trade asks of its method. */
struct trade_needs {
    int models, traits;
};

/* Finds the models of a trade's assets, and QUANTO where it pays in another currency than its
 * asset's, DIVIDENDS where an asset of it pays one before its end. */
static struct trade_needs needs_of(const struct market *market, const struct trade *trade)
{
    struct trade_needs needs = {.traits = trade->n_assets > 1 ? SEVERAL : 0};
    for (int i = 0; i == 0 || i < trade->n_assets; i++) {
        const struct asset *asset = &market->assets[i ? trade->assets[i] : trade->asset];
        needs.models |= 1 << asset->model;
        if (asset->currency != paid_currency(market, trade)) needs.traits |= QUANTO;
        if (asset->n_dividends > 0 && asset->dividends[0].time <= trade->expiry)
            needs.traits |= DIVIDENDS;
    }
    return needs;
}

static const struct method_row *find_method(enum product product, struct trade_needs needs)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].products >> product & 1 && !(needs.models & ~rows[i].models) &&
            !(needs.traits & ~rows[i].traits))
            return &rows[i];
    return NULL;
}

bool reference_pays_cash(const struct trade *trade)
{
    return trade->product == PRODUCT_TOUCH ||
           (trade->product == PRODUCT_DIGITAL && trade->payout == PAYOUT_CASH);
}

double reference_stake(const struct problem *problem)
{
    const struct trade *trade = problem->trade;
    double cash = reference_pays_cash(trade) ? fabs(trade->cash) : 0.0; /* of all others it is 1 */
    double rounding = problem->asset->spot + fabs(trade->strike) + cash + fabs(trade->rebate);
    return rounding + fabs(trade->extreme) + fabs(trade->past_average) + fabs(trade->notional);
}

void reference_begin(void)
{
    gsl_set_error_handler_off();
}

enum status reference_stated(struct problem *problem, const struct trade_fixed_today *stated,
                             struct effort *effort, struct reference *reference)
{
    const struct trade *trade = problem->trade = &stated->trade;
    const struct asset *asset = problem->asset = &problem->market->assets[trade->asset];
    const struct trade_needs needs = needs_of(problem->market, trade);
    const struct method_row *row = find_method(trade->product, needs);
    enum status status = STATUS_OK;
    *reference = (struct reference){.method = "none"};
    effort->why.text[0] = '\0';
    if (!row)
        TRY(effort_fail(
            effort, "no reference for a %s%s%s under %s%s", needs.traits & QUANTO ? "quanto " : "",
            product_name(trade->product), needs.traits & SEVERAL ? " on several assets" : "",
            model_name(asset->model), needs.traits & DIVIDENDS ? " with cash dividends" : ""));
    TRY(multi_asset_of(problem->market, trade, effort, &problem->assets));
    problem->assets.aged = problem->aged;
    if (stated->certain)
        reference_found(reference, asset_discount(&problem->assets, trade->expiry) * stated->last,
                        0.0, "closed form");
    else status = row->price(problem, reference);
    if (status == STATUS_FAILED && row->traits & OR_SIMULATED) {
        effort_end(effort); /* what the method has left */
        status = reference_by_simulation(problem, reference);
    }
    TRY(status);
    reference->price += stated->paid * asset_discount_today(&problem->assets);
    double first = exp(-curve_accrued(problem->assets.rate, trade->payment_lag));
    if (trade->payment_lag > 0.0)
        reference->price *= first, reference->error *= first, reference->bias *= first;
    TRY(effort_spend(effort, 0.0)); /* what was refused or stopped and is not said */
    if (!isfinite(reference->price) || !isfinite(reference->error))
        TRY(effort_fail(effort, "the %s reference is not a number", reference->method));
    reference->error += 1e-12 * (fabs(reference->price) + reference_stake(problem));
done:
    if (status == STATUS_FAILED && effort_spend(effort, 0.0) == STATUS_INTERRUPTED)
        status = STATUS_INTERRUPTED;
    if (status == STATUS_FAILED && !effort_refused(effort) && !effort->why.text[0])
        effort_fail(effort, "the reference came to no number");
    return status;
}

/* Prices a trade, of which nothing but money may be left, in the problem's market. */
static enum status price(struct problem *problem, const struct trade *trade, struct effort *effort,
                         struct reference *reference, struct message *why)
{
    struct effort whole = effort_full(NULL);
    struct trade_fixed_today stated;
    enum status status = STATUS_OK;
    *reference = (struct reference){.method = "none"};
    if (!effort) effort = &whole;
    if (trade->asset < 0 || trade->expired) reference_found(reference, 0.0, 1e-12, "closed form");
    else {
        fix_today(problem->today, trade, &stated);
        age_trade(problem->aged, &stated.trade);
        status = reference_stated(problem, &stated, effort, reference);
        *why = effort->why;
        effort_end(effort);
    }
    if (status) return status;
    /* Money that is fixed, and its rounding */
    const struct market *market = problem->market;
    double sum = reference_money(&market->currencies[paid_currency(market, trade)].rate, trade,
                                 problem->aged);
    reference->price += sum;
    if (sum != 0.0) reference->error += 1e-12 * fabs(sum);
    return STATUS_OK;
}

enum status reference_price(const struct market *market, const struct trade *trade, uint64_t seed,
                            struct effort *effort, struct reference *reference, struct message *why)
{
    struct problem problem = {.market = market, .today = market, .seed = seed};
    return price(&problem, trade, effort, reference, why);
}

enum status reference_scenario_price(const struct market *today,
                                     const struct reference_scenario *scenario,
                                     const struct trade *trade, struct effort *effort,
                                     struct reference *reference, struct message *why)
{
    struct market moved;
    struct problem problem = {.market = &moved,
                              .today = today,
                              .aged = scenario->years,
                              .part = scenario->part,
                              .seed = 1 + (uint64_t)scenario->part};
    /* Of the market, which is no part of the budget */
    struct effort owner = {.work = INFINITY, .memory = INFINITY};
    enum status status = scenario_market(today, scenario, &owner, &moved);
    *reference = (struct reference){.method = "none"};
    if (status) *why = owner.why;
    else status = price(&problem, trade, effort, reference, why);
    effort_end(&owner);
    return status;
}
