/* The terms of a trade: what its keys hold, one by one, and as a text that two nights can
 * compare. */
#ifndef PRICER_APP_CONFIG_TRADE_TERMS_H
#define PRICER_APP_CONFIG_TRADE_TERMS_H

#include "models/base/status.h"
#include "models/payoffs/trade.h"

enum term_kind {
    TERM_NUMBER,
    TERM_TRUTH,
    TERM_TIME, /* years from today */
    TERM_WORD,
    TERM_LIST,    /* of numbers */
    TERM_SCHEDULE /* dates, or every moment */
};

/* What one key of a trade holds. */
struct trade_term {
    const char *key;
    enum term_kind kind;
    bool required; /* its product must have the key */
    double number; /* as the next three, of its kind */
    bool in_years; /* of a time: the book gives years, not a date */
    char word[64];
    int n; /* of a list */
    const double *numbers;
    const struct schedule *schedule;
};

/* Tells each term of a trade in turn: the keys of its product in the order of trade_keys.def, then
 * its expiry, its lists and what has passed of it; of a script its parameters, and what stands for
 * its text. A key that may be left out has its default
 * there. Assets, quantity and tags are not among them. */
void trade_terms_visit(const struct trade *trade, void *context,
                       void (*take)(void *context, const struct trade_term *term));

/* Writes what its product's keys hold as a JSON object, {"option": "call", "strike": 4900,
 * "expiry": 20988}. A date is its day since 1970-01-01 where the book has a valuation date (""
 * where not), so that it stays as it is from night to night; years from today otherwise. Of a
 * schedule, the number of its dates or "continuous"; "ahead" are the dates after today. What is 0
 * and may be left out is left out. The caller frees *text. STATUS_NO_MEMORY. */
enum status trade_terms(const struct trade *trade, const char *valuation_date, char **text);

#endif
