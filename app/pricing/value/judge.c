#include "app/pricing/value/judge.h"

#include <math.h>
#include <stdio.h>

#include "app/pricing/base/student.h"
#include "models/payoffs/payoff_definition.h"
#include "models/payoffs/products.h"

#define FEW_JUMPS 16.0 /* on all paths together */
#define FEW_PAYMENTS 16.0
#define VAGUE_SHARE 0.1  /* of the price */
#define VAGUE_ERRORS 4.0 /* of the price's own */
#define VAGUE_STAKE 1e-9 /* less is rounding */

double judge_limit(int n)
{
    if (n < 1) n = 1;
    double level = -expm1(log1p(-1e-3) / n), low = 4.0, high = 40.0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (erfc(middle / sqrt(2.0)) > level) low = middle;
        else high = middle;
    }
    return low;
}

/* Returns what a cliquet pays where each of its returns is r, as its floors and caps hold it. */
static double cliquet_of(const struct market *market, const struct trade *trade, double r)
{
    double held = fmin(fmax(r, trade->local_floor), trade->local_cap);
    double sum = trade->past_returns + (trade->resets.n + (trade->past_level > 0.0)) * held;
    sum = fmin(fmax(sum, trade->global_floor), trade->global_cap);
    return trade->notional * discount_factor(market, trade, trade->expiry) * sum;
}

/* Returns roughly the most that one path pays above the least: of an option without bound, what it
 * turns on. */
static double largest_payment(const struct market *market, const struct trade *trade)
{
    if (trade->product == PRODUCT_CLIQUET)
        return cliquet_of(market, trade, 1.0) - cliquet_of(market, trade, -1.0);
    if (trade->product == PRODUCT_AUTOCALLABLE)
        return trade->notional *
               (1.0 + trade->coupon * (trade->observations.n + trade->past_missed));
    return trade_pays_cash(trade) ? fabs(trade->cash) : trade_stake(market, trade);
}

/* Returns the standard error of the mean of one unit if the reference is right: as many paths pay
 * as make its price. The size of a payment is m = sum x^2 / sum x over the paths, and over one more
 * that pays the most (those seen may be few, or none): sqrt((m r - r^2) / n). The most is no less
 * than the mean, as where cash that all paths pay is worth more today than at its payment. */
static double implied_error(const struct tally *unit, double reference, double largest)
{
    largest = fmax(largest, unit->mean);
    double sum = unit->n * unit->mean + largest;
    double squares = fma(unit->n * unit->mean, unit->mean, unit->m2) + largest * largest;
    double variance = reference * (squares / sum - reference);
    return variance > 0.0 ? sqrt(variance / unit->n) : 0.0;
}

/* Tells whether the reference lies in the interval of an early exercise, whose price is biased
 * towards less and its upper bound towards more; for a quantity below 0 the other way round. */
static bool within_bounds(const struct trade *trade, double limit, const struct estimate *estimate)
{
    double sign = trade->quantity < 0.0 ? -1.0 : 1.0;
    double above = sign * (estimate->reference - estimate->price);
    double below = sign * (estimate->upper - estimate->reference);
    return above >= -limit * hypot(estimate->std_error, estimate->reference_error) &&
           below >= -limit * hypot(estimate->upper_error, estimate->reference_error);
}

/* Tells whether the price is the mean of a few replicates (kernels/replicates.h), not of paths or
 * pairs of them. */
static bool replicated(const struct estimate *estimate)
{
    return estimate->paths > 2.0 * estimate->unit.n;
}

/* Returns what one more point of each replicate that pays would add to the mean, where the size of
 * a payment is known: no closer can points know the price. 0 for all else. */
static double lattice_unit(const struct trade *trade, const struct estimate *estimate)
{
    if (!replicated(estimate) || !trade_pays_cash(trade)) return 0.0;
    return fabs(trade->cash) * estimate->unit.n / estimate->paths;
}

/* Returns the sample of paths that an estimate stands for; nothing is known of their spread within
 * a replicate. */
static struct tally path_sample(const struct estimate *estimate)
{
    if (!replicated(estimate)) return estimate->unit;
    return (struct tally){.n = estimate->paths, .mean = estimate->unit.mean};
}

/* Returns the normal deviate that is as likely as the estimate's z: z itself but for replicates. */
static double normal_deviate(const struct estimate *estimate)
{
    double z = estimate->z;
    if (!replicated(estimate) || isinf(z)) return z;
    return normal_of_student(z, estimate->unit.n - 1.0);
}

