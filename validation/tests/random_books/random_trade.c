/* One random trade: which of its product's keys it has is drawn, then each is written by its maker.
 */
#include <stdlib.h>
#include <string.h>

#include "app/config/read_trades.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/random_books/random_book.h"

enum { DATES_MAX = 12000 };

#define TOO_NEAR                                                                                   \
    0.001 /* share of dates that no book may have, as they are too near the one before */

/* A trade while it is drawn. Choices that decide which other keys there are come first. */
struct draft {
    struct random_book *book;
    struct dice *dice;
    FILE *out;
    enum product product;
    int n_assets, assets[RANDOM_ASSETS];
    int quanto; /* -1: none */
    bool by_list, weighted, two_barriers, is_call, past, memory;
    bool by_date, ruled; /* the expiry is a date; a schedule is a rule */
    int strike_type, knock, touch, kind, payout;
    double weights[RANDOM_ASSETS];
    double expiry, level, volatility; /* what strikes and barriers are drawn around */
    double barrier, lower, upper;
};

static const struct random_asset *asset_of(const struct draft *draft, int i)
{
    return &draft->book->market.assets[draft->assets[i]];
}

static bool is_product(const struct draft *draft, const char *name)
{
    return !strcmp(product_name(draft->product), name);
}

/* ---- levels and dates ------------------------------------------------------------------------ */

/* Returns a price that may be a strike or a barrier. */
static double draw_level(struct draft *draft)
{
    struct dice *dice = draft->dice;
    double level = fabs(draft->level) > 0.0 ? fabs(draft->level) : 1.0;
    double width = fmin(0.5, draft->volatility * sqrt(fmin(draft->expiry, 5.0)));
    if (!dice_hostile(dice)) return level * exp(width * dice_normal(dice));
    switch (dice_below(dice, 5)) {
    case 0: return level * dice_scale(dice, 1e-6, 1e9);
    case 1: return level;
    case 2: return level * (1.0 + dice_real(dice, -1e-12, 1e-12));
    case 3: return level * (1.0 + dice_real(dice, -1e-5, 1e-5));
    default: return level * dice_scale(dice, 0.01, 100.0);
    }
}

static double draw_expiry(struct dice *dice)
{
    if (!dice_hostile(dice)) return dice_real(dice, 0.05, 3.0);
    return dice_chance(dice, 0.5) ? dice_scale(dice, dice_chance(dice, 0.1) ? 1e-8 : 1e-6, 0.05)
                                  : dice_scale(dice, 3.0, 100.0);
}

static int draw_count(struct draft *draft)
{
    struct dice *dice = draft->dice;
    int most = 30;
    if (dice_hostile(dice)) most = dice_chance(dice, 0.1) ? DATES_MAX : 400;
    int n = 1 + dice_below(dice, most);
    return draft->expiry / n >= TIMES_APART || dice_chance(dice, TOO_NEAR) ? n : 1;
}

int random_times(struct random_book *book, double low, double high, int most, double *times)
{
    struct dice *dice = &book->dice;
    int n = 1 + dice_below(dice, most), kept = 0;
    double at = low;
    for (int i = 0; i < n && at < high; i++) {
        double step = (high - low) / n * dice_real(dice, 0.2, 1.0);
        if (dice_hostile(dice)) step = dice_scale(dice, 1e-13, 1.0) * (high - low);
        if (!dice_chance(dice, TOO_NEAR)) step = fmax(step, 1.0001 * TIMES_APART);
        at += kept || dice_chance(dice, 0.8) ? step : 0.0;
        if (at > high || (kept && !(at > times[kept - 1]))) break;
        times[kept++] = at;
    }
    if (!kept) times[kept++] = high;
    else if (dice_chance(dice, 0.5)) times[kept - 1] = high;
    return kept;
}

void random_list(FILE *out, int n, const double *numbers)
{
    putc('[', out);
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        random_number(out, numbers[i]);
    }
    putc(']', out);
}

void random_named_list(FILE *out, const char *name, int n, const double *numbers)
{
    fprintf(out, "%s = ", name);
    random_list(out, n, numbers);
    fputs("; ", out);
}

