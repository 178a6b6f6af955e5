/* Early exercise on given dates by a policy made beforehand. Included by observables.h.
 *
 * The holder takes what exercise pays where that is more than 0 and no less than the policy's
 * estimate of what waiting is worth (F. A. Longstaff and E. S. Schwartz, Valuing American options
 * by simulation: a simple least-squares approach, Review of Financial Studies 14 (2001) 113-147).
 * Any policy gives a value that is too low, never too high, as long as it was fitted on other paths
 * than those it is used on.
 *
 * Numbers are in units of the strike K. Features of a date: f1 = S / K - 1, S the price that the
 * option is on (the asset, or its basket); f2 = S' / K - 1 with the second best or second worst
 * asset of a best_of or worst_of, or the first asset's share of an average of two, or sqrt(v / c) -
 * 1 with the variance v of one asset of heston or bates (c the larger of today's and the usual
 * one), or 0. Waiting is worth a cubic in f1 and f2,
 * EXERCISE_TERMS coefficients for each date in the group's table, in the order of
 * exercise_continuation(): as of the date itself, not of today. */
#ifndef PRICER_MODELS_OBSERVABLES_EXERCISE_H
#define PRICER_MODELS_OBSERVABLES_EXERCISE_H

#include <stdbool.h>

enum {
    EXERCISE_TERMS = 10,
    LEADER_TERMS = 3 /* of 1, f, g: what waiting is worth more where one asset of several leads */
};

/* First coefficient of a date on which nobody exercises, the others being 0. */
#define EXERCISE_NEVER 1e30f

/* The cubic: coefficients of 1, f, f^2, f^3, g, f g, f^2 g, g^2, f g^2, g^3. */
HOST_DEVICE double exercise_continuation(const float *p, double f, double g)
{
    double none = fma(fma(fma((double)p[3], f, (double)p[2]), f, (double)p[1]), f, (double)p[0]);
    if (LEAVES_OUT && g == 0.0) return none;
    double one = fma(fma((double)p[6], f, (double)p[5]), f, (double)p[4]);
    double two = fma((double)p[9], g, fma((double)p[8], f, (double)p[7]));
    return fma(fma(two, g, one), g, none);
}

/* Its terms, in that order: what a fit regresses on. */
HOST_DEVICE void exercise_terms(double f, double g, double *terms)
{
    terms[0] = 1.0, terms[1] = f, terms[2] = f * f, terms[3] = terms[2] * f;
    terms[4] = g, terms[5] = f * g, terms[6] = terms[2] * g;
    terms[7] = g * g, terms[8] = f * terms[7], terms[9] = terms[7] * g;
}

/* What `source_a` or `source_b` holds, as a feature: money, or log2 of it; `unit` = 1 / K. */
HOST_DEVICE double price_feature(double value, bool in_logs, double unit)
{
    double price = value;
    if (in_logs) price = path_exp2(value);
    return fma(price, unit, -1.0);
}

/* What the price that is exercised is kept as by `source`: c[3] of an observation. */
enum { EXERCISE_MONEY, EXERCISE_SHARE, EXERCISE_LOG, EXERCISE_TWO_LOGS };

/* Whether that is logarithms: */
HOST_DEVICE bool keeps_logs(const struct observation *t)
{
    return t->c[3] >= (double)EXERCISE_LOG;
}

/* The date of exercise: a = value today of what was taken, b = 1 until then, 0 afterwards. c[0] = 1
 * for a call, -1 for a put; c[1] = 1 / K; c[2] = K times the discount factor to the date; c[3] as
 * above; c[4] = 1 / K, or 1 / sqrt(c) of the variance; c[5] = where the date's coefficients begin
 * in the table. On the last date they are all 0.
 *
 * Where `slope`, a = what of that value moves with the price: sign times price times discount
 * factor, which over today's spot is the payoff's slope in it. */
HOST_DEVICE void exercise_on(const struct observation *t, double f, double g, bool slope,
                             struct memory *m)
{
    if (LEAVES_OUT && (m->b == 0.0 || !(t->c[0] * f > 0.0))) return;
    double gain = t->c[0] * f, waiting = exercise_continuation(m->table + (int)t->c[5], f, g);
    double taken = gain >= waiting ? m->b : 0.0;
    taken = gain > 0.0 ? taken : 0.0;
    m->a = fma(taken * t->c[2], slope ? gain + t->c[0] : gain, m->a);
    m->b = m->b - taken;
}

/* The features that an observation sees: of a sum_of, log_of, top_of or bottom_of; */
HOST_DEVICE double exercise_first(const struct observation *t, const struct memory *m)
{
    return price_feature(m->source_a, keeps_logs(t), t->c[1]);
}

HOST_DEVICE double exercise_second(const struct observation *t, const struct memory *m)
{
    double g = 0.0;
    if (t->c[3] == (double)EXERCISE_TWO_LOGS) g = price_feature(m->source_b, true, t->c[4]);
    if (t->c[3] == (double)EXERCISE_SHARE) g = m->source_b;
    return g;
}

/* and of one asset whose variance is the second feature. */
HOST_DEVICE double exercise_variance_second(const struct observation *t, const struct memory *m)
{
    return fma(sqrt(m->v > 0.0 ? m->v : 0.0), t->c[4], -1.0);
}

HOST_DEVICE void observe_exercise(const struct observation *t, double x, double z0, double z1,
                                  struct memory *m)
{
    exercise_on(t, exercise_first(t, m), exercise_second(t, m), false, m);
}

