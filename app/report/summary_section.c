#include <inttypes.h>
#include <math.h>

#include "app/report/html.h"
#include "app/report/sections.h"
#include "models/payoffs/payoff_definition.h"

void write_unconverted(FILE *out, const struct results *results, int left_out)
{
    if (!left_out) return;
    html_print(out,
               "<p class=\"note\">%'d %s not in the totals: no FX rate leads from the currency to "
               "%s.</p>\n",
               left_out, left_out == 1 ? "trade is" : "trades are",
               results_total_currency(results));
}

static void write_tile(FILE *out, const char *class, int count, const char *name)
{
    html_print(out, "<div class=\"tile %s\"><dt>%s</dt><dd>%'d</dd></div>\n",
               count ? class : "none", name, count);
}

/* Writes what trades come to in their own currency and, converted, in that of the totals. */
static void write_worth_row(FILE *out, const char *name, struct money_total own,
                            struct money_total total)
{
    html_row(out, OF_PAGE, "%s|#%'d|#%e±%e|#%e/%e|#%e/%e", name, own.n, own.value, own.error,
             total.n ? total.value : NAN, total.error, total.n ? total.error : NAN, total.error);
}

void page_tiles(FILE *out, const struct results *results)
{
    int counts[N_VERDICTS];
    results_count(results, counts);
    for (int i = 0; i < results->n; i++) counts[VERDICT_EXPIRED] -= results_is_over(results, i);
    fputs("<dl class=\"tiles\">\n", out);
    write_tile(out, "all", results->n, "trades");
    for (int v = 0; v < N_VERDICTS; v++)
        write_tile(out, verdict_name((enum verdict)v), counts[v], verdict_name((enum verdict)v));
    fputs("</dl>\n", out);
}

void page_value(FILE *out, const struct results *results)
{
    const struct market *market = results->market;
    const struct money_total all = results->sums->values[0];
    html_table_begin(out, "worth", "Sum of the prices, by the currency that trades are paid in",
                     NULL,
                     "currency|#trades priced|#value~sum of the prices|"
                     "#std error at most~what they come to where the errors of trades that share "
                     "assets all go together|"
                     "#in the currency of the totals~at today's FX rates|"
                     "#std error at most");
    for (int c = 0; c < market->n_currencies; c++) {
        double rate = conversion_rate(market, c, results->currency);
        struct money_total own = {0}, converted = {0};
        for (int i = 0; i < results->n; i++) {
            const struct estimate *e = &results->estimates[i];
            if (!isfinite(e->price) || trade_currency(market, &results->trades[i]) != c) continue;
            money_add(&own, 1.0, e->price, e->std_error);
            money_add(&converted, rate, e->price, e->std_error);
        }
        if (own.n) write_worth_row(out, market->currencies[c].name, own, converted);
    }
    if (all.n) {
        char name[80];
        snprintf(name, sizeof name, "all, in %.64s", results_total_currency(results));
        write_worth_row(out, name, (struct money_total){.n = all.n, .value = NAN, .error = NAN},
                        all);
    }
    html_table_end(out);
    write_unconverted(out, results, all.left_out);
}

static void write_fact(FILE *out, const char *name, const char *text)
{
    if (text[0]) html_row(out, OF_PAGE, "%s|%s", name, text);
}

static void write_digest(FILE *out, const char *name, uint64_t digest)
{
    fprintf(out, "<tr><th scope=\"row\">%s</th><td><code>%016" PRIx64 "</code></td></tr>\n", name,
            digest);
}

void page_origin(FILE *out, const struct results *results)
{
    const struct manifest *m = &results->manifest;
    fputs("<div class=\"table\"><table id=\"origin\" class=\"facts\">\n<tbody>\n", out);
    write_fact(out, "book", m->book);
    write_fact(out, "valuation date", m->valuation_date);
    write_fact(out, "version", PRICER_VERSION);
    write_fact(out, "commit", PRICER_COMMIT);
    write_fact(out, "engine", m->engine);
    write_fact(out, "kernel", m->kernel);
    write_fact(out, "device", m->device);
    html_row(out, OF_PAGE, "threads|%'d", m->threads);
    fprintf(out, "<tr><th scope=\"row\">seed</th><td>%" PRIu64 "</td></tr>\n", m->seed);
    html_row(out, OF_PAGE, "paths|%'.0f", (double)m->paths);
    html_row(out, OF_PAGE, "path-steps|%'.0f", (double)m->path_steps);
    write_digest(out, "digest of the plan", m->plan_digest);
    write_digest(out, "digest of the results", m->results_digest);
    html_table_end(out);
}
