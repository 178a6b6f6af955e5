/* The request to end, which long work looks for between its pieces. */
#ifndef PRICER_MODELS_BASE_STOP_H
#define PRICER_MODELS_BASE_STOP_H

#include <stdbool.h>
#include <stddef.h>

/* Who is asked: from any thread, several at the same time. */
struct stop {
    int (*asked)(void *context); /* nonzero: the end is asked for */
    void *context;
};

/* Tells whether the end was asked for; NULL, and one without a function, never ask. */
static inline bool asked_to_stop(const struct stop *stop)
{
    return stop && stop->asked && stop->asked(stop->context);
}

#endif
