/* The trades of a book. */
#ifndef PRICER_APP_CONFIG_READ_TRADES_H
#define PRICER_APP_CONFIG_READ_TRADES_H

#include "app/pricing/base/book.h"
#include "app/config/reader.h"
#include "models/payoffs/product_numbers.h"
#include "models/scripts/script.h"

/* The keys that trades have, of all products together. */
enum trade_key {
#define KEY(NAME, name, KIND, member, ...) KEY_##NAME,
#define KEY_APART(NAME, name, KIND, ...) KEY_##NAME,
#include "app/config/trade_keys.def"
    N_TRADE_KEYS
};

/* Tells whether a key was given, and whether it was read without complaint as well. */
static inline bool given(const struct reader *reader, enum trade_key key)
{
    return reader->found.at[key] != NULL;
}

static inline bool good(const struct reader *reader, enum trade_key key)
{
    return found_good(&reader->found, key);
}

/* Tells whether there are complaints about the trade. */
static inline bool complains(const struct reader *reader)
{
    return reader->complaints->n > reader->first_complaint;
}

/* The table of trade keys: a key named in payoffs.def must be a row of it. */
extern const struct key_table trade_table;

/* The keys of `past`, by product; of one without a past there are none. */
extern const struct key_table past_tables[N_PRODUCTS];

/* Sets the rules of every product: it has one `asset`; where its row asks for `assets`, those;
 * where it allows them, either. */
void product_rules_set(struct key_rules rules[N_TYPES]);

/* ---- scripts: each that trades of a book name is read once, whatever number of trades has it; the
 * keys of such a trade are those that any trade may have, and the parameters of its header ---- */

/* What a row of such a table has beside its key. */
struct script_key {
    int common;        /* the row of trade_keys.def (enum trade_key); -1: a parameter alone */
    int parameter;     /* of the script; -1: none */
    char fallback[32]; /* the text of its default */
    char meaning[160];
};

struct script_keys {
    struct key_table table;
    struct key keys[KEYS_MAX];
    struct script_key rows[KEYS_MAX];
    struct key_rules rules; /* of a trade of it: "a tarf" */
    char *words;            /* of its choices; owned */
};

/* Tells whether a row of trade_keys.def is a key of every script, whatever its header has. */
bool script_key_is_common(int row);

/* Returns the keys of script `i` of n_library_scripts, all of which are read once in the life
 * of the program; NULL without memory. */
const struct script_keys *library_keys(int i);

/* Tells whether a script of the library has a parameter of that name. */
bool library_has_key(const char *name);

/* A script of the book. Its key table points to its names. */
struct book_script {
    char *key;       /* what trades write: a product of the library, a file, or the text; owned */
    char where[300]; /* what complaints call it: "script tarf.pay" */
    struct script *script; /* empty where it is faulty; one of the list's */
    bool faulty;           /* that has been told */
    struct script_keys keys;
};

/* All of them. Begin with {0}. */
struct book_scripts {
    int n, room, script_room;
    struct book_script **list; /* [n] owned */
    struct script **scripts;   /* [n] of each; owned, until a book takes them */
    struct names keys;
};

/* Returns the script of a trade that is no built-in product: by its key `script`, a file beside the
 * book that ends in .pay or a text, or where that is NULL by its `type`, one of the library. It is
 * perhaps faulty: then there was a complaint about this trade. NULL where the library has no such
 * one, or after a complaint. */
struct book_script *find_script(struct reader *reader, const config_setting_t *script,
                                const config_setting_t *type, struct book_scripts *scripts);

/* Gives the scripts to the caller, who frees each and their list, and frees all else. */
struct script **book_scripts_take(struct book_scripts *scripts, int *n);

/* ---- the list -------------------------------------------------------------------------------- */

/* The trades read so far, of the book and of its files. Begin with {0} and the rules. */
struct trade_list {
    int n, room;
    struct trade *trades; /* [n] */
    int n_unpriced, unpriced_room;
    /* [n_unpriced] those of them that are not to be priced, in their order */
    struct unpriced_trade *unpriced;
    struct names ids, tags; /* of all trades */
    struct book_scripts scripts;
    char given_twice[SCRIPT_NAME_MOST +
                     1]; /* a key that a row of a file gives as a list and as a rule, or empty */
    struct key_rules rules[N_TYPES]; /* of each product */
};

