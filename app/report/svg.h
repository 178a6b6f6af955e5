/* Charts, drawn as SVG into a page: scales, axes with round ticks, marks that say what they are.
 *
 * Coordinates of marks are in the units of the data; sizes (width, height, margins, radii, shifts)
 * are in pixels at full size. A chart shrinks with its page. Colours are classes of charts.css,
 * so that dark, light and paper are the style's business:
 *
 *     marks         "accent" "ok" "warn" "bad" "gain" "loss" "ink" "muted"
 *     heat          "l1" to "l5" for losses, "g1" to "g5" for gains, "h0" between (svg_heat)
 *     many of them  "s0" to "s7", series that have no better or worse (svg_series)
 *     narrow bars   "fine" after a space: nothing parts them
 *     lines         one of the above, and "thin", "dashed", "dotted" or "bold" after a space
 *
 * A chart, from its beginning to its end, inside of a figure (html.h):
 *
 *     struct svg svg;
 *     struct svg_range prices = SVG_NOTHING;
 *     for (int i = 0; i < n; i++) svg_include(&prices, price[i]);
 *     html_figure(out, "chart-smile-1", "Smile", "Implied volatility by strike.");
 *     svg_begin(&svg, out, SVG_HALF, 260, "Implied volatility by strike");
 *     svg_axes(&svg, (struct svg_range){80, 120}, svg_rounded(prices), "strike", "volatility, %");
 *     svg_curve(&svg, n, strikes, model, "accent");
 *     for (int i = 0; i < n; i++) {
 *         svg_tip(&svg, "%s\nquote %.2f %%", name, quote[i]);
 *         svg_point(&svg, strikes[i], quote[i], 3, "ink");
 *     }
 *     svg_end(&svg);
 *     html_figure_end(out);
 *
 * Texts are escaped here; labels too. A mark with a coordinate that is no number is left out, and
 * one beyond its axis is drawn where it lies. Errors stay in the stream. */
#ifndef PRICER_APP_REPORT_SVG_H
#define PRICER_APP_REPORT_SVG_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    SVG_HALF = 570,   /* a chart that stands beside another one where the page has room */
    SVG_WHOLE = 1164, /* one as wide as the page; scrolled on a telephone */
    SVG_THIRD = 372,
    SVG_ROW = 22,   /* height of a row of bars */
    SVG_ABOVE = 28, /* margins above and below, and for the height of charts made of rows: */
    SVG_BELOW = 42, /* SVG_ABOVE + n * SVG_ROW + SVG_BELOW */
    SVG_TIP_ROOM = 8192,
    SVG_TICKS_MAX = 64
};

/* ---- scales ---------------------------------------------------------------------------------- */

enum svg_kind {
    SVG_LINEAR,
    SVG_LOG,   /* both ends above 0 */
    SVG_SYMLOG /* linear from -linear to linear, logarithmic further out */
};

/* What an axis shows; where `low` is above `high` it runs the other way. */
struct svg_range {
    double low, high;
    enum svg_kind kind;
    double linear; /* of SVG_SYMLOG */
};

/* A range that has nothing in it yet. */
#define SVG_NOTHING ((struct svg_range){INFINITY, -INFINITY, SVG_LINEAR, 0.0})

/* Widens a range to a value, if it is finite. */
void svg_include(struct svg_range *range, double value);
void svg_include_error(struct svg_range *range, double value, double error); /* on either side */

/* Returns a linear range out to the next round ticks. */
struct svg_range svg_rounded(struct svg_range range);

/* Round numbers in a range, about `wanted` of them, and a step that says how exact they are: that
 * between them, or 0 where each is exact to its own first digit. */
struct svg_ticks {
    int n;
    double at[SVG_TICKS_MAX], step;
};
struct svg_ticks svg_ticks(struct svg_range range, int wanted);

/* Returns a tick as it is written, as "-2.5k", in the unit of `largest`. */
struct svg_tick_text {
    char text[32];
};
struct svg_tick_text svg_tick_text(double value, double step, double largest);

/* ---- the chart ------------------------------------------------------------------------------- */

struct svg {
    FILE *out;
    double width, height;
    double left, right, top, bottom; /* of the frame, from the chart's upper left corner */
    struct svg_range x, y;
    double key;             /* where the next entry of the key begins */
    char tip[SVG_TIP_ROOM]; /* of the next mark */
};

