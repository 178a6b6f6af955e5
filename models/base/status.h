/* What a function that can fail returns, and the sentence that says why.
 *
 * A function that can fail returns an enum status, hands its results out through pointers and,
 * where its caller can do nothing better than tell a person, fills a struct message. The first
 * error wins. */
#ifndef PRICER_MODELS_BASE_STATUS_H
#define PRICER_MODELS_BASE_STATUS_H

enum status {
    STATUS_OK = 0,
    STATUS_BAD_INPUT,   /* the command line, the book or a value in it is wrong */
    STATUS_NO_MEMORY,   /* an allocation failed */
    STATUS_NO_ENGINE,   /* the engine asked for cannot run on this machine */
    STATUS_ENGINE,      /* the engine or the machine failed while it ran */
    STATUS_FILE,        /* a file could not be read or written */
    STATUS_INTERRUPTED, /* a signal asked the run to end */
    STATUS_FAILED       /* a computation did not reach its result */
};

/* A sentence that says why. */
struct message {
    char text[512]; /* one line, no newline; empty where nothing went wrong */
};

/* Fills a message as printf does. Returns the status, which it explains. (status.c) */
enum status say_why(enum status status, struct message *why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Runs EXPRESSION and leaves the function through its `done:` label, with `status` set, unless it
 * returned STATUS_OK. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (status != STATUS_OK) goto done;                                                        \
    } while (0)

/* Runs EXPRESSION and returns from the function what it returned, unless that is STATUS_OK: where
 * there is nothing to clean up. */
#define MUST(expression)                                                                           \
    do {                                                                                           \
        enum status status_ = (expression);                                                        \
        if (status_ != STATUS_OK) return status_;                                                  \
    } while (0)

#endif
