/* Looking names up. nearest.h guesses which one was meant. */
#ifndef PRICER_APP_CONFIG_NAMES_H
#define PRICER_APP_CONFIG_NAMES_H

#include <stddef.h>

#include "models/base/nearest.h"
#include "models/base/status.h"

/* Names and their numbers >= 0. It borrows the names: they must outlive it. Begin with {0}. */
struct names {
    size_t n;
    void *tree;
};

/* Returns the number of a name, -1 where it is not there. */
int names_find(const struct names *names, const char *name);

/* Adds a name that is not there yet. STATUS_NO_MEMORY. */
enum status names_add(struct names *names, const char *name, int value);

void names_free(struct names *names);

#endif
