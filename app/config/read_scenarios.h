/* Reads the scenarios of a book: lists of shocks, and grids of spot by volatility. */
#ifndef PRICER_APP_CONFIG_READ_SCENARIOS_H
#define PRICER_APP_CONFIG_READ_SCENARIOS_H

#include "app/config/reader.h"
#include "app/pricing/risk_request.h"

enum { SCENARIOS_ASKED_MAX = 10000 };

/* Add to the request; `names` holds the scenarios' so far, none of which may come twice. */
void read_scenarios(struct reader *reader, const config_setting_t *list,
                    struct risk_request *request, struct names *names);
void read_grids(struct reader *reader, const config_setting_t *list, struct risk_request *request,
                struct names *names);

/* Returns room for one more scenario at the end of the list; NULL without memory. */
struct scenario_request *scenario_add(struct reader *reader, int *n,
                                      struct scenario_request **list);

/* Adds a shock to a scenario. */
void shock_add(struct reader *reader, struct scenario_request *scenario, struct shock shock);

#endif
