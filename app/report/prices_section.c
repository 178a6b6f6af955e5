#include <math.h>
#include <string.h>

#include "app/pricing/value/judge.h"
#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"

enum {
    MANY = 400,    /* prices with their errors in a chart */
    POINTS = 2000, /* points of a chart */
    CLASSES = 96   /* of a histogram, at most */
};

static const char *colour_of(const struct estimate *estimate)
{
    static const char *const colours[N_VERDICTS] = {[VERDICT_OK] = "accent soft",
                                                    [VERDICT_UNCHECKED] = "warn soft",
                                                    [VERDICT_EXPIRED] = "warn soft"};
    const char *colour = colours[estimate->verdict];
    return colour ? colour : "bad";
}

/* ---- which trades are drawn ------------------------------------------------------------------ */

/* A number of a trade that decides whether it is drawn; NaN: it is not. */
typedef double (*trade_key)(const struct estimate *estimate);

static int count_above(const struct results *results, trade_key key, double level)
{
    int n = 0;
    for (int i = 0; i < results->n; i++) n += key(&results->estimates[i]) > level;
    return n;
}

/* Returns a level that at most `most` of the keys lie above, which are not negative: about the
 * least such level, -1 where there are no more than that. */
static double level_below(const struct results *results, trade_key key, int most)
{
    double low = -1.0, high = 1.0;
    if (count_above(results, key, low) <= most) return low;
    while (count_above(results, key, high) > most) high *= 10.0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        *(count_above(results, key, middle) > most ? &low : &high) = middle;
    }
    return high;
}

/* Begins the figure, with what it leaves out after the caption, which is markup. */
static void begin_figure(FILE *out, const char *id, const char *title, const char *caption,
                         int shown, int all)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s", caption);
    if (shown < all)
        snprintf(whole, sizeof whole, "%s The %s of the largest z of %s are drawn.", caption,
                 number_text(shown, 0).text, number_text(all, 0).text);
    html_figure(out, id, title, whole);
}

/* ---- prices beside their references ---------------------------------------------------------- */

/* Standard error, and distance from the reference, in percent of the reference. */
static double error_share(const struct estimate *e)
{
    bool drawn = isfinite(e->z) && e->reference != 0.0 &&
                 e->std_error > 1e-10 * fabs(e->reference) && isfinite(e->std_error);
    return drawn ? 100.0 * e->std_error / fabs(e->reference) : NAN;
}

static double distance_share(const struct estimate *e)
{
    return 100.0 * (e->price - e->reference) / fabs(e->reference);
}

static double large_z(const struct estimate *e)
{
    return isfinite(error_share(e)) ? fabs(e->z) : NAN;
}

/* Returns an axis that is even, or, where a few are far beyond the typical one, logarithmic further
 * out. */
static struct svg_range range_of_prices(const struct results *results, double level)
{
    struct svg_range range = SVG_NOTHING;
    for (int i = 0; i < results->n; i++) {
        const struct estimate *e = &results->estimates[i];
        if (!(large_z(e) > level)) continue;
        svg_include_error(&range, distance_share(e), error_share(e));
    }
    double typical = level_below(results, error_share, count_above(results, error_share, -1.0) / 2);
    svg_include(&range, 0.0);
    if (!(typical > 0.0) || fmax(-range.low, range.high) < 15.0 * typical)
        return svg_rounded(range);
    range.low *= 1.2;
    range.high *= 1.2;
    range.kind = SVG_SYMLOG;
    range.linear = typical;
    return range;
}

static void draw_price(struct svg *svg, const struct results *results, int trade, double at)
{
    const struct estimate *e = &results->estimates[trade];
    const char *colour = colour_of(e), *currency = results_currency(results, trade);
    double distance = distance_share(e), error = error_share(e);
    svg_line(svg, at, distance - error, at, distance + error, colour);
    svg_tip(svg, "%s\n%s\nprice %e/%e %s\nreference %e/%e\n%+.3g %% ± %.2g %%",
            results->trades[trade].id, trade_type(&results->trades[trade]), e->price, e->std_error,
            currency, e->reference, e->std_error, distance, error);
    svg_point(svg, at, distance, 2.5, colour);
}

