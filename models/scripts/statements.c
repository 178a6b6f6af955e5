/* From tokens to statements. One that is lost is passed over; what stands in its block is read. */
#include <string.h>

#include "models/base/nearest.h"
#include "models/scripts/reading.h"

/* A block while it is read: its first and last statement, -1 where there is none yet. */
struct block {
    int first, last;
};

static void read_line(struct reading *reading, struct block *block, bool behind);
static bool read_statement(struct reading *reading, struct block *block, bool behind);

/* ---- blocks */

/* Passes over what is left of a statement that was lost: to a sign, or to the end of the line. */
static void recover(struct reading *reading, char sign)
{
    const struct token *token;
    while ((token = reading_next(reading))->kind > TOKEN_DEDENT && token->kind != sign)
        reading->at = token->match > reading->at ? token->match + 1 : reading->at + 1;
    reading->lost = reading->status != STATUS_OK;
    reading->passed_over = true;
}

/* Reads statements to the end of a block. */
static void read_statements(struct reading *reading, struct block *block)
{
    while (!reading->status && reading_next(reading)->kind != TOKEN_DEDENT &&
           reading_next(reading)->kind != TOKEN_END)
        read_line(reading, block, false);
    reading_accept(reading, TOKEN_DEDENT);
}

/* Reads the block of a statement, which may have been lost before it; returns its first one. */
static int read_block(struct reading *reading)
{
    struct block block = {-1, -1};
    if (reading_next(reading)->kind != ':' && reading_next(reading)->kind != TOKEN_LINE)
        reading_miss(reading, "':' or the end of the line");
    bool lost = reading->lost;
    if (lost) recover(reading, ':');
    if (!reading_enter(reading)) return -1;
    if (reading_accept(reading, ':') && reading_next(reading)->kind != TOKEN_LINE) {
        read_line(reading, &block, true);
    } else {
        struct script_place place = reading_next(reading)->place;
        reading_accept(reading, TOKEN_LINE);
        if (reading_accept(reading, TOKEN_INDENT)) read_statements(reading, &block);
        else if (!lost)
            reading_lose(reading, place, "a block should follow, indented below this line");
    }
    reading->depth--;
    reading->lost = reading->status;
    return block.first;
}

/* ---- statements: each after its word; their blocks are read behind them */

/* Tells whether a name stands here that is no word of the language, and `=` behind it, or an index.
 */
static bool is_assigned(const struct token *name)
{
    return name->kind == TOKEN_NAME && !script_words[name->word].reserved &&
           (name[1].kind == '=' || name[1].kind == '[');
}

/* Says why what stands here is assigned nothing. */
static void say_unassigned(struct reading *reading, const struct token *name, bool declared)
{
    char hint[HINT_ROOM];
    const char *text = token_text(reading, name);
    bool named = name->kind == TOKEN_NAME, word = named && script_words[name->word].reserved;
    if (word && (declared || name[1].kind == '=' || name[1].kind == '[')) {
        reading_lose(reading, name->place,
                     "%s is a word of the language; what is assigned needs another name", text);
    } else if (declared) {
        reading->at += named;
        reading_miss(reading, named ? "'='" : "a name");
    } else if (named && !word && name[1].kind > TOKEN_NUMBER && strchr("+-*/^", name[1].kind) &&
               name[2].kind == '=') {
        char to[SCRIPT_NAME_MOST + 1];
        token_name(reading, name, to);
        reading_lose(reading, name[1].place, "there is no '%c='; write '%s = %s %c ...'",
                     name[1].kind, to, to, name[1].kind);
    } else {
        reading_lose(
            reading, name->place,
            "%s begins no statement; a statement is 'name = value', each, at, for, if, "
            "pay, stop or exercise%s",
            text, !strcmp(text, "'elif'") ? "; write 'else if'" : token_hint(reading, name, hint));
    }
}

