/* A generic reader of libconfig groups: a table says which keys a group may have, of which kind,
 * and into which field of which structure each goes. Every value of a book is read by it, so every
 * value is checked alike. */
#ifndef PRICER_APP_CONFIG_READER_H
#define PRICER_APP_CONFIG_READER_H

#include <libconfig.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/config/names.h"
#include "app/pricing/base/settings.h"
#include "app/config/setting_path.h"
#include "app/config/source.h"
#include "models/base/text.h"
#include "models/market/holidays.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

enum key_kind {
    KEY_KIND_NUMBER,   /* double; whole numbers count as well */
    KEY_KIND_COUNT,    /* int */
    KEY_KIND_BIG,      /* int64_t */
    KEY_KIND_BOOL,     /* bool */
    KEY_KIND_CHOICE,   /* int-sized enum whose constants are numbered as `words` */
    KEY_KIND_NAME,     /* char *, allocated: 1 to 64 printable characters */
    KEY_KIND_WORD,     /* char[SETTING_TEXT] */
    KEY_KIND_TIME,     /* double: years, or a date or tenor from the valuation date */
    KEY_KIND_ASSET,    /* int: index of an asset named */
    KEY_KIND_CURRENCY, /* int: index of a currency named */
    KEY_KIND_GROUP,    /* another table, into the same structure */
    KEY_KIND_SCHEDULE, /* struct schedule; read by read_schedule when the expiry is known */
    KEY_KIND_DEFERRED  /* read by the caller from found.at */
};

/* What a deferred key may hold; bits. */
enum key_form {
    FORM_NUMBER = 1,
    FORM_WHOLE = 2,
    FORM_TEXT = 4,
    FORM_BOOLEAN = 8,
    FORM_TIME = 16, /* years, or a date or tenor */
    FORM_DATE = 32, /* a date, or where its meaning says so a tenor */
    FORM_NUMBERS = 64,
    FORM_TEXTS = 128,
    FORM_TIMES = 256,
    FORM_ROWS = 512, /* a list of lists of numbers */
    FORM_GROUP = 1024,
    FORM_GROUPS = 2048
};

/* Bounds of a number; {0} bounds nothing. */
struct value_range {
    enum { RANGE_ANY, RANGE_ABOVE, RANGE_FROM, RANGE_NOT } rule; /* > low, >= low, != low */
    double low;
    double high; /* 0: none */
};

/* A row of a table of keys: one key that a group may have. */
struct key {
    const char *name;
    enum key_kind kind;
    size_t offset;
    struct value_range range;
    /* Of a choice, separated by blanks; one that begins with - is none. Of a schedule: its forms,
     * of "continuous", "count" and "times" */
    const char *words;
    const struct key_table *table; /* of a group, or of each group of a list */
    const char *same_as; /* another key that fills the same field: only one of both may be given */
    double doubtful; /* larger sizes of a number get a note: perhaps it is per cent; 0: none do */
    unsigned forms;  /* of a deferred key: enum key_form */
    const char *fallback; /* the value where it is not given, as a book writes it without quotes;
                             NULL: none, or as `meaning` says */
    const char *meaning;  /* in one line, for whoever fills it in */
};

/* Bound the number of a row, as of struct value_range. */
#define FROM(low, high) .range = {RANGE_FROM, low, high}
#define ABOVE(low, high) .range = {RANGE_ABOVE, low, high}
#define NOT(low) .range = {RANGE_NOT, low, 0}

/* Make a row: of a key that fills a member of a structure, and of one that its caller reads. Its
 * meaning comes first of what follows, then other members of struct key. */
#define KEY_FIELD(name, KIND, structure, member, ...)                                              \
    {                                                                                              \
        name, KEY_KIND_##KIND, offsetof(structure, member), .meaning = __VA_ARGS__                 \
    }
#define KEY_DEFERRED(name, form, ...)                                                              \
    {                                                                                              \
        name, KEY_KIND_DEFERRED, .forms = (form), .meaning = __VA_ARGS__                           \
    }

enum { KEYS_MAX = 64 };

/* A table of keys, and which of them a group must have. */
struct key_table {
    const char *title; /* "a currency": what a group of it is called in complaints */
    int n;
    const struct key *keys;
    const char *required; /* keys every group of it must have, separated by blanks; NULL: none */
    const struct key_table
        *alternative; /* another that a group in its place may have; NULL: none */
};

/* Makes one of all rows of an array. */
#define KEY_TABLE(title, rows, ...)                                                                \
    {                                                                                              \
        title, sizeof(rows) / sizeof *(rows), rows, __VA_ARGS__                                    \
    }

/* Those of the keys of a book, which lead to one another from that of its file on: what a group or
 * a list of groups may hold is named by the key that holds it. */
extern const struct key_table root_table, calendar_table, settings_table;
extern const struct key_table market_table, asset_table, pair_table;
extern const struct key_table rate_curve, yield_curve, basis_curve, forward_table, point_table;
extern const struct key_table volatility_table, surface_table, delta_table, dividend_table,
    fraction_table;
