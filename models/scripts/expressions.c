/* From tokens to expressions: operators by their levels, and atoms. calls.c reads functions. */
#include <math.h>

#include "models/scripts/reading.h"

struct script_expression node_of(enum expression_kind kind, int type, struct script_place place)
{
    return (struct script_expression){.kind = kind,
                                      .type = (enum value_type)type,
                                      .place = place,
                                      .a = -1,
                                      .b = -1,
                                      .c = -1,
                                      .d = -1,
                                      .from = -1,
                                      .symbol = -1};
}

int push_node(struct reading *reading, struct script_expression node)
{
    struct script *script = reading->script;
    int n = script->n_expressions, children[] = {node.a, node.b, node.c, node.d, node.from};
    bool state = node.symbol >= 0 && script->symbols[node.symbol].kind == SYMBOL_STATE;
    if (reading->lost) return -1;
    if (reading->declaring &&
        (state || node.kind == EXPRESSION_SPOT || node.kind >= EXPRESSION_HIGHEST))
        return reading_lose(reading, node.place,
                            "a declaration reads parameters alone, and the spots of today: "
                            "spot(asset)");
    for (int i = 0; i < 5; i++)
        if (children[i] >= 0 && script->expressions[children[i]].height > node.height)
            node.height = script->expressions[children[i]].height;
    if (++node.height > SCRIPT_TERMS_MOST)
        return reading_limit(reading, node.place, SCRIPT_TERMS_MOST,
                             "operations in a row; give parts of it names");
    if (!reading_grow(reading, &script->expressions, &reading->expression_room, n)) return -1;
    script->expressions[n] = node;
    if (node.symbol >= 0) script->symbols[node.symbol].read = true;
    return script->n_expressions++;
}

static int push_ab(struct reading *reading, enum expression_kind kind, int type,
                   struct script_place place, int a, int b)
{
    struct script_expression node = node_of(kind, type, place);
    node.a = a;
    node.b = b;
    return push_node(reading, node);
}

static int push_number(struct reading *reading, int type, struct script_place place, double number)
{
    struct script_expression node =
        node_of(type == VALUE_FLAG ? EXPRESSION_FLAG : EXPRESSION_NUMBER, type, place);
    node.number = number;
    return push_node(reading, node);
}

static int push_symbol(struct reading *reading, struct script_place place, int symbol)
{
    struct script_expression node =
        node_of(EXPRESSION_SYMBOL, reading->script->symbols[symbol].type, place);
    node.symbol = symbol;
    return push_node(reading, node);
}

/* Loses the statement where an expression is not of a type; returns the expression. */
static int check_type(struct reading *reading, struct script_place place, int node, int type,
                      const char *what)
{
    int found = type_of(reading, node);
    if (found != type && found != VALUE_UNKNOWN)
        reading_lose(reading, place, "%s is %s, not %s", what, type_name(type), type_name(found));
    return node;
}

int read_typed(struct reading *reading, int type, const char *what)
{
    struct script_place place = reading_next(reading)->place;
    return check_type(reading, place, read_expression(reading), type, what);
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
    {'<' + OR_EQUAL, 0, LEVEL_COMPARE, EXPRESSION_LESS_EQUAL, VALUE_NUMBER, VALUE_FLAG},
    {'>', 0, LEVEL_COMPARE, EXPRESSION_GREATER, VALUE_NUMBER, VALUE_FLAG},
    {'>' + OR_EQUAL, 0, LEVEL_COMPARE, EXPRESSION_GREATER_EQUAL, VALUE_NUMBER, VALUE_FLAG},
    {'=' + OR_EQUAL, 0, LEVEL_COMPARE, EXPRESSION_EQUAL, VALUE_NUMBER, VALUE_FLAG},
    {'!' + OR_EQUAL, 0, LEVEL_COMPARE, EXPRESSION_NOT_EQUAL, VALUE_NUMBER, VALUE_FLAG},
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
    int symbol = reading->script->expressions[node].symbol;
    return symbol >= 0 && reading->script->symbols[symbol].kind == SYMBOL_CHOICE ? symbol : -1;
}

