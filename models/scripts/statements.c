/* From tokens to statements. One that is lost is passed over; what stands in its block is read. */
#include <string.h>

#include "models/base/grow.h"
#include "models/base/nearest.h"
#include "models/scripts/reading.h"

/* A block while it is read. */
struct block {
    int first, last; /* statements; -1: none yet */
    bool outermost;
};

static void read_line(struct reading *reading, struct block *block, bool behind);

/* Returns a statement of a kind that is in no block yet. */
static struct script_statement statement_of(enum statement_kind kind, struct script_place place)
{
    return (struct script_statement){.kind = kind,
                                     .place = place,
                                     .next = -1,
                                     .symbol = -1,
                                     .subscript = -1,
                                     .value = -1,
                                     .date = -1,
                                     .body = -1,
                                     .otherwise = -1};
}

static void add_statement(struct reading *reading, struct block *block,
                          struct script_statement statement)
{
    struct script *script = reading->script;
    int n = script->n_statements;
    if (reading->lost) return;
    if (grow_array(&script->statements, &reading->statement_room, n + 1,
                   sizeof *script->statements)) {
        reading_exhausted(reading);
        return;
    }
    script->statements[n] = statement;
    if (block->last >= 0) script->statements[block->last].next = n;
    else block->first = n;
    block->last = script->n_statements++;
}

/* ---- blocks */

/* Passes over what is left of a statement that was lost: to `;`, to the end of the line, or to `:`
 * before a body. */
static void recover(struct reading *reading, bool before_body)
{
    for (;;) {
        const struct token *token = reading_next(reading);
        if (token->kind == TOKEN_END || token->kind == TOKEN_LINE || token->kind == TOKEN_INDENT ||
            token->kind == TOKEN_DEDENT || (token->kind == ':' && before_body) ||
            (token->kind == ';' && !before_body))
            break;
        reading->at = token->match > reading->at ? token->match + 1 : reading->at + 1;
    }
    reading->lost = reading->status != STATUS_OK;
    reading->passed_over = true;
}

/* Reads statements to the end of a block. */
static void read_statements(struct reading *reading, struct block *block)
{
    while (reading->status == STATUS_OK && reading_next(reading)->kind != TOKEN_DEDENT &&
           reading_next(reading)->kind != TOKEN_END)
        read_line(reading, block, false);
    if (reading_next(reading)->kind == TOKEN_DEDENT) reading->at++;
}

/* Reads the block of a statement, which may have been lost before it; returns its first one. */
static int read_block(struct reading *reading)
{
    struct block block = {-1, -1, false};
    if (!reading->lost && reading_next(reading)->kind != ':' &&
        reading_next(reading)->kind != TOKEN_LINE)
        reading_miss(reading, "':' or the end of the line");
    bool lost = reading->lost, entered;
    if (lost) recover(reading, true);
    entered = !(lost && reading->depth == SCRIPT_DEPTH_MOST) && reading_enter(reading);
    bool colon = reading_accept(reading, ':');
    if (colon && reading_next(reading)->kind != TOKEN_LINE) {
        read_line(reading, &block, true);
    } else {
        const struct token line = *reading_next(reading);
        reading_accept(reading, TOKEN_LINE);
        if (reading_accept(reading, TOKEN_INDENT)) read_statements(reading, &block);
        else if (!lost)
            reading_complain(reading, line.place,
                             "a block should follow, indented below this line");
    }
    if (entered) reading_leave(reading);
    return block.first;
}

/* ---- assignments */

/* Returns the symbol that an assignment is to; -1 where it is new or cannot be assigned. */
static int assigned_symbol(struct reading *reading, const struct token *token, bool declared)
{
    char name[SCRIPT_NAME_MOST + 1];
    int symbol = symbol_find(reading, token_name(reading, token, name));
    if (symbol < 0 || declared) {
        if (symbol >= 0 || choice_find(reading, name) >= 0)
            name_is_free(reading, token, "what is assigned");
        return -1;
    }
    const struct script_symbol *s = &reading->script->symbols[symbol];
    if (s->kind == SYMBOL_STATE) return symbol;
    reading_complain(reading, token->place, "'%s' is %s and cannot be assigned; use another name",
                     name, s->kind == SYMBOL_LOOP ? "the variable of a loop" : "a parameter");
    return -1;
}

