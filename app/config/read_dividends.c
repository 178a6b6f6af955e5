#include "app/config/read_dividends.h"

#include <stdlib.h>

#include "app/config/values.h"

enum { DIVIDENDS_MAX = 10000 };

enum { DIVIDEND_TIME, DIVIDEND_AMOUNT, N_DIVIDEND_KEYS };

static const struct key dividend_keys[N_DIVIDEND_KEYS] = {
    [DIVIDEND_TIME] = {"time",
                       KEY_KIND_TIME,
                       .offset = offsetof(struct cash_dividend, time),
                       {RANGE_ABOVE, 0, 100}},
    [DIVIDEND_AMOUNT] = {"amount",
                         KEY_KIND_NUMBER,
                         .offset = offsetof(struct cash_dividend, amount),
                         {RANGE_ABOVE, 0, 0}},
};
static const struct key_table dividend_table = {"a cash dividend", N_DIVIDEND_KEYS, dividend_keys,
                                                "time amount"};

void read_dividends(struct reader *reader, const config_setting_t *list, struct asset *asset)
{
    if (!expect_list(reader, list, "cash_dividends")) return;
    int n = config_setting_length(list);
    if (n > DIVIDENDS_MAX)
        complain(reader, list, "cash_dividends is limited to %d dividends, got %d", DIVIDENDS_MAX,
                 n);
    if (!n || n > DIVIDENDS_MAX) return;
    asset->dividends = calloc((size_t)n, sizeof *asset->dividends);
    if (!asset->dividends) reader->status = STATUS_NO_MEMORY;
    if (!asset->dividends) return;
    asset->n_dividends = n;
    double last = 0.0; /* time of the one before */
    for (int i = 0; i < n; i++) {
        struct found_keys found;
        double *time = &asset->dividends[i].time;
        const config_setting_t *group =
            config_setting_get_elem((config_setting_t *)list, (unsigned)i);
        read_group(reader, &dividend_table, group, &asset->dividends[i], &found);
        if (!found_good(&found, DIVIDEND_TIME)) continue;
        if (*time <= last)
            complain(reader, found.at[DIVIDEND_TIME],
                     "the times of cash_dividends must increase, got %.10g after %.10g", *time,
                     last);
        else if (!times_apart(last, *time))
            complain(reader, found.at[DIVIDEND_TIME],
                     "the times of cash_dividends must be at least %g years (half a minute) apart, "
                     "got %.15g "
                     "after "
                     "%.15g",
                     TIMES_APART, *time, last);
        last = *time;
    }
}
