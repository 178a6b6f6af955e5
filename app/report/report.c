#define _GNU_SOURCE /* asprintf */
#include "app/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/output_file.h"
#include "app/report/sections.h"
#include "app/report/html.h"

struct section {
    const char *id, *title;
    bool (*present)(const struct results *results); /* NULL: always */
    void (*write)(FILE *out, const struct results *results);
};

static const struct section sections[] = {
    {"attention", "Attention", NULL, page_attention},
    {"value", "Value", NULL, page_value},
    {"prices", "Prices", NULL, page_prices},
    {"agreement", "Agreement with the reference", NULL, page_agreement},
    {"greeks", "Greeks", has_greeks, page_greeks},
    {"scenarios", "Scenarios", has_scenarios, page_scenarios},
    {"past", "Value at risk", has_past, page_past},
    {"tags", "Tags", has_tags, page_tags},
    {"market", "Market", NULL, page_market},
    {"timing", "Timing", NULL, page_timing},
    {"run", "The run", NULL, page_origin},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

static void write_header(FILE *out, const struct results *results, bool change)
{
    const struct manifest *m = &results->manifest;
    html_print(out, "<header>\n<h1>%s</h1>\n<p>", m->book_name);
    html_print(
        out,
        "%s%s%s paths on %s</p>\n<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a> ",
        m->valuation_date, m->valuation_date[0] ? ", " : "", number_text((double)m->paths, 0).text,
        m->device);
    if (change) fputs("<a href=\"#change\">Change</a> ", out);
    for (int i = 0; i < N_SECTIONS; i++)
        if (!sections[i].present || sections[i].present(results))
            fprintf(out, "<a href=\"#%s\">%s</a> ", sections[i].id, sections[i].title);
    fputs("</nav>\n</header>\n", out);
}

static enum status write_page(FILE *out, const struct results *results,
                              const struct changes *changes)
{
    page_begin(out, results->manifest.book_name);
    fputs("<body>\n", out);
    bool change = changes && changes->n;
    write_header(out, results, change);
    fputs("<main>\n", out);
    page_tiles(out, results);
    fputs("<section id=\"summary\">\n<h2>Summary</h2>\n", out);
    page_summary(out, results, changes);
    fputs("</section>\n", out);
    if (change) {
        fputs("<section id=\"change\">\n<h2>Change</h2>\n", out);
        page_change(out, changes);
        fputs("</section>\n", out);
    }
    for (int i = 0; i < N_SECTIONS; i++) {
        if (sections[i].present && !sections[i].present(results)) continue;
        fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", sections[i].id, sections[i].title);
        sections[i].write(out, results);
        fputs("</section>\n", out);
    }
    fputs("<noscript id=\"leaves\">\n", out);
    MUST(page_group_leaves(out, results));
    MUST(page_trade_leaves(out, results));
    fputs("</noscript>\n</main>\n", out);
    page_end(out);
    return STATUS_OK;
}

/* ---- charts as pictures of their own --------------------------------------------------------- */

/* Around a chart, and above it for the title, in pixels. */
enum { MARGIN = 12, TITLE = 34 };

/* A part of a page. */
struct piece {
    const char *from, *to;
};

/* Finds what lies between two texts, after `at`; {NULL, NULL} where they are not before `end`. */
static struct piece between(const char *at, const char *end, const char *first, const char *last)
{
    const char *from = strstr(at, first);
    const char *to = from ? strstr(from + strlen(first), last) : NULL;
    if (!to || to > end) return (struct piece){NULL, NULL};
    return (struct piece){from + strlen(first), to};
}

static void write_piece(FILE *out, struct piece piece)
{
    if (piece.from) fwrite(piece.from, 1, (size_t)(piece.to - piece.from), out);
}

/* A picture: what stands in an element <svg>, from its attributes on. */
struct picture {
    struct piece svg, title;
};

static void write_picture(FILE *out, const void *context)
{
    const struct picture *picture = context;
    struct piece svg = picture->svg;
    double width = 0.0, height = 0.0;
    struct piece size = between(svg.from, svg.to, "viewBox=\"0 0 ", "\"");
    struct piece label = between(svg.from, svg.to, "aria-label=\"", "\"");
    const char *marks = strchr(svg.from, '>') + 1;
    if (size.from) sscanf(size.from, "%lf %lf", &width, &height);
    width += 2 * MARGIN;
    height += TITLE + MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" "
            "viewBox=\"%d %d %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" aria-label=\"",
            -MARGIN, -TITLE, width, height, width, height);
    write_piece(out, label);
    fputs("\">\n<style>", out);
    fwrite(chart_style.bytes, 1, chart_style.length, out);
    fprintf(out,
            "</style>\n<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%.0f\"/>\n"
            "<text class=\"title\" x=\"4\" y=\"-10\">",
            -MARGIN, -TITLE, width, height);
    write_piece(out, picture->title);
    fputs("</text>", out);
    write_piece(out, (struct piece){marks, svg.to});
    fputs("</svg>\n", out);
}