/* Makes the state that an assignment is the first of. */
static int new_state(struct reading *reading, const struct token *token, int type, int over)
{
    char name[SCRIPT_NAME_MOST + 1];
    int symbol = symbol_find(reading, token_name(reading, token, name));
    if (symbol >= 0) return symbol;                 /* it was told that this cannot be assigned */
    if (choice_find(reading, name) >= 0) return -1; /* so was this */
    symbol = symbol_add(reading, token, SYMBOL_STATE, type);
    if (symbol >= 0) reading->script->symbols[symbol].over = over;
    return symbol;
}

/* Complains of a name that begins no statement. */
static void no_statement(struct reading *reading, const struct token *token)
{
    static const enum word begin[] = {WORD_EACH, WORD_AT,  WORD_FOR,  WORD_IF,
                                      WORD_ELSE, WORD_PAY, WORD_STOP, WORD_EXERCISE};
    char name[SCRIPT_NAME_MOST + 1], hint[HINT_ROOM];
    struct nearest nearest = {.wanted = token_name(reading, token, name)};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        nearest_try(&nearest, script_words[begin[i]].text);
    reading_lose(reading, token,
                 "'%s' begins no statement; a statement is 'name = value', each, at, for, if, pay, "
                 "stop or exercise%s",
                 name, nearest_hint(&nearest, hint));
}

static void read_assignment(struct reading *reading, struct block *block)
{
    const struct script *script = reading->script;
    const struct token *first = reading_next(reading);
    int type = reading_accept_word(reading, WORD_NUMBER) ? VALUE_NUMBER
               : reading_accept_word(reading, WORD_FLAG) ? VALUE_FLAG
                                                         : VALUE_UNKNOWN;
    bool declared = type != VALUE_UNKNOWN;
    const struct token name = *reading_next(reading);
    char text[TOKEN_ROOM];
    if (name.kind != TOKEN_NAME || script_words[name.word].reserved) {
        reading_miss(reading, declared ? "a name" : "a statement");
        return;
    }
    reading->at++;
    if (reading_next(reading)->kind != '=' && reading_next(reading)->kind != '[') {
        no_statement(reading, &name);
        return;
    }
    struct script_statement statement = statement_of(STATEMENT_ASSIGN, first->place);
    int symbol = assigned_symbol(reading, &name, declared), over = -1;
    bool brackets = reading_next(reading)->kind == '[';
    bool known = symbol >= 0 && (int)script->symbols[symbol].type != VALUE_UNKNOWN;
    if (known && brackets != (script->symbols[symbol].over >= 0)) {
        if (brackets)
            reading_complain(reading, name.place, "'%s' is no list; it has no subscript",
                             script->symbols[symbol].name);
        else
            reading_complain(
                reading, name.place, "'%s' has a value for each of '%s'; say which in [ ]",
                script->symbols[symbol].name, script->symbols[script->symbols[symbol].over].name);
        known = false;
    }
    if (brackets && block->outermost) {
        reading->at++;
        over = read_set(reading);
        reading_expect(reading, ']', "']'");
    } else if (brackets && (known || symbol < 0)) {
        statement.subscript = read_subscript(reading, symbol, &over);
    } else {
        reading_skip_brackets(reading);
    }
    reading_expect(reading, '=', "'='");
    if (!reading->lost && block->outermost && !declared)
        reading_complain(reading, first->place,
                         "outside 'each' and 'at' values are declared: write 'number %s = ...' or "
                         "'flag %s = ...'",
                         token_name(reading, &name, text), text);
    reading->declaring = block->outermost;
    struct script_place place = reading_next(reading)->place;
    statement.value = read_expression(reading);
    reading->declaring = false;
    int found = type_of(reading, statement.value);
    if (known) type = script->symbols[symbol].type;
    if (!reading->lost && found != VALUE_NUMBER && found != VALUE_FLAG && found != VALUE_UNKNOWN)
        reading_complain(reading, place, "%s cannot be assigned, only numbers and flags",
                         type_name(found));
    else if (!reading->lost && type != VALUE_UNKNOWN && found != type && found != VALUE_UNKNOWN)
        reading_complain(reading, place, "%s is %s, not %s", token_text(reading, &name, text),
                         type_name(type), type_name(found));
    if (type == VALUE_UNKNOWN && (found == VALUE_NUMBER || found == VALUE_FLAG)) type = found;
    bool out_of_memory = reading->status != STATUS_OK;
    if (symbol < 0 && !out_of_memory) symbol = new_state(reading, &name, type, over);
    statement.symbol = symbol;
    add_statement(reading, block, statement);
}

