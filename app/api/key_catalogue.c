/* The keys of a book, for whoever writes books: the tables that books are read by, found from that
 * of a book's file on by the names that lead to one another. */
#include <stdio.h>
#include <string.h>

#include "app/config/read_market.h"
#include "app/config/read_trades.h"
#include "app/api/pricer.h"
#include "models/scripts/library.h"

_Static_assert((int)PRICER_FORM_NUMBER == (int)FORM_NUMBER &&
                   (int)PRICER_FORM_DATE == (int)FORM_DATE &&
                   (int)PRICER_FORM_GROUPS == (int)FORM_GROUPS,
               "forms of the library are those of the tables");

/* A table as it is seen from a path: its rows, and those of the tables that may stand in its
 * place. */
struct view {
    const struct key_table *table;
    struct key_rules rules; /* of the first */
    int product;            /* whose trade it is; -1: of none */
};

/* Returns the table of the groups that a key holds; NULL where it holds none. */
static const struct key_table *table_of(const struct view *view, const struct key *key)
{
    if (key->kind == KEY_KIND_SCHEDULE) return &date_rule_table;
    if (!strcmp(key->name, "past") && view->product >= 0) return &past_tables[view->product];
    return key->table;
}

/* ---- finding a table ------------------------------------------------------------------------- */

/* Takes the table of a script of the library: its trades have `type` and no `script`. */
static bool choose_script(struct view *view, int script)
{
    const struct script_keys *keys = library_keys(script);
    if (!keys) return false;
    *view = (struct view){&keys->table, keys->rules, -1};
    view->rules.allowed &= ~table_rows(&keys->table, "script");
    view->rules.required |= table_rows(&keys->table, "type");
    return true;
}

/* Leaves the rows of the product of trades, or of the model of assets, whose name is `length` long.
 */
static bool choose(struct view *view, const char *name, size_t length)
{
    struct key_rules rules[N_TYPES];
    uint64_t must, none;
    bool trades = view->table == &trade_table;
    const char *listed;
    int i = 0;
    if (!trades && view->table != &asset_table) return false;
    while ((listed = trades ? pricer_product(i) : pricer_model(i)) &&
           (strlen(listed) != length || strncmp(listed, name, length) != 0))
        i++;
    if (!listed) return false;
    if (trades && i >= N_TYPES) return choose_script(view, i - N_TYPES);
    if (trades) {
        product_rules_set(rules);
        view->rules = rules[i];
        view->product = i;
    } else {
        model_rows(i, &asset_table, &must, &none);
        view->rules.allowed &= ~none;
        view->rules.required |= must;
    }
    return true;
}

static struct view view_of(const struct key_table *table)
{
    return (struct view){table, table_rules(table), -1};
}

/* Finds the key that a part of a path names, in any of the tables of the view. */
static const struct key *find_key(const struct view *view, const char *name, size_t length)
{
    for (const struct key_table *table = view->table; table; table = table->alternative)
        for (int i = 0; i < table->n; i++)
            if (strlen(table->keys[i].name) == length &&
                !strncmp(table->keys[i].name, name, length) &&
                (table != view->table || has_row(view->rules.allowed, i)))
                return &table->keys[i];
    return NULL;
}

/* Finds the table that a path leads to: names of keys with points between them, and in brackets the
 * product of a trade, the model of an asset. */
static bool find_view(const char *path, struct view *view)
{
    if (!path) return false;
    *view = view_of(&root_table);
    while (*path) {
        size_t length = strcspn(path, ".[");
        const struct key *key = find_key(view, path, length);
        const struct key_table *table = key ? table_of(view, key) : NULL;
        if (!table || !table->n) return false;
        *view = view_of(table);
        path += length;
        if (*path == '[') {
            size_t chosen = strcspn(++path, "]");
            if (!path[chosen] || !choose(view, path, chosen)) return false;
            path += chosen + 1;
        }
        if (*path == '.' && path[1]) path++;
        else if (*path) return false;
    }
    return true;
}