HOST_DEVICE void observe_exercise_variance(const struct observation *t, double x, double z0,
                                           double z1, struct memory *m)
{
    exercise_on(t, exercise_first(t, m), exercise_variance_second(t, m), false, m);
}

/* exercise_led: as exercise, of the best or worst of several, where waiting may be worth something
 * else under each asset that leads: d = where its LEADER_TERMS begin behind the cubic of the date.
 * A best_of or worst_of keeps d behind the exercise's own a and b (functional.within). */
HOST_DEVICE double exercise_waiting_led(const float *p, int leader, double f, double g)
{
    double a = (double)p[EXERCISE_TERMS + leader], b = (double)p[EXERCISE_TERMS + leader + 1],
           c = (double)p[EXERCISE_TERMS + leader + 2];
    return exercise_continuation(p, f, g) + fma(c, g, fma(b, f, a));
}

HOST_DEVICE void observe_exercise_led(const struct observation *t, double x, double z0, double z1,
                                      struct memory *m)
{
    if (LEAVES_OUT && m->b == 0.0) return;
    double f = exercise_first(t, m), gain = t->c[0] * f;
    if (LEAVES_OUT && !(gain > 0.0)) return;
    double g = exercise_second(t, m);
    double waiting = exercise_waiting_led(m->table + (int)t->c[5], (int)m->d, f, g);
    double taken = gain >= waiting ? m->b : 0.0;
    taken = gain > 0.0 ? taken : 0.0;
    m->a = fma(taken * t->c[2], gain, m->a);
    m->b = m->b - taken;
}

/* exercise_apart: the same for Greeks, whose error is of the first order in that of the policy:
 * under each asset that leads a second cubic is added, which begins at d. What it reads is only
 * what it decides by: the price that is exercised another sum_of or log_of keeps in c, or a best_of
 * or worst_of in c and d. Two markets that a Greek compares can so be decided by the same prices
 * (exercise_borrow.h). c[1] = 1 / K of the price that decides, c[4] = 1 / K of the other two. */
HOST_DEVICE double exercise_waiting_apart(const float *p, int leader, double f, double g)
{
    return exercise_continuation(p, f, g) +
           exercise_continuation(p + EXERCISE_TERMS + leader, f, g);
}

HOST_DEVICE void observe_exercise_apart(const struct observation *t, double x, double z0, double z1,
                                        struct memory *m)
{
    if (LEAVES_OUT && m->b == 0.0) return;
    double f = exercise_first(t, m), gain = t->c[0] * f;
    if (LEAVES_OUT && !(gain > 0.0)) return;
    double g = exercise_second(t, m);
    double waiting = exercise_waiting_apart(m->table + (int)t->c[5], (int)m->d, f, g);
    double taken = gain >= waiting ? m->b : 0.0;
    taken = gain > 0.0 ? taken : 0.0;
    if (LEAVES_OUT && taken == 0.0) return;
    double brings = price_feature(m->c, keeps_logs(t), t->c[4]);
    m->a = fma(taken * t->c[2], t->c[0] * brings, m->a);
    m->b = m->b - taken;
}

/* exercise_slope, exercise_slope_variance: of one asset, the slope. */
HOST_DEVICE void observe_exercise_slope(const struct observation *t, double x, double z0, double z1,
                                        struct memory *m)
{
    exercise_on(t, exercise_first(t, m), exercise_second(t, m), true, m);
}

HOST_DEVICE void observe_exercise_slope_variance(const struct observation *t, double x, double z0,
                                                 double z1, struct memory *m)
{
    exercise_on(t, exercise_first(t, m), exercise_variance_second(t, m), true, m);
}

/* exercise_slope_apart: of the best or worst of several, whose own price decides (a best_of or
 * worst_of keeps the leader as above): b = 1 until the exercise, then 0 less where the leader's
 * cubic begins. */
HOST_DEVICE void observe_exercise_slope_apart(const struct observation *t, double x, double z0,
                                              double z1, struct memory *m)
{
    if (LEAVES_OUT && !(m->b > 0.0)) return;
    double f = exercise_first(t, m), gain = t->c[0] * f, alive = m->b > 0.0 ? gain : 0.0;
    if (LEAVES_OUT && !(alive > 0.0)) return;
    double g = exercise_second(t, m);
    double waiting = exercise_waiting_apart(m->table + (int)t->c[5], (int)m->d, f, g);
    bool takes = alive > 0.0 && alive >= waiting;
    m->a = takes ? t->c[2] * (gain + t->c[0]) : m->a;
    m->b = takes ? 0.0 - m->d : m->b;
}

/* Whether an observation is a date of exercise; one whose second feature is a variance; one where
 * what decides is kept apart. */
HOST_DEVICE bool exercise_sees_variance(int kind)
{
    return kind == OBSERVATION_EXERCISE_VARIANCE || kind == OBSERVATION_EXERCISE_SLOPE_VARIANCE;
}

HOST_DEVICE bool exercise_keeps_apart(int kind)
{
    return kind == OBSERVATION_EXERCISE_APART || kind == OBSERVATION_EXERCISE_SLOPE_APART;
}

HOST_DEVICE bool observation_is_exercise(int kind)
{
    return kind == OBSERVATION_EXERCISE || kind == OBSERVATION_EXERCISE_LED ||
           kind == OBSERVATION_EXERCISE_SLOPE || exercise_sees_variance(kind) ||
           exercise_keeps_apart(kind);
}

#endif