/* ---- other statements */

/* Reads `each` and `for`. */
static void read_each(struct reading *reading, struct block *block)
{
    bool dates = reading_next(reading)->word == WORD_EACH;
    struct script_statement statement =
        statement_of(dates ? STATEMENT_EACH : STATEMENT_FOR, reading_next(reading)->place);
    reading->at++;
    statement.symbol = read_loop(reading);
    const struct script_symbol *symbols = reading->script->symbols;
    if (statement.symbol >= 0 && (int)symbols[statement.symbol].type != VALUE_UNKNOWN &&
        (symbols[statement.symbol].type == VALUE_DATE) != dates)
        reading_complain(reading, statement.place,
                         dates ? "'each' goes through dates; 'for' goes through the assets"
                               : "'for' goes through the assets; 'each' goes through dates");
    statement.body = read_block(reading);
    if (statement.symbol >= 0) symbol_hide(reading, statement.symbol);
    add_statement(reading, block, statement);
}

static void read_at(struct reading *reading, struct block *block)
{
    struct script_statement statement = statement_of(STATEMENT_AT, reading_next(reading)->place);
    reading->at++;
    statement.date = read_typed(reading, VALUE_DATE, "what follows 'at'");
    statement.body = read_block(reading);
    add_statement(reading, block, statement);
}

static void read_if(struct reading *reading, struct block *block)
{
    struct script_statement statement = statement_of(STATEMENT_IF, reading_next(reading)->place);
    reading->at++;
    statement.value = read_typed(reading, VALUE_FLAG, "what follows 'if'");
    statement.body = read_block(reading);
    if (reading_accept_word(reading, WORD_ELSE)) {
        struct block otherwise = {-1, -1, false};
        if (reading_next(reading)->word != WORD_IF) {
            statement.otherwise = read_block(reading);
        } else if (reading_enter(reading)) {
            read_if(reading, &otherwise);
            reading_leave(reading);
            statement.otherwise = otherwise.first;
        } else {
            for (; reading->lost && reading->status == STATUS_OK;
                 reading->lost = reading_accept_word(reading, WORD_ELSE))
                read_block(reading);
        }
    }
    add_statement(reading, block, statement);
}

static void read_pay(struct reading *reading, struct block *block)
{
    struct script_statement statement = statement_of(STATEMENT_PAY, reading_next(reading)->place);
    reading->at++;
    statement.value = read_typed(reading, VALUE_NUMBER, "what is paid");
    if (reading_accept_word(reading, WORD_AT))
        statement.date = read_typed(reading, VALUE_DATE, "what follows 'at'");
    add_statement(reading, block, statement);
}

static void read_stop(struct reading *reading, struct block *block)
{
    struct script_statement statement = statement_of(STATEMENT_STOP, reading_next(reading)->place);
    reading->at++;
    add_statement(reading, block, statement);
}

