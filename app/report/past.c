#include <math.h>

#include "app/report/html.h"
#include "app/report/sections.h"

enum { WORST_DAYS = 10 };

bool has_past(const struct results *results)
{
    const struct risk *risk = results->risk;
    return risk && risk->n_days > 0 && risk->n_aggregates > 0;
}

void rank_one(struct ranking *ranking, int trade, double key)
{
    int at = ranking->n;
    if (isnan(key) || (at == REPORT_RANKED && !(key > ranking->keys[at - 1]))) return;
    if (at < REPORT_RANKED) ranking->n++;
    else at--;
    for (; at > 0 && key > ranking->keys[at - 1]; at--) {
        ranking->keys[at] = ranking->keys[at - 1];
        ranking->ones[at] = ranking->ones[at - 1];
    }
    ranking->keys[at] = key;
    ranking->ones[at] = trade;
}

/* ---- value at risk ------------------------------------------------------------------------------------- */

static void write_interval(FILE *out, double low, double high, double error)
{
    fputs("<td class=\"n\">", out);
    html_measure(out, low, error);
    fputs(" to ", out);
    html_measure(out, high, error);
    fputs("</td>", out);
}

static void write_tail(FILE *out, const char *name, const char *currency, const struct tail *tail)
{
    if (!isfinite(tail->var)) return;
    fputs("<tr>", out);
    html_cell_name(out, name);
    html_cell_text(out, currency);
    fprintf(out, "<td class=\"n\">%.4g %%</td>", 100.0 * tail->confidence);
    html_cell_measure(out, tail->var, tail->var_error);
    html_cell_measure(out, tail->var_error, tail->var_error);
    write_interval(out, tail->var_low, tail->var_high, tail->var_error);
    html_cell_measure(out, tail->shortfall, tail->shortfall_error);
    html_cell_measure(out, tail->shortfall_error, tail->shortfall_error);
    write_interval(out, tail->shortfall_low, tail->shortfall_high, tail->shortfall_error);
    fputs("</tr>\n", out);
}

static void begin_tails(FILE *out, const char *id, const char *caption, const char *of)
{
    const struct heading headings[] = {
        {of, false, NULL},
        {"in", false, NULL},
        {"confidence", true, NULL},
        {"value at risk", true, NULL},
        {"std error", true, "of the simulation alone"},
        {"95 % interval", true, "of the finite past and the simulation together"},
        {"expected shortfall", true, "mean of the losses beyond"},
        {"std error", true, "of the simulation alone"},
        {"95 % interval", true, "of the finite past and the simulation together"}};
    html_table_begin(out, id, caption, sizeof headings / sizeof *headings, headings);
}

static void write_aggregates(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    begin_tails(out, "tails", "Losses of the book, and of the trades by their first asset", "of");
    for (int a = 0; a < risk->n_aggregates; a++)
        for (int k = 0; k < risk->n_confidences; k++)
            write_tail(out, risk->aggregates[a].name, results_total_currency(results),
                       &risk->aggregates[a].tails[k]);
    html_table_end(out);
}

/* The tail of a trade in another currency, whose rate stays today's. */
static struct tail converted(struct tail tail, double rate)
{
    double *const amounts[] = {&tail.var,           &tail.var_error,     &tail.var_low,
                               &tail.var_high,      &tail.shortfall,     &tail.shortfall_error,
                               &tail.shortfall_low, &tail.shortfall_high};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) *amounts[i] *= rate;
    return tail;
}

static void write_trades(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    struct ranking ranking = {0};
    int left_out = 0;
    if (!risk->n_confidences || !risk->tails) return;
    const struct tail *last = risk->tails + (size_t)(risk->n_confidences - 1) * (size_t)risk->n_trades;
    for (int i = 0; i < risk->n_trades; i++) {
        struct tail tail = converted(last[i], results_rate(results, i));
        rank_one(&ranking, i, tail.var);
        left_out += isnan(tail.var) && !isnan(last[i].var);
    }
    begin_tails(out, "trade-tails",
                "Trades by value at risk, the largest first, in one currency at today's FX rates", "trade");
    for (int i = 0; i < ranking.n; i++) {
        int trade = ranking.ones[i];
        struct tail tail = converted(last[trade], results_rate(results, trade));
        write_tail(out, results->trades[trade].id, results_total_currency(results), &tail);
    }
    html_table_end(out);
    write_unconverted(out, results, left_out);
    html_left_out(out, ranking.n, risk->n_trades, "trades");
}

/* ---- the worst days ------------------------------------------------------------------------------------ */

static void write_days(FILE *out, const struct risk *risk)
{
    static const struct heading headings[] = {
        {"date", false, NULL}, {"profit and loss", true, NULL}, {"std error", true, NULL}};
    const struct pnl *days = risk->aggregates[0].days;
    struct ranking ranking = {0};
    for (int d = 0; d < risk->n_days; d++) rank_one(&ranking, d, -days[d].value);
    html_table_begin(out, "worst-days", "The worst days", 3, headings);
    for (int i = 0; i < ranking.n && i < WORST_DAYS; i++) {
        struct pnl day = days[ranking.ones[i]];
        fputs("<tr>", out);
        html_cell_name(out, risk->day_names[ranking.ones[i]]);
        html_cell_measure(out, day.value, day.std_error);
        html_cell_measure(out, day.std_error, day.std_error);
        fputs("</tr>\n", out);
    }
    html_table_end(out);
}

void page_past(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    fputs("<p>The book revalued under ", out);
    html_number(out, risk->n_days, 0);
    fputs(" moves of the market in the past, in ", out);
    html_text(out, results_total_currency(results));
    fputs(". Value at risk and expected shortfall are losses.</p>\n", out);
    html_chart(
        out, "chart-past", "Profit and loss of the past",
        "Days by profit and loss of the book; lines mark value at risk (VaR) and expected shortfall (ES).");
    write_aggregates(out, results);
    write_days(out, risk);
    write_trades(out, results);
}
