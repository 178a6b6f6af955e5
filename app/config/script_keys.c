#include "app/config/script_keys.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/read_trades.h"
#include "app/config/tables.h"
#include "models/scripts/library.h"

_Static_assert((int)SCRIPT_PARAMETERS_MOST + 16 <= (int)KEYS_MAX,
               "a table holds the keys of any trade beside the parameters");

/* ---- a parameter ----------------------------------------------------------------------------- */

/* What one value of a parameter is, and the forms that a book may give it in. */
static const struct {
    const char *what;
    unsigned one, each; /* where it has one value; where it has one for each member of a set */
} kinds[] = {
    [SYMBOL_DATE] = {"a date, at most expiry", FORM_TIME, FORM_TIME},
    [SYMBOL_DATES] = {"dates, the last one at most expiry", FORM_TIMES | FORM_GROUP, 0},
    [SYMBOL_NUMBER] = {"a number", FORM_NUMBER, FORM_NUMBER | FORM_NUMBERS},
    [SYMBOL_FLAG] = {"true or false", FORM_BOOLEAN, FORM_BOOLEAN},
    [SYMBOL_CHOICE] = {"a word", FORM_TEXT, FORM_TEXT | FORM_TEXTS},
};

static void set_fallback(const struct script *script, const struct script_symbol *symbol,
                         size_t room, char *text)
{
    text[0] = '\0';
    if (!symbol->has_default) return;
    if (symbol->fallback_spot) snprintf(text, room, "spot");
    else if (symbol->kind == SYMBOL_FLAG)
        snprintf(text, room, "%s", symbol->fallback != 0.0 ? "true" : "false");
    else if (symbol->kind == SYMBOL_CHOICE)
        snprintf(text, room, "%.31s", script->words[symbol->first_word + (int)symbol->fallback]);
    else snprintf(text, room, "%.15g", symbol->fallback);
}

static void add_parameter(const struct script *script, int parameter, struct script_keys *keys,
                          char **end)
{
    const struct script_symbol *symbol = &script->symbols[parameter];
    int row = keys->table.n++;
    struct script_key *more = &keys->rows[row];
    bool each = symbol->over >= 0;
    more->common = -1;
    more->parameter = parameter;
    set_fallback(script, symbol, sizeof more->fallback, more->fallback);
    snprintf(more->meaning, sizeof more->meaning, "%s%s%s%s",
             symbol->money ? "money" : kinds[symbol->kind].what,
             each ? ", or a list of one for each of " : "",
             !each ? ""
             : script->symbols[symbol->over].kind == SYMBOL_ASSETS
                 ? "assets"
                 : script->symbols[symbol->over].name,
             symbol->fallback_spot ? "; the spots of today where not given" : "");
    keys->keys[row] = (struct key)KEY_DEFERRED(
        symbol->name, each ? kinds[symbol->kind].each : kinds[symbol->kind].one,
        .fallback = symbol->has_default ? more->fallback : NULL, .meaning = more->meaning);
    if (symbol->kind == SYMBOL_CHOICE) keys->keys[row].words = *end;
    for (int i = 0; i < symbol->n_words; i++)
        *end += sprintf(*end, "%s%s", i ? " " : "", script->words[symbol->first_word + i]);
    *end += symbol->n_words > 0;
    if (symbol->kind == SYMBOL_DATES) keys->keys[row].table = &date_rule_table;
    if (!symbol->has_default) keys->required |= (uint64_t)1 << row;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Adds a key of any trade, which is parameter `parameter` as well where that is not -1. */
static void add_common(enum trade_key key, int parameter, struct script_keys *keys)
{
    int row = keys->table.n++;
    keys->keys[row] = trade_table.keys[key];
    keys->rows[row].common = key;
    keys->rows[row].parameter = parameter;
    if (parameter >= 0 || key == KEY_ID) keys->required |= (uint64_t)1 << row;
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

enum status script_keys_make(const struct script *script, struct script_keys *keys)
{
    *keys = (struct script_keys){.table = {.what = "a script", .keys = keys->keys}};
    snprintf(keys->owner, sizeof keys->owner, "%s %s",
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
    keys->allowed = ~(uint64_t)0 >> (KEYS_MAX - keys->table.n);
    return STATUS_OK;
}

void script_keys_free(struct script_keys *keys)
{
    free(keys->words);
    *keys = (struct script_keys){0};
}

/* ---- the library ----------------------------------------------------------------------------- */

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