/* ---- a key ----------------------------------------------------------------------------------- */

/* Tells whether a table before this one has the key too. */
static bool is_repeated(const struct view *view, const struct key_table *table, const char *name)
{
    for (const struct key_table *before = view->table; before != table;
         before = before->alternative)
        if (table_row(before, name) >= 0) return true;
    return false;
}

/* Finds key `i` of the view, or counts them in `*n` where it has not as many. */
static const struct key *nth_key(const struct view *view, int i, int *n)
{
    *n = 0;
    for (const struct key_table *table = view->table; table; table = table->alternative)
        for (int row = 0; row < table->n; row++) {
            if (table == view->table ? !has_row(view->rules.allowed, row)
                                     : is_repeated(view, table, table->keys[row].name))
                continue;
            if ((*n)++ == i) return &table->keys[row];
        }
    return NULL;
}

/* Tells whether the group must have the key, whichever of its tables it is read by. */
static bool is_required(const struct view *view, const char *name)
{
    if (!view->table->alternative)
        return has_row(view->rules.required, table_row(view->table, name));
    for (const struct key_table *table = view->table; table; table = table->alternative) {
        int row = table_row(table, name);
        if (row < 0 || !has_row(table_rows(table, table->required), row)) return false;
    }
    return true;
}

/* Copies the words that a book may write: of a schedule those that are no other form. */
static void take_words(const struct key *key, size_t room, char *text)
{
    static const char moments[] = "continuous american";
    const char *words = key->words ? key->words : "";
    text[0] = '\0';
    for (size_t n; (n = next_word(&words)); words += n) {
        char word[SEGMENT_ROOM];
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        if (word[0] != '-' &&
            (key->kind != KEY_KIND_SCHEDULE || word_index(moments, words, n) >= 0))
            list_word(text, room, " ", word);
    }
}

static void take_range(const struct value_range *range, size_t room, char *text)
{
    static const char *const signs[] = {
        [RANGE_ANY] = "", [RANGE_ABOVE] = "> ", [RANGE_FROM] = ">= ", [RANGE_NOT] = "not "};
    int length = 0;
    text[0] = '\0';
    if (range->rule != RANGE_ANY)
        length = snprintf(text, room, "%s%.13g", signs[range->rule], range->low);
    if (range->high != 0.0)
        snprintf(text + length, room - (size_t)length, ", at most %.13g", range->high);
}

int pricer_keys(const char *table)
{
    struct view view;
    int n = 0;
    if (find_view(table, &view)) nth_key(&view, -1, &n);
    return n;
}

int pricer_key(const char *table, int i, struct pricer_key *key)
{
    struct view view;
    int n;
    const struct key *found =
        key && i >= 0 && find_view(table, &view) ? nth_key(&view, i, &n) : NULL;
    if (!found) return 0;
    struct pricer_key made = {.size = key->size,
                              .name = found->name,
                              .forms = key_forms(found),
                              .required = is_required(&view, found->name),
                              .instead_of = found->same_as,
                              .fallback = found->fallback,
                              .meaning = found->meaning};
    take_words(found, sizeof made.words, made.words);
    take_range(&found->range, sizeof made.range, made.range);
    memcpy(key, &made, key->size < sizeof made ? key->size : sizeof made);
    return 1;
}

/* ---- products and models --------------------------------------------------------------------- */

int pricer_products(void)
{
    return N_TYPES + n_library_scripts;
}

const char *pricer_product(int product)
{
    if (product < 0 || product >= pricer_products()) return NULL;
    return product < N_TYPES ? product_name(product) : library_scripts[product - N_TYPES].name;
}

int pricer_models(void)
{
    return N_MODELS;
}

const char *pricer_model(int model)
{
    return model >= 0 && model < N_MODELS ? model_name((enum model)model) : NULL;
}
