#include "models/scripts/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/text.h"
#include "models/scripts/reading.h"

/* ---- the description */

/* Returns where the line before `at`, which begins a line, begins. */
static size_t line_before(const char *text, size_t at)
{
    for (at--; at > 0 && text[at - 1] != '\n';) at--;
    return at;
}

/* Joins the comment lines directly above the header, which begins at `header`, into script->about.
 */
static enum status join_comments(struct script *script, size_t header)
{
    const char *text = script->text;
    while (header > 0 && text[header - 1] != '\n') header--;
    size_t from = header, n = 0;
    while (from > 0) {
        size_t line = line_before(text, from);
        if (text[line + strspn(text + line, " \t")] != '#') break;
        from = line;
    }
    char *about = script->about = malloc(header - from + 1);
    if (!about) return STATUS_NO_MEMORY;
    for (const char *at = text + from; at < text + header;) {
        const char *end = memchr(at, '\n', (size_t)(text + header - at));
        at += strspn(at, " \t#");
        const char *last = end;
        while (last > at && strchr(" \t\r", last[-1])) last--;
        if (last > at) {
            if (n) about[n++] = ' ';
            for (; at < last; at++) about[n++] = *at == '\t' ? ' ' : *at;
        }
        at = end + 1;
    }
    about[n] = '\0';
    return STATUS_OK;
}

/* ---- reading */

static void read_tokens(struct reading *reading)
{
    struct script *script = reading->script;
    while (reading_next(reading)->kind == TOKEN_LINE || reading_next(reading)->kind == TOKEN_BAD)
        reading->at++;
    int header = reading->at;
    read_header(reading);
    if (!reading->status && script->n_parameters) {
        reading->lost = false;
        read_body(reading);
    }
    if (!reading->status)
        reading->status = join_comments(script, (size_t)reading->tokens[header].at);
}

enum status script_read(const char *text, size_t length, struct script *script,
                        struct script_errors *errors)
{
    struct reading reading = {.script = script, .errors = errors};
    errors->n = 0;
    *script = (struct script){.first = -1, .asset = -1, .expiry = -1};
    memset(reading.buckets, -1, sizeof reading.buckets);
    if (length > SCRIPT_TEXT_MOST) {
        reading_complain(&reading, (struct script_place){1, 1},
                         "a script has at most %d bytes, not %zu", SCRIPT_TEXT_MOST, length);
        return STATUS_FAILED;
    }
    script->text = malloc(length + 1);
    if (!script->text) return STATUS_NO_MEMORY;
    memcpy(script->text, text, length);
    script->text[length] = '\0';
    reading.length = (int)length;
    if (reading_tokens(&reading)) read_tokens(&reading);
    free(reading.tokens);
    free(reading.heights);
    free(reading.next_symbol);
    enum status status = reading.status ? reading.status : errors->n ? STATUS_FAILED : STATUS_OK;
    if (status) script_free(script);
    return status;
}

void script_free(struct script *script)
{
    free(script->text);
    free(script->about);
    free(script->symbols);
    free(script->words);
    free(script->expressions);
    free(script->statements);
    *script = (struct script){.first = -1, .asset = -1, .expiry = -1};
}

void binding_free(struct binding *binding)
{
    for (int i = 0; binding->bound && i < binding->script->n_parameters; i++) {
        free(binding->bound[i].values);
        free(binding->bound[i].closes);
    }
    free(binding->bound);
    *binding = (struct binding){0};
}
