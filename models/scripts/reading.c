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

int reading_lose(struct reading *reading, struct script_place place, const char *format, ...)
{
    struct script_errors *errors = reading->errors;
    if (!reading->lost && errors->n < SCRIPT_ERRORS_MOST) {
        struct script_error *error = &errors->list[errors->n++];
        for (; error > errors->list && is_before(place, error[-1].place); error--)
            *error = error[-1];
        va_list list;
        va_start(list, format);
        vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
        error->place = place;
        if (errors->n == SCRIPT_ERRORS_MOST) reading->status = STATUS_FAILED;
    }
    reading->lost = true;
    return -1;
}

int reading_limit(struct reading *reading, struct script_place place, int most, const char *what)
{
    reading_lose(reading, place, "a script has at most %d %s", most, what);
    reading->status = STATUS_FAILED;
    return -1;
}

bool reading_room(struct reading *reading, void *array, int *room, int n, size_t size)
{
    if (!grow_array(array, room, n + 1, size)) return true;
    reading->status = STATUS_NO_MEMORY;
    reading->lost = true;
    return false;
}

bool reading_enter(struct reading *reading)
{
    if (reading->lost) return false;
    if (reading->depth++ < SCRIPT_DEPTH_MOST) return true;
    reading_limit(reading, reading_next(reading)->place, SCRIPT_DEPTH_MOST,
                  "blocks and expressions within one another; give parts of it names");
    return false;
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

int reading_miss(struct reading *reading, const char *wanted)
{
    const struct token *token = reading_next(reading);
    return reading_lose(reading, token->place, "%s should stand here, not %s", wanted,
                        token_text(reading, token));
}

void reading_expect(struct reading *reading, char sign)
{
    const char wanted[] = {'\'', sign, '\'', '\0'};
    if (!reading_accept(reading, sign)) reading_miss(reading, wanted);
}

const char *token_text(struct reading *reading, const struct token *token)
{
    static const char *const ends[] = {"the end of the script", "the end of the line",
                                       "a line that stands further in", "the end of the block"};
    if (token->kind < TOKEN_NAME) return ends[token->kind];
    int length = token->length < SCRIPT_NAME_MOST ? token->length : SCRIPT_NAME_MOST;
    snprintf(reading->shown, sizeof reading->shown, "'%.*s'", length,
             reading->script->text + token->at);
    return reading->shown;
}

void token_name(const struct reading *reading, const struct token *token,
                char to[SCRIPT_NAME_MOST + 1])
{
    snprintf(to, SCRIPT_NAME_MOST + 1, "%.*s", token->length, reading->script->text + token->at);
}

/* Tells whether a token is this name. */
static bool is_called(const struct reading *reading, const struct token *token, const char *name)
{
    const char *text = reading->script->text + token->at;
    return *text == *name && !strncmp(text, name, (size_t)token->length) && !name[token->length];
}

const char *token_hint(const struct reading *reading, const struct token *token, char *hint)
{
    const struct script *script = reading->script;
    char name[SCRIPT_NAME_MOST + 1];
    struct nearest nearest = {.wanted = name};
    token_name(reading, token, name);
    if (token->kind != TOKEN_NAME || token->length < 2) name[0] = '\0';
    for (int i = 0; i < script->n_symbols; i++)
        if (!reading->hidden[i] && script->symbols[i].name[1] &&
            (int)script->symbols[i].type != VALUE_UNKNOWN)
            nearest_try(&nearest, script->symbols[i].name);
    for (int i = 0; i < script->n_words; i++) nearest_try(&nearest, script->words[i]);
    for (int i = 1; i < N_WORDS; i++)
        if (script_words[i].reserved && i != (int)token->word)
            nearest_try(&nearest, script_words[i].text);
    return nearest_hint(&nearest, hint);
}

/* ---- names */

int symbol_find(const struct reading *reading, const struct token *name)
{
    int i = reading->script->n_symbols - 1;
    while (i >= 0 &&
           (reading->hidden[i] || !is_called(reading, name, reading->script->symbols[i].name)))
        i--;
    return i;
}

int symbol_known(struct reading *reading, const struct token *name)
{
    char hint[HINT_ROOM];
    int symbol = symbol_find(reading, name);
    if (symbol >= 0 && (int)reading->script->symbols[symbol].type != VALUE_UNKNOWN) return symbol;
    if (symbol < 0) {
        const char *text = token_text(reading, name);
        bool today = !strcmp(text, "'today'");
        reading_lose(reading, name->place, "nothing is called %s%s", text,
                     today ? "; spot(asset) is the spot of today"
                           : token_hint(reading, name, hint));
        symbol_add(reading, name, SYMBOL_STATE, VALUE_UNKNOWN, -1);
    }
    reading->lost = true;
    return -1;
}

int symbol_add(struct reading *reading, const struct token *name, enum symbol_kind kind, int type,
               int over)
{
    struct script *script = reading->script;
    int n = script->n_symbols;
    if (n == SYMBOLS_MOST) return reading_limit(reading, name->place, SYMBOLS_MOST, "names");
    if (!reading_grow(reading, &script->symbols, &reading->symbol_room, n)) return -1;
    script->symbols[n] = (struct script_symbol){
        .kind = kind, .type = (enum value_type)type, .place = name->place, .over = over};
    token_name(reading, name, script->symbols[n].name);
    if (over >= 0) script->symbols[over].read = true;
    return script->n_symbols++;
}

int word_find(const struct reading *reading, const struct token *name, int choice)
{
    const struct script_symbol *symbol = &reading->script->symbols[choice];
    for (int i = 0; i < symbol->n_words; i++)
        if (is_called(reading, name, reading->script->words[symbol->first_word + i])) return i;
    return -1;
}

int choice_find(const struct reading *reading, const struct token *name)
{
    for (int i = 0; i < reading->script->n_parameters; i++)
        if (word_find(reading, name, i) >= 0) return i;
    return -1;
}

bool name_is_free(struct reading *reading, const struct token *token, const char *what)
{
    if (token->kind != TOKEN_NAME || script_words[token->word].reserved) {
        reading_lose(reading, token->place, "the name of %s should stand here, not %s", what,
                     token_text(reading, token));
        return false;
    }
    int symbol = symbol_find(reading, token);
    if (symbol < 0) symbol = choice_find(reading, token);
    if (symbol < 0) return true;
    reading_lose(reading, token->place, "%s has a meaning already (line %d); %s needs another name",
                 token_text(reading, token), reading->script->symbols[symbol].place.line, what);
    return false;
}

int read_set(struct reading *reading)
{
    const struct token *token = reading_next(reading);
    if (token->kind != TOKEN_NAME)
        return reading_miss(reading, "the name of the assets, or of dates,");
    reading->at++;
    int symbol = symbol_known(reading, token);
    if (symbol < 0 || is_set(reading, symbol)) return symbol;
    return reading_lose(reading, token->place,
                        "%s is no list; write the name of the assets, or of dates",
                        token_text(reading, token));
}

int read_loop(struct reading *reading)
{
    const struct token *name = reading_next(reading);
    if (!name_is_free(reading, name, "the variable of a loop")) return -1;
    reading->at++;
    if (!reading_accept_word(reading, WORD_IN)) reading_miss(reading, "'in'");
    int set = reading->lost ? -1 : read_set(reading);
    return symbol_add(reading, name, SYMBOL_LOOP,
                      set < 0 ? VALUE_UNKNOWN : (int)reading->script->symbols[set].type, set);
}

const char *type_name(int type)
{
    static const char *const names[] = {"a number", "a flag",  "a date",
                                        "an asset", "nothing", "a word of a choice"};
    return names[type];
}
