/* The page of `pricer diff --output=FILE.html`. */
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"

/* Writes the first line of a text as a paragraph; returns where the next begins. */
static const char *write_line(FILE *out, const char *text)
{
    char line[1024];
    size_t n = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, text);
    html_print(out, "<p>%s</p>\n", line);
    return text + n + (text[n] == '\n');
}

void report_changes(FILE *out, const struct changes *changes, const char *text)
{
    page_begin(out, "What changed");
    fputs("<body>\n<header>\n<h1>What changed</h1>\n", out);
    const char *rest = write_line(out, text);
    write_line(out, rest);
    fputs("<nav aria-label=\"Sections\"><a href=\"#change\">Change</a> <a href=\"#trades\">Trades"
          "</a> <a href=\"#text\">Text</a></nav>\n</header>\n<main>\n"
          "<section id=\"change\">\n<h2>Change</h2>\n",
          out);
    page_change(out, changes);
    fputs("</section>\n<section id=\"trades\">\n<h2>Trades</h2>\n", out);
    page_changed_trades(out, changes);
    fputs("</section>\n<section id=\"text\">\n<h2>The market, terms and verdicts</h2>\n", out);
    html_lines(out, text);
    fputs("</section>\n</main>\n", out);
    page_end(out);
}