static void read_assignment(struct reading *reading, struct script_statement *s)
{
    const struct script *script = reading->script;
    bool outermost = !reading->depth, number = reading_accept_word(reading, WORD_NUMBER),
         declared = number || reading_accept_word(reading, WORD_FLAG);
    int type = number ? VALUE_NUMBER : VALUE_FLAG, over = -1;
    const struct token *name = reading_next(reading);
    if (!is_assigned(name)) {
        say_unassigned(reading, name, declared);
        return;
    }
    reading->at++;
    if (declared && !outermost)
        reading_lose(reading, s->place,
                     "'%s' begins a state, which stands outermost, in no block; to assign write "
                     "%s without it",
                     script_words[number ? WORD_NUMBER : WORD_FLAG].text,
                     token_text(reading, name));
    if (outermost && !declared)
        reading_lose(reading, s->place,
                     "outside 'each' and 'at' a value is declared: 'number' or 'flag' stands "
                     "before its name");
    s->symbol = symbol_find(reading, name);
    if (s->symbol < 0 || declared || script->symbols[s->symbol].kind != SYMBOL_STATE)
        name_is_free(reading, name, "what is assigned");
    bool fresh = s->symbol < 0;
    if (!fresh && (int)script->symbols[s->symbol].type != VALUE_UNKNOWN) {
        check_subscript(reading, name, s->symbol);
        type = script->symbols[s->symbol].type;
        over = script->symbols[s->symbol].over;
        declared = true;
    }
    if (outermost && reading_accept(reading, '[')) {
        over = read_set(reading);
        reading_expect(reading, ']');
    } else if (reading_next(reading)->kind == '[') {
        s->subscript = read_subscript(reading, over);
        if (s->subscript >= 0)
            over = script->symbols[script->expressions[s->subscript].symbol].over;
    }
    reading_expect(reading, '=');
    reading->declaring = outermost;
    struct script_place place = reading_next(reading)->place;
    s->value = read_expression(reading);
    reading->declaring = false;
    int found = type_of(reading, s->value);
    if (!declared) type = found == VALUE_NUMBER || found == VALUE_UNKNOWN ? found : VALUE_FLAG;
    if (found != type && found != VALUE_UNKNOWN)
        reading_lose(reading, place, "%s is %s, not %s",
                     declared ? token_text(reading, name) : "what is assigned",
                     declared ? type_name(type) : "a number or a flag", type_name(found));
    if (fresh) s->symbol = symbol_add(reading, name, SYMBOL_STATE, type, over);
}

/* Reads what follows `each` and `for`. */
static void read_each(struct reading *reading, struct script_statement *s)
{
    bool dates = s->kind == STATEMENT_EACH;
    s->symbol = read_loop(reading);
    if (!reading->lost && (reading->script->symbols[s->symbol].type == VALUE_DATE) != dates)
        reading_lose(reading, s->place, "'each' goes through dates, 'for' through the assets");
}

/* Reads what stands between `exercise` and what it pays. */
static void read_exercise(struct reading *reading, struct script_statement *s)
{
    s->issuer = reading_accept_word(reading, WORD_ISSUER);
    if (!s->issuer && !reading_accept_word(reading, WORD_HOLDER))
        reading_miss(reading, "'holder' or 'issuer'");
    if (!reading_accept_word(reading, WORD_PAYS)) reading_miss(reading, "'pays'");
}

/* What statements begin with; others are assignments. */
static const struct statement_row {
    enum word word;
    enum statement_kind kind;
    bool outermost; /* there and nowhere else, or never there */
    bool has_block;
    void (*read)(struct reading *reading, struct script_statement *statement); /* or NULL */
    const char *what; /* its value, or date, is called; NULL: it has none, or `read` reads it */
    enum value_type type;
} statements[] = {
    {WORD_EACH, STATEMENT_EACH, true, true, read_each, NULL, 0},
    {WORD_AT, STATEMENT_AT, true, true, NULL, "what follows 'at'", VALUE_DATE},
    {WORD_FOR, STATEMENT_FOR, false, true, read_each, NULL, 0},
    {WORD_IF, STATEMENT_IF, false, true, NULL, "what follows 'if'", VALUE_FLAG},
    {WORD_PAY, STATEMENT_PAY, false, false, NULL, "what is paid", VALUE_NUMBER},
    {WORD_STOP, STATEMENT_STOP, false, false, NULL, NULL, 0},
    {WORD_EXERCISE, STATEMENT_EXERCISE, false, false, read_exercise, "what exercise pays",
     VALUE_NUMBER},
    {WORD_NONE, STATEMENT_ASSIGN, false, false, read_assignment, NULL, 0},
};

/* Reads what `else` is before; returns its first statement. */
static int read_else(struct reading *reading)
{
    struct block block = {-1, -1};
    if (reading_next(reading)->word != WORD_IF) return read_block(reading);
    if (!reading_enter(reading)) return -1;
    read_statement(reading, &block, false);
    reading->depth--;
    return block.first;
}

