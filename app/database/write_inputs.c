#include <math.h>
#include <stdio.h>

#include "models/base/text.h"
#include "app/database/runs.h"

struct inputs_writing {
    struct statement statement;
    int64_t run, position;
    struct message *why;
};

static enum status put(struct inputs_writing *writing, const char *owner, const char *input,
                       double time, double strike, double value)
{
    struct statement *statement = &writing->statement;
    if (!isfinite(value)) return STATUS_OK;
    put_integer(statement, writing->run);
    put_integer(statement, writing->position++);
    put_text(statement, owner);
    put_text(statement, input);
    put_number(statement, time);
    put_number(statement, strike);
    put_number(statement, value);
    return statement_run(statement, writing->why);
}

/* Adds what accrued to each date as a rate a year; as a volatility where `root`. */
static enum status put_term(struct inputs_writing *writing, const char *owner, const char *input,
                            const struct term_structure *term, bool root)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < term->n; i++) {
        double rate = term->accrued[i] / term->time[i];
        TRY(put(writing, owner, input, term->time[i], NAN, root ? sqrt(rate) : rate));
    }
done:
    return status;
}

static enum status put_surface(struct inputs_writing *writing, const struct asset *asset)
{
    enum status status = STATUS_OK;
    const struct surface *surface = &asset->surface;
    for (int t = 0; t < surface->n_times; t++)
        for (int k = 0; k < surface->n_strikes; k++)
            TRY(put(writing, asset->name, "volatility", surface->times[t],
                    surface_strike(surface, t, k), surface->vols[t * surface->n_strikes + k]));
done:
    return status;
}

/* Adds the parameters of the asset's model. */
static enum status put_parameters(struct inputs_writing *writing, const struct asset *asset)
{
    enum status status = STATUS_OK;
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
            TRY(put(writing, asset->name, parameters[i].name, NAN, NAN, parameters[i].value));
done:
    return status;
}

static enum status put_asset(struct inputs_writing *writing, const struct asset *asset)
{
    enum status status = STATUS_OK;
    const struct history *history = &asset->history;
    TRY(put(writing, asset->name, "spot", NAN, NAN, asset->spot));
    TRY(put_term(writing, asset->name, "yield", &asset->yield, false));
    TRY(put_term(writing, asset->name, "volatility", &asset->variance, true));
    TRY(put_surface(writing, asset));
    TRY(put_parameters(writing, asset));
    for (int i = 0; i < history->n; i++)
        TRY(put(writing, asset->name, "return", (i + 1) * history->interval, NAN,
                history->returns[i]));
    for (int i = 0; i < asset->n_dividends; i++)
        TRY(put(writing, asset->name, "dividend", asset->dividends[i].time, NAN,
                asset->dividends[i].amount));
done:
    return status;
}

static enum status put_correlations(struct inputs_writing *writing, const struct market *market)
{
    enum status status = STATUS_OK;
    int n = market->correlation ? market->n_assets : 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            char input[NAME_BYTES + 16];
            double correlation = market->correlation[(size_t)i * (size_t)n + (size_t)j];
            snprintf(input, sizeof input, "correlation %s", market->assets[j].name);
            if (correlation != 0.0)
                TRY(put(writing, market->assets[i].name, input, NAN, NAN, correlation));
        }
done:
    return status;
}

enum status write_inputs(const struct database *database, int64_t run, const struct market *market,
                         struct message *why)
{
    enum status status = STATUS_OK;
    struct inputs_writing writing = {.run = run, .why = why};
    TRY(statement_begin(database, "INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?)",
                        &writing.statement, why));
    for (int i = 0; i < market->n_currencies; i++)
        TRY(put_term(&writing, market->currencies[i].name, "rate", &market->currencies[i].rate,
                     false));
    for (int i = 0; i < market->n_assets; i++) TRY(put_asset(&writing, &market->assets[i]));
    TRY(put_correlations(&writing, market));
done:
    statement_end(&writing.statement);
    return status;
}
