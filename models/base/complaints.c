#include "models/base/complaints.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/base/grow.h"
#include "models/base/text.h"

/* Makes a line printable: a name from a book may hold anything, a complaint stays one line. */
static void make_printable(char *text)
{
    while (*text) {
        int length = text_character(text);
        if (!length) *text = '?';
        text += length ? length : 1;
    }
}

static char *format_line(const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *line = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!line) return NULL;
    vsnprintf(line, (size_t)length + 1, format, values);
    make_printable(line);
    return line;
}

/* Adds a complaint, whose line it takes; without memory it is counted as lost. */
static void add(struct complaints *to, struct complaint one)
{
    if (one.line && !grow_array(&to->list, &to->room, to->n + 1, sizeof one)) {
        to->list[to->n++] = one;
        return;
    }
    free(one.line);
    to->lost++;
}

void complaints_add(struct complaints *complaints, long order, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add(complaints, (struct complaint){.order = order, .line = format_line(format, values)});
    va_end(values);
}

const char *complaints_reason(const struct complaints *complaints)
{
    for (int i = 0; i < complaints->n; i++)
        if (!complaints->list[i].of_trade) return complaints->list[i].line;
    return complaints->n ? complaints->list[0].line : "";
}

void complaints_take(struct complaints *complaints, struct complaints *from)
{
    complaints->lost += from->lost;
    for (int i = 0; i < from->n; i++) add(complaints, from->list[i]);
    free(from->list);
    *from = (struct complaints){0};
}

/* Of equal orders the place decides: qsort promises nothing about equals. */
static int is_before(const void *a, const void *b)
{
    const struct complaint *x = a, *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
                                : x->place - y->place;
}

void complaints_sort(struct complaints *complaints)
{
    for (int i = 0; i < complaints->n; i++) complaints->list[i].place = i;
    if (complaints->n)
        qsort(complaints->list, (size_t)complaints->n, sizeof *complaints->list, is_before);
}

void complaints_free(struct complaints *complaints)
{
    for (int i = 0; i < complaints->n; i++) free(complaints->list[i].line);
    free(complaints->list);
    *complaints = (struct complaints){0};
}
