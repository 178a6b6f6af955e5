#include "kernels/exercise.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cpu/scratch.h"
#include "kernels/cpu/watch.h"

/* ---- least squares ----------------------------------------------------------------------------------- */

enum { LANES = 8 }; /* sums are taken in this many lanes, path i in lane i % LANES, then lane by lane */

/* Normal equations: gram[i][j], j <= i, and right[i], of the terms as they are. */
struct normal_equations {
    double gram[EXERCISE_TERMS][EXERCISE_TERMS], right[EXERCISE_TERMS];
};

/* Sums over up to LANES paths a time: terms[i][lane]. */
static void add_products(int n_terms, double terms[EXERCISE_TERMS][LANES], const double *values,
                         double gram[EXERCISE_TERMS][EXERCISE_TERMS][LANES],
                         double right[EXERCISE_TERMS][LANES])
{
    for (int i = 0; i < n_terms; i++) {
        for (int j = 0; j <= i; j++)
            for (int l = 0; l < LANES; l++) gram[i][j][l] = fma(terms[i][l], terms[j][l], gram[i][j][l]);
        for (int l = 0; l < LANES; l++) right[i][l] = fma(terms[i][l], values[l], right[i][l]);
    }
}

static void take_sums(size_t n, const float *f, const float *g, const double *values, int n_terms,
                      struct normal_equations *sums)
{
    double gram[EXERCISE_TERMS][EXERCISE_TERMS][LANES] = {{{0}}}, right[EXERCISE_TERMS][LANES] = {{0}};
    for (size_t first = 0; first < n; first += LANES) {
        double terms[EXERCISE_TERMS][LANES] = {{0}}, of_path[EXERCISE_TERMS], value[LANES] = {0};
        for (size_t l = 0; l < LANES && first + l < n; l++) {
            exercise_terms((double)f[first + l], (double)g[first + l], of_path);
            for (int i = 0; i < n_terms; i++) terms[i][l] = of_path[i];
            value[l] = values[first + l];
        }
        add_products(n_terms, terms, value, gram, right);
    }
    for (int i = 0; i < n_terms; i++) {
        sums->right[i] = 0.0;
        for (int l = 0; l < LANES; l++) sums->right[i] += right[i][l];
        for (int j = 0; j <= i; j++) {
            sums->gram[i][j] = 0.0;
            for (int l = 0; l < LANES; l++) sums->gram[i][j] += gram[i][j][l];
        }
    }
}

/* Solves the equations with each term scaled to unit length; false where a pivot is next to nothing. */
static bool solve(int n, struct normal_equations *e, double *x)
{
    double scale[EXERCISE_TERMS];
    for (int i = 0; i < n; i++) {
        if (!(e->gram[i][i] > 0.0)) return false;
        scale[i] = 1.0 / sqrt(e->gram[i][i]);
    }
    for (int i = 0; i < n; i++) {
        x[i] = e->right[i] * scale[i];
        for (int j = 0; j <= i; j++) e->gram[i][j] *= scale[i] * scale[j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = e->gram[i][j];
            for (int k = 0; k < j; k++) sum = fma(-e->gram[i][k], e->gram[j][k], sum);
            if (i == j && !(sum > 1e-13)) return false;
            e->gram[i][j] = i == j ? sqrt(sum) : sum / e->gram[j][j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] = fma(-e->gram[i][k], x[k], x[i]);
        x[i] /= e->gram[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] = fma(-e->gram[k][i], x[k], x[i]);
        x[i] /= e->gram[i][i];
    }
    for (int i = 0; i < n; i++) x[i] *= scale[i];
    return true;
}

bool exercise_regress(size_t n, const float *f, const float *g, const double *values, int n_terms, float *p)
{
    struct normal_equations equations;
    double x[EXERCISE_TERMS] = {0};
    take_sums(n, f, g, values, n_terms, &equations);
    if (!solve(n_terms, &equations, x)) return false;
    for (int i = 0; i < EXERCISE_TERMS; i++) p[i] = i < n_terms ? (float)x[i] : 0.0f;
    return true;
}

/* ---- the policy of one exercise ---------------------------------------------------------------------- */

/* One exercise of the plan: a slot of a group, with the first touch of each of its dates. */
struct exercise {
    int group, slot, n_dates;
    const struct touch **dates; /* [date] */
};

/* What a fit works with. */
struct fit {
    float *f, *g;               /* [date][path] features */
    double *value;              /* [path] of the policy so far, discounted to today */
    float *chosen_f, *chosen_g; /* [path] of those that would gain */
    double *chosen_value;
};

static double gain_of(const struct touch *t, float f)
{
    return t->c[0] * (double)f;
}

/* Numbers of terms to try, from many to few. */
static const int most_terms[] = {EXERCISE_TERMS, 4, 2, 1};

static void fit_date(const struct touch *t, const float *f, const float *g, bool two, struct fit *fit,
                     float *p)
{
    size_t n = 0;
    for (size_t i = 0; i < FIT_PATHS; i++) {
        if (gain_of(t, f[i]) <= 0.0) continue;
        fit->chosen_f[n] = f[i];
        fit->chosen_g[n] = g[i];
        fit->chosen_value[n++] = fit->value[i] / t->c[2];
    }
    bool fitted = false;
    for (int k = two ? 0 : 1; k < 4 && !fitted; k++)
        if (n >= FIT_LEAST * (size_t)most_terms[k])
            fitted = exercise_regress(n, fit->chosen_f, fit->chosen_g, fit->chosen_value, most_terms[k], p);
    if (!fitted) return; /* the table says that nobody exercises */
    for (size_t i = 0; i < FIT_PATHS; i++) {
        double gain = gain_of(t, f[i]);
        if (gain > 0.0 && gain >= exercise_continuation(p, (double)f[i], (double)g[i]))
            fit->value[i] = t->c[2] * gain;
    }
}

static bool has_second(const struct touch *t)
{
    return t->on == TOUCH_EXERCISE_VARIANCE || t->c[3] == (double)EXERCISE_TWO_LOGS;
}

/* Backwards from the last date, on which everything that gains is exercised. */
static void fit_dates(const struct exercise *exercise, struct group *group, struct fit *fit)
{
    int last = exercise->n_dates - 1;
    const struct touch *end = exercise->dates[last];
    for (size_t i = 0; i < FIT_PATHS; i++) {
        double gain = gain_of(end, fit->f[(size_t)last * FIT_PATHS + i]);
        fit->value[i] = gain > 0.0 ? end->c[2] * gain : 0.0;
    }
    for (int d = last - 1; d >= 0; d--) {
        const struct touch *t = exercise->dates[d];
        size_t at = (size_t)d * FIT_PATHS;
        fit_date(t, fit->f + at, fit->g + at, has_second(t), fit, group->lookup.table + (int)t->c[5]);
    }
}

static enum status fit_exercise(struct plan *plan, const struct exercise *exercise)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)exercise->n_dates * FIT_PATHS;
    struct fit fit = {malloc(n * sizeof(float)),          malloc(n * sizeof(float)),
                      malloc(FIT_PATHS * sizeof(double)), malloc(FIT_PATHS * sizeof(float)),
                      malloc(FIT_PATHS * sizeof(float)),  malloc(FIT_PATHS * sizeof(double))};
    if (!fit.f || !fit.g || !fit.value || !fit.chosen_f || !fit.chosen_g || !fit.chosen_value)
        TRY(STATUS_NO_MEMORY);
    struct watched_exercise watched = {.slot = exercise->slot, .paths = FIT_PATHS, .f = fit.f, .g = fit.g};
    TRY(watch_exercise(plan, exercise->group, FIT_PATHS / CHUNK_PATHS, &watched));
    fit_dates(exercise, &plan->groups[exercise->group], &fit);
