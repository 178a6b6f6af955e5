#include "kernels/cuda/device/variants.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- the names ------------------------------------------------------------------------------- */

#define OF_DEPTH(name, depth) name ":d" #depth,
#define OF_WORD(name, NAME, setting_name) name ":" #setting_name,
#define OF_BOUNDS(name, threads, blocks) name ":" #threads "x" #blocks,
#define OF_DEPTH_LAYOUT(name, depth) LAYOUTS(OF_WORD, name ":d" #depth)
#define OF_DEPTH_CACHE(name, depth) CACHES(OF_WORD, name ":d" #depth)
#define OF_FETCH(name, NAME, setting_name) CACHES(OF_WORD, name ":" #setting_name)
#define OF_DEPTH_FETCH(name, depth)                                                                \
    name ":d" #depth ":registers", FETCHES(OF_FETCH, name ":d" #depth)

#define NAMES_NOTHING(name)
#define NAMES_DEPTH(name) DEPTHS(OF_DEPTH, name)
#define NAMES_DEPTH_LAYOUT(name) DEPTHS(OF_DEPTH_LAYOUT, name)
#define NAMES_DEPTH_CACHE(name) DEPTHS(OF_DEPTH_CACHE, name)
#define NAMES_BOUNDS(name) ALL_BOUNDS(OF_BOUNDS, name)
#define NAMES_LOADS(name) WIDE_LOADS(OF_WORD, name)
#define NAMES_PATH_CODE(name) PATH_CODES(OF_WORD, name)
#define NAMES_DEPTH_FETCH(name) name ":none", DEPTHS(OF_DEPTH_FETCH, name)

const char *const variant_names[] = {
#define RUNG(name, idea, width, takes, plain, model, multi_asset) name, NAMES_##takes(name)
#include "kernels/cuda/rungs/rungs.def"
#undef RUNG
    NULL};

/* ---- the words ------------------------------------------------------------------------------- */

static const struct setting_name {
    enum setting setting;
    const char *text;
    int value;
} setting_names[] = {
#define DEPTH(context, depth) {SETTING_DEPTH, "d" #depth, depth},
#define LAYOUT(context, NAME, setting_name) {SETTING_LAYOUT, #setting_name, RING_LAYOUT_##NAME},
#define CACHE(context, NAME, setting_name) {SETTING_CACHE, #setting_name, CACHE_##NAME},
#define BOUNDS(context, threads, blocks)                                                           \
    {SETTING_BOUNDS, #threads "x" #blocks, BOUNDS_##threads##x##blocks},
#define LOADS(context, NAME, setting_name) {SETTING_LOADS, #setting_name, LOADS_##NAME},
#define FETCH(context, NAME, setting_name) {SETTING_FETCH, #setting_name, FETCH_##NAME},
#define PATH_CODE(context, NAME, setting_name) {SETTING_PATH_CODE, #setting_name, PATH_CODE_##NAME},
    DEPTHS(DEPTH, ) LAYOUTS(LAYOUT, ) CACHES(CACHE, ) ALL_BOUNDS(BOUNDS, )
        WIDE_LOADS(LOADS, ){SETTING_FETCH, "none", FETCH_NONE},
    {SETTING_FETCH, "registers", FETCH_REGISTERS},
    FETCHES(FETCH, ) PATH_CODES(PATH_CODE, )};

enum { N_SETTING_NAMES = sizeof setting_names / sizeof *setting_names };

/* The word of `length` letters at `text` that the kernel takes; NULL where there is none. */
static const struct setting_name *find_setting_name(enum takes takes, const char *text,
                                                    size_t length)
{
    for (int i = 0; i < N_SETTING_NAMES; i++) {
        if (!((unsigned)takes >> setting_names[i].setting & 1)) continue;
        if (strlen(setting_names[i].text) == length &&
            !strncmp(setting_names[i].text, text, length))
            return &setting_names[i];
    }
    return NULL;
}

static void add_text(struct message *why, const char *format, ...)
{
    size_t length = strlen(why->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text + length, sizeof why->text - length, format, arguments);
    va_end(arguments);
}

/* Says what the kernel takes: "d2, d3 or d4; thread, padded or slot". */
static void add_setting_names(enum takes takes, struct message *why)
{
    const char *before = " takes ";
    if (takes == TAKES_NOTHING) add_text(why, " takes none");
    for (int i = 0; i < N_SETTING_NAMES; i++) {
        if (!((unsigned)takes >> setting_names[i].setting & 1)) continue;
        add_text(why, "%s%s", before, setting_names[i].text);
        bool next =
            i + 1 < N_SETTING_NAMES && setting_names[i + 1].setting == setting_names[i].setting;
        bool last = next && (i + 2 == N_SETTING_NAMES ||
                             setting_names[i + 2].setting != setting_names[i].setting);
        before = !next ? "; " : last ? " or " : ", ";
    }
}

enum status variant_parse(const char *kernel, enum takes takes, const char *text,
                          struct variant *variant, struct message *why)
{
    *variant = (struct variant){{0}};
    while (*text == ':') {
        size_t length = strcspn(++text, ":");
        const struct setting_name *setting_name = find_setting_name(takes, text, length);
        why->text[0] = '\0';
        if (!setting_name) {
            add_text(why, "kernel '%s' has no setting '%.*s': it", kernel, (int)length, text);
            add_setting_names(takes, why);
            return STATUS_BAD_INPUT;
        }
        if (variant->value[setting_name->setting]) {
            add_text(why, "kernel '%s' takes one setting of a kind; '%s' is the second", kernel,
                     setting_name->text);
            return STATUS_BAD_INPUT;
        }
        variant->value[setting_name->setting] = setting_name->value;
        text += length;
    }
    return STATUS_OK;
}
