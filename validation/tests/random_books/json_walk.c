#include "validation/tests/random_books/json_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step_state {
    const char *at;
    char path[512];
    size_t length; /* of the path */
    void (*tell)(void *context, const struct json_value *value);
    void *context;
};

static void skip_blanks(struct step_state *walk)
{
    walk->at += strspn(walk->at, " \t\r\n");
}

static bool take(struct step_state *walk, char character)
{
    skip_blanks(walk);
    if (*walk->at != character) return false;
    walk->at++;
    return true;
}

/* Goes past a text in quotes; what stands between them begins at *begin. */
static bool take_text(struct step_state *walk, const char **begin, size_t *length)
{
    if (!take(walk, '"')) return false;
    *begin = walk->at;
    for (; *walk->at != '"'; walk->at++) {
        if ((unsigned char)*walk->at < ' ') return false;
        if (*walk->at != '\\') continue;
        walk->at++;
        if (!*walk->at || !strchr("\"\\/bfnrtu", *walk->at)) return false;
        if (*walk->at != 'u') continue;
        if (strspn(walk->at + 1, "0123456789abcdefABCDEF") < 4) return false;
        walk->at += 4;
    }
    *length = (size_t)(walk->at++ - *begin);
    return true;
}

/* Goes past -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?, which has no nan, no inf and no leading
 * 0 or +. */
static bool take_number(struct step_state *walk)
{
    static const char digits[] = "0123456789";
    const char *at = walk->at + (*walk->at == '-');
    size_t n = strspn(at, digits);
    if (!n || (n > 1 && *at == '0')) return false;
    at += n;
    if (*at == '.') {
        n = strspn(++at, digits);
        if (!n) return false;
        at += n;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+';
        n = strspn(at, digits);
        if (!n) return false;
        at += n;
    }
    walk->at = at;
    return true;
}

static bool take_value(struct step_state *walk, int depth);

static bool take_members(struct step_state *walk, int depth, char end, bool named)
{
    size_t before = walk->length;
    if (take(walk, end)) return true;
    for (int i = 0;; i++) {
        const char *name = "";
        size_t length = 0;
        if (named && (!take_text(walk, &name, &length) || !take(walk, ':'))) return false;
        int room = (int)(sizeof walk->path - before);
        int n = named ? snprintf(walk->path + before, (size_t)room, "%s%.*s", before ? "." : "",
                                 (int)length, name)
                      : snprintf(walk->path + before, (size_t)room, "[%d]", i);
        if (n < 0 || n >= room) return false;
        walk->length = before + (size_t)n;
        if (!take_value(walk, depth + 1)) return false;
        walk->length = before;
        walk->path[before] = '\0';
        if (take(walk, end)) return true;
        if (!take(walk, ',')) return false;
    }
}

static bool take_token(struct step_state *walk, struct json_value *value)
{
    static const char *const words[] = {
        [JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null"};
    for (int i = JSON_TRUE; i <= JSON_NULL; i++) {
        if (strncmp(walk->at, words[i], strlen(words[i]))) continue;
        walk->at += strlen(words[i]);
        value->kind = (enum json_kind)i;
        return true;
    }
    return false;
}

static bool take_value(struct step_state *walk, int depth)
{
    struct json_value value = {.path = walk->path};
    if (depth > 32) return false;
    if (take(walk, '{')) return take_members(walk, depth, '}', true);
    if (take(walk, '[')) return take_members(walk, depth, ']', false);
    value.text = walk->at;
    if (*walk->at == '"') {
        value.kind = JSON_TEXT;
        if (!take_text(walk, &value.text, &value.length)) return false;
    } else if (*walk->at == '-' || (*walk->at >= '0' && *walk->at <= '9')) {
        value.kind = JSON_NUMBER;
        if (!take_number(walk)) return false;
        value.number = strtod(value.text, NULL);
    } else if (!take_token(walk, &value)) return false;
    walk->tell(walk->context, &value);
    return true;
}

const char *json_walk(const char *text, void (*tell)(void *context, const struct json_value *value),
                      void *context)
{
    struct step_state walk = {.at = text, .tell = tell, .context = context};
    if (!take_value(&walk, 0)) return walk.at;
    skip_blanks(&walk);
    return *walk.at ? walk.at : NULL;
}
