#include "app/output/results.h"

#include <math.h>

const char *const column_names[N_COLUMNS + 1] = {
    "trade_id",  "type",   "assets",  "model",  "currency",  "quantity",        "price",
    "std_error", "paths",  "engine",  "kernel", "reference", "reference_error", "reference_method",
    "z",         "status", "message", NULL};

void results_count(const struct results *results, int *counts)
{
    for (int v = 0; v < N_VERDICTS; v++) counts[v] = 0;
    for (int i = 0; i < results->n; i++) counts[results->estimates[i].verdict]++;
}

static struct field text_field(const char *text)
{
    return (struct field){text ? text : "", NAN};
}

static struct field number_field(double number)
{
    return (struct field){NULL, number};
}

void results_row(const struct results *results, int index, struct field *fields)
{
    const struct trade *trade = &results->trades[index];
    const struct estimate *estimate = &results->estimates[index];
    const struct asset *asset = &results->market->assets[trade->asset];
    const struct field row[N_COLUMNS] = {
        text_field(trade->id),
        text_field(product_name(trade->product)),
        text_field(asset->name),
        text_field(model_name(asset->model)),
        text_field(results->market->currencies[asset->currency].name),
        number_field(trade->quantity),
        number_field(estimate->price),
        number_field(estimate->std_error),
        number_field(estimate->unit.n),
        text_field(results->manifest.engine),
        text_field(results->manifest.kernel),
        number_field(estimate->reference),
        number_field(estimate->reference_error),
        text_field(estimate->reference_method),
        number_field(estimate->z),
        text_field(verdict_name(estimate->verdict)),
        text_field(estimate->message),
    };
    for (int i = 0; i < N_COLUMNS; i++) fields[i] = row[i];
}
