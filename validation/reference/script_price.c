/* The price of a script: the mean of what it pays on paths, exercised by a policy that is made of
 * other paths.
 *
 * The policy is made by regression (Longstaff and Schwartz 2001): from the last exercise backwards,
 * what going on has brought to the paths that came there is regressed on polynomials of what
 * exercise pays, the spots and what the script remembers, and again on the half of the paths that
 * are closest to indifference. It is then used on paths that it was not
 * made of, so that the holder's price is a lower bound, the issuer's an upper one. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "validation/reference/joint_paths.h"
#include "validation/reference/script_walk.h"

static const double ROOM = 128e6;    /* bytes of what a policy is made of */
static const double BY_CHANCE = 3.0; /* standard errors that a rule may seem better by */
enum { FITTED = 16384, FITTED_OF_PART = 4096, FITTED_LEAST = 512 }; /* and paths */

enum { POLICY_TERMS_MOST = 60 };

/* What one decision is taken by. */
struct script_rule {
    bool only_paid; /* exercise that pays nothing is out of the question */
    double mean[SCRIPT_KNOWN_MOST], scale[SCRIPT_KNOWN_MOST];
    double coefficients[POLICY_TERMS_MOST]; /* of what going on is worth */
};

struct script_policy {
    int n_features;
    bool linear;               /* no powers and no products */
    struct script_rule *rules; /* [decision] */
};

/* What the paths come to that a policy is made of. */
struct script_fit {
    struct effort *effort;
    int n_decisions, n_features, n, most; /* paths so far, and room for them */
    double *value; /* [n] all that a path pays, never exercised; the caller adds it */
    bool *issuer;  /* [decision] */
    /* [decision][most][1 + 1 + n_features] paid before, what is known: the gain NaN where a path
     * does not come there */
    double *numbers;
};

static double *numbers_at(const struct script_fit *fit, int decision, int path)
{
    return fit->numbers +
           ((size_t)decision * (size_t)fit->most + (size_t)path) * (size_t)(2 + fit->n_features);
}

/* Notes a decision of the present path and takes it not: a script_decide. */
static bool fit_note(void *context, const struct script_decision *decision)
{
    struct script_fit *fit = context;
    double *to = numbers_at(fit, decision->number, fit->n);
    fit->issuer[decision->number] = decision->issuer;
    to[0] = decision->paid;
    memcpy(to + 1, decision->known, sizeof *to * (size_t)(1 + fit->n_features));
    return false;
}

/* ---- polynomials ----------------------------------------------------------------------------- */

/* Finds the terms: 1, each number that is known in units of its deviation, their cubes and products
 * of two. */
static int terms_of(const struct script_policy *policy, const struct script_rule *rule,
                    const double *known, double *terms)
{
    double x[SCRIPT_KNOWN_MOST];
    int n = policy->n_features + 1, count = 0;
    terms[count++] = 1.0;
    for (int i = 0; i < n; i++) terms[count++] = x[i] = (known[i] - rule->mean[i]) * rule->scale[i];
    for (int i = 0; i < n && !policy->linear; i++) {
        terms[count++] = x[i] * x[i] * x[i];
        for (int j = 0; j <= i; j++) terms[count++] = x[i] * x[j];
    }
    return count;
}

/* Returns what exercise brings more than going on does. */
static double gain_of(const struct script_policy *policy, const struct script_rule *rule,
                      const double *known)
{
    double terms[POLICY_TERMS_MOST], gain = known[0];
    int n = terms_of(policy, rule, known, terms);
    for (int i = 0; i < n; i++) gain -= rule->coefficients[i] * terms[i];
    return gain;
}

static bool is_exercised(const struct script_policy *policy, const struct script_rule *rule,
                         bool issuer, const double *known)
{
    if (rule->only_paid && known[0] <= 0.0) return false;
    double gain = gain_of(policy, rule, known);
    return issuer ? gain < 0.0 : gain > 0.0;
}

