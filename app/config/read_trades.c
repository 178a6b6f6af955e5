#include "app/config/read_trades.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "app/config/values.h"
#include "models/base/grow.h"
#include "models/scripts/library.h"

static const struct key quanto_keys[] = {
    KEY_DEFERRED("fx", FORM_TEXT | FORM_TEXTS,
                 "the exchange rate into whose currency money is paid one for one, or a list of "
                 "rates that share the currency that is paid"),
};
static const struct key_table quanto_table = KEY_TABLE("quanto", quanto_keys, .required = "fx");

/* The products' names, in their order, separated by blanks. */
#define PAYOFF(NAME, name, ...) #name " "
static const char product_words[] =
#include "models/payoffs/payoffs.def"
#include "models/payoffs/linear.def"
    ;
#undef PAYOFF

static const struct key trade_keys[N_TRADE_KEYS] = {
#define KEY(NAME, name, KIND, member, ...)                                                         \
    [KEY_##NAME] = KEY_FIELD(#name, KIND, struct trade, member, __VA_ARGS__),
#define KEY_APART(NAME, name, KIND, ...)                                                           \
    [KEY_##NAME] = {#name, KEY_KIND_##KIND, .meaning = __VA_ARGS__},
#include "app/config/trade_keys.def"
};
const struct key_table trade_table =
    KEY_TABLE("trade", trade_keys, .required = "id type asset expiry");
_Static_assert((int)N_TRADE_KEYS <= (int)KEYS_MAX, "found keys are held in one 64-bit word");
_Static_assert(sizeof(enum option) == sizeof(int), "choices are stored as int");

/* ---- which product has which keys ------------------------------------------------------------ */

static uint64_t bit(int row)
{
    return (uint64_t)1 << row;
}

void product_rules_set(struct key_rules rules[N_TYPES])
{
    uint64_t common = table_rows(&trade_table, trade_table.required);
    for (int i = 0; i < N_TYPES; i++) {
        const char *name = product_name(i);
        uint64_t required = table_rows(&trade_table, product_required_keys(i)),
                 more = table_rows(&trade_table, product_optional_keys(i));
        rules[i].required = required | (i < N_PAYOFFS ? common : bit(KEY_ID) | bit(KEY_TYPE));
        if ((required | more) & bit(KEY_ASSETS)) rules[i].required &= ~bit(KEY_ASSET);
        if (more & bit(KEY_ASSETS)) more |= bit(KEY_ASSET);
        rules[i].allowed = rules[i].required | more | bit(KEY_QUANTITY) | bit(KEY_TAGS);
        for (int row = 0; row < N_TRADE_KEYS; row++) { /* those that fill the same field */
            const char *same = trade_keys[row].same_as;
            if (same && has_row(required | more, table_row(&trade_table, same)))
                rules[i].allowed |= bit(row);
        }
        if (i < N_PAYOFFS) rules[i].allowed |= bit(KEY_SETTLEMENT_DAYS) | bit(KEY_QUANTO);
        snprintf(rules[i].owner, sizeof rules[i].owner, "%s %s",
                 strchr("aio", name[0]) ? "an" : "a", name);
    }
}

/* ---- tags ------------------------------------------------------------------------------------ */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

bool tag_name_is_good(struct reader *reader, const config_setting_t *at, const char *name)
{
    if (!*name || !strchr(letters, name[0]) || name[strspn(name, others)] ||
        strlen(name) > TAG_NAME_MAX)
        complain(reader, at,
                 "the name of a tag must be a letter and then at most %d letters, digits, _ or -, "
                 "got '%.64s'",
                 TAG_NAME_MAX - 1, name);
    else if (!strcmp(name, "asset") || !strcmp(name, "total"))
        complain(reader, at, "a tag may not be called '%s': totals are by asset without it", name);
    else return true;
    return false;
}

/* Reads the trade's tags, texts under names that a desk chooses, and counts them among those of the
 * book. */
static void read_tags(struct reader *reader, struct trade_list *list)
{
    const config_setting_t *group = reader->found.at[KEY_TAGS];
    struct trade *trade = reader->trade;
    if (!expect_group(reader, group, "tags")) return;
    int n = config_setting_length(group);
    trade->tags = reader_array(reader, (size_t)n, sizeof *trade->tags);
    for (int i = 0; i < n && !reader->status; i++) {
        const config_setting_t *at = element_of(group, i);
        const char *name = config_setting_name(at), *value;
        if (!tag_name_is_good(reader, at, name) || !(value = read_name(reader, at))) continue;
        struct tag *tag = &trade->tags[trade->n_tags++];
        *tag = (struct tag){reader_copy(reader, name), reader_copy(reader, value)};
        if (reader->status || names_find(&list->tags, name) >= 0) continue;
        if (list->tags.n == TAGS_MAX)
            complain(reader, at, "tag '%s' is one too many: the trades of a book have at most %d",
                     name, TAGS_MAX);
        else note_memory(reader, names_add(&list->tags, tag->name, (int)list->tags.n));
    }
}

/* ---- one trade ------------------------------------------------------------------------------- */

/* Complains of an unknown type. Returns whether a script of the library was meant. */
static bool refuse_type_of_trade(struct reader *reader, const config_setting_t *at,
                                 const char *name)
{
    char hint[HINT_ROOM], known[400] = "";
    struct nearest nearest = {.wanted = name};
    for (int i = 0; i < N_TYPES; i++) {
        nearest_try(&nearest, product_name(i));
        list_word(known, sizeof known, ", ", product_name(i));
    }
    for (int i = 0; i < n_library_scripts; i++) nearest_try(&nearest, library_scripts[i].name);
    complain(reader, at,
             "type \"%.40s\" is no product of this version, which has %s and the scripts of its "
             "library%s",
             name, known, nearest_hint(&nearest, hint));
    return script_library_text(nearest.best);
}

/* Reads the product: -1 after a complaint; where `type` is missing, that is complained of with the
 * other keys. Of a script fills reader->script. */
static int read_product(struct reader *reader, struct trade_list *list)
{
    const config_setting_t *at = member_of(reader->group, "type"),
                           *script = member_of(reader->group, "script");
    const char *name = at && !script ? read_text(reader, at) : NULL;
    int product = name ? word_index(product_words, name, strlen(name)) : -1;
    if (product >= 0 || (!name && !script)) return product;
    struct book_script *found = find_script(reader, script, at, &list->scripts);
    reader->is_script = script || found;
    if (!reader->is_script && !reader->status)
        reader->is_script = refuse_type_of_trade(reader, at, name);
    if (!found || found->faulty) return -1;
    reader->script = found;
    return PRODUCT_SCRIPT;
}

/* Reads schedules last, for they end at the expiry; but not a list of dates that is empty where the
 * trade says what they have seen. */
void read_trade_schedules(struct reader *reader)
{
    if (!found_good(&reader->found, KEY_EXPIRY)) return;
    for (int i = 0; i < N_TRADE_KEYS; i++) {
        const struct key *key = &trade_keys[i];
        const config_setting_t *at = reader->found.at[i];
        if (key->kind != KEY_KIND_SCHEDULE || !found_good(&reader->found, i)) continue;
        bool empty = config_setting_is_list(at) && !config_setting_length(at),
             seen = i == KEY_MONITORING ? given(reader, KEY_HIT) || given(reader, KEY_EXTREME)
                                        : given(reader, KEY_PAST);
        if ((empty && seen) || (reader->today && i == KEY_MONITORING && reader->trade->hit))
            continue;
        struct schedule *schedule =
            (struct schedule *)(void *)((char *)reader->trade + key->offset);
        if (reader->today && config_setting_is_number(at)) {
            /* Read as of its last day, a number of dates are all that day */
            int n = config_setting_get_int(at);
            if (n > 0) schedule->times = reader_array(reader, (size_t)n, sizeof(double));
            schedule->n = schedule->times ? n : 0;
        } else if (!read_schedule(reader, at, key, reader->trade->expiry, schedule, &reader->rule))
            reader->found.good &= ~bit(i);
    }
}

/* Takes the holidays of all assets together, and the longest time to spot of an exchange rate,
 * before dates are read that they say something of. */
static void set_holidays(struct reader *reader, const config_setting_t *group)
{
    const config_setting_t *one = member_of(group, "asset"), *list = member_of(group, "assets");
    int n = list && config_setting_is_list(list) ? config_setting_length(list) : 0;
    reader->holidays = (struct holidays){.lists = reader->calendars};
    reader->spot_days = 0;
    for (int i = -1; i < n; i++) {
        const config_setting_t *at = i < 0 ? one : element_of(list, i);
        const char *name = at ? config_setting_get_string(at) : NULL;
        int asset = name ? names_find(&reader->asset_names, name) : -1;
        if (asset < 0) continue;
        const struct asset_dates *dates = &reader->asset_dates[asset];
        reader->holidays.bits |= dates->holidays.bits;
        if (dates->spot_days > reader->spot_days) reader->spot_days = dates->spot_days;
    }
}

/* Reads the keys of a built-in product; where it is not known which, any. */
static void read_product_keys(struct reader *reader, int product, const struct key_rules *products)
{
    bool known = product >= 0;
    struct key_rules *rules = &reader->rules;
    *rules = known ? products[product] : table_rules(&trade_table);
    if (!known) strcpy(rules->owner, "a trade");
    /* Of a trade whose past is stated, a start that has passed need not be said: its spot is */
    if (member_of(reader->group, "past")) rules->required &= ~bit(KEY_START);
    if (!known && reader->is_script) { /* whose parameters are not known */
        rules->required = bit(KEY_ID);
        rules->allowed = table_rows(&trade_table, "id type script quantity tags quanto");
        rules->others = true;
    }
    read_keys(reader, &trade_table, rules, reader->group, reader->trade, &reader->found);
}

static void read_trade(struct reader *reader, struct trade_list *list)
{
    struct trade *trade = reader->trade;
    long day;
    int product = read_product(reader, list);
    bool known = product >= 0;
    set_holidays(reader, reader->group);
    trade->product = known ? (enum product)product : N_PRODUCTS;
    if (reader->script) read_script_keys(reader);
    else read_product_keys(reader, product, list->rules);
    read_tags(reader, list);
    reader->expiry_is_date = states_date(reader->found.at[KEY_EXPIRY], &day);
    trade->expiry_in_years =
        !reader->expiry_is_date && !states_date(reader->found.at[KEY_PAY_DATE], &day);
    trade->start_in_years = !states_date(reader->found.at[KEY_START], &day);
    if (known) read_underlyings(reader);
    if (reader->script) {
        note_closed(reader);
        set_payment(reader);
        bind_script(reader);
        note_script_levels(reader);
        return;
    }
    if (!reader->expired) {
        read_trade_schedules(reader);
        note_closed(reader);
    }
    set_payment(reader);
    if (known && reader->expired && !complains(reader)) owe_payment(reader);
    if (!known || reader->expired) return;
    check_rules(reader);
    season_trade(reader);
    check_passed(reader);
    note_contradiction(reader);
    note_levels(reader);
}

/* ---- trades that are not priced -------------------------------------------------------------- */

/* Tells whether the group of a trade says that it has expired: before the valuation date, or on
 * it. */
static bool is_expired(const struct reader *reader, const config_setting_t *group)
{
    long day;
    const config_setting_t *at = member_of(group, "expiry");
    const config_setting_t *paid = member_of(group, "pay_date");
    if (!at)
        return reader->dated == DATED && states_date(paid, &day) && day < reader->valuation_day;
    if (config_setting_is_number(at)) return setting_number(at) <= 0.0;
    return reader->dated == DATED && states_date(at, &day) && day <= reader->valuation_day;
}

/* Returns when it expired and what is still to come of it; NULL without memory. */
static char *say_expired(const struct reader *reader)
{
    char text[480], when[80], rest[280] = "";
    const struct trade *trade = reader->trade;
    const config_setting_t *at =
        reader->found.at[given(reader, KEY_PAY_DATE) ? KEY_PAY_DATE : KEY_EXPIRY];
    double expiry = trade->expiry;
    if (reader->unknown[0])
        snprintf(rest, sizeof rest, ": what it still pays is left out, for %s", reader->unknown);
    for (int i = 0; i < trade->n_owed; i++) {
        char day[DATE_ROOM];
        const struct payment *payment = &trade->owed[i];
        size_t length = strlen(rest);
        date_write(reader->valuation_day + lround(365.0 * payment->years), day);
        snprintf(rest + length, sizeof rest - length, "%s %.10g %s %s", i ? "," : ": owes",
                 trade->quantity * payment->amount, reader->dated == DATED ? "on" : "today",
                 reader->dated == DATED ? day : "");
    }
    if (reader->called) {
        date_write(reader->called, when);
        snprintf(text, sizeof text, "expired: it %s on %.10s%s",
                 reader->script ? "stopped" : "was called", when, rest);
        return strdup(text);
    }
    if (!config_setting_is_number(at))
        snprintf(when, sizeof when, "%.10s, %s the valuation date %s",
                 config_setting_get_string(at), expiry < 0.0 ? "before" : "not after",
                 reader->valuation_date);
    else if (expiry < 0.0) snprintf(when, sizeof when, "%.10g years ago", -expiry);
    else snprintf(when, sizeof when, "today, with expiry 0");
    snprintf(text, sizeof text, "expired %s%s", when, rest);
    return strdup(text);
}

enum { COMPLAINTS_SHOWN = 20 }; /* in the message of one trade; all are printed */

/* Returns the complaints from number `first` on, as one line; NULL without memory. */
static char *join_complaints(const struct complaints *complaints, int first)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    for (int i = first; i < complaints->n && i < first + COMPLAINTS_SHOWN; i++)
        fprintf(out, "%s%s", i > first ? "; " : "", complaints->list[i].line);
    if (complaints->n > first + COMPLAINTS_SHOWN)
        fprintf(out, "; and %d more", complaints->n - first - COMPLAINTS_SHOWN);
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

/* Leaves the trade unpriced that was read last: without a complaint it has expired. */
static void leave_unpriced(struct reader *reader, struct trade_list *list)
{
    struct trade *trade = reader->trade;
    bool room = !grow_array(&list->unpriced, &list->unpriced_room, list->n_unpriced + 1,
                            sizeof *list->unpriced);
    bool expired = !complains(reader);
    char *message = expired ? say_expired(reader)
                            : join_complaints(reader->complaints, reader->first_complaint);
    if (expired && reader->unknown[0] && message) remark(reader, reader->group, "%s", message);
    if (expired && trade->n_owed && message) { /* it has a value: it is priced */
        trade->expired = message;
        return;
    }
    if (given(reader, KEY_QUANTITY) && !good(reader, KEY_QUANTITY)) trade->quantity = NAN;
    if (room && message) {
        list->unpriced[list->n_unpriced++] =
            (struct unpriced_trade){.row = list->n - 1, .expired = expired, .message = message};
        return;
    }
    free(message);
    reader->status = STATUS_NO_MEMORY;
}

/* Gives a trade an id of its own where it has none: after its place in the book, or after the id
 * that another has. The place is in it, so that it is found at once however many have the same. */
static enum status name_unpriced(struct trade_list *list, struct unpriced_trade *unpriced)
{
    char base[512];
    char *id = unpriced->trade.id;
    if (id && names_find(&list->ids, id) == unpriced->row) return STATUS_OK;
    if (id) snprintf(base, sizeof base, "%s (trade %d)", id, unpriced->row + 1);
    else snprintf(base, sizeof base, "trade %d", unpriced->row + 1);
    char *name = strdup(base);
    for (int k = 2; name && names_find(&list->ids, name) >= 0; k++) {
        free(name);
        name = text_print("%s (%d)", base, k);
    }
    if (!name) return STATUS_NO_MEMORY;
    free(id);
    unpriced->trade.id = name;
    return names_add(&list->ids, name, unpriced->row);
}

/* ---- the list -------------------------------------------------------------------------------- */

void refuse_given_twice(struct reader *reader, const config_setting_t *at,
                        const struct trade_list *list)
{
    if (list->given_twice[0])
        complain(reader, at,
                 "columns %s and %s.every contradict each other: leave one of the two empty",
                 list->given_twice, list->given_twice);
}

static void begin_trade(struct reader *reader, const config_setting_t *group,
                        struct trade_list *list)
{
    struct location location = setting_location(reader, group);
    bool room = reader_grow(reader, &list->trades, &list->room, list->n + 1, sizeof *list->trades);
    reader->group = group;
    reader->trade = room ? &list->trades[list->n++] : NULL;
    if (room)
        *reader->trade = (struct trade){.file = reader->source->files[location.file],
                                        .line = location.line,
                                        .product = N_PRODUCTS,
                                        .currency = -1,
                                        .quantity = 1,
                                        .cash = 1};
    reader->found = reader->parameters = (struct found_keys){.good = 0};
    reader->rule = (struct schedule_days){0};
    reader->script = NULL;
    reader->seasoned = reader->unfixed = reader->far_close = reader->is_script = false;
    reader->called = reader->hit_day = reader->today = 0;
    reader->unknown[0] = reader->prefix[0] = '\0';
    reader->said_unknown = 0;
    reader->first_complaint = reader->complaints->n;
    reader->in_trade = reader->on_bad_trade == BAD_TRADE_REFUSE;
    reader->about = (struct subject){ABOUT_TRADE, list->n - 1};
}

void append_trade(struct reader *reader, const config_setting_t *group, const char *where,
                  int number, struct trade_list *list)
{
    begin_trade(reader, group, list);
    if (reader->trade && expect_group(reader, group, "a trade")) {
        begin_subject(reader, ABOUT_TRADE, list->n - 1, member_of(group, "id"), number, where);
        refuse_given_twice(reader, group, list);
        reader->expired = is_expired(reader, group);
        read_trade(reader, list);
        const char *id = reader->trade->id;
        int first = id ? names_find(&list->ids, id) : -1;
        if (first >= 0)
            complain_taken(reader, member_of(group, "id"), id, list->trades[first].file,
                           list->trades[first].line);
        else if (id) note_memory(reader, names_add(&list->ids, id, list->n - 1));
    }
    schedule_days_free(&reader->rule);
    if (!reader->status && (complains(reader) || reader->expired)) leave_unpriced(reader, list);
    reader->in_trade = reader->expired = false;
    reader->about.kind = ABOUT_BOOK;
    reader->holidays.bits = 0;
    reader->spot_days = 0;
    list->given_twice[0] = '\0';
}

void read_trades(struct reader *reader, const config_setting_t *at, struct trade_list *list)
{
    if (!expect_list(reader, at)) return;
    int n = config_setting_length(at);
    for (int i = 0; i < n && !reader->status; i++)
        append_trade(reader, element_of(at, i), "the list", i + 1, list);
    reader->prefix[0] = '\0';
}

void trade_list_end(struct reader *reader, struct trade_list *list)
{
    int n_priced = 0, taken = 0;
    for (int i = 0; i < list->n; i++) {
        if (taken < list->n_unpriced && list->unpriced[taken].row == i)
            list->unpriced[taken++].trade = list->trades[i];
        else list->trades[n_priced++] = list->trades[i];
    }
    list->n = n_priced;
    for (int i = 0; i < list->n_unpriced && !reader->status; i++)
        note_memory(reader, name_unpriced(list, &list->unpriced[i]));
    names_free(&list->ids);
    names_free(&list->tags);
}