/* Reads a statement; true where it ended with its block. `behind`: it does not begin its line. */
static bool read_statement(struct reading *reading, struct block *block, bool behind)
{
    struct script *script = reading->script;
    const struct statement_row *row = statements;
    const struct token *token = reading_next(reading);
    while (row->word && row->word != token->word) row++;
    struct script_statement s = {row->kind, token->place, -1, -1, -1, -1, -1, -1, -1, false};
    bool misplaced = row->word && row->outermost != !reading->depth;
    if (row->has_block && behind)
        reading_lose(reading, token->place, "'%s' needs a line of its own",
                     script_words[row->word].text);
    else if (row->word) reading->at++;
    if (row->read && !reading->lost) row->read(reading, &s);
    if (row->what)
        *(row->kind == STATEMENT_AT ? &s.date : &s.value) =
            read_typed(reading, row->type, row->what);
    if (s.kind == STATEMENT_AT && s.date >= 0 &&
        script->expressions[s.date].kind != EXPRESSION_SYMBOL)
        reading_lose(reading, token->place,
                     "'at' runs on one date of the header, on none of a list");
    if (row->kind == STATEMENT_PAY && reading_accept_word(reading, WORD_AT))
        s.date = read_typed(reading, VALUE_DATE, "what follows 'at'");
    if (misplaced)
        reading_lose(reading, token->place,
                     row->outermost
                         ? "'%s' stands outermost, in no other block"
                         : "'%s' needs a date: it stands in the block of an 'each' or an 'at'",
                     script_words[row->word].text);
    if (block->last >= 0 && script->statements[block->last].kind == STATEMENT_STOP)
        reading_lose(reading, token->place, "nothing runs behind the 'stop' of line %d",
                     script->statements[block->last].place.line);
    bool block_follows = row->has_block && !behind;
    if (block_follows) {
        s.body = read_block(reading);
        if (s.kind == STATEMENT_IF && reading_accept_word(reading, WORD_ELSE))
            s.otherwise = read_else(reading);
        else if (s.kind != STATEMENT_IF && s.symbol >= 0) reading->hidden[s.symbol] = true;
    } else if (reading_next(reading)->kind != TOKEN_LINE && reading_next(reading)->kind != ';') {
        reading_miss(reading, "the end of the statement");
    }
    int n = script->n_statements;
    if (reading->lost) recover(reading, ';');
    else if (reading_grow(reading, &script->statements, &reading->statement_room, n)) {
        script->statements[script->n_statements++] = s;
        if (block->last >= 0) script->statements[block->last].next = n;
        else block->first = n;
        block->last = n;
    }
    return block_follows;
}

/* Reads the statements of a line; `behind` what begins their block. */
static void read_line(struct reading *reading, struct block *block, bool behind)
{
    const struct token *first = reading_next(reading);
    if (reading_accept(reading, TOKEN_INDENT)) {
        if (!reading->passed_over)
            reading_lose(reading, first->place,
                         "this line stands further in, but the one above begins no block");
        reading->lost = reading->status;
        read_statements(reading, block);
        return;
    }
    reading->passed_over = false;
    do {
        if (reading_next(reading)->kind == TOKEN_LINE) break;
        if (read_statement(reading, block, behind)) return;
        behind = true;
    } while (reading_accept(reading, ';'));
    reading_accept(reading, TOKEN_LINE);
}

/* Tells whether any statement pays. */
static bool pays(const struct script *script)
{
    bool found = false;
    for (int i = 0; i < script->n_statements; i++)
        found |= script->statements[i].kind == STATEMENT_PAY ||
                 script->statements[i].kind == STATEMENT_EXERCISE;
    return found;
}

void read_body(struct reading *reading)
{
    struct block block = {-1, -1};
    reading_accept(reading, ':');
    if (!reading_accept(reading, TOKEN_LINE)) reading_miss(reading, "the end of the header");
    if (!reading_accept(reading, TOKEN_INDENT))
        reading_lose(reading, reading_next(reading)->place,
                     "the statements of a product stand indented below its header");
    if (reading->lost) return;
    read_statements(reading, &block);
    const struct token *rest = reading_next(reading);
    if (rest->kind != TOKEN_END)
        reading_lose(reading, rest->place, "the product has ended; %s should stand further in",
                     token_text(reading, rest));
    if (!reading->errors->n && !pays(reading->script))
        reading_lose(reading, reading->tokens[0].place,
                     "it pays nothing: a script needs a 'pay' or an 'exercise'");
    reading->script->first = block.first;
}
