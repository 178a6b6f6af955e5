#include "app/config/library_keys.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "models/scripts/library.h"

struct library_script {
    struct script script;
    struct script_keys keys;
};

/* [script_library_size()] NULL without memory; never freed */
static struct library_script **scripts;

static struct library_script *read_one(const char *text)
{
    struct script_errors errors;
    struct library_script *one = calloc(1, sizeof *one);
    if (one && !script_read(text, strlen(text), &one->script, &errors) &&
        !script_keys_make(&one->script, &one->keys))
        return one;
    if (one) {
        script_free(&one->script);
        script_keys_free(&one->keys);
    }
    free(one);
    return NULL;
}

static void read_all(void)
{
    int n = script_library_size();
    scripts = calloc((size_t)n + 1, sizeof(struct library_script *));
    for (int i = 0; scripts && i < n; i++)
        scripts[i] = read_one(script_library_text(script_library_name(i)));
}

const struct script_keys *library_keys(int i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
    return scripts && scripts[i] ? &scripts[i]->keys : NULL;
}

bool library_has_key(const char *name)
{
    for (int i = 0; i < script_library_size(); i++) {
        const struct script_keys *keys = library_keys(i);
        if (keys && table_row(&keys->table, name) >= 0) return true;
    }
    return false;
}
