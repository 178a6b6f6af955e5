/* Reads how a book is priced and what it asks beside prices: its `settings` and its `risk` group.
 */
#ifndef PRICER_APP_CONFIG_READ_RISK_H
#define PRICER_APP_CONFIG_READ_RISK_H

#include "app/config/reader.h"
#include "app/pricing/base/settings.h"

/* The names of Greeks, in their order, separated by blanks. */
extern const char greek_words[];

/* The modes of checks (enum check_mode), in their order. */
extern const char check_words[];

/* Returns what a book without settings gets. */
struct settings settings_default(void);

/* Reads the group `settings`, and complains of keys that contradict each other. */
void settings_read(struct reader *reader, const config_setting_t *group, struct settings *settings,
                   struct risk_request *risk);

/* Reads the group `risk`, after the market that it shocks. */
void read_risk(struct reader *reader, const config_setting_t *group, const struct market *market,
               struct risk_request *request);

/* Complains, at a setting, of scenarios that the market has no shocked market for, and of a past of
 * such days alone. */
void try_risk(struct reader *reader, const config_setting_t *at, const struct market *market,
              const struct risk_request *request);

/* ---- scenarios ------------------------------------------------------------------------------- */

enum { SCENARIOS_ASKED_MAX = 10000 };

/* Add to the request; `names` holds the scenarios' so far, none of which may come twice. */
void read_scenarios(struct reader *reader, const config_setting_t *list,
                    struct risk_request *request, struct names *names);
void read_grids(struct reader *reader, const config_setting_t *list, struct risk_request *request,
                struct names *names);
void shock_add(struct reader *reader, struct scenario_request *scenario, struct shock shock);

/* Adds to each scenario shocks of the exchange rates that go with those that it moves, unless it
 * moves them itself: other rates of the same pair of currencies, by spot; crosses, by spot, and by
 * volatility where that is made of their legs'. The market has been read without complaint. */
void link_rates(struct reader *reader, int n, struct scenario_request *scenarios);

/* Reads the group `historical`: from levels `horizon_days` rows apart come the shocks of
 * request->days. A column is headed by an asset (its spot, moved by the ratio), by
 * `ASSET:volatility` or by `CURRENCY:rate` (moved by the difference); the first is `date`.
 * Complaints go to the reader. */
void read_past(struct reader *reader, const config_setting_t *group, struct risk_request *request);

#endif
