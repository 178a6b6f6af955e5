#include <math.h>

#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"

static void write_phase(FILE *out, const char *name, double seconds, double all,
                        const char *meaning)
{
    html_row(out, OF_PAGE, "%s|#%'.3f|#%'.1f|%s", name, seconds,
             all > 0.0 ? 100.0 * seconds / all : NAN, meaning);
}

static void chart_timing(FILE *out, const struct results *results)
{
    const struct phases *p = &results->manifest.phases;
    static const char *const names[] = {"load", "plan", "start", "price", "check", "risk"};
    const double seconds[] = {p->load,  p->plan,  p->start,
                              p->price, p->check, results->risk ? results->risk->seconds : NAN};
    int n = results->risk ? 6 : 5;
    struct svg_range range = {0.0, 0.0, SVG_LINEAR, 0.0};
    struct svg svg;
    for (int i = 0; i < n; i++) svg_include(&range, seconds[i]);
    html_figure(out, "chart-timing", "Where the time went", "Seconds of wall clock by phase.");
    svg_begin(&svg, out, SVG_HALF, 6.0 + n * SVG_ROW + SVG_BELOW, "Seconds by phase");
    svg.right -= 60.0;
    svg.top = 6.0;
    svg_rows(&svg, n, names);
    svg_x(&svg, svg_rounded(range));
    svg_axis_x(&svg, "seconds");
    for (int i = 0; i < n; i++) {
        char text[48];
        snprintf(text, sizeof text, "%.3f s", seconds[i]);
        svg_row_bar(&svg, i, 0.0, seconds[i], NAN, "accent soft");
        svg_text(&svg, (struct svg_place){seconds[i], i + 0.5, 6.0, 4.0, SVG_START}, "ink", text);
    }
    svg_rule_x(&svg, 0.0, "ink thin");
    svg_figure_end(&svg);
}

void page_timing(FILE *out, const struct results *results)
{
    const struct phases *p = &results->manifest.phases;
    const double risk = results->risk ? results->risk->seconds : 0.0;
    const double all = p->load + p->plan + p->start + p->price + p->check + risk;
    chart_timing(out, results);
    html_table_begin(out, "phases", "Wall clock by phase", NULL,
                     "phase|#seconds|#% of all|what it is");
    write_phase(out, "load", p->load, all, "reading the book");
    write_phase(out, "plan", p->plan, all, "dates, groups, policies of early exercise");
    write_phase(out, "start", p->start, all, "making the device ready");
    write_phase(out, "price", p->price, all, "paths and payoffs");
    write_phase(out, "check", p->check, all, "references");
    if (results->risk) write_phase(out, "risk", risk, all, "Greeks, scenarios and the past");
    write_phase(out, "together", all, all, "before anything is written");
    html_table_end(out);
    if (p->gpu_busy > 0.0) {
        html_print(out,
                   "<p class=\"note\">The GPU was busy for %'.3f s of the pricing (of several GPUs "
                   "the mean).</p>\n",
                   p->gpu_busy);
    }
    if (p->price > 0.0) {
        html_print(out, "<p class=\"note\">%'.1f million path-steps a second.</p>\n",
                   1e-6 * (double)results->manifest.path_steps / p->price);
    }
}
