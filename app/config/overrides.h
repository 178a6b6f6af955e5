/* Values of `--set PATH=VALUE`, put in place of a book's own. */
#ifndef PRICER_APP_CONFIG_OVERRIDES_H
#define PRICER_APP_CONFIG_OVERRIDES_H

#include <libconfig.h>

#include "models/base/complaints.h"
#include "models/base/status.h"

/* Puts one value in place, e.g. "settings.paths=4096" or "market.assets.[0].spot=101.5". A key that
 * the file does not have is added to its group, so that the reader judges it as it judges the
 * file's. `set` must outlive `config`: it hangs on the setting, as the location of later
 * complaints. STATUS_BAD_INPUT after a complaint, STATUS_NO_MEMORY. */
enum status override_apply(config_t *config, const char *set, struct complaints *complaints);

#endif
