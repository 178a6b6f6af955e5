/* Complaints and remarks on standard error, a hundred of a kind: nobody reads more at once. */
#ifndef PRICER_APP_COMMAND_NOTES_H
#define PRICER_APP_COMMAND_NOTES_H

#include <stdbool.h>

#include "app/command/options.h"
#include "app/pricing/pricer.h"

/* The notes of one call of the library. Begin with `options` alone; notes_end leaves it so. */
struct notes {
    const struct options *options;
    enum pricer_note kind; /* of the last, and: */
    int n;                 /* how many there were of it */
    char first[512];       /* complaint */
};

void notes_show(struct notes *notes, enum pricer_note kind, const char *line);

/* Says how many were not shown. */
void notes_end(struct notes *notes);

/* Whether the message of the last call was its first complaint. */
bool notes_told(struct notes *notes, const char *message);

#endif
