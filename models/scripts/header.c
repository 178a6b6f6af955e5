/* From tokens to the parameters of a script. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/base/nearest.h"
#include "models/scripts/reading.h"

static const struct kind_row {
    enum word word;
    enum symbol_kind kind;
    enum value_type type;
} kinds[] = {
    {WORD_ASSET, SYMBOL_ASSET, VALUE_ASSET},    {WORD_ASSETS, SYMBOL_ASSETS, VALUE_ASSET},
    {WORD_DATE, SYMBOL_DATE, VALUE_DATE},       {WORD_DATES, SYMBOL_DATES, VALUE_DATE},
    {WORD_NUMBER, SYMBOL_NUMBER, VALUE_NUMBER}, {WORD_MONEY, SYMBOL_NUMBER, VALUE_NUMBER},
    {WORD_FLAG, SYMBOL_FLAG, VALUE_FLAG},       {WORD_CHOICE, SYMBOL_CHOICE, VALUE_NUMBER},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* What stands where a kind should; nothing more is said of its parameters. */
static const struct kind_row unknown_kind = {WORD_NONE, SYMBOL_NUMBER,
                                             (enum value_type)VALUE_UNKNOWN};

/* Reads the kind of the parameters that follow, where one stands here; else it is as before. */
static const struct kind_row *read_kind(struct reading *reading, const struct kind_row *before)
{
    const struct token *token = reading_next(reading);
    char name[SCRIPT_NAME_MOST + 1], hint[HINT_ROOM];
    struct nearest nearest = {.wanted = token_name(reading, token, name)};
    if (!before && token[1].kind != TOKEN_NAME) {
        reading_complain(reading, token->place,
                         "a kind stands before the first parameter: asset, assets, date, dates, "
                         "number, money, flag or choice");
        return &unknown_kind;
    }
    if (token->kind != TOKEN_NAME || token[1].kind != TOKEN_NAME) return before;
    reading->at++;
    for (int i = 0; i < N_KINDS; i++)
        if (kinds[i].word == token->word) return &kinds[i];
    for (int i = 0; i < N_KINDS; i++) nearest_try(&nearest, script_words[kinds[i].word].text);
    reading_complain(
        reading, token->place,
        "'%s' is no kind of parameter; asset, assets, date, dates, number, money, flag "
        "and choice are%s",
        name, nearest_hint(&nearest, hint));
    return &unknown_kind;
}

/* Reads `(call | put)` of a choice; choices may share words. */
static void read_words(struct reading *reading, int parameter)
{
    struct script *script = reading->script;
    char name[SCRIPT_NAME_MOST + 1];
    script->symbols[parameter].first_word = script->n_words;
    reading_expect(reading, '(', "the words of the choice in ( )");
    do {
        const struct token *token = reading_next(reading);
        token_name(reading, token, name);
        bool shared = choice_find(reading, name) >= 0 && word_find(reading, name, parameter) < 0;
        if (!shared && !name_is_free(reading, token, "the word of a choice") && reading->lost)
            return;
        reading->at++;
        if (script->n_words == WORDS_MOST) {
            reading_lose(reading, token, "the choices of a script have at most %d words",
                         WORDS_MOST);
            return;
        }
        if (grow_array(&script->words, &reading->word_room, script->n_words + 1,
                       sizeof *script->words)) {
            reading_exhausted(reading);
            return;
        }
        token_name(reading, token, script->words[script->n_words++]);
        script->symbols[parameter].n_words++;
    } while (reading_accept(reading, '|'));
    reading_expect(reading, ')', "'|' and another word, or ')',");
}

/* Reads what follows `=`. */
static void read_default(struct reading *reading, int parameter)
{
    struct script_symbol *symbol = &reading->script->symbols[parameter];
    const struct token *token = reading_next(reading);
    char name[SCRIPT_NAME_MOST + 1], found[TOKEN_ROOM];
    double sign = reading_accept(reading, '-') ? -1.0 : 1.0;
    const struct token *value = reading_next(reading);
    int word = value->kind == TOKEN_NAME
                   ? word_find(reading, token_name(reading, value, name), parameter)
                   : -1;
    bool number = value->kind == TOKEN_NUMBER || value->word == WORD_INF;
    bool flag = sign > 0.0 && (value->word == WORD_TRUE || value->word == WORD_FALSE);
    bool fits = symbol->kind == SYMBOL_NUMBER ? number || (sign > 0.0 && value->word == WORD_SPOT)
                : symbol->kind == SYMBOL_FLAG ? flag
                                              : sign > 0.0 && word >= 0;
    if (symbol->type == VALUE_DATE || symbol->type == VALUE_ASSET) {
        reading_lose(reading, token, "dates and assets have no default");
        return;
    }
    if (!fits) {
        reading_lose(reading, token, "the default of '%s' is %s, not %s", symbol->name,
                     symbol->kind == SYMBOL_NUMBER ? "a number, inf, -inf or spot"
                     : symbol->kind == SYMBOL_FLAG ? "true or false"
                                                   : "one of its words",
                     token_text(reading, value, found));
        return;
    }
    reading->at++;
    symbol->has_default = true;
    symbol->fallback_spot = value->word == WORD_SPOT;
    symbol->fallback = symbol->kind == SYMBOL_CHOICE ? word
                       : flag                        ? value->word == WORD_TRUE
                       : symbol->fallback_spot       ? 0.0
                       : value->word == WORD_INF     ? sign * HUGE_VAL
                                                     : sign * value->number;
}

/* Reads one parameter of a kind; *set becomes the token of the list that it is over, 0 where there
 * is none: the list may stand further on. */
