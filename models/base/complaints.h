/* What is wrong with a book: every complaint of a reading, one line each, in the order of the
 * file. */
#ifndef PRICER_MODELS_BASE_COMPLAINTS_H
#define PRICER_MODELS_BASE_COMPLAINTS_H

#include <stdbool.h>
#include <stddef.h>

/* What a complaint, or a note, is about: number `number` of the book's trades, assets or
 * currencies. */
enum subject_kind { ABOUT_BOOK, ABOUT_TRADE, ABOUT_ASSET, ABOUT_CURRENCY };
struct subject {
    enum subject_kind kind;
    int number;
};

/* A complaint: one line, and where in the book it belongs. */
struct complaint {
    long order;    /* place in the reading, for sorting */
    int place;     /* in the list, while it is sorted */
    char *line;    /* one line, no newline, no control characters; owned by the list */
    bool of_trade; /* refuses a trade, and stops no other */
    struct subject about;
};

/* Begin with {0}; complaints_free leaves it so. */
struct complaints {
    int n;
    struct complaint *list;
    int room;
    int lost; /* complaints that no memory was left for */
};

/* Returns the line that says why no book is read: the first that is of no trade, or the first of
 * all; empty where there is none. */
const char *complaints_reason(const struct complaints *complaints);

/* Adds `location: text`, formatted. Where memory runs out the complaint is counted as lost. */
void complaints_add(struct complaints *complaints, long order, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sorts by order; equal orders stay as they were added. */
void complaints_sort(struct complaints *complaints);

/* Takes all of `from`, which is left empty, behind its own. */
void complaints_take(struct complaints *complaints, struct complaints *from);

void complaints_free(struct complaints *complaints);

#endif
