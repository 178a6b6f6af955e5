#include <math.h>
#include <stdio.h>

#include "models/base/text.h"
#include "app/database/runs.h"

/* The owner of inputs, and where the next one stands in the run. */
struct inputs_writing {
    struct run_rows *rows;
    int position;
    const char *owner;
};

static void put_input(struct inputs_writing *writing, const char *input, double time, double strike,
                      double value)
{
    if (!isfinite(value)) return;
    put_row(writing->rows, "inputs", "%d %s %s %g %g %g", writing->position++, writing->owner,
            input, time, strike, value);
}

/* Adds what accrued to each date as a rate a year; as a volatility where `root`. */
static void put_term(struct inputs_writing *writing, const char *input,
                     const struct term_structure *term, bool root)
{
    for (int i = 0; i < term->n; i++) {
        double rate = term->accrued[i] / term->time[i];
        put_input(writing, input, term->time[i], NAN, root ? sqrt(rate) : rate);
    }
}

static void put_surface(struct inputs_writing *writing, const struct surface *surface)
{
    for (int t = 0; t < surface->n_times; t++)
        for (int k = 0; k < surface->n_strikes; k++)
            put_input(writing, "volatility", surface->times[t], surface_strike(surface, t, k),
                      surface->vols[t * surface->n_strikes + k]);
}

/* Adds the parameters of the asset's model. */
static void put_parameters(struct inputs_writing *writing, const struct asset *asset)
{
    bool variance = model_takes(asset->model, TAKES_HESTON);
    bool jumps = model_takes(asset->model, TAKES_JUMPS);
    const struct {
        const char *name;
        double value;
        bool used;
    } parameters[] = {{"heston v0", asset->heston.v0, variance},
                      {"heston kappa", asset->heston.kappa, variance},
                      {"heston theta", asset->heston.theta, variance},
                      {"heston xi", asset->heston.xi, variance},
                      {"heston rho", asset->heston.rho, variance},
                      {"jumps intensity", asset->jumps.intensity, jumps},
                      {"jumps mean", asset->jumps.mean, jumps},
                      {"jumps stdev", asset->jumps.stdev, jumps}};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (parameters[i].used)
            put_input(writing, parameters[i].name, NAN, NAN, parameters[i].value);
}

static void put_asset(struct inputs_writing *writing, const struct asset *asset)
{
    const struct history *history = &asset->history;
    writing->owner = asset->name;
    put_input(writing, "spot", NAN, NAN, asset->spot);
    put_term(writing, "yield", &asset->yield, false);
    put_term(writing, "volatility", &asset->variance, true);
    put_surface(writing, &asset->surface);
    put_parameters(writing, asset);
    for (int i = 0; i < history->n; i++)
        put_input(writing, "return", (i + 1) * history->interval, NAN, history->returns[i]);
    for (int i = 0; i < asset->n_dividends; i++)
        put_input(writing, "dividend", asset->dividends[i].time, NAN, asset->dividends[i].amount);
}

static void put_correlations(struct inputs_writing *writing, const struct market *market)
{
    int n = market->correlation ? market->n_assets : 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            char input[NAME_BYTES + 16];
            double correlation = market->correlation[(size_t)i * (size_t)n + (size_t)j];
            snprintf(input, sizeof input, "correlation %s", market->assets[j].name);
            writing->owner = market->assets[i].name;
            if (correlation != 0.0) put_input(writing, input, NAN, NAN, correlation);
        }
}

void write_inputs(struct run_rows *rows, const struct market *market)
{
    struct inputs_writing writing = {.rows = rows};
    for (int i = 0; i < market->n_currencies; i++) {
        writing.owner = market->currencies[i].name;
        put_term(&writing, "rate", &market->currencies[i].rate, false);
    }
    for (int i = 0; i < market->n_assets; i++) put_asset(&writing, &market->assets[i]);
    put_correlations(&writing, market);
}
