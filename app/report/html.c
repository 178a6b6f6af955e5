#include "app/report/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/text.h"
#include "app/output/results.h"

/* ---- text and numbers ------------------------------------------------------------------------ */

/* Writes the first character of a text, which is not empty, and returns the rest. */
static const char *put_character(FILE *out, const char *text)
{
    static const char *const entities[256] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
    int length = text_character(text);
    const char *entity = entities[(unsigned char)*text];
    if (entity) fputs(entity, out);
    else if (!length) fputs("\xef\xbf\xbd", out);
    else fwrite(text, 1, (size_t)length, out);
    return text + (length ? length : 1);
}

void html_text(FILE *out, const char *text)
{
    while (*text) text = put_character(out, text);
}

/* Writes the next value as a conversion says. Returns what follows that. */
static const char *put_value(FILE *out, const char *conversion, va_list *values)
{
    char one[16];
    size_t n = strcspn(conversion + 1, "sdefg%") + 2;
    bool for_person = conversion[1] == '\'';
    double number;
    const char *text;
    snprintf(one, sizeof one, "%.*s", (int)n, conversion);
    switch (conversion[n - 1]) {
    case 's':
        text = va_arg(*values, const char *);
        html_text(out, text ? text : "");
        break;
    case 'd':
        if (for_person) fputs(number_text(va_arg(*values, int), 0).text, out);
        else fprintf(out, one, va_arg(*values, int));
        break;
    case 'e':
        number = va_arg(*values, double);
        fputs(estimate_text(number, va_arg(*values, double)).text, out);
        n += strlen("/%e");
        break;
    case 'f':
    case 'g':
        number = va_arg(*values, double);
        if (!for_person) fprintf(out, one, number);
        else if (one[n - 1] == 'g') fputs(plain_text(number).text, out);
        else fputs(number_text(number, atoi(one + strlen("%'."))).text, out);
        break;
    case '%': putc('%', out);
    }
    return conversion + n;
}

/* Writes the format up to `end`. */
static void put_values(FILE *out, const char *format, const char *end, va_list *values)
{
    while (format < end)
        if (*format == '%') format = put_value(out, format, values);
        else putc(*format++, out);
}

void html_values(FILE *out, const char *format, va_list *values)
{
    put_values(out, format, format + strlen(format), values);
}

void html_print(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    html_values(out, format, &values);
    va_end(values);
}

void html_lines(FILE *out, const char *text)
{
    fputs("<div class=\"table\"><pre>", out);
    while (*text)
        if (*text == '\n') putc(*text++, out);
        else text = put_character(out, text);
    fputs("</pre></div>\n", out);
}

struct number_text estimate_text(double number, double error)
{
    if (number == 0.0 || !isfinite(number)) return number_text(number, 0);
    if (isfinite(error)) return number_text(number, results_decimals(number, error));
    int digits = (int)floor(log10(fabs(number))) + 1; /* before the point, of six */
    return number_text(number, digits > 6 ? 0 : digits < -3 ? 9 : 6 - digits);
}

struct number_text plain_text(double number)
{
    struct number_text text;
    bool whole = number == rint(number) && fabs(number) < 1e15;
    if (whole || !isfinite(number)) return number_text(number, 0);
    snprintf(text.text, sizeof text.text, "%.6g", number);
    return text;
}

void html_pm(FILE *out, double number, double error, double digits)
{
    html_print(out, "%e/%e", number, digits);
    if (error > 0.05 * digits) /* else nothing that is shown */
        html_print(out, " \xc2\xb1 %s", number_text(error, results_decimals(error, digits)).text);
}

