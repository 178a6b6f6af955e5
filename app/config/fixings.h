/* Fixings: closes of the past by asset and date, from which the loader derives what has passed of a
 * trade. */
#ifndef PRICER_APP_CONFIG_FIXINGS_H
#define PRICER_APP_CONFIG_FIXINGS_H

#include "app/config/csv_reader.h"

struct fixings {
    const char *name;         /* of the file; the source's */
    bool faulty;              /* there were complaints about it: nothing is missed in it */
    struct dated_file closes; /* NaN where there is none */
    int *assets;              /* [column] index into the market, -1 of one that it does not have */
};

/* Reads the CSV file that the setting names: `date,SX5E,EURUSD`, one row a day. Complaints go to
 * the reader. Free with fixings_free. */
void fixings_read(struct reader *reader, const config_setting_t *at, struct fixings *fixings);
void fixings_free(struct fixings *fixings);

/* Returns the close of an asset on a day; NaN where there is none. */
double fixings_close(const struct fixings *fixings, int asset, long day);

#endif
