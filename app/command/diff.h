/* `pricer diff`: what changed between two nights, trade by trade, and why. */
#ifndef PRICER_APP_COMMAND_DIFF_H
#define PRICER_APP_COMMAND_DIFF_H

#include "app/database/stored_runs.h"

/* Reads FILE.db or FILE.db:RUN, as `whose` argument; the caller frees night->path. STATUS_BAD_INPUT
 * and one line, STATUS_NO_MEMORY. */
enum status read_stored_run(const char *whose, const char *text, struct stored_run *night,
                            struct message *why);

/* Arguments as of main, without the word diff: FILE.db[:RUN] [FILE.db[:RUN]]. One file alone: its
 * last two complete runs; a file without a run: its last complete one. Writes to standard output,
 * what is wrong to standard error. Returns an exit status: 0 nothing changed beyond noise, 1
 * something did, 2 bad input, 3 the machine failed. */
int diff_runs(int argc, char **argv);

#endif
