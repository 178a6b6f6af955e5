
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/read_trades.h"
#include "app/config/values.h"
#include "models/base/grow.h"
#include "models/scripts/library.h"

_Static_assert((int)SCRIPT_PARAMETERS_MOST + 16 <= (int)KEYS_MAX,
               "a table holds the keys of any trade beside the parameters");

/* What one value of a parameter is, and the forms that a book may give it in. */
static const struct {
    const char *title;
    unsigned one, each; /* where it has one value; where it has one for each member of a set */
} kinds[] = {
    [SYMBOL_DATE] = {"a date, at most expiry", FORM_TIME, FORM_TIME | FORM_TIMES},
    [SYMBOL_DATES] = {"dates, the last one at most expiry", FORM_TIMES | FORM_GROUP, 0},
    [SYMBOL_NUMBER] = {"a number", FORM_NUMBER, FORM_NUMBER | FORM_NUMBERS},
    [SYMBOL_FLAG] = {"true or false", FORM_BOOLEAN, FORM_BOOLEAN},
    [SYMBOL_CHOICE] = {"a word", FORM_TEXT, FORM_TEXT | FORM_TEXTS},
};

static void add_parameter(const struct script *script, int parameter, struct script_keys *keys,
                          char **end)
{
    const struct script_symbol *symbol = &script->symbols[parameter];
    int row = keys->table.n++;
    struct script_key *more = &keys->rows[row];
    bool each = symbol->over >= 0;
    more->common = -1;
    more->parameter = parameter;
    if (symbol->fallback_spot) snprintf(more->fallback, sizeof more->fallback, "spot");
    else if (symbol->kind == SYMBOL_FLAG)
        snprintf(more->fallback, sizeof more->fallback, symbol->fallback != 0.0 ? "true" : "false");
    else if (symbol->kind == SYMBOL_CHOICE && symbol->has_default)
        snprintf(more->fallback, sizeof more->fallback, "%.31s",
                 script->words[symbol->first_word + (int)symbol->fallback]);
    else snprintf(more->fallback, sizeof more->fallback, "%.15g", symbol->fallback);
    /* What a fraction is perhaps per cent above: as of the key of trades of this name */
    int same = table_row(&trade_table, symbol->name);
    double most = same < 0 ? 0.0 : trade_table.keys[same].doubtful;
    if (!symbol->fraction) most = 0.0;
    else if (most <= 0.0) most = DOUBTFUL_FRACTION;
    snprintf(more->meaning, sizeof more->meaning, "%s%s%s%s",
             symbol->money      ? "money"
             : symbol->fraction ? "a fraction, 0.05 of 5 %"
                                : kinds[symbol->kind].title,
             each ? ", or a list of one for each of " : "",
             !each ? ""
             : script->symbols[symbol->over].kind == SYMBOL_ASSETS
                 ? "assets"
                 : script->symbols[symbol->over].name,
             symbol->fallback_spot ? "; the spots of today where not given" : "");
    keys->keys[row] = (struct key)KEY_DEFERRED(
        symbol->name, each ? kinds[symbol->kind].each : kinds[symbol->kind].one, more->meaning,
        .fallback = symbol->has_default ? more->fallback : NULL, .doubtful = most);
    if (symbol->kind == SYMBOL_CHOICE) keys->keys[row].words = *end;
    for (int i = 0; i < symbol->n_words; i++)
        *end += sprintf(*end, "%s%s", i ? " " : "", script->words[symbol->first_word + i]);
    *end += symbol->n_words > 0;
    if (symbol->kind == SYMBOL_DATES) keys->keys[row].table = &date_rule_table;
    if (!symbol->has_default) keys->rules.required |= (uint64_t)1 << row;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Adds a key of any trade, which is parameter `parameter` as well where that is not -1. */
static void add_common(enum trade_key key, int parameter, struct script_keys *keys)
{
    int row = keys->table.n++;
    keys->keys[row] = trade_table.keys[key];
    keys->rows[row].common = key;
    keys->rows[row].parameter = parameter;
    if (parameter >= 0 || key == KEY_ID) keys->rules.required |= (uint64_t)1 << row;
}

/* Keys of every script: the first ones before its parameters. */
enum { N_BEFORE = 3, N_COMMON = 7 };
static const enum trade_key common[N_COMMON] = {
    KEY_ID, KEY_TYPE, KEY_SCRIPT, KEY_QUANTITY, KEY_SETTLEMENT_DAYS, KEY_TAGS, KEY_QUANTO};

bool script_key_is_common(int row)
{
    bool found = row == KEY_ASSET || row == KEY_ASSETS || row == KEY_EXPIRY;
    for (int i = 0; i < N_COMMON; i++) found |= row == (int)common[i];
    return found;
}

/* Makes the table of a script, which outlives it. STATUS_NO_MEMORY. The caller frees its words,
 * whatever it returned. */
static enum status script_keys_make(const struct script *script, struct script_keys *keys)
{
    *keys = (struct script_keys){.table = {.title = "a script", .keys = keys->keys}};
    snprintf(keys->rules.owner, sizeof keys->rules.owner, "%s %s",
             strchr("aeioAEIO", script->name[0]) ? "an" : "a", script->name);
    char *end = keys->words =
        malloc((size_t)(script->n_words + script->n_parameters + 1) * sizeof *script->words);
    if (!end) return STATUS_NO_MEMORY;
    for (int i = 0; i < N_BEFORE; i++) add_common(common[i], -1, keys);
    for (int p = 0; p < script->n_parameters; p++) {
        if (p == script->expiry) add_common(KEY_EXPIRY, p, keys);
        else if (p != script->asset) add_parameter(script, p, keys, &end);
        else add_common(script->symbols[p].kind == SYMBOL_ASSET ? KEY_ASSET : KEY_ASSETS, p, keys);
    }
    for (int i = N_BEFORE; i < N_COMMON; i++) add_common(common[i], -1, keys);
    keys->rules.allowed = ~(uint64_t)0 >> (KEYS_MAX - keys->table.n);
    return STATUS_OK;
}

/* ---- the library ----------------------------------------------------------------------------- */

/* [n_library_scripts] of one that could not be read the table is empty; NULL without memory;
 * never freed */
static struct library_script {
    struct script script;
    struct script_keys keys;
} * library;

static void read_library(void)
{
    int n = n_library_scripts;
    struct script_errors errors;
    library = calloc((size_t)n + 1, sizeof *library);
    for (int i = 0; library && i < n; i++) {
        const char *text = library_scripts[i].text;
        if (!script_read(text, strlen(text), &library[i].script, &errors) &&
            script_keys_make(&library[i].script, &library[i].keys))
            library[i].keys.table.n = 0;
    }
}

const struct script_keys *library_keys(int i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_library);
    return library && library[i].keys.table.n ? &library[i].keys : NULL;
}