/* Tells whether a price that too few paths support is further from its reference than chance
 * explains. The payments of a few paths may be missing. By Poisson's law 32 that are missing are
 * beyond 4.4 of its deviations wherever they are beyond 5 of the sample's, and of 256 the two are
 * next to the same. */
static bool is_doubtful(const struct trade *trade, double largest, const struct estimate *estimate)
{
    double distance = (estimate->price - estimate->reference) / trade->quantity;
    return estimate->unit.n * fabs(distance) > (fabs(estimate->z) > 5.0 ? 32.0 : 256.0) * largest;
}

bool judge_few_pay(const struct trade *trade, const struct estimate *estimate)
{
    struct tally unit = path_sample(estimate);
    double squares = fma(unit.n * unit.mean, unit.mean, unit.m2), sum = unit.n * unit.mean;
    return unit.n > 0.0 && trade_has(trade, PAYS_ONE_WAY) && sum * sum <= FEW_PAYMENTS * squares;
}

enum verdict judge_price(const struct trade *trade, double least, double largest, double limit,
                         struct estimate *estimate)
{
    double distance = estimate->price - estimate->reference;
    double error = hypot(estimate->std_error, estimate->reference_error);
    estimate->z = distance == 0.0 ? 0.0 : distance / error;
    if (product_has(trade->product, EARLY_EXERCISE) && isfinite(estimate->upper)) {
        if (within_bounds(trade, limit, estimate)) return VERDICT_OK;
        if (!judge_few_pay(trade, estimate)) return VERDICT_DISAGREES;
    } else if (fabs(normal_deviate(estimate)) <= limit) return VERDICT_OK;
    if (isinf(least) || trade->quantity == 0.0) return VERDICT_DISAGREES;
    struct tally unit = path_sample(estimate);
    unit.mean -= least;
    double wanted = estimate->reference / trade->quantity - least;
    double implied = implied_error(&unit, wanted, largest);
    if (trade->product == PRODUCT_AUTOCALLABLE) { /* a few may pay less than most do, or more */
        struct tally below = {unit.n, largest - unit.mean, unit.m2};
        implied = fmax(implied, implied_error(&below, largest - wanted, largest));
    }
    implied = fabs(trade->quantity) * fmax(implied, lattice_unit(trade, estimate) / limit);
    if (estimate->control[0]) implied /= sqrt(estimate->variance_ratio);
    error = hypot(fmax(estimate->std_error, implied), estimate->reference_error);
    bool rare = fabs(distance) <= limit * error;
    estimate->doubtful = rare && is_doubtful(trade, largest, estimate);
    return rare ? VERDICT_UNCHECKED : VERDICT_DISAGREES;
}

/* Tells whether hardly a jump was drawn on all paths, and the distance is no more than what those
 * that were not drawn may bring: a path without jumps and one with them differ by about the most
 * that one path pays. An error that has seen no jump knows of none. */
static bool jumps_are_missing(const struct market *market, const struct trade *trade, double limit,
                              const struct estimate *estimate)
{
    double distance = fabs(estimate->price - estimate->reference), jumping = 0.0;
    double error = hypot(estimate->std_error, estimate->reference_error);
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (model_takes(asset->model, TAKES_JUMPS))
            jumping += asset->jumps.intensity * trade->expiry;
    }
    double may_bring = jumping * fabs(trade->quantity) * largest_payment(market, trade);
    return estimate->paths > 0.0 && jumping * estimate->paths < FEW_JUMPS &&
           distance <= limit * error + may_bring;
}

/* Leaves the price of an early exercise unchecked, and says so, where its interval holds the
 * reference but is too wide to tell. It is doubtful where the reference is further off than an
 * interval may be wide. */
