#include "app/config/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/text.h"
#include "app/config/word.h"

/* ---- complaints ---- */

enum { WHO_ROOM = NAME_BYTES + 32 };

/* "trade 'T7': " where a group around this place has given its id already. */
static void write_who(const struct scan *scan, char who[WHO_ROOM])
{
    who[0] = '\0';
    for (int i = scan->depth; i > 0; i--) {
        const struct frame *frame = &scan->frames[i];
        if (!frame->id_length) continue;
        const char *id = scan->source->text + frame->id_at;
        int length = text_bytes(id, NAME_CHARACTERS);
        if (length > (int)frame->id_length) length = (int)frame->id_length;
        snprintf(who, WHO_ROOM, "trade '%.*s': ", length, id);
        return;
    }
}

static void complain(struct scan *scan, const char *format, va_list values)
{
    char who[WHO_ROOM], text[512];
    write_who(scan, who);
    vsnprintf(text, sizeof text, format, values);
    complaints_add(scan->complaints, scan->source->n_lines, "%s:%d: %s%s",
                   scan->source->files[scan->place.file], scan->place.line, who, text);
    scan->faulty = true;
}

static void faulty(struct scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void faulty(struct scan *scan, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complain(scan, format, values);
    va_end(values);
}

void scan_wrong(struct scan *scan, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complain(scan, format, values);
    va_end(values);
    scan->stopped = true;
}

static void no_memory(struct scan *scan)
{
    scan->status = STATUS_NO_MEMORY;
    scan->stopped = true;
}

/* ---- the text for libconfig ---- */

static void put(struct scan *scan, const char *text, size_t length)
{
    struct source *source = scan->source;
    if (source->length + length + 1 > source->room) {
        size_t room = 2 * source->room + length + 4096;
        char *larger = realloc(source->text, room);
        if (!larger) {
            no_memory(scan);
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
static void begin_line(struct scan *scan)
{
    struct source *source = scan->source;
    if (source->n_lines == source->line_room) {
        int room = 2 * source->line_room + 256;
        struct place *larger = realloc(source->lines, (size_t)room * sizeof *larger);
        if (!larger) {
            no_memory(scan);
            return;
        }
        source->lines = larger;
        source->line_room = room;
    }
    source->lines[source->n_lines++] = scan->place;
    scan->line_begun = false;
}

static void end_line(struct scan *scan)
{
    put(scan, "\n", 1);
    scan->place.line++;
    begin_line(scan);
}

/* ---- grammar: what may stand where ---- */

static struct frame *innermost(struct scan *scan)
{
    return &scan->frames[scan->depth];
}

static bool in_group(struct scan *scan)
{
    return innermost(scan)->open == '{';
}

/* Checks that a value may stand here, and writes the comma that was waiting for it. */
static bool begin_value(struct scan *scan, const char *what, size_t length)
{
    int shown = length < 40 ? (int)length : 40;
    if (in_group(scan)) {
        if (scan->previous == PREVIOUS_EQUALS) return true;
        if (scan->previous == PREVIOUS_KEY) scan_wrong(scan, "'=' is missing before %.*s", shown, what);
        else scan_wrong(scan, "%.*s stands where a key was expected: write key = value;", shown, what);
        return false;
    }
    if (scan->previous == PREVIOUS_VALUE) {
        scan_wrong(scan, "',' is missing before %.*s", shown, what);
        return false;
    }
    if (scan->comma_pending) put(scan, ", ", 2);
    scan->comma_pending = false;
    return true;
}

static bool same_key(const struct scan *scan, size_t at, const char *key, size_t length)
{
    const char *other = scan->source->text + at;
    return !strncmp(other, key, length) && other[length] == ' ';
}

static void note_key(struct scan *scan, const char *key, size_t length)
{
    struct frame *frame = innermost(scan);
    for (int i = 0; i < frame->n_keys; i++) {
        if (!same_key(scan, frame->key_at[i], key, length)) continue;
        faulty(scan, "%.*s is given twice in one group, first on line %d: leave one out", (int)length, key,
               frame->key_place[i].line);
        return;
    }
    if (frame->n_keys == SCAN_KEYS) {
        scan_wrong(scan, "a group of more than %d keys: split it, or use a list ( {...}, {...} )", SCAN_KEYS);
        return;
    }
    frame->key_at[frame->n_keys] = scan->source->length;
    frame->key_place[frame->n_keys++] = scan->place;
}

static void take_key(struct scan *scan, const char *key, size_t length)
{
    if (!word_is_key(key, length)) {
        scan_wrong(scan, "'%.*s' stands where a key was expected: write key = value;", (int)length, key);
        return;
    }
    put(scan, "", 0);
    note_key(scan, key, length);
    put(scan, key, length);
    put(scan, " ", 1);
    scan->previous = PREVIOUS_KEY;
}

/* ---- words ---- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.+-*", c));
}

static void take_word(struct scan *scan)
{
    const char *word = scan->at;
    while (scan->at < scan->end && is_word(*scan->at)) scan->at++;
    size_t length = (size_t)(scan->at - word);
    if (length > SCAN_WORD) {
        scan_wrong(scan, "a word of more than %d characters", SCAN_WORD);
        return;
    }
    if (in_group(scan) && scan->previous != PREVIOUS_EQUALS && scan->previous != PREVIOUS_KEY) {
        take_key(scan, word, length);
        return;
    }
    char written[WORD_ROOM];
    word_write(word, length, written);
    if (!begin_value(scan, word, length)) return;
    put(scan, written, strlen(written));
    scan->previous = PREVIOUS_VALUE;
}

/* Finds the closing quote of the text that begins at `at`; NULL after a complaint. */
static const char *find_quote(struct scan *scan)
{
    const char *p = scan->at + 1;
    for (; p < scan->end && *p != '"'; p++) {
        if ((unsigned char)*p < ' ') break;
        if (*p == '\\' && p + 1 < scan->end) p++;
    }
    if (p >= scan->end || *p != '"') {
        scan_wrong(scan, "a text without its closing quote on the same line");
        return NULL;
    }
    if (p - scan->at > SCAN_STRING) {
        scan_wrong(scan, "a text of more than %d characters", SCAN_STRING);
        return NULL;
    }
    return p;
}

static void note_id(struct scan *scan, size_t length)
{
    struct frame *frame = innermost(scan);
    if (!in_group(scan) || !frame->n_keys || !same_key(scan, frame->key_at[frame->n_keys - 1], "id", 2))
        return;
    frame->id_at = scan->source->length + 1;
    frame->id_length = length;
}

static void take_string(struct scan *scan)
{
    const char *text = scan->at, *quote = find_quote(scan);
    if (!quote) return;
    size_t length = (size_t)(quote + 1 - text);
    if (!begin_value(scan, text, length)) return;
    note_id(scan, length - 2);
    put(scan, text, length);
    scan->at = quote + 1;
    scan->previous = PREVIOUS_VALUE;
}

static void take_include(struct scan *scan)
{
    static const char word[] = "@include";
    const char *p = scan->at + strlen(word);
    if ((size_t)(scan->end - scan->at) < strlen(word) || memcmp(scan->at, word, strlen(word))) {
        scan_wrong(scan, "stray character '@': only @include \"file\" begins with it");
        return;
    }
    while (p < scan->end && (*p == ' ' || *p == '\t')) p++;
    const char *quote = p < scan->end && *p == '"' ? memchr(p + 1, '"', (size_t)(scan->end - p - 1)) : NULL;
    if (scan->line_begun || !quote || memchr(p, '\n', (size_t)(quote - p)) ||
        memchr(p, '\\', (size_t)(quote - p))) {
        scan_wrong(scan,
                   "@include stands at the beginning of a line, with the file in quotes: @include \"file\"");
        return;
    }
    scan->at = quote + 1;
    scan->line_begun = true;
    scan->include(scan, p + 1, (size_t)(quote - p - 1));
}

/* ---- brackets and separators ---- */

static char closing(char open)
{
    return open == '{' ? '}' : open == '[' ? ']' : ')';
}

static void take_open(struct scan *scan, char c)
{
    if (!begin_value(scan, scan->at, 1)) return;
    if (innermost(scan)->open == '[') {
        scan_wrong(scan, "'%c' within [ ]: an array holds plain values, a list ( ) anything", c);
        return;
    }
    if (scan->depth + 1 == SCAN_DEPTH) {
        scan_wrong(scan, "more than %d brackets within one another", SCAN_DEPTH - 1);
        return;
    }
    struct frame *frame = &scan->frames[++scan->depth];
    frame->open = c;
    frame->place = scan->place;
    frame->n_keys = 0;
    frame->id_length = 0;
    put(scan, c == '{' ? "{" : "(", 1); /* a libconfig array refuses to mix 1 and 0.5 */
    scan->previous = PREVIOUS_OPEN;
    scan->at++;
}

static void take_close(struct scan *scan, char c)
{
    struct frame *frame = innermost(scan);
    if (scan->depth == 0) {
        scan_wrong(scan, "'%c' closes nothing", c);
    } else if (c != closing(frame->open)) {
        scan_wrong(scan, "'%c' where a '%c' must close the '%c' of %s:%d", c, closing(frame->open),
                   frame->open, scan->source->files[frame->place.file], frame->place.line);
    } else if (scan->previous == PREVIOUS_KEY || scan->previous == PREVIOUS_EQUALS) {
        scan_wrong(scan, "a value is missing before '%c': write key = value;", c);
    } else {
        scan->depth--;
        scan->comma_pending = false;
        put(scan, c == '}' ? "}" : ")", 1);
        scan->previous = PREVIOUS_VALUE;
        scan->at++;
    }
}

static void take_equals(struct scan *scan)
{
    if (scan->previous != PREVIOUS_KEY) {
        scan_wrong(scan, "'=' without a key before it%s",
                   in_group(scan) ? "" : ": a list holds values, or groups { key = value; }");
        return;
    }
    put(scan, "= ", 2);
    scan->previous = PREVIOUS_EQUALS;
    scan->at++;
}

static void take_separator(struct scan *scan, char c)
{
    if (scan->previous != PREVIOUS_VALUE) {
        scan_wrong(scan,
                   scan->previous == PREVIOUS_EQUALS || scan->previous == PREVIOUS_KEY
                       ? "a value is missing before '%c'"
                       : "stray '%c'",
                   c);
    } else if (in_group(scan)) {
        put(scan, "; ", 2);
        scan->previous = PREVIOUS_END;
        scan->at++;
    } else if (c == ';') {
        scan_wrong(scan, "';' within '%c': values are separated by ',', or '%c' is missing",
                   innermost(scan)->open, closing(innermost(scan)->open));
    } else {
        scan->comma_pending = true;
        scan->previous = PREVIOUS_COMMA;
        scan->at++;
    }
}

/* ---- the loop ---- */

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && *scan->at && strchr(" \t\r\f", *scan->at)) scan->at++;
    put(scan, " ", 1);
}

static void skip_line_comment(struct scan *scan)
{
    while (scan->at < scan->end && *scan->at != '\n') scan->at++;
}

static void skip_block_comment(struct scan *scan)
{
    struct place begin = scan->place;
    for (scan->at += 2; scan->end - scan->at >= 2 && (scan->at[0] != '*' || scan->at[1] != '/'); scan->at++)
        if (*scan->at == '\n') end_line(scan);
    if (scan->end - scan->at < 2) {
        scan->place = begin;
        scan_wrong(scan, "a comment /* that is never closed by */");
        return;
    }
    scan->at += 2;
    put(scan, " ", 1);
}

static void take_slash(struct scan *scan)
{
    char next = scan->end - scan->at > 1 ? scan->at[1] : '\0';
    if (next == '/') skip_line_comment(scan);
    else if (next == '*') skip_block_comment(scan);
    else scan_wrong(scan, "stray character '/'");
}

static void take_other(struct scan *scan, char c)
{
    unsigned char byte = (unsigned char)c;
    if (!byte) scan_wrong(scan, "a zero byte: this is not a text file");
    else if (byte < ' ' || byte > 126) scan_wrong(scan, "stray byte 0x%02X outside a text in quotes", byte);
    else scan_wrong(scan, "stray character '%c'", c);
}

static void take(struct scan *scan)
{
    char c = *scan->at;
    switch (c) {
    case '\n':
        end_line(scan);
        scan->at++;
        return;
    case ' ':
    case '\t':
    case '\r':
    case '\f': skip_blanks(scan); return;
    case '#': skip_line_comment(scan); return;
    case '/': take_slash(scan); return;
    case '@': take_include(scan); return;
    default: break;
    }
    scan->line_begun = true;
    switch (c) {
    case '"': take_string(scan); return;
    case '{':
    case '[':
    case '(': take_open(scan, c); return;
    case '}':
    case ']':
    case ')': take_close(scan, c); return;
    case '=':
    case ':': take_equals(scan); return;
    case ';':
    case ',': take_separator(scan, c); return;
    default: break;
    }
    if (is_word(c)) take_word(scan);
    else take_other(scan, c);
}

void scan_begin(struct scan *scan, struct source *source, struct complaints *complaints)
{
    memset(scan, 0, sizeof *scan);
    scan->source = source;
    scan->complaints = complaints;
    scan->frames[0].open = '{';
    scan->previous = PREVIOUS_END;
}

void scan_text(struct scan *scan, int file, const char *text, size_t length)
{
    const char *outer_at = scan->at, *outer_end = scan->end;
    struct place outer_place = scan->place;
    if (scan->source->n_lines) put(scan, "\n", 1);
    scan->at = text;
    scan->end = text + length;
    scan->place = (struct place){file, 1};
    begin_line(scan);
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) scan->at += 3;
    while (!scan->stopped && scan->at < scan->end) take(scan);
    if (!outer_at || scan->stopped) return;
    scan->at = outer_at;
    scan->end = outer_end;
    scan->place = outer_place;
    put(scan, "\n", 1);
    begin_line(scan);
    scan->line_begun = true;
}

void scan_end(struct scan *scan)
{
    if (scan->stopped) return;
    const struct frame *frame = innermost(scan);
    if (scan->previous == PREVIOUS_KEY || scan->previous == PREVIOUS_EQUALS)
        scan_wrong(scan, "the file ends where a value was expected");
    else if (scan->depth)
        scan_wrong(scan, "the file ends before a '%c' closes the '%c' of %s:%d", closing(frame->open),
                   frame->open, scan->source->files[frame->place.file], frame->place.line);
    else put(scan, "\n", 1);
}
