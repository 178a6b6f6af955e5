/* Results as comma-separated values (RFC 4180, lines ended by a line feed): one wide file with a
 * row for each trade, or a folder of long ones with a row for each number. */
#include <math.h>
#include <string.h>

#include "app/output/results_file.h"

void csv_text(FILE *out, const char *text)
{
    const char *guard = text[0] && strchr("=+-@\t\r", text[0]) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        fprintf(out, "%s%s", guard, text);
        return;
    }
    fprintf(out, "\"%s", guard);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void csv_number(FILE *out, double number)
{
    if (isfinite(number)) fprintf(out, "%.17g", number);
}

/* ---- a row a trade --------------------------------------------------------------------------- */

static void write_header(FILE *out, const struct results *results, int n_risk)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int c = 0; c < N_COLUMNS; c++) fprintf(out, "%s%s", c ? "," : "", result_columns[c].name);
    for (int c = 0; c < n_risk; c++) {
        char name[RISK_NAME_ROOM];
        risk_column_name(results->risk, c, name);
        putc(',', out);
        csv_text(out, name);
    }
    for (int t = 0; t < aggregation->n_tags; t++) fprintf(out, ",tag.%s", aggregation->tags[t]);
    putc('\n', out);
}

static void write_trade(FILE *out, const struct results *results, int trade, int n_risk)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    results_row(results, trade, &names, fields);
    for (int c = 0; c < N_COLUMNS; c++) {
        if (c) putc(',', out);
        if (fields[c].text) csv_text(out, fields[c].text);
        else csv_number(out, fields[c].number);
    }
    for (int c = 0; c < n_risk; c++) {
        putc(',', out);
        csv_number(out, risk_column_value(results->risk, c, trade));
    }
    for (int t = 0; t < aggregation->n_tags; t++) {
        const char *value = trade_tag(&results->trades[trade], aggregation->tags[t]);
        putc(',', out);
        if (value) csv_text(out, value);
    }
    putc('\n', out);
}

static void write_trades(FILE *out, const struct results *results, int n_risk)
{
    write_header(out, results, n_risk);
    for (int i = 0; i < results->n && !ferror(out); i++) write_trade(out, results, i, n_risk);
}

void csv_write(FILE *out, const struct results *results)
{
    write_trades(out, results, risk_columns(results->risk));
}

/* ---- a row a number -------------------------------------------------------------------------- */

/* A file in the making. */
struct long_csv {
    FILE *out;
    int n_columns;
};

static bool write_field(void *context, int column, const char *text, double number)
{
    const struct long_csv *csv = context;
    if (column) putc(',', csv->out);
    if (text) csv_text(csv->out, text);
    else csv_number(csv->out, number);
    if (column + 1 == csv->n_columns) putc('\n', csv->out);
    return !ferror(csv->out);
}

void long_csv_write(FILE *out, const struct results *results, enum result_table_kind kind)
{
    struct long_csv csv = {out, result_table_columns(kind)};
    struct result_table table = {.take = write_field, .take_context = &csv};
    if (kind == RESULT_TABLE_PRICES) {
        write_trades(out, results, 0);
        return;
    }
    for (int c = 0; c < csv.n_columns; c++)
        fprintf(out, "%s%s", c ? "," : "", result_table_forms[kind].columns[c].name);
    putc('\n', out);
    result_table_fill(results, kind, &table);
}