/* Reads the trades of a list of the book. Complaints go to the reader, whatever the function here.
 * The trades' file names belong to the reader's source. */
void read_trades(struct reader *reader, const config_setting_t *at, struct trade_list *list);

/* Reads one trade, number `number` of `where` ("the list", "the file"), into the
 * list. */
void append_trade(struct reader *reader, const config_setting_t *group, const char *where,
                  int number, struct trade_list *list);

/* Frees what the reading needed and parts the trades that are to be priced from those left
 * unpriced. Both, and the scripts, are the caller's from now on. */
void trade_list_end(struct reader *reader, struct trade_list *list);

/* Notes an expiry of a weekend, and dates on which an asset's market is closed. */
void note_closed(struct reader *reader);

/* Notes levels that are perhaps a mistake: barriers that the spot of today has touched, strikes and
 * barriers far off it. What has passed of the trade is known. */
void note_levels(struct reader *reader);

/* Notes the first close of the past of the trade's i-th asset that is far off the spot. */
void note_past_close(struct reader *reader, int i, double close);

/* Notes closes of the past of a script, and levels among its parameters, that are far off the
 * spot. */
void note_script_levels(struct reader *reader);

/* Sets when the trade pays: so many business days after its expiry, by the trade or else by the
 * slowest of its assets. */
void set_payment(struct reader *reader);

/* Complains where dates have passed and the trade does not say what they saw, or says it of another
 * number. */
void check_passed(struct reader *reader);

/* Fills the trade's assets and their spots of today, and checks that they are in one currency or in
 * those of its quanto. */
void read_underlyings(struct reader *reader);

enum { TAGS_MAX = 16, TAG_NAME_MAX = 32 }; /* of a book; characters */

/* Tells whether a tag may be called so; complains where not. */
bool tag_name_is_good(struct reader *reader, const config_setting_t *at, const char *name);

/* Reads the lists of dates of a trade, which end at its expiry. */
void read_trade_schedules(struct reader *reader);

/* Tells whether a close lies on a barrier of the trade or beyond. */
bool touches(const struct trade *trade, double close);

/* Return the day on which what a day has fixed is paid, as many business days after it as the
 * trade's settlement takes; and the day that a time from today lies on. */
long paid_on(const struct reader *reader, long fixed);
long day_at(const struct reader *reader, double years);

/* Adds what a unit is still to be paid, which a day has fixed, unless that has settled before
 * today. */
void owe(struct reader *reader, long fixed, double amount);

/* Takes the complaints from number `first` on back and makes the first why it is not known what an
 * expired trade pays; `stopping` is what n_stopping of the reader was before them. */
void take_back_complaints(struct reader *reader, int first, int stopping);

/* Adds what an expired trade still pays: by today's spots where it expires today, else by the
 * closes of its last day. Where that is not known `unknown` says why. */
void owe_payment(struct reader *reader);

/* Derives what has passed of a trade from the book's fixings, where there are any and it does not
 * state its past; says of it whether its barrier has been touched. */
void season_trade(struct reader *reader);

/* Notes a past that a trade states and the fixings contradict. */
void note_contradiction(struct reader *reader);

/* Checks what one key says of another and fills the defaults that depend on other keys. */
void check_rules(struct reader *reader);

/* ---- trades that are scripts ----------------------------------------------------------------- */

/* Reads the keys of a script: those of any trade into the reader, as of a built-in product. */
void read_script_keys(struct reader *reader);

/* Makes the program of the trade, whose keys and assets have been read: gives the script its
 * numbers, its dates and the closes of those that have passed. What they have fixed and is still on
 * its way is owed; where the script has stopped, or its expiry has passed, nothing else is left. */
void bind_script(struct reader *reader);

/* ---- files of trades ------------------------------------------------------------------------- */

/* Reads the trades of a CSV file, or of a list of files, whose rows are trades and whose columns
 * are keys of the format: each row becomes the group that the book would have held, so that the
 * same reading, rules and complaints serve both. The files are named by `at`; their trades come
 * behind those that are in the list already. Complaints go to the reader. */
void read_trade_files(struct reader *reader, const config_setting_t *at, struct trade_list *list);

/* Complains of a row that gives a key in two forms. */
void refuse_given_twice(struct reader *reader, const config_setting_t *at,
                        const struct trade_list *list);

#endif