static void chart_prices(FILE *out, const struct results *results)
{
    struct svg svg;
    double level = level_below(results, large_z, MANY);
    int all = count_above(results, large_z, -1.0), n = count_above(results, large_z, level), at = 0;
    if (!all) return;
    begin_figure(out, "chart-prices", "Prices beside their references",
                 "(Price - reference) as a share of the reference, with error bars of one standard "
                 "error, in the order of the book.",
                 n, all);
    svg_begin(&svg, out, SVG_HALF, 280, "Prices beside their references");
    svg_axes(&svg, (struct svg_range){0.0, n + 1.0, SVG_LINEAR, 0.0},
             range_of_prices(results, level), NULL, "price - reference, % of the reference");
    svg_rule_y(&svg, 0.0, "ink thin");
    for (int i = 0; i < results->n; i++)
        if (large_z(&results->estimates[i]) > level) draw_price(&svg, results, i, ++at);
    svg_figure_end(&svg);
}

/* ---- how precise they are -------------------------------------------------------------------- */

static double precision_of(const struct estimate *e)
{
    bool drawn = e->std_error > 1e-10 * fabs(e->price) && e->price != 0.0;
    return drawn ? 100.0 * e->std_error / fabs(e->price) : NAN;
}

enum { TYPES_MOST = 100 }; /* that have a row */

static int row_of(int n, const char *const *types, const struct trade *trade)
{
    int row = 0;
    while (row < n && strcmp(types[row], trade_type(trade)) != 0) row++;
    return row;
}

/* Lists the types of trades that have a price to draw, by their first trades, and finds how far
 * their errors reach. */
static int list_types(const struct results *results, const char **types, struct svg_range *errors)
{
    int n = 0;
    for (int i = 0; i < results->n; i++) {
        const struct trade *trade = &results->trades[i];
        double error = precision_of(&results->estimates[i]);
        if (!isfinite(error) || (n == TYPES_MOST && row_of(n, types, trade) == n)) continue;
        svg_include(errors, error);
        if (row_of(n, types, trade) == n) types[n++] = trade_type(trade);
    }
    return n;
}

