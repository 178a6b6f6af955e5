/* What a run says on standard error while it goes on: complaints and remarks, a hundred of a kind,
 * as nobody reads more at once, and a bar with the time left, only where a person looks at it, and
 * never with --quiet. */
#ifndef PRICER_APP_COMMAND_NOTES_H
#define PRICER_APP_COMMAND_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "app/command/options.h"
#include "app/api/pricer.h"

/* The notes of one call of the library. Begin with `options` alone; notes_end leaves it so. */
struct notes {
    const struct options *options;
    enum pricer_note kind; /* of the last, and: */
    int n;                 /* how many there were of it */
    char first[512];       /* complaint */
};

/* Shows a note, unless it is one of too many. */
void notes_show(struct notes *notes, enum pricer_note kind, const char *line);

/* Says how many were not shown. */
void notes_end(struct notes *notes);

/* Tells whether the message of the last call was its first complaint. */
bool notes_include(struct notes *notes, const char *message);

/* ---- progress -------------------------------------------------------------------------------- */

/* A bar that is being drawn. */
struct progress_bar {
    bool visible;
    const char *label;
    double began; /* seconds */
    double drawn; /* when it was drawn last */
    bool shown;   /* there is a bar on the terminal */
};

/* Tells whether the stream is a terminal that understands more than text. `descriptor` as of
 * isatty. */
bool is_terminal(int descriptor);

/* Starts a bar; `label` (static) stands before it. */
void progress_begin(struct progress_bar *progress, const char *label, bool quiet);

/* Draws it, at most ten times a second. `context` is the struct progress_bar. Not thread safe. */
void progress_show(void *context, uint64_t done, uint64_t total);

/* Wipes it away. */
void progress_end(struct progress_bar *progress);

#endif