/* Makes a word the number that it is in a choice which it is compared with. */
static void settle_word(struct reading *reading, int word, int other, struct script_place place)
{
    struct script *script = reading->script;
    struct script_expression *e = &script->expressions[word];
    int choice = choice_of(reading, other), word_choice = choice_of(reading, word);
    if (choice >= 0 && word_choice >= 0 && choice != word_choice)
        reading_lose(reading, place, "two choices are compared; compare a choice with its words");
    if (choice < 0 || type_of(reading, word) != VALUE_WORD) return;
    const struct token *token = &reading->tokens[(int)e->number];
    e->type = VALUE_NUMBER;
    e->number = word_find(reading, token, choice);
    if (e->number < 0.0)
        reading_lose(reading, token->place, "%s is no word of '%s'", token_text(reading, token),
                     script->symbols[choice].name);
}

/* Loses the statement where two sides do not suit an operator. */
static void check_sides(struct reading *reading, const struct operator_row *row,
                        const struct token *sign, int left, int right)
{
    if (reading->lost) return;
    if (row->kind == EXPRESSION_EQUAL || row->kind == EXPRESSION_NOT_EQUAL) {
        settle_word(reading, left, right, sign->place);
        settle_word(reading, right, left, sign->place);
    }
    int a = type_of(reading, left), b = type_of(reading, right);
    bool compares = row->level == LEVEL_COMPARE;
    if (a == VALUE_UNKNOWN || b == VALUE_UNKNOWN) return;
    if (a != b || (a != (int)row->takes && !(compares && a == VALUE_DATE)))
        reading_lose(reading, sign->place, "%s takes two %s, not %s and %s",
                     token_text(reading, sign),
                     row->takes == VALUE_FLAG ? "flags"
                     : compares               ? "numbers or two dates"
                                              : "numbers",
                     type_name(a), type_name(b));
}

static int read_binary(struct reading *reading, enum level least);
static int read_atom(struct reading *reading);

/* Reads operators of a level and above, one deeper. */
static int read_deeper(struct reading *reading, enum level least)
{
    if (!reading_enter(reading)) return -1;
    int node = read_binary(reading, least);
    reading->depth--;
    return node;
}

static int read_operand(struct reading *reading)
{
    const struct token *sign = reading_next(reading);
    bool not = reading_accept_word(reading, WORD_NOT);
    if (!not &&!reading_accept(reading, '-')) return read_atom(reading);
    int type = not ? VALUE_FLAG : VALUE_NUMBER;
    int operand = read_deeper(reading, not ? LEVEL_NOT : LEVEL_POWER);
    check_type(reading, sign->place, operand, type,
               not ? "the operand of 'not'" : "the operand of '-'");
    return push_ab(reading, not ? EXPRESSION_NOT : EXPRESSION_NEGATE, type, sign->place, operand,
                   -1);
}

/* Reads operators of a level and above. */
static int read_binary(struct reading *reading, enum level least)
{
    int left = read_operand(reading), right;
    const struct operator_row *row;
    bool compared = false;
    while ((row = operator_at(reading)) && row->level >= least) {
        const struct token *sign = &reading->tokens[reading->at++];
        bool compares = row->level == LEVEL_COMPARE;
        if (compares && compared)
            return reading_lose(reading, sign->place,
                                "comparisons are not chained; join two of them by 'and'");
        compared = compares;
        if (row->level == LEVEL_POWER) right = read_deeper(reading, LEVEL_POWER);
        else right = read_binary(reading, row->level + 1);
        check_sides(reading, row, sign, left, right);
        left = push_ab(reading, row->kind, row->gives, sign->place, left, right);
    }
    return left;
}

/* Reads `x if c else y` after x. */
static int read_else(struct reading *reading, int value)
{
    struct script_place place = reading->tokens[reading->at++].place;
    int condition = read_binary(reading, LEVEL_OR), type = type_of(reading, value);
    check_type(reading, place, condition, VALUE_FLAG, "what follows 'if'");
    if (!reading_accept_word(reading, WORD_ELSE)) reading_miss(reading, "'else'");
    int otherwise = read_expression(reading), other = type_of(reading, otherwise);
    if (type == VALUE_UNKNOWN) type = other;
    if (other == VALUE_UNKNOWN) other = type;
    if (type != VALUE_UNKNOWN && (other != type || (type != VALUE_NUMBER && type != VALUE_FLAG)))
        reading_lose(reading, place, "both sides of 'if' are numbers, or flags, not %s and %s",
                     type_name(type), type_name(other));
    struct script_expression node = node_of(EXPRESSION_IF, type, place);
    node.a = condition;
    node.b = value;
    node.c = otherwise;
    return push_node(reading, node);
}

