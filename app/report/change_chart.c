/* The chart of what a change is made of. */
#include <math.h>

#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"

enum { N_PARTS = CHANGE_UNEXPLAINED - CHANGE_FX_TRANSLATION + 1 };

static void draw_part(struct svg *svg, int line, const char *name, double from, double to,
                      const struct change_row *row)
{
    double error = row->numbers[CHANGE_ERROR];
    svg_tip(svg, "%s\n%s %s", name, estimate_text(to - from, error).text, row->currency);
    svg_bar(svg, from, line + 0.16, to, line + 0.84, to < from ? "loss" : "gain");
    svg_line(svg, to, line + 0.84, to, line + 1.16, "muted thin");
}

void chart_change(FILE *out, const struct change_row *row)
{
    const char *names[N_PARTS + 1];
    double ends[N_PARTS + 1] = {0.0}, change = row->numbers[CHANGE_CHANGE];
    double error = row->numbers[CHANGE_ERROR];
    struct svg_range range = SVG_NOTHING;
    struct svg svg;
    int n = 0;
    for (int i = CHANGE_FX_TRANSLATION; i <= CHANGE_UNEXPLAINED; i++) {
        double part = row->numbers[i];
        if (!isfinite(part) || part == 0.0) continue;
        names[n] = change_names[i];
        ends[n + 1] = ends[n] + part;
        svg_include(&range, ends[++n]);
    }
    if (!n || !isfinite(change)) return;
    names[n] = change_names[CHANGE_CHANGE];
    svg_include(&range, 0.0);
    svg_include(&range, change - error);
    svg_include(&range, change + error);
    html_figure(out, "chart-change", "What the change is made of",
                "Each part begins where the one above it ends; the line at the change is its "
                "standard error at most.");
    svg_begin(&svg, out, SVG_HALF, SVG_ABOVE + (n + 1) * SVG_ROW + SVG_BELOW,
              "The parts of the change");
    svg_rows(&svg, n + 1, names);
    svg_x(&svg, svg_rounded(range));
    svg_axis_x(&svg, row->currency);
    for (int i = 0; i < n; i++) draw_part(&svg, i, names[i], ends[i], ends[i + 1], row);
    svg_tip(&svg, "change\n%s \xc2\xb1 %s %s", estimate_text(change, error).text,
            estimate_text(error, error).text, row->currency);
    svg_bar(&svg, 0.0, n + 0.16, change, n + 0.84, "accent");
    svg_line(&svg, change - error, n + 0.5, change + error, n + 0.5, "ink");
    svg_rule_x(&svg, 0.0, "ink thin");
    svg_figure_end(&svg);
}
