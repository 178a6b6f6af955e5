#include <math.h>
#include <stdlib.h>

#include "app/pricing/check.h"
#include "models/base/json_text.h"
#include "app/report/sections.h"
#include "models/payoffs/payoff_definition.h"

enum { CHART_SCENARIOS = 60 }; /* scenarios beside each other in a chart */

/* ---- values ---------------------------------------------------------------------------------- */

static void text_item(FILE *out, const char *text, int index)
{
    if (index) putc(',', out);
    json_text(out, text);
}

static void number_item(FILE *out, double number, int index)
{
    if (index) putc(',', out);
    if (isfinite(number)) fprintf(out, "%.9g", number); /* a picture has fewer digits than this */
    else fputs("null", out);
}

static void number_member(FILE *out, const char *name, double number, int *n)
{
    json_key(out, name, n);
    number_item(out, number, 0);
}

/* ---- trades ---------------------------------------------------------------------------------- */

static const char *id_of(const struct results *results, int i)
{
    return results->trades[i].id;
}

static const char *type_of(const struct results *results, int i)
{
    return product_name(results->trades[i].product);
}

static const char *status_of(const struct results *results, int i)
{
    return verdict_name(results->estimates[i].verdict);
}

/* Writes one array a column: {"id": [...], ...}. */
static void write_trades(FILE *out, const struct results *results)
{
    static const struct {
        const char *name;
        const char *(*text)(const struct results *results, int trade); /* or a number: */
        size_t offset;
    } columns[] = {{"id", id_of, 0},
                   {"type", type_of, 0},
                   {"currency", results_currency, 0},
                   {"status", status_of, 0},
                   {"price", NULL, offsetof(struct estimate, price)},
                   {"error", NULL, offsetof(struct estimate, std_error)},
                   {"reference", NULL, offsetof(struct estimate, reference)},
                   {"z", NULL, offsetof(struct estimate, z)}};
    int n = 0, n_trades = results->n < REPORT_TRADES ? results->n : REPORT_TRADES;
    putc('{', out);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        json_key(out, columns[c].name, &n);
        putc('[', out);
        for (int i = 0; i < n_trades; i++) {
            if (columns[c].text) text_item(out, columns[c].text(results, i), i);
            else number_item(out, number_at(&results->estimates[i], columns[c].offset), i);
        }
        putc(']', out);
    }
    putc('}', out);
}

/* ---- risk ------------------------------------------------------------------------------------ */

/* Writes the Greeks of every asset, in money for the move that a desk speaks of. */
static void write_greek_totals(FILE *out, const struct results *results)
{
    int n = 0;
    putc('[', out);
    for (int s = 0; s < results->risk->n_sensitivities; s++) {
        const struct sensitivity *sensitivity = &results->risk->sensitivities[s];
        struct money_total total = results_greek(results, s);
        double step = greek_step(results, s);
        int m = 0;
        if (greek_rows[sensitivity->greek].scope != SCOPE_ASSET || !total.n) continue;
        fputs(n++ ? ",\n{" : "{", out);
        json_text_member(out, "greek", greek_rows[sensitivity->greek].name, &m);
        json_text_member(out, "asset", results->market->assets[sensitivity->asset].name, &m);
        json_text_member(out, "currency", results_total_currency(results), &m);
        json_text_member(out, "per", greek_rows[sensitivity->greek].step, &m);
        number_member(out, "value", total.value * step, &m);
        number_member(out, "error", total.error * step, &m);
        putc('}', out);
    }
    putc(']', out);
}

static void write_pnl(FILE *out, int n, const struct pnl *pnl, int *members)
{
    json_key(out, "value", members);
    putc('[', out);
    for (int i = 0; i < n; i++) number_item(out, pnl[i].value, i);
    fputs("]", out);
    json_key(out, "error", members);
    putc('[', out);
    for (int i = 0; i < n; i++) number_item(out, pnl[i].std_error, i);
    putc(']', out);
}

/* Returns a trade's P&L in the reporting currency, at today's FX rates; NaN where none leads
 * there. */
static double moved_by(const struct results *results, int scenario, int trade)
{
    const struct risk *risk = results->risk;
    double value = risk->scenarios[(size_t)scenario * (size_t)risk->n_trades + (size_t)trade].value;
    return isfinite(value) ? value * results_rate(results, trade) : NAN;
}

