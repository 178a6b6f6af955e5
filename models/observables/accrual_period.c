#include "models/observables/accrual_period.h"

#include <math.h>
#include <stdlib.h>

#include "models/math/constants.h"
#include "models/payoffs/scripted.h"
#include "models/base/grow.h"
#include "models/base/order.h"

static const struct asset *asset_of(const struct market *market,
                                    const struct functional *functional)
{
    return &market->assets[trade_asset(functional->trade, functional->asset)];
}

static const struct asset *quanto_of(const struct market *market,
                                     const struct functional *functional)
{
    int fx = functional->trade->quanto;
    return fx >= 0 ? &market->assets[fx] : NULL;
}

bool clocked(const struct market *market, const struct functional *functional)
{
    return model_has(asset_of(market, functional)->model, REMEMBERS_CLOCK);
}

bool is_strip(const struct functional *r)
{
    return (r->kind == FUNCTIONAL_SURVIVAL || r->kind == FUNCTIONAL_PAYMENT_AT_HIT) &&
           r->lower > 0.0 && r->upper < HUGE_VAL;
}

bool dividend_at(const struct market *market, const struct functional *functional, double time)
{
    const struct asset *a = asset_of(market, functional);
    for (int i = 0; i < a->n_dividends; i++)
        if (fabs(a->dividends[i].time - time) <= SAME_LOOK) return true;
    return false;
}

/* ---- what accrues ---------------------------------------------------------------------------- */

static double accrued(const struct term_structure *term, double from, double to)
{
    if (!term->n) return 0.0;
    return term_accrued(term, to) - (from > 0.0 ? term_accrued(term, from) : 0.0);
}

static double covariance_with_fx(const struct market *market, const struct functional *functional,
                                 double variance, double from, double to)
{
    const struct asset *fx = quanto_of(market, functional);
    if (!fx) return 0.0;
    double correlation =
        market->correlation[trade_asset(functional->trade, functional->asset) * market->n_assets +
                            functional->trade->quanto];
    return correlation * sqrt(variance * accrued(&fx->variance, from, to));
}

double accrued_variance(const struct market *market, const struct functional *functional,
                        double from, double to)
{
    return accrued(&asset_of(market, functional)->variance, from, to);
}

struct accrual_period accrual_between(const struct market *market,
                                      const struct functional *functional, double from, double to)
{
    const struct asset *a = asset_of(market, functional);
    const struct term_structure *asset_rate = &market->currencies[a->currency].rate;
    const struct currency *paid = &market->currencies[trade_currency(market, functional->trade)];
    double lag = functional->trade->payment_lag, due = accrued_to_payment(paid, to, lag);
    double variance = accrued_variance(market, functional, from, to);
    double drift = accrued(asset_rate, from, to) - accrued(&a->yield, from, to) - 0.5 * variance;
    return (struct accrual_period){to - from, due - accrued_to_payment(paid, from, lag),
                                   drift -
                                       covariance_with_fx(market, functional, variance, from, to),
                                   variance, exact_exp2(-due / LN2)};
}

struct roots accrual_roots(const struct accrual_period *period)
{
    double v = period->variance, drift = period->drift;
    double square = drift * drift + 2.0 * v * period->rate, least = 1e-12 * (drift * drift + v * v);
    if (square < -least) return (struct roots){-drift / v, sqrt(-square) / v, true};
    double root = sqrt(square > least ? square : least);
    return (struct roots){(-drift + root) / v, (-drift - root) / v, false};
}

/* ---- a list of dates ------------------------------------------------------------------------- */

struct list {
    int n, room;
    double *dates;
    enum status status; /* STATUS_FAILED: it was full; STATUS_NO_MEMORY; then it takes no more */
};

static void list_add(struct list *list, double date)
{
    if (!list->status && list->n == DATES_MOST) list->status = STATUS_FAILED;
    if (!list->status)
        list->status = grow_array(&list->dates, &list->room, list->n + 1, sizeof *list->dates);
    if (!list->status) list->dates[list->n++] = date;
}

