#include "app/pricing/controls/controls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/controls/control_closed_forms.h"
#include "app/pricing/controls/control_kinds.h"
#include "app/pricing/estimate.h"

/* What one unit of the control is worth. Returns false where that is not known. */
static bool value_control(const struct control_making *making, struct known_mean *known)
{
    double value = making->value, stake = trade_stake(making->market, &making->trade);
    if (isnan(value) && !control_closed_form(making->market, &making->trade, &value)) return false;
    *known = (struct known_mean){value, 1e-12 * (fabs(value) + stake)};
    return true;
}

static enum status make_room(struct controls *controls, int n)
{
    size_t most = (size_t)n * (1 + CONTROLS_MAX) + 1;
    *controls = (struct controls){.n_trades = n};
    controls->trades = malloc(most * sizeof *controls->trades);
    controls->control = malloc(most * sizeof *controls->control);
    controls->weights = calloc(most, sizeof *controls->weights);
    controls->uncontrolled = calloc((size_t)n + 1, sizeof *controls->uncontrolled);
    controls->first = malloc((most + 1) * sizeof *controls->first);
    bool lacking =
        !controls->trades || !controls->control || !controls->weights || !controls->uncontrolled;
    return lacking || !controls->first ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Weights that stay: as many as the trade has assets. */
static enum status keep_weights(const struct control_making *making, struct trade *trade,
                                double **weights)
{
    size_t size = sizeof **weights * (size_t)trade_n_assets(making->target);
    if (!making->is_basket) return STATUS_OK;
    *weights = malloc(size);
    if (!*weights) return STATUS_NO_MEMORY;
    memcpy(*weights, making->weights, size);
    trade->weights = *weights;
    return STATUS_OK;
}

/* The controls of trade `index`. */
static enum status find_controls(struct controls *controls, const struct market *market, int index)
{
    enum status status = STATUS_OK;
    int n = 0;
    struct control_making making = {.market = market, .target = &controls->trades[index]};
    for (const struct control_kind *kind = control_kinds; kind->name && n < CONTROLS_MAX; kind++) {
        struct trade *trade = &controls->trades[controls->n_trades + controls->n];
        struct control *control = &controls->control[controls->n];
        if (!control_make(kind, &making)) continue;
        if (making.is_basket) making.trade.weights = making.weights;
        control->kind = kind->name;
        if (!value_control(&making, &control->known)) continue;
        *trade = making.trade;
        TRY(keep_weights(&making, trade, &controls->weights[controls->n]));
        controls->n++;
        n++;
    }
done:
    return status;
}

enum status controls_find(const struct market *market, int n_trades, const struct trade *trades,
                          struct controls *controls)
{
    enum status status = STATUS_OK;
    TRY(make_room(controls, n_trades));
    memcpy(controls->trades, trades, sizeof *trades * (size_t)n_trades);
    for (int i = 0; i < n_trades; i++) {
        controls->first[i] = n_trades + controls->n;
        TRY(find_controls(controls, market, i));
    }
    controls->first[n_trades] = n_trades + controls->n;
    for (int i = 0; i < n_trades; i++) controls->uncontrolled[i] = !controls_of(controls, i);
    for (int i = n_trades; i <= n_trades + controls->n; i++)
        controls->first[i] = n_trades + controls->n;
done:
    return status;
}

void controls_free(struct controls *controls)
{
    for (int i = 0; i < controls->n; i++) free(controls->weights[i]);
    free(controls->trades);
    free(controls->control);
    free(controls->weights);
    free(controls->uncontrolled);
    free(controls->first);
    *controls = (struct controls){0};
}
