/* `pricer --calibrate=heston BOOK.cfg`: every implied surface of a book fitted, shown and written
 * as a file that a book can include. */
#ifndef PRICER_APP_COMMAND_CALIBRATE_H
#define PRICER_APP_COMMAND_CALIBRATE_H

#include "app/command/options.h"
#include "app/api/pricer.h"
#include "models/base/stop.h"

/* Fits them all. An asset whose fit fails is reported in one line on standard error, the others are
 * fitted and written, and *verdict, the exit status, says so. STATUS_BAD_INPUT and one sentence
 * where no asset has a surface, a surface is too small or the outputs are not such; STATUS_FILE,
 * STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status calibrate_book(const struct options *options, const struct pricer_book *book,
                           const struct stop *stop, int *verdict, struct message *why);

#endif
