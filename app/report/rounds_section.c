#include "app/report/sections.h"

#include <math.h>
#include <stdlib.h>

#include "app/report/html.h"
#include "app/report/svg.h"

enum { ROUNDS_MAX = 64, TRADES_DRAWN = 1000 }; /* each chart is four kilobytes of its page */

enum status round_index_make(const struct results *results, struct round_index *index)
{
    enum status status = STATUS_OK;
    const struct round_log *log = results->rounds;
    *index = (struct round_index){.log = log};
    if (!log || !log->n) return STATUS_OK;
    size_t n = (size_t)results->n;
    index->first = calloc(n + 2, sizeof *index->first);
    index->order = calloc((size_t)log->n, sizeof *index->order);
    index->trade_of = calloc(n + 1, sizeof *index->trade_of);
    if (!index->first || !index->order || !index->trade_of) TRY(STATUS_NO_MEMORY);
    for (int row = 0, trade = 0; row < results->n; row++) {
        enum verdict verdict = results->estimates[row].verdict;
        bool priced = verdict != VERDICT_EXPIRED && verdict != VERDICT_REFUSED;
        index->trade_of[row] = priced ? trade++ : -1;
    }
    for (int i = 0; i < log->n; i++) index->first[log->list[i].trade + 2]++;
    for (size_t t = 2; t < n + 2; t++) index->first[t] += index->first[t - 1];
    for (int i = 0; i < log->n; i++) index->order[index->first[log->list[i].trade + 1]++] = i;
done:
    return status;
}

void round_index_free(struct round_index *index)
{
    free(index->first);
    free(index->order);
    free(index->trade_of);
}

/* Fills rounds [ROUNDS_MAX] with those of a row's last pricing, in money for its quantity. Returns
 * how many. */
static int rounds_of(const struct round_index *index, const struct results *results, int row,
                     struct round_price *rounds)
{
    int n = 0, trade = index->first ? index->trade_of[row] : -1;
    double quantity = results->trades[row].quantity;
    if (trade < 0) return 0;
    for (int i = index->first[trade]; i < index->first[trade + 1]; i++) {
        struct round_price price = index->log->list[index->order[i]];
        if (n && price.paths <= rounds[n - 1].paths) n = 0;
        if (n == ROUNDS_MAX) break;
        price.mean *= quantity;
        price.std_error *= fabs(quantity);
        rounds[n++] = price;
    }
    return n;
}

static void chart_rounds(FILE *out, const struct results *results, int row, int n,
                         const struct round_price *rounds)
{
    double x[ROUNDS_MAX], low[ROUNDS_MAX], high[ROUNDS_MAX], y[ROUNDS_MAX],
        reference = results->estimates[row].reference;
    struct svg_range range = SVG_NOTHING;
    struct svg svg;
    char id[48];
    for (int i = 0; i < n; i++) {
        x[i] = rounds[i].paths;
        y[i] = rounds[i].mean;
        low[i] = y[i] - rounds[i].std_error;
        high[i] = y[i] + rounds[i].std_error;
        svg_include(&range, low[i]);
        svg_include(&range, high[i]);
    }
    svg_include(&range, reference);
    if (!(range.high > range.low)) return;
    snprintf(id, sizeof id, "chart-rounds-%d", row);
    html_figure(out, id, "Path of its convergence",
                "The price after each round, with one standard error either side; the dashed line "
                "is the reference.");
    svg_begin(&svg, out, SVG_HALF, 260, "Price by number of paths");
    svg_axes(&svg, (struct svg_range){x[0], x[n - 1], SVG_LOG, 0.0}, svg_rounded(range), "paths",
             results_currency(results, row));
    svg_band(&svg, n, x, low, high, "accent");
    if (isfinite(reference)) svg_rule_y(&svg, reference, "ink dashed");
    svg_curve(&svg, n, x, y, "accent");
    for (int i = 0; i < n; i++) {
        svg_tip(&svg, "%.0f paths\n%.7g ± %.2g", x[i], y[i], rounds[i].std_error);
        svg_point(&svg, x[i], y[i], 3.0, "accent");
    }
    svg_figure_end(&svg);
}

void write_rounds(FILE *out, const struct results *results, const struct round_index *index,
                  int row)
{
    struct round_price rounds[ROUNDS_MAX];
    int n = rounds_of(index, results, row, rounds);
    if (n < 2) return;
    if (results->n <= TRADES_DRAWN) chart_rounds(out, results, row, n, rounds);
    html_leaf_table(out, "The price after each round", results_currency(results, row),
                    "#paths|#price|#std error");
    for (int i = 0; i < n; i++)
        html_row(out, OF_LEAF, "%'.0f|%e±%e", rounds[i].paths, rounds[i].mean, rounds[i].std_error);
    html_leaf_table_end(out);
}
