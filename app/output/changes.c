#include "app/output/changes.h"

#include <string.h>

const char *const change_names[N_CHANGE_NUMBERS] = {
    "trades", "before", "after",   "change",      "gross",       "error",
    "new",    "gone",   "amended", "model",       "delta",       "second_order",
    "vega",   "rho",    "theta",   "correlation", "unexplained", "unexplained_error"};

int changes_in_block(const struct changes *changes, int row)
{
    const struct change_row *first = &changes->rows[row];
    int n = 1;
    while (row + n < changes->n && !strcmp(first[n].way, first->way) &&
           first[n].converted == first->converted && !first[n].factor[0] == !first->factor[0])
        n++;
    return n;
}

bool changes_are_mixed(const struct changes *changes)
{
    const struct change_row *all = changes->rows;
    for (int i = 0; i < changes->n; i++)
        if (!all[i].converted && strcmp(all[i].currency, all[0].currency)) return true;
    return changes->n && !all[0].converted;
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
