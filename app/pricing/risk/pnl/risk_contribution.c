#include "app/pricing/risk/pnl/risk_contribution.h"

#include <math.h>
#include <stdlib.h>

/* Weights of days [n] in the two numbers of a tail. */
struct tail_weights {
    double *var, *shortfall;
};

struct contribution_making {
    int n;
    const struct tail_days *whole, *part;
    double *rest; /* [n] losses of the whole, then of the book without the part */
    struct tail_weights of_whole, of_rest;
    double *room; /* [block] */
};

/* Returns the sum over days of what the whole makes by its weights and the part by its own. */
static double weigh(int n, const double *whole_weights, const double *whole,
                    const double *part_weights, const double *part, size_t stride)
{
    double sum = 0.0;
    for (int d = 0; d < n; d++)
        sum += whole_weights[d] * whole[(size_t)d * stride] +
               part_weights[d] * part[(size_t)d * stride];
    return sum;
}

/* Takes a number that is linear in the days of whole and part: minus the sum of weighted P&L. */
static void take(const struct contribution_making *making, const double *whole_weights,
                 const double *part_weights, double *value, double *std_error)
{
    const struct pnl_blocks *whole = &making->whole->blocks, *part = &making->part->blocks;
    size_t n = (size_t)making->n;
    *value = -weigh(making->n, whole_weights, &making->whole->days[0].value, part_weights,
                    &making->part->days[0].value, sizeof(struct pnl) / sizeof(double));
    for (int b = 0; b < whole->n; b++)
        making->room[b] = weigh(making->n, whole_weights, whole->pnl + (size_t)b * n, part_weights,
                                part->pnl + (size_t)b * n, 1);
    *std_error = blocks_mean((size_t)whole->n, making->room).std_error;
}

static enum status fill(struct contribution_making *making, double confidence,
                        struct risk_contribution *contribution)
{
    enum status status = STATUS_OK;
    int n = making->n;
    const struct tail_weights *w = &making->of_whole, *u = &making->of_rest;
    double *losses = making->rest, *zero = calloc((size_t)n + 1, sizeof *zero);
    if (!zero) return STATUS_NO_MEMORY;
    for (int d = 0; d < n; d++) losses[d] = -making->whole->days[d].value;
    TRY(tail_weights_make(n, losses, confidence, w->var, w->shortfall));
    take(making, zero, w->var, &contribution->component_var, &contribution->component_var_error);
    take(making, zero, w->shortfall, &contribution->component_shortfall,
         &contribution->component_shortfall_error);
    for (int d = 0; d < n; d++) losses[d] += making->part->days[d].value;
    TRY(tail_weights_make(n, losses, confidence, u->var, u->shortfall));
    /* w whole - u (whole - part) */
    for (int d = 0; d < n; d++) {
        w->var[d] -= u->var[d];
        w->shortfall[d] -= u->shortfall[d];
    }
    take(making, w->var, u->var, &contribution->incremental_var,
         &contribution->incremental_var_error);
    take(making, w->shortfall, u->shortfall, &contribution->incremental_shortfall,
         &contribution->incremental_shortfall_error);
done:
    free(zero);
    return status;
}

enum status risk_contribution_make(int n, const struct tail_days *whole,
                                   const struct tail_days *part, double confidence,
                                   struct risk_contribution *contribution)
{
    size_t days = (size_t)n;
    *contribution = (struct risk_contribution){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int d = 0; d < n; d++)
        if (!isfinite(whole->days[d].value) || !isfinite(part->days[d].value)) return STATUS_OK;
    double *room = calloc(5 * days + (size_t)whole->blocks.n + 1, sizeof *room);
    if (!room) return STATUS_NO_MEMORY;
    struct contribution_making making = {.n = n,
                                         .whole = whole,
                                         .part = part,
                                         .rest = room,
                                         .of_whole = {room + days, room + 2 * days},
                                         .of_rest = {room + 3 * days, room + 4 * days},
                                         .room = room + 5 * days};
    enum status status = n ? fill(&making, confidence, contribution) : STATUS_OK;
    free(room);
    return status;
}
