/* Numbers of a book's market at dates, from the term structures and surfaces that plans are made
 * of. */
#include <math.h>
#include <string.h>

#include "app/pricing/calibration/model_fit.h"
#include "app/api/handle.h"
#include "models/market/surface.h"

static int find(const struct market *market, enum pricer_market_number number, const char *name)
{
    int n = number == PRICER_MARKET_DISCOUNT ? market->n_currencies : market->n_assets;
    for (int i = 0; i < n; i++)
        if (!strcmp(number == PRICER_MARKET_DISCOUNT ? market->currencies[i].name
                                                     : market->assets[i].name,
                    name))
            return i;
    return -1;
}

/* Reads numbers of the asset, or the currency, `index`: volatilities along time, or of a surface.
 */
static enum status read_numbers(const struct pricer_book *book, enum pricer_market_number number,
                                int index, int n, const double *times, const double *strikes,
                                double *values)
{
    enum status status = STATUS_OK;
    const struct market *market = &book->book.market;
    struct pricer *pricer = book->pricer;
    struct implied_surface surface = {0};
    bool volatility = number == PRICER_MARKET_VOLATILITY;
    const struct asset *asset = volatility ? &market->assets[index] : NULL;
    bool smile = volatility && asset->surface.n_times > 0;
    for (int i = 0; i < n; i++) {
        bool dated = times[i] >= 0.0 && isfinite(times[i]) && (!volatility || times[i] > 0.0);
        if (!dated) return pricer_say(pricer, STATUS_BAD_INPUT, "times must be years from today");
        if (volatility && !(strikes[i] > 0.0 && isfinite(strikes[i])))
            return pricer_say(pricer, STATUS_BAD_INPUT, "strikes must be > 0");
    }
    if (volatility && !smile && asset->model != MODEL_BLACK_SCHOLES)
        return say_why(STATUS_BAD_INPUT, &pricer->why,
                       "asset '%.100s' is priced by %s, which has no implied volatilities: read "
                       "those of black_scholes or local_vol",
                       asset->name, model_name(asset->model));
    if (smile) TRY(surface_make(&surface, market, index, &pricer->why));
    for (int i = 0; i < n; i++) {
        double t = times[i];
        if (number == PRICER_MARKET_FORWARD) values[i] = surface_forward(market, index, t);
        else if (number == PRICER_MARKET_DISCOUNT)
            values[i] = exp(-term_accrued(&market->currencies[index].rate, t));
        else if (smile) {
            double k = log(strikes[i]) - surface_log_forward(market, index, t);
            values[i] = surface_volatility(&surface, k, t);
        } else values[i] = sqrt(term_accrued(&asset->variance, t) / t);
    }
done:
    surface_free(&surface);
    return status;
}

enum pricer_status pricer_market(struct pricer_book *book, enum pricer_market_number number,
                                 const char *name, int n, const double *times,
                                 const double *strikes, double *values)
{
    const void *needed = number == PRICER_MARKET_VOLATILITY ? strikes : times;
    if (pricer_begin_with(book ? book->pricer : NULL, "of times strikes values", name, times,
                          needed, values))
        return PRICER_BAD_INPUT;
    enum status status = STATUS_BAD_INPUT;
    bool known = (unsigned)number <= PRICER_MARKET_VOLATILITY && n >= 0;
    int index = known ? find(&book->book.market, number, name) : -1;
    if (!known) pricer_say(book->pricer, status, "there is no such number of a market");
    else if (index >= 0) status = read_numbers(book, number, index, n, times, strikes, values);
    else
        pricer_say(book->pricer, status, "'%.100s' is no %s of the market", name,
                   number == PRICER_MARKET_DISCOUNT ? "currency" : "asset");
    return pricer_end(book->pricer, status);
}

/* ---- a model fitted to a surface ------------------------------------------------------------- */

/* Fits a model to an asset's surface, and checks the fit. */
static enum status fit_asset(struct pricer_book *book, int asset, enum model model,
                             struct pricer_fit *to)
{
    enum status status = STATUS_OK;
    const struct market *market = &book->book.market;
    struct surface_quotes quotes = {0};
    struct model_fit fit = {0};
    TRY(surface_quotes_make(market, asset, &quotes));
    TRY(fit_checked(market, &quotes, model, &book->pricer->stop, &fit, &book->pricer->why));
    to->checked = fit.checked;
    to->n = fit.n;
    for (int i = 0; i < fit.n; i++) {
        to->names[i] = parameter_rows[i].name;
        to->values[i] = fit.parameters[i];
        to->errors[i] = fit.errors[i];
    }
    to->rmse = fit.rmse;
    to->largest = fit.largest;
done:
    model_fit_free(&fit);
    surface_quotes_free(&quotes);
    return status;
}

enum pricer_status pricer_calibrate(struct pricer_book *book, const char *asset, const char *model,
                                    struct pricer_fit *fit)
{
    if (pricer_begin_with(book ? book->pricer : NULL, "asset model fit", asset, model, fit))
        return PRICER_BAD_INPUT;
    const struct market *market = &book->book.market;
    enum status status = STATUS_BAD_INPUT;
    int at = find(market, PRICER_MARKET_VOLATILITY, asset);
    bool heston = !strcmp(model, "heston");
    if (at < 0) pricer_say(book->pricer, status, "'%.100s' is no asset of the market", asset);
    else if (!quoted_surface(&market->assets[at])->n_times)
        pricer_say(book->pricer, status, "asset '%.100s' has no implied surface", asset);
    else if (!heston && strcmp(model, "bates"))
        pricer_say(book->pricer, status, "model must be heston or bates, got '%.100s'", model);
    else if (fit->size != sizeof *fit)
        pricer_say(book->pricer, status, "size must be that of struct pricer_fit");
    else status = fit_asset(book, at, heston ? MODEL_HESTON : MODEL_BATES, fit);
    return pricer_end(book->pricer, status);
}

double pricer_implied_volatility(int call, double value, double forward, double strike, double t)
{
    if (!(forward > 0.0 && strike > 0.0 && t > 0.0) || !isfinite(forward + strike + t)) return NAN;
    double k = log(strike / forward), value_over_forward = value / forward,
           gain = 1.0 - strike / forward;
    bool outside = call ? k >= 0.0 : k <= 0.0;
    if (!outside) value_over_forward -= call ? gain : -gain;
    double most = k >= 0.0 ? 1.0 : strike / forward;
    return value_over_forward > 1e-12 && value_over_forward < most * (1.0 - 1e-12)
               ? black_implied(k, t, value_over_forward)
               : NAN;
}
