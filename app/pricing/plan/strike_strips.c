#include "app/pricing/plan/group_draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/order.h"
#include "models/payoffs/product_numbers.h"

/* Tells whether a product's payoff is a straight line beyond its strike, read off the observed spot
 * alone. */
static bool is_line(const struct payoff *payoff)
{
    return payoff->formula == FORMULA_EUROPEAN || payoff->formula == FORMULA_DIGITAL;
}

/* european_value and digital_value (their k) as lines in D = S - centre. */
static struct strip_payoff line_of(const struct payoff *payoff, double centre)
{
    const double *k = payoff->k;
    struct strip_payoff line = {.above = k[0] > 0.0};
    if (payoff->formula == FORMULA_EUROPEAN) {
        line.beta = k[0] * k[2];
        line.alpha = -line.beta * (k[1] - centre);
    } else {
        line.beta = k[3];
        line.alpha = fma(k[3], centre, k[2]);
    }
    return line;
}

static int strike_index(const struct strike_strip *strip, double strike)
{
    int low = 0, high = strip->n_strikes - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (strip->strikes[middle] < strike) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Cells: four a strike, even in log2 between the outermost strikes. */
static enum status make_bins(struct strike_strip *strip)
{
    double low = exact_log2(strip->strikes[0]),
           high = exact_log2(strip->strikes[strip->n_strikes - 1]);
    strip->n_cells = 4 * strip->n_strikes + 2;
    strip->cells_a_log2 = (strip->n_cells - 2) / (high > low ? high - low : 1.0);
    strip->low = low - 1.0 / strip->cells_a_log2;
    strip->first = calloc((size_t)strip->n_cells + 1, sizeof(int));
    if (!strip->first) return STATUS_NO_MEMORY;
    for (int i = 0; i < strip->n_strikes; i++)
        strip->first[strip_cell(strip, exact_log2(strip->strikes[i])) + 1]++;
    for (int c = 1; c <= strip->n_cells; c++) {
        if (strip->first[c] > strip->depth) strip->depth = strip->first[c];
        strip->first[c] += strip->first[c - 1];
    }
    return STATUS_OK;
}

/* Strikes of n payoffs, increasing, each once, with room for the search to run past the last. */
static enum status make_strikes(struct strike_strip *strip, const struct payoff *payoffs, int n)
{
    strip->strikes = malloc(sizeof(double) * 2 * (size_t)n);
    if (!strip->strikes) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) strip->strikes[i] = payoffs[i].k[1];
    sort_doubles((size_t)n, strip->strikes);
    for (int i = 0; i < n; i++)
        if (!i || strip->strikes[i] != strip->strikes[strip->n_strikes - 1])
            strip->strikes[strip->n_strikes++] = strip->strikes[i];
    for (int i = strip->n_strikes; i < 2 * n; i++) strip->strikes[i] = HUGE_VAL;
    return STATUS_OK;
}

static enum status make_strike_strip(struct strike_strip *strip, const struct group *group,
                                     int first, int n)
{
    const struct payoff *payoffs = group->payoffs + first;
    *strip =
        (struct strike_strip){.row = payoffs[0].rows[0], .first_payoff = first, .n_payoffs = n};
    MUST(make_strikes(strip, payoffs, n));
    MUST(make_bins(strip));
    strip->centre = strip->strikes[strip->n_strikes / 2];
    strip->payoffs = malloc(sizeof *strip->payoffs * (size_t)n);
    if (!strip->payoffs) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        strip->payoffs[i] = line_of(&payoffs[i], strip->centre);
        strip->payoffs[i].strike = strike_index(strip, payoffs[i].k[1]);
    }
    return STATUS_OK;
}

/* Place of a payoff: row of its strike strip, or -1 for those valued one by one. */
static int place_of(const struct payoff *payoff, const int *lines)
{
    return is_line(payoff) && lines[payoff->rows[0]] >= STRIP_PAYOFFS_MIN ? payoff->rows[0] : -1;
}

/* Orders payoffs and trades by place, those valued one by one first; the order within a place
 * stays. */
static enum status sort_payoffs(struct group *group, const int *lines)
{
    struct payoff *payoffs = malloc(sizeof *payoffs * (size_t)group->n_payoffs);
    int *trades = malloc(sizeof *trades * (size_t)group->n_payoffs);
    int *begin = calloc((size_t)group->n_rows + 2, sizeof *begin);
    if (!payoffs || !trades || !begin) {
        free(payoffs);
        free(trades);
        free(begin);
        return STATUS_NO_MEMORY;
    }
    for (int i = 0; i < group->n_payoffs; i++) begin[place_of(&group->payoffs[i], lines) + 2]++;
    for (int place = 0; place <= group->n_rows; place++) begin[place + 1] += begin[place];
    group->n_single = begin[1];
    for (int i = 0; i < group->n_payoffs; i++) {
        int at = begin[place_of(&group->payoffs[i], lines) + 1]++;
        payoffs[at] = group->payoffs[i];
        trades[at] = group->trades[i];
    }
    free(begin);
    free(group->payoffs);
    free(group->trades);
    group->payoffs = payoffs;
    group->trades = trades;
    return STATUS_OK;
}

enum status make_strike_strips(struct group *group)
{
    enum status status = STATUS_OK;
    int *lines = calloc((size_t)group->n_rows + 1, sizeof *lines); /* on each row */
    if (!lines) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < group->n_payoffs; i++)
        if (is_line(&group->payoffs[i])) lines[group->payoffs[i].rows[0]]++;
    TRY(sort_payoffs(group, lines));
    group->strips = calloc((size_t)group->n_rows + 1, sizeof *group->strips);
    if (!group->strips) TRY(STATUS_NO_MEMORY);
    for (int first = group->n_single, n; first < group->n_payoffs; first += n) {
        n = lines[group->payoffs[first].rows[0]];
        const int first_bin = group_bins(group);
        struct strike_strip *strip = &group->strips[group->n_strips++];
        TRY(make_strike_strip(strip, group, first, n));
        strip->first_bin = first_bin;
    }
done:
    free(lines);
    return status;
}
