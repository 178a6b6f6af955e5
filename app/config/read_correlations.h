/* The `correlations` list of a market. */
#ifndef PRICER_APP_CONFIG_READ_CORRELATIONS_H
#define PRICER_APP_CONFIG_READ_CORRELATIONS_H

#include "app/config/reader.h"

/* Fills market->correlation: unit diagonal, zero where no pair is given. `list` may be NULL. A
 * matrix that is not positive semi-definite is complained of. Complaints go to the reader. */
void read_correlations(struct reader *reader, const config_setting_t *list, struct market *market);

#endif
