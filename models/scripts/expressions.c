/* From tokens to expressions: operators by their levels, and atoms. calls.c reads functions. */
#include <math.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/scripts/reading.h"

int push_node(struct reading *reading, struct script_expression node)
{
    struct script *script = reading->script;
    int n = script->n_expressions, children[] = {node.a, node.b, node.c, node.d}, height = 0;
    if (reading->lost) return -1;
    if (grow_array(&script->expressions, &reading->expression_room, n + 1,
                   sizeof *script->expressions) ||
        grow_array(&reading->heights, &reading->height_room, n + 1, sizeof *reading->heights)) {
        reading_exhausted(reading);
        return -1;
    }
    for (int i = 0; i < 4; i++)
        if (children[i] >= 0 && reading->heights[children[i]] > height)
            height = reading->heights[children[i]];
    script->expressions[n] = node;
    reading->heights[n] = height + 1;
    if (height >= SCRIPT_TERMS_MOST) {
        reading_complain(reading, node.place,
                         "an expression has at most %d operations in a row; give parts of it names",
                         SCRIPT_TERMS_MOST);
        reading->lost = true;
        return -1;
    }
    return script->n_expressions++;
}

int push_unknown(struct reading *reading, struct script_place place)
{
    return push_node(reading, node_of(EXPRESSION_NUMBER, VALUE_UNKNOWN, place));
}

static int push_ab(struct reading *reading, enum expression_kind kind, int type,
                   struct script_place place, int a, int b)
{
    struct script_expression node = node_of(kind, type, place);
    node.a = a;
    node.b = b;
    return push_node(reading, node);
}

static int push_leaf(struct reading *reading, enum expression_kind kind, int type,
                     struct script_place place, int symbol, double number)
{
    struct script_expression node = node_of(kind, type, place);
    node.symbol = symbol;
    node.number = number;
    return push_node(reading, node);
}

/* ---- operators */

/* Levels of operators, weakest first; those of one level go from left to right, ^ from right. */
enum level {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_ADD,
    LEVEL_MULTIPLY,
    LEVEL_NEGATE,
    LEVEL_POWER
};

static const struct operator_row {
    int token;
    enum word word;
    enum level level;
    enum expression_kind kind;
    enum value_type takes, gives; /* comparisons take two dates as well */
} operators[] = {
    {0, WORD_OR, LEVEL_OR, EXPRESSION_OR, VALUE_FLAG, VALUE_FLAG},
    {0, WORD_AND, LEVEL_AND, EXPRESSION_AND, VALUE_FLAG, VALUE_FLAG},
    {'<', 0, LEVEL_COMPARE, EXPRESSION_LESS, VALUE_NUMBER, VALUE_FLAG},
    {TOKEN_LESS_EQUAL, 0, LEVEL_COMPARE, EXPRESSION_LESS_EQUAL, VALUE_NUMBER, VALUE_FLAG},
    {'>', 0, LEVEL_COMPARE, EXPRESSION_GREATER, VALUE_NUMBER, VALUE_FLAG},
    {TOKEN_GREATER_EQUAL, 0, LEVEL_COMPARE, EXPRESSION_GREATER_EQUAL, VALUE_NUMBER, VALUE_FLAG},
    {TOKEN_EQUAL, 0, LEVEL_COMPARE, EXPRESSION_EQUAL, VALUE_NUMBER, VALUE_FLAG},
    {TOKEN_NOT_EQUAL, 0, LEVEL_COMPARE, EXPRESSION_NOT_EQUAL, VALUE_NUMBER, VALUE_FLAG},
    {'+', 0, LEVEL_ADD, EXPRESSION_ADD, VALUE_NUMBER, VALUE_NUMBER},
    {'-', 0, LEVEL_ADD, EXPRESSION_SUBTRACT, VALUE_NUMBER, VALUE_NUMBER},
    {'*', 0, LEVEL_MULTIPLY, EXPRESSION_MULTIPLY, VALUE_NUMBER, VALUE_NUMBER},
    {'/', 0, LEVEL_MULTIPLY, EXPRESSION_DIVIDE, VALUE_NUMBER, VALUE_NUMBER},
    {'^', 0, LEVEL_POWER, EXPRESSION_POWER, VALUE_NUMBER, VALUE_NUMBER},
};

static const struct operator_row *operator_at(const struct reading *reading)
{
    const struct token *token = reading_next(reading);
    if (reading->lost || token->kind == TOKEN_LINE) return NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].token ? operators[i].token == token->kind
                               : operators[i].word == token->word)
            return &operators[i];
    return NULL;
}