done:
    free(fit.f);
    free(fit.g);
    free(fit.value);
    free(fit.chosen_f);
    free(fit.chosen_g);
    free(fit.chosen_value);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------- */

struct fits {
    struct plan plan; /* with the fit's own Philox key */
    int n, room;
    struct exercise *exercises;
    atomic_int next, status;
};

static enum status find_in_group(struct fits *fits, int g)
{
    const struct group *group = &fits->plan.groups[g];
    int before = fits->n;
    for (int i = 0; i < group->n_touches; i++) {
        const struct touch *t = &group->touches[i];
        int at = before;
        if (!touch_is_exercise(t->on)) continue;
        while (at < fits->n && fits->exercises[at].slot != t->slot) at++;
        if (at == fits->n) {
            struct exercise *more = realloc(fits->exercises, sizeof *more * (size_t)(at + 1));
            if (!more) return STATUS_NO_MEMORY;
            fits->exercises = more;
            more[fits->n++] = (struct exercise){g, t->slot, 0, calloc((size_t)group->n_touches, sizeof t)};
            if (!more[at].dates) return STATUS_NO_MEMORY;
        }
        fits->exercises[at].dates[fits->exercises[at].n_dates++] = t;
    }
    return STATUS_OK;
}

static void *fit_some(void *argument)
{
    struct fits *fits = argument;
    while (!atomic_load(&fits->status)) {
        int i = atomic_fetch_add(&fits->next, 1);
        if (i >= fits->n) break;
        enum status status = fit_exercise(&fits->plan, &fits->exercises[i]);
        if (status) atomic_store(&fits->status, (int)status);
    }
    return NULL;
}

enum status exercise_fit(struct plan *plan, int threads, struct message *why)
{
    enum status status = STATUS_OK;
    struct fits fits = {.plan = *plan};
    fits.plan.seed = plan->seed ^ 0x9e3779b97f4a7c15u; /* any other key does */
    for (int g = 0; g < plan->n_groups; g++) TRY(find_in_group(&fits, g));
    threads = thread_count(threads);
    run_on_threads(threads < fits.n ? threads : fits.n, fit_some, &fits);
    TRY((enum status)atomic_load(&fits.status));
done:
    if (status == STATUS_NO_MEMORY)
        snprintf(why->text, sizeof why->text, "not enough memory to fit the policies of early exercise");
    for (int i = 0; i < fits.n; i++) free(fits.exercises[i].dates);
    free(fits.exercises);
    return status;
}
