/* What desks write in the place of plain numbers, in random books: dates and tenors, rules for
 * dates, calendars, curves by date, quotes by delta, crosses, forwards, tags. Dice of their own
 * draw them, so that the rest of a book is what it is without them. */
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "models/market/date_rule.h"
#include "validation/tests/random_books/random_book.h"

static long today(void)
{
    return day_number(2026, 11, 20);
}

static const char *pick(struct dice *dice, int n, const char *const *words)
{
    return words[dice_below(dice, n)];
}

static void write_word_of(struct random_book *book, const char *name, const char *words)
{
    random_word(book->out, &book->forms, name, words);
}

static void write_calendar(struct random_book *book)
{
    write_word_of(book, "calendar",
                  "TARGET NYSE London Zurich Tokyo Stockholm TARGET+NYSE weekends");
}

/* ---- times of curves ------------------------------------------------------------------------- */

static void write_curve_times(struct random_book *book, int n, const double *times)
{
    static const char *const tenors[] = {"1W", "1M", "3M", "6M", "1Y", "18M", "2Y", "30M"};
    char date[DATE_ROOM];
    bool tenor = n <= (int)(sizeof tenors / sizeof *tenors) && dice_chance(&book->forms, 0.5);
    putc('[', book->out);
    for (int i = 0; i < n; i++)
        fprintf(book->out, "%s\"%s\"", i ? ", " : "",
                tenor ? tenors[i] : date_write(today() + 1 + i + lround(365.0 * times[i]), date));
    putc(']', book->out);
}

/* Writes a curve by dates, its values [n] as they are; of rates now and then as discount factors.
 */
void random_dated_curve(struct random_book *book, int n, const double *times,
                        const double *values_of, const char *values)
{
    double factors[8];
    bool discounts = !strcmp(values, "zero_rates") && dice_chance(&book->forms, 0.3);
    fputs("times = ", book->out);
    write_curve_times(book, n, times);
    for (int i = 0; i < n; i++) factors[i] = exp(-values_of[i] * times[i]);
    fputs("; ", book->out);
    if (discounts) random_named_list(book->out, "discount_factors", n, factors);
    else random_named_list(book->out, values, n, values_of);
    if (!discounts && dice_chance(&book->forms, 0.5))
        write_word_of(book, "day_count", day_count_words);
}

/* ---- assets ---------------------------------------------------------------------------------- */

void random_asset_forms(struct random_book *book, struct random_asset *asset)
{
    struct dice *dice = &book->forms;
    if (!book->dated) return;
    if (dice_chance(dice, 0.5)) write_calendar(book);
    if (dice_chance(dice, 0.2)) fprintf(book->out, "settlement_days = %d; ", dice_below(dice, 6));
    if (asset->foreign >= 0 && dice_chance(dice, 0.3))
        fprintf(book->out, "spot_days = %d; ", 1 + dice_below(dice, 3));
}

/* Writes the spot of an exchange rate by two others, where they are there. */
bool random_cross(struct random_book *book, struct random_asset *asset, int n)
{
    const struct random_asset *legs[2] = {NULL, NULL}, *all = book->market.assets;
    if (!book->dated || asset->foreign < 0 || !dice_chance(&book->forms, 0.7)) return false;
    for (int i = 0; i < n; i++) {
        if (all[i].foreign < 0) continue;
        bool own = all[i].currency == asset->currency || all[i].foreign == asset->currency;
        bool other = all[i].currency == asset->foreign || all[i].foreign == asset->foreign;
        if (own && !other) legs[0] = &all[i];
        if (other && !own) legs[1] = &all[i];
    }
    if (!legs[0] || !legs[1]) return false;
    /* By way of the third currency: what it and the foreign one are worth. */
    double third = legs[0]->currency == asset->currency ? legs[0]->spot : 1.0 / legs[0]->spot;
    double foreign = legs[1]->foreign == asset->foreign ? legs[1]->spot : 1.0 / legs[1]->spot;
    asset->spot = third * foreign;
    fprintf(book->out, "cross = { of = [\"%s\", \"%s\"]; }; ", legs[0]->name, legs[1]->name);
    return true;
}

/* Writes what the forwards of an asset are in the place of a yield; returns whether it did. */
bool random_forwards(struct random_book *book, const struct random_asset *asset, double rate)
{
    double times[4], numbers[4], carry = dice_real(&book->forms, -0.03, 0.03);
    int n = 1 + dice_below(&book->forms, 4);
    bool points = dice_chance(&book->forms, 0.4);
    if (!book->dated || !dice_chance(&book->forms, 0.3)) return false;
    if (dice_chance(&book->forms, 0.3)) {
        random_named(book->out, "basis", carry);
        return false;
    }
    for (int i = 0; i < n; i++) {
        times[i] = (i + 1) * 0.4;
        double forward = asset->spot * exp((rate - carry) * times[i]);
        numbers[i] = points ? (forward - asset->spot) * 10000.0 : forward;
    }
    fputs(points ? "forward_points = { " : "forwards = { ", book->out);
    random_named_list(book->out, "times", n, times);
    random_named_list(book->out, points ? "points" : "prices", n, numbers);
    fputs("}; ", book->out);
    return true;
}

