#include "app/pricing/value/controls/controls.h"

#include <math.h>

static double product_of(const struct control_sample *sample, int a, int b)
{
    return a < b ? sample->products[a][b] : sample->products[b][a];
}

/* Adds differences from the means before, of which there are now n - 1 older ones. */
static void add_cubes(struct control_sample *sample, int n_controls, const double *before)
{
    double n = sample->n, share = (n - 1.0) * (n - 2.0) / (n * n);
    for (int i = 0; i <= n_controls; i++)
        for (int j = 0; j <= n_controls; j++)
            for (int k = 0; k <= n_controls; k++) {
                double pairs = before[i] * product_of(sample, j, k) +
                               before[j] * product_of(sample, i, k) +
                               before[k] * product_of(sample, i, j);
                double *cube = &sample->cubes[i][j][k];
                *cube = *cube + before[i] * before[j] * before[k] * share - pairs / n;
            }
}

void control_sample_add(struct control_sample *sample, int n_controls, const double *values)
{
    double before[1 + CONTROLS_MAX];
    sample->n = sample->n + 1.0;
    for (int i = 0; i <= n_controls; i++) before[i] = values[i] - sample->mean[i];
    add_cubes(sample, n_controls, before);
    for (int i = 0; i <= n_controls; i++) sample->mean[i] = sample->mean[i] + before[i] / sample->n;
    for (int i = 0; i <= n_controls; i++)
        for (int j = i; j <= n_controls; j++)
            sample->products[i][j] =
                fma(before[i], values[j] - sample->mean[j], sample->products[i][j]);
}

/* ---- the price by given controls ------------------------------------------------------------- */

/* A control that the ones before it determine but for this share of its spread is none; neither is
 * one that is constant but for rounding. */
#define INDEPENDENT 1e-10
#define CONSTANT 1e-20 /* of the square of its mean */

/* The equations of the controls `used`: their matrix, and two right sides: what the trade shares
 * with each, and how far their means are from the known ones. */
struct equations {
    int n;
    double matrix[CONTROLS_MAX][CONTROLS_MAX], shared[CONTROLS_MAX], off[CONTROLS_MAX];
};

static struct equations equations_of(const struct control_sample *sample, int n, const int *used,
                                     const struct known_mean *known)
{
    struct equations e = {.n = n};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) e.matrix[i][j] = product_of(sample, used[i], used[j]);
        e.shared[i] = product_of(sample, 0, used[i]);
        e.off[i] = sample->mean[used[i]] - known[used[i] - 1].mean;
    }
    return e;
}

/* Eliminates downwards by Gauss, without exchanges: the matrix is symmetric and has no negative
 * direction. After it row i of either right side, squared and over the pivot, is what control i
 * adds to its form. False where a control depends on those before it. */
static bool eliminate(struct equations *e)
{
    for (int k = 0; k < e->n; k++) {
        double pivot = e->matrix[k][k];
        for (int i = k + 1; i < e->n; i++) {
            double factor = e->matrix[i][k] / pivot, diagonal = e->matrix[i][i];
            for (int j = k + 1; j < e->n; j++)
                e->matrix[i][j] = fma(-factor, e->matrix[k][j], e->matrix[i][j]);
            e->shared[i] = fma(-factor, e->shared[k], e->shared[i]);
            e->off[i] = fma(-factor, e->off[k], e->off[i]);
            if (!(e->matrix[i][i] > INDEPENDENT * diagonal)) return false;
        }
        if (!(pivot > 0.0)) return false;
    }
    return true;
}

/* Finds beta, upwards from the eliminated equations. */
static void solve(const struct equations *e, double *beta)
{
    for (int i = e->n - 1; i >= 0; i--) {
        double left = e->shared[i];
        for (int j = i + 1; j < e->n; j++) left = fma(-e->matrix[i][j], beta[j], left);
        beta[i] = left / e->matrix[i][i];
    }
}

/* Finds the mean and the squared standard error; false where the controls cannot be told apart.
 * What is known of their means only so well is counted in. */
