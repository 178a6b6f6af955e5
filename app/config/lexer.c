#include "app/config/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/text.h"
#include "app/config/token.h"
#include "models/base/grow.h"

/* ---- complaints ------------------------------------------------------------------------------ */

enum { WHO_ROOM = NAME_BYTES + 32 };

/* Writes "trade 'T7': " where a group around this place has given its id already. */
static void write_who(const struct lexer *lexer, char who[WHO_ROOM])
{
    who[0] = '\0';
    for (int i = lexer->depth; i > 0; i--) {
        const struct open_bracket *frame = &lexer->frames[i];
        if (!frame->id_length) continue;
        const char *id = lexer->source->text + frame->id_at;
        int length = text_bytes(id, NAME_CHARACTERS);
        if (length > (int)frame->id_length) length = (int)frame->id_length;
        snprintf(who, WHO_ROOM, "trade '%.*s': ", length, id);
        return;
    }
}

static void complain(struct lexer *lexer, const char *format, va_list values)
{
    char who[WHO_ROOM], text[512];
    write_who(lexer, who);
    vsnprintf(text, sizeof text, format, values);
    complaints_add(lexer->complaints, lexer->source->n_lines, "%s:%d: %s%s",
                   lexer->source->files[lexer->location.file], lexer->location.line, who, text);
    lexer->faulty = true;
}

