#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "app/config/trade_terms.h"
#include "app/pricing/plan/explain.h"
#include "app/pricing/risk/pnl/value_at_risk.h"
#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"
#include "models/payoffs/payoff_definition.h"

/* ---- what its keys hold ---------------------------------------------------------------------- */

enum { DATES_SHOWN = 24, DATES_AHEAD = 3 }; /* of a long schedule the first ones and the last */

struct leaf_terms {
    FILE *out;
    const struct results *results;
    const struct trade *trade;
};

/* Writes the name of a key: what has passed stands in a group of the book. */
static void begin_term(FILE *out, const char *key)
{
    bool past = !strncmp(key, "past_", 5);
    fprintf(out, "<dt>%s%s<dd>", past ? "past." : "", past ? key + 5 : key);
}

/* Writes a number with all digits that a book gives. */
static void write_number(FILE *out, double number)
{
    if (number == rint(number)) fputs(plain_text(number).text, out);
    else fprintf(out, "%.15g", number);
}

static void write_time(const struct leaf_terms *writing, double years, bool in_years)
{
    char text[DATE_ROOM];
    long day;
    if (in_years || !time_is_date(writing->results, years, &day)) write_number(writing->out, years);
    else fputs(date_write(day, text), writing->out);
}

static void write_schedule(const struct leaf_terms *writing, const struct schedule *schedule)
{
    bool in_years = writing->trade->expiry_in_years;
    long day;
    int shown = schedule->n > DATES_SHOWN ? DATES_AHEAD : schedule->n;
    if (schedule->continuous) {
        fputs("continuous", writing->out);
        return;
    }
    for (int i = 0; i < schedule->n; i++)
        in_years |= !time_is_date(writing->results, schedule->times[i], &day);
    for (int i = 0; i < shown; i++) {
        if (i) fputs(", ", writing->out);
        write_time(writing, schedule->times[i], in_years);
    }
    if (shown == schedule->n) return;
    fputs(" \xe2\x80\xa6 ", writing->out);
    write_time(writing, schedule->times[schedule->n - 1], in_years);
    fprintf(writing->out, " (%d dates)", schedule->n);
}

static void write_term(void *context, const struct trade_term *term)
{
    const struct leaf_terms *writing = context;
    FILE *out = writing->out;
    /* A key that may be left out and holds nothing says nothing. */
    bool speaks =
        term->kind == TERM_SCHEDULE ? term->schedule->continuous || term->schedule->n
        : term->kind == TERM_WORD
            ? strcmp(term->word, "-") && (strcmp(term->key, "kind") || writing->trade->n_assets > 1)
        : term->kind == TERM_LIST
            ? term->n > 0
            : isfinite(term->number) && (term->required || term->number != 0.0);
    if (!speaks) return;
    begin_term(out, term->key);
    switch (term->kind) {
    case TERM_NUMBER: write_number(out, term->number); break;
    case TERM_TRUTH: fputs(term->number != 0.0 ? "yes" : "no", out); break;
    case TERM_TIME: write_time(writing, term->number, term->in_years); break;
    case TERM_WORD: fputs(term->word, out); break;
    case TERM_SCHEDULE: write_schedule(writing, term->schedule); break;
    case TERM_LIST:
        for (int i = 0; i < term->n; i++) {
            if (i) fputs(", ", out);
            write_number(out, term->numbers[i]);
        }
        break;
    }
}

/* Writes what a trade's keys hold, as a list of definitions. */
static void write_trade_terms(FILE *out, const struct results *results, int index)
{
    const struct trade *trade = &results->trades[index];
    struct leaf_terms writing = {.out = out, .results = results, .trade = trade};
    fputs("<dl>", out);
    begin_term(out, "type");
    html_text(out, trade_type(trade));
    int n = trade->asset < 0 ? 0 : trade->n_assets;
    if (n > 0) begin_term(out, n > 1 ? "assets" : "asset");
    for (int i = 0; i < n; i++) {
        if (i) fputs(", ", out);
        link_group(out, results, "asset", results->market->assets[trade_asset(trade, i)].name);
    }
    if (n > 0 && trade->quanto.n) begin_term(out, "quanto.fx");
    for (int i = 0; n > 0 && i < trade->quanto.n; i++)
        html_print(out, "%s%s", i ? ", " : "", results->market->assets[trade->quanto.fx[i]].name);
    begin_term(out, "quantity");
    if (isfinite(trade->quantity)) write_number(out, trade->quantity);
    trade_terms_visit(trade, &writing, write_term);
    for (int i = 0; i < trade->n_tags; i++) {
        html_print(out, "<dt>tag %s<dd>", trade->tags[i].name);
        link_group(out, results, trade->tags[i].name, trade->tags[i].value);
    }
    begin_term(out, "stands in");
    html_print(out, "%s:%d</dl>\n", trade->file ? trade->file : "", trade->line);
}

