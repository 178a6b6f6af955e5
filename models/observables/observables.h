/* What a path remembers for the trades that live on it, and how one date of the path changes it.
 *
 * A path carries x = log2 S. An observable keeps its state in `slots`, one double each; an
 * *observation* is one date at which one observable looks at the path. The functions
 * observe_<kind>() below are the only arithmetic: the vector loops of the CPU engine and the
 * kernels of the CUDA engine call them, so both give the same bits. observables.def lists them.
 *
 * Continuous monitoring looks at the path only at an observable's own dates (expiry and the pillars
 * of the curves) and uses the law of the Brownian bridge between them, which is exact because drift
 * and volatility are constant there. Models whose variance is not known beforehand have kinds of
 * their own, in variance_clock.h. */
#ifndef PRICER_MODELS_OBSERVABLES_OBSERVABLES_H
#define PRICER_MODELS_OBSERVABLES_OBSERVABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "models/math/exact.h"
#include "models/math/host_device.h"

enum observation_kind {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) OBSERVATION_##NAME,
#include "models/observables/observables.def"
#undef OBSERVABLE
    N_OBSERVATION_KINDS
};

/* The inputs of a kind of observation beside its own slots and x; a sum of these in
 * observables.def. */
enum reads {
    READS_NOTHING = 0,
    READS_SOURCE = 1,
    READS_CLOCK = 2,
    READS_VARIANCE = 4,
    READS_TABLE = 8,
    READS_LEADER = 16 /* of several assets: in its own slots, by a best_of or worst_of */
};

/* An observation: one date at which one observable looks at one underlying. */
struct observation {
    uint16_t kind;       /* enum observation_kind */
    uint16_t underlying; /* of the group: whose x it sees */
    int slot;            /* first slot of the observable */
    /* First slot of the observable it depends on: the survival that a payment at the hit watches */
    int source;
    int pair;    /* which pair of bridge normals of the path it draws, -1 where it draws none */
    double c[6]; /* coefficients, as the kind below names them */
} __attribute__((aligned(16))); /* the first four members are one 16-byte load */

/* The state an observable may change, its own slots; and what it may read. Kinds with fewer slots
 * leave the others alone. */
struct memory {
    double a, b, c, d;
    /* READS_SOURCE: first slots of the observable named by observation.source */
    double source_a, source_b;
    double clock;       /* READS_CLOCK: of the underlying's path_state */
    double v;           /* READS_VARIANCE: the same */
    const float *table; /* READS_TABLE: the group's */
};

/* Tells whether a kind has no slots: its state is a row that payoffs or looks read, written once,
 * at its one date. */
HOST_DEVICE bool observation_in_row(int kind)
{
    return kind == OBSERVATION_SPOT || kind == OBSERVATION_VARIANCE || kind == OBSERVATION_CLOCK ||
           kind == OBSERVATION_DRAWN_FIRST || kind == OBSERVATION_DRAWN_SECOND;
}

/* Functions of all kinds are given the same, of which most leave something. */
#ifndef __CUDACC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

/* spot: a = log2 S at one date. */
HOST_DEVICE void observe_spot(const struct observation *t, double x, double z0, double z1,
                              struct memory *m)
{
    m->a = x;
}

/* variance: a = v at one date. */
HOST_DEVICE void observe_variance(const struct observation *t, double x, double z0, double z1,
                                  struct memory *m)
{
    m->a = m->v;
}

/* What looks that come after the walk (struct look of kernels/plan.h) need of a date beside the
 * spot.
 *
 * clock: a = the clock there (variance_clock.h). */
HOST_DEVICE void observe_clock(const struct observation *t, double x, double z0, double z1,
                               struct memory *m)
{
    m->a = m->clock;
}

/* drawn_first, drawn_second: a = the normals of the bridge to it. */
HOST_DEVICE void observe_drawn_first(const struct observation *t, double x, double z0, double z1,
                                     struct memory *m)
{
    m->a = z0;
}

HOST_DEVICE void observe_drawn_second(const struct observation *t, double x, double z0, double z1,
                                      struct memory *m)
{
    m->a = z1;
}

/* sum: a = sum of S over the dates. */
HOST_DEVICE void observe_sum(const struct observation *t, double x, double z0, double z1,
                             struct memory *m)
{
    m->a = m->a + path_exp2(x);
}

/* log_sum: a = sum of log2 S over the dates. */
HOST_DEVICE void observe_log_sum(const struct observation *t, double x, double z0, double z1,
                                 struct memory *m)
{
    m->a = m->a + x;
}

