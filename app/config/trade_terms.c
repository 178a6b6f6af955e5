#include "app/config/trade_terms.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "app/config/read_trades.h"
#include "app/pricing/base/digest.h"
#include "models/base/json_text.h"
#include "models/payoffs/scripted.h"

/* ---- term by term ---------------------------------------------------------------------------- */

struct terms_visit {
    const struct trade *trade;
    void *context;
    void (*take)(void *context, const struct trade_term *term);
};

static void visit_number(const struct terms_visit *visit, const char *key, double number)
{
    struct trade_term term = {.key = key, .kind = TERM_NUMBER, .number = number};
    visit->take(visit->context, &term);
}

static void visit_time(const struct terms_visit *visit, const char *key, double years,
                       bool in_years, bool required)
{
    struct trade_term term = {
        .key = key, .kind = TERM_TIME, .required = required, .number = years, .in_years = in_years};
    visit->take(visit->context, &term);
}

static void visit_list(const struct terms_visit *visit, const char *key, int n,
                       const double *numbers)
{
    struct trade_term term = {.key = key, .kind = TERM_LIST, .n = n, .numbers = numbers};
    if (numbers) visit->take(visit->context, &term);
}

static void set_word(struct trade_term *term, const char *words, int choice)
{
    size_t n = next_word(&words);
    for (; n && choice > 0; choice--, n = next_word(&words)) words += n;
    snprintf(term->word, sizeof term->word, "%.*s", (int)n, words);
}

/* Tells what a key holds that fills one member of the trade. */
static void visit_key(const struct terms_visit *visit, const struct key *key, bool required)
{
    const void *field = (const char *)visit->trade + key->offset;
    struct trade_term term = {.key = key->name, .kind = TERM_NUMBER, .required = required};
    switch (key->kind) {
    case KEY_KIND_NUMBER: term.number = *(const double *)field; break;
    case KEY_KIND_TIME: /* start, pay_date */
        visit_time(visit, key->name, *(const double *)field,
                   key->offset == offsetof(struct trade, start) ? visit->trade->start_in_years
                                                                : visit->trade->expiry_in_years,
                   required);
        return;
    case KEY_KIND_COUNT: term.number = *(const int *)field; break;
    case KEY_KIND_BOOL:
        term.kind = TERM_TRUTH;
        term.number = *(const bool *)field;
        break;
    case KEY_KIND_CHOICE:
        term.kind = TERM_WORD;
        set_word(&term, key->words, *(const int *)field);
        break;
    case KEY_KIND_SCHEDULE:
        term.kind = TERM_SCHEDULE;
        term.schedule = field;
        break;
    case KEY_KIND_NAME: /* columns of their own, told by themselves, or of no trade */
    case KEY_KIND_BIG:
    case KEY_KIND_WORD:
    case KEY_KIND_ASSET:
    case KEY_KIND_CURRENCY:
    case KEY_KIND_GROUP:
    case KEY_KIND_DEFERRED: return;
    }
    visit->take(visit->context, &term);
}

/* Tells what a trade gives a parameter of its script: a spot of today, which moves, is left out. */
static void visit_parameter(const struct terms_visit *visit, const struct script *script, int p,
                            const struct bound *bound)
{
    const struct script_symbol *symbol = &script->symbols[p];
    const struct schedule dates = {.n = bound->n, .times = bound->values};
    struct trade_term term = {.key = symbol->name,
                              .kind = TERM_NUMBER,
                              .required = !symbol->has_default,
                              .schedule = &dates};
    if (!bound->values || !bound->n || isnan(bound->values[0]) || p == script->expiry) return;
    bool date = symbol->kind == SYMBOL_DATE, each = symbol->over >= 0;
    if (each && !date) {
        visit_list(visit, symbol->name, bound->n, bound->values);
        return;
    }
    term.number = bound->values[0];
    term.in_years = visit->trade->expiry_in_years;
    if (symbol->kind == SYMBOL_FLAG) term.kind = TERM_TRUTH;
    if (date) term.kind = TERM_TIME;
    if (symbol->kind == SYMBOL_DATES || (each && date)) term.kind = TERM_SCHEDULE;
    if (symbol->kind == SYMBOL_CHOICE) {
        term.kind = TERM_WORD;
        snprintf(term.word, sizeof term.word, "%s",
                 script->words[symbol->first_word + (int)term.number]);
    }
    visit->take(visit->context, &term);
}

