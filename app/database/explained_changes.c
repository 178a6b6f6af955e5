/* What the change of a book from one night to the next is made of. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/database/stored_runs.h"
#include "app/output/results.h"
#include "app/output/text_table.h"

/* ---- read ------------------------------------------------------------------------------------ */

/* The numbers of a row behind its names, and of one that tells of a factor. */
#define SUMS                                                                                       \
    " trades, before, after, gross, new, gone, amended, model, delta, second_order, vega, rho, "   \
    "theta, correlation, error_before, error_after, error_explained "
#define PARTS                                                                                      \
    " trades, NULL, NULL, NULL, NULL, NULL, NULL, NULL, delta, second_order, vega, rho, theta, "   \
    "correlation, 0.0, 0.0, error "
#define IN_BLOCKS " ORDER BY converted DESC, way <> 'total', way, currency, of = '(none)', of"

static const char *const sums_sql[] = {
    "SELECT way, of, '', converted, currency," SUMS "FROM explained" IN_BLOCKS,
    "SELECT way, of, factor, converted, currency," PARTS "FROM explained_factors" IN_BLOCKS
    ", factor = 'time', factor",
    NULL};
static const char trades_sql[] =
    "SELECT 'trade', id, '', 0, currency," SUMS
    "FROM (SELECT *, 1 AS trades, abs(after - before) AS gross FROM changes)"
    " LEFT JOIN (SELECT id, rate FROM placed WHERE converted AND way = 'total') USING (id)"
    " ORDER BY gross * rate DESC, gross DESC, id";

enum { FIRST_NUMBER = 5 }; /* column of the first of SUMS */

static void take_row(const struct statement *row, struct change_row *to)
{
    static const int places[] = {CHANGE_TRADES, CHANGE_BEFORE, CHANGE_AFTER, CHANGE_GROSS};
    enum { N_PLACES = sizeof places / sizeof *places };
    double *numbers = to->numbers, parts = 0.0;
    int column = FIRST_NUMBER;
    snprintf(to->way, sizeof to->way, "%s", get_text(row, 0));
    snprintf(to->of, sizeof to->of, "%s", get_text(row, 1));
    snprintf(to->factor, sizeof to->factor, "%s", get_text(row, 2));
    to->converted = get_integer(row, 3);
    snprintf(to->currency, sizeof to->currency, "%s", get_text(row, 4));
    for (int i = 0; i < N_PLACES; i++) numbers[places[i]] = get_number(row, column++);
    for (int i = CHANGE_NEW; i < CHANGE_UNEXPLAINED; i++) {
        numbers[i] = get_number(row, column++);
        if (!isnan(numbers[i])) parts += numbers[i];
    }
    numbers[CHANGE_CHANGE] = to->factor[0] ? parts : numbers[CHANGE_AFTER] - numbers[CHANGE_BEFORE];
    numbers[CHANGE_UNEXPLAINED] = to->factor[0] ? NAN : numbers[CHANGE_CHANGE] - parts;
    double noise = hypot(get_number(row, column), get_number(row, column + 1));
    double of_parts = get_number(row, column + 2);
    numbers[CHANGE_ERROR] = to->factor[0] ? of_parts : noise;
    numbers[CHANGE_UNEXPLAINED_ERROR] = to->factor[0] ? NAN : noise + of_parts;
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

enum status changes_read(const struct database *database, bool trades, struct changes *changes,
                         struct message *why)
{
    enum status status = STATUS_OK;
    *changes = (struct changes){0};
    for (int i = 0; sums_sql[i]; i++) TRY(read_rows(database, sums_sql[i], changes, why));
    if (trades) TRY(read_rows(database, trades_sql, changes, why));
done:
    return status;
}

enum status changes_between(struct stored_run nights[2], struct changes *changes,
                            struct message *why)
{
    struct database database = {0};
    *changes = (struct changes){0};
    enum status status = stored_runs_open(nights, &database, why);
    if (!status) status = changes_read(&database, false, changes, why);
    database_close(&database);
    return status;
}

/* ---- for a person ---------------------------------------------------------------------------- */

enum { ROWS_MAX = 100 };

/* The rows of a block, and the columns in which any has something. */
enum { COLUMN_OF = -2, COLUMN_CURRENCY = -1 }; /* or a number */
struct explained_table {
    const struct change_row *rows;
    int n_columns, columns[N_CHANGE_NUMBERS + 2];
};

static void explained_cell(const void *context, int row, int column, char text[CELL_ROOM])
{
    const struct explained_table *table = context;
    int number = table->columns[column];
    const struct change_row *of = &table->rows[row < 0 ? 0 : row];
    bool factors = of->factor[0];
    if (number == COLUMN_OF)
        snprintf(text, CELL_ROOM, "%.*s", CELL_ROOM - 1,
                 row < 0   ? factors ? "moved" : of->way
                 : factors ? of->factor
                           : of->of);
    else if (number == COLUMN_CURRENCY)
        snprintf(text, CELL_ROOM, "%s", row < 0 ? "in" : of->currency);
    else if (row < 0) snprintf(text, CELL_ROOM, "%s", change_names[number]);
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

/* Tells whether a number of a row has something to say. */
static bool says_something(double number)
{
    return number != 0.0 && !isnan(number);
}

static void print_block(FILE *out, const struct change_row *rows, int n)
{
    struct explained_table table = {
        .rows = rows, .n_columns = 2, .columns = {COLUMN_OF, COLUMN_CURRENCY}};
    int shown = n < ROWS_MAX ? n : ROWS_MAX;
    for (int number = 0; number < N_CHANGE_NUMBERS; number++) {
        bool any = !rows[0].factor[0] && (number <= CHANGE_ERROR || number >= CHANGE_UNEXPLAINED);
        for (int i = 0; i < n; i++) any = any || says_something(rows[i].numbers[number]);
        if (any) table.columns[table.n_columns++] = number;
    }
    const struct text_table text = {
        .n_rows = shown,
        .n_columns = table.n_columns,
        .context = &table,
        .cell = explained_cell,
        .is_text = explained_is_text,
    };
    text_table_write(out, &text, terminal_width());
    if (shown < n) fprintf(out, "... and %d more\n", n - shown);
}

/* Tells whether the terminal shows a block: of factors those of the whole book. */
static bool is_shown(const struct changes *changes, int row)
{
    const struct change_row *first = &changes->rows[row];
    if (first->factor[0] && strcmp(first->way, "total")) return false;
    return first->converted || changes_are_mixed(changes);
}

enum status explained_print(FILE *out, const struct database *database, struct message *why)
{
    struct changes changes;
    enum status status = changes_read(database, false, &changes, why);
    int left_out = changes_left_out(&changes);
    fprintf(out,
            "what the change is made of: in one currency at the second run's FX rates, then by the "
            "currencies of the trades; errors at most\n");
    for (int i = 0, n; i < changes.n && !status; i += n) {
        n = changes_in_block(&changes, i);
        if (is_shown(&changes, i)) print_block(out, &changes.rows[i], n);
    }
    if (left_out && !status)
        fprintf(out, "%d %s in no sum of one currency: no FX rate leads there\n", left_out,
                left_out == 1 ? "trade is" : "trades are");
    free(changes.rows);
    return status;
}