/* Dates up to the expiry, or before it. */
static void write_times(struct draft *draft, const char *name, bool before_expiry)
{
    double *times = malloc(DATES_MAX * sizeof *times);
    int most = dice_hostile(draft->dice) ? 200 : 12;
    if (!times) abort();
    int n = random_times(draft->book, 0.0, draft->expiry, most, times);
    if (before_expiry && times[n - 1] >= draft->expiry) {
        if (n > 1) n--;
        else times[0] = 0.5 * draft->expiry;
    }
    random_named_list(draft->out, name, n, times);
    free(times);
}

/* ---- makers: one for each key that depends on others, or that no table describes ------------- */

static void make_assets(struct draft *draft)
{
    fputs("assets = (", draft->out);
    for (int i = 0; i < draft->n_assets; i++)
        fprintf(draft->out, "%s\"%s\"", i ? ", " : "", asset_of(draft, i)->name);
    fputs("); ", draft->out);
}

static void make_quantity(struct draft *draft)
{
    struct dice *dice = draft->dice;
    double size = dice_scale(dice, 0.1, 1e6);
    if (dice_hostile(dice))
        size =
            dice_chance(dice, 0.5) ? dice_scale(dice, 1e-300, 1.0) : dice_scale(dice, 1.0, 1e300);
    random_named(draft->out, "quantity", dice_chance(dice, 0.3) ? -size : size);
}

/* Now and then a trade that has expired. */
static void make_expiry(struct draft *draft)
{
    bool gone = dice_hostile(draft->dice) && dice_chance(draft->dice, 0.1);
    draft->by_date = draft->by_date && !gone && random_expiry(draft->book, &draft->expiry);
    if (gone && dice_chance(draft->dice, 0.5)) fputs("expiry = \"2026-11-02\"; ", draft->out);
    else if (!draft->by_date)
        random_named(draft->out, "expiry", gone ? -draft->expiry : draft->expiry);
}

/* A no-touch pays at expiry only, and so does the rebate of a knock-in. */
static void make_pay_at(struct draft *draft)
{
    fprintf(draft->out, "pay_at = \"%s\"; ",
            draft->touch || dice_chance(draft->dice, 0.5) ? "expiry" : "hit");
}

static void make_rebate_at(struct draft *draft)
{
    fprintf(draft->out, "rebate_at = \"%s\"; ",
            draft->knock || dice_chance(draft->dice, 0.5) ? "expiry" : "hit");
}

static void make_strike(struct draft *draft)
{
    bool any = is_product(draft, "spread") || (is_product(draft, "basket") && !draft->kind);
    double strike = any ? draft->level * (1.0 + 0.3 * dice_normal(draft->dice)) : draw_level(draft);
    random_named(draft->out, "strike",
                 any && dice_hostile(draft->dice) ? dice_real(draft->dice, -1.0, 1.0) * 1e9
                                                  : strike);
}

/* On the side of the spot where the barrier lies, as a rule. */
static void make_direction(struct draft *draft)
{
    bool up = draft->barrier > draft->level;
    if (dice_hostile(draft->dice)) up = !up;
    fprintf(draft->out, "direction = \"%s\"; ", up ? "up" : "down");
}

static void make_hit(struct draft *draft)
{
    fprintf(draft->out, "hit = %s; ", dice_chance(draft->dice, 0.3) ? "true" : "false");
}

static void make_start(struct draft *draft)
{
    double share =
        dice_hostile(draft->dice) ? (dice_chance(draft->dice, 0.5) ? 0.0 : 1.0 - 1e-9) : 0.5;
    double start = share * draft->expiry * dice_real(draft->dice, 0.1, 1.0);
    random_named(draft->out, "start", draft->past ? -start : start);
}

