/* What all that reads a script shares: errors, tokens, names. */
#include "models/scripts/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/base/nearest.h"

/* ---- errors */

static bool is_before(struct script_place a, struct script_place b)
{
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

static void complain(struct reading *reading, struct script_place place, const char *format,
                     va_list list)
{
    struct script_errors *errors = reading->errors;
    int at = errors->n;
    while (at > 0 && is_before(place, errors->list[at - 1].place)) at--;
    if (at == SCRIPT_ERRORS_MOST) return;
    int last = errors->n < SCRIPT_ERRORS_MOST ? errors->n++ : SCRIPT_ERRORS_MOST - 1;
    memmove(&errors->list[at + 1], &errors->list[at], (size_t)(last - at) * sizeof *errors->list);
    errors->list[at].place = place;
    vsnprintf(errors->list[at].text, sizeof errors->list[at].text, format, list);
}

void reading_complain(struct reading *reading, struct script_place place, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    complain(reading, place, format, list);
    va_end(list);
}

void reading_lose(struct reading *reading, const struct token *token, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!reading->lost && token->kind != TOKEN_BAD) complain(reading, token->place, format, list);
    va_end(list);
    reading->lost = true;
}

void reading_exhausted(struct reading *reading)
{
    reading->status = STATUS_NO_MEMORY;
    reading->lost = true;
}

bool reading_enter(struct reading *reading)
{
    if (reading->depth >= SCRIPT_DEPTH_MOST) {
        reading_lose(reading, reading_next(reading),
                     "blocks and expressions nest at most %d deep; give parts of it names",
                     SCRIPT_DEPTH_MOST);
        return false;
    }
    reading->depth++;
    return true;
}

void reading_leave(struct reading *reading)
{
    reading->depth--;
}

/* ---- tokens */

bool reading_accept(struct reading *reading, int kind)
{
    if (reading->lost || reading_next(reading)->kind != kind) return false;
    reading->at++;
    return true;
}

bool reading_accept_word(struct reading *reading, enum word word)
{
    if (reading->lost || reading_next(reading)->word != word) return false;
    reading->at++;
    return true;
}

void reading_miss(struct reading *reading, const char *wanted)
{
    const struct token *token = reading_next(reading);
    char found[TOKEN_ROOM];
    reading_lose(reading, token, "%s should stand here, not %s", wanted,
                 token_text(reading, token, found));
}

void reading_expect(struct reading *reading, int kind, const char *wanted)
{
    if (!reading_accept(reading, kind)) reading_miss(reading, wanted);
}

void reading_skip_brackets(struct reading *reading)
{
    if (reading_next(reading)->match >= 0) reading->at = reading_next(reading)->match + 1;
}

const char *token_text(const struct reading *reading, const struct token *token,
                       char to[TOKEN_ROOM])
{
    switch (token->kind) {
    case TOKEN_END: return "the end of the script";
    case TOKEN_LINE:
    case TOKEN_BAD: return "the end of the line";
    case TOKEN_INDENT: return "a line that stands further in";
    case TOKEN_DEDENT: return "the end of the block";
    default:
        snprintf(to, TOKEN_ROOM, "'%.*s'",
                 token->length < SCRIPT_NAME_MOST ? token->length : SCRIPT_NAME_MOST,
                 reading->script->text + token->at);
        return to;
    }
}

const char *token_name(const struct reading *reading, const struct token *token,
                       char to[SCRIPT_NAME_MOST + 1])
{
    int length = token->length < SCRIPT_NAME_MOST ? token->length : SCRIPT_NAME_MOST;
    memcpy(to, reading->script->text + token->at, (size_t)length);
    to[length] = '\0';
    return to;
}

/* ---- names */

static int bucket_of(const char *name)
{
    unsigned hash = 2166136261u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return (int)((hash ^ hash >> 16) % BUCKETS);
}

int symbol_find(const struct reading *reading, const char *name)
{
    int i = reading->buckets[bucket_of(name)];
    while (i >= 0 && strcmp(reading->script->symbols[i].name, name)) i = reading->next_symbol[i];
    return i;
}

int symbol_add(struct reading *reading, const struct token *name, enum symbol_kind kind, int type)
{
    struct script *script = reading->script;
    int n = script->n_symbols;
    if (n == SYMBOLS_MOST) {
        reading_lose(reading, name, "a script has at most %d names", SYMBOLS_MOST);
        reading->status = STATUS_FAILED;
        return -1;
    }
    if (grow_array(&script->symbols, &reading->symbol_room, n + 1, sizeof *script->symbols) ||
        grow_array(&reading->next_symbol, &reading->next_room, n + 1,
                   sizeof *reading->next_symbol)) {
        reading_exhausted(reading);
        return -1;
    }
    struct script_symbol *symbol = &script->symbols[n];
    *symbol = (struct script_symbol){.kind = kind, .type = type, .place = name->place, .over = -1};
    token_name(reading, name, symbol->name);
    int *bucket = &reading->buckets[bucket_of(symbol->name)];
    reading->next_symbol[n] = *bucket;
    *bucket = n;
    return script->n_symbols++;
}

void symbol_hide(struct reading *reading, int symbol)
{
    int *at = &reading->buckets[bucket_of(reading->script->symbols[symbol].name)];
    while (*at != symbol) at = &reading->next_symbol[*at];
    *at = reading->next_symbol[symbol];
}

