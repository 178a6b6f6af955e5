/* The calendars of a book: those by rule, and those it lists itself. */
#ifndef PRICER_APP_CONFIG_CALENDARS_H
#define PRICER_APP_CONFIG_CALENDARS_H

#include "app/config/reader.h"

/* Reads the list ( { name; file; }, ... ) into the reader. Complaints go to the reader;
 * calendars_free frees what was read in any case. */
void read_calendars(struct reader *reader, const config_setting_t *list);
void calendars_free(struct reader *reader);

/* Returns what calendar i is called: the rules come first; NULL past the last. */
const char *calendar_name(const struct reader *reader, int i);

/* Reads "TARGET+NYSE": a day that is a holiday of one is a holiday. False after a complaint. */
bool read_calendar(struct reader *reader, const config_setting_t *at, struct holidays *holidays);

/* Notes a day of a year that a calendar knows nothing of, and what it is the day of: once for each
 * trade and calendar. */
void note_unknown_year(struct reader *reader, const config_setting_t *at, const char *what,
                       struct holidays holidays, long day);

#endif
