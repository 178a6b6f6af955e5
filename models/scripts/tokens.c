/* From the text of a script to its tokens. */
#include <math.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/base/text.h"
#include "models/scripts/reading.h"

const struct script_word script_words[N_WORDS] = {
    {"", false},
#define WORD(NAME, text, reserved) {#text, reserved},
#include "models/scripts/words.def"
#undef WORD
};

/* Where the making of tokens is. */
struct tokenizer {
    struct reading *reading;
    const char *text;
    int at, line, line_start;
    int open[SCRIPT_DEPTH_MOST], n_open;     /* tokens of brackets */
    int widths[SCRIPT_DEPTH_MOST], n_widths; /* of the indentations of blocks */
    bool tab_told, stopped;
    int stray_line; /* the last one that a stray character was told of */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_in_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static struct script_place place_of(const struct tokenizer *tokenizer)
{
    return (struct script_place){tokenizer->line, tokenizer->at - tokenizer->line_start + 1};
}

/* Adds the token that begins here, and passes over it. */
static void add_token(struct tokenizer *tokenizer, int kind, int length)
{
    struct reading *reading = tokenizer->reading;
    if (grow_array(&reading->tokens, &reading->token_room, reading->n_tokens + 1,
                   sizeof *reading->tokens)) {
        reading_exhausted(reading);
        tokenizer->stopped = true;
        return;
    }
    reading->tokens[reading->n_tokens++] = (struct token){.kind = kind,
                                                          .place = place_of(tokenizer),
                                                          .at = tokenizer->at,
                                                          .length = length,
                                                          .match = -1};
    tokenizer->at += length;
}

static enum word word_of(const char *text, int length)
{
    for (int i = 1; i < N_WORDS && script_words[i].text[0] <= text[0]; i++)
        if (script_words[i].text[0] == text[0] && !strncmp(script_words[i].text, text, length) &&
            !script_words[i].text[length])
            return i;
    return WORD_NONE;
}

static void lex_name(struct tokenizer *tokenizer)
{
    struct script_place place = place_of(tokenizer);
    const char *from = tokenizer->text + tokenizer->at;
    int length = 1;
    while (is_in_name(from[length])) length++;
    add_token(tokenizer, length > SCRIPT_NAME_MOST ? TOKEN_BAD : TOKEN_NAME, length);
    if (length > SCRIPT_NAME_MOST)
        reading_complain(tokenizer->reading, place,
                         "a name has at most %d characters, this one has %d", SCRIPT_NAME_MOST,
                         length);
    else if (!tokenizer->stopped)
        tokenizer->reading->tokens[tokenizer->reading->n_tokens - 1].word = word_of(from, length);
}

/* Returns how long the number is that begins at `p`. */
static int number_length(const char *p)
{
    int n = 0, digits;
    while (is_digit(p[n])) n++;
    if (p[n] == '.' && is_digit(p[n + 1]))
        for (n++; is_digit(p[n]); n++) {
        }
    if (p[n] != 'e' && p[n] != 'E') return n;
    digits = n + 1 + (p[n + 1] == '-' || p[n + 1] == '+');
    if (!is_digit(p[digits])) return n;
    for (n = digits; is_digit(p[n]); n++) {
    }
    return n;
}

static void lex_number(struct tokenizer *tokenizer)
{
    struct script_place place = place_of(tokenizer);
    const char *from = tokenizer->text + tokenizer->at;
    int length = number_length(from);
    double number = strtod(from, NULL);
    if (is_in_name(from[length]) || from[length] == '.') {
        while (is_in_name(from[length]) || from[length] == '.') length++;
        add_token(tokenizer, TOKEN_BAD, length);
        reading_complain(tokenizer->reading, place,
                         "this is no number; numbers are written as 1, 0.5 or 1e-3");
    } else if (!isfinite(number)) {
        add_token(tokenizer, TOKEN_BAD, length);
        reading_complain(tokenizer->reading, place,
                         "this number is too large; a number without bound is written 'inf'");
    } else {
        add_token(tokenizer, TOKEN_NUMBER, length);
        if (!tokenizer->stopped)
            tokenizer->reading->tokens[tokenizer->reading->n_tokens - 1].number = number;
    }
}

static void lex_open(struct tokenizer *tokenizer)
{
    if (tokenizer->n_open == SCRIPT_DEPTH_MOST) {
        reading_complain(tokenizer->reading, place_of(tokenizer), "brackets nest at most %d deep",
                         SCRIPT_DEPTH_MOST);
        tokenizer->stopped = true;
        return;
    }
    tokenizer->open[tokenizer->n_open++] = tokenizer->reading->n_tokens;
    add_token(tokenizer, tokenizer->text[tokenizer->at], 1);
}

static void lex_close(struct tokenizer *tokenizer)
{
    struct reading *reading = tokenizer->reading;
    char closing = tokenizer->text[tokenizer->at];
    if (!tokenizer->n_open) {
        reading_complain(reading, place_of(tokenizer), "'%c' closes nothing", closing);
        add_token(tokenizer, TOKEN_BAD, 1);
        return;
    }
    struct token *open = &reading->tokens[tokenizer->open[--tokenizer->n_open]];
    char closes = open->kind == '(' ? ')' : ']';
    open->match = reading->n_tokens;
    if (closing != closes)
        reading_complain(reading, place_of(tokenizer), "'%c' closes '%c' of line %d; write '%c'",
                         closing, open->kind, open->place.line, closes);
    add_token(tokenizer, closing == closes ? closing : TOKEN_BAD, 1);
}

/* Says which brackets are open where a statement must have ended, and ends it. */
static void close_brackets(struct tokenizer *tokenizer)
{
    struct reading *reading = tokenizer->reading;
    const struct token *open = &reading->tokens[tokenizer->open[tokenizer->n_open - 1]];
    reading_complain(reading, open->place, "'%c' is not closed", open->kind);
    for (int i = 0; i < tokenizer->n_open; i++)
        reading->tokens[tokenizer->open[i]].match = reading->n_tokens;
    tokenizer->n_open = 0;
    add_token(tokenizer, TOKEN_BAD, 0);
    add_token(tokenizer, TOKEN_LINE, 0);
}

/* Complains of what begins no token and passes over it. */
static void lex_stray(struct tokenizer *tokenizer)
{
    const char *at = tokenizer->text + tokenizer->at;
    struct script_place place = place_of(tokenizer);
    char name[TEXT_FAULT_ROOM];
    int length = text_character(at);
    add_token(tokenizer, TOKEN_BAD, length ? length : 1);
    if (tokenizer->stray_line == tokenizer->line) return;
    tokenizer->stray_line = tokenizer->line;
    if (*at == '%')
        reading_complain(tokenizer->reading, place,
                         "'%%' has no meaning in a script; 80 %% is written 0.8");
    else if (*at == '.' && is_digit(at[1]))
        reading_complain(tokenizer->reading, place, "a number begins with a digit, as 0.5 does");
    else if (*at == '!')
        reading_complain(tokenizer->reading, place, "'!' has no meaning in a script; write 'not'");
    else if (length)
        reading_complain(tokenizer->reading, place, "'%.*s' has no meaning in a script", length,
                         at);
    else
        reading_complain(tokenizer->reading, place, "%s cannot stand in a script",
                         text_name_fault(at, name));
}

static int two_characters(const char *at)
{
    if (at[1] != '=') return 0;
    switch (*at) {
    case '<': return TOKEN_LESS_EQUAL;
    case '>': return TOKEN_GREATER_EQUAL;
    case '=': return TOKEN_EQUAL;
    case '!': return TOKEN_NOT_EQUAL;
    default: return 0;
    }
}

/* Passes over a comment, which is text that can be shown. */
static void skip_comment(struct tokenizer *tokenizer)
{
    char name[TEXT_FAULT_ROOM];
    bool told = false;
    for (const char *at; *(at = tokenizer->text + tokenizer->at) != '\n' &&
                         tokenizer->at < tokenizer->reading->length;) {
        int length = *at == '\t' || (*at == '\r' && at[1] == '\n') ? 1 : text_character(at);
        if (!length && !told)
            reading_complain(tokenizer->reading, place_of(tokenizer),
                             "%s cannot stand in a comment", text_name_fault(at, name));
        told |= !length;
        tokenizer->at += length ? length : 1;
    }
}

static void lex_token(struct tokenizer *tokenizer)
{
    const char *at = tokenizer->text + tokenizer->at;
    int two = two_characters(at);
    if (*at == ' ' || *at == '\t' || (*at == '\r' && at[1] == '\n')) tokenizer->at++;
    else if (*at == '#') skip_comment(tokenizer);
    else if (is_letter(*at)) lex_name(tokenizer);
    else if (is_digit(*at)) lex_number(tokenizer);
    else if (*at == '(' || *at == '[') lex_open(tokenizer);
    else if (*at == ')' || *at == ']') lex_close(tokenizer);
    else if (two) add_token(tokenizer, two, 2);
    else if (*at && strchr("+-*/^<>=,;:|", *at)) add_token(tokenizer, *at, 1);
    else lex_stray(tokenizer);
}

/* Begins and ends the blocks that a line of this indentation begins and ends. The first line may
 * stand further in, and the script with it. */
static void indent(struct tokenizer *tokenizer, int width)
{
    if (!tokenizer->reading->n_tokens) tokenizer->widths[0] = width;
    if (width < tokenizer->widths[0]) {
        reading_complain(tokenizer->reading, place_of(tokenizer),
                         "the line stands %d blanks in, but the script begins %d in", width,
                         tokenizer->widths[0]);
        return;
    }
    if (width > tokenizer->widths[tokenizer->n_widths - 1]) {
        if (tokenizer->n_widths == SCRIPT_DEPTH_MOST) {
            reading_complain(tokenizer->reading, place_of(tokenizer), "blocks nest at most %d deep",
                             SCRIPT_DEPTH_MOST - 1);
            tokenizer->stopped = true;
            return;
        }
        tokenizer->widths[tokenizer->n_widths++] = width;
        add_token(tokenizer, TOKEN_INDENT, 0);
        return;
    }
    while (width < tokenizer->widths[tokenizer->n_widths - 1]) {
        int inner = tokenizer->widths[--tokenizer->n_widths],
            outer = tokenizer->widths[tokenizer->n_widths - 1];
        if (width > outer) {
            reading_complain(tokenizer->reading, place_of(tokenizer),
                             "the line stands %d blanks in, but blocks above stand %d and %d in",
                             width, outer, inner);
            tokenizer->widths[tokenizer->n_widths++] = width;
            return;
        }
        add_token(tokenizer, TOKEN_DEDENT, 0);
    }
}

/* Tells whether a statement begins here which cannot stand in brackets. */
static bool begins_statement(const char *at)
{
    int length = 0;
    while (is_in_name(at[length])) length++;
    if (!length) return false;
    switch (word_of(at, length)) {
    case WORD_EACH:
    case WORD_AT:
    case WORD_PAY:
    case WORD_STOP:
    case WORD_EXERCISE: return true;
    default: return false;
    }
}

static void lex_line(struct tokenizer *tokenizer)
{
    const char *at = tokenizer->text + tokenizer->at;
    int width = 0;
    bool tab = false;
    for (; *at == ' ' || *at == '\t'; at++, tokenizer->at++) {
        tab |= *at == '\t';
        width = *at == '\t' ? (width / 8 + 1) * 8 : width + 1;
    }
    bool empty = *at == '\n' || *at == '#' || (*at == '\r' && at[1] == '\n') ||
                 tokenizer->at >= tokenizer->reading->length;
    if (tab && !empty && !tokenizer->n_open && !tokenizer->tab_told) {
        reading_complain(tokenizer->reading, (struct script_place){tokenizer->line, 1},
                         "a tab indents this line; indent by blanks");
        tokenizer->tab_told = true;
    }
    if (!empty && tokenizer->n_open && begins_statement(at)) close_brackets(tokenizer);
    if (!empty && !tokenizer->n_open) indent(tokenizer, width);
    while (!tokenizer->stopped && tokenizer->at < tokenizer->reading->length &&
           tokenizer->text[tokenizer->at] != '\n')
        lex_token(tokenizer);
    if (!empty && !tokenizer->n_open) add_token(tokenizer, TOKEN_LINE, 0);
    if (tokenizer->at < tokenizer->reading->length) tokenizer->at++;
    tokenizer->line++;
    tokenizer->line_start = tokenizer->at;
}

bool reading_tokens(struct reading *reading)
{
    struct tokenizer made = {
        .reading = reading, .text = reading->script->text, .line = 1, .n_widths = 1};
    if (!strncmp(made.text, "\xEF\xBB\xBF", 3)) made.at = made.line_start = 3;
    while (!made.stopped && made.at < reading->length) lex_line(&made);
    if (!made.stopped && made.n_open) close_brackets(&made);
    while (!made.stopped && --made.n_widths > 0) add_token(&made, TOKEN_DEDENT, 0);
    add_token(&made, TOKEN_END, 0);
    return !made.stopped;
}
