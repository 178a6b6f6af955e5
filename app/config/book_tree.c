#include "app/config/book_tree.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/calendars.h"
#include "app/config/setting_path.h"

struct book_tree *book_tree_begin(void)
{
    struct book_tree *tree = calloc(1, sizeof *tree);
    if (!tree) return NULL;
    config_init(&tree->config);
    config_set_destructor(&tree->config, free);
    return tree;
}

void book_tree_free(struct book_tree *tree)
{
    if (!tree) return;
    struct reader reader = {.n_calendars = tree->n_calendars, .calendars = tree->calendars};
    calendars_free(&reader);
    config_destroy(&tree->config);
    source_free(&tree->source);
    free(tree->old);
    free(tree);
}

void book_tree_strip(struct book_tree *tree)
{
    static const char *const groups[] = {"book", "risk", "fixings"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        config_setting_remove(config_root_setting(&tree->config), groups[i]);
    tree->source.n_files = 0; /* the book has them */
    tree->source.files = NULL;
}

struct reader book_tree_reader(struct book_tree *tree, struct complaints *complaints,
                               struct complaints *notes)
{
    struct reader reader = {.source = &tree->source,
                            .complaints = complaints,
                            .notes = notes,
                            .drafted = true, /* what was changed says so */
                            .valuation_day = tree->valuation_day,
                            .n_calendars = tree->n_calendars,
                            .calendars = tree->calendars};
    if (tree->dated) reader.dated = DATED;
    memcpy(reader.valuation_date, tree->valuation_date, sizeof reader.valuation_date);
    return reader;
}

bool copy_value(const config_setting_t *from, config_setting_t *to)
{
    const char *origin = config_setting_get_hook(from);
    if (origin && !setting_say_from(to, origin)) return false;
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT: return config_setting_set_int(to, config_setting_get_int(from));
    case CONFIG_TYPE_INT64: return config_setting_set_int64(to, config_setting_get_int64(from));
    case CONFIG_TYPE_FLOAT: return config_setting_set_float(to, config_setting_get_float(from));
    case CONFIG_TYPE_BOOL: return config_setting_set_bool(to, config_setting_get_bool(from));
    case CONFIG_TYPE_STRING: return config_setting_set_string(to, config_setting_get_string(from));
    default: break;
    }
    for (int i = 0; i < config_setting_length(from); i++) {
        const config_setting_t *at = element_of(from, i);
        config_setting_t *copy =
            config_setting_add(to, config_setting_name(at), config_setting_type(at));
        if (!copy || !copy_value(at, copy)) return false;
    }
    return true;
}
