/* What the command line asks for, from the book to the exit status: a run, and what it does in
 * files of its own. */
#ifndef PRICER_APP_COMMAND_RUN_H
#define PRICER_APP_COMMAND_RUN_H

#include "app/api/pricer.h"
#include "app/command/options.h"
#include "app/database/journal.h"
#include "app/database/stored_runs.h"
#include "models/base/stop.h"

/* As a shell sees them; a run ended by a signal returns 128 + the signal. */
enum exit_status {
    EXIT_AGREED = 0,  /* every trade was priced and agrees with its reference, or was not checked */
    EXIT_TROUBLE = 1, /* some trade failed or disagrees */
    EXIT_BAD_INPUT = 2, /* the command line or the book is wrong */
    EXIT_MACHINE = 3,   /* the engine or the machine failed; so did an output */
    EXIT_TIME = 124     /* --max-time was over, as of timeout(1) */
};

/* Prices the book (or prints its plan, or times it, as the options say). `stop` says the number
 * of a signal when the run is to end; the work then ends soon and leaves no part of a file. Says
 * what is wrong on standard error. */
int run_command(const struct options *options, const struct stop *stop);

/* The exit status of a failure, after its one line on standard error; without a line where `why`
 * has none, as after the complaints about a book. */
int run_failed(enum status status, const struct message *why, int signal);

/* ---- --calibrate: implied surfaces as files that a book can include (calibrate.c) ------------ */

/* Fits them all. An asset whose fit fails is reported in one line on standard error, the others are
 * fitted and written, and *verdict, the exit status, says so. STATUS_BAD_INPUT and one sentence
 * where no asset has a surface, a surface is too small or the outputs are not such; STATUS_FILE,
 * STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status calibrate_book(const struct options *options, const struct pricer_book *book,
                           const struct stop *stop, int *verdict, struct message *why);

/* Reads FILE.db or FILE.db:RUN, as `argument` argument; the caller frees night->path.
 * STATUS_BAD_INPUT and one line, STATUS_NO_MEMORY. */
enum status read_stored_run(const char *argument, const char *text, struct stored_run *night,
                            struct message *why);

/* ---- pricer diff: what changed between two nights, trade by trade, and why (diff.c) ---------- */

/* Arguments as of main, without the word diff: FILE.db[:RUN] [FILE.db[:RUN]]. One file alone: its
 * last two complete runs; a file without a run: its last complete one. Writes to standard output,
 * what is wrong to standard error. Returns an exit status: 0 nothing changed beyond noise, 1
 * something did, 2 bad input, 3 the machine failed. */
int diff_runs(int argc, char **argv);

#endif
