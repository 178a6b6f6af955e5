#include "models/base/complaints.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static struct complaint *next_slot(struct complaints *complaints)
{
    if ((size_t)complaints->n == complaints->room) {
        size_t room = complaints->room ? 2 * complaints->room : 16;
        struct complaint *list = realloc(complaints->list, room * sizeof *list);
        if (!list) return NULL;
        complaints->list = list;
        complaints->room = room;
    }
    return &complaints->list[complaints->n];
}

void complaints_add(struct complaints *complaints, long order, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *line = format_line(format, values);
    va_end(values);
    struct complaint *slot = line ? next_slot(complaints) : NULL;
    if (!slot) {
        free(line);
        complaints->lost++;
        return;
    }
    *slot = (struct complaint){.order = order, .line = line};
    complaints->n++;
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
    for (int i = 0; i < from->n; i++) {
        struct complaint *slot = next_slot(complaints);
        if (slot) {
            *slot = from->list[i];
            complaints->n++;
        } else {
            free(from->list[i].line);
            complaints->lost++;
        }
    }
    free(from->list);
    *from = (struct complaints){0};
}

/* Sorts by merging, and so stably: qsort promises nothing about equals. */
static void merge_sort(struct complaint *list, struct complaint *scratch, int n)
{
    if (n < 2) return;
    int half = n / 2;
    merge_sort(list, scratch, half);
    merge_sort(list + half, scratch, n - half);
    memcpy(scratch, list, (size_t)n * sizeof *list);
    for (int i = 0, a = 0, b = half; i < n; i++) {
        bool take_first = b == n || (a < half && scratch[a].order <= scratch[b].order);
        list[i] = take_first ? scratch[a++] : scratch[b++];
    }
}

void complaints_sort(struct complaints *complaints)
{
    if (complaints->n < 2) return;
    struct complaint *scratch = malloc((size_t)complaints->n * sizeof *scratch);
    if (!scratch) return;
    merge_sort(complaints->list, scratch, complaints->n);
    free(scratch);
}

void complaints_free(struct complaints *complaints)
{
    for (int i = 0; i < complaints->n; i++) free(complaints->list[i].line);
    free(complaints->list);
    *complaints = (struct complaints){0};
}
