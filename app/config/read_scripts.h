/* The scripts that trades of a book name: each is read once, whatever number of trades has it. */
#ifndef PRICER_APP_CONFIG_READ_SCRIPTS_H
#define PRICER_APP_CONFIG_READ_SCRIPTS_H

#include "app/config/script_keys.h"

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
