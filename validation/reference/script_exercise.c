#include "validation/reference/script_exercise.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_linalg.h>

enum status script_fit_make(const struct script_walk *walk, int paths, struct script_fit *fit)
{
    int features = walk->n_assets + walk->n_state;
    enum status status = STATUS_OK;
    *fit = (struct script_fit){.effort = walk->effort,
                               .n_decisions = walk->n_decisions,
                               .n_features = features < SCRIPT_FEATURES_MOST ? features
                                                                             : SCRIPT_FEATURES_MOST,
                               .most = paths};
    size_t numbers = (size_t)fit->n_decisions * (size_t)paths * (size_t)(2 + fit->n_features);
    TRY(effort_array(fit->effort, (size_t)paths, sizeof *fit->value, &fit->value));
    TRY(effort_array(fit->effort, (size_t)fit->n_decisions, sizeof *fit->issuer, &fit->issuer));
    TRY(effort_array(fit->effort, numbers, sizeof *fit->numbers, &fit->numbers));
    for (size_t i = 0; i < numbers; i++) fit->numbers[i] = NAN;
done:
    return status;
}

void script_fit_free(struct script_fit *fit)
{
    effort_free(fit->value);
    effort_free(fit->issuer);
    effort_free(fit->numbers);
}

static double *numbers_at(const struct script_fit *fit, int decision, int path)
{
    return fit->numbers +
           ((size_t)decision * (size_t)fit->most + (size_t)path) * (size_t)(2 + fit->n_features);
}

bool script_fit_note(void *context, const struct script_decision *decision)
{
    struct script_fit *fit = context;
    double *to = numbers_at(fit, decision->number, fit->n);
    fit->issuer[decision->number] = decision->issuer;
    to[0] = decision->worth;
    to[1] = decision->paid;
    memcpy(to + 2, decision->features, sizeof *to * (size_t)fit->n_features);
    return false;
}

/* ---- polynomials ----------------------------------------------------------------------------- */

/* Finds the terms: 1, each number in units of its deviation, their cubes and products of two. */
static int terms_of(const struct script_policy *policy, const struct script_rule *rule,
                    double worth, const double *features, double *terms)
{
    double x[SCRIPT_FEATURES_MOST + 1];
    int n = policy->n_features + 1, count = 0;
    terms[count++] = 1.0;
    for (int i = 0; i < n; i++) {
        x[i] = ((i ? features[i - 1] : worth) - rule->mean[i]) * rule->scale[i];
        terms[count++] = x[i];
    }
    for (int i = 0; i < n && !policy->linear; i++) {
        terms[count++] = x[i] * x[i] * x[i];
        for (int j = 0; j <= i; j++) terms[count++] = x[i] * x[j];
    }
    return count;
}

static bool is_exercised(const struct script_policy *policy, const struct script_rule *rule,
                         bool issuer, double worth, const double *features)
{
    double terms[POLICY_TERMS_MOST], on = 0.0; /* what going on is worth */
    if (rule->only_paid && worth <= 0.0) return false;
    int n = terms_of(policy, rule, worth, features, terms);
    for (int i = 0; i < n; i++) on += rule->coefficients[i] * terms[i];
    return issuer ? worth < on : worth > on;
}

bool script_policy_decide(void *context, const struct script_decision *decision)
{
    const struct script_policy *policy = context;
    return is_exercised(policy, &policy->rules[decision->number], decision->issuer, decision->worth,
                        decision->features);
}

/* ---- regression ------------------------------------------------------------------------------ */

/* Tells whether a path says something of the rule. */
static bool is_taken(const struct script_rule *rule, const double *numbers)
{
    return !isnan(numbers[0]) && !(rule->only_paid && numbers[0] <= 0.0);
}

/* Finds what the terms are measured in. Returns the number of paths. */
static int scale_of(const struct script_fit *fit, int decision, struct script_rule *rule)
{
    int n = 0;
    double squares[SCRIPT_FEATURES_MOST + 1] = {0};
    for (int path = 0; path < fit->n; path++) {
        const double *numbers = numbers_at(fit, decision, path);
        if (!is_taken(rule, numbers)) continue;
        n++;
        for (int i = 0; i <= fit->n_features; i++) {
            double value = numbers[i ? i + 1 : 0], off = value - rule->mean[i];
            rule->mean[i] += off / n;
            squares[i] += off * (value - rule->mean[i]);
        }
    }
    for (int i = 0; i <= fit->n_features; i++) {
        double deviation = sqrt(squares[i] / n);
        rule->scale[i] = deviation > 1e-9 * fabs(rule->mean[i]) ? 1.0 / deviation : 0.0;
    }
    return n;
}

