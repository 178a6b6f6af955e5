/* Compiled once for each row of models/base/builds.def, with EXERCISE_BUILD set to its name.
 * Products and sums are separate operations, so every build rounds alike. */
#include "app/pricing/value/exercise/exercise_lanes.h"

#include <math.h>
#include <string.h>

#include "models/observables/observables.h"

/* ---- what an exercise sees ------------------------------------------------------------------- */

/* observe_<kind>() on every lane, of an observable of two slots at most. */
#define PART(name)                                                                                 \
    static void see_##name(const struct observation *observation, const double *x, double *a,      \
                           double *b)                                                              \
    {                                                                                              \
        const struct observation t = *observation;                                                 \
        _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)                                  \
        {                                                                                          \
            struct memory m = {.a = a[l], .b = b[l]};                                              \
            observe_##name(&t, x[l], 0.0, 0.0, &m);                                                \
            a[l] = m.a, b[l] = m.b;                                                                \
        }                                                                                          \
    }
PART(sum_of)
PART(sum_of_more)
PART(log_of)
PART(log_of_more)
PART(top_of)
PART(top_of_more)
PART(bottom_of)
PART(bottom_of_more)

static void (*const see_lanes[N_OBSERVATION_KINDS])(const struct observation *, const double *,
                                                    double *, double *) = {
    [OBSERVATION_SUM_OF] = see_sum_of,       [OBSERVATION_SUM_OF_MORE] = see_sum_of_more,
    [OBSERVATION_LOG_OF] = see_log_of,       [OBSERVATION_LOG_OF_MORE] = see_log_of_more,
    [OBSERVATION_TOP_OF] = see_top_of,       [OBSERVATION_TOP_OF_MORE] = see_top_of_more,
    [OBSERVATION_BOTTOM_OF] = see_bottom_of, [OBSERVATION_BOTTOM_OF_MORE] = see_bottom_of_more};

