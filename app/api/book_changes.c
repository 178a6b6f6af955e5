/* Numbers of a book that are changed after it was read, and the market read once more. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/config/load_book.h"
#include "app/config/read_market.h"
#include "app/config/read_risk.h"
#include "app/config/setting_path.h"
#include "models/base/clock.h"

/* ---- the ways to a book ---------------------------------------------------------------------- */

/* Begins a call that reads a book into `to`, and refuses what it cannot be read from. */
static enum status begin_reading(struct pricer *pricer, const struct book_input *input,
                                 const char *names, const void *to)
{
    MUST(pricer_begin_with(pricer, names, input->path, to));
    if (input->n_sets < 0) MUST(pricer_say(pricer, STATUS_BAD_INPUT, "n_sets must be 0 or more"));
    if (input->n_sets) MUST(pricer_begin_with(pricer, "sets", input->sets));
    for (int i = 0; i < input->n_sets; i++)
        MUST(pricer_begin_with(pricer, "sets[i]", input->sets[i]));
    return STATUS_OK;
}

enum pricer_status book_open(struct pricer *pricer, const struct book_input *input,
                             struct pricer_book **book)
{
    struct complaints complaints = {0};
    if (book) *book = NULL;
    enum status status =
        begin_reading(pricer, input, input->text ? "name book" : "path book", book);
    if (status) return (enum pricer_status)status;
    struct pricer_book *made = *book = calloc(1, sizeof *made);
    double began = seconds_now();
    if (!made) return pricer_end(pricer, STATUS_NO_MEMORY);
    status = book_read(input, &made->book, &complaints, &made->tree);
    pricer_notify_all(pricer, PRICER_NOTE_COMPLAINT, &complaints);
    pricer_notify_all(pricer, PRICER_NOTE_REMARK, &made->book.notes);
    if (status) pricer_say(pricer, status, "%s", complaints_reason(&complaints));
    else status = pricer_settle(pricer, &made->book.settings);
    complaints_free(&complaints);
    made->pricer = pricer;
    made->seconds = seconds_now() - began;
    if (status) {
        pricer_book_free(made);
        *book = NULL;
    }
    return pricer_end(pricer, status);
}

enum pricer_status pricer_book_load(struct pricer *pricer, const char *path, int n_sets,
                                    const char *const *sets, struct pricer_book **book)
{
    const struct book_input input = {.path = path, .n_sets = n_sets, .sets = sets};
    return book_open(pricer, &input, book);
}

enum pricer_status pricer_book_read(struct pricer *pricer, const char *name, const char *text,
                                    int n_sets, const char *const *sets, struct pricer_book **book)
{
    const struct book_input input = {.path = name, .text = text, .n_sets = n_sets, .sets = sets};
    if (book) *book = NULL;
    enum status status = pricer_begin_with(pricer, "text", text);
    return status ? (enum pricer_status)status : book_open(pricer, &input, book);
}

void pricer_book_free(struct pricer_book *book)
{
    if (!book) return;
    book_tree_free(book->tree);
    book_free(&book->book);
    free(book);
}

enum pricer_status pricer_book_print(struct pricer *pricer, const char *name, const char *text,
                                     int n_sets, const char *const *sets, FILE *stream)
{
    const struct book_input input = {.path = name, .text = text, .n_sets = n_sets, .sets = sets};
    struct complaints complaints = {0};
    enum status status = begin_reading(pricer, &input, "name stream", stream);
    if (status) return (enum pricer_status)status;
    status = book_print_stated(&input, stream, &complaints);
    if (status == STATUS_BAD_INPUT)
        pricer_say(pricer, status, "%s", complaints_reason(&complaints));
    complaints_free(&complaints);
    return pricer_end(pricer, status);
}

/* ---- the market once more -------------------------------------------------------------------- */

