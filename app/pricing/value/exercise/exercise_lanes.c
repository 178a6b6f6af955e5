/* Compiled once for each row of models/base/builds.def, with EXERCISE_BUILD set to its name.
 * Products and sums are separate operations, so every build rounds alike. */
#include "app/pricing/value/exercise/exercise_lanes.h"

#include <math.h>
#include <string.h>

#include "models/observables/observables.h"

/* ---- who leads ------------------------------------------------------------------------------- */

/* Prices of all assets, [part][PATH_LANES], and their sums. */
static void price_lanes(const struct shown_paths *shown, double *prices, double *sums)
{
    const double unit = shown->date->c[1];
    for (int p = 0; p < shown->n_parts; p++) {
        const double weight = shown->parts[p]->c[0], power = shown->parts[p]->c[1];
        const double *x = shown->x[p];
        double *price = prices + (size_t)p * PATH_LANES, sum[MOMENT_LANES];
        memcpy(sum, sums + (size_t)p * MOMENT_LANES, sizeof sum);
        for (int l = 0; l < PATH_LANES; l++) price[l] = path_exp2(fma(power, x[l], weight));
        for (int l = 0; l < PATH_LANES; l += MOMENT_LANES)
            for (int k = 0; k < MOMENT_LANES; k++) sum[k] += unit * price[l + k];
        memcpy(sums + (size_t)p * MOMENT_LANES, sum, sizeof sum);
    }
}

/* Prices of whoever led, asset of [PATH_LANES]. */
static void prices_of(const double *prices, const unsigned char *leaders, double unit, float *to)
{
    for (int l = 0; l < PATH_LANES; l++)
        to[l] = (float)(unit * prices[(size_t)leaders[l] * PATH_LANES + (size_t)l]);
}

static void see(const struct shown_paths *shown, double *sums, struct seen_date *seen,
                struct seen_date *before, double unit)
{
    const double sign = shown->parts[0]->kind == OBSERVATION_TOP_OF ? 1.0 : -1.0;
    const double unit_first = shown->date->c[1], unit_second = shown->date->c[4];
    double prices[UNDERLYINGS_MAX * PATH_LANES];
    double first[PATH_LANES], second[PATH_LANES], of_first[PATH_LANES], of_second[PATH_LANES];
    int column = shown->column;
    price_lanes(shown, prices, sums);
    for (int l = 0; l < PATH_LANES; l++) {
        first[l] = second[l] = -HUGE_VAL;
        of_first[l] = of_second[l] = 0.0;
    }
    for (int p = 0; p < shown->n_parts; p++)
        for (int l = 0; l < PATH_LANES; l++) {
            double price = sign * prices[p * PATH_LANES + l], asset = p;
            bool leads = price > first[l];
            double next = leads ? first[l] : price, of_next = leads ? of_first[l] : asset;
            first[l] = leads ? price : first[l];
            of_first[l] = leads ? asset : of_first[l];
            bool follows = next > second[l];
            second[l] = follows ? next : second[l];
            of_second[l] = follows ? of_next : of_second[l];
        }
    for (int l = 0; l < PATH_LANES; l++) {
        seen->f[column + l] = (float)fma(sign * first[l], unit_first, -1.0);
        seen->g[column + l] = (float)fma(sign * second[l], unit_second, -1.0);
        seen->of_first[column + l] = (unsigned char)of_first[l];
        seen->of_second[column + l] = (unsigned char)of_second[l];
    }
    if (!before) return;
    prices_of(prices, before->of_first + column, unit, before->first + column);
    prices_of(prices, before->of_second + column, unit, before->second + column);
}

/* ---- hedges ---------------------------------------------------------------------------------- */

/* Cuts the slope of a payoff that rises by at most one with a price (sign 1) or falls (-1). */
static inline double cut_slope(double slope, double sign)
{
    double rise = sign * slope;
    rise = rise > 0.0 ? rise : 0.0;
    rise = rise < 1.0 ? rise : 1.0;
    return sign * rise;
}

