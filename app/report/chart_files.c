#include "app/report/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/output_file.h"
#include "app/report/embedded.h"

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
    char suffix[32] = "";
    size_t room = strlen(folder) + (size_t)(name.to - name.from) + sizeof suffix + 8;
    char *path = malloc(room);
    if (!path) return STATUS_NO_MEMORY;
    if (number) snprintf(suffix, sizeof suffix, "-%d", number);
    snprintf(path, room, "%s%.*s%s.svg", folder, (int)(name.to - name.from), name.from, suffix);
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

enum status chart_files_write(const char *folder, const char *page, struct message *why)
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

enum status chart_files_possible(const char *folder, struct message *why)
{
    static const char name[] = "timing.svg"; /* which every page has */
    size_t room = strlen(folder) + sizeof name;
    char *path = malloc(room);
    if (!path) return STATUS_NO_MEMORY;
    snprintf(path, room, "%s%s", folder, name);
    enum status status = output_folder_make(folder, why);
    if (!status) status = output_file_possible(path, why);
    free(path);
    return status;
}
