/* The price of a script: the mean of what it pays on paths, exercised by a policy that is made of
 * other paths. */
#include <math.h>

#include "validation/reference/joint_paths.h"
#include "validation/reference/script_exercise.h"

static const double ROOM = 128e6; /* bytes of what a policy is made of */
enum { FITTED = 16384, FITTED_OF_PART = 4096, FITTED_LEAST = 512 }; /* and paths */

struct script_price {
    struct script_walk walk;
    struct joint_paths paths;
    double today[TRADE_ASSETS_MAX];
    struct script_fit fit;
    /* By powers and products of what is known, and a less good one by that alone */
    struct script_policy policy, linear;
};

static enum status run(struct script_price *price, struct script_policy *policy,
                       const double *spots, const double *watched, double *value)
{
    price->walk.decide = policy->rules ? script_policy_decide : NULL;
    price->walk.decider = policy;
    return script_walk_run(&price->walk, spots, watched, value);
}

/* Runs a path by the policy, and by the less good one where there are policies. */
static enum status pays(void *context, const double *spots, const double *watched, double *values)
{
    struct script_price *price = context;
    enum status status = run(price, &price->policy, spots, watched, &values[0]);
    if (status || !price->linear.rules) return status;
    return run(price, &price->linear, spots, watched, &values[1]);
}

/* Runs a path that the policies are made of. */
static enum status pays_unexercised(void *context, const double *spots, const double *watched,
                                    double *value)
{
    struct script_price *price = context;
    price->walk.decide = script_fit_note;
    price->walk.decider = &price->fit;
    enum status status = script_walk_run(&price->walk, spots, watched, value);
    if (!status) price->fit.value[price->fit.n++] = *value;
    return status;
}

static enum status fit_policies(struct script_price *price, double cost)
{
    enum status status = STATUS_OK;
    double bytes = 8.0 * price->walk.n_decisions * (2.0 + SCRIPT_FEATURES_MOST), means[2];
    const struct joint_payoff unexercised = {.value = pays_unexercised, .context = price};
    int paths = price->paths.part ? FITTED_OF_PART : FITTED;
    int most = (int)fmax(fmin(paths, ROOM / bytes), FITTED_LEAST);
    TRY(script_fit_make(&price->walk, most, &price->fit));
    TRY(effort_spend(price->walk.effort, cost * most));
    for (int left = most / SIGNS; left > 0; left -= price->paths.abreast) {
        int n = left < price->paths.abreast ? left : price->paths.abreast;
        TRY(joint_paths_take(&price->paths, n, 0));
        for (int b = 0; b < n; b++)
            TRY(joint_paths_pay(&price->paths, FINE, b, &unexercised, means));
    }
    TRY(script_fit_policy(&price->fit, false, &price->policy));
    TRY(script_fit_policy(&price->fit, true, &price->linear));
done:
    return status;
}

/* Returns about the most that one path pays. */
static double largest_payment(const struct script_walk *walk)
{
    double most = 0.0;
    for (int p = 0; p < walk->script->n_parameters; p++) {
        const struct bound *bound = &walk->binding->bound[p];
        for (int i = 0; walk->script->symbols[p].money && i < bound->n; i++)
            if (isfinite(bound->values[i])) most = fmax(most, fabs(bound->values[i]));
    }
    return most > 0.0 ? most : walk->today[0];
}

static enum status simulate(struct script_price *price, const struct problem *problem,
                            struct reference *out, struct message *why)
{
    enum status status = STATUS_OK;
    const struct script_walk *walk = &price->walk;
    const struct joint_view view = {walk->n_columns, walk->times, walk->n_watches, walk->watches,
                                    price->today};
    bool early = walk->n_decisions > 0;
    struct joint_payoff payoff = {.value = pays, .context = price, .most = largest_payment(walk)};
    double means[2];
    TRY(joint_paths_make(problem, &view, &price->paths, why));
    price->walk.ran = 0.0;
    TRY(joint_paths_take(&price->paths, 1, 0)); /* to see what a path costs */
    TRY(joint_paths_pay(&price->paths, FINE, 0, &payoff, means));
    payoff.cost = SCRIPT_NODE_COST * walk->ran / SIGNS;
    if (early) {
        TRY(fit_policies(price, payoff.cost));
        payoff.cost *= 2.0;
        payoff.second = SECOND_GAP;
    }
    TRY(joint_paths_mean(&price->paths, &payoff, out));
done:
    return status;
}

enum status reference_script_walk(const struct problem *problem, struct reference *out,
                                  struct message *why)
{
    const struct binding *binding = trade_binding(problem->trade);
    const struct multi_asset *assets = &problem->assets;
    struct script_price *price = NULL;
    enum status status = STATUS_OK;
    struct effort *effort = assets->effort;
    TRY(effort_array(effort, 1, sizeof *price, &price));
    for (int i = 0; i < assets->n; i++)
        price->today[i] = problem->today->assets[assets->index[i]].spot;
    TRY(script_walk_make(assets, binding, price->today, problem->aged, &price->walk, why));
    if (price->walk.begun_stopped || !price->walk.n_columns) {
        *out = (struct reference){.method = "closed form"};
        TRY(script_walk_run(&price->walk, NULL, NULL, &out->price));
    } else TRY(simulate(price, problem, out, why));
done:
    if (price) {
        joint_paths_free(&price->paths);
        script_walk_free(&price->walk);
        script_fit_free(&price->fit);
        effort_free(price->policy.rules);
        effort_free(price->linear.rules);
    }
    effort_free(price);
    return status;
}
