/* From tokens to calls of functions. */
#include <string.h>

#include "models/base/nearest.h"
#include "models/scripts/reading.h"

/* What a function is. `takes` has a letter for each argument: n a number, d a date, a an asset, v a
 * loop variable, t one over dates, s a list. Others are FOLD, its body being of the type that it
 * gives; EITHER a fold or of numbers that stand in the call; SURVIVES. */
#define FOLD "fold"
#define EITHER "either"
#define SURVIVES "survives"

static const struct function {
    const char *takes;
    enum value_type gives;
    enum expression_kind kind, between; /* `between`: of two numbers, for EITHER */
} functions[N_WORDS] = {
    [WORD_ABS] = {"n", VALUE_NUMBER, EXPRESSION_ABS, 0},
    [WORD_EXP] = {"n", VALUE_NUMBER, EXPRESSION_EXP, 0},
    [WORD_LOG] = {"n", VALUE_NUMBER, EXPRESSION_LOG, 0},
    [WORD_SQRT] = {"n", VALUE_NUMBER, EXPRESSION_SQRT, 0},
    [WORD_NORMAL] = {"n", VALUE_NUMBER, EXPRESSION_NORMAL_CDF, 0},
    [WORD_SUM] = {FOLD, VALUE_NUMBER, EXPRESSION_SUM, 0},
    [WORD_PRODUCT] = {FOLD, VALUE_NUMBER, EXPRESSION_PRODUCT, 0},
    [WORD_MIN] = {EITHER, VALUE_NUMBER, EXPRESSION_FOLD_MIN, EXPRESSION_MIN},
    [WORD_MAX] = {EITHER, VALUE_NUMBER, EXPRESSION_FOLD_MAX, EXPRESSION_MAX},
    [WORD_MEAN] = {FOLD, VALUE_NUMBER, EXPRESSION_MEAN, 0},
    [WORD_COUNT] = {FOLD, VALUE_NUMBER, EXPRESSION_COUNT, 0},
    [WORD_ANY] = {FOLD, VALUE_FLAG, EXPRESSION_ANY, 0},
    [WORD_ALL] = {FOLD, VALUE_FLAG, EXPRESSION_ALL, 0},
    [WORD_SPOT] = {"a", VALUE_NUMBER, EXPRESSION_TODAY, 0},
    [WORD_SIZE] = {"s", VALUE_NUMBER, EXPRESSION_SIZE, 0},
    [WORD_YEARS] = {"dd", VALUE_NUMBER, EXPRESSION_YEARS, 0},
    [WORD_INDEX] = {"v", VALUE_NUMBER, EXPRESSION_INDEX, 0},
    [WORD_FIRST] = {"v", VALUE_FLAG, EXPRESSION_FIRST, 0},
    [WORD_LAST] = {"v", VALUE_FLAG, EXPRESSION_LAST, 0},
    [WORD_PREVIOUS] = {"td", VALUE_DATE, EXPRESSION_PREVIOUS, 0},
    [WORD_HIGHEST] = {"ad", VALUE_NUMBER, EXPRESSION_HIGHEST, 0},
    [WORD_LOWEST] = {"ad", VALUE_NUMBER, EXPRESSION_LOWEST, 0},
    [WORD_SURVIVES] = {SURVIVES, VALUE_NUMBER, EXPRESSION_SURVIVES, 0},
};

bool is_function(enum word word)
{
    return functions[word].takes;
}

void function_unknown(struct reading *reading, const struct token *token)
{
    char name[SCRIPT_NAME_MOST + 1], hint[HINT_ROOM];
    struct nearest nearest = {.wanted = token_name(reading, token, name)};
    for (int i = 0; i < N_WORDS; i++)
        if (functions[i].takes) nearest_try(&nearest, script_words[i].text);
    for (int i = 0; i < reading->script->n_parameters; i++)
        if (reading->script->symbols[i].kind == SYMBOL_ASSET)
            nearest_try(&nearest, reading->script->symbols[i].name);
    reading_complain(reading, token->place, "there is no function or asset '%s'%s", name,
                     nearest_hint(&nearest, hint));
}

/* ---- arguments by their letters */

/* Reads one argument into a child, or the symbol, of the call. */
static int read_argument(struct reading *reading, char letter, const char *function, int *symbol)
{
    const struct script *script = reading->script;
    struct script_place place = reading_next(reading)->place;
    if (letter == 's') {
        *symbol = read_set(reading);
        return -1;
    }
    int node = read_expression(reading), type = type_of(reading, node);
    if (reading->lost || type == VALUE_UNKNOWN) return node;
    int wanted = letter == 'n'   ? VALUE_NUMBER
                 : letter == 'a' ? VALUE_ASSET
                 : letter == 'v' ? type
                                 : VALUE_DATE;
    const struct script_expression *e = &script->expressions[node];
    if (type != wanted)
        reading_complain(reading, place, "%s takes %s here, not %s", function, type_name(wanted),
                         type_name(type));
    else if ((letter == 'v' || letter == 't') &&
             (e->kind != EXPRESSION_SYMBOL || script->symbols[e->symbol].kind != SYMBOL_LOOP))
        reading_complain(reading, place, "%s takes the variable of a loop here", function);
    return node;
}

