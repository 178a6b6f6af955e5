/* What the change of a book from one night to the next is made of. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/database/stored_runs.h"
#include "app/output/output_file.h"
#include "app/output/results.h"
#include "app/output/results_file.h"
#include "app/output/text_table.h"
#include "models/base/json_text.h"

/* The numbers of a row. `change` is the sum of those behind it; `error` is what its error is at
 * most: that of each night, if all its trades' go together, both as independent. */
enum {
    NUMBER_TRADES,
    NUMBER_BEFORE,
    NUMBER_AFTER,
    NUMBER_CHANGE,
    NUMBER_ERROR,
    NUMBER_NEW,
    NUMBER_UNEXPLAINED = NUMBER_NEW + 9,
    N_NUMBERS
};

static const char *const number_names[N_NUMBERS] = {
    "trades", "before", "after", "change", "error", "new",         "gone",       "amended",
    "delta",  "gamma",  "vega",  "rho",    "theta", "correlation", "unexplained"};

struct explained_row {
    char way[NAME_BYTES + 1], of[NAME_BYTES + 1], currency[NAME_BYTES + 1];
    double numbers[N_NUMBERS];
};

struct explained_rows {
    int n, room;
    struct explained_row *rows;
};

/* ---- read ------------------------------------------------------------------------------------ */

/* The columns behind way, of and currency. */
#define SUMS                                                                                       \
    " before, after, new, gone, amended, delta, gamma, vega, rho, theta, correlation, "            \
    "error_before, error_after "

static const char sums_sql[] = "SELECT way, of, currency, trades," SUMS "FROM explained"
                               " ORDER BY way <> 'total', way, currency, of = '(none)', of";
static const char trades_sql[] = "SELECT 'trade', id, currency, 1," SUMS "FROM changes"
                                 " ORDER BY currency, abs(after - before) DESC, id";

static void take_row(const struct statement *row, struct explained_row *to)
{
    double *numbers = to->numbers, rest;
    snprintf(to->way, sizeof to->way, "%s", get_text(row, 0));
    snprintf(to->of, sizeof to->of, "%s", get_text(row, 1));
    snprintf(to->currency, sizeof to->currency, "%s", get_text(row, 2));
    numbers[NUMBER_TRADES] = get_number(row, 3);
    numbers[NUMBER_BEFORE] = get_number(row, 4);
    numbers[NUMBER_AFTER] = get_number(row, 5);
    rest = numbers[NUMBER_CHANGE] = numbers[NUMBER_AFTER] - numbers[NUMBER_BEFORE];
    for (int i = NUMBER_NEW; i < NUMBER_UNEXPLAINED; i++)
        rest -= numbers[i] = get_number(row, 6 + i - NUMBER_NEW);
    numbers[NUMBER_UNEXPLAINED] = rest;
    numbers[NUMBER_ERROR] = hypot(get_number(row, 15), get_number(row, 16));
}

static enum status read_rows(const struct database *database, const char *sql,
                             struct explained_rows *rows, struct message *why)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    bool there;
    TRY(statement_begin(database, sql, &statement, why));
    TRY(statement_next(&statement, &there, why));
    while (there) {
        if (rows->n == rows->room) {
            int room = 2 * rows->room + 64;
            struct explained_row *larger = realloc(rows->rows, (size_t)room * sizeof *larger);
            if (!larger) TRY(STATUS_NO_MEMORY);
            rows->rows = larger;
            rows->room = room;
        }
        take_row(&statement, &rows->rows[rows->n++]);
        TRY(statement_next(&statement, &there, why));
    }
done:
    statement_end(&statement);
    return status;
}

/* ---- for a person ---------------------------------------------------------------------------- */

enum { ROWS_MAX = 100 };

/* The rows of one way, and the columns in which any has something. */
struct explained_table {
    const struct explained_row *rows;
    int n_columns, columns[N_NUMBERS + 2]; /* -2: of, -1: currency, or a number */
};

