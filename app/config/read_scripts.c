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
    free(made->where);
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
    char *text = config_setting_get_hook(at)
                     ? source_read_other(reader->source, path, &file, &length, &why)
                     : source_read_beside(reader->source, path, &file, &length, &why);
    made->faulty = true;
    if (text) parse(reader, at, text, length, made);
    else if (why) complain(reader, at, "%s cannot be read: %s", made->where, why);
    else reader->status = STATUS_NO_MEMORY;
    free(text);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Adds an empty script that `key` finds from now on; NULL without memory. */
static struct book_script *add_script(struct reader *reader, const char *key, const char *where,
                                      struct book_scripts *scripts)
{
    struct book_script *made = calloc(1, sizeof *made);
    struct script *script = calloc(1, sizeof *script);
    int n = scripts->n;
    if (made) *made = (struct book_script){strdup(key), strdup(where), script, .faulty = false};
    if (made && made->key && made->where && script &&
        !grow_array(&scripts->list, &scripts->room, n + 1, sizeof(struct book_script *)) &&
        !grow_array(&scripts->scripts, &scripts->script_room, n + 1, sizeof(struct script *)) &&
        !names_add(&scripts->keys, made->key, n)) {
        scripts->list[n] = made;
        scripts->scripts[scripts->n++] = script;
        return made;
    }
    if (made) free_script(made);
    free(script);
    reader->status = STATUS_NO_MEMORY;
    return NULL;
}

/* Returns a script that was read before. That it is faulty has been told in full where it was read
 * first. */
static struct book_script *again(struct reader *reader, const config_setting_t *at,
                                 struct book_script *known)
{
    if (known->faulty)
        complain(reader, at, "%s has the errors told before: this trade has it too", known->where);
    return known;
}

static struct book_script *find_of_library(struct reader *reader, const config_setting_t *at,
                                           const char *type, struct book_scripts *scripts)
{
    char where[SCRIPT_NAME_MOST + 16];
    int known = names_find(&scripts->keys, type);
    if (known >= 0) return again(reader, at, scripts->list[known]);
    const char *text = script_library_text(type);
    if (!text) return NULL;
    snprintf(where, sizeof where, "script %s%s", type, ending);
    struct book_script *made = add_script(reader, type, where, scripts);
    if (made) parse(reader, at, text, strlen(text), made);
    return made;
}

static bool ends_as_file(const char *text)
{
    size_t length = strlen(text), n = strlen(ending);
    return length > n && !strcmp(text + length - n, ending) && !strchr(text, '\n');
}

struct book_script *find_script(struct reader *reader, const config_setting_t *script,
                                const config_setting_t *type, struct book_scripts *scripts)
{
    const char *text = read_text(reader, script ? script : type, script ? "script" : "type");
    char where[300];
    if (!text) return NULL;
    if (!script) return find_of_library(reader, type, text, scripts);
    bool file = ends_as_file(text);
    if (!file && !strchr(text, '\n') && !strstr(text, "product")) {
        complain(reader, script,
                 "script must be a file \"NAME%s\" beside the book, or the text of a script, got "
                 "\"%.40s\"",
                 ending, text);
        return NULL;
    }
    int known = names_find(&scripts->keys, text);
    if (known >= 0) return again(reader, script, scripts->list[known]);
    snprintf(where, sizeof where, file ? "script %.280s" : "script", text);
    struct book_script *made = add_script(reader, text, where, scripts);
    if (made && file) parse_file(reader, script, text, made);
    else if (made) parse(reader, script, text, strlen(text), made);
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
