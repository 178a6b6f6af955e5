/* S. Heston, A closed-form solution for options with stochastic volatility, Review of Financial
 * Studies 6, 1993:
 *
 *     d ln S = (r - q - v/2) dt + sqrt(v) dW,
 *     dv = kappa (theta - v) dt + xi sqrt(v) dWv,   d<W, Wv> = rho dt.
 *
 * Normals of a step: z[0] = w is the spot's own noise, the one that correlations between
 * underlyings speak of; z[1] = u is independent of everything. With rest = sqrt(1 - rho^2) the
 * variance moves by zv = rho w + rest u and the spot by zv and zs = rest w - rho u, which is
 * orthogonal to zv; rho zv + rest zs = w. So any correlation matrix of the spots can be had, and
 * the variances of two underlyings have the correlation rho1 rho2 corr(w1, w2).
 *
 * Quadratic-exponential scheme with martingale correction: L. Andersen, Simple and efficient
 * simulation of the Heston stochastic volatility model, Journal of Computational Finance 11(3),
 * 2008, with psi_c = 3/2. m and s2 are the exact mean and variance of v' given v, psi = s2 / m^2.
 *
 *     psi <= 3/2:  v' = h + alpha zv + a zv^2,
 *                  h = sqrt(m^2 - s2/2),   a = m - h,   alpha^2 = 4 a h = s2 - 2 a^2.
 *
 * This is Andersen's a (b + zv)^2 with b^2 = h / a, but finite where xi is 0.
 *
 *     psi > 3/2:   v' = max(0, T(zv) - L) / beta,   T(z) = -ln(1 - Phi(z)),
 *                  L = ln((1 + psi) / 2),   1/beta = m (1 + psi) / 2.
 *
 * This is his inverse transform, exp(-L) being his 1 - p. The integral of v over the step is
 * I = dt (g1 v + g2 v'), g1 = g2 = 1/2; where xi is 0, g2 = 1/(1 - exp(-kappa dt)) - 1/(kappa dt)
 * and g1 = 1 - g2, which is exact at any length. (These weights give I its exact mean for any xi,
 * yet the biases measured with them were a little larger.) Then
 *
 *     ln S' = ln S + R - Q + K2 v' - (1 - rho^2) g1 dt v / 2 - ln M + sqrt((1 - rho^2) I) zs,
 *     K2 = rho/xi + g2 dt (kappa rho/xi - 1/2),   A = K2 + (1 - rho^2) g2 dt / 2,
 *     M = E[exp(A v') | v]:
 *     ln M = A h + A^2 alpha^2 / (2 (1 - 2 A a)) - ln(1 - 2 A a) / 2   or
 *            ln(1 + A m / (1 - A / beta)).
 *
 * The spot is a martingale at every step length. Known bias: the law of v' keeps two moments, and
 * that of I given (v, v') is not sampled. Measured with 2^21 paths on at-the-money options of spot
 * 100 (two standard errors in brackets): Andersen's cases 1, 2, 3 with steps of 1/4 year 0.012,
 * -0.008, 0.011 and of 1/8 year -0.011, 0.009, 0.003 (0.005, 0.006, 0.003); xi = 2 with steps of
 * 1/50 year -0.004 (0.002).
 *
 * With q = xi^2 (1 - exp(-kappa dt)) / kappa, 2 a <= (2/3) q and 1/beta <= (5/6) q for every v.
 * Steps are so short that |A| q <= HESTON_TILT, so M is finite everywhere (model_longest_step()
 * sees to it).
 *
 * As it is computed. With V = (1 - rho^2) I and b = v' - h (v' where psi > 3/2), what ln M has
 * beside A h being N, the step is
 *
 *     ln S' = ln S + R - Q + A b - N - V / 2 + sqrt(V) zs.
 *
 * Everything but ln S + R - Q is float arithmetic: A b and N are of the size rho^2 v dt, so what
 * they are wrong by is too; h and a have the sum m and alpha^2 + 2 a^2 = s2 whatever h is wrong by;
 * V is one number, in the drift and in the root. A step then moves x and v with a relative error of
 * 1e-7 of the move and of v, which is not the same from step to step:
 * validation/tests/models/dynamics_test.c has what is left in means.
 *
 * Full truncation: R. Lord, R. Koekkoek, D. van Dijk, A comparison of biased simulation schemes for
 * stochastic volatility models, Quantitative Finance 10(2), 2010. With v+ = max(v, 0)
 *
 *     ln S' = ln S + R - Q - v+ dt / 2 + sqrt(v+ dt) w,
 *     v' = v + kappa (theta - v+) dt + xi sqrt(v+ dt) zv.
 *
 * The spot is a martingale. Known bias: that of an Euler scheme, of first order where v stays off 0
 * and larger where it does not: measured 0.019 and 0.008 (0.004) with steps of 1/50 and 1/100 year,
 * kappa = 2, theta = 0.04, xi = 0.55, where the scheme above has 0.000 (0.003) with 1/25.
 *
 * A quanto moves the mean of w by -corr sigma_fx sqrt(dt) (Girsanov), hence those of zv and zs. */
