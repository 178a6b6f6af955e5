/* The beginning of a run that several processes share. */
#ifndef PRICER_APP_COMMAND_MEET_RANKS_H
#define PRICER_APP_COMMAND_MEET_RANKS_H

#include "app/command/options.h"
#include "app/api/pricer.h"

/* Sees that all of options->ranks have read the same book and that there is something to do for
 * each, and has the handle share what it does with them. STATUS_BAD_INPUT and one line. */
enum status meet_ranks(const struct options *options, struct pricer *pricer,
                       const struct pricer_book *book, struct message *why);

#endif
