/* Units of a plan: what the journal stores under one digest. A group, the groups that are walked side by
 * side, or a bundle. */
#ifndef PRICER_APP_DATABASE_UNITS_H
#define PRICER_APP_DATABASE_UNITS_H

#include "app/database/journal.h"

/* The plan of the unit that begins with a group. Its groups stay the plan's; its tallies do not depend on
 * totals, and it has none. */
struct plan unit_at(const struct plan *plan, int group);

/* Takes the tallies of a unit from what is stored; *there tells whether they are. */
enum status unit_recall(struct journal *journal, const char *kind, const struct plan *unit,
                        struct tally *tallies, bool *there, struct message *why);

/* Keeps the tallies of a unit. */
enum status unit_store(struct journal *journal, const char *kind, const struct plan *unit,
                       const struct tally *tallies, struct message *why);

#endif
