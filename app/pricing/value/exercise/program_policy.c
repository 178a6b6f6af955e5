#include "app/pricing/value/exercise/policy_makers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_regression.h"
#include "kernels/cpu/lane_steps.h"
#include "models/base/order.h"

enum {
    SHOWN_CHUNKS = 64,      /* chunks of paths of a fit, */
    SHOWN_CHUNKS_LEAST = 8, /* at least */
    FIT_BYTES = 1 << 28,    /* that what they show may take */
    PATHS_A_TERM = 32       /* that a regression must have, or it is of the linear terms alone */
};

/* The regressions after the first: on which share of the paths, those closest to indifference by
 * the one before, and how many of them a term must have. Where a value bends, as under a skew, the
 * first is off at the level that decides; a quarter of few paths is worse than their half. */
static const struct {
    double share, paths_a_term;
} closer[] = {{0.5, PATHS_A_TERM}, {0.25, 2048}};
enum { CLOSER = sizeof closer / sizeof *closer };

/* What a closer regression may bring less than the one before, in errors of the difference: so much
 * is chance, and the closer one decides the better. */
#define BY_CHANCE 2.0

enum {
    BLOCK = 64,       /* paths whose terms are added at once, */
    SIDE_BY_SIDE = 8, /* so many in each sum */
    SORTED = 4096     /* of the distances from indifference: about so many tell a share's */
};

/* One program and what its paths show. */
struct program_fit {
    const struct fit_setup *setup;
    int group;
    const struct group_program *run;
    program_lanes_function *lanes;
    size_t paths;
    double *outputs; /* [output][path]; owned, and the other numbers are behind it */
    double *values;  /* [path] without a decision, then by the policies found so far */
    double *ends; /* [asset][path] S over its mean on the date when the last of that is decided; */
    double *now;  /* and on that of the decision in the fitting */
    bool ended[POLICY_FEATURES_MOST]; /* [asset] whether a later decision has shown it */
    /* The decision in the fitting, and the coefficients that are its policy */
    const struct program_decision *decision;
    const double *gain, *paid, *features; /* [path] of exercise; so far; [feature][path] */
    double *scales, *weights;             /* [feature] mean and 1 / deviation; [term] */
    size_t n;                             /* paths that decide: */
    size_t *deciding;                     /* [n] which, */
    double *waiting;                      /* what going on is worth to them, */
    double *distance;                     /* how far that is from what exercise is, */
    double *sorted;                       /* room for some of these, */
    bool *took;                           /* and who exercised by the policy before */
};

/* ---- what paths show ------------------------------------------------------------------------- */