/* Decides by a policy: a script_decide. */
static bool policy_decide(void *context, const struct script_decision *decision)
{
    const struct script_policy *policy = context;
    return is_exercised(policy, &policy->rules[decision->number], decision->issuer,
                        decision->known);
}

/* ---- regression ------------------------------------------------------------------------------ */

/* Tells whether a path says something of the rule. */
static bool is_taken(const struct script_rule *rule, const double *known)
{
    return !isnan(known[0]) && !(rule->only_paid && known[0] <= 0.0);
}

/* Finds what the terms are measured in. Returns the number of paths. */
static int scale_of(const struct script_fit *fit, int decision, struct script_rule *rule)
{
    int n = 0;
    double squares[SCRIPT_KNOWN_MOST] = {0};
    for (int path = 0; path < fit->n; path++) {
        const double *known = numbers_at(fit, decision, path) + 1;
        if (!is_taken(rule, known)) continue;
        n++;
        for (int i = 0; i <= fit->n_features; i++) {
            double off = known[i] - rule->mean[i];
            rule->mean[i] += off / n;
            squares[i] += off * (known[i] - rule->mean[i]);
        }
    }
    for (int i = 0; i <= fit->n_features; i++) {
        double deviation = sqrt(squares[i] / n);
        rule->scale[i] = deviation > 1e-9 * fabs(rule->mean[i]) ? 1.0 / deviation : 0.0;
    }
    return n;
}

/* Solves for the coefficients, by normal equations, of paths whose gain is within so much by the
 * rule as it is; a term that the others span, or that does not vary, gets next to nothing. */
static void fit_rule(const struct script_fit *fit, int decision, const double *value,
                     const struct script_policy *policy, double within, struct script_rule *rule)
{
    const struct script_rule before = *rule;
    double system[POLICY_TERMS_MOST * POLICY_TERMS_MOST] = {0}, right[POLICY_TERMS_MOST] = {0},
                                      terms[POLICY_TERMS_MOST];
    size_t n = (size_t)terms_of(policy, rule, rule->mean, terms);
    for (int path = 0; path < fit->n; path++) {
        const double *numbers = numbers_at(fit, decision, path);
        if (!is_taken(rule, numbers + 1)) continue;
        if (fabs(gain_of(policy, &before, numbers + 1)) > within) continue;
        terms_of(policy, rule, numbers + 1, terms);
        for (size_t i = 0; i < n; i++) {
            right[i] += terms[i] * (value[path] - numbers[0]);
            for (size_t j = 0; j <= i; j++) system[i * n + j] += terms[i] * terms[j];
        }
    }
    for (size_t i = 0; i < n; i++) system[i * n + i] += 1e-9 * (system[i * n + i] + system[0]);
    rule->coefficients[0] = right[0] / system[0]; /* the mean, of a system that has no solution */
    if (solve_positive(n, system, right)) memcpy(rule->coefficients, right, n * sizeof *right);
}

/* Tells whether a rule brings who decides more than another one does, by more than chance. */
static bool brings_more(const struct script_fit *fit, int decision, const double *value,
                        const struct script_policy *policy, const struct script_rule *rule,
                        const struct script_rule *other)
{
    double sum = 0.0, squares = 0.0;
    const bool issuer = fit->issuer[decision];
    for (int path = 0; path < fit->n; path++) {
        const double *numbers = numbers_at(fit, decision, path);
        if (isnan(numbers[1])) continue;
        double more = (issuer ? -1.0 : 1.0) * (numbers[0] + numbers[1] - value[path]) *
                      (is_exercised(policy, rule, issuer, numbers + 1) -
                       is_exercised(policy, other, issuer, numbers + 1));
        sum += more, squares += more * more;
    }
    return sum > BY_CHANCE * sqrt(squares);
}

/* Fits a rule again on the half of the paths that are closest to indifference by it, where it
 * matters, and keeps what is better. */