/* Rows of scenarios on all leaves together, at least so many on each; days on each, and dates of a
 * script to come. */
enum { SCENARIO_ROWS = 100000, LEAST_SCENARIOS = 10, WORST_DAYS = 5, SCRIPT_DATES = 24 };

/* ---- rounds: what a trade had come to after each --------------------------------------------- */

enum { ROUNDS_MAX = 64, TRADES_DRAWN = 1000 }; /* each chart is four kilobytes of its page */

/* What the leaves of a book have in common. */
struct leaves {
    FILE *out;
    const struct results *results;
    int n;         /* leaves there are */
    int scenarios; /* rows of a trade */
    /* [n_rounds] trade by trade, owned; of the next leaf: its trade, and where its rounds begin */
    struct round_price *rounds;
    int n_rounds, trade, round;
    double *var_weights; /* [confidence][day] of the book's losses in its value at risk; owned */
};

/* Orders rounds by their trades and then as they were run, with more and more paths. */
static int compare_rounds(const void *a, const void *b)
{
    const struct round_price *x = a, *y = b;
    return x->trade != y->trade ? (x->trade < y->trade ? -1 : 1) : x->paths < y->paths ? -1 : 1;
}

static enum status sort_rounds(struct leaves *leaves)
{
    const struct round_log *log = leaves->results->rounds;
    if (!log || !log->n) return STATUS_OK;
    leaves->rounds = calloc((size_t)log->n, sizeof *leaves->rounds);
    if (!leaves->rounds) return STATUS_NO_MEMORY;
    leaves->n_rounds = log->n;
    memcpy(leaves->rounds, log->list, (size_t)log->n * sizeof *leaves->rounds);
    qsort(leaves->rounds, (size_t)log->n, sizeof *leaves->rounds, compare_rounds);
    return STATUS_OK;
}

/* Fills rounds [ROUNDS_MAX] with those of the next row, in money for its quantity. Returns how
 * many.
 */
static int take_rounds(struct leaves *leaves, int row, struct round_price *rounds)
{
    enum verdict verdict = leaves->results->estimates[row].verdict;
    double quantity = leaves->results->trades[row].quantity;
    int n = 0;
    if (verdict == VERDICT_EXPIRED || verdict == VERDICT_REFUSED) return 0;
    for (; leaves->round < leaves->n_rounds; leaves->round++) {
        struct round_price round = leaves->rounds[leaves->round];
        if (round.trade > leaves->trade) break;
        if (round.trade < leaves->trade || n == ROUNDS_MAX) continue;
        round.mean *= quantity;
        round.std_error *= fabs(quantity);
        rounds[n++] = round;
    }
    leaves->trade++;
    return n;
}

static void chart_rounds(FILE *out, const struct results *results, int row, int n,
                         const struct round_price *rounds)
{
    double x[ROUNDS_MAX], y[ROUNDS_MAX], errors[ROUNDS_MAX];
    double reference = results->estimates[row].reference;
    struct svg_range range = SVG_NOTHING;
    struct svg svg;
    char id[48];
    for (int i = 0; i < n; i++) {
        x[i] = rounds[i].paths;
        y[i] = rounds[i].mean;
        errors[i] = rounds[i].std_error;
        svg_include_error(&range, y[i], errors[i]);
    }
    svg_include(&range, reference);
    if (!(range.high > range.low)) return;
    snprintf(id, sizeof id, "chart-rounds-%d", row);
    html_figure(out, id, "Path of its convergence",
                "The price after each round, with one standard error either side; the dashed line "
                "is the reference.");
    svg_begin(&svg, out, SVG_HALF, 260, "Price by number of paths");
    svg_axes(&svg, (struct svg_range){x[0], x[n - 1], SVG_LOG, 0.0}, svg_rounded(range), "paths",
             results_currency(results, row));
    svg_band(&svg, n, x, y, errors, "accent");
    if (isfinite(reference)) svg_rule_y(&svg, reference, "ink dashed");
    svg_curve(&svg, n, x, y, "accent");
    for (int i = 0; i < n; i++) {
        svg_tip(&svg, "%.0f paths\n%.7g ± %.2g", x[i], y[i], errors[i]);
        svg_point(&svg, x[i], y[i], 3.0, "accent");
    }
    svg_figure_end(&svg);
}

