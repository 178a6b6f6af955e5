#include "app/pricing/value/exercise/policy_makers.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_regression.h"
#include "kernels/run_program.h"

enum {
    SHOWN_CHUNKS = 32,      /* chunks of paths of a fit, */
    SHOWN_CHUNKS_LEAST = 8, /* at least */
    FIT_BYTES = 1 << 28,    /* that what they show may take */
    PATHS_A_TERM = 32       /* that a regression must have, or it is of the linear terms alone */
};

/* Half the paths, those closest to indifference, are the ones of the second regression. */
#define CLOSE_SHARE 0.5

/* One program and what its paths show: outputs [output][path], and its value [path] without a
 * decision, which becomes that by the policies found so far. */
struct program_fit {
    const struct fit_setup *setup;
    int group;
    const struct group_program *run;
    size_t paths;
    double *outputs, *values;
    atomic_int status;
    struct message why;
};

/* ---- what paths show ------------------------------------------------------------------------- */

/* Runs the program on one chunk of the fit's paths, before any policy is known. */
static enum status show_chunk(struct program_fit *fit, int chunk)
{
    enum status status = STATUS_OK;
    const struct group *group = &fit->setup->plan.groups[fit->group];
    const struct program *program = fit->run->program;
    size_t n = (size_t)program->n_outputs;
    double *rows = malloc(sizeof(double) * CHUNK_PATHS * (size_t)group->n_rows);
    double *registers = malloc(sizeof(double) * PATH_LANES * (size_t)program->n_registers);
    double *outputs = malloc(sizeof(double) * PATH_LANES * n);
    struct chunk_range range = {(uint64_t)chunk, (uint64_t)chunk + 1, rows};
    if (!rows || !registers || !outputs) TRY(STATUS_NO_MEMORY);
    TRY(fit->setup->engine->observe(&fit->setup->plan, &fit->setup->options, fit->group, &range,
                                    &fit->why));
    for (int column = 0; column < CHUNK_PATHS; column += PATH_LANES) {
        size_t at = (size_t)chunk * CHUNK_PATHS + (size_t)column;
        run_program(fit->run, rows + column, NULL, registers, fit->values + at, outputs);
        for (size_t o = 0; o < n; o++)
            memcpy(fit->outputs + o * fit->paths + at, outputs + o * PATH_LANES,
                   sizeof(double) * PATH_LANES);
    }
done:
    free(rows);
    free(registers);
    free(outputs);
    return status;
}

static void show_piece(void *context, int chunk)
{
    struct program_fit *fit = context;
    int none = STATUS_OK;
    if (atomic_load(&fit->status)) return;
    enum status status =
        asked_to_stop(fit->setup->options.stop) ? STATUS_INTERRUPTED : show_chunk(fit, chunk);
    if (status) atomic_compare_exchange_strong(&fit->status, &none, (int)status);
}

/* ---- regression ------------------------------------------------------------------------------ */

static void equations_add(struct normal_equations *e, const double *terms, double value)
{
    for (int i = 0; i < e->n; i++) {
        e->right[i] = fma(terms[i], value, e->right[i]);
        for (int j = 0; j <= i; j++) e->gram[i][j] = fma(terms[i], terms[j], e->gram[i][j]);
    }
}

/* ---- one decision ---------------------------------------------------------------------------- */

/* A decision in the fitting, and the coefficients that are its policy. */
struct decision_fit {
    const struct program_fit *fit;
    const struct program_decision *decision;
    const double *alive, *worth, *paid, *features; /* [path]; features [feature][path] */
    double *policy;
};

static struct decision_fit decision_of(const struct program_fit *fit, int d)
{
    const struct program_decision *decision = &fit->run->program->decisions[d];
    const double *outputs = fit->outputs + (size_t)decision->first_output * fit->paths;
    return (struct decision_fit){.fit = fit,
                                 .decision = decision,
                                 .alive = outputs,
                                 .worth = outputs + fit->paths,
                                 .paid = outputs + 2 * fit->paths,
                                 .features = outputs + 3 * fit->paths,
                                 .policy = fit->run->coefficients + decision->first_coefficient};
}

