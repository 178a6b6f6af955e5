#include "kernels/cuda/variants.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- the names --------------------------------------------------------------------------------------- */

#define OF_DEPTH(name, depth) name ":d" #depth,
#define OF_WORD(name, NAME, word) name ":" #word,
#define OF_BOUNDS(name, threads, blocks) name ":" #threads "x" #blocks,
#define OF_TYPE(name, type) name ":" #type,
#define OF_DEPTH_LAYOUT(name, depth) LAYOUTS(OF_WORD, name ":d" #depth)
#define OF_DEPTH_CACHE(name, depth) CACHES(OF_WORD, name ":d" #depth)
#define OF_FETCH(name, NAME, word) CACHES(OF_WORD, name ":" #word)
#define OF_DEPTH_FETCH(name, depth) name ":d" #depth ":registers", FETCHES(OF_FETCH, name ":d" #depth)

#define NAMES_NOTHING(name)
#define NAMES_DEPTH(name) DEPTHS(OF_DEPTH, name)
#define NAMES_DEPTH_LAYOUT(name) DEPTHS(OF_DEPTH_LAYOUT, name)
#define NAMES_DEPTH_CACHE(name) DEPTHS(OF_DEPTH_CACHE, name)
#define NAMES_BOUNDS(name) ALL_BOUNDS(OF_BOUNDS, name)
#define NAMES_LOADS(name) WIDE_LOADS(OF_WORD, name)
#define OF_SCENARIOS(name, n) name ":s" #n,
#define NAMES_STORED_SCENARIOS(name) STORED_TYPES(OF_TYPE, name) NAMES_SCENARIOS(name)
#define NAMES_SCENARIOS(name) SCENARIOS(OF_SCENARIOS, name)
#define NAMES_SCENARIOS_WALK(name) WALKS(OF_WORD, name) NAMES_SCENARIOS(name)
#define NAMES_DEPTH_FETCH(name) name ":none", DEPTHS(OF_DEPTH_FETCH, name)

const char *const variant_names[] = {
#define RUNG(function, name, idea, width, takes, model, several) name, NAMES_##takes(name)
#include "kernels/cuda/rungs.def"
#undef RUNG
    NULL};

/* ---- the words --------------------------------------------------------------------------------------- */

static const struct word {
    enum setting setting;
    const char *text;
    int value;
} words[] = {
#define DEPTH(of, depth) {SETTING_DEPTH, "d" #depth, depth},
#define LAYOUT(of, NAME, word) {SETTING_LAYOUT, #word, LAYOUT_##NAME},
#define CACHE(of, NAME, word) {SETTING_CACHE, #word, CACHE_##NAME},
#define BOUNDS(of, threads, blocks) {SETTING_BOUNDS, #threads "x" #blocks, BOUNDS_##threads##x##blocks},
#define LOADS(of, NAME, word) {SETTING_LOADS, #word, LOADS_##NAME},
#define STORED(of, type) {SETTING_STORED, #type, sizeof(type)},
#define OF_THREAD(of, n) {SETTING_SCENARIOS, "s" #n, n},
#define FETCH(of, NAME, word) {SETTING_FETCH, #word, FETCH_##NAME},
#define WALK(of, NAME, word) {SETTING_WALK, #word, WALKS_##NAME},
    DEPTHS(DEPTH, ) LAYOUTS(LAYOUT, ) CACHES(CACHE, ) ALL_BOUNDS(BOUNDS, ) WIDE_LOADS(LOADS, )
        STORED_TYPES(STORED, ) SCENARIOS(OF_THREAD, ){SETTING_FETCH, "none", FETCH_NONE},
    {SETTING_FETCH, "registers", FETCH_REGISTERS},
    FETCHES(FETCH, ) WALKS(WALK, )};

enum { N_WORDS = sizeof words / sizeof *words };

/* The word of `length` letters at `text` that the kernel takes; NULL where there is none. */
static const struct word *find_word(enum takes takes, const char *text, size_t length)
{
    for (int i = 0; i < N_WORDS; i++) {
        if (!((unsigned)takes >> words[i].setting & 1)) continue;
        if (strlen(words[i].text) == length && !strncmp(words[i].text, text, length)) return &words[i];
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
static void add_words(enum takes takes, struct message *why)
{
    const char *before = " takes ";
    if (takes == TAKES_NOTHING) add_text(why, " takes none");
    for (int i = 0; i < N_WORDS; i++) {
        if (!((unsigned)takes >> words[i].setting & 1)) continue;
        add_text(why, "%s%s", before, words[i].text);
        bool next = i + 1 < N_WORDS && words[i + 1].setting == words[i].setting;
        bool last = next && (i + 2 == N_WORDS || words[i + 2].setting != words[i].setting);
        before = !next ? "; " : last ? " or " : ", ";
    }
}

enum status variant_parse(const char *kernel, enum takes takes, const char *text, struct variant *variant,
                          struct message *why)
{
    *variant = (struct variant){{0}};
    while (*text == ':') {
        size_t length = strcspn(++text, ":");
        const struct word *word = find_word(takes, text, length);
        why->text[0] = '\0';
        if (!word) {
            add_text(why, "kernel '%s' has no setting '%.*s': it", kernel, (int)length, text);
            add_words(takes, why);
            return STATUS_BAD_INPUT;
        }
        if (variant->of[word->setting]) {
            add_text(why, "kernel '%s' takes one setting of a kind; '%s' is the second", kernel, word->text);
            return STATUS_BAD_INPUT;
        }
        variant->of[word->setting] = word->value;
        text += length;
    }
    return STATUS_OK;
}
