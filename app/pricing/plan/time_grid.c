#include "app/pricing/plan/time_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/dynamics/historical.h"
#include "models/market/correlation.h"
#include "models/base/stop.h"
#include "models/base/order.h"
#include "models/observables/accrual_period.h"

/* ---- time that passes ------------------------------------------------------------------------ */

#define SOONEST 1e-9 /* years: no date of a trade comes sooner */

struct ageing ageing_anywhere(double years)
{
    double turn = years > 0.0 ? years / (1.0 - PAST_DATE) : SOONEST;
    return (struct ageing){.years = years, .before = years > 0.0 ? turn : 0.0, .after = turn};
}

/* Takes one of the dates into account; an ageing begins as {years, 0.0, HUGE_VAL}. */
static void ageing_add_date(struct ageing *ageing, double date)
{
    bool past = date - ageing->years <= PAST_DATE * date;
    if (past && date > ageing->before) ageing->before = date;
    if (!past && date < ageing->after) ageing->after = date;
}

/* Returns years from the new today to a date. */
static double years_left(const struct ageing *ageing, double date)
{
    double before = ageing->before, after = ageing->after, from = PAST_DATE * before,
           stay = ageing->stay;
    if (ageing->years == 0.0 || date <= stay) return date;
    if (date >= after) return date - ageing->years;
    if (stay > 0.0) return stay + (date - stay) * ((after - ageing->years - stay) / (after - stay));
    if (date <= before || after == HUGE_VAL) return PAST_DATE * date;
    return from + (date - before) * ((after - ageing->years - from) / (after - before));
}

/* The date that so many years are left to. */
static double date_of(const struct ageing *ageing, double years)
{
    double before = ageing->before, after = ageing->after, from = PAST_DATE * before,
           stay = ageing->stay;
    if (ageing->years == 0.0 || years <= stay) return years;
    if (stay > 0.0 && years < after - ageing->years)
        return stay + (years - stay) * ((after - stay) / (after - ageing->years - stay));
    if (years <= from || after == HUGE_VAL) return years / PAST_DATE;
    if (years >= after - ageing->years) return years + ageing->years;
    return before + (years - from) * ((after - before) / (after - ageing->years - from));
}

/* Adds a date of a curve and, where it turns there, those around it. */
static int add_around(const struct ageing *ageing, bool turns, double date, int n, double *dates)
{
    dates[n++] = date;
    if (!turns || ageing->around <= 0.0) return n;
    if (date > ageing->around) dates[n++] = date - ageing->around;
    dates[n++] = date + ageing->around;
    return n;
}

/* The curve read at the years left to each date: as linear between the dates of its own pillars,
 * those around them and those where the ageing turns. */
static enum status pass_curve(const struct ageing *ageing, const struct term_structure *curve,
                              struct term_structure *aged)
{
    int n = 0, n_times = 0;
    if (!curve->n) return STATUS_OK;
    size_t bytes = sizeof(double) * (3 * (size_t)curve->n + 3);
    *aged = (struct term_structure){.time = malloc(bytes), .accrued = malloc(bytes)};
    if (!aged->time || !aged->accrued) return STATUS_NO_MEMORY;
    for (int i = 0; i < curve->n; i++)
        n = add_around(ageing, curve->n > 1, date_of(ageing, curve->time[i]), n, aged->time);
    if (ageing->stay > 0.0) aged->time[n++] = ageing->stay;
    if (ageing->before > 0.0) aged->time[n++] = ageing->before;
    if (ageing->after < HUGE_VAL) aged->time[n++] = ageing->after;
    sort_doubles((size_t)n, aged->time);
    for (int i = 0; i < n; i++)
        if (!n_times || aged->time[i] > aged->time[n_times - 1])
            aged->time[n_times++] = aged->time[i];
    for (int i = 0; i < n_times; i++)
        aged->accrued[i] = term_accrued(curve, years_left(ageing, aged->time[i]));
    aged->n = n_times;
    bool all_past = ageing->years != 0.0 && ageing->after == HUGE_VAL;
    aged->beyond = all_past ? curve->beyond * PAST_DATE : curve->beyond;
    return STATUS_OK;
}