/* Runs the program on one chunk of the fit's paths, before any policy is known. */
static enum status show_chunk(void *context, int chunk, struct message *why)
{
    enum status status = STATUS_OK;
    const struct program_fit *fit = context;
    const struct group *group = &fit->setup->plan.groups[fit->group];
    const struct program *program = fit->run->program;
    size_t n = (size_t)program->n_outputs;
    double *rows = malloc(sizeof(double) * CHUNK_PATHS * (size_t)group->n_rows);
    double *registers = malloc(sizeof(double) * PATH_LANES * (size_t)program->n_registers);
    double *outputs = malloc(sizeof(double) * PATH_LANES * n);
    struct chunk_range range = {(uint64_t)chunk, (uint64_t)chunk + 1, rows};
    if (!rows || !registers || !outputs) TRY(STATUS_NO_MEMORY);
    if (asked_to_stop(fit->setup->options.stop)) TRY(STATUS_INTERRUPTED);
    TRY(fit->setup->engine->observe(&fit->setup->plan, &fit->setup->options, fit->group, &range,
                                    why));
    for (int column = 0; column < CHUNK_PATHS; column += PATH_LANES) {
        size_t at = (size_t)chunk * CHUNK_PATHS + (size_t)column;
        fit->lanes(fit->run, rows + column, registers, fit->values + at, outputs);
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

/* ---- one decision ---------------------------------------------------------------------------- */

/* Begins to fit decision d: finds who decides. */
static void begin_decision(struct program_fit *fit, int d)
{
    const struct program_decision *decision = &fit->run->program->decisions[d];
    const double *alive = fit->outputs + (size_t)decision->first_output * fit->paths;
    fit->decision = decision;
    fit->gain = alive + fit->paths;
    fit->paid = alive + 2 * fit->paths;
    fit->features = alive + 3 * fit->paths;
    fit->scales = fit->run->coefficients + decision->first_coefficient;
    fit->weights = fit->scales + 2 * decision->n_features;
    fit->n = 0;
    for (size_t p = 0; p < fit->paths; p++)
        if (alive[p] != 0.0 && (!decision->only_gains || fit->gain[p] > 0.0))
            fit->deciding[fit->n++] = p;
}

/* Sets mean and scale of each feature over the paths that decide. */
static void set_scales(const struct program_fit *fit)
{
    double n = (double)fit->n;
    for (int f = 0; f < fit->decision->n_features; f++) {
        const double *feature = fit->features + (size_t)f * fit->paths;
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < fit->n; i++) sum += feature[fit->deciding[i]];
        double mean = fit->n ? sum / n : 0.0;
        for (size_t i = 0; i < fit->n; i++) {
            double off = feature[fit->deciding[i]] - mean;
            squares += off * off;
        }
        double deviation = fit->n ? sqrt(squares / n) : 0.0;
        bool flat = !(deviation > 1e-12 * (1.0 + fabs(mean)));
        fit->scales[2 * f] = mean;
        fit->scales[2 * f + 1] = flat ? 0.0 : 1.0 / deviation;
    }
}

/* Fills the terms of a path, in the order of the policy. */
static void terms_of(const struct program_fit *fit, size_t path, double *terms)
{
    double z[POLICY_FEATURES_MOST];
    for (int f = 0; f < fit->decision->n_features; f++)
        z[f] = (fit->features[(size_t)f * fit->paths + path] - fit->scales[2 * f]) *
               fit->scales[2 * f + 1];
    policy_fill_terms(fit->decision->n_features, z, terms);
}

/* Fills in the spots of the decision's date. Those of the last one that shows them are the first
 * ends. */
static void show_spots(struct program_fit *fit)
{
    const size_t n = fit->paths;
    for (int a = 0; a < POLICY_FEATURES_MOST; a++) {
        const int feature = fit->decision->spots[a];
        double *now = fit->now + (size_t)a * n, sum = 0.0;
        if (feature < 0) continue;
        for (size_t p = 0; p < n; p++)
            now[p] = exact_exp2(fit->features[(size_t)feature * n + p]), sum += now[p];
        for (size_t p = 0; p < n; p++) now[p] *= (double)n / sum;
        if (!fit->ended[a]) memcpy(fit->ends + (size_t)a * n, now, n * sizeof *now);
        fit->ended[a] = true;
    }
}

/* Fills in the controls of a path: what each asset gains from the decision to the path's end, and
 * that times its log2 S now, standardised. Where it is a share of the spot on which the mean does
 * not depend they are 0 in the mean whatever is known now, and the regression that has them as
 * terms finds the same policy with less noise (N. Rasmussen 2005: exercise_policy.h). Beside cash
 * dividends they are not 0 in the mean. Returns how many. */
static int controls_of(const struct program_fit *fit, size_t path, const double *terms,
                       double *controls)
{
    int n = 0;
    if (fit->setup->plan.groups[fit->group].n_dividends) return n;
    for (int a = 0; a < POLICY_FEATURES_MOST; a++) {
        const size_t at = (size_t)a * fit->paths + path;
        if (fit->decision->spots[a] < 0) continue;
        double gained = fit->ends[at] - fit->now[at];
        controls[n++] = gained;
        controls[n++] = gained * terms[1 + fit->decision->spots[a]];
    }
    return n;
}

/* Finds what going on is worth to the paths that decide, by the policy as it stands. */
static void find_waiting(const struct program_fit *fit)
{
    for (size_t i = 0; i < fit->n; i++) {
        double terms[POLICY_TERMS_MOST], sum = 0.0;
        terms_of(fit, fit->deciding[i], terms);
        for (int t = 0; t < fit->decision->n_terms; t++) sum += fit->weights[t] * terms[t];
        fit->waiting[i] = sum;
        fit->distance[i] = fabs(fit->gain[fit->deciding[i]] - sum);
    }
}

/* The terms of some paths, and what is still paid to them; 0 where there are fewer. */
struct term_block {
    int n;
    double terms[EQUATIONS_MOST][BLOCK], paid[BLOCK];
};

static double product_of(const double *a, const double *b)
{
    double parts[SIDE_BY_SIDE] = {0.0}, sum = 0.0;
    for (int l = 0; l < BLOCK; l += SIDE_BY_SIDE)
        for (int i = 0; i < SIDE_BY_SIDE; i++) parts[i] += a[l + i] * b[l + i];
    for (int i = 0; i < SIDE_BY_SIDE; i++) sum += parts[i];
    return sum;
}

static void add_block(struct term_block *block, struct normal_equations *e)
{
    for (int k = 0; k < e->n; k++) {
        e->right[k] += product_of(block->terms[k], block->paid);
        for (int j = 0; j <= k; j++) e->gram[k][j] += product_of(block->terms[k], block->terms[j]);
    }
    *block = (struct term_block){0};
}

/* Regresses what is still paid on the first n terms, over the paths that decide and are no further
 * from indifference than `within`. */
static void regress_decision(const struct program_fit *fit, int n, double within)
{
    struct normal_equations e = {.n = n};
    struct term_block block = {0};
    double terms[EQUATIONS_MOST], found[EQUATIONS_MOST];
    for (size_t i = 0; i < fit->n; i++) {
        size_t path = fit->deciding[i];
        if (isfinite(within) && fit->distance[i] > within) continue;
        terms_of(fit, path, terms);
        e.n = n + controls_of(fit, path, terms, terms + n);
        for (int k = 0; k < e.n; k++) block.terms[k][block.n] = terms[k];
        block.paid[block.n++] = fit->values[path] - fit->paid[path];
        if (block.n == BLOCK) add_block(&block, &e);
    }
    add_block(&block, &e);
    (void)equations_solve(&e, 1e-10, found); /* a term that others determine has the weight 0 */
    for (int t = 0; t < fit->decision->n_terms; t++) fit->weights[t] = t < n ? found[t] : 0.0;
    find_waiting(fit);
}

/* Tells whether the one of the paths that decide with number i exercises by the policy as it
 * stands. */
static bool takes(const struct program_fit *fit, size_t i)
{
    double gain = fit->gain[fit->deciding[i]], waiting = fit->waiting[i];
    return fit->decision->issuer ? gain < waiting : gain > waiting;
}

/* Tells whether the policy as it stands brings less than what the paths took before, by more than
 * chance. */
static bool brings_less(const struct program_fit *fit)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < fit->n; i++) {
        size_t path = fit->deciding[i];
        bool take = takes(fit, i);
        if (take == fit->took[i]) continue;
        double more = fit->gain[path] - (fit->values[path] - fit->paid[path]);
        if (take == fit->decision->issuer) more = -more;
        sum += more, squares += more * more;
    }
    return sum < -BY_CHANCE * sqrt(squares);
}

