#include "app/config/read_trades.h"

#include <stdio.h>
#include <string.h>

#include "app/config/values.h"
#include "models/scripts/library.h"

static const struct key quanto_keys[] = {
    KEY_FIELD("fx", ASSET, struct trade, quanto,
              .meaning = "the exchange rate into whose currency money is paid one for one"),
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
    [KEY_##NAME] = {#name, KEY_KIND_##KIND, offsetof(struct trade, member), __VA_ARGS__},
#define KEY_WITHOUT_MEMBER(NAME, name, KIND, ...)                                                  \
    [KEY_##NAME] = {#name, KEY_KIND_##KIND, __VA_ARGS__},
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

/* Adds every row that fills the same field as one of `rows`. */
static uint64_t with_alternatives(uint64_t rows)
{
    uint64_t more = rows;
    for (int i = 0; i < N_TRADE_KEYS; i++)
        if (trade_keys[i].same_as && rows & bit(table_row(&trade_table, trade_keys[i].same_as)))
            more |= bit(i);
    return more;
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
        rules[i].allowed =
            with_alternatives(rules[i].required | more) | bit(KEY_QUANTITY) | bit(KEY_TAGS);
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

/* Counts the tag among those of the book. */
static void enter_tag(struct reader *reader, struct trade_list *list, const config_setting_t *at,
                      const char *name)
{
    if (names_find(&list->tags, name) >= 0) return;
    if (list->tags.n == TAGS_MAX)
        complain(reader, at, "tag '%s' is one too many: the trades of a book have at most %d", name,
                 TAGS_MAX);
    else note_memory(reader, names_add(&list->tags, name, (int)list->tags.n));
}

static void read_tag(struct trade_reading *reading, struct trade_list *list,
                     const config_setting_t *at)
{
    struct reader *reader = reading->reader;
    struct trade *trade = reading->trade;
    const char *name = config_setting_name(at);
    if (!tag_name_is_good(reader, at, name)) return;
    const char *value = read_name(reader, at);
    if (!value) return;
    struct tag *tag = &trade->tags[trade->n_tags++];
    *tag = (struct tag){reader_copy(reader, name), reader_copy(reader, value)};
    if (!reader->status) enter_tag(reader, list, at, tag->name);
}

/* Reads the trade's tags: texts under names that a desk chooses. */
static void read_tags(struct trade_reading *reading, struct trade_list *list)
{
    const config_setting_t *at = reading->found.at[KEY_TAGS];
    if (!at || !expect_group(reading->reader, at, "tags")) return;
    int n = config_setting_length(at);
    reading->trade->tags = reader_array(reading->reader, (size_t)n, sizeof *reading->trade->tags);
    for (int i = 0; i < n && !reading->reader->status; i++)
        read_tag(reading, list, element_of(at, i));
}

/* ---- one trade ------------------------------------------------------------------------------- */

static int find_product(const char *name)
{
    for (int i = 0; i < N_TYPES; i++)
        if (!strcmp(product_name(i), name)) return i;
    return -1;
}

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
 * other keys. Of a script fills reading->script. */
static int read_product(struct trade_reading *reading, struct trade_list *list)
{
    struct reader *reader = reading->reader;
    const config_setting_t *at = member_of(reading->group, "type"),
                           *script = member_of(reading->group, "script");
    const char *name = at && !script ? read_text(reader, at) : NULL;
    int product = name ? find_product(name) : -1;
    if (product >= 0 || (!name && !script)) return product;
    struct book_script *found = find_script(reader, script, at, &list->scripts);
    reading->is_script = script || found;
    if (!reading->is_script && !reader->status)
        reading->is_script = refuse_type_of_trade(reader, at, name);
    if (!found || found->faulty) return -1;
    reading->script = found;
    return PRODUCT_SCRIPT;
}

/* Tells whether a list of dates is empty and a live trade has said what they have seen. */
static bool dates_behind(const struct trade_reading *reading, int row)
{
    const config_setting_t *at = reading->found.at[row];
    if (!config_setting_is_list(at) || config_setting_length(at)) return false;
    if (row == KEY_MONITORING) return given(reading, KEY_HIT) || given(reading, KEY_EXTREME);
    return given(reading, KEY_PAST);
}

/* Schedules come last: they end at the expiry. */
void read_trade_schedules(struct trade_reading *reading)
{
    if (!found_good(&reading->found, KEY_EXPIRY)) return;
    for (int i = 0; i < N_TRADE_KEYS; i++) {
        const struct key *key = &trade_keys[i];
        if (key->kind != KEY_KIND_SCHEDULE || !found_good(&reading->found, i) ||
            dates_behind(reading, i) ||
            (reading->today && i == KEY_MONITORING && reading->trade->hit)) /* it says so */
            continue;
        struct schedule *schedule =
            (struct schedule *)(void *)((char *)reading->trade + key->offset);
        if (reading->today && config_setting_is_number(reading->found.at[i])) {
            /* Read as of its last day, a number of dates are all that day */
            int n = config_setting_get_int(reading->found.at[i]);
            if (n > 0) schedule->times = reader_array(reading->reader, (size_t)n, sizeof(double));
            schedule->n = schedule->times ? n : 0;
        } else if (!read_schedule(reading->reader, reading->found.at[i], key,
                                  reading->trade->expiry, schedule, &reading->rule))
            reading->found.good &= ~bit(i);
    }
}

/* Takes the holidays of an asset, if there is such a one, to those of the trade; and the days to
 * spot of an exchange rate. */
static void add_holidays(struct reader *reader, const config_setting_t *at)
{
    const char *name = config_setting_get_string(at);
    int asset = name ? names_find(&reader->asset_names, name) : -1;
    if (asset < 0) return;
    reader->holidays.bits |= reader->asset_dates[asset].holidays.bits;
    if (reader->asset_dates[asset].spot_days > reader->spot_days)
        reader->spot_days = reader->asset_dates[asset].spot_days;
}

/* Takes the holidays of all assets together, before dates are read that they say something of. */
static void set_holidays(struct reader *reader, const config_setting_t *group)
{
    config_setting_t *one = member_of(group, "asset"), *list = member_of(group, "assets");
    reader->holidays = (struct holidays){.lists = reader->calendars};
    reader->spot_days = 0;
    if (one) add_holidays(reader, one);
    for (int i = 0; list && config_setting_is_list(list) && i < config_setting_length(list); i++)
        add_holidays(reader, element_of(list, i));
}

/* Reads the keys of a built-in product; where it is not known which, any. */
static void read_product_keys(struct trade_reading *reading, int product,
                              const struct key_rules *products)
{
    bool known = product >= 0;
    struct key_rules *rules = &reading->rules;
    *rules = known ? products[product] : table_rules(&trade_table);
    if (!known) strcpy(rules->owner, "a trade");
    /* Of a trade whose past is stated, a start that has passed need not be said: its spot is */
    if (member_of(reading->group, "past")) rules->required &= ~bit(KEY_START);
    if (!known && reading->is_script) { /* whose parameters are not known */
        rules->required = bit(KEY_ID);
        rules->allowed = table_rows(&trade_table, "id type script quantity tags quanto");
        rules->others = true;
    }
    read_keys(reading->reader, &trade_table, rules, reading->group, reading->trade,
              &reading->found);
}

static void read_trade(struct trade_reading *reading, struct trade_list *list)
{
    struct reader *reader = reading->reader;
    struct trade *trade = reading->trade;
    long day;
    int before = reading->first_complaint = reader->complaints->n,
        product = read_product(reading, list);
    bool known = product >= 0;
    set_holidays(reader, reading->group);
    trade->product = known ? (enum product)product : N_PRODUCTS;
    if (reading->script) read_script_keys(reading);
    else read_product_keys(reading, product, list->rules);
    read_tags(reading, list);
    reader->expiry_is_date = states_date(reading->found.at[KEY_EXPIRY], &day);
    trade->expiry_in_years =
        !reader->expiry_is_date && !states_date(reading->found.at[KEY_PAY_DATE], &day);
    trade->start_in_years = !states_date(reading->found.at[KEY_START], &day);
    if (known) read_underlyings(reading);
    if (reading->script) {
        note_closed(reading);
        set_payment(reading);
        bind_script(reading);
        return;
    }
    if (!reader->expired) {
        read_trade_schedules(reading);
        note_closed(reading);
    }
    set_payment(reading);
    if (known && reader->expired && reader->complaints->n == before) owe_payment(reading);
    if (!known || reader->expired) return;
    check_rules(reading);
    season_trade(reading);
    check_passed(reading);
    note_levels(reading);
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Returns room for one more trade, at the place of its group; NULL without memory. */
static struct trade *next_trade(struct reader *reader, const config_setting_t *group,
                                struct trade_list *list)
{
    struct location location = setting_location(reader, group);
    if (!reader_grow(reader, &list->trades, &list->room, list->n + 1, sizeof *list->trades))
        return NULL;
    list->trades[list->n] = (struct trade){.file = reader->source->files[location.file],
                                           .line = location.line,
                                           .product = N_PRODUCTS,
                                           .quanto = -1,
                                           .currency = -1,
                                           .quantity = 1,
                                           .cash = 1};
    return &list->trades[list->n++];
}

static void enter_id(struct reader *reader, const config_setting_t *group, struct trade_list *list,
                     int i)
{
    const char *id = list->trades[i].id;
    int first = names_find(&list->ids, id);
    const config_setting_t *at = member_of(group, "id");
    if (first >= 0)
        complain_taken(reader, at, id, list->trades[first].file, list->trades[first].line);
    else note_memory(reader, names_add(&list->ids, id, i));
}

void refuse_given_twice(struct reader *reader, const config_setting_t *at,
                        const struct trade_list *list)
{
    if (list->given_twice[0])
        complain(reader, at,
                 "columns %s and %s.every contradict each other: leave one of the two empty",
                 list->given_twice, list->given_twice);
}

/* Reads the trade that is the last of the list. */
static void read_last(struct trade_reading *reading, const char *where, int number,
                      struct trade_list *list)
{
    struct reader *reader = reading->reader;
    if (!expect_group(reader, reading->group, "a trade")) return;
    set_subject(reader, "trade", member_of(reading->group, "id"), number, where);
    refuse_given_twice(reader, reading->group, list);
    reader->expired = is_expired(reader, reading->group);
    read_trade(reading, list);
    if (reading->trade->id) enter_id(reader, reading->group, list, list->n - 1);
}

void append_trade(struct reader *reader, const config_setting_t *group, const char *where,
                  int number, struct trade_list *list)
{
    int before = reader->complaints->n;
    struct trade_reading reading = {
        .reader = reader, .group = group, .trade = next_trade(reader, group, list)};
    reader->prefix[0] = '\0';
    reader->said_unknown = 0;
    if (!reading.trade) return;
    reader->in_trade = reader->on_bad_trade == BAD_TRADE_REFUSE;
    reader->about = (struct subject){ABOUT_TRADE, list->n - 1};
    read_last(&reading, where, number, list);
    schedule_days_free(&reading.rule);
    if (!reader->status && (reader->complaints->n > before || reader->expired))
        leave_unpriced(&reading, before, list);
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
    note_memory(reader, unpriced_trades_take(list));
    names_free(&list->ids);
    names_free(&list->tags);
}