static void features(const struct shown_paths *shown, float *f, float *g)
{
    _Alignas(64) double a[PATH_LANES] = {0}, b[PATH_LANES] = {0};
    const struct observation t = *shown->date;
    for (int p = 0; p < shown->n_parts; p++)
        see_lanes[shown->parts[p]->kind](shown->parts[p], shown->x[p], a, b);
    for (int l = 0; l < PATH_LANES; l++) {
        struct memory m = {.source_a = a[l], .source_b = b[l]};
        f[l] = (float)exercise_first(&t, &m);
        g[l] = (float)exercise_second(&t, &m);
    }
}

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
    const double first_unit = shown->date->c[1], second_unit = shown->date->c[4];
    double prices[UNDERLYINGS_MAX * PATH_LANES];
    /* By price times the sign, and which assets these are */
    double first[PATH_LANES], second[PATH_LANES], of_first[PATH_LANES], of_second[PATH_LANES];
    int column = shown->column;
    price_lanes(shown, prices, sums);
    for (int l = 0; l < PATH_LANES; l++) {
        first[l] = second[l] = -HUGE_VAL;
        of_first[l] = of_second[l] = 0.0;
    }
    for (int p = 0; p < shown->n_parts; p++)
        for (int l = 0; l < PATH_LANES; l++) {
            double rank = sign * prices[p * PATH_LANES + l];
            bool leads = rank > first[l];
            double next = leads ? first[l] : rank, of_next = leads ? of_first[l] : p;
            bool follows = next > second[l];
            first[l] = leads ? rank : first[l];
            of_first[l] = leads ? p : of_first[l];
            second[l] = follows ? next : second[l];
            of_second[l] = follows ? of_next : of_second[l];
        }
    for (int l = 0; l < PATH_LANES; l++) {
        seen->f[column + l] = (float)fma(sign * first[l], first_unit, -1.0);
        seen->g[column + l] = (float)fma(sign * second[l], second_unit, -1.0);
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

/* A number of each lane. */
typedef double lanes __attribute__((vector_size(MOMENT_LANES * sizeof(double)), may_alias));

/* Sums of struct policy_moments, path i in lane i % MOMENT_LANES. */
struct lane_sums {
    lanes powers[MOMENT_POWERS][MOMENT_POWERS], value_powers[MOMENT_POWERS][MOMENT_POWERS], squares;
};

/* Paths of a regression: all 0 where they do not take part. */
struct regressed {
    _Alignas(64) double weight[CHUNK_PATHS], f[CHUNK_PATHS], g[CHUNK_PATHS], value[CHUNK_PATHS];
};

/* Computes exercise_continuation() without fused sums. */
static inline double waiting_of(const float *p, double x, double y)
{
    double without_g = (((double)p[3] * x + (double)p[2]) * x + (double)p[1]) * x + (double)p[0];
    double with_g = ((double)p[6] * x + (double)p[5]) * x + (double)p[4];
    double with_squares = ((double)p[9] * y + (double)p[8] * x + (double)p[7]) * y;
    return without_g + y * (with_g + with_squares);
}

/* Reads paths, up to a multiple of MOMENT_LANES, and finds the range of those that take part. */
static void read_paths(const struct path_sample *sample, const struct fitted_date *date,
                       struct regressed *paths, struct policy_moments *moments)
{
    static const float none[EXERCISE_TERMS];
    const double sign = date->sign, least = sign == 0.0 ? -1.0 : 0.0;
    const double within = date->near * date->near;
    const float *p = date->p ? date->p : none;
    const bool weighted = date->p;
    const int n = (int)sample->n;
    const int end = (n + MOMENT_LANES - 1) / MOMENT_LANES * MOMENT_LANES;
    const float *all_f = sample->f, *all_g = sample->g;
    const double *values = sample->values;
    double low[MOMENT_LANES], high[MOMENT_LANES];
    _Pragma("GCC ivdep") for (int i = 0; i < end; i++)
    {
        double f = (double)all_f[i], g = (double)all_g[i], value = values[i];
        double off = f * sign - waiting_of(p, f, g);
        double weight = weighted ? within / (within + off * off) : 1.0;
        bool there = (f * sign > least) & (i < n);
        paths->weight[i] = there ? weight : 0.0;
        paths->f[i] = there ? f : 0.0;
        paths->g[i] = there ? g : 0.0;
        paths->value[i] = there ? value : 0.0;
    }
    for (int l = 0; l < MOMENT_LANES; l++) low[l] = HUGE_VAL, high[l] = -HUGE_VAL;
    for (int i = 0; i < n; i += MOMENT_LANES)
        for (int l = 0; l < MOMENT_LANES; l++) {
            double f = paths->f[i + l], there = paths->weight[i + l];
            low[l] = there > 0.0 && f < low[l] ? f : low[l];
            high[l] = there > 0.0 && f > high[l] ? f : high[l];
        }
    for (int l = 0; l < MOMENT_LANES; l++) {
        moments->lowest = fmin(moments->lowest, low[l]);
        moments->highest = fmax(moments->highest, high[l]);
    }
}

/* Sums what the paths bring; `two` is known where this is inlined. */
static inline __attribute__((always_inline)) void
sum_powers(const struct regressed *paths, size_t n, bool two, struct lane_sums *sums)
{
    for (size_t i = 0; i < n; i += MOMENT_LANES) {
        const lanes f = *(const lanes *)&paths->f[i], g = *(const lanes *)&paths->g[i],
                    value = *(const lanes *)&paths->value[i];
        lanes power = *(const lanes *)&paths->weight[i]; /* f^a */
        sums->squares += value * value;
#pragma GCC unroll 7
        for (int a = 0; a <= MOMENT_DEGREE; a++) {
            lanes product = power; /* f^a g^b */
            int last = two ? MOMENT_DEGREE - a : 0;
#pragma GCC unroll 7
            for (int b = 0; b <= last; b++) {
                sums->powers[a][b] += product;
                if (a + b <= MOMENT_DEGREE / 2) sums->value_powers[a][b] += value * product;
                product *= g;
            }
            power *= f;
        }
    }
}

static void moments(const struct path_sample *sample, const struct fitted_date *date,
                    struct policy_moments *moments)
{
    struct lane_sums sums = {.squares = {0.0}};
    struct regressed paths;
    *moments = (struct policy_moments){.lowest = HUGE_VAL, .highest = -HUGE_VAL};
    read_paths(sample, date, &paths, moments);
    if (date->two) sum_powers(&paths, sample->n, true, &sums);
    else sum_powers(&paths, sample->n, false, &sums);
    for (int l = 0; l < MOMENT_LANES; l++) {
        for (int a = 0; a < MOMENT_POWERS; a++)
            for (int b = 0; b < MOMENT_POWERS; b++) {
                moments->powers[a][b] += sums.powers[a][b][l];
                moments->value_powers[a][b] += sums.value_powers[a][b][l];
            }
        moments->squares += sums.squares[l];
    }
}

static void lead(const struct seen_date *seen, const double *values, const struct fitted_date *date,
                 int n_leaders, struct leader_sums *sums)
{
    const double within = date->near * date->near, unit = 1.0 / date->strike_value;
    memset(sums, 0, (size_t)n_leaders * sizeof *sums);
    for (int lane = 0; lane < MOMENT_LANES; lane++) {
        struct leader_sums of_lane[UNDERLYINGS_MAX] = {{.rests = {0.0}}};
        for (int i = lane; i < CHUNK_PATHS; i += MOMENT_LANES) {
            const double t[LEADER_TERMS] = {1.0, (double)seen->f[i], (double)seen->g[i]};
            struct leader_sums *to = &of_lane[seen->of_first[i]];
            double gain = t[1] * date->sign, waiting = waiting_of(date->p, t[1], t[2]);
            if (!(gain > 0.0)) continue;
            double weight = within / (within + (gain - waiting) * (gain - waiting));
            double rest = weight * (values[i] * unit - waiting);
            for (int a = 0; a < LEADER_TERMS; a++) {
                to->rests[a] += rest * t[a];
                for (int b = 0; b <= a; b++) to->terms[a][b] += weight * (t[a] * t[b]);
            }
        }
        for (int k = 0; k < n_leaders; k++)
            for (int a = 0; a < LEADER_TERMS; a++) {
                sums[k].rests[a] += of_lane[k].rests[a];
                for (int b = 0; b <= a; b++) sums[k].terms[a][b] += of_lane[k].terms[a][b];
            }
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
        for (int k = 0; k < SPLINES; k++) landing->of_f[l][k] = b[k];
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
    features, see, hedge, moments, lead, exercise_paths, values, land, add_landed};
