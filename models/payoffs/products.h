/* The header of every formula, for those who loop over formulas.def. */
#ifndef PRICER_MODELS_PAYOFFS_PRODUCTS_H
#define PRICER_MODELS_PAYOFFS_PRODUCTS_H

#include "models/payoffs/american.h"
#include "models/payoffs/asian.h"
#include "models/payoffs/autocallable.h"
#include "models/payoffs/barrier.h"
#include "models/payoffs/basket.h"
#include "models/payoffs/cliquet.h"
#include "models/payoffs/digital.h"
#include "models/payoffs/european.h"
#include "models/payoffs/forward_start.h"
#include "models/payoffs/lookback.h"
#include "models/payoffs/scripted.h"
#include "models/observables/open_barrier.h"
#include "models/payoffs/touch.h"
#include "models/payoffs/variance_swap.h"

#endif