extern const struct key_table cross_table, heston_table, jump_table, history_table;
extern const struct key_table trade_table, date_rule_table;
extern const struct key_table risk_table, scenario_table, grid_table, past_days_table;

/* Makes the row of a list of times, or of a rule for dates. */
#define KEY_TIMES(text)                                                                            \
    KEY_DEFERRED("times", FORM_TIMES | FORM_GROUP, text, .table = &date_rule_table)

/* The settings that a group gave: for each row of its table the setting, and whether it was read
 * without complaint. */
struct found_keys {
    const config_setting_t *at[KEYS_MAX]; /* NULL where not given */
    uint64_t good;
};

/* What an asset says of the dates of its trades. */
struct asset_dates {
    struct holidays holidays;
    int settlement_days;
    int spot_days; /* business days from a deal on an exchange rate to its money; 0: no such rate */
};

/* Whose keys they are ("a european"), which it may have, and which it must; bit i is row i of the
 * table. `others` may be there as well: they are passed over. */
struct key_rules {
    char owner[80];
    uint64_t allowed, required;
    bool others;
};

/* The days of a schedule: those at which the periods of its rule begin and end, and those of its
 * dates before today, which are left out of it. */
struct schedule_days {
    int n;      /* periods; 0 where a schedule is no rule */
    long *days; /* [n + 1] owned */
    int n_passed, room;
    long *passed; /* [n_passed] owned */
};

struct fixings;

/* The state of a reading: what is read, and where its complaints go. */
struct reader {
    struct source *source;
    struct complaints *complaints;
    struct complaints *notes; /* what is allowed, and worth a line all the same */
    enum status status;       /* STATUS_NO_MEMORY once memory ran out */
    int n_stopping; /* complaints that no book is read with; the others refuse a trade each */
    enum bad_trade on_bad_trade;
    bool drafted;  /* a book made in memory: settings say by their hooks where they are from */
    bool in_trade; /* what is read now is a trade's own: a complaint refuses it alone */
    bool expired;  /* and the trade is past: its times may lie before the valuation date */
    bool strict;   /* what is doubtful is refused */
    char prefix[NAME_BYTES + 32]; /* "trade 'T7': ", or empty: what the complaints are about */
    struct subject about;
    /* Of a CSV file: where the settings in the reading stand; line 0 elsewhere */
    struct location row;
    long row_order;           /* of complaints about it */
    config_setting_t *stated; /* the list that rows are put into, not read; NULL: they are read */
    enum { DATED_NOT, DATED_WRONGLY, DATED } dated; /* by a valuation date */
    long valuation_day;
    char valuation_date[11];
    int n_currencies, n_assets;
    const struct currency *currencies;
    const struct asset *assets;
    struct names currency_names, asset_names;
    long dates_read; /* of all schedules, against a limit */
    int n_calendars;
    struct holiday_list *calendars;  /* [n_calendars] that the book names itself; owned */
    struct asset_dates *asset_dates; /* [n_assets] owned */
    /* [n_assets][n_assets], of two assets the lower index first: the line that gives their
     * correlation, 0 where none does; owned */
    int *pair_lines;
    bool default_correlation; /* pairs that no line gives have one all the same */
    /* Of the asset, or of the assets of the trade, that is read: none elsewhere */
    struct holidays holidays;
    int spot_days;
    bool expiry_is_date;   /* of the trade that is read: it does not move with the valuation date */
    uint64_t said_unknown; /* bit i: calendar i knows nothing of a year of the trade, noted once */
    bool said_moving;      /* that rules for dates do, noted once */
    const struct fixings *fixings; /* closes of the past; NULL where the book has none */

    /* ---- the trade that is read ---- */
    const config_setting_t *group;
    struct trade *trade;
    struct found_keys found; /* rows are enum trade_key */
    struct key_rules rules;  /* of those rows */
    /* Its past is from the fixings; one was missing; one that is far off has been noted */
    bool seasoned, unfixed, far_close;
    long called; /* the day that an observation of the past called it on, or that its script stopped
                    on; 0: none did */
    long hit_day; /* on which a past close touched the barrier of a trade that is hit; 0: stated */
    double hit_close;          /* that close */
    struct schedule_days rule; /* of its list of dates */
    long today;                /* the valuation day while it is read as of its last day; else 0 */
    const struct book_script *script; /* of a trade that is one; else NULL */
    bool is_script;                   /* perhaps one that could not be read: then script is NULL */
    struct found_keys parameters;     /* and its keys: rows are those of the script's table */
    int first_complaint;              /* about it, a number of the reader's */
    char unknown[200]; /* why it is not known what an expired trade pays; empty where it is */
};

/* Tells whether a row is one of some rows, of which bit i is row i; and whether it was given and
 * read without complaint. */
static inline bool has_row(uint64_t rows, int row)
{
    return rows >> row & 1;
}
static inline bool found_good(const struct found_keys *found, int row)
{
    return has_row(found->good, row);
}