/* Returns how far a share of the paths that decide is from indifference at most, by some of them.
 */
static double distance_of(const struct program_fit *fit, double share)
{
    size_t n = 0, apart = fit->n / SORTED + 1;
    for (size_t i = 0; i < fit->n; i += apart) fit->sorted[n++] = fit->distance[i];
    sort_doubles(n, fit->sorted);
    return fit->sorted[(size_t)(share * (double)(n - 1))];
}

/* Fits the policy of decision d, and lets the paths follow it. One that too few paths reach is
 * never made. */
static void fit_decision(struct program_fit *fit, int d)
{
    double before[POLICY_TERMS_MOST];
    begin_decision(fit, d);
    int terms = fit->decision->n_terms;
    size_t bytes = sizeof *before * (size_t)terms;
    set_scales(fit);
    show_spots(fit);
    if (fit->n < (size_t)terms * PATHS_A_TERM) terms = 1 + fit->decision->n_features;
    if (fit->n < (size_t)terms * PATHS_A_TERM) return;
    regress_decision(fit, terms, HUGE_VAL);
    for (int c = 0; c < CLOSER; c++) {
        if (closer[c].share * (double)fit->n < terms * closer[c].paths_a_term) break;
        for (size_t i = 0; i < fit->n; i++) fit->took[i] = takes(fit, i);
        memcpy(before, fit->weights, bytes);
        regress_decision(fit, terms, distance_of(fit, closer[c].share));
        if (!brings_less(fit)) continue; /* far from indifference it may turn */
        memcpy(fit->weights, before, bytes);
        find_waiting(fit);
    }
    for (size_t i = 0; i < fit->n; i++) {
        size_t path = fit->deciding[i];
        if (!takes(fit, i)) continue;
        fit->values[path] = fit->paid[path] + fit->gain[path];
        for (int a = 0; a < POLICY_FEATURES_MOST; a++) {
            const size_t at = (size_t)a * fit->paths + path;
            if (fit->decision->spots[a] >= 0) fit->ends[at] = fit->now[at];
        }
    }
}

