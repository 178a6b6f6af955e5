/* The keys of the scripts of the library. */
#include "app/config/script_keys.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "models/scripts/library.h"

/* [script_library_size()] of one that could not be read the table is empty; NULL without memory;
 * never freed */
static struct library_script {
    struct script script;
    struct script_keys keys;
} * scripts;

static void read_all(void)
{
    int n = script_library_size();
    struct script_errors errors;
    scripts = calloc((size_t)n + 1, sizeof *scripts);
    for (int i = 0; scripts && i < n; i++) {
        const char *text = script_library_text(script_library_name(i));
        if (!script_read(text, strlen(text), &scripts[i].script, &errors) &&
            script_keys_make(&scripts[i].script, &scripts[i].keys))
            scripts[i].keys.table.n = 0;
    }
}

const struct script_keys *library_keys(int i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
    return scripts && scripts[i].keys.table.n ? &scripts[i].keys : NULL;
}

bool library_has_key(const char *name)
{
    for (int i = 0; i < script_library_size(); i++) {
        const struct script_keys *keys = library_keys(i);
        if (keys && table_row(&keys->table, name) >= 0) return true;
    }
    return false;
}
