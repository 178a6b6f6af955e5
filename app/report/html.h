/* Parts of a page: text that cannot become markup, numbers as a person reads them, tables; and the
 * files that every page holds. Errors stay in the stream. */
#ifndef PRICER_APP_REPORT_HTML_H
#define PRICER_APP_REPORT_HTML_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "app/output/text_table.h"

/* Writes a text, inert as content and in a quoted attribute; bytes that are no UTF-8, and control
 * characters, become the replacement character. */
void html_text(FILE *out, const char *text);

/* Writes as printf does, texts as html_text() (NULL: none). It knows %s, and %d, %f and %g with
 * what may stand between; with a ' numbers as a person reads them: %'d and %'.2f with thousands set
 * apart by commas, %'g as plain_text() has it; and %e/%e, a number to the second digit of an error
 * that is not shown. */
__attribute__((format(printf, 2, 3))) void html_print(FILE *out, const char *format, ...);
void html_values(FILE *out, const char *format, va_list *values);

/* Writes a text of several lines as it stands. */
void html_lines(FILE *out, const char *text);

/* Numbers as number_text() has them, to the second digit of an error, or to six digits where that
 * is not known; as given, to six digits where it is no whole one. */
struct number_text estimate_text(double number, double error);
struct number_text plain_text(double number);

/* Writes a number and, where it has one that shows, its error: 10.123 ± 0.020; both to the second
 * digit of `digits`, mostly the error. */
void html_pm(FILE *out, double number, double error, double digits);

/* Writes a text as a part of an id and of a link to it: letters, digits, '.', '_' and '-' as they
 * are, every other byte as '~' and two digits, so that different texts stay different. */
void html_slug(FILE *out, const char *text);

/* Writes <table> to <tbody>. `id` and `caption` are markup already. Headings are separated by |,
 * those of numbers begin with #, and what one means stands after a ~ where the heading does not say
 * it. Before them is `first`, any text; NULL: none. */
void html_table_begin(FILE *out, const char *id, const char *caption, const char *first,
                      const char *headings);
void html_table_end(FILE *out);

/* Write the parts of the above, for headings that are any texts: up to the first, each (`title` may
 * be NULL), and what follows the last. */
void html_headings(FILE *out, const char *id, const char *caption);
void html_heading(FILE *out, const char *text, bool number, const char *title);
void html_headings_end(FILE *out);

/* A table that may be long: a browser lays out its first rows, and the others, which stand in a
 * <noscript>, when a reader asks for them. Without scripts all are there at once. */
enum { HTML_FIRST_ROWS = 100 };
struct html_rows {
    FILE *out;
    const char *first, *headings; /* as of html_table_begin */
    int all, shown;               /* rows that there might be, and that there will be */
    int begun;                    /* so far */
};

/* Begins one of `all` rows or, where they are more, of `most`. */
struct html_rows html_rows_begin(FILE *out, const char *id, const char *caption, const char *first,
                                 const char *headings, int all, int most);

/* Writes <tr>, of a class where that is not ""; nothing and false where no more rows are shown. */
bool html_rows_next(struct html_rows *rows, const char *class);

/* Ends it, and says how many of all rows of a kind it shows, as html_left_out(). */
void html_rows_end(const struct html_rows *rows, const char *kind);

/* Writes a row of values as html_print() does. Cells are separated by |, those of numbers begin
 * with #, and %e±%e are a number and its error in a cell each. The first cell is the row's name,
 * but of a row that is begun. Rows and cells of a leaf need no end. */
enum row_kind { OF_PAGE, OF_LEAF, BEGUN };
__attribute__((format(printf, 3, 4))) void html_row(FILE *out, enum row_kind kind,
                                                    const char *format, ...);

/* The same of a leaf, whose rows and cells need no end. Headings are as above, but markup already
 * and without meanings; the currency that the caption ends with may be NULL. */
void html_leaf_table(FILE *out, const char *caption, const char *currency, const char *headings);
void html_leaf_table_end(FILE *out);

/* Writes <tr> and the cell of its name. */
void html_row_name(FILE *out, const char *text);

/* Write a cell: a row's name, or a text; that of a number where `right`. */
void html_cell_name(FILE *out, const char *text);
void html_cell(FILE *out, const char *text, bool right);

/* Write what stands around charts: before them, between several, and after them. `id` begins with
 * "chart-"; it, the title and the caption are markup already. */
void html_figure(FILE *out, const char *id, const char *title, const char *caption);
void html_figure_end(FILE *out);

/* Writes "N of M KIND are shown.": nothing where shown is all of them. */
void html_left_out(FILE *out, int shown, int all, const char *kind);

/* A file that is put into the program by app/report/embed.cmake. */
struct embedded {
    const unsigned char *bytes;
    size_t length;
    const char *hash; /* SHA-256 in base64, as a Content-Security-Policy names it */
};
extern const struct embedded report_style;  /* of the page: colours.css, charts.css, style.css */
extern const struct embedded report_script; /* report.js */
extern const struct embedded chart_style;   /* of a chart that stands alone: the first two */

#endif
