/* Every model's step, for those who loop over models.def.
 *
 * NAME_step(c, table, state, z) moves one path of one underlying over one step of the grid: `c` are
 * the step's coefficients, as NAME_step() names them; `table` the model's numbers that do not fit
 * there (local_vol, historical; c says where in it to look); `z` the step's normals, those of
 * models.def in number. Host and device give the same bits. */
#ifndef PRICER_MODELS_DYNAMICS_DYNAMICS_H
#define PRICER_MODELS_DYNAMICS_DYNAMICS_H

#include "models/dynamics/bates.h"
#include "models/dynamics/black_scholes.h"
#include "models/dynamics/heston.h"
#include "models/dynamics/historical.h"
#include "models/dynamics/local_vol.h"
#include "models/dynamics/merton.h"

enum { MODEL_FACTORS_MAX = 4, MODEL_COEFFICIENTS_MAX = 20 };

#endif
