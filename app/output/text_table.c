#include "app/output/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/output/results.h"

int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

enum { GAP = 2, HIDDEN = -1 };

static struct text_cell cell_of(const struct text_table *table, int row, int column)
{
    struct text_cell cell = {.text = ""};
    table->fill(table->context, row, column, &cell);
    return cell;
}

/* Hides columns that yield, the last first, until the others fit. */
static void hide(const struct text_table *table, int *widths, int width)
{
    int used = -GAP;
    for (int c = 0; c < table->n_columns; c++) used += widths[c] + GAP;
    for (int c = table->n_columns; c-- > 1 && used > width;)
        if (cell_of(table, -1, c).yields) {
            used -= widths[c] + GAP;
            widths[c] = HIDDEN;
        }
}

/* Writes a cell; `blanks` are still to be written before what comes next. */
static void write_cell(FILE *out, const struct text_table *table, int row, int column, int width,
                       int *blanks)
{
    const struct text_cell cell = cell_of(table, row, column);
    int rest = width - text_width(cell.text);
    if (!cell.is_text) *blanks += rest;
    if (cell.text[0]) {
        fprintf(out, "%*s%s%s%s", *blanks, "", cell.colour ? cell.colour : "", cell.text,
                cell.colour ? "\033[0m" : "");
        *blanks = 0;
    }
    if (cell.is_text) *blanks += rest;
    *blanks += GAP;
}

void text_table_write(FILE *out, const struct text_table *table, int width)
{
    int widths[TEXT_COLUMNS_MAX] = {0}, begin = 1;
    for (int c = 0; c < table->n_columns; c++)
        for (int r = -1; r < table->n_rows; r++) {
            int most = text_width(cell_of(table, r, c).text);
            widths[c] = most > widths[c] ? most : widths[c];
        }
    if (width) hide(table, widths, width);
    do {
        int end = begin, used = widths[0];
        while (end < table->n_columns &&
               (end == begin || !width || used + GAP + widths[end] <= width)) {
            used += widths[end] == HIDDEN ? 0 : GAP + widths[end];
            end++;
        }
        for (int r = -1; r < table->n_rows && !ferror(out); r++) {
            int blanks = 0;
            write_cell(out, table, r, 0, widths[0], &blanks);
            for (int c = begin; c < end; c++)
                if (widths[c] != HIDDEN) write_cell(out, table, r, c, widths[c], &blanks);
            putc('\n', out);
        }
        begin = end;
    } while (begin < table->n_columns);
}

void number_cell(char text[CELL_ROOM], double number, int decimals)
{
    if (!isfinite(number)) snprintf(text, CELL_ROOM, "-");
    else if (decimals == AS_GIVEN) snprintf(text, CELL_ROOM, "%.6g", number);
    else if (fabs(number) >= 1e15) snprintf(text, CELL_ROOM, "%.6e", number);
    else snprintf(text, CELL_ROOM, "%.*f", decimals, number);
}

struct number_text number_text(double number, int decimals)
{
    char plain[64];
    struct number_text text = {"\xe2\x80\x93"};
    if (!isfinite(number)) return text;
    snprintf(plain, sizeof plain, fabs(number) < 1e15 ? "%.*f" : "%.*e", decimals, number);
    const char *p = plain + (*plain == '-');
    char *to = text.text, *end = text.text + sizeof text.text;
    int digits = (int)strspn(p, "0123456789");
    if (number < 0.0 && strspn(p, "0.") < strlen(p)) *to++ = '-';
    for (; digits > 0; digits--) {
        *to++ = *p++;
        if (digits > 1 && digits % 3 == 1) *to++ = ',';
    }
    snprintf(to, (size_t)(end - to), "%s", p);
    return text;
}

int terminal_width(void)
{
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    int said = columns ? atoi(columns) : 0;
    if (!isatty(STDOUT_FILENO)) return 0;
    if (said > 0) return said;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}
