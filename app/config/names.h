/* Looking names up, and guessing which one was meant. */
#ifndef PRICER_APP_CONFIG_NAMES_H
#define PRICER_APP_CONFIG_NAMES_H

#include <stddef.h>

#include "models/base/status.h"

/* A name and its number. */
struct name_entry {
    const char *name; /* NULL where empty */
    int value;
};

/* A hash table from names to numbers >= 0. It borrows the names: they must outlive it. Begin with
 * {0}. */
struct names {
    size_t n, room;
    struct name_entry *entries;
};

/* Returns the number of a name, -1 where it is not there. */
int names_find(const struct names *names, const char *name);

/* Adds a name that is not there yet. STATUS_NO_MEMORY. */
enum status names_add(struct names *names, const char *name, int value);

void names_free(struct names *names);

enum { NAME_ROOM = 48, HINT_ROOM = 128 };

/* The nearest of the candidates tried so far. Begin with {.wanted = word}. */
struct nearest {
    const char *wanted;
    char best[NAME_ROOM]; /* empty where none is close */
    int distance;
};

/* Candidates count as close up to one slip (a wrong, missing, extra or swapped letter) in three
 * letters. */
void nearest_try(struct nearest *nearest, const char *candidate);

/* Writes "; did you mean 'best'?", or nothing. Returns `hint`. */
const char *nearest_hint(const struct nearest *nearest, char hint[HINT_ROOM]);

#endif
