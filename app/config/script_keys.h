/* The keys of a trade that is a script: those that any trade may have, and the parameters of its
 * header. */
#ifndef PRICER_APP_CONFIG_SCRIPT_KEYS_H
#define PRICER_APP_CONFIG_SCRIPT_KEYS_H

#include "app/config/reader.h"
#include "models/scripts/script.h"

/* What a row of such a table has beside its key. */
struct script_key {
    int common;        /* the row of trade_keys.def (enum trade_key); -1: a parameter alone */
    int parameter;     /* of the script; -1: none */
    char fallback[32]; /* the text of its default */
    char meaning[160];
};

struct script_keys {
    struct key_table table;
    struct key keys[KEYS_MAX];
    struct script_key rows[KEYS_MAX];
    uint64_t allowed, required;
    char owner[SCRIPT_NAME_MOST + 8]; /* "a tarf" */
    char *words;                      /* of its choices; owned */
};

/* Tells whether a row of trade_keys.def is a key of every script, whatever its header has. */
bool script_key_is_common(int row);

/* Makes the table of a script, which outlives it. STATUS_NO_MEMORY. Free with script_keys_free,
 * whatever it returned. */
enum status script_keys_make(const struct script *script, struct script_keys *keys);
void script_keys_free(struct script_keys *keys);

/* Returns the keys of script `i` of script_library_size(), all of which are read once in the life
 * of the program; NULL without memory. */
const struct script_keys *library_keys(int i);

/* Tells whether a script of the library has a parameter of that name. */
bool library_has_key(const char *name);

#endif