static void write_rounds(struct leaves *leaves, int row)
{
    FILE *out = leaves->out;
    const struct results *results = leaves->results;
    struct round_price rounds[ROUNDS_MAX];
    int n = take_rounds(leaves, row, rounds);
    if (n < 2) return;
    if (results->n <= TRADES_DRAWN) chart_rounds(out, results, row, n, rounds);
    html_leaf_table(out, "The price after each round", results_currency(results, row),
                    "#paths|#price|#std error");
    for (int i = 0; i < n; i++)
        html_row(out, OF_LEAF, "%'.0f|%e±%e", rounds[i].paths, rounds[i].mean, rounds[i].std_error);
    html_leaf_table_end(out);
}

/* ---- price and check ------------------------------------------------------------------------- */

/* Writes a number to the second digit of `digits`, with its error; all digits where one points. */
static void exact_term(FILE *out, const char *name, double value, double error, double digits,
                       const char *by)
{
    if (!isfinite(value)) return;
    fprintf(out, "<dt>%s<dd title=\"%.17g", name, value);
    if (isfinite(error)) fprintf(out, " \xc2\xb1 %.17g", error);
    fputs("\">", out);
    html_pm(out, value, error, digits);
    if (by && by[0]) html_print(out, " by %s", by);
}

static void text_term(FILE *out, const char *name, const char *text)
{
    if (!text || !text[0]) return;
    html_print(out, "<dt>%s<dd>%s", name, text);
}

static void write_price(FILE *out, const struct results *results, int index)
{
    const struct estimate *e = &results->estimates[index];
    struct joined_names names;
    join_names(results, index, &names);
    fputs("<dl>", out);
    text_term(out, "in", results_currency(results, index));
    exact_term(out, "price", e->price, e->std_error, e->std_error, "");
    exact_term(out, "reference", e->reference, e->reference_error,
               fmax(e->std_error, e->reference_error), e->reference_method);
    if (isfinite(e->z)) html_print(out, "<dt>z<dd>%'.2f", e->z);
    exact_term(out, "upper end", e->upper, e->upper_error, e->upper_error, "");
    if (e->paths > 0.0) html_print(out, "<dt>paths<dd>%'.0f", e->paths);
    text_term(out, "model", names.models);
    text_term(out, "engine", results->manifest.engine);
    text_term(out, "kernel", results->manifest.kernel);
    text_term(out, "control", e->control);
    if (e->control[0] && isfinite(e->variance_ratio))
        html_print(out, "<dt>variance ratio<dd>%'.1f", e->variance_ratio);
    html_print(out, "<dt>status<dd><span class=\"%s\">%s</span>", verdict_name(e->verdict),
               verdict_name(e->verdict));
    text_term(out, "message", estimate_message(&results->trades[index], e));
    if (results->trade_notes) text_term(out, "notes", results->trade_notes[index]);
    fputs("</dl>\n", out);
}

static void write_greeks(FILE *out, const struct results *results, int index)
{
    const struct risk *risk = results->risk;
    bool begun = false;
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct greek_value *g = risk_greek(risk, s, index);
        if (!isfinite(g->value)) continue;
        if (!begun)
            html_leaf_table(out, "Greeks", results_currency(results, index),
                            "Greek|#value|#std error|#reference|#its error|#z|#bump|by");
        begun = true;
        html_row(out, OF_LEAF, "%s|%e±%e|%e/%e|%e/%e|%'.2f|%'g|%s", risk->sensitivities[s].name,
                 g->value, g->std_error, g->reference, g->std_error, g->reference_error,
                 g->reference_error, g->z, g->bump, g->method);
    }
    if (begun) html_leaf_table_end(out);
}

/* ---- scenarios ------------------------------------------------------------------------------- */

