/* The scripts that trades of a book name: each is read once, whatever number of trades has it. And
 * the keys of such a trade: those that any trade may have, and the parameters of the script's
 * header. */
#ifndef PRICER_APP_CONFIG_READ_SCRIPTS_H
#define PRICER_APP_CONFIG_READ_SCRIPTS_H

#include "app/config/reader.h"
#include "models/scripts/script.h"

/* ---- keys ------------------------------------------------------------------------------------ */

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
    struct key_rules rules; /* of a trade of it: "a tarf" */
    char *words;            /* of its choices; owned */
};

/* Tells whether a row of trade_keys.def is a key of every script, whatever its header has. */
bool script_key_is_common(int row);

/* Returns the keys of script `i` of n_library_scripts, all of which are read once in the life
 * of the program; NULL without memory. */
const struct script_keys *library_keys(int i);

/* Tells whether a script of the library has a parameter of that name. */
bool library_has_key(const char *name);

/* ---- scripts --------------------------------------------------------------------------------- */

/* A script of the book. Its key table points to its names. */
struct book_script {
    char *key;       /* what trades write: a product of the library, a file, or the text; owned */
    char where[300]; /* what complaints call it: "script tarf.pay" */
    struct script *script; /* empty where it is faulty; one of the list's */
    bool faulty;           /* that has been told */
    struct script_keys keys;
};

/* All of them. Begin with {0}. */
struct book_scripts {
    int n, room, script_room;
    struct book_script **list; /* [n] owned */
    struct script **scripts;   /* [n] of each; owned, until a book takes them */
    struct names keys;
};

/* Returns the script of a trade that is no built-in product: by its key `script`, a file beside the
 * book that ends in .pay or a text, or where that is NULL by its `type`, one of the library. It is
 * perhaps faulty: then there was a complaint about this trade. NULL where the library has no such
 * one, or after a complaint. */
struct book_script *find_script(struct reader *reader, const config_setting_t *script,
                                const config_setting_t *type, struct book_scripts *scripts);

/* Gives the scripts to the caller, who frees each and their list, and frees all else. */
struct script **book_scripts_take(struct book_scripts *scripts, int *n);

#endif
