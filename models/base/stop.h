/* The request to end: the number of a signal, written by its handler while threads read it. */
#ifndef PRICER_MODELS_BASE_STOP_H
#define PRICER_MODELS_BASE_STOP_H

#include <stdbool.h>

/* Asks for the end; may be called by a signal's handler. */
static inline void ask_to_stop(volatile int *stop, int number)
{
    __atomic_store_n(stop, number, __ATOMIC_RELAXED);
}

/* Whether the end was asked for; NULL never asks. */
static inline bool asked_to_stop(const volatile int *stop)
{
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

#endif