static void write_quotes(struct random_book *book, const char *name, int n, double low, double high)
{
    double quotes[3], level = dice_real(&book->forms, low, high);
    for (int i = 0; i < n; i++) quotes[i] = level * (1.0 + 0.1 * i);
    random_named_list(book->out, name, n, quotes);
}

bool random_delta_quotes(struct random_book *book, const struct random_asset *asset)
{
    static const char *const times[] = {"[\"3M\", \"1Y\", \"2Y\"]", "[0.25, 1.0, 2.0]",
                                        "[\"2027-02-19\", \"2027-11-19\", \"2028-11-20\"]"};
    double at = fmin(0.3, fmax(0.05, asset->volatility));
    if (!book->dated || asset->foreign < 0 || !dice_chance(&book->forms, 0.8)) return false;
    fprintf(book->out, "volatility = { times = %s; ", pick(&book->forms, 3, times));
    write_quotes(book, "atm", 3, at, at);
    write_quotes(book, "rr25", 3, -0.08 * at, 0.08 * at);
    write_quotes(book, "bf25", 3, 0.01 * at, 0.03 * at);
    if (dice_chance(&book->forms, 0.4)) {
        write_quotes(book, "rr10", 3, -0.14 * at, 0.14 * at);
        write_quotes(book, "bf10", 3, 0.05 * at, 0.1 * at);
    }
    write_word_of(book, "delta", "spot forward");
    write_word_of(book, "butterfly", "market smile");
    if (dice_chance(&book->forms, 0.5))
        write_word_of(book, "at_the_money", "delta_neutral forward");
    fprintf(book->out, "premium_adjusted = %s; }; ",
            dice_chance(&book->forms, 0.5) ? "true" : "false");
    return true;
}

/* ---- trades ---------------------------------------------------------------------------------- */

void random_day_count(struct random_book *book, const char *key)
{
    write_word_of(book, key, day_count_words);
}

void random_tags(struct random_book *book)
{
    static const char *const desks[] = {"EQD", "FX", "a desk, with a comma", "=1+1", "Köln"};
    fprintf(book->out, "tags = { desk = \"%s\"; ", pick(&book->forms, 5, desks));
    if (dice_chance(&book->forms, 0.5))
        fprintf(book->out, "book = \"%d\"; ", dice_below(&book->forms, 30));
    fputs("}; ", book->out);
}

/* Writes the day that is so many years from today, and makes them those of the day. */
bool random_expiry(struct random_book *book, double *years)
{
    char date[DATE_ROOM];
    if (*years < 0.05 || *years > 50.0) return false;
    long day = today() + lround(365.0 * *years);
    *years = date_years(today(), day);
    fprintf(book->out, "expiry = \"%s\"; ", date_write(day, date));
    return true;
}

bool random_rule(struct random_book *book, const char *key, double years, bool seasoned)
{
    static const char *const periods[] = {"1M", "3M", "2W", "6M", "IMM", "1W"};
    struct dice *dice = &book->forms;
    bool weekly = years < 0.3, imm;
    if (!book->dated || years < 0.15 || !dice_chance(dice, 0.6)) return false;
    const char *every = weekly ? "1W" : pick(dice, years < 1.0 ? 3 : 6, periods);
    imm = !strcmp(every, "IMM");
    fprintf(book->out, "%s = { every = \"%s\"; ", key, every);
    fprintf(book->out, "from = \"%s\"; ", seasoned ? "2026-08-14" : "2026-11-20");
    if (dice_chance(dice, 0.5)) {
        write_calendar(book);
        if (dice_chance(dice, 0.7)) write_word_of(book, "roll", day_roll_words);
    }
    if (!imm) write_word_of(book, "stub", date_stub_words);
    fputs("}; ", book->out);
    return true;
}

/* ---- past closes ----------------------------------------------------------------------------- */

void random_closes(struct random_book *book, FILE *out)
{
    char date[DATE_ROOM];
    fputs("date", out);
    for (int i = 0; i < book->market.n_assets; i++)
        fprintf(out, ",%s", book->market.assets[i].name);
    for (long day = day_number(2026, 8, 1); day < today(); day++) {
        fprintf(out, "\n%s", date_write(day, date));
        for (int i = 0; i < book->market.n_assets; i++)
            fprintf(out, ",%.12g",
                    book->market.assets[i].spot * exp(0.02 * dice_normal(&book->forms)));
    }
    putc('\n', out);
}
