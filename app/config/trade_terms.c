#include "app/config/trade_terms.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "app/config/read_trades.h"
#include "models/base/json_text.h"

struct terms_writing {
    FILE *out;
    int n; /* terms so far */
    bool dated;
    long valuation_day;
};

/* Writes a number in the fewest of 15 to 17 digits that read back to the same bits. */
static void write_number(FILE *out, double number)
{
    char text[32];
    int digits = 15;
    do snprintf(text, sizeof text, "%.*g", digits, number);
    while (digits++ < 17 && strtod(text, NULL) != number);
    fputs(text, out);
}

static void number_term(struct terms_writing *writing, const char *name, double number)
{
    if (!isfinite(number) || number == 0.0) return;
    json_key(writing->out, name, &writing->n);
    write_number(writing->out, number);
}

/* Writes a date as days since 1970, the same on every night; years as they are. */
static void time_term(struct terms_writing *writing, const char *name, double years, bool in_years)
{
    if (writing->dated && !in_years)
        years = (double)writing->valuation_day + round(1e4 * 365.0 * years) / 1e4;
    number_term(writing, name, years);
}

static void choice_term(struct terms_writing *writing, const char *name, const char *words,
                        int choice)
{
    char word[32] = "";
    for (; *words && choice > 0; choice--)
        words += strcspn(words, " ") + (strchr(words, ' ') != NULL);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
    json_key(writing->out, name, &writing->n);
    json_text(writing->out, word);
}

static void schedule_term(struct terms_writing *writing, const char *name,
                          const struct schedule *schedule)
{
    if (!schedule->continuous) {
        number_term(writing, name, schedule->n);
        return;
    }
    json_key(writing->out, name, &writing->n);
    json_text(writing->out, "continuous");
}

static void list_term(struct terms_writing *writing, const char *name, int n, const double *numbers)
{
    if (!numbers) return;
    json_key(writing->out, name, &writing->n);
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "[", writing->out);
        write_number(writing->out, numbers[i]);
    }
    putc(']', writing->out);
}

static void term_of_key(struct terms_writing *writing, const struct key *key,
                        const struct trade *trade)
{
    const void *field = (const char *)trade + key->offset;
    switch (key->kind) {
    case KEY_KIND_NUMBER: number_term(writing, key->name, *(const double *)field); break;
    case KEY_KIND_TIME:
        time_term(writing, key->name, *(const double *)field, trade->start_in_years);
        break; /* start */
    case KEY_KIND_COUNT: number_term(writing, key->name, *(const int *)field); break;
    case KEY_KIND_BIG: number_term(writing, key->name, (double)*(const int64_t *)field); break;
    case KEY_KIND_BOOL: number_term(writing, key->name, *(const bool *)field); break;
    case KEY_KIND_CHOICE: choice_term(writing, key->name, key->words, *(const int *)field); break;
    case KEY_KIND_SCHEDULE: schedule_term(writing, key->name, field); break;
    case KEY_KIND_NAME: /* columns of their own, or below */
    case KEY_KIND_WORD:
    case KEY_KIND_ASSET:
    case KEY_KIND_CURRENCY:
    case KEY_KIND_GROUP:
    case KEY_KIND_DEFERRED: break;
    }
}

static void write_terms(struct terms_writing *writing, const struct trade *trade)
{
    uint64_t keys = table_rows(&trade_table, product_required_keys(trade->product)) |
                    table_rows(&trade_table, product_optional_keys(trade->product));
    for (int i = 0; i < trade_table.n; i++)
        if (keys >> i & 1) term_of_key(writing, &trade_table.keys[i], trade);
    time_term(writing, "expiry", trade->expiry, trade->expiry_in_years);
    list_term(writing, "weights", trade->n_assets, trade->weights);
    list_term(writing, "initial", trade->n_assets, trade->initial);
    list_term(writing, "coupon_years", trade->observations.n, trade->coupon_years);
    number_term(writing, "settlement_days", trade->settlement_days);
    number_term(writing, "past_count", trade->past_count);
    number_term(writing, "past_average", trade->past_average);
    number_term(writing, "past_years", trade->past_years);
    number_term(writing, "past_variance", trade->past_variance);
    number_term(writing, "past_level", trade->past_level);
    number_term(writing, "past_returns", trade->past_returns);
    number_term(writing, "past_observations", trade->past_observations);
    number_term(writing, "past_missed", trade->past_missed);
}

enum status trade_terms(const struct trade *trade, const char *valuation_date, char **text)
{
    size_t length;
    struct terms_writing writing = {.out = open_memstream(text, &length)};
    if (!writing.out) return STATUS_NO_MEMORY;
    writing.dated = date_read(valuation_date, &writing.valuation_day);
    putc('{', writing.out);
    write_terms(&writing, trade);
    putc('}', writing.out);
    return fclose(writing.out) ? STATUS_NO_MEMORY : STATUS_OK;
}