static void make_past(struct draft *draft)
{
    struct dice *dice = draft->dice;
    fputs("past = { ", draft->out);
    if (is_product(draft, "asian")) {
        fprintf(draft->out, "count = %d; ",
                1 + dice_below(dice, dice_hostile(dice) ? 1000000 : 20));
        random_named(draft->out, "average", draw_level(draft));
    } else if (is_product(draft, "variance_swap")) {
        random_named(draft->out, "years", dice_real(dice, 0.01, 2.0));
        random_named(draft->out, "variance",
                     dice_hostile(dice) ? dice_scale(dice, 1e-9, 100.0) : 0.04);
        if (dice_chance(dice, 0.5)) random_named(draft->out, "level", draw_level(draft));
    } else if (is_product(draft, "forward_start")) {
        random_named(draft->out, "level", draw_level(draft));
    } else if (is_product(draft, "cliquet")) {
        random_named(draft->out, "level", draw_level(draft));
        if (dice_chance(dice, 0.5)) random_named(draft->out, "returns", 0.1 * dice_normal(dice));
    } else if (is_product(draft, "autocallable")) {
        int observations = 1 + dice_below(dice, dice_hostile(dice) ? 100000 : 5);
        fprintf(draft->out, "observations = %d; ", observations);
        if (draft->memory) fprintf(draft->out, "missed = %d; ", dice_below(dice, observations + 1));
    } else {
        snprintf(draft->book->unmade, sizeof draft->book->unmade, "past of %.40s",
                 product_name(draft->product));
    }
    fputs("}; ", draft->out);
}

/* One form of those that the key has. */
static void write_schedule(struct draft *draft, const struct key *key)
{
    const char *words = key->words;
    /* Derived are the pasts of what has such a schedule, but for an autocallable's without initial.
     */
    bool seasoned = draft->book->closes && !draft->past && !is_product(draft, "autocallable") &&
                    dice_chance(&draft->book->forms, 0.4);
    if (draft->by_date && strstr(words, "times") &&
        random_rule(draft->book, key->name, draft->expiry, seasoned)) {
        draft->ruled = true;
        return;
    }
    bool count = strstr(words, "count"), times = strstr(words, "times");
    const char *always = strstr(words, "continuous") ? "continuous"
                         : strstr(words, "american") ? "american"
                                                     : NULL;
    if (always && dice_chance(draft->dice, 0.5))
        fprintf(draft->out, "%s = \"%s\"; ", key->name, always);
    else if (count && (!times || dice_chance(draft->dice, 0.5))) {
        int n = draw_count(draft);
        if (is_product(draft, "american") && n > 1)
            n = 1 + n % (dice_hostile(draft->dice) ? 100 : 12);
        fprintf(draft->out, "%s = %d; ", key->name, n);
    } else write_times(draft, key->name, !strcmp(key->name, "reset_times"));
}

static void make_initial(struct draft *draft)
{
    double initial[RANDOM_ASSETS];
    for (int i = 0; i < draft->n_assets; i++) {
        double ratio = dice_hostile(draft->dice) ? dice_scale(draft->dice, 1e-3, 1e3)
                                                 : dice_real(draft->dice, 0.8, 1.3);
        initial[i] = asset_of(draft, i)->spot * ratio;
    }
    random_named_list(draft->out, "initial", draft->n_assets, initial);
}

static void make_strike_volatility(struct draft *draft)
{
    random_named(draft->out, "strike_volatility",
                 fmin(10.0, draft->volatility * dice_real(draft->dice, 0.5, 1.5)));
}

static void make_settlement_days(struct draft *draft)
{
    fprintf(draft->out, "settlement_days = %d; ", dice_below(&draft->book->forms, 6));
}

static const struct maker {
    const char *key;
    void (*write)(struct draft *draft);
} makers[] = {
    {"assets", make_assets},
    {"quantity", make_quantity},
    {"expiry", make_expiry},
    {"pay_at", make_pay_at},
    {"rebate_at", make_rebate_at},
    {"strike", make_strike},
    {"direction", make_direction},
    {"hit", make_hit},
    {"start", make_start},
    {"past", make_past},
    {"initial", make_initial},
    {"strike_volatility", make_strike_volatility},
    {"settlement_days", make_settlement_days},
};