static const struct pnl *pnl_of(const struct risk *risk, const struct pnl *table, int row_of,
                                int index)
{
    return &table[(size_t)row_of * (size_t)risk->n_trades + (size_t)index];
}

static void write_scenario(const struct leaves *leaves, int scenario, int index)
{
    const struct risk *risk = leaves->results->risk;
    const struct pnl *pnl = pnl_of(risk, risk->scenarios, scenario, index);
    if (isfinite(pnl->value))
        html_row(leaves->out, OF_LEAF, "%s|%e±%e", risk->scenario_names[scenario], pnl->value,
                 pnl->std_error);
}

/* Writes all scenarios in the book's order, or those that move the trade most where a large book
 * has too many. */
static void write_scenarios(const struct leaves *leaves, int index)
{
    const struct risk *risk = leaves->results->risk;
    struct ranking ranking = {0};
    int found = 0;
    bool all = leaves->scenarios >= risk->n_scenarios;
    for (int s = 0; s < risk->n_scenarios; s++) {
        double value = pnl_of(risk, risk->scenarios, s, index)->value;
        found += isfinite(value);
        if (!all) rank_item(&ranking, s, fabs(value));
    }
    if (!found) return;
    html_leaf_table(leaves->out, all ? "Scenarios" : "The scenarios that move it most",
                    results_currency(leaves->results, index),
                    "scenario|#profit and loss|#std error");
    for (int s = 0; all && s < risk->n_scenarios; s++) write_scenario(leaves, s, index);
    int shown = all ? found : ranking.n < leaves->scenarios ? ranking.n : leaves->scenarios;
    for (int i = 0; !all && i < shown; i++) write_scenario(leaves, ranking.items[i], index);
    html_leaf_table_end(leaves->out);
    html_left_out(leaves->out, shown, found, "scenarios");
}

/* ---- the past -------------------------------------------------------------------------------- */

/* Makes the weights of days in the book's value at risk. */
static enum status make_weights(struct leaves *leaves)
{
    const struct risk *risk = leaves->results->risk;
    enum status status = STATUS_OK;
    size_t n = (size_t)risk->n_days;
    double *losses = calloc(2 * n + 1, sizeof *losses);
    leaves->var_weights = calloc((size_t)risk->n_confidences * n + 1, sizeof *losses);
    if (!losses || !leaves->var_weights) TRY(STATUS_NO_MEMORY);
    for (int d = 0; d < risk->n_days; d++) losses[d] = -risk->aggregates[0].days[d].value;
    for (int k = 0; k < risk->n_confidences; k++)
        TRY(tail_weights_make(risk->n_days, losses,
                              risk->aggregates[0].values_at_risk[k].confidence,
                              leaves->var_weights + (size_t)k * n, losses + n));
done:
    free(losses);
    return status;
}

/* Writes the trade's own value at risk and its part of the book's: its loss on the same day. */
static void write_tail(const struct leaves *leaves, int k, int index)
{
    const struct risk *risk = leaves->results->risk;
    const struct value_at_risk
        *whole = &risk->aggregates[0].values_at_risk[k],
        *own = &risk->values_at_risk[(size_t)k * (size_t)risk->n_trades + (size_t)index];
    const double *weights = leaves->var_weights + (size_t)k * (size_t)risk->n_days;
    double rate = results_rate(leaves->results, index), part = 0.0, error = 0.0;
    for (int d = 0; d < risk->n_days; d++) {
        const struct pnl *day = pnl_of(risk, risk->days, d, index);
        if (weights[d] == 0.0) continue;
        part -= rate * weights[d] * day->value;
        error += rate * weights[d] * day->std_error;
    }
    double share = whole->var != 0.0 ? 100.0 * part / whole->var : NAN;
    html_row(leaves->out, OF_LEAF, "%.4g %%|%e±%e|%e/%e|%e±%e|%'.2f%s", 100.0 * whole->confidence,
             rate * own->var, rate * own->var_error, rate * own->shortfall,
             rate * own->shortfall_error, part, error, share, isfinite(share) ? " %" : "");
}

