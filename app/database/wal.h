/* The write-ahead log beside a database, FILE.db-wal: what was written last lies there, and SQLite
 * takes a log that it cannot read for an empty one, without a word. */
#ifndef PRICER_APP_DATABASE_WAL_H
#define PRICER_APP_DATABASE_WAL_H

#include "models/base/status.h"

/* Looks whether the log of the database at `path` is damaged: its header is none, or a page cannot
 * be read though a whole transaction follows it. What was being written when a program was killed
 * is undone by SQLite, and is no damage. To be called before the database is opened, which may put
 * an end to the log. STATUS_FILE and one line where it is damaged; STATUS_OK, also where there is
 * none; STATUS_NO_MEMORY. */
enum status wal_check(const char *path, struct message *why);

#endif
