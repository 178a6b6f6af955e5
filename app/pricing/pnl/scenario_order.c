#include "app/pricing/pnl/scenario_order.h"

#include <string.h>

/* Tells whether two scenarios shock the same, by as much or not. */
static bool shock_the_same(const struct scenario_request *a, const struct scenario_request *b)
{
    if (a->n_shocks != b->n_shocks) return false;
    for (int m = 0; m < a->n_shocks; m++) {
        const struct shock *p = &a->shocks[m], *q = &b->shocks[m];
        if (p->what != q->what || p->target != q->target || p->other != q->other ||
            p->date != q->date)
            return false;
    }
    return true;
}

/* Tells whether two that do differ by spots alone. */
static bool differ_by_spots(const struct scenario_request *a, const struct scenario_request *b)
{
    for (int m = 0; m < a->n_shocks; m++)
        if (a->shocks[m].what != SHOCK_SPOT && a->shocks[m].amount != b->shocks[m].amount)
            return false;
    return true;
}

/* Orders those from `first` to before `end`, which shock the same: each takes the place behind
 * those before it that it differs from by spots alone. */
static void order_part(const struct scenario_request *requests, int first, int end, int *order)
{
    for (int at = first; at < end;) {
        int leader = order[at++];
        for (int i = at; i < end; i++) {
            int which = order[i];
            if (!differ_by_spots(&requests[leader], &requests[which])) continue;
            memmove(order + at + 1, order + at, sizeof *order * (size_t)(i - at));
            order[at++] = which;
        }
    }
}

void scenario_order(int n, const struct scenario_request *requests, int *order)
{
    for (int i = 0; i < n; i++) order[i] = i;
    for (int first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && shock_the_same(&requests[first], &requests[end])) end++;
        order_part(requests, first, end, order);
    }
}
