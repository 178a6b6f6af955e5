/* The library: products that models/payoffs/NAME.pay states and every program has. A trade names
 * one by its `type`. */
#ifndef PRICER_MODELS_SCRIPTS_LIBRARY_H
#define PRICER_MODELS_SCRIPTS_LIBRARY_H

/* How many scripts the library has, and the name of one, from 0 in the order of the alphabet. Names
 * and texts last as long as the program. */
int script_library_size(void);
const char *script_library_name(int i);

/* The text of a script, ended by 0; NULL where the library has none of this name. */
const char *script_library_text(const char *name);

/* The same as the build embeds them (embed_library.cmake). */
extern const struct library_text {
    const char *name, *text;
} library_texts[]; /* [n_library_texts] */
extern const int n_library_texts;

#endif