static void hedge(const struct seen_date *seen, const struct fitted_date *date, const float *slopes,
                  const double *growth, double *values)
{
    const bool two = date->two;
    const double sign = date->sign, strike_value = date->strike_value;
    double c[EXERCISE_TERMS], grown_first[CHUNK_PATHS], grown_second[CHUNK_PATHS];
    for (int i = 0; i < EXERCISE_TERMS; i++) c[i] = (double)slopes[i];
    for (int i = 0; i < CHUNK_PATHS; i++) grown_first[i] = growth[seen->of_first[i]];
    for (int i = 0; two && i < CHUNK_PATHS; i++) grown_second[i] = growth[seen->of_second[i]];
    _Pragma("GCC ivdep") for (int i = 0; i < CHUNK_PATHS; i++)
    {
        double x = (double)seen->f[i], y = (double)seen->g[i];
        double by_f =
            c[1] + x * (2.0 * c[2] + 3.0 * c[3] * x) + y * (c[5] + 2.0 * c[6] * x) + c[8] * y * y;
        double first = cut_slope(by_f, sign), gained, second = 0.0;
        gained = first * ((double)seen->first[i] / grown_first[i] - (1.0 + x));
        if (two) {
            double by_g =
                c[4] + x * (c[5] + c[6] * x) + y * (2.0 * (c[7] + c[8] * x) + 3.0 * c[9] * y);
            second = cut_slope(by_g, sign);
            gained += second * ((double)seen->second[i] / grown_second[i] - (1.0 + y));
        }
        values[i] -= strike_value * gained;
    }
}

/* ---- regression ------------------------------------------------------------------------------ */

/* Numbers of the MOMENT_LANES that one vector of this build holds: comparisons of longer ones are
 * taken apart number by number. */
#if defined __AVX512F__
enum { VECTOR = 8 };
#elif defined __AVX2__
enum { VECTOR = 4 };
#else
enum { VECTOR = 2 };
#endif
typedef double lanes __attribute__((vector_size(VECTOR * sizeof(double))));
typedef float float_lanes __attribute__((vector_size(VECTOR * sizeof(float))));
typedef unsigned char byte_lanes __attribute__((vector_size(VECTOR)));
typedef long long lane_mask __attribute__((vector_size(VECTOR * sizeof(double))));

/* Takes a where the mask is set, else b. */
static inline __attribute__((always_inline)) void choose(const lane_mask *mask, const lanes *a,
                                                         const lanes *b, lanes *result)
{
    *result = (lanes)(((lane_mask)*a & *mask) | ((lane_mask)*b & ~*mask));
}

/* Sums of the lanes: the first members of struct moments, in vectors. */
struct lane_sums {
    lanes powers[MOMENT_POWERS][MOMENT_POWERS], value_powers[MOMENT_POWERS][MOMENT_POWERS];
    lanes squares, lowest, highest;
};

/* A vector of a regression's paths: 0 where they do not take part. */
struct regressed {
    lanes weight, f, g, value;
};

/* Adds what they bring to the sums of low powers, those that values have as well, or to those of
 * high ones. */
static inline __attribute__((always_inline)) void
add_powers(const struct regressed *paths, bool two, bool high, struct lane_sums *sums)
{
    const int degree = high ? MOMENT_DEGREE : MOMENT_DEGREE / 2;
    lanes power = paths->weight; /* f^a */
#pragma GCC unroll 7
    for (int a = 0; a <= degree; a++) {
        lanes product = power; /* f^a g^b */
        int last = two ? degree - a : 0;
#pragma GCC unroll 7
        for (int b = 0; b <= last; b++) {
            if (!high || a + b > MOMENT_DEGREE / 2) sums->powers[a][b] += product;
            if (!high) sums->value_powers[a][b] += paths->value * product;
            product = product * paths->g;
        }
        power = power * paths->f;
    }
}