/* Writes a key whose word, number or numbers are drawn already. Returns whether it is one. */
static bool write_drawn(struct draft *draft, const char *key)
{
    static const char *const kinds[] = {"average", "geometric", "best_of", "worst_of"};
    const struct {
        const char *key, *word; /* NULL: a number */
        double number;
    } drawn[] = {
        {"asset", asset_of(draft, 0)->name, 0.0},
        {"option", draft->is_call ? "call" : "put", 0.0},
        {"payout", draft->payout ? "asset" : "cash", 0.0},
        {"strike_type", draft->strike_type ? "floating" : "fixed", 0.0},
        {"knock", draft->knock ? "in" : "out", 0.0},
        {"touch", draft->touch ? "no" : "one", 0.0},
        {"kind", kinds[draft->kind], 0.0},
        {"barrier", NULL, draft->barrier},
        {"lower", NULL, draft->lower},
        {"upper", NULL, draft->upper},
    };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        if (strcmp(drawn[i].key, key)) continue;
        if (drawn[i].word) fprintf(draft->out, "%s = \"%s\"; ", key, drawn[i].word);
        else random_named(draft->out, key, drawn[i].number);
        return true;
    }
    bool known = true;
    if (!strcmp(key, "weights"))
        random_named_list(draft->out, key, draft->n_assets, draft->weights);
    else if (!strcmp(key, "memory"))
        fprintf(draft->out, "memory = %s; ", draft->memory ? "true" : "false");
    else if (!strcmp(key, "quanto"))
        fprintf(draft->out, "quanto = { fx = \"%s\"; }; ",
                draft->book->market.assets[draft->quanto].name);
    else if (!strcmp(key, "tags")) random_tags(draft->book);
    else if (!strcmp(key, "coupon_day_count")) random_day_count(draft->book, key);
    else known = false;
    return known;
}

/* Writes a number of money. Returns whether the key is one. */
static bool write_money(struct draft *draft, const char *key)
{
    struct dice *dice = draft->dice;
    double number;
    if (!strcmp(key, "cash")) number = dice_hostile(dice) ? dice_scale(dice, 1e-9, 1e9) : 100.0;
    else if (!strcmp(key, "notional"))
        number = dice_hostile(dice) ? dice_scale(dice, 1e-9, 1e12) : 1000.0;
    else if (!strcmp(key, "rebate")) number = dice_real(dice, 0.0, 0.2) * draft->level;
    else if (!strcmp(key, "extreme")) number = draw_level(draft);
    else return false;
    random_named(draft->out, key, number);
    return true;
}

/* Writes a fraction: a return of some size, floors below caps, or a share of a level. Returns
 * whether the key is one. */
static bool write_fraction(struct draft *draft, const char *key)
{
    static const struct {
        const char *key;
        bool is_return;
        double low, high;
    } fractions[] = {
        {"local_floor", true, -0.1, 0.0},      {"local_cap", true, 0.0, 0.1},
        {"global_floor", true, -0.2, 0.0},     {"global_cap", true, 0.0, 0.3},
        {"strike_ratio", false, 0.8, 1.2},     {"call_level", false, 0.9, 1.1},
        {"coupon", false, 0.0, 0.1},           {"coupon_level", false, 0.5, 1.0},
        {"protection_level", false, 0.4, 1.0},
    };
    struct dice *dice = draft->dice;
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        double low = fractions[i].low, high = fractions[i].high, value = 1.0;
        if (strcmp(fractions[i].key, key)) continue;
        if (fractions[i].is_return) value = dice_real(dice, low, high);
        if (dice_hostile(dice)) value *= dice_scale(dice, 1e-6, fractions[i].is_return ? 1e3 : 1e6);
        else if (!fractions[i].is_return) value = dice_real(dice, low, high);
        random_named(draft->out, key, value);
        return true;
    }
    return false;
}

static void write_key(struct draft *draft, const struct key *key)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (!strcmp(makers[i].key, key->name)) {
            makers[i].write(draft);
            return;
        }
    if (write_drawn(draft, key->name) || write_money(draft, key->name) ||
        write_fraction(draft, key->name))
        return;
    if (key->kind == KEY_KIND_SCHEDULE) write_schedule(draft, key);
    else random_key(draft->book, key);
}

/* ---- which keys ------------------------------------------------------------------------------ */

/* Says of a key that depends on what was drawn whether the trade has it; any other is left to
 * chance. */