enum status age_market(const struct ageing *ageing, const struct market *market, const bool *wanted,
                       struct market *aged)
{
    *aged = *market;
    aged->currencies = calloc((size_t)market->n_currencies + 1, sizeof *aged->currencies);
    aged->assets = calloc((size_t)market->n_assets + 1, sizeof *aged->assets);
    if (!aged->currencies || !aged->assets) return STATUS_NO_MEMORY;
    for (int i = 0; i < market->n_currencies; i++) {
        aged->currencies[i] = market->currencies[i];
        aged->currencies[i].rate = (struct term_structure){0};
    }
    for (int i = 0; i < market->n_assets; i++) {
        struct asset *asset = &aged->assets[i];
        *asset = market->assets[i];
        asset->yield = asset->variance = (struct term_structure){0};
        if (!wanted[i]) continue;
        struct currency *currency = &aged->currencies[asset->currency];
        if (!currency->rate.n)
            MUST(pass_curve(ageing, &market->currencies[asset->currency].rate, &currency->rate));
        MUST(pass_curve(ageing, &market->assets[i].yield, &asset->yield));
        MUST(pass_curve(ageing, &market->assets[i].variance, &asset->variance));
    }
    return STATUS_OK;
}

void aged_market_free(struct market *aged)
{
    for (int i = 0; aged->currencies && i < aged->n_currencies; i++)
        term_free(&aged->currencies[i].rate);
    for (int i = 0; aged->assets && i < aged->n_assets; i++) {
        term_free(&aged->assets[i].yield);
        term_free(&aged->assets[i].variance);
    }
    free(aged->currencies);
    free(aged->assets);
    *aged = (struct market){0};
}

/* ---- dates ----------------------------------------------------------------------------------- */

/* The least of some dates that are later than `from`, and no later than `to`. */
static double next_of(const struct term_structure *dates, int n, double from, double to)
{
    for (int i = 0; i < n && dates->time[i] < to; i++)
        if (dates->time[i] > from) return dates->time[i];
    return to;
}

/* Dates on which an asset's forward volatility changes. The correlation of two assets' moves over a
 * step is that of their noise only where neither's volatility changes within it. */
static int pillars_of(const struct group_draft *draft, int asset)
{
    bool flat = draft->market->assets[asset].variance.n < 2;
    return draft->n_assets > 1 && !flat ? draft->stepped->assets[asset].variance.n : 0;
}

/* Expiries of an asset's surface, likewise, for a quanto too. They stay where they are when time
 * passes: a plan that compares such times does without. */
static int expiries_of(const struct group_draft *draft, int asset)
{
    bool apart = draft->n_assets > 1 || draft->quanto >= 0;
    return apart && draft->settings->time_around == 0.0
               ? draft->market->assets[asset].surface.n_times
               : 0;
}

/* Tells whether it is looked at where curves turn. */
static bool observes_pillars(const struct group_draft *draft, const struct observable *o)
{
    bool exercise = product_has(o->functional.trade->product, EARLY_EXERCISE);
    return o->functional.dates.continuous && !exercise && !clocked(draft->market, &o->functional);
}

/* The next date after `from` that the draft has because a curve turns there, or `to`. */
static double next_pillar(const struct group_draft *draft, bool looks, double from, double to)
{
    const struct market *laid = draft->stepped;
    for (int u = 0; u <= draft->n_assets; u++) {
        int a = u < draft->n_assets ? draft->assets[u] : draft->quanto;
        if (a < 0) continue;
        const struct asset *asset = &laid->assets[a];
        const struct term_structure *rate = &laid->currencies[asset->currency].rate;
        to = next_of(&asset->variance, looks ? asset->variance.n : pillars_of(draft, a), from, to);
        if (looks)
            to = next_of(rate, rate->n, from, next_of(&asset->yield, asset->yield.n, from, to));
    }
    return to;
}

/* Forward variance a year of a curve up to its i-th date, and from there on. */
static double variance_before(const struct term_structure *curve, int i)
{
    double from = i ? curve->time[i - 1] : 0.0, had = i ? curve->accrued[i - 1] : 0.0;
    return (curve->accrued[i] - had) / (curve->time[i] - from);
}

/* The variance, a year squared, of what the normals tell of time where the step between two dates
 * of the draft changes its length, and where volatilities that turn from `to` to `first` do so up
 * to `around` years sooner or later. */
