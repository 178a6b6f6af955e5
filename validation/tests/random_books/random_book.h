/* Random books of every product and model of the program's tables, some ordinary, some as hostile
 * as the format allows. A key that a table gains is drawn by its kind and range; one that only its
 * own code can read needs a maker here, and the book says so until it has one. */
#ifndef PRICER_VALIDATION_TESTS_RANDOM_BOOK_H
#define PRICER_VALIDATION_TESTS_RANDOM_BOOK_H

#include <stdio.h>

#include "app/config/reader.h"
#include "models/market/market.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/dice.h"

enum { RANDOM_ASSETS = 7, RANDOM_TRADES = 20 };

struct random_asset {
    char name[16];
    int currency, foreign; /* foreign: -1 but for an exchange rate */
    enum model model;
    double spot, volatility, carry; /* about: carry is what the forward grows by a year */
};

struct random_market {
    int n_currencies, n_assets;
    double rates[3]; /* about, of each currency */
    struct random_asset assets[RANDOM_ASSETS];
};

struct random_trade {
    char id[32]; /* product, model of its first asset, number */
    enum product product;
    enum model model;
};

/* A book, and what is in it. */
struct random_book {
    struct dice dice, forms; /* forms: of random_forms.c */
    bool dated;              /* it has the forms that desks write */
    bool closes;             /* it reads closes.csv */
    FILE *out;
    struct random_market market;
    int n_trades;
    struct random_trade trades[RANDOM_TRADES];
    bool past;       /* it reads history.csv */
    bool checks_all; /* every price is checked */
    char unmade[64]; /* a key that nothing here knows how to write; empty where there is none */
};

/* Writes book.cfg and, where it asks for one, history.csv into a folder. The first trade of seeds 0
 * to N_PRODUCTS * N_MODELS - 1 takes each product on each model in turn. Returns whether it could.
 */
bool random_book_write(struct random_book *book, const char *folder, uint64_t seed);

/* Writes a number so that it reads back to the same bits and is no whole number of more than 32
 * bits. */
void random_number(FILE *out, double number);

/* Writes `name = value; ` of a key by its kind and range alone. */
void random_key(struct random_book *book, const struct key *key);

/* Writes `name = "word"; ` with a word of those that blanks separate, but for - and !. */
void random_word(FILE *out, struct dice *dice, const char *name, const char *words);

/* Returns from 1 to `most` times that increase from `low` to `high` years, some very near one
 * another. */
int random_times(struct random_book *book, double low, double high, int most, double *times);
void random_list(FILE *out, int n, const double *numbers);

/* Write `name = number; ` and `name = [numbers]; `. */
void random_named(FILE *out, const char *name, double number);
void random_named_list(FILE *out, const char *name, int n, const double *numbers);

/* ---- what desks write (random_forms.c); each that returns a bool may leave it ---------------- */

/* Write a curve by dates or tenors, without its brackets; what an asset has of calendars; its spot
 * by two of the n assets before it; forwards or a basis; a surface by delta. */
void random_dated_curve(struct random_book *book, int n, const double *times,
                        const double *values_of, const char *values);
void random_asset_forms(struct random_book *book, struct random_asset *asset);
bool random_cross(struct random_book *book, struct random_asset *asset, int n);
bool random_forwards(struct random_book *book, const struct random_asset *asset, double rate);
bool random_delta_quotes(struct random_book *book, const struct random_asset *asset);

/* Write tags; a day count; an expiry by date, whose years it then is; a schedule by rule,
 * `seasoned` one that has begun; past closes of all assets. */
void random_tags(struct random_book *book);
void random_day_count(struct random_book *book, const char *key);
bool random_expiry(struct random_book *book, double *years);
bool random_rule(struct random_book *book, const char *key, double years, bool seasoned);
void random_closes(struct random_book *book, FILE *out);

/* Writes one trade. */
void random_trade_write(struct random_book *book, enum product product, int first_asset);

#endif