bool library_has_key(const char *name)
{
    for (int i = 0; i < n_library_scripts; i++) {
        const struct script_keys *keys = library_keys(i);
        if (keys && table_row(&keys->table, name) >= 0) return true;
    }
    return false;
}

static const char ending[] = ".pay";

/* ---- one script ------------------------------------------------------------------------------ */

static void free_script(struct book_script *made)
{
    free(made->key);
    free(made->keys.words);
    free(made);
}

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
    const char *stated = script ? text : script_library_text(text), *why = NULL;
    struct book_script *made = stated ? add_script(reader, text, scripts) : NULL;
    if (!made) return NULL;
    bool named = file || !script;
    snprintf(made->where, sizeof made->where, named ? "script %.280s%s" : "script", text,
             file ? "" : ending);
    int number;
    char *read = NULL;
    if (file) { /* beside the book; of a draft wherever it lies */
        bool anywhere = config_setting_get_hook(at);
        stated = read = source_read_also(reader->source, text, anywhere, &number, &length, &why);
    } else length = strlen(stated);
    made->faulty = true;
    if (stated) parse(reader, at, stated, length, made);
    else if (why) complain(reader, at, "%s cannot be read: %s", made->where, why);
    else reader->status = STATUS_NO_MEMORY;
    free(read);
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