/* ---- continuous monitoring ------------------------------------------------------------------- */

static void add_pillars(const struct term_structure *term, double end, struct list *list)
{
    for (int i = 0; i < term->n && term->time[i] < end; i++) list_add(list, term->time[i]);
}

/* Adds the dates from which on what is fixed is paid at another rate. A curve of one date has one
 * rate. */
static void add_payment_pillars(const struct market *market, const struct functional *functional,
                                struct list *list)
{
    const struct trade *trade = functional->trade;
    const struct term_structure *paid = &market->currencies[trade_currency(market, trade)].rate;
    for (int i = 0; trade->payment_lag > 0.0 && paid->n > 1 && i < paid->n; i++) {
        double date = paid->time[i] - trade->payment_lag;
        if (date > SAME_LOOK && date < functional->end) list_add(list, date);
    }
}

/* Adds all dates between which rate, yield, variance and covariance with the FX rate of a quanto
 * accrue evenly. */
static void add_all_pillars(const struct market *market, const struct functional *functional,
                            struct list *list)
{
    const struct asset *a = asset_of(market, functional), *fx = quanto_of(market, functional);
    add_pillars(&market->currencies[a->currency].rate, functional->end, list);
    add_pillars(&a->yield, functional->end, list);
    add_pillars(&a->variance, functional->end, list);
    if (fx) add_pillars(&market->currencies[fx->currency].rate, functional->end, list);
    if (fx) add_pillars(&fx->variance, functional->end, list);
    add_payment_pillars(market, functional, list);
}

/* Adds the look at a dividend, and the one before it. */
static void add_dividend(double time, double end, struct list *list)
{
    if (time > BEFORE_DIVIDEND) list_add(list, time - BEFORE_DIVIDEND);
    if (time < end) list_add(list, time);
}

static void add_dividends(const struct asset *a, double end, struct list *list)
{
    for (int i = 0; i < a->n_dividends && a->dividends[i].time <= end + SAME_LOOK; i++)
        add_dividend(a->dividends[i].time, end, list);
}

/* Adds dates about proportional dividends: what is watched at every moment has those of the yield,
 * which they are in. */
static void add_falls(const struct asset *a, double end, struct list *list)
{
    for (int i = 1; i < a->falls.n && a->falls.time[i] <= end + SAME_LOOK; i += 2)
        add_dividend(a->falls.time[i], end, list);
}

/* Adds the dates on which the trade's script sees an asset: what a path does between them goes with
 * what it, and others, show on them. */
static void add_script_dates(const struct functional *functional, struct list *list)
{
    const struct scripted *scripted = functional->trade->scripted;
    for (int i = 0; scripted && i < scripted->program.n_inputs; i++) {
        const struct program_input *input = &scripted->program.inputs[i];
        if (input->date < functional->end) list_add(list, input->date);
        if (input->from > 0.0 && input->from < functional->end) list_add(list, input->from);
    }
}

/* A payment at the hit of a strip weighs paths by 2^(p x): periods are cut so that this stays near
 * 1 within each; as often as may be where a wave is steep. */
enum { MOST_CUTS = 256 };

static int period_cuts(const struct market *market, const struct functional *functional,
                       double from, double to)
{
    struct accrual_period period = accrual_between(market, functional, from, to);
    struct roots roots = accrual_roots(&period);
    double steepest = fmax(fabs(roots.p), fabs(roots.q)),
           cuts = ceil(steepest * steepest * period.variance);
    double width = exact_log2(functional->upper) - exact_log2(functional->lower);
    if (roots.wave && roots.q * LN2 * width > HALF_WAVE) cuts = MOST_CUTS;
    double most = fmin(MOST_CUTS, (to - from) / (2.0 * SAME_LOOK)); /* each a step of its own */
    cuts = fmin(cuts, most); /* a number, whatever the roots are */
    return cuts > 1.0 ? (int)cuts : 1;
}

/* Returns the years that an asset is watched for without a pause: those of a functional, and of
 * what its script watches before, beside and after it. */
