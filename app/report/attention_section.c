#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"

/* Worst first. */
static const enum verdict order[] = {VERDICT_REFUSED, VERDICT_FAILED, VERDICT_DISAGREES,
                                     VERDICT_UNCHECKED, VERDICT_EXPIRED};
enum { N_ORDER = sizeof order / sizeof *order, FIRST_TROUBLES = 8 };

/* Tells whether a trade has something to say: one that is unchecked without a message was not asked
 * to be checked, and one that expired on an earlier night has said it. */
static bool speaks(const struct results *results, int index, enum verdict verdict)
{
    const struct estimate *estimate = &results->estimates[index];
    return estimate->verdict == verdict && (verdict != VERDICT_UNCHECKED || estimate->message) &&
           !results_is_over(results, index);
}

static void write_table(FILE *out, const struct results *results, int n)
{
    struct html_rows rows =
        html_rows_begin(out, "troubles",
                        "Trades that were refused, failed, disagree, could not be checked or have "
                        "expired today, the worst first",
                        NULL, "status|trade|where|type|#price|#reference|#z|what is said of it", n,
                        REPORT_TROUBLES);
    for (int k = 0; k < N_ORDER; k++)
        for (int i = 0; i < results->n; i++)
            if (speaks(results, i, order[k]) && html_rows_next(&rows, "")) {
                const struct trade *trade = &results->trades[i];
                const struct estimate *e = &results->estimates[i];
                const char *verdict = verdict_name(e->verdict);
                fprintf(out, "<td><span class=\"%s\">%s</span></td>", verdict, verdict);
                cell_trade(out, results, i);
                html_print(out,
                           "<td>%s:%d</td><td>%s</td><td class=\"n\">%e/%e</td><td class=\"n\">"
                           "%e/%e</td><td class=\"n\">%'.2f</td><td class=\"words\">%s</td></tr>\n",
                           trade->file ? trade->file : "", trade->line, trade_type(trade), e->price,
                           e->std_error, e->reference, e->std_error, e->z, e->message);
            }
    html_rows_end(&rows, "such trades");
}

static void write_beyond(FILE *out, const struct changes *changes)
{
    int shown = 0;
    if (!changes || !changes->n || !(changes->rows[0].numbers[CHANGE_BEYOND] > 0.0)) return;
    fputs("<p>Unexplained beyond 4 errors: ", out);
    for (int i = 0; i < changes->n && shown < FIRST_TROUBLES; i++) {
        const struct change_row *row = &changes->rows[i];
        if (strcmp(row->way, "trade") || !(row->numbers[CHANGE_BEYOND] > 0.0)) continue;
        if (shown++) fputs(", ", out);
        html_text(out, row->name);
    }
    fputs(" (<a href=\"#change-beyond\">all</a>).</p>\n", out);
}

void write_first_troubles(FILE *out, const struct results *results, const struct changes *changes)
{
    write_beyond(out, changes);
    int n = 0, shown = 0, n_greeks = results->risk ? results->risk->n_disagree : 0;
    for (int i = 0; i < results->n; i++) n += estimate_is_trouble(&results->estimates[i]);
    if (results->notes && results->notes->n)
        fprintf(out, "<p>To be looked at: %d note%s on the book.</p>\n", results->notes->n,
                results->notes->n == 1 ? "" : "s");
    if (!n && !n_greeks) {
        fputs("<p class=\"good\">Nothing has failed or disagrees.</p>\n", out);
        return;
    }
    fputs("<p>To be looked at: ", out);
    for (int k = 0; k < N_ORDER; k++)
        for (int i = 0; i < results->n && shown < FIRST_TROUBLES; i++) {
            const struct estimate *estimate = &results->estimates[i];
            if (estimate->verdict != order[k] || !estimate_is_trouble(estimate)) continue;
            if (shown++) fputs(", ", out);
            link_trade(out, results, i);
            fprintf(out, " (%s)", verdict_name(estimate->verdict));
        }
    if (n > shown) fprintf(out, " and %d more trades", n - shown);
    if (n_greeks) fprintf(out, "%s%d Greeks far from their references", n ? "; " : "", n_greeks);
    fputs(".</p>\n", out);
}

void page_attention(FILE *out, const struct results *results)
{
    int counts[N_VERDICTS], speaking = 0, quiet = 0, troubles = 0;
    int n = results->notes ? results->notes->n : 0;
    if (n) fputs("<p>Notes on the book: prices are right for what it says.</p>\n<ul>\n", out);
    for (int i = 0; i < n && i < REPORT_TROUBLES; i++)
        html_print(out, "<li>%s</li>\n", results->notes->list[i].line);
    if (n) fputs("</ul>\n", out);
    html_left_out(out, n < REPORT_TROUBLES ? n : REPORT_TROUBLES, n, "notes");
    results_count(results, counts);
    for (int i = 0; i < results->n; i++) {
        const struct estimate *estimate = &results->estimates[i];
        for (int k = 0; k < N_ORDER; k++) speaking += speaks(results, i, order[k]);
        troubles += estimate_is_trouble(estimate);
        quiet += estimate->verdict == VERDICT_UNCHECKED && !estimate->message;
    }
    if (!troubles)
        fprintf(out, "<p class=\"good\">Every trade was priced%s.</p>\n",
                counts[VERDICT_OK] ? ", and none disagrees with its reference" : "");
    if (quiet)
        html_print(out, "<p class=\"note\">%'d %s not compared with a reference, as asked.</p>\n",
                   quiet, quiet == 1 ? "trade was" : "trades were");
    if (speaking) write_table(out, results, speaking);
}