int read_expression(struct reading *reading)
{
    if (!reading_enter(reading)) return -1;
    int node = read_binary(reading, LEVEL_OR);
    if (reading_next(reading)->word == WORD_IF && !reading->lost) node = read_else(reading, node);
    if (reading_next(reading)->kind == '=')
        reading_lose(reading, reading_next(reading)->place, "'=' assigns; write '==' to compare");
    reading->depth--;
    return reading->lost ? -1 : node;
}

/* ---- names */

void check_subscript(struct reading *reading, const struct token *name, int symbol)
{
    const struct script_symbol *symbols = reading->script->symbols, *s = &symbols[symbol];
    bool brackets = reading_next(reading)->kind == '[';
    if (brackets == (s->over >= 0 && s->kind != SYMBOL_LOOP)) return;
    if (brackets)
        reading_lose(reading, name->place, "'%s' is no list; it has no subscript", s->name);
    else
        reading_lose(reading, name->place, "'%s' has a value for each of '%s'; say which in [ ]",
                     s->name, symbols[s->over].name);
}

int read_subscript(struct reading *reading, int over)
{
    const struct script_symbol *symbols = reading->script->symbols;
    reading_expect(reading, '[');
    const struct token *token = reading_next(reading);
    if (!reading_accept(reading, TOKEN_NAME))
        return reading_miss(reading, "the variable of a loop");
    int i = symbol_known(reading, token);
    if (i < 0) return -1;
    bool loop = symbols[i].kind == SYMBOL_LOOP && (over < 0 || symbols[i].over == over);
    bool date = over >= 0 && symbols[over].type == VALUE_DATE && symbols[i].kind == SYMBOL_DATE &&
                symbols[i].over < 0;
    if (!loop && !date)
        reading_lose(reading, token->place, "in [ ] stands the variable of a loop%s%s, not %s",
                     over < 0 ? "" : " over ", over < 0 ? "" : symbols[over].name,
                     token_text(reading, token));
    reading_expect(reading, ']');
    return push_symbol(reading, token->place, i);
}

/* Reads what begins with a name. */
static int read_symbol(struct reading *reading)
{
    const struct script *script = reading->script;
    const struct token *token = &reading->tokens[reading->at++];
    int symbol = symbol_find(reading, token), next = reading_next(reading)->kind;
    if (symbol < 0 && choice_find(reading, token) >= 0) /* the token, until it is settled */
        return push_number(reading, VALUE_WORD, token->place, reading->at - 1);
    if (symbol < 0 || next == '(' || next == '[') symbol = symbol_known(reading, token);
    if (symbol < 0) return -1;
    const struct script_symbol *s = &script->symbols[symbol];
    if (is_set(reading, symbol))
        return reading_lose(reading, token->place,
                            "'%s' is a list; take each of it by 'for' or 'each'", s->name);
    if (next == '(' && s->type != VALUE_ASSET)
        return reading_lose(reading, token->place, "'%s' is %s, neither a function nor an asset",
                            s->name, type_name(s->type));
    check_subscript(reading, token, symbol);
    if (next == '[') {
        struct script_expression node = node_of(EXPRESSION_ELEMENT, s->type, token->place);
        node.symbol = symbol;
        node.a = read_subscript(reading, s->over);
        return push_node(reading, node);
    }
    int node = push_symbol(reading, token->place, symbol);
    if (!reading_accept(reading, '(')) return node;
    int date = read_typed(reading, VALUE_DATE, "what a spot is taken at");
    reading_expect(reading, ')');
    return push_ab(reading, EXPRESSION_SPOT, VALUE_NUMBER, token->place, node, date);
}

static int read_atom(struct reading *reading)
{
    const struct token *token = reading_next(reading);
    if (reading_accept(reading, TOKEN_NUMBER))
        return push_number(reading, VALUE_NUMBER, token->place, token->number);
    if (reading_accept_word(reading, WORD_INF))
        return push_number(reading, VALUE_NUMBER, token->place, HUGE_VAL);
    if (reading_accept_word(reading, WORD_TRUE) || reading_accept_word(reading, WORD_FALSE))
        return push_number(reading, VALUE_FLAG, token->place, token->word == WORD_TRUE);
    if (reading_accept(reading, '(')) {
        int node = read_expression(reading);
        reading_expect(reading, ')');
        return node;
    }
    if (reading->lost) return -1;
    if (script_words[token->word].takes) return read_call(reading);
    if (token->kind == TOKEN_NAME && !script_words[token->word].reserved)
        return read_symbol(reading);
    return reading_miss(reading, "a value");
}