static void write_days(const struct leaves *leaves, int index)
{
    const struct risk *risk = leaves->results->risk;
    struct ranking ranking = {0};
    for (int d = 0; d < risk->n_days; d++)
        rank_item(&ranking, d, -pnl_of(risk, risk->days, d, index)->value);
    html_leaf_table(leaves->out, "Its worst days", results_currency(leaves->results, index),
                    "date|#profit and loss|#std error");
    for (int i = 0; i < ranking.n && i < WORST_DAYS; i++) {
        int day = ranking.items[i];
        const struct pnl *pnl = pnl_of(risk, risk->days, day, index);
        html_row(leaves->out, OF_LEAF, "%s|%e±%e", risk->day_names[day], pnl->value,
                 pnl->std_error);
    }
    html_leaf_table_end(leaves->out);
}

static void write_past(const struct leaves *leaves, int index)
{
    const struct risk *risk = leaves->results->risk;
    bool there = true;
    for (int d = 0; d < risk->n_days; d++)
        there = there && isfinite(pnl_of(risk, risk->days, d, index)->value);
    if (!there) return;
    if (risk->values_at_risk && risk->n_confidences) {
        fputs("<p class=\"note\">Its part of the book's value at risk is what it loses on the same "
              "day, at today's FX rates.</p>\n",
              leaves->out);
        html_leaf_table(leaves->out, "Value at risk, alone and in the book",
                        results_total_currency(leaves->results),
                        "#confidence|#value at risk|#std error|#shortfall|#of the book's VaR|#std "
                        "error|#share");
        for (int k = 0; k < risk->n_confidences; k++) write_tail(leaves, k, index);
        html_leaf_table_end(leaves->out);
    }
    write_days(leaves, index);
}

static enum status write_script(const struct leaves *leaves, int index)
{
    char *text = NULL;
    size_t length;
    long today = 0;
    const struct results *results = leaves->results;
    FILE *lines = open_memstream(&text, &length);
    if (!lines) return STATUS_NO_MEMORY;
    date_read(results->manifest.valuation_date, &today);
    explain_script(lines, results->market, &results->trades[index], today, SCRIPT_DATES);
    enum status status = fclose(lines) ? STATUS_NO_MEMORY : STATUS_OK;
    if (!status && length) {
        fputs("<h3>Script</h3>\n", leaves->out);
        html_lines(leaves->out, text);
    }
    free(text);
    return status;
}

/* ---- the leaf -------------------------------------------------------------------------------- */

static void write_neighbours(const struct leaves *leaves, int index)
{
    FILE *out = leaves->out;
    fputs("<p><a href=\"#summary\">The book</a> \xc2\xb7 <a href=\"#prices\">all trades</a>", out);
    if (index > 0) {
        fputs(" \xc2\xb7 previous ", out);
        link_trade(out, leaves->results, index - 1);
    }
    if (index + 1 < leaves->n) {
        fputs(" \xc2\xb7 next ", out);
        link_trade(out, leaves->results, index + 1);
    }
    fputs("</p>\n", out);
}

static enum status write_leaf(struct leaves *leaves, int index)
{
    const struct results *results = leaves->results;
    leaf_begin(leaves->out, "trade", NULL, results->trades[index].id);
    write_neighbours(leaves, index);
    fputs("<div class=\"pair\"><div><h3>Terms</h3>", leaves->out);
    write_trade_terms(leaves->out, results, index);
    fputs("</div><div><h3>Price and check</h3>", leaves->out);
    write_price(leaves->out, results, index);
    fputs("</div></div>\n", leaves->out);
    if (results->trades[index].scripted) MUST(write_script(leaves, index));
    write_rounds(leaves, index);
    if (has_greeks(results)) write_greeks(leaves->out, results, index);
    if (has_scenarios(results)) write_scenarios(leaves, index);
    if (has_past(results)) write_past(leaves, index);
    leaf_end(leaves->out);
    return STATUS_OK;
}

enum status page_trade_leaves(FILE *out, const struct results *results)
{
    enum status status = STATUS_OK;
    struct leaves leaves = {.out = out, .results = results};
    leaves.n = results->n < REPORT_TRADES ? results->n : REPORT_TRADES;
    int budget = leaves.n ? SCENARIO_ROWS / leaves.n : 0;
    leaves.scenarios = budget > LEAST_SCENARIOS ? budget : LEAST_SCENARIOS;
    TRY(sort_rounds(&leaves));
    if (has_past(results)) TRY(make_weights(&leaves));
    for (int i = 0; i < leaves.n && !ferror(out); i++) TRY(write_leaf(&leaves, i));
done:
    free(leaves.var_weights);
    free(leaves.rounds);
    return status;
}