static double cost_of(const struct group_draft *draft, double from, double to, double first)
{
    double cost = 0.0, around = draft->settings->time_around;
    for (int u = 0; u < draft->n_assets; u++) {
        const struct term_structure *variance = &draft->market->assets[draft->assets[u]].variance;
        if (!variance->n) continue;
        double aged = from > 0.0 ? term_accrued(variance, from) : 0.0, length = to - from;
        cost += (term_accrued(variance, to) - aged) / (4.0 * length * length);
        for (int i = 0; i < variance->n; i++) {
            if (variance->time[i] < to || variance->time[i] >= first) continue;
            double after =
                i + 1 < variance->n ? variance_before(variance, i + 1) : variance->beyond;
            double jump = sqrt(after) - sqrt(variance_before(variance, i));
            cost += jump * jump / (2.0 * around);
        }
    }
    return cost;
}

/* The step that changes its length, from today or from a date that is there for a curve to the next
 * date, is the one that costs least. */
static void choose_step(const struct group_draft *draft, struct ageing *ageing)
{
    bool looks = false;
    double first = ageing->after, least = HUGE_VAL;
    if (ageing->before > 0.0 || first == HUGE_VAL || draft->settings->time_around == 0.0) return;
    for (int i = 0; i < draft->n_observables; i++)
        looks |= observes_pillars(draft, &draft->observables[i]);
    if (!looks && draft->n_assets < 2) return;
    for (double from = 0.0, to; from < first; from = to) {
        to = next_pillar(draft, looks, from, first);
        double cost = cost_of(draft, from, to, first);
        if (to - from > 3.0 * draft->settings->time_around && cost < least)
            ageing->stay = from, ageing->after = to, least = cost;
    }
}

struct ageing group_ageing(const struct group_draft *draft, double years)
{
    struct ageing ageing = {.years = years, .after = HUGE_VAL};
    if (years == 0.0) return ageing; /* by which no date moves */
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        /* others: looks */
        int first = o->functional.dates.continuous && o->n_dates ? o->n_dates - 1 : 0;
        if (o->functional.begin > 0.0) ageing_add_date(&ageing, o->functional.begin);
        for (int j = first; j < o->n_dates; j++)
            if (o->dates[j] > FIRST_EXERCISE)
                ageing_add_date(&ageing, o->dates[j]); /* today stays today */
    }
    for (int u = 0; u < draft->n_assets; u++) {
        const struct asset *asset = &draft->market->assets[draft->assets[u]];
        for (int i = 0; i < asset->n_dividends; i++)
            ageing_add_date(&ageing, asset->dividends[i].time);
        for (int i = 0; i < asset->falls.n; i++) ageing_add_date(&ageing, asset->falls.time[i]);
    }
    choose_step(draft, &ageing);
    return ageing;
}

/* All dates that something happens on, once each. `times` has room for them. */
static size_t gather_dates(const struct group_draft *draft, double *times)
{
    size_t n = 0, n_dates = 0;
    double last = draft->last;
    for (int i = 0; i < draft->n_observables; i++)
        for (int j = 0; j < draft->observables[i].n_dates; j++)
            times[n++] = draft->observables[i].dates[j];
    for (int u = 0; u < draft->n_assets; u++) {
        const struct asset *asset = &draft->market->assets[draft->assets[u]];
        for (int i = 0; i < asset->n_dividends; i++)
            if (asset->dividends[i].time <= last) times[n++] = asset->dividends[i].time;
        const double *turns = draft->stepped->assets[draft->assets[u]].variance.time;
        for (int i = 0; i < pillars_of(draft, draft->assets[u]); i++)
            if (turns[i] < last) times[n++] = turns[i];
        for (int i = 0; i < expiries_of(draft, draft->assets[u]); i++)
            if (asset->surface.times[i] < last) times[n++] = asset->surface.times[i];
    }
    sort_doubles(n, times);
    for (size_t i = 0; i < n; i++)
        if (!n_dates || times[i] - times[n_dates - 1] > SAME_DATE) times[n_dates++] = times[i];
    return n_dates;
}

/* Adds to n increasing dates the ends of an asset's days before the last of them, but those that a
 * date is near enough to be (models/dynamics/historical.h). Days end at 0, 1, ... times their
 * length. */