void html_slug(FILE *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    for (; *text; text++) {
        if (strchr(plain, *text)) putc(*text, out);
        else fprintf(out, "~%02x", (unsigned)(unsigned char)*text);
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

void html_headings(FILE *out, const char *id, const char *caption)
{
    fprintf(out, "<div class=\"table\"><table id=\"%s\">\n<caption>%s</caption>\n<thead><tr>", id,
            caption);
}

void html_heading(FILE *out, const char *text, bool number, const char *title)
{
    fprintf(out, "<th scope=\"col\"%s", number ? " class=\"n\"" : "");
    if (title) html_print(out, " title=\"%s\"", title);
    html_print(out, ">%s</th>", text);
}

void html_headings_end(FILE *out)
{
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void write_headings(FILE *out, enum row_kind kind, const char *first, const char *headings)
{
    if (first) html_heading(out, first, false, NULL);
    for (size_t n; *headings; headings += n + (headings[n] == '|')) {
        char one[256];
        bool number = *headings == '#';
        headings += number;
        n = strcspn(headings, "|");
        snprintf(one, sizeof one, "%.*s", (int)n, headings);
        char *title = strchr(one, '~');
        if (title) *title++ = '\0';
        if (kind == OF_LEAF) fprintf(out, "<th%s>%s", number ? " class=\"n\"" : "", one);
        else html_heading(out, one, number, title);
    }
    if (kind == OF_LEAF) fputs("<tbody>\n", out);
    else html_headings_end(out);
}

void html_table_begin(FILE *out, const char *id, const char *caption, const char *first,
                      const char *headings)
{
    html_headings(out, id, caption);
    write_headings(out, OF_PAGE, first, headings);
}

void html_table_end(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

void html_leaf_table(FILE *out, const char *caption, const char *currency, const char *headings)
{
    fprintf(out, "<div class=\"table\"><table><caption>%s", caption);
    html_print(out, "%s%s</caption><thead><tr>", currency ? ", " : "", currency);
    write_headings(out, OF_LEAF, NULL, headings);
}

void html_leaf_table_end(FILE *out)
{
    fputs("</table></div>\n", out);
}

struct html_rows html_rows_begin(FILE *out, const char *id, const char *caption, const char *first,
                                 const char *headings, int all, int most)
{
    html_table_begin(out, id, caption, first, headings);
    return (struct html_rows){out, first, headings, all, all < most ? all : most, 0};
}

bool html_rows_next(struct html_rows *rows, const char *class)
{
    if (rows->begun == rows->shown) return false;
    if (rows->begun == HTML_FIRST_ROWS) {
        fprintf(rows->out, "</tbody></table><noscript data-rows=\"%d\"><table>\n<thead><tr>",
                rows->shown - rows->begun);
        write_headings(rows->out, OF_PAGE, rows->first, rows->headings);
    }
    rows->begun++;
    if (class[0]) fprintf(rows->out, "<tr class=\"%s\">", class);
    else fputs("<tr>", rows->out);
    return true;
}

void html_rows_end(const struct html_rows *rows, const char *kind)
{
    if (rows->begun > HTML_FIRST_ROWS) fputs("</tbody></table></noscript></div>\n", rows->out);
    else html_table_end(rows->out);
    html_left_out(rows->out, rows->begun, rows->all, kind);
}

void html_cell_name(FILE *out, const char *text)
{
    html_print(out, "<th scope=\"row\">%s</th>", text);
}

void html_row_name(FILE *out, const char *text)
{
    fputs("<tr>", out);
    html_cell_name(out, text);
}

void html_cell(FILE *out, const char *text, bool right)
{
    html_print(out, right ? "<td class=\"n\">%s</td>" : "<td>%s</td>", text);
}

/* Markup before the name of a row and after it, before a cell of a text and of a number, after a
 * cell, and after the row. */
static const struct {
    const char *name, *name_end, *text, *number, *cell_end, *row_end;
} row_markup[] = {
    [OF_PAGE] = {"<tr><th scope=\"row\">", "</th>", "<td>", "<td class=\"n\">", "</td>", "</tr>\n"},
    [OF_LEAF] = {"<tr><th>", "", "<td>", "<td>", "", "\n"},
    [BEGUN] = {"<td>", "</td>", "<td>", "<td class=\"n\">", "</td>", "</tr>\n"},
};

void html_row(FILE *out, enum row_kind kind, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    bool name = kind != BEGUN;
    for (const char *end = format; *end; format = end + 1, name = false) {
        bool is_number = *format == '#';
        const char *error = strstr(format, "±");
        end = format + strcspn(format, "|");
        fputs(name        ? row_markup[kind].name
              : is_number ? row_markup[kind].number
                          : row_markup[kind].text,
              out);
        if (error && error < end) {
            double number = va_arg(values, double), its_error = va_arg(values, double);
            html_print(out, "%e/%e", number, its_error);
            fprintf(out, "%s%s", row_markup[kind].cell_end, row_markup[kind].number);
            html_print(out, "%e/%e", its_error, its_error);
        } else put_values(out, format + is_number, end, &values);
        fputs(name ? row_markup[kind].name_end : row_markup[kind].cell_end, out);
    }
    fputs(row_markup[kind].row_end, out);
    va_end(values);
}

/* ---- charts ---------------------------------------------------------------------------------- */

void html_figure(FILE *out, const char *id, const char *title, const char *caption)
{
    fprintf(out,
            "<figure id=\"%s\"><figcaption><h3>%s</h3><p>%s</p></figcaption><div "
            "class=\"plot\">\n",
            id, title, caption);
}

void html_figure_end(FILE *out)
{
    fputs("</div></figure>\n", out);
}

void html_left_out(FILE *out, int shown, int all, const char *kind)
{
    if (shown < all)
        html_print(out, "<p class=\"note\">%'d of %'d %s are shown.</p>\n", shown, all, kind);
}