int word_find(const struct reading *reading, const char *name, int choice)
{
    const struct script_symbol *symbol = &reading->script->symbols[choice];
    for (int i = 0; i < symbol->n_words; i++)
        if (!strcmp(reading->script->words[symbol->first_word + i], name)) return i;
    return -1;
}

int choice_find(const struct reading *reading, const char *name)
{
    for (int i = 0; i < reading->script->n_parameters; i++)
        if (word_find(reading, name, i) >= 0) return i;
    return -1;
}

bool name_is_free(struct reading *reading, const struct token *token, const char *what)
{
    char name[SCRIPT_NAME_MOST + 1], found[TOKEN_ROOM];
    int symbol, choice;
    if (token->kind != TOKEN_NAME) {
        reading_lose(reading, token, "the name of %s should stand here, not %s", what,
                     token_text(reading, token, found));
        return false;
    }
    token_name(reading, token, name);
    if (script_words[token->word].reserved) {
        reading_lose(reading, token, "'%s' is a word of the language; %s needs another name", name,
                     what);
        return false;
    }
    if ((symbol = symbol_find(reading, name)) >= 0)
        reading_complain(reading, token->place,
                         "'%s' has a meaning already (line %d); %s needs another name", name,
                         reading->script->symbols[symbol].place.line, what);
    else if ((choice = choice_find(reading, name)) >= 0)
        reading_complain(reading, token->place, "'%s' is a word of '%s'; %s needs another name",
                         name, reading->script->symbols[choice].name, what);
    else return true;
    return false;
}

/* Returns the line on which a name is assigned further below, 0 where it is on none. */
static int assigned_below(const struct reading *reading, const char *name)
{
    char other[SCRIPT_NAME_MOST + 1];
    for (int i = reading->at; i + 1 < reading->n_tokens; i++)
        if (reading->tokens[i].kind == TOKEN_NAME && reading->tokens[i + 1].kind == '=' &&
            !strcmp(token_name(reading, &reading->tokens[i], other), name))
            return reading->tokens[i].place.line;
    return 0;
}

void name_unknown(struct reading *reading, const struct token *token, const char *what)
{
    char name[SCRIPT_NAME_MOST + 1], hint[HINT_ROOM];
    struct nearest nearest = {.wanted = token_name(reading, token, name)};
    const struct script *script = reading->script;
    bool heard = reading->errors->n < SCRIPT_ERRORS_MOST;
    bool told = script->expiry < 0 && !strcmp(name, "expiry");
    int assigned = heard && !what ? assigned_below(reading, name) : 0;
    for (int i = 0; heard && strlen(name) > 2 && i < BUCKETS; i++)
        for (int s = reading->buckets[i]; s >= 0; s = reading->next_symbol[s])
            if ((int)script->symbols[s].type != VALUE_UNKNOWN)
                nearest_try(&nearest, script->symbols[s].name);
    for (int i = 0; i < script->n_words; i++) nearest_try(&nearest, script->words[i]);
    if (assigned)
        reading_complain(reading, token->place,
                         "'%s' is read before it is assigned (line %d); give it a value before",
                         name, assigned);
    else if (!strcmp(name, "today"))
        reading_complain(reading, token->place,
                         "'today' is no date of scripts; spot(asset) is the spot of today");
    else if (!told)
        reading_complain(reading, token->place, "%s is called '%s'%s", what ? what : "nothing",
                         name, nearest_hint(&nearest, hint));
    symbol_add(reading, token, SYMBOL_STATE, VALUE_UNKNOWN);
}

int read_set(struct reading *reading)
{
    const struct token *token = reading_next(reading);
    char name[SCRIPT_NAME_MOST + 1];
    if (token->kind != TOKEN_NAME) {
        reading_miss(reading, "the name of the assets, or of dates,");
        return -1;
    }
    reading->at++;
    int symbol = symbol_find(reading, token_name(reading, token, name));
    if (symbol < 0) name_unknown(reading, token, "no parameter");
    else if (is_set(reading, symbol)) return symbol;
    else if ((int)reading->script->symbols[symbol].type != VALUE_UNKNOWN)
        reading_complain(reading, token->place,
                         "'%s' is no list; write the name of the assets, or of dates", name);
    return -1;
}

int read_loop(struct reading *reading)
{
    const struct token *name = reading_next(reading);
    bool taken = !name_is_free(reading, name, "the variable of a loop");
    if (reading->lost) return -1;
    reading->at++;
    if (!reading_accept_word(reading, WORD_IN)) reading_miss(reading, "'in'");
    int set = reading->lost ? -1 : read_set(reading);
    if (reading->lost) return -1;
    int type = set < 0 || taken ? VALUE_UNKNOWN : (int)reading->script->symbols[set].type;
    int symbol = symbol_add(reading, name, SYMBOL_LOOP, type);
    if (symbol >= 0) reading->script->symbols[symbol].over = set;
    return symbol;
}

const char *type_name(int type)
{
    switch (type) {
    case VALUE_NUMBER: return "a number";
    case VALUE_FLAG: return "a flag";
    case VALUE_DATE: return "a date";
    case VALUE_ASSET: return "an asset";
    case VALUE_WORD: return "a word of a choice";
    default: return "nothing";
    }
}
