#include "app/command/notes.h"

#include <stdio.h>
#include <string.h>

enum { NOTES_SHOWN = 100 };

void notes_end(struct notes *notes)
{
    if (notes->n > NOTES_SHOWN && !notes->options->all_errors)
        fprintf(stderr, "... and %d more (--all-errors shows them all)\n", notes->n - NOTES_SHOWN);
    notes->n = 0;
}

void notes_show(struct notes *notes, enum pricer_note kind, const char *line)
{
    bool complaint = kind == PRICER_NOTE_COMPLAINT;
    if (notes->options->quiet && !complaint) return;
    if (kind != notes->kind) notes_end(notes);
    notes->kind = kind;
    if (complaint && !notes->n) snprintf(notes->first, sizeof notes->first, "%s", line);
    if (notes->n++ < NOTES_SHOWN || notes->options->all_errors)
        fprintf(stderr, "%s%s\n", kind == PRICER_NOTE_ENGINE ? "pricer: " : "", line);
}

bool notes_told(struct notes *notes, const char *message)
{
    bool told = notes->first[0] && !strcmp(notes->first, message);
    notes->first[0] = '\0';
    return told;
}