/* high, low: a = greatest, least log2 S on the dates. */
HOST_DEVICE void observe_high(const struct observation *t, double x, double z0, double z1,
                              struct memory *m)
{
    m->a = x > m->a ? x : m->a;
}

HOST_DEVICE void observe_low(const struct observation *t, double x, double z0, double z1,
                             struct memory *m)
{
    m->a = x < m->a ? x : m->a;
}

/* bridge_high, bridge_low: a = greatest, least log2 S at any moment, b = x at the last observation.
 * The greatest value M of a Brownian bridge from x0 to x1 of variance v has
 *
 *     P(M > m) = exp(-2 (m - x0) (m - x1) / v),
 *     M = (x0 + x1 + sqrt((x1 - x0)^2 + v E)) / 2,   E = -2 ln U = z0^2 + z1^2
 *
 * (chi-square with two degrees), which needs two normals and no logarithm (Andersen and
 * Brotherton-Ratcliffe 1996 give the law). c[0] = v. */
HOST_DEVICE double bridge_excursion(double variance, double rise, double z0, double z1)
{
    return sqrt(fma(variance, fma(z0, z0, z1 * z1), rise * rise));
}

HOST_DEVICE void observe_bridge_high(const struct observation *t, double x, double z0, double z1,
                                     struct memory *m)
{
    double top = 0.5 * (m->b + x + bridge_excursion(t->c[0], x - m->b, z0, z1));
    m->a = top > m->a ? top : m->a;
    m->b = x;
}

HOST_DEVICE void observe_bridge_low(const struct observation *t, double x, double z0, double z1,
                                    struct memory *m)
{
    double bottom = 0.5 * (m->b + x - bridge_excursion(t->c[0], x - m->b, z0, z1));
    m->a = bottom < m->a ? bottom : m->a;
    m->b = x;
}

/* The survival observables: a = probability, given the path at the observations so far, that no
 * barrier has been hit; b = what a lost at this observation; c = x at the last observation.
 *
 * fence: barriers looked at on dates only: alive while c[0] < x < c[1]. */
HOST_DEVICE void observe_fence(const struct observation *t, double x, double z0, double z1,
                               struct memory *m)
{
    double alive = x > t->c[0] ? m->a : 0.0;
    alive = x < t->c[1] ? alive : 0.0;
    m->b = m->a - alive;
    m->a = alive;
}

/* Returns exp2 of an exponent that is clipped to [-1000, 0]: a probability. */
HOST_DEVICE double clipped_exp2(double y)
{
    y = y < 0.0 ? y : 0.0;
    y = y > -1000.0 ? y : -1000.0;
    return path_exp2(y);
}

/* barrier: one barrier at c[0], monitored continuously. A bridge from x0 to x1 on one side of it
 * crosses with probability exp(-2 (x0-B)(x1-B) / v) and with certainty when x1 is beyond. c[1] = -2
 * ln 2 / V, V the variance of ln S. */
HOST_DEVICE void observe_barrier(const struct observation *t, double x, double z0, double z1,
                                 struct memory *m)
{
    double hit = clipped_exp2(t->c[1] * ((m->c - t->c[0]) * (x - t->c[0])));
    double alive = m->a * (1.0 - hit);
    m->b = m->a - alive;
    m->a = alive;
    m->c = x;
}

/* Adds the terms k and -k to the sum of strip_survival(), kw = k w. */
HOST_DEVICE double strip_add(double survive, double scale, double from, double to, double kw)
{
    survive = survive + clipped_exp2(scale * (kw * (kw + (to - from))));
    survive = survive + clipped_exp2(scale * (kw * (kw - (to - from))));
    survive = survive - clipped_exp2(scale * ((kw + from) * (kw + to)));
    return survive - clipped_exp2(scale * ((kw - from) * (kw - to)));
}

/* Returns that sum as a probability: 0 at and beyond the barriers. */
HOST_DEVICE double strip_probability(double survive, double to, double w)
{
    survive = survive > 0.0 ? survive : 0.0;
    survive = to > 0.0 ? survive : 0.0;
    return to < w ? survive : 0.0;
}

/* Returns the probability that a bridge stays between two barriers, w apart, when it goes from
 * `from` to `to` above the lower one: the sum over k of exp(-2kw(kw + to - from) / V) - exp(-2(kw +
 * from)(kw + to) / V) (Kunitomo and Ikeda 1992), |k| <= terms, with scale = -2 / (V ln 2).
 * Terms under 2^-72 may be left out, which change no bit of a sum over 2^-16: mostly all but those
 * of either barrier by itself. */