/* Computes exercise_continuation() of lanes. */
static inline __attribute__((always_inline)) void waiting_of(const double *p, const lanes *f,
                                                             const lanes *g, lanes *waiting)
{
    lanes x = *f, y = *g;
    lanes without_g = ((p[3] * x + p[2]) * x + p[1]) * x + p[0];
    lanes with_g = (p[6] * x + p[5]) * x + p[4];
    lanes with_squares = (p[9] * y + p[8] * x + p[7]) * y;
    *waiting = without_g + y * (with_g + with_squares);
}

/* Adds squares and range of those that take part. */
static inline __attribute__((always_inline)) void
add_range(const lanes *f, const lanes *value, const lane_mask *in, struct lane_sums *sums)
{
    lane_mask below = *in & (*f < sums->lowest), above = *in & (*f > sums->highest);
    sums->squares += *value * *value;
    choose(&below, f, &sums->lowest, &sums->lowest);
    choose(&above, f, &sums->highest, &sums->highest);
}

/* Turns floats into doubles. */
static inline __attribute__((always_inline)) void widen(const float *from, lanes *to)
{
    float_lanes narrow;
    memcpy(&narrow, from, sizeof narrow);
    *to = __builtin_convertvector(narrow, lanes);
}

enum { AT_ONCE = 16 }; /* vectors that are read once and added twice: not all sums fit registers */

