/* The frame of a chart, and its marks. */
#include "app/report/svg.h"

#include <stdarg.h>
#include <string.h>

#include "app/report/html.h"

/* ---- the chart ------------------------------------------------------------------------------- */

void svg_begin(struct svg *svg, FILE *out, double width, double height, const char *label)
{
    *svg = (struct svg){.out = out,
                        .width = width,
                        .height = height,
                        .left = 58.0,
                        .right = width - 20.0,
                        .top = SVG_ABOVE,
                        .bottom = height - SVG_BELOW};
    svg->key = svg->left;
    html_print(out,
               "<svg class=\"chart%s\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
               "height=\"%.0f\" aria-label=\"%s\">\n",
               width > SVG_HALF   ? " whole"
               : width < SVG_HALF ? " small"
                                  : "",
               width, height, width, height, label);
}

void svg_end(struct svg *svg)
{
    fputs("</svg>\n", svg->out);
}

void svg_figure_end(struct svg *svg)
{
    svg_end(svg);
    html_figure_end(svg->out);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Returns a range that has room between its ends, whatever it was. */
static struct svg_range usable(struct svg_range range)
{
    bool finite = isfinite(range.low) && isfinite(range.high);
    if (!finite) range = (struct svg_range){0.0, 1.0, SVG_LINEAR, 0.0};
    if (range.kind == SVG_LOG && !(range.low > 0.0 && range.high > 0.0)) range.kind = SVG_LINEAR;
    if (range.kind == SVG_SYMLOG && !(range.linear > 0.0)) range.kind = SVG_LINEAR;
    if (range.low != range.high) return range;
    double room = range.low == 0.0 ? 1.0 : 0.1 * fabs(range.low);
    range.low -= room;
    range.high += room;
    return range;
}

void svg_x(struct svg *svg, struct svg_range range)
{
    svg->x = usable(range);
}

void svg_y(struct svg *svg, struct svg_range range)
{
    svg->y = usable(range);
}

static double transformed(struct svg_range range, double value)
{
    if (range.kind == SVG_LOG) return value > 0.0 ? log(value) : NAN;
    if (range.kind == SVG_SYMLOG) return copysign(log1p(fabs(value) / range.linear), value);
    return value;
}

static double share_of(struct svg_range range, double value)
{
    double low = transformed(range, range.low), high = transformed(range, range.high);
    return (transformed(range, value) - low) / (high - low);
}

double svg_at_x(const struct svg *svg, double x)
{
    return svg->left + (svg->right - svg->left) * share_of(svg->x, x);
}

double svg_at_y(const struct svg *svg, double y)
{
    return svg->bottom + (svg->top - svg->bottom) * share_of(svg->y, y);
}

/* ---- marks ----------------------------------------------------------------------------------- */

void svg_tip(struct svg *svg, const char *format, ...)
{
    va_list values;
    FILE *tip = fmemopen(svg->tip, sizeof svg->tip, "w");
    if (!tip) return;
    va_start(values, format);
    html_values(tip, format, &values);
    va_end(values);
    fclose(tip);
    svg->tip[sizeof svg->tip - 1] = '\0';
}

/* Ends an element, after what its tip says. */
static void end_mark(struct svg *svg, const char *element)
{
    if (!svg->tip[0]) {
        fputs("/>\n", svg->out);
        return;
    }
    fprintf(svg->out, "><title>%s</title></%s>\n", svg->tip, element);
    svg->tip[0] = '\0';
}

void svg_point(struct svg *svg, double x, double y, double radius, const char *colours)
{
    double right = svg_at_x(svg, x), down = svg_at_y(svg, y);
    if (isfinite(right) && isfinite(down)) {
        fprintf(svg->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.3g\"", colours, right,
                down, radius);
        end_mark(svg, "circle");
    }
    svg->tip[0] = '\0';
}

void svg_bar(struct svg *svg, double x1, double y1, double x2, double y2, const char *colours)
{
    double a = svg_at_x(svg, x1), b = svg_at_x(svg, x2);
    double c = svg_at_y(svg, y1), d = svg_at_y(svg, y2);
    if (isfinite(a + b + c + d)) {
        fprintf(svg->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                colours, fmin(a, b), fmin(c, d), fabs(b - a), fabs(d - c));
        end_mark(svg, "rect");
    }
    svg->tip[0] = '\0';
}

void svg_row_bar(struct svg *svg, int row, double from, double to, double error,
                 const char *colours)
{
    svg_bar(svg, from, row + 0.16, to, row + 0.84, colours ? colours : to < from ? "loss" : "gain");
    svg_line(svg, to - error, row + 0.5, to + error, row + 0.5, "ink");
}

void svg_draw_line(struct svg *svg, double a, double b, double c, double d, const char *colours)
{
    if (isfinite(a + b + c + d)) {
        fprintf(svg->out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"",
                colours, a, b, c, d);
        end_mark(svg, "line");
    }
    svg->tip[0] = '\0';
}

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *colours)
{
    svg_draw_line(svg, svg_at_x(svg, x1), svg_at_y(svg, y1), svg_at_x(svg, x2), svg_at_y(svg, y2),
                  colours);
}