/* Refuses other spots of a trade that expires today: what it owes was read with the old ones. */
static enum status check_expiring(const struct pricer_book *book, const struct market *now)
{
    int n = book->book.n_trades;
    for (int t = 0; t < n + book->book.n_unpriced; t++) {
        const struct unpriced_trade *unpriced = t < n ? NULL : &book->book.unpriced[t - n];
        const struct trade *trade = unpriced ? &unpriced->trade : &book->book.trades[t];
        bool today =
            trade->expiry == 0.0 && (unpriced ? unpriced->expired : trade->expired != NULL);
        for (int i = 0; today && trade->today && i < trade->n_assets; i++)
            if (now->assets[trade->assets[i]].spot !=
                book->book.market.assets[trade->assets[i]].spot)
                return pricer_say(book->pricer, STATUS_BAD_INPUT,
                                  "trade '%s' expires today at spots that have changed: make the "
                                  "book anew with them",
                                  trade->id);
    }
    return STATUS_OK;
}

enum status book_read_again(struct pricer_book *book, struct market *market,
                            struct settings *settings, bool *settings_too)
{
    struct book_tree *tree = book->tree;
    struct complaints complaints = {0}, notes = {0};
    struct risk_request risk = {0};
    struct reader reader = tree->reader;
    reader.complaints = &complaints;
    reader.notes = &notes;
    reader.drafted = true; /* what was changed says so */
    tree->source.files = book->book.files;
    tree->source.n_files = book->book.n_files;
    const config_setting_t *root = config_root_setting(&tree->config);
    config_setting_t *settings_group = config_setting_get_member(root, "settings");
    *settings = settings_default();
    if (settings_group) settings_read(&reader, settings_group, settings, &risk);
    read_market(&reader, config_setting_get_member(root, "market"), market);
    if (!reader.status && !complaints.n && tree->n_old)
        try_risk(&reader, tree->old[tree->n_old - 1].setting, market, &book->book.risk);
    tree->source.files = NULL;
    tree->source.n_files = 0;
    if (complaints.lost) reader.status = STATUS_NO_MEMORY;
    enum status status = reader.status ? reader.status : STATUS_OK;
    if (!status && complaints.n)
        status = pricer_say(book->pricer, STATUS_BAD_INPUT, "%s", complaints_reason(&complaints));
    else if (!status) status = check_expiring(book, market);
    if (!status) status = pricer_settle(book->pricer, settings);
    *settings_too = tree->settings_changed;
    reader_end(&reader);
    complaints_free(&complaints);
    complaints_free(&notes);
    if (status) market_free(market);
    return status;
}

/* ---- changes --------------------------------------------------------------------------------- */

bool book_is_changed(const struct pricer_book *book)
{
    return book->tree && book->tree->n_old;
}

void book_take_changes(struct pricer_book *book, struct market *market,
                       const struct settings *settings)
{
    const struct market before = book->book.market;
    book->book.market = *market;
    *market = before;
    book->book.settings = *settings;
    /* Levels that refer to the spots of today (`initial` is `today`) go with them. */
    for (int t = 0; t < book->book.n_trades; t++)
        trade_fix_today(&book->book.trades[t], book->book.market.assets);
    book->tree->n_old = 0;
    book->tree->settings_changed = false;
}

void book_undo_changes(struct pricer_book *book)
{
    struct book_tree *tree = book->tree;
    while (tree->n_old) {
        const struct old_number *old = &tree->old[--tree->n_old];
        if (old->added) {
            config_setting_remove(config_setting_parent(old->setting),
                                  config_setting_name(old->setting));
            continue;
        }
        old->setting->value = old->value;
        old->setting->type = (short)old->type;
    }
    tree->settings_changed = false;
}

/* A number on its way to its place. */
struct change {
    struct pricer_book *book;
    const char *path;
};

static enum status refuse(const struct change *change, const char *why)
{
    return pricer_say(change->book->pricer, STATUS_BAD_INPUT, "%.300s: %s", change->path, why);
}

/* Finds a child; the group `settings`, which a book may lack, is added. */
static config_setting_t *find_child(config_setting_t *parent, const char *part)
{
    config_setting_t *child = path_child(parent, part);
    bool absent = !child && config_setting_is_root(parent) && !strcmp(part, "settings");
    return absent ? config_setting_add(parent, part, CONFIG_TYPE_GROUP) : child;
}

