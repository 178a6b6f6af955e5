#include "app/config/read_market.h"

#include <math.h>
#include <stdlib.h>

#include "app/config/tables.h"
#include "app/config/values.h"
#include "models/dynamics/historical.h"
#include "models/dynamics/historical_table.h"

static const struct value_range return_range = {RANGE_FROM, -10, 10};

#define DOUBTFUL_RETURN 0.5

enum { HISTORY_RETURNS, HISTORY_INTERVAL, HISTORY_BLOCK };

static const struct key history_keys[] = {
    [HISTORY_RETURNS] =
        KEY_DEFERRED("returns", FORM_NUMBERS, .meaning = "log returns of consecutive days"),
    [HISTORY_INTERVAL] =
        KEY_FIELD("interval", NUMBER, struct history, interval, .range = {RANGE_FROM, 1e-5, 1},
                  .meaning = "years of one of them; 1/252 where not given"),
    [HISTORY_BLOCK] =
        KEY_FIELD("block", COUNT, struct history, block, .range = {RANGE_FROM, 1, 1e6},
                  .fallback = "1", .meaning = "consecutive days that are drawn together"),
};
const struct key_table history_table = KEY_TABLE("history", history_keys, .required = "returns");

static void read_returns(struct reader *reader, const config_setting_t *at, struct history *history)
{
    double *returns = read_numbers(reader, at, return_range, &history->n);
    note_per_cent(reader, at, history->n, returns, DOUBTFUL_RETURN);
    history->returns = returns;
    bool enough = returns && history->n >= 2 && history->n <= HISTORICAL_RETURNS_MAX;
    double mean = 0.0, stdev = enough ? historical_stdev(history, &mean) : 0.0;
    if (!returns) history->n = 0;
    else if (!enough)
        complain(reader, at, "returns must be 2 to %d, got %d", HISTORICAL_RETURNS_MAX, history->n);
    else if (!(stdev >
               1e-12 * fabs(mean))) /* 1e-13 of them is what rounding leaves of equal ones */
        complain(reader, at, "returns must differ from one another, got %.10g %d times", returns[0],
                 history->n);
    else return;
    free(returns);
    history->returns = NULL;
    history->n = 0;
}

void read_history(struct reader *reader, const config_setting_t *at, struct asset *asset)
{
    struct found_keys found;
    struct history *history = &asset->history;
    *history = (struct history){.interval = 1.0 / 252.0, .block = 1};
    read_group(reader, &history_table, at, history, &found);
    if (found.at[HISTORY_RETURNS]) read_returns(reader, found.at[HISTORY_RETURNS], history);
    bool good = history->n && (found_good(&found, HISTORY_INTERVAL) || !found.at[HISTORY_INTERVAL]);
    if (!good || asset->variance.n) return;
    const double one = 1.0;
    int falls = 0;
    double mean, volatility = historical_stdev(history, &mean) / sqrt(history->interval);
    note_memory(reader, term_from_volatilities(&asset->variance, 1, &one, &volatility, &falls));
}
