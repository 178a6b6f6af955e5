/* What stands around the frame of a chart: ticks, labels, names, the key. */
#include <string.h>

#include "app/report/html.h"
#include "app/report/svg.h"
#include "models/base/text.h"

enum {
    CHARACTER = 7,      /* pixels of one, on average and a little more */
    NAME_CHARACTER = 8, /* of a name, with room for larger ones on a telephone */
    LONGEST = 24        /* characters of a name */
};

/* Writes a text at a place in pixels. */
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
    int most = 0;
    for (int i = 0; i < n; i++) {
        int characters = text_width(names[i]);
        if (characters > most) most = characters;
    }
    return NAME_CHARACTER * (most < LONGEST ? most : LONGEST);
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

double svg_columns_room(int n, const char *const *names)
{
    return 22.0 + 0.68 * room_of(n, names);
}

void svg_table(struct svg *svg, int n_rows, const char *const *rows, int n_columns,
               const char *const *columns)
{
    svg->bottom = svg->height - svg_columns_room(n_columns, columns);
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
