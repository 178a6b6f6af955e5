#include "app/output/results_csv.h"

#include <math.h>
#include <string.h>

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

void csv_write(FILE *out, const struct results *results)
{
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    for (int c = 0; c < N_COLUMNS; c++) fprintf(out, "%s%s", c ? "," : "", result_columns[c].name);
    for (int c = 0; c < risk_columns(results->risk); c++) {
        char name[RISK_NAME_ROOM];
        risk_column_name(results->risk, c, name);
        putc(',', out);
        csv_text(out, name);
    }
    putc('\n', out);
    for (int i = 0; i < results->n && !ferror(out); i++) {
        results_row(results, i, &names, fields);
        for (int c = 0; c < N_COLUMNS; c++) {
            if (c) putc(',', out);
            if (fields[c].text) csv_text(out, fields[c].text);
            else csv_number(out, fields[c].number);
        }
        for (int c = 0; c < risk_columns(results->risk); c++) {
            putc(',', out);
            csv_number(out, risk_column_value(results->risk, c, i));
        }
        putc('\n', out);
    }
}
