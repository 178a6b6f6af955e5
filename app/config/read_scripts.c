#include "app/config/read_scripts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"
#include "models/base/grow.h"
#include "models/scripts/library.h"

static const char ending[] = ".pay";

/* ---- one script ------------------------------------------------------------------------------ */

static void free_script(struct book_script *made)
{
    free(made->key);
    script_keys_free(&made->keys);
    free(made);
}

/* Reads a text, and complains of each error in it. */
static void parse(struct reader *reader, const config_setting_t *at, const char *text,
                  size_t length, struct book_script *made)
{
    struct script_errors errors = {0};
    enum status status = script_read(text, length, made->script, &errors);
    for (int i = 0; status == STATUS_FAILED && i < errors.n; i++) {
        const struct script_error *error = &errors.list[i];
        complain(reader, at, "%s:%d:%d: %s", made->where, error->place.line, error->place.column,
                 error->text);
    }
    made->faulty = status != STATUS_OK;
    if (!status && made->script->asset < 0) {
        made->faulty = true;
        complain(reader, at, "%s has no asset: its header must have one, asset NAME or assets NAME",
                 made->where);
    }
    if (!status) status = script_keys_make(made->script, &made->keys);
    if (status == STATUS_NO_MEMORY) reader->status = status;
}

/* Reads the script's file, beside the book; of a draft wherever it lies. */
static void parse_file(struct reader *reader, const config_setting_t *at, const char *path,
                       struct book_script *made)
{
    const char *why = NULL;
    size_t length;
    int file;
    bool anywhere = config_setting_get_hook(at);
    char *text = source_read_also(reader->source, path, anywhere, &file, &length, &why);
    made->faulty = true;
    if (text) parse(reader, at, text, length, made);
    else if (why) complain(reader, at, "%s cannot be read: %s", made->where, why);
    else reader->status = STATUS_NO_MEMORY;
    free(text);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Adds an empty script that `key` finds from now on; NULL without memory. */
static struct book_script *add_script(struct reader *reader, const char *key,
                                      struct book_scripts *scripts)
{
    struct book_script *made = calloc(1, sizeof *made);
    int n = scripts->n;
    if (made) made->key = strdup(key);
    if (made) made->script = calloc(1, sizeof *made->script);
    if (made && made->key && made->script &&
        !grow_array(&scripts->list, &scripts->room, n + 1, sizeof(struct book_script *)) &&
        !grow_array(&scripts->scripts, &scripts->script_room, n + 1, sizeof(struct script *)) &&
        !names_add(&scripts->keys, made->key, n)) {
        scripts->list[n] = made;
        scripts->scripts[scripts->n++] = made->script;
        return made;
    }
    if (made) free(made->script);
    if (made) free_script(made);
    reader->status = STATUS_NO_MEMORY;
    return NULL;
}

struct book_script *find_script(struct reader *reader, const config_setting_t *script,
                                const config_setting_t *type, struct book_scripts *scripts)
{
    const config_setting_t *at = script ? script : type;
    const char *text = read_text(reader, at);
    if (!text) return NULL;
    size_t length = strlen(text), n = strlen(ending);
    bool line = !strchr(text, '\n'),
         file = script && line && length > n && !strcmp(text + length - n, ending);
    if (script && !file && line && !strstr(text, "product")) {
        complain(reader, at,
                 "script must be a file \"NAME%s\" beside the book, or the text of a script, got "
                 "\"%.40s\"",
                 ending, text);
        return NULL;
    }
    int known = names_find(&scripts->keys, text);
    if (known >= 0) {
        if (scripts->list[known]->faulty)
            complain(reader, at, "%s has the errors told before: this trade has it too",
                     scripts->list[known]->where);
        return scripts->list[known];
    }
    const char *stated = script ? text : script_library_text(text);
    struct book_script *made = stated ? add_script(reader, text, scripts) : NULL;
    if (!made) return NULL;
    bool named = file || !script;
    snprintf(made->where, sizeof made->where, named ? "script %.280s%s" : "script", text,
             file ? "" : ending);
    if (file) parse_file(reader, at, text, made);
    else parse(reader, at, stated, strlen(stated), made);
    return made;
}

struct script **book_scripts_take(struct book_scripts *scripts, int *n)
{
    struct script **taken = scripts->scripts;
    *n = scripts->n;
    for (int i = 0; i < scripts->n; i++) free_script(scripts->list[i]);
    names_free(&scripts->keys);
    free(scripts->list);
    *scripts = (struct book_scripts){0};
    return taken;
}
