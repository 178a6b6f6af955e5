/* The vegas of the book at the quotes of each surface, as a desk reads them: a row for each expiry,
 * a column for each strike. */
#include <stdio.h>

#include "app/report/html.h"
#include "app/report/sections.h"

/* Returns the first vega at a strike of an asset, from which those of all dates and strikes follow;
 * -1 where there are none. */
static int first_at_strike(const struct risk *risk, int asset)
{
    for (int s = 0; s < risk->n_sensitivities; s++)
        if (risk->sensitivities[s].greek == GREEK_VEGA_STRIKE &&
            risk->sensitivities[s].asset == asset)
            return s;
    return -1;
}

static void write_heading(FILE *out, const struct surface *surface, int strike)
{
    char text[40];
    if (surface->strikes_by_time) snprintf(text, sizeof text, "strike %d", strike + 1);
    else snprintf(text, sizeof text, "%.6g", surface_strike(surface, 0, strike));
    html_heading(out, text, true, surface->strikes_by_time ? "each expiry has its own" : NULL);
}

/* A sum of vegas in money, with errors that go together. */
struct vega_sum {
    double value, error;
};

static void add(struct vega_sum *sum, const struct vega_sum *vega)
{
    sum->value += vega->value;
    sum->error += vega->error;
}

/* Writes a row of n strikes and their sum, and adds it to those of the columns. */
static void write_expiry(FILE *out, const struct results *results, int first, int n,
                         struct vega_sum *sums)
{
    struct vega_sum all = {0.0, 0.0};
    char years[40];
    snprintf(years, sizeof years, "%.6g", results->risk->sensitivities[first].bucket);
    html_row_name(out, years);
    for (int j = 0; j < n; j++) {
        struct money_total total = results_greek(results, first + j);
        double step = greek_step(results, first + j);
        struct vega_sum vega = {total.value * step, total.error * step};
        html_cell(out, estimate_text(vega.value, vega.error).text, true);
        add(&all, &vega);
        add(&sums[j], &vega);
    }
    html_cell(out, estimate_text(all.value, all.error).text, true);
    add(&sums[n], &all);
    fputs("</tr>\n", out);
}

static void write_matrix(FILE *out, const struct results *results, int asset)
{
    enum { MOST_COLUMNS = 64 };
    const struct surface *surface = &results->market->assets[asset].surface;
    int first = first_at_strike(results->risk, asset), n = surface->n_strikes;
    struct vega_sum sums[MOST_COLUMNS + 1] = {{0.0, 0.0}};
    char id[40];
    if (first < 0) return;
    if (n > MOST_COLUMNS) {
        html_left_out(out, 0, n, "strikes of a surface");
        return;
    }
    snprintf(id, sizeof id, "vega-matrix-%d", asset + 1);
    html_headings(out, id, "Vega by expiry and strike, for 1 vol point at one quote");
    html_heading(out, results->market->assets[asset].name, false, "years to the expiry");
    for (int j = 0; j < n; j++) write_heading(out, surface, j);
    html_heading(out, "all", true, NULL);
    html_headings_end(out);
    for (int i = 0; i < surface->n_times; i++) write_expiry(out, results, first + i * n, n, sums);
    html_row_name(out, "all");
    for (int j = 0; j <= n; j++)
        html_cell(out, estimate_text(sums[j].value, sums[j].error).text, true);
    fputs("</tr>\n", out);
    html_table_end(out);
}

void write_vega_matrices(FILE *out, const struct results *results)
{
    for (int a = 0; a < results->market->n_assets; a++) write_matrix(out, results, a);
}
