#include "validation/reference/exercise_field.h"

#include <math.h>
#include <string.h>

static const double THETA = 1.0 / 3.0; /* of the modified scheme of Craig and Sneyd */
static const double PENALTY = 1e9;     /* against 1 on the diagonal */
enum { ITERATIONS = 40 };

/* ---- the operators: of the spot, of the variance, and what is explicit ----------------------- */

static void spot_row(const struct field *f, const struct field_interval *s, int j, int i,
                     double *down, double *up)
{
    double v = f->variance[j * f->nx + i], drift = s->growth - 0.5 * v;
    if (s->fx != 0.0) drift -= s->fx * sqrt(v);
    double spread = 0.5 * v * f->per_dx * f->per_dx, move = 0.5 * drift * f->per_dx;
    *down = spread - move;
    *up = spread + move;
}

static void variance_row(const struct field *f, const struct field_interval *s, int j, double *down,
                         double *up)
{
    const struct heston *h = f->heston;
    double v = f->v[j], drift = h->kappa * (h->theta - v) - h->rho * h->xi * s->fx * sqrt(v);
    double below = j ? v - f->v[j - 1] : 0.0, above = j < f->nv - 1 ? f->v[j + 1] - v : 0.0;
    *down = *up = 0.0;
    if (j == 0) *up = fmax(drift, 0.0) / above;
    else if (j == f->nv - 1) *down = fmax(-drift, 0.0) / below;
    else {
        double noise = h->xi * h->xi * v;
        *down = (noise - drift * above) / (below * (below + above));
        *up = (noise + drift * below) / (above * (below + above));
    }
}

/* Ends are linear in the price. */
static void set_ends(const struct field *f, double *v)
{
    double shrink = exp(-f->dx), grow = exp(f->dx);
    int n = f->nx;
    v[0] = (1.0 + shrink) * v[1] - shrink * v[2];
    v[n - 1] = (1.0 + grow) * v[n - 2] - grow * v[n - 3];
}

static void apply_spot(const struct field *f, const struct field_interval *s, const double *u,
                       double *out)
{
    for (int j = 0; j < f->nv; j++)
        for (int i = 1; i < f->nx - 1; i++) {
            const double *at = &u[j * f->nx + i];
            double down, up;
            spot_row(f, s, j, i, &down, &up);
            out[j * f->nx + i] = down * at[-1] - (down + up + s->rate) * at[0] + up * at[1];
        }
}

static void apply_variance(const struct field *f, const struct field_interval *s, const double *u,
                           double *out)
{
    memset(out, 0, sizeof *out * (size_t)(f->nx * f->nv));
    for (int j = 0; f->nv > 1 && j < f->nv; j++) {
        double down, up;
        variance_row(f, s, j, &down, &up);
        for (int i = 0; i < f->nx; i++) {
            const double *at = &u[j * f->nx + i];
            if (j) out[j * f->nx + i] += down * (at[-f->nx] - at[0]);
            if (j < f->nv - 1) out[j * f->nx + i] += up * (at[f->nx] - at[0]);
        }
    }
}

/* Adds what jumps do to a line of one variance. */
static void add_jumps(const struct field *f, const double *u, double *out)
{
    int n = f->nx, reach = f->reach;
    double *padded = f->padded + reach;
    for (int i = -reach; i < n + reach; i++) {
        int end = i < 0 ? 0 : n - 2;
        double slope = (u[end + 1] - u[end]) / (f->price[end + 1] - f->price[end]);
        padded[i] =
            i >= 0 && i < n ? u[i] : u[end] + slope * (exp(f->low + i * f->dx) - f->price[end]);
    }
    for (int i = 1; i < n - 1; i++) {
        double sum = -u[i];
        for (int k = -reach; k <= reach; k++) sum += f->weight[k + reach] * padded[i + k];
        out[i] += f->jumps->intensity * sum;
    }
}