#ifndef PRICER_MODELS_DYNAMICS_HESTON_H
#define PRICER_MODELS_DYNAMICS_HESTON_H

#include "models/dynamics/float_pair.h"
#include "models/dynamics/path_state.h"
#include "models/math/path_log.h"
#include "models/math/path_root.h"

#define HESTON_TILT 0.3 /* largest |A| q of a step */

/* Coefficients, ln S in units of log2: the growth R - Q, then floats (float_pair.h). The scheme is
 * one number for all paths of a step: a branch on it costs nothing. */
enum { HESTON_GROWTH, HESTON_PAIRS, HESTON_COEFFICIENTS = 10 };
enum heston_float {
    HESTON_SCHEME, /* of enum heston_form */
    HESTON_RHO,
    HESTON_REST,
    HESTON_VARIANCE_SHIFT, /* added to zv */
    HESTON_SPOT_SHIFT,     /* added to zs, or to w under full truncation */
    HESTON_CHANGE,         /* mean of v' - v: change v + level */
    HESTON_LEVEL,
    HESTON_SPREAD, /* variance of v': spread v + spread level; full truncation: xi sqrt(dt) */
    HESTON_SPREAD_LEVEL,
    HESTON_A,            /* natural units */
    HESTON_A_SQUARE,     /* A^2 / 2, natural units */
    HESTON_A_LOG2,       /* A / ln 2 */
    HESTON_CLOCK_BEFORE, /* g1 dt; full truncation: dt */
    HESTON_CLOCK_AFTER,  /* g2 dt */
    HESTON_REST_SQUARE,  /* 1 - rho^2 */
    HESTON_FLOATS
};

/* What a step is computed by. */
enum heston_form { HESTON_QUADRATIC_EXPONENTIAL, HESTON_FULL_TRUNCATION };

HOST_DEVICE float heston_float(const double *c, enum heston_float which)
{
    return float_of_pairs(c + HESTON_PAIRS, (int)which);
}

/* What a step knows of v' before its normals: m and s2, whether psi <= 3/2, and for such psi a,
 * alpha^2 and alpha. `all`: whether all paths beside it have such psi, and the other form, whose
 * bits no path takes, is left out. */
struct heston_prospect {
    float m, s2;
    int quadratic;
    float a, alpha2, alpha;
    int all;
};

/* Returns what a step that begins at v knows. */
HOST_DEVICE struct heston_prospect heston_prospect_of(const double *c, float v)
{
    struct heston_prospect prospect;
    prospect.m = v + fmaf(heston_float(c, HESTON_CHANGE), v, heston_float(c, HESTON_LEVEL));
    prospect.s2 = fmaf(heston_float(c, HESTON_SPREAD), v, heston_float(c, HESTON_SPREAD_LEVEL));
    prospect.quadratic = prospect.s2 <= 1.5f * (prospect.m * prospect.m);
    prospect.a =
        0.5f * prospect.s2 *
        path_reciprocal(prospect.m + path_root(fmaf(-0.5f, prospect.s2, prospect.m * prospect.m)));
    prospect.alpha2 = fmaf(-2.0f * prospect.a, prospect.a, prospect.s2);
    prospect.alpha = path_root(prospect.alpha2);
    prospect.all = 0;
    return prospect;
}

/* The numbers that a step leaves to be used: ln S' = ln S + growth + drift - variance / 2 +
 * sqrt(variance) z. */
struct heston_move {
    float drift, variance, z;
};

/* Moves the variance and the clock by the quadratic-exponential scheme. `known` is what is known of
 * v' before the normals; a null pointer: nothing yet. */
HOST_DEVICE struct heston_move heston_quadratic_exponential(const double *c,
                                                            const struct heston_prospect *known,
                                                            struct path_state *s, float w, float u)
{
    const float rho = heston_float(c, HESTON_RHO), rest = heston_float(c, HESTON_REST);
    const float zv = fmaf(rho, w, fmaf(rest, u, heston_float(c, HESTON_VARIANCE_SHIFT)));
    const float v = (float)s->v;
    const struct heston_prospect prospect = known ? *known : heston_prospect_of(c, v);
    const float m = prospect.m, s2 = prospect.s2, a = prospect.a, alpha2 = prospect.alpha2;
#ifdef __CUDA_ARCH__
    const int quadratic = prospect.quadratic;
#else
    const int quadratic = prospect.all || prospect.quadratic;
#endif
    const float by_square = fmaf(a, zv, prospect.alpha) * zv;