static bool wants(struct draft *draft, const char *key, bool required)
{
    const struct {
        const char *key;
        bool may, must;
    } said[] = {
        {"id", false, false},
        {"type", false, false},
        {"asset", !draft->by_list, !draft->by_list},
        {"assets", draft->by_list, draft->by_list},
        {"quanto", draft->quanto >= 0, true},
        {"past", draft->past, true},
        {"initial", true, draft->past},
        {"memory", true, draft->memory},
        {"coupon_day_count", draft->ruled, false}, /* it counts periods of a rule */
        {"tags", draft->book->dated && dice_chance(&draft->book->forms, 0.4), true},
        {"settlement_days", draft->book->dated && dice_chance(&draft->book->forms, 0.2), true},
        {"strike", !draft->strike_type, !is_product(draft, "spread")},
        {"cash", !draft->payout, false},
        {"pay_at", true, !draft->touch},
        {"kind", draft->by_list, true},
        {"weights", draft->by_list && draft->weighted, true},
        {"barrier", !draft->two_barriers, true},
        {"direction", !draft->two_barriers, true},
        {"lower", draft->two_barriers || required, true},
        {"upper", draft->two_barriers || required, true},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (!strcmp(said[i].key, key))
            return said[i].may && (said[i].must || required || dice_chance(draft->dice, 0.5));
    return required || dice_chance(draft->dice, 0.35);
}

/* The key itself, or the other one that fills the same field. */
static const struct key *one_of_two(struct draft *draft, const struct key *key)
{
    for (int i = 0; i < trade_table.n; i++) {
        const struct key *other = &trade_table.keys[i];
        if (other->same_as && !strcmp(other->same_as, key->name) && dice_chance(draft->dice, 0.4))
            return other;
    }
    return key;
}

static void write_keys(struct draft *draft)
{
    uint64_t required = table_rows(&trade_table, product_required_keys(draft->product)) |
                        table_rows(&trade_table, trade_table.required),
             optional = table_rows(&trade_table, product_optional_keys(draft->product)) |
                        table_rows(&trade_table, "asset quantity quanto tags settlement_days");
    for (int i = 0; i < trade_table.n; i++) {
        bool must = required >> i & 1, may = optional >> i & 1;
        const struct key *key = &trade_table.keys[i];
        if ((must || may) && wants(draft, key->name, must))
            write_key(draft, one_of_two(draft, key));
    }
}

/* ---- what comes first ------------------------------------------------------------------------ */

/* An exchange rate that pays for every asset of the trade, -1 where there is none or chance will
 * not have one. */
static int draw_quanto(struct draft *draft)
{
    const struct random_market *market = &draft->book->market;
    for (int i = 0; i < market->n_assets; i++) {
        const struct random_asset *fx = &market->assets[i];
        bool fits = fx->foreign >= 0 && fx->model != MODEL_HISTORICAL;
        for (int k = 0; fits && k < draft->n_assets; k++) {
            int currency = asset_of(draft, k)->currency;
            fits = (currency == fx->currency || currency == fx->foreign) &&
                   asset_of(draft, k)->model != MODEL_HISTORICAL && draft->assets[k] != i;
        }
        if (fits && dice_chance(draft->dice, 0.3)) return i;
    }
    return -1;
}

/* More assets of the first one's currency. */
static void draw_assets(struct draft *draft, int first, bool list, bool single)
{
    const struct random_market *market = &draft->book->market;
    int most = is_product(draft, "spread") ? 2 : RANDOM_ASSETS;
    if (is_product(draft, "spread")) first = 0; /* the second asset has the currency of the first */
    draft->assets[0] = first;
    draft->n_assets = 1;
    draft->by_list = list;
    for (int k = 1; k < market->n_assets && list && draft->n_assets < most; k++) {
        int i = (first + k) % market->n_assets;
        if (market->assets[i].currency == market->assets[first].currency &&
            (most == 2 || dice_chance(draft->dice, 0.7)))
            draft->assets[draft->n_assets++] = i;
    }
    if (single && draft->n_assets == 1)
        draft->by_list = false; /* an american on a list is on two and more */
}

/* Weights, and the level of what they make. */
static void draw_level_of_assets(struct draft *draft)
{
    double sum = 0.0, logs = 0.0, total = 0.0, most = 0.0, least = HUGE_VAL;
    bool spread = is_product(draft, "spread");
    draft->weighted = dice_chance(draft->dice, 0.6);
    for (int i = 0; i < draft->n_assets; i++) {
        double weight = dice_real(draft->dice, 0.2, 1.0), spot = asset_of(draft, i)->spot;
        if (dice_hostile(draft->dice)) weight = dice_scale(draft->dice, 1e-6, 1e6);
        if (dice_hostile(draft->dice) && !draft->kind) weight = -weight;
        if (!draft->weighted) weight = draft->kind ? 1.0 : 1.0 / draft->n_assets;
        if (spread) weight = (i ? -1.0 : 1.0) * (draft->weighted ? fabs(weight) : 1.0);
        draft->weights[i] = weight;
        sum += weight * spot;
        logs += weight * log(spot);
        total += weight;
        most = fmax(most, weight * spot);
        least = fmin(least, weight * spot);
    }
    const double levels[] = {sum, exp(logs / total), most, least};
    bool basket = draft->by_list && !is_product(draft, "autocallable");
    draft->level = basket ? levels[spread ? 0 : draft->kind] : asset_of(draft, 0)->spot;
}

static bool has_key(enum product product, const char *key)
{
    uint64_t row = table_rows(&trade_table, key);
    return (table_rows(&trade_table, product_required_keys(product)) & row) ||
           (table_rows(&trade_table, product_optional_keys(product)) & row);
}

static void draw_choices(struct draft *draft)
{
    struct dice *dice = draft->dice;
    draft->expiry = draw_expiry(dice);
    draft->is_call = dice_chance(dice, 0.5);
    draft->strike_type = has_key(draft->product, "strike_type") && dice_chance(dice, 0.4);
    draft->knock = dice_chance(dice, 0.4);
    draft->touch = dice_chance(dice, 0.4);
    draft->past = has_key(draft->product, "past") && dice_chance(dice, 0.3);
    draft->memory = has_key(draft->product, "memory") && dice_chance(dice, 0.4);
    draft->payout = has_key(draft->product, "payout") && dice_chance(dice, 0.4);
    draft->kind = has_key(draft->product, "kind") ? dice_below(dice, 4) : 0;
    draft->by_date = draft->book->dated && dice_chance(&draft->book->forms, 0.6);
    draft->two_barriers = is_product(draft, "touch") && dice_chance(dice, 0.4);
}

static void draw_barriers(struct draft *draft)
{
    struct dice *dice = draft->dice;
    double width = 0.05 + fmin(1.0, 1.5 * draft->volatility * sqrt(fmin(draft->expiry, 4.0)));
    double near = dice_hostile(dice) ? dice_scale(dice, 1e-9, 0.1) : 1.0;
    draft->barrier = draft->level * exp(near * width * dice_real(dice, -1.0, 1.0));
    draft->lower = draft->level * exp(-near * width * dice_real(dice, 0.1, 1.0));
    draft->upper = draft->level * exp(near * width * dice_real(dice, 0.1, 1.0));
    if (dice_hostile(dice) && dice_chance(dice, 0.5)) draft->barrier = draw_level(draft);
    if (dice_hostile(dice) && dice_chance(dice, 0.3))
        draft->lower = draft->upper * dice_real(dice, 0.5, 1.0 - 1e-7);
    if (draft->upper <= draft->lower) draft->upper = draft->lower * 1.1;
}

void random_trade_write(struct random_book *book, enum product product, int first_asset)
{
    struct random_trade *trade = &book->trades[book->n_trades++];
    struct draft draft = {.book = book, .dice = &book->dice, .out = book->out, .product = product};
    bool list = has_key(product, "assets"), single = has_key(product, "exercise");
    trade->product = product;
    trade->model = book->market.assets[first_asset].model;
    snprintf(trade->id, sizeof trade->id, "%s-%d", product_name(product), book->n_trades);
    draw_choices(&draft);
    draw_assets(&draft, first_asset, list && (!single || dice_chance(draft.dice, 0.5)), single);
    draft.volatility = asset_of(&draft, 0)->volatility;
    draft.quanto = draw_quanto(&draft);
    draw_level_of_assets(&draft);
    draw_barriers(&draft);
    fprintf(book->out, "  { id = \"%s\"; type = \"%s\"; ", trade->id, product_name(product));
    write_keys(&draft);
    if (dice_hostile(draft.dice) && dice_chance(draft.dice, 0.05))
        fputs("strikes = [1]; ",
              book->out); /* no key of any trade: it must be refused, with its line */
    fputs("}", book->out);
}