/* Sums of the lanes from `first` on; `two` is the date's, known where this is inlined. */
static inline __attribute__((always_inline)) void sum_paths(const struct path_sample *sample,
                                                            const struct fitted_date *date,
                                                            bool two, size_t first,
                                                            struct lane_sums *result)
{
    static const long long numbers[MOMENT_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct lane_sums low = {.squares = {0}}, high = {.squares = {0}};
    const lanes one = (lanes){0} + 1.0;
    const bool weighted = date->p;
    const double sign = date->sign, least = sign == 0.0 ? -1.0 : 0.0;
    const double within = date->near * date->near;
    const size_t n = sample->n;
    lane_mask lane;
    double cubic[EXERCISE_TERMS] = {0};
    for (int i = 0; weighted && i < EXERCISE_TERMS; i++) cubic[i] = (double)date->p[i];
    memcpy(&lane, numbers + first, sizeof lane);
    low.lowest = (lanes){0} + HUGE_VAL;
    low.highest = (lanes){0} - HUGE_VAL;
    for (size_t i = 0; i < n;) {
        struct regressed paths[AT_ONCE];
        int vectors = 0;
        for (; vectors < AT_ONCE && i < n; vectors++, i += MOMENT_LANES) {
            lanes f, g, value, weight = one;
            widen(sample->f + i + first, &f);
            widen(sample->g + i + first, &g);
            memcpy(&value, sample->values + i + first, sizeof value);
            lane_mask there = (f * sign > least) & (lane < (long long)(n - i));
            if (weighted) {
                lanes off;
                waiting_of(cubic, &f, &g, &off);
                off = f * sign - off;
                weight = within / (within + off * off);
            }
            value = (lanes)((lane_mask)value & there);
            add_range(&f, &value, &there, &low);
            paths[vectors] = (struct regressed){.weight = (lanes)((lane_mask)weight & there),
                                                .f = (lanes)((lane_mask)f & there),
                                                .g = (lanes)((lane_mask)g & there),
                                                .value = value};
        }
        for (int v = 0; v < vectors; v++) add_powers(&paths[v], two, false, &low);
        for (int v = 0; v < vectors; v++) add_powers(&paths[v], two, true, &high);
    }
    for (int a = 0; a < MOMENT_POWERS; a++)
        for (int b = MOMENT_DEGREE / 2 + 1 - a > 0 ? MOMENT_DEGREE / 2 + 1 - a : 0;
             b < MOMENT_POWERS; b++)
            low.powers[a][b] = high.powers[a][b];
    *result = low;
}

/* Adds the lanes of a vector in order. */
static void add_in_order(const lanes *sum, double *total)
{
    for (int l = 0; l < VECTOR; l++) *total += (*sum)[l];
}

static void moments(const struct path_sample *paths, const struct fitted_date *date,
                    struct policy_moments *moments)
{
    *moments = (struct policy_moments){.lowest = HUGE_VAL, .highest = -HUGE_VAL};
    for (size_t first = 0; first < MOMENT_LANES; first += VECTOR) {
        struct lane_sums sums;
        if (date->two) sum_paths(paths, date, true, first, &sums);
        else sum_paths(paths, date, false, first, &sums);
        for (int a = 0; a < MOMENT_POWERS; a++)
            for (int b = 0; b < MOMENT_POWERS; b++) {
                add_in_order(&sums.powers[a][b], &moments->powers[a][b]);
                add_in_order(&sums.value_powers[a][b], &moments->value_powers[a][b]);
            }
        add_in_order(&sums.squares, &moments->squares);
        for (int l = 0; l < VECTOR; l++) {
            moments->lowest = fmin(moments->lowest, sums.lowest[l]);
            moments->highest = fmax(moments->highest, sums.highest[l]);
        }
    }
}

/* Sums over the paths that one asset leads, in the lanes from `first` on, given weights and rests.
 */
static void sum_led(const struct seen_date *seen, const lanes *weights, const lanes *off_by,
                    int leader, int first, struct leader_sums *sums)
{
    lanes terms[LEADER_TERMS][LEADER_TERMS] = {{{0}}}, rests[LEADER_TERMS] = {{0}};
    for (int i = first; i < CHUNK_PATHS; i += MOMENT_LANES) {
        lanes t[LEADER_TERMS] = {(lanes){0} + 1.0};
        byte_lanes leaders;
        memcpy(&leaders, seen->of_first + i, sizeof leaders);
        lane_mask in = __builtin_convertvector(leaders, lane_mask) == leader;
        widen(seen->f + i, &t[1]);
        widen(seen->g + i, &t[2]);
        lanes weight = (lanes)((lane_mask)weights[i / VECTOR] & in);
        lanes rest = weight * off_by[i / VECTOR];
#pragma GCC unroll 3
        for (int a = 0; a < LEADER_TERMS; a++) {
            rests[a] += rest * t[a];
#pragma GCC unroll 3
            for (int b = 0; b <= a; b++) terms[a][b] += weight * (t[a] * t[b]);
        }
    }
    for (int a = 0; a < LEADER_TERMS; a++) {
        add_in_order(&rests[a], &sums->rests[a]);
        for (int b = 0; b <= a; b++) add_in_order(&terms[a][b], &sums->terms[a][b]);
    }
}

static void lead(const struct seen_date *seen, const double *values, const struct fitted_date *date,
                 int n_leaders, struct leader_sums *sums)
{
    const double sign = date->sign, within = date->near * date->near,
                 unit = 1.0 / date->strike_value;
    double cubic[EXERCISE_TERMS];
    for (int i = 0; i < EXERCISE_TERMS; i++) cubic[i] = (double)date->p[i];
    lanes weights[CHUNK_PATHS / VECTOR], off_by[CHUNK_PATHS / VECTOR];
    for (int i = 0; i < CHUNK_PATHS; i += VECTOR) {
        lanes f, g, value, waiting, off;
        memcpy(&value, values + i, sizeof value);
        widen(seen->f + i, &f);
        widen(seen->g + i, &g);
        waiting_of(cubic, &f, &g, &waiting);
        off = f * sign - waiting;
        lane_mask in = f * sign > 0.0;
        weights[i / VECTOR] = (lanes)((lane_mask)(within / (within + off * off)) & in);
        off_by[i / VECTOR] = value * unit - waiting;
    }
    for (int a = 0; a < n_leaders; a++) {
        sums[a] = (struct leader_sums){0};
        for (int first = 0; first < MOMENT_LANES; first += VECTOR)
            sum_led(seen, weights, off_by, a, first, &sums[a]);
    }
}

static void exercise_paths(const struct seen_date *seen, const struct fitted_date *date,
                           double *values)
{
    const float *p = date->p;
    for (int i = 0; i < CHUNK_PATHS; i++) {
        double f = (double)seen->f[i], g = (double)seen->g[i], gain = date->sign * f;
        int first_term = date->leader_terms * seen->of_first[i];
        double waiting = !date->leader_terms ? exercise_continuation(p, f, g)
                         : date->leader_terms == LEADER_TERMS
                             ? exercise_waiting_led(p, first_term, f, g)
                             : exercise_waiting_apart(p, first_term, f, g);
        double taken = gain >= waiting ? date->strike_value * gain : values[i];
        values[i] = gain > 0.0 ? taken : values[i];
    }
}

/* ---- value functions ------------------------------------------------------------------------- */

static void values(size_t n, const struct value_function *function, const double *f,
                   const double *g, double *values)
{
    const struct value_function v = *function;
    if (v.g.n) {
        _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++) values[i] =
            value_of_two(&v, f[i], g[i]);
    } else {
        _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++) values[i] = value_of_one(&v, f[i]);
    }
}