static void read_arguments(struct reading *reading, const struct function *f, const char *name,
                           struct script_expression *call)
{
    int *children[] = {&call->a, &call->b};
    for (int i = 0; f->takes[i] && !reading->lost; i++) {
        if (i) reading_expect(reading, ',', "','");
        *children[i] = read_argument(reading, f->takes[i], name, &call->symbol);
    }
}

/* ---- folds */

/* Returns the `for` that stands in the brackets which begin at a token, outside inner ones; -1
 * where there is none. */
static int find_for(const struct reading *reading, int open)
{
    const struct token *tokens = reading->tokens;
    for (int i = open + 1; i < tokens[open].match; i++) {
        if (tokens[i].word == WORD_FOR) return i;
        if (tokens[i].match >= 0) i = tokens[i].match;
    }
    return -1;
}

/* Reads `BODY for NAME in SET where FLAG`: the variable first, which the body knows. */
static void read_fold(struct reading *reading, const struct function *f, int at_for,
                      struct script_expression *call)
{
    struct script_place place = reading_next(reading)->place;
    const struct script *script = reading->script;
    int body_at = reading->at;
    reading->at = at_for + 1;
    call->symbol = read_loop(reading);
    int behind = reading->at;
    if (reading->lost) return;
    reading->at = body_at;
    call->a = call->kind == EXPRESSION_COUNT ? read_expression(reading)
                                             : read_typed(reading, f->gives, "what is folded");
    if (!reading->lost && reading->at != at_for) reading_miss(reading, "'for'");
    reading->at = reading->lost ? reading->at : behind;
    if (reading_accept_word(reading, WORD_WHERE))
        call->b = read_typed(reading, VALUE_FLAG, "what follows 'where'");
    if (!reading->lost && call->kind == EXPRESSION_COUNT) {
        const struct script_expression *body = &script->expressions[call->a];
        if (body->kind != EXPRESSION_SYMBOL || body->symbol != call->symbol)
            if ((int)body->type != VALUE_UNKNOWN)
                reading_complain(reading, place,
                                 "'count' counts the variable itself: "
                                 "count(a for a in list where flag)");
        call->a = -1;
    }
    if (call->symbol >= 0) symbol_hide(reading, call->symbol);
}

/* Reads `x, y, ...` of min and max; the last pair is the call's. */
static void read_between(struct reading *reading, const struct function *f, const char *name,
                         struct script_expression *call)
{
    call->kind = f->between;
    call->a = read_argument(reading, 'n', name, NULL);
    if (!reading->lost && reading_next(reading)->kind == ')')
        reading_lose(reading, reading_next(reading),
                     "%s takes two numbers or more, or: x for a in list", name);
    reading_expect(reading, ',', "','");
    call->b = read_argument(reading, 'n', name, NULL);
    while (reading_accept(reading, ',')) {
        call->a = push_node(reading, *call);
        call->b = read_argument(reading, 'n', name, NULL);
    }
}

/* ---- survives */

static void read_survives(struct reading *reading, struct script_expression *call)
{
    static const char *const names[] = {"lower", "upper", "until"};
    static const char letters[] = {'n', 'n', 'd'};
    int *children[] = {&call->b, &call->c, &call->d};
    call->a = read_argument(reading, 'a', "'survives'", NULL);
    while (reading_accept(reading, ',')) {
        const struct token *token = reading_next(reading);
        char name[SCRIPT_NAME_MOST + 1];
        int i = 0;
        while (i < 3 && strcmp(names[i], token_name(reading, token, name))) i++;
        if (i == 3 || *children[i] >= 0) {
            reading_lose(reading, token,
                         "after its asset 'survives' takes 'lower = ', 'upper = ' and 'until = ', "
                         "each once");
            return;
        }
        reading->at++;
        reading_expect(reading, '=', "'='");
        *children[i] = read_argument(reading, letters[i], "'survives'", NULL);
        if (reading->lost) return;
    }
    if (call->d < 0 || (call->b < 0 && call->c < 0))
        reading_lose(reading, reading_next(reading),
                     "'survives' takes 'until = date', and 'lower = ' or 'upper = ' or both");
}

int read_call(struct reading *reading)
{
    const struct token token = reading->tokens[reading->at++];
    const struct function *f = &functions[token.word];
    char name[TOKEN_ROOM];
    struct script_expression call = node_of(f->kind, f->gives, token.place);
    int open = reading->at, at_for;
    token_text(reading, &token, name);
    if (!reading_accept(reading, '(')) {
        reading_lose(reading, &token, "%s is a function; its arguments follow in ( )", name);
        return -1;
    }
    if (f->kind == EXPRESSION_SURVIVES) read_survives(reading, &call);
    else if (strlen(f->takes) <= 2) read_arguments(reading, f, name, &call);
    else if ((at_for = find_for(reading, open)) >= 0) read_fold(reading, f, at_for, &call);
    else if (!strcmp(f->takes, EITHER)) read_between(reading, f, name, &call);
    else reading_lose(reading, &token, "%s takes: x for a in list, perhaps with: where flag", name);
    reading_expect(reading, ')', "')'");
    if (call.kind == EXPRESSION_HIGHEST || call.kind == EXPRESSION_LOWEST ||
        call.kind == EXPRESSION_SURVIVES)
        check_dated(reading, token.place);
    return push_node(reading, call);
}
