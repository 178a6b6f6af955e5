/* From tokens to the parameters of a script. */
#include <math.h>
#include <string.h>

#include "models/base/nearest.h"
#include "models/scripts/reading.h"

static const struct kind_row {
    enum word word;
    enum symbol_kind kind;
    enum value_type type;
} kinds[] = {
    {WORD_ASSET, SYMBOL_ASSET, VALUE_ASSET},      {WORD_ASSETS, SYMBOL_ASSETS, VALUE_ASSET},
    {WORD_DATE, SYMBOL_DATE, VALUE_DATE},         {WORD_DATES, SYMBOL_DATES, VALUE_DATE},
    {WORD_NUMBER, SYMBOL_NUMBER, VALUE_NUMBER},   {WORD_MONEY, SYMBOL_NUMBER, VALUE_NUMBER},
    {WORD_FLAG, SYMBOL_FLAG, VALUE_FLAG},         {WORD_CHOICE, SYMBOL_CHOICE, VALUE_NUMBER},
    {WORD_FRACTION, SYMBOL_NUMBER, VALUE_NUMBER},
};

/* Reads the kind of the parameters that follow, where one stands here; else it is as before. */
static const struct kind_row *read_kind(struct reading *reading, const struct kind_row *before)
{
    const struct token *token = reading_next(reading);
    char hint[HINT_ROOM];
    bool stands = token->kind == TOKEN_NAME && token[1].kind == TOKEN_NAME;
    if (reading->lost || (!stands && before)) return before;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && stands; i++)
        if (reading_accept_word(reading, kinds[i].word)) return &kinds[i];
    reading_lose(reading, token->place,
                 "a kind should stand here, not %s: asset, assets, date, dates, number, fraction, "
                 "money, flag or choice%s",
                 token_text(reading, token), token_hint(reading, token, hint));
    return before;
}

/* Reads `(call | put)` of a choice; choices may share words. */
static void read_words(struct reading *reading, int parameter)
{
    struct script *script = reading->script;
    script->symbols[parameter].first_word = script->n_words;
    reading_expect(reading, '(');
    do {
        const struct token *token = reading_next(reading);
        bool shared = choice_find(reading, token) >= 0 && word_find(reading, token, parameter) < 0;
        if (reading->lost || (!shared && !name_is_free(reading, token, "the word of a choice")))
            return;
        reading->at++;
        if (script->n_words == WORDS_MOST)
            reading_limit(reading, token->place, WORDS_MOST, "words of choices");
        else if (reading_grow(reading, &script->words, &reading->word_room, script->n_words)) {
            token_name(reading, token, script->words[script->n_words++]);
            script->symbols[parameter].n_words++;
        }
    } while (reading_accept(reading, '|'));
    reading_expect(reading, ')');
}

/* Reads what follows `=`. */
static void read_default(struct reading *reading, int parameter)
{
    struct script_symbol *symbol = &reading->script->symbols[parameter];
    bool minus = reading_accept(reading, '-');
    const struct token *value = reading_next(reading);
    const char *wanted;
    bool fits;
    symbol->has_default = true;
    if (symbol->kind == SYMBOL_CHOICE) {
        wanted = "one of its words";
        symbol->fallback = word_find(reading, value, parameter);
        fits = symbol->fallback >= 0.0 && !minus;
    } else if (symbol->kind == SYMBOL_FLAG) {
        wanted = "true or false";
        symbol->fallback = value->word == WORD_TRUE;
        fits = (value->word == WORD_TRUE || value->word == WORD_FALSE) && !minus;
    } else {
        int assets = symbol->over >= 0 ? symbol->over : reading->script->asset;
        wanted = "a number, inf, -inf (or spot, for one asset or for each)";
        symbol->fallback_spot = value->word == WORD_SPOT && !minus && assets >= 0 &&
                                reading->script->symbols[assets].kind ==
                                    (symbol->over >= 0 ? SYMBOL_ASSETS : SYMBOL_ASSET);
        symbol->fallback = value->word == WORD_INF ? HUGE_VAL : value->number;
        if (minus) symbol->fallback = -symbol->fallback;
        fits = value->kind == TOKEN_NUMBER || value->word == WORD_INF || symbol->fallback_spot;
    }
    if (fits) reading->at++;
    else reading_miss(reading, wanted);
}

static void read_parameter(struct reading *reading, const struct kind_row *row)
{
    struct script *script = reading->script;
    const struct token *name = reading_next(reading);
    bool valued = row && (row->type == VALUE_NUMBER || row->type == VALUE_FLAG);
    int over = -1;
    if (reading->lost) return;
    if (name->word && name->word != WORD_FRACTION) /* which was a name before it was a word */
        reading_miss(reading,
                     "a parameter's name, no word of the language and no key of every trade,");
    else if (script->n_parameters == SCRIPT_PARAMETERS_MOST)
        reading_limit(reading, name->place, SCRIPT_PARAMETERS_MOST, "parameters");
    if (reading->lost || !name_is_free(reading, name, "a parameter")) return;
    reading->at++;
    if ((valued || row->kind == SYMBOL_DATE) && reading_accept(reading, '[')) {
        over = read_set(reading);
        reading_expect(reading, ']');
    }
    if (reading->lost) return;
    int parameter = symbol_add(reading, name, row->kind, row->type, over);
    if (parameter < 0) return;
    script->n_parameters++;
    script->symbols[parameter].money = row->word == WORD_MONEY;
    script->symbols[parameter].fraction = row->word == WORD_FRACTION;
    if (row->kind == SYMBOL_DATE && over < 0 && !strcmp(script->symbols[parameter].name, "expiry"))
        script->expiry = parameter;
    if (row->type == VALUE_ASSET) {
        if (script->asset >= 0)
            reading_lose(reading, name->place,
                         "a script has one parameter of kind asset or assets");
        script->asset = parameter;
    }
    if (row->kind == SYMBOL_CHOICE) read_words(reading, parameter);
    if (valued && reading_accept(reading, '=')) read_default(reading, parameter);
}

void read_header(struct reading *reading)
{
    struct script *script = reading->script;
    const struct kind_row *row = NULL;
    char hint[HINT_ROOM];
    if (!reading_accept_word(reading, WORD_PRODUCT))
        reading_lose(reading, reading_next(reading)->place,
                     "a script begins with 'product NAME(PARAMETERS)', not with %s%s",
                     token_text(reading, reading_next(reading)),
                     token_hint(reading, reading_next(reading), hint));
    const struct token *product = reading_next(reading);
    if (reading->lost || !name_is_free(reading, product, "the product")) return;
    reading->at++;
    token_name(reading, product, script->name);
    reading_expect(reading, '(');
    do {
        row = read_kind(reading, row);
        read_parameter(reading, row);
    } while (reading_accept(reading, ',') || reading_accept(reading, ';'));
    reading_expect(reading, ')');
    if (script->expiry < 0)
        reading_lose(reading, product->place,
                     "the header needs 'date expiry', after which nothing is");
}
