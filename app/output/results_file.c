#include "app/output/results_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/output/output_file.h"
#include "models/base/stop.h"

/* ---- comma-separated values (RFC 4180, lines ended by a line feed) --------------------------- */

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

/* Writes a header and one row a trade. Errors stay in the stream. */
static void csv_write(FILE *out, const struct results *results)
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
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int t = 0; t < aggregation->n_tags; t++) fprintf(out, ",tag.%s", aggregation->tags[t]);
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
        for (int t = 0; t < aggregation->n_tags; t++) {
            const char *value = trade_tag(&results->trades[i], aggregation->tags[t]);
            putc(',', out);
            if (value) csv_text(out, value);
        }
        putc('\n', out);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A kind of file, by the ending of its name. */
struct type {
    const char *extension;
    void (*write)(FILE *out, const struct results *results);
};

static const struct type types[] = {{".csv", csv_write}, {".json", json_write}};

static const struct type *type_of(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
               *dot = strrchr(name, '.');
    for (size_t i = 0; dot && dot != name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(dot, types[i].extension)) return &types[i];
    return NULL;
}

enum status output_check(const char *path, struct message *why)
{
    const struct type *type = type_of(path);
    if (type) return output_file_possible(path, why);
    snprintf(why->text, sizeof why->text, "--output: '%.400s' must end in .csv or .json", path);
    return STATUS_BAD_INPUT;
}

enum status output_write(const char *path, const struct results *results, const struct stop *stop,
                         struct message *why)
{
    enum status status = STATUS_OK;
    struct output_file file = {0};
    TRY(output_file_begin(path, &file, why));
    type_of(path)->write(file.stream, results);
    if (asked_to_stop(stop)) TRY(STATUS_INTERRUPTED);
    TRY(output_file_commit(&file, why));
done:
    output_file_abandon(&file);
    return status;
}
