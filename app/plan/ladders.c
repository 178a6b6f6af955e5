#include "app/plan/ladders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/payoffs/trade.h"

/* ---- a payoff as a line beyond its strike -------------------------------------------------------- */

/* Whether a product's payoff is a straight line beyond its strike, read off the observed spot alone. */
static bool is_line(const struct payoff *payoff)
{
    return payoff->formula == FORMULA_EUROPEAN || payoff->formula == FORMULA_DIGITAL;
}

/* european_value and digital_value (their k) as lines in D = S - centre. */
static struct ladder_payoff line_of(const struct payoff *payoff, double centre)
{
    const double *k = payoff->k;
    struct ladder_payoff line = {.above = k[0] > 0.0};
    if (payoff->formula == FORMULA_EUROPEAN) {
        line.beta = k[0] * k[2];
        line.alpha = -line.beta * (k[1] - centre);
    } else {
        line.beta = k[3];
        line.alpha = fma(k[3], centre, k[2]);
    }
    return line;
}

/* ---- one ladder ---------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int strike_index(const struct ladder *ladder, double strike)
{
    int low = 0, high = ladder->n_strikes - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ladder->strikes[middle] < strike) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Cells: four a strike, even in log2 between the outermost strikes. */
static enum status lay_cells(struct ladder *ladder)
{
    double low = exact_log2(ladder->strikes[0]), high = exact_log2(ladder->strikes[ladder->n_strikes - 1]);
    ladder->n_cells = 4 * ladder->n_strikes + 2;
    ladder->cells_a_log2 = (ladder->n_cells - 2) / (high > low ? high - low : 1.0);
    ladder->low = low - 1.0 / ladder->cells_a_log2;
    ladder->first = calloc((size_t)ladder->n_cells + 1, sizeof(int));
    if (!ladder->first) return STATUS_NO_MEMORY;
    for (int i = 0; i < ladder->n_strikes; i++)
        ladder->first[ladder_cell(ladder, exact_log2(ladder->strikes[i])) + 1]++;
    for (int c = 1; c <= ladder->n_cells; c++) {
        if (ladder->first[c] > ladder->depth) ladder->depth = ladder->first[c];
        ladder->first[c] += ladder->first[c - 1];
    }
    return STATUS_OK;
}

/* Strikes of n payoffs, increasing, each once, with room for the search to run past the last. */
static enum status lay_strikes(struct ladder *ladder, const struct payoff *payoffs, int n)
{
    ladder->strikes = malloc(sizeof(double) * 2 * (size_t)n);
    if (!ladder->strikes) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) ladder->strikes[i] = payoffs[i].k[1];
    qsort(ladder->strikes, (size_t)n, sizeof(double), compare_numbers);
    for (int i = 0; i < n; i++)
        if (!i || ladder->strikes[i] != ladder->strikes[ladder->n_strikes - 1])
            ladder->strikes[ladder->n_strikes++] = ladder->strikes[i];
    for (int i = ladder->n_strikes; i < 2 * n; i++) ladder->strikes[i] = HUGE_VAL;
    return STATUS_OK;
}

static enum status lay_ladder(struct ladder *ladder, const struct group *group, int first, int n)
{
    enum status status = STATUS_OK;
    const struct payoff *payoffs = group->payoffs + first;
    *ladder = (struct ladder){.row = payoffs[0].seen[0], .first_payoff = first, .n_payoffs = n};
    TRY(lay_strikes(ladder, payoffs, n));
    TRY(lay_cells(ladder));
    ladder->centre = ladder->strikes[ladder->n_strikes / 2];
    ladder->payoffs = malloc(sizeof *ladder->payoffs * (size_t)n);
    if (!ladder->payoffs) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < n; i++) {
        ladder->payoffs[i] = line_of(&payoffs[i], ladder->centre);
        ladder->payoffs[i].strike = strike_index(ladder, payoffs[i].k[1]);
    }
done:
    return status;
}

void ladder_free(struct ladder *ladder)
{
    free(ladder->strikes);
    free(ladder->first);
    free(ladder->payoffs);
}

/* ---- the group ----------------------------------------------------------------------------------- */

/* Number of lines on each row. */
static int *count_lines(const struct group *group)
{
    int *lines = calloc((size_t)group->n_rows + 1, sizeof *lines);
    for (int i = 0; lines && i < group->n_payoffs; i++)
        if (is_line(&group->payoffs[i])) lines[group->payoffs[i].seen[0]]++;
    return lines;
}

/* Place of a payoff: row of its ladder, or -1 for those valued one by one. */
static int place_of(const struct payoff *payoff, const int *lines)
{
    return is_line(payoff) && lines[payoff->seen[0]] >= LADDER_LEAST ? payoff->seen[0] : -1;
}

/* Where each place begins in the order: [place + 1]; those valued one by one come first. */
static void begin_places(struct group *group, const int *lines, int *begin)
{
    for (int i = 0; i < group->n_payoffs; i++) begin[place_of(&group->payoffs[i], lines) + 2]++;
    for (int place = 0; place <= group->n_rows; place++) begin[place + 1] += begin[place];
    group->n_single = begin[1];
}

/* Orders payoffs and trades by place; the order within a place stays. */
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
    begin_places(group, lines, begin);
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

enum status lay_ladders(struct group *group)
{
    enum status status = STATUS_OK;
    int *lines = count_lines(group);
    if (!lines) TRY(STATUS_NO_MEMORY);
    TRY(sort_payoffs(group, lines));
    group->ladders = calloc((size_t)group->n_rows + 1, sizeof *group->ladders);
    if (!group->ladders) TRY(STATUS_NO_MEMORY);
    for (int first = group->n_single, n; first < group->n_payoffs; first += n) {
        n = lines[group->payoffs[first].seen[0]];
        TRY(lay_ladder(&group->ladders[group->n_ladders++], group, first, n));
    }
done:
    free(lines);
    return status;
}