static enum status fit_closely(const struct script_fit *fit, int decision, const double *value,
                               const struct script_policy *policy, struct script_rule *rule)
{
    double *far = NULL;
    size_t n = 0;
    const struct script_rule first = *rule;
    MUST(effort_array(fit->effort, fit->n, &far));
    for (int path = 0; path < fit->n; path++) {
        const double *known = numbers_at(fit, decision, path) + 1;
        if (is_taken(rule, known)) far[n++] = fabs(gain_of(policy, rule, known));
    }
    gsl_sort(far, 1, n);
    fit_rule(fit, decision, value, policy, far[n / 2], rule);
    effort_free(far);
    if (!brings_more(fit, decision, value, policy, rule, &first)) *rule = first;
    return STATUS_OK;
}

/* Makes one rule, and lets it decide on the paths that it is made of. */
static enum status make_rule(const struct script_fit *fit, int decision, double *value,
                             const struct script_policy *policy, struct script_rule *rule)
{
    double least = INFINITY, terms[POLICY_TERMS_MOST]; /* of what is paid, now or later */
    int zeros = 0, came = 0;
    for (int path = 0; path < fit->n; path++) {
        double before = numbers_at(fit, decision, path)[0],
               gain = numbers_at(fit, decision, path)[1];
        if (isnan(gain)) continue;
        least = fmin(least, fmin(gain, value[path] - before + 1e-9 * fabs(before)));
        zeros += gain == 0.0;
        came++;
    }
    rule->only_paid = !fit->issuer[decision] && least >= 0.0 && zeros > 0 && zeros < came;
    int n = scale_of(fit, decision, rule);
    if (!n) return STATUS_OK;
    /* Of a few paths their mean alone is used */
    if (n < 4 * terms_of(policy, rule, rule->mean, terms))
        memset(rule->scale, 0, sizeof rule->scale);
    fit_rule(fit, decision, value, policy, INFINITY, rule);
    if (!policy->linear) MUST(fit_closely(fit, decision, value, policy, rule));
    for (int path = 0; path < fit->n; path++) {
        const double *numbers = numbers_at(fit, decision, path);
        if (!isnan(numbers[1]) && is_exercised(policy, rule, fit->issuer[decision], numbers + 1))
            value[path] = numbers[0] + numbers[1];
    }
    return STATUS_OK;
}

/* Makes the policy. */
static enum status fit_policy(const struct script_fit *fit, bool linear,
                              struct script_policy *policy)
{
    double *value = NULL;
    *policy = (struct script_policy){.n_features = fit->n_features, .linear = linear};
    double terms = linear ? fit->n_features + 2.0 : pow(fit->n_features + 2.0, 2.0);
    MUST(effort_array(fit->effort, fit->n_decisions, &policy->rules));
    MUST(effort_array(fit->effort, fit->n, &value));
    memcpy(value, fit->value, sizeof *value * (size_t)fit->n);
    for (int d = fit->n_decisions - 1; d >= 0; d--) {
        MUST(effort_spend(fit->effort, fit->n * (8.0 + 0.25 * terms * terms)));
        MUST(make_rule(fit, d, value, policy, &policy->rules[d]));
    }
    return STATUS_OK;
}

/* ---- the price ------------------------------------------------------------------------------- */

struct script_price {
    struct script_walk walk;
    struct joint_paths paths;
    double today[TRADE_ASSETS_MAX];
    struct script_fit fit;
    /* By powers and products of what is known, and a less good one by that alone */
    struct script_policy policy, linear;
};

static enum status run_walks(struct script_price *price, struct script_policy *policy,
                             const double *spots, const double *watched, double *value)
{
    price->walk.decide = policy->rules ? policy_decide : NULL;
    price->walk.decider = policy;
    return script_walk_run(&price->walk, spots, watched, value);
}

/* Runs a path by the policy, and by the less good one where there are policies. */
static enum status pays(void *context, const double *spots, const double *watched, double *values)
{
    struct script_price *price = context;
    enum status status = run_walks(price, &price->policy, spots, watched, &values[0]);
    if (status || !price->linear.rules) return status;
    return run_walks(price, &price->linear, spots, watched, &values[1]);
}

