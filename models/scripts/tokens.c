/* From the text of a script to its tokens. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/text.h"
#include "models/scripts/reading.h"

const struct script_word script_words[N_WORDS] = {
    {.text = ""},
#define WORD(NAME, text, reserved) {#text, reserved, NULL, 0, 0},
#define FUNCTION(NAME, text, takes, gives, kind) {#text, true, takes, gives, kind},
#include "models/scripts/words.def"
#undef WORD
#undef FUNCTION
};

/* Where the making of tokens is. */
struct tokenizer {
    struct reading *reading;
    const char *at, *line_start;
    int line;
    int open[SCRIPT_DEPTH_MOST], n_open;     /* tokens of brackets */
    int widths[SCRIPT_DEPTH_MOST], n_widths; /* of the indentations of blocks */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_in_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static struct script_place place_of(const struct tokenizer *made, const char *at)
{
    return (struct script_place){made->line, (int)(at - made->line_start) + 1};
}

/* Adds the token that begins here, and passes over it. Returns it; NULL without memory. */
static struct token *add_token(struct tokenizer *made, int kind, int length)
{
    struct reading *reading = made->reading;
    int n = reading->n_tokens;
    if (!reading_grow(reading, &reading->tokens, &reading->token_room, n)) return NULL;
    struct token *token = &reading->tokens[reading->n_tokens++];
    *token = (struct token){.kind = kind,
                            .place = place_of(made, made->at),
                            .at = (int)(made->at - reading->script->text),
                            .length = length,
                            .match = -1};
    made->at += length;
    return token;
}

static enum word word_of(const char *text, size_t length)
{
    for (int i = 1; i < N_WORDS && script_words[i].text[0] <= text[0]; i++)
        if (script_words[i].text[0] == text[0] && !strncmp(script_words[i].text, text, length) &&
            !script_words[i].text[length])
            return i;
    return WORD_NONE;
}

static void lex_name(struct tokenizer *made)
{
    const char *from = made->at;
    int length = 1;
    while (is_in_name(from[length])) length++;
    if (length > SCRIPT_NAME_MOST)
        reading_lose(made->reading, place_of(made, from), "a name has at most %d characters",
                     SCRIPT_NAME_MOST);
    struct token *token = add_token(made, TOKEN_NAME, length);
    if (token) token->word = word_of(from, (size_t)length);
}

static void lex_number(struct tokenizer *made)
{
    char *end;
    double number = strtod(made->at, &end);
    if (is_in_name(*end) || *end == '.' || made->at[1] == 'x' || made->at[1] == 'X' ||
        !isfinite(number))
        reading_lose(made->reading, place_of(made, made->at),
                     "this is no number; numbers are written as 1, 0.5, 1e-3 or inf");
    struct token *token = add_token(made, TOKEN_NUMBER, (int)(end - made->at));
    if (token) token->number = number;
}

static void lex_bracket(struct tokenizer *made, char sign)
{
    struct reading *reading = made->reading;
    struct script_place place = place_of(made, made->at);
    if (sign == '(' || sign == '[') {
        if (made->n_open == SCRIPT_DEPTH_MOST)
            reading_limit(reading, place, SCRIPT_DEPTH_MOST, "brackets within one another");
        else made->open[made->n_open++] = reading->n_tokens;
    } else {
        char opens = sign == ')' ? '(' : '[';
        struct token *open = made->n_open ? &reading->tokens[made->open[--made->n_open]] : NULL;
        if (!open || open->kind != opens)
            reading_lose(reading, place, "'%c' closes no '%c'", sign, opens);
        else open->match = reading->n_tokens;
    }
    add_token(made, sign, 1);
}

static void lex_token(struct tokenizer *made)
{
    const char *at = made->at;
    bool power = at[0] == '*' && at[1] == '*';
    if (*at == ' ' || *at == '\t' || *at == '\r') made->at++;
    else if (is_letter(*at)) lex_name(made);
    else if (is_digit(*at)) lex_number(made);
    else if (strchr("()[]", *at)) lex_bracket(made, *at);
    else if (strchr("<>=!", *at) && at[1] == '=') add_token(made, *at + OR_EQUAL, 2);
    else if (strchr("+-*/^<>=,;:|", *at) && !power) add_token(made, *at, 1);
    else {
        const char *hint = "";
        if (*at == '%') hint = "; 80 % is written 0.8";
        if (*at == '!') hint = "; write 'not'";
        if (power) hint = "; write '^'";
        if (*at == '&' && at[1] == '&') hint = "; write 'and'";
        if (*at == '?') hint = "; write 'x if FLAG else y'";
        if (*at == '.' && is_digit(at[1])) hint = "; a number begins with a digit, as 0.5 does";
        reading_lose(made->reading, place_of(made, at), "'%.*s' has no meaning in a script%s",
                     power ? 2 : text_character(at), at, hint);
    }
}

/* Begins and ends the blocks that a line of this indentation begins and ends. The first line may
 * stand further in, and the script with it. */
static void indent(struct tokenizer *made, int width)
{
    struct reading *reading = made->reading;
    struct script_place place = place_of(made, made->at);
    if (!reading->n_tokens) made->widths[0] = width;
    if (width > made->widths[made->n_widths - 1]) {
        if (made->n_widths == SCRIPT_DEPTH_MOST) {
            reading_limit(reading, place, SCRIPT_DEPTH_MOST - 1, "blocks within one another");
            return;
        }
        made->widths[made->n_widths++] = width;
        add_token(made, TOKEN_INDENT, 0);
        return;
    }
    for (; made->n_widths > 1 && width < made->widths[made->n_widths - 1]; made->n_widths--)
        add_token(made, TOKEN_DEDENT, 0);
    if (width != made->widths[made->n_widths - 1])
        reading_lose(reading, place, "the line stands %d blanks in, as no block above it does",
                     width);
    made->widths[made->n_widths - 1] = width;
}

/* Complains of what cannot be shown, in comments too, up to `end`. */
static void check_characters(struct tokenizer *made, const char *end)
{
    char name[TEXT_FAULT_ROOM];
    for (const char *at = made->at; at < end;) {
        bool plain = (*at >= ' ' && *at <= '~') || *at == '\t' || (*at == '\r' && at + 1 == end);
        int length = plain ? 1 : text_character(at);
        if (!length) {
            reading_lose(made->reading, place_of(made, at), "%s cannot stand in a script",
                         text_name_fault(at, name));
            return;
        }
        at += length;
    }
}

/* Makes tokens of a line, which ends at `end`. */
static void lex_line(struct tokenizer *made, const char *end)
{
    struct reading *reading = made->reading;
    const char *comment;
    bool tab = false;
    check_characters(made, end);
    while (*made->at == ' ' || *made->at == '\t') tab |= *made->at++ == '\t';
    bool empty = made->at + (*made->at == '\r') >= end || *made->at == '#';
    if (!empty && !made->n_open) {
        if (tab) {
            reading_lose(reading, place_of(made, made->line_start),
                         "a tab indents this line; indent by blanks");
            reading->status = STATUS_FAILED;
        }
        indent(made, (int)(made->at - made->line_start));
    }
    comment = memchr(made->at, '#', (size_t)(end - made->at));
    while (!reading->lost && made->at < (comment ? comment : end)) lex_token(made);
    if (!empty && !made->n_open) add_token(made, TOKEN_LINE, 0);
}

void reading_tokens(struct reading *reading)
{
    struct tokenizer made = {
        .reading = reading, .at = reading->script->text, .line = 1, .n_widths = 1};
    const char *all = made.at + reading->length;
    for (made.line_start = made.at; made.at < all && !reading->status; made.line++) {
        const char *end = memchr(made.at, '\n', (size_t)(all - made.at));
        reading->lost = false;
        lex_line(&made, end ? end : all);
        made.at = made.line_start = end ? end + 1 : all;
    }
    if (made.n_open && !reading->errors->n) {
        const struct token *open = &reading->tokens[made.open[made.n_open - 1]];
        reading_lose(reading, open->place, "'%c' is not closed", open->kind);
    }
    while (--made.n_widths > 0) add_token(&made, TOKEN_DEDENT, 0);
    add_token(&made, TOKEN_END, 0);
    if (!reading->status && reading->errors->n) reading->status = STATUS_FAILED;
}
