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

const char *const change_names[N_CHANGE_NUMBERS] = {
    "trades", "before", "after", "change", "error", "new",         "gone",       "amended",
    "delta",  "gamma",  "vega",  "rho",    "theta", "correlation", "unexplained"};

/* ---- read ------------------------------------------------------------------------------------ */

/* The columns behind way, of and currency. */
#define SUMS                                                                                       \
    " before, after, new, gone, amended, delta, gamma, vega, rho, theta, correlation, "            \
    "error_before, error_after "

static const char sums_sql[] = "SELECT way, of, currency, trades," SUMS "FROM explained"
                               " ORDER BY way <> 'total', way, currency, of = '(none)', of";
static const char trades_sql[] = "SELECT 'trade', id, currency, 1," SUMS "FROM changes"
                                 " ORDER BY currency, abs(after - before) DESC, id";

static void take_row(const struct statement *row, struct change_row *to)
{
    double *numbers = to->numbers, rest;
    snprintf(to->way, sizeof to->way, "%s", get_text(row, 0));
    snprintf(to->of, sizeof to->of, "%s", get_text(row, 1));
    snprintf(to->currency, sizeof to->currency, "%s", get_text(row, 2));
    numbers[CHANGE_TRADES] = get_number(row, 3);
    numbers[CHANGE_BEFORE] = get_number(row, 4);
    numbers[CHANGE_AFTER] = get_number(row, 5);
    rest = numbers[CHANGE_CHANGE] = numbers[CHANGE_AFTER] - numbers[CHANGE_BEFORE];
    for (int i = CHANGE_NEW; i < CHANGE_UNEXPLAINED; i++)
        rest -= numbers[i] = get_number(row, 6 + i - CHANGE_NEW);
    numbers[CHANGE_UNEXPLAINED] = rest;
    numbers[CHANGE_ERROR] = hypot(get_number(row, 15), get_number(row, 16));
}

static enum status read_rows(const struct database *database, const char *sql, struct changes *rows,
                             struct message *why)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    bool there;
    TRY(statement_begin(database, sql, &statement, why));
    TRY(statement_next(&statement, &there, why));
    while (there) {
        if (rows->n == rows->room) {
            int room = 2 * rows->room + 64;
            struct change_row *larger = realloc(rows->rows, (size_t)room * sizeof *larger);
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

enum status changes_between(struct stored_run nights[2], struct changes *changes,
                            struct message *why)
{
    struct database database = {0};
    *changes = (struct changes){0};
    enum status status = stored_runs_open(nights, &database, why);
    if (!status) status = read_rows(&database, sums_sql, changes, why);
    database_close(&database);
    return status;
}

/* ---- for a person ---------------------------------------------------------------------------- */

enum { ROWS_MAX = 100 };

/* The rows of one way, and the columns in which any has something. */
struct explained_table {
    const struct change_row *rows;
    int n_columns, columns[N_CHANGE_NUMBERS + 2]; /* -2: of, -1: currency, or a number */
};

static void explained_cell(const void *context, int row, int column, char text[CELL_ROOM])
{
    const struct explained_table *table = context;
    int number = table->columns[column];
    const struct change_row *of = row < 0 ? NULL : &table->rows[row];
    if (number < 0)
        snprintf(text, CELL_ROOM, "%s",
                 !of            ? number == -2 ? table->rows[0].way : "in"
                 : number == -2 ? of->of
                                : of->currency);
    else if (!of) snprintf(text, CELL_ROOM, "%s", change_names[number]);
    else
        number_cell(text, of->numbers[number],
                    number == CHANGE_TRADES
                        ? 0
                        : results_decimals(of->numbers[number], of->numbers[CHANGE_ERROR]));
}

static bool explained_is_text(const void *context, int column)
{
    return ((const struct explained_table *)context)->columns[column] < 0;
}

static void print_way(const struct change_row *rows, int n)
{
    struct explained_table table = {.rows = rows, .n_columns = 2, .columns = {-2, -1}};
    int shown = n < ROWS_MAX ? n : ROWS_MAX;
    for (int number = 0; number < N_CHANGE_NUMBERS; number++) {
        bool any = number <= CHANGE_ERROR || number == CHANGE_UNEXPLAINED;
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
    struct changes rows = {0};
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

static void write_csv(FILE *out, const struct changes *rows)
{
    fputs("by,of,currency", out);
    for (int i = 0; i < N_CHANGE_NUMBERS; i++) fprintf(out, ",%s", change_names[i]);
    putc('\n', out);
    for (int r = 0; r < rows->n; r++) {
        csv_text(out, rows->rows[r].way);
        putc(',', out);
        csv_text(out, rows->rows[r].of);
        putc(',', out);
        csv_text(out, rows->rows[r].currency);
        for (int i = 0; i < N_CHANGE_NUMBERS; i++) {
            putc(',', out);
            csv_number(out, rows->rows[r].numbers[i]);
        }
        putc('\n', out);
    }
}

static void write_json(FILE *out, const struct changes *rows)
{
    fputs("{\"schema_version\": 1, \"changes\": [", out);
    for (int r = 0; r < rows->n; r++) {
        int n = 0;
        fputs(r ? ",\n{" : "\n{", out);
        json_text_member(out, "by", rows->rows[r].way, &n);
        json_text_member(out, "of", rows->rows[r].of, &n);
        json_text_member(out, "currency", rows->rows[r].currency, &n);
        for (int i = 0; i < N_CHANGE_NUMBERS; i++)
            json_number_member(out, change_names[i], rows->rows[r].numbers[i], &n);
        putc('}', out);
    }
    fputs("\n]}\n", out);
}

enum status explained_write(const struct database *database, const char *path, struct message *why)
{
    enum status status = STATUS_OK;
    struct changes rows = {0};
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