static void read_exercise(struct reading *reading, struct block *block)
{
    struct script_statement statement =
        statement_of(STATEMENT_EXERCISE, reading_next(reading)->place);
    reading->at++;
    statement.issuer = reading_accept_word(reading, WORD_ISSUER);
    if (!statement.issuer && !reading_accept_word(reading, WORD_HOLDER))
        reading_miss(reading, "'holder' or 'issuer'");
    if (!reading_accept_word(reading, WORD_PAYS)) reading_miss(reading, "'pays'");
    statement.value = read_typed(reading, VALUE_NUMBER, "what exercise pays");
    add_statement(reading, block, statement);
}

/* Reads an `else` without an `if`. */
static void read_stray_else(struct reading *reading, struct block *block __attribute__((unused)))
{
    reading_lose(reading, reading_next(reading),
                 "'else' follows the block of an 'if', as far in as it");
    read_block(reading);
}

/* What statements begin with; others are assignments. */
static const struct statement_row {
    enum word word;
    void (*read)(struct reading *reading, struct block *block);
    bool outermost; /* there and nowhere else, or never there */
    bool has_block;
} statements[] = {
    {WORD_EACH, read_each, true, true},           {WORD_AT, read_at, true, true},
    {WORD_FOR, read_each, false, true},           {WORD_IF, read_if, false, true},
    {WORD_PAY, read_pay, false, false},           {WORD_STOP, read_stop, false, false},
    {WORD_EXERCISE, read_exercise, false, false}, {WORD_ELSE, read_stray_else, false, true},
    {WORD_NONE, read_assignment, false, false},
};

/* Reads a statement; true where it ended with its block. `behind`: it does not begin its line. */
static bool read_statement(struct reading *reading, struct block *block, bool behind)
{
    const struct statement_row *row = statements;
    const struct token *token = reading_next(reading);
    while (row->word && row->word != token->word) row++;
    if (row->has_block && behind)
        reading_lose(reading, token, "'%s' needs a line of its own", script_words[row->word].text);
    else if (row->word && row->outermost != block->outermost)
        reading_complain(reading, token->place,
                         row->outermost
                             ? "'%s' stands outermost, in no other block"
                             : "'%s' needs a date: it stands in the block of an 'each' or an 'at'",
                         script_words[row->word].text);
    if (!reading->lost) row->read(reading, block);
    if (row->has_block && !behind) return true;
    const struct token *end = reading_next(reading);
    if (!reading->lost && end->kind != TOKEN_LINE && end->kind != ';')
        reading_miss(reading, "the end of the statement");
    if (reading->lost) recover(reading, false);
    return false;
}

/* Reads the statements of a line; `behind` what begins their block. */
static void read_line(struct reading *reading, struct block *block, bool behind)
{
    const struct token *first = reading_next(reading);
    if (first->kind == TOKEN_INDENT) {
        if (!reading->passed_over)
            reading_complain(reading, first->place,
                             "this line stands further in, but the one above begins no block");
        reading->at++;
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

void read_body(struct reading *reading)
{
    struct block block = {-1, -1, true};
    char found[TOKEN_ROOM];
    reading_accept(reading, ':');
    const struct token *line = reading_next(reading);
    if (line->kind != TOKEN_LINE) {
        reading_miss(reading, "the end of the header");
        recover(reading, false);
        while (reading_accept(reading, ';')) recover(reading, false);
    }
    reading_accept(reading, TOKEN_LINE);
    if (!reading_accept(reading, TOKEN_INDENT))
        reading_lose(reading, reading_next(reading),
                     "the statements of a product stand indented below its header");
    reading->lost = reading->status != STATUS_OK;
    read_statements(reading, &block);
    const struct token *rest = reading_next(reading);
    if (reading->status == STATUS_OK && rest->kind != TOKEN_END && reading->errors->n == 0)
        reading_lose(reading, rest,
                     rest->word == WORD_PRODUCT
                         ? "a script has one product; %s begins another"
                         : "the product has ended; %s should stand further in",
                     token_text(reading, rest, found));
    reading->script->first = block.first;
}
