#include "app/command/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/base/clock.h"

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

bool notes_include(struct notes *notes, const char *message)
{
    bool included = notes->first[0] && !strcmp(notes->first, message);
    notes->first[0] = '\0';
    return included;
}

enum { BAR_WIDTH = 40 };

bool is_terminal(int descriptor)
{
    const char *term = getenv("TERM");
    return isatty(descriptor) && term && strcmp(term, "dumb") != 0;
}

void progress_begin(struct progress_bar *progress, const char *label, bool quiet)
{
    *progress = (struct progress_bar){
        .visible = !quiet && is_terminal(STDERR_FILENO), .label = label, .began = seconds_now()};
    progress->drawn = progress->began;
}

/* Writes "1:07:30", "2:05" or "8 s". */
static void write_duration(char *text, size_t room, double seconds)
{
    long left = seconds < 1e7 ? (long)(seconds + 0.5) : 10000000;
    if (left >= 3600)
        snprintf(text, room, "%ld:%02ld:%02ld", left / 3600, left / 60 % 60, left % 60);
    else if (left >= 60) snprintf(text, room, "%ld:%02ld", left / 60, left % 60);
    else snprintf(text, room, "%ld s", left);
}

void progress_show(void *context, uint64_t done, uint64_t total)
{
    struct progress_bar *progress = context;
    double now = seconds_now();
    if (!progress->visible || now - progress->drawn < 0.1 || done == 0 || done >= total) return;
    double part = (double)done / (double)total;
    char bar[BAR_WIDTH + 1], left[32];
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(part * BAR_WIDTH) ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    write_duration(left, sizeof left, (now - progress->began) * (1.0 - part) / part);
    fprintf(stderr, "\r%-8s [%s] %3.0f%%  %s left\033[K", progress->label, bar, 100.0 * part, left);
    fflush(stderr);
    progress->drawn = now;
    progress->shown = true;
}

void progress_end(struct progress_bar *progress)
{
    if (progress->shown) fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
