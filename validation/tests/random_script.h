/* Scripts by chance, as text, and what trades give them by chance: for the compiler, for engines,
 * for the reference. The same seed gives the same. */
#ifndef PRICER_VALIDATION_TESTS_RANDOM_SCRIPT_H
#define PRICER_VALIDATION_TESTS_RANDOM_SCRIPT_H

#include <stdint.h>

#include "models/scripts/script.h"

enum { RANDOM_SCRIPT_MOST = 1 << 16 };

/* Writes a valid script into `text` of RANDOM_SCRIPT_MOST bytes. It has one asset or several, two
 * lists of dates, states, folds, conditions, payments; it may stop, and some are exercised. */
void random_script(uint64_t seed, char *text);

/* Binds any script whose spots are read at their block's date or at one called `start`, which comes
 * first: up to 4 assets, prices about 100, other numbers about 1; `past`: some dates are before
 * today, with closes, and one may be today. Free with binding_free. */
enum status random_binding(uint64_t seed, const struct script *script, bool past,
                           struct binding *binding);

#endif
