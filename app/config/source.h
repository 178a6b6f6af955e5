/* The text of a book with its includes put in place, checked token by token, and where each of its
 * lines came from.
 *
 * libconfig 1.5 (the version of Debian 12 and Ubuntu 24.04) resolves includes against the current
 * directory, follows them anywhere, ends the process on a directory, hangs on a FIFO and cuts
 * integers to 32 bits without a word. So it never opens a file here: it is given one string, and
 * every value it would misread reaches the reader as a marked text, to be named there with its
 * trade and key. */
#ifndef PRICER_APP_CONFIG_SOURCE_H
#define PRICER_APP_CONFIG_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "models/base/complaints.h"
#include "models/base/status.h"

/* First character of a text that stands for a word libconfig would misread. */
enum text_mark {
    TEXT_MARK_WIDE = 1, /* an integer outside 32 bits without L, or outside 64 bits */
    TEXT_MARK_BARE = 2  /* a word without quotes that is no number: nan, call, 2027-06-18 */
};

/* A line of a file. */
struct location {
    int file; /* index into files */
    int line; /* from 1 */
};

/* The text of a book, its includes in place. */
struct source {
    char *text; /* what libconfig parses; ends in zero */
    size_t length, room;
    struct location *lines; /* [n_lines] where line i + 1 of `text` came from */
    int n_lines, line_room;
    char **files; /* [n_files] names as a person would write them, the book first */
    int n_files;
    /* Of the bytes of the files as they were read, in that order, and of their lengths */
    uint64_t digest;
};

#define SOURCE_STDIN "-" /* the path of a book on standard input, called "stdin" in complaints */

/* Reads the file and all it includes; what a book on standard input includes is seen from the
 * current folder. STATUS_BAD_INPUT where there are complaints,
 * STATUS_NO_MEMORY. The caller frees `source` with source_free whatever is returned. */
enum status source_read(const char *path, struct source *source, struct complaints *complaints);

/* Reads the same from memory, under a name for complaints; `@include` is refused. */
enum status source_read_text(const char *name, const char *text, struct source *source,
                             struct complaints *complaints);

/* Reads another file of the book: `path` is seen from the book's folder, which the file must lie in
 * or below. Its name becomes number `file` of the source's. NULL and why (NULL: no memory) where
 * that fails. The caller frees. */
char *source_read_beside(struct source *source, const char *path, int *file, size_t *length,
                         const char **why);

/* Does the same for a file that the command line names: `path` is as given, wherever it lies. */
char *source_read_other(struct source *source, const char *path, int *file, size_t *length,
                        const char **why);

/* Returns where line `line` of the text came from. */
struct location source_location(const struct source *source, int line);

void source_free(struct source *source);

#endif
