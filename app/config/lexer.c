#include "app/config/lexer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/setting_path.h"
#include "models/base/grow.h"
#include "models/base/text.h"

void lexer_fail(struct lexer *lexer, const char *format, ...)
{
    char subject[NAME_BYTES + 32] = "", text[512];
    va_list values;
    /* A group around this place has perhaps given its id already */
    for (int i = lexer->depth; i > 0 && !subject[0]; i--) {
        const config_setting_t *at = member_of(lexer->frames[i].setting, "id");
        const char *id = at ? config_setting_get_string(at) : NULL;
        if (id && *id && !text_mark(id))
            snprintf(subject, sizeof subject, "trade '%.*s': ", text_bytes(id, NAME_CHARACTERS),
                     id);
    }
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    complaints_add(lexer->complaints, lexer->source->n_lines, "%s:%d: %s%s",
                   lexer->source->files[lexer->location.file], lexer->location.line, subject, text);
    lexer->faulty = lexer->stopped = true;
}

void lexer_no_memory(struct lexer *lexer)
{
    lexer->status = STATUS_NO_MEMORY;
    lexer->stopped = true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Begins a new line of the text, which comes from the current place. */
static void begin_line(struct lexer *lexer)
{
    struct source *source = lexer->source;
    if (grow_array(&source->lines, &source->line_room, source->n_lines + 1,
                   sizeof *source->lines)) {
        lexer_no_memory(lexer);
        return;
    }
    source->lines[source->n_lines++] = lexer->location;
    lexer->line_begun = false;
}

static void end_line(struct lexer *lexer)
{
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

/* Checks that a value may stand here. */
static bool begin_value(struct lexer *lexer, const char *token, size_t length)
{
    int shown = length < 40 ? (int)length : 40;
    bool group = in_group(lexer);
    if (group ? lexer->previous == PREVIOUS_EQUALS : lexer->previous != PREVIOUS_VALUE) return true;
    if (!group) lexer_fail(lexer, "',' is missing before %.*s", shown, token);
    else if (lexer->previous == PREVIOUS_KEY)
        lexer_fail(lexer, "'=' is missing before %.*s", shown, token);
    else
        lexer_fail(lexer, "%.*s stands where a key was expected: write key = value;", shown, token);
    return false;
}

/* Takes a setting that was added where the lexer is; false without memory. */
static bool added(struct lexer *lexer, config_setting_t *setting)
{
    if (!setting) lexer_no_memory(lexer);
    else setting->line = in_group(lexer) ? lexer->key_line : (unsigned)lexer->source->n_lines;
    lexer->previous = PREVIOUS_VALUE;
    return setting;
}

/* Returns the name that the next setting has where the lexer is. One that has it already makes way:
 * the book will not be read. */
static const char *name_here(struct lexer *lexer)
{
    if (!in_group(lexer)) return NULL;
    if (lexer->faulty) config_setting_remove(innermost(lexer)->setting, lexer->key);
    return lexer->key;
}

static void take_key(struct lexer *lexer, const char *key, size_t length)
{
    config_setting_t *group = innermost(lexer)->setting;
    if (!token_is_key(key, length)) {
        lexer_fail(lexer, "'%.*s' stands where a key was expected: write key = value;", (int)length,
                   key);
        return;
    }
    snprintf(lexer->key, sizeof lexer->key, "%.*s", (int)length, key);
    const config_setting_t *first = member_of(group, lexer->key);
    lexer->key_line = first ? first->line : (unsigned)lexer->source->n_lines;
    if (first) {
        lexer_fail(lexer, "%s is given twice in one group, first on line %d: leave one out",
                   lexer->key, source_location(lexer->source, (int)first->line).line);
        lexer->stopped = false; /* there may be more errors */
    } else if (config_setting_length(group) == LEXER_KEYS)
        lexer_fail(lexer, "a group of more than %d keys: split it, or use a list ( {...}, {...} )",
                   LEXER_KEYS);
    lexer->previous = PREVIOUS_KEY;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    unsigned char byte = (unsigned char)c;
    return (byte < 128 && isalnum(byte)) || (c && strchr("_.+-*", c));
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
    char word[LEXER_TOKEN + 1];
    snprintf(word, sizeof word, "%.*s", (int)length, token);
    if (begin_value(lexer, token, length))
        added(lexer, token_add(innermost(lexer)->setting, name_here(lexer), word, true));
}

static bool fits(struct lexer *lexer, size_t length)
{
    int most = in_group(lexer) && !strcmp(lexer->key, "script") ? LEXER_SCRIPT : LEXER_STRING;
    if (length <= (size_t)most) return true;
    lexer_fail(lexer, "a text of more than %d characters", most);
    return false;
}

/* Returns the character that a backslash and what follows it stand for, as libconfig has them;
 * `*at` moves behind them. */
static char unescape(const char **at)
{
    static const char letters[] = "nrtf\\\"", meant[] = "\n\r\t\f\\\"";
    char digits[3] = "", c = *++*at;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) ++*at;
    if (letter) return meant[letter - letters];
    if (c != 'x' || !isxdigit((unsigned char)(*at)[1]) || !isxdigit((unsigned char)(*at)[2]))
        return '\\';
    memcpy(digits, *at + 1, 2);
    *at += 3;
    return (char)strtol(digits, NULL, 16);
}

/* Adds a text between two places of the file; a block of lines stands for itself but for the
 * carriage returns. */
static void add_string(struct lexer *lexer, const char *at, const char *end, bool block)
{
    char *text = malloc((size_t)(end - at) + 1), *to = text;
    if (!text) {
        lexer_no_memory(lexer);
        return;
    }
    while (at < end) {
        char c = *at == '\\' && !block ? unescape(&at) : *at++;
        if (c && !(block && c == '\r')) *to++ = c;
    }
    *to = '\0';
    config_setting_t *made =
        config_setting_add(innermost(lexer)->setting, name_here(lexer), CONFIG_TYPE_STRING);
    if (added(lexer, made)) config_setting_set_string(made, text);
    free(text);
}

/* Tells whether a text stands at a place of the file. */
static bool stands(const struct lexer *lexer, const char *at, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(lexer->end - at) >= n && !memcmp(at, text, n);
}

/* Takes a text between quotes, on one line; or between three, which stands for itself and may have
 * several lines. */
static void take_string(struct lexer *lexer)
{
    static const char three[] = "\"\"\"";
    bool block = stands(lexer, lexer->at, three);
    const char *quotes = block ? three : "\"", *text = lexer->at + strlen(quotes), *end = text;
    int lines = 0;
    for (; end < lexer->end && !stands(lexer, end, quotes); end++) {
        bool blank = *end == '\n' || *end == '\r' || *end == '\t';
        if ((unsigned char)*end < ' ' && !(block && blank)) break;
        lines += *end == '\n';
        if (*end == '\\' && !block && end + 1 < lexer->end) end++;
    }
    bool over = end == lexer->end || *end == '\n' || *end == '\r';
    if (!stands(lexer, end, quotes) && !over)
        lexer_fail(lexer, "byte 0x%02X within a text%s", (unsigned char)*end,
                   *end == '\t' ? ": a tab is written \\t" : "");
    else if (!stands(lexer, end, quotes))
        lexer_fail(lexer, block ? "a text in \"\"\" that is never closed by \"\"\""
                                : "a text without its closing quote on the same line");
    else if (fits(lexer, (size_t)(end - text)) &&
             begin_value(lexer, lexer->at, block ? 3 : (size_t)(end + 1 - lexer->at))) {
        add_string(lexer, text, end, block);
        while (lines-- > 0) end_line(lexer);
        lexer->line_begun = true;
        lexer->at = end + strlen(quotes);
    }
}

static void take_include(struct lexer *lexer)
{
    static const char token[] = "@include";
    const char *p = lexer->at + strlen(token);
    if (!stands(lexer, lexer->at, token)) {
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
    int length = (int)(quote - p - 1);
    if (lexer->files) source_include(lexer, p + 1, (size_t)length);
    else lexer_fail(lexer, "@include \"%.*s\" is not possible here", length, p + 1);
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
    config_setting_t *made = config_setting_add(
        innermost(lexer)->setting, name_here(lexer),
        c == '{' ? CONFIG_TYPE_GROUP : CONFIG_TYPE_LIST); /* an array refuses to mix 1 and 0.5 */
    if (!added(lexer, made)) return;
    lexer->frames[++lexer->depth] = (struct open_bracket){c, lexer->location, made};
    lexer->previous = PREVIOUS_NONE;
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
    } else if (c == ';' && !in_group(lexer)) {
        lexer_fail(lexer, "';' within '%c': values are separated by ',', or '%c' is missing",
                   innermost(lexer)->open, closing(innermost(lexer)->open));
    } else {
        lexer->previous = PREVIOUS_NONE;
        lexer->at++;
    }
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void skip_line_comment(struct lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
}

static void skip_block_comment(struct lexer *lexer)
{
    struct location begin = lexer->location;
    for (lexer->at += 2; lexer->end > lexer->at && !stands(lexer, lexer->at, "*/"); lexer->at++)
        if (*lexer->at == '\n') end_line(lexer);
    if (lexer->at == lexer->end) {
        lexer->location = begin;
        lexer_fail(lexer, "a comment /* that is never closed by */");
        return;
    }
    lexer->at += 2;
}

static void take(struct lexer *lexer)
{
    char c = *lexer->at;
    switch (c) {
    case '\n': end_line(lexer); /* fall through */
    case ' ':
    case '\t':
    case '\r':
    case '\f': lexer->at++; return;
    case '#': skip_line_comment(lexer); return;
    case '/':
        if (stands(lexer, lexer->at, "//")) skip_line_comment(lexer);
        else if (stands(lexer, lexer->at, "/*")) skip_block_comment(lexer);
        else lexer_fail(lexer, "stray character '/'");
        return;
    case '@': take_include(lexer); return;
    default: break;
    }
    lexer->line_begun = true;
    switch (c) {
    case '"': take_string(lexer); return;
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
    unsigned char byte = (unsigned char)c;
    if (is_word(c)) take_token(lexer);
    else if (!byte) lexer_fail(lexer, "a zero byte: this is not a text file");
    else if (byte >= 0xfe)
        lexer_fail(lexer, "byte 0x%02X: save the file as UTF-8, not as UTF-16", byte);
    else if (byte < ' ' || byte > 126)
        lexer_fail(lexer, "stray byte 0x%02X outside a text in quotes", byte);
    else lexer_fail(lexer, "stray character '%c'", c);
}

void lexer_begin(struct lexer *lexer, config_t *config, struct source *source,
                 struct complaints *complaints)
{
    *lexer = (struct lexer){.source = source,
                            .complaints = complaints,
                            .frames[0] = {'{', {0}, config_root_setting(config)},
                            .previous = PREVIOUS_NONE};
}

void lexer_read(struct lexer *lexer, int file, const char *text, size_t length)
{
    const char *outer_at = lexer->at, *outer_end = lexer->end;
    struct location outer_place = lexer->location;
    lexer->at = text;
    lexer->end = text + length;
    lexer->location = (struct location){file, 1};
    begin_line(lexer);
    if (stands(lexer, text, "\xef\xbb\xbf")) lexer->at += 3;
    while (!lexer->stopped && lexer->at < lexer->end) take(lexer);
    if (!outer_at || lexer->stopped) return;
    lexer->at = outer_at;
    lexer->end = outer_end;
    lexer->location = outer_place;
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
}