/* Finds the place of a number, or adds it to the group that it is a key of. */
static enum status find_number(const struct change *change, config_setting_t **at, bool *added)
{
    char part[SEGMENT_ROOM];
    const char *path = change->path;
    *at = config_root_setting(&change->book->tree->config);
    *added = false;
    while (*path) {
        config_setting_t *parent = *at;
        if (!path_part(&path, part)) return refuse(change, "a path is as market.assets[AAPL].spot");
        if (path_twofold(parent, part))
            return refuse(change, "a number in it counts one element and is the name of another: "
                                  "write the name in quotes, as trades[\"2\"]");
        *at = find_child(parent, part);
        if (*at) continue;
        if (*path || !config_setting_is_group(parent))
            return refuse(change, "the book has no such place");
        *at = config_setting_add(parent, part, CONFIG_TYPE_FLOAT);
        if (!*at) return refuse(change, "the book has no such place");
        *added = true;
    }
    int row = table_row(&asset_table, part);
    if (row >= 0 && asset_table.keys[row].kind == KEY_KIND_COUNT)
        return refuse(change, "it says when trades pay: make the book anew with it");
    return config_setting_is_number(*at) ? STATUS_OK : refuse(change, "no number is there");
}

/* Notes how the number was, for the case that what comes of it cannot be read. */
static enum status note_old(const struct change *change, config_setting_t *at, bool added)
{
    struct book_tree *tree = change->book->tree;
    size_t n = (size_t)tree->n_old;
    struct old_number *more = realloc(tree->old, (n + 1) * sizeof *more);
    if (!more) return STATUS_NO_MEMORY;
    tree->old = more;
    more[tree->n_old++] = (struct old_number){at, at->value, config_setting_type(at), added};
    return STATUS_OK;
}

static enum status set_number(const struct change *change, double value)
{
    config_setting_t *at;
    bool added, changes_settings = !strncmp(change->path, "settings.", 9);
    if (!changes_settings && strncmp(change->path, "market.", 7) != 0)
        return refuse(change, "numbers of market and settings are changed; for others make the "
                              "book anew");
    MUST(find_number(change, &at, &added));
    if (note_old(change, at, added)) {
        if (added) config_setting_remove(config_setting_parent(at), config_setting_name(at));
        return STATUS_NO_MEMORY;
    }
    at->type = CONFIG_TYPE_FLOAT;
    at->value.fval = value;
    change->book->tree->settings_changed |= changes_settings;
    if (!setting_say_from(at, change->path)) return STATUS_NO_MEMORY;
    return STATUS_OK;
}

enum pricer_status pricer_set_number(struct pricer_results *results, const char *path, double value)
{
    if (pricer_begin_with(pricer_of(results), "path", path)) return PRICER_BAD_INPUT;
    const struct change change = {results->owner, path};
    enum status status = STATUS_OK;
    if (results->owner->n_results > 1)
        status = refuse(&change, "the book has other results, which it is the market of");
    else if (results->store.keep || results->engine_options.ranks)
        status = refuse(&change, "a run that is kept in a store, or shared, stays as it is");
    else status = set_number(&change, value);
    return pricer_end(results->pricer, status);
}

enum pricer_status pricer_set_spot(struct pricer_results *results, const char *asset, double spot)
{
    char path[2 * SEGMENT_ROOM];
    if (pricer_begin_with(pricer_of(results), "asset", asset)) return PRICER_BAD_INPUT;
    snprintf(path, sizeof path, "market.assets[%.*s].spot", SEGMENT_ROOM, asset);
    return pricer_set_number(results, path, spot);
}

/* Changes a number and reads the market anew; where that fails all is as it was. */
static enum status change_now(const struct change *change, double value)
{
    enum status status = STATUS_OK;
    struct market market = {0};
    struct settings settings;
    bool settings_too;
    TRY(set_number(change, value));
    TRY(book_read_again(change->book, &market, &settings, &settings_too));
    book_take_changes(change->book, &market, &settings);
done:
    if (status) book_undo_changes(change->book);
    market_free(&market);
    return status;
}

enum pricer_status pricer_book_set(struct pricer_book *book, const char *path, double value)
{
    if (pricer_begin_with(book ? book->pricer : NULL, "path", path)) return PRICER_BAD_INPUT;
    const struct change change = {book, path};
    return pricer_end(book->pricer,
                      book->n_results
                          ? refuse(&change, "the book has results: pricer_set_number() changes it")
                          : change_now(&change, value));
}
