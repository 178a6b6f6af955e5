/* Files that are complete or absent: written beside their place under another name, then renamed. */
#ifndef PRICER_APP_OUTPUT_FILE_H
#define PRICER_APP_OUTPUT_FILE_H

#include <stdio.h>

#include "models/math/status.h"

struct output_file {
    FILE *stream;    /* to be written to; errors may be left to output_file_commit */
    char *path;      /* where the file will be */
    char *temporary; /* where it is */
};

/* Begins a file, readable by its owner alone: books are confidential. STATUS_FILE and one line;
 * STATUS_NO_MEMORY. End it with output_file_commit or output_file_abandon. */
enum status output_file_begin(const char *path, struct output_file *file, struct message *why);

/* Puts the file in place of the old one, if nothing went wrong since the beginning; else the old one stays.
 * STATUS_FILE and one line. */
enum status output_file_commit(struct output_file *file, struct message *why);

/* Leaves nothing behind. A file that was committed, or never begun ({0}), is left alone. */
void output_file_abandon(struct output_file *file);

/* Whether a file could be put there: tried before the work, so that a typing error does not cost a night.
 * STATUS_FILE and one line; STATUS_NO_MEMORY. */
enum status output_file_possible(const char *path, struct message *why);

/* Flushes standard output. STATUS_FILE and one line where not all of it could be written. */
enum status output_flush_stdout(struct message *why);

#endif