/* Writes the `number`-th picture of a figure, 0: its only one. */
static enum status write_file(const char *folder, struct piece name, int number,
                              const struct picture *picture, struct message *why)
{
    char *path, suffix[32] = "";
    if (number) snprintf(suffix, sizeof suffix, "-%d", number);
    if (asprintf(&path, "%s%.*s%s.svg", folder, (int)(name.to - name.from), name.from, suffix) < 0)
        return STATUS_NO_MEMORY;
    enum status status = output_file_write(path, write_picture, picture, NULL, why);
    free(path);
    return status;
}

static enum status write_figure(const char *folder, struct piece name, const char *end,
                                struct message *why)
{
    struct piece title = between(name.to, end, "<h3>", "</h3>");
    struct piece svg = between(name.to, end, "<svg ", "</svg>");
    bool several = svg.from && between(svg.to, end, "<svg ", "</svg>").from;
    for (int i = 1; svg.from; i++) {
        MUST(write_file(folder, name, several ? i : 0, &(struct picture){svg, title}, why));
        svg = between(svg.to, end, "<svg ", "</svg>");
    }
    return STATUS_OK;
}

/* Each figure "chart-NAME" of a page is FOLDER/NAME.svg, or NAME-1.svg, NAME-2.svg, ... of a figure
 * of several. Each has its title and its style, and follows who shows it into the dark. Writes all
 * but the charts of single trades; other files of the folder stay. */
static enum status write_charts(const char *folder, const char *page, struct message *why)
{
    const char *leaves = strstr(page, "<noscript id=\"leaves\">"); /* charts of single trades */
    const char *last = leaves ? leaves : page + strlen(page);
    for (;;) {
        struct piece name = between(page, last, "<figure id=\"chart-", "\"");
        const char *end = name.from ? strstr(name.to, "</figure>") : NULL;
        if (!end) break;
        MUST(write_figure(folder, name, end, why));
        page = end;
    }
    return STATUS_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

enum status report_possible(const char *page, const char *charts, struct message *why)
{
    char *path = NULL; /* of a picture that every page has */
    if (charts && asprintf(&path, "%stiming.svg", charts) < 0) return STATUS_NO_MEMORY;
    enum status status = charts ? output_folder_make(charts, why) : STATUS_OK;
    if (charts && !status) status = output_file_possible(path, why);
    free(path);
    return status ? status : output_file_possible(page, why);
}

static void write_text(FILE *out, const void *text)
{
    fputs(text, out);
}

enum status report_write(const char *page, const char *charts, const struct results *results,
                         const struct changes *changes, const struct stop *stop,
                         struct message *why)
{
    enum status status = STATUS_OK;
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (!memory) return STATUS_NO_MEMORY;
    status = write_page(memory, results, changes);
    if (ferror(memory)) status = STATUS_NO_MEMORY;
    if (fclose(memory)) status = STATUS_NO_MEMORY;
    TRY(status);
    TRY(output_file_write(page, write_text, text, stop, why));
    if (charts) TRY(write_charts(charts, text, why));
done:
    free(text);
    return status;
}
