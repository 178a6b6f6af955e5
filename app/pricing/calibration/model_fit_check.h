/* A fit's model prices against the reference's. */
#ifndef PRICER_APP_PRICING_CALIBRATION_MODEL_FIT_CHECK_H
#define PRICER_APP_PRICING_CALIBRATION_MODEL_FIT_CHECK_H

#include "app/pricing/calibration/model_fit.h"
#include "models/base/stop.h"

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