static void chart_precision(FILE *out, const struct results *results)
{
    struct svg svg;
    struct svg_range errors = SVG_NOTHING;
    const char *types[TYPES_MOST];
    int all = count_above(results, precision_of, -1.0);
    int n = list_types(results, types, &errors), stride = (all + POINTS - 1) / POINTS;
    char caption[256] =
        "Standard error as a share of the price. A quarter of it takes sixteen times the paths.";
    if (!n) return;
    if (stride > 1)
        snprintf(caption + strlen(caption), sizeof caption - strlen(caption),
                 " One trade of %d is drawn.", stride);
    html_figure(out, "chart-precision", "How precise the prices are", caption);
    svg_begin(&svg, out, SVG_HALF, fmax(280.0, SVG_ABOVE + n * SVG_ROW + SVG_BELOW),
              "Standard errors by product");
    svg_rows(&svg, n, types);
    svg_x(&svg, (struct svg_range){0.9 * errors.low, 1.1 * errors.high, SVG_LOG, 0.0});
    svg_axis_x(&svg, "standard error, % of the price (logarithmic)");
    for (int i = 0, k = 0; i < results->n; i++) {
        double error = precision_of(&results->estimates[i]);
        int row = row_of(n, types, &results->trades[i]);
        if (!isfinite(error) || k++ % stride || row == n) continue;
        svg_tip(&svg, "%s\n%.2g %% of the price", results->trades[i].id, error);
        svg_line(&svg, error, row + 0.18, error, row + 0.82, "accent soft bold");
    }
    svg_figure_end(&svg);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void write_row(FILE *out, const struct results *results, int index, int n,
                      const int *columns)
{
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    results_row(results, index, &names, fields);
    for (int i = 0; i < n; i++) {
        const struct result_field *field = &fields[columns[i]];
        if (columns[i] == COLUMN_trade_id) cell_trade(out, results, index);
        else if (columns[i] == COLUMN_status)
            fprintf(out, "<td><span class=\"%s\">%s</span></td>", field->text, field->text);
        else if (result_columns[columns[i]].traits & IS_TEXT) html_cell(out, field->text, false);
        else if (field->decimals == AS_GIVEN)
            html_print(out, "<td class=\"n\">%'g</td>", field->number);
        else
            html_cell(out,
                      number_text(field->number, field->number == 0.0 ? 0 : field->decimals).text,
                      true);
        if (columns[i] != COLUMN_z) continue;
        /* z on a line from -6 to 6, as a picture of 96 by 12 */
        if (!isfinite(field->number)) fputs("<td></td>", out);
        else
            fprintf(out,
                    "<td><svg class=\"mark\" viewBox=\"0 0 96 12\" aria-hidden=\"true\"><path "
                    "d=\"M0 6H96M48 1V11\"/><circle cx=\"%.1f\" cy=\"6\" r=\"3\"/></svg></td>",
                    48.0 + 7.5 * fmax(-6.0, fmin(6.0, field->number)));
    }
    fputs("</tr>\n", out);
}

void page_prices(FILE *out, const struct results *results)
{
    int columns[N_COLUMNS], n = results_shown(results, ON_PAGE, columns);
    char headings[N_COLUMNS * 256] = "";
    for (int i = 0, at = 0; i < n; i++) {
        const struct result_column *column = &result_columns[columns[i]];
        at +=
            snprintf(headings + at, sizeof headings - (size_t)at, "%s%s%s%s|%s",
                     column->traits & IS_TEXT ? "" : "#", column->heading, column->title ? "~" : "",
                     column->title ? column->title : "", columns[i] == COLUMN_z ? "-6 to 6|" : "");
    }
    fputs("<div class=\"pair\">\n", out);
    chart_prices(out, results);
    chart_precision(out, results);
    fputs("</div>\n", out);
    struct html_rows rows =
        html_rows_begin(out, "all-prices", "Every trade, in the order of the book", NULL, headings,
                        results->n, REPORT_TRADES);
    for (int i = 0; !ferror(out) && html_rows_next(&rows, ""); i++)
        write_row(out, results, i, n, columns);
    html_rows_end(&rows, "trades");
    if (rows.shown < rows.all)
        fputs("<p class=\"note\"><code>--output=FILE.csv</code> writes them all.</p>\n", out);
}

/* ---- how z is spread ------------------------------------------------------------------------- */

static double z_size(const struct estimate *e)
{
    return isfinite(e->z) ? fabs(e->z) : NAN;
}

static void chart_histogram(FILE *out, const struct results *results)
{
    struct svg svg;
    struct svg_range counts = {0.0, 0.0, SVG_LINEAR, 0.0};
    int n = count_above(results, z_size, -1.0), classes[CLASSES] = {0};
    double width = n < 200 ? 0.5 : 0.25;
    if (n < 2) return;
    for (int i = 0; i < results->n; i++)
        if (isfinite(results->estimates[i].z))
            classes[(int)((fmax(-5.999, fmin(5.999, results->estimates[i].z)) + 6.0) / width)]++;
    for (int i = 0; i < CLASSES; i++) svg_include(&counts, classes[i]);
    svg_include(&counts, n * width / sqrt(2.0 * acos(-1.0)));
    html_figure(out, "chart-histogram", "How z is spread",
                "Trades by z; the line is the normal law.");
    svg_begin(&svg, out, SVG_HALF, 260, "Trades by z beside the normal law");
    svg_axes(&svg, (struct svg_range){-6.0, 6.0, SVG_LINEAR, 0.0}, svg_rounded(counts), "z",
             "trades");
    svg_rule_y(&svg, 0.0, "ink thin");
    for (int i = 0; i < 12.0 / width; i++) {
        double z = -6.0 + width * i;
        if (!classes[i]) continue;
        svg_tip(&svg, "z from %g to %g\n%d of %d trades", z, z + width, classes[i], n);
        svg_bar(&svg, z, 0.0, z + width, classes[i], "accent soft");
    }
    double law_z[101], law[101];
    for (int i = 0; i <= 100; i++) {
        law_z[i] = -5.0 + 0.1 * i;
        law[i] = n * width * exp(-0.5 * law_z[i] * law_z[i]) / sqrt(2.0 * acos(-1.0));
    }
    svg_curve(&svg, 101, law_z, law, "ink");
    svg_figure_end(&svg);
}

static void chart_z(FILE *out, const struct results *results)
{
    struct svg svg;
    int all = count_above(results, z_size, -1.0);
    double level = level_below(results, z_size, POINTS), limit = judge_limit(all);
    double most = fmax(1.15 * limit, fmin(20.0, level_below(results, z_size, 0)));
    int n = count_above(results, z_size, level);
    if (!all) return;
    begin_figure(out, "chart-z", "z by trade",
                 "In the order of the book; beyond the dashed limit a trade disagrees.", n, all);
    svg_begin(&svg, out, SVG_HALF, 260, "z by trade");
    svg_axes(&svg, (struct svg_range){0.0, results->n + 1.0, SVG_LINEAR, 0.0},
             (struct svg_range){-most, most, SVG_LINEAR, 0.0}, "number of the trade in the book",
             "z");
    svg_rule_y(&svg, 0.0, "ink thin");
    svg_rule_y(&svg, limit, "bad dashed");
    svg_rule_y(&svg, -limit, "bad dashed");
    for (int i = 0; i < results->n; i++) {
        const struct estimate *e = &results->estimates[i];
        if (!(z_size(e) > level)) continue;
        svg_tip(&svg, "%s\n%s\nz %.2f\n%s", results->trades[i].id, trade_type(&results->trades[i]),
                e->z, verdict_name(e->verdict));
        svg_point(&svg, i + 1.0, fmax(-most, fmin(most, e->z)), n > 300 ? 1.8 : 2.5, colour_of(e));
    }
    svg_figure_end(&svg);
}

/* ---- the agreement --------------------------------------------------------------------------- */

void page_agreement(FILE *out, const struct results *results)
{
    struct tally tally = {0.0, 0.0, 0.0};
    int beyond_two = 0;
    double largest = 0.0;
    for (int i = 0; i < results->n; i++) {
        double z = results->estimates[i].z;
        if (!isfinite(z)) continue;
        tally = tally_add(tally, z);
        beyond_two += fabs(z) > 2.0;
        largest = fmax(largest, fabs(z));
    }
    int n = (int)tally.n;
    if (!n) {
        fputs("<p class=\"note\">No trade was compared with a reference.</p>\n", out);
        return;
    }
    fputs(
        "<p>z is the distance of a price from its reference in units of the standard error of "
        "both. Trades on common paths err together: the histogram of a small book may lean to one "
        "side.</p>\n<div class=\"pair\">\n",
        out);
    chart_histogram(out, results);
    chart_z(out, results);
    fputs("</div>\n", out);
    html_table_begin(out, "agreement-facts", "Prices against references", NULL,
                     "of z|#found|#expected|of a book without error");
    html_row(out, OF_PAGE, "trades compared|#%'d|#–|", n);
    html_row(out, OF_PAGE, "mean|#%'.2f|#0.00|", tally.mean);
    html_row(out, OF_PAGE,
             "standard deviation|#%'.2f|#1.00|less where references state bounds of their errors",
             n > 1 ? sqrt(tally.m2 / (n - 1)) : NAN);
    html_row(out, OF_PAGE, "beyond 2|#%'d|#%'.0f|", beyond_two, 0.0455 * n);
    html_row(out, OF_PAGE, "largest|#%'.2f|#–|", largest);
    html_row(out, OF_PAGE, "limit|#%'.2f|#–|crossed once in a thousand runs of such a book",
             judge_limit(n));
    html_table_end(out);
}