/* Tells whether the path decides anything there. */
static bool decides(const struct decision_fit *of, size_t path)
{
    return of->alive[path] != 0.0 && (!of->decision->only_gains || of->worth[path] > 0.0);
}

/* Sets mean and scale of each feature over the paths that decide; returns how many do. */
static size_t set_scales(const struct decision_fit *of)
{
    size_t n = 0, paths = of->fit->paths;
    for (size_t p = 0; p < paths; p++) n += decides(of, p);
    for (int f = 0; f < of->decision->n_features; f++) {
        const double *feature = of->features + (size_t)f * paths;
        double sum = 0.0, squares = 0.0;
        for (size_t p = 0; p < paths; p++)
            if (decides(of, p)) sum += feature[p];
        double mean = n ? sum / (double)n : 0.0;
        for (size_t p = 0; p < paths; p++)
            if (decides(of, p)) squares += (feature[p] - mean) * (feature[p] - mean);
        double spread = n ? sqrt(squares / (double)n) : 0.0;
        bool flat = !(spread > 1e-12 * (1.0 + fabs(mean)));
        of->policy[2 * f] = mean;
        of->policy[2 * f + 1] = flat ? 0.0 : 1.0 / spread;
    }
    return n;
}

/* Fills the terms of a path, in the order of the policy. */
static void terms_of(const struct decision_fit *of, size_t path, double *terms)
{
    double z[POLICY_FEATURES_MOST];
    for (int f = 0; f < of->decision->n_features; f++)
        z[f] = (of->features[(size_t)f * of->fit->paths + path] - of->policy[2 * f]) *
               of->policy[2 * f + 1];
    policy_fill_terms(of->decision->n_features, z, terms);
}

static double continuation(const struct decision_fit *of, size_t path)
{
    const double *weights = of->policy + 2 * of->decision->n_features;
    double terms[POLICY_TERMS_MOST], sum = 0.0;
    terms_of(of, path, terms);
    for (int t = 0; t < of->decision->n_terms; t++) sum = fma(weights[t], terms[t], sum);
    return sum;
}

/* Regresses what is still paid on the first n terms, over the paths that decide and are no further
 * from indifference than `within`. */
static void regress_decision(const struct decision_fit *of, int n, double within)
{
    struct normal_equations e = {.n = n};
    double terms[POLICY_TERMS_MOST], found[POLICY_TERMS_MOST],
        *weights = of->policy + 2 * of->decision->n_features;
    for (size_t p = 0; p < of->fit->paths; p++) {
        if (!decides(of, p)) continue;
        if (isfinite(within) && fabs(of->worth[p] - continuation(of, p)) > within) continue;
        terms_of(of, p, terms);
        equations_add(&e, terms, of->fit->values[p] - of->paid[p]);
    }
    (void)equations_solve(&e, 1e-10, found); /* a term that others determine has the weight 0 */
    for (int t = 0; t < of->decision->n_terms; t++) weights[t] = t < n ? found[t] : 0.0;
}