/* Hands out an array of n zeros, or a copy of a text; NULL without memory, as the reader's status
 * then says. The caller frees. */
void *reader_array(struct reader *reader, size_t n, size_t size);
char *reader_copy(struct reader *reader, const char *text);

/* Grows a list as grow_array does. Whether it could; else the reader's status says so. */
bool reader_grow(struct reader *reader, void *list, int *room, int n, size_t size);

/* Frees what a reading needed: all but the calendars. */
void reader_end(struct reader *reader);

/* Takes a status of no memory for the reader's own. */
void note_memory(struct reader *reader, enum status status);

/* A complaint stops the book but in a trade; one of a key begins with what its setting is called:
 * "strike must be > 0". A book with notes only is read. A doubt, of what is perhaps a mistake, is a
 * note, or with settings.strict a complaint. */
enum remark_kind { COMPLAINT, KEY_COMPLAINT, NOTE, DOUBT };

/* Adds one at the location of a setting, which is NULL where a row of a CSV file is meant. */
void say(struct reader *reader, enum remark_kind kind, const config_setting_t *at,
         const char *format, ...) __attribute__((format(printf, 4, 5)));
#define complain(reader, ...) say(reader, COMPLAINT, __VA_ARGS__)
#define complain_key(reader, ...) say(reader, KEY_COMPLAINT, __VA_ARGS__)
#define remark(reader, ...) say(reader, NOTE, __VA_ARGS__)
#define doubt(reader, ...) say(reader, DOUBT, __VA_ARGS__)

/* Complains where a book without a valuation date gives a setting, which may be NULL; `what` begins
 * the complaint: "fixings need". */
void need_date(struct reader *reader, const config_setting_t *at, const char *what);

/* Returns where a setting stands in its file. */
struct location setting_location(const struct reader *reader, const config_setting_t *at);

/* Writes the same as complaints begin: "book.cfg:4: ", or "--set settings.kernel=wide: ". */
void setting_location_text(const struct reader *reader, const config_setting_t *at, size_t room,
                           char *text);

/* Set what complaints are about, number `i` of its kind: "asset 'DAX': ", or "asset 3 of the list:
 * " where it has no name; and that they are about nothing of its kind. */
void begin_subject(struct reader *reader, enum subject_kind kind, int i,
                   const config_setting_t *name, int number, const char *where);
void end_subject(struct reader *reader);

/* Returns a message without what complaints begin with, where it begins with it as well. */
const char *without_prefix(const struct reader *reader, const struct message *why);

/* Complains that a name is taken by what stands at a line of a file. */
void complain_taken(struct reader *reader, const config_setting_t *at, const char *name,
                    const char *file, int line);

/* Enters the name that `at` gives group i of a list; complains where it is taken. */
void enter_name(struct reader *reader, struct names *names, const config_setting_t *at,
                const char *name, int i);

/* Moves to the next word of a list separated by blanks, and returns its length, 0 at the end. */
size_t next_word(const char **words);

/* Returns the index of a word in such a list, -1 where it is none of it. */
int word_index(const char *words, const char *word, size_t length);

/* Adds a word to those of a text, behind `between` where it is not the first. */
void list_word(char *text, size_t room, const char *between, const char *word);

/* The value as a complaint shows it. */
enum { VALUE_ROOM = NAME_BYTES + 16 };
const char *show_value(const config_setting_t *at, char text[VALUE_ROOM]);

/* ---- reading: of a setting that is not given, which is NULL, nothing is read, without a complaint
 * ---- */

/* Tells whether it is a group, or a list; complains otherwise. `name` is what it is called. */
bool expect_group(struct reader *reader, const config_setting_t *at, const char *name);
bool expect_list(struct reader *reader, const config_setting_t *at);

/* Returns the length of a list, 0 after a complaint: that it is none, or longer than `most`,
 * `items` being "" or what it is of, " dividends". */
int list_length(struct reader *reader, const config_setting_t *list, int most, const char *items);

/* Returns those of a table: all of its keys are allowed, and those that it requires required. */
struct key_rules table_rules(const struct key_table *table);

/* Reads every key of a group into `target`, but those deferred. */
void read_keys(struct reader *reader, const struct key_table *table, const struct key_rules *rules,
               const config_setting_t *group, void *target, struct found_keys *found);

/* Does the same by the rules of the table. Complains where `group` is no group. Returns the rows
 * that were read without complaint. */
uint64_t read_group(struct reader *reader, const struct key_table *table,
                    const config_setting_t *group, void *target);

/* Tells whether a key is one of those rows. */
bool read_well(const struct key_table *table, uint64_t rows, const char *name);

/* Returns the rows of keys named in a text, separated by blanks; none of NULL. */
uint64_t table_rows(const struct key_table *table, const char *names);

/* Returns the forms that a book may give a key in: bits of enum key_form. */
unsigned key_forms(const struct key *key);

/* Returns the row of a key by name, -1 where there is none. */
int table_row(const struct key_table *table, const char *name);

#endif
