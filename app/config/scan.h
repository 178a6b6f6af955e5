/* The words of a book's file, one after the other, into the text for libconfig. */
#ifndef PRICER_APP_CONFIG_SCAN_H
#define PRICER_APP_CONFIG_SCAN_H

#include <stdbool.h>

#include "app/config/source.h"

enum {
    SCAN_DEPTH = 32,   /* brackets within brackets */
    SCAN_KEYS = 256,   /* keys of one group: libconfig searches them one by one */
    SCAN_WORD = 128,   /* characters of a number or a key */
    SCAN_STRING = 4096 /* characters of a text in quotes */
};

enum previous { PREVIOUS_OPEN, PREVIOUS_KEY, PREVIOUS_EQUALS, PREVIOUS_VALUE, PREVIOUS_COMMA, PREVIOUS_END };

/* An open bracket; frame 0 is the file itself, a group. */
struct frame {
    char open; /* { [ or ( */
    struct place place;
    int n_keys;
    size_t key_at[SCAN_KEYS]; /* where the key stands in source->text, ended by a blank */
    struct place key_place[SCAN_KEYS];
    size_t id_at, id_length; /* the group's `id`, where it has one */
};

struct scan {
    struct source *source;
    struct complaints *complaints;
    const char *at, *end; /* of the file being read */
    struct place place;
    bool line_begun; /* something other than blanks stands on this line already */
    struct frame frames[SCAN_DEPTH];
    int depth; /* the innermost frame */
    enum previous previous;
    bool comma_pending; /* one that is written only when a value follows: libconfig 1.5 refuses `1, )` */
    bool stopped;       /* no sense in reading on */
    bool faulty;        /* read on for more errors, but do not parse */
    enum status status;
    /* Puts the file of an `@include "path"` in place by calling scan_text for it. */
    void (*include)(struct scan *scan, const char *path, size_t length);
    void *files; /* for `include` */
};

void scan_begin(struct scan *scan, struct source *source, struct complaints *complaints);

/* Scans one file's text; files that include one another nest. */
void scan_text(struct scan *scan, int file, const char *text, size_t length);

/* To be called after the last file: says which bracket is still open. */
void scan_end(struct scan *scan);

/* Complains at the current place and stops the scan. */
void scan_wrong(struct scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