/* Solves for the coefficients, by normal equations; a term that the others span, or that does not
 * vary, gets next to nothing. */
static void regress(const struct script_fit *fit, int decision, const double *value,
                    const struct script_policy *policy, struct script_rule *rule)
{
    static const double none[SCRIPT_FEATURES_MOST];
    double system[POLICY_TERMS_MOST * POLICY_TERMS_MOST] = {0}, right[POLICY_TERMS_MOST] = {0},
                                      terms[POLICY_TERMS_MOST];
    size_t n = (size_t)terms_of(policy, rule, 0.0, none, terms);
    for (int path = 0; path < fit->n; path++) {
        const double *numbers = numbers_at(fit, decision, path);
        if (!is_taken(rule, numbers)) continue;
        terms_of(policy, rule, numbers[0], numbers + 2, terms);
        for (size_t i = 0; i < n; i++) {
            right[i] += terms[i] * (value[path] - numbers[1]);
            for (size_t j = 0; j <= i; j++) system[i * n + j] += terms[i] * terms[j];
        }
    }
    for (size_t i = 0; i < n; i++) system[i * n + i] += 1e-9 * (system[i * n + i] + system[0]);
    gsl_matrix_view matrix = gsl_matrix_view_array(system, n, n);
    gsl_vector_view answer = gsl_vector_view_array(right, n);
    double mean = right[0] / system[0];
    int failed = gsl_linalg_cholesky_decomp1(&matrix.matrix);
    if (!failed) failed = gsl_linalg_cholesky_svx(&matrix.matrix, &answer.vector);
    for (size_t i = 0; i < n; i++) rule->coefficients[i] = failed ? 0.0 : right[i];
    if (failed) rule->coefficients[0] = mean;
}

/* Makes one rule, and lets it decide on the paths that it is made of. */
static void make_rule(const struct script_fit *fit, int decision, double *value,
                      const struct script_policy *policy, struct script_rule *rule)
{
    double least = INFINITY, terms[POLICY_TERMS_MOST];
    int zeros = 0, came = 0;
    for (int path = 0; path < fit->n; path++) {
        double worth = numbers_at(fit, decision, path)[0];
        if (isnan(worth)) continue;
        least = fmin(least, worth);
        zeros += worth == 0.0;
        came++;
    }
    rule->only_paid = !fit->issuer[decision] && least >= 0.0 && zeros > 0 && zeros < came;
    int n = scale_of(fit, decision, rule);
    if (!n) return;
    /* Of a few paths their mean alone is used */
    if (n < 4 * terms_of(policy, rule, 0.0, rule->mean, terms))
        memset(rule->scale, 0, sizeof rule->scale);
    regress(fit, decision, value, policy, rule);
    for (int path = 0; path < fit->n; path++) {
        const double *numbers = numbers_at(fit, decision, path);
        if (!isnan(numbers[0]) &&
            is_exercised(policy, rule, fit->issuer[decision], numbers[0], numbers + 2))
            value[path] = numbers[1] + numbers[0];
    }
}

enum status script_fit_policy(const struct script_fit *fit, bool linear,
                              struct script_policy *policy)
{
    double *value = NULL;
    enum status status = STATUS_OK;
    *policy = (struct script_policy){.n_features = fit->n_features, .linear = linear};
    double terms = linear ? fit->n_features + 2.0 : pow(fit->n_features + 2.0, 2.0);
    TRY(effort_array(fit->effort, (size_t)fit->n_decisions, sizeof *policy->rules, &policy->rules));
    TRY(effort_array(fit->effort, (size_t)fit->n, sizeof *value, &value));
    memcpy(value, fit->value, sizeof *value * (size_t)fit->n);
    for (int d = fit->n_decisions - 1; d >= 0; d--) {
        TRY(effort_spend(fit->effort, fit->n * (8.0 + 0.25 * terms * terms)));
        make_rule(fit, d, value, policy, &policy->rules[d]);
    }
done:
    effort_free(value);
    return status;
}
