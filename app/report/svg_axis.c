/* What stands around the frame of a chart: ticks, labels, names, the key. */
#include <string.h>

#include "app/report/html.h"
#include "app/report/svg.h"
#include "models/base/text.h"

/* ---- scales ---------------------------------------------------------------------------------- */

enum { WANTED = 6 };

void svg_include(struct svg_range *range, double value)
{
    if (!isfinite(value)) return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

void svg_include_error(struct svg_range *range, double value, double error)
{
    svg_include(range, value - error);
    svg_include(range, value + error);
}

/* Returns the step of about so many ticks: 1, 2 or 5 times a power of ten. */
static double linear_step(struct svg_range range, int wanted)
{
    double least = fabs(range.high - range.low) / wanted, power = pow(10.0, floor(log10(least)));
    double steps[] = {power, 2.0 * power, 5.0 * power, 10.0 * power};
    int i = 0;
    while (i < 3 && steps[i] < least * (1.0 - 1e-9)) i++;
    return steps[i];
}

struct svg_range svg_rounded(struct svg_range range)
{
    if (!(range.high > range.low) || !isfinite(range.high - range.low)) return range;
    double step = linear_step(range, WANTED);
    range.low = step * floor(range.low / step + 1e-9);
    range.high = step * ceil(range.high / step - 1e-9);
    return range;
}

static void add_tick(struct svg_ticks *ticks, struct svg_range range, double value)
{
    double slack = 1e-9 * (range.high - range.low);
    if (ticks->n < SVG_TICKS_MAX && value >= range.low - slack && value <= range.high + slack)
        ticks->at[ticks->n++] = value;
}

static void linear_ticks(struct svg_ticks *ticks, struct svg_range range, int wanted)
{
    ticks->step = linear_step(range, wanted);
    double first = ceil(range.low / ticks->step - 1e-9);
    double last = floor(range.high / ticks->step + 1e-9);
    if (!(fmax(fabs(first), fabs(last)) < 1e15)) return; /* it has no digits between its ends */
    for (double k = first; k <= last && ticks->n < SVG_TICKS_MAX; k++)
        add_tick(ticks, range, ticks->step * k + 0.0); /* and no -0 */
}

/* Adds powers of ten, and twice and five times them where there are few. */
static void log_ticks(struct svg_ticks *ticks, struct svg_range range, int wanted)
{
    static const double between[] = {1.0, 2.0, 5.0};
    int first = (int)floor(log10(range.low)), last = (int)ceil(log10(range.high));
    int stride = 1 + (last - first) / (2 * wanted), each = last - first > 3 ? 1 : 3;
    for (int power = first; power <= last; power += stride)
        for (int i = 0; i < each; i++) add_tick(ticks, range, between[i] * pow(10.0, power));
    if (ticks->n >= 2) return;
    ticks->n = 0;
    linear_ticks(ticks, range, wanted);
}

/* Adds 0, and powers of ten of both signs from the one beyond the linear part on. */
static void symlog_ticks(struct svg_ticks *ticks, struct svg_range range)
{
    double most = fmax(fabs(range.low), fabs(range.high));
    int first = (int)ceil(log10(range.linear)), last = (int)floor(log10(most) + 1e-9);
    int stride = 1 + (last - first) / 5;
    for (int power = last; power >= first; power -= stride) add_tick(ticks, range, -pow(10, power));
    add_tick(ticks, range, 0.0);
    for (int power = first + (last - first) % stride; power <= last; power += stride)
        add_tick(ticks, range, pow(10, power));
}

struct svg_ticks svg_ticks(struct svg_range range, int wanted)
{
    struct svg_ticks ticks = {0};
    double low = fmin(range.low, range.high);
    range.high = fmax(range.low, range.high);
    range.low = low;
    switch (range.kind) {
    case SVG_LINEAR: linear_ticks(&ticks, range, wanted); break;
    case SVG_LOG: log_ticks(&ticks, range, wanted); break;
    case SVG_SYMLOG: symlog_ticks(&ticks, range); break;
    }
    return ticks;
}

struct svg_tick_text svg_tick_text(double value, double step, double largest)
{
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {
        {1e13, 1e12, "tn"}, {1e9, 1e9, "bn"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}, {0.0, 1.0, ""}};
    struct svg_tick_text text;
    size_t u = 0;
    if (step == 0.0) largest = value, step = fabs(value);
    while (fabs(largest) < units[u].least) u++;
    double number = value / units[u].unit, exact = log10(step / units[u].unit);
    int decimals = exact < -1e-9 ? (int)ceil(-exact - 1e-9) : 0;
    if (value == 0.0) snprintf(text.text, sizeof text.text, "0");
    else if (decimals > 6) snprintf(text.text, sizeof text.text, "%.3g", value);
    else
        snprintf(text.text, sizeof text.text, "%.24s%s", number_text(number, decimals).text,
                 units[u].name);
    return text;
}

enum {
    CHARACTER = 7,      /* pixels of one, on average and a little more */
    NAME_CHARACTER = 8, /* of a name, with room for larger ones on a telephone */
    LONGEST = 24        /* characters of a name */
};

static void write_at(struct svg *svg, const char *classes, double right, double down,
                     const char *text)
{
    html_print(svg->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", classes, right,
               down, text);
}

/* Writes a name at a place in pixels, turned by degrees; a long one is cut, and whole in its tip.
 */
static void write_name(struct svg *svg, const char *classes, double right, double down,
                       double degrees, const char *text)
{
    bool cut = text_width(text) > LONGEST;
    char shown[4 * LONGEST + 8];
    snprintf(shown, sizeof shown, "%.*s%s", text_bytes(text, LONGEST - cut), text,
             cut ? "\xe2\x80\xa6" : "");
    fprintf(svg->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"", classes, right, down);
    if (degrees != 0.0)
        fprintf(svg->out, " transform=\"rotate(%.0f %.1f %.1f)\"", degrees, right, down);
    html_print(svg->out, ">%s", shown);
    if (cut) {
        html_print(svg->out, "<title>%s</title>", text);
    }
    fputs("</text>\n", svg->out);
}

static double largest_of(const struct svg_ticks *ticks)
{
    double largest = 0.0;
    for (int i = 0; i < ticks->n; i++) largest = fmax(largest, fabs(ticks->at[i]));
    return largest;
}

/* ---- axes ------------------------------------------------------------------------------------ */

void svg_axis_x(struct svg *svg, const char *label)
{
    struct svg_ticks ticks = svg_ticks(svg->x, svg->right - svg->left > 700.0 ? 12 : 6);
    double end = -INFINITY; /* of the last label */
    for (int i = 0; i < ticks.n; i++) {
        double at = svg_at_x(svg, ticks.at[i]);
        struct svg_tick_text text = svg_tick_text(ticks.at[i], ticks.step, largest_of(&ticks));
        double half = 0.5 * CHARACTER * (double)strlen(text.text);
        svg_draw_line(svg, at, svg->top, at, svg->bottom, "gridline");
        if (at - half < end + 6.0) continue;
        write_at(svg, "tick middle", at, svg->bottom + 16.0, text.text);
        end = at + half;
    }
    write_at(svg, "label end", svg->right, svg->bottom + 34.0, label);
}

void svg_axis_y(struct svg *svg, const char *label)
{
    struct svg_ticks ticks = svg_ticks(svg->y, 6);
    double last = INFINITY;
    for (int i = 0; i < ticks.n; i++) {
        double at = svg_at_y(svg, ticks.at[i]);
        svg_draw_line(svg, svg->left, at, svg->right, at, "gridline");
        if (fabs(at - last) < 15.0) continue;
        write_at(svg, "tick end", svg->left - 7.0, at + 4.0,
                 svg_tick_text(ticks.at[i], ticks.step, largest_of(&ticks)).text);
        last = at;
    }
    write_at(svg, "label", 4.0, 14.0, label);
    svg->key = fmax(svg->key, 4.0 + CHARACTER * text_width(label) + 20.0);
}

void svg_axes(struct svg *svg, struct svg_range x, struct svg_range y, const char *label_x,
              const char *label_y)
{
    svg_x(svg, x);
    svg_y(svg, y);
    if (label_x) svg_axis_x(svg, label_x);
    svg_axis_y(svg, label_y);
}

void svg_heading(struct svg *svg, const char *text)
{
    write_at(svg, "heading", 4.0, 15.0, text);
    svg->key = fmax(svg->key, 4.0 + CHARACTER * text_width(text) + 20.0);
}

void svg_tick_x(struct svg *svg, double x, const char *label)
{
    double at = svg_at_x(svg, x);
    if (!isfinite(at)) return;
    svg_draw_line(svg, at, svg->top, at, svg->bottom, "gridline");
    write_name(svg, "tick middle", at, svg->bottom + 16.0, 0.0, label);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Returns the pixels that the longest of the names takes. */
static double room_of(int n, const char *const *names)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, text_width(names[i]));
    return NAME_CHARACTER * fmin(most, LONGEST);
}