/* Begins a chart whose frame has room for axes; margins may be changed before anything else.
 * `label` says what it shows to who cannot see it. */
void svg_begin(struct svg *svg, FILE *out, double width, double height, const char *label);
void svg_end(struct svg *svg);
void svg_figure_end(struct svg *svg); /* and the figure that holds it alone, or as the last */

/* Set what the axes show. */
void svg_x(struct svg *svg, struct svg_range range);
void svg_y(struct svg *svg, struct svg_range range);

/* Return where a number lies, in pixels. */
double svg_at_x(const struct svg *svg, double x);
double svg_at_y(const struct svg *svg, double y);

/* Draw ticks with lines across the frame, and the label: below at the right, or above at the left.
 * `label` may be "". */
void svg_axis_x(struct svg *svg, const char *label);
void svg_axis_y(struct svg *svg, const char *label);

/* Sets what both show and draws both; `label_x` NULL: the axis below is not drawn. */
void svg_axes(struct svg *svg, struct svg_range x, struct svg_range y, const char *label_x,
              const char *label_y);

/* Writes what a chart beside others shows, above the frame, in place of a label of its y axis. */
void svg_heading(struct svg *svg, const char *text);

/* Writes a label at a number of an axis that has no numbers, as of a day. */
void svg_tick_x(struct svg *svg, double x, const char *label);

/* Makes rows of names in place of the y axis, the first at the top: row i is y from i to i + 1. The
 * frame makes room for them: svg_x comes after this. Names [n] that are long are cut, and whole in
 * their tip. */
void svg_rows(struct svg *svg, int n, const char *const *names);

/* Begins a chart of a row of bars for each name, on a range that is rounded. */
void svg_begin_bars(struct svg *svg, FILE *out, double width, const char *label, int n,
                    const char *const *names, struct svg_range range);

/* Begins a chart of a row of cells for each name; column i, named aslant below, is x from i to i
 * + 1.
 */
void svg_begin_table(struct svg *svg, FILE *out, double width, const char *label, int n_rows,
                     const char *const *rows, int n_columns, const char *const *columns);

/* Add an entry to the key, above the frame at the right of the y axis's label and of the entries
 * before it: a dot, or a line. */
void svg_key_dot(struct svg *svg, const char *colours, const char *text);
void svg_key_line(struct svg *svg, const char *colours, const char *text);

/* ---- marks ----------------------------------------------------------------------------------- */

/* Says what the next mark is to who points at it, as html_print() writes; lines are parted by \n.
 */
void svg_tip(struct svg *svg, const char *format, ...) __attribute__((format(printf, 2, 3)));

void svg_point(struct svg *svg, double x, double y, double radius, const char *colours);

/* Draws a rectangle between two corners: a bar, a class of a histogram, a cell. */
void svg_bar(struct svg *svg, double x1, double y1, double x2, double y2, const char *colours);

/* Draws the bar of a row, and a line of its error (NaN: none) at its end; `colours` NULL: a loss or
 * a gain. */
void svg_row_bar(struct svg *svg, int row, double from, double to, double error,
                 const char *colours);

/* Draw a line between two points, and between two places in pixels. */
void svg_draw_line(struct svg *svg, double a, double b, double c, double d, const char *colours);
void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *colours);

/* Draw a line across the frame. */
void svg_rule_x(struct svg *svg, double x, const char *colours);
void svg_rule_y(struct svg *svg, double y, const char *colours);

/* Draw a line through points [n], broken where one is no number; and what lies within errors of it.
 */
void svg_curve(struct svg *svg, int n, const double *x, const double *y, const char *colours);
void svg_band(struct svg *svg, int n, const double *x, const double *y, const double *errors,
              const char *colours);

/* Writes a text at a point, shifted by pixels. It starts there, ends there or has its middle. */
struct svg_place {
    double x, y, right, down;
    enum { SVG_START, SVG_MIDDLE, SVG_END } anchor;
};
void svg_text(struct svg *svg, struct svg_place place, const char *colours, const char *text);

/* ---- colours --------------------------------------------------------------------------------- */

/* Return the class of a profit or loss beside the largest; roots, so that small ones differ from
 * none. And of the i-th series. */
const char *svg_heat(double value, double largest);
const char *svg_series(int i);

#endif