static void apply_explicit(const struct field *f, const double *u, double *out)
{
    int n = f->nx;
    memset(out, 0, sizeof *out * (size_t)(n * f->nv));
    for (int j = 1; f->heston && j < f->nv - 1; j++) {
        double below = f->v[j] - f->v[j - 1], above = f->v[j + 1] - f->v[j];
        double mixed = f->heston->rho * f->heston->xi * f->v[j] / (2.0 * f->dx),
               a = -above / (below * (below + above)), c = below / (above * (below + above)),
               b = -a - c;
        for (int i = 1; i < n - 1; i++) {
            const double *at = &u[j * n + i];
            out[j * n + i] = mixed * (a * (at[1 - n] - at[-1 - n]) + b * (at[1] - at[-1]) +
                                      c * (at[1 + n] - at[n - 1]));
        }
    }
    for (int j = 0; f->jumps && j < f->nv; j++) add_jumps(f, &u[j * n], &out[j * n]);
}

/* ---- solutions ------------------------------------------------------------------------------- */

/* Rows: below[i] x[i-1] + diagonal[i] x[i] + above[i] x[i+1] = right[i]. Each array holds n
 * numbers; below[0] and above[n-1] are not read. */
struct tridiagonal {
    double *below, *diagonal, *above, *right;
};

/* Solves n rows without exchanging any (Thomas), which dominance of the diagonal allows. The answer
 * stands in `right`, the reciprocals of the pivots in `diagonal`. Where coefficients do not change
 * from row to row the pivots soon come out the same too: those rows need no division, which takes
 * longer than all else. */
static void tridiagonal_solve(struct tridiagonal rows, int n)
{
    double *x = rows.right, *pivot = rows.diagonal, last = 0.0, inverse = 0.0;
    double diagonal = NAN, product = NAN; /* of the row before */
    bool still = false;                   /* its pivot was that of the row before it */
    for (int i = 0; i < n; i++) {
        double with = i ? rows.below[i] * rows.above[i - 1] : 0.0, before = inverse;
        if (!still || rows.diagonal[i] != diagonal || with != product)
            inverse = 1.0 / (rows.diagonal[i] - with * before);
        still = inverse == before;
        diagonal = rows.diagonal[i];
        product = with;
        pivot[i] = inverse;
        x[i] = last = x[i] * inverse - (i ? rows.below[i] * inverse : 0.0) * last;
    }
    for (int i = n - 2; i >= 0; i--) x[i] = last = x[i] - rows.above[i] * pivot[i] * last;
}

/* Solves (1 - dt A_spot) y = y; `pushed`: with a penalty where the value is below the gain. */
static void solve_spot(const struct field *f, const struct field_interval *s, double dt,
                       bool pushed, double *y)
{
    double *diagonal = f->line[0] - 1, *above = f->line[1] - 1, *below = f->line[2] - 1;
    double shrink = exp(-f->dx), grow = exp(f->dx), down, up;
    int inner = f->nx - 2;
    for (int j = 0; j < f->nv; j++) {
        double *at = &y[j * f->nx];
        for (int i = 1; i <= inner; i++) {
            spot_row(f, s, j, i, &down, &up);
            diagonal[i] = 1.0 + dt * (down + up + s->rate);
            above[i] = -dt * up;
            below[i] = -dt * down;
            if (!pushed || f->value[j * f->nx + i] >= f->gain[i]) continue;
            diagonal[i] += PENALTY;
            at[i] += PENALTY * f->gain[i];
        }
        diagonal[1] += below[1] * (1.0 + shrink);
        above[1] -= below[1] * shrink;
        diagonal[inner] += above[inner] * (1.0 + grow);
        below[inner] -= above[inner] * grow;
        tridiagonal_solve((struct tridiagonal){f->line[2], f->line[0], f->line[1], at + 1}, inner);
        set_ends(f, at);
    }
}

/* Solves (1 - dt A_variance) y = y. */
static void solve_variance(const struct field *f, const struct field_interval *s, double dt,
                           double *y)
{
    for (int i = 0; f->nv > 1 && i < f->nx; i++) {
        for (int j = 0; j < f->nv; j++) {
            double down, up;
            variance_row(f, s, j, &down, &up);
            f->line[0][j] = 1.0 + dt * (down + up);
            f->line[1][j] = -dt * up;
            f->line[2][j] = -dt * down;
            f->line[3][j] = y[j * f->nx + i];
        }
        tridiagonal_solve((struct tridiagonal){f->line[2], f->line[0], f->line[1], f->line[3]},
                          f->nv);
        for (int j = 0; j < f->nv; j++) y[j * f->nx + i] = f->line[3][j];
    }
}