static double watched_years(const struct functional *functional)
{
    const struct scripted *scripted = functional->trade->scripted;
    double from = functional->begin, to = functional->end;
    for (bool grows = scripted; grows;) {
        grows = false;
        for (int i = 0; i < scripted->program.n_inputs; i++) {
            const struct program_input *input = &scripted->program.inputs[i];
            bool watches = input->kind == INPUT_HIGHEST || input->kind == INPUT_LOWEST ||
                           input->kind == INPUT_SURVIVAL;
            if (!watches || input->asset != functional->asset || input->from > to ||
                input->date < from || (input->from >= from && input->date <= to))
                continue;
            from = fmin(from, input->from), to = fmax(to, input->date);
            grows = true;
        }
    }
    return to - from;
}

/* Returns years between the looks of a clocked observable, whose bias falls with them
 * (variance_clock.h): eight in the longest step, but half a year's at least and a year's at most
 * however long it is watched, 200 and 400 where that step is 0.02, and a year's where jumps are
 * taken for part of a bridge, or bridges go together; never less than one a step. */
static double look_spacing(const struct asset *asset, const struct functional *functional,
                           double max_step)
{
    double life = watched_years(functional);
    bool close = functional->closely || model_takes(asset->model, TAKES_JUMPS);
    double even = life / 8.0, closest = close ? even : life / 4.0;
    return max_step * fmin(fmax(fmin(0.125, closest), even), 1.0);
}

static void continuous_dates(const struct market *market, const struct functional *functional,
                             double max_step, struct list *list)
{
    struct list looks = {0};
    const struct asset *asset = asset_of(market, functional);
    bool clock = clocked(market, functional), strip = is_strip(functional) && !clock;
    double begin = functional->begin, from = begin,
           spacing = asset->model == MODEL_HISTORICAL ? asset->history.interval
                                                      : look_spacing(asset, functional, max_step);
    bool even = (clock || functional->closely) && spacing > 0.0;
    double look = even ? floor(begin / spacing) + 1.0 : 0.0;
    for (; even && look * spacing < functional->end - SAME_LOOK && !looks.status; look++)
        list_add(&looks, look * spacing);
    if (!clock) add_all_pillars(market, functional, &looks);
    add_dividends(asset, functional->end, &looks);
    add_script_dates(functional, &looks);
    sort_doubles((size_t)looks.n, looks.dates);
    list_add(&looks, functional->end);
    if (begin > 0.0) list_add(list, begin);
    for (int i = 0; i < looks.n; i++) {
        double to = looks.dates[i];
        if (to - from < SAME_LOOK) continue;
        int cuts = strip ? period_cuts(market, functional, from, to) : 1;
        for (int j = 1; j < cuts; j++) list_add(list, from + (to - from) * j / cuts);
        list_add(list, to);
        from = to;
    }
    if (looks.status) list->status = looks.status;
    free(looks.dates);
}

/* ---- all others ------------------------------------------------------------------------------ */

bool has_end(const struct functional *r)
{
    return r->dates.continuous || r->kind == FUNCTIONAL_RETURNS || r->kind == FUNCTIONAL_REST ||
           product_has(r->trade->product, LOOKS_AT_EXPIRY);
}

/* Tells whether a second look on one date is the first one again: of exercise, and of the basket
 * that it is into. (Fixings and returns count each time.) */
static bool looks_once(const struct functional *r)
{
    return r->kind == FUNCTIONAL_EXERCISE ||
           (r->kind >= FUNCTIONAL_SUM_OF && r->kind <= FUNCTIONAL_WORST_OF);
}

/* Lists the dates of a schedule. Of dates that are one where that is looked at once, the last
 * stands: every date is a step of its own, which the fit of exercise counts on. What a date at time
 * 0 sees is in the observable's first state; the right to exercise on it is used at once. */
