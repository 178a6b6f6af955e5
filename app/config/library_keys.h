/* The keys of the scripts of the library, which are read once in the life of the program: for
 * whoever writes books, and for the columns of files of trades. */
#ifndef PRICER_APP_CONFIG_LIBRARY_KEYS_H
#define PRICER_APP_CONFIG_LIBRARY_KEYS_H

#include "app/config/script_keys.h"

/* Returns those of script `i` of script_library_size(); NULL without memory. */
const struct script_keys *library_keys(int i);

/* Tells whether a script of the library has a parameter of that name. */
bool library_has_key(const char *name);

#endif
