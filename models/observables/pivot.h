/* Coefficients of the observables that leave the normal of one date, the pivot, open (margins.h).
 * Host only. */
#ifndef PRICER_MODELS_OBSERVABLES_PIVOT_H
#define PRICER_MODELS_OBSERVABLES_PIVOT_H

#include "models/observables/observable.h"

/* What observation_make() fills for the i-th date of a margin and of a rest, for the i-th date and
 * the trade's asset-th asset of an open worst, and for open calls, `observation` being the
 * autocallable's: assets under black_scholes without cash dividends, whose log2 S is normal on
 * every date. STATUS_FAILED and `why` where the quanto's FX rate cannot be used or the assets have
 * no move in common. */
enum status margin_observation(const struct market *market, const struct observable *observable,
                               int i, struct observation *observation, struct message *why);
enum status rest_observation(const struct market *market, const struct observable *observable,
                             int i, struct observation *observation, struct message *why);
enum status open_worst_observation(const struct market *market, const struct observable *observable,
                                   int i, int asset, struct observation *observation,
                                   struct message *why);
enum status open_calls_observation(const struct market *market, const struct observable *observable,
                                   struct observation *observation, struct message *why);

#endif