static void explained_cell(const void *context, int row, int column, char text[CELL_ROOM])
{
    const struct explained_table *table = context;
    int number = table->columns[column];
    const struct explained_row *of = row < 0 ? NULL : &table->rows[row];
    if (number < 0)
        snprintf(text, CELL_ROOM, "%s",
                 !of            ? number == -2 ? table->rows[0].way : "in"
                 : number == -2 ? of->of
                                : of->currency);
    else if (!of) snprintf(text, CELL_ROOM, "%s", number_names[number]);
    else
        number_cell(text, of->numbers[number],
                    number == NUMBER_TRADES
                        ? 0
                        : results_decimals(of->numbers[number], of->numbers[NUMBER_ERROR]));
}

static bool explained_is_text(const void *context, int column)
{
    return ((const struct explained_table *)context)->columns[column] < 0;
}

static void print_way(const struct explained_row *rows, int n)
{
    struct explained_table table = {.rows = rows, .n_columns = 2, .columns = {-2, -1}};
    int shown = n < ROWS_MAX ? n : ROWS_MAX;
    for (int number = 0; number < N_NUMBERS; number++) {
        bool any = number <= NUMBER_ERROR || number == NUMBER_UNEXPLAINED;
        for (int i = 0; i < n; i++) any = any || rows[i].numbers[number] != 0.0;
        if (any) table.columns[table.n_columns++] = number;
    }
    const struct text_table text = {
        .n_rows = shown,
        .n_columns = table.n_columns,
        .context = &table,
        .cell = explained_cell,
        .is_text = explained_is_text,
    };
    text_table_write(stdout, &text, terminal_width());
    if (shown < n) printf("... and %d more\n", n - shown);
}

enum status explained_print(const struct database *database, struct message *why)
{
    struct explained_rows rows = {0};
    enum status status = read_rows(database, sums_sql, &rows, why);
    printf("what the change is made of; errors at most\n");
    for (int i = 0, n; i < rows.n && !status; i += n) {
        for (n = 1; i + n < rows.n && !strcmp(rows.rows[i + n].way, rows.rows[i].way);) n++;
        print_way(&rows.rows[i], n);
    }
    free(rows.rows);
    return status;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void write_csv(FILE *out, const struct explained_rows *rows)
{
    fputs("by,of,currency", out);
    for (int i = 0; i < N_NUMBERS; i++) fprintf(out, ",%s", number_names[i]);
    putc('\n', out);
    for (int r = 0; r < rows->n; r++) {
        csv_text(out, rows->rows[r].way);
        putc(',', out);
        csv_text(out, rows->rows[r].of);
        putc(',', out);
        csv_text(out, rows->rows[r].currency);
        for (int i = 0; i < N_NUMBERS; i++) {
            putc(',', out);
            csv_number(out, rows->rows[r].numbers[i]);
        }
        putc('\n', out);
    }
}

static void write_json(FILE *out, const struct explained_rows *rows)
{
    fputs("{\"schema_version\": 1, \"changes\": [", out);
    for (int r = 0; r < rows->n; r++) {
        int n = 0;
        fputs(r ? ",\n{" : "\n{", out);
        json_text_member(out, "by", rows->rows[r].way, &n);
        json_text_member(out, "of", rows->rows[r].of, &n);
        json_text_member(out, "currency", rows->rows[r].currency, &n);
        for (int i = 0; i < N_NUMBERS; i++)
            json_number_member(out, number_names[i], rows->rows[r].numbers[i], &n);
        putc('}', out);
    }
    fputs("\n]}\n", out);
}

enum status explained_write(const struct database *database, const char *path, struct message *why)
{
    enum status status = STATUS_OK;
    struct explained_rows rows = {0};
    struct output_file file = {0};
    const char *end = strrchr(path, '.');
    bool is_json = end && !strcmp(end, ".json");
    if (!is_json && (!end || strcmp(end, ".csv") || end == path)) {
        snprintf(why->text, sizeof why->text,
                 "diff: --output must be a file that ends in .csv or .json, got '%.300s'", path);
        return STATUS_BAD_INPUT;
    }
    TRY(read_rows(database, sums_sql, &rows, why));
    TRY(read_rows(database, trades_sql, &rows, why));
    TRY(output_file_begin(path, &file, why));
    if (is_json) write_json(file.stream, &rows);
    else write_csv(file.stream, &rows);
    TRY(output_file_commit(&file, why));
done:
    output_file_abandon(&file);
    free(rows.rows);
    return status;
}
