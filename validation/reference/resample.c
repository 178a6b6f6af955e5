#include "validation/reference/resample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_statistics_double.h>

static const double NEAR = 1e-3; /* days: a date that near the end of a day is its end */

enum status resample_make(struct effort *effort, const struct history *history,
                          struct resample **resample, struct message *why)
{
    size_t n = (size_t)history->n;
    double mean = gsl_stats_mean(history->returns, 1, n);
    double stdev = gsl_stats_sd_with_fixed_mean(history->returns, 1, n, mean);
    struct resample *r;
    enum status status = effort_array(effort, 1, sizeof *r, resample);
    if (status) return status;
    r = *resample;
    if (!(stdev > 0.0)) {
        snprintf(why->text, sizeof why->text, "the returns of the past do not differ");
        TRY(STATUS_FAILED);
    }
    r->n = history->n;
    r->block = history->block;
    r->day = history->interval;
    TRY(effort_array(effort, n, sizeof *r->score, &r->score));
    TRY(effort_array(effort, n, sizeof *r->moved, &r->moved));
    for (size_t i = 0; i < n; i++) r->score[i] = (history->returns[i] - mean) / stdev;
done:
    return status;
}

void resample_free(struct resample *resample)
{
    if (!resample) return;
    effort_free(resample->score);
    effort_free(resample->moved);
    effort_free(resample);
}

static double in_days(const struct resample *r, double time)
{
    double days = time / r->day;
    return fabs(days - round(days)) <= NEAR ? round(days) : days;
}

static double log_mean_exp(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += expm1(x[i]);
    return log1p(sum / n);
}

struct part_of_day resample_part(struct resample *r, const struct asset_curves *curves, double from,
                                 double to)
{
    double start = in_days(r, from), end = in_days(r, to), day = floor(start);
    double whole = asset_increment(curves, day * r->day, (day + 1.0) * r->day).variance;
    struct part_of_day part = {.in_block = (int)fmod(day, r->block)};
    part.begins = part.in_block == 0 && start == day && end > start;
    part.scale = sqrt(whole) * (end - start);
    part.variance = whole * (end - start);
    if (part.begins) {
        r->lost = 0.0;
        for (int i = 0; i < r->n; i++) r->moved[i] = 0.0;
    }
    for (int i = 0; i < r->n; i++) r->moved[i] += part.scale * r->score[(i + part.in_block) % r->n];
    double lost = part.scale > 0.0 ? log_mean_exp(r->n, r->moved) : r->lost;
    part.loss = lost - r->lost;
    r->lost = lost;
    return part;
}

double resample_move(const struct resample *r, const struct part_of_day *part, unsigned long *first,
                     gsl_rng *rng)
{
    if (part->begins) *first = gsl_rng_uniform_int(rng, (unsigned long)r->n);
    return part->scale * r->score[(*first + (unsigned long)part->in_block) % (unsigned long)r->n] -
           part->loss;
}
