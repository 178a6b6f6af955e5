/* Fitting Heston or Bates to the quotes of a surface: least squares on implied volatilities; and
 * the fit's model prices against the reference's. */
#ifndef PRICER_APP_PRICING_CALIBRATION_MODEL_FIT_H
#define PRICER_APP_PRICING_CALIBRATION_MODEL_FIT_H

#include "app/pricing/calibration/surface_quotes.h"
#include "models/base/stop.h"

/* The bounds of a parameter. Where a fit runs to a bound, the surface does not tell that
 * parameter. */
struct parameter_row {
    const char *name; /* as the book writes it */
    double low, high;
    bool logarithmic; /* sought on a scale of logarithms */
};
extern const struct parameter_row parameter_rows[N_PARAMETERS];

struct fit_options {
    int iterations;          /* most of each search; 0: enough for any surface */
    const struct stop *stop; /* NULL: never */
};

/* A fit: parameters, their errors, and how near it comes. */
struct model_fit {
    enum model model;
    int n; /* parameters: 5 or 8 */
    double parameters[N_PARAMETERS];
    /* Standard errors; NAN where the surface does not tell the parameter */
    double errors[N_PARAMETERS];
    bool at_bound[N_PARAMETERS];
    double *volatilities; /* [quotes->n] of the model; owned */
    double rmse;          /* annual volatility, over the quotes used, as the two below */
    double largest;       /* difference to the market, with its sign */
    int worst;            /* the quote of it */
    double checked;       /* largest difference to the reference (fit_checked) */
    int starts;           /* searches made */
    int iterations;       /* of all of them */
};

/* Returns 5 for heston, 8 for bates. */
int fit_parameters(enum model model);

/* Fits the model to the quotes. STATUS_BAD_INPUT (and `why`, one sentence) where no more quotes can
 * be used than there are parameters; STATUS_FAILED where no search came to rest;
 * STATUS_INTERRUPTED, STATUS_NO_MEMORY. The same quotes give the same fit. The caller frees `fit`
 * with model_fit_free whatever is returned. GSL's error handler must be off (reference_begin). */
enum status fit_surface(const struct surface_quotes *quotes, enum model model,
                        const struct fit_options *options, struct model_fit *fit,
                        struct message *why);
void model_fit_free(struct model_fit *fit);

/* Finds the slopes of the parameters of a fit in the volatilities of its quotes, [parameter]
 * [quotes->n]: where the sum of squares is least its gradient stays 0 as a quote moves (implicit
 * function theorem). Of a parameter at its bound, in a quote that is not used, and along what the
 * surface does not tell they are 0. STATUS_NO_MEMORY. */
enum status fit_slopes(const struct surface_quotes *quotes, const struct model_fit *fit,
                       double *slopes);

/* Tells whether fit_surface would refuse these quotes: STATUS_BAD_INPUT and one sentence. */
enum status fit_possible(const struct surface_quotes *quotes, enum model model,
                         struct message *why);

/* ---- against the reference ------------------------------------------------------------------- */

#define FIT_CHECK_MOST 1e-5 /* annual volatility */

/* Puts the fit in place of the asset's own model. Of the parameters; nothing is allocated. */
void model_fit_apply(const struct model_fit *fit, struct asset *asset);

/* Finds fit->checked, the largest difference between the fit's volatilities and those at
 * which Black's formula has the reference's prices: by adaptive quadrature, sharing no code.
 * STATUS_FAILED and one sentence where it is above FIT_CHECK_MOST by more than the reference's own
 * error, or a price cannot be had; STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status model_fit_check(const struct market *market, const struct surface_quotes *quotes,
                            const struct stop *stop, struct model_fit *fit, struct message *why);

/* Fits a model to the quotes of an asset and checks the fit: statuses are those of fit_surface and
 * model_fit_check. The caller frees `fit`, whatever is returned. */
enum status fit_checked(const struct market *market, const struct surface_quotes *quotes,
                        enum model model, const struct stop *stop, struct model_fit *fit,
                        struct message *why);

#endif