HOST_DEVICE double strip_survival(double scale, double from, double to, double w, int terms)
{
    double survive = 1.0 - clipped_exp2(scale * (from * to));
    if (LEAVES_OUT) {
        double distance = to > from ? to - from : from - to;
        double nearest = survive - clipped_exp2(scale * ((w - from) * (w - to)));
        if (scale * (w * (w - distance)) < -72.0 && nearest > 0x1p-16) survive = nearest, terms = 0;
    }
    for (int k = 1; k <= terms; k++) survive = strip_add(survive, scale, from, to, k * w);
    return strip_probability(survive, to, w);
}

/* Returns the variance that a look at a strip takes, as that scale. */
HOST_DEVICE double strip_scale(const struct observation *t, const struct memory *m)
{
    return t->c[1];
}

/* strip: two barriers, lower c[0] and w = c[2] above it, monitored continuously. c[1] = -2 ln 2 /
 * V; the terms |k| <= c[3] leave out less than 2^-60. */
HOST_DEVICE void observe_strip(const struct observation *t, double x, double z0, double z1,
                               struct memory *m)
{
    double survive = strip_survival(t->c[1], m->c - t->c[0], x - t->c[0], t->c[2], (int)t->c[3]);
    double alive = m->a * survive;
    m->b = m->a - alive;
    m->a = alive;
    m->c = x;
}

/* Returns exp2 of an exponent that is clipped to [-1000, 1000]: finite wherever the path goes. */
HOST_DEVICE double bounded_exp2(double y)
{
    y = y < 1000.0 ? y : 1000.0;
    y = y > -1000.0 ? y : -1000.0;
    return path_exp2(y);
}

/* The payments: a = value today of 1 paid when the survival observable `source` dies.
 *
 * pay_on_date: the hit is seen on the date itself: c[0] = discount factor to it. */
HOST_DEVICE void observe_pay_on_date(const struct observation *t, double x, double z0, double z1,
                                     struct memory *m)
{
    m->a = fma(t->c[0], m->source_b, m->a);
}

/* pay_at_hit: the hit happened at tau, inside the period that ends at this observation. While rate
 * r, yield y and variance s^2 are constant, exp(-r t) f(x_t) is a martingale for f(x) = A
 * 2^(p(x-U)) + B 2^(q(x-L)), with p and q the roots of s^2/2 p^2 + (r - y - s^2/2) p - r = 0. A and
 * B are such that f = 1 on the barriers; by optional stopping E[exp(-r tau); tau in the period] =
 * E[exp(-r t1) f(x1); tau in the period], so paying f(x1) at the end of the period has the value of
 * paying 1 at the hit, without sampling tau. c[0] = A and c[1] = B, both times the discount factor
 * to the observation, c[2] = p, c[3] = q, c[4] = U, c[5] = L. */
HOST_DEVICE void observe_pay_at_hit(const struct observation *t, double x, double z0, double z1,
                                    struct memory *m)
{
    double from_upper = t->c[0] * bounded_exp2(t->c[2] * (x - t->c[4]));
    double f = fma(t->c[1], bounded_exp2(t->c[3] * (x - t->c[5])), from_upper);
    m->a = fma(f, m->source_b, m->a);
}

/* pay_at_hit_wave: the same where a negative rate makes the roots complex, p +- i q:
 * f(x) = 2^(p(x-L)) (A cos + B sin)(pi c[3] (x-L)), with c[3] = q ln 2 / pi. */
HOST_DEVICE void observe_pay_at_hit_wave(const struct observation *t, double x, double z0,
                                         double z1, struct memory *m)
{
    double y = x - t->c[4], sine, cosine;
    exact_sincospi(t->c[3] * y, &sine, &cosine);
    double f = bounded_exp2(t->c[2] * y) * fma(t->c[0], cosine, t->c[1] * sine);
    m->a = fma(f, m->source_b, m->a);
}

#include "models/observables/baskets.h"
#include "models/observables/autocall.h"
#include "models/observables/variance_clock.h"
#include "models/observables/exercise.h"
#include "models/observables/margins.h"
#include "models/observables/open_autocall.h"
#include "models/observables/periods.h"

#ifndef __CUDACC__
#pragma GCC diagnostic pop
#endif

#endif