static int compare_doubles(const void *p, const void *q)
{
    double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

/* Finds how far from indifference the closest CLOSE_SHARE of the paths that decide are.
 * STATUS_NO_MEMORY. */
static enum status closeness(const struct decision_fit *of, size_t n, double *within)
{
    double *apart = malloc(sizeof *apart * n);
    size_t at = 0;
    if (!apart) return STATUS_NO_MEMORY;
    for (size_t p = 0; p < of->fit->paths; p++)
        if (decides(of, p)) apart[at++] = fabs(of->worth[p] - continuation(of, p));
    qsort(apart, n, sizeof *apart, compare_doubles);
    *within = apart[(size_t)(CLOSE_SHARE * (double)(n - 1))];
    free(apart);
    return STATUS_OK;
}

/* Returns what the paths that decide bring by the policy as it stands. */
static double brings(const struct decision_fit *of)
{
    const bool issuer = of->decision->issuer;
    double sum = 0.0;
    for (size_t p = 0; p < of->fit->paths; p++) {
        if (!decides(of, p)) continue;
        double waiting = continuation(of, p), worth = of->worth[p];
        bool takes = issuer ? worth < waiting : worth > waiting;
        sum += takes ? worth : of->fit->values[p] - of->paid[p];
    }
    return issuer ? -sum : sum;
}

/* Fits the policy of decision d, and lets the paths follow it. One that too few paths reach is
 * never made. STATUS_NO_MEMORY. */
static enum status fit_decision(struct program_fit *fit, int d)
{
    const struct decision_fit of = decision_of(fit, d);
    const bool issuer = of.decision->issuer;
    size_t n = set_scales(&of);
    double within = HUGE_VAL;
    int terms = of.decision->n_terms;
    if (n < (size_t)terms * PATHS_A_TERM) terms = 1 + of.decision->n_features;
    if (n < (size_t)terms * PATHS_A_TERM) return STATUS_OK;
    regress_decision(&of, terms, within);
    /* The second regression is kept only where it does better: far from indifference it may turn */
    double first[POLICY_TERMS_MOST], *weights = of.policy + 2 * of.decision->n_features;
    const double brought = brings(&of);
    memcpy(first, weights, sizeof *first * (size_t)of.decision->n_terms);
    enum status status = closeness(&of, n, &within);
    if (status) return status;
    regress_decision(&of, terms, within);
    if (!(brings(&of) > brought))
        memcpy(weights, first, sizeof *first * (size_t)of.decision->n_terms);
    for (size_t p = 0; p < fit->paths; p++) {
        if (!decides(&of, p)) continue;
        double waiting = continuation(&of, p);
        if (issuer ? of.worth[p] < waiting : of.worth[p] > waiting)
            fit->values[p] = of.paid[p] + of.worth[p];
    }
    return STATUS_OK;
}

/* ---- all of a plan --------------------------------------------------------------------------- */

/* Fits the decisions of one program, the last first. */
static enum status fit_program(struct program_fit *fit)
{
    enum status status = STATUS_OK;
    const struct program *program = fit->run->program;
    size_t each = sizeof(double) * CHUNK_PATHS * ((size_t)program->n_outputs + 1);
    size_t chunks = FIT_BYTES / each;
    if (chunks > SHOWN_CHUNKS) chunks = SHOWN_CHUNKS;
    if (chunks < SHOWN_CHUNKS_LEAST) chunks = SHOWN_CHUNKS_LEAST;
    fit->paths = chunks * CHUNK_PATHS;
    fit->outputs = malloc(sizeof(double) * fit->paths * (size_t)program->n_outputs);
    fit->values = malloc(sizeof(double) * fit->paths);
    if (!fit->outputs || !fit->values) TRY(STATUS_NO_MEMORY);
    team_loop(fit->setup->options.team, (int)chunks, show_piece, fit);
    TRY((enum status)atomic_load(&fit->status));
    for (int d = program->n_decisions - 1; d >= 0; d--) TRY(fit_decision(fit, d));
done:
    free(fit->outputs);
    free(fit->values);
    return status;
}

/* Copies the policies of the same trade under another market. */
static void borrow(const struct group_program *from, const struct group_program *to)
{
    for (int i = 0; i < to->program->n_coefficients; i++)
        if (to->program->coefficients[i].kind == COEFFICIENT_POLICY)
            to->coefficients[i] = from->coefficients[i];
}

enum status program_policies_fit(const struct fit_setup *setup, struct message *why)
{
    struct fit_setup own = *setup;
    const struct group *first = own.plan.groups; /* of the scenario set */
    own.plan.paths = (uint64_t)SHOWN_CHUNKS * CHUNK_PATHS;
    for (int g = 0; g < own.plan.n_groups; g++) {
        const struct group *group = &own.plan.groups[g];
        if (group->scenario_set) first = group;
        for (int p = 0; p < group->n_programs; p++) {
            struct program_fit fit = {.setup = &own, .group = g, .run = &group->programs[p]};
            enum status status = STATUS_OK;
            if (!fit.run->program->n_decisions) continue;
            if (group->borrows_policies && group != first) borrow(&first->programs[p], fit.run);
            else status = fit_program(&fit);
            if (!status) continue;
            *why = fit.why;
            return status;
        }
    }
    return STATUS_OK;
}