    float odds = 0.5f, by_exponential = 0.0f;
#ifdef __CUDA_ARCH__
    if (!quadratic) /* where Feller's condition holds, most warps leave this out */
#else
    if (!prospect.all)
#endif
    {
        const float inverse = path_reciprocal(m);
        odds = fmaf(0.5f * (inverse * s2), inverse, 0.5f); /* (1 + psi) / 2 */
        const float over = path_exponential(zv) - path_log(odds);
        by_exponential = (over > 0.0f ? over : 0.0f) * (odds * m);
    }

    const float tilt = heston_float(c, HESTON_A) * (quadratic ? 2.0f * a : m);
    const float width = heston_float(c, HESTON_A_SQUARE) * alpha2;
    const float left = path_reciprocal(1.0f - (quadratic ? tilt : tilt * odds));
    const float log_left = path_log1p(quadratic ? -tilt : tilt * left);
    const float log_mean = quadratic ? fmaf(width, left, -0.5f * log_left) : log_left; /* N */

    const float change = quadratic ? by_square : by_exponential;
    const float after = (quadratic ? m - a : 0.0f) + change;
    const float v_after = after > 0.0f ? after : 0.0f;
    const float integral = fmaf(heston_float(c, HESTON_CLOCK_BEFORE), v,
                                heston_float(c, HESTON_CLOCK_AFTER) * v_after);
    s->v = (double)v_after;
    s->clock += (double)integral;

    struct heston_move move;
    move.drift = fmaf(heston_float(c, HESTON_A_LOG2), change, -1.44269504f * log_mean);
    move.variance = heston_float(c, HESTON_REST_SQUARE) * integral;
    move.z = fmaf(rest, w, fmaf(-rho, u, heston_float(c, HESTON_SPOT_SHIFT)));
    return move;
}

HOST_DEVICE struct heston_move heston_full_truncation(const double *c, struct path_state *s,
                                                      float w, float u)
{
    const float zv =
        fmaf(heston_float(c, HESTON_RHO), w,
             fmaf(heston_float(c, HESTON_REST), u, heston_float(c, HESTON_VARIANCE_SHIFT)));
    const float before = (float)s->v, v = before > 0.0f ? before : 0.0f;
    const float mean =
        before + fmaf(heston_float(c, HESTON_CHANGE), v, heston_float(c, HESTON_LEVEL));
    struct heston_move move;
    move.drift = 0.0f;
    move.variance = heston_float(c, HESTON_CLOCK_BEFORE) * v;
    move.z = w + heston_float(c, HESTON_SPOT_SHIFT);
    s->v = (double)fmaf(heston_float(c, HESTON_SPREAD) * path_root(v), zv, mean);
    s->clock += (double)move.variance;
    return move;
}

HOST_DEVICE struct heston_move heston_move(const double *c, struct path_state *s, float w, float u)
{
#ifdef __CUDA_ARCH__
    if (heston_float(c, HESTON_SCHEME) != 0.0f) return heston_full_truncation(c, s, w, u);
#else
    if (heston_float(c, HESTON_SCHEME) == (float)HESTON_FULL_TRUNCATION)
        return heston_full_truncation(c, s, w, u);
#endif
    return heston_quadratic_exponential(c, 0, s, w, u);
}

/* Returns what log2 S moves by beside its growth. */
HOST_DEVICE float heston_moved_by(const struct heston_move *move)
{
    /* Ln 2 / 2: variances are of log2 S */
    const float drift = fmaf(-0.34657359f, move->variance, move->drift);
    return fmaf(path_root(move->variance), move->z, drift);
}

/* Moves the variance and the clock; returns what log2 S moves by beside its growth, which does not
 * depend on S: paths that start from other spots, or grow at other rates, move by the same. */
HOST_DEVICE float heston_log_move(const double *c, struct path_state *s, const double *z)
{
    const struct heston_move move = heston_move(c, s, (float)z[0], (float)z[1]);
    return heston_moved_by(&move);
}

/* Returns log2 S after a step that it moves by so much beside its growth. */
HOST_DEVICE double heston_moved(double x, double growth, double move)
{
    return (x + growth) + move;
}

HOST_DEVICE void heston_step(const double *c, const float *table, struct path_state *s,
                             const double *z)
{
    (void)table;
    const float move = heston_log_move(c, s, z);
    s->x = heston_moved(s->x, c[HESTON_GROWTH], (double)move);
}

#endif