static void faulty(struct lexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void faulty(struct lexer *lexer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complain(lexer, format, values);
    va_end(values);
}

void lexer_fail(struct lexer *lexer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complain(lexer, format, values);
    va_end(values);
    lexer->stopped = true;
}

static void no_memory(struct lexer *lexer)
{
    lexer->status = STATUS_NO_MEMORY;
    lexer->stopped = true;
}

/* ---- the text for libconfig ------------------------------------------------------------------ */

static void put(struct lexer *lexer, const char *text, size_t length)
{
    struct source *source = lexer->source;
    if (source->length + length + 1 > source->room) {
        size_t room = 2 * source->room + length + 4096;
        char *larger = realloc(source->text, room);
        if (!larger) {
            no_memory(lexer);
            return;
        }
        source->text = larger;
        source->room = room;
    }
    memcpy(source->text + source->length, text, length);
    source->length += length;
    source->text[source->length] = '\0';
}

/* Begins a new line of the text, which comes from the current place. */
static void begin_line(struct lexer *lexer)
{
    struct source *source = lexer->source;
    if (grow_array(&source->lines, &source->line_room, source->n_lines + 1,
                   sizeof *source->lines)) {
        no_memory(lexer);
        return;
    }
    source->lines[source->n_lines++] = lexer->location;
    lexer->line_begun = false;
}

static void end_line(struct lexer *lexer)
{
    put(lexer, "\n", 1);
    lexer->location.line++;
    begin_line(lexer);
}

/* ---- grammar: what may stand where ----------------------------------------------------------- */

static struct open_bracket *innermost(struct lexer *lexer)
{
    return &lexer->frames[lexer->depth];
}

static bool in_group(struct lexer *lexer)
{
    return innermost(lexer)->open == '{';
}

/* Checks that a value may stand here, and writes the comma that was waiting for it. */
static bool begin_value(struct lexer *lexer, const char *what, size_t length)
{
    int shown = length < 40 ? (int)length : 40;
    if (in_group(lexer)) {
        if (lexer->previous == PREVIOUS_EQUALS) return true;
        if (lexer->previous == PREVIOUS_KEY)
            lexer_fail(lexer, "'=' is missing before %.*s", shown, what);
        else
            lexer_fail(lexer, "%.*s stands where a key was expected: write key = value;", shown,
                       what);
        return false;
    }
    if (lexer->previous == PREVIOUS_VALUE) {
        lexer_fail(lexer, "',' is missing before %.*s", shown, what);
        return false;
    }
    if (lexer->comma_pending) put(lexer, ", ", 2);
    lexer->comma_pending = false;
    return true;
}

static bool same_key(const struct lexer *lexer, size_t at, const char *key, size_t length)
{
    const char *other = lexer->source->text + at;
    return !strncmp(other, key, length) && other[length] == ' ';
}

static void note_key(struct lexer *lexer, const char *key, size_t length)
{
    struct open_bracket *frame = innermost(lexer);
    for (int i = 0; i < frame->n_keys; i++) {
        if (!same_key(lexer, frame->key_at[i], key, length)) continue;
        faulty(lexer, "%.*s is given twice in one group, first on line %d: leave one out",
               (int)length, key, frame->key_location[i].line);
        return;
    }
    if (frame->n_keys == LEXER_KEYS) {
        lexer_fail(lexer, "a group of more than %d keys: split it, or use a list ( {...}, {...} )",
                   LEXER_KEYS);
        return;
    }
    frame->key_at[frame->n_keys] = lexer->source->length;
    frame->key_location[frame->n_keys++] = lexer->location;
}

static void take_key(struct lexer *lexer, const char *key, size_t length)
{
    if (!token_is_key(key, length)) {
        lexer_fail(lexer, "'%.*s' stands where a key was expected: write key = value;", (int)length,
                   key);
        return;
    }
    put(lexer, "", 0);
    note_key(lexer, key, length);
    put(lexer, key, length);
    put(lexer, " ", 1);
    lexer->previous = PREVIOUS_KEY;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.+-*", c));
}

static void take_token(struct lexer *lexer)
{
    const char *token = lexer->at;
    while (lexer->at < lexer->end && is_word(*lexer->at)) lexer->at++;
    size_t length = (size_t)(lexer->at - token);
    if (length > LEXER_TOKEN) {
        lexer_fail(lexer, "a word of more than %d characters", LEXER_TOKEN);
        return;
    }
    if (in_group(lexer) && lexer->previous != PREVIOUS_EQUALS && lexer->previous != PREVIOUS_KEY) {
        take_key(lexer, token, length);
        return;
    }
    char written[TOKEN_ROOM];
    token_write(token, length, written);
    if (!begin_value(lexer, token, length)) return;
    put(lexer, written, strlen(written));
    lexer->previous = PREVIOUS_VALUE;
}

/* Tells whether the value in the reading is that of a key of this name. */
static bool is_value_of(struct lexer *lexer, const char *key)
{
    struct open_bracket *frame = innermost(lexer);
    return in_group(lexer) && frame->n_keys &&
           same_key(lexer, frame->key_at[frame->n_keys - 1], key, strlen(key));
}

/* Refuses a text in quotes that is too long. */
static bool fits(struct lexer *lexer, size_t length)
{
    int most = is_value_of(lexer, "script") ? LEXER_SCRIPT : LEXER_STRING;
    if (length <= (size_t)most) return true;
    lexer_fail(lexer, "a text of more than %d characters", most);
    return false;
}

/* Finds the closing quote of the text that begins at `at`; NULL after a complaint. */
static const char *find_quote(struct lexer *lexer)
{
    const char *p = lexer->at + 1;
    for (; p < lexer->end && *p != '"'; p++) {
        if ((unsigned char)*p < ' ') break;
        if (*p == '\\' && p + 1 < lexer->end) p++;
    }
    if (p >= lexer->end || *p != '"') {
        lexer_fail(lexer, "a text without its closing quote on the same line");
        return NULL;
    }
    return fits(lexer, (size_t)(p - lexer->at)) ? p : NULL;
}

static void note_id(struct lexer *lexer, size_t length)
{
    struct open_bracket *frame = innermost(lexer);
    if (!is_value_of(lexer, "id")) return;
    frame->id_at = lexer->source->length + 1;
    frame->id_length = length;
}

static void take_string(struct lexer *lexer)
{
    const char *text = lexer->at, *quote = find_quote(lexer);
    if (!quote) return;
    size_t length = (size_t)(quote + 1 - text);
    if (!begin_value(lexer, text, length)) return;
    note_id(lexer, length - 2);
    put(lexer, text, length);
    lexer->at = quote + 1;
    lexer->previous = PREVIOUS_VALUE;
}

static const char block_quotes[] = "\"\"\"";

static bool are_block_quotes(const struct lexer *lexer, const char *at)
{
    return lexer->end - at >= 3 && !memcmp(at, block_quotes, 3);
}

/* Writes a character of a text over several lines as libconfig reads it within quotes. */
static void put_character(struct lexer *lexer, char c)
{
    char escaped[2] = {'\\', c == '\n' ? 'n' : c == '\t' ? 't' : c};
    bool plain = c != '\n' && c != '\t' && c != '"' && c != '\\';
    if (c != '\r') put(lexer, escaped + plain, 2 - (size_t)plain);
}

/* Takes a text between three quotes, which stands for itself and may have several lines. */
static void take_block(struct lexer *lexer)
{
    const char *text = lexer->at + 3, *end = text;
    int lines = 0;
    for (; end < lexer->end && !are_block_quotes(lexer, end); end++) {
        lines += *end == '\n';
        if ((unsigned char)*end < ' ' && *end != '\n' && *end != '\r' && *end != '\t') break;
    }
    if (!are_block_quotes(lexer, end))
        lexer_fail(lexer, "a text in %s that is never closed by %s", block_quotes, block_quotes);
    else if (fits(lexer, (size_t)(end - text)) && begin_value(lexer, lexer->at, 3)) {
        put(lexer, "\"", 1);
        for (const char *p = text; p < end; p++) put_character(lexer, *p);
        put(lexer, "\"", 1);
        while (lines-- > 0) end_line(lexer);
        lexer->line_begun = true;
        lexer->at = end + 3;
        lexer->previous = PREVIOUS_VALUE;
    }
}

static void take_include(struct lexer *lexer)
{
    static const char token[] = "@include";
    const char *p = lexer->at + strlen(token);
    if ((size_t)(lexer->end - lexer->at) < strlen(token) ||
        memcmp(lexer->at, token, strlen(token))) {
        lexer_fail(lexer, "stray character '@': only @include \"file\" begins with it");
        return;
    }
    while (p < lexer->end && (*p == ' ' || *p == '\t')) p++;
    const char *quote =
        p < lexer->end && *p == '"' ? memchr(p + 1, '"', (size_t)(lexer->end - p - 1)) : NULL;
    if (lexer->line_begun || !quote || memchr(p, '\n', (size_t)(quote - p)) ||
        memchr(p, '\\', (size_t)(quote - p))) {
        lexer_fail(lexer, "@include stands at the beginning of a line, with the file in quotes: "
                          "@include \"file\"");
        return;
    }
    lexer->at = quote + 1;
    lexer->line_begun = true;
    lexer->include(lexer, p + 1, (size_t)(quote - p - 1));
}

/* ---- brackets and separators ----------------------------------------------------------------- */

static char closing(char open)
{
    return open == '{' ? '}' : open == '[' ? ']' : ')';
}

static void take_open(struct lexer *lexer, char c)
{
    if (!begin_value(lexer, lexer->at, 1)) return;
    if (innermost(lexer)->open == '[') {
        lexer_fail(lexer, "'%c' within [ ]: an array holds plain values, a list ( ) anything", c);
        return;
    }
    if (lexer->depth + 1 == LEXER_DEPTH) {
        lexer_fail(lexer, "more than %d brackets within one another", LEXER_DEPTH - 1);
        return;
    }
    struct open_bracket *frame = &lexer->frames[++lexer->depth];
    frame->open = c;
    frame->location = lexer->location;
    frame->n_keys = 0;
    frame->id_length = 0;
    put(lexer, c == '{' ? "{" : "(", 1); /* a libconfig array refuses to mix 1 and 0.5 */
    lexer->previous = PREVIOUS_OPEN;
    lexer->at++;
}

static void take_close(struct lexer *lexer, char c)
{
    struct open_bracket *frame = innermost(lexer);
    if (lexer->depth == 0) {
        lexer_fail(lexer, "'%c' closes nothing", c);
    } else if (c != closing(frame->open)) {
        lexer_fail(lexer, "'%c' where a '%c' must close the '%c' of %s:%d", c, closing(frame->open),
                   frame->open, lexer->source->files[frame->location.file], frame->location.line);
    } else if (lexer->previous == PREVIOUS_KEY || lexer->previous == PREVIOUS_EQUALS) {
        lexer_fail(lexer, "a value is missing before '%c': write key = value;", c);
    } else {
        lexer->depth--;
        lexer->comma_pending = false;
        put(lexer, c == '}' ? "}" : ")", 1);
        lexer->previous = PREVIOUS_VALUE;
        lexer->at++;
    }
}

static void take_equals(struct lexer *lexer)
{
    if (lexer->previous != PREVIOUS_KEY) {
        lexer_fail(lexer, "'=' without a key before it%s",
                   in_group(lexer) ? "" : ": a list holds values, or groups { key = value; }");
        return;
    }
    put(lexer, "= ", 2);
    lexer->previous = PREVIOUS_EQUALS;
    lexer->at++;
}

static void take_separator(struct lexer *lexer, char c)
{
    if (lexer->previous != PREVIOUS_VALUE) {
        lexer_fail(lexer,
                   lexer->previous == PREVIOUS_EQUALS || lexer->previous == PREVIOUS_KEY
                       ? "a value is missing before '%c'"
                       : "stray '%c'",
                   c);
    } else if (in_group(lexer)) {
        put(lexer, "; ", 2);
        lexer->previous = PREVIOUS_END;
        lexer->at++;
    } else if (c == ';') {
        lexer_fail(lexer, "';' within '%c': values are separated by ',', or '%c' is missing",
                   innermost(lexer)->open, closing(innermost(lexer)->open));
    } else {
        lexer->comma_pending = true;
        lexer->previous = PREVIOUS_COMMA;
        lexer->at++;
    }
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void skip_blanks(struct lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at && strchr(" \t\r\f", *lexer->at)) lexer->at++;
    put(lexer, " ", 1);
}

static void skip_line_comment(struct lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
}

static void skip_block_comment(struct lexer *lexer)
{
    struct location begin = lexer->location;
    for (lexer->at += 2;
         lexer->end - lexer->at >= 2 && (lexer->at[0] != '*' || lexer->at[1] != '/'); lexer->at++)
        if (*lexer->at == '\n') end_line(lexer);
    if (lexer->end - lexer->at < 2) {
        lexer->location = begin;
        lexer_fail(lexer, "a comment /* that is never closed by */");
        return;
    }
    lexer->at += 2;
    put(lexer, " ", 1);
}

static void take_slash(struct lexer *lexer)
{
    char next = lexer->end - lexer->at > 1 ? lexer->at[1] : '\0';
    if (next == '/') skip_line_comment(lexer);
    else if (next == '*') skip_block_comment(lexer);
    else lexer_fail(lexer, "stray character '/'");
}

static void take_other(struct lexer *lexer, char c)
{
    unsigned char byte = (unsigned char)c;
    if (!byte) lexer_fail(lexer, "a zero byte: this is not a text file");
    else if (byte < ' ' || byte > 126)
        lexer_fail(lexer, "stray byte 0x%02X outside a text in quotes", byte);
    else lexer_fail(lexer, "stray character '%c'", c);
}

static void take(struct lexer *lexer)
{
    char c = *lexer->at;
    switch (c) {
    case '\n':
        end_line(lexer);
        lexer->at++;
        return;
    case ' ':
    case '\t':
    case '\r':
    case '\f': skip_blanks(lexer); return;
    case '#': skip_line_comment(lexer); return;
    case '/': take_slash(lexer); return;
    case '@': take_include(lexer); return;
    default: break;
    }
    lexer->line_begun = true;
    switch (c) {
    case '"':
        if (are_block_quotes(lexer, lexer->at)) take_block(lexer);
        else take_string(lexer);
        return;
    case '{':
    case '[':
    case '(': take_open(lexer, c); return;
    case '}':
    case ']':
    case ')': take_close(lexer, c); return;
    case '=':
    case ':': take_equals(lexer); return;
    case ';':
    case ',': take_separator(lexer, c); return;
    default: break;
    }
    if (is_word(c)) take_token(lexer);
    else take_other(lexer, c);
}

void lexer_begin(struct lexer *lexer, struct source *source, struct complaints *complaints)
{
    memset(lexer, 0, sizeof *lexer);
    lexer->source = source;
    lexer->complaints = complaints;
    lexer->frames[0].open = '{';
    lexer->previous = PREVIOUS_END;
}

void lexer_read(struct lexer *lexer, int file, const char *text, size_t length)
{
    const char *outer_at = lexer->at, *outer_end = lexer->end;
    struct location outer_place = lexer->location;
    if (lexer->source->n_lines) put(lexer, "\n", 1);
    lexer->at = text;
    lexer->end = text + length;
    lexer->location = (struct location){file, 1};
    begin_line(lexer);
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) lexer->at += 3;
    while (!lexer->stopped && lexer->at < lexer->end) take(lexer);
    if (!outer_at || lexer->stopped) return;
    lexer->at = outer_at;
    lexer->end = outer_end;
    lexer->location = outer_place;
    put(lexer, "\n", 1);
    begin_line(lexer);
    lexer->line_begun = true;
}

void lexer_end(struct lexer *lexer)
{
    if (lexer->stopped) return;
    const struct open_bracket *frame = innermost(lexer);
    if (lexer->previous == PREVIOUS_KEY || lexer->previous == PREVIOUS_EQUALS)
        lexer_fail(lexer, "the file ends where a value was expected");
    else if (lexer->depth)
        lexer_fail(lexer, "the file ends before a '%c' closes the '%c' of %s:%d",
                   closing(frame->open), frame->open, lexer->source->files[frame->location.file],
                   frame->location.line);
    else put(lexer, "\n", 1);
}