static void write_moved_trade(FILE *out, const struct results *results, int trade, int n_scenarios)
{
    int m = 0;
    putc('{', out);
    json_text_member(out, "id", results->trades[trade].id, &m);
    json_text_member(out, "currency", results_total_currency(results), &m);
    json_key(out, "value", &m);
    putc('[', out);
    for (int s = 0; s < n_scenarios; s++) number_item(out, moved_by(results, s, trade), s);
    fputs("]}", out);
}

static void write_scenario_data(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    int n = 0,
        n_scenarios = risk->n_scenarios < CHART_SCENARIOS ? risk->n_scenarios : CHART_SCENARIOS;
    struct ranking ranking = {0};
    for (int i = 0; i < risk->n_trades; i++) {
        double most = 0.0;
        for (int s = 0; s < n_scenarios; s++) most = fmax(most, fabs(moved_by(results, s, i)));
        rank_trade(&ranking, i, most);
    }
    putc('{', out);
    json_text_member(out, "currency", results_total_currency(results), &n);
    json_key(out, "names", &n);
    putc('[', out);
    for (int s = 0; s < n_scenarios; s++) text_item(out, risk->scenario_names[s], s);
    putc(']', out);
    write_pnl(out, n_scenarios, risk->aggregates[0].scenarios, &n);
    json_key(out, "trades", &n);
    putc('[', out);
    for (int i = 0; i < ranking.n; i++) {
        if (i) putc(',', out);
        write_moved_trade(out, results, ranking.ones[i], n_scenarios);
    }
    fputs("]}", out);
}

static void write_past_data(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const struct aggregate *total = &risk->aggregates[0];
    int n = 0;
    putc('{', out);
    json_text_member(out, "currency", results_total_currency(results), &n);
    json_key(out, "days", &n);
    putc('[', out);
    for (int d = 0; d < risk->n_days; d++) text_item(out, risk->day_names[d], d);
    putc(']', out);
    write_pnl(out, risk->n_days, total->days, &n);
    json_key(out, "tails", &n);
    putc('[', out);
    for (int k = 0; k < risk->n_confidences; k++) {
        int m = 0;
        fputs(k ? ",{" : "{", out);
        number_member(out, "confidence", total->values_at_risk[k].confidence, &m);
        number_member(out, "var", total->values_at_risk[k].var, &m);
        number_member(out, "shortfall", total->values_at_risk[k].shortfall, &m);
        putc('}', out);
    }
    fputs("]}", out);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_seconds(FILE *out, const struct results *results)
{
    const struct phases *p = &results->manifest.phases;
    int n = 0;
    putc('{', out);
    number_member(out, "load", p->load, &n);
    number_member(out, "plan", p->plan, &n);
    number_member(out, "start", p->start, &n);
    number_member(out, "price", p->price, &n);
    number_member(out, "check", p->check, &n);
    if (results->risk) number_member(out, "risk", results->risk->seconds, &n);
    putc('}', out);
}

static void write_object(FILE *out, const struct results *results)
{
    int n = 0;
    putc('{', out);
    json_key(out, "trades", &n);
    write_trades(out, results);
    number_member(out, "limit", check_limit(count_checked(results)), &n);
    json_key(out, "seconds", &n);
    write_seconds(out, results);
    if (has_greeks(results)) {
        json_key(out, "greeks", &n);
        write_greek_totals(out, results);
    }
    if (has_scenarios(results)) {
        json_key(out, "scenarios", &n);
        write_scenario_data(out, results);
    }
    if (has_past(results)) {
        json_key(out, "past", &n);
        write_past_data(out, results);
    }
    putc('}', out);
}

/* Writes JSON that cannot end its element: <, > and & stand in texts only, where an escape means
 * the same. */
static void write_inert(FILE *out, const char *json, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (json[i] == '<' || json[i] == '>' || json[i] == '&') fprintf(out, "\\u%04x", json[i]);
        else putc(json[i], out);
    }
}

enum status page_data(FILE *out, const struct results *results)
{
    enum status status = STATUS_OK;
    char *json = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&json, &length);
    if (!memory) TRY(STATUS_NO_MEMORY);
    write_object(memory, results);
    if (ferror(memory)) status = STATUS_NO_MEMORY;
    if (fclose(memory)) status = STATUS_NO_MEMORY;
    TRY(status);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    write_inert(out, json, length);
    fputs("</script>\n", out);
done:
    free(json);
    return status;
}