/* Returns the choice whose value an expression is, -1 where it is none. */
static int choice_of(const struct reading *reading, int node)
{
    const struct script_expression *e = &reading->script->expressions[node];
    bool named = e->kind == EXPRESSION_SYMBOL || e->kind == EXPRESSION_ELEMENT;
    return named && reading->script->symbols[e->symbol].kind == SYMBOL_CHOICE ? e->symbol : -1;
}

/* Makes a word the number that it is in a choice which it is compared with. */
static void settle_word(struct reading *reading, int word, int choice)
{
    struct script *script = reading->script;
    struct script_expression *e = &script->expressions[word];
    char name[SCRIPT_NAME_MOST + 1];
    if (type_of(reading, word) != VALUE_WORD || choice < 0) return;
    int i = word_find(reading, token_name(reading, &reading->tokens[e->symbol], name), choice);
    if (i < 0 && script->symbols[choice].n_words) /* of none: that was told before */
        reading_complain(reading, e->place, "'%s' is no word of '%s', whose first is '%s'", name,
                         script->symbols[choice].name,
                         script->words[script->symbols[choice].first_word]);
    e->type = i < 0 ? (enum value_type)VALUE_UNKNOWN : VALUE_NUMBER;
    e->number = i;
    e->symbol = -1;
}

/* Complains where two sides do not suit an operator. */
static void check_sides(struct reading *reading, const struct operator_row *row,
                        const struct token *sign, int left, int right)
{
    char text[TOKEN_ROOM];
    if (reading->lost) return;
    token_text(reading, sign, text);
    if (row->kind == EXPRESSION_EQUAL || row->kind == EXPRESSION_NOT_EQUAL) {
        int of_left = choice_of(reading, left), of_right = choice_of(reading, right);
        settle_word(reading, left, of_right);
        settle_word(reading, right, of_left);
        if (of_left >= 0 && of_right >= 0 && of_left != of_right)
            reading_complain(reading, sign->place,
                             "two choices are compared; compare a choice with its words");
    }
    int a = type_of(reading, left), b = type_of(reading, right);
    bool dates = row->level == LEVEL_COMPARE && a == VALUE_DATE && b == VALUE_DATE;
    if (a == VALUE_UNKNOWN || b == VALUE_UNKNOWN || dates) return;
    if (row->level == LEVEL_COMPARE && a == VALUE_FLAG && b == VALUE_FLAG)
        reading_complain(
            reading, sign->place,
            "%s compares numbers or dates; of flags write 'a and b', 'a or b', 'not a'", text);
    else if (a != (int)row->takes || b != (int)row->takes)
        reading_complain(reading, sign->place, "%s takes two %s, not %s and %s", text,
                         row->takes == VALUE_FLAG      ? "flags"
                         : row->level == LEVEL_COMPARE ? "numbers or two dates"
                                                       : "numbers",
                         type_name(a), type_name(b));
}

static int read_binary(struct reading *reading, enum level least);

/* Reads the operand of a sign before it. */
static int read_before(struct reading *reading, enum expression_kind kind, enum value_type type,
                       enum level level)
{
    const struct token sign = reading->tokens[reading->at++];
    char text[TOKEN_ROOM];
    if (!reading_enter(reading)) return -1;
    int operand = read_binary(reading, level), found = type_of(reading, operand);
    if (!reading->lost && found != (int)type && found != VALUE_UNKNOWN)
        reading_complain(reading, sign.place, "%s takes %s, not %s",
                         token_text(reading, &sign, text), type_name(type), type_name(found));
    reading_leave(reading);
    return push_ab(reading, kind, type, sign.place, operand, -1);
}

static int read_operand(struct reading *reading)
{
    if (reading_next(reading)->word == WORD_NOT)
        return read_before(reading, EXPRESSION_NOT, VALUE_FLAG, LEVEL_NOT);
    if (reading_next(reading)->kind == '-')
        return read_before(reading, EXPRESSION_NEGATE, VALUE_NUMBER, LEVEL_POWER);
    return read_atom(reading);
}

/* Reads what follows ^, which is another power perhaps. */
static int read_power(struct reading *reading)
{
    if (!reading_enter(reading)) return -1;
    int right = read_binary(reading, LEVEL_POWER);
    reading_leave(reading);
    return right;
}

