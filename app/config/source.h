/* The files of a book, its includes put in place, read token by token into the tree of its
 * settings, and where each line came from.
 *
 * libconfig 1.5 (the version of Debian 12 and Ubuntu 24.04) resolves includes against the current
 * directory, follows them anywhere, ends the process on a directory, hangs on a FIFO and cuts
 * integers to 32 bits without a word. So it neither opens nor parses a file here: it holds the
 * tree, in which every value that it would misread is a marked text, to be named by the reader with
 * its trade and key. */
#ifndef PRICER_APP_CONFIG_SOURCE_H
#define PRICER_APP_CONFIG_SOURCE_H

#include <libconfig.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/base/complaints.h"
#include "models/base/status.h"

/* First character of a text that stands for a word libconfig would misread. */
enum text_mark {
    TEXT_MARK_WIDE = 1, /* an integer outside 32 bits without L, or outside 64 bits */
    TEXT_MARK_BARE = 2  /* a word without quotes that is no number: nan, call, 2027-06-18 */
};

/* Returns the mark of a text; 0 where it has none. */
static inline char text_mark(const char *text)
{
    return *text == TEXT_MARK_WIDE || *text == TEXT_MARK_BARE ? *text : '\0';
}

/* A line of a file. */
struct location {
    int file; /* index into files */
    int line; /* from 1 */
};

/* The files of a book and their lines, its includes in place. */
struct source {
    struct location *lines; /* [n_lines] where line i + 1 of all came from */
    int n_lines, line_room;
    char **files; /* [n_files] names as a person would write them, the book first */
    int n_files;
    /* Of the bytes of the files as they were read, in that order, and of their lengths */
    uint64_t digest;
};

#define SOURCE_STDIN "-" /* the path of a book on standard input, called "stdin" in complaints */

/* Reads the file and all it includes into an empty tree; what a book on standard input includes is
 * seen from the current folder. STATUS_BAD_INPUT where there are complaints, STATUS_NO_MEMORY. The
 * caller frees `source` with source_free whatever is returned. */
enum status source_read(const char *path, config_t *config, struct source *source,
                        struct complaints *complaints);

/* Reads the same from memory, under a name for complaints; `@include` is refused. */
enum status source_read_text(const char *name, const char *text, config_t *config,
                             struct source *source, struct complaints *complaints);

/* Reads another file of the book: `path` is seen from the book's folder, which the file must lie in
 * or below, or as the command line names it, `anywhere`. Its name becomes number `file` of the
 * source's. NULL and why (NULL: no memory) where that fails. The caller frees. */
char *source_read_also(struct source *source, const char *path, bool anywhere, int *file,
                       size_t *length, const char **why);

/* Returns where line `line` of all came from: that of a setting. */
struct location source_location(const struct source *source, int line);

void source_free(struct source *source);

#endif
