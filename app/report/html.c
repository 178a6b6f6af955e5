#include "app/report/html.h"

#include <math.h>
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

void html_lines(FILE *out, const char *text)
{
    fputs("<div class=\"table\"><pre>", out);
    while (*text)
        if (*text == '\n') putc(*text++, out);
        else text = put_character(out, text);
    fputs("</pre></div>\n", out);
}

struct number_text number_text(double number, int decimals)
{
    char plain[64];
    struct number_text text = {"\xe2\x80\x93"};
    if (!isfinite(number)) return text;
    snprintf(plain, sizeof plain, fabs(number) < 1e15 ? "%.*f" : "%.*e", decimals, number);
    const char *p = plain + (*plain == '-');
    char *to = text.text, *end = text.text + sizeof text.text;
    int digits = (int)strspn(p, "0123456789");
    if (number < 0.0 && strspn(p, "0.") < strlen(p)) *to++ = '-';
    for (; digits > 0; digits--) {
        *to++ = *p++;
        if (digits > 1 && digits % 3 == 1) *to++ = ',';
    }
    snprintf(to, (size_t)(end - to), "%s", p);
    return text;
}

/* Returns the decimals of a number to six digits. */
static int decimals_of(double number)
{
    int digits = isfinite(number) ? (int)floor(log10(fabs(number))) + 1 : 0;
    return digits > 6 ? 0 : digits < -3 ? 9 : 6 - digits;
}

struct number_text estimate_text(double number, double error)
{
    if (number == 0.0) return number_text(number, 0);
    return number_text(number,
                       isfinite(error) ? results_decimals(number, error) : decimals_of(number));
}

struct number_text plain_text(double number)
{
    struct number_text text;
    bool whole = number == rint(number) && fabs(number) < 1e15;
    if (whole || !isfinite(number)) return number_text(number, 0);
    snprintf(text.text, sizeof text.text, "%.6g", number);
    return text;
}

void html_number(FILE *out, double number, int decimals)
{
    fputs(number_text(number, decimals).text, out);
}

void html_estimate(FILE *out, double number, double error)
{
    fputs(estimate_text(number, error).text, out);
}

void html_plain(FILE *out, double number)
{
    fputs(plain_text(number).text, out);
}

void html_pm(FILE *out, double number, double error, double digits)
{
    html_estimate(out, number, digits);
    if (!(error > 0.05 * digits)) return; /* nothing that is shown */
    fputs(" \xc2\xb1 ", out);
    html_number(out, error, results_decimals(error, digits));
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

static void write_headings(FILE *out, int n, const struct heading *headings)
{
    fputs("<thead><tr>", out);
    for (int i = 0; i < n; i++) {
        fprintf(out, "<th scope=\"col\"%s", headings[i].number ? " class=\"n\"" : "");
        if (headings[i].title) {
            fputs(" title=\"", out);
            html_text(out, headings[i].title);
            putc('"', out);
        }
        putc('>', out);
        html_text(out, headings[i].text);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void html_table_begin(FILE *out, const char *id, const char *caption, int n,
                      const struct heading *headings)
{
    fprintf(out, "<div class=\"table\"><table id=\"%s\">\n<caption>%s</caption>\n", id, caption);
    write_headings(out, n, headings);
}

void html_table_end(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

void html_leaf_table(FILE *out, const char *caption, const char *currency, const char *headings)
{
    fprintf(out, "<div class=\"table\"><table><caption>%s", caption);
    if (currency) fputs(", ", out);
    html_text(out, currency ? currency : "");
    fputs("</caption><thead><tr>", out);
    for (size_t n; *headings; headings += n + (headings[n] == '|')) {
        bool number = *headings == '#';
        headings += number;
        n = strcspn(headings, "|");
        fprintf(out, "<th%s>%.*s", number ? " class=\"n\"" : "", (int)n, headings);
    }
    fputs("<tbody>\n", out);
}

void html_leaf_table_end(FILE *out)
{
    fputs("</table></div>\n", out);
}

void html_rows_begin(struct html_rows *rows, const char *id, const char *caption)
{
    html_table_begin(rows->out, id, caption, rows->n, rows->headings);
}

void html_rows_next(struct html_rows *rows, const char *class)
{
    if (rows->begun == HTML_FIRST_ROWS) {
        fprintf(rows->out, "</tbody></table><noscript data-rows=\"%d\"><table>\n",
                rows->all - rows->begun);
        write_headings(rows->out, rows->n, rows->headings);
    }
    rows->begun++;
    if (class[0]) fprintf(rows->out, "<tr class=\"%s\">", class);
    else fputs("<tr>", rows->out);
}

void html_rows_end(const struct html_rows *rows)
{
    if (rows->begun > HTML_FIRST_ROWS) fputs("</tbody></table></noscript></div>\n", rows->out);
    else html_table_end(rows->out);
}

void html_cell_name(FILE *out, const char *text)
{
    fputs("<th scope=\"row\">", out);
    html_text(out, text);
    fputs("</th>", out);
}

void html_row_name(FILE *out, const char *text)
{
    fputs("<tr>", out);
    html_cell_name(out, text);
}

void html_cell_right(FILE *out, const char *text, bool right)
{
    fputs(right ? "<td class=\"n\">" : "<td>", out);
    html_text(out, text);
    fputs("</td>", out);
}

void html_cell_text(FILE *out, const char *text)
{
    html_cell_right(out, text, false);
}

void html_cell_number(FILE *out, double number, int decimals)
{
    fputs("<td class=\"n\">", out);
    html_number(out, number, decimals);
    fputs("</td>", out);
}

void html_cell_estimate(FILE *out, double number, double error)
{
    fputs("<td class=\"n\">", out);
    html_estimate(out, number, error);
    fputs("</td>", out);
}

void html_cell_pair(FILE *out, double number, double error)
{
    html_cell_estimate(out, number, error);
    html_cell_estimate(out, error, error);
}

void html_cell_plain(FILE *out, double number)
{
    fputs("<td class=\"n\">", out);
    html_plain(out, number);
    fputs("</td>", out);
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
    if (shown >= all) return;
    fputs("<p class=\"note\">", out);
    html_number(out, shown, 0);
    fputs(" of ", out);
    html_number(out, all, 0);
    fprintf(out, " %s are shown.</p>\n", kind);
}