/* Reads operators of a level and above. */
static int read_binary(struct reading *reading, enum level least)
{
    int left = read_operand(reading), right;
    const struct operator_row *row;
    bool compared = false;
    while ((row = operator_at(reading)) && row->level >= least) {
        const struct token sign = reading->tokens[reading->at++];
        if (row->level == LEVEL_COMPARE && compared) {
            reading_lose(reading, &sign, "comparisons are not chained; join two of them by 'and'");
            return -1;
        }
        compared = row->level == LEVEL_COMPARE;
        if (row->level == LEVEL_POWER) right = read_power(reading);
        else right = read_binary(reading, row->level + 1);
        check_sides(reading, row, &sign, left, right);
        left = push_ab(reading, row->kind, row->gives, sign.place, left, right);
    }
    return left;
}

/* Reads `x if c else y` after x. */
static int read_else(struct reading *reading, int value)
{
    const struct token sign = reading->tokens[reading->at++];
    int condition = read_binary(reading, LEVEL_OR);
    int type = type_of(reading, value), found = type_of(reading, condition);
    if (!reading->lost && found != VALUE_FLAG && found != VALUE_UNKNOWN)
        reading_complain(reading, sign.place, "what follows 'if' is a flag, not %s",
                         type_name(found));
    if (!reading_accept_word(reading, WORD_ELSE)) reading_miss(reading, "'else'");
    int otherwise = read_expression(reading);
    int other = type_of(reading, otherwise);
    if (type == VALUE_UNKNOWN) type = other;
    if (!reading->lost && other != type && other != VALUE_UNKNOWN)
        reading_complain(reading, sign.place,
                         "both sides of 'if' are numbers, or flags, not %s and %s", type_name(type),
                         type_name(other));
    else if (!reading->lost && type != VALUE_NUMBER && type != VALUE_FLAG && type != VALUE_UNKNOWN)
        reading_complain(reading, sign.place,
                         "'if' chooses between two numbers or two flags; this is %s",
                         type_name(type));
    struct script_expression node = node_of(EXPRESSION_IF, type, sign.place);
    node.a = condition;
    node.b = value;
    node.c = otherwise;
    return push_node(reading, node);
}

int read_expression(struct reading *reading)
{
    if (reading->lost || !reading_enter(reading)) return -1;
    int node = read_binary(reading, LEVEL_OR);
    if (!reading->lost && reading_next(reading)->word == WORD_IF) node = read_else(reading, node);
    if (!reading->lost && reading_next(reading)->kind == '=')
        reading_lose(reading, reading_next(reading), "'=' assigns; write '==' to compare");
    reading_leave(reading);
    return reading->lost ? -1 : node;
}

int read_typed(struct reading *reading, int type, const char *what)
{
    struct script_place place = reading_next(reading)->place;
    int node = read_expression(reading), found = type_of(reading, node);
    if (!reading->lost && found != type && found != VALUE_UNKNOWN)
        reading_complain(reading, place, "%s is %s, not %s", what, type_name(type),
                         type_name(found));
    return node;
}

/* ---- names */

int read_subscript(struct reading *reading, int symbol, int *over)
{
    const struct script *script = reading->script;
    char name[SCRIPT_NAME_MOST + 1];
    reading_expect(reading, '[', "'['");
    const struct token *token = reading_next(reading);
    const struct token *wrong = token->kind == TOKEN_NAME ? token + 1 : token;
    if (wrong->kind != ']' || wrong == token) {
        reading_lose(reading, wrong,
                     "in [ ] stands the variable of a loop, or a date of the header, and no more");
        return -1;
    }
    reading->at += 2;
    int i = symbol_find(reading, token_name(reading, token, name));
    if (i < 0) {
        name_unknown(reading, token, NULL);
        return -1;
    }
    const struct script_symbol *s = &script->symbols[i];
    if ((int)s->type == VALUE_UNKNOWN) return -1;
    int set = symbol < 0 ? s->kind == SYMBOL_LOOP ? s->over : -1 : script->symbols[symbol].over;
    bool fits = set >= 0 && (s->kind == SYMBOL_LOOP ? s->over == set
                                                    : s->kind == SYMBOL_DATE &&
                                                          script->symbols[set].type == VALUE_DATE);
    *over = set;
    if (fits) return push_leaf(reading, EXPRESSION_SYMBOL, s->type, token->place, i, 0.0);
    if (set < 0)
        reading_complain(reading, token->place,
                         "a new list needs the variable of a loop as its subscript, not '%s'",
                         name);
    else
        reading_complain(reading, token->place,
                         "'%s' has a value for each of '%s', of which '%s' is none",
                         script->symbols[symbol].name, script->symbols[set].name, name);
    return -1;
}

void check_dated(struct reading *reading, struct script_place place)
{
    if (reading->declaring && !reading->lost)
        reading_complain(reading, place,
                         "a declaration stands before any date; spot(asset) is the spot of today");
}