static size_t add_days(const struct asset *asset, size_t n, double *times)
{
    double day = asset->history.interval, last = n ? times[n - 1] : 0.0;
    size_t all = n, next = 0;
    if (asset->model != MODEL_HISTORICAL) return n;
    for (double k = 1.0; k * day < last; k++) {
        while (next < n && historical_days(times[next], day) < k) next++;
        if (next < n && historical_days(times[next], day) > k) times[all++] = k * day;
    }
    sort_doubles(all, times);
    return all;
}

/* Returns the equal parts that the period between two dates is cut into so that none is longer than
 * `longest`, wherever the plan's today may be. */
static size_t steps_between(const struct ageing *ageing, double from, double to, double longest)
{
    double period = fmax(to - from, years_left(ageing, to) - years_left(ageing, from)),
           parts = ceil(period / longest - 1e-9);
    return parts > 1.0 ? (size_t)parts : 1;
}

/* Returns the longest step of an asset beside others. Over a step they go together as the roots of
 * their mean variances do, which is more than the mean of the roots, where the variance moves much
 * within it. So xi^2 dt is at most a tenth of v, in steps of a quarter of max_step at the
 * shortest. */
static double step_beside_others(const struct asset *asset, double max_step)
{
    const struct heston *heston = &asset->heston;
    if (!model_has(asset->model, REMEMBERS_VARIANCE)) return max_step;
    double calm = fmin(heston->v0, heston->theta) / (10.0 * heston->xi * heston->xi);
    return fmin(max_step, fmax(calm, 0.25 * max_step)); /* xi = 0: v is what it is */
}

/* Returns the longest step that an asset of a market may take on its way to a date, or to any. */
static double longest_in(const struct group_draft *draft, const struct market *market, int index,
                         double date)
{
    const struct asset *asset = &market->assets[index];
    double max_step = draft->settings->max_step;
    if (draft->n_assets > 1) max_step = step_beside_others(asset, max_step);
    return model_longest_step(asset, date, max_step);
}

/* Returns the same under all markets whose paths are compared. */
static double longest_step(const struct group_draft *draft, int index, double date)
{
    const struct plan_settings *settings = draft->settings;
    double longest = longest_in(draft, draft->market, index, date);
    for (int i = 0; i < settings->n_scenarios; i++)
        longest = fmin(longest, longest_in(draft, settings->scenarios[i].market, index, date));
    return longest;
}

#define MOST_EARLY_CUTS 1000.0 /* that steps on the way to near dates add to those to any */

/* Makes an array of how long the step to each of n dates may be: `longest`, or less on the way to
 * the shortest life of an observable that is over on that date or later. NULL: no memory. */
static double *longest_steps(const struct group_draft *draft, size_t n, const double *times,
                             double longest)
{
    double *steps = malloc(sizeof *steps * (n + 1));
    bool remembers = false; /* others bear the same step to any date */
    for (int u = 0; u < draft->n_assets; u++)
        remembers |= model_has(draft->market->assets[draft->assets[u]].model, REMEMBERS_VARIANCE);
    for (size_t i = 0; steps && i < n; i++) steps[i] = longest;
    for (int o = 0; steps && remembers && o < draft->n_observables; o++) {
        const struct observable *observable = &draft->observables[o];
        if (!observable->n_dates) continue;
        double end = observable->dates[observable->n_dates - 1], step = longest;
        for (int u = 0; u < draft->n_assets; u++)
            step = fmin(step, longest_step(draft, draft->assets[u], end));
        for (size_t i = 0; step < longest && i < n && times[i] <= end + SAME_DATE; i++)
            steps[i] = fmin(steps[i], step);
    }
    return steps;
}

/* The dates and, between them, the cuts, no step being longer than longest[date]. */
static enum status cut_dates(size_t n, const double *times, const double *longest,
                             const struct ageing *ageing, struct group *group)
{
    size_t all = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        all += steps_between(ageing, i ? times[i - 1] : 0.0, times[i], longest[i]);
    group->times = malloc(sizeof(double) * (all + 1));
    if (!group->times) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        double from = i ? times[i - 1] : 0.0, period = times[i] - from;
        size_t parts = steps_between(ageing, from, times[i], longest[i]);
        for (size_t p = 1; p < parts; p++)
            group->times[at++] = from + period * (double)p / (double)parts;
        group->times[at++] = times[i];
    }
    group->n_steps = (int)all;
    return STATUS_OK;
}