/* Takes one step by Craig and Sneyd's modified scheme, or where it is damped by Douglas' implicit
 * one. */
static enum status craig_sneyd(struct field *f, const struct field_interval *s, double dt,
                               bool damped)
{
    double *u = f->value, *first = f->buffer[0], *second = f->buffer[1], *other = f->buffer[2],
           *y = f->buffer[3], *begin = f->buffer[4],
           *again[3] = {f->buffer[5], f->buffer[6], f->buffer[7]};
    double share = damped ? dt : THETA * dt;
    size_t n = (size_t)(f->nx * f->nv);
    double jumps = f->jumps ? (2.0 * f->reach + 1.0) / 8.0 : 0.0;
    MUST(effort_spend(f->option->assets.effort,
                      (damped ? 1.0 : 2.0) * f->nx * f->nv * (6.0 + jumps)));
    for (int j = 0; j < f->nv; j++) set_ends(f, &u[j * f->nx]);
    apply_spot(f, s, u, first);
    apply_variance(f, s, u, second);
    apply_explicit(f, u, other);
    for (size_t i = 0; i < n; i++) {
        begin[i] = u[i] + dt * (first[i] + second[i] + other[i] + f->push[i]);
        y[i] = begin[i] - share * first[i];
    }
    for (int corrected = 0;; corrected = 1) {
        solve_spot(f, s, share, false, y);
        for (size_t i = 0; i < n; i++) y[i] -= share * second[i];
        solve_variance(f, s, share, y);
        for (int j = 0; j < f->nv; j++) set_ends(f, &y[j * f->nx]);
        if (damped || corrected) break;
        apply_spot(f, s, y, again[0]);
        apply_variance(f, s, y, again[1]);
        apply_explicit(f, y, again[2]);
        for (size_t i = 0; i < n; i++) {
            double all = again[0][i] + again[1][i] + again[2][i] - first[i] - second[i] - other[i];
            y[i] = begin[i] + share * (again[2][i] - other[i]) + (0.5 * dt - share) * all -
                   share * first[i];
        }
    }
    memcpy(u, y, n * sizeof *u);
    return STATUS_OK;
}

/* Lets the option be exercised after such a step: raises the value to the gain. */
static void push(struct field *f, double dt)
{
    for (int j = 0; j < f->nv; j++)
        for (int i = 0; i < f->nx; i++) {
            double *value = &f->value[j * f->nx + i], *push = &f->push[j * f->nx + i],
                   free = *value - dt * *push;
            *push = fmax(0.0, (f->gain[i] - free) / dt);
            *value = fmax(free, f->gain[i]);
        }
}

/* Takes one step of one line by Crank and Nicolson, or damped, implicit; exercise at every moment
 * by a penalty on values below the gain. */
static enum status crank_nicolson(struct field *f, const struct field_interval *s, double dt,
                                  bool damped)
{
    double *u = f->value, *begin = f->buffer[0], *y = f->buffer[1], share = damped ? dt : 0.5 * dt;
    size_t bytes = (size_t)f->nx * sizeof *u;
    bool exercise = f->option->trade->exercise.continuous, changed = true;
    set_ends(f, u);
    apply_spot(f, s, u, begin);
    for (int i = 0; i < f->nx; i++) begin[i] = u[i] + (dt - share) * begin[i];
    for (int iteration = 0; changed && iteration < ITERATIONS; iteration++) {
        MUST(effort_spend(f->option->assets.effort, 3.0 * f->nx));
        memcpy(y, begin, bytes);
        solve_spot(f, s, share, exercise, y);
        changed = false;
        for (int i = 1; exercise && i < f->nx - 1; i++)
            changed = changed || (u[i] < f->gain[i]) != (y[i] < f->gain[i]);
        memcpy(u, y, bytes);
    }
    return STATUS_OK;
}

enum status field_step(struct field *f, const struct field_interval *s, double dt, bool damped)
{
    if (f->plain) return crank_nicolson(f, s, dt, damped);
    MUST(craig_sneyd(f, s, dt, damped));
    if (f->option->trade->exercise.continuous) push(f, dt);
    return STATUS_OK;
}