static void land(const struct value_axis *f, const struct value_axis *g,
                 const struct value_exercise *exercise, const double *x, const double *v,
                 struct landing *landing)
{
    const struct value_exercise e = *exercise;
    const struct value_axis of_f = *f, of_g = *g;
    const int along_f = value_along(&of_f);
    for (int l = 0; l < PATH_LANES; l++) landing->f[l] = e.level * path_exp2(x[l]) - 1.0;
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)
    {
        double b[SPLINES];
        landing->first[l] = value_splines(&of_f, landing->f[l], b);
        for (int k = 0; k < SPLINES; k++) landing->of_f[l][k] = value_scale(landing->f[l]) * b[k];
    }
    if (!of_g.n) return;
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)
    {
        double b[SPLINES];
        landing->first[l] +=
            value_splines(&of_g, e.unit * sqrt(v[l] > 0.0 ? v[l] : 0.0) - 1.0, b) * along_f;
        for (int k = 0; k < SPLINES; k++) landing->of_g[l][k] = b[k];
    }
}

typedef double four __attribute__((vector_size(SPLINES * sizeof(double)), may_alias));

static inline __attribute__((always_inline)) four four_at(const double *from)
{
    four values;
    memcpy(&values, from, sizeof values);
    return values;
}

/* Computes the terms of the function at the landing of lane l, whose sum it is: of each spline of
 * f. */
static inline __attribute__((always_inline)) four terms_of_one(const double *c,
                                                               const struct landing *at, int l)
{
    return four_at(c + at->first[l]) * four_at(at->of_f[l]);
}

static inline __attribute__((always_inline)) four terms_of_two(const double *c, int along_f,
                                                               const struct landing *at, int l)
{
    const double *here = c + at->first[l], *g = at->of_g[l];
    four sum = four_at(here) * g[0] + four_at(here + along_f) * g[1] +
               four_at(here + 2 * along_f) * g[2] + four_at(here + 3 * along_f) * g[3];
    return sum * four_at(at->of_f[l]);
}

static void add_landed(const struct landing_ground *ground, const struct landing *landing,
                       int first, int n, double weight, double *sums)
{
    four terms[PATH_LANES];
    const double *c = ground->c, feature_value = ground->feature_value;
    const int along_f = ground->along_f, end = first + n;
    if (!c) {
        for (int l = first; l < end; l++) terms[l] = (four){0.0};
    } else if (ground->two) {
        for (int l = first; l < end; l++) terms[l] = terms_of_two(c, along_f, landing, l);
    } else {
        for (int l = first; l < end; l++) terms[l] = terms_of_one(c, landing, l);
    }
    const double(*of_lane)[SPLINES] = (const double(*)[SPLINES])terms;
    for (int l = first; l < end; l++) {
        double value = of_lane[l][0] + of_lane[l][1] + of_lane[l][2] + of_lane[l][3];
        double gain = feature_value * landing->f[l];
        value = gain > value ? gain : value;
        sums[l - first] += weight * (value > 0.0 ? value : 0.0);
    }
}

#define JOINED(a, b) a##b
#define LANES_OF(build) JOINED(exercise_lanes_, build)
const struct exercise_lanes LANES_OF(EXERCISE_BUILD) = {
    see, hedge, moments, lead, exercise_paths, values, land, add_landed};
