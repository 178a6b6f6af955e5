#include "app/output/changes.h"

#include <math.h>
#include <string.h>

#include "app/output/results.h"
#include "models/base/json_text.h"

const char *const change_names[N_CHANGE_NUMBERS] = {
#define CHANGE(NAME, name) #name,
#include "app/output/changes.def"
};

int changes_in_block(const struct changes *changes, int row)
{
    const struct change_row *first = &changes->rows[row];
    int n = 1;
    while (row + n < changes->n && !strcmp(first[n].way, first->way) &&
           first[n].converted == first->converted && !first[n].factor[0] == !first->factor[0])
        n++;
    return n;
}

int changes_left_out(const struct changes *changes)
{
    double n = 0.0;
    for (int i = 0; i < changes->n; i++) {
        const struct change_row *row = &changes->rows[i];
        if (strcmp(row->way, "total") || row->factor[0]) continue;
        n += row->numbers[CHANGE_TRADES] * (row->converted ? -1.0 : 1.0);
    }
    return (int)n;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* The lines of the first table: which number, and how a person calls it; what is 0 everywhere is
 * left out, but for those that are always there. */
static const struct {
    int number;
    bool always;
    const char *title;
} lines[] = {{CHANGE_BEFORE, true, "before: the first night's own total"},
             {CHANGE_FX_TRANSLATION, false, "FX translation of it"},
             {CHANGE_CASH, false, "cash paid (-: to the book)"},
             {CHANGE_NEW, false, "new trades"},
             {CHANGE_GONE, false, "gone trades"},
             {CHANGE_AMENDED, false, "amended trades"},
             {CHANGE_MODEL, false, "trades under another model"},
             {CHANGE_MARKET, true, "what the market did"},
             {CHANGE_DELTA, false, "  delta"},
             {CHANGE_SECOND_ORDER, false, "  second order"},
             {CHANGE_VEGA, false, "  vega"},
             {CHANGE_RHO, false, "  rho"},
             {CHANGE_YIELD, false, "  yields and dividends"},
             {CHANGE_THETA, false, "  theta"},
             {CHANGE_CORRELATION, false, "  correlation"},
             {CHANGE_EXPIRED, false, "  expired trades, to what they owe"},
             {CHANGE_UNEXPLAINED, true, "  unexplained"},
             {CHANGE_INDEPENDENT, true, "    its error, trades independent"},
             {CHANGE_UNEXPLAINED_ERROR, true, "    its error at most"},
             {CHANGE_AFTER, true, "after"},
             {CHANGE_ERROR, true, "error of the change at most"},
             {CHANGE_TRADES, true, "trades"}};
enum { N_LINES = sizeof lines / sizeof *lines };

enum { NAME = -2, CURRENCY = -1 }; /* columns that are no number */
static const int sums_columns[] = {
    NAME,          CURRENCY,     CHANGE_TRADES,      CHANGE_BEFORE,      CHANGE_CHANGE,
    CHANGE_MARKET, CHANGE_AFTER, CHANGE_UNEXPLAINED, CHANGE_INDEPENDENT, CHANGE_UNEXPLAINED_ERROR};
static const int moved_columns[] = {
    NAME,         CURRENCY,     CHANGE_TRADES,       CHANGE_CHANGE,
    CHANGE_ERROR, CHANGE_DELTA, CHANGE_SECOND_ORDER, CHANGE_VEGA,
    CHANGE_RHO,   CHANGE_YIELD, CHANGE_THETA,        CHANGE_CORRELATION};
static const int trade_columns[] = {NAME,          CURRENCY,           CHANGE_BEFORE,
                                    CHANGE_CHANGE, CHANGE_MARKET,      CHANGE_AFTER,
                                    CHANGE_ERROR,  CHANGE_UNEXPLAINED, CHANGE_INDEPENDENT};
#define COLUMNS(list) list, sizeof list / sizeof *list
static const struct {
    const char *id, *caption;
    const int *columns;
    size_t n_columns;
} tables[N_CHANGE_TABLES] = {
    [TABLE_LINES] = {"change-total", "What the change is made of", NULL, 0},
    [TABLE_TAGS] = {"change-tags", "By each tag", COLUMNS(sums_columns)},
    [TABLE_MOVED] = {"change-factors", "What moved", COLUMNS(moved_columns)},
    [TABLE_BEYOND] = {"change-beyond", "Trades whose unexplained is beyond 4 of its errors",
                      COLUMNS(trade_columns)},
    [TABLE_TRADES] = {"changed-trades", "The trades that changed most, in their currencies",
                      COLUMNS(trade_columns)},
};

/* Turns the sums of the whole book into columns, and their numbers into rows. */
static void turn_lines(struct change_table *table)
{
    int n = table->n_rows < CHANGE_TABLE_COLUMNS ? table->n_rows : CHANGE_TABLE_COLUMNS - 1;
    table->columns[0] = NAME;
    for (int i = 0; i < n; i++) table->columns[i + 1] = table->rows[i];
    table->n_rows = 0;
    table->n_columns = n + 1;
    for (int line = 0; line < N_LINES; line++) {
        bool any = lines[line].always;
        for (int i = 1; i <= n; i++) {
            double number = table->changes->rows[table->columns[i]].numbers[lines[line].number];
            any = any || (number != 0.0 && !isnan(number));
        }
        if (any) table->rows[table->n_rows++] = line;
    }
}

void change_table_make(const struct changes *changes, int kind, int most,
                       struct change_table *table)
{
    *table = (struct change_table){.id = tables[kind].id,
                                   .caption = tables[kind].caption,
                                   .changes = changes,
                                   .kind = kind,
                                   .n_columns = (int)tables[kind].n_columns};
    /* Sums by currency say more than those in one. */
    bool mixed = changes->n && !changes->rows[0].converted;
    for (int i = 0; i < changes->n; i++)
        mixed |= !changes->rows[i].converted &&
                 strcmp(changes->rows[i].currency, changes->rows[0].currency);
    if (most > CHANGE_TABLE_ROWS) most = CHANGE_TABLE_ROWS;
    for (int i = 0; i < table->n_columns; i++) table->columns[i] = tables[kind].columns[i];
    for (int i = 0; i < changes->n; i++) {
        const struct change_row *row = &changes->rows[i];
        bool trade = !strcmp(row->way, "trade"), total = !strcmp(row->way, "total");
        bool factor = row->factor[0], first = row->converted == changes->rows[0].converted;
        const bool is[N_CHANGE_TABLES] = {
            [TABLE_LINES] = total && !factor && (row->converted || mixed),
            [TABLE_TAGS] = !trade && !total && !factor && first,
            [TABLE_MOVED] = total && factor && first,
            [TABLE_BEYOND] = trade && row->numbers[CHANGE_BEYOND] > 0.0,
            [TABLE_TRADES] = trade};
        if (!is[kind]) continue;
        if (table->n_rows < most) table->rows[table->n_rows++] = i;
        else table->left_out++;
    }
    if (kind == TABLE_LINES && table->n_rows) turn_lines(table);
}

/* Writes a number to the second digit of its error, its thousands apart; `sign`: also that of a
 * gain. */
static void write_money(char *text, size_t room, double number, double error, bool sign)
{
    int decimals = error > 0.0 && isfinite(error) ? 1 - (int)floor(log10(error)) : 2;
    double unit = decimals < 0 ? pow(10.0, -decimals) : 1.0,
           size = unit * rint(fabs(number) / unit);
    if (!isfinite(number) || fabs(number) >= 1e15) {
        snprintf(text, room, isfinite(number) ? "%.6e" : "-", number);
        return;
    }
    struct number_text shown = decimals < 0
                                   ? number_text(size, 0)
                                   : number_text(fabs(number), decimals > 9 ? 9 : decimals);
    bool zero = strspn(shown.text, "0.") == strlen(shown.text);
    const char *mark = zero ? "" : number < 0.0 ? "-" : sign ? "+" : "";
    snprintf(text, room, "%s%s", mark, shown.text);
}

/* Returns the error that the money of a row is rounded to: of the unexplained of independent
 * trades, of which there may be none. */
static double shown_error(const struct change_row *row)
{
    double independent = row->numbers[CHANGE_INDEPENDENT];
    return independent > 0.0 ? independent : row->numbers[CHANGE_ERROR];
}

static void write_number(char *text, const struct change_row *row, int number)
{
    double value = row->numbers[number], error = shown_error(row);
    bool is_error = number == CHANGE_ERROR || number == CHANGE_UNEXPLAINED_ERROR ||
                    number == CHANGE_INDEPENDENT;
    bool sign = !is_error && number != CHANGE_BEFORE && number != CHANGE_AFTER;
    if (number == CHANGE_TRADES) snprintf(text, CELL_ROOM, "%.0f", value);
    else write_money(text, CELL_ROOM, value, is_error ? value : error, sign);
}

void change_table_fill(const void *context, int row, int column, struct text_cell *cell)
{
    const struct change_table *table = context;
    int number = table->columns[column];
    const struct change_row *shown = &table->changes->rows[table->rows[row < 0 ? 0 : row]];
    bool lines_table = table->kind == TABLE_LINES; /* whose columns are rows of changes */
    if (lines_table) shown = &table->changes->rows[column ? number : 0];
    cell->is_text = lines_table ? !column : number < 0;
    if (lines_table && row >= 0 && column)
        write_number(cell->text, shown, lines[table->rows[row]].number);
    else if (lines_table && row >= 0)
        snprintf(cell->text, CELL_ROOM, "%s", lines[table->rows[row]].title);
    else if (lines_table)
        snprintf(cell->text, CELL_ROOM, "%s%s",
                 !column            ? ""
                 : shown->converted ? "all in "
                                    : "those in ",
                 column ? shown->currency : "");
    else if (row < 0)
        snprintf(cell->text, CELL_ROOM, "%s",
                 number == NAME                       ? ""
                 : number == CURRENCY                 ? "in"
                 : number == CHANGE_INDEPENDENT       ? "its error"
                 : number == CHANGE_UNEXPLAINED_ERROR ? "at most"
                 : number == CHANGE_SECOND_ORDER      ? "second order"
                                                      : change_names[number]);
    else if (number == CURRENCY) snprintf(cell->text, CELL_ROOM, "%s", shown->currency);
    else if (number == NAME && table->kind == TABLE_TAGS)
        snprintf(cell->text, CELL_ROOM, "%s %s", shown->way, shown->name);
    else if (number == NAME)
        snprintf(cell->text, CELL_ROOM, "%s", shown->factor[0] ? shown->factor : shown->name);
    else write_number(cell->text, shown, number);
}

void change_headline(const struct changes *changes, char *text, size_t room)
{
    char market[64], unexplained[64], independent[64], most[64];
    text[0] = '\0';
    if (!changes->n) return;
    const struct change_row *row = &changes->rows[0];
    const double *numbers = row->numbers;
    double error = shown_error(row), at_most = numbers[CHANGE_UNEXPLAINED_ERROR];
    write_money(market, sizeof market, numbers[CHANGE_MARKET], error, true);
    write_money(unexplained, sizeof unexplained, numbers[CHANGE_UNEXPLAINED], error, true);
    write_money(independent, sizeof independent, numbers[CHANGE_INDEPENDENT], error, false);
    write_money(most, sizeof most, at_most, at_most, false);
    snprintf(text, room, "The market made %s %.64s; unexplained %s, its error %s (at most %s).",
             market, row->currency, unexplained, independent, most);
    size_t n = strlen(text);
    if (numbers[CHANGE_BEYOND] > 0.0)
        snprintf(text + n, room - n, " ALARM: %.0f of %.0f trades beyond 4 errors.",
                 numbers[CHANGE_BEYOND], numbers[CHANGE_TRADES]);
}

/* ---- for other programs ---------------------------------------------------------------------- */

void changes_csv(FILE *out, const struct changes *changes)
{
    fputs("by,of,factor,converted,currency", out);
    for (int i = 0; i < N_CHANGE_NUMBERS; i++) fprintf(out, ",%s", change_names[i]);
    putc('\n', out);
    for (int r = 0; r < changes->n; r++) {
        const struct change_row *row = &changes->rows[r];
        csv_text(out, row->way);
        putc(',', out);
        csv_text(out, row->name);
        putc(',', out);
        csv_text(out, row->factor);
        fputs(row->converted ? ",true," : ",false,", out);
        csv_text(out, row->currency);
        csv_numbers(out, N_CHANGE_NUMBERS, row->numbers);
        putc('\n', out);
    }
}

void changes_json(FILE *out, const struct changes *changes)
{
    fputs("{\"schema_version\": 1, \"changes\": [", out);
    for (int r = 0; r < changes->n; r++) {
        const struct change_row *row = &changes->rows[r];
        fputs(r ? ",\n" : "\n", out);
        json_print(out, "{'by': %s, 'of': %s, 'factor': %s", row->way, row->name, row->factor);
        json_print(out, row->converted ? ", 'converted': true" : ", 'converted': false");
        json_print(out, ", 'currency': %s", row->currency);
        json_numbers(out, N_CHANGE_NUMBERS, change_names, row->numbers);
        putc('}', out);
    }
    fputs("\n]}\n", out);
}
