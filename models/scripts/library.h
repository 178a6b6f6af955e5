/* The library: products that models/payoffs/NAME.pay states and every program has. A trade names
 * one by its `type`. */
#ifndef PRICER_MODELS_SCRIPTS_LIBRARY_H
#define PRICER_MODELS_SCRIPTS_LIBRARY_H

/* The scripts in the order of the alphabet, as the build embeds them (embed_library.cmake). */
extern const struct embedded_script {
    const char *name, *text;
} library_scripts[]; /* [n_library_scripts] */
extern const int n_library_scripts;

/* Returns the text of a script; NULL where the library has none of this name. */
const char *script_library_text(const char *name);

#endif
