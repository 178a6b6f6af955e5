/* Baskets, spreads and autocallables by simulation, for what no quadrature takes: several assets on
 * several dates, cash dividends, jumps, variances that are not known beforehand. */
#include <math.h>

#include "validation/reference/gaussian.h"
#include "models/payoffs/product_numbers.h"
#include "validation/reference/joint_paths.h"
#include "validation/reference/reference_autocallable.h"

/* A trade and the dates that its paths show: of an autocallable its observations, and the expiry
 * where it is none of them; of the others the expiry. */
struct joint_trade {
    const struct trade *trade;
    struct multi_asset assets;
    double *dates; /* [n]; owned */
    int n, observed;
};

static enum status note_value(void *context, const double *spots, const double *watched,
                              double *value)
{
    const struct joint_trade *joint = context;
    struct autocallable_state note = {.missed = joint->trade->past_missed};
    (void)watched;
    *value = 0.0;
    for (int i = 0; i < joint->n && !note.called; i++, spots += joint->assets.n) {
        double worst = INFINITY, discount = multi_asset_discount(&joint->assets, joint->dates[i]);
        for (int a = 0; a < joint->assets.n; a++)
            worst = fmin(worst, spots[a] / joint->trade->initial[a]);
        if (i < joint->observed) *value += discount * autocallable_pays(joint->trade, worst, &note);
        if (i == joint->n - 1 && !note.called)
            *value += discount * autocallable_redeems(joint->trade, worst);
    }
    return STATUS_OK;
}

static enum status option_value(void *context, const double *spots, const double *watched,
                                double *value)
{
    const struct joint_trade *joint = context;
    const struct trade *trade = joint->trade;
    enum basket_kind kind = trade->product == PRODUCT_SPREAD ? BASKET_AVERAGE : trade->kind;
    (void)watched;
    double basket = multi_asset_basket(&joint->assets, kind, spots);
    *value = multi_asset_discount(&joint->assets, trade->expiry) *
             option_payoff(trade->option, basket, trade->strike);
    return STATUS_OK;
}

enum status reference_by_paths(const struct problem *problem, struct reference *out,
                               struct message *why)
{
    const struct trade *trade = problem->trade;
    struct effort *effort = problem->curves.effort;
    struct joint_trade joint = {.trade = trade};
    struct joint_paths *paths = NULL;
    bool note = trade->product == PRODUCT_AUTOCALLABLE;
    enum status status = STATUS_OK;
    TRY(multi_asset_of(problem->market, trade, effort, &joint.assets, why));
    TRY(effort_array(effort, (size_t)trade->observations.n + 1, sizeof *joint.dates, &joint.dates));
    for (int i = 0; note && i < trade->observations.n; i++)
        joint.dates[joint.n++] = trade->observations.times[i];
    joint.observed = joint.n;
    if (!joint.n || !several_same_date(joint.dates[joint.n - 1], trade->expiry, trade))
        joint.dates[joint.n++] = trade->expiry;
    TRY(effort_array(effort, 1, sizeof *paths, &paths));
    TRY(joint_paths_make(problem, &(struct joint_view){.n = joint.n, .times = joint.dates}, paths,
                         why));
    TRY(joint_paths_mean(paths,
                         &(struct joint_payoff){.value = note ? note_value : option_value,
                                                .context = &joint,
                                                .cost = joint.n * (2.0 + joint.assets.n)},
                         out));
done:
    if (paths) joint_paths_free(paths);
    effort_free(paths);
    effort_free(joint.dates);
    return status;
}