static enum status judge_width(const struct trade *trade, double limit, double width,
                               struct estimate *estimate)
{
    char text[240], share[48] = "", off[80] = "";
    double distance = fabs(estimate->price - estimate->reference);
    double error = hypot(estimate->std_error, estimate->reference_error);
    double sign = trade->quantity < 0.0 ? -1.0 : 1.0;
    double wide = fabs(estimate->upper - estimate->price) / fabs(estimate->price);
    if (!(isfinite(estimate->upper) &&
          sign * (estimate->upper - estimate->price) > width * fabs(estimate->price)))
        return STATUS_OK;
    if (isfinite(wide)) /* which it is not of a price of 0 */
        snprintf(share, sizeof share, ", %.3g %% of the price wide,", 100.0 * wide);
    estimate->doubtful = distance > fma(width, fabs(estimate->price), limit * error) &&
                         !judge_few_pay(trade, estimate);
    if (estimate->doubtful)
        snprintf(off, sizeof off, ", and the reference is further off than that (z = %.2f)",
                 estimate->z);
    snprintf(text, sizeof text, "interval [%.6g, %.6g]%s is no check: exercise_width is %g %%%s",
             fmin(estimate->price, estimate->upper), fmax(estimate->price, estimate->upper), share,
             100.0 * width, off);
    estimate->verdict = VERDICT_UNCHECKED;
    return estimate_say(estimate, text);
}

/* Leaves a price unchecked, and says so, where the error of its reference is so large beside the
 * price and its own error that agreement says nothing. */
static enum status judge_vague(const struct market *market, const struct trade *trade,
                               struct estimate *estimate)
{
    char text[160];
    double error = estimate->reference_error, stake = trade_stake(market, trade);
    if (!(error > VAGUE_SHARE * fabs(estimate->price) &&
          error > VAGUE_ERRORS * estimate->std_error &&
          error > VAGUE_STAKE * fabs(trade->quantity) * stake))
        return STATUS_OK;
    snprintf(text, sizeof text, "the reference is no check: its error is %.3g, the price %.6g",
             error, estimate->price);
    estimate->verdict = VERDICT_UNCHECKED;
    estimate->z = NAN;
    return estimate_say(estimate, text);
}

/* Says why a price that is not right by its reference is not. */
static enum status say_distance(double limit, bool unseen, struct estimate *estimate)
{
    char text[160];
    if (unseen)
        snprintf(text, sizeof text, "too few paths jump to compare with the reference (z = %.2f)",
                 estimate->z);
    else if (isinf(estimate->z)) /* as of payoffs that are certain */
        snprintf(text, sizeof text, "the reference is another number, and neither has an error");
    else if (estimate->doubtful)
        snprintf(text, sizeof text,
                 "too few paths pay to compare with the reference, and too many are missing for "
                 "chance (z = %.2f)",
                 estimate->z);
    else if (estimate->verdict == VERDICT_UNCHECKED)
        snprintf(text, sizeof text, "too few paths pay to compare with the reference (z = %.2f)",
                 estimate->z);
    else if (isfinite(estimate->upper))
        snprintf(text, sizeof text, "the reference is not in the interval [%.6g, %.6g] (z = %.2f)",
                 fmin(estimate->price, estimate->upper), fmax(estimate->price, estimate->upper),
                 estimate->z);
    else
        snprintf(text, sizeof text, "%.2f standard errors from the reference; %.2f are allowed",
                 estimate->z, limit);
    return estimate_say(estimate, text);
}

/* Gives one price its verdict, and a message where it needs one. */
static enum status judge_one(const struct market *market, const struct trade *trade, double limit,
                             double width, struct estimate *estimate)
{
    double least = trade->product == PRODUCT_CLIQUET ? cliquet_of(market, trade, -1.0)
                   : trade_has(trade, PAYS_ONE_WAY)  ? 0.0
                                                     : -HUGE_VAL;
    estimate->verdict = judge_price(trade, least, largest_payment(market, trade), limit, estimate);
    if (estimate->verdict == VERDICT_OK) {
        MUST(judge_width(trade, limit, width, estimate));
        return judge_vague(market, trade, estimate);
    }
    bool unseen =
        estimate->verdict == VERDICT_DISAGREES && jumps_are_missing(market, trade, limit, estimate);
    if (unseen) estimate->verdict = VERDICT_UNCHECKED;
    return say_distance(limit, unseen, estimate);
}

enum status judge_prices(const struct market *market, int n, const struct trade *trades,
                         const bool *only, double exercise_width, struct estimate *estimates)
{
    int checked = 0;
    for (int i = 0; i < n; i++) checked += estimates[i].reference_method[0] != '\0';
    double limit = judge_limit(checked);
    for (int i = 0; i < n; i++)
        if (estimates[i].reference_method[0] && (!only || only[i]))
            MUST(judge_one(market, &trades[i], limit, exercise_width, &estimates[i]));
    return STATUS_OK;
}