/* Returns the most dates that the grid has beside those of observables: ex-dates, dates of curves
 * and ends of days; and its longest step. */
static double most_turns(const struct group_draft *draft, double *longest)
{
    double cuts = 0.0;
    *longest = HUGE_VAL;
    for (int u = 0; u < draft->n_assets; u++) {
        const struct asset *asset = &draft->market->assets[draft->assets[u]];
        cuts += asset->n_dividends + pillars_of(draft, draft->assets[u]);
        cuts += expiries_of(draft, draft->assets[u]);
        if (asset->model == MODEL_HISTORICAL) cuts += draft->last / asset->history.interval + 1.0;
        *longest = fmin(*longest, longest_step(draft, draft->assets[u], HUGE_VAL));
    }
    return cuts;
}

double most_extra_steps(const struct group_draft *draft, double *longest)
{
    double turns = most_turns(draft, longest);
    return turns + (draft->last + draft->settings->time_ahead) / *longest + MOST_EARLY_CUTS;
}

enum status make_grid_dates(const struct group_draft *draft, struct group *group)
{
    double longest, extra = most_turns(draft, &longest);
    double *times = malloc(sizeof *times * (draft->n_dates + (size_t)extra + 1));
    if (!times) return STATUS_NO_MEMORY;
    size_t n = gather_dates(draft, times);
    for (int u = 0; u < draft->n_assets; u++)
        n = add_days(&draft->market->assets[draft->assets[u]], n, times);
    struct ageing ageing = group_ageing(draft, -draft->settings->time_ahead);
    double *steps = longest_steps(draft, n, times, longest);
    enum status status = steps ? cut_dates(n, times, steps, &ageing, group) : STATUS_NO_MEMORY;
    free(steps);
    free(times);
    return status;
}

int step_of(const struct group *group, int from, double date)
{
    int low = from, high = group->n_steps - 1;
    for (int near = 0; near < 2 && low < high; near++, low++) /* dates follow each other, mostly */
        if (!(group->times[low] < date - SAME_DATE)) return low;
    while (low < high) {
        int middle = (low + high) / 2;
        if (group->times[middle] < date - SAME_DATE) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Assets of the same number of past returns in blocks of the same length draw the same indices, so
 * that their returns of one day stay together: the asset whose stream that is, itself where it is
 * the first. */
static int stream_of(const struct group_draft *draft, int u)
{
    const struct asset *asset = &draft->market->assets[draft->assets[u]];
    for (int i = 0; i < u; i++) {
        const struct asset *other = &draft->market->assets[draft->assets[i]];
        bool both = asset->model == MODEL_HISTORICAL && other->model == MODEL_HISTORICAL;
        bool alike = asset->history.n == other->history.n &&
                     asset->history.block == other->history.block &&
                     asset->history.interval == other->history.interval;
        if (both && alike) return draft->assets[i];
    }
    return draft->assets[u];
}

static enum status make_underlyings(const struct group_draft *draft, struct group *group)
{
    group->n_underlyings = draft->n_assets;
    group->quanto = draft->quanto;
    group->underlyings = calloc((size_t)draft->n_assets, sizeof *group->underlyings);
    if (!group->underlyings) return STATUS_NO_MEMORY;
    for (int u = 0; u < draft->n_assets; u++) {
        const struct asset *asset = &draft->market->assets[draft->assets[u]];
        struct underlying *underlying = &group->underlyings[u];
        *underlying = (struct underlying){.asset = draft->assets[u],
                                          .stream = stream_of(draft, u),
                                          .model = asset->model,
                                          .factor = group->n_factors,
                                          .coefficient = group->width};
        model_begin(asset, &underlying->start);
        group->n_factors += model_factors(asset->model);
        group->width += model_coefficients(asset->model);
    }
    return STATUS_OK;
}

/* Correlation of two of the draft's assets: none where an index stands for the normal. */
static double correlation_of(const struct group_draft *draft, size_t i, size_t j)
{
    const struct market *market = draft->market;
    int a = draft->assets[i], b = draft->assets[j];
    bool indices =
        market->assets[a].model == MODEL_HISTORICAL || market->assets[b].model == MODEL_HISTORICAL;
    if (indices) return a == b ? 1.0 : 0.0;
    return market->correlation[(size_t)a * (size_t)market->n_assets + (size_t)b];
}

/* The factor of the underlyings' own block of the correlation matrix. */
static enum status make_loadings(const struct group_draft *draft, struct group *group,
                                 struct message *why)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)draft->n_assets;
    double *block = malloc(sizeof *block * n * n);
    group->loadings = calloc(n * n, sizeof *group->loadings);
    if (!block || !group->loadings) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) block[i * n + j] = correlation_of(draft, i, j);
    group->loadings[0] = 1.0;
    if (n > 1) status = correlation_loadings((int)n, block, group->loadings, NULL);
    if (status == STATUS_BAD_INPUT)
        status = say_why(STATUS_FAILED, why, "no market has the correlations of its assets");
