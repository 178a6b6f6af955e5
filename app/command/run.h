/* What the command line asks for, from the book to the exit status. */
#ifndef PRICER_APP_COMMAND_RUN_H
#define PRICER_APP_COMMAND_RUN_H

#include "app/command/options.h"
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
int run(const struct options *options, const struct stop *stop);

/* The exit status of a failure, after its one line on standard error; without a line where `why`
 * has none, as after the complaints about a book. */
int run_failed(enum status status, const struct message *why, int signal);

#endif