/* Reads the spot of an asset after its name. */
static int read_spot(struct reading *reading, int symbol, struct script_place place)
{
    reading->at++;
    int asset = push_leaf(reading, EXPRESSION_SYMBOL, VALUE_ASSET, place, symbol, 0.0);
    int date = read_typed(reading, VALUE_DATE, "what a spot is taken at");
    reading_expect(reading, ')', "')'");
    check_dated(reading, place);
    return push_ab(reading, EXPRESSION_SPOT, VALUE_NUMBER, place, asset, date);
}

/* Complains of a name that cannot stand for one value as it is written; true where it can. */
static bool is_one_value(struct reading *reading, const struct token *token, int symbol)
{
    const struct script_symbol *symbols = reading->script->symbols, *s = &symbols[symbol];
    bool brackets = reading_next(reading)->kind == '[';
    if (reading_next(reading)->kind == '(')
        reading_complain(reading, token->place, "'%s' is %s, neither a function nor an asset",
                         s->name, is_set(reading, symbol) ? "a list" : type_name(s->type));
    else if (is_set(reading, symbol))
        reading_complain(reading, token->place,
                         "'%s' is a list; take each of it by 'for' or 'each'", s->name);
    else if (brackets && (s->over < 0 || s->kind == SYMBOL_LOOP))
        reading_complain(reading, token->place, "'%s' is no list; it has no subscript", s->name);
    else if (s->over >= 0 && !brackets && s->kind != SYMBOL_LOOP)
        reading_complain(reading, token->place,
                         "'%s' has a value for each of '%s'; say which in [ ]", s->name,
                         symbols[s->over].name);
    else if (s->kind == SYMBOL_STATE && reading->declaring)
        reading_complain(reading, token->place,
                         "a declaration reads the parameters only, and '%s' is none", s->name);
    else return true;
    return false;
}

static int read_name(struct reading *reading)
{
    const struct token token = reading->tokens[reading->at++];
    char name[SCRIPT_NAME_MOST + 1];
    const struct script *script = reading->script;
    int symbol = symbol_find(reading, token_name(reading, &token, name)), over;
    int next = reading_next(reading)->kind;
    if (symbol < 0) {
        if (choice_find(reading, name) >= 0) {
            int word = reading->at - 1; /* its token, until it is settled */
            return push_leaf(reading, EXPRESSION_NUMBER, VALUE_WORD, token.place, word, 0.0);
        }
        if (next == '(') function_unknown(reading, &token);
        else name_unknown(reading, &token, NULL);
    } else if ((int)script->symbols[symbol].type != VALUE_UNKNOWN) {
        const struct script_symbol *s = &script->symbols[symbol];
        if (next == '(' && s->type == VALUE_ASSET && s->kind != SYMBOL_ASSETS)
            return read_spot(reading, symbol, token.place);
        if (is_one_value(reading, &token, symbol)) {
            if (next != '[')
                return push_leaf(reading, EXPRESSION_SYMBOL, s->type, token.place, symbol, 0.0);
            struct script_expression node = node_of(EXPRESSION_ELEMENT, s->type, token.place);
            node.symbol = symbol;
            node.a = read_subscript(reading, symbol, &over);
            return node.a < 0 ? push_unknown(reading, token.place) : push_node(reading, node);
        }
    }
    reading_skip_brackets(reading);
    return push_unknown(reading, token.place);
}

int read_atom(struct reading *reading)
{
    const struct token *token = reading_next(reading);
    if (reading->lost) return -1;
    if (reading_accept(reading, TOKEN_NUMBER))
        return push_leaf(reading, EXPRESSION_NUMBER, VALUE_NUMBER, token->place, -1, token->number);
    if (reading_accept_word(reading, WORD_INF))
        return push_leaf(reading, EXPRESSION_NUMBER, VALUE_NUMBER, token->place, -1, HUGE_VAL);
    if (token->word == WORD_TRUE || token->word == WORD_FALSE) {
        reading->at++;
        return push_leaf(reading, EXPRESSION_FLAG, VALUE_FLAG, token->place, -1,
                         token->word == WORD_TRUE);
    }
    if (reading_accept(reading, '(')) {
        int node = read_expression(reading);
        reading_expect(reading, ')', "')'");
        return node;
    }
    if (is_function(token->word)) return read_call(reading);
    if (token->kind == TOKEN_NAME && !script_words[token->word].reserved) return read_name(reading);
    reading_miss(reading, "a value");
    return -1;
}