void svg_rule_x(struct svg *svg, double x, const char *colours)
{
    svg_draw_line(svg, svg_at_x(svg, x), svg->top, svg_at_x(svg, x), svg->bottom, colours);
}

void svg_rule_y(struct svg *svg, double y, const char *colours)
{
    svg_draw_line(svg, svg->left, svg_at_y(svg, y), svg->right, svg_at_y(svg, y), colours);
}

void svg_curve(struct svg *svg, int n, const double *x, const double *y, const char *colours)
{
    bool down = false; /* the pen */
    fprintf(svg->out, "<path class=\"%s\" d=\"M0 0", colours);
    for (int i = 0; i < n; i++) {
        double a = svg_at_x(svg, x[i]), b = svg_at_y(svg, y[i]);
        bool there = isfinite(a) && isfinite(b);
        if (there) fprintf(svg->out, "%c%.1f %.1f", down ? 'L' : 'M', a, b);
        down = there;
    }
    putc('"', svg->out);
    end_mark(svg, "path");
}

void svg_band(struct svg *svg, int n, const double *x, const double *y, const double *errors,
              const char *colours)
{
    bool first = true;
    fprintf(svg->out, "<polygon class=\"%s\" points=\"", colours);
    for (int i = 0; i < 2 * n; i++) {
        int at = i < n ? i : 2 * n - 1 - i;
        double a = svg_at_x(svg, x[at]),
               b = svg_at_y(svg, i < n ? y[at] - errors[at] : y[at] + errors[at]);
        if (!isfinite(a) || !isfinite(b)) continue;
        fprintf(svg->out, "%s%.1f %.1f", first ? "" : ",", a, b);
        first = false;
    }
    putc('"', svg->out);
    end_mark(svg, "polygon");
}

void svg_text(struct svg *svg, struct svg_place place, const char *colours, const char *text)
{
    static const char *const anchors[] = {"", " middle", " end"};
    double a = svg_at_x(svg, place.x) + place.right, b = svg_at_y(svg, place.y) + place.down;
    if (!isfinite(a) || !isfinite(b)) return;
    html_print(svg->out, "<text class=\"%s%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", colours,
               anchors[place.anchor], a, b, text);
}

/* ---- colours --------------------------------------------------------------------------------- */

const char *svg_heat(double value, double largest)
{
    static const char *const losses[] = {"h0", "l1", "l2", "l3", "l4", "l5"};
    static const char *const gains[] = {"h0", "g1", "g2", "g3", "g4", "g5"};
    double share = largest > 0.0 && isfinite(value) ? fmin(1.0, fabs(value) / largest) : 0.0;
    int level = (int)lround(5.0 * sqrt(share));
    return value < 0.0 ? losses[level] : gains[level];
}

const char *svg_series(int i)
{
    static const char *const names[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
    return names[i % (int)(sizeof names / sizeof *names)];
}
