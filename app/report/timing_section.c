#include <math.h>

#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"

/* Phases of a run, and what they are; without risk all but the last. */
static const char *const phases[][2] = {{"load", "reading the book"},
                                        {"plan", "dates, groups, policies of early exercise"},
                                        {"start", "making the device ready"},
                                        {"price", "paths and payoffs"},
                                        {"check", "references"},
                                        {"risk", "Greeks, scenarios and the past"}};
enum { N_PHASES = sizeof phases / sizeof *phases };
_Static_assert(offsetof(struct phases, check_sample) == N_PHASES * sizeof(double),
               "struct phases begins with the seconds of each");

static void chart_timing(FILE *out, const struct results *results)
{
    const char *names[N_PHASES];
    const double *seconds = &results->manifest.phases.load;
    int n = results->risk ? N_PHASES : N_PHASES - 1;
    struct svg_range range = {0.0, 0.0, SVG_LINEAR, 0.0};
    struct svg svg;
    for (int i = 0; i < n; i++) {
        names[i] = phases[i][0];
        svg_include(&range, seconds[i]);
    }
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
    const double *seconds = &p->load;
    double all = 0.0;
    int n = results->risk ? N_PHASES : N_PHASES - 1;
    for (int i = 0; i < n; i++) all += seconds[i];
    chart_timing(out, results);
    html_table_begin(out, "phases", "Wall clock by phase", NULL,
                     "phase|#seconds|#% of all|what it is");
    for (int i = 0; i <= n; i++)
        html_row(out, OF_PAGE, "%s|#%'.3f|#%'.1f|%s", i < n ? phases[i][0] : "together",
                 i < n ? seconds[i] : all,
                 all > 0.0 ? 100.0 * (i < n ? seconds[i] : all) / all : NAN,
                 i < n ? phases[i][1] : "before anything is written");
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
