/* From tokens to calls of functions. */
#include <string.h>

#include "models/market/days.h"
#include "models/scripts/reading.h"

/* Reads one argument into a child, or the symbol, of the call. */
static int read_argument(struct reading *reading, char letter, int *symbol)
{
    const struct script *script = reading->script;
    struct script_place place = reading_next(reading)->place;
    if (letter == 's') {
        *symbol = read_set(reading);
        return -1;
    }
    int node = letter == 'v'   ? read_expression(reading)
               : letter == 'n' ? read_typed(reading, VALUE_NUMBER, "the argument")
               : letter == 'a' ? read_typed(reading, VALUE_ASSET, "the argument")
                               : read_typed(reading, VALUE_DATE, "the argument");
    if (reading->lost || (letter != 'v' && letter != 't')) return node;
    const struct script_expression *e = &script->expressions[node];
    if (e->kind != EXPRESSION_SYMBOL || script->symbols[e->symbol].kind != SYMBOL_LOOP)
        reading_lose(reading, place, "the argument is the variable of a loop");
    return node;
}

/* Reads a day count, a word like 30/360 that is no expression. */
static int read_day_count(struct reading *reading)
{
    const struct token *from = reading_next(reading), *to = from + 2;
    const char *text = reading->script->text + from->at, *word = day_count_words;
    bool three = from[0].kind != ')' && from[1].kind == '/';
    size_t length = three ? (size_t)(to->at + to->length - from->at) : 0;
    for (int count = 0; length; count++) {
        size_t n = strcspn(word, " ");
        if (n == length && !strncmp(word, text, n)) {
            reading->at += 3;
            return count;
        }
        if (!word[n]) break;
        word += n + 1;
    }
    return reading_miss(reading, "a day count, ACT/360, 30/360 or ACT/ACT (none is ACT/365F),");
}

static void read_arguments(struct reading *reading, const char *takes,
                           struct script_expression *call)
{
    int *children[] = {&call->a, &call->b};
    for (int i = 0; takes[i] && !reading->lost; i++) {
        if (takes[i] == 'c') {
            if (reading_accept(reading, ',')) call->number = read_day_count(reading);
            break;
        }
        if (i) reading_expect(reading, ',');
        *children[i] = read_argument(reading, takes[i], &call->symbol);
    }
}

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
static void read_fold(struct reading *reading, int at_for, struct script_expression *call)
{
    struct script_place place = reading_next(reading)->place;
    bool counts = call->kind == EXPRESSION_COUNT;
    int body_at = reading->at;
    reading->at = at_for + 1;
    call->symbol = read_loop(reading);
    int behind = reading->at;
    reading->at = body_at;
    call->a = counts ? read_expression(reading) : read_typed(reading, call->type, "what is folded");
    if (!reading->lost && reading->at != at_for) reading_miss(reading, "'for'");
    if (counts && !reading->lost) {
        const struct script_expression *body = &reading->script->expressions[call->a];
        if (body->kind != EXPRESSION_SYMBOL || body->symbol != call->symbol)
            reading_lose(reading, place,
                         "'count' counts the variable itself: count(a for a in list where flag)");
        call->a = -1;
    }
    reading->at = behind;
    if (reading_accept_word(reading, WORD_WHERE))
        call->b = read_typed(reading, VALUE_FLAG, "what follows 'where'");
    if (call->symbol >= 0) reading->hidden[call->symbol] = true;
}

/* Reads `x, y, ...` of min and max; the last pair is the call's. */
static void read_between(struct reading *reading, struct script_expression *call)
{
    call->kind = call->kind == EXPRESSION_FOLD_MIN ? EXPRESSION_MIN : EXPRESSION_MAX;
    read_arguments(reading, "nn", call);
    while (reading_accept(reading, ',')) {
        call->a = push_node(reading, *call);
        call->b = read_argument(reading, 'n', NULL);
    }
}

/* Reads named arguments of what is watched, each once: the first n of `from`, `until`, `lower` and
 * `upper`. */
static void read_named(struct reading *reading, int n, struct script_expression *call)
{
    static const char *const names[] = {"'from'", "'until'", "'lower'", "'upper'"};
    int *children[] = {&call->from, &call->d, &call->b, &call->c};
    while (reading_accept(reading, ',')) {
        const char *name = token_text(reading, reading_next(reading));
        int i = 0;
        while (i < n && (strcmp(names[i], name) || *children[i] >= 0)) i++;
        if (i == n) break;
        reading->at++;
        reading_expect(reading, '=');
        *children[i] = read_argument(reading, i < 2 ? 'd' : 'n', NULL);
    }
}

static void read_watched(struct reading *reading, struct script_expression *call)
{
    bool survives = call->kind == EXPRESSION_SURVIVES;
    if (survives) call->a = read_argument(reading, 'a', NULL);
    else read_arguments(reading, "ad", call);
    read_named(reading, survives ? 4 : 1, call);
    bool complete = !survives || (call->d >= 0 && (call->b >= 0 || call->c >= 0));
    if (reading_next(reading)->kind != ')' || !complete)
        reading_miss(reading, survives ? "after the asset 'until = date', and 'lower = ' or 'upper "
                                         "= ' or both, and perhaps 'from = date', each once,"
                                       : "')', or ', from = date)',");
}

int read_call(struct reading *reading)
{
    const struct token *token = &reading->tokens[reading->at++];
    const struct script_word *f = &script_words[token->word];
    struct script_expression call = node_of(f->kind, f->gives, token->place);
    int at_for = find_for(reading, reading->at);
    reading_expect(reading, '(');
    if (f->takes[0] == 'w') read_watched(reading, &call);
    else if (f->takes[0] != 'f') read_arguments(reading, f->takes, &call);
    else if (at_for >= 0) read_fold(reading, at_for, &call);
    else if (f->takes[1]) read_between(reading, &call);
    else
        reading_lose(reading, token->place, "'%s' takes: x for a in list, perhaps with: where flag",
                     f->text);
    reading_expect(reading, ')');
    return push_node(reading, call);
}