/* ---- all of a plan --------------------------------------------------------------------------- */

/* Fits the decisions of one program, the last first. */
static enum status fit_program(struct program_fit *fit, struct message *why)
{
    enum status status = STATUS_OK;
    const struct program *program = fit->run->program;
    size_t each = sizeof(double) * CHUNK_PATHS * ((size_t)program->n_outputs + 1);
    size_t chunks = FIT_BYTES / each;
    if (chunks > SHOWN_CHUNKS) chunks = SHOWN_CHUNKS;
    if (chunks < SHOWN_CHUNKS_LEAST) chunks = SHOWN_CHUNKS_LEAST;
    fit->paths = chunks * CHUNK_PATHS;
    const size_t rows = (size_t)program->n_outputs + 4 + 2 * POLICY_FEATURES_MOST;
    fit->outputs = malloc(sizeof(double) * fit->paths * rows);
    fit->deciding = malloc(sizeof(size_t) * fit->paths);
    fit->took = malloc(sizeof(bool) * fit->paths);
    if (!fit->outputs || !fit->deciding || !fit->took) TRY(STATUS_NO_MEMORY);
    fit->values = fit->outputs + fit->paths * (size_t)program->n_outputs;
    fit->waiting = fit->values + fit->paths, fit->distance = fit->waiting + fit->paths;
    fit->sorted = fit->distance + fit->paths, fit->ends = fit->sorted + fit->paths;
    fit->now = fit->ends + fit->paths * POLICY_FEATURES_MOST;
    TRY(team_try(fit->setup->options.team, (int)chunks, (int)chunks, show_chunk, fit, why));
    for (int d = program->n_decisions - 1; d >= 0; d--) fit_decision(fit, d);
done:
    free(fit->outputs);
    free(fit->deciding);
    free(fit->took);
    return status;
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
            struct program_fit fit = {
                .setup = &own, .group = g, .run = &group->programs[p], .lanes = program_lanes()};
            const struct program *program = fit.run->program;
            bool borrows = group->borrows_policies && group != first;
            if (!program->n_decisions) continue;
            if (!borrows) MUST(fit_program(&fit, why));
            for (int i = 0; borrows && i < program->n_coefficients; i++)
                if (program->coefficients[i].kind >= COEFFICIENT_POLICY_DISCOUNT)
                    fit.run->coefficients[i] = first->programs[p].coefficients[i];
        }
    }
    return STATUS_OK;
}
