/* Guessing which name was meant. */
#ifndef PRICER_MODELS_BASE_NEAREST_H
#define PRICER_MODELS_BASE_NEAREST_H

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
