#include <math.h>
#include <stdio.h>

#include "models/dynamics/dynamics.h"
#include "models/dynamics/historical_table.h"
#include "models/dynamics/model_coefficients.h"
#include "models/dynamics/step_measure.h"
#include "models/math/constants.h"

/* Says how the index of a step follows: the first of a day has the day's. A step within rounding of
 * nothing leaves the next one to be the first. */
static enum historical_turn historical_turn(const struct history *history, double from, double to)
{
    if (from == 0.0) return HISTORICAL_START;
    if (from == to || from > floor(from)) return HISTORICAL_SAME;
    return fmod(from, history->block) == 0.0 ? HISTORICAL_START : HISTORICAL_NEXT;
}

/* Fills all but the table and what the drift makes up for, which historical_path() adds. */
enum status historical_coefficients(const struct market *market, int index,
                                    const struct time_step *time_step, double *c,
                                    struct lookup *lookup, struct message *why)
{
    (void)lookup;
    const struct asset *asset = &market->assets[index];
    double interval = asset->history.interval;
    double from = historical_days(time_step->from, interval),
           to = historical_days(time_step->to, interval);
    struct time_step day = {.from = floor(from) * interval, .to = (floor(from) + 1.0) * interval};
    struct measure measure;
    MUST(measure_of(market, index, time_step, &measure, why));
    if (measure.fx)
        MUST(refuse_quanto(asset, measure.fx,
                           "past returns that are drawn again have no correlation with it", why));
    if (to > floor(from) + 1.0) {
        snprintf(why->text, sizeof why->text,
                 "'%s': a step from %.6g to %.6g years is not within one day", asset->name,
                 time_step->from, time_step->to);
        return STATUS_FAILED;
    }
    struct growth growth = growth_over(market, asset, time_step);
    double variance = variance_over(&asset->variance, &day);
    for (int i = 0; i < HISTORICAL_COEFFICIENTS; i++) c[i] = 0.0;
    c[HISTORICAL_DRIFT] = (growth.rate - growth.yield) / LN2;
    c[HISTORICAL_VOLATILITY] = sqrt(variance) / LN2 * (to - from);
    c[HISTORICAL_CLOCK] = variance / (LN2 * LN2) * (to - from);
    c[HISTORICAL_TURN] = historical_turn(&asset->history, from, to);
    return STATUS_OK;
}

/* Days end on dates of the grid: app/pricing/plan/time_grid.c. */
double historical_longest(const struct asset *asset, double max_step)
{
    (void)asset, (void)max_step;
    return HUGE_VAL;
}
