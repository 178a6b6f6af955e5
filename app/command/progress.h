/* A bar on standard error, with the time left: only where a person looks at it, and never with
 * --quiet. */
#ifndef PRICER_APP_COMMAND_PROGRESS_H
#define PRICER_APP_COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/base/clock.h"

struct progress {
    bool on;
    const char *label;
    double began; /* seconds */
    double drawn; /* when it was drawn last */
    bool shown;   /* there is a bar on the terminal */
};

/* Whether the stream is a terminal that understands more than text. `descriptor` as of isatty. */
bool is_terminal(int descriptor);

/* Starts a bar; `label` (static) stands before it. */
void progress_begin(struct progress *progress, const char *label, bool quiet);

/* Draws it, at most ten times a second. `context` is the struct progress. Not thread safe. */
void progress_show(void *context, uint64_t done, uint64_t total);

/* Wipes it away. */
void progress_end(struct progress *progress);

#endif