static bool price_by(const struct control_sample *sample, int n, const int *used,
                     const struct known_mean *known, double *beta, double *mean, double *variance)
{
    struct equations e = equations_of(sample, n, used, known);
    double left = sample->products[0][0], share = 1.0 / sample->n, rounding = 0.0;
    if (!eliminate(&e)) return false;
    solve(&e, beta);
    *mean = sample->mean[0];
    for (int i = 0; i < n; i++) {
        const struct known_mean *used_mean = &known[used[i] - 1];
        left = left - e.shared[i] * e.shared[i] / e.matrix[i][i];
        share = share + e.off[i] * e.off[i] / e.matrix[i][i];
        *mean = *mean - beta[i] * (sample->mean[used[i]] - used_mean->mean);
        rounding = rounding + beta[i] * used_mean->error * (beta[i] * used_mean->error);
    }
    left = left > 0.0 ? left : 0.0;
    *variance = left / (sample->n - 1.0 - (double)n) * share + rounding;
    return true;
}

/* ---- which controls -------------------------------------------------------------------------- */

static double plain_variance(const struct control_sample *sample)
{
    return sample->products[0][0] / ((sample->n - 1.0) * sample->n);
}

static bool is_used(const struct controlled *controlled, int index)
{
    for (int i = 0; i < controlled->n; i++)
        if (controlled->used[i] == index) return true;
    return false;
}

/* Finds the control that, with those that are used, leaves the least variance, if less than
 * `*variance` by enough; 0: none. */
static int best_control(const struct control_sample *sample, int n_controls,
                        const struct known_mean *known, struct controlled *controlled, double *mean,
                        double *variance)
{
    double limit = CONTROLS_WORTH * *variance;
    int best = 0, used[CONTROLS_MAX];
    double least = CONTROLS_ITSELF * plain_variance(sample);
    for (int index = 1; index <= n_controls; index++) {
        double its_mean, its_variance, beta[CONTROLS_MAX];
        double seen = sample->mean[index];
        bool constant = sample->products[index][index] <= CONSTANT * (seen * seen) * sample->n;
        if (constant || is_used(controlled, index)) continue;
        for (int i = 0; i < controlled->n; i++) used[i] = controlled->used[i];
        used[controlled->n] = index;
        int n = controlled->n + 1;
        if (!price_by(sample, n, used, known, beta, &its_mean, &its_variance)) continue;
        if (!(its_variance < limit && its_variance > least)) continue;
        best = index;
        for (int i = 0; i < n; i++) controlled->beta[i] = beta[i];
        *mean = its_mean;
        *variance = limit = its_variance;
    }
    return best;
}

struct controlled control_sample_price(const struct control_sample *sample, int n_controls,
                                       const struct known_mean *known)
{
    struct controlled found = {0};
    double mean = 0.0, variance = plain_variance(sample);
    if (sample->n < CONTROLS_CHUNKS) return found;
    while (found.n < n_controls) {
        int best = best_control(sample, n_controls, known, &found, &mean, &variance);
        if (!best) break;
        found.used[found.n++] = best;
    }
    double values = sample->n - (double)found.n;
    found.price = (struct tally){values, mean, variance * (values * (values - 1.0))};
    return found;
}

/* ---- how many paths decide ------------------------------------------------------------------- */

double control_sample_deciding(const struct control_sample *sample,
                               const struct controlled *controlled, int n)
{
    static const struct known_mean means[CONTROLS_MAX];
    struct equations e = equations_of(sample, n, controlled->used, means);
    double beta[CONTROLS_MAX], part[1 + CONTROLS_MAX] = {1.0}, squares = 0.0, cubes = 0.0;
    int index[1 + CONTROLS_MAX] = {0};
    if (!eliminate(&e)) return 0.0;
    solve(&e, beta);
    for (int i = 0; i < n; i++) index[1 + i] = controlled->used[i], part[1 + i] = -beta[i];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            squares += part[i] * part[j] * product_of(sample, index[i], index[j]);
            for (int k = 0; k <= n; k++)
                cubes += part[i] * part[j] * part[k] * sample->cubes[index[i]][index[j]][index[k]];
        }
    return squares * squares * squares / (cubes * cubes);
}
