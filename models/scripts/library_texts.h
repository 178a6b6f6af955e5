/* The scripts of models/payoffs as the build embeds them (embed_library.cmake). */
#ifndef PRICER_MODELS_SCRIPTS_LIBRARY_TEXTS_H
#define PRICER_MODELS_SCRIPTS_LIBRARY_TEXTS_H

struct library_text {
    const char *name, *text;
};

extern const struct library_text library_texts[]; /* [n_library_texts] sorted by name */
extern const int n_library_texts;

#endif
