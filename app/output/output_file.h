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

/* Writes a file from `context`, readable by its owner alone as books are confidential, all of it or
 * nothing: the old one stays on any error and where `stop` (NULL: never) asks for the end.
 * STATUS_FILE and one line, STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
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

/* Return whether two paths lead to one file that is there; whether one of files [n] is that. */
bool output_file_is(const char *path, const char *other);
bool output_file_is_one_of(const char *path, int n, char *const *files);

/* Flushes standard output. STATUS_FILE and one line where not all of it could be written. */
enum status output_flush_stdout(struct message *why);

#endif
