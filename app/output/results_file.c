#include "app/output/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/output_file.h"
#include "kernels/team.h"

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

void csv_numbers(FILE *out, int n, const double *numbers)
{
    for (int i = 0; i < n; i++) {
        putc(',', out);
        csv_number(out, numbers[i]);
    }
}

/* ---- one wide file with a row for each trade ------------------------------------------------- */

static void write_trade(FILE *out, const struct results *results, int trade)
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
    for (int c = 0; c < risk_columns(results->risk); c++) {
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

/* ---- rows that threads print side by side ---------------------------------------------------- */

/* Parts of so many rows, so many parts at a time. */
enum { PART_ROWS = 64, PARTS_TOGETHER = 64 };

struct printing {
    FILE *out;
    const struct results *results;
    row_writer *write;
    int first, end; /* first row of the first part, and of none */
    struct printed {
        char *text; /* NULL: there was no memory for it */
        size_t size;
    } parts[PARTS_TOGETHER];
};

static void write_part(FILE *out, const struct printing *printing, int part)
{
    int first = printing->first + part * PART_ROWS, left = printing->end - first;
    for (int i = 0; i < PART_ROWS && i < left && !ferror(out); i++)
        printing->write(out, printing->results, first + i);
}

static void print_part(void *context, int part)
{
    struct printing *printing = context;
    struct printed *printed = &printing->parts[part];
    *printed = (struct printed){NULL, 0};
    FILE *memory = open_memstream(&printed->text, &printed->size);
    if (!memory) return;
    write_part(memory, printing, part);
    bool lost = ferror(memory);
    if (!fclose(memory) && !lost) return;
    free(printed->text);
    printed->text = NULL;
}

static void copy_part(struct printing *printing, int part)
{
    struct printed *printed = &printing->parts[part];
    if (printed->text) fwrite(printed->text, 1, printed->size, printing->out);
    else write_part(printing->out, printing, part);
    free(printed->text);
}

void results_write_rows(FILE *out, const struct results *results, int first, int end,
                        row_writer *write)
{
    struct printing printing = {out, results, write, first, end, {{NULL, 0}}};
    struct team *team = team_begin(results->manifest.threads);
    for (int left; (left = end - printing.first) > 0 && !ferror(out);
         printing.first += PARTS_TOGETHER * PART_ROWS) {
        int parts = (left + PART_ROWS - 1) / PART_ROWS;
        if (parts > PARTS_TOGETHER) parts = PARTS_TOGETHER;
        team_loop(team, parts, print_part, &printing);
        for (int part = 0; part < parts; part++) copy_part(&printing, part);
    }
    team_end(team);
}

/* ---- comma-separated files ------------------------------------------------------------------- */

static void write_trades(FILE *out, const struct results *results)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int c = 0; c < N_COLUMNS; c++) fprintf(out, "%s%s", c ? "," : "", result_columns[c].name);
    for (int c = 0; c < risk_columns(results->risk); c++) {
        char name[RISK_NAME_ROOM];
        risk_column_name(results->risk, c, name);
        putc(',', out);
        csv_text(out, name);
    }
    for (int t = 0; t < aggregation->n_tags; t++) fprintf(out, ",tag.%s", aggregation->tags[t]);
    putc('\n', out);
    results_write_rows(out, results, 0, results->n, write_trade);
}

/* ---- long files of a folder with a row for each number --------------------------------------- */

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

static void long_csv_write(FILE *out, const struct results *results, enum pricer_table kind)
{
    struct long_csv csv = {out, result_table_columns(kind)};
    struct result_table table = {.take = write_field, .take_context = &csv};
    for (int c = 0; c < csv.n_columns; c++)
        fprintf(out, "%s%s", c ? "," : "", result_table_forms[kind].columns[c].name);
    putc('\n', out);
    result_table_fill(results, kind, &table);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* What goes into a file: one of the tables, or all of the results as the type of the file has
 * them. */
enum content_kind { NO_CONTENT = -3, JSON = -2, WIDE_CSV = -1 /* from 0 on: enum pricer_table */ };
struct content {
    const struct results *results;
    int kind;
};

/* Returns what the name of a file tells. */
static int content_of(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
               *dot = strrchr(name, '.');
    if (!strcmp(path, "-")) return WIDE_CSV;
    if (!dot || dot == name) return NO_CONTENT;
    return !strcmp(dot, ".csv") ? WIDE_CSV : !strcmp(dot, ".json") ? JSON : NO_CONTENT;
}

bool output_is_stdout(const char *path)
{
    return !strcmp(path, "-") || !strcmp(path, "-.csv") || !strcmp(path, "-.json");
}

bool output_is_folder(const char *path)
{
    return path[0] && path[strlen(path) - 1] == '/';
}

enum status long_file_name(const char *folder, int kind, char path[PATH_ROOM], struct message *why)
{
    const char *name = result_table_forms[kind].name;
    if (snprintf(path, PATH_ROOM, "%s%s.csv", folder, name) < PATH_ROOM) return STATUS_OK;
    return say_why(STATUS_FILE, why, "--output: the name of %.300s is too long", folder);
}

/* Makes the folder, where it is not there, and finds out whether all its files can be written. */
static enum status check_folder(const char *folder, struct message *why)
{
    char path[PATH_ROOM];
    MUST(output_folder_make(folder, why));
    for (int i = 0; i < N_LONG_FILES; i++) {
        MUST(long_file_name(folder, i, path, why));
        MUST(output_file_possible(path, why));
    }
    return STATUS_OK;
}

enum status output_check(const char *path, struct message *why)
{
    if (output_is_folder(path)) return check_folder(path, why);
    if (content_of(path) != NO_CONTENT)
        return output_is_stdout(path) ? STATUS_OK : output_file_possible(path, why);
    return say_why(STATUS_BAD_INPUT, why, "--output: '%.400s' must end in .csv, .json or /", path);
}

static void write_file(FILE *out, const void *context)
{
    const struct content *content = context;
    const struct results *results = content->results;
    struct results prices = *results; /* the numbers of the risk have tables of their own */
    prices.risk = NULL;
    if (content->kind == JSON) json_write(out, results);
    else if (content->kind == WIDE_CSV) write_trades(out, results);
    else if (content->kind == PRICER_TABLE_PRICES) write_trades(out, &prices);
    else long_csv_write(out, results, (enum pricer_table)content->kind);
}

enum status output_write(const char *path, const struct results *results, const struct stop *stop,
                         struct message *why)
{
    char file[PATH_ROOM];
    struct content content = {.results = results, .kind = content_of(path)};
    if (output_is_stdout(path)) {
        write_file(stdout, &content);
        return output_flush_stdout(why);
    }
    if (!output_is_folder(path)) return output_file_write(path, write_file, &content, stop, why);
    for (content.kind = 0; content.kind < N_LONG_FILES; content.kind++, stop = NULL) {
        MUST(long_file_name(path, content.kind, file, why));
        MUST(output_file_write(file, write_file, &content, stop, why));
    }
    return STATUS_OK;
}
