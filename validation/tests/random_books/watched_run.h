/* Runs a program in a folder and watches how it ends, with a signal on the way where one is asked
 * for. */
#ifndef PRICER_VALIDATION_TESTS_WATCHED_RUN_H
#define PRICER_VALIDATION_TESTS_WATCHED_RUN_H

#include <stdbool.h>

struct ending {
    int status;         /* as a shell has it: 128 and the signal's number where one killed it */
    bool killed;        /* by a signal that it did not take */
    double seconds;     /* to the end */
    bool stopped;       /* by SIGTERM, which came before the end */
    double after, busy; /* seconds from then to the end, and of processor time */
};

/* Runs arguments[0] in `folder` with the files `out` and `err` there as its standard output and
 * error, and sends SIGTERM after `patience` seconds; SIGKILL ten seconds later. */
struct ending watched_run(const char *folder, char *const *arguments, const char *out,
                          const char *err, double patience, double labour);

/* Reads a whole file of a folder as a text that the caller frees; empty where there is none. */
char *read_whole_file(const char *folder, const char *name);

#endif
