/* Files that are complete or absent: written beside their place under another name, then renamed.
 *
 * A symbolic link stays one: the file that it leads to is replaced, in its own folder, or made
 * where it is not there yet. One that leads to a device is replaced itself: nothing is written
 * through it. */
#ifndef PRICER_APP_OUTPUT_OUTPUT_FILE_H
#define PRICER_APP_OUTPUT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "models/base/status.h"
#include "models/base/stop.h"

struct output_file {
    FILE *stream;    /* to be written to; errors may be left to output_file_commit */
    char *path;      /* as given */
    char *target;    /* where the file will be: `path`, or what it is a link to */
    char *temporary; /* where it is */
};

/* Begins a file, readable by its owner alone: books are confidential. STATUS_FILE and one line;
 * STATUS_NO_MEMORY. End it with output_file_commit or output_file_abandon. */
enum status output_file_begin(const char *path, struct output_file *file, struct message *why);

/* Puts the file in place of the old one, if nothing went wrong since the beginning; else the old
 * one stays. STATUS_FILE and one line. */
enum status output_file_commit(struct output_file *file, struct message *why);

/* Leaves nothing behind. A file that was committed, or never begun ({0}), is left alone. */
void output_file_abandon(struct output_file *file);

/* Writes a file from `context`, all of it or nothing: the old one stays on any error and where
 * `stop` (NULL: never) asks for the end. STATUS_FILE and one line, STATUS_INTERRUPTED,
 * STATUS_NO_MEMORY. */
typedef void write_content(FILE *out, const void *context);
enum status output_file_write(const char *path, write_content *write, const void *context,
                              const struct stop *stop, struct message *why);

/* Tells whether a file could be put there: tried before the work, so that a typing error does not
 * cost a night. STATUS_FILE and one line; STATUS_NO_MEMORY. */
enum status output_file_possible(const char *path, struct message *why);

/* Makes a folder that only its owner may read, where it is not there. STATUS_FILE and one line. */
enum status output_folder_make(const char *folder, struct message *why);

/* Follows symbolic links from `path` to where a file would be written; the caller frees *target.
 * STATUS_FILE and one line where they go round in circles or cannot be read; STATUS_NO_MEMORY. */
enum status output_file_target(const char *path, char **target, struct message *why);

/* Returns whether the file at `path` is one of files [n], under whatever names. */
bool output_file_is_one_of(const char *path, int n, char *const *files);

/* Flushes standard output. STATUS_FILE and one line where not all of it could be written. */
enum status output_flush_stdout(struct message *why);

#endif