void svg_rows(struct svg *svg, int n, const char *const *names)
{
    svg->left = 18.0 + room_of(n, names);
    svg_y(svg, (struct svg_range){n, 0.0, SVG_LINEAR, 0.0});
    for (int i = 0; i < n; i++)
        write_name(svg, "name end", svg->left - 8.0, svg_at_y(svg, i + 0.5) + 4.0, 0.0, names[i]);
}

void svg_begin_bars(struct svg *svg, FILE *out, double width, const char *label, int n,
                    const char *const *names, struct svg_range range)
{
    svg_begin(svg, out, width, SVG_ABOVE + n * SVG_ROW + SVG_BELOW, label);
    svg_rows(svg, n, names);
    svg_x(svg, svg_rounded(range));
}

void svg_begin_table(struct svg *svg, FILE *out, double width, const char *label, int n_rows,
                     const char *const *rows, int n_columns, const char *const *columns)
{
    enum { CELL = 18 };
    double below = 22.0 + 0.68 * room_of(n_columns, columns);
    svg_begin(svg, out, width, SVG_ABOVE + n_rows * CELL + below, label);
    svg->bottom = svg->height - below;
    svg_rows(svg, n_rows, rows);
    svg_x(svg, (struct svg_range){0.0, n_columns, SVG_LINEAR, 0.0});
    for (int i = 0; i < n_columns; i++)
        write_name(svg, "name end", svg_at_x(svg, i + 0.5) + 4.0, svg->bottom + 14.0, -40.0,
                   columns[i]);
}

/* ---- the key --------------------------------------------------------------------------------- */

static void write_key(struct svg *svg, double mark, const char *text)
{
    write_name(svg, "tick", svg->key + mark + 6.0, 14.0, 0.0, text);
    svg->key += mark + CHARACTER * fmin(LONGEST, text_width(text)) + 20.0;
}

void svg_key_dot(struct svg *svg, const char *colours, const char *text)
{
    fprintf(svg->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"10\" r=\"4\"/>\n", colours,
            svg->key + 4.0);
    write_key(svg, 8.0, text);
}

void svg_key_line(struct svg *svg, const char *colours, const char *text)
{
    fprintf(svg->out, "<line class=\"%s\" x1=\"%.1f\" y1=\"10\" x2=\"%.1f\" y2=\"10\"/>\n", colours,
            svg->key, svg->key + 18.0);
    write_key(svg, 18.0, text);
}