void trade_terms_visit(const struct trade *trade, void *context,
                       void (*take)(void *context, const struct trade_term *term))
{
    const struct terms_visit visit = {trade, context, take};
    if (trade->scripted) { /* 16 digits are others where its text is another */
        const struct script *script = trade->scripted->script;
        struct trade_term text = {.key = "script", .kind = TERM_WORD};
        snprintf(text.word, sizeof text.word, "%016llx",
                 (unsigned long long)digest_text(DIGEST_BEGIN, script->text));
        take(context, &text);
        for (int p = 0; p < script->n_parameters; p++)
            visit_parameter(&visit, script, p, &trade->scripted->binding.bound[p]);
    }
    uint64_t required = table_rows(&trade_table, product_required_keys(trade->product));
    uint64_t keys = required | table_rows(&trade_table, product_optional_keys(trade->product));
    keys &= ~table_rows(&trade_table, "expiry settlement_days"); /* of all products: they follow */
    for (int i = 0; i < trade_table.n; i++)
        if (keys >> i & 1) visit_key(&visit, &trade_table.keys[i], required >> i & 1);
    visit_time(&visit, "expiry", trade->expiry, trade->expiry_in_years, true);
    visit_list(&visit, "weights", trade->n_assets, trade->weights);
    visit_list(&visit, "initial", trade->n_assets, trade->initial);
    visit_list(&visit, "coupon_years", trade->observations.n, trade->coupon_years);
    visit_number(&visit, "settlement_days", trade->settlement_days);
    visit_number(&visit, "past_count", trade->past_count);
    visit_number(&visit, "past_average", trade->past_average);
    visit_number(&visit, "past_years", trade->past_years);
    visit_number(&visit, "past_variance", trade->past_variance);
    visit_number(&visit, "past_level", trade->past_level);
    visit_number(&visit, "past_returns", trade->past_returns);
    visit_number(&visit, "past_observations", trade->past_observations);
    visit_number(&visit, "past_missed", trade->past_missed);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

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

/* Writes a date as days since 1970, the same on every night, and a schedule as the number of its
 * dates. */
static void write_term(void *context, const struct trade_term *term)
{
    struct terms_writing *writing = context;
    bool continuous = term->kind == TERM_SCHEDULE && term->schedule->continuous;
    if (term->kind == TERM_LIST) {
        json_key(writing->out, term->key, &writing->n);
        for (int i = 0; i < term->n; i++) {
            fputs(i ? ", " : "[", writing->out);
            if (isfinite(term->numbers[i])) write_number(writing->out, term->numbers[i]);
            else fputs("null", writing->out);
        }
        putc(']', writing->out);
        return;
    }
    if (term->kind == TERM_WORD || continuous) {
        json_key(writing->out, term->key, &writing->n);
        json_text(writing->out, continuous ? "continuous" : term->word);
        return;
    }
    double number = term->number;
    if (term->kind == TERM_SCHEDULE) number = term->schedule->n;
    if (term->kind == TERM_TIME && writing->dated && !term->in_years)
        number = (double)writing->valuation_day + round(1e4 * 365.0 * number) / 1e4;
    if (!isfinite(number) || number == 0.0) return;
    json_key(writing->out, term->key, &writing->n);
    write_number(writing->out, number);
}

/* Tells whether dates are days of the book's: neither in years nor spread anew every night. */
static bool are_days(const struct schedule *schedule, double expiry)
{
    bool spread = schedule->n > 1;
    for (int t = 0; t < schedule->n; t++) {
        double days = 365.0 * schedule->times[t];
        if (fabs(days - round(days)) > 1e-4) return false;
        spread &= fabs(schedule->times[t] * schedule->n - (t + 1) * expiry) < 1e-9;
    }
    return !spread;
}

/* Writes how many dates are still to be observed, today's not: where it changes, so do Greeks. And
 * which days they are, by which a date that was moved is told from one that has passed. */
static void write_dates_to_come(struct terms_writing *writing, const struct trade *trade)
{
    struct trade_term to_come = {.key = "ahead", .number = trade->start > 0.0};
    for (int i = 0; i < trade_table.n; i++) {
        const struct key *key = &trade_table.keys[i];
        if (key->kind != KEY_KIND_SCHEDULE || key->same_as) continue;
        const struct schedule *schedule = (const void *)((const char *)trade + key->offset);
        bool days = writing->dated && !trade->expiry_in_years && are_days(schedule, trade->expiry);
        int n = 0;
        for (int t = 0; t < schedule->n; t++) {
            if (schedule->times[t] <= 0.0) continue;
            if (days && !n) json_key(writing->out, "dates_ahead", &writing->n);
            if (days)
                fprintf(writing->out, "%s%ld", n ? ", " : "[",
                        writing->valuation_day + lround(365.0 * schedule->times[t]));
            n++;
        }
        if (days && n) putc(']', writing->out);
        to_come.number += n;
    }
    write_term(writing, &to_come);
}

enum status trade_terms(const struct trade *trade, const char *valuation_date, char **text)
{
    size_t length;
    struct terms_writing writing = {.out = open_memstream(text, &length)};
    if (!writing.out) return STATUS_NO_MEMORY;
    writing.dated = date_read(valuation_date, &writing.valuation_day);
    putc('{', writing.out);
    trade_terms_visit(trade, &writing, write_term);
    write_dates_to_come(&writing, trade);
    putc('}', writing.out);
    return fclose(writing.out) ? STATUS_NO_MEMORY : STATUS_OK;
}
