/* Forwards, futures, positions and money: closed forms. The mean of a spot that pays cash dividends
 * is its forward less each of them, grown from its day on. */
#include <math.h>

#include "validation/reference/methods.h"
#include "models/payoffs/product_numbers.h"

enum status reference_forward(const struct problem *problem, struct reference *out,
                              struct message *why)
{
    (void)why;
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    double to_end = asset_growth(curves, trade->expiry), mean = curves->spot * exp(to_end);
    for (int i = 0; i < problem->asset->n_dividends; i++) {
        double time = problem->asset->dividends[i].time;
        if (time <= trade->expiry)
            mean -= problem->asset->dividends[i].amount *
                    exp(to_end - asset_growth(curves, fmax(time, 0.0)));
    }
    out->price = mean - trade->strike;
    if (trade->product == PRODUCT_FORWARD) out->price *= asset_discount(curves, trade->expiry);
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
