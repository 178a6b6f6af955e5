#include "models/payoffs/pivot.h"

#include <math.h>

#include "models/dynamics/coefficients.h"

#define LN2 0.693147180559945309417

/* Of log2 S at a date. */
struct law {
    double mean, stdev;
};

/* As the engines' own steps make it: the coefficients of a single step to the date. */
static enum status law_at(const struct market *market, const struct request *r, double date, struct law *law,
                          struct message *why)
{
    int asset = trade_asset(r->trade, r->asset);
    const struct leg leg = {0.0, date, r->trade->quanto};
    double c[2];
    enum status status = model_step_coefficients(market, asset, &leg, c, NULL, why);
    if (!status) *law = (struct law){exact_log2(market->assets[asset].spot) + c[0], c[1]};
    return status;
}

enum status margin_touch(const struct market *market, const struct observable *o, int i, struct touch *t,
                         struct message *why)
{
    enum status status = STATUS_OK;
    const struct request *r = &o->request;
    bool above = r->upper < HUGE_VAL;
    double sign = above ? 1.0 : -1.0, date = o->dates[i], pivot = r->trade->pivot;
    struct law here, at_pivot;
    TRY(law_at(market, r, date, &here, why));
    TRY(law_at(market, r, pivot, &at_pivot, why));
    double slope = date < pivot ? here.stdev * here.stdev / at_pivot.stdev : at_pivot.stdev;
    t->on = date == pivot ? TOUCH_MARGIN_PIVOT : TOUCH_MARGIN;
    t->c[0] = sign / slope * exact_log2(above ? r->upper : r->lower);
    t->c[1] = -sign / slope;
    if (date != pivot) goto done;
    t->c[2] = sign / at_pivot.stdev;
    t->c[3] = -t->c[2] * at_pivot.mean;
done:
    return status;
}

enum status rest_touch(const struct market *market, const struct observable *o, int i, struct touch *t,
                       struct message *why)
{
    bool last = i == o->n_dates - 1;
    struct law at_pivot;
    t->c[0] = last - (i == 0);
    if (i) return STATUS_OK;
    enum status status = law_at(market, &o->request, o->request.trade->pivot, &at_pivot, why);
    if (!status) t->c[1] = at_pivot.mean + 0.5 * LN2 * at_pivot.stdev * at_pivot.stdev;
    return status;
}