done:
    free(block);
    return status;
}

static int compare_dividends(const void *a, const void *b)
{
    const struct dividend *p = a, *q = b;
    return p->step != q->step ? p->step - q->step : p->underlying - q->underlying;
}

static enum status make_dividends(const struct group_draft *draft, struct group *group)
{
    size_t room = 1;
    double last = group->n_steps ? group->times[group->n_steps - 1] : 0.0;
    for (int u = 0; u < draft->n_assets; u++)
        room += (size_t)draft->market->assets[draft->assets[u]].n_dividends;
    group->dividends = calloc(room, sizeof *group->dividends);
    if (!group->dividends) return STATUS_NO_MEMORY;
    for (int u = 0; u < draft->n_assets; u++) {
        const struct asset *asset = &draft->market->assets[draft->assets[u]];
        for (int i = 0; i < asset->n_dividends; i++) {
            const struct cash_dividend *paid = &asset->dividends[i];
            if (paid->time > last + SAME_DATE) break;
            group->dividends[group->n_dividends++] =
                (struct dividend){step_of(group, 0, paid->time), u, paid->amount};
        }
    }
    qsort(group->dividends, (size_t)group->n_dividends, sizeof *group->dividends,
          compare_dividends);
    return STATUS_OK;
}

static enum status make_coefficients(struct group_draft *draft, struct group *group,
                                     struct message *why)
{
    enum status status = STATUS_OK;
    size_t width = (size_t)group->width;
    group->coefficients = calloc((size_t)group->n_steps * width + 1, sizeof *group->coefficients);
    if (!group->coefficients) return STATUS_NO_MEMORY;
    group->lookup.later = &draft->tabled;
    struct ageing ageing = group_ageing(draft, draft->settings->time_passed);
    for (int j = 0; j < group->n_steps; j++) {
        if (asked_to_stop(draft->settings->stop)) TRY(STATUS_INTERRUPTED);
        struct time_step time_step = {j ? group->times[j - 1] : 0.0, group->times[j],
                                      group->quanto};
        struct time_step left = {years_left(&ageing, time_step.from),
                                 years_left(&ageing, time_step.to), group->quanto};
        for (int u = 0; u < group->n_underlyings; u++) {
            const struct underlying *underlying = &group->underlyings[u];
            /* Which keep their place on the grid */
            bool days = underlying->model == MODEL_HISTORICAL;
            double *c = group->coefficients + (size_t)j * width + (size_t)underlying->coefficient;
            TRY(model_step_coefficients(days ? draft->aged : draft->market, underlying->asset,
                                        days ? &time_step : &left, c, &group->lookup, why));
        }
    }
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *underlying = &group->underlyings[u];
        TRY(model_path_coefficients(&draft->market->assets[underlying->asset], group->n_steps,
                                    group->width, group->coefficients + underlying->coefficient,
                                    &group->lookup, why));
    }
done:
    lookup_forget(&group->lookup);
    return status;
}

enum status make_grid_steps(struct group_draft *draft, struct group *group, struct message *why)
{
    MUST(make_underlyings(draft, group));
    MUST(make_loadings(draft, group, why));
    MUST(make_dividends(draft, group));
    return make_coefficients(draft, group, why);
}