static void read_parameter(struct reading *reading, const struct kind_row *row, int *set)
{
    const struct token *name = reading_next(reading);
    if (!name_is_free(reading, name, "a parameter") && reading->lost) return;
    if (name->word)
        reading_complain(
            reading, name->place,
            "'%s' is a word of the language or a key of every trade; a parameter needs "
            "another name",
            script_words[name->word].text);
    reading->at++;
    if (reading->script->n_parameters == SCRIPT_PARAMETERS_MOST) {
        reading_lose(reading, name, "a script has at most %d parameters", SCRIPT_PARAMETERS_MOST);
        return;
    }
    int parameter = symbol_add(reading, name, row->kind, row->type);
    if (parameter < 0) return;
    reading->script->n_parameters++;
    reading->lost = row == &unknown_kind; /* the rest is passed over */
    reading->script->symbols[parameter].money = row->word == WORD_MONEY;
    const struct token *bracket = reading_next(reading);
    if (reading_accept(reading, '[')) {
        if (row->type == VALUE_NUMBER || row->type == VALUE_FLAG) *set = reading->at;
        else reading_lose(reading, bracket, "dates and assets have no list of their own in [ ]");
        reading_expect(reading, TOKEN_NAME, "the name of the assets, or of dates,");
        reading_expect(reading, ']', "']'");
    }
    if (row->kind == SYMBOL_CHOICE) read_words(reading, parameter);
    if (reading_accept(reading, '=')) read_default(reading, parameter);
}

/* Checks what concerns several parameters. */
static void check_parameters(struct reading *reading, const int *sets, struct script_place header)
{
    struct script *script = reading->script;
    bool whole = !reading->lost;
    script->asset = script->expiry = -1;
    for (int i = 0; i < script->n_parameters; i++) {
        struct script_symbol *symbol = &script->symbols[i];
        if (symbol->kind != SYMBOL_ASSET && symbol->kind != SYMBOL_ASSETS) continue;
        if (script->asset < 0) script->asset = i;
        else
            reading_complain(reading, symbol->place,
                             "'%s' has the assets already; a script has one parameter of kind "
                             "asset or assets",
                             script->symbols[script->asset].name);
    }
    for (int i = 0; i < script->n_parameters; i++) {
        struct script_symbol *symbol = &script->symbols[i];
        if (symbol->kind == SYMBOL_DATE && !strcmp(symbol->name, "expiry")) script->expiry = i;
        if (sets[i]) {
            reading->at = sets[i];
            int over = read_set(reading);
            symbol = &script->symbols[i];
            symbol->over = over;
            if (symbol->over < 0) symbol->type = (enum value_type)VALUE_UNKNOWN;
        }
        bool each = symbol->over >= 0 && script->symbols[symbol->over].kind == SYMBOL_ASSETS;
        bool one = symbol->over < 0 && script->asset >= 0 &&
                   script->symbols[script->asset].kind == SYMBOL_ASSET;
        if (symbol->fallback_spot && whole && !each && !one && (!sets[i] || symbol->over >= 0))
            reading_complain(reading, symbol->place,
                             "the default 'spot' is of one asset; write %s[assets] for a number of "
                             "each asset",
                             symbol->name);
    }
    if (whole && script->expiry < 0)
        reading_complain(reading, header, "the header needs 'date expiry', after which nothing is");
}

/* Passes over a parameter that was lost and began at `from`. */
static void recover_parameter(struct reading *reading, int from, int end)
{
    if (reading->lost) reading->at = from;
    while (reading->at < end && reading_next(reading)->kind != ',' &&
           reading_next(reading)->kind != ';') {
        int match = reading_next(reading)->match;
        reading->at = match > reading->at && match < end ? match + 1 : reading->at + 1;
    }
    reading->lost = reading->status != STATUS_OK;
}

static void read_parameters(struct reading *reading, struct script_place header)
{
    const struct kind_row *row = NULL;
    int sets[SCRIPT_PARAMETERS_MOST + 1] = {0};
    bool whole = true;
    reading_expect(reading, '(', "the parameters in ( )");
    if (reading->lost) return;
    int end = reading->tokens[reading->at - 1].match;
    while (reading->at < end) {
        int from = reading->at;
        row = read_kind(reading, row);
        read_parameter(reading, row, &sets[reading->script->n_parameters]);
        if (!reading->lost && reading->at < end && reading_next(reading)->kind != ',' &&
            reading_next(reading)->kind != ';')
            reading_expect(reading, ',', "',' or ')'");
        whole &= !reading->lost;
        recover_parameter(reading, from, end);
        if (reading->lost) return;
        reading->at += reading->at < end;
    }
    reading->lost = !whole; /* so that nothing is missed which was not read */
    check_parameters(reading, sets, header);
    reading->lost = reading->status != STATUS_OK;
    reading->at = end + 1;
}

void read_header(struct reading *reading)
{
    struct script *script = reading->script;
    const struct token *first = reading_next(reading);
    char name[SCRIPT_NAME_MOST + 1], found[TOKEN_ROOM], hint[HINT_ROOM];
    struct nearest nearest = {.wanted = token_name(reading, first, name)};
    if (first->word != WORD_PRODUCT) {
        if (first->kind == TOKEN_NAME) nearest_try(&nearest, "product");
        reading_lose(reading, first,
                     "a script begins with 'product NAME(PARAMETERS)', not with %s%s",
                     token_text(reading, first, found), nearest_hint(&nearest, hint));
        return;
    }
    reading->at++;
    const struct token *product = reading_next(reading);
    if (!name_is_free(reading, product, "the product")) return;
    reading->at++;
    token_name(reading, product, script->name);
    read_parameters(reading, product->place);
}