static void scheduled_dates(const struct functional *functional, struct list *list)
{
    const struct schedule *dates = &functional->dates;
    bool exercised = product_has(functional->trade->product, EARLY_EXERCISE);
    for (int i = 0; i < dates->n; i++) {
        if (dates->times[i] <= 0.0 && !exercised) continue;
        double date = dates->times[i] > 0.0 ? dates->times[i] : FIRST_EXERCISE;
        bool again = list->n && date - list->dates[list->n - 1] <= 2.0 * SAME_LOOK;
        if (again && looks_once(functional)) list->dates[list->n - 1] = date;
        else list_add(list, date);
    }
    if (has_end(functional) && (!list->n || functional->end - list->dates[list->n - 1] > SAME_LOOK))
        list_add(list, functional->end);
}

/* Exercise at any time, as a Bermudan right on evenly spaced dates: EXERCISES_A_YEAR, but no fewer
 * than LEAST_EXERCISES and no more than MOST_EXERCISES; and one at FIRST_EXERCISE, which stands for
 * today. Against binomial trees (puts, spot 0.85 to 1.05 of the strike, volatilities 15% and 30%)
 * the value of n dates is too low by about 0.2 r T / n of the strike: below 1e-4 to five years,
 * below 2e-4 to ten, at rates r up to 10%. Where an asset pays dividends on dates, there is one
 * just before each drop, at which a call is best taken, and one at it. */
enum { EXERCISES_A_YEAR = 250, LEAST_EXERCISES = 512, MOST_EXERCISES = 1000 };

static int exercises_to(double end)
{
    double wanted = fmin(fmax(ceil(EXERCISES_A_YEAR * end), LEAST_EXERCISES), MOST_EXERCISES);
    wanted = fmin(wanted, end / (3.0 * SAME_LOOK)); /* each a step of its own */
    return wanted > 1.0 ? (int)wanted : 1;
}

double exercise_spacing(double end)
{
    return end / exercises_to(end);
}

/* Sorts dates of which two may be one, and leaves each once. */
static void list_arrange(struct list *list)
{
    int n_dates = 0;
    sort_doubles((size_t)list->n, list->dates);
    for (int i = 0; i < list->n; i++)
        if (!n_dates || list->dates[i] - list->dates[n_dates - 1] > 2.0 * SAME_LOOK)
            list->dates[n_dates++] = list->dates[i];
    list->n = n_dates;
}

static void exercise_dates_to(const struct market *market, const struct functional *functional,
                              struct list *list)
{
    double end = functional->end;
    int n = exercises_to(end);
    if (end / n > 2.0 * FIRST_EXERCISE) list_add(list, FIRST_EXERCISE);
    for (int i = 1; i <= n; i++) list_add(list, i * end / n);
    int even = list->n;
    for (int i = 0; i < trade_n_assets(functional->trade); i++) {
        add_dividends(&market->assets[trade_asset(functional->trade, i)], end, list);
        add_falls(&market->assets[trade_asset(functional->trade, i)], end, list);
    }
    if (list->n > even) list_arrange(list);
}

enum status functional_dates(const struct market *market, const struct functional *functional,
                             double max_step, double **dates, int *n_dates, struct message *why)
{
    struct list list = {0};
    if (!functional->dates.continuous) scheduled_dates(functional, &list);
    else if (product_has(functional->trade->product, EARLY_EXERCISE))
        exercise_dates_to(market, functional, &list);
    else continuous_dates(market, functional, max_step, &list);
    enum status status = list.status;
    if (!status && functional->kind == FUNCTIONAL_EXERCISE && list.n > EXERCISES_MOST)
        status = STATUS_FAILED;
    if (!list.dates) list.dates = calloc(1, sizeof(double)); /* all of them are past */
    if (!list.dates) status = STATUS_NO_MEMORY;
    if (status == STATUS_FAILED)
        say_why(status, why,
                "its paths would be looked at on more than %d dates: a longer max_step or a "
                "shorter schedule has fewer",
                functional->kind == FUNCTIONAL_EXERCISE ? EXERCISES_MOST : DATES_MOST);
    if (status) free(list.dates), list = (struct list){0};
    *dates = list.dates;
    *n_dates = list.n;
    return status;
}