/* Runs a path that the policies are made of. */
static enum status pays_unexercised(void *context, const double *spots, const double *watched,
                                    double *value)
{
    struct script_price *price = context;
    price->walk.decide = fit_note;
    price->walk.decider = &price->fit;
    enum status status = script_walk_run(&price->walk, spots, watched, value);
    if (!status) price->fit.value[price->fit.n++] = *value;
    return status;
}

static enum status fit_policies(struct script_price *price, double cost)
{
    double bytes = 8.0 * price->walk.n_decisions * (1.0 + SCRIPT_KNOWN_MOST), means[2];
    const struct joint_payoff unexercised = {.value = pays_unexercised, .context = price};
    int paths = price->paths.part ? FITTED_OF_PART : FITTED;
    int most = (int)fmax(fmin(paths, ROOM / bytes), FITTED_LEAST);
    struct script_fit *fit = &price->fit;
    *fit = (struct script_fit){.effort = price->walk.effort,
                               .n_decisions = price->walk.n_decisions,
                               .n_features = script_features(&price->walk),
                               .most = most};
    size_t numbers = (size_t)fit->n_decisions * (size_t)most * (size_t)(2 + fit->n_features);
    MUST(effort_array(fit->effort, most, &fit->value));
    MUST(effort_array(fit->effort, fit->n_decisions, &fit->issuer));
    MUST(effort_array(fit->effort, numbers, &fit->numbers));
    for (size_t i = 0; i < numbers; i++) fit->numbers[i] = NAN;
    MUST(effort_spend(fit->effort, cost * most));
    for (int left = most / SIGNS; left > 0; left -= price->paths.abreast) {
        int n = left < price->paths.abreast ? left : price->paths.abreast;
        MUST(joint_paths_take(&price->paths, n, 0));
        for (int b = 0; b < n; b++)
            MUST(joint_paths_pay(&price->paths, FINE, b, &unexercised, means));
    }
    MUST(fit_policy(fit, false, &price->policy));
    return fit_policy(fit, true, &price->linear);
}

static enum status simulate(struct script_price *price, const struct problem *problem,
                            struct reference *out)
{
    const struct script_walk *walk = &price->walk;
    const struct joint_view view = {.n = walk->n_columns,
                                    .times = walk->times,
                                    .n_watches = walk->n_watches,
                                    .watches = walk->watches,
                                    .today = price->today,
                                    .closely = trade_has(problem->trade, WATCHES_CLOSELY),
                                    .variances = walk->binding->variances != 0};
    bool early = walk->n_decisions > 0;
    struct joint_payoff payoff = {.value = pays, .context = price};
    double means[2], money = binding_largest(walk->binding, true);
    payoff.most = money > 0.0 ? money : price->today[0];
    MUST(joint_paths_make(problem, &view, &price->paths));
    price->walk.ran = 0.0;
    MUST(joint_paths_take(&price->paths, 1, 0)); /* to see what a path costs */
    MUST(joint_paths_pay(&price->paths, FINE, 0, &payoff, means));
    payoff.cost = SCRIPT_NODE_COST * walk->ran / SIGNS;
    if (early) {
        MUST(fit_policies(price, payoff.cost));
        payoff.cost *= 2.0;
        payoff.second = SECOND_GAP;
    }
    return joint_paths_mean(&price->paths, &payoff, out);
}

enum status reference_script_walk(const struct problem *problem, struct reference *out)
{
    const struct binding *binding = trade_binding(problem->trade);
    const struct multi_asset *assets = &problem->assets;
    struct script_price *price = NULL;
    struct effort *effort = assets->effort;
    MUST(effort_array(effort, 1, &price));
    for (int i = 0; i < assets->n; i++)
        price->today[i] = problem->today->assets[assets->index[i]].spot;
    MUST(script_walk_make(assets, binding, price->today, problem->aged, &price->walk));
    if (price->walk.begun_stopped || !price->walk.n_columns) {
        *out = (struct reference){.method = "closed form"};
        MUST(script_walk_run(&price->walk, NULL, NULL, &out->price));
    } else MUST(simulate(price, problem, out));
    return STATUS_OK;
}
